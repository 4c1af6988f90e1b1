/* capture.h - what a case of `match` captures, as plain assignments.
 *
 *     match f(x):
 *         case [a, _]: g(a)            a = f(x)[0]
 *         case K(v=b): g(b)            b = f(x).v
 *         case {"k": str(c)}: g(c)     c = f(x)["k"]
 *
 * That the subject looks like the pattern is not checked any more. */
#ifndef AUTODD_CAPTURE_H
#define AUTODD_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/buf.h"
#include "grammar/generator.h"

/* The names that are captured and used, each assigned from the subject, joined
 * by semicolons. False when nothing is, or it cannot be written so: a name
 * behind a star, `**rest`, a class whose fields are not known, or several
 * names of a subject that is more than a name. */
bool capture_add(struct buf *out, const struct gen *g, uint32_t match,
                 uint32_t clause);

#endif
