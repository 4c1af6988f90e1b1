/* wire.h - frames of protocol.h in on stdin and out on stdout.
 *
 * A wire lives from wire_new() to wire_free(). Order of calls:
 *   1. wire_new(), wire_open(); where that fails, go on with 3
 *   2. wire_listen(), wire_send() any number of times, wire_stop()
 *   3. wire_close(), and wire_free() when the loop has closed
 * Events come from the loop, `lost` also from inside wire_send(); none comes
 * after wire_stop(), but `lost` for a frame that could not be written. */
#ifndef AUTODD_WIRE_H
#define AUTODD_WIRE_H

#include "worker/protocol.h"

struct uv_loop_s;
struct wire;

struct wire_events {
    /* The frame is borrowed; what is moved out of it must be zeroed there. */
    void (*frame)(void *arg, struct frame *frame);
    /* What came is no frame: `what` says why, borrowed. */
    void (*bad)(void *arg, const char *what);
    /* The other side has gone: end of stdin, or nobody reads stdout. */
    void (*lost)(void *arg);
};

struct wire *wire_new(struct uv_loop_s *loop, const struct wire_events *events,
                      void *arg);

/* 0, or a negative errno: -EINVAL when stdin or stdout is no pipe. */
int wire_open(struct wire *wire);

void wire_listen(struct wire *wire);

/* The frame is borrowed. One too large is logged and dropped; one after
 * wire_close() is dropped. */
void wire_send(struct wire *wire, const struct frame *frame);

/* The same for who we are, and for a text to the user. */
void wire_hello(struct wire *wire);
void wire_note(struct wire *wire, const char *text);

/* Read no more. Frames can still be sent. */
void wire_stop(struct wire *wire);

void wire_close(struct wire *wire);
void wire_free(struct wire *wire); /* NULL is fine */

#endif
