/* draft.h - how the generators of this folder put an edit together.
 *
 * A draft collects the changes of one edit and checks, at its end, what every
 * edit must keep to: nothing frozen is touched, no two words grow together
 * (`return(x)` without its brackets is `return x`), and the text gets smaller.
 * What does not is dropped without a word, so a generator need not ask first.
 *
 *   draft_init(&d, g, EDIT_element)
 *     draft_begin(&d, cover); draft_delete(&d, span) ...; draft_end(&d)
 *   draft_deinit(&d)
 */
#ifndef AUTODD_DRAFT_H
#define AUTODD_DRAFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grammar/edit.h"
#include "grammar/generator.h"
#include "grammar/node.h"
#include "grammar/unit.h"

struct draft {
    struct gen *g;
    const struct nodes *ns;
    uint16_t kind;
    bool raw; /* inside a string: what grows together is no word */
    bool touches_import;
    bool carries; /* see struct edit */
    struct span cover, lead;
    struct change *items;
    size_t n, room;
    char **own; /* texts built for this edit, freed at its end */
    size_t nown, own_room;
    bool spoilt;
};

void draft_init(struct draft *d, struct gen *g, uint16_t kind);
void draft_deinit(struct draft *d);

/* Start an edit; what an earlier one left is forgotten. */
void draft_begin(struct draft *d, struct span cover);
void draft_delete(struct draft *d, struct span at);

/* `text` is borrowed until draft_end(). */
void draft_replace(struct draft *d, struct span at, const char *text,
                   size_t len);
void draft_replaces(struct draft *d, struct span at, const char *text);

/* The same, and the draft frees the text. */
void draft_replace_taken(struct draft *d, struct span at, char *text,
                         size_t len);

/* Give the edit up: draft_end() drops it. */
void draft_spoil(struct draft *d);

/* The edit's number, or EDIT_NONE when it was dropped. */
uint32_t draft_end(struct draft *d);

/* Whole edits of one change. */
void draft_delete_edit(struct draft *d, struct span cover, struct span at);
void draft_replace_edit(struct draft *d, struct span cover, struct span at,
                        const char *text);

/* The named children of a node as items of a list (gen_list); those that
 * `mine` (or NULL) denies stay. The last one's span holds a comma behind
 * it. Caller frees *items. */
size_t items_of(const struct nodes *ns, uint32_t node,
                bool (*mine)(const struct nodes *ns, uint32_t child),
                struct item **items);

/* Offer the named children of a node as a list. */
void draft_series(struct draft *d, uint32_t node,
                  bool (*mine)(const struct nodes *ns, uint32_t child),
                  const char *empty, bool whole_first);

/* Delete the items that don't stay with their separators, as part of the edit
 * begun. */
void draft_drop_items(struct draft *d, const struct item *items, size_t n);

/* A whole edit: delete a child with what stands between it and the one before
 * it; none when it is the first. */
void draft_drop_tail(struct draft *d, uint32_t child);

/* Delete a statement of a block as part of the edit begun: with its line when
 * others are left, else `pass` takes its place. */
void draft_drop_statement(struct draft *d, uint32_t statement);

/* Put the expression `part` (inside `place`, or anywhere else) in the place
 * of the expression `place`, in brackets where the place needs them. */
void draft_narrow(struct draft *d, uint32_t place, uint32_t part);
void draft_put(struct draft *d, uint32_t place, uint32_t expression);

/* The same for a literal, a tuple of literals, a dotted name or its call. */
void draft_put_literal(struct draft *d, uint32_t place, const char *text);

/* Whether `expression` needs brackets in the place of `place`. */
bool needs_brackets(const struct nodes *ns, uint32_t place,
                    uint32_t expression);

/* Whether a line ends inside the node but outside of brackets of its own. */
bool spans_lines(const struct nodes *ns, uint32_t node);

/* A number, a one-line string without pieces, True, False, None, `...`, or
 * the negative of a number. */
bool is_literal(const struct nodes *ns, uint32_t node);

/* A name, or names joined by dots. */
bool is_dotted(const struct nodes *ns, uint32_t node);

/* Whether the node is an expression that yields a value (no target, no
 * keyword name, no pattern, no annotation's wrapper). */
bool is_expression(const struct nodes *ns, uint32_t node);

/* The outermost expression of exactly this span; NODE_NONE when there is
 * none. */
uint32_t expression_at(const struct nodes *ns, struct span at);

/* The series in targets: a tuple or list of names, with or without brackets.
 */
bool is_targets(const struct nodes *ns, uint32_t node);

/* Whether a part of a series is `*a`. */
bool has_star(const struct nodes *ns, uint32_t series);

/* The text of a bracket, comma or operator. */
bool is_token(const struct nodes *ns, uint32_t node, const char *text);

uint32_t last_named_child(const struct nodes *ns, uint32_t node);
size_t count_named(const struct nodes *ns, uint32_t node);

#endif
