/* Rejections for a run decide: of two tests that both must hold, the one with
 * the greater share of noes for its cost goes first. The cost is counted in
 * runs, for a clock would make the order a matter of chance. One and two are
 * added, so that an ask that was never first looks like even odds. */
#include "minimizer/asks.h"

#include <assert.h>

#define LOOK_EVERY 8 /* trials between two that learn about the others */

void asks_init(struct asks *a, unsigned n)
{
    assert(n > 0 && n <= ASKS_MAX);
    *a = (struct asks){ .n = n };
}

static bool rejects_more(const struct asks *a, unsigned x, unsigned y)
{
    return (a->noes[x] + 1) * (a->runs[y] + 2) >
           (a->noes[y] + 1) * (a->runs[x] + 2);
}

/* Bring `order[at]` to the front, the others in the order they had. */
static void bring_forward(unsigned order[ASKS_MAX], unsigned at)
{
    unsigned ask = order[at];

    for (; at > 0; at--)
        order[at] = order[at - 1];
    order[0] = ask;
}

void asks_order(struct asks *a, unsigned order[ASKS_MAX])
{
    unsigned least = 0;

    for (unsigned i = 0; i < a->n; i++) {
        unsigned at = i;

        for (; at > 0 && rejects_more(a, i, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (unsigned i = 1; i < a->n; i++)
        if (a->firsts[order[i]] < a->firsts[order[least]])
            least = i;
    if (++a->orders % LOOK_EVERY == 0)
        bring_forward(order, least);
    a->firsts[order[0]]++;
}

void asks_answered(struct asks *a, unsigned ask, bool no, unsigned runs)
{
    a->runs[ask] += runs;
    a->noes[ask] += no;
}
