/* Named tuples that become classes: all results. They are pumps. */
#include "test/unit/offers.h"

static void what_is_assigned_becomes_the_class(void **state)
{
    (void)state;
    assert_pumps("import collections\n"
                 "P = collections.namedtuple(\"Q\", \"x, y\")\n"
                 "print(P(1, 2).x)\n",
                 EDIT_record,
                 "import collections\n"
                 "class P:\n"
                 "    def __init__(self, x, y):\n"
                 "        self.x = x\n"
                 "        self.y = y\n"
                 "print(P(1, 2).x)\n"
                 "|\n");
    assert_pumps("def run():\n"
                 "    P = namedtuple('P', field_names=['x'])\n"
                 "    return P(1)\n",
                 EDIT_record,
                 "def run():\n"
                 "    class P:\n"
                 "        def __init__(self, x):\n"
                 "            self.x = x\n"
                 "    return P(1)\n"
                 "|\n");
}

static void in_an_expression_it_has_its_own_name(void **state)
{
    (void)state;
    /* as long as what may be added */
    assert_pumps("print('.............................................')\n"
                 "if 1:\n"
                 "    p = namedtuple('P', ('x', 'y'))(f(), 2)\n",
                 EDIT_record,
                 "print('.............................................')\n"
                 "if 1:\n"
                 "    class P:\n"
                 "        def __init__(self, x, y):\n"
                 "            self.x = x\n"
                 "            self.y = y\n"
                 "    p = P(f(), 2)\n"
                 "|\n");
    assert_pumps("P = 3\np = namedtuple('P', 'x')(P)\n", EDIT_record, "");
}

static void what_is_more_than_names_stays(void **state)
{
    (void)state;
    assert_pumps("P = namedtuple('P', 'x y', defaults=(1,))\n", EDIT_record,
                 "");
    assert_pumps("P = namedtuple('P', names)\n", EDIT_record, "");
    assert_pumps("P = namedtuple('P', f'x {y}')\n", EDIT_record, "");
    assert_pumps("P = namedtuple('P', 'x _y')\n", EDIT_record, "");
    assert_pumps("P = namedtuple('P', '')\n", EDIT_record, "");
    assert_pumps("P = namedtuple('P', ['x', 3])\n", EDIT_record, "");
    assert_pumps("P = namedtuple(*a)\nQ = namedtuple('Q', *a)\n", EDIT_record,
                 "");
    assert_pumps("while run(namedtuple('P', 'x')):\n    pass\n", EDIT_record,
                 "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_assigned_becomes_the_class),
        cmocka_unit_test(in_an_expression_it_has_its_own_name),
        cmocka_unit_test(what_is_more_than_names_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
