/* Any line at all: it decodes or is refused with a sentence; and what decoded
 * is written as a line that decodes to the same. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "worker/protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check(int ok)
{
    if (!ok)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct frame frame, again;
    struct err err = { "" };
    struct buf first, second;

    if (frame_decode((const char *)data, len, &frame, &err)) {
        check(err.text[0] != '\0');
        return 0;
    }
    buf_init(&first, FRAME_MAX_BYTES);
    buf_init(&second, FRAME_MAX_BYTES);
    check(frame_encode(&frame, &first) == 0);
    check(frame_decode(first.data, first.len, &again, &err) == 0);
    check(frame_encode(&again, &second) == 0);
    check(first.len == second.len);
    check(memcmp(first.data, second.data, first.len) == 0);
    frame_deinit(&frame);
    frame_deinit(&again);
    buf_deinit(&first);
    buf_deinit(&second);
    return 0;
}
