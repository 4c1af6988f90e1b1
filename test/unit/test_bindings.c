#include "test/test.h"

#include <string.h>

#include "grammar/bindings.h"

/* The span of the nth place (1, 2, ...) of `part` in the text. */
static struct span span_of(const char *text, const char *part, int nth)
{
    const char *at = text - 1;

    while (nth-- > 0) {
        at = strstr(at + 1, part);
        assert_non_null(at);
    }
    return (struct span){ (uint32_t)(at - text),
                          (uint32_t)(at - text + (long)strlen(part)) };
}

struct cut {
    struct edits edits;
    struct patch patch;
};

/* A patch that puts `replacement` in the place of each part. */
static void cut_init(struct cut *cut, const char *text, const char *const *part,
                     const char *replacement)
{
    edits_init(&cut->edits);
    patch_init(&cut->patch);
    for (; *part; part++) {
        uint32_t edit;

        edits_begin(&cut->edits, 0, span_of(text, *part, 1));
        edits_change(&cut->edits, span_of(text, *part, 1), replacement,
                     strlen(replacement));
        edit = edits_end(&cut->edits);
        assert_int_equal(patch_add_edit(&cut->patch, &cut->edits, edit), 0);
    }
}

static void cut_deinit(struct cut *cut)
{
    patch_deinit(&cut->patch);
    edits_deinit(&cut->edits);
}

static bool lost(const char *text, const char *const *part,
                 const char *replacement)
{
    struct tree *tree = tree_parse(bytes_of(text, strlen(text)));
    struct bindings *bindings = bindings_new(tree);
    struct cut cut;
    bool answer;

    cut_init(&cut, text, part, replacement);
    answer = bindings_lost(bindings, &cut.patch);
    assert_true(bindings_lost(bindings, &cut.patch) == answer); /* again */
    cut_deinit(&cut);
    bindings_free(bindings);
    tree_free(tree);
    return answer;
}

#define PARTS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void a_used_name_loses_its_definition(void **state)
{
    const char *text = "import math\n"
                       "a = 1\n"
                       "b = 2\n"
                       "print(a, math.pi)\n";

    (void)state;
    assert_true(lost(text, PARTS("a = 1\n"), ""));
    assert_true(lost(text, PARTS("import math\n"), ""));
    assert_false(lost(text, PARTS("b = 2\n"), ""));
    assert_false(lost(text, PARTS("a = 1\n", "print(a, math.pi)\n"), ""));
    assert_false(lost(text, PARTS("print(a, math.pi)\n"), ""));
}

static void another_definition_is_enough(void **state)
{
    (void)state;
    assert_false(lost("a = 1\na = 2\nprint(a)\n", PARTS("a = 1\n"), ""));
    assert_true(lost("a = 1\na = 2\nprint(a)\n", PARTS("a = 1\na = 2\n"), ""));
}

static void scopes_have_names_of_their_own(void **state)
{
    const char *text = "def f(a):\n"
                       "    return a\n"
                       "a = 1\n"
                       "f(2)\n";

    (void)state;
    assert_false(lost(text, PARTS("a = 1\n"), ""));
    assert_true(lost(text, PARTS("(a)"), "()"));
}

static void members_are_needed_by_attributes(void **state)
{
    const char *text = "class A:\n"
                       "    n: int = 1\n"
                       "    m = 2\n"
                       "    def f(self):\n"
                       "        self.k = 3\n"
                       "A(n=2).f().k\n";

    (void)state;
    assert_true(lost(text, PARTS("    n: int = 1\n"), ""));
    assert_false(lost(text, PARTS("    m = 2\n"), ""));
    assert_true(lost(text, PARTS("self.k = 3"), "pass"));
    assert_true(
        lost(text, PARTS("    def f(self):\n        self.k = 3\n"), ""));
    assert_false(lost(text, PARTS("A(n=2).f().k\n"), ""));
}

static void options_are_needed_by_attributes(void **state)
{
    const char *text = "p = P()\n"
                       "p.add_argument('--block-m', type=int)\n"
                       "p.add_argument('--unused')\n"
                       "print(p.parse_args().block_m)\n";

    (void)state;
    assert_true(
        lost(text, PARTS("p.add_argument('--block-m', type=int)\n"), ""));
    assert_false(lost(text, PARTS("p.add_argument('--unused')\n"), ""));
}

static void a_replacement_may_bind_the_name_again(void **state)
{
    const char *text = "for x in y:\n"
                       "    print(x)\n";

    (void)state;
    assert_true(lost(text, PARTS("for x in y:"), "if 1:"));
    assert_false(lost(text, PARTS("for x in y:"), "if x := y[0]:"));
}

static void it_follows_commits(void **state)
{
    const char *text = "a = 1\n"
                       "b = a\n"
                       "print(2)\n";
    struct tree *tree = tree_parse(bytes_of(text, strlen(text)));
    struct bindings *bindings = bindings_new(tree);
    const char *after = "a = 1\nprint(2)\n";
    struct cut commit, cut;

    (void)state;
    cut_init(&cut, text, PARTS("a = 1\n"), "");
    assert_true(bindings_lost(bindings, &cut.patch));
    cut_deinit(&cut);
    cut_init(&commit, text, PARTS("b = a\n"), "");
    bindings_rebase(bindings, &commit.patch);
    cut_deinit(&commit);
    cut_init(&cut, after, PARTS("a = 1\n"), "");
    assert_false(bindings_lost(bindings, &cut.patch));
    cut_deinit(&cut);
    bindings_free(bindings);
    tree_free(tree);
}

static void odd_texts_have_no_names(void **state)
{
    (void)state;
    assert_false(lost("x", PARTS("x"), ""));
    assert_false(lost("p.add_argument()\n", PARTS("p"), "q"));
    assert_false(lost("def (:\n", PARTS("def"), ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_used_name_loses_its_definition),
        cmocka_unit_test(another_definition_is_enough),
        cmocka_unit_test(scopes_have_names_of_their_own),
        cmocka_unit_test(members_are_needed_by_attributes),
        cmocka_unit_test(options_are_needed_by_attributes),
        cmocka_unit_test(a_replacement_may_bind_the_name_again),
        cmocka_unit_test(it_follows_commits),
        cmocka_unit_test(odd_texts_have_no_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
