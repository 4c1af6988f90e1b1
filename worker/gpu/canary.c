/* The driver is loaded by dlopen, as in nvml.c, and the kernel from the bytes
 * that the Makefile made of canary.cu:
 *
 *   init -> device -> context -> module -> launch -> copy back -> compare
 *
 * The first step that fails is what the last line says. The context is made for
 * this process alone and goes with it. */
#include "worker/gpu/canary.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base.h"
#include "config/mem.h"
#include "worker/gpu/canary_fatbin.h" /* made by the Makefile */

#define THREADS 256u
#define BLOCKS 1024u
#define SEED 0x5eed1234u

struct cuda {
    int (*init)(unsigned flags);
    int (*device)(int *device, int ordinal);
    int (*retain)(void **context, int device);
    int (*set_current)(void *context);
    int (*load)(void **module, const void *image);
    int (*function)(void **function, void *module, const char *name);
    int (*alloc)(uint64_t *at, size_t bytes);
    int (*set)(uint64_t at, unsigned char value, size_t n);
    int (*launch)(void *function, unsigned gx, unsigned gy, unsigned gz,
                  unsigned bx, unsigned by, unsigned bz, unsigned shared,
                  void *stream, void **parameters, void **extra);
    int (*synchronize)(void);
    int (*copy)(void *to, uint64_t from, size_t bytes);
    int (*error_name)(int error, const char **name);
};

bool canary_is_built(void)
{
    return sizeof(canary_fatbin) > 1;
}

static int say(enum canary_end end, const char *what)
{
    printf("%s\n", what);
    return end;
}

static bool find_symbols(void *library, struct cuda *cuda)
{
    static const struct {
        const char *name;
        size_t at;
    } symbols[] = {
        { "cuInit", offsetof(struct cuda, init) },
        { "cuDeviceGet", offsetof(struct cuda, device) },
        { "cuDevicePrimaryCtxRetain", offsetof(struct cuda, retain) },
        { "cuCtxSetCurrent", offsetof(struct cuda, set_current) },
        { "cuModuleLoadData", offsetof(struct cuda, load) },
        { "cuModuleGetFunction", offsetof(struct cuda, function) },
        { "cuMemAlloc_v2", offsetof(struct cuda, alloc) },
        { "cuMemsetD8_v2", offsetof(struct cuda, set) },
        { "cuLaunchKernel", offsetof(struct cuda, launch) },
        { "cuCtxSynchronize", offsetof(struct cuda, synchronize) },
        { "cuMemcpyDtoH_v2", offsetof(struct cuda, copy) },
        { "cuGetErrorName", offsetof(struct cuda, error_name) },
    };

    for (size_t i = 0; i < ARRAY_LEN(symbols); i++) {
        void *found = dlsym(library, symbols[i].name);

        if (!found)
            return false;
        memcpy((char *)cuda + symbols[i].at, &found, sizeof(found));
    }
    return true;
}

/* What the kernel writes before the barrier. */
static uint32_t row_of(uint32_t at)
{
    uint32_t x = at * 2654435761u + SEED;
    float sum = 0;

    for (unsigned i = 0; i < 64; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        sum += (float)(x & 255u) * 2.0f;
    }
    return x + (uint32_t)sum;
}

static size_t count_wrong(const uint32_t *out)
{
    size_t wrong = 0;

    for (uint32_t at = 0; at < THREADS * BLOCKS; at++) {
        uint32_t t = at % THREADS;

        wrong += out[at] != (row_of(at) ^ row_of(at - t + THREADS - 1 - t));
    }
    return wrong;
}

/* 0, or CUDA's error, and in *step where. */
static int compute(const struct cuda *cuda, uint32_t *out, const char **step)
{
    size_t bytes = THREADS * BLOCKS * sizeof(*out);
    void *context, *module, *function;
    uint32_t seed = SEED;
    uint64_t at = 0;
    void *parameters[] = { &at, &seed };
    int device, error;

#define DO(what, call)                                                         \
    *step = what;                                                              \
    error = call;                                                              \
    if (error)                                                                 \
    return error
    DO("cuInit", cuda->init(0));
    DO("cuDeviceGet", cuda->device(&device, 0));
    DO("cuDevicePrimaryCtxRetain", cuda->retain(&context, device));
    DO("cuCtxSetCurrent", cuda->set_current(context));
    DO("cuModuleLoadData", cuda->load(&module, canary_fatbin));
    DO("cuModuleGetFunction",
       cuda->function(&function, module, "autodd_canary"));
    DO("cuMemAlloc", cuda->alloc(&at, bytes));
    DO("cuMemsetD8", cuda->set(at, 0, bytes));
    DO("cuLaunchKernel", cuda->launch(function, BLOCKS, 1, 1, THREADS, 1, 1, 0,
                                      NULL, parameters, NULL));
    DO("cuCtxSynchronize", cuda->synchronize());
    DO("cuMemcpyDtoH", cuda->copy(out, at, bytes));
#undef DO
    return 0;
}

int canary_main(int argc, char **argv)
{
    const char *path = getenv("AUTODD_CUDA_LIB"), *step, *name = NULL;
    struct cuda cuda = { 0 };
    uint32_t *out;
    size_t wrong;
    void *library;
    int error;

    if (argc > 0)
        setenv("CUDA_VISIBLE_DEVICES", argv[0], 1);
    if (!canary_is_built())
        return say(CANARY_MISSING, "not built, for there was no nvcc");
    library = dlopen(path && *path ? path : "libcuda.so.1", RTLD_NOW);
    if (!library || !find_symbols(library, &cuda))
        return say(CANARY_MISSING,
                   library ? "the driver lacks a function" : "no CUDA driver");
    out = xcalloc(THREADS * BLOCKS, sizeof(*out));
    error = compute(&cuda, out, &step);
    wrong = error ? 0 : count_wrong(out);
    free(out);
    if (error) {
        cuda.error_name(error, &name);
        printf("%s: %s\n", step, name ? name : "an unknown error");
        return CANARY_FAILED;
    }
    if (wrong > 0) {
        printf("%zu of %u numbers are wrong\n", wrong, THREADS * BLOCKS);
        return CANARY_FAILED;
    }
    return say(CANARY_CLEAN, "clean");
}
