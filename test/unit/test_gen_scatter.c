/* Elements that get names of their own: all results for each text. */
#include "test/unit/offers.h"

static void a_name_for_each_element(void **state)
{
    (void)state;
    assert_offers("x = [f(), g()]\n"
                  "h(x[0], x[-1].y, x[1])\n",
                  EDIT_scatter,
                  "x0, x1 = f(), g()\n"
                  "h(x0, x1.y, x1)\n"
                  "|\n");
    assert_offers("def f():\n"
                  "    z = [a,\n"
                  "      # why\n"
                  "      b,\n"
                  "    ]\n"
                  "    return lambda: z[0] + z[1]\n",
                  EDIT_scatter,
                  "def f():\n"
                  "    z0, z1 = (a,\n"
                  "      # why\n"
                  "      b)\n"
                  "    return lambda: z0 + z1\n"
                  "|\n");
}

static void the_only_element_takes_the_name(void **state)
{
    (void)state;
    assert_offers("y = (K(),)\n"
                  "y[0].f(); y[-1][0]\n",
                  EDIT_scatter,
                  "y = K()\n"
                  "y.f(); y[0]\n"
                  "|\n");
    assert_offers("y = [ K() ] # it\n"
                  "y [ 0 ](f\"{y[0]}\")\n",
                  EDIT_scatter,
                  "y = K() # it\n"
                  "y(f\"{y}\")\n"
                  "|\n");
}

static void a_container_that_is_used_otherwise_stays(void **state)
{
    static const char *const texts[] = {
        "u = [1, 2]\nlen(u); u[0]\n", /* whole */
        "u = [1, 2]\nu[2]\n",         /* out of bounds */
        "u = [1, 2]\nu[-3]\n",
        "u = [1, 2]\nu[i]\n",
        "u = [1, 2]\nu[0:1]\n",
        "u = [1, 2]\nu[0, 1]\n",
        "u = [1]\nu[0] = 3\n", /* stored to */
        "u = [1]\ndel u[0]\n",
        "u = [1]\nu[0] += 3\n",
        "u = [1]\nfor u[0] in x: pass\n",
        "u = [1]\nu = [2]\nu[0]\n",
        "s = u = [1]\nu[0]\n",
        "u: list = [1]\nu[0]\n",
        "u = [*a]\nu[0]\n",
        "u = []\nu[0]\n",
        "u = [1]\n",
        "u0 = 1\nu = [1, 2]\nu[0]\n", /* the name is taken */
        "u = [1, 2]\nu[0](u1)\n",
        "u = {1}\nu[0]\n",
    };
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        assert_offers(texts[i], EDIT_scatter, "");
        assert_pumps(texts[i], EDIT_scatter, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_for_each_element),
        cmocka_unit_test(the_only_element_takes_the_name),
        cmocka_unit_test(a_container_that_is_used_otherwise_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
