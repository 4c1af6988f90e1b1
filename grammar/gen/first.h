/* first.h - the first element of what a loop runs over, as text.
 *
 * range(n) begins with 0, range(a, ...) with a, a display with its first
 * element, {a: b}.items() with a, b, and so do zip([a], [b]) and, with 0, a,
 * enumerate([a]); {a: b} and its keys() with a, its values() with b; list(),
 * tuple() and iter() of one of them as that one; anything else with what
 * next(iter()) gives. */
#ifndef AUTODD_FIRST_H
#define AUTODD_FIRST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/buf.h"
#include "grammar/node.h"

/* Deepest part that is picked. */
#define FIRST_DEPTH 4

/* Most that zip() pairs. */
#define FIRST_PARTS 8

/* A way into an element: its part number at[0], of that number at[1], ... */
struct first_path {
    uint32_t at[FIRST_DEPTH];
    size_t n;
};

/* Append the part of the first element of `iterable` that `path` leads to; the
 * element itself for an empty path. */
void first_add(struct buf *out, const struct nodes *ns, uint32_t iterable,
               const struct first_path *path);

/* The first element of a display, of a set of one or of a dictionary's keys()
 * or values(), where it is written out; else NODE_NONE. */
uint32_t first_element(const struct nodes *ns, uint32_t iterable);

/* Whether the first element of one of these, zip() or enumerate() can be
 * written down; *several: it is a tuple then, without brackets. */
bool first_is_written(const struct nodes *ns, uint32_t iterable, bool *several);

#endif
