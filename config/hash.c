#include "config/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <xxhash.h>

#include "config/mem.h"

static struct hash128 ours(XXH128_hash_t h)
{
    return (struct hash128){ .high = h.high64, .low = h.low64 };
}

struct hash128 hash_bytes(const void *data, size_t len)
{
    return ours(XXH3_128bits(data, len));
}

struct hash128 hash_more(struct hash128 h, const void *data, size_t len)
{
    XXH128_canonical_t first; /* the same bytes on every machine */
    XXH3_state_t *state = XXH3_createState();

    if (!state)
        abort(); /* out of memory, as in mem.c */
    XXH128_canonicalFromHash(&first, (XXH128_hash_t){ h.low, h.high });
    XXH3_128bits_reset(state);
    XXH3_128bits_update(state, &first, sizeof(first));
    XXH3_128bits_update(state, data, len);
    XXH128_hash_t both = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    return ours(both);
}

void hash_hex(struct hash128 h, char out[33])
{
    snprintf(out, 33, "%016" PRIx64 "%016" PRIx64, h.high, h.low);
}
