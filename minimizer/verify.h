/* verify.h - the final check: does the result fail by itself (and pass where it
 * must), and if not, which step of the accepted chain still does?
 *
 * Fresh runs of the newest step. When too few show the failure, or one that
 * must pass does not, the chain is bisected for the newest step that holds;
 * step 0, the original, was seen to in the calibration. What holds is then run
 * without each of the aids that all runs had so far; what it does there is told
 * and nothing more. Lives from verify_start() until its done event returns;
 * done comes once, from the loop, or from inside verify_start() if all runs
 * have been made early.
 */
#ifndef AUTODD_VERIFY_H
#define AUTODD_VERIFY_H

#include <stdbool.h>
#include <stddef.h>

#include "config/base.h"
#include "config/err.h"
#include "grammar/guard.h"
#include "minimizer/aids.h"
#include "minimizer/control.h"
#include "minimizer/fleet/fleet.h"
#include "minimizer/signature.h"

struct early;

struct verify_spec {
    struct fleet *fleet;
    const struct signature *signature;
    const struct guard *guard; /* what must be what fails; NULL: anything */
    size_t steps;              /* in the chain, the original included */
    unsigned runs;             /* fresh runs a step */
    unsigned needed;           /* of them must show the failure */
    uint64_t timeout_ms;
    struct early *early; /* of these, runs of the newest step that have begun
                          * already; NULL: none */
    const char *cwd;     /* NULL: the run's own folder */
    const char *path; /* run this file; NULL: the text, laid as a candidate */
    const char *good_path;          /* the same of the good form */
    const struct control *controls; /* what must pass, in every run */
    unsigned ncontrols;
    unsigned aids; /* of the fleet's; the result is run without each of them */
    /* Put step i in place (the best file) and lend its text until the next
     * call; of its good form too, where a control runs that. -errno with a
     * sentence ends the check. */
    int (*place)(void *arg, size_t step, struct bytes *text, struct bytes *good,
                 struct err *err);
};

/* What the result does without an aid. */
struct verify_without {
    enum run_aid aid;
    unsigned runs, matched;
};

struct verify_result {
    size_t step;            /* in place now */
    unsigned runs, matched; /* of that step */
    unsigned control_runs[CONTROLS_MAX], control_passed[CONTROLS_MAX];
    bool walked_back; /* the newest step did not do */
    /* Why, as the first run that was against it says; borrowed until done
     * returns. */
    const char *why;
    struct verify_without without[AIDS_MAX];
    unsigned nwithout;
    /* A run of that step that showed the failure; borrowed until done returns.
     * NULL: there was none, as of step 0. */
    const struct observation *shown;
    int error; /* -errno: could not be carried out; text in err */
    struct err err;
};

/* `arg` goes to place and done. */
void verify_start(const struct verify_spec *spec,
                  void (*done)(void *arg, const struct verify_result *result),
                  void *arg);

#endif
