/* One pass over the bytes, a range at each stretch of set ones. */
#include "worker/ran.h"

#include <stddef.h>
#include <stdlib.h>

#include "config/buf.h"
#include "config/file.h"
#include "worker/protocol.h"

#define LINES_MAX (4u << 20) /* as in observed.py */

static char *ranges(const char *lines, size_t n)
{
    struct buf buf;
    size_t first, last;

    buf_init(&buf, RAN_MAX_BYTES);
    for (first = 1; first < n && !buf.full; first = last + 1) {
        last = first;
        if (!lines[first])
            continue;
        while (last + 1 < n && lines[last + 1])
            last++;
        buf_addf(&buf, "%s%zu", buf.len ? "," : "", first);
        if (last > first)
            buf_addf(&buf, "-%zu", last);
    }
    if (buf.full) {
        buf_deinit(&buf);
        return NULL;
    }
    return buf_take(&buf, NULL);
}

char *ran_read(const char *path)
{
    char *lines = NULL, *text;
    size_t n;

    if (file_read(path, LINES_MAX, &lines, &n, NULL))
        return NULL;
    text = n > 0 && lines[0] ? NULL : ranges(lines, n);
    free(lines);
    return text;
}
