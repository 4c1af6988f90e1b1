/* worker.h - the interpreter of a job, found by name or path. The worker's main
 * itself, worker_main(), is in protocol.h. */
#ifndef AUTODD_WORKER_H
#define AUTODD_WORKER_H

#include "config/err.h"

/* The absolute path of interpreter `name`: looked for in `path` (as PATH is
 * written) if it has no slash. Symbolic links are not followed: a virtual
 * environment is known by them. *found is the caller's. -ENOENT with a sentence
 * naming the interpreter and the remedy. Blocks. */
int worker_find_python(const char *name, const char *path, char **found,
                       struct err *err);

#endif
