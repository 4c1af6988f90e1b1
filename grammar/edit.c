/* Edits as they are built, and their union.
 *
 * All changes of all edits lie in one array, each edit has a range of it. While
 * an edit is built it lies beyond the counted items; so does a list.
 *
 * Union. Between two changes that share bytes the wider one wins where that
 * loses nothing: a deletion swallows what it holds, a replacement swallows
 * deletions strictly inside of it, equal changes count once, deletions melt.
 * All else is a conflict. An insertion has no bytes: it is swallowed strictly
 * inside a deletion, and stays at its border. */
#include "grammar/edit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"

#define BLOCK_MIN 65536

struct text_block {
    struct text_block *next;
    size_t used, room;
    char data[];
};

void edits_init(struct edits *edits)
{
    *edits = (struct edits){ 0 };
}

void edits_deinit(struct edits *edits)
{
    if (edits_unlay(edits)) {
        while (edits->texts) {
            struct text_block *next = edits->texts->next;

            free(edits->texts);
            edits->texts = next;
        }
        free(edits->items);
        free(edits->changes);
        free(edits->lists);
    }
    edits_init(edits);
}

const char *edits_text(struct edits *edits, const char *text, size_t len)
{
    struct text_block *block = edits->texts;

    if (!block || block->room - block->used < len + 1) {
        size_t room = len + 1 > BLOCK_MIN ? len + 1 : BLOCK_MIN;
        block = xcalloc(1, sizeof(*block) + room);
        block->room = room;
        block->next = edits->texts;
        edits->texts = block;
    }
    char *copy = block->data + block->used;
    if (len > 0)
        memcpy(copy, text, len);
    copy[len] = '\0';
    block->used += len + 1;
    return copy;
}

struct edit *edits_begin(struct edits *edits, uint16_t kind, struct span cover)
{
    xgrow(&edits->items, &edits->room, edits->n + 1, sizeof(*edits->items));
    struct edit *edit = &edits->items[edits->n];
    *edit = (struct edit){ .kind = kind,
                           .first = (uint32_t)edits->nchanges,
                           .cover = cover,
                           .parent = EDIT_NONE,
                           .list = EDIT_NONE,
                           .index = EDIT_NONE };
    return edit;
}

void edits_change(struct edits *edits, struct span at, const char *text,
                  size_t len)
{
    if (span_len(at) == 0 && len == 0)
        return;
    xgrow(&edits->changes, &edits->changes_room, edits->nchanges + 1,
          sizeof(*edits->changes));
    edits->changes[edits->nchanges++] =
        (struct change){ at, len > 0 ? text : NULL, (uint32_t)len };
}

void edits_delete(struct edits *edits, struct span at)
{
    edits_change(edits, at, NULL, 0);
}

/* By start, insertions first. */
static int change_order(const void *a, const void *b)
{
    const struct change *x = a, *y = b;

    if (x->at.start != y->at.start)
        return x->at.start < y->at.start ? -1 : 1;
    if (x->at.end != y->at.end)
        return x->at.end < y->at.end ? -1 : 1;
    return 0;
}

bool change_equal(const struct change *a, const struct change *b)
{
    return a->at.start == b->at.start && a->at.end == b->at.end &&
           a->len == b->len &&
           (a->len == 0 || memcmp(a->text, b->text, a->len) == 0);
}

bool change_clash(const struct change *a, const struct change *b)
{
    return b->at.start < a->at.end ||
           (b->at.start == a->at.start && b->at.end == a->at.end);
}

uint32_t edits_end(struct edits *edits)
{
    struct edit *edit = &edits->items[edits->n];
    struct change *changes = edits->changes + edit->first;
    size_t n = edits->nchanges - edit->first;
    bool clash = n == 0;

    if (n > 1)
        qsort(changes, n, sizeof(*changes), change_order);
    for (size_t i = 1; i < n; i++)
        clash |= change_clash(&changes[i - 1], &changes[i]);
    if (clash) {
        edits->nchanges = edit->first;
        return EDIT_NONE;
    }
    edit->n = (uint32_t)n;
    if (edits->in_list) {
        edit->list = (uint32_t)edits->nlists;
        edit->index = edits->lists[edits->nlists].n++;
    }
    return (uint32_t)edits->n++;
}

void edits_drop(struct edits *edits)
{
    edits->nchanges = edits->items[edits->n].first;
}

void edits_list_begin(struct edits *edits, const char *empty, bool whole_first)
{
    xgrow(&edits->lists, &edits->lists_room, edits->nlists + 1,
          sizeof(*edits->lists));
    edits->lists[edits->nlists] = (struct edit_list){
        .first = (uint32_t)edits->n, .empty = empty, .whole_first = whole_first
    };
    edits->in_list = true;
}

void edits_list_end(struct edits *edits)
{
    edits->in_list = false;
    if (edits->lists[edits->nlists].n > 0)
        edits->nlists++;
}

/* Nesting: one sweep over covers and deletions by start. */

struct nest_event {
    struct span at;
    uint32_t edit;
    bool unit; /* a deletion that may be a parent; else a cover that asks */
};

/* By start, the wider first, deletions before the covers they hold. */
static int nest_order(const void *a, const void *b)
{
    const struct nest_event *x = a, *y = b;

    if (x->at.start != y->at.start)
        return x->at.start < y->at.start ? -1 : 1;
    if (x->at.end != y->at.end)
        return x->at.end > y->at.end ? -1 : 1;
    if (x->unit != y->unit)
        return x->unit ? -1 : 1;
    return x->edit < y->edit ? -1 : x->edit > y->edit;
}

/* An order without circles: parents cover more, or as much and come first. */
static bool may_be_parent(const struct edits *edits, uint32_t parent,
                          uint32_t child)
{
    uint32_t above = span_len(edits->items[parent].cover);
    uint32_t below = span_len(edits->items[child].cover);

    return above > below || (above == below && parent < child);
}

static size_t nest_events(const struct edits *edits, struct nest_event *events)
{
    size_t n = 0;

    for (uint32_t i = 0; i < edits->n; i++) {
        const struct edit *edit = &edits->items[i];
        const struct change *change = &edits->changes[edit->first];

        events[n++] = (struct nest_event){ edit->cover, i, false };
        if (edit->n == 1 && change->len == 0 && !edit->sure)
            events[n++] = (struct nest_event){ change->at, i, true };
    }
    qsort(events, n, sizeof(*events), nest_order);
    return n;
}

void edits_nest(struct edits *edits)
{
    struct nest_event *events = xcalloc(2 * edits->n + 1, sizeof(*events));
    struct nest_event *stack = xcalloc(edits->n + 1, sizeof(*stack));
    size_t n = nest_events(edits, events), depth = 0;

    for (size_t i = 0; i < n; i++) {
        const struct nest_event *e = &events[i];

        while (depth > 0 && stack[depth - 1].at.end <= e->at.start)
            depth--;
        if (e->unit) {
            stack[depth++] = *e;
            continue;
        }
        edits->items[e->edit].parent = EDIT_NONE;
        for (size_t up = depth; up-- > 0;)
            if (span_holds(stack[up].at, e->at) &&
                may_be_parent(edits, stack[up].edit, e->edit)) {
                edits->items[e->edit].parent = stack[up].edit;
                break;
            }
    }
    free(stack);
    free(events);
}

/* Patches. */

void patch_init(struct patch *patch)
{
    *patch = (struct patch){ 0 };
}

void patch_deinit(struct patch *patch)
{
    free(patch->changes);
    patch_init(patch);
}

/* Keep the deletions of the sorted changes, melted; returns how many. */
static size_t melt_deletions(const struct change *all, size_t n,
                             struct change *out)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        if (all[i].len > 0)
            continue;
        if (kept > 0 && all[i].at.start < out[kept - 1].at.end) {
            if (all[i].at.end > out[kept - 1].at.end)
                out[kept - 1].at.end = all[i].at.end;
        } else {
            out[kept++] = all[i];
        }
    }
    return kept;
}

/* Keep the replacements, equal ones once; -EEXIST when two clash. */
static int merge_replacements(const struct change *all, size_t n,
                              struct change *out, size_t *kept)
{
    *kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (all[i].len == 0)
            continue;
        if (*kept > 0) {
            if (change_equal(&out[*kept - 1], &all[i]))
                continue;
            if (change_clash(&out[*kept - 1], &all[i]))
                return -EEXIST;
        }
        out[(*kept)++] = all[i];
    }
    return 0;
}

/* A replacement against the deletions from `*d` on: 1 when one of them
 * swallows it, -EEXIST when one cuts it; those inside of it become empty. */
static int settle_replacement(const struct change *r, struct change *dels,
                              size_t ndels, size_t *d)
{
    while (*d < ndels && dels[*d].at.end <= r->at.start)
        (*d)++;
    for (size_t i = *d; i < ndels && dels[i].at.start < r->at.end; i++) {
        if (span_len(dels[i].at) == 0)
            continue;
        if (span_holds(dels[i].at, r->at))
            return span_len(r->at) > 0 || dels[i].at.start < r->at.start;
        if (!span_holds(r->at, dels[i].at))
            return -EEXIST;
        dels[i].at.end = dels[i].at.start;
    }
    return 0;
}

/* Drop from the replacements and deletions what the other side swallows. */
static int settle(struct change *reps, size_t *nreps, struct change *dels,
                  size_t *ndels)
{
    size_t kept = 0, d = 0;

    for (size_t i = 0; i < *nreps; i++) {
        int swallowed = settle_replacement(&reps[i], dels, *ndels, &d);
        if (swallowed < 0)
            return swallowed;
        if (!swallowed)
            reps[kept++] = reps[i];
    }
    *nreps = kept;
    kept = 0;
    for (size_t i = 0; i < *ndels; i++)
        if (span_len(dels[i].at) > 0)
            dels[kept++] = dels[i];
    *ndels = kept;
    return 0;
}

/* The union of the patch and n more changes. */
static int patch_merge(struct patch *patch, const struct change *more, size_t n)
{
    size_t total = patch->n + n, nreps = 0, ndels;
    struct change *all = xcalloc(3 * total + 1, sizeof(*all));
    struct change *dels = all + total, *reps = dels + total;

    if (patch->n > 0)
        memcpy(all, patch->changes, patch->n * sizeof(*all));
    if (n > 0)
        memcpy(all + patch->n, more, n * sizeof(*all));
    qsort(all, total, sizeof(*all), change_order);
    ndels = melt_deletions(all, total, dels);
    int error = merge_replacements(all, total, reps, &nreps);
    if (!error)
        error = settle(reps, &nreps, dels, &ndels);
    if (!error) {
        xgrow(&patch->changes, &patch->room, ndels + nreps,
              sizeof(*patch->changes));
        patch->n = 0;
        for (size_t d = 0, r = 0; d < ndels || r < nreps;) {
            bool del = r == nreps ||
                       (d < ndels && change_order(&dels[d], &reps[r]) < 0);
            patch->changes[patch->n++] = del ? dels[d++] : reps[r++];
        }
    }
    free(all);
    return error;
}

int patch_add_edit(struct patch *patch, const struct edits *edits,
                   uint32_t edit)
{
    struct edit e = edits_now(edits, edit);
    struct change *changes = xcalloc(e.n, sizeof(*changes));
    int error =
        patch_merge(patch, changes, edits_changes_now(edits, edit, changes));

    if (!error)
        patch->touches_import |= e.touches_import;
    free(changes);
    return error;
}

/* The living units of a run, and what lives around it. */
struct run {
    const struct edits *edits;
    uint32_t unit, n;     /* the list's first, and how many it has */
    uint32_t first, last; /* living units of the run */
    bool before, after;   /* one lives before, behind the run */
    uint32_t leads;       /* leads of units [leads, first] go with it */
};

static bool run_dead(const struct run *run, uint32_t i)
{
    return edits_dead(run->edits, run->unit + i);
}

static bool run_find(struct run *run, const struct edits *edits, uint32_t list,
                     uint32_t from, uint32_t to)
{
    run->edits = edits;
    run->unit = edits->lists[list].first;
    run->n = edits->lists[list].n;
    if (to > run->n)
        to = run->n;
    while (from < to && run_dead(run, from))
        from++;
    while (to > from && run_dead(run, to - 1))
        to--;
    if (from >= to)
        return false;
    run->first = run->leads = from;
    run->last = to - 1;
    while (run->leads > 0 && run_dead(run, run->leads - 1))
        run->leads--;
    run->before = run->leads > 0;
    while (to < run->n && run_dead(run, to))
        to++;
    run->after = to < run->n;
    return true;
}

/* All changes of the run, one after the other; returns how many. */
static size_t run_changes(const struct run *run, struct change *out)
{
    size_t n = 0;

    for (uint32_t i = run->first; i <= run->last; i++)
        n += edits_changes_now(run->edits, run->unit + i, out + n);
    if (!run->before || run->after)
        return n;
    for (uint32_t i = run->leads; i <= run->first; i++) {
        struct span lead = edits_now(run->edits, run->unit + i).lead;

        if (span_len(lead) > 0)
            out[n++] = (struct change){ lead, NULL, 0 };
    }
    return n;
}

/* One change from the start of the first to the end of the last. */
static size_t run_replace(struct change *changes, size_t n, const char *text)
{
    struct span hull = changes[0].at;

    for (size_t i = 1; i < n; i++)
        if (changes[i].at.end > hull.end)
            hull.end = changes[i].at.end;
    changes[0] = (struct change){ hull, text, (uint32_t)strlen(text) };
    return 1;
}

int patch_add_run(struct patch *patch, const struct edits *edits, uint32_t list,
                  uint32_t from, uint32_t to)
{
    const char *empty = edits->lists[list].empty;
    struct run run;
    size_t room = 0;
    bool import = false;

    if (!run_find(&run, edits, list, from, to))
        return -ENOENT;
    bool all = !run.before && !run.after;
    if (all && !empty)
        return -EEXIST;
    for (uint32_t i = run.leads; i <= run.last; i++) {
        struct edit unit = edits_now(edits, run.unit + i);

        room += unit.n + (size_t)1;
        import |= unit.touches_import && !unit.dead;
    }
    struct change *changes = xcalloc(room, sizeof(*changes));
    size_t n = run_changes(&run, changes);
    if (all && *empty)
        n = run_replace(changes, n, empty);
    int error = patch_merge(patch, changes, n);
    if (!error)
        patch->touches_import |= import;
    free(changes);
    return error;
}

int patch_apply(const struct patch *patch, struct bytes text, struct buf *out)
{
    uint32_t done = 0;
    int error = 0;

    for (size_t i = 0; i < patch->n && !error; i++) {
        const struct change *c = &patch->changes[i];

        error = buf_add(out, text.data + done, c->at.start - done);
        if (!error)
            error = buf_add(out, c->text, c->len);
        done = c->at.end;
    }
    return error ? error : buf_add(out, text.data + done, text.len - done);
}

int64_t patch_saved(const struct patch *patch)
{
    int64_t saved = 0;

    for (size_t i = 0; i < patch->n; i++)
        saved +=
            (int64_t)span_len(patch->changes[i].at) - patch->changes[i].len;
    return saved;
}
