/* Any bytes as a Python text: parse, offer all edits, apply each, move all to
 * the new text. What must hold: changes lie in the text, sorted and apart;
 * the patched tree has the patched text; a moved edit lies in the new text. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "config/buf.h"
#include "config/mem.h"
#include "grammar/freeze.h"
#include "grammar/generator.h"

#define INPUT_MAX 4096
#define TRIED_MAX 12
#define TEXT_MAX (1u << 24)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check_changes(const struct change *changes, size_t n, size_t len)
{
    for (size_t i = 0; i < n; i++) {
        assert(changes[i].at.start <= changes[i].at.end);
        assert(changes[i].at.end <= len);
        assert(i == 0 || changes[i - 1].at.end <= changes[i].at.start);
    }
}

static void check_edits(const struct edits *edits, size_t len)
{
    struct change *changes =
        (struct change *)xcalloc(edits->nchanges, sizeof(*changes));

    for (uint32_t i = 0; i < edits->n; i++) {
        struct edit edit = edits_now(edits, i);

        check_changes(changes, edits_changes_now(edits, i, changes), len);
        assert(edit.dead == (edit.n == 0));
        assert(edit.cover.start <= edit.cover.end && edit.cover.end <= len);
        assert(edit.lead.start <= edit.lead.end && edit.lead.end <= len);
        assert(edit.parent == EDIT_NONE || edit.parent < edits->n);
    }
    free(changes);
}

static void try_patch(const struct tree *tree, const struct edits *edits,
                      const struct patch *patch)
{
    struct bytes text = tree_text(tree);
    struct tree *next = tree_patched(tree, patch);
    struct edits moved;
    struct buf buf;

    edits_copy(&moved, edits);
    check_changes(patch->changes, patch->n, text.len);
    buf_init(&buf, TEXT_MAX);
    assert(patch_apply(patch, text, &buf) == 0);
    assert(buf.len == tree_text(next).len);
    assert(memcmp(buf_str(&buf), tree_text(next).data, buf.len) == 0);
    assert(patch_saved(patch) == (int64_t)text.len - (int64_t)buf.len);
    edits_rebase(&moved, patch);
    check_edits(&moved, buf.len);
    edits_deinit(&moved);
    buf_deinit(&buf);
    tree_free(next);
}

static void try_all(const struct tree *tree, const struct edits *edits)
{
    struct patch one, all;
    size_t step = edits->n / TRIED_MAX + 1;

    patch_init(&all);
    for (uint32_t i = 0; i < edits->n; i += (uint32_t)step) {
        patch_init(&one);
        if (patch_add_edit(&one, edits, i) == 0)
            try_patch(tree, edits, &one);
        patch_add_edit(&all, edits, i);
        patch_deinit(&one);
    }
    try_patch(tree, edits, &all);
    patch_deinit(&all);
    step = edits->nlists / TRIED_MAX + 1;
    for (uint32_t i = 0; i < edits->nlists; i += (uint32_t)step) {
        patch_init(&one);
        if (patch_add_run(&one, edits, i, 0, edits->lists[i].n) == 0)
            try_patch(tree, edits, &one);
        patch_deinit(&one);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct bytes input = bytes_of((const char *)data, len);
    struct span *spans = NULL;
    size_t nspans = 0;
    char *text = NULL;

    if (len > INPUT_MAX)
        return 0;
    if (freeze_read(input, &text, &input.len, &spans, &nspans, NULL) == 0)
        input.data = text;
    struct tree *tree = tree_parse(input);
    struct edits edits;
    edits_init(&edits);
    generate_kinds(tree, spans, nspans, vocabulary(MUTATE_ALL, true), &edits);
    check_edits(&edits, input.len);
    edits_lay(&edits);
    try_all(tree, &edits);
    edits_deinit(&edits);
    tree_free(tree);
    free(spans);
    free(text);
    return 0;
}
