/* file.h - whole files with a ceiling, and writes that are never half done.
 * All calls block; they are for start-up, the end, and the thread pool. */
#ifndef AUTODD_FILE_H
#define AUTODD_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "config/err.h"

/* Read a regular file of at most `max` bytes. *data is NUL-terminated (not
 * counted in *len) and the caller's. -EISDIR for a folder, -EINVAL for what
 * is no regular file, -E2BIG past the ceiling, else open's or read's error;
 * err names the path and says what to do. */
int file_read(const char *path, size_t max, char **data, size_t *len,
              struct err *err);

/* Write `len` bytes to a fresh file in the folder of `path`, fsync it, and
 * rename it over `path`: a reader sees the old or the new bytes, whole, also
 * after a power cut. Where the file system has files without a name, it has
 * none before it is whole. A symbolic link is followed; what is no regular file
 * (a folder, a device) is left alone with -EISDIR or -EINVAL. Nothing is left
 * behind on error. `mode`: the permissions, whatever the umask. */
int file_replace(const char *path, const void *data, size_t len, int mode,
                 struct err *err);

/* Make `path` and what is missing above it, mode 0700. */
int file_mkdirs(const char *path, struct err *err);

/* "DIR/NAME" in fresh memory; NAME alone when it is absolute. */
char *file_join(const char *dir, const char *name);

/* Whether two paths are equal or lead to one file that is there. */
bool file_same(const char *a, const char *b);

/* The folder part ("." without one) and the last part of a path; caller
 * frees. */
char *file_dir(const char *path);
char *file_name(const char *path);

#endif
