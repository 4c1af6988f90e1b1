/* Pumps: edits after which the text is larger, and may get smaller than ever.
 *
 *     end of the search --pump, yes--> larger text --search--> ...
 *         smaller than before the pump: kept, and the search goes on
 *         its end, or no runs left:     the text before, the next pump
 *         no pump left:                 the end
 *
 * A function that is called twice, unrolled loops, a context manager's two
 * halves: each way there leads over a larger text, and no single step that
 * shrinks finds it. A pump keeps the solo as it was before, whole, and goes on
 * with the pumped text as with any other; only what was refused before where
 * the same text stood is not asked again. To undo it is to take that solo back:
 * all but what was learned of texts (their verdicts hold whatever becomes of
 * the pump) and what the pumps have cost.
 *
 * What comes before is in nobody's way: it does not change, and copies share
 * it. Pumps may be on top of each other; each is paid as soon as the text is
 * smaller than the one before it. */
#include <stdlib.h>

#include "config/mem.h"
#include "grammar/generator.h"
#include "minimizer/search/rate.h"
#include "minimizer/search/solo_parts.h"

struct pumped {
    unsigned refs; /* solos that have it, but for one */
    struct solo *solo;
};

void solo_drop_pumped(struct pumped *before)
{
    if (!before || before->refs-- > 0)
        return;
    solo_free(before->solo); /* as deep as pumps are nested */
    free(before);
}

struct pumped *solo_share_pumped(struct pumped *before)
{
    if (before)
        before->refs++;
    return before;
}

const struct solo *solo_kept(const struct solo *solo)
{
    while (solo->before)
        solo = solo->before->solo;
    return solo;
}

struct ranked {
    int64_t saved;
    uint32_t edit;
};

/* Those first that grow the text least. */
static int by_growth(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->saved != y->saved)
        return x->saved > y->saved ? -1 : 1;
    return x->edit < y->edit ? -1 : x->edit > y->edit;
}

/* All pumps of the base, and in which order to try them. */
static void find_pumps(struct solo *solo)
{
    struct edits *pumps = &solo->pumps;
    struct ranked *ranked;

    edits_deinit(pumps);
    edits_init(pumps);
    generate_pumps(solo_tree(solo), solo->frozen, solo->nfrozen, pumps);
    edits_lay(pumps);
    free(solo->pump_order);
    solo->pump_order = xcalloc(pumps->n, sizeof(*solo->pump_order));
    ranked = xcalloc(pumps->n + 1, sizeof(*ranked));
    for (uint32_t i = 0; i < pumps->n; i++)
        ranked[i] = (struct ranked){ edits_saved(pumps, i), i };
    qsort(ranked, pumps->n, sizeof(*ranked), by_growth);
    for (uint32_t i = 0; i < pumps->n; i++)
        solo->pump_order[i] = ranked[i].edit;
    free(ranked);
    solo->pumps_base = solo->base_number + 1;
    solo->next_pump = 0;
}

static void ask_pump(struct solo *solo, const struct edit *edit,
                     struct patch *patch, struct version *version)
{
    struct question *q = &solo->question;

    *q = (struct question){
        .open = true, .version = *version, .patch = *patch, .pump = true
    };
    q->keys = xcopy(&version->hash, 1, sizeof(*q->keys));
    q->ask = (struct ask){ .text = version_bytes(&q->version),
                           .hash = version->hash,
                           .keys = q->keys,
                           .nkeys = 1,
                           .odds = RATE_ONE / 2,
                           .pumped = true,
                           .kind = edit_kind_info(edit->kind)->name,
                           .touches_import = patch->touches_import,
                           .saved = patch_saved(patch) };
    patch_init(patch);
    *version = (struct version){ 0 };
}

/* Runs for a pump, after so many for others. */
static unsigned left_of(unsigned runs)
{
    unsigned left = runs < PUMPS_RUNS ? PUMPS_RUNS - runs : 0;

    return left < PUMP_RUNS ? left : PUMP_RUNS;
}

void solo_take_pump(struct solo *solo, const struct patch *patch,
                    struct version *version, const char *kind)
{
    struct pumped *before = xcalloc(1, sizeof(*before));

    before->solo = solo_copy(solo);
    solo_drop_pumped(solo->before); /* the copy has it, too */
    if (!before->solo->before)
        solo->pump_left = left_of(solo->pump_runs);
    solo->before = before;
    solo->pump_depth++;
    memory_set(&solo->pumped, version->hash, KNOWN_YES);
    solo_commit(solo, patch, version, kind);
    solo_start_round(solo);
}

/* Commit it, or ask. False: it is known not to go, or was tried before. */
static bool try_pump(struct solo *solo, uint32_t pump)
{
    const struct edit *edit = &solo->pumps.items[pump];
    struct patch patch;
    struct hash128 hash;
    struct version version = { 0 };
    bool tried = true;

    patch_init(&patch);
    if (patch_add_edit(&patch, &solo->pumps, pump) == 0)
        switch (solo_judge_pump(solo, &patch, &hash, &version)) {
        case ANSWER_RUN:
            ask_pump(solo, edit, &patch, &version);
            tried = false;
            break;
        case ANSWER_YES:
            tried = memory_get(&solo->pumped, hash) != KNOWN_NOTHING;
            if (!tried)
                solo_take_pump(solo, &patch, &version,
                               edit_kind_info(edit->kind)->name);
            break;
        case ANSWER_NO:
        case ANSWER_UNTRIED:
            break;
        }
    version_free(&version);
    patch_deinit(&patch);
    return !tried;
}

static bool may_pump(const struct solo *solo)
{
    return solo->base.len < LONG_TEXT && solo->pump_depth < PUMP_DEPTH &&
           solo->pump_runs < PUMPS_RUNS;
}

void solo_undo_pump(struct solo *solo)
{
    struct solo *old = solo_copy(solo->before->solo);
    struct solo now = *solo;

    now.stats.accepted = old->stats.accepted;
    memory_deinit(&old->memory);
    memory_deinit(&old->pumped);
    *solo = *old;
    solo->queue.edits = &solo->edits;
    solo->memory = now.memory;
    solo->pumped = now.pumped;
    solo->stats = now.stats;
    solo->pump_left = now.pump_left;
    solo->pump_runs = now.pump_runs;
    solo->undone = now.undone + 1;
    solo->doubted = now.doubted;
    if (solo->doubted)
        hinges_deinit(&solo->hinges);
    now.memory = now.pumped = (struct memory){ 0 };
    *old = now;
    old->queue.edits = &old->edits;
    solo_free(old);
}

void solo_figures(struct solo *solo, struct hash128 text, uint32_t figures)
{
    if (memory_get(&solo->memory, text) != KNOWN_NOTHING)
        memory_set_figures(&solo->memory, text, figures);
    for (; solo; solo = solo->before ? solo->before->solo : NULL) {
        if (!hash_equal(solo->base.hash, text))
            continue;
        if (figures != 0) /* else those that were guessed are the best known */
            solo->base.figures = figures;
        solo->base.guessed = false;
    }
}

bool solo_pump(struct solo *solo)
{
    if (may_pump(solo) && solo->pumps_base != solo->base_number + 1)
        find_pumps(solo);
    while (may_pump(solo) && solo->next_pump < solo->pumps.n)
        if (try_pump(solo, solo->pump_order[solo->next_pump++]))
            return true;
    if (!solo->before)
        return false;
    solo_undo_pump(solo);
    return true;
}

void solo_pay_pump(struct solo *solo)
{
    while (solo->before &&
           solo_is_smaller(version_bytes(&solo->base),
                           version_bytes(&solo->before->solo->base))) {
        struct pumped *before = solo->before;

        solo->before = solo_share_pumped(before->solo->before);
        solo->pump_depth--;
        solo->pump_runs = before->solo->pump_runs;
        solo->last_kind = "pump";
        solo_drop_pumped(before);
    }
}
