/* Parts of series and optional parts: all results for each text. */
#include "test/unit/offers.h"

static void elements_of_displays_go(void **state)
{
    (void)state;
    assert_offers("x = [a, *b]\n", EDIT_element,
                  "x = [*b]\n"
                  "|\n"
                  "x = [a]\n"
                  "|\n");
    assert_offers("x = {a: 1, **b}\n", EDIT_element,
                  "x = {**b}\n"
                  "|\n"
                  "x = {a: 1}\n"
                  "|\n");
    assert_offers("x = {a, b}\n", EDIT_element,
                  "x = {b}\n"
                  "|\n"
                  "x = {a}\n"
                  "|\n");
    assert_offers("x = [\n"
                  "    1,\n"
                  "    2,\n"
                  "]\n",
                  EDIT_element,

                  "x = [\n"
                  "    2,\n"
                  "]\n"
                  "|\n"
                  "x = [\n"
                  "    1\n"
                  "]\n"
                  "|\n");
}

static void a_tuple_of_two_stays_a_tuple(void **state)
{
    (void)state;
    assert_offers("x = (a, b)\n", EDIT_element,
                  "x = (a,)\n"
                  "|\n"
                  "x = (b,)\n"
                  "|\n");
    assert_offers("x = (a, b,)\n", EDIT_element,

                  "x = (a,)\n"
                  "|\n"
                  "x = (b,)\n"
                  "|\n");
    assert_offers("x = (a,)\n", EDIT_element, "");
    assert_offers("x = (a, b, c)\n", EDIT_element,
                  "x = (b, c)\n"
                  "|\n"
                  "x = (a, c)\n"
                  "|\n"
                  "x = (a, b)\n"
                  "|\n");
}

static void operands_go(void **state)
{
    (void)state;
    assert_offers("x = a and b and c\n", EDIT_element,
                  "x = b and c\n"
                  "|\n"
                  "x = a and c\n"
                  "|\n"
                  "x = a and b\n"
                  "|\n");
    assert_offers("x = a or b and c\n", EDIT_element,
                  "x = b and c\n"
                  "|\n"
                  "x = a\n"
                  "|\n"
                  "x = a or c\n"
                  "|\n"
                  "x = a or b\n"
                  "|\n");
    assert_offers("x = a < b <= c\n", EDIT_element,
                  "x = b <= c\n"
                  "|\n"
                  "x = a < c\n"
                  "|\n"
                  "x = a < b\n"
                  "|\n");
    assert_offers("x = not(a)and(b)\n", EDIT_element,
                  "x = (b)\n"
                  "|\n"
                  "x = not(a)\n"
                  "|\n");
}

static void strings_lose_pieces(void **state)
{
    (void)state;
    assert_offers("x = 'a' \"b\" 'c'\n", EDIT_element,
                  "x = \"b\" 'c'\n"
                  "|\n"
                  "x = 'a' 'c'\n"
                  "|\n"
                  "x = 'a' \"b\"\n"
                  "|\n");
    assert_offers("x = f'a{b!r:>{c}}d{e=}'\n", EDIT_element,
                  "x = f'{b!r:>{c}}d{e=}'\n"
                  "|\n"
                  "x = f'ad{e=}'\n"
                  "|\n"
                  "x = f'a{b!r:>{c}}{e=}'\n"
                  "|\n"
                  "x = f'a{b!r:>{c}}d'\n"
                  "|\n"
                  "x = f'a{b:>{c}}d{e=}'\n"
                  "|\n"
                  "x = f'a{b!r}d{e=}'\n"
                  "|\n"
                  "x = f'a{b!r:>{c}}d{e}'\n"
                  "|\n");
    assert_offers("x = f'{a + f\"{b}\"}'\n", EDIT_element,
                  "x = f''\n"
                  "|\n"
                  "x = f'{a + f\"\"}'\n"
                  "|\n");
}

static void a_comprehension_becomes_its_element(void **state)
{
    (void)state;
    assert_offers("x = [a for a in b if c]\n", EDIT_element,
                  "x = [a]\n"
                  "|\n"
                  "x = [a for a in b]\n"
                  "|\n");
    assert_offers("x = {a: b for a, b in c}\n", EDIT_element,
                  "x = {a: b}\n"
                  "|\n");
    assert_offers("f(a for a in b)\n", EDIT_element,
                  "f([a])\n"
                  "|\n");
    assert_offers("x = (a async for a in b)\n", EDIT_element,
                  "x = [a]\n"
                  "|\n");
    assert_offers("x = {a for b in c for a in b}\n", EDIT_element,
                  "x = {a}\n"
                  "|\n"
                  "x = {a for b in c}\n"
                  "|\n");
}

static void patterns_lose_parts(void **state)
{
    (void)state;
    assert_offers("match x:\n"
                  "    case {'a': 1, **r}: pass\n",
                  EDIT_element,
                  "match x:\n"
                  "    case {**r}: pass\n"
                  "|\n"
                  "match x:\n"
                  "    case {'a': 1,}: pass\n"
                  "|\n");
    assert_offers("match x:\n"
                  "    case A(1, b=2) | [1, *_]: pass\n",
                  EDIT_element,
                  "match x:\n"
                  "    case [1, *_]: pass\n"
                  "|\n"
                  "match x:\n"
                  "    case A(1, b=2): pass\n"
                  "|\n"
                  "match x:\n"
                  "    case A(b=2) | [1, *_]: pass\n"
                  "|\n"
                  "match x:\n"
                  "    case A(1) | [1, *_]: pass\n"
                  "|\n"
                  "match x:\n"
                  "    case A(1, b=2) | [*_]: pass\n"
                  "|\n"
                  "match x:\n"
                  "    case A(1, b=2) | [1]: pass\n"
                  "|\n");
    assert_offers("match x:\n"
                  "    case (1, y) as z if y: pass\n",
                  EDIT_element,

                  "match x:\n"
                  "    case (1,) as z if y: pass\n"
                  "|\n"
                  "match x:\n"
                  "    case (y,) as z if y: pass\n"
                  "|\n");
}

static void bounds_and_indices_go(void **state)
{
    (void)state;
    assert_offers("del a, b\n", EDIT_element,
                  "del b\n"
                  "|\n"
                  "del a\n"
                  "|\n");
    assert_offers("x = a[b:c:d]\n", EDIT_element,
                  "x = a[:c:d]\n"
                  "|\n"
                  "x = a[b::d]\n"
                  "|\n"
                  "x = a[b:c:]\n"
                  "|\n");
    assert_offers("x = a[b, c]\n", EDIT_element,
                  "x = a[c]\n"
                  "|\n"
                  "x = a[b]\n"
                  "|\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_of_displays_go),
        cmocka_unit_test(bounds_and_indices_go),
        cmocka_unit_test(a_tuple_of_two_stays_a_tuple),
        cmocka_unit_test(operands_go),
        cmocka_unit_test(strings_lose_pieces),
        cmocka_unit_test(a_comprehension_becomes_its_element),
        cmocka_unit_test(patterns_lose_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
