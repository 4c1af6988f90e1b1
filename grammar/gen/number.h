/* number.h - whole numbers of Python as the generators read them. Pure. */
#ifndef AUTODD_NUMBER_LITERAL_H
#define AUTODD_NUMBER_LITERAL_H

#include <stdbool.h>
#include <stdint.h>

#include "config/base.h"

/* 2^64 has 20 digits; with underscores a literal is longer, and no size. */
#define DIGITS_MAX 24

/* The value of an integer literal in any base; false for one that doesn't fit
 * 64 bits or is no whole number (1j). */
bool number_parse(struct bytes text, uint64_t *value);

#endif
