/* Objects taken apart into names, and those that must stay: all results for
 * each text. */
#include "test/unit/offers.h"

static void attributes_become_names(void **state)
{
    (void)state;
    assert_offers("class PageFile:\n"
                  "    def __init__(self, pages):\n"
                  "        self.file = open(pages)\n"
                  "        self.view = map(self.file, pages)\n"
                  "f = PageFile(3)\n"
                  "f.file.truncate()\n"
                  "f.view[0] = f'{f.file}'\n",
                  EDIT_dissolve,
                  "file = open(3)\n"
                  "view = map(file, 3)\n"
                  "file.truncate()\n"
                  "view[0] = f'{file}'\n"
                  "|\n");
    assert_offers("class K(object):\n"
                  "    def __init__(self): self.a = 1; self.b = 2\n"
                  "def f():\n"
                  "    k = K()\n"
                  "    k.a += k.b\n"
                  "    k.c, d = k.a, 3\n"
                  "    return lambda: k.c\n",
                  EDIT_dissolve,
                  "def f():\n"
                  "    a = 1; b = 2\n"
                  "    a += b\n"
                  "    c, d = a, 3\n"
                  "    return lambda: c\n"
                  "|\n");
}

static void an_attribute_may_be_taken_at_once(void **state)
{
    (void)state;
    assert_offers("class K:\n"
                  "    def __init__(self, a):\n"
                  "        self.a = [a]\n"
                  "def f(a):\n"
                  "    for b in K(1).a[2]:\n"
                  "        print(b)\n",
                  EDIT_dissolve,
                  "def f(a):\n"
                  "    K_a = [1]\n"
                  "    for b in K_a[2]:\n"
                  "        print(b)\n"
                  "|\n");
    assert_offers("class K:\n"
                  "    def run(self, a): return a + 1\n"
                  "with K().run(2) as b: pass\n",
                  EDIT_dissolve,
                  "def run(a): return a + 1\n"
                  "with run(2) as b: pass\n"
                  "|\n");
    assert_offers("class K: a = 1\n"
                  "K().a = 2\n",
                  EDIT_dissolve, "");
    assert_offers("class K: a = 1\n"
                  "while K().a: pass\n",
                  EDIT_dissolve, "");
}

static void what_the_class_assigns_comes_first(void **state)
{
    (void)state;
    assert_offers("class K:\n"
                  "    \"\"\"doc\"\"\"\n"
                  "    __slots__ = ()\n"
                  "    b = 1\n"
                  "    c, d = b, '''\n"
                  "    x'''\n"
                  "    e: int\n"
                  "    def __init__(self, p):\n"
                  "        \"\"\"doc\"\"\"\n"
                  "        if p:\n"
                  "            self.e = p + self.b\n"
                  "        return\n"
                  "k = K(f())\n"
                  "g(k.c, k.e)\n",
                  EDIT_dissolve,
                  "b = 1\n"
                  "c, d = b, '''\n"
                  "    x'''\n"
                  "p = f()\n"
                  "if p:\n"
                  "    e = p + b\n"
                  "g(c, e)\n"
                  "|\n");
    assert_offers("class K: pass\n"
                  "k = K()\n"
                  "k.x = 3\n"
                  "print(k.x)\n",
                  EDIT_dissolve,
                  "pass\n"
                  "x = 3\n"
                  "print(x)\n"
                  "|\n");
}

static void an_object_without_a_name_leaves_its_making(void **state)
{
    (void)state;
    assert_offers("class K:\n"
                  "    def __init__(self, n):\n"
                  "        self.a = n\n"
                  "        print(self.a)\n"
                  "K(4)\n",
                  EDIT_dissolve,
                  "a = 4\n"
                  "print(a)\n"
                  "|\n");
    assert_offers("a = 1\n"
                  "class K:\n"
                  "    def __init__(self):\n"
                  "        self.a = 2\n"
                  "K()\n",
                  EDIT_dissolve, "");
}

static void the_fields_of_a_dataclass_take_what_is_passed(void **state)
{
    (void)state;
    assert_offers("@dataclass(frozen=True)\n"
                  "class C:\n"
                  "    a: int\n"
                  "    b: list = field(default_factory=list)\n"
                  "    c: int = field(repr=False, default=8 * a)\n"
                  "    k: ClassVar[int] = 5\n"
                  "    d: int = 3\n"
                  "    def __post_init__(self):\n"
                  "        self.e = self.a + 1\n"
                  "def main():\n"
                  "    c = C(4, d=2)\n"
                  "    print(c.a, c.b, c.e)\n",
                  EDIT_dissolve,
                  "def main():\n"
                  "    a = 4\n"
                  "    b = list()\n"
                  "    c = 8 * a\n"
                  "    k: ClassVar[int] = 5\n"
                  "    d = 2\n"
                  "    e = a + 1\n"
                  "    print(a, b, e)\n"
                  "|\n");
    assert_offers("class C(NamedTuple):\n"
                  "    a: int\n"
                  "    b: int = 1\n"
                  "c = C(a=f(2))\n"
                  "print(c.a)\n",
                  EDIT_dissolve,
                  "a = f(2)\n"
                  "b = 1\n"
                  "print(a)\n"
                  "|\n");
    /* one too many, one too few, and one that is no field */
    assert_offers("@dataclass\n"
                  "class C:\n"
                  "    a: int\n"
                  "c = C(1, 2)\n",
                  EDIT_dissolve, "");
    assert_offers("@dataclass\n"
                  "class C:\n"
                  "    a: int\n"
                  "c = C()\n",
                  EDIT_dissolve, "");
    assert_offers("@dataclass\n"
                  "class C:\n"
                  "    a: InitVar[int]\n"
                  "c = C(1)\n",
                  EDIT_dissolve, "");
}

static void methods_become_functions(void **state)
{
    (void)state;
    assert_offers("class K:\n"
                  "    n = 3\n"
                  "    def __init__(self, size):\n"
                  "        self.size = size\n"
                  "\n"
                  "    def get(self, name, *, k=0):\n"
                  "        return self.put() + self.size[name]\n"
                  "\n"
                  "    def put(self):\n"
                  "        \"\"\"A\n"
                  "        doc.\"\"\"\n"
                  "        return self.n\n"
                  "k = K(f())\n"
                  "print(k.get(3), k.put())\n",
                  EDIT_dissolve,
                  "def get(name, *, k=0):\n"
                  "    return put() + size[name]\n"
                  "def put():\n"
                  "    \"\"\"A\n"
                  "        doc.\"\"\"\n"
                  "    return n\n"
                  "n = 3\n"
                  "size = f()\n"
                  "print(get(3), put())\n"
                  "|\n");
    /* it would not see the variables of main() */
    assert_offers("class K:\n"
                  "    def get(self):\n"
                  "        return self.n\n"
                  "def main():\n"
                  "    k = K()\n"
                  "    k.n = 2\n"
                  "    k.get()\n",
                  EDIT_dissolve, "");
    assert_offers("class K:\n"
                  "    def put(self, n):\n"
                  "        self.n = n\n"
                  "k = K()\n"
                  "k.put(2)\n",
                  EDIT_dissolve, "");
    assert_offers("class K:\n"
                  "    def get(self, /, n):\n"
                  "        return n\n"
                  "k = K()\n"
                  "k.get(2)\n",
                  EDIT_dissolve, "");
}

static void a_module_is_called_by_its_forward(void **state)
{
    (void)state;
    assert_offers("class K(nn.Module):\n"
                  "    def __init__(self, n):\n"
                  "        super().__init__()\n"
                  "        self.w = nn.Linear(n, n)\n"
                  "    def loss(self, x):\n"
                  "        return self(x).sum()\n"
                  "    def forward(self, x):\n"
                  "        return self.w(x)\n"
                  "k = K(3)\n"
                  "print(k(x), k.loss(y))\n",
                  EDIT_dissolve,
                  "def loss(x):\n"
                  "    return forward(x).sum()\n"
                  "def forward(x):\n"
                  "    return w(x)\n"
                  "w = nn.Linear(3, 3)\n"
                  "print(forward(x), loss(y))\n"
                  "|\n");
    assert_offers("class K(nn.Module):\n"
                  "    def __init__(self):\n"
                  "        super().__init__()\n"
                  "    def forward(self, x):\n"
                  "        return x\n"
                  "for i in K()(range(3))[1:]:\n"
                  "    print(i)\n",
                  EDIT_dissolve,
                  "def forward(x):\n"
                  "    return x\n"
                  "pass\n"
                  "for i in forward(range(3))[1:]:\n"
                  "    print(i)\n"
                  "|\n");
    assert_offers("class K:\n"
                  "    def __init__(self, n):\n"
                  "        self.n = n\n"
                  "    def __call__(self, x):\n"
                  "        return x + self.n\n"
                  "k = K(f())\n"
                  "print(k(1), k.n)\n",
                  EDIT_dissolve,
                  "def __call__(x):\n"
                  "    return x + n\n"
                  "n = f()\n"
                  "print(__call__(1), n)\n"
                  "|\n");
}

static void a_name_that_is_taken_gets_the_object_s_before_it(void **state)
{
    (void)state;
    assert_offers("class K:\n"
                  "    def __init__(self):\n"
                  "        self.a = 1\n"
                  "        self.max = max(2, 3)\n"
                  "        self.k = [b for b in self.b]\n"
                  "        self.b = 4\n"
                  "a = 5\n"
                  "k = K()\n"
                  "print(k.a, k.max, k.k, [b + k.b for b in x])\n",
                  EDIT_dissolve,
                  "a = 5\n"
                  "k_a = 1\n"
                  "k_max = max(2, 3)\n"
                  "k = [b for b in k_b]\n"
                  "k_b = 4\n"
                  "print(k_a, k_max, k, [b + k_b for b in x])\n"
                  "|\n");
    assert_offers("class K:\n"
                  "    def __init__(self):\n"
                  "        self.a = 1\n"
                  "        self.k_a = 1\n"
                  "a = 5\n"
                  "k = K()\n",
                  EDIT_dissolve,
                  "a = 5\n"
                  "k_a = 1\n"
                  "k_k_a = 1\n"
                  "|\n");
    assert_offers("class K:\n"
                  "    def __init__(self):\n"
                  "        self.a = 1\n"
                  "a = k_a = 5\n"
                  "k = K()\n",
                  EDIT_dissolve, "");
}

static void a_variable_and_the_field_it_ends_in_share_a_name(void **state)
{
    (void)state;
    assert_offers("class K:\n"
                  "    def __init__(self, n):\n"
                  "        m = n + n\n"
                  "        self.n = n\n"
                  "        self.m = m\n"
                  "        m += 1\n"
                  "k = K(f())\n"
                  "print(k.m)\n",
                  EDIT_dissolve,
                  "n = f()\n"
                  "m = n + n\n"
                  "n = n\n"
                  "k_m = m\n"
                  "m += 1\n"
                  "print(k_m)\n"
                  "|\n");
}

static void an_object_stays_that_is_used_as_one(void **state)
{
    static const char *const uses[] = {
        "print(v)\n",
        "v.__dict__\n",
        "v = 1\n",
        "u = K()\n",
        "isinstance(v, K)\n",
        "v.go()\n",
        "u = v.a = v\n",
        "def f():\n    v.a = 3\n",
        "del v\n",
    };
    char text[256];

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(uses); i++) {
        snprintf(text, sizeof(text),
                 "class K:\n"
                 "    def __init__(self):\n"
                 "        self.a = 1\n"
                 "v = K()\n"
                 "%s",
                 uses[i]);
        assert_offers(text, EDIT_dissolve, "");
    }
}

static void a_class_stays_that_does_more(void **state)
{
    static const char *const bodies[] = {
        "(B):\n    a = 1\n",
        "(metaclass=M):\n    a = 1\n",
        "[T]:\n    a = 1\n",
        ":\n    def __init__(self):\n        self.a = f(self)\n",
        ":\n    def __init__(self):\n        super().go()\n",
        "(B, C):\n    def forward(self): pass\n    b = c = 1\n",
        ":\n    def __init__(self):\n        global a\n        a = 1\n",
        ":\n    def __init__(self):\n        if b: return\n        self.a = "
        "1\n",
        ":\n    def __init__(self, b):\n        self.a = 1\n",
        ":\n    def __init__(self, *b):\n        self.a = b\n",
        ":\n    def __init__():\n        pass\n",
        ":\n    def __init__(self):\n        def f(): self.a = 1\n",
        ":\n    def __del__(self):\n        pass\n",
        ":\n    for a in b: pass\n",
        ":\n    @property\n    def a(self): return 1\n",
        ":\n    a = b = 1\n",
        ":\n    a[0] = 1\n",
    };
    char text[256];

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
        snprintf(text, sizeof(text), "class K%sv = K()\n", bodies[i]);
        assert_offers(text, EDIT_dissolve, "");
    }
}

static void frozen_code_is_not_taken_apart(void **state)
{
    static const char text[] = "class K:\n"
                               "    a = 1\n"
                               "k = K()\n"
                               "print(k.a)\n";
    struct span frozen = { 13, 18 };
    char *got = offers_of(text, EDIT_dissolve, &frozen);

    (void)state;
    assert_string_equal(got, "");
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attributes_become_names),
        cmocka_unit_test(an_attribute_may_be_taken_at_once),
        cmocka_unit_test(what_the_class_assigns_comes_first),
        cmocka_unit_test(an_object_without_a_name_leaves_its_making),
        cmocka_unit_test(the_fields_of_a_dataclass_take_what_is_passed),
        cmocka_unit_test(methods_become_functions),
        cmocka_unit_test(a_module_is_called_by_its_forward),
        cmocka_unit_test(a_name_that_is_taken_gets_the_object_s_before_it),
        cmocka_unit_test(a_variable_and_the_field_it_ends_in_share_a_name),
        cmocka_unit_test(an_object_stays_that_is_used_as_one),
        cmocka_unit_test(a_class_stays_that_does_more),
        cmocka_unit_test(frozen_code_is_not_taken_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
