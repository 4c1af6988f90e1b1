#include "test/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "grammar/edit.h"

#define CHANGES_MAX 3 /* of an edit made by chance */

/* Rules of the union and the rebase, by hand and by chance: random edits on
 * random texts, where moving an edit and then applying it must give what
 * applying both at once gives. */

static unsigned chance(unsigned *state, unsigned below)
{
    *state = *state * 1103515245u + 12345u;
    return (*state >> 16) % below;
}

static uint32_t edit_of(struct edits *edits, uint32_t start, uint32_t end,
                        const char *text)
{
    edits_begin(edits, 0, (struct span){ start, end });
    edits_change(edits, (struct span){ start, end }, text, strlen(text));
    return edits_end(edits);
}

/* The text after the patch; caller frees. */
static char *applied(const struct patch *patch, const char *text)
{
    struct buf buf;

    buf_init(&buf, 1 << 20);
    patch_apply(patch, bytes_of(text, strlen(text)), &buf);
    return buf_take(&buf, NULL);
}

static void assert_applied(const struct patch *patch, const char *text,
                           const char *expected)
{
    char *got = applied(patch, text);

    assert_string_equal(got, expected);
    assert_int_equal(patch_saved(patch),
                     (int64_t)strlen(text) - (int64_t)strlen(expected));
    free(got);
}

/* The units of "a, b, c": what a generator of arguments would offer. */
static void list_of(struct edits *edits, const char *text, const char *empty)
{
    uint32_t at[16], n = 0;

    for (uint32_t i = 0; text[i]; i++)
        if (text[i] >= 'a' && text[i] <= 'z')
            at[n++] = i;
    edits_list_begin(edits, empty, false);
    for (uint32_t i = 0; i < n; i++) {
        struct edit *e =
            edits_begin(edits, 0, (struct span){ at[i], at[i] + 1 });
        if (i > 0)
            e->lead = (struct span){ at[i - 1] + 1, at[i] };
        edits_delete(edits,
                     (struct span){ at[i], i + 1 < n ? at[i + 1] : at[i] + 1 });
        edits_end(edits);
    }
    edits_list_end(edits);
}

static void commit(struct edits *edits, struct patch *patch, char **text)
{
    char *next = applied(patch, *text);

    edits_rebase(edits, patch);
    free(*text);
    *text = next;
    patch_deinit(patch);
    patch_init(patch);
}

static void a_deletion_swallows_what_it_holds(void **state)
{
    struct edits edits;
    struct patch patch;

    (void)state;
    edits_init(&edits);
    patch_init(&patch);
    uint32_t inner = edit_of(&edits, 3, 5, "xy");
    uint32_t outer = edit_of(&edits, 2, 8, "");
    assert_int_equal(patch_add_edit(&patch, &edits, inner), 0);
    assert_applied(&patch, "0123456789", "012xy56789");
    assert_int_equal(patch_add_edit(&patch, &edits, outer), 0);
    assert_applied(&patch, "0123456789", "0189");
    assert_int_equal(patch_add_edit(&patch, &edits, inner), 0);
    assert_applied(&patch, "0123456789", "0189");
    patch_deinit(&patch);
    edits_deinit(&edits);
}

static void deletions_melt_and_replacements_that_cut_clash(void **state)
{
    struct edits edits;
    struct patch patch;

    (void)state;
    edits_init(&edits);
    patch_init(&patch);
    uint32_t a = edit_of(&edits, 1, 4, ""), b = edit_of(&edits, 3, 6, "");
    uint32_t c = edit_of(&edits, 5, 8, "x"), d = edit_of(&edits, 7, 9, "y");
    assert_int_equal(patch_add_edit(&patch, &edits, a), 0);
    assert_int_equal(patch_add_edit(&patch, &edits, b), 0);
    assert_int_equal(patch.n, 1);
    assert_int_equal(patch_add_edit(&patch, &edits, c), -EEXIST);
    assert_applied(&patch, "0123456789", "06789");
    assert_int_equal(patch_add_edit(&patch, &edits, d), 0);
    assert_int_equal(patch_add_edit(&patch, &edits, d), 0);
    assert_applied(&patch, "0123456789", "06y9");
    patch_deinit(&patch);
    edits_deinit(&edits);
}

static void two_texts_at_one_place_clash(void **state)
{
    struct edits edits;
    struct patch patch;

    (void)state;
    edits_init(&edits);
    patch_init(&patch);
    uint32_t a = edit_of(&edits, 4, 4, "a"), b = edit_of(&edits, 4, 4, "b");
    uint32_t c = edit_of(&edits, 4, 6, "c"), d = edit_of(&edits, 2, 4, "d");
    assert_int_equal(patch_add_edit(&patch, &edits, a), 0);
    assert_int_equal(patch_add_edit(&patch, &edits, b), -EEXIST);
    assert_int_equal(patch_add_edit(&patch, &edits, c), 0);
    assert_int_equal(patch_add_edit(&patch, &edits, d), 0);
    assert_applied(&patch, "0123456789", "01dac6789");
    patch_deinit(&patch);
    edits_deinit(&edits);
}

static void an_edit_without_changes_or_with_overlap_is_dropped(void **state)
{
    struct edits edits;

    (void)state;
    edits_init(&edits);
    edits_begin(&edits, 0, (struct span){ 0, 4 });
    assert_int_equal(edits_end(&edits), EDIT_NONE);
    edits_begin(&edits, 0, (struct span){ 0, 4 });
    edits_delete(&edits, (struct span){ 2, 4 });
    edits_delete(&edits, (struct span){ 1, 3 });
    assert_int_equal(edits_end(&edits), EDIT_NONE);
    assert_int_equal(edits.n, 0);
    assert_int_equal(edits.nchanges, 0);
    edits_list_begin(&edits, "", false);
    edits_list_end(&edits);
    assert_int_equal(edits.nlists, 0);
    edits_deinit(&edits);
}

static void a_run_that_reaches_the_end_takes_the_separator_before(void **state)
{
    struct edits edits;
    struct patch patch;

    (void)state;
    edits_init(&edits);
    patch_init(&patch);
    list_of(&edits, "(a, b, c)", NULL);
    assert_int_equal(patch_add_run(&patch, &edits, 0, 1, 3), 0);
    assert_applied(&patch, "(a, b, c)", "(a)");
    patch_deinit(&patch);
    assert_int_equal(patch_add_run(&patch, &edits, 0, 0, 2), 0);
    assert_applied(&patch, "(a, b, c)", "(c)");
    patch_deinit(&patch);
    assert_int_equal(patch_add_run(&patch, &edits, 0, 2, 9), 0);
    assert_applied(&patch, "(a, b, c)", "(a, b)");
    patch_deinit(&patch);
    assert_int_equal(patch_add_run(&patch, &edits, 0, 0, 3), -EEXIST);
    assert_int_equal(patch.n, 0);
    patch_deinit(&patch);
    edits_deinit(&edits);
}

static void an_emptied_list_gets_its_text(void **state)
{
    struct edits edits;
    struct patch patch;

    (void)state;
    edits_init(&edits);
    patch_init(&patch);
    list_of(&edits, "{a; b; c}", "pass");
    assert_int_equal(patch_add_run(&patch, &edits, 0, 0, 3), 0);
    assert_applied(&patch, "{a; b; c}", "{pass}");
    patch_deinit(&patch);
    edits_deinit(&edits);
}

/* In whatever order the units of a list go, and each time all of it is moved,
 * what is left is the list of the others. */
static void lists_stay_whole_after_any_order_of_commits(void **state)
{
    static const unsigned orders[][4] = { { 3, 2, 1, 0 }, { 0, 1, 2, 3 },
                                          { 1, 2, 3, 0 }, { 1, 3, 0, 2 },
                                          { 2, 0, 3, 1 }, { 2, 1, 3, 0 } };

    (void)state;
    for (size_t o = 0; o < ARRAY_LEN(orders); o++) {
        bool lives[4] = { true, true, true, true };
        char *text = strdup("(a, b, c, d)");
        struct edits edits;
        struct patch patch;

        edits_init(&edits);
        patch_init(&patch);
        list_of(&edits, text, "");
        for (unsigned step = 0; step < 4; step++) {
            unsigned unit = orders[o][step];
            char expected[32] = "(";

            lives[unit] = false;
            for (int i = 0; i < 4; i++)
                if (lives[i]) {
                    size_t len = strlen(expected);
                    snprintf(expected + len, sizeof(expected) - len, "%s%c",
                             len > 1 ? ", " : "", "abcd"[i]);
                }
            strncat(expected, ")", 2);
            assert_int_equal(patch_add_run(&patch, &edits, 0, unit, unit + 1),
                             0);
            commit(&edits, &patch, &text);
            assert_string_equal(text, expected);
            assert_int_equal(patch_add_run(&patch, &edits, 0, unit, unit + 1),
                             -ENOENT);
        }
        free(text);
        patch_deinit(&patch);
        edits_deinit(&edits);
    }
}

static void the_parent_is_the_smallest_deletion_around(void **state)
{
    struct edits edits;

    (void)state;
    edits_init(&edits);
    uint32_t all = edit_of(&edits, 0, 100, "");
    uint32_t inner = edit_of(&edits, 10, 20, "");
    uint32_t same = edit_of(&edits, 10, 20, "");
    uint32_t text = edit_of(&edits, 12, 14, "x");
    uint32_t in_text = edit_of(&edits, 13, 14, "");
    uint32_t beside = edit_of(&edits, 20, 30, "");
    edits_nest(&edits);
    assert_int_equal(edits.items[all].parent, EDIT_NONE);
    assert_int_equal(edits.items[inner].parent, all);
    assert_int_equal(edits.items[same].parent, inner);
    assert_int_equal(edits.items[text].parent, same);
    assert_int_equal(edits.items[in_text].parent, same);
    assert_int_equal(edits.items[beside].parent, all);
    edits_deinit(&edits);
}

static void spans_move_and_shrink_with_the_text(void **state)
{
    struct span spans[] = { { 0, 2 }, { 2, 6 }, { 4, 5 }, { 7, 9 }, { 5, 8 } };
    struct edits edits;
    struct patch patch;

    (void)state;
    edits_init(&edits);
    patch_init(&patch);
    patch_add_edit(&patch, &edits, edit_of(&edits, 3, 6, ""));
    patch_add_edit(&patch, &edits, edit_of(&edits, 7, 7, "new"));
    spans_rebase(spans, ARRAY_LEN(spans), &patch);
    assert_int_equal(spans[0].start, 0);
    assert_int_equal(spans[0].end, 2);
    assert_int_equal(spans[1].start, 2);
    assert_int_equal(spans[1].end, 3);
    assert_int_equal(span_len(spans[2]), 0);
    assert_int_equal(spans[3].start, 7);
    assert_int_equal(spans[3].end, 9);
    assert_int_equal(spans[4].start, 3);
    assert_int_equal(spans[4].end, 8);
    patch_deinit(&patch);
    edits_deinit(&edits);
}

/* In "def f():abc;f()" the body takes the place of the call. */
static void what_would_put_back_an_older_text_is_dead(void **state)
{
    static const struct {
        struct span deleted;
        bool carries, dead;
    } rows[] = {
        { { 9, 10 }, true, true },  { { 9, 10 }, false, false },
        { { 7, 9 }, true, true },   { { 12, 13 }, true, false },
        { { 0, 13 }, true, false },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct edits edits;
        struct patch patch;
        uint32_t moves;

        edits_init(&edits);
        patch_init(&patch);
        edits_begin(&edits, 0, (struct span){ 0, 14 })->carries =
            rows[i].carries;
        edits_delete(&edits, (struct span){ 0, 12 });
        edits_change(&edits, (struct span){ 14, 17 }, "abc", 3);
        moves = edits_end(&edits);
        patch_add_edit(
            &patch, &edits,
            edit_of(&edits, rows[i].deleted.start, rows[i].deleted.end, ""));
        edits_rebase(&edits, &patch);
        assert_int_equal(edits_dead(&edits, moves), rows[i].dead);
        patch_deinit(&patch);
        edits_deinit(&edits);
    }
}

/* A random edit: one to three changes, all kinds. */
static void random_edit(struct edits *edits, unsigned *seed, uint32_t len)
{
    static const char *const texts[] = { "", "", "", "X", "YZ" };
    unsigned n = 1 + chance(seed, CHANGES_MAX);

    edits_begin(edits, 0, (struct span){ 0, len });
    while (n-- > 0) {
        uint32_t start = chance(seed, len + 1);
        uint32_t end = start + chance(seed, 8);
        const char *text = texts[chance(seed, ARRAY_LEN(texts))];

        if (end > len)
            end = len;
        edits_change(edits, (struct span){ start, end }, text, strlen(text));
    }
    edits_end(edits);
}

static void assert_sorted(const struct change *changes, size_t n, size_t len)
{
    for (size_t i = 0; i < n; i++) {
        assert_true(changes[i].at.start <= changes[i].at.end);
        assert_true(changes[i].at.end <= len);
        assert_true(changes[i].len > 0 || span_len(changes[i].at) > 0);
        if (i > 0)
            assert_true(changes[i - 1].at.end <= changes[i].at.start);
    }
}

/* apply(P), rebase, apply(E) == apply(P + E) */
static void check_pair(struct edits *edits, const char *text, uint32_t nfirst)
{
    struct patch first, both, then;
    struct edits moved;

    patch_init(&first);
    for (uint32_t i = 0; i < nfirst; i++)
        patch_add_edit(&first, edits, i);
    assert_sorted(first.changes, first.n, strlen(text));
    char *base = applied(&first, text);
    edits_lay(edits);
    edits_copy(&moved, edits);
    edits_rebase(&moved, &first);
    for (uint32_t i = 0; i < edits->n; i++) {
        struct edit e = edits_now(&moved, i);
        struct change changes[CHANGES_MAX];

        patch_init(&both);
        patch_init(&then);
        for (uint32_t j = 0; j < nfirst; j++)
            patch_add_edit(&both, edits, j);
        int clash = patch_add_edit(&both, edits, i);
        assert_true(e.n <= CHANGES_MAX);
        assert_sorted(changes, edits_changes_now(&moved, i, changes),
                      strlen(base));
        assert_int_equal(e.dead, e.n == 0);
        if (!clash && !e.dead)
            assert_int_equal(patch_add_edit(&then, &moved, i), 0);
        char *a = applied(&both, text), *b = applied(&then, base);
        if (clash)
            assert_true(e.dead);
        if (!e.dead || edits->items[i].n == 1) /* see rebase_edit() */
            assert_string_equal(a, b);
        free(a);
        free(b);
        patch_deinit(&both);
        patch_deinit(&then);
    }
    edits_deinit(&moved);
    free(base);
    patch_deinit(&first);
}

static void moving_an_edit_equals_applying_both_at_once(void **state)
{
    char text[61];

    (void)state;
    for (unsigned seed = 1; seed < 20000; seed++) {
        unsigned random = seed;
        uint32_t len = 1 + chance(&random, 60);
        struct edits edits;

        for (uint32_t i = 0; i < len; i++)
            text[i] = (char)('a' + chance(&random, 26));
        text[len] = '\0';
        edits_init(&edits);
        for (unsigned i = 0; i < 8; i++)
            random_edit(&edits, &random, len);
        uint32_t first = chance(&random, 3) + 1;
        check_pair(&edits, text, first < edits.n ? first : (uint32_t)edits.n);
        edits_deinit(&edits);
    }
}

/* Many small edits from the start of a text to its end, and a few wide ones. */
static void make_many(struct edits *edits, unsigned *seed, uint32_t len)
{
    edits_init(edits);
    for (uint32_t at = 0; at + 20 < len; at += chance(seed, 5)) {
        struct edit *e = edits_begin(edits, 0, (struct span){ at, at + 9 });
        uint32_t far = chance(seed, 100) == 0 ? chance(seed, len - at - 9) : 0;

        if (at > 4 && chance(seed, 2) == 0)
            e->lead = (struct span){ at - 2, at };
        edits_change(edits, (struct span){ at + 1, at + 4 }, "xyz",
                     chance(seed, 4));
        if (chance(seed, 2) == 0)
            edits_change(edits, (struct span){ at + 6, at + 6 }, "new", 3);
        edits_change(edits, (struct span){ at + 7 + far, at + 9 + far }, NULL,
                     0);
        edits_end(edits);
    }
}

/* Edit i of many, alone. */
static void take_one(struct edits *one, const struct edits *many, uint32_t i)
{
    const struct edit *from = &many->items[i];
    struct edit *e;

    edits_init(one);
    e = edits_begin(one, 0, from->cover);
    e->lead = from->lead;
    for (uint32_t c = 0; c < from->n; c++) {
        const struct change *change = &many->changes[from->first + c];

        edits_change(one, change->at, change->text, change->len);
    }
    edits_end(one);
}

static void assert_same(const struct edits *many, uint32_t i,
                        const struct edits *one)
{
    struct edit a = edits_now(many, i), b = edits_now(one, 0);
    struct change x[CHANGES_MAX], y[CHANGES_MAX];

    assert_int_equal(a.dead, b.dead);
    assert_memory_equal(&a.cover, &b.cover, sizeof(a.cover));
    assert_memory_equal(&a.lead, &b.lead, sizeof(a.lead));
    assert_int_equal(edits_changes_now(many, i, x), b.n);
    edits_changes_now(one, 0, y);
    assert_int_equal(edits_saved(many, i), edits_saved(one, 0));
    for (uint32_t c = 0; c < b.n; c++) {
        struct change got = edits_change_now(many, i, c);

        assert_memory_equal(&x[c].at, &y[c].at, sizeof(x[c].at));
        assert_memory_equal(&x[c].at, &got.at, sizeof(got.at));
        assert_int_equal(x[c].len, y[c].len);
    }
}

/* Edits of a text that goes its own way, and each of them alone. */
struct way {
    struct edits many, *ones;
};

static void commit_some(struct way *way, unsigned *seed)
{
    struct patch patch;

    patch_init(&patch);
    for (unsigned i = chance(seed, 4) + 1; i > 0; i--) {
        uint32_t edit = chance(seed, (unsigned)way->many.n);

        if (!edits_dead(&way->many, edit))
            patch_add_edit(&patch, &way->many, edit);
    }
    edits_rebase(&way->many, &patch);
    for (uint32_t i = 0; i < way->many.n; i++)
        edits_rebase(&way->ones[i], &patch);
    patch_deinit(&patch);
}

static void way_free(struct way *way)
{
    for (uint32_t i = 0; i < way->many.n; i++)
        edits_deinit(&way->ones[i]);
    free(way->ones);
    edits_deinit(&way->many);
}

static void way_fork(struct way *to, const struct way *from)
{
    edits_copy(&to->many, &from->many);
    to->ones = (struct edits *)malloc(from->many.n * sizeof(*to->ones));
    for (uint32_t i = 0; i < from->many.n; i++)
        edits_copy(&to->ones[i], &from->ones[i]);
}

/* Each on a page of its own, edits can't be moved by mistake with others, nor
 * by a commit to a copy. */
static void copies_of_many_edits_move_each_on_its_own(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed < 40; seed++) {
        unsigned random = seed;
        struct way ways[3];

        make_many(&ways[0].many, &random, 2000);
        ways[0].ones =
            (struct edits *)malloc(ways[0].many.n * sizeof(*ways[0].ones));
        for (uint32_t i = 0; i < ways[0].many.n; i++) {
            take_one(&ways[0].ones[i], &ways[0].many, i);
            edits_lay(&ways[0].ones[i]);
        }
        assert_true(ways[0].many.n > 300);
        commit_some(&ways[0], &random);
        for (unsigned w = 1; w < ARRAY_LEN(ways); w++) {
            way_fork(&ways[w], &ways[w - 1]);
            commit_some(&ways[w], &random);
            commit_some(&ways[w - 1], &random);
        }
        for (unsigned w = 0; w < ARRAY_LEN(ways); w++)
            for (uint32_t i = 0; i < ways[w].many.n; i++)
                assert_same(&ways[w].many, i, &ways[w].ones[i]);
        way_free(&ways[1]);
        commit_some(&ways[0], &random); /* nobody reads what it had shared */
        commit_some(&ways[2], &random);
        for (uint32_t i = 0; i < ways[2].many.n; i++) {
            assert_same(&ways[0].many, i, &ways[0].ones[i]);
            assert_same(&ways[2].many, i, &ways[2].ones[i]);
        }
        way_free(&ways[0]);
        way_free(&ways[2]);
    }
}

static void the_order_of_adding_edits_does_not_matter(void **state)
{
    char text[] = "abcdefghijklmnopqrstuvwxyz0123456789";

    (void)state;
    for (unsigned seed = 1; seed < 20000; seed++) {
        unsigned random = seed;
        struct edits edits;
        struct patch ab, ba;

        edits_init(&edits);
        while (edits.n < 2)
            random_edit(&edits, &random, (uint32_t)strlen(text));
        patch_init(&ab);
        patch_init(&ba);
        assert_int_equal(patch_add_edit(&ab, &edits, 0), 0);
        assert_int_equal(patch_add_edit(&ba, &edits, 1), 0);
        int clash = patch_add_edit(&ab, &edits, 1);
        assert_int_equal(patch_add_edit(&ba, &edits, 0), clash);
        char *x = applied(&ab, text), *y = applied(&ba, text);
        if (!clash)
            assert_string_equal(x, y);
        free(x);
        free(y);
        patch_deinit(&ab);
        patch_deinit(&ba);
        edits_deinit(&edits);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_deletion_swallows_what_it_holds),
        cmocka_unit_test(deletions_melt_and_replacements_that_cut_clash),
        cmocka_unit_test(two_texts_at_one_place_clash),
        cmocka_unit_test(an_edit_without_changes_or_with_overlap_is_dropped),
        cmocka_unit_test(a_run_that_reaches_the_end_takes_the_separator_before),
        cmocka_unit_test(an_emptied_list_gets_its_text),
        cmocka_unit_test(lists_stay_whole_after_any_order_of_commits),
        cmocka_unit_test(the_parent_is_the_smallest_deletion_around),
        cmocka_unit_test(spans_move_and_shrink_with_the_text),
        cmocka_unit_test(what_would_put_back_an_older_text_is_dead),
        cmocka_unit_test(moving_an_edit_equals_applying_both_at_once),
        cmocka_unit_test(copies_of_many_edits_move_each_on_its_own),
        cmocka_unit_test(the_order_of_adding_edits_does_not_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
