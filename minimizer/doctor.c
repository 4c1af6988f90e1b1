/* One line a finding: what, whether it is there, what follows. Programs are
 * looked up in PATH; the interpreter is asked for itself and its packages. */
#include "minimizer/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/base.h"
#include "config/buf.h"
#include "config/file.h"
#include "config/mem.h"
#include "config/toolkit.h"
#include "minimizer/session.h"

#define ANSWER_MS 30000
#define ANSWER_MAX 65536
#define ROOM_MIN (256u << 20) /* bytes free in TMPDIR */

extern char **environ;

/* Printed by the interpreter: one "name<TAB>value" a line. */
static const char question[] =
    "import sys, importlib.util as u\n"
    "try:\n"
    "    import importlib.metadata as m\n"
    "except ImportError:\n"
    "    m = None\n"
    "print('python\\t%s, %s' % (sys.version.split()[0], sys.executable))\n"
    "for n in ('torch', 'triton', 'tilelang', 'cupy', 'numba', 'jax'):\n"
    "    if u.find_spec(n) is None:\n"
    "        print(n + '\\t-')\n"
    "        continue\n"
    "    try:\n"
    "        v = m.version(n)\n"
    "    except Exception:\n"
    "        v = 'found'\n"
    "    print(n + '\\t' + v)\n";

static void finding(const char *name, const char *value, const char *follows)
{
    printf("%-18s %s%s%s\n", name, value, follows[0] ? "; " : "", follows);
}

/* Where a program lies in PATH, or in the CUDA toolkit; NULL if nowhere. Caller
 * frees. */
static char *find_program(const char *name)
{
    char *folders =
        toolkit_path(getenv("PATH"), getenv("CUDA_HOME"), getenv("CUDA_PATH"));
    char *file = NULL;

    for (const char *path = folders; *path && !file;) {
        size_t len = strcspn(path, ":");

        file = xasprintf("%.*s/%s", (int)len, path, name);
        if (access(file, X_OK) != 0) {
            free(file);
            file = NULL;
        }
        path += len;
        path += *path == ':';
    }
    free(folders);
    return file;
}

static int read_answer(int fd, struct buf *out)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };
    char chunk[4096];

    for (;;) {
        int n = poll(&p, 1, ANSWER_MS);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n ? -errno : -ETIMEDOUT;
        ssize_t got = read(fd, chunk, sizeof(chunk));
        if (got <= 0)
            return got ? -errno : 0;
        if (buf_add(out, chunk, (size_t)got))
            return -E2BIG;
    }
}

/* Run a program; 0 and what it says, or -errno. One that hangs in the driver
 * may not die: it is not waited for. */
static int ask(const char *program, const char *one, const char *two,
               const char *three, struct buf *out)
{
    char *argv[] = { (char *)(uintptr_t)program, (char *)(uintptr_t)one,
                     (char *)(uintptr_t)two, (char *)(uintptr_t)three, NULL };
    posix_spawn_file_actions_t actions;
    int ends[2], status, error;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC))
        return -errno;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    error = -posix_spawnp(&pid, program, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (!error) {
        error = read_answer(ends[0], out);
        if (error)
            kill(pid, SIGKILL);
        while (!error && waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        if (!error && status)
            error = -ENOEXEC;
    }
    close(ends[0]);
    return error;
}

static const char *follows_package(const char *name, bool found)
{
    static const struct {
        const char *name, *yes, *no;
    } table[] = {
        { "torch", "", "scripts that import it cannot run" },
        { "tilelang", "`make demo` uses it", "" },
    };

    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        if (strcmp(table[i].name, name) == 0)
            return found ? table[i].yes : table[i].no;
    }
    return "";
}

static bool look_at_python(const struct config *config)
{
    struct buf answer;
    char *line, *rest;
    int error;

    buf_init(&answer, ANSWER_MAX);
    error = ask(config->python, "-c", question, NULL, &answer);
    if (error) {
        char *text = xasprintf("%s: %s", config->python, strerror(-error));

        finding("python", text, "no job can run: give one with --python");
        free(text);
        buf_deinit(&answer);
        return false;
    }
    rest = answer.data;
    while (rest && (line = strsep(&rest, "\n")) && *line) {
        char *value = strchr(line, '\t');

        if (!value)
            continue;
        *value++ = '\0';
        bool found = strcmp(value, "-") != 0;
        finding(line, found ? value : "not found",
                follows_package(line, found));
    }
    buf_deinit(&answer);
    return true;
}

static void look_at_program(const char *name, const char *label,
                            const char *without)
{
    char *file = find_program(name);

    finding(label, file ? file : "not found", file ? "" : without);
    free(file);
}

/* What the canary of one GPU says. */
static void look_at_canary(const char *self, const char *uuid)
{
    struct buf answer;
    int error;
    char *text;

    buf_init(&answer, ANSWER_MAX);
    error = ask(self, "gpu", "canary", uuid, &answer);
    text = xasprintf("%s: %.*s", uuid, (int)strcspn(buf_str(&answer), "\n"),
                     error == -ETIMEDOUT ? "hangs" : buf_str(&answer));
    finding("canary", text,
            !error                                ? ""
            : strstr(buf_str(&answer), "no nvcc") ? "built with nvcc, it tells "
                                                    "whether the GPU works"
                                                  : "the GPU is not fit");
    free(text);
    buf_deinit(&answer);
}

static bool is_uuid(const char *name)
{
    return strncmp(name, "GPU-", 4) == 0 || strncmp(name, "MIG-", 4) == 0;
}

/* What NVML says, asked in a process of its own. */
static void look_at_gpus(void)
{
    char *line, *rest, self[4096];
    ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
    struct buf answer;

    if (len <= 0)
        return;
    self[len] = '\0';
    buf_init(&answer, ANSWER_MAX);
    if (ask(self, "gpu", "list", NULL, &answer) == -ETIMEDOUT)
        finding("NVML", "does not answer", "a GPU or the driver hangs");
    rest = answer.data;
    for (int n = 0; rest && (line = strsep(&rest, "\n")) && *line;) {
        char *value = strchr(line, '\t'), *label;

        if (!value)
            continue;
        *value++ = '\0';
        if (!is_uuid(line)) {
            finding(line, value, "");
            continue;
        }
        label = xasprintf("GPU %d", n++);
        char *text = xasprintf("%s, %s", line, value);
        finding(label, text, "");
        look_at_canary(self, line);
        free(label);
        free(text);
    }
    buf_deinit(&answer);
}

static void look_at_driver(void)
{
    char *text = NULL, *line;
    size_t len;

    if (file_read("/proc/driver/nvidia/version", 1 << 16, &text, &len, NULL)) {
        finding("NVIDIA driver", "not found", "scripts run on the CPU alone");
        return;
    }
    line = text;
    finding("NVIDIA driver", strsep(&line, "\n"), "");
    free(text);
    text = getenv("CUDA_VISIBLE_DEVICES");
    finding("visible GPUs", text ? text : "all",
            "set CUDA_VISIBLE_DEVICES or --gpus to choose");
}

static bool look_at_room(void)
{
    const char *tmp = getenv("TMPDIR");
    struct statvfs fs;
    char *text;
    bool ok;

    tmp = tmp && *tmp ? tmp : "/tmp";
    if (statvfs(tmp, &fs) || access(tmp, W_OK | X_OK)) {
        finding("scratch folder", tmp, "cannot be written to: set TMPDIR");
        return false;
    }
    uint64_t room = (uint64_t)fs.f_bavail * fs.f_frsize;

    ok = room >= ROOM_MIN;
    text = xasprintf("%s, %" PRIu64 " MiB free", tmp, room >> 20);
    finding("scratch folder", text,
            ok ? "" : "too little: set TMPDIR to a roomier one");
    free(text);
    return ok;
}

int doctor_run(const struct config *config)
{
    bool ok;

    config_print_version();
    ok = look_at_python(config);
    look_at_driver();
    look_at_gpus();
    look_at_program("nvcc", "CUDA toolkit",
                    "scripts that compile CUDA need their own");
    look_at_program("compute-sanitizer", "sanitizer", "");
    look_at_program("git", "git", "");
    look_at_program("srun", "Slurm", "jobs run on this machine alone");
    ok = look_at_room() && ok;
    return ok ? EXIT_DONE : EXIT_ENVIRONMENT;
}
