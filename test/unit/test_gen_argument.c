/* Positional arguments: all results for each text. */
#include "test/golden.h"

static void arguments_go_with_their_commas(void **state)
{
    (void)state;
    GOLDEN(EDIT_argument, "f(a, b)\n", "f(b)\n", "f(a)\n");
    GOLDEN(EDIT_argument, "f(a)\n", "f()\n");
    GOLDEN(EDIT_argument,
           "f(\n"
           "    a,  # one\n"
           "    b,\n"
           ")\n",
           "f(\n"
           "    b,\n"
           ")\n",
           "f(\n"
           "    a\n"
           ")\n");
}

static void positional_arguments_go_between_keywords(void **state)
{
    (void)state;
    GOLDEN(EDIT_argument, "f(a, k=1, *b, **c)\n", "f(k=1, *b, **c)\n",
           "f(a, k=1, **c)\n");
    GOLDEN(EDIT_argument, "f(k=1, *a)\n", "f(k=1)\n");
}

static void a_splatted_display_is_written_out(void **state)
{
    (void)state;
    GOLDEN(EDIT_argument, "f(*(1, 2))\n", "f()\n", "f(1, 2)\n");
    GOLDEN(EDIT_argument, "f(**dict(a=1, b=2))\n", "f(a=1, b=2)\n");
    GOLDEN(EDIT_argument, "f(*[x])\n", "f()\n", "f(x)\n");
}

static void generators_and_base_classes_are_left(void **state)
{
    (void)state;
    GOLDEN_NONE(EDIT_argument, "f(x for x in y)\n");
    GOLDEN_NONE(EDIT_argument, "class A(B, C): pass\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_go_with_their_commas),
        cmocka_unit_test(positional_arguments_go_between_keywords),
        cmocka_unit_test(a_splatted_display_is_written_out),
        cmocka_unit_test(generators_and_base_classes_are_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
