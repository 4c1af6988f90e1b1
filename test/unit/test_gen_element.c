/* Parts of series and optional parts: all results for each text. */
#include "test/golden.h"

static void elements_of_displays_go(void **state)
{
    (void)state;
    GOLDEN(EDIT_element, "x = [a, *b]\n", "x = [*b]\n", "x = [a]\n");
    GOLDEN(EDIT_element, "x = {a: 1, **b}\n", "x = {**b}\n", "x = {a: 1}\n");
    GOLDEN(EDIT_element, "x = {a, b}\n", "x = {b}\n", "x = {a}\n");
    GOLDEN(EDIT_element,
           "x = [\n"
           "    1,\n"
           "    2,\n"
           "]\n",
           "x = [\n"
           "    2,\n"
           "]\n",
           "x = [\n"
           "    1\n"
           "]\n",
           "x = [1,\n"
           "    2,\n"
           "]\n",
           "x = [\n"
           "    1,\n"
           "    2]\n");
}

static void a_tuple_of_two_stays_a_tuple(void **state)
{
    (void)state;
    GOLDEN(EDIT_element, "x = (a, b)\n", "x = (a,)\n", "x = (b,)\n");
    GOLDEN(EDIT_element, "x = (a, b,)\n", "x = (a,)\n", "x = (b,)\n",
           "x = (a, b)\n");
    GOLDEN_NONE(EDIT_element, "x = (a,)\n");
    GOLDEN(EDIT_element, "x = (a, b, c)\n", "x = (b, c)\n", "x = (a, c)\n",
           "x = (a, b)\n");
}

static void targets_go_with_their_values(void **state)
{
    (void)state;
    GOLDEN(EDIT_element, "a, b = x, y\n", "b = y\n", "a = x\n", "a, b = y\n",
           "a, b = x\n");
    GOLDEN(EDIT_element, "for i, j in f(m, n, k=1): pass\n",
           "for j in f(n, k=1): pass\n", "for i in f(m, k=1): pass\n");
    GOLDEN(EDIT_element, "with K(m, n) as (x, y): pass\n",
           "with K(m, n): pass\n", "with K(n) as (y): pass\n",
           "with K(m) as (x): pass\n", "with K(m, n) as (x,): pass\n",
           "with K(m, n) as (y,): pass\n");
    GOLDEN(EDIT_element, "a, *b = x, y\n", "a, *b = y\n", "a, *b = x\n");
    GOLDEN(EDIT_element, "(a, b) = [x, y]\n", "(b) = [y]\n", "(a) = [x]\n",
           "(a,) = [x, y]\n", "(b,) = [x, y]\n", "(a, b) = [y]\n",
           "(a, b) = [x]\n");
}

static void an_assignment_becomes_its_value(void **state)
{
    (void)state;
    GOLDEN(EDIT_element, "a = b = f()\n", "b = f()\n", "a = f()\n");
    GOLDEN(EDIT_element, "x += f()\n", "f()\n");
    GOLDEN(EDIT_element, "x: int = f()\n", "f()\n");
    GOLDEN_NONE(EDIT_element, "x = 1\n");
}

static void names_after_as_go(void **state)
{
    (void)state;
    GOLDEN(EDIT_element, "with a as b, c as d: pass\n", "with c as d: pass\n",
           "with a as b: pass\n", "with a, c as d: pass\n",
           "with a as b, c: pass\n");
    GOLDEN(EDIT_element, "with (open(a) as f, b): pass\n", "with (b): pass\n",
           "with (open(a) as f): pass\n", "with (open(a), b): pass\n");
}

static void exceptions_go(void **state)
{
    (void)state;
    GOLDEN(EDIT_element,
           "try: pass\n"
           "except (A, B) as e: pass\n",
           "try: pass\n"
           "except: pass\n",
           "try: pass\n"
           "except (A, B): pass\n",
           "try: pass\n"
           "except (A,) as e: pass\n",
           "try: pass\n"
           "except (B,) as e: pass\n");
    GOLDEN(EDIT_element,
           "try: pass\n"
           "except A: pass\n"
           "except B: pass\n",
           "try: pass\n"
           "except A: pass\n"
           "except: pass\n");
    GOLDEN_NONE(EDIT_element, "try: pass\n"
                              "except* A: pass\n");
}

static void operands_go(void **state)
{
    (void)state;
    GOLDEN(EDIT_element, "x = a and b and c\n", "x = b and c\n",
           "x = a and c\n", "x = a and b\n");
    GOLDEN(EDIT_element, "x = a or b and c\n", "x = b and c\n", "x = a\n",
           "x = a or c\n", "x = a or b\n");
    GOLDEN(EDIT_element, "x = a < b <= c\n", "x = b <= c\n", "x = a < c\n",
           "x = a < b\n");
    GOLDEN(EDIT_element, "x = not(a)and(b)\n", "x = (b)\n", "x = not(a)\n");
}

static void strings_lose_pieces(void **state)
{
    (void)state;
    GOLDEN(EDIT_element, "x = 'a' \"b\" 'c'\n", "x = \"b\" 'c'\n",
           "x = 'a' 'c'\n", "x = 'a' \"b\"\n");
    GOLDEN(EDIT_element, "x = f'a{b!r:>{c}}d{e=}'\n",
           "x = f'{b!r:>{c}}d{e=}'\n", "x = f'ad{e=}'\n",
           "x = f'a{b!r:>{c}}{e=}'\n", "x = f'a{b!r:>{c}}d'\n",
           "x = f'a{b:>{c}}d{e=}'\n", "x = f'a{b!r}d{e=}'\n",
           "x = f'a{b!r:>{c}}d{e}'\n");
    GOLDEN(EDIT_element, "x = f'{a + f\"{b}\"}'\n", "x = f''\n",
           "x = f'{a + f\"\"}'\n");
}

static void base_classes_go(void **state)
{
    (void)state;
    GOLDEN(EDIT_element, "class A(B, metaclass=M): pass\n", "class A: pass\n",
           "class A(metaclass=M): pass\n", "class A(B): pass\n");
    GOLDEN(EDIT_element, "class A[T](B): pass\n", "class A[T]: pass\n");
}

static void a_comprehension_becomes_its_element(void **state)
{
    (void)state;
    GOLDEN(EDIT_element, "x = [a for a in b if c]\n", "x = [a]\n",
           "x = [a for a in b]\n");
    GOLDEN(EDIT_element, "x = {a: b for a, b in c}\n", "x = {a: b}\n");
    GOLDEN(EDIT_element, "f(a for a in b)\n", "f([a])\n");
    GOLDEN(EDIT_element, "x = (a async for a in b)\n", "x = [a]\n");
    GOLDEN(EDIT_element, "x = {a for b in c for a in b}\n", "x = {a}\n",
           "x = {a for b in c}\n");
}

static void patterns_lose_parts(void **state)
{
    (void)state;
    GOLDEN(EDIT_element,
           "match x:\n"
           "    case {'a': 1, **r}: pass\n",
           "match x:\n"
           "    case {**r}: pass\n",
           "match x:\n"
           "    case {'a': 1,}: pass\n");
    GOLDEN(EDIT_element,
           "match x:\n"
           "    case A(1, b=2) | [1, *_]: pass\n",
           "match x:\n"
           "    case [1, *_]: pass\n",
           "match x:\n"
           "    case A(1, b=2): pass\n",
           "match x:\n"
           "    case A(b=2) | [1, *_]: pass\n",
           "match x:\n"
           "    case A(1) | [1, *_]: pass\n",
           "match x:\n"
           "    case A(1, b=2) | [*_]: pass\n",
           "match x:\n"
           "    case A(1, b=2) | [1]: pass\n");
    GOLDEN(EDIT_element,
           "match x:\n"
           "    case (1, y) as z if y: pass\n",
           "match x:\n"
           "    case (1, y) as z: pass\n",
           "match x:\n"
           "    case (1, y) if y: pass\n",
           "match x:\n"
           "    case (1,) as z if y: pass\n",
           "match x:\n"
           "    case (y,) as z if y: pass\n");
}

static void names_of_global_go(void **state)
{
    (void)state;
    GOLDEN(EDIT_element,
           "def f():\n"
           "    global a, b\n",
           "def f():\n"
           "    global b\n",
           "def f():\n"
           "    global a\n");
}

static void optional_parts_go(void **state)
{
    (void)state;
    GOLDEN(EDIT_element, "assert a, b\n", "assert a\n");
    GOLDEN(EDIT_element, "def f(): return a\n", "def f(): return\n");
    GOLDEN(EDIT_element, "raise A from b\n", "raise\n", "raise A\n");
    GOLDEN(EDIT_element, "def f(): yield a\n", "def f(): yield\n");
    GOLDEN(EDIT_element, "x = a[b:c:d]\n", "x = a[:c:d]\n", "x = a[b::d]\n",
           "x = a[b:c:]\n");
    GOLDEN(EDIT_element, "x = a[b, c]\n", "x = a[c]\n", "x = a[b]\n");
    GOLDEN(EDIT_element, "del a, b\n", "del b\n", "del a\n");
}

static void tuples_grow_together(void **state)
{
    (void)state;
    GOLDEN(EDIT_element, "x = (a, b) + (c,)\n", "x = (a, b, c,)\n",
           "x = (a,) + (c,)\n", "x = (b,) + (c,)\n");
}

static void loose_commas_go(void **state)
{
    (void)state;
    GOLDEN(EDIT_element, "f(a, )\n", "f(a)\n");
    GOLDEN(EDIT_element, "x = [ a , b, ]\n", "x = [ b, ]\n", "x = [ a ]\n",
           "x = [a , b, ]\n", "x = [ a , b]\n");
    GOLDEN_NONE(EDIT_element, "x = (a, )\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_of_displays_go),
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
