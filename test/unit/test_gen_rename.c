/* Short names: each alone, and all at once. */
#include "test/unit/offers.h"

static void a_name_is_shortened_wherever_it_stands(void **state)
{
    (void)state;
    assert_offers("rows = 3\n"
                  "def run(size):\n"
                  "    return [rows for col in size]\n"
                  "run(rows)\n",
                  EDIT_rename,
                  "rows = 3\n"
                  "def run(size):\n"
                  "    return [rows for a in size]\n"
                  "run(rows)\n"
                  "|\n"
                  "b = 3\n"
                  "def run(size):\n"
                  "    return [b for col in size]\n"
                  "run(b)\n"
                  "|\n"
                  "rows = 3\n"
                  "def c(size):\n"
                  "    return [rows for col in size]\n"
                  "c(rows)\n"
                  "|\n"
                  "rows = 3\n"
                  "def run(d):\n"
                  "    return [rows for col in d]\n"
                  "run(rows)\n"
                  "|\n");
}

static void all_names_go_at_once(void **state)
{
    (void)state;
    assert_whole("import torch as th\n"
                 "a = top = 1\n"
                 "global low\n"
                 "with open(top) as low:\n"
                 "    (lambda arg: th.f(arg, f'{low}'))\n",
                 EDIT_rename, 0,
                 "import torch as d\n"
                 "a = e = 1\n"
                 "global c\n"
                 "with open(e) as c:\n"
                 "    (lambda b: d.f(b, f'{c}'))\n"
                 "|\n");
}

static void what_may_be_looked_up_by_its_name_stays(void **state)
{
    (void)state;
    assert_offers("import torch, os.path\n"
                  "from math import floor\n"
                  "class Kept:\n"
                  "    inner = 1\n"
                  "    def __init__(self, size): self.field = size\n"
                  "field = word = 'a word, Kept'\n"
                  "print(torch, os, floor, f(size=word), self, __name__)\n",
                  EDIT_rename, "");
    assert_offers("long = 1\n"
                  "print(globals()['lo' + 'ng'])\n",
                  EDIT_rename, "");
}

static void a_new_name_is_nobodys(void **state)
{
    (void)state;
    assert_offers("a = b.c\n"
                  "long = f(d=e)\n",
                  EDIT_rename,
                  "a = b.c\n"
                  "g = f(d=e)\n"
                  "|\n");
}

static void captures_of_match_are_names_and_classes_are_not(void **state)
{
    (void)state;
    assert_offers("match x:\n"
                  "    case Point(xx=left) | [left, *rest]: left, rest\n",
                  EDIT_rename,
                  "match x:\n"
                  "    case Point(xx=a) | [a, *rest]: a, rest\n"
                  "|\n"
                  "match x:\n"
                  "    case Point(xx=left) | [left, *b]: left, b\n"
                  "|\n");
}

static void frozen_names_stay(void **state)
{
    static const struct span frozen = { 0, 9 };
    char *got = offers_of("long = 1\nother = long\n", EDIT_rename, &frozen);

    (void)state;
    assert_string_equal(got, "long = 1\na = long\n|\n");
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_shortened_wherever_it_stands),
        cmocka_unit_test(all_names_go_at_once),
        cmocka_unit_test(what_may_be_looked_up_by_its_name_stays),
        cmocka_unit_test(a_new_name_is_nobodys),
        cmocka_unit_test(captures_of_match_are_names_and_classes_are_not),
        cmocka_unit_test(frozen_names_stay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
