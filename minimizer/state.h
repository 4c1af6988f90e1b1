/* state.h - a minimization in the state file: where that file is, which files
 * are known from it, and which of its jobs is this one. Blocks. */
#ifndef AUTODD_STATE_H
#define AUTODD_STATE_H

#include <stdint.h>

#include "config/config.h"
#include "config/err.h"
#include "minimizer/input.h"
#include "minimizer/original.h"
#include "minimizer/setup.h"
#include "minimizer/store/store.h"

/* Open the file of --state, or the usual one. -ENOENT when no home folder is
 * to be found; errors of store_open(). */
int state_open(struct store **store, const struct config *config,
               struct err *err);

/* Whether the output may be replaced, and that of the good form: it is empty,
 * an earlier result or not there, or --force was given. -EEXIST with a sentence
 * when it may be someone else's work; errors of file_read(). */
int state_check_output(struct store *store, const struct config *config,
                       const struct input *input, struct err *err);

/* What makes verdicts comparable: the text, the question, the tools. All
 * borrowed. */
struct state_facts {
    const struct config *config;
    const struct input *input;
    const struct job_setup *setup;
    const struct job_setup *other; /* of --pass-with, or NULL */
    const struct original_facts *original;
    const char *python, *python_version;
    const char *sanitizer; /* version; NULL: none, or unknown */
    const char *other_python, *other_version; /* of --pass-with, or NULL */
};

/* Find or make the job of these facts, empty with --no-cache, and mark it as
 * running. *job is its number, *trace what the first traced run of it has said
 * (strings for the caller to free, also on errors). Errors of the store. */
int state_begin(struct store *store, const struct state_facts *facts,
                int64_t *job, struct store_trace *trace, struct err *err);

#endif
