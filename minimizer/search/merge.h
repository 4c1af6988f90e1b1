/* merge.h - the queue of claims that succeeded on a base that has moved on.
 *
 * They are tested together on the present base before anything new. When the
 * union fails, the longest prefix that is good is looked for: one at a time by
 * doubling (1, then 2 more, then 4 more), several at once by cutting what is
 * left into as many parts. Each prefix that succeeds is committed; the first
 * claim that is bad after those before it is dropped, and the rest is a union
 * again. The queue only counts: the search makes the trials ("probes") and
 * tells it how they went. */
#ifndef AUTODD_MERGE_H
#define AUTODD_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "minimizer/search/claim.h"

/* A trial of the first n claims. */
struct probe {
    uint64_t trial;
    size_t n;
};

struct merge {
    struct claim *items;
    size_t n, room;
    struct probe *probes; /* that are out and still of use */
    size_t nprobes, probes_room;
    size_t bad;  /* the first so many fail together; 0: not known */
    size_t step; /* how many to test of them next, when one at a time */
};

/* A zeroed queue is an empty one. */
void merge_deinit(struct merge *merge);

void merge_add(struct merge *merge, const struct claim *claim);
void merge_remove(struct merge *merge, size_t i);

/* How many of the first claims to test together now, when at most `most`
 * probes may be out; 0: none. */
size_t merge_next(const struct merge *merge, size_t most);

/* The first n are being tested by this trial. */
void merge_given(struct merge *merge, uint64_t trial, size_t n);

/* A trial has come back: how many of the claims that are first now it was
 * about, 0 when it is of no use any more. Call merge_yes() or merge_no() next,
 * or nothing when there was no answer. */
size_t merge_back(struct merge *merge, uint64_t trial);

/* The first n succeeded and are committed: they leave the queue. */
void merge_yes(struct merge *merge, size_t n);

/* The first n failed. True when that was a single one: it is the offender,
 * copied to *dropped, and has left the queue; the others are a union again. */
bool merge_no(struct merge *merge, size_t n, struct claim *dropped);

/* The base has changed by something else: what failed may succeed now, and
 * probes say nothing any more. */
void merge_moved(struct merge *merge);

#endif
