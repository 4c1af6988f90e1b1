/* Both ways are walked with a list of what is still to be looked at: up from
 * the statement, function by function; down into the condition, node by node.
 */
#include "grammar/deciding.h"

#include <string.h>

#include "config/base.h"
#include "grammar/gen/names.h"
#include "grammar/kernel.h"
#include "grammar/observed.h"

#define SPLIT_DEPTH 24 /* names and functions looked through */
#define HOPS_MAX 8     /* to a dictionary that is written out */
#define NAMES_MAX 16   /* of a divisor */

#define IS_ONE_OF(text, list) text_is_one_of(text, list, ARRAY_LEN(list))

static const char *const deciding[] = {
    "assert_close",
    "assert_allclose",
    "allclose",
    "assert_array_equal",
    "assert_array_almost_equal",
    "assert_almost_equal",
    "assert_equal",
    "array_equal",
    "equal",
    "isclose",
    "assertEqual",
    "assertTrue",
    "assertAlmostEqual",
};
static const char *const exits[] = { "exit", "_exit", "quit", "abort",
                                     "SystemExit" };

bool deciding_exit(const struct nodes *ns, uint32_t i)
{
    return node_is(ns, i, NODE_CALL) &&
           IS_ONE_OF(kernel_last_name(ns, i), exits);
}

bool deciding_call(const struct nodes *ns, uint32_t i)
{
    return node_is(ns, i, NODE_CALL) &&
           IS_ONE_OF(kernel_last_name(ns, i), deciding);
}

static bool is_constant(const struct look *l, uint32_t node)
{
    struct slice slice;
    bool constant;

    flow_slice(l->flow, node, &slice);
    constant = slice.constant && !slice.computed;
    slice_deinit(&slice);
    return constant;
}

/* ---- what a statement depends on ---- */

void deciding_add(struct conditions *c, uint32_t node)
{
    if (node != NODE_NONE && c->n < CONDITIONS_MAX)
        c->nodes[c->n++] = node;
}

/* The tests in a block: what they raise is caught. */
static void add_tests(const struct look *l, struct conditions *c, uint32_t body)
{
    if (body == NODE_NONE)
        return;
    for (uint32_t i = body; i < l->ns->at[body].past; i++) {
        if (node_is(l->ns, i, NODE_ASSERT))
            deciding_add(c, node_named_child(l->ns, i));
        else if (deciding_call(l->ns, i))
            deciding_add(c, i);
    }
}

/* What of `up` decides whether its child `i` comes to pass. */
static void add_from(const struct look *l, struct conditions *c, uint32_t up,
                     uint32_t i)
{
    const struct nodes *ns = l->ns;
    uint32_t first;

    switch (node_kind(ns, up)) {
    case NODE_IF:
    case NODE_ELIF:
    case NODE_WHILE:
        if (ns->at[i].field != FIELD_condition)
            deciding_add(c, node_field(ns, up, FIELD_condition));
        break;
    case NODE_FOR:
        deciding_add(c, node_field(ns, up, FIELD_right));
        break;
    case NODE_MATCH:
        deciding_add(c, node_field(ns, up, FIELD_subject));
        break;
    case NODE_TRY:
        if (node_is(ns, i, NODE_EXCEPT))
            add_tests(l, c, node_field(ns, up, FIELD_body));
        break;
    case NODE_BOOLEAN_OPERATOR:
        first = node_field(ns, up, FIELD_left);
        if (first != i)
            deciding_add(c, first);
        break;
    case NODE_CONDITIONAL:
        first = node_named_child(ns, up);
        if (first != NODE_NONE)
            deciding_add(c, node_named_sibling(ns, first));
        break;
    default:
        break;
    }
}

static bool jumps(const struct nodes *ns, uint32_t i)
{
    for (uint32_t k = i; k < ns->at[i].past; k++) {
        switch (node_kind(ns, k)) {
        case NODE_RETURN:
        case NODE_CONTINUE:
        case NODE_BREAK:
        case NODE_RAISE:
            return true;
        case NODE_CALL:
            if (deciding_exit(ns, k))
                return true;
            break;
        default:
            break;
        }
    }
    return false;
}

/* `if fine: return` in front of it. */
static void add_earlier(const struct look *l, struct conditions *c,
                        uint32_t statement)
{
    const struct nodes *ns = l->ns;
    uint32_t body = node_parent(ns, statement);

    for (uint32_t i = node_named_child(ns, body); i != statement;
         i = node_named_sibling(ns, i))
        if (node_is(ns, i, NODE_IF) && jumps(ns, i))
            deciding_add(c, node_field(ns, i, FIELD_condition));
}

/* The conditions of node `i` in its function, which is returned. */
static uint32_t climb(const struct look *l, struct conditions *c, uint32_t i)
{
    const struct nodes *ns = l->ns;
    uint32_t up;

    for (; (up = node_parent(ns, i)) != NODE_NONE; i = up) {
        if (node_is(ns, i, NODE_FUNCTION))
            return i;
        add_from(l, c, up, i);
        if (node_is_statement(ns, i))
            add_earlier(l, c, i);
    }
    return NODE_NONE;
}

/* All that node `i` depends on: in its function, then where that is called. */
void deciding_over(const struct look *l, uint32_t i, struct conditions *c)
{
    uint32_t functions[CONDITIONS_MAX];
    size_t n = 0;
    uint32_t function = climb(l, c, i);

    if (function != NODE_NONE)
        functions[n++] = function;
    for (size_t k = 0; k < n; k++) {
        uint32_t call = NODE_NONE;

        while ((call = flow_next_call(l->flow, functions[k], call)) !=
               NODE_NONE) {
            bool known = false;

            if (c->n == CONDITIONS_MAX)
                return;
            function = climb(l, c, call);
            for (size_t m = 0; m < n; m++)
                known |= functions[m] == function;
            if (!known && function != NODE_NONE && n < CONDITIONS_MAX)
                functions[n++] = function;
        }
    }
}

/* ---- what a condition compares ---- */

/* What is left to look into, the next one last. */
struct todo {
    uint32_t nodes[64];
    size_t n;
    unsigned depth;            /* names and functions looked through so far */
    uint32_t calls[CALLS_MAX]; /* of these functions */
    size_t ncalls;
    uint32_t ratio; /* NODE_NONE, or the quotient all of it is in */
};

static void look_into(struct todo *todo, uint32_t node)
{
    if (node != NODE_NONE && todo->n < ARRAY_LEN(todo->nodes))
        todo->nodes[todo->n++] = node;
}

/* A parameter is what the call on the way there hands to it. */
static uint32_t handed(const struct look *l, const struct todo *todo,
                       uint32_t node)
{
    for (size_t i = todo->ncalls; node != NODE_NONE && i-- > 0;) {
        uint32_t argument = node_is(l->ns, node, NODE_IDENTIFIER)
                                ? flow_handed(l->flow, node, todo->calls[i])
                                : NODE_NONE;

        if (argument != NODE_NONE)
            node = argument;
    }
    return node;
}

/* The words of a plain string, or of a loop's target that was one in the turn
 * that failed; empty: it is none. */
static struct bytes key_of(const struct look *l, uint32_t node)
{
    struct bytes text = bytes_of("", 0);
    uint32_t value = node_is(l->ns, node, NODE_IDENTIFIER)
                         ? flow_value(l->flow, node)
                         : NODE_NONE;

    if (node_is(l->ns, value, NODE_STRING) &&
        node_is(l->ns, node_parent(l->ns, value), NODE_ASSIGNMENT))
        node = value; /* name = "dx" */
    if (node_is(l->ns, node, NODE_STRING))
        text = node_text(l->ns, node);
    else if (node_is(l->ns, node, NODE_IDENTIFIER) && l->seen)
        text = observed_turn(l->seen, flow_target(l->flow, node));
    if (text.len < 2 || (text.data[0] != '"' && text.data[0] != '\'') ||
        text.data[text.len - 1] != text.data[0])
        return bytes_of("", 0);
    return bytes_of(text.data + 1, text.len - 2);
}

static bool same_key(struct bytes a, struct bytes b)
{
    return a.len > 0 && a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

/* What stands for a key in a dictionary that is written out. */
static uint32_t value_of_key(const struct look *l, uint32_t dictionary,
                             struct bytes key)
{
    const struct nodes *ns = l->ns;

    for (uint32_t c = node_named_child(ns, dictionary); c != NODE_NONE;
         c = node_named_sibling(ns, c))
        if (node_is(ns, c, NODE_PAIR) &&
            same_key(key_of(l, node_field(ns, c, FIELD_key)), key))
            return node_field(ns, c, FIELD_value);
    return NODE_NONE;
}

static uint32_t callee_of(const struct look *l, uint32_t node)
{
    uint32_t callee = node_is(l->ns, node, NODE_CALL)
                          ? flow_callee(l->flow, node)
                          : NODE_NONE;

    return callee == NODE_NONE && node_is(l->ns, node, NODE_CALL)
               ? flow_called_object(l->flow, node)
               : callee;
}

/* The only expression that a function returns, or NODE_NONE. */
static uint32_t only_result(const struct look *l, uint32_t function)
{
    const struct nodes *ns = l->ns;
    uint32_t result = NODE_NONE;

    for (uint32_t i = function; i < ns->at[function].past; i++) {
        if (!node_is(ns, i, NODE_RETURN) || node_function(ns, i) != function)
            continue;
        if (result != NODE_NONE)
            return NODE_NONE;
        result = node_named_child(ns, i);
    }
    return result;
}

/* What a name was given as a whole, and not to one of its elements. */
static uint32_t whole_value(const struct look *l, uint32_t name)
{
    uint32_t value = flow_value(l->flow, name);
    uint32_t up = value == NODE_NONE ? NODE_NONE : node_parent(l->ns, value);

    return node_is(l->ns, up, NODE_ASSIGNMENT) &&
                   !node_is(l->ns, node_field(l->ns, up, FIELD_left),
                            NODE_IDENTIFIER)
               ? NODE_NONE
               : value;
}

/* Of `got["dx"]` what is given for that key, where the dictionary is written
 * out; else the expression itself. */
static uint32_t element_of(const struct look *l, const struct todo *todo,
                           uint32_t node)
{
    const struct nodes *ns = l->ns;
    uint32_t at, subscript;
    struct bytes key;

    if (!node_is(ns, node, NODE_SUBSCRIPT))
        return node;
    subscript = node_field(ns, node, FIELD_subscript);
    key = key_of(l, subscript);
    at = node_field(ns, node, FIELD_value);
    for (int hop = 0; hop < HOPS_MAX && key.len > 0; hop++) {
        uint32_t given = handed(l, todo, at);

        if (node_is(ns, at, NODE_DICTIONARY)) {
            given = value_of_key(l, at, key);
            return given == NODE_NONE ? node : given;
        }
        if (given != at)
            at = given;
        else if (node_is(ns, at, NODE_IDENTIFIER))
            at = whole_value(l, at);
        else if (callee_of(l, at) != NODE_NONE)
            at = only_result(l, callee_of(l, at));
        else
            break;
        if (at == NODE_NONE)
            break;
    }
    return node;
}

static void add_side(const struct look *l, const struct todo *todo,
                     struct sides *s, uint32_t node)
{
    uint32_t said = handed(l, todo, node);
    uint32_t part = element_of(l, todo, said);

    /* Two calls of one function end in one place, which is neither's. */
    for (size_t i = 0; i < s->n; i++)
        if (part != NODE_NONE && s->nodes[i] == part) {
            s->nodes[i] = s->said[i];
            part = said;
        }
    if (s->n < SIDES_MAX && part != NODE_NONE && !is_constant(l, part)) {
        s->said[s->n] = said;
        s->nodes[s->n++] = part;
    }
}

/* The children, so that the first is looked into first. */
static void look_into_children(const struct nodes *ns, struct todo *todo,
                               uint32_t node)
{
    size_t from = todo->n;

    for (uint32_t c = node_named_child(ns, node); c != NODE_NONE;
         c = node_named_sibling(ns, c))
        look_into(todo, c);
    for (size_t to = todo->n; from + 1 < to; from++) {
        uint32_t swap = todo->nodes[from];

        todo->nodes[from] = todo->nodes[--to];
        todo->nodes[to] = swap;
    }
}

static void add_limit(struct sides *s, uint32_t node)
{
    if (node != NODE_NONE && s->nlimits < LIMITS_MAX)
        s->limits[s->nlimits++] = node;
}

/* The tolerances of assert_close(a, b, rtol=1e-3), allclose(a, b, 1e-3): all
 * that is a number and no side. */
static void add_tolerances(const struct nodes *ns, uint32_t call,
                           struct sides *s)
{
    static const char *const keys[] = { "rtol",    "atol",    "rel_tol",
                                        "abs_tol", "decimal", "places",
                                        "delta",   "tol" };
    unsigned place = 0;

    s->nlimits = 0;
    s->by_call = true;
    for (uint32_t c = node_first_argument(ns, call); c != NODE_NONE;
         c = node_named_sibling(ns, c)) {
        uint32_t key = node_is(ns, c, NODE_KEYWORD_ARGUMENT)
                           ? node_field(ns, c, FIELD_name)
                           : NODE_NONE;

        if (key == NODE_NONE && place++ >= 2)
            add_limit(s, c);
        else if (key != NODE_NONE && IS_ONE_OF(node_text(ns, key), keys))
            add_limit(s, node_field(ns, c, FIELD_value));
    }
}

/* The two that assert_close(a, b), allclose(a, b), a.equal(b) compare. */
static void split_call(const struct look *l, const struct todo *todo,
                       uint32_t call, struct sides *s)
{
    const struct nodes *ns = l->ns;
    uint32_t function = node_field(ns, call, FIELD_function);
    uint32_t first = node_first_argument(ns, call);

    if (first == NODE_NONE)
        return;
    for (uint32_t c = first; c != NODE_NONE && s->n < 2;
         c = node_named_sibling(ns, c))
        add_side(l, todo, s,
                 node_is(ns, c, NODE_KEYWORD_ARGUMENT)
                     ? node_field(ns, c, FIELD_value)
                     : c);
    if (s->n == 1 && node_is(ns, function, NODE_ATTRIBUTE))
        add_side(l, todo, s, node_field(ns, function, FIELD_object));
}

/* What else a value depends on: a name's value, or the condition under which
 * it is counted (`errors += 1`). */
static void look_behind(const struct look *l, struct todo *todo, uint32_t name)
{
    uint32_t value = handed(l, todo, name);

    if (value == name)
        value = flow_value(l->flow, name);
    if (value == NODE_NONE || todo->depth++ >= SPLIT_DEPTH)
        return;
    if (is_constant(l, value)) {
        uint32_t above = node_above(l->ns, value, NODE_IF);
        uint32_t filled =
            above == NODE_NONE ? flow_filled(l->flow, name) : NODE_NONE;

        if (filled != NODE_NONE) /* failed.append(case) */
            above = node_above(l->ns, filled, NODE_IF);
        value = above == NODE_NONE ? NODE_NONE
                                   : node_field(l->ns, above, FIELD_condition);
    }
    look_into(todo, value);
}

static void look_into_call(const struct look *l, struct todo *todo,
                           uint32_t call)
{
    const struct nodes *ns = l->ns;
    uint32_t function = flow_callee(l->flow, call);

    if (function == NODE_NONE) {
        look_into_children(ns, todo, call);
        return;
    }
    if (todo->depth++ >= SPLIT_DEPTH)
        return;
    if (todo->ncalls < CALLS_MAX)
        todo->calls[todo->ncalls++] = call;
    for (uint32_t i = function; i < ns->at[function].past; i++)
        if (node_is(ns, i, NODE_RETURN) && node_function(ns, i) == function)
            look_into(todo, node_named_child(ns, i));
}

static bool has_operator(const struct nodes *ns, uint32_t i, const char *sign)
{
    uint32_t operator= node_field(ns, i, FIELD_operator);

    return operator!= NODE_NONE && node_text_is(ns, operator, sign);
}

static bool has_name(const struct nodes *ns, uint32_t node, struct bytes name)
{
    for (uint32_t i = node; i < ns->at[node].past; i++)
        if (node_is(ns, i, NODE_IDENTIFIER) &&
            names_order(node_text(ns, i), name) == 0)
            return true;
    return false;
}

/* Whether what is compared in a node is what the quotient around it is relative
 * to: `abs(got - want) / abs(want)`. */
static bool is_relative(const struct look *l, uint32_t node, uint32_t ratio)
{
    const struct nodes *ns = l->ns;
    uint32_t right = node_field(ns, ratio, FIELD_right);
    unsigned left = NAMES_MAX;

    if (node_function(ns, node) != node_function(ns, right))
        return false;
    for (uint32_t i = right; i < ns->at[right].past && left > 0; i++) {
        if (!node_is(ns, i, NODE_IDENTIFIER))
            continue;
        left--;
        if (flow_value(l->flow, i) != NODE_NONE &&
            has_name(ns, node, node_text(ns, i)))
            return true;
    }
    return false;
}

/* A quotient is compared itself, `got / want`, where it is not made of a
 * difference. */
static void split_quotient(const struct look *l, uint32_t i, struct sides *s,
                           struct todo *todo)
{
    const struct nodes *ns = l->ns;

    if (todo->ratio == NODE_NONE) {
        add_side(l, todo, s, node_field(ns, i, FIELD_left));
        add_side(l, todo, s, node_field(ns, i, FIELD_right));
        if (s->n > 1)
            todo->ratio = i;
        s->n = 0;
    }
    look_into_children(ns, todo, i);
}

/* One node of a condition: its sides into `s`, or what to look into next. */
static void split_node(const struct look *l, uint32_t i, struct sides *s,
                       struct todo *todo)
{
    const struct nodes *ns = l->ns;

    switch (node_kind(ns, i)) {
    case NODE_CALL:
        if (deciding_call(ns, i)) {
            add_tolerances(ns, i, s);
            split_call(l, todo, i, s);
        }
        if (s->n < 2)
            look_into_call(l, todo, i);
        break;
    case NODE_COMPARISON:
        s->nlimits = 0; /* an outer one counts them: `errors > 0` */
        for (uint32_t c = node_named_child(ns, i); c != NODE_NONE;
             c = node_named_sibling(ns, c)) {
            size_t before = s->n;

            add_side(l, todo, s, c);
            if (s->n == before)
                add_limit(s, c);
        }
        if (s->n < 2)
            look_into_children(ns, todo, i);
        break;
    case NODE_BINARY_OPERATOR:
        if (has_operator(ns, i, "/")) {
            split_quotient(l, i, s, todo);
            break;
        }
        if (has_operator(ns, i, "-")) {
            add_side(l, todo, s, node_field(ns, i, FIELD_left));
            add_side(l, todo, s, node_field(ns, i, FIELD_right));
        }
        if (s->n < 2)
            look_into_children(ns, todo, i);
        break;
    case NODE_IDENTIFIER:
        look_behind(l, todo, i);
        break;
    case NODE_LAMBDA:
    case NODE_STRING:
        break;
    default:
        look_into_children(ns, todo, i);
        break;
    }
}

/* The sides of a condition; itself where nothing in it compares. */
void deciding_sides(const struct look *l, uint32_t condition, struct sides *s)
{
    struct todo todo = { .ratio = NODE_NONE };
    unsigned left = 512; /* nodes: a condition is no program */

    *s = (struct sides){ .n = 0 };
    memcpy(todo.calls, l->calls, l->ncalls * sizeof(*l->calls));
    todo.ncalls = l->ncalls;
    look_into(&todo, condition);
    while (todo.n > 0 && left-- > 0) {
        uint32_t node = todo.nodes[--todo.n], ratio = todo.ratio;

        s->n = 0;
        split_node(l, node, s, &todo);
        if (s->n > 1 && ratio != NODE_NONE && !is_relative(l, node, ratio))
            s->n = 0;
        if (s->n > 1)
            break;
    }
    if (s->n < 2 && todo.ratio != NODE_NONE) {
        s->n = 0;
        add_side(l, &todo, s, node_field(l->ns, todo.ratio, FIELD_left));
        add_side(l, &todo, s, node_field(l->ns, todo.ratio, FIELD_right));
    }
    if (s->n < 2) {
        s->n = s->nlimits = 0;
        add_side(l, &todo, s, condition);
    }
    for (size_t i = 0; i < s->n; i++)
        flow_slice(l->flow, s->nodes[i], &s->slices[i]);
}

void deciding_deinit(struct sides *s)
{
    for (size_t i = 0; i < s->n; i++)
        slice_deinit(&s->slices[i]);
    s->n = 0;
}
