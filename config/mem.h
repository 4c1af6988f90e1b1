/* mem.h - allocation that cannot fail.
 *
 * Out of memory ends the program with a line on stderr, so no caller checks
 * for NULL. Whatever sizes an allocation from outside (a client, a child, an
 * input) must have been held under its ceiling before it gets here. All
 * results are the caller's, to be freed with free(). */
#ifndef AUTODD_MEM_H
#define AUTODD_MEM_H

#include <stddef.h>

/* Zeroed room for n objects of `size` bytes each. */
void *xcalloc(size_t n, size_t size);

/* `p` (or NULL) moved to room for n objects of `size` bytes; what is beyond
 * the old size is not zeroed. */
void *xreallocarray(void *p, size_t n, size_t size);

/* A copy of a string; of NULL, NULL. */
char *xstrdup(const char *s);

/* A NUL-terminated copy of `len` bytes, which may hold zero bytes. */
char *xmemdup(const void *p, size_t len);

/* A copy of `n` objects of `size` bytes. */
void *xcopy(const void *p, size_t n, size_t size);

/* printf into fresh memory. */
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Make `*array`, with room for `*room` objects of `size` bytes, hold at least
 * `need`; grows by doubling. */
void xgrow(void *array, size_t *room, size_t need, size_t size);

#endif
