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

bool kernel_is(const struct nodes *ns, uint32_t decorated)
{
    for (uint32_t c = node_child(ns, decorated); c != NODE_NONE;
         c = node_sibling(ns, c)) {
        if (node_is(ns, c, NODE_DECORATOR) &&
            text_is_one_of(kernel_last_name(ns, c), front_ends,
                           ARRAY_LEN(front_ends)))
            return true;
    }
    return false;
}
