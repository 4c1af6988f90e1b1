/* A list of what is still to be looked into, nodes and names, each name once.
 * What stands before any kernel is looked into first: only kernels found there
 * are the ones whose results are compared. */
#include "grammar/flow_parts.h"

#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "grammar/gen/names.h"
#include "grammar/kernel.h"

static const char *const empties[] = { "empty",        "empty_like",
                                       "new_empty",    "empty_strided",
                                       "device_array", "device_array_like" };
static const char *const makers[] = {
    "zeros",      "ones",       "full",      "zeros_like", "ones_like",
    "full_like",  "arange",     "linspace",  "eye",        "tensor",
    "array",      "asarray",    "rand",      "randn",      "randint",
    "rand_like",  "randn_like", "new_zeros", "new_ones",   "new_full",
    "new_tensor", "randperm",   "normal",    "uniform",    "random",
};
static const char *const conversions[] = {
    "float",        "half",       "double",         "to",         "cpu",
    "cuda",         "clone",      "detach",         "item",       "numpy",
    "tolist",       "contiguous", "reshape",        "view",       "copy",
    "astype",       "squeeze",    "unsqueeze",      "flatten",    "ravel",
    "list",         "tuple",      "asnumpy",        "get",        "type",
    "int",          "long",       "bfloat16",       "from_numpy", "to_device",
    "copy_to_host", "as_tensor",  "requires_grad_",
};
static const char *const computing[] = { "sum",    "pow", "divmod",
                                         "sorted", "map", "reduce" };
static const char *const kernel_makers[] = {
    "RawKernel",   "RawModule",   "ElementwiseKernel", "ReductionKernel",
    "load_inline", "pallas_call", "SourceModule",
};

/* Of an attribute that are looked at; more are no memory without values. */
#define PLACES_MAX 32

/* How far up loops are looked for that have no turn. */
#define LOOPS_AROUND 32

#define IS_ONE_OF(text, list) text_is_one_of(text, list, ARRAY_LEN(list))

/* A node to visit, or, where that is NODE_NONE, a symbol. */
struct task {
    uint32_t node, symbol;
    uint32_t call; /* whose function it is in, as far as the slice came by it;
                    * NODE_NONE: by any call */
    bool below;    /* behind a kernel */
    bool done;
};

struct walk {
    struct flow *f;
    struct slice *out;
    struct task *todo;
    size_t n, room, sources_room;
    uint32_t turn;           /* what was looked through has this stamp */
    uint32_t call;           /* see struct task */
    uint32_t function, past; /* of what is sliced; the end of its loops */
};

static void push_task(struct walk *w, struct task task)
{
    xgrow(&w->todo, &w->room, w->n + 1, sizeof(*w->todo));
    w->todo[w->n++] = task;
}

static void push(struct walk *w, uint32_t node, bool below)
{
    if (node != NODE_NONE)
        push_task(
            w, (struct task){ .node = node, .call = w->call, .below = below });
}

/* All of a node is of the value, see flow_mark(). */
static void mark_whole(struct walk *w, uint32_t node)
{
    if (w->f->marks)
        for (uint32_t i = node; i < w->f->ns->at[node].past; i++)
            w->f->marks[i] |= w->f->mark;
}

/* And so is what it calls. */
static void mark_kernel(struct walk *w, struct bytes name)
{
    struct flow *f = w->f;

    for (uint32_t s = 0; f->marks && s < f->nsymbols; s++) {
        uint32_t definition = f->kernel[s] ? f->definition[s] : NODE_NONE;

        if (definition == NODE_NONE || f->marks[definition] != 0 ||
            names_order(symbol_name(f->scopes, s), name) != 0)
            continue;
        mark_whole(w, definition);
        push(w, definition, true);
    }
}

static bool is_empty(const struct flow *f, uint32_t node)
{
    return node_is(f->ns, node, NODE_CALL) &&
           IS_ONE_OF(kernel_last_name(f->ns, node), empties);
}

/* `()`, `[]` or `range(0)`: a loop over it has no turn. */
static bool has_no_elements(const struct flow *f, uint32_t node)
{
    uint32_t first;

    if (node_is(f->ns, node, NODE_TUPLE) || node_is(f->ns, node, NODE_LIST))
        return node_named_child(f->ns, node) == NODE_NONE;
    if (!node_is(f->ns, node, NODE_CALL) ||
        !node_text_is(f->ns, node_field(f->ns, node, FIELD_function), "range"))
        return false;
    first = node_named_child(f->ns, node_field(f->ns, node, FIELD_arguments));
    return first != NODE_NONE && node_text_is(f->ns, first, "0") &&
           node_named_sibling(f->ns, first) == NODE_NONE;
}

/* Whether a node is in the body of such a loop. */
static bool never_happens(const struct flow *f, uint32_t node)
{
    uint32_t above = node_parent(f->ns, node);

    for (unsigned i = 0; i < LOOPS_AROUND && above != NODE_NONE; i++) {
        uint32_t over = node_is(f->ns, above, NODE_FOR)
                            ? node_field(f->ns, above, FIELD_right)
                            : NODE_NONE;

        if (over != NODE_NONE && node >= f->ns->at[over].past &&
            has_no_elements(f, over))
            return true;
        above = node_parent(f->ns, above);
    }
    return false;
}

/* Whether a slice has numbers for bounds, as in `x[:1]` or `x[2:-1]`: that is
 * hardly ever all there is, but `x[0:]` and `x[::-1]` are. */
static bool is_bounded(const struct nodes *ns, uint32_t place)
{
    unsigned colons = 0;
    bool any = false;

    if (!node_is(ns, place, NODE_SLICE))
        return false;
    for (uint32_t c = node_child(ns, place); c != NODE_NONE;
         c = node_sibling(ns, c)) {
        uint32_t number = node_is(ns, c, NODE_UNARY_OPERATOR)
                              ? node_field(ns, c, FIELD_argument)
                              : c;

        if (node_text_is(ns, c, ":"))
            colons++;
        else if (!node_is(ns, number, NODE_INTEGER))
            return false;
        else
            any |= colons == 1 ||
                   !node_text_is(ns, number, colons == 0 ? "0" : "1");
    }
    return any;
}

/* Whether what is given to a place in an array, `x[0]` or `x[:, :1]`, leaves
 * others of it without. */
static bool leaves_rest(const struct flow *f, uint32_t place)
{
    const struct nodes *ns = f->ns;

    if (flow_is_number(f, place))
        return true;
    for (; place != NODE_NONE; place = node_named_sibling(ns, place))
        if (is_bounded(ns, place))
            return true;
    return false;
}

/* Whether a name is given memory without values and never all of them. Two
 * slices may be all, or a slice and an element. */
static bool is_unset(const struct flow *f, uint32_t symbol)
{
    bool memory = false;
    unsigned slices = 0, elements = 0;

    for (uint32_t g = f->givers[symbol]; g != NODE_NONE; g = f->items[g].next) {
        bool empty = is_empty(f, f->items[g].node);
        bool element = f->items[g].kind == GIVER_ELEMENT;

        if (!empty && !(element && leaves_rest(f, f->items[g].place)) &&
            !never_happens(f, f->items[g].node))
            return false;
        if (element && flow_is_number(f, f->items[g].place))
            elements++;
        else if (element && leaves_rest(f, f->items[g].place))
            slices++;
        memory |= empty;
    }
    return memory && (slices == 0 || slices + elements < 2);
}

/* Whether all of a name is in one function. */
static bool is_local(const struct flow *f, uint32_t symbol, uint32_t function)
{
    size_t n;
    const struct occurrence *o = symbol_occurrences(f->scopes, symbol, &n);
    struct span at = f->ns->at[function].at;

    return n > 0 && o[0].at.start >= at.start && o[n - 1].at.start < at.end;
}

/* Whether an expression is handed to a kernel that does not write to it. */
static bool is_only_read(const struct flow *f, uint32_t argument)
{
    uint32_t list = node_parent(f->ns, argument);
    bool kernel = false, writes = false, read = false;
    uint32_t call, function = NODE_NONE;

    if (node_is(f->ns, list, NODE_KEYWORD_ARGUMENT))
        list = node_parent(f->ns, list);
    call = list == NODE_NONE ? NODE_NONE : node_parent(f->ns, list);
    if (node_is(f->ns, list, NODE_ARGUMENT_LIST) &&
        node_is(f->ns, call, NODE_CALL))
        function = flow_called(f, call, &kernel);

    if (!kernel || !node_is(f->ns, function, NODE_FUNCTION))
        return false;
    for (uint32_t p = f->first_parameter[function]; p != SYMBOL_NONE;
         p = f->next_parameter[p]) {
        if (flow_is_star(f, p))
            return false;
        writes |= f->written[p];
        if (flow_argument(f, call, p) != argument)
            continue;
        read = !f->written[p];
    }
    return read && writes;
}

/* Whether an attribute is given memory without values, in one place of the
 * text, and only read by kernels. */
static bool is_attribute_unset(const struct flow *f, uint32_t attribute)
{
    size_t n, stores = 0;
    uint32_t name = node_field(f->ns, attribute, FIELD_attribute);
    const struct span *at =
        scopes_attributes(f->scopes, node_text(f->ns, name), &n);

    for (size_t i = 0; i < n && n <= PLACES_MAX; i++) {
        uint32_t node = node_at(f->ns, at[i].start, NODE_IDENTIFIER);
        uint32_t use = node == NODE_NONE ? NODE_NONE : node_parent(f->ns, node);
        uint32_t above = use == NODE_NONE ? NODE_NONE : node_parent(f->ns, use);

        if (above == NODE_NONE)
            return false;
        if (node_is(f->ns, above, NODE_ASSIGNMENT) &&
            node_field(f->ns, above, FIELD_left) == use &&
            is_empty(f, node_field(f->ns, above, FIELD_right)))
            stores++;
        else if (!is_only_read(f, use))
            return false;
    }
    return stores == 1;
}

/* Whether a kernel reads such memory by its name, and not as an argument. */
static bool reads_unset(const struct flow *f, uint32_t definition)
{
    if (definition == NODE_NONE)
        return false;
    for (uint32_t i = definition; i < f->ns->at[definition].past; i++) {
        uint32_t s = f->symbol[i];

        if (node_is(f->ns, i, NODE_IDENTIFIER) && s != SYMBOL_NONE &&
            is_unset(f, s) && !is_local(f, s, definition))
            return true;
    }
    return false;
}

static void add_kernel(struct walk *w, struct bytes name, uint32_t definition,
                       uint32_t call, bool below)
{
    struct slice *s = w->out;

    mark_kernel(w, name);
    if (below)
        return;
    for (size_t i = 0; i < s->nkernels; i++)
        if (names_order(s->kernels[i], name) == 0)
            return;
    if (s->nkernels == SLICE_KERNELS_MAX)
        return;
    s->unset |= reads_unset(w->f, definition);
    s->lines[s->nkernels] = w->f->ns->at[call].at.start;
    s->kernels[s->nkernels++] = name;
}

/* What methods put into their object: the values they assign, and not what
 * they have written into those. */
static void push_object(struct walk *w, uint32_t class, bool below)
{
    const struct flow *f = w->f;

    for (uint32_t i = class + 1; i < f->ns->at[class].past; i++) {
        uint32_t s = SYMBOL_NONE;

        if (node_is(f->ns, i, NODE_FUNCTION) && node_scope(f->ns, i) == class)
            s = f->first_parameter[i];
        for (; s != SYMBOL_NONE; s = f->next_parameter[s]) {
            uint32_t g = f->place[s] == 0 ? f->givers[s] : NODE_NONE;

            for (; g != NODE_NONE; g = f->items[g].next)
                if (f->items[g].kind != GIVER_WRITE)
                    push(w, f->items[g].node, below);
        }
    }
}

/* Whether a place (a function's node, or a symbol behind all nodes) is to be
 * looked into: for the first time, or once more for all calls, as it was come
 * to by one call before and now by another. */
static bool comes_anew(struct walk *w, bool known, uint32_t place)
{
    uint32_t *through = &w->f->through[place];

    if (known && (*through == w->call || *through == NODE_NONE))
        return false;
    if (known)
        w->call = NODE_NONE;
    *through = w->call;
    return true;
}

/* What a function returns; of a class, what its objects hold. */
static void push_results(struct walk *w, uint32_t definition, bool below)
{
    const struct nodes *ns = w->f->ns;

    if (definition == NODE_NONE ||
        !comes_anew(w, w->f->stamps[definition] == w->turn, definition))
        return;
    w->f->stamps[definition] = w->turn;
    if (node_is(ns, definition, NODE_CLASS)) {
        push_object(w, definition, below);
        return;
    }
    for (uint32_t i = definition + 1; i < ns->at[definition].past; i++) {
        if ((node_is(ns, i, NODE_RETURN) || node_is(ns, i, NODE_YIELD)) &&
            node_scope(ns, i) == definition && !w->f->idle[i])
            push(w, node_named_child(ns, i), below);
    }
}

/* The results of all methods of a name; false: there is none. */
static bool push_methods(struct walk *w, struct bytes name, bool below)
{
    size_t n;
    const struct method *first = flow_methods(w->f, name, &n);

    for (size_t i = 0; i < n; i++)
        push_results(w, first[i].function, below);
    return n > 0;
}

/* What a function gives to one of its calls. */
static void push_results_of(struct walk *w, uint32_t call, uint32_t function,
                            bool below)
{
    uint32_t outer = w->call;

    w->call = call;
    push_results(w, function, below);
    w->call = outer;
}

/* Part number `place` of the series that a function returns; NODE_NONE: it
 * returns something else, or several. */
static uint32_t returned_part(const struct flow *f, uint32_t function,
                              uint32_t place)
{
    const struct nodes *ns = f->ns;
    uint32_t result = NODE_NONE, part;

    for (uint32_t i = function; i < ns->at[function].past; i++) {
        if (!node_is(ns, i, NODE_RETURN) || node_scope(ns, i) != function ||
            f->idle[i])
            continue;
        if (result != NODE_NONE)
            return NODE_NONE;
        result = node_named_child(ns, i);
    }
    if (!node_is(ns, result, NODE_EXPRESSION_LIST) &&
        !node_is(ns, result, NODE_TUPLE))
        return NODE_NONE;
    for (part = node_named_child(ns, result); part != NODE_NONE && place > 0;
         place--)
        part = node_named_sibling(ns, part);
    return part;
}

/* Whether a call hands its arguments to names of a function of the script, and
 * nowhere else: they count where those are used. */
static bool binds_all(const struct flow *f, uint32_t call)
{
    uint32_t function = node_field(f->ns, call, FIELD_function);
    uint32_t callee = node_is(f->ns, function, NODE_IDENTIFIER)
                          ? flow_callee(f, call)
                          : NODE_NONE;
    uint32_t list = callee == NODE_NONE
                        ? NODE_NONE
                        : node_field(f->ns, callee, FIELD_parameters);

    if (list == NODE_NONE)
        return false;
    for (uint32_t c = node_named_child(f->ns, list); c != NODE_NONE;
         c = node_named_sibling(f->ns, c))
        if (node_is(f->ns, c, NODE_LIST_SPLAT_PATTERN) ||
            node_is(f->ns, c, NODE_DICTIONARY_SPLAT_PATTERN))
            return false;
    return true;
}

/* Part number `part`, from 1, of what a call gives, and nothing beside it;
 * false: the parts are not told apart. */
static bool push_part(struct walk *w, uint32_t call, uint32_t part, bool below)
{
    struct flow *f = w->f;
    uint32_t function, result, outer = w->call;

    if (part == 0 || !binds_all(f, call))
        return false;
    function = flow_callee(f, call);
    result = returned_part(f, function, part - 1);
    if (result == NODE_NONE)
        return false;
    mark_whole(w, call);
    w->call = call;
    if (comes_anew(w, f->stamps[result] == w->turn, result)) {
        f->stamps[result] = w->turn;
        push(w, result, below);
    }
    w->call = outer;
    return true;
}

/* A call of an object: `op(x)`. */
static void push_call_of_object(struct walk *w, bool below)
{
    static const char *const names[] = { "__call__", "forward" };

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        push_methods(w, bytes_of(names[i], strlen(names[i])), below);
}

/* `Own.apply(x)` of an autograd.Function. */
static bool push_applied(struct walk *w, uint32_t function, bool below)
{
    static const char forward[] = "forward";
    const struct flow *f = w->f;
    uint32_t s = flow_symbol(f, flow_root(f->ns, function));

    return s != SYMBOL_NONE && f->definition[s] != NODE_NONE &&
           node_is(f->ns, f->definition[s], NODE_CLASS) &&
           node_text_is(f->ns, node_field(f->ns, function, FIELD_attribute),
                        "apply") &&
           push_methods(w, bytes_of(forward, sizeof(forward) - 1), below);
}

/* The first method of a name behind a node, of `n` in the order of the text. */
static size_t first_behind(const struct method *methods, size_t n,
                           uint32_t node)
{
    size_t low;

    BISECT(low, 0, n, methods[low].function <= node);
    return low;
}

/* Which parameter of that forward(), of n, in the class of this backward() has
 * that name; 0, its context, when none has. */
static uint32_t place_in_forward(const struct flow *f,
                                 const struct method *forward, size_t n,
                                 uint32_t backward, struct bytes name)
{
    uint32_t class = node_scope(f->ns, backward);

    for (size_t i = first_behind(forward, n, class);
         i < n && forward[i].function < f->ns->at[class].past; i++) {
        uint32_t p = f->first_parameter[forward[i].function];

        if (node_scope(f->ns, forward[i].function) != class)
            continue;
        for (; p != SYMBOL_NONE; p = f->next_parameter[p])
            if (names_order(symbol_name(f->scopes, p), name) == 0)
                return f->place[p];
    }
    return 0;
}

/* `x.grad`: what the script's own backward() gives for the x of forward(). */
static void push_gradient(struct walk *w, uint32_t attribute, bool below)
{
    static const char backward[] = "backward", forward[] = "forward";
    const struct flow *f = w->f;
    struct bytes name =
        kernel_last_name(f->ns, node_field(f->ns, attribute, FIELD_object));
    const struct method *first, *beside;
    size_t n, nbeside;

    if (!node_text_is(f->ns, node_field(f->ns, attribute, FIELD_attribute),
                      "grad"))
        return;
    first = flow_methods(f, bytes_of(backward, sizeof(backward) - 1), &n);
    beside = flow_methods(f, bytes_of(forward, sizeof(forward) - 1), &nbeside);
    for (size_t i = 0; i < n; i++) {
        uint32_t place =
            place_in_forward(f, beside, nbeside, first[i].function, name);
        uint32_t part = place > 0
                            ? returned_part(f, first[i].function, place - 1)
                            : NODE_NONE;

        if (part != NODE_NONE)
            push(w, part, below);
        else
            push_results(w, first[i].function, below);
    }
}

/* Every call of the function hands something to its parameter. */
static void push_arguments(struct walk *w, uint32_t parameter, bool below)
{
    uint32_t function = w->f->parameter[parameter], call = w->call;

    /* What is handed stands where the call does. */
    w->call = NODE_NONE;
    if (call != NODE_NONE && flow_callee(w->f, call) == function &&
        !flow_is_star(w->f, parameter)) {
        push(w, flow_argument(w->f, call, parameter), below);
        return;
    }
    call = NODE_NONE;
    while ((call = flow_next_call(w->f, function, call)) != NODE_NONE)
        push(w, flow_argument(w->f, call, parameter), below);
}

/* A call has written into a name. What one of the script's own functions wrote
 * is what it gave to its parameter; of a kernel all arguments count. */
static void push_write(struct walk *w, uint32_t call, uint32_t symbol,
                       bool below)
{
    struct flow *f = w->f;
    bool kernel, bound = false, star = false;
    uint32_t function = node_is(f->ns, call, NODE_CALL)
                            ? flow_called(f, call, &kernel)
                            : NODE_NONE;
    uint32_t p = !node_is(f->ns, function, NODE_FUNCTION) || kernel
                     ? SYMBOL_NONE
                     : f->first_parameter[function];

    for (; p != SYMBOL_NONE; p = f->next_parameter[p]) {
        uint32_t argument = flow_argument(f, call, p);

        star |= f->written[p] && flow_is_star(f, p);
        if (!f->written[p] || argument == NODE_NONE || flow_is_star(f, p) ||
            flow_written(f, argument) != symbol)
            continue;
        push_task(w, (struct task){ .node = NODE_NONE,
                                    .symbol = p,
                                    .call = call,
                                    .below = below });
        bound = true;
    }
    if (!bound || star) /* which of many: the call names the kernel */
        push(w, call, below);
}

static bool is_literal(const struct nodes *ns, uint32_t i)
{
    switch (node_kind(ns, i)) {
    case NODE_INTEGER:
    case NODE_FLOAT:
    case NODE_STRING:
    case NODE_TRUE_NAME:
    case NODE_FALSE_NAME:
    case NODE_NONE_NAME:
        return true;
    case NODE_LIST:
    case NODE_TUPLE:
    case NODE_ARGUMENT_LIST:
    case NODE_PARENTHESIZED:
    case NODE_UNARY_OPERATOR:
        for (uint32_t k = i + 1; k < ns->at[i].past; k++)
            if (node_is(ns, k, NODE_IDENTIFIER))
                return false;
        return true;
    default:
        return false;
    }
}

/* An operator that does not only put numbers together, or `[0] * n`. */
static bool computes(const struct nodes *ns, uint32_t i)
{
    uint32_t left = node_field(ns, i, FIELD_left);
    uint32_t right = node_field(ns, i, FIELD_right);

    return left != NODE_NONE && right != NODE_NONE &&
           !node_is(ns, left, NODE_LIST) && !node_is(ns, right, NODE_LIST) &&
           !(is_literal(ns, left) && is_literal(ns, right));
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static void add_source(struct walk *w, uint32_t symbol)
{
    struct slice *s = w->out;

    xgrow(&s->sources, &w->sources_room, s->nsources + 1, sizeof(*s->sources));
    s->sources[s->nsources++] = symbol;
}

/* Whether what a call of empty() gives is used as it is, and has no name by
 * which it could be written to. */
static bool is_used_unset(const struct flow *f, uint32_t call)
{
    uint32_t above = node_parent(f->ns, call);

    return node_is(f->ns, above, NODE_ATTRIBUTE) ||
           node_is(f->ns, above, NODE_BINARY_OPERATOR) ||
           node_is(f->ns, above, NODE_ARGUMENT_LIST);
}

/* Whether a value is given only when what is sliced has been used: behind it
 * and behind the loops around it. In a function that holds for its own names
 * alone, as what is written into an array is still there in the next call. */
static bool comes_after(const struct walk *w, uint32_t symbol,
                        const struct giver *giver)
{
    const struct flow *f = w->f;

    if (giver->node < w->past ||
        node_function(f->ns, giver->node) != w->function)
        return false;
    return w->function == NODE_NONE ||
           (giver->kind != GIVER_WRITE && giver->kind != GIVER_ELEMENT &&
            is_local(f, symbol, w->function));
}

static void look_behind(struct walk *w, uint32_t symbol, bool below)
{
    struct flow *f = w->f;
    bool known;

    if (!flow_is_variable(f, symbol))
        return;
    known = f->seen[symbol] == w->turn || f->below[symbol] == w->turn;
    if (!comes_anew(w, f->seen[symbol] == w->turn || (below && known),
                    f->ns->n + symbol))
        return;
    (below ? f->below : f->seen)[symbol] = w->turn;
    if (f->kernel[symbol]) { /* handed on, not called */
        add_kernel(w, symbol_name(f->scopes, symbol), f->definition[symbol],
                   f->definition[symbol], below);
        return;
    }
    if (f->definition[symbol] != NODE_NONE) {
        push_results(w, f->definition[symbol], below);
        return;
    }
    if (!known)
        add_source(w, symbol);
    w->out->unset |= is_unset(f, symbol);
    if (f->givers[symbol] == NODE_NONE && f->parameter[symbol] == NODE_NONE)
        w->out->constant = false; /* where it comes from is not seen */
    for (uint32_t g = f->givers[symbol]; g != NODE_NONE; g = f->items[g].next) {
        if (comes_after(w, symbol, &f->items[g]))
            continue;
        if (f->items[g].kind == GIVER_WRITE)
            push_write(w, f->items[g].node, symbol, below);
        else if (!push_part(w, f->items[g].node, f->items[g].part, below))
            push(w, f->items[g].node, below);
        w->out->computed |= f->items[g].kind == GIVER_ADDED &&
                            !is_literal(f->ns, f->items[g].node);
    }
    if (f->parameter[symbol] != NODE_NONE)
        push_arguments(w, symbol, below);
}

static void visit_symbol(struct walk *w, uint32_t symbol, bool below)
{
    uint32_t call = w->call;

    look_behind(w, symbol, below);
    w->call = call;
}

/* Random(0), Linear(3, 4): makes an object, which computes when called. */
static bool begins_large(struct bytes name)
{
    return name.len > 0 && name.data[0] >= 'A' && name.data[0] <= 'Z';
}

/* A call of something: kernels are noted, functions looked through. True when
 * its arguments make no difference: those of torch.zeros_like(x). */
static bool visit_call(struct walk *w, uint32_t call, bool *below)
{
    struct flow *f = w->f;
    uint32_t function = node_field(f->ns, call, FIELD_function);
    struct bytes name = kernel_last_name(f->ns, call);
    bool kernel;
    uint32_t definition = flow_called(f, call, &kernel);
    uint32_t own = flow_symbol(f, function);
    uint32_t list = node_field(f->ns, call, FIELD_arguments);
    bool builtin = own != SYMBOL_NONE && !symbol_bound(f->scopes, own);

    /* abs(1) is as constant as 1, and so is what a function makes of it. */
    if (!builtin && definition == NODE_NONE)
        w->out->constant = false;
    if (kernel || IS_ONE_OF(name, kernel_makers)) {
        add_kernel(w,
                   kernel ? node_text(f->ns, flow_root(f->ns, function)) : name,
                   kernel ? definition : NODE_NONE, call, *below);
        *below = true;
        w->out->constant = false;
        w->out->computed = true;
    } else if (node_is(f->ns, function, NODE_ATTRIBUTE) &&
               (push_methods(w, name, *below) ||
                push_applied(w, function, *below))) {
        return false;
    } else if (definition != NODE_NONE) {
        push_results_of(w, call, definition, *below);
    } else if (IS_ONE_OF(name, empties)) {
        w->out->unset |= is_used_unset(f, call);
        return !f->marks; /* memory without values */
    } else if (IS_ONE_OF(name, makers)) {
        w->out->made = true;
        return !f->marks;
    } else if (builtin ? IS_ONE_OF(name, computing) && !is_literal(f->ns, list)
                       : !IS_ONE_OF(name, conversions) && !begins_large(name)) {
        w->out->computed = true;
    }
    if (definition == NODE_NONE && flow_is_variable(f, own))
        push_call_of_object(w, *below);
    return false;
}

/* Whether a kernel is handed to a call of something else: `launch(kernel, x)`.
 * Then it is noted, and what is handed beside it is behind it. */
static bool hands_kernel(struct walk *w, uint32_t call, bool below)
{
    const struct flow *f = w->f;
    bool any = false;

    for (uint32_t c = node_first_argument(f->ns, call); c != NODE_NONE;
         c = node_named_sibling(f->ns, c)) {
        uint32_t s =
            node_is(f->ns, c, NODE_IDENTIFIER) ? f->symbol[c] : SYMBOL_NONE;

        if (s == SYMBOL_NONE || !f->kernel[s])
            continue;
        any = true;
        visit_symbol(w, s, below);
    }
    return any;
}

static void visit(struct walk *w, uint32_t node, bool below)
{
    const struct nodes *ns = w->f->ns;

    mark_whole(w, node);
    for (uint32_t i = node; i < ns->at[node].past; i++) {
        switch (node_kind(ns, i)) {
        case NODE_IDENTIFIER:
            visit_symbol(w, w->f->symbol[i], below);
            break;
        case NODE_CALL: {
            bool inner = below;

            if (visit_call(w, i, &inner)) {
                /* The object of x.new_zeros(3) gives no value either. */
                i = ns->at[i].past - 1;
            } else if (binds_all(w->f, i)) {
                i = ns->at[i].past - 1;
            } else if (inner != below || hands_kernel(w, i, below)) {
                push(w, node_field(ns, i, FIELD_function), true);
                push(w, node_field(ns, i, FIELD_arguments), true);
                i = ns->at[i].past - 1;
            }
            break;
        }
        case NODE_ATTRIBUTE:
            w->out->unset |= is_attribute_unset(w->f, i);
            push_gradient(w, i, below);
            break;
        case NODE_BINARY_OPERATOR:
            w->out->computed |= computes(ns, i);
            break;
        case NODE_FOR_IN_CLAUSE: /* counts when its names are used */
            i = ns->at[i].past - 1;
            break;
        default:
            break;
        }
    }
}

static void carry_out(struct walk *w, size_t i)
{
    struct task task = w->todo[i];

    w->todo[i].done = true;
    w->call = task.call;
    if (task.node == NODE_NONE)
        visit_symbol(w, task.symbol, task.below);
    else
        visit(w, task.node, task.below);
}

/* Where the outermost loop around a node ends that is in its function. */
static uint32_t past_loops(const struct nodes *ns, uint32_t node)
{
    uint32_t past = ns->at[node].past;

    for (uint32_t i = node_parent(ns, node);
         i != NODE_NONE && !node_is(ns, i, NODE_FUNCTION);
         i = node_parent(ns, i))
        if (node_is(ns, i, NODE_FOR) || node_is(ns, i, NODE_WHILE))
            past = ns->at[i].past;
    return past;
}

void flow_slice(struct flow *f, uint32_t node, struct slice *out)
{
    struct walk w = { .f = f,
                      .out = out,
                      .call = NODE_NONE,
                      .function = node_function(f->ns, node),
                      .past = past_loops(f->ns, node) };

    *out = (struct slice){ .constant = true };
    w.turn = ++f->turns;
    push(&w, node, false);
    /* What is before any kernel first: a name seen behind one as well counts as
     * before. */
    for (int below = 0; below < 2; below++)
        for (size_t i = 0; i < w.n; i++)
            if (!w.todo[i].done && w.todo[i].below == (below == 1))
                carry_out(&w, i);
    free(w.todo);
    if (out->nsources > 1)
        qsort(out->sources, out->nsources, sizeof(*out->sources), by_number);
}

void flow_mark(struct flow *f, uint32_t node, uint8_t *marks, uint8_t mark)
{
    struct slice slice;

    f->marks = marks;
    f->mark = mark;
    flow_slice(f, node, &slice);
    f->marks = NULL;
    slice_deinit(&slice);
}

void slice_deinit(struct slice *slice)
{
    free(slice->sources);
    *slice = (struct slice){ 0 };
}

bool slice_shares(const struct slice *a, const struct slice *b)
{
    size_t i = 0, k = 0;

    while (i < a->nsources && k < b->nsources) {
        if (a->sources[i] == b->sources[k])
            return true;
        if (a->sources[i] < b->sources[k])
            i++;
        else
            k++;
    }
    return false;
}
