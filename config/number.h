/* number.h - decimal numbers in texts of our own making. */
#ifndef AUTODD_NUMBER_H
#define AUTODD_NUMBER_H

#include <stdbool.h>

/* Read the digits at *p and go behind them. False, and *p anywhere behind where
 * it was, when there are none or they are too many for an unsigned long; no
 * sign and no blank is taken. */
bool number_read(const char **p, unsigned long *out);

#endif
