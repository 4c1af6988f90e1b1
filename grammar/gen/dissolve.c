/* An object that is made once becomes plain names.
 *
 *     class K:                     b = 1
 *         b = 1                    c = f()
 *         def __init__(self, p):   x_d = g
 *             self.c = p     ->    h(c)
 *             self.d = g
 *     x = K(f())
 *     h(x.c)
 *
 * A class without bases or decorators (or a dataclass, or a module whose call
 * is `forward`) that is used for one call only, whose object is dropped, has
 * one name x of which nothing but attributes is used, or gives one attribute at
 * once, `K().a`; `x(y)` uses the attribute that it calls. At the call:
 * what the class assigns, the fields of a dataclass, the parameters that can't
 * be substituted, the body of __init__. Methods that are left become functions
 * where the class was.
 *
 * An attribute `a` becomes the name `a`, or `x_a` (`K_a`), whichever is free in
 * the scope of the call, is not bound in one between it and a use, and is not
 * read or bound by what moves. `self.a = a` with a parameter or variable `a`
 * that is not written later is the same name on both sides and no clash. What
 * is assigned in another scope than that of x stays an attribute: no offer. */
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "grammar/gen/dissolve.h"
#include "grammar/gen/move.h"

void gen_dissolve(struct gen *g);

/* Work is done for each attribute on all of the class; past this many, none
 * is, so that it stays linear. */
#define FIELDS_MAX 64

/* What the object's attributes are called afterwards. */
struct field {
    struct bytes name, plain;
    char *own;  /* plain, when it is not the name */
    bool bound; /* by the class, by __init__ or through x */
};

/* `x.a`, or `self.a`. */
struct use {
    uint32_t node, field;
    uint32_t home; /* the scope that the object's name is of */
    bool stored;
};

struct object {
    struct move m; /* first: see rewrite() */
    uint32_t class, statement, body;
    uint32_t init; /* __init__ or __post_init__, or NODE_NONE */
    bool is_dataclass;
    const char *called;    /* the method that `x()` calls */
    uint32_t place, scope; /* the statement of the call, and where it is */
    uint32_t name;         /* x, or NODE_NONE */
    uint32_t taken;        /* `K().a`, `K()` of `K()()`, or NODE_NONE */
    uint32_t self;         /* symbol: the object in what is being copied */
    size_t nmethods;
    struct field fields[FIELDS_MAX];
    size_t nfields;
    struct use *uses;
    size_t nuses, uses_room;
};

static bool is_special(struct bytes name)
{
    return name.len > 1 && name.data[0] == '_' && name.data[1] == '_';
}

static struct field *field_of(const struct object *o, struct bytes name)
{
    for (size_t i = 0; i < o->nfields; i++)
        if (names_same(o->fields[i].name, name))
            return (struct field *)&o->fields[i];
    return NULL;
}

/* NULL when there are too many. */
static struct field *field_add(struct object *o, struct bytes name)
{
    struct field *f = field_of(o, name);

    if (!f && o->nfields < FIELDS_MAX) {
        f = &o->fields[o->nfields++];
        *f = (struct field){ .name = name };
    }
    return f;
}

bool is_super_init(const struct nodes *ns, uint32_t statement)
{
    uint32_t call = NODE_NONE, function, made;

    if (node_is(ns, statement, NODE_EXPRESSION_STATEMENT))
        call = node_named_child(ns, statement);
    if (!node_is(ns, call, NODE_CALL))
        return false;
    function = node_field(ns, call, FIELD_function);
    if (!node_is(ns, function, NODE_ATTRIBUTE) ||
        !node_text_is(ns, node_field(ns, function, FIELD_attribute),
                      "__init__"))
        return false;
    made = node_field(ns, function, FIELD_object);
    return node_is(ns, made, NODE_CALL) &&
           node_text_is(ns, node_field(ns, made, FIELD_function), "super");
}

/* What stands for a node of the class in its new place. */
static struct bytes rewrite(const struct move *m, uint32_t node)
{
    const struct object *o = (const struct object *)m;
    const struct field *f = NULL;
    uint32_t symbol, object;

    if (is_super_init(m->ns, node))
        return bytes_of("pass", 4);
    if (node_is(m->ns, node, NODE_ATTRIBUTE)) {
        object = node_field(m->ns, node, FIELD_object);
        if (node_is(m->ns, object, NODE_IDENTIFIER) && o->self != SYMBOL_NONE &&
            names_symbol(m->names, object) == o->self)
            f = field_of(
                o, node_text(m->ns, node_field(m->ns, node, FIELD_attribute)));
    } else if (node_is(m->ns, node, NODE_IDENTIFIER)) {
        symbol = names_symbol(m->names, node);
        if (symbol != SYMBOL_NONE && symbol == o->self &&
            names_call_of(m->ns, node) != NODE_NONE)
            f = field_of(o, bytes_of(o->called, strlen(o->called)));
        else if (symbol != SYMBOL_NONE &&
                 names_home(m->names, symbol) == o->class)
            f = field_of(o, node_text(m->ns, node));
    }
    return f ? f->plain : bytes_of(NULL, 0);
}

/* Reading the class. */

static bool is_dataclass(const struct nodes *ns, uint32_t decorator)
{
    uint32_t name = node_named_child(ns, decorator);

    if (node_is(ns, name, NODE_CALL))
        name = node_field(ns, name, FIELD_function);
    return name != NODE_NONE &&
           (node_text_is(ns, name, "dataclass") ||
            node_text_is(ns, name, "dataclasses.dataclass"));
}

/* A class with this method. */
static bool has_method(const struct nodes *ns, uint32_t body, const char *name)
{
    for (uint32_t s = body == NODE_NONE ? body : node_named_child(ns, body);
         s != NODE_NONE; s = node_named_sibling(ns, s))
        if (node_is(ns, s, NODE_FUNCTION) &&
            node_field(ns, s, FIELD_name) != NODE_NONE &&
            node_text_is(ns, node_field(ns, s, FIELD_name), name))
            return true;
    return false;
}

static bool read_header(struct object *o)
{
    const struct nodes *ns = o->m.ns;
    uint32_t bases = node_field(ns, o->class, FIELD_superclasses);
    uint32_t decorated = node_parent(ns, o->class);

    o->statement = o->class;
    o->body = node_field(ns, o->class, FIELD_body);
    if (node_is(ns, decorated, NODE_DECORATED)) {
        o->statement = decorated;
        if (count_named(ns, decorated) != 2 ||
            !is_dataclass(ns, node_named_child(ns, decorated)))
            return false;
        o->is_dataclass = true;
    }
    if (bases != NODE_NONE && node_named_child(ns, bases) != NODE_NONE) {
        uint32_t base = node_named_child(ns, bases);

        if (node_text_is(ns, base, "NamedTuple") ||
            node_text_is(ns, base, "typing.NamedTuple"))
            o->is_dataclass = true; /* as far as this goes */
        else if (is_dotted(ns, base) && has_method(ns, o->body, "forward"))
            o->called = "forward";
        else if (!node_text_is(ns, base, "object"))
            return false;
        if (count_named(ns, bases) > 1)
            return false;
    }
    return o->body != NODE_NONE &&
           node_field(ns, o->class, FIELD_type_parameters) == NODE_NONE;
}

/* Whether the annotation of an assignment is made with this name. */
static bool is_annotated(const struct nodes *ns, uint32_t assignment,
                         const char *name)
{
    uint32_t type = node_field(ns, assignment, FIELD_type);

    for (uint32_t i = type; type != NODE_NONE && i < ns->at[type].past; i++)
        if (node_is(ns, i, NODE_IDENTIFIER) && node_text_is(ns, i, name))
            return true;
    return false;
}

/* The assignment that a statement of the class is, `__slots__` left out. */
static uint32_t class_value(const struct nodes *ns, uint32_t statement)
{
    uint32_t node = NODE_NONE, left;

    if (node_is(ns, statement, NODE_EXPRESSION_STATEMENT))
        node = node_named_child(ns, statement);
    if (!node_is(ns, node, NODE_ASSIGNMENT))
        return NODE_NONE;
    left = node_field(ns, node, FIELD_left);
    return node_text_is(ns, left, "__slots__") ? NODE_NONE : node;
}

static bool read_value(struct object *o, uint32_t assignment)
{
    const struct nodes *ns = o->m.ns;
    uint32_t left = node_field(ns, assignment, FIELD_left);
    bool bound =
        o->is_dataclass || node_field(ns, assignment, FIELD_right) != NODE_NONE;

    for (uint32_t i = left; i < ns->at[left].past; i++) {
        struct field *f;

        if (node_is(ns, i, NODE_ATTRIBUTE) || node_is(ns, i, NODE_SUBSCRIPT))
            return false;
        if (!node_is(ns, i, NODE_IDENTIFIER))
            continue;
        if (is_special(node_text(ns, i)))
            return false;
        f = field_add(o, node_text(ns, i));
        if (!f)
            return false;
        f->bound |= bound;
    }
    return !node_is(ns, node_field(ns, assignment, FIELD_right),
                    NODE_ASSIGNMENT) &&
           !is_annotated(ns, assignment, "InitVar");
}

static bool read_function(struct object *o, uint32_t function)
{
    const struct nodes *ns = o->m.ns;
    uint32_t name = node_field(ns, function, FIELD_name);
    struct field *f;

    if (name == NODE_NONE)
        return false;
    if (node_text_is(ns, name, "__init__") ||
        (o->is_dataclass && node_text_is(ns, name, "__post_init__"))) {
        if (o->init != NODE_NONE)
            return false;
        o->init = function;
        return true;
    }
    f = field_add(o, node_text(ns, name));
    if (!f || (is_special(f->name) && !node_text_is(ns, name, o->called)) ||
        !starts_line(ns, function))
        return false;
    f->bound = true;
    o->nmethods++;
    return true;
}

static bool read_statements(struct object *o)
{
    const struct nodes *ns = o->m.ns;

    for (uint32_t s = node_named_child(ns, o->body); s != NODE_NONE;
         s = node_named_sibling(ns, s)) {
        uint32_t value = class_value(ns, s);

        if (node_is(ns, s, NODE_FUNCTION)) {
            if (!read_function(o, s))
                return false;
        } else if (value != NODE_NONE) {
            if (!read_value(o, value))
                return false;
        } else if (!node_is(ns, s, NODE_PASS) &&
                   !(node_is(ns, s, NODE_EXPRESSION_STATEMENT) &&
                     (is_literal(ns, node_named_child(ns, s)) ||
                      node_is(ns, node_named_child(ns, s), NODE_STRING) ||
                      node_is(ns, node_named_child(ns, s), NODE_ASSIGNMENT)))) {
            return false;
        }
    }
    for (uint32_t i = o->class; i < ns->at[o->class].past; i++)
        if (node_is(ns, i, NODE_IDENTIFIER) &&
            (node_text_is(ns, i, "super") ||
             node_text_is(ns, i, "__class__")) &&
            !is_super_init(ns, node_statement(ns, i)))
            return false;
    return true;
}

/* A dataclass with an __init__ of its own gets none. */
static bool has_fields(const struct object *o)
{
    return o->is_dataclass &&
           (o->init == NODE_NONE ||
            node_text_is(o->m.ns, node_field(o->m.ns, o->init, FIELD_name),
                         "__post_init__"));
}

/* The place of the call. */

bool node_is_target(const struct nodes *ns, uint32_t node)
{
    uint32_t parent = node_parent(ns, node);

    while (is_targets(ns, parent) ||
           node_is(ns, parent, NODE_LIST_SPLAT_PATTERN) ||
           node_is(ns, parent, NODE_EXPRESSION_LIST)) {
        node = parent;
        parent = node_parent(ns, node);
    }
    switch (node_kind(ns, parent)) {
    case NODE_ASSIGNMENT:
    case NODE_AUGMENTED_ASSIGNMENT:
    case NODE_FOR:
    case NODE_FOR_IN_CLAUSE:
        return ns->at[node].field == FIELD_left;
    case NODE_DELETE:
    case NODE_AS_PATTERN_TARGET:
        return true;
    default:
        return false;
    }
}

static bool find_place(struct object *o)
{
    const struct nodes *ns = o->m.ns;
    uint32_t call, parent;
    size_t loads;

    if (o->m.callee.escapes || o->m.callee.nsites != 1 ||
        !o->m.callee.sites[0].direct)
        return false;
    o->m.site = &o->m.callee.sites[0];
    call = o->m.site->call;
    o->place = statement_of_call(ns, call);
    if (o->place == NODE_NONE || node_holds(ns, o->statement, o->place))
        return false;
    o->scope = o->m.names->scope_of[o->place];
    parent = node_parent(ns, call);
    if (node_is(ns, o->scope, NODE_CLASS))
        return false;
    if (node_is(ns, parent, NODE_EXPRESSION_STATEMENT))
        return true;
    if (node_is(ns, parent, NODE_ATTRIBUTE)) {
        o->taken = parent;
        return !node_is_target(ns, parent);
    }
    if (names_call_of(ns, call) != NODE_NONE) {
        o->taken = call;
        return true;
    }
    o->name = node_field(ns, parent, FIELD_left);
    return node_is(ns, parent, NODE_ASSIGNMENT) &&
           node_parent(ns, parent) == o->place &&
           count_named(ns, o->place) == 1 &&
           node_is(ns, o->name, NODE_IDENTIFIER) &&
           names_writes(o->m.names, names_symbol(o->m.names, o->name),
                        &loads) == 1;
}

/* Uses of the object. */

static void use_add(struct object *o, struct use use)
{
    xgrow(&o->uses, &o->uses_room, o->nuses + 1, sizeof(*o->uses));
    o->uses[o->nuses++] = use;
}

/* Each use of a symbol but its binding is an attribute; stores are in the
 * scope `home`, and there when `may_store`. */
static bool read_uses(struct object *o, uint32_t identifier, uint32_t home,
                      bool may_store)
{
    const struct names *names = o->m.names;
    const struct nodes *ns = o->m.ns;
    uint32_t symbol = names_symbol(names, identifier);
    const struct occurrence *at;
    size_t n;

    if (symbol == SYMBOL_NONE)
        return false;
    at = symbol_occurrences(names->scopes, symbol, &n);
    for (size_t i = 0; i < n; i++) {
        uint32_t node = names_node(names, at[i].at), up;
        struct field *f;
        bool stored;

        if (node == identifier ||
            (node != NODE_NONE && is_super_init(ns, node_statement(ns, node))))
            continue;
        up = node == NODE_NONE ? NODE_NONE : node_parent(ns, node);
        if (at[i].role == OCC_LOAD && node != NODE_NONE &&
            names_call_of(ns, node) != NODE_NONE) {
            f = field_add(o, bytes_of(o->called, strlen(o->called)));
            if (!f)
                return false;
            use_add(o, (struct use){ node, (uint32_t)(f - o->fields), home,
                                     false });
            continue;
        }
        if (at[i].role != OCC_LOAD || !node_is(ns, up, NODE_ATTRIBUTE) ||
            ns->at[node].field != FIELD_object)
            return false;
        f = field_add(o, node_text(ns, node_field(ns, up, FIELD_attribute)));
        stored = node_is_target(ns, up);
        if (!f || (stored && (!may_store || names->scope_of[up] != home)))
            return false;
        f->bound |= stored;
        use_add(o, (struct use){ up, (uint32_t)(f - o->fields), home, stored });
    }
    return true;
}

/* `K().a`, or the `K()` of `K()()`. */
static bool read_taken(struct object *o)
{
    const struct nodes *ns = o->m.ns;
    struct bytes name = bytes_of(o->called, strlen(o->called));
    struct field *f;

    if (node_is(ns, o->taken, NODE_ATTRIBUTE))
        name = node_text(ns, node_field(ns, o->taken, FIELD_attribute));
    f = field_add(o, name);

    if (f)
        use_add(o, (struct use){ o->taken, (uint32_t)(f - o->fields), o->scope,
                                 false });
    return f != NULL;
}

/* The identifier of the first parameter. */
uint32_t method_self(const struct nodes *ns, uint32_t function)
{
    uint32_t list = node_field(ns, function, FIELD_parameters);
    uint32_t self = list == NODE_NONE ? NODE_NONE : node_named_child(ns, list);

    return node_is(ns, self, NODE_IDENTIFIER) ? self : NODE_NONE;
}

static bool read_all_uses(struct object *o)
{
    const struct nodes *ns = o->m.ns;

    if ((o->name != NODE_NONE && !read_uses(o, o->name, o->scope, true)) ||
        (o->taken != NODE_NONE && !read_taken(o)))
        return false;
    for (uint32_t s = node_named_child(ns, o->body); s != NODE_NONE;
         s = node_named_sibling(ns, s))
        if (node_is(ns, s, NODE_FUNCTION) &&
            (method_self(ns, s) == NODE_NONE ||
             !read_uses(o, method_self(ns, s), s, s == o->init)))
            return false;
    for (size_t i = 0; i < o->nfields; i++)
        if (!o->fields[i].bound)
            return false;
    return true;
}

/* Names. */

/* Whether `self.a = a` at the end of what a variable is written for is the only
 * assignment to the field in __init__. */
static bool merges(const struct object *o, const struct field *f,
                   uint32_t symbol)
{
    const struct nodes *ns = o->m.ns;
    const struct use *store = NULL;
    const struct occurrence *at;
    struct span here;
    uint32_t up, right;
    size_t n;

    for (size_t i = 0; i < o->nuses; i++) {
        const struct use *use = &o->uses[i];

        if (&o->fields[use->field] != f || use->home != o->init)
            continue;
        if (!store && !use->stored)
            return false;
        if (store && use->stored)
            return false;
        if (use->stored)
            store = use;
    }
    up = store ? node_parent(ns, store->node) : NODE_NONE;
    if (!node_is(ns, up, NODE_ASSIGNMENT) ||
        node_parent(ns, node_parent(ns, up)) != o->m.body)
        return false;
    right = node_field(ns, up, FIELD_right);
    if (!node_is(ns, right, NODE_IDENTIFIER) ||
        names_symbol(o->m.names, right) != symbol)
        return false;
    here = node_span(ns, up);
    at = symbol_occurrences(o->m.names->scopes, symbol, &n);
    for (size_t i = 0; i < n; i++)
        if (at[i].role != OCC_LOAD && at[i].at.start > here.start)
            return false;
    return true;
}

/* Whether a scope from a node up to `home` (left out) binds the name. */
static bool bound_between(const struct names *names, uint32_t node,
                          uint32_t home, struct bytes text)
{
    for (uint32_t scope = names->scope_of[node]; scope != home && scope != 0;
         scope = names->scope_of[scope])
        if (names_bound_in(names, scope, text))
            return true;
    return false;
}

/* Whether the class uses the name for something that will not be the field. */
static bool class_needs(const struct object *o, const struct field *f,
                        struct bytes text)
{
    const struct nodes *ns = o->m.ns;

    for (uint32_t i = o->body; i < ns->at[o->body].past; i++) {
        uint32_t symbol = SYMBOL_NONE, home;
        const struct passed *passed;

        if (node_is(ns, i, NODE_IDENTIFIER) &&
            names_same(node_text(ns, i), text))
            symbol = names_symbol(o->m.names, i);
        if (symbol == SYMBOL_NONE)
            continue;
        home = names_home(o->m.names, symbol);
        if (home != NODE_NONE && home != o->init &&
            node_holds(ns, o->class, home))
            continue; /* a field's, or seen by bound_between() */
        passed = passed_of(&o->m, symbol);
        if (home == o->init &&
            ((passed && passed->put) || merges(o, f, symbol)))
            continue;
        return true;
    }
    return false;
}

static bool can_be_called(const struct object *o, const struct field *f,
                          struct bytes text)
{
    const struct names *names = o->m.names;
    bool is_name =
        o->name != NODE_NONE && names_same(node_text(o->m.ns, o->name), text);

    if (!is_name && !names_free_in(names, o->scope, text))
        return false;
    for (size_t i = 0; i < o->nfields; i++)
        if (&o->fields[i] != f && o->fields[i].plain.data &&
            names_same(o->fields[i].plain, text))
            return false;
    for (size_t i = 0; i < o->nuses; i++) {
        const struct use *use = &o->uses[i];
        uint32_t home = use->home;

        if (home != o->scope && home != o->init)
            home = o->class; /* the method's own names count, too */
        if (&o->fields[use->field] == f &&
            bound_between(names, use->node, home, text))
            return false;
    }
    return !class_needs(o, f, text);
}

static bool name_field(struct object *o, struct field *f)
{
    struct bytes name;
    size_t len;

    if (can_be_called(o, f, f->name)) {
        f->plain = f->name;
        return true;
    }
    if (o->name == NODE_NONE && o->taken == NODE_NONE)
        return false;
    name = node_text(o->m.ns, o->name != NODE_NONE
                                  ? o->name
                                  : node_field(o->m.ns, o->class, FIELD_name));
    len = name.len + 1 + f->name.len;
    f->own = xcalloc(len + 1, 1);
    memcpy(f->own, name.data, name.len);
    f->own[name.len] = '_';
    memcpy(f->own + name.len + 1, f->name.data, f->name.len);
    f->plain = bytes_of(f->own, len);
    return can_be_called(o, f, f->plain);
}

static bool name_fields(struct object *o)
{
    for (size_t i = 0; i < o->nfields; i++)
        if (!name_field(o, &o->fields[i]))
            return false;
    return true;
}

/* Writing. */

static void add_class_statement(struct object *o, uint32_t s,
                                struct span indent)
{
    const struct nodes *ns = o->m.ns;
    struct span own = { 0, 0 };

    if (starts_line(ns, s))
        own = statement_indent(ns, s);
    move_add_line(&o->m, indent);
    move_add_nodes(&o->m, node_span(ns, s), s, ns->at[s].past, own, indent);
}

/* `field(default=v)` is v, `field(default_factory=f)` is f(). */
static uint32_t default_of(const struct nodes *ns, uint32_t value, bool *called)
{
    uint32_t arguments = node_child_of(ns, value, NODE_ARGUMENT_LIST);
    uint32_t name = node_field(ns, value, FIELD_function);

    if (!node_is(ns, value, NODE_CALL) || arguments == NODE_NONE ||
        (!node_text_is(ns, name, "field") &&
         !node_text_is(ns, name, "dataclasses.field")))
        return value;
    for (uint32_t c = node_named_child(ns, arguments); c != NODE_NONE;
         c = node_named_sibling(ns, c)) {
        uint32_t key = node_field(ns, c, FIELD_name);

        if (!node_is(ns, c, NODE_KEYWORD_ARGUMENT))
            continue;
        *called = node_text_is(ns, key, "default_factory");
        if (*called || node_text_is(ns, key, "default"))
            return argument_value(ns, c);
    }
    return NODE_NONE;
}

/* A field of a dataclass: what the call passes, or its default. */
static bool add_field(struct object *o, uint32_t assignment, uint32_t index,
                      struct span indent)
{
    const struct nodes *ns = o->m.ns;
    uint32_t left = node_field(ns, assignment, FIELD_left);
    uint32_t value = node_field(ns, assignment, FIELD_right);
    bool unknown, called = false;
    uint32_t argument = site_argument(ns, o->m.site, PARAM_PLAIN, index,
                                      node_text(ns, left), &unknown);
    struct bytes plain = field_of(o, node_text(ns, left))->plain;
    struct span none = { 0, 0 };

    if (argument == NODE_NONE && value != NODE_NONE)
        value = default_of(ns, value, &called);
    else if (argument != NODE_NONE)
        value = argument_value(ns, argument);
    if (unknown || value == NODE_NONE || !is_expression(ns, value))
        return false;
    move_add_line(&o->m, indent);
    buf_add(&o->m.out, plain.data, plain.len);
    buf_adds(&o->m.out, " = ");
    if (argument == NODE_NONE)
        move_add_nodes(&o->m, node_span(ns, value), value, ns->at[value].past,
                       none, none);
    else
        move_add_span(&o->m, node_span(ns, value));
    buf_adds(&o->m.out, called ? "()" : "");
    return true;
}

static bool add_values(struct object *o, struct span indent)
{
    const struct nodes *ns = o->m.ns;
    bool fields = has_fields(o);
    uint32_t index = 0;

    for (uint32_t s = node_named_child(ns, o->body); s != NODE_NONE;
         s = node_named_sibling(ns, s)) {
        uint32_t value = class_value(ns, s);

        if (value == NODE_NONE)
            continue;
        if (fields && node_field(ns, value, FIELD_type) != NODE_NONE &&
            !is_annotated(ns, value, "ClassVar")) {
            if (!add_field(o, value, index++, indent))
                return false;
        } else if (node_field(ns, value, FIELD_right) != NODE_NONE) {
            add_class_statement(o, s, indent);
        }
    }
    return !fields || count_named(ns, o->m.site->arguments) <= index;
}

/* The statement up to `K().a`, which gets its name; returns where that was. */
static uint32_t add_taken(struct object *o, uint32_t start, struct span indent)
{
    struct span at = node_span(o->m.ns, o->taken);
    struct bytes plain = o->fields[o->uses[0].field].plain;

    move_add_line(&o->m, indent);
    move_add_span(&o->m, (struct span){ start, at.start });
    buf_add(&o->m.out, plain.data, plain.len);
    return at.end;
}

static bool put_at_call(struct object *o)
{
    struct span indent = statement_indent(o->m.ns, o->place);
    struct span old = node_span(o->m.ns, o->place);
    char *text;
    size_t len;

    o->self = SYMBOL_NONE;
    if (!add_values(o, indent))
        return false;
    if (o->init != NODE_NONE) {
        o->self = names_symbol(o->m.names, method_self(o->m.ns, o->init));
        move_add_assignments(&o->m, indent);
        move_add_statements(&o->m, indent);
    }
    if (o->taken != NODE_NONE)
        old.end = add_taken(o, old.start, indent);
    text = move_take(&o->m, &len);
    if (text)
        draft_replace_taken(o->m.d, old, text, len);
    return text != NULL;
}

/* A method without its first parameter. */
static void add_method(struct object *o, uint32_t function, struct span indent)
{
    const struct nodes *ns = o->m.ns;
    struct span at = node_span(ns, function), own;
    uint32_t self = method_self(ns, function),
             next = node_named_sibling(ns, self);
    uint32_t list = node_parent(ns, self);
    uint32_t from = node_span(ns, list).end - 1;

    own = statement_indent(ns, function);
    o->self = names_symbol(o->m.names, self);
    if (next != NODE_NONE)
        from = node_span(ns, next).start;
    else
        next = ns->at[list].past;
    move_add_line(&o->m, indent);
    move_add_nodes(&o->m, (struct span){ at.start, node_span(ns, self).start },
                   function, self, own, indent);
    move_add_nodes(&o->m, (struct span){ from, at.end }, next,
                   ns->at[function].past, own, indent);
}

static bool put_methods(struct object *o)
{
    const struct nodes *ns = o->m.ns;
    char *text;
    size_t len;

    for (uint32_t s = node_named_child(ns, o->body); s != NODE_NONE;
         s = node_named_sibling(ns, s)) {
        if (!node_is(ns, s, NODE_FUNCTION) || s == o->init)
            continue;
        if (node_is(ns, node_named_sibling(ns, method_self(ns, s)),
                    NODE_POSITIONAL_SEPARATOR))
            return false;
        add_method(o, s, statement_indent(ns, o->statement));
    }
    text = move_take(&o->m, &len);
    if (text)
        draft_replace_taken(o->m.d, node_span(ns, o->statement), text, len);
    return text != NULL;
}

/* A method reads what it reads where it is, and fields where they are. */
static bool methods_fit(const struct object *o)
{
    return o->nmethods == 0 ||
           (o->m.names->scope_of[o->statement] == o->scope &&
            starts_line(o->m.ns, o->statement));
}

/* The statements of __init__ without the call of that of the base. */
static bool read_init(struct move *m)
{
    if (!move_read_body(m))
        return false;
    if (is_super_init(m->ns, m->first) && m->first != m->last)
        m->first = node_named_sibling(m->ns, m->first);
    return true;
}

static bool binds(struct object *o)
{
    struct move *m = &o->m;
    struct param *params;
    bool bound, fields = has_fields(o);
    size_t n;

    if (o->init == NODE_NONE)
        return fields ||
               node_named_child(m->ns, m->site->arguments) == NODE_NONE;
    m->callee.function = o->init;
    m->callee.bound = true;
    n = params_of(m->ns, o->init, &params);
    bound = n <= PARAMS_MAX && read_init(m) && m->result == NODE_NONE &&
            move_bind(m, params, fields ? 1 : n, o->place, NODE_NONE) &&
            (fields ? n == 1 : move_takes_all(m)) &&
            move_binds_free(m, o->place);
    free(params);
    return bound;
}

/* Whether there is an edit. */
static bool offer(struct object *o)
{
    struct draft *d = o->m.d;

    if (!read_header(o) || !read_statements(o) || !find_place(o) ||
        !methods_fit(o) || !read_all_uses(o) || !binds(o) ||
        !move_reads_same(&o->m, o->body, o->m.ns->at[o->body].past, o->scope) ||
        !name_fields(o))
        return false;
    draft_begin(d, node_span(o->m.ns, o->statement));
    if (!put_at_call(o))
        return false;
    if (o->nmethods == 0)
        draft_drop_statement(d, o->statement);
    else if (!put_methods(o))
        return false;
    for (size_t i = 0; i < o->nuses; i++)
        if (o->uses[i].home == o->scope && o->uses[i].node != o->taken) {
            struct bytes plain = o->fields[o->uses[i].field].plain;

            draft_replace(d, node_span(o->m.ns, o->uses[i].node), plain.data,
                          plain.len);
        }
    d->touches_import =
        d->g->units->at[unit_of(d->g->units, o->statement)].has_import;
    return draft_end(d) != EDIT_NONE;
}

static bool dissolve(struct draft *d, const struct names *names, uint32_t class)
{
    struct object *o = xcalloc(1, sizeof(*o));
    bool offered;

    o->called = "__call__";
    o->class = class;
    o->init = o->place = o->name = o->taken = NODE_NONE;
    o->self = SYMBOL_NONE;
    move_init(&o->m, d, names, class);
    o->m.rewrite = rewrite;
    offered = offer(o);
    move_deinit(&o->m);
    for (size_t i = 0; i < o->nfields; i++)
        free(o->fields[i].own);
    free(o->uses);
    free(o);
    return offered;
}

void gen_dissolve(struct gen *g)
{
    const struct names *names = g->names;
    struct draft d;

    draft_init(&d, g, EDIT_dissolve);
    for (uint32_t i = 0; i < d.ns->n; i++) {
        if (!node_is(d.ns, i, NODE_CLASS))
            continue;
        if (!dissolve(&d, names, i))
            dissolve_closure(&d, names, i);
        dissolve_statics(&d, names, i);
    }
    draft_deinit(&d);
}
