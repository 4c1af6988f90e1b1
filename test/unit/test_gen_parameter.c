/* Parameters with their arguments: all results for each text. */
#include "test/unit/offers.h"

static void a_parameter_of_forward_goes_with_its_gradient(void **state)
{
    (void)state;
    assert_offers("class K(torch.autograd.Function):\n"
                  "    @staticmethod\n"
                  "    def forward(ctx, x, n, w): return x * n\n"
                  "    @staticmethod\n"
                  "    def backward(ctx, g):\n"
                  "        if g: return None, None, None\n"
                  "        return g, None, (g, g)\n"
                  "y = K.apply(a, 2, w=f())\n",
                  EDIT_parameter,
                  "class K(torch.autograd.Function):\n"
                  "    @staticmethod\n"
                  "    def forward(ctx, x, n): return x * n\n"
                  "    @staticmethod\n"
                  "    def backward(ctx, g):\n"
                  "        if g: return None, None\n"
                  "        return g, None\n"
                  "y = K.apply(a, 2)\n"
                  "|\n"
                  "class K(torch.autograd.Function):\n"
                  "    @staticmethod\n"
                  "    def forward(ctx, n, w): return a * n\n"
                  "    @staticmethod\n"
                  "    def backward(ctx, g):\n"
                  "        if g: return None, None\n"
                  "        return None, (g, g)\n"
                  "y = K.apply(2, w=f())\n"
                  "|\n"
                  "class K(torch.autograd.Function):\n"
                  "    @staticmethod\n"
                  "    def forward(ctx, x, w): return x * 2\n"
                  "    @staticmethod\n"
                  "    def backward(ctx, g):\n"
                  "        if g: return None, None\n"
                  "        return g, (g, g)\n"
                  "y = K.apply(a, w=f())\n"
                  "|\n"
                  "class K(torch.autograd.Function):\n"
                  "    @staticmethod\n"
                  "    def forward(ctx, x, n, w): return x * n\n"
                  "    @staticmethod\n"
                  "    def backward(g):\n"
                  "        if g: return None, None, None\n"
                  "        return g, None, (g, g)\n"
                  "y = K.apply(a, 2, w=f())\n"
                  "|\n");
}

static void a_module_is_called_by_its_forward(void **state)
{
    (void)state;
    assert_offers("class M(nn.Module):\n"
                  "    def forward(self, x, n, k): return self.w * x * n\n"
                  "m = M()\n"
                  "f(m(a, 2, k=0), M()(b, 3, 0))\n",
                  EDIT_parameter,
                  "class M(nn.Module):\n"
                  "    def forward(self, x, n): return self.w * x * n\n"
                  "m = M()\n"
                  "f(m(a, 2), M()(b, 3))\n"
                  "|\n");
}

static void what_partial_has_is_passed(void **state)
{
    (void)state;
    assert_offers("def f(a, b, c): return a + b\n"
                  "h(functools.partial(f, 1, c=g()))\n",
                  EDIT_parameter,
                  "def f(a, b): return a + b\n"
                  "h(functools.partial(f, 1))\n"
                  "|\n"
                  "def f(b, c): return 1 + b\n"
                  "h(functools.partial(f, c=g()))\n"
                  "|\n");
    assert_offers("def f(a, b): return a + b\n"
                  "h(partial(f, b=g()), partial(f, *x))\n",
                  EDIT_parameter, "");
    assert_offers("def f(a, b): return a + b\n"
                  "h(partial(f, b=2), f(1, 2))\n",
                  EDIT_parameter,
                  "def f(a): return a + 2\n"
                  "h(partial(f), f(1))\n"
                  "|\n");
}

static void an_unused_parameter_goes_with_its_arguments(void **state)
{
    (void)state;
    assert_offers("def f(a, b, c=1): return a\n"
                  "f(1, 2)\n"
                  "f(x, b=3, c=4)\n",
                  EDIT_parameter,
                  "def f(a, c=1): return a\n"
                  "f(1)\n"
                  "f(x, c=4)\n"
                  "|\n"
                  "def f(a, b): return a\n"
                  "f(1, 2)\n"
                  "f(x, b=3)\n"
                  "|\n");
    assert_offers("def f(a, *b, **c): pass\n"
                  "f(1, *x)\n",
                  EDIT_parameter,
                  "def f(*b, **c): pass\n"
                  "f(*x)\n"
                  "|\n"
                  "def f(a, **c): pass\n"
                  "f(1, *x)\n"
                  "|\n"
                  "def f(a, *b): pass\n"
                  "f(1, *x)\n"
                  "|\n");
    assert_offers("def f(a): pass\n"
                  "g = f\n",
                  EDIT_parameter,
                  "def f(): pass\n"
                  "g = f\n"
                  "|\n");
}

static void assert_taken(const char *text, const char *expected)
{
    assert_offers(text, EDIT_parameter, expected);
}

static void what_a_star_takes_from_the_only_call_is_put_at_its_use(void **state)
{
    (void)state;
    assert_taken("class K:\n"
                 "    def __init__(self, *stages):\n"
                 "        self.stages = list(stages)\n"
                 "k = K(A, B(2))\n",
                 "class K:\n"
                 "    def __init__(self):\n"
                 "        self.stages = list((A, B(2)))\n"
                 "k = K()\n"
                 "|\n");
    assert_taken("def f(*stages): return stages\n"
                 "f(A, key=1)\n",
                 "def f(): return (A,)\n"
                 "f(key=1)\n"
                 "|\n");
    assert_taken("def f(*stages: int): return stages\n"
                 "f(*map(g, y),)\n",
                 "def f(): return map(g, y)\n"
                 "f()\n"
                 "|\n");
    assert_taken("def f(*stages): return g(*stages)\n"
                 "f(1, *A)\n",
                 "def f(): return g(*(1, *A))\n"
                 "f()\n"
                 "|\n");
    assert_taken("def f(*stages): return stages\n"
                 "f()\n",
                 "def f(): return ()\n"
                 "f()\n"
                 "|\n");
    assert_taken("def f(first, *stages, last=2): return stages, first, last\n"
                 "f(a.b, A, B, last=h())\n",
                 "def f(*stages, last=2): return stages, a.b, last\n"
                 "f(A, B, last=h())\n"
                 "|\n"
                 "def f(first, last=2): return (A, B), first, last\n"
                 "f(a.b, last=h())\n"
                 "|\n"
                 "def f(first, *stages): return stages, first, h()\n"
                 "f(a.b, A, B)\n"
                 "|\n");
    /* Two calls, two uses, a use in another scope, a name of its own there, an
     * unknown place, a keyword between, and what is no tuple. */
    assert_taken("def f(*names): g(names)\nf(1)\nf(2)\n", "");
    assert_taken("def f(*names): g(names, names)\nf(1)\n", "");
    assert_taken("def f(*names): return lambda: names\nf(1)\n", "");
    assert_taken("def f(*names):\n    A = 1\n    g(names)\nf(A)\n", "");
    assert_taken("def f(b, *names): g(names, b)\nf(*x, 1)\n", "");
    assert_taken("def f(*names): g(names)\nf(1, k=2, *x)\n", "");
    assert_taken("def f(**names): g(names)\nf(a=1)\n", "");
    assert_taken("def f(*names): g(f'{names}')\nf('')\n", "");
    assert_taken("def f(*names): g(f'{names}')\nf(*x[''])\n", "");
}

static void separators_go_with_the_last_of_them(void **state)
{
    (void)state;
    assert_offers("def f(a, /, b): return b\n"
                  "f(1, 2)\n",
                  EDIT_parameter,
                  "def f(b): return b\n"
                  "f(2)\n"
                  "|\n"
                  "def f(a, /): return 2\n"
                  "f(1)\n"
                  "|\n");
    assert_offers("def f(a, *, b): return a\n"
                  "f(1, b=2)\n"
                  "f(2, b=2)\n",
                  EDIT_parameter,
                  "def f(a): return a\n"
                  "f(1)\n"
                  "f(2)\n"
                  "|\n");
}

static void a_common_argument_moves_into_the_body(void **state)
{
    (void)state;
    assert_offers("def f(a, b): return a + b\n"
                  "f(1, 2)\n"
                  "f(1, 3)\n",
                  EDIT_parameter,
                  "def f(b): return 1 + b\n"
                  "f(2)\n"
                  "f(3)\n"
                  "|\n");
    assert_offers("def f(a=1): return -a.x\n", EDIT_parameter,
                  "def f(): return -1 .x\n"
                  "|\n");
    assert_offers("def f(a): return f'{a}'\n"
                  "f('x')\n",
                  EDIT_parameter, "");
    assert_offers("def f(a): return a ** 2\n"
                  "f(-1)\n",
                  EDIT_parameter,
                  "def f(): return (-1) ** 2\n"
                  "f()\n"
                  "|\n");
    assert_offers("def f(a): return a ** 2\n"
                  "f(-10)\n",
                  EDIT_parameter,
                  "def f(): return (-10) ** 2\n"
                  "f()\n"
                  "|\n");
    assert_offers("def f(a): return a * a ** 2\n"
                  "f(-1)\n",
                  EDIT_parameter, "");
    assert_offers("def f(a):\n"
                  "    a = 2\n"
                  "f(1)\n",
                  EDIT_parameter,
                  "def f():\n"
                  "    a = 2\n"
                  "f()\n"
                  "|\n");
    assert_offers("def f(a):\n"
                  "    a += 2\n"
                  "f(1 + 1)\n",
                  EDIT_parameter, "");
}

static void methods_are_found_by_name(void **state)
{
    (void)state;
    assert_offers("class A:\n"
                  "    def __init__(self, n): self.n = n\n"
                  "    def m(self, a): return self\n"
                  "A(3).m(4)\n",
                  EDIT_parameter,
                  "class A:\n"
                  "    def __init__(self): self.n = 3\n"
                  "    def m(self, a): return self\n"
                  "A().m(4)\n"
                  "|\n"
                  "class A:\n"
                  "    def __init__(self, n): self.n = n\n"
                  "    def m(self): return self\n"
                  "A(3).m()\n"
                  "|\n");
    assert_offers("class A:\n"
                  "    @staticmethod\n"
                  "    def m(a): pass\n"
                  "A.m(1)\n",
                  EDIT_parameter,
                  "class A:\n"
                  "    @staticmethod\n"
                  "    def m(): pass\n"
                  "A.m()\n"
                  "|\n");
    assert_offers("class A:\n"
                  "    def __init__(self, c): self.c = c\n"
                  "x = A(g(1))\n"
                  "print(x, x)\n",
                  EDIT_parameter,
                  "class A:\n"
                  "    def __init__(self): self.c = g(1)\n"
                  "x = A()\n"
                  "print(x, x)\n"
                  "|\n");
    assert_offers("class A:\n"
                  "    def m(self, a): pass\n"
                  "class B:\n"
                  "    def m(self, a): pass\n"
                  "x.m(1)\n",
                  EDIT_parameter,
                  "class A:\n"
                  "    def m(self): pass\n"
                  "class B:\n"
                  "    def m(self, a): pass\n"
                  "x.m(1)\n"
                  "|\n"
                  "class A:\n"
                  "    def m(self, a): pass\n"
                  "class B:\n"
                  "    def m(self): pass\n"
                  "x.m(1)\n"
                  "|\n");
}

static void functions_of_modules_are_no_methods(void **state)
{
    (void)state;
    assert_offers("import os, a.b as c\n"
                  "class K:\n"
                  "    def close(self, x): pass\n"
                  "os.close(1)\n"
                  "c.d.close(2)\n"
                  "K().close(3)\n",
                  EDIT_parameter,
                  "import os, a.b as c\n"
                  "class K:\n"
                  "    def close(self): pass\n"
                  "os.close(1)\n"
                  "c.d.close(2)\n"
                  "K().close()\n"
                  "|\n");
}

static void launches_are_calls(void **state)
{
    (void)state;
    assert_offers("def k(a, b): return b\n"
                  "k[grid](1, n)\n",
                  EDIT_parameter,
                  "def k(b): return b\n"
                  "k[grid](n)\n"
                  "|\n"
                  "def k(a): return n\n"
                  "k[grid](1)\n"
                  "|\n");
    assert_offers("def k(a): pass\n"
                  "k.compile(1)\n",
                  EDIT_parameter,
                  "def k(): pass\n"
                  "k.compile()\n"
                  "|\n");
}

static void a_name_moves_only_where_it_means_the_same(void **state)
{
    (void)state;
    assert_offers("n = 1\n"
                  "def f(a): return a\n"
                  "f(n)\n",
                  EDIT_parameter,
                  "n = 1\n"
                  "def f(): return n\n"
                  "f()\n"
                  "|\n");
    assert_offers("def f(a): return a\n"
                  "def g(n): f(n)\n",
                  EDIT_parameter, "");
    assert_offers("n = 1\n"
                  "def f(a, n): return a + n\n"
                  "f(n, 2)\n",
                  EDIT_parameter,
                  "n = 1\n"
                  "def f(a): return a + 2\n"
                  "f(n)\n"
                  "|\n");
}

static void fields_of_data_classes_are_parameters(void **state)
{
    (void)state;
    assert_offers("@dataclass\n"
                  "class A:\n"
                  "    a: int\n"
                  "    b: int = 2\n"
                  "x = A(1)\n"
                  "print(x.b)\n",
                  EDIT_parameter,
                  "@dataclass\n"
                  "class A:\n"
                  "    b: int = 2\n"
                  "x = A()\n"
                  "print(x.b)\n"
                  "|\n"
                  "@dataclass\n"
                  "class A:\n"
                  "    a: int\n"
                  "x = A(1)\n"
                  "print(2)\n"
                  "|\n");
    assert_offers("class A(NamedTuple):\n"
                  "    a: int\n"
                  "x = A(a=1)\n"
                  "x.a = 2\n",
                  EDIT_parameter, "");
}

static void an_unused_one_goes_with_the_keys_it_is_passed_by(void **state)
{
    (void)state;
    assert_offers("C = {\"a\": 1, 'b': 2}\n"
                  "def f(a, b): return b\n"
                  "f(**C)\n",
                  EDIT_parameter,
                  "C = {\"a\": 1, 'b': 2}\n"
                  "def f(b): return b\n"
                  "f(**C)\n"
                  "|\n"
                  "C = {'b': 2}\n"
                  "def f(b): return b\n"
                  "f(**C)\n"
                  "|\n");
    assert_offers("class K(NamedTuple):\n"
                  "    a: int\n"
                  "    b: int\n"
                  "K(**{'b': 2, \"c\": [{'a': 3}]}).b\n",
                  EDIT_parameter,
                  "class K(NamedTuple):\n"
                  "    b: int\n"
                  "K(**{'b': 2, \"c\": [{'a': 3}]}).b\n"
                  "|\n"
                  "class K(NamedTuple):\n"
                  "    b: int\n"
                  "K(**{'b': 2, \"c\": [{}]}).b\n"
                  "|\n");
    /* Two of one display: which of them counts? */
    assert_offers("C = {'a': 1, 'a': 2}\n"
                  "def f(a): pass\n",
                  EDIT_parameter,
                  "C = {'a': 1, 'a': 2}\n"
                  "def f(): pass\n"
                  "|\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            what_a_star_takes_from_the_only_call_is_put_at_its_use),
        cmocka_unit_test(an_unused_one_goes_with_the_keys_it_is_passed_by),
        cmocka_unit_test(a_parameter_of_forward_goes_with_its_gradient),
        cmocka_unit_test(what_partial_has_is_passed),
        cmocka_unit_test(a_module_is_called_by_its_forward),
        cmocka_unit_test(an_unused_parameter_goes_with_its_arguments),
        cmocka_unit_test(separators_go_with_the_last_of_them),
        cmocka_unit_test(a_common_argument_moves_into_the_body),
        cmocka_unit_test(methods_are_found_by_name),
        cmocka_unit_test(functions_of_modules_are_no_methods),
        cmocka_unit_test(launches_are_calls),
        cmocka_unit_test(a_name_moves_only_where_it_means_the_same),
        cmocka_unit_test(fields_of_data_classes_are_parameters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
