#include "minimizer/search/rate.h"

/* The first guess weighs as much as this many tries; an observation has lost
 * half its weight after about eleven newer ones. Candidates change quickly in
 * the course of a reduction, so old outcomes say little. */
#define PRIOR_TRIES 4u
#define FADE 16u

struct rate rate_init(double prior)
{
    return (struct rate){ .prior = (uint32_t)(prior * RATE_ONE + 0.5) };
}

void rate_note(struct rate *rate, bool yes)
{
    rate->yes -= rate->yes / FADE;
    rate->tries -= rate->tries / FADE;
    rate->yes += yes ? RATE_ONE : 0;
    rate->tries += RATE_ONE;
}

uint32_t rate_value(const struct rate *rate)
{
    uint64_t yes = (uint64_t)rate->prior * PRIOR_TRIES + rate->yes;
    uint64_t tries = (uint64_t)RATE_ONE * PRIOR_TRIES + rate->tries;

    return (uint32_t)(yes * RATE_ONE / tries);
}
