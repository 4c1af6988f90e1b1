/* One child that prints a few lines; among them "Version 2024.3.1.0 (build
 * 34934588) (public-release)". Without that the version is not known, and the
 * tool may work all the same. */
#include "worker/gpu/sanitizer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/buf.h"
#include "config/mem.h"
#include "config/toolkit.h"
#include "worker/child.h"
#include "worker/env.h"
#include "worker/interpreter.h"
#include "worker/limits.h"

#define PROBE_MS 30000
#define SAID_MAX 4096

struct sanitizer_probe {
    struct child *child;
    struct buf said;
    void (*done)(void *arg, const char *version);
    void *arg;
};

int sanitizer_find(const struct strings *env, char **found, struct err *err)
{
    char *path = toolkit_path(env_get(env, "PATH"), env_get(env, "CUDA_HOME"),
                              env_get(env, "CUDA_PATH"));
    int error = interpreter_find("compute-sanitizer", path, found, err);

    free(path);
    if (!error)
        return 0;
    return err_set(err, -ENOENT,
                   "no compute-sanitizer in PATH, nor in the folders bin and "
                   "compute-sanitizer of CUDA_HOME and CUDA_PATH: set one of "
                   "these for the CUDA toolkit, or leave --sanitizer out");
}

char *sanitizer_version(const char *said)
{
    static const char word[] = "Version ";
    const char *at = strstr(said, word);
    size_t n;

    if (!at)
        return NULL;
    at += sizeof(word) - 1;
    n = strspn(at, "0123456789.");
    return n > 0 ? xmemdup(at, n) : NULL;
}

static void sanitizer_on_output(void *arg, enum scan_stream stream,
                                const char *data, size_t len)
{
    struct sanitizer_probe *probe = arg;
    size_t room = SAID_MAX - probe->said.len;
    (void)stream;

    buf_add(&probe->said, data, len < room ? len : room);
}

static void sanitizer_on_done(void *arg, const struct child_result *result)
{
    struct sanitizer_probe *probe = arg;
    char *version =
        result->error ? NULL : sanitizer_version(buf_str(&probe->said));

    probe->done(probe->arg, version);
    free(version);
    buf_deinit(&probe->said);
    free(probe);
}

struct sanitizer_probe *
sanitizer_probe_start(struct uv_loop_s *loop, const struct sanitizer_spec *spec,
                      void (*done)(void *arg, const char *version), void *arg)
{
    static const struct child_events events = {
        .output = sanitizer_on_output,
        .done = sanitizer_on_done,
    };
    struct sanitizer_probe *probe = xcalloc(1, sizeof(*probe));
    const char *argv[LIMITS_ARGS + 3];
    struct limits_text text;

    limits_argv(argv, &text, spec->self, 0, 0);
    argv[LIMITS_ARGS] = spec->program;
    argv[LIMITS_ARGS + 1] = "--version";
    argv[LIMITS_ARGS + 2] = NULL;

    struct child_spec child = {
        .argv = argv,
        .env = spec->env,
        .cwd = spec->folder,
        .timeout_ms = PROBE_MS,
        .grace_ms = spec->grace_ms,
    };

    probe->done = done;
    probe->arg = arg;
    buf_init(&probe->said, SAID_MAX + 1);
    probe->child = child_start(loop, &child, &events, probe);
    return probe;
}

void sanitizer_probe_kill(struct sanitizer_probe *probe)
{
    child_kill(probe->child);
}
