/* A function that is handed over is called at once.
 *
 *     Thread(target=f, args=(a, b)).start()    ->  f(a, b).start()
 *     pool.submit(f, a, b=c).result()          ->  f(a, b=c).result()
 *     pool.apply_async(f, (a, b))              ->  f(a, b)
 *     list(pool.map(f, [a, b]))                ->  list(f(a))
 *     worker.start()                           ->  worker.run()
 *     asyncio.create_task(f(a))                ->  await f(a)
 *
 * What fails in f fails there, without the thread, process or pool around it,
 * and f may then move to the place of its call. Only functions of the script
 * and its methods are taken for such: of other names nobody knows whether they
 * can be called. */
#include "grammar/gen/draft.h"
#include "grammar/gen/first.h"
#include "grammar/gen/names.h"

#include <stdlib.h>
#include <string.h>

#include "config/buf.h"
#include "config/mem.h"

void gen_through(struct gen *g);

/* Who passes more has another use for them. */
#define ARGUMENTS_MAX 16

/* The most bytes of arguments written anew. */
#define TEXT_MAX 65536

struct through {
    struct draft d;
    const struct nodes *ns;
    const struct names *names;
    bool *functions; /* by symbol: a def binds it */
};

/* A call, the name of what it calls, and its arguments. */
struct handing {
    uint32_t call, name;
    uint32_t at[ARGUMENTS_MAX];
    size_t n;
};

static void find_functions(struct through *t)
{
    const struct scopes *scopes = t->d.g->scopes;

    t->functions =
        xcalloc((size_t)scopes_symbols(scopes) + 1, sizeof(*t->functions));
    for (uint32_t i = 0; i < t->ns->n; i++) {
        uint32_t name, symbol;

        if (!node_is(t->ns, i, NODE_FUNCTION))
            continue;
        name = node_field(t->ns, i, FIELD_name);
        if (name == NODE_NONE)
            continue;
        symbol = names_symbol(t->names, name);
        if (symbol != SYMBOL_NONE)
            t->functions[symbol] = true;
    }
}

static int method_order(const void *a, const void *b)
{
    return names_order(*(const struct bytes *)a, *(const struct bytes *)b);
}

static bool is_method(const struct through *t, struct bytes name)
{
    return t->names->nmethods > 0 &&
           bsearch(&name, t->names->methods, t->names->nmethods,
                   sizeof(*t->names->methods), method_order);
}

static bool is_function(const struct through *t, uint32_t node)
{
    uint32_t symbol;

    if (node_is(t->ns, node, NODE_ATTRIBUTE)) {
        uint32_t name = node_field(t->ns, node, FIELD_attribute);

        return name != NODE_NONE && is_method(t, node_text(t->ns, name));
    }
    if (!node_is(t->ns, node, NODE_IDENTIFIER))
        return false;
    symbol = names_symbol(t->names, node);
    return symbol != SYMBOL_NONE && t->functions[symbol];
}

static bool is_star(const struct nodes *ns, uint32_t argument)
{
    return node_is(ns, argument, NODE_LIST_SPLAT) ||
           node_is(ns, argument, NODE_DICTIONARY_SPLAT);
}

static bool read_handing(const struct nodes *ns, uint32_t call,
                         struct handing *h)
{
    uint32_t arguments = node_child_of(ns, call, NODE_ARGUMENT_LIST);

    h->call = call;
    h->name = node_field(ns, call, FIELD_function);
    h->n = 0;
    if (arguments == NODE_NONE || h->name == NODE_NONE)
        return false;
    if (node_is(ns, h->name, NODE_ATTRIBUTE))
        h->name = node_field(ns, h->name, FIELD_attribute);
    for (uint32_t c = node_named_child(ns, arguments); c != NODE_NONE;
         c = node_named_sibling(ns, c)) {
        if (node_is_extra(ns, c))
            continue;
        if (h->n == ARGUMENTS_MAX)
            return false;
        h->at[h->n++] = c;
    }
    return h->name != NODE_NONE;
}

/* The value of a keyword argument; NODE_NONE: there is none. */
static uint32_t keyword(const struct nodes *ns, const struct handing *h,
                        const char *name)
{
    for (size_t i = 0; i < h->n; i++)
        if (node_is(ns, h->at[i], NODE_KEYWORD_ARGUMENT) &&
            node_text_is(ns, node_field(ns, h->at[i], FIELD_name), name))
            return node_field(ns, h->at[i], FIELD_value);
    return NODE_NONE;
}

/* The elements of what is passed as `args`, each with a comma behind it. */
static void add_elements(struct buf *out, const struct nodes *ns, uint32_t args)
{
    struct bytes text = node_text(ns, args);

    if (!node_is(ns, args, NODE_TUPLE) && !node_is(ns, args, NODE_LIST)) {
        buf_adds(out, "*");
        buf_add(out, text.data, text.len);
        return;
    }
    for (uint32_t c = node_named_child(ns, args); c != NODE_NONE;
         c = node_named_sibling(ns, c)) {
        if (node_is_extra(ns, c))
            continue;
        if (c != node_named_child(ns, args))
            buf_adds(out, ", ");
        text = node_text(ns, c);
        buf_add(out, text.data, text.len);
    }
}

/* The call becomes `function(` what is in `out` `)`. */
static void offer_text(struct through *t, uint32_t call, uint32_t function,
                       struct buf *out)
{
    struct span all = node_span(t->ns, call), at = node_span(t->ns, function);
    size_t len = 0;
    char *text;

    buf_adds(out, ")");
    text = out->full ? NULL : buf_take(out, &len);
    if (!text)
        return;
    draft_begin(&t->d, all);
    t->d.carries = true;
    draft_delete(&t->d, (struct span){ all.start, at.start });
    draft_replace_taken(&t->d, (struct span){ at.end, all.end }, text, len);
    draft_end(&t->d);
}

/* As with threads and processes: `args` and `kwargs` hold what is passed.
 * torch's spawn() puts a number in front. */
static void offer_packed(struct through *t, const struct handing *h,
                         uint32_t function, uint32_t args)
{
    uint32_t more = keyword(t->ns, h, "kwargs");
    bool numbered = node_text_is(t->ns, h->name, "spawn");
    struct buf out;

    buf_init(&out, TEXT_MAX);
    buf_adds(&out, numbered ? "(0" : "(");
    if (args != NODE_NONE) {
        if (numbered)
            buf_adds(&out, ", ");
        add_elements(&out, t->ns, args);
    }
    if (more != NODE_NONE) {
        struct bytes text = node_text(t->ns, more);

        buf_adds(&out, out.len > 1 ? ", **" : "**");
        buf_add(&out, text.data, text.len);
    }
    offer_text(t, h->call, function, &out);
    buf_deinit(&out);
}

/* As map() does it: the first of each of the arguments behind. */
static void offer_first(struct through *t, const struct handing *h, size_t at,
                        bool unpacks)
{
    const struct first_path all = { .n = 0 };
    struct buf out;

    buf_init(&out, TEXT_MAX);
    buf_adds(&out, "(");
    for (size_t i = at + 1; i < h->n; i++) {
        if (!is_expression(t->ns, h->at[i]))
            break;
        buf_adds(&out, i > at + 1 ? ", " : "");
        buf_adds(&out, unpacks ? "*" : "");
        first_add(&out, t->ns, h->at[i], &all);
    }
    offer_text(t, h->call, h->at[at], &out);
    buf_deinit(&out);
}

/* What stands behind the function is passed to it as it is. */
static void offer_rest(struct through *t, const struct handing *h, size_t at)
{
    struct span all = node_span(t->ns, h->call);
    struct span function = node_span(t->ns, h->at[at]);

    draft_begin(&t->d, all);
    draft_delete(&t->d, (struct span){ all.start, function.start });
    if (at + 1 == h->n)
        draft_replaces(&t->d, (struct span){ function.end, all.end }, "()");
    else
        draft_replaces(&t->d,
                       (struct span){ function.end,
                                      node_span(t->ns, h->at[at + 1]).start },
                       "(");
    draft_end(&t->d);
}

/* Whether the name of what is called ends so. */
static bool is_called(const struct nodes *ns, const struct handing *h,
                      const char *end)
{
    struct bytes text = node_text(ns, h->name);
    size_t len = strlen(end);

    return text.len >= len && memcmp(text.data + text.len - len, end, len) == 0;
}

static void offer_positional(struct through *t, const struct handing *h,
                             size_t at)
{
    uint32_t args = keyword(t->ns, h, "args");
    uint32_t next = at + 1 < h->n ? h->at[at + 1] : NODE_NONE;

    if (is_called(t->ns, h, "map") && next != NODE_NONE) {
        offer_first(t, h, at, is_called(t->ns, h, "starmap"));
        return;
    }
    if (args != NODE_NONE) {
        offer_packed(t, h, h->at[at], args);
        return;
    }
    if (next != NODE_NONE && node_is(t->ns, next, NODE_TUPLE))
        offer_packed(t, h, h->at[at], next);
    offer_rest(t, h, at);
}

/* What is begun now and waited for later is waited for now. */
static void offer_await(struct through *t, const struct handing *h)
{
    static const char *const names[] = { "create_task", "ensure_future",
                                         "gather", "wait_for" };
    uint32_t scope = t->names->scope_of[h->call];
    struct span all = node_span(t->ns, h->call), at;
    bool known = false;

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        known |= node_text_is(t->ns, h->name, names[i]);
    if (!known || h->n == 0 || !node_is(t->ns, h->at[0], NODE_CALL) ||
        spans_lines(t->ns, h->at[0]) || !node_is(t->ns, scope, NODE_FUNCTION) ||
        node_child_of(t->ns, scope, NODE_KW_ASYNC) == NODE_NONE)
        return;
    if (!(node_is(t->ns, node_parent(t->ns, h->call), NODE_ASSIGNMENT) ||
          node_is(t->ns, node_parent(t->ns, h->call),
                  NODE_EXPRESSION_STATEMENT)))
        return;
    at = node_span(t->ns, h->at[0]);
    draft_begin(&t->d, all);
    draft_replaces(&t->d, (struct span){ all.start, at.start }, "await ");
    draft_delete(&t->d, (struct span){ at.end, all.end });
    draft_end(&t->d);
}

static void offer_handed(struct through *t, uint32_t call)
{
    struct handing h;
    uint32_t target;

    if (!read_handing(t->ns, call, &h))
        return;
    offer_await(t, &h);
    target = keyword(t->ns, &h, "target");
    if (target != NODE_NONE && is_function(t, target))
        offer_packed(t, &h, target, keyword(t->ns, &h, "args"));
    for (size_t i = 0; i < h.n && !is_star(t->ns, h.at[i]) &&
                       !node_is(t->ns, h.at[i], NODE_KEYWORD_ARGUMENT);
         i++)
        if (is_function(t, h.at[i]))
            offer_positional(t, &h, i);
    if (h.n == 0 && node_text_is(t->ns, h.name, "start") &&
        node_is(t->ns, node_parent(t->ns, h.name), NODE_ATTRIBUTE) &&
        is_method(t, (struct bytes){ "run", 3 }))
        draft_replace_edit(&t->d, node_span(t->ns, call),
                           node_span(t->ns, h.name), "run");
}

void gen_through(struct gen *g)
{
    const struct names *names = g->names;
    struct through t = { .ns = g->nodes, .names = names };

    draft_init(&t.d, g, EDIT_through);
    find_functions(&t);
    for (uint32_t i = 0; i < t.ns->n; i++)
        if (node_is(t.ns, i, NODE_CALL))
            offer_handed(&t, i);
    free(t.functions);
    draft_deinit(&t.d);
}
