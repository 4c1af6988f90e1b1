/* template.h - messages with what changes from run to run masked. Pure.
 *
 * A template is a line in which numbers, addresses, paths became "#", so that
 * their count stays: "(1, 2)" is not "(4,)". What comes from the script itself
 * (its words, quoted texts) may be a gap, which stands for any text: the words
 * of a library say what failed, the words of the script change with every
 * edit. Text that the user asked for is kept as it is. */
#ifndef AUTODD_TEMPLATE_H
#define AUTODD_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "config/base.h"
#include "config/buf.h"
#include "config/config.h"

/* Bytes that stand for a gap, and for the n-th asked text (ASKED + n). Such
 * bytes of the message itself become blanks. */
#define TEMPLATE_GAP '\001'
#define TEMPLATE_ASKED '\002'
#define TEMPLATE_ASKED_MAX                                                     \
    5 /* up to the byte of a tab; further ones: masked                         \
       */
#define TEMPLATE_LINE_MAX 4096 /* longer lines are cut */

/* The words of a script outside comments and docstrings. */
struct words;

/* `script` is borrowed for the life of the words, unless it is not UTF-8. */
struct words *words_new(struct bytes script);
void words_free(struct words *words);

/* Append one line, masked; asked texts in it become their sentinel. `words`
 * NULL: no gaps for the script's words. `gaps` false: none at all, which is
 * how a candidate's line is prepared for template_match(). */
void template_line(const char *line, size_t len, const struct strings *asked,
                   const struct words *words, bool gaps, struct buf *out);

/* Whether all that such a line says, the asked texts included, are words of
 * the script: it alone decides what stands around them. */
bool template_is_own(const char *line, size_t len, const struct words *words);

/* Whether a line prepared without gaps fits a template. */
bool template_match(const char *pattern, const char *line);

#endif
