/* Classes whose objects are only called, as functions: all results for each
 * text. */
#include "test/unit/offers.h"

static void a_class_that_keeps_something_becomes_a_closure(void **state)
{
    (void)state;
    assert_offers("class K(nn.Module):\n"
                  "    b = 1\n"
                  "    def __init__(self, n, m=2, *rest) -> None:\n"
                  "        super().__init__()\n"
                  "        self.n = n\n"
                  "        self.w = nn.Linear(n, m); self.v = f'{self.w}'\n"
                  "        if m:\n"
                  "            self.u = '''\n"
                  "  x'''\n"
                  "    def help(self, x): return self.w(x)\n"
                  "    def forward(self, x, y=None):\n"
                  "        for i in x:\n"
                  "            y += i * self.u\n"
                  "        return self.help(y) * self.b + self.n\n"
                  "k = [K(3), K(4, m=5)]\n"
                  "print(k[0](6), k[1](7))\n",
                  EDIT_dissolve,
                  "def K(n, m=2, *rest):\n"
                  "    b = 1\n"
                  "    w = nn.Linear(n, m)\n"
                  "    v = f'{w}'\n"
                  "    if m:\n"
                  "        u = '''\n"
                  "  x'''\n"
                  "    def help(x): return w(x)\n"
                  "    def forward(x, y=None):\n"
                  "        for i in x:\n"
                  "            y += i * u\n"
                  "        return help(y) * b + n\n"
                  "    return forward\n"
                  "k = [K(3), K(4, m=5)]\n"
                  "print(k[0](6), k[1](7))\n"
                  "|\n");
}

static void what_init_calls_stands_before_it(void **state)
{
    (void)state;
    assert_offers("def f():\n"
                  "    class K:\n"
                  "        def __init__(self):\n"
                  "            self.a = self.make(1)\n"
                  "        def make(self, x):\n"
                  "            return [x]\n"
                  "        def __call__(self):\n"
                  "            return self.a\n"
                  "    return K()() + K()()\n",
                  EDIT_dissolve,
                  "def f():\n"
                  "    def K():\n"
                  "        def make(x):\n"
                  "            return [x]\n"
                  "        def __call__():\n"
                  "            return a\n"
                  "        a = make(1)\n"
                  "        return __call__\n"
                  "    return K()() + K()()\n"
                  "|\n");
}

static void a_name_the_class_needs_is_not_taken(void **state)
{
    (void)state;
    assert_offers("class K:\n"
                  "    def __init__(self, n, max):\n"
                  "        self.n = n * 2\n"
                  "        self.max = max\n"
                  "        self.x = n\n"
                  "        print(n)\n"
                  "    def __call__(self, x):\n"
                  "        return max(self.n, self.max, self.x, x)\n"
                  "f(K)\n",
                  EDIT_dissolve,
                  "def K(n, max):\n"
                  "    self_n = n * 2\n"
                  "    self_max = max\n"
                  "    self_x = n\n"
                  "    print(n)\n"
                  "    def __call__(x):\n"
                  "        return max(self_n, self_max, self_x, x)\n"
                  "    return __call__\n"
                  "f(K)\n"
                  "|\n");
    assert_offers("class K:\n"
                  "    def __init__(self, x):\n"
                  "        self.x = f(x)\n"
                  "    def __call__(self, x, self_x):\n"
                  "        return self.x\n"
                  "f(K)\n",
                  EDIT_dissolve, "");
}

static void a_class_that_keeps_nothing_is_the_function(void **state)
{
    (void)state;
    assert_offers("class K(nn.Module):\n"
                  "    '''doc'''\n"
                  "    def __init__(self, n):\n"
                  "        super(K, self).__init__()\n"
                  "        pass\n"
                  "    def forward(self, x):\n"
                  "        return x\n"
                  "def f():\n"
                  "    k = K(2 * n)\n"
                  "    return k(K(1)(3))\n",
                  EDIT_dissolve,
                  "def K(x):\n"
                  "    return x\n"
                  "def f():\n"
                  "    k = K\n"
                  "    return k(K(3))\n"
                  "|\n");
    assert_offers("class K(torch.nn.Module):\n"
                  "    def forward(self): return 1\n"
                  "table = {'k': K}\n",
                  EDIT_dissolve,
                  "def K():\n"
                  "    def forward(): return 1\n"
                  "    return forward\n"
                  "table = {'k': K}\n"
                  "|\n");
}

static void a_method_that_needs_the_base_gets_an_object_of_it(void **state)
{
    (void)state;
    assert_offers("class K(nn.Linear):\n"
                  "    'doc'\n"
                  "    def forward(self, x, y=1):\n"
                  "        return f(x, self.weight)\n"
                  "print(K(2, n=3)(4, y=5), K()())\n",
                  EDIT_dissolve,
                  "def K(self, x, y=1):\n"
                  "    return f(x, self.weight)\n"
                  "print(K(nn.Linear(2, n=3), 4, y=5), K(nn.Linear()))\n"
                  "|\n");
    assert_offers("class K(nn.Linear):\n"
                  "    def forward(self, x): return f(x, self.weight)\n"
                  "k = K(2)\n",
                  EDIT_dissolve, "");
    assert_offers("class K(nn.Linear):\n"
                  "    a = 1\n"
                  "    def forward(self, x): return f(x, self.weight)\n"
                  "K(2)(3)\n",
                  EDIT_dissolve, "");
    assert_offers("class K(nn.Linear):\n"
                  "    def forward(self, x): return f(x, self.weight)\n",
                  EDIT_dissolve, "");
}

static void a_class_stays_that_is_more_than_called(void **state)
{
    static const char *const texts[] = {
        /* `forward` is called by what is inherited */
        "class K:\n    def forward(self): pass\nK()()\n",
        /* the object is used itself, or written to later on */
        "class K:\n    def __call__(self): return self\nK()()\n",
        "class K:\n    def __call__(self): self.a = 1\nK()()\n",
        "class K:\n    def __call__(self, b): b.a = self.a\nK()()\n",
        "class K:\n    a = 1\n    def __call__(self): self.a += 1\nK()()\n",
        "class K:\n    def __init__(self):\n        def f(): self.a = 1\n"
        "    def __call__(self): return self.a\nK()()\n",
        /* other methods are used, or would be */
        "class K:\n    def __call__(self): pass\n    def go(self): pass\n"
        "K().go(K())\n",
        "class K:\n    def __call__(self): pass\nK().__call__(K())\n",
        "class K:\n    def __call__(self): pass\n"
        "    def __len__(self): return 0\nK()()\n",
        "class K:\n    def __call__(self): pass\n    @property\n"
        "    def a(self): return 0\nK()()\n",
        "class K(B):\n    def __call__(self): return super().f()\nK()()\n",
        /* so is the class */
        "class K:\n    a = 1\n    def __call__(self): pass\nK.a\n",
        "class K:\n    def __call__(self): pass\nclass L(K): pass\n",
        "class K:\n    def __call__(self): return K\nK()()\n",
        "@f\nclass K:\n    def __call__(self): pass\nK()()\n",
        "class L:\n    class K:\n        def __call__(self): pass\n",
        /* nobody knows what these do */
        "class K:\n    for a in b: pass\n    def __call__(self): pass\nK()()\n",
        "class K:\n    def __init__(self):\n        if a: return\n"
        "        self.a = 1\n    def __call__(self): pass\nK()()\n",
        "class K:\n    def __call__(): pass\nK()()\n",
        "class K:\n    def __call__(*a): pass\nK()()\n",
        "class K:\n    def __call__(self, /): pass\nK()()\n",
        "class K:\n    def __init__(self): self.a()\n"
        "    def __call__(self): pass\nK()()\n",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        assert_offers(texts[i], EDIT_dissolve, "");
}

static void what_a_method_is_generic_in_goes_along(void **state)
{
    (void)state;
    assert_offers("class K:\n"
                  "    def __call__[T](self, x: T): return x\n"
                  "print(K()(1), K()(2))\n",
                  EDIT_dissolve,
                  "def K[T](x: T): return x\n"
                  "print(K(1), K(2))\n"
                  "|\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_class_that_keeps_something_becomes_a_closure),
        cmocka_unit_test(what_init_calls_stands_before_it),
        cmocka_unit_test(a_name_the_class_needs_is_not_taken),
        cmocka_unit_test(a_class_that_keeps_nothing_is_the_function),
        cmocka_unit_test(a_method_that_needs_the_base_gets_an_object_of_it),
        cmocka_unit_test(a_class_stays_that_is_more_than_called),
        cmocka_unit_test(what_a_method_is_generic_in_goes_along),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
