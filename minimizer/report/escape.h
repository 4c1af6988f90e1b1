/* escape.h - text from outside made fit for a report. Pure.
 *
 * A script, its output and its path may hold any bytes. What goes out is valid
 * UTF-8 without control characters: bytes that are no UTF-8 become U+FFFD, a
 * control character its picture (U+2400 and following), marks that turn the
 * direction of writing "[U+202E]", so that nothing stands in a report that
 * reads otherwise than it is. Line ends become "\n"; tabs stay.
 *
 * Each appends to `out`; a full buffer is its owner's to see. The result is how
 * many characters are shown in place of others: 0, the text is as it was but
 * for line ends. */
#ifndef AUTODD_ESCAPE_H
#define AUTODD_ESCAPE_H

#include <stddef.h>

#include "config/base.h"
#include "config/buf.h"

/* Valid UTF-8 and no more: for JSON, which has escapes of its own. */
size_t escape_utf8(struct buf *out, struct bytes text);

/* For HTML, between tags and in quoted attributes. */
size_t escape_html(struct buf *out, struct bytes text);

/* For Markdown (CommonMark 0.31, and GitHub's): a code span, on one line, that
 * nothing in the text can end. Inside one neither markup nor mentions work. An
 * empty text gives nothing. */
size_t escape_markdown_span(struct buf *out, struct bytes text);

/* A fenced code block at the start of a line, its fence longer than any run of
 * backticks in the text; `info`, say "python", after the opening fence. */
size_t escape_markdown_block(struct buf *out, const char *info,
                             struct bytes text);

/* The longest start of the text that has at most `max` bytes and does not cut
 * a character. */
struct bytes escape_head(struct bytes text, size_t max);

/* The longest end of the text of at most `lines` lines and `max` bytes; of a
 * line longer than that its end. */
struct bytes escape_tail(struct bytes text, size_t lines, size_t max);

#endif
