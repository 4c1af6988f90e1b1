/* Blocks follow commits as plain spans do. One that no longer begins a line,
 * because the end of the line before it was deleted, belongs to the block
 * before it. */
#include "minimizer/search/blocks.h"

#include <stdlib.h>

#include "config/buf.h"
#include "config/mem.h"

void blocks_deinit(struct blocks *blocks)
{
    free(blocks->items);
    *blocks = (struct blocks){ 0 };
}

void blocks_copy(struct blocks *to, const struct blocks *from)
{
    *to = (struct blocks){ .n = from->n, .room = from->n };
    to->items = xcopy(from->items, from->n, sizeof(*from->items));
}

static bool begins_line(struct bytes text, uint32_t at)
{
    return at == 0 || (at <= text.len && (text.data[at - 1] == '\n' ||
                                          text.data[at - 1] == '\r'));
}

static void add_block(void *arg, uint32_t start)
{
    struct blocks *blocks = arg;

    if (blocks->n > 0 && start == 0)
        return;
    xgrow(&blocks->items, &blocks->room, blocks->n + 1, sizeof(struct span));
    blocks->items[blocks->n++] = (struct span){ start, start };
}

void blocks_fill(struct blocks *blocks, const struct tree *tree)
{
    uint32_t end = (uint32_t)tree_text(tree).len;

    blocks->n = 0;
    add_block(blocks, 0);
    tree_top_level(tree, add_block, blocks);
    for (size_t i = blocks->n; i > 0; i--) {
        blocks->items[i - 1].end = end;
        end = blocks->items[i - 1].start;
    }
}

void blocks_rebase(struct blocks *blocks, const struct patch *patch)
{
    spans_rebase(blocks->items, blocks->n, patch);
    if (blocks->n > 0)
        blocks->items[0].start = 0;
}

/* The first block that starts after `at`; never the first of all. */
static size_t block_after(const struct blocks *blocks, uint32_t at)
{
    size_t low = 1, high = blocks->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (blocks->items[middle].start <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The whole blocks around a change: from the start of the one that holds the
 * byte before it, as an end of line may be inserted or deleted there. */
static struct span around(const struct blocks *blocks, struct bytes text,
                          struct span at)
{
    size_t first = block_after(blocks, at.start > 0 ? at.start - 1 : 0) - 1;
    size_t past = block_after(blocks, at.end);

    while (!begins_line(text, blocks->items[first].start))
        first--;
    while (past < blocks->n && !begins_line(text, blocks->items[past].start))
        past++;
    return (struct span){ blocks->items[first].start,
                          past < blocks->n ? blocks->items[past].start
                                           : (uint32_t)text.len };
}

static bool is_broken(struct bytes text)
{
    struct tree *tree = tree_parse(text);
    bool broken = tree_errors(tree) > 0;

    tree_free(tree);
    return broken;
}

/* Append the text of `region` with the changes from *i on that lie in it,
 * which may make it grow by whole blocks. */
static void add_region(struct buf *out, const struct blocks *blocks,
                       struct bytes text, const struct patch *patch, size_t *i)
{
    struct span region = around(blocks, text, patch->changes[*i].at);
    uint32_t done = region.start;

    while (*i < patch->n && patch->changes[*i].at.start <= region.end) {
        const struct change *c = &patch->changes[(*i)++];
        struct span more = around(blocks, text, c->at);

        if (more.end > region.end)
            region.end = more.end;
        buf_add(out, text.data + done, c->at.start - done);
        buf_add(out, c->text, c->len);
        done = c->at.end;
    }
    buf_add(out, text.data + done, region.end - done);
}

enum blocks_answer blocks_check(const struct blocks *blocks, struct bytes text,
                                const struct patch *patch, size_t most)
{
    enum blocks_answer answer = BLOCKS_FINE;
    struct buf buf;
    size_t used = 0;

    for (size_t i = 0; i < patch->n && answer == BLOCKS_FINE;) {
        buf_init(&buf, most - used);
        add_region(&buf, blocks, text, patch, &i);
        used += buf.len;
        if (buf.full)
            answer = BLOCKS_LARGE;
        else if (is_broken(buf_bytes(&buf)))
            answer = BLOCKS_BROKEN;
        buf_deinit(&buf);
    }
    return answer;
}
