/* Sums of literals: all results for each text. */
#include "test/unit/offers.h"

static void a_sum_of_literals_becomes_its_value(void **state)
{
    (void)state;
    assert_offers("A[0, 8 + 1] = 2 * (3 + 4) - x\n", EDIT_fold,
                  "A[0, 9] = 2 * (3 + 4) - x\n"
                  "|\n"
                  "A[0, 8 + 1] = 14 - x\n"
                  "|\n");
    assert_offers("f(64 >> 2, 1 << 3, 2 ** 5, 6 & 3 | 8 ^ 1)\n", EDIT_fold,
                  "f(16, 1 << 3, 2 ** 5, 6 & 3 | 8 ^ 1)\n"
                  "|\n"
                  "f(64 >> 2, 8, 2 ** 5, 6 & 3 | 8 ^ 1)\n"
                  "|\n"
                  "f(64 >> 2, 1 << 3, 32, 6 & 3 | 8 ^ 1)\n"
                  "|\n"
                  "f(64 >> 2, 1 << 3, 2 ** 5, 11)\n"
                  "|\n");
    assert_offers("x + (1_0 * 0x10) * y\n", EDIT_fold,
                  "x + 160 * y\n"
                  "|\n");
}

static void what_adds_nothing_goes(void **state)
{
    (void)state;
    assert_offers("f(p + 0 * 4 + at, 1 * x, y * 1 - 0, 0 - z, 2 * z)\n",
                  EDIT_fold,
                  "f(p + 0 + at, 1 * x, y * 1 - 0, 0 - z, 2 * z)\n"
                  "|\n"
                  "f(p + at, 1 * x, y * 1 - 0, 0 - z, 2 * z)\n"
                  "|\n"
                  "f(p + 0 * 4 + at, x, y * 1 - 0, 0 - z, 2 * z)\n"
                  "|\n"
                  "f(p + 0 * 4 + at, 1 * x, y * 1, 0 - z, 2 * z)\n"
                  "|\n"
                  "f(p + 0 * 4 + at, 1 * x, y - 0, 0 - z, 2 * z)\n"
                  "|\n");
    assert_offers("f(0 * n, g() * 0, 0 + (a, b)[i])\n", EDIT_fold,
                  "f(0, g() * 0, 0 + (a, b)[i])\n"
                  "|\n"
                  "f(0 * n, g() * 0, (a, b)[i])\n"
                  "|\n");
}

static void a_sum_of_one_is_assigned(void **state)
{
    (void)state;
    assert_offers("s = 0\n"
                  "x = f()\n"
                  "s += g(x)\n"
                  "s += 1\n",
                  EDIT_fold,
                  "x = f()\n"
                  "s = g(x)\n"
                  "s += 1\n"
                  "|\n");
    assert_offers("p = 1\n"
                  "p *= n\n",
                  EDIT_fold,
                  "p = n\n"
                  "|\n");
    assert_offers("s = 0\n"
                  "for x in y:\n"
                  "    s += x\n",
                  EDIT_fold, "");
    assert_offers("s = 0\n"
                  "s += s\n",
                  EDIT_fold, "");
    assert_offers("s = 0\n"
                  "f(s=1)\n"
                  "def g():\n"
                  "    s = 2\n"
                  "s += h(lambda s: s)\n",
                  EDIT_fold,
                  "f(s=1)\n"
                  "def g():\n"
                  "    s = 2\n"
                  "s = h(lambda s: s)\n"
                  "|\n");
    assert_offers("s = 0\n"
                  "def g():\n"
                  "    return s\n"
                  "s += 3\n",
                  EDIT_fold, "");
    assert_offers("s = 0; s += 3 + s\n"
                  "if x:\n"
                  "    s = 0\n"
                  "s += 3\n",
                  EDIT_fold, "");
    assert_offers("s = 1\n"
                  "s += 1\n",
                  EDIT_fold, "");
}

static void division_rounds_down_as_in_python(void **state)
{
    (void)state;
    assert_offers("f(-7 // 2)\n", EDIT_fold,
                  "f(-4)\n"
                  "|\n");
    assert_offers("f(-7 % 2)\n", EDIT_fold,
                  "f(1)\n"
                  "|\n");
    assert_offers("f(7 % -4)\n", EDIT_fold,
                  "f(-1)\n"
                  "|\n");
    assert_offers("f(-9 >> 1)\n", EDIT_fold,
                  "f(-5)\n"
                  "|\n");
}

static void signs_are_summed_up_and_get_their_brackets(void **state)
{
    (void)state;
    assert_offers("f(-(1 + 2), ~3, +4)\n", EDIT_fold,
                  "f(-3, ~3, +4)\n"
                  "|\n"
                  "f(-(1 + 2), -4, +4)\n"
                  "|\n"
                  "f(-(1 + 2), ~3, 4)\n"
                  "|\n");
    assert_offers("(1 - 333) ** x\n", EDIT_fold,
                  "(-332) ** x\n"
                  "|\n");
    assert_offers("(10 + 3333).bit_length()\n", EDIT_fold,
                  "(3343).bit_length()\n"
                  "|\n");
}

static void what_is_no_whole_number_stays(void **state)
{
    (void)state;
    assert_offers("f(4 / 2, 1 // 0, 1 % 0, 1 << -1, 2 ** -1, 1 + 1.0, 1 + x)\n",
                  EDIT_fold, "");
    assert_offers("f(9223372036854775807 + 1, 2 ** 64, 1 + 1j, -3, (4))\n",
                  EDIT_fold, "");
    assert_offers("match x:\n"
                  "    case 1 + 2j: pass\n",
                  EDIT_fold, "");
}

static void all_of_the_file_go_at_once(void **state)
{
    (void)state;
    assert_whole("a[1 + 2]\n"
                 "b[3 * 4, 5 - 5]\n",
                 EDIT_fold, 0,
                 "a[3]\n"
                 "b[12, 0]\n"
                 "|\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_of_literals_becomes_its_value),
        cmocka_unit_test(what_adds_nothing_goes),
        cmocka_unit_test(a_sum_of_one_is_assigned),
        cmocka_unit_test(division_rounds_down_as_in_python),
        cmocka_unit_test(signs_are_summed_up_and_get_their_brackets),
        cmocka_unit_test(what_is_no_whole_number_stays),
        cmocka_unit_test(all_of_the_file_go_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
