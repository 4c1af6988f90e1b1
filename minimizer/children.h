/* children.h - which children of the fork server may run candidates: plain
 * ones, warm ones that have made their CUDA context ahead, hot ones that run
 * one candidate after another.
 *
 * Before the search the original is run in them: a warm child must show the
 * failure, and a hot one must show it twice and be fit for more. What is not
 * worth it is not asked for: without a context to save, and where one run
 * decides nothing. Left to choose (CHILDREN_AUTO), hot children are used where
 * the second of those runs took a third of a forked one's time at most. */
#ifndef AUTODD_CHILDREN_H
#define AUTODD_CHILDREN_H

#include <stdbool.h>
#include <stdint.h>

#include "config/base.h"
#include "config/config.h"
#include "minimizer/fleet/fleet.h"
#include "minimizer/signature.h"

/* All borrowed until done, which may come after an end of the fleet. */
struct children_spec {
    const struct config *config;
    const struct signature *signature;
    struct fleet *fleet;
    struct bytes text; /* of the original */
    char *cwd;         /* NULL: the run's own folder */
    uint64_t timeout_ms;
    bool fork;    /* runs may be forked */
    bool steady;  /* the original failed in every run */
    bool context; /* it made a CUDA context */
};

/* `use` is never CHILDREN_AUTO. `warm`: the failure has shown in a warm child,
 * so that clean runs may be by such ones. `note`: why not what could have been,
 * as a sentence; NULL: nothing to say; borrowed. */
typedef void (*children_done_cb)(void *arg, enum config_children use, bool warm,
                                 const char *note);

/* Starts the runs. `done` comes once, from the loop or from inside this call.
 */
void children_check(const struct children_spec *spec, children_done_cb done,
                    void *arg);

#endif
