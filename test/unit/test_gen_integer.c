/* Numbers alone and together: all results for each text. */
#include "test/golden.h"

static void a_number_shrinks_alone(void **state)
{
    (void)state;
    GOLDEN(EDIT_integer, "x = 128\n", "x = 0\n", "x = 1\n", "x = 2\n",
           "x = 64\n", "x = 127\n");
    GOLDEN(EDIT_integer, "x = 3\n", "x = 0\n", "x = 1\n", "x = 2\n");
    GOLDEN(EDIT_integer, "x = 2\n", "x = 0\n", "x = 1\n");
    GOLDEN(EDIT_integer, "x = 1\n", "x = 0\n");
    GOLDEN_NONE(EDIT_integer, "x = 0\n");
}

static void all_notations_are_read(void **state)
{
    (void)state;
    GOLDEN(EDIT_integer, "x = 0x40\n", "x = 0\n", "x = 1\n", "x = 2\n",
           "x = 32\n", "x = 63\n");
    GOLDEN(EDIT_integer, "x = 1_000\n", "x = 0\n", "x = 1\n", "x = 2\n",
           "x = 500\n", "x = 999\n");
    GOLDEN(EDIT_integer, "x = 0b101\n", "x = 0\n", "x = 1\n", "x = 2\n",
           "x = 4\n");
    GOLDEN_NONE(EDIT_integer, "x = 12j\n");
    GOLDEN_NONE(EDIT_integer, "x = 99999999999999999999999999999\n");
}

static void floats_shrink(void **state)
{
    (void)state;
    GOLDEN(EDIT_integer, "x = 1.25\n", "x = 0\n", "x = 1\n", "x = 0.\n",
           "x = 1.\n", "x = 1.\n");
    GOLDEN(EDIT_integer, "x = .5e3\n", "x = 0\n", "x = 1\n", "x = 0.\n",
           "x = 1.\n");
}

static void numbers_shrink_together(void **state)
{
    (void)state;
    GOLDEN(EDIT_integer,
           "f(64, 32, k=16)\n"
           "x = 64\n",
           "f(32, 16, k=8)\n"
           "x = 32\n",
           "f(1, 32, k=16)\n"
           "x = 1\n",
           "f(2, 32, k=16)\n"
           "x = 2\n",
           "f(32, 32, k=16)\n"
           "x = 32\n",
           "f(32, 16, k=8)\n"
           "x = 64\n",
           "f(0, 32, k=16)\n"
           "x = 64\n",
           "f(1, 32, k=16)\n"
           "x = 64\n",
           "f(2, 32, k=16)\n"
           "x = 64\n",
           "f(32, 32, k=16)\n"
           "x = 64\n",
           "f(63, 32, k=16)\n"
           "x = 64\n",
           "f(64, 0, k=16)\n"
           "x = 64\n",
           "f(64, 1, k=16)\n"
           "x = 64\n",
           "f(64, 2, k=16)\n"
           "x = 64\n",
           "f(64, 16, k=16)\n"
           "x = 64\n",
           "f(64, 31, k=16)\n"
           "x = 64\n",
           "f(64, 32, k=0)\n"
           "x = 64\n",
           "f(64, 32, k=1)\n"
           "x = 64\n",
           "f(64, 32, k=2)\n"
           "x = 64\n",
           "f(64, 32, k=8)\n"
           "x = 64\n",
           "f(64, 32, k=15)\n"
           "x = 64\n",
           "f(64, 32, k=16)\n"
           "x = 0\n",
           "f(64, 32, k=16)\n"
           "x = 1\n",
           "f(64, 32, k=16)\n"
           "x = 2\n",
           "f(64, 32, k=16)\n"
           "x = 32\n",
           "f(64, 32, k=16)\n"
           "x = 63\n");
    GOLDEN(EDIT_integer, "x = [3, 3]\n", "x = [1, 1]\n", "x = [1, 1]\n",
           "x = [2, 2]\n", "x = [1, 1]\n", "x = [0, 3]\n", "x = [1, 3]\n",
           "x = [2, 3]\n", "x = [3, 0]\n", "x = [3, 1]\n", "x = [3, 2]\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_shrinks_alone),
        cmocka_unit_test(all_notations_are_read),
        cmocka_unit_test(floats_shrink),
        cmocka_unit_test(numbers_shrink_together),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
