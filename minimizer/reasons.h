/* reasons.h - why each statement of the result is still there: what came when
 * it was left out.
 *
 * Each refused text is noted by its fingerprint. At the end the statements of
 * the result, and what else begins a line (decorators, elements and arguments
 * on lines of their own), are left out once more, one by one, on paper: what
 * was noted of the text without it is the reason. What only a store remembers
 * has none, and past a gigabyte of such texts no more are looked for. */
#ifndef AUTODD_REASONS_H
#define AUTODD_REASONS_H

#include <stddef.h>
#include <stdint.h>

#include "config/base.h"
#include "config/hash.h"

struct reasons {
    struct refusal *items;
    size_t n, room;
};

/* A zeroed struct is an empty one. */
void reasons_deinit(struct reasons *reasons);

/* A text was refused; `why` ("NameError: name 'T' is not defined", "passes") is
 * copied. Past 200,000 of them nothing is noted. */
void reasons_note(struct reasons *reasons, struct hash128 text,
                  const char *why);

struct reason {
    uint32_t first, last; /* lines of the text, from 1, inclusive */
    const char *why;      /* borrowed from the reasons */
};

/* The reasons of a text's statements and lines, in text order, of equal first
 * lines the longest first; caller frees the array.
 * *n is how many. */
struct reason *reasons_of(struct reasons *reasons, struct bytes text,
                          size_t *n);

#endif
