/* The name that was probably meant: least edit distance over the table of
 * options. Names are short, so the table is searched whole. */
#include <string.h>

#include "config/options.h"

#define NAME_MAX_LEN 32 /* longer than any name and its misspellings */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Levenshtein distance, with two swapped neighbours as one step ("optimal
 * string alignment"). Both lengths at most NAME_MAX_LEN. */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t d[NAME_MAX_LEN + 1][NAME_MAX_LEN + 1];

    for (size_t i = 0; i <= n; i++)
        d[i][0] = i;
    for (size_t k = 0; k <= m; k++)
        d[0][k] = k;
    for (size_t i = 1; i <= n; i++) {
        for (size_t k = 1; k <= m; k++) {
            char c = a[i - 1];
            size_t best = d[i - 1][k - 1] + (c != b[k - 1]);

            best = least(best, d[i - 1][k] + 1);
            best = least(best, d[i][k - 1] + 1);
            if (i > 1 && k > 1 && c == b[k - 2] && a[i - 2] == b[k - 1])
                best = least(best, d[i - 2][k - 2] + 1);
            d[i][k] = best;
        }
    }
    return d[n][m];
}

/* Near is at most a third of the name wrong, or a name's first letters. */
const char *option_nearest(const char *name, size_t len)
{
    size_t rows;
    const struct option *table = options_table(&rows);
    const char *nearest = NULL;
    size_t best = len / 3 + 2;

    if (len == 0 || len > NAME_MAX_LEN)
        return NULL;
    for (size_t i = 0; i < rows; i++) {
        size_t n = strlen(table[i].name);
        size_t d = distance(name, len, table[i].name, n);

        if (len >= 3 && len < n && memcmp(name, table[i].name, len) == 0)
            d = 1;
        if (d < best) {
            best = d;
            nearest = table[i].name;
        }
    }
    return nearest;
}
