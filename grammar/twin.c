/* From hunks of lines to places:
 *
 *   as many lines on both sides     each pair of lines by itself: what both
 *                                   begin and end with is cut off, by words
 *   else                            the whole hunk, cut off likewise
 *
 * A hunk of lines on one side alone would be a place that begins with blanks
 * and ends with a newline, and those blanks are what changes when the code
 * around it moves to another depth. So it is turned: "    clear(acc)\n" in
 * front of a line of the same depth is "clear(acc)\n    " in front of that
 * line's first word; after the last line of a block it is "\n    clear(acc)".
 */
#include "grammar/twin.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "grammar/diff.h"
#include "grammar/node.h"

struct twin_place {
    char *text; /* what stands there in the good text */
    size_t len;
    char *indent; /* blanks its line began with in the bad text */
    size_t nindent;
};

struct building {
    struct twin *twin;
    struct bytes bad, good;
    uint32_t *a, *b; /* starts of lines */
    size_t na, nb;
    size_t room, frozen_room;
};

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\f';
}

/* Blanks at the start of what stands from `at` on. */
static uint32_t blanks(struct bytes text, uint32_t at)
{
    uint32_t n = 0;

    while (at + n < text.len && is_space(text.data[at + n]))
        n++;
    return n;
}

static uint32_t line_start(struct bytes text, uint32_t at)
{
    while (at > 0 && text.data[at - 1] != '\n')
        at--;
    return at;
}

/* ---- making places ---- */

static void freeze(struct building *k, struct span at)
{
    struct twin *t = k->twin;

    xgrow(&t->frozen, &k->frozen_room, t->nfrozen + 1, sizeof(*t->frozen));
    t->frozen[t->nfrozen++] = at;
}

/* The bytes of a place line by line, without the blanks lines begin with; a
 * place that has no others keeps its point. */
static void freeze_lines(struct building *k, struct span at)
{
    uint32_t from = at.start;
    size_t before = k->twin->nfrozen;

    while (from < at.end) {
        const char *eol = memchr(k->bad.data + from, '\n', at.end - from);
        uint32_t to = eol ? (uint32_t)(eol - k->bad.data) : at.end;

        if (to > from)
            freeze(k, (struct span){ from, to });
        from = to + (eol ? 1 : 0);
        from += from < at.end ? blanks(k->bad, from) : 0;
    }
    if (k->twin->nfrozen == before)
        freeze(k, (struct span){ at.start, at.start });
}

/* The place at `bad`; the good text has `text` there, which is taken. */
static void add_place(struct building *k, struct span bad, char *text,
                      size_t len)
{
    struct twin *t = k->twin;
    uint32_t start = line_start(k->bad, bad.start);
    size_t room = k->room;

    xgrow(&t->places, &room, t->nplaces + 1, sizeof(*t->places));
    xgrow(&t->marks, &k->room, t->nplaces + 1, sizeof(*t->marks));
    t->marks[t->nplaces] = bad;
    t->places[t->nplaces++] = (struct twin_place){
        .text = text,
        .len = len,
        .indent = xmemdup(k->bad.data + start, blanks(k->bad, start)),
        .nindent = blanks(k->bad, start),
    };
    freeze_lines(k, bad);
}

static void add_copied(struct building *k, struct span bad, struct span good)
{
    add_place(k, bad, xmemdup(k->good.data + good.start, span_len(good)),
              span_len(good));
}

/* Cut off what both begin and end with, by whole words. */
static void trim(const struct building *k, struct span *bad, struct span *good)
{
    const char *a = k->bad.data, *b = k->good.data;

    while (bad->start < bad->end && good->start < good->end &&
           a[bad->start] == b[good->start])
        bad->start++, good->start++;
    while (bad->start > 0 && text_is_word(a[bad->start - 1]) &&
           good->start > 0 && a[bad->start - 1] == b[good->start - 1] &&
           ((bad->start < k->bad.len && text_is_word(a[bad->start])) ||
            (good->start < k->good.len && text_is_word(b[good->start]))))
        bad->start--, good->start--;
    while (bad->end > bad->start && good->end > good->start &&
           a[bad->end - 1] == b[good->end - 1])
        bad->end--, good->end--;
    while (bad->end < k->bad.len && good->end < k->good.len &&
           text_is_word(a[bad->end]) && a[bad->end] == b[good->end] &&
           ((bad->end > bad->start && text_is_word(a[bad->end - 1])) ||
            (good->end > good->start && text_is_word(b[good->end - 1]))))
        bad->end++, good->end++;
}

static struct span lines_span(const uint32_t *starts, struct span lines)
{
    return (struct span){ starts[lines.start], starts[lines.end] };
}

/* How deep a line is, in blanks; -1 for one that is blank or not there. */
static int64_t depth(struct bytes text, const uint32_t *starts, size_t n,
                     size_t line)
{
    uint32_t skip;

    if (line >= n)
        return -1;
    skip = blanks(text, starts[line]);
    return starts[line] + skip < starts[line + 1] &&
                   !strchr("\r\n", text.data[starts[line] + skip])
               ? (int64_t)skip
               : -1;
}

static bool same_depth(struct bytes x, uint32_t at, struct bytes y, uint32_t to,
                       int64_t n)
{
    return memcmp(x.data + at, y.data + to, (size_t)n) == 0;
}

/* The end of a line without its newline. */
static uint32_t line_end(struct bytes text, uint32_t start, uint32_t next)
{
    while (next > start && strchr("\r\n", text.data[next - 1]))
        next--;
    return next;
}

/* Lines of one side alone, before a line of the same depth: turned so that
 * they begin with their first word and end with that line's blanks. False: the
 * line after them is not so deep. */
static bool turn_forward(struct building *k, const struct hunk *h, bool in_good)
{
    struct bytes own = in_good ? k->good : k->bad;
    const uint32_t *starts = in_good ? k->b : k->a;
    struct span lines = in_good ? h->b : h->a;
    struct span whole = lines_span(starts, lines);
    int64_t n = depth(own, starts, in_good ? k->nb : k->na, lines.start);
    int64_t next = depth(k->bad, k->a, k->na, h->a.end);
    uint32_t at = k->a[h->a.end];

    if (n < 0 || next != n || own.data[whole.end - 1] != '\n' ||
        !same_depth(own, whole.start, k->bad, at, n))
        return false;
    if (in_good) {
        struct span place = { at + (uint32_t)n, at + (uint32_t)n };
        size_t len = span_len(whole), head = len - (size_t)n;
        char *text = xcalloc(len + 1, 1);

        memcpy(text, own.data + whole.start + n, head);
        memcpy(text + head, k->bad.data + at, (size_t)n);
        add_place(k, place, text, len);
    } else {
        add_place(k,
                  (struct span){ whole.start + (uint32_t)n, at + (uint32_t)n },
                  xstrdup(""), 0);
    }
    return true;
}

/* The same after a line of that depth: from the end of that line to the end of
 * theirs. */
static bool turn_back(struct building *k, const struct hunk *h, bool in_good)
{
    struct bytes own = in_good ? k->good : k->bad;
    const uint32_t *starts = in_good ? k->b : k->a;
    struct span lines = in_good ? h->b : h->a;
    struct span whole = lines_span(starts, lines);
    int64_t n = depth(own, starts, in_good ? k->nb : k->na, lines.start);
    uint32_t last, end, own_end = line_end(own, whole.start, whole.end);

    if (h->a.start == 0 || n < 0 ||
        depth(k->bad, k->a, k->na, h->a.start - 1) != n)
        return false;
    last = k->a[h->a.start - 1];
    if (!same_depth(own, whole.start, k->bad, last, n))
        return false;
    end = line_end(k->bad, last, k->a[h->a.start]);
    if (in_good) {
        uint32_t from = line_end(k->good, k->b[h->b.start - 1], whole.start);

        add_copied(k, (struct span){ end, end },
                   (struct span){ from, own_end });
    } else {
        add_place(k, (struct span){ end, own_end }, xstrdup(""), 0);
    }
    return true;
}

static void add_pair(struct building *k, struct span bad, struct span good)
{
    trim(k, &bad, &good);
    add_copied(k, bad, good);
}

static void add_hunk(struct building *k, const struct hunk *h)
{
    uint32_t na = span_len(h->a), nb = span_len(h->b);

    if (na == nb) {
        for (uint32_t i = 0; i < na; i++) {
            struct span a = { h->a.start + i, h->a.start + i + 1 };
            struct span b = { h->b.start + i, h->b.start + i + 1 };

            add_pair(k, lines_span(k->a, a), lines_span(k->b, b));
        }
        return;
    }
    if ((na == 0 || nb == 0) &&
        (turn_forward(k, h, na == 0) || turn_back(k, h, na == 0)))
        return;
    add_pair(k, lines_span(k->a, h->a), lines_span(k->b, h->b));
}

int twin_init(struct twin *twin, struct bytes bad, struct bytes good,
              const char *name, struct err *err)
{
    struct building k = { .twin = twin, .bad = bad, .good = good };
    struct hunk *hunks;
    size_t n, common;
    int error = diff_lines(bad, good, &hunks, &n, &common);

    *twin =
        (struct twin){ .good = xmemdup(good.data, good.len), .len = good.len };
    k.a = diff_starts(bad, &k.na);
    k.b = diff_starts(good, &k.nb);
    if (error)
        err_set(err, -EINVAL,
                "%s: differs from the script in more than %d lines; give the "
                "fixed version of this very script",
                name, DIFF_LINES_MAX);
    else if (n == 0)
        error = err_set(err, -EINVAL,
                        "%s: is the same as the script; give the version "
                        "that is fixed",
                        name);
    else if (common == 0)
        error = err_set(err, -EINVAL,
                        "%s: has no line in common with the script; give the "
                        "fixed version of this very script",
                        name);
    for (size_t i = 0; !error && i < n; i++)
        add_hunk(&k, &hunks[i]);
    free(hunks);
    free(k.a);
    free(k.b);
    if (error)
        twin_deinit(twin);
    return error ? -EINVAL : 0;
}

void twin_deinit(struct twin *t)
{
    for (size_t i = 0; i < t->nplaces; i++) {
        free(t->places[i].text);
        free(t->places[i].indent);
    }
    free(t->places);
    free(t->marks);
    free(t->frozen);
    free(t->good);
    *t = (struct twin){ 0 };
}

/* ---- the good form ---- */

/* What stands in the place, its lines brought to the depth that the place's
 * line has now. */
static void put_place(const struct twin_place *p, struct bytes text,
                      uint32_t at, struct buf *out)
{
    uint32_t start = line_start(text, at), n = blanks(text, start);
    const char *from = p->text, *end = p->text + p->len;

    if (start + n > at)
        n = at - start;
    while (from < end) {
        const char *eol = memchr(from, '\n', (size_t)(end - from));
        const char *next = eol ? eol + 1 : end;

        buf_add(out, from, (size_t)(next - from));
        if (eol && (size_t)(end - next) >= p->nindent &&
            memcmp(next, p->indent, p->nindent) == 0) {
            buf_add(out, text.data + start, n);
            next += p->nindent;
        }
        from = next;
    }
}

int twin_form(const struct twin *t, struct bytes text, const struct span *marks,
              struct buf *out)
{
    uint32_t at = 0;

    for (size_t i = 0; i < t->nplaces; i++) {
        if (marks[i].start < at || marks[i].end < marks[i].start)
            return -EINVAL;
        buf_add(out, text.data + at, marks[i].start - at);
        put_place(&t->places[i], text, marks[i].start, out);
        at = marks[i].end;
    }
    return buf_add(out, text.data + at, text.len - at) ? -E2BIG : 0;
}
