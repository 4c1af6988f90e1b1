#include "minimizer/search/merge.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"

void merge_deinit(struct merge *merge)
{
    free(merge->items);
    *merge = (struct merge){ 0 };
}

void merge_copy(struct merge *to, const struct merge *from)
{
    *to = *from;
    to->room = from->n;
    to->items = xcopy(from->items, from->n, sizeof(*from->items));
}

void merge_add(struct merge *merge, const struct claim *claim)
{
    xgrow(&merge->items, &merge->room, merge->n + 1, sizeof(*claim));
    merge->items[merge->n++] = *claim;
}

void merge_remove(struct merge *merge, size_t i)
{
    assert(i < merge->n);
    if (i < merge->bad)
        merge->bad--;
    merge->n--;
    memmove(&merge->items[i], &merge->items[i + 1],
            (merge->n - i) * sizeof(*merge->items));
}

/* Of claims known to fail together all but the last are tested at most. A
 * single one that is left of them is tested too: the base may have moved, and
 * if it has not, the memory has its no. */
size_t merge_next(const struct merge *merge)
{
    if (merge->bad <= 1)
        return merge->bad == 1 ? 1 : merge->n;
    return merge->step < merge->bad ? merge->step : merge->bad - 1;
}

void merge_yes(struct merge *merge, size_t n)
{
    assert(n <= merge->n);
    merge->bad = merge->bad > n ? merge->bad - n : 0;
    merge->step *= 2;
    merge->n -= n;
    memmove(merge->items, merge->items + n, merge->n * sizeof(*merge->items));
}

bool merge_no(struct merge *merge, size_t n, struct claim *dropped)
{
    assert(n > 0 && n <= merge->n);
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
