/* setup.h - the job as the worker is told it, made from options and script. */
#ifndef AUTODD_SETUP_H
#define AUTODD_SETUP_H

#include "config/buf.h"
#include "config/config.h"
#include "minimizer/input.h"
#include "worker/protocol.h"

/* Fill *setup, which then owns copies of all: setup_deinit(). The patterns are
 * err-msg, err-regex, not-msg, in that order (signature.h relies on it). The
 * preload list is the script's absolute imports. */
void setup_build(struct job_setup *setup, const struct config *config,
                 const struct input *input);

/* The same job in the environment of --pass-with: its interpreter, its
 * variables over those of --env, its folders in front of PYTHONPATH. It has a
 * mark of its own, so both may run side by side. */
void setup_build_other(struct job_setup *setup, const struct config *config,
                       const struct input *input);
/* The value of a variable where the job's runs are, as far as one can tell
 * without the script; NULL without it. */
const char *setup_value(const struct job_setup *setup, const char *name);

void setup_deinit(struct job_setup *setup);

/* What of it decides verdicts, for the state's key: arguments, environment,
 * command, test, backend, limits. */
void setup_key(const struct job_setup *setup, struct buf *out);

#endif
