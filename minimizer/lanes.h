/* lanes.h - when a hot child may be believed.
 *
 * A lane is a place for a hot child, one after another. What a candidate says
 * there is believed if it is a no, and only between two control runs of the
 * present best, in the same child, that both showed the failure:
 *
 *   cold --control: fails--> open --no, no, no ...--> control: fails -->
 * believed ^                       |                         `- or not: void
 *     `-- child not fit for more, another one, too many bad ends: void --'
 *
 * A yes is for a clean run to say; the search goes on from it meanwhile. Void
 * noes are asked of clean runs. Where batches are void again and again, or
 * clean runs contradict too often, no hot child is used any more. Pure: no
 * clock, no chance. */
#ifndef AUTODD_LANES_H
#define AUTODD_LANES_H

#include <stdbool.h>
#include <stdint.h>

#define LANES_MAX 256
#define LANE_HELD_MAX 16  /* noes of a batch */
#define LANE_RUNS_MAX 200 /* of one child */

struct lane {
    bool out;            /* a run is out in it */
    bool open;           /* the last control run in `child` was good */
    uint64_t child;      /* its number, as in struct observation */
    uint32_t generation; /* what a request must say to get that child */
    unsigned held;       /* noes since the last control run */
    unsigned runs;       /* candidates of this child */
};

struct lanes_counts {
    uint64_t controls;   /* control runs */
    uint64_t batches;    /* of at least one no: believed */
    uint64_t voided;     /* the same: void */
    uint64_t noes;       /* believed */
    uint64_t sampled;    /* of these, asked of a clean run too */
    uint64_t overturned; /* of these, yes there */
    uint64_t yes;        /* of hot children */
    uint64_t checked;    /* of these, asked of a clean run */
    uint64_t denied;     /* of these, no there */
};

struct lanes {
    unsigned n;
    struct lane at[LANES_MAX];
    unsigned bad; /* batches that were void lately */
    bool off;
    struct lanes_counts counts;
};

/* What ran: in which hot child (0: in none), whether that is fit for more. */
struct lane_run {
    uint64_t child;
    bool kept;
};

enum lane_say {
    LANE_HOLD, /* a no, if the next control run is good */
    LANE_ASK,  /* ask a clean run */
    LANE_TAKE  /* it was one */
};

void lanes_init(struct lanes *lanes, unsigned n);

/* The lane for a candidate; -1: none is free, or they are off. */
int lanes_pick(const struct lanes *lanes);

/* A lane in which nothing runs and whose noes wait for a control run; -1. */
int lanes_unproven(const struct lanes *lanes);

/* Whether a control run must come before the next candidate. */
bool lanes_wants_control(const struct lanes *lanes, unsigned lane);

/* A run is given out. */
void lanes_give(struct lanes *lanes, unsigned lane);

/* A candidate is back. `yes`: it showed the failure; `answered`: its run says
 * yes or no at all. *voided: what the lane held is void. */
enum lane_say lanes_ran(struct lanes *lanes, unsigned lane,
                        const struct lane_run *run, bool answered, bool yes,
                        bool *voided);

/* It has not run at all (does not compile). */
void lanes_passed(struct lanes *lanes, unsigned lane);

/* One of the noes that it holds is not asked about any more. */
void lanes_forget(struct lanes *lanes, unsigned lane);

/* A control run is back. True: what the lane held is believed; else void. */
bool lanes_controlled(struct lanes *lanes, unsigned lane,
                      const struct lane_run *run, bool good);

/* A no is believed: whether a clean run shall be asked too. */
bool lanes_samples(struct lanes *lanes);

/* What a clean run said of a sampled no, or of a hot yes. */
void lanes_checked(struct lanes *lanes, bool hot_yes, bool clean_yes);

#endif
