/* A libnvidia-ml.so.1 whose GPUs are files, so that a test or a script that
 * runs can play every trouble. AUTODD_NVML_LIB names the built library,
 * FAKE_NVML the folder with
 *
 *   gpus        a line a GPU: UUID TOTAL USED MODE NAME..., in MiB; one that
 *               begins with a blank is a MIG instance of the GPU above it
 *   events      lines "INDEX CODE" that are appended: Xids
 *   lost        "INDEX": its calls say that it is lost
 *   recovery    "INDEX ACTION": the driver's word
 *   hang        there: the next call does not come back
 *   used        "INDEX MIB": memory in use, in place of that in gpus
 *
 * Built with -DNO_EVENTS, -DNO_MEMORY or -DNO_COUNT it lacks symbols. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define MAX 16

struct memory {
    unsigned long long total, free, used;
};
struct event {
    void *device;
    unsigned long long type, data;
    unsigned gi, ci;
};
struct field {
    unsigned id, scope;
    long long timestamp, latency;
    unsigned type, result;
    unsigned long long value;
};
struct gpu {
    char uuid[80], name[80];
    unsigned long long total, used;
    unsigned mode;
    int parent; /* -1: whole */
};

static struct gpu gpus[MAX];
static int n;
static long seen; /* bytes of events */

static FILE *file(const char *name)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/%s", getenv("FAKE_NVML"), name);
    return fopen(path, "r");
}

static void hang(void)
{
    FILE *f = file("hang");

    while (f)
        pause();
}

/* The number behind INDEX in a file of one line; -1: not this GPU. */
static long long number(const char *name, const struct gpu *gpu)
{
    FILE *f = file(name);
    long long value = -1;
    int index = -1;

    if (!f)
        return -1;
    if (fscanf(f, "%d %lld", &index, &value) == 1)
        value = 1;
    fclose(f);
    return index == gpu - gpus ? value : -1;
}

EXPORT int nvmlInit_v2(void)
{
    FILE *f = file("gpus");
    char line[256];

    hang();
    n = 0;
    while (f && n < MAX && fgets(line, sizeof(line), f)) {
        struct gpu *gpu = &gpus[n];

        if (sscanf(line, " %79s %llu %llu %u %79[^\n]", gpu->uuid, &gpu->total,
                   &gpu->used, &gpu->mode, gpu->name) != 5)
            continue;
        gpu->parent = -1;
        if (line[0] == ' ')
            for (gpu->parent = n - 1; gpus[gpu->parent].parent >= 0;)
                gpu->parent--;
        n++;
    }
    if (f)
        fclose(f);
    return f ? 0 : 9;
}

EXPORT int nvmlShutdown(void)
{
    return 0;
}

EXPORT int nvmlSystemGetDriverVersion(char *out, unsigned room)
{
    snprintf(out, room, "580.00");
    return 0;
}

#ifndef NO_COUNT
EXPORT int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = 0;
    for (int i = 0; i < n; i++)
        *count += gpus[i].parent < 0;
    return 0;
}
#endif

EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
    for (int i = 0; i < n; i++) {
        if (gpus[i].parent >= 0 || index-- > 0)
            continue;
        *device = &gpus[i];
        return 0;
    }
    return 2;
}

EXPORT int nvmlDeviceGetUUID(void *device, char *out, unsigned room)
{
    snprintf(out, room, "%s", ((struct gpu *)device)->uuid);
    return 0;
}

EXPORT int nvmlDeviceGetName(void *device, char *out, unsigned room)
{
    snprintf(out, room, "%s", ((struct gpu *)device)->name);
    return 0;
}

#ifndef NO_MEMORY
EXPORT int nvmlDeviceGetMemoryInfo(void *device, struct memory *memory)
{
    struct gpu *gpu = device;
    long long used = number("used", gpu);

    hang();
    if (number("lost", gpu) >= 0)
        return 15;
    memory->total = gpu->total << 20;
    memory->used = (used >= 0 ? (unsigned long long)used : gpu->used) << 20;
    memory->free = memory->total - memory->used;
    return 0;
}
#endif

EXPORT int nvmlDeviceGetComputeMode(void *device, unsigned *mode)
{
    *mode = ((struct gpu *)device)->mode;
    return 0;
}

EXPORT int nvmlDeviceGetMigMode(void *device, unsigned *now, unsigned *pending)
{
    *now = *pending = 0;
    for (int i = 0; i < n; i++)
        if (gpus[i].parent == (struct gpu *)device - gpus)
            *now = *pending = 1;
    return 0;
}

EXPORT int nvmlDeviceGetMaxMigDeviceCount(void *device, unsigned *max)
{
    (void)device;
    *max = 7;
    return 0;
}

EXPORT int nvmlDeviceGetMigDeviceHandleByIndex(void *device, unsigned index,
                                               void **instance)
{
    for (int i = 0; i < n; i++) {
        if (gpus[i].parent != (struct gpu *)device - gpus || index-- > 0)
            continue;
        *instance = &gpus[i];
        return 0;
    }
    return 6;
}

EXPORT int nvmlDeviceGetFieldValues(void *device, int count,
                                    struct field *fields)
{
    long long action = number("recovery", device);

    for (int i = 0; i < count; i++) {
        fields[i].result = fields[i].id == 230 ? 0 : 3;
        fields[i].value = action > 0 ? (unsigned long long)action : 0;
    }
    return 0;
}

#ifndef NO_EVENTS
EXPORT int nvmlEventSetCreate(void **set)
{
    *set = gpus;
    return 0;
}

EXPORT int nvmlDeviceRegisterEvents(void *device, unsigned long long types,
                                    void *set)
{
    (void)device;
    (void)set;
    return types & 8 ? 0 : 3;
}

/* The next line of events, if there is one within the time. */
EXPORT int nvmlEventSetWait_v2(void *set, struct event *event,
                               unsigned timeout_ms)
{
    (void)set;
    for (unsigned ms = 0;; ms += 5) {
        FILE *f = file("events");
        unsigned long long code;
        int index, got = 0;

        if (f) {
            fseek(f, seen, SEEK_SET);
            got = fscanf(f, "%d %llu\n", &index, &code) == 2;
            if (got)
                seen = ftell(f);
            fclose(f);
        }
        if (got && index >= 0 && index < n) {
            *event = (struct event){ .device = &gpus[index],
                                     .type = 8,
                                     .data = code };
            return 0;
        }
        if (ms >= timeout_ms)
            return 10;
        usleep(5000);
    }
}
#endif
