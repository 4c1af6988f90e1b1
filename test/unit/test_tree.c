#include "test/test.h"

#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "grammar/node.h"
#include "grammar/tree.h"
#include "test/unit/python_files.h"
#include "test/unit/same_tree.h"

static struct tree *parse(const char *text)
{
    return tree_parse(bytes_of(text, strlen(text)));
}

static unsigned chance(unsigned *state, unsigned below)
{
    *state = *state * 1103515245u + 12345u;
    return (*state >> 8) % below;
}

/* Delete whole statements here and there: what the search does. */
static void delete_some(const struct tree *tree, unsigned *seed,
                        struct edits *edits, struct patch *patch)
{
    const struct nodes *ns = tree_nodes(tree);

    for (unsigned i = 0; i < 1 + chance(seed, 4); i++) {
        uint32_t node = chance(seed, ns->n);
        node = node_statement(ns, node);
        if (node == NODE_NONE)
            continue;
        edits_begin(edits, 0, node_span(ns, node));
        edits_change(edits, node_span(ns, node), "pass",
                     chance(seed, 2) ? 4 : 0);
        uint32_t edit = edits_end(edits);
        if (edit != EDIT_NONE)
            patch_add_edit(patch, edits, edit);
    }
}

static void check_incremental(void *arg, const char *path, struct bytes text)
{
    struct tree *tree = tree_parse(text);
    unsigned seed = (unsigned)text.len;

    (void)arg;
    (void)path;
    for (int step = 0; step < 12; step++) {
        struct edits edits;
        struct patch patch;

        edits_init(&edits);
        patch_init(&patch);
        delete_some(tree, &seed, &edits, &patch);
        struct tree *next = tree_patched(tree, &patch);
        struct tree *fresh = tree_parse(tree_text(next));
        /* Error recovery may differ; what the search keeps has no error. */
        if (tree_errors(fresh) == 0 && tree_errors(tree) == 0)
            assert_same_tree(next, fresh);
        assert_int_equal(tree_errors(next) > 0, tree_errors(fresh) > 0);
        tree_free(fresh);
        tree_free(tree);
        tree = next;
        patch_deinit(&patch);
        edits_deinit(&edits);
    }
    tree_free(tree);
}

static void an_incremental_parse_equals_one_from_scratch(void **state)
{
    static const char text[] = "#!/usr/bin/env python3\n"
                               "import sys; import os\n"
                               "class A(B):\n"
                               "    def f(self, *a, **k):\n"
                               "\tif a: return 1; x = 2\n"
                               "        elif k:\n"
                               "            s = \"\"\"one\n"
                               "two\"\"\"\n"
                               "        return f\"{a!r:>{k}}\" \\\n"
                               "            + s\n"
                               "\n"
                               "    @property\n"
                               "    async def g(self): ...\n"
                               "match sys.argv:\n"
                               "    case [_, *rest] if rest: print(rest)\n"
                               "    case _: pass\n"
                               "try: A()\n"
                               "except* (E, F) as e: pass\n"
                               "finally: print('end')\n"
                               "x: int = [i for i in range(3)]  # last";

    (void)state;
    check_incremental(NULL, "", bytes_of(text, strlen(text)));
    size_t n = python_files(60, 200000, check_incremental, NULL);
    print_message("%zu files of the standard library\n", n);
}

static void the_nodes_cover_the_text_in_order(void **state)
{
    struct tree *tree = parse("def f(a, b=1):\n    return a + b\nf(1)\n");
    const struct nodes *ns = tree_nodes(tree);

    (void)state;
    assert_int_equal(node_kind(ns, 0), NODE_MODULE);
    assert_int_equal(ns->at[0].at.end, tree_text(tree).len);
    for (uint32_t i = 1; i < ns->n; i++) {
        assert_true(ns->at[i].parent < i);
        assert_true(node_holds(ns, ns->at[i].parent, i));
        assert_true(ns->at[i].past <= ns->at[ns->at[i].parent].past);
        assert_true(ns->at[i - 1].at.start <= ns->at[i].at.start);
    }
    uint32_t def = node_at(ns, 0, NODE_FUNCTION);
    assert_true(node_text_is(ns, node_field(ns, def, FIELD_name), "f"));
    uint32_t name = node_at(ns, 26, NODE_IDENTIFIER);
    assert_true(node_text_is(ns, name, "a"));
    assert_int_equal(node_function(ns, name), def);
    assert_int_equal(node_kind(ns, node_statement(ns, name)), NODE_RETURN);
    tree_free(tree);
}

static void errors_are_counted_and_placed(void **state)
{
    struct tree *good = parse("x = 1\n");
    struct tree *bad = parse("x = 1\ny = (2\nz = 3\n");
    size_t line, column;

    (void)state;
    assert_int_equal(tree_errors(good), 0);
    assert_true(tree_errors(bad) > 0);
    tree_first_error(bad, &line, &column);
    assert_in_range(line, 2, 4);
    assert_in_range(column, 1, 7);
    tree_free(good);
    tree_free(bad);
}

static void odd_bytes_stay_where_they_are(void **state)
{
    static const char bom[] = "\xef\xbb\xbfx = 1\r\nif x:\r\n\ty = 2\r\n";
    static const char latin[] = "gr\xf6\xdf"
                                "e = 'm\xe4'\nprint(gr\xf6\xdf"
                                "e)\n";
    static const char nul[] = "x = 1\n\0\ny = 2\n";
    static const char feed[] = "x = 1\n\f\ny = 2\n";

    (void)state;
    struct tree *tree = parse(bom);
    assert_int_equal(tree_errors(tree), 0);
    assert_int_equal(tree_bom(tree), 3);
    assert_int_equal(node_span(tree_nodes(tree), 1).start, 3);
    tree_free(tree);
    tree = parse(latin);
    assert_int_equal(tree_errors(tree), 0);
    assert_int_equal(tree_bom(tree), 0);
    assert_true(node_text_is(tree_nodes(tree),
                             node_at(tree_nodes(tree), 0, NODE_IDENTIFIER),
                             "gr\xf6\xdf"
                             "e"));
    tree_free(tree);
    tree = tree_parse(bytes_of(nul, sizeof(nul) - 1));
    assert_int_equal(tree_text(tree).len, sizeof(nul) - 1);
    tree_free(tree);
    tree = parse(feed);
    assert_int_equal(tree_errors(tree), 0);
    tree_free(tree);
    tree = tree_parse(bytes_of(NULL, 0));
    assert_int_equal(tree_errors(tree), 0);
    assert_int_equal(tree_nodes(tree)->n, 1);
    tree_free(tree);
}

static void a_text_that_turns_to_utf8_is_read_as_such(void **state)
{
    static const char text[] = "a = '\xe4'\nb = '\xc3\xa4'\n";
    struct tree *base = parse(text);
    struct edits edits;
    struct patch patch;

    (void)state;
    edits_init(&edits);
    patch_init(&patch);
    edits_begin(&edits, 0, (struct span){ 0, 8 });
    edits_delete(&edits, (struct span){ 0, 8 });
    patch_add_edit(&patch, &edits, edits_end(&edits));
    struct tree *next = tree_patched(base, &patch);
    struct tree *fresh = parse("b = '\xc3\xa4'\n");
    assert_same_tree(next, fresh);
    tree_free(base);
    tree_free(next);
    tree_free(fresh);
    patch_deinit(&patch);
    edits_deinit(&edits);
}

/* n times `open`, "1", n times `close`. */
static char *nested(const char *open, const char *close, size_t n)
{
    char *text = xcalloc(n * (strlen(open) + strlen(close)) + 8, 1);
    size_t at = 0;

    for (size_t i = 0; i < n; i++, at += strlen(open))
        memcpy(text + at, open, strlen(open));
    text[at++] = '1';
    for (size_t i = 0; i < n; i++, at += strlen(close))
        memcpy(text + at, close, strlen(close));
    text[at] = '\n';
    return text;
}

static void deep_and_long_texts_cost_no_stack(void **state)
{
    char *parens = nested("(", ")", 500);
    char *deeper = nested("[", "]", 20000);
    char *line = xcalloc((1 << 20) + 2, 1);

    (void)state;
    struct tree *tree = parse(parens);
    assert_int_equal(tree_errors(tree), 0);
    tree_free(tree);
    tree = parse(deeper);
    assert_true(tree_nodes(tree)->n > 20000);
    tree_free(tree);
    for (size_t i = 0; i + 10 < 1 << 20; i += 10)
        memcpy(line + i, "abcd = 1; ", 10);
    tree = parse(line);
    assert_int_equal(tree_errors(tree), 0);
    tree_free(tree);
    free(parens);
    free(deeper);
    free(line);
}

struct collected {
    char text[512];
};

static void collect(void *arg, const char *name)
{
    struct collected *c = arg;
    size_t len = strlen(c->text);

    snprintf(c->text + len, sizeof(c->text) - len, "%s ", name);
}

static void collect_env(void *arg, const char *name, const char *value)
{
    struct collected *c = arg;
    size_t len = strlen(c->text);

    snprintf(c->text + len, sizeof(c->text) - len, "%s=%s ", name, value);
}

static void imports_are_listed_once_and_absolute(void **state)
{
    struct collected got = { "" };
    struct tree *tree = parse("from __future__ import annotations\n"
                              "import os, tilelang.language as T\n"
                              "from torch.nn import functional\n"
                              "from . import x\n"
                              "from .y import z\n"
                              "def f():\n"
                              "    import os, numpy\n");

    (void)state;
    tree_imports(tree, collect, &got);
    assert_string_equal(got.text, "os tilelang.language torch.nn numpy ");
    tree_free(tree);
}

static void early_settings_stand_above_the_last_import(void **state)
{
    struct collected got = { "" };
    struct tree *tree = parse("import os, sys\n"
                              "import time\n"
                              "from os import environ\n"
                              "os.environ['A'] = '1'\n"
                              "os.environ.setdefault(\"B\", \"two\")\n"
                              "environ['C'] = ''\n"
                              "os.environ['D'] = str(4)\n"
                              "os.environ['E'] = f'{5}'\n"
                              "os.environ['F'] = 'a\\n'\n"
                              "os.environ[g] = 'x'\n"
                              "if sys.argv: os.environ['H'] = '1'\n"
                              "import torch\n"
                              "os.environ['I'] = '1'\n");

    (void)state;
    tree_early_env(tree, collect_env, &got);
    assert_string_equal(got.text, "A=1 B=two C= ");
    tree_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_incremental_parse_equals_one_from_scratch),
        cmocka_unit_test(the_nodes_cover_the_text_in_order),
        cmocka_unit_test(errors_are_counted_and_placed),
        cmocka_unit_test(odd_bytes_stay_where_they_are),
        cmocka_unit_test(a_text_that_turns_to_utf8_is_read_as_such),
        cmocka_unit_test(deep_and_long_texts_cost_no_stack),
        cmocka_unit_test(imports_are_listed_once_and_absolute),
        cmocka_unit_test(early_settings_stand_above_the_last_import),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
