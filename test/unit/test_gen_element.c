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
                  "|\n"
                  "x = [1,\n"
                  "    2,\n"
                  "]\n"
                  "|\n"
                  "x = [\n"
                  "    1,\n"
                  "    2]\n"
                  "|\n");
}

static void one_branch_is_left_of_two(void **state)
{
    (void)state;
    assert_offers("return_ = 2 if(ab)else(3)\n", EDIT_element,
                  "return_ = 2\n"
                  "|\n"
                  "return_ = (3)\n"
                  "|\n");
    assert_offers("x = f(a if b else c or d).e\n", EDIT_element,
                  "f(a if b else c or d).e\n"
                  "|\n"
                  "x = f(a).e\n"
                  "|\n"
                  "x = f(c or d).e\n"
                  "|\n"
                  "x = f(a if b else d).e\n"
                  "|\n"
                  "x = f(a if b else c).e\n"
                  "|\n");
    assert_offers("f = lambda *, d: 1\n", EDIT_element, "");
}

static void unused_parameters_of_a_lambda_go(void **state)
{
    (void)state;
    assert_offers("f = lambda a, b=1, *c, d, **e: b\n", EDIT_element,
                  "f = lambda b=1, *c, d, **e: b\n"
                  "|\n"
                  "f = lambda a, b=1, d, **e: b\n"
                  "|\n"
                  "f = lambda a, b=1, *c, **e: b\n"
                  "|\n"
                  "f = lambda a, b=1, *c, d: b\n"
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
                  "|\n"
                  "x = (a, b)\n"
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

static void targets_go_with_their_values(void **state)
{
    (void)state;
    assert_offers("a, b = x, y\n", EDIT_element,
                  "b = y\n"
                  "|\n"
                  "a = x\n"
                  "|\n"
                  "a, b = y\n"
                  "|\n"
                  "a, b = x\n"
                  "|\n");
    assert_offers("for i, j in f(m, n, k=1): pass\n", EDIT_element,
                  "for j in f(n, k=1): pass\n"
                  "|\n"
                  "for i in f(m, k=1): pass\n"
                  "|\n");
    assert_offers("with K(m, n) as (x, y): pass\n", EDIT_element,
                  "with K(m, n): pass\n"
                  "|\n"
                  "with K(n) as (y): pass\n"
                  "|\n"
                  "with K(m) as (x): pass\n"
                  "|\n"
                  "with K(m, n) as (x,): pass\n"
                  "|\n"
                  "with K(m, n) as (y,): pass\n"
                  "|\n");
    assert_offers("a, *b = x, y\n", EDIT_element,
                  "a, *b = y\n"
                  "|\n"
                  "a, *b = x\n"
                  "|\n");
    assert_offers("(a, b) = [x, y]\n", EDIT_element,
                  "(b) = [y]\n"
                  "|\n"
                  "(a) = [x]\n"
                  "|\n"
                  "(a,) = [x, y]\n"
                  "|\n"
                  "(b,) = [x, y]\n"
                  "|\n"
                  "(a, b) = [y]\n"
                  "|\n"
                  "(a, b) = [x]\n"
                  "|\n");
}

static void an_assignment_becomes_its_value(void **state)
{
    (void)state;
    assert_offers("a = b = f()\n", EDIT_element,
                  "b = f()\n"
                  "|\n"
                  "a = f()\n"
                  "|\n");
    assert_offers("x += f()\n", EDIT_element,
                  "f()\n"
                  "|\n");
    assert_offers("x: int = f()\n", EDIT_element,
                  "f()\n"
                  "|\n");
    assert_offers("x = 1\n", EDIT_element, "");
}

static void names_after_as_go(void **state)
{
    (void)state;
    assert_offers("with a as b, c as d: pass\n", EDIT_element,
                  "with c as d: pass\n"
                  "|\n"
                  "with a as b: pass\n"
                  "|\n"
                  "with a, c as d: pass\n"
                  "|\n"
                  "with a as b, c: pass\n"
                  "|\n");
    assert_offers("with (open(a) as f, b): pass\n", EDIT_element,
                  "with (b): pass\n"
                  "|\n"
                  "with (open(a) as f): pass\n"
                  "|\n"
                  "with (open(a), b): pass\n"
                  "|\n");
}

static void exceptions_go(void **state)
{
    (void)state;
    assert_offers("try: pass\n"
                  "except (A, B) as e: pass\n",
                  EDIT_element,
                  "try: pass\n"
                  "except: pass\n"
                  "|\n"
                  "try: pass\n"
                  "except (A, B): pass\n"
                  "|\n"
                  "try: pass\n"
                  "except (A,) as e: pass\n"
                  "|\n"
                  "try: pass\n"
                  "except (B,) as e: pass\n"
                  "|\n");
    assert_offers("try: pass\n"
                  "except A: pass\n"
                  "except B: pass\n",
                  EDIT_element,
                  "try: pass\n"
                  "except A: pass\n"
                  "except: pass\n"
                  "|\n");
    assert_offers("try: pass\n"
                  "except* A: pass\n",
                  EDIT_element, "");
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

static void base_classes_go(void **state)
{
    (void)state;
    assert_offers("class A(B, metaclass=M): pass\n", EDIT_element,
                  "class A: pass\n"
                  "|\n"
                  "class A(metaclass=M): pass\n"
                  "|\n"
                  "class A(B): pass\n"
                  "|\n");
    assert_offers("class A[T](B): pass\n", EDIT_element,
                  "class A[T]: pass\n"
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
                  "    case (1, y) as z: pass\n"
                  "|\n"
                  "match x:\n"
                  "    case (1, y) if y: pass\n"
                  "|\n"
                  "match x:\n"
                  "    case (1,) as z if y: pass\n"
                  "|\n"
                  "match x:\n"
                  "    case (y,) as z if y: pass\n"
                  "|\n");
}

static void names_of_global_go(void **state)
{
    (void)state;
    assert_offers("def f():\n"
                  "    global a, b\n",
                  EDIT_element,
                  "def f():\n"
                  "    global b\n"
                  "|\n"
                  "def f():\n"
                  "    global a\n"
                  "|\n");
}

static void optional_parts_go(void **state)
{
    (void)state;
    assert_offers("assert a, b\n", EDIT_element,
                  "assert a\n"
                  "|\n");
    assert_offers("def f(): return a\n", EDIT_element,
                  "def f(): return\n"
                  "|\n");
    assert_offers("raise A from b\n", EDIT_element,
                  "raise\n"
                  "|\n"
                  "raise A\n"
                  "|\n");
    assert_offers("def f(): yield a\n", EDIT_element,
                  "def f(): yield\n"
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
    assert_offers("del a, b\n", EDIT_element,
                  "del b\n"
                  "|\n"
                  "del a\n"
                  "|\n");
}

static void tuples_grow_together(void **state)
{
    (void)state;
    assert_offers("x = (a, b) + (c,)\n", EDIT_element,
                  "x = (a, b, c,)\n"
                  "|\n"
                  "x = (a,) + (c,)\n"
                  "|\n"
                  "x = (b,) + (c,)\n"
                  "|\n");
}

static void loose_commas_go(void **state)
{
    (void)state;
    assert_offers("f(a, )\n", EDIT_element,
                  "f(a)\n"
                  "|\n");
    assert_offers("x = [ a , b, ]\n", EDIT_element,
                  "x = [ b, ]\n"
                  "|\n"
                  "x = [ a ]\n"
                  "|\n"
                  "x = [a , b, ]\n"
                  "|\n"
                  "x = [ a , b]\n"
                  "|\n");
    assert_offers("x = (a, )\n", EDIT_element, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_of_displays_go),
        cmocka_unit_test(one_branch_is_left_of_two),
        cmocka_unit_test(unused_parameters_of_a_lambda_go),
        cmocka_unit_test(a_tuple_of_two_stays_a_tuple),
        cmocka_unit_test(targets_go_with_their_values),
        cmocka_unit_test(an_assignment_becomes_its_value),
        cmocka_unit_test(names_after_as_go),
        cmocka_unit_test(exceptions_go),
        cmocka_unit_test(operands_go),
        cmocka_unit_test(strings_lose_pieces),
        cmocka_unit_test(base_classes_go),
        cmocka_unit_test(a_comprehension_becomes_its_element),
        cmocka_unit_test(patterns_lose_parts),
        cmocka_unit_test(names_of_global_go),
        cmocka_unit_test(optional_parts_go),
        cmocka_unit_test(tuples_grow_together),
        cmocka_unit_test(loose_commas_go),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
