/* One trial:
 *
 *   LAYING --laid--> RUNNING --child done--> SWEEPING --none left--> DROPPING
 *      |                                        (or patience ends)      |
 *      +--could not be laid, canceled-----------------------------------+
 *                                                                       v
 *                                             timer closed, folders gone: done
 *
 * LAYING and DROPPING are file work on the thread pool; it touches nothing but
 * `laid`, `error`, `cached`, `ran`, `values`, `compiled` of the observation and
 * paths that do not change meanwhile. The
 * timer serves two states: in RUNNING it is the watchdog over memory and
 * processes, in SWEEPING it looks again for what a run leaves behind.
 *
 * How a run ended is decided in one place, run_judge(), from what the child
 * reports and what we did to it; the strongest cause wins. */
#include "worker/run.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "config/base.h"
#include "config/buf.h"
#include "config/err.h"
#include "config/file.h"
#include "config/log.h"
#include "config/mem.h"
#include "worker/child.h"
#include "worker/env.h"
#include "worker/gpu/finding.h"
#include "worker/limits.h"
#include "worker/ran.h"
#include "worker/scan.h"
#include "worker/scratch.h"
#include "worker/sweep.h"
#include "worker/values.h"

#define WATCH_MS 250   /* between two looks of the watchdog */
#define SWEEP_MS 20    /* between two looks for strays */
#define SWEEPS_MAX 110 /* then they are left to the end of the worker */
#define COMMAND_MAX (128u << 10) /* a shell command with the path in it */

enum run_state { RUN_LAYING, RUN_RUNNING, RUN_SWEEPING, RUN_DROPPING };

struct run {
    enum run_state state;
    const struct run_job *job;
    struct run_request request;
    int slot;
    bool forked;

    uv_work_t work;
    uv_timer_t timer;
    struct child *child; /* while it lives */
    struct scan *scan;
    bool begun;      /* known to the sweep */
    pid_t pid, kept; /* kept: the hot child that lives on; 0: none */
    int sweeps;
    bool timer_open, folders_open;

    struct scratch_run laid;
    char *cache, *visible;
    unsigned cached; /* files in `cache` before it */
    int error;       /* of the laying */
    struct err err;
    char *ran, *values; /* read before the folders go */
    enum finding finding;
    char *found;

    char *stop; /* why we killed it, or NULL */
    bool over_limit;
    uint64_t peak_rss;
    unsigned looks;          /* of the watchdog */
    struct sweep_usage last; /* at the last one */
    uint64_t waits_before;   /* at the one before */
    bool busy;               /* at its deadline */

    struct observation observation;
    run_done_cb done;
    void *arg;
};

static void run_lay(uv_work_t *work);
static void run_on_laid(uv_work_t *work, int status);
static void run_on_started(void *arg, pid_t pid, ino_t out, ino_t err);
static void run_on_output(void *arg, enum scan_stream stream, const char *data,
                          size_t len);
static void run_on_overdue(void *arg);
static void run_on_stuck(void *arg, const char *why);
static void run_on_exited(void *arg, bool kept);
static void run_on_done(void *arg, const struct child_result *result);
static void run_on_timer(uv_timer_t *timer);
static void run_drop(uv_work_t *work);
static void run_on_dropped(uv_work_t *work, int status);
static void run_on_close(uv_handle_t *handle);

static const struct child_events child_events = {
    .started = run_on_started,
    .output = run_on_output,
    .overdue = run_on_overdue,
    .stuck = run_on_stuck,
    .exited = run_on_exited,
    .done = run_on_done,
};

static void run_enter(struct run *run, enum run_state next)
{
    static const char *const names[] = { "laying", "running", "sweeping",
                                         "dropping" };

    log_debug("run %" PRIu64 ": %s", run->request.id, names[next]);
    run->state = next;
}

/* ---- laying ---- */

/* The name of what runs, in tracebacks: a result has one of its own. */
static const char *script_of(const struct run *run)
{
    const char *path = run->request.path;
    const char *slash = path ? strrchr(path, '/') : NULL;

    if (path)
        return slash ? slash + 1 : path;
    return run->job->setup->script_name;
}

struct run *run_start(const struct run_job *job, struct run_request *request,
                      int slot, bool forked, run_done_cb done, void *arg)
{
    struct run *run = xcalloc(1, sizeof(*run));

    run->job = job;
    run_request_take(&run->request, request);
    run->slot = slot;
    run->forked = forked;
    run->done = done;
    run->arg = arg;
    run->observation.forked = forked;
    run->scan = scan_new(job->matcher, script_of(run), job->setup->output_max);
    uv_timer_init(job->loop, &run->timer);
    run->timer_open = run->folders_open = true;
    uv_queue_work(job->loop, &run->work, run_lay, run_on_laid);
    return run;
}

void run_set_gpu(struct run *run, const char *visible, const char *uuid)
{
    run->visible = xstrdup(visible);
    run->observation.gpu = xstrdup(uuid);
}

/* Which caches: those of its slot; of its lane, which are others, in a hot
 * child, for it keeps them. Beyond the row of slots is what stands in for one
 * whose run does not end. */
static int run_place(const struct run *run)
{
    int slots = run->job->setup->slots;

    if (run->request.how != RUN_HOT || !run->forked)
        return run->slot % slots;
    return 2 * slots + (int)run->request.lane;
}

/* On the thread pool. A fresh run has caches of its own, emptied each time:
 * it must not profit from what other runs have compiled. */
static void run_lay(uv_work_t *work)
{
    struct run *run = container_of(work, struct run, work);
    const struct job_setup *setup = run->job->setup;
    bool fresh = run->request.how == RUN_FRESH;
    int cache = run_place(run) + (fresh ? setup->slots : 0);

    run->error =
        scratch_cache(run->job->root, cache, fresh, &run->cache, &run->err);
    if (run->error)
        return;
    if (run->request.caches)
        run->cached = scratch_files(run->cache);
    run->error = scratch_lay(run->job->root, run->request.id, setup->script_dir,
                             setup->script_name, &setup->hide,
                             run->request.text, &run->laid, &run->err);
}

/* The run could not be carried out: no verdict. The first reason stays. */
static void run_lose(struct run *run, const char *why)
{
    if (run->observation.why)
        return;
    run->observation.end = END_LOST;
    run->observation.why = xstrdup(why);
}

static void run_remove(struct run *run)
{
    run_enter(run, RUN_DROPPING);
    uv_queue_work(run->job->loop, &run->work, run_drop, run_on_dropped);
    uv_close((uv_handle_t *)&run->timer, run_on_close);
}

/* ---- starting ---- */

static const char *run_file(const struct run *run)
{
    return run->request.path ? run->request.path : run->laid.file;
}

static const char *run_cwd(const struct run *run)
{
    if (run->request.cwd)
        return run->request.cwd;
    return run->job->setup->cwd ? run->job->setup->cwd : run->laid.dir;
}

/* The command with each {file} replaced by the path as one shell word. */
static char *fill_command(const char *command, const char *file)
{
    struct buf buf;
    const char *at;

    buf_init(&buf, COMMAND_MAX);
    for (; (at = strstr(command, "{file}")); command = at + 6) {
        buf_add(&buf, command, (size_t)(at - command));
        buf_addc(&buf, '\'');
        for (const char *c = file; *c; c++) {
            if (*c == '\'')
                buf_adds(&buf, "'\\''");
            else
                buf_addc(&buf, *c);
        }
        buf_addc(&buf, '\'');
    }
    buf_adds(&buf, command);
    return buf_take(&buf, NULL);
}

static void run_spawn(struct run *run, struct child_spec *spec)
{
    const struct job_setup *setup = run->job->setup;
    const char **argv =
        xcalloc(LIMITS_ARGS + FINDING_ARGS + setup->argv.n + 6, sizeof(*argv));
    struct limits_text text;
    char *command = NULL;
    size_t n = LIMITS_ARGS;

    limits_argv(argv, &text, run->job->self, setup->file_max, 0);
    if (setup->test) {
        command = xasprintf("%s \"$1\"", setup->test);
        argv[n++] = "/bin/sh";
        argv[n++] = "-c";
        argv[n++] = command;
        argv[n++] = "sh";
        argv[n++] = run_file(run);
    } else if (setup->command) {
        command = fill_command(setup->command, run_file(run));
        argv[n++] = "/bin/sh";
        argv[n++] = "-c";
        argv[n++] = command;
    } else {
        if (run->job->sanitizer) {
            finding_argv(argv + n, run->job->sanitizer, setup->sanitizer,
                         run->laid.ran);
            n += FINDING_ARGS;
        }
        argv[n++] = run->job->python;
        argv[n++] = run_file(run);
        for (size_t i = 0; i < setup->argv.n; i++)
            argv[n++] = setup->argv.at[i];
    }
    spec->argv = argv;
    run->child = child_start(run->job->loop, spec, &child_events, run);
    free(command);
    free(argv);
}

static bool is_traced(const struct run *run)
{
    return run->request.how == RUN_TRACE || run->request.how == RUN_OBSERVE;
}

static void run_begin(struct run *run)
{
    const struct run_job *job = run->job;
    struct strings own, env = { 0 };

    env_run(&own, job->setup,
            &(struct env_run){ .id = run->request.id,
                               .slot = run_place(run),
                               .gpu = run->visible,
                               .tmp = run->laid.tmp,
                               .cache = run->cache,
                               .aids = run->request.aids,
                               .fill = job->fill });

    struct child_spec spec = {
        .id = run->request.id,
        .path = run_file(run),
        .cwd = run_cwd(run),
        .env = &own,
        .timeout_ms = run->request.timeout_ms,
        .grace_ms = job->setup->grace_ms,
    };

    struct fork_lane lane = { run->request.lane, run->request.generation };

    run_enter(run, RUN_RUNNING);
    if (run->forked) {
        spec.zygote = job->zygote;
        if (run->request.how == RUN_WARM)
            spec.warm = job->setup->slots;
        if (run->request.how == RUN_HOT)
            spec.hot = &lane;
        if (is_traced(run))
            spec.trace = run->laid.ran;
        if (run->request.how == RUN_OBSERVE)
            spec.values = run->laid.values;
        spec.loads = run->request.loads;
        spec.compared = run->request.compared;
        spec.bounds = run->request.bounds;
        spec.learn = run->request.learn == LEARN_LAZY;
        run->child = child_start(job->loop, &spec, &child_events, run);
    } else {
        env_merge(&env, &job->base);
        env_merge(&env, &own);
        spec.env = &env;
        run_spawn(run, &spec);
    }
    env_free(&own);
    env_free(&env);
}

static void run_on_laid(uv_work_t *work, int status)
{
    struct run *run = container_of(work, struct run, work);
    (void)status;

    if (run->stop)
        run_lose(run, run->stop);
    else if (run->error)
        run_lose(run, run->err.text);
    else if (run->forked && !run->job->zygote)
        run_lose(run, "the fork server was lost");
    if (run->observation.why)
        run_remove(run);
    else
        run_begin(run);
}

/* ---- while it runs ---- */

static void run_on_started(void *arg, pid_t pid, ino_t out, ino_t err)
{
    struct run *run = arg;

    sweep_begin(run->job->sweep, run->request.id, pid, run->laid.dir, out, err);
    run->begun = true;
    run->pid = pid;
    uv_timer_start(&run->timer, run_on_timer, WATCH_MS, WATCH_MS);
}

static void run_on_output(void *arg, enum scan_stream stream, const char *data,
                          size_t len)
{
    struct run *run = arg;

    scan_feed(run->scan, stream, data, len);
}

static void run_stop(struct run *run, const char *why)
{
    if (!run->stop)
        run->stop = xstrdup(why);
}

/* Whether it works without a pause when its time is over: now and at the last
 * look, and without having waited since the one before. */
static void run_on_overdue(void *arg)
{
    struct run *run = arg;
    struct sweep_usage now = sweep_measure(run->job->sweep, run->request.id);

    run->busy = run->looks >= 2 && run->last.running && now.running &&
                now.waits == run->waits_before;
}

static void run_watch(struct run *run)
{
    const struct job_setup *setup = run->job->setup;
    struct sweep_usage usage = sweep_measure(run->job->sweep, run->request.id);
    char *why = NULL;

    if (usage.rss > run->peak_rss)
        run->peak_rss = usage.rss;
    run->waits_before = run->last.waits;
    run->last = usage;
    run->looks++;
    if (setup->memory_max && usage.rss > setup->memory_max)
        why = xasprintf("used more than %" PRIu64 " MiB of memory",
                        setup->memory_max >> 20);
    else if (setup->procs_max && usage.procs > setup->procs_max)
        why =
            xasprintf("had more than %" PRIu64 " processes", setup->procs_max);
    if (!why || run->stop || !run->child) {
        free(why);
        return;
    }
    run->over_limit = true;
    run_stop(run, why);
    free(why);
    child_kill(run->child);
}

void run_cancel(struct run *run)
{
    run_stop(run, "canceled");
    if (run->child)
        child_cancel(run->child);
}

void run_kill(struct run *run)
{
    run_stop(run, "canceled");
    if (run->child)
        child_kill(run->child);
}

/* ---- after it ---- */

static void run_on_stuck(void *arg, const char *why)
{
    struct run *run = arg;
    const struct run_watch *watch = run->job->watch;

    if (watch)
        watch->stuck(watch->arg, run->slot, why);
}

/* What got away holds the output open: end it now, and the output ends. A hot
 * child lives on, but nothing else of its run. */
static void run_on_exited(void *arg, bool kept)
{
    struct run *run = arg;

    if (kept && run->begun) {
        run->kept = run->pid;
        sweep_spare(run->job->sweep, run->kept);
    }
    if (run->begun)
        sweep_end(run->job->sweep, run->request.id);
}

static void run_limit(struct run *run, const char *why)
{
    run->observation.end = END_LIMIT;
    run->observation.why = xstrdup(why);
}

static void run_judge(struct run *run, const struct child_result *result)
{
    struct observation *o = &run->observation;

    if (run->over_limit) {
        run_limit(run, run->stop);
    } else if (run->stop) {
        run_lose(run, run->stop);
    } else if (result->error) {
        run_lose(run, result->error);
    } else if (result->syntax) {
        o->end = END_SYNTAX;
    } else if (result->timed_out) {
        o->end = END_TIMEOUT;
    } else if (result->signal == SIGXFSZ) {
        run_limit(run, "wrote a file that was too large");
    } else if (result->signal) {
        o->end = END_SIGNAL;
    } else {
        o->end = END_EXIT;
    }
    o->exit_code = result->exit_code;
    o->signal = result->signal;
}

static void run_on_done(void *arg, const struct child_result *result)
{
    struct run *run = arg;
    struct observation *o = &run->observation;

    run->child = NULL;
    if (result->kill_ms && run->job->watch)
        run->job->watch->slow(run->job->watch->arg, run->slot, result->kill_ms);
    scan_finish(run->scan, o);
    run_judge(run, result);
    if (o->end == END_SYNTAX) {
        free(o->exc_type);
        free(o->exc_message);
        o->exc_type = xstrdup(result->syntax_type);
        o->exc_message = xstrdup(result->syntax);
    }
    o->loads = xstrdup(result->loads);
    o->cuda = result->fork.cuda;
    o->warm = result->fork.warm;
    o->hot = result->fork.hot;
    o->turn = result->fork.turn;
    o->learned = result->fork.learned;
    o->shown = result->fork.shown;
    o->figures = result->fork.figures;
    o->reach = result->fork.reach;
    o->kept = result->fork.kept && o->end == END_EXIT;
    o->wall_ms = result->wall_ms;
    o->cpu_ms = result->cpu_ms;
    o->busy = run->busy;
    o->peak_rss =
        result->peak_rss > run->peak_rss ? result->peak_rss : run->peak_rss;
    uv_timer_stop(&run->timer);
    if (!run->begun) {
        run_remove(run);
        return;
    }
    run_enter(run, RUN_SWEEPING);
    uv_timer_start(&run->timer, run_on_timer, 0, SWEEP_MS);
}

static void run_sweep(struct run *run)
{
    size_t left = sweep_end(run->job->sweep, run->request.id);

    if (left > 0 && ++run->sweeps < SWEEPS_MAX)
        return;
    if (left > 0) {
        log_warn("run %" PRIu64 ": %zu processes do not end", run->request.id,
                 left);
        if (run->job->watch)
            run->job->watch->slow(run->job->watch->arg, run->slot,
                                  SWEEPS_MAX * SWEEP_MS);
    }
    sweep_forget(run->job->sweep, run->request.id);
    if (run->kept)
        sweep_unspare(run->job->sweep, run->kept);
    run_remove(run);
}

static void run_on_timer(uv_timer_t *timer)
{
    struct run *run = container_of(timer, struct run, timer);

    switch (run->state) {
    case RUN_RUNNING:
        run_watch(run);
        break;
    case RUN_SWEEPING:
        run_sweep(run);
        break;
    case RUN_LAYING:
    case RUN_DROPPING:
        break;
    }
}

/* A fork is a plain run. */
static bool run_is_sanitized(const struct run *run)
{
    return run->job->sanitizer && !run->forked;
}

/* On the thread pool. */
static void run_drop(uv_work_t *work)
{
    struct run *run = container_of(work, struct run, work);

    if (!run->laid.dir)
        return;
    if (run->request.caches)
        run->observation.compiled = scratch_files(run->cache) > run->cached;
    if (run->forked && is_traced(run))
        run->ran = ran_read(run->laid.ran);
    if (run->forked && run->request.how == RUN_OBSERVE)
        run->values = values_read(run->laid.values);
    if (run_is_sanitized(run) && run->observation.end == END_EXIT)
        run->finding = finding_read_file(run->laid.ran, &run->found);
    scratch_drop(&run->laid);
}

/* With a sanitizer its first error is the exception, and nothing else fails. */
static void run_take_finding(struct run *run)
{
    struct observation *o = &run->observation;

    if (!run_is_sanitized(run) || o->end != END_EXIT)
        return;
    free(o->exc_type);
    free(o->exc_message);
    free(o->exc_frames);
    o->exc_type = o->exc_message = o->exc_frames = NULL;
    o->exc_line = 0;
    o->exit_code = 0;
    if (run->finding == FINDING_NO_LOG) {
        run_lose(run, run->found);
    } else if (run->finding == FINDING_ERROR) {
        o->exit_code = FINDING_EXIT;
        o->exc_type =
            xasprintf("compute_sanitizer.%s", run->job->setup->sanitizer);
        o->exc_message = xstrdup(run->found);
    }
}

static void run_settle(struct run *run)
{
    if (run->timer_open || run->folders_open)
        return;
    run->done(run->arg, &run->observation);
    scan_free(run->scan);
    run_request_deinit(&run->request);
    free(run->cache);
    free(run->visible);
    free(run->found);
    free(run->stop);
    free(run);
}

static void run_on_dropped(uv_work_t *work, int status)
{
    struct run *run = container_of(work, struct run, work);
    (void)status;

    run->observation.ran = run->ran;
    run->observation.values = run->values;
    run_take_finding(run);
    run->folders_open = false;
    run_settle(run);
}

static void run_on_close(uv_handle_t *handle)
{
    struct run *run = container_of((uv_timer_t *)handle, struct run, timer);

    run->timer_open = false;
    run_settle(run);
}
