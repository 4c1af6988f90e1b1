/* guard.h - what a candidate must keep to be worth a run.
 *
 * Calls that the user names. And, when the failure is a comparison ("Tensor-
 * likes are not close"), the tie between a kernel and the test that decides:
 * deleting the launch, or comparing two unrelated tensors, shows the same
 * words. The guard looks for a deciding test (assert, or a call of
 * assert_close, allclose and their like) whose operands are tied to a kernel: a
 * function decorated by a front end (jit, prim_func, ...), or a call of
 * RawKernel and its like. Two names are tied when they stand in one statement;
 * a function's name is tied to what it returns, a class's to what its methods
 * return. Modules and builtins tie nothing. This is a guess on the safe side of
 * deletion, not an analysis of values: it stops the cuts that lose the kernel,
 * and lets the rest be tried. Pure. */
#ifndef AUTODD_GUARD_H
#define AUTODD_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#include "grammar/tree.h"

struct guard {
    bool comparison;    /* a test must stay tied to a kernel */
    char *const *names; /* calls that stay; borrowed */
    size_t nnames;
    size_t *counts; /* of each name: calls in the original; owned */
};

/* What to keep of the original. `comparison` asks for the tie, which is kept
 * only where the original has one. */
void guard_init(struct guard *guard, const struct tree *original,
                bool comparison, char *const *names, size_t nnames);
void guard_deinit(struct guard *guard);

/* Whether it keeps anything at all. */
bool guard_keeps(const struct guard *guard);

/* Whether a text keeps it: as many calls of each name as the original has, and
 * the tie. n log n. */
bool guard_holds(const struct guard *guard, const struct tree *tree);

#endif
