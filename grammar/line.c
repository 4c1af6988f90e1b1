/* One pass over the bytes for the lines, one over the strings for the marks. */
#include "grammar/line.h"

#include <stdlib.h>

#include "config/mem.h"

static struct line read_line(struct bytes text, uint32_t start)
{
    struct line line = { .start = start, .text = start };
    uint32_t at = start;

    while (at < text.len && text.data[at] != '\n')
        at++;
    line.next = at < text.len ? at + 1 : at;
    line.end = at > start && text.data[at - 1] == '\r' ? at - 1 : at;
    while (line.text < line.end &&
           (text.data[line.text] == ' ' || text.data[line.text] == '\t' ||
            text.data[line.text] == '\f'))
        line.text++;
    return line;
}

/* Lines that start strictly inside a string. Strings in strings (f-strings)
 * are held by the outer one, which comes first. */
static void mark_strings(struct lines *lines, const struct nodes *ns)
{
    for (uint32_t i = 0; i < ns->n;) {
        if (!node_is(ns, i, NODE_STRING)) {
            i++;
            continue;
        }
        struct span at = node_span(ns, i);
        size_t line = line_of(lines, at.start) + 1;
        for (; line < lines->n && lines->at[line].start < at.end; line++)
            lines->at[line].in_string = true;
        i = ns->at[i].past;
    }
}

struct lines *lines_new(const struct nodes *nodes)
{
    struct lines *lines = xcalloc(1, sizeof(*lines));
    size_t room = 0;
    uint32_t start = tree_bom_of(nodes->text);

    do {
        xgrow(&lines->at, &room, lines->n + 1, sizeof(*lines->at));
        lines->at[lines->n] = read_line(nodes->text, start);
        start = lines->at[lines->n++].next;
    } while (start < nodes->text.len);
    mark_strings(lines, nodes);
    return lines;
}

void lines_free(struct lines *lines)
{
    if (!lines)
        return;
    free(lines->at);
    free(lines);
}

size_t line_of(const struct lines *lines, uint32_t at)
{
    size_t next;

    BISECT(next, 1, lines->n, lines->at[next].start <= at);
    return next - 1;
}

void lines_dedent(const struct lines *lines, struct edits *out,
                  struct span body, uint32_t keep, uint32_t width)
{
    for (size_t i = line_of(lines, body.start); i < lines->n; i++) {
        const struct line *line = &lines->at[i];
        struct span cut = { line->start + keep, line->start + width };

        if (line->start >= body.end)
            break;
        if (line->start < body.start || line->in_string)
            continue;
        if (cut.end > line->text)
            cut.end = line->text;
        if (cut.start < cut.end)
            edits_delete(out, cut);
    }
}

const char *line_ending(const struct lines *lines, size_t line)
{
    if (lines->at[line].next == lines->at[line].end && line > 0)
        line--;
    return lines->at[line].next - lines->at[line].end == 2 ? "\r\n" : "\n";
}
