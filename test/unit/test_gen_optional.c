/* Optional parts: all results for each text. */
#include "test/unit/offers.h"

static void one_branch_is_left_of_two(void **state)
{
    (void)state;
    assert_offers("return_ = 2 if(ab)else(3)\n", EDIT_optional,
                  "return_ = 2\n"
                  "|\n"
                  "return_ = (3)\n"
                  "|\n"
                  "return_ = 2 if ab else(3)\n"
                  "|\n"
                  "return_ = 2 if(ab)else 3\n"
                  "|\n");
    assert_offers("x = f(a if b else c or d).e\n", EDIT_optional,

                  "f(a if b else c or d).e\n"
                  "|\n"
                  "x = f(a).e\n"
                  "|\n"
                  "x = f(c or d).e\n"
                  "|\n");
    assert_offers("f = lambda *, d: 1\n", EDIT_optional, "");
}

static void unused_parameters_of_a_lambda_go(void **state)
{
    (void)state;
    assert_offers("f = lambda a, b=1, *c, d, **e: b\n", EDIT_optional,
                  "f = lambda b=1, *c, d, **e: b\n"
                  "|\n"
                  "f = lambda a, b=1, d, **e: b\n"
                  "|\n"
                  "f = lambda a, b=1, *c, **e: b\n"
                  "|\n"
                  "f = lambda a, b=1, *c, d: b\n"
                  "|\n");
}

static void targets_go_with_their_values(void **state)
{
    (void)state;
    assert_offers("a, b = x, y\n", EDIT_optional,

                  "b = y\n"
                  "|\n"
                  "a = x\n"
                  "|\n");
    assert_offers("for i, j in f(m, n, k=1): pass\n", EDIT_optional,
                  "for j in f(n, k=1): pass\n"
                  "|\n"
                  "for i in f(m, k=1): pass\n"
                  "|\n");
    assert_offers("with K(m, n) as (x, y): pass\n", EDIT_optional,

                  "with K(m, n): pass\n"
                  "|\n"
                  "with K(n) as (y): pass\n"
                  "|\n"
                  "with K(m) as (x): pass\n"
                  "|\n");
    assert_offers("a, *b = x, y\n", EDIT_optional,

                  "");
    assert_offers("(a, b) = [x, y]\n", EDIT_optional,

                  "(b) = [y]\n"
                  "|\n"
                  "(a) = [x]\n"
                  "|\n");
}

static void an_assignment_becomes_its_value(void **state)
{
    (void)state;
    assert_offers("a = b = f()\n", EDIT_optional,
                  "b = f()\n"
                  "|\n"
                  "a = f()\n"
                  "|\n");
    assert_offers("x = f()\n"
                  "x\n"
                  "y[0] = z[1]\n",
                  EDIT_optional,
                  "x = f()\n"
                  "x\n"
                  "z[1]\n"
                  "|\n");
    assert_offers("x += f()\n", EDIT_optional,
                  "f()\n"
                  "|\n");
    assert_offers("x: int = f()\n", EDIT_optional,
                  "f()\n"
                  "|\n");
    assert_offers("x = 1\n", EDIT_optional, "");
}

static void names_after_as_go(void **state)
{
    (void)state;
    assert_offers("with a as b, c as d: pass\n", EDIT_optional,
                  "with c as d: pass\n"
                  "|\n"
                  "with a as b: pass\n"
                  "|\n"
                  "with a, c as d: pass\n"
                  "|\n"
                  "with a as b, c: pass\n"
                  "|\n");
    assert_offers("with (open(a) as f, b): pass\n", EDIT_optional,
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
                  EDIT_optional,

                  "try: pass\n"
                  "except: pass\n"
                  "|\n"
                  "try: pass\n"
                  "except (A, B): pass\n"
                  "|\n");
    assert_offers("try: pass\n"
                  "except A: pass\n"
                  "except B: pass\n",
                  EDIT_optional,
                  "try: pass\n"
                  "except A: pass\n"
                  "except: pass\n"
                  "|\n");
    assert_offers("try: pass\n"
                  "except* A: pass\n",
                  EDIT_optional, "");
}

static void base_classes_go(void **state)
{
    (void)state;
    assert_offers("class A(B, metaclass=M): pass\n", EDIT_optional,
                  "class A: pass\n"
                  "|\n"
                  "class A(metaclass=M): pass\n"
                  "|\n"
                  "class A(B): pass\n"
                  "|\n");
    assert_offers("class A[T](B): pass\n", EDIT_optional,
                  "class A[T]: pass\n"
                  "|\n");
}

static void names_of_global_go(void **state)
{
    (void)state;
    assert_offers("def f():\n"
                  "    global a, b\n",
                  EDIT_optional,
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
    assert_offers("assert a, b\n", EDIT_optional,
                  "assert a\n"
                  "|\n");
    assert_offers("def f(): return a\n", EDIT_optional,
                  "def f(): return\n"
                  "|\n");
    assert_offers("raise A from b\n", EDIT_optional,
                  "raise\n"
                  "|\n"
                  "raise A\n"
                  "|\n");
    assert_offers("def f(): yield a\n", EDIT_optional,
                  "def f(): yield\n"
                  "|\n");
}

static void tuples_grow_together(void **state)
{
    (void)state;
    assert_offers("x = (a, b) + (c,)\n", EDIT_optional,

                  "(a, b) + (c,)\n"
                  "|\n"
                  "x = (a, b, c,)\n"
                  "|\n");
}

static void loose_commas_go(void **state)
{
    (void)state;
    assert_offers("f(a, )\n", EDIT_optional,
                  "f(a)\n"
                  "|\n");
    assert_offers("x = [ a , b, ]\n", EDIT_optional,

                  "x = [a , b, ]\n"
                  "|\n"
                  "x = [ a , b]\n"
                  "|\n");
    assert_offers("x = (a, )\n", EDIT_optional, "");
}

static void brackets_that_mean_nothing_go(void **state)
{
    (void)state;
    assert_offers("(a).b = (c.d)[0] + (e * f)\n", EDIT_optional,
                  "(c.d)[0] + (e * f)\n"
                  "|\n"
                  "a.b = (c.d)[0] + (e * f)\n"
                  "|\n"
                  "(a).b = c.d[0] + (e * f)\n"
                  "|\n"
                  "(a).b = (c.d)[0] + e * f\n"
                  "|\n");
    assert_whole("f((a))\n((g))()\n", EDIT_optional, 0,
                 "f(a)\ng()\n"
                 "|\n");
    assert_offers("(a + b) * c\n", EDIT_optional, "");
    assert_offers("x = (a\n  or b)\n", EDIT_optional, "");
    assert_offers("f((a for a in b))\n", EDIT_optional, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_branch_is_left_of_two),
        cmocka_unit_test(unused_parameters_of_a_lambda_go),
        cmocka_unit_test(targets_go_with_their_values),
        cmocka_unit_test(an_assignment_becomes_its_value),
        cmocka_unit_test(names_after_as_go),
        cmocka_unit_test(exceptions_go),
        cmocka_unit_test(base_classes_go),
        cmocka_unit_test(names_of_global_go),
        cmocka_unit_test(optional_parts_go),
        cmocka_unit_test(tuples_grow_together),
        cmocka_unit_test(loose_commas_go),
        cmocka_unit_test(brackets_that_mean_nothing_go),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
