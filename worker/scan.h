/* scan.h - what a run prints, read once as it comes.
 *
 * A scan keeps the head and tail of both streams, finds the patterns on every
 * line (also in the middle that is dropped), tells echoes of source from
 * output, and remembers the last traceback on stderr. Bytes may come in pieces
 * of any size; a line longer than 64 KiB is scanned in overlapping pieces.
 * Memory is bounded whatever the run prints. Pure: no I/O.
 *
 * Echo is: the lines below `File "...", line N` that are indented by four or
 * more (source, carets, `...<n lines>...`) or blank; the source line below a
 * warning; both also behind `[rank0]: ` and the margin of exception groups. */
#ifndef AUTODD_SCAN_H
#define AUTODD_SCAN_H

#include <stddef.h>

#include "config/base.h"
#include "config/err.h"
#include "worker/protocol.h"

struct matcher; /* the compiled patterns of a job; shared by its scans */
struct scan;

/* Patterns are copied. NULL with a sentence (offset and reason) for a regex
 * that does not compile. Matching has a step limit: a regex that passes it on a
 * line counts as not found there. A text pattern may span lines. */
struct matcher *matcher_new(const struct pattern *patterns, size_t n,
                            struct err *err);
void matcher_free(struct matcher *matcher);

enum scan_stream { SCAN_OUT, SCAN_ERR };

/* `script` is the file name of the candidate (its last path component), by
 * which frames of the script are known. Both borrowed for the scan's life. */
struct scan *scan_new(const struct matcher *matcher, const char *script,
                      size_t output_max);
void scan_free(struct scan *scan);

void scan_feed(struct scan *scan, enum scan_stream stream, const char *data,
               size_t len);

/* The streams have ended: fill exc_*, matches, out, err and *_cut of the
 * observation (the rest is left alone). */
void scan_finish(struct scan *scan, struct observation *observation);

#endif
