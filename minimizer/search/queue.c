/* One heap for each kind, because a kind's rate changes with each run: the
 * keys in a heap are bytes alone, the rate is multiplied in when heads are
 * compared. Bytes only shrink as edits are moved along, so an entry whose key
 * is too large by now is put back with the right one when it comes up; a list,
 * whose worth can grow, is pushed anew with the next stamp instead. */
#include "minimizer/search/queue.h"

#include <stdlib.h>
#include <string.h>

#include "config/mem.h"

/* Of all that is tried again one in twenty goes, but of the numbers one in
 * seven: places are alike whatever the number is (masked()). */
#define AGAIN 0.05
#define AGAIN_INTEGER 0.15

/* Bytes that a run is worth to what is tried again. */
#define AGAIN_BYTES 64

void queue_init(struct queue *queue)
{
    *queue = (struct queue){ 0 };
    for (unsigned kind = 0; kind < EDIT_KINDS; kind++) {
        queue->rates[kind] = rate_init(edit_kind_info(kind)->prior);
        queue->again[kind] =
            rate_init(kind == EDIT_integer ? AGAIN_INTEGER : AGAIN);
    }
}

static void offers_free(struct offers *offers)
{
    if (!offers || offers->refs-- > 0)
        return;
    free(offers->later);
    free(offers->places);
    free(offers->child_at);
    free(offers->children);
    free(offers);
}

static void forget_offers(struct queue *queue)
{
    for (size_t i = 0; i < queue->nlists; i++)
        walk_deinit(&queue->walks[i]);
    free(queue->walks);
    free(queue->stamps);
    free(queue->offered);
    free(queue->taken);
    offers_free(queue->offers);
}

void queue_deinit(struct queue *queue)
{
    forget_offers(queue);
    memory_deinit(&queue->refused);
    memory_deinit(&queue->recent);
    for (unsigned i = 0; i < HEAPS; i++)
        heap_deinit(&queue->heaps[i]);
}

void queue_copy(struct queue *to, const struct queue *from,
                const struct edits *edits)
{
    *to = *from;
    to->edits = edits;
    to->walks = xcalloc(from->nlists, sizeof(*to->walks));
    for (size_t i = 0; i < from->nlists; i++)
        walk_copy(&to->walks[i], &from->walks[i]);
    to->stamps = xcopy(from->stamps, from->nlists, sizeof(*to->stamps));
    to->offered = xcopy(from->offered, edits->n + edits->nlists, sizeof(bool));
    to->taken = xcopy(from->taken, edits->n, sizeof(bool));
    to->offers->refs++;
    memory_copy(&to->refused, &from->refused);
    memory_copy(&to->recent, &from->recent);
    for (unsigned i = 0; i < HEAPS; i++)
        heap_copy(&to->heaps[i], &from->heaps[i]);
}

static bool is_list(const struct queue *queue, uint32_t item)
{
    return item >= queue->edits->n;
}

/* The edit that stands for an item: itself, or the list's first unit. */
static uint32_t item_edit(const struct queue *queue, uint32_t item)
{
    const struct edits *edits = queue->edits;

    return is_list(queue, item) ? edits->lists[item - edits->n].first : item;
}

static uint64_t item_worth(const struct queue *queue, uint32_t item)
{
    int64_t saved;

    if (is_list(queue, item))
        return walk_worth(&queue->walks[item - queue->edits->n], queue->edits);
    saved = edits_saved(queue->edits, item);
    return saved > 0 ? (uint64_t)saved : 0;
}

/* What leaves a name undefined is refused for that. Once the uses of the name
 * are gone too it is news, where it stands. */
static struct hash128 place_if(const struct queue *queue, uint32_t edit,
                               bool lost)
{
    struct hash128 place = queue->offers->places[edit];

    return lost ? hash_more(place, "lost", 4) : place;
}

static bool was_refused_if(const struct queue *queue, uint32_t edit, bool lost)
{
    return memory_get(&queue->refused, place_if(queue, edit, lost)) == KNOWN_NO;
}

static bool was_refused(const struct queue *queue, uint32_t edit)
{
    return was_refused_if(queue, edit, false) ||
           was_refused_if(queue, edit, true);
}

static struct heap *heap_of(struct queue *queue, unsigned kind, bool second)
{
    return &queue->heaps[second ? EDIT_KINDS + kind : kind];
}

static struct heap *heap_of_edit(struct queue *queue, uint32_t edit)
{
    const struct edit *of = &queue->edits->items[edit];

    return heap_of(queue, of->kind,
                   queue->what == OFFER_NEWS ? of->kernel
                                             : was_refused(queue, edit));
}

static void push(struct queue *queue, uint32_t item)
{
    uint32_t edit = item_edit(queue, item);
    struct heap_entry entry = { .item = item };

    entry.key = item_worth(queue, item);
    entry.order = edit;
    if (is_list(queue, item))
        entry.stamp = ++queue->stamps[item - queue->edits->n];
    heap_push(heap_of_edit(queue, edit), entry);
}

static void offer(struct queue *queue, uint32_t item)
{
    if (queue->offered[item])
        return;
    queue->offered[item] = true;
    if (is_list(queue, item) || !queue->offers->later[item])
        push(queue, item);
}

/* Whether edit `i` is an item, or the one that stands for its list, and then
 * which item. */
static bool edit_item(const struct edits *edits, uint32_t i, uint32_t *item)
{
    const struct edit *edit = &edits->items[i];

    *item = edit->list == EDIT_NONE ? i : (uint32_t)edits->n + edit->list;
    return edit->list == EDIT_NONE || edit->index == 0;
}

/* Children by their parent: counted, then placed in text order. */
static void sort_children(struct queue *queue)
{
    const struct edits *edits = queue->edits;
    uint32_t *at = xcalloc(edits->n + 2, sizeof(*at));
    uint32_t item;

    for (uint32_t i = 0; i < edits->n; i++)
        if (edit_item(edits, i, &item) && edits->items[i].parent != EDIT_NONE)
            at[edits->items[i].parent + 2]++;
    for (size_t i = 2; i < edits->n + 2; i++)
        at[i] += at[i - 1];
    queue->offers->children =
        xcalloc(at[edits->n + 1] + 1, sizeof(*queue->offers->children));
    for (uint32_t i = 0; i < edits->n; i++)
        if (edit_item(edits, i, &item) && edits->items[i].parent != EDIT_NONE)
            queue->offers->children[at[edits->items[i].parent + 1]++] = item;
    queue->offers->child_at = at;
}

#define PLACE_MAX 128

/* The text of a place as edits within statements see it: what stands in its
 * numbers and strings has no say in whether an argument is needed. Numbers are
 * one digit, strings are empty; to[i] is where byte i has gone. */
static size_t masked(const char *text, size_t len, char *out,
                     uint8_t to[PLACE_MAX])
{
    size_t n = 0;
    char quote = '\0';

    for (size_t i = 0; i < len; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9';

        to[i] = (uint8_t)n;
        if (quote ? text[i] != quote : digit && n > 0 && out[n - 1] == '0')
            continue;
        out[n++] = digit ? '0' : text[i];
        if (text[i] == '"' || text[i] == '\'')
            quote = quote ? '\0' : text[i];
    }
    return n;
}

#define AROUND 12 /* bytes to each side */

/* What stands around a number tells it from others: they are all alike once
 * masked. */
static struct bytes around(struct bytes text, struct span at)
{
    uint32_t start = at.start, end = at.end;

    while (start > 0 && at.start - start < AROUND &&
           text.data[start - 1] != '\n')
        start--;
    while (end < text.len && end - at.end < AROUND && text.data[end] != '\n')
        end++;
    return bytes_of(text.data + start, end - start);
}

/* What an edit does to which text, wherever it stands in the file. Of what it
 * is about the first line stands for the whole: a function whose body has
 * changed is still the function that was needed. */
static struct hash128 place_of(const struct edits *edits, uint32_t i,
                               struct bytes text)
{
    struct edit edit = edits_now(edits, i);
    const char *start = text.data + edit.cover.start;
    size_t len = span_len(edit.cover);
    const char *eol = memchr(start, '\n', len);
    bool fine = edit_kind_info(edit.kind)->tier > TIER_COARSE;
    uint32_t facts[2] = { edit.kind, 0 };
    char mask[PLACE_MAX];
    uint8_t to[PLACE_MAX];
    struct hash128 place;

    len = eol ? (size_t)(eol - start) : len;
    len = len < PLACE_MAX ? len : PLACE_MAX;
    if (fine)
        place = hash_bytes(mask, masked(start, len, mask, to));
    else
        place = hash_bytes(start, len);
    if (edit.kind == EDIT_integer && edit.n == 1) {
        struct bytes near = around(text, edit.cover);

        near.len = masked(near.data, near.len, mask, to);
        place = hash_more(place, mask, near.len);
    }
    place = hash_more(place, facts, sizeof(facts));
    for (uint32_t c = 0; c < edit.n && c < 8; c++) {
        struct change change = edits_change_now(edits, i, c);
        uint32_t at = change.at.start - edit.cover.start;

        if (eol && change.len == 0)
            continue;
        facts[1] = at < len ? (fine ? to[at] : at) : PLACE_MAX;
        place = hash_more(place, facts, sizeof(facts));
        if (change.len > 0)
            place = hash_more(place, change.text, change.len);
    }
    return place;
}

static bool is_left_out(const struct queue *queue, uint32_t edit)
{
    struct hash128 place = queue->offers->places[edit];

    switch (queue->what) {
    case OFFER_NEWS:
        return was_refused_if(queue, edit, false);
    case OFFER_STALE:
        return memory_get(&queue->recent, place) == KNOWN_NO;
    case OFFER_ALL:
        break;
    }
    return false;
}

static void find_later(struct queue *queue, struct bytes text)
{
    const struct edits *edits = queue->edits;

    queue->offers->later = xcalloc(edits->n, sizeof(*queue->offers->later));
    queue->offers->places = xcalloc(edits->n, sizeof(*queue->offers->places));
    for (uint32_t i = 0; i < edits->n; i++) {
        queue->offers->places[i] = place_of(edits, i, text);
        queue->offers->later[i] = is_left_out(queue, i);
    }
}

static void offer_children(struct queue *queue, uint32_t edit)
{
    for (uint32_t i = queue->offers->child_at[edit];
         i < queue->offers->child_at[edit + 1]; i++)
        offer(queue, queue->offers->children[i]);
}

/* A list whose units were all refused where they stand is not tried as a whole
 * once more: at the end the units count. */
static void forget_whole(struct queue *queue, uint32_t list)
{
    const struct edit_list *l = &queue->edits->lists[list];
    uint32_t i = 0;

    while (i < l->n && was_refused(queue, l->first + i))
        i++;
    queue->walks[list].whole &= i < l->n;
}

void queue_fill(struct queue *queue, const struct edits *edits,
                struct bytes text, enum queue_offers what)
{
    uint32_t item;

    forget_offers(queue);
    for (unsigned i = 0; i < HEAPS; i++)
        heap_clear(&queue->heaps[i]);
    queue->edits = edits;
    queue->nlists = edits->nlists;
    queue->walks = xcalloc(edits->nlists, sizeof(*queue->walks));
    queue->stamps = xcalloc(edits->nlists, sizeof(*queue->stamps));
    queue->offered = xcalloc(edits->n + edits->nlists, sizeof(bool));
    queue->taken = xcalloc(edits->n, sizeof(bool));
    queue->offers = xcalloc(1, sizeof(*queue->offers));
    queue->what = what;
    find_later(queue, text);
    for (uint32_t i = 0; i < edits->nlists; i++) {
        walk_init(&queue->walks[i], edits, i, queue->offers->later);
        if (what != OFFER_NEWS)
            forget_whole(queue, i);
    }
    sort_children(queue);
    for (uint32_t i = 0; i < edits->n; i++) {
        if (edit_item(edits, i, &item) && edits->items[i].parent == EDIT_NONE)
            offer(queue, item);
        if (queue->offers->later[i] ||
            (what != OFFER_NEWS && was_refused(queue, i)))
            offer_children(queue, i);
    }
}

void queue_sweep(struct queue *queue)
{
    memory_deinit(&queue->recent);
}

/* Whether the head of a heap is up to date; if not it was dropped or moved. */
static bool head_is_valid(struct queue *queue, struct heap *heap)
{
    struct heap_entry head = *heap_top(heap);
    bool list = is_list(queue, head.item);
    uint64_t worth;

    if (list ? queue->stamps[head.item - queue->edits->n] != head.stamp
             : edits_dead(queue->edits, head.item) || queue->taken[head.item]) {
        heap_pop(heap);
        return false;
    }
    worth = item_worth(queue, head.item);
    if (worth >= head.key)
        return true;
    heap_pop(heap);
    head.key = worth;
    heap_push(heap, head);
    return false;
}

/* The heap of this tier whose head promises most; NULL when all are empty. */
static struct heap *best_heap(struct queue *queue, enum edit_tier tier)
{
    struct heap *best = NULL;
    uint64_t most = 0;

    for (unsigned kind = 0; kind < EDIT_KINDS; kind++) {
        bool kernel = tier == TIER_KERNEL;
        struct heap *heap = heap_of(queue, kind, kernel);
        uint64_t promise;

        if (!kernel && edit_kind_info(kind)->tier != tier)
            continue;
        while (heap_top(heap) && !head_is_valid(queue, heap))
            continue;
        if (!heap_top(heap))
            continue;
        promise = (heap_top(heap)->key + 1) * rate_value(&queue->rates[kind]);
        if (!best || promise > most) {
            best = heap;
            most = promise;
        }
    }
    return best;
}

/* Take the head; false when it is a list that has nothing to give now. */
static bool take(struct queue *queue, struct heap *heap, struct claim *claim)
{
    uint32_t item = heap_top(heap)->item;
    struct walk *walk;

    heap_pop(heap);
    if (!is_list(queue, item)) {
        *claim = claim_of_edit(item);
        return true;
    }
    walk = &queue->walks[item - queue->edits->n];
    if (!walk_next(walk, queue->edits, claim))
        return false;
    push(queue, item);
    return true;
}

/* The same for what is tried again, and for all tiers up to this one. */
static struct heap *likeliest_heap(struct queue *queue, enum edit_tier tier)
{
    struct heap *best = NULL;
    uint64_t most = 0;

    for (unsigned i = 0; i < HEAPS; i++) {
        unsigned kind = i % EDIT_KINDS;
        const struct rate *rates = i < EDIT_KINDS ? queue->rates : queue->again;
        struct heap *heap = &queue->heaps[i];
        uint64_t promise;

        if (edit_kind_info(kind)->tier > tier)
            continue;
        while (heap_top(heap) && !head_is_valid(queue, heap))
            continue;
        if (!heap_top(heap))
            continue;
        promise =
            (heap_top(heap)->key + AGAIN_BYTES) * rate_value(&rates[kind]);
        if (!best || promise > most) {
            best = heap;
            most = promise;
        }
    }
    return best;
}

static bool next_again(struct queue *queue, enum edit_tier tier,
                       struct claim *claim)
{
    struct heap *heap;

    while ((heap = likeliest_heap(queue, tier)))
        if (take(queue, heap, claim))
            return true;
    return false;
}

bool queue_next(struct queue *queue, enum edit_tier tier, struct claim *claim)
{
    if (queue->what != OFFER_NEWS)
        return next_again(queue, tier, claim);
    for (int t = TIER_COARSE; t <= (int)tier; t++) {
        struct heap *heap;

        while ((heap = best_heap(queue, (enum edit_tier)t)))
            if (take(queue, heap, claim))
                return true;
    }
    return false;
}

static void tell_walk(struct queue *queue, const struct claim *claim, bool yes)
{
    if (claim->list == EDIT_NONE)
        return;
    walk_said(&queue->walks[claim->list], queue->edits, claim, yes);
    push(queue, (uint32_t)queue->edits->n + claim->list);
}

void queue_said(struct queue *queue, const struct claim *claim, bool yes,
                bool ran)
{
    uint32_t edit = claim_edit(claim, queue->edits);
    unsigned kind = queue->edits->items[edit].kind;

    /* A long run's no says little about its units: its halves will tell. */
    if (ran && (yes || claim_is_single(claim)))
        rate_note(was_refused(queue, edit) ? &queue->again[kind]
                                           : &queue->rates[kind],
                  yes);
    tell_walk(queue, claim, yes);
    if (yes || !claim_is_single(claim))
        return;
    memory_set(&queue->refused, place_if(queue, edit, claim->lost), KNOWN_NO);
    if (queue->what != OFFER_NEWS)
        memory_set(&queue->recent, queue->offers->places[edit], KNOWN_NO);
    offer_children(queue, edit);
}

void queue_defer(struct queue *queue, const struct claim *claim)
{
    tell_walk(queue, claim, false);
    if (claim_is_single(claim))
        offer_children(queue, claim_edit(claim, queue->edits));
}

size_t queue_batch(struct queue *queue, const struct claim *claim,
                   struct claim *more, size_t room)
{
    unsigned kind = claim_kind(claim, queue->edits);
    uint32_t edit = claim_edit(claim, queue->edits);
    struct heap *heap = heap_of_edit(queue, edit);
    const struct rate *rates =
        was_refused(queue, edit) ? queue->again : queue->rates;
    uint64_t rate = rate_value(&rates[kind]), odds = rate;
    size_t n = 0;

    if (claim->list != EDIT_NONE)
        return 0;
    while (n < room && (odds = odds * rate / RATE_ONE) >= RATE_ONE / 2) {
        while (heap_top(heap) && !head_is_valid(queue, heap))
            continue;
        if (!heap_top(heap) || is_list(queue, heap_top(heap)->item))
            break;
        more[n++] = claim_of_edit(heap_top(heap)->item);
        heap_pop(heap);
    }
    return n;
}

size_t queue_take_sure(struct queue *queue, struct claim *claims)
{
    const struct edits *edits = queue->edits;
    size_t n = 0;

    for (uint32_t i = 0; i < edits->n; i++) {
        if (!edits->items[i].sure || edits_dead(edits, i) ||
            queue->offers->later[i] || edits->items[i].list != EDIT_NONE)
            continue;
        queue->offered[i] = true;
        queue->taken[i] = true;
        claims[n++] = claim_of_edit(i);
    }
    return n;
}

bool queue_was_refused(const struct queue *queue, const struct claim *claim)
{
    uint32_t edit = claim_edit(claim, queue->edits);

    return claim_is_single(claim) && was_refused_if(queue, edit, claim->lost);
}

void queue_return(struct queue *queue, const struct claim *claim)
{
    if (claim->list == EDIT_NONE) {
        queue->taken[claim->from] = false;
        push(queue, claim->from);
    } else {
        walk_return(&queue->walks[claim->list], claim);
        push(queue, (uint32_t)queue->edits->n + claim->list);
    }
}

bool queue_revive(struct queue *queue, enum edit_tier tier)
{
    const struct edits *edits = queue->edits;
    bool any = false;

    for (uint32_t i = 0; i < edits->n; i++) {
        const struct edit *edit = &edits->items[i];
        uint32_t item;

        edit_item(edits, i, &item);
        if (edits_dead(edits, i) || queue->offered[item] ||
            queue->offers->later[i] || edit_tier_of(edit) > tier)
            continue;
        offer(queue, item);
        any = true;
    }
    return any;
}
