/* Keyword arguments: all results for each text. */
#include "test/golden.h"

static void keywords_go_alone(void **state)
{
    (void)state;
    GOLDEN(EDIT_keyword, "f(a, k=1, m=2)\n", "f(a, m=2)\n", "f(a, k=1)\n");
    GOLDEN(EDIT_keyword, "f(k=1)\n", "f()\n");
    GOLDEN(EDIT_keyword, "f(k=1, m=2, )\n", "f(m=2, )\n", "f(k=1 )\n");
    GOLDEN(EDIT_keyword, "f(**k, a=1)\n", "f(a=1)\n", "f(**k)\n");
}

static void base_classes_have_none(void **state)
{
    (void)state;
    GOLDEN_NONE(EDIT_keyword, "class A(B, metaclass=M): pass\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keywords_go_alone),
        cmocka_unit_test(base_classes_have_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
