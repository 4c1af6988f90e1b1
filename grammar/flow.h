/* flow.h - from what a value of a script is made: a backward slice, by names.
 *
 * Each name knows what may have given it its value: right sides of
 * assignments, iterables, arguments at the calls of its function, and calls
 * that may have written into it (`kernel[grid](x, out)`, `out.copy_(y)`,
 * `out[i] = v`). A slice follows these from an expression backwards, but not to
 * what is given only behind it, nor to what stands behind a return. Else it
 * knows no order of statements and no branches, so it may hold too much;
 * functions of the script are looked through (by what they return, for what the
 * call handed to them by which the slice came there first), kernels are not:
 * they are what is looked for. `x.grad` is what a backward() of the script's
 * gives, and the kernel in `launch(kernel, x)` writes what its own parameters
 * say.
 *
 * Which arguments a kernel writes is read from its body: names that it assigns
 * elements of, or hands to a store. A kernel whose body is no Python here (a
 * string of CUDA, a factory's product) may write any.
 *
 * n log n to make, n for each slice. Pure. */
#ifndef AUTODD_FLOW_H
#define AUTODD_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base.h"
#include "grammar/tree.h"

struct flow;

#define SLICE_KERNELS_MAX 16 /* more than that are not told apart */

struct slice {
    uint32_t *sources; /* symbols of the script in it, sorted; owned */
    size_t nsources;
    struct bytes kernels[SLICE_KERNELS_MAX]; /* names; in the tree's text */
    uint32_t lines[SLICE_KERNELS_MAX];       /* offset of a call of each */
    size_t nkernels; /* whose results reach it, other kernels not between */
    bool computed;   /* an operator, not of numbers alone, or a call that is no
                      * conversion, neither of the script's own functions */
    bool made;       /* a call that makes values: torch.ones(3) */
    bool unset;      /* memory that nothing was written to: np.empty(3) */
    bool constant;   /* nothing but literals, modules and builtins */
};

/* The tree is borrowed for the flow's life. With `silent_writes` a kernel in
 * which no write is recognized may write all its arguments, else none. */
struct flow *flow_new(const struct tree *tree, bool silent_writes);

/* The same, and what begins in one of the spans (sorted) never ran: it gives
 * nothing. */
struct flow *flow_new_without(const struct tree *tree, bool silent_writes,
                              const struct span *idle, size_t n);
void flow_free(struct flow *flow);

/* What the expression (a node of tree_nodes()) is made of. */
void flow_slice(struct flow *flow, uint32_t node, struct slice *out);
void slice_deinit(struct slice *slice);

/* The same, and mark each node that the value is made of: `marks` has room for
 * all. A kernel is marked whole, by the first that comes to it. */
void flow_mark(struct flow *flow, uint32_t node, uint8_t *marks, uint8_t mark);

/* Whether the two have a source in common. */
bool slice_shares(const struct slice *a, const struct slice *b);

/* The last expression that gives the name at this node its value, the argument
 * of the first call where it is a parameter; NODE_NONE when there is none. */
uint32_t flow_value(const struct flow *flow, uint32_t identifier);

/* The first call that writes into what the name at this node stands for, as
 * `failed.append(x)`; NODE_NONE when there is none. */
uint32_t flow_filled(const struct flow *f, uint32_t identifier);

/* Where the name at this node is bound first. */
struct span flow_target(const struct flow *f, uint32_t identifier);

/* What this call hands to the parameter that the name at this node is;
 * NODE_NONE when it is no parameter of what is called. */
uint32_t flow_handed(const struct flow *f, uint32_t identifier, uint32_t call);

/* The function of the script that a call calls, NODE_NONE when it is none or a
 * kernel; what `op(x)` calls of an object, when all of the script's have one
 * such method; and the calls of a function, one after another (from NODE_NONE
 * on).
 */
uint32_t flow_callee(const struct flow *flow, uint32_t call);
uint32_t flow_called_object(const struct flow *f, uint32_t call);
uint32_t flow_next_call(const struct flow *flow, uint32_t function,
                        uint32_t after);

#endif
