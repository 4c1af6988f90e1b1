/* blocks.h - the statements of a text, to look for syntax errors in those alone
 * that a patch touches.
 *
 * tree-sitter's incremental parse takes time in the number of all top-level
 * statements (some 8 ms for 20,000 lines), this in the size of those touched.
 * A statement at the top level begins in column 0 with nothing open before it,
 * so what is well-formed by itself is so in its place, and what is not is
 * broken. Within a function the lines from one statement to the next are read
 * first: where those are well-formed, the grammar has nothing against the rest
 * of it; where they are not, that may be for want of the rest. */
#ifndef AUTODD_BLOCKS_H
#define AUTODD_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base.h"
#include "grammar/edit.h"
#include "grammar/tree.h"

/* Where statements begin, in text order. */
struct starts {
    struct span *items; /* only their starts are looked at */
    size_t n, room;
};

struct blocks {
    struct starts top;   /* statements of the top level, and comments */
    struct starts lines; /* the lines that a statement of any level begins */
};

/* A zeroed struct has no blocks. */
void blocks_deinit(struct blocks *blocks);
void blocks_copy(struct blocks *to, const struct blocks *from);

/* The blocks of a tree without errors, at least one. */
void blocks_fill(struct blocks *blocks, const struct tree *tree);

/* Follow a commit. */
void blocks_rebase(struct blocks *blocks, const struct patch *patch);

enum blocks_answer {
    BLOCKS_FINE,
    BLOCKS_BROKEN, /* a new syntax error */
    BLOCKS_LARGE   /* they are longer than `most` bytes: not known */
};

/* Whether the patch breaks the blocks it touches; `text`: before it. */
enum blocks_answer blocks_check(const struct blocks *blocks, struct bytes text,
                                const struct patch *patch, size_t most);

#endif
