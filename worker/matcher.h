/* matcher.h - where a job's patterns occur: the counting behind scan.h.
 *
 * A tally counts the hits of all patterns in one kind of text (the output of a
 * stream, its echoes, its last exception). It lives in its owner's struct from
 * tally_init() to tally_deinit(), and gets the text in blocks of whole lines;
 * cut at other line ends, the counts are the same. The matcher is used by one
 * thread at a time. */
#ifndef AUTODD_MATCHER_H
#define AUTODD_MATCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/protocol.h"
#include "worker/scan.h"

/* Hits of one pattern. A text counts each time it occurs (not overlapping), a
 * regex once a line. `lines` are those that hold the end of a hit: distinct, in
 * order, at most 1024 bytes around the hit. */
struct hits {
    uint64_t count;
    char *lines[MATCH_LINES_MAX];
    size_t nlines;
    char *carry; /* end of the text so far, for texts that span lines */
    size_t carry_len;
};

struct tally {
    const struct matcher *matcher; /* borrowed */
    struct hits *of;               /* one a pattern */
};

size_t matcher_count(const struct matcher *matcher);

/* Bytes by which pieces of one line must overlap to miss no text. */
size_t matcher_overlap(const struct matcher *matcher);

void tally_init(struct tally *tally, const struct matcher *matcher);
void tally_deinit(struct tally *tally);

/* Count in `len` bytes: whole lines with their newlines, or a piece of a long
 * one, whose first `old` bytes were there at the end of the last call. */
void tally_add(struct tally *tally, const char *data, size_t len, size_t old);

/* What follows is not joined to what was: nothing spans here. */
void tally_break(struct tally *tally);

/* Move all that `from` has counted to `to`. */
void tally_move(struct tally *to, struct tally *from);

/* Whether pattern `i` occurs in a text as a whole. */
bool matcher_finds(const struct matcher *matcher, size_t i, const char *text,
                   size_t len);

#endif
