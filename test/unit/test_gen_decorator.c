/* Decorators: all results for each text. */
#include "test/unit/offers.h"

static void decorators_go_with_their_lines(void **state)
{
    (void)state;
    assert_offers("@a\n"
                  "@b.c\n"
                  "def f(): pass\n",
                  EDIT_decorator,
                  "@b.c\n"
                  "def f(): pass\n"
                  "|\n"
                  "@a\n"
                  "def f(): pass\n"
                  "|\n");
    assert_offers("class A:\n"
                  "    @property\n"
                  "    async def f(self): pass\n",
                  EDIT_decorator,
                  "class A:\n"
                  "    async def f(self): pass\n"
                  "|\n");
}

static void the_call_of_a_decorator_goes(void **state)
{
    (void)state;
    assert_offers("@jit(out_idx=[1])\n"
                  "def f(): pass\n",
                  EDIT_decorator,
                  "def f(): pass\n"
                  "|\n"
                  "@jit\n"
                  "def f(): pass\n"
                  "|\n");
    assert_offers("@a(1)(2)\n"
                  "class B: pass\n",
                  EDIT_decorator,
                  "class B: pass\n"
                  "|\n"
                  "@a(1)\n"
                  "class B: pass\n"
                  "|\n");
}

static void one_of_the_file_becomes_a_call(void **state)
{
    (void)state;
    assert_pumps("def register(f): ALL.append(f)\n"
                 "@register\n"
                 "def f(x):\n"
                 "    return x\n"
                 "g()\n",
                 EDIT_decorator,
                 "def register(f): ALL.append(f)\n"
                 "def f(x):\n"
                 "    return x\n"
                 "register(f)\n"
                 "g()\n"
                 "|\n");
    assert_pumps("def twice(n):\r\n"
                 "    return lambda f: f\r\n"
                 "class K:\r\n"
                 "    @twice(2)\r\n"
                 "    def f(self): pass\r\n"
                 "    g = f\r\n",
                 EDIT_decorator,
                 "def twice(n):\r\n"
                 "    return lambda f: f\r\n"
                 "class K:\r\n"
                 "    def f(self): pass\r\n"
                 "    f = twice(2)(f)\r\n"
                 "    g = f\r\n"
                 "|\n");
    assert_pumps("def wrap(f): return f\n"
                 "class K:\n"
                 "    @wrap\n"
                 "    def f(self): pass\n"
                 "K().f()\n",
                 EDIT_decorator,
                 "def wrap(f): return f\n"
                 "class K:\n"
                 "    def f(self): pass\n"
                 "    f = wrap(f)\n"
                 "K().f()\n"
                 "|\n");
    assert_pumps("@triton.jit\n"
                 "def f(x): return x\n"
                 "f(1)\n",
                 EDIT_decorator, "");
    assert_pumps("from m import a\n"
                 "@a\n"
                 "def f(x): return x\n"
                 "f(1)\n",
                 EDIT_decorator, "");
    assert_pumps("def a(f): return f\n"
                 "@a\n"
                 "@a\n"
                 "def f(x): return x\n"
                 "f(1)\n",
                 EDIT_decorator, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decorators_go_with_their_lines),
        cmocka_unit_test(the_call_of_a_decorator_goes),
        cmocka_unit_test(one_of_the_file_becomes_a_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
