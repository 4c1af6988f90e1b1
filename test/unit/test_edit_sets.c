#include "test/unit/offers.h"
#include "test/unit/python_files.h"
#include "test/unit/same_tree.h"

/* The vocabulary as the search uses it: random unions of edits are applied,
 * given up or kept, and all edits are moved along with what is kept. Whatever
 * came before, the tree is that of its text, read from scratch. */

#define FILES_MAX 24
#define FILE_BYTES_MAX 40000
#define ROUNDS 3
#define STEPS 8
#define SET_MAX 12

struct walk {
    unsigned seed;
    struct tree *tree;
    struct edits edits;
    size_t broken, good;
};

static unsigned chance(struct walk *walk, size_t below)
{
    walk->seed = walk->seed * 1103515245u + 12345u;
    return (walk->seed >> 8) % (unsigned)below;
}

/* The edits of a random set that go together. */
static void choose(struct walk *walk, struct patch *patch)
{
    size_t most = 1 + chance(walk, SET_MAX);

    for (size_t i = 0; i < most; i++) {
        uint32_t edit = chance(walk, walk->edits.n);

        if (chance(walk, 8) > 0 || walk->edits.nlists == 0)
            offers_patch(patch, &walk->edits, edit);
        else
            patch_add_run(patch, &walk->edits, chance(walk, walk->edits.nlists),
                          0, 1 + chance(walk, 4));
    }
}

static void assert_read_from_scratch(const struct tree *tree)
{
    struct tree *fresh = tree_parse(tree_text(tree));

    /* recovery from errors may differ */
    assert_int_equal(tree_errors(tree) > 0, tree_errors(fresh) > 0);
    if (tree_errors(fresh) == 0)
        assert_same_tree(tree, fresh);
    tree_free(fresh);
}

/* Apply a set; keep it when it parses, as the search does with a yes, or give
 * it up: then nothing of it may be left in the base. */
static void step(struct walk *walk)
{
    struct patch patch;
    struct tree *next;
    struct buf text;

    patch_init(&patch);
    buf_init(&text, 1 << 24);
    choose(walk, &patch);
    next = tree_patched(walk->tree, &patch);
    patch_apply(&patch, tree_text(walk->tree), &text);
    assert_int_equal(text.len, tree_text(next).len);
    assert_memory_equal(buf_str(&text), tree_text(next).data, text.len);
    if (tree_errors(next) == 0)
        assert_read_from_scratch(next);
    walk->broken += tree_errors(next) > 0;
    walk->good += tree_errors(next) == 0;
    if (tree_errors(next) == 0 && chance(walk, 3) > 0) {
        edits_rebase(&walk->edits, &patch);
        tree_free(walk->tree);
        walk->tree = next;
    } else {
        tree_free(next);
        assert_read_from_scratch(walk->tree);
    }
    buf_deinit(&text);
    patch_deinit(&patch);
}

static void walk_file(void *arg, const char *path, struct bytes text)
{
    struct walk *walk = arg;

    (void)path;
    walk->seed = (unsigned)text.len;
    walk->tree = tree_parse(text);
    for (int round = 0; round < ROUNDS && tree_errors(walk->tree) == 0;
         round++) {
        edits_init(&walk->edits);
        generate_kinds(walk->tree, NULL, 0, vocabulary(MUTATE_ALL, true),
                       &walk->edits);
        for (int i = 0; i < STEPS && walk->edits.n > 0; i++)
            step(walk);
        edits_deinit(&walk->edits);
    }
    tree_free(walk->tree);
}

static void random_sets_leave_the_tree_of_their_text(void **state)
{
    struct walk walk = { 0 };

    (void)state;
    if (python_files(FILES_MAX, FILE_BYTES_MAX, walk_file, &walk) == 0)
        skip();
    print_message("%zu sets parse, %zu do not\n", walk.good, walk.broken);
    assert_true(walk.good > 100);
    /* single edits seldom break a text, and so do sets of them */
    assert_true(20 * walk.broken <= walk.good);
}

/* Until nothing is left that saves a byte: ends, and never breaks. */
static void taking_edit_after_edit_comes_to_an_end(void **state)
{
    static const char text[] = "import os, sys\n"
                               "class A(object):\n"
                               "    '''doc'''\n"
                               "    size: int = 64\n"
                               "    def f(self, n=2, *rest):\n"
                               "        rows = []\n"
                               "        rows.append(f'{n} of {self.size}')\n"
                               "        for i, x in enumerate(rest):\n"
                               "            if i % 2 == 0: continue\n"
                               "            rows += [x for x in x if x]\n"
                               "        return rows if rows else None\n"
                               "first, *others = A().f(1, [2], (3, 4))\n"
                               "with open(first) as out:\n"
                               "    print(others, file=out)\n";
    struct tree *tree = tree_parse(bytes_of(text, strlen(text)));
    size_t steps = 0;
    bool any = true;

    (void)state;
    while (any) {
        struct edits edits;

        any = false;
        edits_init(&edits);
        generate(tree, NULL, 0, &edits);
        for (uint32_t i = 0; i < edits.n && !any; i++) {
            struct patch patch;

            patch_init(&patch);
            if (offers_patch(&patch, &edits, i) == 0) {
                struct tree *next = tree_patched(tree, &patch);

                any = tree_errors(next) == 0 &&
                      tree_text(next).len < tree_text(tree).len;
                if (any) {
                    tree_free(tree);
                    tree = next;
                    steps++;
                } else {
                    tree_free(next);
                }
            }
            patch_deinit(&patch);
        }
        edits_deinit(&edits);
        assert_true(steps < sizeof(text));
    }
    assert_int_equal(tree_text(tree).len, 0);
    tree_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_sets_leave_the_tree_of_their_text),
        cmocka_unit_test(taking_edit_after_edit_comes_to_an_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
