#include "config/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
    return ours(XXH3_128bits_withSeed(data, len, h.high * 31 + h.low));
}

void hash_hex(struct hash128 h, char out[33])
{
    snprintf(out, 33, "%016" PRIx64 "%016" PRIx64, h.high, h.low);
}
