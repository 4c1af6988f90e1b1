#include "grammar/kernel.h"

#include <string.h>

#include "grammar/node.h"

static const char *const front_ends[] = {
    "jit", "prim_func", "autotune", "heuristics", "kernel", "macro",
};

bool text_is_one_of(struct bytes text, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strlen(words[i]) == text.len &&
            memcmp(words[i], text.data, text.len) == 0)
            return true;
    }
    return false;
}

struct bytes kernel_last_name(const struct nodes *ns, uint32_t i)
{
    while (i != NODE_NONE) {
        switch (node_kind(ns, i)) {
        case NODE_CALL:
            i = node_field(ns, i, FIELD_function);
            break;
        case NODE_SUBSCRIPT:
            i = node_field(ns, i, FIELD_value);
            break;
        case NODE_ATTRIBUTE:
            i = node_field(ns, i, FIELD_attribute);
            break;
        case NODE_DECORATOR:
            i = node_named_child(ns, i);
            break;
        default:
            return node_text(ns, i);
        }
    }
    return bytes_of("", 0);
}

/* The front end's mark; empty when there is none. */
static struct bytes mark_of(const struct nodes *ns, uint32_t decorated)
{
    for (uint32_t c = node_child(ns, decorated); c != NODE_NONE;
         c = node_sibling(ns, c)) {
        if (node_is(ns, c, NODE_DECORATOR) &&
            text_is_one_of(kernel_last_name(ns, c), front_ends,
                           ARRAY_LEN(front_ends)))
            return kernel_last_name(ns, c);
    }
    return bytes_of("", 0);
}

bool kernel_is(const struct nodes *ns, uint32_t decorated)
{
    return mark_of(ns, decorated).len > 0;
}

/* Whether another kernel is defined inside of it. */
static bool makes_kernel(const struct nodes *ns, uint32_t decorated)
{
    for (uint32_t i = decorated + 1; i < ns->at[decorated].past; i++)
        if (node_is(ns, i, NODE_DECORATED) && kernel_is(ns, i))
            return true;
    return false;
}

/* The last node that starts before the end of a line: of one that is a header
 * and its body it is in the body. NODE_NONE past the end of the text. */
static uint32_t node_of_line(const struct nodes *ns, uint32_t line)
{
    uint32_t start = 0, next = text_line_next(ns->text, 0);

    while (--line > 0) {
        start = next;
        if (start >= ns->text.len)
            return NODE_NONE;
        next = text_line_next(ns->text, start);
    }
    return next > start ? node_from(ns, next) - 1 : NODE_NONE;
}

struct bytes kernel_of_line(const struct tree *tree, uint32_t line)
{
    const struct nodes *ns = tree_nodes(tree);
    uint32_t body = line > 0 && ns->n > 0 ? node_of_line(ns, line) : NODE_NONE;

    while (body != NODE_NONE) {
        uint32_t function = node_parent(ns, body), decorated;

        if (function != NODE_NONE && node_is(ns, function, NODE_FUNCTION) &&
            ns->at[body].field == FIELD_body) {
            decorated = node_parent(ns, function);
            if (node_is(ns, decorated, NODE_DECORATED) &&
                kernel_is(ns, decorated))
                return makes_kernel(ns, decorated) ? bytes_of("", 0)
                                                   : mark_of(ns, decorated);
        }
        body = function;
    }
    return bytes_of("", 0);
}
