/* Classes and their bases: all results for each text. */
#include "test/unit/offers.h"

static void what_adds_nothing_is_its_base(void **state)
{
    (void)state;
    assert_offers("class A(B):\n"
                  "    'Nothing.'\n"
                  "    ...\n"
                  "def f(a: A = A()): return isinstance(a, A)\n",
                  EDIT_base,
                  "def f(a: B = B()): return isinstance(a, B)\n"
                  "|\n");
    assert_offers("class A(Exception): pass\n"
                  "try: f()\n"
                  "except (A, B) as e: raise A.g from e\n",
                  EDIT_base,
                  "try: f()\n"
                  "except (Exception, B) as e: raise Exception.g from e\n"
                  "|\n");
    assert_offers("def f():\n"
                  "    class A(int): pass\n"
                  "    return A\n",
                  EDIT_base,
                  "def f():\n"
                  "    return int\n"
                  "|\n");
}

static void where_it_does_or_may_it_stays(void **state)
{
    (void)state;
    assert_offers("class A(B): x = 1\nA()\n", EDIT_base, "");
    assert_offers("class A(B): x: int\nA()\n", EDIT_base, "");
    assert_offers("class A(B, C): pass\nA()\n", EDIT_base, "");
    assert_offers("class A(B, metaclass=C): pass\nA()\n", EDIT_base, "");
    assert_offers("class A(b.C): pass\nA()\n", EDIT_base, "");
    assert_offers("class A: pass\nA()\n", EDIT_base, "");
    assert_offers("@d\nclass A(B): pass\nA()\n", EDIT_base, "");
    assert_offers("class A(B): pass\nA = d(A)\n", EDIT_base, "");
    assert_offers("class A(B): pass\ndef f(B): return A()\n", EDIT_base, "");
}

static void a_base_goes_into_its_only_subclass(void **state)
{
    (void)state;
    assert_offers("class B(Z, metaclass=M):\n"
                  "    b = 1\n"
                  "\n"
                  "    def f(self):\n"
                  "        return 1\n"
                  "x = 1\n"
                  "class A(B):\n"
                  "    a = 2\n"
                  "    c = 3\n"
                  "A()\n",
                  EDIT_base,
                  "x = 1\n"
                  "class A(Z, metaclass=M):\n"
                  "    b = 1\n"
                  "\n"
                  "    def f(self):\n"
                  "        return 1\n"
                  "    a = 2\n"
                  "    c = 3\n"
                  "A()\n"
                  "|\n");
    assert_offers("def f():\n"
                  "\tclass B:\n"
                  "\t\tb = 1\n"
                  "\tclass A(B):\n"
                  "\t\ta = 2\n"
                  "\treturn A\n",
                  EDIT_base,
                  "def f():\n"
                  "\tclass A:\n"
                  "\t\tb = 1\n"
                  "\t\ta = 2\n"
                  "\treturn A\n"
                  "|\n");
}

static void a_base_of_more_stays(void **state)
{
    (void)state;
    assert_offers("class B:\n    b = 1\n"
                  "class A(B):\n    a = 2\n"
                  "class C(B):\n    a = 2\n",
                  EDIT_base, "");
    assert_offers("class B:\n    b = 1\n"
                  "class A(B):\n    a = 2\n"
                  "B()\n",
                  EDIT_base, "");
    assert_offers("class B:\n    b = 1\n"
                  "class A(B):\n  a = 2\n",
                  EDIT_base, "");
    assert_offers("class B: b = 1\n"
                  "class A(B): a = 2\n",
                  EDIT_base, "");
    assert_offers("@d\nclass B:\n    b = 1\n"
                  "class A(B):\n    a = 2\n",
                  EDIT_base, "");
    assert_offers("if x:\n    class B:\n        b = 1\n"
                  "class A(B):\n    a = 2\n",
                  EDIT_base, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_adds_nothing_is_its_base),
        cmocka_unit_test(where_it_does_or_may_it_stays),
        cmocka_unit_test(a_base_goes_into_its_only_subclass),
        cmocka_unit_test(a_base_of_more_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
