/* frames.h - the statements that a traceback goes through.
 *
 * The failure came by them, so that a candidate without one of them mostly
 * passes: the search deletes them last. */
#ifndef AUTODD_FRAMES_H
#define AUTODD_FRAMES_H

#include <stddef.h>

#include "config/base.h"
#include "grammar/tree.h"

/* The spans of the smallest statements that stand in these lines of the text
 * (numbers from 1, "12,80,45"; NULL: none), sorted, each once. Numbers past the
 * end of the text are left out, and so is all after what is no number. Caller
 * frees *spans, NULL when there is none. Returns how many. */
size_t frame_spans(const struct tree *tree, const char *lines,
                   struct span **spans);

/* Empty those that the failure no longer comes by: it comes by one statement of
 * the module's own code, and of two such, outside of all functions, the first
 * has failed before the second would run, unless that handles the failure and
 * raises another one from it. What was a call and its function in
 * the original is so once the body stands alone. */
void frames_forget_stale(const struct tree *tree, struct span *frames,
                         size_t n);

#endif
