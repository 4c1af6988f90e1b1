/* Positional arguments of calls, one by one and in runs; and `*` or `**` of a
 * display written out in its place: f(*(a, b)) is f(a, b). */
#include "grammar/gen/draft.h"

void gen_argument(struct gen *g);

static bool is_positional(const struct nodes *ns, uint32_t child)
{
    return !node_is(ns, child, NODE_KEYWORD_ARGUMENT) &&
           !node_is(ns, child, NODE_DICTIONARY_SPLAT);
}

/* The display or dict() call whose brackets a splat can lose. */
static uint32_t splat_display(const struct nodes *ns, uint32_t splat)
{
    uint32_t inner = node_named_child(ns, splat), name;

    if (inner == NODE_NONE)
        return NODE_NONE;
    if (node_is(ns, splat, NODE_LIST_SPLAT))
        return node_is(ns, inner, NODE_TUPLE) || node_is(ns, inner, NODE_LIST)
                   ? inner
                   : NODE_NONE;
    if (!node_is(ns, inner, NODE_CALL))
        return NODE_NONE;
    name = node_field(ns, inner, FIELD_function);
    if (name == NODE_NONE || !node_text_is(ns, name, "dict"))
        return NODE_NONE;
    return node_child_of(ns, inner, NODE_ARGUMENT_LIST);
}

/* Keep what stands between the first and the last element. */
static void write_out(struct draft *d, uint32_t splat)
{
    uint32_t display = splat_display(d->ns, splat), first, last;
    struct span at = node_span(d->ns, splat);

    if (display == NODE_NONE)
        return;
    first = node_named_child(d->ns, display);
    last = last_named_child(d->ns, display);
    if (first == NODE_NONE)
        return;
    draft_begin(d, at);
    draft_delete(d, (struct span){ at.start, node_span(d->ns, first).start });
    draft_delete(d, (struct span){ node_span(d->ns, last).end, at.end });
    draft_end(d);
}

void gen_argument(struct gen *g)
{
    struct draft d;

    draft_init(&d, g, EDIT_argument);
    for (uint32_t i = 0; i < d.ns->n; i++) {
        if (node_is(d.ns, i, NODE_LIST_SPLAT) ||
            node_is(d.ns, i, NODE_DICTIONARY_SPLAT))
            write_out(&d, i);
        if (node_is(d.ns, i, NODE_ARGUMENT_LIST) &&
            node_is(d.ns, node_parent(d.ns, i), NODE_CALL))
            draft_series(&d, i, is_positional, "", true);
    }
    draft_deinit(&d);
}
