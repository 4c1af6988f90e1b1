/* reasons.h - why each statement of the result is still there: what came when
 * it was left out.
 *
 * Collected while the search tries statements of the present text, forgotten
 * with each step that is accepted. What is left at the end is about the final
 * text; a statement whose refusal was remembered and not run has no reason. */
#ifndef AUTODD_REASONS_H
#define AUTODD_REASONS_H

#include <stddef.h>
#include <stdint.h>

#include "config/base.h"

struct reason {
    struct span at; /* bytes of the text */
    char *why;      /* "NameError: name 'T' is not defined", "passes" */
};

struct reasons {
    struct reason *items;
    size_t n, room;
};

/* A zeroed struct is an empty one. */
void reasons_deinit(struct reasons *reasons);

/* `why` is copied. Past some thousands of them nothing is added. */
void reasons_add(struct reasons *reasons, struct span at, const char *why);
void reasons_clear(struct reasons *reasons);

/* The first and last line, from 1, that a span of the text touches; trailing
 * line ends do not count. */
void reasons_lines(struct bytes text, struct span at, uint32_t *first,
                   uint32_t *last);

#endif
