/* What nothing live uses, in one edit: with and without a trace. */
#include "grammar/observed.h"
#include "test/unit/offers.h"

static void what_nothing_uses_goes_at_once(void **state)
{
    (void)state;
    assert_offers("import os, sys\n"
                  "import re\n"
                  "A = 1\n"
                  "B = A + 1\n"
                  "def f(x):\n"
                  "    return g(x)\n"
                  "def g(x):\n"
                  "    return f(x) + B\n"
                  "class C(D):\n"
                  "    def m(self):\n"
                  "        return re\n"
                  "def used(n):\n"
                  "    k = n\n"
                  "    return sys\n"
                  "print(used(1))\n",
                  EDIT_dead,
                  "import os, sys\n"
                  "def used(n):\n"
                  "    return sys\n"
                  "print(used(1))\n|\n");
    assert_offers("x = 1\nprint(x)\n", EDIT_dead, "");
    assert_offers("", EDIT_dead, "");
    assert_offers("x = 1\n", EDIT_dead, "\n|\n");
}

static void statements_without_effect_go_with_what_is_around_them(void **state)
{
    (void)state;
    assert_offers("def f(a):\n"
                  "    for i in a:\n"
                  "        if i > 2:\n"
                  "            pass\n"
                  "        b = i\n"
                  "    try:\n"
                  "        c = a\n"
                  "    except E:\n"
                  "        pass\n"
                  "f(1)\n",
                  EDIT_dead, "def f(a):\n    pass\nf(1)\n|\n");
    assert_offers("if False:\n    f()\nif 0:\n    g()\nh()\n", EDIT_dead,
                  "h()\n|\n");
    /* Someone may be there when it is not false. */
    assert_offers("if False:\n    f()\nelse:\n    g()\n", EDIT_dead, "");
    assert_offers("if x:\n    f()\nfor i in g():\n    pass\n", EDIT_dead, "");
}

static void what_may_do_something_stays(void **state)
{
    (void)state;
    assert_offers("a = f()\n", EDIT_dead, "");
    assert_offers("a[0] = 1\n", EDIT_dead, "");
    assert_offers("a.b = 1\nc(a.b)\n", EDIT_dead, "");
    assert_offers("from a import *\nb = 1\n", EDIT_dead, "");
    assert_offers("from __future__ import annotations\n", EDIT_dead, "");
    assert_offers("@T.prim_func\ndef f(): pass\n", EDIT_dead, "");
    assert_offers("b = 1\nexec('b')\n", EDIT_dead, "");
    assert_offers("b = yield_\nassert c\ndel c\n", EDIT_dead,
                  "assert c\ndel c\n|\n");
    assert_offers("async def f():\n    a = await b\n    return 1\nf()\n",
                  EDIT_dead, "");
    assert_offers("x = 0\nx += 1\nf(x)\n", EDIT_dead, "");
    assert_offers("x = 0\nx += 1\nf()\n", EDIT_dead, "f()\n|\n");
}

static void members_live_by_their_names(void **state)
{
    (void)state;
    assert_offers("class C:\n"
                  "    a: int\n"
                  "    b: int = 1\n"
                  "    c: int = 2\n"
                  "    def __init__(self):\n"
                  "        self.d = 1\n"
                  "        self.e = 2\n"
                  "    def __str__(self):\n"
                  "        pass\n"
                  "    def __eq__(self, o):\n"
                  "        return self.e\n"
                  "    def m(self):\n"
                  "        return 3\n"
                  "f(C(b=2))\n",
                  EDIT_dead,
                  "class C:\n"
                  "    a: int\n"
                  "    b: int = 1\n"
                  "    def __init__(self):\n"
                  "        self.e = 2\n"
                  "    def __eq__(self, o):\n"
                  "        return self.e\n"
                  "f(C(b=2))\n|\n");
}

static void names_that_a_function_binds_elsewhere_are_followed(void **state)
{
    (void)state;
    assert_offers("a = 1\n"
                  "def f():\n"
                  "    global a\n"
                  "    a = 2\n"
                  "def g():\n"
                  "    global a\n"
                  "    a = 3\n"
                  "f()\n"
                  "print(a)\n",
                  EDIT_dead,
                  "a = 1\n"
                  "def f():\n"
                  "    global a\n"
                  "    a = 2\n"
                  "f()\n"
                  "print(a)\n|\n");
}

static void frozen_statements_count_as_live(void **state)
{
    static const struct span frozen = { 6, 11 };
    char *got = offers_of("a = 1\nb = a\nc = 2\n", EDIT_dead, &frozen);
    (void)state;

    assert_string_equal(got, "a = 1\nb = a\n|\n");
    free(got);
}

/* What is offered when the failure comes by the statements that begin with
 * `parts`, NULL at the end. */
static void assert_fails_by(const char *text, const char *const *parts,
                            const char *expected)
{
    struct tree *tree = tree_parse(bytes_of(text, strlen(text)));
    struct span frames[4] = { { 0, 0 } };
    struct gen_known known = { .frames = frames };
    struct edits edits;
    char *got;

    for (; *parts; parts++) {
        uint32_t at = (uint32_t)(strstr(text, *parts) - text);

        frames[known.nframes++] = (struct span){ at, at + 1 };
    }
    frames[known.nframes++] = (struct span){ 3, 3 }; /* gone */
    edits_init(&edits);
    generate_known(tree, NULL, 0, vocabulary(MUTATE_ALL, false), &known,
                   &edits);
    got = offers_text(tree, &edits, EDIT_dead);
    assert_string_equal(got, expected);
    free(got);
    tree_free(tree);
}

static void what_the_failure_comes_by_is_live(void **state)
{
    static const char *const calls[] = { "N()(3)", "k(x)", NULL };
    static const char *const name[] = { "y = ", "sin", NULL };
    static const char *const stale[] = { "y = ", NULL };
    (void)state;

    /* Nobody in the file calls forward(). */
    assert_fails_by("class N(Module):\n"
                    "    def forward(self, x):\n"
                    "        z = 1\n"
                    "        k(x)\n"
                    "    def other(self): pass\n"
                    "N()(3)\n",
                    calls,
                    "class N(Module):\n"
                    "    def forward(self, x):\n"
                    "        k(x)\n"
                    "N()(3)\n"
                    "|\n");
    /* A name alone does nothing but fail. */
    assert_fails_by("def f(x):\n"
                    "    with a:\n"
                    "        sin\n"
                    "        cos\n"
                    "    w = 2\n"
                    "y = f\n",
                    name,
                    "def f(x):\n"
                    "    with a:\n"
                    "        sin\n"
                    "y = f\n"
                    "|\n");
    /* Nothing else is dead: it may have come to be. */
    assert_fails_by("sin()\n"
                    "y = 1\n",
                    stale,
                    "sin()\n"
                    "|\n");
}

/* What is offered after a traced run in which `parts` (in order, ended by
 * NULL) came back. */
static void assert_traced(const char *text, const char *const *parts,
                          const char *expected)
{
    struct tree *tree = tree_parse(bytes_of(text, strlen(text)));
    struct observed o;
    struct edits edits;
    struct buf lines, out;

    buf_init(&lines, 4096);
    buf_init(&out, 1 << 16);
    for (const char *at = text; *parts; parts++, at++) {
        at = strstr(at, *parts);
        assert_non_null(at);
        buf_addf(&lines, "%zu-%zu+\n", (size_t)(at - text),
                 (size_t)(at - text) + strlen(*parts));
    }
    assert_int_equal(observed_read(&o, buf_str(&lines), strlen(text), NULL), 0);
    edits_init(&edits);
    generate_known(tree, NULL, 0, vocabulary(MUTATE_ALL, false),
                   &(struct gen_known){ .observed = &o }, &edits);
    for (uint32_t i = 0; i < edits.n; i++) {
        struct patch patch;

        patch_init(&patch);
        if (edits.items[i].kind == EDIT_dead) {
            assert_int_equal(offers_patch(&patch, &edits, i), 0);
            buf_adds(&out, edits.items[i].sure ? "sure\n" : "");
            offers_add(&out, tree, &patch);
        }
        patch_deinit(&patch);
    }
    assert_string_equal(buf_str(&out), expected);
    edits_deinit(&edits);
    observed_deinit(&o);
    tree_free(tree);
    buf_deinit(&lines);
    buf_deinit(&out);
}

static void calls_that_came_back_go_in_the_bolder_draft(void **state)
{
    static const char text[] = "a = f(b)\n"
                               "c = g(b)\n"
                               "h('x')\n"
                               "i = [1]\n"
                               "d = 1\n"
                               "k(e.m)\n";
    static const char *const parts[] = { "f(b)", "h('x')", NULL };
    (void)state;

    assert_traced(text, parts,
                  "sure\nc = g(b)\nk(e.m)\n|\n"
                  "a = f(b)\nc = g(b)\nh('x')\nk(e.m)\n|\n");
}

static void what_is_called_on_a_living_value_stays(void **state)
{
    static const char text[] = "import t\n"
                               "p = P()\n"
                               "q = P()\n"
                               "p.add(1)\n"
                               "q.add(2)\n"
                               "t.seed(0)\n"
                               "raise E(p)\n";
    static const char *const parts[] = { "P()",      "P()",       "p.add(1)",
                                         "q.add(2)", "t.seed(0)", NULL };
    (void)state;

    assert_traced(text, parts, "sure\np = P()\np.add(1)\nraise E(p)\n|\n");
}

/* The failure may be in a property or an operator. */
static void what_never_came_back_is_live(void **state)
{
    static const char text[] = "def f(x):\n"
                               "    a = x.ok\n"
                               "    b = x.fails\n"
                               "    c = a @ x\n"
                               "    d = [u.v for u in x.w]\n"
                               "f(1)\n";
    static const char *const parts[] = { "x.ok", "u.v", "x.w", NULL };
    (void)state;

    assert_traced(text, parts,
                  "sure\ndef f(x):\n    a = x.ok\n    b = x.fails\n"
                  "    c = a @ x\nf(1)\n|\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_failure_comes_by_is_live),
        cmocka_unit_test(what_nothing_uses_goes_at_once),
        cmocka_unit_test(statements_without_effect_go_with_what_is_around_them),
        cmocka_unit_test(what_may_do_something_stays),
        cmocka_unit_test(members_live_by_their_names),
        cmocka_unit_test(names_that_a_function_binds_elsewhere_are_followed),
        cmocka_unit_test(frozen_statements_count_as_live),
        cmocka_unit_test(calls_that_came_back_go_in_the_bolder_draft),
        cmocka_unit_test(what_is_called_on_a_living_value_stays),
        cmocka_unit_test(what_never_came_back_is_live),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
