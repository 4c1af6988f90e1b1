/* link.h - one worker program: frames to its stdin, frames from its stdout.
 *
 * A link lives from link_start() until its gone callback returns. gone is
 * called exactly once, from the loop and never from inside link_start(), after
 * the worker has exited and every handle is closed. The worker leads a session
 * of its own, so that a terminal's Ctrl-C reaches only us; it ends when its
 * stdin does. */
#ifndef AUTODD_LINK_H
#define AUTODD_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/protocol.h"

struct uv_loop_s;
struct link;

struct link_events {
    /* A frame from the worker; borrowed, the link frees it. */
    void (*frame)(void *arg, const struct frame *frame);
    /* The worker is gone; `reason` says how, as words after "the worker ". */
    void (*gone)(void *arg, const char *reason);
};

/* Start `argv` (NULL-terminated, borrowed for the call) as a worker. Never
 * fails: what cannot be started is soon gone. */
struct link *link_start(struct uv_loop_s *loop, const char *const *argv,
                        const struct link_events *events, void *arg);

/* Queue a frame (borrowed for the call). Frames to a worker that is going or
 * gone are dropped. */
void link_send(struct link *link, const struct frame *frame);

/* End it in good order: close its stdin; after `patience_ms` TERM, then KILL.
 * Idempotent. */
void link_stop(struct link *link, uint64_t patience_ms);

/* End it because it misbehaves: KILL. `reason` (copied) is told to gone. */
void link_fail(struct link *link, const char *reason);

#endif
