/* observed.h - what expressions came to in a traced run, and which came back.
 *
 * A guess like idle.h: a literal in the place of an expression that always had
 * one simple value leaves the computation as it is, if the expression did
 * nothing besides. The spans follow the text from commit to commit. */
#ifndef AUTODD_OBSERVED_H
#define AUTODD_OBSERVED_H

#include <stdbool.h>
#include <stddef.h>

#include "config/base.h"
#include "config/err.h"

struct patch;

struct observed {
    struct span *at; /* by start, the outer one first; an empty one is gone */
    const char **texts; /* a literal, a tuple of them, or a dotted name; ""
                         * for what came to more than that */
    bool *turns;  /* it is the target of a loop that the run ended in, or that
                   * it left by `return` or an exception the last time: what it
                   * was in that turn, or "[2]" for the third turn */
    bool *stands; /* the text is no value, but what stands in for one: ones
                   * in the shape of an array */
    size_t n;
    char *room;
};

/* A zeroed struct holds nothing. */
void observed_deinit(struct observed *observed);

/* Read lines of "START-END=VALUE", "START-END~VALUE" (a turn),
 * "START-END*VALUE" (a stand-in) and "START-END+", spans within a text of
 * `len` bytes. -EINVAL with a sentence for anything else, and *observed empty.
 */
int observed_read(struct observed *observed, const char *values, size_t len,
                  struct err *err);

void observed_copy(struct observed *to, const struct observed *from);

/* What the loop's target at exactly this span was in the turn that the run
 * ended in, or which turn; empty: it did not end there. Borrowed. */
struct bytes observed_turn(const struct observed *observed, struct span at);

/* Follow a commit. */
void observed_rebase(struct observed *observed, const struct patch *patch);

#endif
