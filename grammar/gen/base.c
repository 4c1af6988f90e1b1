/* A class and its base become one where one of them is of no use by itself.
 *
 *     class A(B): pass                      class B:
 *     A(1)               ->   B(1)              b = 1        class A(Z):
 *                                           class A(B):  ->      b = 1
 *                                               a = 2            a = 2
 *
 * What adds nothing to its only base is that base, wherever it is named, if
 * the base's name means the same there. And a base that nothing else names
 * goes into its only subclass, in front of what that has itself, which wins as
 * before; `super()` finds nobody then, and the run tells. */
#include "grammar/gen/draft.h"

#include <string.h>

#include "config/buf.h"
#include "grammar/gen/move.h"
#include "grammar/gen/names.h"
#include "grammar/scope.h"

void gen_base(struct gen *g);

/* Work is done for each use; past this many, none is. */
#define USES_MAX 32

/* The longest body that moves. */
#define BODY_MAX 65536

/* The only base of a class, a name, where no keyword is with it; NODE_NONE. */
static uint32_t only_base(const struct nodes *ns, uint32_t class)
{
    uint32_t bases = node_field(ns, class, FIELD_superclasses), base;

    if (bases == NODE_NONE || count_named(ns, bases) != 1)
        return NODE_NONE;
    base = node_named_child(ns, bases);
    return node_is(ns, base, NODE_IDENTIFIER) ? base : NODE_NONE;
}

/* Whether the class has nothing but `pass`, `...` and strings. */
static bool adds_nothing(const struct nodes *ns, uint32_t class)
{
    uint32_t body = node_field(ns, class, FIELD_body);

    for (uint32_t c = node_named_child(ns, body); c != NODE_NONE;
         c = node_named_sibling(ns, c))
        if (!node_is(ns, c, NODE_PASS) &&
            !(node_is(ns, c, NODE_EXPRESSION_STATEMENT) &&
              is_literal(ns, node_named_child(ns, c))))
            return false;
    return true;
}

/* Its base for a class that adds nothing. */
static void offer_base(struct draft *d, uint32_t class, uint32_t base)
{
    const struct nodes *ns = d->ns;
    const struct names *names = d->g->names;
    uint32_t name = node_field(ns, class, FIELD_name);
    struct bytes text = node_text(ns, base);
    uint32_t meant = names_lookup(names, names->scope_of[class], text);
    const struct occurrence *at;
    size_t n;

    at = symbol_occurrences(d->g->scopes, names_symbol(names, name), &n);
    if (n > USES_MAX)
        return;
    draft_begin(d, node_span(ns, class));
    for (size_t i = 0; i < n; i++) {
        uint32_t use = names_node(names, at[i].at);

        if (use == name)
            continue;
        if (use == NODE_NONE || at[i].role != OCC_LOAD ||
            names_lookup(names, names->scope_of[use], text) != meant)
            return;
        draft_replace(d, at[i].at, text.data, text.len);
    }
    draft_drop_statement(d, class);
    draft_end(d);
}

/* The class of this name that only `base` names, and that stands beside the
 * other; NODE_NONE. */
static uint32_t used_as_base(const struct draft *d, uint32_t base,
                             uint32_t class)
{
    const struct nodes *ns = d->ns;
    const struct occurrence *at;
    uint32_t symbol = names_symbol(d->g->names, base), name, other;
    size_t n;

    if (symbol == SYMBOL_NONE)
        return NODE_NONE;
    at = symbol_occurrences(d->g->scopes, symbol, &n);
    if (n != 2 || at[0].role != OCC_BIND ||
        at[1].at.start != node_span(ns, base).start)
        return NODE_NONE;
    name = names_node(d->g->names, at[0].at);
    other = name == NODE_NONE ? name : node_parent(ns, name);
    return node_is(ns, other, NODE_CLASS) &&
                   node_parent(ns, other) == node_parent(ns, class)
               ? other
               : NODE_NONE;
}

/* The text of a body's statements, and what stands between them and the start
 * of their line; false: they stand on the line of the header. */
static bool read_body(const struct nodes *ns, uint32_t class, struct span *body,
                      struct span *indent)
{
    uint32_t node = node_field(ns, class, FIELD_body);
    uint32_t first = node_named_child(ns, node);

    if (first == NODE_NONE)
        return false;
    *body =
        (struct span){ node_span(ns, first).start, node_span(ns, class).end };
    *indent = statement_indent(ns, first);
    return span_len(*indent) > 0;
}

/* The body of a base in front of that of its only subclass. */
static void offer_merged(struct draft *d, uint32_t class, uint32_t other)
{
    const struct nodes *ns = d->ns;
    uint32_t bases = node_field(ns, other, FIELD_superclasses);
    struct span from, to, indent, there;
    struct bytes list =
        bases == NODE_NONE ? bytes_of("", 0) : node_text(ns, bases);
    const char *text = d->g->text.data;
    struct buf body;
    char *taken;
    size_t len;

    if (!read_body(ns, other, &from, &indent) ||
        !read_body(ns, class, &to, &there) ||
        span_len(indent) != span_len(there) ||
        memcmp(text + indent.start, text + there.start, span_len(indent)) != 0)
        return;
    draft_begin(d, (struct span){ node_span(ns, other).start,
                                  node_span(ns, class).end });
    buf_init(&body, BODY_MAX);
    buf_add(&body, text + from.start, span_len(from));
    buf_adds(&body, newline_of(ns->text));
    buf_add(&body, text + indent.start, span_len(indent));
    taken = body.full ? NULL : buf_take(&body, &len);
    if (taken) {
        draft_drop_statement(d, other);
        draft_replace(d,
                      node_span(ns, node_field(ns, class, FIELD_superclasses)),
                      list.data, list.len);
        draft_replace_taken(d, (struct span){ to.start, to.start }, taken, len);
        draft_end(d);
    }
    buf_deinit(&body);
}

void gen_base(struct gen *g)
{
    const struct nodes *ns = g->nodes;
    struct draft d;

    draft_init(&d, g, EDIT_base);
    for (uint32_t i = 0; i < ns->n; i++) {
        uint32_t base, other;

        if (!node_is(ns, i, NODE_CLASS) ||
            node_is(ns, node_parent(ns, i), NODE_DECORATED))
            continue;
        base = only_base(ns, i);
        if (base == NODE_NONE)
            continue;
        if (adds_nothing(ns, i))
            offer_base(&d, i, base);
        other = used_as_base(&d, base, i);
        if (other != NODE_NONE)
            offer_merged(&d, i, other);
    }
    draft_deinit(&d);
}
