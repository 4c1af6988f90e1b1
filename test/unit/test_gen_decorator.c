/* Decorators: all results for each text. */
#include "test/golden.h"

static void decorators_go_with_their_lines(void **state)
{
    (void)state;
    GOLDEN(EDIT_decorator,
           "@a\n"
           "@b.c\n"
           "def f(): pass\n",
           "@b.c\n"
           "def f(): pass\n",
           "@a\n"
           "def f(): pass\n");
    GOLDEN(EDIT_decorator,
           "class A:\n"
           "    @property\n"
           "    async def f(self): pass\n",
           "class A:\n"
           "    async def f(self): pass\n");
}

static void the_call_of_a_decorator_goes(void **state)
{
    (void)state;
    GOLDEN(EDIT_decorator,
           "@jit(out_idx=[1])\n"
           "def f(): pass\n",
           "def f(): pass\n",
           "@jit\n"
           "def f(): pass\n");
    GOLDEN(EDIT_decorator,
           "@a(1)(2)\n"
           "class B: pass\n",
           "class B: pass\n",
           "@a(1)\n"
           "class B: pass\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decorators_go_with_their_lines),
        cmocka_unit_test(the_call_of_a_decorator_goes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
