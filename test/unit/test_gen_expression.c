/* Parts and constants for expressions: all results for each text. */
#include "test/golden.h"

static void a_call_becomes_a_part(void **state)
{
    (void)state;
    GOLDEN(EDIT_expression, "x = f(ab, k=cd)\n", "x = 0\n", "x = 1\n",
           "x = None\n", "x = ()\n", "x = \"\"\n", "x = f\n", "x = ab\n",
           "x = cd\n", "x = f(0, k=cd)\n", "x = f(1, k=cd)\n",
           "x = f((), k=cd)\n", "x = f(\"\", k=cd)\n", "x = f(ab, k=0)\n",
           "x = f(ab, k=1)\n", "x = f(ab, k=())\n", "x = f(ab, k=\"\")\n");
    GOLDEN(EDIT_expression, "x = ab.cd(ef)\n", "x = 0\n", "x = 1\n",
           "x = None\n", "x = ()\n", "x = \"\"\n", "x = ab\n", "x = ab.cd\n",
           "x = ef\n", "x = ab(ef)\n", "x = ab.cd(0)\n", "x = ab.cd(1)\n",
           "x = ab.cd(())\n", "x = ab.cd(\"\")\n");
    GOLDEN(EDIT_expression, "f(x)\n", "f(0)\n", "f(1)\n");
    GOLDEN(EDIT_expression, "f(g(x))\n", "g(x)\n", "f(0)\n", "f(1)\n",
           "f(None)\n", "f(())\n", "f(\"\")\n", "f(g)\n", "f(x)\n", "f(g(0))\n",
           "f(g(1))\n");
}

static void brackets_come_where_the_place_needs_them(void **state)
{
    (void)state;
    GOLDEN(EDIT_expression, "x = f(a + b) * c\n", "x = 0\n", "x = 1\n",
           "x = None\n", "x = ()\n", "x = \"\"\n", "x = f(a + b)\n", "x = c\n",
           "x = 0 * c\n", "x = 1 * c\n", "x = f * c\n", "x = (a + b) * c\n",
           "x = f(0) * c\n", "x = f(1) * c\n", "x = f(None) * c\n",
           "x = f(()) * c\n", "x = f(\"\") * c\n", "x = f(a) * c\n",
           "x = f(b) * c\n", "x = f(0 + b) * c\n", "x = f(1 + b) * c\n",
           "x = f(a + 0) * c\n", "x = f(a + 1) * c\n", "x = f(a + b) * 0\n",
           "x = f(a + b) * 1\n");
    GOLDEN(EDIT_expression, "x = f(a if b else c).d\n", "x = 0\n", "x = 1\n",
           "x = None\n", "x = ()\n", "x = \"\"\n", "x = f(a if b else c)\n",
           "x = f.d\n", "x = (a if b else c).d\n", "x = f(0).d\n",
           "x = f(1).d\n", "x = f(None).d\n", "x = f(()).d\n",
           "x = f(\"\").d\n", "x = f(a).d\n", "x = f(b).d\n", "x = f(c).d\n",
           "x = f(0 if b else c).d\n", "x = f(1 if b else c).d\n",
           "x = f(a if 0 else c).d\n", "x = f(a if 1 else c).d\n",
           "x = f(a if b else 0).d\n", "x = f(a if b else 1).d\n");
    GOLDEN(EDIT_expression, "x = g(a := 1)\n", "x = 0\n", "x = 1\n",
           "x = None\n", "x = ()\n", "x = \"\"\n", "x = g\n", "x = (a := 1)\n",
           "x = g(0)\n", "x = g(1)\n", "x = g(None)\n", "x = g(())\n",
           "x = g(\"\")\n", "x = g(1)\n");
    GOLDEN(EDIT_expression, "x = f(lambda: a)(1)\n", "x = 0\n", "x = 1\n",
           "x = None\n", "x = ()\n", "x = \"\"\n", "x = f(lambda: a)\n",
           "x = 1\n", "x = f(1)\n", "x = (lambda: a)(1)\n", "x = f(0)(1)\n",
           "x = f(1)(1)\n", "x = f(None)(1)\n", "x = f(())(1)\n",
           "x = f(\"\")(1)\n", "x = f(a)(1)\n");
    GOLDEN(EDIT_expression, "x = not(ab)\n", "x = 0\n", "x = 1\n", "x = None\n",
           "x = ()\n", "x = \"\"\n", "x = (ab)\n", "x = not 0\n", "x = not 1\n",
           "x = not ab\n");
    GOLDEN(EDIT_expression, "return_ = 2 if(ab)else(3)\n", "return_ = 0\n",
           "return_ = 1\n", "return_ = None\n", "return_ = ()\n",
           "return_ = \"\"\n", "return_ = 2\n", "return_ = (ab)\n",
           "return_ = (3)\n", "return_ = 2 if 0 else(3)\n",
           "return_ = 2 if 1 else(3)\n", "return_ = 2 if ab else(3)\n",
           "return_ = 2 if(ab)else 0\n", "return_ = 2 if(ab)else 1\n",
           "return_ = 2 if(ab)else 3\n");
}

static void a_part_of_many_lines_gets_brackets(void **state)
{
    (void)state;
    GOLDEN(EDIT_expression,
           "x = f(\n"
           "    a +\n"
           "    b, 1)\n",
           "x = 0\n", "x = 1\n", "x = None\n", "x = ()\n", "x = \"\"\n",
           "x = f\n",
           "x = (a +\n"
           "    b)\n",
           "x = 1\n",
           "x = f(\n"
           "    0, 1)\n",
           "x = f(\n"
           "    1, 1)\n",
           "x = f(\n"
           "    None, 1)\n",
           "x = f(\n"
           "    (), 1)\n",
           "x = f(\n"
           "    \"\", 1)\n",
           "x = f(\n"
           "    a, 1)\n",
           "x = f(\n"
           "    b, 1)\n",
           "x = f(\n"
           "    0 +\n"
           "    b, 1)\n",
           "x = f(\n"
           "    1 +\n"
           "    b, 1)\n",
           "x = f(\n"
           "    a +\n"
           "    0, 1)\n",
           "x = f(\n"
           "    a +\n"
           "    1, 1)\n");
}

static void numbers_keep_away_from_dots(void **state)
{
    (void)state;
    GOLDEN(EDIT_expression, "x = (12).real\n", "x = 0\n", "x = 1\n",
           "x = None\n", "x = ()\n", "x = \"\"\n", "x = (12)\n",
           "x = 12 .real\n");
}

static void constants_fit_their_places(void **state)
{
    (void)state;
    GOLDEN(EDIT_expression, "for i in range(n): pass\n", "for i in (): pass\n",
           "for i in \"\": pass\n", "for i in range: pass\n",
           "for i in n: pass\n", "for i in range(0): pass\n",
           "for i in range(1): pass\n");
    GOLDEN(EDIT_expression, "while ab: pass\n", "while 0: pass\n",
           "while 1: pass\n");
    GOLDEN(EDIT_expression, "x = ab[cd]\n", "x = 0\n", "x = 1\n", "x = None\n",
           "x = ()\n", "x = \"\"\n", "x = ab\n", "x = cd\n", "x = ab[0]\n");
    GOLDEN(EDIT_expression, "x = -ab\n", "x = 0\n", "x = 1\n", "x = ()\n",
           "x = \"\"\n", "x = ab\n", "x = -0\n", "x = -1\n");
    GOLDEN(EDIT_expression, "f(True, None)\n", "f(0, None)\n", "f(1, None)\n",
           "f(True, 0)\n", "f(True, 1)\n");
    GOLDEN(EDIT_expression, "def f(a=bc): return d\n", "def f(a=0): return d\n",
           "def f(a=1): return d\n", "def f(a=()): return d\n",
           "def f(a=\"\"): return d\n", "def f(a=bc): return 0\n",
           "def f(a=bc): return 1\n");
}

static void displays_become_an_element(void **state)
{
    (void)state;
    GOLDEN(EDIT_expression, "x = [ab, cd]\n", "x = 0\n", "x = 1\n",
           "x = None\n", "x = ()\n", "x = \"\"\n", "x = ab\n", "x = cd\n",
           "x = [0, cd]\n", "x = [1, cd]\n", "x = [(), cd]\n",
           "x = [\"\", cd]\n", "x = [ab, 0]\n", "x = [ab, 1]\n",
           "x = [ab, ()]\n", "x = [ab, \"\"]\n");
    GOLDEN(EDIT_expression, "x = {a: bc}\n", "x = 0\n", "x = 1\n", "x = None\n",
           "x = ()\n", "x = \"\"\n", "x = bc\n", "x = {a: 0}\n", "x = {a: 1}\n",
           "x = {a: ()}\n", "x = {a: \"\"}\n");
    GOLDEN(EDIT_expression, "x = [a for b in cd]\n", "x = 0\n", "x = 1\n",
           "x = None\n", "x = ()\n", "x = \"\"\n", "x = cd\n", "x = a\n",
           "x = [0 for b in cd]\n", "x = [1 for b in cd]\n",
           "x = [a for b in ()]\n", "x = [a for b in \"\"]\n");
}

static void stars_go(void **state)
{
    (void)state;
    GOLDEN(EDIT_expression, "f(*ab, **cd)\n", "f(ab, **cd)\n", "f(*ab, cd)\n");
    GOLDEN_NONE(EDIT_expression, "f(k=1, **cd)\n");
    GOLDEN(EDIT_expression, "x = [*f(a)]\n", "x = 0\n", "x = 1\n", "x = None\n",
           "x = ()\n", "x = \"\"\n", "x = [0]\n", "x = [1]\n", "x = [None]\n",
           "x = [()]\n", "x = [\"\"]\n", "x = [a]\n", "x = [f(a)]\n",
           "x = [*f(0)]\n", "x = [*f(1)]\n");
}

static void targets_and_patterns_stay(void **state)
{
    (void)state;
    GOLDEN_NONE(EDIT_expression, "with a as (b, c): pass\n");
    GOLDEN_NONE(EDIT_expression, "ab.cd = 1\n");
    GOLDEN_NONE(EDIT_expression, "del ab\n");
    GOLDEN_NONE(EDIT_expression, "match 1:\n"
                                 "    case ab.cd: pass\n");
}

static void odd_forms_become_parts(void **state)
{
    (void)state;
    GOLDEN(EDIT_expression, "async def f(): x = await gh\n",
           "async def f(): x = 0\n", "async def f(): x = 1\n",
           "async def f(): x = None\n", "async def f(): x = ()\n",
           "async def f(): x = \"\"\n", "async def f(): x = gh\n");
    GOLDEN(EDIT_expression, "x = a[b:c]\n", "x = 0\n", "x = 1\n", "x = None\n",
           "x = ()\n", "x = \"\"\n", "x = a\n");
    GOLDEN(EDIT_expression, "x = (yi := ab)\n", "x = 0\n", "x = 1\n",
           "x = None\n", "x = ()\n", "x = \"\"\n", "x = (ab)\n");
    GOLDEN(EDIT_expression,
           "@ab.cd\n"
           "def f(): pass\n",
           "@ab\n"
           "def f(): pass\n");
    GOLDEN(EDIT_expression, "x = f'{ab}'\n", "x = f'{0}'\n");
    GOLDEN(EDIT_expression, "x: ab.cd = 1\n", "x: ab = 1\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_becomes_a_part),
        cmocka_unit_test(brackets_come_where_the_place_needs_them),
        cmocka_unit_test(a_part_of_many_lines_gets_brackets),
        cmocka_unit_test(numbers_keep_away_from_dots),
        cmocka_unit_test(constants_fit_their_places),
        cmocka_unit_test(displays_become_an_element),
        cmocka_unit_test(stars_go),
        cmocka_unit_test(targets_and_patterns_stay),
        cmocka_unit_test(odd_forms_become_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
