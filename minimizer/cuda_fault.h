/* cuda_fault.h - the errors of CUDA that stay with a process: how the driver,
 * the runtime and the libraries above them word each one. Pure.
 *
 * Source: enum cudaError_enum of cuda.h 13.0 and what cuGetErrorString() says.
 */
#ifndef AUTODD_CUDA_FAULT_H
#define AUTODD_CUDA_FAULT_H

#include <stdbool.h>
#include <stddef.h>

struct cuda_fault {
    unsigned code;    /* of CUresult */
    const char *text; /* the words of cuGetErrorString() that tell it apart */
    const char *name; /* the name in CUresult */
    const char *runtime; /* the name in cudaError_t */
    bool access;         /* of memory, in a wrong way */
    /* All that cuGetErrorString() says of an access to memory that is not the
     * kernel's; NULL: it is something else. Which of the errors with this comes
     * depends on where the address happens to point: on an H200 one store out
     * of bounds was seen to end in 700 in some runs and in 717 in others. */
    const char *stray;
};

/* The first of them that `text` names, in the order of the table; NULL: none,
 * or `text` is NULL. Static. */
const struct cuda_fault *cuda_fault_find(const char *text);

/* The bytes at the start of s[0..len) that name a stray access, 0: none do; at
 * `*same` then the form that all its errors share (static). */
size_t cuda_fault_stray(const char *s, size_t len, const char **same);

#endif
