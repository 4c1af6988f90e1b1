/* Generators that become functions: all results for each text. */
#include "test/unit/offers.h"

static void the_first_value_is_returned(void **state)
{
    (void)state;
    assert_offers("def g(a):\n"
                  "    if a: yield a\n"
                  "    else:\n"
                  "        yield\n"
                  "    yield (1, 2)\n"
                  "x = next(iter(g(1))); h(next(g(2))[0])\n",
                  EDIT_yield,
                  "def g(a):\n"
                  "    if a: return a\n"
                  "    else:\n"
                  "        return\n"
                  "    return (1, 2)\n"
                  "x = g(1); h(g(2)[0])\n"
                  "|\n");
}

static void methods_and_async_generators_too(void **state)
{
    (void)state;
    assert_offers("class K:\n"
                  "    async def g(self):\n"
                  "        yield 1\n"
                  "    async def h(self):\n"
                  "        await anext(self.g())\n"
                  "        return await self.g().__aiter__().__anext__()\n",
                  EDIT_yield,
                  "class K:\n"
                  "    async def g(self):\n"
                  "        return 1\n"
                  "    async def h(self):\n"
                  "        await self.g()\n"
                  "        return await self.g()\n"
                  "|\n");
}

static void each_function_has_its_own(void **state)
{
    (void)state;
    assert_offers("def f():\n"
                  "    def g(): yield 1\n"
                  "    yield next(g())\n"
                  "next(f())\n",
                  EDIT_yield,
                  "def f():\n"
                  "    def g(): yield 1\n"
                  "    return next(g())\n"
                  "f()\n"
                  "|\n"
                  "def f():\n"
                  "    def g(): return 1\n"
                  "    yield g()\n"
                  "next(f())\n"
                  "|\n");
}

static void other_uses_need_the_generator(void **state)
{
    (void)state;
    assert_offers("def g(): yield 1\n"
                  "next(g()); list(g())\n",
                  EDIT_yield, "");
    assert_offers("def g(): yield 1\n"
                  "next(g(), None)\n",
                  EDIT_yield, "");
    assert_offers("def g(): x = yield 1\n"
                  "next(g())\n",
                  EDIT_yield, "");
    assert_offers("def g(): yield from x\n"
                  "next(g())\n",
                  EDIT_yield, "");
    assert_offers("@k\n"
                  "def g(): yield x\n"
                  "next(g())\n",
                  EDIT_yield, "");
    assert_offers("def g(): yield x\n"
                  "a = next(g()); b = g\n",
                  EDIT_yield, "");
    assert_offers("def g(): yield x\n"
                  "next(g)\n",
                  EDIT_yield, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_value_is_returned),
        cmocka_unit_test(methods_and_async_generators_too),
        cmocka_unit_test(each_function_has_its_own),
        cmocka_unit_test(other_uses_need_the_generator),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
