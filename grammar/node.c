/* Questions about the flat array of nodes. All are loops over ranges of the
 * array; what walks up costs the depth, what looks for a child its siblings. */
#include "grammar/node.h"

#include <string.h>

bool node_is_extra(const struct nodes *ns, uint32_t i)
{
    return node_is(ns, i, NODE_COMMENT) ||
           node_is(ns, i, NODE_LINE_CONTINUATION);
}

static uint32_t skip_to_named(const struct nodes *ns, uint32_t i)
{
    while (i != NODE_NONE && (!ns->at[i].named || node_is_extra(ns, i)))
        i = node_sibling(ns, i);
    return i;
}

uint32_t node_named_child(const struct nodes *ns, uint32_t i)
{
    return skip_to_named(ns, node_child(ns, i));
}

uint32_t node_named_sibling(const struct nodes *ns, uint32_t i)
{
    return skip_to_named(ns, node_sibling(ns, i));
}

uint32_t node_field(const struct nodes *ns, uint32_t i, enum node_field field)
{
    uint32_t c = node_child(ns, i);

    while (c != NODE_NONE && (ns->at[c].field != field || node_is_extra(ns, c)))
        c = node_sibling(ns, c);
    return c;
}

uint32_t node_child_of(const struct nodes *ns, uint32_t i, enum node_kind kind)
{
    uint32_t c = node_child(ns, i);

    while (c != NODE_NONE && !node_is(ns, c, kind))
        c = node_sibling(ns, c);
    return c;
}

uint32_t node_first_argument(const struct nodes *ns, uint32_t call)
{
    uint32_t list = node_field(ns, call, FIELD_arguments);

    return list == NODE_NONE ? NODE_NONE : node_named_child(ns, list);
}

bool node_text_is(const struct nodes *ns, uint32_t i, const char *text)
{
    struct bytes own = node_text(ns, i);

    return own.len == strlen(text) && memcmp(own.data, text, own.len) == 0;
}

uint32_t node_above(const struct nodes *ns, uint32_t i, enum node_kind kind)
{
    do
        i = ns->at[i].parent;
    while (i != NODE_NONE && !node_is(ns, i, kind));
    return i;
}

bool node_is_docstring(const struct nodes *ns, uint32_t statement)
{
    uint32_t string = node_named_child(ns, statement);

    return node_is(ns, statement, NODE_EXPRESSION_STATEMENT) &&
           node_is(ns, string, NODE_STRING) &&
           ns->at[string].at.end == ns->at[statement].at.end &&
           node_child_of(ns, string, NODE_INTERPOLATION) == NODE_NONE;
}

bool node_is_body(const struct nodes *ns, uint32_t i)
{
    return node_is(ns, i, NODE_BLOCK) || node_is(ns, i, NODE_MODULE);
}

bool node_is_clause(const struct nodes *ns, uint32_t i)
{
    switch (node_kind(ns, i)) {
    case NODE_ELIF:
    case NODE_ELSE:
    case NODE_EXCEPT:
    case NODE_FINALLY:
    case NODE_CASE:
        return true;
    default:
        return false;
    }
}

bool node_is_statement(const struct nodes *ns, uint32_t i)
{
    uint32_t parent = ns->at[i].parent;

    return parent != NODE_NONE && node_is_body(ns, parent) && ns->at[i].named &&
           !node_is_extra(ns, i) && !node_is(ns, i, NODE_CASE);
}

uint32_t node_statement(const struct nodes *ns, uint32_t i)
{
    while (i != NODE_NONE && !node_is_statement(ns, i))
        i = ns->at[i].parent;
    return i;
}

uint32_t node_scope(const struct nodes *ns, uint32_t i)
{
    do
        i = ns->at[i].parent;
    while (i != NODE_NONE && !node_is(ns, i, NODE_FUNCTION) &&
           !node_is(ns, i, NODE_LAMBDA) && !node_is(ns, i, NODE_CLASS));
    return i;
}

uint32_t node_function(const struct nodes *ns, uint32_t i)
{
    return node_above(ns, i, NODE_FUNCTION);
}

uint32_t node_from(const struct nodes *ns, uint32_t start)
{
    size_t low;

    BISECT(low, 0, ns->n, ns->at[low].at.start < start);
    return (uint32_t)low;
}

uint32_t node_at(const struct nodes *ns, uint32_t start, enum node_kind kind)
{
    for (uint32_t i = node_from(ns, start);
         i < ns->n && ns->at[i].at.start == start; i++)
        if (node_is(ns, i, kind))
            return i;
    return NODE_NONE;
}

uint32_t node_definition(const struct nodes *ns, uint32_t statement)
{
    if (node_is(ns, statement, NODE_DECORATED))
        statement = node_field(ns, statement, FIELD_definition);
    if (node_is(ns, statement, NODE_FUNCTION) ||
        node_is(ns, statement, NODE_CLASS))
        return statement;
    return NODE_NONE;
}

uint32_t text_line_start(struct bytes text, uint32_t at)
{
    while (at > 0 && text.data[at - 1] != '\n' &&
           !(text.data[at - 1] == '\r' &&
             (at >= text.len || text.data[at] != '\n')))
        at--;
    return at;
}

uint32_t text_line_next(struct bytes text, uint32_t at)
{
    while (at < text.len && text.data[at] != '\n' && text.data[at] != '\r')
        at++;
    if (at + 1 < text.len && text.data[at] == '\r' && text.data[at + 1] == '\n')
        return at + 2;
    return at < text.len ? at + 1 : at;
}

bool text_is_blank(struct bytes text, struct span at)
{
    for (uint32_t i = at.start; i < at.end; i++)
        if (text.data[i] != ' ' && text.data[i] != '\t' && text.data[i] != '\f')
            return false;
    return true;
}
