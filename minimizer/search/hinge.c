/* A unit of a list is its node alone: the separators that go with it depend on
 * which others are left. */
#include "minimizer/search/hinge.h"

#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "grammar/generator.h"

void hinges_deinit(struct hinges *hinges)
{
    free(hinges->places);
    *hinges = (struct hinges){ 0 };
}

void hinges_copy(struct hinges *to, const struct hinges *from)
{
    to->n = to->room = from->n;
    to->places =
        xcopy(from->places, from->n * HINGE_PLACES, sizeof(*to->places));
}

bool hinges_touch(const struct claim *claim, const struct edits *edits)
{
    const struct edit *edit = &edits->items[claim_edit(claim, edits)];
    enum edit_tier tier = edit_kind_info(edit->kind)->tier;

    if (edit->kind == EDIT_fold)
        return false; /* for numbers it comes to the same */
    return edit->kernel || (edit->sides == SIDES_ONE &&
                            (tier == TIER_SHRINK || tier == TIER_MUTATE));
}

bool hinges_can(const struct claim *claim, const struct edits *edits)
{
    return claim_is_single(claim) && hinges_touch(claim, edits);
}

/* The living one of a run that has a single one left. */
static uint32_t living_edit(const struct claim *claim,
                            const struct edits *edits)
{
    uint32_t edit = claim_edit(claim, edits), units = claim->to - claim->from;

    for (uint32_t i = 1; claim->list != EDIT_NONE && i < units; i++)
        if (edits_dead(edits, edit))
            edit++;
    return edit;
}

void hinges_add(struct hinges *hinges, const struct claim *claim,
                const struct edits *edits)
{
    uint32_t which = living_edit(claim, edits);
    struct edit edit = edits_now(edits, which);
    struct span places[HINGE_PLACES] = { 0 };
    size_t n = 0;

    if (claim->list != EDIT_NONE)
        places[n++] = edit.cover;
    for (uint32_t c = 0; claim->list == EDIT_NONE && c < edit.n; c++) {
        struct span at = edits_change_now(edits, which, c).at;

        if (span_len(at) == 0)
            continue;
        if (n == HINGE_PLACES)
            return;
        places[n++] = at;
    }
    xgrow(&hinges->places, &hinges->room, hinges->n + 1, sizeof(places));
    memcpy(&hinges->places[hinges->n++ * HINGE_PLACES], places, sizeof(places));
}

static bool takes(const struct patch *patch, struct span place)
{
    for (size_t i = 0; i < patch->n; i++)
        if (span_holds(patch->changes[i].at, place))
            return true;
    return false;
}

bool hinges_lost(const struct hinges *hinges, const struct patch *patch)
{
    for (size_t h = 0; h < hinges->n; h++) {
        const struct span *places = &hinges->places[h * HINGE_PLACES];
        unsigned left = 0, lost = 0;

        for (unsigned i = 0; i < HINGE_PLACES; i++) {
            left += span_len(places[i]) > 0;
            lost += span_len(places[i]) > 0 && takes(patch, places[i]);
        }
        if (lost > 0 && lost == left)
            return true;
    }
    return false;
}

void hinges_rebase(struct hinges *hinges, const struct patch *patch)
{
    spans_rebase(hinges->places, hinges->n * HINGE_PLACES, patch);
}
