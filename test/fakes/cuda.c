/* A CUDA driver without a GPU, for what asks the driver or keeps contexts.
 * Built by the tests as a shared object with the soname libcuda.so.1.
 *
 * As the real one: cuDeviceGetCount() answers 3 before cuInit(); after a fork
 * of an initialised process every call does, for good; a fault is sticky, each
 * later call of the process returns it.
 *
 *   FAKE_CUDA_CONTEXT_MS   time that a context takes, 0 by default
 *   FAKE_CUDA_FREE         bytes of free memory that are reported
 *   FAKE_CUDA_LOG          a file that gets a line for each context made
 *   FAKE_CUDA_UNFIT        cuInit() fails with this code
 *   CUDA_LAUNCH_BLOCKING   as it is when cuInit() is called: a fault is told by
 *                          the launch, else by some later call
 *   FAKE_CUDA_LOST         a file; while there is one, the GPU has a fault that
 *                          no process survives
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    OK = 0,
    INVALID_VALUE = 1,
    NOT_INITIALIZED = 3,
    INVALID_CONTEXT = 201,
    UNCORRECTABLE = 214
};

static pid_t initialised; /* the process that was; 0: none */
static int sticky;
static int blocking;
static unsigned retained; /* the primary context: how often */
static void *current;
static char context; /* its address stands for the context */

static int state(void)
{
    const char *lost = getenv("FAKE_CUDA_LOST");

    if (initialised != getpid())
        return NOT_INITIALIZED;
    if (lost && access(lost, F_OK) == 0)
        sticky = UNCORRECTABLE;
    return sticky;
}

static long number(const char *name, long otherwise)
{
    const char *text = getenv(name);

    return text ? atol(text) : otherwise;
}

static void make_context(void)
{
    long ms = number("FAKE_CUDA_CONTEXT_MS", 0);
    struct timespec time = { ms / 1000, ms % 1000 * 1000000 };
    const char *path = getenv("FAKE_CUDA_LOG");
    int file = path ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0600) : -1;
    char line[32];

    nanosleep(&time, NULL);
    if (file < 0)
        return;
    snprintf(line, sizeof(line), "%d\n", (int)getpid());
    if (write(file, line, strlen(line)) < 0)
        abort();
    close(file);
}

int cuInit(unsigned flags);
int cuInit(unsigned flags)
{
    (void)flags;
    if (initialised && initialised != getpid())
        return NOT_INITIALIZED; /* a fork of an initialised process */
    if (number("FAKE_CUDA_UNFIT", 0))
        return (int)number("FAKE_CUDA_UNFIT", 0);
    initialised = getpid();
    blocking = number("CUDA_LAUNCH_BLOCKING", 0) != 0;
    return sticky;
}

int cuDeviceGetCount(int *n);
int cuDeviceGetCount(int *n)
{
    *n = 1;
    return state();
}

int cuDeviceGet(int *device, int ordinal);
int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return state() ? state() : ordinal ? INVALID_VALUE : OK;
}

int cuDevicePrimaryCtxRetain(void **made, int device);
int cuDevicePrimaryCtxRetain(void **made, int device)
{
    (void)device;
    if (state())
        return state();
    if (retained++ == 0)
        make_context();
    *made = &context;
    return OK;
}

int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active);
int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
    (void)device;
    *flags = 0;
    *active = retained > 0;
    return state();
}

int cuCtxSetCurrent(void *to);
int cuCtxSetCurrent(void *to)
{
    current = to;
    return state();
}

int cuCtxGetCurrent(void **to);
int cuCtxGetCurrent(void **to)
{
    *to = current;
    return state();
}

int cuCtxSynchronize(void);
int cuCtxSynchronize(void)
{
    if (state())
        return state();
    return current ? OK : INVALID_CONTEXT;
}

int cuMemGetInfo_v2(size_t *free_bytes, size_t *total);
int cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
    *total = (size_t)64 << 30;
    *free_bytes = (size_t)number("FAKE_CUDA_FREE", 32L << 30);
    if (state())
        return state();
    return current ? OK : INVALID_CONTEXT;
}

/* Not of the driver: a kernel that goes wrong. */
int fake_fault(int code);
int fake_fault(int code)
{
    if (!sticky)
        sticky = code;
    return blocking ? sticky : OK;
}
