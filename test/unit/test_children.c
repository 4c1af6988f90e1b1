/* Which children may run candidates, on a fleet that the test plays. */
#include "test/test.h"

#include <string.h>

#include "minimizer/children.h"
#include "test/unit/fake_fleet.h"

static const char script[] = "raise KeyError('x')\n";

/* How the original goes in each kind of child. */
struct play {
    unsigned forked_ms, hot_ms; /* of a forked run; of a second hot one */
    bool warm_gets_ready;
    bool unfit_hot;   /* its child is given up after each run */
    bool passes_warm; /* the failure does not show in warm children */
    unsigned hot, warm;

    unsigned done, rests[2]; /* by enum rest */
    enum config_children use;
    bool use_warm;
    char note[512];
};

static struct observation failure(void)
{
    return (struct observation){
        .end = END_EXIT,
        .exit_code = 1,
        .forked = true,
        .exc_type = xstrdup("KeyError"),
        .exc_message = xstrdup("x"),
    };
}

static struct observation oracle(void *arg, const char *text, enum run_how how)
{
    struct play *play = arg;
    struct observation o = failure();
    (void)text;

    o.wall_ms = play->forked_ms;
    if (how == RUN_HOT) {
        o.hot = 7 + (play->unfit_hot ? play->hot : 0);
        o.kept = !play->unfit_hot;
        o.wall_ms = play->hot++ > 0 ? play->hot_ms : play->forked_ms;
    } else if (how == RUN_WARM && play->warm++ > 0 && play->warm_gets_ready) {
        o.warm = true;
        o.exit_code = !play->passes_warm;
    }
    return o;
}

static void on_done(void *arg, enum config_children use, bool warm,
                    const char *note)
{
    struct play *play = arg;

    play->done++;
    play->use = use;
    play->use_warm = warm;
    if (note)
        snprintf(play->note, sizeof(play->note), "%s", note);
}

static void check(struct play *play, enum config_children asked, bool context,
                  bool steady)
{
    struct config config = { .tightness = TIGHT_TEMPLATE, .children = asked };
    struct bytes text = bytes_of(script, sizeof(script) - 1);
    struct observation first = failure();
    struct signature *signature = signature_pin(&config, text, &first, NULL);
    struct fleet fleet = { .slots = 1, .oracle = oracle, .arg = play };
    struct children_spec spec = {
        .config = &config,
        .signature = signature,
        .fleet = &fleet,
        .text = text,
        .fork = true,
        .steady = steady,
        .context = context,
    };

    children_check(&spec, on_done, play);
    while (fake_fleet_turn(&fleet, 0))
        ;
    assert_int_equal(play->done, 1);
    memcpy(play->rests, fleet.rests, sizeof(play->rests));
    observation_deinit(&first);
    signature_free(signature);
}

static void hot_ones_are_chosen_where_they_are_three_times_as_fast(void **state)
{
    static const struct {
        unsigned forked_ms, hot_ms;
        enum config_children use;
    } rows[] = {
        { 400, 30, CHILDREN_HOT },
        { 90, 30, CHILDREN_HOT },
        { 89, 30, CHILDREN_WARM },
        { 20, 30, CHILDREN_WARM },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct play play = { .forked_ms = rows[i].forked_ms,
                             .hot_ms = rows[i].hot_ms,
                             .warm_gets_ready = true };

        check(&play, CHILDREN_AUTO, true, true);
        assert_int_equal(play.use, rows[i].use);
        assert_true(play.use_warm);
        assert_string_equal(play.note, "");
    }
}

static void hot_ones_that_were_asked_for_need_not_be_fast(void **state)
{
    struct play play = { .forked_ms = 20, .hot_ms = 30 };
    (void)state;

    check(&play, CHILDREN_HOT, true, true);
    assert_int_equal(play.use, CHILDREN_HOT);
}

static void without_a_context_there_are_plain_ones(void **state)
{
    struct play play = { .forked_ms = 400, .hot_ms = 30 };
    (void)state;

    check(&play, CHILDREN_AUTO, false, true);
    assert_int_equal(play.use, CHILDREN_PLAIN);
    assert_int_equal(play.hot + play.warm, 0);
}

static void unsteady_failures_have_no_hot_ones(void **state)
{
    struct play play = { .forked_ms = 400,
                         .hot_ms = 30,
                         .warm_gets_ready = true };
    (void)state;

    check(&play, CHILDREN_AUTO, true, false);
    assert_int_equal(play.use, CHILDREN_WARM);
    assert_int_equal(play.hot, 0);
}

/* It is told to who asked for them, and to nobody else. */
static void unfit_hot_ones_are_not_used(void **state)
{
    static const enum config_children asked[] = { CHILDREN_AUTO, CHILDREN_HOT };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(asked); i++) {
        struct play play = { .forked_ms = 400,
                             .hot_ms = 30,
                             .unfit_hot = true,
                             .warm_gets_ready = true };

        check(&play, asked[i], true, true);
        assert_int_equal(play.use, CHILDREN_WARM);
        assert_int_equal(play.note[0] != '\0', asked[i] == CHILDREN_HOT);
    }
}

static void no_clean_run_is_warm_where_no_warm_child_has_failed(void **state)
{
    struct play never = { .forked_ms = 400, .hot_ms = 30 };
    struct play passes = { .forked_ms = 400,
                           .hot_ms = 30,
                           .warm_gets_ready = true,
                           .passes_warm = true };
    (void)state;

    check(&never, CHILDREN_HOT, true, true);
    assert_int_equal(never.use, CHILDREN_HOT);
    assert_false(never.use_warm);
    check(&passes, CHILDREN_HOT, true, true);
    assert_int_equal(passes.use, CHILDREN_PLAIN);
    assert_false(passes.use_warm);
    assert_non_null(strstr(passes.note, "ahead"));
}

static void children_that_were_tried_in_vain_do_not_wait(void **state)
{
    static const struct {
        enum config_children asked;
        bool context, unfit_hot, passes_warm;
        enum config_children use;
        unsigned rests[2];
    } rows[] = {
        { CHILDREN_HOT, true, false, false, CHILDREN_HOT, { 0, 0 } },
        { CHILDREN_AUTO, true, true, false, CHILDREN_WARM, { 1, 0 } },
        { CHILDREN_AUTO, true, false, true, CHILDREN_PLAIN, { 0, 1 } },
        { CHILDREN_HOT, false, true, false, CHILDREN_PLAIN, { 0, 1 } },
        { CHILDREN_PLAIN, true, false, false, CHILDREN_PLAIN, { 0, 0 } },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct play play = { .forked_ms = 400,
                             .hot_ms = 30,
                             .unfit_hot = rows[i].unfit_hot,
                             .passes_warm = rows[i].passes_warm,
                             .warm_gets_ready = true };

        check(&play, rows[i].asked, rows[i].context, true);
        assert_int_equal(play.use, rows[i].use);
        assert_memory_equal(play.rests, rows[i].rests, sizeof(play.rests));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            hot_ones_are_chosen_where_they_are_three_times_as_fast),
        cmocka_unit_test(hot_ones_that_were_asked_for_need_not_be_fast),
        cmocka_unit_test(without_a_context_there_are_plain_ones),
        cmocka_unit_test(unsteady_failures_have_no_hot_ones),
        cmocka_unit_test(unfit_hot_ones_are_not_used),
        cmocka_unit_test(children_that_were_tried_in_vain_do_not_wait),
        cmocka_unit_test(no_clean_run_is_warm_where_no_warm_child_has_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
