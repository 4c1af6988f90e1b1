/* sanitizer.h - the compute-sanitizer of a job: where it is, and its version.
 */
#ifndef AUTODD_GPU_SANITIZER_H
#define AUTODD_GPU_SANITIZER_H

#include <stdint.h>

#include "config/config.h"
#include "config/err.h"

struct uv_loop_s;
struct sanitizer_probe;

/* Its absolute path, the caller's: in PATH, or in the toolkit of CUDA_HOME or
 * CUDA_PATH, as `env` has them. -ENOENT with the remedy. Blocks. */
int sanitizer_find(const struct strings *env, char **found, struct err *err);

/* Borrowed until sanitizer_probe_start() returns. */
struct sanitizer_spec {
    const char *self; /* path of this program, for its limits launcher */
    const char *program;
    const char *folder; /* its cwd */
    const struct strings *env;
    uint64_t grace_ms;
};

/* Have it say its version. `done` comes once, from the loop: with "2024.3.1.0",
 * borrowed, or NULL where it says nothing of the kind. */
struct sanitizer_probe *
sanitizer_probe_start(struct uv_loop_s *loop, const struct sanitizer_spec *spec,
                      void (*done)(void *arg, const char *version), void *arg);

/* End it at once; done follows. */
void sanitizer_probe_kill(struct sanitizer_probe *probe);

/* The version in what `compute-sanitizer --version` prints, the caller's, or
 * NULL. */
char *sanitizer_version(const char *said);

#endif
