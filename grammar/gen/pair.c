/* Loops over pairs of which one half is read.
 *
 *     for i, x in enumerate(xs)      ->  for x in xs
 *     for k, v in d.items()          ->  for v in d.values()
 *     for k, v in d.items()          ->  for k in d
 *     for x, y, z in zip(a, b, c)    ->  for y in b
 *
 * Clauses of comprehensions, too. Which half goes is told by the names in its
 * target: nothing uses them. */
#include "grammar/gen/draft.h"

#include "grammar/scope.h"

void gen_pair(struct gen *g);

/* A longer zip() is no series of halves. */
#define PARTS_MAX 16

/* Whether the target does more than bind names that nobody uses. */
static bool is_wanted(const struct draft *d, uint32_t target)
{
    const struct nodes *ns = d->ns;
    const struct scopes *scopes = d->g->scopes;

    for (uint32_t i = target; i < ns->at[target].past; i++) {
        if (node_is(ns, i, NODE_ATTRIBUTE) || node_is(ns, i, NODE_SUBSCRIPT))
            return true;
        if (node_is(ns, i, NODE_IDENTIFIER) &&
            symbol_occurs(scopes,
                          scopes_symbol_at(scopes, node_span(ns, i).start),
                          OCC_USED))
            return true;
    }
    return false;
}

/* The place of the only wanted one of `n` targets; n: there is no such. */
static size_t only_wanted(const struct draft *d, uint32_t targets, size_t n,
                          uint32_t *wanted)
{
    size_t at = 0, found = n;

    for (uint32_t c = node_named_child(d->ns, targets); c != NODE_NONE;
         c = node_named_sibling(d->ns, c), at++) {
        if (!is_wanted(d, c))
            continue;
        if (found != n)
            return n;
        found = at;
        *wanted = c;
    }
    return at == n ? found : n;
}

static uint32_t part_at(const struct nodes *ns, uint32_t series, size_t at)
{
    uint32_t c = node_named_child(ns, series);

    while (at-- > 0)
        c = node_named_sibling(ns, c);
    return c;
}

/* Replace the pairs by what one half of them comes from. */
static void put_half(struct draft *d, uint32_t call, uint32_t function,
                     uint32_t arguments, size_t half)
{
    const struct nodes *ns = d->ns;
    struct span all = node_span(ns, call), at;
    uint32_t part;

    if (node_is(ns, function, NODE_ATTRIBUTE)) {
        part = node_field(ns, function, FIELD_attribute);
        if (half == 1) {
            draft_replaces(d, node_span(ns, part), "values");
            return;
        }
        part = node_field(ns, function, FIELD_object);
    } else {
        /* of enumerate() the second half, of zip() each */
        bool counts = node_text_is(ns, function, "enumerate");

        part = part_at(ns, arguments, counts ? 0 : half);
    }
    at = node_span(ns, part);
    draft_delete(d, (struct span){ all.start, at.start });
    draft_delete(d, (struct span){ at.end, all.end });
}

/* How many halves the elements of this call have; 0: it gives no pairs. */
static size_t parts_of(const struct nodes *ns, uint32_t function,
                       uint32_t arguments)
{
    size_t n = count_named(ns, arguments);

    if (n > PARTS_MAX)
        return 0;
    for (uint32_t c = node_named_child(ns, arguments); c != NODE_NONE;
         c = node_named_sibling(ns, c))
        if (!is_expression(ns, c) && !node_is(ns, c, NODE_KEYWORD_ARGUMENT))
            return 0;
    if (node_is(ns, function, NODE_ATTRIBUTE))
        return n == 0 && node_text_is(ns,
                                      node_field(ns, function, FIELD_attribute),
                                      "items")
                   ? 2
                   : 0;
    if (n == 0 ||
        node_is(ns, node_named_child(ns, arguments), NODE_KEYWORD_ARGUMENT))
        return 0;
    if (node_text_is(ns, function, "enumerate"))
        return 2;
    if (!node_text_is(ns, function, "zip"))
        return 0;
    return n - node_is(ns, last_named_child(ns, arguments),
                       NODE_KEYWORD_ARGUMENT); /* strict=True */
}

static void loop(struct draft *d, uint32_t clause)
{
    const struct nodes *ns = d->ns;
    uint32_t left = node_field(ns, clause, FIELD_left);
    uint32_t right = node_field(ns, clause, FIELD_right);
    uint32_t function, arguments, target = NODE_NONE;
    size_t n, half;

    if (left == NODE_NONE || !is_targets(ns, left) || has_star(ns, left) ||
        !node_is(ns, right, NODE_CALL))
        return;
    function = node_field(ns, right, FIELD_function);
    arguments = node_child_of(ns, right, NODE_ARGUMENT_LIST);
    if (function == NODE_NONE || arguments == NODE_NONE)
        return;
    n = parts_of(ns, function, arguments);
    half = only_wanted(d, left, n, &target);
    if (half == n || (half == 0 && node_text_is(ns, function, "enumerate")))
        return;
    draft_begin(d, node_span(ns, clause));
    draft_narrow(d, left, target);
    put_half(d, right, function, arguments, half);
    draft_end(d);
}

void gen_pair(struct gen *g)
{
    struct draft d;

    draft_init(&d, g, EDIT_pair);
    for (uint32_t i = 0; i < d.ns->n; i++)
        if (node_is(d.ns, i, NODE_FOR) || node_is(d.ns, i, NODE_FOR_IN_CLAUSE))
            loop(&d, i);
    draft_deinit(&d);
}
