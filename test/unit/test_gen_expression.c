/* Parts and constants for expressions: all results for each text. */
#include "test/unit/offers.h"

static void a_call_becomes_a_part(void **state)
{
    (void)state;
    assert_offers("x = f(ab, k=cd)\n", EDIT_expression,
                  "x = 0\n"
                  "|\n"
                  "x = None\n"
                  "|\n"
                  "x = f\n"
                  "|\n"
                  "x = ab\n"
                  "|\n"
                  "x = cd\n"
                  "|\n"
                  "x = f(0, k=cd)\n"
                  "|\n"
                  "x = f(\"\", k=cd)\n"
                  "|\n"
                  "x = f(ab, k=0)\n"
                  "|\n"
                  "x = f(ab, k=\"\")\n"
                  "|\n");
    assert_offers("x = ab.cd(ef)\n", EDIT_expression,
                  "x = 0\n"
                  "|\n"
                  "x = None\n"
                  "|\n"
                  "x = ab\n"
                  "|\n"
                  "x = ab.cd\n"
                  "|\n"
                  "x = ef\n"
                  "|\n"
                  "x = ab.cd(0)\n"
                  "|\n"
                  "x = ab.cd(\"\")\n"
                  "|\n");
    assert_offers("f(x)\n", EDIT_expression,
                  "f(0)\n"
                  "|\n");
    assert_offers("f(g(x))\n", EDIT_expression,
                  "g(x)\n"
                  "|\n"
                  "f(0)\n"
                  "|\n"
                  "f(None)\n"
                  "|\n"
                  "f(g)\n"
                  "|\n"
                  "f(x)\n"
                  "|\n"
                  "f(g(0))\n"
                  "|\n");
}

static void brackets_come_where_the_place_needs_them(void **state)
{
    (void)state;
    assert_offers("x = f(a + b) * c\n", EDIT_expression,
                  "x = 0\n"
                  "|\n"
                  "x = None\n"
                  "|\n"
                  "x = f(a + b)\n"
                  "|\n"
                  "x = c\n"
                  "|\n"
                  "x = 0 * c\n"
                  "|\n"
                  "x = 1 * c\n"
                  "|\n"
                  "x = f * c\n"
                  "|\n"
                  "x = (a + b) * c\n"
                  "|\n"
                  "x = f(0) * c\n"
                  "|\n"
                  "x = f(None) * c\n"
                  "|\n"
                  "x = f(a) * c\n"
                  "|\n"
                  "x = f(b) * c\n"
                  "|\n"
                  "x = f(0 + b) * c\n"
                  "|\n"
                  "x = f(1 + b) * c\n"
                  "|\n"
                  "x = f(a + 0) * c\n"
                  "|\n"
                  "x = f(a + 1) * c\n"
                  "|\n"
                  "x = f(a + b) * 0\n"
                  "|\n"
                  "x = f(a + b) * 1\n"
                  "|\n");
    assert_offers("x = f(a if b else c).d\n", EDIT_expression,
                  "x = 0\n"
                  "|\n"
                  "x = None\n"
                  "|\n"
                  "x = \"\"\n"
                  "|\n"
                  "x = f(a if b else c)\n"
                  "|\n"
                  "x = f.d\n"
                  "|\n"
                  "x = (a if b else c).d\n"
                  "|\n"
                  "x = f(0).d\n"
                  "|\n"
                  "x = f(None).d\n"
                  "|\n"
                  "x = f(b).d\n"
                  "|\n"
                  "x = f(0 if b else c).d\n"
                  "|\n"
                  "x = f(1 if b else c).d\n"
                  "|\n"
                  "x = f(a if 0 else c).d\n"
                  "|\n"
                  "x = f(a if 1 else c).d\n"
                  "|\n"
                  "x = f(a if b else 0).d\n"
                  "|\n"
                  "x = f(a if b else 1).d\n"
                  "|\n");
    assert_offers("x = g(a := 1)\n", EDIT_expression,
                  "x = 0\n"
                  "|\n"
                  "x = None\n"
                  "|\n"
                  "x = g\n"
                  "|\n"
                  "x = (a := 1)\n"
                  "|\n"
                  "x = g(0)\n"
                  "|\n"
                  "x = g(None)\n"
                  "|\n"
                  "x = g(1)\n"
                  "|\n");
    assert_offers("x = f(lambda: a)(1)\n", EDIT_expression,
                  "x = 0\n"
                  "|\n"
                  "x = None\n"
                  "|\n"
                  "x = f(lambda: a)\n"
                  "|\n"
                  "x = 1\n"
                  "|\n"
                  "x = f(1)\n"
                  "|\n"
                  "x = (lambda: a)(1)\n"
                  "|\n"
                  "x = f(0)(1)\n"
                  "|\n"
                  "x = f(None)(1)\n"
                  "|\n"
                  "x = f(a)(1)\n"
                  "|\n");
    assert_offers("x = not(ab)\n", EDIT_expression,
                  "x = 0\n"
                  "|\n"
                  "x = None\n"
                  "|\n"
                  "x = (ab)\n"
                  "|\n"
                  "x = not 0\n"
                  "|\n"
                  "x = not 1\n"
                  "|\n"
                  "x = not ab\n"
                  "|\n");
    assert_offers("return_ = 2 if(ab)else(3)\n", EDIT_expression,
                  "return_ = 0\n"
                  "|\n"
                  "return_ = None\n"
                  "|\n"
                  "return_ = (ab)\n"
                  "|\n"
                  "return_ = 2 if 0 else(3)\n"
                  "|\n"
                  "return_ = 2 if 1 else(3)\n"
                  "|\n"
                  "return_ = 2 if ab else(3)\n"
                  "|\n"
                  "return_ = 2 if(ab)else 0\n"
                  "|\n"
                  "return_ = 2 if(ab)else 1\n"
                  "|\n"
                  "return_ = 2 if(ab)else 3\n"
                  "|\n");
}

static void a_part_of_many_lines_gets_brackets(void **state)
{
    (void)state;
    assert_offers("x = f(\n"
                  "    a +\n"
                  "    b, 1)\n",
                  EDIT_expression,
                  "x = 0\n"
                  "|\n"
                  "x = None\n"
                  "|\n"
                  "x = f\n"
                  "|\n"
                  "x = (a +\n"
                  "    b)\n"
                  "|\n"
                  "x = 1\n"
                  "|\n"
                  "x = f(\n"
                  "    0, 1)\n"
                  "|\n"
                  "x = f(\n"
                  "    None, 1)\n"
                  "|\n"
                  "x = f(\n"
                  "    a, 1)\n"
                  "|\n"
                  "x = f(\n"
                  "    b, 1)\n"
                  "|\n"
                  "x = f(\n"
                  "    0 +\n"
                  "    b, 1)\n"
                  "|\n"
                  "x = f(\n"
                  "    1 +\n"
                  "    b, 1)\n"
                  "|\n"
                  "x = f(\n"
                  "    a +\n"
                  "    0, 1)\n"
                  "|\n"
                  "x = f(\n"
                  "    a +\n"
                  "    1, 1)\n"
                  "|\n");
}

static void numbers_keep_away_from_dots(void **state)
{
    (void)state;
    assert_offers("x = (12).real\n", EDIT_expression,
                  "x = 0\n"
                  "|\n"
                  "x = None\n"
                  "|\n"
                  "x = \"\"\n"
                  "|\n"
                  "x = (12)\n"
                  "|\n"
                  "x = 12 .real\n"
                  "|\n");
}

static void constants_fit_their_places(void **state)
{
    (void)state;
    assert_offers("for i in range(n): pass\n", EDIT_expression,
                  "for i in (): pass\n"
                  "|\n"
                  "for i in range: pass\n"
                  "|\n"
                  "for i in n: pass\n"
                  "|\n"
                  "for i in range(0): pass\n"
                  "|\n");
    assert_offers("while ab: pass\n", EDIT_expression,
                  "while 0: pass\n"
                  "|\n"
                  "while 1: pass\n"
                  "|\n");
    assert_offers("x = ab[cd]\n", EDIT_expression,
                  "x = 0\n"
                  "|\n"
                  "x = None\n"
                  "|\n"
                  "x = ab\n"
                  "|\n"
                  "x = cd\n"
                  "|\n"
                  "x = ab[0]\n"
                  "|\n");
    assert_offers("x = -ab\n", EDIT_expression,
                  "x = 0\n"
                  "|\n"
                  "x = ab\n"
                  "|\n"
                  "x = -0\n"
                  "|\n"
                  "x = -1\n"
                  "|\n");
    assert_offers("f(True, None)\n", EDIT_expression,
                  "f(0, None)\n"
                  "|\n"
                  "f(1, None)\n"
                  "|\n"
                  "f(True, 0)\n"
                  "|\n"
                  "f(True, 1)\n"
                  "|\n");
    assert_offers("def f(a=bc): return d\n", EDIT_expression,
                  "def f(a=0): return d\n"
                  "|\n"
                  "def f(a=\"\"): return d\n"
                  "|\n"
                  "def f(a=bc): return 0\n"
                  "|\n");
}

static void displays_become_an_element(void **state)
{
    (void)state;
    assert_offers("x = [ab, cd]\n", EDIT_expression,
                  "x = 0\n"
                  "|\n"
                  "x = []\n"
                  "|\n"
                  "x = ab\n"
                  "|\n"
                  "x = cd\n"
                  "|\n"
                  "x = [0, cd]\n"
                  "|\n"
                  "x = [\"\", cd]\n"
                  "|\n"
                  "x = [ab, 0]\n"
                  "|\n"
                  "x = [ab, \"\"]\n"
                  "|\n");
    assert_offers("x = {a: bc}\n", EDIT_expression,
                  "x = 0\n"
                  "|\n"
                  "x = {}\n"
                  "|\n"
                  "x = bc\n"
                  "|\n"
                  "x = {a: 0}\n"
                  "|\n"
                  "x = {a: \"\"}\n"
                  "|\n");
    assert_offers("x = [a for b in cd]\n", EDIT_expression,
                  "x = 0\n"
                  "|\n"
                  "x = None\n"
                  "|\n"
                  "x = cd\n"
                  "|\n"
                  "x = a\n"
                  "|\n"
                  "x = [0 for b in cd]\n"
                  "|\n"
                  "x = [a for b in ()]\n"
                  "|\n");
}

static void a_generator_in_a_call_becomes_a_part(void **state)
{
    (void)state;
    assert_offers("f(x for y in items)\n", EDIT_expression,
                  "f(items)\n"
                  "|\n"
                  "f(x)\n"
                  "|\n"
                  "f(x for y in ())\n"
                  "|\n");
}

static void stars_go(void **state)
{
    (void)state;
    assert_offers("f(*ab, **cd)\n", EDIT_expression,
                  "f(ab, **cd)\n"
                  "|\n"
                  "f(*ab, cd)\n"
                  "|\n");
    assert_offers("f(k=1, **cd)\n", EDIT_expression, "");
    assert_offers("x = [*f(a)]\n", EDIT_expression,
                  "x = 0\n"
                  "|\n"
                  "x = []\n"
                  "|\n"
                  "x = [0]\n"
                  "|\n"
                  "x = [None]\n"
                  "|\n"
                  "x = [a]\n"
                  "|\n"
                  "x = [f(a)]\n"
                  "|\n"
                  "x = [*f(0)]\n"
                  "|\n");
}

static void an_import_is_no_result(void **state)
{
    (void)state;
    assert_offers("import ab\n"
                  "from cd import ef as gh\n"
                  "x = ab.f()\n"
                  "y = gh.f()\n"
                  "z = ab.gh.f()\n",
                  EDIT_expression,
                  "import ab\n"
                  "from cd import ef as gh\n"
                  "x = 0\n"
                  "y = gh.f()\n"
                  "z = ab.gh.f()\n"
                  "|\n"
                  "import ab\n"
                  "from cd import ef as gh\n"
                  "x = None\n"
                  "y = gh.f()\n"
                  "z = ab.gh.f()\n"
                  "|\n"
                  "import ab\n"
                  "from cd import ef as gh\n"
                  "x = ab.f\n"
                  "y = gh.f()\n"
                  "z = ab.gh.f()\n"
                  "|\n"
                  "import ab\n"
                  "from cd import ef as gh\n"
                  "x = ab.f()\n"
                  "y = 0\n"
                  "z = ab.gh.f()\n"
                  "|\n"
                  "import ab\n"
                  "from cd import ef as gh\n"
                  "x = ab.f()\n"
                  "y = None\n"
                  "z = ab.gh.f()\n"
                  "|\n"
                  "import ab\n"
                  "from cd import ef as gh\n"
                  "x = ab.f()\n"
                  "y = gh.f\n"
                  "z = ab.gh.f()\n"
                  "|\n"
                  "import ab\n"
                  "from cd import ef as gh\n"
                  "x = ab.f()\n"
                  "y = gh.f()\n"
                  "z = 0\n"
                  "|\n"
                  "import ab\n"
                  "from cd import ef as gh\n"
                  "x = ab.f()\n"
                  "y = gh.f()\n"
                  "z = None\n"
                  "|\n"
                  "import ab\n"
                  "from cd import ef as gh\n"
                  "x = ab.f()\n"
                  "y = gh.f()\n"
                  "z = ab.gh\n"
                  "|\n"
                  "import ab\n"
                  "from cd import ef as gh\n"
                  "x = ab.f()\n"
                  "y = gh.f()\n"
                  "z = ab.gh.f\n"
                  "|\n"
                  "import ab\n"
                  "from cd import ef as gh\n"
                  "x = ab.f()\n"
                  "y = gh.f()\n"
                  "z = ab.f()\n"
                  "|\n");
}

static void a_display_becomes_an_empty_one(void **state)
{
    (void)state;
    assert_offers("x = ('a', 'b')\n", EDIT_expression,
                  "x = 0\n"
                  "|\n"
                  "x = ()\n"
                  "|\n"
                  "x = 'a'\n"
                  "|\n"
                  "x = 'b'\n"
                  "|\n");
    assert_offers("x = {'a', 'b'}\n", EDIT_expression,
                  "x = 0\n"
                  "|\n"
                  "x = set()\n"
                  "|\n"
                  "x = 'a'\n"
                  "|\n"
                  "x = 'b'\n"
                  "|\n");
}

static void targets_and_patterns_stay(void **state)
{
    (void)state;
    assert_offers("with a as (b, c): pass\n", EDIT_expression, "");
    assert_offers("ab.cd = 1\n", EDIT_expression, "");
    assert_offers("del ab\n", EDIT_expression, "");
    assert_offers("match 1:\n"
                  "    case ab.cd: pass\n",
                  EDIT_expression, "");
}

static void odd_forms_become_parts(void **state)
{
    (void)state;
    assert_offers("x = f([g])\n", EDIT_expression,
                  "x = 0\n|\nx = None\n|\nx = f\n|\nx = [g]\n|\n"
                  "x = g\n|\nx = f(0)\n|\nx = f([])\n|\nx = f(g)\n|\n"
                  "x = f([0])\n|\n");
    assert_offers("async def f(): x = await gh\n", EDIT_expression,
                  "async def f(): x = 0\n"
                  "|\n"
                  "async def f(): x = None\n"
                  "|\n"
                  "async def f(): x = gh\n"
                  "|\n"
                  "async def f(): x = await 0\n"
                  "|\n");
    assert_offers("x = a[b:c]\n", EDIT_expression,
                  "x = 0\n"
                  "|\n"
                  "x = None\n"
                  "|\n"
                  "x = a\n"
                  "|\n");
    assert_offers("x = (yi := ab)\n", EDIT_expression,
                  "x = 0\n"
                  "|\n"
                  "x = None\n"
                  "|\n"
                  "x = (ab)\n"
                  "|\n");
    assert_offers("@ab.cd\n"
                  "def f(): pass\n",
                  EDIT_expression,
                  "@ab\n"
                  "def f(): pass\n"
                  "|\n");
    assert_offers("x = f'{ab}'\n", EDIT_expression,
                  "x = ab\n"
                  "|\n"
                  "x = f'{0}'\n"
                  "|\n");
    assert_offers("x: ab.cd = 1\n", EDIT_expression,
                  "x: 0 = 1\n"
                  "|\n"
                  "x: ab = 1\n"
                  "|\n");
    assert_offers("a[b].append('%d' % c)\n", EDIT_expression,
                  "a[b]\n"
                  "|\n"
                  "a[b].append\n"
                  "|\n"
                  "'%d' % c\n"
                  "|\n"
                  "a.append('%d' % c)\n"
                  "|\n"
                  "b.append('%d' % c)\n"
                  "|\n"
                  "a[0].append('%d' % c)\n"
                  "|\n"
                  "a[b].append(0)\n"
                  "|\n"
                  "a[b].append(None)\n"
                  "|\n"
                  "a[b].append('%d')\n"
                  "|\n"
                  "a[b].append(c)\n"
                  "|\n"
                  "a[b].append('%d' % 0)\n"
                  "|\n"
                  "a[b].append('%d' % 1)\n"
                  "|\n");
}

static void what_is_added_to_is_assigned(void **state)
{
    (void)state;
    assert_offers("x += a\n", EDIT_expression,
                  "x = a\n|\nx += 0\n|\nx += 1\n|\n");
    assert_offers("y[0] //= 2\n", EDIT_expression, "y[0] = 2\n|\n");
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
        cmocka_unit_test(a_generator_in_a_call_becomes_a_part),
        cmocka_unit_test(stars_go),
        cmocka_unit_test(an_import_is_no_result),
        cmocka_unit_test(a_display_becomes_an_empty_one),
        cmocka_unit_test(targets_and_patterns_stay),
        cmocka_unit_test(odd_forms_become_parts),
        cmocka_unit_test(what_is_added_to_is_assigned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
