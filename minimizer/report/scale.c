#include "minimizer/report/scale.h"

#include <math.h>
#include <stddef.h>

#include "config/base.h"

#define LOG_FROM 20      /* a range of sizes this wide hides its small end */
#define DECADES_BARE 2.3 /* above, powers of ten are marks enough */

/* The smallest round number from `least` on. */
static double round_up(double least)
{
    static const double steps[] = { 1, 2, 5, 10 };
    double power = pow(10, floor(log10(least)));

    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        if (steps[i] * power >= least * (1 - 1e-9))
            return steps[i] * power;
    }
    return 10 * power;
}

static void mark(struct scale *scale, double value)
{
    if (scale->n < SCALE_TICKS_MAX)
        scale->ticks[scale->n++] = value;
}

static void mark_every(struct scale *scale, double step)
{
    for (unsigned i = 0; i * step <= scale->high * (1 + 1e-9); i++)
        mark(scale, i * step);
}

static double sane(double max)
{
    return max > 1e-6 && max < 1e18 ? max : 1;
}

struct scale scale_linear(double max, unsigned ticks)
{
    struct scale scale = { .low = 0 };
    double step = round_up(sane(max) / ticks);

    scale.high = ceil(sane(max) / step * (1 - 1e-9)) * step;
    mark_every(&scale, step);
    return scale;
}

struct scale scale_seconds(double max, unsigned ticks)
{
    static const double steps[] = {
        15,   30,   60,   120,   300,   600,   900,
        1800, 3600, 7200, 14400, 21600, 43200, 86400
    };
    struct scale scale = { .low = 0, .high = sane(max) };
    double least = scale.high / ticks;

    if (least <= 10 || least > steps[ARRAY_LEN(steps) - 1]) {
        mark_every(&scale, round_up(least));
        return scale;
    }
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        if (steps[i] >= least) {
            mark_every(&scale, steps[i]);
            break;
        }
    }
    return scale;
}

struct scale scale_sizes(double min, double max)
{
    static const double parts[] = { 1, 2, 5 };
    struct scale scale = { .log = true };
    double low = min < 1 ? 1 : min;

    if (!(max >= LOG_FROM * low) || max > 1e18)
        return scale_linear(max, 5);
    scale.low = pow(10, floor(log10(low) + 1e-9));
    /* The range begins at a power of ten; at half of one where that leaves
     * less of it empty. */
    if (low >= 5 * scale.low)
        scale.low *= 5;
    else if (low >= 2 * scale.low)
        scale.low *= 2;
    scale.high = round_up(max);
    bool bare = log10(scale.high / scale.low) > DECADES_BARE;
    double power = pow(10, floor(log10(scale.low) + 1e-9));
    for (; power <= scale.high * (1 + 1e-9); power *= 10) {
        for (size_t i = 0; i < (bare ? 1 : ARRAY_LEN(parts)); i++) {
            double value = parts[i] * power;
            if (value >= scale.low * (1 - 1e-9) &&
                value <= scale.high * (1 + 1e-9))
                mark(&scale, value);
        }
    }
    return scale;
}

double scale_at(const struct scale *scale, double value)
{
    double at;

    if (value <= scale->low)
        return 0;
    if (value >= scale->high)
        return 1;
    if (scale->log)
        at = log(value / scale->low) / log(scale->high / scale->low);
    else
        at = (value - scale->low) / (scale->high - scale->low);
    return at;
}
