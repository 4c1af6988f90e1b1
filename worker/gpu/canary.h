/* canary.h - a kernel whose result is known, to ask a GPU whether it works.
 *
 * It is compiled with the program where nvcc was found (canary.cu); else there
 * is none. It runs in a process of its own, which may hang. */
#ifndef AUTODD_GPU_CANARY_H
#define AUTODD_GPU_CANARY_H

#include <stdbool.h>

bool canary_is_built(void);

enum canary_end {
    CANARY_CLEAN = 0,
    CANARY_FAILED = 1,  /* one line on stdout says how */
    CANARY_MISSING = 4, /* not built, or no driver */
};

/* `autodd-c gpu canary [UUID]`: on the first GPU that CUDA shows, or that one.
 * Exit code: enum canary_end. */
int canary_main(int argc, char **argv);

#endif
