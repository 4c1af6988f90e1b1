/* The greedy walk over diagonals: v[k] is how far along the first text one
 * comes on diagonal k (line of a less line of b) with d lines that are not
 * shared. Each round of d keeps its v, so that the way can be walked back from
 * the end:
 *
 *      b 0 1 2 ...
 *    a . \               \ a shared line: free
 *    0   .               right: a line of b alone; down: one of a alone
 *    1   | \
 */
#include "grammar/diff.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/hash.h"
#include "config/mem.h"

struct lines_of {
    struct bytes text;
    uint32_t *starts;
    struct hash128 *hashes;
    size_t n;
};

uint32_t *diff_starts(struct bytes text, size_t *n)
{
    uint32_t *starts = NULL;
    size_t room = 0, at = 0, lines = 0;

    for (;;) {
        const char *eol;

        xgrow(&starts, &room, lines + 1, sizeof(*starts));
        starts[lines] = (uint32_t)at;
        if (at == text.len)
            break;
        eol = memchr(text.data + at, '\n', text.len - at);
        at = eol ? (size_t)(eol - text.data) + 1 : text.len;
        lines++;
    }
    *n = lines;
    return starts;
}

static struct lines_of lines_init(struct bytes text)
{
    struct lines_of l = { .text = text };

    l.starts = diff_starts(text, &l.n);
    l.hashes = xcalloc(l.n + 1, sizeof(*l.hashes));
    for (size_t i = 0; i < l.n; i++)
        l.hashes[i] =
            hash_bytes(text.data + l.starts[i], l.starts[i + 1] - l.starts[i]);
    return l;
}

static void lines_deinit(struct lines_of *l)
{
    free(l->starts);
    free(l->hashes);
}

static bool is_blank(const struct lines_of *l, size_t line)
{
    for (uint32_t i = l->starts[line]; i < l->starts[line + 1]; i++)
        if (!strchr(" \t\r\n\f", l->text.data[i]) || !l->text.data[i])
            return false;
    return true;
}

/* ---- the walk ---- */

/* One comparison: a and b between what both begin and end with. */
struct walk_back {
    const struct lines_of *a, *b;
    size_t skip;           /* lines both begin with */
    int64_t na, nb;        /* lines left to compare */
    int32_t **rounds;      /* of each d: v[-d .. d], at [d + k] */
    bool *a_gone, *b_gone; /* each line: stands in one text alone */
};

static bool shared(const struct walk_back *w, int64_t x, int64_t y)
{
    return hash_equal(w->a->hashes[w->skip + (size_t)x],
                      w->b->hashes[w->skip + (size_t)y]);
}

/* How far a round comes on diagonal k before it runs along shared lines. */
static int64_t step(int32_t *const *rounds, int64_t d, int64_t k, bool *down)
{
    const int32_t *before;

    *down = false;
    if (d == 0)
        return 0;
    before = rounds[d - 1];
    /* before[(d - 1) + k] is v[k] of the round before. */
    *down =
        k == d || (k != -d && before[d - 1 + k - 1] >= before[d - 1 + k + 1]);
    return *down ? before[d - 1 + k - 1] + 1 : before[d - 1 + k + 1];
}

/* Round d; true when it has come to the end of both. */
static bool walk_round(struct walk_back *w, int64_t d)
{
    int32_t *v = xcalloc((size_t)(2 * d + 1), sizeof(*v));

    w->rounds[d] = v;
    for (int64_t k = -d; k <= d; k += 2) {
        bool down;
        int64_t x = step(w->rounds, d, k, &down), y = x - k;

        while (x < w->na && y < w->nb && y >= 0 && shared(w, x, y))
            x++, y++;
        v[d + k] = (int32_t)x;
        if (x >= w->na && y >= w->nb)
            return true;
    }
    return false;
}

/* From the end back to the start: each step is a line of one text alone. */
static void mark(struct walk_back *w, int64_t d)
{
    int64_t x = w->na, y = w->nb;

    for (; d > 0; d--) {
        bool down;
        int64_t k = x - y, from;

        from = step(w->rounds, d, k, &down);
        if (down)
            w->a_gone[w->skip + (size_t)(from - 1)] = true;
        else
            w->b_gone[w->skip + (size_t)(from - k - 1)] = true;
        x = down ? from - 1 : from;
        y = down ? from - k : from - k - 1;
    }
}

static int compare(struct walk_back *w)
{
    int64_t most = w->na + w->nb, d = 0;
    bool done = most == 0;

    if (most > DIFF_LINES_MAX)
        most = DIFF_LINES_MAX;
    w->rounds = xcalloc((size_t)most + 2, sizeof(*w->rounds));
    for (; !done && d <= most; d++)
        done = walk_round(w, d);
    if (done && d > 0)
        mark(w, d - 1);
    for (int64_t i = 0; i < d; i++)
        free(w->rounds[i]);
    free(w->rounds);
    return done ? 0 : -E2BIG;
}

/* ---- the result ---- */

static struct hunk *collect(const struct walk_back *w, size_t *n,
                            size_t *common)
{
    struct hunk *hunks = NULL;
    size_t room = 0, i = 0, j = 0;

    *n = *common = 0;
    while (i < w->a->n || j < w->b->n) {
        struct hunk h = { { (uint32_t)i, 0 }, { (uint32_t)j, 0 } };

        while (i < w->a->n && w->a_gone[i])
            i++;
        while (j < w->b->n && w->b_gone[j])
            j++;
        h.a.end = (uint32_t)i;
        h.b.end = (uint32_t)j;
        if (span_len(h.a) + span_len(h.b) > 0) {
            xgrow(&hunks, &room, *n + 1, sizeof(*hunks));
            hunks[(*n)++] = h;
        } else {
            *common += !is_blank(w->a, i);
            i++;
            j++;
        }
    }
    return hunks;
}

int diff_lines(struct bytes a, struct bytes b, struct hunk **hunks, size_t *n,
               size_t *common)
{
    struct lines_of la = lines_init(a), lb = lines_init(b);
    struct walk_back w = { .a = &la, .b = &lb };
    size_t least = la.n < lb.n ? la.n : lb.n, tail = 0;
    int error;

    while (w.skip < least && hash_equal(la.hashes[w.skip], lb.hashes[w.skip]))
        w.skip++;
    while (w.skip + tail < least &&
           hash_equal(la.hashes[la.n - 1 - tail], lb.hashes[lb.n - 1 - tail]))
        tail++;
    w.na = (int64_t)(la.n - w.skip - tail);
    w.nb = (int64_t)(lb.n - w.skip - tail);
    w.a_gone = xcalloc(la.n + 1, sizeof(bool));
    w.b_gone = xcalloc(lb.n + 1, sizeof(bool));
    *hunks = NULL;
    *n = *common = 0;
    error = compare(&w);
    if (!error)
        *hunks = collect(&w, n, common);
    free(w.a_gone);
    free(w.b_gone);
    lines_deinit(&la);
    lines_deinit(&lb);
    return error;
}
