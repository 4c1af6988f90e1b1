/* Reading and binding first, then the text. The text that moves is copied in
 * stretches between what is put, line by line, so that each line gets the
 * indentation of its new place; strings keep their bytes. */
#include "grammar/gen/move.h"

#include <stdlib.h>
#include <string.h>

#include "config/mem.h"

/* Each is looked for in all of the function; past this many, the function
 * stays, so that it stays linear. */
#define RENAMED_MAX 16

/* The most that a new name has. */
#define UNDERSCORES 3

/* Statements that may not move: they act on the function itself. `yield`: one
 * that is dealt with. */
static bool stays(const struct move *m, uint32_t i, uint32_t yield)
{
    bool own = m->names->scope_of[i] == m->callee.function;

    switch (node_kind(m->ns, i)) {
    case NODE_GLOBAL:
    case NODE_NONLOCAL:
        return true;
    case NODE_YIELD:
        return own && i != yield;
    case NODE_AWAIT:
        return own;
    case NODE_RETURN:
        return own && i != m->last;
    default:
        return false;
    }
}

static bool read_body(struct move *m, uint32_t yield)
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
    if (node_is_docstring(ns, m->first) && m->first != m->last)
        m->first = node_named_sibling(ns, m->first);
    m->returns = node_is(ns, m->last, NODE_RETURN);
    m->result = m->returns ? node_named_child(ns, m->last) : NODE_NONE;
    for (uint32_t i = m->body; i < ns->at[m->body].past; i++)
        if (stays(m, i, yield))
            return false;
    return true;
}

bool move_read_body(struct move *m)
{
    return read_body(m, NODE_NONE);
}

/* The first yield of the function itself; NODE_NONE when there is none. */
static uint32_t first_yield(const struct move *m)
{
    uint32_t function = m->callee.function;

    for (uint32_t i = function; i < m->ns->at[function].past; i++)
        if (node_is(m->ns, i, NODE_YIELD) && m->names->scope_of[i] == function)
            return i;
    return NODE_NONE;
}

bool move_read_generator(struct move *m, uint32_t *yield)
{
    const struct nodes *ns = m->ns;
    uint32_t node = first_yield(m);

    if (node == NODE_NONE || node_child_of(ns, node, NODE_KW_FROM) != NODE_NONE)
        return false;
    *yield = node_parent(ns, node);
    if (!node_is(ns, *yield, NODE_EXPRESSION_STATEMENT) ||
        node_named_child(ns, *yield) != node ||
        node_named_sibling(ns, node) != NODE_NONE || !read_body(m, node) ||
        m->returns)
        return false;
    for (uint32_t up = *yield; up != m->body; up = node_parent(ns, up))
        if (node_is(ns, up, NODE_FOR) || node_is(ns, up, NODE_WHILE))
            return false;
    return true;
}

void move_open(struct move *m, struct draft *d, const struct names *names)
{
    *m = (struct move){ .d = d, .names = names, .ns = d->ns };
    m->source = m->callee.function = m->callee.statement = NODE_NONE;
    m->body = m->first = m->last = m->result = NODE_NONE;
    buf_init(&m->out, d->ns->text.len * 2 + 64);
}

void move_init(struct move *m, struct draft *d, const struct names *names,
               uint32_t function)
{
    move_open(m, d, names);
    callee_init(&m->callee, names, function);
    m->source = function;
}

static void forget_renamed(struct move *m)
{
    while (m->nrenamed > 0)
        free(m->renamed[--m->nrenamed].text);
}

void move_deinit(struct move *m)
{
    forget_renamed(m);
    free(m->renamed);
    m->renamed = NULL;
    buf_deinit(&m->out);
    callee_deinit(&m->callee);
    free(m->passed);
    m->passed = NULL;
}

const struct passed *passed_of(const struct move *m, uint32_t symbol)
{
    for (size_t i = 0; i < m->n; i++)
        if (m->passed[i].symbol == symbol)
            return &m->passed[i];
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
static bool can_be_put(const struct move *m, const struct passed *b)
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

/* What a call passes for a parameter, or its default; NODE_NONE: not known. */
static uint32_t value_of(const struct move *m, const struct param *p,
                         uint32_t scope)
{
    uint32_t value = p->value, argument = NODE_NONE;
    bool unknown = false;

    if (m->site)
        argument =
            site_argument(m->ns, m->site, p->kind, p->index - m->callee.bound,
                          node_text(m->ns, p->name), &unknown);
    if (argument != NODE_NONE)
        value = argument_value(m->ns, argument);
    if (unknown || value == NODE_NONE || !is_expression(m->ns, value) ||
        (value == p->value && !names_mean_same(m->names, value, scope)))
        return NODE_NONE;
    return value;
}

/* What `*names` takes at the call, where it is written out: the body has it as
 * `f(*names)`, once. */
static bool bind_star(struct move *m, const struct param *p, struct passed *b)
{
    uint32_t symbol = names_symbol(m->names, p->name), use = NODE_NONE, splat;
    const struct occurrence *at;
    struct taken taken;
    size_t n, loads;

    if (!m->site || !node_is(m->ns, m->site->arguments, NODE_ARGUMENT_LIST) ||
        names_writes(m->names, symbol, &loads) != 1 || loads != 1 ||
        !find_taken(m->ns, m->site->arguments, p->index - m->callee.bound,
                    &taken) ||
        taken.n == 0)
        return false;
    at = symbol_occurrences(m->names->scopes, symbol, &n);
    for (size_t i = 0; i < n; i++)
        if (names_node(m->names, at[i].at) != p->name)
            use = names_node(m->names, at[i].at);
    splat = use == NODE_NONE ? NODE_NONE : node_parent(m->ns, use);
    if (!node_is(m->ns, splat, NODE_LIST_SPLAT) ||
        !node_is(m->ns, node_parent(m->ns, splat), NODE_ARGUMENT_LIST) ||
        m->names->scope_of[use] != m->callee.function)
        return false;
    if (!names_fit_string(m->ns, nodes_text(m->ns, taken.first, taken.last),
                          use))
        return false;
    *b = (struct passed){ symbol, p->name, taken.first, taken.last, true };
    m->more += taken.n - 1;
    return true;
}

bool move_bind(struct move *m, const struct param *params, size_t n,
               uint32_t place, uint32_t object)
{
    if (place == NODE_NONE)
        return false;
    free(m->passed);
    m->passed = xcalloc(n + 1, sizeof(*m->passed));
    m->n = m->more = 0;
    for (size_t i = 0; i < n; i++) {
        const struct param *p = &params[i];
        struct passed *b = &m->passed[m->n];
        bool is_object = m->callee.bound && i == 0;
        size_t loads;

        if (p->kind >= PARAM_STAR &&
            names_writes(m->names, names_symbol(m->names, p->name), &loads) ==
                1 &&
            loads == 0)
            continue; /* nobody reads what it takes, which is nothing: see
                       * move_takes_all() */
        if (p->kind == PARAM_STARS)
            return false;
        if (p->kind == PARAM_STAR) {
            if (!bind_star(m, p, b))
                return false;
            m->n++;
            continue;
        }
        *b = (struct passed){ names_symbol(m->names, p->name), p->name, object,
                              NODE_NONE,
                              is_object && object == NODE_NONE && m->rewrite };
        if (!is_object)
            b->value = value_of(m, p, m->names->scope_of[place]);
        if (b->symbol == SYMBOL_NONE || (b->value == NODE_NONE && !b->put))
            return false;
        if (!b->put)
            b->put = can_be_put(m, b);
        m->n++;
    }
    return true;
}

/* All arguments are bound: none is left over. */
bool move_takes_all(const struct move *m)
{
    if (m->site->arguments == NODE_NONE)
        return true; /* a property */
    return count_named(m->ns, m->site->arguments) + m->callee.bound <=
           m->n + m->more;
}

/* Whether a symbol belongs to the function or to something inside of it. */
static bool is_own(const struct move *m, uint32_t symbol)
{
    uint32_t home = names_home(m->names, symbol);

    return home != NODE_NONE && node_holds(m->ns, m->source, home);
}

/* Names that the body reads from outside mean the same in `scope`. */
bool move_reads_same(const struct move *m, uint32_t from, uint32_t to,
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

/* The next node from `i` on that names a variable of the function which is
 * somebody's where `statement` is; NODE_NONE when there is none. */
static uint32_t next_clash(const struct move *m, uint32_t i, uint32_t statement)
{
    uint32_t function = m->callee.function;
    uint32_t scope = m->names->scope_of[statement];
    struct bytes target = target_of(m, statement);

    for (; i < m->ns->at[function].past; i++) {
        uint32_t symbol = SYMBOL_NONE;
        const struct passed *b;

        if (node_is(m->ns, i, NODE_IDENTIFIER))
            symbol = names_symbol(m->names, i);
        if (symbol == SYMBOL_NONE || names_home(m->names, symbol) != function)
            continue;
        b = passed_of(m, symbol);
        if ((!b || !b->put) && names_order(node_text(m->ns, i), target) != 0 &&
            !names_free_in(m->names, scope, node_text(m->ns, i)))
            return i;
    }
    return NODE_NONE;
}

/* Names that the body binds are free where it goes. */
bool move_binds_free(const struct move *m, uint32_t statement)
{
    return next_clash(m, m->callee.function + 1, statement) == NODE_NONE;
}

/* The new name of a variable; empty: it has none. */
static struct bytes renamed_to(const struct move *m, uint32_t i)
{
    uint32_t symbol = SYMBOL_NONE;

    if (m->nrenamed > 0 && node_is(m->ns, i, NODE_IDENTIFIER))
        symbol = names_symbol(m->names, i);
    for (size_t r = 0; symbol != SYMBOL_NONE && r < m->nrenamed; r++)
        if (m->renamed[r].symbol == symbol)
            return bytes_of(m->renamed[r].text, strlen(m->renamed[r].text));
    return bytes_of(NULL, 0);
}

/* Whether a name is bound by assignments and the like alone: an import, a
 * pattern or a string says it in its own way. */
static bool may_rename(const struct move *m, uint32_t symbol)
{
    const struct occurrence *at;
    size_t n;

    at = symbol_occurrences(m->names->scopes, symbol, &n);
    for (size_t i = 0; i < n; i++) {
        uint32_t node = names_node(m->names, at[i].at), up;

        if (node == NODE_NONE)
            return false;
        up = node_parent(m->ns, node);
        if (node_is(m->ns, up, NODE_DOTTED_NAME) ||
            node_is(m->ns, up, NODE_ALIASED_IMPORT) ||
            at[i].role == OCC_DECLARE || at[i].role == OCC_DELETE)
            return false;
    }
    return true;
}

/* Whether the function says this name anywhere, or will. */
static bool is_said(const struct move *m, struct bytes text)
{
    uint32_t function = m->callee.function;

    for (size_t r = 0; r + 1 < m->nrenamed; r++) /* the last is asked for */
        if (names_order(text, bytes_of(m->renamed[r].text,
                                       strlen(m->renamed[r].text))) == 0)
            return true;
    for (uint32_t i = function; i < m->ns->at[function].past; i++)
        if (node_is(m->ns, i, NODE_IDENTIFIER) &&
            names_order(node_text(m->ns, i), text) == 0)
            return true;
    return false;
}

static bool rename_one(struct move *m, uint32_t node, uint32_t scope)
{
    struct bytes old = node_text(m->ns, node);
    uint32_t symbol = names_symbol(m->names, node);
    char *own;

    if (m->nrenamed == RENAMED_MAX || !may_rename(m, symbol))
        return false;
    own = xcalloc(old.len + UNDERSCORES + 1, 1);
    memcpy(own, old.data, old.len);
    xgrow(&m->renamed, &m->renamed_room, m->nrenamed + 1, sizeof(*m->renamed));
    m->renamed[m->nrenamed++] = (struct renamed){ symbol, own };
    for (size_t len = old.len; len < old.len + UNDERSCORES;) {
        own[len++] = '_';
        if (!is_said(m, bytes_of(own, len)) &&
            names_free_in(m->names, scope, bytes_of(own, len)))
            return true;
    }
    return false;
}

bool move_rename(struct move *m, uint32_t statement)
{
    uint32_t scope = m->names->scope_of[statement];
    uint32_t i = next_clash(m, m->callee.function + 1, statement);

    forget_renamed(m);
    for (; i != NODE_NONE; i = next_clash(m, i + 1, statement))
        if (!renamed_to(m, i).data && !rename_one(m, i, scope))
            return false;
    return true;
}

/* Writing the text that moves. */

struct span statement_indent(const struct nodes *ns, uint32_t statement)
{
    uint32_t start = node_span(ns, statement).start;

    return (struct span){ text_line_start(ns->text, start), start };
}

bool starts_line(const struct nodes *ns, uint32_t statement)
{
    return text_is_blank(ns->text, statement_indent(ns, statement));
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

void move_add_span(struct move *m, struct span at)
{
    buf_add(&m->out, m->ns->text.data + at.start, span_len(at));
}

const char *newline_of(struct bytes text)
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
            move_add_span(m, at);
            /* a line that starts just where the stretch ends is the next's */
            return;
        }
        move_add_span(m, (struct span){ at.start, next });
        at.start = next;
        if (at.end - next >= width &&
            memcmp(text + next, text + from.start, width) == 0) {
            move_add_span(m, to);
            at.start = next + width;
        }
    }
}

/* Whether a string's bytes are copied as they are; the pieces of an f-string
 * are looked into. */
static bool is_verbatim(const struct nodes *ns, uint32_t i)
{
    return node_is(ns, i, NODE_STRING_CONTENT) ||
           (node_is(ns, i, NODE_STRING) &&
            node_child_of(ns, i, NODE_INTERPOLATION) == NODE_NONE);
}

/* What is put for a use of a parameter; NULL: nothing. */
static const struct passed *put_for(const struct move *m, uint32_t i)
{
    const struct passed *b = NULL;
    bool splat = node_is(m->ns, i, NODE_LIST_SPLAT);

    if (splat)
        i = node_named_child(m->ns, i);
    if (node_is(m->ns, i, NODE_IDENTIFIER) &&
        names_symbol(m->names, i) != SYMBOL_NONE)
        b = passed_of(m, names_symbol(m->names, i));
    return b && b->put && b->value != NODE_NONE &&
                   splat == (b->last != NODE_NONE)
               ? b
               : NULL;
}

static void add_value(struct move *m, uint32_t place, const struct passed *b)
{
    uint32_t value = b->value;
    bool brackets;

    if (b->last != NODE_NONE) {
        move_add_span(m, nodes_span(m->ns, value, b->last));
        return;
    }
    brackets = needs_brackets(m->ns, place, value) ||
               (node_is(m->ns, value, NODE_INTEGER) &&
                node_is(m->ns, node_parent(m->ns, place), NODE_ATTRIBUTE));

    buf_adds(&m->out, brackets ? "(" : "");
    move_add_span(m, node_span(m->ns, value));
    buf_adds(&m->out, brackets ? ")" : "");
}

void move_add_nodes(struct move *m, struct span at, uint32_t node,
                    uint32_t past, struct span own, struct span indent)
{
    const struct nodes *ns = m->ns;
    uint32_t done = at.start;

    for (uint32_t i = node; i < past; i++) {
        struct span here = node_span(ns, i);
        struct bytes other = bytes_of(NULL, 0);
        const struct passed *b = NULL;
        bool verbatim;

        if (here.start < done)
            continue;
        verbatim = is_verbatim(ns, i);
        if (!verbatim && m->rewrite)
            other = m->rewrite(m, i);
        if (!verbatim && !other.data)
            other = renamed_to(m, i);
        if (!verbatim && !other.data)
            b = put_for(m, i);
        if (!verbatim && !other.data && !b)
            continue;
        add_lines(m, (struct span){ done, here.start }, own, indent);
        if (verbatim)
            move_add_span(m, here);
        else if (b)
            add_value(m, i, b);
        else
            buf_add(&m->out, other.data, other.len);
        done = here.end;
    }
    add_lines(m, (struct span){ done, at.end }, own, indent);
}

/* Whether an expression in a statement runs just once, when that begins. */
static bool runs_once(const struct nodes *ns, uint32_t statement, uint32_t node)
{
    uint32_t above = node; /* the child of the statement that holds it */

    while (node_parent(ns, above) != statement)
        above = node_parent(ns, above);
    switch (node_kind(ns, statement)) {
    case NODE_EXPRESSION_STATEMENT:
    case NODE_RETURN:
    case NODE_RAISE:
    case NODE_ASSERT:
    case NODE_DELETE:
    case NODE_WITH:
        return true;
    case NODE_IF:
        return ns->at[above].field == FIELD_condition;
    case NODE_MATCH:
        return ns->at[above].field == FIELD_subject;
    case NODE_FOR:
        return ns->at[above].field == FIELD_right;
    default:
        return false;
    }
}

uint32_t statement_of_call(const struct nodes *ns, uint32_t call)
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
    if (!runs_once(ns, node, call) || !starts_line(ns, node) ||
        (node_child_of(ns, node, NODE_BLOCK) == NODE_NONE &&
         !ends_line(ns, node)))
        return NODE_NONE;
    return node;
}

void move_add_line(struct move *m, struct span indent)
{
    if (m->out.len == 0)
        return;
    buf_adds(&m->out, newline_of(m->ns->text));
    move_add_span(m, indent);
}

void move_add_assignments(struct move *m, struct span indent)
{
    for (size_t i = 0; i < m->n; i++) {
        struct bytes name;
        uint32_t value = m->passed[i].value;
        bool open;

        if (m->passed[i].put)
            continue;
        open = spans_lines(m->ns, value) ||
               node_is(m->ns, value, NODE_NAMED_EXPRESSION);
        move_add_line(m, indent);
        name = renamed_to(m, m->passed[i].name);
        if (!name.data)
            name = node_text(m->ns, m->passed[i].name);
        buf_add(&m->out, name.data, name.len);
        buf_adds(&m->out, open ? " = (" : " = ");
        move_add_span(m, node_span(m->ns, value));
        buf_adds(&m->out, open ? ")" : "");
    }
}

void move_add_statements(struct move *m, struct span indent)
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
        own = statement_indent(ns, m->first);
    move_add_line(m, indent);
    move_add_nodes(
        m,
        (struct span){ node_span(ns, m->first).start, node_span(ns, last).end },
        m->first, past, own, indent);
}

char *move_take(struct move *m, size_t *len)
{
    char *text;

    if (m->out.len == 0)
        buf_adds(&m->out, "pass");
    if (m->out.full)
        return NULL;
    text = buf_take(&m->out, len);
    buf_init(&m->out, m->ns->text.len * 2 + 64);
    m->d->carries = true;
    return text;
}
