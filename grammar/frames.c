#include "grammar/frames.h"

#include <stdbool.h>
#include <stdlib.h>

#include "config/mem.h"
#include "config/number.h"
#include "grammar/node.h"

static int by_number(const void *a, const void *b)
{
    unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

    return (x > y) - (x < y);
}

static size_t read_numbers(const char *lines, unsigned long **numbers)
{
    size_t n = 0, room = 0;
    unsigned long number;

    *numbers = NULL;
    while (number_read(&lines, &number)) {
        xgrow(numbers, &room, n + 1, sizeof(**numbers));
        (*numbers)[n++] = number;
        lines += *lines == ',';
    }
    if (n > 0)
        qsort(*numbers, n, sizeof(**numbers), by_number);
    return n;
}

/* The smallest statement that holds the first node of a line. */
static bool statement_in_line(const struct nodes *ns, uint32_t start,
                              struct span *at)
{
    uint32_t node = node_from(ns, start), statement;

    if (node >= ns->n ||
        node_span(ns, node).start >= text_line_next(ns->text, start))
        return false;
    /* A block begins where its first statement does. */
    while (!node_is_statement(ns, node) && node + 1 < ns->n &&
           node_span(ns, node + 1).start == node_span(ns, node).start)
        node++;
    statement = node_statement(ns, node);
    if (statement == NODE_NONE)
        return false;
    *at = node_span(ns, statement);
    return true;
}

size_t frame_spans(const struct tree *tree, const char *lines,
                   struct span **spans)
{
    const struct nodes *ns = tree_nodes(tree);
    unsigned long *numbers, line = 1;
    size_t n = 0, count = lines ? read_numbers(lines, &numbers) : 0;
    uint32_t start = 0;

    *spans = NULL;
    if (count == 0)
        return 0;
    *spans = xcalloc(count, sizeof(**spans));
    for (size_t i = 0; i < count; i++) {
        while (line < numbers[i] && start < ns->text.len) {
            start = text_line_next(ns->text, start);
            line++;
        }
        if (line == numbers[i] && statement_in_line(ns, start, &(*spans)[n]))
            n++;
    }
    free(numbers);
    qsort(*spans, n, sizeof(**spans), span_by_start);
    count = n;
    n = 0;
    for (size_t i = 0; i < count; i++)
        if (n == 0 || span_by_start(&(*spans)[n - 1], &(*spans)[i]) != 0)
            (*spans)[n++] = (*spans)[i];
    return n;
}

/* Whether a statement that begins here is the module's own. */
static bool is_outermost(const struct nodes *ns, uint32_t start)
{
    uint32_t node = node_from(ns, start);

    if (node == ns->n)
        return false;
    for (node = node_parent(ns, node); node != NODE_NONE;
         node = node_parent(ns, node))
        if (node_is(ns, node, NODE_FUNCTION) || node_is(ns, node, NODE_LAMBDA))
            return false;
    return true;
}

/* Whether statement `at` stands in an except clause of a try whose body holds
 * statement `first`: it runs because that one has failed. */
static bool handles(const struct nodes *ns, uint32_t first, uint32_t at)
{
    uint32_t from = node_from(ns, first), try, c;

    for (; (try = node_parent(ns, from)) != NODE_NONE; from = try) {
        if (!node_is(ns, try, NODE_TRY) ||
            node_field(ns, try, FIELD_body) != from)
            continue;
        for (c = node_child(ns, try); c != NODE_NONE; c = node_sibling(ns, c))
            if (node_is(ns, c, NODE_EXCEPT) && node_span(ns, c).start <= at &&
                at < node_span(ns, c).end)
                return true;
    }
    return false;
}

void frames_forget_stale(const struct tree *tree, struct span *frames, size_t n)
{
    const struct nodes *ns = tree_nodes(tree);
    size_t first = n;

    for (size_t i = 0; i < n; i++)
        if (span_len(frames[i]) > 0 && is_outermost(ns, frames[i].start) &&
            (first == n || frames[i].start < frames[first].start))
            first = i;
    for (size_t i = 0; i < n; i++)
        if (first < n && span_len(frames[i]) > 0 &&
            frames[i].start >= frames[first].end &&
            is_outermost(ns, frames[i].start) &&
            !handles(ns, frames[first].start, frames[i].start))
            frames[i].end = frames[i].start;
}
