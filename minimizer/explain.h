/* explain.h - what the first runs mean, in sentences for the user. Pure. */
#ifndef AUTODD_EXPLAIN_H
#define AUTODD_EXPLAIN_H

#include <stdbool.h>

#include "config/buf.h"
#include "config/config.h"
#include "minimizer/calibrate.h"
#include "minimizer/control.h"
#include "minimizer/input.h"
#include "minimizer/session.h"

/* Why the original does not show the failure: what was run, where, how it
 * ended, its last lines, what was looked for, the nearest lines found, what to
 * try. The exit code: EXIT_USAGE when the script does not compile,
 * EXIT_ENVIRONMENT when the interpreter lacks a module, else
 * EXIT_NOT_REPRODUCED. */
enum exit_code explain_not_reproduced(const struct config *config,
                                      const struct input *input,
                                      const char *python,
                                      const struct calibration_result *result,
                                      struct buf *out);

/* Whether the failure that would be taken is only that the interpreter lacks a
 * module, and nobody asked for that. */
bool explain_wrong_interpreter(const struct config *config,
                               const struct calibration_result *result);

/* Why a control (control.h) is of no use: the original does not pass there.
 * What was run, how it ended, its last lines, what to try. */
void explain_no_pass(const struct control *control,
                     const struct signature *signature,
                     const struct observation *failed, struct buf *out);

/* What was found: category and reason (when no text was asked for), and the
 * signature that will be kept. */
void explain_kept(const struct config *config,
                  const struct calibration_result *result, struct buf *out);

/* And how often it showed, in which folder, and whether runs are forked. */
void explain_shown(const struct calibration_result *result, struct buf *out);

#endif
