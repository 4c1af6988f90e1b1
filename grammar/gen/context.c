/* The generator behind a `with` in its place.
 *
 *     @contextmanager
 *     def held(lock):                  lock = make()
 *         lock.acquire()               lock.acquire()
 *         try:                  ->     try:
 *             yield lock                   x = lock
 *         finally:                         f(x)
 *             lock.release()           finally:
 *     with held(make()) as x:              lock.release()
 *         f(x)
 *
 * All statements that enter it go; the body of each stands where the generator
 * yields, and what is yielded is assigned where the statement asks for it. The
 * rules for parameters and names are those of a function's body that moves
 * (move.h). Of several items of a statement it must be the first: the others
 * stay a `with` of their own. */
#include <stdlib.h>
#include <string.h>

#include "grammar/gen/move.h"

void gen_context(struct gen *g);

/* More copies are seldom needed, and each of them is to be reduced. */
#define SITES_MAX 3

/* A statement that enters the generator. */
struct entry {
    uint32_t statement, clause, item, target; /* target: or NODE_NONE */
    uint32_t body, first;
};

static bool is_manager(const struct nodes *ns, uint32_t statement)
{
    return count_named(ns, statement) == 2 &&
           (has_decorator(ns, statement, "contextmanager") ||
            has_decorator(ns, statement, "contextlib.contextmanager"));
}

static uint32_t out_of_brackets(const struct nodes *ns, uint32_t node)
{
    while (node_is(ns, node_parent(ns, node), NODE_PARENTHESIZED))
        node = node_parent(ns, node);
    return node;
}

/* From the call up to the `with`; false: it stands elsewhere. */
static bool read_entry(const struct nodes *ns, uint32_t call, struct entry *e)
{
    uint32_t node = out_of_brackets(ns, call), parent = node_parent(ns, node);

    e->target = NODE_NONE;
    if (node_is(ns, parent, NODE_AS_PATTERN)) {
        e->target = node_field(ns, parent, FIELD_alias);
        if (e->target == NODE_NONE || node_named_child(ns, parent) != node)
            return false;
        node = out_of_brackets(ns, parent);
    }
    node = node_parent(ns, node);
    e->item = node;
    e->clause = node_parent(ns, node);
    if (!node_is(ns, node, NODE_WITH_ITEM) ||
        !node_is(ns, e->clause, NODE_WITH_CLAUSE) ||
        node_named_child(ns, e->clause) != node)
        return false;
    e->statement = node_parent(ns, e->clause);
    if (!node_is(ns, e->statement, NODE_WITH) ||
        node_child_of(ns, e->statement, NODE_KW_ASYNC) != NODE_NONE ||
        !starts_line(ns, e->statement))
        return false;
    e->body = node_field(ns, e->statement, FIELD_body);
    if (e->body == NODE_NONE)
        return false;
    e->first = node_named_child(ns, e->body);
    return e->first != NODE_NONE;
}

/* Whether both are deeper than the other by the same blanks. */
static bool is_as_deep(const struct nodes *ns, struct span inner,
                       struct span outer, struct span inner2,
                       struct span outer2)
{
    const char *text = ns->text.data;
    uint32_t n = span_len(inner) - span_len(outer);

    return span_len(inner) > span_len(outer) &&
           span_len(inner2) == span_len(outer2) + n &&
           memcmp(text + inner.end - n, text + inner2.end - n, n) == 0;
}

/* The statement whose block holds the yield. */
static uint32_t owner_of(const struct nodes *ns, uint32_t yield)
{
    uint32_t node = node_parent(ns, node_parent(ns, yield));

    return node_is_clause(ns, node) ? node_parent(ns, node) : node;
}

/* Whether a block of `owner` may be as deep as `inner` is in `outer`, once
 * `own` has become `outer`. */
static bool is_deeper(const struct nodes *ns, struct span owner,
                      struct span own, struct span inner, struct span outer)
{
    const char *text = ns->text.data;
    uint32_t n = span_len(owner) - span_len(own);

    return span_len(owner) >= span_len(own) &&
           span_len(inner) > span_len(outer) + n &&
           memcmp(text + owner.end - n, text + inner.start + span_len(outer),
                  n) == 0;
}

/* Whether the statement's body fits where the yield is, as deep as it stands:
 * nothing else is in that block, or it is as deep. */
static bool fits(const struct move *m, const struct entry *e, uint32_t yield)
{
    const struct nodes *ns = m->ns;
    struct span own = statement_indent(ns, m->first);
    struct span inner = statement_indent(ns, e->first);
    struct span outer = statement_indent(ns, e->statement);
    uint32_t owner = owner_of(ns, yield);

    if (count_named(ns, node_parent(ns, yield)) == 1)
        return starts_line(ns, owner) &&
               is_deeper(ns, statement_indent(ns, owner), own, inner, outer);
    return is_as_deep(ns, statement_indent(ns, yield), own, inner, outer);
}

/* `target = value`, or the value where it does something; false: nothing. */
static bool add_value(struct move *m, const struct entry *e, uint32_t yield)
{
    const struct nodes *ns = m->ns;
    uint32_t value = node_named_child(ns, node_named_child(ns, yield));
    struct span none = { 0, 0 };

    if (e->target == NODE_NONE &&
        (value == NODE_NONE || is_literal(ns, value) || is_dotted(ns, value)))
        return false;
    if (e->target != NODE_NONE) {
        move_add_span(m, node_span(ns, e->target));
        buf_adds(&m->out, " = ");
    }
    if (value == NODE_NONE)
        buf_adds(&m->out, "None");
    else
        move_add_nodes(m, node_span(ns, value), value, ns->at[value].past, none,
                       none);
    return true;
}

/* The items behind the first, as a header. */
static bool add_others(struct move *m, const struct entry *e)
{
    const struct nodes *ns = m->ns;
    uint32_t next = node_named_sibling(ns, e->item);
    struct span others;

    if (next == NODE_NONE)
        return false;
    others =
        (struct span){ node_span(ns, next).start,
                       node_span(ns, last_named_child(ns, e->clause)).end };
    buf_adds(&m->out, "with ");
    if (node_child_of(ns, e->clause, NODE_LPAREN) != NODE_NONE) {
        buf_adds(&m->out, "(");
        move_add_span(m, others);
        buf_adds(&m->out, ")");
    } else {
        move_add_span(m, others);
    }
    buf_adds(&m->out, ":");
    return true;
}

/* The statement's body in the place of the yield, whose own line has begun.
 * Lines go to `indent`. */
static void add_entered(struct move *m, const struct entry *e, uint32_t yield,
                        struct span indent)
{
    const struct nodes *ns = m->ns;
    struct span all = node_span(ns, e->first), own = { 0, 0 };
    bool lines = starts_line(ns, e->first);

    all.end = node_span(ns, last_named_child(ns, e->body)).end;
    if (add_value(m, e, yield))
        move_add_line(m, indent);
    if (add_others(m, e)) { /* the body stays as deep as it was */
        if (lines)
            move_add_line(m, statement_indent(ns, e->first));
        else
            buf_adds(&m->out, " ");
        own = indent = (struct span){ 0, 0 };
    } else if (lines) {
        own = statement_indent(ns, e->first);
    }
    move_add_nodes(m, all, e->first, ns->at[e->body].past, own, indent);
}

/* Where lines go that are put in the place of the yield: as deep as the
 * statement, or as its body. False: there is no such place. */
static bool place_of(const struct move *m, const struct entry *e,
                     uint32_t yield, struct span *indent)
{
    const struct nodes *ns = m->ns;

    *indent = statement_indent(ns, e->statement);
    if (node_parent(ns, yield) == m->body)
        return true;
    if (!starts_line(ns, yield) || !starts_line(ns, e->first) ||
        node_named_sibling(ns, e->item) != NODE_NONE || !fits(m, e, yield))
        return false;
    *indent = statement_indent(ns, e->first);
    return true;
}

static bool enter(struct move *m, const struct entry *e, uint32_t yield)
{
    const struct nodes *ns = m->ns;
    struct span here = statement_indent(ns, e->statement), inside;
    struct span own = { 0, 0 };
    struct span before = node_span(ns, m->first), after = before;
    char *text;
    size_t len;

    if (!place_of(m, e, yield, &inside))
        return false;
    if (starts_line(ns, m->first))
        own = statement_indent(ns, m->first);
    before.end = node_span(ns, yield).start;
    after =
        (struct span){ node_span(ns, yield).end, node_span(ns, m->last).end };
    move_add_assignments(m, here);
    move_add_line(m, here);
    if (node_parent(ns, yield) != m->body) { /* up to the line of the yield */
        before.end = statement_indent(ns, yield).start;
        move_add_nodes(m, before, m->first, yield, own, here);
        move_add_span(m, inside);
    } else {
        move_add_nodes(m, before, m->first, yield, own, here);
    }
    add_entered(m, e, yield, inside);
    move_add_nodes(m, after, ns->at[yield].past, ns->at[m->body].past, own,
                   here);
    text = move_take(m, &len);
    if (!text)
        return false;
    draft_replace_taken(m->d, node_span(ns, e->statement), text, len);
    return true;
}

static bool may_enter(struct move *m, const struct param *params, size_t n,
                      const struct entry *e)
{
    uint32_t object = NODE_NONE;
    uint32_t scope = m->names->scope_of[e->statement];

    if (m->callee.bound) {
        uint32_t function = node_field(m->ns, m->site->call, FIELD_function);

        object = node_field(m->ns, function, FIELD_object);
        if (object == NODE_NONE || !is_expression(m->ns, object))
            return false;
    }
    return m->site->direct && move_bind(m, params, n, e->statement, object) &&
           move_takes_all(m) && move_binds_free(m, e->statement) &&
           !node_holds(m->ns, m->callee.function, e->statement) &&
           move_reads_same(m, m->body, m->ns->at[m->body].past, scope);
}

static void enter_all(struct move *m, const struct param *params, size_t n,
                      uint32_t yield)
{
    draft_begin(m->d, node_span(m->ns, m->callee.statement));
    for (size_t i = 0; i < m->callee.nsites; i++) {
        struct entry e;

        m->site = &m->callee.sites[i];
        if (!read_entry(m->ns, m->site->call, &e) ||
            !may_enter(m, params, n, &e) || !enter(m, &e, yield))
            return;
    }
    draft_drop_statement(m->d, m->callee.statement);
    draft_end(m->d);
}

static void context(struct draft *d, const struct names *names,
                    uint32_t function)
{
    struct move m;
    struct param *params;
    size_t n = params_of(d->ns, function, &params);
    uint32_t yield;

    move_init(&m, d, names, function);
    if (n <= PARAMS_MAX && !m.callee.escapes && m.callee.nsites > 0 &&
        m.callee.nsites <= SITES_MAX && is_manager(d->ns, m.callee.statement) &&
        move_read_generator(&m, &yield))
        enter_all(&m, params, n, yield);
    move_deinit(&m);
    free(params);
}

void gen_context(struct gen *g)
{
    const struct names *names = g->names;
    struct draft d;

    draft_init(&d, g, EDIT_context);
    for (uint32_t i = 0; i < d.ns->n; i++)
        if (node_is(d.ns, i, NODE_FUNCTION) &&
            node_is(d.ns, node_parent(d.ns, i), NODE_DECORATED))
            context(&d, names, i);
    draft_deinit(&d);
}
