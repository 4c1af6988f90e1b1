/* merge.h - a queue of claims that are tested together: guesses that have no
 * yes of their own.
 *
 * When their union fails, the longest prefix that is good is looked for by
 * doubling (1, then 2 more, then 4 more). Each prefix that succeeds is
 * committed; the first claim that is bad after those before it is dropped, and
 * the rest is a union again. The queue only counts: the search makes the
 * trials and tells it how they went. */
#ifndef AUTODD_MERGE_H
#define AUTODD_MERGE_H

#include <stdbool.h>
#include <stddef.h>

#include "minimizer/search/claim.h"

struct merge {
    struct claim *items;
    size_t n, room;
    size_t bad;  /* the first so many fail together; 0: not known */
    size_t step; /* how many to test of them next */
};

/* A zeroed queue is an empty one. */
void merge_deinit(struct merge *merge);
void merge_copy(struct merge *to, const struct merge *from);

void merge_add(struct merge *merge, const struct claim *claim);
void merge_remove(struct merge *merge, size_t i);

/* How many of the first claims to test together now; 0: none. */
size_t merge_next(const struct merge *merge);

/* The first n succeeded and are committed: they leave the queue. */
void merge_yes(struct merge *merge, size_t n);

/* The first n failed. True when that was a single one: it is the offender,
 * copied to *dropped, and has left the queue; the others are a union again. */
bool merge_no(struct merge *merge, size_t n, struct claim *dropped);

#endif
