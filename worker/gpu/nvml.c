/* One row a symbol: its name in the library, where the pointer goes, and
 * whether we can do without. GPUs that do not answer must not hide the others:
 * where the library can be initialised without touching any, it is. */
#include "worker/gpu/nvml.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "config/base.h"

#define INIT_NO_GPUS 1u /* nvmlInitWithFlags: succeed without one */

struct symbol {
    const char *name;
    size_t at;
    bool needed;
};

static const struct symbol symbols[] = {
    { "nvmlInit_v2", offsetof(struct nvml, init), true },
    { "nvmlInitWithFlags", offsetof(struct nvml, init_flags), false },
    { "nvmlShutdown", offsetof(struct nvml, shutdown), false },
    { "nvmlErrorString", offsetof(struct nvml, error_string), false },
    { "nvmlSystemGetDriverVersion", offsetof(struct nvml, driver_version),
      false },
    { "nvmlDeviceGetCount_v2", offsetof(struct nvml, count), true },
    { "nvmlDeviceGetHandleByIndex_v2", offsetof(struct nvml, by_index), true },
    { "nvmlDeviceGetUUID", offsetof(struct nvml, uuid), true },
    { "nvmlDeviceGetName", offsetof(struct nvml, name), false },
    { "nvmlDeviceGetMemoryInfo", offsetof(struct nvml, memory), false },
    { "nvmlDeviceGetComputeMode", offsetof(struct nvml, compute_mode), false },
    { "nvmlDeviceGetComputeRunningProcesses_v3",
      offsetof(struct nvml, processes), false },
    { "nvmlDeviceGetMigMode", offsetof(struct nvml, mig_mode), false },
    { "nvmlDeviceGetMaxMigDeviceCount", offsetof(struct nvml, mig_max), false },
    { "nvmlDeviceGetMigDeviceHandleByIndex",
      offsetof(struct nvml, mig_by_index), false },
    { "nvmlDeviceGetFieldValues", offsetof(struct nvml, fields), false },
    { "nvmlDeviceGetSupportedEventTypes", offsetof(struct nvml, event_types),
      false },
    { "nvmlEventSetCreate", offsetof(struct nvml, event_set), false },
    { "nvmlDeviceRegisterEvents", offsetof(struct nvml, event_register),
      false },
    { "nvmlEventSetWait_v2", offsetof(struct nvml, event_wait), false },
};

static int find_symbols(struct nvml *nvml, const char *path, struct err *err)
{
    for (size_t i = 0; i < ARRAY_LEN(symbols); i++) {
        void *found = dlsym(nvml->library, symbols[i].name);

        if (!found && symbols[i].needed)
            return err_set(err, -ENOENT, "%s lacks %s", path, symbols[i].name);
        memcpy((char *)nvml + symbols[i].at, &found, sizeof(found));
    }
    return 0;
}

static int initialise(struct nvml *nvml, struct err *err)
{
    int result = nvml->init_flags ? nvml->init_flags(INIT_NO_GPUS) : -1;

    if (result != NVML_SUCCESS)
        result = nvml->init();
    if (result == NVML_SUCCESS)
        return 0;
    return err_set(err, -EIO, "NVML does not start: %s",
                   nvml_words(nvml, result));
}

int nvml_open(struct nvml *nvml, struct err *err)
{
    const char *path = getenv("AUTODD_NVML_LIB");
    int error;

    *nvml = (struct nvml){ 0 };
    if (!path || !*path)
        path = "libnvidia-ml.so.1";
    nvml->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!nvml->library)
        return err_set(err, -ENOENT, "no NVML: %s", dlerror());
    error = find_symbols(nvml, path, err);
    if (!error)
        error = initialise(nvml, err);
    if (error) {
        dlclose(nvml->library);
        *nvml = (struct nvml){ 0 };
    }
    return error;
}

void nvml_close(struct nvml *nvml)
{
    if (!nvml->library)
        return;
    if (nvml->shutdown)
        nvml->shutdown();
    dlclose(nvml->library);
    *nvml = (struct nvml){ 0 };
}

const char *nvml_words(const struct nvml *nvml, int result)
{
    const char *words = NULL;

    if (result == NVML_GPU_IS_LOST)
        return "the GPU is lost";
    if (result == NVML_RESET_REQUIRED)
        return "the GPU requires a reset";
    if (nvml->error_string)
        words = nvml->error_string(result);
    return words && *words ? words : "an error without a name";
}
