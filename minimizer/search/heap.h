/* heap.h - a priority queue: the greatest key first, of equal keys the
 * smallest order. Keys do not change in the queue: whoever needs another key
 * pushes again with a new stamp and drops the old entry when it comes up. */
#ifndef AUTODD_HEAP_H
#define AUTODD_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heap_entry {
    uint64_t key;
    uint32_t order;
    uint32_t item;  /* the owner's number */
    uint32_t stamp; /* the owner's mark of validity */
};

struct heap {
    struct heap_entry *entries;
    size_t n, room;
};

/* A zeroed heap is an empty one. */
void heap_deinit(struct heap *heap);
void heap_clear(struct heap *heap);
void heap_copy(struct heap *to, const struct heap *from);

void heap_push(struct heap *heap, struct heap_entry entry);

/* The first entry, borrowed until the next change; NULL when empty. */
const struct heap_entry *heap_top(const struct heap *heap);

/* Remove the first entry of a heap that is not empty. */
void heap_pop(struct heap *heap);

#endif
