/* guard.h - keep a comparison honest: a kernel's result must go on reaching the
 * test that decides.
 *
 * When a failure is a comparison ("Tensor-likes are not close"), deleting the
 * launch, or comparing two unrelated tensors, shows the same words. The guard
 * looks for a deciding test (assert, or a call of assert_close, allclose and
 * their like) whose operands are tied to a kernel: a function decorated by a
 * front end (jit, prim_func, ...), or a call of RawKernel and its like. Two
 * names are tied when they stand in one statement; a function's name is tied to
 * what it returns, a class's to what its methods return. Modules and builtins
 * tie nothing. This is a guess on the safe side of deletion, not an analysis of
 * values: it stops the cuts that lose the kernel, and lets the rest be tried.
 */
#ifndef AUTODD_GUARD_H
#define AUTODD_GUARD_H

#include <stdbool.h>

#include "grammar/tree.h"

/* Whether some deciding test of the text is tied to a kernel. n log n. */
bool guard_holds(const struct tree *tree);

#endif
