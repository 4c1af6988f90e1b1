/* Parameters with their arguments, fields of data classes likewise.
 *
 * A parameter that nobody uses goes together with its argument at every call.
 * One that is used goes when all calls pass the same simple value: the value
 * takes the place of each use. Calls that splat keep their arguments, and the
 * oracle says whether that works. What `*names` takes from the only call is put
 * at its use as a tuple, `f(*xs)` as xs alone. A field of a dataclass or
 * NamedTuple is a parameter of the constructor whose uses are `.field`.
 *
 * What `forward` of a torch.autograd.Function takes is passed to apply(); with
 * a parameter goes what `backward` returns for it.
 *
 * What a call splats is often written down as a configuration, {"heads": 4}:
 * one that nobody uses goes together with all the pairs of that key, too. */
#include "grammar/gen/draft.h"
#include "grammar/gen/names.h"

#include <stdlib.h>
#include <string.h>

#include "config/buf.h"
#include "config/mem.h"

void gen_parameter(struct gen *g);

/* One parameter or field, whatever it belongs to. */
struct formal {
    uint32_t name, value;
    enum param_kind kind;
    uint32_t index; /* its place in a call */
};

/* A pair of a display with a string for its key. */
struct keyed {
    struct bytes key;
    uint32_t pair;
};

struct keys {
    struct keyed *at; /* sorted by key, then pair */
    size_t n, room;
};

/* More pairs of one key are no configuration. */
#define KEYS_MAX 16

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    int order = names_order(x->key, y->key);

    if (order)
        return order;
    return x->pair < y->pair ? -1 : x->pair > y->pair;
}

static void find_keys(struct keys *keys, const struct nodes *ns)
{
    for (uint32_t i = 0; i < ns->n; i++) {
        uint32_t key, content;

        if (!node_is(ns, i, NODE_PAIR))
            continue;
        key = node_field(ns, i, FIELD_key);
        content = node_child_of(ns, key, NODE_STRING_CONTENT);
        if (!node_is(ns, key, NODE_STRING) || content == NODE_NONE)
            continue;
        xgrow(&keys->at, &keys->room, keys->n + 1, sizeof(*keys->at));
        keys->at[keys->n++] = (struct keyed){ node_text(ns, content), i };
    }
    if (keys->n > 1)
        qsort(keys->at, keys->n, sizeof(*keys->at), by_key);
}

/* Drop an argument node from its list, or a pair from its display. */
static void drop_argument(struct draft *d, uint32_t argument)
{
    struct span at = node_span(d->ns, argument);
    struct item *items;
    size_t n = items_of(d->ns, node_parent(d->ns, argument), NULL, &items);

    for (size_t i = 0; i < n; i++)
        items[i].stays = items[i].cover.start != at.start;
    draft_drop_items(d, items, n);
    free(items);
}

/* Drop an element of all series that `backward` returns. */
static void drop_gradients(struct draft *d, uint32_t class, uint32_t index)
{
    const struct nodes *ns = d->ns;
    uint32_t function = class_method(ns, class, "backward");

    for (uint32_t i = function;
         function != NODE_NONE && i < ns->at[function].past; i++) {
        uint32_t series =
            node_is(ns, i, NODE_RETURN) ? node_named_child(ns, i) : NODE_NONE;

        if (node_is(ns, series, NODE_EXPRESSION_LIST) ||
            node_is(ns, series, NODE_TUPLE)) {
            uint32_t c = node_named_child(ns, series);

            for (uint32_t k = 0; k < index && c != NODE_NONE; k++)
                c = node_named_sibling(ns, c);
            if (c != NODE_NONE)
                drop_argument(d, c);
        }
    }
}

static void drop_arguments(struct draft *d, const struct callee *callee,
                           const struct formal *f)
{
    struct bytes name = node_text(d->ns, f->name);

    for (size_t i = 0; i < callee->nsites; i++) {
        bool unknown;
        uint32_t argument = site_argument(d->ns, &callee->sites[i], f->kind,
                                          f->index, name, &unknown);

        if (argument != NODE_NONE && f->kind < PARAM_STAR)
            drop_argument(d, argument);
    }
    if (callee->applied != NODE_NONE && f->kind < PARAM_STAR)
        drop_gradients(d, callee->applied, f->index);
}

/* Drop the pairs of this key; false when there are none, or too many, or two in
 * one display. */
static bool drop_pairs(struct draft *d, const struct keys *keys, uint32_t name)
{
    struct keyed first = { node_text(d->ns, name), 0 };
    size_t low, n = 0;
    uint32_t display = NODE_NONE;

    BISECT(low, 0, keys->n, by_key(&keys->at[low], &first) < 0);
    for (; low + n < keys->n; n++) {
        const struct keyed *k = &keys->at[low + n];

        if (names_order(k->key, first.key) != 0)
            break;
        if (n == KEYS_MAX || node_parent(d->ns, k->pair) == display)
            return false;
        display = node_parent(d->ns, k->pair);
        drop_argument(d, k->pair);
    }
    return n > 0;
}

/* `/` goes with the last before it, a bare `*` with the last behind it. */
static void drop_param(struct draft *d, const struct param *p)
{
    const struct nodes *ns = d->ns;
    uint32_t list = node_parent(ns, p->node), c;
    struct item *items;
    size_t n = items_of(ns, list, NULL, &items), at = 0;

    for (size_t i = 0; i < n; i++) {
        items[i].stays = items[i].cover.start != node_span(ns, p->node).start;
        if (!items[i].stays)
            at = i;
    }
    c = node_named_sibling(ns, p->node);
    if (at == 0 && c != NODE_NONE && node_is(ns, c, NODE_POSITIONAL_SEPARATOR))
        items[1].stays = false;
    if (at > 0 &&
        (c == NODE_NONE || node_is(ns, c, NODE_DICTIONARY_SPLAT_PATTERN)) &&
        node_at(ns, items[at - 1].cover.start, NODE_KEYWORD_SEPARATOR) !=
            NODE_NONE)
        items[at - 1].stays = false;
    draft_drop_items(d, items, n);
    free(items);
}

static bool same_text(const struct nodes *ns, uint32_t a, uint32_t b)
{
    return names_order(node_text(ns, a), node_text(ns, b)) == 0;
}

/* What every call passes, or NODE_NONE. */
static uint32_t common_value(const struct nodes *ns,
                             const struct callee *callee,
                             const struct formal *f)
{
    uint32_t common = NODE_NONE;
    struct bytes name = node_text(ns, f->name);

    if (f->kind >= PARAM_STAR)
        return NODE_NONE;
    for (size_t i = 0; i < callee->nsites; i++) {
        bool unknown;
        uint32_t argument = site_argument(ns, &callee->sites[i], f->kind,
                                          f->index, name, &unknown);
        uint32_t value =
            argument == NODE_NONE ? f->value : argument_value(ns, argument);

        if (unknown || value == NODE_NONE ||
            (common != NODE_NONE && !same_text(ns, common, value)))
            return NODE_NONE;
        common = value;
    }
    return callee->nsites ? common : f->value;
}

/* Whether a value may stand for a use: a literal, or names that mean the same
 * there. What is not cheap must be `single`: evaluated once before and after.
 * Inside of an f-string no quotes and no backslash. */
static bool may_stand(const struct names *names, uint32_t value, uint32_t use,
                      bool single)
{
    const struct nodes *ns = names->ns;

    if (!names_fit_string(ns, node_text(ns, value), use))
        return false;
    if (is_literal(ns, value))
        return true;
    return (is_dotted(ns, value) || (single && is_expression(ns, value))) &&
           names_mean_same(names, value, names->scope_of[use]);
}

/* Put the value at each use of the parameter; false when one resists. */
static bool put_at_uses(struct draft *d, const struct names *names,
                        uint32_t name, uint32_t value, bool once)
{
    size_t n;
    uint32_t scope = names->scope_of[name];
    const struct occurrence *at =
        symbol_occurrences(names->scopes, names_symbol(names, name), &n);

    for (size_t i = 0; i < n; i++) {
        uint32_t use = names_node(names, at[i].at);

        if (at[i].at.start == node_span(names->ns, name).start)
            continue;
        if (at[i].role != OCC_LOAD || use == NODE_NONE ||
            !is_expression(names->ns, use) ||
            !may_stand(names, value, use,
                       once && n == 2 && names->scope_of[use] == scope))
            return false;
        draft_put(d, use, value);
    }
    return true;
}

static bool is_used(const struct names *names, uint32_t name)
{
    return symbol_occurs(names->scopes, names_symbol(names, name), OCC_USED);
}

static struct formal formal_of(const struct callee *callee,
                               const struct param *p)
{
    return (struct formal){ p->name, p->value, p->kind,
                            p->index - (callee->bound ? 1 : 0) };
}

static void unused(struct draft *d, const struct names *names,
                   const struct callee *callee, const struct param *params,
                   size_t n)
{
    edits_list_begin(d->g->out, "", true);
    for (size_t i = callee->bound; i < n; i++) {
        struct formal f = formal_of(callee, &params[i]);

        if (is_used(names, params[i].name))
            continue;
        draft_begin(d, node_span(d->ns, params[i].node));
        drop_param(d, &params[i]);
        drop_arguments(d, callee, &f);
        draft_end(d);
    }
    edits_list_end(d->g->out);
}

/* The same one by one, with the keys that it may be passed by. */
static void unused_key(struct draft *d, const struct names *names,
                       const struct callee *callee, const struct keys *keys,
                       const struct param *p)
{
    struct formal f = formal_of(callee, p);

    if (is_used(names, p->name) || p->kind >= PARAM_STAR)
        return;
    draft_begin(d, node_span(d->ns, p->node));
    drop_param(d, p);
    drop_arguments(d, callee, &f);
    if (drop_pairs(d, keys, p->name))
        draft_end(d);
}

static void constant(struct draft *d, const struct names *names,
                     const struct callee *callee, const struct param *p)
{
    struct formal f = formal_of(callee, p);
    uint32_t value = common_value(d->ns, callee, &f);

    if (value == NODE_NONE || !is_used(names, p->name))
        return;
    draft_begin(d, node_span(d->ns, p->node));
    if (!put_at_uses(d, names, p->name, value,
                     callee->nsites == 1 && !callee->sites[0].partial))
        return;
    drop_param(d, p);
    drop_arguments(d, callee, &f);
    draft_end(d);
}

static void drop_taken(struct draft *d, const struct taken *taken)
{
    struct item *items;
    size_t n = items_of(d->ns, taken->list, NULL, &items);

    if (taken->n > 0) {
        struct span at = nodes_span(d->ns, taken->first, taken->last);

        for (size_t i = 0; i < n; i++)
            items[i].stays = items[i].cover.start < at.start ||
                             items[i].cover.start >= at.end;
        draft_drop_items(d, items, n);
    }
    free(items);
}

/* Put what is taken in the place of a use. */
static void put_taken(struct draft *d, const struct taken *taken, uint32_t use)
{
    const struct nodes *ns = d->ns;
    struct buf text;
    struct bytes made;
    size_t len;

    if (taken->n == 1 && node_is(ns, taken->first, NODE_LIST_SPLAT)) {
        if (!names_fit_string(ns, node_text(ns, taken->first), use))
            draft_spoil(d);
        draft_put(d, use, node_named_child(ns, taken->first));
        return;
    }
    buf_init(&text, UINT32_MAX);
    buf_addc(&text, '(');
    if (taken->n > 0) {
        made = nodes_text(ns, taken->first, taken->last);
        buf_add(&text, made.data, made.len);
    }
    buf_adds(&text, taken->n == 1 ? ",)" : ")");
    made = bytes_of(text.data, text.len);
    if (!names_fit_string(ns, made, use))
        draft_spoil(d);
    len = text.len;
    draft_replace_taken(d, node_span(ns, use), buf_take(&text, NULL), len);
}

/* The only use of the parameter, when all that is taken means the same there;
 * else NODE_NONE. */
static uint32_t use_of_taken(const struct names *names, uint32_t name,
                             const struct taken *taken)
{
    const struct nodes *ns = names->ns;
    size_t n;
    const struct occurrence *at =
        symbol_occurrences(names->scopes, names_symbol(names, name), &n);
    uint32_t use;

    if (n != 2 || at[1].role != OCC_LOAD)
        return NODE_NONE;
    use = names_node(names, at[1].at);
    if (use == NODE_NONE || !is_expression(ns, use) ||
        names->scope_of[use] != names->scope_of[name])
        return NODE_NONE;
    for (uint32_t c = taken->first; c != NODE_NONE;
         c = c == taken->last ? NODE_NONE : node_named_sibling(ns, c))
        if (!names_mean_same(names, c, names->scope_of[use]))
            return NODE_NONE;
    return use;
}

static void star(struct draft *d, const struct names *names,
                 const struct callee *callee, const struct param *p)
{
    struct taken taken;
    uint32_t use;

    if (p->kind != PARAM_STAR || callee->escapes || callee->nsites != 1 ||
        !find_taken(d->ns, callee->sites[0].arguments,
                    p->index - (callee->bound ? 1 : 0), &taken))
        return;
    use = use_of_taken(names, p->name, &taken);
    if (use == NODE_NONE)
        return;
    draft_begin(d, node_span(d->ns, p->node));
    put_taken(d, &taken, use);
    drop_param(d, p);
    drop_taken(d, &taken);
    draft_end(d);
}

static void function(struct draft *d, const struct names *names,
                     const struct keys *keys, uint32_t node)
{
    struct callee callee;
    struct param *params;
    size_t n = params_of(d->ns, node, &params);

    callee_init(&callee, names, node);
    callee_add_partials(&callee, names);
    if (n <= PARAMS_MAX)
        unused(d, names, &callee, params, n);
    for (size_t i = callee.bound; i < n && n <= PARAMS_MAX; i++) {
        constant(d, names, &callee, &params[i]);
        star(d, names, &callee, &params[i]);
        unused_key(d, names, &callee, keys, &params[i]);
    }
    callee_deinit(&callee);
    free(params);
}

/* Fields. */

static bool mentions(const struct nodes *ns, uint32_t node, const char *word)
{
    for (uint32_t i = node; i < ns->at[node].past; i++)
        if (node_is(ns, i, NODE_IDENTIFIER) && node_text_is(ns, i, word))
            return true;
    return false;
}

static bool has_fields(const struct nodes *ns, uint32_t class)
{
    uint32_t bases = node_field(ns, class, FIELD_superclasses);
    uint32_t parent = node_parent(ns, class);

    if (bases != NODE_NONE && mentions(ns, bases, "NamedTuple"))
        return true;
    if (!node_is(ns, parent, NODE_DECORATED))
        return false;
    for (uint32_t c = node_named_child(ns, parent);
         c != NODE_NONE && c != class; c = node_named_sibling(ns, c))
        if (node_is(ns, c, NODE_DECORATOR) && mentions(ns, c, "dataclass"))
            return true;
    return false;
}

/* The assignment `name: type [= value]` that a statement is, or NODE_NONE. */
static uint32_t field_of(const struct nodes *ns, uint32_t statement)
{
    uint32_t node = node_named_child(ns, statement);

    if (!node_is(ns, statement, NODE_EXPRESSION_STATEMENT) ||
        !node_is(ns, node, NODE_ASSIGNMENT) ||
        node_field(ns, node, FIELD_type) == NODE_NONE ||
        !node_is(ns, node_field(ns, node, FIELD_left), NODE_IDENTIFIER))
        return NODE_NONE;
    return node;
}

/* Put the value at each `.field`; false when one is a target or resists. */
static bool put_at_attributes(struct draft *d, const struct names *names,
                              uint32_t name, uint32_t value)
{
    const struct nodes *ns = d->ns;
    size_t n;
    const struct span *at =
        scopes_attributes(names->scopes, node_text(ns, name), &n);

    for (size_t i = 0; i < n; i++) {
        uint32_t node = names_node(names, at[i]);
        uint32_t use = node == NODE_NONE ? NODE_NONE : node_parent(ns, node);

        if (use == NODE_NONE || !is_expression(ns, use) || value == NODE_NONE ||
            !may_stand(names, value, use, false))
            return false;
        draft_put(d, use, value);
    }
    return true;
}

/* A field goes; with keys (or NULL) that it may be passed by. */
static void drop_field(struct draft *d, const struct names *names,
                       const struct callee *callee, const struct formal *f,
                       const struct keys *keys, uint32_t statement)
{
    draft_begin(d, node_span(d->ns, statement));
    if (!put_at_attributes(d, names, f->name, common_value(d->ns, callee, f)))
        return;
    draft_drop_statement(d, statement);
    drop_arguments(d, callee, f);
    if (!keys || drop_pairs(d, keys, f->name))
        draft_end(d);
}

static void fields(struct draft *d, const struct names *names,
                   const struct keys *keys, uint32_t class)
{
    const struct nodes *ns = d->ns;
    struct callee callee;
    struct formal f = { .kind = PARAM_PLAIN };
    uint32_t body = node_field(ns, class, FIELD_body);

    if (body == NODE_NONE || !has_fields(ns, class))
        return;
    callee_init(&callee, names, class);
    for (uint32_t s = node_named_child(ns, body);
         s != NODE_NONE && f.index < PARAMS_MAX;
         s = node_named_sibling(ns, s)) {
        uint32_t field = field_of(ns, s);

        if (field == NODE_NONE)
            continue;
        f.name = node_field(ns, field, FIELD_left);
        f.value = node_field(ns, field, FIELD_right);
        drop_field(d, names, &callee, &f, NULL, s);
        drop_field(d, names, &callee, &f, keys, s);
        f.index++;
    }
    callee_deinit(&callee);
}

void gen_parameter(struct gen *g)
{
    const struct names *names = g->names;
    struct keys keys = { 0 };
    struct draft d;

    draft_init(&d, g, EDIT_parameter);
    find_keys(&keys, g->nodes);
    for (uint32_t i = 0; i < d.ns->n; i++) {
        if (node_is(d.ns, i, NODE_FUNCTION))
            function(&d, names, &keys, i);
        else if (node_is(d.ns, i, NODE_CLASS))
            fields(&d, names, &keys, i);
    }
    draft_deinit(&d);
    free(keys.at);
}
