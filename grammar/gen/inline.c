/* Values and bodies move to where they are used.
 *
 * Here: variables, attributes of objects that only carry values, options of
 * argparse with their defaults, and displays with a literal index. Functions
 * are in inline_call.c.
 *
 * A variable moves when it is bound once; a value that is cheap to repeat (a
 * literal, a name, `a.b`) to all its uses, any other to its only use in the
 * same scope. Names in the value must mean the same there and not be bound
 * anew in between; whether calls in between matter is for the oracle. An
 * attribute moves in the same way when the file stores it in one place. */
#include "grammar/gen/inline.h"

#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "grammar/gen/draft.h"

/* Longest value without a call that is worth repeating. */
#define REPEATED_MAX 60

void gen_inline(struct gen *g);

/* Whether evaluating it again gives the same and costs nothing. */
static bool is_cheap(const struct nodes *ns, uint32_t value)
{
    return is_literal(ns, value) || is_dotted(ns, value);
}

/* No call, no scope of its own, nothing that may happen only once. */
static bool is_pure(const struct nodes *ns, uint32_t value)
{
    if (span_len(node_span(ns, value)) > REPEATED_MAX)
        return false;
    for (uint32_t i = value; i < ns->at[value].past; i++)
        switch (node_kind(ns, i)) {
        case NODE_CALL:
        case NODE_AWAIT:
        case NODE_YIELD:
        case NODE_LAMBDA:
        case NODE_NAMED_EXPRESSION:
        case NODE_LIST:
        case NODE_SET:
        case NODE_DICTIONARY:
        case NODE_LIST_COMPREHENSION:
        case NODE_SET_COMPREHENSION:
        case NODE_DICTIONARY_COMPREHENSION:
        case NODE_GENERATOR_EXPRESSION:
            return false;
        }
    return true;
}

/* Whether a symbol is written between two places of the text. */
static bool written_between(const struct names *names, uint32_t symbol,
                            uint32_t from, uint32_t to)
{
    size_t n, low = 0;
    const struct occurrence *at = symbol_occurrences(names->scopes, symbol, &n);
    size_t high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (at[middle].at.start < from)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < n && at[low].at.start < to; low++)
        if (at[low].role != OCC_LOAD)
            return true;
    return false;
}

/* Whether the names in a value keep their objects up to a use. */
static bool keeps_until(const struct names *names, uint32_t value, uint32_t use)
{
    const struct nodes *ns = names->ns;
    uint32_t from = node_span(ns, value).end, to = node_span(ns, use).start;

    for (uint32_t i = value; i < ns->at[value].past; i++) {
        uint32_t symbol = SYMBOL_NONE;

        if (node_is(ns, i, NODE_IDENTIFIER))
            symbol = names_symbol(names, i);
        if (symbol != SYMBOL_NONE && written_between(names, symbol, from, to))
            return false;
    }
    return true;
}

static bool put_value(struct draft *d, const struct names *names, uint32_t use,
                      uint32_t value)
{
    if (!is_expression(d->ns, use) ||
        !names_fit_string(d->ns, node_text(d->ns, value), use) ||
        !names_mean_same(names, value, names->scope_of[use]))
        return false;
    draft_put(d, use, value);
    return true;
}

/* A statement that is `left = right` and no more. */
static bool is_plain_assignment(const struct nodes *ns, uint32_t node)
{
    uint32_t parent = node_parent(ns, node);
    uint32_t right = node_field(ns, node, FIELD_right);

    return node_is(ns, parent, NODE_EXPRESSION_STATEMENT) &&
           count_named(ns, parent) == 1 && right != NODE_NONE &&
           !node_is(ns, right, NODE_ASSIGNMENT) &&
           !node_is(ns, right, NODE_AUGMENTED_ASSIGNMENT) &&
           !node_is(ns, right, NODE_YIELD) &&
           node_field(ns, node, FIELD_left) != NODE_NONE;
}

static bool put_variable(struct draft *d, const struct names *names,
                         uint32_t left, uint32_t value)
{
    uint32_t symbol = names_symbol(names, left);
    bool cheap = is_cheap(d->ns, value);
    const struct occurrence *at;
    size_t n, loads;

    if (symbol == SYMBOL_NONE || names_writes(names, symbol, &loads) != 1 ||
        loads == 0 || (!cheap && loads > 1))
        return false;
    at = symbol_occurrences(names->scopes, symbol, &n);
    for (size_t i = 0; i < n; i++) {
        uint32_t use = names_node(names, at[i].at);

        if (use == left)
            continue;
        if (use == NODE_NONE || !keeps_until(names, value, use) ||
            (!cheap && names->scope_of[use] != names->scope_of[left]) ||
            !put_value(d, names, use, value))
            return false;
    }
    return true;
}

static void variable(struct draft *d, const struct names *names, uint32_t node)
{
    uint32_t left = node_field(d->ns, node, FIELD_left);
    uint32_t statement = node_parent(d->ns, node);

    if (!node_is(d->ns, left, NODE_IDENTIFIER) ||
        node_is(d->ns, names->scope_of[left], NODE_CLASS))
        return;
    draft_begin(d, node_span(d->ns, statement));
    if (!put_variable(d, names, left, node_field(d->ns, node, FIELD_right)))
        return;
    draft_drop_statement(d, statement);
    draft_end(d);
}

/* Attributes. */

struct store {
    struct bytes name;
    uint32_t node; /* the assignment */
};

static int store_order(const void *a, const void *b)
{
    const struct store *x = a, *y = b;
    size_t n = x->name.len < y->name.len ? x->name.len : y->name.len;
    int order = n ? memcmp(x->name.data, y->name.data, n) : 0;

    if (order)
        return order;
    if (x->name.len != y->name.len)
        return x->name.len < y->name.len ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static bool same_store(const struct store *a, const struct store *b)
{
    return a->name.len == b->name.len &&
           memcmp(a->name.data, b->name.data, a->name.len) == 0;
}

/* `o.x = v` anywhere, `x = v` in a class. */
static size_t stores_of(const struct names *names, struct store **stores)
{
    const struct nodes *ns = names->ns;
    size_t n = 0, room = 0;

    *stores = NULL;
    for (uint32_t i = 0; i < ns->n; i++) {
        uint32_t left = NODE_NONE;

        if (node_is(ns, i, NODE_ASSIGNMENT))
            left = node_field(ns, i, FIELD_left);
        if (node_is(ns, left, NODE_ATTRIBUTE))
            left = node_field(ns, left, FIELD_attribute);
        else if (!node_is(ns, left, NODE_IDENTIFIER) ||
                 !node_is(ns, names->scope_of[left], NODE_CLASS))
            continue;
        if (left == NODE_NONE)
            continue;
        xgrow(stores, &room, n + 1, sizeof(**stores));
        (*stores)[n++] = (struct store){ node_text(ns, left), i };
    }
    if (n)
        qsort(*stores, n, sizeof(**stores), store_order);
    return n;
}

/* Whether an object may be left out together with its attribute. */
static bool is_carrier(const struct nodes *ns, uint32_t attribute)
{
    uint32_t object = node_field(ns, attribute, FIELD_object);

    return object != NODE_NONE &&
           (is_dotted(ns, object) || node_is(ns, object, NODE_CALL));
}

/* Put a value at all loads of `.name`; how many, 0 when one resists. */
static size_t put_at_loads(struct draft *d, const struct names *names,
                           struct bytes name, uint32_t store, uint32_t value)
{
    const struct nodes *ns = d->ns;
    size_t n, loads = 0;
    const struct span *at = scopes_attributes(names->scopes, name, &n);

    for (size_t i = 0; i < n; i++) {
        uint32_t node = names_node(names, at[i]), use;

        if (node == NODE_NONE)
            return 0;
        use = node_parent(ns, node);
        if (node_parent(ns, use) == store && ns->at[use].field == FIELD_left)
            continue;
        if (!is_carrier(ns, use) || !put_value(d, names, use, value))
            return 0;
        loads++;
    }
    return loads;
}

static void attribute(struct draft *d, const struct names *names,
                      const struct store *store)
{
    const struct nodes *ns = d->ns;
    uint32_t value = node_field(ns, store->node, FIELD_right);
    uint32_t statement = node_parent(ns, store->node);
    size_t loads;

    draft_begin(d, node_span(ns, statement));
    loads = put_at_loads(d, names, store->name, store->node, value);
    if (loads == 0 ||
        (loads > 1 && !is_cheap(ns, value) && !is_pure(ns, value)))
        return;
    draft_drop_statement(d, statement);
    draft_end(d);
}

static void attributes(struct draft *d, const struct names *names)
{
    struct store *stores;
    size_t n = stores_of(names, &stores);

    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && same_store(&stores[i], &stores[j]);)
            j++;
        if (j - i == 1 && is_plain_assignment(d->ns, stores[i].node))
            attribute(d, names, &stores[i]);
    }
    free(stores);
}

/* Options: p.add_argument("--name", default=v), read as args.name. */

static uint32_t keyword_of(const struct nodes *ns, uint32_t arguments,
                           const char *name)
{
    for (uint32_t c = node_named_child(ns, arguments); c != NODE_NONE;
         c = node_named_sibling(ns, c))
        if (node_is(ns, c, NODE_KEYWORD_ARGUMENT) &&
            node_field(ns, c, FIELD_name) != NODE_NONE &&
            node_text_is(ns, node_field(ns, c, FIELD_name), name))
            return node_field(ns, c, FIELD_value);
    return NODE_NONE;
}

/* The name an option is read by, in `name` of `room` bytes. */
static bool option_name(const struct nodes *ns, uint32_t arguments, char *name,
                        size_t room, size_t *len)
{
    uint32_t dest = keyword_of(ns, arguments, "dest");
    uint32_t text = dest != NODE_NONE ? dest : NODE_NONE;
    struct bytes bytes;

    for (uint32_t c = node_named_child(ns, arguments);
         c != NODE_NONE && dest == NODE_NONE; c = node_named_sibling(ns, c)) {
        struct bytes at = node_text(ns, c);

        if (node_is(ns, c, NODE_STRING) && at.len > 4 &&
            memcmp(at.data + 1, "--", 2) == 0)
            text = dest = c;
    }
    if (text == NODE_NONE || !is_literal(ns, text))
        return false;
    bytes = node_text(ns, text);
    if (bytes.len < 3 || (bytes.data[0] != '"' && bytes.data[0] != '\''))
        return false;
    bytes.data++;
    bytes.len -= 2;
    while (bytes.len && bytes.data[0] == '-') {
        bytes.data++;
        bytes.len--;
    }
    if (bytes.len == 0 || bytes.len > room)
        return false;
    for (size_t i = 0; i < bytes.len; i++)
        name[i] = bytes.data[i] == '-' ? '_' : bytes.data[i];
    *len = bytes.len;
    return true;
}

/* What an option is when nobody gives it. */
static const char *option_default(const struct nodes *ns, uint32_t arguments)
{
    uint32_t action = keyword_of(ns, arguments, "action");

    if (action == NODE_NONE)
        return "None";
    if (node_text_is(ns, action, "\"store_true\"") ||
        node_text_is(ns, action, "'store_true'"))
        return "False";
    if (node_text_is(ns, action, "\"store_false\"") ||
        node_text_is(ns, action, "'store_false'"))
        return "True";
    return NULL;
}

/* Whether an object is a name that a parse_args() call was assigned to. */
static bool is_options(const struct names *names, uint32_t object)
{
    const struct nodes *ns = names->ns;
    uint32_t symbol, bind, value;
    size_t n;

    if (!node_is(ns, object, NODE_IDENTIFIER))
        return false;
    symbol = names_symbol(names, object);
    if (symbol == SYMBOL_NONE)
        return false;
    bind = names_node(names, symbol_occurrences(names->scopes, symbol, &n)->at);
    if (bind == NODE_NONE ||
        !node_is(ns, node_parent(ns, bind), NODE_ASSIGNMENT))
        return false;
    value = node_field(ns, node_parent(ns, bind), FIELD_right);
    if (!node_is(ns, value, NODE_CALL))
        return false;
    value = node_field(ns, value, FIELD_function);
    return node_is(ns, value, NODE_ATTRIBUTE) &&
           node_text_is(ns, node_field(ns, value, FIELD_attribute),
                        "parse_args");
}

/* The attribute that an identifier names, when it is read there. */
static uint32_t read_attribute(const struct names *names, struct span at)
{
    uint32_t node = names_node(names, at);

    if (node == NODE_NONE ||
        !node_is(names->ns, node_parent(names->ns, node), NODE_ATTRIBUTE))
        return NODE_NONE;
    node = node_parent(names->ns, node);
    return is_expression(names->ns, node) && is_dotted(names->ns, node)
               ? node
               : NODE_NONE;
}

/* Put the default at each read of the option. A name that other objects have,
 * too, is an option only where the object surely is one. */
static size_t put_option(struct draft *d, const struct names *names,
                         struct bytes name, uint32_t value, const char *text)
{
    size_t n, put = 0;
    const struct span *at = scopes_attributes(names->scopes, name, &n);
    bool shared = false;

    for (size_t i = 0; i < n; i++)
        shared |= read_attribute(names, at[i]) == NODE_NONE;
    for (size_t i = 0; i < n; i++) {
        uint32_t use = read_attribute(names, at[i]);

        if (use == NODE_NONE ||
            (shared &&
             !is_options(names, node_field(d->ns, use, FIELD_object))))
            continue;
        if (value != NODE_NONE && !put_value(d, names, use, value))
            return 0;
        if (value == NODE_NONE)
            draft_replaces(d, node_span(d->ns, use), text);
        put++;
    }
    return put;
}

static void option(struct draft *d, const struct names *names, uint32_t call)
{
    const struct nodes *ns = d->ns;
    uint32_t arguments = node_child_of(ns, call, NODE_ARGUMENT_LIST);
    uint32_t statement = node_parent(ns, call), value;
    uint32_t function = node_field(ns, call, FIELD_function);
    const char *text;
    char name[64];
    size_t len;

    if (arguments == NODE_NONE || !node_is(ns, function, NODE_ATTRIBUTE) ||
        !node_is(ns, statement, NODE_EXPRESSION_STATEMENT) ||
        !node_text_is(ns, node_field(ns, function, FIELD_attribute),
                      "add_argument") ||
        !option_name(ns, arguments, name, sizeof(name), &len))
        return;
    value = keyword_of(ns, arguments, "default");
    text = option_default(ns, arguments);
    if (value == NODE_NONE ? !text : !is_cheap(ns, value))
        return;
    draft_begin(d, node_span(ns, statement));
    if (put_option(d, names, bytes_of(name, len), value, text) == 0)
        return;
    draft_drop_statement(d, statement);
    draft_end(d);
}

/* {"a": 1}["a"] is 1, (x, y)[0] is x. */
static void index_of(struct draft *d, uint32_t node)
{
    const struct nodes *ns = d->ns;
    uint32_t display = node_field(ns, node, FIELD_value);
    uint32_t index = node_field(ns, node, FIELD_subscript);
    bool dictionary = node_is(ns, display, NODE_DICTIONARY);
    struct bytes text;
    unsigned long at = 0;

    if (index == NODE_NONE || !is_literal(ns, index) ||
        (!dictionary && !node_is(ns, display, NODE_LIST) &&
         !node_is(ns, display, NODE_TUPLE)))
        return;
    text = node_text(ns, index);
    if (!dictionary && !node_is(ns, index, NODE_INTEGER))
        return;
    for (size_t i = 0; !dictionary && i < text.len && at < UINT32_MAX; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return;
        at = at * 10 + (unsigned long)(text.data[i] - '0');
    }
    for (uint32_t c = node_named_child(ns, display); c != NODE_NONE;
         c = node_named_sibling(ns, c)) {
        uint32_t part = c;

        if (dictionary) {
            uint32_t key = node_field(ns, c, FIELD_key);
            struct bytes have;

            if (key == NODE_NONE)
                return;
            have = node_text(ns, key);
            if (have.len != text.len ||
                memcmp(have.data, text.data, text.len) != 0)
                continue;
            part = node_field(ns, c, FIELD_value);
        } else if (at-- > 0) {
            continue;
        }
        if (part == NODE_NONE || !is_expression(ns, part))
            return;
        draft_begin(d, node_span(ns, node));
        draft_narrow(d, node, part);
        draft_end(d);
        return;
    }
}

void gen_inline(struct gen *g)
{
    struct names *names = names_new(g);
    struct draft d;

    draft_init(&d, g, EDIT_inline);
    for (uint32_t i = 0; i < d.ns->n; i++) {
        switch (node_kind(d.ns, i)) {
        case NODE_ASSIGNMENT:
            if (is_plain_assignment(d.ns, i))
                variable(&d, names, i);
            break;
        case NODE_CALL:
            option(&d, names, i);
            break;
        case NODE_SUBSCRIPT:
            index_of(&d, i);
            break;
        case NODE_FUNCTION:
            inline_function(&d, names, i);
            break;
        }
    }
    attributes(&d, names);
    draft_deinit(&d);
    names_free(names);
}
