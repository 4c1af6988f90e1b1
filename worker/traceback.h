/* traceback.h - what Python prints when it fails, read line by line.
 *
 * A traceback lives in its owner's struct from traceback_init() to
 * traceback_deinit(), one for each stream. It says of each line what it is, and
 * keeps the last exception. Pure, and bounded whatever comes.
 *
 * Lines come without newline, carriage return and colours. */
#ifndef AUTODD_TRACEBACK_H
#define AUTODD_TRACEBACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/buf.h"

#define TRACEBACK_FRAMES_MAX                                                   \
    64 /* lines of the script kept of one traceback                            \
        */
#define TRACEBACK_MESSAGE_MAX (64u << 10) /* bytes of a message kept */

enum line_kind {
    LINE_PLAIN,  /* output, headers and frames included */
    LINE_ECHO,   /* repeats source */
    LINE_RAISED, /* first line of an exception: it is the last one now */
    LINE_MESSAGE /* more of that exception: message, parts of a group */
};

enum traceback_state {
    TRACEBACK_NONE,
    TRACEBACK_FRAMES,  /* below "Traceback (most recent call last):" */
    TRACEBACK_SYNTAX,  /* below a File line without that header */
    TRACEBACK_MESSAGE, /* below the exception's first line */
    TRACEBACK_PASSED   /* the same of a group that does not count */
};

struct traceback {
    const char *script; /* last path component; borrowed */
    bool raises;        /* exceptions count: it is stderr */

    enum traceback_state state;
    bool echo;     /* a File line came; deeper lines repeat source */
    bool warned;   /* the line before was a warning */
    bool blank;    /* the line before was blank */
    bool ignored;  /* "Exception ignored in": what follows is not the end */
    size_t margin; /* column of an exception group's bar + 1; 0: no group */
    bool inside;   /* among the parts of the group */
    bool chained;  /* what comes now is because of the exception found */
    char tag[32];  /* "[rank0]:" in front of all its lines, or "" */
    uint32_t frames[TRACEBACK_FRAMES_MAX]; /* lines of the script so far, */
    size_t nframes;                        /* innermost last */

    /* Whether a text that is looked for stands there; NULL: none is. */
    bool (*asked)(const void *arg, const char *text, size_t len);
    const void *arg;

    bool caused; /* what comes was raised from the exception before it */

    bool found; /* an exception: the members below */
    bool later; /* others came after it */
    char *type;
    struct buf message;
    struct buf seen; /* type and message without echoed source */
    uint32_t found_frames[TRACEBACK_FRAMES_MAX]; /* those of its causes first */
    size_t nfound;
};

void traceback_init(struct traceback *tb, const char *script, bool raises);
void traceback_deinit(struct traceback *tb);

enum line_kind traceback_line(struct traceback *tb, const char *line,
                              size_t len);

/* Nothing is going on: a line that holds none of the marks is plain. */
bool traceback_idle(const struct traceback *tb);

/* The texts one of which a line must hold to begin anything. */
#define TRACEBACK_MARKS 4
extern const char *const traceback_marks[TRACEBACK_MARKS];

#endif
