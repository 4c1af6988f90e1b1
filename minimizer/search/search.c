/* The search: who is out, what is known, and what to tell.
 *
 * What to try next is the future's to say (future.h). A trial is a text, and
 * its verdict is true of that text whatever becomes of the guesses that it was
 * made on; so a verdict is never wrong, at worst it is of no use. Besides, the
 * verdict of an edit on one text is a hint for the same edit on another: a yes
 * always, a no if the text it was made on is itself known to be good.
 *
 * Invariant between calls: the text of the root has a yes. */
#include "minimizer/search/search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "grammar/observed.h"
#include "minimizer/search/future.h"
#include "minimizer/search/memory.h"
#include "minimizer/search/rate.h"
#include "minimizer/search/solo.h"

/* Of larger unions only the whole is remembered. */
#define KEYS_MAX 64
/* What a trial is expected to come to, it does but for one in so many. */
#define SURPRISES 64

struct trial {
    uint64_t id;
    char *text;
    size_t len;
    struct hash128 hash;
    struct hash128 *keys;
    size_t nkeys;
    struct hash128 on; /* the text that it was made from */
    struct span *marks;
    enum verdict expected; /* VERDICT_NONE: nothing in particular */
    bool looks;            /* no candidate: the base, traced */
    uint32_t figures;      /* that its run showed */
    bool again;            /* its text came back without a verdict before */
};

struct search {
    struct search_opts opts;
    struct memory memory;              /* of texts */
    struct memory hints;               /* of edits, by key */
    struct rate hinted_yes, hinted_no; /* how often a hint was right; wrong */
    struct future_facts facts;
    struct future *future;
    struct trial *out; /* at least opts.width of them, the first nout */
    size_t nout;
    uint64_t last_id;
    struct observed observed; /* by the trial that looks, if `saw` */
    bool saw;
    uint64_t commits; /* that reports have told of */
    struct search_stats stats;
};

/* The trial that is out for this; NULL: none is. */
static const struct trial *find_out(const struct search *search,
                                    const struct ask *ask)
{
    for (size_t i = 0; i < search->nout; i++)
        if (hash_equal(search->out[i].hash, ask->hash) &&
            search->out[i].looks == ask->looks)
            return &search->out[i];
    return NULL;
}

static bool search_is_out(void *arg, const struct ask *ask)
{
    return find_out(arg, ask) != NULL;
}

/* A run or a union as one. */
static struct hash128 join(const struct hash128 *keys, size_t n)
{
    return n == 1 ? keys[0] : hash_bytes((const char *)keys, n * sizeof(*keys));
}

/* What is known of the edits: of all together, or of each. */
static enum known hint_of(const struct search *search,
                          const struct hash128 *keys, size_t n)
{
    enum known known = memory_get(&search->hints, join(keys, n));
    size_t yes = 0;

    for (size_t i = 0; known == KNOWN_NOTHING && i < n && n <= KEYS_MAX; i++) {
        enum known one = memory_get(&search->hints, keys[i]);

        if (one == KNOWN_NO)
            return KNOWN_NO;
        yes += one == KNOWN_YES;
    }
    return yes == n && n > 0 ? KNOWN_YES : known;
}

static uint32_t search_odds(void *arg, const struct ask *ask)
{
    const struct search *search = arg;
    const struct trial *trial = find_out(search, ask);
    uint32_t yes = rate_value(&search->hinted_yes);
    uint32_t no = rate_value(&search->hinted_no);

    if (trial && trial->expected == VERDICT_YES)
        return RATE_ONE - RATE_ONE / SURPRISES;
    if (trial && trial->expected == VERDICT_NO)
        return RATE_ONE / SURPRISES;
    switch (hint_of(search, ask->keys, ask->nkeys)) {
    case KNOWN_YES:
        return yes > ask->odds ? yes : ask->odds;
    case KNOWN_NO:
        return no < ask->odds ? no : ask->odds;
    case KNOWN_PASSED:
    case KNOWN_NOTHING:
    case KNOWN_NONE_ONCE:
    case KNOWN_NONE:
        break;
    }
    return ask->odds;
}

struct search *search_new(struct bytes text, const struct span *frozen,
                          size_t nfrozen, const struct search_opts *opts)
{
    struct search *search = xcalloc(1, sizeof(*search));
    struct solo *solo;

    assert(opts->width > 0);
    search->opts = *opts;
    search->out = xcalloc(opts->width, sizeof(*search->out));
    search->facts = (struct future_facts){ .memory = &search->memory,
                                           .is_out = search_is_out,
                                           .odds = search_odds,
                                           .arg = search };
    search->hinted_yes = rate_init(0.9);
    search->hinted_no = rate_init(0.06);
    solo = solo_new(text, frozen, nfrozen, opts);
    memory_set(&search->memory, solo_hash(solo), KNOWN_YES);
    memory_set_figures(&search->memory, solo_hash(solo), opts->figures);
    solo_run(solo);
    search->future = future_new(solo, &search->facts, opts->width);
    return search;
}

static void trial_deinit(struct trial *trial)
{
    free(trial->text);
    free(trial->keys);
    free(trial->marks);
}

void search_free(struct search *search)
{
    if (!search)
        return;
    for (size_t i = 0; i < search->nout; i++)
        trial_deinit(&search->out[i]);
    free(search->out);
    future_free(search->future);
    memory_deinit(&search->memory);
    memory_deinit(&search->hints);
    observed_deinit(&search->observed);
    free(search);
}

void search_set_width(struct search *search, unsigned width)
{
    size_t room = search->nout > width ? search->nout : width;

    assert(width > 0);
    search->out = xreallocarray(search->out, room, sizeof(*search->out));
    search->opts.width = width;
    future_set_width(search->future, width);
}

bool search_next(struct search *search, struct search_trial *given)
{
    const struct solo *solo;
    const struct ask *ask;
    struct trial *trial;
    bool import;

    if (search->nout >= search->opts.width ||
        !(solo = future_best(search->future, &import)))
        return false;
    ask = solo_ask(solo);
    trial = &search->out[search->nout++];
    *trial = (struct trial){
        .id = ++search->last_id,
        .text = xmemdup(ask->text.data, ask->text.len),
        .len = ask->text.len,
        .hash = ask->hash,
        .keys = xcopy(ask->keys, ask->nkeys, sizeof(*ask->keys)),
        .nkeys = ask->nkeys,
        .on = solo_hash(solo),
        .marks = xcalloc(search->opts.nmarks, sizeof(struct span)),
        .expected = VERDICT_NONE,
        .looks = ask->looks,
        .again = memory_get(&search->memory, ask->hash) == KNOWN_NONE_ONCE,
    };
    solo_marks(solo, true, trial->marks);
    search->stats.trials++;
    *given = (struct search_trial){ .id = trial->id,
                                    .text = bytes_of(trial->text, trial->len),
                                    .hash = hash_bytes(trial->text, trial->len),
                                    .kind = ask->kind,
                                    .touches_import = import,
                                    .mutates = ask->mutates,
                                    .saved = ask->saved,
                                    .pumped = ask->pumped,
                                    .binds = ask->binds,
                                    .looks = ask->looks };
    return true;
}

/* Take a trial out of those that are out. */
static struct trial take(struct search *search, uint64_t id)
{
    struct trial trial;
    size_t i = 0;

    while (i < search->nout && search->out[i].id != id)
        i++;
    assert(i < search->nout);
    trial = search->out[i];
    search->out[i] = search->out[--search->nout];
    return trial;
}

/* Make the verdict a hint for the same edits on other texts. A no to something
 * made on a text that is not known to be good says nothing. */
static void note_hint(struct search *search, const struct trial *trial,
                      bool yes)
{
    enum known hint = hint_of(search, trial->keys, trial->nkeys);

    if (!yes && memory_get(&search->memory, trial->on) != KNOWN_YES)
        return;
    if (hint == KNOWN_YES)
        rate_note(&search->hinted_yes, yes);
    else if (hint == KNOWN_NO)
        rate_note(&search->hinted_no, yes);
    memory_set(&search->hints, join(trial->keys, trial->nkeys),
               yes ? KNOWN_YES : KNOWN_NO);
    for (size_t i = 0; yes && trial->nkeys <= KEYS_MAX && i < trial->nkeys; i++)
        memory_set(&search->hints, trial->keys[i], KNOWN_YES);
}

static void learn(struct search *search, const struct trial *trial,
                  enum known known)
{
    memory_set(&search->memory, trial->hash, known);
    memory_set_figures(&search->memory, trial->hash, trial->figures);
    if (search->opts.width > 1)
        note_hint(search, trial, known == KNOWN_YES);
    future_settle(search->future);
}

static enum known known_by(enum verdict verdict)
{
    return verdict == VERDICT_YES      ? KNOWN_YES
           : verdict == VERDICT_PASSED ? KNOWN_PASSED
                                       : KNOWN_NO;
}

void search_saw(struct search *search, const struct observed *observed)
{
    observed_deinit(&search->observed);
    observed_copy(&search->observed, observed);
    search->saw = true;
}

static void report_look(struct search *search, enum verdict verdict)
{
    bool saw = search->saw && verdict == VERDICT_YES;

    search->saw = false;
    future_looked(search->future, saw ? &search->observed : NULL);
}

static void report_none(struct search *search, const struct trial *trial)
{
    memory_set(&search->memory, trial->hash,
               trial->again ? KNOWN_NONE : KNOWN_NONE_ONCE);
    if (trial->again)
        future_settle(search->future);
    else
        future_again(search->future, trial->hash);
}

static bool is_wanted(const struct search *search, const struct trial *trial)
{
    return future_wants(search->future, trial->hash, trial->looks);
}

void search_expect(struct search *search, uint64_t id, enum verdict verdict)
{
    for (size_t i = 0; i < search->nout; i++)
        if (search->out[i].id == id)
            search->out[i].expected = verdict;
}

void search_shows(struct search *search, uint64_t id, uint32_t figures)
{
    for (size_t i = 0; i < search->nout; i++)
        if (search->out[i].id == id && search->opts.figures)
            search->out[i].figures = figures;
}

/* The trial that is out for the question of a node, if it is expected to come
 * to something; NULL. */
static const struct trial *expected_at(const struct search *search,
                                       const struct node *node)
{
    const struct solo *solo = node ? future_solo(node) : NULL;
    const struct trial *trial =
        solo && !solo_finished(solo) ? find_out(search, solo_ask(solo)) : NULL;

    return trial && trial->expected != VERDICT_NONE ? trial : NULL;
}

size_t search_way(const struct search *search, uint64_t *ids, size_t room)
{
    const struct node *node = future_root(search->future);
    const struct trial *trial;
    size_t n = 0;

    while (n < room && (trial = expected_at(search, node))) {
        if (trial->expected == VERDICT_YES)
            ids[n++] = trial->id;
        node = future_below(node, trial->expected == VERDICT_YES);
    }
    return n;
}

/* Whether the text after a yes at this node is known to be good. Where a pump
 * was undone meanwhile it is not made of that yes. */
static bool leads_to_good(const struct search *search, const struct node *node)
{
    const struct node *below = future_below(node, true);

    return below &&
           solo_undone(future_solo(below)) == solo_undone(future_solo(node)) &&
           memory_get(&search->memory, solo_hash(future_solo(below))) ==
               KNOWN_YES;
}

uint64_t search_implied(const struct search *search)
{
    const struct node *node = future_root(search->future);
    const struct trial *trial;
    uint64_t found = 0;

    while ((trial = expected_at(search, node))) {
        bool yes = trial->expected == VERDICT_YES;

        if (yes && leads_to_good(search, node))
            found = trial->id;
        node = future_below(node, yes);
    }
    return found;
}

bool search_report(struct search *search, uint64_t id, enum verdict verdict)
{
    struct trial trial = take(search, id);
    bool committed;

    assert(verdict != VERDICT_DROPPED || !is_wanted(search, &trial));
    search->stats.yes += verdict == VERDICT_YES;
    search->stats.no += verdict_is_no(verdict);
    search->stats.none += verdict == VERDICT_NONE;
    search->stats.dropped += verdict == VERDICT_DROPPED;
    if (trial.looks && verdict != VERDICT_DROPPED)
        report_look(search, verdict);
    else if (verdict == VERDICT_NONE)
        report_none(search, &trial);
    else if (verdict != VERDICT_DROPPED)
        learn(search, &trial, known_by(verdict));
    trial_deinit(&trial);
    committed = solo_commits(future_now(search->future)) > search->commits;
    search->commits = solo_commits(future_now(search->future));
    return committed;
}

void search_doubt(struct search *search)
{
    memory_forget(&search->memory, KNOWN_NO);
    memory_forget(&search->memory, KNOWN_PASSED);
    future_doubt(search->future);
}

bool search_wants(const struct search *search, uint64_t id)
{
    for (size_t i = 0; i < search->nout; i++)
        if (search->out[i].id == id)
            return is_wanted(search, &search->out[i]);
    return false;
}

void search_marks(const struct search *search, uint64_t id, struct span *out)
{
    if (id == 0)
        solo_marks(future_now(search->future), false, out);
    for (size_t i = 0; i < search->nout; i++)
        if (search->out[i].id == id && search->opts.nmarks > 0)
            memcpy(out, search->out[i].marks,
                   search->opts.nmarks * sizeof(*out));
}

bool search_finished(const struct search *search)
{
    return search->nout == 0 && solo_finished(future_now(search->future));
}

bool search_minimal(const struct search *search)
{
    return search_finished(search) && solo_minimal(future_now(search->future));
}

struct bytes search_text(const struct search *search)
{
    return solo_text(future_now(search->future));
}

const char *search_last_kind(const struct search *search)
{
    return solo_last_kind(future_now(search->future));
}

bool search_mutated(const struct search *search)
{
    return solo_mutated(future_now(search->future));
}

struct search_stats search_stats(const struct search *search)
{
    struct search_stats stats = solo_stats(future_now(search->future));

    stats.trials = search->stats.trials;
    stats.yes = search->stats.yes;
    stats.no = search->stats.no;
    stats.none = search->stats.none;
    stats.dropped = search->stats.dropped;
    return stats;
}
