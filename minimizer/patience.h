/* patience.h - how long runs of one kind may take, and what it says when one
 * took longer. Pure.
 *
 * The limit comes from runs of the original, when nothing else was running. So
 * a candidate that runs into it is not refused before something known to fail
 * has been measured under the same load, and where that shows that the limit is
 * too low, it is raised and the candidate tried again. Where the first run of
 * the original took far longer than all others, for no reason that can be seen,
 * the limit is that of the others, and the first candidates that run into it
 * get the longer one: if it helps one, it is the limit from then on. */
#ifndef AUTODD_PATIENCE_H
#define AUTODD_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"

struct patience {
    uint64_t limit_ms; /* what a run gets */
    uint64_t long_ms;  /* what one gets that is given another chance */
    uint64_t cap_ms;   /* neither is ever longer */
    bool fixed;        /* the user's word, or what the failure is: all as it is
                        * said */
    unsigned measured; /* runs that had a good end */
    unsigned vain;     /* other chances that were of no use */
};

/* One run, from patience_begin() to its end. A zeroed one is a trial's first;
 * keep it for the next of the same trial. */
struct attempt {
    uint64_t limit_ms;
    unsigned measured; /* as it was when the run began */
    bool another;      /* it is another chance */
};

enum patience_say {
    PATIENCE_NO,      /* it takes too long */
    PATIENCE_MEASURE, /* measure what is known to fail, then ask again */
    PATIENCE_AGAIN    /* run it again */
};

void patience_init(struct patience *patience, const struct config *config,
                   uint64_t limit_ms, uint64_t long_ms, bool fixed);

/* The limit, in milliseconds, for runs that take `slowest_ms` at most: three
 * times as long, at least two seconds more; never above the cap (Grizzly
 * doubles and takes at least ten seconds, ClusterFuzz adds one). */
uint64_t patience_for(uint64_t slowest_ms, uint64_t cap_ms);

/* More is known of the original: the limits are at least these. */
void patience_widen(struct patience *patience, uint64_t limit_ms,
                    uint64_t long_ms);

/* The limit of a run that begins now. */
uint64_t patience_begin(const struct patience *patience,
                        struct attempt *attempt);

/* The limit of a measurement. */
uint64_t patience_measure(const struct patience *patience);

/* Something known to fail, or that has just shown the failure, ended after so
 * long (a measurement that ran into its limit too). */
void patience_saw(struct patience *patience, uint64_t wall_ms);

/* A run of a trial ended in time. */
void patience_in_time(struct patience *patience, const struct attempt *attempt);

/* It did not. After PATIENCE_MEASURE ask again, once something was seen. */
enum patience_say patience_over(struct patience *patience,
                                struct attempt *attempt);

#endif
