/* A script and its fixed version: what may be edited, and the good form of what
 * comes of it. */
#include "test/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "grammar/edit.h"
#include "grammar/generator.h"
#include "grammar/tree.h"
#include "grammar/twin.h"

static struct bytes text(const char *s)
{
    return bytes_of(s, strlen(s));
}

static struct twin twin_of(const char *bad, const char *good)
{
    struct twin twin;
    struct err err;

    if (twin_init(&twin, text(bad), text(good), "good.py", &err))
        fail_msg("refused: %s", err.text);
    return twin;
}

static void assert_form(const struct twin *twin, const char *now,
                        const struct span *marks, const char *wanted)
{
    struct buf out;

    buf_init(&out, 1 << 20);
    assert_int_equal(twin_form(twin, text(now), marks, &out), 0);
    assert_string_equal(buf_str(&out), wanted);
    buf_deinit(&out);
}

/* The bytes that are kept of the bad text, joined by '|'. */
static void assert_frozen(const struct twin *twin, const char *bad,
                          const char *wanted)
{
    struct buf out;

    buf_init(&out, 1 << 20);
    for (size_t i = 0; i < twin->nfrozen; i++) {
        struct span at = twin->frozen[i];

        if (i > 0) {
            buf_addc(&out, '|');
            assert_true(twin->frozen[i - 1].end <= at.start);
        }
        buf_add(&out, bad + at.start, span_len(at));
    }
    assert_string_equal(buf_str(&out), wanted);
    buf_deinit(&out);
}

static void places_are_as_small_as_words_allow(void **state)
{
    static const struct {
        const char *bad, *good, *frozen;
    } cases[] = {
        { "for k in range(K - 1):\n", "for k in range(K):\nx\n", NULL },
        { "for k in range(K - 1):\n    pass\n",
          "for k in range(K):\n    pass\n", " - 1" },
        { "x = acc\ny\n", "x = acc2\ny\n", "acc" },
        { "x = 15\ny\n", "x = 35\ny\n", "15" },
        { "x = \xC3\xA9\ny\n", "x = \xC3\xA8\ny\n", "\xC3\xA9" },
        { "y\nx = 1\nx = 2\n", "y\nx = 3\nx = 4\n", "1|2" },
        { "f:\n    a\n    b\n    c\n", "f:\n    a\n    c\n", "b" },
        { "f:\n    a\n    b\n    c\n    d\n", "f:\n    a\n    d\n", "b|c" },
        { "f:\n    a\n    b\n", "f:\n    a\n", "b" },
        { "a\n  b\nc\n", "a\nc\n", "  b" },
        { "a\nc\n", "a\nb\nc\n", "" },
        { "a\r\nb\r\nc\r\n", "a\r\nc\r\n", "b\r" },
        { "a\n\n\nc\n", "a\nb\nc\n", "" },
        { "a\n\n  \n\nc\n", "a\nb\nc\n", "" },
    };
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct twin twin;
        struct span marks[8];

        if (!cases[i].frozen) { /* nothing in common */
            struct err err;

            assert_int_equal(twin_init(&twin, text(cases[i].bad),
                                       text(cases[i].good), "good.py", &err),
                             -EINVAL);
            assert_non_null(strstr(err.text, "good.py: has no line in common"));
            continue;
        }
        twin = twin_of(cases[i].bad, cases[i].good);
        assert_frozen(&twin, cases[i].bad, cases[i].frozen);
        assert_true(twin.nfrozen >= twin.nplaces);
        memcpy(marks, twin.marks, twin.nplaces * sizeof(*marks));
        assert_form(&twin, cases[i].bad, marks, cases[i].good);
        twin_deinit(&twin);
    }
}

static void same_text_is_refused(void **state)
{
    struct twin twin;
    struct err err;
    (void)state;

    assert_int_equal(
        twin_init(&twin, text("a\nb\n"), text("a\nb\n"), "good.py", &err),
        -EINVAL);
    assert_non_null(strstr(err.text, "good.py: is the same as the script"));
}

/* Apply changes (pairs of texts: what goes, up to a '|' that only finds the
 * place, and what comes) to the bad text. */
static char *edited(const struct twin *twin, const char *bad,
                    struct span *marks, const char *const *changes, size_t n)
{
    struct edits edits;
    struct patch patch;
    struct buf out;

    edits_init(&edits);
    patch_init(&patch);
    buf_init(&out, 1 << 20);
    edits_begin(&edits, 0, (struct span){ 0, (uint32_t)strlen(bad) });
    for (size_t i = 0; i < n; i += 2) {
        size_t len = strcspn(changes[i], "|");
        const char *tail = changes[i] + len + (changes[i][len] == '|');
        const char *at;
        struct span span;
        char *whole = xasprintf("%.*s%s", (int)len, changes[i], tail);

        at = strstr(bad, whole);
        free(whole);
        assert_non_null(at);
        span.start = (uint32_t)(at - bad);
        span.end = span.start + (uint32_t)len;
        edits_change(&edits, span, changes[i + 1], strlen(changes[i + 1]));
    }
    assert_int_equal(edits_end(&edits), 0);
    assert_int_equal(patch_add_edit(&patch, &edits, 0), 0);
    patch_apply(&patch, text(bad), &out);
    memcpy(marks, twin->marks, twin->nplaces * sizeof(*marks));
    spans_rebase(marks, twin->nplaces, &patch);
    patch_deinit(&patch);
    edits_deinit(&edits);
    return buf_take(&out, NULL);
}

static void lines_move_to_another_depth_with_the_code_around(void **state)
{
    static const char bad[] = "with a:\n    x = 1\n    y = x\n    z = y\n";
    static const char good[] =
        "with a:\n    x = 1\n    if x:\n        x = 2\n    y = x\n    z = y\n";
    static const char *const unwrap[] = { "with a:\n    x", "x", "    y", "y",
                                          "    z",          "z" };
    struct twin twin = twin_of(bad, good);
    struct span marks[1];
    char *now = edited(&twin, bad, marks, unwrap, ARRAY_LEN(unwrap));
    (void)state;

    assert_string_equal(now, "x = 1\ny = x\nz = y\n");
    assert_form(&twin, now, marks, "x = 1\nif x:\n    x = 2\ny = x\nz = y\n");
    free(now);
    twin_deinit(&twin);
}

static void lines_at_the_end_of_a_block_move_too(void **state)
{
    static const char bad[] = "if a:\n  x = 1\nz = y\n";
    static const char good[] = "if a:\n  x = 1\n  x = 2\nz = y\n";
    static const char *const unwrap[] = { "if a:\n  x", "x" };
    struct twin twin = twin_of(bad, good);
    struct span marks[1];
    char *now = edited(&twin, bad, marks, unwrap, ARRAY_LEN(unwrap));
    (void)state;

    assert_form(&twin, now, marks, "x = 1\nx = 2\nz = y\n");
    free(now);
    twin_deinit(&twin);
}

static void lines_of_the_bad_text_move_by_themselves(void **state)
{
    static const char bad[] = "if a:\n  x = 1\n  x = 2\n  y\nz\n";
    static const char good[] = "if a:\n  y\nz\n";
    static const char *const unwrap[] = { "if a:\n  |x", "", "  |x = 2", "",
                                          "  |y",        "" };
    struct twin twin = twin_of(bad, good);
    struct span marks[1];
    char *now = edited(&twin, bad, marks, unwrap, ARRAY_LEN(unwrap));
    (void)state;

    assert_string_equal(now, "x = 1\nx = 2\ny\nz\n");
    assert_form(&twin, now, marks, "y\nz\n");
    free(now);
    twin_deinit(&twin);
}

/* Each edit that the generators offer with the places frozen: the good form is
 * the bad text but for the places. */
static void each_edit_goes_into_both(void **state)
{
    static const char bad[] = "import m\n"
                              "def kernel(a, b, n):\n"
                              "    acc = 0\n"
                              "    for k in range(n - 1):\n"
                              "        acc += a[k] * b[k]\n"
                              "    return acc\n"
                              "def main():\n"
                              "    # values\n"
                              "    a = [1, 2]\n"
                              "    b = [3, 4]\n"
                              "    if a:\n"
                              "        out = kernel(a, b, 2)\n"
                              "        print(out)\n"
                              "    assert out == 11\n"
                              "main()\n";
    static const char good[] = "import m\n"
                               "def kernel(a, b, n):\n"
                               "    acc = 0\n"
                               "    for k in range(n):\n"
                               "        acc += a[k] * b[k]\n"
                               "    return acc\n"
                               "def main():\n"
                               "    # values\n"
                               "    a = [1, 2]\n"
                               "    b = [3, 4]\n"
                               "    if a:\n"
                               "        b = list(b)\n"
                               "        out = kernel(a, b, 2)\n"
                               "    assert out == 11\n"
                               "main()\n";
    struct twin twin = twin_of(bad, good);
    struct tree *tree = tree_parse(text(bad));
    struct edits edits;
    unsigned tried = 0;
    (void)state;

    assert_frozen(&twin, bad, " - 1||print(out)");
    edits_init(&edits);
    generate(tree, twin.frozen, twin.nfrozen, &edits);
    for (uint32_t i = 0; i < edits.n; i++) {
        struct span marks[3];
        struct patch patch;
        struct buf now, form, back;

        if (edits.items[i].dead)
            continue;
        patch_init(&patch);
        buf_init(&now, 1 << 16);
        buf_init(&form, 1 << 16);
        buf_init(&back, 1 << 16);
        assert_int_equal(patch_add_edit(&patch, &edits, i), 0);
        patch_apply(&patch, text(bad), &now);
        memcpy(marks, twin.marks, sizeof(marks));
        spans_rebase(marks, 3, &patch);
        assert_int_equal(twin_form(&twin, buf_bytes(&now), marks, &form), 0);
        for (int m = 0; m < 3; m++)
            assert_true(marks[m].start <= marks[m].end &&
                        marks[m].end <= now.len);
        assert_int_equal(span_len(marks[0]), 4);
        assert_memory_equal(now.data + marks[0].start, " - 1", 4);
        assert_int_equal(span_len(marks[1]), 0);
        assert_null(strstr(buf_str(&form), " - 1"));
        assert_null(strstr(buf_str(&form), "print(out)"));
        assert_non_null(strstr(buf_str(&form), "b = list(b)\n"));
        tried++;
        buf_deinit(&now);
        buf_deinit(&form);
        buf_deinit(&back);
        patch_deinit(&patch);
    }
    assert_true(tried > 30);
    edits_deinit(&edits);
    tree_free(tree);
    twin_deinit(&twin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_as_small_as_words_allow),
        cmocka_unit_test(same_text_is_refused),
        cmocka_unit_test(lines_move_to_another_depth_with_the_code_around),
        cmocka_unit_test(lines_at_the_end_of_a_block_move_too),
        cmocka_unit_test(lines_of_the_bad_text_move_by_themselves),
        cmocka_unit_test(each_edit_goes_into_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
