/* The final check over a chain of steps, some of which fail by themselves. */
#include "test/test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "minimizer/early.h"
#include "minimizer/verify.h"
#include "test/unit/fake_fleet.h"

static struct config config = { .tightness = TIGHT_TEMPLATE };

struct play {
    size_t fails_up_to;         /* steps 0 .. this fail by themselves */
    size_t passes_up_to;        /* and these pass elsewhere; 0: not asked */
    unsigned lost;              /* so many runs come to nothing first */
    size_t refuse;              /* this step cannot be put in place; 0: none */
    unsigned aids, needs;       /* of the fleet; without which nothing fails */
    unsigned early, early_over; /* runs begun before, and over by then */
    bool other_text;            /* they are of another one */
    uint64_t asked;
    const struct fleet *fleet;
    size_t placed;
    int dones;
    bool shown;          /* done got a run that shows the failure */
    uint32_t shown_line; /* of it: the step that it is of */
    char why[64];
    struct verify_result result;
};

static struct observation failure(void)
{
    return (struct observation){
        .end = END_EXIT,
        .exit_code = 1,
        .exc_type = xstrdup("KeyError"),
        .exc_message = xstrdup("x"),
    };
}

static struct observation oracle(void *arg, const char *text, enum run_how how)
{
    struct play *play = arg;
    struct observation o = failure();
    (void)text;
    (void)how;

    if (play->lost == 0 && play->placed <= play->fails_up_to &&
        (play->fleet->run_aids & play->needs) == play->needs) {
        o.exc_line = (uint32_t)play->placed;
        return o;
    }
    observation_deinit(&o);
    if (play->lost == 0)
        return (struct observation){ .end = END_EXIT };
    play->lost--;
    return (struct observation){ .end = END_LOST, .why = xstrdup("no room") };
}

/* Elsewhere, the good form. */
static struct observation other_oracle(void *arg, const char *text,
                                       enum run_how how)
{
    struct play *play = arg;
    (void)how;

    assert_string_equal(text, "y");
    return play->placed <= play->passes_up_to
               ? (struct observation){ .end = END_EXIT }
               : failure();
}

static int place(void *arg, size_t step, struct bytes *text, struct bytes *good,
                 struct err *err)
{
    struct play *play = arg;

    if (play->refuse && step == play->refuse)
        return err_set(err, -ENOSPC, "no room for step %zu", step);
    play->placed = step;
    *text = bytes_of("x", 2);
    *good = bytes_of("y", 2);
    return 0;
}

static void on_done(void *arg, const struct verify_result *result)
{
    struct play *play = arg;

    play->dones++;
    play->result = *result;
    play->shown = result->shown != NULL;
    if (play->shown)
        play->shown_line = result->shown->exc_line;
    play->result.shown = NULL;
    snprintf(play->why, sizeof(play->why), "%s", result->why);
    play->result.why = NULL;
}

static void on_early(void *arg)
{
    (void)arg;
}

/* Runs of the newest step that begin before the check does. */
static struct early *begin_early(struct play *play, struct fleet *fleet,
                                 size_t step)
{
    struct early_spec spec = { .fleet = fleet, .runs = play->early };
    struct early *early = early_new(&spec, on_early, NULL);

    play->placed = step;
    early_look(early, play->other_text ? bytes_of("z", 1) : bytes_of("x", 2),
               1000, 1000);
    for (unsigned i = 0; i < play->early_over; i++)
        assert_true(fake_fleet_turn(fleet, 0));
    early_stop(early);
    return early;
}

static void carry_out(struct play *play, size_t steps)
{
    struct fleet fleet = { .slots = 4, .oracle = oracle, .arg = play };
    struct observation first = failure();
    struct signature *signature =
        signature_pin(&config, bytes_of("", 0), &first, NULL);
    struct fleet other = { .slots = 4, .oracle = other_oracle, .arg = play };
    struct control control = { .what = "elsewhere",
                               .fleet = &other,
                               .good_form = true };
    struct verify_spec spec = {
        .controls = &control,
        .ncontrols = play->passes_up_to > 0 ? 1 : 0,
        .fleet = &fleet,
        .signature = signature,
        .steps = steps,
        .runs = 3,
        .needed = 3,
        .place = place,
        .aids = play->aids,
    };

    play->fleet = &fleet;
    fleet_set_aids(&fleet, play->aids);
    observation_deinit(&first);
    spec.early = begin_early(play, &fleet, steps - 1);
    verify_start(&spec, on_done, play);
    assert_int_equal(play->dones,
                     play->early_over == 3 && play->fails_up_to + 1 == steps);
    while (fake_fleet_turn(&fleet, 0) || fake_fleet_turn(&other, 0))
        ;
    assert_int_equal(play->dones, 1);
    play->asked = fleet.asked;
    early_free(spec.early);
    signature_free(signature);
}

static void newest_step_that_fails_is_the_result(void **state)
{
    struct play play = { .fails_up_to = 9 };
    (void)state;

    carry_out(&play, 10);
    assert_int_equal(play.result.error, 0);
    assert_int_equal(play.result.step, 9);
    assert_int_equal(play.result.runs, 3);
    assert_int_equal(play.result.matched, 3);
    assert_true(play.shown);
    assert_int_equal(play.shown_line, 9);
    assert_false(play.result.walked_back);
}

static void chain_is_walked_back_to_the_last_step_that_fails(void **state)
{
    (void)state;
    for (size_t good = 0; good < 9; good++) {
        struct play play = { .fails_up_to = good };

        carry_out(&play, 10);
        assert_int_equal(play.result.error, 0);
        assert_int_equal(play.result.step, good);
        assert_int_equal(play.placed, good);
        assert_true(play.result.walked_back);
        assert_string_equal(play.why, "passes");
        assert_int_equal(play.result.matched, good > 0 ? 3 : 0);
        assert_int_equal(play.shown, good > 0);
        assert_int_equal(play.shown_line, good);
    }
}

static void step_that_fails_elsewhere_too_is_walked_back(void **state)
{
    struct play play = { .fails_up_to = 9, .passes_up_to = 4 };
    (void)state;

    carry_out(&play, 10);
    assert_int_equal(play.result.error, 0);
    assert_int_equal(play.result.step, 4);
    assert_true(play.result.walked_back);
    assert_int_equal(play.result.matched, 3);
    assert_int_equal(play.result.control_runs[0], 3);
    assert_int_equal(play.result.control_passed[0], 3);
    assert_string_equal(play.why, "elsewhere: shows the failure: KeyError: x");
}

static void lost_runs_are_made_again(void **state)
{
    struct play play = { .fails_up_to = 1, .lost = 4 };
    (void)state;

    carry_out(&play, 2);
    assert_int_equal(play.result.error, 0);
    assert_int_equal(play.result.matched, 3);
}

static void too_many_lost_runs_end_it(void **state)
{
    struct play play = { .fails_up_to = 1, .lost = 1000 };
    (void)state;

    carry_out(&play, 2);
    assert_int_equal(play.result.error, -EIO);
    assert_non_null(strstr(play.result.err.text, "no room"));
}

static void full_disk_is_told(void **state)
{
    (void)state;
    for (size_t refuse = 1; refuse < 6; refuse += 4) {
        struct play play = { .fails_up_to = 3, .refuse = refuse };

        carry_out(&play, 6);
        if (refuse == 5) {
            assert_int_equal(play.result.error, -ENOSPC);
            assert_non_null(strstr(play.result.err.text, "step 5"));
        }
    }
}

static void runs_that_have_begun_are_not_made_again(void **state)
{
    (void)state;
    for (unsigned over = 0; over <= 3; over++) {
        struct play play = { .fails_up_to = 3, .early = 3, .early_over = over };

        carry_out(&play, 4);
        assert_int_equal(play.result.step, 3);
        assert_int_equal(play.result.runs, 3);
        assert_int_equal(play.result.matched, 3);
        assert_true(play.shown);
        assert_int_equal(play.asked, 3);
    }
}

static void early_runs_say_no_as_well(void **state)
{
    struct play play = { .fails_up_to = 1, .early = 3, .early_over = 2 };
    (void)state;

    carry_out(&play, 4);
    assert_int_equal(play.result.step, 1);
    assert_true(play.result.walked_back);
    assert_int_equal(play.result.matched, 3);
}

static void early_runs_of_another_text_do_not_count(void **state)
{
    struct play play = {
        .fails_up_to = 3, .early = 3, .early_over = 1, .other_text = true
    };
    (void)state;

    carry_out(&play, 4);
    assert_int_equal(play.result.matched, 3);
    assert_int_equal(play.asked, 6);
}

static void result_is_run_without_each_aid(void **state)
{
    struct play play = { .fails_up_to = 2,
                         .aids = AID_FILL | AID_BLOCKING,
                         .needs = AID_FILL };
    (void)state;

    carry_out(&play, 4);
    assert_int_equal(play.result.error, 0);
    assert_int_equal(play.result.step, 2);
    assert_int_equal(play.placed, 2);
    assert_int_equal(play.result.matched, 3);
    assert_int_equal(play.result.nwithout, 2);
    assert_int_equal(play.result.without[0].aid, AID_FILL);
    assert_int_equal(play.result.without[0].runs, 3);
    assert_int_equal(play.result.without[0].matched, 0);
    assert_int_equal(play.result.without[1].aid, AID_BLOCKING);
    assert_int_equal(play.result.without[1].runs, 3);
    assert_int_equal(play.result.without[1].matched, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newest_step_that_fails_is_the_result),
        cmocka_unit_test(chain_is_walked_back_to_the_last_step_that_fails),
        cmocka_unit_test(step_that_fails_elsewhere_too_is_walked_back),
        cmocka_unit_test(lost_runs_are_made_again),
        cmocka_unit_test(too_many_lost_runs_end_it),
        cmocka_unit_test(full_disk_is_told),
        cmocka_unit_test(result_is_run_without_each_aid),
        cmocka_unit_test(runs_that_have_begun_are_not_made_again),
        cmocka_unit_test(early_runs_say_no_as_well),
        cmocka_unit_test(early_runs_of_another_text_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
