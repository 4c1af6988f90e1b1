#include "test/unit/offers.h"

static void each_statement_of_a_body_goes(void **state)
{
    (void)state;
    assert_offers("a\nb\n\n# c\nd", EDIT_statement,
                  "b\n\n# c\nd|\n"
                  "a\nd|\n"
                  "a\nb|\n");
    assert_whole("a\nb\n", EDIT_statement, 0, "\n|\n");
    assert_whole("if a:\n    bc\n    d\n", EDIT_statement, 1,
                 "if a:\n    pass\n|\n");
}

static void semicolons_leave_a_legal_line(void **state)
{
    (void)state;
    assert_offers("a; b; c\nd\n", EDIT_statement,
                  "b; c\nd\n|\n"
                  "a; c\nd\n|\n"
                  "a; b\nd\n|\n"
                  "a; b; c\n|\n");
    assert_offers("a; b;\nif x: c; d;\n", EDIT_statement,
                  "b;\nif x: c; d;\n|\n"
                  "a\nif x: c; d;\n|\n"
                  "a; b;\n|\n"
                  "a; b;\nif x: d;\n|\n"
                  "a; b;\nif x: c\n|\n");
    assert_offers("a; \\\n  b\n", EDIT_statement, "b\n|\na\n|\n");
}

static void decorated_definitions_are_one_unit(void **state)
{
    (void)state;
    assert_offers("@d\n@e(\n 1)\ndef f(): pass\nx = (1,\n 2)\n", EDIT_statement,
                  "x = (1,\n 2)\n|\n"
                  "@d\n@e(\n 1)\ndef f(): pass\n|\n");
}

static void clauses_go_and_a_try_keeps_one(void **state)
{
    (void)state;
    assert_offers("if a: b\nelif c: d\nelse: e\n", EDIT_statement,
                  "\n|\n"
                  "if a: b\nelse: e\n|\n"
                  "if a: b\nelif c: d\n|\n");
    assert_offers("try: b\nexcept E: d\nfinally: e\n", EDIT_statement,
                  "\n|\n"
                  "try: b\nfinally: e\n|\n"
                  "try: b\nexcept E: d\n|\n");
    assert_offers("try: b\nfinally: e\n", EDIT_statement, "\n|\n");
    assert_offers("match a:\n  case 1: b\n  case 2: c\n", EDIT_statement,
                  "\n|\n"
                  "match a:\n  case 2: c\n|\n"
                  "match a:\n  case 1: b\n|\n");
    assert_offers("while a:\n    x = 0\nelse:\n    y = 0\n", EDIT_statement,
                  "\n|\n"
                  "while a:\n    pass\nelse:\n    y = 0\n|\n"
                  "while a:\n    x = 0\nelse:\n    pass\n|\n"
                  "while a:\n    x = 0\n|\n");
}

static void crlf_and_tabs_stay(void **state)
{
    (void)state;
    assert_offers("if a:\r\n\tbcdef\r\n\tg\r\n", EDIT_statement,
                  "\r\n|\n"
                  "if a:\r\n\tg\r\n|\n"
                  "if a:\r\n\tbcdef\r\n|\n");
}

static void frozen_statements_stay_and_split_the_list(void **state)
{
    struct span frozen = { 2, 3 };

    (void)state;
    char *got = offers_of("a\nb\nc\nd\n", EDIT_statement, &frozen);
    assert_string_equal(got, "b\nc\nd\n|\na\nb\nd\n|\na\nb\nc\n|\n");
    free(got);
}

/* The unit that deletes the statement at this byte. */
static struct edit unit_deleting(const char *text, uint32_t start)
{
    struct tree *tree = tree_parse(bytes_of(text, strlen(text)));
    struct edit found = { .dead = true };
    struct edits edits;

    edits_init(&edits);
    generate(tree, NULL, 0, &edits);
    for (uint32_t i = 0; i < edits.n; i++)
        if (edits.items[i].kind == EDIT_statement &&
            edits.changes[edits.items[i].first].at.start == start)
            found = edits.items[i];
    edits_deinit(&edits);
    tree_free(tree);
    return found;
}

static void a_definition_that_lost_its_uses_is_offered_anew(void **state)
{
    struct edit used = unit_deleting("class Gc:\n    pass\nf(Gc)\n", 0);
    struct edit unused = unit_deleting("class Gc:\n    pass\nf()\n", 0);
    struct edit method = unit_deleting("class C:\n    def m(self): pass\n"
                                       "    x = 1\nC().m()\n",
                                       13);

    (void)state;
    assert_false(used.dead || unused.dead || method.dead);
    assert_int_equal(used.cover.start, 0);
    assert_int_equal(unused.cover.start, 5);
    assert_int_equal(unused.parent, EDIT_NONE);
    assert_int_equal(method.cover.start, 13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_statement_of_a_body_goes),
        cmocka_unit_test(semicolons_leave_a_legal_line),
        cmocka_unit_test(decorated_definitions_are_one_unit),
        cmocka_unit_test(clauses_go_and_a_try_keeps_one),
        cmocka_unit_test(crlf_and_tabs_stay),
        cmocka_unit_test(frozen_statements_stay_and_split_the_list),
        cmocka_unit_test(a_definition_that_lost_its_uses_is_offered_anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
