/* doctor.h - `autodd-c doctor`: what was found on this machine, and what that
 * enables. */
#ifndef AUTODD_DOCTOR_H
#define AUTODD_DOCTOR_H

#include "config/config.h"

/* Print the findings on stdout. Exit code 0, or EXIT_ENVIRONMENT when something
 * that every job needs is missing (interpreter, room in TMPDIR). Blocks for as
 * long as the interpreter takes, at most 30 s. */
int doctor_run(const struct config *config);

#endif
