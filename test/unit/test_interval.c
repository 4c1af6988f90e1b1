#include "test/test.h"

#include <math.h>

#include "minimizer/report/interval.h"

static void assert_interval(uint64_t matched, uint64_t runs, double low,
                            double high)
{
    struct interval i = interval_of(matched, runs, 0.95);

    if (fabs(i.low - low) > 5e-5 || fabs(i.high - high) > 5e-5)
        fail_msg("%u of %u: %.6f to %.6f, not %.6f to %.6f", (unsigned)matched,
                 (unsigned)runs, i.low, i.high, low, high);
}

static void all_or_none_matched_has_a_closed_form(void **state)
{
    (void)state;
    for (uint64_t n = 1; n < 200; n = n * 2 + 1) {
        double bound = pow(0.025, 1.0 / (double)n);
        assert_interval(n, n, bound, 1);
        assert_interval(0, n, 0, 1 - bound);
    }
}

/* Quantiles of the beta distribution, BetaInv(0.025; k, n - k + 1) and
 * BetaInv(0.975; k + 1, n - k), from tables. */
static void known_values_come_out(void **state)
{
    (void)state;
    assert_interval(1, 10, 0.0025286, 0.4450161);
    assert_interval(5, 10, 0.1870860, 0.8129140);
    assert_interval(10, 100, 0.0490047, 0.1762226);
    assert_interval(50, 100, 0.3983211, 0.6016789);
}

static void matches_and_misses_mirror_each_other(void **state)
{
    (void)state;
    for (uint64_t k = 0; k <= 40; k++) {
        struct interval a = interval_of(k, 40, 0.95);
        struct interval b = interval_of(40 - k, 40, 0.95);
        assert_true(fabs(a.low - (1 - b.high)) < 1e-9);
        assert_true(a.low <= (double)k / 40 && (double)k / 40 <= a.high);
    }
}

static void no_runs_say_nothing(void **state)
{
    (void)state;
    assert_interval(0, 0, 0, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_or_none_matched_has_a_closed_form),
        cmocka_unit_test(known_values_come_out),
        cmocka_unit_test(matches_and_misses_mirror_each_other),
        cmocka_unit_test(no_runs_say_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
