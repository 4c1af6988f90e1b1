/* Statements and clauses.
 *
 * The statements of each body are one list, so that runs of them go together;
 * what one of them deletes is said by grammar/unit.h. Frozen statements stay
 * and split the list. Clauses (elif, else, except, finally, case) are lists of
 * their own: something always stands before them, so each goes with the bytes
 * between the clause before and itself. */
#include "grammar/generator.h"
#include "grammar/line.h"
#include "grammar/node.h"
#include "grammar/scope.h"
#include "grammar/unit.h"

void gen_statement(struct gen *g);

/* Whether a definition's name stands nowhere else. */
static bool is_unnamed(const struct gen *g, uint32_t name)
{
    uint32_t symbol =
        scopes_symbol_at(g->scopes, node_span(g->nodes, name).start);
    size_t n, attributes;

    if (symbol == SYMBOL_NONE)
        return false;
    symbol_occurrences(g->scopes, symbol, &n);
    scopes_attributes(g->scopes, symbol_name(g->scopes, symbol), &attributes);
    return n == 1 && attributes == 0;
}

/* What an edit was refused for is told by the text it is about, and what was
 * refused is not asked again soon. Once the last use of a definition has gone
 * it is worth asking at once: then it is about other text, without the
 * keyword but with the space behind it: still more than the unused definition
 * of gen_definition(), so that it waits for no edit of a later tier. */
static struct span cover_of(const struct gen *g, const struct unit *u)
{
    struct span cover = node_span(g->nodes, u->node);
    uint32_t definition = node_definition(g->nodes, u->node);
    uint32_t name = definition == NODE_NONE
                        ? NODE_NONE
                        : node_field(g->nodes, definition, FIELD_name);

    if (name != NODE_NONE && is_unnamed(g, name))
        cover.start = node_span(g->nodes, name).start - 1;
    return cover;
}

static void offer_unit(struct gen *g, const struct unit *u, bool lead)
{
    struct edit *edit = edits_begin(g->out, EDIT_statement, cover_of(g, u));

    edit->touches_import = u->has_import;
    if (lead && !gen_frozen(g, u->lead))
        edit->lead = u->lead;
    edits_delete(g->out, u->cut);
    edits_end(g->out);
}

/* Whether a unit may go at all. */
static bool may_go(const struct gen *g, uint32_t u)
{
    return !gen_frozen(g, g->units->at[u].cut);
}

/* Units u .. the last before `past` of one body, none frozen. */
static void offer_segment(struct gen *g, uint32_t u, uint32_t past, bool whole)
{
    const struct unit *units = g->units->at;
    bool block = !node_is(g->nodes, units[u].body, NODE_MODULE);
    bool one = units[u].next == past;

    if (whole && block && one && span_len(units[u].at) <= 4)
        return; /* no longer than the `pass` that would take its place */
    edits_list_begin(g->out, whole && block ? "pass" : "",
                     whole && block && !one);
    for (; u != past; u = units[u].next)
        offer_unit(g, &units[u], past == UNIT_NONE);
    edits_list_end(g->out);
}

/* All statements of the body whose first unit is u. */
static void offer_body(struct gen *g, uint32_t u)
{
    const struct unit *units = g->units->at;
    bool frozen = false;

    for (uint32_t v = u; v != UNIT_NONE; v = units[v].next)
        frozen |= !may_go(g, v);
    while (u != UNIT_NONE) {
        uint32_t past = u;

        while (past != UNIT_NONE && may_go(g, past))
            past = units[past].next;
        if (past != u)
            offer_segment(g, u, past, !frozen);
        u = past != UNIT_NONE ? units[past].next : UNIT_NONE;
    }
}

/* Clauses of a statement that are `mine`, as one list. */
static void offer_clauses(struct gen *g, uint32_t statement,
                          bool (*mine)(const struct nodes *, uint32_t),
                          const char *empty)
{
    const struct nodes *ns = g->nodes;
    uint32_t end = 0;

    edits_list_begin(g->out, empty, false);
    for (uint32_t c = node_child(ns, statement); c != NODE_NONE;
         c = node_sibling(ns, c)) {
        struct span cut = { end, ns->at[c].at.end };

        if (node_is_extra(ns, c))
            continue;
        end = cut.end;
        if (!mine(ns, c) || gen_frozen(g, cut))
            continue;
        edits_begin(g->out, EDIT_statement, node_span(ns, c));
        edits_delete(g->out, cut);
        edits_end(g->out);
    }
    edits_list_end(g->out);
}

static bool is_else(const struct nodes *ns, uint32_t i)
{
    return node_is(ns, i, NODE_ELIF) || node_is(ns, i, NODE_ELSE);
}

static bool is_handler(const struct nodes *ns, uint32_t i)
{
    return node_is(ns, i, NODE_EXCEPT) || node_is(ns, i, NODE_FINALLY);
}

/* The cases of a match stand in a block; each goes up to the next. */
static void offer_cases(struct gen *g, uint32_t block)
{
    const struct nodes *ns = g->nodes;
    uint32_t last = NODE_NONE;
    struct span lead = { 0, 0 };

    edits_list_begin(g->out, NULL, false);
    for (uint32_t c = node_child_of(ns, block, NODE_CASE); c != NODE_NONE;
         c = last) {
        struct span cut = node_span(ns, c);

        last = node_sibling(ns, c);
        while (last != NODE_NONE && !node_is(ns, last, NODE_CASE))
            last = node_sibling(ns, last);
        if (last != NODE_NONE)
            cut.end = ns->at[last].at.start;
        if (!gen_frozen(g, cut)) {
            edits_begin(g->out, EDIT_statement, node_span(ns, c))->lead = lead;
            edits_delete(g->out, cut);
            edits_end(g->out);
        }
        lead = (struct span){ ns->at[c].at.end, cut.end };
    }
    edits_list_end(g->out);
}

static void offer_node(struct gen *g, uint32_t i)
{
    switch (node_kind(g->nodes, i)) {
    case NODE_TRY:
        offer_clauses(g, i, is_handler, NULL);
        offer_clauses(g, i, is_else, "");
        break;
    case NODE_IF:
    case NODE_FOR:
    case NODE_WHILE:
        offer_clauses(g, i, is_else, "");
        break;
    case NODE_BLOCK:
        if (node_is(g->nodes, node_parent(g->nodes, i), NODE_MATCH))
            offer_cases(g, i);
        break;
    default:
        break;
    }
}

void gen_statement(struct gen *g)
{
    for (uint32_t u = 0; u < g->units->n; u++)
        if (g->units->at[u].prev == UNIT_NONE)
            offer_body(g, u);
    for (uint32_t i = 0; i < g->nodes->n; i++)
        offer_node(g, i);
}
