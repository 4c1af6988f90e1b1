/* Comprehensions over one element: all results for each text. */
#include "test/unit/offers.h"

static void the_element_takes_the_place_of_its_name(void **state)
{
    (void)state;
    assert_offers("a = [g(*row) for row in [(1, f())]]\n", EDIT_unroll,
                  "a = [g(*(1, f()))]\n"
                  "|\n");
    assert_offers("a = {x: x + 1 for x in (n.m,)}\n", EDIT_unroll,
                  "a = {n.m: n.m + 1}\n"
                  "|\n");
    assert_offers("a = {x * 2 for x in [b + c] if d}\n", EDIT_unroll,
                  "a = {(b + c) * 2}\n"
                  "|\n");
}

static void a_generator_becomes_a_list(void **state)
{
    (void)state;
    assert_offers("a = (x for x in {2})\n", EDIT_unroll,
                  "a = [2]\n"
                  "|\n");
    assert_offers("dict((k,\n"
                  "  v) # why\n"
                  "  for k, v in [(a, f())] if k)\n",
                  EDIT_unroll,
                  "dict([(a,\n"
                  "  f())])\n"
                  "|\n");
}

static void only_the_first_clause_goes(void **state)
{
    (void)state;
    assert_offers("a = [p + q for p in [1] if r for q in z if p]\n",
                  EDIT_unroll,
                  "a = [1 + q for q in z if 1]\n"
                  "|\n");
}

static void the_first_of_several_stands_for_all(void **state)
{
    (void)state;
    assert_offers("f([x + x for x in [1, 2]])\n", EDIT_unroll,
                  "f([1 + 1])\n"
                  "|\n");
    assert_offers("f(g(i, i) for i in range(n))\n", EDIT_unroll,
                  "f([g(0, 0)])\n"
                  "|\n");
    assert_offers("{i for i in range(2, n)}\n", EDIT_unroll,
                  "{2}\n"
                  "|\n");
    assert_offers("[k + v for k, v in {a: b, c: d}.items() if v]\n",
                  EDIT_unroll,
                  "[a + b]\n"
                  "|\n");
    assert_offers("[-item ** 2 for item in values]\n", EDIT_unroll,
                  "[-next(iter(values)) ** 2]\n"
                  "|\n");
    assert_offers("[f(x) for x in xs]\n"
                  "[f(y) for y in g()]\n",
                  EDIT_unroll,
                  "[f(xs[0])]\n"
                  "[f(y) for y in g()]\n"
                  "|\n");
}

static void what_cannot_be_repeated_or_told_apart_stays(void **state)
{
    (void)state;
    assert_offers("a = [x + x for x in [f()]]\n"
                  "c = [x for x in [*y]]\n"
                  "d = [x for x, y in [z]]\n"
                  "e = [x for x, *y in [(1, 2)]]\n"
                  "f = [x for x, y in [(1, 2, 3)]]\n"
                  "g = [lambda z: x for x in [z]]\n"
                  "h = [x + x for x in f(1, 2, 3, 4, 5)]\n"
                  "i = [x for x, y in {**z}.items()]\n"
                  "j = [x for x in range()]\n",
                  EDIT_unroll, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_element_takes_the_place_of_its_name),
        cmocka_unit_test(a_generator_becomes_a_list),
        cmocka_unit_test(only_the_first_clause_goes),
        cmocka_unit_test(the_first_of_several_stands_for_all),
        cmocka_unit_test(what_cannot_be_repeated_or_told_apart_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
