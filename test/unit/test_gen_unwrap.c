#include "test/unit/offers.h"

static void each_branch_of_an_if_takes_its_place(void **state)
{
    (void)state;
    assert_offers("def f():\n"
                  "    if a:\n"
                  "        b = '''\n"
                  "        keep'''\n"
                  "        c(\n"
                  "      1)\n"
                  "    elif d:\n"
                  "        e\n"
                  "    else: g; h\n"
                  "    i\n",
                  EDIT_unwrap,
                  "if a:\n"
                  "    b = '''\n"
                  "        keep'''\n"
                  "    c(\n"
                  "  1)\n"
                  "elif d:\n"
                  "    e\n"
                  "else: g; h\n"
                  "i\n|\n"
                  "def f():\n"
                  "    b = '''\n"
                  "        keep'''\n"
                  "    c(\n"
                  "    1)\n"
                  "    i\n|\n"
                  "def f():\n    e\n    i\n|\n"
                  "def f():\n    g; h\n    i\n|\n"
                  "def f():\n"
                  "    if d:\n"
                  "        e\n"
                  "    else: g; h\n"
                  "    i\n|\n");
}

static void a_loop_binds_only_the_name_that_is_read(void **state)
{
    (void)state;
    assert_offers("for i, j in [(a, b), c]:\n    i\n", EDIT_unwrap,
                  "i = a\ni\n|\ni\n|\n");
    assert_offers("for name, (at, size) in live.items():\n    f(size)\n",
                  EDIT_unwrap,
                  "size = next(iter(live.items()))[1][1]\nf(size)\n|\n"
                  "f(size)\n|\n");
    assert_offers("for k, (x, [y, z]) in {0: (1, t + u)}.items():\n    f(z)\n",
                  EDIT_unwrap,
                  "z = (t + u)[1]\nf(z)\n|\n"
                  "f(z)\n|\n");
    assert_offers("for k, v in {a: b}.items():\n    f(k, v)\n", EDIT_unwrap,
                  "k, v = a, b\nf(k, v)\n|\n"
                  "f(k, v)\n|\n");
    assert_offers("for k, v in {a: b}.items():\n    f(k)\n", EDIT_unwrap,
                  "k = a\nf(k)\n|\n"
                  "f(k)\n|\n");
    assert_offers("for a, *b in [(*x, y, z)]:\n        f(b)\n", EDIT_unwrap,
                  "a, *b = (*x, y, z)\nf(b)\n|\n"
                  "f(b)\n|\n");
    assert_offers("for a, b in [(*x, y, zz)]:\n        f(b)\n", EDIT_unwrap,
                  "b = (*x, y, zz)[1]\nf(b)\n|\n"
                  "f(b)\n|\n");
    assert_offers("for i, o.x in [(aaa, b)]:\n        f(i)\n", EDIT_unwrap,
                  "i, o.x = (aaa, b)\nf(i)\n|\n"
                  "f(i)\n|\n");
}

static void a_loop_binds_its_first_element(void **state)
{
    (void)state;
    assert_offers("for i in range(n):\n    i\n", EDIT_unwrap,
                  "i = 0\ni\n|\ni\n|\n");
    assert_offers("for i in range(3, n):\n    i\n", EDIT_unwrap,
                  "i = 3\ni\n|\ni\n|\n");
    assert_offers("for i, j in [(a, b), c]:\r\n    i, j\r\n", EDIT_unwrap,
                  "i, j = (a, b)\r\ni, j\r\n|\ni, j\r\n|\n");
    assert_offers("for i in xs: i; i\n", EDIT_unwrap,
                  "i = xs[0]; i; i\n|\ni; i\n|\n");
    assert_offers("for i in f(): i; i\n", EDIT_unwrap, "i; i\n|\n");
    assert_offers("async def f():\n"
                  "    async for i in g():\n"
                  "        i\n"
                  "        await h()\n",
                  EDIT_unwrap,
                  "async def f():\n"
                  "    i = await anext(g())\n"
                  "    i\n"
                  "    await h()\n"
                  "|\n"
                  "async def f():\n"
                  "    i\n"
                  "    await h()\n"
                  "|\n");
    assert_offers("for i, j in o.xs: i; j\n", EDIT_unwrap,
                  "i, j = o.xs[0]; i; j\n|\ni; j\n|\n");
    assert_offers("for i in xs:\n        a\n        b\n", EDIT_unwrap,
                  "i = next(iter(xs))\na\nb\n|\na\nb\n|\n");
    assert_offers("for i in f():\r\n    pass\r\ng(i)\r\n", EDIT_unwrap,
                  "i = next(iter(f()))\r\ng(i)\r\n|\npass\r\ng(i)\r\n|\n");
    assert_offers("for i in f():\n    pass\nelse:\n    h()\ng(i)\n",
                  EDIT_unwrap,
                  "i = next(iter(f()))\npass\ng(i)\n|\npass\ng(i)\n|\n"
                  "h()\ng(i)\n|\n");
    assert_offers("for i in xs:\n    if i: break\n", EDIT_unwrap,
                  "i = xs[0]\nif i: pass\n|\nif i: pass\n|\n"
                  "for i in xs:\n    break\n|\n");
    assert_offers("while a:\n    b\n    while c: break\n    continue\n",
                  EDIT_unwrap,
                  "b\nwhile c: break\npass\n|\n"
                  "while a:\n    b\n    pass\n    continue\n|\n");
    assert_offers("async def f():\n"
                  "    async for x in y:\n"
                  "        a(x)\n"
                  "        bb(x)\n"
                  "        ccc(x)\n"
                  "        ddd(x)\n"
                  "        eee(x)\n",
                  EDIT_unwrap,
                  "async for x in y:\n"
                  "    a(x)\n"
                  "    bb(x)\n"
                  "    ccc(x)\n"
                  "    ddd(x)\n"
                  "    eee(x)\n|\n"
                  "async def f():\n"
                  "    x = await y.__aiter__().__anext__()\n"
                  "    a(x)\n"
                  "    bb(x)\n"
                  "    ccc(x)\n"
                  "    ddd(x)\n"
                  "    eee(x)\n|\n"
                  "async def f():\n"
                  "    a(x)\n"
                  "    bb(x)\n"
                  "    ccc(x)\n"
                  "    ddd(x)\n"
                  "    eee(x)\n|\n");
    assert_offers("while x:\n    y\nelse:\n    z\n", EDIT_unwrap,
                  "y\n|\nz\n|\n");
}

static void a_loop_of_one_statement_places_its_first_element(void **state)
{
    (void)state;
    assert_offers("def f():\n    for x in g():\n        return x\n",
                  EDIT_unwrap,
                  "def f():\n    return next(iter(g()))\n|\n"
                  "def f():\n    return x\n|\n");
    assert_offers("for xs in g(): k(xs.y)[0]\n", EDIT_unwrap,
                  "k(next(iter(g())).y)[0]\n|\nk(xs.y)[0]\n|\n");
    assert_offers("for x in a, *b:\n    raise x\n", EDIT_unwrap,
                  "raise next(iter((a, *b)))\n|\nraise x\n|\n");
    assert_offers("for x in g():\n    f(x, x)\n", EDIT_unwrap, "f(x, x)\n|\n");
    assert_offers("for x in o.xs:\n    f(x)\n", EDIT_unwrap,
                  "x = o.xs[0]\nf(x)\n|\nf(next(iter(o.xs)))\n|\nf(x)\n|\n");
    assert_offers("for x in g():\n    f(x)\nx\n", EDIT_unwrap, "f(x)\nx\n|\n");
    assert_offers("for x in g():\n    x = 1\n", EDIT_unwrap, "x = 1\n|\n");
    assert_offers("for x in g():\n    f(lambda: x)\n", EDIT_unwrap,
                  "f(lambda: x)\n|\n");
    assert_offers("for x in g():\n    [x for _ in y]\n", EDIT_unwrap,
                  "[x for _ in y]\n|\n");
    assert_offers("for x, y in g():\n    f(x, y)\n", EDIT_unwrap,
                  "f(x, y)\n|\n");
    assert_offers("for x in g('a'):\n    f(f'{x}')\n", EDIT_unwrap,
                  "f(f'{x}')\n|\n");
}

static void a_loop_takes_what_a_view_or_copy_begins_with(void **state)
{
    (void)state;
    assert_offers("for v in {a: b + c, d: e}.values():\n    v\n", EDIT_unwrap,
                  "v = b + c\nv\n|\nv\n|\n");
    assert_offers("for k in {a: b}.keys():\n    k\n", EDIT_unwrap,
                  "k = a\nk\n|\nk\n|\n");
    assert_offers("for k in {a: b}:\n    k\n", EDIT_unwrap,
                  "k = a\nk\n|\nk\n|\n");
    assert_offers("for k, v in list({a: b}.items()):\n    v\n", EDIT_unwrap,
                  "v = b\nv\n|\nv\n|\n");
    assert_offers("for x in iter(tuple([a, b])):\n    x\n", EDIT_unwrap,
                  "x = a\nx\n|\nx\n|\n");
    assert_offers("for i in list(range(n)):\n    i\n", EDIT_unwrap,
                  "i = 0\ni\n|\ni\n|\n");
    assert_offers("for x in {a}:\n    x\n", EDIT_unwrap, "x = a\nx\n|\nx\n|\n");
    assert_offers("for x in {**a, b: c}.values():\n    x; x\n", EDIT_unwrap,
                  "x; x\n|\n");
    assert_offers("for x in list(*a):\n    x; x\n", EDIT_unwrap, "x; x\n|\n");
}

static void with_leaves_its_names(void **state)
{
    (void)state;
    assert_offers("with open(p) as f, g:\n    f\n", EDIT_unwrap,
                  "f = open(p)\nf\n|\nf\n|\n");
    assert_offers("with a(): b\n", EDIT_unwrap, "b\n|\n");
}

static void what_a_condition_binds_is_bound_before_the_body(void **state)
{
    (void)state;
    assert_offers("if (a := f(1)) and not (b := [a,\n"
                  "    2]) and [c for _ in a if (c := 3)]:\n"
                  "    a, b\n"
                  "else:\n"
                  "    d\n",
                  EDIT_unwrap,
                  "a = f(1); b = ([a,\n"
                  "    2])\n"
                  "a, b\n"
                  "|\n"
                  "a = f(1); b = ([a,\n"
                  "    2])\n"
                  "d\n"
                  "|\n"
                  "a, b\n|\nd\n|\n");
    assert_offers("while a := f(): a\n", EDIT_unwrap, "a = f(); a\n|\na\n|\n");
}

static void a_try_leaves_what_runs_or_one_body(void **state)
{
    (void)state;
    assert_offers("try:\n    a\nexcept E:\n    b\nelse:\n    c\n"
                  "finally:\n    d\n",
                  EDIT_unwrap, "a\nc\nd\n|\na\n|\nb\n|\nc\n|\nd\n|\n");
    assert_offers("try: a\nexcept E: b\n", EDIT_unwrap, "a\n|\nb\n|\n");
}

static void match_and_class_give_their_bodies(void **state)
{
    (void)state;
    assert_offers("match a:\n  case 1:\n    b\n    c\n  case 2: d\n",
                  EDIT_unwrap, "b\nc\n|\nd\n|\n");
    assert_offers("class A:\n\tx = 1\n\tdef f(): pass\n", EDIT_unwrap,
                  "x = 1\ndef f(): pass\n|\n"
                  "class A:\n\tx = 1\n\tpass\n|\n");
}

static void a_case_leaves_the_name_of_its_subject(void **state)
{
    (void)state;
    assert_offers("match f(1):\n"
                  "    case [a, b]:\n"
                  "        a\n"
                  "    case A() | B() as c if c:\n"
                  "        c\n"
                  "    case A.b:\n"
                  "        b\n"
                  "    case d:\n"
                  "        d\n",
                  EDIT_unwrap,
                  "a\n|\nc = f(1)\nc\n|\nc\n|\nb\n|\n"
                  "d = f(1)\nd\n|\nd\n|\n");
    assert_offers("match a, b:\n"
                  "    case c: c\n",
                  EDIT_unwrap, "c\n|\n");
}

static void what_a_pattern_captures_is_reached_from_the_subject(void **state)
{
    (void)state;
    assert_offers("match f(1):\n"
                  "    case [a, *b]: b\n",
                  EDIT_unwrap, "b = f(1)[1:]; b\n|\nb\n|\n");
    assert_offers("match s:\n"
                  "    case {'k': str(a), 1: x.P(v=(d, _))} | [a, d]:\n"
                  "        a, d\n",
                  EDIT_unwrap, "a = s['k']; d = s[1].v[0]\na, d\n|\na, d\n|\n");
    assert_offers("match f(), g.h:\n"
                  "    case 1, (_, 2 as e,): e\n",
                  EDIT_unwrap, "e = g.h[1]; e\n|\ne\n|\n");
    assert_offers("match f():\n"
                  "    case _, (c): c\n",
                  EDIT_unwrap, "c = f()[1]; c\n|\nc\n|\n");
    assert_offers("match s:\n"
                  "    case [_, # first\n"
                  "          {'k': _, # second\n"
                  "           2: str( # third\n"
                  "               b)}]: b\n",
                  EDIT_unwrap, "b = s[1][2]; b\n|\nb\n|\n");
    /* what cannot be reached, and several names of what is computed */
    assert_offers("match s:\n"
                  "    case [*_, a]: a\n"
                  "    case {'k': 1, **b}: b\n"
                  "    case K(c): c\n",
                  EDIT_unwrap, "a\n|\nb\n|\nc\n|\n");
    assert_offers("match f():\n"
                  "    case d, e: d, e\n",
                  EDIT_unwrap, "d, e\n|\n");
}

static void fields_of_a_class_are_counted(void **state)
{
    (void)state;
    assert_offers("@dataclass\n"
                  "class P:\n"
                  "    \"\"\"x: str\"\"\"\n"
                  "    z = 1\n"
                  "    x: int\n"
                  "    y: int = 2\n"
                  "def f():\n"
                  "    match -s:\n"
                  "        case P(_, [_, (b)]): return b\n",
                  EDIT_unwrap,
                  "\"\"\"x: str\"\"\"\n"
                  "z = 1\n"
                  "x: int\n"
                  "y: int = 2\n"
                  "def f():\n"
                  "    match -s:\n"
                  "        case P(_, [_, (b)]): return b\n"
                  "|\n"
                  "@dataclass\n"
                  "class P:\n"
                  "    \"\"\"x: str\"\"\"\n"
                  "    z = 1\n"
                  "    x: int\n"
                  "    y: int = 2\n"
                  "def f():\n"
                  "    b = (-s).y[1]; return b\n"
                  "|\n"
                  "@dataclass\n"
                  "class P:\n"
                  "    \"\"\"x: str\"\"\"\n"
                  "    z = 1\n"
                  "    x: int\n"
                  "    y: int = 2\n"
                  "def f():\n"
                  "    return b\n"
                  "|\n");
}

/* The fields of A.B are not those of A. */
static void fields_of_a_class_in_another_are_not_known(void **state)
{
    (void)state;
    assert_offers("class A:\n"
                  "    x: int\n"
                  "match s:\n"
                  "    case A.B(b): b\n",
                  EDIT_unwrap,
                  "x: int\n"
                  "match s:\n"
                  "    case A.B(b): b\n"
                  "|\n"
                  "class A:\n"
                  "    x: int\n"
                  "b\n"
                  "|\n");
}

static void
a_function_that_takes_and_gives_nothing_runs_in_its_place(void **state)
{
    (void)state;
    assert_offers("class A:\n"
                  "    def f(self, *a: int, k=1):\n"
                  "        global b\n"
                  "        b = c()\n",
                  EDIT_unwrap,
                  "def f(self, *a: int, k=1):\n"
                  "    global b\n"
                  "    b = c()\n"
                  "|\n"
                  "class A:\n"
                  "    global b\n"
                  "    b = c()\n"
                  "|\n");
    assert_offers("async def f(): a; b\n", EDIT_unwrap, "a; b\n|\n");
    assert_offers("def f():\n    return 1\n"
                  "def f(a): print(a)\n"
                  "def f(*, a: int = 2): print(a)\n"
                  "def f(): yield 1\n"
                  "async def f(): await a\n",
                  EDIT_unwrap, "");
    assert_offers("@jit\n@a.b(c)\ndef f(d):\n    g\n", EDIT_unwrap, "g\n|\n");
    assert_offers("if 1:\n    @a\n    class B: c = 1\n", EDIT_unwrap,
                  "@a\nclass B: c = 1\n|\nif 1:\n    c = 1\n|\n");
    assert_offers("def f():\n"
                  "    a = 1\n"
                  "    def g():\n"
                  "        nonlocal a\n"
                  "        a = 2\n",
                  EDIT_unwrap, "");
}

static void edits_inside_stay_good_after_an_unwrap(void **state)
{
    static const char text[] = "if a:\n    b\n    c\n    d\n";
    struct tree *tree = tree_parse(bytes_of(text, strlen(text)));
    struct edits edits;
    struct patch patch;
    struct buf buf;

    (void)state;
    edits_init(&edits);
    patch_init(&patch);
    buf_init(&buf, 1000);
    generate(tree, NULL, 0, &edits);
    for (uint32_t i = 0; i < edits.n; i++)
        if (edits.items[i].kind == EDIT_unwrap)
            patch_add_edit(&patch, &edits, i);
    struct tree *next = tree_patched(tree, &patch);
    assert_string_equal(tree_text(next).data, "b\nc\nd\n");
    edits_rebase(&edits, &patch);
    patch_deinit(&patch);
    uint32_t list = 1; /* the body's */
    assert_int_equal(edits.lists[list].n, 3);
    assert_int_equal(patch_add_run(&patch, &edits, list, 1, 2), 0);
    patch_apply(&patch, tree_text(next), &buf);
    assert_string_equal(buf_str(&buf), "b\nd\n");
    buf_deinit(&buf);
    patch_deinit(&patch);
    edits_deinit(&edits);
    tree_free(next);
    tree_free(tree);
}

static void a_function_goes_with_the_statement_that_calls_it(void **state)
{
    (void)state;
    assert_offers("if x:\n"
                  "    def f(a, b):\n"
                  "        @c\n"
                  "        def g(d: e(a)): return b\n"
                  "    h()\n"
                  "    f(1, 2)\n",
                  EDIT_unwrap,
                  "def f(a, b):\n"
                  "    @c\n"
                  "    def g(d: e(a)): return b\n"
                  "h()\n"
                  "f(1, 2)\n"
                  "|\n"
                  "if x:\n"
                  "    @c\n"
                  "    def g(d: e(a)): return b\n"
                  "    h()\n"
                  "|\n");
    assert_offers("def f(a): g(a)\n"
                  "f(\n"
                  "  1)\n",
                  EDIT_unwrap,
                  "g(a)\n"
                  "|\n");
    assert_offers("def f(a): g(a)\nf(1); h()\n", EDIT_unwrap, "");
    assert_offers("def f(a): g(a)\nf(1)\nf(2)\n", EDIT_unwrap, "");
    assert_offers("def f(a): g(a)\nx = f(1)\n", EDIT_unwrap, "");
    assert_offers("def f(a): return g(a)\nf(1)\n", EDIT_unwrap, "");
    assert_offers("@d\ndef f(a): g(a)\nf(1)\n", EDIT_unwrap, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_branch_of_an_if_takes_its_place),
        cmocka_unit_test(a_loop_binds_its_first_element),
        cmocka_unit_test(a_loop_binds_only_the_name_that_is_read),
        cmocka_unit_test(a_loop_of_one_statement_places_its_first_element),
        cmocka_unit_test(a_loop_takes_what_a_view_or_copy_begins_with),
        cmocka_unit_test(with_leaves_its_names),
        cmocka_unit_test(what_a_condition_binds_is_bound_before_the_body),
        cmocka_unit_test(a_try_leaves_what_runs_or_one_body),
        cmocka_unit_test(match_and_class_give_their_bodies),
        cmocka_unit_test(
            a_function_that_takes_and_gives_nothing_runs_in_its_place),
        cmocka_unit_test(a_case_leaves_the_name_of_its_subject),
        cmocka_unit_test(what_a_pattern_captures_is_reached_from_the_subject),
        cmocka_unit_test(fields_of_a_class_in_another_are_not_known),
        cmocka_unit_test(fields_of_a_class_are_counted),
        cmocka_unit_test(edits_inside_stay_good_after_an_unwrap),
        cmocka_unit_test(a_function_goes_with_the_statement_that_calls_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
