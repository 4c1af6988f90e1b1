/* notes.h - what the user was told in the course of a minimization, for the
 * reports at its end. Pure. */
#ifndef AUTODD_NOTES_H
#define AUTODD_NOTES_H

#include <stddef.h>

#include "minimizer/session.h"

struct note {
    enum say_kind kind;
    char *text;
};

/* A zeroed struct is an empty one. */
struct notes {
    struct note *items;
    size_t n, room;
};

/* The text is copied, cut after 16 KiB. Past 64 notes only errors are kept, and
 * no note past 128. */
void notes_add(struct notes *notes, enum say_kind kind, const char *text);
void notes_deinit(struct notes *notes);

/* "info", "warning" (static). */
const char *note_kind_name(enum say_kind kind);

#endif
