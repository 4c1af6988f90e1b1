/* A walk keeps what was not yet given as [0, cursor) and, besides, a stack of
 * ranges: halves of runs that failed, and runs to be repeated. Each living
 * unit is thus in exactly one place: below the cursor, in a range of the
 * stack, in a run that is out, or done with. Dead units may lie anywhere and
 * are skipped when a run is built. */
#include "minimizer/search/walk.h"

#include <stdlib.h>

#include "config/mem.h"

static bool is_later(const struct walk *walk, const struct edits *edits,
                     uint32_t unit)
{
    return walk->later && walk->later[edits->lists[walk->list].first + unit];
}

void walk_init(struct walk *walk, const struct edits *edits, uint32_t list,
               const bool *later)
{
    const struct edit_list *l = &edits->lists[list];

    *walk = (struct walk){ .list = list,
                           .cursor = l->n,
                           .length = 1,
                           .whole = l->whole_first && l->n > 1,
                           .rate = rate_init(0.5),
                           .later = later };
    for (uint32_t i = 0; i < l->n && walk->whole; i++)
        walk->whole = !is_later(walk, edits, i);
}

void walk_deinit(struct walk *walk)
{
    free(walk->left);
}

void walk_copy(struct walk *to, const struct walk *from)
{
    *to = *from;
    to->left_room = from->nleft;
    to->left = NULL;
    if (from->nleft > 0)
        to->left = xcopy(from->left, from->nleft, sizeof(*from->left));
}

static bool lives(const struct walk *walk, const struct edits *edits,
                  uint32_t unit)
{
    return !edits_dead(edits, edits->lists[walk->list].first + unit);
}

/* The last `most` living units of [from, to) as a claim without dead units at
 * its ends; false when none lives. */
static bool claim_last(const struct walk *walk, const struct edits *edits,
                       struct span units, uint32_t most, struct claim *claim)
{
    *claim = (struct claim){ .list = walk->list };
    for (uint32_t i = units.end; i > units.start && claim->units < most; i--) {
        if (!lives(walk, edits, i - 1))
            continue;
        if (is_later(walk, edits, i - 1)) {
            if (claim->units > 0)
                break;
            continue;
        }
        if (claim->units++ == 0)
            claim->to = i;
        claim->from = i - 1;
    }
    return claim->units > 0;
}

static void push_left(struct walk *walk, uint32_t from, uint32_t to)
{
    xgrow(&walk->left, &walk->left_room, walk->nleft + 1, sizeof(*walk->left));
    walk->left[walk->nleft++] = (struct span){ from, to };
}

bool walk_next(struct walk *walk, const struct edits *edits,
               struct claim *claim)
{
    uint32_t n = edits->lists[walk->list].n;

    if (walk->whole_out)
        return false;
    if (walk->whole) {
        walk->whole = false;
        if (claim_last(walk, edits, (struct span){ 0, n }, n, claim) &&
            claim->units > 1) {
            walk->whole_out = true;
            return true;
        }
    }
    while (walk->nleft > 0) {
        struct span units = walk->left[--walk->nleft];
        if (claim_last(walk, edits, units, UINT32_MAX, claim))
            return true;
    }
    if (!claim_last(walk, edits, (struct span){ 0, walk->cursor }, walk->length,
                    claim)) {
        walk->cursor = 0;
        return false;
    }
    walk->cursor = claim->from;
    return true;
}

static void split(struct walk *walk, const struct edits *edits,
                  const struct claim *claim)
{
    struct span units = { claim->from, claim->to };
    struct claim all, upper;

    if (!claim_last(walk, edits, units, UINT32_MAX, &all))
        return;
    if (all.units > 1) {
        claim_last(walk, edits, units, all.units / 2, &upper);
        push_left(walk, all.from, upper.from);
        push_left(walk, upper.from, upper.to);
    } else if (claim->units > 1) { /* the others have gone since */
        push_left(walk, all.from, all.to);
    }
}

void walk_said(struct walk *walk, const struct edits *edits,
               const struct claim *claim, bool yes)
{
    bool whole = walk->whole_out;
    uint32_t n = edits->lists[walk->list].n;

    walk->whole_out = false;
    if (yes) {
        rate_note(&walk->rate, true);
        walk->length = claim->units > n / 2 ? n : claim->units * 2;
        if (whole)
            walk->cursor = 0;
    } else if (!whole) {
        rate_note(&walk->rate, false);
        walk->length = claim->units > 1 ? claim->units / 2 : 1;
        split(walk, edits, claim);
    }
    /* That not all of a list may go says little about its parts: no halves,
     * the walk begins with its last unit. */
}

void walk_return(struct walk *walk, const struct claim *claim)
{
    if (walk->whole_out) {
        walk->whole_out = false;
        walk->whole = true;
    } else {
        push_left(walk, claim->from, claim->to);
    }
}

static uint64_t bytes_of_units(const struct walk *walk,
                               const struct edits *edits, struct span units)
{
    uint32_t first = edits->lists[walk->list].first;
    uint32_t start, end;

    if (units.start >= units.end)
        return 0;
    start = edits_now(edits, first + units.start).cover.start;
    end = edits_now(edits, first + units.end - 1).cover.end;
    return end > start ? end - start : 0;
}

/* The next run, and a share of what the walk would save a trial if all went
 * on to succeed (doubling takes log2(n) runs): as large as this list's luck. */
uint64_t walk_worth(const struct walk *walk, const struct edits *edits)
{
    struct span rest = { 0, walk->cursor };
    uint64_t all = bytes_of_units(walk, edits, rest), next = all;
    unsigned runs = 1;

    if (walk->whole)
        return all;
    if (walk->nleft > 0)
        next = bytes_of_units(walk, edits, walk->left[walk->nleft - 1]);
    else if (walk->cursor > walk->length)
        next = bytes_of_units(
            walk, edits,
            (struct span){ walk->cursor - walk->length, walk->cursor });
    for (uint64_t length = walk->length; length < walk->cursor; length *= 2)
        runs++;
    if (all / runs > next)
        next += (all / runs - next) * rate_value(&walk->rate) / RATE_ONE;
    return next;
}
