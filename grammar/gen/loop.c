/* A loop over a few elements is written out.
 *
 *     for a, b in [(x, 1), (y, 2)]:   f(x, 1)      for i in range(2):   g()
 *         f(a, b)                     f(y, 2)          g()              g()
 *
 * A name of the target that the loop alone binds and nothing behind it reads
 * gives way to its part of the element, where that costs nothing to repeat and
 * means the same; else each copy begins with `target = element`. Left alone:
 * loops with an `else`, `async` ones, and those that a break or continue of
 * their own leaves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "grammar/gen/move.h"

void gen_loop(struct gen *g);

/* More copies are seldom needed, and each of them is to be reduced. */
#define COPIES_MAX 4

/* Names of one target; more are seldom unpacked. */
#define NAMES_MAX 16

struct loop {
    struct move m; /* first: see rewrite() */
    uint32_t statement, target, body;
    uint32_t elements[COPIES_MAX]; /* none: numbers from `start` on */
    unsigned n;
    long start;
    uint32_t counter; /* the symbol that a number stands for, or SYMBOL_NONE */
    char number[24];
};

/* The number in the place of the counter. */
static struct bytes rewrite(const struct move *m, uint32_t node)
{
    const struct loop *l = (const struct loop *)m;

    if (l->counter == SYMBOL_NONE || !node_is(m->ns, node, NODE_IDENTIFIER) ||
        names_symbol(m->names, node) != l->counter)
        return bytes_of(NULL, 0);
    return bytes_of(l->number, strlen(l->number));
}

/* Whether a break or continue in the body is the loop's own. */
static bool is_left(const struct nodes *ns, uint32_t loop)
{
    for (uint32_t i = loop; i < ns->at[loop].past; i++) {
        uint32_t up = i;

        if (!node_is(ns, i, NODE_BREAK) && !node_is(ns, i, NODE_CONTINUE))
            continue;
        while (up == i ||
               (!node_is(ns, up, NODE_FOR) && !node_is(ns, up, NODE_WHILE)))
            up = node_parent(ns, up);
        if (up == loop)
            return true;
    }
    return false;
}

static bool read_display(struct loop *l, uint32_t display)
{
    const struct nodes *ns = l->m.ns;

    for (uint32_t c = node_named_child(ns, display); c != NODE_NONE;
         c = node_named_sibling(ns, c)) {
        if (l->n == COPIES_MAX || !is_expression(ns, c) ||
            node_is(ns, c, NODE_LIST_SPLAT) ||
            node_is(ns, c, NODE_NAMED_EXPRESSION))
            return false;
        l->elements[l->n++] = c;
    }
    return l->n > 0;
}

/* A plain number of few digits; -1: it is none. */
static long number_of(const struct nodes *ns, uint32_t node)
{
    struct bytes text = node_text(ns, node);
    long number = 0;

    if (!node_is(ns, node, NODE_INTEGER) || text.len > 6)
        return -1;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return -1;
        number = number * 10 + text.data[i] - '0';
    }
    return number;
}

/* range(n), range(a, b) with the numbers written there. */
static bool read_range(struct loop *l, uint32_t call)
{
    const struct nodes *ns = l->m.ns;
    uint32_t function = node_field(ns, call, FIELD_function);
    uint32_t arguments = node_field(ns, call, FIELD_arguments), first, second;
    long from = 0, to;

    if (!node_is(ns, function, NODE_IDENTIFIER) ||
        !node_text_is(ns, function, "range") || arguments == NODE_NONE ||
        symbol_bound(l->m.names->scopes, names_symbol(l->m.names, function)))
        return false;
    first = node_named_child(ns, arguments);
    if (first == NODE_NONE)
        return false;
    second = node_named_sibling(ns, first);
    to = number_of(ns, first);
    if (second != NODE_NONE) {
        from = to;
        to = number_of(ns, second);
        if (node_named_sibling(ns, second) != NODE_NONE)
            return false;
    }
    if (from < 0 || to <= from || to - from > COPIES_MAX)
        return false;
    l->start = from;
    l->n = (unsigned)(to - from);
    return true;
}

static bool read_loop(struct loop *l)
{
    const struct nodes *ns = l->m.ns;
    uint32_t over = node_field(ns, l->statement, FIELD_right);

    l->target = node_field(ns, l->statement, FIELD_left);
    l->body = node_field(ns, l->statement, FIELD_body);
    if (l->target == NODE_NONE || over == NODE_NONE || l->body == NODE_NONE ||
        node_named_child(ns, l->body) == NODE_NONE ||
        node_child_of(ns, l->statement, NODE_ELSE) != NODE_NONE ||
        node_child_of(ns, l->statement, NODE_KW_ASYNC) != NODE_NONE ||
        !starts_line(ns, l->statement) || is_left(ns, l->statement))
        return false;
    switch (node_kind(ns, over)) {
    case NODE_LIST:
    case NODE_TUPLE:
    case NODE_EXPRESSION_LIST:
        return read_display(l, over);
    case NODE_CALL:
        return read_range(l, over);
    default:
        return false;
    }
}

/* Whether all that reads the name is in the body, and what stands for it can
 * stand there; `value`: NODE_NONE for a number. */
static bool can_stand(const struct loop *l, uint32_t symbol, uint32_t value)
{
    const struct names *names = l->m.names;
    const struct nodes *ns = l->m.ns;
    const struct occurrence *at;
    size_t n, loads;

    if (symbol == SYMBOL_NONE || names_writes(names, symbol, &loads) != 1)
        return false;
    if (loads > 1 && value != NODE_NONE && !is_literal(ns, value) &&
        !is_dotted(ns, value))
        return false;
    at = symbol_occurrences(names->scopes, symbol, &n);
    for (size_t i = 0; i < n; i++) {
        uint32_t use = names_node(names, at[i].at);

        if (at[i].role == OCC_BIND)
            continue;
        if (use == NODE_NONE || !is_expression(ns, use) ||
            !node_holds(ns, l->body, use) ||
            (node_is(ns, node_parent(ns, use), NODE_ATTRIBUTE) &&
             (value == NODE_NONE || node_is(ns, value, NODE_INTEGER))))
            return false;
        if (value != NODE_NONE &&
            (!names_fit_string(ns, node_text(ns, value), use) ||
             !names_mean_same(names, value, names->scope_of[use])))
            return false;
    }
    return true;
}

static bool stand(struct loop *l, uint32_t name, uint32_t value)
{
    uint32_t symbol = names_symbol(l->m.names, name);

    if (!node_is(l->m.ns, name, NODE_IDENTIFIER) || l->m.n == NAMES_MAX ||
        !can_stand(l, symbol, value))
        return false;
    l->m.passed[l->m.n++] =
        (struct passed){ symbol, name, value, NODE_NONE, true };
    return true;
}

/* The parts of an element for the names of the target. */
static bool stand_for_all(struct loop *l, uint32_t element)
{
    const struct nodes *ns = l->m.ns;
    uint32_t name, part;

    l->m.n = 0;
    if (!is_targets(ns, l->target))
        return stand(l, l->target, element);
    if (!node_is(ns, element, NODE_TUPLE) && !node_is(ns, element, NODE_LIST))
        return false;
    name = node_named_child(ns, l->target);
    part = node_named_child(ns, element);
    while (name != NODE_NONE && part != NODE_NONE) {
        if (!is_expression(ns, part) || node_is(ns, part, NODE_LIST_SPLAT) ||
            !stand(l, name, part))
            return false;
        name = node_named_sibling(ns, name);
        part = node_named_sibling(ns, part);
    }
    return name == NODE_NONE && part == NODE_NONE;
}

/* Whether any name of the target is read, wherever that is. */
static bool is_read(const struct loop *l)
{
    const struct nodes *ns = l->m.ns;

    for (uint32_t i = l->target; i < ns->at[l->target].past; i++) {
        uint32_t symbol;
        size_t loads;

        if (node_is(ns, i, NODE_ATTRIBUTE) || node_is(ns, i, NODE_SUBSCRIPT))
            return true;
        if (!node_is(ns, i, NODE_IDENTIFIER))
            continue;
        symbol = names_symbol(l->m.names, i);
        if (symbol == SYMBOL_NONE ||
            names_writes(l->m.names, symbol, &loads) != 1 || loads > 0)
            return true;
    }
    return false;
}

/* target = element */
static void add_assignment(struct loop *l, uint32_t element, struct span indent)
{
    struct move *m = &l->m;
    bool open = false;

    move_add_line(m, indent);
    move_add_span(m, node_span(m->ns, l->target));
    buf_adds(&m->out, " = ");
    if (element == NODE_NONE) {
        buf_adds(&m->out, l->number);
        return;
    }
    open = memchr(node_text(m->ns, element).data, '\n',
                  node_text(m->ns, element).len) != NULL;
    buf_adds(&m->out, open ? "(" : "");
    move_add_span(m, node_span(m->ns, element));
    buf_adds(&m->out, open ? ")" : "");
}

static void add_body(struct loop *l, struct span indent)
{
    const struct nodes *ns = l->m.ns;
    uint32_t first = node_named_child(ns, l->body);
    struct span own = { 0, 0 }, all = node_span(ns, first);

    all.end = node_span(ns, last_named_child(ns, l->body)).end;
    if (starts_line(ns, first))
        own = statement_indent(ns, first);
    move_add_line(&l->m, indent);
    move_add_nodes(&l->m, all, first, ns->at[l->body].past, own, indent);
}

/* One round of the loop: element number `i`. */
static void add_copy(struct loop *l, unsigned i, struct span indent)
{
    uint32_t element = l->start < 0 ? l->elements[i] : NODE_NONE;
    bool stands;

    l->counter = SYMBOL_NONE;
    l->m.n = 0;
    if (element == NODE_NONE) {
        uint32_t symbol = SYMBOL_NONE;

        snprintf(l->number, sizeof(l->number), "%ld", l->start + (long)i);
        if (node_is(l->m.ns, l->target, NODE_IDENTIFIER))
            symbol = names_symbol(l->m.names, l->target);
        stands = can_stand(l, symbol, NODE_NONE);
        l->counter = stands ? symbol : SYMBOL_NONE;
    } else {
        stands = stand_for_all(l, element);
    }
    if (!stands)
        l->m.n = 0;
    if (!stands && is_read(l))
        add_assignment(l, element, indent);
    add_body(l, indent);
}

static void loop(struct draft *d, const struct names *names, uint32_t statement)
{
    struct loop l = { .statement = statement, .start = -1 };

    move_open(&l.m, d, names);
    l.m.rewrite = rewrite;
    l.m.passed = xcalloc(NAMES_MAX, sizeof(*l.m.passed));
    if (read_loop(&l)) {
        char *text;
        size_t len;

        draft_begin(d, node_span(d->ns, statement));
        for (unsigned i = 0; i < l.n; i++)
            add_copy(&l, i, statement_indent(d->ns, statement));
        text = move_take(&l.m, &len);
        if (text) {
            draft_replace_taken(d, node_span(d->ns, statement), text, len);
            draft_end(d);
        }
    }
    move_deinit(&l.m);
}

void gen_loop(struct gen *g)
{
    const struct names *names = g->names;
    struct draft d;

    draft_init(&d, g, EDIT_loop);
    for (uint32_t i = 0; i < d.ns->n; i++)
        if (node_is(d.ns, i, NODE_FOR))
            loop(&d, names, i);
    draft_deinit(&d);
}
