/* servers.h - the fork servers of a job, one after another.
 *
 * Lives from servers_new() to servers_free(), which may come once
 * servers_left() is 0. The server that can fork now is in job->zygote. A worn
 * one gets a successor and retires when that is ready; a lost one likewise, but
 * five times in a row at most without a good fork between. */
#ifndef AUTODD_SERVERS_H
#define AUTODD_SERVERS_H

#include <stdbool.h>

#include "worker/run.h"

struct uv_loop_s;
struct servers;

/* From the loop but for one `forks`. Texts are borrowed. */
struct servers_events {
    /* Whether the job can fork: once when it is known, and whenever that or the
     * server changed. `why` not, as a sentence; NULL if it can. */
    void (*forks)(void *arg, bool forks, const char *why);
    /* Something the user should know; also why there will be no forks, if that
     * turns out after servers_begin(). */
    void (*note)(void *arg, const char *text);
    /* A server is gone: servers_left() has changed. */
    void (*gone)(void *arg);
};

/* The job outlives the servers, and its zygote is set here; `cache` is the
 * folder of their compile caches, borrowed. */
struct servers *servers_new(struct run_job *job, const char *cache,
                            const struct servers_events *events, void *arg);
void servers_free(struct servers *servers); /* NULL is fine */

/* Start the first one; or none, and `forks` comes from inside this call, where
 * the setup, or the interpreter by its `version`, rules it out. NULL: runs are
 * shell commands. */
void servers_begin(struct servers *servers, const char *version);

/* A fork went well: failures are counted anew. `learned`: as the observation
 * says. */
void servers_proved(struct servers *servers, unsigned learned);

/* Forks from now on come from a server that has learned nothing: they wait for
 * it, if the current one has. */
void servers_unlearn(struct servers *servers);

/* End them all and start no more. `gone` follows for each. */
void servers_stop(struct servers *servers);

int servers_left(const struct servers *servers); /* not gone yet */

#endif
