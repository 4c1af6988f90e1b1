/* What a plain run may refuse, and what the sanitizer alone can tell. */
#include "test/test.h"

#include <string.h>

#include "minimizer/screen.h"
#include "test/unit/fake_fleet.h"

static struct config config = { .timeout_cap_s = 300 };

static const struct screen passing = { .passes = true, .context = true };

static struct observation raised(const char *message, bool cuda)
{
    return (struct observation){
        .end = END_EXIT,
        .exit_code = 1,
        .forked = true,
        .cuda = cuda,
        .exc_type = xstrdup("RuntimeError"),
        .exc_message = xstrdup(message),
    };
}

static bool refuses(const struct screen *screen, struct observation taken,
                    const char *words)
{
    struct buf why;
    bool refused;

    buf_init(&why, 4096);
    refused = screen_refuses(screen, &taken, &why);
    assert_int_equal(refused, why.len > 0);
    if (words)
        assert_non_null(strstr(buf_str(&why), words));
    observation_deinit(&taken);
    buf_deinit(&why);
    return refused;
}

static void candidate_that_dies_of_itself_is_refused(void **state)
{
    struct observation syntax = { .end = END_SYNTAX, .forked = true };
    struct observation hangs = { .end = END_TIMEOUT, .cuda = true };
    (void)state;

    assert_true(refuses(&passing, raised("no name x", true), "no name x"));
    assert_true(refuses(&passing, raised("no name x", false), "plainly"));
    assert_true(refuses(&passing, syntax, "does not compile"));
    assert_true(refuses(&passing, hangs, "timeout"));
}

static void what_wrong_accesses_lead_to_is_not_refused(void **state)
{
    struct observation killed = { .end = END_SIGNAL, .signal = 11 };
    struct observation limit = { .end = END_LIMIT, .why = xstrdup("memory") };
    struct observation lost = { .end = END_LOST, .why = xstrdup("no room") };
    struct observation passes = { .end = END_EXIT, .cuda = true };
    (void)state;

    assert_false(refuses(
        &passing, raised("an illegal memory access was encountered", true),
        NULL));
    assert_false(refuses(&passing,
                         raised("CUDA error: misaligned address", true), NULL));
    assert_false(refuses(&passing, raised("CUDA out of memory.", true), NULL));
    assert_false(refuses(
        &passing, raised("CUDA error: initialization error", false), NULL));
    assert_false(refuses(&passing, killed, NULL));
    assert_false(refuses(&passing, limit, NULL));
    assert_false(refuses(&passing, lost, NULL));
    assert_false(refuses(&passing, passes, NULL));
}

static void without_a_context_there_is_no_kernel(void **state)
{
    struct screen screen = passing;
    struct observation passes = { .end = END_EXIT };
    (void)state;

    assert_true(refuses(&screen, passes, "launches no kernel"));
    screen.passes = false;
    assert_true(refuses(&screen, raised("no name x", false), "no kernel"));
    assert_false(refuses(&screen, raised("no name x", true), NULL));
    screen.passes = true;
    screen.context = false; /* the original does without */
    assert_false(refuses(&screen, passes, NULL));
}

struct play {
    unsigned runs, odd; /* the run of that number is another; 0: none */
    struct observation usual, other;
    int dones;
    bool fit;
    struct screen screen;
};

static struct observation oracle(void *arg, const char *text, enum run_how how)
{
    struct play *play = arg;
    struct observation o;

    assert_string_equal(text, "text");
    assert_int_equal(how, RUN_FORK);
    observation_copy(&o,
                     ++play->runs == play->odd ? &play->other : &play->usual);
    return o;
}

static void on_done(void *arg, const struct screen *screen)
{
    struct play *play = arg;

    play->dones++;
    play->fit = screen != NULL;
    if (screen)
        play->screen = *screen;
}

static void carry_out(struct play *play)
{
    struct fleet fleet = { .slots = 4, .oracle = oracle, .arg = play };
    struct screen_spec spec = {
        .config = &config,
        .fleet = &fleet,
        .text = bytes_of("text", 5),
    };

    screen_check(&spec, on_done, play);
    assert_int_equal(play->dones, 0);
    while (fake_fleet_turn(&fleet, fleet.n / 2))
        ;
    assert_int_equal(play->dones, 1);
}

static void original_that_passes_shows_what_is_demanded(void **state)
{
    struct play play = {
        .usual = { .end = END_EXIT,
                   .forked = true,
                   .cuda = true,
                   .wall_ms = 2000 },
    };
    (void)state;

    carry_out(&play);
    assert_true(play.fit && play.screen.passes && play.screen.context);
    assert_int_equal(play.screen.timeout_ms, 6000);
}

static void what_it_does_sometimes_is_not_demanded(void **state)
{
    (void)state;
    for (unsigned odd = 1; odd <= 3; odd++) {
        struct play play = {
            .odd = odd,
            .usual = { .end = END_EXIT, .forked = true, .cuda = true },
            .other = { .end = END_EXIT,
                       .forked = true,
                       .exit_code = 1,
                       .cuda = true },
        };

        carry_out(&play);
        assert_true(play.fit && !play.screen.passes && play.screen.context);
    }
}

static void runs_that_are_not_plain_make_no_screen(void **state)
{
    (void)state;
    for (unsigned odd = 1; odd <= 3; odd++) {
        struct play play = {
            .odd = odd,
            .usual = { .end = END_EXIT, .forked = true, .cuda = true },
            .other = { .end = END_EXIT, .cuda = true },
        };
        struct play lost = play, useless = play;

        lost.other.end = END_LOST;
        useless.odd = 0;
        useless.usual.exit_code = 1;
        useless.usual.cuda = false;
        carry_out(&play);
        carry_out(&lost);
        carry_out(&useless);
        assert_false(play.fit || lost.fit || useless.fit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidate_that_dies_of_itself_is_refused),
        cmocka_unit_test(what_wrong_accesses_lead_to_is_not_refused),
        cmocka_unit_test(without_a_context_there_is_no_kernel),
        cmocka_unit_test(original_that_passes_shows_what_is_demanded),
        cmocka_unit_test(what_it_does_sometimes_is_not_demanded),
        cmocka_unit_test(runs_that_are_not_plain_make_no_screen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
