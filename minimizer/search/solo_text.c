/* The base of a solo, and the candidates that patches make of it.
 *
 *     patch --> text --> known? --> new syntax error? --> allowed? --> run
 *
 * The cost of a candidate is that of its text: one copy, one fingerprint and,
 * when it is new, a look for syntax errors: by an incremental parse, or in a
 * long text by a parse of the top-level statements that are touched; where
 * those are long too, whole statements are taken away unseen.
 *
 * Invariant: all that has spans (edits, frozen bytes, frames, marks, blocks,
 * bindings, observed values) has those of the present base: solo_commit() moves
 * them together, and nothing else changes the base. */
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "minimizer/search/solo_parts.h"

void version_free(struct version *version)
{
    tree_free(version->tree);
    free(version->text);
    *version = (struct version){ 0 };
}

struct bytes version_bytes(const struct version *version)
{
    return bytes_of(version->text, version->len);
}

const struct tree *solo_tree(struct solo *solo)
{
    if (!solo->base.tree)
        solo->base.tree = tree_parse(version_bytes(&solo->base));
    return solo->base.tree;
}

void version_copy(struct version *to, const struct version *from)
{
    *to = *from;
    to->text = xmemdup(from->text, from->len);
    if (from->tree)
        to->tree = tree_share(from->tree);
}

bool solo_is_smaller(struct bytes a, struct bytes b)
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

/* With marks a verdict is about the pair of a text and where they are in it:
 * of `step()` twice, with a mark between, one is left in front of the mark or
 * behind it. */
static struct hash128 fingerprint(const struct solo *solo, struct bytes text,
                                  const struct patch *patch)
{
    struct hash128 hash = hash_bytes(text.data, text.len);
    size_t n = solo->opts.nmarks;
    struct span *marks;

    if (n == 0)
        return hash;
    marks = xcopy(solo->marks, n, sizeof(*marks));
    if (patch)
        spans_rebase(marks, n, patch);
    hash = hash_more(hash, marks, n * sizeof(*marks));
    free(marks);
    return hash;
}

void solo_know_base(struct solo *solo)
{
    solo->base.hash = fingerprint(solo, version_bytes(&solo->base), NULL);
    memory_set(&solo->memory, solo->base.hash, KNOWN_YES);
    memory_set_figures(&solo->memory, solo->base.hash, solo->base.figures);
}

/* Make the candidate's text and look whether its verdict is known. */
static enum answer recall(struct solo *solo, const struct patch *patch,
                          bool pump, struct hash128 *hash)
{
    struct bytes base = version_bytes(&solo->base), text;

    buf_clear(&solo->text);
    if ((patch_saved(patch) < 0 && !pump) || touches_frozen(solo, patch) ||
        patch_apply(patch, base, &solo->text) < 0)
        return ANSWER_NO;
    text = buf_bytes(&solo->text);
    if (!pump && !solo_is_smaller(text, base))
        return ANSWER_NO;
    *hash = fingerprint(solo, text, patch);
    switch (memory_get(&solo->memory, *hash)) {
    case KNOWN_NOTHING:
    case KNOWN_NONE_ONCE:
        return ANSWER_RUN;
    case KNOWN_NO:
    case KNOWN_PASSED:
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
 * was made to find out is left in *tree; *fine: what is touched is well-formed
 * by itself. */
static bool is_broken(struct solo *solo, const struct patch *patch,
                      bool statements, struct tree **tree, bool *fine)
{
    struct bytes base = version_bytes(&solo->base);

    *tree = NULL;
    *fine = false;
    if (solo->blocks.top.n > 0) {
        switch (
            blocks_check(&solo->blocks, base, patch, base.len / LONG_SHARE)) {
        case BLOCKS_FINE:
            *fine = true;
            return false;
        case BLOCKS_BROKEN:
            return true;
        case BLOCKS_LARGE:
            if (statements)
                return false;
            break;
        }
    }
    *tree = tree_patched(solo_tree(solo), patch);
    solo->tree_used = true;
    return tree_errors(*tree) > solo->base_errors;
}

/* Whether the patch may change what the caller wants kept. Asked of long texts
 * alone: a look at all of a short one costs little. */
static bool is_touched(struct solo *solo, const struct patch *patch, bool fine)
{
    const struct starts *tops = &solo->blocks.top;

    if (tops->n == 0 || !solo->opts.keep)
        return true;
    if (!solo->relevant_known) {
        relevant_init(&solo->relevant, solo->opts.keep, solo_tree(solo));
        solo->relevant_known = true;
    }
    return relevant_touched(&solo->relevant, version_bytes(&solo->base),
                            tops->items, tops->n, patch, fine);
}

/* Whether it keeps what the caller wants kept. */
static bool is_allowed(struct solo *solo, const struct patch *patch,
                       struct tree **tree, bool touched)
{
    if (!solo->opts.allowed || !touched)
        return true;
    if (!*tree)
        *tree = tree_patched(solo_tree(solo), patch);
    solo->tree_used = true;
    return solo->opts.allowed(solo->opts.keep, *tree);
}

/* As recall(), with the candidate's text (caller frees) where it is a yes or
 * must be run, and with a no for what is broken or not allowed. */
static enum answer judge(struct solo *solo, const struct patch *patch,
                         bool statements, bool pump, struct hash128 *hash,
                         struct version *version)
{
    enum answer answer = recall(solo, patch, pump, hash);
    struct tree *tree = NULL;
    bool fine = false, touched = true;

    *version = (struct version){ 0 };
    if (answer == ANSWER_RUN &&
        (is_broken(solo, patch, statements, &tree, &fine) ||
         !is_allowed(solo, patch, &tree,
                     touched = is_touched(solo, patch, fine)))) {
        solo->stats.rejected_early++;
        memory_set(&solo->memory, *hash, KNOWN_NO);
        tree_free(tree);
        return ANSWER_NO;
    }
    if (answer == ANSWER_YES || answer == ANSWER_RUN) {
        version->text = buf_take(&solo->text, &version->len);
        version->hash = *hash;
        version->tree = tree;
        version->untouched = !touched;
        version->figures = memory_figures(&solo->memory, *hash);
    }
    return answer;
}

enum answer solo_judge(struct solo *solo, const struct patch *patch,
                       bool statements, struct hash128 *hash,
                       struct version *version)
{
    return judge(solo, patch, statements, false, hash, version);
}

enum answer solo_judge_pump(struct solo *solo, const struct patch *patch,
                            struct hash128 *hash, struct version *version)
{
    return judge(solo, patch, false, true, hash, version);
}

static void follow_relevant(struct solo *solo, const struct patch *patch,
                            bool untouched)
{
    if (untouched) {
        relevant_rebase(&solo->relevant, patch);
        return;
    }
    relevant_deinit(&solo->relevant);
    solo->relevant_known = false;
}

/* Make the patched text the base; `version` is taken. */
void solo_commit(struct solo *solo, const struct patch *patch,
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
    follow_relevant(solo, patch, version->untouched);
    bindings_rebase(solo->bindings, patch);
    observed_rebase(&solo->observed, patch);
    hinges_rebase(&solo->hinges, patch);
    version_free(&solo->base);
    solo->base = *version;
    *version = (struct version){ 0 };
    if (solo->base.tree)
        solo->base_errors = tree_errors(solo->base.tree);
    solo->base_number++;
    solo->last_kind = kind;
    solo->stats.accepted++;
    solo_pay_pump(solo);
}
