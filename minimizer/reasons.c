#include "minimizer/reasons.h"

#include <stdlib.h>

#include "config/mem.h"

#define REASONS_MAX 10000 /* statements of a result that nobody reads */

void reasons_add(struct reasons *reasons, struct span at, const char *why)
{
    if (reasons->n == REASONS_MAX)
        return;
    xgrow(&reasons->items, &reasons->room, reasons->n + 1,
          sizeof(*reasons->items));
    reasons->items[reasons->n++] =
        (struct reason){ .at = at, .why = xstrdup(why) };
}

void reasons_clear(struct reasons *reasons)
{
    for (size_t i = 0; i < reasons->n; i++)
        free(reasons->items[i].why);
    reasons->n = 0;
}

void reasons_deinit(struct reasons *reasons)
{
    reasons_clear(reasons);
    free(reasons->items);
    *reasons = (struct reasons){ 0 };
}

void reasons_lines(struct bytes text, struct span at, uint32_t *first,
                   uint32_t *last)
{
    uint32_t line = 1;

    while (at.end > at.start && at.end <= text.len &&
           (text.data[at.end - 1] == '\n' || text.data[at.end - 1] == '\r' ||
            text.data[at.end - 1] == ' ' || text.data[at.end - 1] == '\t'))
        at.end--;
    *first = *last = 1;
    for (uint32_t i = 0; i < at.end && i < text.len; i++) {
        if (i == at.start)
            *first = line;
        *last = line;
        line += text.data[i] == '\n';
    }
}
