/* Of several targets the one that is used.
 *
 *     a, b = f(x)           ->  b = f(x)[1]
 *     a, *b, c = d          ->  b = d[1:-1],  c = d[-1]
 *
 * for a value that is not written out: where each target has a value of its
 * own, `a, b = c, d`, inline and element take them apart. And of a statement
 * that is an expression what it binds, for inline to go on with:
 *
 *     not (a := f(x))       ->  a = f(x)
 */
#include "grammar/gen/draft.h"
#include "grammar/gen/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"

void gen_split(struct gen *g);

/* Work is done for each target; past this many it is no unpacking. */
#define TARGETS_MAX 32

/* No statement is looked for further out. */
#define DEPTH_MAX 32

struct targets {
    uint32_t at[TARGETS_MAX];
    size_t n, used; /* which one; n: none or several */
    size_t star;    /* which one is starred; n: none */
};

/* The name that a target binds, or NODE_NONE. */
static uint32_t name_of(const struct nodes *ns, uint32_t target)
{
    if (node_is(ns, target, NODE_LIST_SPLAT_PATTERN) ||
        node_is(ns, target, NODE_LIST_SPLAT))
        target = node_named_child(ns, target);
    return node_is(ns, target, NODE_IDENTIFIER) ? target : NODE_NONE;
}

/* False when a target is no plain name, or there are too many. */
static bool read_targets(const struct names *names, uint32_t series,
                         struct targets *out)
{
    const struct nodes *ns = names->ns;
    size_t used = 0;

    out->n = 0;
    out->star = out->used = TARGETS_MAX;
    for (uint32_t c = node_named_child(ns, series); c != NODE_NONE;
         c = node_named_sibling(ns, c)) {
        if (out->n == TARGETS_MAX || name_of(ns, c) == NODE_NONE)
            return false;
        if (!node_is(ns, c, NODE_IDENTIFIER))
            out->star = out->n;
        if (symbol_occurs(names->scopes, names_symbol(names, name_of(ns, c)),
                          OCC_READ)) {
            out->used = out->n;
            used++;
        }
        out->at[out->n++] = c;
    }
    return used == 1 && out->n > 1;
}

/* Where the used one is in the value, as a subscript. */
static char *index_of(const struct targets *t)
{
    size_t behind = t->n - 1 - t->used;

    if (t->used < t->star)
        return xasprintf("[%zu]", t->used);
    if (t->used > t->star)
        return xasprintf("[-%zu]", behind + 1);
    return behind ? xasprintf("[%zu:-%zu]", t->used, behind)
                  : xasprintf("[%zu:]", t->used);
}

/* What a subscript can follow as it is. */
static bool is_primary(const struct nodes *ns, uint32_t value)
{
    switch (node_kind(ns, value)) {
    case NODE_IDENTIFIER:
    case NODE_ATTRIBUTE:
    case NODE_CALL:
    case NODE_SUBSCRIPT:
    case NODE_PARENTHESIZED:
        return true;
    default:
        return false;
    }
}

static void split(struct draft *d, const struct names *names, uint32_t node)
{
    const struct nodes *ns = d->ns;
    uint32_t left = node_field(ns, node, FIELD_left);
    uint32_t right = node_field(ns, node, FIELD_right);
    struct targets targets;
    struct span all, name, value;
    char *index;
    size_t len;

    if (left == NODE_NONE || right == NODE_NONE || !is_targets(ns, left) ||
        !node_is(ns, node_parent(ns, node), NODE_EXPRESSION_STATEMENT) ||
        node_is(ns, right, NODE_EXPRESSION_LIST) ||
        node_is(ns, right, NODE_TUPLE) || node_is(ns, right, NODE_LIST) ||
        !is_expression(ns, right) || !read_targets(names, left, &targets))
        return;
    all = node_span(ns, left);
    name = node_span(ns, name_of(ns, targets.at[targets.used]));
    value = node_span(ns, right);
    index = index_of(&targets);
    len = strlen(index);
    draft_begin(d, node_span(ns, node));
    draft_delete(d, (struct span){ all.start, name.start });
    draft_delete(d, (struct span){ name.end, all.end });
    if (is_primary(ns, right)) {
        draft_replace_taken(d, (struct span){ value.end, value.end }, index,
                            len);
    } else {
        draft_replaces(d, (struct span){ value.start, value.start }, "(");
        draft_replace_taken(d, (struct span){ value.end, value.end },
                            xasprintf(")%s", index), len + 1);
        free(index);
    }
    draft_end(d);
}

/* The statement that is an expression around a node, and that the node is
 * computed in once; NODE_NONE: another. */
static uint32_t statement_around(const struct nodes *ns, uint32_t node)
{
    for (int i = 0; i < DEPTH_MAX; i++) {
        node = node_parent(ns, node);
        if (node == NODE_NONE || node_is(ns, node, NODE_LAMBDA) ||
            node_is(ns, node, NODE_FOR_IN_CLAUSE) ||
            node_child_of(ns, node, NODE_FOR_IN_CLAUSE) != NODE_NONE)
            return NODE_NONE;
        if (node_is_statement(ns, node))
            return node_is(ns, node, NODE_EXPRESSION_STATEMENT) ? node
                                                                : NODE_NONE;
    }
    return NODE_NONE;
}

static void assign(struct draft *d, uint32_t named)
{
    const struct nodes *ns = d->ns;
    uint32_t statement = statement_around(ns, named);
    uint32_t name = node_field(ns, named, FIELD_name);
    uint32_t value = node_field(ns, named, FIELD_value);
    struct span all, from, to;
    bool brackets;

    if (statement == NODE_NONE || name == NODE_NONE || value == NODE_NONE)
        return;
    all = node_span(ns, statement);
    from = node_span(ns, name);
    to = node_span(ns, value);
    brackets = needs_brackets(ns, node_named_child(ns, statement), value);
    draft_begin(d, all);
    draft_delete(d, (struct span){ all.start, from.start });
    draft_replaces(d, (struct span){ from.end, to.start },
                   brackets ? " = (" : " = ");
    draft_replaces(d, (struct span){ to.end, all.end }, brackets ? ")" : "");
    draft_end(d);
}

void gen_split(struct gen *g)
{
    const struct names *names = g->names;
    struct draft d;

    draft_init(&d, g, EDIT_split);
    for (uint32_t i = 0; i < d.ns->n; i++)
        if (node_is(d.ns, i, NODE_ASSIGNMENT))
            split(&d, names, i);
        else if (node_is(d.ns, i, NODE_NAMED_EXPRESSION))
            assign(&d, i);
    draft_deinit(&d);
}
