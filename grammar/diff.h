/* diff.h - where two texts differ, line by line.
 *
 * Myers' O(ND) comparison (An O(ND) Difference Algorithm and Its Variations,
 * 1986) on fingerprints of lines, after the lines that both begin and end with
 * are set aside. D, the lines that stand in one text alone, has a ceiling: the
 * cost is N lines times it, and texts beyond it are no two versions of one.
 * Pure. */
#ifndef AUTODD_DIFF_H
#define AUTODD_DIFF_H

#include <stddef.h>

#include "config/base.h"

#define DIFF_LINES_MAX 2000 /* that stand in one text alone */

/* Lines in place of other lines; either may be none. Numbers count from 0, and
 * spans are half open: lines [a.start, a.end) of the first text. */
struct hunk {
    struct span a, b;
};

/* The hunks in order, apart from each other (caller frees *hunks; NULL when the
 * texts are equal), and how many lines with more than blanks the two have in
 * common. 0, or -E2BIG beyond the ceiling. */
int diff_lines(struct bytes a, struct bytes b, struct hunk **hunks, size_t *n,
               size_t *common);

/* Where each line starts, and where the text ends: *n + 1 offsets, which the
 * caller frees. A last line without a newline is a line. */
uint32_t *diff_starts(struct bytes text, size_t *n);

#endif
