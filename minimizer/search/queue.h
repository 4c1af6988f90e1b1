/* queue.h - the edits of one text in the order in which to try them.
 *
 * Filled from the edits that were generated for a base, it follows them as
 * they are moved to newer bases. Single edits and lists wait in one heap for
 * each kind; of the heads the one is next that promises most: bytes times the
 * success rate of its kind. Edits inside a unit are offered once that unit has
 * failed alone.
 *
 * At the end all are given once more, and mostly refused once more. One that
 * goes after all makes the noes before it worthless, as they were said of a
 * larger text: so they come by how likely they are to go, in no tiers, and none
 * of what was refused before holds back what is inside. */
#ifndef AUTODD_QUEUE_H
#define AUTODD_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grammar/edit.h"
#include "grammar/generator.h"
#include "minimizer/search/claim.h"
#include "minimizer/search/heap.h"
#include "minimizer/search/memory.h"
#include "minimizer/search/rate.h"
#include "minimizer/search/walk.h"

/* What a fill makes of the edits and nothing changes later. */
struct offers {
    unsigned refs;          /* queues that have it, but for one */
    bool *later;            /* each edit; see queue_fill() */
    struct hash128 *places; /* each edit: what it does to which text */
    uint32_t *child_at; /* children[child_at[e] .. child_at[e + 1]) of edit e */
    uint32_t *children; /* items */
};

/* One for each kind, and one for what of it is in kernels; not among
 * news for what of it was refused before. */
#define HEAPS (2 * EDIT_KINDS)

/* What a fill offers. Of what is left out the parts are offered as after a no.
 */
enum queue_offers {
    OFFER_NEWS,  /* not what was refused where the same text stood: most commits
                  * are far away from it */
    OFFER_STALE, /* not what was refused in this sweep */
    OFFER_ALL
};

/* An item is an edit that is no unit of a list, by its number, or a list, by
 * its number plus that of all edits. */
struct queue {
    const struct edits *edits;
    struct heap heaps[HEAPS];
    struct rate rates[EDIT_KINDS]; /* learned over all rounds */
    struct rate again[EDIT_KINDS]; /* of what was refused before */
    enum queue_offers what;        /* of the last fill */
    struct walk *walks;            /* one for each list */
    uint32_t *stamps;              /* the valid heap entry of each list */
    bool *offered;                 /* each item */
    bool *taken;                   /* each edit; see queue_take_sure() */
    struct memory refused;         /* places where an edit did not go */
    struct memory recent;          /* those of this sweep; see queue_sweep() */
    struct offers *offers;         /* shared by copies: what a fill has made */
    size_t nlists;
};

void queue_init(struct queue *queue);
void queue_deinit(struct queue *queue);

/* A copy for `edits`, which are a copy of those that `from` has. */
void queue_copy(struct queue *to, const struct queue *from,
                const struct edits *edits);

/* Forget the offers and start with `edits` (borrowed until the next fill), just
 * generated for `text`. What was learned about the kinds is kept. A fill with
 * all is due before the end. */
void queue_fill(struct queue *queue, const struct edits *edits,
                struct bytes text, enum queue_offers what);

/* A new sweep over all edits begins: none is refused in it so far. */
void queue_sweep(struct queue *queue);

/* What to try next, of this tier or an earlier one. */
bool queue_next(struct queue *queue, enum edit_tier tier, struct claim *claim);

/* What became of a claim that queue_next() gave. `ran`: a run said so, and not
 * the text itself. A no may follow a yes that could not be kept. */
void queue_said(struct queue *queue, const struct claim *claim, bool yes,
                bool ran);

/* The claim is not worth a run now: the parts of it are offered as after a no,
 * but nothing is learned. The next fill has it again. */
void queue_defer(struct queue *queue, const struct claim *claim);

/* Further single edits of the claim's kind that go together with it at even
 * odds: as many as the kind's success rate must be multiplied by itself to come
 * to one half. Given into `more`, at most `room`; returns how many. */
size_t queue_batch(struct queue *queue, const struct claim *claim,
                   struct claim *more, size_t room);

/* Take the single edits that are sure to go, also those that would be offered
 * later: `claims` has room for all edits. Returns how many. */
size_t queue_take_sure(struct queue *queue, struct claim *claims);

/* Whether it is a single edit that was refused before where it stands, and then
 * as one that leaves a name undefined if it still does. */
bool queue_was_refused(const struct queue *queue, const struct claim *claim);

/* The claim is to be given once more. */
void queue_return(struct queue *queue, const struct claim *claim);

/* Offer what is alive and was never offered, because the unit around it went
 * only in part or is of a later tier. False: there was nothing. */
bool queue_revive(struct queue *queue, enum edit_tier tier);

#endif
