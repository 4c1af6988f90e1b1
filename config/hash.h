/* hash.h - 128-bit fingerprints of texts (XXH3), as key of the verdict memory
 * and of the store. Equal bytes give equal fingerprints on every machine. */
#ifndef AUTODD_HASH_H
#define AUTODD_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash128 {
    uint64_t high, low;
};

struct hash128 hash_bytes(const void *data, size_t len);

/* A fingerprint of `h` followed by the bytes: for keys of several parts. */
struct hash128 hash_more(struct hash128 h, const void *data, size_t len);

/* 32 hexadecimal digits and a NUL. */
void hash_hex(struct hash128 h, char out[33]);

static inline bool hash_equal(struct hash128 a, struct hash128 b)
{
    return a.high == b.high && a.low == b.low;
}

#endif
