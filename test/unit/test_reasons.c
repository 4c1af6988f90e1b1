/* Why the lines of a result are there: from what was noted of refused texts. */
#include "test/test.h"

#include <stdlib.h>
#include <string.h>

#include "minimizer/reasons.h"

static void note(struct reasons *reasons, const char *text, const char *why)
{
    reasons_note(reasons, hash_bytes(text, strlen(text)), why);
}

static void assert_reason(const struct reason *r, uint32_t first, uint32_t last,
                          const char *why)
{
    assert_int_equal(r->first, first);
    assert_int_equal(r->last, last);
    assert_string_equal(r->why, why);
}

static void statements_have_what_came_without_them(void **state)
{
    static const char text[] = "import a\nif b:\n    c\n    d\n";
    struct reasons reasons = { 0 };
    size_t n = 0;
    (void)state;

    note(&reasons, "if b:\n    c\n    d\n", "NameError: a");
    note(&reasons, "import a\n", "passes");
    note(&reasons, "import a\nif b:\n    c\n", "exit 0");
    note(&reasons, "something else", "timeout");
    struct reason *list =
        reasons_of(&reasons, bytes_of(text, sizeof(text) - 1), &n);
    assert_int_equal(n, 3);
    assert_reason(&list[0], 1, 1, "NameError: a");
    assert_reason(&list[1], 2, 4, "passes");
    assert_reason(&list[2], 4, 4, "exit 0");
    free(list);
    reasons_deinit(&reasons);
}

static void decorators_and_elements_on_lines_of_their_own_have_too(void **state)
{
    static const char text[] = "@a\n@b\ndef f():\n    g(\n        x,\n"
                               "        y,\n    )\n";
    struct reasons reasons = { 0 };
    size_t n = 0;
    (void)state;

    note(&reasons, "@b\ndef f():\n    g(\n        x,\n        y,\n    )\n",
         "passes");
    note(&reasons, "@a\n@b\ndef f():\n    g(\n        y,\n    )\n",
         "TypeError: g");
    struct reason *list =
        reasons_of(&reasons, bytes_of(text, sizeof(text) - 1), &n);
    assert_int_equal(n, 2);
    assert_reason(&list[0], 1, 1, "passes");
    assert_reason(&list[1], 5, 5, "TypeError: g");
    free(list);
    reasons_deinit(&reasons);
}

/* "without it" beside a line must not tell of a part of the line. */
static void parts_of_a_line_have_none(void **state)
{
    static const char text[] = "x, y = f(\n    a, b)\n";
    struct reasons reasons = { 0 };
    size_t n = 0;
    (void)state;

    note(&reasons, "y = f(\n    a, b)\n", "passes");
    note(&reasons, "x, y = f(\n    b)\n", "passes");
    note(&reasons, "x, y = f(\n    a)\n", "passes");
    struct reason *list =
        reasons_of(&reasons, bytes_of(text, sizeof(text) - 1), &n);
    assert_int_equal(n, 0);
    free(list);
    reasons_deinit(&reasons);
}

static void nothing_noted_gives_no_reason(void **state)
{
    struct reasons reasons = { 0 };
    size_t n = 7;
    (void)state;

    free(reasons_of(&reasons, bytes_of("a\nb\n", 4), &n));
    assert_int_equal(n, 0);
    free(reasons_of(&reasons, bytes_of("", 0), &n));
    assert_int_equal(n, 0);
    reasons_deinit(&reasons);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements_have_what_came_without_them),
        cmocka_unit_test(
            decorators_and_elements_on_lines_of_their_own_have_too),
        cmocka_unit_test(parts_of_a_line_have_none),
        cmocka_unit_test(nothing_noted_gives_no_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
