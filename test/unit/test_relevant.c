/* Where the quick answer says that a patch touches nothing of what the guard
 * looks at, the full one is that for the text before. RELEVANT_SEEDS: texts of
 * each script, for a longer look. */
#include "test/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/buf.h"
#include "config/mem.h"
#include "grammar/generator.h"
#include "grammar/guard.h"
#include "grammar/node.h"
#include "grammar/relevant.h"
#include "minimizer/search/blocks.h"

#define ROUNDS 12 /* texts made from each script, one from another */
#define TRIES 120 /* patches of each of them */

/* What stands around, before and between the statements of a script: most of it
 * has nothing to do with the test, some says the same names. */
static const char *const fillers[] = {
    "u1 = call(3)\n",
    "u2 = u1 + x\n",
    "def helper(a, x=1):\n    b = a + x\n    if b:\n        return b\n"
    "    note(b)\n    return a\n",
    "if u1:\n    u3 = call(u1)\nelif u2:\n    u3 = [u1, 2]\nelse:\n    u3 = "
    "0\n",
    "for i in range(3):\n    note(i, u1)\n    if i > 1:\n        break\n",
    "class Other:\n    def run(self, got):\n        self.q = got\n"
    "        return self.q\n",
    "u4 = helper(u1)\n",
    "note(out, u4)\n",
    "note(u4)\n",
    "u5 = other.copy\nu5.zero_()\n",
    "u6 = got\n",
    "def late(p):\n    p[0] = 1\n    def inner():\n        return p\n"
    "    return inner\n",
    "late(u1)\n",
    "try:\n    u7 = call(1)\nexcept ValueError:\n    u7 = None\n",
    "u8 = f\"{u1} and {u4}\"  # x = u1\n",
    "with opened(u1) as u9:\n    u9.write('x')\n    u10 = u9 * 2\n",
    "import json, torch.nn\nu11 = json.loads('[1]')\n",
    "u12 = torch.relu(x)\nu13 = torch.relu(u12) if u1 else u12\n",
    "torch.backends.flag = True\nnote(call == u1, torch=1)\n",
};

static uint32_t chance(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

struct script {
    const char *text, *where; /* NULL: it exits */
};

static const struct script scripts[] = {
    { "import torch, triton\n"
      "@triton.jit\n"
      "def double(x_ptr, out_ptr, stride):\n"
      "    at = out_ptr + stride * tl.program_id(0)\n"
      "    tl.store(at, tl.load(x_ptr) * 2)\n"
      "class Op:\n"
      "    def __call__(self, x):\n"
      "        out = torch.zeros_like(x)\n"
      "        double[(1,)](x, out, x.stride(0))\n"
      "        return out\n"
      "def reference(x):\n"
      "    return x + x\n"
      "x = torch.ones(2)\n"
      "op = Op()\n"
      "got, want = op(x), reference(x)\n"
      "torch.testing.assert_close(got, want, rtol=1e-3)\n",
      "assert_close(" },
    { "import numpy as np\n"
      "n = 4\n"
      "m = n\n"
      "rng = np.random.default_rng(0)\n"
      "x = rng.normal(size=m)\n"
      "def fill(dst, src):\n"
      "    dst[:] = src\n"
      "def outer(dst, src):\n"
      "    fill(dst, src)\n"
      "out = np.empty(m)\n"
      "view = out\n"
      "outer(view, x * 2)\n"
      "other = np.zeros(m)\n"
      "got = out.sum()\n"
      "assert got == x.sum()\n",
      "assert got" },
    { "import sys\n"
      "def load(x):\n"
      "    if not x:\n"
      "        return None\n"
      "    return [v * 2 for v in x]\n"
      "def check(out):\n"
      "    errors = 0\n"
      "    for v in out:\n"
      "        if v > limit:\n"
      "            errors += 1\n"
      "    return errors\n"
      "limit = 3\n"
      "x = [1, 2, 3]\n"
      "got = load(x)\n"
      "def main():\n"
      "    if not got:\n"
      "        return\n"
      "    if check(got) > 0:\n"
      "        sys.exit(3)\n"
      "main()\n",
      NULL },
    { "import torch\n"
      "torch.manual_seed(0)\n"
      "x = torch.randn(4)\n"
      "out = x.clone()\n"
      "class Scale:\n"
      "    def __init__(self, by):\n"
      "        self.by = by\n"
      "    def run(self, x):\n"
      "        return x * self.by\n"
      "scale = Scale(2)\n"
      "got = scale.run(out)\n"
      "def compare(got, want):\n"
      "    worst = (got - want).abs().max()\n"
      "    if worst > 0.1:\n"
      "        raise ValueError(f'results differ by {worst}')\n"
      "compare(got, x + x)\n",
      "raise" },
};

static uint32_t line_with(const char *text, const char *part)
{
    const char *at = strstr(text, part);
    uint32_t line = 1;

    assert_non_null(at);
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

/* ---- a text to begin with ---- */

/* Whether a new statement may stand before the line: at the top level, and not
 * behind a decorator. */
static bool may_begin(const char *line, const char *before)
{
    return *line && *line != ' ' && strncmp(line, "el", 2) != 0 &&
           strncmp(line, "except", 6) != 0 && (!before || *before != '@');
}

static void add_fillers(struct buf *out, uint64_t *seed, bool last)
{
    for (unsigned n = chance(seed) % 4; n > 0 && !last; n--)
        buf_adds(out, fillers[chance(seed) % ARRAY_LEN(fillers)]);
}

static void fill(struct buf *out, const char *text, uint64_t *seed)
{
    const char *before = NULL;

    while (*text) {
        const char *next = strchr(text, '\n') + 1;

        if (may_begin(text, before))
            add_fillers(out, seed, false);
        buf_add(out, text, (size_t)(next - text));
        before = text;
        text = next;
    }
    add_fillers(out, seed, false);
}

/* ---- patches ---- */

static void add_change(struct edits *edits, struct span at, const char *text)
{
    edits_begin(edits, 0, at);
    edits_change(edits, at, text, strlen(text));
    edits_end(edits);
}

/* Something to put in: another node's text, or a small one. */
static const char *some_text(struct edits *edits, const struct nodes *ns,
                             uint64_t *seed)
{
    static const char *const texts[] = { "",   "",     "0",    "x",
                                         "()", "pass", "u1",   "out",
                                         "[]", "call", "f(1)", "None" };
    struct bytes text;

    if (chance(seed) % 2)
        return texts[chance(seed) % ARRAY_LEN(texts)];
    text = node_text(ns, chance(seed) % ns->n);
    return text.len > 200 ? "0" : edits_text(edits, text.data, text.len);
}

/* From one statement to the next, or to the end of it. */
static struct span some_statements(const struct nodes *ns, uint32_t i,
                                   uint64_t *seed)
{
    uint32_t statement = node_statement(ns, i), last, next;
    bool to_end = chance(seed) % 2;

    if (statement == NODE_NONE)
        return (struct span){ 0, 0 };
    last = statement;
    for (unsigned n = chance(seed) % 4; n > 0; n--) {
        next = node_named_sibling(ns, last);
        last = next == NODE_NONE ? last : next;
    }
    next = node_named_sibling(ns, last);
    return (struct span){ node_span(ns, statement).start,
                          to_end || next == NODE_NONE
                              ? node_span(ns, last).end
                              : node_span(ns, next).start };
}

static struct span some_lines(struct bytes text, uint64_t *seed)
{
    uint32_t at = chance(seed) % (uint32_t)text.len;
    uint32_t start = text_line_start(text, at), end = start;

    for (unsigned n = 1 + chance(seed) % 5; n > 0; n--)
        end = text_line_next(text, end);
    if (chance(seed) % 2 || start == 0)
        return (struct span){ start, end };
    return (struct span){ start - 1, end > start ? end - 1 : end };
}

static void add_some_change(struct edits *edits, const struct nodes *ns,
                            uint64_t *seed)
{
    uint32_t i = chance(seed) % ns->n;
    struct span at = node_span(ns, i);

    switch (chance(seed) % 6) {
    case 0:
        add_change(edits, some_statements(ns, i, seed), "");
        break;
    case 1:
        add_change(edits, some_statements(ns, i, seed), "pass");
        break;
    case 2:
        add_change(edits, some_lines(ns->text, seed), "");
        break;
    case 3: /* some bytes */
        at.start = chance(seed) % (uint32_t)ns->text.len;
        at.end = at.start + chance(seed) % 4;
        if (at.end <= ns->text.len)
            add_change(edits, at, some_text(edits, ns, seed));
        break;
    default:
        add_change(edits, at, some_text(edits, ns, seed));
        break;
    }
}

static void offer(struct edits *edits, const struct tree *tree)
{
    edits_init(edits);
    generate_kinds(tree, NULL, 0, vocabulary(MUTATE_ALL, true), edits);
    edits_lay(edits);
}

/* One to three edits of the generators, or changes of any kind. */
static void some_patch(struct patch *patch, const struct edits *offered,
                       struct edits *made, const struct nodes *ns,
                       uint64_t *seed)
{
    bool any = chance(seed) % 2;

    patch_init(patch);
    for (unsigned n = 1 + chance(seed) % 3; n > 0; n--) {
        uint32_t i = offered->n ? chance(seed) % (uint32_t)offered->n : 0;
        const struct edit *edit;

        if (any || offered->n == 0) {
            size_t before = made->n;

            add_some_change(made, ns, seed);
            if (made->n > before)
                patch_add_edit(patch, made, (uint32_t)before);
            continue;
        }
        edit = &offered->items[i];
        if (edit->list == EDIT_NONE)
            patch_add_edit(patch, offered, i);
        else
            patch_add_run(patch, offered, edit->list, edit->index,
                          edit->index + 1 + chance(seed) % 4);
    }
}

/* ---- the property ---- */

struct counts {
    unsigned asked, untouched, lost;
};

struct base {
    struct tree *tree;
    struct blocks blocks;
    struct relevant relevant;
};

static void base_init(struct base *base, const struct guard *guard,
                      struct bytes text)
{
    *base = (struct base){ .tree = tree_parse(text) };
    blocks_fill(&base->blocks, base->tree);
    relevant_init(&base->relevant, guard, base->tree);
}

static void base_deinit(struct base *base)
{
    relevant_deinit(&base->relevant);
    blocks_deinit(&base->blocks);
    tree_free(base->tree);
}

/* NULL where the patch breaks the text, or leaves it as it is. */
static struct tree *patched(const struct base *base, const struct patch *patch)
{
    struct tree *next;

    if (patch->n == 0)
        return NULL;
    next = tree_patched(base->tree, patch);
    if (tree_errors(next) == 0)
        return next;
    tree_free(next);
    return NULL;
}

static bool is_touched(const struct base *base, const struct patch *patch)
{
    struct bytes text = tree_text(base->tree);
    bool fine =
        blocks_check(&base->blocks, text, patch, text.len * 2) == BLOCKS_FINE;

    return relevant_touched(&base->relevant, text, base->blocks.top.items,
                            base->blocks.top.n, patch, fine);
}

/* Go on from the patched text. */
static void go_on(struct base *base, const struct guard *guard,
                  struct tree *next, const struct patch *patch, bool touched)
{
    blocks_rebase(&base->blocks, patch);
    tree_free(base->tree);
    base->tree = next;
    if (!touched) {
        relevant_rebase(&base->relevant, patch);
        return;
    }
    relevant_deinit(&base->relevant);
    relevant_init(&base->relevant, guard, base->tree);
}

static void say(const char *from, const char *to)
{
    print_message("said to be as before:\n");
    fputs(to, stdout);
    print_message("\n---- from\n");
    fputs(from, stdout);
    fail();
}

/* One text: many patches, the last one that may be made is. */
static void try_round(struct base *base, const struct guard *guard,
                      struct counts *counts, uint64_t *seed)
{
    struct edits offered, made;
    struct tree *last = NULL;
    struct patch last_patch = { 0 };
    bool last_touched = true;

    offer(&offered, base->tree);
    edits_init(&made);
    for (unsigned i = 0; i < TRIES; i++) {
        struct patch patch;
        struct tree *next;
        bool touched, holds;

        some_patch(&patch, &offered, &made, tree_nodes(base->tree), seed);
        next = patched(base, &patch);
        if (!next) {
            patch_deinit(&patch);
            continue;
        }
        touched = is_touched(base, &patch);
        holds = guard_holds(guard, next);
        if (!touched && !holds)
            say(tree_text(base->tree).data, tree_text(next).data);
        counts->asked++;
        counts->untouched += !touched;
        counts->lost += !holds;
        if (holds && tree_text(next).len * 3 > tree_text(base->tree).len * 2) {
            tree_free(last);
            patch_deinit(&last_patch);
            last = next;
            last_patch = patch;
            last_touched = touched;
            continue;
        }
        tree_free(next);
        patch_deinit(&patch);
    }
    if (last)
        go_on(base, guard, last, &last_patch, last_touched);
    patch_deinit(&last_patch);
    edits_deinit(&offered);
    edits_deinit(&made);
}

static void try_script(const struct script *script, struct counts *counts,
                       uint64_t *seed)
{
    struct guard_failure failure = { .own_words = true, .some = true };
    struct guard guard;
    struct tree *original;
    struct base base;
    struct buf text;

    buf_init(&text, 1u << 20);
    fill(&text, script->text, seed);
    if (script->where)
        failure.line = line_with(buf_str(&text), script->where);
    failure.exits = !script->where;
    original = tree_parse(buf_bytes(&text));
    assert_int_equal(tree_errors(original), 0);
    guard_init(&guard, original, &failure, NULL, 0);
    assert_non_null(guard.words);
    base_init(&base, &guard, buf_bytes(&text));
    assert_false(base.relevant.all);
    for (unsigned i = 0; i < ROUNDS; i++)
        try_round(&base, &guard, counts, seed);
    base_deinit(&base);
    guard_deinit(&guard);
    tree_free(original);
    buf_deinit(&text);
}

static void what_is_said_to_be_untouched_is_held(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(scripts); i++) {
        struct counts counts = { 0 };
        const char *most = getenv("RELEVANT_SEEDS");
        unsigned seeds = most ? (unsigned)strtoul(most, NULL, 10) : 2;

        for (unsigned k = 1; k <= seeds; k++) {
            uint64_t seed = k * 1000 + i;

            try_script(&scripts[i], &counts, &seed);
        }
        print_message("script %zu: %u patches, %u untouched, %u not held\n", i,
                      counts.asked, counts.untouched, counts.lost);
        assert_true(counts.untouched * 100 > counts.asked);
        assert_true(counts.lost * 100 > counts.asked);
    }
}

static struct relevant relevant_of(const char *text, const char *where)
{
    struct tree *tree = tree_parse(bytes_of(text, strlen(text)));
    struct guard_failure failure = { .line = 1, .own_words = true };
    struct relevant relevant;
    struct guard guard;

    for (const char *at = text, *end = strstr(text, where); at < end; at++)
        failure.line += *at == '\n';
    guard_init(&guard, tree, &failure, NULL, 0);
    assert_non_null(guard.words);
    relevant_init(&relevant, &guard, tree);
    guard_deinit(&guard);
    tree_free(tree);
    return relevant;
}

/* Walking all of them once for each of them would take minutes. */
static void names_that_stand_often_in_one_statement_are_found_once(void **state)
{
    struct buf text;
    struct relevant relevant;
    (void)state;

    buf_init(&text, 1u << 22);
    buf_adds(&text, "a = f(1)\nb = 2\n");
    for (int list = 0; list < 2; list++) {
        buf_adds(&text, list == 0 ? "x = [a" : "y = [a");
        for (int i = 0; i < 200000; i++)
            buf_adds(&text, ", a");
        buf_adds(&text, "]\n");
    }
    for (int side = 0; side < 2; side++) {
        buf_adds(&text, side == 0 ? "p0" : " = a");
        for (int i = 1; i < 20000; i++)
            side == 0 ? buf_addf(&text, ", p%d", i) : buf_adds(&text, ", a");
    }
    buf_adds(&text, "\nassert x[0] == y[1] + a\n");
    relevant = relevant_of(buf_str(&text), "assert");
    assert_false(relevant.all);
    assert_true(relevant_says(&relevant, bytes_of("a", 1)));
    assert_true(relevant_says(&relevant, bytes_of("p19999", 6)));
    assert_false(relevant_says(&relevant, bytes_of("b", 1)));
    relevant_deinit(&relevant);
    buf_deinit(&text);
}

/* The same of the headers around many clauses. */
static void all_clauses_of_a_header_count(void **state)
{
    struct buf text;
    struct relevant relevant;
    (void)state;

    buf_init(&text, 1u << 22);
    buf_adds(&text, "a = f(1)\nx = f(2)\nif a == 0:\n    x = f(3)\n");
    for (int i = 1; i < 30000; i++)
        buf_addf(&text, "elif a == q%d:\n    x = f(%d)\n", i, i);
    buf_adds(&text, "assert x == a + 1\n");
    relevant = relevant_of(buf_str(&text), "assert");
    assert_false(relevant.all);
    assert_true(relevant_says(&relevant, bytes_of("q1", 2)));
    assert_true(relevant_says(&relevant, bytes_of("q29999", 6)));
    relevant_deinit(&relevant);
    buf_deinit(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_said_to_be_untouched_is_held),
        cmocka_unit_test(
            names_that_stand_often_in_one_statement_are_found_once),
        cmocka_unit_test(all_clauses_of_a_header_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
