/* Positional arguments of calls, one by one and in runs; and `*` or `**` of a
 * display written out in its place: f(*(a, b)) is f(a, b), f(**{"a": b}) is
 * f(a=b). f(*g(a, b)) becomes f(a, b), too, as if g made a tuple of them.
 *
 * Where the function stands in the file and asks for each of them, none can go
 * but with its parameter (parameter.c): those calls are left out. One that
 * passes too few, or what fits no parameter, may be the fault, and is not. */
#include "grammar/gen/draft.h"

#include <stdlib.h>

#include "config/mem.h"
#include "grammar/gen/names.h"
#include "grammar/kernel.h"

void gen_argument(struct gen *g);

static bool is_positional(const struct nodes *ns, uint32_t child)
{
    return !node_is(ns, child, NODE_KEYWORD_ARGUMENT) &&
           !node_is(ns, child, NODE_DICTIONARY_SPLAT);
}

/* The arguments of a call that may make one thing of several. */
static uint32_t several_arguments(const struct nodes *ns, uint32_t call)
{
    uint32_t arguments = node_child_of(ns, call, NODE_ARGUMENT_LIST);

    if (!node_is(ns, call, NODE_CALL) || arguments == NODE_NONE ||
        count_named(ns, arguments) < 2)
        return NODE_NONE;
    for (uint32_t c = node_named_child(ns, arguments); c != NODE_NONE;
         c = node_named_sibling(ns, c))
        if (!is_positional(ns, c))
            return NODE_NONE;
    return arguments;
}

/* The display or dict() call whose brackets a splat can lose. */
static uint32_t splat_display(const struct nodes *ns, uint32_t splat)
{
    uint32_t inner = node_named_child(ns, splat), name;

    if (inner == NODE_NONE)
        return NODE_NONE;
    if (node_is(ns, splat, NODE_LIST_SPLAT))
        return node_is(ns, inner, NODE_TUPLE) || node_is(ns, inner, NODE_LIST)
                   ? inner
                   : several_arguments(ns, inner);
    if (!node_is(ns, inner, NODE_CALL))
        return NODE_NONE;
    name = node_field(ns, inner, FIELD_function);
    if (name == NODE_NONE || !node_text_is(ns, name, "dict"))
        return NODE_NONE;
    return node_child_of(ns, inner, NODE_ARGUMENT_LIST);
}

/* Keep what stands between the first and the last element. */
static void write_out(struct draft *d, uint32_t splat)
{
    uint32_t display = splat_display(d->ns, splat), first, last;
    struct span at = node_span(d->ns, splat);

    if (display == NODE_NONE)
        return;
    first = node_named_child(d->ns, display);
    last = last_named_child(d->ns, display);
    if (first == NODE_NONE)
        return;
    draft_begin(d, at);
    draft_delete(d, (struct span){ at.start, node_span(d->ns, first).start });
    draft_delete(d, (struct span){ node_span(d->ns, last).end, at.end });
    draft_end(d);
}

/* The text of a plain string that may be a keyword's name; empty else. */
static struct bytes keyword_name(const struct nodes *ns, uint32_t string)
{
    uint32_t start = node_child_of(ns, string, NODE_STRING_START);
    uint32_t content = node_child_of(ns, string, NODE_STRING_CONTENT);
    struct bytes name = bytes_of("", 0);

    if (!node_is(ns, string, NODE_STRING) || start == NODE_NONE ||
        content == NODE_NONE || span_len(node_span(ns, start)) != 1)
        return name;
    name = node_text(ns, content);
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.data[i];

        if (!(c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
              (i > 0 && c >= '0' && c <= '9')))
            return bytes_of("", 0);
    }
    return name;
}

/* f(**{"a": 1, "b": 2}) is f(a=1, b=2). */
static void write_keywords(struct draft *d, uint32_t splat)
{
    uint32_t display = node_named_child(d->ns, splat), last = NODE_NONE;
    struct span at = node_span(d->ns, splat);
    uint32_t from = at.start;

    if (display == NODE_NONE || !node_is(d->ns, display, NODE_DICTIONARY) ||
        node_named_child(d->ns, display) == NODE_NONE)
        return;
    draft_begin(d, at);
    for (uint32_t c = node_named_child(d->ns, display); c != NODE_NONE;
         c = node_named_sibling(d->ns, c)) {
        uint32_t key = node_field(d->ns, c, FIELD_key);
        struct bytes name = bytes_of("", 0);

        last = node_field(d->ns, c, FIELD_value);
        if (node_is(d->ns, c, NODE_PAIR) && key != NODE_NONE)
            name = keyword_name(d->ns, key);
        if (name.len == 0 || last == NODE_NONE) {
            draft_spoil(d);
            break;
        }
        if (from != at.start)
            from = node_span(d->ns, key).start;
        draft_replace_taken(
            d, (struct span){ from, node_span(d->ns, last).start },
            xasprintf("%.*s=", (int)name.len, name.data), name.len + 1);
        from = node_span(d->ns, last).end;
    }
    if (last != NODE_NONE)
        draft_delete(d, (struct span){ node_span(d->ns, last).end, at.end });
    draft_end(d);
}

/* Whether a function's own parameters are what its calls must pass. Methods
 * are known by their name alone, and other objects may have one, too. */
static bool is_as_written(const struct names *names,
                          const struct callee *callee)
{
    const struct nodes *ns = names->ns;
    uint32_t name = node_field(ns, callee->function, FIELD_name);
    size_t loads;

    if (name == NODE_NONE || !node_is(ns, callee->function, NODE_FUNCTION) ||
        (callee->statement != callee->function &&
         !(count_named(ns, callee->statement) == 2 &&
           kernel_is(ns, callee->statement))))
        return false;
    if (callee->method)
        return node_text_is(ns, name, "__init__");
    return names_writes(names, names_symbol(names, name), &loads) == 1;
}

/* How many parameters must be passed; SIZE_MAX: not known. */
static size_t count_asked(const struct callee *callee,
                          const struct param *params, size_t n)
{
    size_t asked = 0;

    if (n > PARAMS_MAX)
        return SIZE_MAX;
    for (size_t i = callee->bound ? 1 : 0; i < n; i++) {
        if (params[i].kind >= PARAM_STAR)
            return SIZE_MAX;
        asked += params[i].value == NODE_NONE;
    }
    return asked;
}

/* The parameter that a keyword argument is for; n: none. */
static size_t param_named(const struct nodes *ns, const struct param *params,
                          size_t n, uint32_t keyword)
{
    struct bytes name = node_text(ns, node_field(ns, keyword, FIELD_name));

    for (size_t i = 0; i < n; i++)
        if (names_order(node_text(ns, params[i].name), name) == 0)
            return i;
    return n;
}

/* Whether a call passes each parameter once and nothing that fits none, but
 * for the options of a kernel's launch. `first` is the first to be passed. */
static bool passes_all(const struct nodes *ns, const struct param *params,
                       size_t n, size_t first, size_t asked, bool launch,
                       uint32_t arguments)
{
    size_t passed = 0, next = first;

    for (uint32_t c = node_named_child(ns, arguments); c != NODE_NONE;
         c = node_named_sibling(ns, c)) {
        size_t i;

        if (node_is(ns, c, NODE_LIST_SPLAT) ||
            node_is(ns, c, NODE_DICTIONARY_SPLAT))
            return false;
        if (!node_is(ns, c, NODE_KEYWORD_ARGUMENT)) {
            if (next >= n || params[next].kind == PARAM_NAMED)
                return false;
            next++;
        } else {
            i = param_named(ns, params, n, c);
            if (i == n && launch)
                continue;
            if (i == n || i < next || params[i].kind == PARAM_POSITIONAL)
                return false;
        }
        passed++;
    }
    return passed == asked;
}

static void mark_calls(const struct names *names, uint32_t function, bool *full)
{
    const struct nodes *ns = names->ns;
    struct callee callee;
    struct param *params;
    size_t n = params_of(ns, function, &params), asked;

    callee_init(&callee, names, function);
    asked = count_asked(&callee, params, n);
    if (asked != SIZE_MAX && is_as_written(names, &callee))
        for (size_t i = 0; i < callee.nsites; i++)
            full[callee.sites[i].arguments] = passes_all(
                ns, params, n, callee.bound ? 1 : 0, asked,
                callee.statement != callee.function, callee.sites[i].arguments);
    callee_deinit(&callee);
    free(params);
}

/* By node: an argument list of which nothing can go. Caller frees. */
static bool *find_full(const struct gen *g)
{
    const struct names *names = g->names;
    bool *full = xcalloc((size_t)g->nodes->n + 1, sizeof(*full));

    for (uint32_t i = 0; i < g->nodes->n; i++)
        if (node_is(g->nodes, i, NODE_FUNCTION))
            mark_calls(names, i, full);
    return full;
}

void gen_argument(struct gen *g)
{
    struct draft d;
    bool *full = find_full(g);

    draft_init(&d, g, EDIT_argument);
    for (uint32_t i = 0; i < d.ns->n; i++) {
        if (node_is(d.ns, i, NODE_LIST_SPLAT) ||
            node_is(d.ns, i, NODE_DICTIONARY_SPLAT))
            write_out(&d, i);
        if (node_is(d.ns, i, NODE_DICTIONARY_SPLAT) &&
            node_is(d.ns, node_parent(d.ns, i), NODE_ARGUMENT_LIST))
            write_keywords(&d, i);
        if (node_is(d.ns, i, NODE_ARGUMENT_LIST) && !full[i] &&
            node_is(d.ns, node_parent(d.ns, i), NODE_CALL))
            draft_series(&d, i, is_positional, "", true);
    }
    draft_deinit(&d);
    free(full);
}
