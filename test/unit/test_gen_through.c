/* Functions that are handed over: all results for each text. */
#include "test/unit/offers.h"

static void what_is_passed_behind_a_function_is_passed_to_it(void **state)
{
    (void)state;
    assert_offers("def f(a, b): pass\n"
                  "pool.submit(f, x, b=1).result()\n"
                  "loop.run_in_executor(None, f, *y)\n"
                  "atexit.register( f )\n"
                  "go(g, 1); f(1); h(*f, f)\n",
                  EDIT_through,
                  "def f(a, b): pass\n"
                  "f(x, b=1).result()\n"
                  "loop.run_in_executor(None, f, *y)\n"
                  "atexit.register( f )\n"
                  "go(g, 1); f(1); h(*f, f)\n"
                  "|\n"
                  "def f(a, b): pass\n"
                  "pool.submit(f, x, b=1).result()\n"
                  "f(*y)\n"
                  "atexit.register( f )\n"
                  "go(g, 1); f(1); h(*f, f)\n"
                  "|\n"
                  "def f(a, b): pass\n"
                  "pool.submit(f, x, b=1).result()\n"
                  "loop.run_in_executor(None, f, *y)\n"
                  "f()\n"
                  "go(g, 1); f(1); h(*f, f)\n"
                  "|\n");
}

static void what_threads_and_processes_unpack_is_unpacked(void **state)
{
    (void)state;
    assert_offers("def f(): pass\n"
                  "Thread(target=f, args=(a, [b],), daemon=True).start()\n",
                  EDIT_through,
                  "def f(): pass\n"
                  "f(a, [b]).start()\n"
                  "|\n");
    assert_offers("def f(): pass\n"
                  "Process(kwargs={'k': 1}, args=xs, target=f)\n",
                  EDIT_through,
                  "def f(): pass\n"
                  "f(*xs, **{'k': 1})\n"
                  "|\n");
    assert_offers("def f(): pass\n"
                  "Thread(target=f, kwargs=k)\n"
                  "mp.spawn(f, args=(a,), nprocs=2)\n"
                  "Thread(target=g)\n",
                  EDIT_through,
                  "def f(): pass\n"
                  "f(**k)\n"
                  "mp.spawn(f, args=(a,), nprocs=2)\n"
                  "Thread(target=g)\n"
                  "|\n"
                  "def f(): pass\n"
                  "Thread(target=f, kwargs=k)\n"
                  "f(0, a)\n"
                  "Thread(target=g)\n"
                  "|\n");
    assert_offers("def f(): pass\n"
                  "pool.apply(f, (a, b))\n",
                  EDIT_through,
                  "def f(): pass\n"
                  "f(a, b)\n"
                  "|\n"
                  "def f(): pass\n"
                  "f((a, b))\n"
                  "|\n");
}

static void map_passes_the_first_elements(void **state)
{
    (void)state;
    assert_offers("def f(): pass\n"
                  "list(pool.map(f, [a, b], range(3), chunksize=1))\n"
                  "pool.starmap(f, [(a, b)])\n"
                  "map(f, xs)\n",
                  EDIT_through,
                  "def f(): pass\n"
                  "list(f(a, 0))\n"
                  "pool.starmap(f, [(a, b)])\n"
                  "map(f, xs)\n"
                  "|\n"
                  "def f(): pass\n"
                  "list(pool.map(f, [a, b], range(3), chunksize=1))\n"
                  "f(*(a, b))\n"
                  "map(f, xs)\n"
                  "|\n");
}

static void methods_are_handed_over_too(void **state)
{
    (void)state;
    assert_offers("class K(Thread):\n"
                  "    def run(self): call_soon(self.done, 1)\n"
                  "    def done(self, x): pass\n"
                  "K().start()\n"
                  "start(); K().start(1)\n",
                  EDIT_through,
                  "class K(Thread):\n"
                  "    def run(self): self.done(1)\n"
                  "    def done(self, x): pass\n"
                  "K().start()\n"
                  "start(); K().start(1)\n"
                  "|\n"
                  "class K(Thread):\n"
                  "    def run(self): call_soon(self.done, 1)\n"
                  "    def done(self, x): pass\n"
                  "K().run()\n"
                  "start(); K().start(1)\n"
                  "|\n");
    assert_offers("K().start()\n", EDIT_through, "");
}

static void tasks_are_waited_for_at_once(void **state)
{
    (void)state;
    assert_offers("async def f():\n"
                  "    a = asyncio.create_task(g(1), name='g')\n"
                  "    [asyncio.create_task(g(1))]\n"
                  "    await asyncio.wait_for(g(1), 2)\n"
                  "    ensure_future(h)\n"
                  "    asyncio.create_task(o\n        .g(1))\n"
                  "def g():\n"
                  "    asyncio.create_task(g(1))\n",
                  EDIT_through,
                  "async def f():\n"
                  "    a = await g(1)\n"
                  "    [asyncio.create_task(g(1))]\n"
                  "    await asyncio.wait_for(g(1), 2)\n"
                  "    ensure_future(h)\n"
                  "    asyncio.create_task(o\n        .g(1))\n"
                  "def g():\n"
                  "    asyncio.create_task(g(1))\n"
                  "|\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_passed_behind_a_function_is_passed_to_it),
        cmocka_unit_test(what_threads_and_processes_unpack_is_unpacked),
        cmocka_unit_test(map_passes_the_first_elements),
        cmocka_unit_test(methods_are_handed_over_too),
        cmocka_unit_test(tasks_are_waited_for_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
