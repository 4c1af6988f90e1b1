/* merge.h - the queue of claims that succeeded on a base that has moved on.
 *
 * They are tested together on the present base before anything new. When the
 * union fails, the longest prefix that is good is found by doubling (1, then 2
 * more, then 4 more), each step committed as it succeeds; the first claim
 * that is bad after those before it is dropped, and the rest is a union again.
 * The queue only counts: the search makes the trials and tells it how they
 * went. One trial of the queue is out at a time. */
#ifndef AUTODD_MERGE_H
#define AUTODD_MERGE_H

#include <stdbool.h>
#include <stddef.h>

#include "minimizer/search/claim.h"

struct merge {
    struct claim *items;
    size_t n, room;
    bool out;      /* a union is being tested */
    size_t tested; /* the first so many claims are in it */
    size_t bad;    /* the first so many fail together; 0: not known */
    size_t step;   /* how many to test of them next */
};

/* A zeroed queue is an empty one. */
void merge_deinit(struct merge *merge);

void merge_add(struct merge *merge, const struct claim *claim);
void merge_remove(struct merge *merge, size_t i);

/* How many of the first claims to test together now; 0: none. */
size_t merge_prefix(const struct merge *merge);

/* The first n are being tested. */
void merge_given(struct merge *merge, size_t n);

/* The trial has come back without an answer. */
void merge_back(struct merge *merge);

/* The first n succeeded and are committed: they leave the queue. */
void merge_yes(struct merge *merge, size_t n);

/* The first n failed. True when that was a single one: it is the offender,
 * copied to *dropped, and has left the queue; the others are a union again. */
bool merge_no(struct merge *merge, size_t n, struct claim *dropped);

/* The base has changed by something else: what failed may succeed now. */
void merge_moved(struct merge *merge);

#endif
