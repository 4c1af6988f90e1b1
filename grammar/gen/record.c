/* A named tuple becomes a class with the same fields.
 *
 *     P = namedtuple("P", "x y")    ->    class P:
 *     h(P(f(), 2).y)                          def __init__(self, x, y):
 *                                                 self.x = x
 *                                                 self.y = y
 *                                         h(P(f(), 2).y)
 *
 * The text grows, so this is a pump: with a class there are the ways to do
 * without the object, as dissolve.c has them, or to leave out a field. The name
 * is what the call is assigned to; of a call that stands in an expression, and
 * runs once, the first argument, where that is free. Objects that are unpacked,
 * indexed or compared are no longer the same: the oracle says no. */
#include "grammar/gen/draft.h"

#include <string.h>

#include "config/buf.h"
#include "grammar/gen/move.h"
#include "grammar/gen/names.h"

void gen_record(struct gen *g);

/* Of more the class would be larger than what it can save. */
#define FIELDS_MAX 32

struct record {
    uint32_t call;      /* of namedtuple */
    uint32_t statement; /* that the class takes the place of, or precedes */
    bool replaces;
    struct bytes name;
    struct bytes fields[FIELDS_MAX];
    size_t n;
};

/* What is between the quotes of a string of one plain part. */
static struct bytes plain_string(const struct nodes *ns, uint32_t string)
{
    struct bytes none = bytes_of(NULL, 0);
    uint32_t content;

    if (string == NODE_NONE || !node_is(ns, string, NODE_STRING) ||
        node_text(ns, node_child(ns, string)).len != 1)
        return none;
    content = node_child_of(ns, string, NODE_STRING_CONTENT);
    if (content == NODE_NONE || node_named_child(ns, content) != NODE_NONE)
        return none;
    return node_text(ns, content);
}

static bool is_field(struct bytes name)
{
    if (name.len == 0 || name.data[0] == '_' ||
        (name.data[0] >= '0' && name.data[0] <= '9'))
        return false;
    for (size_t i = 0; i < name.len; i++)
        if (!text_is_word(name.data[i]))
            return false;
    return true;
}

static bool add_field(struct record *r, struct bytes name)
{
    if (r->n == FIELDS_MAX || !is_field(name))
        return false;
    r->fields[r->n++] = name;
    return true;
}

/* Words with blanks or commas between them. */
static bool read_words(struct record *r, struct bytes text)
{
    size_t at = 0, end;

    while (at < text.len) {
        for (end = at; end < text.len && !strchr(" ,", text.data[end]); end++)
            ;
        if (end > at && !add_field(r, bytes_of(text.data + at, end - at)))
            return false;
        at = end + 1;
    }
    return r->n > 0;
}

static bool read_fields(struct record *r, const struct nodes *ns, uint32_t node)
{
    if (node_is(ns, node, NODE_STRING))
        return read_words(r, plain_string(ns, node));
    if (!node_is(ns, node, NODE_LIST) && !node_is(ns, node, NODE_TUPLE))
        return false;
    for (uint32_t c = node_named_child(ns, node); c != NODE_NONE;
         c = node_named_sibling(ns, c))
        if (!add_field(r, plain_string(ns, c)))
            return false;
    return r->n > 0;
}

/* Where the class goes, and its name. */
static bool find_place(struct record *r, const struct names *names,
                       uint32_t typename)
{
    const struct nodes *ns = names->ns;
    uint32_t parent = node_parent(ns, r->call);

    r->statement = statement_of_call(ns, r->call);
    if (r->statement == NODE_NONE || !starts_line(ns, r->statement))
        return false;
    if (node_is(ns, parent, NODE_ASSIGNMENT) &&
        node_parent(ns, parent) == r->statement &&
        count_named(ns, r->statement) == 1 &&
        node_is(ns, node_field(ns, parent, FIELD_left), NODE_IDENTIFIER)) {
        r->name = node_text(ns, node_field(ns, parent, FIELD_left));
        r->replaces = true;
        return true;
    }
    r->name = plain_string(ns, typename);
    return is_field(r->name) &&
           names_free_in(names, names->scope_of[r->statement], r->name);
}

static bool read_record(struct record *r, const struct names *names)
{
    const struct nodes *ns = names->ns;
    uint32_t arguments = node_child_of(ns, r->call, NODE_ARGUMENT_LIST);
    uint32_t function = node_field(ns, r->call, FIELD_function);
    uint32_t typename, fields;

    if (arguments == NODE_NONE || count_named(ns, arguments) != 2 ||
        (!node_text_is(ns, function, "namedtuple") &&
         !node_text_is(ns, function, "collections.namedtuple")))
        return false;
    typename = node_named_child(ns, arguments);
    fields = argument_value(ns, node_named_sibling(ns, typename));
    return fields != NODE_NONE && find_place(r, names, typename) &&
           read_fields(r, ns, fields);
}

static void add_line(struct buf *out, struct bytes indent, unsigned depth,
                     const char *text)
{
    buf_add(out, indent.data, indent.len);
    for (unsigned i = 0; i < depth; i++)
        buf_adds(out, "    ");
    buf_adds(out, text);
}

static void write_class(const struct record *r, struct bytes indent,
                        const char *newline, struct buf *out)
{
    buf_addf(out, "class %.*s:%s", (int)r->name.len, r->name.data, newline);
    add_line(out, indent, 1, "def __init__(self");
    for (size_t i = 0; i < r->n; i++)
        buf_addf(out, ", %.*s", (int)r->fields[i].len, r->fields[i].data);
    buf_adds(out, "):");
    for (size_t i = 0; i < r->n; i++) {
        buf_adds(out, newline);
        add_line(out, indent, 2, "self.");
        buf_addf(out, "%.*s = %.*s", (int)r->fields[i].len, r->fields[i].data,
                 (int)r->fields[i].len, r->fields[i].data);
    }
}

static void offer(struct draft *d, const struct record *r)
{
    struct span at = node_span(d->ns, r->statement), indent;
    struct bytes blanks;
    struct buf out;
    char *text;
    size_t len;

    indent = statement_indent(d->ns, r->statement);
    blanks =
        bytes_of(d->ns->text.data + indent.start, indent.end - indent.start);
    buf_init(&out, d->ns->text.len + 4096);
    write_class(r, blanks, newline_of(d->ns->text), &out);
    draft_begin(d, at);
    if (!r->replaces) {
        buf_adds(&out, newline_of(d->ns->text));
        add_line(&out, blanks, 0, "");
        at.end = at.start;
        draft_replace(d, node_span(d->ns, r->call), r->name.data, r->name.len);
    }
    if (out.full)
        draft_spoil(d);
    text = buf_take(&out, &len);
    draft_replace_taken(d, at, text, len);
    draft_end(d);
}

void gen_record(struct gen *g)
{
    struct draft d;

    draft_init(&d, g, EDIT_record);
    for (uint32_t i = 0; i < d.ns->n; i++) {
        struct record r = { .call = i };

        if (node_is(d.ns, i, NODE_CALL) && read_record(&r, g->names))
            offer(&d, &r);
    }
    draft_deinit(&d);
}
