/* Statements that leave their expression: all results for each text. */
#include "test/unit/offers.h"

static void a_keyword_goes_before_its_expression(void **state)
{
    (void)state;
    assert_offers("raise f()\n", EDIT_bare,
                  "f()\n"
                  "|\n");
    assert_offers("raise f() from g()\n", EDIT_bare,
                  "f()\n"
                  "|\n");
    assert_offers("assert f(x), 'why'\n", EDIT_bare,
                  "f(x)\n"
                  "|\n");
    assert_offers("def h(): return a.b; c\n", EDIT_bare,
                  "def h(): a.b; c\n"
                  "|\n");
    assert_offers("del x[f()], y\n", EDIT_bare,
                  "(x[f()], y)\n"
                  "|\n");
}

static void a_compound_statement_leaves_its_header(void **state)
{
    (void)state;
    assert_offers("if f(x):\n"
                  "    y\n"
                  "else:\n"
                  "    z\n"
                  "w\n",
                  EDIT_bare,
                  "f(x)\n"
                  "w\n"
                  "|\n");
    assert_offers("if n := f(): y;\n", EDIT_bare,
                  "(n := f())\n"
                  "|\n");
    assert_offers("while(f(x)): pass\n", EDIT_bare,
                  "(f(x))\n"
                  "|\n");
    assert_offers("for x in a, b(): y\n", EDIT_bare,
                  "(a, b())\n"
                  "|\n");
    assert_offers("with (a() as b,\n"
                  "      c()\n"
                  "      + d):\n"
                  "    e\n",
                  EDIT_bare,
                  "a()\n"
                  "|\n"
                  "(c()\n"
                  "      + d)\n"
                  "|\n");
}

static void what_does_nothing_is_not_worth_leaving(void **state)
{
    (void)state;
    assert_offers("raise E\n"
                  "raise\n"
                  "assert 1\n"
                  "def f(): return\n"
                  "def g(): return x, 2\n"
                  "del x\n"
                  "if a: b()\n",
                  EDIT_bare, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_keyword_goes_before_its_expression),
        cmocka_unit_test(a_compound_statement_leaves_its_header),
        cmocka_unit_test(what_does_nothing_is_not_worth_leaving),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
