/* A libcuda.so.1 that can run one kernel, the canary's (worker/gpu/canary.cu),
 * and plays troubles. AUTODD_CUDA_LIB names the built library, FAKE_CUDA the
 * folder with, a line each, the beginning of the CUDA_VISIBLE_DEVICES for which
 *
 *   wrong       a number comes out wrong
 *   error       the launch fails with error 719
 *   hang        the launch does not come back
 *   held        the launch waits until the pipe "gate" is opened to write
 *
 * and to which, as "runs", a line is added for each process, and as "ends" one
 * at its end. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define THREADS 256

static uint32_t *memory;
static int started;

static FILE *file(const char *name, const char *mode)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/%s", getenv("FAKE_CUDA"), name);
    return fopen(path, mode);
}

static int plays(const char *name)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    FILE *f = file(name, "r");
    char line[128] = "";
    int yes = 0;

    while (f && !yes && fgets(line, sizeof(line), f)) {
        line[strcspn(line, "\n")] = '\0';
        yes =
            line[0] && strncmp(visible ? visible : "", line, strlen(line)) == 0;
    }
    if (f)
        fclose(f);
    return yes;
}

static void note(const char *name)
{
    FILE *f = file(name, "a");
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");

    fprintf(f, "%s\n", visible ? visible : "all");
    fclose(f);
}

EXPORT int cuInit(unsigned flags)
{
    note("runs");
    started = 1;
    return (int)flags;
}

__attribute__((destructor)) static void note_end(void)
{
    if (started)
        note("ends");
}

EXPORT int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return 0;
}

EXPORT int cuDevicePrimaryCtxRetain(void **context, int device)
{
    (void)device;
    *context = &memory;
    return 0;
}

EXPORT int cuCtxSetCurrent(void *context)
{
    return context != &memory;
}

EXPORT int cuModuleLoadData(void **module, const void *image)
{
    *module = (void *)image;
    return 0;
}

EXPORT int cuModuleGetFunction(void **function, void *module, const char *name)
{
    *function = module;
    return strcmp(name, "autodd_canary") == 0 ? 0 : 500;
}

EXPORT int cuMemAlloc_v2(uint64_t *at, size_t bytes)
{
    memory = malloc(bytes);
    *at = (uint64_t)(uintptr_t)memory;
    return 0;
}

EXPORT int cuMemsetD8_v2(uint64_t at, unsigned char value, size_t n)
{
    memset((void *)(uintptr_t)at, value, n);
    return 0;
}

static uint32_t row_of(uint32_t at, uint32_t seed)
{
    uint32_t x = at * 2654435761u + seed, sum = 0;

    for (int i = 0; i < 64; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        sum += 2 * (x & 255);
    }
    return x + sum;
}

EXPORT int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                          unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void *stream, void **parameters,
                          void **extra)
{
    uint32_t *out = (uint32_t *)(uintptr_t) * (uint64_t *)parameters[0];
    uint32_t seed = *(uint32_t *)parameters[1];
    (void)function;
    (void)stream;
    (void)extra;

    if (gy * gz * by * bz != 1 || bx != THREADS || shared)
        return 1;
    for (uint32_t b = 0; b < gx; b++)
        for (uint32_t t = 0; t < THREADS; t++)
            out[b * THREADS + t] = row_of(b * THREADS + t, seed) ^
                                   row_of(b * THREADS + THREADS - 1 - t, seed);
    out[THREADS] += (uint32_t)plays("wrong");
    while (plays("hang"))
        pause();
    if (plays("held"))
        fclose(file("gate", "r"));
    return plays("error") ? 719 : 0;
}

EXPORT int cuCtxSynchronize(void)
{
    return 0;
}

EXPORT int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
    memcpy(to, (void *)(uintptr_t)from, bytes);
    return 0;
}

EXPORT int cuGetErrorName(int error, const char **name)
{
    *name = error == 719 ? "CUDA_ERROR_LAUNCH_FAILED" : "CUDA_ERROR";
    return 0;
}
