/* Two arrays side by side, so that the spans move as all plain spans do. */
#include "grammar/observed.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "config/number.h"
#include "grammar/edit.h"

void observed_deinit(struct observed *observed)
{
    free(observed->at);
    free(observed->texts);
    free(observed->turns);
    free(observed->stands);
    free(observed->room);
    *observed = (struct observed){ 0 };
}

static bool read_place(char **p, size_t most, uint32_t *out)
{
    const char *at = *p;
    unsigned long n;

    if (!number_read(&at, &n) || n > most)
        return false;
    *p += at - *p;
    *out = (uint32_t)n;
    return true;
}

static bool is_printable(const char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            return false;
    return true;
}

/* One line, ended by NUL. */
static bool read_value(struct observed *o, char *line, size_t len)
{
    struct span at;

    if (!read_place(&line, len, &at.start) || *line++ != '-' ||
        !read_place(&line, len, &at.end) || at.end <= at.start)
        return false;
    if (*line == '+' ? line[1] : !strchr("=*~", *line) || !*line || !line[1])
        return false;
    o->turns[o->n] = *line == '~';
    o->stands[o->n] = *line == '*';
    if (!is_printable(++line))
        return false;
    if (o->n > 0 &&
        (o->at[o->n - 1].start > at.start ||
         (o->at[o->n - 1].start == at.start && o->at[o->n - 1].end < at.end)))
        return false;
    o->at[o->n] = at;
    o->texts[o->n++] = line;
    return true;
}

int observed_read(struct observed *o, const char *values, size_t len,
                  struct err *err)
{
    size_t lines = 0;
    bool good = true;

    for (const char *p = values; *p; p++)
        lines += *p == '\n';
    *o = (struct observed){ .at = xcalloc(lines + 1, sizeof(*o->at)),
                            .texts = xcalloc(lines + 1, sizeof(*o->texts)),
                            .turns = xcalloc(lines + 1, sizeof(*o->turns)),
                            .stands = xcalloc(lines + 1, sizeof(*o->stands)),
                            .room = xstrdup(values) };
    for (char *p = o->room; good && *p;) {
        char *end = strchr(p, '\n');

        if (end)
            *end = '\0';
        good = end && read_value(o, p, len);
        p = end ? end + 1 : p;
    }
    if (good)
        return 0;
    observed_deinit(o);
    return err_set(err, -EINVAL, "values of expressions are no list of them");
}

void observed_copy(struct observed *to, const struct observed *from)
{
    *to = (struct observed){ .n = from->n };
    to->at = xcalloc(from->n + 1, sizeof(*to->at));
    to->texts = xcalloc(from->n + 1, sizeof(*to->texts));
    to->turns = xcalloc(from->n + 1, sizeof(*to->turns));
    to->stands = xcalloc(from->n + 1, sizeof(*to->stands));
    if (from->n == 0)
        return;
    size_t size = 0, used = 0;

    memcpy(to->at, from->at, from->n * sizeof(*to->at));
    memcpy(to->turns, from->turns, from->n * sizeof(*to->turns));
    memcpy(to->stands, from->stands, from->n * sizeof(*to->stands));
    for (size_t i = 0; i < from->n; i++)
        size += strlen(from->texts[i]) + 1;
    to->room = xcalloc(size, 1);
    for (size_t i = 0; i < from->n; i++) {
        size_t n = strlen(from->texts[i]) + 1;

        memcpy(to->room + used, from->texts[i], n);
        to->texts[i] = to->room + used;
        used += n;
    }
}

struct bytes observed_turn(const struct observed *o, struct span at)
{
    size_t low;

    /* The first that starts there, the outer ones first */
    BISECT(low, 0, o->n,
           o->at[low].start < at.start ||
               (o->at[low].start == at.start && o->at[low].end > at.end));
    if (low == o->n || !o->turns[low] || o->at[low].start != at.start ||
        o->at[low].end != at.end)
        return bytes_of("", 0);
    return bytes_of(o->texts[low], strlen(o->texts[low]));
}

void observed_rebase(struct observed *o, const struct patch *patch)
{
    size_t kept = 0;

    spans_rebase(o->at, o->n, patch);
    for (size_t i = 0; i < o->n; i++) {
        if (span_len(o->at[i]) == 0)
            continue;
        o->at[kept] = o->at[i];
        o->turns[kept] = o->turns[i];
        o->stands[kept] = o->stands[i];
        o->texts[kept++] = o->texts[i];
    }
    o->n = kept;
}
