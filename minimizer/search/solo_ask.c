/* From a claim to a question, and from its answer to a commit.
 *
 *     claim --patch--> text --known?--> question, open
 *     no:  the claim's parts are offered (halves of a run, edits inside)
 *     yes: committed at once
 *
 * What is likely to go together (the code that never ran, sure edits, a kind
 * that mostly goes) is put into the merge queue without a yes of its own, and
 * its union is asked about before anything else; when that fails, the queue
 * finds the first that does not go.
 *
 * Invariant: one question at most is open, about the present base. What is in
 * the merge queue is no part of the base until its union has a yes. */
#include <assert.h>
#include <stdlib.h>

#include "config/mem.h"
#include "grammar/generator.h"
#include "minimizer/search/rate.h"
#include "minimizer/search/solo_parts.h"

#define BATCH_MAX 32 /* edits tried together, at most */

void question_close(struct question *question)
{
    version_free(&question->version);
    patch_deinit(&question->patch);
    free(question->keys);
    *question = (struct question){ 0 };
}

static const char *claim_name(const struct solo *solo,
                              const struct claim *claim)
{
    return edit_kind_info(claim_kind(claim, &solo->edits))->name;
}

static bool claim_mutates(const struct solo *solo, const struct claim *claim)
{
    enum edit_tier tier = edit_kind_info(claim_kind(claim, &solo->edits))->tier;

    return tier == TIER_SHRINK || tier == TIER_MUTATE;
}

/* After a commit: claims that it has swallowed need no merging. */
static void drop_dead_merges(struct solo *solo)
{
    for (size_t i = solo->merge.n; i > 0; i--)
        if (!claim_alive(&solo->merge.items[i - 1], &solo->edits))
            merge_remove(&solo->merge, i - 1);
}

/* The commit of something that was not in the merge queue. */
static void commit_other(struct solo *solo, const struct patch *patch,
                         struct version *version, const struct claim *claim)
{
    solo->mutated |= claim_mutates(solo, claim);
    solo_commit(solo, patch, version, claim_name(solo, claim));
    drop_dead_merges(solo);
}

/* The first n claims of the merge queue. */
static void commit_merged(struct solo *solo, size_t n,
                          const struct patch *patch, struct version *version,
                          const char *kind)
{
    for (size_t i = 0; i < n; i++) {
        solo->mutated |= claim_mutates(solo, &solo->merge.items[i]);
        if (solo->merge.items[i].untested)
            queue_said(&solo->queue, &solo->merge.items[i], true, true);
    }
    solo_commit(solo, patch, version, kind);
    merge_yes(&solo->merge, n);
    drop_dead_merges(solo);
}

static void claim_failed(struct solo *solo, const struct claim *claim, bool ran)
{
    queue_said(&solo->queue, claim, false, ran);
}

static void claim_untried(struct solo *solo, const struct claim *claim)
{
    if (claim_is_single(claim))
        solo->untried = true;
    claim_failed(solo, claim, false);
}

/* The first n claims of the merge queue are bad together. */
static void merge_failed(struct solo *solo, size_t n, bool untried)
{
    struct claim claim;

    if (n == 0 || !merge_no(&solo->merge, n, &claim))
        return; /* none: all were swallowed by commits */
    if (untried)
        claim_untried(solo, &claim);
    else
        claim_failed(solo, &claim, claim.untested);
}

/* Whether it is a run of statements. To take those away does no harm to the
 * syntax; where it does, a long text is not looked at as a whole to find it. */
static bool is_statements(const struct solo *solo, const struct claim *claim)
{
    return claim->list != EDIT_NONE &&
           claim_kind(claim, &solo->edits) == EDIT_statement;
}

/* The same for the first n claims of the merge queue. */
static bool are_statements(const struct solo *solo, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!is_statements(solo, &solo->merge.items[i]))
            return false;
    return true;
}

/* The union of the first claims of the merge queue, at most n; those that
 * cannot be joined go back to where they came from. Returns how many are in
 * it. */
static size_t unite(struct solo *solo, size_t n, struct patch *patch)
{
    struct merge *merge = &solo->merge;
    size_t i = 0;

    while (i < n && i < merge->n) {
        struct claim claim = merge->items[i];
        if (claim_patch(&claim, &solo->edits, patch) == 0) {
            i++;
            continue;
        }
        merge_remove(merge, i);
        n--;
        if (i > 0)
            queue_return(&solo->queue, &claim);
        else
            claim_failed(solo, &claim, false);
    }
    return i;
}

static void add_key(struct question *q, const struct solo *solo, uint32_t edit)
{
    q->keys[q->ask.nkeys++] = solo->queue.offers->places[edit];
}

static void add_keys(struct question *q, const struct solo *solo,
                     const struct claim *claim)
{
    uint32_t first = claim_edit(claim, &solo->edits);

    if (claim->list == EDIT_NONE)
        add_key(q, solo, first);
    for (uint32_t i = first;
         claim->list != EDIT_NONE && i < first + claim->to - claim->from; i++)
        if (!edits_dead(&solo->edits, i))
            add_key(q, solo, i);
}

/* Wait for the verdict of one claim, or of the first `united` ones of the merge
 * queue; version and patch are taken. */
static void ask(struct solo *solo, const struct claim *claims, size_t n,
                struct patch *patch, struct version *version, const char *kind)
{
    struct question *q = &solo->question;
    size_t units = 0;

    *q =
        (struct question){ .open = true, .version = *version, .patch = *patch };
    q->ask = (struct ask){ .text = version_bytes(version),
                           .hash = version->hash,
                           .kind = kind,
                           .touches_import = patch->touches_import,
                           .saved = patch_saved(patch),
                           .pumped = solo->before != NULL };
    q->odds.saved = q->ask.saved;
    q->odds.length = solo->base.len;
    patch_init(patch);
    *version = (struct version){ 0 };
    for (size_t i = 0; i < n; i++)
        units += claims[i].units;
    q->keys = xcalloc(units, sizeof(*q->keys));
    for (size_t i = 0; i < n; i++) {
        add_keys(q, solo, &claims[i]);
        q->ask.mutates |= claim_mutates(solo, &claims[i]);
    }
    q->ask.keys = q->keys;
    q->ask.binds = claims_bind(claims, n, &solo->edits);
}

/* Whether a text that is known to be good shows another failure. */
static bool differs(const struct solo *solo, const struct claim *claims,
                    size_t n, const struct version *version)
{
    return solo_figures_differ(solo->base.figures, version->figures,
                               claims_bind(claims, n, &solo->edits));
}

static struct odds_case case_of(const struct solo *solo,
                                const struct claim *claim,
                                const struct patch *patch)
{
    bool lost = claim->lost || solo_loses_frame(solo, claim, patch);

    return (struct odds_case){
        .class = queue_was_refused(&solo->queue, claim) ? ODDS_REPEATED
                 : lost                                 ? ODDS_LOST
                                                        : ODDS_NEW,
        .kind = claim_kind(claim, &solo->edits),
        .saved = patch_saved(patch),
        .length = solo->base.len,
    };
}

static void ask_claim(struct solo *solo, const struct claim *claim,
                      struct patch *patch, struct version *version)
{
    struct question *q = &solo->question;
    struct odds_case odds = case_of(solo, claim, patch);

    ask(solo, claim, 1, patch, version, claim_name(solo, claim));
    q->claim = *claim;
    q->odds = odds;
    q->ask.odds = odds_of(&solo->odds, &odds);
}

static void ask_union(struct solo *solo, size_t n, struct patch *patch,
                      struct version *version, const char *kind)
{
    struct question *q = &solo->question;

    ask(solo, solo->merge.items, n, patch, version, kind);
    q->united = n;
    q->odds.class = ODDS_UNION;
    q->ask.odds = odds_of(&solo->odds, &q->odds);
}

/* The base itself, to be traced. */
void solo_ask_look(struct solo *solo)
{
    struct question *q = &solo->question;

    *q = (struct question){ .open = true };
    version_copy(&q->version, &solo->base);
    q->ask = (struct ask){ .text = version_bytes(&q->version),
                           .hash = solo->base.hash,
                           .kind = "look",
                           .odds = RATE_ONE / 2,
                           .looks = true };
    solo->look_due = false;
    solo->look_base = solo->base_number + 1;
    solo->looks++;
    solo->looked_len = solo->base.len;
}

void solo_saw(struct solo *solo, const struct observed *observed)
{
    observed_deinit(&solo->observed);
    observed_copy(&solo->observed, observed);
    solo->saw = true;
}

static void answer_look(struct solo *solo, enum verdict verdict)
{
    if (verdict == VERDICT_YES && solo->saw) {
        solo_start_round(solo);
        solo->surely = 0;
    }
    solo->saw = false;
}

static void answer_yes(struct solo *solo, struct question *q)
{
    if (q->pump) {
        solo_take_pump(solo, &q->patch, &q->version, q->ask.kind);
    } else if (q->united > 0) {
        commit_merged(solo, q->united, &q->patch, &q->version, q->ask.kind);
    } else {
        queue_said(&solo->queue, &q->claim, true, true);
        commit_other(solo, &q->patch, &q->version, &q->claim);
    }
}

bool solo_hangs(const struct solo *solo)
{
    const struct question *q = &solo->question;

    return q->open && !q->pump && !q->ask.looks && q->united == 0 &&
           hinges_can(&q->claim, &solo->edits);
}

static void answer_no(struct solo *solo, const struct question *q)
{
    if (q->united > 0) {
        merge_failed(solo, q->united, false);
    } else if (!q->pump) {
        claim_failed(solo, &q->claim, true);
    }
}

/* A union is asked for again by itself; that a pump could not be tried leaves
 * nothing open. */
static void answer_none(struct solo *solo, const struct question *q, bool again)
{
    if (q->pump)
        solo->next_pump -= again;
    else if (q->united > 0 && !again)
        merge_failed(solo, q->united, true);
    else if (q->united == 0 && again)
        queue_return(&solo->queue, &q->claim);
    else if (q->united == 0)
        claim_untried(solo, &q->claim);
}

static enum known known_by(enum verdict verdict, bool again)
{
    if (verdict == VERDICT_NONE)
        return again ? KNOWN_NONE_ONCE : KNOWN_NONE;
    return verdict == VERDICT_YES ? KNOWN_YES : KNOWN_NO;
}

static void count_pump_run(struct solo *solo)
{
    solo->pump_runs++;
    solo->stats.pump_runs++;
    if (solo->before)
        solo->pump_left--;
}

void solo_answer(struct solo *solo, enum verdict verdict, bool again)
{
    struct question q = solo->question;
    bool hangs = solo_hangs(solo);

    assert(q.open);
    solo->question = (struct question){ 0 };
    if (q.ask.looks) {
        answer_look(solo, verdict);
        question_close(&q);
        return;
    }
    if (solo->before || q.pump)
        count_pump_run(solo);
    if (verdict != VERDICT_NONE && !q.pump)
        odds_note(&solo->odds, &q.odds, verdict == VERDICT_YES);
    memory_set(&solo->memory, q.ask.hash, known_by(verdict, again));
    q.version.guessed = !q.ask.binds || solo->base.guessed;
    q.version.figures = q.ask.binds ? solo->base.figures : 0;
    switch (verdict) {
    case VERDICT_YES:
        answer_yes(solo, &q);
        break;
    case VERDICT_PASSED:
        if (hangs)
            hinges_add(&solo->hinges, &q.claim, &solo->edits);
        answer_no(solo, &q);
        break;
    case VERDICT_NO:
        answer_no(solo, &q);
        break;
    case VERDICT_NONE:
        answer_none(solo, &q, again);
        break;
    case VERDICT_DROPPED: /* that is no answer */
        assert(false);
    }
    question_close(&q);
}

/* Whether it mutates what the failure hangs on. */
static bool loses_hinge(const struct solo *solo, const struct claim *claim,
                        const struct patch *patch)
{
    return hinges_touch(claim, &solo->edits) &&
           hinges_lost(&solo->hinges, patch);
}

/* Settle a claim by what is known of its text, or ask for it. */
static void try_patch(struct solo *solo, const struct claim *claim,
                      struct patch *patch)
{
    struct hash128 hash;
    struct version version;

    switch (
        solo_judge(solo, patch, is_statements(solo, claim), &hash, &version)) {
    case ANSWER_NO:
        claim_failed(solo, claim, false);
        break;
    case ANSWER_UNTRIED:
        claim_untried(solo, claim);
        break;
    case ANSWER_YES:
        if (differs(solo, claim, 1, &version)) {
            version_free(&version);
            claim_failed(solo, claim, false);
            break;
        }
        queue_said(&solo->queue, claim, true, false);
        commit_other(solo, patch, &version, claim);
        break;
    case ANSWER_RUN:
        if (solo_defers(solo, claim, patch)) {
            version_free(&version);
            queue_defer(&solo->queue, claim);
            break;
        }
        ask_claim(solo, claim, patch, &version);
        break;
    }
}

void solo_try_claim(struct solo *solo, const struct claim *given)
{
    struct claim claim = *given;
    struct patch patch;

    patch_init(&patch);
    if (claim_patch(&claim, &solo->edits, &patch) < 0 ||
        loses_hinge(solo, &claim, &patch)) {
        claim_failed(solo, &claim, false);
    } else {
        claim.lost = bindings_lost(solo->bindings, &patch);
        try_patch(solo, &claim, &patch);
    }
    patch_deinit(&patch);
}

/* Settle the next part of the merge queue by what is known, or ask for it. */
void solo_try_merge(struct solo *solo)
{
    struct merge *merge = &solo->merge;
    struct patch patch;
    struct hash128 hash;
    struct version version;
    const char *kind;
    size_t n;

    patch_init(&patch);
    n = unite(solo, merge_next(merge), &patch);
    if (n == 0)
        goto out;
    kind = n > 1 ? "merge" : claim_name(solo, &merge->items[0]);
    switch (
        solo_judge(solo, &patch, are_statements(solo, n), &hash, &version)) {
    case ANSWER_NO:
        merge_failed(solo, n, false);
        break;
    case ANSWER_UNTRIED:
        merge_failed(solo, n, true);
        break;
    case ANSWER_YES:
        if (differs(solo, merge->items, n, &version)) {
            version_free(&version);
            merge_failed(solo, n, false);
            break;
        }
        commit_merged(solo, n, &patch, &version, kind);
        break;
    case ANSWER_RUN:
        ask_union(solo, n, &patch, &version, kind);
        break;
    }
out:
    patch_deinit(&patch);
}

/* Put it into the merge queue without a yes of its own, or off. */
static void add_untested(struct solo *solo, struct claim *claim)
{
    struct patch patch;
    bool made;

    patch_init(&patch);
    made = claim_patch(claim, &solo->edits, &patch) == 0;
    claim->lost = made && bindings_lost(solo->bindings, &patch);
    if (made && loses_hinge(solo, claim, &patch)) {
        claim_failed(solo, claim, false);
    } else if (made && solo_defers(solo, claim, &patch)) {
        queue_defer(&solo->queue, claim);
    } else {
        claim->untested = true;
        merge_add(&solo->merge, claim);
    }
    patch_deinit(&patch);
}

/* Edits of a kind that mostly goes are tried together: as a union in the merge
 * queue, which finds the first that does not. */
bool solo_try_together(struct solo *solo, const struct claim *claim)
{
    struct claim more[BATCH_MAX];
    struct claim first = *claim;
    size_t n;

    if (solo->merge.n > 0)
        return false;
    n = queue_batch(&solo->queue, claim, more, ARRAY_LEN(more));
    if (n == 0)
        return false;
    add_untested(solo, &first);
    for (size_t i = 0; i < n; i++)
        add_untested(solo, &more[i]);
    return true;
}
