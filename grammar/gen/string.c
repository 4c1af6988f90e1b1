/* Strings: emptied, halved, by words, without prefix, with short quotes, and
 * line by line where they hold many. Docstrings are left to trivia, the pieces
 * of f-strings to element, what reads as a program to source. Halves are cut
 * between characters and never inside an escape. */
#include "grammar/gen/draft.h"
#include "grammar/gen/source.h"

#include <stdlib.h>
#include <string.h>

#include "config/mem.h"

/* Longer texts go by halves and lines. */
#define WORDS_MAX 40

void gen_string(struct gen *g);

struct string {
    uint32_t node, start, end; /* its quotes' nodes */
    struct span inside;
    bool pieces; /* has expressions inside */
};

static bool string_read(const struct nodes *ns, uint32_t node,
                        struct string *out)
{
    *out = (struct string){ .node = node };
    out->start = node_child_of(ns, node, NODE_STRING_START);
    out->end = node_child_of(ns, node, NODE_STRING_END);
    if (out->start == NODE_NONE || out->end == NODE_NONE)
        return false;
    out->inside = (struct span){ node_span(ns, out->start).end,
                                 node_span(ns, out->end).start };
    out->pieces = node_child_of(ns, node, NODE_INTERPOLATION) != NODE_NONE;
    return out->inside.start <= out->inside.end;
}

/* The middle, moved behind the character and the escape it lies in. */
static uint32_t middle_of(const struct nodes *ns, const struct string *s)
{
    uint32_t middle = s->inside.start + span_len(s->inside) / 2;
    uint32_t back = middle;

    for (uint32_t i = node_from(ns, s->inside.start);
         i < ns->n && node_span(ns, i).start < middle; i++)
        if ((node_is(ns, i, NODE_ESCAPE_SEQUENCE) ||
             node_is(ns, i, NODE_ESCAPE_INTERPOLATION)) &&
            node_span(ns, i).end > middle)
            back = middle = node_span(ns, i).end;
    while (back > s->inside.start && ns->text.data[back - 1] == '\\')
        back--;
    if ((middle - back) % 2)
        middle++;
    while (middle < s->inside.end &&
           ((unsigned char)ns->text.data[middle] & 0xc0) == 0x80)
        middle++;
    return middle;
}

/* The end of the escape that starts here; 0 when none does. */
static uint32_t escape_end(const struct nodes *ns, const struct string *s,
                           uint32_t *node, uint32_t at)
{
    uint32_t past = ns->at[s->node].past;

    while (*node < past && (node_span(ns, *node).start < at ||
                            !node_is(ns, *node, NODE_ESCAPE_SEQUENCE)))
        (*node)++;
    return *node < past && node_span(ns, *node).start == at
               ? node_span(ns, *node).end
               : 0;
}

/* Words with what stands behind each, when there are a few. */
static void words(struct draft *d, const struct string *s)
{
    struct item items[WORDS_MAX];
    uint32_t at = s->inside.start, from = at, node = s->node, escape;
    bool in_word = true;
    size_t n = 0;

    while (at < s->inside.end) {
        bool word = text_is_word((unsigned char)d->ns->text.data[at]);

        escape = escape_end(d->ns, s, &node, at);
        if (word && !in_word && !escape && at > from) {
            if (n + 1 == WORDS_MAX)
                return;
            items[n++] =
                (struct item){ .at = { from, at }, .cover = { from, at } };
            from = at;
        }
        in_word = word && !escape;
        at = escape ? escape : at + 1;
    }
    if (n == 0)
        return;
    items[n++] = (struct item){ .at = { from, s->inside.end },
                                .cover = { from, s->inside.end } };
    gen_list(d->g, d->kind, items, n, NULL, false);
}

static void contents(struct draft *d, const struct string *s)
{
    uint32_t middle;

    if (span_len(s->inside) == 0 || s->pieces)
        return;
    draft_delete_edit(d, s->inside, s->inside);
    words(d, s);
    middle = middle_of(d->ns, s);
    if (middle <= s->inside.start || middle >= s->inside.end)
        return;
    draft_delete_edit(d, (struct span){ s->inside.start, middle },
                      (struct span){ s->inside.start, middle });
    draft_delete_edit(d, (struct span){ middle, s->inside.end },
                      (struct span){ middle, s->inside.end });
}

/* f"x" to "x", """x""" to "x". */
static void quotes(struct draft *d, const struct string *s)
{
    struct span start = node_span(d->ns, s->start);
    struct span end = node_span(d->ns, s->end);
    struct bytes inside =
        bytes_of(d->ns->text.data + s->inside.start, span_len(s->inside));
    uint32_t quote = span_len(end);

    if (span_len(start) > quote && !s->pieces)
        draft_delete_edit(d, start,
                          (struct span){ start.start, start.end - quote });
    if (quote != 3 || memchr(inside.data, '\n', inside.len) ||
        memchr(inside.data, '\r', inside.len) ||
        memchr(inside.data, d->ns->text.data[end.start], inside.len))
        return;
    draft_begin(d, start);
    draft_delete(d, (struct span){ start.end - 2, start.end });
    draft_delete(d, (struct span){ end.start, end.start + 2 });
    draft_end(d);
}

static void lines(struct draft *d, const struct string *s)
{
    /* no further: many strings may share a line */
    struct bytes text = bytes_of(d->ns->text.data, s->inside.end);
    struct item *items = NULL;
    size_t n = 0, room = 0;

    if (source_is(d->ns, s->node, s->inside))
        return;
    for (uint32_t at = s->inside.start; at < s->inside.end && !s->pieces;) {
        struct span line = { at, text_line_next(text, at) };

        xgrow(&items, &room, n + 1, sizeof(*items));
        items[n++] = (struct item){ .at = line, .cover = line };
        at = line.end;
    }
    if (n > 1)
        gen_list(d->g, d->kind, items, n, NULL, false);
    free(items);
}

void gen_string(struct gen *g)
{
    struct draft d;

    draft_init(&d, g, EDIT_string);
    d.raw = true;
    for (uint32_t i = 0; i < d.ns->n; i++) {
        struct string s;

        if (!node_is(d.ns, i, NODE_STRING) ||
            node_is(d.ns, node_parent(d.ns, i), NODE_EXPRESSION_STATEMENT) ||
            !string_read(d.ns, i, &s))
            continue;
        contents(&d, &s);
        quotes(&d, &s);
        lines(&d, &s);
    }
    draft_deinit(&d);
}
