/* Statements and lists as units.
 *
 * One pass over the nodes makes the table of statements: a statement is linked
 * to the one before it in its body through `last`, indexed by the body's node;
 * its cut can be said once the next one is known, so cuts come in a second
 * pass. */
#include "grammar/unit.h"

#include <stdlib.h>
#include <string.h>

#include "config/mem.h"

/* Whether a line ends between two places. A backslash before it hides it. */
static bool line_ends(struct bytes text, uint32_t from, uint32_t to)
{
    for (; from < to; from++)
        if (text.data[from] == '\n' || text.data[from] == '\r')
            return true;
        else if (text.data[from] == '\\' && from + 1 < to)
            from += text.data[from + 1] == '\r' && from + 2 < to ? 2 : 1;
    return false;
}

/* The statement with the semicolon that ends its line, if one does. */
static struct span with_semicolon(const struct nodes *ns, uint32_t i)
{
    struct span at = node_span(ns, i);
    uint32_t next = node_sibling(ns, i);

    if (!node_is(ns, next, NODE_SEMICOLON))
        return at;
    uint32_t after = node_sibling(ns, next);
    uint32_t end = ns->at[next].at.end;
    if (after == NODE_NONE || node_is(ns, after, NODE_COMMENT) ||
        line_ends(ns->text, end, ns->at[after].at.start))
        at.end = end;
    return at;
}

static void link_units(struct units *units, const struct nodes *ns)
{
    uint32_t *last = xcalloc(ns->n, sizeof(*last));
    size_t room = 0;

    for (uint32_t i = 1; i < ns->n; i++) {
        if (!node_is_statement(ns, i))
            continue;
        uint32_t body = ns->at[i].parent;
        uint32_t prev = last[body] > 0 ? last[body] - 1 : UNIT_NONE;

        xgrow(&units->at, &room, units->n + 1, sizeof(*units->at));
        units->at[units->n] = (struct unit){ .node = i,
                                             .body = body,
                                             .prev = prev,
                                             .next = UNIT_NONE,
                                             .at = with_semicolon(ns, i) };
        if (prev != UNIT_NONE)
            units->at[prev].next = (uint32_t)units->n;
        last[body] = (uint32_t)++units->n;
    }
    free(last);
}

/* See the rule in the header. */
static void cut_unit(struct units *units, struct unit *u, struct bytes text)
{
    const struct unit *prev = u->prev != UNIT_NONE ? &units->at[u->prev] : NULL;
    const struct unit *next = u->next != UNIT_NONE ? &units->at[u->next] : NULL;

    u->cut = u->at;
    if (prev)
        u->lead = (struct span){ prev->at.end, u->at.start };
    if (!next)
        return;
    if (prev && !line_ends(text, prev->at.end, u->at.start) &&
        line_ends(text, u->at.end, next->at.start))
        u->cut.start = prev->at.end;
    else
        u->cut.end = next->at.start;
}

static void mark_imports(struct units *units, const struct nodes *ns)
{
    for (size_t i = 0; i < units->n; i++) {
        uint32_t node = units->at[i].node;

        if (!node_is(ns, node, NODE_IMPORT) &&
            !node_is(ns, node, NODE_IMPORT_FROM) &&
            !node_is(ns, node, NODE_FUTURE_IMPORT))
            continue;
        for (; node != NODE_NONE;
             node = node_statement(ns, units->at[unit_of(units, node)].body)) {
            struct unit *u = &units->at[unit_of(units, node)];
            if (u->has_import)
                break;
            u->has_import = true;
        }
    }
}

struct units *units_new(const struct nodes *nodes)
{
    struct units *units = xcalloc(1, sizeof(*units));

    link_units(units, nodes);
    for (size_t i = 0; i < units->n; i++)
        cut_unit(units, &units->at[i], nodes->text);
    mark_imports(units, nodes);
    return units;
}

void units_free(struct units *units)
{
    if (!units)
        return;
    free(units->at);
    free(units);
}

uint32_t unit_of(const struct units *units, uint32_t node)
{
    size_t low;

    BISECT(low, 0, units->n, units->at[low].node < node);
    return low < units->n && units->at[low].node == node ? (uint32_t)low
                                                         : UNIT_NONE;
}

struct span unit_alone(const struct units *units, uint32_t unit)
{
    const struct unit *u = &units->at[unit];
    struct span cut = u->cut;

    if (u->next == UNIT_NONE && u->prev != UNIT_NONE)
        cut.start = u->lead.start;
    return cut;
}

/* Whether `unit` is in the sorted set. */
static bool in_set(const uint32_t *set, size_t n, uint32_t unit)
{
    size_t low;

    BISECT(low, 0, n, set[low] < unit);
    return low < n && set[low] == unit;
}

static bool delete_span(struct gen *g, struct span at)
{
    if (gen_frozen(g, at))
        return false;
    edits_delete(g->out, at);
    return true;
}

/* Delete units u .. last, each by its cut; those that touch are one. */
static bool delete_cuts(struct gen *g, uint32_t u, uint32_t last)
{
    const struct unit *units = g->units->at;
    struct span cut = units[u].cut;

    while (u != last) {
        u = units[u].next;
        if (units[u].cut.start > cut.end) {
            if (!delete_span(g, cut))
                return false;
            cut.start = units[u].cut.start;
        }
        cut.end = units[u].cut.end;
    }
    return delete_span(g, cut);
}

/* Delete the run of units of one body that starts with u. */
static bool delete_run(struct gen *g, const uint32_t *set, size_t n, uint32_t u)
{
    const struct unit *units = g->units->at;
    uint32_t last = u;

    while (units[last].next != UNIT_NONE && in_set(set, n, units[last].next))
        last = units[last].next;
    if (units[last].next != UNIT_NONE)
        return delete_cuts(g, u, last);
    struct span hull = { units[u].cut.start, units[last].cut.end };
    if (units[u].prev != UNIT_NONE) {
        if (!gen_frozen(g, units[u].lead))
            hull.start = units[u].lead.start;
        return delete_span(g, hull);
    }
    if (node_is(g->nodes, units[u].body, NODE_MODULE))
        return delete_span(g, hull);
    edits_change(g->out, hull, "pass", 4);
    return !gen_frozen(g, hull);
}

bool gen_delete_units(struct gen *g, const uint32_t *units, size_t n)
{
    const struct unit *all = g->units->at;
    struct edit *edit = &g->out->items[g->out->n]; /* the open one */
    uint32_t past = 0; /* nodes before it are in a statement that goes */
    bool ok = true;

    for (size_t i = 0; i < n && ok; i++) {
        const struct unit *u = &all[units[i]];

        if (u->node < past)
            continue;
        past = g->nodes->at[u->node].past;
        edit->touches_import |= u->has_import;
        if (u->prev == UNIT_NONE || !in_set(units, n, u->prev))
            ok = delete_run(g, units, n, units[i]);
    }
    return ok;
}

/* Lists. */

static void offer_item(struct gen *g, uint16_t kind, const struct item *item,
                       struct span cut, struct span lead)
{
    struct edit *edit = edits_begin(g->out, kind, item->cover);

    edit->touches_import = item->touches_import;
    edit->lead = lead;
    edits_delete(g->out, cut);
    edits_end(g->out);
}

/* Items [from, to), none frozen. Behind a frozen one each goes with the
 * separator before it; before a frozen one there is always a next. */
static void offer_segment(struct gen *g, uint16_t kind,
                          const struct item *items, size_t n, size_t from,
                          size_t to, const char *empty, bool whole_first)
{
    bool split = from > 0 || to < n;

    edits_list_begin(g->out, split ? "" : empty, whole_first);
    for (size_t i = from; i < to; i++) {
        struct span cut = items[i].at, lead = { 0, 0 };

        if (from > 0) {
            cut.start = items[i - 1].at.end;
        } else if (i + 1 < n) {
            cut.end = items[i + 1].at.start;
        }
        if (!split && i > 0)
            lead = (struct span){ items[i - 1].at.end, items[i].at.start };
        if (!gen_frozen(g, cut))
            offer_item(g, kind, &items[i], cut, lead);
    }
    edits_list_end(g->out);
}

void gen_list(struct gen *g, uint16_t kind, const struct item *items, size_t n,
              const char *empty, bool whole_first)
{
    for (size_t from = 0; from < n;) {
        size_t to = from;

        while (to < n && !items[to].stays && !gen_frozen(g, items[to].at))
            to++;
        if (to > from)
            offer_segment(g, kind, items, n, from, to, empty, whole_first);
        from = to + 1;
    }
}
