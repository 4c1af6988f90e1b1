/* The parts of the search that can be told from outside: heap, rates, memory,
 * the walk over a list and the merge queue. */
#include "test/test.h"

#include <string.h>

#include "config/buf.h"
#include "grammar/tree.h"
#include "minimizer/search/blocks.h"
#include "minimizer/search/heap.h"
#include "minimizer/search/memory.h"
#include "minimizer/search/merge.h"
#include "minimizer/search/odds.h"
#include "minimizer/search/queue.h"
#include "minimizer/search/rate.h"
#include "minimizer/search/solo.h"
#include "minimizer/search/walk.h"

static uint32_t chance(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

static void heap_gives_the_greatest_first(void **state)
{
    struct heap heap = { 0 };
    uint64_t seed = 1, last = UINT64_MAX;

    (void)state;
    for (uint32_t i = 0; i < 1000; i++)
        heap_push(&heap,
                  (struct heap_entry){ .key = chance(&seed) % 300, .item = i });
    for (int i = 0; i < 1000; i++) {
        assert_true(heap_top(&heap)->key <= last);
        last = heap_top(&heap)->key;
        heap_pop(&heap);
    }
    assert_null(heap_top(&heap));
    heap_deinit(&heap);
}

static void heap_breaks_ties_by_order(void **state)
{
    struct heap heap = { 0 };

    (void)state;
    for (uint32_t i = 0; i < 100; i++)
        heap_push(&heap,
                  (struct heap_entry){ .key = 7, .order = i * 37 % 100 });
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(heap_top(&heap)->order, i);
        heap_pop(&heap);
    }
    heap_push(&heap, (struct heap_entry){ .key = 1 });
    heap_clear(&heap);
    assert_null(heap_top(&heap));
    heap_deinit(&heap);
}

static void rate_starts_at_its_prior(void **state)
{
    struct rate rate = rate_init(0.25);

    (void)state;
    assert_int_equal(rate_value(&rate), RATE_ONE / 4);
}

static void rate_follows_what_is_seen(void **state)
{
    struct rate rate = rate_init(0.5);
    uint32_t before;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        before = rate_value(&rate);
        rate_note(&rate, true);
        assert_true(rate_value(&rate) >= before);
    }
    assert_true(rate_value(&rate) > RATE_ONE * 3 / 4);
    assert_true(rate_value(&rate) < RATE_ONE);
    for (int i = 0; i < 20; i++)
        rate_note(&rate, false);
    assert_true(rate_value(&rate) < RATE_ONE / 2);
    for (int i = 0; i < 1000; i++)
        rate_note(&rate, false);
    assert_true(rate_value(&rate) > 0);
}

static void memory_keeps_each_text_and_its_last_word(void **state)
{
    struct memory memory = { 0 };
    struct hash128 h = { .high = 5, .low = 9 };

    (void)state;
    assert_int_equal(memory_get(&memory, h), KNOWN_NOTHING);
    for (uint64_t i = 0; i < 5000; i++) {
        /* all fall on few slots: the low bits are alike */
        struct hash128 key = { .high = i, .low = i % 7 };
        memory_set(&memory, key, i % 2 ? KNOWN_NO : KNOWN_NONE_ONCE);
    }
    for (uint64_t i = 0; i < 5000; i += 2) {
        struct hash128 key = { .high = i, .low = i % 7 };
        assert_int_equal(memory_get(&memory, key), KNOWN_NONE_ONCE);
        memory_set(&memory, key, KNOWN_YES);
    }
    for (uint64_t i = 0; i < 5000; i++) {
        struct hash128 key = { .high = i, .low = i % 7 };
        assert_int_equal(memory_get(&memory, key),
                         i % 2 ? KNOWN_NO : KNOWN_YES);
    }
    assert_int_equal(memory_get(&memory, h), KNOWN_NOTHING);
    assert_int_equal(memory.n, 5000);
    memory_deinit(&memory);
}

/* A list of n one-byte units, by hand. */
static void make_list(struct edits *edits, uint32_t n, bool whole_first)
{
    edits_init(edits);
    edits_list_begin(edits, "", whole_first);
    for (uint32_t i = 0; i < n; i++) {
        edits_begin(edits, 0, (struct span){ i, i + 1 });
        edits_delete(edits, (struct span){ i, i + 1 });
        edits_end(edits);
    }
    edits_list_end(edits);
}

static void walk_doubles_while_runs_go(void **state)
{
    struct edits edits;
    struct walk walk;
    struct claim claim;
    const uint32_t from[] = { 99, 97, 93, 85, 69, 37, 0 };

    (void)state;
    make_list(&edits, 100, false);
    walk_init(&walk, &edits, 0, NULL);
    for (size_t i = 0; i < ARRAY_LEN(from); i++) {
        assert_true(walk_next(&walk, &edits, &claim));
        assert_int_equal(claim.from, from[i]);
        walk_said(&walk, &edits, &claim, true);
    }
    assert_false(walk_next(&walk, &edits, &claim));
    walk_deinit(&walk);
    edits_deinit(&edits);
}

static void walk_cuts_a_failed_run_in_halves(void **state)
{
    struct edits edits;
    struct walk walk;
    struct claim claim = { .from = 0, .to = 8, .units = 8 };

    (void)state;
    make_list(&edits, 8, false);
    walk_init(&walk, &edits, 0, NULL);
    walk.cursor = 0;
    walk_said(&walk, &edits, &claim, false);
    assert_true(walk_next(&walk, &edits, &claim));
    assert_int_equal(claim.from, 4);
    assert_int_equal(claim.to, 8);
    edits.items[1].dead = edits.items[2].dead = edits.items[3].dead = true;
    assert_true(walk_next(&walk, &edits, &claim)); /* of 0 to 4 one lives */
    assert_int_equal(claim.from, 0);
    assert_int_equal(claim.to, 1);
    assert_int_equal(claim.units, 1);
    walk_said(&walk, &edits, &claim, false);
    assert_false(walk_next(&walk, &edits, &claim));
    walk_deinit(&walk);
    edits_deinit(&edits);
}

static void walk_waits_for_the_whole_list(void **state)
{
    struct edits edits;
    struct walk walk;
    struct claim claim;

    (void)state;
    make_list(&edits, 10, true);
    walk_init(&walk, &edits, 0, NULL);
    assert_true(walk_next(&walk, &edits, &claim));
    assert_int_equal(claim.units, 10);
    assert_false(walk_next(&walk, &edits, &claim));
    walk_return(&walk, &claim);
    assert_true(walk_next(&walk, &edits, &claim));
    assert_int_equal(claim.units, 10);
    walk_said(&walk, &edits, &claim, false);
    for (uint32_t i = 10; i > 0; i--) { /* then one by one from the end */
        assert_true(walk_next(&walk, &edits, &claim));
        assert_int_equal(claim.from, i - 1);
        assert_int_equal(claim.units, 1);
        walk_said(&walk, &edits, &claim, false);
    }
    assert_false(walk_next(&walk, &edits, &claim));
    walk_deinit(&walk);
    edits_deinit(&edits);
}

static void add_claims(struct merge *merge, size_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct claim claim = claim_of_edit(i);
        merge_add(merge, &claim);
    }
}

/* Drive the queue with one bad claim; returns how many unions were tested until
 * the queue was empty. */
static int find_offender(size_t n, uint32_t bad)
{
    struct merge merge = { 0 };
    struct claim dropped;
    bool found = false;
    size_t prefix;
    int tests = 0;

    add_claims(&merge, n);
    while ((prefix = merge_next(&merge)) > 0) {
        bool good = true;

        for (size_t i = 0; i < prefix; i++)
            good = good && merge.items[i].from != bad;
        if (good) {
            merge_yes(&merge, prefix);
        } else if (merge_no(&merge, prefix, &dropped)) {
            assert_int_equal(dropped.from, bad);
            found = true;
        }
        tests++;
    }
    assert_true(found);
    assert_int_equal(merge.n, 0);
    merge_deinit(&merge);
    return tests;
}

static void merge_finds_the_offender_by_doubling(void **state)
{
    (void)state;
    for (uint32_t bad = 0; bad < 40; bad++)
        assert_true(find_offender(40, bad) <= 2 + 6 * 6);
    assert_int_equal(find_offender(16, 0), 3); /* all, it, the rest */
}

static void a_copy_of_a_merge_queue_goes_its_own_way(void **state)
{
    struct merge merge = { 0 }, copy;
    struct claim dropped;

    (void)state;
    add_claims(&merge, 8);
    assert_false(merge_no(&merge, 8, &dropped));
    merge_copy(&copy, &merge);
    merge_yes(&merge, 5);
    add_claims(&copy, 1);
    assert_int_equal(merge.n, 3);
    assert_int_equal(copy.n, 9);
    assert_int_equal(merge_next(&copy), 1);
    assert_int_equal(copy.items[8].from, 0);
    merge_deinit(&merge);
    merge_deinit(&copy);
}

static void merge_forgets_claims_that_are_removed(void **state)
{
    struct merge merge = { 0 };
    struct claim dropped;

    (void)state;
    add_claims(&merge, 4);
    assert_false(merge_no(&merge, 2, &dropped));
    assert_int_equal(merge_next(&merge), 1);
    merge_remove(&merge, 0);
    assert_int_equal(merge_next(&merge), 1); /* the other is the bad one */
    merge_remove(&merge, 0);
    assert_int_equal(merge_next(&merge), 2);
    merge_deinit(&merge);
}

/* A queue of all single edits of `kind` in a text; how many it gives. */
struct filled {
    struct tree *tree;
    struct edits edits;
    struct queue queue;
};

static void filled_init(struct filled *f, const char *text, unsigned kind)
{
    f->tree = tree_parse(bytes_of(text, strlen(text)));
    edits_init(&f->edits);
    generate_kinds(f->tree, NULL, 0, EDIT_KIND_BIT(kind), &f->edits);
    edits_lay(&f->edits);
    queue_init(&f->queue);
}

static void filled_deinit(struct filled *f)
{
    queue_deinit(&f->queue);
    edits_deinit(&f->edits);
    tree_free(f->tree);
}

static unsigned count_left(struct queue *queue)
{
    struct claim claim;
    unsigned n = 0;

    while (queue_next(queue, TIER_MUTATE, &claim))
        n++;
    return n;
}

static unsigned count_offers(struct filled *f, enum queue_offers what)
{
    queue_fill(&f->queue, &f->edits, tree_text(f->tree), what);
    return count_left(&f->queue);
}

/* Refuse the first that comes. */
static void refuse_one(struct filled *f, enum queue_offers what, bool lost)
{
    struct claim claim;

    queue_fill(&f->queue, &f->edits, tree_text(f->tree), what);
    assert_true(queue_next(&f->queue, TIER_MUTATE, &claim));
    claim.lost = lost;
    queue_said(&f->queue, &claim, false, true);
}

static void of_two_numbers_alike_one_is_refused(void **state)
{
    struct filled f;

    (void)state;
    filled_init(&f, "f(a, 1)\ng(1, b)\n", EDIT_integer);
    assert_int_equal(count_offers(&f, OFFER_NEWS), 2);
    refuse_one(&f, OFFER_NEWS, false);
    assert_int_equal(count_offers(&f, OFFER_NEWS), 1);
    assert_int_equal(count_offers(&f, OFFER_ALL), 2);
    filled_deinit(&f);
}

static void what_was_refused_for_a_name_is_news_without_it(void **state)
{
    struct filled f;
    struct claim claim;

    (void)state;
    filled_init(&f, "f(a, 1)\ng(1, b)\n", EDIT_integer);
    refuse_one(&f, OFFER_NEWS, true);
    assert_int_equal(count_offers(&f, OFFER_NEWS), 2);
    queue_fill(&f.queue, &f.edits, tree_text(f.tree), OFFER_NEWS);
    assert_true(queue_next(&f.queue, TIER_MUTATE, &claim));
    assert_false(queue_was_refused(&f.queue, &claim));
    claim.lost = true;
    assert_true(queue_was_refused(&f.queue, &claim));
    filled_deinit(&f);
}

static void a_sweep_asks_for_nothing_twice(void **state)
{
    struct filled f;

    (void)state;
    filled_init(&f, "f(a, 1)\ng(1, b)\n", EDIT_integer);
    refuse_one(&f, OFFER_NEWS, false);
    assert_int_equal(count_offers(&f, OFFER_STALE), 2);
    refuse_one(&f, OFFER_STALE, false);
    assert_int_equal(count_offers(&f, OFFER_STALE), 1);
    queue_sweep(&f.queue);
    assert_int_equal(count_offers(&f, OFFER_STALE), 2);
    filled_deinit(&f);
}

/* What follows in the text moves the calls about. */
static void a_parameter_is_refused_wherever_its_calls_are(void **state)
{
    struct filled f, moved;

    (void)state;
    filled_init(&f, "def f(a, b):\n    return b\nx = 1\nf(y, x)\n",
                EDIT_parameter);
    filled_init(&moved, "def f(a, b):\n    return b\nx = 1 + z\nf(y, x)\n",
                EDIT_parameter);
    assert_int_equal(count_offers(&f, OFFER_NEWS), 2);
    refuse_one(&f, OFFER_NEWS, false);
    assert_int_equal(count_offers(&f, OFFER_NEWS), 1);
    queue_fill(&f.queue, &moved.edits, tree_text(moved.tree), OFFER_NEWS);
    assert_int_equal(count_left(&f.queue), 1);
    filled_deinit(&f);
    filled_deinit(&moved);
}

/* All at once were tried with the news. */
static void of_a_list_that_was_refused_the_units_are_tried_again(void **state)
{
    struct filled f;
    struct claim claim;

    (void)state;
    filled_init(&f, "f(a, b, c)\n", EDIT_argument);
    queue_fill(&f.queue, &f.edits, tree_text(f.tree), OFFER_NEWS);
    assert_true(queue_next(&f.queue, TIER_MUTATE, &claim));
    assert_int_equal(claim.units, 3);
    queue_said(&f.queue, &claim, false, true);
    while (queue_next(&f.queue, TIER_MUTATE, &claim))
        queue_said(&f.queue, &claim, false, true);
    queue_fill(&f.queue, &f.edits, tree_text(f.tree), OFFER_ALL);
    for (int i = 0; i < 3; i++) {
        assert_true(queue_next(&f.queue, TIER_MUTATE, &claim));
        assert_int_equal(claim.units, 1);
        queue_said(&f.queue, &claim, false, true);
    }
    assert_false(queue_next(&f.queue, TIER_MUTATE, &claim));
    filled_deinit(&f);
}

/* The number may go; each run of it that waits for the others' noes makes them
 * worthless. */
static void what_is_likely_to_go_at_last_comes_first(void **state)
{
    struct filled f;
    struct claim claim;
    unsigned kind;

    (void)state;
    f.tree = tree_parse(bytes_of("call(other(a), 7)\n", 18));
    edits_init(&f.edits);
    generate_kinds(f.tree, NULL, 0,
                   EDIT_KIND_BIT(EDIT_integer) | EDIT_KIND_BIT(EDIT_expression),
                   &f.edits);
    edits_lay(&f.edits);
    queue_init(&f.queue);
    queue_fill(&f.queue, &f.edits, tree_text(f.tree), OFFER_NEWS);
    while (queue_next(&f.queue, TIER_MUTATE, &claim))
        queue_said(&f.queue, &claim, false, false);
    for (int i = 0; i < 30; i++) /* expressions were mostly refused again */
        rate_note(&f.queue.again[EDIT_expression], false);
    queue_fill(&f.queue, &f.edits, tree_text(f.tree), OFFER_ALL);
    assert_true(queue_next(&f.queue, TIER_MUTATE, &claim));
    kind = claim_kind(&claim, &f.edits);
    assert_int_equal(kind, EDIT_integer);
    filled_deinit(&f);
}

static void odds_are_learned_by_size_and_kind(void **state)
{
    struct odds_case small = { ODDS_NEW, EDIT_statement, 10, 10000 };
    struct odds_case large = { ODDS_NEW, EDIT_statement, 9000, 10000 };
    struct odds_case other = { ODDS_NEW, EDIT_integer, 10, 10000 };
    uint32_t before;
    struct odds odds;

    (void)state;
    odds_init(&odds);
    assert_true(odds_of(&odds, &small) > odds_of(&odds, &large));
    before = odds_of(&odds, &other);
    for (unsigned i = 0; i < 100; i++)
        odds_note(&odds, &small, true);
    assert_true(odds_of(&odds, &small) > RATE_ONE / 10 * 9);
    assert_true(odds_of(&odds, &other) > before); /* as large */
    for (unsigned i = 0; i < 100; i++)
        odds_note(&odds, &other, false);
    assert_true(odds_of(&odds, &other) < RATE_ONE / 10);
    assert_true(odds_of(&odds, &small) > odds_of(&odds, &other));
}

static void odds_are_never_certain(void **state)
{
    static const int64_t saved[] = { INT64_MIN, 0, 1, INT64_MAX };

    (void)state;
    for (unsigned yes = 0; yes < 2; yes++) {
        for (unsigned class = 0; class < ODDS_CLASSES; class ++) {
            struct odds odds;

            odds_init(&odds);
            for (unsigned i = 0; i < 4000; i++) {
                struct odds_case what = { (enum odds_class) class, i % 3,
                                          saved[i % 4], i % 2 ? 0 : 1 << 30 };

                odds_note(&odds, &what, yes);
                assert_true(odds_of(&odds, &what) > 0);
                assert_true(odds_of(&odds, &what) < RATE_ONE);
            }
        }
    }
}

static const char solo_text_[] = "import os, sys\n"
                                 "def f(a, b=2):\n    c = [1, 2, 3]\n"
                                 "    if a:\n        return c[0] + b\n"
                                 "    return os.name\n"
                                 "class C:\n    x = 'words'\n    y = 3\n"
                                 "z = f(1) + C.y\nw = (z, 7, sys)\n"
                                 "for i in range(3):\n    print(i, w)\n";

static enum verdict answer_of(struct hash128 hash, unsigned how)
{
    return (hash.low >> how) % 3 == 0 ? VERDICT_YES : VERDICT_NO;
}

/* The texts that are asked for from here on, all together. */
static struct hash128 course_of(struct solo *solo, unsigned how)
{
    struct hash128 all = { 0 };

    while (solo_run(solo)) {
        struct hash128 hash = solo_ask(solo)->hash;

        all = hash_more(all, &hash, sizeof(hash));
        solo_answer(solo, answer_of(hash, how), false);
    }
    return all;
}

/* Copies are made at each question, and followed another way before the
 * original goes on. */
static void a_copy_goes_its_own_way(void **state)
{
    struct search_opts opts = { .width = 1, .rename = true };
    struct bytes text = bytes_of(solo_text_, sizeof(solo_text_) - 1);
    struct solo *alone = solo_new(text, NULL, 0, &opts);
    struct solo *copied = solo_new(text, NULL, 0, &opts);
    struct hash128 all = { 0 };
    unsigned questions = 0, elsewhere = 0;

    (void)state;
    while (solo_run(copied)) {
        struct hash128 hash = solo_ask(copied)->hash;
        struct solo *copy = solo_copy(copied), *same = solo_copy(copy);
        struct hash128 way;

        assert_true(hash_equal(solo_ask(copy)->hash, hash));
        way = course_of(copy, 5);
        elsewhere += !hash_equal(way, course_of(same, 6));
        solo_free(copy);
        solo_free(same);
        all = hash_more(all, &hash, sizeof(hash));
        solo_answer(copied, answer_of(hash, 0), false);
        questions++;
    }
    assert_true(questions > 20 && elsewhere > 10);
    assert_true(hash_equal(all, course_of(alone, 0)));
    assert_int_equal(solo_commits(alone), solo_commits(copied));
    solo_free(alone);
    solo_free(copied);
}

static const char blocks_text[] = "import os\n"
                                  "if os.name:\n    a = (1,\n2)\n"
                                  "else:\n    b = 2\n"
                                  "\n# note\n"
                                  "x = '''\ny = 3\n'''; z = 1\n"
                                  "@dec\ndef f(p):\n    return p\n"
                                  "c = f(\n    3\n)\r\n"
                                  "try:\n    d = [4]\nfinally:\n    e = 5\n"
                                  "class C:\n    x = 1\n"
                                  "w = 7";

/* The same question asked of a parse of everything. */
static bool breaks(const struct tree *tree, const struct patch *patch)
{
    struct tree *after = tree_patched(tree, patch);
    bool broken = tree_errors(after) > 0;

    tree_free(after);
    return broken;
}

static void random_patch(struct patch *patch, struct edits *edits, size_t len,
                         uint64_t *seed)
{
    edits_init(edits);
    patch_init(patch);
    for (unsigned n = 1 + chance(seed) % 3; n > 0; n--) {
        uint32_t start = chance(seed) % (uint32_t)len;
        uint32_t end = start + 1 + chance(seed) % 12;
        struct span at = { start, end < len ? end : (uint32_t)len };

        edits_begin(edits, 0, at);
        edits_delete(edits, at);
        patch_add_edit(patch, edits, edits_end(edits));
    }
}

static void large_blocks_are_left_alone(void **state)
{
    struct bytes text = bytes_of(blocks_text, sizeof(blocks_text) - 1);
    struct tree *tree = tree_parse(text);
    struct blocks blocks = { 0 };
    struct edits edits;
    struct patch patch;

    (void)state;
    blocks_fill(&blocks, tree);
    edits_init(&edits);
    patch_init(&patch);
    edits_begin(&edits, 0, (struct span){ 19, 21 });
    edits_delete(&edits, (struct span){ 19, 21 });
    patch_add_edit(&patch, &edits, edits_end(&edits));
    assert_int_equal(blocks_check(&blocks, text, &patch, 20), BLOCKS_LARGE);
    assert_int_not_equal(blocks_check(&blocks, text, &patch, 80), BLOCKS_LARGE);
    patch_deinit(&patch);
    edits_deinit(&edits);
    blocks_deinit(&blocks);
    tree_free(tree);
}

static void blocks_find_the_errors_that_a_whole_parse_finds(void **state)
{
    struct bytes text = bytes_of(blocks_text, sizeof(blocks_text) - 1);
    struct tree *tree = tree_parse(text);
    struct blocks blocks = { 0 };
    uint64_t seed = 1;
    int broken = 0, fine = 0, differ = 0;

    (void)state;
    assert_int_equal(tree_errors(tree), 0);
    blocks_fill(&blocks, tree);
    for (int i = 0; i < 20000; i++) {
        struct edits edits;
        struct patch patch;
        enum blocks_answer answer;

        random_patch(&patch, &edits, text.len, &seed);
        answer = blocks_check(&blocks, text, &patch, 2 * text.len);
        assert_int_not_equal(answer, BLOCKS_LARGE);
        broken += answer == BLOCKS_BROKEN;
        fine += answer == BLOCKS_FINE;
        differ += (answer == BLOCKS_BROKEN) != breaks(tree, &patch);
        patch_deinit(&patch);
        edits_deinit(&edits);
    }
    assert_true(broken > 1000 && fine > 100);
    /* tree-sitter reads on over an end of line in what is no Python anyway
     * (`e =` and the next statement), so that what follows can matter, and so
     * does the line before where a header goes and its body stays. */
    assert_true(differ < 120);
    blocks_deinit(&blocks);
    tree_free(tree);
}

static void of_what_is_offered_blocks_say_what_a_whole_parse_says(void **state)
{
    struct bytes text = bytes_of(blocks_text, sizeof(blocks_text) - 1);
    struct tree *tree = tree_parse(text);
    struct blocks blocks = { 0 };
    struct edits edits;

    (void)state;
    edits_init(&edits);
    generate_kinds(tree, NULL, 0, vocabulary(MUTATE_ALL, true), &edits);
    assert_true(edits.n > 30);
    blocks_fill(&blocks, tree);
    for (uint32_t i = 0; i < edits.n; i++) {
        struct patch patch;

        patch_init(&patch);
        patch_add_edit(&patch, &edits, i);
        assert_int_equal(blocks_check(&blocks, text, &patch, 2 * text.len),
                         breaks(tree, &patch) ? BLOCKS_BROKEN : BLOCKS_FINE);
        patch_deinit(&patch);
    }
    edits_deinit(&edits);
    blocks_deinit(&blocks);
    tree_free(tree);
}

/* What one deletion in a function of 1,001 lines does, by 64 bytes of it. */
static enum blocks_answer cut_of_long_function(const char *what)
{
    enum blocks_answer answer;
    struct blocks blocks = { 0 };
    struct edits edits;
    struct patch patch;
    struct tree *tree;
    struct buf text;
    const char *at;

    buf_init(&text, 1 << 20);
    buf_adds(&text, "def f(p):\n");
    for (unsigned i = 0; i < 1000; i++)
        buf_addf(&text, "    x%u = p(%u)\n", i, i);
    tree = tree_parse(buf_bytes(&text));
    blocks_fill(&blocks, tree);
    edits_init(&edits);
    patch_init(&patch);
    at = strstr(buf_str(&text), what);
    assert_non_null(at);
    uint32_t start = (uint32_t)(at - buf_str(&text));
    struct span cut = { start, start + (uint32_t)strlen(what) };
    edits_begin(&edits, 0, cut);
    edits_delete(&edits, cut);
    patch_add_edit(&patch, &edits, edits_end(&edits));
    answer = blocks_check(&blocks, buf_bytes(&text), &patch, 64);
    patch_deinit(&patch);
    edits_deinit(&edits);
    blocks_deinit(&blocks);
    tree_free(tree);
    buf_deinit(&text);
    return answer;
}

static void of_a_long_function_the_lines_that_are_touched_are_read(void **state)
{
    (void)state;
    assert_int_equal(cut_of_long_function("    x500 = p(500)\n"), BLOCKS_FINE);
    assert_int_equal(cut_of_long_function("x500 = "), BLOCKS_FINE);
    assert_int_equal(cut_of_long_function("(p)"), BLOCKS_LARGE);
    assert_int_equal(cut_of_long_function("x500 = p("), BLOCKS_LARGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heap_gives_the_greatest_first),
        cmocka_unit_test(heap_breaks_ties_by_order),
        cmocka_unit_test(rate_starts_at_its_prior),
        cmocka_unit_test(rate_follows_what_is_seen),
        cmocka_unit_test(memory_keeps_each_text_and_its_last_word),
        cmocka_unit_test(walk_doubles_while_runs_go),
        cmocka_unit_test(walk_cuts_a_failed_run_in_halves),
        cmocka_unit_test(walk_waits_for_the_whole_list),
        cmocka_unit_test(large_blocks_are_left_alone),
        cmocka_unit_test(blocks_find_the_errors_that_a_whole_parse_finds),
        cmocka_unit_test(of_what_is_offered_blocks_say_what_a_whole_parse_says),
        cmocka_unit_test(
            of_a_long_function_the_lines_that_are_touched_are_read),
        cmocka_unit_test(merge_finds_the_offender_by_doubling),
        cmocka_unit_test(of_two_numbers_alike_one_is_refused),
        cmocka_unit_test(what_was_refused_for_a_name_is_news_without_it),
        cmocka_unit_test(a_sweep_asks_for_nothing_twice),
        cmocka_unit_test(a_parameter_is_refused_wherever_its_calls_are),
        cmocka_unit_test(of_a_list_that_was_refused_the_units_are_tried_again),
        cmocka_unit_test(what_is_likely_to_go_at_last_comes_first),
        cmocka_unit_test(odds_are_learned_by_size_and_kind),
        cmocka_unit_test(odds_are_never_certain),
        cmocka_unit_test(a_copy_goes_its_own_way),
        cmocka_unit_test(a_copy_of_a_merge_queue_goes_its_own_way),
        cmocka_unit_test(merge_forgets_claims_that_are_removed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
