#include "config/buf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"

void buf_init(struct buf *buf, size_t max)
{
    *buf = (struct buf){ .max = max };
}

void buf_deinit(struct buf *buf)
{
    free(buf->data);
    *buf = (struct buf){ .max = buf->max };
}

/* Room for `len` more bytes and the NUL, or the buf is full. */
static int make_room(struct buf *buf, size_t len)
{
    if (buf->full || len > buf->max - buf->len) {
        buf->full = true;
        return -E2BIG;
    }
    xgrow(&buf->data, &buf->room, buf->len + len + 1, 1);
    return 0;
}

int buf_add(struct buf *buf, const void *data, size_t len)
{
    int error = make_room(buf, len);

    if (error)
        return error;
    if (len > 0)
        memcpy(buf->data + buf->len, data, len);
    buf->len += len;
    buf->data[buf->len] = '\0';
    return 0;
}

int buf_adds(struct buf *buf, const char *s)
{
    return buf_add(buf, s, strlen(s));
}

int buf_addc(struct buf *buf, char c)
{
    return buf_add(buf, &c, 1);
}

int buf_addf(struct buf *buf, const char *fmt, ...)
{
    char *text = NULL;
    va_list args;

    va_start(args, fmt);
    int len = vasprintf(&text, fmt, args);
    va_end(args);
    if (len < 0) {
        buf->full = true;
        return -E2BIG;
    }
    int error = buf_add(buf, text, (size_t)len);
    free(text);
    return error;
}

void buf_drop(struct buf *buf, size_t n)
{
    if (n == 0)
        return;
    buf->len -= n;
    memmove(buf->data, buf->data + n, buf->len);
    buf->data[buf->len] = '\0';
}

void buf_clear(struct buf *buf)
{
    buf->len = 0;
    buf->full = false;
    if (buf->data)
        buf->data[0] = '\0';
}

struct bytes buf_bytes(const struct buf *buf)
{
    return bytes_of(buf_str(buf), buf->len);
}

const char *buf_str(const struct buf *buf)
{
    return buf->data ? buf->data : "";
}

char *buf_take(struct buf *buf, size_t *len)
{
    char *data = buf->data ? buf->data : xcalloc(1, 1);

    if (len)
        *len = buf->len;
    *buf = (struct buf){ .max = buf->max };
    return data;
}
