/* env.h - the environment of runs.
 *
 * What a run sees is made of two lists of "K=V": the base, which all processes
 * of a job share (the worker's own environment, the user's --env, and what
 * makes runs repeatable), and what differs from run to run and slot to slot. A
 * fork gets only the second, over what its fork server has. Pure but for
 * reading the environment. */
#ifndef AUTODD_ENV_H
#define AUTODD_ENV_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "worker/protocol.h"

/* The base for a job; the caller frees it with env_free(). */
void env_base(struct strings *out, const struct job_setup *setup);

struct env_run {
    uint64_t id;
    int slot;
    const char *gpu;   /* its CUDA_VISIBLE_DEVICES; NULL: dealt from the user's,
                        * one of its entries a slot */
    const char *tmp;   /* its TMPDIR */
    const char *cache; /* folder of the compile caches */
    unsigned aids;     /* set of enum run_aid */
    const char *fill;  /* fill_install()'s folder, for AID_FILL, which is
                        * nothing without: NULL */
};

/* What this run alone sees. */
void env_run(struct strings *out, const struct job_setup *setup,
             const struct env_run *run);

/* What the fork server sees over the base, and its children with it: no
 * question to the driver at import, and folders of its own for what is read at
 * import. Not AUTODD_RUN, for it belongs to no run. `fill`: that folder, for a
 * job whose runs may have AID_FILL, else NULL. */
void env_fork_server(struct strings *out, const struct job_setup *setup,
                     const char *tmp, const char *cache, const char *fill);

/* Set all of `over` in `out`: the last of a name wins. */
void env_merge(struct strings *out, const struct strings *over);

/* The value of a name, borrowed; NULL without it. */
const char *env_get(const struct strings *env, const char *name);

/* Set one "NAME=VALUE". */
void env_set(struct strings *env, const char *name, const char *value);

void env_free(struct strings *env);

#endif
