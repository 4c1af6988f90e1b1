/* Containers and what is put into them: all results for each text. */
#include "test/unit/offers.h"

static void what_is_stored_next_is_written_in(void **state)
{
    (void)state;
    assert_offers("x = {}\n"
                  "x['a'] = f(1)\n"
                  "x['b'] = 2\n",
                  EDIT_gather,
                  "x = {'a': f(1)}\n"
                  "x['b'] = 2\n"
                  "|\n");
    assert_offers("def f():\n"
                  "    x = [1, 2,]  # two\n"
                  "    x.append(lambda a: a)\n"
                  "    return x\n",
                  EDIT_gather,
                  "def f():\n"
                  "    x = [1, 2, lambda a: a]\n"
                  "    return x\n"
                  "|\n");
    assert_offers("x = {a: b}; x[c] = (d,\n e)\n", EDIT_gather,
                  "x = {a: b, c: (d,\n e)}\n"
                  "|\n");
}

static void what_needs_the_container_or_no_place_in_it_stays(void **state)
{
    (void)state;
    assert_offers("x = {}\n"
                  "x[len(x)] = 1\n"
                  "x = {}\n"
                  "x[1:2] = 1\n"
                  "x = {}\n"
                  "x[1] = 2, 3\n"
                  "x = {}\n"
                  "y[1] = 2\n"
                  "x = []\n"
                  "x[0] = 2\n"
                  "x = []\n"
                  "x.append(*y)\n"
                  "x = []\n"
                  "x.append(y for y in z)\n"
                  "x = y = []\n"
                  "x.append(1)\n"
                  "x: list = []\n"
                  "x.append(1)\n"
                  "x = []\n"
                  "x.extend(y)\n"
                  "x = [],\n"
                  "x.append(1)\n"
                  "x = []\n"
                  "x[0] += 1\n",
                  EDIT_gather, "");
}

static void an_empty_one_is_made_where_it_is_filled(void **state)
{
    (void)state;
    assert_offers("x = []\n"
                  "y = f()\n"
                  "x.append(y + 1)\n"
                  "print(x)\n",
                  EDIT_gather,
                  "y = f()\n"
                  "x = [y + 1]\n"
                  "print(x)\n"
                  "|\n");
    assert_offers("def g():\n"
                  "    x = {}\n"
                  "    y = f()\n"
                  "    x[y] = 2\n",
                  EDIT_gather,
                  "def g():\n"
                  "    y = f()\n"
                  "    x = {y: 2}\n"
                  "|\n");
    assert_offers("x = []\n"
                  "y = f(x)\n"
                  "x.append(y)\n"
                  "z = []\n"
                  "if y:\n"
                  "    z.append(1)\n"
                  "u = [1]\n"
                  "f()\n"
                  "u.append(2)\n"
                  "v = []\n"
                  "f()\n"
                  "v.append(len(v))\n",
                  EDIT_gather, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_one_is_made_where_it_is_filled),
        cmocka_unit_test(what_is_stored_next_is_written_in),
        cmocka_unit_test(what_needs_the_container_or_no_place_in_it_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
