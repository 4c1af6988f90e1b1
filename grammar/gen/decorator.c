/* Decorators, one by one and in runs; and the arguments of one: `@f(x)`
 * becomes `@f`. */
#include "grammar/gen/draft.h"

void gen_decorator(struct gen *g);

static bool is_decorator(const struct nodes *ns, uint32_t child)
{
    return node_is(ns, child, NODE_DECORATOR);
}

void gen_decorator(struct gen *g)
{
    struct draft d;

    draft_init(&d, g, EDIT_decorator);
    for (uint32_t i = 0; i < d.ns->n; i++) {
        if (node_is(d.ns, i, NODE_DECORATED)) {
            draft_series(&d, i, is_decorator, NULL, true);
        } else if (node_is(d.ns, i, NODE_DECORATOR)) {
            uint32_t call = node_named_child(d.ns, i);
            uint32_t args = NODE_NONE;

            if (node_is(d.ns, call, NODE_CALL))
                args = node_field(d.ns, call, FIELD_arguments);
            if (args != NODE_NONE)
                draft_delete_edit(&d, node_span(d.ns, args),
                                  node_span(d.ns, args));
        }
    }
    draft_deinit(&d);
}
