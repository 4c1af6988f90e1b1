/* Any bytes on stderr: scanned whole and cut into pieces they give the same.
 * The first byte of the input says how to cut. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "worker/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check(int ok)
{
    if (!ok)
        abort();
}

static void scan_in_pieces(const struct matcher *matcher, const char *data,
                           size_t len, size_t piece, struct buf *line)
{
    struct scan *scan = scan_new(matcher, "k.py", 1000);
    struct frame frame = { .type = FRAME_RESULT };

    for (size_t at = 0; at < len;) {
        size_t n = piece < len - at ? piece : len - at;
        scan_feed(scan, SCAN_ERR, data + at, n);
        scan_feed(scan, SCAN_OUT, data + at, n);
        at += n;
    }
    scan_finish(scan, &frame.u.result);
    buf_init(line, FRAME_MAX_BYTES);
    check(frame_encode(&frame, line) == 0);
    frame_deinit(&frame);
    scan_free(scan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct pattern patterns[] = { { (char *)(uintptr_t) "boom", false },
                                  { (char *)(uintptr_t) "o\nm", false },
                                  { (char *)(uintptr_t) "e.*r", true } };
    const char *text = (const char *)data + 1;
    struct buf whole, cut;

    if (len < 2)
        return 0;
    struct matcher *matcher = matcher_new(patterns, 3, NULL);
    scan_in_pieces(matcher, text, len - 1, len, &whole);
    scan_in_pieces(matcher, text, len - 1, 1u + data[0] % 251, &cut);
    check(whole.len == cut.len && memcmp(whole.data, cut.data, whole.len) == 0);
    buf_deinit(&whole);
    buf_deinit(&cut);
    matcher_free(matcher);
    return 0;
}
