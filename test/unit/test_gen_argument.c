/* Positional arguments: all results for each text. */
#include "test/unit/offers.h"

static void arguments_go_with_their_commas(void **state)
{
    (void)state;
    assert_offers("f(a, b)\n", EDIT_argument,
                  "f(b)\n"
                  "|\n"
                  "f(a)\n"
                  "|\n");
    assert_offers("f(a)\n", EDIT_argument,
                  "f()\n"
                  "|\n");
    assert_offers("f(\n"
                  "    a,  # one\n"
                  "    b,\n"
                  ")\n",
                  EDIT_argument,
                  "f(\n"
                  "    b,\n"
                  ")\n"
                  "|\n"
                  "f(\n"
                  "    a\n"
                  ")\n"
                  "|\n");
}

static void positional_arguments_go_between_keywords(void **state)
{
    (void)state;
    assert_offers("f(a, k=1, *b, **c)\n", EDIT_argument,
                  "f(k=1, *b, **c)\n"
                  "|\n"
                  "f(a, k=1, **c)\n"
                  "|\n");
    assert_offers("f(k=1, *a)\n", EDIT_argument,
                  "f(k=1)\n"
                  "|\n");
}

static void a_splatted_display_is_written_out(void **state)
{
    (void)state;
    assert_offers("f(*(1, 2))\n", EDIT_argument,
                  "f()\n"
                  "|\n"
                  "f(1, 2)\n"
                  "|\n");
    assert_offers("f(**dict(a=1, b=2))\n", EDIT_argument,
                  "f(a=1, b=2)\n"
                  "|\n");
    assert_offers("f(**{'a': 1, \"b\": g(2)})\n", EDIT_argument,
                  "f(a=1, b=g(2))\n"
                  "|\n"
                  "f(**{'a': 1, \"b\": g()})\n"
                  "|\n");
    assert_offers("f(**{'a b': 1}, **{**k}, **{rb'c': 1}, **{})\n",
                  EDIT_argument, "");
    assert_offers("f(*T(a, *b))\n", EDIT_argument,
                  "f()\n|\nf(a, *b)\n|\nf(*T(*b))\n|\nf(*T(a))\n|\n");
    assert_offers("f(*T(a, k=b))\n", EDIT_argument, "f()\n|\nf(*T(k=b))\n|\n");
    assert_offers("f(*[x])\n", EDIT_argument,
                  "f()\n"
                  "|\n"
                  "f(x)\n"
                  "|\n");
}

static void what_a_function_of_the_file_asks_for_stays(void **state)
{
    (void)state;
    assert_offers("def f(a, b): pass\n"
                  "f(x, y)\n"
                  "f(x, b=y)\n",
                  EDIT_argument, "");
    assert_offers("class K:\n"
                  "    def __init__(self, a): pass\n"
                  "K(x)\n",
                  EDIT_argument, "");
    assert_offers("@triton.jit\n"
                  "def k(p, N): pass\n"
                  "k[(1,)](x, 2, num_warps=4)\n",
                  EDIT_argument, "");
    /* A default, too few of them, a splat. */
    assert_offers("def f(a, b=1): pass\n"
                  "f(x, y)\n",
                  EDIT_argument,
                  "def f(a, b=1): pass\n"
                  "f(y)\n"
                  "|\n"
                  "def f(a, b=1): pass\n"
                  "f(x)\n"
                  "|\n");
    assert_offers("def f(a, b): pass\n"
                  "f(x)\n",
                  EDIT_argument,
                  "def f(a, b): pass\n"
                  "f()\n"
                  "|\n");
    /* What fits no parameter, or one that has been passed. */
    assert_offers("def h(*, k): pass\n"
                  "h(x)\n",
                  EDIT_argument,
                  "def h(*, k): pass\n"
                  "h()\n"
                  "|\n");
    assert_offers("def f(a, b): pass\n"
                  "f(x, a=y)\n",
                  EDIT_argument,
                  "def f(a, b): pass\n"
                  "f(a=y)\n"
                  "|\n");
    assert_offers("def f(a): pass\n"
                  "f(x, z=y)\n",
                  EDIT_argument,
                  "def f(a): pass\n"
                  "f(z=y)\n"
                  "|\n");
    assert_offers("def f(b, a, /): pass\n"
                  "f(x, a=y)\n",
                  EDIT_argument,
                  "def f(b, a, /): pass\n"
                  "f(a=y)\n"
                  "|\n");
    assert_offers("def f(a, b): pass\n"
                  "f(x,\n"
                  "  # why\n"
                  "  y)\n",
                  EDIT_argument, "");
    assert_offers("def f(*a): pass\n"
                  "f(x)\n",
                  EDIT_argument,
                  "def f(*a): pass\n"
                  "f()\n"
                  "|\n");
    /* Its decorator may do anything; the name may be another's. */
    assert_offers("@d\n"
                  "def f(a): pass\n"
                  "f(x)\n",
                  EDIT_argument,
                  "@d\n"
                  "def f(a): pass\n"
                  "f()\n"
                  "|\n");
    assert_offers("def f(a): pass\n"
                  "f = g\n"
                  "f(x)\n",
                  EDIT_argument,
                  "def f(a): pass\n"
                  "f = g\n"
                  "f()\n"
                  "|\n");
    assert_offers("class K:\n"
                  "    def add(self, a): pass\n"
                  "x.add(y)\n",
                  EDIT_argument,
                  "class K:\n"
                  "    def add(self, a): pass\n"
                  "x.add()\n"
                  "|\n");
}

static void a_method_without_self_takes_nothing(void **state)
{
    (void)state;
    assert_offers("class K:\n"
                  "    def __init__(): pass\n"
                  "K(1)\n",
                  EDIT_argument,
                  "class K:\n"
                  "    def __init__(): pass\n"
                  "K()\n"
                  "|\n");
}

static void generators_and_base_classes_are_left(void **state)
{
    (void)state;
    assert_offers("f(x for x in y)\n", EDIT_argument, "");
    assert_offers("class A(B, C): pass\n", EDIT_argument, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_function_of_the_file_asks_for_stays),
        cmocka_unit_test(arguments_go_with_their_commas),
        cmocka_unit_test(positional_arguments_go_between_keywords),
        cmocka_unit_test(a_splatted_display_is_written_out),
        cmocka_unit_test(a_method_without_self_takes_nothing),
        cmocka_unit_test(generators_and_base_classes_are_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
