/* Strings: all results for each text. */
#include "test/unit/offers.h"

static void a_string_loses_halves(void **state)
{
    (void)state;
    assert_offers("x = 'abcd'\n", EDIT_string,
                  "x = ''\n"
                  "|\n"
                  "x = 'cd'\n"
                  "|\n"
                  "x = 'ab'\n"
                  "|\n");
    assert_offers("x = 'a'\n", EDIT_string,
                  "x = ''\n"
                  "|\n");
    assert_offers("x = ''\n", EDIT_string, "");
}

static void halves_keep_escapes_and_characters(void **state)
{
    (void)state;
    assert_offers("x = 'a\\nb'\n", EDIT_string,
                  "x = ''\n"
                  "|\n"
                  "x = 'b'\n"
                  "|\n"
                  "x = 'a\\n'\n"
                  "|\n"
                  "x = 'b'\n"
                  "|\n"
                  "x = 'a\\n'\n"
                  "|\n");
    assert_offers("x = '\\x41'\n", EDIT_string,
                  "x = ''\n"
                  "|\n");
    assert_offers("x = '\303\244\303\266\303\274'\n", EDIT_string,
                  "x = ''\n"
                  "|\n"
                  "x = '\303\274'\n"
                  "|\n"
                  "x = '\303\244\303\266'\n"
                  "|\n");
    assert_offers("x = '\\\\'\n", EDIT_string,
                  "x = ''\n"
                  "|\n");
}

static void words_go_with_what_stands_behind_them(void **state)
{
    (void)state;
    assert_offers("x = 'one, \\ntwo3 -'\n", EDIT_string,
                  "x = ''\n"
                  "|\n"
                  "x = 'two3 -'\n"
                  "|\n"
                  "x = 'one, \\n'\n"
                  "|\n"
                  "x = 'two3 -'\n"
                  "|\n"
                  "x = 'one, \\n'\n"
                  "|\n");
}

static void prefixes_and_long_quotes_go(void **state)
{
    (void)state;
    assert_offers("x = f'a'\n", EDIT_string,
                  "x = f''\n"
                  "|\n"
                  "x = 'a'\n"
                  "|\n");
    assert_offers("x = rb'a'\n", EDIT_string,
                  "x = rb''\n"
                  "|\n"
                  "x = 'a'\n"
                  "|\n");
    assert_offers("x = '''a'''\n", EDIT_string,
                  "x = ''''''\n"
                  "|\n"
                  "x = 'a'\n"
                  "|\n");
    assert_offers("x = f'a{b}'\n", EDIT_string, "");
}

static void lines_go_one_by_one(void **state)
{
    (void)state;
    assert_offers("x = '''\n"
                  "int a\n"
                  "int b\n"
                  "'''\n",
                  EDIT_string,
                  "x = ''''''\n"
                  "|\n"
                  "x = '''int a\n"
                  "int b\n"
                  "'''\n"
                  "|\n"
                  "x = '''\n"
                  "a\n"
                  "int b\n"
                  "'''\n"
                  "|\n"
                  "x = '''\n"
                  "int int b\n"
                  "'''\n"
                  "|\n"
                  "x = '''\n"
                  "int a\n"
                  "b\n"
                  "'''\n"
                  "|\n"
                  "x = '''\n"
                  "int a\n"
                  "int '''\n"
                  "|\n"
                  "x = '''\n"
                  "int b\n"
                  "'''\n"
                  "|\n"
                  "x = '''\n"
                  "int a'''\n"
                  "|\n"
                  "x = '''int a\n"
                  "int b\n"
                  "'''\n"
                  "|\n"
                  "x = '''\n"
                  "int b\n"
                  "'''\n"
                  "|\n"
                  "x = '''\n"
                  "int a\n"
                  "'''\n"
                  "|\n");
}

static void docstrings_are_left(void **state)
{
    (void)state;
    assert_offers("def f():\n"
                  "    'doc'\n",
                  EDIT_string, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_string_loses_halves),
        cmocka_unit_test(halves_keep_escapes_and_characters),
        cmocka_unit_test(words_go_with_what_stands_behind_them),
        cmocka_unit_test(prefixes_and_long_quotes_go),
        cmocka_unit_test(lines_go_one_by_one),
        cmocka_unit_test(docstrings_are_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
