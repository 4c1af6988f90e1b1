/* Starts follow commits as plain spans do. One that no longer begins a line,
 * because the end of the line before it was deleted, belongs to the statement
 * before it. */
#include "minimizer/search/blocks.h"

#include <stdlib.h>

#include "config/buf.h"
#include "config/mem.h"

void blocks_deinit(struct blocks *blocks)
{
    free(blocks->top.items);
    free(blocks->lines.items);
    *blocks = (struct blocks){ 0 };
}

static void starts_copy(struct starts *to, const struct starts *from)
{
    *to = (struct starts){ .n = from->n, .room = from->n };
    to->items = xcopy(from->items, from->n, sizeof(*from->items));
}

void blocks_copy(struct blocks *to, const struct blocks *from)
{
    starts_copy(&to->top, &from->top);
    starts_copy(&to->lines, &from->lines);
}

static bool begins_line(struct bytes text, uint32_t at)
{
    return at == 0 || (at <= text.len && (text.data[at - 1] == '\n' ||
                                          text.data[at - 1] == '\r'));
}

static void add_start(struct starts *starts, uint32_t start)
{
    if (starts->n > 0 && starts->items[starts->n - 1].start == start)
        return;
    xgrow(&starts->items, &starts->room, starts->n + 1, sizeof(struct span));
    starts->items[starts->n++] = (struct span){ start, start };
}

/* So that each is followed until all of its text is gone. */
static void close_starts(struct starts *starts, uint32_t end)
{
    for (size_t i = starts->n; i > 0; i--) {
        starts->items[i - 1].end = end;
        end = starts->items[i - 1].start;
    }
}

struct filling {
    struct blocks *blocks;
    struct bytes text;
};

static void add_statement(void *arg, uint32_t start, bool top)
{
    struct filling *f = arg;

    if (top)
        add_start(&f->blocks->top, start);
    while (start > 0 &&
           (f->text.data[start - 1] == ' ' || f->text.data[start - 1] == '\t'))
        start--;
    if (begins_line(f->text, start))
        add_start(&f->blocks->lines, start);
}

void blocks_fill(struct blocks *blocks, const struct tree *tree)
{
    struct filling f = { blocks, tree_text(tree) };

    blocks->top.n = blocks->lines.n = 0;
    add_start(&blocks->top, 0);
    add_start(&blocks->lines, 0);
    tree_statements(tree, add_statement, &f);
    close_starts(&blocks->top, (uint32_t)f.text.len);
    close_starts(&blocks->lines, (uint32_t)f.text.len);
}

static void starts_rebase(struct starts *starts, const struct patch *patch)
{
    spans_rebase(starts->items, starts->n, patch);
    if (starts->n > 0)
        starts->items[0].start = 0;
}

void blocks_rebase(struct blocks *blocks, const struct patch *patch)
{
    starts_rebase(&blocks->top, patch);
    starts_rebase(&blocks->lines, patch);
}

/* The first that is after `at`; never the first of all. */
static size_t start_after(const struct starts *starts, uint32_t at)
{
    size_t low;

    BISECT(low, 1, starts->n, starts->items[low].start <= at);
    return low;
}

/* The whole statements around a change: from the start of the one that holds
 * the byte before it, as an end of line may be inserted or deleted there. */
static struct span around(const struct starts *starts, struct bytes text,
                          struct span at)
{
    size_t first = start_after(starts, at.start > 0 ? at.start - 1 : 0) - 1;
    size_t past = start_after(starts, at.end);

    while (!begins_line(text, starts->items[first].start))
        first--;
    while (past < starts->n && !begins_line(text, starts->items[past].start))
        past++;
    return (struct span){ starts->items[first].start,
                          past < starts->n ? starts->items[past].start
                                           : (uint32_t)text.len };
}

static bool is_broken(struct bytes text)
{
    struct tree *tree = tree_parse(text);
    bool broken = tree_errors(tree) > 0;

    tree_free(tree);
    return broken;
}

/* Append the text of a region with the changes from *i on that lie in it, which
 * may make it grow by whole statements. */
static void add_region(struct buf *out, const struct starts *starts,
                       struct bytes text, const struct patch *patch, size_t *i)
{
    struct span region = around(starts, text, patch->changes[*i].at);
    uint32_t done = region.start;

    if (text.len > 0 && (text.data[done] == ' ' || text.data[done] == '\t'))
        buf_adds(out, "if 1:\n"); /* its block */
    while (*i < patch->n && patch->changes[*i].at.start <= region.end) {
        const struct change *c = &patch->changes[(*i)++];
        struct span more = around(starts, text, c->at);

        if (more.end > region.end)
            region.end = more.end;
        buf_add(out, text.data + done, c->at.start - done);
        buf_add(out, c->text, c->len);
        done = c->at.end;
    }
    buf_add(out, text.data + done, region.end - done);
}

static enum blocks_answer check(const struct starts *starts, struct bytes text,
                                const struct patch *patch, size_t most)
{
    enum blocks_answer answer = BLOCKS_FINE;
    struct buf buf;
    size_t used = 0;

    for (size_t i = 0; i < patch->n && answer == BLOCKS_FINE;) {
        buf_init(&buf, most - used);
        add_region(&buf, starts, text, patch, &i);
        used += buf.len;
        if (buf.full)
            answer = BLOCKS_LARGE;
        else if (is_broken(buf_bytes(&buf)))
            answer = BLOCKS_BROKEN;
        buf_deinit(&buf);
    }
    return answer;
}

enum blocks_answer blocks_check(const struct blocks *blocks, struct bytes text,
                                const struct patch *patch, size_t most)
{
    if (check(&blocks->lines, text, patch, most) == BLOCKS_FINE)
        return BLOCKS_FINE;
    return check(&blocks->top, text, patch, most);
}
