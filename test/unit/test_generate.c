#include "test/unit/offers.h"
#include "test/unit/python_files.h"

/* What holds for all generators, on odd layouts of our own and on the files of
 * the standard library: an edit applied alone leaves a text that parses, which
 * may fail for one in fifty at most. */

#define FILES_MAX 60
#define FILE_BYTES_MAX 60000
#define EDITS_PER_FILE 150

struct shares {
    size_t good[EDIT_KINDS], all[EDIT_KINDS];
    size_t stride_of; /* 0: each edit, else about that many of a file */
};

static const char odd_layout[] =
    "#!/usr/bin/env python3\n"
    "'''Marks and joins.'''\n"
    "import os; import re as r\n"
    "W = 8; H = \\\n"
    "    4\n"
    "class Gr\xc3\xb6\xc3\x9f"
    "e: pass\n"
    "class M(Gr\xc3\xb6\xc3\x9f"
    "e): unit = \"x\"; k = 1.5   \n"
    "def area(a, b=W,\n"
    "         *,\n"
    "         deep = 1): return a * b \\\n"
    "    * deep\n"
    "def row(n, *rest, **more):\n"
    "  if n > 2: t = 'wide'; n -= 1\n"
    "  else: t = 'slim'\n"
    "  for _ in rest: n += 1; t += ','\n"
    "  while n > 9: n -= 3\n"
    "  return t \\\n"
    "       + ' ' + str(n), \\\n"
    "       (n if n % 2 else\n"
    "  -n)\n"
    "f = lambda *xs: (sum(xs)\n"
    "    if xs\n"
    "        else 0)\n"
    "def report(v) :\n"
    "\tform = ('%-6s' \"%4d\"   # two\n"
    "\t\t' %s')\n"
    "\tassert v, \\\n"
    "\t    'nothing'\n"
    "\tfor n, w in v : out = [form\n"
    "\t    % (n, w, M.unit)]; out.append(';')\n"
    "@staticmethod\n"
    "def none(): ...\n"
    "v = [('a', area(3)), ('b', area(a=2, b=H)),\n"
    "     ('c', f(1, 2) + f()),]; v += [row(4, 1, k=3),\n"
    "  ]\n"
    "if len(v) == 4: print(report(v[:-1]), end=''); e = 'd', r.X; v.pop()\n"
    "try: print(f'{report(v)!r:>{W}}')\n"
    "except KeyError: os.abort()\n"
    "finally: print('end'); del v\n"
    "match W, [H]:\n"
    "    case (1, [x, *y]) if x: pass\n"
    "    case M(unit=z) | None:\n"
    "\n"
    "        # why\n"
    "        pass\n"
    "async def g():\n"
    "    async with a as b, c: await b\n"
    "    return [i async for i in b if i]\n"
    "async def h(): z = {k: w for k, w in [('a', W)]}\n"
    "# no line end follows";

static void try_edit(struct shares *shares, const struct tree *tree,
                     const struct edits *edits, uint32_t i)
{
    struct patch patch;

    patch_init(&patch);
    if (!offers_patch(&patch, edits, i)) {
        struct tree *next = tree_patched(tree, &patch);
        shares->all[edits->items[i].kind]++;
        shares->good[edits->items[i].kind] +=
            tree_errors(next) <= tree_errors(tree);
        tree_free(next);
    }
    patch_deinit(&patch);
}

static void try_file(void *arg, const char *path, struct bytes text)
{
    struct shares *shares = arg;
    struct tree *tree = tree_parse(text);
    struct edits edits;
    size_t step = 1;

    (void)path;
    edits_init(&edits);
    generate_kinds(tree, NULL, 0, vocabulary(MUTATE_ALL, true), &edits);
    if (shares->stride_of > 0)
        step = edits.n / shares->stride_of + 1;
    for (size_t i = 0; i < edits.n; i += step)
        try_edit(shares, tree, &edits, (uint32_t)i);
    edits_deinit(&edits);
    generate_pumps(tree, NULL, 0, &edits);
    for (size_t i = 0; i < edits.n; i += step)
        try_edit(shares, tree, &edits, (uint32_t)i);
    edits_deinit(&edits);
    tree_free(tree);
}

static void assert_shares(const struct shares *shares)
{
    for (size_t k = 0; k < EDIT_KINDS; k++) {
        size_t all = shares->all[k], good = shares->good[k];

        if (all == 0)
            continue;
        print_message("%-12s %6zu of %6zu parse (%.2f %%)\n",
                      edit_kind_info((unsigned)k)->name, good, all,
                      100.0 * (double)good / (double)all);
        assert_true(100 * (all - good) <= 2 * all);
    }
}

static void edits_of_an_odd_layout_parse(void **state)
{
    struct shares shares = { .stride_of = 0 };

    (void)state;
    try_file(&shares, "", bytes_of(odd_layout, strlen(odd_layout)));
    assert_shares(&shares);
    assert_true(shares.all[EDIT_statement] > 40);
}

static void edits_of_the_standard_library_parse(void **state)
{
    struct shares shares = { .stride_of = EDITS_PER_FILE };

    (void)state;
    size_t n = python_files(FILES_MAX, FILE_BYTES_MAX, try_file, &shares);
    print_message("%zu files of the standard library\n", n);
    if (n == 0)
        skip();
    assert_shares(&shares);
}

static void the_same_text_gives_the_same_edits(void **state)
{
    struct tree *tree = tree_parse(bytes_of(odd_layout, strlen(odd_layout)));
    struct edits a, b;

    (void)state;
    edits_init(&a);
    edits_init(&b);
    generate(tree, NULL, 0, &a);
    generate(tree, NULL, 0, &b);
    assert_int_equal(a.n, b.n);
    assert_int_equal(a.nchanges, b.nchanges);
    for (size_t i = 0; i < a.n; i++) {
        assert_int_equal(a.items[i].kind, b.items[i].kind);
        assert_int_equal(a.items[i].parent, b.items[i].parent);
        assert_int_equal(a.items[i].cover.start, b.items[i].cover.start);
    }
    for (size_t i = 0; i < a.nchanges; i++) {
        assert_int_equal(a.changes[i].at.start, b.changes[i].at.start);
        assert_int_equal(a.changes[i].at.end, b.changes[i].at.end);
    }
    edits_deinit(&a);
    edits_deinit(&b);
    tree_free(tree);
}

static void parents_never_form_a_circle(void **state)
{
    struct tree *tree = tree_parse(bytes_of(odd_layout, strlen(odd_layout)));
    struct edits edits;

    (void)state;
    edits_init(&edits);
    generate_kinds(tree, NULL, 0, vocabulary(MUTATE_ALL, true), &edits);
    for (uint32_t i = 0; i < edits.n; i++) {
        size_t steps = 0;
        for (uint32_t up = i; up != EDIT_NONE; up = edits.items[up].parent)
            assert_true(steps++ <= edits.n);
    }
    edits_deinit(&edits);
    tree_free(tree);
}

static void nothing_frozen_is_touched(void **state)
{
    struct tree *tree = tree_parse(bytes_of(odd_layout, strlen(odd_layout)));

    (void)state;
    for (uint32_t at = 0; at + 40 < sizeof(odd_layout); at += 97) {
        struct span frozen = { at, at + 40 };
        struct edits edits;

        edits_init(&edits);
        generate_kinds(tree, &frozen, 1, vocabulary(MUTATE_ALL, true), &edits);
        for (uint32_t i = 0; i < edits.n; i++) {
            struct patch patch;
            patch_init(&patch);
            if (!offers_patch(&patch, &edits, i)) {
                for (size_t c = 0; c < patch.n; c++)
                    assert_false(span_overlaps(patch.changes[c].at, frozen));
            }
            patch_deinit(&patch);
        }
        for (uint32_t list = 0; list < edits.nlists; list++) {
            struct patch patch;
            patch_init(&patch);
            patch_add_run(&patch, &edits, list, 0, edits.lists[list].n);
            for (size_t c = 0; c < patch.n; c++)
                assert_false(span_overlaps(patch.changes[c].at, frozen));
            patch_deinit(&patch);
        }
        edits_deinit(&edits);
    }
    tree_free(tree);
}

/* Whether all edits that change the span have the flag, and no other one. */
static void assert_flagged(const char *text, struct span at)
{
    struct tree *tree = tree_parse(bytes_of(text, strlen(text)));
    struct edits edits;
    size_t flagged = 0;

    edits_init(&edits);
    generate_kinds(tree, NULL, 0, vocabulary(MUTATE_ALL, true), &edits);
    for (uint32_t i = 0; i < edits.n; i++) {
        const struct edit *edit = &edits.items[i];
        bool inside = false;

        for (uint32_t c = 0; c < edit->n; c++)
            inside |= span_overlaps(edits.changes[edit->first + c].at, at);
        assert_int_equal(edit->touches_import, inside);
        flagged += inside;
    }
    assert_true(flagged > 0);
    assert_true(flagged < edits.n);
    edits_deinit(&edits);
    tree_free(tree);
}

static void what_changes_the_environment_is_like_an_import(void **state)
{
    (void)state;
    assert_flagged("x = f(1)\nos.environ['A'] = 'long'\ny = g(x)\n",
                   (struct span){ 9, 33 });
    assert_flagged("x = f(1); os.putenv('A', B + C); y = g(x)\n",
                   (struct span){ 10, 31 });
}

/* Sizes that no quadratic step survives within a test's patience. */
static void long_lists_and_deep_nests_are_no_trouble(void **state)
{
    struct buf buf;
    struct edits edits;

    (void)state;
    buf_init(&buf, 1 << 24);
    buf_adds(&buf, "x = [");
    for (int i = 0; i < 10000; i++)
        buf_addf(&buf, "%d, ", i);
    buf_adds(&buf, "]\n");
    for (int i = 0; i < 5000; i++)
        buf_addf(&buf, "y%d = %d; ", i, i);
    buf_adds(&buf, "\n");
    for (int depth = 0; depth < 400; depth++)
        buf_addf(&buf, "%*sif a:\n", depth, "");
    buf_addf(&buf, "%*sb\n", 400, "");
    for (int i = 0; i < 500; i++)
        buf_addc(&buf, '(');
    buf_adds(&buf, "1");
    for (int i = 0; i < 500; i++)
        buf_addc(&buf, ')');
    buf_adds(&buf, "\n");
    struct tree *tree = tree_parse(buf_bytes(&buf));
    edits_init(&edits);
    generate_kinds(tree, NULL, 0, vocabulary(MUTATE_ALL, true), &edits);
    assert_true(edits.n > 15000);
    edits_deinit(&edits);
    tree_free(tree);
    buf_deinit(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_of_an_odd_layout_parse),
        cmocka_unit_test(edits_of_the_standard_library_parse),
        cmocka_unit_test(the_same_text_gives_the_same_edits),
        cmocka_unit_test(parents_never_form_a_circle),
        cmocka_unit_test(nothing_frozen_is_touched),
        cmocka_unit_test(what_changes_the_environment_is_like_an_import),
        cmocka_unit_test(long_lists_and_deep_nests_are_no_trouble),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
