/* memory.h - what is known of each text, by its fingerprint.
 *
 * Nothing is forgotten by itself: "no text twice" rests on it. One entry (24
 * bytes) for each text that was given out or refused, so the number of
 * candidates bounds it. */
#ifndef AUTODD_MEMORY_H
#define AUTODD_MEMORY_H

#include <stddef.h>

#include "config/hash.h"

enum known {
    KNOWN_NOTHING,
    KNOWN_NO,
    KNOWN_YES,
    KNOWN_NONE_ONCE, /* no verdict so far; one more try is allowed */
    KNOWN_NONE,      /* no verdict, and none will be asked for again */
    KNOWN_PASSED     /* a no, see VERDICT_PASSED */
};

struct memory {
    struct memory_slot *slots; /* a power of two of them */
    size_t n, room;
};

/* A zeroed memory is an empty one. */
void memory_deinit(struct memory *memory);
void memory_copy(struct memory *to, const struct memory *from);

enum known memory_get(const struct memory *memory, struct hash128 hash);

/* `known` is not KNOWN_NOTHING. */
void memory_set(struct memory *memory, struct hash128 hash, enum known known);

/* A number that goes with what is known of a text; 0: none. */
uint32_t memory_figures(const struct memory *memory, struct hash128 hash);
void memory_set_figures(struct memory *memory, struct hash128 hash,
                        uint32_t figures);

/* Know nothing any more of the texts of which this is known. */
void memory_forget(struct memory *memory, enum known known);

#endif
