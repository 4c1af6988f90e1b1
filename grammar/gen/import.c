/* Imports: all unused ones at once, one name of many, and a name together with
 * every statement that uses it. Each is marked to be confirmed in a fresh
 * interpreter, for an import may do more than bind a name. */
#include <stdlib.h>

#include "config/mem.h"
#include "grammar/generator.h"
#include "grammar/node.h"
#include "grammar/scope.h"
#include "grammar/unit.h"

void gen_import(struct gen *g);

/* The imported names of one statement. */
struct names {
    struct item *items;
    uint32_t *symbols; /* SYMBOL_NONE for what binds nothing */
    size_t n, room, symbols_room;
};

static bool is_import(const struct nodes *ns, uint32_t i)
{
    return node_is(ns, i, NODE_IMPORT) || node_is(ns, i, NODE_IMPORT_FROM) ||
           node_is(ns, i, NODE_FUTURE_IMPORT);
}

/* The identifier that `a`, `a.b` or `a as b` binds. */
static uint32_t bound_symbol(const struct gen *g, uint32_t name)
{
    uint32_t alias = node_field(g->nodes, name, FIELD_alias);
    uint32_t at = alias != NODE_NONE ? alias : node_named_child(g->nodes, name);

    return at != NODE_NONE
               ? scopes_symbol_at(g->scopes, node_span(g->nodes, at).start)
               : SYMBOL_NONE;
}

static void read_names(const struct gen *g, uint32_t statement,
                       struct names *names)
{
    const struct nodes *ns = g->nodes;

    names->n = 0;
    for (uint32_t c = node_named_child(ns, statement); c != NODE_NONE;
         c = node_named_sibling(ns, c)) {
        if (ns->at[c].field != FIELD_name)
            continue;
        size_t i = names->n++;
        xgrow(&names->items, &names->room, names->n, sizeof(*names->items));
        xgrow(&names->symbols, &names->symbols_room, names->n,
              sizeof(*names->symbols));
        names->items[i] = (struct item){ .at = node_span(ns, c),
                                         .cover = node_span(ns, c),
                                         .touches_import = true };
        names->symbols[i] = bound_symbol(g, c);
        uint32_t comma = node_sibling(ns, c);
        if (node_is(ns, comma, NODE_COMMA) &&
            node_is(ns, node_sibling(ns, comma), NODE_RPAREN))
            names->items[i].at.end = ns->at[comma].at.end;
    }
}

static bool is_used(const struct gen *g, uint32_t symbol)
{
    return symbol == SYMBOL_NONE || symbol_occurs(g->scopes, symbol, OCC_USED);
}

/* What goes when name i goes and others stay. */
static struct span name_cut(const struct names *names, size_t i)
{
    struct span cut = names->items[i].at;

    if (i + 1 < names->n)
        cut.end = names->items[i + 1].at.start;
    else if (i > 0)
        cut.start = names->items[i - 1].at.end;
    return cut;
}

/* Add the statements that use the symbol; false when there are none. */
static size_t add_uses(const struct gen *g, uint32_t symbol, uint32_t own,
                       uint32_t **units, size_t *room)
{
    size_t n, kept = 0;
    const struct occurrence *occ = symbol_occurrences(g->scopes, symbol, &n);

    for (size_t i = 0; i < n; i++) {
        uint32_t node = node_at(g->nodes, occ[i].at.start, NODE_IDENTIFIER);
        uint32_t unit = unit_of(g->units, node_statement(g->nodes, node));

        if (unit == UNIT_NONE || unit == own ||
            (kept > 0 && (*units)[kept - 1] == unit))
            continue;
        xgrow(units, room, kept + 2, sizeof(**units));
        (*units)[kept++] = unit;
    }
    return kept;
}

static int unit_order(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

/* One name (or the whole statement, when it has no other) with its uses. */
static void offer_with_uses(struct gen *g, uint32_t own, struct names *names,
                            size_t i)
{
    uint32_t *units = NULL;
    size_t room = 0, n = 0, kept = 0;

    if (names->symbols[i] != SYMBOL_NONE)
        n = add_uses(g, names->symbols[i], own, &units, &room);
    if (n > 0) {
        struct span cut = name_cut(names, i);
        bool ok = true;

        edits_begin(g->out, EDIT_import, names->items[i].cover)
            ->touches_import = true;
        if (names->n == 1) {
            units[n++] = own;
        } else {
            ok = !gen_frozen(g, cut);
            edits_delete(g->out, cut);
        }
        qsort(units, n, sizeof(*units), unit_order);
        for (size_t j = 0; j < n; j++)
            if (kept == 0 || units[kept - 1] != units[j])
                units[kept++] = units[j];
        if (ok && gen_delete_units(g, units, kept))
            edits_end(g->out);
        else
            edits_drop(g->out);
    }
    free(units);
}

/* Imports nobody uses. In a block only when something else stays there. */
static bool all_unused(const struct gen *g, const struct names *names)
{
    for (size_t i = 0; i < names->n; i++)
        if (is_used(g, names->symbols[i]))
            return false;
    return names->n > 0;
}

static bool body_stays(const struct gen *g, uint32_t unit)
{
    const struct unit *units = g->units->at;
    uint32_t body = units[unit].body;

    if (node_is(g->nodes, body, NODE_MODULE))
        return true;
    for (uint32_t c = node_child(g->nodes, body); c != NODE_NONE;
         c = node_sibling(g->nodes, c))
        if (node_is_statement(g->nodes, c) && !is_import(g->nodes, c))
            return true;
    return false;
}

static void offer_unused(struct gen *g, struct names *names)
{
    const struct unit *units = g->units->at;

    edits_list_begin(g->out, "", true);
    for (uint32_t u = 0; u < g->units->n; u++) {
        struct span cut = unit_alone(g->units, u);

        if (!is_import(g->nodes, units[u].node) || gen_frozen(g, cut))
            continue;
        read_names(g, units[u].node, names);
        if (!all_unused(g, names) || !body_stays(g, u))
            continue;
        edits_begin(g->out, EDIT_import, node_span(g->nodes, units[u].node))
            ->touches_import = true;
        edits_delete(g->out, cut);
        edits_end(g->out);
    }
    edits_list_end(g->out);
}

void gen_import(struct gen *g)
{
    struct names names = { 0 };

    offer_unused(g, &names);
    for (uint32_t u = 0; u < g->units->n; u++) {
        if (!is_import(g->nodes, g->units->at[u].node))
            continue;
        read_names(g, g->units->at[u].node, &names);
        for (size_t i = 0; i < names.n; i++)
            offer_with_uses(g, u, &names, i);
        if (names.n > 1)
            gen_list(g, EDIT_import, names.items, names.n, NULL, false);
    }
    free(names.items);
    free(names.symbols);
}
