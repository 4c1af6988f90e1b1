/* Launches that give way to one of their arguments: all results. */
#include "test/unit/offers.h"

static void who_reads_the_output_reads_the_input(void **state)
{
    (void)state;
    assert_offers("x = f(3)\n"
                  "tmp = g(1)\n"
                  "peak[(1,)](x, tmp, 3)\n"
                  "divide[(1,)](tmp, x)\n"
                  "check(x, tmp)\n",
                  EDIT_bypass,
                  "x = f(3)\n"
                  "tmp = g(1)\n"
                  "divide[(1,)](x, x)\n"
                  "check(x, x)\n"
                  "|\n"
                  "x = f(3)\n"
                  "tmp = g(1)\n"
                  "divide[(1,)](tmp, tmp)\n"
                  "check(tmp, tmp)\n"
                  "|\n"
                  "x = f(3)\n"
                  "tmp = g(1)\n"
                  "peak[(1,)](x, tmp, 3)\n"
                  "check(tmp, tmp)\n"
                  "|\n"
                  "x = f(3)\n"
                  "tmp = g(1)\n"
                  "peak[(1,)](x, tmp, 3)\n"
                  "check(x, x)\n"
                  "|\n");
}

static void what_is_used_before_the_launch_stays_there(void **state)
{
    (void)state;
    assert_offers("def run(x):\n"
                  "    tmp = make(x)\n"
                  "    first[4, 8](tmp)\n"
                  "    second[4, 8](a=x, b=tmp)\n"
                  "    return tmp.sum()\n",
                  EDIT_bypass,
                  "def run(x):\n"
                  "    tmp = make(x)\n"
                  "    first[4, 8](tmp)\n"
                  "    return x.sum()\n"
                  "|\n");
    /* what only the stage filled: the script's own functions, too */
    assert_offers("def run(x):\n"
                  "    tmp = make(x)\n"
                  "    fill(x, tmp)\n"
                  "    print(tmp)\n",
                  EDIT_bypass,
                  "def run(x):\n"
                  "    tmp = make(x)\n"
                  "    print(x)\n"
                  "|\n");
}

static void what_is_no_buffer_or_no_input_is_not_exchanged(void **state)
{
    (void)state;
    assert_offers("n = 4\n"
                  "tmp = make()\n"
                  "k[1](n, tmp)\n"
                  "print(tmp)\n",
                  EDIT_bypass, "");
    assert_offers("x = y + 1\n"
                  "tmp = make()\n"
                  "k[1](x, tmp)\n",
                  EDIT_bypass, "");
    assert_offers("x = y + 1\n"
                  "tmp = make()\n"
                  "tmp = make()\n"
                  "k[1](x, tmp)\n"
                  "print(tmp)\n",
                  EDIT_bypass, "");
    assert_offers("x = y + 1\n"
                  "tmp = make()\n"
                  "z = k[1](x, tmp)\n"
                  "o.k(x, tmp)\n"
                  "print(tmp)\n",
                  EDIT_bypass, "");
    assert_offers("tmp = make()\n"
                  "def run(x):\n"
                  "    k[1](x, tmp)\n"
                  "    print(tmp)\n",
                  EDIT_bypass, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_reads_the_output_reads_the_input),
        cmocka_unit_test(what_is_used_before_the_launch_stays_there),
        cmocka_unit_test(what_is_no_buffer_or_no_input_is_not_exchanged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
