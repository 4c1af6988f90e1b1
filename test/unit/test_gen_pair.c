/* Loops over pairs: all results for each text. */
#include "test/unit/offers.h"

static void the_half_that_is_read_is_left(void **state)
{
    (void)state;
    assert_offers("for i, x in enumerate(xs): f(x)\n", EDIT_pair,
                  "for x in xs: f(x)\n"
                  "|\n");
    assert_offers("for (i, (x, y)) in enumerate( (1, 2), start=1 ):\n"
                  "    f(y)\n",
                  EDIT_pair,
                  "for (x, y) in (1, 2):\n"
                  "    f(y)\n"
                  "|\n");
    assert_offers("for k, v in a.b.items(): f(v)\n"
                  "for [m, w] in {}.items():\n"
                  "    del m\n",
                  EDIT_pair,
                  "for v in a.b.values(): f(v)\n"
                  "for [m, w] in {}.items():\n"
                  "    del m\n"
                  "|\n"
                  "for k, v in a.b.items(): f(v)\n"
                  "for m in {}:\n"
                  "    del m\n"
                  "|\n");
    assert_offers("for a, b, c in zip(x, y, z, strict=True): b += 1\n",
                  EDIT_pair,
                  "for b in y: b += 1\n"
                  "|\n");
}

static void comprehensions_have_loops_too(void **state)
{
    (void)state;
    assert_offers("f({x for i, x in enumerate(y) if x})\n", EDIT_pair,
                  "f({x for x in y if x})\n"
                  "|\n");
    assert_offers("async def f():\n"
                  "    return [v async for k, v in a.items()]\n",
                  EDIT_pair,
                  "async def f():\n"
                  "    return [v async for v in a.values()]\n"
                  "|\n");
}

static void other_loops_stay(void **state)
{
    (void)state;
    assert_offers("for i, x in enumerate(xs): f(i)\n", EDIT_pair, "");
    assert_offers("for i, x in enumerate(xs): f(i, x)\n", EDIT_pair, "");
    assert_offers("for i, x in enumerate(xs): pass\n", EDIT_pair, "");
    assert_offers("for i, x in enumerate(): f(x)\n", EDIT_pair, "");
    assert_offers("for i, x in enumerate(*xs): f(x)\n", EDIT_pair, "");
    assert_offers("for i, *x in enumerate(xs): f(x)\n", EDIT_pair, "");
    assert_offers("for i, x in zip(a): f(x)\n", EDIT_pair, "");
    assert_offers("for i, x in zip(a, b, c): f(x)\n", EDIT_pair, "");
    assert_offers("for k, v in d.items(1): f(v)\n", EDIT_pair, "");
    assert_offers("for a.b, x in enumerate(xs): pass\n", EDIT_pair, "");
    assert_offers("for i in enumerate(xs): f(i)\n", EDIT_pair, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_half_that_is_read_is_left),
        cmocka_unit_test(comprehensions_have_loops_too),
        cmocka_unit_test(other_loops_stay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
