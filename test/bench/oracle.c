/* Words are the leaves of the parse that have a text of their own: names,
 * numbers, whole strings. */
#include "test/bench/oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/err.h"
#include "config/file.h"
#include "config/mem.h"
#include "grammar/node.h"
#include "grammar/scope.h"
#include "grammar/tree.h"

#define TEXT_MAX (64u << 20)

uint32_t chance(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

/* Sorted words, each once. */
struct words {
    char **items;
    size_t n, room;
};

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_words(struct words *words)
{
    size_t n = 0;

    qsort(words->items, words->n, sizeof(char *), compare_words);
    for (size_t i = 0; i < words->n; i++) {
        if (n > 0 && !strcmp(words->items[n - 1], words->items[i]))
            free(words->items[i]);
        else
            words->items[n++] = words->items[i];
    }
    words->n = n;
}

static void add_word(struct words *words, const char *start, size_t len)
{
    char *word = xcalloc(len + 1, 1);

    memcpy(word, start, len);
    xgrow(&words->items, &words->room, words->n + 1, sizeof(char *));
    words->items[words->n++] = word;
}

static bool has_word(char *const *words, size_t n, const char *word)
{
    return n > 0 &&
           bsearch(&word, words, n, sizeof(char *), compare_words) != NULL;
}

static bool is_word(const struct nodes *ns, uint32_t i)
{
    return node_is(ns, i, NODE_IDENTIFIER) || node_is(ns, i, NODE_INTEGER) ||
           node_is(ns, i, NODE_FLOAT) || node_is(ns, i, NODE_STRING_CONTENT);
}

static struct words words_of(const struct tree *tree)
{
    const struct nodes *ns = tree_nodes(tree);
    struct words words = { 0 };

    for (uint32_t i = 0; i < ns->n; i++)
        if (is_word(ns, i))
            add_word(&words, node_text(ns, i).data, node_text(ns, i).len);
    sort_words(&words);
    return words;
}

static void free_words(char **words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(words[i]);
    free(words);
}

static void find_builtins(struct oracle *oracle, const struct tree *tree)
{
    struct scopes *scopes = scopes_new(tree);
    struct words words = { 0 };

    for (uint32_t s = 0; s < scopes_symbols(scopes); s++) {
        struct bytes name = symbol_name(scopes, s);
        if (!symbol_bound(scopes, s))
            add_word(&words, name.data, name.len);
    }
    scopes_free(scopes);
    sort_words(&words);
    oracle->builtins = words.items;
    oracle->nbuiltins = words.n;
}

/* Keep of the words those that the tree has. */
static void meet_words(struct words *words, const struct tree *tree)
{
    struct words have = words_of(tree);
    size_t n = 0;

    for (size_t i = 0; i < words->n; i++) {
        if (has_word(have.items, have.n, words->items[i]))
            words->items[n++] = words->items[i];
        else
            free(words->items[i]);
    }
    words->n = n;
    free_words(have.items, have.n);
}

static void finish(struct oracle *oracle, struct words *words)
{
    struct tree *tree = tree_parse(buf_bytes(&oracle->text));

    meet_words(words, tree);
    find_builtins(oracle, tree);
    tree_free(tree);
    oracle->words = words->items;
    oracle->nwords = words->n;
}

static bool read_text(const char *path, struct buf *text)
{
    struct err err;
    char *data;
    size_t len;

    buf_init(text, TEXT_MAX);
    if (file_read(path, TEXT_MAX, &data, &len, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return false;
    }
    buf_add(text, data, len);
    free(data);
    return true;
}

bool oracle_load(struct oracle *oracle, const char *path, const char *ideal)
{
    struct words words;
    struct tree *tree;
    struct buf best;

    *oracle = (struct oracle){ 0 };
    if (!read_text(path, &oracle->text) || !read_text(ideal, &best))
        return false;
    tree = tree_parse(buf_bytes(&best));
    words = words_of(tree);
    tree_free(tree);
    buf_deinit(&best);
    finish(oracle, &words);
    return true;
}

static void add_line(struct buf *text, unsigned n, unsigned depth,
                     uint64_t *seed)
{
    for (unsigned i = 0; i < depth; i++)
        buf_adds(text, "    ");
    buf_addf(text, "v%u = call(%u", n, chance(seed) % 512);
    for (unsigned i = chance(seed) % 3; i > 0 && n > 0; i--)
        buf_addf(text, ", v%u", n - 1 - chance(seed) % (n < 30 ? n : 30));
    buf_adds(text, ")\n");
}

void oracle_make(struct oracle *oracle, unsigned lines, unsigned needed,
                 uint64_t seed)
{
    struct words words = { 0 };
    unsigned depth = 0;
    char name[16];

    *oracle = (struct oracle){ 0 };
    buf_init(&oracle->text, TEXT_MAX);
    for (unsigned i = 0; i < lines; i++) {
        if (chance(&seed) % 8 == 0 && depth < 4) {
            for (unsigned d = 0; d < depth; d++)
                buf_adds(&oracle->text, "    ");
            buf_addf(&oracle->text,
                     chance(&seed) % 2 ? "if c%u:\n" : "def f%u():\n", i);
            depth++;
        }
        add_line(&oracle->text, i, depth, &seed);
        while (depth > 0 && chance(&seed) % 10 == 0)
            depth--;
    }
    for (unsigned i = 0; i < needed; i++) {
        snprintf(name, sizeof(name), "v%u", chance(&seed) % lines);
        add_word(&words, name, strlen(name));
    }
    sort_words(&words);
    finish(oracle, &words);
}

void oracle_deinit(struct oracle *oracle)
{
    free_words(oracle->words, oracle->nwords);
    free_words(oracle->builtins, oracle->nbuiltins);
    buf_deinit(&oracle->text);
}

/* Whether the name is read where Python would not find it. */
static bool is_missing(const struct oracle *oracle, const struct nodes *ns,
                       const struct scopes *scopes, uint32_t symbol)
{
    size_t n;
    const struct occurrence *at = symbol_occurrences(scopes, symbol, &n);
    struct bytes text = symbol_name(scopes, symbol);
    char name[256];

    if (symbol_bound(scopes, symbol)) {
        uint32_t node = node_from(ns, at[0].at.start);
        return (at[0].role == OCC_LOAD || at[0].role == OCC_AUGMENT) &&
               node < ns->n && node_scope(ns, node) == NODE_NONE;
    }
    if (text.len >= sizeof(name))
        return false;
    memcpy(name, text.data, text.len);
    name[text.len] = '\0';
    return !has_word(oracle->builtins, oracle->nbuiltins, name);
}

static bool names_are_found(const struct oracle *oracle,
                            const struct tree *tree)
{
    struct scopes *scopes = scopes_new(tree);
    bool found = true;

    for (uint32_t s = 0; found && s < scopes_symbols(scopes); s++)
        found = !is_missing(oracle, tree_nodes(tree), scopes, s);
    scopes_free(scopes);
    return found;
}

static bool words_are_left(const struct oracle *oracle, const struct tree *tree)
{
    struct words words = words_of(tree);
    bool left = true;

    for (size_t i = 0; left && i < oracle->nwords; i++)
        left = has_word(words.items, words.n, oracle->words[i]);
    free_words(words.items, words.n);
    return left;
}

bool oracle_says(const struct oracle *oracle, struct bytes text)
{
    struct tree *tree = tree_parse(text);
    bool yes = tree_errors(tree) == 0 && words_are_left(oracle, tree) &&
               names_are_found(oracle, tree);

    tree_free(tree);
    return yes;
}
