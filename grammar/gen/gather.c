/* What is put into a container right after it was made is written into it.
 *
 *     x = {}                          x = [a]
 *     x[k] = v    ->  x = {k: v}      x.append(b)   ->   x = [a, b]
 *
 * The statements stand one after the other, so the text between the last
 * element and the new one goes, and edits inside of either live on. One step
 * a statement: a row of them is gathered from the first on. An empty container
 * that nobody names before is made where something is put into it. */
#include "grammar/gen/draft.h"

#include <stdlib.h>

#include "grammar/scope.h"

void gen_gather(struct gen *g);

/* A statement that adds to the container made before it. */
struct addition {
    uint32_t key;   /* NODE_NONE for a list or set */
    uint32_t value; /* the last node that stays */
    bool dictionary;
};

/* The container that `x = {..}` makes; its name in *name. */
static uint32_t container_of_statement(const struct nodes *ns,
                                       uint32_t statement, uint32_t *name)
{
    uint32_t node = node_named_child(ns, statement), right;

    if (!node_is(ns, statement, NODE_EXPRESSION_STATEMENT) ||
        !node_is(ns, node, NODE_ASSIGNMENT) ||
        node_field(ns, node, FIELD_type) != NODE_NONE)
        return NODE_NONE;
    *name = node_field(ns, node, FIELD_left);
    right = node_field(ns, node, FIELD_right);
    if (!node_is(ns, *name, NODE_IDENTIFIER) ||
        (!node_is(ns, right, NODE_LIST) &&
         !node_is(ns, right, NODE_DICTIONARY)))
        return NODE_NONE;
    return right;
}

static bool is_element(const struct nodes *ns, uint32_t node)
{
    return node != NODE_NONE && is_expression(ns, node) &&
           !node_is(ns, node, NODE_NAMED_EXPRESSION) &&
           !node_is(ns, node, NODE_YIELD);
}

/* `x[k] = v` */
static bool read_store(const struct nodes *ns, uint32_t node, uint32_t *name,
                       struct addition *out)
{
    uint32_t left = node_field(ns, node, FIELD_left);

    if (!node_is(ns, node, NODE_ASSIGNMENT) ||
        !node_is(ns, left, NODE_SUBSCRIPT) || count_named(ns, left) != 2)
        return false;
    *name = node_field(ns, left, FIELD_value);
    *out = (struct addition){ node_field(ns, left, FIELD_subscript),
                              node_field(ns, node, FIELD_right), true };
    return is_element(ns, out->key) && is_element(ns, out->value) &&
           !node_is(ns, out->key, NODE_LAMBDA);
}

/* `x.append(v)` */
static bool read_append(const struct nodes *ns, uint32_t node, uint32_t *name,
                        struct addition *out)
{
    uint32_t function = node_field(ns, node, FIELD_function), arguments;

    if (!node_is(ns, node, NODE_CALL) ||
        !node_is(ns, function, NODE_ATTRIBUTE) ||
        !node_text_is(ns, node_field(ns, function, FIELD_attribute), "append"))
        return false;
    arguments = node_child_of(ns, node, NODE_ARGUMENT_LIST);
    if (arguments == NODE_NONE || count_named(ns, arguments) != 1)
        return false;
    *name = node_field(ns, function, FIELD_object);
    *out =
        (struct addition){ NODE_NONE, node_named_child(ns, arguments), false };
    return is_element(ns, out->value);
}

/* Whether the container is named in the addition: it is not there yet. */
static bool names_itself(const struct gen *g, const struct addition *add,
                         uint32_t symbol)
{
    uint32_t from = add->key != NODE_NONE ? add->key : add->value;

    for (uint32_t i = from; i < g->nodes->at[add->value].past; i++)
        if (node_is(g->nodes, i, NODE_IDENTIFIER) &&
            scopes_symbol_at(g->scopes, node_span(g->nodes, i).start) == symbol)
            return true;
    return false;
}

/* From what an addition adds to the end of its container, which is the end of
 * the edit. */
static void add_and_close(struct draft *d, const struct addition *add,
                          uint32_t end)
{
    struct span value = node_span(d->ns, add->value);

    if (add->dictionary)
        draft_replaces(
            d, (struct span){ node_span(d->ns, add->key).end, value.start },
            ": ");
    draft_replaces(d, (struct span){ value.end, end },
                   add->dictionary ? "}" : "]");
}

static void gather(struct draft *d, uint32_t first, uint32_t second)
{
    const struct nodes *ns = d->ns;
    uint32_t name, other, symbol, last, node = node_named_child(ns, second);
    uint32_t container = container_of_statement(ns, first, &name);
    struct addition add;
    struct span value, all = node_span(ns, second);

    if (container == NODE_NONE ||
        !node_is(ns, second, NODE_EXPRESSION_STATEMENT) ||
        node_span(ns, first).end != node_span(ns, container).end ||
        (!read_store(ns, node, &other, &add) &&
         !read_append(ns, node, &other, &add)) ||
        !node_is(ns, other, NODE_IDENTIFIER) ||
        add.dictionary != node_is(ns, container, NODE_DICTIONARY))
        return;
    symbol = scopes_symbol_at(d->g->scopes, node_span(ns, name).start);
    if (symbol == SYMBOL_NONE || names_itself(d->g, &add, symbol) ||
        scopes_symbol_at(d->g->scopes, node_span(ns, other).start) != symbol)
        return;
    last = last_named_child(ns, container);
    value = node_span(ns, add.value);
    draft_begin(d, (struct span){ node_span(ns, first).start, all.end });
    draft_replaces(
        d,
        (struct span){ last != NODE_NONE ? node_span(ns, last).end
                                         : node_span(ns, container).start + 1,
                       add.key != NODE_NONE ? node_span(ns, add.key).start
                                            : value.start },
        last != NODE_NONE ? ", " : "");
    add_and_close(d, &add, all.end);
    draft_end(d);
}

/* The unit that names the symbol next, when it is in the same block. */
static uint32_t next_user(const struct gen *g, uint32_t unit, uint32_t symbol)
{
    const struct unit *of = &g->units->at[unit];
    const struct occurrence *at;
    size_t n, low;
    uint32_t node;

    at = symbol_occurrences(g->scopes, symbol, &n);
    BISECT(low, 0, n, at[low].at.start < of->at.end);
    if (low == n || at[low].at.start >= node_span(g->nodes, of->body).end)
        return UNIT_NONE;
    node = node_at(g->nodes, at[low].at.start, NODE_IDENTIFIER);
    while (node != NODE_NONE && node_parent(g->nodes, node) != of->body)
        node = node_parent(g->nodes, node);
    return node == NODE_NONE ? UNIT_NONE : unit_of(g->units, node);
}

/* `x = []`, and further down `x.append(a)`: that becomes `x = [a]`. */
static void gather_later(struct draft *d, uint32_t unit)
{
    const struct nodes *ns = d->ns;
    const struct units *units = d->g->units;
    uint32_t first = units->at[unit].node, second, name, other, symbol, user;
    uint32_t container = container_of_statement(ns, first, &name), node;
    struct addition add;
    struct span value, all;

    if (container == NODE_NONE || count_named(ns, container) > 0 ||
        count_named(ns, first) != 1)
        return;
    symbol = scopes_symbol_at(d->g->scopes, node_span(ns, name).start);
    user = symbol == SYMBOL_NONE ? UNIT_NONE : next_user(d->g, unit, symbol);
    if (user == UNIT_NONE || user == units->at[unit].next)
        return;
    second = units->at[user].node;
    node = node_named_child(ns, second);
    if (!node_is(ns, second, NODE_EXPRESSION_STATEMENT) ||
        (!read_store(ns, node, &other, &add) &&
         !read_append(ns, node, &other, &add)) ||
        !node_is(ns, other, NODE_IDENTIFIER) ||
        add.dictionary != node_is(ns, container, NODE_DICTIONARY) ||
        names_itself(d->g, &add, symbol))
        return;
    value = node_span(ns, add.value);
    all = node_span(ns, second);
    draft_begin(d, (struct span){ node_span(ns, first).start, all.end });
    draft_drop_statement(d, first);
    draft_replaces(d,
                   (struct span){ node_span(ns, other).end,
                                  add.key != NODE_NONE
                                      ? node_span(ns, add.key).start
                                      : value.start },
                   add.dictionary ? " = {" : " = [");
    add_and_close(d, &add, all.end);
    draft_end(d);
}

void gen_gather(struct gen *g)
{
    struct draft d;

    draft_init(&d, g, EDIT_gather);
    for (uint32_t u = 0; u < g->units->n; u++) {
        if (g->units->at[u].next == UNIT_NONE)
            continue;
        gather(&d, g->units->at[u].node,
               g->units->at[g->units->at[u].next].node);
        gather_later(&d, u);
    }
    draft_deinit(&d);
}
