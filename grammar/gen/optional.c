/* What may be left out without a change of what is computed.
 *
 * `as` names, targets of assignments whose value acts, messages of assert,
 * causes of raise, results of return and yield, guards, base classes, `with`
 * items, names of global and nonlocal, unused parameters of a lambda, all of `a
 * if b else c` but one branch, commas and blanks at the ends of brackets.
 * Targets that are unpacked go with their values: `a, b = x, y` to `a = x`,
 * `for i, j in f(m, n)` to `for i in f(m)`. */
#include "grammar/gen/draft.h"

#include <stdlib.h>
#include <string.h>

#include "grammar/scope.h"

void gen_optional(struct gen *g);

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

/* Whether anything happens, or may fail, when it is evaluated. */
static bool acts(const struct nodes *ns, uint32_t node)
{
    for (uint32_t i = node; i < ns->at[node].past; i++)
        switch (node_kind(ns, i)) {
        case NODE_CALL:
        case NODE_AWAIT:
        case NODE_YIELD:
        case NODE_ASSIGNMENT:
        case NODE_SUBSCRIPT:
        case NODE_BINARY_OPERATOR:
            return true;
        }
    return false;
}

/* Whether a name is read somewhere: its assignment then keeps it. */
static bool is_read(const struct draft *d, uint32_t target)
{
    const struct scopes *scopes = d->g->scopes;

    return node_is(d->ns, target, NODE_IDENTIFIER) &&
           symbol_occurs(
               scopes, scopes_symbol_at(scopes, node_span(d->ns, target).start),
               OCC_READ);
}

/* `x = f()` to `f()`, `a = b = c` to `b = c`. */
static void assignment(struct draft *d, uint32_t node)
{
    const struct nodes *ns = d->ns;
    uint32_t left = node_field(ns, node, FIELD_left);
    uint32_t right = node_field(ns, node, FIELD_right);

    if (left == NODE_NONE || right == NODE_NONE)
        return;
    unpacking(d, left, right);
    if (is_read(d, left) || !acts(ns, right))
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

static void base_classes(struct draft *d, uint32_t node)
{
    uint32_t bases = node_field(d->ns, node, FIELD_superclasses);

    if (bases == NODE_NONE)
        return;
    draft_delete_edit(d, node_span(d->ns, bases), node_span(d->ns, bases));
    draft_series(d, bases, NULL, NULL, false);
}

/* Whether a parameter of a lambda is used. */
static bool is_used(const struct draft *d, struct span parameter)
{
    uint32_t at = node_from(d->ns, parameter.start), symbol;

    while (at < d->ns->n && !node_is(d->ns, at, NODE_IDENTIFIER))
        at++;
    if (at == d->ns->n || !span_holds(parameter, node_span(d->ns, at)))
        return true;
    symbol = scopes_symbol_at(d->g->scopes, node_span(d->ns, at).start);
    return symbol == SYMBOL_NONE ||
           symbol_occurs(d->g->scopes, symbol, OCC_USED);
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
        draft_series(d, node, NULL, NULL, false);
}

/* `(a)` to `a` where that means the same, on one line. */
static void brackets(struct draft *d, uint32_t node)
{
    const struct nodes *ns = d->ns;
    uint32_t inner = node_named_child(ns, node);
    struct bytes text = node_text(ns, node);

    if (inner == NODE_NONE || count_named(ns, node) != 1 ||
        !is_expression(ns, node) || !is_expression(ns, inner) ||
        memchr(text.data, '\n', text.len) ||
        memchr(text.data, '\r', text.len) || needs_brackets(ns, node, inner))
        return;
    draft_begin(d, node_span(ns, node));
    draft_narrow(d, node, inner);
    draft_end(d);
}

/* `f(a, )` to `f(a)`, `( a` to `(a`: one list for the whole file. */
static void loose_ends(struct draft *d)
{
    const struct nodes *ns = d->ns;

    edits_list_begin(d->g->out, "", true);
    for (uint32_t i = 0; i < ns->n; i++) {
        uint32_t first, last, parent = node_parent(ns, i);
        struct span open, at;

        if (node_is(ns, i, NODE_PARENTHESIZED))
            brackets(d, i);
        if (!is_token(ns, i, "(") && !is_token(ns, i, "[") &&
            !is_token(ns, i, "{"))
            continue;
        first = node_sibling(ns, i);
        if (first == NODE_NONE || node_is_extra(ns, first))
            continue;
        open = node_span(ns, i);
        at = (struct span){ open.end, node_span(ns, first).start };
        if (span_len(at) && !(node_is(ns, parent, NODE_INTERPOLATION) &&
                              ns->text.data[at.end] == '{'))
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

static void parts(struct draft *d, uint32_t i)
{
    const struct nodes *ns = d->ns;

    switch (node_kind(ns, i)) {
    case NODE_WITH_CLAUSE:
    case NODE_GLOBAL:
    case NODE_NONLOCAL:
        draft_series(d, i, NULL, NULL, false);
        break;
    case NODE_EXPRESSION_STATEMENT:
        statement_parts(d, i);
        break;
    case NODE_LAMBDA_PARAMETERS:
        lambda_parameters(d, i);
        break;
    case NODE_CONDITIONAL:
        conditional(d, i);
        break;
    case NODE_BINARY_OPERATOR:
        concatenation(d, i);
        break;
    case NODE_CLASS:
        base_classes(d, i);
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
            draft_drop_tail(d, node_field(ns, i, FIELD_cause));
        break;
    case NODE_ASSERT:
        if (count_named(ns, i) > 1)
            draft_drop_tail(d, last_named_child(ns, i));
        break;
    case NODE_CASE:
        if (node_field(ns, i, FIELD_guard) != NODE_NONE)
            draft_drop_tail(d, node_field(ns, i, FIELD_guard));
        break;
    }
}

void gen_optional(struct gen *g)
{
    struct draft d;

    draft_init(&d, g, EDIT_optional);
    for (uint32_t i = 0; i < d.ns->n; i++)
        parts(&d, i);
    loose_ends(&d);
    draft_deinit(&d);
}
