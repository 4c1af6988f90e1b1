/* Open addressing with linear probing, at most half full. The fingerprints are
 * evenly spread already, so their low bits are the place. */
#include "minimizer/search/memory.h"

#include <assert.h>
#include <stdlib.h>

#include "config/mem.h"

struct memory_slot {
    struct hash128 hash;
    enum known known; /* KNOWN_NOTHING: empty */
    uint32_t figures;
};

void memory_deinit(struct memory *memory)
{
    free(memory->slots);
    *memory = (struct memory){ 0 };
}

void memory_copy(struct memory *to, const struct memory *from)
{
    *to = *from;
    to->slots = xcopy(from->slots, from->room, sizeof(*from->slots));
}

/* The slot that holds `hash`, or the empty one where it belongs. */
static struct memory_slot *slot_of(const struct memory *memory,
                                   struct hash128 hash)
{
    size_t mask = memory->room - 1;
    size_t at = (size_t)hash.low & mask;

    while (memory->slots[at].known != KNOWN_NOTHING &&
           !hash_equal(memory->slots[at].hash, hash))
        at = (at + 1) & mask;
    return &memory->slots[at];
}

/* Into so many slots; what is `lost` stays behind. */
static void move(struct memory *memory, size_t room, enum known lost)
{
    struct memory old = *memory;

    *memory = (struct memory){ .room = room };
    memory->slots = xcalloc(room, sizeof(*memory->slots));
    for (size_t i = 0; i < old.room; i++) {
        if (old.slots[i].known == KNOWN_NOTHING || old.slots[i].known == lost)
            continue;
        *slot_of(memory, old.slots[i].hash) = old.slots[i];
        memory->n++;
    }
    free(old.slots);
}

enum known memory_get(const struct memory *memory, struct hash128 hash)
{
    return memory->n > 0 ? slot_of(memory, hash)->known : KNOWN_NOTHING;
}

void memory_set(struct memory *memory, struct hash128 hash, enum known known)
{
    struct memory_slot *slot;

    assert(known != KNOWN_NOTHING);
    if (2 * (memory->n + 1) > memory->room)
        move(memory, memory->room ? memory->room * 2 : 64, KNOWN_NOTHING);
    slot = slot_of(memory, hash);
    if (slot->known == KNOWN_NOTHING)
        memory->n++;
    slot->hash = hash;
    slot->known = known;
}

uint32_t memory_figures(const struct memory *memory, struct hash128 hash)
{
    return memory->n > 0 ? slot_of(memory, hash)->figures : 0;
}

void memory_set_figures(struct memory *memory, struct hash128 hash,
                        uint32_t figures)
{
    assert(memory_get(memory, hash) != KNOWN_NOTHING);
    slot_of(memory, hash)->figures = figures;
}

void memory_forget(struct memory *memory, enum known known)
{
    if (memory->n > 0)
        move(memory, memory->room, known);
}
