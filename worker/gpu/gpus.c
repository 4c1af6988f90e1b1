/* The list comes from the helper once; after that its beats bring memory, its
 * other frames news of health. All state of a GPU stands in struct gpu: who is
 * on it, how many may be, what is thought of it (health.h).
 *
 *   helper: gpus --choose--> known        no answer, no library --> none known
 *           beat --> memory of a run --> cap --> room
 *           xid, bad --> health --> voided, canary, none_left
 *
 * How much memory a run takes is the most that one process of the job was seen
 * to hold; in a container, where NVML's pids mean nothing, the growth of what
 * is in use, shared by the runs there at that time and by the children that may
 * wait there with a context. The cap only goes down: a
 * run that did not fit has cost more than one that waits. */
#include "worker/gpu/gpus.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "config/base.h"
#include "config/buf.h"
#include "config/json.h"
#include "config/log.h"
#include "config/mem.h"
#include "worker/child.h"
#include "worker/env.h"
#include "worker/gpu/canary.h"
#include "worker/gpu/health.h"
#include "worker/gpu/list.h"
#include "worker/gpu/mps.h"
#include "worker/gpu/nvml.h"
#include "worker/gpu/watch.h"
#include "worker/proc.h"
#include "worker/sweep.h"

#define SLOW_KILL_MS 2000   /* SIGKILL to exit: 0.13 s is usual */
#define RESTARTS_MAX 3      /* of a helper that ends by itself */
#define CANARY_MS 30000     /* a context may wait for those of runs */
#define NEED_MIN (1u << 20) /* bytes: less is noise */
#define WORDS_MAX 160

struct gpu {
    struct gpus *gpus;
    const struct gpu_entry *entry;
    struct health health;
    unsigned busy, cap;
    unsigned waiting;    /* children with a context and no run, at most */
    uint64_t base, need; /* bytes: in use without us; by one run, at most */

    struct child *canary; /* while it runs */
    pid_t canary_pid;
    bool canary_stuck;
    char words[WORDS_MAX]; /* what it said last */
};

struct gpus {
    const struct run_job *job;
    struct watch *watch;
    pid_t watch_pid;
    unsigned restarts;
    bool known, stopping, told_none, told_room;
    uv_timer_t timer; /* the next canary, or end of a quarantine */
    bool timer_open;
    char *mark; /* AUTODD_JOB=... */

    struct gpu_list list;
    struct gpu *at;
    int n;
    char *words;
    unsigned room; /* told last */

    const struct gpus_events *events;
    void *arg;
};

static void gpus_on_frame(void *arg, const char *type,
                          const struct json *frame);
static void gpus_on_gone(void *arg, const char *why, bool silent);
static void gpus_on_timer(uv_timer_t *timer);
static void gpus_on_close(uv_handle_t *handle);
static void canary_on_started(void *arg, pid_t pid, ino_t out, ino_t err);
static void canary_on_output(void *arg, enum scan_stream stream,
                             const char *data, size_t len);
static void canary_on_stuck(void *arg, const char *why);
static void canary_on_done(void *arg, const struct child_result *result);

static const struct child_events canary_events = {
    .started = canary_on_started,
    .output = canary_on_output,
    .stuck = canary_on_stuck,
    .done = canary_on_done,
};

static void start_watch(struct gpus *g)
{
    static const struct watch_events events = {
        .frame = gpus_on_frame,
        .gone = gpus_on_gone,
    };
    unsigned silent = (unsigned)(5 * g->job->setup->grace_ms);

    g->watch = watch_start(g->job->loop, g->job->self, silent, &events, g);
    g->watch_pid = watch_pid(g->watch);
    if (g->watch_pid)
        sweep_spare(g->job->sweep, g->watch_pid);
}

struct gpus *gpus_new(const struct run_job *job,
                      const struct gpus_events *events, void *arg)
{
    struct gpus *g = xcalloc(1, sizeof(*g));

    g->job = job;
    g->events = events;
    g->arg = arg;
    g->mark = xasprintf("AUTODD_JOB=%s", job->setup->mark);
    uv_timer_init(job->loop, &g->timer);
    g->timer_open = true;
    start_watch(g);
    return g;
}

static void note(struct gpus *g, char *taken)
{
    g->events->note(g->arg, taken);
    free(taken);
}

static struct gpu *gpu_of(const struct gpus *g, int gpu)
{
    return &g->at[gpu];
}

/* ---- room ---- */

static unsigned slots_of(const struct gpus *g)
{
    return (unsigned)g->job->setup->slots;
}

/* Runs that make sense at a time; what is only being looked at counts. */
static unsigned room_of(const struct gpus *g)
{
    unsigned room = 0;

    for (int i = 0; i < g->n; i++) {
        enum gpu_state state = g->at[i].health.state;

        if (state == GPU_HEALTHY || state == GPU_SUSPECT)
            room += g->at[i].cap;
    }
    return room < slots_of(g) ? room : slots_of(g);
}

static void tell_room(struct gpus *g)
{
    unsigned room = room_of(g);

    if (room == 0 || room == g->room)
        return;
    g->room = room;
    g->events->room(g->arg, room);
}

static void set_cap(struct gpu *gpu, unsigned cap, char *why)
{
    struct gpus *g = gpu->gpus;
    unsigned before = room_of(g);

    gpu->cap = cap > 0 ? cap : 1;
    if (room_of(g) < before && !g->told_room) {
        g->told_room = true;
        note(g, xasprintf("-j %u is lowered to %u: %s", slots_of(g), room_of(g),
                          why));
    }
    free(why);
    tell_room(g);
}

/* What runs need is known better now: `free_of_others` bytes are there for
 * them. */
static void fit(struct gpu *gpu, uint64_t free_of_others)
{
    uint64_t cap;
    char name[64];

    if (gpu->need < NEED_MIN || free_of_others == 0)
        return;
    cap = free_of_others / gpu->need;
    if (cap >= gpu->cap)
        return;
    set_cap(gpu, (unsigned)cap,
            xasprintf("a run takes %" PRIu64 " MiB of the %" PRIu64
                      " MiB that %s has free",
                      gpu->need >> 20, free_of_others >> 20,
                      gpu_short(gpu->entry->uuid, name, sizeof(name))));
}

static uint64_t get_size(const struct json *from, const char *key)
{
    int64_t n = json_get_int(from, key, 0);

    return n > 0 ? (uint64_t)n : 0;
}

/* The memory of our processes on a GPU, all of them and the largest. */
static uint64_t own_memory(const struct gpu *gpu, const struct json *beat,
                           uint64_t *largest)
{
    const struct json *list = json_get(beat, "procs");
    uint64_t sum = 0;

    *largest = 0;
    for (size_t i = 0; i < json_len(list); i++) {
        const struct json *pair = json_at(list, i);
        pid_t pid = (pid_t)json_get_int(pair, "pid", 0);
        uint64_t used = get_size(pair, "used");

        if (pid <= 0 || !proc_has_env(pid, gpu->gpus->mark))
            continue;
        sum += used;
        if (pid != gpu->canary_pid && used > *largest)
            *largest = used;
    }
    return sum;
}

static void measure(struct gpu *gpu, const struct json *beat)
{
    uint64_t used = get_size(beat, "used"), total = gpu->entry->total;
    uint64_t largest, own = own_memory(gpu, beat, &largest), need = largest;

    if (total == 0 || used == 0)
        return;
    if (own > 0) {
        gpu->base = used > own ? used - own : 0;
    } else if (gpu->busy == 0) {
        if (!gpu->canary)
            gpu->base = used;
    } else if (used > gpu->base && !gpu->canary) {
        need = (used - gpu->base) / (gpu->busy + gpu->waiting);
    }
    if (need <= gpu->need)
        return;
    gpu->need = need;
    fit(gpu, total > gpu->base ? total - gpu->base : 0);
}

static void take_beat(struct gpus *g, const struct json *frame)
{
    const struct json *list = json_get(frame, "gpus");

    for (size_t i = 0; i < json_len(list); i++) {
        const struct json *beat = json_at(list, i);
        const char *uuid = json_get_str(beat, "uuid", "");

        for (int k = 0; k < g->n; k++)
            if (strcmp(g->at[k].entry->uuid, uuid) == 0)
                measure(&g->at[k], beat);
    }
}

void gpus_may_wait(struct gpus *g, int at, unsigned children)
{
    struct gpu *gpu = gpu_of(g, at);

    if (children > gpu->waiting)
        gpu->waiting = children;
}

bool gpus_rest(struct gpus *g, int at)
{
    struct gpu *gpu = gpu_of(g, at);
    bool any = gpu->waiting > 0;

    gpu->waiting = 0;
    return any;
}

bool gpus_crowded(struct gpus *g, int at)
{
    struct gpu *gpu = gpu_of(g, at);
    char name[64];

    if (gpu->busy < 2)
        return false;
    set_cap(gpu, gpu->busy / 2,
            xasprintf("runs together need more memory than %s has",
                      gpu_short(gpu->entry->uuid, name, sizeof(name))));
    return true;
}

/* ---- health ---- */

static uint64_t now_ms(const struct gpus *g)
{
    return uv_now(g->job->loop);
}

static void set_timer(struct gpus *g)
{
    uint64_t due = HEALTH_NEVER, now = now_ms(g);

    if (g->stopping)
        return;
    for (int i = 0; i < g->n; i++)
        if (health_due(&g->at[i].health) < due)
            due = health_due(&g->at[i].health);
    if (due == HEALTH_NEVER)
        uv_timer_stop(&g->timer);
    else
        uv_timer_start(&g->timer, gpus_on_timer, due > now ? due - now : 0, 0);
}

static bool any_left(const struct gpus *g)
{
    for (int i = 0; i < g->n; i++) {
        enum gpu_state state = g->at[i].health.state;

        if (state == GPU_HEALTHY || state == GPU_SUSPECT)
            return true;
    }
    return false;
}

static void tell_none_left(struct gpus *g)
{
    struct buf text;

    if (g->told_none || any_left(g))
        return;
    g->told_none = true;
    buf_init(&text, 4096);
    buf_adds(&text, "no GPU is fit for runs any more (");
    for (int i = 0; i < g->n; i++)
        buf_addf(&text, "%s%s: %s, %s", i ? "; " : "", g->at[i].entry->uuid,
                 health_name(g->at[i].health.state), g->at[i].health.why);
    buf_adds(&text, "); choose others with --gpus, or have none watched with "
                    "--gpus none");
    g->events->none_left(g->arg, buf_str(&text));
    buf_deinit(&text);
}

/* The health of a GPU was told something. `voids`: its runs have no say. */
static void after_news(struct gpu *gpu, enum gpu_state before, bool voids)
{
    struct gpus *g = gpu->gpus;
    struct health *h = &gpu->health;

    if (h->state != before && h->state != GPU_HEALTHY)
        note(g, xasprintf("GPU %s is %s: %s", gpu->entry->uuid,
                          health_name(h->state), h->why));
    else if (h->state != before)
        note(g, xasprintf("GPU %s is healthy again", gpu->entry->uuid));
    if (h->state != before)
        tell_room(g);
    if (voids) {
        char *why = xasprintf("GPU %s: %s", gpu->entry->uuid, h->why);

        g->events->voided(g->arg, (int)(gpu - g->at), why);
        free(why);
    }
    set_timer(g);
    if (h->state != before && health_usable(h))
        g->events->changed(g->arg);
    tell_none_left(g);
}

static bool concerns(const struct gpu *gpu, const char *uuid)
{
    const char *parent = gpu->entry->parent;

    return strcmp(gpu->entry->uuid, uuid) == 0 ||
           (parent && strcmp(parent, uuid) == 0);
}

static void take_xid(struct gpus *g, const struct json *frame)
{
    const char *uuid = json_get_str(frame, "uuid", "");
    uint64_t code = get_size(frame, "code");
    enum xid_class class = xid_class(code, &g->job->setup->xid);

    log_info("gpu %s: Xid %" PRIu64, uuid, code);
    for (int i = 0; i < g->n; i++) {
        struct gpu *gpu = &g->at[i];
        enum gpu_state before = gpu->health.state;

        if (concerns(gpu, uuid))
            after_news(gpu, before,
                       health_xid(&gpu->health, class, code, now_ms(g)));
    }
}

static void take_bad(struct gpus *g, const struct json *frame)
{
    const char *uuid = json_get_str(frame, "uuid", "");
    const char *why = json_get_str(frame, "why", "");
    bool lost = json_get_bool(frame, "lost", false);

    for (int i = 0; i < g->n; i++) {
        struct gpu *gpu = &g->at[i];
        enum gpu_state before = gpu->health.state;

        if (concerns(gpu, uuid))
            after_news(gpu, before,
                       health_bad(&gpu->health, why, lost, now_ms(g)));
    }
}

void gpus_slow(struct gpus *g, int at, uint64_t kill_ms)
{
    struct gpu *gpu = gpu_of(g, at);
    enum gpu_state before = gpu->health.state;
    char why[80];

    if (kill_ms <= SLOW_KILL_MS)
        return;
    snprintf(why, sizeof(why), "a process took %" PRIu64 " ms or more to die",
             kill_ms);
    health_doubt(&gpu->health, why, now_ms(g));
    after_news(gpu, before, false);
}

void gpus_wedge(struct gpus *g, int at, const char *why)
{
    struct gpu *gpu = gpu_of(g, at);
    enum gpu_state before = gpu->health.state;

    after_news(gpu, before, health_wedge(&gpu->health, why));
}

/* ---- the canary ---- */

static void start_canary(struct gpu *gpu)
{
    const struct run_job *job = gpu->gpus->job;
    const char *argv[] = { job->self, "gpu", "canary", NULL };
    struct strings env = { 0 };
    struct child_spec spec = {
        .argv = argv,
        .env = &env,
        .cwd = "/",
        .timeout_ms = CANARY_MS,
        .grace_ms = job->setup->grace_ms,
    };

    env_merge(&env, &job->base);
    env_set(&env, "CUDA_VISIBLE_DEVICES",
            gpus_visible(gpu->gpus, (int)(gpu - gpu->gpus->at)));
    gpu->words[0] = '\0';
    gpu->canary_stuck = false;
    gpu->canary = child_start(job->loop, &spec, &canary_events, gpu);
    env_free(&env);
}

static void canary_on_started(void *arg, pid_t pid, ino_t out, ino_t err)
{
    struct gpu *gpu = arg;
    (void)out;
    (void)err;

    gpu->canary_pid = pid;
    sweep_spare(gpu->gpus->job->sweep, pid);
}

static void canary_on_output(void *arg, enum scan_stream stream,
                             const char *data, size_t len)
{
    struct gpu *gpu = arg;
    (void)stream;

    log_safe(gpu->words, sizeof(gpu->words), data, len);
}

/* The process that asks the GPU hangs in it: the answer is known. */
static void canary_on_stuck(void *arg, const char *why)
{
    struct gpu *gpu = arg;
    enum gpu_state before = gpu->health.state;
    char *text = xasprintf("the canary %s", why);

    gpu->canary_stuck = true;
    after_news(gpu, before, health_wedge(&gpu->health, text));
    free(text);
    gpu->gpus->events->left(gpu->gpus->arg);
}

static void canary_on_done(void *arg, const struct child_result *result)
{
    struct gpu *gpu = arg;
    struct gpus *g = gpu->gpus;
    enum gpu_state before = gpu->health.state;
    bool clean = !result->error && !result->timed_out && !result->signal &&
                 result->exit_code == 0;
    const char *words = gpu->words[0] ? gpu->words : "it ended badly";
    char *why;

    gpu->canary = NULL;
    if (gpu->canary_pid)
        sweep_unspare(g->job->sweep, gpu->canary_pid);
    gpu->canary_pid = 0;
    if (!g->stopping) {
        why = xasprintf("the canary failed: %s", result->error ? result->error
                                                 : result->timed_out
                                                     ? "it did not end in time"
                                                     : words);
        after_news(gpu, before,
                   health_checked(&gpu->health, clean, why, now_ms(g)));
        free(why);
        if (health_usable(&gpu->health))
            g->events->changed(g->arg);
    }
    g->events->left(g->arg);
}

static void gpus_on_timer(uv_timer_t *timer)
{
    struct gpus *g = container_of(timer, struct gpus, timer);

    for (int i = 0; i < g->n; i++) {
        struct gpu *gpu = &g->at[i];
        enum gpu_state before = gpu->health.state;

        if (!gpu->canary && health_check(&gpu->health, now_ms(g)))
            start_canary(gpu);
        health_tick(&gpu->health, now_ms(g));
        if (gpu->health.state != before)
            after_news(gpu, before, false);
    }
    set_timer(g);
}

/* ---- finding them ---- */

static const char *get_env(const struct gpus *g, const char *name)
{
    return env_get(&g->job->base, name);
}

static void describe(struct gpus *g)
{
    struct buf text;

    buf_init(&text, 4096);
    for (int i = 0; i < g->n; i++)
        buf_addf(&text, "%s%s (%s)", i ? ", " : "", g->list.at[i].name,
                 g->list.at[i].uuid);
    if (g->list.driver)
        buf_addf(&text, ", driver %s", g->list.driver);
    g->words = buf_take(&text, NULL);
}

static void limit_shared(struct gpu *gpu, bool mps)
{
    unsigned mode = gpu->entry->mode;
    char name[64];

    gpu_short(gpu->entry->uuid, name, sizeof(name));
    if (mode == NVML_MODE_EXCLUSIVE_PROCESS ||
        mode == NVML_MODE_EXCLUSIVE_THREAD)
        set_cap(gpu, 1, xasprintf("the compute mode of %s is exclusive", name));
    else if (mps)
        set_cap(gpu, 1, xstrdup("a fault in an MPS client reaches the others"));
}

static void take_chosen(struct gpus *g)
{
    char *mps = mps_found(get_env(g, "CUDA_MPS_PIPE_DIRECTORY"));

    g->n = (int)g->list.n;
    g->at = xcalloc(g->list.n + 1, sizeof(*g->at));
    g->room = slots_of(g);
    for (int i = 0; i < g->n; i++) {
        struct gpu *gpu = &g->at[i];

        gpu->gpus = g;
        gpu->entry = &g->list.at[i];
        gpu->cap = slots_of(g);
        gpu->base = gpu->entry->used;
        health_init(&gpu->health, canary_is_built());
        health_ask(&gpu->health, now_ms(g));
    }
    if (mps && g->n > 0)
        note(g, xasprintf("MPS is in use (%s): a fault of one process reaches "
                          "all others on its GPU, also those of other users; "
                          "stop it if you can",
                          mps));
    for (int i = 0; i < g->n; i++)
        limit_shared(&g->at[i], mps != NULL);
    free(mps);
    if (g->n > 0)
        describe(g);
}

static void known(struct gpus *g, const char *error)
{
    g->known = true;
    if (g->n == 0 && g->watch)
        watch_stop(g->watch); /* nothing to watch */
    g->events->known(g->arg, error);
    set_timer(g);
}

static void take_gpus(struct gpus *g, const struct json *frame)
{
    const char *order = get_env(g, "CUDA_DEVICE_ORDER");
    struct gpu_list found;
    struct err err;
    int error;

    if (g->known)
        return; /* a helper that was started again */
    gpu_list_read(&found, frame);
    error = gpu_list_choose(
        &found, g->job->setup->gpus, get_env(g, "CUDA_VISIBLE_DEVICES"),
        order && strcmp(order, "PCI_BUS_ID") == 0, &g->list, &err);
    gpu_list_deinit(&found);
    if (!error)
        take_chosen(g);
    known(g, error ? err.text : NULL);
}

/* There is no list: fine, unless the user wants one. */
static void take_none(struct gpus *g, const char *why)
{
    const char *spec = g->job->setup->gpus;
    char *error;

    if (g->known)
        return;
    if (strcmp(spec, "all") == 0) {
        log_debug("gpus: %s", why);
        known(g, NULL);
        return;
    }
    error = xasprintf("--gpus %s: no GPU was found (%s)", spec, why);
    known(g, error);
    free(error);
}

static void gpus_on_frame(void *arg, const char *type, const struct json *frame)
{
    struct gpus *g = arg;

    if (g->stopping)
        return;
    if (strcmp(type, "gpus") == 0)
        take_gpus(g, frame);
    else if (strcmp(type, "none") == 0)
        take_none(g, json_get_str(frame, "why", "no NVML"));
    else if (strcmp(type, "beat") == 0)
        take_beat(g, frame);
    else if (strcmp(type, "xid") == 0)
        take_xid(g, frame);
    else if (strcmp(type, "bad") == 0)
        take_bad(g, frame);
}

static void gpus_on_gone(void *arg, const char *why, bool silent)
{
    struct gpus *g = arg;

    g->watch = NULL;
    if (g->watch_pid)
        sweep_unspare(g->job->sweep, g->watch_pid);
    g->watch_pid = 0;
    if (g->stopping) {
        g->events->left(g->arg);
        return;
    }
    if (!silent && (!g->known || g->n > 0) && g->restarts < RESTARTS_MAX) {
        g->restarts++;
        start_watch(g);
        return;
    }
    if (silent || g->n > 0 || !g->known)
        note(g, xasprintf("NVML %s: the health of the GPUs is not watched",
                          why ? why : "has ended"));
    take_none(g, "NVML does not answer");
}

/* ---- dealing out ---- */

int gpus_count(const struct gpus *g)
{
    return g->n;
}

const char *gpus_words(const struct gpus *g)
{
    return g->words;
}

int gpus_take(struct gpus *g, int place, bool answered)
{
    struct gpu *best = NULL;

    for (int i = 0; i < g->n; i++) {
        struct gpu *gpu = &g->at[i];

        if (!health_usable(&gpu->health) || gpu->busy >= gpu->cap ||
            (answered && !health_answered(&gpu->health)))
            continue;
        if (place >= 0 && i == place % g->n) {
            best = gpu;
            break;
        }
        if (!best || gpu->busy < best->busy)
            best = gpu;
    }
    if (!best)
        return -1;
    best->busy++;
    return (int)(best - g->at);
}

void gpus_give(struct gpus *g, int gpu)
{
    gpu_of(g, gpu)->busy--;
}

const char *gpus_visible(const struct gpus *g, int gpu)
{
    const struct gpu_entry *entry = gpu_of(g, gpu)->entry;

    return entry->visible ? entry->visible : entry->uuid;
}

const char *gpus_uuid(const struct gpus *g, int gpu)
{
    return gpu_of(g, gpu)->entry->uuid;
}

/* ---- the end ---- */

void gpus_stop(struct gpus *g)
{
    if (g->stopping)
        return;
    g->stopping = true;
    if (g->timer_open)
        uv_close((uv_handle_t *)&g->timer, gpus_on_close);
    if (g->watch)
        watch_stop(g->watch);
    for (int i = 0; i < g->n; i++)
        if (g->at[i].canary)
            child_kill(g->at[i].canary);
}

static void gpus_on_close(uv_handle_t *handle)
{
    struct gpus *g = container_of((uv_timer_t *)handle, struct gpus, timer);

    g->timer_open = false;
    g->events->left(g->arg);
}

/* A canary that does not die is not waited for. */
int gpus_left(const struct gpus *g)
{
    int n = g->timer_open + (g->watch != NULL);

    for (int i = 0; i < g->n; i++)
        n += g->at[i].canary && !g->at[i].canary_stuck;
    return n;
}

bool gpus_stuck(const struct gpus *g)
{
    for (int i = 0; i < g->n; i++)
        if (g->at[i].canary)
            return true;
    return false;
}

void gpus_free(struct gpus *g)
{
    if (!g)
        return;
    gpu_list_deinit(&g->list);
    free(g->at);
    free(g->words);
    free(g->mark);
    free(g);
}
