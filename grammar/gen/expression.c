/* An expression becomes a part of itself, or a constant.
 *
 * Parts: the operands, the arguments and the object of a call, the elements of
 * a display. They are written as deletions around what stays, so that edits
 * inside of it live on. Constants depend on the place: an operand can be 0 or
 * 1, a loop runs over `()`, an argument may be any of them; and there on what
 * is replaced, since each costs a run at the end. A statement that is only an
 * expression becomes a part that does something or may fail: any other could as
 * well be deleted. The branches of `a if b else c` are the matter of element.
 */
#include "grammar/gen/draft.h"
#include "grammar/gen/names.h"

#include <stdlib.h>

#include "config/mem.h"
#include "grammar/scope.h"

/* Elements of a long display are dropped by runs, not kept one by one. */
#define ELEMENTS_MAX 8

/* A call with more arguments keeps its stars: each looks at those before. */
#define ARGUMENTS_MAX 64

void gen_expression(struct gen *g);

struct place {
    struct draft d;
    const uint32_t *effects; /* nodes before each that do or refuse something */
    const bool *imported;    /* by symbol: see names.h */
};

/* Whether a node is a module, or what was imported from one, by its name. */
static bool is_imported(const struct place *p, uint32_t node)
{
    uint32_t symbol = SYMBOL_NONE;

    if (node_is(p->d.ns, node, NODE_IDENTIFIER))
        symbol =
            scopes_symbol_at(p->d.g->scopes, node_span(p->d.ns, node).start);
    return symbol != SYMBOL_NONE && p->imported[symbol];
}

static uint32_t *count_effects(const struct nodes *ns)
{
    uint32_t *effects = xcalloc((size_t)ns->n + 1, sizeof(*effects));

    for (uint32_t i = 0; i < ns->n; i++) {
        effects[i + 1] = effects[i];
        switch (node_kind(ns, i)) {
        case NODE_CALL:
        case NODE_AWAIT:
        case NODE_YIELD:
        case NODE_SUBSCRIPT:
        case NODE_BINARY_OPERATOR:
            effects[i + 1]++;
        }
    }
    return effects;
}

static void keep(struct place *p, uint32_t node, uint32_t part)
{
    const struct nodes *ns = p->d.ns;

    if (part == NODE_NONE)
        return;
    /* the grammar reads [*f(x)] as a call of `*f` */
    if (ns->text.data[node_span(ns, part).start] == '*')
        return;
    if (node_is(ns, node_parent(ns, node), NODE_EXPRESSION_STATEMENT) &&
        p->effects[ns->at[part].past] == p->effects[part])
        return;
    draft_begin(&p->d, node_span(ns, node));
    draft_narrow(&p->d, node, part);
    draft_end(&p->d);
}

static void keep_field(struct place *p, uint32_t node, enum node_field field)
{
    keep(p, node, node_field(p->d.ns, node, field));
}

/* `stack([a])` to a. */
static void keep_only(struct place *p, uint32_t call, uint32_t argument)
{
    const struct nodes *ns = p->d.ns;

    if ((node_is(ns, argument, NODE_LIST) ||
         node_is(ns, argument, NODE_TUPLE)) &&
        count_named(ns, argument) == 1 &&
        is_expression(ns, node_named_child(ns, argument)))
        keep(p, call, node_named_child(ns, argument));
}

static void keep_children(struct place *p, uint32_t node, uint32_t parent)
{
    const struct nodes *ns = p->d.ns;

    if (parent == NODE_NONE || count_named(ns, parent) > ELEMENTS_MAX)
        return;
    for (uint32_t c = node_named_child(ns, parent); c != NODE_NONE;
         c = node_named_sibling(ns, c)) {
        if (node_is(ns, c, NODE_KEYWORD_ARGUMENT) || node_is(ns, c, NODE_PAIR))
            keep(p, node, node_field(ns, c, FIELD_value));
        else if (is_expression(ns, c))
            keep(p, node, c);
        if (node_is(ns, node, NODE_CALL))
            keep_only(p, node, c);
    }
}

/* `f(a for a in b)` to `f(b)` and `f(a)`. */
static void keep_in_call(struct place *p, uint32_t generator, uint32_t part)
{
    struct span all = node_span(p->d.ns, generator), at;

    if (part == NODE_NONE)
        return;
    at = node_span(p->d.ns, part);
    draft_begin(&p->d, all);
    draft_delete(&p->d, (struct span){ all.start + 1, at.start });
    draft_delete(&p->d, (struct span){ at.end, all.end - 1 });
    draft_end(&p->d);
}

static void keep_generator(struct place *p, uint32_t call, uint32_t generator)
{
    const struct nodes *ns = p->d.ns;
    uint32_t clause = node_child_of(ns, generator, NODE_FOR_IN_CLAUSE);
    uint32_t right = NODE_NONE, body = node_field(ns, generator, FIELD_body);

    if (clause != NODE_NONE)
        right = node_field(ns, clause, FIELD_right);
    keep(p, call, right);
    keep(p, call, body);
    keep_in_call(p, generator, right);
    keep_in_call(p, generator, body);
}

static void keep_call(struct place *p, uint32_t node)
{
    const struct nodes *ns = p->d.ns;
    uint32_t function = node_field(ns, node, FIELD_function);
    uint32_t object = NODE_NONE;
    uint32_t arguments = node_field(ns, node, FIELD_arguments);

    if (node_is(ns, function, NODE_ATTRIBUTE))
        object = node_field(ns, function, FIELD_object);
    if (!is_imported(p, object)) /* no module stands where a result stood */
        keep(p, node, object);
    keep(p, node, function);
    if (node_is(ns, arguments, NODE_GENERATOR_EXPRESSION))
        keep_generator(p, node, arguments);
    keep_children(p, node, node_child_of(ns, node, NODE_ARGUMENT_LIST));
}

/* a[i] to i; of a slice or of several nothing is left. */
static void keep_index(struct place *p, uint32_t node)
{
    uint32_t index = node_field(p->d.ns, node, FIELD_subscript);

    if (index != NODE_NONE && is_expression(p->d.ns, index))
        keep(p, node, index);
}

/* b of `a if b else c`. */
static uint32_t condition_of(const struct nodes *ns, uint32_t node)
{
    uint32_t first = node_named_child(ns, node);

    return first == NODE_NONE ? NODE_NONE : node_named_sibling(ns, first);
}

static void keep_comprehension(struct place *p, uint32_t node)
{
    uint32_t clause = node_child_of(p->d.ns, node, NODE_FOR_IN_CLAUSE);

    if (clause != NODE_NONE)
        keep(p, node, node_field(p->d.ns, clause, FIELD_right));
    if (!node_is(p->d.ns, node, NODE_DICTIONARY_COMPREHENSION))
        keep_field(p, node, FIELD_body);
}

/* f"{a}" to a. */
static void keep_pieces(struct place *p, uint32_t string)
{
    const struct nodes *ns = p->d.ns;

    if (count_named(ns, string) > ELEMENTS_MAX)
        return;
    for (uint32_t c = node_named_child(ns, string); c != NODE_NONE;
         c = node_named_sibling(ns, c)) {
        uint32_t part = node_field(ns, c, FIELD_expression);

        if (node_is(ns, c, NODE_INTERPOLATION) && part != NODE_NONE &&
            is_expression(ns, part))
            keep(p, string, part);
    }
}

static void keep_parts(struct place *p, uint32_t node)
{
    switch (node_kind(p->d.ns, node)) {
    case NODE_CALL:
        keep_call(p, node);
        break;
    case NODE_ATTRIBUTE:
        if (p->d.ns->at[node].field != FIELD_function)
            keep_field(p, node, FIELD_object); /* a called one: see keep_call */
        break;
    case NODE_BINARY_OPERATOR:
        keep_field(p, node, FIELD_left);
        keep_field(p, node, FIELD_right);
        break;
    case NODE_UNARY_OPERATOR:
    case NODE_NOT_OPERATOR:
        keep_field(p, node, FIELD_argument);
        break;
    case NODE_NAMED_EXPRESSION:
        keep_field(p, node, FIELD_value);
        break;
    case NODE_LAMBDA:
        keep_field(p, node, FIELD_body);
        break;
    case NODE_SUBSCRIPT:
        keep_field(p, node, FIELD_value);
        keep_index(p, node);
        break;
    case NODE_AWAIT:
    case NODE_YIELD:
    case NODE_PARENTHESIZED:
        keep(p, node, node_named_child(p->d.ns, node));
        break;
    case NODE_CONDITIONAL:
        keep(p, node, condition_of(p->d.ns, node));
        break;
    case NODE_STRING:
        keep_pieces(p, node);
        break;
    case NODE_LIST:
    case NODE_TUPLE:
    case NODE_SET:
    case NODE_DICTIONARY:
        keep_children(p, node, node);
        break;
    case NODE_LIST_COMPREHENSION:
    case NODE_SET_COMPREHENSION:
    case NODE_DICTIONARY_COMPREHENSION:
    case NODE_GENERATOR_EXPRESSION:
        keep_comprehension(p, node);
        break;
    }
}

/* Few: each costs a run wherever an expression is needed. */
static const char *const any[] = { "0", "None", "\"\"", NULL };
static const char *const results[] = { "0", "None", NULL };
static const char *const lists[] = { "0", "[]", NULL };
static const char *const tuples[] = { "0", "()", NULL };
static const char *const dictionaries[] = { "0", "{}", NULL };
static const char *const sets[] = { "0", "set()", NULL };
static const char *const numbers[] = { "0", "1", NULL };
static const char *const zero[] = { "0", NULL };
static const char *const nothings[] = { "()", NULL };
static const char *const nothing[] = { NULL };

/* The constants that make sense where this expression stands. */
static const char *const *constants_for(const struct nodes *ns, uint32_t node)
{
    unsigned field = ns->at[node].field;
    uint32_t parent = node_parent(ns, node);

    switch (node_kind(ns, parent)) {
    case NODE_ARGUMENT_LIST:
        return node_is(ns, node_parent(ns, parent), NODE_CALL) ? any : nothing;
    case NODE_LIST:
    case NODE_TUPLE:
    case NODE_SET:
    case NODE_RETURN:
    case NODE_LIST_COMPREHENSION:
    case NODE_YIELD:
        return any;
    case NODE_EXPRESSION_LIST:
        return node_is(ns, node_parent(ns, parent), NODE_DELETE) ? nothing
                                                                 : any;
    case NODE_KEYWORD_ARGUMENT:
    case NODE_DEFAULT_PARAMETER:
    case NODE_TYPED_DEFAULT_PARAMETER:
    case NODE_PAIR:
        return field == FIELD_value ? any : nothing;
    case NODE_ASSIGNMENT:
        return field == FIELD_right ? any : nothing;
    case NODE_BINARY_OPERATOR:
    case NODE_UNARY_OPERATOR:
    case NODE_COMPARISON:
    case NODE_AUGMENTED_ASSIGNMENT:
    case NODE_BOOLEAN_OPERATOR:
    case NODE_NOT_OPERATOR:
    case NODE_CONDITIONAL:
    case NODE_IF:
    case NODE_ELIF:
    case NODE_WHILE:
    case NODE_ASSERT:
        return numbers;
    case NODE_SUBSCRIPT:
        return field == FIELD_subscript ? zero : nothing;
    case NODE_INTERPOLATION:
    case NODE_TYPE:
    case NODE_AWAIT:
        return zero;
    case NODE_FOR:
    case NODE_FOR_IN_CLAUSE:
        return field == FIELD_right ? nothings : nothing;
    default:
        return nothing;
    }
}

/* Of the constants that may stand anywhere those that may do what the
 * expression did. */
static const char *const *any_for(unsigned kind)
{
    switch (kind) {
    case NODE_IDENTIFIER:
    case NODE_ATTRIBUTE:
        return any;
    case NODE_LIST:
        return lists;
    case NODE_TUPLE:
        return tuples;
    case NODE_DICTIONARY:
        return dictionaries;
    case NODE_SET:
        return sets;
    default:
        return results;
    }
}

static void make_constant(struct place *p, uint32_t node)
{
    const struct nodes *ns = p->d.ns;
    const char *const *texts = constants_for(ns, node);
    unsigned kind = node_kind(ns, node);

    if (kind == NODE_TRUE_NAME || kind == NODE_FALSE_NAME ||
        kind == NODE_NONE_NAME)
        texts = *texts ? numbers : nothing;
    else if (is_literal(ns, node) || kind == NODE_CONCATENATED_STRING ||
             kind == NODE_STRING)
        return;
    if (texts == any)
        texts = any_for(kind);
    for (; *texts; texts++)
        draft_replace_edit(&p->d, node_span(ns, node), node_span(ns, node),
                           *texts);
}

/* `x += a` to `x = a`: what was there before may not matter. */
static void assign_plainly(struct draft *d, uint32_t node)
{
    uint32_t token = node_field(d->ns, node, FIELD_operator);

    if (token != NODE_NONE)
        draft_replace_edit(d, node_span(d->ns, node), node_span(d->ns, token),
                           "=");
}

/* `*a` to `a`; `**a` only where a positional argument may stand. */
static void unstar(struct draft *d, uint32_t node)
{
    const struct nodes *ns = d->ns;
    uint32_t inner = node_named_child(ns, node), c, seen = 0;
    struct span at = node_span(ns, node);
    bool argument = node_is(ns, node_parent(ns, node), NODE_ARGUMENT_LIST);

    if (inner == NODE_NONE ||
        (node_is(ns, node, NODE_DICTIONARY_SPLAT) && !argument))
        return;
    for (c = node_named_child(ns, node_parent(ns, node)); argument && c != node;
         c = node_named_sibling(ns, c))
        if (++seen > ARGUMENTS_MAX || node_is(ns, c, NODE_KEYWORD_ARGUMENT) ||
            node_is(ns, c, NODE_DICTIONARY_SPLAT))
            return;
    draft_delete_edit(d, at,
                      (struct span){ at.start, node_span(ns, inner).start });
}

void gen_expression(struct gen *g)
{
    struct place p;
    uint32_t *effects;
    bool *imported;

    draft_init(&p.d, g, EDIT_expression);
    p.effects = effects = count_effects(p.d.ns);
    p.imported = imported = find_imported(g);
    for (uint32_t i = 0; i < p.d.ns->n; i++) {
        if (node_is(p.d.ns, i, NODE_LIST_SPLAT) ||
            node_is(p.d.ns, i, NODE_DICTIONARY_SPLAT)) {
            unstar(&p.d, i);
            continue;
        }
        if (node_is(p.d.ns, i, NODE_AUGMENTED_ASSIGNMENT))
            assign_plainly(&p.d, i);
        if (!is_expression(p.d.ns, i) || p.d.ns->at[i].field == FIELD_arguments)
            continue;
        make_constant(&p, i);
        keep_parts(&p, i);
    }
    free(effects);
    free(imported);
    draft_deinit(&p.d);
}
