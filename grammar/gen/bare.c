/* A statement becomes the expression it is about.
 *
 *     raise main()        return f(x)         if check(y):
 *                                                 z
 *     main()              f(x)                check(y)
 *
 * What fails while that expression is computed fails without the statement
 * around it, too; and a body of plain expressions is easier to inline. Left
 * out are expressions that do nothing: those statements can go as a whole. */
#include "grammar/gen/draft.h"

#include <stdlib.h>

#include "config/mem.h"

void gen_bare(struct gen *g);

/* By node: how many nodes before it may do something or fail. */
static uint32_t *count_doers(const struct nodes *ns)
{
    uint32_t *doers = xcalloc((size_t)ns->n + 1, sizeof(*doers));

    for (uint32_t i = 0; i < ns->n; i++) {
        doers[i + 1] = doers[i];
        switch (node_kind(ns, i)) {
        case NODE_CALL:
        case NODE_AWAIT:
        case NODE_YIELD:
        case NODE_SUBSCRIPT:
        case NODE_ATTRIBUTE:
        case NODE_BINARY_OPERATOR:
            doers[i + 1]++;
        }
    }
    return doers;
}

static void leave(struct draft *d, const uint32_t *doers, uint32_t statement,
                  uint32_t expression)
{
    uint32_t unit = unit_of(d->g->units, statement);

    if (expression == NODE_NONE || unit == UNIT_NONE ||
        doers[d->ns->at[expression].past] == doers[expression])
        return;
    draft_begin(d, node_span(d->ns, statement));
    d->touches_import = d->g->units->at[unit].has_import;
    draft_narrow(d, statement, expression);
    draft_end(d);
}

static void leave_items(struct draft *d, const uint32_t *doers, uint32_t with)
{
    const struct nodes *ns = d->ns;
    uint32_t clause = node_child_of(ns, with, NODE_WITH_CLAUSE), item;

    if (clause == NODE_NONE)
        return;
    for (item = node_named_child(ns, clause); item != NODE_NONE;
         item = node_named_sibling(ns, item)) {
        uint32_t value = node_field(ns, item, FIELD_value);

        if (node_is(ns, value, NODE_AS_PATTERN))
            value = node_named_child(ns, value);
        leave(d, doers, with, value);
    }
}

void gen_bare(struct gen *g)
{
    struct draft d;
    uint32_t *doers = count_doers(g->nodes);

    draft_init(&d, g, EDIT_bare);
    for (uint32_t i = 0; i < d.ns->n; i++)
        switch (node_kind(d.ns, i)) {
        case NODE_RAISE:
        case NODE_RETURN:
        case NODE_ASSERT:
        case NODE_DELETE:
            leave(&d, doers, i, node_named_child(d.ns, i));
            break;
        case NODE_IF:
        case NODE_WHILE:
            leave(&d, doers, i, node_field(d.ns, i, FIELD_condition));
            break;
        case NODE_FOR:
            leave(&d, doers, i, node_field(d.ns, i, FIELD_right));
            break;
        case NODE_WITH:
            leave_items(&d, doers, i);
            break;
        }
    free(doers);
    draft_deinit(&d);
}
