/* The search, one candidate after another.
 *
 *   round: generate all edits of the base --> queue
 *     merge queue, queue --claim--> question or commit
 *   queue empty: after a commit another round; else the next stage: the
 *   mutating edits, those for looks, pumps (solo_pump.c), the end
 *   noes that are doubted: another round before that
 *
 * Only commits, rounds and copies look at all edits. A copy shares what does
 * not change: trees, texts of edits, what a fill has found out. */
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "minimizer/search/solo_parts.h"
#include "worker/protocol.h"

/* The longest text that pumps make of one of so many bytes. */
static size_t pump_room(size_t len)
{
    return len << PUMP_DEPTH;
}

struct solo *solo_new(struct bytes text, const struct span *frozen,
                      size_t nfrozen, const struct search_opts *opts)
{
    struct solo *solo = xcalloc(1, sizeof(*solo));

    solo->opts = *opts;
    solo->base = (struct version){ .text = xmemdup(text.data, text.len),
                                   .len = text.len,
                                   .figures = opts->figures };
    solo->frozen = xcopy(frozen, nfrozen, sizeof(struct span));
    solo->nfrozen = nfrozen;
    solo->frames = xcopy(opts->frames, opts->nframes, sizeof(struct span));
    solo->nframes = opts->nframes;
    solo->opts.frames = NULL;
    solo->marks = xcopy(opts->marks, opts->nmarks, sizeof(struct span));
    solo->opts.marks = NULL;
    buf_init(&solo->text, pump_room(text.len));
    edits_init(&solo->edits);
    edits_init(&solo->pumps);
    edits_lay(&solo->pumps);
    queue_init(&solo->queue);
    odds_init(&solo->odds);
    solo->looked_len = text.len;
    if (opts->observed)
        observed_copy(&solo->observed, opts->observed);
    solo_start_round(solo);
    if (opts->nidle > 0)
        solo_offer_idle(solo, opts);
    solo->opts.idle = NULL;
    solo->opts.nidle = 0;
    solo->opts.observed = NULL;
    solo_know_base(solo);
    return solo;
}

void solo_free(struct solo *solo)
{
    if (!solo)
        return;
    question_close(&solo->question);
    buf_deinit(&solo->text);
    merge_deinit(&solo->merge);
    memory_deinit(&solo->memory);
    memory_deinit(&solo->pumped);
    edits_deinit(&solo->pumps);
    free(solo->pump_order);
    solo_drop_pumped(solo->before);
    queue_deinit(&solo->queue);
    edits_deinit(&solo->edits);
    blocks_deinit(&solo->blocks);
    relevant_deinit(&solo->relevant);
    bindings_free(solo->bindings);
    hinges_deinit(&solo->hinges);
    version_free(&solo->base);
    observed_deinit(&solo->observed);
    free(solo->frozen);
    free(solo->frames);
    free(solo->marks);
    free(solo);
}

static void question_copy(struct question *to, const struct question *from)
{
    *to = *from;
    if (!from->open)
        return;
    version_copy(&to->version, &from->version);
    to->ask.text = version_bytes(&to->version);
    to->patch.room = from->patch.n;
    to->patch.changes =
        xcopy(from->patch.changes, from->patch.n, sizeof(struct change));
    to->keys = xcopy(from->keys, from->ask.nkeys, sizeof(*to->keys));
    to->ask.keys = to->keys;
}

struct solo *solo_copy(const struct solo *from)
{
    struct solo *to = xcalloc(1, sizeof(*to));

    *to = *from;
    version_copy(&to->base, &from->base);
    to->frozen = xcopy(from->frozen, from->nfrozen, sizeof(struct span));
    to->frames = xcopy(from->frames, from->nframes, sizeof(struct span));
    to->marks = xcopy(from->marks, from->opts.nmarks, sizeof(struct span));
    hinges_copy(&to->hinges, &from->hinges);
    observed_copy(&to->observed, &from->observed);
    edits_copy(&to->edits, &from->edits);
    queue_copy(&to->queue, &from->queue, &to->edits);
    blocks_copy(&to->blocks, &from->blocks);
    relevant_copy(&to->relevant, &from->relevant);
    to->bindings = bindings_copy(from->bindings);
    merge_copy(&to->merge, &from->merge);
    memory_copy(&to->memory, &from->memory);
    memory_copy(&to->pumped, &from->pumped);
    edits_copy(&to->pumps, &from->pumps);
    to->pump_order =
        xcopy(from->pump_order, from->pumps.n, sizeof(*to->pump_order));
    solo_share_pumped(to->before);
    buf_init(&to->text, from->text.max);
    question_copy(&to->question, &from->question);
    return to;
}

void solo_doubt(struct solo *solo)
{
    memory_forget(&solo->memory, KNOWN_NO);
    hinges_deinit(&solo->hinges); /* a pass may have been chance */
    solo->doubted = true;
    solo->finished = false;
}

/* At the end: a round in which only what was doubted needs a run. */
static bool take_doubted(struct solo *solo)
{
    if (!solo->doubted)
        return false;
    solo->doubted = false;
    solo->pumps_base = 0;
    solo_start_round(solo);
    return true;
}

bool solo_run(struct solo *solo)
{
    struct claim claim;

    while (!solo->finished && !solo->question.open) {
        if (solo->look_due) {
            solo_ask_look(solo);
            break;
        }
        if (solo->before && solo->pump_left == 0) {
            solo_undo_pump(solo);
            continue;
        }
        solo_break_round(solo);
        solo_open_round(solo);
        if (merge_next(&solo->merge) > 0) {
            solo_try_merge(solo);
        } else if (queue_next(&solo->queue, solo_tier(solo), &claim)) {
            if (!solo_try_together(solo, &claim))
                solo_try_claim(solo, &claim);
        } else if (!solo_go_on(solo) && !solo_pump(solo)) {
            solo->finished = !take_doubted(solo);
        }
    }
    return !solo->finished;
}

const struct ask *solo_ask(const struct solo *solo)
{
    return &solo->question.ask;
}

void solo_marks(const struct solo *solo, bool of_ask, struct span *out)
{
    const struct solo *of = of_ask ? solo : solo_kept(solo);
    size_t n = solo->opts.nmarks;

    if (n > 0)
        memcpy(out, of->marks, n * sizeof(*out));
    if (n > 0 && of_ask)
        spans_rebase(out, n, &solo->question.patch);
}

bool solo_finished(const struct solo *solo)
{
    return solo->finished;
}

bool solo_minimal(const struct solo *solo)
{
    return solo->finished && !solo->untried;
}

bool solo_mutated(const struct solo *solo)
{
    return solo_kept(solo)->mutated;
}

struct bytes solo_text(const struct solo *solo)
{
    return version_bytes(&solo_kept(solo)->base);
}

bool solo_figures_differ(uint32_t base, uint32_t figures, bool binds)
{
    uint32_t changed = base ^ figures;

    if (base == 0 || figures == 0 || changed == 0)
        return false;
    return binds || (changed & FIGURES_PATTERN) != 0 ||
           (changed & FIGURES_FIRST) == 0 || (changed & FIGURES_OTHERS) == 0;
}

bool solo_differs(const struct solo *solo, uint32_t figures)
{
    return !solo->question.ask.looks &&
           solo_figures_differ(solo->base.figures, figures,
                               solo->question.ask.binds);
}

bool solo_guesses(const struct solo *solo)
{
    return solo->opts.figures != 0 && solo->base.guessed;
}

struct hash128 solo_hash(const struct solo *solo)
{
    return solo->base.hash;
}

const char *solo_last_kind(const struct solo *solo)
{
    return solo_kept(solo)->last_kind;
}

uint64_t solo_commits(const struct solo *solo)
{
    return solo_kept(solo)->base_number;
}

uint64_t solo_undone(const struct solo *solo)
{
    return solo->undone;
}

struct search_stats solo_stats(const struct solo *solo)
{
    return solo->stats;
}

size_t solo_size(const struct solo *solo)
{
    const struct edits *edits = &solo->edits;

    return 2 * solo->base.len + edits->n * 16 +
           edits->nlists * sizeof(struct walk);
}
