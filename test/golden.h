/* golden.h - what a generator makes of a text, as the list of all results.
 *
 * Each edit of the kind is applied alone, in the order it is offered; a unit
 * of a list by the list's rules, and one that may not go alone is left out.
 * No result may have a syntax error, nor be larger than the text. */
#ifndef AUTODD_GOLDEN_H
#define AUTODD_GOLDEN_H

#include "test/test.h"

#include <stdio.h>
#include <string.h>

#include "config/buf.h"
#include "grammar/edit.h"
#include "grammar/generator.h"
#include "grammar/tree.h"

#define GOLDEN_MAX 65536

/* The text after edit i, appended to out; false when it may not be alone. */
static inline bool golden_apply(const struct edits *edits, uint32_t i,
                                struct bytes text, struct buf *out)
{
    const struct edit *edit = &edits->items[i];
    struct patch patch;
    int error;

    patch_init(&patch);
    error = edit->list == EDIT_NONE
                ? patch_add_edit(&patch, edits, i)
                : patch_add_run(&patch, edits, edit->list, edit->index,
                                edit->index + 1);
    if (!error)
        error = patch_apply(&patch, text, out);
    patch_deinit(&patch);
    return error == 0;
}

static inline void golden_check(struct bytes result, struct bytes text)
{
    struct tree *tree = tree_parse(result);

    if (tree_errors(tree) > 0)
        print_error("does not parse: %s\n", result.data);
    assert_int_equal(tree_errors(tree), 0);
    assert_true(result.len <= text.len);
    assert_true(result.len < text.len ||
                memcmp(result.data, text.data, text.len) < 0);
    tree_free(tree);
}

/* `want`: the results, NULL-terminated. */
static inline void golden(enum edit_kind kind, const char *source,
                          const char *const *want)
{
    struct bytes text = bytes_of(source, strlen(source));
    struct tree *tree = tree_parse(text);
    struct edits edits;
    size_t n = 0;

    assert_int_equal(tree_errors(tree), 0);
    edits_init(&edits);
    generate(tree, NULL, 0, &edits);
    for (uint32_t i = 0; i < edits.n; i++) {
        struct buf out;

        buf_init(&out, GOLDEN_MAX);
        if (edits.items[i].kind == kind &&
            golden_apply(&edits, i, text, &out)) {
            golden_check(buf_bytes(&out), text);
            if (!want[n] || strcmp(buf_str(&out), want[n]) != 0)
                print_error("result %zu: %s\n", n, buf_str(&out));
            assert_non_null(want[n]);
            assert_string_equal(buf_str(&out), want[n]);
            n++;
        }
        buf_deinit(&out);
    }
    if (want[n])
        print_error("missing: %s\n", want[n]);
    assert_null(want[n]);
    edits_deinit(&edits);
    tree_free(tree);
}

#define GOLDEN(kind, text, ...)                                                \
    golden(kind, text, (const char *const[]){ __VA_ARGS__, NULL })
#define GOLDEN_NONE(kind, text)                                                \
    golden(kind, text, (const char *const[]){ NULL })

#endif
