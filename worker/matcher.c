/* Texts are found by memmem over whole blocks, so a flood without hits costs a
 * fast scan and no work per line. Regular expressions go line by line: the same
 * line gives the same answer wherever the blocks were cut.
 *
 * A text with a newline in it may begin in one block and end in the next. For
 * it the last bytes of what came before are carried along, one less than the
 * text has, and never more than what follows its last hit. */
#include "worker/matcher.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "config/mem.h"

#define LINE_MAX_BYTES 1024 /* of a kept line: what protocol.h promises */
#define LINE_BEFORE 256     /* kept before a hit in a longer line */
#define OVERLAP_MAX (16u << 10)
#define STEPS_MAX 200000 /* of a regex on one line: some milliseconds */
#define HEAP_MAX_KB 4096

struct code {
    char *text;
    size_t len;
    bool spans;     /* has a newline */
    pcre2_code *re; /* NULL for a text */
};

struct matcher {
    struct code *codes;
    size_t n;
    pcre2_match_context *context;
    pcre2_match_data *match;
};

static int compile(struct code *code, size_t index, struct err *err)
{
    uint32_t options = PCRE2_MULTILINE | PCRE2_UTF | PCRE2_MATCH_INVALID_UTF;
    PCRE2_SPTR text = (PCRE2_SPTR)code->text;
    PCRE2_UCHAR reason[200];
    PCRE2_SIZE offset;
    int error;

    code->re = pcre2_compile(text, code->len, options, &error, &offset, NULL);
    if (!code->re && error <= PCRE2_ERROR_UTF8_ERR1 &&
        error >= PCRE2_ERROR_UTF8_ERR21) /* bytes, then */
        code->re = pcre2_compile(text, code->len, PCRE2_MULTILINE, &error,
                                 &offset, NULL);
    if (!code->re) {
        pcre2_get_error_message(error, reason, sizeof(reason));
        return err_set(err, -EINVAL,
                       "pattern %zu, \"%.200s\", is no regular expression: "
                       "%s at offset %zu",
                       index + 1, code->text, (const char *)reason, offset);
    }
    pcre2_jit_compile(code->re, PCRE2_JIT_COMPLETE); /* else interpreted */
    return 0;
}

struct matcher *matcher_new(const struct pattern *patterns, size_t n,
                            struct err *err)
{
    struct matcher *matcher = xcalloc(1, sizeof(*matcher));

    matcher->codes = xcalloc(n + 1, sizeof(*matcher->codes));
    matcher->n = n;
    matcher->context = pcre2_match_context_create(NULL);
    matcher->match = pcre2_match_data_create(1, NULL);
    if (!matcher->context || !matcher->match)
        abort(); /* as mem.h does */
    pcre2_set_match_limit(matcher->context, STEPS_MAX);
    pcre2_set_heap_limit(matcher->context, HEAP_MAX_KB);
    for (size_t i = 0; i < n; i++) {
        struct code *code = &matcher->codes[i];
        code->text = xstrdup(patterns[i].text);
        code->len = strlen(code->text);
        code->spans = memchr(code->text, '\n', code->len) != NULL;
        if (patterns[i].regex && compile(code, i, err)) {
            matcher_free(matcher);
            return NULL;
        }
    }
    return matcher;
}

void matcher_free(struct matcher *matcher)
{
    if (!matcher)
        return;
    for (size_t i = 0; i < matcher->n; i++) {
        free(matcher->codes[i].text);
        pcre2_code_free(matcher->codes[i].re);
    }
    pcre2_match_context_free(matcher->context);
    pcre2_match_data_free(matcher->match);
    free(matcher->codes);
    free(matcher);
}

size_t matcher_count(const struct matcher *matcher)
{
    return matcher->n;
}

size_t matcher_overlap(const struct matcher *matcher)
{
    size_t most = 0;

    for (size_t i = 0; i < matcher->n; i++) {
        /* how much a regex takes is unknown: a line's worth of context */
        size_t n = matcher->codes[i].re ? 4096 : matcher->codes[i].len;
        most = n > most ? n : most;
    }
    return most < OVERLAP_MAX ? most : OVERLAP_MAX;
}

/* Find the first hit of the regex that begins at `from` or later. Not found is
 * also what passes the limits. */
static bool regex_hit(const struct matcher *matcher, const struct code *code,
                      struct bytes text, size_t from, struct span *hit)
{
    int rc = pcre2_match(code->re, (PCRE2_SPTR)text.data, text.len, from, 0,
                         matcher->match, matcher->context);
    PCRE2_SIZE *ends = pcre2_get_ovector_pointer(matcher->match);

    if (rc < 0)
        return false;
    *hit = (struct span){ (uint32_t)ends[0], (uint32_t)ends[1] };
    return true;
}

bool matcher_finds(const struct matcher *matcher, size_t i, const char *text,
                   size_t len)
{
    const struct code *code = &matcher->codes[i];
    struct span hit;

    if (code->re)
        return regex_hit(matcher, code, bytes_of(text ? text : "", len), 0,
                         &hit);
    return code->len && memmem(text, len, code->text, code->len);
}

void tally_init(struct tally *tally, const struct matcher *matcher)
{
    tally->matcher = matcher;
    tally->of = xcalloc(matcher->n + 1, sizeof(*tally->of));
    for (size_t i = 0; i < matcher->n; i++)
        if (!matcher->codes[i].re && matcher->codes[i].spans)
            tally->of[i].carry = xcalloc(matcher->codes[i].len, 1);
}

void tally_deinit(struct tally *tally)
{
    for (size_t i = 0; i < tally->matcher->n; i++) {
        for (size_t k = 0; k < tally->of[i].nlines; k++)
            free(tally->of[i].lines[k]);
        free(tally->of[i].carry);
    }
    free(tally->of);
}

void tally_break(struct tally *tally)
{
    for (size_t i = 0; i < tally->matcher->n; i++)
        tally->of[i].carry_len = 0;
}

/* Keep a line if it is new; takes it. */
static void keep_line(struct hits *hits, char *line)
{
    for (size_t i = 0; i < hits->nlines; i++) {
        if (strcmp(hits->lines[i], line) == 0) {
            free(line);
            return;
        }
    }
    if (hits->nlines < MATCH_LINES_MAX)
        hits->lines[hits->nlines++] = line;
    else
        free(line);
}

/* Keep the line that holds the byte before `end`, a hit's end in `data`; the
 * hit began at `start`. */
static void keep_hit(struct hits *hits, const char *data, size_t len,
                     size_t start, size_t end)
{
    size_t last = end > start ? end - 1 : end;

    if (hits->nlines == MATCH_LINES_MAX)
        return;
    const char *before = last ? memrchr(data, '\n', last) : NULL;
    const char *after =
        last < len ? memchr(data + last, '\n', len - last) : NULL;
    size_t from = before ? (size_t)(before - data) + 1 : 0;
    size_t to = after ? (size_t)(after - data) : len;

    if (end - from > LINE_MAX_BYTES && start > from + LINE_BEFORE)
        from = start - LINE_BEFORE;
    if (to - from > LINE_MAX_BYTES)
        to = from + LINE_MAX_BYTES;
    keep_line(hits, xmemdup(data + from, to - from));
}

/* The first hit in a line that does not end within its `old` bytes. */
static bool new_hit(const struct matcher *matcher, const struct code *code,
                    struct bytes line, size_t old, struct span *hit)
{
    size_t from = 0;

    while (regex_hit(matcher, code, line, from, hit)) {
        if (old == 0 || hit->end > old)
            return true;
        from = hit->end > hit->start ? hit->end : hit->end + 1u;
        if (from > line.len)
            break;
    }
    return false;
}

static void count_regex(struct tally *tally, size_t i, const char *data,
                        size_t len, size_t old)
{
    const struct matcher *matcher = tally->matcher;
    struct hits *hits = &tally->of[i];

    for (size_t at = 0; at < len; old = 0) {
        size_t n = len - at;
        const char *newline = memchr(data + at, '\n', n);
        struct span hit;

        n = newline ? (size_t)(newline - data) - at : n;
        if (new_hit(matcher, &matcher->codes[i], bytes_of(data + at, n), old,
                    &hit)) {
            hits->count++;
            keep_hit(hits, data + at, n, hit.start, hit.end);
        }
        at += n + 1;
    }
}

static void count_text(struct hits *hits, const struct code *code,
                       const char *data, size_t len, size_t old)
{
    /* a hit that ends in the old bytes was counted with them */
    size_t at = old >= code->len ? old - code->len + 1 : 0;
    const char *hit;

    while ((hit = memmem(data + at, len - at, code->text, code->len))) {
        size_t start = (size_t)(hit - data);
        hits->count++;
        at = start + code->len;
        keep_hit(hits, data, len, start, at);
    }
}

/* A hit's last line lies in the new block, as blocks are whole lines. */
static void count_spanning(struct hits *hits, const struct code *code,
                           const char *data, size_t len)
{
    size_t room = code->len - 1, old = hits->carry_len, at = 0;
    size_t head = len < room ? len : room;
    char *joint = xcalloc(old + head + 1, 1);
    const char *hit;

    /* what begins in the carry ends within the first bytes of the block */
    memcpy(joint, hits->carry, old);
    memcpy(joint + old, data, head);
    hit = old ? memmem(joint, old + head, code->text, code->len) : NULL;
    if (hit && (size_t)(hit - joint) < old) {
        at = (size_t)(hit - joint) + code->len - old;
        hits->count++;
        keep_hit(hits, data, len, at - 1, at);
        old = 0;
    }
    while ((hit = memmem(data + at, len - at, code->text, code->len))) {
        at = (size_t)(hit - data) + code->len;
        hits->count++;
        keep_hit(hits, data, len, at - 1, at);
    }
    if (len - at >= room) {
        memcpy(hits->carry, data + len - room, room);
        hits->carry_len = room;
    } else { /* old bytes count only while no hit has used them */
        size_t fresh = len - at;
        size_t keep = at ? 0 : old;
        keep = keep < room - fresh ? keep : room - fresh;
        memmove(hits->carry, hits->carry + hits->carry_len - keep, keep);
        memcpy(hits->carry + keep, data + at, fresh);
        hits->carry_len = keep + fresh;
    }
    free(joint);
}

void tally_add(struct tally *tally, const char *data, size_t len, size_t old)
{
    for (size_t i = 0; i < tally->matcher->n; i++) {
        const struct code *code = &tally->matcher->codes[i];
        if (code->re)
            count_regex(tally, i, data, len, old);
        else if (code->spans)
            count_spanning(&tally->of[i], code, data + old, len - old);
        else if (code->len)
            count_text(&tally->of[i], code, data, len, old);
    }
}

void tally_move(struct tally *to, struct tally *from)
{
    for (size_t i = 0; i < to->matcher->n; i++) {
        struct hits *hits = &from->of[i];
        to->of[i].count += hits->count;
        for (size_t k = 0; k < hits->nlines; k++)
            keep_line(&to->of[i], hits->lines[k]);
        hits->count = 0;
        hits->nlines = 0;
        hits->carry_len = 0;
    }
}
