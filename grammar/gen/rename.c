/* Names of one or two letters, when all else is done.
 *
 * Names go by their text: whoever is called `block_M`, in whatever scope, gets
 * the same new name, and no new name stands anywhere in the file before. So
 * each name means afterwards what it meant before, without a look at scopes.
 *
 * A name stays when something else than its own binding may look it up: it is
 * imported or a builtin, an attribute or a keyword somewhere, bound in a class,
 * a word of a string, or special (`__name__`); all stay when the file asks for
 * names at run time. That a front end may write a name into its messages is
 * for the oracle to see. */
#include "grammar/gen/draft.h"
#include "grammar/gen/names.h"

#include <stdlib.h>
#include <string.h>

#include "config/mem.h"

void gen_rename(struct gen *g);

/* A name that stands in the file, once for each place. */
struct place {
    struct bytes text;
    struct span at;
    uint32_t symbol; /* SYMBOL_NONE: no name of a value */
    bool stays;      /* for this place's sake */
};

struct places {
    struct place *at; /* sorted by text, then place */
    size_t n, room;
};

static int text_order(struct bytes a, struct bytes b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    int order = n ? memcmp(a.data, b.data, n) : 0;

    if (order)
        return order;
    return a.len < b.len ? -1 : a.len > b.len;
}

static int place_order(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = text_order(x->text, y->text);

    if (order)
        return order;
    return x->at.start < y->at.start ? -1 : x->at.start > y->at.start;
}

static void add_place(struct places *places, struct place place)
{
    xgrow(&places->at, &places->room, places->n + 1, sizeof(*places->at));
    places->at[places->n++] = place;
}

static bool is_letter(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (unsigned char)c >= 0x80;
}

/* Each word of a string may be looked up. */
static void add_words(struct places *places, struct bytes text)
{
    for (size_t i = 0; i < text.len;) {
        size_t from = i;

        while (i < text.len &&
               (is_letter(text.data[i]) ||
                (i > from && text.data[i] >= '0' && text.data[i] <= '9')))
            i++;
        if (i > from)
            add_place(places, (struct place){
                                  .text = bytes_of(text.data + from, i - from),
                                  .symbol = SYMBOL_NONE,
                                  .stays = true });
        else
            i++;
    }
}

/* Whether the binding of an identifier can be written with another name. */
static bool is_imported(const struct nodes *ns, uint32_t node)
{
    uint32_t up = node_parent(ns, node);

    if (node_is(ns, up, NODE_ALIASED_IMPORT))
        return ns->at[node].field != FIELD_alias;
    return node_is(ns, up, NODE_DOTTED_NAME) &&
           node_above(ns, node, NODE_CASE_PATTERN) == NODE_NONE;
}

static void add_identifier(struct places *places, const struct gen *g,
                           const struct names *names, uint32_t node)
{
    struct place place = { .text = node_text(g->nodes, node),
                           .at = node_span(g->nodes, node),
                           .symbol = names_symbol(names, node) };
    uint32_t home = SYMBOL_NONE;

    if (place.symbol != SYMBOL_NONE)
        home = names_home(names, place.symbol);
    place.stays = place.symbol == SYMBOL_NONE ||
                  !symbol_bound(g->scopes, place.symbol) || home == NODE_NONE ||
                  node_is(g->nodes, home, NODE_CLASS) ||
                  is_imported(g->nodes, node) || gen_frozen(g, place.at) ||
                  (place.text.len > 4 && memcmp(place.text.data, "__", 2) == 0);
    add_place(places, place);
}

static struct places places_of(const struct gen *g, const struct names *names)
{
    struct places places = { 0 };

    for (uint32_t i = 0; i < g->nodes->n; i++) {
        if (node_is(g->nodes, i, NODE_STRING_CONTENT))
            add_words(&places, node_text(g->nodes, i));
        else if (node_is(g->nodes, i, NODE_IDENTIFIER) &&
                 span_len(node_span(g->nodes, i)) > 0)
            add_identifier(&places, g, names, i);
    }
    if (places.n)
        qsort(places.at, places.n, sizeof(*places.at), place_order);
    return places;
}

static bool is_there(const struct places *places, struct bytes text)
{
    size_t low;

    BISECT(low, 0, places->n, text_order(places->at[low].text, text) < 0);
    return low < places->n && text_order(places->at[low].text, text) == 0;
}

/* All of one and of two letters, in order; those of Python itself and those
 * that the file has are passed over. False: there are no more. */
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

static bool next_name(const struct places *places, unsigned *number,
                      char name[3])
{
    static const char *const taken[] = { "as", "if", "in", "is", "or", "id" };
    const unsigned letters = sizeof(LETTERS) - 1;

    for (;;) {
        unsigned n = (*number)++;
        bool free_to_take = true;

        if (n >= letters + letters * letters)
            return false;
        if (n < letters) {
            name[0] = LETTERS[n];
            name[1] = '\0';
        } else {
            name[0] = LETTERS[(n - letters) / letters];
            name[1] = LETTERS[(n - letters) % letters];
            name[2] = '\0';
        }
        for (size_t i = 0; i < ARRAY_LEN(taken); i++)
            free_to_take &= strcmp(name, taken[i]) != 0;
        if (free_to_take && !is_there(places, bytes_of(name, strlen(name))))
            return true;
    }
}

/* Offer the places [from, to), all of one text. */
static bool rename_to(struct draft *d, const struct places *places, size_t from,
                      size_t to, const char *name)
{
    struct span cover = places->at[from].at;

    draft_begin(d, cover);
    for (size_t i = from; i < to; i++)
        draft_replaces(d, places->at[i].at, name);
    return draft_end(d) != EDIT_NONE;
}

void gen_rename(struct gen *g)
{
    const struct names *names = g->names;
    struct places places;
    struct draft d;
    unsigned number = 0;
    char name[3];
    bool left;

    if (scopes_opaque(g->scopes))
        return;
    places = places_of(g, names);
    draft_init(&d, g, EDIT_rename);
    left = next_name(&places, &number, name);
    edits_list_begin(g->out, "", true);
    for (size_t i = 0, j; i < places.n && left; i = j) {
        bool stays = places.at[i].stays;

        for (j = i + 1; j < places.n &&
                        text_order(places.at[i].text, places.at[j].text) == 0;
             j++)
            stays |= places.at[j].stays;
        if (!stays && places.at[i].text.len > strlen(name) &&
            rename_to(&d, &places, i, j, name))
            left = next_name(&places, &number, name);
    }
    edits_list_end(g->out);
    draft_deinit(&d);
    free(places.at);
}
