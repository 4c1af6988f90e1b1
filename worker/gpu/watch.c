/* One process, two pipes, one timer; four handles, one counter.
 *
 *   STARTED --frames--> ... --silence, bad line, exit, stop--> CLOSING --> gone
 *
 * Its exit is not waited for: a process inside a driver call that hangs does
 * not die. It is killed, its handles are closed, and whoever reaps orphans
 * reaps it (the sweep, or init). Standard input is the rope that ends it should
 * this process be killed. */
#include "worker/gpu/watch.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "config/base.h"
#include "config/buf.h"
#include "config/err.h"
#include "config/json.h"
#include "config/log.h"
#include "config/mem.h"
#include "worker/gpu/helper.h"

struct watch {
    uv_process_t process;
    uv_pipe_t in, out;
    uv_timer_t timer;
    int open;
    bool running, closing, silent;
    unsigned silent_ms;
    char *why;
    struct buf line;
    char room[1 << 14];
    const struct watch_events *events;
    void *arg;
};

static void watch_on_exit(uv_process_t *process, int64_t status, int signum);
static void watch_on_alloc(uv_handle_t *handle, size_t hint, uv_buf_t *buf);
static void watch_on_read(uv_stream_t *stream, ssize_t nread,
                          const uv_buf_t *buf);
static void watch_on_silence(uv_timer_t *timer);
static void watch_on_close(uv_handle_t *handle);

static void adopt(struct watch *w, uv_handle_t *handle)
{
    handle->data = w;
    w->open++;
}

static void close_handle(uv_handle_t *handle)
{
    if (handle->data && !uv_is_closing(handle))
        uv_close(handle, watch_on_close);
}

/* `why`: taken, or NULL. The first reason stays. */
static void watch_end(struct watch *w, char *why)
{
    if (w->closing) {
        free(why);
        return;
    }
    w->closing = true;
    w->why = why;
    if (w->running)
        uv_process_kill(&w->process, SIGKILL);
    close_handle((uv_handle_t *)&w->process);
    close_handle((uv_handle_t *)&w->in);
    close_handle((uv_handle_t *)&w->out);
    close_handle((uv_handle_t *)&w->timer);
}

static int watch_spawn(struct watch *w, const char *self)
{
    char *argv[] = { (char *)(uintptr_t)self, (char *)(uintptr_t) "gpu",
                     (char *)(uintptr_t) "watch", NULL };
    uv_stdio_container_t stdio[3] = {
        { .flags = UV_CREATE_PIPE | UV_READABLE_PIPE,
          .data.stream = (uv_stream_t *)&w->in },
        { .flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE,
          .data.stream = (uv_stream_t *)&w->out },
        { .flags = UV_INHERIT_FD, .data.fd = 2 },
    };
    uv_process_options_t options = {
        .exit_cb = watch_on_exit,
        .file = self,
        .args = argv,
        .flags = UV_PROCESS_DETACHED, /* a terminal's Ctrl-C is not for it */
        .stdio = stdio,
        .stdio_count = ARRAY_LEN(stdio),
    };
    int error = uv_spawn(w->timer.loop, &w->process, &options);

    adopt(w, (uv_handle_t *)&w->process); /* live even after an error */
    w->running = !error;
    return error;
}

struct watch *watch_start(struct uv_loop_s *loop, const char *self,
                          unsigned silent_ms, const struct watch_events *events,
                          void *arg)
{
    struct watch *w = xcalloc(1, sizeof(*w));
    int error;

    w->events = events;
    w->arg = arg;
    w->silent_ms = silent_ms;
    buf_init(&w->line, HELPER_LINE_MAX);
    uv_timer_init(loop, &w->timer);
    adopt(w, (uv_handle_t *)&w->timer);
    uv_pipe_init(loop, &w->in, 0);
    adopt(w, (uv_handle_t *)&w->in);
    uv_pipe_init(loop, &w->out, 0);
    adopt(w, (uv_handle_t *)&w->out);
    error = watch_spawn(w, self);
    if (error) {
        watch_end(w, xasprintf("cannot be started: %s", err_name(error)));
        return w;
    }
    uv_read_start((uv_stream_t *)&w->out, watch_on_alloc, watch_on_read);
    uv_timer_start(&w->timer, watch_on_silence, silent_ms, silent_ms);
    return w;
}

void watch_stop(struct watch *w)
{
    watch_end(w, NULL);
}

pid_t watch_pid(const struct watch *w)
{
    return w->running ? w->process.pid : 0;
}

/* ---- what it says ---- */

static void take_line(struct watch *w, const char *line, size_t len)
{
    struct err err;
    struct json *frame = json_parse(line, len, &err);

    if (!frame) {
        watch_end(w, xasprintf("says what cannot be read: %s", err.text));
        return;
    }
    uv_timer_again(&w->timer);
    w->events->frame(w->arg, json_get_str(frame, "frame", ""), frame);
    json_free(frame);
}

static void take(struct watch *w, const char *data, size_t len)
{
    while (len > 0 && !w->closing) {
        const char *end = memchr(data, '\n', len);
        size_t n = end ? (size_t)(end - data) : len;

        if (buf_add(&w->line, data, n)) {
            watch_end(w, xstrdup("says a line that is too long"));
            return;
        }
        if (end) {
            take_line(w, buf_str(&w->line), w->line.len);
            buf_clear(&w->line);
            n++;
        }
        data += n;
        len -= n;
    }
}

static void watch_on_alloc(uv_handle_t *handle, size_t hint, uv_buf_t *buf)
{
    struct watch *w = handle->data;
    (void)hint;

    *buf = uv_buf_init(w->room, sizeof(w->room));
}

static void watch_on_read(uv_stream_t *stream, ssize_t nread,
                          const uv_buf_t *buf)
{
    struct watch *w = stream->data;

    if (nread > 0)
        take(w, buf->base, (size_t)nread);
    else if (nread < 0)
        watch_end(w, xstrdup("has ended"));
}

static void watch_on_silence(uv_timer_t *timer)
{
    struct watch *w = container_of(timer, struct watch, timer);

    w->silent = true;
    watch_end(w, xstrdup("does not answer"));
}

static void watch_on_exit(uv_process_t *process, int64_t status, int signum)
{
    struct watch *w = container_of(process, struct watch, process);

    log_debug("gpu watch: exit %d, signal %d", (int)status, signum);
    w->running = false; /* what it said last may still be in the pipe */
}

static void watch_on_close(uv_handle_t *handle)
{
    struct watch *w = handle->data;

    if (--w->open > 0)
        return;
    w->events->gone(w->arg, w->why, w->silent);
    buf_deinit(&w->line);
    free(w->why);
    free(w);
}
