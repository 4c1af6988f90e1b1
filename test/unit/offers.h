/* offers.h - what a generator offers for a text, as one string to compare.
 *
 * Each edit of one kind is applied alone; the results stand one after the
 * other, in order of the edits, each ended by "|\n". A result with more syntax
 * errors than the text fails the test. */
#ifndef AUTODD_OFFERS_H
#define AUTODD_OFFERS_H

#include <stdlib.h>
#include <string.h>

#include "config/buf.h"
#include "grammar/generator.h"
#include "test/test.h"

/* The patch of one edit; a list's unit goes by the list's rules. */
static inline int offers_patch(struct patch *patch, const struct edits *edits,
                               uint32_t i)
{
    const struct edit *edit = &edits->items[i];

    if (edit->dead)
        return -1;
    if (edit->list != EDIT_NONE)
        return patch_add_run(patch, edits, edit->list, edit->index,
                             edit->index + 1);
    return patch_add_edit(patch, edits, i);
}

static inline void offers_add(struct buf *out, const struct tree *tree,
                              const struct patch *patch)
{
    struct tree *next = tree_patched(tree, patch);

    buf_add(out, tree_text(next).data, tree_text(next).len);
    buf_adds(out, "|\n");
    if (tree_errors(next) > tree_errors(tree))
        fail_msg("does not parse: %s", tree_text(next).data);
    tree_free(next);
}

/* Those of one kind, and the edits freed. */
static inline char *offers_text(const struct tree *tree, struct edits *edits,
                                unsigned kind)
{
    struct buf out;

    buf_init(&out, 1 << 20);
    for (uint32_t i = 0; i < edits->n; i++) {
        struct patch patch;

        patch_init(&patch);
        if (edits->items[i].kind == kind && !offers_patch(&patch, edits, i))
            offers_add(&out, tree, &patch);
        patch_deinit(&patch);
    }
    edits_deinit(edits);
    return buf_take(&out, NULL);
}

/* Caller frees. `frozen` may be NULL. */
static inline char *offers_of(const char *text, unsigned kind,
                              const struct span *frozen)
{
    struct tree *tree = tree_parse(bytes_of(text, strlen(text)));
    struct edits edits;
    char *got;

    edits_init(&edits);
    generate_kinds(tree, frozen, frozen ? 1 : 0, vocabulary(MUTATE_ALL, true),
                   &edits);
    got = offers_text(tree, &edits, kind);
    tree_free(tree);
    return got;
}

/* The same for what grows the text. */
static inline char *offers_pumps(const char *text, unsigned kind,
                                 const struct span *frozen)
{
    struct tree *tree = tree_parse(bytes_of(text, strlen(text)));
    struct edits edits;
    char *got;

    edits_init(&edits);
    generate_pumps(tree, frozen, frozen ? 1 : 0, &edits);
    got = offers_text(tree, &edits, kind);
    tree_free(tree);
    return got;
}

static inline void assert_offers(const char *text, unsigned kind,
                                 const char *expected)
{
    char *got = offers_of(text, kind, NULL);

    assert_string_equal(got, expected);
    free(got);
}

static inline void assert_pumps(const char *text, unsigned kind,
                                const char *expected)
{
    char *got = offers_pumps(text, kind, NULL);

    assert_string_equal(got, expected);
    free(got);
}

/* All units of the list that has the edit for which `kind` is first: at once.
 * NULL when that list may not go as a whole. Caller frees. */
static inline char *offers_whole(const char *text, unsigned kind,
                                 uint32_t which)
{
    struct tree *tree = tree_parse(bytes_of(text, strlen(text)));
    struct edits edits;
    struct patch patch;
    struct buf out;

    edits_init(&edits);
    patch_init(&patch);
    buf_init(&out, 1 << 20);
    generate_kinds(tree, NULL, 0, vocabulary(MUTATE_ALL, true), &edits);
    for (uint32_t list = 0; list < edits.nlists; list++)
        if (edits.items[edits.lists[list].first].kind == kind && which-- == 0 &&
            !patch_add_run(&patch, &edits, list, 0, edits.lists[list].n))
            offers_add(&out, tree, &patch);
    patch_deinit(&patch);
    edits_deinit(&edits);
    tree_free(tree);
    return buf_take(&out, NULL);
}

static inline void assert_whole(const char *text, unsigned kind, uint32_t which,
                                const char *expected)
{
    char *got = offers_whole(text, kind, which);

    assert_string_equal(got, expected);
    free(got);
}

#endif
