/* The first runs, played by a table: which of them show the failure. */
#include "test/test.h"

#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "minimizer/calibrate.h"

struct play {
    bool can_fork, other_cwd;
    bool in_script_dir;          /* whether runs there fail at all */
    int fresh_every, fork_every; /* every n-th run shows it; 0: none */
    uint64_t wall_ms;
    enum observed_end end;
    uint32_t lines; /* the failure comes in so many lines in turn; 0: none */
    /* counted */
    int fresh, forked, in_cwd;
};

static struct config config = {
    .timeout_cap_s = 300,
    .tightness = TIGHT_TEMPLATE,
};

static const struct bytes script = { "raise ValueError('boom')\n", 25 };

static struct observation observe(bool shows, const struct play *play)
{
    struct observation o = { .end = END_EXIT, .wall_ms = play->wall_ms };

    if (shows) {
        o.end = play->end;
        o.exit_code = 1;
        o.exc_type = xstrdup("ValueError");
        o.exc_message = xasprintf("boom at 0x%x", 16 + play->fresh);
        if (play->lines > 0)
            o.exc_line =
                1 + (uint32_t)(play->fresh + play->forked) % play->lines;
    }
    return o;
}

/* Runs in batches of two, as two slots would. */
static struct calibration *carry_out(struct play *play)
{
    struct calibration *c =
        calibration_new(&config, script, play->can_fork, play->other_cwd);
    struct calibration_run runs[2];

    while (!calibration_finished(c)) {
        size_t n = 0;

        while (n < ARRAY_LEN(runs) && calibration_next(c, &runs[n]))
            n++;
        assert_true(n > 0);
        for (size_t i = 0; i < n; i++) {
            bool fresh = runs[i].how == RUN_FRESH;
            int count = fresh ? ++play->fresh : ++play->forked;
            int every = fresh ? play->fresh_every : play->fork_every;
            bool here = play->in_script_dir || runs[i].user_cwd;
            struct observation o =
                observe(here && every > 0 && count % every == 0, play);

            o.forked = !fresh;
            play->in_cwd += runs[i].user_cwd;
            calibration_report(c, &runs[i], &o);
            observation_deinit(&o);
        }
    }
    return c;
}

static void steady_failure_takes_two_fresh_and_six_quick_forks(void **state)
{
    struct play play = { true, true, true, 1, 1, 50, END_EXIT, 0, 0, 0, 0 };
    struct calibration *c = carry_out(&play);
    struct calibration_result *r = calibration_result(c);
    (void)state;

    assert_non_null(r->signature);
    assert_true(r->fork);
    assert_int_equal(play.fresh, 2);
    assert_int_equal(play.forked, 6);
    assert_int_equal(r->fresh_matched, 2);
    assert_int_equal(r->forked_matched, 6);
    assert_false(r->in_user_cwd);
    calibration_free(c);
}

static void failure_in_one_place_is_steady_and_in_two_it_is_not(void **state)
{
    (void)state;
    for (uint32_t lines = 0; lines < 4; lines++) {
        struct play play = { .can_fork = true,
                             .in_script_dir = true,
                             .fresh_every = 1,
                             .fork_every = 1,
                             .end = END_EXIT,
                             .lines = lines };
        struct calibration *c = carry_out(&play);

        assert_int_equal(calibration_steady(c), lines < 2);
        calibration_free(c);
    }
}

static void slow_forks_are_not_repeated(void **state)
{
    struct play play = { true, true, true, 1, 1, 5000, END_EXIT, 0, 0, 0, 0 };
    struct calibration *c = carry_out(&play);
    (void)state;

    assert_int_equal(play.forked, 2);
    assert_true(calibration_result(c)->fork_timeout_ms >= 10000);
    calibration_free(c);
}

static void fork_that_never_shows_it_is_not_used(void **state)
{
    struct play play = { true, false, true, 1, 0, 50, END_EXIT, 0, 0, 0, 0 };
    struct calibration *c = carry_out(&play);
    struct calibration_result *r = calibration_result(c);
    (void)state;

    assert_non_null(r->signature);
    assert_false(r->fork);
    assert_non_null(strstr(r->note.text, "fresh runs are used"));
    calibration_free(c);
}

static void failure_of_forking_itself_is_no_failure(void **state)
{
    struct play play = { true, false, true, 0, 1, 50, END_EXIT, 0, 0, 0, 0 };
    struct calibration *c = carry_out(&play);
    struct calibration_result *r = calibration_result(c);
    (void)state;

    assert_null(r->signature);
    assert_non_null(strstr(r->err.text, "subproc"));
    calibration_free(c);
}

static void folder_of_the_user_is_tried_when_the_scripts_does_not_do(void **s)
{
    struct play play = { true, true, false, 1, 1, 50, END_EXIT, 0, 0, 0, 0 };
    struct calibration *c = carry_out(&play);
    struct calibration_result *r = calibration_result(c);
    (void)s;

    assert_non_null(r->signature);
    assert_true(r->in_user_cwd);
    assert_true(r->fork);
    calibration_free(c);
}

static void never_shown_gives_no_signature_and_a_reason(void **state)
{
    struct play play = { true, true, true, 0, 0, 5000, END_EXIT, 0, 0, 0, 0 };
    struct calibration *c = carry_out(&play);
    struct calibration_result *r = calibration_result(c);
    (void)state;

    assert_null(r->signature);
    assert_non_null(r->last);
    assert_true(r->err.text[0] != '\0');
    calibration_free(c);
}

static void rate_is_measured_when_it_shows_only_sometimes(void **state)
{
    struct play play = { true, true, true, 2, 2, 50, END_EXIT, 0, 0, 0, 0 };
    struct calibration *c = carry_out(&play);
    struct calibration_result *r = calibration_result(c);
    (void)state;

    assert_non_null(r->signature);
    assert_true(r->fresh + r->forked >= 12);
    assert_true(r->fresh_matched + r->forked_matched < r->fresh + r->forked);
    calibration_free(c);
}

static void hang_gets_a_limit_of_its_own(void **state)
{
    struct play play = { false,       false, true, 1, 0, 300000,
                         END_TIMEOUT, 0,     0,    0, 0 };
    struct calibration *c = carry_out(&play);
    struct calibration_result *r = calibration_result(c);
    (void)state;

    assert_non_null(r->signature);
    assert_true(r->fresh_timeout_ms < 300000);
    assert_int_equal(r->fresh_ms, r->fresh_timeout_ms);
    calibration_free(c);
}

/* Runs of the original that take these times, one after another, the one that
 * is `compiled` by making something for a cache. */
static struct calibration_result times(const uint64_t *ms, size_t n,
                                       size_t compiled)
{
    struct play play = { .end = END_EXIT };
    struct calibration *c = calibration_new(&config, script, true, false);
    struct calibration_result result;
    struct calibration_run run;
    size_t forks = 0;

    while (calibration_next(c, &run)) {
        struct observation o = observe(true, &play);

        o.forked = run.how == RUN_FORK;
        o.wall_ms = 4000;
        if (o.forked) {
            o.compiled = forks == compiled;
            o.wall_ms = ms[forks++ % n];
        }
        calibration_report(c, &run, &o);
        observation_deinit(&o);
    }
    result = *calibration_result(c);
    calibration_free(c);
    return result;
}

static void one_slow_run_makes_a_longer_limit_and_no_more(void **state)
{
    static const uint64_t first[] = { 20000, 1000 }, even[] = { 20000, 7000 };
    struct calibration_result r = times(first, 2, 9);
    (void)state;

    assert_int_equal(r.fork_timeout_ms, 3000);
    assert_int_equal(r.fork_long_ms, 60000);
    assert_int_equal(r.fresh_timeout_ms, 12000);
    assert_int_equal(r.fresh_long_ms, 12000);
    r = times(even, 2, 9);
    assert_int_equal(r.fork_timeout_ms, 60000);
}

static void time_to_compile_is_in_the_limit(void **state)
{
    static const uint64_t first[] = { 20000, 1000 };
    struct calibration_result r = times(first, 2, 0);
    (void)state;

    assert_int_equal(r.fork_timeout_ms, 60000);
    assert_int_equal(r.fork_long_ms, 60000);
    r = times(first, 2, 1); /* the quick one did */
    assert_int_equal(r.fork_timeout_ms, 3000);
}

/* The first fresh run of what is to hang for two seconds ends after `ms`. */
static struct calibration_result hang_for(uint64_t ms, unsigned *longer)
{
    struct config hangs = config;
    struct calibration_result result;
    struct calibration_run run;
    struct calibration *c;

    hangs.expect = EXPECT_TIMEOUT;
    hangs.timeout_s = 2;
    *longer = 0;
    c = calibration_new(&hangs, script, false, false);
    while (calibration_next(c, &run)) {
        bool ends = ms < run.timeout_ms;
        struct observation o = { .end = ends ? END_EXIT : END_TIMEOUT,
                                 .wall_ms = ends ? ms : run.timeout_ms };

        *longer += run.timeout_ms == 6000;
        calibration_report(c, &run, &o);
        observation_deinit(&o);
    }
    result = *calibration_result(c);
    result.fresh_matched = result.signature ? result.fresh_matched : 0;
    calibration_free(c);
    return result;
}

static void one_run_of_a_hang_is_given_longer(void **state)
{
    unsigned longer;
    struct calibration_result r = hang_for(UINT64_MAX, &longer);
    (void)state;

    assert_int_equal(longer, 1);
    assert_true(r.hangs);
    assert_int_equal(r.fresh_matched, r.fresh);
    assert_int_equal(r.ends_after_ms, 0);
    assert_int_equal(r.fresh_timeout_ms, 2000);
    r = hang_for(4000, &longer);
    assert_true(r.hangs);
    assert_int_equal(r.fresh_matched, r.fresh);
    assert_int_equal(r.ends_after_ms, 4000);
    r = hang_for(1000, &longer);
    assert_false(r.hangs);
    assert_int_equal(r.fresh_matched, 0);
}

static void run_that_is_lost_ends_it_with_the_reason(void **state)
{
    struct calibration *c = calibration_new(&config, script, true, true);
    struct calibration_run run;
    struct observation o = { .end = END_LOST, .why = xstrdup("no room") };
    (void)state;

    assert_true(calibration_next(c, &run));
    calibration_report(c, &run, &o);
    assert_false(calibration_next(c, &run));
    assert_true(calibration_finished(c));
    assert_string_equal(calibration_result(c)->lost, "no room");
    observation_deinit(&o);
    calibration_free(c);
}

/* As the worker answers it when its fork server has to go. */
static void forks_lost_with_their_server_are_repeated(void **state)
{
    struct play play = { .wall_ms = 50, .end = END_EXIT };
    struct calibration *c = calibration_new(&config, script, true, false);
    struct calibration_result *r = calibration_result(c);
    struct calibration_run run;
    unsigned lost = 0;
    (void)state;

    while (calibration_next(c, &run)) {
        struct observation o = observe(true, &play);

        if (run.how == RUN_FORK && lost < 2) {
            lost++;
            o.end = END_LOST;
        }
        calibration_report(c, &run, &o);
        observation_deinit(&o);
    }
    assert_true(calibration_finished(c));
    assert_int_equal(lost, 2);
    assert_null(r->lost);
    assert_non_null(r->signature);
    /* What came in their place were new interpreters. */
    assert_int_equal(r->forked, 0);
    assert_int_equal(r->fresh_matched, 4);
    assert_false(r->fork);
    calibration_free(c);
}

/* Report the run that is next, as one that shows the failure or not. */
static enum run_how run_next(struct calibration *c, bool shows)
{
    struct play play = { .wall_ms = 50, .end = END_EXIT };
    struct calibration_run run;
    struct observation o = observe(shows, &play);

    assert_true(calibration_next(c, &run));
    o.forked = run.how == RUN_FORK;
    calibration_report(c, &run, &o);
    observation_deinit(&o);
    return run.how;
}

static void last_fresh_run_is_not_waited_for(void **state)
{
    struct calibration *c = calibration_new(&config, script, true, false);
    struct calibration_result *r = calibration_result(c);
    struct calibration_run last;
    struct play play = { .wall_ms = 9000, .end = END_EXIT };
    struct observation o = observe(true, &play);
    (void)state;

    assert_int_equal(run_next(c, true), RUN_FRESH);
    assert_false(calibration_known(c));
    for (int i = 0; i < 2; i++)
        assert_int_equal(run_next(c, true), RUN_FORK);
    assert_false(calibration_known(c)); /* they are quick: four more */
    for (int i = 0; i < 4; i++)
        assert_int_equal(run_next(c, true), RUN_FORK);
    assert_true(calibration_known(c));
    assert_false(calibration_finished(c));
    assert_non_null(r->signature);
    assert_true(r->fork);
    assert_int_equal(r->forked_matched, 6);
    assert_int_equal(r->fresh, 1);

    assert_true(calibration_next(c, &last));
    assert_int_equal(last.how, RUN_FRESH);
    calibration_report(c, &last, &o);
    assert_true(calibration_finished(c));
    assert_int_equal(r->fresh_matched, 2);
    assert_true(r->fresh_timeout_ms >= 27000);
    observation_deinit(&o);
    calibration_free(c);
}

static void last_fresh_run_without_it_has_the_rate_measured(void **state)
{
    struct calibration *c = calibration_new(&config, script, true, false);
    struct calibration_result *r = calibration_result(c);
    (void)state;

    while (!calibration_known(c))
        run_next(c, true);
    assert_int_equal(run_next(c, false), RUN_FRESH);
    assert_false(calibration_finished(c));
    assert_int_equal(r->fresh_matched, 1);
    assert_int_equal(r->fresh, 2);
    while (!calibration_finished(c))
        run_next(c, true);
    assert_true(r->fork);
    assert_true(r->fresh + r->forked >= 20);
    assert_int_equal(r->fresh_matched + r->forked_matched,
                     r->fresh + r->forked - 1);
    calibration_free(c);
}

static void fork_that_misses_it_makes_nothing_known_early(void **state)
{
    struct calibration *c = calibration_new(&config, script, true, false);
    (void)state;

    run_next(c, true);
    run_next(c, true);
    run_next(c, false);
    assert_false(calibration_known(c));
    while (!calibration_finished(c))
        run_next(c, true);
    assert_true(calibration_known(c));
    calibration_free(c);
}

/* Give the next run the answer of a fork server that has loaded `learned`
 * modules ahead. */
static struct calibration_run run_learned(struct calibration *c, bool shows,
                                          uint32_t learned)
{
    struct play play = { .wall_ms = 9000, .end = END_EXIT };
    struct calibration_run run;
    struct observation o = observe(shows, &play);

    assert_true(calibration_next(c, &run));
    o.forked = run.how == RUN_FORK;
    o.learned = o.forked ? learned : 0;
    calibration_report(c, &run, &o);
    observation_deinit(&o);
    return run;
}

static void what_was_loaded_ahead_is_undone_where_it_hides_the_failure(void **s)
{
    struct calibration *c = calibration_new(&config, script, true, false);
    struct calibration_result *r = calibration_result(c);
    (void)s;

    run_learned(c, true, 0);
    assert_int_equal(run_learned(c, true, 0).learn, LEARN_LAZY);
    assert_int_equal(run_learned(c, false, 7).learn, LEARN_NOTHING);
    assert_int_equal(run_learned(c, false, 7).learn, LEARN_NOTHING);
    assert_false(calibration_known(c));
    assert_int_equal(run_learned(c, true, 0).learn, LEARN_UNDO);
    assert_int_equal(run_learned(c, true, 0).learn, LEARN_NOTHING);
    assert_true(calibration_known(c));
    assert_true(r->fork);
    assert_int_equal(r->forked, 3);
    assert_int_equal(r->forked_matched, 3);
    calibration_free(c);
}

static void failure_that_comes_and_goes_is_not_undone_twice(void **state)
{
    struct calibration *c = calibration_new(&config, script, true, false);
    unsigned undone = 0, n = 0;
    (void)state;

    while (!calibration_finished(c)) {
        struct calibration_run run = run_learned(c, n % 2 == 0, n > 2 ? 7 : 0);

        undone += run.learn == LEARN_UNDO;
        assert_true(++n < 60);
    }
    assert_true(undone <= 1);
    calibration_free(c);
}

/* Shows in 4 of 5, the first learned fork being one that misses. */
static void chance_is_not_taken_for_what_was_loaded_ahead(void **state)
{
    struct calibration *c = calibration_new(&config, script, true, false);
    struct calibration_result *r = calibration_result(c);
    unsigned n = 0, undone = 0, misses = 0;
    (void)state;

    while (!calibration_finished(c)) {
        bool shows = n % 5 != 3; /* fresh, forked, and then two learned ones */
        struct calibration_run run = run_learned(c, shows, n > 1 ? 7 : 0);

        undone += run.learn == LEARN_UNDO;
        misses += !shows;
        assert_true(++n < 60);
    }
    assert_int_equal(undone, 0);
    assert_int_equal(r->fresh + r->forked, n);
    assert_int_equal(r->fresh_matched + r->forked_matched, n - misses);
    calibration_free(c);
}

static void one_miss_has_the_rate_measured(void **state)
{
    struct calibration *c = calibration_new(&config, script, true, false);
    struct calibration_result *r = calibration_result(c);
    unsigned n = 0;
    (void)state;

    while (!calibration_finished(c)) {
        /* The first fork that had modules loaded ahead for it. */
        struct calibration_run run = run_learned(c, n != 2, n > 1 ? 7 : 0);

        assert_int_not_equal(run.learn, LEARN_UNDO);
        assert_true(++n < 60);
    }
    assert_true(n > 12);
    assert_true(r->fork); /* or these runs would not count */
    assert_true(r->fresh_matched + r->forked_matched == n - 1);
    assert_int_equal(r->fresh + r->forked, n);
    calibration_free(c);
}

static void settled_it_asks_for_nothing_more(void **state)
{
    struct calibration *c = calibration_new(&config, script, true, false);
    struct calibration_result *r = calibration_result(c);
    struct observation lost = { .end = END_LOST };
    struct calibration_run runs[3];
    (void)state;

    run_learned(c, true, 0);
    run_learned(c, true, 0);
    run_learned(c, true, 7);
    run_learned(c, false, 0); /* fresh: it comes and goes */
    for (size_t i = 0; i < ARRAY_LEN(runs); i++)
        assert_true(calibration_next(c, &runs[i]));
    calibration_settle(c);
    assert_false(calibration_next(c, &runs[0]));
    for (size_t i = 0; i < ARRAY_LEN(runs) - 1; i++)
        calibration_forget(c, &runs[i]);
    assert_false(calibration_finished(c));
    calibration_report(c, &runs[2], &lost);
    assert_true(calibration_finished(c));
    assert_false(calibration_next(c, &runs[0]));
    assert_int_equal(r->fresh + r->forked, 4);
    calibration_free(c);
}

static void with_slots_for_all_fresh_runs_go_first(void **state)
{
    struct config wide = config;
    struct calibration *c;
    struct calibration_run run;
    (void)state;

    wide.jobs = 8;
    c = calibration_new(&wide, script, true, false);
    for (int i = 0; i < 3; i++) {
        assert_true(calibration_next(c, &run));
        assert_int_equal(run.how, i < 2 ? RUN_FRESH : RUN_FORK);
    }
    assert_int_equal(run.learn, LEARN_LAZY);
    assert_false(calibration_next(c, &run)); /* the others wait for it */
    calibration_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steady_failure_takes_two_fresh_and_six_quick_forks),
        cmocka_unit_test(failure_in_one_place_is_steady_and_in_two_it_is_not),
        cmocka_unit_test(slow_forks_are_not_repeated),
        cmocka_unit_test(one_slow_run_makes_a_longer_limit_and_no_more),
        cmocka_unit_test(time_to_compile_is_in_the_limit),
        cmocka_unit_test(one_run_of_a_hang_is_given_longer),
        cmocka_unit_test(fork_that_never_shows_it_is_not_used),
        cmocka_unit_test(failure_of_forking_itself_is_no_failure),
        cmocka_unit_test(
            folder_of_the_user_is_tried_when_the_scripts_does_not_do),
        cmocka_unit_test(never_shown_gives_no_signature_and_a_reason),
        cmocka_unit_test(rate_is_measured_when_it_shows_only_sometimes),
        cmocka_unit_test(hang_gets_a_limit_of_its_own),
        cmocka_unit_test(run_that_is_lost_ends_it_with_the_reason),
        cmocka_unit_test(forks_lost_with_their_server_are_repeated),
        cmocka_unit_test(last_fresh_run_is_not_waited_for),
        cmocka_unit_test(last_fresh_run_without_it_has_the_rate_measured),
        cmocka_unit_test(fork_that_misses_it_makes_nothing_known_early),
        cmocka_unit_test(with_slots_for_all_fresh_runs_go_first),
        cmocka_unit_test(
            what_was_loaded_ahead_is_undone_where_it_hides_the_failure),
        cmocka_unit_test(failure_that_comes_and_goes_is_not_undone_twice),
        cmocka_unit_test(chance_is_not_taken_for_what_was_loaded_ahead),
        cmocka_unit_test(one_miss_has_the_rate_measured),
        cmocka_unit_test(settled_it_asks_for_nothing_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
