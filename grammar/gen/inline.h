/* inline.h - the parts of the generator `inline`. */
#ifndef AUTODD_INLINE_H
#define AUTODD_INLINE_H

#include "grammar/gen/draft.h"
#include "grammar/gen/names.h"

/* Offer the body of a function in the place of its calls, where it can go. */
void inline_function(struct draft *d, const struct names *names,
                     uint32_t function);

/* Offer the default of an option where it is read, if the call adds one. */
void inline_option(struct draft *d, const struct names *names, uint32_t call);

/* {"a": 1}["a"] is 1, (x, y)[0] is x: for a subscript. */
void inline_index(struct draft *d, uint32_t subscript);

/* partial(f, a)(b) is f(a, b): for a call. */
void inline_partial(struct draft *d, uint32_t call);

/* next(iter([a])) is a, next(zip([a], [b])) is a, b: for a call. */
void inline_next(struct draft *d, uint32_t call);

/* Whether evaluating it again gives the same and costs nothing. */
bool is_cheap(const struct nodes *ns, uint32_t value);

/* Put a value in the place of `use`, as part of the edit begun. False when it
 * can not stand there or would mean something else. */
bool put_value(struct draft *d, const struct names *names, uint32_t use,
               uint32_t value);

#endif
