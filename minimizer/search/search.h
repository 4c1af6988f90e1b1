/* search.h - which candidate next? A pulled state machine: no I/O, no clock,
 * no chance.
 *
 *   search_new(text)
 *     while search_next() gives a trial: run it, anywhere, in any order
 *     search_report(trial, verdict) for each, exactly once
 *   until search_finished()
 *
 * The same calls in the same order give the same trials: a store that logged
 * them can replay a search exactly. Whatever the number of workers and the
 * order of reports, it commits the steps that one worker would commit: further
 * trials are what that one would ask next if verdicts are as expected. That
 * holds as long as a text has one verdict.
 *
 * Never gives the same text twice (but for one without a verdict, or dropped,
 * or doubted),
 * never a text with a new syntax error (statements of a long text are taken
 * away unseen), never one that is not smaller than the current base (shorter,
 * or as long and smaller in byte order), but for a pump and what follows it: at
 * the end the text may grow for a while, to be committed once it is smaller. */
#ifndef AUTODD_SEARCH_H
#define AUTODD_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base.h"
#include "config/hash.h"
#include "grammar/generator.h"

enum verdict {
    VERDICT_NO,
    VERDICT_YES,
    VERDICT_NONE,    /* could not be found out: the candidate may be given again
                      * once; after that it counts as untried and the result is
                      * not called minimal */
    VERDICT_DROPPED, /* was not waited for: the trial is as if never given */
    VERDICT_PASSED   /* no, and more: the script came to its end without the
                      * failure, see hinge.h */
};

/* Whether it says no, for whatever reason. */
static inline bool verdict_is_no(enum verdict verdict)
{
    return verdict == VERDICT_NO || verdict == VERDICT_PASSED;
}

struct search;
struct tree;
struct guard;
struct observed;

struct search_opts {
    unsigned width;     /* most trials that will be out at once, at least 1 */
    enum mutate mutate; /* how far the mutating tier goes */
    bool rename;        /* short names at the end */

    /* Spans that are thought to be useless (code that never ran), sorted:
     * whole units in them are the first candidate, all at once. Borrowed for
     * search_new(). */
    const struct span *idle;
    size_t nidle;

    /* Statements that the failure comes by (grammar/frames.h): deleted last.
     * Borrowed for search_new(). */
    const struct span *frames;
    size_t nframes;

    /* Spans of the text, sorted, that are followed through all edits:
     * search_marks(). Copied. */
    const struct span *marks;
    size_t nmarks;
    /* What expressions came to in a traced run, or NULL: all at once is the
     * next candidate. Copied. */
    const struct observed *observed;

    /* Whether loops are bound to the turn that the traced run ended in, which
     * leaves out what passed before: where a test is kept. */
    bool turns;

    /* A trial may ask for what a traced run says of the base (see
     * search_trial.looks): where much has gone, more has one value only. */
    bool looks;

    /* What a candidate must be to be worth a run, seen from its tree; NULL:
     * nothing more. Pure. `keep` is what it looks at, borrowed for the search's
     * life. */
    bool (*allowed)(const struct guard *keep, const struct tree *tree);
    const struct guard *keep;

    /* What the sides of the failing test come to, as one number (observation.
     * figures); 0: not known, or nothing steady. What both sides are made of
     * (guard_sides() of `keep`) may become other data, and of such a candidate
     * a yes counts if their pattern is that of its base, and all sides have
     * become another thing, or none has. Of one that leaves those alone it
     * counts only with the same figures: else one side computes another thing,
     * and the test fails by that. */
    uint32_t figures;
};

struct search_trial {
    uint64_t id;         /* 1, 2, 3, ... */
    struct bytes text;   /* borrowed until this trial is reported */
    struct hash128 hash; /* of text */
    const char *kind;    /* name of the edit's family; "merge" for a union */
    bool touches_import;
    bool mutates;  /* by an edit in it the computation is another */
    int64_t saved; /* bytes, against the current base */
    bool pumped;   /* it grows the text, or is made from one that was grown */
    bool binds;    /* a yes counts with the figures of the base: see opts */
    bool looks;    /* the base itself: to be run traced, search_saw() to be told
                    * what its expressions came to before the report of a yes */
};

struct search_stats {
    uint64_t trials, yes, no, none, dropped, accepted;
    uint64_t remembered;     /* candidates answered by the verdict memory */
    uint64_t rejected_early; /* new syntax error: never given */
    uint64_t rounds;
    uint64_t pump_runs; /* candidates that were pumped */
};

/* `text` must be interesting (the caller has seen it fail); `frozen` sorted
 * spans of it. Both copied. */
struct search *search_new(struct bytes text, const struct span *frozen,
                          size_t nfrozen, const struct search_opts *opts);
void search_free(struct search *search);

/* Another width from now on; more may be out already. */
void search_set_width(struct search *search, unsigned width);

/* The next trial, if one can be started now. False: nothing to start until a
 * report comes, or finished. */
bool search_next(struct search *search, struct search_trial *trial);

/* Where the marks of search_opts are in the text of trial `id`, which
 * search_next() has just given, or, for 0, in search_text(): into `out`, which
 * has room for all. */
void search_marks(const struct search *search, uint64_t id, struct span *out);

/* What was observed in the run of a trial that looks; copied. */
void search_saw(struct search *search, const struct observed *observed);

/* The figures (see search_opts) that the run of trial `id` showed, before the
 * report of a yes; 0: none. Of no interest where the original had none. */
void search_shows(struct search *search, uint64_t id, uint32_t figures);

/* A run that may be wrong says what trial `id`, which stays out, will come to:
 * VERDICT_NO or VERDICT_YES; VERDICT_NONE takes that back. The search goes on
 * in that way, and from the text before if the verdict is another. */
void search_expect(struct search *search, uint64_t id, enum verdict verdict);

/* The way that the search goes if all comes true that is expected: the trials
 * on it that are expected to be a yes, in order, at most `room` of them into
 * `ids`. Returns how many. */
size_t search_way(const struct search *search, uint64_t *ids, size_t room);

/* The last trial on that way whose yes would lead on at once to a text that is
 * known to be interesting: its own is a step that need not be taken by itself.
 * 0: there is none. */
uint64_t search_implied(const struct search *search);

/* Take a verdict. True when a new, smaller base was committed since the last
 * report: search_text() has it. One report may commit several steps; what is
 * committed has been tested as it stands. */
bool search_report(struct search *search, uint64_t id, enum verdict verdict);

/* The failure comes and goes: each no so far may have been a matter of chance.
 * Before the end what it was said of is given again, as far as that can still
 * be a step. What is out stays out. */
void search_doubt(struct search *search);

/* Whether the verdict of trial `id`, which is out, can still be of use: reports
 * of others may have settled what it was to find out. If not, its run may be
 * given up (VERDICT_DROPPED), and its slot used for another. */
bool search_wants(const struct search *search, uint64_t id);

/* Nothing is out and nothing is left to try. */
bool search_finished(const struct search *search);

/* True when finished and each single edit of the vocabulary (as far as mutate
 * and rename let it go) has a no on the final text, or would mutate what the
 * failure hangs on, or makes of one side of the test another computation. */
bool search_minimal(const struct search *search);

/* The smallest interesting text so far; borrowed until the next report. */
struct bytes search_text(const struct search *search);

/* The kind of the last step that was committed (static); NULL before one. */
const char *search_last_kind(const struct search *search);

/* Whether a step that was committed so far held a mutating edit. */
bool search_mutated(const struct search *search);

struct search_stats search_stats(const struct search *search);

#endif
