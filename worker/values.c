/* The tracer writes the state of a line after its text, so a line is whole
 * however the run has died. */
#include "worker/values.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "config/buf.h"
#include "config/file.h"
#include "worker/protocol.h"

#define VALUES_MAX (1u << 20) /* as in observed.py */

/* One line without its end: false when it is none of the tracer's. */
static bool read_line(const char *line, size_t n, struct buf *out)
{
    const char *state = memchr(line, ' ', n);
    size_t head = state ? (size_t)(state - line) : n;

    if (head == 0 || head + 1 >= n || strspn(line, "0123456789-") != head)
        return false;
    state++;
    if (*state != '=' && *state != '*' && *state != '~' && *state != '+')
        return *state == ' ' || *state == '!';
    while (line[n - 1] == ' ')
        n--;
    buf_add(out, line, head);
    buf_add(out, state, *state == '+' ? 1 : (size_t)(line + n - state));
    buf_addc(out, '\n');
    return true;
}

char *values_read(const char *path)
{
    char *text = NULL;
    size_t len, at = 0;
    struct buf out;
    bool good = true;

    if (file_read(path, VALUES_MAX, &text, &len, NULL))
        return NULL;
    buf_init(&out, VALUES_MAX_BYTES);
    while (good && at < len) {
        const char *end = memchr(text + at, '\n', len - at);

        good = end && read_line(text + at, (size_t)(end - text) - at, &out);
        at = end ? (size_t)(end - text) + 1 : len;
    }
    free(text);
    if (!good || out.full || memchr(out.data ? out.data : "", 0, out.len)) {
        buf_deinit(&out);
        return NULL;
    }
    return buf_take(&out, NULL);
}
