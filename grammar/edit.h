/* edit.h - edits of a text: spans and what takes their place.
 *
 * An edit is a few changes (span -> replacement) against the current text,
 * with a kind. All edits of one text live in a `struct edits`, which owns
 * everything they point to. A patch is a union of edits, sorted and without
 * conflicts; it makes a candidate, and once committed it moves the edits that
 * are left to the new text (edits_rebase), so that they need not be generated
 * anew after each success. edit.c builds and unites, rebase.c moves and copies.
 *
 * Spans are half-open byte ranges of the text. A change with an empty span
 * inserts. Texts in changes are borrowed from static storage or from the
 * edits' own arena (edits_text). */
#ifndef AUTODD_EDIT_H
#define AUTODD_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base.h"
#include "config/buf.h"

struct change {
    struct span at;
    const char *text; /* NULL when len is 0 */
    uint32_t len;
};

/* Whether two changes are the same; whether two, in order, can't both be made.
 */
bool change_equal(const struct change *a, const struct change *b);
bool change_clash(const struct change *a, const struct change *b);

/* Sibling units that go one by one or in runs: statements of a block,
 * elements, arguments. The units are edits first .. first + n - 1, in text
 * order, each deleting itself up to the start of the next unit (the last one:
 * itself alone). */
struct edit_list {
    uint32_t first, n;
    const char *empty; /* takes the place of all units when all go ("pass");
                        * "": nothing is needed; NULL: not all may go */
    bool whole_first;  /* try the whole list before its parts */
};

#define EDIT_NONE UINT32_MAX

/* Of which sides of the test that is kept an edit changes what they are made
 * of: of one alone, or each of them by itself, or the data of several. */
enum edit_sides { SIDES_NONE, SIDES_ONE, SIDES_SEVERAL };

struct edit {
    uint16_t kind;        /* row of the table in grammar/generator.h */
    bool dead;            /* nothing left of it after a rebase */
    bool sure;            /* so likely to go that a round begins with all of
                           * these at once; nothing waits for it */
    bool touches_import;  /* or the environment that imports see: must be
                           * confirmed in a fresh interpreter */
    bool kernel;          /* drops or replaces what a kernel is made of */
    bool carries;         /* puts elsewhere, as it is now, what stands in its
                           * spans: dead once anything in them has changed */
    uint8_t sides;        /* of the test that is kept (enum edit_sides) */
    uint32_t first, n;    /* its changes, sorted by start */
    struct span cover;    /* the node it is about: see parent */
    uint32_t parent;      /* offered once that edit has failed alone, or
                           * EDIT_NONE: at once */
    uint32_t list, index; /* EDIT_NONE, or its list and place in it */
    struct span lead;     /* unit of a list: the separator before it, deleted
                           * too when the run it is first in reaches the
                           * last living unit, and a unit before it lives */
};

struct edits {
    struct edit *items;
    size_t n, room;
    struct change *changes;
    size_t nchanges, changes_room;
    struct edit_list *lists;
    size_t nlists, lists_room;
    struct text_block *texts; /* arena */
    bool in_list;             /* between list_begin and list_end */

    /* Once laid out (edits_lay); grammar/rebase.c alone knows more. */
    struct edit_page *pages;
    size_t *sharers; /* copies that have the arrays above, but for one */
};

void edits_init(struct edits *edits);
void edits_deinit(struct edits *edits);

/* Building, used by the generators: begin, any number of changes, end.
 * edits_end() sorts the changes and returns the edit's number; an edit without
 * changes, or whose changes overlap, is dropped and EDIT_NONE returned. */
struct edit *edits_begin(struct edits *edits, uint16_t kind, struct span cover);
void edits_change(struct edits *edits, struct span at, const char *text,
                  size_t len);
void edits_delete(struct edits *edits, struct span at);
uint32_t edits_end(struct edits *edits);

/* Instead of edits_end(): forget the edit begun. */
void edits_drop(struct edits *edits);

/* A copy of text in the arena, freed with the edits. */
const char *edits_text(struct edits *edits, const char *text, size_t len);

/* Between list_begin and list_end each edit that ends is a unit of the list;
 * set .lead through the pointer of edits_begin. A list of no unit is dropped.
 */
void edits_list_begin(struct edits *edits, const char *empty, bool whole_first);
void edits_list_end(struct edits *edits);

/* Give each edit its parent: the smallest deleting unit (an edit of one change
 * without replacement) whose change holds the edit's cover and is not itself.
 * n log n. Called once, after all generators. */
void edits_nest(struct edits *edits);

/* A union of edits against one text: sorted, no two changes touch unless both
 * are kept apart by order. Owns its array, borrows texts from the edits. */
struct patch {
    struct change *changes;
    size_t n, room;
    bool touches_import;
};

void patch_init(struct patch *patch);
void patch_deinit(struct patch *patch);

/* Add an edit. Deletions that overlap melt into one; a change inside a
 * deletion is swallowed by it; equal changes count once. -EEXIST, and the
 * patch unchanged, when two replacements overlap otherwise. */
int patch_add_edit(struct patch *patch, const struct edits *edits,
                   uint32_t edit);

/* Add the units [from, to) of a list, dead ones skipped, with the list's rules
 * for separators and for an emptied list. -EEXIST as above or when all would
 * go and may not; -ENOENT when no living unit is among them. */
int patch_add_run(struct patch *patch, const struct edits *edits, uint32_t list,
                  uint32_t from, uint32_t to);

/* The text after the patch, appended to out. 0 or -E2BIG. */
int patch_apply(const struct patch *patch, struct bytes text, struct buf *out);

/* Bytes the text shrinks by; negative when it grows. */
int64_t patch_saved(const struct patch *patch);

/* The end of building. From here on the edits can be moved and copied, and
 * .items and .changes say no more where things stand and what is dead: they
 * have what never changes (kind, list, index, parent, sure), the functions
 * below have the rest. */
void edits_lay(struct edits *edits);

/* Of deinit: take the layout away. True: the arrays are this one's to free. */
bool edits_unlay(struct edits *edits);

/* A copy to move along on its own, of edits that are laid out. What neither
 * has moved is shared, and freed with the last that has it: a copy costs a few
 * bytes for each page of edits. */
void edits_copy(struct edits *to, const struct edits *from);

/* An edit in the present text; laid out or not. */
struct edit edits_now(const struct edits *edits, uint32_t edit);
bool edits_dead(const struct edits *edits, uint32_t edit);

/* Its change `c`, of edits_now().n. */
struct change edits_change_now(const struct edits *edits, uint32_t edit,
                               uint32_t c);

/* All of them into `out`, which has room for edits_now().n; returns that. */
size_t edits_changes_now(const struct edits *edits, uint32_t edit,
                         struct change *out);

/* Bytes that the text shrinks by when it is made alone. */
int64_t edits_saved(const struct edits *edits, uint32_t edit);

/* Move edits to the text after `patch` (made from these same edits), which
 * lays them out. What lies in a deletion goes with it; deletions that overlap
 * are trimmed; an edit whose replacement is cut is dead, and so is one without
 * changes left, and one that would put back what the patch has changed. Costs a
 * few instructions for each page of edits, and more for those pages alone that
 * the patch touches. */
void edits_rebase(struct edits *edits, const struct patch *patch);

/* The same for plain spans; one that is deleted becomes empty. */
void spans_rebase(struct span *spans, size_t n, const struct patch *patch);

#endif
