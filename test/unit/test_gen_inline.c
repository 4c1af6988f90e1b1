/* What moves to its use, and what must stay: all results for each text. */
#include "test/unit/offers.h"

static void a_variable_moves_to_its_use(void **state)
{
    (void)state;
    assert_offers("x = f()\n"
                  "g(x)\n",
                  EDIT_inline,
                  "g(f())\n"
                  "|\n");
    assert_offers("x = 1\n"
                  "g(x, x)\n",
                  EDIT_inline,
                  "g(1, 1)\n"
                  "|\n");
    assert_offers("x = f()\n"
                  "g(x, x)\n",
                  EDIT_inline, "");
    assert_offers("x = a + b\n"
                  "y = x * 2\n",
                  EDIT_inline,
                  "y = (a + b) * 2\n"
                  "|\n");
    assert_offers("def f():\n"
                  "    x = g()\n"
                  "    return x\n",
                  EDIT_inline,
                  "def f():\n"
                  "    return g()\n"
                  "|\n");
}

static void what_a_comprehension_runs_over_is_outside_of_it(void **state)
{
    (void)state;
    assert_offers("x = f()\n"
                  "y = [x for x in x]\n",
                  EDIT_inline,
                  "y = [x for x in f()]\n"
                  "|\n");
    assert_offers("x = f()\n"
                  "y = [z for a in b for z in x]\n",
                  EDIT_inline, "");
}

static void a_variable_stays_when_its_value_may_change(void **state)
{
    (void)state;
    assert_offers("a = 1\n"
                  "x = a\n"
                  "a = 2\n"
                  "f(x, a, a)\n",
                  EDIT_inline, "");
    assert_offers("x = 1\n"
                  "x += 1\n"
                  "f(x)\n",
                  EDIT_inline, "");
    assert_offers("x = g()\n"
                  "def f(): return x\n",
                  EDIT_inline, "");
    assert_offers("x = a\n"
                  "f(lambda a: x)\n",
                  EDIT_inline, "");
}

static void a_target_moves_with_its_value(void **state)
{
    (void)state;
    assert_offers("block_M, block_N, block_K = 128, 128, 32\n"
                  "f(block_M, block_N, block_K, block_M)\n",
                  EDIT_inline,
                  "block_N, block_K = 128, 32\n"
                  "f(128, block_N, block_K, 128)\n"
                  "|\n"
                  "block_M, block_K = 128, 32\n"
                  "f(block_M, 128, block_K, block_M)\n"
                  "|\n"
                  "block_M, block_N = 128, 128\n"
                  "f(block_M, block_N, 32, block_M)\n"
                  "|\n");
    assert_offers("def f():\n"
                  "    dtype, accum = \"float16\", \"float32\"\n"
                  "    g(dtype, accum, dtype)\n",
                  EDIT_inline,
                  "def f():\n"
                  "    accum = \"float32\"\n"
                  "    g(\"float16\", accum, \"float16\")\n"
                  "|\n"
                  "def f():\n"
                  "    dtype = \"float16\"\n"
                  "    g(dtype, \"float32\", dtype)\n"
                  "|\n");
    assert_offers("for i in x: a, b = 1, 2; f(a); g(b)\n", EDIT_inline,
                  "for i in x: b = 2; f(1); g(b)\n"
                  "|\n"
                  "for i in x: a = 1; f(a); g(2)\n"
                  "|\n");
    assert_offers("class C:\n"
                  "    ma, mb = 8, 9\n"
                  "print(C.ma, C().mb)\n",
                  EDIT_inline,
                  "class C:\n"
                  "    mb = 9\n"
                  "print(8, C().mb)\n"
                  "|\n"
                  "class C:\n"
                  "    ma = 8\n"
                  "print(C.ma, 9)\n"
                  "|\n");
    assert_offers("self.m, self.n = 1, 2\n"
                  "f(self.m, self.n)\n",
                  EDIT_inline,
                  "self.n = 2\n"
                  "f(1, self.n)\n"
                  "|\n"
                  "self.m = 1\n"
                  "f(self.m, 2)\n"
                  "|\n");
}

static void the_last_pair_loses_brackets_and_commas(void **state)
{
    (void)state;
    assert_offers("[a, b] = 1, 2\n"
                  "f(a, b)\n",
                  EDIT_inline,
                  "b = 2\n"
                  "f(1, b)\n"
                  "|\n"
                  "a = 1\n"
                  "f(a, 2)\n"
                  "|\n");
    assert_offers("a, b, = 1, 2\n"
                  "f(a, b)\n",
                  EDIT_inline,
                  "b = 2\n"
                  "f(1, b)\n"
                  "|\n"
                  "a = 1\n"
                  "f(a, 2)\n"
                  "|\n");
    assert_offers("(a, b) = (1, g(\n"
                  "))\n"
                  "f(a, b, b)\n",
                  EDIT_inline,
                  "b = g(\n"
                  ")\n"
                  "f(1, b, b)\n"
                  "|\n");
    assert_offers("(a, b) = (1, c +\n"
                  " d)\n"
                  "f(a, b, b)\n",
                  EDIT_inline,
                  "b = (c +\n"
                  " d)\n"
                  "f(1, b, b)\n"
                  "|\n");
    assert_offers("def f():\n"
                  "    ax, = 1,\n"
                  "    return ax\n",
                  EDIT_inline,
                  "def f():\n"
                  "    return 1\n"
                  "|\n");
}

static void a_target_of_a_chain_moves(void **state)
{
    (void)state;
    assert_offers("ab = cd = 0\n"
                  "g(ab, cd)\n",
                  EDIT_inline,
                  "cd = 0\n"
                  "g(0, cd)\n"
                  "|\n"
                  "ab = 0\n"
                  "g(ab, 0)\n"
                  "|\n");
    assert_offers("ab = cd = ef = 0\n"
                  "g(cd)\n",
                  EDIT_inline,
                  "ab = ef = 0\n"
                  "g(0)\n"
                  "|\n");
}

static void a_target_stays_without_a_value_of_its_own(void **state)
{
    (void)state;
    assert_offers("ax, by, *c = 1, 2, 3\n"
                  "f(ax, by, c)\n",
                  EDIT_inline, "");
    assert_offers("ax, by = f()\n"
                  "g(ax, by)\n",
                  EDIT_inline, "");
    assert_offers("ax, by = 1, *c\n"
                  "g(ax, by)\n",
                  EDIT_inline, "");
    assert_offers("ab = cd = f()\n"
                  "g(ab, cd)\n",
                  EDIT_inline, "");
    assert_offers("ab, cd = ef = 1, 2\n"
                  "g(ab, cd)\n",
                  EDIT_inline, "");
    assert_offers("a = 1\n"
                  "a, xx = 2, a\n"
                  "f(xx, a)\n",
                  EDIT_inline, "");
    assert_offers("xx, yy = 1, xx\n"
                  "f(xx, yy, yy)\n",
                  EDIT_inline, "");
    assert_offers("a, b = b, a\n"
                  "f(a, b)\n",
                  EDIT_inline, "");
}

static void a_value_with_quotes_stays_out_of_strings(void **state)
{
    (void)state;
    assert_offers("x = 'a'\n"
                  "y = f'{x}'\n",
                  EDIT_inline, "");
    assert_offers("def f(): return \".\".join(x)\n"
                  "y = f\"{f()}\"\n",
                  EDIT_inline, "");
}

static void a_brace_is_not_doubled_in_a_string(void **state)
{
    (void)state;
    assert_offers("x = {1}\n"
                  "print(f\"{x}\")\n",
                  EDIT_inline,
                  "print(f\"{({1})}\")\n"
                  "|\n");
    assert_offers("print(f\"{({1})}\", f\"{ {1} }\")\n", EDIT_optional, "");
}

static void an_attribute_moves_to_its_uses(void **state)
{
    (void)state;
    assert_offers("class C:\n"
                  "    m: int = 8\n"
                  "print(C.m, C().m)\n",
                  EDIT_inline,
                  "class C:\n"
                  "    pass\n"
                  "print(8, 8)\n"
                  "|\n");
    assert_offers("class C:\n"
                  "    def __init__(self):\n"
                  "        self.m = 8\n"
                  "        self.k = 1\n"
                  "c = C()\n"
                  "print(c.m)\n"
                  "c.k = 2\n",
                  EDIT_inline,
                  "class C:\n"
                  "    def __init__(self):\n"
                  "        self.k = 1\n"
                  "c = C()\n"
                  "print(8)\n"
                  "c.k = 2\n"
                  "|\n");
}

static void options_become_their_defaults(void **state)
{
    (void)state;
    assert_offers("p.add_argument('--a-b', type=int, default=3)\n"
                  "p.add_argument('-q', '--q', action='store_true')\n"
                  "f(args.a_b, args.q)\n",
                  EDIT_inline,
                  "p.add_argument('-q', '--q', action='store_true')\n"
                  "f(3, args.q)\n"
                  "|\n"
                  "p.add_argument('--a-b', type=int, default=3)\n"
                  "f(args.a_b, False)\n"
                  "|\n");
    assert_offers("p.add_argument('--dtype', default=-1)\n"
                  "args = p.parse_args()\n"
                  "f(args.dtype ** 2, c.dtype)\n"
                  "c.dtype = 1\n"
                  "f(args, args)\n",
                  EDIT_inline,
                  "args = p.parse_args()\n"
                  "f((-1) ** 2, c.dtype)\n"
                  "c.dtype = 1\n"
                  "f(args, args)\n"
                  "|\n"
                  "p.add_argument('--dtype', default=-1)\n"
                  "args = p.parse_args()\n"
                  "f(1 ** 2, 1)\n"
                  "f(args, args)\n"
                  "|\n");
}

static void a_literal_index_picks_its_element(void **state)
{
    (void)state;
    assert_offers("x = {'a': 1, 'b': y}['b']\n", EDIT_inline,
                  "x = y\n"
                  "|\n");
    assert_offers("x = (a, b)[1]\n", EDIT_inline,
                  "x = b\n"
                  "|\n");
    assert_offers("x = [a][1]\n", EDIT_inline, "");
}

static void an_expression_function_goes_to_its_calls(void **state)
{
    (void)state;
    assert_offers("def f(a, b=2): return a * b\n"
                  "x = f(1 + 2)\n"
                  "y = f(3, b=n)\n",
                  EDIT_inline,
                  "x = (1 + 2) * 2\n"
                  "y = 3 * n\n"
                  "|\n");
    assert_offers("def f(a): return a + a\n"
                  "x = f(g())\n",
                  EDIT_inline,
                  "a = g()\n"
                  "x = a + a\n"
                  "|\n");
    assert_offers("class A:\n"
                  "    @property\n"
                  "    def p(self): return self.q + 1\n"
                  "print(x.p * 2)\n",
                  EDIT_inline,
                  "class A:\n"
                  "    pass\n"
                  "print((x.q + 1) * 2)\n"
                  "|\n");
    assert_offers("class A:\n"
                  "    @functools.cached_property\n"
                  "    def p(self):\n"
                  "        go()\n"
                  "        return self.q\n"
                  "print(x.p * 2)\n",
                  EDIT_inline,
                  "class A:\n"
                  "    pass\n"
                  "go()\n"
                  "print(x.q * 2)\n"
                  "|\n");
    assert_offers("class A:\n"
                  "    @property\n"
                  "    def p(self):\n"
                  "        go()\n"
                  "A().p\n"
                  "A().p\n",
                  EDIT_inline, "");
    assert_offers("def f(n): return n and f(n - 1)\n"
                  "f(1)\n",
                  EDIT_inline, "");
    assert_offers("class A:\n"
                  "    def m(self): return self\n"
                  "x = A().m()\n",
                  EDIT_inline,
                  "class A:\n"
                  "    pass\n"
                  "x = A()\n"
                  "|\n");
    assert_offers("class A:\n"
                  "    def __call__(self, x):\n"
                  "        return f(x)\n"
                  "y = A()(1)\n",
                  EDIT_inline,
                  "class A:\n"
                  "    pass\n"
                  "y = f(1)\n"
                  "|\n");
    assert_offers("class A:\n"
                  "    def __call__(self, x):\n"
                  "        return self, x\n"
                  "o = A()\n"
                  "y = o(1)\n",
                  EDIT_inline,
                  "class A:\n"
                  "    pass\n"
                  "o = A()\n"
                  "y = o, 1\n"
                  "|\n"
                  "class A:\n"
                  "    def __call__(self, x):\n"
                  "        return self, x\n"
                  "y = A()(1)\n"
                  "|\n");
}

static void the_arguments_of_partial_join_the_others(void **state)
{
    (void)state;
    assert_offers("partial(f, a, k=b)(c, *d, m=e)\n", EDIT_inline,
                  "f(a, c, *d, k=b, m=e)\n"
                  "|\n");
    assert_offers("functools.partial(o.f)()\n", EDIT_inline,
                  "o.f()\n"
                  "|\n");
    assert_offers("partial(f, **k)(a,\n"
                  "    # why\n"
                  "    b)\n",
                  EDIT_inline,
                  "f(a, b, **k)\n"
                  "|\n");
    /* No shorter, and nothing is lost of it for that. */
    assert_offers("partial(f)(a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,"
                  "y,z,a,b,c,d,e,the_last_is_not_left_out_of_it)\n",
                  EDIT_inline, "");
    assert_offers("partial(lambda: a, b)(c)\n", EDIT_inline, "");
    assert_offers("partial(f, a)\n"
                  "other(f, a)(b)\n"
                  "partial()(a)\n",
                  EDIT_inline, "");
}

static void a_key_is_found_in_other_quotes(void **state)
{
    (void)state;
    assert_offers("{\"a\": f, 'b': g}['a'](x)\n", EDIT_inline,
                  "f(x)\n"
                  "|\n");
    assert_offers("{'''k''': f, 'b': g}[\"k\"](x)\n", EDIT_inline,
                  "f(x)\n"
                  "|\n");
    assert_offers("{b'a': f, r'a\\n': g, f'{a}': h}['a'](x)\n", EDIT_inline,
                  "");
    assert_offers("{\"\": f, 'b': g}[''](x)\n", EDIT_inline, "");
}

static void a_body_goes_to_its_only_call(void **state)
{
    (void)state;
    assert_offers("def main(a):\n"
                  "    'doc'\n"
                  "    if a:\n"
                  "        print('''x\n"
                  "    y''')\n"
                  "    return 3\n"
                  "if x:\n"
                  "\tmain(y)\n",
                  EDIT_inline,
                  "if x:\n"
                  "\tif y:\n"
                  "\t    print('''x\n"
                  "    y''')\n"
                  "|\n");
    assert_offers("def f(v, w=2):\n"
                  "    t = v + w\n"
                  "    v = 1\n"
                  "    return t\n"
                  "r = 1 + f(g()) * 2\n",
                  EDIT_inline,
                  "v = g()\n"
                  "t = v + 2\n"
                  "v = 1\n"
                  "r = 1 + t * 2\n"
                  "|\n");
    assert_offers("class A:\n"
                  "    def go(self, q):\n"
                  "        print(self, q)\n"
                  "a = A()\n"
                  "a.go(1)\n",
                  EDIT_inline,
                  "class A:\n"
                  "    pass\n"
                  "a = A()\n"
                  "print(a, 1)\n"
                  "|\n"
                  "class A:\n"
                  "    def go(self, q):\n"
                  "        print(self, q)\n"
                  "A().go(1)\n"
                  "|\n");
}

static void a_copy_goes_to_its_uses_up_to_the_next_binding(void **state)
{
    (void)state;
    assert_offers("x = f()\n"
                  "y = 1; y = 2\n"
                  "x = y\n"
                  "g(x, x)\n"
                  "x = h(x)\n"
                  "print(x)\n",
                  EDIT_inline,
                  "x = f()\n"
                  "y = 1; y = 2\n"
                  "g(y, y)\n"
                  "x = h(y)\n"
                  "print(x)\n"
                  "|\n");
    assert_offers("def f(x, y):\n"
                  "    y = g()\n"
                  "    if y:\n"
                  "        x = y\n"
                  "        h(x)\n"
                  "    h(x)\n"
                  "    x = y\n"
                  "    y = 3\n"
                  "    h(x, y)\n"
                  "    for i in y:\n"
                  "        h(x)\n"
                  "        x = i\n"
                  "    return x\n"
                  "f(*k)\n",
                  EDIT_inline, "");
    assert_offers("x = f()\n"
                  "x = y\n"
                  "g(lambda: x)\n",
                  EDIT_inline, "");
}

/* All its uses are looked at for each of them. */
static void a_variable_of_too_many_bindings_stays(void **state)
{
    struct buf text;
    char *got;

    (void)state;
    buf_init(&text, 1 << 20);
    for (int i = 0; i < 1000; i++)
        buf_adds(&text, "x = y\nf(x)\n");
    got = offers_of(text.data, EDIT_inline, NULL);
    assert_string_equal(got, "");
    free(got);
    buf_deinit(&text);
}

static void the_first_of_what_is_written_out_is_taken(void **state)
{
    (void)state;
    assert_offers("def f(a): return a.n()\n"
                  "x = f(0)\n",
                  EDIT_inline, "x = (0).n()\n|\n");
    assert_offers("def f(a, *b, **c): return a + 1\n"
                  "x = f(0)\n",
                  EDIT_inline, "x = 0 + 1\n|\n");
    assert_offers("def f(a, *b): return a + 1\n"
                  "x = f(0, 1)\n",
                  EDIT_inline, "");
    assert_offers("def f(a, *b): return b\n"
                  "x = f(0)\n",
                  EDIT_inline, "");
    assert_offers("print(next(iter([a + b, c])) * 2)\n", EDIT_inline,
                  "print((a + b) * 2)\n|\n");
    assert_offers("a, *b = next(zip([c, d], (e,), [f(g)]))\n", EDIT_inline,
                  "a, *b = c, e, f(g)\n|\n");
    assert_offers("print(next(iter(enumerate([c, d])))[1])\n", EDIT_inline,
                  "print((0, c)[1])\n|\n");
    assert_offers("f(next(iter({a: b, c: d}.values())), next(iter({e})))\n",
                  EDIT_inline,
                  "f(b, next(iter({e})))\n|\n"
                  "f(next(iter({a: b, c: d}.values())), e)\n|\n");
    assert_offers("x = next(zip([a +\n  b], [f(\n  c)], [d := 1]))\n",
                  EDIT_inline, "x = (a +\n  b), f(\n  c), (d := 1)\n|\n");
    assert_offers("print(next([a]), next(iter([])), next(iter([*a])), "
                  "next(iter(a)), next(zip([a], b)), next(iter([a]), 1), "
                  "next(zip([a])), next(enumerate([a], 1)), next(*a))\n",
                  EDIT_inline, "");
}

/* Each has an underscore more that the other has not. */
static void names_that_are_made_are_not_the_same(void **state)
{
    (void)state;
    assert_offers("x = x_ = 1\n"
                  "x = x_ = 2\n"
                  "def f():\n"
                  "    x, x_ = g()\n"
                  "    return x - x_\n"
                  "y = f()\n",
                  EDIT_inline,
                  "x = x_ = 1\n"
                  "x = x_ = 2\n"
                  "x__, x___ = g()\n"
                  "y = x__ - x___\n"
                  "|\n");
}

static void a_name_that_somebody_has_gets_an_underscore(void **state)
{
    (void)state;
    assert_offers("def f(x, n):\n"
                  "    for y in x:\n"
                  "        n += y\n"
                  "    a = [lambda b: a + y, f'{y}', 'y', g(y=1).y]\n"
                  "    return a\n"
                  "y = 3; y = 4\n"
                  "y_ = 5\n"
                  "z = f(y, y + 1)\n"
                  "n = n = a = 5; a = y\n",
                  EDIT_inline,
                  "y = 3; y = 4\n"
                  "y_ = 5\n"
                  "n_ = y + 1\n"
                  "for y__ in y:\n"
                  "    n_ += y__\n"
                  "a_ = [lambda b: a_ + y__, f'{y__}', 'y', g(y=1).y]\n"
                  "z = a_\n"
                  "n = n = a = 5; a = y\n"
                  "|\n");
    assert_offers("def f():\n"
                  "    import t\n"
                  "    t.go(t)\n"
                  "f()\n"
                  "t = 3; t = 4\n",
                  EDIT_inline, "");
    assert_offers("def f():\n"
                  "    t = 1; t = g(t, t_, t__, t___)\n"
                  "f()\n"
                  "t = 3; t = 4\n",
                  EDIT_inline, "");
}

static void a_body_stays_where_it_can_not_go(void **state)
{
    (void)state;
    assert_offers("def f():\n"
                  "    if a: return\n"
                  "    print(1)\n"
                  "f()\n",
                  EDIT_inline, "");
    assert_offers("def f():\n"
                  "    yield 1\n"
                  "f()\n",
                  EDIT_inline, "");
    assert_offers("async def f():\n"
                  "    print(1)\n"
                  "f()\n",
                  EDIT_inline, "");
    assert_offers("def f():\n"
                  "    global x\n"
                  "    x = 1\n"
                  "    x = 2\n"
                  "f()\n",
                  EDIT_inline, "");
    assert_offers("@d\n"
                  "def f():\n"
                  "    print(1)\n"
                  "f()\n",
                  EDIT_inline, "");
    assert_offers("def f():\n"
                  "    print(1)\n"
                  "g = [f() for x in y]\n",
                  EDIT_inline, "");
}

static void a_kernel_that_only_kernels_call_is_a_function_to_them(void **state)
{
    (void)state;
    assert_offers("@triton.jit\n"
                  "def inner(a):\n"
                  "    b = tl.load(a)\n"
                  "    tl.dot(b, b)\n"
                  "@triton.jit\n"
                  "def outer(p):\n"
                  "    inner(p)\n"
                  "outer[1,](x)\n",
                  EDIT_inline,
                  "@triton.jit\n"
                  "def outer(p):\n"
                  "    b = tl.load(p)\n"
                  "    tl.dot(b, b)\n"
                  "outer[1,](x)\n"
                  "|\n");
    assert_offers("@cuda.jit(device=True)\n"
                  "def more(v): return v + 1\n"
                  "@cuda.jit\n"
                  "def k(a): a[more(1)] = more(a[0])\n"
                  "k[1, 1](x)\n",
                  EDIT_inline,
                  "@cuda.jit\n"
                  "def k(a): a[1 + 1] = a[0] + 1\n"
                  "k[1, 1](x)\n"
                  "|\n");
    /* The host calls it, or something else decorates it. */
    assert_offers("@tilelang.jit\n"
                  "def f():\n"
                  "    go()\n"
                  "f()\n",
                  EDIT_inline, "");
    assert_offers("@other\n"
                  "@triton.jit\n"
                  "def inner():\n"
                  "    go()\n"
                  "@triton.jit\n"
                  "def outer(p):\n"
                  "    inner()\n",
                  EDIT_inline, "");
}

static void a_body_goes_to_each_of_few_calls(void **state)
{
    static const char text[] = "def show(x):\n"
                               "    print_the_value_of_it(x)\n"
                               "    print_nothing()\n"
                               "show(a)\n"
                               "if b:\n"
                               "\tc = [show(b)]\n";
    (void)state;

    assert_offers("def f(x):\n"
                  "    g(x)\n"
                  "    return x\n"
                  "f(a.b)\n"
                  "def h():\n"
                  "    return f(2)\n"
                  "c = f(3) if d else 4\n",
                  EDIT_inline, "");
    assert_offers(text, EDIT_inline, "");
    assert_pumps(text, EDIT_inline,
                 "print_the_value_of_it(a)\n"
                 "print_nothing()\n"
                 "if b:\n"
                 "\tprint_the_value_of_it(b)\n"
                 "\tprint_nothing()\n"
                 "\tc = [None]\n"
                 "|\n");
    /* calls in one statement, in each other, and too many */
    assert_pumps("def f(x):\n    g(x)\n    return x\nf(a) + f(b)\n",
                 EDIT_inline, "");
    assert_pumps("def f(x):\n    g(x)\n    return x\nf(f(a))\n", EDIT_inline,
                 "");
    assert_pumps("def f(x):\n    a_call_of(x); another_call_of(x)\n"
                 "f(1)\nf(2)\nf(3)\nf(4)\n",
                 EDIT_inline, "");
}

static void what_is_deleted_takes_no_value(void **state)
{
    (void)state;
    assert_offers("o.x = f()\n"
                  "del o.x, g\n"
                  "o.y = f()\n"
                  "del o.y\n",
                  EDIT_inline, "");
}

static void a_header_that_runs_once_takes_a_body(void **state)
{
    (void)state;
    assert_offers("def f(p):\n"
                  "    q = p()\n"
                  "    q()\n"
                  "    return q.r\n"
                  "if x:\n"
                  "    for i in g(f(1)): # why\n"
                  "        i()\n",
                  EDIT_inline,
                  "if x:\n"
                  "    q = 1()\n"
                  "    q()\n"
                  "    for i in g(q.r): # why\n"
                  "        i()\n"
                  "|\n");
    assert_offers("def f():\n"
                  "    h()\n"
                  "if f(): pass\n"
                  "else: k()\n",
                  EDIT_inline,
                  "h()\n"
                  "if None: pass\n"
                  "else: k()\n"
                  "|\n");
    assert_offers("def f():\n"
                  "    h()\n"
                  "    return 1\n"
                  "raise E(f())\n",
                  EDIT_inline,
                  "h()\n"
                  "raise E(1)\n"
                  "|\n");
    assert_offers("def f():\n"
                  "    h()\n"
                  "while f(): pass\n",
                  EDIT_inline, "");
    assert_offers("def f():\n"
                  "    h()\n"
                  "if x: pass\n"
                  "elif f(): pass\n",
                  EDIT_inline, "");
}

static void a_list_of_names_goes_into_a_function(void **state)
{
    (void)state;
    assert_offers("ALL = [f, 1]\n"
                  "def g(x): return next(iter(ALL))(x)\n",
                  EDIT_inline,
                  "def g(x): return next(iter([f, 1]))(x)\n"
                  "|\n");
    assert_offers("ALL = [f()]\n"
                  "def g(x): return next(iter(ALL))(x)\n",
                  EDIT_inline, "");
}

static void what_is_assigned_first_keeps_its_lines_in_brackets(void **state)
{
    (void)state;
    assert_offers("def go(a):\n"
                  "    k(a, a)\n"
                  "go(x +\n"
                  "   y)\n",
                  EDIT_inline,
                  "a = (x +\n"
                  "   y)\n"
                  "k(a, a)\n"
                  "|\n");
    assert_offers("def go(a):\n"
                  "    k(a, a)\n"
                  "go([x,\n"
                  "    y])\n",
                  EDIT_inline,
                  "a = [x,\n"
                  "    y]\n"
                  "k(a, a)\n"
                  "|\n");
}

static void what_a_star_takes_goes_along(void **state)
{
    (void)state;
    assert_offers("def go(k, *args, n=1):\n"
                  "    k[n](*args, B=n)\n"
                  "go(a, x, y)\n"
                  "go(b, x, f(y), n=2)\n",
                  EDIT_inline,
                  "a[1](x, y, B=1)\n"
                  "b[2](x, f(y), B=2)\n"
                  "|\n");
    assert_offers("class L:\n"
                  "    def go(self, k, *args): return k[self.n](*args)\n"
                  "l.go(a, *xs, y)\n",
                  EDIT_inline,
                  "class L:\n"
                  "    pass\n"
                  "a[l.n](*xs, y)\n"
                  "|\n");
    assert_offers("def go(*args):\n"
                  "    k(args)\n"
                  "go(a, x)\n",
                  EDIT_inline, "");
    assert_offers("def go(*args):\n"
                  "    k(*args)\n"
                  "go()\n",
                  EDIT_inline, "");
    assert_offers("def go(k, *args):\n"
                  "    k(*args)\n"
                  "    k(*args)\n"
                  "go(a, x)\n",
                  EDIT_inline, "");
    assert_offers("def go(k, **args):\n"
                  "    k(**args)\n"
                  "go(a, x=1)\n",
                  EDIT_inline, "");
    assert_offers("def go(*args):\n"
                  "    print(f\"{k(*args)}\")\n"
                  "go(a, b)\n",
                  EDIT_inline,
                  "print(f\"{k(a, b)}\")\n"
                  "|\n");
    assert_offers("def go(*args):\n"
                  "    print(f\"{k(*args)}\")\n"
                  "go(a, \"b\")\n",
                  EDIT_inline, "");
    assert_offers("def go(*args):\n"
                  "    print(f\"{k(*args)}\")\n"
                  "go(a,  # one\n"
                  "   b)\n",
                  EDIT_inline, "");
}

static void what_is_used_by_splats_alone_goes_to_all_of_them(void **state)
{
    (void)state;
    assert_offers("m = dict(ROWS=8, k=a.b)\n"
                  "f(x, **m)\n"
                  "def h(): return g(**m)\n",
                  EDIT_inline,
                  "f(x, ROWS=8, k=a.b)\n"
                  "def h(): return g(ROWS=8, k=a.b)\n"
                  "|\n");
    assert_offers("m = [1, 2,]\n"
                  "f(*m)\n"
                  "f(*m, 3)\n",
                  EDIT_inline,
                  "f(1, 2)\n"
                  "f(1, 2, 3)\n"
                  "|\n");
    assert_offers("m = dict(k=f())\n"
                  "f(**m)\n"
                  "f(**m)\n",
                  EDIT_inline, "");
    assert_offers("m = dict(a, k=1)\n"
                  "f(**m)\n"
                  "f(**m)\n",
                  EDIT_inline, "");
    assert_offers("m = dict(k=1)\n"
                  "f(**m)\n"
                  "f(m)\n",
                  EDIT_inline, "");
    assert_offers("m = dict(k=1)\n"
                  "x = [{**m}, {**m}]\n",
                  EDIT_inline, "");
    assert_offers("k = 1\n"
                  "m = [k, k]\n"
                  "f(*m)\n"
                  "k = g(k)\n"
                  "f(*m)\n",
                  EDIT_inline, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_deleted_takes_no_value),
        cmocka_unit_test(a_variable_moves_to_its_use),
        cmocka_unit_test(what_a_comprehension_runs_over_is_outside_of_it),
        cmocka_unit_test(a_variable_stays_when_its_value_may_change),
        cmocka_unit_test(a_target_moves_with_its_value),
        cmocka_unit_test(the_last_pair_loses_brackets_and_commas),
        cmocka_unit_test(a_target_of_a_chain_moves),
        cmocka_unit_test(a_target_stays_without_a_value_of_its_own),
        cmocka_unit_test(a_value_with_quotes_stays_out_of_strings),
        cmocka_unit_test(a_brace_is_not_doubled_in_a_string),
        cmocka_unit_test(an_attribute_moves_to_its_uses),
        cmocka_unit_test(options_become_their_defaults),
        cmocka_unit_test(a_literal_index_picks_its_element),
        cmocka_unit_test(an_expression_function_goes_to_its_calls),
        cmocka_unit_test(the_arguments_of_partial_join_the_others),
        cmocka_unit_test(a_key_is_found_in_other_quotes),
        cmocka_unit_test(a_body_goes_to_its_only_call),
        cmocka_unit_test(what_is_assigned_first_keeps_its_lines_in_brackets),
        cmocka_unit_test(what_a_star_takes_goes_along),
        cmocka_unit_test(a_list_of_names_goes_into_a_function),
        cmocka_unit_test(what_is_used_by_splats_alone_goes_to_all_of_them),
        cmocka_unit_test(a_copy_goes_to_its_uses_up_to_the_next_binding),
        cmocka_unit_test(the_first_of_what_is_written_out_is_taken),
        cmocka_unit_test(a_name_that_somebody_has_gets_an_underscore),
        cmocka_unit_test(names_that_are_made_are_not_the_same),
        cmocka_unit_test(a_variable_of_too_many_bindings_stays),
        cmocka_unit_test(a_body_stays_where_it_can_not_go),
        cmocka_unit_test(a_kernel_that_only_kernels_call_is_a_function_to_them),
        cmocka_unit_test(a_body_goes_to_each_of_few_calls),
        cmocka_unit_test(a_header_that_runs_once_takes_a_body),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
