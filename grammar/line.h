/* line.h - the lines of a text and which of them are free to move.
 *
 * A line whose first byte lies in a string must keep all of its bytes. Lines
 * end in \n or \r\n; the first one starts behind a byte order mark. */
#ifndef AUTODD_LINE_H
#define AUTODD_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base.h"
#include "grammar/edit.h"
#include "grammar/node.h"

struct line {
    uint32_t start;
    uint32_t text;  /* first byte that is no blank; == end for a blank line */
    uint32_t end;   /* before the \n or \r\n */
    uint32_t next;  /* start of the next line, or the end of the text */
    bool in_string; /* its start lies inside a string */
};

struct lines {
    struct line *at; /* at least one */
    size_t n;
};

/* Caller frees with lines_free(). */
struct lines *lines_new(const struct nodes *nodes);
void lines_free(struct lines *lines);

/* The line that holds this byte. */
size_t line_of(const struct lines *lines, uint32_t at);

/* Take the bytes [keep, width) of the indentation from each line that starts
 * in `body`, as far as its indentation reaches and it does not start in a
 * string: deletions of the open edit. */
void lines_dedent(const struct lines *lines, struct edits *out,
                  struct span body, uint32_t keep, uint32_t width);

/* "\n" or "\r\n", whichever ends this line (the last one: the one before). */
const char *line_ending(const struct lines *lines, size_t line);

#endif
