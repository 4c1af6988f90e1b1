/* relevant.h - what of a text the guard's answer depends on.
 *
 * guard_holds() looks at a whole text, which for a long one costs more than all
 * else of a candidate. Where a patch touches nothing of what the answer for the
 * text before it came from, the answer is the same.
 *
 * The text is divided into units: simple statements, headers of compound ones,
 * clauses. Hard units are those that the guard may look at, as far as names
 * tell, and those around them; soft ones only mention a name of theirs. A patch
 * of which something touches a hard unit, says a name of theirs, or could move
 * one to another block touches what is relevant; so does one that leaves a part
 * of a soft unit. What cannot be told counts as touched. Pure.
 *
 * To make it costs n log n beside guard_holds() itself; to ask, the length of
 * the patch and of what it is looked at with: its lines, the comments and blank
 * lines around them, top-level statements of no more than 16 KiB. */
#ifndef AUTODD_RELEVANT_H
#define AUTODD_RELEVANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base.h"
#include "grammar/edit.h"
#include "grammar/guard.h"
#include "grammar/tree.h"

struct relevant_spans {
    struct span *at; /* sorted; owned */
    size_t n, room;
};

/* Of one text. */
struct relevant {
    struct relevant_spans hard;
    struct relevant_spans soft;    /* may go with its top-level statement */
    struct relevant_spans passing; /* may go by itself */
    uint64_t *words; /* fingerprints of what hard units say, sorted; owned */
    size_t nwords, words_room;
    bool all; /* everything is touched by anything */
};

/* Of a tree without errors. */
void relevant_init(struct relevant *relevant, const struct guard *guard,
                   const struct tree *tree);
void relevant_deinit(struct relevant *relevant);
void relevant_copy(struct relevant *to, const struct relevant *from);

/* Whether the patch of `text` may change the guard's answer. `tops`: where top
 * level statements begin, sorted, the first at 0; only their starts are looked
 * at. `fine`: the top-level statements that are touched are known to be
 * well-formed by themselves after the patch. */
bool relevant_touched(const struct relevant *relevant, struct bytes text,
                      const struct span *tops, size_t ntops,
                      const struct patch *patch, bool fine);

/* Follow a patch that touches nothing relevant. */
void relevant_rebase(struct relevant *relevant, const struct patch *patch);

/* For the two files of this: fingerprints of words, sorted to be asked. */
uint64_t relevant_word(struct bytes word);
void relevant_sort(uint64_t *words, size_t n);
bool relevant_has(const uint64_t *words, size_t n, uint64_t word);
bool relevant_says(const struct relevant *relevant, struct bytes word);

#endif
