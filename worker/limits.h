/* limits.h - set limits, then exec: `autodd-c limits FILE_MAX CPU_S -- CMD ...`
 *
 * For commands started by uv_spawn, which has no hook between fork and exec.
 * Sets RLIMIT_FSIZE (bytes, 0: leave), RLIMIT_CPU (seconds, 0: leave),
 * RLIMIT_CORE 0 and SIGKILL as death signal, checks that the parent still
 * lives, restores default signal dispositions, and execs CMD. Exit code 127
 * with a line on stderr when CMD cannot be run. The entry point is
 * limits_main() in worker/protocol.h. */
#ifndef AUTODD_LIMITS_H
#define AUTODD_LIMITS_H

#include <stddef.h>
#include <stdint.h>

#define LIMITS_ARGS 5 /* words that limits_argv() puts before CMD */

/* Text room for the numbers of limits_argv(). */
struct limits_text {
    char file_max[24], cpu_s[24];
};

/* Fill argv[0 .. LIMITS_ARGS-1] with the launcher for these limits. `self` is
 * the path of this program; all is borrowed. */
void limits_argv(const char **argv, struct limits_text *text, const char *self,
                 uint64_t file_max, uint64_t cpu_s);

#endif
