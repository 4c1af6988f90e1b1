#include "test/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "grammar/freeze.h"

/* The text after reading, with «frozen» parts in angle brackets. */
static void assert_frozen(const char *text, const char *expected)
{
    struct span *spans;
    struct err err;
    size_t len, n;
    char *out, shown[1024] = "";

    assert_int_equal(
        freeze_read(bytes_of(text, strlen(text)), &out, &len, &spans, &n, &err),
        0);
    assert_int_equal(strlen(out), len);
    for (size_t i = 0, at = 0, s = 0; i <= len; i++) {
        if (s < n && i == spans[s].end)
            shown[at++] = '>', s++;
        if (s < n && i == spans[s].start)
            shown[at++] = '<';
        shown[at++] = out[i];
    }
    assert_string_equal(shown, expected);
    assert_true(n > 0 || !spans);
    free(out);
    free(spans);
}

static void assert_refused(const char *text, const char *part)
{
    struct span *spans;
    struct err err;
    size_t len, n;
    char *out;

    assert_int_equal(
        freeze_read(bytes_of(text, strlen(text)), &out, &len, &spans, &n, &err),
        -EINVAL);
    if (!strstr(err.text, part))
        fail_msg("%s does not say %s", err.text, part);
}

static void a_text_without_marks_is_left_as_it_is(void **state)
{
    (void)state;
    assert_frozen("x = 1\n", "x = 1\n");
    assert_frozen("", "");
}

static void a_block_comes_out_by_one_step(void **state)
{
    (void)state;
    assert_frozen("if a:\n"
                  "    with __freeze__:\n"
                  "        b = \"\"\"x\n"
                  "        y\"\"\"\n"
                  "        if c:\n"
                  "            d\n"
                  "    e\n",
                  "if a:\n"
                  "    <b = \"\"\"x\n"
                  "        y\"\"\"\n"
                  "    if c:\n"
                  "        d>\n"
                  "    e\n");
    assert_frozen("with __freeze__: a; b\nc\n", "<a; b>\nc\n");
    assert_frozen("with __freeze__:\n"
                  "    with __freeze__:\n"
                  "        a\n"
                  "    b\n",
                  "<a\nb>\n");
}

static void an_expression_keeps_its_brackets(void **state)
{
    (void)state;
    assert_frozen("x = 2 * __freeze__(a + b)\n", "x = 2 * <(a + b)>\n");
    assert_frozen("f(__freeze__(__freeze__(a), ))\n", "f(<((a) )>)\n");
}

static void comments_freeze_their_statement(void **state)
{
    (void)state;
    assert_frozen("x = 1\ny = 2  # autodd: freeze\nz = 3\n",
                  "x = 1\n<y = 2  # autodd: freeze>\nz = 3\n");
    assert_frozen("#autodd:freeze\nif x:\n    y\nz\n",
                  "<#autodd:freeze\nif x:\n    y>\nz\n");
    assert_frozen("x = f(1,\n      2)  # autodd: freeze\r\ny\n",
                  "<x = f(1,\n      2)  # autodd: freeze>\r\ny\n");
}

static void comments_freeze_a_region(void **state)
{
    (void)state;
    assert_frozen("a\n# autodd: freeze-start\nb\nc\n# autodd: end-freeze\nd\n",
                  "a\n<# autodd: freeze-start\nb\nc\n# autodd: "
                  "end-freeze>\nd\n");
}

static void marks_of_the_wrong_form_are_refused(void **state)
{
    (void)state;
    assert_refused("a\n# autodd: freeze-start\nb\n", "line 2: ");
    assert_refused("a\n# autodd: end-freeze\n", "without a start");
    assert_refused("# autodd: freeze-start\n# autodd: freeze-start\n",
                   "line 2: ");
    assert_refused("x\n# autodd: freeze\n", "no statement");
    assert_refused("# autodd: froze\nx\n", "unknown mark");
    assert_refused("x = __freeze__\n", "__freeze__");
    assert_refused("__freeze__(1, 2)\n", "one expression");
    assert_refused("with a, __freeze__: pass\n", "stands alone");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_without_marks_is_left_as_it_is),
        cmocka_unit_test(a_block_comes_out_by_one_step),
        cmocka_unit_test(an_expression_keeps_its_brackets),
        cmocka_unit_test(comments_freeze_their_statement),
        cmocka_unit_test(comments_freeze_a_region),
        cmocka_unit_test(marks_of_the_wrong_form_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
