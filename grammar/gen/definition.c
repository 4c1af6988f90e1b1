/* Definitions with what mentions them.
 *
 * For each name that a def, a class or an assignment binds: one edit that
 * deletes its definition and every statement with a use of it. Methods count
 * the attributes of their name as uses. A use in a decorator costs only that
 * decorator.
 *
 * Before that, one list of all definitions that nothing live uses: live is
 * what stands outside of definitions, and what is used from something live. */
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "grammar/generator.h"
#include "grammar/line.h"
#include "grammar/node.h"
#include "grammar/scope.h"
#include "grammar/unit.h"

void gen_definition(struct gen *g);

/* A few statements, each by its unit. */
struct set {
    uint32_t *units;
    size_t n, room;
    struct span *decorators;
    size_t ndecorators, decorators_room;
};

static void set_add(struct set *set, uint32_t unit)
{
    xgrow(&set->units, &set->room, set->n + 1, sizeof(*set->units));
    set->units[set->n++] = unit;
}

static int unit_order(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static void set_sort(struct set *set)
{
    size_t kept = 0;

    if (set->n > 1)
        qsort(set->units, set->n, sizeof(*set->units), unit_order);
    for (size_t i = 0; i < set->n; i++)
        if (kept == 0 || set->units[kept - 1] != set->units[i])
            set->units[kept++] = set->units[i];
    set->n = kept;
}

/* The unit of the statement around the identifier at this byte. */
static uint32_t unit_at(const struct gen *g, uint32_t start, uint32_t *node)
{
    *node = node_at(g->nodes, start, NODE_IDENTIFIER);
    uint32_t statement = node_statement(g->nodes, *node);

    return statement != NODE_NONE ? unit_of(g->units, statement) : UNIT_NONE;
}

/* A use costs its statement, or its decorator. */
static void set_add_use(struct gen *g, struct set *set, uint32_t start)
{
    uint32_t node;
    uint32_t unit = unit_at(g, start, &node);
    uint32_t decorator = node;

    while (decorator != NODE_NONE &&
           !node_is(g->nodes, decorator, NODE_DECORATOR) &&
           !node_is_statement(g->nodes, decorator))
        decorator = node_parent(g->nodes, decorator);
    if (!node_is(g->nodes, decorator, NODE_DECORATOR)) {
        if (unit != UNIT_NONE)
            set_add(set, unit);
        return;
    }
    uint32_t next = node_sibling(g->nodes, decorator);
    struct span at = { node_span(g->nodes, decorator).start,
                       node_span(g->nodes, next).start };
    xgrow(&set->decorators, &set->decorators_room, set->ndecorators + 1,
          sizeof(*set->decorators));
    set->decorators[set->ndecorators++] = at;
}

/* Decorators of statements that stay. */
static bool delete_decorators(struct gen *g, const struct set *set)
{
    uint32_t done = 0;

    for (size_t i = 0; i < set->ndecorators; i++) {
        struct span at = set->decorators[i];
        bool goes = at.start < done;

        for (size_t j = 0; j < set->n && !goes; j++)
            goes = span_overlaps(at, g->units->at[set->units[j]].cut);
        if (goes)
            continue;
        if (gen_frozen(g, at))
            return false;
        edits_delete(g->out, at);
        done = at.end;
    }
    return true;
}

/* Offer the deletion of the set. */
static void offer_set(struct gen *g, struct set *set, struct span cover)
{
    set_sort(set);
    edits_begin(g->out, EDIT_definition, cover);
    if (gen_delete_units(g, set->units, set->n) && delete_decorators(g, set))
        edits_end(g->out);
    else
        edits_drop(g->out);
}

/* The statement that defines: its unit, when the identifier is the name of a
 * def or class or the target of a plain assignment. */
static uint32_t definition_unit(const struct gen *g, uint32_t start,
                                bool *is_definition)
{
    uint32_t node;
    uint32_t unit = unit_at(g, start, &node);

    if (unit == UNIT_NONE)
        return UNIT_NONE;
    uint32_t statement = g->units->at[unit].node;
    uint32_t definition = node_definition(g->nodes, statement);
    *is_definition = definition != NODE_NONE;
    if (definition != NODE_NONE)
        return node_parent(g->nodes, node) == definition ? unit : UNIT_NONE;
    uint32_t value = node_named_child(g->nodes, statement);
    if (node_is(g->nodes, statement, NODE_EXPRESSION_STATEMENT) &&
        (node_is(g->nodes, value, NODE_ASSIGNMENT) ||
         node_is(g->nodes, value, NODE_AUGMENTED_ASSIGNMENT)))
        return unit;
    return node_is(g->nodes, statement, NODE_TYPE_ALIAS) ? unit : UNIT_NONE;
}

static bool in_class(const struct gen *g, uint32_t unit)
{
    uint32_t body = g->units->at[unit].body;

    return node_is(g->nodes, node_scope(g->nodes, body), NODE_CLASS);
}

/* One symbol with all its uses. */
static void offer_symbol(struct gen *g, uint32_t symbol, struct set *set)
{
    size_t n, attributes;
    const struct occurrence *occ = symbol_occurrences(g->scopes, symbol, &n);
    uint32_t own = UNIT_NONE;
    bool is_definition = false;

    for (size_t i = 0; i < n; i++) {
        bool def = false;
        uint32_t unit = occ[i].role == OCC_LOAD || occ[i].role == OCC_DECLARE
                            ? UNIT_NONE
                            : definition_unit(g, occ[i].at.start, &def);
        if (unit != UNIT_NONE && own == UNIT_NONE) {
            own = unit;
            is_definition = def;
        }
    }
    if (own == UNIT_NONE)
        return;
    set->n = set->ndecorators = 0;
    for (size_t i = 0; i < n; i++)
        set_add_use(g, set, occ[i].at.start);
    if (is_definition && in_class(g, own)) {
        const struct span *at = scopes_attributes(
            g->scopes, symbol_name(g->scopes, symbol), &attributes);
        for (size_t i = 0; i < attributes; i++)
            set_add_use(g, set, at[i].start);
    }
    set_sort(set);
    if (set->n > 1 || set->ndecorators > 0)
        offer_set(g, set, node_span(g->nodes, g->units->at[own].node));
}

/* Which definitions are live? */

struct live {
    uint32_t *holder; /* by unit: the innermost definition unit around it */
    bool *is_live;    /* by unit, for definitions */
    bool *unused;
    uint32_t *queue;
    size_t n;
};

static bool is_definition_unit(const struct gen *g, uint32_t unit)
{
    return node_definition(g->nodes, g->units->at[unit].node) != NODE_NONE;
}

/* The innermost definition whose statement holds the unit, itself included. */
static void find_holders(const struct gen *g, struct live *live)
{
    for (uint32_t u = 0; u < g->units->n; u++) {
        uint32_t up = node_statement(g->nodes, g->units->at[u].body);

        if (is_definition_unit(g, u))
            live->holder[u] = u;
        else
            live->holder[u] = up != NODE_NONE
                                  ? live->holder[unit_of(g->units, up)]
                                  : UNIT_NONE;
    }
}

static void make_live(const struct gen *g, struct live *live, uint32_t unit)
{
    while (unit != UNIT_NONE && !live->is_live[unit]) {
        live->is_live[unit] = true;
        live->queue[live->n++] = unit;
        uint32_t up = node_statement(g->nodes, g->units->at[unit].body);
        unit =
            up != NODE_NONE ? live->holder[unit_of(g->units, up)] : UNIT_NONE;
    }
}

/* A definition's name: the symbol it binds. */
static uint32_t symbol_of_unit(const struct gen *g, uint32_t unit)
{
    uint32_t definition = node_definition(g->nodes, g->units->at[unit].node);
    uint32_t name = node_field(g->nodes, definition, FIELD_name);

    return name != NODE_NONE
               ? scopes_symbol_at(g->scopes, node_span(g->nodes, name).start)
               : SYMBOL_NONE;
}

/* An edge of the graph: code in definition `from` uses definition `to`. */
struct edge {
    uint32_t from, to;
};

static int edge_order(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

struct edges {
    struct edge *at;
    size_t n, room;
};

static void add_use(const struct gen *g, struct live *live, struct edges *edges,
                    uint32_t start, uint32_t to)
{
    uint32_t node;
    uint32_t unit = unit_at(g, start, &node);
    uint32_t from = unit != UNIT_NONE ? live->holder[unit] : UNIT_NONE;
    uint32_t decorated = unit != UNIT_NONE ? g->units->at[unit].node : 0;

    if (unit == to && node_is(g->nodes, decorated, NODE_DECORATED))
        return; /* a property's @name.setter does not need itself */
    if (from == UNIT_NONE) {
        make_live(g, live, to);
        return;
    }
    xgrow(&edges->at, &edges->room, edges->n + 1, sizeof(*edges->at));
    edges->at[edges->n++] = (struct edge){ from, to };
}

/* Special methods live as long as their class. */
static void add_class_use(const struct gen *g, const struct live *live,
                          struct edges *edges, uint32_t unit)
{
    uint32_t holder = node_statement(g->nodes, g->units->at[unit].body);

    xgrow(&edges->at, &edges->room, edges->n + 1, sizeof(*edges->at));
    edges->at[edges->n++] =
        (struct edge){ live->holder[unit_of(g->units, holder)], unit };
}

static void collect_uses(const struct gen *g, struct live *live,
                         struct edges *edges, uint32_t unit)
{
    uint32_t symbol = symbol_of_unit(g, unit);
    size_t n = 0;

    if (symbol == SYMBOL_NONE)
        return;
    struct bytes name = symbol_name(g->scopes, symbol);
    const struct occurrence *occ = symbol_occurrences(g->scopes, symbol, &n);
    for (size_t i = 0; i < n; i++)
        if (occ[i].role != OCC_BIND)
            add_use(g, live, edges, occ[i].at.start, unit);
    if (!in_class(g, unit))
        return;
    if (name.len > 4 && memcmp(name.data, "__", 2) == 0)
        add_class_use(g, live, edges, unit);
    const struct span *at = scopes_attributes(g->scopes, name, &n);
    for (size_t i = 0; i < n; i++)
        add_use(g, live, edges, at[i].start, unit);
}

static void spread(const struct gen *g, struct live *live,
                   const struct edges *edges)
{
    for (size_t done = 0; done < live->n; done++) {
        size_t low;

        BISECT(low, 0, edges->n, edges->at[low].from < live->queue[done]);
        for (; low < edges->n && edges->at[low].from == live->queue[done];
             low++)
            make_live(g, live, edges->at[low].to);
    }
}

static void find_unused(struct gen *g, struct live *live)
{
    struct edges edges = { 0 };

    find_holders(g, live);
    for (uint32_t u = 0; u < g->units->n; u++)
        if (is_definition_unit(g, u))
            collect_uses(g, live, &edges, u);
    if (edges.n > 1)
        qsort(edges.at, edges.n, sizeof(*edges.at), edge_order);
    spread(g, live, &edges);
    for (uint32_t u = 0; u < g->units->n; u++)
        live->unused[u] = is_definition_unit(g, u) && !live->is_live[u];
    free(edges.at);
}

/* Whether something else than unused definitions stands in the body. */
static bool body_stays(const struct gen *g, const struct live *live,
                       uint32_t first)
{
    const struct unit *units = g->units->at;

    if (node_is(g->nodes, units[first].body, NODE_MODULE))
        return true;
    for (uint32_t u = first; u != UNIT_NONE; u = units[u].next)
        if (!live->unused[u])
            return true;
    return false;
}

/* From the name on: it is not what was refused while it had uses, when it was
 * to go with them. */
static struct span unused_cover(const struct gen *g, uint32_t unit)
{
    struct span cover = node_span(g->nodes, g->units->at[unit].node);
    uint32_t definition = node_definition(g->nodes, g->units->at[unit].node);
    uint32_t name = node_field(g->nodes, definition, FIELD_name);

    if (name != NODE_NONE)
        cover.start = node_span(g->nodes, name).start;
    return cover;
}

/* Those in other unused ones go with them. */
static void offer_unused(struct gen *g, const struct live *live)
{
    const struct unit *units = g->units->at;

    edits_list_begin(g->out, "", true);
    for (uint32_t first = 0; first < g->units->n; first++) {
        if (units[first].prev != UNIT_NONE || !body_stays(g, live, first))
            continue;
        uint32_t holder = node_statement(g->nodes, units[first].body);
        if (holder != NODE_NONE &&
            live->holder[unit_of(g->units, holder)] != UNIT_NONE &&
            live->unused[live->holder[unit_of(g->units, holder)]])
            continue;
        for (uint32_t u = first; u != UNIT_NONE; u = units[u].next) {
            struct span cut = unit_alone(g->units, u);

            if (!live->unused[u] || gen_frozen(g, cut))
                continue;
            edits_begin(g->out, EDIT_definition, unused_cover(g, u))
                ->touches_import = units[u].has_import;
            edits_delete(g->out, cut);
            edits_end(g->out);
        }
    }
    edits_list_end(g->out);
}

static void all_unused(struct gen *g)
{
    struct live live = { 0 };
    size_t n = g->units->n + 1;

    live.holder = xcalloc(n, sizeof(*live.holder));
    live.queue = xcalloc(n, sizeof(*live.queue));
    live.is_live = xcalloc(n, sizeof(*live.is_live));
    live.unused = xcalloc(n, sizeof(*live.unused));
    find_unused(g, &live);
    offer_unused(g, &live);
    free(live.holder);
    free(live.queue);
    free(live.is_live);
    free(live.unused);
}

void gen_definition(struct gen *g)
{
    struct set set = { 0 };
    uint32_t symbols = scopes_symbols(g->scopes);

    all_unused(g);
    for (uint32_t symbol = 0; symbol < symbols; symbol++)
        if (symbol_bound(g->scopes, symbol))
            offer_symbol(g, symbol, &set);
    free(set.units);
    free(set.decorators);
}
