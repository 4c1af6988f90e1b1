/* shapes.h - long scripts of one shape each, that a search must not stall on.
 *
 * What the failure needs stands in them as words @0@, @1@, ...: the oracle
 * looks for those alone. */
#ifndef AUTODD_BENCH_SHAPES_H
#define AUTODD_BENCH_SHAPES_H

#include <stdbool.h>

#include "config/base.h"
#include "config/buf.h"

struct shape {
    const char *name;
    void (*make)(struct buf *text);
};

extern const struct shape shapes[];
extern const unsigned shapes_n;

/* Whether each word of the shape's text is left. */
bool shape_says(struct bytes text);

#endif
