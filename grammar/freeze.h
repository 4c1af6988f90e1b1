/* freeze.h - code the user wants kept.
 *
 * Marks, as AutoDD has them: `with __freeze__:` around statements,
 * `__freeze__(expr)`, the comment `# autodd: freeze` on a statement's line (it
 * freezes that whole statement, or the next one when it stands alone), and
 * `# autodd: freeze-start` to `# autodd: end-freeze`. The two forms that are
 * code are taken out of the text (they would not run: no such name exists);
 * the comments stay. What was marked is a list of spans. */
#ifndef AUTODD_FREEZE_H
#define AUTODD_FREEZE_H

#include <stddef.h>

#include "config/base.h"
#include "config/err.h"

/* The text without the code marks (caller frees *out, NUL-terminated) and the
 * frozen spans in it, sorted, apart from each other (caller frees *spans; NULL
 * when there are none). -EINVAL with line and remedy for a start without an
 * end, an end without a start, a mark of the wrong form. */
int freeze_read(struct bytes text, char **out, size_t *len, struct span **spans,
                size_t *n, struct err *err);

#endif
