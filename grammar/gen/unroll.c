/* A comprehension becomes what it makes of the first element.
 *
 *     [f(*row) for row in [(1, 2)]]     ->  [f(*(1, 2))]
 *     dict((k, v) for k, v in [(a, b)]) ->  dict([(a, b)])
 *     {a + b for a in [1] for b in x}   ->  {1 + b for b in x}
 *     [f(i) for i in range(n)]          ->  [f(0)]
 *     [k + v for k, v in {a: b}.items()]->  [a + b]
 *     [f(x) for x in xs]                ->  [f(next(iter(xs)))], or where
 *                                           that is no shorter, [f(xs[0])]
 *
 * Conditions of the clause go with it. An element takes the place of its name
 * everywhere when it is cheap to repeat, else only of a single use. */
#include "grammar/gen/draft.h"
#include "grammar/gen/names.h"

#include <stdlib.h>
#include <string.h>

#include "config/mem.h"

/* Names of one target; more are seldom unpacked. */
#define NAMES_MAX 16

void gen_unroll(struct gen *g);

struct unroll {
    struct draft d;
    const struct names *names;
    struct span gone; /* of the comprehension: the clause that goes */
    bool indexed;     /* the first element is x[0], for want of room */
};

static bool is_display(const struct nodes *ns, uint32_t node)
{
    return node_is(ns, node, NODE_LIST) || node_is(ns, node, NODE_TUPLE) ||
           node_is(ns, node, NODE_SET);
}

static bool is_target_list(const struct nodes *ns, uint32_t node)
{
    return node_is(ns, node, NODE_PATTERN_LIST) ||
           node_is(ns, node, NODE_TUPLE_PATTERN) ||
           node_is(ns, node, NODE_LIST_PATTERN);
}

/* What stands for a name: an expression, or a text made from it. */
struct stand_in {
    uint32_t node;    /* whose names must mean the same */
    const char *text; /* NULL: the node's own */
    bool cheap;       /* may stand in more than one place */
};

static void put_at(struct unroll *u, uint32_t use, const struct stand_in *value)
{
    if (!value->text)
        draft_put(&u->d, use, value->node);
    else if (*value->text)
        draft_replaces(&u->d, node_span(u->d.ns, use), value->text);
    else { /* a call needs no brackets */
        struct bytes from = node_text(u->d.ns, value->node);
        char *text = xasprintf(u->indexed ? "%.*s[0]" : "next(iter(%.*s))",
                               (int)from.len, from.data);

        draft_replace_taken(&u->d, node_span(u->d.ns, use), text, strlen(text));
    }
}

/* Put the value in the place of all loads of the name. */
static bool put_all(struct unroll *u, uint32_t name,
                    const struct stand_in *value)
{
    const struct names *names = u->names;
    const struct nodes *ns = names->ns;
    uint32_t symbol = names_symbol(names, name);
    const struct occurrence *at;
    size_t n, loads;

    if (!is_expression(ns, value->node) || symbol == SYMBOL_NONE ||
        names_writes(names, symbol, &loads) != 1 ||
        (loads > 1 && !value->cheap))
        return false;
    at = symbol_occurrences(names->scopes, symbol, &n);
    for (size_t i = 0; i < n; i++) {
        uint32_t use = names_node(names, at[i].at);

        if (span_holds(u->gone, at[i].at))
            continue;
        if (use == NODE_NONE || !is_expression(ns, use) ||
            !names_fit_string(ns, node_text(ns, value->node), use) ||
            !names_mean_same(names, value->node, names->scope_of[use]))
            return false;
        put_at(u, use, value);
    }
    return true;
}

static bool put_node(struct unroll *u, uint32_t name, uint32_t node)
{
    const struct nodes *ns = u->d.ns;

    return put_all(
        u, name,
        &(struct stand_in){ node, NULL,
                            is_literal(ns, node) || is_dotted(ns, node) });
}

/* A target and the element that it takes; both may be lists. */
static bool bind(struct unroll *u, uint32_t target, uint32_t element)
{
    const struct nodes *ns = u->d.ns;
    int room = NAMES_MAX;

    if (node_is(ns, target, NODE_IDENTIFIER))
        return put_node(u, target, element);
    if (!is_target_list(ns, target) || !is_display(ns, element) ||
        node_is(ns, element, NODE_SET))
        return false;
    target = node_named_child(ns, target);
    element = node_named_child(ns, element);
    while (target != NODE_NONE && element != NODE_NONE && room-- > 0) {
        if (!node_is(ns, target, NODE_IDENTIFIER) ||
            !put_node(u, target, element))
            return false;
        target = node_named_sibling(ns, target);
        element = node_named_sibling(ns, element);
    }
    return target == NODE_NONE && element == NODE_NONE;
}

/* The two targets and the first pair of a dictionary. */
static bool bind_pair(struct unroll *u, uint32_t targets, uint32_t pair)
{
    const struct nodes *ns = u->d.ns;
    uint32_t key, value;

    if (!node_is(ns, pair, NODE_PAIR) || !is_target_list(ns, targets) ||
        count_named(ns, targets) != 2)
        return false;
    key = node_named_child(ns, targets);
    value = node_named_sibling(ns, key);
    return node_is(ns, key, NODE_IDENTIFIER) &&
           node_is(ns, value, NODE_IDENTIFIER) &&
           put_node(u, key, node_field(ns, pair, FIELD_key)) &&
           put_node(u, value, node_field(ns, pair, FIELD_value));
}

/* The dictionary whose .items() are called, or NODE_NONE. */
static uint32_t items_call(const struct nodes *ns, uint32_t call)
{
    uint32_t function = node_field(ns, call, FIELD_function), object;

    if (!node_is(ns, call, NODE_CALL) ||
        !node_is(ns, function, NODE_ATTRIBUTE) ||
        !node_text_is(ns, node_field(ns, function, FIELD_attribute), "items"))
        return NODE_NONE;
    object = node_field(ns, function, FIELD_object);
    return node_is(ns, object, NODE_DICTIONARY) ? object : NODE_NONE;
}

/* range(n) begins with 0, range(a, b) with a. */
static bool bind_range(struct unroll *u, uint32_t target, uint32_t call)
{
    const struct nodes *ns = u->d.ns;
    uint32_t arguments = node_child_of(ns, call, NODE_ARGUMENT_LIST), first;

    if (arguments == NODE_NONE)
        return false;
    first = node_named_child(ns, arguments);
    if (first == NODE_NONE || !is_expression(ns, first))
        return false;
    if (node_named_sibling(ns, first) != NODE_NONE)
        return put_node(u, target, first);
    return put_all(u, target, &(struct stand_in){ first, "0", true });
}

/* The first element of what is run over. */
static bool bind_first(struct unroll *u, uint32_t target, uint32_t iterable)
{
    const struct nodes *ns = u->d.ns;
    uint32_t dictionary = items_call(ns, iterable);

    if (is_display(ns, iterable)) {
        uint32_t element = node_named_child(ns, iterable);

        return element != NODE_NONE && bind(u, target, element);
    }
    if (dictionary != NODE_NONE)
        return bind_pair(u, target, node_named_child(ns, dictionary));
    if (!node_is(ns, target, NODE_IDENTIFIER) || !is_expression(ns, iterable) ||
        (u->indexed && !is_dotted(ns, iterable)))
        return false;
    if (node_is(ns, iterable, NODE_CALL) &&
        node_text_is(ns, node_field(ns, iterable, FIELD_function), "range"))
        return bind_range(u, target, iterable);
    return put_all(u, target, &(struct stand_in){ iterable, "", false });
}

/* The next `for` behind a clause, NODE_NONE when there is none. */
static uint32_t next_clause(const struct nodes *ns, uint32_t clause)
{
    do
        clause = node_sibling(ns, clause);
    while (clause != NODE_NONE && !node_is(ns, clause, NODE_FOR_IN_CLAUSE));
    return clause;
}

/* A generator without a clause is written as a list. */
static void close_generator(struct draft *d, uint32_t node)
{
    struct span at = node_span(d->ns, node);
    bool arguments = d->ns->at[node].field == FIELD_arguments;

    draft_replaces(d, (struct span){ at.start, at.start + 1 },
                   arguments ? "([" : "[");
    draft_replaces(d, (struct span){ at.end - 1, at.end },
                   arguments ? "])" : "]");
}

/* What of the comprehension goes: up to the next clause, or all behind the
 * body; empty when the text is not well formed. */
static struct span clause_span(const struct nodes *ns, uint32_t node,
                               uint32_t clause)
{
    uint32_t body = node_field(ns, node, FIELD_body);
    uint32_t next = next_clause(ns, clause);
    struct span at = node_span(ns, node);

    if (body == NODE_NONE || !strchr(")]}", ns->text.data[at.end - 1]))
        return (struct span){ 0, 0 };
    if (next != NODE_NONE)
        return (struct span){ node_span(ns, clause).start,
                              node_span(ns, next).start };
    return (struct span){ node_span(ns, body).end, at.end - 1 };
}

/* False: no such edit. */
static bool unroll(struct unroll *u, uint32_t node)
{
    const struct nodes *ns = u->d.ns;
    uint32_t clause = node_child_of(ns, node, NODE_FOR_IN_CLAUSE);
    uint32_t left, right;

    if (clause == NODE_NONE ||
        node_is(ns, node_child(ns, clause), NODE_KW_ASYNC))
        return false;
    left = node_field(ns, clause, FIELD_left);
    right = node_field(ns, clause, FIELD_right);
    u->gone = clause_span(ns, node, clause);
    if (left == NODE_NONE || right == NODE_NONE || span_len(u->gone) == 0)
        return false;
    draft_begin(&u->d, node_span(ns, node));
    if (!bind_first(u, left, right))
        return false;
    draft_delete(&u->d, u->gone);
    if (next_clause(ns, clause) == NODE_NONE &&
        node_is(ns, node, NODE_GENERATOR_EXPRESSION))
        close_generator(&u->d, node);
    return draft_end(&u->d) != EDIT_NONE;
}

void gen_unroll(struct gen *g)
{
    const struct names *names = g->names;
    struct unroll u = { .names = names };

    draft_init(&u.d, g, EDIT_unroll);
    for (uint32_t i = 0; i < g->nodes->n; i++)
        switch (node_kind(g->nodes, i)) {
        case NODE_LIST_COMPREHENSION:
        case NODE_SET_COMPREHENSION:
        case NODE_DICTIONARY_COMPREHENSION:
        case NODE_GENERATOR_EXPRESSION:
            u.indexed = false;
            if (unroll(&u, i))
                break;
            u.indexed = true;
            unroll(&u, i);
            break;
        }
    draft_deinit(&u.d);
}
