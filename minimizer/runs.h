/* runs.h - runs, counted by the kind of process that they had. */
#ifndef AUTODD_RUNS_H
#define AUTODD_RUNS_H

#include <stdint.h>

#include "worker/protocol.h"

struct run_kinds {
    uint64_t fresh;  /* a new interpreter */
    uint64_t forked; /* a child forked for it */
    uint64_t warm;   /* one with a CUDA context made ahead */
    uint64_t hot;    /* a child that had runs before, or will have more */
};

/* Count a run that took place. */
void run_kinds_count(struct run_kinds *kinds, const struct observation *o);

/* Count those of `more` too. */
void run_kinds_add(struct run_kinds *kinds, const struct run_kinds *more);

#endif
