#include "grammar/idle.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "config/number.h"
#include "grammar/kernel.h"
#include "grammar/node.h"

/* The lines of a text, and which of them ran. */
struct lines {
    struct bytes text;
    uint32_t *start; /* of line i, from 0; one more at the end of the text */
    bool *ran;
    size_t n;
};

/* Counted as Python counts them: by \n, \r\n and \r. */
static void split(struct lines *lines, struct bytes text)
{
    size_t room = 0;
    uint32_t at = 0;

    *lines = (struct lines){ .text = text };
    while (at < text.len) {
        xgrow(&lines->start, &room, lines->n + 2, sizeof(*lines->start));
        lines->start[lines->n++] = at;
        at = text_line_next(text, at);
    }
    if (lines->n > 0)
        lines->start[lines->n] = (uint32_t)text.len;
    lines->ran = xcalloc(lines->n + 1, sizeof(*lines->ran));
}

static int mark_ran(struct lines *lines, const char *ran, struct err *err)
{
    const char *p = ran;

    while (*p) {
        unsigned long first = 0, last;
        bool good = number_read(&p, &first);

        last = first;
        if (good && *p == '-') {
            p++;
            good = number_read(&p, &last);
        }
        if (!good || first == 0 || last < first || (*p && *p != ','))
            return err_set(err, -EINVAL, "lines that ran are no ranges");
        for (; first <= last && first <= lines->n; first++)
            lines->ran[first - 1] = true;
        p += *p == ',';
    }
    return 0;
}

/* The line that holds a byte. */
static size_t line_of(const struct lines *lines, uint32_t at)
{
    size_t next;

    BISECT(next, 1, lines->n, lines->start[next] <= at);
    return next - 1;
}

/* A kernel whose definition ran counts as run from its first line to its
 * last. */
static void mark_kernels(struct lines *lines, const struct nodes *ns)
{
    for (uint32_t i = 0; i < ns->n; i++) {
        struct span at = node_span(ns, i);
        bool reached = false;

        if (!node_is(ns, i, NODE_DECORATED) || !kernel_is(ns, i))
            continue;
        size_t first = line_of(lines, at.start), last = line_of(lines, at.end);

        for (size_t k = first; k <= last && !reached; k++)
            reached = lines->ran[k];
        for (size_t k = first; reached && k <= last; k++)
            lines->ran[k] = true;
    }
}

int idle_spans(const struct tree *tree, const char *ran, struct span **spans,
               size_t *n, struct err *err)
{
    struct lines lines;
    size_t room = 0;
    int error;

    *spans = NULL;
    *n = 0;
    split(&lines, tree_text(tree));
    error = mark_ran(&lines, ran, err);
    if (!error)
        mark_kernels(&lines, tree_nodes(tree));
    for (size_t i = 0; !error && i < lines.n; i++) {
        size_t end = i;

        while (end < lines.n && !lines.ran[end])
            end++;
        if (end == i)
            continue;
        xgrow(spans, &room, *n + 1, sizeof(**spans));
        (*spans)[(*n)++] = (struct span){ lines.start[i], lines.start[end] };
        i = end;
    }
    free(lines.start);
    free(lines.ran);
    return error;
}
