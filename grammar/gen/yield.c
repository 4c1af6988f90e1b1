/* A generator of which the first value is wanted becomes a function.
 *
 *     def g(a):                           def g(a):
 *         yield a                             return a
 *         yield 2                    ->       return 2
 *     next(g(1)); next(iter(g(2)))        g(1); g(2)
 *
 * So it is, once a loop over it has been unwrapped; and a function can go to
 * the place of its call. What runs up to the first value is the same. An
 * async one, whose first value is awaited by `g().__aiter__().__anext__()` or
 * `anext(g())`, becomes an async function that is awaited. */
#include "grammar/gen/draft.h"
#include "grammar/gen/names.h"

#include <stdlib.h>

#include "config/mem.h"

void gen_yield(struct gen *g);

/* The call whose function is the attribute `name` of this call's result. */
static uint32_t called_on(const struct nodes *ns, uint32_t call,
                          const char *name)
{
    uint32_t attribute = node_parent(ns, call);
    uint32_t outer = node_parent(ns, attribute);

    if (!node_is(ns, attribute, NODE_ATTRIBUTE) ||
        ns->at[call].field != FIELD_object ||
        !node_text_is(ns, node_field(ns, attribute, FIELD_attribute), name) ||
        !node_is(ns, outer, NODE_CALL) ||
        ns->at[attribute].field != FIELD_function)
        return NODE_NONE;
    return count_named(ns, node_field(ns, outer, FIELD_arguments)) == 0
               ? outer
               : NODE_NONE;
}

/* The call of `name` of which this call is the only argument. */
static uint32_t passed_to(const struct nodes *ns, uint32_t call,
                          const char *name)
{
    uint32_t arguments = node_parent(ns, call);
    uint32_t outer = node_parent(ns, arguments);

    if (!node_is(ns, arguments, NODE_ARGUMENT_LIST) ||
        !node_is(ns, outer, NODE_CALL) ||
        node_named_child(ns, arguments) != call ||
        node_named_sibling(ns, call) != NODE_NONE ||
        !node_text_is(ns, node_field(ns, outer, FIELD_function), name))
        return NODE_NONE;
    return outer;
}

/* All of the expression that takes the first value of what the call makes;
 * NODE_NONE: the call is used otherwise. */
static uint32_t taken_first(const struct nodes *ns, uint32_t call)
{
    uint32_t iterated = called_on(ns, call, "__aiter__");

    if (iterated != NODE_NONE)
        return called_on(ns, iterated, "__anext__");
    iterated = passed_to(ns, call, "anext");
    if (iterated != NODE_NONE)
        return iterated;
    iterated = passed_to(ns, call, "iter");
    return passed_to(ns, iterated != NODE_NONE ? iterated : call, "next");
}

/* `yield x` as a statement to `return x`; false: it is none. */
static bool end_at(struct draft *d, uint32_t yield)
{
    const struct nodes *ns = d->ns;
    uint32_t keyword = node_child(ns, yield), next;

    next = node_sibling(ns, keyword);
    if (!node_is(ns, node_parent(ns, yield), NODE_EXPRESSION_STATEMENT) ||
        (next != NODE_NONE && node_text_is(ns, next, "from")))
        return false;
    draft_replaces(d, node_span(ns, keyword), "return");
    return true;
}

static void turn(struct draft *d, const struct callee *callee,
                 const uint32_t *yields, size_t n)
{
    const struct nodes *ns = d->ns;

    draft_begin(d, node_span(ns, callee->function));
    for (size_t i = 0; i < n; i++)
        if (!end_at(d, yields[i]))
            return;
    for (size_t i = 0; i < callee->nsites; i++) {
        uint32_t call = callee->sites[i].call, all = taken_first(ns, call);

        if (all == NODE_NONE || !callee->sites[i].direct)
            return;
        draft_narrow(d, all, call);
    }
    draft_end(d);
}

struct by_function {
    uint32_t function, yield;
};

static int function_order(const void *a, const void *b)
{
    const struct by_function *x = a, *y = b;

    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    return x->yield < y->yield ? -1 : x->yield > y->yield;
}

/* The yields, those of a function one after the other. */
static size_t find_yields(const struct nodes *ns, struct by_function **yields)
{
    size_t n = 0, room = 0;

    *yields = NULL;
    for (uint32_t i = 0; i < ns->n; i++) {
        uint32_t function;

        if (!node_is(ns, i, NODE_YIELD))
            continue;
        function = node_function(ns, i);
        if (function == NODE_NONE || !node_is(ns, function, NODE_FUNCTION))
            continue;
        xgrow(yields, &room, n + 1, sizeof(**yields));
        (*yields)[n++] = (struct by_function){ function, i };
    }
    if (n > 0)
        qsort(*yields, n, sizeof(**yields), function_order);
    return n;
}

static void turn_function(struct draft *d, const struct names *names,
                          const struct by_function *yields, size_t n)
{
    struct callee callee;
    uint32_t *own = xcalloc(n, sizeof(*own));

    for (size_t i = 0; i < n; i++)
        own[i] = yields[i].yield;
    callee_init(&callee, names, yields->function);
    if (callee.nsites > 0 && !callee.escapes &&
        callee.statement == callee.function)
        turn(d, &callee, own, n);
    callee_deinit(&callee);
    free(own);
}

void gen_yield(struct gen *g)
{
    const struct names *names = g->names;
    struct by_function *yields;
    size_t n = find_yields(g->nodes, &yields);
    struct draft d;

    draft_init(&d, g, EDIT_yield);
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n; next++)
            if (yields[next].function != yields[i].function)
                break;
        turn_function(&d, names, yields + i, next - i);
    }
    free(yields);
    draft_deinit(&d);
}
