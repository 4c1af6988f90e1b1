/* A method that needs no object becomes a function in front of its class.
 *
 *     class K:                            def make(n):
 *         @classmethod                        return K(n)
 *         def make(cls, n):      ->       class K:
 *             return cls(n)                   ...
 *     K.make(3)                           make(3)
 *
 * Static methods, class methods, and `forward` of an autograd function, which
 * is called by `K.apply(...)` and does not use its first parameter. Uses are
 * K.make, and self.make in the class; where no other class has a method of that
 * name, any x.make. The function is called `make` or `K_make`, what is free. */
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "grammar/gen/dissolve.h"
#include "grammar/gen/move.h"

/* Uses are looked for in each method; a class with more methods is left, so
 * that it stays linear. */
#define METHODS_MAX 64

/* So are the uses of a name that several classes have. */
#define SHARED_MAX 256

enum way { WAY_STATIC, WAY_CLASS, WAY_APPLY };

struct statics {
    struct move m; /* first: see rewrite() */
    uint32_t class, class_symbol;
    uint32_t statement; /* of the class, with its decorators */
    uint32_t scope;     /* where that stands */
    struct bytes name;  /* of the class */
    uint32_t method, decorated;
    enum way way;
    uint32_t first; /* symbol of the parameter that goes; SYMBOL_NONE: none */
    uint32_t *uses; /* attribute nodes in text order */
    size_t n, room;
    struct bytes plain;
    char *own; /* plain, when it is not the name */
};

static int node_order(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

/* What stands for a node of the method in its new place. */
static struct bytes rewrite(const struct move *m, uint32_t node)
{
    const struct statics *s = (const struct statics *)m;

    if (node_is(m->ns, node, NODE_ATTRIBUTE) && s->n > 0 &&
        bsearch(&node, s->uses, s->n, sizeof(*s->uses), node_order))
        return s->plain;
    if (s->first != SYMBOL_NONE && node_is(m->ns, node, NODE_IDENTIFIER) &&
        names_symbol(m->names, node) == s->first)
        return s->name;
    return bytes_of(NULL, 0);
}

static uint32_t first_parameter(const struct statics *s)
{
    const struct nodes *ns = s->m.ns;
    uint32_t list = node_field(ns, s->method, FIELD_parameters);
    uint32_t first = list == NODE_NONE ? NODE_NONE : node_named_child(ns, list);

    return node_is(ns, first, NODE_IDENTIFIER) ? first : NODE_NONE;
}

/* Whether the class has one base, `...Function`. */
static bool is_autograd(const struct nodes *ns, uint32_t class)
{
    uint32_t bases = node_field(ns, class, FIELD_superclasses), base;
    struct bytes text;

    if (bases == NODE_NONE || count_named(ns, bases) != 1)
        return false;
    base = node_named_child(ns, bases);
    text = node_text(ns, base);
    return is_dotted(ns, base) && text.len >= 8 &&
           memcmp(text.data + text.len - 8, "Function", 8) == 0;
}

/* Which parameter goes, and how; false when the method is of another sort. */
static bool read_method(struct statics *s)
{
    const struct nodes *ns = s->m.ns;
    uint32_t name = node_field(ns, s->method, FIELD_name), first;
    bool is_static = has_decorator(ns, s->decorated, "staticmethod");
    bool is_class = has_decorator(ns, s->decorated, "classmethod");
    size_t loads;

    s->first = SYMBOL_NONE;
    if (name == NODE_NONE || !starts_line(ns, s->decorated) ||
        count_named(ns, s->decorated) != 2 || (!is_static && !is_class))
        return false;
    s->way = is_class ? WAY_CLASS : WAY_STATIC;
    if (is_static && is_autograd(ns, s->class)) {
        if (!node_text_is(ns, name, "forward"))
            return false;
        s->way = WAY_APPLY;
    }
    if (s->way == WAY_STATIC)
        return true;
    first = first_parameter(s);
    if (first == NODE_NONE ||
        node_is(ns, node_named_sibling(ns, first), NODE_POSITIONAL_SEPARATOR))
        return false;
    s->first = names_symbol(s->m.names, first);
    return s->first != SYMBOL_NONE &&
           names_writes(s->m.names, s->first, &loads) == 1 &&
           (s->way == WAY_CLASS || loads == 0);
}

/* Whether an object is the first parameter of a method of the class. */
static bool is_own_object(const struct statics *s, uint32_t object)
{
    const struct names *names = s->m.names;
    uint32_t symbol = names_symbol(names, object), home;

    if (symbol == SYMBOL_NONE)
        return false;
    home = names_home(names, symbol);
    return home != NODE_NONE && home != 0 &&
           node_is(s->m.ns, home, NODE_FUNCTION) &&
           names->scope_of[home] == s->class &&
           symbol_occurrences(names->scopes, symbol, &(size_t){ 0 })->at.start <
               node_span(s->m.ns, node_field(s->m.ns, home, FIELD_body)).start;
}

/* Whether x.make is surely of another. */
static bool is_others(const struct statics *s, uint32_t object)
{
    const struct names *names = s->m.names;
    const struct nodes *ns = s->m.ns;
    uint32_t symbol, bind;
    size_t n;

    while (node_is(ns, object, NODE_ATTRIBUTE))
        object = node_field(ns, object, FIELD_object);
    if (!node_is(ns, object, NODE_IDENTIFIER))
        return false;
    symbol = names_symbol(names, object);
    if (symbol == SYMBOL_NONE)
        return false;
    if (names->imported[symbol])
        return true;
    bind = names_node(names, symbol_occurrences(names->scopes, symbol, &n)->at);
    return bind != NODE_NONE && node_is(ns, node_parent(ns, bind), NODE_CLASS);
}

/* Note the uses of the attribute `name`; false when one is of nobody known. */
static bool read_uses(struct statics *s, struct bytes name)
{
    const struct names *names = s->m.names;
    const struct nodes *ns = s->m.ns;
    bool unique = s->way != WAY_APPLY && names_methods(names, name) == 1;
    size_t n;
    const struct span *at = scopes_attributes(names->scopes, name, &n);

    if (!unique && n > SHARED_MAX)
        return false;
    for (size_t i = 0; i < n; i++) {
        uint32_t node = names_node(names, at[i]), use, object;
        bool own;

        if (node == NODE_NONE)
            return false;
        use = node_parent(ns, node);
        object = node_field(ns, use, FIELD_object);
        own = node_is(ns, object, NODE_IDENTIFIER) &&
              (names_symbol(names, object) == s->class_symbol ||
               is_own_object(s, object));
        if (!own && (is_others(s, object) || s->way == WAY_APPLY))
            continue;
        if ((!own && !unique) || !is_expression(ns, use) ||
            !node_holds(ns, s->scope, use))
            return false;
        xgrow(&s->uses, &s->room, s->n + 1, sizeof(*s->uses));
        s->uses[s->n++] = use;
    }
    return s->n > 0;
}

/* Whether the function may have this name, where it is and where it is used. */
static bool can_be_called(const struct statics *s, struct bytes name)
{
    const struct names *names = s->m.names;
    uint32_t own =
        names_symbol(names, node_field(s->m.ns, s->method, FIELD_name));

    if (!names_free_in(names, s->scope, name))
        return false;
    for (size_t i = 0; i < s->n; i++) {
        uint32_t found = names_lookup(names, names->scope_of[s->uses[i]], name);

        if (found != SYMBOL_NONE && found != own)
            return false;
    }
    return true;
}

static bool name_function(struct statics *s, struct bytes name)
{
    size_t len = s->name.len + 1 + name.len;

    s->plain = name;
    if (can_be_called(s, name))
        return true;
    s->own = xcalloc(len + 1, 1);
    memcpy(s->own, s->name.data, s->name.len);
    s->own[s->name.len] = '_';
    memcpy(s->own + s->name.len + 1, name.data, name.len);
    s->plain = bytes_of(s->own, len);
    return can_be_called(s, s->plain);
}

/* What the method reads of the class's own scope is not there any more. */
static bool reads_class(const struct statics *s)
{
    const struct nodes *ns = s->m.ns;
    uint32_t name = node_field(ns, s->method, FIELD_name);

    for (uint32_t i = s->method; i < ns->at[s->method].past; i++) {
        uint32_t symbol = SYMBOL_NONE;

        if (node_is(ns, i, NODE_IDENTIFIER) && i != name)
            symbol = names_symbol(s->m.names, i);
        if (symbol != SYMBOL_NONE && names_home(s->m.names, symbol) == s->class)
            return true;
        if (node_is(ns, i, NODE_IDENTIFIER) &&
            (node_text_is(ns, i, "super") || node_text_is(ns, i, "__class__")))
            return true;
    }
    return false;
}

/* The function, and the start of the line that the class stands on. */
static bool put_function(struct statics *s)
{
    const struct nodes *ns = s->m.ns;
    struct span at = node_span(ns, s->method), put;
    uint32_t name = node_field(ns, s->method, FIELD_name);
    uint32_t list = node_field(ns, s->method, FIELD_parameters), from, next;
    struct span own = statement_indent(ns, s->decorated);
    struct span indent = statement_indent(ns, s->statement);
    char *text;
    size_t len;

    next = ns->at[name].past;
    from = node_span(ns, name).end;
    move_add_span(&s->m, (struct span){ at.start, node_span(ns, name).start });
    buf_add(&s->m.out, s->plain.data, s->plain.len);
    if (s->way != WAY_STATIC) {
        uint32_t first = first_parameter(s);

        buf_adds(&s->m.out, "(");
        next = node_named_sibling(ns, first);
        from = next == NODE_NONE ? node_span(ns, list).end - 1
                                 : node_span(ns, next).start;
        if (next == NODE_NONE)
            next = ns->at[list].past;
    }
    move_add_nodes(&s->m, (struct span){ from, at.end }, next,
                   ns->at[s->method].past, own, indent);
    move_add_line(&s->m, indent);
    text = move_take(&s->m, &len);
    put = node_span(ns, s->statement);
    put.end = put.start;
    if (text)
        draft_replace_taken(s->m.d, put, text, len);
    return text != NULL;
}

static void offer(struct statics *s)
{
    const struct nodes *ns = s->m.ns;
    struct bytes name;
    bool apply;

    if (!read_method(s) || reads_class(s))
        return;
    name = node_text(ns, node_field(ns, s->method, FIELD_name));
    apply = s->way == WAY_APPLY;
    if (!read_uses(s, apply ? bytes_of("apply", 5) : name) ||
        !name_function(s, name))
        return;
    draft_begin(s->m.d, node_span(ns, s->statement));
    if (!put_function(s))
        return;
    draft_drop_statement(s->m.d, s->decorated);
    for (size_t i = 0; i < s->n; i++)
        if (!node_holds(ns, s->method, s->uses[i]))
            draft_replace(s->m.d, node_span(ns, s->uses[i]), s->plain.data,
                          s->plain.len);
    draft_end(s->m.d);
}

static void offer_method(struct draft *d, const struct names *names,
                         uint32_t class, uint32_t decorated)
{
    const struct nodes *ns = d->ns;
    uint32_t name = node_field(ns, class, FIELD_name);
    struct statics s = { .class = class, .decorated = decorated };

    s.method = node_field(ns, decorated, FIELD_definition);
    if (name == NODE_NONE || !node_is(ns, s.method, NODE_FUNCTION))
        return;
    move_open(&s.m, d, names);
    s.m.rewrite = rewrite;
    s.statement = node_is(ns, node_parent(ns, class), NODE_DECORATED)
                      ? node_parent(ns, class)
                      : class;
    s.scope = names->scope_of[class];
    s.name = node_text(ns, name);
    s.class_symbol = names_symbol(names, name);
    if (s.class_symbol != SYMBOL_NONE && starts_line(ns, s.statement) &&
        !node_is(ns, s.scope, NODE_CLASS))
        offer(&s);
    move_deinit(&s.m);
    free(s.uses);
    free(s.own);
}

void dissolve_statics(struct draft *d, const struct names *names,
                      uint32_t class)
{
    const struct nodes *ns = d->ns;
    uint32_t body = node_field(ns, class, FIELD_body);

    if (body == NODE_NONE || count_named(ns, body) > METHODS_MAX)
        return;
    for (uint32_t c = node_named_child(ns, body); c != NODE_NONE;
         c = node_named_sibling(ns, c))
        if (node_is(ns, c, NODE_DECORATED))
            offer_method(d, names, class, c);
}
