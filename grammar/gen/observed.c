/* Literals in the place of expressions that came to them in a traced run.
 *
 * The spans are byte ranges of the text; one counts where it is exactly an
 * expression, which it may not be any more after commits around it. What does
 * not get smaller is dropped by the draft.
 *
 * And a variable goes with all that is assigned to it where each of its uses
 * has one value: the loop that adds up `n` is not needed for `f(511)`. What is
 * called by the name of a function of the script's, or a class, is also offered
 * without the decorators of that, which may have put it in the table that it
 * was taken from:
 *
 *     @known("f")
 *     def f(a): b         ->    def f(a): b
 *     table["f"](1)             f(1)
 */
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "grammar/gen/draft.h"
#include "grammar/gen/names.h"
#include "grammar/observed.h"
#include "grammar/scope.h"

void gen_observed(struct gen *g);

/* Whether number `i` always had the value that its text says. */
static bool is_value(const struct observed *o, size_t i)
{
    return *o->texts[i] && !o->turns[i] && !o->stands[i];
}

/* Whether its value is of no use: a statement by itself. */
static bool is_alone(const struct nodes *ns, uint32_t node)
{
    return node_is(ns, node_parent(ns, node), NODE_EXPRESSION_STATEMENT);
}

/* ---- variables ---- */

/* Work is done for each use; past this many, none is. */
#define USES_MAX 32

/* The statement that does nothing but to give this name a value, or
 * NODE_NONE. */
static uint32_t giving(const struct nodes *ns, uint32_t identifier)
{
    uint32_t node = node_parent(ns, identifier), statement;

    if (ns->at[identifier].field != FIELD_left ||
        (!node_is(ns, node, NODE_ASSIGNMENT) &&
         !node_is(ns, node, NODE_AUGMENTED_ASSIGNMENT)))
        return NODE_NONE;
    statement = node_parent(ns, node);
    return node_is(ns, statement, NODE_EXPRESSION_STATEMENT) ? statement
                                                             : NODE_NONE;
}

/* What the node has come to, or NULL. */
static const char *text_of(const struct draft *d, const char *const *texts,
                           uint32_t node)
{
    return node != NODE_NONE && is_expression(d->ns, node) ? texts[node] : NULL;
}

/* Drop what gives the symbol a value; false when something else does, or when
 * only one statement does. */
static bool drop_givings(struct draft *d, const struct occurrence *at, size_t n,
                         struct span *dropped)
{
    size_t givings = 0;

    for (size_t i = 0; i < n; i++) {
        uint32_t node, statement;

        if (at[i].role == OCC_LOAD)
            continue;
        if (at[i].role != OCC_BIND && at[i].role != OCC_AUGMENT)
            return false;
        node = node_at(d->ns, at[i].at.start, NODE_IDENTIFIER);
        statement = node == NODE_NONE ? node : giving(d->ns, node);
        if (statement == NODE_NONE)
            return false;
        dropped[givings++] = node_span(d->ns, statement);
        draft_drop_statement(d, statement);
    }
    dropped[givings] = (struct span){ UINT32_MAX, UINT32_MAX };
    return givings > 1; /* one alone moves to where it is used: inline.c */
}

static void variable(struct draft *d, const char *const *texts, uint32_t symbol)
{
    const struct occurrence *at;
    struct span dropped[USES_MAX + 1];
    size_t n, loads = 0, next = 0;

    at = symbol_occurrences(d->g->scopes, symbol, &n);
    if (n > USES_MAX)
        return;
    draft_begin(d, at[0].at);
    if (!drop_givings(d, at, n, dropped))
        return;
    for (size_t i = 0; i < n; i++) {
        uint32_t node = node_at(d->ns, at[i].at.start, NODE_IDENTIFIER);
        const char *text = text_of(d, texts, node);

        while (dropped[next].end <= at[i].at.start)
            next++;
        if (span_holds(dropped[next], at[i].at))
            continue;
        if (!text)
            return;
        draft_put_literal(d, node, text);
        loads++;
    }
    if (loads > 0)
        draft_end(d);
}

/* Each variable whose first use was observed. */
static void variables(struct draft *d)
{
    const struct observed *o = d->g->observed;
    const struct scopes *scopes = d->g->scopes;
    uint32_t nsymbols = scopes_symbols(scopes);
    const char **texts = xcalloc((size_t)d->ns->n + 1, sizeof(*texts));
    bool *seen = xcalloc((size_t)nsymbols + 1, sizeof(*seen));

    for (size_t i = 0; i < o->n; i++) {
        uint32_t node = node_at(d->ns, o->at[i].start, NODE_IDENTIFIER);

        if (!is_value(o, i) || node == NODE_NONE ||
            node_span(d->ns, node).end != o->at[i].end)
            continue;
        texts[node] = o->texts[i];
    }
    for (uint32_t i = 0; i < d->ns->n; i++) {
        uint32_t symbol;

        if (!texts[i])
            continue;
        symbol = scopes_symbol_at(scopes, node_span(d->ns, i).start);
        if (symbol == SYMBOL_NONE || seen[symbol])
            continue;
        seen[symbol] = true;
        variable(d, texts, symbol);
    }
    free(texts);
    free(seen);
}

/* The decorated definition of a name in the script; NODE_NONE: it has none. */
static uint32_t decorated_as(const struct gen *g, const char *text)
{
    uint32_t symbol = names_lookup(g->names, 0, bytes_of(text, strlen(text)));
    const struct occurrence *at;
    uint32_t node;
    size_t n;

    if (symbol == SYMBOL_NONE)
        return NODE_NONE;
    at = symbol_occurrences(g->scopes, symbol, &n);
    for (size_t i = 0; i < n; i++) {
        if (at[i].role != OCC_BIND)
            continue;
        node = names_node(g->names, at[i].at);
        node = node == NODE_NONE ? node : node_parent(g->nodes, node);
        if ((node_is(g->nodes, node, NODE_FUNCTION) ||
             node_is(g->nodes, node, NODE_CLASS)) &&
            node_is(g->nodes, node_parent(g->nodes, node), NODE_DECORATED))
            return node;
    }
    return NODE_NONE;
}

static void without_decorators(struct draft *d, uint32_t node, const char *text)
{
    const struct nodes *ns = d->ns;
    uint32_t definition = decorated_as(d->g, text);

    if (definition == NODE_NONE)
        return;
    draft_begin(d, node_span(ns, node));
    draft_put_literal(d, node, text);
    draft_delete(
        d, (struct span){ node_span(ns, node_parent(ns, definition)).start,
                          node_span(ns, definition).start });
    draft_end(d);
}

void gen_observed(struct gen *g)
{
    const struct observed *o = g->observed;
    struct draft d;
    uint32_t edit, done = 0; /* the outermost ones are sure */

    draft_init(&d, g, EDIT_observed);
    for (size_t i = 0; o && i < o->n; i++) {
        uint32_t node = expression_at(g->nodes, o->at[i]);

        if (!is_value(o, i) || node == NODE_NONE ||
            is_literal(g->nodes, node) || is_alone(g->nodes, node))
            continue;
        draft_begin(&d, o->at[i]);
        draft_put_literal(&d, node, o->texts[i]);
        edit = draft_end(&d);
        without_decorators(&d, node, o->texts[i]);
        if (edit == EDIT_NONE)
            continue;
        g->out->items[edit].sure = o->at[i].start >= done;
        if (g->out->items[edit].sure)
            done = o->at[i].end;
    }
    if (o && o->n > 0)
        variables(&d);
    draft_deinit(&d);
}
