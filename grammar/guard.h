/* guard.h - what a candidate must keep to be worth a run.
 *
 * Calls that the user names. And, when the failure is a comparison that the
 * script makes or a text of its own, the test that decides: deleting the
 * launch, or comparing two unrelated tensors, shows the same words.
 *
 * The failing statement is an assert, a call of assert_close, allclose and
 * their like, a raise (in a candidate: of the same class and words), or what
 * prints the text or ends the program. What decides over the last three is the
 * condition they stand under, in their function or where that is called. A test
 * has sides: what it compares. Of each side the slice (flow.h) is taken, and a
 * candidate must have such a statement, whose test has sides that are made of
 * as much:
 *
 *   a side that a kernel gives     by the same kernel, one of them if several
 *   another one, beside such       computed, or made for it (torch.ones(3)),
 *                                  and no input of the kernel's
 *   without any kernel             of the same source as another side, if it
 * was so; else computed no side                        is constant
 *
 * Of several kernels those that only clear it do not count. Which call, which
 * turn of a loop and which key of a dictionary it was is known of the original
 * from its traceback and its traced run.
 *
 * What such a kernel writes does not become constant, and one value of many
 * (tl.sum(x)) stays that; where only some elements are wrong, neither does
 * where it writes become constant, and a condition stays a condition: they
 * decide which. Beside a kernel's side a tolerance stays as it is, or gives way
 * to the function's own: within none, a right result is wrong. No side is made
 * of memory that nobody wrote to, and what had elements keeps some, and random
 * numbers that were seeded stay seeded: all that is not the fault, but would
 * show its words.
 *
 * And when the process dies by an access to memory, arrays that had elements
 * keep some, for one without lies nowhere; and an address that varied, was made
 * of what had been read, or of what was taken for another type, is that still.
 *
 * Within that, all may be simplified. Where the original has no such test,
 * nothing is kept. Pure; n log n in the text's size, and each test that may be
 * the one costs as much again. */
#ifndef AUTODD_GUARD_H
#define AUTODD_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/buf.h"
#include "grammar/deciding.h"
#include "grammar/effect.h"
#include "grammar/tree.h"

struct observed;

#define GUARD_TEXTS_MAX 8

/* How the original failed. All borrowed for guard_init(). */
struct guard_failure {
    uint32_t line;      /* innermost of the script in the traceback; 0: none */
    const char *frames; /* all of them, "12,80,45", that last; or NULL */
    bool own_words;     /* a raise there says what was asked for */
    const char *texts[GUARD_TEXTS_MAX]; /* printed, and asked for */
    size_t ntexts;
    bool exits; /* by its exit code alone */
    bool some;  /* some of what is compared is right, some is wrong */
    bool drift; /* all of it is nearly right */
    const struct span *idle; /* what never ran, sorted */
    size_t nidle;
    const struct observed *seen; /* of a traced run, or NULL */
    bool dies;                   /* by an access to memory that is not there */
    uint32_t crash;              /* in this line; 0: not known */
};

enum guard_site {
    GUARD_NOTHING,
    GUARD_ASSERT,
    GUARD_CALL, /* of assert_close and its like */
    GUARD_RAISE,
    GUARD_PRINT, /* of a text */
    GUARD_EXIT
};

struct guard_side {
    char **kernels;                           /* names; owned */
    struct effect effects[SLICE_KERNELS_MAX]; /* one a kernel */
    size_t nkernels;
    bool computed;
    bool unset;  /* made of memory that nothing was written to */
    bool shares; /* has a source in common with another side */
};

struct guard {
    enum guard_site site; /* of the statement; NOTHING: no test is kept */
    char *texts[GUARD_TEXTS_MAX]; /* of a PRINT or RAISE; owned */
    size_t ntexts;
    char *raised; /* class of a RAISE, as it is named; owned; NULL: none */
    struct guard_side sides[SIDES_MAX];
    size_t nsides;
    struct effect access;      /* of the address that the process dies by */
    double limits[LIMITS_MAX]; /* what the test allows, where that is known */
    size_t nlimits;
    bool limited;       /* by more than 0, or by what is not known */
    bool any_limit;     /* by what is not known */
    bool silent_writes; /* see flow_new() */
    bool some, drift;   /* as in the failure */
    bool nothing;       /* the original makes arrays of no elements */
    bool chance;        /* its random numbers are others in each run */
    bool raises;        /* what is kept raises: the line tells whether it did */
    char *words;        /* what is kept, for the user; NULL: no test */

    char *const *names; /* calls that stay; borrowed */
    size_t nnames;
    size_t *counts; /* of each name: calls in the original; owned */
};

/* What to keep of the original. `failure` NULL: no test. */
void guard_init(struct guard *guard, const struct tree *original,
                const struct guard_failure *failure, char *const *names,
                size_t nnames);
void guard_deinit(struct guard *guard);

/* Whether it keeps anything at all. */
bool guard_keeps(const struct guard *guard);

/* Whether a text keeps it: as many calls of each name as the original has, and
 * the test. */
bool guard_holds(const struct guard *guard, const struct tree *tree);

/* Whether what is kept is what failed in a run of the text, by the innermost
 * line of the script in the traceback, from 1; 0: not known, then it may be.
 * Without this another statement could fail with the same words, and the one
 * that is kept would be there for nothing. Parses the text. */
bool guard_failed(const struct guard *guard, struct bytes text, uint32_t line);

/* Of each node of the tree's which of the sides are made of it, a bit for each
 * side of the test that is kept: an array for all nodes, caller frees. NULL
 * where no test is kept. What a side of the text takes that no value comes by
 * (a condition) has no bit. */
uint8_t *guard_sides(const struct guard *guard, const struct tree *tree);

/* Append where the sides of the test stand in the tree's text, a span each,
 * "12-20 35-41", in front of them the digits that a drift is told to; nothing
 * where there are less than two. */
void guard_compared(const struct guard *guard, const struct tree *tree,
                    struct buf *out);

/* Whether node i is, or begins, a statement that may be the one that is kept:
 * guard_holds() looks at all of those. */
bool guard_site_at(const struct guard *guard, const struct nodes *nodes,
                   uint32_t i);

/* Append what decides what is kept: for a key of the state. */
void guard_key(const struct guard *guard, struct buf *out);

#endif
