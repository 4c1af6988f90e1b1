/* One command. Up to four handles, one counter:
 *
 *   STARTING --started--> RUNNING --deadline, cancel--> STOPPING --grace--+
 *      |  (forks only)       |                             |              v
 *      |                     |                             |           KILLED
 *      +------- lost, syntax, exit ------------------------+--------------+
 *                     v
 *                  DRAINING --EOF twice or grace--> CLOSING --all closed-->
 * done
 *
 * A command that can't be spawned goes straight to CLOSING. Exit and the two
 * EOFs come in any order, so all end in child_settle(). A fork has no handle:
 * the last word of the fork server on it, which always comes, is its exit. */
#include "worker/child.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <uv.h>

#include "config/base.h"
#include "config/config.h"
#include "config/err.h"
#include "config/file.h"
#include "config/log.h"
#include "config/mem.h"
#include "worker/proc.h"
#include "worker/zygote.h"

#define UNKILLABLE 5 /* times the grace after SIGKILL: it will not die */

enum child_state {
    CHILD_STARTING,
    CHILD_RUNNING,
    CHILD_STOPPING,
    CHILD_KILLED,
    CHILD_DRAINING,
    CHILD_CLOSING
};

struct child {
    enum child_state state;
    uv_process_t process;
    uv_pipe_t out, err;
    uv_timer_t timer;
    int open;    /* handles adopted and not yet closed */
    int streams; /* not yet at their end */

    pid_t pid; /* 0: not started */
    ino_t inodes[2];
    bool kill_at_start;
    uint64_t timeout_ms, grace_ms, started_ms, killed_ms;
    char room[1 << 16];

    struct child_result result;
    const struct child_events *events;
    void *arg;
};

static void child_on_exit(uv_process_t *process, int64_t status, int signum);
static void child_on_alloc(uv_handle_t *handle, size_t hint, uv_buf_t *buf);
static void child_on_read(uv_stream_t *stream, ssize_t nread,
                          const uv_buf_t *buf);
static void child_on_timer(uv_timer_t *timer);
static void child_on_close(uv_handle_t *handle);
static void child_on_started(void *arg, pid_t pid, const char *loads);
static void child_on_ended(void *arg, const struct fork_end *end);
static void child_on_syntax(void *arg, const char *type, const char *message);
static void child_on_lost(void *arg, const char *why);

static const struct fork_events fork_events = {
    .started = child_on_started,
    .ended = child_on_ended,
    .syntax = child_on_syntax,
    .lost = child_on_lost,
};

/* From here on the child waits for this handle's close callback. */
static void adopt(struct child *child, uv_handle_t *handle)
{
    handle->data = child;
    child->open++;
}

static void close_once(uv_handle_t *handle)
{
    if (handle->data && !uv_is_closing(handle))
        uv_close(handle, child_on_close);
}

static void child_enter(struct child *child, enum child_state next)
{
    static const char *const names[] = { "starting", "running",  "stopping",
                                         "killed",   "draining", "closing" };

    log_debug("child %d: %s", (int)child->pid, names[next]);
    child->state = next;
}

static void child_close(struct child *child)
{
    child_enter(child, CHILD_CLOSING);
    close_once((uv_handle_t *)&child->process);
    close_once((uv_handle_t *)&child->out);
    close_once((uv_handle_t *)&child->err);
    close_once((uv_handle_t *)&child->timer);
}

/* The child leads its own process group, so this reaches its children too. */
static void child_signal(struct child *child, enum child_state next, int signum,
                         uint64_t wait_ms)
{
    child_enter(child, next);
    if (next == CHILD_KILLED)
        child->killed_ms = uv_now(child->timer.loop);
    kill(-child->pid, signum); /* ESRCH: the group is gone already */
    uv_timer_start(&child->timer, child_on_timer, wait_ms, 0);
}

static void child_settle(struct child *child)
{
    if (child->state == CHILD_DRAINING && child->streams == 0)
        child_close(child);
}

static void child_drain(struct child *child)
{
    if (child->started_ms)
        child->result.wall_ms = uv_now(child->timer.loop) - child->started_ms;
    if (child->killed_ms)
        child->result.kill_ms = uv_now(child->timer.loop) - child->killed_ms;
    child_enter(child, CHILD_DRAINING);
    uv_timer_start(&child->timer, child_on_timer, child->grace_ms, 0);
    if (child->pid && child->events->exited)
        child->events->exited(child->arg, child->result.fork.kept);
    child_settle(child);
}

static void child_run(struct child *child, pid_t pid)
{
    child->pid = pid;
    uv_update_time(child->timer.loop); /* forks of many took their time */
    child->started_ms = uv_now(child->timer.loop);
    child_enter(child, CHILD_RUNNING);
    uv_timer_start(&child->timer, child_on_timer, child->timeout_ms, 0);
    if (child->events->started)
        child->events->started(child->arg, pid, child->inodes[0],
                               child->inodes[1]);
    if (child->kill_at_start)
        child_kill(child);
}

static int child_spawn(struct child *child, const struct child_spec *spec,
                       const int ends[2])
{
    uv_stdio_container_t stdio[3] = {
        { .flags = UV_IGNORE },
        { .flags = UV_INHERIT_FD, .data.fd = ends[0] },
        { .flags = UV_INHERIT_FD, .data.fd = ends[1] },
    };
    uv_process_options_t options = {
        .exit_cb = child_on_exit,
        .file = spec->argv[0],
        .args = (char **)spec->argv, /* libuv only reads it */
        .env = spec->env ? spec->env->at : NULL,
        .cwd = spec->cwd,
        .flags = UV_PROCESS_DETACHED, /* setsid: a group of its own */
        .stdio = stdio,
        .stdio_count = ARRAY_LEN(stdio),
    };
    int error = uv_spawn(child->timer.loop, &child->process, &options);

    adopt(child, (uv_handle_t *)&child->process); /* live even after an error */
    close(ends[0]);
    close(ends[1]);
    return error;
}

static void child_fork(struct child *child, const struct child_spec *spec,
                       const int ends[2])
{
    struct fork_request request = {
        .id = spec->id,
        .path = spec->path,
        .cwd = spec->cwd,
        .env = spec->env,
        .trace = spec->trace,
        .values = spec->values,
        .loads = spec->loads,
        .compared = spec->compared,
        .bounds = spec->bounds,
        .learn = spec->learn,
        .warm = spec->warm,
        .hot = spec->hot,
        .out = ends[0],
        .err = ends[1],
    };

    zygote_fork(spec->zygote, &request, &fork_events, child);
}

/* Our end goes to `pipe`, the child's to *end. Not UV_CREATE_PIPE: that is a
 * socket, and a child can't open the /dev/stdout of a socket. */
static int open_pipe(uv_pipe_t *pipe, int *end, ino_t *inode)
{
    uv_file ends[2];
    struct stat st;
    int error = uv_pipe(ends, UV_NONBLOCK_PIPE, 0);

    if (error)
        return error;
    *inode = fstat(ends[0], &st) == 0 ? st.st_ino : 0;
    error = uv_pipe_open(pipe, ends[0]); /* ours: closed with pipe */
    *end = ends[1];
    return error;
}

static int child_open(struct child *child, int ends[2])
{
    int error = open_pipe(&child->out, &ends[0], &child->inodes[0]);

    if (!error) {
        error = open_pipe(&child->err, &ends[1], &child->inodes[1]);
        if (error)
            close(ends[0]);
    }
    return error;
}

static void child_fail(struct child *child, int error, const char *what)
{
    child->result.error = xasprintf("%s: %s", what, err_name(error));
    child_close(child);
}

struct child *child_start(struct uv_loop_s *loop, const struct child_spec *spec,
                          const struct child_events *events, void *arg)
{
    struct child *child = xcalloc(1, sizeof(*child));
    int ends[2];

    child->timeout_ms = spec->timeout_ms;
    child->grace_ms = spec->grace_ms;
    child->events = events;
    child->arg = arg;
    uv_timer_init(loop, &child->timer);
    adopt(child, (uv_handle_t *)&child->timer);
    uv_pipe_init(loop, &child->out, 0);
    adopt(child, (uv_handle_t *)&child->out);
    uv_pipe_init(loop, &child->err, 0);
    adopt(child, (uv_handle_t *)&child->err);

    int error = child_open(child, ends);

    if (error) {
        child_fail(child, error, "no pipe for its output");
        return child;
    }
    if (spec->argv) {
        error = child_spawn(child, spec, ends);
        if (error) {
            child_fail(child, error, spec->argv[0]);
            return child;
        }
    }
    child->streams = 2;
    uv_read_start((uv_stream_t *)&child->out, child_on_alloc, child_on_read);
    uv_read_start((uv_stream_t *)&child->err, child_on_alloc, child_on_read);
    if (spec->argv)
        child_run(child, child->process.pid);
    else
        child_fork(child, spec, ends);
    return child;
}

void child_cancel(struct child *child)
{
    if (child->state == CHILD_STARTING) {
        child_kill(child);
        return;
    }
    if (child->state != CHILD_RUNNING)
        return;
    child->result.canceled = true;
    child_signal(child, CHILD_STOPPING, SIGTERM, child->grace_ms);
}

void child_kill(struct child *child)
{
    switch (child->state) {
    case CHILD_STARTING: /* its pid is not known yet */
        child->kill_at_start = true;
        child->result.canceled = true;
        break;
    case CHILD_RUNNING:
        child->result.canceled = true;
        child_signal(child, CHILD_KILLED, SIGKILL,
                     UNKILLABLE * child->grace_ms);
        break;
    case CHILD_STOPPING:
        child_signal(child, CHILD_KILLED, SIGKILL,
                     UNKILLABLE * child->grace_ms);
        break;
    case CHILD_KILLED:
    case CHILD_DRAINING:
    case CHILD_CLOSING:
        break;
    }
}

/* What it hangs in is for people: the state and the kernel's place. */
static void child_stick(struct child *child)
{
    struct proc proc = { .state = '?' };
    char *path = xasprintf("/proc/%d/wchan", (int)child->pid);
    char *place = NULL, *why;
    size_t len = 0;

    proc_read(child->pid, &proc);
    if (file_read(path, 256, &place, &len, NULL))
        place = NULL;
    why = xasprintf("process %d does not die of SIGKILL (state %c, in %s)",
                    (int)child->pid, proc.state,
                    place && *place ? place : "an unknown place");
    log_warn("child %s", why);
    if (child->events->stuck)
        child->events->stuck(child->arg, why);
    free(why);
    free(place);
    free(path);
}

static void child_on_timer(uv_timer_t *timer)
{
    struct child *child = container_of(timer, struct child, timer);

    switch (child->state) {
    case CHILD_STARTING: /* the fork server has a deadline of its own */
        break;
    case CHILD_RUNNING:
        child->result.timed_out = true;
        if (child->events->overdue)
            child->events->overdue(child->arg);
        child_signal(child, CHILD_STOPPING, SIGTERM, child->grace_ms);
        break;
    case CHILD_STOPPING:
        child_signal(child, CHILD_KILLED, SIGKILL,
                     UNKILLABLE * child->grace_ms);
        break;
    case CHILD_KILLED: /* in D state: nothing helps but waiting */
        child_stick(child);
        break;
    case CHILD_DRAINING: /* someone outside the group holds a pipe */
        child->result.output_held = true;
        child_close(child);
        break;
    case CHILD_CLOSING:
        break;
    }
}

static void child_on_exit(uv_process_t *process, int64_t status, int signum)
{
    struct child *child = container_of(process, struct child, process);

    child->result.exit_code = (int)status;
    child->result.signal = signum;
    /* Sweep what the child left behind, then give its output a last chance.
     * The leader is reaped, so an empty group's id is free again: harmless
     * as long as ids are handed out in turn. */
    kill(-child->pid, SIGKILL);
    child_drain(child);
}

/* ---- a fork's events ---- */

static void child_on_started(void *arg, pid_t pid, const char *loads)
{
    struct child *child = arg;

    child->result.loads = xstrdup(loads);
    child_run(child, pid);
}

static void child_on_ended(void *arg, const struct fork_end *end)
{
    struct child *child = arg;

    child->result.exit_code = end->exit_code;
    child->result.signal = end->signal;
    child->result.cpu_ms = end->cpu_ms;
    child->result.peak_rss = end->peak_rss;
    child->result.fork = *end;
    child_drain(child);
}

static void child_on_syntax(void *arg, const char *type, const char *message)
{
    struct child *child = arg;

    child->result.syntax_type = xstrdup(type);
    child->result.syntax = xstrdup(message);
    child_drain(child);
}

static void child_on_lost(void *arg, const char *why)
{
    struct child *child = arg;

    child->result.error = xstrdup(why);
    if (child->pid) /* its death signal does the same, if it had time */
        kill(-child->pid, SIGKILL);
    child_drain(child);
}

/* ---- output ---- */

static void child_on_alloc(uv_handle_t *handle, size_t hint, uv_buf_t *buf)
{
    struct child *child = handle->data;
    (void)hint;

    *buf = uv_buf_init(child->room, sizeof(child->room));
}

static void child_on_read(uv_stream_t *stream, ssize_t nread,
                          const uv_buf_t *buf)
{
    struct child *child = stream->data;
    bool out = stream == (uv_stream_t *)&child->out;

    if (nread > 0)
        child->events->output(child->arg, out ? SCAN_OUT : SCAN_ERR, buf->base,
                              (size_t)nread);
    if (nread >= 0)
        return;
    child->streams--; /* UV_EOF, or an error that means the same to us */
    close_once((uv_handle_t *)stream);
    child_settle(child);
}

static void child_on_close(uv_handle_t *handle)
{
    struct child *child = handle->data;

    if (--child->open > 0)
        return;
    child->events->done(child->arg, &child->result);
    free(child->result.error);
    free(child->result.syntax);
    free(child->result.syntax_type);
    free(child->result.loads);
    free(child);
}
