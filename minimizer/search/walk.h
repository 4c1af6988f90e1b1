/* walk.h - one list of sibling units, taken away in runs.
 *
 * From the last unit to the first, because later statements use earlier ones.
 * A run that went makes the next one twice as long; a run that did not go is
 * cut in halves, which are tried before the walk goes on; a single unit that
 * does not go stays. As ddmin, but without complements and without coming back
 * to what was tried: that is left to the next round. When the list says so,
 * all of it is tried first.
 *
 * Several runs may be out at once. */
#ifndef AUTODD_WALK_H
#define AUTODD_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base.h"
#include "grammar/edit.h"
#include "minimizer/search/claim.h"
#include "minimizer/search/rate.h"

struct walk {
    uint32_t list;
    uint32_t cursor;   /* units [0, cursor) were not yet given */
    uint32_t length;   /* of the next run, in living units */
    bool whole;        /* the whole list is to be tried before its parts */
    bool whole_out;    /* it is being tried: no other run until it is known */
    struct span *left; /* ranges of units to try again, the last one first */
    size_t nleft, left_room;
    struct rate rate;  /* of this list's runs */
    const bool *later; /* edits to leave alone for now; NULL: none */
};

/* `later`, one for each edit, is borrowed for the walk's life: such units are
 * not given, and no run reaches over them. */
void walk_init(struct walk *walk, const struct edits *edits, uint32_t list,
               const bool *later);
void walk_deinit(struct walk *walk);
void walk_copy(struct walk *to, const struct walk *from);

/* The next run, built from the units alive now. False: none, or none before a
 * run that is out is known. */
bool walk_next(struct walk *walk, const struct edits *edits,
               struct claim *claim);

/* What became of a run; a no may also follow a yes that could not be kept. */
void walk_said(struct walk *walk, const struct edits *edits,
               const struct claim *claim, bool yes);

/* The run is to be given once more. */
void walk_return(struct walk *walk, const struct claim *claim);

/* Bytes that one trial of this list may hope to save. */
uint64_t walk_worth(const struct walk *walk, const struct edits *edits);

#endif
