/* signature_parts.h - a signature seen from inside: for signature.c (judges),
 * signature_pin.c (makes) and signature_words.c (tells), and nobody else. */
#ifndef AUTODD_SIGNATURE_PARTS_H
#define AUTODD_SIGNATURE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/config.h"
#include "minimizer/comparison.h"
#include "worker/protocol.h"

#define SIGNATURE_HEADLINE SIZE_MAX
#define SIGNATURE_TEXT_MAX ((size_t)16 << 20) /* of a line as template */

struct signature_line {
    size_t asked; /* which text stands in it; SIGNATURE_HEADLINE: none */
    bool plain;
    char *text;
};

struct signature {
    const struct config *config;
    enum observed_end end;
    int exit_code, signal;
    bool waits; /* a timeout at which the run waited */
    unsigned traits;
    char *type;
    char *message;      /* whole, for --signature exact */
    bool *in_exception; /* one a text and regex */
    bool *on_err;       /* one a text and regex: in plain output, where */
    struct signature_line *lines;
    size_t nlines, room;
    struct comparison shown; /* kind NONE: the message is none */
    uint32_t exc_line;
    char *exc_frames;
    char *kernel;        /* mark of the kernel that it came from, or NULL */
    bool exc_later;      /* other exceptions came after it */
    uint32_t fatal_line; /* of the script, in what faulthandler prints; or 0 */
};

/* Whether a run ended as the signature wants. */
bool signature_end_fits(const struct signature *s, const struct observation *o);

/* The wanted ending in words: `out` or a static text. */
const char *signature_end_words(const struct signature *s, char *out,
                                size_t size);

#endif
