/* A stage of a pipeline is left out: what reads its output reads its input.
 *
 *     scale[grid](x, tmp, n)
 *     total[grid](tmp, out)    ->    total[grid](x, out)
 *
 * A launch gives no value that could give way to one of its arguments, as
 * f(x) does to x. Its output is a buffer that the script makes by one call,
 * and reads by that name after the launch: there stands another of the
 * launch's arguments then. Which one is in and which is out is not known, so
 * each pair is offered, the last arguments first as those that are out. Uses
 * before the launch stay, and the launch and the later uses go together:
 * without its stage a buffer holds what it was made with, and a failure that
 * needs some value of it is gone. */
#include "grammar/gen/draft.h"

#include <stdlib.h>

#include "config/mem.h"
#include "grammar/gen/inline.h"
#include "grammar/gen/names.h"

void gen_bypass(struct gen *g);

#define ARGUMENTS_MAX 8 /* each with each; of more, the first ones */
#define USES_MAX 16     /* of a buffer: more are another thing than a stage */

struct stage {
    uint32_t statement;
    uint32_t at[ARGUMENTS_MAX]; /* identifiers among the arguments */
    size_t n;
};

/* Whether it is a statement `k[grid](..)` or `k(..)`, and which names it is
 * handed. */
static bool read_stage(const struct nodes *ns, uint32_t statement,
                       struct stage *stage)
{
    uint32_t call = node_named_child(ns, statement), function, arguments;

    if (!node_is(ns, statement, NODE_EXPRESSION_STATEMENT) ||
        !node_is(ns, call, NODE_CALL) || count_named(ns, statement) != 1)
        return false;
    function = node_field(ns, call, FIELD_function);
    arguments = node_child_of(ns, call, NODE_ARGUMENT_LIST);
    if (arguments == NODE_NONE || (!node_is(ns, function, NODE_SUBSCRIPT) &&
                                   !node_is(ns, function, NODE_IDENTIFIER)))
        return false;
    *stage = (struct stage){ .statement = statement };
    for (uint32_t c = node_named_child(ns, arguments);
         c != NODE_NONE && stage->n < ARGUMENTS_MAX;
         c = node_named_sibling(ns, c)) {
        uint32_t value = argument_value(ns, c);

        if (value != NODE_NONE && node_is(ns, value, NODE_IDENTIFIER))
            stage->at[stage->n++] = value;
    }
    return stage->n > 1;
}

/* By symbol. */
struct bound_once {
    bool *once;       /* bound in one place */
    uint32_t *values; /* what it is assigned there; NODE_NONE: not known */
};

static void find_binding(struct bound_once *known, const struct names *names,
                         uint32_t symbol)
{
    const struct nodes *ns = names->ns;
    size_t n, loads;
    const struct occurrence *at = symbol_occurrences(names->scopes, symbol, &n);

    known->once[symbol] = names_writes(names, symbol, &loads) == 1;
    known->values[symbol] = NODE_NONE;
    for (size_t i = 0; i < n && known->once[symbol]; i++) {
        uint32_t name = names_node(names, at[i].at);
        uint32_t parent = name == NODE_NONE ? NODE_NONE : node_parent(ns, name);

        if (at[i].role == OCC_LOAD)
            continue;
        if (parent != NODE_NONE && node_is(ns, parent, NODE_ASSIGNMENT))
            known->values[symbol] = node_field(ns, parent, FIELD_right);
        return;
    }
}

static void find_bindings(struct bound_once *known, const struct names *names)
{
    uint32_t n = scopes_symbols(names->scopes);

    known->once = xcalloc((size_t)n + 1, sizeof(*known->once));
    known->values = xcalloc((size_t)n + 1, sizeof(*known->values));
    for (uint32_t symbol = 0; symbol < n; symbol++)
        find_binding(known, names, symbol);
}

/* Put `in` wherever `out` is used after the stage; false: nowhere, or not
 * everywhere. */
static bool put_later(struct draft *d, const struct names *names,
                      const struct stage *stage, uint32_t out, uint32_t in)
{
    uint32_t end = node_span(d->ns, stage->statement).end;
    size_t n, first;
    const struct occurrence *at =
        symbol_occurrences(names->scopes, names_symbol(names, out), &n);

    BISECT(first, 0, n, at[first].at.start < end);
    if (first == n || n - first > USES_MAX)
        return false;
    for (size_t i = first; i < n; i++) {
        uint32_t use = names_node(names, at[i].at);

        if (use == NODE_NONE || names->scope_of[use] != names->scope_of[out] ||
            !put_value(d, names, use, in))
            return false;
    }
    return true;
}

static void bypass(struct draft *d, const struct bound_once *known,
                   const struct stage *stage, uint32_t out, uint32_t in)
{
    const struct names *names = d->g->names;
    uint32_t to = names_symbol(names, out), from = names_symbol(names, in);
    uint32_t made, read;

    if (to == SYMBOL_NONE || from == SYMBOL_NONE || to == from ||
        !known->once[to] || !known->once[from])
        return;
    made = known->values[to];
    read = known->values[from];
    if (made == NODE_NONE || !node_is(d->ns, made, NODE_CALL) ||
        (read != NODE_NONE && is_literal(d->ns, read)) ||
        names->scope_of[made] != names->scope_of[out])
        return;
    draft_begin(d, node_span(d->ns, stage->statement));
    if (!put_later(d, names, stage, out, in))
        return;
    draft_drop_statement(d, stage->statement);
    draft_end(d);
}

void gen_bypass(struct gen *g)
{
    struct draft d;
    struct stage stage;
    struct bound_once known;

    find_bindings(&known, g->names);
    draft_init(&d, g, EDIT_bypass);
    for (size_t u = 0; u < g->units->n; u++) {
        if (!read_stage(d.ns, g->units->at[u].node, &stage))
            continue;
        for (size_t i = stage.n; i > 0; i--)
            for (size_t k = 0; k < stage.n; k++)
                if (i - 1 != k)
                    bypass(&d, &known, &stage, stage.at[i - 1], stage.at[k]);
    }
    draft_deinit(&d);
    free(known.once);
    free(known.values);
}
