#include "minimizer/report/sha256.h"

#include <nettle/sha2.h>
#include <stdio.h>

void sha256_hex(struct bytes data, char out[65])
{
    struct sha256_ctx ctx;
    uint8_t digest[SHA256_DIGEST_SIZE];

    sha256_init(&ctx);
    sha256_update(&ctx, data.len, (const uint8_t *)data.data);
    sha256_digest(&ctx, sizeof(digest), digest);
    for (size_t i = 0; i < sizeof(digest); i++)
        snprintf(out + 2 * i, 3, "%02x", digest[i]);
}
