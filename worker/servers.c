/* `current` forks, `next` is importing.
 *
 *   begin --> next --ready--> current --worn--> another next
 *              |                 |   `--next is ready--> retired, then gone
 *              `------ gone -----'
 *                       |
 *                 neither left: start again, or no forks from now on
 *
 * A server that goes before the first was ever ready is not tried again: its
 * reason would be the same, and runs wait for the answer. */
#include "worker/servers.h"

#include <stdio.h>
#include <stdlib.h>

#include "config/base.h"
#include "config/log.h"
#include "config/mem.h"
#include "worker/env.h"
#include "worker/sweep.h"
#include "worker/zygote.h"

#define IMPORTS_MS 300000 /* of the fork server */
#define REPLY_MS 30000    /* of the fork server to a request */
#define FAILURES_MAX 5    /* in a row */

/* A fork server and whose it is. */
struct server {
    struct servers *servers;
    struct zygote *zygote;
    pid_t pid;
};

struct servers {
    struct run_job *job;
    const char *cache;
    struct server *current, *next;
    int left;     /* that are not gone yet */
    int failures; /* in a row */
    bool known, stopped;
    bool learned; /* the current one has loaded modules ahead */

    const struct servers_events *events;
    void *arg;
};

static void server_on_ready(void *arg, const char *skipped);
static void server_on_worn(void *arg);
static void server_on_gone(void *arg, const char *why, bool unfit);

static const struct zygote_events server_events = {
    .ready = server_on_ready,
    .worn = server_on_worn,
    .gone = server_on_gone,
};

struct servers *servers_new(struct run_job *job, const char *cache,
                            const struct servers_events *events, void *arg)
{
    struct servers *s = xcalloc(1, sizeof(*s));

    s->job = job;
    s->cache = cache;
    s->events = events;
    s->arg = arg;
    return s;
}

void servers_free(struct servers *s)
{
    free(s);
}

int servers_left(const struct servers *s)
{
    return s->left;
}

void servers_proved(struct servers *s, unsigned learned)
{
    s->failures = 0;
    s->learned = s->learned || learned > 0;
}

static void server_start(struct servers *s)
{
    struct server *server = xcalloc(1, sizeof(*server));
    const struct run_job *job = s->job;
    struct strings own, env = { 0 };

    env_fork_server(&own, job->setup, job->root, s->cache, job->fill);
    env_merge(&env, &job->base);
    env_merge(&env, &own);

    struct zygote_spec spec = {
        .self = job->self,
        .python = job->python,
        .folder = job->root,
        .env = &env,
        .file_max = job->setup->file_max,
        .start_ms = IMPORTS_MS,
        .reply_ms = REPLY_MS,
    };

    server->servers = s;
    s->next = server;
    s->left++;
    server->zygote = zygote_start(job->loop, &spec, &server_events, server);
    server->pid = zygote_pid(server->zygote);
    if (server->pid > 0)
        sweep_spare(job->sweep, server->pid);
    env_free(&own);
    env_free(&env);
}

static void answer(struct servers *s, bool forks, const char *why)
{
    s->known = true;
    s->events->forks(s->arg, forks, why);
}

void servers_begin(struct servers *s, const char *version)
{
    int major = 0, minor = 0;

    if (!version) {
        answer(s, false, "runs of a shell command are not forked");
    } else if (s->job->setup->backend == BACKEND_SUBPROC) {
        answer(s, false, "--backend subproc asks for it");
    } else if (sscanf(version, "%d.%d", &major, &minor) == 2 &&
               (major < 3 || (major == 3 && minor < 9))) {
        char *why = xasprintf("the fork server needs Python 3.9 or later, "
                              "and this is %s",
                              version);

        answer(s, false, why);
        free(why);
    } else {
        server_start(s);
    }
}

void servers_unlearn(struct servers *s)
{
    struct server *old[] = { s->current, s->next };

    if (!s->learned || s->stopped)
        return;
    s->learned = false;
    zygote_unlearn(s->job->root);
    s->current = s->next = NULL; /* it may have read what is to be forgotten */
    s->job->zygote = NULL;
    server_start(s);
    for (size_t i = 0; i < ARRAY_LEN(old); i++) {
        if (old[i])
            zygote_retire(old[i]->zygote);
    }
}

void servers_stop(struct servers *s)
{
    s->stopped = true;
    if (s->current)
        zygote_stop(s->current->zygote);
    if (s->next)
        zygote_stop(s->next->zygote);
}

static void server_on_ready(void *arg, const char *skipped)
{
    struct server *server = arg;
    struct servers *s = server->servers;
    struct server *old = s->current;

    if (server != s->next) /* retired as it was starting */
        return;
    s->current = server;
    s->next = NULL;
    s->job->zygote = server->zygote;
    if (old)
        zygote_retire(old->zygote);
    if (skipped && !s->known) {
        char *note = xasprintf("the fork server goes without %s", skipped);

        s->events->note(s->arg, note);
        free(note);
    }
    answer(s, true, NULL);
}

static void server_on_worn(void *arg)
{
    struct server *server = arg;
    struct servers *s = server->servers;

    if (server == s->current && !s->next && !s->stopped)
        server_start(s);
}

/* The last server went: a successor, or no forks from now on. */
static void replace(struct servers *s, const char *why, bool unfit)
{
    char *note;

    if (s->known && !unfit && ++s->failures <= FAILURES_MAX) {
        log_warn("worker: %s; starting it again", why);
        server_start(s);
        return;
    }
    note = xasprintf("%s%s", why,
                     s->known ? "; runs use new interpreters from now on" : "");
    s->events->note(s->arg, note);
    free(note);
    answer(s, false, why);
}

static void server_on_gone(void *arg, const char *why, bool unfit)
{
    struct server *server = arg;
    struct servers *s = server->servers;
    bool needed = server == s->current || server == s->next;

    if (server->pid > 0)
        sweep_unspare(s->job->sweep, server->pid);
    if (server == s->current) {
        s->current = NULL;
        s->job->zygote = NULL;
    }
    if (server == s->next)
        s->next = NULL;
    free(server);
    s->left--;
    if (needed && !s->stopped && !s->current && !s->next)
        replace(s, why, unfit);
    s->events->gone(s->arg);
}
