/* Parts of what is written as a series, and parts that are optional.
 *
 * A series (display, subscript, targets, `with` items, base classes, patterns,
 * operands of `and`, `<`, pieces of strings) gives a list of units, so that
 * runs of them go together. A tuple of two is special: `(a)` would be no tuple,
 * so its parts leave a comma. Targets that are unpacked go with their values:
 * `a, b = x, y` to `a = x`, `for i, j in f(m, n)` to `for i in f(m)`.
 *
 * Optional parts: `as` names, messages of assert, causes of raise, results of
 * return and yield, guards, clauses of comprehensions, bounds of slices, the
 * target of an assignment whose value is a call, all of `a if b else c` but one
 * branch, unused parameters of a lambda. */
#include "grammar/gen/draft.h"

#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "grammar/scope.h"

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

/* Delete a child with what stands between it and the one before. */
static void drop_from_before(struct draft *d, uint32_t child)
{
    const struct nodes *ns = d->ns;
    struct span at = node_span(ns, child);
    uint32_t before = NODE_NONE;

    for (uint32_t c = node_named_child(ns, node_parent(ns, child));
         c != NODE_NONE && c != child; c = node_named_sibling(ns, c))
        before = c;
    if (before == NODE_NONE)
        return;
    at.start = node_span(ns, before).end;
    draft_delete_edit(d, node_span(ns, child), at);
}

/* `return x` to `return`: everything after the keyword. */
static void drop_value(struct draft *d, uint32_t node)
{
    uint32_t value = node_named_child(d->ns, node);
    uint32_t keyword = node_child(d->ns, node);
    struct span at = node_span(d->ns, node);

    if (value == NODE_NONE || keyword == value)
        return;
    at.start = node_span(d->ns, keyword).end;
    draft_delete_edit(d, at, at);
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
            drop_from_before(d, c);
}

/* The series whose parts are bound to targets, or NODE_NONE. */
static uint32_t values_of(const struct nodes *ns, uint32_t value)
{
    if (node_is(ns, value, NODE_CALL))
        return node_child_of(ns, value, NODE_ARGUMENT_LIST);
    if (node_is(ns, value, NODE_EXPRESSION_LIST) ||
        node_is(ns, value, NODE_TUPLE) || node_is(ns, value, NODE_LIST))
        return value;
    return NODE_NONE;
}

static bool is_plain(const struct nodes *ns, uint32_t child)
{
    return !node_is(ns, child, NODE_KEYWORD_ARGUMENT) &&
           !node_is(ns, child, NODE_DICTIONARY_SPLAT);
}

/* Each target goes with the value in its place. */
static void unpacking(struct draft *d, uint32_t targets, uint32_t value)
{
    const struct nodes *ns = d->ns;
    struct item *left, *right;
    uint32_t values = value == NODE_NONE ? NODE_NONE : values_of(ns, value);
    size_t n, m, plain = 0;

    if (targets == NODE_NONE || values == NODE_NONE ||
        !is_targets(ns, targets) || has_star(ns, targets) ||
        has_star(ns, values))
        return;
    n = items_of(ns, targets, NULL, &left);
    m = items_of(ns, values, is_plain, &right);
    while (plain < m && !right[plain].stays)
        plain++;
    if (n == plain && n > 1) {
        edits_list_begin(d->g->out, NULL, false);
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k < m; k++)
                right[k].stays = k != i;
            for (size_t k = 0; k < n; k++)
                left[k].stays = k != i;
            draft_begin(d, left[i].cover);
            draft_drop_items(d, left, n);
            draft_drop_items(d, right, m);
            draft_end(d);
        }
        edits_list_end(d->g->out);
    }
    free(left);
    free(right);
}

/* (a, b) + (c, d) is (a, b, c, d). */
static void concatenation(struct draft *d, uint32_t node)
{
    const struct nodes *ns = d->ns;
    uint32_t left = node_field(ns, node, FIELD_left);
    uint32_t right = node_field(ns, node, FIELD_right);
    uint32_t operator= node_field(ns, node, FIELD_operator);
    uint32_t last, first;

    if (left == NODE_NONE || right == NODE_NONE ||
        !is_token(ns, operator, "+") ||
        node_kind(ns, left) != node_kind(ns, right) ||
        (!node_is(ns, left, NODE_TUPLE) && !node_is(ns, left, NODE_LIST)))
        return;
    last = last_named_child(ns, left);
    first = node_named_child(ns, right);
    if (last == NODE_NONE || first == NODE_NONE)
        return;
    draft_replace_edit(
        d, (struct span){ node_span(ns, last).end, node_span(ns, first).start },
        (struct span){ node_span(ns, last).end, node_span(ns, first).start },
        ", ");
}

/* Whether anything happens when it is evaluated. */
static bool acts(const struct nodes *ns, uint32_t node)
{
    for (uint32_t i = node; i < ns->at[node].past; i++)
        if (node_is(ns, i, NODE_CALL) || node_is(ns, i, NODE_AWAIT) ||
            node_is(ns, i, NODE_YIELD) || node_is(ns, i, NODE_ASSIGNMENT))
            return true;
    return false;
}

/* `x = f()` to `f()`, `a = b = c` to `b = c`. */
static void assignment(struct draft *d, uint32_t node)
{
    const struct nodes *ns = d->ns;
    uint32_t right = node_field(ns, node, FIELD_right);

    unpacking(d, node_field(ns, node, FIELD_left), right);
    if (right == NODE_NONE || !acts(ns, right))
        return;
    draft_delete_edit(
        d, node_span(ns, node),
        (struct span){ node_span(ns, node).start, node_span(ns, right).start });
}

static void as_name(struct draft *d, uint32_t node)
{
    const struct nodes *ns = d->ns;
    uint32_t inner = node_named_child(ns, node);
    uint32_t target = node_field(ns, node, FIELD_alias);
    struct span at = node_span(ns, node);

    if (inner == NODE_NONE)
        return;
    at.start = node_span(ns, inner).end;
    draft_delete_edit(d, at, at);
    if (target != NODE_NONE)
        unpacking(d, node_named_child(ns, target), inner);
}

/* `except E:` to `except:`; the group form needs its type. */
static void except_type(struct draft *d, uint32_t node)
{
    uint32_t keyword = node_child(d->ns, node);
    uint32_t value = node_field(d->ns, node, FIELD_value);

    uint32_t next = node_named_sibling(d->ns, node);

    if (value == NODE_NONE || keyword == NODE_NONE ||
        node_sibling(d->ns, keyword) != value ||
        node_is(d->ns, next, NODE_EXCEPT)) /* a bare one must be the last */
        return;
    draft_delete_edit(d, node_span(d->ns, value),
                      (struct span){ node_span(d->ns, keyword).end,
                                     node_span(d->ns, value).end });
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

static void base_classes(struct draft *d, uint32_t node)
{
    uint32_t bases = node_field(d->ns, node, FIELD_superclasses);

    if (bases == NODE_NONE)
        return;
    draft_delete_edit(d, node_span(d->ns, bases), node_span(d->ns, bases));
    series(d, bases, NULL);
}

/* Whether a parameter of a lambda is used. */
static bool is_used(const struct draft *d, struct span parameter)
{
    uint32_t at = node_from(d->ns, parameter.start), symbol;
    size_t uses = 0;

    while (at < d->ns->n && !node_is(d->ns, at, NODE_IDENTIFIER))
        at++;
    if (at == d->ns->n || !span_holds(parameter, node_span(d->ns, at)))
        return true;
    symbol = scopes_symbol_at(d->g->scopes, node_span(d->ns, at).start);
    if (symbol != SYMBOL_NONE)
        symbol_occurrences(d->g->scopes, symbol, &uses);
    return uses != 1;
}

/* Those it does not use; with a bare `*` or `/` among them all stay. */
static void lambda_parameters(struct draft *d, uint32_t node)
{
    struct item *items;
    size_t n = items_of(d->ns, node, NULL, &items);

    for (size_t i = 0; i < n; i++)
        items[i].stays = is_used(d, items[i].cover);
    if (node_child_of(d->ns, node, NODE_KEYWORD_SEPARATOR) == NODE_NONE &&
        node_child_of(d->ns, node, NODE_POSITIONAL_SEPARATOR) == NODE_NONE)
        gen_list(d->g, d->kind, items, n, "", n > 1);
    free(items);
}

/* `a if b else c` to `a` and to `c`. */
static void conditional(struct draft *d, uint32_t node)
{
    uint32_t first = node_named_child(d->ns, node);
    uint32_t last = last_named_child(d->ns, node);

    if (first == NODE_NONE || first == last)
        return;
    draft_begin(d, node_span(d->ns, node));
    draft_narrow(d, node, first);
    draft_end(d);
    draft_begin(d, node_span(d->ns, node));
    draft_narrow(d, node, last);
    draft_end(d);
}

/* An expression statement `a, b` has its parts as children. */
static void statement_parts(struct draft *d, uint32_t node)
{
    if (count_named(d->ns, node) > 1)
        series(d, node, NULL);
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
    case NODE_WITH_CLAUSE:
    case NODE_GLOBAL:
    case NODE_NONLOCAL:
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
    case NODE_EXPRESSION_STATEMENT:
        statement_parts(d, i);
        break;
    case NODE_SUBSCRIPT:
        series_in_field(d, i, FIELD_subscript);
        break;
    case NODE_LAMBDA_PARAMETERS:
        lambda_parameters(d, i);
        break;
    case NODE_CONDITIONAL:
        conditional(d, i);
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
    case NODE_BINARY_OPERATOR:
        concatenation(d, i);
        break;
    case NODE_STRING:
        if (node_child_of(ns, i, NODE_INTERPOLATION) != NODE_NONE)
            string_pieces(d, i);
        break;
    case NODE_INTERPOLATION:
        interpolation(d, i);
        break;
    case NODE_CLASS:
        base_classes(d, i);
        break;
    case NODE_LIST_COMPREHENSION:
    case NODE_SET_COMPREHENSION:
    case NODE_DICTIONARY_COMPREHENSION:
    case NODE_GENERATOR_EXPRESSION:
        comprehension(d, i);
        break;
    case NODE_AS_PATTERN:
        as_name(d, i);
        break;
    case NODE_EXCEPT:
        except_type(d, i);
        break;
    case NODE_ASSIGNMENT:
    case NODE_AUGMENTED_ASSIGNMENT:
        assignment(d, i);
        break;
    case NODE_FOR:
    case NODE_FOR_IN_CLAUSE:
        unpacking(d, node_field(ns, i, FIELD_left),
                  node_field(ns, i, FIELD_right));
        break;
    case NODE_RETURN:
    case NODE_YIELD:
    case NODE_RAISE:
        drop_value(d, i);
        if (node_field(ns, i, FIELD_cause) != NODE_NONE)
            drop_from_before(d, node_field(ns, i, FIELD_cause));
        break;
    case NODE_ASSERT:
        if (count_named(ns, i) > 1)
            drop_from_before(d, last_named_child(ns, i));
        break;
    case NODE_CASE:
        if (node_field(ns, i, FIELD_guard) != NODE_NONE)
            drop_from_before(d, node_field(ns, i, FIELD_guard));
        break;
    case NODE_SLICE:
        slice_bounds(d, i);
        break;
    }
}

/* `f(a, )` to `f(a)`, `( a` to `(a`: one list for the whole file. */
static void loose_ends(struct draft *d)
{
    const struct nodes *ns = d->ns;

    edits_list_begin(d->g->out, "", true);
    for (uint32_t i = 0; i < ns->n; i++) {
        uint32_t first, last, parent = node_parent(ns, i);
        struct span open, at;

        if (!is_token(ns, i, "(") && !is_token(ns, i, "[") &&
            !is_token(ns, i, "{"))
            continue;
        first = node_sibling(ns, i);
        if (first == NODE_NONE || node_is_extra(ns, first))
            continue;
        open = node_span(ns, i);
        at = (struct span){ open.end, node_span(ns, first).start };
        if (span_len(at))
            draft_delete_edit(d, at, at);
        last = last_named_child(ns, parent);
        if (last == NODE_NONE || node_span(ns, last).start < open.end ||
            node_is(ns, parent, NODE_INTERPOLATION) ||
            (node_is(ns, parent, NODE_TUPLE) && count_named(ns, parent) < 2))
            continue;
        at = (struct span){ node_span(ns, last).end,
                            node_span(ns, parent).end - 1 };
        if (at.end > at.start)
            draft_delete_edit(d, at, at);
    }
    edits_list_end(d->g->out);
}

void gen_element(struct gen *g)
{
    struct draft d;

    draft_init(&d, g, EDIT_element);
    for (uint32_t i = 0; i < d.ns->n; i++)
        parts(&d, i);
    loose_ends(&d);
    draft_deinit(&d);
}
