/* The table of families and one pass over it. What several generators need
 * (nodes, statements, scopes) is made once, here. */
#include "grammar/generator.h"

#include <stdlib.h>

#include "config/mem.h"
#include "grammar/gen/names.h"
#include "grammar/kernel.h"
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

/* Kinds that may grow the text for a while. */
#define PUMPS                                                                  \
    (EDIT_KIND_BIT(EDIT_inline) | EDIT_KIND_BIT(EDIT_dissolve) |               \
     EDIT_KIND_BIT(EDIT_loop) | EDIT_KIND_BIT(EDIT_context) |                  \
     EDIT_KIND_BIT(EDIT_scatter) | EDIT_KIND_BIT(EDIT_record) |                \
     EDIT_KIND_BIT(EDIT_decorator))

/* Whether `at` touches one of the spans, which are sorted. */
static bool touches(const struct span *spans, size_t n, struct span at)
{
    size_t low;

    /* The first span that ends after at.start */
    BISECT(low, 0, n, spans[low].end <= at.start);
    if (low == n)
        return false;
    return span_len(at) > 0 ? spans[low].start < at.end
                            : spans[low].start < at.start;
}

bool gen_frozen(const struct gen *g, struct span at)
{
    return touches(g->frozen, g->nfrozen, at);
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

/* The statements about environment variables, in text order; of a compound
 * statement the name alone. Caller frees *spans. */
static size_t find_environ(const struct nodes *ns, struct span **spans)
{
    size_t n = 0, room = 0;

    *spans = NULL;
    for (uint32_t i = 0; i < ns->n; i++) {
        uint32_t statement;

        if (!node_is(ns, i, NODE_IDENTIFIER) ||
            (!node_text_is(ns, i, "environ") && !node_text_is(ns, i, "putenv")))
            continue;
        statement = node_statement(ns, i);
        if (!node_is(ns, statement, NODE_EXPRESSION_STATEMENT))
            statement = i;
        if (n && span_holds((*spans)[n - 1], node_span(ns, statement)))
            continue;
        xgrow(spans, &room, n + 1, sizeof(**spans));
        (*spans)[n++] = node_span(ns, statement);
    }
    return n;
}

/* A module may read the environment when it is imported, and a zygote has
 * imported it with the original's: what changes that is like an import. */
static void mark_environ(const struct gen *g)
{
    struct span *spans;
    size_t n = find_environ(g->nodes, &spans);

    for (size_t i = 0; n > 0 && i < g->out->n; i++) {
        struct edit *edit = &g->out->items[i];

        for (uint32_t c = 0; c < edit->n && !edit->touches_import; c++)
            edit->touches_import =
                touches(spans, n, g->out->changes[edit->first + c].at);
    }
    free(spans);
}

/* Whether the kind drops or replaces something within a statement and makes
 * another computation of it; numbers and strings apart. */
static bool takes(unsigned kind)
{
    return infos[kind].tier > TIER_KERNEL && infos[kind].tier < TIER_LOOKS &&
           kind != EDIT_integer && kind != EDIT_string;
}

enum edit_tier edit_tier_of(const struct edit *edit)
{
    return edit->kernel ? TIER_KERNEL : infos[edit->kind].tier;
}

/* The kernels, in text order, none within another. Caller frees *spans. */
static size_t find_kernels(const struct nodes *ns, struct span **spans)
{
    size_t n = 0, room = 0;

    *spans = NULL;
    for (uint32_t i = 0; i < ns->n; i++) {
        struct span at = node_span(ns, i);

        if (!node_is(ns, i, NODE_DECORATED) || !kernel_is(ns, i) ||
            (n && span_holds((*spans)[n - 1], at)))
            continue;
        xgrow(spans, &room, n + 1, sizeof(**spans));
        (*spans)[n++] = at;
    }
    return n;
}

static void mark_kernels(const struct gen *g)
{
    struct span *spans;
    size_t n = find_kernels(g->nodes, &spans);

    for (size_t i = 0; n > 0 && i < g->out->n; i++) {
        struct edit *edit = &g->out->items[i];

        edit->kernel = takes(edit->kind) && touches(spans, n, edit->cover);
    }
    free(spans);
}

#define SIDE_BITS 8
#define SHARED SIDE_BITS /* the row of nodes that are of several sides */

/* How many nodes before each are of each side, and of several. */
static uint32_t (*count_sides(const struct gen *g))[SIDE_BITS + 1]
{
    uint32_t n = g->nodes->n;
    uint32_t(*before)[SIDE_BITS + 1] = xcalloc((size_t)n + 1, sizeof(*before));

    for (uint32_t i = 0; i < n; i++) {
        unsigned sides = g->sides[i];

        for (unsigned side = 0; side < SIDE_BITS; side++)
            before[i + 1][side] = before[i][side] + (sides >> side & 1u);
        before[i + 1][SHARED] =
            before[i][SHARED] + ((sides & (sides - 1)) != 0);
    }
    return before;
}

/* The sides that what begins in a span is of, a bit each, and SHARED. */
static unsigned sides_of(const struct gen *g,
                         const uint32_t (*before)[SIDE_BITS + 1],
                         struct span at)
{
    uint32_t from = node_from(g->nodes, at.start);
    uint32_t to = node_from(g->nodes, at.end);
    unsigned sides = 0;

    for (unsigned side = 0; side <= SHARED; side++)
        if (before[to][side] > before[from][side])
            sides |= 1u << side;
    return sides;
}

/* What several sides are made of is data. So is a size that is written out for
 * each side by itself, and changed in all places at once; what else is of both
 * sides, without anything that they share, is the test. */
static enum edit_sides sides_by(unsigned sides, uint16_t kind)
{
    unsigned own = sides & ((1u << SIDE_BITS) - 1);

    if (sides == 0)
        return SIDES_NONE;
    if ((sides & 1u << SHARED) != 0 ||
        (kind == EDIT_integer && (own & (own - 1)) != 0))
        return SIDES_SEVERAL;
    return SIDES_ONE;
}

static void mark_sides(const struct gen *g)
{
    uint32_t(*before)[SIDE_BITS + 1];

    if (!g->sides)
        return;
    before = count_sides(g);
    for (size_t i = 0; i < g->out->n; i++) {
        struct edit *edit = &g->out->items[i];
        unsigned sides = 0;

        for (uint32_t c = 0; c < edit->n; c++)
            sides |= sides_of(g, (const uint32_t(*)[SIDE_BITS + 1]) before,
                              g->out->changes[edit->first + c].at);
        edit->sides = sides_by(sides, edit->kind);
    }
    free(before);
}

edit_kinds vocabulary(enum mutate mutate, bool rename)
{
    edit_kinds kinds = 0;

    for (unsigned kind = 0; kind < EDIT_KINDS; kind++) {
        enum edit_tier tier = infos[kind].tier;

        if (tier < TIER_KERNEL || (tier == TIER_LOOKS && rename) ||
            (tier != TIER_LOOKS && mutate == MUTATE_ALL) ||
            (kind == EDIT_integer && mutate == MUTATE_INTS))
            kinds |= EDIT_KIND_BIT(kind);
    }
    return kinds;
}

/* Fill the fresh `out`: what `what` says, with what generators share. */
static void fill(const struct gen *what, edit_kinds kinds, struct edits *out)
{
    struct scopes *scopes = scopes_new(what->tree);
    struct units *units = units_new(tree_nodes(what->tree));
    struct lines *lines = lines_new(tree_nodes(what->tree));
    struct gen g = *what;
    struct names *names;

    g.nodes = tree_nodes(g.tree);
    g.units = units;
    g.lines = lines;
    g.text = tree_text(g.tree);
    g.scopes = scopes;
    g.names = names = names_new(&g);
    g.out = out;
    for (size_t i = 0; i < ARRAY_LEN(generators); i++)
        if (kinds & EDIT_KIND_BIT(i))
            generators[i](&g);
    drop_frozen(&g);
    mark_environ(&g);
    mark_kernels(&g);
    names_free(names);
    mark_sides(&g);
    lines_free(lines);
    units_free(units);
    scopes_free(scopes);
}

void generate_known(const struct tree *tree, const struct span *frozen,
                    size_t nfrozen, edit_kinds kinds,
                    const struct gen_known *known, struct edits *out)
{
    struct gen g = { .tree = tree,
                     .frozen = frozen,
                     .nfrozen = nfrozen,
                     .observed = known->observed,
                     .frames = known->frames,
                     .nframes = known->nframes,
                     .sides = known->sides,
                     .turns = known->turns };

    fill(&g, kinds, out);
    edits_nest(out);
}

void generate_pumps(const struct tree *tree, const struct span *frozen,
                    size_t nfrozen, struct edits *out)
{
    struct gen g = {
        .tree = tree, .frozen = frozen, .nfrozen = nfrozen, .pumps = true
    };

    fill(&g, PUMPS, out);
}

void generate_kinds(const struct tree *tree, const struct span *frozen,
                    size_t nfrozen, edit_kinds kinds, struct edits *out)
{
    generate_known(tree, frozen, nfrozen, kinds, &(struct gen_known){ 0 }, out);
}

void generate(const struct tree *tree, const struct span *frozen,
              size_t nfrozen, struct edits *out)
{
    generate_kinds(tree, frozen, nfrozen, vocabulary(MUTATE_ALL, false), out);
}
