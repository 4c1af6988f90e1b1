/* deciding.h - what decides whether a statement comes to pass, and what that
 * compares.
 *
 * A statement stands under conditions: of the compound statements around it, of
 * those before it that leave (`if fine: return`), of the tests whose failure it
 * handles, and where its function is called. A condition has sides:
 * `(got - want).abs().max() > tol` is followed down to `got` and `want`,
 * through names, conversions, reductions and the script's own functions; `tol`
 * is constant and no side. Pure. */
#ifndef AUTODD_DECIDING_H
#define AUTODD_DECIDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grammar/flow.h"
#include "grammar/node.h"

#define CONDITIONS_MAX 16 /* farther ones are left out */
#define SIDES_MAX 4
#define LIMITS_MAX 4

#define CALLS_MAX 16 /* of functions that are looked through */

struct observed;

/* What is looked at; its pointers are borrowed. */
struct look {
    const struct nodes *ns;
    struct flow *flow;
    /* Calls that are known to lead to what failed: of a function that is called
     * twice, the one that counts. */
    uint32_t calls[CALLS_MAX];
    size_t ncalls;
    const struct observed *seen; /* which turn of a loop failed; or NULL */
};

/* What a statement depends on, nearest first. */
struct conditions {
    uint32_t nodes[CONDITIONS_MAX];
    size_t n;
};

/* None of them constant. */
struct sides {
    uint32_t nodes[SIDES_MAX];
    uint32_t said[SIDES_MAX]; /* where the test has them */
    struct slice slices[SIDES_MAX];
    size_t n;
    /* Beside them: what a comparison allows (`> tol`, rtol=1e-3), and not what
     * names it. */
    uint32_t limits[LIMITS_MAX];
    size_t nlimits;
    bool by_call; /* it is one of assert_close and its like */
};

/* Whether node i calls assert_close, allclose and their like; sys.exit and its
 * like. */
bool deciding_call(const struct nodes *ns, uint32_t i);
bool deciding_exit(const struct nodes *ns, uint32_t i);

void deciding_add(struct conditions *conditions, uint32_t node);

/* Append all that node i depends on: in its function, then where that is
 * called. */
void deciding_over(const struct look *look, uint32_t i,
                   struct conditions *conditions);

/* The sides of a condition; itself where nothing in it is compared. */
void deciding_sides(const struct look *look, uint32_t condition,
                    struct sides *sides);
void deciding_deinit(struct sides *sides);

#endif
