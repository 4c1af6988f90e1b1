/* An object that is only called becomes a function.
 *
 *     class K(Module):                    def K(n):
 *         def __init__(self, n):              m = 2
 *             super().__init__()              w = Linear(n)
 *             self.n = n                      def help(x):
 *             self.m = 2                          return m * x
 *             self.w = Linear(n)              def forward(x):
 *         def help(self, x):                      return w(help(x)) + n
 *             return self.m * x       ->      return forward
 *         def forward(self, x):           K(3)(y)
 *             return self.w(self.help(x)) + self.n
 *     K(3)(y)
 *
 * The calls stay as they are, so it is all the same how many objects there are
 * and where they are made. What the bases do is given up, which is for the
 * oracle; of a class without any, only `__call__` is looked for.
 *
 * Where a method uses what the base has, and is all that the class adds to it,
 * the object of the base is passed: `def K(self, x)`, and `K(a)(y)` is
 * `K(Base(a), y)`.
 *
 * With nothing in the object there is one function less: `def K(x)`, and each
 * `K(...)` is `K`. That needs all uses of the class to be calls.
 *
 * An attribute `a` becomes `a`, or `self_a` when the class has another use for
 * that name. `self.a = a`, with a parameter that is written nowhere, goes. */
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "grammar/gen/dissolve.h"
#include "grammar/gen/move.h"

/* Work is done for each attribute on all of the class; past this many, none
 * is, so that it stays linear. */
#define FIELDS_MAX 64

struct field {
    struct bytes name, plain;
    char *own;      /* plain, when it is not the name */
    bool bound;     /* by the class or by __init__ */
    bool method;    /* by a function of the class */
    uint32_t store; /* the first `self.a` written to, or NODE_NONE */
    size_t nstores;
};

struct closure {
    struct move m; /* first: see rewrite() */
    uint32_t class, body;
    uint32_t init, entry; /* entry: forward or __call__ */
    uint32_t self;        /* symbol: the object in what is being copied */
    bool calls_early;     /* __init__ uses a method */
    bool inherits;        /* some attribute comes from a base */
    struct field fields[FIELDS_MAX];
    size_t n;
};

static struct field *field_of(const struct closure *c, struct bytes name)
{
    for (size_t i = 0; i < c->n; i++)
        if (names_same(c->fields[i].name, name))
            return (struct field *)&c->fields[i];
    return NULL;
}

/* NULL when there are too many. */
static struct field *field_add(struct closure *c, struct bytes name)
{
    struct field *f = field_of(c, name);

    if (!f && c->n < FIELDS_MAX) {
        f = &c->fields[c->n++];
        *f = (struct field){ .name = name, .store = NODE_NONE };
    }
    return f;
}

/* What stands for a node of the class in its new place. */
static struct bytes rewrite(const struct move *m, uint32_t node)
{
    const struct closure *c = (const struct closure *)m;
    const struct field *f = NULL;

    if (node_is(m->ns, node, NODE_ATTRIBUTE)) {
        uint32_t object = node_field(m->ns, node, FIELD_object);

        if (node_is(m->ns, object, NODE_IDENTIFIER) && c->self != SYMBOL_NONE &&
            names_symbol(m->names, object) == c->self)
            f = field_of(
                c, node_text(m->ns, node_field(m->ns, node, FIELD_attribute)));
    } else if (node_is(m->ns, node, NODE_IDENTIFIER)) {
        uint32_t symbol = names_symbol(m->names, node);

        if (symbol != SYMBOL_NONE && names_home(m->names, symbol) == c->class)
            f = field_of(c, node_text(m->ns, node));
    }
    return f ? f->plain : bytes_of(NULL, 0);
}

/* Reading the class. */

/* Whether a node is within `super().__init__()`, which goes. */
static bool goes_with_super(const struct nodes *ns, uint32_t node)
{
    return is_super_init(ns, node_statement(ns, node));
}

/* What does nothing. */
static bool is_idle(const struct nodes *ns, uint32_t statement)
{
    return node_is(ns, statement, NODE_PASS) ||
           node_is_docstring(ns, statement) ||
           (node_is(ns, statement, NODE_EXPRESSION_STATEMENT) &&
            (is_literal(ns, node_named_child(ns, statement)) ||
             node_is(ns, node_named_child(ns, statement), NODE_STRING)));
}

static bool has_bases(const struct nodes *ns, uint32_t class)
{
    uint32_t bases = node_field(ns, class, FIELD_superclasses);

    return bases != NODE_NONE && node_named_child(ns, bases) != NODE_NONE &&
           !node_text_is(ns, node_named_child(ns, bases), "object");
}

/* Whether the attribute is used on anything but the object itself. */
static bool used_outside(const struct closure *c, struct bytes name)
{
    struct span all = node_span(c->m.ns, c->class);
    size_t n;
    const struct span *at = scopes_attributes(c->m.names->scopes, name, &n);

    for (size_t i = 0; i < n; i++)
        if (at[i].start < all.start || at[i].start >= all.end)
            return true;
    return false;
}

static bool read_function(struct closure *c, uint32_t function)
{
    const struct nodes *ns = c->m.ns;
    uint32_t name = node_field(ns, function, FIELD_name);
    struct bytes text;
    struct field *f;

    if (name == NODE_NONE || method_self(ns, function) == NODE_NONE ||
        !starts_line(ns, function) ||
        node_is(ns, node_named_sibling(ns, method_self(ns, function)),
                NODE_POSITIONAL_SEPARATOR))
        return false;
    if (node_text_is(ns, name, "__init__")) {
        bool first = c->init == NODE_NONE;

        c->init = function;
        return first;
    }
    text = node_text(ns, name);
    if (node_text_is(ns, name, "__call__") ||
        (node_text_is(ns, name, "forward") && has_bases(ns, c->class))) {
        if (c->entry != NODE_NONE)
            return false;
        c->entry = function;
    } else if (text.len > 1 && text.data[0] == '_' && text.data[1] == '_') {
        return false;
    }
    f = field_add(c, text);
    if (!f || f->bound || used_outside(c, text))
        return false;
    return f->bound = f->method = true;
}

/* `a = v` and `a: int = v`. */
static bool read_value(struct closure *c, uint32_t assignment)
{
    const struct nodes *ns = c->m.ns;
    uint32_t left = node_field(ns, assignment, FIELD_left);
    struct field *f;

    if (!node_is(ns, left, NODE_IDENTIFIER) ||
        node_field(ns, assignment, FIELD_right) == NODE_NONE)
        return false;
    f = field_add(c, node_text(ns, left));
    if (!f || f->method)
        return false;
    return f->bound = true;
}

static bool read_statements(struct closure *c)
{
    const struct nodes *ns = c->m.ns;

    for (uint32_t s = node_named_child(ns, c->body); s != NODE_NONE;
         s = node_named_sibling(ns, s)) {
        uint32_t inner = node_is(ns, s, NODE_EXPRESSION_STATEMENT)
                             ? node_named_child(ns, s)
                             : NODE_NONE;

        if (node_is(ns, s, NODE_FUNCTION)         ? !read_function(c, s)
            : node_is(ns, inner, NODE_ASSIGNMENT) ? !read_value(c, inner)
                                                  : !is_idle(ns, s))
            return false;
    }
    return c->entry != NODE_NONE;
}

/* The assignment whose only target is node; NODE_NONE when there is none. */
static uint32_t assignment_to(const struct nodes *ns, uint32_t node)
{
    uint32_t parent = node_parent(ns, node);

    return node_is(ns, parent, NODE_ASSIGNMENT) &&
                   ns->at[node].field == FIELD_left &&
                   node_is(ns, node_parent(ns, parent),
                           NODE_EXPRESSION_STATEMENT)
               ? parent
               : NODE_NONE;
}

/* Each use of the object is an attribute, written to in __init__ alone. */
static bool read_self(struct closure *c, uint32_t function)
{
    const struct names *names = c->m.names;
    const struct nodes *ns = c->m.ns;
    uint32_t self = method_self(ns, function);
    const struct occurrence *at;
    size_t n;

    if (names_symbol(names, self) == SYMBOL_NONE)
        return false;
    at = symbol_occurrences(names->scopes, names_symbol(names, self), &n);
    for (size_t i = 0; i < n; i++) {
        uint32_t node = names_node(names, at[i].at), up;
        struct field *f;

        if (node == self || (node != NODE_NONE && goes_with_super(ns, node)))
            continue;
        up = node == NODE_NONE ? NODE_NONE : node_parent(ns, node);
        if (at[i].role != OCC_LOAD || !node_is(ns, up, NODE_ATTRIBUTE) ||
            ns->at[node].field != FIELD_object)
            return false;
        f = field_add(c, node_text(ns, node_field(ns, up, FIELD_attribute)));
        if (!f)
            return false;
        if (!node_is_target(ns, up)) {
            c->calls_early |= function == c->init && f->method;
            continue;
        }
        if (function != c->init || names->scope_of[up] != function || f->method)
            return false;
        f->bound = true;
        if (f->nstores++ == 0)
            f->store = up;
    }
    return true;
}

static bool read_uses(struct closure *c)
{
    const struct nodes *ns = c->m.ns;

    for (uint32_t s = node_named_child(ns, c->body); s != NODE_NONE;
         s = node_named_sibling(ns, s))
        if (node_is(ns, s, NODE_FUNCTION) && s != c->init && !read_self(c, s))
            return false;
    if (c->init != NODE_NONE && !read_self(c, c->init))
        return false;
    for (size_t i = 0; i < c->n; i++)
        c->inherits |= !c->fields[i].bound;
    for (uint32_t i = c->body; i < ns->at[c->body].past; i++) {
        if (node_is(ns, i, NODE_RETURN) && c->init != NODE_NONE &&
            c->m.names->scope_of[i] == c->init)
            return false;
        if (node_is(ns, i, NODE_IDENTIFIER) &&
            (node_text_is(ns, i, "super") ||
             node_text_is(ns, i, "__class__")) &&
            !goes_with_super(ns, i))
            return false;
    }
    return true;
}

/* Whether the class is used for its attributes or as a base. */
static bool is_more(const struct closure *c)
{
    const struct names *names = c->m.names;
    const struct nodes *ns = c->m.ns;
    uint32_t name = node_field(ns, c->class, FIELD_name);
    const struct occurrence *at;
    size_t n;

    if (name == NODE_NONE || names_symbol(names, name) == SYMBOL_NONE)
        return true;
    at = symbol_occurrences(names->scopes, names_symbol(names, name), &n);
    for (size_t i = 0; i < n; i++) {
        uint32_t node = names_node(names, at[i].at), up;

        if (node == name)
            continue;
        if (node == NODE_NONE || at[i].role != OCC_LOAD)
            return true;
        if (node_holds(ns, c->class, node) && !goes_with_super(ns, node))
            return true;
        up = node_parent(ns, node);
        if ((node_is(ns, up, NODE_ATTRIBUTE) &&
             ns->at[node].field == FIELD_object) ||
            (node_is(ns, up, NODE_ARGUMENT_LIST) &&
             ns->at[up].field == FIELD_superclasses))
            return true;
    }
    return false;
}

/* Names. */

/* The parameter of __init__ that `self.a = a` copies; SYMBOL_NONE: it does
 * more. */
static uint32_t merged(const struct closure *c, const struct field *f)
{
    const struct nodes *ns = c->m.ns;
    uint32_t assignment, right, symbol;
    const struct occurrence *at;
    size_t loads, n;

    if (f->nstores != 1)
        return SYMBOL_NONE;
    assignment = assignment_to(ns, f->store);
    if (assignment == NODE_NONE ||
        node_parent(ns, node_parent(ns, node_parent(ns, assignment))) !=
            c->init)
        return SYMBOL_NONE;
    right = node_field(ns, assignment, FIELD_right);
    if (!node_is(ns, right, NODE_IDENTIFIER) ||
        !names_same(node_text(ns, right), f->name))
        return SYMBOL_NONE;
    symbol = names_symbol(c->m.names, right);
    if (symbol == SYMBOL_NONE || names_home(c->m.names, symbol) != c->init ||
        names_writes(c->m.names, symbol, &loads) != 1)
        return SYMBOL_NONE;
    at = symbol_occurrences(c->m.names->scopes, symbol, &n);
    return at[0].at.start <
                   node_span(ns, node_field(ns, c->init, FIELD_body)).start
               ? symbol
               : SYMBOL_NONE;
}

/* Whether nothing else in the class has that name. */
static bool is_free(const struct closure *c, const struct field *f,
                    struct bytes text)
{
    const struct nodes *ns = c->m.ns;
    uint32_t own = names_same(text, f->name) ? merged(c, f) : SYMBOL_NONE;

    for (size_t i = 0; i < c->n; i++)
        if (&c->fields[i] != f && names_same(c->fields[i].name, text))
            return false;
    for (uint32_t i = c->body; i < ns->at[c->body].past; i++) {
        uint32_t symbol;

        if (!node_is(ns, i, NODE_IDENTIFIER) ||
            !names_same(node_text(ns, i), text))
            continue;
        symbol = names_symbol(c->m.names, i);
        if (symbol != SYMBOL_NONE && symbol != own &&
            !(f->bound && names_home(c->m.names, symbol) == c->class))
            return false;
    }
    return true;
}

static bool name_fields(struct closure *c)
{
    for (size_t i = 0; i < c->n; i++) {
        struct field *f = &c->fields[i];
        static const char front[] = "self_";
        size_t len = sizeof(front) - 1 + f->name.len;

        f->plain = f->name;
        if (is_free(c, f, f->name))
            continue;
        f->own = xcalloc(len + 1, 1);
        memcpy(f->own, front, sizeof(front) - 1);
        memcpy(f->own + sizeof(front) - 1, f->name.data, f->name.len);
        f->plain = bytes_of(f->own, len);
        if (!is_free(c, f, f->plain))
            return false;
    }
    return true;
}

/* Writing. */

static void add_text(struct closure *c, const char *text)
{
    buf_adds(&c->m.out, text);
}

static void add_bytes(struct closure *c, struct bytes text)
{
    buf_add(&c->m.out, text.data, text.len);
}

/* What stands between the first parameter and the closing bracket. */
static void add_parameters(struct closure *c, uint32_t function)
{
    const struct nodes *ns = c->m.ns;
    uint32_t self = method_self(ns, function);
    uint32_t next = node_named_sibling(ns, self), list = node_parent(ns, self);

    if (next == NODE_NONE)
        add_text(c, ")");
    else
        move_add_span(&c->m, (struct span){ node_span(ns, next).start,
                                            node_span(ns, list).end });
}

/* A method as a function of that name, without its first parameter. */
static void add_method(struct closure *c, uint32_t function, struct bytes name,
                       struct span indent)
{
    const struct nodes *ns = c->m.ns;
    struct span at = node_span(ns, function);
    uint32_t list = node_field(ns, function, FIELD_parameters);

    c->self = names_symbol(c->m.names, method_self(ns, function));
    move_add_line(&c->m, indent);
    move_add_span(
        &c->m, (struct span){
                   at.start,
                   node_span(ns, node_field(ns, function, FIELD_name)).start });
    add_bytes(c, name);
    move_add_span(
        &c->m,
        (struct span){ node_span(ns, node_field(ns, function, FIELD_name)).end,
                       node_span(ns, list).start + 1 });
    add_parameters(c, function);
    move_add_nodes(&c->m, (struct span){ node_span(ns, list).end, at.end },
                   ns->at[list].past, ns->at[function].past,
                   statement_indent(ns, function), indent);
}

static void add_methods(struct closure *c, struct span indent)
{
    const struct nodes *ns = c->m.ns;

    for (uint32_t s = node_named_child(ns, c->body); s != NODE_NONE;
         s = node_named_sibling(ns, s))
        if (node_is(ns, s, NODE_FUNCTION) && s != c->init)
            add_method(c, s,
                       field_of(c, node_text(ns, node_field(ns, s, FIELD_name)))
                           ->plain,
                       indent);
}

static void add_statement(struct closure *c, uint32_t s, struct span own,
                          struct span indent)
{
    move_add_line(&c->m, indent);
    move_add_nodes(&c->m, node_span(c->m.ns, s), s, c->m.ns->at[s].past, own,
                   indent);
}

/* Whether a statement of __init__ is `self.a = a` of one and the same. */
static bool is_merged(const struct closure *c, uint32_t statement)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct field *f = &c->fields[i];

        if (!f->own && f->store != NODE_NONE &&
            node_holds(c->m.ns, statement, f->store) &&
            merged(c, f) != SYMBOL_NONE)
            return true;
    }
    return false;
}

static void add_values(struct closure *c, struct span indent)
{
    const struct nodes *ns = c->m.ns;

    for (uint32_t s = node_named_child(ns, c->body); s != NODE_NONE;
         s = node_named_sibling(ns, s))
        if (node_is(ns, s, NODE_EXPRESSION_STATEMENT) && !is_idle(ns, s))
            add_statement(c, s,
                          starts_line(ns, s) ? statement_indent(ns, s)
                                             : (struct span){ 0, 0 },
                          indent);
}

static void add_init(struct closure *c, struct span indent)
{
    const struct nodes *ns = c->m.ns;
    uint32_t body = node_field(ns, c->init, FIELD_body);
    uint32_t first = node_named_child(ns, body);
    struct span own = { 0, 0 };

    if (first != NODE_NONE && starts_line(ns, first))
        own = statement_indent(ns, first);
    c->self = names_symbol(c->m.names, method_self(ns, c->init));
    for (uint32_t s = first; s != NODE_NONE; s = node_named_sibling(ns, s))
        if (!is_idle(ns, s) && !is_super_init(ns, s) && !is_merged(c, s))
            add_statement(c, s, own, indent);
}

static void put(struct closure *c)
{
    const struct nodes *ns = c->m.ns;
    char *text;
    size_t len;

    text = move_take(&c->m, &len);
    if (text)
        draft_replace_taken(c->m.d, node_span(ns, c->class), text, len);
    else
        draft_spoil(c->m.d);
}

/* Whether all uses of the class are calls; what these pass goes when `drop`. */
static bool find_sites(const struct closure *c, bool drop)
{
    const struct names *names = c->m.names;
    const struct nodes *ns = c->m.ns;
    uint32_t name = node_field(ns, c->class, FIELD_name);
    const struct occurrence *at;
    size_t n;

    at = symbol_occurrences(names->scopes, names_symbol(names, name), &n);
    for (size_t i = 0; i < n; i++) {
        uint32_t node = names_node(names, at[i].at), call, arguments;

        if (node_holds(ns, c->class, node))
            continue;
        call = node_parent(ns, node);
        arguments = node_child_of(ns, call, NODE_ARGUMENT_LIST);
        if (!node_is(ns, call, NODE_CALL) || arguments == NODE_NONE ||
            ns->at[node].field != FIELD_function)
            return false;
        if (drop)
            draft_delete(c->m.d, node_span(ns, arguments));
    }
    return true;
}

/* Nothing is in the object: the class is the function. */
static bool is_empty(const struct closure *c)
{
    const struct nodes *ns = c->m.ns;
    uint32_t body = NODE_NONE;

    if (c->n != 1) /* of the entry */
        return false;
    if (c->init != NODE_NONE)
        body = node_field(ns, c->init, FIELD_body);
    for (uint32_t s = body == NODE_NONE ? NODE_NONE
                                        : node_named_child(ns, body);
         s != NODE_NONE; s = node_named_sibling(ns, s))
        if (!is_idle(ns, s) && !is_super_init(ns, s))
            return false;
    return find_sites(c, false);
}

static void offer_function(struct closure *c)
{
    const struct nodes *ns = c->m.ns;

    draft_begin(c->m.d, node_span(ns, c->class));
    find_sites(c, true);
    add_method(c, c->entry, node_text(ns, node_field(ns, c->class, FIELD_name)),
               statement_indent(ns, c->class));
    put(c);
    draft_end(c->m.d);
}

static void offer_closure(struct closure *c)
{
    const struct nodes *ns = c->m.ns;
    struct span indent = statement_indent(ns, c->entry);
    uint32_t name = node_field(ns, c->entry, FIELD_name);

    draft_begin(c->m.d, node_span(ns, c->class));
    add_text(c, "def ");
    add_bytes(c, node_text(ns, node_field(ns, c->class, FIELD_name)));
    add_text(c, "(");
    if (c->init != NODE_NONE)
        add_parameters(c, c->init);
    else
        add_text(c, ")");
    add_text(c, ":");
    c->self = SYMBOL_NONE;
    add_values(c, indent);
    if (c->calls_early)
        add_methods(c, indent);
    if (c->init != NODE_NONE)
        add_init(c, indent);
    if (!c->calls_early)
        add_methods(c, indent);
    move_add_line(&c->m, indent);
    add_text(c, "return ");
    add_bytes(c, field_of(c, node_text(ns, name))->plain);
    put(c);
    draft_end(c->m.d);
}

/* The only base, when the class adds one method to it and nothing else. */
static uint32_t base_of(const struct closure *c)
{
    const struct nodes *ns = c->m.ns;
    uint32_t bases = node_field(ns, c->class, FIELD_superclasses);
    uint32_t name = node_field(ns, c->entry, FIELD_name);

    if (bases == NODE_NONE || count_named(ns, bases) != 1 ||
        !is_dotted(ns, node_named_child(ns, bases)) || c->init != NODE_NONE)
        return NODE_NONE;
    for (size_t i = 0; i < c->n; i++)
        if (c->fields[i].bound &&
            !names_same(c->fields[i].name, node_text(ns, name)))
            return NODE_NONE;
    return node_named_child(ns, bases);
}

/* `K(a)(y)` to `K(Base(a), y)`. */
static void pass_object(struct closure *c, uint32_t name, uint32_t call,
                        struct bytes base)
{
    const struct nodes *ns = c->m.ns;
    uint32_t made = node_field(ns, call, FIELD_function);
    uint32_t arguments = node_child_of(ns, call, NODE_ARGUMENT_LIST);
    uint32_t first = node_named_child(ns, arguments);
    uint32_t end = node_span(ns, name).end;
    struct span between = { node_span(ns, made).end,
                            node_span(ns, call).end - 1 };

    draft_replace_taken(c->m.d, (struct span){ end, end },
                        xasprintf("(%.*s", (int)base.len, base.data),
                        base.len + 1);
    if (first != NODE_NONE)
        between.end = node_span(ns, first).start;
    draft_replaces(c->m.d, between, first == NODE_NONE ? "" : ", ");
}

/* False when an object has another use than to be called. */
static bool pass_objects(struct closure *c, struct bytes base)
{
    const struct names *names = c->m.names;
    const struct nodes *ns = c->m.ns;
    uint32_t name = node_field(ns, c->class, FIELD_name);
    const struct occurrence *at;
    size_t n;

    at = symbol_occurrences(names->scopes, names_symbol(names, name), &n);
    for (size_t i = 0; i < n; i++) {
        uint32_t node = names_node(names, at[i].at), made, call;

        if (node == name)
            continue;
        made = node_parent(ns, node);
        call = node_parent(ns, made);
        if (!node_is(ns, call, NODE_CALL) ||
            ns->at[made].field != FIELD_function ||
            node_child_of(ns, call, NODE_ARGUMENT_LIST) == NODE_NONE)
            return false;
        pass_object(c, node, call, base);
    }
    return n > 1;
}

static void offer_heir(struct closure *c)
{
    const struct nodes *ns = c->m.ns;
    uint32_t base = base_of(c);
    struct span at = node_span(ns, c->entry);
    uint32_t name = node_field(ns, c->entry, FIELD_name);

    if (base == NODE_NONE || !find_sites(c, false))
        return;
    draft_begin(c->m.d, node_span(ns, c->class));
    c->self = SYMBOL_NONE;
    move_add_span(&c->m, (struct span){ at.start, node_span(ns, name).start });
    add_bytes(c, node_text(ns, node_field(ns, c->class, FIELD_name)));
    move_add_nodes(&c->m, (struct span){ node_span(ns, name).end, at.end },
                   ns->at[name].past, ns->at[c->entry].past,
                   statement_indent(ns, c->entry),
                   statement_indent(ns, c->class));
    put(c);
    if (pass_objects(c, node_text(ns, base)))
        draft_end(c->m.d);
}

static bool read_class(struct closure *c)
{
    const struct nodes *ns = c->m.ns;

    c->body = node_field(ns, c->class, FIELD_body);
    return c->body != NODE_NONE && starts_line(ns, c->class) &&
           !node_is(ns, node_parent(ns, c->class), NODE_DECORATED) &&
           !node_is(ns, c->m.names->scope_of[c->class], NODE_CLASS) &&
           node_field(ns, c->class, FIELD_type_parameters) == NODE_NONE &&
           read_statements(c) && !is_more(c) && read_uses(c) && name_fields(c);
}

void dissolve_closure(struct draft *d, const struct names *names,
                      uint32_t class)
{
    struct closure *c = xcalloc(1, sizeof(*c));

    c->class = class;
    c->init = c->entry = NODE_NONE;
    c->self = SYMBOL_NONE;
    move_open(&c->m, d, names);
    c->m.rewrite = rewrite;
    if (read_class(c))
        (c->inherits   ? offer_heir
         : is_empty(c) ? offer_function
                       : offer_closure)(c);
    move_deinit(&c->m);
    for (size_t i = 0; i < c->n; i++)
        free(c->fields[i].own);
    free(c);
}
