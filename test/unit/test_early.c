/* Runs of the final check that begin beside the search. */
#include "test/test.h"

#include "minimizer/early.h"
#include "test/unit/fake_fleet.h"

#define PATIENCE 24 /* as in early.c */

struct stage {
    struct fleet fleet;
    struct early *early;
    unsigned ended, taken;
    bool lost;
};

static struct observation oracle(void *arg, const char *text, enum run_how how)
{
    struct stage *stage = arg;
    (void)text;

    assert_int_equal(how, RUN_FRESH);
    return (struct observation){ .end = stage->lost ? END_LOST : END_EXIT };
}

static void on_ended(void *arg)
{
    struct stage *stage = arg;

    stage->ended++;
}

static void on_taken(void *arg, const struct observation *observation)
{
    struct stage *stage = arg;

    assert_int_equal(observation->end, END_EXIT);
    stage->taken++;
}

static void set_up(struct stage *stage, unsigned runs)
{
    struct early_spec spec = { .fleet = &stage->fleet, .runs = runs };

    *stage = (struct stage){ .fleet = { .slots = 8, .oracle = oracle } };
    stage->fleet.arg = stage;
    stage->early = early_new(&spec, on_ended, stage);
}

static void tear_down(struct stage *stage)
{
    early_free(stage->early);
    fake_fleet_end(&stage->fleet);
}

static void look(struct stage *stage, const char *text, unsigned refusals)
{
    early_look(stage->early, bytes_of(text, strlen(text)), refusals, 1000);
}

static bool take(struct stage *stage, const char *text)
{
    return early_take(stage->early, bytes_of(text, strlen(text)), on_taken,
                      stage);
}

static void nothing_runs_before_a_row_of_refusals(void **state)
{
    struct stage stage;
    (void)state;

    set_up(&stage, 3);
    for (unsigned i = 0; i < PATIENCE; i++)
        look(&stage, "a", i);
    assert_int_equal(stage.fleet.asked, 0);
    look(&stage, "a", PATIENCE);
    look(&stage, "a", PATIENCE + 1);
    assert_int_equal(stage.fleet.asked, 3);
    tear_down(&stage);
}

static void better_text_ends_them_and_takes_more_patience(void **state)
{
    struct stage stage;
    (void)state;

    set_up(&stage, 3);
    look(&stage, "a", PATIENCE);
    assert_true(fake_fleet_turn(&stage.fleet, 0));
    assert_int_equal(stage.ended, 1);
    look(&stage, "b", 0);
    assert_int_equal(stage.fleet.dropped, 2);
    assert_int_equal(stage.fleet.n, 0);
    assert_false(take(&stage, "a"));
    look(&stage, "b", 2 * PATIENCE - 1);
    assert_int_equal(stage.fleet.asked, 3);
    look(&stage, "b", 2 * PATIENCE);
    assert_int_equal(stage.fleet.asked, 6);
    tear_down(&stage);
}

static void each_run_is_taken_once_whether_it_is_over_or_not(void **state)
{
    struct stage stage;
    (void)state;

    set_up(&stage, 3);
    look(&stage, "a", PATIENCE);
    assert_true(fake_fleet_turn(&stage.fleet, 0));
    assert_false(take(&stage, "b"));
    for (unsigned i = 0; i < 3; i++)
        assert_true(take(&stage, "a"));
    assert_false(take(&stage, "a"));
    assert_int_equal(stage.taken, 1);
    while (fake_fleet_turn(&stage.fleet, 0))
        ;
    assert_int_equal(stage.taken, 3);
    assert_int_equal(stage.ended, 1);
    tear_down(&stage);
}

static void lost_run_is_left_to_the_check_itself(void **state)
{
    struct stage stage;
    (void)state;

    set_up(&stage, 1);
    stage.lost = true;
    look(&stage, "a", PATIENCE);
    assert_true(fake_fleet_turn(&stage.fleet, 0));
    assert_false(take(&stage, "a"));
    look(&stage, "a", PATIENCE + 1);
    assert_int_equal(stage.fleet.asked, 1);
    tear_down(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_runs_before_a_row_of_refusals),
        cmocka_unit_test(better_text_ends_them_and_takes_more_patience),
        cmocka_unit_test(each_run_is_taken_once_whether_it_is_over_or_not),
        cmocka_unit_test(lost_run_is_left_to_the_check_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
