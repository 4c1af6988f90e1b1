/* The table of families and one pass over it. What several generators need
 * (nodes, statements, scopes) is made once, here. */
#include "grammar/generator.h"

#include "grammar/line.h"
#include "grammar/node.h"
#include "grammar/scope.h"
#include "grammar/unit.h"

#define DECLARE_ROW(name, tier, prior) void gen_##name(struct gen *g);
VOCABULARY(DECLARE_ROW)

#define INFO_ROW(name, tier, prior) { #name, tier, prior },
static const struct edit_kind_info infos[] = { VOCABULARY(INFO_ROW) };

#define GENERATOR_ROW(name, tier, prior) gen_##name,
static void (*const generators[])(struct gen *) = { VOCABULARY(GENERATOR_ROW) };

const struct edit_kind_info *edit_kind_info(unsigned kind)
{
    return &infos[kind];
}

bool gen_frozen(const struct gen *g, struct span at)
{
    size_t low = 0, high = g->nfrozen;

    while (low < high) { /* the first frozen span that ends after at.start */
        size_t middle = low + (high - low) / 2;
        if (g->frozen[middle].end <= at.start)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == g->nfrozen)
        return false;
    return span_len(at) > 0 ? g->frozen[low].start < at.end
                            : g->frozen[low].start < at.start;
}

/* The last guard for frozen bytes: an edit that touches them is dead. */
static void drop_frozen(const struct gen *g)
{
    for (size_t i = 0; g->nfrozen > 0 && i < g->out->n; i++) {
        struct edit *edit = &g->out->items[i];

        for (uint32_t c = 0; c < edit->n && !edit->dead; c++)
            edit->dead = gen_frozen(g, g->out->changes[edit->first + c].at);
        if (edit->dead)
            edit->n = 0;
    }
}

void generate(const struct tree *tree, const struct span *frozen,
              size_t nfrozen, struct edits *out)
{
    struct scopes *scopes = scopes_new(tree);
    struct units *units = units_new(tree_nodes(tree));
    struct lines *lines = lines_new(tree_nodes(tree));
    struct gen g = { .tree = tree,
                     .nodes = tree_nodes(tree),
                     .units = units,
                     .lines = lines,
                     .text = tree_text(tree),
                     .frozen = frozen,
                     .nfrozen = nfrozen,
                     .scopes = scopes,
                     .out = out };

    for (size_t i = 0; i < ARRAY_LEN(generators); i++)
        generators[i](&g);
    drop_frozen(&g);
    edits_nest(out);
    lines_free(lines);
    units_free(units);
    scopes_free(scopes);
}
