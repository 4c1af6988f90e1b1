/* scale.h - the axis of a plot: where a value stands, and which values get a
 * mark. Pure. Marks are round numbers (1, 2 or 5 times a power of ten; of
 * seconds also the parts of minutes and hours), at least two where the axis
 * has room for them, never more than SCALE_TICKS_MAX. */
#ifndef AUTODD_SCALE_H
#define AUTODD_SCALE_H

#include <stdbool.h>

#define SCALE_TICKS_MAX 12

struct scale {
    bool log;
    double low, high; /* the values at its ends, low < high */
    double ticks[SCALE_TICKS_MAX];
    unsigned n;
};

/* From 0 to at least `max`, with about `ticks` marks; both ends are marks. */
struct scale scale_linear(double max, unsigned ticks);

/* From 0 to `max` seconds. */
struct scale scale_seconds(double max, unsigned ticks);

/* Sizes between `min` and `max`: logarithmic where they differ twentyfold and
 * more, else linear from 0. */
struct scale scale_sizes(double min, double max);

/* 0 at low, 1 at high; what lies outside is moved to the next end. */
double scale_at(const struct scale *scale, double value);

#endif
