/* rate.h - how often something has succeeded of late.
 *
 * The mean of a Beta distribution: a first guess that counts as a few tries,
 * then what was seen, each observation fading as newer ones come. In whole
 * numbers, so that every machine and compiler orders candidates alike and a
 * search can be replayed elsewhere. */
#ifndef AUTODD_RATE_H
#define AUTODD_RATE_H

#include <stdbool.h>
#include <stdint.h>

#define RATE_ONE 65536u /* certain */

struct rate {
    uint32_t prior;      /* of RATE_ONE */
    uint32_t yes, tries; /* faded counts, times RATE_ONE */
};

/* `prior` from 0 to 1. */
struct rate rate_init(double prior);
void rate_note(struct rate *rate, bool yes);

/* From 0 to RATE_ONE; strictly between them for a prior that is. */
uint32_t rate_value(const struct rate *rate);

#endif
