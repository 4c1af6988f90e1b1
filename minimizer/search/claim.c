#include "minimizer/search/claim.h"

#include <errno.h>

bool claim_is_single(const struct claim *claim)
{
    return claim->units == 1;
}

uint32_t claim_edit(const struct claim *claim, const struct edits *edits)
{
    return claim->list == EDIT_NONE
               ? claim->from
               : edits->lists[claim->list].first + claim->from;
}

unsigned claim_kind(const struct claim *claim, const struct edits *edits)
{
    return edits->items[claim_edit(claim, edits)].kind;
}

bool claim_alive(const struct claim *claim, const struct edits *edits)
{
    uint32_t first = claim_edit(claim, edits);

    if (claim->list == EDIT_NONE)
        return !edits_dead(edits, first);
    for (uint32_t i = 0; i < claim->to - claim->from; i++)
        if (!edits_dead(edits, first + i))
            return true;
    return false;
}

static void add_sides(const struct claim *claim, const struct edits *edits,
                      bool sides[SIDES_SEVERAL + 1])
{
    uint32_t first = claim_edit(claim, edits);

    if (claim->list == EDIT_NONE)
        sides[edits->items[first].sides] = true;
    for (uint32_t i = first;
         claim->list != EDIT_NONE && i < first + claim->to - claim->from; i++)
        if (!edits_dead(edits, i))
            sides[edits->items[i].sides] = true;
}

bool claims_bind(const struct claim *claims, size_t n,
                 const struct edits *edits)
{
    bool sides[SIDES_SEVERAL + 1] = { false };

    for (size_t i = 0; i < n; i++)
        add_sides(&claims[i], edits, sides);
    return sides[SIDES_ONE] || !sides[SIDES_SEVERAL];
}

int claim_patch(const struct claim *claim, const struct edits *edits,
                struct patch *patch)
{
    if (claim->list != EDIT_NONE)
        return patch_add_run(patch, edits, claim->list, claim->from, claim->to);
    if (edits_dead(edits, claim->from))
        return -ENOENT;
    return patch_add_edit(patch, edits, claim->from);
}
