/* asks.h - what is asked of each candidate, and what is asked first.
 *
 * A candidate must fail here; with --pass-with it must also pass there, and
 * with --good its good form must pass. Each of these is an ask, a run or more,
 * and the first no ends a trial. So that ask goes first which rejects most for
 * a run; the rates are learned from what went first, since what goes second
 * sees only what the first let through. Now and then the ask that was first
 * least often goes first, so that its rate stays known. Pure: no clock, no
 * chance; order and rates have no say in a verdict. */
#ifndef AUTODD_ASKS_H
#define AUTODD_ASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "minimizer/control.h"

#define ASKS_MAX (1 + CONTROLS_MAX)
#define ASK_FAILS 0 /* the others are 1 + the number of their control */

struct asks {
    unsigned n;
    uint64_t orders;           /* given so far */
    uint64_t firsts[ASKS_MAX]; /* times at the front */
    uint64_t runs[ASKS_MAX];   /* made while at the front */
    uint64_t noes[ASKS_MAX];   /* said while at the front */
};

/* `n` of them, at least one. */
void asks_init(struct asks *asks, unsigned n);

/* The order for the next trial: `n` different asks. */
void asks_order(struct asks *asks, unsigned order[ASKS_MAX]);

/* The ask at the front of a trial was answered after `runs` runs. */
void asks_answered(struct asks *asks, unsigned ask, bool no, unsigned runs);

#endif
