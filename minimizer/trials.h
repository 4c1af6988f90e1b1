/* trials.h - the search at work: gives its trials to the fleet, turns
 * observations into verdicts, and reports them back.
 *
 * Lives from trials_new() to trials_free(), which must wait for the finished
 * event. All events come from the loop, or from inside trials_pump(). */
#ifndef AUTODD_TRIALS_H
#define AUTODD_TRIALS_H

#include <stdbool.h>
#include <stdint.h>

#include "config/err.h"
#include "grammar/guard.h"
#include "minimizer/control.h"
#include "minimizer/fleet/fleet.h"
#include "minimizer/lanes.h"
#include "minimizer/runs.h"
#include "minimizer/search/search.h"
#include "minimizer/signature.h"
#include "minimizer/store/store.h"

struct screen;
struct trials;
struct twin;

/* All pointers are borrowed for the trials' life. */
struct trials_spec {
    struct fleet *fleet;
    struct search *search;
    const struct signature *signature;
    const struct guard *guard;   /* what must be what fails; NULL: anything */
    bool fork;                   /* screen by forked runs; else all are fresh */
    const struct screen *screen; /* forked runs are plain, and no more than
                                  * that; NULL: they show the failure */
    uint64_t fork_timeout_ms, fresh_timeout_ms;
    uint64_t fork_long_ms, fresh_long_ms; /* see patience.h */
    const struct config *config;          /* its limits */
    bool hangs;        /* the failure is a timeout: no limit is ever raised */
    bool outlasts;     /* and where that may be chance, it must last longer */
    const char *cwd;   /* NULL: the run's own folder */
    const char *loads; /* of the original, as in struct observation */
    const uint32_t *shown_ahead; /* of its forked runs, likewise */
    unsigned nshown_ahead;
    unsigned bounds;   /* what kernels must not do: set of enum run_reach */
    bool figures;      /* the search is told those of a yes */
    unsigned width;    /* of the search; 0: as it is */
    unsigned tries;    /* runs without the failure that make a no; 1: steady */
    uint64_t max_runs; /* 0: no budget */
    bool confirm;      /* each yes of a forked run needs a fresh one's */
    bool warm;         /* forked runs by children with a CUDA context */
    bool hot;          /* hot children screen, if tries is 1 and not in_order */
    unsigned lanes;    /* of them at a time */
    bool in_order;     /* report in the order of issue: the same trials and
                        * result whatever the runs take */
    const struct twin *twin; /* whose places the search follows, or NULL */
    const struct control *controls; /* what must pass */
    unsigned ncontrols;             /* at most CONTROLS_MAX */
};

struct trials_counts {
    uint64_t runs;    /* candidates really executed */
    uint64_t dropped; /* of them, ended early: could be of no use any more */
    uint64_t early;   /* did not compile: never run */
    uint64_t no_verdict;
    uint64_t replayed; /* reports taken from the store */
    struct run_kinds kinds;
    struct lanes_counts lanes;
    uint64_t fresh_limit_ms; /* of fresh runs, as it is now */
    uint64_t measured;       /* runs of the best so far, for the limits */
    bool hot_off;            /* hot children have shown to be unfit */
};

struct trials_events {
    /* The search was told something: a verdict, what one is expected to be, or
     * what store_report says of trial 0; when
     * `accepted`, search_text() is the new base and search_last_kind() its
     * edit. */
    void (*reported)(void *arg, const struct store_report *report,
                     bool accepted);
    /* A run said no: to which text, and what came of it ("NameError: T",
     * "passes"). */
    void (*refused)(void *arg, struct hash128 text, const char *why);
    /* Nothing is out any more and nothing more will be started. `why` is NULL
     * when the search is done, else the budget or "interrupt". */
    void (*finished)(void *arg, const char *why);
    /* Too many runs in a row could not be carried out. finished follows. */
    void (*failed)(void *arg, const struct err *err);
};

struct trials *trials_new(const struct trials_spec *spec,
                          const struct trials_events *events, void *arg);
void trials_free(struct trials *trials);

/* Before the first pump: one logged report after the other. False: the log does
 * not fit this search, and the rest of it is of no use. `accepted` as above. */
bool trials_replay(struct trials *trials, const struct store_report *report,
                   bool *accepted);

/* Start what can be started. Call once after replay; goes on by itself. */
void trials_pump(struct trials *trials);

/* The original turned out to be less steady, or slower, than the spec said.
 * Noes of one run each, if that is too few now, are asked again before the
 * end. */
void trials_tune(struct trials *trials, unsigned tries,
                 uint64_t fresh_timeout_ms, uint64_t fresh_long_ms,
                 bool outlasts);

/* Start nothing more; runs under way are ended. finished follows, possibly at
 * once. `why` is static. Idempotent. */
void trials_stop(struct trials *trials, const char *why);

struct trials_counts trials_counts(const struct trials *trials);
unsigned trials_out(const struct trials *trials);

#endif
