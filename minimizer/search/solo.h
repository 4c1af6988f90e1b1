/* solo.h - the search as one worker would do it: one candidate, its verdict,
 * the next candidate.
 *
 *   while solo_run(solo): find out about solo_ask(solo)->text
 *                         solo_answer(solo, verdict)
 *
 * It is a value: a copy goes its own way from where it was made, so that a
 * search with many workers can ask what would come next if a verdict were yes,
 * or no (future.h). What it asks depends on the answers it was given, and on
 * nothing else. */
#ifndef AUTODD_SOLO_H
#define AUTODD_SOLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base.h"
#include "config/hash.h"
#include "minimizer/search/search.h"

struct solo;

/* Runs that one pump may cost until its text is smaller than before, and all
 * that did not get there. */
#define PUMP_RUNS 32
#define PUMPS_RUNS 64

/* A candidate whose verdict is waited for. */
struct ask {
    struct bytes text;
    struct hash128 hash;        /* of text and marks: what a verdict is about */
    const struct hash128 *keys; /* of what it does, wherever that stands: one
                                 * for each edit in it */
    size_t nkeys;
    uint32_t odds; /* of a yes, as far as is known; of RATE_ONE */
    const char *kind;
    bool touches_import;
    bool mutates; /* an edit in it does */
    int64_t saved;
    bool binds;  /* see claims_bind() */
    bool looks;  /* the base itself, to be traced; see search_trial */
    bool pumped; /* so too */
};

/* As search_new(). */
struct solo *solo_new(struct bytes text, const struct span *frozen,
                      size_t nfrozen, const struct search_opts *opts);
struct solo *solo_copy(const struct solo *solo);
void solo_free(struct solo *solo);

/* Go on until a verdict is needed: true, and solo_ask() has the candidate. Or
 * until the end: false. Nothing happens while a verdict is waited for. */
bool solo_run(struct solo *solo);

/* Borrowed until solo_answer(). */
const struct ask *solo_ask(const struct solo *solo);

/* Whether it makes a difference to solo_answer() that the run has passed, other
 * than that it is a no. */
bool solo_hangs(const struct solo *solo);

/* Whether a yes with these figures (search_shows()) is none after all, see
 * search_opts. */
bool solo_differs(const struct solo *solo, uint32_t figures);

/* Whether a yes with some figures is none for a text with others; 0: not known.
 */
bool solo_figures_differ(uint32_t base, uint32_t figures, bool binds);

/* Whether that can't be said yet, as the figures of the base are a guess. */
bool solo_guesses(const struct solo *solo);

/* The figures of a text that is known to be good, wherever it is a base; 0: its
 * run told none. */
void solo_figures(struct solo *solo, struct hash128 text, uint32_t figures);

/* The verdict, or a guess. `again`: there was none, and it is asked for once
 * more. */
void solo_answer(struct solo *solo, enum verdict verdict, bool again);

/* The noes so far were given too easily: what they were said of is asked about
 * again before the end. */
void solo_doubt(struct solo *solo);

/* What was observed in a traced run of the base, before solo_answer() to the
 * question that asked for it; copied. */
void solo_saw(struct solo *solo, const struct observed *observed);

/* Where the marks are in the text of the candidate, or in solo_text(). */
void solo_marks(const struct solo *solo, bool ask, struct span *out);

bool solo_finished(const struct solo *solo);
bool solo_minimal(const struct solo *solo);
bool solo_mutated(const struct solo *solo);
struct bytes solo_text(const struct solo *solo); /* before any open pump */

/* Of text and marks of what it works on. */
struct hash128 solo_hash(const struct solo *solo);
const char *solo_last_kind(const struct solo *solo);

/* Commits so far. */
uint64_t solo_commits(const struct solo *solo);

/* Pumps so far whose text was given up, with all commits since. */
uint64_t solo_undone(const struct solo *solo);

/* Of itself: remembered, rejected_early, rounds, accepted. */
struct search_stats solo_stats(const struct solo *solo);

/* About how many bytes a copy takes. */
size_t solo_size(const struct solo *solo);

#endif
