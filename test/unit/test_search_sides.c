/* One side of a test does not become another computation, data of both may. */
#include "test/test.h"

#include <stdlib.h>
#include <string.h>

#include "config/buf.h"
#include "grammar/generator.h"
#include "grammar/guard.h"
#include "grammar/tree.h"
#include "minimizer/search/search.h"
#include "worker/protocol.h"

static const char script[] = "import torch, triton\n"
                             "@triton.jit\n"
                             "def k(x, o):\n"
                             "    tl.store(o, tl.exp(tl.load(x)))\n"
                             "def g(x):\n"
                             "    return torch.sin(x)\n"
                             "x = torch.ones(64)\n"
                             "o = torch.zeros(7)\n"
                             "k[(1,)](x, o)\n"
                             "torch.testing.assert_close(o, g(x))\n";

static bool has(struct bytes text, const char *what)
{
    return memmem(text.data, text.len, what, strlen(what)) != NULL;
}

/* What the sides come to: each operation counts, and the data. Some elements
 * are right where there are many. */
static uint32_t figures_of(struct bytes text)
{
    uint32_t data = 1u + (has(text, "64") ? 8u : 0u);
    uint32_t first =
        data + (has(text, "exp(") ? 2u : 0u) + (has(text, "load(") ? 4u : 0u);
    uint32_t second = data + (has(text, "sin(") ? 2u : 0u);
    bool many =
        has(text, "ones(64)") || has(text, "ones(32)") || has(text, "ones(16)");

    return first << 4 | second << 18 | (many ? 2u : 0u);
}

/* It fails whatever is computed, as long as there is a kernel. */
static enum verdict verdict_of(struct bytes text)
{
    return has(text, "store(o") && has(text, "k[(") && has(text, "torch.ones(")
               ? VERDICT_YES
               : VERDICT_NO;
}

/* All trials that can be out, answered from the last; `silent`: runs say
 * nothing of sides that are as at first. Caller frees. */
static char *reduce_with(unsigned width, bool figures, bool silent)
{
    struct tree *tree = tree_parse(bytes_of(script, strlen(script)));
    struct guard_failure failure = { .line = 10 };
    struct search_trial out[8];
    struct search_opts opts = { .width = width };
    struct search *search;
    struct guard guard;
    struct buf text;
    unsigned n = 0;
    uint32_t shown;

    guard_init(&guard, tree, &failure, NULL, 0);
    assert_non_null(guard.words);
    opts.allowed = guard_holds;
    opts.keep = &guard;
    opts.figures = figures ? figures_of(tree_text(tree)) : 0;
    search = search_new(tree_text(tree), NULL, 0, &opts);
    while (!search_finished(search)) {
        while (n < width && search_next(search, &out[n]))
            n++;
        n--;
        shown = figures_of(out[n].text);
        search_shows(search, out[n].id,
                     silent && shown == opts.figures ? 0 : shown);
        search_report(search, out[n].id, verdict_of(out[n].text));
    }
    buf_init(&text, 4096);
    buf_add(&text, search_text(search).data, search_text(search).len);
    search_free(search);
    guard_deinit(&guard);
    tree_free(tree);
    return buf_take(&text, NULL);
}

static char *reduce(unsigned width, bool figures)
{
    return reduce_with(width, figures, false);
}

static void each_side_stays_what_it_was_and_the_data_get_small(void **state)
{
    char *text = reduce(1, true);
    (void)state;

    assert_non_null(strstr(text, "exp("));
    assert_non_null(strstr(text, "sin("));
    assert_non_null(strstr(text, "load("));
    assert_null(strstr(text, "64"));
    free(text);
}

static void where_some_elements_are_right_some_stay_so(void **state)
{
    char *text = reduce(1, true);
    (void)state;

    assert_non_null(strstr(text, "ones(16)"));
    free(text);
}

static void a_search_of_any_width_ends_there(void **state)
{
    char *first = reduce(1, true), *other;
    (void)state;

    for (unsigned width = 2; width <= 8; width++) {
        other = reduce(width, true);
        assert_string_equal(other, first);
        free(other);
    }
    free(first);
}

/* It was a fresh run, say, as the fork server had ended. */
static void a_run_without_figures_does_not_set_the_sides_free(void **state)
{
    char *text = reduce_with(1, true, true), *other;
    (void)state;

    assert_non_null(strstr(text, "exp("));
    assert_non_null(strstr(text, "sin("));
    assert_non_null(strstr(text, "load("));
    for (unsigned width = 2; width <= 8; width++) {
        other = reduce_with(width, true, true);
        assert_string_equal(other, text);
        free(other);
    }
    free(text);
}

static void without_figures_nothing_holds_a_side(void **state)
{
    char *text = reduce(1, false);
    (void)state;

    assert_null(strstr(text, "load("));
    free(text);
}

/* Which sides the smallest edit of a kind is of that changes some part. */
static enum edit_sides sides_of(const char *text, const char *part,
                                enum edit_kind kind)
{
    struct tree *tree = tree_parse(bytes_of(text, strlen(text)));
    struct guard_failure failure = { .line = 10 };
    uint32_t at = (uint32_t)(strstr(text, part) - text), least = UINT32_MAX;
    enum edit_sides found = SIDES_NONE;
    struct gen_known known = { 0 };
    struct guard guard;
    struct edits edits;

    guard_init(&guard, tree, &failure, NULL, 0);
    known.sides = guard_sides(&guard, tree);
    edits_init(&edits);
    generate_known(tree, NULL, 0, vocabulary(MUTATE_ALL, false), &known,
                   &edits);
    for (size_t i = 0; i < edits.n; i++) {
        const struct edit *edit = &edits.items[i];

        for (uint32_t c = 0; c < edit->n; c++) {
            struct span change = edits.changes[edit->first + c].at;

            if (edit->kind != kind || change.start > at || change.end <= at ||
                span_len(change) >= least)
                continue;
            least = span_len(change);
            found = (enum edit_sides)edit->sides;
        }
    }
    assert_int_not_equal(least, UINT32_MAX);
    edits_deinit(&edits);
    free((void *)(uintptr_t)known.sides);
    guard_deinit(&guard);
    tree_free(tree);
    return found;
}

static void the_test_is_no_data_of_both_sides(void **state)
{
    static const char text[] = "import torch, triton\n"
                               "@triton.jit\n"
                               "def k(x, o):\n"
                               "    tl.store(o, tl.exp(tl.load(x)))\n"
                               "def g(x):\n"
                               "    return torch.sin(x)[:40]\n"
                               "x = torch.ones(64)\n"
                               "o = torch.zeros(40)\n"
                               "k[(1,)](x, o)\n"
                               "assert torch.allclose(o, g(x)), 'wrong'\n";
    (void)state;

    assert_int_equal(sides_of(text, "torch.allclose(o, g(x))", EDIT_expression),
                     SIDES_ONE);
    assert_int_equal(sides_of(text, "sin", EDIT_expression), SIDES_ONE);
    assert_int_equal(sides_of(text, "64", EDIT_integer), SIDES_SEVERAL);
    assert_int_equal(sides_of(text, "wrong", EDIT_string), SIDES_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_test_is_no_data_of_both_sides),
        cmocka_unit_test(each_side_stays_what_it_was_and_the_data_get_small),
        cmocka_unit_test(where_some_elements_are_right_some_stay_so),
        cmocka_unit_test(a_search_of_any_width_ends_there),
        cmocka_unit_test(a_run_without_figures_does_not_set_the_sides_free),
        cmocka_unit_test(without_figures_nothing_holds_a_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
