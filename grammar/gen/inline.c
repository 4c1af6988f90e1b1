/* Values and bodies move to where they are used.
 *
 * Here: variables, and attributes of objects that only carry values. Options
 * and displays are in inline_option.c, functions in inline_call.c.
 *
 * A variable moves when it is bound once; a value that is cheap to repeat (a
 * literal, a name, `a.b`) to all its uses, and so do the members of a display
 * that is used by `*x` or `**x` alone, or once; any other to its only use in
 * the same scope. Names in the value must mean the same there and not be bound
 * anew in between; whether calls in between matter is for the oracle. An
 * attribute moves in the same way when the file stores it in one place. Of a
 * variable that is bound more often, a name moves to all that reads it
 * in the same block up to the next binding: `x = y; f(x); x = g(x)`.
 *
 * `x = v` goes with its statement. In `x, y = v, w` a target goes with its
 * value, and the last pair left is written `y = w`; in `x = y = v` the target
 * goes alone. */
#include "grammar/gen/inline.h"

#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "grammar/gen/draft.h"

/* Longest value without a call that is worth repeating. */
#define REPEATED_MAX 60

/* Work is done for each target on all of them; past this many, none is, so
 * that it stays linear. */
#define TARGETS_MAX 32

/* And for each binding of a name on all that is of this name. */
#define BINDINGS_MAX 256

void gen_inline(struct gen *g);

bool is_cheap(const struct nodes *ns, uint32_t value)
{
    return is_literal(ns, value) || is_dotted(ns, value);
}

/* No call, no scope of its own, nothing that may happen only once. */
static bool is_pure(const struct nodes *ns, uint32_t value)
{
    if (span_len(node_span(ns, value)) > REPEATED_MAX)
        return false;
    for (uint32_t i = value; i < ns->at[value].past; i++)
        switch (node_kind(ns, i)) {
        case NODE_CALL:
        case NODE_AWAIT:
        case NODE_YIELD:
        case NODE_LAMBDA:
        case NODE_NAMED_EXPRESSION:
        case NODE_LIST:
        case NODE_SET:
        case NODE_DICTIONARY:
        case NODE_LIST_COMPREHENSION:
        case NODE_SET_COMPREHENSION:
        case NODE_DICTIONARY_COMPREHENSION:
        case NODE_GENERATOR_EXPRESSION:
            return false;
        }
    return true;
}

/* Whether a symbol is written between two places of the text. */
static bool written_between(const struct names *names, uint32_t symbol,
                            uint32_t from, uint32_t to)
{
    size_t n, low;
    const struct occurrence *at = symbol_occurrences(names->scopes, symbol, &n);

    BISECT(low, 0, n, at[low].at.start < from);
    for (; low < n && at[low].at.start < to; low++)
        if (at[low].role != OCC_LOAD)
            return true;
    return false;
}

/* Whether the names in a value keep their objects from a byte up to a use. */
static bool keeps_until(const struct names *names, uint32_t value,
                        uint32_t from, uint32_t use)
{
    const struct nodes *ns = names->ns;
    uint32_t to = node_span(ns, use).start;

    for (uint32_t i = value; i < ns->at[value].past; i++) {
        uint32_t symbol = SYMBOL_NONE;

        if (node_is(ns, i, NODE_IDENTIFIER))
            symbol = names_symbol(names, i);
        if (symbol != SYMBOL_NONE && written_between(names, symbol, from, to))
            return false;
    }
    return true;
}

/* `del a, o.x`: what is deleted is no value. */
static bool is_deleted(const struct nodes *ns, uint32_t node)
{
    uint32_t parent = node_parent(ns, node);

    return node_is(ns, parent, NODE_DELETE) ||
           (node_is(ns, parent, NODE_EXPRESSION_LIST) &&
            node_is(ns, node_parent(ns, parent), NODE_DELETE));
}

bool put_value(struct draft *d, const struct names *names, uint32_t use,
               uint32_t value)
{
    if (!is_expression(d->ns, use) || is_deleted(d->ns, use) ||
        !names_fit_string(d->ns, node_text(d->ns, value), use) ||
        !names_mean_same(names, value, names->scope_of[use]))
        return false;
    draft_put(d, use, value);
    return true;
}

/* One target of an assignment. */
struct binding {
    uint32_t node;    /* the assignment */
    uint32_t left;    /* the target */
    uint32_t value;   /* NODE_NONE: not known to be one expression */
    uint32_t index;   /* among the targets, when they have a value each */
    uint32_t targets; /* their series, or NODE_NONE */
    uint32_t values;  /* the series of values, or NODE_NONE */
    bool chained;     /* the value has other targets, too: `a = b = v` */
};

/* The statement of an assignment that is all of it: `left = right`, or a part
 * of `a = left = right`. NODE_NONE else. */
static uint32_t whole_statement(const struct nodes *ns, uint32_t node)
{
    uint32_t parent = node_parent(ns, node);

    for (int i = 0; i < TARGETS_MAX && node_is(ns, parent, NODE_ASSIGNMENT);
         i++)
        parent = node_parent(ns, parent);
    return node_is(ns, parent, NODE_EXPRESSION_STATEMENT) &&
                   count_named(ns, parent) == 1
               ? parent
               : NODE_NONE;
}

/* The last right side of a chain; NODE_NONE when it is no value. */
static uint32_t chain_value(const struct nodes *ns, uint32_t node)
{
    uint32_t right = node_field(ns, node, FIELD_right);

    for (int i = 0; i < TARGETS_MAX && node_is(ns, right, NODE_ASSIGNMENT); i++)
        right = node_field(ns, right, FIELD_right);
    return node_is(ns, right, NODE_ASSIGNMENT) ||
                   node_is(ns, right, NODE_AUGMENTED_ASSIGNMENT) ||
                   node_is(ns, right, NODE_YIELD)
               ? NODE_NONE
               : right;
}

/* Whether each of the targets has a value written in its place. */
static bool are_paired(const struct nodes *ns, uint32_t targets, uint32_t value)
{
    return (node_is(ns, value, NODE_EXPRESSION_LIST) ||
            node_is(ns, value, NODE_TUPLE) || node_is(ns, value, NODE_LIST)) &&
           !has_star(ns, targets) && !has_star(ns, value) &&
           count_named(ns, targets) == count_named(ns, value);
}

/* The targets of a series with their values, in `all`; how many. */
static size_t pairs_of(const struct nodes *ns, struct binding pair,
                       struct binding all[TARGETS_MAX])
{
    uint32_t value = pair.chained ? NODE_NONE : pair.value, c;
    size_t n = 0;

    pair.targets = pair.left;
    if (value != NODE_NONE && are_paired(ns, pair.targets, value)) {
        pair.values = value;
        value = node_named_child(ns, value);
    } else {
        value = NODE_NONE;
    }
    for (c = node_named_child(ns, pair.targets);
         c != NODE_NONE && n < TARGETS_MAX; c = node_named_sibling(ns, c)) {
        pair.left = c;
        pair.value = value;
        pair.index = (uint32_t)n;
        all[n++] = pair;
        if (value != NODE_NONE)
            value = node_named_sibling(ns, value);
    }
    return c == NODE_NONE ? n : 0;
}

/* The targets of an assignment, in `all`; how many. */
static size_t bindings_of(const struct nodes *ns, uint32_t node,
                          struct binding all[TARGETS_MAX])
{
    uint32_t right = node_field(ns, node, FIELD_right);
    struct binding one = { .node = node,
                           .left = node_field(ns, node, FIELD_left),
                           .value = NODE_NONE,
                           .targets = NODE_NONE,
                           .values = NODE_NONE };

    if (one.left == NODE_NONE)
        return 0;
    if (right != NODE_NONE && whole_statement(ns, node) != NODE_NONE)
        one.value = chain_value(ns, node);
    one.chained = node_is(ns, node_parent(ns, node), NODE_ASSIGNMENT) ||
                  node_is(ns, right, NODE_ASSIGNMENT);
    if (is_targets(ns, one.left))
        return pairs_of(ns, one, all);
    all[0] = one;
    return 1;
}

/* Of two the other one is left, without the brackets and commas of both. */
static void drop_of_two(struct draft *d, uint32_t series, uint32_t index)
{
    uint32_t first = node_named_child(d->ns, series);

    draft_narrow(d, series,
                 index == 0 ? node_named_sibling(d->ns, first) : first);
}

static void drop_of_more(struct draft *d, uint32_t series, uint32_t index)
{
    struct item *items;
    size_t n = items_of(d->ns, series, NULL, &items);

    for (size_t i = 0; i < n; i++)
        items[i].stays = i != index;
    draft_drop_items(d, items, n);
    free(items);
}

/* Delete the target, and what only it needs. */
static void drop_binding(struct draft *d, const struct binding *b)
{
    const struct nodes *ns = d->ns;
    size_t n = b->targets == NODE_NONE ? 1 : count_named(ns, b->targets);

    if (b->chained) {
        struct span at = node_span(ns, b->left);

        at.end = node_span(ns, node_field(ns, b->node, FIELD_right)).start;
        draft_delete(d, at);
    } else if (n == 1) {
        draft_drop_statement(d, node_parent(ns, b->node));
    } else if (n == 2) {
        drop_of_two(d, b->targets, b->index);
        drop_of_two(d, b->values, b->index);
    } else {
        drop_of_more(d, b->targets, b->index);
        drop_of_more(d, b->values, b->index);
    }
}

/* The series of a display, or of a call of dict(), whose members are cheap, and
 * stand in it as they would in the place of a splat of it; NODE_NONE else. */
static uint32_t cheap_members(const struct nodes *ns, uint32_t value)
{
    uint32_t series = value;
    bool keywords = node_is(ns, value, NODE_CALL);

    if (keywords &&
        node_text_is(ns, node_field(ns, value, FIELD_function), "dict"))
        series = node_child_of(ns, value, NODE_ARGUMENT_LIST);
    else if (keywords || (!node_is(ns, value, NODE_LIST) &&
                          !node_is(ns, value, NODE_TUPLE)))
        return NODE_NONE;
    if (series == NODE_NONE || span_len(node_span(ns, value)) > REPEATED_MAX ||
        node_named_child(ns, series) == NODE_NONE)
        return NODE_NONE;
    for (uint32_t c = node_named_child(ns, series); c != NODE_NONE;
         c = node_named_sibling(ns, c)) {
        uint32_t member = node_is(ns, c, NODE_KEYWORD_ARGUMENT) && keywords
                              ? node_field(ns, c, FIELD_value)
                              : c;

        if ((keywords && member == c) || !is_cheap(ns, member))
            return NODE_NONE;
    }
    return series;
}

/* f(*x) becomes f(1, 2), f(**x) f(a=1), for a use of x and the series of what
 * is in it. False when the use is another one. */
static bool put_members(struct draft *d, const struct names *names,
                        uint32_t use, uint32_t value, uint32_t series)
{
    const struct nodes *ns = d->ns;
    uint32_t splat = node_parent(ns, use);
    struct bytes text;

    if (!node_is(ns, splat,
                 node_is(ns, value, NODE_CALL) ? NODE_DICTIONARY_SPLAT
                                               : NODE_LIST_SPLAT) ||
        !node_is(ns, node_parent(ns, splat), NODE_ARGUMENT_LIST) ||
        !names_fit_string(ns, node_text(ns, value), use) ||
        !names_mean_same(names, value, names->scope_of[use]))
        return false;
    text = nodes_text(ns, node_named_child(ns, series),
                      last_named_child(ns, series));
    draft_replace(d, node_span(ns, splat), text.data, text.len);
    return true;
}

static bool put_variable(struct draft *d, const struct names *names,
                         const struct binding *b, struct span statement)
{
    uint32_t symbol = names_symbol(names, b->left);
    uint32_t members = cheap_members(d->ns, b->value);
    bool cheap = is_cheap(d->ns, b->value);
    bool anywhere = cheap || members != NODE_NONE;
    uint32_t from = node_span(d->ns, b->value).end;
    const struct occurrence *at;
    size_t n, loads;

    if (symbol == SYMBOL_NONE || names_writes(names, symbol, &loads) != 1 ||
        loads == 0 ||
        (!cheap && ((loads > 1 && members == NODE_NONE) || b->chained)))
        return false;
    if (loads == 1)
        members = NODE_NONE;
    if (b->targets != NODE_NONE || b->chained)
        from = statement.start; /* the other targets are bound after it */
    at = symbol_occurrences(names->scopes, symbol, &n);
    for (size_t i = 0; i < n; i++) {
        uint32_t use = names_node(names, at[i].at);

        if (use == b->left)
            continue;
        if (use == NODE_NONE || span_holds(statement, at[i].at) ||
            !keeps_until(names, b->value, from, use) ||
            (!anywhere && names->scope_of[use] != names->scope_of[b->left]) ||
            !(members != NODE_NONE
                  ? put_members(d, names, use, b->value, members)
                  : put_value(d, names, use, b->value)))
            return false;
    }
    return true;
}

/* Whether a statement runs more than once each time its scope does. */
static bool in_loop(const struct names *names, uint32_t statement)
{
    const struct nodes *ns = names->ns;
    uint32_t scope = names->scope_of[statement];

    for (uint32_t up = node_parent(ns, statement);
         up != NODE_NONE && up != scope; up = node_parent(ns, up))
        if (node_is(ns, up, NODE_FOR) || node_is(ns, up, NODE_WHILE) ||
            node_is(ns, up, NODE_TRY))
            return true;
    return false;
}

/* The statement of the block, from `statement` on, that binds the symbol next,
 * by a plain assignment, in *next, or NODE_NONE; false when it is bound in any
 * other way, or by another scope. */
static bool next_binding(const struct names *names, uint32_t symbol,
                         uint32_t statement, uint32_t *next)
{
    const struct nodes *ns = names->ns;
    uint32_t end = node_span(ns, statement).end;
    const struct occurrence *at;
    size_t n;

    *next = NODE_NONE;
    at = symbol_occurrences(names->scopes, symbol, &n);
    if (n > BINDINGS_MAX)
        return false;
    for (size_t i = 0; i < n; i++) {
        uint32_t node = names_node(names, at[i].at), up;

        if (node == NODE_NONE ||
            names->scope_of[node] != names->scope_of[statement])
            return false;
        if (at[i].at.start < end || at[i].role == OCC_LOAD ||
            *next != NODE_NONE)
            continue;
        up = node_parent(ns, node);
        if (at[i].role != OCC_BIND || !node_is(ns, up, NODE_ASSIGNMENT) ||
            ns->at[node].field != FIELD_left)
            return false;
        *next = whole_statement(ns, up);
        if (*next == NODE_NONE ||
            node_parent(ns, *next) != node_parent(ns, statement))
            return false;
    }
    return true;
}

/* What reads the variable until it is bound anew gets the value. */
static bool put_until(struct draft *d, const struct names *names,
                      const struct binding *b, uint32_t statement)
{
    const struct nodes *ns = d->ns;
    uint32_t symbol = names_symbol(names, b->left), next;
    uint32_t from = node_span(ns, statement).end, past = UINT32_MAX;
    struct span block = node_span(ns, node_parent(ns, statement));
    const struct occurrence *at;
    size_t n, put = 0;

    if (symbol == SYMBOL_NONE || b->targets != NODE_NONE || b->chained ||
        !is_dotted(ns, b->value) || in_loop(names, statement) ||
        !next_binding(names, symbol, statement, &next))
        return false;
    if (next != NODE_NONE)
        past = node_span(ns, next).end;
    at = symbol_occurrences(names->scopes, symbol, &n);
    for (size_t i = 0; i < n; i++) {
        uint32_t use = names_node(names, at[i].at), until = use;

        if (at[i].role != OCC_LOAD || at[i].at.start < from ||
            at[i].at.start >= past)
            continue;
        if (next != NODE_NONE && node_holds(ns, next, use))
            until = next; /* its target comes first, and is bound last */
        if (!span_holds(block, at[i].at) ||
            !keeps_until(names, b->value, from, until) ||
            !put_value(d, names, use, b->value))
            return false;
        put++;
    }
    return put > 0;
}

static void variable(struct draft *d, const struct names *names,
                     const struct binding *b)
{
    uint32_t whole;
    struct span statement;

    if (b->value == NODE_NONE || !node_is(d->ns, b->left, NODE_IDENTIFIER) ||
        node_is(d->ns, names->scope_of[b->left], NODE_CLASS))
        return;
    whole = whole_statement(d->ns, b->node);
    statement = node_span(d->ns, whole);
    draft_begin(d, statement);
    if (!put_variable(d, names, b, statement)) {
        draft_begin(d, statement);
        if (!put_until(d, names, b, whole))
            return;
    }
    drop_binding(d, b);
    draft_end(d);
}

static void variables(struct draft *d, const struct names *names, uint32_t node)
{
    struct binding all[TARGETS_MAX];
    size_t n = bindings_of(d->ns, node, all);

    for (size_t i = 0; i < n; i++)
        variable(d, names, &all[i]);
}

/* Attributes. */

struct store {
    struct bytes name;
    struct binding to;
};

static int store_order(const void *a, const void *b)
{
    const struct store *x = a, *y = b;
    size_t n = x->name.len < y->name.len ? x->name.len : y->name.len;
    int order = n ? memcmp(x->name.data, y->name.data, n) : 0;

    if (order)
        return order;
    if (x->name.len != y->name.len)
        return x->name.len < y->name.len ? -1 : 1;
    return x->to.left < y->to.left ? -1 : x->to.left > y->to.left;
}

static bool same_store(const struct store *a, const struct store *b)
{
    return a->name.len == b->name.len &&
           memcmp(a->name.data, b->name.data, a->name.len) == 0;
}

/* The attribute that a target is: `o.x` anywhere, `x` in a class. */
static uint32_t stored_name(const struct names *names, uint32_t left)
{
    if (node_is(names->ns, left, NODE_ATTRIBUTE))
        return node_field(names->ns, left, FIELD_attribute);
    return node_is(names->ns, left, NODE_IDENTIFIER) &&
                   node_is(names->ns, names->scope_of[left], NODE_CLASS)
               ? left
               : NODE_NONE;
}

static size_t stores_of(const struct names *names, struct store **stores)
{
    const struct nodes *ns = names->ns;
    struct binding all[TARGETS_MAX];
    size_t n = 0, room = 0;

    *stores = NULL;
    for (uint32_t i = 0; i < ns->n; i++) {
        size_t targets =
            node_is(ns, i, NODE_ASSIGNMENT) ? bindings_of(ns, i, all) : 0;

        for (size_t k = 0; k < targets; k++) {
            uint32_t name = stored_name(names, all[k].left);

            if (name == NODE_NONE)
                continue;
            xgrow(stores, &room, n + 1, sizeof(**stores));
            (*stores)[n++] = (struct store){ node_text(ns, name), all[k] };
        }
    }
    if (n)
        qsort(*stores, n, sizeof(**stores), store_order);
    return n;
}

/* Whether an object may be left out together with its attribute. */
static bool is_carrier(const struct nodes *ns, uint32_t attribute)
{
    uint32_t object = node_field(ns, attribute, FIELD_object);

    return object != NODE_NONE &&
           (is_dotted(ns, object) || node_is(ns, object, NODE_CALL));
}

/* Put a value at all loads of `.name`; how many, 0 when one resists. */
static size_t put_at_loads(struct draft *d, const struct names *names,
                           const struct store *store, struct span statement)
{
    const struct nodes *ns = d->ns;
    size_t n, loads = 0;
    const struct span *at = scopes_attributes(names->scopes, store->name, &n);

    for (size_t i = 0; i < n; i++) {
        uint32_t node = names_node(names, at[i]), use;

        if (node == NODE_NONE)
            return 0;
        use = node_parent(ns, node);
        if (use == store->to.left)
            continue;
        if (span_holds(statement, at[i]) || !is_carrier(ns, use) ||
            !put_value(d, names, use, store->to.value))
            return 0;
        loads++;
    }
    return loads;
}

static void attribute(struct draft *d, const struct names *names,
                      const struct store *store)
{
    const struct nodes *ns = d->ns;
    const struct binding *b = &store->to;
    struct span statement = node_span(ns, whole_statement(ns, b->node));
    bool cheap = is_cheap(ns, b->value);
    size_t loads;

    draft_begin(d, statement);
    loads = put_at_loads(d, names, store, statement);
    if (loads == 0 || (!cheap && b->chained) ||
        (loads > 1 && !cheap && !is_pure(ns, b->value)))
        return;
    drop_binding(d, b);
    draft_end(d);
}

static void attributes(struct draft *d, const struct names *names)
{
    struct store *stores;
    size_t n = stores_of(names, &stores);

    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && same_store(&stores[i], &stores[j]);)
            j++;
        if (j - i == 1 && stores[i].to.value != NODE_NONE)
            attribute(d, names, &stores[i]);
    }
    free(stores);
}

void gen_inline(struct gen *g)
{
    const struct names *names = g->names;
    struct draft d;

    draft_init(&d, g, EDIT_inline);
    for (uint32_t i = 0; i < d.ns->n; i++) {
        switch (node_kind(d.ns, i)) {
        case NODE_ASSIGNMENT:
            variables(&d, names, i);
            break;
        case NODE_CALL:
            inline_option(&d, names, i);
            inline_partial(&d, i);
            inline_next(&d, i);
            break;
        case NODE_SUBSCRIPT:
            inline_index(&d, i);
            break;
        case NODE_FUNCTION:
            inline_function(&d, names, i);
            break;
        }
    }
    attributes(&d, names);
    draft_deinit(&d);
}
