/* Keyword arguments: all results for each text. */
#include "test/unit/offers.h"

static void keywords_go_alone(void **state)
{
    (void)state;
    assert_offers("f(a, k=1, m=2)\n", EDIT_keyword,
                  "f(a, m=2)\n"
                  "|\n"
                  "f(a, k=1)\n"
                  "|\n");
    assert_offers("f(k=1)\n", EDIT_keyword,
                  "f()\n"
                  "|\n");
    assert_offers("f(k=1, m=2, )\n", EDIT_keyword,
                  "f(m=2, )\n"
                  "|\n"
                  "f(k=1 )\n"
                  "|\n");
    assert_offers("f(**k, a=1)\n", EDIT_keyword,
                  "f(a=1)\n"
                  "|\n"
                  "f(**k)\n"
                  "|\n");
}

static void base_classes_have_none(void **state)
{
    (void)state;
    assert_offers("class A(B, metaclass=M): pass\n", EDIT_keyword, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keywords_go_alone),
        cmocka_unit_test(base_classes_have_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
