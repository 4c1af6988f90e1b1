/* Annotations and defaults: all results for each text. */
#include "test/golden.h"

static void annotations_of_parameters_and_returns_go(void **state)
{
    (void)state;
    GOLDEN(EDIT_annotation,
           "def f(a: int, *b: T, c: 'x' = 1, **d: U) -> int: pass\n",
           "def f(a, *b: T, c: 'x' = 1, **d: U) -> int: pass\n",
           "def f(a: int, *b, c: 'x' = 1, **d: U) -> int: pass\n",
           "def f(a: int, *b: T, c = 1, **d: U) -> int: pass\n",
           "def f(a: int, *b: T, c: 'x' = 1, **d) -> int: pass\n",
           "def f(a: int, *b: T, c: 'x' = 1, **d: U): pass\n",
           "def f(a: int, *b: T, c: 'x', **d: U) -> int: pass\n");
    GOLDEN(EDIT_annotation, "def f(a, /) -> T[int]: pass\n",
           "def f(a, /): pass\n");
}

static void an_annotation_without_value_stays(void **state)
{
    (void)state;
    GOLDEN_NONE(EDIT_annotation, "x: int\n");
    GOLDEN(EDIT_annotation, "x: int = 3\n", "x = 3\n");
}

static void type_parameters_go(void **state)
{
    (void)state;
    GOLDEN(EDIT_annotation, "def f[T: int, *U](a: T): pass\n",
           "def f[T: int, *U](a): pass\n", "def f(a: T): pass\n");
    GOLDEN(EDIT_annotation, "class A[T]: pass\n", "class A: pass\n");
}

static void defaults_go_from_the_first_on(void **state)
{
    (void)state;
    GOLDEN(EDIT_annotation, "def f(a, b=1, c=2): pass\n",
           "def f(a, b, c=2): pass\n", "def f(a, b, c): pass\n");
    GOLDEN(EDIT_annotation, "def f(a=1, *, b=2, c: int = 3): pass\n",
           "def f(a=1, *, b=2, c = 3): pass\n",
           "def f(a, *, b=2, c: int = 3): pass\n",
           "def f(a=1, *, b, c: int = 3): pass\n",
           "def f(a=1, *, b=2, c: int): pass\n",
           "def f(a, *, b, c: int): pass\n");
    GOLDEN(EDIT_annotation, "f = lambda a, b=1: a\n", "f = lambda a, b: a\n");
    GOLDEN(EDIT_annotation, "def f(a, *b, c=1): pass\n",
           "def f(a, *b, c): pass\n");
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
