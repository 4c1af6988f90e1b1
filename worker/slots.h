/* slots.h - the runs of a job: those that run, one a slot, and those that wait
 * for one.
 *
 * Lives from slots_new() to slots_free(), which may come once slots_busy() is
 * 0. Runs are asked for at any time; they start in that order, from
 * slots_open() on. A run that wants a fork also waits for slots_set_forks(),
 * and then for a fork server in the job; others overtake it. Every run taken
 * gets one result, but for what slots_end() ends. */
#ifndef AUTODD_SLOTS_H
#define AUTODD_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/protocol.h"
#include "worker/run.h"

struct gpus;
struct slots;

struct slots_events {
    /* How a run has ended; also from inside slots_take(), slots_cancel() and
     * slots_drop(). Borrowed. */
    void (*result)(void *arg, uint64_t id,
                   const struct observation *observation);
    /* A run has gone, and what could follow it has been started. */
    void (*freed)(void *arg);
};

/* `n`: runs at once. The job is borrowed, and read anew for each run. */
struct slots *slots_new(const struct run_job *job, int n,
                        const struct slots_events *events, void *arg);
void slots_free(struct slots *slots); /* NULL is fine */

/* The request's text and paths are taken (and left empty). Lost if thousands
 * wait already. */
void slots_take(struct slots *slots, struct run_request *request);

/* A run that waits is lost at once; a number that no run has is ignored. */
void slots_cancel(struct slots *slots, uint64_t id);

/* Let runs start from now on. */
void slots_open(struct slots *slots);

/* Whether runs that want a fork are forked; else they get a new interpreter.
 * May change. */
void slots_set_forks(struct slots *slots, bool forks);

/* Start what can start: after anything that the job holds has changed. */
void slots_pull(struct slots *slots);

/* End the children that wait for runs: the hot ones, or all. */
void slots_rest(struct slots *slots, bool all);

/* All that wait are lost; `why` is in their results. */
void slots_drop(struct slots *slots, const char *why);

/* Kill what runs, forget what waits, start no more; no results. `freed` still
 * follows for each that ran. */
void slots_end(struct slots *slots);

int slots_busy(const struct slots *slots); /* runs not over yet */

/* From now on each run gets one of these GPUs, and waits for one that has room.
 * Outlives the slots. */
void slots_set_gpus(struct slots *slots, struct gpus *gpus);

/* What runs on a GPU has no say: it is ended, and run again elsewhere. */
void slots_void(struct slots *slots, int gpu, const char *why);

/* The run in this slot does not end, whatever is done: it is given up, and
 * another slot takes the place of this one. How many such runs there are, not
 * counted as busy. */
void slots_give_up(struct slots *slots, int slot, const char *why);
int slots_stuck(const struct slots *slots);

/* The GPU of the run in a slot; -1: none. */
int slots_gpu(const struct slots *slots, int slot);

#endif
