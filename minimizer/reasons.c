#include "minimizer/reasons.h"

#include <stdlib.h>
#include <string.h>

#include "config/buf.h"
#include "config/mem.h"
#include "grammar/edit.h"
#include "grammar/generator.h"
#include "grammar/tree.h"

#define REFUSALS_MAX 200000
#define WHY_MAX 200 /* bytes kept of one */
#define PAPER_MAX ((size_t)1 << 30)

struct refusal {
    struct hash128 text;
    char *why;
};

void reasons_note(struct reasons *reasons, struct hash128 text, const char *why)
{
    if (reasons->n == REFUSALS_MAX)
        return;
    xgrow(&reasons->items, &reasons->room, reasons->n + 1,
          sizeof(*reasons->items));
    reasons->items[reasons->n++] = (struct refusal){
        .text = text,
        .why = xmemdup(why, strnlen(why, WHY_MAX)),
    };
}

void reasons_deinit(struct reasons *reasons)
{
    for (size_t i = 0; i < reasons->n; i++)
        free(reasons->items[i].why);
    free(reasons->items);
    *reasons = (struct reasons){ 0 };
}

static int compare(const void *a, const void *b)
{
    const struct refusal *x = a, *y = b;

    if (x->text.high != y->text.high)
        return x->text.high < y->text.high ? -1 : 1;
    if (x->text.low != y->text.low)
        return x->text.low < y->text.low ? -1 : 1;
    return 0;
}

/* What was noted of the text without one unit; NULL: nothing. */
static const char *without(const struct reasons *reasons, struct bytes text,
                           const struct edits *edits, uint32_t list,
                           uint32_t unit)
{
    const struct refusal *found = NULL;
    struct patch patch;
    struct buf rest;

    if (reasons->n == 0)
        return NULL;
    patch_init(&patch);
    buf_init(&rest, text.len + 16);
    if (patch_add_run(&patch, edits, list, unit, unit + 1) == 0 &&
        patch_apply(&patch, text, &rest) == 0) {
        struct refusal key = {
            .text = hash_bytes(buf_str(&rest), rest.len),
        };

        found = bsearch(&key, reasons->items, reasons->n, sizeof(key), compare);
    }
    buf_deinit(&rest);
    patch_deinit(&patch);
    return found ? found->why : NULL;
}

static uint32_t line_at(struct bytes text, uint32_t at)
{
    uint32_t line = 1;

    for (uint32_t i = 0; i < at && i < text.len; i++)
        line += text.data[i] == '\n';
    return line;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_line_end(struct bytes text, size_t at)
{
    return at >= text.len || text.data[at] == '\n' || text.data[at] == '\r';
}

static bool has_lines_of_its_own(struct bytes text, struct span at)
{
    size_t start = at.start, end = at.end;

    while (start > 0 && is_blank(text.data[start - 1]))
        start--;
    while (end < text.len &&
           (is_blank(text.data[end]) || text.data[end] == ','))
        end++;
    return (start == 0 || is_line_end(text, start - 1)) &&
           is_line_end(text, end);
}

/* Whether a reader of lines would ask why it is there. */
static bool is_asked(struct bytes text, const struct edit *edit)
{
    return edit->list != EDIT_NONE && (edit->kind == EDIT_statement ||
                                       has_lines_of_its_own(text, edit->cover));
}

static int by_line(const void *a, const void *b)
{
    const struct reason *x = a, *y = b;

    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->last > y->last ? -1 : x->last < y->last;
}

/* In order, each group of lines once; how many are left. */
static size_t sort_lines(struct reason *list, size_t n)
{
    size_t left = 0;

    qsort(list, n, sizeof(*list), by_line);
    for (size_t i = 0; i < n; i++) {
        if (left == 0 || by_line(&list[left - 1], &list[i]) != 0)
            list[left++] = list[i];
    }
    return left;
}

struct reason *reasons_of(struct reasons *reasons, struct bytes text, size_t *n)
{
    struct tree *tree = tree_parse(text);
    struct reason *list = NULL;
    struct edits edits;
    size_t room = 0, paper = 0;

    *n = 0;
    edits_init(&edits);
    generate_kinds(tree, NULL, 0, vocabulary(MUTATE_ALL, false), &edits);
    if (reasons->n > 0)
        qsort(reasons->items, reasons->n, sizeof(*reasons->items), compare);
    for (uint32_t i = 0; i < edits.n && paper < PAPER_MAX; i++) {
        const struct edit *edit = &edits.items[i];
        const char *why;

        if (!is_asked(text, edit))
            continue;
        paper += text.len;
        why = without(reasons, text, &edits, edit->list, edit->index);
        if (!why)
            continue;
        xgrow(&list, &room, *n + 1, sizeof(*list));
        list[(*n)++] = (struct reason){
            .first = line_at(text, edit->cover.start),
            .last = line_at(text, edit->cover.end > edit->cover.start
                                      ? edit->cover.end - 1
                                      : edit->cover.end),
            .why = why,
        };
    }
    if (list)
        *n = sort_lines(list, *n);
    edits_deinit(&edits);
    tree_free(tree);
    return list;
}
