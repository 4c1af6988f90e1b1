/* As far as the element is written out, the path is followed in the text; what
 * is left of it becomes subscripts. */
#include "grammar/gen/first.h"

#include "grammar/gen/draft.h"

/* In brackets where it needs those that it stood in. */
static void add(struct buf *out, const struct nodes *ns, uint32_t node)
{
    bool brackets =
        node_is(ns, node, NODE_NAMED_EXPRESSION) || spans_lines(ns, node);
    struct bytes text = node_text(ns, node);

    buf_adds(out, brackets ? "(" : "");
    buf_add(out, text.data, text.len);
    buf_adds(out, brackets ? ")" : "");
}

/* Child number `index` of a display; NODE_NONE when a star may shift it. */
static uint32_t part_of(const struct nodes *ns, uint32_t display,
                        uint32_t index)
{
    uint32_t c = node_named_child(ns, display);

    while (c != NODE_NONE && !node_is(ns, c, NODE_LIST_SPLAT)) {
        if (index-- == 0)
            return c;
        c = node_named_sibling(ns, c);
    }
    return NODE_NONE;
}

static bool is_display(const struct nodes *ns, uint32_t node)
{
    return node_is(ns, node, NODE_LIST) || node_is(ns, node, NODE_TUPLE);
}

/* The first pair of {a: b}.items() and the like, or NODE_NONE. */
static uint32_t first_pair(const struct nodes *ns, uint32_t call,
                           const char *view)
{
    uint32_t function = node_field(ns, call, FIELD_function), object, pair;

    if (!node_is(ns, call, NODE_CALL) ||
        !node_is(ns, function, NODE_ATTRIBUTE) ||
        !node_text_is(ns, node_field(ns, function, FIELD_attribute), view))
        return NODE_NONE;
    object = node_field(ns, function, FIELD_object);
    if (!node_is(ns, object, NODE_DICTIONARY))
        return NODE_NONE;
    pair = node_named_child(ns, object);
    return node_is(ns, pair, NODE_PAIR) ? pair : NODE_NONE;
}

/* What list(), tuple() and iter() go through. */
static uint32_t gone_through(const struct nodes *ns, uint32_t iterable)
{
    for (;;) {
        uint32_t function = node_field(ns, iterable, FIELD_function);
        uint32_t arguments = node_child_of(ns, iterable, NODE_ARGUMENT_LIST);

        if (!node_is(ns, iterable, NODE_CALL) || arguments == NODE_NONE ||
            count_named(ns, arguments) != 1 ||
            (!node_text_is(ns, function, "list") &&
             !node_text_is(ns, function, "tuple") &&
             !node_text_is(ns, function, "iter")))
            return iterable;
        iterable = node_named_child(ns, arguments);
    }
}

uint32_t first_element(const struct nodes *ns, uint32_t iterable)
{
    uint32_t pair;

    iterable = gone_through(ns, iterable);
    if (is_display(ns, iterable) ||
        (node_is(ns, iterable, NODE_SET) && count_named(ns, iterable) == 1))
        return part_of(ns, iterable, 0);
    pair = first_pair(ns, iterable, "values");
    if (pair != NODE_NONE)
        return node_field(ns, pair, FIELD_value);
    pair = first_pair(ns, iterable, "keys");
    if (node_is(ns, iterable, NODE_DICTIONARY))
        pair = node_named_child(ns, iterable);
    return node_is(ns, pair, NODE_PAIR) ? node_field(ns, pair, FIELD_key)
                                        : NODE_NONE;
}

/* Follow the path from an element that is written out. */
static void add_part(struct buf *out, const struct nodes *ns, uint32_t element,
                     const struct first_path *path, size_t done)
{
    bool closed;

    for (; done < path->n && is_display(ns, element); done++) {
        uint32_t part = part_of(ns, element, path->at[done]);

        if (part == NODE_NONE)
            break;
        element = part;
    }
    closed = done == path->n || is_dotted(ns, element) ||
             is_display(ns, element) || node_is(ns, element, NODE_CALL) ||
             node_is(ns, element, NODE_SUBSCRIPT) ||
             node_is(ns, element, NODE_STRING) ||
             node_is(ns, element, NODE_PARENTHESIZED);
    buf_adds(out, closed ? "" : "(");
    add(out, ns, element);
    buf_adds(out, closed ? "" : ")");
    for (; done < path->n; done++)
        buf_addf(out, "[%u]", path->at[done]);
}

/* The first number of range(), when that is what the call is. */
static bool add_range(struct buf *out, const struct nodes *ns, uint32_t call)
{
    uint32_t function = node_field(ns, call, FIELD_function);
    uint32_t arguments = node_field(ns, call, FIELD_arguments), first;

    if (!node_is(ns, call, NODE_CALL) || arguments == NODE_NONE ||
        !node_text_is(ns, function, "range"))
        return false;
    first = node_named_child(ns, arguments);
    if (first == NODE_NONE || node_is(ns, first, NODE_LIST_SPLAT))
        return false;
    if (node_named_sibling(ns, first) == NODE_NONE)
        buf_adds(out, "0");
    else
        add(out, ns, first);
    return true;
}

static bool add_item(struct buf *out, const struct nodes *ns, uint32_t pair,
                     const struct first_path *path)
{
    uint32_t key = node_field(ns, pair, FIELD_key);
    uint32_t value = node_field(ns, pair, FIELD_value);

    if (key == NODE_NONE || value == NODE_NONE)
        return false;
    if (path->n > 0) {
        add_part(out, ns, path->at[0] == 0 ? key : value, path, 1);
        return true;
    }
    add(out, ns, key);
    buf_adds(out, ", ");
    add(out, ns, value);
    return true;
}

/* What zip() or enumerate() pairs the first elements of, when these are all
 * written out, in `parts`, of room for FIRST_PARTS; NODE_NONE: 0. The number of
 * them, 0 for anything else. */
static size_t parts_of(const struct nodes *ns, uint32_t call, uint32_t *parts)
{
    uint32_t arguments = node_child_of(ns, call, NODE_ARGUMENT_LIST);
    uint32_t function = node_field(ns, call, FIELD_function);
    bool counts;
    size_t n = 0;

    if (!node_is(ns, call, NODE_CALL) || arguments == NODE_NONE)
        return 0;
    counts = node_text_is(ns, function, "enumerate");
    if (counts ? count_named(ns, arguments) != 1
               : !node_text_is(ns, function, "zip"))
        return 0;
    if (counts)
        parts[n++] = NODE_NONE;
    for (uint32_t c = node_named_child(ns, arguments); c != NODE_NONE;
         c = node_named_sibling(ns, c)) {
        uint32_t first = is_display(ns, c) ? part_of(ns, c, 0) : NODE_NONE;

        if (first == NODE_NONE || n == FIRST_PARTS)
            return 0;
        parts[n++] = first;
    }
    return n > 1 ? n : 0;
}

static bool add_parts(struct buf *out, const struct nodes *ns, uint32_t call,
                      const struct first_path *path)
{
    uint32_t parts[FIRST_PARTS];
    size_t n = parts_of(ns, call, parts);
    size_t from = path->n > 0 ? path->at[0] : 0;
    size_t to = path->n > 0 ? from + 1 : n;
    const struct first_path whole = { .n = 0 };

    if (n == 0 || to > n)
        return false;
    for (size_t i = from; i < to; i++) {
        buf_adds(out, i > from ? ", " : "");
        if (parts[i] == NODE_NONE)
            buf_adds(out, "0");
        else
            add_part(out, ns, parts[i], path->n > 0 ? path : &whole,
                     path->n > 0);
    }
    return true;
}

bool first_is_written(const struct nodes *ns, uint32_t iterable, bool *several)
{
    uint32_t parts[FIRST_PARTS];

    *several = parts_of(ns, gone_through(ns, iterable), parts) > 0;
    return *several || first_element(ns, iterable) != NODE_NONE;
}

void first_add(struct buf *out, const struct nodes *ns, uint32_t iterable,
               const struct first_path *path)
{
    uint32_t written = gone_through(ns, iterable);
    uint32_t item = first_pair(ns, written, "items");
    uint32_t first;
    bool bare = node_is(ns, iterable, NODE_EXPRESSION_LIST) ||
                node_is(ns, iterable, NODE_PATTERN_LIST);

    if (path->n == 0 && add_range(out, ns, written))
        return;
    if (item != NODE_NONE && add_item(out, ns, item, path))
        return;
    if (add_parts(out, ns, written, path))
        return;
    first = first_element(ns, written);
    if (first != NODE_NONE) {
        add_part(out, ns, first, path, 0);
        return;
    }
    buf_adds(out, bare ? "next(iter((" : "next(iter(");
    add(out, ns, iterable);
    buf_adds(out, bare ? ")))" : "))");
    for (size_t i = 0; i < path->n; i++)
        buf_addf(out, "[%u]", path->at[i]);
}
