/* mps.h - whether CUDA programs share their GPU through the multi-process
 * service, where a fault of one ends all. Reads /proc and /tmp. */
#ifndef AUTODD_GPU_MPS_H
#define AUTODD_GPU_MPS_H

/* Where it was seen, caller frees; NULL: nowhere. `pipes`: the value of
 * CUDA_MPS_PIPE_DIRECTORY, or NULL. */
char *mps_found(const char *pipes);

#endif
