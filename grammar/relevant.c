/* A change is looked at as text. In top-level statements without any marked
 * unit it may do what it likes, as long as they stay well-formed. Beside marked
 * units it may
 *   - take whole lines away, none of them less indented than the first: then
 *     what is left keeps its block;
 *   - change something within a line. */
#include "grammar/relevant.h"

#include <stdlib.h>
#include <string.h>

#include "config/hash.h"
#include "config/mem.h"
#include "grammar/kernel.h"
#include "grammar/node.h"

/* Longer top-level statements are not looked at by themselves. */
#define APART_MAX 16384

/* They make names, or statements that others depend on. */
static const char *const making[] = {
    "def",      "class",  "lambda", "import", "global",
    "nonlocal", "return", "yield",  "raise",  "continue",
    "break",    "await",  "exec",   "assert", "del",
};

uint64_t relevant_word(struct bytes word)
{
    return hash_bytes(word.data, word.len).low;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

void relevant_sort(uint64_t *words, size_t n)
{
    if (n > 0)
        qsort(words, n, sizeof(*words), by_value);
}

bool relevant_has(const uint64_t *words, size_t n, uint64_t word)
{
    return n > 0 && bsearch(&word, words, n, sizeof(word), by_value) != NULL;
}

bool relevant_says(const struct relevant *r, struct bytes word)
{
    return relevant_has(r->words, r->nwords, relevant_word(word));
}

void relevant_deinit(struct relevant *r)
{
    free(r->hard.at);
    free(r->soft.at);
    free(r->passing.at);
    free(r->words);
    *r = (struct relevant){ 0 };
}

static void spans_copy(struct relevant_spans *to,
                       const struct relevant_spans *from)
{
    *to = (struct relevant_spans){ xcopy(from->at, from->n, sizeof(*to->at)),
                                   from->n, from->n };
}

void relevant_copy(struct relevant *to, const struct relevant *from)
{
    *to = *from;
    spans_copy(&to->hard, &from->hard);
    spans_copy(&to->soft, &from->soft);
    spans_copy(&to->passing, &from->passing);
    to->words = xcopy(from->words, from->nwords, sizeof(*to->words));
    to->words_room = to->nwords;
}

void relevant_rebase(struct relevant *r, const struct patch *patch)
{
    spans_rebase(r->hard.at, r->hard.n, patch);
    spans_rebase(r->soft.at, r->soft.n, patch);
    spans_rebase(r->passing.at, r->passing.n, patch);
}

/* ---- marked units ---- */

/* The first that ends behind `at`; they do not overlap. */
static size_t first_past(const struct relevant_spans *s, uint32_t at)
{
    size_t low;

    BISECT(low, 0, s->n, s->at[low].end <= at);
    return low;
}

static bool meets(const struct relevant_spans *s, struct span at)
{
    for (size_t i = first_past(s, at.start);
         i < s->n && s->at[i].start < at.end; i++)
        if (span_len(s->at[i]) > 0)
            return true;
    return false;
}

/* Whether one of them is cut, or all of one touched that is not covered. */
static bool cuts(const struct relevant_spans *s, struct span at)
{
    for (size_t i = first_past(s, at.start);
         i < s->n && s->at[i].start < at.end; i++)
        if (span_len(s->at[i]) > 0 && !span_holds(at, s->at[i]))
            return true;
    return false;
}

static bool meets_any(const struct relevant *r, struct span at)
{
    return meets(&r->hard, at) || meets(&r->soft, at) || meets(&r->passing, at);
}

/* ---- words ---- */

/* Whether what a change puts in says a name that counts, or makes a call or a
 * definition that could. */
static bool says_relevant(const struct relevant *r, struct bytes text)
{
    for (size_t i = 0; i < text.len;) {
        size_t from = i;
        struct bytes word;

        if (text.data[i] == '(' || text.data[i] == '@')
            return true;
        while (i < text.len && text_is_word(text.data[i]))
            i++;
        word = bytes_of(text.data + from, i - from);
        if (i == from)
            i++;
        else if (text_is_one_of(word, making, ARRAY_LEN(making)) ||
                 relevant_says(r, word))
            return true;
    }
    return false;
}

/* Whether a name comes about, or a call, where a change begins or ends. */
static bool joins(struct bytes text, const struct change *c)
{
    uint32_t from = c->at.start, to = c->at.end;
    bool before = from > 0 && text_is_word(text.data[from - 1]);
    bool after = to < text.len && text_is_word(text.data[to]);
    bool first = c->len > 0 ? text_is_word(c->text[0]) : after;
    bool last = c->len > 0 ? text_is_word(c->text[c->len - 1]) : before;

    if ((before && first) || (last && after))
        return true;
    if (to < text.len && text.data[to] == '=')
        return true; /* of == */
    if (from > 0 && text.data[from - 1] == '=' && text.data[from] == '=')
        return true;
    if (last && to < text.len &&
        (text.data[to] == '"' || text.data[to] == '\''))
        return true; /* f"..." */
    while (to < text.len && (text.data[to] == ' ' || text.data[to] == '\t'))
        to++;
    return to < text.len && text.data[to] == '(';
}

/* Whether strings and comments around it stay what they are when it comes or
 * goes: else what they say could become names. */
static bool is_whole(struct bytes text)
{
    unsigned single = 0, twice = 0;
    int open = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '#' || text.data[i] == '\\')
            return false;
        single += text.data[i] == '\'';
        twice += text.data[i] == '"';
        open += text.data[i] == '{';
        open -= text.data[i] == '}';
    }
    return single % 2 == 0 && twice % 2 == 0 && open == 0;
}

/* ---- places ---- */

static bool begins_line(struct bytes text, uint32_t at)
{
    return at == 0 || (at <= text.len && (text.data[at - 1] == '\n' ||
                                          text.data[at - 1] == '\r'));
}

/* The first that is after `at`; never the first of all. */
static size_t start_after(const struct span *tops, size_t n, uint32_t at)
{
    size_t low;

    BISECT(low, 1, n, tops[low].start <= at);
    return low;
}

/* The top-level statements around a change, and that which begins at its end.
 */
static struct span around(struct bytes text, const struct span *tops, size_t n,
                          struct span at)
{
    size_t first = start_after(tops, n, at.start > 0 ? at.start - 1 : 0) - 1;
    size_t past = start_after(tops, n, at.end);

    while (first > 0 && !begins_line(text, tops[first].start))
        first--;
    while (past < n && !begins_line(text, tops[past].start))
        past++;
    return (struct span){ first > 0 ? tops[first].start : 0,
                          past < n ? tops[past].start : (uint32_t)text.len };
}

/* The first byte of a line that is no blank. */
static uint32_t past_indent(struct bytes text, uint32_t line)
{
    while (line < text.len &&
           (text.data[line] == ' ' || text.data[line] == '\t'))
        line++;
    return line;
}

static bool ends_line(struct bytes text, uint32_t at)
{
    return at >= text.len || text.data[at] == '\n' || text.data[at] == '\r';
}

/* Whether what stands before a line goes on into it: a decorator, a backslash.
 */
static bool is_led(struct bytes text, uint32_t line)
{
    while (line > 0 && text_is_blank(text, (struct span){ line - 1, line }))
        line--;
    while (line > 0) {
        uint32_t end = line - 1, start = text_line_start(text, end);
        uint32_t first = past_indent(text, start);

        if (end > 0 && text.data[end] == '\n' && text.data[end - 1] == '\r')
            end--;
        if (!ends_line(text, first) && text.data[first] != '#')
            return text.data[first] == '@' || text.data[end - 1] == '\\';
        line = start;
    }
    return false;
}

/* Whether no line of [from, to) is less indented than the first, and what
 * follows is not more so: that would be of a block whose header goes. */
static bool is_block(struct bytes text, uint32_t from, uint32_t to)
{
    uint32_t indent = past_indent(text, from) - from, line = from, first = from;

    for (; line < to; line = text_line_next(text, line)) {
        first = past_indent(text, line);
        if (!ends_line(text, first) &&
            (first - line < indent ||
             memcmp(text.data + line, text.data + from, indent) != 0))
            return false;
    }
    for (; line < text.len; line = text_line_next(text, line)) {
        first = past_indent(text, line);
        if (!ends_line(text, first) && text.data[first] != '#')
            return first - line <= indent;
    }
    return true;
}

/* The whole lines that a change takes away, or puts `pass` in the place of; an
 * empty span when it does something else. From one indentation to the next one
 * that is equal, or from an end of line to another. */
static struct span lines_of(struct bytes text, const struct change *c)
{
    uint32_t a = c->at.start, b = c->at.end;
    uint32_t line = text_line_start(text, a), next = text_line_start(text, b);
    bool pass = c->len == 4 && memcmp(c->text, "pass", 4) == 0;

    if (c->len > 0 && !pass)
        return (struct span){ 0, 0 };
    if (past_indent(text, line) >= a) {
        if (ends_line(text, b))
            return (struct span){ line, text_line_next(text, b) };
        if (pass || past_indent(text, next) != b || next <= line ||
            b - next != a - line ||
            memcmp(text.data + line, text.data + next, a - line) != 0)
            return (struct span){ 0, 0 };
        return (struct span){ line, next };
    }
    if (pass || !ends_line(text, a) || !ends_line(text, b))
        return (struct span){ 0, 0 };
    return (struct span){ text_line_next(text, a), text_line_next(text, b) };
}

static bool takes_lines(const struct relevant *r, struct bytes text,
                        const struct change *c)
{
    struct span lines = lines_of(text, c);
    bool top;

    if (lines.start >= lines.end || is_led(text, lines.start) ||
        !is_block(text, lines.start, lines.end))
        return false;
    top = past_indent(text, lines.start) == lines.start;
    return !meets(&r->hard, lines) && !cuts(&r->passing, lines) &&
           (top ? !cuts(&r->soft, lines) : !meets(&r->soft, lines));
}

/* Whether a line has part of a header: without it its block would be one of
 * what is around. */
static bool heads(struct bytes text, uint32_t line, uint32_t next)
{
    static const char *const words[] = {
        "def", "class", "if",    "elif",    "else", "for",   "while",
        "try", "with",  "match", "finally", "case", "async", "except",
    };
    uint32_t first = past_indent(text, line), end = first;

    while (end < text.len && text_is_word(text.data[end]))
        end++;
    while (next > end && (ends_line(text, next - 1) ||
                          text_is_blank(text, (struct span){ next - 1, next })))
        next--;
    return text.data[first] == '@' || text.data[next - 1] == ':' ||
           text_is_one_of(bytes_of(text.data + first, end - first), words,
                          ARRAY_LEN(words));
}

static bool stays_in_line(const struct relevant *r, struct bytes text,
                          const struct change *c)
{
    uint32_t line = text_line_start(text, c->at.start);
    uint32_t next = text_line_next(text, c->at.end);

    return past_indent(text, line) < c->at.start && !heads(text, line, next) &&
           !memchr(text.data + c->at.start, '\n', span_len(c->at)) &&
           !memchr(text.data + c->at.start, '\r', span_len(c->at)) &&
           !ends_line(text, c->at.end) &&
           (c->len == 0 || (!memchr(c->text, '\n', c->len) &&
                            !memchr(c->text, '\r', c->len))) &&
           !meets_any(r, (struct span){ line, next });
}

/* Whether each statement that begins a line is indented as the first of its
 * block is: the grammar takes a block without a header for well-formed. */
static bool is_aligned(const struct nodes *ns)
{
    for (uint32_t i = 1; i < ns->n; i++) {
        uint32_t start = node_span(ns, i).start, line, up, first;

        if (!node_is_statement(ns, i))
            continue;
        line = text_line_start(ns->text, start);
        if (past_indent(ns->text, line) != start)
            continue;
        up = node_parent(ns, i);
        first = up == 0 ? line : node_span(ns, node_named_child(ns, up)).start;
        if (start - line !=
            (up == 0 ? 0 : first - text_line_start(ns->text, first)))
            return false;
    }
    return true;
}

/* Whether the top-level statements `at` are well-formed by themselves after the
 * patch, all changes of which begin in them or outside. */
static bool is_well_formed(struct bytes text, struct span at,
                           const struct patch *patch)
{
    struct tree *tree;
    struct buf buf;
    uint32_t done = at.start;
    bool well;

    buf_init(&buf, APART_MAX);
    for (size_t i = 0; i < patch->n; i++) {
        const struct change *c = &patch->changes[i];

        if (c->at.end < at.start || c->at.start < done || c->at.end > at.end)
            continue;
        buf_add(&buf, text.data + done, c->at.start - done);
        buf_add(&buf, c->text, c->len);
        done = c->at.end;
    }
    buf_add(&buf, text.data + done, at.end - done);
    tree = tree_parse(buf_bytes(&buf));
    well = !buf.full && tree_errors(tree) == 0 && is_aligned(tree_nodes(tree));
    tree_free(tree);
    buf_deinit(&buf);
    return well;
}

/* A patch that is looked at. */
struct patch_look {
    const struct relevant *relevant;
    struct bytes text;
    const struct span *tops;
    size_t ntops;
    const struct patch *patch;
    bool fine;
    /* Of the statements around the change before: a patch of many changes has
     * many in the same ones. */
    struct span apart;
    bool apart_known, apart_well;
};

/* Whether nothing marked is in the top-level statements around a change, and
 * they stay statements. */
static bool is_apart(struct patch_look *look, const struct change *c)
{
    struct span at = around(look->text, look->tops, look->ntops, c->at);

    if (look->apart_known && at.start == look->apart.start &&
        at.end == look->apart.end)
        return look->apart_well;
    look->apart = at;
    look->apart_known = true;
    look->apart_well = span_len(at) <= APART_MAX &&
                       !meets_any(look->relevant, at) &&
                       is_well_formed(look->text, at, look->patch);
    return look->apart_well;
}

static bool is_harmless(struct patch_look *look, const struct change *c)
{
    const struct relevant *r = look->relevant;
    struct bytes text = look->text;
    struct bytes in = bytes_of(c->text ? c->text : "", c->len);
    struct bytes out = bytes_of(text.data + c->at.start, span_len(c->at));

    if (joins(text, c) || says_relevant(r, in))
        return false;
    if (takes_lines(r, text, c))
        return true;
    return is_whole(in) && is_whole(out) &&
           (is_apart(look, c) || (look->fine && stays_in_line(r, text, c)));
}

bool relevant_touched(const struct relevant *r, struct bytes text,
                      const struct span *tops, size_t ntops,
                      const struct patch *patch, bool fine)
{
    struct patch_look look = { .relevant = r,
                               .text = text,
                               .tops = tops,
                               .ntops = ntops,
                               .patch = patch,
                               .fine = fine };

    if (r->all)
        return true;
    for (size_t i = 0; i < patch->n; i++)
        if (!is_harmless(&look, &patch->changes[i]))
            return true;
    return false;
}
