/* solo_parts.h - what the files of the solo (solo.h) share.
 *
 *   solo.c        made, copied, run
 *   solo_round.c  which edits are offered when
 *   solo_ask.c    from a claim to a question, and from its answer to a commit
 *   solo_pump.c   larger texts, and the way back
 *   solo_text.c   the base, and the texts that patches make of it */
#ifndef AUTODD_SOLO_PARTS_H
#define AUTODD_SOLO_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base.h"
#include "config/buf.h"
#include "config/hash.h"
#include "grammar/bindings.h"
#include "grammar/edit.h"
#include "grammar/observed.h"
#include "grammar/relevant.h"
#include "grammar/tree.h"
#include "minimizer/search/blocks.h"
#include "minimizer/search/claim.h"
#include "minimizer/search/hinge.h"
#include "minimizer/search/memory.h"
#include "minimizer/search/merge.h"
#include "minimizer/search/odds.h"
#include "minimizer/search/queue.h"
#include "minimizer/search/solo.h"

/* From this length on only what is touched is parsed, if that is not more than
 * this share of the whole. */
#define LONG_TEXT 32768
#define LONG_SHARE 16

/* Pumps may be on top of each other, at most. */
#define PUMP_DEPTH 2

/* A text and, where it was parsed, its tree. */
struct version {
    char *text;
    size_t len;
    struct hash128 hash; /* of the text, and of where the marks are in it */
    struct tree *tree;   /* or NULL */
    bool untouched;      /* what the guard looks at is as it is in the base */
    uint32_t figures;    /* see search_shows(); 0: none */
    bool guessed;        /* nobody knows them yet */
};

/* What a verdict is waited for: a claim, the first `united` ones of the merge
 * queue, or a pump. */
struct question {
    bool open;
    bool pump;
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
    struct hinges hinges;
    struct span *marks; /* opts.nmarks of them */
    struct observed observed;

    struct edits edits; /* of this round, moved along */
    struct queue queue;
    struct blocks blocks;     /* of a long text without errors */
    struct relevant relevant; /* of the base, once a long one was judged */
    bool relevant_known;
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

    struct pumped *before; /* the pump that is being tried; NULL: none */
    unsigned pump_depth;
    unsigned pump_left;   /* runs that it may still cost */
    unsigned pump_runs;   /* what those that were not paid have cost */
    struct edits pumps;   /* of the base */
    uint32_t *pump_order; /* they are tried in */
    uint64_t pumps_base;  /* 1 + the number of that base */
    uint32_t next_pump;   /* in that order */
    struct memory pumped; /* the texts of those that were tried */
    uint64_t undone;      /* pumps that were taken back */

    struct buf text; /* of the candidate at hand */
    struct question question;

    const char *last_kind;
    bool mutated;
    bool doubted; /* noes are not what they seemed: a further round is due */
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

/* ---- solo_text.c ---- */

void version_free(struct version *version);
struct bytes version_bytes(const struct version *version);
void version_copy(struct version *to, const struct version *from);

/* The base has a yes. */
void solo_know_base(struct solo *solo);

/* Of the base; made when first asked for. */
const struct tree *solo_tree(struct solo *solo);

/* What is known of the text that the patch makes, with that text (caller frees)
 * where it is a yes or must be run; a no for what is broken or not allowed.
 * `statements`: it takes whole statements away. */
enum answer solo_judge(struct solo *solo, const struct patch *patch,
                       bool statements, struct hash128 *hash,
                       struct version *version);

/* The same for a patch that may make the text larger. */
enum answer solo_judge_pump(struct solo *solo, const struct patch *patch,
                            struct hash128 *hash, struct version *version);

/* Shorter, or as long and smaller in byte order. */
bool solo_is_smaller(struct bytes a, struct bytes b);

/* Make the patched text the base; `version` is taken. */
void solo_commit(struct solo *solo, const struct patch *patch,
                 struct version *version, const char *kind);

/* ---- solo_round.c ---- */

void solo_start_round(struct solo *solo);

/* The tier up to which edits are offered now. */
enum edit_tier solo_tier(const struct solo *solo);

/* The spans of opts.idle, to be tested first. */
void solo_offer_idle(struct solo *solo, const struct search_opts *opts);

/* Before anything else of a round, each time: what is sure to go. */
void solo_open_round(struct solo *solo);

/* Before the next claim: whether this round goes on. */
void solo_break_round(struct solo *solo);

/* Everything offered is settled. False: the end. */
bool solo_go_on(struct solo *solo);

/* Whether the claim deletes a statement that the failure came by, and whether a
 * run of it is put off for now. */
bool solo_loses_frame(const struct solo *solo, const struct claim *claim,
                      const struct patch *patch);
bool solo_defers(const struct solo *solo, const struct claim *claim,
                 const struct patch *patch);

/* ---- solo_pump.c ---- */

/* At the end of the search: try the next pump, or undo the one at hand. False:
 * the end it is. */
bool solo_pump(struct solo *solo);

/* The patched text has a yes, or is known to be good: go on from there.
 * `version` is taken. */
void solo_take_pump(struct solo *solo, const struct patch *patch,
                    struct version *version, const char *kind);

/* Back to the text before. */
void solo_undo_pump(struct solo *solo);

/* After a commit: keep the pumps whose text is smaller by now than before. */
void solo_pay_pump(struct solo *solo);

/* The solo before all pumps that are being tried: what is kept. */
const struct solo *solo_kept(const struct solo *solo);

void solo_drop_pumped(struct pumped *before);
struct pumped *solo_share_pumped(struct pumped *before);

/* ---- solo_ask.c ---- */

void question_close(struct question *question);

/* Settle it by what is known, or ask. */
void solo_try_claim(struct solo *solo, const struct claim *claim);
void solo_try_merge(struct solo *solo);
void solo_ask_look(struct solo *solo);

/* Put the claim, with others of its kind, into the merge queue. False: it is to
 * be tried alone. */
bool solo_try_together(struct solo *solo, const struct claim *claim);

#endif
