/* The search, one candidate after another.
 *
 *   round: generate all edits of the base --> queue
 *     queue --claim--> patch on the base --> text --> known? --> ask
 *     no:  the claim's parts are offered (halves of a run, edits inside)
 *     yes: committed at once; what is left of the edits moves along to the
 *          new text
 *   queue empty: after a commit another round; else the mutating edits; else
 *   those for looks; else the end
 *
 * A round goes tier by tier and first puts off what would leave a name without
 * its definition or the failure without its way there, and leaves alone what
 * was refused before at the same place, though the text around it has changed:
 * most commits are far away, and a full round of noes after each few of them
 * would multiply the runs. So an edit is mutated when each preserving one was
 * refused where it stands. The row before the last takes all edits again; when
 * nothing is committed in it, each edit has a no on the final text: that is
 * what makes it 1-minimal.
 *
 * Before anything is mutated, and again when much has gone since, the base is
 * run once more under a tracer: what is left has one value where there were
 * many. If something is seen, the round begins anew.
 *
 * The cost of a candidate is that of its text: one copy, one fingerprint and,
 * when it is new, a look for syntax errors: by an incremental parse, or in a
 * long text by a parse of the top-level statements that are touched; where
 * those are long too, whole statements are taken away unseen. Only commits,
 * rounds and copies look at all edits. */
#include "minimizer/search/solo.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "config/buf.h"
#include "config/mem.h"
#include "grammar/bindings.h"
#include "grammar/edit.h"
#include "grammar/generator.h"
#include "grammar/observed.h"
#include "grammar/tree.h"
#include "minimizer/search/blocks.h"
#include "minimizer/search/claim.h"
#include "minimizer/search/memory.h"
#include "minimizer/search/merge.h"
#include "minimizer/search/odds.h"
#include "minimizer/search/queue.h"

/* Traced runs of what is left that bring nothing, at most, and all of them. */
#define VAIN_LOOKS_MAX 2
#define LOOKS_MAX 8

#define BATCH_MAX 32 /* edits tried together, at most */

/* From this length on only what is touched is parsed, if that is not more than
 * this share of the whole. */
#define LONG_TEXT 32768
#define LONG_SHARE 16

/* A text and, where it was parsed, its tree. */
struct version {
    char *text;
    size_t len;
    struct hash128 hash;
    struct tree *tree; /* or NULL */
};

/* What a verdict is waited for: a claim, or the first `united` ones of the
 * merge queue. */
struct question {
    bool open;
    struct ask ask;
    struct version version;
    struct patch patch;
    struct claim claim;
    size_t united;
    struct odds_case odds;
    struct hash128 *keys;
};

struct solo {
    struct search_opts opts;
    struct version base;
    size_t base_errors;
    bool tree_used;       /* base.tree, since the last commit */
    uint64_t base_number; /* commits so far */
    struct span *frozen, *frames;
    size_t nfrozen, nframes;
    struct span *marks; /* opts.nmarks of them */
    struct observed observed;

    struct edits edits; /* of this round, moved along */
    struct queue queue;
    struct blocks blocks; /* of a long text without errors */
    struct bindings *bindings;
    unsigned stage;      /* of this round: row of stages */
    uint64_t round_base; /* the base this round was generated for */
    uint64_t surely;     /* 1 + that for which the sure edits were taken */
    bool opening;        /* and their union is to be tested first */
    bool look_due;       /* the base is to be traced now */
    unsigned looks;      /* so far */
    unsigned vain_looks; /* those after which nothing was committed before the
                          * first mutation */
    uint64_t look_base;  /* 1 + base number at the last look; 0: judged */
    size_t looked_len;   /* of the base when it was traced last */
    bool saw;            /* and something new is known of it */
    bool untried;        /* an edit of this round came to no verdict */

    struct merge merge;
    struct odds odds;
    struct memory memory; /* of the texts that it asked about */
    struct buf text;      /* of the candidate at hand */
    struct question question;

    const char *last_kind;
    bool mutated;
    bool finished;
    struct search_stats stats;
};

/* What is known of a candidate before it is run. */
enum answer {
    ANSWER_NO,
    ANSWER_YES,
    ANSWER_UNTRIED, /* no verdict, and none to be had */
    ANSWER_RUN      /* must be run to be known */
};

static void version_free(struct version *version)
{
    tree_free(version->tree);
    free(version->text);
    *version = (struct version){ 0 };
}

static struct bytes version_bytes(const struct version *version)
{
    return bytes_of(version->text, version->len);
}

static const struct tree *base_tree(struct solo *solo)
{
    if (!solo->base.tree)
        solo->base.tree = tree_parse(version_bytes(&solo->base));
    return solo->base.tree;
}

/* A round goes through these rows: news first, tier by tier; before anything
 * is mutated what was put off; then whatever was refused before, and looks when
 * nothing else is left. */
static const struct stage {
    enum edit_tier tier; /* up to which edits are offered */
    bool news_only;
    bool defers; /* puts off what leaves a name without its definition, or
                  * takes a statement away that the failure came by */
    bool fills;  /* offers edits again that the row before has passed over */
} stages[] = {
    { TIER_COARSE, true, true, true },   { TIER_FINE, true, true, false },
    { TIER_FINE, true, false, true },    { TIER_MUTATE, true, false, false },
    { TIER_MUTATE, false, false, true }, { TIER_LOOKS, false, false, false },
};

static enum edit_tier tier(const struct solo *solo)
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
    if (stages[stage].fills)
        queue_fill(&solo->queue, &solo->edits, solo->edits.n,
                   version_bytes(&solo->base), stages[stage].news_only);
}

/* Whether the base is to be traced before anything is mutated, or again
 * afterwards: an eighth of it, and a few bytes, have gone since the last time.
 */
static bool must_look(const struct solo *solo)
{
    return solo->opts.looks && solo->looks < LOOKS_MAX &&
           solo->vain_looks < VAIN_LOOKS_MAX &&
           stages[solo->stage].tier < TIER_MUTATE &&
           stages[solo->stage + 1].tier >= TIER_MUTATE &&
           solo->base.len < LONG_TEXT &&
           solo->base.len * 8 + 64 <= solo->looked_len * 7;
}

/* The next stage of this round; false: there is none. */
static bool next_stage(struct solo *solo)
{
    if (solo->stage + 1 == ARRAY_LEN(stages))
        return false;
    enter_stage(solo, solo->stage + 1);
    return true;
}

static void start_round(struct solo *solo)
{
    const struct tree *tree = base_tree(solo);

    edits_deinit(&solo->edits);
    edits_init(&solo->edits);
    generate_observed(tree, solo->frozen, solo->nfrozen,
                      vocabulary(solo->opts.mutate, solo->opts.rename),
                      &solo->observed, &solo->edits);
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
    size_t low = 0, high = opts->nidle;

    while (low < high) { /* the first span that ends at or after at.end */
        size_t middle = low + (high - low) / 2;

        if (opts->idle[middle].end < at.end)
            low = middle + 1;
        else
            high = middle;
    }
    return low < opts->nidle && span_holds(opts->idle[low], at);
}

/* Put the units that are thought useless, the outermost ones, into the merge
 * queue: their union is tried first, and taken apart when it does not go. */
static void offer_idle(struct solo *solo, const struct search_opts *opts)
{
    const struct edits *edits = &solo->edits;
    bool *idle = xcalloc(edits->n, sizeof(*idle));

    for (uint32_t i = 0; i < edits->n; i++)
        idle[i] = edits->items[i].list != EDIT_NONE &&
                  edits->items[i].kind == EDIT_statement &&
                  is_idle(opts, edits->items[i].cover);
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
        start_round(solo);
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

struct solo *solo_new(struct bytes text, const struct span *frozen,
                      size_t nfrozen, const struct search_opts *opts)
{
    struct solo *solo = xcalloc(1, sizeof(*solo));

    solo->opts = *opts;
    solo->base = (struct version){ .text = xmemdup(text.data, text.len),
                                   .len = text.len,
                                   .hash = hash_bytes(text.data, text.len) };
    solo->frozen = xcopy(frozen, nfrozen, sizeof(struct span));
    solo->nfrozen = nfrozen;
    solo->frames = xcopy(opts->frames, opts->nframes, sizeof(struct span));
    solo->nframes = opts->nframes;
    solo->opts.frames = NULL;
    solo->marks = xcopy(opts->marks, opts->nmarks, sizeof(struct span));
    solo->opts.marks = NULL;
    buf_init(&solo->text, text.len);
    edits_init(&solo->edits);
    queue_init(&solo->queue);
    odds_init(&solo->odds);
    solo->looked_len = text.len;
    if (opts->observed)
        observed_copy(&solo->observed, opts->observed);
    start_round(solo);
    if (opts->nidle > 0)
        offer_idle(solo, opts);
    solo->opts.idle = NULL;
    solo->opts.nidle = 0;
    solo->opts.observed = NULL;
    memory_set(&solo->memory, solo->base.hash, KNOWN_YES);
    return solo;
}

static void close_question(struct question *question)
{
    version_free(&question->version);
    patch_deinit(&question->patch);
    free(question->keys);
    *question = (struct question){ 0 };
}

void solo_free(struct solo *solo)
{
    if (!solo)
        return;
    close_question(&solo->question);
    buf_deinit(&solo->text);
    merge_deinit(&solo->merge);
    memory_deinit(&solo->memory);
    queue_deinit(&solo->queue);
    edits_deinit(&solo->edits);
    blocks_deinit(&solo->blocks);
    bindings_free(solo->bindings);
    version_free(&solo->base);
    observed_deinit(&solo->observed);
    free(solo->frozen);
    free(solo->frames);
    free(solo->marks);
    free(solo);
}

static void version_copy(struct version *to, const struct version *from)
{
    *to = *from;
    to->text = xmemdup(from->text, from->len);
    if (from->tree)
        to->tree = tree_share(from->tree);
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
    observed_copy(&to->observed, &from->observed);
    edits_copy(&to->edits, &from->edits);
    queue_copy(&to->queue, &from->queue, &to->edits);
    blocks_copy(&to->blocks, &from->blocks);
    to->bindings = bindings_copy(from->bindings);
    merge_copy(&to->merge, &from->merge);
    memory_copy(&to->memory, &from->memory);
    buf_init(&to->text, from->text.max);
    question_copy(&to->question, &from->question);
    return to;
}

/* Longer texts do not fit solo->text, whose ceiling is the first text. */
static bool is_smaller(struct bytes a, struct bytes b)
{
    if (a.len != b.len)
        return a.len < b.len;
    return memcmp(a.data, b.data, a.len) < 0;
}

/* The generators never offer what touches frozen bytes. What is joined from
 * their edits is checked here once more: this promise has no second chance. */
static bool touches_frozen(const struct solo *solo, const struct patch *patch)
{
    size_t f = 0;

    for (size_t i = 0; i < patch->n; i++) {
        struct span at = patch->changes[i].at;

        while (f < solo->nfrozen && solo->frozen[f].end <= at.start)
            f++;
        if (f < solo->nfrozen && solo->frozen[f].start < at.end &&
            (span_len(at) > 0 || solo->frozen[f].start < at.start))
            return true;
    }
    return false;
}

/* Make the candidate's text and look whether its verdict is known. */
static enum answer recall(struct solo *solo, const struct patch *patch,
                          struct hash128 *hash)
{
    struct bytes base = version_bytes(&solo->base), text;

    buf_clear(&solo->text);
    if (patch_saved(patch) < 0 || touches_frozen(solo, patch) ||
        patch_apply(patch, base, &solo->text) < 0)
        return ANSWER_NO;
    text = buf_bytes(&solo->text);
    if (!is_smaller(text, base))
        return ANSWER_NO;
    *hash = hash_bytes(text.data, text.len);
    switch (memory_get(&solo->memory, *hash)) {
    case KNOWN_NOTHING:
    case KNOWN_NONE_ONCE:
        return ANSWER_RUN;
    case KNOWN_NO:
        solo->stats.remembered++;
        return ANSWER_NO;
    case KNOWN_YES:
        solo->stats.remembered++;
        return ANSWER_YES;
    case KNOWN_NONE:
        solo->stats.remembered++;
        return ANSWER_UNTRIED;
    }
    return ANSWER_RUN;
}

/* Whether the candidate in solo->text has a new syntax error. A tree that
 * was made to find out is left in *tree. */
static bool is_broken(struct solo *solo, const struct patch *patch,
                      bool statements, struct tree **tree)
{
    struct bytes base = version_bytes(&solo->base);

    *tree = NULL;
    if (solo->blocks.n > 0) {
        switch (
            blocks_check(&solo->blocks, base, patch, base.len / LONG_SHARE)) {
        case BLOCKS_FINE:
            return false;
        case BLOCKS_BROKEN:
            return true;
        case BLOCKS_LARGE:
            if (statements)
                return false;
            break;
        }
    }
    *tree = tree_patched(base_tree(solo), patch);
    solo->tree_used = true;
    return tree_errors(*tree) > solo->base_errors;
}

/* Whether it keeps what the caller wants kept. */
static bool is_allowed(struct solo *solo, const struct patch *patch,
                       struct tree **tree)
{
    if (!solo->opts.allowed)
        return true;
    if (!*tree)
        *tree = tree_patched(base_tree(solo), patch);
    solo->tree_used = true;
    return solo->opts.allowed(solo->opts.keep, *tree);
}

/* As recall(), with the candidate's text (caller frees) where it is a yes or
 * must be run, and with a no for what is broken or not allowed. */
static enum answer judge(struct solo *solo, const struct patch *patch,
                         bool statements, struct hash128 *hash,
                         struct version *version)
{
    enum answer answer = recall(solo, patch, hash);
    struct tree *tree = NULL;

    *version = (struct version){ 0 };
    if (answer == ANSWER_RUN && (is_broken(solo, patch, statements, &tree) ||
                                 !is_allowed(solo, patch, &tree))) {
        solo->stats.rejected_early++;
        memory_set(&solo->memory, *hash, KNOWN_NO);
        tree_free(tree);
        return ANSWER_NO;
    }
    if (answer == ANSWER_YES || answer == ANSWER_RUN) {
        version->text = buf_take(&solo->text, &version->len);
        version->hash = *hash;
        version->tree = tree;
    }
    return answer;
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

/* Make the patched text the base; `version` is taken. */
static void commit(struct solo *solo, const struct patch *patch,
                   struct version *version, const char *kind)
{
    /* A tree that was needed will be again: moved along it costs far less than
     * made anew. */
    if (solo->tree_used && solo->base.tree && !version->tree)
        version->tree = tree_patched(solo->base.tree, patch);
    solo->tree_used = false;
    edits_rebase(&solo->edits, patch);
    spans_rebase(solo->frozen, solo->nfrozen, patch);
    spans_rebase(solo->frames, solo->nframes, patch);
    spans_rebase(solo->marks, solo->opts.nmarks, patch);
    blocks_rebase(&solo->blocks, patch);
    bindings_rebase(solo->bindings, patch);
    observed_rebase(&solo->observed, patch);
    version_free(&solo->base);
    solo->base = *version;
    *version = (struct version){ 0 };
    if (solo->base.tree)
        solo->base_errors = tree_errors(solo->base.tree);
    solo->base_number++;
    solo->last_kind = kind;
    solo->stats.accepted++;
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
    commit(solo, patch, version, claim_name(solo, claim));
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
    commit(solo, patch, version, kind);
    merge_yes(&solo->merge, n);
    drop_dead_merges(solo);
}

static void claim_failed(struct solo *solo, const struct claim *claim, bool ran)
{
    queue_said(&solo->queue, claim, false, ran);
}

/* Whether it deletes a statement that the failure came by. An edit that puts
 * something in its place (what it calls, its body) does not. */
static bool loses_frame(const struct solo *solo, const struct claim *claim,
                        const struct patch *patch)
{
    unsigned kind = claim_kind(claim, &solo->edits);

    if (kind != EDIT_statement && kind != EDIT_definition)
        return false;
    for (size_t f = 0; f < solo->nframes; f++)
        for (size_t i = 0; i < patch->n; i++)
            if (span_len(solo->frames[f]) > 0 &&
                span_holds(patch->changes[i].at, solo->frames[f]))
                return true;
    return false;
}

/* Whether a run of the claim is put off for now. */
static bool is_deferred(struct solo *solo, const struct claim *claim,
                        const struct patch *patch)
{
    return stages[solo->stage].defers && (loses_frame(solo, claim, patch) ||
                                          bindings_lost(solo->bindings, patch));
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
        if (!solo->edits.items[i].dead)
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
                           .saved = patch_saved(patch) };
    q->odds.saved = q->ask.saved;
    q->odds.length = solo->base.len;
    patch_init(patch);
    *version = (struct version){ 0 };
    for (size_t i = 0; i < n; i++)
        units += claims[i].units;
    q->keys = xcalloc(units, sizeof(*q->keys));
    for (size_t i = 0; i < n; i++)
        add_keys(q, solo, &claims[i]);
    q->ask.keys = q->keys;
}

static void ask_claim(struct solo *solo, const struct claim *claim,
                      struct patch *patch, struct version *version, bool lost)
{
    struct question *q = &solo->question;

    ask(solo, claim, 1, patch, version, claim_name(solo, claim));
    q->claim = *claim;
    q->odds.class = queue_was_refused(&solo->queue, claim) ? ODDS_REPEATED
                    : lost                                 ? ODDS_LOST
                                                           : ODDS_NEW;
    q->odds.kind = claim_kind(claim, &solo->edits);
    q->ask.odds = odds_of(&solo->odds, &q->odds);
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
static void ask_look(struct solo *solo)
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

/* ---- the verdict ---- */

void solo_saw(struct solo *solo, const struct observed *observed)
{
    observed_deinit(&solo->observed);
    observed_copy(&solo->observed, observed);
    solo->saw = true;
}

static void answer_look(struct solo *solo, enum verdict verdict)
{
    if (verdict == VERDICT_YES && solo->saw) {
        start_round(solo);
        solo->surely = 0;
    }
    solo->saw = false;
}

static void answer_yes(struct solo *solo, struct question *q)
{
    if (q->united > 0) {
        commit_merged(solo, q->united, &q->patch, &q->version, q->ask.kind);
    } else {
        queue_said(&solo->queue, &q->claim, true, true);
        commit_other(solo, &q->patch, &q->version, &q->claim);
    }
}

static void answer_no(struct solo *solo, const struct question *q)
{
    if (q->united > 0) {
        merge_failed(solo, q->united, false);
    } else {
        claim_failed(solo, &q->claim, true);
    }
}

/* A union is asked for again by itself. */
static void answer_none(struct solo *solo, const struct question *q, bool again)
{
    if (q->united > 0 && !again)
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

void solo_answer(struct solo *solo, enum verdict verdict, bool again)
{
    struct question q = solo->question;

    assert(q.open);
    solo->question = (struct question){ 0 };
    if (q.ask.looks) {
        answer_look(solo, verdict);
        close_question(&q);
        return;
    }
    if (verdict != VERDICT_NONE)
        odds_note(&solo->odds, &q.odds, verdict == VERDICT_YES);
    memory_set(&solo->memory, q.ask.hash, known_by(verdict, again));
    switch (verdict) {
    case VERDICT_YES:
        answer_yes(solo, &q);
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
    close_question(&q);
}

/* Settle a claim by what is known of it, or ask for it. */
static void try_claim(struct solo *solo, const struct claim *claim)
{
    struct patch patch;
    struct hash128 hash;
    struct version version;

    patch_init(&patch);
    if (claim_patch(claim, &solo->edits, &patch) < 0) {
        claim_failed(solo, claim, false);
        patch_deinit(&patch);
        return;
    }
    switch (judge(solo, &patch, is_statements(solo, claim), &hash, &version)) {
    case ANSWER_NO:
        claim_failed(solo, claim, false);
        break;
    case ANSWER_UNTRIED:
        claim_untried(solo, claim);
        break;
    case ANSWER_YES:
        queue_said(&solo->queue, claim, true, false);
        commit_other(solo, &patch, &version, claim);
        break;
    case ANSWER_RUN:
        if (is_deferred(solo, claim, &patch)) {
            version_free(&version);
            queue_defer(&solo->queue, claim);
            break;
        }
        ask_claim(solo, claim, &patch, &version,
                  loses_frame(solo, claim, &patch) ||
                      bindings_lost(solo->bindings, &patch));
        break;
    }
    patch_deinit(&patch);
}

/* Settle the next part of the merge queue by what is known, or ask for it. */
static void try_merge(struct solo *solo)
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
    switch (judge(solo, &patch, are_statements(solo, n), &hash, &version)) {
    case ANSWER_NO:
        merge_failed(solo, n, false);
        break;
    case ANSWER_UNTRIED:
        merge_failed(solo, n, true);
        break;
    case ANSWER_YES:
        commit_merged(solo, n, &patch, &version, kind);
        break;
    case ANSWER_RUN:
        ask_union(solo, n, &patch, &version, kind);
        break;
    }
out:
    patch_deinit(&patch);
}

/* Everything offered is settled. False: the end. */
static bool go_on(struct solo *solo)
{
    if (queue_revive(&solo->queue, tier(solo)))
        return true;
    if (solo->base_number != solo->round_base) {
        start_round(solo);
        return true;
    }
    if (must_look(solo)) {
        solo->look_due = true;
        return true;
    }
    return next_stage(solo);
}

/* Put it into the merge queue without a yes of its own, or off. */
static void add_untested(struct solo *solo, struct claim *claim)
{
    struct patch patch;

    patch_init(&patch);
    if (claim_patch(claim, &solo->edits, &patch) == 0 &&
        is_deferred(solo, claim, &patch)) {
        queue_defer(&solo->queue, claim);
    } else {
        claim->untested = true;
        merge_add(&solo->merge, claim);
    }
    patch_deinit(&patch);
}

/* Edits of a kind that mostly goes are tried together: as a union in the merge
 * queue, which finds the first that does not. */
static bool try_together(struct solo *solo, const struct claim *claim)
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

/* A round opens with unions of what is sure to go, each made for the text that
 * the one before has left. */
static void open_round(struct solo *solo)
{
    if (solo->opening && solo->merge.n == 0)
        solo->opening = offer_sure(solo);
}

bool solo_run(struct solo *solo)
{
    struct claim claim;

    while (!solo->finished && !solo->question.open) {
        if (solo->look_due) {
            ask_look(solo);
            break;
        }
        open_round(solo);
        if (merge_next(&solo->merge) > 0) {
            try_merge(solo);
        } else if (queue_next(&solo->queue, tier(solo), &claim)) {
            if (!try_together(solo, &claim))
                try_claim(solo, &claim);
        } else if (!go_on(solo)) {
            solo->finished = true;
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
    size_t n = solo->opts.nmarks;

    if (n > 0)
        memcpy(out, solo->marks, n * sizeof(*out));
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
    return solo->mutated;
}

struct bytes solo_text(const struct solo *solo)
{
    return version_bytes(&solo->base);
}

struct hash128 solo_hash(const struct solo *solo)
{
    return solo->base.hash;
}

const char *solo_last_kind(const struct solo *solo)
{
    return solo->last_kind;
}

uint64_t solo_commits(const struct solo *solo)
{
    return solo->base_number;
}

struct search_stats solo_stats(const struct solo *solo)
{
    return solo->stats;
}

size_t solo_size(const struct solo *solo)
{
    const struct edits *edits = &solo->edits;

    return solo->base.len + edits->n * (sizeof(struct edit) + 32) +
           edits->nchanges * sizeof(struct change) +
           edits->nlists * sizeof(struct walk);
}
