/* Arrays of ones in the place of expressions that came to arrays.
 *
 *     next(iter(loader))[0]    ->    torch.ones(8, 16)
 *
 * What a model, a pipeline or a file gives is often needed for its shape and
 * type alone, which a traced run has told; what made it then goes as unused.
 * The elements are other ones, so this mutates, and comes before numbers: the
 * shapes are those of the text as it ran.
 *
 * A run is worth it where something is called by its name or made and called,
 * `f(x)` or `K()(x)`: code that may go with it. What reckons with arrays that
 * are there already, `a * b.mean()`, gives way to one of them, which keeps more
 * and is shorter. One that saves no more than a few bytes takes the place of
 * another such call. */
#include <string.h>

#include "grammar/gen/draft.h"
#include "grammar/observed.h"

void gen_dummy(struct gen *g);

#define SAVED_MIN 6 /* bytes: `torch.randn(2, 3, device=d)` would do it */

/* Whether something is called in it by its name, or what a call gave. */
static bool calls_more(const struct nodes *ns, uint32_t node)
{
    for (uint32_t i = node; i < ns->at[node].past; i++) {
        uint32_t function;

        if (!node_is(ns, i, NODE_CALL))
            continue;
        function = node_field(ns, i, FIELD_function);
        if (node_is(ns, function, NODE_IDENTIFIER) ||
            node_is(ns, function, NODE_CALL) ||
            node_is(ns, function, NODE_SUBSCRIPT))
            return true;
    }
    return false;
}

/* Whether a stand-in is of use in the place of the expression. */
static bool is_worth_it(const struct nodes *ns, uint32_t node)
{
    if (node == NODE_NONE || node_is(ns, node, NODE_BINARY_OPERATOR) ||
        node_is(ns, node, NODE_UNARY_OPERATOR) ||
        node_is(ns, node_parent(ns, node), NODE_EXPRESSION_STATEMENT))
        return false;
    return calls_more(ns, node);
}

void gen_dummy(struct gen *g)
{
    const struct observed *o = g->observed;
    struct draft d;

    draft_init(&d, g, EDIT_dummy);
    for (size_t i = 0; o && i < o->n; i++) {
        uint32_t node;

        if (!o->stands[i] ||
            strlen(o->texts[i]) + SAVED_MIN > span_len(o->at[i]))
            continue;
        node = expression_at(g->nodes, o->at[i]);
        if (!is_worth_it(g->nodes, node))
            continue;
        draft_begin(&d, o->at[i]);
        draft_put_literal(&d, node, o->texts[i]);
        draft_end(&d);
    }
    draft_deinit(&d);
}
