/* evidence.h - a run, looked at with the user's question in mind: which of the
 * asked texts it shows and where, what kind of failure it can be none of, and
 * how it ended in words. Pure; asked texts are numbered: err_msgs, then
 * err_regex. */
#ifndef AUTODD_EVIDENCE_H
#define AUTODD_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "config/base.h"
#include "config/buf.h"
#include "config/config.h"
#include "worker/protocol.h"

/* What an observation may be that is no failure of the script's unless the
 * first run was that too. */
enum trait {
    TRAIT_SYNTAX = 1 << 0,
    TRAIT_MEMORY = 1 << 1,
    TRAIT_POISON = 1 << 2, /* CUDA in a child of a poisoned parent */
    TRAIT_DISK = 1 << 3
};

/* A set of enum trait. */
unsigned evidence_traits(const struct observation *o);

/* Whether it shows an error of CUDA that stays with its process: every later
 * call in it would show the same. */
bool evidence_fault(const struct observation *o);

/* How many texts are asked for, and the k-th of them. */
size_t evidence_asked(const struct config *config);
const char *evidence_text(const struct config *config, size_t k);

/* Where pattern i of the observation stands; nowhere when it has no such. */
const struct pattern_match *evidence_match(const struct observation *o,
                                           size_t i);

/* The exception's message, "" without one. */
const char *evidence_message(const struct observation *o);

/* Text k stands in the exception, and not only where that quotes source. */
bool evidence_in_exception(const struct config *config,
                           const struct observation *o, size_t k);

/* Text k stands in the exception or in plain output. */
bool evidence_occurs(const struct config *config, const struct observation *o,
                     size_t k);

/* The --not-msg that occurs, or NULL. */
const char *evidence_forbidden(const struct config *config,
                               const struct observation *o);

bool evidence_says(struct bytes line, const char *text);

/* Append a text as one line, cut, control bytes gone. */
void evidence_tell(struct buf *out, const char *text, size_t len);

/* Append how a run ended, in the words that say most. */
void evidence_tell_end(const struct observation *o, struct buf *out);

#endif
