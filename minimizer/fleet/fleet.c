/* A queue of runs and one worker that has the slots (more workers would be
 * more links here). A run is WAITING in the queue or OUT at the worker:
 *
 *   fleet_run -> queue -> worker -> result -> done
 *                  ^---- worker gone ----|   (three times at most)
 *
 * The worker starts, says hello, gets the setup, answers ready; only then runs
 * are sent. Silence for SILENT_MS, or a result that is overdue, ends it. */
#include "minimizer/fleet/fleet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "config/base.h"
#include "config/log.h"
#include "config/mem.h"
#include "minimizer/fleet/link.h"

#define BEAT_MS 5000     /* one ping */
#define SILENT_MS 60000  /* without any frame: lost */
#define HELLO_MS 20000   /* from start to hello */
#define SETUP_MS 600000  /* from setup to ready: torch from a slow disk */
#define OVERDUE_MS 60000 /* beyond a run's own limit and grace */
#define STOP_MS 15000    /* a worker's patience with what will not die */
#define ATTEMPTS_MAX 3   /* workers a run may lose */
#define FAILURES_MAX 3   /* starts in a row without one result */

struct run {
    struct run *next;
    struct run_request request;
    char *text;
    fleet_done_cb done;
    void *arg;
    bool out; /* at the worker */
    uint64_t since_ms;
    unsigned attempts;
    struct observation *answer; /* decided, told on the next turn */
};

struct fleet {
    uv_loop_t *loop;
    uv_timer_t beat;
    uv_idle_t answers; /* runs while there are answers to tell */
    int open;
    const char *const *argv;
    const struct job_setup *setup;
    struct fleet_events events;
    void *arg;

    struct link *link;
    bool hello, ready, told_ready;
    bool failed, closing;
    uint64_t since_ms; /* when the worker reached its state */
    uint64_t heard_ms; /* last frame from it */
    unsigned failures; /* starts since the last ready */
    char last_reason[256];

    struct run *runs; /* in order of arrival */
    unsigned nruns, nout;
    unsigned room; /* runs at a time that the worker has use for */
    uint64_t next_id;
    unsigned aids;
    void (*closed)(void *arg);
    void *closed_arg;
};

static void fleet_on_frame(void *arg, const struct frame *frame);
static void fleet_on_gone(void *arg, const char *reason);
static void fleet_on_beat(uv_timer_t *timer);
static void fleet_on_answers(uv_idle_t *idle);
static void fleet_on_close(uv_handle_t *handle);

uint64_t fleet_now_ms(const struct fleet *fleet)
{
    return uv_now(fleet->loop);
}

static void start_worker(struct fleet *fleet)
{
    static const struct link_events events = { fleet_on_frame, fleet_on_gone };

    fleet->hello = fleet->ready = false;
    fleet->room = (unsigned)fleet->setup->slots;
    fleet->since_ms = fleet->heard_ms = uv_now(fleet->loop);
    fleet->link = link_start(fleet->loop, fleet->argv, &events, fleet);
}

struct fleet *fleet_new(struct uv_loop_s *loop, const char *const *argv,
                        const struct job_setup *setup,
                        const struct fleet_events *events, void *arg)
{
    struct fleet *fleet = xcalloc(1, sizeof(*fleet));

    fleet->loop = loop;
    fleet->argv = argv;
    fleet->setup = setup;
    fleet->events = *events;
    fleet->arg = arg;
    uv_timer_init(loop, &fleet->beat);
    uv_idle_init(loop, &fleet->answers);
    fleet->open = 2;
    uv_timer_start(&fleet->beat, fleet_on_beat, BEAT_MS, BEAT_MS);
    start_worker(fleet);
    return fleet;
}

/* ---- runs ---- */

static void run_free(struct run *run)
{
    if (run->answer)
        observation_deinit(run->answer);
    free(run->answer);
    free(run->text);
    free(run->request.path);
    free(run->request.cwd);
    free(run->request.compared);
    free(run);
}

static void run_unlink(struct fleet *fleet, struct run *run)
{
    struct run **at = &fleet->runs;

    while (*at != run)
        at = &(*at)->next;
    *at = run->next;
    fleet->nruns--;
    if (run->out)
        fleet->nout--;
}

static void run_finish(struct fleet *fleet, struct run *run,
                       const struct observation *observation)
{
    run_unlink(fleet, run);
    run->done(run->arg, observation);
    run_free(run);
}

/* Decide a run's answer now, tell it on the loop's next turn. */
static void run_lose(struct fleet *fleet, struct run *run, const char *why)
{
    if (run->answer)
        return;
    if (run->out)
        fleet->nout--;
    run->out = false;
    run->answer = xcalloc(1, sizeof(*run->answer));
    run->answer->end = END_LOST;
    run->answer->why = xstrdup(why);
    uv_idle_start(&fleet->answers, fleet_on_answers);
}

static void fleet_on_answers(uv_idle_t *idle)
{
    struct fleet *fleet = container_of(idle, struct fleet, answers);

    for (;;) {
        struct run *run = fleet->runs;

        while (run && !run->answer)
            run = run->next;
        if (!run)
            break;
        run_finish(fleet, run, run->answer); /* may change the list */
    }
    uv_idle_stop(idle);
}

static void run_send(struct fleet *fleet, struct run *run)
{
    struct frame frame = { .type = FRAME_RUN, .u.run = run->request };

    run->out = true;
    run->since_ms = uv_now(fleet->loop);
    run->attempts++;
    fleet->nout++;
    link_send(fleet->link, &frame);
}

/* Give the worker what waits, while it has room. */
static void pump(struct fleet *fleet)
{
    if (!fleet->ready || fleet->closing)
        return;
    for (struct run *run = fleet->runs; run && fleet->nout < fleet->room;
         run = run->next) {
        if (!run->out && !run->answer)
            run_send(fleet, run);
    }
}

void fleet_run(struct fleet *fleet, const struct run_request *request,
               fleet_done_cb done, void *arg)
{
    fleet_run_without(fleet, request, 0, done, arg);
}

void fleet_run_without(struct fleet *fleet, const struct run_request *request,
                       unsigned aids, fleet_done_cb done, void *arg)
{
    struct run *run = xcalloc(1, sizeof(*run));
    struct run **at = &fleet->runs;

    run->request = *request;
    run->request.id = ++fleet->next_id;
    run->request.aids = fleet->aids & ~aids;
    run->text = xmemdup(request->text.data, request->text.len);
    run->request.text = bytes_of(run->text, request->text.len);
    run->request.path = xstrdup(request->path);
    run->request.cwd = xstrdup(request->cwd);
    run->request.compared = xstrdup(request->compared);
    run->done = done;
    run->arg = arg;
    while (*at)
        at = &(*at)->next;
    *at = run;
    fleet->nruns++;
    if (fleet->failed)
        run_lose(fleet, run, fleet->last_reason);
    pump(fleet);
}

void fleet_set_aids(struct fleet *fleet, unsigned aids)
{
    fleet->aids = aids;
}

unsigned fleet_aids(const struct fleet *fleet)
{
    return fleet->aids;
}

unsigned fleet_free_slots(const struct fleet *fleet)
{
    unsigned room = fleet->room;

    return fleet->nruns < room && !fleet->failed ? room - fleet->nruns : 0;
}

void fleet_drop(struct fleet *fleet, const void *arg)
{
    struct run *run = fleet->runs;
    struct frame frame = { .type = FRAME_CANCEL };

    while (run->arg != arg)
        run = run->next;
    frame.id = run->request.id;
    if (run->out && fleet->link)
        link_send(fleet->link, &frame);
    run_unlink(fleet, run);
    run_free(run);
    pump(fleet);
}

void fleet_rest(struct fleet *fleet, enum rest what)
{
    struct frame frame = { .type = FRAME_REST, .id = what };

    if (fleet->ready && fleet->link && !fleet->closing)
        link_send(fleet->link, &frame);
}

void fleet_cancel(struct fleet *fleet)
{
    for (struct run *run = fleet->runs; run; run = run->next) {
        struct frame frame = { .type = FRAME_CANCEL, .id = run->request.id };

        if (run->out && fleet->link)
            link_send(fleet->link, &frame);
        run_lose(fleet, run, "cancelled");
    }
}

/* ---- the worker ---- */

static void fleet_fail(struct fleet *fleet, const char *text)
{
    struct err err;

    if (fleet->failed || fleet->closing)
        return;
    fleet->failed = true;
    err_set(&err, -EIO, "%s", text);
    for (struct run *run = fleet->runs; run; run = run->next)
        run_lose(fleet, run, "no worker");
    fleet->events.failed(fleet->arg, &err);
}

static void take_hello(struct fleet *fleet, const struct hello *hello)
{
    struct frame frame = { .type = FRAME_SETUP, .u.setup = *fleet->setup };
    char text[256];

    if (hello->version != PROTOCOL_VERSION) {
        snprintf(text, sizeof(text),
                 "speaks version %d of the protocol, this program version %d: "
                 "install the same autodd-c on both sides",
                 hello->version, PROTOCOL_VERSION);
        link_fail(fleet->link, text);
        fleet->failures = FAILURES_MAX;
        return;
    }
    fleet->hello = true;
    fleet->since_ms = uv_now(fleet->loop);
    link_send(fleet->link, &frame);
}

static void take_ready(struct fleet *fleet, const struct ready *ready)
{
    fleet->failures = 0;
    if (!fleet->told_ready) {
        fleet->told_ready = true;
        fleet->ready = ready->ok;
        fleet->events.ready(fleet->arg, ready);
    } else {
        fleet->ready = ready->ok;
        if (!ready->ok)
            fleet_fail(fleet, ready->error);
    }
    pump(fleet);
}

static void take_result(struct fleet *fleet, uint64_t id,
                        const struct observation *observation)
{
    struct run *run = fleet->runs;

    while (run && !(run->out && run->request.id == id))
        run = run->next;
    if (!run)
        return; /* cancelled: told long ago */
    run_finish(fleet, run, observation);
    pump(fleet);
}

static void take_room(struct fleet *fleet, uint64_t runs)
{
    unsigned slots = (unsigned)fleet->setup->slots;

    fleet->room = runs < 1 ? 1 : runs < slots ? (unsigned)runs : slots;
    pump(fleet);
}

static void fleet_on_frame(void *arg, const struct frame *frame)
{
    struct fleet *fleet = arg;

    fleet->heard_ms = uv_now(fleet->loop);
    if (fleet->closing)
        return;
    switch (frame->type) {
    case FRAME_HELLO:
        take_hello(fleet, &frame->u.hello);
        break;
    case FRAME_READY:
        take_ready(fleet, &frame->u.ready);
        break;
    case FRAME_RESULT:
        take_result(fleet, frame->id, &frame->u.result);
        break;
    case FRAME_NOTE:
        fleet->events.note(fleet->arg, frame->u.note);
        break;
    case FRAME_ROOM:
        take_room(fleet, frame->id);
        break;
    case FRAME_PONG:
        break;
    case FRAME_SETUP:
    case FRAME_RUN:
    case FRAME_CANCEL:
    case FRAME_REST:
    case FRAME_PING:
        link_fail(fleet->link, "sent a frame that only we may send");
        break;
    }
}

/* A run that is out far beyond its limit means that the worker hangs. One that
 * was sent when there was more room may wait for others there, and be run
 * again. */
static const struct run *overdue(const struct fleet *fleet)
{
    uint64_t now = uv_now(fleet->loop);
    unsigned turns = 1;

    if (fleet->room < (unsigned)fleet->setup->slots)
        turns = 2 + (unsigned)fleet->setup->slots / fleet->room;
    for (const struct run *run = fleet->runs; run; run = run->next) {
        uint64_t limit =
            turns * (run->request.timeout_ms + 4 * fleet->setup->grace_ms) +
            OVERDUE_MS;

        if (run->out && now - run->since_ms > limit)
            return run;
    }
    return NULL;
}

static void fleet_on_beat(uv_timer_t *timer)
{
    struct fleet *fleet = container_of(timer, struct fleet, beat);
    uint64_t now = uv_now(fleet->loop);
    struct frame ping = { .type = FRAME_PING, .id = now };

    if (!fleet->link || fleet->closing)
        return;
    if (!fleet->hello && now - fleet->since_ms > HELLO_MS)
        link_fail(fleet->link, "did not say hello in time");
    else if (fleet->hello && !fleet->ready && now - fleet->since_ms > SETUP_MS)
        link_fail(fleet->link, "was not ready in time");
    else if (fleet->ready && now - fleet->heard_ms > SILENT_MS)
        link_fail(fleet->link, "fell silent");
    else if (overdue(fleet))
        link_fail(fleet->link, "did not end a run in time");
    else if (fleet->hello)
        link_send(fleet->link, &ping);
}

static void close_handles(struct fleet *fleet)
{
    uv_close((uv_handle_t *)&fleet->beat, fleet_on_close);
    uv_close((uv_handle_t *)&fleet->answers, fleet_on_close);
    fleet->beat.data = fleet->answers.data = fleet;
}

static void fleet_on_gone(void *arg, const char *reason)
{
    struct fleet *fleet = arg;

    fleet->link = NULL;
    fleet->ready = false;
    if (fleet->closing) {
        close_handles(fleet);
        return;
    }
    snprintf(fleet->last_reason, sizeof(fleet->last_reason),
             "the worker %.200s", reason);
    log_info("%s", fleet->last_reason);
    for (struct run *run = fleet->runs; run; run = run->next) {
        if (!run->out)
            continue;
        run->out = false;
        fleet->nout--;
        if (run->attempts >= ATTEMPTS_MAX)
            run_lose(fleet, run, fleet->last_reason);
    }
    if (++fleet->failures > FAILURES_MAX) {
        char text[256];

        snprintf(text, sizeof(text), "no worker can be kept running: %.220s",
                 fleet->last_reason);
        fleet_fail(fleet, text);
    } else if (!fleet->failed)
        start_worker(fleet);
}

void fleet_close(struct fleet *fleet, void (*closed)(void *arg), void *arg)
{
    fleet->closing = true;
    fleet->closed = closed;
    fleet->closed_arg = arg;
    uv_timer_stop(&fleet->beat);
    uv_idle_stop(&fleet->answers);
    if (fleet->link)
        link_stop(fleet->link, STOP_MS);
    else
        close_handles(fleet);
}

static void fleet_on_close(uv_handle_t *handle)
{
    static const struct observation lost = { .end = END_LOST };
    struct fleet *fleet = handle->data;

    if (--fleet->open > 0)
        return;
    while (fleet->runs) /* whoever asked may free what it holds */
        run_finish(fleet, fleet->runs, &lost);
    if (fleet->closed)
        fleet->closed(fleet->closed_arg);
    free(fleet);
}
