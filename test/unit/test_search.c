/* The search against oracles: C functions that say whether a text is
 * interesting. Whatever the oracle, the number of runs at once and the order
 * in which they end, the result must be interesting, minimal, and the same
 * when the same verdicts come in the same order; and no text is asked twice.
 *
 * The texts are Python of a small grammar in which each statement carries a
 * name of its own (`v17`), so that an oracle can ask for statements. */
#include "test/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/buf.h"
#include "config/hash.h"
#include "config/mem.h"
#include "grammar/edit.h"
#include "grammar/generator.h"
#include "grammar/observed.h"
#include "grammar/tree.h"
#include "minimizer/search/search.h"

#define NAMES_MAX 2000
#define ASKED_MAX 200000
#define OUT_MAX 16

static uint32_t chance(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

struct script {
    struct buf text;
    unsigned names; /* v0 .. v(names - 1) stand in it, in this order */
};

static void add_indent(struct buf *text, unsigned depth)
{
    for (unsigned i = 0; i < depth; i++)
        buf_adds(text, "    ");
}

static void add_simple(struct script *s, unsigned depth, uint64_t *seed)
{
    unsigned n = s->names++;

    add_indent(&s->text, depth);
    switch (chance(seed) % 4) {
    case 0:
        buf_addf(&s->text, "v%u = %u\n", n, chance(seed) % 1000);
        break;
    case 1:
        buf_addf(&s->text, "v%u = [%u, a + 1, f(b, c)]\n", n,
                 chance(seed) % 100);
        break;
    case 2:
        buf_addf(&s->text, "v%u = g(x=%u, y=z)  # note %u\n", n,
                 chance(seed) % 64, n);
        break;
    default:
        buf_addf(&s->text, "v%u(%u)\n", n, chance(seed) % 10);
        break;
    }
}

/* Lines of blocks that open and close at random, at most four deep. */
static void make_script(struct script *s, unsigned lines, uint64_t seed)
{
    unsigned depth = 0;

    buf_init(&s->text, 1 << 22);
    s->names = 0;
    buf_adds(&s->text, "import os\nfrom m import a, b, c\n\n");
    for (unsigned i = 0; i < lines; i++) {
        if (chance(&seed) % 5 == 0 && depth < 4) {
            add_indent(&s->text, depth++);
            if (chance(&seed) % 2)
                buf_addf(&s->text, "if w%u > 3:\n", i);
            else
                buf_addf(&s->text, "def f%u(p, q=%u):\n", i, i);
        }
        add_simple(s, depth, &seed);
        while (depth > 0 && chance(&seed) % 6 == 0)
            depth--;
    }
}

struct oracle {
    bool needed[NAMES_MAX];
    int needs[NAMES_MAX];    /* each name that is there needs this one; -1 */
    uint32_t noise;          /* say no to one text in so many, by its hash */
    uint32_t none_once;      /* first no verdict, then one, in so many */
    uint32_t none_always;    /* never a verdict, in so many */
    bool nothing;            /* nothing is interesting */
    uint32_t chance;         /* only to one text in so many yes is said, until
                              * that is doubted */
    struct hash128 original; /* always interesting */
    size_t errors;           /* of syntax in it */
};

static void present_names(struct bytes text, bool *present)
{
    memset(present, 0, NAMES_MAX * sizeof(*present));
    for (size_t i = 0; i + 1 < text.len; i++) {
        unsigned n = 0;
        size_t j = i + 1;

        if (text.data[i] != 'v' ||
            (i > 0 && text.data[i - 1] != '\n' && text.data[i - 1] != ' '))
            continue;
        for (; j < text.len && text.data[j] >= '0' && text.data[j] <= '9'; j++)
            n = n * 10 + (unsigned)(text.data[j] - '0');
        if (j > i + 1 && n < NAMES_MAX)
            present[n] = true;
    }
}

static bool interesting(const struct oracle *o, struct bytes text)
{
    struct hash128 hash = hash_bytes(text.data, text.len);
    bool present[NAMES_MAX];

    if (hash_equal(hash, o->original))
        return true;
    if (o->nothing || (o->noise && hash.high % o->noise == 0))
        return false;
    present_names(text, present);
    for (int i = 0; i < NAMES_MAX; i++) {
        if (o->needed[i] && !present[i])
            return false;
        if (present[i] && o->needs[i] >= 0 && !present[o->needs[i]])
            return false;
    }
    return true;
}

static void oracle_init(struct oracle *o, const struct script *s)
{
    struct bytes text = buf_bytes(&s->text);

    *o = (struct oracle){ .original = hash_bytes(text.data, text.len) };
    for (int i = 0; i < NAMES_MAX; i++)
        o->needs[i] = -1;
}

static void need_some(struct oracle *o, const struct script *s, unsigned n,
                      uint64_t seed)
{
    for (unsigned i = 0; i < n; i++)
        o->needed[chance(&seed) % s->names] = true;
}

static void depend(struct oracle *o, const struct script *s, uint64_t seed)
{
    for (unsigned i = 1; i < s->names; i++)
        if (chance(&seed) % 3 == 0)
            o->needs[i] = (int)(chance(&seed) % i);
}

struct asked {
    struct hash128 hash;
    unsigned times;
};

/* What a whole search did; faults are counted, and asserted at the end. */
struct course {
    struct buf result;
    struct hash128 trace; /* of all trials in their order */
    struct search_stats stats;
    bool minimal, mutated;
    unsigned asked_again, not_smaller, broken, not_interesting, accepted;
};

static unsigned note_asked(struct asked *asked, struct hash128 hash)
{
    size_t at = hash.low % ASKED_MAX;

    while (asked[at].times > 0 && !hash_equal(asked[at].hash, hash))
        at = (at + 1) % ASKED_MAX;
    asked[at].hash = hash;
    return asked[at].times++;
}

static enum verdict say(const struct oracle *o, const struct search_trial *t,
                        unsigned before)
{
    if (o->none_always && t->hash.low % o->none_always == 0)
        return VERDICT_NONE;
    if (o->none_once && t->hash.low % o->none_once == 1 && before == 0)
        return VERDICT_NONE;
    if (o->chance && t->hash.low % o->chance != 0)
        return VERDICT_NO;
    return interesting(o, t->text) ? VERDICT_YES : VERDICT_NO;
}

struct setup {
    unsigned width;
    uint64_t order; /* seed of the order in which runs end */
    const struct span *frozen;
    size_t nfrozen;
    enum mutate mutate;
    bool rename;
    bool drops; /* half of what can be of no use any more is not waited for */
    unsigned doubted; /* after so many reports; 0: never */
    bool rumours; /* what is said of a trial that is out is right by chance */
};

static bool smaller(struct bytes a, struct bytes b)
{
    return a.len < b.len ||
           (a.len == b.len && memcmp(a.data, b.data, a.len) < 0);
}

/* Of a text of moderate length; to parse all long ones would take too long. */
static size_t errors_in(struct bytes text)
{
    struct tree *tree;
    size_t errors;

    if (text.len > 4096)
        return 0;
    tree = tree_parse(text);
    errors = tree_errors(tree);
    tree_free(tree);
    return errors;
}

/* One more trial out, checked. */
static bool give(struct search *search, const struct oracle *o,
                 struct asked *asked, struct course *c,
                 struct search_trial *trial, enum verdict *verdict)
{
    unsigned before;
    bool may_again;

    if (!search_next(search, trial))
        return false;
    before = note_asked(asked, trial->hash);
    *verdict = say(o, trial, before);
    may_again = o->none_always || o->none_once;
    if (before > 1 || (before == 1 && !may_again))
        c->asked_again++;
    c->not_smaller +=
        !trial->pumped && !smaller(trial->text, search_text(search));
    c->broken += errors_in(trial->text) > o->errors;
    c->trace = hash_more(c->trace, &trial->hash, sizeof(trial->hash));
    c->trace = hash_more(c->trace, trial->kind, strlen(trial->kind));
    return true;
}

/* What is out. */
struct runs {
    struct search_trial trials[OUT_MAX];
    enum verdict verdicts[OUT_MAX];
    unsigned n;
};

static struct search_trial take_run(struct runs *out, unsigned i,
                                    enum verdict *verdict)
{
    struct search_trial trial = out->trials[i];

    *verdict = out->verdicts[i];
    out->n--;
    out->trials[i] = out->trials[out->n];
    out->verdicts[i] = out->verdicts[out->n];
    return trial;
}

/* Its text may be asked for again. */
static void forget_asked(struct asked *asked, struct hash128 hash)
{
    size_t at = hash.low % ASKED_MAX;

    while (!hash_equal(asked[at].hash, hash))
        at = (at + 1) % ASKED_MAX;
    asked[at].times--;
}

static void drop_some(struct search *search, struct runs *out,
                      struct asked *asked, struct setup *setup)
{
    for (unsigned i = out->n; i > 0; i--) {
        enum verdict verdict;
        struct search_trial trial;

        if (search_wants(search, out->trials[i - 1].id) ||
            chance(&setup->order) % 2)
            continue;
        trial = take_run(out, i - 1, &verdict);
        forget_asked(asked, trial.hash);
        assert_false(search_report(search, trial.id, VERDICT_DROPPED));
    }
}

static void spread_rumour(struct search *search, const struct search_trial *of,
                          struct setup *setup)
{
    static const enum verdict any[] = { VERDICT_NO, VERDICT_YES, VERDICT_NONE };

    if (setup->rumours && chance(&setup->order) % 2)
        search_expect(search, of->id, any[chance(&setup->order) % 3]);
}

/* Nothing is said by chance any more, nor has been of what is out. */
static void doubt(struct search *search, struct oracle *o, struct runs *out,
                  struct asked *asked)
{
    o->chance = 0;
    for (unsigned i = 0; i < out->n; i++)
        out->verdicts[i] = say(o, &out->trials[i], 0);
    memset(asked, 0, ASKED_MAX * sizeof(*asked));
    search_doubt(search);
}

static void drive(struct search *search, const struct oracle *oracle,
                  struct setup *setup, struct course *c)
{
    struct oracle of_now = *oracle, *o = &of_now;
    unsigned reports = 0;
    struct asked *asked = xcalloc(ASKED_MAX, sizeof(*asked));
    struct runs out = { .n = 0 };

    while (!search_finished(search)) {
        struct search_trial trial;
        enum verdict verdict;

        while (
            out.n < setup->width &&
            give(search, o, asked, c, &out.trials[out.n], &out.verdicts[out.n]))
            spread_rumour(search, &out.trials[out.n++], setup);
        if (out.n == 0)
            continue; /* must have finished: or it hangs, and is seen */
        trial = take_run(&out, chance(&setup->order) % out.n, &verdict);
        if (search_report(search, trial.id, verdict)) {
            c->accepted++;
            if (!interesting(o, search_text(search)))
                c->not_interesting++;
        }
        if (++reports == setup->doubted)
            doubt(search, o, &out, asked);
        if (setup->drops)
            drop_some(search, &out, asked, setup);
    }
    free(asked);
}

static struct course run(const struct script *s, const struct oracle *o,
                         struct setup setup)
{
    struct search_opts opts = { .width = setup.width,
                                .mutate = setup.mutate,
                                .rename = setup.rename };
    struct search *search =
        search_new(buf_bytes(&s->text), setup.frozen, setup.nfrozen, &opts);
    struct course c = { 0 };

    drive(search, o, &setup, &c);
    buf_init(&c.result, 1 << 22);
    buf_add(&c.result, search_text(search).data, search_text(search).len);
    c.stats = search_stats(search);
    c.minimal = search_minimal(search);
    c.mutated = search_mutated(search);
    search_free(search);
    return c;
}

/* The text with one edit; false when it can't be made. */
static bool apply_single(const struct edits *edits, uint32_t i,
                         struct bytes text, struct patch *patch,
                         struct buf *out)
{
    const struct edit *e = &edits->items[i];
    int rc = e->list == EDIT_NONE
                 ? patch_add_edit(patch, edits, i)
                 : patch_add_run(patch, edits, e->list, e->index, e->index + 1);

    buf_clear(out);
    return rc == 0 && patch_apply(patch, text, out) == 0;
}

/* How many single edits of the result still give a smaller, well-formed,
 * interesting text; *verdictless: how many have no verdict. */
static unsigned single_edits_left(struct bytes text, const struct oracle *o,
                                  const struct setup *setup,
                                  unsigned *verdictless)
{
    struct tree *tree = tree_parse(text);
    struct edits edits;
    struct buf out;
    unsigned left = 0;

    edits_init(&edits);
    buf_init(&out, 1 << 22);
    generate_kinds(tree, setup->frozen, setup->nfrozen,
                   vocabulary(setup->mutate, setup->rename), &edits);
    for (uint32_t i = 0; i < edits.n; i++) {
        struct patch patch;
        patch_init(&patch);
        if (apply_single(&edits, i, text, &patch, &out) &&
            smaller(buf_bytes(&out), text)) {
            struct tree *after = tree_patched(tree, &patch);
            struct search_trial t = { .text = buf_bytes(&out) };
            t.hash = hash_bytes(t.text.data, t.text.len);
            if (tree_errors(after) <= tree_errors(tree)) {
                enum verdict v = say(o, &t, 1);
                left += v == VERDICT_YES;
                *verdictless += v == VERDICT_NONE;
            }
            tree_free(after);
        }
        patch_deinit(&patch);
    }
    buf_deinit(&out);
    edits_deinit(&edits);
    tree_free(tree);
    return left;
}

/* Run and check all that must hold for any oracle. */
static struct course check(const struct script *s, const struct oracle *o,
                           struct setup setup)
{
    struct course c = run(s, o, setup), again = run(s, o, setup);
    struct bytes result = buf_bytes(&c.result);
    unsigned verdictless = 0;

    assert_true(interesting(o, result));
    assert_int_equal(c.not_interesting, 0);
    assert_int_equal(c.not_smaller, 0);
    assert_int_equal(c.broken, 0);
    assert_int_equal(c.asked_again, 0);
    assert_int_equal(c.stats.yes + c.stats.no + c.stats.none + c.stats.dropped,
                     c.stats.trials);
    assert_true(c.accepted <= c.stats.accepted);
    assert_true(hash_equal(c.trace, again.trace));
    assert_int_equal(c.result.len, again.result.len);
    assert_memory_equal(c.result.data, again.result.data, c.result.len);
    if (setup.nfrozen == 0) {
        assert_int_equal(single_edits_left(result, o, &setup, &verdictless), 0);
        assert_int_equal(c.minimal, verdictless == 0);
    }
    buf_deinit(&again.result);
    return c;
}

static const unsigned widths[] = { 1, 2, 3, 4, 8, 16 };

static void needed_statements_stay_and_nothing_else(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(widths) * 4; i++) {
        struct script s;
        struct oracle o;
        struct course c;
        bool present[NAMES_MAX];

        make_script(&s, 10 + 20 * (i % 4), i + 1);
        oracle_init(&o, &s);
        need_some(&o, &s, 1 + i % 5, i);
        c = check(&s, &o, (struct setup){ .width = widths[i / 4], .order = i });
        assert_true(c.minimal);
        present_names(buf_bytes(&c.result), present);
        assert_memory_equal(present, o.needed, sizeof(present));
        buf_deinit(&c.result);
        buf_deinit(&s.text);
    }
}

static void dependencies_are_followed(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(widths) * 3; i++) {
        struct script s;
        struct oracle o;
        struct course c;

        make_script(&s, 40, i + 100);
        oracle_init(&o, &s);
        need_some(&o, &s, 3, i);
        depend(&o, &s, i);
        c = check(&s, &o, (struct setup){ .width = widths[i / 3], .order = i });
        assert_true(c.minimal);
        buf_deinit(&c.result);
        buf_deinit(&s.text);
    }
}

static void fickle_oracles_are_borne(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(widths) * 5; i++) {
        struct script s;
        struct oracle o;
        struct course c;

        make_script(&s, 30, i + 200);
        oracle_init(&o, &s);
        need_some(&o, &s, 2, i);
        depend(&o, &s, i);
        o.noise = 2 + i % 5; /* two: every other text is refused */
        c = check(&s, &o, (struct setup){ .width = widths[i / 5], .order = i });
        assert_true(c.minimal);
        buf_deinit(&c.result);
        buf_deinit(&s.text);
    }
}

static void all_goes_when_all_is_accepted(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(widths); i++) {
        struct script s;
        struct oracle o;
        struct course c;

        make_script(&s, 200, i + 300);
        oracle_init(&o, &s);
        c = check(&s, &o, (struct setup){ .width = widths[i], .order = i });
        assert_true(c.result.len < 8);
        assert_true(c.minimal);
        if (widths[i] == 1) /* runs double: a few for each family of edits */
            assert_true(c.stats.trials < 100);
        buf_deinit(&c.result);
        buf_deinit(&s.text);
    }
}

/* Whenever it turns out that noes were a matter of chance, be it at the very
 * end, none of them stays, and what was found out is not lost. */
static void noes_that_are_doubted_are_asked_about_again(void **state)
{
    unsigned stayed = 0;

    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(widths) * 12; i++) {
        struct setup setup = { .width = widths[i / 12], .order = i };
        struct script s;
        struct oracle o, sure;
        struct course c;
        unsigned verdictless = 0;

        make_script(&s, 40, i + 1);
        oracle_init(&o, &s);
        need_some(&o, &s, 3, i);
        sure = o;
        o.chance = 3;
        c = run(&s, &o, setup); /* nobody doubts them */
        stayed += single_edits_left(buf_bytes(&c.result), &sure, &setup,
                                    &verdictless) > 0;
        setup.doubted = (unsigned)c.stats.trials * (i % 12 + 1) / 12;
        buf_deinit(&c.result);
        c = run(&s, &o, setup);
        assert_true(interesting(&o, buf_bytes(&c.result)));
        assert_int_equal(c.not_interesting + c.not_smaller + c.asked_again, 0);
        assert_true(c.minimal);
        assert_int_equal(single_edits_left(buf_bytes(&c.result), &sure, &setup,
                                           &verdictless),
                         0);
        buf_deinit(&c.result);
        buf_deinit(&s.text);
    }
    assert_true(stayed > 36);
}

static void nothing_goes_when_nothing_is_accepted(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(widths); i++) {
        struct script s;
        struct oracle o;
        struct course c;

        make_script(&s, 40, i + 400);
        oracle_init(&o, &s);
        o.nothing = true;
        c = check(&s, &o, (struct setup){ .width = widths[i], .order = i });
        assert_int_equal(c.result.len, s.text.len);
        assert_memory_equal(c.result.data, s.text.data, s.text.len);
        assert_int_equal(c.stats.accepted, 0);
        assert_int_equal(c.stats.rounds, 1);
        assert_true(c.minimal);
        buf_deinit(&c.result);
        buf_deinit(&s.text);
    }
}

static void long_texts_are_reduced_too(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct script s;
        struct oracle o;
        struct course c;

        make_script(&s, 1500, i + 450);
        assert_true(s.text.len > 32768); /* where errors are sought locally */
        oracle_init(&o, &s);
        need_some(&o, &s, 20, i);
        c = check(&s, &o, (struct setup){ .width = 1 + 7 * i, .order = i });
        assert_true(c.minimal);
        assert_true(c.result.len < s.text.len / 20);
        buf_deinit(&c.result);
        buf_deinit(&s.text);
    }
}

static void any_number_of_workers_gives_the_result_of_one(void **state)
{
    uint64_t dropped = 0;

    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        struct script s;
        struct oracle o;
        struct course one;

        make_script(&s, 80, i + 500);
        oracle_init(&o, &s);
        need_some(&o, &s, 4, i);
        for (unsigned a = 0; a + 1 < s.names; a += 2)
            o.needs[a] = (int)a + 1; /* the later of two goes last */
        one = check(&s, &o, (struct setup){ .width = 1 });
        for (unsigned width = 2; width <= 16; width *= 2) {
            struct course c = check(&s, &o,
                                    (struct setup){ .width = width,
                                                    .order = i,
                                                    .drops = i % 2,
                                                    .rumours = i / 2 % 2 });

            assert_int_equal(c.result.len, one.result.len);
            assert_memory_equal(c.result.data, one.result.data, c.result.len);
            assert_int_equal(c.stats.accepted, one.stats.accepted);
            assert_int_equal(c.stats.rounds, one.stats.rounds);
            assert_int_equal(c.stats.remembered, one.stats.remembered);
            assert_int_equal(c.mutated, one.mutated);
            dropped += c.stats.dropped;
            buf_deinit(&c.result);
        }
        buf_deinit(&one.result);
        buf_deinit(&s.text);
    }
    assert_true(dropped > 100);
}

/* The first line of a text that another has not; false when there is none. */
static bool first_missing(struct bytes text, struct bytes other, char *line,
                          size_t room)
{
    const char *at = text.data, *end = text.data + text.len;

    while (at < end) {
        const char *eol = memchr(at, '\n', (size_t)(end - at));
        size_t len = (size_t)((eol ? eol + 1 : end) - at);

        if (len < room && !memmem(other.data, other.len, at, len)) {
            memcpy(line, at, len);
            line[len] = '\0';
            return true;
        }
        at += len;
    }
    return false;
}

static size_t imports_in(struct bytes text)
{
    const char *at = text.data, *end = text.data + text.len;
    size_t n = 0;

    while ((at = memmem(at, (size_t)(end - at), "import ", 7))) {
        at += 7;
        n++;
    }
    return n;
}

/* Run all that the search gives before the first report; how many texts do not
 * hold `word`. */
static unsigned given_without(struct search *search, const char *word,
                              unsigned *given)
{
    struct search_trial trial;
    unsigned n = 0;

    for (*given = 0; search_next(search, &trial); ++*given)
        n += !memmem(trial.text.data, trial.text.len, word, strlen(word));
    return n;
}

/* A kind that has always gone is built upon, one that never has is passed by.
 */
static void what_is_likely_is_what_is_built_upon(void **state)
{
    (void)state;
    for (unsigned yes = 0; yes < 2; yes++) {
        struct search_opts opts = { .width = 4 };
        struct script s;
        struct search *search;
        struct search_trial trial;
        char word[128] = "";
        unsigned without, given;

        make_script(&s, 200, 3);
        search = search_new(buf_bytes(&s.text), NULL, 0, &opts);
        for (unsigned i = 0; i < 6; i++) { /* one at a time */
            assert_true(search_next(search, &trial));
            search_report(search, trial.id, yes ? VERDICT_YES : VERDICT_NO);
        }
        assert_true(search_next(search, &trial));
        assert_true(
            first_missing(search_text(search), trial.text, word, sizeof(word)));
        without = given_without(search, word, &given);
        assert_int_equal(given, 3);
        assert_true(yes ? without >= 2 : without <= 1);
        search_free(search);
        buf_deinit(&s.text);
    }
}

/* What is said of a trial that is out is followed, and left when it proves
 * wrong. */
static void what_is_expected_is_built_upon_until_the_verdict(void **state)
{
    static const enum verdict said[] = { VERDICT_NO, VERDICT_YES };

    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(said); i++) {
        struct search_opts opts = { .width = 12 };
        struct script s;
        struct search *search;
        struct search_trial trial;
        char word[128] = "";
        unsigned given, without;

        make_script(&s, 200, 3);
        search = search_new(buf_bytes(&s.text), NULL, 0, &opts);
        assert_true(search_next(search, &trial));
        assert_true(
            first_missing(search_text(search), trial.text, word, sizeof(word)));
        search_expect(search, trial.id, said[i]);
        without = given_without(search, word, &given);
        assert_int_equal(given, 11);
        assert_int_equal(without, i * given);
        search_report(search, trial.id, i ? VERDICT_NO : VERDICT_YES);
        for (uint64_t id = 1; id <= given; id++)
            assert_false(search_wants(search, trial.id + id));
        search_free(search);
        buf_deinit(&s.text);
    }
}

/* What is tried on top of an import's removal is not known to go without that
 * import either. */
static void
a_guess_that_touches_an_import_is_said_with_each_text_on_it(void **state)
{
    static const char text[] = "import os\nimport sys\nimport json\nimport re\n"
                               "x = 1\ny = 2\nz = 3\nprint(x)\n";
    struct search_opts opts = { .width = 16 };
    struct search *search =
        search_new(bytes_of(text, sizeof(text) - 1), NULL, 0, &opts);
    struct search_trial out[16];
    unsigned touched = 0, others = 0, n = 0;
    uint64_t seed = 1;

    (void)state;
    while (!search_finished(search)) {
        unsigned i;

        while (search_next(search, &out[n])) {
            size_t lost =
                imports_in(search_text(search)) - imports_in(out[n].text);

            assert_true(lost == 0 || out[n].touches_import);
            touched += lost > 0;
            others += lost > 0 && strcmp(out[n].kind, "import") != 0;
            n++;
        }
        i = chance(&seed) % n;
        search_report(search, out[i].id,
                      memmem(out[i].text.data, out[i].text.len, "os", 2)
                          ? VERDICT_YES
                          : VERDICT_NO);
        out[i] = out[--n];
    }
    assert_true(touched > 0 && others > 0);
    search_free(search);
}

static void a_lost_run_is_given_once_more(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(widths) * 2; i++) {
        struct script s;
        struct oracle o;
        struct course c;

        make_script(&s, 40, i + 600);
        oracle_init(&o, &s);
        need_some(&o, &s, 3, i);
        depend(&o, &s, i);
        o.none_once = 3;
        c = check(&s, &o, (struct setup){ .width = widths[i / 2], .order = i });
        assert_true(c.stats.none > 0);
        assert_true(c.minimal);
        buf_deinit(&c.result);
        buf_deinit(&s.text);
    }
}

static void what_never_has_a_verdict_is_not_called_minimal(void **state)
{
    unsigned not_minimal = 0, minimal = 0;

    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(widths) * 6; i++) {
        struct script s;
        struct oracle o;
        struct course c;

        make_script(&s, 40, i + 700);
        oracle_init(&o, &s);
        need_some(&o, &s, 6, i);
        o.none_always = 4 + 20 * (i % 3);
        c = check(&s, &o, (struct setup){ .width = widths[i / 6], .order = i });
        not_minimal += !c.minimal;
        minimal += c.minimal && c.stats.none > 0;
        buf_deinit(&c.result);
        buf_deinit(&s.text);
    }
    assert_true(not_minimal > 0);
    assert_true(minimal > 0); /* what had no verdict is gone in the end */
}

/* Freeze whole lines of the script: the statements of some names. */
static size_t freeze_lines(const struct script *s, struct span *frozen,
                           size_t max, uint64_t seed)
{
    struct bytes text = buf_bytes(&s->text);
    uint32_t start = 0;
    size_t n = 0;

    for (uint32_t i = 0; i < text.len; i++) {
        if (text.data[i] != '\n')
            continue;
        if (n < max && text.data[i - 1] != ':' && chance(&seed) % 9 == 0) {
            while (text.data[start] == ' ')
                start++;
            frozen[n++] = (struct span){ start, i };
        }
        start = i + 1;
    }
    return n;
}

static void frozen_bytes_stay(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(widths) * 2; i++) {
        struct script s;
        struct oracle o;
        struct course c;
        struct span frozen[20];
        size_t n;
        const char *at;

        make_script(&s, 60, i + 800);
        oracle_init(&o, &s);
        need_some(&o, &s, 2, i);
        o.noise = i % 2 ? 5 : 0;
        n = freeze_lines(&s, frozen, 20, i + 1);
        assert_true(n > 0);
        c = check(&s, &o,
                  (struct setup){ .width = widths[i / 2],
                                  .order = i,
                                  .frozen = frozen,
                                  .nfrozen = n });
        at = buf_str(&c.result);
        for (size_t f = 0; f < n; f++) { /* all of them, in their order */
            char *line =
                xmemdup(s.text.data + frozen[f].start, span_len(frozen[f]));
            const char *found = strstr(at, line);
            free(line);
            assert_non_null(found);
            at = found + span_len(frozen[f]);
        }
        assert_true(c.result.len < s.text.len);
        buf_deinit(&c.result);
        buf_deinit(&s.text);
    }
}

static void preserving_edits_alone_when_asked(void **state)
{
    struct script s;
    struct oracle o;
    struct course all, ints, some;

    (void)state;
    make_script(&s, 50, 900);
    oracle_init(&o, &s);
    need_some(&o, &s, 5, 1);
    some = check(&s, &o, (struct setup){ .width = 1, .mutate = MUTATE_NONE });
    ints = check(&s, &o, (struct setup){ .width = 1, .mutate = MUTATE_INTS });
    all = check(&s, &o, (struct setup){ .width = 1 });
    assert_true(some.minimal && ints.minimal && all.minimal);
    assert_false(some.mutated);
    assert_true(ints.mutated && all.mutated);
    assert_true(all.result.len < ints.result.len);
    assert_true(ints.result.len < some.result.len);
    buf_deinit(&some.result);
    buf_deinit(&ints.result);
    buf_deinit(&all.result);
    buf_deinit(&s.text);
}

static void a_text_with_errors_gets_no_new_ones(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        struct script s;
        struct oracle o;
        struct course c;
        struct tree *tree;

        make_script(&s, 30, i + 850);
        buf_adds(&s.text, "v390 = = 2\nif v391\n    v392 = (\nv393 = 5\n");
        oracle_init(&o, &s);
        need_some(&o, &s, 3, i);
        o.needed[390] = i % 2;
        tree = tree_parse(buf_bytes(&s.text));
        o.errors = tree_errors(tree);
        tree_free(tree);
        assert_true(o.errors > 0);
        c = check(&s, &o, (struct setup){ .width = 1 + i % 4, .order = i });
        assert_true(c.result.len < s.text.len / 2);
        buf_deinit(&c.result);
        buf_deinit(&s.text);
    }
}

/* Preserving trials first, and mutating ones only when all those failed. */
static void mutating_edits_wait(void **state)
{
    struct script s;
    struct search_opts opts = { .width = 1 };
    struct search *search;
    struct search_trial trial;
    struct bytes text;
    int mutating = 0;

    (void)state;
    make_script(&s, 20, 901);
    text = buf_bytes(&s.text);
    while (text.data[0] != '\n') /* no imports: to lose their names waits too */
        text = bytes_of(strchr(text.data, '\n') + 1,
                        text.len -
                            (size_t)(strchr(text.data, '\n') + 1 - text.data));
    search = search_new(text, NULL, 0, &opts);
    while (search_next(search, &trial)) {
        bool mutates = false;
        for (unsigned kind = 0; kind < EDIT_KINDS; kind++)
            if (edit_kind_info(kind)->tier >= TIER_SHRINK)
                mutates |= !strcmp(edit_kind_info(kind)->name, trial.kind);
        assert_true(mutates || mutating == 0);
        mutating += mutates;
        search_report(search, trial.id, VERDICT_NO);
    }
    assert_true(search_finished(search));
    assert_true(mutating > 0);
    search_free(search);
    buf_deinit(&s.text);
}

/* All trials of a text one after another; good are the texts in `good`. */
static unsigned
try_all(const char *text, const char *const *good,
        void (*look)(void *arg, const struct search_trial *trial, bool yes),
        void *arg)
{
    struct search_opts opts = { .width = 1 };
    struct search *search =
        search_new(bytes_of(text, strlen(text)), NULL, 0, &opts);
    struct search_trial trial;
    unsigned n = 0;

    while (search_next(search, &trial)) {
        bool yes = false;

        for (size_t i = 0; good[i] && !yes; i++)
            yes = trial.text.len == strlen(good[i]) &&
                  memcmp(trial.text.data, good[i], trial.text.len) == 0;
        if (look)
            look(arg, &trial, yes);
        search_report(search, trial.id, yes ? VERDICT_YES : VERDICT_NO);
        n++;
    }
    assert_true(search_minimal(search));
    search_free(search);
    return n;
}

struct order {
    const char *text; /* of the trial that is looked for */
    unsigned n, at;   /* trials; the one that was */
    unsigned mutated; /* the first that mutates */
};

static void note_order(void *arg, const struct search_trial *trial, bool yes)
{
    struct order *order = arg;

    (void)yes;
    order->n++;
    if (trial->text.len == strlen(order->text) &&
        memcmp(trial->text.data, order->text, trial->text.len) == 0)
        order->at = order->n;
    if (trial->mutates && order->mutated == 0)
        order->mutated = order->n;
}

/* It mostly fails, and is asked about at the end in any case. */
static void what_leaves_a_name_undefined_waits_for_mutation(void **state)
{
    static const char *const none[] = { NULL };
    struct order order = { .text = "f(x)\nf(x)\n" };

    (void)state;
    try_all("x = g()\nf(x)\nf(x)\n", none, note_order, &order);
    assert_true(order.mutated > 0);
    assert_true(order.at > order.mutated);
}

/* Some names are there without it. */
static void an_import_that_is_used_is_tried_before_mutation(void **state)
{
    static const char *const none[] = { NULL };
    struct order order = { .text = "m.f(7)\nm.g()\n" };

    (void)state;
    try_all("import m\nm.f(7)\nm.g()\n", none, note_order, &order);
    assert_true(order.at > 0);
    assert_true(order.mutated > order.at);
}

struct after {
    bool seen, due;     /* the yes that is waited for */
    unsigned yeses, at; /* the so manieth */
    char kind[32];      /* of the trial after it */
};

static void note_after(void *arg, const struct search_trial *trial, bool yes)
{
    struct after *after = arg;

    if (after->due && !after->seen) {
        snprintf(after->kind, sizeof(after->kind), "%s", trial->kind);
        after->seen = true;
    }
    after->yeses += yes;
    after->due = after->yeses >= after->at;
}

/* y(v) can't go before x(): it is refused where it stands, and goes when all
 * is asked for again. Then v is used once. */
static void what_a_late_yes_makes_possible_comes_at_once(void **state)
{
    static const char *const good[] = {
        "v = g(1)\ny(v)\nk(v)\na()\nb()\nc()\nd()\n",
        "v = g(1)\nk(v)\na()\nb()\nc()\nd()\n", NULL
    };
    struct after after = { .at = 2 };

    (void)state;
    try_all("x()\nv = g(1)\ny(v)\nk(v)\na()\nb()\nc()\nd()\n", good, note_after,
            &after);
    assert_true(after.seen);
    assert_string_equal(after.kind, "inline");
}

static void an_empty_text_is_finished_at_once(void **state)
{
    struct search_opts opts = { .width = 4 };
    struct search *search = search_new(bytes_of("", 0), NULL, 0, &opts);
    struct search_trial trial;

    (void)state;
    assert_false(search_next(search, &trial));
    assert_true(search_finished(search));
    assert_true(search_minimal(search));
    assert_int_equal(search_text(search).len, 0);
    search_free(search);
}

static void a_search_can_be_given_up_with_trials_out(void **state)
{
    struct script s;
    struct search_opts opts = { .width = 8 };
    struct search *search;
    struct search_trial trial;
    unsigned n = 0;

    (void)state;
    make_script(&s, 50, 902);
    search = search_new(buf_bytes(&s.text), NULL, 0, &opts);
    while (search_next(search, &trial))
        n++;
    assert_in_range(n, 1, 8); /* never more than asked for */
    assert_false(search_finished(search));
    assert_false(search_minimal(search));
    search_free(search);
    buf_deinit(&s.text);
}

/* Give the search values for three expressions of a script. */
static struct search *search_observed(const char *text, const char *values,
                                      unsigned width)
{
    struct observed observed;
    struct search_opts opts = { .width = width, .observed = &observed };
    struct search *search;

    assert_int_equal(observed_read(&observed, values, strlen(text), NULL), 0);
    search = search_new(bytes_of(text, strlen(text)), NULL, 0, &opts);
    observed_deinit(&observed);
    return search;
}

static const char observed_text[] = "k(f(abc, abc))\n"  /* f 2, abc 4 */
                                    "k(g(v0) + n.m)\n"; /* g 17, n 25 */
static const char observed_values[] = "2-13=1\n4-7=2\n"
                                      "17-28=6\n17-22=3\n25-28=4\n";

static void observed_values_are_the_first_candidate(void **state)
{
    struct search *search = search_observed(observed_text, observed_values, 1);
    struct search_trial trial;
    (void)state;

    assert_true(search_next(search, &trial));
    assert_int_equal(trial.text.len, strlen("k(1)\nk(6)\n"));
    assert_memory_equal(trial.text.data, "k(1)\nk(6)\n", trial.text.len);
    assert_true(search_report(search, trial.id, VERDICT_YES));
    while (search_next(search, &trial)) {
        assert_string_not_equal(trial.kind, "observed");
        search_report(search, trial.id, VERDICT_NO);
    }
    assert_true(search_minimal(search));
    search_free(search);
}

/* What is sure is tried at once, each union on the text that the one before
 * has left. */
static void a_round_opens_with_what_is_sure(void **state)
{
    static const char text[] = "a = 5.5\ndef f(x):\n    return a\nk(b.d)\n";
    struct search *search = search_observed(text, "33-36=7\n", 1);
    struct search_trial trial;
    (void)state;

    assert_true(search_next(search, &trial));
    assert_string_equal(trial.kind, "merge");
    assert_int_equal(trial.text.len, strlen("k(7)\n"));
    assert_memory_equal(trial.text.data, "k(7)\n", trial.text.len);
    search_report(search, trial.id, VERDICT_NO);
    assert_true(search_next(search, &trial)); /* its parts */
    assert_string_equal(trial.kind, "dead");
    search_report(search, trial.id, VERDICT_YES);
    while (search_next(search, &trial))
        search_report(search, trial.id, VERDICT_NO);
    assert_true(search_minimal(search));
    assert_int_equal(search_text(search).len, strlen("k(b.d)\n"));
    search_free(search);
}

static const char looked_text[] = "a = 1\nb = 2\nc = 3\nk(f(x.y))\n";

static struct search *search_looking(unsigned width)
{
    struct search_opts opts = { .width = width, .looks = true };

    return search_new(bytes_of(looked_text, strlen(looked_text)), NULL, 0,
                      &opts);
}

/* Before anything is mutated the base is asked for again, and nothing else is
 * out then. */
static void what_a_look_has_seen_is_the_next_candidate(void **state)
{
    struct observed observed;
    (void)state;

    assert_int_equal(observed_read(&observed, "2-8=7\n", 10, NULL), 0);
    for (unsigned width = 1; width <= 4; width++) {
        struct search *search = search_looking(width);
        struct search_trial trial, none;
        unsigned looks = 0;

        while (search_next(search, &trial)) {
            bool yes = memmem(trial.text.data, trial.text.len, "k(", 2) &&
                       (trial.looks || looks > 0 ||
                        memmem(trial.text.data, trial.text.len, "f(x.y)", 6));
            if (!trial.looks) {
                search_report(search, trial.id, yes ? VERDICT_YES : VERDICT_NO);
                continue;
            }
            assert_int_equal(looks++, 0);
            assert_int_equal(trial.text.len, strlen("k(f(x.y))\n"));
            assert_false(search_next(search, &none));
            assert_false(search_mutated(search));
            search_saw(search, &observed);
            assert_false(search_report(search, trial.id, VERDICT_YES));
            assert_true(search_next(search, &trial));
            assert_string_equal(trial.kind, "observed");
            assert_memory_equal(trial.text.data, "k(7)\n", trial.text.len);
            search_report(search, trial.id, VERDICT_YES);
        }
        assert_int_equal(looks, 1);
        assert_true(search_minimal(search));
        search_free(search);
    }
    observed_deinit(&observed);
}

static void a_look_that_comes_to_nothing_changes_nothing(void **state)
{
    static const enum verdict verdicts[] = { VERDICT_YES, VERDICT_NO,
                                             VERDICT_NONE };
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(verdicts); i++) {
        struct search *search = search_looking(1);
        struct search_trial trial;
        unsigned looks = 0;

        while (search_next(search, &trial)) {
            bool yes = memmem(trial.text.data, trial.text.len, "k(f(x.y))", 9);

            if (trial.looks)
                looks++;
            search_report(search, trial.id,
                          trial.looks ? verdicts[i]
                          : yes       ? VERDICT_YES
                                      : VERDICT_NO);
        }
        assert_int_equal(looks, 1);
        assert_true(search_minimal(search));
        assert_int_equal(search_text(search).len, strlen("k(f(x.y))\n"));
        search_free(search);
    }
}

/* Only what keeps `f(` and `n.m` is interesting: the inner values go. */
static void what_is_left_of_observed_values_is_offered_alone(void **state)
{
    (void)state;
    for (unsigned width = 1; width <= 4; width++) {
        struct search *search =
            search_observed(observed_text, observed_values, width);
        struct search_trial trial;
        bool inner = false;

        while (search_next(search, &trial)) {
            char *text = xmemdup(trial.text.data, trial.text.len);
            bool yes = strstr(text, "k(f(") && strstr(text, "abc))\n") &&
                       strstr(text, "+ n.m)\n");

            inner |= !strcmp(trial.kind, "observed") && yes;
            free(text);
            search_report(search, trial.id, yes ? VERDICT_YES : VERDICT_NO);
        }
        assert_true(search_minimal(search));
        assert_true(inner);
        search_free(search);
    }
}

/* Which of two equal lines has gone is only seen from where the mark is. */
static void reduce_marked(unsigned width, bool in_front)
{
    static const char script[] = "step()\nstep()\nfail()\n";
    const struct span mark = { 7, 7 };
    struct search_opts opts = { .width = width, .marks = &mark, .nmarks = 1 };
    struct search *search =
        search_new(bytes_of(script, strlen(script)), NULL, 0, &opts);
    struct search_trial trial;

    while (search_next(search, &trial)) {
        struct span at;
        bool yes;

        search_marks(search, trial.id, &at);
        yes = (at.start == 0) == in_front &&
              memmem(trial.text.data, trial.text.len, "step()\nfail()", 13);
        assert_true(hash_equal(trial.hash,
                               hash_bytes(trial.text.data, trial.text.len)));
        search_report(search, trial.id, yes ? VERDICT_YES : VERDICT_NO);
    }
    assert_int_equal(search_text(search).len, strlen("step()\nfail()\n"));
    search_free(search);
}

static void what_is_known_of_a_text_is_known_of_its_marks_too(void **state)
{
    (void)state;
    for (unsigned width = 1; width <= 4; width++) {
        reduce_marked(width, true);
        reduce_marked(width, false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(needed_statements_stay_and_nothing_else),
        cmocka_unit_test(dependencies_are_followed),
        cmocka_unit_test(fickle_oracles_are_borne),
        cmocka_unit_test(all_goes_when_all_is_accepted),
        cmocka_unit_test(noes_that_are_doubted_are_asked_about_again),
        cmocka_unit_test(nothing_goes_when_nothing_is_accepted),
        cmocka_unit_test(long_texts_are_reduced_too),
        cmocka_unit_test(any_number_of_workers_gives_the_result_of_one),
        cmocka_unit_test(what_is_likely_is_what_is_built_upon),
        cmocka_unit_test(what_is_expected_is_built_upon_until_the_verdict),
        cmocka_unit_test(
            a_guess_that_touches_an_import_is_said_with_each_text_on_it),
        cmocka_unit_test(a_lost_run_is_given_once_more),
        cmocka_unit_test(what_never_has_a_verdict_is_not_called_minimal),
        cmocka_unit_test(frozen_bytes_stay),
        cmocka_unit_test(preserving_edits_alone_when_asked),
        cmocka_unit_test(a_text_with_errors_gets_no_new_ones),
        cmocka_unit_test(mutating_edits_wait),
        cmocka_unit_test(what_leaves_a_name_undefined_waits_for_mutation),
        cmocka_unit_test(an_import_that_is_used_is_tried_before_mutation),
        cmocka_unit_test(what_a_late_yes_makes_possible_comes_at_once),
        cmocka_unit_test(an_empty_text_is_finished_at_once),
        cmocka_unit_test(a_search_can_be_given_up_with_trials_out),
        cmocka_unit_test(observed_values_are_the_first_candidate),
        cmocka_unit_test(a_round_opens_with_what_is_sure),
        cmocka_unit_test(what_a_look_has_seen_is_the_next_candidate),
        cmocka_unit_test(a_look_that_comes_to_nothing_changes_nothing),
        cmocka_unit_test(what_is_left_of_observed_values_is_offered_alone),
        cmocka_unit_test(what_is_known_of_a_text_is_known_of_its_marks_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
