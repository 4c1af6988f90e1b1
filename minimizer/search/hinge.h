/* hinge.h - what the failure hangs on.
 *
 * A run passes: the failure has gone with what one edit took away from a
 * kernel, a `transpose_A=True` or the cast to a wrong type. That is a part of
 * its cause, found by intervention (A. Zeller, Isolating cause-effect chains
 * from computer programs, FSE 2002). Once numbers and shapes have been changed
 * the same words may come without it, but from another fault. So what mutates
 * leaves it in the text from then on; only what preserves may still move or
 * drop it. The same goes for what one side of the test alone is made of, when
 * that side comes to something else without it.
 *
 * A hinge is the places that the edit took away. They are followed through all
 * commits, and are lost together: a part of them may go. */
#ifndef AUTODD_HINGE_H
#define AUTODD_HINGE_H

#include <stdbool.h>
#include <stddef.h>

#include "grammar/edit.h"
#include "minimizer/search/claim.h"

#define HINGE_PLACES 3 /* an edit with more of them makes none */

struct hinges {
    struct span *places; /* HINGE_PLACES for each; empty: no place */
    size_t n, room;
};

/* A zeroed struct has none. */
void hinges_deinit(struct hinges *hinges);
void hinges_copy(struct hinges *to, const struct hinges *from);

/* Whether a claim takes away or replaces something within a statement of a
 * kernel, and makes another computation of it: numbers and strings are no
 * hinges there, others may well stand for them, and outside of kernels they are
 * data. Or whether it mutates what one side of the test alone is made of. */
bool hinges_touch(const struct claim *claim, const struct edits *edits);

/* Whether it is a single one, and so can be one. */
bool hinges_can(const struct claim *claim, const struct edits *edits);

/* A run of that claim alone has passed, or one side came to something else. */
void hinges_add(struct hinges *hinges, const struct claim *claim,
                const struct edits *edits);

/* Whether the patch takes one away. */
bool hinges_lost(const struct hinges *hinges, const struct patch *patch);

/* After the commit of a patch. */
void hinges_rebase(struct hinges *hinges, const struct patch *patch);

#endif
