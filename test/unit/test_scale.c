/* Axes and numbers of the reports. */
#include "test/test.h"

#include <math.h>
#include <string.h>

#include "minimizer/report/figure.h"
#include "minimizer/report/scale.h"

static void assert_sound(const struct scale *scale, double max)
{
    assert_true(scale->low < scale->high);
    assert_true(scale->high >= max * (1 - 1e-6));
    assert_in_range(scale->n, 2, SCALE_TICKS_MAX);
    for (unsigned i = 0; i < scale->n; i++) {
        assert_true(scale->ticks[i] >= scale->low * (1 - 1e-6));
        assert_true(scale->ticks[i] <= scale->high * (1 + 1e-6));
        assert_true(i == 0 || scale->ticks[i] > scale->ticks[i - 1]);
    }
    assert_true(scale_at(scale, scale->low) <= 0);
    assert_true(scale_at(scale, scale->high) >= 1);
}

static void every_axis_has_some_marks_and_not_too_many(void **state)
{
    (void)state;
    for (double max = 0.001; max < 1e12; max *= 1.37) {
        struct scale runs = scale_linear(max, 5);
        struct scale time = scale_seconds(max, 5);

        assert_sound(&runs, max);
        assert_sound(&time, max);
        for (double min = max / 1e9; min < max; min *= 3) {
            struct scale sizes = scale_sizes(min, max);

            assert_sound(&sizes, max);
            assert_true(sizes.low <= (min < 1 ? 1 : min) * (1 + 1e-6));
        }
    }
}

static void nothing_is_an_axis_too(void **state)
{
    struct scale runs = scale_linear(0, 5), time = scale_seconds(NAN, 5);
    struct scale sizes = scale_sizes(0, 0);
    (void)state;

    assert_sound(&runs, 0);
    assert_sound(&time, 0);
    assert_sound(&sizes, 0);
}

static void sizes_far_apart_are_shown_by_powers(void **state)
{
    struct scale near = scale_sizes(600, 1000), far = scale_sizes(157, 9622);
    (void)state;

    assert_false(near.log);
    assert_true(near.low <= 0);
    assert_true(far.log);
    assert_float_equal(far.low, 100, 1e-6);
    assert_float_equal(far.high, 10000, 1e-6);
    assert_float_equal(scale_at(&far, 1000), 0.5, 1e-6);
}

static void time_is_cut_by_minutes_and_hours(void **state)
{
    struct scale minutes = scale_seconds(400, 5);
    struct scale hours = scale_seconds(20000, 5);
    (void)state;

    assert_float_equal(minutes.ticks[1], 120, 1e-6);
    assert_float_equal(hours.ticks[1], 7200, 1e-6);
}

static void values_outside_stand_at_the_ends(void **state)
{
    struct scale scale = scale_linear(10, 5);
    (void)state;

    assert_true(scale_at(&scale, -5) <= 0);
    assert_true(scale_at(&scale, 50) >= 1);
    assert_float_equal(scale_at(&scale, 5), 0.5, 1e-6);
}

static void counts_are_cut_by_thousands(void **state)
{
    (void)state;
    assert_string_equal(figure_count(0).text, "0");
    assert_string_equal(figure_count(999).text, "999");
    assert_string_equal(figure_count(1000).text, "1,000");
    assert_string_equal(figure_count(UINT64_MAX).text,
                        "18,446,744,073,709,551,615");
    assert_string_equal(figure_of(1, "byte", "bytes").text, "1 byte");
    assert_string_equal(figure_of(9622, "byte", "bytes").text, "9,622 bytes");
    assert_string_equal(figure_of(UINT64_MAX, "run", "characters").text,
                        "18,446,744,073,709,551,615 characters");
}

static void seconds_are_as_long_as_is_useful(void **state)
{
    (void)state;
    assert_string_equal(figure_seconds(0).text, "0.00 s");
    assert_string_equal(figure_seconds(-1).text, "0.00 s");
    assert_string_equal(figure_seconds(NAN).text, "0.00 s");
    assert_string_equal(figure_seconds(9.999).text, "10.0 s");
    assert_string_equal(figure_seconds(59.99).text, "1 min 00 s");
    assert_string_equal(figure_seconds(245).text, "4 min 05 s");
    assert_string_equal(figure_seconds(7380).text, "2 h 03 min");
    assert_true(strlen(figure_seconds(INFINITY).text) > 0);
}

static void share_that_is_not_all_does_not_read_so(void **state)
{
    (void)state;
    assert_string_equal(figure_share(1).text, "100 %");
    assert_string_equal(figure_share(0).text, "0 %");
    assert_string_equal(figure_share(0.99999).text, "99.9 %");
    assert_string_equal(figure_share(0.00001).text, "0.1 %");
    assert_string_equal(figure_share(0.975).text, "97.5 %");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_axis_has_some_marks_and_not_too_many),
        cmocka_unit_test(nothing_is_an_axis_too),
        cmocka_unit_test(sizes_far_apart_are_shown_by_powers),
        cmocka_unit_test(time_is_cut_by_minutes_and_hours),
        cmocka_unit_test(values_outside_stand_at_the_ends),
        cmocka_unit_test(counts_are_cut_by_thousands),
        cmocka_unit_test(seconds_are_as_long_as_is_useful),
        cmocka_unit_test(share_that_is_not_all_does_not_read_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
