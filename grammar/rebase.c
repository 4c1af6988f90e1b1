/* Edits, moved to a later text and copied.
 *
 * A move follows the table of a union (edit.c), so that for edits without
 * conflict
 *     apply(P), rebase, apply(E)  ==  apply(P + E).
 * A patch P maps positions: those strictly inside one of its changes fall to
 * an end of the new text of that change, the others move by the bytes added
 * and removed before them. Both take a binary search over P.
 *
 * A commit is small and near nothing of most edits, of which a long text has
 * hundreds of thousands. So they are laid out in pages of neighbours, each with
 * the hull of all that its edits have:
 *
 *     page    | hull   by | items, changes
 *             |           |   as generated (.items, .changes), or its own
 *
 * A page whose hull the patch does not touch is moved as a whole: `by` says how
 * far its spans have moved since they were written down. Only pages that are
 * touched are written anew.
 *
 * Copies share the arrays and the pages' own ones, and count who has them.
 * Invariant: nothing is written where another copy reads. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "grammar/edit.h"

#define PAGE 64 /* edits */

/* What a page has of its own, once it was touched while it was shared. */
struct edit_own {
    size_t sharers; /* pages of copies that have it, but for one */
    struct edit items[PAGE];
    struct change changes[];
};

struct edit_page {
    struct span hull; /* of the present text */
    uint32_t by;      /* added to what is written down; modulo 2^32 */
    struct edit_own *own;
};

/* Where an edit of a page is written down. */
struct place {
    struct edit *item;
    struct change *changes;
    uint32_t by;
};

static struct place place_of(const struct edits *edits, uint32_t i)
{
    const struct edit_page *page;
    struct edit *item = &edits->items[i];

    if (!edits->pages)
        return (struct place){ item, edits->changes + item->first, 0 };
    page = &edits->pages[i / PAGE];
    if (!page->own)
        return (struct place){ item, edits->changes + item->first, page->by };
    item = &page->own->items[i % PAGE];
    return (struct place){ item,
                           page->own->changes +
                               (item->first - page->own->items[0].first),
                           page->by };
}

static void move_by(struct span *at, uint32_t by)
{
    at->start += by;
    at->end += by;
}

static void move_lead(struct span *lead, uint32_t by)
{
    if (span_len(*lead) > 0)
        move_by(lead, by);
    else
        *lead = (struct span){ 0, 0 };
}

bool edits_dead(const struct edits *edits, uint32_t edit)
{
    return place_of(edits, edit).item->dead;
}

struct edit edits_now(const struct edits *edits, uint32_t edit)
{
    struct place place = place_of(edits, edit);
    struct edit now = *place.item;

    move_by(&now.cover, place.by);
    move_lead(&now.lead, place.by);
    return now;
}

static struct change change_at(const struct place *place, uint32_t c)
{
    struct change change = place->changes[c];

    move_by(&change.at, place->by);
    return change;
}

struct change edits_change_now(const struct edits *edits, uint32_t edit,
                               uint32_t c)
{
    struct place place = place_of(edits, edit);

    return change_at(&place, c);
}

size_t edits_changes_now(const struct edits *edits, uint32_t edit,
                         struct change *out)
{
    struct place place = place_of(edits, edit);

    for (uint32_t c = 0; c < place.item->n; c++)
        out[c] = change_at(&place, c);
    return place.item->n;
}

int64_t edits_saved(const struct edits *edits, uint32_t edit)
{
    struct place place = place_of(edits, edit);
    int64_t saved = 0;

    for (uint32_t i = 0; i < place.item->n; i++)
        saved += (int64_t)span_len(place.changes[i].at) - place.changes[i].len;
    return saved;
}

/* Where a patch moves things. */
struct shift {
    const struct change *p;
    size_t n;
    int64_t *moved; /* bytes that the first i changes add */
};

static void shift_init(struct shift *shift, const struct patch *patch)
{
    shift->p = patch->changes;
    shift->n = patch->n;
    shift->moved = xcalloc(patch->n + 1, sizeof(*shift->moved));
    for (size_t i = 0; i < patch->n; i++)
        shift->moved[i + 1] = shift->moved[i] + patch->changes[i].len -
                              span_len(patch->changes[i].at);
}

/* The first change that ends after `at`. */
static size_t shift_ending_after(const struct shift *s, uint32_t at)
{
    size_t low;

    BISECT(low, 0, s->n, s->p[low].at.end <= at);
    return low;
}

/* The first change that starts at `at` or later. */
static size_t shift_starting_from(const struct shift *s, uint32_t at)
{
    size_t low;

    BISECT(low, 0, s->n, s->p[low].at.start < at);
    return low;
}

/* Where something goes that begins, or ends, at `at`. What is inserted there
 * belongs to neither. */
static uint32_t shift_start(const struct shift *s, uint32_t at)
{
    size_t i = shift_ending_after(s, at);

    if (i < s->n && s->p[i].at.start < at)
        at = s->p[i].at.start;
    return (uint32_t)(at + s->moved[i]);
}

static uint32_t shift_end(const struct shift *s, uint32_t at)
{
    size_t i = shift_starting_from(s, at);

    if (i > 0 && s->p[i - 1].at.end > at)
        return (uint32_t)(s->p[i - 1].at.start + s->moved[i - 1] +
                          s->p[i - 1].len);
    return (uint32_t)(at + s->moved[i]);
}

static struct span shift_span(const struct shift *s, struct span at)
{
    struct span to = { shift_start(s, at.start), shift_end(s, at.end) };

    if (to.end < to.start || span_len(at) == 0)
        to.end = to.start;
    return to;
}

/* Whether the patch touches nothing of `at`, not even at its ends, and then by
 * how much that moves. */
static bool shift_aside(const struct shift *s, struct span at, uint32_t *by)
{
    size_t low;

    *by = 0;
    if (s->n == 0 || at.end < s->p[0].at.start)
        return true; /* as most are, or behind: one comparison */
    *by = (uint32_t)s->moved[s->n];
    if (at.start > s->p[s->n - 1].at.end)
        return true;
    /* the first change that ends at or after at.start */
    BISECT(low, 0, s->n, s->p[low].at.end < at.start);
    *by = (uint32_t)s->moved[low];
    return low == s->n || s->p[low].at.start > at.end;
}

enum fate { FATE_MOVED, FATE_GONE, FATE_CLASH };

static enum fate rebase_deletion(const struct shift *s, struct change *c)
{
    size_t i = shift_ending_after(s, c->at.start);
    size_t past = shift_starting_from(s, c->at.end);
    const struct change *first = i < past ? &s->p[i] : NULL;
    const struct change *last = i < past ? &s->p[past - 1] : NULL;

    if (first && !span_holds(c->at, first->at) && first->len > 0)
        return span_holds(first->at, c->at) ? FATE_GONE : FATE_CLASH;
    if (last && !span_holds(c->at, last->at) && last->len > 0)
        return FATE_CLASH;
    c->at = shift_span(s, c->at);
    return span_len(c->at) > 0 ? FATE_MOVED : FATE_GONE;
}

static enum fate rebase_replacement(const struct shift *s, struct change *c)
{
    size_t i = shift_ending_after(s, c->at.start);

    for (; i < s->n && s->p[i].at.start < c->at.end; i++) {
        const struct change *p = &s->p[i];

        if (change_equal(p, c))
            return FATE_GONE;
        if (p->len > 0)
            return FATE_CLASH;
        if (span_holds(p->at, c->at))
            return FATE_GONE;
        if (!span_holds(c->at, p->at))
            return FATE_CLASH;
    }
    c->at = shift_span(s, c->at);
    return FATE_MOVED;
}

static enum fate rebase_insertion(const struct shift *s, struct change *c)
{
    size_t i = shift_starting_from(s, c->at.start);

    if (i > 0 && s->p[i - 1].at.end > c->at.start)
        return s->p[i - 1].len > 0 ? FATE_CLASH : FATE_GONE;
    if (i < s->n && s->p[i].at.end == c->at.start)
        return change_equal(&s->p[i], c) ? FATE_GONE : FATE_CLASH;
    c->at.start = c->at.end = shift_end(s, c->at.start);
    return FATE_MOVED;
}

static enum fate rebase_change(const struct shift *s, struct change *c)
{
    uint32_t by;

    if (shift_aside(s, c->at, &by)) {
        move_by(&c->at, by);
        return FATE_MOVED;
    }
    if (c->len == 0)
        return rebase_deletion(s, c);
    return span_len(c->at) > 0 ? rebase_replacement(s, c)
                               : rebase_insertion(s, c);
}

static void widen(struct span *hull, struct span by)
{
    if (by.start < hull->start)
        hull->start = by.start;
    if (by.end > hull->end)
        hull->end = by.end;
}

/* All that an edit has a say in. */
static struct span edit_hull(const struct edit *edit,
                             const struct change *changes)
{
    struct span hull = edit->cover;

    if (span_len(edit->lead) > 0)
        widen(&hull, edit->lead);
    if (edit->n > 0) {
        widen(&hull, changes[0].at);
        widen(&hull, changes[edit->n - 1].at);
    }
    return hull;
}

static void move_edit(struct edit *edit, struct change *changes, uint32_t by)
{
    move_by(&edit->cover, by);
    move_lead(&edit->lead, by);
    for (uint32_t i = 0; i < edit->n; i++)
        move_by(&changes[i].at, by);
}

/* Whether the patch changes something inside of a change, and not all of it. */
static bool changed_within(const struct shift *s, struct span at)
{
    size_t i = shift_ending_after(s, at.start);

    return i < s->n && s->p[i].at.start < at.end && !span_holds(s->p[i].at, at);
}

static void rebase_edit(const struct shift *s, struct edit *edit,
                        struct change *changes)
{
    uint32_t kept = 0, by;

    if (shift_aside(s, edit_hull(edit, changes), &by)) {
        move_edit(edit, changes, by);
        return;
    }
    edit->cover = shift_span(s, edit->cover);
    edit->lead = shift_span(s, edit->lead);
    for (uint32_t i = 0; i < edit->n && !edit->dead; i++) {
        struct change c = changes[i];
        bool stale = edit->carries && changed_within(s, c.at);
        enum fate fate = rebase_change(s, &c);

        edit->dead |= stale || fate == FATE_CLASH;
        if (fate != FATE_MOVED)
            continue;
        /* what stood between two insertions may be gone */
        edit->dead |= kept > 0 && change_clash(&changes[kept - 1], &c);
        changes[kept++] = c;
    }
    edit->n = edit->dead ? 0 : kept;
    edit->dead |= kept == 0;
}

/* The layout. */

static size_t page_count(const struct edits *edits)
{
    return (edits->n + PAGE - 1) / PAGE;
}

/* How many edits page k has. */
static uint32_t page_size(const struct edits *edits, size_t k)
{
    size_t left = edits->n - k * PAGE;

    return left < PAGE ? (uint32_t)left : PAGE;
}

static struct span page_hull(const struct edits *edits, size_t k)
{
    struct span hull = { UINT32_MAX, 0 };

    for (uint32_t i = 0; i < page_size(edits, k); i++) {
        struct place place = place_of(edits, (uint32_t)(k * PAGE + i));

        widen(&hull, edit_hull(place.item, place.changes));
    }
    return hull;
}

void edits_lay(struct edits *edits)
{
    if (edits->pages)
        return;
    edits->pages = xcalloc(page_count(edits) + 1, sizeof(*edits->pages));
    edits->sharers = xcalloc(1, sizeof(*edits->sharers));
    for (size_t k = 0; k < page_count(edits); k++)
        edits->pages[k].hull = page_hull(edits, k);
}

static void own_free(struct edit_own *own)
{
    if (own && own->sharers-- == 0)
        free(own);
}

bool edits_unlay(struct edits *edits)
{
    bool last = true;

    if (!edits->pages)
        return true;
    for (size_t k = 0; k < page_count(edits); k++)
        own_free(edits->pages[k].own);
    free(edits->pages);
    if ((*edits->sharers)-- == 0)
        free(edits->sharers);
    else
        last = false;
    return last;
}

void edits_copy(struct edits *to, const struct edits *from)
{
    assert(from->pages);
    *to = *from;
    (*to->sharers)++;
    to->pages = xcopy(from->pages, page_count(from) + 1, sizeof(*from->pages));
    for (size_t k = 0; k < page_count(to); k++)
        if (to->pages[k].own)
            to->pages[k].own->sharers++;
}

/* Before page k is written to: give it items and changes of its own, if others
 * read those that it has. */
static void own_page(struct edits *edits, size_t k)
{
    struct edit_page *page = &edits->pages[k];
    uint32_t first = (uint32_t)(k * PAGE), n = page_size(edits, k);
    size_t end =
        first + n < edits->n ? edits->items[first + n].first : edits->nchanges;
    size_t nchanges = end - edits->items[first].first;
    struct place from = place_of(edits, first);
    struct edit_own *own;

    if (page->own ? page->own->sharers == 0 : *edits->sharers == 0)
        return;
    own =
        xreallocarray(NULL, 1, sizeof(*own) + nchanges * sizeof(*own->changes));
    own->sharers = 0;
    memcpy(own->items, from.item, n * sizeof(*own->items));
    if (nchanges > 0)
        memcpy(own->changes, from.changes, nchanges * sizeof(*own->changes));
    own_free(page->own);
    page->own = own;
}

static void rebase_page(struct edits *edits, size_t k, const struct shift *s)
{
    struct edit_page *page = &edits->pages[k];
    struct place place;
    uint32_t by;

    if (shift_aside(s, page->hull, &by)) {
        page->by += by;
        move_by(&page->hull, by);
        return;
    }
    own_page(edits, k);
    for (uint32_t i = 0; i < page_size(edits, k); i++) {
        place = place_of(edits, (uint32_t)(k * PAGE + i));
        move_edit(place.item, place.changes, place.by);
        rebase_edit(s, place.item, place.changes);
    }
    page->by = 0;
    page->hull = page_hull(edits, k);
}

void edits_rebase(struct edits *edits, const struct patch *patch)
{
    struct shift shift;

    edits_lay(edits);
    shift_init(&shift, patch);
    for (size_t k = 0; k < page_count(edits); k++)
        rebase_page(edits, k, &shift);
    free(shift.moved);
}

void spans_rebase(struct span *spans, size_t n, const struct patch *patch)
{
    struct shift shift;
    uint32_t by;

    shift_init(&shift, patch);
    for (size_t i = 0; i < n; i++) {
        if (shift_aside(&shift, spans[i], &by))
            move_by(&spans[i], by);
        else
            spans[i] = shift_span(&shift, spans[i]);
    }
    free(shift.moved);
}
