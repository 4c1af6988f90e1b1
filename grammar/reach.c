/* What of a text the guard may look at: see relevant.h.
 *
 * It begins with what is looked for in the whole text: tests, exits, calls that
 * make arrays or chance, launches, calls that stay. From a unit that counts
 * all its names count, and of a name all units that may give it a value or
 * write into it:
 *
 *   x = f(y)   counts when x does, then y does too; when y counts, x does not
 *   x = y + 1  the same, but who writes into x may write into y: x is an alias
 *   import     neither
 *   all else   counts with any of its names, and all of them with it
 *
 * where f is no function of the script. The headers around a unit count with
 * it; with a function what it returns and where it is called, with a kernel or
 * a class all that is in it. Names that modules gave, and builtins, lead
 * nowhere. */
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "grammar/deciding.h"
#include "grammar/effect.h"
#include "grammar/flow_parts.h"
#include "grammar/kernel.h"
#include "grammar/node.h"
#include "grammar/relevant.h"
#include "grammar/scope.h"

enum level { LEVEL_NONE, LEVEL_ALIAS, LEVEL_WHOLE };
enum mark { MARK_NONE, MARK_HARD, MARK_SOFT, MARK_PASSING };

/* What is done once for a unit, however many names lead to it. */
enum { DONE_CLAUSES = 1, DONE_ALIASES = 2 };

struct definition {
    uint64_t word;
    uint32_t node; /* function or class */
    bool counts;   /* of the first of a name: all of that name do */
};

struct numbers {
    uint32_t *at;
    size_t n, room;
};

struct reach {
    const struct guard *guard;
    const struct nodes *ns;
    struct scopes *scopes;
    struct relevant *out;
    uint32_t *unit;                 /* of each node */
    bool *nearly;                   /* of each node, see is_nearly_bound() */
    uint32_t *assigned;             /* of each unit, 0: not known yet */
    uint8_t *done;                  /* of each unit: DONE_... */
    uint8_t *mark;                  /* of each unit */
    uint8_t *level;                 /* of each symbol */
    struct numbers units, symbols;  /* to be followed */
    struct definition *definitions; /* by word */
    size_t ndefinitions, room;
};

static void add_number(struct numbers *numbers, uint32_t number)
{
    xgrow(&numbers->at, &numbers->room, numbers->n + 1, sizeof(uint32_t));
    numbers->at[numbers->n++] = number;
}

/* ---- units ---- */

static void find_units(struct reach *r)
{
    r->unit = xcalloc(r->ns->n, sizeof(*r->unit));
    for (uint32_t i = 1; i < r->ns->n; i++)
        r->unit[i] = node_is_statement(r->ns, i) || node_is_clause(r->ns, i)
                         ? i
                         : r->unit[node_parent(r->ns, i)];
}

/* The function or class that a unit is the header of, or NODE_NONE. */
static uint32_t defined_by(const struct nodes *ns, uint32_t unit)
{
    return unit == 0 ? NODE_NONE : node_definition(ns, unit);
}

/* The next node of a unit after i, or the first (i: the unit); the nodes of
 * other units in it are left out. NODE_NONE at the end. */
static uint32_t next_of(const struct reach *r, uint32_t unit, uint32_t i)
{
    i++;
    while (i < r->ns->at[unit].past && r->unit[i] != unit)
        i = r->ns->at[i].past;
    return i < r->ns->at[unit].past ? i : NODE_NONE;
}

/* Up to where a unit reaches: to the first block in it. */
static struct span span_of(const struct reach *r, uint32_t unit)
{
    struct span at = node_span(r->ns, unit);

    for (uint32_t i = next_of(r, unit, unit); i != NODE_NONE;
         i = next_of(r, unit, i))
        if (node_is(r->ns, i, NODE_BLOCK) && node_child(r->ns, i) != NODE_NONE)
            return (struct span){ at.start, node_span(r->ns, i).start };
    return at;
}

static bool is_import(const struct nodes *ns, uint32_t i)
{
    return node_is(ns, i, NODE_IMPORT) || node_is(ns, i, NODE_IMPORT_FROM) ||
           node_is(ns, i, NODE_FUTURE_IMPORT);
}

static uint32_t symbol_of(const struct reach *r, uint32_t i)
{
    return node_is(r->ns, i, NODE_IDENTIFIER)
               ? scopes_symbol_at(r->scopes, node_span(r->ns, i).start)
               : SYMBOL_NONE;
}

static uint32_t node_of(const struct reach *r, const struct occurrence *o)
{
    return node_at(r->ns, o->at.start, NODE_IDENTIFIER);
}

/* ---- definitions by name ---- */

static int by_word(const void *a, const void *b)
{
    const struct definition *x = a, *y = b;

    if (x->word != y->word)
        return x->word < y->word ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static void find_definitions(struct reach *r)
{
    for (uint32_t i = 0; i < r->ns->n; i++) {
        uint32_t name =
            node_is(r->ns, i, NODE_FUNCTION) || node_is(r->ns, i, NODE_CLASS)
                ? node_field(r->ns, i, FIELD_name)
                : NODE_NONE;

        if (name == NODE_NONE)
            continue;
        xgrow(&r->definitions, &r->room, r->ndefinitions + 1,
              sizeof(*r->definitions));
        r->definitions[r->ndefinitions++] =
            (struct definition){ .word = relevant_word(node_text(r->ns, name)),
                                 .node = i };
    }
    if (r->ndefinitions > 0)
        qsort(r->definitions, r->ndefinitions, sizeof(*r->definitions),
              by_word);
}

/* The first definition of that name; the others follow it. */
static size_t first_definition(const struct reach *r, uint64_t word)
{
    size_t low;

    BISECT(low, 0, r->ndefinitions, r->definitions[low].word < word);
    return low;
}

static bool is_defined(const struct reach *r, struct bytes name)
{
    uint64_t word = relevant_word(name);
    size_t i = first_definition(r, word);

    return i < r->ndefinitions && r->definitions[i].word == word;
}

/* ---- assignments that do nothing but assign ---- */

static bool may_write(const struct reach *r, uint32_t call)
{
    const struct nodes *ns = r->ns;
    struct bytes name = kernel_last_name(ns, call);
    uint32_t root = flow_root(ns, node_field(ns, call, FIELD_function));

    return is_defined(r, name) ||
           (root != NODE_NONE && is_defined(r, node_text(ns, root))) ||
           text_is_one_of(name, (const char *const[]){ "store" }, 1) ||
           (name.len > 7 && memcmp(name.data, "atomic_", 7) == 0);
}

static bool is_target(const struct nodes *ns, uint32_t left)
{
    if (node_is(ns, left, NODE_IDENTIFIER))
        return true;
    if (!node_is(ns, left, NODE_PATTERN_LIST))
        return false;
    for (uint32_t c = node_named_child(ns, left); c != NODE_NONE;
         c = node_named_sibling(ns, c))
        if (!node_is(ns, c, NODE_IDENTIFIER))
            return false;
    return true;
}

static uint32_t find_assigned(const struct reach *r, uint32_t unit)
{
    const struct nodes *ns = r->ns;
    uint32_t i = node_named_child(ns, unit), right;

    if (!node_is(ns, unit, NODE_EXPRESSION_STATEMENT) ||
        !node_is(ns, i, NODE_ASSIGNMENT) || ns->at[i].past != ns->at[unit].past)
        return NODE_NONE;
    right = node_field(ns, i, FIELD_right);
    if (right == NODE_NONE || !is_target(ns, node_field(ns, i, FIELD_left)) ||
        node_field(ns, i, FIELD_type) != NODE_NONE)
        return NODE_NONE;
    for (i = right; i < ns->at[right].past; i++) {
        switch (node_kind(ns, i)) {
        case NODE_ASSIGNMENT:
        case NODE_AUGMENTED_ASSIGNMENT:
        case NODE_NAMED_EXPRESSION:
        case NODE_LAMBDA:
        case NODE_YIELD:
        case NODE_AWAIT:
        case NODE_FOR_IN_CLAUSE:
            return NODE_NONE;
        case NODE_CALL:
            if (may_write(r, i))
                return NODE_NONE;
            break;
        default:
            break;
        }
    }
    return right;
}

/* The right side of `x = value` that gives x its value and does no more;
 * NODE_NONE when the unit is something else. */
static uint32_t assigned(struct reach *r, uint32_t unit)
{
    if (r->assigned[unit] == 0)
        r->assigned[unit] = find_assigned(r, unit);
    return r->assigned[unit];
}

/* Whether what has the value could be written into by its new name. */
static bool is_alias(const struct nodes *ns, uint32_t value)
{
    return !node_is(ns, value, NODE_CALL);
}

/* ---- what counts ---- */

static void add_word(struct reach *r, struct bytes word)
{
    struct relevant *out = r->out;

    xgrow(&out->words, &out->words_room, out->nwords + 1, sizeof(uint64_t));
    out->words[out->nwords++] = relevant_word(word);
}

static void count_unit(struct reach *r, uint32_t unit)
{
    if (unit == 0 || r->mark[unit] == MARK_HARD)
        return;
    r->mark[unit] = MARK_HARD;
    add_number(&r->units, unit);
}

static void count_symbol(struct reach *r, uint32_t s, enum level level)
{
    if (s == SYMBOL_NONE || r->level[s] >= level)
        return;
    r->level[s] = (uint8_t)level;
    add_number(&r->symbols, s);
}

/* No more than once: a name may stand, and be defined, many times. */
static void count_definitions(struct reach *r, uint64_t word)
{
    size_t first = first_definition(r, word);

    if (first == r->ndefinitions || r->definitions[first].counts)
        return;
    for (size_t k = first;
         k < r->ndefinitions && r->definitions[k].word == word; k++)
        count_unit(r, r->unit[r->definitions[k].node]);
    if (r->definitions[first].word == word)
        r->definitions[first].counts = true;
}

/* Every name in a node of a unit, and the methods that it may call. */
static void count_name(struct reach *r, uint32_t i)
{
    struct bytes name = node_text(r->ns, i);
    uint32_t s = symbol_of(r, i);

    if (!node_is(r->ns, i, NODE_IDENTIFIER))
        return;
    add_word(r, name);
    if (s != SYMBOL_NONE) {
        count_symbol(r, s, LEVEL_WHOLE);
        return;
    }
    count_definitions(r, relevant_word(name));
}

static void count_names(struct reach *r, uint32_t unit)
{
    for (uint32_t i = unit; i != NODE_NONE; i = next_of(r, unit, i))
        count_name(r, i);
}

static bool leaves(const struct nodes *ns, uint32_t i)
{
    return node_is(ns, i, NODE_RETURN) || node_is(ns, i, NODE_RAISE) ||
           node_is(ns, i, NODE_BREAK) || node_is(ns, i, NODE_CONTINUE) ||
           node_is(ns, i, NODE_YIELD) || deciding_exit(ns, i);
}

/* With a function what leaves it and who calls it; with a kernel, or a class,
 * all of it. */
static void count_definition(struct reach *r, uint32_t unit, uint32_t node)
{
    const struct nodes *ns = r->ns;
    bool all =
        node_is(ns, unit, NODE_DECORATED) || node_is(ns, node, NODE_CLASS);
    uint32_t name = node_field(ns, node, FIELD_name);
    const struct span *at;
    size_t n;

    for (uint32_t i = node; i < ns->at[node].past; i++)
        if (all || (leaves(ns, i) && node_function(ns, i) == node))
            count_unit(r, r->unit[i]);
    if (name == NODE_NONE || !node_is(ns, node_scope(ns, node), NODE_CLASS))
        return;
    at = scopes_attributes(r->scopes, node_text(ns, name), &n);
    for (size_t i = 0; i < n; i++)
        count_unit(r, r->unit[node_at(ns, at[i].start, NODE_IDENTIFIER)]);
}

/* The headers around a unit, with all clauses of them. */
static void count_around(struct reach *r, uint32_t unit)
{
    const struct nodes *ns = r->ns;
    uint32_t up = r->unit[node_parent(ns, unit)];

    count_unit(r, up);
    if (up == 0 || r->done[up] & DONE_CLAUSES)
        return;
    r->done[up] |= DONE_CLAUSES;
    for (uint32_t c = node_child(ns, up); c != NODE_NONE;
         c = node_sibling(ns, c)) {
        if (node_is_clause(ns, c))
            count_unit(r, c);
        for (uint32_t k = node_is(ns, c, NODE_BLOCK) ? node_child(ns, c)
                                                     : NODE_NONE;
             k != NODE_NONE && node_is(ns, up, NODE_MATCH);
             k = node_sibling(ns, k))
            if (node_is_clause(ns, k))
                count_unit(r, k);
    }
}

static void follow_unit(struct reach *r, uint32_t unit)
{
    uint32_t node = defined_by(r->ns, unit);

    count_around(r, unit);
    count_names(r, unit);
    if (node != NODE_NONE)
        count_definition(r, unit, node);
}

/* Whether a name is bound by imports alone. */
static bool is_module(const struct reach *r, uint32_t s)
{
    size_t n;
    const struct occurrence *o = symbol_occurrences(r->scopes, s, &n);

    for (size_t i = 0; i < n; i++)
        if (o[i].role != OCC_LOAD &&
            !is_import(r->ns, r->unit[node_of(r, &o[i])]))
            return false;
    return true;
}

/* One place where a name stands that counts. */
static void follow_occurrence(struct reach *r, uint32_t s,
                              const struct occurrence *o)
{
    uint32_t i = node_of(r, o), unit = r->unit[i];
    uint32_t value = assigned(r, unit), left;

    if (is_import(r->ns, unit)) {
        r->mark[unit] = MARK_HARD;
    } else if (value == NODE_NONE ||
               symbol_occurs(r->scopes, s, OCC_BIT(OCC_DECLARE))) {
        count_unit(r, unit);
    } else if (o->role != OCC_LOAD) {
        if (r->level[s] == LEVEL_WHOLE)
            count_unit(r, unit);
    } else if (is_alias(r->ns, value) && !(r->done[unit] & DONE_ALIASES)) {
        r->done[unit] |= DONE_ALIASES;
        left = node_named_child(r->ns, node_named_child(r->ns, unit));
        for (uint32_t k = left; k < r->ns->at[left].past; k++)
            count_symbol(r, symbol_of(r, k), LEVEL_ALIAS);
    }
}

static void follow_symbol(struct reach *r, uint32_t s)
{
    struct bytes name = symbol_name(r->scopes, s);
    size_t n;
    const struct occurrence *o = symbol_occurrences(r->scopes, s, &n);
    bool module = symbol_bound(r->scopes, s) && is_module(r, s);

    add_word(r, name);
    if (!symbol_bound(r->scopes, s))
        return;
    for (size_t i = 0; i < n; i++)
        if (!module || o[i].role != OCC_LOAD)
            follow_occurrence(r, s, &o[i]);
    if (!module)
        count_definitions(r, relevant_word(name));
}

static void follow_all(struct reach *r)
{
    while (r->units.n > 0 || r->symbols.n > 0) {
        if (r->units.n > 0)
            follow_unit(r, r->units.at[--r->units.n]);
        else
            follow_symbol(r, r->symbols.at[--r->symbols.n]);
    }
}

/* ---- where it begins ---- */

/* Whether the guard looks for this in any text. */
static bool is_sought(const struct reach *r, uint32_t i)
{
    static const char *const called[] = { "__call__", "forward", "backward" };
    const struct nodes *ns = r->ns;

    if (node_is(ns, i, NODE_ASSERT) || guard_site_at(r->guard, ns, i) ||
        (leaves(ns, i) && node_function(ns, i) == NODE_NONE))
        return true;
    if (node_is(ns, i, NODE_CALL)) {
        struct bytes name = kernel_last_name(ns, i);

        return deciding_call(ns, i) || deciding_exit(ns, i) ||
               effect_asks_of(ns, i) ||
               node_is(ns, node_field(ns, i, FIELD_function), NODE_SUBSCRIPT) ||
               text_is_one_of(name, (const char *const *)r->guard->names,
                              r->guard->nnames);
    }
    return node_is(ns, i, NODE_FUNCTION) &&
           node_is(ns, node_scope(ns, i), NODE_CLASS) &&
           text_is_one_of(kernel_last_name(ns, node_field(ns, i, FIELD_name)),
                          called, ARRAY_LEN(called));
}

/* Of `x = zeros(n)` n counts, x does not yet. */
static void count_sought(struct reach *r, uint32_t i)
{
    uint32_t unit = r->unit[i], value = assigned(r, unit);

    if (value == NODE_NONE) {
        count_unit(r, unit);
        return;
    }
    r->mark[unit] = MARK_HARD;
    count_around(r, unit);
    for (uint32_t k = value; k < r->ns->at[value].past; k++)
        count_name(r, k);
}

/* ---- what only mentions it ---- */

struct words {
    uint64_t *at;
    size_t n, room;
};

static void words_add(struct words *words, uint64_t word)
{
    xgrow(&words->at, &words->room, words->n + 1, sizeof(*words->at));
    words->at[words->n++] = word;
}

/* Whether a name belongs to a function: it is bound in one, and not its own
 * name. */
static bool is_local(const struct reach *r, uint32_t s)
{
    size_t n;
    const struct occurrence *o = symbol_occurrences(r->scopes, s, &n);

    if (symbol_occurs(r->scopes, s, OCC_BIT(OCC_DECLARE)))
        return false;
    for (size_t i = 0; i < n; i++) {
        uint32_t node = node_of(r, &o[i]), up = node_parent(r->ns, node);

        if (o[i].role != OCC_BIND)
            continue;
        if (r->ns->at[node].field == FIELD_name &&
            (node_is(r->ns, up, NODE_FUNCTION) ||
             node_is(r->ns, up, NODE_CLASS)))
            node = up;
        return node_is(r->ns, node_scope(r->ns, node), NODE_FUNCTION);
    }
    return false;
}

struct mentions {
    struct words everywhere, local; /* of names that count */
};

static bool is_mentioned(const struct mentions *m, uint64_t word, bool here)
{
    return relevant_has(m->everywhere.at, m->everywhere.n, word) ||
           (here && relevant_has(m->local.at, m->local.n, word));
}

/* Whether a name would be bound if what is around it went: torch in
 * `torch.x = 1`, `f(torch=1)`. Parents are asked before their children. */
static bool is_nearly_bound(const struct reach *r, uint32_t i)
{
    const struct nodes *ns = r->ns;

    return i != r->unit[i] &&
           (r->nearly[node_parent(ns, i)] || ns->at[i].field == FIELD_left ||
            ns->at[i].field == FIELD_alias ||
            (ns->at[i].field == FIELD_name &&
             node_is(ns, node_parent(ns, i), NODE_KEYWORD_ARGUMENT)));
}

static void find_nearly_bound(struct reach *r)
{
    r->nearly = xcalloc(r->ns->n, sizeof(*r->nearly));
    for (uint32_t i = 1; i < r->ns->n; i++)
        r->nearly[i] = is_nearly_bound(r, i);
}

/* What a unit that is not hard is. */
static enum mark mark_of(struct reach *r, const struct mentions *m,
                         uint32_t unit, bool here)
{
    uint32_t value = NODE_NONE;
    enum mark mark = MARK_NONE;

    for (uint32_t i = unit; i != NODE_NONE; i = next_of(r, unit, i)) {
        struct bytes name = node_text(r->ns, i);
        uint32_t s;

        if (!node_is(r->ns, i, NODE_IDENTIFIER))
            continue;
        if (!is_mentioned(m, relevant_word(name), here)) {
            if (relevant_says(r->out, name) && r->nearly[i])
                return MARK_SOFT;
            continue;
        }
        if (mark == MARK_NONE)
            value = assigned(r, unit);
        s = symbol_of(r, i);
        if (value == NODE_NONE || !node_holds(r->ns, value, i) ||
            s == SYMBOL_NONE || r->level[s] == LEVEL_NONE)
            return MARK_SOFT;
        mark = MARK_PASSING;
    }
    return mark;
}

static void find_mentions(struct reach *r, struct mentions *m)
{
    for (uint32_t s = 0; s < scopes_symbols(r->scopes); s++) {
        struct words *words = &m->everywhere;

        if (r->level[s] == LEVEL_NONE || !symbol_bound(r->scopes, s) ||
            is_module(r, s))
            continue;
        if (is_local(r, s))
            words = &m->local;
        words_add(words, relevant_word(symbol_name(r->scopes, s)));
    }
    relevant_sort(m->everywhere.at, m->everywhere.n);
    relevant_sort(m->local.at, m->local.n);
}

static void mark_mentions(struct reach *r)
{
    struct mentions m = { 0 };
    bool *hard = xcalloc(r->ns->n, sizeof(*hard));
    uint32_t top = 0;

    find_mentions(r, &m);
    find_nearly_bound(r);
    for (uint32_t i = 1; i < r->ns->n; i++) {
        if (node_parent(r->ns, i) == 0)
            top = i;
        if (r->mark[i] == MARK_HARD)
            hard[top] = true;
    }
    for (uint32_t i = 1; i < r->ns->n; i++) {
        if (node_parent(r->ns, i) == 0)
            top = i;
        if (r->unit[i] == i && r->mark[i] != MARK_HARD && !is_import(r->ns, i))
            r->mark[i] = (uint8_t)mark_of(r, &m, i, hard[top]);
    }
    free(hard);
    free(m.everywhere.at);
    free(m.local.at);
}

/* ---- all of it ---- */

static void add_span(struct relevant_spans *spans, struct span at)
{
    xgrow(&spans->at, &spans->room, spans->n + 1, sizeof(*spans->at));
    spans->at[spans->n++] = at;
}

static void take_marks(struct reach *r)
{
    for (uint32_t i = 1; i < r->ns->n; i++) {
        if (r->mark[i] == MARK_HARD)
            add_span(&r->out->hard, span_of(r, i));
        else if (r->mark[i] == MARK_SOFT)
            add_span(&r->out->soft, span_of(r, i));
        else if (r->mark[i] == MARK_PASSING)
            add_span(&r->out->passing, span_of(r, i));
    }
}

void relevant_init(struct relevant *relevant, const struct guard *guard,
                   const struct tree *tree)
{
    struct reach r = { .guard = guard,
                       .ns = tree_nodes(tree),
                       .scopes = scopes_new(tree),
                       .out = relevant };

    *relevant = (struct relevant){ .all = !guard_holds(guard, tree) };
    r.mark = xcalloc(r.ns->n, sizeof(*r.mark));
    r.done = xcalloc(r.ns->n, sizeof(*r.done));
    r.assigned = xcalloc(r.ns->n, sizeof(*r.assigned));
    r.level = xcalloc(scopes_symbols(r.scopes) + (size_t)1, sizeof(*r.level));
    find_units(&r);
    find_definitions(&r);
    for (uint32_t i = 1; i < r.ns->n && !relevant->all; i++)
        if (is_sought(&r, i))
            count_sought(&r, i);
    follow_all(&r);
    relevant_sort(relevant->words, relevant->nwords);
    mark_mentions(&r);
    take_marks(&r);
    scopes_free(r.scopes);
    free(r.unit);
    free(r.nearly);
    free(r.assigned);
    free(r.done);
    free(r.mark);
    free(r.level);
    free(r.units.at);
    free(r.symbols.at);
    free(r.definitions);
}
