/* twin.h - a script and its fixed version, edited as one.
 *
 * The two differ in a few places and are equal outside. A place is a span of
 * the bad text and what stands there in the good one. Whatever edits the bad
 * text outside its places edits the good one alike: so the good form of any
 * text that came from the bad one is that text with its places filled
 * otherwise. The bytes of the places are frozen; where the places are in an
 * edited text, the search tells (its marks).
 *
 * A line that is changed gives a place within it, as small as words allow. Of
 * lines that stand in one text alone the blanks in front belong to no place:
 * they may still be moved to another depth, and the lines of the good text are
 * brought to the depth of the bad one. Pure. */
#ifndef AUTODD_TWIN_H
#define AUTODD_TWIN_H

#include <stddef.h>

#include "config/base.h"
#include "config/buf.h"
#include "config/err.h"

struct twin {
    char *good; /* the fixed text; NULL: there is no twin */
    size_t len;
    struct twin_place *places;
    struct span *marks; /* the places in the bad text, in order */
    size_t nplaces;
    struct span *frozen; /* bytes of the bad text to keep, in order; an empty
                          * span is a point that no deletion may pass over */
    size_t nfrozen;
};

/* Compare; both texts are copied as far as needed. -EINVAL with a sentence,
 * which begins with `name` (of the good file), when they are equal, have no
 * line in common, or differ too much. */
int twin_init(struct twin *twin, struct bytes bad, struct bytes good,
              const char *name, struct err *err);
void twin_deinit(struct twin *twin);

/* Append the good form of `text`, which came from the bad one by edits and has
 * the places at `marks` (nplaces of them). 0, -E2BIG, or -EINVAL when the
 * places are no longer apart. */
int twin_form(const struct twin *twin, struct bytes text,
              const struct span *marks, struct buf *out);

#endif
