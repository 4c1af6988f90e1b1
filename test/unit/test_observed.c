/* Values of expressions: read, moved along, and offered as literals. */
#include "test/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/buf.h"
#include "grammar/edit.h"
#include "grammar/generator.h"
#include "grammar/observed.h"
#include "grammar/tree.h"

static void lines_are_read_in_order(void **state)
{
    struct observed o, copy;
    (void)state;

    assert_int_equal(observed_read(&o, "", 0, NULL), 0);
    assert_int_equal(o.n, 0);
    observed_deinit(&o);
    assert_int_equal(observed_read(&o,
                                   "0-9=128\n0-4='a=b'\n5-9+\n7-8~[2]\n"
                                   "8-9*f(1)\n",
                                   9, NULL),
                     0);
    assert_int_equal(o.n, 5);
    observed_copy(&copy, &o);
    observed_deinit(&o);
    assert_int_equal(copy.n, 5);
    assert_int_equal(copy.at[1].start, 0);
    assert_int_equal(copy.at[1].end, 4);
    assert_string_equal(copy.texts[0], "128");
    assert_string_equal(copy.texts[1], "'a=b'");
    assert_string_equal(copy.texts[2], "");
    assert_string_equal(copy.texts[3], "[2]");
    assert_true(copy.turns[3]);
    assert_false(copy.stands[3]);
    assert_true(copy.stands[4]);
    assert_string_equal(copy.texts[4], "f(1)");
    assert_false(copy.turns[0]);
    observed_deinit(&copy);
}

static void what_is_no_list_of_values_is_refused(void **state)
{
    static const char *const bad[] = {
        "0-9=1",
        "0-9\n",
        "\n",
        "0-9=\n",
        "0-9+1\n",
        "0-9~\n",
        "0-9*\n",
        "0-9",
        "0-9\n",
        "-9=1\n",
        "0-10=1\n",
        "4-4=1\n",
        "4-3=1\n",
        "x\n",
        "0 - 9=1\n",
        "0-9=\t\n",
        "0-9=\xC3\n",
        "5-9=1\n0-4=1\n",
        "0-4=1\n0-9=1\n",
        "0-99999999999999999999=1\n",
    };
    struct observed o;
    struct err err;
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        assert_int_equal(observed_read(&o, bad[i], 9, &err), -EINVAL);
        assert_int_equal(o.n, 0);
        assert_null(o.at);
    }
}

static void spans_follow_a_commit(void **state)
{
    static const char text[] = "a = f(b) + c\nd = e(c)\n";
    struct observed o;
    struct edits edits;
    struct patch patch;
    (void)state;

    assert_int_equal(observed_read(&o, "4-12=3\n4-8=1\n17-21=2\n17-18=5\n",
                                   strlen(text), NULL),
                     0);
    edits_init(&edits);
    edits_begin(&edits, EDIT_expression, (struct span){ 4, 8 });
    edits_change(&edits, (struct span){ 4, 8 }, "1", 1);
    patch_init(&patch);
    assert_int_equal(patch_add_edit(&patch, &edits, edits_end(&edits)), 0);
    observed_rebase(&o, &patch);
    assert_int_equal(o.n, 4);
    assert_int_equal(o.at[0].end, 9);
    assert_int_equal(o.at[2].start, 14);
    assert_int_equal(o.at[2].end, 18);
    patch_deinit(&patch);
    edits_deinit(&edits);

    edits_init(&edits);
    edits_begin(&edits, EDIT_statement, (struct span){ 10, 19 });
    edits_delete(&edits, (struct span){ 10, 19 });
    patch_init(&patch);
    assert_int_equal(patch_add_edit(&patch, &edits, edits_end(&edits)), 0);
    observed_rebase(&o, &patch);
    assert_int_equal(o.n, 2); /* those in what was deleted have gone */
    assert_string_equal(o.texts[0], "3");
    patch_deinit(&patch);
    edits_deinit(&edits);
    observed_deinit(&o);
}

/* The first span of `part` in the text, as a line. */
static void add_line(struct buf *out, const char *text, const char *part,
                     const char *value)
{
    const char *at = strstr(text, part);

    assert_non_null(at);
    buf_addf(out, "%zu-%zu%s\n", (size_t)(at - text),
             (size_t)(at - text) + strlen(part), value);
}

static bool is_observed(const struct edit *edit)
{
    return edit->kind == EDIT_observed;
}

static bool is_sure(const struct edit *edit)
{
    return edit->sure;
}

/* What the chosen edits make of the text, one after the other, when `part` of
 * it had the value; "" for nothing. `known` is what else is known of it. */
static void assert_made(const char *text, const char *part, const char *value,
                        edit_kinds kinds, struct gen_known known,
                        bool (*chosen)(const struct edit *),
                        const char *expected)
{
    struct tree *tree = tree_parse(bytes_of(text, strlen(text)));
    struct observed o;
    struct edits edits;
    struct buf line, out;

    buf_init(&line, 4096);
    buf_init(&out, 4096);
    add_line(&line, text, part, value);
    assert_int_equal(observed_read(&o, buf_str(&line), strlen(text), NULL), 0);
    edits_init(&edits);
    known.observed = &o;
    generate_known(tree, NULL, 0, kinds, &known, &edits);
    for (uint32_t i = 0; i < edits.n; i++) {
        struct patch patch;

        patch_init(&patch);
        if (chosen(&edits.items[i])) {
            assert_int_equal(patch_add_edit(&patch, &edits, i), 0);
            assert_int_equal(patch_apply(&patch, tree_text(tree), &out), 0);
        }
        patch_deinit(&patch);
    }
    assert_string_equal(buf_str(&out), expected);
    edits_deinit(&edits);
    observed_deinit(&o);
    tree_free(tree);
    buf_deinit(&line);
    buf_deinit(&out);
}

static void assert_becomes(const char *text, const char *part,
                           const char *value, const char *expected)
{
    assert_made(text, part, value, vocabulary(MUTATE_ALL, false),
                (struct gen_known){ 0 }, is_observed, expected);
}

static void a_value_takes_the_place_of_its_expression(void **state)
{
    (void)state;
    assert_becomes("x = config.size + 1\n", "config.size", "=128",
                   "x = 128 + 1\n");
    assert_becomes("x = config.size + 1\n", "config.size + 1", "=129",
                   "x = 129\n");
    assert_becomes("f(a[0], n=len(b))\n", "len(b)", "=2", "f(a[0], n=2)\n");
    assert_becomes("if a.b in c:\n    d()\n", "a.b in c", "=True",
                   "if True:\n    d()\n");
    assert_becomes("x = kinds['half']\n", "kinds['half']", "=torch.half",
                   "x = torch.half\n");
    assert_becomes("x = a.shape\n", "a.shape", "=(1, 2)", "x = (1, 2)\n");
    assert_becomes("x = args.name\n", "args.name", "='abc'", "x = 'abc'\n");
    assert_becomes("x = \"\xC3\xA9\", a.b\n", "a.b", "=1",
                   "x = \"\xC3\xA9\", 1\n");
    assert_becomes("x = ab\n", "ab", "=12", "x = 12\n"); /* byte order */
    assert_becomes("return(a.b)\n", "(a.b)", "=5", "return 5\n");
}

static bool is_dummy(const struct edit *edit)
{
    return edit->kind == EDIT_dummy;
}

static void assert_stands(const char *text, const char *part, const char *value,
                          const char *expected)
{
    assert_made(text, part, value, vocabulary(MUTATE_ALL, false),
                (struct gen_known){ 0 }, is_dummy, expected);
}

static void an_array_of_ones_stands_in_for_what_made_an_array(void **state)
{
    (void)state;
    assert_stands("x = next(iter(loader))[0]\n", "next(iter(loader))[0]",
                  "*t.ones(8, 16)", "x = t.ones(8, 16)\n");
    assert_stands("f(nn.Linear(8, 16)(a).chunk(2)[0], 2)\n",
                  "nn.Linear(8, 16)(a).chunk(2)[0]", "*t.ones(8)",
                  "f(t.ones(8), 2)\n");
    assert_stands("return(stages[name](a)).T\n", "(stages[name](a))",
                  "*t.ones(8)", "return t.ones(8).T\n");
    assert_stands("x, y = make_batch(config, n)\n", "make_batch(config, n)",
                  "*(t.ones(8), 1)", "x, y = (t.ones(8), 1)\n");
    assert_stands("a = lambda x: model.head(head(x))[0]\n",
                  "model.head(head(x))[0]", "*t.ones(8, 16)",
                  "a = lambda x: t.ones(8, 16)\n");
    /* Little is saved, no value is needed, it is no expression. */
    assert_stands("x = t.randn(8, 16)\n", "t.randn(8, 16)", "*t.ones(8, 16)",
                  "");
    assert_stands("make(model.head)(abc)\n", "make(model.head)(abc)",
                  "*t.ones(8)", "");
    assert_stands("x = abc + head(a) + tail(a)\n", "head(a) + tail(a)",
                  "*t.ones(8)", "");
    assert_stands("x = model_head(abcdef)\n", "model_head(abcdef)", "=1", "");
    assert_stands("x = model_head(abcdef)\n", "model_head(abcdef)", "+", "");
    /* What it reckons with is there already. */
    assert_stands("x = f(a) * model.head(a).mean()\n",
                  "f(a) * model.head(a).mean()", "*t.ones(8)", "");
    assert_stands("x = -f(a, model.head, abc)\n", "-f(a, model.head, abc)",
                  "*t.ones(8)", "");
    assert_stands("x = model.head.weight.mean(a)\n",
                  "model.head.weight.mean(a)", "*t.ones(8)", "");
    /* And it is no value that is sure. */
    assert_becomes("x = model_head(abcdef)\n", "model_head(abcdef)",
                   "*t.ones(8)", "");
    assert_made("x = model_head(abcdef)\n", "model_head(abcdef)", "*t.ones(8)",
                vocabulary(MUTATE_INTS, false), (struct gen_known){ 0 },
                is_dummy, "");
}

static void
a_function_is_called_by_its_name_also_without_decorators(void **state)
{
    (void)state;
    assert_becomes("@known('f')\n"
                   "@other\n"
                   "def f(a): pass\n"
                   "def g():\n"
                   "    table['f'](1)\n",
                   "table['f']", "=f",
                   "@known('f')\n"
                   "@other\n"
                   "def f(a): pass\n"
                   "def g():\n"
                   "    f(1)\n"
                   "def f(a): pass\n"
                   "def g():\n"
                   "    f(1)\n");
    assert_becomes("class F: pass\nx = table['f']\n", "table['f']", "=F",
                   "class F: pass\nx = F\n");
    assert_becomes("@known\ndef f(): pass\nx = abc.d\n", "abc.d", "=len",
                   "@known\ndef f(): pass\nx = len\n");
}

static void brackets_are_put_where_the_literal_needs_them(void **state)
{
    (void)state;
    assert_becomes("x = size.real\n", "size", "=7", "x = (7).real\n");
    assert_becomes("x = size.real\n", "size", "=7.", "x = 7..real\n");
    assert_becomes("x = size.real\n", "size", "=-1", "x = (-1).real\n");
    assert_becomes("x = a.size ** 2\n", "a.size", "=-1", "x = (-1) ** 2\n");
    assert_becomes("x = 2 ** a.size\n", "a.size", "=-1", "x = 2 ** -1\n");
    assert_becomes("x = 3 - a.size\n", "a.size", "=-1", "x = 3 - -1\n");
    assert_becomes("x = a.size[0]\n", "a.size", "=(5,)", "x = (5,)[0]\n");
}

static void what_gets_longer_or_is_no_expression_is_not_offered(void **state)
{
    (void)state;
    assert_becomes("x = M\n", "M", "=256", "");
    assert_becomes("x = A\n", "A", "=7", "x = 7\n");
    assert_becomes("x = 7\n", "7", "=7", "");       /* a literal */
    assert_becomes("x = +1\n", "+1", "=1", "");     /* the same */
    assert_becomes("size = 3\n", "size", "=3", ""); /* a target */
    assert_becomes("f(size=3)\n", "size", "=3", "");
    assert_becomes("x = a.size\n", "size", "=3", "");
    assert_becomes("x = a + b + c\n", "b + c", "=3", ""); /* no node */
    assert_becomes("print(abc)\n", "print(abc)", "=None", "");
    assert_becomes("x = f(abc)\n", "f(abc)", "+", ""); /* came back */
}

static void a_variable_goes_with_all_that_is_assigned_to_it(void **state)
{
    (void)state;
    assert_becomes("def f(): g(num)\n"
                   "num = 0\n"
                   "for i in x:\n"
                   "    num += i * num\n",
                   "num", "=12345",
                   "def f(): g(12345)\n"
                   "for i in x:\n"
                   "    pass\n");
    assert_becomes("def f(): g(num.real)\n"
                   "num = 1; num += 6\n"
                   "h()\n",
                   "num", "=7",
                   "def f(): g((7).real)\n" /* alone: in the first place */
                   "num = 1; num += 6\n"
                   "h()\n"
                   "def f(): g((7).real)\n\n"
                   "h()\n");
    /* Another use, another way to get its value, or a longer text. */
    assert_becomes("def f(): g(num)\nnum = 0\nh(num)\n", "num", "=12345", "");
    assert_becomes("def f(): g(num)\nnum = 0\nnum, b = c\n", "num", "=12345",
                   "");
    assert_becomes("def f(): g(num)\nfor num in b: num = 1\n", "num", "=12345",
                   "");
    assert_becomes("def f(): g(num)\nnum=0\n", "num", "='123456789'", "");
}

/* The same for the target of a loop, and what is sure to go where the failure
 * comes by the statement at `frame`. */
static void assert_turns_into(const char *text, const char *part,
                              const char *turn, const char *frame,
                              const char *expected)
{
    uint32_t from = (uint32_t)(strstr(text, frame) - text);
    struct span at = { from, from + (uint32_t)strlen(frame) };

    assert_made(
        text, part, turn, EDIT_KIND_BIT(EDIT_unwrap),
        (struct gen_known){ .frames = &at, .nframes = 1, .turns = true },
        is_sure, expected);
}

static void a_loop_is_bound_to_the_turn_that_failed(void **state)
{
    (void)state;
    assert_turns_into("for name in sorted(xs):\n"
                      "    f(name)\n"
                      "    g()\n",
                      "name", "~'dx'", "f(name)",
                      "name = 'dx'\nf(name)\ng()\n");
    assert_turns_into("def f():\n"
                      "    for a, b in zip(x, y):\n"
                      "        if a: continue\n"
                      "        g(a, b)\n",
                      "a, b", "~[1]", "g(a, b)",
                      "def f():\n"
                      "    a, b = list(zip(x, y))[1]\n"
                      "    if a: pass\n"
                      "    g(a, b)\n");
    assert_turns_into("for x in a, b:\n    f(x)\n", "x", "~[1]", "f(x)",
                      "x = (a, b)[1]\nf(x)\n");
    assert_turns_into("for x, y in z:\n    f(x)\n", "x, y", "~(1, 'a')", "f(x)",
                      "x, y = (1, 'a')\nf(x)\n");
    /* One that was left by return, while the run failed elsewhere. */
    assert_turns_into("def f(a):\n"
                      "    for num in a:\n"
                      "        if num == 2: return num\n"
                      "g(f(y))\n",
                      "num", "~2", "g(f(y))", "");
    /* The first is no news, and a value alone is no turn. */
    assert_turns_into("for x in z:\n    f(x)\n", "x", "~[0]", "f(x)", "");
    assert_turns_into("for x in z:\n    f(x)\n", "x", "=5", "f(x)", "");
    assert_turns_into("for x in z:\n    f(x)\n", "z", "~5", "f(x)", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_read_in_order),
        cmocka_unit_test(what_is_no_list_of_values_is_refused),
        cmocka_unit_test(spans_follow_a_commit),
        cmocka_unit_test(a_value_takes_the_place_of_its_expression),
        cmocka_unit_test(an_array_of_ones_stands_in_for_what_made_an_array),
        cmocka_unit_test(
            a_function_is_called_by_its_name_also_without_decorators),
        cmocka_unit_test(brackets_are_put_where_the_literal_needs_them),
        cmocka_unit_test(what_gets_longer_or_is_no_expression_is_not_offered),
        cmocka_unit_test(a_variable_goes_with_all_that_is_assigned_to_it),
        cmocka_unit_test(a_loop_is_bound_to_the_turn_that_failed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
