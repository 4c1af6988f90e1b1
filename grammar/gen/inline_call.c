/* Functions in the place of their calls.
 *
 * Two forms. A function that only returns an expression, and a property, goes
 * into each place that uses it. Any other goes whole to its only call, when
 * that call is in a simple statement: first the parameters that can't be
 * substituted (`p = argument`), then the body with the indentation of the
 * statement, then the statement with the returned expression for the call.
 *
 * Refused: decorators, async, generators, a return that is not the last
 * statement, recursion, `global`, splats, and every clash of names: a name that
 * the body reads must mean the same at the call, and a name that it binds must
 * be nobody's there. Nothing is renamed. */
#include "grammar/gen/inline.h"

#include <stdlib.h>
#include <string.h>

#include "config/buf.h"
#include "config/mem.h"

/* A function that is called more often is no wrapper. */
#define SITES_MAX 64

/* One parameter and what it is at a call. */
struct binding {
    uint32_t symbol, name; /* the parameter's, and its identifier */
    uint32_t value;        /* the expression at the call */
    bool put;              /* in the place of its uses; else assigned first */
};

struct move {
    struct draft *d;
    const struct names *names;
    const struct nodes *ns;
    struct callee callee;
    uint32_t body, first, last; /* block; statements without the docstring */
    uint32_t result;            /* what the last one returns, or NODE_NONE */
    bool returns;               /* the last statement is a return */
    struct binding *bindings;
    size_t n;
    const struct call_site *site;
    struct buf out;
};

static bool is_docstring(const struct nodes *ns, uint32_t statement)
{
    return node_is(ns, statement, NODE_EXPRESSION_STATEMENT) &&
           node_is(ns, node_named_child(ns, statement), NODE_STRING);
}

/* Statements that may not move: they act on the function itself. */
static bool stays(const struct move *m, uint32_t i)
{
    bool own = m->names->scope_of[i] == m->callee.function;

    switch (node_kind(m->ns, i)) {
    case NODE_GLOBAL:
    case NODE_NONLOCAL:
        return true;
    case NODE_YIELD:
    case NODE_AWAIT:
        return own;
    case NODE_RETURN:
        return own && i != m->last;
    default:
        return false;
    }
}

static bool read_body(struct move *m)
{
    const struct nodes *ns = m->ns;
    uint32_t function = m->callee.function;

    m->body = node_field(ns, function, FIELD_body);
    if (m->body == NODE_NONE ||
        node_child_of(ns, function, NODE_KW_ASYNC) != NODE_NONE)
        return false;
    m->first = node_named_child(ns, m->body);
    m->last = last_named_child(ns, m->body);
    if (m->first == NODE_NONE)
        return false;
    if (is_docstring(ns, m->first) && m->first != m->last)
        m->first = node_named_sibling(ns, m->first);
    m->returns = node_is(ns, m->last, NODE_RETURN);
    m->result = m->returns ? node_named_child(ns, m->last) : NODE_NONE;
    for (uint32_t i = m->body; i < ns->at[m->body].past; i++)
        if (stays(m, i))
            return false;
    return true;
}

static struct binding *binding_of(const struct move *m, uint32_t symbol)
{
    for (size_t i = 0; i < m->n; i++)
        if (m->bindings[i].symbol == symbol)
            return &m->bindings[i];
    return NULL;
}

/* Whether a scope inside of the function, on the way from a use to it, binds
 * a name of the value. */
static bool captured(const struct move *m, uint32_t use, uint32_t value)
{
    const struct names *names = m->names;

    for (uint32_t scope = names->scope_of[use];
         scope != m->callee.function && scope != 0;
         scope = names->scope_of[scope])
        for (uint32_t i = value; i < m->ns->at[value].past; i++)
            if (node_is(m->ns, i, NODE_IDENTIFIER) &&
                names_bound_in(names, scope, node_text(m->ns, i)))
                return true;
    return false;
}

/* Whether the value can stand at each use of its parameter. */
static bool can_be_put(const struct move *m, const struct binding *b)
{
    const struct occurrence *at;
    size_t n, loads;
    bool cheap = is_literal(m->ns, b->value) || is_dotted(m->ns, b->value);

    if (names_writes(m->names, b->symbol, &loads) != 1 || (!cheap && loads > 1))
        return false;
    at = symbol_occurrences(m->names->scopes, b->symbol, &n);
    for (size_t i = 0; i < n; i++) {
        uint32_t use = names_node(m->names, at[i].at);

        if (use == b->name)
            continue;
        if (use == NODE_NONE || !is_expression(m->ns, use) ||
            captured(m, use, b->value) ||
            !names_fit_string(m->ns, node_text(m->ns, b->value), use) ||
            (!cheap && m->names->scope_of[use] != m->callee.function))
            return false;
    }
    return true;
}

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

static bool bind(struct move *m, const struct param *params, size_t n,
                 uint32_t place, uint32_t object)
{
    uint32_t scope;

    if (place == NODE_NONE)
        return false;
    scope = m->names->scope_of[place];
    m->n = 0;
    for (size_t i = 0; i < n; i++) {
        const struct param *p = &params[i];
        struct binding *b = &m->bindings[m->n];
        uint32_t value = p->value, argument;
        bool unknown = false;

        if (p->kind == PARAM_STAR)
            return false;
        if (m->callee.bound && i == 0) {
            value = object;
        } else if (m->site) {
            argument = site_argument(m->ns, m->site, p->kind,
                                     p->index - m->callee.bound,
                                     node_text(m->ns, p->name), &unknown);
            if (argument != NODE_NONE)
                value = argument_value(m->ns, argument);
        }
        if (unknown || value == NODE_NONE || !is_expression(m->ns, value))
            return false;
        if (value == p->value && !names_mean_same(m->names, value, scope))
            return false;
        *b = (struct binding){ names_symbol(m->names, p->name), p->name, value,
                               false };
        if (b->symbol == SYMBOL_NONE)
            return false;
        b->put = can_be_put(m, b);
        m->n++;
    }
    return true;
}

/* All arguments are bound: none is left over. */
static bool takes_all(const struct move *m)
{
    if (m->site->arguments == NODE_NONE)
        return true; /* a property */
    return count_named(m->ns, m->site->arguments) + m->callee.bound <= m->n;
}

/* Whether a symbol belongs to the function or to something inside of it. */
static bool is_own(const struct move *m, uint32_t symbol)
{
    uint32_t home = names_home(m->names, symbol);

    return home != NODE_NONE && node_holds(m->ns, m->callee.function, home);
}

/* Names that the body reads from outside mean the same in `scope`. */
static bool reads_same(const struct move *m, uint32_t from, uint32_t to,
                       uint32_t scope)
{
    for (uint32_t i = from; i < to; i++) {
        uint32_t symbol, found;

        if (!node_is(m->ns, i, NODE_IDENTIFIER))
            continue;
        symbol = names_symbol(m->names, i);
        if (symbol == SYMBOL_NONE || is_own(m, symbol))
            continue;
        found = names_lookup(m->names, scope, node_text(m->ns, i));
        if (found != symbol &&
            (found != SYMBOL_NONE || symbol_bound(m->names->scopes, symbol)))
            return false;
    }
    return true;
}

/* The name that the statement of the call assigns and nobody else does. */
static struct bytes target_of(const struct move *m, uint32_t statement)
{
    uint32_t node = node_named_child(m->ns, statement), left;
    size_t loads;

    if (!node_is(m->ns, node, NODE_ASSIGNMENT))
        return bytes_of("", 0);
    left = node_field(m->ns, node, FIELD_left);
    if (!node_is(m->ns, left, NODE_IDENTIFIER) ||
        names_writes(m->names, names_symbol(m->names, left), &loads) != 1)
        return bytes_of("", 0);
    return node_text(m->ns, left);
}

/* Names that the body binds are free where it goes. */
static bool binds_free(const struct move *m, uint32_t statement)
{
    uint32_t scope = m->names->scope_of[statement];
    struct bytes target = target_of(m, statement);

    for (uint32_t i = m->callee.function + 1;
         i < m->ns->at[m->callee.function].past; i++) {
        uint32_t symbol = SYMBOL_NONE;
        struct bytes text;
        const struct binding *b;

        if (node_is(m->ns, i, NODE_IDENTIFIER))
            symbol = names_symbol(m->names, i);
        if (symbol == SYMBOL_NONE ||
            names_home(m->names, symbol) != m->callee.function)
            continue;
        b = binding_of(m, symbol);
        text = node_text(m->ns, i);
        if ((b && b->put) || (text.len == target.len &&
                              memcmp(text.data, target.data, text.len) == 0))
            continue;
        if (!names_free_in(m->names, scope, text))
            return false;
    }
    return true;
}

/* Writing the moved text. */

static struct span indent_of(const struct nodes *ns, uint32_t statement)
{
    uint32_t start = node_span(ns, statement).start;

    return (struct span){ text_line_start(ns->text, start), start };
}

static bool starts_line(const struct nodes *ns, uint32_t statement)
{
    return text_is_blank(ns->text, indent_of(ns, statement));
}

static bool ends_line(const struct nodes *ns, uint32_t statement)
{
    uint32_t end = node_span(ns, statement).end;
    uint32_t next = text_line_next(ns->text, end);

    while (end < next && strchr(" \t\f", ns->text.data[end]))
        end++;
    return end == next || ns->text.data[end] == '#' ||
           ns->text.data[end] == '\r' || ns->text.data[end] == '\n';
}

static void add_span(struct move *m, struct span at)
{
    buf_add(&m->out, m->ns->text.data + at.start, span_len(at));
}

static const char *newline_of(struct bytes text)
{
    const char *end = memchr(text.data, '\n', text.len);

    if (end && end > text.data && end[-1] == '\r')
        return "\r\n";
    return !end && memchr(text.data, '\r', text.len) ? "\r" : "\n";
}

/* Copy a stretch of the body; lines that start in it get the indentation of
 * the statement for that of the body. */
static void add_lines(struct move *m, struct span at, struct span from,
                      struct span to)
{
    const char *text = m->ns->text.data;
    uint32_t width = span_len(from);

    while (at.start < at.end) {
        uint32_t next = text_line_next(m->ns->text, at.start);

        if (next >= at.end) {
            add_span(m, at);
            /* a line that starts just where the stretch ends is the next's */
            return;
        }
        add_span(m, (struct span){ at.start, next });
        at.start = next;
        if (at.end - next >= width &&
            memcmp(text + next, text + from.start, width) == 0) {
            add_span(m, to);
            at.start = next + width;
        }
    }
}

/* The nodes [node, past) of the body with values put for parameters. */
static void add_body(struct move *m, struct span at, uint32_t node,
                     uint32_t past, struct span from, struct span to)
{
    const struct nodes *ns = m->ns;
    uint32_t done = at.start;

    for (uint32_t i = node; i < past; i++) {
        struct span here = node_span(ns, i);
        struct binding *b = NULL;

        if (node_is(ns, i, NODE_STRING) && here.start >= done &&
            node_child_of(ns, i, NODE_INTERPOLATION) == NODE_NONE) {
            add_lines(m, (struct span){ done, here.start }, from, to);
            add_span(m, here);
            done = here.end;
            i = ns->at[i].past - 1;
            continue;
        }
        if (node_is(ns, i, NODE_STRING_CONTENT) && here.start >= done) {
            add_lines(m, (struct span){ done, here.start }, from, to);
            add_span(m, here);
            done = here.end;
            continue;
        }
        if (!node_is(ns, i, NODE_IDENTIFIER) || here.start < done)
            continue;
        if (names_symbol(m->names, i) != SYMBOL_NONE)
            b = binding_of(m, names_symbol(m->names, i));
        if (!b || !b->put)
            continue;
        add_lines(m, (struct span){ done, here.start }, from, to);
        bool brackets = needs_brackets(ns, i, b->value);
        buf_adds(&m->out, brackets ? "(" : "");
        add_span(m, node_span(ns, b->value));
        buf_adds(&m->out, brackets ? ")" : "");
        done = here.end;
    }
    add_lines(m, (struct span){ done, at.end }, from, to);
}

/* The returned expression in the place of `place`. */
static void add_result(struct move *m, uint32_t place)
{
    struct span none = { 0, 0 };
    bool brackets = needs_brackets(m->ns, place, m->result);

    buf_adds(&m->out, brackets ? "(" : "");
    add_body(m, node_span(m->ns, m->result), m->result,
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
        if (!m->bindings[i].put)
            return false;
    if (node_holds(m->ns, m->callee.function, place) ||
        !reads_same(m, m->result, m->ns->at[m->result].past, scope) ||
        !names_fit_string(m->ns, node_text(m->ns, m->result), place))
        return false;
    add_result(m, place);
    if (m->out.full)
        return false;
    text = buf_take(&m->out, &len);
    buf_init(&m->out, m->ns->text.len * 2 + 64);
    draft_replace_taken(m->d, node_span(m->ns, place), text, len);
    return true;
}

static bool expression_function(struct move *m, const struct param *params,
                                size_t n)
{
    draft_begin(m->d, node_span(m->ns, m->callee.statement));
    for (size_t i = 0; i < m->callee.nsites; i++) {
        uint32_t object = NODE_NONE, call;

        m->site = &m->callee.sites[i];
        call = m->site->call;
        if (m->callee.bound)
            object = receiver_of(m, call);
        if (!m->site->direct || !bind(m, params, n, call, object) ||
            !takes_all(m) || !put_expression(m, call))
            return false;
    }
    draft_drop_statement(m->d, m->callee.statement);
    return draft_end(m->d) != EDIT_NONE;
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
            !bind(m, params, n, use, object_of(m->ns, use)) ||
            !put_expression(m, use))
            return;
    }
    draft_drop_statement(m->d, m->callee.statement);
    draft_end(m->d);
}

/* Second form: a whole body. */

/* The simple statement that a call stands in, when it runs just once there
 * and the statement has lines of its own. */
static uint32_t statement_of_call(const struct nodes *ns, uint32_t call)
{
    uint32_t node = call;

    while (!node_is_statement(ns, node)) {
        switch (node_kind(ns, node)) {
        case NODE_LAMBDA:
        case NODE_CONDITIONAL:
        case NODE_BOOLEAN_OPERATOR:
        case NODE_LIST_COMPREHENSION:
        case NODE_SET_COMPREHENSION:
        case NODE_DICTIONARY_COMPREHENSION:
        case NODE_GENERATOR_EXPRESSION:
            return NODE_NONE;
        }
        node = node_parent(ns, node);
        if (node == NODE_NONE)
            return NODE_NONE;
    }
    if ((!node_is(ns, node, NODE_EXPRESSION_STATEMENT) &&
         !node_is(ns, node, NODE_RETURN)) ||
        !starts_line(ns, node) || !ends_line(ns, node))
        return NODE_NONE;
    return node;
}

static void line_end(struct move *m, struct span indent)
{
    if (m->out.len == 0)
        return;
    buf_adds(&m->out, newline_of(m->ns->text));
    add_span(m, indent);
}

static void add_assignments(struct move *m, struct span indent)
{
    for (size_t i = 0; i < m->n; i++) {
        if (m->bindings[i].put)
            continue;
        line_end(m, indent);
        add_span(m, node_span(m->ns, m->bindings[i].name));
        buf_adds(&m->out, " = ");
        add_span(m, node_span(m->ns, m->bindings[i].value));
    }
}

static void add_statements(struct move *m, struct span indent)
{
    const struct nodes *ns = m->ns;
    struct span own = { 0, 0 };
    uint32_t last = NODE_NONE, past = m->first;

    for (uint32_t s = m->first; s != NODE_NONE; s = node_named_sibling(ns, s)) {
        if (s == m->last && m->returns)
            break;
        last = s;
        past = ns->at[s].past;
    }
    if (last == NODE_NONE)
        return;
    if (starts_line(ns, m->first))
        own = indent_of(ns, m->first);
    line_end(m, indent);
    add_body(
        m,
        (struct span){ node_span(ns, m->first).start, node_span(ns, last).end },
        m->first, past, own, indent);
}

/* The statement of the call, with the result for the call. */
static void add_rest(struct move *m, uint32_t statement, struct span indent)
{
    const struct nodes *ns = m->ns;
    uint32_t call = m->site->call;
    struct span all = node_span(ns, statement), at = node_span(ns, call);
    bool alone = node_is(ns, node_parent(ns, call), NODE_EXPRESSION_STATEMENT);

    if (alone && (m->result == NODE_NONE || is_literal(ns, m->result) ||
                  is_dotted(ns, m->result)))
        return;
    line_end(m, indent);
    add_span(m, (struct span){ all.start, at.start });
    if (m->result == NODE_NONE)
        buf_adds(&m->out, "None");
    else
        add_result(m, call);
    add_span(m, (struct span){ at.end, all.end });
}

static bool may_move(const struct move *m, uint32_t statement)
{
    uint32_t scope;

    if (statement == NODE_NONE ||
        node_holds(m->ns, m->callee.function, statement))
        return false;
    scope = m->names->scope_of[statement];
    return binds_free(m, statement) &&
           reads_same(m, m->body, m->ns->at[m->body].past, scope);
}

static void whole_body(struct move *m, const struct param *params, size_t n,
                       const struct call_site *site, uint32_t object)
{
    const struct nodes *ns = m->ns;
    uint32_t statement = statement_of_call(ns, site->call);
    struct span indent;
    char *text;
    size_t len;

    m->site = site;
    if (!m->site->direct || !bind(m, params, n, statement, object) ||
        !takes_all(m) || !may_move(m, statement))
        return;
    indent = indent_of(ns, statement);
    draft_begin(m->d, node_span(ns, m->callee.statement));
    add_assignments(m, indent);
    add_statements(m, indent);
    add_rest(m, statement, indent);
    if (m->out.len == 0)
        buf_adds(&m->out, "pass");
    if (m->out.full)
        return;
    text = buf_take(&m->out, &len);
    draft_replace_taken(m->d, node_span(ns, statement), text, len);
    draft_drop_statement(m->d, m->callee.statement);
    draft_end(m->d);
}

static void called_body(struct move *m, const struct param *params, size_t n)
{
    const struct call_site *site = &m->callee.sites[0];
    uint32_t object = NODE_NONE;

    if (m->callee.bound)
        object = receiver_of(m, site->call);
    whole_body(m, params, n, site, object);
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
    if (is_expression(m->ns, site.call))
        whole_body(m, params, n, &site, object_of(m->ns, site.call));
}

static bool is_property(const struct move *m)
{
    return has_decorator(m->ns, m->callee.statement, "property") &&
           count_named(m->ns, m->callee.statement) == 2;
}

void inline_function(struct draft *d, const struct names *names,
                     uint32_t function)
{
    struct move m = { .d = d, .names = names, .ns = d->ns };
    struct param *params;
    size_t n = params_of(d->ns, function, &params);
    uint32_t name = node_field(d->ns, function, FIELD_name);

    callee_init(&m.callee, names, function);
    buf_init(&m.out, d->ns->text.len * 2 + 64);
    m.bindings = xcalloc(n + 1, sizeof(*m.bindings));
    if (n <= PARAMS_MAX && name != NODE_NONE &&
        !node_text_is(d->ns, name, "__init__") && read_body(&m)) {
        bool short_one = m.first == m.last && m.result != NODE_NONE;
        bool plain = m.callee.statement == function && !m.callee.escapes;

        bool done = false;

        if (is_property(&m) && n == 1)
            (short_one ? property : read_body_of)(&m, params, n);
        if (short_one && plain && m.callee.nsites > 0 &&
            m.callee.nsites <= SITES_MAX)
            done = expression_function(&m, params, n);
        if (!done && plain && m.callee.nsites == 1)
            called_body(&m, params, n);
    }
    buf_deinit(&m.out);
    callee_deinit(&m.callee);
    free(m.bindings);
    free(params);
}
