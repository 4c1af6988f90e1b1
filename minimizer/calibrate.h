/* calibrate.h - the first runs of the original: does it fail, how, how often,
 * in which folder, how long does it take, and may runs be forked? Pulled and
 * pure, like the search:
 *
 *   while calibration_next() gives a run: carry it out
 *   calibration_report() for each
 *   until calibration_finished(); then read struct calibration_result
 *
 * At least two fresh and two forked runs; the first fork shows what the fork
 * server can load ahead, and the others whether it then shows the same. When
 * none shows the failure, the same again in the folder the user called from.
 * When some do and some do not, more runs, for the rate. */
#ifndef AUTODD_CALIBRATE_H
#define AUTODD_CALIBRATE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "config/err.h"
#include "minimizer/signature.h"
#include "worker/protocol.h"

struct calibration;

#define SHOWN_MAX 8

struct calibration_result {
    struct signature *signature;     /* NULL: never showed the failure */
    const struct observation *shown; /* the run it was pinned on; borrowed */
    const struct observation *last;  /* the first fresh run otherwise */
    unsigned fresh, fresh_matched;   /* runs */
    unsigned forked, forked_matched;
    bool in_user_cwd; /* only fails in the folder the user called from */
    bool fork;        /* runs may be forked */
    bool hangs;       /* the failure is a timeout */
    /* What forked runs with the failure had imported of what was loaded ahead,
     * as in struct observation. */
    uint32_t shown_ahead[SHOWN_MAX];
    unsigned nshown_ahead;
    /* A run that was given longer than --timeout ended after all; 0: none, or
     * nothing was. */
    uint64_t ends_after_ms;
    uint64_t fresh_ms; /* the slowest fresh run will take */
    uint64_t fresh_timeout_ms, fork_timeout_ms; /* for candidates */
    uint64_t fresh_long_ms, fork_long_ms; /* with the first run, if that took
                                           * far longer than all others */
    struct err err;  /* not shown: which demand was not met, what came */
    struct err note; /* why runs are not forked, or "" */
    char *lost;      /* a run could not be carried out: why; NULL else */
};

/* `can_fork`: the worker has a fork server. `other_cwd`: whether the user's
 * folder is another one than the script's. config and script (the text that is
 * run) are borrowed. */
struct calibration *calibration_new(const struct config *config,
                                    struct bytes script, bool can_fork,
                                    bool other_cwd);
void calibration_free(struct calibration *calibration);

/* The next run, if one can be started now: how, in the user's folder or not,
 * and its limit. */
struct calibration_run {
    enum run_how how;
    bool user_cwd;
    uint64_t timeout_ms;
    enum run_learn learn;
    unsigned number; /* in the order in which they are given */
};
bool calibration_next(struct calibration *calibration,
                      struct calibration_run *run);

/* Take the observation (copied) of a run that was given out. */
void calibration_report(struct calibration *calibration,
                        const struct calibration_run *run,
                        const struct observation *observation);

/* Give no more runs. Those that are out may still be reported, or forgotten: a
 * run that was given out and will not be reported. */
void calibration_settle(struct calibration *calibration);
void calibration_forget(struct calibration *calibration,
                        const struct calibration_run *run);

bool calibration_finished(const struct calibration *calibration);

/* Whether all runs that count ended alike: by the same end, and the same
 * message (as far as signature_mask() leaves it) in the same line. */
bool calibration_steady(const struct calibration *calibration);

/* Whether the result says already what it will say if the runs that are left
 * show the failure, as all others have. Also true once it is finished without a
 * run that was lost. */
bool calibration_known(const struct calibration *calibration);

#define HANG_FACTOR 3 /* times the limit must a hang last, to be sure */

/* The limits, in milliseconds: of a run before anything is known, and of
 * candidates, whose original took `slowest_ms` at most (patience_for()). */
uint64_t calibration_first_limit(const struct config *config);
uint64_t calibration_limit(const struct config *config, uint64_t slowest_ms);

/* Owned by the calibration. */
struct calibration_result *calibration_result(struct calibration *calibration);

#endif
