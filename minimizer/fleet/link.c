/* One worker. Three things end it, in any order: its exit, the end of its
 * output, our wish.
 *
 *   UP --stop--> STOPPING --patience--> TERMINATED --patience--> KILLED
 *    |               |                      |                      |
 *    +---------------+--- exit and EOF -----+----------------------+
 *                                 v
 *                              CLOSING --all closed--> gone
 *
 * A worker that cannot be started goes straight to CLOSING. */
#include "minimizer/fleet/link.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "config/base.h"
#include "config/buf.h"
#include "config/log.h"
#include "config/mem.h"

#define TERM_MS 5000 /* from TERM to KILL, and from exit to end of output */

enum link_state {
    LINK_UP,
    LINK_STOPPING,
    LINK_TERMINATED,
    LINK_KILLED,
    LINK_CLOSING
};

struct link {
    enum link_state state;
    uv_process_t process;
    uv_pipe_t in, out;
    uv_timer_t timer;
    int open; /* handles adopted and not yet closed */
    bool exited, eof;

    struct buf line; /* what has come of the next frame */
    char chunk[65536];

    char reason[256];
    struct link_events events;
    void *arg;
};

struct sending {
    uv_write_t req;
    char *bytes;
};

static void on_exit_of_worker(uv_process_t *process, int64_t status, int sig);
static void link_on_alloc(uv_handle_t *handle, size_t hint, uv_buf_t *buf);
static void link_on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf);
static void link_on_timer(uv_timer_t *timer);
static void link_on_close(uv_handle_t *handle);

static void adopt(struct link *link, uv_handle_t *handle)
{
    handle->data = link;
    link->open++;
}

static void close_once(uv_handle_t *handle)
{
    if (handle->data && !uv_is_closing(handle))
        uv_close(handle, link_on_close);
}

static void link_enter(struct link *link, enum link_state next)
{
    log_debug("worker %d: state %d to %d", (int)link->process.pid,
              (int)link->state, (int)next);
    link->state = next;
}

static void link_close(struct link *link)
{
    link_enter(link, LINK_CLOSING);
    close_once((uv_handle_t *)&link->process);
    close_once((uv_handle_t *)&link->in);
    close_once((uv_handle_t *)&link->out);
    close_once((uv_handle_t *)&link->timer);
}

static void link_settle(struct link *link)
{
    if (link->state != LINK_CLOSING && link->exited && link->eof)
        link_close(link);
}

static int link_spawn(struct link *link, const char *const *argv)
{
    uv_stdio_container_t stdio[3] = {
        { .flags = UV_CREATE_PIPE | UV_READABLE_PIPE,
          .data.stream = (uv_stream_t *)&link->in },
        { .flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE,
          .data.stream = (uv_stream_t *)&link->out },
        { .flags = UV_INHERIT_FD, .data.fd = 2 },
    };
    uv_process_options_t options = {
        .exit_cb = on_exit_of_worker,
        .file = argv[0],
        .args = (char **)(uintptr_t)argv, /* libuv only reads it */
        .flags = UV_PROCESS_DETACHED,
        .stdio = stdio,
        .stdio_count = ARRAY_LEN(stdio),
    };
    int error = uv_spawn(link->timer.loop, &link->process, &options);

    adopt(link, (uv_handle_t *)&link->process); /* live even after an error */
    return error;
}

struct link *link_start(struct uv_loop_s *loop, const char *const *argv,
                        const struct link_events *events, void *arg)
{
    struct link *link = xcalloc(1, sizeof(*link));

    link->events = *events;
    link->arg = arg;
    buf_init(&link->line, FRAME_MAX_BYTES);
    uv_timer_init(loop, &link->timer);
    adopt(link, (uv_handle_t *)&link->timer);
    uv_pipe_init(loop, &link->in, 0);
    adopt(link, (uv_handle_t *)&link->in);
    uv_pipe_init(loop, &link->out, 0);
    adopt(link, (uv_handle_t *)&link->out);

    int error = link_spawn(link, argv);
    if (error) {
        snprintf(link->reason, sizeof(link->reason),
                 "could not be started: %s: %s", argv[0], uv_strerror(error));
        link_close(link);
        return link;
    }
    uv_read_start((uv_stream_t *)&link->out, link_on_alloc, link_on_read);
    return link;
}

static void on_sent(uv_write_t *req, int status)
{
    struct sending *sending = container_of(req, struct sending, req);
    (void)status; /* a broken pipe shows as exit and EOF too */

    free(sending->bytes);
    free(sending);
}

void link_send(struct link *link, const struct frame *frame)
{
    struct buf bytes;
    size_t len;

    if (link->state != LINK_UP)
        return;
    buf_init(&bytes, FRAME_MAX_BYTES);
    if (frame_encode(frame, &bytes)) {
        buf_deinit(&bytes);
        link_fail(link, "was to get a frame above the size limit");
        return;
    }
    struct sending *sending = xcalloc(1, sizeof(*sending));

    sending->bytes = buf_take(&bytes, &len);
    uv_buf_t buf = uv_buf_init(sending->bytes, (unsigned)len);
    if (uv_write(&sending->req, (uv_stream_t *)&link->in, &buf, 1, on_sent)) {
        free(sending->bytes);
        free(sending);
    }
}

void link_stop(struct link *link, uint64_t patience_ms)
{
    if (link->state != LINK_UP)
        return;
    link_enter(link, LINK_STOPPING);
    close_once((uv_handle_t *)&link->in);
    uv_timer_start(&link->timer, link_on_timer, patience_ms, 0);
}

void link_fail(struct link *link, const char *reason)
{
    if (link->state == LINK_CLOSING || link->state == LINK_KILLED)
        return;
    snprintf(link->reason, sizeof(link->reason), "%s", reason);
    link_enter(link, LINK_KILLED);
    close_once((uv_handle_t *)&link->in);
    uv_process_kill(&link->process, SIGKILL);
    uv_timer_start(&link->timer, link_on_timer, TERM_MS, 0);
}

static void link_on_timer(uv_timer_t *timer)
{
    struct link *link = container_of(timer, struct link, timer);

    switch (link->state) {
    case LINK_UP: /* exited, but its output is held open by something */
        link_close(link);
        break;
    case LINK_STOPPING:
        link_enter(link, LINK_TERMINATED);
        uv_process_kill(&link->process, SIGTERM);
        uv_timer_start(timer, link_on_timer, TERM_MS, 0);
        break;
    case LINK_TERMINATED:
        link_fail(link, "did not end when told to");
        break;
    case LINK_KILLED:
        if (link->exited)
            link_close(link);
        break; /* unkillable for now: its exit goes on */
    case LINK_CLOSING:
        break;
    }
}

static void on_exit_of_worker(uv_process_t *process, int64_t status, int sig)
{
    struct link *link = container_of(process, struct link, process);

    link->exited = true;
    if (!link->reason[0] && sig)
        snprintf(link->reason, sizeof(link->reason), "was killed by %s",
                 config_signal_name(sig));
    else if (!link->reason[0])
        snprintf(link->reason, sizeof(link->reason), "ended with status %d",
                 (int)status);
    if (!link->eof && link->state != LINK_CLOSING)
        uv_timer_start(&link->timer, link_on_timer, TERM_MS, 0);
    link_settle(link);
}

static void link_on_alloc(uv_handle_t *handle, size_t hint, uv_buf_t *buf)
{
    struct link *link = handle->data;
    (void)hint;

    *buf = uv_buf_init(link->chunk, sizeof(link->chunk));
}

static void take_frame(struct link *link, const char *line, size_t len)
{
    struct frame frame;
    struct err err;

    if (frame_decode(line, len, &frame, &err)) {
        char reason[sizeof(link->reason)];

        snprintf(reason, sizeof(reason), "sent no valid frame: %.200s",
                 err.text);
        link_fail(link, reason);
        return;
    }
    link->events.frame(link->arg, &frame);
    frame_deinit(&frame);
}

/* Hand on each whole line of the chunk; keep the rest. */
static void split_lines(struct link *link, const char *p, size_t n)
{
    while (n > 0 && link->state < LINK_KILLED) {
        const char *end = memchr(p, '\n', n);
        size_t len = end ? (size_t)(end - p) : n;

        if (buf_add(&link->line, p, len)) {
            link_fail(link, "sent a frame above the size limit");
            return;
        }
        if (!end)
            return;
        take_frame(link, buf_str(&link->line), link->line.len);
        buf_clear(&link->line);
        p = end + 1;
        n -= len + 1;
    }
}

static void link_on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct link *link = container_of(stream, struct link, out);

    if (n > 0)
        split_lines(link, buf->base, (size_t)n);
    if (n >= 0)
        return;
    link->eof = true;
    close_once((uv_handle_t *)&link->out);
    /* Closed its output without leaving: of no use any more. */
    if (!link->exited && link->state == LINK_UP)
        uv_timer_start(&link->timer, link_on_timer, TERM_MS, 0);
    link_settle(link);
}

static void link_on_close(uv_handle_t *handle)
{
    struct link *link = handle->data;

    if (--link->open > 0)
        return;
    link->events.gone(link->arg, link->reason);
    buf_deinit(&link->line);
    free(link);
}
