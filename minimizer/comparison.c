/* The lines looked for, in either library's words:
 *
 *   Mismatched elements: 24 / 48 (50.0%)
 *   Greatest absolute difference: 1.71 at index (5, 1) (up to 1e-05 allowed)
 *   Max absolute difference among violations: 0.5
 *   Greatest relative difference: 1.71 at index (0, 1) (up to ...)
 *   Absolute difference: 1.0 (up to 1e-05 allowed)          (scalars)
 *   nan location mismatch:                                  (numpy)
 *
 * Drift is told from a wrong result by size, not by count: a kernel that
 * rounds differently is off everywhere, one that skips a tile is off in a few
 * places by all there is. */
#include "minimizer/comparison.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* bfloat16 has an epsilon of 0.0078: a few of them is still rounding. */
#define DRIFT_RELATIVE 0.05
/* Near zero the relative difference says nothing; there a few elements within
 * some tolerances count as rounding. */
#define DRIFT_FEW 0.05
#define DRIFT_TOLERANCES 100.0
/* Sizes shrink, and with them the share moves; a launch that goes moves it by
 * more. */
#define SHARE_FACTOR 2.0
/* A relative difference is printed with fewer digits than it has. */
#define NOTHING_EPSILON 1e-6
/* From here on "all": random data agrees by chance in a few places. */
#define NEARLY_ALL 0.99

/* The number after the first ':' behind `label`, and `*rest` what follows. */
static bool value_after(const char *message, const char *label, double *value,
                        const char **rest)
{
    const char *at = strcasestr(message, label);

    if (!at)
        return false;
    at += strlen(label);
    size_t line = strcspn(at, "\n");
    const char *colon = memchr(at, ':', line);
    if (!colon)
        return false;
    char *end;
    *value = strtod(colon + 1, &end);
    *rest = end;
    return end != colon + 1;
}

static void read_count(const char *message, struct comparison *c)
{
    const char *at = strstr(message, "Mismatched elements:");
    unsigned long long differ, total;

    if (at && sscanf(at, "Mismatched elements: %19llu / %19llu", &differ,
                     &total) == 2) {
        c->differ = differ;
        c->total = total;
    }
}

static void read_allowed(const char *rest, struct comparison *c)
{
    size_t line = strcspn(rest, "\n");
    const char *at = strstr(rest, "(up to ");

    if (at && (size_t)(at - rest) < line)
        c->allowed = strtod(at + strlen("(up to "), NULL);
}

static enum comparison_kind kind_of(const struct comparison *c, bool relative)
{
    double share = c->total > 0 ? (double)c->differ / (double)c->total : 1.0;

    if (isnan(c->absolute) || isnan(c->relative))
        return COMPARISON_NAN;
    if (relative && c->relative <= DRIFT_RELATIVE)
        return COMPARISON_DRIFT;
    if (share < DRIFT_FEW && c->allowed > 0 &&
        c->absolute <= DRIFT_TOLERANCES * c->allowed)
        return COMPARISON_DRIFT;
    return share >= NEARLY_ALL ? COMPARISON_ALL : COMPARISON_SOME;
}

struct comparison comparison_read(const char *message)
{
    struct comparison c = { .kind = COMPARISON_NONE };
    const char *rest;

    if (strstr(message, "nan location mismatch")) {
        c.kind = COMPARISON_NAN;
        return c;
    }
    if (!value_after(message, "absolute difference", &c.absolute, &rest))
        return c;
    read_allowed(rest, &c);
    bool relative =
        value_after(message, "relative difference", &c.relative, &rest);
    read_count(message, &c);
    c.kind = kind_of(&c, relative);
    return c;
}

/* Whether a share of all is at most twice the other, either way. */
static bool same_extent(double a, double b)
{
    return a <= b * SHARE_FACTOR && b <= a * SHARE_FACTOR;
}

/* Everywhere, and by exactly all of what is expected: there is 0 where
 * something should be, which is so where nothing is computed any more. */
static bool is_nothing(const struct comparison *c)
{
    return c->kind == COMPARISON_ALL && fabs(c->relative - 1) < NOTHING_EPSILON;
}

bool comparison_alike(const struct comparison *first,
                      const struct comparison *other)
{
    double a, b;

    if (first->kind != other->kind)
        return false;
    if (isfinite(first->relative) && !isfinite(other->relative))
        return false;
    if (!is_nothing(first) && is_nothing(other))
        return false;
    if (first->total == 0 || other->total == 0 ||
        first->kind != COMPARISON_SOME)
        return true;
    a = (double)first->differ / (double)first->total;
    b = (double)other->differ / (double)other->total;
    return same_extent(a, b) && same_extent(1 - a, 1 - b);
}

const char *comparison_words(enum comparison_kind kind)
{
    switch (kind) {
    case COMPARISON_NONE:
        return "no comparison";
    case COMPARISON_NAN:
        return "NaN on one side";
    case COMPARISON_DRIFT:
        return "off by a little";
    case COMPARISON_SOME:
        return "some elements differ by a lot";
    case COMPARISON_ALL:
        return "all elements differ by a lot";
    }
    return "";
}
