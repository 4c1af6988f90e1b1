/* Folders for runs. A scratch has a file `owner` with host, process, start time
 * and process namespace of its worker: so a later worker can tell a dead one's
 * folder, also when the process number is in use again, or names another
 * process in a container that shares the folder.
 *
 * What lies beside the script is copied while it is small and little, so that
 * runs may write to it, and linked else. A folder with very many files gets
 * its first ENTRIES_MAX. */
#include "worker/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "config/file.h"
#include "config/mem.h"
#include "worker/proc.h"
#include "worker/tree.h"

#define COPY_FILE_MAX (256u << 10)
#define COPY_ALL_MAX (8u << 20)
#define COPY_FILES_MAX 500
#define ENTRIES_MAX 10000
#define FILES_MAX 10000 /* that are counted */
#define OWNER_LATE_S 60 /* a scratch without owner that long has none */

static const char *remedy(int error)
{
    switch (error) {
    case ENOSPC:
    case EDQUOT:
        return "; free space there or set TMPDIR to a folder with more";
    case EROFS:
    case EACCES:
    case EPERM:
        return "; set TMPDIR to a folder that can be written";
    case ENOENT:
    case ENOTDIR:
        return "; make the folder or set TMPDIR to another";
    default:
        return "";
    }
}

static int failed(struct err *err, int error, const char *doing,
                  const char *path)
{
    return err_set(err, -error, "cannot %s %s: %s%s", doing, path,
                   strerror(error), remedy(error));
}

/* ---- the scratch itself ---- */

static const char *tmp_dir(void)
{
    const char *dir = getenv("TMPDIR");

    return dir && *dir ? dir : "/tmp";
}

/* "autodd-c.MARK." : what names of scratches of this mark begin with; without
 * one, of all. */
static char *name_start(const char *mark)
{
    char *start = mark ? xasprintf("autodd-c.%s.", mark) : xstrdup("autodd-c.");

    for (char *c = start; *c; c++)
        *c = *c == '/' ? '_' : *c;
    return start;
}

static int write_all(int fd, const char *data, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, data, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        data += n;
        len -= (size_t)n;
    }
    return 0;
}

/* A new file with these bytes. */
static int write_new(const char *path, struct bytes bytes, mode_t mode)
{
    int fd =
        open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    int error;

    if (fd < 0)
        return -errno;
    error = write_all(fd, bytes.data, bytes.len);
    if (close(fd) && !error)
        error = -errno;
    return error;
}

static uint64_t pid_namespace(void)
{
    struct stat st;

    return stat("/proc/self/ns/pid", &st) ? 0 : (uint64_t)st.st_ino;
}

static char *owner_text(void)
{
    char host[256] = "";

    gethostname(host, sizeof(host) - 1);
    return xasprintf("%s %d %" PRIu64 " %" PRIu64 "\n", host, (int)getpid(),
                     proc_start_time(getpid()), pid_namespace());
}

int scratch_open(const char *mark, char **path, struct err *err)
{
    char *start = name_start(mark);
    char *dir = realpath(tmp_dir(), NULL);
    char *owner = owner_text(), *file = NULL;
    int error = 0;

    *path = NULL;
    if (!dir) {
        error = failed(err, errno, "use the folder", tmp_dir());
        goto out;
    }
    *path = xasprintf("%s/%sXXXXXX", dir, start);
    if (!mkdtemp(*path)) {
        error = failed(err, errno, "make a folder for the runs in", dir);
        free(*path);
        *path = NULL;
        goto out;
    }
    file = file_join(*path, "owner");
    error = write_new(file, bytes_of(owner, strlen(owner)), 0600);
    if (error) {
        failed(err, -error, "write", file);
        scratch_close(*path);
        free(*path);
        *path = NULL;
    }
out:
    free(file);
    free(owner);
    free(dir);
    free(start);
    return error;
}

void scratch_close(const char *path)
{
    tree_remove(path);
}

static bool is_alive(int pid, uint64_t start)
{
    struct proc proc;

    return proc_read(pid, &proc) && !proc_is_dead(&proc) && proc.start == start;
}

/* Whether the worker that made this scratch is gone for sure. Without an owner
 * in it, as when the worker was killed just then, age tells, if the name does
 * (`named`) say that it is a scratch. */
static bool is_left(const char *path, bool named)
{
    char *file = file_join(path, "owner"), *text = NULL;
    char host[256] = "", owner[256];
    size_t len;
    int pid;
    uint64_t start, space;
    struct stat st;
    bool left;

    gethostname(host, sizeof(host) - 1);
    if (file_read(file, 4096, &text, &len, NULL) == 0 &&
        sscanf(text, "%255s %d %" SCNu64 " %" SCNu64, owner, &pid, &start,
               &space) == 4)
        left = strcmp(owner, host) == 0 && space == pid_namespace() &&
               !is_alive(pid, start);
    else
        left = named && lstat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
               st.st_uid == getuid() && time(NULL) - st.st_mtime > OWNER_LATE_S;
    free(text);
    free(file);
    return left;
}

void scratch_clean(const char *mark, bool all)
{
    char *start = name_start(mark);
    DIR *dir = opendir(tmp_dir());

    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (strncmp(e->d_name, start, strlen(start)) != 0 ||
            (mark && strlen(e->d_name) != strlen(start) + 6))
            continue;
        char *path = file_join(tmp_dir(), e->d_name);
        if (all || is_left(path, mark != NULL))
            tree_remove(path);
        free(path);
    }
    if (dir)
        closedir(dir);
    free(start);
}

/* ---- a run ---- */

/* What has been copied into a run's folder so far. */
struct copied {
    size_t files, bytes, entries;
};

static bool is_hidden(const char *name, const char *script_name,
                      const struct strings *hide)
{
    static const char *const never[] = { ".", "..", ".git", "__pycache__" };

    for (size_t i = 0; i < ARRAY_LEN(never); i++)
        if (strcmp(name, never[i]) == 0)
            return true;
    for (size_t i = 0; hide && i < hide->n; i++)
        if (strcmp(name, hide->at[i]) == 0)
            return true;
    return strcmp(name, script_name) == 0;
}

static bool small_enough(const struct stat *st, const struct copied *copied)
{
    return S_ISREG(st->st_mode) && st->st_size <= COPY_FILE_MAX &&
           copied->files < COPY_FILES_MAX &&
           copied->bytes + (size_t)st->st_size <= COPY_ALL_MAX;
}

/* Copy one small file. What can't be read is linked instead: -EACCES then
 * meets the run, not us. */
static int copy_file(const char *from, const char *to, mode_t mode)
{
    char *data = NULL;
    size_t len;
    int error;

    if (file_read(from, COPY_FILE_MAX, &data, &len, NULL))
        return symlink(from, to) ? -errno : 0;
    error = write_new(to, bytes_of(data, len), (mode & 0777) | 0600);
    free(data);
    return error;
}

static int lay_entry(const char *from, const char *to, struct copied *copied)
{
    struct stat st;

    if (lstat(from, &st))
        return 0; /* gone since the folder was read */
    if (!small_enough(&st, copied))
        return symlink(from, to) ? -errno : 0;
    copied->files++;
    copied->bytes += (size_t)st.st_size;
    return copy_file(from, to, st.st_mode);
}

static int lay_siblings(const char *script_dir, const char *script_name,
                        const struct strings *hide, const char *to)
{
    struct copied copied = { 0 };
    DIR *dir = opendir(script_dir);
    int error = 0;

    if (!dir)
        return -errno;
    for (struct dirent *e; !error && (e = readdir(dir));) {
        if (is_hidden(e->d_name, script_name, hide))
            continue;
        if (++copied.entries > ENTRIES_MAX)
            break;
        char *source = file_join(script_dir, e->d_name);
        char *target = file_join(to, e->d_name);
        error = lay_entry(source, target, &copied);
        free(source);
        free(target);
    }
    closedir(dir);
    return error;
}

/* The script's own permissions, readable in any case. */
static mode_t script_mode(const char *script_dir, const char *script_name)
{
    char *path = file_join(script_dir, script_name);
    struct stat st;
    mode_t mode = stat(path, &st) ? 0644 : (st.st_mode & 0777) | 0600;

    free(path);
    return mode;
}

int scratch_lay(const char *root, uint64_t id, const char *script_dir,
                const char *script_name, const struct strings *hide,
                struct bytes text, struct scratch_run *run, struct err *err)
{
    int error = 0;

    run->dir = xasprintf("%s/run-%" PRIu64, root, id);
    run->tmp = xasprintf("%s/tmp-%" PRIu64, root, id);
    run->ran = xasprintf("%s/ran-%" PRIu64, root, id);
    run->values = xasprintf("%s/values-%" PRIu64, root, id);
    run->file = file_join(run->dir, script_name);
    if (mkdir(run->dir, 0700) || mkdir(run->tmp, 0700))
        error = -errno;
    if (!error)
        error =
            write_new(run->file, text, script_mode(script_dir, script_name));
    if (!error)
        error = lay_siblings(script_dir, script_name, hide, run->dir);
    if (error) {
        failed(err, -error, "lay out a run in", root);
        scratch_drop(run);
    }
    return error;
}

void scratch_drop(struct scratch_run *run)
{
    if (run->dir)
        tree_remove(run->dir);
    if (run->tmp)
        tree_remove(run->tmp);
    if (run->ran)
        tree_remove(run->ran);
    if (run->values)
        tree_remove(run->values);
    free(run->dir);
    free(run->file);
    free(run->tmp);
    free(run->ran);
    free(run->values);
    *run = (struct scratch_run){ 0 };
}

void scratch_remove_tree(const char *path)
{
    tree_remove(path);
}

int scratch_cache(const char *root, int slot, int fresh, char **path,
                  struct err *err)
{
    char *dir = xasprintf("%s/home-cache-%d", root, slot);

    *path = NULL;
    if (fresh)
        tree_remove(dir);
    if (mkdir(dir, 0700) && errno != EEXIST) {
        int error = failed(err, errno, "make the cache folder", dir);
        free(dir);
        return error;
    }
    *path = dir;
    return 0;
}

unsigned scratch_files(const char *path)
{
    char *const roots[] = { (char *)(uintptr_t)path, NULL };
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
    unsigned n = 0;
    FTSENT *entry;

    while (tree && n < FILES_MAX && (entry = fts_read(tree)))
        n += entry->fts_info == FTS_F;
    if (tree)
        fts_close(tree);
    return n;
}
