/* Of several targets the used one: all results for each text. */
#include "test/unit/offers.h"

static void the_used_target_is_left(void **state)
{
    (void)state;
    assert_offers("rows, columns = a.shape\n"
                  "f(columns)\n",
                  EDIT_split,
                  "columns = a.shape[1]\n"
                  "f(columns)\n"
                  "|\n");
    assert_offers("(x, y) = f()\n"
                  "x\n",
                  EDIT_split,
                  "x = f()[0]\n"
                  "x\n"
                  "|\n");
    assert_offers("one, two, three = a + b\n"
                  "three\n",
                  EDIT_split,
                  "three = (a + b)[2]\n"
                  "three\n"
                  "|\n");
}

static void what_stands_behind_a_star_is_counted_from_the_end(void **state)
{
    (void)state;
    assert_offers("first, *middle, last = parts\n"
                  "last\n",
                  EDIT_split,
                  "last = parts[-1]\n"
                  "last\n"
                  "|\n");
    assert_offers("first, *middle, last = parts\n"
                  "middle\n",
                  EDIT_split,
                  "middle = parts[1:-1]\n"
                  "middle\n"
                  "|\n");
    assert_offers("def f():\n"
                  "    first, *rest = parts\n"
                  "    return rest\n",
                  EDIT_split,
                  "def f():\n"
                  "    rest = parts[1:]\n"
                  "    return rest\n"
                  "|\n");
}

static void several_used_ones_and_written_values_stay(void **state)
{
    (void)state;
    assert_offers("one, two = f\n"
                  "one, two\n"
                  "three, four = 1, 2\n"
                  "four\n"
                  "five.a, six = f\n"
                  "six\n"
                  "seven, (eight, nine) = f\n"
                  "seven\n"
                  "ten, eleven = twelve = f\n"
                  "ten\n",
                  EDIT_split, "");
}

static void what_a_lone_expression_binds_is_left(void **state)
{
    (void)state;
    assert_offers("not (one := f(x))\n"
                  "one\n"
                  "(lambda: (two := 1))\n"
                  "[two for _ in x if (two := 2)]\n"
                  "if (three := 3): pass\n",
                  EDIT_split,
                  "one = f(x)\n"
                  "one\n"
                  "(lambda: (two := 1))\n"
                  "[two for _ in x if (two := 2)]\n"
                  "if (three := 3): pass\n"
                  "|\n");
    assert_offers("f(1, (one := 2), (two :=\n"
                  "    3 +\n"
                  "    4))\n",
                  EDIT_split,
                  "one = 2\n"
                  "|\n"
                  "two = (3 +\n"
                  "    4)\n"
                  "|\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_used_target_is_left),
        cmocka_unit_test(what_stands_behind_a_star_is_counted_from_the_end),
        cmocka_unit_test(several_used_ones_and_written_values_stay),
        cmocka_unit_test(what_a_lone_expression_binds_is_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
