/* source.h - C, C++ and CUDA in strings of many lines: a part of the generators
 * `source` and `string`. */
#ifndef AUTODD_SOURCE_H
#define AUTODD_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "grammar/node.h"

/* Whether the inside of a string reads as C: many lines, at least one
 * statement, all brackets closed. */
bool source_is(const struct nodes *ns, uint32_t string, struct span inside);

#endif
