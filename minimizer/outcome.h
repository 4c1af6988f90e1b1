/* outcome.h - how a minimization ended, as the files of --report tell it. */
#ifndef AUTODD_OUTCOME_H
#define AUTODD_OUTCOME_H

#include "config/base.h"
#include "config/config.h"
#include "config/err.h"
#include "minimizer/input.h"
#include "minimizer/notes.h"
#include "minimizer/original.h"
#include "minimizer/reasons.h"
#include "minimizer/session.h"
#include "minimizer/steps.h"

/* All borrowed. */
struct outcome {
    enum exit_code code;
    const struct session_view *view;
    const struct input *input;
    const struct job_setup *setup;
    const struct ready *ready; /* what the worker said; zeroed: nothing yet */
    const struct notes *notes;
    const struct observation *shown; /* a failing run of best; NULL: none */
    const struct original_facts *original; /* NULL: no signature pinned */
    const struct steps *steps;             /* NULL: no search */
    struct bytes best, good; /* good: its good form, empty without */
    struct reasons *reasons; /* what was refused; NULL: not known */
};

/* Write every file of --report, with the processor time of this process so
 * far. `failed` is told each that could not be written. How many those were.
 * Blocks. */
size_t outcome_write(const struct outcome *outcome, const struct config *config,
                     void (*failed)(void *arg, const struct err *err),
                     void *arg);

#endif
