/* buf.h - growable bytes with a ceiling fixed at birth.
 *
 * A buf lives in its owner's struct from buf_init() to buf_deinit() or
 * buf_take(). Once an append would pass the ceiling the buf is `full`: that
 * append and all later ones change nothing and return -E2BIG, so a writer may
 * append many times and look once. The bytes are NUL-terminated (not
 * counted), and borrowed until the next append. */
#ifndef AUTODD_BUF_H
#define AUTODD_BUF_H

#include <stdbool.h>
#include <stddef.h>

#include "config/base.h"

struct buf {
    char *data; /* never NULL after an append; NULL while empty is fine */
    size_t len;
    size_t room;
    size_t max;
    bool full;
};

/* `max`: most bytes it will ever hold. */
void buf_init(struct buf *buf, size_t max);
void buf_deinit(struct buf *buf);

/* Append bytes, a string, a byte, formatted text. 0 or -E2BIG. */
int buf_add(struct buf *buf, const void *data, size_t len);
int buf_adds(struct buf *buf, const char *s);
int buf_addc(struct buf *buf, char c);
int buf_addf(struct buf *buf, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Drop the first `n` bytes (n <= len). */
void buf_drop(struct buf *buf, size_t n);

/* Forget the bytes, keep the room; `full` is lifted. */
void buf_clear(struct buf *buf);

/* The bytes so far, borrowed until the next change; never NULL. */
struct bytes buf_bytes(const struct buf *buf);
const char *buf_str(const struct buf *buf);

/* Hand the bytes over (caller frees); the buf is empty afterwards. */
char *buf_take(struct buf *buf, size_t *len);

#endif
