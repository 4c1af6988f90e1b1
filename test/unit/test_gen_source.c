/* C in strings: all results for each text. */
#include "test/unit/offers.h"

#define DEFINE                                                                 \
    "#define N "                                                               \
    "\\\n"                                                                     \
    "  4\n"
#define IF "if (n) { g(\"};\", ';'); } else h();\n"
#define FOR "for (;;) x[n] = 1;\n"

static void statements_go_block_by_block(void **state)
{
    (void)state;
    assert_offers(
        "k = r'''\n" DEFINE "void f(int n) {\n" IF FOR "}\n'''\n", EDIT_source,
        "k = r'''\nvoid f(int n) {\n" IF FOR "}\n'''\n|\n"
        "k = r'''\n#define N \\\n  4\n'''\n|\n"
        "k = r'''\n" DEFINE "void f(int n) {\n" FOR "}\n'''\n|\n"
        "k = r'''\n" DEFINE "void f(int n) {\n" IF "}\n'''\n|\n"
        "k = r'''\n" DEFINE "void f(int n) {\nif (n) {  } else h();\n" FOR
        "}\n'''\n|\n"
        "k = r'''\n" DEFINE "void f(int n) {\n g(\"};\", ';'); \n" FOR
        "}\n'''\n|\n"
        "k = r'''\n" DEFINE "void f(int n) {\nif (n) { g(\"};\", ';'); }\n" FOR
        "}\n'''\n|\n");
}

static void values_and_members_are_no_statements(void **state)
{
    (void)state;
    assert_offers("k = '''\n"
                  "struct s { int a; };\n"
                  "int y[] = {1, f(2)};\n"
                  "'''\n",
                  EDIT_source,
                  "k = '''\n"
                  "int y[] = {1, f(2)};\n"
                  "'''\n"
                  "|\n"
                  "k = '''\n"
                  "struct s { int a; };\n"
                  "'''\n"
                  "|\n"
                  "k = '''\n"
                  "struct s {  };\n"
                  "int y[] = {1, f(2)};\n"
                  "'''\n"
                  "|\n");
}

static void comments_and_blanks_go(void **state)
{
    (void)state;
    assert_whole("k = '''\n"
                 "a;  // one; {\n"
                 "\n"
                 "  /* two */ b;\n"
                 "'''\n",
                 EDIT_source, 1,
                 "k = '''\n"
                 "a;  \n"
                 "\n"
                 "   b;\n"
                 "'''\n"
                 "|\n");
    assert_whole("k = '''\n"
                 "a;  // one; {\n"
                 "\n"
                 "  /* two */ b;\n"
                 "'''\n",
                 EDIT_source, 2,
                 "k = '''\n"
                 "a; // one; {\n"
                 "/* two */ b;\n"
                 "'''\n"
                 "|\n");
}

static void braces_of_an_f_string_are_doubled(void **state)
{
    (void)state;
    assert_offers("k = f'''\n"
                  "if ({a}) {{ {b}; }}\n"
                  "'''\n",
                  EDIT_source,
                  "k = f'''\n"
                  "\n"
                  "'''\n"
                  "|\n"
                  "k = f'''\n"
                  "if ({a}) {{  }}\n"
                  "'''\n"
                  "|\n");
}

static void what_does_not_read_as_c_is_left_alone(void **state)
{
    (void)state;
    assert_offers("a = '''\n"
                  "one; {\n"
                  "'''\n"
                  "b = '''\n"
                  "};\n"
                  "'''\n"
                  "c = '''\n"
                  "plain words\n"
                  "'''\n"
                  "d = 'x; y;'\n"
                  "'''\n"
                  "doc;\n"
                  "'''\n",
                  EDIT_source, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements_go_block_by_block),
        cmocka_unit_test(values_and_members_are_no_statements),
        cmocka_unit_test(comments_and_blanks_go),
        cmocka_unit_test(braces_of_an_f_string_are_doubled),
        cmocka_unit_test(what_does_not_read_as_c_is_left_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
