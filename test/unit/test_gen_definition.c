#include "test/unit/offers.h"

static void a_function_goes_with_every_statement_that_uses_it(void **state)
{
    (void)state;
    assert_offers("def f(): pass\n"
                  "x = 1\n"
                  "f(x)\n"
                  "if x:\n"
                  "    y = f\n",
                  EDIT_definition,
                  "x = 1\nif x:\n    pass\n|\n"
                  "def f(): pass\n|\n");
}

static void a_decorator_alone_goes_when_its_function_does(void **state)
{
    (void)state;
    assert_offers("def d(f): return f\n@d\ndef g(): pass\ng()\n",
                  EDIT_definition,
                  "def g(): pass\ng()\n|\n"
                  "def d(f): return f\n|\n");
}

static void methods_go_with_the_uses_of_their_name(void **state)
{
    (void)state;
    assert_offers("class C:\n"
                  "    def m(self): return self.n()\n"
                  "    def n(self): return 1\n"
                  "C().m()\n",
                  EDIT_definition,
                  "\n|\n"
                  "class C:\n    def n(self): return 1\n|\n"
                  "class C:\n    def m(self): pass\nC().m()\n|\n");
}

/* The first list: what nothing live uses. */
static void all_unused_definitions_go_at_once(void **state)
{
    (void)state;
    assert_whole("def a(): return b()\n"
                 "def b(): return a()\n"
                 "def c():\n"
                 "    def d(): pass\n"
                 "    return 1\n"
                 "class E:\n"
                 "    def __init__(self): self.used()\n"
                 "    def used(self): pass\n"
                 "    def lost(self): pass\n"
                 "c(E)\n"
                 "class F: pass\n",
                 EDIT_definition, 0,
                 "def c():\n"
                 "    return 1\n"
                 "class E:\n"
                 "    def __init__(self): self.used()\n"
                 "    def used(self): pass\n"
                 "c(E)\n|\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_goes_with_every_statement_that_uses_it),
        cmocka_unit_test(a_decorator_alone_goes_when_its_function_does),
        cmocka_unit_test(methods_go_with_the_uses_of_their_name),
        cmocka_unit_test(all_unused_definitions_go_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
