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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decorators_go_with_their_lines),
        cmocka_unit_test(the_call_of_a_decorator_goes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
