/* First each name gets the expressions that assign it. Then it is found out
 * which names are written into: whether an argument is depends on the parameter
 * it is bound to, so this is repeated until nothing changes (a wrapper of a
 * wrapper needs another round). Last, the written names get the calls that
 * write them. */
#include "grammar/flow_parts.h"

#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "grammar/gen/names.h"
#include "grammar/kernel.h"

#define WRITE_ROUNDS 6 /* depth of wrappers that is looked through */
#define HOPS_MAX 8     /* names that stand for a number */

static const char *const quiet[] = {
    "print",        "manual_seed",        "seed",
    "synchronize",  "assert_close",       "assert_allclose",
    "assert_equal", "assert_array_equal", "write",
    "exit",
};

#define IS_ONE_OF(text, list) text_is_one_of(text, list, ARRAY_LEN(list))

static bool is_store(struct bytes name)
{
    static const char atomic[] = "atomic_";

    return (name.len == 5 && memcmp(name.data, "store", 5) == 0) ||
           (name.len > 7 && memcmp(name.data, atomic, 7) == 0);
}

/* ---- names ---- */

uint32_t flow_symbol(const struct flow *f, uint32_t node)
{
    return node == NODE_NONE ? SYMBOL_NONE : f->symbol[node];
}

bool flow_is_variable(const struct flow *f, uint32_t symbol)
{
    return symbol != SYMBOL_NONE && !f->module[symbol] &&
           symbol_bound(f->scopes, symbol);
}

uint32_t flow_root(const struct nodes *ns, uint32_t i)
{
    while (i != NODE_NONE && !node_is(ns, i, NODE_IDENTIFIER)) {
        switch (node_kind(ns, i)) {
        case NODE_CALL:
            i = node_field(ns, i, FIELD_function);
            break;
        case NODE_SUBSCRIPT:
            i = node_field(ns, i, FIELD_value);
            break;
        case NODE_ATTRIBUTE:
            i = node_field(ns, i, FIELD_object);
            break;
        case NODE_PARENTHESIZED:
        case NODE_LIST_SPLAT:
        case NODE_AWAIT:
            i = node_named_child(ns, i);
            break;
        default:
            return NODE_NONE;
        }
    }
    return i;
}

static void give_at(struct flow *f, uint32_t symbol, uint32_t place,
                    uint32_t node, enum giver_kind kind)
{
    if (!flow_is_variable(f, symbol) || node == NODE_NONE)
        return;
    xgrow(&f->items, &f->room, f->nitems + 1, sizeof(*f->items));
    f->items[f->nitems] = (struct giver){
        .node = node, .place = place, .next = f->givers[symbol], .kind = kind
    };
    f->givers[symbol] = f->nitems++;
}

static void give(struct flow *f, uint32_t symbol, uint32_t node,
                 enum giver_kind kind)
{
    give_at(f, symbol, NODE_NONE, node, kind);
}

/* Each name that is a target in `target` gets `value`: elements and attributes
 * of a name count as the name. */
static void assign(struct flow *f, uint32_t target, uint32_t value,
                   enum giver_kind kind)
{
    const struct nodes *ns = f->ns;
    uint32_t i = target, past;

    if (target == NODE_NONE)
        return;
    for (past = ns->at[target].past; i < past;) {
        if (node_is(ns, i, NODE_SUBSCRIPT) || node_is(ns, i, NODE_ATTRIBUTE)) {
            uint32_t s = flow_symbol(f, flow_root(ns, i));
            bool element =
                node_is(ns, i, NODE_SUBSCRIPT) && kind == GIVER_VALUE;

            if (element)
                give_at(f, s, node_field(ns, i, FIELD_subscript), value,
                        GIVER_ELEMENT);
            else
                give(f, s, value, kind);
            if (s != SYMBOL_NONE)
                f->written[s] = true;
            i = ns->at[i].past;
            continue;
        }
        if (node_is(ns, i, NODE_IDENTIFIER))
            give(f, f->symbol[i], value, kind);
        i++;
    }
}

/* `a, b = f(x)`: each name gets its part of what a call gives. False: a target
 * is no plain name. */
static bool assign_parts(struct flow *f, uint32_t left, uint32_t right)
{
    const struct nodes *ns = f->ns;
    uint32_t part = 1;

    if (!node_is(ns, right, NODE_CALL) ||
        !node_is(ns, node_parent(ns, left), NODE_ASSIGNMENT) ||
        !(node_is(ns, left, NODE_PATTERN_LIST) ||
          node_is(ns, left, NODE_TUPLE_PATTERN)))
        return false;
    for (uint32_t c = node_named_child(ns, left); c != NODE_NONE;
         c = node_named_sibling(ns, c))
        if (!node_is(ns, c, NODE_IDENTIFIER))
            return false;
    for (uint32_t c = node_named_child(ns, left); c != NODE_NONE;
         c = node_named_sibling(ns, c), part++) {
        uint32_t before = f->nitems;

        give(f, f->symbol[c], right, GIVER_VALUE);
        if (f->nitems > before)
            f->items[before].part = part;
    }
    return true;
}

/* Of `for i, a in enumerate(x)`: a and x, which may be pairs again. */
static void look_through_enumerate(const struct nodes *ns, uint32_t *left,
                                   uint32_t *right)
{
    static const char *const name[] = { "enumerate" };
    uint32_t first, list;

    if (!node_is(ns, *right, NODE_CALL) ||
        !node_is(ns, *left, NODE_PATTERN_LIST) ||
        !IS_ONE_OF(kernel_last_name(ns, *right), name))
        return;
    first = node_named_child(ns, *left);
    list = node_field(ns, *right, FIELD_arguments);
    if (node_named_sibling(ns, first) == NODE_NONE || list == NODE_NONE ||
        node_named_child(ns, list) == NODE_NONE)
        return;
    *left = node_named_sibling(ns, first);
    *right = node_named_child(ns, list);
}

/* `a, b = x, y` and `for a, b in zip(x, y)` pairwise, all else as a whole. */
static void assign_all(struct flow *f, uint32_t left, uint32_t right)
{
    static const char *const zip[] = { "zip", "product" };
    const struct nodes *ns = f->ns;
    uint32_t a, b, n = 0, m = 0;
    bool pairs;

    look_through_enumerate(ns, &left, &right);
    if (node_is(ns, right, NODE_CALL) &&
        IS_ONE_OF(kernel_last_name(ns, right), zip))
        right = node_field(ns, right, FIELD_arguments);
    pairs = (node_is(ns, left, NODE_PATTERN_LIST) ||
             node_is(ns, left, NODE_TUPLE_PATTERN)) &&
            (node_is(ns, right, NODE_EXPRESSION_LIST) ||
             node_is(ns, right, NODE_ARGUMENT_LIST) ||
             node_is(ns, right, NODE_TUPLE));
    for (a = pairs ? node_named_child(ns, left) : NODE_NONE; a != NODE_NONE;
         a = node_named_sibling(ns, a))
        n++;
    for (b = pairs ? node_named_child(ns, right) : NODE_NONE; b != NODE_NONE;
         b = node_named_sibling(ns, b))
        m++;
    if (!pairs || n != m) {
        if (!assign_parts(f, left, right))
            assign(f, left, right, GIVER_VALUE);
        return;
    }
    a = node_named_child(ns, left);
    b = node_named_child(ns, right);
    for (; a != NODE_NONE;
         a = node_named_sibling(ns, a), b = node_named_sibling(ns, b))
        assign(f, a, b, GIVER_VALUE);
}

/* ---- the first pass ---- */

static bool is_import(const struct nodes *ns, uint32_t i)
{
    return node_is(ns, i, NODE_IMPORT) || node_is(ns, i, NODE_IMPORT_FROM) ||
           node_is(ns, i, NODE_FUTURE_IMPORT);
}

static void take_parameters(struct flow *f, uint32_t function)
{
    const struct nodes *ns = f->ns;
    uint32_t list = node_field(ns, function, FIELD_parameters), place = 0;

    if (list == NODE_NONE)
        return;
    for (uint32_t c = node_named_child(ns, list); c != NODE_NONE;
         c = node_named_sibling(ns, c), place++) {
        uint32_t name = c;

        while (name != NODE_NONE && !node_is(ns, name, NODE_IDENTIFIER))
            name = node_named_child(ns, name);
        uint32_t s = flow_symbol(f, name);
        if (s == SYMBOL_NONE || f->parameter[s] == function)
            continue; /* def f(a, a) is an error to Python alone */
        f->parameter[s] = function;
        f->star[s] =
            node_is(ns, node_parent(ns, name), NODE_LIST_SPLAT_PATTERN);
        f->place[s] = place;
        f->next_parameter[s] = f->first_parameter[function];
        f->first_parameter[function] = s;
        give(f, s, node_field(ns, c, FIELD_value), GIVER_VALUE);
    }
}

static void take_definition(struct flow *f, uint32_t i)
{
    const struct nodes *ns = f->ns;
    uint32_t above = node_parent(ns, i);
    uint32_t s = flow_symbol(f, node_field(ns, i, FIELD_name));

    if (s != SYMBOL_NONE) {
        f->definition[s] = i;
        f->kernel[s] =
            node_is(ns, above, NODE_DECORATED) && kernel_is(ns, above);
    }
    if (!node_is(ns, i, NODE_FUNCTION))
        return;
    take_parameters(f, i);
    if (node_is(ns, node_scope(ns, i), NODE_CLASS) &&
        node_field(ns, i, FIELD_name) != NODE_NONE) {
        xgrow(&f->methods, &f->methods_room, f->nmethods + 1,
              sizeof(*f->methods));
        f->methods[f->nmethods++] =
            (struct method){ node_text(ns, node_field(ns, i, FIELD_name)), i };
    }
}

static void take_values(struct flow *f, uint32_t i)
{
    const struct nodes *ns = f->ns;

    switch (node_kind(ns, i)) {
    case NODE_ASSIGNMENT:
    case NODE_FOR:
    case NODE_FOR_IN_CLAUSE:
        assign_all(f, node_field(ns, i, FIELD_left),
                   node_field(ns, i, FIELD_right));
        break;
    case NODE_AUGMENTED_ASSIGNMENT:
        assign(f, node_field(ns, i, FIELD_left), node_field(ns, i, FIELD_right),
               GIVER_ADDED);
        break;
    case NODE_NAMED_EXPRESSION:
        assign(f, node_field(ns, i, FIELD_name), node_field(ns, i, FIELD_value),
               GIVER_VALUE);
        break;
    case NODE_AS_PATTERN:
        assign(f, node_field(ns, i, FIELD_alias), node_named_child(ns, i),
               GIVER_VALUE);
        break;
    case NODE_FUNCTION:
    case NODE_CLASS:
        take_definition(f, i);
        break;
    default:
        break;
    }
}

static void take_symbols(struct flow *f)
{
    const struct nodes *ns = f->ns;

    f->nsymbols = scopes_symbols(f->scopes);
    f->symbol = xcalloc(ns->n, sizeof(*f->symbol));
    f->next_call = xcalloc(ns->n, sizeof(*f->next_call));
    f->seen = xcalloc(f->nsymbols + 1, sizeof(*f->seen));
    f->below = xcalloc(f->nsymbols + 1, sizeof(*f->below));
    f->stamps = xcalloc(ns->n, sizeof(*f->stamps));
    f->through = xcalloc((size_t)ns->n + f->nsymbols, sizeof(*f->through));
    f->first_parameter = xcalloc(ns->n, sizeof(*f->first_parameter));
    f->method_calls = xcalloc(ns->n, sizeof(*f->method_calls));
    f->next_method_call = xcalloc(ns->n, sizeof(*f->next_method_call));
    f->next_parameter = xcalloc(f->nsymbols + 1, sizeof(*f->next_parameter));
    f->givers = xcalloc(f->nsymbols + 1, sizeof(*f->givers));
    f->definition = xcalloc(f->nsymbols + 1, sizeof(*f->definition));
    f->parameter = xcalloc(f->nsymbols + 1, sizeof(*f->parameter));
    f->place = xcalloc(f->nsymbols + 1, sizeof(*f->place));
    f->calls = xcalloc(f->nsymbols + 1, sizeof(*f->calls));
    f->module = xcalloc(f->nsymbols + 1, sizeof(*f->module));
    f->written = xcalloc(f->nsymbols + 1, sizeof(*f->written));
    f->star = xcalloc(f->nsymbols + 1, sizeof(*f->star));
    f->behind = xcalloc(f->nsymbols + 1, sizeof(*f->behind));
    f->kernel = xcalloc(f->nsymbols + 1, sizeof(*f->kernel));
    for (uint32_t s = 0; s < f->nsymbols; s++)
        f->givers[s] = f->definition[s] = f->parameter[s] = f->calls[s] =
            f->next_parameter[s] = f->behind[s] = NODE_NONE;
    for (uint32_t i = 0; i < ns->n; i++) {
        f->symbol[i] = f->next_call[i] = f->first_parameter[i] =
            f->method_calls[i] = f->next_method_call[i] = NODE_NONE;
        if (node_is(ns, i, NODE_IDENTIFIER))
            f->symbol[i] = scopes_symbol_at(f->scopes, ns->at[i].at.start);
    }
    for (uint32_t i = 0; i < ns->n; i++) {
        if (!is_import(ns, i))
            continue;
        for (uint32_t k = i; k < ns->at[i].past; k++)
            if (f->symbol[k] != SYMBOL_NONE)
                f->module[f->symbol[k]] = true;
    }
}

static bool leaves(const struct nodes *ns, uint32_t i)
{
    return node_is(ns, i, NODE_RAISE) || node_is(ns, i, NODE_RETURN) ||
           node_is(ns, i, NODE_BREAK) || node_is(ns, i, NODE_CONTINUE);
}

/* What stands behind a statement that leaves its block never runs. */
static void mark_idle(struct flow *f)
{
    const struct nodes *ns = f->ns;

    f->idle = xcalloc(ns->n, sizeof(*f->idle));
    for (uint32_t i = 0; i < ns->n; i++) {
        if (f->idle[i] || !leaves(ns, i))
            continue;
        for (uint32_t k = ns->at[i].past; k < ns->at[node_parent(ns, i)].past;)
            f->idle[k++] = true;
    }
}

/* ---- who calls whom ---- */

static int by_name_and_place(const void *a, const void *b)
{
    const struct method *x = a, *y = b;
    int order = names_order(x->name, y->name);

    return order != 0 ? order : x->function < y->function ? -1 : 1;
}

/* How many methods have a name before this one, or this one. */
static size_t methods_up_to(const struct flow *f, struct bytes name, bool with)
{
    size_t low;

    BISECT(low, 0, f->nmethods,
           names_order(f->methods[low].name, name) < (with ? 1 : 0));
    return low;
}

const struct method *flow_methods(const struct flow *f, struct bytes name,
                                  size_t *n)
{
    size_t first = methods_up_to(f, name, false);

    *n = methods_up_to(f, name, true) - first;
    return *n > 0 ? &f->methods[first] : NULL;
}

/* The method a call `x.name(...)`, or `f(...)` with `f = x.name`, may mean: the
 * first of that name. */
static uint32_t method_of(const struct flow *f, uint32_t call)
{
    uint32_t function = node_field(f->ns, call, FIELD_function);
    const struct method *first;
    size_t n;

    if (node_is(f->ns, function, NODE_IDENTIFIER))
        function = flow_value(f, function);
    if (!node_is(f->ns, function, NODE_ATTRIBUTE))
        return NODE_NONE;
    first = flow_methods(f, kernel_last_name(f->ns, function), &n);
    return first ? first->function : NODE_NONE;
}

/* `kernel[grid](*args)` in a function of these. */
static void take_star(struct flow *f, uint32_t call)
{
    uint32_t first = node_first_argument(f->ns, call);
    uint32_t s = node_is(f->ns, first, NODE_LIST_SPLAT)
                     ? flow_symbol(f, flow_root(f->ns, first))
                     : SYMBOL_NONE;

    if (s != SYMBOL_NONE && f->star[s])
        f->behind[s] = call;
}

/* Calls by name, the last one first, so that lists end in text order. */
static void take_calls(struct flow *f)
{
    if (f->nmethods > 0)
        qsort(f->methods, f->nmethods, sizeof(*f->methods), by_name_and_place);
    for (uint32_t i = f->ns->n; i-- > 0;) {
        uint32_t s, method;

        if (!node_is(f->ns, i, NODE_CALL) || f->idle[i])
            continue;
        take_star(f, i);
        s = flow_symbol(f,
                        flow_root(f->ns, node_field(f->ns, i, FIELD_function)));
        method = method_of(f, i);
        if (s != SYMBOL_NONE) {
            f->next_call[i] = f->calls[s];
            f->calls[s] = i;
        }
        if (method != NODE_NONE) {
            f->next_method_call[i] = f->method_calls[method];
            f->method_calls[method] = i;
        }
    }
}

uint32_t flow_called(const struct flow *f, uint32_t call, bool *kernel)
{
    uint32_t function = node_field(f->ns, call, FIELD_function);
    uint32_t s = flow_symbol(f, flow_root(f->ns, function));
    uint32_t method = method_of(f, call);

    *kernel = s != SYMBOL_NONE && f->kernel[s];
    if (*kernel)
        return f->definition[s];
    if (method != NODE_NONE)
        return method;
    return s != SYMBOL_NONE && node_is(f->ns, function, NODE_IDENTIFIER)
               ? f->definition[s]
               : NODE_NONE;
}

uint32_t flow_callee(const struct flow *f, uint32_t call)
{
    bool kernel;
    uint32_t definition = flow_called(f, call, &kernel);

    return kernel || !node_is(f->ns, definition, NODE_FUNCTION) ? NODE_NONE
                                                                : definition;
}

uint32_t flow_called_object(const struct flow *f, uint32_t call)
{
    static const char *const names[] = { "__call__", "forward" };
    uint32_t s = flow_symbol(f, node_field(f->ns, call, FIELD_function));
    uint32_t only = NODE_NONE;

    if (!flow_is_variable(f, s) || f->definition[s] != NODE_NONE)
        return NODE_NONE;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        size_t n;
        const struct method *first =
            flow_methods(f, bytes_of(names[i], strlen(names[i])), &n);

        if (n > 1 || (n == 1 && only != NODE_NONE))
            return NODE_NONE;
        if (n == 1)
            only = first->function;
    }
    return only;
}

uint32_t flow_next_call(const struct flow *f, uint32_t function, uint32_t after)
{
    uint32_t s = flow_symbol(f, node_field(f->ns, function, FIELD_name));

    if (node_is(f->ns, node_scope(f->ns, function), NODE_CLASS))
        return after == NODE_NONE ? f->method_calls[function]
                                  : f->next_method_call[after];
    if (s == SYMBOL_NONE)
        return NODE_NONE;
    return after == NODE_NONE ? f->calls[s] : f->next_call[after];
}

uint32_t flow_argument(const struct flow *f, uint32_t call, uint32_t parameter)
{
    const struct nodes *ns = f->ns;
    uint32_t list = node_field(ns, call, FIELD_arguments), place = 0;
    uint32_t wanted = f->place[parameter];
    struct bytes name = symbol_name(f->scopes, parameter);

    /* A method's first parameter is what stands before the dot. */
    if (node_is(ns, node_scope(ns, f->parameter[parameter]), NODE_CLASS)) {
        if (wanted == 0)
            return node_field(ns, call, FIELD_function);
        wanted--;
    }
    if (list == NODE_NONE)
        return NODE_NONE;
    for (uint32_t c = node_named_child(ns, list); c != NODE_NONE;
         c = node_named_sibling(ns, c)) {
        if (!node_is(ns, c, NODE_KEYWORD_ARGUMENT)) {
            if (place++ == wanted || node_is(ns, c, NODE_LIST_SPLAT))
                return c;
            continue;
        }
        uint32_t key = node_field(ns, c, FIELD_name);
        if (key != NODE_NONE && names_order(node_text(ns, key), name) == 0)
            return node_field(ns, c, FIELD_value);
    }
    return NODE_NONE;
}

/* ---- the second pass: writes ---- */

uint32_t flow_written(const struct flow *f, uint32_t argument)
{
    uint32_t i = argument;

    while (i != NODE_NONE && !node_is(f->ns, i, NODE_IDENTIFIER)) {
        if (node_is(f->ns, i, NODE_ATTRIBUTE))
            i = node_field(f->ns, i, FIELD_object);
        else if (node_is(f->ns, i, NODE_SUBSCRIPT))
            i = node_field(f->ns, i, FIELD_value);
        else if (node_is(f->ns, i, NODE_KEYWORD_ARGUMENT))
            i = node_field(f->ns, i, FIELD_value);
        else
            return SYMBOL_NONE;
    }
    return flow_symbol(f, i);
}

/* Note that a call writes into a name; once that is known of all names, the
 * call is given to it. True when it is news. */
static bool write(struct flow *f, uint32_t symbol, uint32_t call)
{
    bool news;

    if (!flow_is_variable(f, symbol))
        return false;
    news = !f->written[symbol];
    f->written[symbol] = true;
    if (f->giving)
        give(f, symbol, call, GIVER_WRITE);
    return news;
}

/* All names in an argument, of a pointer's sum, of a tuple of arrays; what a
 * call in it gives is a value of its own. */
static bool write_names(struct flow *f, uint32_t argument, uint32_t call)
{
    bool news = false;

    for (uint32_t i = argument; i < f->ns->at[argument].past; i++) {
        if (node_is(f->ns, i, NODE_CALL))
            i = f->ns->at[i].past - 1;
        else if (node_is(f->ns, i, NODE_IDENTIFIER))
            news |= write(f, f->symbol[i], call);
    }
    return news;
}

/* A store writes through every name its pointer was summed from. */
static bool write_back(struct flow *f, uint32_t symbol)
{
    bool news = false;

    for (uint32_t g = f->givers[symbol]; g != NODE_NONE; g = f->items[g].next) {
        uint32_t node = f->items[g].node;

        if (f->items[g].kind == GIVER_VALUE &&
            (node_is(f->ns, node, NODE_BINARY_OPERATOR) ||
             node_is(f->ns, node, NODE_IDENTIFIER)))
            news |= write_names(f, node, node);
    }
    return news;
}

static bool any_written(const struct flow *f, uint32_t function)
{
    uint32_t p = f->first_parameter[function];

    while (p != SYMBOL_NONE && !f->written[p])
        p = f->next_parameter[p];
    return p != SYMBOL_NONE;
}

bool flow_is_star(const struct flow *f, uint32_t parameter)
{
    return f->star[parameter];
}

/* The kernel that a call of the function launches with `*args` alone, where
 * the star is this parameter and the kernel is another or a name of its own;
 * NODE_NONE when that is not known. */
static uint32_t kernel_behind(const struct flow *f, uint32_t call,
                              uint32_t function, uint32_t star)
{
    uint32_t launch = f->behind[star];
    uint32_t s = launch == NODE_NONE ? SYMBOL_NONE
                                     : flow_symbol(f, flow_root(f->ns, launch));

    if (s != SYMBOL_NONE && f->parameter[s] == function)
        s = flow_symbol(f, flow_root(f->ns, flow_argument(f, call, s)));
    return s != SYMBOL_NONE && f->kernel[s] &&
                   node_is(f->ns, f->definition[s], NODE_FUNCTION)
               ? f->definition[s]
               : NODE_NONE;
}

static bool is_written_at(const struct flow *f, uint32_t function,
                          uint32_t place)
{
    uint32_t p = f->first_parameter[function];

    while (p != SYMBOL_NONE && f->place[p] != place)
        p = f->next_parameter[p];
    return p != SYMBOL_NONE && f->written[p];
}

/* What `def f(*args)` hands on to a kernel: what that writes, else all. */
static bool write_star(struct flow *f, uint32_t call, uint32_t function,
                       uint32_t star)
{
    uint32_t kernel = kernel_behind(f, call, function, star), place = 0;
    uint32_t c = flow_argument(f, call, star);
    bool some = kernel != NODE_NONE && any_written(f, kernel), news = false;

    if (kernel != NODE_NONE && !some && !f->silent_writes)
        return false;
    for (; c != NODE_NONE && !node_is(f->ns, c, NODE_KEYWORD_ARGUMENT);
         c = node_named_sibling(f->ns, c), place++)
        if ((!some || is_written_at(f, kernel, place)) && !flow_is_number(f, c))
            news |= write_names(f, c, call);
    return news;
}

/* A call of a function or kernel whose body is here: as its parameters say. */
static bool write_arguments(struct flow *f, uint32_t call, uint32_t function,
                            bool silent)
{
    bool news = false, any = any_written(f, function);
    uint32_t s = f->first_parameter[function];

    for (; s != SYMBOL_NONE; s = f->next_parameter[s]) {
        uint32_t argument;

        if (!f->written[s] && (any || !silent))
            continue;
        if (flow_is_star(f, s)) {
            news |= write_star(f, call, function, s);
            continue;
        }
        argument = flow_argument(f, call, s);
        if (argument != NODE_NONE && !flow_is_number(f, argument))
            news |= write(f, flow_written(f, argument), call);
    }
    return news;
}

/* A call that stands alone is there for what it writes. */
static bool take_write(struct flow *f, uint32_t call)
{
    const struct nodes *ns = f->ns;
    uint32_t list = node_field(ns, call, FIELD_arguments);
    uint32_t function = node_field(ns, call, FIELD_function);
    uint32_t root = flow_symbol(f, flow_root(ns, function));
    struct bytes name = kernel_last_name(ns, call);
    bool kernel, news = false;
    uint32_t definition = flow_called(f, call, &kernel);

    if (list == NODE_NONE || IS_ONE_OF(name, quiet))
        return false;
    if (is_store(name)) {
        uint32_t pointer = node_named_child(ns, list);

        return pointer != NODE_NONE && write_names(f, pointer, call);
    }
    if (node_is(ns, definition, NODE_FUNCTION))
        return write_arguments(f, call, definition,
                               kernel && f->silent_writes && f->giving);
    if (!node_is(ns, node_parent(ns, call), NODE_EXPRESSION_STATEMENT))
        return false;
    if (node_is(ns, function, NODE_ATTRIBUTE))
        news |= write(f, root, call); /* out.copy_(x) */
    for (uint32_t c = node_named_child(ns, list); c != NODE_NONE;
         c = node_named_sibling(ns, c))
        news |= write_names(f, c, call);
    return news;
}

static void take_writes(struct flow *f)
{
    bool news = true;

    for (int round = 0; news && round < WRITE_ROUNDS; round++) {
        news = false;
        for (uint32_t i = 0; i < f->ns->n; i++)
            if (node_is(f->ns, i, NODE_CALL) && !f->idle[i])
                news |= take_write(f, i);
        for (uint32_t s = 0; s < f->nsymbols; s++)
            if (f->written[s])
                news |= write_back(f, s);
    }
    f->giving = true;
    for (uint32_t i = 0; i < f->ns->n; i++)
        if (node_is(f->ns, i, NODE_CALL) && !f->idle[i])
            take_write(f, i);
}

/* A function that was defined and of which nothing ran may be one that a front
 * end reads and the tracer does not see: that says nothing. */
static void mark_spans(struct flow *f, const struct span *idle, size_t n)
{
    const struct nodes *ns = f->ns;
    uint32_t *ran =
        xcalloc((size_t)ns->n + 1, sizeof(*ran)); /* before a node */
    size_t k = 0;

    for (uint32_t i = 0; i < ns->n; i++) { /* by where they begin */
        while (k < n && idle[k].end <= ns->at[i].at.start)
            k++;
        ran[i + 1] = ran[i] + !(k < n && idle[k].start <= ns->at[i].at.start);
    }
    for (uint32_t i = 0; i < ns->n; i++) {
        uint32_t body = node_is(ns, i, NODE_FUNCTION) && ran[i + 1] > ran[i]
                            ? node_field(ns, i, FIELD_body)
                            : NODE_NONE;

        if (body != NODE_NONE && ran[ns->at[body].past] == ran[body + 1])
            i = ns->at[i].past - 1;
        else if (ran[i + 1] == ran[i])
            f->idle[i] = true;
    }
    free(ran);
}

struct flow *flow_new(const struct tree *tree, bool silent_writes)
{
    return flow_new_without(tree, silent_writes, NULL, 0);
}

struct flow *flow_new_without(const struct tree *tree, bool silent_writes,
                              const struct span *idle, size_t n)
{
    struct flow *f = xcalloc(1, sizeof(*f));

    f->ns = tree_nodes(tree);
    f->scopes = scopes_new(tree);
    f->silent_writes = silent_writes;
    take_symbols(f);
    mark_idle(f);
    if (n > 0)
        mark_spans(f, idle, n);
    for (uint32_t i = 0; i < f->ns->n; i++)
        if (!f->idle[i])
            take_values(f, i);
    take_calls(f);
    take_writes(f);
    return f;
}

void flow_free(struct flow *f)
{
    scopes_free(f->scopes);
    free(f->symbol);
    free(f->next_call);
    free(f->givers);
    free(f->items);
    free(f->definition);
    free(f->parameter);
    free(f->place);
    free(f->calls);
    free(f->module);
    free(f->written);
    free(f->star);
    free(f->behind);
    free(f->kernel);
    free(f->idle);
    free(f->methods);
    free(f->stamps);
    free(f->through);
    free(f->seen);
    free(f->below);
    free(f->first_parameter);
    free(f->next_parameter);
    free(f->method_calls);
    free(f->next_method_call);
    free(f);
}

uint32_t flow_value(const struct flow *f, uint32_t identifier)
{
    uint32_t s = flow_symbol(f, identifier);

    if (!flow_is_variable(f, s) || f->definition[s] != NODE_NONE)
        return NODE_NONE;
    if (f->parameter[s] != NODE_NONE) {
        uint32_t call = flow_next_call(f, f->parameter[s], NODE_NONE);

        return call == NODE_NONE ? NODE_NONE : flow_argument(f, call, s);
    }
    for (uint32_t g = f->givers[s]; g != NODE_NONE; g = f->items[g].next)
        if (f->items[g].kind != GIVER_WRITE)
            return f->items[g].node;
    return NODE_NONE;
}

uint32_t flow_filled(const struct flow *f, uint32_t identifier)
{
    uint32_t s = flow_symbol(f, identifier), first = NODE_NONE;

    if (!flow_is_variable(f, s))
        return NODE_NONE;
    for (uint32_t g = f->givers[s]; g != NODE_NONE; g = f->items[g].next)
        if (f->items[g].kind == GIVER_WRITE)
            first = f->items[g].node;
    return first;
}

struct span flow_target(const struct flow *f, uint32_t identifier)
{
    uint32_t s = flow_symbol(f, identifier);
    const struct occurrence *at;
    size_t n = 0;

    if (flow_is_variable(f, s)) {
        at = symbol_occurrences(f->scopes, s, &n);
        for (size_t i = 0; i < n; i++)
            if (at[i].role == OCC_BIND)
                return at[i].at;
    }
    return (struct span){ 0, 0 };
}

uint32_t flow_handed(const struct flow *f, uint32_t identifier, uint32_t call)
{
    uint32_t s = flow_symbol(f, identifier);

    return flow_is_variable(f, s) && f->parameter[s] != NODE_NONE &&
                   f->parameter[s] == flow_callee(f, call) &&
                   !flow_is_star(f, s)
               ? flow_argument(f, call, s)
               : NODE_NONE;
}

bool flow_is_number(const struct flow *f, uint32_t i)
{
    for (int hop = 0; hop < HOPS_MAX && i != NODE_NONE; hop++) {
        if (node_is(f->ns, i, NODE_INTEGER))
            return true;
        if (!node_is(f->ns, i, NODE_IDENTIFIER))
            return false;
        i = flow_value(f, i);
    }
    return false;
}
