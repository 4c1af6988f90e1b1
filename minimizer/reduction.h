/* reduction.h - the search and its memory: what the trials accept becomes a
 * step, every report goes to the store, and what the store remembers of an
 * earlier run is replayed first.
 *
 * In this order: reduction_open(), reduction_start(), the searched event, the
 * settled event, reduction_close(), its closed callback, reduction_free();
 * after settled reduction_deny() may lead back to the search. reduction_close()
 * may come at any time once the fleet is closed. */
#ifndef AUTODD_REDUCTION_H
#define AUTODD_REDUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base.h"
#include "config/err.h"
#include "minimizer/fleet/fleet.h"
#include "minimizer/reasons.h"
#include "minimizer/state.h"
#include "minimizer/steps.h"
#include "minimizer/store/store.h"
#include "minimizer/trials.h"

struct uv_loop_s;
struct reduction;

/* All pointers are borrowed for the reduction's life. */
struct reduction_spec {
    struct uv_loop_s *loop;
    struct fleet *fleet;
    struct store *store;
    struct state_facts facts;
    uint64_t started_ms; /* of the minimization, by fleet_now_ms() */
};

struct reduction_events {
    /* A step is durable and in the best file; `kind` of its edit. */
    void (*accepted)(void *arg, const char *kind);
    /* So many candidates in a row have been refused; 0: one was accepted. */
    void (*tried)(void *arg, unsigned refusals);
    /* Store, best file or runs: it makes no sense to go on. */
    void (*failed)(void *arg, const struct err *err);
    /* Nothing is out and nothing more will be started. */
    void (*searched)(void *arg);
    /* After searched, and not before all steps are in the best file. */
    void (*settled)(void *arg);
};

/* Find or make the job in the store, and get ready. Errors of state_begin():
 * then there is no reduction. */
int reduction_open(struct reduction **reduction,
                   const struct reduction_spec *spec,
                   const struct reduction_events *events, void *arg,
                   struct err *err);
void reduction_free(struct reduction *reduction);

/* Replay, write the best so far, start the trials. Errors of store and file;
 * then reduction_stop() is to follow. */
int reduction_start(struct reduction *reduction, struct err *err);

/* After settled: fresh runs do not bear out `step`, not 0, but the one before
 * it, which stands in the best file. The search goes on from there, as if the
 * run that led to the step had said no, for this reason (copied); searched and
 * settled come once more.
 * From now on no hot child is asked, and every yes of a forked run needs that
 * of a fresh one. -ENOENT when the store does not know what led to the step:
 * then nothing has changed. Errors of the store and the file. */
int reduction_deny(struct reduction *reduction, size_t step, const char *why,
                   struct err *err);

/* Slots may have become free by other runs than the trials', and the facts on
 * the original (its rate) may have changed. */
void reduction_retune(struct reduction *reduction);

/* Start no more trials; searched follows, possibly at once. `why` is static.
 * Nothing happens when that is over already. */
void reduction_stop(struct reduction *reduction, const char *why);

/* Leave the best file as it is from here on, and the status (NULL: unchanged)
 * in the store. */
void reduction_seal(struct reduction *reduction, const char *status);

/* Write what waits for the store, then call `closed`. */
void reduction_close(struct reduction *reduction, void (*closed)(void *arg),
                     void *arg);

/* Where it stands. */
struct reduction_view {
    bool searched;
    bool minimal;           /* searched to the end */
    const char *stopped_by; /* the budget or "interrupt"; NULL: nothing */
    uint64_t runs, pumped, cached, rejected_early, no_verdict, accepted;
    struct run_kinds kinds; /* of these runs, and of control runs */
    struct lanes_counts hot;
    uint64_t fresh_limit_ms; /* of fresh runs, as it is now */
    unsigned out;            /* runs under way */
};
struct reduction_view reduction_view(const struct reduction *reduction);

/* What was refused, and why. */
struct reasons *reduction_reasons(struct reduction *reduction);

/* The chain so far; to place a step, settled must have come. */
struct steps *reduction_steps(struct reduction *reduction);

#endif
