/* Values that are written down elsewhere: the default of an option of argparse,
 * p.add_argument("--name", default=v), moves to where args.name is read; the
 * element that a literal index picks moves out of its display; what partial()
 * has of a function's arguments moves to the others, partial(f, a)(b);
 * next(iter([a])) is a. */
#include "grammar/gen/inline.h"

#include <string.h>

#include "config/buf.h"
#include "grammar/gen/first.h"
#include "grammar/gen/names.h"
#include "grammar/kernel.h"

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

bool option_name(const struct nodes *ns, uint32_t arguments, char *name,
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

void inline_option(struct draft *d, const struct names *names, uint32_t call)
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

/* What stands between the quotes of a string without a prefix, if it is all
 * that the string says; else empty. */
static struct bytes plain_content(const struct nodes *ns, uint32_t string)
{
    uint32_t content = node_child_of(ns, string, NODE_STRING_CONTENT);

    if (!node_is(ns, string, NODE_STRING) || count_named(ns, string) != 3 ||
        content == NODE_NONE || node_named_child(ns, content) != NODE_NONE ||
        !strchr("'\"", node_text(ns, string).data[0]))
        return bytes_of("", 0);
    return node_text(ns, content);
}

/* A traced value has quotes of its own kind: {"a": b}['a']. */
static bool same_literal(const struct nodes *ns, uint32_t a, uint32_t b)
{
    struct bytes content = plain_content(ns, a);

    return names_order(node_text(ns, a), node_text(ns, b)) == 0 ||
           (content.len > 0 && names_order(content, plain_content(ns, b)) == 0);
}

void inline_index(struct draft *d, uint32_t node)
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

            if (key == NODE_NONE)
                return;
            if (!same_literal(ns, key, index))
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

/* It is copied, and such calls may stand in each other. */
#define PARTIAL_MAX 4096

/* The only argument of a call of `name`; NODE_NONE: it is none. */
static uint32_t argument_of(const struct nodes *ns, uint32_t call,
                            const char *name)
{
    uint32_t arguments = node_child_of(ns, call, NODE_ARGUMENT_LIST);

    return node_is(ns, call, NODE_CALL) && arguments != NODE_NONE &&
                   node_text_is(ns, node_field(ns, call, FIELD_function),
                                name) &&
                   count_named(ns, arguments) == 1
               ? node_named_child(ns, arguments)
               : NODE_NONE;
}

void inline_next(struct draft *d, uint32_t call)
{
    const struct nodes *ns = d->ns;
    const struct first_path all = { .n = 0 };
    uint32_t iterator = argument_of(ns, call, "next"), iterable;
    bool several, brackets;
    struct buf out;
    char *text;
    size_t len;

    if (iterator == NODE_NONE || span_len(node_span(ns, call)) > PARTIAL_MAX)
        return;
    iterable = argument_of(ns, iterator, "iter");
    if (iterable == NODE_NONE)
        iterable = iterator;
    if (!first_is_written(ns, iterable, &several) ||
        (iterable == iterator && !several)) /* next([a]) fails */
        return;
    draft_begin(d, node_span(ns, call));
    if (!several) {
        draft_narrow(d, call, first_element(ns, iterable));
        draft_end(d);
        return;
    }
    brackets = !node_is(ns, node_parent(ns, call), NODE_ASSIGNMENT);
    buf_init(&out, 2 * PARTIAL_MAX);
    buf_adds(&out, brackets ? "(" : "");
    first_add(&out, ns, iterable, &all);
    buf_adds(&out, brackets ? ")" : "");
    text = out.full ? NULL : buf_take(&out, &len);
    if (text) {
        d->carries = true;
        draft_replace_taken(d, node_span(ns, call), text, len);
        draft_end(d);
    }
    buf_deinit(&out);
}

/* The arguments of a call from `first` on that are keywords, or those that are
 * not, each with a comma in front unless it comes right behind the bracket. */
static void add_arguments(const struct nodes *ns, uint32_t first, bool keywords,
                          struct buf *out)
{
    for (uint32_t c = first; c != NODE_NONE; c = node_named_sibling(ns, c)) {
        struct bytes text = node_text(ns, c);

        if (node_is(ns, c, NODE_COMMENT) ||
            (node_is(ns, c, NODE_KEYWORD_ARGUMENT) ||
             node_is(ns, c, NODE_DICTIONARY_SPLAT)) != keywords)
            continue;
        if (buf_str(out)[out->len - 1] != '(')
            buf_adds(out, ", ");
        buf_add(out, text.data, text.len);
    }
}

void inline_partial(struct draft *d, uint32_t call)
{
    const struct nodes *ns = d->ns;
    uint32_t inner = node_field(ns, call, FIELD_function), first, second;
    uint32_t arguments = node_field(ns, call, FIELD_arguments);
    struct bytes name;
    struct buf out;
    char *text;
    size_t len;

    if (!node_is(ns, inner, NODE_CALL) ||
        !node_is(ns, arguments, NODE_ARGUMENT_LIST) ||
        span_len(node_span(ns, call)) > PARTIAL_MAX)
        return;
    first = node_field(ns, inner, FIELD_arguments);
    if (!names_is_partial(ns, inner) || !node_is(ns, first, NODE_ARGUMENT_LIST))
        return;
    first = node_named_child(ns, first);
    if (first == NODE_NONE || !is_dotted(ns, first))
        return;
    second = node_named_child(ns, arguments);
    buf_init(&out, 2 * PARTIAL_MAX + 16); /* each `,` becomes `, ` */
    name = node_text(ns, first);
    first = node_named_sibling(ns, first);
    buf_add(&out, name.data, name.len);
    buf_addc(&out, '(');
    for (int keywords = 0; keywords < 2; keywords++) {
        add_arguments(ns, first, keywords, &out);
        add_arguments(ns, second, keywords, &out);
    }
    buf_addc(&out, ')');
    text = out.full ? NULL : buf_take(&out, &len);
    if (text) {
        draft_begin(d, node_span(ns, call));
        draft_replace_taken(d, node_span(ns, call), text, len);
        draft_end(d);
    }
    buf_deinit(&out);
}
