/* trials_parts.h - what the files of the trials (trials.h) share.
 *
 *   trials.c         the list, and what is started when
 *   trials_budget.c  how many runs may still be made
 *   trials_run.c     from an ask of a trial to a run
 *   trials_hot.c     runs in hot children, and when they are believed
 *   trials_answer.c  from what a run says to the next ask, or to a verdict
 *   trials_time.c    what takes too long, and what comes and goes
 *   trials_tell.c    what the search is told */
#ifndef AUTODD_TRIALS_PARTS_H
#define AUTODD_TRIALS_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base.h"
#include "config/buf.h"
#include "minimizer/asks.h"
#include "minimizer/lanes.h"
#include "minimizer/patience.h"
#include "minimizer/trials.h"

struct trial {
    struct trials *trials;
    struct trial *next;
    struct search_trial search;
    bool out;                     /* at a fleet */
    unsigned order[ASKS_MAX], at; /* its asks; the one that is going on */
    bool confirm;                 /* the fresh run after a forked yes */
    bool screening;               /* its run is a plain one, see screen.h */
    bool forked;                  /* its run is to be forked */
    struct attempt attempt;       /* of its run */
    bool waits;                   /* for a measurement */
    bool lasting;                 /* its run must last longer: it hangs */
    unsigned misses, hits;        /* of this ask */
    unsigned first_runs;          /* of its first ask; 0: not answered */
    bool first_no;
    bool passed;      /* so said the run that says no */
    uint32_t figures; /* that the run showed that says yes */
    unsigned nones, runs;
    bool hot;    /* its run is one in lane `lane` */
    bool begun;  /* its asks are in order */
    bool parked; /* waits for a control run of its lane */
    bool clean;  /* no hot child is asked any more */
    enum { DOUBT_NONE, DOUBT_NO, DOUBT_YES } doubt; /* what a hot run said */
    enum verdict expected; /* what the search was told; VERDICT_NONE: nothing */
    unsigned lane;
    struct trial *next_held;
    bool done; /* has its verdict and waits for earlier trials to have theirs */
    bool early;
    enum verdict verdict;
    char *loads;        /* of the forked yes that a fresh run is to confirm */
    char *ahead;        /* likewise, see name_ahead() */
    char *why;          /* it is a no */
    char *observed;     /* it looks, and is a yes */
    struct span *marks; /* the twin's places in its text; NULL: no twin */
};

/* A run of the best so far, for the limit of fresh or of forked runs. */
struct measure {
    struct trials *trials;
    bool forked, out;
};

/* What the trials have in a lane. */
struct berth {
    struct trials *trials;
    struct trial *held;    /* noes since the last control run */
    struct trial *waiting; /* to be run after a control run; NULL: none */
};

struct trials {
    struct trials_spec spec;
    struct trials_events events;
    void *arg;
    struct trial *list; /* given out by the search, not reported yet */
    struct asks asks;
    struct lanes lanes;
    struct berth *berths;                          /* one a lane */
    struct patience patience[1 + CONTROLS_MAX][2]; /* by ask; fresh, forked */
    struct measure measures[2];
    uint64_t slowest_end[2]; /* of runs that ended by themselves */
    unsigned out;
    unsigned out_elsewhere; /* of these, in another fleet */
    uint64_t calls;         /* of search_next, for the log */
    unsigned width;         /* of the search, as the log has it; 0: not yet */
    unsigned nones_in_a_row;
    unsigned spoilt;        /* forked runs in which CUDA did not start */
    uint64_t runs_reported; /* those of trials that have been reported */
    unsigned listed;        /* trials in the list */
    bool asked;             /* the search has no more until a report */
    bool denied;            /* a clean run lately said no to a hot yes */
    bool rested;            /* no lane is wanted any more, and no child waits */
    struct strings loaded;  /* what texts load that a fresh run said yes to */
    struct trials_counts counts;
    const char *why; /* set: start nothing more */
    bool pumping, finished;
};

/* ---- trials.c ---- */

/* The search's next trial, in the list; NULL: it has none for now. */
struct trial *trials_take(struct trials *t);

/* Out of the list, and freed. */
void trials_drop(struct trials *t, struct trial *trial);

/* NULL: it is not in the list. */
struct trial *trials_find(const struct trials *t, uint64_t id);

/* Whether a run could begin at once. */
bool trials_has_room(const struct trials *t);

/* ---- trials_budget.c ---- */

/* The trial that the search gave first; NULL: the list is empty. */
struct trial *trials_earliest(const struct trials *t);

/* No run is left. */
bool trials_is_spent(const struct trials *t);

/* Whether a run of a trial may begin. */
bool trial_may_run(const struct trial *trial);

/* Whether no new trial may be taken. */
bool trials_over_budget(const struct trials *t);

/* Whether a run is left to check what a hot child will say. */
bool trials_leaves_check(const struct trials *t);

/* ---- trials_run.c ---- */

/* Which ask is going on. */
unsigned trial_ask_of(const struct trial *trial);

/* What the present ask is about; NULL: that the candidate fails. */
const struct control *trial_control_of(const struct trial *trial);

struct fleet *trial_fleet_of(const struct trial *trial);

/* A run of the present ask, or for now none. */
void trial_start(struct trial *trial);

/* Its first run, or the first after a replay. */
void trial_begin(struct trial *trial);

/* ---- trials_hot.c ---- */

/* A yes of a hot child that the search goes on from, and that no clean run is
 * asked about yet. */
bool trial_is_open(const struct trial *trial);

/* Whether there is one on the way. */
bool trials_is_way_open(const struct trials *t);

/* The yes that a clean run is to be asked about next, on a way of *n; NULL:
 * there is none. */
struct trial *trials_next_check(const struct trials *t, size_t *n);

/* Ask a clean run about it. `idle`: there is nothing else to do for now. */
void trials_check_way(struct trials *t, bool idle);

/* Run the candidate in a lane, if there is one for it. */
bool trial_start_hot(struct trial *trial);

/* What is held gets its control runs. */
void trials_prove(struct trials *t);

/* A trial waits for a control run no longer. */
void trial_leave_lane(struct trial *trial);

/* Children of lanes that are off have nothing to wait for. */
void trials_rest_lanes(struct trials *t);

/* Take what a hot run says. False: it was none after all, or none is needed. */
bool trial_take_hot(struct trial *trial, const struct observation *o,
                    enum verdict verdict, const char *why);

/* A clean run answers what a hot one has said. */
void trial_check_doubt(struct trial *trial, enum verdict verdict);

/* ---- trials_tell.c ---- */

/* Tell the search what will come of a trial that goes on. */
void trial_expect(struct trial *trial, enum verdict verdict);

/* What a trial waits for is not needed any more. */
void trial_give_up_run(struct trial *trial);

/* Nobody wants its verdict any more. */
void trial_end_early(struct trial *trial);

/* Report a trial that is done, and those that are settled by it. */
void trial_tell(struct trial *trial);

/* The verdict of a trial, at once or when it is its turn; `why` it is a no, or
 * NULL. */
void trial_report(struct trial *trial, enum verdict verdict, bool early,
                  const char *why);

/* ---- trials_answer.c ---- */

/* A fresh run has said yes to `ask` of a text that loads this; NULL: nothing.
 */
void trials_add_loaded(struct trials *t, unsigned ask, const char *loads);

/* Likewise, of what was loaded ahead. */
void trials_add_ahead(struct trials *t, uint32_t shown);

/* A run says no to the present ask. */
void trial_take_no(struct trial *trial, bool early, const char *why);

/* If this is its last ask. */
void trial_expect_yes(struct trial *trial);

/* No, whatever the number of tries. */
void trial_refuse(struct trial *trial, bool early, const char *why);

/* The run of a trial is over. */
void trial_on_done(void *arg, const struct observation *observation);

/* ---- trials_time.c ---- */

/* The limit of the run that begins now. */
uint64_t trial_limit_of(struct trial *trial, bool forked);

/* Noes of one run each say nothing any more. */
void trials_doubt(struct trials *t, unsigned tries);

/* Look at the time that a clean run took. True: no verdict yet. */
bool trial_take_time(struct trial *trial, const struct observation *o,
                     enum verdict verdict);

#endif
