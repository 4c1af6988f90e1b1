/* Which edits are offered when.
 *
 * A round takes all edits of the base at its beginning and goes tier by tier.
 * It first puts off what would leave a name without its definition or the
 * failure without its way there, and leaves alone what was refused before at
 * the same place, though the text around it has changed: most commits are far
 * away, and a full round of noes after each few of them would multiply the
 * runs. So an edit is mutated when each preserving one was refused where it
 * stands, but for what would leave a name without its definition. The two rows
 * before the last take all edits again; when nothing is committed in the second
 * of them, each edit has a no on the final text: that is what makes it
 * 1-minimal. When something is, another round follows at once, and goes on with
 * those that were longest not asked about: the end is reached only from a round
 * whose base is the final text.
 *
 * Before anything is mutated, and again when much has gone since, the base is
 * run once more under a tracer: what is left has one value where there were
 * many. If something is seen, the round begins anew. */
#include <stdlib.h>

#include "config/mem.h"
#include "grammar/frames.h"
#include "grammar/generator.h"
#include "grammar/guard.h"
#include "minimizer/search/rate.h"
#include "minimizer/search/solo_parts.h"

/* Traced runs of what is left that bring nothing, at most, and all of them. */
#define VAIN_LOOKS_MAX 4
#define LOOKS_MAX 8

/* A round goes through these rows: news first, tier by tier; before anything
 * is mutated some of what was put off; then whatever was refused before, first
 * what was not asked since the last sweep began, and looks when nothing else is
 * left. */
static const struct stage {
    enum edit_tier tier; /* up to which edits are offered */
    bool fills;          /* offers edits again that the row before has passed
                          * over */
    enum queue_offers what;
    enum deferral {
        DEFER_LOST, /* puts off what leaves a name without its definition, or
                     * takes a statement away that the failure came by */
        DEFER_BUT_IMPORTS, /* but for imports: some names come unasked */
        DEFER_NOTHING
    } defers;
} stages[] = {
    { TIER_COARSE, true, OFFER_NEWS, DEFER_LOST },
    { TIER_FINE, false, OFFER_NEWS, DEFER_LOST },
    { TIER_FINE, true, OFFER_NEWS, DEFER_BUT_IMPORTS },
    { TIER_MUTATE, false, OFFER_NEWS, DEFER_NOTHING },
    { TIER_MUTATE, true, OFFER_STALE, DEFER_NOTHING },
    { TIER_MUTATE, true, OFFER_ALL, DEFER_NOTHING },
    { TIER_LOOKS, false, OFFER_ALL, DEFER_NOTHING },
};

enum edit_tier solo_tier(const struct solo *solo)
{
    return stages[solo->stage].tier;
}

static void enter_stage(struct solo *solo, unsigned stage)
{
    solo->stage = stage;
    if (solo->look_base && stages[stage].tier >= TIER_MUTATE) {
        solo->vain_looks += solo->look_base == solo->base_number + 1;
        solo->look_base = 0;
    }
    if (stages[stage].fills && stages[stage].what == OFFER_ALL)
        queue_sweep(&solo->queue);
    if (stages[stage].fills)
        queue_fill(&solo->queue, &solo->edits, version_bytes(&solo->base),
                   stages[stage].what);
}

/* Whether the base is to be traced before anything is mutated, or again
 * afterwards: an eighth of it, and a few bytes, have gone since the last time.
 */
static bool must_look(const struct solo *solo)
{
    return solo->opts.looks && !solo->before && solo->looks < LOOKS_MAX &&
           solo->vain_looks < VAIN_LOOKS_MAX &&
           stages[solo->stage].tier < TIER_MUTATE &&
           stages[solo->stage + 1].tier >= TIER_MUTATE &&
           solo->base.len < LONG_TEXT &&
           solo->base.len * 8 + 64 <= solo->looked_len * 7;
}

/* Whether it asks again what was refused where it stands: a pump is undone
 * before that. */
static bool is_repetition(const struct stage *stage)
{
    return stage->what != OFFER_NEWS;
}

/* The next stage of this round; false: there is none. */
static bool next_stage(struct solo *solo)
{
    if (solo->stage + 1 == ARRAY_LEN(stages) ||
        (solo->before && is_repetition(&stages[solo->stage + 1])))
        return false;
    enter_stage(solo, solo->stage + 1);
    return true;
}

void solo_start_round(struct solo *solo)
{
    const struct tree *tree = solo_tree(solo);
    uint8_t *sides =
        solo->opts.figures ? guard_sides(solo->opts.keep, tree) : NULL;
    struct gen_known known = { .observed = &solo->observed,
                               .frames = solo->frames,
                               .nframes = solo->nframes,
                               .sides = sides,
                               .turns = solo->opts.turns };

    frames_forget_stale(tree, solo->frames, solo->nframes);
    edits_deinit(&solo->edits);
    edits_init(&solo->edits);
    generate_known(tree, solo->frozen, solo->nfrozen,
                   vocabulary(solo->opts.mutate, solo->opts.rename), &known,
                   &solo->edits);
    free(sides);
    edits_lay(&solo->edits);
    solo->base_errors = tree_errors(tree);
    bindings_free(solo->bindings);
    solo->bindings = bindings_new(tree);
    blocks_deinit(&solo->blocks);
    if (solo->base_errors == 0 && solo->base.len >= LONG_TEXT)
        blocks_fill(&solo->blocks, tree);
    enter_stage(solo, 0);
    solo->round_base = solo->base_number;
    solo->untried = false;
    solo->opening = true;
    solo->stats.rounds++;
}

static bool is_idle(const struct search_opts *opts, struct span at)
{
    size_t low;

    /* The first span that ends at or after at.end */
    BISECT(low, 0, opts->nidle, opts->idle[low].end < at.end);
    return low < opts->nidle && span_holds(opts->idle[low], at);
}

/* Put the units that are thought useless, the outermost ones, into the merge
 * queue: their union is tried first, and taken apart when it does not go. */
void solo_offer_idle(struct solo *solo, const struct search_opts *opts)
{
    const struct edits *edits = &solo->edits;
    bool *idle = xcalloc(edits->n, sizeof(*idle));

    for (uint32_t i = 0; i < edits->n; i++)
        idle[i] = edits->items[i].list != EDIT_NONE &&
                  edits->items[i].kind == EDIT_statement &&
                  is_idle(opts, edits_now(edits, i).cover);
    for (uint32_t l = 0; l < edits->nlists; l++) {
        uint32_t first = edits->lists[l].first, n = edits->lists[l].n;
        uint32_t parent = edits->items[first].parent;

        if (parent != EDIT_NONE && idle[parent])
            continue;
        for (uint32_t i = 0; i < n; i++) {
            struct claim claim = { .list = l, .from = i, .untested = true };

            while (i < n && idle[first + i])
                i++;
            claim.to = i;
            claim.units = i - claim.from;
            if (claim.units > 0)
                merge_add(&solo->merge, &claim);
        }
    }
    free(idle);
}

/* The same for what is sure to go. False: there is nothing, or nothing new. */
static bool offer_sure(struct solo *solo)
{
    struct claim *claims;
    size_t n;

    if (solo->base_number != solo->round_base)
        solo_start_round(solo);
    else if (solo->surely == solo->base_number + 1)
        return false;
    solo->surely = solo->base_number + 1;
    claims = xcalloc(solo->edits.n + 1, sizeof(*claims));
    n = queue_take_sure(&solo->queue, claims);
    for (size_t i = 0; i < n; i++) {
        claims[i].untested = true;
        merge_add(&solo->merge, &claims[i]);
    }
    free(claims);
    return n > 0;
}

/* Whether it deletes a statement that the failure came by. An edit that puts
 * something in its place (what it calls, its body) does not. */
bool solo_loses_frame(const struct solo *solo, const struct claim *claim,
                      const struct patch *patch)
{
    unsigned kind = claim_kind(claim, &solo->edits);

    if (kind != EDIT_statement && kind != EDIT_definition &&
        kind != EDIT_import)
        return false;
    for (size_t f = 0; f < solo->nframes; f++)
        for (size_t i = 0; i < patch->n; i++)
            if (span_len(solo->frames[f]) > 0 &&
                span_holds(patch->changes[i].at, solo->frames[f]))
                return true;
    return false;
}

/* Whether a run of the claim is put off for now. */
bool solo_defers(const struct solo *solo, const struct claim *claim,
                 const struct patch *patch)
{
    const struct stage *stage = &stages[solo->stage];

    if (claim->lost || solo_loses_frame(solo, claim, patch))
        switch (stage->defers) {
        case DEFER_LOST:
            return true;
        case DEFER_BUT_IMPORTS:
            if (!patch->touches_import)
                return true;
            break;
        case DEFER_NOTHING:
            break;
        }
    return stage->what == OFFER_NEWS && claim->lost &&
           queue_was_refused(&solo->queue, claim);
}

/* Everything offered is settled. False: the end. */
bool solo_go_on(struct solo *solo)
{
    if (queue_revive(&solo->queue, solo_tier(solo)))
        return true;
    if (solo->base_number != solo->round_base) {
        solo_start_round(solo);
        return true;
    }
    if (must_look(solo)) {
        solo->look_due = true;
        return true;
    }
    return next_stage(solo);
}

/* What goes at last may make much go that is new, and then less is left to be
 * asked again: a round begins at once. */
void solo_break_round(struct solo *solo)
{
    if (is_repetition(&stages[solo->stage]) && solo->merge.n == 0 &&
        solo->base_number != solo->round_base && solo->base.len < LONG_TEXT)
        solo_start_round(solo);
}

/* A round opens with unions of what is sure to go, each made for the text that
 * the one before has left. */
void solo_open_round(struct solo *solo)
{
    if (solo->opening && solo->merge.n == 0)
        solo->opening = offer_sure(solo);
}
