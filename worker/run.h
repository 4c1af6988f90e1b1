/* run.h - one trial: from the text of a candidate to the observation.
 *
 * A run lives from run_start() until its done callback returns. done is called
 * exactly once, from the loop and never from inside run_start(), after its
 * processes are ended and its folders deleted. */
#ifndef AUTODD_RUN_H
#define AUTODD_RUN_H

#include <stdbool.h>

#include "config/config.h"
#include "worker/protocol.h"

struct uv_loop_s;
struct matcher;
struct run;
struct sweep;
struct zygote;

/* Who hears of runs that end badly; `slot` is that of run_start(). */
struct run_watch {
    /* Its process does not die: the run may never be over. */
    void (*stuck)(void *arg, int slot, const char *why);
    /* It took so long from SIGKILL to its end; or what it left behind took
     * that long, and is there still. */
    void (*slow)(void *arg, int slot, uint64_t kill_ms);
    void *arg;
};

/* What all runs of a job share; outlives them. */
struct run_job {
    struct uv_loop_s *loop;
    const struct job_setup *setup;
    const struct matcher *matcher;
    struct sweep *sweep;
    const char *self;      /* path of this program, for its limits launcher */
    const char *python;    /* absolute path of the interpreter */
    const char *sanitizer; /* absolute path of the program, for runs that are
                            * not forked; NULL: none */
    const char *root;      /* the scratch folder */
    const char *fill;      /* where fill.py is to be found; NULL: no AID_FILL */
    struct strings base;   /* the environment all share: env_base() */
    struct zygote *zygote; /* the one that can fork now, or NULL */
    const struct run_watch *watch; /* NULL: nobody */
};

/* The observation is taken by done: observation_deinit() it. */
typedef void (*run_done_cb)(void *arg, struct observation *observation);

/* Start a run in a slot no other run is in. The request's text and paths are
 * taken (and left empty). `forked`: by the fork server, and lost if there is
 * none when it comes to that; else in a new interpreter. Never fails: what goes
 * wrong is END_LOST with the reason. */
struct run *run_start(const struct run_job *job, struct run_request *request,
                      int slot, bool forked, run_done_cb done, void *arg);

/* Give it a GPU, before the loop goes on: its CUDA_VISIBLE_DEVICES, and what
 * its observation says. Copied. */
void run_set_gpu(struct run *run, const char *visible, const char *uuid);

/* End it early: TERM, grace, KILL; it becomes END_LOST. Idempotent. */
void run_cancel(struct run *run);

/* The same with KILL at once. */
void run_kill(struct run *run);

#endif
