/* The bounds are where a binomial tail has a given size. Tails fall or rise
 * steadily with the rate, so halving finds them; a sum of at most `runs` terms
 * each time, from logarithms of factorials. */
#include "minimizer/report/interval.h"

#include <math.h>

#define HALVINGS 60

/* P(at least `matched` of `runs`) at this rate, 0 < rate < 1. */
static double upper_tail(uint64_t matched, uint64_t runs, double rate)
{
    double n = (double)runs, sum = 0;

    for (uint64_t i = matched; i <= runs; i++) {
        double k = (double)i;
        sum += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) +
                   k * log(rate) + (n - k) * log1p(-rate));
    }
    return sum;
}

/* The rate at which upper_tail() is `size`. */
static double rate_of_tail(uint64_t matched, uint64_t runs, double size)
{
    double low = 0, high = 1;

    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (upper_tail(matched, runs, middle) < size)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

struct interval interval_of(uint64_t matched, uint64_t runs, double level)
{
    double half = (1 - level) / 2;
    struct interval interval = { 0, 1 };

    if (matched > 0)
        interval.low = rate_of_tail(matched, runs, half);
    /* At most `matched` is not at least one more. */
    if (matched < runs)
        interval.high = rate_of_tail(matched + 1, runs, 1 - half);
    return interval;
}
