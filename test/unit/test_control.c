/* The runs of the original that must pass, played by a table. */
#include "test/test.h"

#include <string.h>

#include "minimizer/control.h"
#include "test/unit/fake_fleet.h"

static struct config config = {
    .tightness = TIGHT_TEMPLATE,
    .timeout_cap_s = 300,
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

enum shows { PASSES, FAILS, HANGS, OTHER, LOST };

struct play {
    enum shows fresh, fork;
    int dones;
    char *lost, *refused, *note;
    struct control control;
};

static struct observation oracle(void *arg, const char *text, enum run_how how)
{
    struct play *play = arg;
    enum shows shows = how == RUN_FRESH ? play->fresh : play->fork;
    struct observation o = { .end = END_EXIT,
                             .wall_ms = how == RUN_FRESH ? 4000 : 100 };

    assert_string_equal(text, "text");
    switch (shows) {
    case PASSES:
        break;
    case FAILS:
        return failure();
    case HANGS:
        o.end = END_TIMEOUT;
        break;
    case OTHER:
        o.exit_code = 3;
        o.err = xstrdup("no such thing\n");
        o.err_len = strlen(o.err);
        break;
    case LOST:
        o.end = END_LOST;
        o.why = xstrdup("no room");
        break;
    }
    return o;
}

static void on_done(void *arg, const struct control_result *r)
{
    struct play *play = arg;

    play->dones++;
    play->control = r->control;
    play->lost = xstrdup(r->lost);
    play->refused = xstrdup(r->refused);
    play->note = xstrdup(r->note);
}

static void carry_out(struct play *play, bool can_fork)
{
    struct fleet fleet = { .slots = 2, .oracle = oracle, .arg = play };
    struct observation first = failure();
    struct control control = { .what = "with env:A=1", .fleet = &fleet };
    struct control_spec spec = {
        .config = &config,
        .signature = signature_pin(&config, bytes_of("", 0), &first, NULL),
        .control = &control,
        .text = bytes_of("text", 5),
        .can_fork = can_fork,
    };

    observation_deinit(&first);
    control_check(&spec, on_done, play);
    assert_int_equal(play->dones, 0);
    while (fake_fleet_turn(&fleet, 0))
        ;
    assert_int_equal(play->dones, 1);
    signature_free((struct signature *)(uintptr_t)spec.signature);
}

static void tear_down(struct play *play)
{
    free(play->lost);
    free(play->refused);
    free(play->note);
}

static void original_that_passes_may_be_forked_there(void **state)
{
    struct play play = { .fresh = PASSES, .fork = PASSES };
    (void)state;

    carry_out(&play, true);
    assert_null(play.lost);
    assert_null(play.refused);
    assert_null(play.note);
    assert_true(play.control.fork);
    assert_int_equal(play.control.runs, 4);
    assert_int_equal(play.control.passed, 4);
    assert_int_equal(play.control.fresh_timeout_ms, 12000);
    assert_int_equal(play.control.fork_timeout_ms, 2100);
    tear_down(&play);
}

static void without_a_fork_server_runs_are_fresh(void **state)
{
    struct play play = { .fresh = PASSES, .fork = FAILS };
    (void)state;

    carry_out(&play, false);
    assert_null(play.refused);
    assert_false(play.control.fork);
    assert_int_equal(play.control.runs, 2);
    tear_down(&play);
}

static void forks_that_do_not_pass_are_given_up_with_a_note(void **state)
{
    struct play play = { .fresh = PASSES, .fork = OTHER };
    (void)state;

    carry_out(&play, true);
    assert_null(play.refused);
    assert_non_null(strstr(play.note, "fresh runs are used"));
    assert_false(play.control.fork);
    tear_down(&play);
}

static void original_that_does_not_pass_is_refused_with_what_came(void **state)
{
    static const struct {
        enum shows shows;
        const char *said;
    } cases[] = {
        { FAILS, "shows the failure: KeyError" },
        { HANGS, "timeout" },
        { OTHER, "no such thing" },
    };
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct play play = { .fresh = cases[i].shows, .fork = PASSES };

        carry_out(&play, true);
        assert_non_null(play.refused);
        assert_non_null(strstr(play.refused, "with env:A=1"));
        assert_non_null(strstr(play.refused, cases[i].said));
        tear_down(&play);
    }
}

static void run_that_came_to_nothing_is_no_refusal(void **state)
{
    struct play play = { .fresh = PASSES, .fork = LOST };
    (void)state;

    carry_out(&play, true);
    assert_string_equal(play.lost, "no room");
    assert_null(play.refused);
    tear_down(&play);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(original_that_passes_may_be_forked_there),
        cmocka_unit_test(without_a_fork_server_runs_are_fresh),
        cmocka_unit_test(forks_that_do_not_pass_are_given_up_with_a_note),
        cmocka_unit_test(original_that_does_not_pass_is_refused_with_what_came),
        cmocka_unit_test(run_that_came_to_nothing_is_no_refusal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
