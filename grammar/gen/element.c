/* Parts of what is written as a series.
 *
 * A series (display, subscript, pattern, operands of `and` and `<`, pieces of
 * strings) gives a list of units, so that runs of them go together. A tuple of
 * two is special: `(a)` would be no tuple, so its parts leave a comma. Besides,
 * a comprehension becomes a display of its body or loses a clause, a slice a
 * bound. What goes without a change of any value is the matter of optional. */
#include "grammar/gen/draft.h"

#include <stdlib.h>
#include <string.h>

#include "config/mem.h"

void gen_element(struct gen *g);

static void series(struct draft *d, uint32_t node, const char *empty)
{
    draft_series(d, node, NULL, empty, empty != NULL);
}

/* A list built by hand. */
struct list {
    struct item *items;
    size_t n, room;
};

static void list_add(struct list *list, struct span at)
{
    xgrow(&list->items, &list->room, list->n + 1, sizeof(*list->items));
    list->items[list->n++] = (struct item){ .at = at, .cover = at };
}

static void list_offer(struct draft *d, struct list *list, const char *empty)
{
    gen_list(d->g, d->kind, list->items, list->n, empty, empty && list->n > 1);
    free(list->items);
}

/* Children that stand in a field, and no others. */
static void series_in_field(struct draft *d, uint32_t node,
                            enum node_field field)
{
    struct list list = { 0 };

    for (uint32_t c = node_named_child(d->ns, node); c != NODE_NONE;
         c = node_named_sibling(d->ns, c))
        if (d->ns->at[c].field == (uint8_t)field)
            list_add(&list, node_span(d->ns, c));
    list_offer(d, &list, NULL);
}

static void series_after_first(struct draft *d, uint32_t node)
{
    struct item *items;
    size_t n = items_of(d->ns, node, NULL, &items);

    if (n > 1)
        gen_list(d->g, d->kind, items + 1, n - 1, "", n > 2);
    free(items);
}

/* {key: value, **rest}: a key and its value are one unit. */
static void dict_pattern(struct draft *d, uint32_t node)
{
    struct list list = { 0 };

    for (uint32_t c = node_child(d->ns, node); c != NODE_NONE;
         c = node_sibling(d->ns, c)) {
        struct span at = node_span(d->ns, c);

        if (list.n > 0 &&
            (is_token(d->ns, c, ",") || d->ns->at[c].field == FIELD_value))
            list.items[list.n - 1].at.end = at.end;
        else if (d->ns->at[c].named && !node_is_extra(d->ns, c))
            list_add(&list, at);
    }
    list_offer(d, &list, "");
}

static void tuple(struct draft *d, uint32_t node)
{
    size_t n = count_named(d->ns, node);
    uint32_t first = node_named_child(d->ns, node), second, end;
    struct span a, b;

    if (n != 2) {
        series(d, node, NULL);
        return;
    }
    second = node_named_sibling(d->ns, first);
    a = node_span(d->ns, first);
    b = node_span(d->ns, second);
    end = node_span(d->ns, node).end;
    draft_replace_edit(d, b, (struct span){ a.end, end }, ",)");
    draft_begin(d, a);
    draft_delete(d, (struct span){ a.start, b.start });
    draft_replaces(d, (struct span){ b.end, end }, ",)");
    draft_end(d);
}

static bool same_operator(const struct nodes *ns, uint32_t a, uint32_t b)
{
    uint32_t x, y;
    struct bytes p, q;

    if (!node_is(ns, a, NODE_BOOLEAN_OPERATOR) ||
        !node_is(ns, b, NODE_BOOLEAN_OPERATOR))
        return false;
    x = node_field(ns, a, FIELD_operator);
    y = node_field(ns, b, FIELD_operator);
    if (x == NODE_NONE || y == NODE_NONE)
        return false;
    p = node_text(ns, x);
    q = node_text(ns, y);
    return p.len == q.len && memcmp(p.data, q.data, p.len) == 0;
}

/* a and b and c is ((a and b) and c): one series of three. */
static void boolean_chain(struct draft *d, uint32_t node)
{
    const struct nodes *ns = d->ns;
    struct list list = { 0 };
    uint32_t at = node;

    if (ns->at[node].field == FIELD_left &&
        same_operator(ns, node, node_parent(ns, node)))
        return;
    for (;;) {
        uint32_t left = node_field(ns, at, FIELD_left);
        uint32_t right = node_field(ns, at, FIELD_right);

        if (left == NODE_NONE || right == NODE_NONE)
            break;
        list_add(&list, node_span(ns, right));
        if (!same_operator(ns, at, left)) {
            list_add(&list, node_span(ns, left));
            break;
        }
        at = left;
    }
    for (size_t i = 0; i < list.n / 2; i++) {
        struct item swap = list.items[i];

        list.items[i] = list.items[list.n - 1 - i];
        list.items[list.n - 1 - i] = swap;
    }
    list_offer(d, &list, NULL);
}

/* Pieces of a string with expressions in it. */
static void string_pieces(struct draft *d, uint32_t node)
{
    struct list list = { 0 };

    for (uint32_t c = node_named_child(d->ns, node); c != NODE_NONE;
         c = node_named_sibling(d->ns, c))
        if (node_is(d->ns, c, NODE_STRING_CONTENT) ||
            node_is(d->ns, c, NODE_INTERPOLATION))
            list_add(&list, node_span(d->ns, c));
    list_offer(d, &list, "");
}

static void interpolation(struct draft *d, uint32_t node)
{
    for (uint32_t c = node_child(d->ns, node); c != NODE_NONE;
         c = node_sibling(d->ns, c))
        if (node_is(d->ns, c, NODE_FORMAT_SPECIFIER) ||
            node_is(d->ns, c, NODE_TYPE_CONVERSION) || is_token(d->ns, c, "="))
            draft_delete_edit(d, node_span(d->ns, c), node_span(d->ns, c));
}

static void comprehension(struct draft *d, uint32_t node)
{
    const struct nodes *ns = d->ns;
    uint32_t body = node_field(ns, node, FIELD_body);
    struct span all = node_span(ns, node);
    bool generator = node_is(ns, node, NODE_GENERATOR_EXPRESSION);
    bool argument = ns->at[node].field == FIELD_arguments;

    if (body == NODE_NONE || span_len(all) < 2)
        return;
    draft_begin(d, all);
    if (generator)
        draft_replaces(d, (struct span){ all.start, all.start + 1 },
                       argument ? "([" : "[");
    draft_replaces(
        d, (struct span){ node_span(ns, body).end, all.end - !generator },
        !generator ? ""
        : argument ? "])"
                   : "]");
    draft_end(d);
    for (uint32_t c = node_named_sibling(ns, body), n = 0; c != NODE_NONE;
         c = node_named_sibling(ns, c), n++)
        if (n)
            draft_drop_tail(d, c);
}

static void slice_bounds(struct draft *d, uint32_t node)
{
    uint32_t before = NODE_NONE;

    for (uint32_t c = node_child(d->ns, node); c != NODE_NONE;
         c = node_sibling(d->ns, c)) {
        struct span at = node_span(d->ns, c);

        if (d->ns->at[c].named && !node_is_extra(d->ns, c))
            draft_delete_edit(d, at, at);
        else if (before != NODE_NONE && is_token(d->ns, c, ":") &&
                 is_token(d->ns, before, ":"))
            draft_delete_edit(d, at, at);
        before = c;
    }
}

static void parts(struct draft *d, uint32_t i)
{
    const struct nodes *ns = d->ns;

    switch (node_kind(ns, i)) {
    case NODE_LIST:
    case NODE_DICTIONARY:
    case NODE_LIST_PATTERN:
        series(d, i, "");
        break;
    case NODE_SET:
    case NODE_EXPRESSION_LIST:
    case NODE_UNION_PATTERN:
    case NODE_CONCATENATED_STRING:
    case NODE_COMPARISON:
        series(d, i, NULL);
        break;
    case NODE_TUPLE:
    case NODE_TUPLE_PATTERN:
        tuple(d, i);
        break;
    case NODE_SUBSCRIPT:
        series_in_field(d, i, FIELD_subscript);
        break;
    case NODE_CLASS_PATTERN:
        series_after_first(d, i);
        break;
    case NODE_DICT_PATTERN:
        dict_pattern(d, i);
        break;
    case NODE_BOOLEAN_OPERATOR:
        boolean_chain(d, i);
        break;
    case NODE_STRING:
        if (node_child_of(ns, i, NODE_INTERPOLATION) != NODE_NONE)
            string_pieces(d, i);
        break;
    case NODE_INTERPOLATION:
        interpolation(d, i);
        break;
    case NODE_LIST_COMPREHENSION:
    case NODE_SET_COMPREHENSION:
    case NODE_DICTIONARY_COMPREHENSION:
    case NODE_GENERATOR_EXPRESSION:
        comprehension(d, i);
        break;
    case NODE_SLICE:
        slice_bounds(d, i);
        break;
    }
}

void gen_element(struct gen *g)
{
    struct draft d;

    draft_init(&d, g, EDIT_element);
    for (uint32_t i = 0; i < d.ns->n; i++)
        parts(&d, i);
    draft_deinit(&d);
}
