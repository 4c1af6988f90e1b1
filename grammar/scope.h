/* scope.h - names of a Python text and where they are used.
 *
 * Python's rules: module, function, class, lambda and comprehension scopes;
 * global and nonlocal; class scopes are skipped by functions inside them;
 * walrus binds outside of a comprehension. Names in `except ... as`, `with ...
 * as`, for targets, imports, match captures, type parameters and del are
 * bindings. Attribute names and keyword names of calls are no symbols; they
 * are listed by text. Built with a cursor in n log n; immutable; borrows the
 * tree it was built from. */
#ifndef AUTODD_SCOPE_H
#define AUTODD_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base.h"
#include "grammar/tree.h"

struct scopes;

enum occurrence_role {
    OCC_BIND,    /* assignment, parameter, def, class, import, for, with, as */
    OCC_AUGMENT, /* x += 1: loads and binds */
    OCC_LOAD,
    OCC_DELETE,
    OCC_DECLARE /* global, nonlocal */
};

struct occurrence {
    struct span at; /* of the identifier */
    uint32_t symbol;
    enum occurrence_role role;
};

#define SYMBOL_NONE UINT32_MAX

struct scopes *scopes_new(const struct tree *tree);
void scopes_free(struct scopes *scopes);

/* The symbol of the identifier that starts at this byte; SYMBOL_NONE when
 * there is none, or it is an attribute or keyword name. A name bound nowhere in
 * the file (a builtin) has a symbol too: symbol_bound() is false. */
uint32_t scopes_symbol_at(const struct scopes *scopes, uint32_t start);

/* Symbols are numbered 0, 1, ..., in the order of their first binding, then
 * of their first use. */
uint32_t scopes_symbols(const struct scopes *scopes);

/* All occurrences in text order, borrowed. */
const struct occurrence *symbol_occurrences(const struct scopes *scopes,
                                            uint32_t symbol, size_t *n);
struct bytes symbol_name(const struct scopes *scopes, uint32_t symbol);
bool symbol_bound(const struct scopes *scopes, uint32_t symbol);

/* Whether a symbol occurs in one of these roles; false for SYMBOL_NONE. */
#define OCC_BIT(role) (1u << (role))
#define OCC_READ OCC_BIT(OCC_LOAD)
#define OCC_USED /* other than bound */                                        \
    (OCC_BIT(OCC_AUGMENT) | OCC_READ | OCC_BIT(OCC_DELETE) |                   \
     OCC_BIT(OCC_DECLARE))
bool symbol_occurs(const struct scopes *scopes, uint32_t symbol,
                   unsigned roles);

/* Whether a star import, exec, eval, globals, locals or vars makes uses
 * invisible. */
bool scopes_opaque(const struct scopes *scopes);

/* Spans of the identifiers `name` as attribute (x.NAME), in text order. */
const struct span *scopes_attributes(const struct scopes *scopes,
                                     struct bytes name, size_t *n);

/* Spans of the identifiers `name` as keyword of a call (f(NAME=...)). */
const struct span *scopes_keywords(const struct scopes *scopes,
                                   struct bytes name, size_t *n);

#endif
