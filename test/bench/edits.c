/* Do single edits parse? Over the files named on standard input, one a line.
 *
 * An edit of a file is applied alone, parsed incrementally, and counted: a new
 * syntax error is what the search rejects before a run. Of those that parse
 * one in so many is written out, for test/bench/bench_edits.py to ask CPython,
 * which refuses more than tree-sitter does (a `return` outside of a function,
 * an assignment to a literal): such a candidate costs a compilation.
 *
 * usage: edits EDITS-PER-FILE ONE-IN <files >records
 * A record: "edit KIND BYTES FILE\n" and the bytes; a file's own text comes
 * first as kind "-". Last: "kind NAME OFFERED REJECTED\n" for each kind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/file.h"
#include "grammar/generator.h"

#define FILE_BYTES_MAX (4u << 20)

struct counts {
    size_t offered[EDIT_KINDS], rejected[EDIT_KINDS], parsed;
    size_t per_file, one_in;
};

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

static void put(const char *kind, const char *path, struct bytes text)
{
    printf("edit %s %zu %s\n", kind, text.len, path);
    fwrite(text.data, 1, text.len, stdout);
}

static void try_edit(struct counts *counts, const char *path,
                     const struct tree *tree, const struct edits *edits,
                     uint32_t i)
{
    unsigned kind = edits->items[i].kind;
    struct tree *next;
    struct patch patch;

    patch_init(&patch);
    if (patch_of(&patch, edits, i) == 0) {
        next = tree_patched(tree, &patch);
        counts->offered[kind]++;
        if (tree_errors(next) > tree_errors(tree))
            counts->rejected[kind]++;
        else if (counts->parsed++ % counts->one_in == 0)
            put(edit_kind_info(kind)->name, path, tree_text(next));
        tree_free(next);
    }
    patch_deinit(&patch);
}

static void try_file(struct counts *counts, const char *path)
{
    struct tree *tree;
    struct edits edits;
    char *data;
    size_t len, step;

    if (file_read(path, FILE_BYTES_MAX, &data, &len, NULL))
        return;
    put("-", path, bytes_of(data, len));
    tree = tree_parse(bytes_of(data, len));
    free(data);
    edits_init(&edits);
    generate_kinds(tree, NULL, 0, vocabulary(MUTATE_ALL, true), &edits);
    step = edits.n / counts->per_file + 1;
    for (size_t i = 0; i < edits.n; i += step)
        try_edit(counts, path, tree, &edits, (uint32_t)i);
    edits_deinit(&edits);
    tree_free(tree);
}

int main(int argc, char **argv)
{
    struct counts counts = { .per_file = 1, .one_in = 1 };
    char path[4096];

    if (argc == 3) {
        counts.per_file = strtoul(argv[1], NULL, 10);
        counts.one_in = strtoul(argv[2], NULL, 10);
    }
    if (argc != 3 || !counts.per_file || !counts.one_in) {
        fprintf(stderr, "usage: edits EDITS-PER-FILE ONE-IN <files\n");
        return 2;
    }
    while (fgets(path, sizeof(path), stdin)) {
        path[strcspn(path, "\n")] = '\0';
        try_file(&counts, path);
    }
    for (unsigned k = 0; k < EDIT_KINDS; k++)
        printf("kind %s %zu %zu\n", edit_kind_info(k)->name, counts.offered[k],
               counts.rejected[k]);
    return ferror(stdout) ? 1 : 0;
}
