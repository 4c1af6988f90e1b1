/* Plain reads of small files. Nothing is kept between calls. */
#include "worker/proc.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "config/mem.h"

#define FILE_MAX (4u << 20) /* of an environment or a list of children */

/* The whole file, NUL-terminated; NULL when it can't be read. */
static char *read_file(const char *path, size_t *len)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *data = NULL;
    size_t room = 0;
    ssize_t n = 1;

    *len = 0;
    if (fd < 0)
        return NULL;
    while (n > 0 && *len < FILE_MAX) {
        xgrow(&data, &room, *len + 4096, 1);
        n = read(fd, data + *len, room - *len - 1);
        *len += n > 0 ? (size_t)n : 0;
    }
    close(fd);
    data[*len] = '\0';
    return data;
}

/* The beginning of a small file, as a string; false: it cannot be read, or
 * nothing is in it. */
static bool read_small(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = -1;

    if (fd >= 0) {
        n = read(fd, text, size - 1);
        close(fd);
    }
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

bool proc_read(pid_t pid, struct proc *proc)
{
    char path[64], text[1024];
    long rss;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    if (!read_small(path, text, sizeof(text)))
        return false;
    /* The name in parentheses may hold anything, parentheses too. */
    char *rest = strrchr(text, ')');
    memset(proc, 0, sizeof(*proc));
    proc->pid = pid;
    if (!rest ||
        sscanf(rest + 1,
               " %c %d %d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
               "%*d %*d %*d %" SCNu64 " %*u %ld",
               &proc->state, &proc->parent, &proc->group, &proc->session,
               &proc->start, &rss) != 6)
        return false;
    proc->rss = rss > 0 ? (uint64_t)rss * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
    return true;
}

uint64_t proc_start_time(pid_t pid)
{
    struct proc proc;

    return proc_read(pid, &proc) ? proc.start : 0;
}

/* The letter behind the name in a `stat` file; 0: it cannot be read. */
static char state_in(const char *path)
{
    char text[512];
    const char *rest = NULL;

    if (read_small(path, text, sizeof(text)))
        rest = strrchr(text, ')');
    return rest && rest[1] == ' ' ? rest[2] : '\0';
}

bool proc_is_running(const struct proc *proc)
{
    char path[96];
    bool running = proc->state == 'R';
    DIR *dir = NULL;

    if (!running) {
        snprintf(path, sizeof(path), "/proc/%d/task", (int)proc->pid);
        dir = opendir(path);
    }
    for (struct dirent *e; !running && dir && (e = readdir(dir));) {
        if (!isdigit((unsigned char)e->d_name[0]))
            continue;
        snprintf(path, sizeof(path), "/proc/%d/task/%ld/stat", (int)proc->pid,
                 strtol(e->d_name, NULL, 10));
        running = state_in(path) == 'R';
    }
    if (dir)
        closedir(dir);
    return running;
}

uint64_t proc_waits(pid_t pid)
{
    static const char key[] = "\nvoluntary_ctxt_switches:\t";
    char path[64], text[4096];
    const char *at = NULL;
    uint64_t n = 0;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    if (read_small(path, text, sizeof(text)))
        at = strstr(text, key);
    if (!at || sscanf(at + sizeof(key) - 1, "%" SCNu64, &n) != 1)
        return 0;
    return n;
}

bool proc_is_dead(const struct proc *proc)
{
    return proc->state == 'Z' || proc->state == 'X' || proc->state == 'x';
}

static void add_pid(pid_t **pids, size_t *n, size_t *room, pid_t pid)
{
    xgrow(pids, room, *n + 1, sizeof(**pids));
    (*pids)[(*n)++] = pid;
}

size_t proc_list(pid_t **pids)
{
    DIR *dir = opendir("/proc");
    size_t n = 0, room = 0;

    *pids = NULL;
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (isdigit((unsigned char)e->d_name[0]))
            add_pid(pids, &n, &room, (pid_t)strtol(e->d_name, NULL, 10));
    if (dir)
        closedir(dir);
    return n;
}

/* For kernels without the `children` files. */
static size_t children_by_search(pid_t parent, pid_t **pids)
{
    size_t n = proc_list(pids), kept = 0;
    struct proc proc;

    for (size_t i = 0; i < n; i++)
        if (proc_read((*pids)[i], &proc) && proc.parent == parent)
            (*pids)[kept++] = (*pids)[i];
    return kept;
}

size_t proc_children(pid_t pid, pid_t **pids)
{
    char path[96];
    size_t n = 0, room = 0, len;
    bool readable = true;

    *pids = NULL;
    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    DIR *dir = opendir(path);
    if (!dir)
        return 0;
    for (struct dirent *e; readable && (e = readdir(dir));) {
        if (!isdigit((unsigned char)e->d_name[0]))
            continue;
        snprintf(path, sizeof(path), "/proc/%d/task/%.20s/children", (int)pid,
                 e->d_name);
        char *text = read_file(path, &len), *at = text, *end;
        readable = text || errno != ENOENT || /* else the thread ended */
                   access("/proc/thread-self/children", F_OK) == 0;
        for (long child; at && (child = strtol(at, &end, 10), end > at);
             at = end)
            add_pid(pids, &n, &room, (pid_t)child);
        free(text);
    }
    closedir(dir);
    if (!readable) {
        free(*pids);
        return children_by_search(pid, pids);
    }
    return n;
}

/* The environment's entry that begins with `start`; NULL if there is none. */
static const char *find_env(const char *env, size_t len, const char *start)
{
    size_t n = strlen(start);

    for (size_t at = 0; at < len; at += strlen(env + at) + 1)
        if (strncmp(env + at, start, n) == 0)
            return env + at;
    return NULL;
}

static char *read_env(pid_t pid, size_t *len)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
    return read_file(path, len);
}

bool proc_has_env(pid_t pid, const char *line)
{
    size_t len;
    char *env = read_env(pid, &len);
    const char *entry = env ? find_env(env, len, line) : NULL;
    bool has = entry && strcmp(entry, line) == 0;

    free(env);
    return has;
}

bool proc_get_env(pid_t pid, const char *name, char *value, size_t size)
{
    size_t len;
    char *env = read_env(pid, &len), *start = xasprintf("%s=", name);
    const char *entry = env ? find_env(env, len, start) : NULL;
    bool has = false;

    if (entry)
        has = (size_t)snprintf(value, size, "%s", entry + strlen(start)) < size;
    free(start);
    free(env);
    return has;
}

bool proc_has_pipe(pid_t pid, ino_t one, ino_t two)
{
    char path[64], target[64];
    bool has = false;

    snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
    DIR *dir = opendir(path);
    for (struct dirent *e; !has && dir && (e = readdir(dir));) {
        ssize_t n =
            readlinkat(dirfd(dir), e->d_name, target, sizeof(target) - 1);
        uint64_t inode;
        if (n <= 0)
            continue;
        target[n] = '\0';
        has = sscanf(target, "pipe:[%" SCNu64 "]", &inode) == 1 &&
              (inode == one || inode == two);
    }
    if (dir)
        closedir(dir);
    return has;
}

bool proc_is_in(pid_t pid, const char *dir)
{
    char path[64], target[4096];
    size_t len = strlen(dir);

    snprintf(path, sizeof(path), "/proc/%d/cwd", (int)pid);
    ssize_t n = readlink(path, target, sizeof(target) - 1);
    if (n < (ssize_t)len)
        return false;
    target[n] = '\0'; /* also "DIR (deleted)" */
    return memcmp(target, dir, len) == 0 &&
           (target[len] == '\0' || target[len] == '/' || target[len] == ' ');
}

int proc_kill(pid_t pid, uint64_t start)
{
    int fd = pidfd_open(pid, 0);
    int error = 0;

    if (fd < 0 && errno != ENOSYS)
        return -errno;
    /* The descriptor holds on to a process; only now look which it is. */
    if (proc_start_time(pid) != start)
        error = -ESRCH;
    else if (fd >= 0 ? pidfd_send_signal(fd, SIGKILL, NULL, 0)
                     : kill(pid, SIGKILL))
        error = -errno;
    if (fd >= 0)
        close(fd);
    return error;
}
