/* aids.h - what runs are helped by so that a failure shows each time, or in one
 * place (enum run_aid): by the user's wish, or tried in the calibration. Pure
 * but for reading the environment. */
#ifndef AUTODD_AIDS_H
#define AUTODD_AIDS_H

#include <stdbool.h>

#include "config/config.h"
#include "minimizer/setup.h"

#define AIDS_MAX 2 /* in a set */

/* Those that all runs of this job have, from the first. */
unsigned aids_wanted(const struct config *config,
                     const struct job_setup *setup);

/* Whether AID_BLOCKING is to be tried: nobody has said how it shall be, the
 * script's own first lines included. */
bool aids_try_blocking(const struct config *config,
                       const struct job_setup *setup);

/* For people: "--fill nan" (static). */
const char *aid_words(enum run_aid aid);

#endif
