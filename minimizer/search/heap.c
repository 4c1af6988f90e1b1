/* A binary heap in an array: the parent of entry i is entry (i - 1) / 2. */
#include "minimizer/search/heap.h"

#include <assert.h>
#include <stdlib.h>

#include "config/mem.h"

void heap_deinit(struct heap *heap)
{
    free(heap->entries);
    *heap = (struct heap){ 0 };
}

void heap_clear(struct heap *heap)
{
    heap->n = 0;
}

void heap_copy(struct heap *to, const struct heap *from)
{
    *to = (struct heap){ .n = from->n, .room = from->n };
    to->entries = xcopy(from->entries, from->n, sizeof(*from->entries));
}

static bool before(const struct heap_entry *a, const struct heap_entry *b)
{
    if (a->key != b->key)
        return a->key > b->key;
    if (a->order != b->order)
        return a->order < b->order;
    return a->stamp > b->stamp;
}

void heap_push(struct heap *heap, struct heap_entry entry)
{
    size_t at = heap->n;

    xgrow(&heap->entries, &heap->room, heap->n + 1, sizeof(entry));
    heap->n++;
    while (at > 0 && before(&entry, &heap->entries[(at - 1) / 2])) {
        heap->entries[at] = heap->entries[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->entries[at] = entry;
}

const struct heap_entry *heap_top(const struct heap *heap)
{
    return heap->n > 0 ? &heap->entries[0] : NULL;
}

void heap_pop(struct heap *heap)
{
    struct heap_entry last;
    size_t at = 0, child;

    assert(heap->n > 0);
    last = heap->entries[--heap->n];
    for (; (child = 2 * at + 1) < heap->n; at = child) {
        if (child + 1 < heap->n &&
            before(&heap->entries[child + 1], &heap->entries[child]))
            child++;
        if (!before(&heap->entries[child], &last))
            break;
        heap->entries[at] = heap->entries[child];
    }
    if (heap->n > 0)
        heap->entries[at] = last;
}
