/* Numbers alone and together: all results for each text. */
#include "test/unit/offers.h"

static void a_number_shrinks_alone(void **state)
{
    (void)state;
    assert_offers("x = 128\n", EDIT_integer,
                  "x = 0\n"
                  "|\n"
                  "x = 1\n"
                  "|\n"
                  "x = 2\n"
                  "|\n"
                  "x = 64\n"
                  "|\n"
                  "x = 99\n"
                  "|\n");
    assert_offers("x = 3\n", EDIT_integer,
                  "x = 0\n"
                  "|\n"
                  "x = 1\n"
                  "|\n"
                  "x = 2\n"
                  "|\n");
    assert_offers("x = 2\n", EDIT_integer,
                  "x = 0\n"
                  "|\n"
                  "x = 1\n"
                  "|\n");
    assert_offers("x = 1\n", EDIT_integer,
                  "x = 0\n"
                  "|\n");
    assert_offers("x = 0\n", EDIT_integer, "");
}

static void all_notations_are_read(void **state)
{
    (void)state;
    assert_offers("x = 0x40\n", EDIT_integer,
                  "x = 0\n"
                  "|\n"
                  "x = 1\n"
                  "|\n"
                  "x = 2\n"
                  "|\n"
                  "x = 32\n"
                  "|\n"
                  "x = 64\n"
                  "|\n");
    assert_offers("x = 1_000\n", EDIT_integer,
                  "x = 0\n"
                  "|\n"
                  "x = 1\n"
                  "|\n"
                  "x = 2\n"
                  "|\n"
                  "x = 500\n"
                  "|\n"
                  "x = 200\n"
                  "|\n"
                  "x = 999\n"
                  "|\n"
                  "x = 1000\n"
                  "|\n");
    assert_offers("x = 0b101\n", EDIT_integer,
                  "x = 0\n"
                  "|\n"
                  "x = 1\n"
                  "|\n"
                  "x = 2\n"
                  "|\n"
                  "x = 4\n"
                  "|\n"
                  "x = 5\n"
                  "|\n");
    assert_offers("x = 12j\n", EDIT_integer, "");
    assert_offers("x = 99999999999999999999999999999\n", EDIT_integer, "");
}

static void floats_shrink(void **state)
{
    (void)state;
    assert_offers("x = 1.25\n", EDIT_integer,
                  "x = 0\n"
                  "|\n"
                  "x = 1\n"
                  "|\n"
                  "x = 0.\n"
                  "|\n"
                  "x = 1.\n"
                  "|\n"
                  "x = 1.\n"
                  "|\n");
    assert_offers("x = .5e3\n", EDIT_integer,
                  "x = 0\n"
                  "|\n"
                  "x = 1\n"
                  "|\n"
                  "x = 0.\n"
                  "|\n"
                  "x = 1.\n"
                  "|\n");
}

static void parts_of_a_number_divide_it(void **state)
{
    (void)state;
    assert_offers("x = 96\n", EDIT_integer,
                  "x = 0\n"
                  "|\n"
                  "x = 1\n"
                  "|\n"
                  "x = 2\n"
                  "|\n"
                  "x = 48\n"
                  "|\n"
                  "x = 32\n"
                  "|\n");
    assert_offers("x = 7\n", EDIT_integer,
                  "x = 0\n"
                  "|\n"
                  "x = 1\n"
                  "|\n"
                  "x = 2\n"
                  "|\n"
                  "x = 3\n"
                  "|\n"
                  "x = 6\n"
                  "|\n");
}

static void a_number_shrinks_with_the_next_one(void **state)
{
    (void)state;
    assert_offers("g[6](7)\n", EDIT_integer,
                  "g[3](3)\n"
                  "|\n"
                  "g[1](2)\n"
                  "|\n"
                  "g[2](3)\n"
                  "|\n"
                  "g[3](4)\n"
                  "|\n"
                  "g[0](7)\n"
                  "|\n"
                  "g[1](7)\n"
                  "|\n"
                  "g[2](7)\n"
                  "|\n"
                  "g[3](7)\n"
                  "|\n"
                  "g[5](7)\n"
                  "|\n"
                  "g[6](0)\n"
                  "|\n"
                  "g[6](1)\n"
                  "|\n"
                  "g[6](2)\n"
                  "|\n"
                  "g[6](3)\n"
                  "|\n"
                  "g[6](6)\n"
                  "|\n");
}

static void numbers_shrink_together(void **state)
{
    (void)state;
    assert_offers("f(64, 32, k=16)\n"
                  "x = 64\n",
                  EDIT_integer,
                  "f(32, 16, k=8)\n"
                  "x = 32\n"
                  "|\n"
                  "f(1, 32, k=16)\n"
                  "x = 1\n"
                  "|\n"
                  "f(2, 32, k=16)\n"
                  "x = 2\n"
                  "|\n"
                  "f(32, 32, k=16)\n"
                  "x = 32\n"
                  "|\n"
                  "f(32, 16, k=8)\n"
                  "x = 64\n"
                  "|\n"
                  "f(4, 2, k=1)\n"
                  "x = 64\n"
                  "|\n"
                  "f(0, 32, k=16)\n"
                  "x = 64\n"
                  "|\n"
                  "f(1, 32, k=16)\n"
                  "x = 64\n"
                  "|\n"
                  "f(2, 32, k=16)\n"
                  "x = 64\n"
                  "|\n"
                  "f(32, 32, k=16)\n"
                  "x = 64\n"
                  "|\n"
                  "f(64, 0, k=16)\n"
                  "x = 64\n"
                  "|\n"
                  "f(64, 1, k=16)\n"
                  "x = 64\n"
                  "|\n"
                  "f(64, 2, k=16)\n"
                  "x = 64\n"
                  "|\n"
                  "f(64, 16, k=16)\n"
                  "x = 64\n"
                  "|\n"
                  "f(64, 32, k=0)\n"
                  "x = 64\n"
                  "|\n"
                  "f(64, 32, k=1)\n"
                  "x = 64\n"
                  "|\n"
                  "f(64, 32, k=2)\n"
                  "x = 64\n"
                  "|\n"
                  "f(64, 32, k=8)\n"
                  "x = 64\n"
                  "|\n"
                  "f(64, 32, k=9)\n"
                  "x = 64\n"
                  "|\n"
                  "f(64, 32, k=16)\n"
                  "x = 0\n"
                  "|\n"
                  "f(64, 32, k=16)\n"
                  "x = 1\n"
                  "|\n"
                  "f(64, 32, k=16)\n"
                  "x = 2\n"
                  "|\n"
                  "f(64, 32, k=16)\n"
                  "x = 32\n"
                  "|\n");
    assert_offers("x = [3, 3]\n", EDIT_integer,
                  "x = [1, 1]\n"
                  "|\n"
                  "x = [1, 1]\n"
                  "|\n"
                  "x = [2, 2]\n"
                  "|\n"
                  "x = [1, 1]\n"
                  "|\n"
                  "x = [1, 1]\n"
                  "|\n"
                  "x = [0, 3]\n"
                  "|\n"
                  "x = [1, 3]\n"
                  "|\n"
                  "x = [2, 3]\n"
                  "|\n"
                  "x = [3, 0]\n"
                  "|\n"
                  "x = [3, 1]\n"
                  "|\n"
                  "x = [3, 2]\n"
                  "|\n");
}

/* It says which axis: 0 is no smaller than 1. */
static void the_place_in_a_shape_is_no_size(void **state)
{
    (void)state;
    assert_offers("y.sum(dim=-2) + y.mean(axis=(0, -1))\n", EDIT_integer, "");
    assert_offers("a = x.sum(dim=1, keepdim=1)\n"
                  "y.mean(axis=(0, 2))\n",
                  EDIT_integer,
                  "a = x.sum(dim=1, keepdim=0)\n"
                  "y.mean(axis=(0, 2))\n"
                  "|\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_shrinks_alone),
        cmocka_unit_test(all_notations_are_read),
        cmocka_unit_test(floats_shrink),
        cmocka_unit_test(parts_of_a_number_divide_it),
        cmocka_unit_test(a_number_shrinks_with_the_next_one),
        cmocka_unit_test(numbers_shrink_together),
        cmocka_unit_test(the_place_in_a_shape_is_no_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
