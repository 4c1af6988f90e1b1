/* What is thought of a GPU, by a clock of the test's own. */
#include "test/test.h"

#include <string.h>

#include "worker/gpu/health.h"

#define MINUTE 60000u

static struct health with_canary(void)
{
    struct health h;

    health_init(&h, true);
    return h;
}

static void pass_canaries(struct health *h, unsigned n, uint64_t now)
{
    for (unsigned i = 0; i < n; i++) {
        assert_true(health_check(h, now));
        health_checked(h, true, "", now);
    }
}

static void application_xids_leave_it_healthy(void **state)
{
    static const uint64_t codes[] = { 13, 31, 43, 45, 68 };
    struct health h = with_canary();
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
        assert_int_equal(xid_class(codes[i], NULL), XID_APP);
        assert_false(health_xid(&h, XID_APP, codes[i], 5));
    }
    assert_true(health_usable(&h));
    assert_true(health_due(&h) == HEALTH_NEVER);
}

static void a_canary_has_answered_when_none_is_asked(void **state)
{
    struct health h = with_canary(), none;
    (void)state;

    assert_true(health_answered(&h));
    health_ask(&h, 5);
    assert_false(health_answered(&h));
    assert_true(health_check(&h, 5));
    assert_false(health_answered(&h));
    health_checked(&h, true, "", 6);
    assert_true(health_answered(&h));
    health_init(&none, false);
    health_ask(&none, 5);
    assert_true(health_answered(&none));
}

static void unknown_xids_are_bad_news(void **state)
{
    static const uint64_t codes[] = { 48, 62, 64, 74, 79, 95, 119, 999 };
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(codes); i++)
        assert_int_equal(xid_class(codes[i], NULL), XID_QUARANTINE);
    assert_int_equal(xid_class(94, NULL), XID_SUSPECT);
}

static void the_last_word_of_the_user_counts(void **state)
{
    char a[] = "94=quarantine", b[] = "94=app", c[] = "79=suspect",
         d[] = "940=quarantine";
    char *words[] = { a, b, c, d };
    struct strings over = { .at = words, .n = 4 };
    (void)state;

    assert_int_equal(xid_class(94, &over), XID_APP);
    assert_int_equal(xid_class(79, &over), XID_SUSPECT);
    assert_int_equal(xid_class(940, &over), XID_QUARANTINE);
    assert_int_equal(xid_class(31, &over), XID_APP);
}

static void a_suspicion_asks_the_canary(void **state)
{
    struct health h = with_canary();
    (void)state;

    assert_true(health_xid(&h, XID_SUSPECT, 94, 100));
    assert_int_equal(h.state, GPU_SUSPECT);
    assert_false(health_usable(&h));
    assert_true(health_due(&h) == 100);
    assert_true(health_check(&h, 100));
    assert_false(health_check(&h, 100)); /* one at a time */
    assert_false(health_checked(&h, true, "", 600));
    assert_true(health_usable(&h));
}

static void a_suspicion_while_the_canary_runs_asks_again(void **state)
{
    struct health h = with_canary();
    (void)state;

    health_xid(&h, XID_SUSPECT, 94, 100);
    assert_true(health_check(&h, 100));
    health_xid(&h, XID_SUSPECT, 94, 200);
    health_checked(&h, true, "", 300);
    assert_false(health_usable(&h));
    pass_canaries(&h, 1, 300);
    assert_true(health_usable(&h));
}

static void three_suspicions_in_an_hour_are_too_many(void **state)
{
    struct health h = with_canary();
    (void)state;

    for (unsigned i = 0; i < 2; i++) {
        health_xid(&h, XID_SUSPECT, 109, i * MINUTE);
        pass_canaries(&h, 1, i * MINUTE);
        assert_true(health_usable(&h));
    }
    health_xid(&h, XID_SUSPECT, 109, 59 * MINUTE);
    assert_int_equal(h.state, GPU_QUARANTINED);
}

static void a_doubt_asks_the_canary_and_is_not_counted(void **state)
{
    struct health h = with_canary(), without;
    (void)state;

    for (unsigned i = 0; i < 5; i++) {
        health_doubt(&h, "slow", i * MINUTE);
        assert_false(health_usable(&h));
        pass_canaries(&h, 1, i * MINUTE);
        assert_true(health_usable(&h));
    }
    health_doubt(&h, "slow", 6 * MINUTE);
    assert_true(health_check(&h, 6 * MINUTE));
    assert_true(health_checked(&h, false, "it did not end", 7 * MINUTE));
    assert_int_equal(h.state, GPU_QUARANTINED);

    health_init(&without, false);
    for (unsigned i = 0; i < 5; i++)
        health_doubt(&without, "slow", i);
    assert_true(health_usable(&without));
}

static void suspicions_over_more_than_an_hour_are_forgiven(void **state)
{
    struct health h = with_canary();
    (void)state;

    for (unsigned i = 0; i < 6; i++) {
        health_xid(&h, XID_SUSPECT, 109, i * 31 * MINUTE);
        assert_int_equal(h.state, GPU_SUSPECT);
        pass_canaries(&h, 1, i * 31 * MINUTE);
    }
}

static void a_quarantine_takes_its_time_and_three_canaries(void **state)
{
    struct health h = with_canary();
    (void)state;

    assert_true(health_xid(&h, XID_QUARANTINE, 79, 0));
    assert_string_equal(h.why, "Xid 79");
    assert_false(health_check(&h, 5 * MINUTE - 1));
    pass_canaries(&h, 2, 5 * MINUTE);
    assert_false(health_usable(&h));
    pass_canaries(&h, 1, 5 * MINUTE);
    assert_true(health_usable(&h));
}

static void each_quarantine_is_longer_up_to_an_hour(void **state)
{
    static const uint64_t minutes[] = { 5, 15, 60, 60 };
    struct health h = with_canary();
    uint64_t now = 0;
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(minutes); i++) {
        health_bad(&h, "the GPU requires a reset", false, now);
        assert_true(health_due(&h) == now + minutes[i] * MINUTE);
        now += minutes[i] * MINUTE;
        pass_canaries(&h, 3, now);
        assert_true(health_usable(&h));
    }
}

static void a_failed_canary_in_quarantine_begins_a_longer_one(void **state)
{
    struct health h = with_canary();
    (void)state;

    health_xid(&h, XID_QUARANTINE, 48, 0);
    pass_canaries(&h, 2, 5 * MINUTE);
    assert_true(health_check(&h, 5 * MINUTE));
    assert_true(health_checked(&h, false, "3 numbers are wrong", 5 * MINUTE));
    assert_true(health_due(&h) == 20 * MINUTE);
    assert_string_equal(h.why, "3 numbers are wrong");
    pass_canaries(&h, 2, 20 * MINUTE); /* counted anew */
    assert_false(health_usable(&h));
}

static void a_canary_begun_before_the_quarantine_proves_nothing(void **state)
{
    struct health h = with_canary();
    (void)state;

    health_ask(&h, 0);
    assert_true(health_check(&h, 0));
    health_xid(&h, XID_QUARANTINE, 79, 1);
    assert_false(health_checked(&h, true, "", 2));
    assert_true(health_due(&h) == 5 * MINUTE + 1);
    assert_int_equal(h.clean, 0);
}

static void a_failed_canary_at_the_start_is_a_quarantine(void **state)
{
    struct health h = with_canary();
    (void)state;

    health_ask(&h, 7);
    assert_true(health_usable(&h)); /* runs do not wait for the first one */
    assert_true(health_check(&h, 7));
    assert_true(health_checked(&h, false, "it did not end", 9));
    assert_int_equal(h.state, GPU_QUARANTINED);
}

static void wedged_and_lost_are_for_good(void **state)
{
    struct health h = with_canary();
    (void)state;

    health_wedge(&h, "process 7 does not die");
    health_bad(&h, "x", true, 1);
    health_xid(&h, XID_QUARANTINE, 79, 2);
    health_doubt(&h, "y", 3);
    assert_int_equal(h.state, GPU_WEDGED);
    assert_false(health_check(&h, 1000 * MINUTE));

    h = with_canary();
    health_bad(&h, "the GPU is lost", true, 1);
    assert_int_equal(h.state, GPU_LOST);
    assert_false(health_check(&h, 1000 * MINUTE));
    assert_true(health_due(&h) == HEALTH_NEVER);
}

static void without_a_canary_time_alone_heals(void **state)
{
    struct health h;
    (void)state;

    health_init(&h, false);
    health_xid(&h, XID_SUSPECT, 94, 0);
    assert_true(health_usable(&h)); /* counted, no more */
    health_xid(&h, XID_SUSPECT, 94, 1);
    health_xid(&h, XID_SUSPECT, 94, 2);
    assert_int_equal(h.state, GPU_QUARANTINED);
    assert_false(health_check(&h, 5 * MINUTE + 2));
    health_tick(&h, 5 * MINUTE + 1);
    assert_false(health_usable(&h));
    health_tick(&h, 5 * MINUTE + 2);
    assert_true(health_usable(&h));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(application_xids_leave_it_healthy),
        cmocka_unit_test(a_canary_has_answered_when_none_is_asked),
        cmocka_unit_test(unknown_xids_are_bad_news),
        cmocka_unit_test(the_last_word_of_the_user_counts),
        cmocka_unit_test(a_suspicion_asks_the_canary),
        cmocka_unit_test(a_suspicion_while_the_canary_runs_asks_again),
        cmocka_unit_test(three_suspicions_in_an_hour_are_too_many),
        cmocka_unit_test(a_doubt_asks_the_canary_and_is_not_counted),
        cmocka_unit_test(suspicions_over_more_than_an_hour_are_forgiven),
        cmocka_unit_test(a_quarantine_takes_its_time_and_three_canaries),
        cmocka_unit_test(each_quarantine_is_longer_up_to_an_hour),
        cmocka_unit_test(a_failed_canary_in_quarantine_begins_a_longer_one),
        cmocka_unit_test(a_canary_begun_before_the_quarantine_proves_nothing),
        cmocka_unit_test(a_failed_canary_at_the_start_is_a_quarantine),
        cmocka_unit_test(wedged_and_lost_are_for_good),
        cmocka_unit_test(without_a_canary_time_alone_heals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
