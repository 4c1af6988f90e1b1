/* Finding is as a shell does it, on files alone. Probing is one child that runs
 * about.py, which prints its version and what else is asked for:
 *
 *   probe_start() --output--> said --exit--> a version and a newline? --> done
 *
 * What it prints first must be just that; anything else, and any other end than
 * exit 0, tells that this is no Python, and its last words go into the message.
 * The lines after it are taken as far as they are understood. */
#include "worker/interpreter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/base.h"
#include "config/buf.h"
#include "config/file.h"
#include "config/log.h"
#include "config/mem.h"
#include "worker/about_py.h" /* made by the Makefile from about.py */
#include "worker/child.h"
#include "worker/limits.h"

#define PROBE_MS 60000 /* for an interpreter to say its version */
#define PROBE_SAID_MAX (32 << 10)
#define PROBE_MODULES_MAX 64

struct probe {
    const char *python;
    struct child *child;
    struct buf said;
    probe_done_cb done;
    void *arg;
};

static void probe_on_output(void *arg, enum scan_stream stream,
                            const char *data, size_t len);
static void probe_on_done(void *arg, const struct child_result *result);

/* ---- finding ---- */

static bool is_program(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
           access(path, X_OK) == 0;
}

static char *make_absolute(const char *path)
{
    char cwd[4096];

    if (*path == '/' || !getcwd(cwd, sizeof(cwd)))
        return xstrdup(path);
    return file_join(cwd, path);
}

int interpreter_find(const char *name, const char *path, char **found,
                     struct err *err)
{
    if (strchr(name, '/')) {
        if (is_program(name)) {
            *found = make_absolute(name);
            return 0;
        }
        return err_set(err, -ENOENT,
                       "no interpreter %s: give one with --python", name);
    }
    for (const char *p = path; p && *p && *name;) {
        size_t len = strcspn(p, ":");
        char *dir = len ? xmemdup(p, len) : xstrdup(".");
        char *file = file_join(dir, name);
        bool here = is_program(file);

        if (here)
            *found = make_absolute(file);
        free(dir);
        free(file);
        if (here)
            return 0;
        p += len + (p[len] == ':');
    }
    return err_set(err, -ENOENT,
                   "no interpreter %s in PATH: give one with --python", name);
}

/* ---- probing ---- */

struct probe *probe_start(struct uv_loop_s *loop, const struct probe_spec *spec,
                          probe_done_cb done, void *arg)
{
    static const struct child_events events = {
        .output = probe_on_output,
        .done = probe_on_done,
    };
    struct probe *probe = xcalloc(1, sizeof(*probe));
    char *program = xmemdup(about_py, sizeof(about_py));
    const char *argv[LIMITS_ARGS + 5 + PROBE_MODULES_MAX];
    size_t n = LIMITS_ARGS;
    struct limits_text text;

    limits_argv(argv, &text, spec->self, 0, 0);
    argv[n++] = spec->python;
    argv[n++] = "-c";
    argv[n++] = program;
    if (spec->about)
        argv[n++] = "about";
    for (size_t i = 0;
         spec->about && i < spec->modules->n && i < PROBE_MODULES_MAX; i++)
        argv[n++] = spec->modules->at[i];
    argv[n] = NULL;

    struct child_spec child = {
        .argv = argv,
        .env = spec->env,
        .cwd = spec->folder,
        .timeout_ms = spec->timeout_ms ? spec->timeout_ms : PROBE_MS,
        .grace_ms = spec->grace_ms,
    };

    probe->python = spec->python;
    probe->done = done;
    probe->arg = arg;
    buf_init(&probe->said, PROBE_SAID_MAX);
    probe->child = child_start(loop, &child, &events, probe);
    free(program);
    return probe;
}

void probe_kill(struct probe *probe)
{
    child_kill(probe->child);
}

static void probe_on_output(void *arg, enum scan_stream stream,
                            const char *data, size_t len)
{
    struct probe *probe = arg;
    size_t room = PROBE_SAID_MAX - probe->said.len;
    (void)stream;

    buf_add(&probe->said, data, len < room ? len : room);
}

static void explain(const struct probe *probe,
                    const struct child_result *result, struct err *err)
{
    char said[512], ending[64];
    struct bytes tail = buf_bytes(&probe->said);

    if (tail.len > 200) {
        tail.data += tail.len - 200;
        tail.len = 200;
    }
    log_safe(said, sizeof(said), tail.data, tail.len);
    if (result->timed_out)
        snprintf(ending, sizeof(ending), "no answer");
    else if (result->signal)
        snprintf(ending, sizeof(ending), "signal %d", result->signal);
    else
        snprintf(ending, sizeof(ending), "exit code %d", result->exit_code);
    err_set(err, -EINVAL,
            "%s is no Python interpreter that works (%s: %s): give one with "
            "--python",
            probe->python, ending, result->error ? result->error : said);
}

void interpreter_deinit(struct interpreter *interpreter)
{
    free(interpreter->version);
    free(interpreter->platform);
    free(interpreter->gpu);
    for (size_t i = 0; i < interpreter->packages.n; i++)
        free(interpreter->packages.at[i]);
    free(interpreter->packages.at);
    *interpreter = (struct interpreter){ 0 };
}

/* The text of a line "KEY TAB TEXT", to be freed; NULL: it has another key. */
static char *text_of(const char *line, size_t len, const char *key)
{
    size_t n = strlen(key);

    if (len <= n || memcmp(line, key, n) != 0 || line[n] != '\t')
        return NULL;
    return xmemdup(line + n + 1, len - n - 1);
}

static void take_line(struct interpreter *found, const char *line, size_t len)
{
    struct strings *packages = &found->packages;
    char *text;

    if (!found->platform && (text = text_of(line, len, "platform"))) {
        found->platform = text;
    } else if (!found->gpu && (text = text_of(line, len, "gpu"))) {
        found->gpu = text;
    } else if ((text = text_of(line, len, "package"))) {
        packages->at =
            xreallocarray(packages->at, packages->n + 2, sizeof(*packages->at));
        packages->at[packages->n++] = text;
        packages->at[packages->n] = NULL;
    }
}

static struct interpreter understand(const char *said, size_t version_len)
{
    struct interpreter found = { .version = xmemdup(said, version_len) };

    for (const char *line = said, *end; (end = strchr(line, '\n'));
         line = end + 1)
        take_line(&found, line, (size_t)(end - line));
    return found;
}

static void probe_on_done(void *arg, const struct child_result *result)
{
    struct probe *probe = arg;
    const char *said = buf_str(&probe->said);
    size_t len = strspn(said, "0123456789.");
    bool works = len >= 3 && said[len] == '\n';
    struct err err;

    /* The version comes first; what is asked beside it may be without end, on
     * a slow network disk with many packages, and is no reason to fail. */
    if (result->error || !works ||
        (!result->timed_out && (result->exit_code || result->signal))) {
        explain(probe, result, &err);
        probe->done(probe->arg, NULL, err.text);
    } else {
        struct interpreter found = understand(said, len);

        probe->done(probe->arg, &found, NULL);
    }
    buf_deinit(&probe->said);
    free(probe);
}
