/* Functions that need no event loop: all results for each text. */
#include "test/unit/offers.h"

static void a_function_that_awaits_nothing_is_a_plain_one(void **state)
{
    (void)state;
    assert_offers("async def f(a): g(a)\n"
                  "async def h():\n"
                  "    await f(await f(1))\n"
                  "    task(f(2))\n",
                  EDIT_async,
                  "def f(a): g(a)\n"
                  "async def h():\n"
                  "    f(f(1))\n"
                  "    task(f(2))\n"
                  "|\n");
}

static void runners_give_way_to_the_call(void **state)
{
    (void)state;
    assert_offers("async def m(a): pass\n"
                  "x = asyncio.run(m(1))\n"
                  "run(m(2)); loop.run_until_complete(m(3))\n"
                  "asyncio.run(m(4), debug=True)\n",
                  EDIT_async,
                  "def m(a): pass\n"
                  "x = m(1)\n"
                  "m(2); m(3)\n"
                  "asyncio.run(m(4), debug=True)\n"
                  "|\n");
}

static void loops_over_a_generator_are_plain_ones(void **state)
{
    (void)state;
    assert_offers("async def s(n):\n"
                  "    yield n\n"
                  "async def c():\n"
                  "    async for x in s(1): pass\n"
                  "    return [y async for y in s(2)]\n",
                  EDIT_async,
                  "def s(n):\n"
                  "    yield n\n"
                  "async def c():\n"
                  "    for x in s(1): pass\n"
                  "    return [y for y in s(2)]\n"
                  "|\n");
}

static void a_function_that_waits_stays(void **state)
{
    (void)state;
    assert_offers("async def a(): await x\n"
                  "async def b():\n"
                  "    async with x: pass\n"
                  "async def c():\n"
                  "    async for y in x: pass\n"
                  "async def d(): return [y async for y in x]\n",
                  EDIT_async, "");
}

static void an_inner_function_waits_for_itself_alone(void **state)
{
    (void)state;
    assert_offers("async def a():\n"
                  "    async def b(): await x\n"
                  "    return b\n",
                  EDIT_async,
                  "def a():\n"
                  "    async def b(): await x\n"
                  "    return b\n"
                  "|\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_that_awaits_nothing_is_a_plain_one),
        cmocka_unit_test(runners_give_way_to_the_call),
        cmocka_unit_test(loops_over_a_generator_are_plain_ones),
        cmocka_unit_test(a_function_that_waits_stays),
        cmocka_unit_test(an_inner_function_waits_for_itself_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
