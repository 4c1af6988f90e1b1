/* The search.
 *
 *   round: generate all edits of the base --> queue
 *     queue --claim--> patch on the base --> text --> known? --> trial, out
 *     no:  the claim's parts are offered (halves of a run, edits inside)
 *     yes, base still the trial's: committed at once; what is left of the
 *          edits moves along to the new text
 *     yes, base has moved on: merge queue, whose union is the next trial
 *   queue empty, nothing out: after a commit another round; else the mutating
 *   edits; else those for looks; else the end
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
 * With several trials out, three things keep slots from running idle or in
 * vain:
 *  - What is tried while a union is being tested is tried on top of it
 *    ("stacked"), as most unions succeed: then it is about the next base. Its
 *    no counts only if the union has become the base; its yes is a commit of
 *    both. A yes to the base below waits in the merge queue meanwhile.
 *  - A round, or a stage of it, does not wait for the last trials of the one
 *    before: claims that are out are carried over, as edits of the new round.
 *    Mutating steps that succeed while preserving trials are out are held until
 *    those are in.
 *  - When a union has failed, several of its prefixes are tested at once.
 *
 * The cost of a trial is that of its text: one copy, one fingerprint and, when
 * it is new, a look for syntax errors: by an incremental parse, or in a long
 * text by a parse of the top-level statements that are touched; where those are
 * long too, whole statements are taken away unseen. Only commits and rounds
 * look at all edits. */
#include "minimizer/search/search.h"

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
#include "minimizer/search/queue.h"

/* Traced runs of what is left that bring nothing, at most, and all of them. */
#define VAIN_LOOKS_MAX 2
#define LOOKS_MAX 8

#define BATCH_MAX 32 /* edits tried together, at most */

/* Up to this length a round may begin while trials are out: that makes for
 * more rounds, and each looks at the whole text. */
#define EARLY_MAX 65536

/* From this length on only what is touched is parsed, if that is not more than
 * this share of the whole. */
#define LONG_TEXT 32768
#define LONG_SHARE 16

/* A text and, where it was parsed, its tree. */
struct version {
    char *text;
    size_t len;
    struct tree *tree; /* or NULL */
};

struct claims {
    struct claim *items;
    size_t n, room;
};

/* A trial that is out. A merge has no claim of its own: the merge queue knows
 * which of its claims it is about. */
struct trial {
    uint64_t id;
    struct version version;
    struct hash128 hash;
    struct patch patch; /* made on base number `base`, and good for it alone */
    uint64_t base;
    bool is_merge;
    bool looks;   /* no candidate: the base, traced */
    bool stacked; /* on union `union_number`, which was out when it was sent */
    uint64_t union_number;
    bool again;  /* its text came back without a verdict before */
    bool orphan; /* a later round has no edit for its claim */
    struct claim claim;
    bool mutates;       /* the claim or the union does */
    struct claims same; /* other claims that give the same text */
    const char *kind;
};

/* Nothing else is out, or is sent, while one is. */
enum look { LOOK_NONE, LOOK_DUE, LOOK_OUT };

struct search {
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
    unsigned settled;    /* nothing sent before this stage is out */
    uint64_t entered_id; /* the last trial sent before this stage */
    uint64_t round_base; /* the base this round was generated for */
    size_t own;          /* edits generated; behind them those carried over */
    struct claims held;  /* mutating ones that succeeded before their time */
    uint64_t surely;     /* 1 + that for which the sure edits were taken */
    bool opening;        /* and their union is to be tested first */
    bool untried;        /* an edit of this round came to no verdict */
    enum look look;      /* at the base, in a traced run */
    unsigned looks;      /* so far */
    unsigned vain_looks; /* those after which nothing was committed before the
                          * first mutation */
    uint64_t look_base;  /* 1 + base number at the last look; 0: judged */
    size_t looked_len;   /* of the base when it was traced last */
    bool saw;            /* and something new is known of it */

    struct merge merge;
    uint64_t union_number; /* of the union that is out, or of the next one */
    uint64_t union_base;   /* it was made on */
    struct rate unions;    /* how many of them succeed */
    struct claims parked;  /* stacked on it, undecided until it is */
    struct memory memory;
    struct trial **out;
    size_t nout, out_room;
    struct buf text; /* of the candidate at hand */

    uint64_t last_id;
    const char *last_kind;
    bool mutated;
    bool committed; /* since the last report ended */
    bool finished;
    struct search_stats stats;
};

/* What is known of a candidate before it is run. */
enum answer {
    ANSWER_NO,
    ANSWER_YES,
    ANSWER_UNTRIED, /* no verdict, and none to be had */
    ANSWER_OUT,     /* a trial with the same text is out */
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

static const struct tree *base_tree(struct search *search)
{
    if (!search->base.tree)
        search->base.tree = tree_parse(version_bytes(&search->base));
    return search->base.tree;
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

static enum edit_tier tier(const struct search *search)
{
    return stages[search->stage].tier;
}

static void enter_stage(struct search *search, unsigned stage)
{
    search->stage = stage;
    search->entered_id = search->last_id;
    if (search->nout == 0)
        search->settled = stage;
    if (search->look_base && stages[stage].tier >= TIER_MUTATE) {
        search->vain_looks += search->look_base == search->base_number + 1;
        search->look_base = 0;
    }
    if (stages[stage].fills)
        queue_fill(&search->queue, &search->edits, search->own,
                   version_bytes(&search->base), stages[stage].news_only);
}

/* Whether the base is to be traced before anything is mutated, or again
 * afterwards: an eighth of it, and a few bytes, have gone since the last time.
 */
static bool must_look(const struct search *search)
{
    return search->opts.looks && search->looks < LOOKS_MAX &&
           search->vain_looks < VAIN_LOOKS_MAX &&
           stages[search->stage].tier < TIER_MUTATE &&
           stages[search->stage + 1].tier >= TIER_MUTATE &&
           search->base.len < LONG_TEXT &&
           search->base.len * 8 + 64 <= search->looked_len * 7;
}

/* The next stage of this round; false: there is none. */
static bool next_stage(struct search *search)
{
    if (search->stage + 1 == ARRAY_LEN(stages))
        return false;
    enter_stage(search, search->stage + 1);
    return true;
}

static void claims_add(struct claims *claims, const struct claim *claim)
{
    xgrow(&claims->items, &claims->room, claims->n + 1, sizeof(*claim));
    claims->items[claims->n++] = *claim;
}

/* Make an edit of the new round of what is left of a claim of the old one;
 * false: nothing is. */
static bool carry(struct edits *new, const struct edits *old,
                  struct claim *claim)
{
    struct patch patch;
    struct edit *edit;
    uint32_t number = EDIT_NONE;

    patch_init(&patch);
    if (claim_patch(claim, old, &patch) == 0 && patch.n > 0) {
        edit = edits_begin(new, (uint16_t)claim_kind(claim, old),
                           (struct span){ patch.changes[0].at.start,
                                          patch.changes[patch.n - 1].at.end });
        edit->touches_import = patch.touches_import;
        for (size_t i = 0; i < patch.n; i++) {
            const struct change *c = &patch.changes[i];
            edits_change(new, c->at, edits_text(new, c->text, c->len), c->len);
        }
        number = edits_end(new);
    }
    patch_deinit(&patch);
    if (number == EDIT_NONE)
        return false;
    *claim = (struct claim){ .list = EDIT_NONE,
                             .from = number,
                             .units = 1,
                             .untested = claim->untested };
    return true;
}

static void carry_trial(struct search *search, struct edits *new,
                        struct trial *trial)
{
    trial->same.n = 0; /* this round offers them again */
    if (!trial->is_merge && !trial->orphan)
        trial->orphan = !carry(new, &search->edits, &trial->claim);
    if (trial->base != search->base_number)
        return;
    for (size_t i = 0; i < trial->patch.n; i++) {
        struct change *c = &trial->patch.changes[i];
        if (c->len > 0)
            c->text = edits_text(new, c->text, c->len);
    }
}

/* What is out or waits to be merged goes over to the new round's edits. */
static void carry_all(struct search *search, struct edits *new)
{
    struct merge *merge = &search->merge;

    for (size_t i = merge->n; i > 0; i--)
        if (!carry(new, &search->edits, &merge->items[i - 1]))
            merge_remove(merge, i - 1);
    for (size_t i = 0; i < search->nout; i++)
        carry_trial(search, new, search->out[i]);
    search->parked.n = search->held.n = 0; /* offered again */
    search->union_number++;
}

static void start_round(struct search *search)
{
    const struct tree *tree = base_tree(search);
    struct edits edits;

    edits_init(&edits);
    generate_observed(tree, search->frozen, search->nfrozen,
                      vocabulary(search->opts.mutate, search->opts.rename),
                      &search->observed, &edits);
    search->own = edits.n;
    carry_all(search, &edits);
    edits_deinit(&search->edits);
    search->edits = edits;
    search->base_errors = tree_errors(tree);
    bindings_free(search->bindings);
    search->bindings = bindings_new(tree);
    blocks_deinit(&search->blocks);
    if (search->base_errors == 0 && search->base.len >= LONG_TEXT)
        blocks_fill(&search->blocks, tree);
    search->settled = 0;
    enter_stage(search, 0);
    search->round_base = search->base_number;
    search->untried = false;
    search->opening = true;
    search->stats.rounds++;
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
static void offer_idle(struct search *search, const struct search_opts *opts)
{
    const struct edits *edits = &search->edits;
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
                merge_add(&search->merge, &claim);
        }
    }
    free(idle);
}

/* The same for what is sure to go. False: there is nothing, or nothing new. */
static bool offer_sure(struct search *search)
{
    struct claim *claims;
    size_t n;

    if (search->base_number != search->round_base)
        start_round(search);
    else if (search->surely == search->base_number + 1)
        return false;
    search->surely = search->base_number + 1;
    claims = xcalloc(search->edits.n + 1, sizeof(*claims));
    n = queue_take_sure(&search->queue, claims);
    for (size_t i = 0; i < n; i++) {
        claims[i].untested = true;
        merge_add(&search->merge, &claims[i]);
    }
    free(claims);
    return n > 0;
}

static struct span *copy_spans(const struct span *spans, size_t n)
{
    struct span *copy = xcalloc(n, sizeof(*copy));

    if (n > 0)
        memcpy(copy, spans, n * sizeof(*copy));
    return copy;
}

struct search *search_new(struct bytes text, const struct span *frozen,
                          size_t nfrozen, const struct search_opts *opts)
{
    struct search *search = xcalloc(1, sizeof(*search));

    assert(opts->width > 0);
    search->opts = *opts;
    search->base = (struct version){ .text = xmemdup(text.data, text.len),
                                     .len = text.len };
    search->frozen = copy_spans(frozen, nfrozen);
    search->nfrozen = nfrozen;
    search->frames = copy_spans(opts->frames, opts->nframes);
    search->nframes = opts->nframes;
    search->opts.frames = NULL;
    search->marks = copy_spans(opts->marks, opts->nmarks);
    search->opts.marks = NULL;
    buf_init(&search->text, text.len);
    edits_init(&search->edits);
    queue_init(&search->queue);
    search->unions = rate_init(0.75);
    search->looked_len = text.len;
    if (opts->observed)
        observed_copy(&search->observed, opts->observed);
    start_round(search);
    if (opts->nidle > 0)
        offer_idle(search, opts);
    search->opts.idle = NULL;
    search->opts.nidle = 0;
    search->opts.observed = NULL;
    memory_set(&search->memory, hash_bytes(text.data, text.len), KNOWN_YES);
    return search;
}

static void trial_free(struct trial *trial)
{
    version_free(&trial->version);
    patch_deinit(&trial->patch);
    free(trial->same.items);
    free(trial);
}

void search_free(struct search *search)
{
    if (!search)
        return;
    for (size_t i = 0; i < search->nout; i++)
        trial_free(search->out[i]);
    free(search->out);
    buf_deinit(&search->text);
    memory_deinit(&search->memory);
    merge_deinit(&search->merge);
    free(search->parked.items);
    free(search->held.items);
    queue_deinit(&search->queue);
    edits_deinit(&search->edits);
    blocks_deinit(&search->blocks);
    bindings_free(search->bindings);
    version_free(&search->base);
    observed_deinit(&search->observed);
    free(search->frozen);
    free(search->frames);
    free(search->marks);
    free(search);
}

/* Longer texts do not fit search->text, whose ceiling is the first text. */
static bool is_smaller(struct bytes a, struct bytes b)
{
    if (a.len != b.len)
        return a.len < b.len;
    return memcmp(a.data, b.data, a.len) < 0;
}

/* The generators never offer what touches frozen bytes. What is joined from
 * their edits is checked here once more: this promise has no second chance. */
static bool touches_frozen(const struct search *search,
                           const struct patch *patch)
{
    size_t f = 0;

    for (size_t i = 0; i < patch->n; i++) {
        struct span at = patch->changes[i].at;

        while (f < search->nfrozen && search->frozen[f].end <= at.start)
            f++;
        if (f < search->nfrozen && search->frozen[f].start < at.end &&
            (span_len(at) > 0 || search->frozen[f].start < at.start))
            return true;
    }
    return false;
}

/* Make the candidate's text and look whether its verdict is known. */
static enum answer recall(struct search *search, const struct patch *patch,
                          struct hash128 *hash)
{
    struct bytes base = version_bytes(&search->base), text;

    buf_clear(&search->text);
    if (patch_saved(patch) < 0 || touches_frozen(search, patch) ||
        patch_apply(patch, base, &search->text) < 0)
        return ANSWER_NO;
    text = buf_bytes(&search->text);
    if (!is_smaller(text, base))
        return ANSWER_NO;
    *hash = hash_bytes(text.data, text.len);
    switch (memory_get(&search->memory, *hash)) {
    case KNOWN_NOTHING:
    case KNOWN_NONE_ONCE:
        return ANSWER_RUN;
    case KNOWN_OUT:
        return ANSWER_OUT;
    case KNOWN_NO:
        search->stats.remembered++;
        return ANSWER_NO;
    case KNOWN_YES:
        search->stats.remembered++;
        return ANSWER_YES;
    case KNOWN_NONE:
        search->stats.remembered++;
        return ANSWER_UNTRIED;
    }
    return ANSWER_RUN;
}

/* Whether the candidate in search->text has a new syntax error. A tree that
 * was made to find out is left in *tree. */
static bool is_broken(struct search *search, const struct patch *patch,
                      bool statements, struct tree **tree)
{
    struct bytes base = version_bytes(&search->base);

    *tree = NULL;
    if (search->blocks.n > 0) {
        switch (
            blocks_check(&search->blocks, base, patch, base.len / LONG_SHARE)) {
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
    *tree = tree_patched(base_tree(search), patch);
    search->tree_used = true;
    return tree_errors(*tree) > search->base_errors;
}

/* Whether it keeps what the caller wants kept. */
static bool is_allowed(struct search *search, const struct patch *patch,
                       struct tree **tree)
{
    if (!search->opts.allowed)
        return true;
    if (!*tree)
        *tree = tree_patched(base_tree(search), patch);
    search->tree_used = true;
    return search->opts.allowed(search->opts.keep, *tree);
}

/* As recall(), with the candidate's text (caller frees) where it is a yes or
 * must be run, and with a no for what
 * is broken or not allowed. */
static enum answer judge(struct search *search, const struct patch *patch,
                         bool statements, struct hash128 *hash,
                         struct version *version)
{
    enum answer answer = recall(search, patch, hash);
    struct tree *tree = NULL;

    *version = (struct version){ 0 };
    if (answer == ANSWER_RUN && (is_broken(search, patch, statements, &tree) ||
                                 !is_allowed(search, patch, &tree))) {
        search->stats.rejected_early++;
        memory_set(&search->memory, *hash, KNOWN_NO);
        tree_free(tree);
        return ANSWER_NO;
    }
    if (answer == ANSWER_YES || answer == ANSWER_RUN) {
        version->text = buf_take(&search->text, &version->len);
        version->tree = tree;
    }
    return answer;
}

static const char *claim_name(const struct search *search,
                              const struct claim *claim)
{
    return edit_kind_info(claim_kind(claim, &search->edits))->name;
}

static bool claim_mutates(const struct search *search,
                          const struct claim *claim)
{
    enum edit_tier tier =
        edit_kind_info(claim_kind(claim, &search->edits))->tier;

    return tier == TIER_SHRINK || tier == TIER_MUTATE;
}

/* Make the patched text the base; `version` is taken. */
static void commit(struct search *search, const struct patch *patch,
                   struct version *version, const char *kind)
{
    /* A tree that was needed will be again: moved along it costs far less than
     * made anew. */
    if (search->tree_used && search->base.tree && !version->tree)
        version->tree = tree_patched(search->base.tree, patch);
    search->tree_used = false;
    edits_rebase(&search->edits, patch);
    spans_rebase(search->frozen, search->nfrozen, patch);
    spans_rebase(search->frames, search->nframes, patch);
    spans_rebase(search->marks, search->opts.nmarks, patch);
    blocks_rebase(&search->blocks, patch);
    bindings_rebase(search->bindings, patch);
    observed_rebase(&search->observed, patch);
    version_free(&search->base);
    search->base = *version;
    *version = (struct version){ 0 };
    if (search->base.tree)
        search->base_errors = tree_errors(search->base.tree);
    search->base_number++;
    search->last_kind = kind;
    search->committed = true;
    search->stats.accepted++;
}

/* After a commit: claims that it has swallowed need no merging. */
static void drop_dead_merges(struct search *search)
{
    for (size_t i = search->merge.n; i > 0; i--)
        if (!claim_alive(&search->merge.items[i - 1], &search->edits))
            merge_remove(&search->merge, i - 1);
}

/* The union that was out is decided or given up: so are those stacked on it.
 */
static void union_done(struct search *search)
{
    search->union_number++;
    for (size_t i = 0; i < search->parked.n; i++)
        queue_return(&search->queue, &search->parked.items[i]);
    search->parked.n = 0;
}

/* The commit of something that was not in the merge queue. */
static void commit_other(struct search *search, const struct patch *patch,
                         struct version *version, const char *kind,
                         bool mutates)
{
    search->mutated |= mutates;
    commit(search, patch, version, kind);
    union_done(search);
    merge_moved(&search->merge);
    drop_dead_merges(search);
}

/* Whether one of the first n claims of the merge queue mutates. */
static bool union_mutates(const struct search *search, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (claim_mutates(search, &search->merge.items[i]))
            return true;
    return false;
}

/* The first n claims of the merge queue, and what was stacked on them. */
static void commit_merged(struct search *search, size_t n,
                          const struct patch *patch, struct version *version,
                          const char *kind)
{
    for (size_t i = 0; i < n; i++) {
        search->mutated |= claim_mutates(search, &search->merge.items[i]);
        if (search->merge.items[i].untested)
            queue_said(&search->queue, &search->merge.items[i], true, true);
    }
    commit(search, patch, version, kind);
    union_done(search);
    merge_yes(&search->merge, n);
    drop_dead_merges(search);
}

static void claim_failed(struct search *search, const struct claim *claim,
                         bool ran)
{
    queue_said(&search->queue, claim, false, ran);
}

/* Whether it deletes a statement that the failure came by. An edit that puts
 * something in its place (what it calls, its body) does not. */
static bool loses_frame(const struct search *search, const struct claim *claim,
                        const struct patch *patch)
{
    unsigned kind = claim_kind(claim, &search->edits);

    if (kind != EDIT_statement && kind != EDIT_definition)
        return false;
    for (size_t f = 0; f < search->nframes; f++)
        for (size_t i = 0; i < patch->n; i++)
            if (span_len(search->frames[f]) > 0 &&
                span_holds(patch->changes[i].at, search->frames[f]))
                return true;
    return false;
}

/* Whether a run of the claim is put off for now. */
static bool is_deferred(struct search *search, const struct claim *claim,
                        const struct patch *patch)
{
    return stages[search->stage].defers &&
           (loses_frame(search, claim, patch) ||
            bindings_lost(search->bindings, patch));
}

static void claim_untried(struct search *search, const struct claim *claim)
{
    bool carried = claim->list == EDIT_NONE && claim->from >= search->own;

    /* What was carried over is offered by this round too. */
    if (claim_is_single(claim) && !carried)
        search->untried = true;
    claim_failed(search, claim, false);
}

/* The first n claims of the merge queue are bad together. */
static void merge_failed(struct search *search, size_t n, bool untried)
{
    struct claim claim;

    union_done(search);
    if (n == 0 || !merge_no(&search->merge, n, &claim))
        return; /* none: all were swallowed by commits */
    if (untried)
        claim_untried(search, &claim);
    else
        claim_failed(search, &claim, claim.untested);
}

/* Whether it is a run of statements. To take those away does no harm to the
 * syntax; where it does, a long text is not looked at as a whole to find it. */
static bool is_statements(const struct search *search,
                          const struct claim *claim)
{
    return claim->list != EDIT_NONE &&
           claim_kind(claim, &search->edits) == EDIT_statement;
}

/* The same for the first n claims of the merge queue. */
static bool are_statements(const struct search *search, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!is_statements(search, &search->merge.items[i]))
            return false;
    return true;
}

/* A claim has succeeded on a base that has moved on since. */
static void succeeded_late(struct search *search, const struct claim *claim)
{
    struct patch patch;
    struct hash128 hash;
    struct version version;

    patch_init(&patch);
    if (claim_patch(claim, &search->edits, &patch) < 0) {
        /* Nothing left of it, or it no longer fits what is left. */
        if (claim_alive(claim, &search->edits))
            claim_failed(search, claim, false);
        patch_deinit(&patch);
        return;
    }
    switch (
        judge(search, &patch, is_statements(search, claim), &hash, &version)) {
    case ANSWER_NO:
        claim_failed(search, claim, false);
        break;
    case ANSWER_UNTRIED:
        claim_untried(search, claim);
        break;
    case ANSWER_YES:
        commit_other(search, &patch, &version, claim_name(search, claim),
                     claim_mutates(search, claim));
        break;
    case ANSWER_OUT:
    case ANSWER_RUN:
        version_free(&version);
        merge_add(&search->merge, claim);
        break;
    }
    patch_deinit(&patch);
}

/* Whether it mutates while preserving trials are out. */
static bool must_hold(const struct search *search, const struct claim *claim)
{
    return claim_mutates(search, claim) &&
           stages[search->settled].tier < TIER_MUTATE;
}

/* A mutating step that came before its time: it is offered again when all
 * preserving ones are settled, and is known then. */
static bool hold(struct search *search, const struct claim *claim)
{
    if (!must_hold(search, claim))
        return false;
    claims_add(&search->held, claim);
    return true;
}

/* The union of the first claims of the merge queue, at most n; those that
 * cannot be joined go back to where they came from. Returns how many are in
 * it. */
static size_t unite(struct search *search, size_t n, struct patch *patch)
{
    struct merge *merge = &search->merge;
    size_t i = 0;

    while (i < n && i < merge->n) {
        struct claim claim = merge->items[i];
        if (claim_patch(&claim, &search->edits, patch) == 0) {
            i++;
            continue;
        }
        merge_remove(merge, i);
        n--;
        if (i > 0)
            queue_return(&search->queue, &claim);
        else
            claim_failed(search, &claim, false);
    }
    return i;
}

/* A union succeeded on a base that has since taken in its first claims: the
 * text is the same, the patch is not. */
static void merge_again(struct search *search, size_t n)
{
    struct patch patch;
    struct hash128 hash;
    struct version version;

    patch_init(&patch);
    n = unite(search, n, &patch);
    if (n > 0 && judge(search, &patch, false, &hash, &version) == ANSWER_YES) {
        commit_merged(search, n, &patch, &version, "merge");
    } else {
        if (n > 0)
            version_free(&version);
        union_done(search);
    }
    patch_deinit(&patch);
}

static void merge_succeeded(struct search *search, struct trial *trial)
{
    size_t n = merge_back(&search->merge, trial->id);

    if (n == 0) { /* those claims have been committed or moved */
        if (trial->base == search->base_number)
            commit_other(search, &trial->patch, &trial->version, trial->kind,
                         trial->mutates);
        return;
    }
    rate_note(&search->unions, true);
    if (trial->base == search->base_number)
        commit_merged(search, n, &trial->patch, &trial->version, trial->kind);
    else
        merge_again(search, n);
}

static void claim_succeeded(struct search *search, struct trial *trial)
{
    bool fresh = trial->base == search->base_number;

    if (!trial->orphan && hold(search, &trial->claim))
        return;
    if (!trial->orphan)
        queue_said(&search->queue, &trial->claim, true, true);
    if (fresh && trial->stacked && search->merge.nprobes > 0 &&
        trial->union_number == search->union_number) {
        search->mutated |= trial->mutates;
        commit_merged(search, search->merge.probes[0].n, &trial->patch,
                      &trial->version, trial->kind);
    } else if (fresh && !trial->stacked && !trial->orphan &&
               search->merge.nprobes > 0) {
        merge_add(&search->merge, &trial->claim);
    } else if (fresh) {
        commit_other(search, &trial->patch, &trial->version, trial->kind,
                     trial->mutates);
    } else if (!trial->orphan) {
        succeeded_late(search, &trial->claim);
    }
}

static void report_yes(struct search *search, struct trial *trial)
{
    memory_set(&search->memory, trial->hash, KNOWN_YES);
    if (trial->is_merge)
        merge_succeeded(search, trial);
    else
        claim_succeeded(search, trial);
    for (size_t i = 0; i < trial->same.n; i++)
        queue_return(&search->queue, &trial->same.items[i]);
}

/* Whether a trial's text is that of its claim on the present base. */
static bool is_current(struct search *search, const struct trial *trial)
{
    struct patch patch;
    bool same = false;

    patch_init(&patch);
    buf_clear(&search->text);
    if (claim_patch(&trial->claim, &search->edits, &patch) == 0 &&
        patch_saved(&patch) >= 0 &&
        patch_apply(&patch, version_bytes(&search->base), &search->text) == 0)
        same = hash_equal(trial->hash,
                          hash_bytes(search->text.data, search->text.len));
    patch_deinit(&patch);
    return same;
}

/* A no to a text with a union in it says nothing of the claim unless that
 * union has become the base. */
static void stacked_failed(struct search *search, struct trial *trial)
{
    if (is_current(search, trial))
        claim_failed(search, &trial->claim, true);
    else if (trial->union_number == search->union_number)
        claims_add(&search->parked, &trial->claim);
    else
        queue_return(&search->queue, &trial->claim);
}

static void report_no(struct search *search, struct trial *trial)
{
    memory_set(&search->memory, trial->hash, KNOWN_NO);
    if (trial->is_merge) {
        size_t n = merge_back(&search->merge, trial->id);

        if (n > 0) {
            rate_note(&search->unions, false);
            merge_failed(search, n, false);
        }
    } else if (trial->stacked && !trial->orphan) {
        stacked_failed(search, trial);
    } else if (!trial->orphan) {
        claim_failed(search, &trial->claim, true);
    }
    for (size_t i = 0; i < trial->same.n; i++) {
        if (trial->stacked)
            queue_return(&search->queue, &trial->same.items[i]);
        else
            claim_failed(search, &trial->same.items[i], false);
    }
}

void search_saw(struct search *search, const struct observed *observed)
{
    observed_deinit(&search->observed);
    observed_copy(&search->observed, observed);
    search->saw = true;
}

static void report_look(struct search *search, const struct trial *trial,
                        enum verdict verdict)
{
    memory_set(&search->memory, trial->hash, KNOWN_YES);
    search->look = LOOK_NONE;
    if (verdict == VERDICT_YES && search->saw) {
        start_round(search);
        search->surely = 0;
    }
    search->saw = false;
}

/* No verdict: once more, and then never again. */
static void report_none(struct search *search, struct trial *trial)
{
    bool again = !trial->again;

    memory_set(&search->memory, trial->hash,
               again ? KNOWN_NONE_ONCE : KNOWN_NONE);
    if (trial->is_merge) {
        size_t n = merge_back(&search->merge, trial->id);

        if (n > 0 && again)
            union_done(search);
        else if (n > 0)
            merge_failed(search, n, true);
    } else if (!trial->orphan) {
        if (again || trial->stacked)
            queue_return(&search->queue, &trial->claim);
        else
            claim_untried(search, &trial->claim);
    }
    for (size_t i = 0; i < trial->same.n; i++) {
        if (again || trial->stacked)
            queue_return(&search->queue, &trial->same.items[i]);
        else
            claim_untried(search, &trial->same.items[i]);
    }
}

/* Take a trial out of those that are out; NULL when there is no such. */
static struct trial *take_trial(struct search *search, uint64_t id)
{
    for (size_t i = 0; i < search->nout; i++) {
        struct trial *trial = search->out[i];
        if (trial->id != id)
            continue;
        search->out[i] = search->out[--search->nout];
        return trial;
    }
    return NULL;
}

bool search_report(struct search *search, uint64_t id, enum verdict verdict)
{
    struct trial *trial = take_trial(search, id);
    bool committed;

    assert(trial);
    search->stats.yes += verdict == VERDICT_YES;
    search->stats.no += verdict == VERDICT_NO;
    search->stats.none += verdict == VERDICT_NONE;
    if (trial->looks)
        report_look(search, trial, verdict);
    else if (verdict == VERDICT_YES)
        report_yes(search, trial);
    else if (verdict == VERDICT_NO)
        report_no(search, trial);
    else
        report_none(search, trial);
    trial_free(trial);
    committed = search->committed;
    search->committed = false;
    return committed;
}

/* Send a candidate out; version and patch are taken. */
static struct trial *send(struct search *search, struct patch *patch,
                          struct version *version, struct hash128 hash,
                          struct search_trial *given)
{
    struct trial *trial = xcalloc(1, sizeof(*trial));

    trial->id = ++search->last_id;
    trial->version = *version;
    trial->hash = hash;
    trial->patch = *patch;
    trial->base = search->base_number;
    trial->again = memory_get(&search->memory, hash) == KNOWN_NONE_ONCE;
    patch_init(patch);
    memory_set(&search->memory, hash, KNOWN_OUT);
    xgrow(&search->out, &search->out_room, search->nout + 1,
          sizeof(struct trial *));
    search->out[search->nout++] = trial;
    search->stats.trials++;
    *given =
        (struct search_trial){ .id = trial->id,
                               .text = version_bytes(&trial->version),
                               .hash = hash,
                               .touches_import = trial->patch.touches_import,
                               .saved = patch_saved(&trial->patch) };
    return trial;
}

/* The base itself, to be traced. */
static bool send_look(struct search *search, struct search_trial *given)
{
    struct bytes text = version_bytes(&search->base);
    struct version version = { .text = xmemdup(text.data, text.len),
                               .len = text.len };
    struct patch patch;
    struct trial *trial;

    search->look = LOOK_OUT;
    search->look_base = search->base_number + 1;
    search->looks++;
    search->looked_len = search->base.len;
    patch_init(&patch);
    trial =
        send(search, &patch, &version, hash_bytes(text.data, text.len), given);
    trial->looks = given->looks = true;
    trial->kind = given->kind = "look";
    return true;
}

/* A trial with this text is out: its verdict is the claim's too. */
static void join_trial(struct search *search, struct hash128 hash,
                       const struct claim *claim)
{
    for (size_t i = 0; i < search->nout; i++) {
        if (!hash_equal(search->out[i]->hash, hash))
            continue;
        claims_add(&search->out[i]->same, claim);
        return;
    }
    assert(!"a text is out without its trial");
}

/* Whether what is offered now is best tried on top of the union that is out,
 * whose claims all have succeeded once. */
static bool should_stack(const struct search *search)
{
    const struct merge *merge = &search->merge;

    if (merge->nprobes != 1 || merge->bad > 0 ||
        search->union_base != search->base_number ||
        rate_value(&search->unions) < RATE_ONE / 4 * 3)
        return false;
    for (size_t i = 0; i < merge->probes[0].n; i++)
        if (merge->items[i].untested)
            return false;
    return true;
}

/* As try_claim() on top of the union that is out. */
static bool try_stacked(struct search *search, const struct claim *claim,
                        struct search_trial *given)
{
    struct patch patch;
    struct hash128 hash;
    struct version version = { 0 };
    struct trial *trial;
    enum answer answer = ANSWER_NO;
    bool fits = true;

    patch_init(&patch);
    for (size_t i = 0; fits && i < search->merge.probes[0].n; i++)
        fits =
            claim_patch(&search->merge.items[i], &search->edits, &patch) == 0;
    fits = fits && claim_patch(claim, &search->edits, &patch) == 0;
    if (fits)
        answer = judge(search, &patch, false, &hash, &version);
    if (answer == ANSWER_RUN && !is_deferred(search, claim, &patch)) {
        trial = send(search, &patch, &version, hash, given);
        trial->claim = *claim;
        trial->mutates = claim_mutates(search, claim) ||
                         union_mutates(search, search->merge.probes[0].n);
        trial->kind = given->kind = claim_name(search, claim);
        trial->stacked = true;
        trial->union_number = search->union_number;
    } else {
        version_free(&version);
        claims_add(&search->parked, claim);
        answer = ANSWER_NO;
    }
    patch_deinit(&patch);
    return answer == ANSWER_RUN;
}

/* Settle a claim by what is known of it, or send it out: true. */
static bool try_claim(struct search *search, const struct claim *claim,
                      struct search_trial *given)
{
    struct patch patch;
    struct hash128 hash;
    struct version version;
    struct trial *trial;
    bool sent = false;

    if (should_stack(search))
        return try_stacked(search, claim, given);
    patch_init(&patch);
    if (claim_patch(claim, &search->edits, &patch) < 0) {
        claim_failed(search, claim, false);
        patch_deinit(&patch);
        return false;
    }
    switch (
        judge(search, &patch, is_statements(search, claim), &hash, &version)) {
    case ANSWER_NO:
        claim_failed(search, claim, false);
        break;
    case ANSWER_UNTRIED:
        claim_untried(search, claim);
        break;
    case ANSWER_OUT:
        join_trial(search, hash, claim);
        break;
    case ANSWER_YES:
        if (hold(search, claim)) {
            version_free(&version);
            break;
        }
        queue_said(&search->queue, claim, true, false);
        commit_other(search, &patch, &version, claim_name(search, claim),
                     claim_mutates(search, claim));
        break;
    case ANSWER_RUN:
        if (is_deferred(search, claim, &patch)) {
            version_free(&version);
            queue_defer(&search->queue, claim);
            break;
        }
        trial = send(search, &patch, &version, hash, given);
        trial->claim = *claim;
        trial->mutates = claim_mutates(search, claim);
        trial->kind = given->kind = claim_name(search, claim);
        sent = true;
        break;
    }
    patch_deinit(&patch);
    return sent;
}

/* Prefixes of the merge queue that are tested at once, at most. */
static size_t probes_max(const struct search *search)
{
    return search->opts.width < 8 ? 1 : search->opts.width / 4;
}

enum sent { SENT, SETTLED, BLOCKED };

/* Test the next part of the merge queue, or settle it by what is known. */
static enum sent try_merge(struct search *search, struct search_trial *given)
{
    struct merge *merge = &search->merge;
    struct patch patch;
    struct hash128 hash;
    struct version version;
    struct trial *trial;
    const char *kind;
    enum sent sent = SETTLED;
    size_t n;

    patch_init(&patch);
    n = unite(search, merge_next(merge, probes_max(search)), &patch);
    if (n == 0)
        goto out;
    kind = n > 1 ? "merge" : claim_name(search, &merge->items[0]);
    switch (judge(search, &patch, are_statements(search, n), &hash, &version)) {
    case ANSWER_NO:
        merge_failed(search, n, false);
        break;
    case ANSWER_UNTRIED:
        merge_failed(search, n, true);
        break;
    case ANSWER_OUT:
        sent = BLOCKED;
        break;
    case ANSWER_YES:
        commit_merged(search, n, &patch, &version, kind);
        break;
    case ANSWER_RUN:
        trial = send(search, &patch, &version, hash, given);
        trial->is_merge = true;
        trial->mutates = union_mutates(search, n);
        search->union_base = search->base_number;
        trial->kind = given->kind = kind;
        merge_given(merge, trial->id, n);
        sent = SENT;
        break;
    }
out:
    patch_deinit(&patch);
    return sent;
}

/* Whether trials of an earlier stage are still out. */
static bool is_ahead(const struct search *search)
{
    for (size_t i = 0; i < search->nout; i++)
        if (search->out[i]->id <= search->entered_id)
            return true;
    return false;
}

/* Mutating steps that were held may be taken now. */
static bool release(struct search *search)
{
    bool any = search->held.n > 0;

    search->settled = search->stage;
    for (size_t i = 0; i < search->held.n; i++)
        queue_return(&search->queue, &search->held.items[i]);
    search->held.n = 0;
    return any;
}

/* Everything offered is settled and nothing is out. False: the end. */
static bool go_on(struct search *search)
{
    if (search->parked.n > 0) {
        union_done(search);
        return true;
    }
    if (queue_revive(&search->queue, tier(search)))
        return true;
    if (search->base_number != search->round_base) {
        start_round(search);
        return true;
    }
    if (release(search))
        return true;
    if (must_look(search)) {
        search->look = LOOK_DUE;
        return true;
    }
    return next_stage(search);
}

/* Everything offered is settled or out, and slots are free: go on with what
 * comes next all the same. False: nothing can be done before a report. */
static bool hurry(struct search *search)
{
    if (search->base.len > EARLY_MAX)
        return false;
    if (search->base_number != search->round_base) {
        start_round(search);
        return true;
    }
    if (search->settled < search->stage || must_look(search))
        return false;
    return next_stage(search);
}

/* A stage that was entered while trials of an earlier one were out: now they
 * are in, or have changed the base. */
static void catch_up(struct search *search)
{
    if (search->settled == search->stage)
        return;
    if (search->base_number != search->round_base)
        start_round(search);
    else if (!is_ahead(search))
        release(search);
}

/* Put it into the merge queue without a yes of its own, or off. */
static void add_untested(struct search *search, struct claim *claim)
{
    struct patch patch;

    patch_init(&patch);
    if (claim_patch(claim, &search->edits, &patch) == 0 &&
        is_deferred(search, claim, &patch)) {
        queue_defer(&search->queue, claim);
    } else {
        claim->untested = true;
        merge_add(&search->merge, claim);
    }
    patch_deinit(&patch);
}

/* Edits of a kind that mostly goes are tried together: as a union in the merge
 * queue, which finds the first that does not. */
static bool try_together(struct search *search, const struct claim *claim)
{
    struct claim more[BATCH_MAX];
    struct claim first = *claim;
    size_t n;

    if (search->merge.n > 0 || must_hold(search, claim))
        return false;
    n = queue_batch(&search->queue, claim, more, ARRAY_LEN(more));
    if (n == 0)
        return false;
    add_untested(search, &first);
    for (size_t i = 0; i < n; i++)
        add_untested(search, &more[i]);
    return true;
}

/* A round opens with unions of what is sure to go, each made for the text that
 * the one before has left. */
static void open_round(struct search *search)
{
    if (search->opening && search->merge.n == 0)
        search->opening = offer_sure(search);
}

bool search_next(struct search *search, struct search_trial *given)
{
    struct claim claim;

    while (!search->finished && search->nout < search->opts.width) {
        if (search->look == LOOK_OUT)
            return false;
        if (search->look == LOOK_DUE)
            return send_look(search, given);
        open_round(search);
        if (merge_next(&search->merge, probes_max(search)) > 0) {
            enum sent sent = try_merge(search, given);
            if (sent == SENT)
                return true;
            if (sent == SETTLED)
                continue;
        }
        catch_up(search);
        if (queue_next(&search->queue, tier(search), &claim)) {
            if (!try_together(search, &claim) &&
                try_claim(search, &claim, given))
                return true;
        } else if (search->nout > 0) {
            if (!hurry(search))
                return false;
        } else if (!go_on(search)) {
            search->finished = true;
        }
    }
    return false;
}

void search_marks(const struct search *search, uint64_t id, struct span *out)
{
    size_t n = search->opts.nmarks;

    if (n > 0)
        memcpy(out, search->marks, n * sizeof(*out));
    for (size_t i = 0; i < search->nout; i++) {
        const struct trial *trial = search->out[i];

        if (trial->id != id)
            continue;
        assert(trial->base == search->base_number);
        spans_rebase(out, n, &trial->patch);
    }
}

bool search_unreported(const struct search *search)
{
    return search->committed;
}

bool search_finished(const struct search *search)
{
    return search->finished;
}

bool search_minimal(const struct search *search)
{
    return search->finished && !search->untried;
}

struct bytes search_text(const struct search *search)
{
    return version_bytes(&search->base);
}

const char *search_last_kind(const struct search *search)
{
    return search->last_kind;
}

bool search_mutated(const struct search *search)
{
    return search->mutated;
}

struct search_stats search_stats(const struct search *search)
{
    return search->stats;
}
