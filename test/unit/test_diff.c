/* Lines that differ, against what a slow and simple comparison finds. */
#include "test/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/buf.h"
#include "grammar/diff.h"

static struct bytes text(const char *s)
{
    return bytes_of(s, strlen(s));
}

static void hunks_are_what_stands_in_one_text_alone(void **state)
{
    static const struct {
        const char *a, *b;
        struct hunk hunks[3];
        size_t n, common;
    } cases[] = {
        { "a\nb\n", "a\nb\n", { { { 0, 0 }, { 0, 0 } } }, 0, 2 },
        { "", "", { { { 0, 0 }, { 0, 0 } } }, 0, 0 },
        { "", "a\n", { { { 0, 0 }, { 0, 1 } } }, 1, 0 },
        { "a\nb", "", { { { 0, 2 }, { 0, 0 } } }, 1, 0 },
        { "a\nb\nc\n", "a\nx\nc\n", { { { 1, 2 }, { 1, 2 } } }, 1, 2 },
        { "a\nc\n", "a\nb\nc\n", { { { 1, 1 }, { 1, 2 } } }, 1, 2 },
        { "a\n\nb\nc\nd\n",
          "a\n\nc\nd\ne\n",
          { { { 2, 3 }, { 2, 2 } }, { { 5, 5 }, { 4, 5 } } },
          2,
          3 },
        { "a\nb", "a\nb\n", { { { 1, 2 }, { 1, 2 } } }, 1, 1 },
    };
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct hunk *hunks;
        size_t n, common;

        assert_int_equal(
            diff_lines(text(cases[i].a), text(cases[i].b), &hunks, &n, &common),
            0);
        assert_int_equal(n, cases[i].n);
        assert_int_equal(common, cases[i].common);
        if (n > 0)
            assert_memory_equal(hunks, cases[i].hunks, n * sizeof(*hunks));
        free(hunks);
    }
}

/* The length of the longest common sequence of one-letter lines. */
static size_t longest(const char *a, size_t na, const char *b, size_t nb)
{
    size_t table[40][40] = { { 0 } };

    for (size_t i = 0; i < na; i++)
        for (size_t j = 0; j < nb; j++) {
            size_t up = table[i][j + 1], left = table[i + 1][j];

            table[i + 1][j + 1] = a[2 * i] == b[2 * j] ? table[i][j] + 1
                                  : up > left          ? up
                                                       : left;
        }
    return table[na][nb];
}

static size_t chance(unsigned *seed, size_t n)
{
    *seed = *seed * 1103515245u + 12345u;
    return (*seed >> 16) % n;
}

static size_t invent(unsigned *seed, char *out)
{
    size_t n = chance(seed, 30);

    for (size_t i = 0; i < n; i++) {
        out[2 * i] = (char)('a' + chance(seed, 4));
        out[2 * i + 1] = '\n';
    }
    out[2 * n] = '\0';
    return n;
}

static void as_many_lines_are_shared_as_can_be(void **state)
{
    unsigned seed = 7;
    (void)state;

    for (int round = 0; round < 3000; round++) {
        char a[100], b[100];
        size_t na = invent(&seed, a), nb = invent(&seed, b), n, common;
        struct hunk *hunks;
        uint32_t i = 0, j = 0;

        assert_int_equal(diff_lines(text(a), text(b), &hunks, &n, &common), 0);
        assert_int_equal(common, longest(a, na, b, nb));
        for (size_t h = 0; h <= n; h++) { /* what is between is equal */
            uint32_t ea = h < n ? hunks[h].a.start : (uint32_t)na;
            uint32_t eb = h < n ? hunks[h].b.start : (uint32_t)nb;

            assert_int_equal(ea - i, eb - j);
            assert_memory_equal(a + 2 * i, b + 2 * j, 2 * (ea - i));
            if (h < n) {
                i = hunks[h].a.end;
                j = hunks[h].b.end;
                assert_true(ea < i || eb < j);
            }
        }
        free(hunks);
    }
}

static char *numbered(size_t n, size_t step)
{
    struct buf out;

    buf_init(&out, 1 << 24);
    for (size_t i = 0; i < n; i++)
        buf_addf(&out, "line %zu\n", i * step);
    return buf_take(&out, NULL);
}

static void texts_with_too_little_in_common_are_refused(void **state)
{
    char *a = numbered(5000, 1), *b = numbered(5000, 3);
    struct hunk *hunks;
    size_t n, common;
    (void)state;

    assert_int_equal(diff_lines(text(a), text(b), &hunks, &n, &common), -E2BIG);
    assert_null(hunks);
    free(b);
    b = numbered(5000, 1);
    memcpy(strstr(b, "line 2500"), "LINE", 4);
    assert_int_equal(diff_lines(text(a), text(b), &hunks, &n, &common), 0);
    assert_int_equal(n, 1);
    assert_int_equal(common, 4999);
    free(hunks);
    free(a);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hunks_are_what_stands_in_one_text_alone),
        cmocka_unit_test(as_many_lines_are_shared_as_can_be),
        cmocka_unit_test(texts_with_too_little_in_common_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
