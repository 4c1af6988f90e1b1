/* inline.h - the part of the generator `inline` that moves functions. */
#ifndef AUTODD_INLINE_H
#define AUTODD_INLINE_H

#include "grammar/gen/draft.h"
#include "grammar/gen/names.h"

/* Offer the body of a function in the place of its calls, where it can go. */
void inline_function(struct draft *d, const struct names *names,
                     uint32_t function);

#endif
