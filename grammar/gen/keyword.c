/* Keyword arguments of calls, and `**` ones, one by one and in runs. */
#include "grammar/gen/draft.h"

void gen_keyword(struct gen *g);

static bool is_keyword(const struct nodes *ns, uint32_t child)
{
    return node_is(ns, child, NODE_KEYWORD_ARGUMENT) ||
           node_is(ns, child, NODE_DICTIONARY_SPLAT);
}

void gen_keyword(struct gen *g)
{
    struct draft d;

    draft_init(&d, g, EDIT_keyword);
    for (uint32_t i = 0; i < d.ns->n; i++)
        if (node_is(d.ns, i, NODE_ARGUMENT_LIST) &&
            node_is(d.ns, node_parent(d.ns, i), NODE_CALL))
            draft_series(&d, i, is_keyword, "", true);
    draft_deinit(&d);
}
