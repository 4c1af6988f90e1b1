/* control.h - the runs that must pass beside those that fail: in the other
 * environment of --pass-with, and of the good form of --good.
 *
 * Before the search the original is run there, twice fresh and, where there is
 * a fork server, twice forked: all must pass. What is found is what a trial and
 * the final check need to know of the control. */
#ifndef AUTODD_CONTROL_H
#define AUTODD_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "config/base.h"
#include "config/config.h"
#include "minimizer/fleet/fleet.h"
#include "minimizer/signature.h"

#define CONTROLS_MAX 2

struct control {
    const char *what;      /* "in the other environment (env:A=1)"; borrowed */
    struct fleet *fleet;   /* which carries its runs out */
    bool good_form;        /* runs the good form of a candidate */
    unsigned runs, passed; /* of the original */
    bool fork;             /* runs may be forked */
    uint64_t fork_timeout_ms, fresh_timeout_ms; /* for candidates */
};

/* All borrowed until done, which may come after an end of the fleet. */
struct control_spec {
    const struct config *config;
    const struct signature *signature;
    const struct control *control; /* what, fleet, good_form */
    struct bytes text;             /* to run; borrowed for the start alone */
    bool can_fork;
    char *cwd; /* NULL: the run's own folder */
};

struct control_result {
    struct control control; /* all of it, when neither of those below is */
    const char *lost;       /* a run could not be carried out: why */
    const char *refused;    /* it does not pass: sentences for the user */
    const char *note;       /* why runs are not forked; NULL: nothing */
};

/* Starts the runs. `done` comes once, from the loop; what the result points to
 * is borrowed during it. */
void control_check(const struct control_spec *spec,
                   void (*done)(void *arg, const struct control_result *result),
                   void *arg);

#endif
