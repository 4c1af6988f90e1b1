/* A kernel's names are followed as a slice follows those of the host, but
 * inside the kernel alone: what an argument comes from does not matter here,
 * that it is one does. */
#include "grammar/effect.h"

#include <string.h>

#include "config/base.h"
#include "grammar/flow_parts.h"
#include "grammar/kernel.h"

#define NAMES_MAX 64 /* of a hop from name to name: more are not constant */
#define STOOD_MAX 16 /* expressions that one stands for: the first of them */

#define IS_ONE_OF(text, list) text_is_one_of(text, list, ARRAY_LEN(list))

/* Calls that give each thread, block or turn something of its own. */
static const char *const varying[] = {
    "load",  "arange",   "program_id",   "grid",    "gridsize",  "range",
    "rand",  "Parallel", "static_range", "serial",  "Serial",    "Pipelined",
    "vload", "Kernel",   "unroll",       "randint", "atomic_add"
};
static const char *const places[] = { "threadIdx", "blockIdx", "laneid" };

/* One value of many. */
static const char *const reductions[] = {
    "sum",      "mean",       "prod",
    "max",      "min",        "argmax",
    "argmin",   "xor_sum",    "reduce",
    "any",      "all",        "cumsum",
    "cumprod",  "dot",        "gemm",
    "sum_all",  "dot_scaled", "associative_scan",
    "logsumexp"
};

/* A pointer or a value taken for one of another type. */
static const char *const casting[] = { "to",     "cast",         "bitcast",
                                       "view",   "pointer_type", "int_to_ptr",
                                       "astype", "reinterpret" };

static bool begins_with(struct bytes name, const char *word)
{
    size_t n = strlen(word);

    return name.len > n && memcmp(name.data, word, n) == 0;
}

static bool is_atomic(struct bytes name)
{
    return begins_with(name, "atomic_");
}

/* ---- constant or not ---- */

struct names {
    uint32_t kernel; /* the function */
    uint32_t seen[NAMES_MAX];
    size_t n;
};

static bool is_new(struct names *names, uint32_t symbol)
{
    for (size_t i = 0; i < names->n; i++)
        if (names->seen[i] == symbol)
            return false;
    return true;
}

/* Whether node i by itself makes what holds it vary. */
static bool node_varies(const struct flow *f, uint32_t i)
{
    const struct nodes *ns = f->ns;

    if (node_is(ns, i, NODE_CALL))
        return IS_ONE_OF(kernel_last_name(ns, i), varying);
    if (node_is(ns, i, NODE_ATTRIBUTE))
        return IS_ONE_OF(kernel_last_name(ns, i), places);
    return false;
}

/* The names of an expression are added to `names`; true as soon as it is known
 * to vary. */
static bool look_at(const struct flow *f, struct names *names, uint32_t node)
{
    for (uint32_t i = node; i < f->ns->at[node].past; i++) {
        uint32_t s = f->symbol[i];

        if (node_varies(f, i))
            return true;
        if (!flow_is_variable(f, s) || !is_new(names, s))
            continue;
        if (f->parameter[s] == names->kernel || names->n == NAMES_MAX)
            return true;
        names->seen[names->n++] = s;
    }
    return false;
}

static bool is_store(struct bytes name)
{
    static const char *const stores[] = { "store" };

    return IS_ONE_OF(name, stores) || is_atomic(name);
}

/* A store counts as writing each name of its pointer, also the number in
 * `p + i`: that is no value of it. So does a load whose value nobody takes. */
static bool is_own_store(const struct flow *f, const struct giver *giver)
{
    static const char *const loads[] = { "load" };

    return giver->kind == GIVER_WRITE &&
           (!node_is(f->ns, giver->node, NODE_CALL) ||
            is_store(kernel_last_name(f->ns, giver->node)) ||
            IS_ONE_OF(kernel_last_name(f->ns, giver->node), loads));
}

static bool varies(const struct flow *f, uint32_t kernel, uint32_t node)
{
    struct names names = { .kernel = kernel };

    if (node == NODE_NONE)
        return false;
    if (look_at(f, &names, node))
        return true;
    for (size_t i = 0; i < names.n; i++) {
        uint32_t g = f->givers[names.seen[i]];

        for (; g != NODE_NONE; g = f->items[g].next)
            if (node_holds(f->ns, kernel, f->items[g].node) &&
                !is_own_store(f, &f->items[g]) &&
                look_at(f, &names, f->items[g].node))
                return true;
    }
    return false;
}

/* ---- what never runs ---- */

static bool is_test(const struct nodes *ns, uint32_t i)
{
    return node_is(ns, i, NODE_IF) || node_is(ns, i, NODE_ELIF) ||
           node_is(ns, i, NODE_WHILE);
}

static bool is_nothing(const struct nodes *ns, uint32_t i)
{
    return node_is(ns, i, NODE_FALSE_NAME) || node_is(ns, i, NODE_NONE_NAME) ||
           (node_is(ns, i, NODE_INTEGER) && node_text_is(ns, i, "0"));
}

/* `range(0)`, `()` */
static bool is_no_turn(const struct nodes *ns, uint32_t i)
{
    static const char *const ranges[] = { "range", "static_range" };
    uint32_t first =
        node_is(ns, i, NODE_CALL) ? node_first_argument(ns, i) : NODE_NONE;

    if (node_is(ns, i, NODE_TUPLE) || node_is(ns, i, NODE_LIST))
        return node_named_child(ns, i) == NODE_NONE;
    return first != NODE_NONE && IS_ONE_OF(kernel_last_name(ns, i), ranges) &&
           is_nothing(ns, first) && node_named_sibling(ns, first) == NODE_NONE;
}

/* Whether a node of the kernel stands under `if 0:`, in `for i in range(0)`. */
static bool never_comes(const struct flow *f, uint32_t kernel, uint32_t i)
{
    const struct nodes *ns = f->ns;

    for (; i != NODE_NONE && i != kernel; i = node_parent(ns, i))
        if ((is_test(ns, i) &&
             is_nothing(ns, node_field(ns, i, FIELD_condition))) ||
            (node_is(ns, i, NODE_FOR) &&
             is_no_turn(ns, node_field(ns, i, FIELD_right))))
            return true;
    return false;
}

/* ---- one of many ---- */

/* tl.max(x, axis=0) and T.reduce_max(x, y), not max(a, b). */
static bool is_reduction(const struct nodes *ns, uint32_t call)
{
    struct bytes name = kernel_last_name(ns, call);
    uint32_t first = node_first_argument(ns, call);

    if (begins_with(name, "reduce_"))
        return true;
    return first != NODE_NONE && IS_ONE_OF(name, reductions) &&
           (node_is(ns, node_field(ns, call, FIELD_function), NODE_ATTRIBUTE) ||
            node_named_sibling(ns, first) == NODE_NONE);
}

/* An element of an argument, in Python or through a pointer. */
static bool is_load(const struct flow *f, uint32_t kernel, uint32_t i)
{
    static const char *const loads[] = { "load", "vload", "copy" };
    uint32_t s;

    if (node_is(f->ns, i, NODE_CALL))
        return IS_ONE_OF(kernel_last_name(f->ns, i), loads);
    s = node_is(f->ns, i, NODE_SUBSCRIPT) ? flow_symbol(f, flow_root(f->ns, i))
                                          : SYMBOL_NONE;
    return s != SYMBOL_NONE && f->parameter[s] == kernel;
}

/* The names of an expression are added to `names`, and what it does to *out. */
static void look_for(const struct flow *f, struct names *names, uint32_t node,
                     struct effect *out)
{
    for (uint32_t i = node; i < f->ns->at[node].past; i++) {
        uint32_t s = f->symbol[i];

        out->reduces |= node_is(f->ns, i, NODE_CALL) && is_reduction(f->ns, i);
        out->reads |= is_load(f, names->kernel, i);
        out->casts |= node_is(f->ns, i, NODE_CALL) &&
                      IS_ONE_OF(kernel_last_name(f->ns, i), casting);
        if (flow_is_variable(f, s) && f->parameter[s] != names->kernel &&
            names->n < NAMES_MAX && is_new(names, s))
            names->seen[names->n++] = s;
    }
}

static bool is_in_loop(const struct flow *f, uint32_t kernel, uint32_t i)
{
    for (; i != NODE_NONE && i != kernel; i = node_parent(f->ns, i))
        if (node_is(f->ns, i, NODE_FOR) || node_is(f->ns, i, NODE_WHILE))
            return true;
    return false;
}

/* Whether a value is made of others, and of many. */
static void look_through(const struct flow *f, uint32_t kernel, uint32_t node,
                         struct effect *out)
{
    struct names names = { .kernel = kernel };

    if (node != NODE_NONE)
        look_for(f, &names, node, out);
    for (size_t i = 0; i < names.n; i++) {
        uint32_t g = f->givers[names.seen[i]];

        for (; g != NODE_NONE; g = f->items[g].next) {
            const struct giver *giver = &f->items[g];

            if (!node_holds(f->ns, kernel, giver->node) ||
                is_own_store(f, giver) || never_comes(f, kernel, giver->node))
                continue;
            look_for(f, &names, giver->node, out);
            out->reduces |= giver->kind == GIVER_ADDED && /* not i += 1 */
                            is_in_loop(f, kernel, giver->node) &&
                            varies(f, kernel, giver->node);
        }
    }
}

/* ---- writes ---- */

/* Whether a name is a parameter of the kernel, or of a function in it, which a
 * factory gives back. */
static bool is_parameter(const struct flow *f, uint32_t kernel, uint32_t symbol)
{
    return symbol != SYMBOL_NONE && f->parameter[symbol] != NODE_NONE &&
           node_holds(f->ns, kernel, f->parameter[symbol]);
}

/* Whether an expression names one; names that it is summed from are added. */
static bool names_parameter(const struct flow *f, struct names *names,
                            uint32_t node)
{
    for (uint32_t i = node; i < f->ns->at[node].past; i++) {
        uint32_t s = f->symbol[i];

        if (is_parameter(f, names->kernel, s))
            return true;
        if (flow_is_variable(f, s) && names->n < NAMES_MAX && is_new(names, s))
            names->seen[names->n++] = s;
    }
    return false;
}

/* Whether a target is one of the kernel's parameters, or a pointer made of
 * one: not what an allocating call has made. */
static bool is_argument(const struct flow *f, uint32_t kernel, uint32_t node)
{
    struct names names = { .kernel = kernel };

    if (node_is(f->ns, node, NODE_SUBSCRIPT))
        node = node_field(f->ns, node, FIELD_value);
    if (node == NODE_NONE)
        return false;
    if (names_parameter(f, &names, node))
        return true;
    for (size_t i = 0; i < names.n; i++) {
        uint32_t g = f->givers[names.seen[i]];

        for (; g != NODE_NONE; g = f->items[g].next)
            if (f->items[g].kind <= GIVER_ADDED &&
                f->items[g].kind != GIVER_ELEMENT &&
                node_holds(f->ns, kernel, f->items[g].node) &&
                !node_is(f->ns, f->items[g].node, NODE_CALL) &&
                names_parameter(f, &names, f->items[g].node))
                return true;
    }
    return false;
}

/* An `if` or a `while` around a write, up to the kernel. */
static bool stands_under(const struct flow *f, uint32_t kernel, uint32_t i)
{
    for (; i != NODE_NONE && i != kernel; i = node_parent(f->ns, i))
        if (is_test(f->ns, i) &&
            varies(f, kernel, node_field(f->ns, i, FIELD_condition)))
            return true;
    return false;
}

static bool place_varies(const struct flow *f, uint32_t kernel, uint32_t target)
{
    uint32_t place = node_is(f->ns, target, NODE_SUBSCRIPT)
                         ? node_field(f->ns, target, FIELD_subscript)
                         : target;

    /* The parameter itself is no place: p in `p + i`. */
    for (uint32_t i = place; i < f->ns->at[place].past; i++) {
        uint32_t s = f->symbol[i];
        bool itself =
            s != SYMBOL_NONE && f->parameter[s] == kernel && place == target;

        if (node_is(f->ns, i, NODE_IDENTIFIER) && !itself ? varies(f, kernel, i)
                                                          : node_varies(f, i))
            return true;
    }
    return false;
}

static void take(const struct flow *f, uint32_t kernel, uint32_t at,
                 uint32_t target, uint32_t value, uint32_t mask,
                 struct effect *out)
{
    if (!is_argument(f, kernel, target) || never_comes(f, kernel, at))
        return;
    out->value |= varies(f, kernel, value);
    look_through(f, kernel, value, out);
    out->condition |= varies(f, kernel, mask) || stands_under(f, kernel, at);
    out->place |= place_varies(f, kernel, target);
}

/* The n-th argument of a call, by place or by one of its names. */
static uint32_t argument(const struct nodes *ns, uint32_t call, uint32_t n,
                         const char *name)
{
    uint32_t list = node_field(ns, call, FIELD_arguments), place = 0;

    if (list == NODE_NONE)
        return NODE_NONE;
    for (uint32_t c = node_named_child(ns, list); c != NODE_NONE;
         c = node_named_sibling(ns, c)) {
        uint32_t key = node_is(ns, c, NODE_KEYWORD_ARGUMENT)
                           ? node_field(ns, c, FIELD_name)
                           : NODE_NONE;

        if (key != NODE_NONE && text_is_one_of(node_text(ns, key), &name, 1))
            return node_field(ns, c, FIELD_value);
        if (key == NODE_NONE && place++ == n)
            return c;
    }
    return NODE_NONE;
}

static void take_call(const struct flow *f, uint32_t kernel, uint32_t call,
                      struct effect *out)
{
    static const char *const copies[] = { "copy" };
    const struct nodes *ns = f->ns;
    struct bytes name = kernel_last_name(ns, call);
    bool atomic = is_atomic(name);

    if (atomic && is_argument(f, kernel, node_first_argument(ns, call)))
        out->reduces = out->reads = true;
    if (is_store(name))
        take(f, kernel, call, argument(ns, call, 0, "pointer"),
             argument(ns, call, 1, atomic ? "val" : "value"),
             argument(ns, call, 2, "mask"), out);
    else if (IS_ONE_OF(name, copies))
        take(f, kernel, call, argument(ns, call, 1, "dst"),
             argument(ns, call, 0, "src"), NODE_NONE, out);
}

static void take_writes(const struct flow *f, uint32_t kernel,
                        struct effect *out)
{
    const struct nodes *ns = f->ns;

    for (uint32_t i = kernel; i < ns->at[kernel].past; i++) {
        bool added = node_is(ns, i, NODE_AUGMENTED_ASSIGNMENT);
        uint32_t left;

        if (node_is(ns, i, NODE_CALL))
            take_call(f, kernel, i, out);
        if (!added && !node_is(ns, i, NODE_ASSIGNMENT))
            continue;
        left = node_field(ns, i, FIELD_left);
        if (!node_is(ns, left, NODE_SUBSCRIPT))
            continue;
        take(f, kernel, i, left, node_field(ns, i, FIELD_right), NODE_NONE,
             out);
        if (!added || !is_argument(f, kernel, left))
            continue;
        out->reads = true;
        out->reduces |= is_in_loop(f, kernel, i);
    }
}

struct effect effect_of(struct flow *f, struct bytes name)
{
    const struct nodes *ns = f->ns;
    struct effect all = { 0 };

    for (uint32_t i = 0; i < ns->n; i++) {
        uint32_t own = node_is(ns, i, NODE_FUNCTION)
                           ? node_field(ns, i, FIELD_name)
                           : NODE_NONE;

        if (own != NODE_NONE && node_text(ns, own).len == name.len &&
            memcmp(node_text(ns, own).data, name.data, name.len) == 0)
            take_writes(f, i, &all);
    }
    return all;
}

/* ---- accesses ---- */

/* The kernel that a node is in, if something uses it; NODE_NONE: none. */
static uint32_t kernel_around(const struct flow *f, uint32_t i)
{
    while ((i = node_function(f->ns, i)) != NODE_NONE) {
        uint32_t s = flow_symbol(f, node_field(f->ns, i, FIELD_name));

        if (s != SYMBOL_NONE && f->kernel[s])
            return symbol_occurs(f->scopes, s, OCC_USED) ? i : NODE_NONE;
    }
    return NODE_NONE;
}

/* The pointer, or the element, that a node of a kernel accesses. */
static uint32_t accessed(const struct flow *f, uint32_t i)
{
    static const char *const loads[] = { "load" };
    const struct nodes *ns = f->ns;
    uint32_t s;

    if (node_is(ns, i, NODE_CALL))
        return IS_ONE_OF(kernel_last_name(ns, i), loads) ||
                       is_store(kernel_last_name(ns, i))
                   ? argument(ns, i, 0, "pointer")
                   : NODE_NONE;
    s = node_is(ns, i, NODE_SUBSCRIPT) ? flow_symbol(f, flow_root(ns, i))
                                       : SYMBOL_NONE;
    return s != SYMBOL_NONE && f->parameter[s] != NODE_NONE ? i : NODE_NONE;
}

bool effect_of_access(const struct flow *f, struct span in,
                      const struct effect *wanted, struct effect *all)
{
    bool found = false;

    for (uint32_t i = 0; i < f->ns->n && f->ns->at[i].at.start < in.end; i++) {
        uint32_t target =
            f->ns->at[i].at.start >= in.start ? accessed(f, i) : NODE_NONE;
        uint32_t kernel = target != NODE_NONE ? kernel_around(f, i) : NODE_NONE;
        struct effect one = { 0 };

        if (kernel == NODE_NONE)
            continue;
        look_through(f, kernel,
                     node_is(f->ns, target, NODE_SUBSCRIPT)
                         ? node_field(f->ns, target, FIELD_subscript)
                         : target,
                     &one);
        one = (struct effect){ .place = place_varies(f, kernel, target),
                               .reads = one.reads,
                               .casts = one.casts };
        found |= effect_has(&one, wanted) && (one.reads || !wanted->reads);
        if (!all)
            continue;
        all->place |= one.place;
        all->reads |= one.reads;
        all->casts |= one.casts;
    }
    return found;
}

bool effect_has(const struct effect *effect, const struct effect *wanted)
{
    return (effect->value || !wanted->value) &&
           (effect->place || !wanted->place) &&
           (effect->condition || !wanted->condition) &&
           (effect->reduces || !wanted->reduces) &&
           (effect->casts || !wanted->casts);
}

/* ---- nothing ---- */

/* What an expression may stand for; what is not followed stands for itself. */
struct stood {
    uint32_t nodes[STOOD_MAX];
    size_t n;
};

static void add_stood(struct stood *stood, uint32_t node)
{
    if (node != NODE_NONE && stood->n < STOOD_MAX)
        stood->nodes[stood->n++] = node;
}

/* What all calls hand to a parameter. */
static void add_arguments(const struct flow *f, struct stood *out, uint32_t s)
{
    uint32_t function = f->parameter[s], call = NODE_NONE;

    while (out->n < STOOD_MAX &&
           (call = flow_next_call(f, function, call)) != NODE_NONE)
        add_stood(out, flow_argument(f, call, s));
}

static void add_results(const struct flow *f, struct stood *out,
                        uint32_t function)
{
    const struct nodes *ns = f->ns;

    for (uint32_t i = function; i < ns->at[function].past && out->n < STOOD_MAX;
         i++)
        if (node_is(ns, i, NODE_RETURN) && node_function(ns, i) == function)
            add_stood(out, node_named_child(ns, i));
}

/* Follow node number i of the list. */
static void follow(const struct flow *f, struct stood *out, size_t i)
{
    const struct nodes *ns = f->ns;
    uint32_t node = out->nodes[i], s;

    switch (node_kind(ns, node)) {
    case NODE_IDENTIFIER:
        s = f->symbol[node];
        if (flow_is_variable(f, s) && f->parameter[s] != NODE_NONE)
            add_arguments(f, out, s);
        else
            add_stood(out, flow_value(f, node));
        break;
    case NODE_CALL:
        if (flow_callee(f, node) != NODE_NONE)
            add_results(f, out, flow_callee(f, node));
        break;
    case NODE_LAMBDA:
        add_stood(out, node_field(ns, node, FIELD_body));
        break;
    case NODE_PARENTHESIZED:
    case NODE_KEYWORD_ARGUMENT:
        add_stood(out, node_field(ns, node, FIELD_value) == NODE_NONE
                           ? node_named_child(ns, node)
                           : node_field(ns, node, FIELD_value));
        break;
    default:
        break;
    }
}

/* All that an expression may stand for, itself first. */
static struct stood stands_for(const struct flow *f, uint32_t node)
{
    struct stood out = { .n = 0 };

    add_stood(&out, node);
    for (size_t i = 0; i < out.n; i++)
        follow(f, &out, i);
    return out;
}

/* The number 0, or what stands for it. */
static bool is_zero(const struct flow *f, uint32_t node)
{
    struct stood stood = stands_for(f, node);

    for (size_t i = 0; i < stood.n; i++)
        if (node_is(f->ns, stood.nodes[i], NODE_INTEGER) &&
            node_text_is(f->ns, stood.nodes[i], "0"))
            return true;
    return false;
}

/* One of a list's elements, or the expression itself, is 0. */
static bool has_zero(const struct flow *f, uint32_t node)
{
    const struct nodes *ns = f->ns;
    struct stood stood = stands_for(f, node);

    for (size_t i = 0; i < stood.n; i++) {
        uint32_t list = stood.nodes[i];

        if (!node_is(ns, list, NODE_TUPLE) && !node_is(ns, list, NODE_LIST) &&
            !node_is(ns, list, NODE_ARGUMENT_LIST) &&
            !node_is(ns, list, NODE_EXPRESSION_LIST)) {
            if (node_is(ns, list, NODE_INTEGER) && node_text_is(ns, list, "0"))
                return true;
            continue;
        }
        for (uint32_t c = node_named_child(ns, list); c != NODE_NONE;
             c = node_named_sibling(ns, c))
            if (is_zero(f, c))
                return true;
    }
    return false;
}

/* What the size of an array that a call makes is made of. */
enum size_from { SIZE_NONE, SIZE_ALL, SIZE_FIRST, SIZE_ONLY, SIZE_LIST };

static enum size_from size_from(const struct nodes *ns, uint32_t call)
{
    static const char *const all[] = { "zeros", "ones",  "empty",
                                       "rand",  "randn", "device_array" };
    static const char *const first[] = { "full", "new_zeros", "new_ones",
                                         "new_empty", "new_full" };
    static const char *const only[] = { "arange" }; /* not arange(0, 8) */
    static const char *const lists[] = { "tensor", "array", "asarray" };
    struct bytes name = kernel_last_name(ns, call);

    return IS_ONE_OF(name, all)     ? SIZE_ALL
           : IS_ONE_OF(name, first) ? SIZE_FIRST
           : IS_ONE_OF(name, only)  ? SIZE_ONLY
           : IS_ONE_OF(name, lists) ? SIZE_LIST
                                    : SIZE_NONE;
}

static bool makes_nothing(const struct flow *f, uint32_t call)
{
    const struct nodes *ns = f->ns;
    uint32_t list = node_field(ns, call, FIELD_arguments);
    uint32_t one = node_first_argument(ns, call);

    if (one == NODE_NONE)
        return false;
    switch (size_from(ns, call)) {
    case SIZE_NONE:
        return false;
    case SIZE_ALL:
        return has_zero(f, list) || has_zero(f, one);
    case SIZE_FIRST:
        return has_zero(f, one);
    case SIZE_ONLY:
        return has_zero(f, one) && node_named_sibling(ns, one) == NODE_NONE;
    case SIZE_LIST:
        return node_is(ns, one, NODE_LIST) &&
               node_named_child(ns, one) == NODE_NONE;
    }
    return false;
}

bool effect_of_arrays(const struct flow *f)
{
    for (uint32_t i = 0; i < f->ns->n; i++)
        if (node_is(f->ns, i, NODE_CALL) && size_from(f->ns, i) != SIZE_NONE)
            return true;
    return false;
}

/* A kernel's name, or one that stands for it. */
static bool is_kernel(const struct flow *f, uint32_t name)
{
    struct stood stood = stands_for(f, name);

    for (size_t i = 0; i < stood.n; i++) {
        uint32_t s = f->symbol[stood.nodes[i]];

        if (s != SYMBOL_NONE && f->kernel[s])
            return true;
    }
    return false;
}

/* `kernel[0](...)`, `kernel[(8, 0)](...)`. */
static bool launches_nothing(const struct flow *f, uint32_t call)
{
    uint32_t function = node_field(f->ns, call, FIELD_function);
    uint32_t grid, block;

    if (!node_is(f->ns, function, NODE_SUBSCRIPT) ||
        !is_kernel(f, flow_root(f->ns, function)))
        return false;
    /* The blocks and their threads; what may follow is a stream and bytes. */
    grid = node_field(f->ns, function, FIELD_subscript);
    block = node_named_sibling(f->ns, grid);
    return has_zero(f, grid) || has_zero(f, block);
}

bool effect_of_nothing(const struct flow *f)
{
    for (uint32_t i = 0; i < f->ns->n; i++)
        if (node_is(f->ns, i, NODE_CALL) &&
            (makes_nothing(f, i) || launches_nothing(f, i)))
            return true;
    return false;
}

/* ---- chance ---- */

static const char *const random_makers[] = {
    "rand",         "randn",       "randint",   "rand_like", "randn_like",
    "randint_like", "randperm",    "random",    "normal",    "standard_normal",
    "uniform",      "bernoulli",   "choice",    "shuffle",   "integers",
    "permutation",  "normal_",     "uniform_",  "random_",   "bernoulli_",
    "sample",       "multinomial", "randrange", "gauss",
};
static const char *const seeds[] = {
    "seed",          "manual_seed", "manual_seed_all", "seed_everything",
    "set_rng_state", "set_seed"
};
/* Seeded by an argument; the keys have to be handed to each call. */
static const char *const generators[] = { "default_rng", "RandomState",
                                          "Random", "PCG64" };
static const char *const keys[] = { "PRNGKey", "key" };

/* Whether a call is made of an object, rng.normal(), Generator().seed(0), and
 * not of a module. */
static bool is_of_object(const struct flow *f, uint32_t call)
{
    uint32_t function = node_field(f->ns, call, FIELD_function);
    uint32_t object = node_is(f->ns, function, NODE_ATTRIBUTE)
                          ? node_field(f->ns, function, FIELD_object)
                          : NODE_NONE;

    return object != NODE_NONE &&
           (node_is(f->ns, object, NODE_CALL) ||
            flow_is_variable(f, flow_symbol(f, flow_root(f->ns, object))));
}

/* Whether a maker draws from a generator that it is given or a method of:
 * x.normal_() is none of that. */
static bool draws_from_generator(const struct flow *f, uint32_t call)
{
    const struct nodes *ns = f->ns;
    struct bytes name = kernel_last_name(ns, call);

    for (uint32_t c = node_first_argument(ns, call); c != NODE_NONE;
         c = node_named_sibling(ns, c))
        if (node_is(ns, c, NODE_KEYWORD_ARGUMENT) &&
            node_text_is(ns, node_field(ns, c, FIELD_name), "generator"))
            return true;
    return name.data[name.len - 1] != '_' && is_of_object(f, call);
}

/* Whether a call fixes what is drawn: x.seed() and seed(None) take another
 * number each time. What else has no argument may have one for a default. */
static bool sets_seed(const struct flow *f, uint32_t call)
{
    struct bytes name = kernel_last_name(f->ns, call);
    uint32_t first = node_first_argument(f->ns, call);

    if (!IS_ONE_OF(name, seeds))
        return false;
    if (first == NODE_NONE)
        return !node_is(f->ns, node_field(f->ns, call, FIELD_function),
                        NODE_ATTRIBUTE) ||
               !text_is_one_of(name, (const char *const[]){ "seed" }, 1);
    return !node_text_is(f->ns, first, "None");
}

bool effect_of_chance(const struct flow *f)
{
    bool random = false, drawn = false, seeded = false;
    bool unseeded = false, later = false;

    for (uint32_t i = 0; i < f->ns->n; i++) {
        struct bytes name;
        bool seeds_it;

        if (!node_is(f->ns, i, NODE_CALL))
            continue;
        name = kernel_last_name(f->ns, i);
        seeds_it = sets_seed(f, i);
        later |= seeds_it;
        unseeded |= IS_ONE_OF(name, generators) &&
                    node_first_argument(f->ns, i) == NODE_NONE;
        if (IS_ONE_OF(name, keys) && node_first_argument(f->ns, i) != NODE_NONE)
            return false;
        if (seeds_it && !is_of_object(f, i))
            return false;
        seeded |= seeds_it || (IS_ONE_OF(name, generators) &&
                               node_first_argument(f->ns, i) != NODE_NONE);
        if (!IS_ONE_OF(name, random_makers))
            continue;
        if (draws_from_generator(f, i))
            drawn = true;
        else
            random = true;
    }
    return random || (drawn && (!seeded || (unseeded && !later)));
}

/* ---- all of it ---- */

bool effect_asks_of(const struct nodes *ns, uint32_t call)
{
    struct bytes name = kernel_last_name(ns, call);

    return size_from(ns, call) != SIZE_NONE || IS_ONE_OF(name, keys) ||
           IS_ONE_OF(name, seeds) || IS_ONE_OF(name, generators) ||
           IS_ONE_OF(name, random_makers);
}
