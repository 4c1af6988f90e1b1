/* Strings: all results for each text. */
#include "test/golden.h"

static void a_string_loses_halves(void **state)
{
    (void)state;
    GOLDEN(EDIT_string, "x = 'abcd'\n", "x = ''\n", "x = 'cd'\n", "x = 'ab'\n");
    GOLDEN(EDIT_string, "x = 'a'\n", "x = ''\n");
    GOLDEN_NONE(EDIT_string, "x = ''\n");
}

static void halves_keep_escapes_and_characters(void **state)
{
    (void)state;
    GOLDEN(EDIT_string, "x = 'a\\nb'\n", "x = ''\n", "x = 'b'\n",
           "x = 'a\\n'\n");
    GOLDEN(EDIT_string, "x = '\\x41'\n", "x = ''\n");
    GOLDEN(EDIT_string, "x = '\303\244\303\266\303\274'\n", "x = ''\n",
           "x = '\303\274'\n", "x = '\303\244\303\266'\n");
    GOLDEN(EDIT_string, "x = '\\\\'\n", "x = ''\n");
}

static void prefixes_and_long_quotes_go(void **state)
{
    (void)state;
    GOLDEN(EDIT_string, "x = f'a'\n", "x = f''\n", "x = 'a'\n");
    GOLDEN(EDIT_string, "x = rb'a'\n", "x = rb''\n", "x = 'a'\n");
    GOLDEN(EDIT_string, "x = '''a'''\n", "x = ''''''\n", "x = 'a'\n");
    GOLDEN_NONE(EDIT_string, "x = f'a{b}'\n");
}

static void lines_go_one_by_one(void **state)
{
    (void)state;
    GOLDEN(EDIT_string,
           "x = '''\n"
           "int a;\n"
           "int b;\n"
           "'''\n",
           "x = ''''''\n",
           "x = '''\n"
           "int b;\n"
           "'''\n",
           "x = '''\n"
           "int a;'''\n",
           "x = '''int a;\n"
           "int b;\n"
           "'''\n",
           "x = '''\n"
           "int b;\n"
           "'''\n",
           "x = '''\n"
           "int a;\n"
           "'''\n");
}

static void docstrings_are_left(void **state)
{
    (void)state;
    GOLDEN_NONE(EDIT_string, "def f():\n"
                             "    'doc'\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_string_loses_halves),
        cmocka_unit_test(halves_keep_escapes_and_characters),
        cmocka_unit_test(prefixes_and_long_quotes_go),
        cmocka_unit_test(lines_go_one_by_one),
        cmocka_unit_test(docstrings_are_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
