/* What the program does not see: comments, docstrings, blank lines, blanks at
 * line ends, semicolons at line ends, indentation wider than it must be, line
 * ends inside of brackets and behind backslashes.
 *
 * All of it is one list that is tried whole first, since it nearly always
 * goes at once. The pieces lie apart or melt, so any run of them is a good
 * edit. Their cover is the whole text: no statement has to fail before them.
 *
 * A comment that names the encoding stays while the text needs it. */
#include <string.h>
#include <strings.h>

#include "grammar/generator.h"
#include "grammar/line.h"
#include "grammar/node.h"
#include "grammar/unit.h"

void gen_trivia(struct gen *g);

static void begin(struct gen *g)
{
    edits_begin(g->out, EDIT_trivia, (struct span){ 0, (uint32_t)g->text.len });
}

static void offer(struct gen *g, struct span at)
{
    if (span_len(at) == 0 || gen_frozen(g, at))
        return;
    begin(g);
    edits_delete(g->out, at);
    edits_end(g->out);
}

/* Whether the text has bytes that mean something else without a cookie. */
static bool needs_cookie(const struct gen *g, struct bytes encoding)
{
    bool utf8 = encoding.len >= 4 && (!strncasecmp(encoding.data, "utf-8", 5) ||
                                      !strncasecmp(encoding.data, "utf8", 4));

    for (size_t i = 0; !utf8 && i < g->text.len; i++)
        if ((unsigned char)g->text.data[i] >= 0x80)
            return true;
    return false;
}

/* PEP 263: coding[:=]\s*([-\w.]+) in one of the first two lines. */
static bool is_cookie(const struct gen *g, struct span comment)
{
    const char *at = g->text.data + comment.start;
    const char *end = g->text.data + comment.end;

    if (line_of(g->lines, comment.start) > 1)
        return false;
    at = memmem(at, (size_t)(end - at), "coding", 6);
    if (!at || at + 6 >= end || (at[6] != ':' && at[6] != '='))
        return false;
    for (at += 7; at < end && (*at == ' ' || *at == '\t');)
        at++;
    return needs_cookie(g, bytes_of(at, (size_t)(end - at)));
}

/* A comment goes with the blanks before it, and alone on its line with it. */
static void offer_comment(struct gen *g, uint32_t i)
{
    struct span at = node_span(g->nodes, i);
    const struct line *line = &g->lines->at[line_of(g->lines, at.start)];

    if (is_cookie(g, at))
        return;
    if (at.end > line->end)
        at.end = line->end;
    if (line->text == at.start && !line->in_string) {
        at = (struct span){ line->start, line->next };
    } else {
        while (at.start > line->start &&
               strchr(" \t\f", g->text.data[at.start - 1]))
            at.start--;
    }
    offer(g, at);
}

/* The docstrings of one body: each alone, or `pass` for all when nothing else
 * stands there. */
static void offer_docstrings(struct gen *g, uint32_t u)
{
    const struct unit *units = g->units->at;
    bool all = true;
    uint32_t last = u;

    for (uint32_t v = u; v != UNIT_NONE; v = units[v].next) {
        all &= node_is_docstring(g->nodes, units[v].node);
        last = v;
    }
    if (all && !node_is(g->nodes, units[u].body, NODE_MODULE)) {
        struct span hull = { units[u].at.start, units[last].at.end };
        if (span_len(hull) <= 4 || gen_frozen(g, hull))
            return;
        begin(g);
        edits_change(g->out, hull, "pass", 4);
        edits_end(g->out);
        return;
    }
    for (uint32_t v = u; v != UNIT_NONE; v = units[v].next)
        if (node_is_docstring(g->nodes, units[v].node))
            offer(g, unit_alone(g->units, v));
}

static bool after_backslash(const struct gen *g, size_t i)
{
    const struct line *before = i > 0 ? &g->lines->at[i - 1] : NULL;

    return before && before->end > before->start &&
           g->text.data[before->end - 1] == '\\';
}

static void offer_lines(struct gen *g)
{
    for (size_t i = 0; i < g->lines->n; i++) {
        const struct line *line = &g->lines->at[i];
        bool tail_in_string =
            i + 1 < g->lines->n && g->lines->at[i + 1].in_string;
        struct span at = { line->end, line->end };

        if (line->in_string && line->text == line->end)
            continue;
        if (line->text == line->end && !after_backslash(g, i)) {
            offer(g, (struct span){ line->start, line->next });
            continue;
        }
        while (at.start > line->text &&
               strchr(" \t\f", g->text.data[at.start - 1]))
            at.start--;
        if (!tail_in_string)
            offer(g, at);
    }
}

static void offer_semicolons(struct gen *g)
{
    for (size_t u = 0; u < g->units->n; u++) {
        const struct unit *unit = &g->units->at[u];
        uint32_t end = node_span(g->nodes, unit->node).end;

        if (end < unit->at.end)
            offer(g, (struct span){ end, unit->at.end });
    }
}

/* Width of the indentation of a statement that starts its line; UINT32_MAX
 * when it does not. */
static uint32_t indent_of(const struct gen *g, uint32_t start)
{
    const struct line *line = &g->lines->at[line_of(g->lines, start)];

    return line->text == start ? start - line->start : UINT32_MAX;
}

/* How much deeper a block is than the header that holds it; 0 when it is on
 * the header's line. */
static uint32_t step_of(const struct gen *g, uint32_t u)
{
    uint32_t holder = node_parent(g->nodes, g->units->at[u].body);

    if (holder == NODE_NONE)
        return 0;
    uint32_t own = indent_of(g, g->units->at[u].at.start);
    uint32_t outer = indent_of(g, node_span(g->nodes, holder).start);
    return own != UINT32_MAX && outer != UINT32_MAX && own > outer ? own - outer
                                                                   : 0;
}

/* Blocks deeper than the usual step come down to it. Blocks in blocks would
 * share lines, so only the outermost of them is offered at a time. */
static void offer_indentation(struct gen *g)
{
    uint32_t count[17] = { 0 }, usual = 1;
    uint32_t past = 0;

    for (uint32_t u = 0; u < g->units->n; u++)
        if (g->units->at[u].prev == UNIT_NONE && step_of(g, u) <= 16)
            count[step_of(g, u)]++;
    for (uint32_t step = 1; step < ARRAY_LEN(count); step++)
        if (count[step] > count[usual] || count[usual] == 0)
            usual = step;
    for (uint32_t u = 0; u < g->units->n && count[usual] > 0; u++) {
        const struct unit *unit = &g->units->at[u];
        uint32_t step = step_of(g, u);

        if (unit->prev != UNIT_NONE || step <= usual || unit->body < past)
            continue;
        uint32_t width = indent_of(g, unit->at.start);
        struct span body = node_span(g->nodes, unit->body);
        if (gen_frozen(g, body) || !span_len(body))
            continue;
        body.start = unit->at.start - width;
        begin(g);
        lines_dedent(g->lines, g->out, body, width - step + usual, width);
        edits_end(g->out);
        past = g->nodes->at[unit->body].past;
    }
}

/* The end of a token's node: a string is one. */
static uint32_t token_past(const struct gen *g, uint32_t i)
{
    return node_is(g->nodes, i, NODE_STRING) ? g->nodes->at[i].past : i + 1;
}

static bool is_token(const struct gen *g, uint32_t i)
{
    return (g->nodes->at[i].past == i + 1 ||
            node_is(g->nodes, i, NODE_STRING)) &&
           !node_is_extra(g->nodes, i) && span_len(node_span(g->nodes, i)) > 0;
}

static int depth_of(const struct gen *g, uint32_t i)
{
    switch (node_kind(g->nodes, i)) {
    case NODE_LPAREN:
    case NODE_LBRACKET:
    case NODE_LBRACE:
        return 1;
    case NODE_RPAREN:
    case NODE_RBRACKET:
    case NODE_RBRACE:
        return -1;
    default:
        return 0;
    }
}

/* The bytes between two tokens of a statement, when a line ends there that need
 * not: one blank stays between two words. */
static void offer_join(struct gen *g, struct span gap, bool in_brackets)
{
    const char *text = g->text.data;
    bool line_end = false, carried = false;

    for (uint32_t i = gap.start; i < gap.end; i++) {
        carried |= text[i] == '\\';
        line_end |= text[i] == '\n';
        if (!strchr(" \t\f\r\n\\", text[i]))
            return; /* a comment */
    }
    if (!line_end || !(in_brackets || carried))
        return;
    if (text_is_word(text[gap.start - 1]) &&
        (text_is_word(text[gap.end]) || strchr("\"'", text[gap.end])) &&
        text[--gap.end] != ' ')
        return;
    offer(g, gap);
}

static void offer_joins(struct gen *g)
{
    uint32_t end = UINT32_MAX;
    int depth = 0;

    for (uint32_t i = 0; i < g->nodes->n; i = token_past(g, i)) {
        struct span at = node_span(g->nodes, i);

        if (!is_token(g, i))
            continue;
        if (end < at.start)
            offer_join(g, (struct span){ end, at.start }, depth > 0);
        depth += depth_of(g, i);
        end = at.end;
    }
}

void gen_trivia(struct gen *g)
{
    edits_list_begin(g->out, "", true);
    for (uint32_t i = 0; i < g->nodes->n; i++)
        if (node_is(g->nodes, i, NODE_COMMENT))
            offer_comment(g, i);
    for (uint32_t u = 0; u < g->units->n; u++)
        if (g->units->at[u].prev == UNIT_NONE)
            offer_docstrings(g, u);
    offer_lines(g);
    offer_semicolons(g);
    if (tree_errors(g->tree) == 0) /* else a bracket may have no other side */
        offer_joins(g);
    offer_indentation(g);
    edits_list_end(g->out);
}
