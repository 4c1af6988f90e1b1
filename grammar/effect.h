/* effect.h - what a kernel does to its arguments, as far as names tell, and
 * what can only do nothing.
 *
 * A kernel writes into its parameters: `out[i] = v`, `tl.store(p + i, v,
 * mask)`, `T.copy(v, out)`. Each such write has a value, a place and perhaps a
 * condition (a mask, an `if` around it); each of them is made of something, an
 * argument, a load, the place of the thread, or it is constant. A kernel whose
 * value has become constant, is put together from many no more, or whose
 * condition has gone, computes something else than before. Pure; n in the size
 * of the text. */
#ifndef AUTODD_EFFECT_H
#define AUTODD_EFFECT_H

#include <stdbool.h>

#include "grammar/flow.h"
#include "grammar/node.h"

struct effect {
    bool value;     /* of a write is not constant */
    bool place;     /* neither */
    bool condition; /* there is one, and it is not constant */
    bool reduces;   /* its value is one of many: tl.sum(x), `total += x` in a
                     * loop, tl.atomic_add() */
    bool reads;     /* its value is made of what it has read */
    bool casts;     /* and of what it has read as another type */
};

/* Of all writes in the kernels of that name together; nothing where none is
 * recognized. */
struct effect effect_of(struct flow *flow, struct bytes kernel);

/* Whether one access of a kernel to memory (load, store, an argument's element)
 * that begins in the span has an address that is as `wanted`: its place, of
 * what it has read, read as another type. What any of them is goes into *all,
 * unless that is NULL. */
bool effect_of_access(const struct flow *flow, struct span in,
                      const struct effect *wanted, struct effect *all);

/* Whether all that `wanted` has is there too. */
bool effect_has(const struct effect *effect, const struct effect *wanted);

/* Whether the text makes an array without elements (torch.zeros(0),
 * np.array([])) or launches a kernel on a grid without a block. Names and
 * parameters are followed, and what the script's functions return. */
bool effect_of_nothing(const struct flow *flow);

/* Whether the text makes random numbers and seeds none: they are others in each
 * run. */
bool effect_of_chance(const struct flow *flow);

/* Whether the text makes arrays at all. */
bool effect_of_arrays(const struct flow *flow);

/* Whether the answers above about a whole text look at calls of this name;
 * besides, they do at launches, `kernel[grid](...)`. */
bool effect_asks_of(const struct nodes *nodes, uint32_t call);

#endif
