/* bindings.h - would a deletion leave a name that nothing defines?
 *
 * Such a candidate mostly ends in a NameError or an AttributeError, so the
 * search puts it off until the uses are gone too. A name is a symbol
 * (grammar/scope.h), or the name of an attribute: bound by what a class body
 * defines, by an assignment to x.NAME, and by an option of argparse; used where
 * x.NAME is read, and as keyword NAME of a call. This is a guess: the order of
 * definition and use, and branches, are not looked at.
 *
 * Made from one tree, it follows the commits on that text. What commits insert
 * is not seen. */
#ifndef AUTODD_BINDINGS_H
#define AUTODD_BINDINGS_H

#include <stdbool.h>

#include "grammar/edit.h"
#include "grammar/tree.h"

struct bindings;

/* Borrows nothing. n log n. Caller frees with bindings_free(). */
struct bindings *bindings_new(const struct tree *tree);
void bindings_free(struct bindings *bindings);
struct bindings *bindings_copy(const struct bindings *bindings);

/* Follow a commit. Linear. */
void bindings_rebase(struct bindings *bindings, const struct patch *patch);

/* Whether the patch takes the last definition of a name away and leaves a use.
 * Costs the names in what it deletes. */
bool bindings_lost(struct bindings *bindings, const struct patch *patch);

#endif
