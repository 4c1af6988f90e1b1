/* C, C++ and CUDA in strings of many lines, for CuPy, torch's load_inline and
 * their like.
 *
 * No parser: brackets, semicolons, comments, literals and lines of the
 * preprocessor are enough to see the statements of each block. Those are a
 * list for each block, so that runs of them go, an inner one once the outer
 * one has failed. A block can lose what is around it (`for (..) { a; }` to
 * `a;`) or its `else`. Comments are one list, and so is all white space that is
 * more than one blank.
 *
 * In an f-string braces are doubled, and what stands in single ones is a word.
 * A text whose brackets do not close is left to the generator `string`. */
#include "grammar/gen/source.h"

#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "grammar/gen/draft.h"

/* Deeper is no kernel. */
#define DEPTH_MAX 200

void gen_source(struct gen *g);

struct statement {
    uint32_t block; /* whose statement it is */
    struct span at;
};

/* A block that is open, and the statement begun in it. */
struct level {
    uint32_t block;
    uint32_t start; /* of the statement; UINT32_MAX: none begun */
    uint32_t open;  /* behind the brace that opened its first block, or 0 */
    uint32_t close; /* before the brace that closed it */
    uint32_t rest;  /* behind that brace, when `else` follows; or 0 */
    unsigned round; /* open brackets that are no blocks */
    bool called;    /* a round bracket stood in it */
};

struct wrap { /* what goes around the body of a block, or its else */
    struct span statement, before, behind;
};

struct source {
    const struct nodes *ns;
    struct span inside;
    uint32_t node; /* next one of the string that is yet to be passed */
    uint32_t past;
    uint32_t brace; /* bytes of one brace: 2 in an f-string */
    struct level levels[DEPTH_MAX];
    unsigned depth;
    uint32_t blocks;
    struct statement *statements;
    size_t n, room;
    struct wrap *wraps;
    size_t nwraps, wraps_room;
    struct span *comments;
    size_t ncomments, comments_room;
    struct span *blanks;
    size_t nblanks, blanks_room;
    bool broken;
};

static char byte_at(const struct source *s, uint32_t at)
{
    return at < s->inside.end ? s->ns->text.data[at] : '\0';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The end of the interpolation that starts here; 0 when none does. */
static uint32_t interpolation_end(struct source *s, uint32_t at)
{
    while (s->node < s->past && node_span(s->ns, s->node).start < at)
        s->node++;
    for (uint32_t i = s->node; i < s->past && node_span(s->ns, i).start == at;
         i++)
        if (node_is(s->ns, i, NODE_INTERPOLATION))
            return node_span(s->ns, i).end;
    return 0;
}

static uint32_t line_end(const struct source *s, uint32_t at)
{
    while (at < s->inside.end && byte_at(s, at) != '\n')
        at++;
    return at;
}

/* The end of a line of the preprocessor, which a backslash carries on. */
static uint32_t directive_end(const struct source *s, uint32_t at)
{
    do
        at = line_end(s, at + 1);
    while (at < s->inside.end && byte_at(s, at - 1) == '\\');
    return at;
}

static uint32_t comment_end(const struct source *s, uint32_t at)
{
    const char *text = s->ns->text.data;
    const char *end;

    if (byte_at(s, at + 1) == '/')
        return line_end(s, at);
    end = memmem(text + at + 2, s->inside.end - at - 2, "*/", 2);
    return end ? (uint32_t)(end - text) + 2 : s->inside.end;
}

static uint32_t literal_end(const struct source *s, uint32_t at)
{
    char quote = byte_at(s, at++);

    while (at < s->inside.end && byte_at(s, at) != quote) {
        if (byte_at(s, at) == '\n')
            return at; /* an apostrophe of a directive or a comment */
        at += byte_at(s, at) == '\\' ? 2 : 1;
    }
    return at < s->inside.end ? at + 1 : s->inside.end;
}

static void add_span(struct span **spans, size_t *n, size_t *room,
                     struct span at)
{
    xgrow(spans, room, *n + 1, sizeof(**spans));
    (*spans)[(*n)++] = at;
}

/* White space and comments from here on are passed over. */
static uint32_t skip_blanks(struct source *s, uint32_t at)
{
    while (at < s->inside.end) {
        uint32_t from = at;

        while (is_blank(byte_at(s, at)))
            at++;
        if (at > from + 1)
            add_span(&s->blanks, &s->nblanks, &s->blanks_room,
                     (struct span){ from, at });
        if (byte_at(s, at) != '/' ||
            (byte_at(s, at + 1) != '/' && byte_at(s, at + 1) != '*'))
            break;
        from = at;
        at = comment_end(s, at);
        add_span(&s->comments, &s->ncomments, &s->comments_room,
                 (struct span){ from, at });
    }
    return at;
}

static void add_wrap(struct source *s, struct span statement,
                     struct span before, struct span behind)
{
    xgrow(&s->wraps, &s->wraps_room, s->nwraps + 1, sizeof(*s->wraps));
    s->wraps[s->nwraps++] = (struct wrap){ statement, before, behind };
}

static void end_statement(struct source *s, uint32_t end)
{
    struct level *level = &s->levels[s->depth];
    struct span at = { level->start, end };

    if (level->start != UINT32_MAX) {
        xgrow(&s->statements, &s->room, s->n + 1, sizeof(*s->statements));
        s->statements[s->n++] = (struct statement){ level->block, at };
        if (level->open && (s->depth > 0 || !level->called))
            add_wrap(s, at, (struct span){ at.start, level->open },
                     (struct span){ level->close, end });
        if (level->rest)
            add_wrap(s, at, (struct span){ level->rest, end },
                     (struct span){ end, end });
    }
    level->start = UINT32_MAX;
    level->open = level->rest = 0;
    level->called = false;
}

static bool is_word(const struct source *s, uint32_t at, const char *word)
{
    size_t len = strlen(word);

    return s->inside.end - at > len &&
           memcmp(s->ns->text.data + at, word, len) == 0;
}

/* Whether a brace opens a block of statements, and no list of values or
 * members: told by what stands before it. */
static bool has_statements(const struct source *s, uint32_t at)
{
    uint32_t start = s->levels[s->depth].start, before = at;

    if (start == at || is_word(s, start, "do") || is_word(s, start, "extern") ||
        is_word(s, start, "namespace"))
        return true;
    while (before > start && is_blank(byte_at(s, before - 1)))
        before--;
    return byte_at(s, before - 1) == ')';
}

static void open_block(struct source *s, uint32_t at)
{
    struct level *level = &s->levels[s->depth];

    if (level->round > 0) {
        level->round++;
        return;
    }
    if (s->depth + 1 == DEPTH_MAX) {
        s->broken = true;
        return;
    }
    if (!level->open && has_statements(s, at))
        level->open = at + s->brace;
    s->levels[++s->depth] =
        (struct level){ .block = ++s->blocks, .start = UINT32_MAX };
}

/* Behind a closing brace: does the statement go on? */
static void close_block(struct source *s, uint32_t at)
{
    struct level *level = &s->levels[s->depth];
    uint32_t end = at + s->brace, next;

    if (level->round > 0) {
        level->round--;
        return;
    }
    if (s->depth == 0) {
        s->broken = true;
        return;
    }
    level = &s->levels[--s->depth];
    if (!level->rest)
        level->close = at;
    for (next = end; is_blank(byte_at(s, next));)
        next++;
    if (is_word(s, next, "else")) {
        if (!level->rest)
            level->rest = end;
    } else if (next >= s->inside.end || !strchr(";,)=.[", byte_at(s, next))) {
        end_statement(s, end);
    }
}

/* One token; returns where the next one starts. */
static uint32_t token(struct source *s, uint32_t at)
{
    struct level *level = &s->levels[s->depth];
    uint32_t end = interpolation_end(s, at);
    char c = byte_at(s, at);

    if (level->start == UINT32_MAX && c != '}' && c != ';')
        level->start = at;
    if (end)
        return end;
    switch (c) {
    case '#':
        if (level->start == at) {
            end = directive_end(s, at);
            end_statement(s, end);
            return end;
        }
        return at + 1;
    case '"':
    case '\'':
        return literal_end(s, at);
    case '\\':
        return at + 2;
    case '(':
    case '[':
        level->called |= c == '(';
        level->round++;
        return at + 1;
    case ')':
    case ']':
        s->broken |= level->round == 0;
        level->round -= level->round > 0;
        return at + 1;
    case '{':
        open_block(s, at);
        return at + s->brace;
    case '}':
        close_block(s, at);
        return at + s->brace;
    case ';':
        if (level->round == 0)
            end_statement(s, at + 1);
        return at + 1;
    default:
        return at + 1;
    }
}

static void source_deinit(struct source *s)
{
    free(s->statements);
    free(s->wraps);
    free(s->comments);
    free(s->blanks);
}

/* False when it does not read as C; source_deinit() in both cases. */
static bool read_source(struct source *s, const struct nodes *ns,
                        uint32_t string, struct span inside)
{
    uint32_t at = inside.start;

    *s = (struct source){ .ns = ns,
                          .inside = inside,
                          .node = string + 1,
                          .past = ns->at[string].past,
                          .brace = 1 };
    s->levels[0].start = UINT32_MAX;
    for (uint32_t i = string; i < s->past; i++)
        if (node_is(ns, i, NODE_INTERPOLATION) ||
            node_is(ns, i, NODE_ESCAPE_INTERPOLATION))
            s->brace = 2;
    if (!memchr(ns->text.data + at, '\n', span_len(inside)) ||
        !memchr(ns->text.data + at, ';', span_len(inside)))
        return false;
    for (at = skip_blanks(s, at); at < inside.end && !s->broken;
         at = skip_blanks(s, at))
        at = token(s, at);
    return !s->broken && s->depth == 0 && s->levels[0].round == 0 && s->n > 0;
}

bool source_is(const struct nodes *ns, uint32_t string, struct span inside)
{
    struct source s;
    bool good = read_source(&s, ns, string, inside);

    source_deinit(&s);
    return good;
}

static int by_block(const void *a, const void *b)
{
    const struct statement *x = a, *y = b;

    if (x->block != y->block)
        return x->block < y->block ? -1 : 1;
    return x->at.start < y->at.start ? -1 : x->at.start > y->at.start;
}

static void offer_statements(struct draft *d, struct source *s)
{
    struct item *items = xcalloc(s->n, sizeof(*items));

    qsort(s->statements, s->n, sizeof(*s->statements), by_block);
    for (size_t i = 0, j; i < s->n; i = j) {
        for (j = i;
             j < s->n && s->statements[j].block == s->statements[i].block; j++)
            items[j - i] = (struct item){ .at = s->statements[j].at,
                                          .cover = s->statements[j].at };
        gen_list(d->g, d->kind, items, j - i, "", j - i > 1);
    }
    free(items);
}

static void offer_wraps(struct draft *d, const struct source *s)
{
    for (size_t i = 0; i < s->nwraps; i++) {
        const struct wrap *wrap = &s->wraps[i];

        draft_begin(d, wrap->statement);
        draft_delete(d, wrap->before);
        draft_delete(d, wrap->behind);
        draft_end(d);
    }
}

static void offer_comments(struct draft *d, const struct source *s)
{
    edits_list_begin(d->g->out, "", true);
    for (size_t i = 0; i < s->ncomments; i++)
        draft_delete_edit(d, s->comments[i], s->comments[i]);
    edits_list_end(d->g->out);
}

/* A line end stays one, for directives and comments end there. */
static void offer_blanks(struct draft *d, const struct source *s)
{
    const char *text = s->ns->text.data;

    edits_list_begin(d->g->out, "", true);
    for (size_t i = 0; i < s->nblanks; i++) {
        struct span at = s->blanks[i];
        const char *end = memchr(text + at.start, '\n', span_len(at));
        uint32_t keep = end ? (uint32_t)(end - text) : at.start;

        draft_begin(d, at);
        draft_delete(d, (struct span){ at.start, keep });
        draft_delete(d, (struct span){ keep + 1, at.end });
        draft_end(d);
    }
    edits_list_end(d->g->out);
}

static void offer_string(struct draft *d, uint32_t string)
{
    const struct nodes *ns = d->ns;
    uint32_t start = node_child_of(ns, string, NODE_STRING_START);
    uint32_t end = node_child_of(ns, string, NODE_STRING_END);
    struct span inside;
    struct source s;

    if (start == NODE_NONE || end == NODE_NONE)
        return;
    inside =
        (struct span){ node_span(ns, start).end, node_span(ns, end).start };
    if (inside.start >= inside.end)
        return;
    if (read_source(&s, ns, string, inside)) {
        offer_statements(d, &s);
        offer_wraps(d, &s);
        offer_comments(d, &s);
        offer_blanks(d, &s);
    }
    source_deinit(&s);
}

void gen_source(struct gen *g)
{
    struct draft d;

    draft_init(&d, g, EDIT_source);
    d.raw = true;
    for (uint32_t i = 0; i < d.ns->n; i++)
        if (node_is(d.ns, i, NODE_STRING) &&
            !node_is(d.ns, node_parent(d.ns, i), NODE_EXPRESSION_STATEMENT))
            offer_string(&d, i);
    draft_deinit(&d);
}
