/* Marks that keep code.
 *
 * Two kinds of marks. Those that are code (`with __freeze__:`, `__freeze__(x)`)
 * are taken out by one patch, and what they held is frozen. Those that are
 * comments stay and are frozen too, or a later step would delete the mark and
 * with it, on a resumed run, the meaning. All spans are found in the original
 * text and moved by the patch. Nested marks melt. */
#include "grammar/freeze.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/buf.h"
#include "config/mem.h"
#include "grammar/edit.h"
#include "grammar/line.h"
#include "grammar/node.h"
#include "grammar/tree.h"

struct freeze {
    const struct nodes *ns;
    struct lines *lines;
    struct edits edits; /* the marks that are code, taken out */
    struct span *spans;
    size_t n, room;
    struct err *err;
};

static int complain(const struct freeze *f, uint32_t at, const char *what)
{
    return err_set(f->err, -EINVAL, "line %zu: %s", line_of(f->lines, at) + 1,
                   what);
}

static void keep(struct freeze *f, struct span at)
{
    if (span_len(at) == 0)
        return;
    xgrow(&f->spans, &f->room, f->n + 1, sizeof(*f->spans));
    f->spans[f->n++] = at;
}

/* The words of a comment after `# autodd:`, or NULL when it is no mark. */
static bool mark_words(const struct nodes *ns, uint32_t i, struct bytes *words)
{
    struct bytes text = node_text(ns, i);
    size_t at = 1;

    while (at < text.len && strchr(" \t", text.data[at]))
        at++;
    if (text.len - at < 7 || memcmp(text.data + at, "autodd:", 7) != 0)
        return false;
    at += 7;
    while (at < text.len && strchr(" \t", text.data[at]))
        at++;
    while (text.len > at && strchr(" \t\r", text.data[text.len - 1]))
        text.len--;
    *words = bytes_of(text.data + at, text.len - at);
    return true;
}

static bool words_are(struct bytes words, const char *text)
{
    return words.len == strlen(text) &&
           memcmp(words.data, text, words.len) == 0;
}

/* The outermost statement that starts on this line or, when `later`, after
 * it; for a line inside of a statement the innermost around it. */
static uint32_t statement_for(const struct freeze *f, uint32_t comment,
                              bool later)
{
    const struct nodes *ns = f->ns;
    const struct line *line =
        &f->lines->at[line_of(f->lines, node_span(ns, comment).start)];
    uint32_t best = NODE_NONE;

    if (later) {
        for (uint32_t i = comment + 1; i < ns->n; i++)
            if (node_is_statement(ns, i))
                return i;
        return NODE_NONE;
    }
    for (uint32_t i = node_from(ns, line->start);
         i < comment && best == NODE_NONE; i++)
        if (node_is_statement(ns, i))
            best = i;
    if (best == NODE_NONE) /* the end of a statement of several lines */
        for (uint32_t i = comment; i-- > 0 && best == NODE_NONE;)
            if (node_is_statement(ns, i) && node_span(ns, i).end > line->start)
                best = i;
    return best;
}

/* `# autodd: freeze`: the statement, or all that begin on its line. */
static int keep_statement(struct freeze *f, uint32_t comment)
{
    const struct nodes *ns = f->ns;
    struct span mark = node_span(ns, comment);
    const struct line *line = &f->lines->at[line_of(f->lines, mark.start)];
    bool alone = line->text == mark.start;
    uint32_t statement = statement_for(f, comment, alone);

    if (statement == NODE_NONE)
        return complain(f, mark.start,
                        "\"autodd: freeze\" stands at no statement; put it on "
                        "the statement's line or on the line before");
    struct span at = node_span(ns, statement);
    mark.end = mark.end > line->end ? line->end : mark.end;
    if (mark.end > at.end)
        at.end = mark.end;
    if (mark.start < at.start)
        at.start = mark.start;
    keep(f, at);
    return 0;
}

static int read_comment(struct freeze *f, uint32_t i, uint32_t *open)
{
    struct span at = node_span(f->ns, i);
    struct bytes words;

    if (!mark_words(f->ns, i, &words))
        return 0;
    if (words_are(words, "freeze"))
        return keep_statement(f, i);
    if (words_are(words, "freeze-start")) {
        if (*open != UINT32_MAX)
            return complain(f, at.start,
                            "\"autodd: freeze-start\" inside another one; end "
                            "the first with \"# autodd: end-freeze\"");
        *open = at.start;
        return 0;
    }
    if (words_are(words, "end-freeze")) {
        if (*open == UINT32_MAX)
            return complain(f, at.start,
                            "\"autodd: end-freeze\" without a start; put "
                            "\"# autodd: freeze-start\" above");
        keep(f, (struct span){ *open, at.end });
        *open = UINT32_MAX;
        return 0;
    }
    return complain(f, at.start,
                    "unknown mark after \"autodd:\"; give freeze, "
                    "freeze-start or end-freeze");
}

static bool is_freeze_name(const struct nodes *ns, uint32_t i)
{
    return node_is(ns, i, NODE_IDENTIFIER) && node_text_is(ns, i, "__freeze__");
}

/* `__freeze__(expr)` -> `(expr)`, which is good wherever the call was. */
static int read_call(struct freeze *f, uint32_t name)
{
    const struct nodes *ns = f->ns;
    uint32_t call = node_parent(ns, name);
    uint32_t arguments = node_field(ns, call, FIELD_arguments);
    uint32_t first = node_is(ns, arguments, NODE_ARGUMENT_LIST)
                         ? node_named_child(ns, arguments)
                         : NODE_NONE;

    if (first == NODE_NONE || node_named_sibling(ns, first) != NODE_NONE ||
        node_is(ns, first, NODE_KEYWORD_ARGUMENT) ||
        node_is(ns, first, NODE_LIST_SPLAT) ||
        node_is(ns, first, NODE_DICTIONARY_SPLAT))
        return complain(f, node_span(ns, name).start,
                        "__freeze__() takes one expression");
    edits_begin(&f->edits, 0, node_span(ns, call));
    edits_delete(&f->edits, (struct span){ node_span(ns, name).start,
                                           node_span(ns, arguments).start });
    uint32_t comma = node_sibling(ns, first); /* `(x,)` would be a tuple */
    if (node_is(ns, comma, NODE_COMMA))
        edits_delete(&f->edits, node_span(ns, comma));
    edits_end(&f->edits);
    keep(f, node_span(ns, arguments));
    return 0;
}

/* `with __freeze__:`: the body comes out by one step, as unwrapping does. */
static int read_with(struct freeze *f, uint32_t name, uint32_t with)
{
    const struct nodes *ns = f->ns;
    uint32_t body = node_field(ns, with, FIELD_body);
    uint32_t first = body != NODE_NONE ? node_named_child(ns, body) : NODE_NONE;
    struct span at = node_span(ns, with);

    if (first == NODE_NONE)
        return complain(f, at.start, "\"with __freeze__:\" holds no statement");
    if (node_named_sibling(
            ns,
            node_named_child(ns, node_child_of(ns, with, NODE_WITH_CLAUSE))) !=
        NODE_NONE)
        return complain(f, node_span(ns, name).start,
                        "\"with __freeze__:\" stands alone, without other "
                        "items");
    uint32_t start = node_span(ns, first).start;
    const struct line *outer = &f->lines->at[line_of(f->lines, at.start)];
    const struct line *inner = &f->lines->at[line_of(f->lines, start)];
    edits_begin(&f->edits, 0, at);
    edits_delete(&f->edits, (struct span){ at.start, start });
    if (inner != outer)
        lines_dedent(f->lines, &f->edits, (struct span){ start, at.end },
                     outer->text - outer->start, inner->text - inner->start);
    edits_end(&f->edits);
    keep(f, (struct span){ start, at.end });
    return 0;
}

static int read_name(struct freeze *f, uint32_t i)
{
    const struct nodes *ns = f->ns;
    uint32_t parent = node_parent(ns, i);

    if (node_is(ns, parent, NODE_CALL) && ns->at[i].field == FIELD_function)
        return read_call(f, i);
    if (node_is(ns, parent, NODE_WITH_ITEM))
        return read_with(f, i, node_above(ns, i, NODE_WITH));
    return complain(f, node_span(ns, i).start,
                    "__freeze__ marks code as \"with __freeze__:\" or "
                    "\"__freeze__(expression)\"");
}

static int read_marks(struct freeze *f)
{
    uint32_t open = UINT32_MAX;
    int error = 0;

    for (uint32_t i = 0; i < f->ns->n && !error; i++) {
        if (node_is(f->ns, i, NODE_COMMENT))
            error = read_comment(f, i, &open);
        else if (is_freeze_name(f->ns, i))
            error = read_name(f, i);
    }
    if (!error && open != UINT32_MAX)
        return complain(f, open,
                        "\"autodd: freeze-start\" without an end; put "
                        "\"# autodd: end-freeze\" below");
    return error;
}

/* Sorted, apart from each other, none empty. */
static void melt(struct freeze *f)
{
    size_t kept = 0;

    if (f->n > 1)
        qsort(f->spans, f->n, sizeof(*f->spans), span_by_start);
    for (size_t i = 0; i < f->n; i++) {
        if (span_len(f->spans[i]) == 0)
            continue;
        if (kept > 0 && f->spans[i].start <= f->spans[kept - 1].end) {
            if (f->spans[i].end > f->spans[kept - 1].end)
                f->spans[kept - 1].end = f->spans[i].end;
        } else {
            f->spans[kept++] = f->spans[i];
        }
    }
    f->n = kept;
}

/* Take the code marks out; -EINVAL for marks that cut each other. */
static int take_out(struct freeze *f, struct bytes text, char **out,
                    size_t *len)
{
    struct patch patch;
    struct buf buf;
    int error = 0;

    patch_init(&patch);
    buf_init(&buf, UINT32_MAX);
    for (uint32_t i = 0; i < f->edits.n && !error; i++)
        error = patch_add_edit(&patch, &f->edits, i);
    if (!error) {
        patch_apply(&patch, text, &buf);
        spans_rebase(f->spans, f->n, &patch);
        melt(f);
        *out = buf_take(&buf, len);
    }
    buf_deinit(&buf);
    patch_deinit(&patch);
    return error;
}

int freeze_read(struct bytes text, char **out, size_t *len, struct span **spans,
                size_t *n, struct err *err)
{
    struct tree *tree = tree_parse(text);
    struct freeze f = { .ns = tree_nodes(tree), .err = err };
    int error;

    f.lines = lines_new(f.ns);
    edits_init(&f.edits);
    error = read_marks(&f);
    if (!error)
        error = take_out(&f, text, out, len);
    if (!error && f.n > 0) {
        *spans = f.spans;
        *n = f.n;
        f.spans = NULL;
    } else if (!error) {
        *spans = NULL;
        *n = 0;
    }
    free(f.spans);
    edits_deinit(&f.edits);
    lines_free(f.lines);
    tree_free(tree);
    return error;
}
