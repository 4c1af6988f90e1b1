/* Methods that need no object, as functions: all results for each text. */
#include "test/unit/offers.h"

static void static_and_class_methods_stand_before_the_class(void **state)
{
    (void)state;
    assert_offers("class K:\n"
                  "    a = 1\n"
                  "    @staticmethod\n"
                  "    def make(n, *, m=2):\n"
                  "        if n:\n"
                  "            return K.make(n - 1)\n"
                  "        return m\n"
                  "    def go(self):\n"
                  "        return self.make(self.a)\n"
                  "k = K()\n"
                  "print(K.make(3), k.go(), k.make, make.make)\n"
                  "import make\n",
                  EDIT_dissolve,
                  "def K_make(n, *, m=2):\n"
                  "    if n:\n"
                  "        return K_make(n - 1)\n"
                  "    return m\n"
                  "class K:\n"
                  "    a = 1\n"
                  "    def go(self):\n"
                  "        return K_make(self.a)\n"
                  "k = K()\n"
                  "print(K_make(3), k.go(), K_make, make.make)\n"
                  "import make\n"
                  "|\n");
    assert_offers("def f():\n"
                  "    @dataclass\n"
                  "    class K:\n"
                  "        a: int\n"
                  "        @classmethod\n"
                  "        def load(cls, path):\n"
                  "            return cls(path, x=cls.a)\n"
                  "    return K.load('a')\n",
                  EDIT_dissolve,
                  "def f():\n"
                  "    def load(path):\n"
                  "        return K(path, x=K.a)\n"
                  "    @dataclass\n"
                  "    class K:\n"
                  "        a: int\n"
                  "    return load('a')\n"
                  "|\n");
    assert_offers("class K:\n"
                  "    @classmethod\n"
                  "    def load(cls): return cls\n"
                  "K.load()\n",
                  EDIT_dissolve,
                  "def load(): return K\n"
                  "class K:\n"
                  "    pass\n"
                  "load()\n"
                  "|\n");
}

static void forward_of_an_autograd_function_is_what_apply_calls(void **state)
{
    (void)state;
    assert_offers("class K(torch.autograd.Function):\n"
                  "    @staticmethod\n"
                  "    def forward(ctx, x, n):\n"
                  "        return x * n\n"
                  "    @staticmethod\n"
                  "    def backward(ctx, g):\n"
                  "        return g\n"
                  "class L(torch.autograd.Function):\n"
                  "    @staticmethod\n"
                  "    def forward(ctx, x):\n"
                  "        ctx.save_for_backward(x)\n"
                  "print(K.apply(1, 2), L.apply(3), m.apply(f))\n",
                  EDIT_dissolve,
                  "def forward(x, n):\n"
                  "    return x * n\n"
                  "class K(torch.autograd.Function):\n"
                  "    @staticmethod\n"
                  "    def backward(ctx, g):\n"
                  "        return g\n"
                  "class L(torch.autograd.Function):\n"
                  "    @staticmethod\n"
                  "    def forward(ctx, x):\n"
                  "        ctx.save_for_backward(x)\n"
                  "print(forward(1, 2), L.apply(3), m.apply(f))\n"
                  "|\n");
}

static void methods_of_one_name_are_told_apart(void **state)
{
    (void)state;
    assert_offers("class K:\n"
                  "    @staticmethod\n"
                  "    def of(): return 1\n"
                  "class L:\n"
                  "    def of(self): return 2\n"
                  "print(K.of(), L.of(L()))\n",
                  EDIT_dissolve,
                  "def of(): return 1\n"
                  "class K:\n"
                  "    pass\n"
                  "class L:\n"
                  "    def of(self): return 2\n"
                  "print(of(), L.of(L()))\n"
                  "|\n");
}

static void a_method_stays_that_needs_its_class(void **state)
{
    static const char *const texts[] = {
        /* of the class's scope, or of its bases */
        "class K:\n    a = 1\n    @staticmethod\n    def f(b=a): pass\nK.f()\n",
        "class K:\n    @classmethod\n    def f(cls): super().f()\nK.f()\n",
        /* the class is another one */
        "class K:\n    @classmethod\n    def f(cls): cls = 1\nK.f()\n",
        /* more is done to it, or to what it is called by */
        "class K:\n    @g\n    @staticmethod\n    def f(): pass\nK.f()\n",
        "class K:\n    @staticmethod\n    def f(): pass\nK.f = 1\n",
        "class K:\n    @classmethod\n    def f(*a): pass\nK.f()\n",
        "class K:\n    @classmethod\n    def f(cls, /): pass\nK.f()\n",
        "class L:\n    class K:\n        @staticmethod\n"
        "        def f(): pass\nL.K.f()\n",
        /* nobody knows whose it is */
        "class K:\n    @staticmethod\n    def f(): pass\n"
        "class L:\n    def f(self): pass\nK.f(x.f())\n",
        "def g():\n    class K:\n        @staticmethod\n"
        "        def f(): pass\n    return K\ng().f()\n",
        /* nobody asks for it */
        "class K:\n    @staticmethod\n    def f(): pass\n",
        "class K(Function):\n    @staticmethod\n    def backward(c): pass\n"
        "K.backward()\n",
        "f = K_f = 1\nclass K:\n    @staticmethod\n    def f(): pass\n"
        "K.f()\n",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        assert_offers(texts[i], EDIT_dissolve, "");
}

/* All of these are looked at for each method of that name. */
static void a_name_that_many_use_is_left(void **state)
{
    struct buf text;
    char *got;

    (void)state;
    buf_init(&text, 1 << 20);
    for (int i = 0; i < 600; i++)
        buf_addf(&text,
                 "class K%d:\n    @staticmethod\n    def f(): pass\nK%d.f()\n",
                 i, i);
    got = offers_of(text.data, EDIT_dissolve, NULL);
    assert_string_equal(got, "");
    free(got);
    buf_deinit(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(static_and_class_methods_stand_before_the_class),
        cmocka_unit_test(forward_of_an_autograd_function_is_what_apply_calls),
        cmocka_unit_test(methods_of_one_name_are_told_apart),
        cmocka_unit_test(a_method_stays_that_needs_its_class),
        cmocka_unit_test(a_name_that_many_use_is_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
