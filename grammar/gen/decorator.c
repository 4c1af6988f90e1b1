/* Decorators, one by one and in runs; the arguments of one: `@f(x)` becomes
 * `@f`; and the call that one is:
 *
 *     @register            def f(x):              def f(x):
 *     def f(x):      ->        return x     or        return x
 *         return x         register(f)            f = register(f)
 *
 * for one that the file defines and that is alone there. It grows the text
 * mostly, and is a function like any other then, with an argument like any. */
#include "grammar/gen/draft.h"

#include "config/buf.h"
#include "grammar/gen/move.h"
#include "grammar/gen/names.h"

void gen_decorator(struct gen *g);

#define CALL_MAX 1024

static bool is_decorator(const struct nodes *ns, uint32_t child)
{
    return node_is(ns, child, NODE_DECORATOR);
}

/* Whether it is defined here, so that its body may go elsewhere. */
static bool is_of_file(const struct names *names, uint32_t expression)
{
    const struct nodes *ns = names->ns;
    uint32_t name = node_is(ns, expression, NODE_CALL)
                        ? node_field(ns, expression, FIELD_function)
                        : expression;
    uint32_t symbol = node_is(ns, name, NODE_IDENTIFIER)
                          ? names_symbol(names, name)
                          : SYMBOL_NONE;

    return symbol != SYMBOL_NONE && !names->imported[symbol] &&
           symbol_bound(names->scopes, symbol);
}

static void call_instead(struct draft *d, uint32_t decorated)
{
    const struct nodes *ns = d->ns;
    const struct names *names = d->g->names;
    uint32_t decorator = node_named_child(ns, decorated);
    uint32_t function = last_named_child(ns, decorated), name, called;
    struct span at = node_span(ns, decorated), indent;
    struct bytes words;
    struct buf out;
    char *text;
    size_t loads, len;

    if (count_named(ns, decorated) != 2 || !starts_line(ns, decorated))
        return;
    name = node_field(ns, function, FIELD_name);
    called = node_named_child(ns, decorator);
    if (name == NODE_NONE || called == NODE_NONE || !is_of_file(names, called))
        return;
    indent = statement_indent(ns, decorated);
    buf_init(&out, CALL_MAX);
    buf_adds(&out, newline_of(ns->text));
    buf_add(&out, ns->text.data + indent.start, span_len(indent));
    words = node_text(ns, name);
    names_writes(names, names_symbol(names, name), &loads);
    if (loads > 0 || node_is(ns, names->scope_of[decorated], NODE_CLASS))
        buf_addf(&out, "%.*s = ", (int)words.len, words.data);
    buf_add(&out, node_text(ns, called).data, node_text(ns, called).len);
    buf_addf(&out, "(%.*s)", (int)words.len, words.data);
    text = out.full ? NULL : buf_take(&out, &len);
    if (text) {
        draft_begin(d, at);
        draft_delete(d,
                     (struct span){ at.start, node_span(ns, function).start });
        draft_replace_taken(d, (struct span){ at.end, at.end }, text, len);
        draft_end(d);
    }
    buf_deinit(&out);
}

static void without_arguments(struct draft *d, uint32_t decorator)
{
    uint32_t call = node_named_child(d->ns, decorator), args = NODE_NONE;

    if (node_is(d->ns, call, NODE_CALL))
        args = node_field(d->ns, call, FIELD_arguments);
    if (args != NODE_NONE)
        draft_delete_edit(d, node_span(d->ns, args), node_span(d->ns, args));
}

void gen_decorator(struct gen *g)
{
    struct draft d;

    draft_init(&d, g, EDIT_decorator);
    for (uint32_t i = 0; i < d.ns->n; i++) {
        if (node_is(d.ns, i, NODE_DECORATED)) {
            if (!g->pumps)
                draft_series(&d, i, is_decorator, NULL, true);
            call_instead(&d, i);
        } else if (node_is(d.ns, i, NODE_DECORATOR)) {
            without_arguments(&d, i);
        }
    }
    draft_deinit(&d);
}
