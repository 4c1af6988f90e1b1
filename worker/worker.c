/* The worker's main: frames in, slots, frames out.
 *
 *   WAITING --setup--> PREPARING --scratch, program--> PROBING --> SERVING
 *      |                  |                               |           |
 *      +------------------+--- EOF, SIGTERM, bad frame ---+-----------+
 *                                       v
 *            ENDING --all runs, servers, probe over--> REMOVING --> CLOSING
 *
 * PREPARING and REMOVING are file work on the thread pool. In ENDING everything
 * is killed at once; each object then reports its end as always, and
 * worker_settle() goes on when the last one has. A deadline covers what cannot
 * be killed.
 *
 * The fork server: `current` forks, `next` is importing. A worn server gets a
 * successor and retires when that is ready; a lost one likewise, but five times
 * in a row at most without a good run between. Whether the job can fork at all
 * is known when the first server is ready or gone; runs that want a fork wait
 * for that, new interpreters do not. */
#include "worker/worker.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <uv.h>

#include "config/base.h"
#include "config/buf.h"
#include "config/err.h"
#include "config/file.h"
#include "config/log.h"
#include "config/mem.h"
#include "worker/child.h"
#include "worker/env.h"
#include "worker/limits.h"
#include "worker/protocol.h"
#include "worker/run.h"
#include "worker/scratch.h"
#include "worker/sweep.h"
#include "worker/zygote.h"

#define SLOTS_MAX 256
#define QUEUE_MAX 4096        /* runs waiting for a slot */
#define PROBE_MS 60000        /* for an interpreter to say its version */
#define IMPORTS_MS 300000     /* of the fork server */
#define REPLY_MS 30000        /* of the fork server to a request */
#define SERVER_FAILURES_MAX 5 /* in a row */
#define ENDING_MS 10000       /* then what is left is left */
#define PROBE_SAID_MAX 4096
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

/* A fork server and whose it is. */
struct server {
    struct worker *worker;
    struct zygote *zygote;
    pid_t pid;
};

struct slot {
    struct worker *worker;
    struct run *run; /* NULL: free */
    uint64_t id;
};

struct waiting {
    struct waiting *next;
    struct run_request request;
};

struct worker {
    enum worker_state state;
    uv_loop_t loop;
    uv_pipe_t in, out;
    uv_signal_t term, hangup;
    uv_timer_t patience;
    uv_work_t work;
    bool working;
    int exit_code;

    struct buf line;
    size_t scanned; /* bytes of `line` known to hold no newline */
    char room[1 << 16];

    struct frame setup; /* owns the job's settings */
    bool have_setup, ready_sent, refused;
    struct run_job job;
    char *self, *python, *root, *server_cache;
    struct err err; /* of PREPARING */
    int error;

    struct child *probe;
    struct buf probe_said;
    char *version;

    bool forks_known, forks;
    char *no_fork_reason;
    struct server *current, *next;
    int servers; /* that are not gone yet */
    int failures;

    struct slot *slots;
    int nslots, busy;
    struct waiting *waiting;
    size_t nwaiting;
};

static void worker_on_alloc(uv_handle_t *handle, size_t hint, uv_buf_t *buf);
static void worker_on_read(uv_stream_t *stream, ssize_t nread,
                           const uv_buf_t *buf);
static void worker_on_written(uv_write_t *write, int status);
static void worker_on_signal(uv_signal_t *handle, int signum);
static void worker_on_patience(uv_timer_t *timer);
static void worker_prepare(uv_work_t *work);
static void worker_on_prepared(uv_work_t *work, int status);
static void worker_on_probe_output(void *arg, enum scan_stream stream,
                                   const char *data, size_t len);
static void worker_on_probed(void *arg, const struct child_result *result);
static void server_on_ready(void *arg, const char *skipped);
static void server_on_worn(void *arg);
static void server_on_gone(void *arg, const char *why, bool unfit);
static void slot_on_done(void *arg, struct observation *observation);
static void worker_remove(uv_work_t *work);
static void worker_on_removed(uv_work_t *work, int status);
static void worker_pull(struct worker *w);
static void worker_settle(struct worker *w);

static const struct zygote_events server_events = {
    .ready = server_on_ready,
    .worn = server_on_worn,
    .gone = server_on_gone,
};

static void worker_enter(struct worker *w, enum worker_state next)
{
    static const char *const names[] = { "waiting", "preparing", "probing",
                                         "serving", "ending",    "removing",
                                         "closing" };

    log_debug("worker: %s", names[next]);
    w->state = next;
}

/* ---- frames out ---- */

struct outgoing {
    uv_write_t write;
    char *data;
};

static void worker_end(struct worker *w, int exit_code);

static void worker_send(struct worker *w, const struct frame *frame)
{
    struct outgoing *o;
    struct buf buf;
    uv_buf_t bytes;
    size_t len;

    if (uv_is_closing((uv_handle_t *)&w->out))
        return;
    buf_init(&buf, FRAME_MAX_BYTES);
    if (frame_encode(frame, &buf) != 0) {
        log_error("worker: a frame is too large to be sent");
        buf_deinit(&buf);
        return;
    }
    o = xcalloc(1, sizeof(*o));
    o->data = buf_take(&buf, &len);
    bytes = uv_buf_init(o->data, (unsigned)len);
    if (uv_write(&o->write, (uv_stream_t *)&w->out, &bytes, 1,
                 worker_on_written) != 0) {
        free(o->data);
        free(o);
        worker_end(w, 0);
    }
}

static void worker_on_written(uv_write_t *write, int status)
{
    struct outgoing *o = container_of(write, struct outgoing, write);
    struct worker *w = write->handle->data;

    free(o->data);
    free(o);
    if (status < 0 && status != UV_ECANCELED)
        worker_end(w, 0); /* nobody listens any more */
}

static void worker_note(struct worker *w, char *text)
{
    struct frame frame = { .type = FRAME_NOTE, .u.note = text };

    worker_send(w, &frame);
}

static void worker_lose(struct worker *w, uint64_t id, const char *why)
{
    struct frame frame = { .type = FRAME_RESULT, .id = id };

    frame.u.result.end = END_LOST;
    frame.u.result.why = xstrdup(why);
    worker_send(w, &frame);
    free(frame.u.result.why);
}

static void worker_hello(struct worker *w)
{
    char host[UV_MAXHOSTNAMESIZE] = "";
    size_t size = sizeof(host);
    struct frame frame = { .type = FRAME_HELLO };

    uv_os_gethostname(host, &size);
    frame.u.hello.version = PROTOCOL_VERSION;
    frame.u.hello.pid = getpid();
    frame.u.hello.host = host;
    worker_send(w, &frame);
}

static void free_waiting(struct waiting *waiting)
{
    free((char *)waiting->request.text.data); /* owned: it was decoded */
    free(waiting->request.path);
    free(waiting->request.cwd);
    free(waiting);
}

/* `why`: what their results say, or NULL for none. */
static void drop_waiting(struct worker *w, const char *why)
{
    while (w->waiting) {
        struct waiting *first = w->waiting;

        w->waiting = first->next;
        w->nwaiting--;
        if (why)
            worker_lose(w, first->request.id, why);
        free_waiting(first);
    }
}

/* `error`: NULL, or why the job can't run; `usage`: the user's words are at
 * fault. Once. */
static void worker_answer(struct worker *w, char *error, bool usage)
{
    struct frame frame = { .type = FRAME_READY };

    if (w->ready_sent)
        return;
    w->ready_sent = true;
    w->refused = error != NULL;
    if (error)
        drop_waiting(w, error);
    frame.u.ready.ok = !error;
    frame.u.ready.error = error;
    frame.u.ready.usage = usage;
    frame.u.ready.python = w->python;
    frame.u.ready.python_version = w->version;
    frame.u.ready.forks = w->forks;
    frame.u.ready.no_fork_reason = w->no_fork_reason;
    worker_send(w, &frame);
}

static void worker_ready(struct worker *w, char *error)
{
    worker_answer(w, error, false);
}

static void worker_fork_answer(struct worker *w, bool forks, const char *reason)
{
    free(w->no_fork_reason);
    w->no_fork_reason = xstrdup(reason);
    w->forks = forks;
    w->forks_known = true;
    worker_ready(w, NULL);
}

/* ---- setting up ---- */

static bool is_program(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
           access(path, X_OK) == 0;
}

static char *make_absolute(const char *path)
{
    char cwd[4096];

    if (*path == '/' || !getcwd(cwd, sizeof(cwd)))
        return xstrdup(path);
    return file_join(cwd, path);
}

int worker_find_python(const char *name, const char *path, char **found,
                       struct err *err)
{
    if (strchr(name, '/')) {
        if (is_program(name)) {
            *found = make_absolute(name);
            return 0;
        }
        return err_set(err, -ENOENT,
                       "no interpreter %s: give one with --python", name);
    }
    for (const char *p = path; p && *p && *name;) {
        size_t len = strcspn(p, ":");
        char *dir = len ? xmemdup(p, len) : xstrdup(".");
        char *file = file_join(dir, name);
        bool here = is_program(file);

        if (here)
            *found = make_absolute(file);
        free(dir);
        free(file);
        if (here)
            return 0;
        p += len + (p[len] == ':');
    }
    return err_set(err, -ENOENT,
                   "no interpreter %s in PATH: give one with --python", name);
}

static const struct job_setup *settings(const struct worker *w)
{
    return &w->setup.u.setup;
}

/* Whether runs are a plain `python FILE`. */
static bool runs_python(const struct worker *w)
{
    return !settings(w)->command && !settings(w)->test;
}

/* On the thread pool, before anything else of the job lives. */
static void worker_prepare(uv_work_t *work)
{
    struct worker *w = container_of(work, struct worker, work);
    const struct job_setup *setup = settings(w);

    sweep_job(w->job.sweep); /* of a predecessor that was killed */
    scratch_clean(setup->mark);
    w->error = scratch_open(setup->mark, &w->root, &w->err);
    if (!w->error)
        w->error = scratch_cache(w->root, 2 * setup->slots, 1, &w->server_cache,
                                 &w->err);
    if (!w->error)
        w->error = zygote_install(w->root, setup, &w->err);
    if (!w->error && runs_python(w))
        w->error = worker_find_python(
            setup->python, env_get(&w->job.base, "PATH"), &w->python, &w->err);
}

static void worker_setup(struct worker *w)
{
    const struct job_setup *setup = settings(w);
    struct matcher *matcher;

    if (setup->slots < 1 || setup->slots > SLOTS_MAX) {
        worker_ready(w, (char[]){ "slots must be from 1 to 256" });
        return;
    }
    matcher = matcher_new(setup->patterns, setup->npatterns, &w->err);
    if (!matcher) {
        worker_answer(w, w->err.text, true);
        return;
    }
    w->job.matcher = matcher;
    w->job.setup = setup;
    w->job.sweep = sweep_new(setup->mark);
    env_base(&w->job.base, setup);
    w->nslots = setup->slots;
    w->slots = xcalloc((size_t)w->nslots, sizeof(*w->slots));
    for (int i = 0; i < w->nslots; i++)
        w->slots[i].worker = w;
    worker_enter(w, WORKER_PREPARING);
    w->working = true;
    uv_queue_work(&w->loop, &w->work, worker_prepare, worker_on_prepared);
}

static void worker_probe(struct worker *w)
{
    static const struct child_events events = {
        .output = worker_on_probe_output,
        .done = worker_on_probed,
    };
    const char *argv[LIMITS_ARGS + 4];
    struct limits_text text;

    limits_argv(argv, &text, w->self, 0, 0);
    argv[LIMITS_ARGS] = w->python;
    argv[LIMITS_ARGS + 1] = "-c";
    argv[LIMITS_ARGS + 2] = "import sys; print('%d.%d.%d' % "
                            "tuple(sys.version_info[:3]))";
    argv[LIMITS_ARGS + 3] = NULL;

    struct child_spec spec = {
        .argv = argv,
        .env = &w->job.base,
        .cwd = w->root,
        .timeout_ms = PROBE_MS,
        .grace_ms = settings(w)->grace_ms,
    };

    worker_enter(w, WORKER_PROBING);
    w->probe = child_start(&w->loop, &spec, &events, w);
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
    w->job.self = w->self;
    w->job.python = w->python;
    w->job.root = w->root;
    if (w->error) {
        worker_ready(w, w->err.text);
    } else if (runs_python(w)) {
        worker_probe(w);
    } else {
        worker_enter(w, WORKER_SERVING);
        worker_fork_answer(w, false, "runs of a shell command are not forked");
        worker_pull(w);
    }
}

static void worker_on_probe_output(void *arg, enum scan_stream stream,
                                   const char *data, size_t len)
{
    struct worker *w = arg;
    size_t room = PROBE_SAID_MAX - w->probe_said.len;
    (void)stream;

    buf_add(&w->probe_said, data, len < room ? len : room);
}

static void server_start(struct worker *w)
{
    struct server *server = xcalloc(1, sizeof(*server));
    struct strings own, env = { 0 };

    env_fork_server(&own, settings(w), w->root, w->server_cache);
    env_merge(&env, &w->job.base);
    env_merge(&env, &own);

    struct zygote_spec spec = {
        .self = w->self,
        .python = w->python,
        .folder = w->root,
        .env = &env,
        .file_max = settings(w)->file_max,
        .start_ms = IMPORTS_MS,
        .reply_ms = REPLY_MS,
    };

    server->worker = w;
    w->next = server;
    w->servers++;
    server->zygote = zygote_start(&w->loop, &spec, &server_events, server);
    server->pid = zygote_pid(server->zygote);
    if (server->pid > 0)
        sweep_spare(w->job.sweep, server->pid);
    env_free(&own);
    env_free(&env);
}

static void worker_choose_forks(struct worker *w)
{
    int major = 0, minor = 0;

    if (settings(w)->backend == BACKEND_SUBPROC) {
        worker_fork_answer(w, false, "--backend subproc asks for it");
    } else if (sscanf(w->version, "%d.%d", &major, &minor) == 2 &&
               (major < 3 || (major == 3 && minor < 9))) {
        char *why = xasprintf("the fork server needs Python 3.9 or later, "
                              "and this is %s",
                              w->version);

        worker_fork_answer(w, false, why);
        free(why);
    } else {
        server_start(w);
    }
}

static void worker_refuse_python(struct worker *w,
                                 const struct child_result *result)
{
    char said[512], ending[64];
    struct bytes tail = buf_bytes(&w->probe_said);

    if (tail.len > 200) {
        tail.data += tail.len - 200;
        tail.len = 200;
    }
    log_safe(said, sizeof(said), tail.data, tail.len);
    if (result->timed_out)
        snprintf(ending, sizeof(ending), "no answer");
    else if (result->signal)
        snprintf(ending, sizeof(ending), "signal %d", result->signal);
    else
        snprintf(ending, sizeof(ending), "exit code %d", result->exit_code);
    err_set(&w->err, -EINVAL,
            "%s is no Python interpreter that works (%s: %s): give one with "
            "--python",
            w->python, ending, result->error ? result->error : said);
    worker_ready(w, w->err.text);
}

static void worker_on_probed(void *arg, const struct child_result *result)
{
    struct worker *w = arg;
    const char *said = buf_str(&w->probe_said);
    size_t len = strspn(said, "0123456789.");

    w->probe = NULL;
    if (w->state == WORKER_ENDING) {
        worker_settle(w);
        return;
    }
    worker_enter(w, WORKER_SERVING);
    if (result->error || result->exit_code || result->signal || len < 3 ||
        said[len] != '\n') {
        worker_refuse_python(w, result);
        return;
    }
    w->version = xmemdup(said, len);
    worker_choose_forks(w);
    worker_pull(w);
}

/* ---- fork servers ---- */

static void server_on_ready(void *arg, const char *skipped)
{
    struct server *server = arg;
    struct worker *w = server->worker;
    struct server *old = w->current;

    w->current = server;
    w->next = NULL;
    w->job.zygote = server->zygote;
    if (old)
        zygote_retire(old->zygote);
    if (skipped && !w->ready_sent) {
        char *note = xasprintf("the fork server goes without %s", skipped);

        worker_note(w, note);
        free(note);
    }
    worker_fork_answer(w, true, NULL);
    worker_pull(w);
}

static void server_on_worn(void *arg)
{
    struct server *server = arg;
    struct worker *w = server->worker;

    if (server == w->current && !w->next && w->state == WORKER_SERVING)
        server_start(w);
}

/* The last server went: a successor, or no forks from now on. */
static void server_replace(struct worker *w, const char *why, bool unfit)
{
    char *note;

    if (!w->forks_known) {
        worker_fork_answer(w, false, why);
    } else if (!unfit && ++w->failures <= SERVER_FAILURES_MAX) {
        log_warn("worker: %s; starting it again", why);
        server_start(w);
        return;
    } else {
        worker_fork_answer(w, false, why);
        note = xasprintf("%s; runs use new interpreters from now on", why);
        worker_note(w, note);
        free(note);
    }
    worker_pull(w);
}

static void server_on_gone(void *arg, const char *why, bool unfit)
{
    struct server *server = arg;
    struct worker *w = server->worker;
    bool needed = server == w->current || server == w->next;

    if (server->pid > 0)
        sweep_unspare(w->job.sweep, server->pid);
    if (server == w->current) {
        w->current = NULL;
        w->job.zygote = NULL;
    }
    if (server == w->next)
        w->next = NULL;
    free(server);
    w->servers--;
    if (w->state == WORKER_SERVING && needed && !w->current && !w->next)
        server_replace(w, why, unfit);
    worker_settle(w);
}

/* ---- runs ---- */

/* Whether a run could start now, were a slot free. */
static bool may_start(const struct worker *w, const struct run_request *request)
{
    if (request->how == RUN_FRESH || !runs_python(w))
        return true;
    return w->forks_known && (!w->forks || w->current);
}

static struct slot *free_slot(struct worker *w)
{
    for (int i = 0; i < w->nslots; i++)
        if (!w->slots[i].run)
            return &w->slots[i];
    return NULL;
}

static void worker_pull(struct worker *w)
{
    struct waiting **link = &w->waiting;

    while (w->state == WORKER_SERVING && *link) {
        struct waiting *first = *link;
        struct slot *slot = free_slot(w);

        if (!slot)
            break;
        if (!may_start(w, &first->request)) {
            link = &first->next;
            continue;
        }
        slot->id = first->request.id;
        slot->run = run_start(&w->job, &first->request, (int)(slot - w->slots),
                              first->request.how != RUN_FRESH && w->forks,
                              slot_on_done, slot);
        w->busy++;
        *link = first->next;
        w->nwaiting--;
        free(first);
    }
}

static void slot_on_done(void *arg, struct observation *observation)
{
    struct slot *slot = arg;
    struct worker *w = slot->worker;
    struct frame frame = { .type = FRAME_RESULT, .id = slot->id };

    if (observation->forked && observation->end != END_LOST)
        w->failures = 0;
    slot->run = NULL;
    w->busy--;
    frame.u.result = *observation;
    if (w->state == WORKER_SERVING)
        worker_send(w, &frame);
    observation_deinit(observation);
    worker_pull(w);
    worker_settle(w);
}

static void worker_take_run(struct worker *w, struct run_request *request)
{
    struct waiting **link = &w->waiting, *waiting;

    if (w->nwaiting >= QUEUE_MAX || !w->have_setup || w->refused) {
        worker_lose(w, request->id,
                    w->nwaiting >= QUEUE_MAX ? "too many runs are waiting"
                                             : "the worker is not ready");
        return;
    }
    waiting = xcalloc(1, sizeof(*waiting));
    waiting->request = *request;
    *request = (struct run_request){ .id = request->id };
    while (*link)
        link = &(*link)->next;
    *link = waiting;
    w->nwaiting++;
    worker_pull(w);
}

static void worker_cancel(struct worker *w, uint64_t id)
{
    struct waiting **link = &w->waiting;

    for (int i = 0; i < w->nslots; i++)
        if (w->slots[i].run && w->slots[i].id == id)
            run_cancel(w->slots[i].run);
    while (*link && (*link)->request.id != id)
        link = &(*link)->next;
    if (*link) {
        struct waiting *found = *link;

        *link = found->next;
        w->nwaiting--;
        free_waiting(found);
        worker_lose(w, id, "canceled");
    }
}

/* ---- frames in ---- */

static void worker_bad_frame(struct worker *w, const char *what)
{
    char *note = xasprintf("the worker ends: %s", what);

    log_error("worker: %s", what);
    worker_note(w, note);
    free(note);
    worker_end(w, WORKER_FAILED);
}

static void worker_on_frame(struct worker *w, struct frame *frame)
{
    struct frame pong = { .type = FRAME_PONG, .id = frame->id };

    switch (frame->type) {
    case FRAME_SETUP:
        if (w->have_setup) {
            worker_bad_frame(w, "a second setup");
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
        worker_cancel(w, frame->id);
        break;
    case FRAME_PING:
        worker_send(w, &pong);
        break;
    case FRAME_HELLO:
    case FRAME_READY:
    case FRAME_RESULT:
    case FRAME_PONG:
    case FRAME_NOTE:
        worker_bad_frame(w, "a frame that only a worker sends");
        break;
    }
}

static void worker_on_line(struct worker *w, const char *line, size_t len)
{
    struct frame frame;
    struct err err;

    if (frame_decode(line, len, &frame, &err) != 0) {
        worker_bad_frame(w, err.text);
        return;
    }
    worker_on_frame(w, &frame);
    frame_deinit(&frame);
}

static void worker_on_alloc(uv_handle_t *handle, size_t hint, uv_buf_t *buf)
{
    struct worker *w = handle->data;
    (void)hint;

    *buf = uv_buf_init(w->room, sizeof(w->room));
}

static bool worker_accepts(const struct worker *w)
{
    return w->state < WORKER_ENDING;
}

static void worker_on_read(uv_stream_t *stream, ssize_t nread,
                           const uv_buf_t *buf)
{
    struct worker *w = container_of((uv_pipe_t *)stream, struct worker, in);
    size_t done = 0;
    const char *newline;

    if (nread < 0) {
        worker_end(w, 0);
        return;
    }
    if (buf_add(&w->line, buf->base, (size_t)nread) != 0) {
        worker_bad_frame(w, "a frame is too long");
        return;
    }
    while (worker_accepts(w) && w->scanned < w->line.len &&
           (newline = memchr(w->line.data + w->scanned, '\n',
                             w->line.len - w->scanned))) {
        size_t end = (size_t)(newline - w->line.data) + 1;

        worker_on_line(w, w->line.data + done, end - done);
        done = w->scanned = end;
    }
    buf_drop(&w->line, done);
    w->scanned = w->line.len;
}

/* ---- the end ---- */

static void worker_end(struct worker *w, int exit_code)
{
    if (!worker_accepts(w))
        return;
    worker_enter(w, WORKER_ENDING);
    w->exit_code = exit_code;
    uv_read_stop((uv_stream_t *)&w->in);
    uv_timer_start(&w->patience, worker_on_patience, ENDING_MS, 0);
    drop_waiting(w, NULL);
    if (w->probe)
        child_kill(w->probe);
    for (int i = 0; i < w->nslots; i++)
        if (w->slots[i].run)
            run_kill(w->slots[i].run);
    if (w->current)
        zygote_stop(w->current->zygote);
    if (w->next)
        zygote_stop(w->next->zygote);
    worker_settle(w);
}

static void worker_on_signal(uv_signal_t *handle, int signum)
{
    struct worker *w = handle->data;

    log_info("worker: ends by signal %d", signum);
    worker_end(w, 0);
}

/* Something can't be killed. What can be tidied is. */
static void worker_on_patience(uv_timer_t *timer)
{
    struct worker *w = container_of(timer, struct worker, patience);

    log_error("worker: %d runs and %d fork servers do not end", w->busy,
              w->servers);
    w->exit_code = WORKER_FAILED;
    uv_stop(&w->loop);
}

static void worker_remove(uv_work_t *work)
{
    struct worker *w = container_of(work, struct worker, work);

    if (w->job.sweep)
        sweep_job(w->job.sweep);
    if (w->root)
        scratch_close(w->root);
}

static void worker_settle(struct worker *w)
{
    if (w->state != WORKER_ENDING || w->working || w->probe || w->busy ||
        w->servers)
        return;
    worker_enter(w, WORKER_REMOVING);
    w->working = true;
    uv_queue_work(&w->loop, &w->work, worker_remove, worker_on_removed);
}

static void worker_close(struct worker *w)
{
    worker_enter(w, WORKER_CLOSING);
    uv_close((uv_handle_t *)&w->in, NULL);
    uv_close((uv_handle_t *)&w->out, NULL);
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
}

/* ---- main ---- */

static int worker_open_stdio(struct worker *w)
{
    int error;

    /* Others can't be polled, and libuv aborts when it finds out. */
    if (uv_guess_handle(0) != UV_NAMED_PIPE ||
        uv_guess_handle(1) != UV_NAMED_PIPE)
        return -EINVAL;
    error = uv_pipe_open(&w->in, 0);
    return error ? error : uv_pipe_open(&w->out, 1);
}

/* On an error worker_close() is due. */
static int worker_open(struct worker *w)
{
    char path[4096];
    size_t size = sizeof(path);
    int error;

    w->job.loop = &w->loop;
    uv_pipe_init(&w->loop, &w->in, 0);
    uv_pipe_init(&w->loop, &w->out, 0);
    uv_timer_init(&w->loop, &w->patience);
    uv_signal_init(&w->loop, &w->term);
    uv_signal_init(&w->loop, &w->hangup);
    w->in.data = w->out.data = w->term.data = w->hangup.data = w;
    error = uv_exepath(path, &size);
    if (!error)
        w->self = xmemdup(path, size);
    if (!error)
        error = worker_open_stdio(w);
    if (!error)
        error = uv_signal_start(&w->term, worker_on_signal, SIGTERM);
    if (!error)
        error = uv_signal_start(&w->hangup, worker_on_signal, SIGHUP);
    return error;
}

static void worker_deinit(struct worker *w)
{
    buf_deinit(&w->line);
    buf_deinit(&w->probe_said);
    if (w->have_setup)
        frame_deinit(&w->setup);
    sweep_free(w->job.sweep);
    matcher_free((struct matcher *)w->job.matcher); /* made by us */
    env_free(&w->job.base);
    free(w->self);
    free(w->python);
    free(w->root);
    free(w->server_cache);
    free(w->version);
    free(w->no_fork_reason);
    free(w->slots);
}

int worker_main(void)
{
    struct worker *w = xcalloc(1, sizeof(*w));
    int error, exit_code;

    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN); /* a terminal's Ctrl-C is the minimizer's */
    buf_init(&w->line, FRAME_MAX_BYTES);
    buf_init(&w->probe_said, PROBE_SAID_MAX);
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
        worker_hello(w);
        uv_read_start((uv_stream_t *)&w->in, worker_on_alloc, worker_on_read);
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
