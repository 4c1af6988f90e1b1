#include "minimizer/report/figure.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct figure figure_count(uint64_t n)
{
    struct figure f;
    char digits[24];
    size_t len = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, n);
    size_t at = 0;

    for (size_t i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            f.text[at++] = ',';
        f.text[at++] = digits[i];
    }
    f.text[at] = '\0';
    return f;
}

struct figure figure_of(uint64_t n, const char *one, const char *many)
{
    struct figure count = figure_count(n), f;

    snprintf(f.text, sizeof(f.text), "%.26s %.12s", count.text,
             n == 1 ? one : many);
    return f;
}

struct figure figure_seconds(double seconds)
{
    struct figure f;
    /* Beyond a century there is something wrong anyway. */
    double s = !(seconds > 0) ? 0 : seconds < 4e9 ? seconds : 4e9;
    uint64_t whole = (uint64_t)(s + 0.5);

    if (s < 9.995)
        snprintf(f.text, sizeof(f.text), "%.2f s", s);
    else if (s < 59.95)
        snprintf(f.text, sizeof(f.text), "%.1f s", s);
    else if (whole < 3600)
        snprintf(f.text, sizeof(f.text), "%" PRIu64 " min %02" PRIu64 " s",
                 whole / 60, whole % 60);
    else
        snprintf(f.text, sizeof(f.text), "%" PRIu64 " h %02" PRIu64 " min",
                 whole / 3600, whole / 60 % 60);
    return f;
}

struct figure figure_share(double share)
{
    struct figure f;
    double percent = !(share > 0) ? 0 : share < 1 ? share * 100 : 100;
    /* What is not quite all or nothing must not read as if it were. */
    int places = percent > 0 && percent < 100 ? 1 : 0;

    if (places && percent > 99.9)
        percent = 99.9;
    if (places && percent < 0.1)
        percent = 0.1;
    snprintf(f.text, sizeof(f.text), "%.*f %%", places, percent);
    return f;
}
