/* nvml.h - the few things of NVIDIA's management library that we use, declared
 * here and found by dlopen: the program is built and starts without it.
 *
 * Used in the helper process alone (helper.c), for its calls may hang. Every
 * function is a pointer that may be NULL: what is missing is a feature less.
 * Layouts and numbers are those of NVIDIA's nvml.h; test_nvml.c holds them to
 * their sizes. */
#ifndef AUTODD_NVML_H
#define AUTODD_NVML_H

#include <stdint.h>

#include "config/err.h"

typedef struct nvmlDevice_st *nvmlDevice_t;
typedef struct nvmlEventSet_st *nvmlEventSet_t;

enum nvml_return {
    NVML_SUCCESS = 0,
    NVML_NOT_SUPPORTED = 3,
    NVML_INSUFFICIENT_SIZE = 7,
    NVML_TIMEOUT = 10,
    NVML_GPU_IS_LOST = 15,
    NVML_RESET_REQUIRED = 16
};

enum nvml_compute_mode {
    NVML_MODE_DEFAULT = 0,
    NVML_MODE_EXCLUSIVE_THREAD = 1,
    NVML_MODE_PROHIBITED = 2,
    NVML_MODE_EXCLUSIVE_PROCESS = 3
};

#define NVML_EVENT_DOUBLE_BIT_ECC 0x2ull
#define NVML_EVENT_XID 0x8ull
#define NVML_EVENT_UNAVAILABLE 0x4000ull
#define NVML_EVENT_RECOVERY 0x8000ull

#define NVML_FIELD_RECOVERY_ACTION 230u /* 0: none */
#define NVML_UUID_ROOM 96u
#define NVML_NAME_ROOM 96u
#define NVML_NO_VALUE UINT64_MAX /* of a process's memory: not known */

struct nvml_memory {
    uint64_t total, free, used; /* bytes */
};

struct nvml_process { /* of nvmlDeviceGetComputeRunningProcesses_v3 */
    uint32_t pid;
    uint64_t used; /* bytes, or NVML_NO_VALUE */
    uint32_t gpu_instance, compute_instance;
};

struct nvml_event {
    nvmlDevice_t device;
    uint64_t type, data; /* data: of an Xid, its code */
    uint32_t gpu_instance, compute_instance;
};

struct nvml_field {
    uint32_t id, scope;
    int64_t timestamp, latency;
    uint32_t type;
    uint32_t result; /* enum nvml_return */
    union {
        double d;
        uint32_t ui;
        uint64_t ull;
    } value;
};

struct nvml {
    void *library;
    int (*init)(void);
    int (*init_flags)(unsigned flags);
    int (*shutdown)(void);
    const char *(*error_string)(int result);
    int (*driver_version)(char *out, unsigned room);
    int (*count)(unsigned *n);
    int (*by_index)(unsigned index, nvmlDevice_t *device);
    int (*uuid)(nvmlDevice_t device, char *out, unsigned room);
    int (*name)(nvmlDevice_t device, char *out, unsigned room);
    int (*memory)(nvmlDevice_t device, struct nvml_memory *memory);
    int (*compute_mode)(nvmlDevice_t device, unsigned *mode);
    int (*processes)(nvmlDevice_t device, unsigned *n,
                     struct nvml_process *list);
    int (*mig_mode)(nvmlDevice_t device, unsigned *now, unsigned *pending);
    int (*mig_max)(nvmlDevice_t device, unsigned *n);
    int (*mig_by_index)(nvmlDevice_t device, unsigned index,
                        nvmlDevice_t *instance);
    int (*fields)(nvmlDevice_t device, int n, struct nvml_field *values);
    int (*event_types)(nvmlDevice_t device, uint64_t *types);
    int (*event_set)(nvmlEventSet_t *set);
    int (*event_register)(nvmlDevice_t device, uint64_t types,
                          nvmlEventSet_t set);
    int (*event_wait)(nvmlEventSet_t set, struct nvml_event *event,
                      unsigned timeout_ms);
};

/* Load the library that AUTODD_NVML_LIB names, else libnvidia-ml.so.1, fill the
 * table and initialise. 0; -ENOENT without the library or without what no
 * answer can be given, -EIO when it refuses; a sentence in err. */
int nvml_open(struct nvml *nvml, struct err *err);
void nvml_close(struct nvml *nvml);

/* A word for a result (static). */
const char *nvml_words(const struct nvml *nvml, int result);

#endif
