/* Annotations and defaults: all results for each text. */
#include "test/unit/offers.h"

static void annotations_of_parameters_and_returns_go(void **state)
{
    (void)state;
    assert_offers("def f(a: int, *b: T, c: 'x' = 1, **d: U) -> int: pass\n",
                  EDIT_annotation,
                  "def f(a, *b: T, c: 'x' = 1, **d: U) -> int: pass\n"
                  "|\n"
                  "def f(a: int, *b, c: 'x' = 1, **d: U) -> int: pass\n"
                  "|\n"
                  "def f(a: int, *b: T, c = 1, **d: U) -> int: pass\n"
                  "|\n"
                  "def f(a: int, *b: T, c: 'x' = 1, **d) -> int: pass\n"
                  "|\n"
                  "def f(a: int, *b: T, c: 'x' = 1, **d: U): pass\n"
                  "|\n"
                  "def f(a: int, *b: T, c: 'x', **d: U) -> int: pass\n"
                  "|\n");
    assert_offers("def f(a, /) -> T[int]: pass\n", EDIT_annotation,
                  "def f(a, /): pass\n"
                  "|\n");
}

static void an_annotation_without_value_stays(void **state)
{
    (void)state;
    assert_offers("x: int\n", EDIT_annotation, "");
    assert_offers("x: int = 3\n", EDIT_annotation,
                  "x = 3\n"
                  "|\n");
}

static void type_parameters_go(void **state)
{
    (void)state;
    assert_offers("def f[T: int, *U](a: T): pass\n", EDIT_annotation,
                  "def f[T: int, *U](a): pass\n"
                  "|\n"
                  "def f(a: T): pass\n"
                  "|\n");
    assert_offers("class A[T]: pass\n", EDIT_annotation,
                  "class A: pass\n"
                  "|\n");
}

static void defaults_go_from_the_first_on(void **state)
{
    (void)state;
    assert_offers("def f(a, b=1, c=2): pass\n", EDIT_annotation,
                  "def f(a, b, c=2): pass\n"
                  "|\n"
                  "def f(a, b, c): pass\n"
                  "|\n");
    assert_offers("def f(a=1, *, b=2, c: int = 3): pass\n", EDIT_annotation,
                  "def f(a=1, *, b=2, c = 3): pass\n"
                  "|\n"
                  "def f(a, *, b=2, c: int = 3): pass\n"
                  "|\n"
                  "def f(a=1, *, b, c: int = 3): pass\n"
                  "|\n"
                  "def f(a=1, *, b=2, c: int): pass\n"
                  "|\n"
                  "def f(a, *, b, c: int): pass\n"
                  "|\n");
    assert_offers("f = lambda a, b=1: a\n", EDIT_annotation,
                  "f = lambda a, b: a\n"
                  "|\n");
    assert_offers("def f(a, *b, c=1): pass\n", EDIT_annotation,
                  "def f(a, *b, c): pass\n"
                  "|\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(annotations_of_parameters_and_returns_go),
        cmocka_unit_test(an_annotation_without_value_stays),
        cmocka_unit_test(type_parameters_go),
        cmocka_unit_test(defaults_go_from_the_first_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
