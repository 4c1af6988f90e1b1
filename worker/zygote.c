/* One fork server: a process, a socket, a timer, and the forks it owes us.
 *
 *   STARTING --ready--> SERVING --retire, forks over--> STOPPING
 *      |                   |                               |
 *      +--deadline, stop---+--deadline, stop, bad message--+--grace--> KILLED
 *      |                   |                               |             |
 *      +-------------------+------------ exit -------------+-------------+
 *                                         v
 *                                      CLOSING --all closed--> gone
 *
 * Stopping is closing the socket: the zygote then kills its children and ends.
 * Its exit and the end of the socket come in either order; the last messages
 * may be read after the exit. Packets keep a request and its descriptors
 * together, which a stream would not.
 *
 * Deadlines: the imports; and from a request to the first word of its child,
 * for a fork may inherit a lock that nobody will open. Then the whole server
 * goes, and its runs are lost, not judged. */
#include "worker/zygote.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <uv.h>

#include "config/base.h"
#include "config/buf.h"
#include "config/file.h"
#include "config/log.h"
#include "config/mem.h"
#include "worker/arrival_py.h"
#include "worker/bounds_py.h"
#include "worker/compared_py.h"
#include "worker/forks.h"
#include "worker/hot_py.h" /* made by the Makefile from hot.py */
#include "worker/lazy_py.h"
#include "worker/limits.h"
#include "worker/observed_py.h"
#include "worker/packet.h"
#include "worker/tail.h"
#include "worker/zygote_py.h" /* and from zygote.py */

#define STOP_MS 2000 /* from closing the socket to SIGKILL */
#define READ_MAX 2048
#define UNLINKS_MAX 8 /* of a file that is written again meanwhile */

enum zygote_state {
    ZYGOTE_STARTING,
    ZYGOTE_SERVING,
    ZYGOTE_STOPPING,
    ZYGOTE_KILLED,
    ZYGOTE_CLOSING
};

struct zygote {
    enum zygote_state state;
    uv_process_t process;
    uv_poll_t poll;
    uv_pipe_t said; /* stdout and stderr of the server itself */
    uv_timer_t timer;
    int socket;
    int open; /* handles adopted and not yet closed */
    bool exited, served, retiring, unfit;

    uint64_t reply_ms;
    struct forks forks;
    char *why;        /* first reason of its end; NULL: none yet */
    struct tail tail; /* of what it says: why a start failed stands last */
    char room[READ_MAX];

    const struct zygote_events *events;
    void *arg;
};

static void zygote_on_exit(uv_process_t *process, int64_t status, int signum);
static void zygote_on_poll(uv_poll_t *poll, int status, int events);
static void zygote_on_alloc(uv_handle_t *handle, size_t hint, uv_buf_t *buf);
static void zygote_on_said(uv_stream_t *stream, ssize_t nread,
                           const uv_buf_t *buf);
static void zygote_on_timer(uv_timer_t *timer);
static void zygote_on_close(uv_handle_t *handle);
static void zygote_settle(struct zygote *z);

/* ---- installing ---- */

/* The program, and what it loads when a run asks for it. */
static const struct part {
    const char *name;
    const unsigned char *text;
    size_t len; /* bytes */
} parts[] = {
    { "zygote.py", zygote_py, sizeof(zygote_py) },
    { "hot.py", hot_py, sizeof(hot_py) },
    { "lazy.py", lazy_py, sizeof(lazy_py) },
    { "observed.py", observed_py, sizeof(observed_py) },
    { "compared.py", compared_py, sizeof(compared_py) },
    { "arrival.py", arrival_py, sizeof(arrival_py) },
    { "bounds.py", bounds_py, sizeof(bounds_py) },
};

/* Write a file into the folder. 0 or -errno. */
static int put(const char *folder, const char *name, const void *data,
               size_t len, struct err *err)
{
    char *path = file_join(folder, name);
    int error = file_replace(path, data, len, 0600, err);

    free(path);
    return error;
}

int zygote_install(const char *folder, const struct job_setup *setup,
                   struct err *err)
{
    struct buf buf;
    int error;

    buf_init(&buf, FRAME_MAX_BYTES);
    error = packet_settings(setup, &buf);
    if (error)
        err_set(err, error, "the script's arguments are too long");
    if (!error)
        error = put(folder, "zygote.json", buf.data, buf.len, err);
    for (size_t i = 0; i < ARRAY_LEN(parts) && !error; i++)
        error = put(folder, parts[i].name, parts[i].text, parts[i].len, err);
    buf_deinit(&buf);
    return error;
}

void zygote_unlearn(const char *folder)
{
    char *learned = file_join(folder, "learned.json");

    /* A folder in its place: a server that is starting may have read the list,
     * and would write it again. */
    for (int i = 0; i < UNLINKS_MAX && mkdir(learned, 0700); i++)
        unlink(learned);
    free(learned);
}

/* ---- life ---- */

static void adopt(struct zygote *z, uv_handle_t *handle)
{
    handle->data = z;
    z->open++;
}

static void close_once(uv_handle_t *handle)
{
    if (handle->data && !uv_is_closing(handle))
        uv_close(handle, zygote_on_close);
}

static void zygote_enter(struct zygote *z, enum zygote_state next)
{
    static const char *const names[] = { "starting", "serving", "stopping",
                                         "killed", "closing" };

    log_debug("zygote %d: %s", z->process.pid, names[next]);
    z->state = next;
}

/* The first reason is the cause, the later ones follow from it. */
static void because(struct zygote *z, const char *why)
{
    if (!z->why)
        z->why = xstrdup(why);
}

/* Stop watching the socket, and close it: the zygote's sign to end. */
static void hang_up(struct zygote *z)
{
    if (z->socket < 0)
        return;
    close_once((uv_handle_t *)&z->poll);
    close(z->socket); /* after uv_close(), which has stopped the polling */
    z->socket = -1;
}

/* What is in the pipe now; waiting for its end could take for ever. */
static void drain_said(struct zygote *z)
{
    uv_os_fd_t fd;
    ssize_t n;

    if (uv_fileno((uv_handle_t *)&z->said, &fd) != 0)
        return;
    for (int i = 0; i < 64; i++) {
        n = read(fd, z->room, sizeof(z->room));
        if (n <= 0)
            break;
        tail_add(&z->tail, z->room, (size_t)n);
    }
}

static void zygote_close(struct zygote *z)
{
    zygote_enter(z, ZYGOTE_CLOSING);
    drain_said(z);
    hang_up(z);
    close_once((uv_handle_t *)&z->process);
    close_once((uv_handle_t *)&z->said);
    close_once((uv_handle_t *)&z->timer);
}

static void zygote_end(struct zygote *z, const char *why)
{
    because(z, why);
    if (z->state != ZYGOTE_STARTING && z->state != ZYGOTE_SERVING)
        return;
    hang_up(z);
    zygote_enter(z, ZYGOTE_STOPPING);
    uv_timer_start(&z->timer, zygote_on_timer, STOP_MS, 0);
    zygote_settle(z);
}

static void zygote_kill(struct zygote *z, const char *why)
{
    zygote_end(z, why);
    if (z->state != ZYGOTE_STOPPING)
        return;
    zygote_enter(z, ZYGOTE_KILLED);
    uv_timer_stop(&z->timer);
    kill(z->process.pid, SIGKILL);
}

static void zygote_settle(struct zygote *z)
{
    if (z->exited && z->socket < 0 && z->state != ZYGOTE_CLOSING)
        zygote_close(z);
}

static int zygote_spawn(struct zygote *z, const struct zygote_spec *spec,
                        int theirs)
{
    char *program = file_join(spec->folder, "zygote.py");
    char *settings = file_join(spec->folder, "zygote.json");
    struct limits_text text;
    const char *argv[LIMITS_ARGS + 5];
    uv_file end[2];

    limits_argv(argv, &text, spec->self, spec->file_max, 0);
    argv[LIMITS_ARGS] = spec->python;
    argv[LIMITS_ARGS + 1] = program;
    argv[LIMITS_ARGS + 2] = "3";
    argv[LIMITS_ARGS + 3] = settings;
    argv[LIMITS_ARGS + 4] = NULL;

    int error = uv_pipe(end, UV_NONBLOCK_PIPE, 0);

    if (error)
        goto out;
    uv_pipe_open(&z->said, end[0]);

    uv_stdio_container_t stdio[4] = {
        { .flags = UV_IGNORE },
        { .flags = UV_INHERIT_FD, .data.fd = end[1] },
        { .flags = UV_INHERIT_FD, .data.fd = end[1] },
        { .flags = UV_INHERIT_FD, .data.fd = theirs },
    };
    uv_process_options_t options = {
        .exit_cb = zygote_on_exit,
        .file = argv[0],
        .args = (char **)argv, /* libuv only reads it */
        .env = spec->env->at,
        .cwd = spec->folder,
        .flags = UV_PROCESS_DETACHED,
        .stdio = stdio,
        .stdio_count = ARRAY_LEN(stdio),
    };
    error = uv_spawn(z->timer.loop, &z->process, &options);
    adopt(z, (uv_handle_t *)&z->process); /* live even after an error */
    close(end[1]);
out:
    free(program);
    free(settings);
    return error;
}

static int zygote_open(struct zygote *z, const struct zygote_spec *spec)
{
    int pair[2], room = 4 * (int)PACKET_MAX;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return -errno;
    /* A packet must fit; where it does not, zygote_fork() says so. */
    setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
    z->socket = pair[0];

    int error = uv_poll_init(z->timer.loop, &z->poll, z->socket);

    if (error) {
        close(z->socket);
        z->socket = -1;
    } else {
        adopt(z, (uv_handle_t *)&z->poll);
        error = zygote_spawn(z, spec, pair[1]);
    }
    close(pair[1]);
    return error;
}

struct zygote *zygote_start(struct uv_loop_s *loop,
                            const struct zygote_spec *spec,
                            const struct zygote_events *events, void *arg)
{
    struct zygote *z = xcalloc(1, sizeof(*z));

    z->socket = -1;
    z->events = events;
    z->arg = arg;
    z->reply_ms = spec->reply_ms;
    uv_timer_init(loop, &z->timer);
    adopt(z, (uv_handle_t *)&z->timer);
    uv_pipe_init(loop, &z->said, 0);
    adopt(z, (uv_handle_t *)&z->said);

    int error = zygote_open(z, spec);

    if (error) {
        char *why = xasprintf("the fork server could not be started: %s",
                              err_name(error));

        because(z, why);
        free(why);
        zygote_close(z);
        return z;
    }
    uv_poll_start(&z->poll, UV_READABLE, zygote_on_poll);
    uv_read_start((uv_stream_t *)&z->said, zygote_on_alloc, zygote_on_said);
    uv_timer_start(&z->timer, zygote_on_timer, spec->start_ms, 0);
    return z;
}

void zygote_stop(struct zygote *z)
{
    zygote_end(z, "the fork server was stopped");
}

void zygote_retire(struct zygote *z)
{
    z->retiring = true;
    if (!z->forks.first)
        zygote_stop(z);
}

/* Where there is no room in the socket they end by themselves a little later.
 */
void zygote_rest(struct zygote *z, const char *visible, bool all)
{
    size_t len;
    char *packet;

    if (z->socket < 0)
        return;
    packet = packet_rest(visible, all, &len);
    if (send(z->socket, packet, len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        log_debug("zygote %d: children that wait are not ended: %s",
                  z->process.pid, err_name(-errno));
    free(packet);
}

pid_t zygote_pid(const struct zygote *z)
{
    return z->exited || z->state == ZYGOTE_CLOSING ? 0 : z->process.pid;
}

/* ---- requests and answers ---- */

static void flush_requests(struct zygote *z)
{
    int events = UV_READABLE;

    if (z->socket < 0)
        return;
    if (forks_send(&z->forks, z->socket))
        events |= UV_WRITABLE;
    uv_poll_start(&z->poll, events, zygote_on_poll);
}

/* One timer for all forks that have not spoken: set for the oldest. */
static void watch_replies(struct zygote *z)
{
    uint64_t now = uv_now(z->timer.loop), asked, due;

    if (z->state != ZYGOTE_SERVING)
        return;
    if (!forks_silent(&z->forks, &asked)) {
        uv_timer_stop(&z->timer);
        return;
    }
    due = asked + z->reply_ms;
    uv_timer_start(&z->timer, zygote_on_timer, due > now ? due - now : 0, 0);
}

void zygote_fork(struct zygote *z, const struct fork_request *request,
                 const struct fork_events *events, void *arg)
{
    forks_add(&z->forks, request, events, arg, uv_now(z->timer.loop));
    flush_requests(z);
    watch_replies(z);
}

static void hear_ready(struct zygote *z, const struct packet *p)
{
    if (z->state != ZYGOTE_STARTING)
        return;
    uv_timer_stop(&z->timer);
    z->served = true;
    zygote_enter(z, ZYGOTE_SERVING);
    z->events->ready(z->arg, p->text);
}

static void zygote_hear(struct zygote *z, const char *data, size_t len)
{
    struct packet packet;

    if (packet_read(data, len, &packet) != 0) {
        zygote_kill(z, "the fork server said something odd");
        return;
    }
    switch (packet.type) {
    case PACKET_READY:
        hear_ready(z, &packet);
        break;
    case PACKET_FAILED:
        z->unfit = true;
        because(z, packet.text);
        break;
    case PACKET_STARTED:
    case PACKET_ENDED:
    case PACKET_SYNTAX:
    case PACKET_LOST:
        forks_hear(&z->forks, &packet);
        break;
    case PACKET_RESTART:
        z->events->worn(z->arg);
        break;
    case PACKET_UNKNOWN:
        break;
    }
    packet_deinit(&packet);
    if (z->retiring && !z->forks.first)
        zygote_stop(z);
    watch_replies(z);
}

static void zygote_on_poll(uv_poll_t *poll, int status, int events)
{
    struct zygote *z = container_of(poll, struct zygote, poll);
    static const int batch = 64; /* then others get their turn */
    char *data = xcalloc(PACKET_MAX, 1);
    (void)status;

    if (events & UV_WRITABLE)
        flush_requests(z);
    for (int i = 0; i < batch && z->socket >= 0; i++) {
        ssize_t n = recv(z->socket, data, PACKET_MAX, MSG_DONTWAIT);

        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            break;
        if (n <= 0) {
            hang_up(z);
            /* An exit that does not come is forced. */
            if (z->state == ZYGOTE_STARTING || z->state == ZYGOTE_SERVING) {
                zygote_enter(z, ZYGOTE_STOPPING);
                uv_timer_start(&z->timer, zygote_on_timer, STOP_MS, 0);
            }
            zygote_settle(z);
            break;
        }
        zygote_hear(z, data, (size_t)n);
    }
    free(data);
}

/* ---- events ---- */

static void zygote_on_timer(uv_timer_t *timer)
{
    struct zygote *z = container_of(timer, struct zygote, timer);

    switch (z->state) {
    case ZYGOTE_STARTING:
        zygote_kill(z, "the imports of the fork server took too long");
        break;
    case ZYGOTE_SERVING:
        zygote_kill(z, "the fork server did not answer in time");
        break;
    case ZYGOTE_STOPPING:
        if (z->exited) { /* something else holds the socket open */
            hang_up(z);
            zygote_settle(z);
        } else {
            zygote_kill(z, "the fork server did not end");
        }
        break;
    case ZYGOTE_KILLED: /* in D state: its exit will come, or not */
    case ZYGOTE_CLOSING:
        break;
    }
}

static void zygote_on_exit(uv_process_t *process, int64_t status, int signum)
{
    struct zygote *z = container_of(process, struct zygote, process);
    char *why;

    z->exited = true;
    if (signum)
        why = xasprintf("the fork server was ended by %s",
                        config_signal_name(signum));
    else
        why = xasprintf("the fork server ended with exit code %d", (int)status);
    /* After a clean exit the socket may still hold the reason. */
    if (z->socket < 0 || signum || status)
        because(z, why);
    free(why);
    if (z->state == ZYGOTE_STARTING || z->state == ZYGOTE_SERVING) {
        zygote_enter(z, ZYGOTE_STOPPING);
        uv_timer_start(&z->timer, zygote_on_timer, STOP_MS, 0);
    }
    zygote_settle(z);
}

static void zygote_on_alloc(uv_handle_t *handle, size_t hint, uv_buf_t *buf)
{
    struct zygote *z = handle->data;
    (void)hint;

    *buf = uv_buf_init(z->room, sizeof(z->room));
}

static void zygote_on_said(uv_stream_t *stream, ssize_t nread,
                           const uv_buf_t *buf)
{
    struct zygote *z = container_of(stream, struct zygote, said);

    if (nread < 0)
        close_once((uv_handle_t *)&z->said);
    else
        tail_add(&z->tail, buf->base, (size_t)nread);
}

/* The last line that the server printed, for a start that went wrong. */
static void add_last_line(struct zygote *z)
{
    char safe[512];

    if (z->served || !z->why || !tail_last_line(&z->tail, safe, sizeof(safe)))
        return;

    char *why = xasprintf("%s: %s", z->why, safe);

    free(z->why);
    z->why = why;
}

static void zygote_gone(struct zygote *z)
{
    const char *why;

    because(z, "the fork server ended");
    add_last_line(z);
    why = z->why;
    forks_lose(&z->forks, why);
    z->events->gone(z->arg, why, z->unfit);
    free(z->why);
    free(z);
}

static void zygote_on_close(uv_handle_t *handle)
{
    struct zygote *z = handle->data;

    if (--z->open == 0)
        zygote_gone(z);
}
