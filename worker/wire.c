/* Two pipes and a line.
 *
 *   stdin --room--> line --newline--> frame_decode() --> events->frame
 *   frame_encode() --> one write a frame, in order --> stdout
 *
 * `line` keeps what has come of a frame that is not whole yet: its first
 * `scanned` bytes hold no newline, so that a long frame in many reads is
 * searched once. A frame's handler may stop the wire: what came with the frame
 * is then left. */
#include "worker/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "config/base.h"
#include "config/buf.h"
#include "config/err.h"
#include "config/log.h"
#include "config/mem.h"

struct wire {
    uv_pipe_t in, out;
    bool stopped;
    struct buf line;
    size_t scanned; /* bytes of `line` known to hold no newline */
    char room[1 << 16];

    const struct wire_events *events;
    void *arg;
};

struct outgoing {
    uv_write_t write;
    char *data;
};

static void wire_on_alloc(uv_handle_t *handle, size_t hint, uv_buf_t *buf);
static void wire_on_read(uv_stream_t *stream, ssize_t nread,
                         const uv_buf_t *buf);
static void wire_on_written(uv_write_t *write, int status);

struct wire *wire_new(struct uv_loop_s *loop, const struct wire_events *events,
                      void *arg)
{
    struct wire *wire = xcalloc(1, sizeof(*wire));

    wire->events = events;
    wire->arg = arg;
    buf_init(&wire->line, FRAME_MAX_BYTES);
    uv_pipe_init(loop, &wire->in, 0);
    uv_pipe_init(loop, &wire->out, 0);
    wire->in.data = wire->out.data = wire;
    return wire;
}

int wire_open(struct wire *wire)
{
    int error;

    /* Others can't be polled, and libuv aborts when it finds out. */
    if (uv_guess_handle(0) != UV_NAMED_PIPE ||
        uv_guess_handle(1) != UV_NAMED_PIPE)
        return -EINVAL;
    error = uv_pipe_open(&wire->in, 0);
    return error ? error : uv_pipe_open(&wire->out, 1);
}

void wire_listen(struct wire *wire)
{
    uv_read_start((uv_stream_t *)&wire->in, wire_on_alloc, wire_on_read);
}

void wire_stop(struct wire *wire)
{
    wire->stopped = true;
    uv_read_stop((uv_stream_t *)&wire->in);
}

void wire_close(struct wire *wire)
{
    uv_close((uv_handle_t *)&wire->in, NULL);
    uv_close((uv_handle_t *)&wire->out, NULL);
}

void wire_free(struct wire *wire)
{
    if (!wire)
        return;
    buf_deinit(&wire->line);
    free(wire);
}

/* ---- out ---- */

void wire_send(struct wire *wire, const struct frame *frame)
{
    struct outgoing *o;
    struct buf buf;
    uv_buf_t bytes;
    size_t len;

    if (uv_is_closing((uv_handle_t *)&wire->out))
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
    if (uv_write(&o->write, (uv_stream_t *)&wire->out, &bytes, 1,
                 wire_on_written) != 0) {
        free(o->data);
        free(o);
        wire->events->lost(wire->arg);
    }
}

static void wire_on_written(uv_write_t *write, int status)
{
    struct outgoing *o = container_of(write, struct outgoing, write);
    struct wire *wire = write->handle->data;

    free(o->data);
    free(o);
    if (status < 0 && status != UV_ECANCELED)
        wire->events->lost(wire->arg); /* nobody listens any more */
}

void wire_hello(struct wire *wire)
{
    char host[UV_MAXHOSTNAMESIZE] = "";
    size_t size = sizeof(host);
    struct frame frame = { .type = FRAME_HELLO };

    uv_os_gethostname(host, &size);
    frame.u.hello.version = PROTOCOL_VERSION;
    frame.u.hello.pid = getpid();
    frame.u.hello.host = host;
    wire_send(wire, &frame);
}

void wire_note(struct wire *wire, const char *text)
{
    struct frame frame = { .type = FRAME_NOTE };

    frame.u.note = xstrdup(text);
    wire_send(wire, &frame);
    free(frame.u.note);
}

/* ---- in ---- */

static void wire_on_line(struct wire *wire, const char *line, size_t len)
{
    struct frame frame;
    struct err err;

    if (frame_decode(line, len, &frame, &err) != 0) {
        wire->events->bad(wire->arg, err.text);
        return;
    }
    wire->events->frame(wire->arg, &frame);
    frame_deinit(&frame);
}

static void wire_on_alloc(uv_handle_t *handle, size_t hint, uv_buf_t *buf)
{
    struct wire *wire = handle->data;
    (void)hint;

    *buf = uv_buf_init(wire->room, sizeof(wire->room));
}

static void wire_on_read(uv_stream_t *stream, ssize_t nread,
                         const uv_buf_t *buf)
{
    struct wire *wire = container_of((uv_pipe_t *)stream, struct wire, in);
    size_t done = 0;
    const char *newline;

    if (nread < 0) {
        wire->events->lost(wire->arg);
        return;
    }
    if (buf_add(&wire->line, buf->base, (size_t)nread) != 0) {
        wire->events->bad(wire->arg, "a frame is too long");
        return;
    }
    while (!wire->stopped && wire->scanned < wire->line.len &&
           (newline = memchr(wire->line.data + wire->scanned, '\n',
                             wire->line.len - wire->scanned))) {
        size_t end = (size_t)(newline - wire->line.data) + 1;

        wire_on_line(wire, wire->line.data + done, end - done);
        done = wire->scanned = end;
    }
    buf_drop(&wire->line, done);
    wire->scanned = wire->line.len;
}
