/* claim.h - what a candidate changes: one edit, or a run of a list's units.
 *
 * A claim is numbers alone. The edits they name move along with each commit
 * (edits_rebase), so a claim outlives the base it was made for. */
#ifndef AUTODD_CLAIM_H
#define AUTODD_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

#include "grammar/edit.h"

struct claim {
    uint32_t list;     /* EDIT_NONE: the one edit `from` */
    uint32_t from, to; /* edit's number, or units [from, to) of the list */
    uint32_t units;    /* living ones among them when the claim was made */
    bool untested;     /* in the merge queue without a yes of its own */
    bool lost;         /* when it was tried it left a name undefined */
};

static inline struct claim claim_of_edit(uint32_t edit)
{
    return (struct claim){ .list = EDIT_NONE, .from = edit, .units = 1 };
}

/* Whether it is a single edit of the vocabulary, and then which. */
bool claim_is_single(const struct claim *claim);
uint32_t claim_edit(const struct claim *claim, const struct edits *edits);

unsigned claim_kind(const struct claim *claim, const struct edits *edits);

/* Whether all of n claims may change is one side of the test that is kept, or
 * none: the other tells then whether the failure is the same. Data of both may
 * become others, if nothing else changes. */
bool claims_bind(const struct claim *claims, size_t n,
                 const struct edits *edits);

/* Whether anything of it is left in the current text. */
bool claim_alive(const struct claim *claim, const struct edits *edits);

/* Add it to a patch against the current text: 0; -ENOENT when nothing is left
 * of it; -EEXIST, patch unchanged, when it cannot be or conflicts. */
int claim_patch(const struct claim *claim, const struct edits *edits,
                struct patch *patch);

#endif
