/* list.h - which GPUs there are, and which of them runs are dealt over.
 *
 * What CUDA would show is what can be chosen: without CUDA_VISIBLE_DEVICES all
 * that NVML found, in its order; with it, its entries in theirs. Pure. */
#ifndef AUTODD_GPU_LIST_H
#define AUTODD_GPU_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/buf.h"
#include "config/err.h"

struct json;

/* A GPU, or an instance of one in MIG mode. */
struct gpu_entry {
    char *uuid;    /* as NVML says it; or the user's own word, !known */
    char *name;    /* "NVIDIA H200" */
    char *parent;  /* uuid of the GPU; NULL: it is a whole one */
    char *visible; /* value of CUDA_VISIBLE_DEVICES in its runs; NULL: the
                    * uuid */
    bool known;    /* to NVML; else it is dealt out and not watched */
    unsigned index;
    unsigned mode;              /* enum nvml_compute_mode */
    uint64_t total, free, used; /* bytes; total 0: not known */
};

struct gpu_list {
    struct gpu_entry *at;
    size_t n;
    char *driver; /* version, or NULL */
};

/* From a frame "gpus" of the helper. Entries without a uuid are left out. */
void gpu_list_read(struct gpu_list *list, const struct json *frame);
void gpu_list_deinit(struct gpu_list *list);

/* What the user asked for, of what is there. `spec`: the value of --gpus but
 * "none". `visible`: CUDA_VISIBLE_DEVICES, or NULL; `by_bus`: whether CUDA's
 * integers are in NVML's order for sure. 0 and the chosen, to be deinited, in
 * *out (none is fine for "all"); or -EINVAL with a sentence that lists what was
 * found. */
int gpu_list_choose(const struct gpu_list *found, const char *spec,
                    const char *visible, bool by_bus, struct gpu_list *out,
                    struct err *err);

/* The shortest name that people know it by: "GPU-8f3c21a0". Into out. */
const char *gpu_short(const char *uuid, char *out, size_t size);

#endif
