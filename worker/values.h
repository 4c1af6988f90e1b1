/* values.h - what the expressions of a script came to, as its tracer (in
 * observed.py) leaves it.
 *
 * The file has a line for each expression: its bytes, a state and a text,
 * `START-END STATE TEXT` with spaces behind. The state `=` stands for one that
 * had one simple value each time it ran, `*` where the text only stands in for
 * the value (an array of the same shape), `+` for another one that came back, a
 * space for what never did, `!` for names that have no such value. */
#ifndef AUTODD_VALUES_H
#define AUTODD_VALUES_H

/* The first two kinds as struct observation has them, "START-END=VALUE",
 * "START-END*VALUE" or "START-END+" a line ("" for none), for the caller to
 * free. NULL when there is no such file, or it is larger than 1 MiB or damaged:
 * the run counts as one without values. Blocks. */
char *values_read(const char *path);

#endif
