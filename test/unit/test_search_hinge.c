/* What the failure hangs on stays where numbers would make up for it. */
#include "test/test.h"

#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "grammar/generator.h"
#include "grammar/tree.h"
#include "minimizer/search/hinge.h"
#include "minimizer/search/search.h"

/* ---- hinges by themselves ---- */

#define HEAD "@triton.jit\ndef x():\n    "

struct stage {
    struct tree *tree;
    struct edits edits;
    struct hinges hinges;
};

static void set_up(struct stage *stage, const char *text)
{
    *stage = (struct stage){ .tree = tree_parse(bytes_of(text, strlen(text))) };
    edits_init(&stage->edits);
    generate_kinds(stage->tree, NULL, 0, vocabulary(MUTATE_ALL, false),
                   &stage->edits);
    edits_lay(&stage->edits);
}

static void tear_down(struct stage *stage)
{
    hinges_deinit(&stage->hinges);
    edits_deinit(&stage->edits);
    tree_free(stage->tree);
}

/* The claim whose edit makes `result` of the text; its patch. */
static struct claim claim_for(struct stage *stage, const char *result,
                              struct patch *patch)
{
    struct buf out;

    buf_init(&out, 4096);
    for (uint32_t i = 0; i < stage->edits.n; i++) {
        const struct edit *edit = &stage->edits.items[i];
        struct claim claim = claim_of_edit(i);

        if (edit->list != EDIT_NONE)
            claim = (struct claim){ .list = edit->list,
                                    .from = edit->index,
                                    .to = edit->index + 1,
                                    .units = 1 };
        patch_init(patch);
        buf_clear(&out);
        if (claim_patch(&claim, &stage->edits, patch) == 0 &&
            patch_apply(patch, tree_text(stage->tree), &out) == 0 &&
            strcmp(buf_str(&out), result) == 0) {
            buf_deinit(&out);
            return claim;
        }
        patch_deinit(patch);
    }
    fail_msg("no edit makes %s", result);
    abort();
}

static void add(struct stage *stage, const char *result)
{
    struct patch patch;
    struct claim claim = claim_for(stage, result, &patch);

    assert_true(hinges_can(&claim, &stage->edits));
    hinges_add(&stage->hinges, &claim, &stage->edits);
    patch_deinit(&patch);
}

static bool loses(struct stage *stage, const char *result)
{
    struct patch patch;
    bool lost;

    claim_for(stage, result, &patch);
    lost = hinges_lost(&stage->hinges, &patch);
    patch_deinit(&patch);
    return lost;
}

static void commit(struct stage *stage, const char *result)
{
    struct patch patch;

    claim_for(stage, result, &patch);
    hinges_rebase(&stage->hinges, &patch);
    patch_deinit(&patch);
    tree_free(stage->tree);
    edits_deinit(&stage->edits);
    stage->tree = tree_parse(bytes_of(result, strlen(result)));
    edits_init(&stage->edits);
    generate_kinds(stage->tree, NULL, 0, vocabulary(MUTATE_ALL, false),
                   &stage->edits);
    edits_lay(&stage->edits);
}

static void what_was_taken_away_is_lost_with_more_around_it(void **state)
{
    struct stage stage;
    (void)state;

    set_up(&stage, HEAD "k(f(p.to(q) + r), s)\n");
    add(&stage, HEAD "k(f(p + r), s)\n");
    assert_true(loses(&stage, HEAD "k(f(p + r), s)\n"));
    assert_true(loses(&stage, HEAD "k(f(r), s)\n"));
    assert_true(loses(&stage, HEAD "k(s)\n"));
    assert_false(loses(&stage, HEAD "k(f(p.to(q) + r))\n"));
    assert_false(loses(&stage, HEAD "k(f(p.to(q)), s)\n"));
    tear_down(&stage);
}

static void a_part_of_it_may_go(void **state)
{
    struct stage stage;
    (void)state;

    set_up(&stage, HEAD "k(a, t=g(b, 17))\n");
    add(&stage, HEAD "k(a)\n");
    assert_true(loses(&stage, HEAD "k(a)\n"));
    assert_false(loses(&stage, HEAD "k(a, t=b)\n"));
    assert_false(loses(&stage, HEAD "k(a, t=g(b))\n"));
    tear_down(&stage);
}

static void it_moves_along_and_whatever_stands_beside_it(void **state)
{
    struct stage stage;
    (void)state;

    set_up(&stage, HEAD "k(a, t=g(b), u=c)\n");
    add(&stage, HEAD "k(a, u=c)\n");
    commit(&stage, HEAD "k(a, t=g(b))\n");
    assert_true(loses(&stage, HEAD "k(a)\n"));
    commit(&stage, HEAD "k(a, t=b)\n");
    assert_true(loses(&stage, HEAD "k(a)\n"));
    commit(&stage, HEAD "k(t=b)\n");
    assert_true(loses(&stage, HEAD "k()\n"));
    tear_down(&stage);
}

static void numbers_and_statements_are_none(void **state)
{
    struct stage stage;
    struct patch patch;
    struct claim claim;
    (void)state;

    set_up(&stage, HEAD "n = 64\n    k(n)\n");
    claim = claim_for(&stage, HEAD "n = 32\n    k(n)\n", &patch);
    assert_false(hinges_can(&claim, &stage.edits));
    patch_deinit(&patch);
    claim = claim_for(&stage, HEAD "n = 64\n", &patch);
    assert_false(hinges_can(&claim, &stage.edits));
    patch_deinit(&patch);
    tear_down(&stage);
}

static void what_one_side_alone_is_made_of_may_be_one(void **state)
{
    struct stage stage;
    struct patch patch;
    struct claim claim;
    (void)state;

    set_up(&stage, "k(a, t=g(b))\n");
    claim = claim_for(&stage, "k(a, t=b)\n", &patch);
    patch_deinit(&patch);
    assert_false(hinges_can(&claim, &stage.edits));
    for (uint32_t i = 0; i < stage.edits.n; i++)
        stage.edits.items[i].sides = SIDES_ONE;
    add(&stage, "k(a, t=b)\n");
    assert_true(loses(&stage, "k(a)\n"));
    tear_down(&stage);
}

static void outside_of_a_kernel_there_are_none(void **state)
{
    struct stage stage;
    struct patch patch;
    struct claim claim;
    (void)state;

    set_up(&stage, "k(a, t=b)\n");
    claim = claim_for(&stage, "k(a)\n", &patch);
    assert_false(hinges_can(&claim, &stage.edits));
    patch_deinit(&patch);
    tear_down(&stage);
}

/* ---- in a search ---- */

static bool has(struct bytes text, const char *what)
{
    return memmem(text.data, text.len, what, strlen(what)) != NULL;
}

/* Fails with t= whatever A's number is, and without it when that is no 64. */
static enum verdict ask(struct bytes text, bool tells)
{
    static const char digits[] = "0123456789";
    const char *number = memmem(text.data, text.len, "A(", 2);

    if (!has(text, "@triton.jit") || !has(text, "gemm(") || !number ||
        !strchr(digits, number[2]))
        return VERDICT_NO;
    if (has(text, "t=") || !has(text, "A(64"))
        return VERDICT_YES;
    return tells ? VERDICT_PASSED : VERDICT_NO;
}

/* All trials that can be out, answered from the last. Caller frees. */
static char *reduce(unsigned width, bool tells)
{
    static const char script[] = HEAD "x = gemm(A(64), B(32), t=f(a))\n";
    struct search_opts opts = { .width = width };
    struct search *search =
        search_new(bytes_of(script, strlen(script)), NULL, 0, &opts);
    struct search_trial out[8];
    struct buf text;
    unsigned n = 0;

    while (!search_finished(search)) {
        while (n < width && search_next(search, &out[n]))
            n++;
        n--;
        search_report(search, out[n].id, ask(out[n].text, tells));
    }
    assert_true(search_minimal(search));
    assert_int_equal(search_stats(search).no + search_stats(search).yes,
                     search_stats(search).trials);
    buf_init(&text, 4096);
    buf_add(&text, search_text(search).data, search_text(search).len);
    search_free(search);
    return buf_take(&text, NULL);
}

static void a_search_keeps_it_whatever_its_width(void **state)
{
    char *first = reduce(1, true), *other;
    (void)state;

    assert_non_null(strstr(first, "t="));
    assert_null(strstr(first, "A(64"));
    for (unsigned width = 2; width <= 8; width++) {
        other = reduce(width, true);
        assert_string_equal(other, first);
        free(other);
    }
    free(first);
}

static void without_a_pass_nothing_is_known_of_it(void **state)
{
    char *text = reduce(1, false);
    (void)state;

    assert_null(strstr(text, "t="));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_taken_away_is_lost_with_more_around_it),
        cmocka_unit_test(a_part_of_it_may_go),
        cmocka_unit_test(it_moves_along_and_whatever_stands_beside_it),
        cmocka_unit_test(numbers_and_statements_are_none),
        cmocka_unit_test(what_one_side_alone_is_made_of_may_be_one),
        cmocka_unit_test(outside_of_a_kernel_there_are_none),
        cmocka_unit_test(a_search_keeps_it_whatever_its_width),
        cmocka_unit_test(without_a_pass_nothing_is_known_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
