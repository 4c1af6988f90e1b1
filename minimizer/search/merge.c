#include "minimizer/search/merge.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"

void merge_deinit(struct merge *merge)
{
    free(merge->items);
    free(merge->probes);
    *merge = (struct merge){ 0 };
}

void merge_add(struct merge *merge, const struct claim *claim)
{
    xgrow(&merge->items, &merge->room, merge->n + 1, sizeof(*claim));
    merge->items[merge->n++] = *claim;
}

/* Forget probes of no claims, and of as many as `most` or more. */
static void drop_probes(struct merge *merge, size_t most)
{
    size_t n = 0;

    for (size_t i = 0; i < merge->nprobes; i++)
        if (merge->probes[i].n > 0 && merge->probes[i].n < most)
            merge->probes[n++] = merge->probes[i];
    merge->nprobes = n;
}

void merge_remove(struct merge *merge, size_t i)
{
    assert(i < merge->n);
    for (size_t p = 0; p < merge->nprobes; p++)
        if (i < merge->probes[p].n)
            merge->probes[p].n--;
    drop_probes(merge, SIZE_MAX);
    if (i < merge->bad)
        merge->bad--;
    merge->n--;
    memmove(&merge->items[i], &merge->items[i + 1],
            (merge->n - i) * sizeof(*merge->items));
}

/* Whether a probe of n claims is out. */
static bool is_probed(const struct merge *merge, size_t n)
{
    for (size_t i = 0; i < merge->nprobes; i++)
        if (merge->probes[i].n == n)
            return true;
    return false;
}

/* The middle of the widest gap that the probes leave below `bad`. */
static size_t widest_gap(const struct merge *merge)
{
    size_t from = 0, best = 0, most = 1;

    for (size_t n = 1; n <= merge->bad; n++) {
        if (n < merge->bad && !is_probed(merge, n))
            continue;
        if (n - from > most) {
            most = n - from;
            best = from + most / 2;
        }
        from = n;
    }
    return best;
}

/* Of claims known to fail together all but the last are tested at most. A
 * single one that is left of them is tested too: the base may have moved, and
 * if it has not, the memory has its no. */
size_t merge_next(const struct merge *merge, size_t most)
{
    if (merge->bad <= 1)
        return merge->nprobes > 0 ? 0 : merge->bad == 1 ? 1 : merge->n;
    if (merge->nprobes >= most)
        return 0;
    if (most > 1)
        return widest_gap(merge);
    return merge->step < merge->bad ? merge->step : merge->bad - 1;
}

void merge_given(struct merge *merge, uint64_t trial, size_t n)
{
    xgrow(&merge->probes, &merge->probes_room, merge->nprobes + 1,
          sizeof(*merge->probes));
    merge->probes[merge->nprobes++] = (struct probe){ trial, n };
}

size_t merge_back(struct merge *merge, uint64_t trial)
{
    for (size_t i = 0; i < merge->nprobes; i++) {
        size_t n = merge->probes[i].n;

        if (merge->probes[i].trial != trial)
            continue;
        merge->probes[i] = merge->probes[--merge->nprobes];
        return n;
    }
    return 0;
}

void merge_yes(struct merge *merge, size_t n)
{
    assert(n <= merge->n);
    for (size_t i = 0; i < merge->nprobes; i++)
        merge->probes[i].n -= n < merge->probes[i].n ? n : merge->probes[i].n;
    drop_probes(merge, SIZE_MAX);
    merge->bad = merge->bad > n ? merge->bad - n : 0;
    merge->step *= 2;
    merge->n -= n;
    memmove(merge->items, merge->items + n, merge->n * sizeof(*merge->items));
}

bool merge_no(struct merge *merge, size_t n, struct claim *dropped)
{
    assert(n > 0 && n <= merge->n);
    drop_probes(merge, n);
    if (n > 1) {
        merge->bad = n;
        merge->step = 1;
        return false;
    }
    *dropped = merge->items[0];
    merge_remove(merge, 0);
    merge->bad = 0;
    return true;
}

void merge_moved(struct merge *merge)
{
    merge->bad = 0;
    merge->nprobes = 0;
}
