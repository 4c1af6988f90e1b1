/* Scopes by node in one pass from the parents down, then one entry per symbol
 * with its home: the outermost scope that binds it. Lookups climb the chain
 * of scopes, each step a binary search. Python lets the bodies of functions
 * look past classes; here a class in between counts, which only refuses
 * more. */
#include "grammar/gen/names.h"

#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "grammar/gen/draft.h"
#include "grammar/kernel.h"

struct name {
    struct bytes text;
    uint32_t home; /* NODE_NONE: bound nowhere */
    uint32_t symbol;
};

int names_order(struct bytes a, struct bytes b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    int order = n ? memcmp(a.data, b.data, n) : 0;

    if (order)
        return order;
    return a.len < b.len ? -1 : a.len > b.len;
}

bool names_same(struct bytes a, struct bytes b)
{
    return names_order(a, b) == 0;
}

static int name_order(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    int order = names_order(x->text, y->text);

    if (order)
        return order;
    if (x->home != y->home)
        return x->home < y->home ? -1 : 1;
    return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

static int method_order(const void *a, const void *b)
{
    return names_order(*(const struct bytes *)a, *(const struct bytes *)b);
}

static bool is_comprehension(const struct nodes *ns, uint32_t i)
{
    return node_is(ns, i, NODE_LIST_COMPREHENSION) ||
           node_is(ns, i, NODE_SET_COMPREHENSION) ||
           node_is(ns, i, NODE_DICTIONARY_COMPREHENSION) ||
           node_is(ns, i, NODE_GENERATOR_EXPRESSION);
}

static bool opens_scope(const struct nodes *ns, uint32_t parent, uint32_t child)
{
    unsigned field = ns->at[child].field;

    switch (node_kind(ns, parent)) {
    case NODE_FUNCTION:
    case NODE_LAMBDA:
        return field == FIELD_body || field == FIELD_parameters;
    case NODE_CLASS:
        return field == FIELD_body;
    default:
        return is_comprehension(ns, parent);
    }
}

/* What a comprehension's first `for` runs over is computed outside of it. */
static bool is_outer_iterable(const struct nodes *ns, uint32_t clause,
                              uint32_t child)
{
    return node_is(ns, clause, NODE_FOR_IN_CLAUSE) &&
           ns->at[child].field == FIELD_right &&
           node_child_of(ns, node_parent(ns, clause), NODE_FOR_IN_CLAUSE) ==
               clause;
}

static uint32_t home_of(const struct names *names, uint32_t symbol)
{
    const struct nodes *ns = names->ns;
    const struct occurrence *at;
    uint32_t home = NODE_NONE;
    size_t n;

    at = symbol_occurrences(names->scopes, symbol, &n);
    for (size_t i = 0; i < n; i++) {
        uint32_t node = names_node(names, at[i].at);
        uint32_t scope = node == NODE_NONE ? 0 : names->scope_of[node];

        if (at[i].role == OCC_DECLARE &&
            node_is(ns, node_parent(ns, node), NODE_GLOBAL))
            return 0;
        if (at[i].role != OCC_BIND && at[i].role != OCC_AUGMENT)
            continue;
        if (node_is(ns, node_parent(ns, node), NODE_NAMED_EXPRESSION))
            while (is_comprehension(ns, scope))
                scope = names->scope_of[scope];
        if (scope < home)
            home = scope;
    }
    return home;
}

static void collect(struct names *names)
{
    const struct nodes *ns = names->ns;
    size_t room = 0, methods_room = 0, homes_room = 0;

    for (uint32_t i = 0; i < ns->n; i++) {
        uint32_t symbol;
        size_t n;

        if (node_is(ns, i, NODE_FUNCTION) &&
            node_is(ns, names->scope_of[i], NODE_CLASS)) {
            uint32_t name = node_field(ns, i, FIELD_name);

            xgrow(&names->methods, &methods_room, names->nmethods + 1,
                  sizeof(*names->methods));
            if (name != NODE_NONE)
                names->methods[names->nmethods++] = node_text(ns, name);
        }
        if (!node_is(ns, i, NODE_IDENTIFIER))
            continue;
        symbol = names_symbol(names, i);
        if (symbol == SYMBOL_NONE ||
            symbol_occurrences(names->scopes, symbol, &n)->at.start !=
                node_span(ns, i).start)
            continue;
        xgrow(&names->all, &room, names->n + 1, sizeof(*names->all));
        names->all[names->n++] =
            (struct name){ symbol_name(names->scopes, symbol),
                           home_of(names, symbol), symbol };
        if (symbol >= names->nhomes) {
            xgrow(&names->home, &homes_room, (size_t)symbol + 1,
                  sizeof(*names->home));
            while (names->nhomes <= symbol)
                names->home[names->nhomes++] = NODE_NONE;
        }
        names->home[symbol] = names->all[names->n - 1].home;
    }
}

bool *find_imported(const struct gen *g)
{
    const struct nodes *ns = g->nodes;
    bool *imported =
        xcalloc((size_t)scopes_symbols(g->scopes) + 1, sizeof(*imported));

    for (uint32_t i = 0; i < ns->n; i++) {
        if (!node_is(ns, i, NODE_IMPORT) && !node_is(ns, i, NODE_IMPORT_FROM))
            continue;
        for (uint32_t c = i; c < ns->at[i].past; c++) {
            uint32_t symbol =
                scopes_symbol_at(g->scopes, node_span(ns, c).start);

            if (node_is(ns, c, NODE_IDENTIFIER) && symbol != SYMBOL_NONE)
                imported[symbol] = true;
        }
    }
    return imported;
}

struct names *names_new(const struct gen *g)
{
    struct names *names = xcalloc(1, sizeof(*names));
    const struct nodes *ns = g->nodes;

    names->ns = ns;
    names->scopes = g->scopes;
    names->scope_of = xcalloc(ns->n, sizeof(*names->scope_of));
    for (uint32_t i = 1; i < ns->n; i++) {
        uint32_t parent = node_parent(ns, i);

        if (is_outer_iterable(ns, parent, i))
            parent = node_parent(ns, parent);
        names->scope_of[i] =
            opens_scope(ns, parent, i) && parent == node_parent(ns, i)
                ? parent
                : names->scope_of[parent];
    }
    collect(names);
    names->imported = find_imported(g);
    if (names->n)
        qsort(names->all, names->n, sizeof(*names->all), name_order);
    if (names->nmethods)
        qsort(names->methods, names->nmethods, sizeof(*names->methods),
              method_order);
    return names;
}

void names_free(struct names *names)
{
    if (!names)
        return;
    free(names->scope_of);
    free(names->all);
    free(names->methods);
    free(names->home);
    free(names->imported);
    free(names);
}

uint32_t names_symbol(const struct names *names, uint32_t identifier)
{
    return scopes_symbol_at(names->scopes,
                            node_span(names->ns, identifier).start);
}

uint32_t names_node(const struct names *names, struct span identifier)
{
    return node_at(names->ns, identifier.start, NODE_IDENTIFIER);
}

/* The first entry of that text and that home or a later one. */
static size_t names_find(const struct names *names, struct bytes text,
                         uint32_t home)
{
    struct name key = { text, home, 0 };
    size_t low;

    BISECT(low, 0, names->n, name_order(&names->all[low], &key) < 0);
    return low;
}

static uint32_t symbol_in(const struct names *names, uint32_t home,
                          struct bytes text)
{
    size_t at = names_find(names, text, home);

    if (at < names->n && names->all[at].home == home &&
        names_order(names->all[at].text, text) == 0)
        return names->all[at].symbol;
    return SYMBOL_NONE;
}

uint32_t names_lookup(const struct names *names, uint32_t scope,
                      struct bytes text)
{
    for (;;) {
        uint32_t symbol = symbol_in(names, scope, text);

        if (symbol != SYMBOL_NONE || scope == 0)
            return symbol;
        scope = names->scope_of[scope];
    }
}

bool names_bound_in(const struct names *names, uint32_t scope,
                    struct bytes text)
{
    return symbol_in(names, scope, text) != SYMBOL_NONE;
}

uint32_t names_home(const struct names *names, uint32_t symbol)
{
    return symbol < names->nhomes ? names->home[symbol] : NODE_NONE;
}

bool names_fit_string(const struct nodes *ns, struct bytes text, uint32_t place)
{
    if (node_above(ns, place, NODE_INTERPOLATION) == NODE_NONE)
        return true;
    return !memchr(text.data, '"', text.len) &&
           !memchr(text.data, '\'', text.len) &&
           !memchr(text.data, '\\', text.len) &&
           !memchr(text.data, '\n', text.len) &&
           !memchr(text.data, '#', text.len);
}

size_t names_writes(const struct names *names, uint32_t symbol, size_t *loads)
{
    size_t n = 0, writes = 0;
    const struct occurrence *at = NULL;

    if (symbol != SYMBOL_NONE)
        at = symbol_occurrences(names->scopes, symbol, &n);
    for (size_t i = 0; i < n; i++)
        writes += at[i].role != OCC_LOAD;
    *loads = n - writes;
    return writes;
}

/* Whether a symbol occurs in the subtree of a node. */
static bool occurs_in(const struct names *names, uint32_t symbol, uint32_t node)
{
    struct span at = node_span(names->ns, node);
    size_t n, low;
    const struct occurrence *all =
        symbol_occurrences(names->scopes, symbol, &n);

    BISECT(low, 0, n, all[low].at.start < at.start);
    return low < n && all[low].at.start < at.end;
}

bool names_free_in(const struct names *names, uint32_t scope, struct bytes text)
{
    uint32_t found = names_lookup(names, scope, text);
    uint32_t builtin = symbol_in(names, NODE_NONE, text);

    if (found != SYMBOL_NONE && (symbol_in(names, scope, text) == found ||
                                 occurs_in(names, found, scope)))
        return false;
    return builtin == SYMBOL_NONE || !occurs_in(names, builtin, scope);
}

bool names_mean_same(const struct names *names, uint32_t expression,
                     uint32_t scope)
{
    const struct nodes *ns = names->ns;

    for (uint32_t i = expression; i < ns->at[expression].past; i++) {
        uint32_t symbol, found;

        if (!node_is(ns, i, NODE_IDENTIFIER))
            continue;
        symbol = names_symbol(names, i);
        if (symbol == SYMBOL_NONE)
            continue;
        /* its own: of a lambda or comprehension inside */
        if (names->scope_of[i] >= expression &&
            symbol_in(names, names->scope_of[i], node_text(ns, i)) == symbol)
            continue;
        found = names_lookup(names, scope, node_text(ns, i));
        if (found != symbol &&
            (found != SYMBOL_NONE || symbol_bound(names->scopes, symbol)))
            return false;
    }
    return true;
}

/* Parameters. */

/* The identifier that a parameter binds. */
static uint32_t param_name(const struct nodes *ns, uint32_t node)
{
    uint32_t name = node_field(ns, node, FIELD_name);

    if (name != NODE_NONE)
        node = name;
    while (!node_is(ns, node, NODE_IDENTIFIER)) {
        node = node_named_child(ns, node);
        if (node == NODE_NONE)
            return NODE_NONE;
    }
    return node;
}

/* The kind of a parameter, `kind` for one that takes one argument. */
static enum param_kind kind_of(const struct nodes *ns, uint32_t node,
                               enum param_kind kind)
{
    if (node_is(ns, node, NODE_TYPED_PARAMETER))
        node = node_named_child(ns, node);
    if (node_is(ns, node, NODE_LIST_SPLAT_PATTERN))
        return PARAM_STAR;
    return node_is(ns, node, NODE_DICTIONARY_SPLAT_PATTERN) ? PARAM_STARS
                                                            : kind;
}

size_t params_of(const struct nodes *ns, uint32_t function,
                 struct param **params)
{
    uint32_t list = node_field(ns, function, FIELD_parameters);
    enum param_kind kind = PARAM_PLAIN;
    size_t n = 0, room = 0;

    *params = NULL;
    if (list == NODE_NONE)
        return 0;
    for (uint32_t c = node_named_child(ns, list); c != NODE_NONE;
         c = node_named_sibling(ns, c)) {
        struct param *p;

        if (node_is(ns, c, NODE_POSITIONAL_SEPARATOR))
            for (size_t i = 0; i < n; i++)
                (*params)[i].kind = PARAM_POSITIONAL;
        if (node_is(ns, c, NODE_KEYWORD_SEPARATOR))
            kind = PARAM_NAMED;
        if (param_name(ns, c) == NODE_NONE)
            continue;
        xgrow(params, &room, n + 1, sizeof(**params));
        p = &(*params)[n];
        *p = (struct param){ c, param_name(ns, c),
                             node_field(ns, c, FIELD_value),
                             kind_of(ns, c, kind), (uint32_t)n };
        n++;
        if (p->kind >= PARAM_STAR)
            kind = PARAM_NAMED;
    }
    return n;
}

/* Calls. */

static void site_add(struct callee *callee, const struct nodes *ns,
                     uint32_t call, bool direct)
{
    uint32_t arguments = node_child_of(ns, call, NODE_ARGUMENT_LIST);

    if (arguments == NODE_NONE) { /* f(x for x in y) */
        callee->escapes = true;
        return;
    }
    xgrow(&callee->sites, &callee->room, callee->nsites + 1,
          sizeof(*callee->sites));
    callee->sites[callee->nsites++] =
        (struct call_site){ call, arguments, direct, false };
}

/* From a name up through `.go`, `[grid]` and brackets to the call. */
static void site_from(struct callee *callee, const struct nodes *ns,
                      uint32_t node)
{
    bool direct = true;

    for (;;) {
        uint32_t parent = node_parent(ns, node);
        unsigned field = ns->at[node].field;

        if (node_is(ns, parent, NODE_CALL) && field == FIELD_function) {
            site_add(callee, ns, parent, direct);
            return;
        }
        if (!(node_is(ns, parent, NODE_ATTRIBUTE) && field == FIELD_object) &&
            !(node_is(ns, parent, NODE_SUBSCRIPT) && field == FIELD_value) &&
            !node_is(ns, parent, NODE_PARENTHESIZED))
            break;
        direct = false;
        node = parent;
    }
    callee->escapes = true;
}

static void sites_of_symbol(struct callee *callee, const struct names *names,
                            uint32_t identifier)
{
    uint32_t symbol = names_symbol(names, identifier);
    const struct occurrence *at;
    size_t n;

    if (symbol == SYMBOL_NONE)
        return;
    at = symbol_occurrences(names->scopes, symbol, &n);
    for (size_t i = 0; i < n; i++) {
        uint32_t node = names_node(names, at[i].at);

        if (at[i].at.start == node_span(names->ns, identifier).start)
            continue;
        if (at[i].role != OCC_LOAD || node == NODE_NONE)
            callee->escapes = true;
        else
            site_from(callee, names->ns, node);
    }
}

size_t names_methods(const struct names *names, struct bytes text)
{
    size_t low, n = 0;

    BISECT(low, 0, names->nmethods, names_order(names->methods[low], text) < 0);
    while (n < 2 && low < names->nmethods &&
           names_order(names->methods[low], text) == 0) {
        low++;
        n++;
    }
    return n;
}

/* Whether it is of a module, or of what was imported from one: no method of
 * this text is found there. */
static bool is_of_import(const struct names *names, uint32_t attribute)
{
    uint32_t object = node_field(names->ns, attribute, FIELD_object);
    uint32_t symbol = SYMBOL_NONE;

    while (node_is(names->ns, object, NODE_ATTRIBUTE))
        object = node_field(names->ns, object, FIELD_object);
    if (node_is(names->ns, object, NODE_IDENTIFIER))
        symbol = names_symbol(names, object);
    return symbol != SYMBOL_NONE && names->imported[symbol];
}

static void sites_of_method(struct callee *callee, const struct names *names,
                            uint32_t identifier)
{
    struct bytes text = node_text(names->ns, identifier);
    size_t n;
    const struct span *at = scopes_attributes(names->scopes, text, &n);

    if (names_methods(names, text) != 1) {
        callee->escapes = true;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t node = names_node(names, at[i]);
        uint32_t attribute =
            node == NODE_NONE ? NODE_NONE : node_parent(names->ns, node);

        if (attribute == NODE_NONE || is_of_import(names, attribute))
            continue;
        uint32_t call = node_parent(names->ns, attribute);

        if (node_is(names->ns, call, NODE_CALL) &&
            names->ns->at[attribute].field == FIELD_function)
            site_add(callee, names->ns, call, true);
        else
            callee->escapes = true;
    }
}

uint32_t names_call_of(const struct nodes *ns, uint32_t node)
{
    uint32_t parent = node_parent(ns, node);

    return node_is(ns, parent, NODE_CALL) &&
                   ns->at[node].field == FIELD_function
               ? parent
               : NODE_NONE;
}

/* Calls of the object that a name holds, when it is bound once. */
static void sites_of_holder(struct callee *callee, const struct names *names,
                            uint32_t assignment)
{
    const struct nodes *ns = names->ns;
    uint32_t left = node_field(ns, assignment, FIELD_left);
    const struct occurrence *at;
    size_t n, loads;

    if (!node_is(ns, left, NODE_IDENTIFIER) ||
        names_writes(names, names_symbol(names, left), &loads) != 1)
        return;
    at = symbol_occurrences(names->scopes, names_symbol(names, left), &n);
    for (size_t i = 0; i < n; i++) {
        uint32_t node = names_node(names, at[i].at);

        if (node != NODE_NONE && names_call_of(ns, node) != NODE_NONE)
            site_add(callee, ns, names_call_of(ns, node), true);
    }
}

/* C(x)(y), and o(y) after o = C(x). */
static void sites_of_objects(struct callee *callee, const struct names *names,
                             uint32_t class)
{
    const struct nodes *ns = names->ns;
    uint32_t symbol =
        class == NODE_NONE ? SYMBOL_NONE : names_symbol(names, class);
    const struct occurrence *at;
    size_t n;

    if (symbol == SYMBOL_NONE)
        return;
    at = symbol_occurrences(names->scopes, symbol, &n);
    for (size_t i = 0; i < n; i++) {
        uint32_t node = names_node(names, at[i].at), made;

        if (node == NODE_NONE || names_call_of(ns, node) == NODE_NONE)
            continue;
        made = names_call_of(ns, node);
        if (names_call_of(ns, made) != NODE_NONE)
            site_add(callee, ns, names_call_of(ns, made), true);
        else if (node_is(ns, node_parent(ns, made), NODE_ASSIGNMENT))
            sites_of_holder(callee, names, node_parent(ns, made));
    }
}

bool has_decorator(const struct nodes *ns, uint32_t statement, const char *text)
{
    for (uint32_t c = node_named_child(ns, statement); c != NODE_NONE;
         c = node_named_sibling(ns, c))
        if (node_is(ns, c, NODE_DECORATOR) &&
            node_named_child(ns, c) != NODE_NONE &&
            node_text_is(ns, node_named_child(ns, c), text))
            return true;
    return false;
}

uint32_t class_method(const struct nodes *ns, uint32_t class, const char *text)
{
    uint32_t body = node_field(ns, class, FIELD_body);

    for (uint32_t s = body == NODE_NONE ? body : node_named_child(ns, body);
         s != NODE_NONE; s = node_named_sibling(ns, s)) {
        uint32_t function =
            node_is(ns, s, NODE_DECORATED) ? last_named_child(ns, s) : s;
        uint32_t name = node_is(ns, function, NODE_FUNCTION)
                            ? node_field(ns, function, FIELD_name)
                            : NODE_NONE;

        if (name != NODE_NONE && node_text_is(ns, name, text))
            return function;
    }
    return NODE_NONE;
}

/* Whether a class is a function that torch differentiates by `backward`: its
 * `forward` is called as K.apply(x), with something before x. */
static bool is_applied(const struct nodes *ns, uint32_t class)
{
    static const char *const bases[] = { "Function" };
    uint32_t series = node_field(ns, class, FIELD_superclasses);

    if (series == NODE_NONE || count_named(ns, series) != 1 ||
        class_method(ns, class, "setup_context") != NODE_NONE)
        return false;
    return text_is_one_of(kernel_last_name(ns, node_named_child(ns, series)),
                          bases, ARRAY_LEN(bases));
}

static void sites_of_apply(struct callee *callee, const struct names *names,
                           uint32_t class)
{
    static const char *const apply[] = { "apply" };
    const struct nodes *ns = names->ns;

    callee->bound = true;
    sites_of_symbol(callee, names, node_field(ns, class, FIELD_name));
    for (size_t i = 0; i < callee->nsites; i++) {
        uint32_t called = node_field(ns, callee->sites[i].call, FIELD_function);

        callee->escapes |= !text_is_one_of(kernel_last_name(ns, called), apply,
                                           ARRAY_LEN(apply));
    }
    callee->applied =
        !callee->escapes && callee->nsites > 0 ? class : NODE_NONE;
    if (callee->escapes)
        callee->nsites = 0;
}

void callee_init(struct callee *callee, const struct names *names,
                 uint32_t function)
{
    const struct nodes *ns = names->ns;
    uint32_t name = node_field(ns, function, FIELD_name);
    uint32_t scope = names->scope_of[function];

    *callee = (struct callee){ .function = function,
                               .statement = function,
                               .applied = NODE_NONE };
    if (node_is(ns, node_parent(ns, function), NODE_DECORATED))
        callee->statement = node_parent(ns, function);
    if (name == NODE_NONE)
        return;
    if (node_is(ns, function, NODE_CLASS) || !node_is(ns, scope, NODE_CLASS)) {
        sites_of_symbol(callee, names, name);
        return;
    }
    callee->method = true;
    callee->bound = !has_decorator(ns, callee->statement, "staticmethod");
    if (node_text_is(ns, name, "forward") && is_applied(ns, scope))
        sites_of_apply(callee, names, scope);
    else if (node_text_is(ns, name, "__call__"))
        sites_of_objects(callee, names, node_field(ns, scope, FIELD_name));
    else if (node_text_is(ns, name, "__init__"))
        sites_of_symbol(callee, names, node_field(ns, scope, FIELD_name));
    else
        sites_of_method(callee, names, name);
    if (callee->nsites == 0 && node_text_is(ns, name, "forward") &&
        node_field(ns, scope, FIELD_superclasses) != NODE_NONE)
        sites_of_objects(callee, names, node_field(ns, scope, FIELD_name));
}

bool names_is_partial(const struct nodes *ns, uint32_t call)
{
    return text_is_one_of(
        kernel_last_name(ns, node_field(ns, call, FIELD_function)),
        (const char *const[]){ "partial" }, 1);
}

/* The call of partial() whose first argument a name is, or NODE_NONE. */
static uint32_t partial_of(const struct nodes *ns, uint32_t node)
{
    uint32_t list = node_parent(ns, node), call;

    if (!node_is(ns, list, NODE_ARGUMENT_LIST) ||
        node_named_child(ns, list) != node)
        return NODE_NONE;
    call = node_parent(ns, list);
    return node_is(ns, call, NODE_CALL) && names_is_partial(ns, call)
               ? call
               : NODE_NONE;
}

void callee_add_partials(struct callee *callee, const struct names *names)
{
    const struct nodes *ns = names->ns;
    uint32_t name = node_field(ns, callee->function, FIELD_name);
    uint32_t symbol = name == NODE_NONE || callee->method
                          ? SYMBOL_NONE
                          : names_symbol(names, name);
    const struct occurrence *at;
    size_t n;

    if (symbol == SYMBOL_NONE || !callee->escapes)
        return;
    at = symbol_occurrences(names->scopes, symbol, &n);
    for (size_t i = 0; i < n; i++) {
        uint32_t node = names_node(names, at[i].at);
        uint32_t call = node == NODE_NONE ? node : partial_of(ns, node);

        if (call == NODE_NONE)
            continue;
        site_add(callee, ns, call, false);
        callee->sites[callee->nsites - 1].partial = true;
    }
}

void callee_deinit(struct callee *callee)
{
    free(callee->sites);
    callee->sites = NULL;
}

uint32_t argument_value(const struct nodes *ns, uint32_t argument)
{
    return node_is(ns, argument, NODE_KEYWORD_ARGUMENT)
               ? node_field(ns, argument, FIELD_value)
               : argument;
}

uint32_t site_argument(const struct nodes *ns, const struct call_site *site,
                       enum param_kind kind, uint32_t index, struct bytes name,
                       bool *unknown)
{
    uint32_t at = 0;
    bool splat = false, double_splat = false;

    *unknown = false;
    if (site->arguments == NODE_NONE)
        return NODE_NONE;   /* a property, which is read */
    index += site->partial; /* the function is the first */
    for (uint32_t c = node_named_child(ns, site->arguments); c != NODE_NONE;
         c = node_named_sibling(ns, c)) {
        if (node_is(ns, c, NODE_KEYWORD_ARGUMENT)) {
            uint32_t key = node_field(ns, c, FIELD_name);

            if (kind != PARAM_POSITIONAL && key != NODE_NONE &&
                names_order(node_text(ns, key), name) == 0)
                return c;
        } else if (node_is(ns, c, NODE_DICTIONARY_SPLAT)) {
            double_splat = true;
        } else if (node_is(ns, c, NODE_LIST_SPLAT) ||
                   node_is(ns, c, NODE_PARENTHESIZED_LIST_SPLAT)) {
            splat = true;
        } else if (!splat && kind != PARAM_NAMED && at++ == index) {
            return c;
        }
    }
    *unknown = site->partial || (splat && kind != PARAM_NAMED) ||
               (double_splat && kind != PARAM_POSITIONAL);
    return NODE_NONE;
}

bool find_taken(const struct nodes *ns, uint32_t list, uint32_t index,
                struct taken *taken)
{
    uint32_t at = 0;

    *taken = (struct taken){ list, NODE_NONE, NODE_NONE, 0 };
    for (uint32_t c = node_named_child(ns, list); c != NODE_NONE;
         c = node_named_sibling(ns, c)) {
        if (node_is(ns, c, NODE_KEYWORD_ARGUMENT) ||
            node_is(ns, c, NODE_DICTIONARY_SPLAT))
            continue;
        if (at++ < index) {
            if (!is_expression(ns, c))
                return false;
            continue;
        }
        if (taken->n++ == 0)
            taken->first = c;
        else if (node_named_sibling(ns, taken->last) != c)
            return false; /* a keyword stands between them */
        taken->last = c;
    }
    return true;
}
