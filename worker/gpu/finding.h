/* finding.h - what compute-sanitizer has found: the first error of its log, as
 * a kind and a kernel. Addresses, threads, sizes and what follows from the
 * error (calls that then fail) are not part of it. Pure but for the reading of
 * the file. */
#ifndef AUTODD_GPU_FINDING_H
#define AUTODD_GPU_FINDING_H

#include <stddef.h>

enum finding {
    FINDING_NONE,   /* a whole log without an error */
    FINDING_ERROR,  /* *words is "Invalid __global__ write in KERNEL" */
    FINDING_NO_LOG, /* the tool did not do its work; *words says why */
};

/* *words: the caller's; NULL for FINDING_NONE. */
enum finding finding_read(const char *log, size_t len, char **words);
enum finding finding_read_file(const char *path, char **words);

/* Put before a command's words: `argv` has room for FINDING_ARGS. All is
 * borrowed; `log_file` is where the log goes. */
#define FINDING_EXIT 86 /* of a run with an error */
#define FINDING_ARGS 12
void finding_argv(const char **argv, const char *program, const char *tool,
                  const char *log_file);

#endif
