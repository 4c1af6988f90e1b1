/* Keyword arguments of calls, and `**` ones, one by one and in runs. */
#include "grammar/gen/draft.h"

#include <stdlib.h>

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
    for (uint32_t i = 0; i < d.ns->n; i++) {
        struct unit *units;
        uint32_t tail;
        size_t n;

        if (!node_is(d.ns, i, NODE_ARGUMENT_LIST) ||
            !node_is(d.ns, node_parent(d.ns, i), NODE_CALL))
            continue;
        n = units_of(d.ns, i, is_keyword, &units, &tail);
        draft_units(&d, units, n, tail, "", n > 1);
        free(units);
    }
    draft_deinit(&d);
}
