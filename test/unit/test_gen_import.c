#include "test/unit/offers.h"

static void one_name_of_many_goes(void **state)
{
    (void)state;
    assert_offers("import a, b.c as d\na, d\n", EDIT_import,
                  "import b.c as d\n|\n"
                  "import a\n|\n"
                  "import b.c as d\na, d\n|\n"
                  "import a\na, d\n|\n");
    assert_offers("from m import (\n    a,\n    b,\n)\n", EDIT_import,
                  "\n|\n"
                  "from m import (\n    b,\n)\n|\n"
                  "from m import (\n    a\n)\n|\n");
}

static void an_import_goes_with_the_statements_that_use_it(void **state)
{
    (void)state;
    assert_offers("import a.b\nx = 1\nif x: a.b.c()\nelse: x\n", EDIT_import,
                  "x = 1\nif x: pass\nelse: x\n|\n");
}

static void unused_imports_go_at_once(void **state)
{
    (void)state;
    assert_whole("import a\nfrom b import c\nimport d\nd\n", EDIT_import, 0,
                 "import d\nd\n|\n");
    assert_offers("from m import *\nx\n", EDIT_import, "");
}

static void imports_are_marked(void **state)
{
    struct tree *tree = tree_parse(bytes_of("import a\nif a: import b\n", 24));
    struct edits edits;

    (void)state;
    edits_init(&edits);
    generate(tree, NULL, 0, &edits);
    for (size_t i = 0; i < edits.n; i++)
        if (edits.items[i].kind == EDIT_import ||
            edits.items[i].kind == EDIT_statement)
            assert_true(edits.items[i].touches_import);
    assert_true(edits.n > 2);
    edits_deinit(&edits);
    tree_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_name_of_many_goes),
        cmocka_unit_test(an_import_goes_with_the_statements_that_use_it),
        cmocka_unit_test(unused_imports_go_at_once),
        cmocka_unit_test(imports_are_marked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
