/* What is made of runs that take too long. */
#include "test/test.h"

#include "minimizer/patience.h"

static struct config config = { .timeout_cap_s = 100 };

static struct patience patience_of(uint64_t limit_ms, uint64_t long_ms)
{
    struct patience p;

    patience_init(&p, &config, limit_ms, long_ms, false);
    return p;
}

static void limit_is_thrice_the_slowest_run(void **state)
{
    (void)state;
    assert_int_equal(patience_for(0, 100000), 2000);
    assert_int_equal(patience_for(500, 100000), 2500);
    assert_int_equal(patience_for(1000, 100000), 3000);
    assert_int_equal(patience_for(4000, 100000), 12000);
    assert_int_equal(patience_for(40000, 100000), 100000);
}

static void timeout_is_a_no_once_something_good_was_quick(void **state)
{
    struct patience p = patience_of(3000, 3000);
    struct attempt a = { 0 };
    (void)state;

    assert_int_equal(patience_begin(&p, &a), 3000);
    assert_int_equal(patience_over(&p, &a), PATIENCE_MEASURE);
    patience_saw(&p, 900);
    assert_int_equal(patience_over(&p, &a), PATIENCE_NO);
    /* What ended before it began says nothing of the load now. */
    a = (struct attempt){ 0 };
    patience_begin(&p, &a);
    assert_int_equal(patience_over(&p, &a), PATIENCE_MEASURE);
}

static void timeout_is_void_when_the_limit_was_raised(void **state)
{
    struct patience p = patience_of(3000, 3000);
    struct attempt a = { 0 };
    (void)state;

    patience_begin(&p, &a);
    patience_saw(&p, 2500);
    assert_int_equal(patience_over(&p, &a), PATIENCE_AGAIN);
    assert_int_equal(patience_begin(&p, &a), 7500);
    patience_saw(&p, 2400);
    assert_int_equal(patience_over(&p, &a), PATIENCE_NO);
}

static void nothing_waits_longer_than_the_cap(void **state)
{
    struct patience p = patience_of(60000, 60000);
    struct attempt a = { 0 };
    (void)state;

    patience_begin(&p, &a);
    assert_int_equal(patience_measure(&p), 100000);
    patience_saw(&p, 100000);
    assert_int_equal(patience_over(&p, &a), PATIENCE_AGAIN);
    assert_int_equal(patience_begin(&p, &a), 100000);
    assert_int_equal(patience_over(&p, &a), PATIENCE_NO);
}

static void longer_limit_stays_once_it_has_helped(void **state)
{
    struct patience p = patience_of(3000, 30000);
    struct attempt a = { 0 };
    (void)state;

    patience_begin(&p, &a);
    patience_saw(&p, 500);
    assert_int_equal(patience_over(&p, &a), PATIENCE_AGAIN);
    assert_int_equal(patience_begin(&p, &a), 30000);
    patience_in_time(&p, &a);
    a = (struct attempt){ 0 };
    assert_int_equal(patience_begin(&p, &a), 30000);
}

static void longer_limit_is_given_up_when_it_is_of_no_use(void **state)
{
    struct patience p = patience_of(3000, 30000);
    unsigned longer = 0;
    (void)state;

    for (int i = 0; i < 10; i++) {
        struct attempt a = { 0 };
        enum patience_say say;

        patience_begin(&p, &a);
        patience_saw(&p, 500);
        while ((say = patience_over(&p, &a)) == PATIENCE_AGAIN) {
            longer += patience_begin(&p, &a) == 30000;
            patience_saw(&p, 500);
        }
        assert_int_equal(say, PATIENCE_NO);
    }
    assert_int_equal(longer, 3);
}

static void word_of_the_user_is_not_changed(void **state)
{
    struct config said = { .timeout_cap_s = 100, .timeout_s = 5 };
    struct attempt a = { 0 };
    struct patience p;
    (void)state;

    patience_init(&p, &said, 5000, 5000, false);
    patience_begin(&p, &a);
    patience_saw(&p, 4000);
    assert_int_equal(patience_over(&p, &a), PATIENCE_NO);
    assert_int_equal(patience_begin(&p, &a), 5000);
    patience_init(&p, &config, 5000, 5000, true); /* a hang */
    patience_saw(&p, 4000);
    assert_int_equal(patience_begin(&p, &a), 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limit_is_thrice_the_slowest_run),
        cmocka_unit_test(timeout_is_a_no_once_something_good_was_quick),
        cmocka_unit_test(timeout_is_void_when_the_limit_was_raised),
        cmocka_unit_test(nothing_waits_longer_than_the_cap),
        cmocka_unit_test(longer_limit_stays_once_it_has_helped),
        cmocka_unit_test(longer_limit_is_given_up_when_it_is_of_no_use),
        cmocka_unit_test(word_of_the_user_is_not_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
