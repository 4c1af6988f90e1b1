/* The variables of a run, in order of strength:
 *
 *   what is the run's own (AUTODD_RUN, TMPDIR, its GPU)   always ours
 *   --env of the user
 *   what makes runs repeatable, caches                    unless the user set
 * it the worker's environment
 *
 * PYTHONHASHSEED is the exception: one that the user exported counts as wish.
 */
#include "worker/env.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "config/base.h"
#include "config/mem.h"

#define FILL_VARIABLE "AUTODD_FILL" /* as in fill.py */

static size_t find(const struct strings *env, const char *name, size_t len)
{
    for (size_t i = 0; i < env->n; i++)
        if (strncmp(env->at[i], name, len) == 0 && env->at[i][len] == '=')
            return i;
    return env->n;
}

const char *env_get(const struct strings *env, const char *name)
{
    size_t len = strlen(name);
    size_t i = find(env, name, len);

    return i < env->n ? env->at[i] + len + 1 : NULL;
}

static void put(struct strings *env, size_t i, char *taken)
{
    if (i < env->n) {
        free(env->at[i]);
    } else {
        env->at = xreallocarray(env->at, env->n + 2, sizeof(*env->at));
        env->at[++env->n] = NULL;
    }
    env->at[i] = taken;
}

void env_set(struct strings *env, const char *name, const char *value)
{
    put(env, find(env, name, strlen(name)), xasprintf("%s=%s", name, value));
}

static void env_unset(struct strings *env, const char *name)
{
    size_t i = find(env, name, strlen(name));

    if (i == env->n)
        return;
    free(env->at[i]);
    env->at[i] = env->at[--env->n];
    env->at[env->n] = NULL;
}

void env_merge(struct strings *out, const struct strings *over)
{
    for (size_t i = 0; i < over->n; i++) {
        const char *equals = strchr(over->at[i], '=');

        if (equals)
            put(out, find(out, over->at[i], (size_t)(equals - over->at[i])),
                xstrdup(over->at[i]));
    }
}

void env_free(struct strings *env)
{
    for (size_t i = 0; i < env->n; i++)
        free(env->at[i]);
    free(env->at);
    *env = (struct strings){ 0 };
}

void env_base(struct strings *out, const struct job_setup *setup)
{
    static const char *const fixed[][2] = {
        { "PYTHONDONTWRITEBYTECODE", "1" },
        { "TORCHINDUCTOR_COMPILE_THREADS", "1" },
    };
    size_t n = 0;

    while (environ[n])
        n++;
    *out = (struct strings){ .at = xcalloc(n + 1, sizeof(*out->at)) };
    for (size_t i = 0; i < n; i++)
        if (strchr(environ[i], '='))
            out->at[out->n++] = xstrdup(environ[i]);

    /* It stops a process for a debugger after a fault on the GPU. */
    env_unset(out, "CUDA_DEVICE_WAITS_ON_EXCEPTION");
    for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
        env_set(out, fixed[i][0], fixed[i][1]);
    if (!env_get(out, "PYTHONHASHSEED"))
        env_set(out, "PYTHONHASHSEED", "0");
    env_merge(out, &setup->env);
    env_set(out, "AUTODD_JOB", setup->mark);
}

/* Slot s of a list of k devices gets entry s % k; anything else stays as the
 * user has it. */
static void deal_gpu(struct strings *out, const struct job_setup *setup,
                     int slot)
{
    static const char name[] = "CUDA_VISIBLE_DEVICES";
    const char *list = env_get(&setup->env, name);
    size_t k = 1;

    if (!list)
        list = getenv(name);
    if (!list)
        return;
    for (const char *p = list; *p; p++)
        k += *p == ',';
    if (k < 2)
        return;
    for (size_t skip = (size_t)slot % k; skip > 0; skip--)
        list = strchr(list, ',') + 1;

    char *device = xmemdup(list, strcspn(list, ","));

    env_set(out, name, device);
    free(device);
}

static void put_folders(struct strings *out, const struct job_setup *setup,
                        const char *tmp, const char *cache)
{
    static const char *const caches[][2] = {
        { "TRITON_CACHE_DIR", "triton" },
        { "TILELANG_CACHE_DIR", "tilelang" },
        { "TORCHINDUCTOR_CACHE_DIR", "inductor" },
        { "CUDA_CACHE_PATH", "cuda" },
        { "CUPY_CACHE_DIR", "cupy" },
        { "NUMBA_CACHE_DIR", "numba" },
    };

    env_set(out, "TMPDIR", tmp);
    for (size_t i = 0; i < ARRAY_LEN(caches); i++) {
        char *path = xasprintf("%s/%s", cache, caches[i][1]);

        if (!env_get(&setup->env, caches[i][0]))
            env_set(out, caches[i][0], path);
        free(path);
    }
}

/* The folder in front of the user's PYTHONPATH. */
static void put_fill(struct strings *out, const struct job_setup *setup,
                     const char *folder)
{
    static const char name[] = "PYTHONPATH";
    const char *path = env_get(&setup->env, name);
    char *longer;

    if (!path)
        path = getenv(name);
    longer =
        xasprintf("%s%s%s", folder, path && *path ? ":" : "", path ? path : "");
    env_set(out, name, longer);
    free(longer);
}

void env_run(struct strings *out, const struct job_setup *setup,
             const struct env_run *run)
{
    char *mark = xasprintf("%s-%" PRIu64, setup->mark, run->id);

    *out = (struct strings){ 0 };
    env_set(out, "AUTODD_RUN", mark);
    put_folders(out, setup, run->tmp, run->cache);
    if (run->gpu)
        env_set(out, "CUDA_VISIBLE_DEVICES", run->gpu);
    else
        deal_gpu(out, setup, run->slot);
    if (run->fill && (run->aids & AID_FILL)) {
        put_fill(out, setup, run->fill);
        env_set(out, FILL_VARIABLE, "nan");
    }
    if (run->aids & AID_BLOCKING)
        env_set(out, "CUDA_LAUNCH_BLOCKING", "1");
    free(mark);
}

/* A share of the cores for the thread pools of each run. Pools that have more
 * threads than there are cores wait for one another: two torch scripts of 2
 * threads on 2 busy cores took 20 times as long as with 1 thread each. */
static void put_threads(struct strings *out, const struct job_setup *setup)
{
    unsigned share;
    char *threads;

    if (setup->slots < 2)
        return;
    share = uv_available_parallelism() / (unsigned)setup->slots;
    threads = xasprintf("%u", share > 0 ? share : 1);
    env_set(out, "AUTODD_THREADS", threads);
    free(threads);
}

void env_fork_server(struct strings *out, const struct job_setup *setup,
                     const char *tmp, const char *cache, const char *fill)
{
    *out = (struct strings){ 0 };
    if (fill)
        put_fill(out, setup, fill);
    env_set(out, "PYTORCH_NVML_BASED_CUDA_CHECK", "1");
    env_set(out, "TRITON_NVML_BASED_CUDA_CHECK", "1");
    put_threads(out, setup);
    put_folders(out, setup, tmp, cache);
}
