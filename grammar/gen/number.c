/* Base and underscores are taken off first, so that strtoull() sees digits
 * alone. */
#include "grammar/gen/number.h"

#include <stdlib.h>

bool number_parse(struct bytes text, uint64_t *value)
{
    char digits[DIGITS_MAX + 1], *end;
    size_t n = 0;
    int base = 10;

    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '_')
            continue;
        if (n == DIGITS_MAX)
            return false;
        digits[n++] = text.data[i];
    }
    digits[n] = '\0';
    if (n > 2 && digits[0] == '0') {
        char letter = (char)(digits[1] | 0x20);

        base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
    }
    *value = strtoull(base == 10 ? digits : digits + 2, &end, base);
    return *end == '\0' && *value < UINT64_MAX;
}
