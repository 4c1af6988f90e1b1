/* When a hot child may be believed. */
#include "test/test.h"

#include "config/base.h"
#include "minimizer/lanes.h"

static const struct lane_run fit = { .child = 7, .kept = true };

/* A candidate in an open lane: a no, of a child that is fit for more. */
static void hold(struct lanes *l, unsigned lane)
{
    bool voided;

    lanes_give(l, lane);
    assert_int_equal(lanes_ran(l, lane, &fit, true, false, &voided), LANE_HOLD);
    assert_false(voided);
}

static bool control(struct lanes *l, unsigned lane, struct lane_run run,
                    bool good)
{
    lanes_give(l, lane);
    return lanes_controlled(l, lane, &run, good);
}

static void no_candidate_runs_before_a_good_control_run(void **state)
{
    struct lanes l;
    (void)state;

    lanes_init(&l, 2);
    assert_int_equal(lanes_pick(&l), 0);
    assert_true(lanes_wants_control(&l, 0));
    assert_true(control(&l, 0, fit, true));
    assert_false(lanes_wants_control(&l, 0));
    assert_int_equal(l.counts.batches, 0); /* there was nothing to believe */
}

static void noes_between_good_control_runs_are_believed(void **state)
{
    struct lanes l;
    (void)state;

    lanes_init(&l, 1);
    control(&l, 0, fit, true);
    assert_int_equal(lanes_unproven(&l), -1);
    for (unsigned i = 0; i < LANE_HELD_MAX; i++) {
        assert_false(lanes_wants_control(&l, 0));
        hold(&l, 0);
        assert_int_equal(lanes_unproven(&l), 0);
    }
    assert_true(lanes_wants_control(&l, 0));
    assert_true(control(&l, 0, fit, true));
    assert_int_equal(l.counts.noes, LANE_HELD_MAX);
    assert_int_equal(l.counts.batches, 1);
    assert_int_equal(l.counts.voided, 0);
    assert_int_equal(lanes_unproven(&l), -1);
}

static void noes_before_a_bad_control_run_are_void(void **state)
{
    const struct {
        struct lane_run run;
        bool good;
    } bad[] = {
        { { .child = 7, .kept = true }, false }, /* it does not fail */
        { { .child = 7, .kept = false }, true }, /* not fit for more */
        { { .child = 8, .kept = true }, true },  /* another child */
        { { .child = 0, .kept = false }, true }, /* no hot child at all */
    };
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct lanes l;

        lanes_init(&l, 1);
        control(&l, 0, fit, true);
        hold(&l, 0);
        assert_false(control(&l, 0, bad[i].run, bad[i].good));
        assert_int_equal(l.counts.voided, 1);
        assert_int_equal(l.counts.noes, 0);
        assert_int_equal(lanes_unproven(&l), -1);
        assert_true(lanes_wants_control(&l, 0));
        assert_int_equal(l.at[0].generation, 1); /* and a new child */
    }
}

static void child_that_is_not_fit_for_more_makes_its_noes_void(void **state)
{
    const struct {
        struct lane_run run;
        bool answered, yes;
    } bad[] = {
        { { .child = 7, .kept = false }, true, false },
        { { .child = 7, .kept = false }, true, true },
        { { .child = 8, .kept = true }, true, false },  /* unproven */
        { { .child = 7, .kept = true }, false, false }, /* no verdict */
    };
    bool voided;
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct lanes l;

        lanes_init(&l, 1);
        control(&l, 0, fit, true);
        hold(&l, 0);
        lanes_give(&l, 0);
        assert_int_equal(
            lanes_ran(&l, 0, &bad[i].run, bad[i].answered, bad[i].yes, &voided),
            LANE_ASK);
        assert_true(voided);
        assert_true(lanes_wants_control(&l, 0));
    }
}

static void yes_is_for_a_clean_run_to_say(void **state)
{
    struct lanes l;
    bool voided;
    (void)state;

    lanes_init(&l, 1);
    control(&l, 0, fit, true);
    hold(&l, 0);
    lanes_give(&l, 0);
    assert_int_equal(lanes_ran(&l, 0, &fit, true, true, &voided), LANE_ASK);
    assert_false(voided);
    assert_true(control(&l, 0, fit, true)); /* the no before it stands */
    assert_int_equal(l.counts.noes, 1);
    lanes_checked(&l, true, true);
    assert_int_equal(l.counts.denied, 0);
    lanes_checked(&l, true, false);
    assert_int_equal(l.counts.denied, 1);
}

static void run_in_no_hot_child_is_a_clean_one(void **state)
{
    const struct lane_run clean = { 0 };
    struct lanes l;
    bool voided;
    (void)state;

    lanes_init(&l, 1);
    control(&l, 0, fit, true);
    lanes_give(&l, 0);
    assert_int_equal(lanes_ran(&l, 0, &clean, true, true, &voided), LANE_TAKE);
}

static void lane_with_a_run_out_is_not_given_another(void **state)
{
    struct lanes l;
    (void)state;

    lanes_init(&l, 2);
    control(&l, 1, fit, true);
    assert_int_equal(lanes_pick(&l), 1); /* open lanes first */
    lanes_give(&l, 1);
    assert_int_equal(lanes_pick(&l), 0);
    lanes_give(&l, 0);
    assert_int_equal(lanes_pick(&l), -1);
    lanes_passed(&l, 1);
    assert_int_equal(lanes_pick(&l), 1);
}

static void void_batches_in_a_row_end_the_use_of_hot_children(void **state)
{
    struct lanes l;
    unsigned tries = 0;
    (void)state;

    lanes_init(&l, 1);
    while (lanes_pick(&l) >= 0 && tries < 100) {
        tries++;
        if (!control(&l, 0, fit, tries % 2 > 0))
            continue;
        hold(&l, 0);
    }
    assert_true(l.off);
    assert_in_range(tries, 4, 20);

    /* One among many good ones does not. */
    lanes_init(&l, 1);
    for (unsigned i = 0; i < 200; i++)
        if (control(&l, 0, fit, i % 10 > 0))
            hold(&l, 0);
    assert_false(l.off);
    assert_true(l.counts.voided > 10);
}

static void child_has_an_end(void **state)
{
    struct lanes l;
    unsigned runs = 0;
    (void)state;

    lanes_init(&l, 1);
    for (; l.at[0].generation == 0 && runs < 10000; runs++) {
        if (lanes_wants_control(&l, 0))
            assert_true(control(&l, 0, fit, true));
        else
            hold(&l, 0);
    }
    assert_true(runs < 2 * LANE_RUNS_MAX);
    assert_int_equal(l.counts.voided, 0);
    assert_int_equal(l.counts.noes, runs - l.counts.controls);
}

static void noes_are_sampled_and_contradiction_has_consequences(void **state)
{
    struct lanes l;
    (void)state;

    lanes_init(&l, 1);
    for (unsigned i = 0; i < 1000; i++) {
        control(&l, 0, fit, true);
        hold(&l, 0);
        control(&l, 0, fit, true);
        if (lanes_samples(&l))
            lanes_checked(&l, false, false);
    }
    assert_in_range(l.counts.sampled, 10, 30);
    assert_false(l.off);
    for (unsigned i = 0; i < 3; i++)
        lanes_checked(&l, false, true);
    assert_int_equal(l.counts.overturned, 3);
    assert_true(l.off);
    assert_int_equal(lanes_pick(&l), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_candidate_runs_before_a_good_control_run),
        cmocka_unit_test(noes_between_good_control_runs_are_believed),
        cmocka_unit_test(noes_before_a_bad_control_run_are_void),
        cmocka_unit_test(child_that_is_not_fit_for_more_makes_its_noes_void),
        cmocka_unit_test(yes_is_for_a_clean_run_to_say),
        cmocka_unit_test(run_in_no_hot_child_is_a_clean_one),
        cmocka_unit_test(lane_with_a_run_out_is_not_given_another),
        cmocka_unit_test(void_batches_in_a_row_end_the_use_of_hot_children),
        cmocka_unit_test(child_has_an_end),
        cmocka_unit_test(noes_are_sampled_and_contradiction_has_consequences),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
