/* All that nothing live uses, in one edit.
 *
 * Live is what does something by itself (a call, a return, a loop whose header
 * calls), what the failure comes by, what binds a name that something live
 * reads, and what holds something live. The rest, to the last import, is one
 * deletion: what a literal in the place of an expression has made useless goes
 * at once. Two drafts of it: in the bolder one a call is taken to have done
 * nothing when a traced run has seen it come back (grammar/observed.h). When
 * neither finds a thing, a last one leaves out what the failure came by: that
 * was so in the original, and what calls the failing function may have become
 * useless since.
 *
 * It is mark and sweep over statements. A statement is reached when the
 * definition around it is live; reached, it is live by itself or by a name. Of
 * members of classes only the last name counts (`x.NAME`, `NAME=`). */
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "grammar/generator.h"
#include "grammar/kernel.h"
#include "grammar/node.h"
#include "grammar/observed.h"
#include "grammar/scope.h"
#include "grammar/unit.h"

void gen_dead(struct gen *g);

/* A statement and a name in it: a symbol, or the number of a member's name. */
struct tie {
    uint32_t from, to;
};

struct ties {
    struct tie *at;
    size_t n, room;
};

/* A member's name where it is bound (in a class, or as `x.NAME = `) or used. */
struct member {
    struct bytes name;
    uint32_t unit, number;
    bool binds;
};

struct dead {
    struct gen *g;
    const struct nodes *ns;
    const struct unit *units;
    size_t n;
    uint32_t *unit; /* by node: the innermost statement around it */
    uint32_t *up;   /* by unit: the one around it */
    bool *calls;    /* by unit: calls something */
    bool *hangs;    /* by unit: something in it has not come back */
    bool *reached, *live;
    struct member *members;
    size_t nmembers, members_room;
    struct ties reads, binds; /* unit to symbol, symbol to unit */
    struct ties inner;        /* unit to those right in it */
    struct ties bound;        /* unit to symbols and members */
    bool *wanted;             /* by symbol, then by member's number */
    uint32_t nsymbols;
    uint32_t *queue; /* units that became live */
    size_t queued;
    bool bold;
    bool frames; /* what the failure comes by is live */
};

static void tie(struct ties *ties, uint32_t from, uint32_t to)
{
    xgrow(&ties->at, &ties->room, ties->n + 1, sizeof(*ties->at));
    ties->at[ties->n++] = (struct tie){ from, to };
}

static int tie_order(const void *a, const void *b)
{
    const struct tie *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

static void ties_sort(struct ties *ties)
{
    if (ties->n > 1)
        qsort(ties->at, ties->n, sizeof(*ties->at), tie_order);
}

/* The first tie from here. */
static size_t ties_find(const struct ties *ties, uint32_t from)
{
    size_t low;

    BISECT(low, 0, ties->n, ties->at[low].from < from);
    return low;
}

/* ---- what stands in a statement ---- */

static bool is_definition(const struct dead *d, uint32_t u)
{
    return node_definition(d->ns, d->units[u].node) != NODE_NONE;
}

static void find_units(struct dead *d)
{
    for (uint32_t i = 0; i < d->ns->n; i++) {
        uint32_t parent = node_parent(d->ns, i);
        uint32_t u = parent != NODE_NONE ? d->unit[parent] : UNIT_NONE;

        d->unit[i] = u;
        if (parent == NODE_NONE || !node_is_body(d->ns, parent) ||
            !node_is_statement(d->ns, i))
            continue;
        d->unit[i] = unit_of(d->g->units, i);
        d->up[d->unit[i]] = u;
        if (u != UNIT_NONE)
            tie(&d->inner, u, d->unit[i]);
    }
    ties_sort(&d->inner);
}

/* Whether the traced run has seen this call come back. */
static bool came_back(const struct dead *d, uint32_t call)
{
    const struct observed *o = d->g->observed;
    struct span at = node_span(d->ns, call);
    size_t low;

    BISECT(low, 0, o ? o->n : 0,
           o->at[low].start < at.start ||
               (o->at[low].start == at.start && o->at[low].end > at.end));
    return o && low < o->n && o->at[low].start == at.start &&
           o->at[low].end == at.end;
}

static bool in_class(const struct dead *d, uint32_t unit)
{
    return node_is(d->ns, node_scope(d->ns, d->units[unit].body), NODE_CLASS);
}

static void add_member(struct dead *d, uint32_t node, bool binds)
{
    xgrow(&d->members, &d->members_room, d->nmembers + 1, sizeof(*d->members));
    d->members[d->nmembers++] = (struct member){ .name = node_text(d->ns, node),
                                                 .unit = d->unit[node],
                                                 .binds = binds };
}

static enum occurrence_role role_at(const struct dead *d, uint32_t symbol,
                                    uint32_t start)
{
    size_t n, low;
    const struct occurrence *occ = symbol_occurrences(d->g->scopes, symbol, &n);

    BISECT(low, 0, n, occ[low].at.start < start);
    return low < n ? occ[low].role : OCC_LOAD;
}

/* Whether an attribute is what an assignment sets. */
static bool is_set(const struct dead *d, uint32_t attribute)
{
    uint32_t node = attribute;

    for (;;) {
        uint32_t parent = node_parent(d->ns, node);

        if (node_is(d->ns, parent, NODE_ASSIGNMENT))
            return d->ns->at[node].field == FIELD_left;
        if (!node_is(d->ns, parent, NODE_PATTERN_LIST) &&
            !node_is(d->ns, parent, NODE_TUPLE_PATTERN))
            return false;
        node = parent;
    }
}

static void read_identifier(struct dead *d, uint32_t i)
{
    uint32_t start = node_span(d->ns, i).start, u = d->unit[i];
    uint32_t symbol = scopes_symbol_at(d->g->scopes, start);
    uint32_t parent = node_parent(d->ns, i);

    if (u == UNIT_NONE)
        return;
    if (symbol == SYMBOL_NONE) {
        add_member(d, i,
                   node_is(d->ns, parent, NODE_ATTRIBUTE) && is_set(d, parent));
        return;
    }
    switch (role_at(d, symbol, start)) {
    case OCC_AUGMENT:
        tie(&d->reads, u, symbol);
        /* fall through */
    case OCC_BIND:
        tie(&d->binds, symbol, u);
        tie(&d->bound, u, symbol);
        if (in_class(d, u))
            add_member(d, i, true);
        break;
    case OCC_LOAD:
    case OCC_DELETE:
        tie(&d->reads, u, symbol);
        break;
    case OCC_DECLARE:
        break;
    }
}

/* Whether the tracer would have told that it came back, had it done so. */
static bool is_told(const struct dead *d, uint32_t i)
{
    uint32_t parent = node_parent(d->ns, i);

    switch (node_kind(d->ns, i)) {
    case NODE_ATTRIBUTE:
    case NODE_SUBSCRIPT:
        return !is_set(d, i) && !(node_is(d->ns, parent, NODE_CALL) &&
                                  d->ns->at[i].field == FIELD_function);
    case NODE_BINARY_OPERATOR:
    case NODE_COMPARISON:
        return true;
    default:
        return false;
    }
}

/* What an expression does that came back came back too; what a lambda does is
 * not done here, and annotations are not looked at. */
static void read_deeds(struct dead *d)
{
    bool traced = d->g->observed && d->g->observed->n > 0;
    uint32_t past = 0;

    for (uint32_t i = 0; i < d->ns->n; i++) {
        unsigned kind = node_kind(d->ns, i);
        uint32_t u = d->unit[i];
        bool calls =
            kind == NODE_CALL || kind == NODE_AWAIT || kind == NODE_YIELD;

        if (u == UNIT_NONE)
            continue;
        if (kind == NODE_LAMBDA || kind == NODE_TYPE) {
            past = d->ns->at[i].past > past ? d->ns->at[i].past : past;
        } else if (calls || (traced && is_told(d, i))) {
            d->calls[u] |= calls && i >= past;
            if (traced && kind != NODE_YIELD && came_back(d, i))
                past = d->ns->at[i].past > past ? d->ns->at[i].past : past;
            else
                d->hangs[u] |= i >= past;
        }
    }
}

/* The name that `a.b[c].d(e)`, a statement by itself, begins with. */
static uint32_t receiver(const struct dead *d, uint32_t u)
{
    uint32_t node = d->units[u].node;

    if (!node_is(d->ns, node, NODE_EXPRESSION_STATEMENT))
        return NODE_NONE;
    node = node_named_child(d->ns, node);
    while (node != NODE_NONE && !node_is(d->ns, node, NODE_IDENTIFIER)) {
        switch (node_kind(d->ns, node)) {
        case NODE_CALL:
            node = node_field(d->ns, node, FIELD_function);
            break;
        case NODE_ATTRIBUTE:
            node = node_field(d->ns, node, FIELD_object);
            break;
        case NODE_SUBSCRIPT:
            node = node_field(d->ns, node, FIELD_value);
            break;
        default:
            return NODE_NONE;
        }
    }
    return node;
}

/* Whether the symbol is bound by an import or a definition and nothing else:
 * what is called on it changes no value that is read later. */
static bool is_fixed(const struct dead *d, uint32_t symbol)
{
    size_t n;
    const struct occurrence *occ = symbol_occurrences(d->g->scopes, symbol, &n);

    for (size_t i = 0; i < n; i++) {
        uint32_t node, u;

        if (occ[i].role != OCC_BIND)
            continue;
        node = node_at(d->ns, occ[i].at.start, NODE_IDENTIFIER);
        u = d->unit[node];
        if (u == UNIT_NONE || !(is_definition(d, u) || d->units[u].has_import))
            return false;
        if (is_definition(d, u) && node_parent(d->ns, node) !=
                                       node_definition(d->ns, d->units[u].node))
            return false; /* a parameter */
    }
    return true;
}

/* `parser.add_argument()` is for the sake of `parser`: as if it bound it. */
static void read_receivers(struct dead *d)
{
    for (uint32_t u = 0; u < d->n; u++) {
        uint32_t node = receiver(d, u);
        uint32_t symbol =
            node != NODE_NONE
                ? scopes_symbol_at(d->g->scopes, node_span(d->ns, node).start)
                : SYMBOL_NONE;

        if (symbol == SYMBOL_NONE || is_fixed(d, symbol))
            continue;
        tie(&d->binds, symbol, u);
        tie(&d->bound, u, symbol);
    }
}

static void read_nodes(struct dead *d)
{
    for (uint32_t i = 0; i < d->ns->n; i++)
        if (node_is(d->ns, i, NODE_IDENTIFIER))
            read_identifier(d, i);
    read_deeds(d);
    read_receivers(d);
}

static int member_order(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    size_t n = x->name.len < y->name.len ? x->name.len : y->name.len;
    int order = memcmp(x->name.data, y->name.data, n);

    if (order)
        return order;
    return x->name.len < y->name.len ? -1 : x->name.len > y->name.len;
}

/* Equal names get one number, behind those of the symbols. */
static void number_members(struct dead *d)
{
    uint32_t number = d->nsymbols;

    if (d->nmembers > 1)
        qsort(d->members, d->nmembers, sizeof(*d->members), member_order);
    for (size_t i = 0; i < d->nmembers; i++) {
        struct member *m = &d->members[i];

        if (i > 0 && member_order(m, m - 1) != 0)
            number++;
        if (m->binds) {
            tie(&d->binds, number, m->unit);
            tie(&d->bound, m->unit, number);
        } else {
            tie(&d->reads, m->unit, number);
        }
    }
    ties_sort(&d->reads);
    ties_sort(&d->binds);
    ties_sort(&d->bound);
}

/* ---- which statements do something by themselves ---- */

/* Only `pass` and the like: stands for nothing, and goes with what is around
 * it. */
static bool is_filler(const struct dead *d, uint32_t u)
{
    unsigned kind = node_kind(d->ns, d->units[u].node);

    return kind == NODE_PASS || kind == NODE_GLOBAL || kind == NODE_NONLOCAL;
}

/* Whether a condition is a literal that stands for false. */
static bool is_never(const struct dead *d, uint32_t u)
{
    uint32_t node = d->units[u].node;
    uint32_t test;

    if (!node_is(d->ns, node, NODE_IF) ||
        node_field(d->ns, node, FIELD_alternative) != NODE_NONE)
        return false;
    test = node_field(d->ns, node, FIELD_condition);
    return node_is(d->ns, test, NODE_FALSE_NAME) ||
           node_is(d->ns, test, NODE_NONE_NAME) ||
           node_text_is(d->ns, test, "0") || node_text_is(d->ns, test, "''") ||
           node_text_is(d->ns, test, "()");
}

static bool acts_as_expression(const struct dead *d, uint32_t u, bool calls)
{
    uint32_t value = node_named_child(d->ns, d->units[u].node);

    switch (node_kind(d->ns, value)) {
    case NODE_ASSIGNMENT: {
        uint32_t left = node_field(d->ns, value, FIELD_left);

        return calls || node_is(d->ns, left, NODE_SUBSCRIPT) ||
               (node_field(d->ns, value, FIELD_right) == NODE_NONE &&
                in_class(d, u));
    }
    case NODE_AUGMENTED_ASSIGNMENT:
        return calls || !node_is(d->ns, node_field(d->ns, value, FIELD_left),
                                 NODE_IDENTIFIER);
    default:
        return calls;
    }
}

/* `from __future__` is for the whole file, a star import for unknown names. */
static bool acts(const struct dead *d, uint32_t u)
{
    uint32_t node = d->units[u].node;
    bool calls = d->hangs[u] || (d->calls[u] && !d->bold);

    if (gen_frozen(d->g, d->units[u].cut))
        return true;
    switch (node_kind(d->ns, node)) {
    case NODE_EXPRESSION_STATEMENT:
        return acts_as_expression(d, u, calls);
    case NODE_IMPORT:
    case NODE_TYPE_ALIAS:
    case NODE_FUNCTION:
    case NODE_CLASS:
    case NODE_PASS:
    case NODE_GLOBAL:
    case NODE_NONLOCAL:
        return false;
    case NODE_DECORATED: /* a front end reads a kernel where it stands */
        return kernel_is(d->ns, node);
    case NODE_IMPORT_FROM:
        return node_child_of(d->ns, node, NODE_WILDCARD_IMPORT) != NODE_NONE;
    case NODE_IF:
    case NODE_FOR:
    case NODE_WHILE:
    case NODE_TRY:
    case NODE_WITH:
    case NODE_MATCH:
        return calls;
    default:
        return true;
    }
}

/* What the interpreter calls without its name; one that does nothing is missed
 * only where it takes arguments. */
static bool is_special(const struct dead *d, uint32_t u)
{
    static const char *const kept[] = { "__init__", "__new__", "__call__",
                                        "__enter__", "__exit__" };
    uint32_t definition = node_definition(d->ns, d->units[u].node);
    uint32_t name = definition != NODE_NONE
                        ? node_field(d->ns, definition, FIELD_name)
                        : NODE_NONE;
    struct bytes text;

    if (name == NODE_NONE || !in_class(d, u))
        return false;
    text = node_text(d->ns, name);
    if (text.len < 5 || memcmp(text.data, "__", 2) != 0)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(kept); i++)
        if (node_text_is(d->ns, name, kept[i]))
            return true;
    for (size_t i = ties_find(&d->inner, u);
         i < d->inner.n && d->inner.at[i].from == u; i++)
        if (!is_filler(d, d->inner.at[i].to))
            return true;
    return false;
}

/* ---- marking ---- */

static void make_live(struct dead *d, uint32_t u)
{
    for (; u != UNIT_NONE && !d->live[u]; u = d->up[u]) {
        d->live[u] = true;
        d->queue[d->queued++] = u;
    }
}

static bool is_wanted(const struct dead *d, uint32_t u)
{
    for (size_t i = ties_find(&d->bound, u);
         i < d->bound.n && d->bound.at[i].from == u; i++)
        if (d->wanted[d->bound.at[i].to])
            return true;
    return false;
}

/* A statement's surroundings are live, and so are the statements in it that
 * run with it: each unit once, the later ones found by their place. */
static void reach(struct dead *d, uint32_t first)
{
    uint32_t past = d->ns->at[d->units[first].node].past;

    for (uint32_t u = first; u < d->n && d->units[u].node < past;) {
        uint32_t next = u + 1;

        d->reached[u] = true;
        if (acts(d, u) || is_wanted(d, u) || is_special(d, u))
            make_live(d, u);
        if (is_definition(d, u) || is_never(d, u))
            while (next < d->n &&
                   d->units[next].node < d->ns->at[d->units[u].node].past)
                next++;
        u = next;
    }
}

static void want(struct dead *d, uint32_t name)
{
    if (d->wanted[name])
        return;
    d->wanted[name] = true;
    for (size_t i = ties_find(&d->binds, name);
         i < d->binds.n && d->binds.at[i].from == name; i++)
        if (d->reached[d->binds.at[i].to])
            make_live(d, d->binds.at[i].to);
}

static void follow(struct dead *d, uint32_t u)
{
    for (size_t i = ties_find(&d->reads, u);
         i < d->reads.n && d->reads.at[i].from == u; i++)
        want(d, d->reads.at[i].to);
    if (!is_definition(d, u))
        return;
    for (size_t i = ties_find(&d->inner, u);
         i < d->inner.n && d->inner.at[i].from == u; i++)
        reach(d, d->inner.at[i].to);
}

/* The statement that starts here, the innermost of several. */
static uint32_t unit_at(const struct dead *d, uint32_t start)
{
    uint32_t node = node_from(d->ns, start);

    if (node == d->ns->n || node_span(d->ns, node).start != start)
        return UNIT_NONE;
    while (node + 1 < d->ns->n && node_span(d->ns, node + 1).start == start)
        node++;
    return d->unit[node];
}

/* Whoever calls a frame's function, and be it a library by a name that stands
 * nowhere in the file, does so: the traceback has shown it. */
static void mark_frames(struct dead *d)
{
    for (size_t i = 0; d->frames && i < d->g->nframes; i++) {
        struct span at = d->g->frames[i];
        uint32_t u = span_len(at) > 0 ? unit_at(d, at.start) : UNIT_NONE;

        if (u != UNIT_NONE)
            make_live(d, u);
    }
}

static void mark(struct dead *d, bool bold)
{
    d->bold = bold;
    d->queued = 0;
    memset(d->reached, 0, d->n * sizeof(*d->reached));
    memset(d->live, 0, d->n * sizeof(*d->live));
    memset(d->wanted, 0, (d->nsymbols + d->nmembers) * sizeof(*d->wanted));
    mark_frames(d);
    for (uint32_t u = 0; u < d->n; u++)
        if (d->up[u] == UNIT_NONE)
            reach(d, u);
    for (size_t done = 0; done < d->queued; done++)
        follow(d, d->queue[done]);
}

/* ---- the edit ---- */

/* The dead ones into `units`; how many. */
static size_t sweep(struct dead *d, bool bold, uint32_t *units)
{
    size_t n = 0;

    mark(d, bold);
    for (uint32_t u = 0; u < d->n; u++)
        if (d->reached[u] && !d->live[u] && !is_filler(d, u))
            units[n++] = u;
    return n;
}

static void offer(struct dead *d, const uint32_t *units, size_t n, bool sure)
{
    struct edits *out = d->g->out;
    struct span cover;
    uint32_t edit;

    if (n == 0)
        return;
    cover.start = node_span(d->ns, d->units[units[0]].node).start;
    cover.end = node_span(d->ns, d->units[units[n - 1]].node).end;
    edits_begin(out, EDIT_dead, cover);
    if (!gen_delete_units(d->g, units, n)) {
        edits_drop(out);
        return;
    }
    edit = edits_end(out);
    if (edit != EDIT_NONE)
        out->items[edit].sure = sure;
}

static void offer_all(struct dead *d)
{
    uint32_t *bold = xcalloc(d->n + 1, sizeof(*bold));
    uint32_t *timid = xcalloc(d->n + 1, sizeof(*timid));
    size_t nbold = sweep(d, true, bold), ntimid = sweep(d, false, timid);

    offer(d, bold, nbold, true);
    if (ntimid != nbold)
        offer(d, timid, ntimid, false);
    d->frames = false;
    if (nbold == 0 && d->g->nframes > 0)
        offer(d, bold, sweep(d, true, bold), false);
    free(bold);
    free(timid);
}

void gen_dead(struct gen *g)
{
    struct dead d = { .g = g,
                      .ns = g->nodes,
                      .units = g->units->at,
                      .n = g->units->n,
                      .frames = true,
                      .nsymbols = scopes_symbols(g->scopes) };

    if (d.n == 0 || scopes_opaque(g->scopes))
        return;
    d.unit = xcalloc(d.ns->n, sizeof(*d.unit));
    d.up = xcalloc(d.n, sizeof(*d.up));
    d.calls = xcalloc(d.n, sizeof(*d.calls));
    d.hangs = xcalloc(d.n, sizeof(*d.hangs));
    d.reached = xcalloc(d.n, sizeof(*d.reached));
    d.live = xcalloc(d.n, sizeof(*d.live));
    d.queue = xcalloc(d.n, sizeof(*d.queue));
    find_units(&d);
    read_nodes(&d);
    number_members(&d);
    d.wanted = xcalloc(d.nsymbols + d.nmembers + 1, sizeof(*d.wanted));
    offer_all(&d);
    free(d.unit);
    free(d.up);
    free(d.calls);
    free(d.hangs);
    free(d.reached);
    free(d.live);
    free(d.queue);
    free(d.wanted);
    free(d.members);
    free(d.reads.at);
    free(d.binds.at);
    free(d.bound.at);
    free(d.inner.at);
}
