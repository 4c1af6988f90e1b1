#include "config/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *p, size_t n, size_t size)
{
    if (!p) {
        fprintf(stderr, "out of memory: %zu objects of %zu bytes\n", n, size);
        abort();
    }
    return p;
}

void *xcalloc(size_t n, size_t size)
{
    if (n == 0 || size == 0) /* calloc(0, ...) may answer NULL */
        n = size = 1;
    return checked(calloc(n, size), n, size); /* calloc checks n * size */
}

void *xreallocarray(void *p, size_t n, size_t size)
{
    if (n == 0 || size == 0)
        n = size = 1;
    return checked(reallocarray(p, n, size), n, size);
}

char *xstrdup(const char *s)
{
    return s ? xmemdup(s, strlen(s)) : NULL;
}

void *xcopy(const void *p, size_t n, size_t size)
{
    void *copy = xreallocarray(NULL, n, size);

    if (n > 0)
        memcpy(copy, p, n * size);
    return copy;
}

char *xmemdup(const void *p, size_t len)
{
    char *copy = xreallocarray(NULL, len + 1, 1);

    if (len > 0)
        memcpy(copy, p, len);
    copy[len] = '\0';
    return copy;
}

char *xasprintf(const char *fmt, ...)
{
    char *text = NULL;
    va_list args;

    va_start(args, fmt);
    int len = vasprintf(&text, fmt, args);
    va_end(args);
    return checked(len < 0 ? NULL : text, 1, 1);
}

void xgrow(void *array, size_t *room, size_t need, size_t size)
{
    void *p;
    size_t next = *room ? *room : 8;

    if (need <= *room)
        return;
    while (next < need)
        next = next > SIZE_MAX / 2 ? need : next * 2;
    memcpy(&p, array, sizeof(p)); /* a `char **` is no `void **` */
    p = xreallocarray(p, next, size);
    memcpy(array, &p, sizeof(p));
    *room = next;
}
