/* Neither recursion nor a descriptor for each level: a run can nest folders far
 * deeper than either allows. A folder found inside another is moved up to
 * the top and emptied from there in its turn:
 *
 *   top/a/b/c   ->   top/a, top/.gone-0 (was b, holds c)   ->   ...
 *
 * so all work happens one level below the top. Every folder is moved at most
 * once. The top is read again until a pass finds nothing that it can delete. */
#include "worker/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PASSES_MAX 1000000 /* a process that goes on making folders */

struct removal {
    int top;
    unsigned long long mount; /* id of the top's mount */
    unsigned moved;           /* for the names of what was moved up */
    bool progress;            /* this pass has changed something */
};

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static bool is_folder(int at, const char *name)
{
    struct stat st;

    return fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISDIR(st.st_mode);
}

/* The mount that a descriptor lies on; a bind mount has the device of what
 * it shows, so the device does not tell. */
static unsigned long long mount_of(int fd)
{
    struct statx st;

    if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &st) == 0 &&
        st.stx_mask & STATX_MNT_ID)
        return st.stx_mnt_id;
    struct stat old;
    return fstat(fd, &old) == 0 ? (unsigned long long)old.st_dev : 0;
}

/* Open a folder for emptying it; -1 if that can't or must not be done. */
static int open_folder(int at, const char *name)
{
    fchmodat(at, name, 0700, 0);
    return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Move a folder that is not empty up to the top. */
static void move_up(struct removal *r, int at, const char *name)
{
    char fresh[32];

    fchmodat(at, name, 0700, 0); /* its ".." is about to be written */
    for (int tries = 0; tries < 1000; tries++) {
        snprintf(fresh, sizeof(fresh), ".gone-%u", r->moved++);
        if (renameat(at, name, r->top, fresh) == 0) {
            r->progress = true;
            return;
        }
        if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR)
            return; /* a mount point, say */
    }
}

/* Delete a file, a link or an empty folder. */
static bool delete_entry(int at, const char *name)
{
    return unlinkat(at, name, 0) == 0 || unlinkat(at, name, AT_REMOVEDIR) == 0;
}

static void empty_folder(struct removal *r, const char *name)
{
    int fd = open_folder(r->top, name);

    if (fd < 0)
        return;
    DIR *dir = mount_of(fd) == r->mount ? fdopendir(fd) : NULL;
    if (!dir) {
        close(fd);
        return;
    }
    for (struct dirent *e; (e = readdir(dir));) {
        if (is_dots(e->d_name))
            continue;
        if (delete_entry(fd, e->d_name))
            r->progress = true;
        else if (is_folder(fd, e->d_name))
            move_up(r, fd, e->d_name);
    }
    closedir(dir);
}

/* One pass over the top. */
static void pass(struct removal *r, DIR *top)
{
    r->progress = false;
    rewinddir(top);
    for (struct dirent *e; (e = readdir(top));) {
        if (is_dots(e->d_name))
            continue;
        if (delete_entry(r->top, e->d_name)) {
            r->progress = true;
        } else if (is_folder(r->top, e->d_name)) {
            empty_folder(r, e->d_name);
            if (unlinkat(r->top, e->d_name, AT_REMOVEDIR) == 0)
                r->progress = true;
        }
    }
}

int tree_remove(const char *path)
{
    struct removal r = { .top = -1 };
    DIR *top = NULL;

    if (is_folder(AT_FDCWD, path))
        r.top = open_folder(AT_FDCWD, path);
    if (r.top >= 0) {
        r.mount = mount_of(r.top);
        top = fdopendir(r.top);
    }
    if (top) {
        r.progress = true;
        for (int n = 0; n < PASSES_MAX && r.progress; n++)
            pass(&r, top);
        closedir(top);
    } else if (r.top >= 0) {
        close(r.top);
    }
    if (delete_entry(AT_FDCWD, path) || errno == ENOENT)
        return 0;
    return -errno;
}
