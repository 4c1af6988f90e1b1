/* Literals in the place of expressions that came to them in a traced run.
 *
 * The spans are byte ranges of the text; one counts where it is exactly an
 * expression, which it may not be any more after commits around it. What does
 * not get smaller is dropped by the draft. */
#include <string.h>

#include "grammar/gen/draft.h"
#include "grammar/observed.h"

void gen_observed(struct gen *g);

/* The outermost expression of exactly this span; NODE_NONE when there is
 * none. */
static uint32_t expression_at(const struct nodes *ns, struct span at)
{
    uint32_t i = node_from(ns, at.start);

    for (; i < ns->n && node_span(ns, i).start == at.start; i++)
        if (node_span(ns, i).end == at.end && is_expression(ns, i))
            return i;
    return NODE_NONE;
}

/* Whether its value is of no use: a statement by itself. */
static bool is_alone(const struct nodes *ns, uint32_t node)
{
    return node_is(ns, node_parent(ns, node), NODE_EXPRESSION_STATEMENT);
}

void gen_observed(struct gen *g)
{
    const struct observed *o = g->observed;
    struct draft d;
    uint32_t edit, done = 0; /* the outermost ones are sure */

    draft_init(&d, g, EDIT_observed);
    for (size_t i = 0; o && i < o->n; i++) {
        uint32_t node = expression_at(g->nodes, o->at[i]);

        if (!*o->texts[i] || node == NODE_NONE || is_literal(g->nodes, node) ||
            is_alone(g->nodes, node))
            continue;
        draft_begin(&d, o->at[i]);
        draft_put_literal(&d, node, o->texts[i]);
        edit = draft_end(&d);
        if (edit == EDIT_NONE)
            continue;
        g->out->items[edit].sure = o->at[i].start >= done;
        if (g->out->items[edit].sure)
            done = o->at[i].end;
    }
    draft_deinit(&d);
}
