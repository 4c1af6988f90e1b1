/* Functions in the place of their calls.
 *
 * Two forms. A function that only returns an expression, and a property, goes
 * into each place that uses it. Any other goes whole to its few calls, when
 * those are in simple statements or in headers that run once: first the
 * parameters that can't be substituted (`p = argument`), then the body with the
 * indentation of the statement, then the statement with the returned expression
 * for the call.
 *
 * Refused: decorators, async, generators, a return that is not the last
 * statement, recursion, `global`, splats, and every clash of names: a name that
 * the body reads must mean the same at the call. A name that it binds and that
 * is somebody's there gets an underscore. But a kernel that only kernels call
 * (@triton.jit, @cuda.jit(device=True)) is a function to them, and its mark may
 * not go without it. */
#include "grammar/gen/inline.h"

#include <stdlib.h>
#include <string.h>

#include "grammar/gen/move.h"
#include "grammar/kernel.h"

/* A function that is called more often is no wrapper. */
#define SITES_MAX 64

/* More copies of a whole body are seldom worth it. */
#define BODIES_MAX 3

/* The object that a method is called on. */
static uint32_t object_of(const struct nodes *ns, uint32_t attribute)
{
    uint32_t object = node_field(ns, attribute, FIELD_object);

    return object != NODE_NONE && is_expression(ns, object) ? object
                                                            : NODE_NONE;
}

/* What a call passes for the first parameter of a method. */
static uint32_t receiver_of(const struct move *m, uint32_t call)
{
    uint32_t function = node_field(m->ns, call, FIELD_function);

    if (node_text_is(m->ns, node_field(m->ns, m->callee.function, FIELD_name),
                     "__call__"))
        return function;
    return object_of(m->ns, function);
}

/* The returned expression in the place of `place`. */
static void add_result(struct move *m, uint32_t place)
{
    struct span none = { 0, 0 };
    bool brackets = needs_brackets(m->ns, place, m->result);

    buf_adds(&m->out, brackets ? "(" : "");
    move_add_nodes(m, node_span(m->ns, m->result), m->result,
                   m->ns->at[m->result].past, none, none);
    buf_adds(&m->out, brackets ? ")" : "");
}

/* First form: an expression. */

static bool put_expression(struct move *m, uint32_t place)
{
    uint32_t scope = m->names->scope_of[place];
    char *text;
    size_t len;

    for (size_t i = 0; i < m->n; i++)
        if (!m->passed[i].put)
            return false;
    if (node_holds(m->ns, m->callee.function, place) ||
        !move_reads_same(m, m->result, m->ns->at[m->result].past, scope) ||
        !names_fit_string(m->ns, node_text(m->ns, m->result), place))
        return false;
    add_result(m, place);
    text = move_take(m, &len);
    if (!text)
        return false;
    draft_replace_taken(m->d, node_span(m->ns, place), text, len);
    return true;
}

static bool put_result(struct move *m, const struct param *params, size_t n,
                       const struct call_site *site, uint32_t object)
{
    m->site = site;
    return site->direct && move_bind(m, params, n, site->call, object) &&
           move_takes_all(m) && put_expression(m, site->call);
}

static void property(struct move *m, const struct param *params, size_t n)
{
    struct bytes name =
        node_text(m->ns, node_field(m->ns, m->callee.function, FIELD_name));
    size_t loads;
    const struct span *at = scopes_attributes(m->names->scopes, name, &loads);

    if (loads == 0)
        return;
    draft_begin(m->d, node_span(m->ns, m->callee.statement));
    m->site = NULL;
    for (size_t i = 0; i < loads; i++) {
        uint32_t node = names_node(m->names, at[i]), use;

        if (node == NODE_NONE)
            return;
        use = node_parent(m->ns, node);
        if (!is_expression(m->ns, use) ||
            !move_bind(m, params, n, use, object_of(m->ns, use)) ||
            !put_expression(m, use))
            return;
    }
    draft_drop_statement(m->d, m->callee.statement);
    draft_end(m->d);
}

/* Second form: a whole body. */

/* The statement of the call up to it, with the result for the call. Returns
 * where what is written anew ends. */
static uint32_t add_rest(struct move *m, uint32_t statement, struct span indent)
{
    const struct nodes *ns = m->ns;
    uint32_t call = m->site->call;
    struct span all = node_span(ns, statement), at = node_span(ns, call);
    bool alone = node_is(ns, node_parent(ns, call), NODE_EXPRESSION_STATEMENT);

    if (alone && (m->result == NODE_NONE || is_literal(ns, m->result) ||
                  is_dotted(ns, m->result)))
        return all.end;
    move_add_line(m, indent);
    move_add_span(m, (struct span){ all.start, at.start });
    if (m->result == NODE_NONE)
        buf_adds(&m->out, "None");
    else
        add_result(m, call);
    return at.end;
}

static bool may_move(struct move *m, uint32_t statement)
{
    uint32_t scope;

    if (statement == NODE_NONE ||
        node_holds(m->ns, m->callee.function, statement))
        return false;
    scope = m->names->scope_of[statement];
    return move_rename(m, statement) &&
           move_reads_same(m, m->body, m->ns->at[m->body].past, scope);
}

/* The body in the place of one call. */
static bool put_body(struct move *m, const struct param *params, size_t n,
                     const struct call_site *site, uint32_t object)
{
    const struct nodes *ns = m->ns;
    uint32_t statement = statement_of_call(ns, site->call);
    struct span indent, old;
    char *text;
    size_t len;

    m->site = site;
    if (!site->direct || !move_bind(m, params, n, statement, object) ||
        !move_takes_all(m) || !may_move(m, statement) ||
        (m->result != NODE_NONE &&
         !names_fit_string(ns, node_text(ns, m->result), site->call)))
        return false;
    indent = statement_indent(ns, statement);
    move_add_assignments(m, indent);
    move_add_statements(m, indent);
    old = node_span(ns, statement);
    old.end = add_rest(m, statement, indent);
    text = move_take(m, &len);
    if (!text)
        return false;
    draft_replace_taken(m->d, old, text, len);
    return true;
}

/* A property whose body is more than an expression, where it is read once. */
static void read_body_of(struct move *m, const struct param *params, size_t n)
{
    struct bytes name =
        node_text(m->ns, node_field(m->ns, m->callee.function, FIELD_name));
    struct call_site site = { .arguments = NODE_NONE, .direct = true };
    size_t loads;
    const struct span *at = scopes_attributes(m->names->scopes, name, &loads);
    uint32_t node = loads == 1 ? names_node(m->names, at[0]) : NODE_NONE;

    if (node == NODE_NONE)
        return;
    site.call = node_parent(m->ns, node);
    draft_begin(m->d, node_span(m->ns, m->callee.statement));
    if (!is_expression(m->ns, site.call) ||
        !put_body(m, params, n, &site, object_of(m->ns, site.call)))
        return;
    draft_drop_statement(m->d, m->callee.statement);
    draft_end(m->d);
}

/* `put` in the place of each call, and the function goes. */
static bool put_all(struct move *m, const struct param *params, size_t n,
                    bool (*put)(struct move *m, const struct param *params,
                                size_t n, const struct call_site *site,
                                uint32_t object))
{
    draft_begin(m->d, node_span(m->ns, m->callee.statement));
    for (size_t i = 0; i < m->callee.nsites; i++) {
        const struct call_site *site = &m->callee.sites[i];
        uint32_t object =
            m->callee.bound ? receiver_of(m, site->call) : NODE_NONE;

        if (!put(m, params, n, site, object))
            return false;
    }
    draft_drop_statement(m->d, m->callee.statement);
    return draft_end(m->d) != EDIT_NONE;
}

static bool is_property(const struct move *m)
{
    static const char *const names[] = { "property", "cached_property",
                                         "functools.cached_property" };
    bool is = false;

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        is |= has_decorator(m->ns, m->callee.statement, names[i]);
    return is && count_named(m->ns, m->callee.statement) == 2;
}

static bool in_kernel(const struct nodes *ns, uint32_t node)
{
    for (; node != NODE_NONE; node = node_parent(ns, node))
        if (node_is(ns, node, NODE_DECORATED) && kernel_is(ns, node))
            return true;
    return false;
}

/* A kernel, decorated as that alone, which only kernels call. */
static bool helps_kernels(const struct move *m)
{
    uint32_t statement = m->callee.statement;

    if (!node_is(m->ns, statement, NODE_DECORATED) ||
        count_named(m->ns, statement) != 2 || !kernel_is(m->ns, statement) ||
        m->callee.nsites > SITES_MAX)
        return false;
    for (size_t i = 0; i < m->callee.nsites; i++)
        if (!in_kernel(m->ns, m->callee.sites[i].call))
            return false;
    return true;
}

void inline_function(struct draft *d, const struct names *names,
                     uint32_t function)
{
    struct move m;
    struct param *params;
    size_t n = params_of(d->ns, function, &params);
    uint32_t name = node_field(d->ns, function, FIELD_name);

    move_init(&m, d, names, function);
    if (n <= PARAMS_MAX && name != NODE_NONE &&
        !node_text_is(d->ns, name, "__init__") && move_read_body(&m)) {
        bool short_one = m.first == m.last && m.result != NODE_NONE;
        bool plain = !m.callee.escapes &&
                     (m.callee.statement == function || helps_kernels(&m));
        bool done = false;

        if (is_property(&m) && n == 1)
            (short_one ? property : read_body_of)(&m, params, n);
        if (short_one && plain && m.callee.nsites > 0 &&
            m.callee.nsites <= SITES_MAX)
            done = put_all(&m, params, n, put_result);
        if (!done && plain && m.callee.nsites > 0 &&
            m.callee.nsites <= BODIES_MAX)
            put_all(&m, params, n, put_body);
    }
    move_deinit(&m);
    free(params);
}
