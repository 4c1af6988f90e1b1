#include "test/unit/offers.h"

static void comments_go_with_their_line_or_their_blanks(void **state)
{
    (void)state;
    assert_offers("#!/bin/sh\n"
                  "x = 1  # one\r\n"
                  "  # two\n"
                  "y = '# no'",
                  EDIT_trivia,
                  "x = 1  # one\r\n  # two\ny = '# no'|\n"
                  "#!/bin/sh\nx = 1\r\n  # two\ny = '# no'|\n"
                  "#!/bin/sh\nx = 1  # one\r\ny = '# no'|\n");
    assert_whole("# a\nx = 1 # b\n\n# c\n", EDIT_trivia, 0, "x = 1\n|\n");
    assert_whole("f(a, # b\n  # c\n  d)\n", EDIT_trivia, 0, "f(a,\n  d)\n|\n");
}

static void a_cookie_stays_while_the_text_needs_it(void **state)
{
    (void)state;
    assert_whole("#!x\n# -*- coding: latin-1 -*-\nx = '\xe4'\n", EDIT_trivia, 0,
                 "# -*- coding: latin-1 -*-\nx = '\xe4'\n|\n");
    assert_whole("# coding=latin-1\nx = 'a'\n", EDIT_trivia, 0, "x = 'a'\n|\n");
    assert_whole("# coding: utf-8\nx = '\xc3\xa4'\n", EDIT_trivia, 0,
                 "x = '\xc3\xa4'\n|\n");
    assert_whole("\xef\xbb\xbf# first\nx = 1\n", EDIT_trivia, 0,
                 "\xef\xbb\xbfx = 1\n|\n");
}

static void docstrings_go_and_leave_pass_where_they_are_all(void **state)
{
    (void)state;
    assert_whole("\"\"\"Doc.\"\"\"\n"
                 "def f():\n"
                 "    '''One.\n"
                 "\n"
                 "    Two.'''\n"
                 "    return 1\n"
                 "class C:\n"
                 "    'only'\n"
                 "    'this'\n",
                 EDIT_trivia, 0,
                 "def f():\n"
                 "    return 1\n"
                 "class C:\n"
                 "    pass\n|\n");
    assert_offers("def f(): ''\n", EDIT_trivia, "");
    assert_offers("f'{x()}'\n", EDIT_trivia, "");
}

static void blank_lines_and_blanks_go_but_not_in_strings(void **state)
{
    (void)state;
    assert_whole("x = 1 \t\n\n  \ny = '''a \n\n b'''  \n\f\nz = 2 ;\n",
                 EDIT_trivia, 0, "x = 1\ny = '''a \n\n b'''\nz = 2\n|\n");
    assert_offers("x = 1 + \\\n  2\n", EDIT_trivia,
                  "x = 1 +2\n"
                  "|\n");
    assert_offers("x = 1 \\\n\ny = 2\n", EDIT_trivia, "");
}

static void deep_indentation_comes_down_to_the_usual_step(void **state)
{
    (void)state;
    assert_whole("if a:\n"
                 "  b\n"
                 "if a:\n"
                 "  b\n"
                 "if c:\n"
                 "      d = '''\n"
                 "      e'''\n"
                 "      if f:\n"
                 "        g\n",
                 EDIT_trivia, 0,
                 "if a:\n"
                 "  b\n"
                 "if a:\n"
                 "  b\n"
                 "if c:\n"
                 "  d = '''\n"
                 "      e'''\n"
                 "  if f:\n"
                 "    g\n|\n");
}

static void annotations_alone_are_no_trivia(void **state)
{
    (void)state;
    assert_offers("x: int\n", EDIT_trivia, "");
}

static void frozen_comments_stay(void **state)
{
    struct span frozen = { 0, 3 };

    (void)state;
    char *got = offers_of("# a\nx # b\n", EDIT_trivia, &frozen);
    assert_string_equal(got, "# a\nx\n|\n");
    free(got);
}

static void lines_are_joined_in_brackets_and_behind_backslashes(void **state)
{
    (void)state;
    assert_offers("f(a,\n"
                  "  b\n"
                  "  or c)\n"
                  "if d: \\\n"
                  "  e\n",
                  EDIT_trivia,
                  "f(a,b\n"
                  "  or c)\n"
                  "if d: \\\n"
                  "  e\n"
                  "|\n"
                  "f(a,\n"
                  "  b or c)\n"
                  "if d: \\\n"
                  "  e\n"
                  "|\n"
                  "f(a,\n"
                  "  b\n"
                  "  or c)\n"
                  "if d:e\n"
                  "|\n");
    assert_whole("def f(a,\n"
                 "      b=[\n"
                 "\n"
                 "          1,  # one\n"
                 "          2]):\n"
                 "    return (a\n"
                 "            if b else 'c\\\n"
                 "            d')\n",
                 EDIT_trivia, 0,
                 "def f(a,b=[1,\n"
                 "          2]):\n"
                 "    return (a if b else 'c\\\n"
                 "            d')\n"
                 "|\n");
    assert_offers("x = (a\n"
                  "if b else c)\n",
                  EDIT_trivia, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_joined_in_brackets_and_behind_backslashes),
        cmocka_unit_test(comments_go_with_their_line_or_their_blanks),
        cmocka_unit_test(a_cookie_stays_while_the_text_needs_it),
        cmocka_unit_test(docstrings_go_and_leave_pass_where_they_are_all),
        cmocka_unit_test(blank_lines_and_blanks_go_but_not_in_strings),
        cmocka_unit_test(deep_indentation_comes_down_to_the_usual_step),
        cmocka_unit_test(annotations_alone_are_no_trivia),
        cmocka_unit_test(frozen_comments_stay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
