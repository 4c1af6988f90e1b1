#include "test/test.h"

#include <stdlib.h>
#include <string.h>

#include "grammar/frames.h"

/* The statements in these lines, each in brackets and with its first line. */
static void assert_frames(const char *text, const char *lines,
                          const char *expected)
{
    struct tree *tree = tree_parse(bytes_of(text, strlen(text)));
    struct span *spans;
    size_t n = frame_spans(tree, lines, &spans);
    char got[256] = "";

    for (size_t i = 0; i < n; i++) {
        const char *start = text + spans[i].start;
        size_t len = strcspn(start, "\n");

        if (len > span_len(spans[i]))
            len = span_len(spans[i]);
        snprintf(got + strlen(got), sizeof(got) - strlen(got), "[%.*s]",
                 (int)len, start);
        if (memchr(start, '\n', span_len(spans[i])))
            snprintf(got + strlen(got), sizeof(got) - strlen(got), "..");
    }
    assert_string_equal(got, expected);
    free(spans);
    tree_free(tree);
}

static const char script[] = "import a\n"          /* 1 */
                             "def f(x):\n"         /* 2 */
                             "    # of f\n"        /* 3 */
                             "    with x as y:\n"  /* 4 */
                             "        y = g(1,\n"  /* 5 */
                             "              x)\n"  /* 6 */
                             "    return y; z()\n" /* 7 */
                             "if a:\n"             /* 8 */
                             "    f(2)\n"          /* 9 */
                             "elif b: f(3)\n"      /* 10 */
                             "\n"                  /* 11 */
                             "@d(1)\n"             /* 12 */
                             "def h(): f(4)\n";    /* 13 */

static void each_line_is_in_its_smallest_statement(void **state)
{
    (void)state;
    assert_frames(script, "9,5", "[y = g(1,]..[f(2)]");
    assert_frames(script, "6", "[y = g(1,]..");
    assert_frames(script, "4", "[with x as y:]..");
    assert_frames(script, "2", "[def f(x):]..");
    assert_frames(script, "7", "[return y]");
    assert_frames(script, "8", "[if a:]..");
    assert_frames(script, "10", "[if a:]..");
    assert_frames(script, "12", "[@d(1)]..");
    assert_frames(script, "1,1,1", "[import a]");
}

static void what_is_no_line_is_left_out(void **state)
{
    (void)state;
    assert_frames(script, NULL, "");
    assert_frames(script, "", "");
    assert_frames(script, "11,14,0,99999999999999999999999", "");
    assert_frames(script, "1,x,9", "[import a]");
    assert_frames("", "1", "");
}

/* Which of the statements in these lines are left, by their first byte. */
static void assert_left(const char *text, const char *lines,
                        const char *expected)
{
    struct tree *tree = tree_parse(bytes_of(text, strlen(text)));
    struct span *spans;
    size_t n = frame_spans(tree, lines, &spans), len = 0;
    char got[64] = "";

    frames_forget_stale(tree, spans, n);
    for (size_t i = 0; i < n; i++)
        if (span_len(spans[i]) > 0)
            got[len++] = text[spans[i].start];
    assert_string_equal(got, expected);
    free(spans);
    tree_free(tree);
}

static void the_first_of_the_modules_own_statements_fails(void **state)
{
    static const char text[] = "def f():\n"         /* 1 */
                               "    gemm()\n"       /* 2 */
                               "class K:\n"         /* 3 */
                               "    def m(s):\n"    /* 4 */
                               "        launch()\n" /* 5 */
                               "    body()\n"       /* 6 */
                               "if x:\n"            /* 7 */
                               "    y()\n"          /* 8 */
                               "z()\n";             /* 9 */
    (void)state;

    assert_left(text, "9,2", "gz");
    assert_left(text, "9,3,6,2", "gcb");
    assert_left(text, "9,8,2", "gy");
    assert_left(text, "5,2", "gl");
    assert_left(text, "", "");
}

static void what_is_raised_from_a_failure_comes_after_it(void **state)
{
    static const char text[] = "try:\n"                   /* 1 */
                               "    if x:\n"              /* 2 */
                               "        f()\n"            /* 3 */
                               "except E as e:\n"         /* 4 */
                               "    try:\n"               /* 5 */
                               "        g()\n"            /* 6 */
                               "    except A:\n"          /* 7 */
                               "        raise X from e\n" /* 8 */
                               "    h()\n"                /* 9 */
                               "else:\n"                  /* 10 */
                               "    k()\n"                /* 11 */
                               "z()\n";                   /* 12 */
    (void)state;

    assert_left(text, "3,8", "fr");
    assert_left(text, "3,6,8", "fgr");
    assert_left(text, "6,8,9", "gr");
    assert_left(text, "3,11", "f");
    assert_left(text, "3,12", "f");
    assert_left(text, "8,9", "r");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_of_the_modules_own_statements_fails),
        cmocka_unit_test(what_is_raised_from_a_failure_comes_after_it),
        cmocka_unit_test(each_line_is_in_its_smallest_statement),
        cmocka_unit_test(what_is_no_line_is_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
