/* The worker's main: the life of a job from its setup to its removal.
 *
 *   WAITING --setup--> PREPARING --scratch, program--> PROBING --> SERVING
 *      |                  |     (and GPUs looked for)     |           |
 *      +------------------+--- EOF, SIGTERM, bad frame ---+-----------+
 *                                       v
 *            ENDING --all runs, servers, probe over--> REMOVING --> CLOSING
 *
 * Frames come and go by the wire, runs live in slots, the fork servers see to
 * themselves; here their events meet. PREPARING and REMOVING are file work on
 * the thread pool. In ENDING everything is killed at once; each object then
 * reports its end as always, and worker_settle() goes on when the last one
 * has. A deadline covers what cannot be killed. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "config/base.h"
#include "config/err.h"
#include "config/log.h"
#include "config/mem.h"
#include "worker/gpu/gpus.h"
#include "worker/gpu/sanitizer.h"
#include "worker/interpreter.h"
#include "worker/job.h"
#include "worker/protocol.h"
#include "worker/scratch.h"
#include "worker/servers.h"
#include "worker/slots.h"
#include "worker/sweep.h"
#include "worker/wire.h"

#define SLOTS_MAX 256
#define ENDING_MS 10000 /* then what is left is left */
#define WORKER_FAILED 3 /* exit code: as of the program, the environment */

enum worker_state {
    WORKER_WAITING,
    WORKER_PREPARING,
    WORKER_PROBING,
    WORKER_SERVING,
    WORKER_ENDING,
    WORKER_REMOVING,
    WORKER_CLOSING
};

struct worker {
    enum worker_state state;
    uv_loop_t loop;
    uv_signal_t term, hangup;
    uv_timer_t patience;
    uv_work_t work;
    bool working;
    int exit_code;

    struct frame setup; /* owns the job's settings */
    bool have_setup, ready_sent, refused;
    struct job job;
    char *self;
    struct interpreter python; /* what it said */
    struct err err;            /* of PREPARING */
    int error;

    struct wire *wire;
    struct probe *probe;            /* NULL: none is running */
    bool probed;                    /* or there is nothing to probe */
    struct sanitizer_probe *asking; /* the sanitizer; NULL: not, or no more */
    char *sanitizer;                /* its version; NULL: none, or unknown */
    struct gpus *gpus;              /* NULL: they are none of our business */
    bool gpus_known;
    struct run_watch watch;  /* with GPUs */
    struct slots *slots;     /* from a good setup on */
    struct servers *servers; /* from SERVING on */
};

static void worker_on_frame(void *arg, struct frame *frame);
static void worker_on_bad(void *arg, const char *what);
static void worker_on_lost(void *arg);
static void worker_on_result(void *arg, uint64_t id,
                             const struct observation *observation);
static void worker_on_forks(void *arg, bool forks, const char *why);
static void worker_on_note(void *arg, const char *text);
static void worker_on_left(void *arg);
static void worker_on_gpus(void *arg, const char *error);
static void worker_on_room(void *arg, unsigned runs);
static void worker_on_void(void *arg, int gpu, const char *why);
static void worker_on_fit(void *arg);
static void worker_on_no_gpu(void *arg, const char *why);
static void worker_on_stuck(void *arg, int slot, const char *why);
static void worker_on_slow(void *arg, int slot, uint64_t kill_ms);
static void worker_on_signal(uv_signal_t *handle, int signum);
static void worker_on_patience(uv_timer_t *timer);
static void worker_prepare(uv_work_t *work);
static void worker_on_prepared(uv_work_t *work, int status);
static void worker_on_probed(void *arg, const struct interpreter *taken,
                             const char *error);
static void worker_remove(uv_work_t *work);
static void worker_on_removed(uv_work_t *work, int status);
static void worker_end(struct worker *w, int exit_code);
static void worker_settle(struct worker *w);

static const struct wire_events wire_events = {
    .frame = worker_on_frame,
    .bad = worker_on_bad,
    .lost = worker_on_lost,
};
static const struct slots_events slots_events = {
    .result = worker_on_result,
    .freed = worker_on_left,
};
static const struct servers_events servers_events = {
    .forks = worker_on_forks,
    .note = worker_on_note,
    .gone = worker_on_left,
};

static const struct gpus_events gpus_events = {
    .known = worker_on_gpus,
    .note = worker_on_note,
    .room = worker_on_room,
    .voided = worker_on_void,
    .changed = worker_on_fit,
    .none_left = worker_on_no_gpu,
    .left = worker_on_left,
};

static void worker_enter(struct worker *w, enum worker_state next)
{
    static const char *const names[] = { "waiting", "preparing", "probing",
                                         "serving", "ending",    "removing",
                                         "closing" };

    log_debug("worker: %s", names[next]);
    w->state = next;
}

/* ---- what we say ---- */

static void worker_on_note(void *arg, const char *text)
{
    struct worker *w = arg;

    wire_note(w->wire, text);
}

static void worker_on_result(void *arg, uint64_t id,
                             const struct observation *observation)
{
    struct worker *w = arg;
    struct frame frame = { .type = FRAME_RESULT, .id = id };

    if (w->servers && observation->forked && observation->end != END_LOST)
        servers_proved(w->servers, observation->learned);
    frame.u.result = *observation;
    wire_send(w->wire, &frame);
}

/* Once, for a job that can be run; `forks` if the fork server turns out to be
 * of use: it imports yet. Else `why` not. */
static void worker_ready(struct worker *w, bool forks, const char *why)
{
    struct frame frame = { .type = FRAME_READY };

    if (w->ready_sent)
        return;
    w->ready_sent = true;
    frame.u.ready.ok = true;
    frame.u.ready.python = w->job.python;
    frame.u.ready.python_version = w->python.version;
    frame.u.ready.platform = w->python.platform;
    frame.u.ready.gpu = w->python.gpu;
    if (w->gpus && gpus_words(w->gpus)) /* borrowed, and never freed here */
        frame.u.ready.gpu = (char *)(uintptr_t)gpus_words(w->gpus);
    frame.u.ready.packages = w->python.packages;
    frame.u.ready.sanitizer = w->sanitizer;
    frame.u.ready.forks = forks;
    frame.u.ready.no_fork_reason = xstrdup(why);
    wire_send(w->wire, &frame);
    free(frame.u.ready.no_fork_reason);
}

/* Instead, for one that can't. `usage`: the user's words are at fault. */
static void worker_refuse(struct worker *w, const char *error, bool usage)
{
    struct frame frame = { .type = FRAME_READY };

    w->ready_sent = w->refused = true;
    if (w->slots)
        slots_drop(w->slots, error);
    frame.u.ready.error = xstrdup(error);
    frame.u.ready.usage = usage;
    frame.u.ready.python = w->job.python;
    wire_send(w->wire, &frame);
    free(frame.u.ready.error);
}

static void worker_on_forks(void *arg, bool forks, const char *why)
{
    struct worker *w = arg;

    slots_set_forks(w->slots, forks);
    worker_ready(w, forks, why);
    slots_pull(w->slots);
}

/* ---- setting up ---- */

/* On the thread pool, before anything else of the job lives. */
static void worker_prepare(uv_work_t *work)
{
    struct worker *w = container_of(work, struct worker, work);

    w->error = job_prepare(&w->job, &w->err);
}

static void worker_setup(struct worker *w)
{
    const struct job_setup *setup = &w->setup.u.setup;

    if (setup->slots < 1 || setup->slots > SLOTS_MAX) {
        worker_refuse(w, "slots must be from 1 to 256", false);
        return;
    }
    if (job_init(&w->job, &w->loop, setup, w->self, &w->err) != 0) {
        worker_refuse(w, w->err.text, true);
        return;
    }
    w->slots = slots_new(&w->job.run, setup->slots, &slots_events, w);
    worker_enter(w, WORKER_PREPARING);
    w->working = true;
    uv_queue_work(&w->loop, &w->work, worker_prepare, worker_on_prepared);
}

/* The interpreter, the sanitizer and the GPUs are looked for at the same time.
 */
static void worker_serve(struct worker *w)
{
    if (!w->probed || w->asking || !w->gpus_known || w->refused)
        return;
    worker_enter(w, WORKER_SERVING);
    slots_open(w->slots);
    w->servers =
        servers_new(&w->job.run, w->job.server_cache, &servers_events, w);
    servers_begin(w->servers, w->python.version);
    worker_ready(w, true, NULL); /* unless it is known already that it can't */
    slots_pull(w->slots);
}

static void worker_probe(struct worker *w)
{
    struct probe_spec spec = {
        .self = w->self,
        .python = w->job.python,
        .folder = w->job.root,
        .env = &w->job.run.base,
        .grace_ms = w->setup.u.setup.grace_ms,
        .about = w->setup.u.setup.about,
        .modules = &w->setup.u.setup.preload,
    };

    worker_enter(w, WORKER_PROBING);
    w->probed = !job_runs_python(&w->job);
    if (w->probed)
        return;
    w->probe = probe_start(&w->loop, &spec, worker_on_probed, w);
}

static void worker_on_sanitizer(void *arg, const char *version)
{
    struct worker *w = arg;

    w->asking = NULL;
    w->sanitizer = xstrdup(version);
    if (w->state == WORKER_ENDING)
        worker_settle(w);
    else
        worker_serve(w);
}

static void worker_ask_sanitizer(struct worker *w)
{
    struct sanitizer_spec spec = {
        .self = w->self,
        .program = w->job.sanitizer,
        .folder = w->job.root,
        .env = &w->job.run.base,
        .grace_ms = w->setup.u.setup.grace_ms,
    };

    if (spec.program)
        w->asking =
            sanitizer_probe_start(&w->loop, &spec, worker_on_sanitizer, w);
}

static void worker_find_gpus(struct worker *w)
{
    const char *gpus = w->setup.u.setup.gpus;

    w->gpus_known = !gpus || strcmp(gpus, "none") == 0;
    if (w->gpus_known)
        return;
    w->watch = (struct run_watch){ worker_on_stuck, worker_on_slow, w };
    w->gpus = gpus_new(&w->job.run, &gpus_events, w);
}

static void worker_on_prepared(uv_work_t *work, int status)
{
    struct worker *w = container_of(work, struct worker, work);
    (void)status;

    w->working = false;
    if (w->state == WORKER_ENDING) {
        worker_settle(w);
        return;
    }
    if (w->error) {
        worker_refuse(w, w->err.text, false);
    } else {
        worker_find_gpus(w);
        worker_ask_sanitizer(w);
        worker_probe(w);
        worker_serve(w);
    }
}

static void worker_on_probed(void *arg, const struct interpreter *taken,
                             const char *error)
{
    struct worker *w = arg;

    w->probe = NULL;
    if (taken)
        w->python = *taken;
    if (w->state == WORKER_ENDING) {
        worker_settle(w);
        return;
    }
    if (error) {
        worker_refuse(w, error, false);
        return;
    }
    w->probed = true;
    worker_serve(w);
}

/* ---- GPUs ---- */

static void worker_on_gpus(void *arg, const char *error)
{
    struct worker *w = arg;

    if (w->state != WORKER_PROBING || w->refused)
        return;
    if (error) {
        worker_refuse(w, error, true);
        return;
    }
    w->gpus_known = true;
    if (gpus_count(w->gpus) > 0) {
        slots_set_gpus(w->slots, w->gpus);
        w->job.run.watch = &w->watch;
    }
    worker_serve(w);
}

static void worker_on_room(void *arg, unsigned runs)
{
    struct worker *w = arg;
    struct frame frame = { .type = FRAME_ROOM, .id = runs };

    wire_send(w->wire, &frame);
}

static void worker_on_void(void *arg, int gpu, const char *why)
{
    struct worker *w = arg;

    slots_void(w->slots, gpu, why);
}

static void worker_on_fit(void *arg)
{
    struct worker *w = arg;

    slots_pull(w->slots);
}

static void worker_on_no_gpu(void *arg, const char *why)
{
    struct worker *w = arg;

    if (w->state == WORKER_PROBING || w->state == WORKER_SERVING)
        worker_refuse(w, why, false);
}

static void worker_on_stuck(void *arg, int slot, const char *why)
{
    struct worker *w = arg;
    int gpu = slots_gpu(w->slots, slot);

    if (gpu < 0)
        return;
    gpus_wedge(w->gpus, gpu, why);
    slots_give_up(w->slots, slot, why);
}

static void worker_on_slow(void *arg, int slot, uint64_t kill_ms)
{
    struct worker *w = arg;
    int gpu = slots_gpu(w->slots, slot);

    if (gpu >= 0 && w->state == WORKER_SERVING)
        gpus_slow(w->gpus, gpu, kill_ms);
}

/* ---- what we hear ---- */

static void worker_take_run(struct worker *w, struct run_request *request)
{
    struct observation lost = { .end = END_LOST };

    if (w->slots && !w->refused) {
        if (w->servers && request->learn == LEARN_UNDO)
            servers_unlearn(w->servers);
        slots_take(w->slots, request);
        return;
    }
    lost.why = xstrdup("the worker is not ready");
    worker_on_result(w, request->id, &lost);
    observation_deinit(&lost);
}

static void worker_on_frame(void *arg, struct frame *frame)
{
    struct worker *w = arg;
    struct frame pong = { .type = FRAME_PONG, .id = frame->id };

    switch (frame->type) {
    case FRAME_SETUP:
        if (w->have_setup) {
            worker_on_bad(w, "a second setup");
            break;
        }
        w->have_setup = true;
        w->setup = *frame;
        *frame = (struct frame){ .type = FRAME_PONG };
        worker_setup(w);
        break;
    case FRAME_RUN:
        worker_take_run(w, &frame->u.run);
        break;
    case FRAME_CANCEL:
        if (w->slots)
            slots_cancel(w->slots, frame->id);
        break;
    case FRAME_REST:
        if (w->slots)
            slots_rest(w->slots, frame->id == REST_ALL);
        break;
    case FRAME_PING:
        wire_send(w->wire, &pong);
        break;
    case FRAME_HELLO:
    case FRAME_READY:
    case FRAME_RESULT:
    case FRAME_PONG:
    case FRAME_NOTE:
    case FRAME_ROOM:
        worker_on_bad(w, "a frame that only a worker sends");
        break;
    }
}

static void worker_on_bad(void *arg, const char *what)
{
    struct worker *w = arg;
    char *note = xasprintf("the worker ends: %s", what);

    log_error("worker: %s", what);
    wire_note(w->wire, note);
    free(note);
    worker_end(w, WORKER_FAILED);
}

static void worker_on_lost(void *arg)
{
    worker_end(arg, 0);
}

static void worker_on_signal(uv_signal_t *handle, int signum)
{
    struct worker *w = handle->data;

    log_info("worker: ends by signal %d", signum);
    worker_end(w, 0);
}

/* ---- the end ---- */

static void worker_end(struct worker *w, int exit_code)
{
    if (w->state >= WORKER_ENDING)
        return;
    worker_enter(w, WORKER_ENDING);
    w->exit_code = exit_code;
    wire_stop(w->wire);
    uv_timer_start(&w->patience, worker_on_patience, ENDING_MS, 0);
    if (w->probe)
        probe_kill(w->probe);
    if (w->asking)
        sanitizer_probe_kill(w->asking);
    if (w->slots)
        slots_end(w->slots);
    if (w->servers)
        servers_stop(w->servers);
    if (w->gpus)
        gpus_stop(w->gpus);
    worker_settle(w);
}

static int runs_left(const struct worker *w)
{
    return w->slots ? slots_busy(w->slots) : 0;
}

static int forkers_left(const struct worker *w)
{
    return w->servers ? servers_left(w->servers) : 0;
}

static void worker_settle(struct worker *w)
{
    if (w->state != WORKER_ENDING || w->working || w->probe || w->asking ||
        runs_left(w) || forkers_left(w) || (w->gpus && gpus_left(w->gpus) > 0))
        return;
    worker_enter(w, WORKER_REMOVING);
    w->working = true;
    uv_queue_work(&w->loop, &w->work, worker_remove, worker_on_removed);
}

/* A run or a fork server is over. */
static void worker_on_left(void *arg)
{
    worker_settle(arg);
}

/* Something can't be killed. What can be tidied is. */
static void worker_on_patience(uv_timer_t *timer)
{
    struct worker *w = container_of(timer, struct worker, patience);

    log_error("worker: %d runs and %d fork servers do not end", runs_left(w),
              forkers_left(w));
    w->exit_code = WORKER_FAILED;
    uv_stop(&w->loop);
}

static void worker_remove(uv_work_t *work)
{
    struct worker *w = container_of(work, struct worker, work);

    job_remove(&w->job);
}

static void worker_close(struct worker *w)
{
    worker_enter(w, WORKER_CLOSING);
    wire_close(w->wire);
    uv_close((uv_handle_t *)&w->term, NULL);
    uv_close((uv_handle_t *)&w->hangup, NULL);
    uv_close((uv_handle_t *)&w->patience, NULL);
}

static void worker_on_removed(uv_work_t *work, int status)
{
    struct worker *w = container_of(work, struct worker, work);
    (void)status;

    w->working = false;
    worker_close(w);
    /* What does not die stays on the loop for ever. */
    if ((w->slots && slots_stuck(w->slots) > 0) ||
        (w->gpus && gpus_stuck(w->gpus)))
        uv_stop(&w->loop);
}

/* ---- main ---- */

/* On an error worker_close() is due. */
static int worker_open(struct worker *w)
{
    char path[4096];
    size_t size = sizeof(path);
    int error;

    w->wire = wire_new(&w->loop, &wire_events, w);
    uv_timer_init(&w->loop, &w->patience);
    uv_signal_init(&w->loop, &w->term);
    uv_signal_init(&w->loop, &w->hangup);
    w->term.data = w->hangup.data = w;
    error = uv_exepath(path, &size);
    if (!error)
        w->self = xmemdup(path, size);
    if (!error)
        error = wire_open(w->wire);
    if (!error)
        error = uv_signal_start(&w->term, worker_on_signal, SIGTERM);
    if (!error)
        error = uv_signal_start(&w->hangup, worker_on_signal, SIGHUP);
    return error;
}

static void worker_deinit(struct worker *w)
{
    wire_free(w->wire);
    slots_free(w->slots);
    servers_free(w->servers);
    gpus_free(w->gpus);
    job_deinit(&w->job);
    if (w->have_setup)
        frame_deinit(&w->setup);
    free(w->self);
    interpreter_deinit(&w->python);
    free(w->sanitizer);
}

int worker_main(void)
{
    struct worker *w = xcalloc(1, sizeof(*w));
    int error, exit_code;

    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN); /* a terminal's Ctrl-C is the minimizer's */
    error = uv_loop_init(&w->loop);
    if (error) {
        log_error("worker: cannot start: %s", err_name(error));
        free(w);
        return WORKER_FAILED;
    }
    error = worker_open(w);
    if (error) {
        log_error("worker: cannot start: %s; its stdin and stdout must be "
                  "pipes",
                  err_name(error));
        w->exit_code = WORKER_FAILED;
        worker_close(w);
    } else {
        wire_hello(w->wire);
        wire_listen(w->wire);
    }
    uv_run(&w->loop, UV_RUN_DEFAULT);
    exit_code = w->exit_code;
    if (uv_loop_close(&w->loop) != 0) {
        worker_remove(&w->work);
        return exit_code; /* objects are still in use */
    }
    worker_deinit(w);
    free(w);
    return exit_code;
}

void worker_clean(const char *mark)
{
    struct sweep *sweep = sweep_new(mark);

    sweep_job(sweep);
    scratch_clean(mark, true);
    sweep_free(sweep);
}
