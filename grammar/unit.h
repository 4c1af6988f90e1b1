/* unit.h - what goes at once: statements with the separators around them, and
 * lists of any siblings.
 *
 * Deleting a statement must leave a legal layout: it goes up to the start of
 * the next one, or, when it follows a semicolon and ends its line, with that
 * semicolon. The last of a body goes with the separator before it. A body
 * whose statements all go gets `pass`, the module nothing. */
#ifndef AUTODD_UNIT_H
#define AUTODD_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base.h"
#include "grammar/generator.h"
#include "grammar/node.h"

#define UNIT_NONE UINT32_MAX

struct unit {
    uint32_t node, body; /* the statement and its block or module */
    uint32_t prev, next; /* units of the same body, or UNIT_NONE */
    struct span at;   /* the statement, with a semicolon that ends its line */
    struct span cut;  /* what deleting it deletes */
    struct span lead; /* the separator before it (empty for the first) */
    bool has_import;  /* an import statement is it, or is in it */
};

/* All statements of a file in text order, an outer one before what is in it. */
struct units {
    struct unit *at;
    size_t n;
};

/* Caller frees with units_free(). */
struct units *units_new(const struct nodes *nodes);
void units_free(struct units *units);

/* The unit of a statement's node; UNIT_NONE when it is none. */
uint32_t unit_of(const struct units *units, uint32_t node);

/* What deleting it alone, of the statements of its body, deletes. */
struct span unit_alone(const struct units *units, uint32_t unit);

/* Add to the open edit the deletion of these statements (units, sorted, each
 * once; what lies in another one is skipped). False, and the edit must be
 * dropped, when frozen bytes are touched. */
bool gen_delete_units(struct gen *g, const uint32_t *units, size_t n);

/* One of several siblings with separators between: argument, element, name. */
struct item {
    struct span at;    /* what goes; the last one's may hold a comma behind */
    struct span cover; /* the node */
    bool touches_import;
    bool stays; /* not offered: splits the list as a frozen one does */
};

/* Offer a list (edits_list_begin) of n siblings: each goes up to the start of
 * the next, the last one with the separator before it. Frozen items stay and
 * split it. `empty` as for edits_list_begin(). */
void gen_list(struct gen *g, uint16_t kind, const struct item *items, size_t n,
              const char *empty, bool whole_first);

#endif
