/* base.h - the few macros and plain structs every module may use. Includes
 * nothing of ours. */
#ifndef AUTODD_BASE_H
#define AUTODD_BASE_H

#include <stddef.h>
#include <stdint.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Binary search: `i` becomes the first of from .. to for which `before`, an
 * expression in i, is false; to (or from, where to is less) when it is true for
 * all. `before` must be true up to some point and false from there on. */
#define BISECT(i, from, to, before)                                            \
    do {                                                                       \
        size_t low_ = (from), high_ = (to);                                    \
        while (low_ < high_) {                                                 \
            (i) = low_ + (high_ - low_) / 2;                                   \
            if (before)                                                        \
                low_ = (i) + 1;                                                \
            else                                                               \
                high_ = (i);                                                   \
        }                                                                      \
        (i) = low_;                                                            \
    } while (0)

/* The struct of `type` whose `member` is at `ptr`. */
#define container_of(ptr, type, member)                                        \
    ((type *)((char *)(ptr)-offsetof(type, member)))

/* Bytes that may hold zero bytes; who owns them is said where they stand. */
struct bytes {
    const char *data;
    size_t len;
};

/* A half-open range [start, end) of byte offsets. */
struct span {
    uint32_t start;
    uint32_t end;
};

static inline struct bytes bytes_of(const char *data, size_t len)
{
    return (struct bytes){ data, len };
}

static inline uint32_t span_len(struct span s)
{
    return s.end - s.start;
}

/* Whether `outer` holds all of `inner`; equal spans hold each other. */
static inline int span_holds(struct span outer, struct span inner)
{
    return outer.start <= inner.start && inner.end <= outer.end;
}

/* Whether the two share at least one byte. */
static inline int span_overlaps(struct span a, struct span b)
{
    return a.start < b.end && b.start < a.end;
}

/* Order of spans for qsort(): by start, of equal starts by end. */
static inline int span_by_start(const void *a, const void *b)
{
    const struct span *x = (const struct span *)a;
    const struct span *y = (const struct span *)b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

#endif
