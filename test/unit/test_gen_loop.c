/* Loops written out: all results for each text. */
#include "test/unit/offers.h"

static void a_body_for_each_element(void **state)
{
    (void)state;
    assert_offers("for a, (b, c) in [(x, (1, 2)), (y, z)]: f()\n", EDIT_loop,
                  "f()\n"
                  "f()\n"
                  "|\n");
    assert_offers("with s:\n"
                  "  for p, q in (1, a.b), [2, c()]:\n"
                  "    h(p * q, p)\n",
                  EDIT_loop,
                  "with s:\n"
                  "  h(1 * a.b, 1)\n"
                  "  h(2 * c(), 2)\n"
                  "|\n");
    assert_pumps("def f():\n"
                 "\tfor a in [x + y, -2]:\n"
                 "\t\treturn a ** 2\n",
                 EDIT_loop,
                 "def f():\n"
                 "\treturn (x + y) ** 2\n"
                 "\treturn (-2) ** 2\n"
                 "|\n");
}

static void numbers_of_a_range(void **state)
{
    (void)state;
    assert_offers("for i in range(1, 3):\n"
                  "    g(i, f\"{i}\")\n",
                  EDIT_loop,
                  "g(1, f\"{1}\")\n"
                  "g(2, f\"{2}\")\n"
                  "|\n");
    /* what has an attribute is no literal */
    assert_offers("for counter in range(1):\n"
                  "    counter.real\n",
                  EDIT_loop,
                  "counter = 0\n"
                  "counter.real\n"
                  "|\n");
}

static void names_that_are_read_elsewhere_are_assigned(void **state)
{
    (void)state;
    assert_pumps("for k in 1, 2,:\n"
                 "    # why\n"
                 "    h(k); g(lambda: k)\n"
                 "    s = \"\"\"\n"
                 "    keep\"\"\"\n"
                 "print(k)\n",
                 EDIT_loop,
                 "k = 1\n"
                 "h(k); g(lambda: k)\n"
                 "s = \"\"\"\n"
                 "    keep\"\"\"\n"
                 "k = 2\n"
                 "h(k); g(lambda: k)\n"
                 "s = \"\"\"\n"
                 "    keep\"\"\"\n"
                 "print(k)\n"
                 "|\n");
    assert_pumps("for [p, *r] in [[1, 2], (3 +\n"
                 "  4)]:\n"
                 "    a(p, r)\n",
                 EDIT_loop,
                 "[p, *r] = [1, 2]\n"
                 "a(p, r)\n"
                 "[p, *r] = ((3 +\n"
                 "  4))\n"
                 "a(p, r)\n"
                 "|\n");
}

static void what_may_not_be_repeated_is_assigned(void **state)
{
    (void)state;
    assert_offers("for q in (u(), v()): a(q, q)\n", EDIT_loop, "");
    assert_pumps("for q in (u(), v()): a(q, q)\n", EDIT_loop,
                 "q = u()\n"
                 "a(q, q)\n"
                 "q = v()\n"
                 "a(q, q)\n"
                 "|\n");
}

static void line_ends_are_kept(void **state)
{
    (void)state;
    assert_offers("for i in 1, 2:\r\n    f(i)\r\n    g()\r\n", EDIT_loop,
                  "f(1)\r\n"
                  "g()\r\n"
                  "f(2)\r\n"
                  "g()\r\n"
                  "|\n");
}

static void loops_that_are_left_or_long_stay(void **state)
{
    static const char *const texts[] = {
        "for q in u, v:\n    if q: break\n",
        "for q in u, v:\n    if q: continue\n    f()\n",
        "for q in u, v:\n    f()\nelse:\n    g()\n",
        "async def f():\n    async for q in u, v:\n        g()\n",
        "for q in 1, 2, 3, 4, 5: f()\n",
        "for q in []: f()\n",
        "for q in *u, v: f()\n",
        "for q in [w := 1]: f()\n",
        "for q in range(0x2): f()\n",
        "for q in range(n): f()\n",
        "for q in range(2, 1): f()\n",
        "range = g\nfor q in range(2): f()\n",
        "for q in xs: f()\n",
        "if a: f()\nelse: g()\n",
    };
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        assert_offers(texts[i], EDIT_loop, "");
        assert_pumps(texts[i], EDIT_loop, "");
    }
    assert_offers("for q in u, v:\n    while q: break\n", EDIT_loop,
                  "while u: break\n"
                  "while v: break\n"
                  "|\n");
}

static void frozen_bytes_are_left_alone(void **state)
{
    static const char text[] = "for q in u, v: f()\n";
    const struct span frozen = { 15, 18 };
    char *got;
    (void)state;

    got = offers_of(text, EDIT_loop, &frozen);
    assert_string_equal(got, "");
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_for_each_element),
        cmocka_unit_test(numbers_of_a_range),
        cmocka_unit_test(names_that_are_read_elsewhere_are_assigned),
        cmocka_unit_test(what_may_not_be_repeated_is_assigned),
        cmocka_unit_test(line_ends_are_kept),
        cmocka_unit_test(loops_that_are_left_or_long_stay),
        cmocka_unit_test(frozen_bytes_are_left_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
