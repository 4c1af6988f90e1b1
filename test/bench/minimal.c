/* All texts that one edit of the vocabulary makes of a file: what is to fail to
 * fail if the file is as small as promised. Knows the vocabulary and nothing of
 * the search, which it checks; test/bench/minimal.py runs each text.
 *
 * usage: minimal [all|ints|none] FILE      how far the computation may change
 * For each text, once: "KIND BYTES\n" and the bytes. A text counts when it is
 * smaller (shorter, or as long and smaller byte by byte) and has no new syntax
 * error. Last: "end TEXTS EDITS\n". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/buf.h"
#include "config/file.h"
#include "config/hash.h"
#include "config/mem.h"
#include "grammar/freeze.h"
#include "grammar/generator.h"

#define FILE_BYTES_MAX (16u << 20)

struct texts {
    struct hash128 *seen;
    size_t n, room;
};

static bool is_new(struct texts *texts, struct bytes text)
{
    struct hash128 hash = hash_bytes(text.data, text.len);

    for (size_t i = 0; i < texts->n; i++)
        if (hash_equal(texts->seen[i], hash))
            return false;
    xgrow(&texts->seen, &texts->room, texts->n + 1, sizeof(hash));
    texts->seen[texts->n++] = hash;
    return true;
}

static bool is_smaller(struct bytes a, struct bytes b)
{
    return a.len != b.len ? a.len < b.len : memcmp(a.data, b.data, a.len) < 0;
}

static int patch_of(struct patch *patch, const struct edits *edits, uint32_t i)
{
    const struct edit *edit = &edits->items[i];

    if (edit->dead)
        return -1;
    if (edit->list != EDIT_NONE)
        return patch_add_run(patch, edits, edit->list, edit->index,
                             edit->index + 1);
    return patch_add_edit(patch, edits, i);
}

static void try_edit(struct texts *texts, const struct tree *tree,
                     const struct edits *edits, uint32_t i)
{
    struct tree *next;
    struct patch patch;

    patch_init(&patch);
    if (patch_of(&patch, edits, i) == 0) {
        next = tree_patched(tree, &patch);
        if (tree_errors(next) <= tree_errors(tree) &&
            is_smaller(tree_text(next), tree_text(tree)) &&
            is_new(texts, tree_text(next))) {
            printf("%s %zu\n", edit_kind_info(edits->items[i].kind)->name,
                   tree_text(next).len);
            fwrite(tree_text(next).data, 1, tree_text(next).len, stdout);
        }
        tree_free(next);
    }
    patch_deinit(&patch);
}

static int try_file(const char *path, enum mutate mutate)
{
    struct texts texts = { 0 };
    struct span *frozen = NULL;
    struct edits edits;
    struct tree *tree;
    struct err err;
    char *data, *text;
    size_t len, nfrozen;

    if (file_read(path, FILE_BYTES_MAX, &data, &len, &err) ||
        freeze_read(bytes_of(data, len), &text, &len, &frozen, &nfrozen,
                    &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    tree = tree_parse(bytes_of(text, len));
    edits_init(&edits);
    generate_kinds(tree, frozen, nfrozen, vocabulary(mutate, false), &edits);
    for (uint32_t i = 0; i < edits.n; i++)
        try_edit(&texts, tree, &edits, i);
    printf("end %zu %zu\n", texts.n, edits.n);
    edits_deinit(&edits);
    tree_free(tree);
    free(texts.seen);
    free(frozen);
    free(text);
    free(data);
    return 0;
}

int main(int argc, char **argv)
{
    enum mutate mutate = MUTATE_ALL;

    if (argc < 2 || argc > 3) {
        fputs("usage: minimal [all|ints|none] FILE\n", stderr);
        return 2;
    }
    if (argc == 3 && !strcmp(argv[1], "ints"))
        mutate = MUTATE_INTS;
    else if (argc == 3 && !strcmp(argv[1], "none"))
        mutate = MUTATE_NONE;
    return try_file(argv[argc - 1], mutate);
}
