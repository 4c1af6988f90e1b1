/* zygote.h - the fork server (zygote.py), seen from the worker.
 *
 * A zygote lives from zygote_start() until its gone callback returns. gone is
 * called exactly once, from the loop and never from inside a call of this
 * module, after every handle is closed and every fork has got its last event.
 * Order of calls:
 *   1. zygote_start(); then `ready` once, unless it is gone before
 *   2. zygote_fork(), any number at a time, from `ready` on
 *   3. zygote_stop(): kills what it still runs; gone follows */
#ifndef AUTODD_ZYGOTE_H
#define AUTODD_ZYGOTE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "config/config.h"
#include "config/err.h"
#include "worker/protocol.h"

struct uv_loop_s;
struct zygote;

/* Write the program and its settings (script_dir, argv, preload, early_env of
 * the setup) into `folder` as zygote.py, hot.py, lazy.py and zygote.json.
 * Blocks. */
int zygote_install(const char *folder, const struct job_setup *setup,
                   struct err *err);

/* Those started there from now on begin without what an earlier one has loaded
 * ahead. */
void zygote_unlearn(const char *folder);

/* Borrowed until zygote_start() returns. */
struct zygote_spec {
    const char *self;   /* path of this program, for its limits launcher */
    const char *python; /* 3.9 or later */
    const char *folder; /* where zygote_install() wrote; also its cwd */
    const struct strings *env;
    uint64_t file_max; /* as in the setup; children inherit it */
    uint64_t start_ms; /* most time for the imports */
    uint64_t reply_ms; /* most time from a request to its child's first word */
};

struct zygote_events {
    /* It can fork. `skipped`: what could not be imported and why, one line
     * each; NULL if nothing. Borrowed. */
    void (*ready)(void *arg, const char *skipped);
    /* It has grown: a successor would do better. */
    void (*worn)(void *arg);
    /* Over. `why` is a sentence, borrowed; `unfit` when starting it again
     * would end the same way. */
    void (*gone)(void *arg, const char *why, bool unfit);
};

struct zygote *zygote_start(struct uv_loop_s *loop,
                            const struct zygote_spec *spec,
                            const struct zygote_events *events, void *arg);
void zygote_stop(struct zygote *zygote);

/* Let it end by itself once the forks asked so far are over. */
void zygote_retire(struct zygote *zygote);

/* End the children that wait for runs of a GPU, as CUDA_VISIBLE_DEVICES names
 * it: they hold memory there. NULL: of each. `all`: warm ones too, not only hot
 * ones. */
void zygote_rest(struct zygote *zygote, const char *visible, bool all);

pid_t zygote_pid(const struct zygote *zygote); /* 0: not running */

/* A place for a hot child, and which of its children, one after another. */
struct fork_lane {
    uint32_t lane, generation;
};

/* What to run in a fork. Borrowed until zygote_fork() returns, but the two
 * descriptors, which are taken. */
struct fork_request {
    uint64_t id; /* unused by any other fork of this zygote */
    const char *path;
    const char *cwd;
    const struct strings *env; /* set over the zygote's */
    const char *trace;         /* NULL, or the file to trace it to: ran.h */
    const char *values;        /* the same for its values: values.h */
    bool loads;                /* tell what its imports load */
    const char *compared;      /* NULL, or see struct run_request */
    unsigned bounds;           /* likewise */
    bool learn;                /* load ahead what it loads by itself */
    int warm; /* in a child with a CUDA context, if one is ready; so many may
               * be kept ready for the GPU that it sees. 0: no */
    const struct fork_lane *hot; /* in the child of this lane; NULL: no */
    int out, err;
};

struct fork_end {
    int exit_code, signal;
    uint64_t cpu_ms, peak_rss;
    bool cuda, warm, kept; /* as in struct observation, these and the next */
    uint64_t hot, turn;
    uint32_t learned, shown, figures;
    unsigned reach;
};

/* `loads`: see struct observation; NULL if not asked for. A fork gets
 * `started`, then `ended`; or `syntax` alone; or `lost` at any point. `ended`,
 * `syntax` and `lost` are the last event. Texts are borrowed. None of them is
 * called from inside zygote_fork(). */
struct fork_events {
    void (*started)(void *arg, pid_t pid, const char *loads);
    void (*ended)(void *arg, const struct fork_end *end);
    void (*syntax)(void *arg, const char *type, const char *message);
    void (*lost)(void *arg, const char *why);
};

void zygote_fork(struct zygote *zygote, const struct fork_request *request,
                 const struct fork_events *events, void *arg);

#endif
