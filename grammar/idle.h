/* idle.h - code that a traced run never reached.
 *
 * A guess, to be tested like any other candidate: lines that did not run may
 * still matter (a name looked up, a source read back). Bodies of kernels are
 * left out, for front ends read them and never run them. */
#ifndef AUTODD_IDLE_H
#define AUTODD_IDLE_H

#include <stddef.h>

#include "config/base.h"
#include "config/err.h"
#include "grammar/tree.h"

/* The spans of whole lines that did not run, sorted, as long as can be; caller
 * frees *spans (NULL when there are none). `ran`: lines as ranges, from 1,
 * ascending: "1-5,7,9-12". -EINVAL with a sentence for anything else. */
int idle_spans(const struct tree *tree, const char *ran, struct span **spans,
               size_t *n, struct err *err);

#endif
