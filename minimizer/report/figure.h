/* figure.h - numbers as people read them. Pure. */
#ifndef AUTODD_FIGURE_H
#define AUTODD_FIGURE_H

#include <stdint.h>

struct figure {
    char text[40];
};

/* "9,622". */
struct figure figure_count(uint64_t n);

/* "9,622 bytes", "1 byte": `one` and `many` are short words. */
struct figure figure_of(uint64_t n, const char *one, const char *many);

/* "0.35 s", "12.5 s", "4 min 05 s", "2 h 03 min". */
struct figure figure_seconds(double seconds);

/* "97.5 %", of a share from 0 to 1. */
struct figure figure_share(double share);

#endif
