/* A plain array whose front is moved out: this is seldom, and short. */
#include "worker/tail.h"

#include <string.h>

#include "config/log.h"

void tail_add(struct tail *tail, const char *data, size_t n)
{
    size_t keep = sizeof(tail->text) - n;

    if (tail->len > keep) {
        memmove(tail->text, tail->text + tail->len - keep, keep);
        tail->len = keep;
    }
    memcpy(tail->text + tail->len, data, n);
    tail->len += n;
}

bool tail_last_line(const struct tail *tail, char *out, size_t size)
{
    size_t end = tail->len, start;

    while (end > 0 && tail->text[end - 1] == '\n')
        end--;
    for (start = end; start > 0 && tail->text[start - 1] != '\n';)
        start--;
    if (end == start)
        return false;
    log_safe(out, size, tail->text + start, end - start);
    return true;
}
