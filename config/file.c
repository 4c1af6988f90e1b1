#include "config/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/mem.h"

#define NAMES_MAX 1000 /* tried for a file that is about to be renamed */

static int read_all(int fd, size_t max, char **data, size_t *len)
{
    size_t room = 0, n = 0;
    char *p = NULL;

    for (;;) {
        xgrow(&p, &room, n + 65537, 1);
        ssize_t got = read(fd, p + n, room - n - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            int error = got < 0 ? -errno : 0;

            p[n] = '\0';
            if (error)
                free(p);
            else
                *data = p, *len = n;
            return error;
        }
        n += (size_t)got;
        if (n > max) {
            free(p);
            return -E2BIG;
        }
    }
}

int file_read(const char *path, size_t max, char **data, size_t *len,
              struct err *err)
{
    struct stat st;
    /* Not blocking: opening a FIFO must not hang. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    int error;

    if (fd < 0) {
        error = -errno;
        return err_set(err, error, "%s: cannot be read: %s", path,
                       err_name(error));
    }
    if (fstat(fd, &st))
        error = -errno;
    else if (S_ISDIR(st.st_mode))
        error = -EISDIR;
    else if (!S_ISREG(st.st_mode))
        error = -EINVAL;
    else
        error = read_all(fd, max, data, len);
    close(fd);
    if (error == -EISDIR)
        return err_set(err, error, "%s: is a folder; give a file", path);
    if (error == -EINVAL)
        return err_set(err, error, "%s: is no regular file", path);
    if (error == -E2BIG)
        return err_set(err, error, "%s: is larger than %zu bytes", path, max);
    if (error)
        return err_set(err, error, "%s: cannot be read: %s", path,
                       err_name(error));
    return 0;
}

static int write_all(int fd, const char *p, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, p, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        p += n;
        len -= (size_t)n;
    }
    return fsync(fd) ? -errno : 0;
}

/* A file without a name, or less than 0 where the file system has no such. */
static int open_nameless(const char *target)
{
    char *dir = file_dir(target);
    int fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

    free(dir);
    return fd;
}

/* `tmp` ends in six letters, which are replaced until nobody has that name. */
static int give_name(int fd, char *tmp)
{
    char *self = xasprintf("/proc/self/fd/%d", fd);
    unsigned first = (unsigned)getpid();
    int error = -EEXIST;

    for (unsigned i = 0; error == -EEXIST && i < NAMES_MAX; i++) {
        snprintf(tmp + strlen(tmp) - 6, 7, "%06x", (first + i) & 0xFFFFFF);
        error = linkat(AT_FDCWD, self, AT_FDCWD, tmp, AT_SYMLINK_FOLLOW)
                    ? -errno
                    : 0;
    }
    free(self);
    return error;
}

/* The bytes are on the disk before they have a name, if `named` is not asked
 * for: who is killed meanwhile leaves nothing behind. */
static int replace(const char *target, const void *data, size_t len, int mode,
                   bool named)
{
    char *tmp = xasprintf("%s.XXXXXX", target);
    int fd = named ? mkostemp(tmp, O_CLOEXEC) : open_nameless(target);
    int error = fd < 0 ? -errno : 0;

    if (!error)
        error = write_all(fd, data, len);
    if (!error && fchmod(fd, (mode_t)mode))
        error = -errno;
    if (!error && !named) {
        error = give_name(fd, tmp);
        named = !error;
    }
    if (fd >= 0 && close(fd) && !error)
        error = -errno;
    if (!error && rename(tmp, target))
        error = -errno;
    if (error && fd >= 0 && named)
        unlink(tmp);
    free(tmp);
    return error;
}

/* Not every file system has files without a name. */
static int replace_somehow(const char *target, const void *data, size_t len,
                           int mode)
{
    int error = replace(target, data, len, mode, false);

    return error ? replace(target, data, len, mode, true) : 0;
}

int file_replace(const char *path, const void *data, size_t len, int mode,
                 struct err *err)
{
    struct stat st;
    /* Through a symbolic link, which stays; and never over a device: a rename
     * onto /dev/null would take it from the whole machine. */
    char *real = realpath(path, NULL);
    const char *target = real ? real : path;
    bool taken = stat(target, &st) == 0 && !S_ISREG(st.st_mode);
    int error = !taken                ? replace_somehow(target, data, len, mode)
                : S_ISDIR(st.st_mode) ? -EISDIR
                                      : -EINVAL;

    free(real);
    if (taken)
        return err_set(err, error, "%s: is no regular file; give another name",
                       path);
    if (error)
        return err_set(err, error, "%s: cannot be written: %s", path,
                       err_name(error));
    return 0;
}

int file_mkdirs(const char *path, struct err *err)
{
    char *p = xstrdup(path);
    struct stat st;
    int error = *path ? 0 : -ENOENT;

    for (char *s = p + 1; !error; s++) {
        if (*s != '/' && *s != '\0')
            continue;
        char end = *s;

        *s = '\0';
        if (mkdir(p, 0700) && errno != EEXIST)
            error = -errno;
        *s = end;
        if (end == '\0')
            break;
    }
    if (!error && (stat(p, &st) || !S_ISDIR(st.st_mode)))
        error = -ENOTDIR; /* "exists", but is a file */
    if (error)
        err_set(err, error, "%s: folder cannot be made: %s", path,
                err_name(error));
    free(p);
    return error;
}

char *file_join(const char *dir, const char *name)
{
    if (name[0] == '/')
        return xstrdup(name);
    return xasprintf("%s/%s", dir, name);
}

bool file_same(const char *a, const char *b)
{
    struct stat x, y;

    if (strcmp(a, b) == 0)
        return true;
    return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

char *file_dir(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return xstrdup(".");
    return slash == path ? xstrdup("/") : xmemdup(path, (size_t)(slash - path));
}

char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return xstrdup(slash ? slash + 1 : path);
}
