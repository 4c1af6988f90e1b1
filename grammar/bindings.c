/* Two arrays: `refs`, each place where a name stands, in text order, and
 * `names`, how often each is bound and used in the present text. A patch is
 * looked up by its spans; what it takes from each name is counted there, and
 * taken back at the end by the list of names that were touched. */
#include "grammar/bindings.h"

#include <stdlib.h>
#include <string.h>

#include "config/base.h"
#include "config/mem.h"
#include "grammar/gen/names.h"
#include "grammar/node.h"
#include "grammar/scope.h"

struct ref {
    uint32_t name;
    bool binds;
    bool gone;
};

struct count {
    uint32_t binds, uses;
};

struct name {
    const char *text;
    size_t len;
    struct count all, cut; /* cut: by the patch at hand */
};

/* The texts of all names, for all copies. */
struct texts {
    unsigned refs; /* besides the first */
    char data[];
};

struct bindings {
    struct ref *refs; /* sorted by place */
    struct span *places;
    size_t nrefs;
    struct name *names;
    size_t nnames;
    struct texts *texts;
    uint32_t *touched;
};

/* While it is built. `text` tells attributes apart until they are numbered;
 * symbols have their numbers already. */
struct found {
    struct span at;
    struct bytes text; /* of an attribute; NULL: a symbol */
    uint32_t name;
    bool binds;
};

struct finder {
    const struct nodes *ns;
    struct found *items;
    size_t n, room;
    char *options; /* names of options, which stand nowhere as such */
};

static void add(struct finder *f, struct span at, struct bytes text,
                uint32_t name, bool binds)
{
    xgrow(&f->items, &f->room, f->n + 1, sizeof(*f->items));
    f->items[f->n++] =
        (struct found){ .at = at, .text = text, .name = name, .binds = binds };
}

static void add_symbols(struct finder *f, const struct scopes *scopes)
{
    for (uint32_t s = 0; s < scopes_symbols(scopes); s++) {
        const struct occurrence *occurrences;
        size_t n;

        if (!symbol_bound(scopes, s))
            continue;
        occurrences = symbol_occurrences(scopes, s, &n);
        for (size_t i = 0; i < n; i++)
            if (occurrences[i].role != OCC_DECLARE)
                add(f, occurrences[i].at, bytes_of(NULL, 0), s,
                    occurrences[i].role == OCC_BIND);
    }
}

/* Whether the identifier is bound as a member of a class: the name of a method
 * or the target of an assignment in the class's body. */
static bool is_member(const struct nodes *ns, uint32_t identifier)
{
    uint32_t up = node_parent(ns, identifier), statement;

    if (node_is(ns, up, NODE_FUNCTION)
            ? ns->at[identifier].field != FIELD_name
            : !node_is(ns, up, NODE_ASSIGNMENT) ||
                  ns->at[identifier].field != FIELD_left)
        return false;
    statement = node_statement(ns, identifier);
    if (statement == NODE_NONE) /* in a text with errors */
        return false;
    up = node_parent(ns, statement);
    return node_is(ns, up, NODE_BLOCK) &&
           node_is(ns, node_parent(ns, up), NODE_CLASS);
}

static void add_identifier(struct finder *f, uint32_t identifier)
{
    const struct nodes *ns = f->ns;
    uint32_t up = node_parent(ns, identifier);
    struct span at = node_span(ns, identifier);
    struct bytes text = node_text(ns, identifier);

    if (node_is(ns, up, NODE_ATTRIBUTE) &&
        ns->at[identifier].field == FIELD_attribute)
        add(f, at, text, 0,
            node_is(ns, node_parent(ns, up), NODE_ASSIGNMENT) &&
                ns->at[up].field == FIELD_left);
    else if (node_is(ns, up, NODE_KEYWORD_ARGUMENT) &&
             ns->at[identifier].field == FIELD_name)
        add(f, at, text, 0, false);
    else if (is_member(ns, identifier))
        add(f, at, text, 0, true);
}

/* p.add_argument("--name") binds args.name; its span is that of the string. */
static void add_option(struct finder *f, uint32_t call)
{
    uint32_t function = node_field(f->ns, call, FIELD_function);
    uint32_t arguments = node_field(f->ns, call, FIELD_arguments);
    struct bytes name;

    if (!node_is(f->ns, function, NODE_ATTRIBUTE) ||
        !node_text_is(f->ns, node_field(f->ns, function, FIELD_attribute),
                      "add_argument") ||
        !node_is(f->ns, arguments, NODE_ARGUMENT_LIST))
        return;
    name.data = f->options;
    if (!option_name(f->ns, arguments, f->options,
                     span_len(node_span(f->ns, arguments)), &name.len))
        return;
    f->options += name.len;
    add(f, node_span(f->ns, arguments), name, 0, true);
}

static void find(struct finder *f, const struct scopes *scopes)
{
    add_symbols(f, scopes);
    for (uint32_t i = 0; i < f->ns->n; i++) {
        if (node_is(f->ns, i, NODE_IDENTIFIER))
            add_identifier(f, i);
        else if (node_is(f->ns, i, NODE_CALL))
            add_option(f, i);
    }
}

static int by_text(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    size_t len = x->text.len < y->text.len ? x->text.len : y->text.len;
    int order;

    if (!x->text.data || !y->text.data)
        return (x->text.data != NULL) - (y->text.data != NULL);
    order = memcmp(x->text.data, y->text.data, len);
    if (order)
        return order;
    return (x->text.len > y->text.len) - (x->text.len < y->text.len);
}

static int by_place(const void *a, const void *b)
{
    const struct found *x = a, *y = b;

    if (x->at.start != y->at.start)
        return x->at.start < y->at.start ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

/* Attributes get the numbers after those of the symbols. */
static uint32_t number(struct finder *f, uint32_t symbols)
{
    uint32_t n = symbols;

    if (f->n > 0)
        qsort(f->items, f->n, sizeof(*f->items), by_text);
    for (size_t i = 0; i < f->n; i++) {
        if (!f->items[i].text.data)
            continue;
        if (i > 0 && by_text(&f->items[i - 1], &f->items[i]) != 0)
            n++;
        else if (i == 0)
            n++;
        f->items[i].name = n - 1;
    }
    return n;
}

static void keep(struct bindings *b, const struct found *found)
{
    struct name *name = &b->names[found->name];

    b->refs[b->nrefs] =
        (struct ref){ .name = found->name, .binds = found->binds };
    b->places[b->nrefs++] = found->at;
    if (found->binds)
        name->all.binds++;
    else
        name->all.uses++;
}

/* The names' own texts, to find them in what a patch inserts. */
static void name_texts(struct bindings *b, const struct finder *f,
                       const struct scopes *scopes)
{
    size_t size = 0;
    char *to;

    for (size_t i = 0; i < f->n; i++) {
        struct name *name = &b->names[f->items[i].name];
        struct bytes text = f->items[i].text;

        if (name->text)
            continue;
        if (!text.data)
            text = symbol_name(scopes, f->items[i].name);
        name->text = text.data;
        name->len = text.len;
        size += text.len;
    }
    b->texts = xcalloc(1, sizeof(*b->texts) + size);
    to = b->texts->data;
    for (size_t i = 0; i < b->nnames; i++) {
        struct name *name = &b->names[i];

        if (name->len > 0)
            memcpy(to, name->text, name->len);
        name->text = to;
        to += name->len;
    }
}

struct bindings *bindings_new(const struct tree *tree)
{
    struct bindings *b = xcalloc(1, sizeof(*b));
    struct scopes *scopes = scopes_new(tree);
    char *options = xcalloc(tree_text(tree).len + 1, 1);
    struct finder f = { .ns = tree_nodes(tree), .options = options };

    find(&f, scopes);
    b->nnames = number(&f, scopes_symbols(scopes));
    b->names = xcalloc(b->nnames, sizeof(*b->names));
    b->touched = xcalloc(b->nnames, sizeof(*b->touched));
    b->refs = xcalloc(f.n, sizeof(*b->refs));
    b->places = xcalloc(f.n, sizeof(*b->places));
    name_texts(b, &f, scopes);
    if (f.n > 0)
        qsort(f.items, f.n, sizeof(*f.items), by_place);
    for (size_t i = 0; i < f.n; i++)
        keep(b, &f.items[i]);
    free(f.items);
    free(options);
    scopes_free(scopes);
    return b;
}

void bindings_free(struct bindings *b)
{
    if (!b)
        return;
    if (b->texts->refs-- == 0)
        free(b->texts);
    free(b->names);
    free(b->touched);
    free(b->refs);
    free(b->places);
    free(b);
}

struct bindings *bindings_copy(const struct bindings *from)
{
    struct bindings *b = xcalloc(1, sizeof(*b));

    *b = *from;
    b->texts->refs++;
    b->refs = xcopy(from->refs, from->nrefs, sizeof(*b->refs));
    b->places = xcopy(from->places, from->nrefs, sizeof(*b->places));
    b->names = xcopy(from->names, from->nnames, sizeof(*b->names));
    b->touched = xcalloc(b->nnames, sizeof(*b->touched));
    return b;
}

void bindings_rebase(struct bindings *b, const struct patch *patch)
{
    spans_rebase(b->places, b->nrefs, patch);
    for (size_t i = 0; i < b->nrefs; i++) {
        struct count *all = &b->names[b->refs[i].name].all;

        if (b->refs[i].gone || span_len(b->places[i]) > 0)
            continue;
        b->refs[i].gone = true;
        if (b->refs[i].binds)
            all->binds--;
        else
            all->uses--;
    }
}

/* The first place that starts at `at` or later. */
static size_t place_from(const struct bindings *b, uint32_t at)
{
    size_t low;

    BISECT(low, 0, b->nrefs, b->places[low].start < at);
    return low;
}

/* Count what a change takes away; the names it touches for the first time go
 * to b->touched[n ..]. Returns the new n. */
static size_t count_cut(struct bindings *b, struct span at, size_t n)
{
    for (size_t i = place_from(b, at.start);
         i < b->nrefs && b->places[i].start < at.end; i++) {
        struct count *cut = &b->names[b->refs[i].name].cut;

        if (b->refs[i].gone)
            continue;
        if (cut->binds + cut->uses == 0)
            b->touched[n++] = b->refs[i].name;
        if (b->refs[i].binds)
            cut->binds++;
        else
            cut->uses++;
    }
    return n;
}

/* Whether a replacement brings the name in again: then it may bind it. */
static bool comes_back(const struct name *name, const struct patch *patch)
{
    for (size_t i = 0; i < patch->n; i++)
        if (patch->changes[i].len > 0 &&
            memmem(patch->changes[i].text, patch->changes[i].len, name->text,
                   name->len))
            return true;
    return false;
}

bool bindings_lost(struct bindings *b, const struct patch *patch)
{
    bool lost = false;
    size_t n = 0;

    for (size_t i = 0; i < patch->n; i++)
        n = count_cut(b, patch->changes[i].at, n);
    for (size_t i = 0; i < n; i++) {
        struct name *name = &b->names[b->touched[i]];

        if (!lost && name->cut.binds > 0 &&
            name->cut.binds == name->all.binds &&
            name->all.uses > name->cut.uses)
            lost = !comes_back(name, patch);
        name->cut = (struct count){ 0 };
    }
    return lost;
}
