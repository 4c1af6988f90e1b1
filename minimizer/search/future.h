/* future.h - what the search would ask next, for each way the verdicts may go.
 *
 * A tree. Its root is the search as it stands, waiting for a verdict; below are
 * copies of it that were told a guess and have gone on to their own question,
 * and so on. A verdict cuts off the ways that have not come true. */
#ifndef AUTODD_FUTURE_H
#define AUTODD_FUTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/hash.h"
#include "minimizer/search/memory.h"
#include "minimizer/search/solo.h"

struct future;
struct observed;

/* What is known of a candidate's text. */
struct future_facts {
    const struct memory *memory;
    /* Whether its trial is out. */
    bool (*is_out)(void *arg, const struct ask *ask);
    /* The odds of a yes, of RATE_ONE. */
    uint32_t (*odds)(void *arg, const struct ask *ask);
    void *arg;
};

/* The solo is taken, and has been run; `facts` is borrowed for life. */
struct future *future_new(struct solo *solo, const struct future_facts *facts,
                          unsigned width);
void future_free(struct future *future);

/* As many questions are out at once from now on. */
void future_set_width(struct future *future, unsigned width);

/* The search as it stands. */
const struct solo *future_now(const struct future *future);

/* From one question to the next: the one that is waited for now, and what comes
 * after a yes or a no; NULL: nobody has looked so far. Good until the next
 * call that changes something. */
struct node;
const struct node *future_root(const struct future *future);
const struct node *future_below(const struct node *node, bool yes);
const struct solo *future_solo(const struct node *node);

/* The question whose answer is likeliest to be of use, of those that are not
 * out; NULL: none is worth a run. Borrowed until the next call.
 * *touches_import: it does, or a step does that it was guessed on. */
const struct solo *future_best(struct future *future, bool *touches_import);

/* The traced run of the present text has come back: what was observed, or NULL
 * for nothing new. */
void future_looked(struct future *future, const struct observed *observed);

/* A trial of this text has come to nothing for the first time. */
void future_again(struct future *future, struct hash128 text);

/* Whether this question may still come up. */
bool future_wants(const struct future *future, struct hash128 text, bool looks);

/* The noes so far count for nothing any more, here and in facts.memory. */
void future_doubt(struct future *future);

/* Verdicts have come (facts.memory): follow them. */
void future_settle(struct future *future);

#endif
