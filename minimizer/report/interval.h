/* interval.h - how sure a rate is: the Clopper-Pearson interval. Pure.
 *
 * C. J. Clopper and E. S. Pearson, Biometrika 26 (1934): the rates under which
 * as many matches, or more (fewer), come with probability at least half of
 * what the level leaves. It holds the true rate at least as often as said. */
#ifndef AUTODD_INTERVAL_H
#define AUTODD_INTERVAL_H

#include <stdint.h>

struct interval {
    double low, high;
};

/* For `matched` of `runs` (matched <= runs) at `level`, say 0.95. No runs:
 * 0 to 1. */
struct interval interval_of(uint64_t matched, uint64_t runs, double level);

#endif
