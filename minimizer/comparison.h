/* comparison.h - what torch.testing.assert_close and numpy's assert_allclose
 * say about two arrays, read from the message. Pure.
 *
 * Both print how many elements differ and by how much at most, with numbers
 * that change with every edit; what must not change is the kind. */
#ifndef AUTODD_COMPARISON_H
#define AUTODD_COMPARISON_H

#include <stdbool.h>
#include <stdint.h>

enum comparison_kind {
    COMPARISON_NONE,  /* the message is none */
    COMPARISON_NAN,   /* NaN in one and not in the other */
    COMPARISON_DRIFT, /* off by a little: rounding */
    COMPARISON_SOME,  /* off by a lot, some elements right */
    COMPARISON_ALL    /* off by a lot, (nearly) all elements */
};

struct comparison {
    enum comparison_kind kind;
    uint64_t differ, total;   /* elements; 0 of 0 when not said */
    double absolute, allowed; /* greatest difference; tolerance, 0: not said */
    double relative;
};

/* Read a message. kind is COMPARISON_NONE when no differences are listed. */
struct comparison comparison_read(const char *message);

/* Whether two are of one kind and of one extent: the share of elements that
 * differ, and that of those that do not, is within a factor of two, and a
 * relative difference that was finite still is, and one that was not 1 is not.
 * Else what decides which elements are wrong has gone, or what is computed, or
 * what it is compared with: beside 0 the difference is infinite or 1. */
bool comparison_alike(const struct comparison *first,
                      const struct comparison *other);

/* "some elements differ, by a lot" (static). */
const char *comparison_words(enum comparison_kind kind);

#endif
