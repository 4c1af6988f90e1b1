/* forks.h - the forks that a fork server owes us: asked for, and without their
 * last event (zygote.h) yet.
 *
 * Lives in its owner's struct; all zero is none. Events come from inside
 * forks_hear() and forks_lose(), each after the fork is off the list if it is
 * its last, so a handler may ask for another. */
#ifndef AUTODD_FORKS_H
#define AUTODD_FORKS_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/packet.h"
#include "worker/zygote.h"

struct child_fork;

struct forks {
    struct child_fork *first; /* in order of asking */
};

/* The request is borrowed, but for its descriptors, which are taken. `now_ms`:
 * loop time. */
void forks_add(struct forks *forks, const struct fork_request *request,
               const struct fork_events *events, void *arg, uint64_t now_ms);

/* Send the requests that have not been. True when some are left, for want of
 * room in the socket. */
bool forks_send(struct forks *forks, int socket);

/* Whether any has not started yet, and when the oldest such was asked for. */
bool forks_silent(const struct forks *forks, uint64_t *asked_ms);

/* A packet STARTED, ENDED, SYNTAX or LOST; one of an unknown fork is
 * ignored. */
void forks_hear(struct forks *forks, const struct packet *packet);

/* All are lost. */
void forks_lose(struct forks *forks, const char *why);

#endif
