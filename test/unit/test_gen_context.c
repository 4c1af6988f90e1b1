/* Generators in the place of their `with`: all results for each text. */
#include "test/unit/offers.h"

static void both_halves_go_around_the_body(void **state)
{
    (void)state;
    assert_offers("@contextlib.contextmanager\n"
                  "def a(x, y=1):\n"
                  "    \"doc\"\n"
                  "    p(x)\n"
                  "    yield x + y\n"
                  "    q(y)\n"
                  "def main():\n"
                  "  with a(u()) as (v, w):\n"
                  "      # why\n"
                  "      f(v)\n"
                  "      s = \"\"\"\n"
                  "      keep\"\"\"\n",
                  EDIT_context,
                  "def main():\n"
                  "  x = u()\n"
                  "  p(x)\n"
                  "  (v, w) = x + 1\n"
                  "  f(v)\n"
                  "  s = \"\"\"\n"
                  "      keep\"\"\"\n"
                  "  q(1)\n"
                  "|\n");
}

static void the_object_of_a_method_is_put_in(void **state)
{
    (void)state;
    assert_offers("class C:\n"
                  "    @contextmanager\n"
                  "    def c(self):\n"
                  "        self.l.acquire()\n"
                  "        yield self\n"
                  "with o.c(): h(); i()\n"
                  "with o.c() as m, n:\n"
                  "    pass\n",
                  EDIT_context,
                  "class C:\n"
                  "    pass\n"
                  "o.l.acquire()\n"
                  "h(); i()\n"
                  "o.l.acquire()\n"
                  "m = o\n"
                  "with n:\n"
                  "    pass\n"
                  "|\n");
}

static void a_body_goes_into_the_block_of_the_yield(void **state)
{
    (void)state;
    assert_offers("@contextmanager\n"
                  "def b():\n"
                  "    try:\n"
                  "        yield\n"
                  "    finally:\n"
                  "        done()\n"
                  "def f():\n"
                  "  with b():\n"
                  "   return 1\n",
                  EDIT_context,
                  "def f():\n"
                  "  try:\n"
                  "   return 1\n"
                  "  finally:\n"
                  "      done()\n"
                  "|\n");
    assert_offers("@contextmanager\n"
                  "def b():\n"
                  "  if t:\n"
                  "    try:\n"
                  "      yield\n"
                  "    except E:\n"
                  "      f()\n"
                  "with b():\n"
                  "   pass\n",
                  EDIT_context,
                  "if t:\n"
                  "  try:\n"
                  "   pass\n"
                  "  except E:\n"
                  "    f()\n"
                  "|\n");
    assert_offers("@contextmanager\n"
                  "def b(lock):\n"
                  "    with lock:\n"
                  "        log()\n"
                  "        yield lock\n"
                  "with b(q) as z:\n"
                  "    pass\n",
                  EDIT_context,
                  "with q:\n"
                  "    log()\n"
                  "    z = q\n"
                  "    pass\n"
                  "|\n");
}

static void odd_layouts_are_understood(void **state)
{
    (void)state;
    assert_offers("@contextmanager\n"
                  "def c(): yield 1\n"
                  "with (c()) as x: g(x)\n"
                  "with (c()\n"
                  "  as k):\n"
                  "  j(k)\n"
                  "\n"
                  "  i(k)\n",
                  EDIT_context,
                  "x = 1\n"
                  "g(x)\n"
                  "k = 1\n"
                  "j(k)\n"
                  "\n"
                  "i(k)\n"
                  "|\n");
    assert_offers("@contextmanager\r\n"
                  "def c():\r\n"
                  "\tf()\r\n"
                  "\tyield g()\r\n"
                  "with (c(), h() as z,):\r\n"
                  "\ta\r\n"
                  "\tb\r\n",
                  EDIT_context,
                  "f()\r\n"
                  "g()\r\n"
                  "with (h() as z):\r\n"
                  "\ta\r\n"
                  "\tb\r\n"
                  "|\n");
}

static void copies_that_grow_the_text_are_pumps(void **state)
{
    static const char text[] = "@contextmanager\n"
                               "def c():\n"
                               "  a_long_call_before_the_body(1, 2, 3)\n"
                               "  yield\n"
                               "with c(): f()\n"
                               "with c(): g()\n"
                               "with c(): h()\n";
    (void)state;

    assert_offers(text, EDIT_context, "");
    assert_pumps(text, EDIT_context,
                 "a_long_call_before_the_body(1, 2, 3)\n"
                 "f()\n"
                 "a_long_call_before_the_body(1, 2, 3)\n"
                 "g()\n"
                 "a_long_call_before_the_body(1, 2, 3)\n"
                 "h()\n"
                 "|\n");
}

#define MANAGER "@contextmanager\n"

static void other_generators_stay(void **state)
{
    static const char *const texts[] = {
        MANAGER "def d():\n    for i in x:\n        yield i\nwith d(): pass\n",
        MANAGER "def e():\n    return\n    yield\nwith e(): pass\n",
        MANAGER "def e():\n    yield\n    return\nwith e(): pass\n",
        MANAGER "def h():\n    x = yield\nwith h(): pass\n",
        MANAGER "def h():\n    yield from x\nwith h(): pass\n",
        MANAGER "def h():\n    yield\n    yield\nwith h(): pass\n",
        MANAGER "async def i():\n    yield\nasync def j():\n"
                "    async with i(): pass\n",
        MANAGER "def i():\n    if t:\n        u; yield\nwith i(): pass\n",
        MANAGER "def i():\n    if t:\n        u\n        yield\n"
                "with i():\n  pass\n",
        MANAGER "def i():\n  try:\n    if t:\n      yield\n  finally: f()\n"
                "with i():\n  pass\n",
        MANAGER "def i():\n\ttry:\n\t\tif t:\n\t\t\tyield\n\tfinally: f()\n"
                "with i():\n   pass\n",
        MANAGER "def i(): yield\nwith a, i(): pass\n",
        MANAGER "def i(): yield\nwith i(), i(): pass\n",
        MANAGER "def i(): yield\nwith i():\n  with i(): pass\n",
        MANAGER "def i(): yield\nx = i()\n",
        MANAGER "def i(): yield\nwith i(): pass\nf(i)\n",
        MANAGER "@cached\ndef i(): yield\nwith i(): pass\n",
        MANAGER "def i(*a): yield; f(a)\nwith i(): pass\n",
        MANAGER "def i():\n  x = 1\n  yield\nx = 2\nwith i(): pass\n",
        MANAGER "def i(): yield\nif x: pass; \nelse: y = [i() for i in x]\n",
        "def i(): yield\nwith i(): pass\n",
    };
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        assert_offers(texts[i], EDIT_context, "");
        assert_pumps(texts[i], EDIT_context, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_halves_go_around_the_body),
        cmocka_unit_test(the_object_of_a_method_is_put_in),
        cmocka_unit_test(a_body_goes_into_the_block_of_the_yield),
        cmocka_unit_test(odd_layouts_are_understood),
        cmocka_unit_test(copies_that_grow_the_text_are_pumps),
        cmocka_unit_test(other_generators_stay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
