/* kernel.h - which functions of a script are kernels, by the front ends' marks.
 *
 * A front end (TileLang, Triton, numba, Pallas) reads a function's source back
 * and never runs its lines as Python. It is known by the decorator's last
 * name: `@triton.jit`, `@T.prim_func`, `@tilelang.jit(out_idx=[-1])`. */
#ifndef AUTODD_KERNEL_H
#define AUTODD_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base.h"

struct nodes;
struct tree;

/* Whether a decorated definition (node of that kind) has such a decorator. */
bool kernel_is(const struct nodes *nodes, uint32_t decorated);

/* The last name of the decorator of the kernel in whose body this line (from 1)
 * stands, of several the innermost: "prim_func". Empty when there is none, or
 * when it makes a kernel itself: its body is the host's. Borrowed from the
 * tree. Linear. */
struct bytes kernel_of_line(const struct tree *tree, uint32_t line);

/* The last name of a called, subscripted or decorating expression: that of
 * `a.b.c[d](e)` is c. Borrowed from the text; empty when there is none. */
struct bytes kernel_last_name(const struct nodes *nodes, uint32_t node);

/* Whether `text` is one of n words. */
bool text_is_one_of(struct bytes text, const char *const *words, size_t n);

#endif
