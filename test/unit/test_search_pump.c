/* Pumps against oracles: texts that no single step makes smaller, but a larger
 * one does. A function is called three times; with its body in their place much
 * may be taken away, or nothing. */
#include "test/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/buf.h"
#include "config/hash.h"
#include "config/mem.h"
#include "minimizer/search/search.h"
#include "minimizer/search/solo.h"

#define OUT_MAX 8
#define FUNCTIONS_MAX 5

/* What no edit of a single call makes smaller. */
#define FUNCTION                                                               \
    "def f(x):\n"                                                              \
    "    alpha_beta_gamma(x)\n"                                                \
    "    delta_epsilon_zeta(x)\n"
static const char small[] = FUNCTION "f(a.p)\nf(a.q)\nf(a.r)\n";
static const char paid[] = "alpha_beta_gamma(a.p)\n"
                           "delta_epsilon_zeta(a.q)\n"
                           "alpha_beta_gamma(a.r)\n";

struct oracle {
    const char *const *function; /* all of them: good */
    const char *const *inlined;  /* or all of these */
};

static const char *const whole[] = { "def f(x):",
                                     "alpha_beta_gamma(x)",
                                     "delta_epsilon_zeta(x)",
                                     "\nf(a.p)",
                                     "\nf(a.q)",
                                     "\nf(a.r)",
                                     NULL };
static const char *const some[] = { "alpha_beta_gamma(a.p)",
                                    "delta_epsilon_zeta(a.q)",
                                    "alpha_beta_gamma(a.r)", NULL };
static const char *const all[] = { "alpha_beta_gamma(a.p)",
                                   "alpha_beta_gamma(a.q)",
                                   "alpha_beta_gamma(a.r)",
                                   "delta_epsilon_zeta(a.p)",
                                   "delta_epsilon_zeta(a.q)",
                                   "delta_epsilon_zeta(a.r)",
                                   NULL };
static const char *const never[] = { "nowhere", NULL };

static const struct oracle pays = { whole, some };
static const struct oracle costs = { whole, all };
static const struct oracle refuses = { whole, never };

static bool has_all(struct bytes text, const char *const *parts)
{
    for (; *parts; parts++)
        if (!memmem(text.data, text.len, *parts, strlen(*parts)))
            return false;
    return true;
}

static bool is_good(const struct oracle *o, struct bytes text)
{
    return has_all(text, o->function) || has_all(text, o->inlined);
}

static uint32_t chance(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

struct course {
    char *text;
    struct hash128 trace; /* of all trials in their order */
    struct search_stats stats;
    unsigned pumped, larger, grown; /* trials; of them larger; commits larger */
    bool minimal;
    const char *last_kind;
};

static void note(struct course *c, const struct search *search,
                 const struct search_trial *trial)
{
    bool larger = trial->text.len > search_text(search).len;

    assert_true(trial->pumped || !larger);
    c->pumped += trial->pumped;
    c->larger += larger;
    c->trace = hash_more(c->trace, &trial->hash, sizeof(trial->hash));
}

/* The whole search, reports in an order of chance. */
static struct course run(const char *text, const struct oracle *o,
                         unsigned width, uint64_t order)
{
    struct search_opts opts = { .width = width };
    struct search *search =
        search_new(bytes_of(text, strlen(text)), NULL, 0, &opts);
    struct search_trial out[OUT_MAX];
    struct course c = { 0 };
    unsigned n = 0;
    struct bytes best;

    while (!search_finished(search)) {
        size_t before = search_text(search).len;
        unsigned i;

        while (n < width && search_next(search, &out[n]))
            note(&c, search, &out[n++]);
        assert_true(n > 0);
        i = chance(&order) % n;
        search_report(search, out[i].id,
                      is_good(o, out[i].text) ? VERDICT_YES : VERDICT_NO);
        out[i] = out[--n];
        c.grown += search_text(search).len > before;
    }
    best = search_text(search);
    c.text = xcalloc(best.len + 1, 1);
    memcpy(c.text, best.data, best.len);
    c.stats = search_stats(search);
    c.minimal = search_minimal(search);
    c.last_kind = search_last_kind(search);
    search_free(search);
    return c;
}

static void a_pump_that_pays_is_kept(void **state)
{
    struct course c = run(small, &pays, 1, 0);
    (void)state;

    assert_string_equal(c.text, paid);
    assert_true(c.larger > 0);
    assert_int_equal(c.grown, 0);
    assert_true(c.minimal);
    assert_int_equal(c.stats.pump_runs, c.pumped);
    free(c.text);
}

/* The text and all that the search says of it is as if it had a no. */
static void one_that_does_not_pay_is_undone(void **state)
{
    struct course tried = run(small, &costs, 1, 0);
    struct course refused = run(small, &refuses, 1, 0);
    (void)state;

    assert_string_equal(tried.text, small);
    assert_string_equal(refused.text, small);
    assert_int_equal(refused.pumped, 1);
    assert_true(tried.pumped > 1);
    assert_int_equal(tried.grown, 0);
    assert_int_equal(tried.stats.accepted, refused.stats.accepted);
    assert_int_equal(tried.stats.trials - tried.pumped,
                     refused.stats.trials - refused.pumped);
    assert_true(tried.minimal && refused.minimal);
    assert_ptr_equal(tried.last_kind, refused.last_kind);
    free(tried.text);
    free(refused.text);
}

/* A text of many calls, each with something to be tried, behind another. */
static char *many(const char *first, unsigned functions, unsigned calls)
{
    struct buf text;

    buf_init(&text, 1 << 20);
    buf_adds(&text, first);
    for (unsigned f = 0; f < functions; f++) {
        buf_addf(&text, "def f%u(x):\n", f);
        for (unsigned i = 0; i < calls; i++)
            buf_addf(&text, "    call_number_%u(x.y%u, z)\n", i, f);
        buf_addf(&text, "f%u(p)\nf%u(q)\n", f, f);
    }
    return buf_take(&text, NULL);
}

static unsigned count(struct bytes text, const char *what)
{
    unsigned n = 0;
    const char *at = text.data, *end = text.data + text.len;

    while ((at = memmem(at, (size_t)(end - at), what, strlen(what)))) {
        n++;
        at++;
    }
    return n;
}

/* Calls that are made, by a function or where its calls were. */
static unsigned calls_of(struct bytes text, unsigned functions)
{
    unsigned calls = 0;

    for (unsigned f = 0; f < functions; f++) {
        char name[32];
        unsigned inside, callers;

        snprintf(name, sizeof(name), ".y%u, z)\n", f);
        inside = count(text, name);
        snprintf(name, sizeof(name), "\nf%u(p)", f);
        callers = count(text, name);
        snprintf(name, sizeof(name), "\nf%u(q)", f);
        callers += count(text, name);
        calls += callers ? inside * callers : inside;
    }
    return calls;
}

/* Good is what makes as many calls as the text, and what `o` (or NULL) says
 * so of, too; without `pumps`, nothing that was pumped. */
static struct search_stats run_many(const char *text, const struct oracle *o,
                                    bool pumps, char **result)
{
    struct search_opts opts = { .width = 1 };
    struct bytes all_of_it = bytes_of(text, strlen(text));
    struct search *search = search_new(all_of_it, NULL, 0, &opts);
    unsigned calls = calls_of(all_of_it, FUNCTIONS_MAX);
    struct search_trial trial;
    struct search_stats stats;

    while (search_next(search, &trial)) {
        bool good = calls_of(trial.text, FUNCTIONS_MAX) == calls &&
                    (!o || is_good(o, trial.text)) && (pumps || !trial.pumped);

        search_report(search, trial.id, good ? VERDICT_YES : VERDICT_NO);
    }
    stats = search_stats(search);
    *result = xcalloc(search_text(search).len + 1, 1);
    memcpy(*result, search_text(search).data, search_text(search).len);
    search_free(search);
    return stats;
}

static void a_pump_costs_no_more_than_its_budget(void **state)
{
    char *text = many("", 1, 12), *result;
    struct search_stats stats = run_many(text, NULL, true, &result);
    (void)state;

    assert_int_equal(stats.pump_runs, PUMP_RUNS + 1);
    assert_string_equal(result, text);
    free(result);
    free(text);
}

static void all_pumps_cost_no_more_than_theirs(void **state)
{
    char *text = many("", FUNCTIONS_MAX, 12), *result;
    struct search_stats stats = run_many(text, NULL, true, &result);
    (void)state;

    assert_int_equal(stats.pump_runs, PUMPS_RUNS);
    assert_string_equal(result, text);
    free(result);
    free(text);
}

/* What has made the text smaller was no loss. */
static void a_pump_that_pays_is_not_counted(void **state)
{
    char *text = many(small, FUNCTIONS_MAX, 12), *result;
    struct search_stats stats = run_many(text, &pays, true, &result);
    (void)state;

    assert_int_equal(strncmp(result, paid, strlen(paid)), 0);
    assert_true(stats.pump_runs > PUMPS_RUNS);
    free(result);
    free(text);
}

/* Of two pumps: the one, the other on top of it, the other; the one on top of
 * that is a text that was tried. */
static void a_text_is_pumped_once(void **state)
{
    char *text = many("", 2, 2), *result;
    struct search_stats tried = run_many(text, NULL, true, &result);
    struct search_stats refused;
    (void)state;

    assert_string_equal(result, text);
    free(result);
    refused = run_many(text, NULL, false, &result);
    assert_true(tried.pump_runs < PUMPS_RUNS);
    assert_int_equal(tried.rounds, refused.rounds + 3);
    free(result);
    free(text);
}

static void any_number_of_workers_ends_at_the_same_text(void **state)
{
    static const unsigned widths[] = { 1, 2, 8 };
    static const struct oracle *const oracles[] = { &pays, &costs, &refuses };
    (void)state;

    for (size_t o = 0; o < ARRAY_LEN(oracles); o++) {
        struct course one = run(small, oracles[o], 1, 0);

        for (size_t w = 0; w < ARRAY_LEN(widths); w++)
            for (uint64_t order = 0; order < 8; order++) {
                struct course c = run(small, oracles[o], widths[w], order);

                assert_string_equal(c.text, one.text);
                assert_int_equal(c.grown, 0);
                assert_true(c.minimal);
                free(c.text);
            }
        free(one.text);
    }
}

static void the_same_calls_give_the_same_trials(void **state)
{
    (void)state;
    for (unsigned width = 1; width <= 8; width *= 2) {
        struct course a = run(small, &costs, width, 7);
        struct course b = run(small, &costs, width, 7);

        assert_true(hash_equal(a.trace, b.trace));
        assert_int_equal(a.stats.trials, b.stats.trials);
        free(a.text);
        free(b.text);
    }
}

static void a_pump_without_a_verdict_is_asked_for_once_more(void **state)
{
    struct search_opts opts = { .width = 1 };
    struct search *search =
        search_new(bytes_of(small, strlen(small)), NULL, 0, &opts);
    struct search_trial trial;
    unsigned none = 0;
    (void)state;

    while (search_next(search, &trial)) {
        enum verdict verdict =
            is_good(&pays, trial.text) ? VERDICT_YES : VERDICT_NO;

        if (trial.pumped && none == 0) {
            verdict = VERDICT_NONE;
            none++;
        }
        search_report(search, trial.id, verdict);
    }
    assert_int_equal(none, 1);
    assert_int_equal(search_text(search).len, strlen(paid));
    assert_true(search_minimal(search));
    search_free(search);
}

/* A text that nothing may change has no pumps either. */
static void what_is_frozen_is_no_pump(void **state)
{
    struct bytes text = bytes_of(small, strlen(small));
    const struct span frozen = { 0, (uint32_t)text.len };
    struct search_opts opts = { .width = 1 };
    struct search *search = search_new(text, &frozen, 1, &opts);
    struct search_trial trial;
    (void)state;

    assert_false(search_next(search, &trial));
    assert_true(search_minimal(search));
    assert_int_equal(search_stats(search).rounds, 1);
    assert_int_equal(search_stats(search).accepted, 0);
    search_free(search);
}

/* Expected: a pump goes, nothing in it does, but for its last run. So it is
 * undone after a yes, and the text is again the one that was known before. */
static void a_pump_that_is_undone_says_nothing_of_its_yeses(void **state)
{
    char *text = many("", 1, 12);
    struct search_opts opts = { .width = 4 * PUMP_RUNS };
    struct search *search =
        search_new(bytes_of(text, strlen(text)), NULL, 0, &opts);
    struct search_trial trial;
    unsigned pumped = 0;
    (void)state;

    while (search_next(search, &trial)) {
        assert_int_equal(search_implied(search), 0);
        if (!trial.pumped) {
            search_report(search, trial.id, VERDICT_NO);
            continue;
        }
        search_expect(search, trial.id,
                      pumped % PUMP_RUNS == 0 ? VERDICT_YES : VERDICT_NO);
        pumped++;
    }
    assert_int_equal(pumped, PUMP_RUNS + 1);
    assert_int_equal(search_implied(search), 0);
    search_free(search);
    free(text);
}

/* Marks and frozen bytes are those of the text that is kept. */
static void marks_follow_the_text_that_is_kept(void **state)
{
    const struct span mark = { (uint32_t)strlen(FUNCTION) + 2,
                               (uint32_t)strlen(FUNCTION) + 5 };
    struct search_opts opts = { .width = 1, .marks = &mark, .nmarks = 1 };
    struct search *search =
        search_new(bytes_of(small, strlen(small)), NULL, 0, &opts);
    struct search_trial trial;
    struct span now;
    (void)state;

    while (search_next(search, &trial)) {
        search_marks(search, 0, &now);
        assert_memory_equal(search_text(search).data + now.start, "a.p", 3);
        search_report(search, trial.id,
                      is_good(&costs, trial.text) ? VERDICT_YES : VERDICT_NO);
    }
    search_free(search);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pump_that_pays_is_kept),
        cmocka_unit_test(one_that_does_not_pay_is_undone),
        cmocka_unit_test(a_pump_costs_no_more_than_its_budget),
        cmocka_unit_test(all_pumps_cost_no_more_than_theirs),
        cmocka_unit_test(a_pump_that_pays_is_not_counted),
        cmocka_unit_test(a_text_is_pumped_once),
        cmocka_unit_test(any_number_of_workers_ends_at_the_same_text),
        cmocka_unit_test(the_same_calls_give_the_same_trials),
        cmocka_unit_test(a_pump_without_a_verdict_is_asked_for_once_more),
        cmocka_unit_test(what_is_frozen_is_no_pump),
        cmocka_unit_test(a_pump_that_is_undone_says_nothing_of_its_yeses),
        cmocka_unit_test(marks_follow_the_text_that_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
