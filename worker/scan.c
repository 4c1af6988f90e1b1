/* Two streams, each on its way through three steps:
 *
 *   bytes --> head and tail kept --> whole lines --> kind of line --> tallies
 *
 * Almost all output is plain, so the bytes are handled in blocks of whole
 * lines. A block in which nothing begins (no mark of traceback.h, no escape, no
 * carriage return) while nothing is going on is plain as a whole. Else it goes
 * line by line until nothing is going on any more.
 *
 * Results do not depend on how the bytes were cut: a line of up to LINE_MAX is
 * always seen whole, and a longer one in pieces that begin at fixed distances
 * from its start. Which stream came first does not count either: hits are
 * tallied by stream and put together at the end.
 *
 * Hits in the exception that counts have a tally of their own. When another
 * one takes its place, they turn out to be plain output. */
#include "worker/scan.h"

#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "worker/matcher.h"
#include "worker/traceback.h"

#define LINE_PIECE (64u << 10)
#define MARKS (TRACEBACK_MARKS + 2) /* escape and carriage return */

static const char cut_text[] = "\n...\n";

struct stream {
    struct traceback traceback;
    struct tally plain, echo, exception;
    enum line_kind last; /* kind of the line before */

    char *head, *tail; /* tail is a ring */
    size_t head_len, tail_at, tail_len;
    bool cut;

    char *line;     /* a line not yet whole; LINE_PIECE and the overlap */
    size_t len;     /* of it */
    size_t old;     /* bytes in front that were in the piece before */
    bool in_pieces; /* the line was longer than a piece */
};

struct scan {
    const struct matcher *matcher;
    size_t head_max, tail_max, overlap;
    struct stream streams[2];
};

/* Whether a text holds a pattern. */
static bool holds_pattern(const void *arg, const char *text, size_t len)
{
    const struct matcher *matcher = arg;

    for (size_t i = 0; i < matcher_count(matcher); i++)
        if (matcher_finds(matcher, i, text, len))
            return true;
    return false;
}

static void stream_init(struct scan *scan, struct stream *stream,
                        const char *script, bool raises)
{
    traceback_init(&stream->traceback, script, raises);
    stream->traceback.asked = holds_pattern;
    stream->traceback.arg = scan->matcher;
    tally_init(&stream->plain, scan->matcher);
    tally_init(&stream->echo, scan->matcher);
    tally_init(&stream->exception, scan->matcher);
    stream->head = xcalloc(scan->head_max + 1, 1);
    stream->tail = xcalloc(scan->tail_max + 1, 1);
    stream->line = xcalloc(LINE_PIECE + scan->overlap + 1, 1);
}

static void stream_deinit(struct stream *stream)
{
    traceback_deinit(&stream->traceback);
    tally_deinit(&stream->plain);
    tally_deinit(&stream->echo);
    tally_deinit(&stream->exception);
    free(stream->head);
    free(stream->tail);
    free(stream->line);
}

struct scan *scan_new(const struct matcher *matcher, const char *script,
                      size_t output_max)
{
    struct scan *scan = xcalloc(1, sizeof(*scan));

    scan->matcher = matcher;
    scan->head_max = output_max / 2;
    scan->tail_max = output_max - scan->head_max;
    scan->overlap = matcher_overlap(matcher);
    stream_init(scan, &scan->streams[SCAN_OUT], script, false);
    stream_init(scan, &scan->streams[SCAN_ERR], script, true);
    return scan;
}

void scan_free(struct scan *scan)
{
    if (!scan)
        return;
    stream_deinit(&scan->streams[SCAN_OUT]);
    stream_deinit(&scan->streams[SCAN_ERR]);
    free(scan);
}

/* ---- head and tail ---- */

static void keep_tail(struct scan *scan, struct stream *stream,
                      const char *data, size_t len)
{
    size_t max = scan->tail_max;

    if (stream->tail_len + len > max)
        stream->cut = true;
    if (len >= max) {
        memcpy(stream->tail, data + len - max, max);
        stream->tail_at = 0;
        stream->tail_len = max;
        return;
    }
    size_t end = (stream->tail_at + stream->tail_len) % max;
    size_t first = len < max - end ? len : max - end;
    memcpy(stream->tail + end, data, first);
    memcpy(stream->tail, data + first, len - first);
    stream->tail_len += len;
    if (stream->tail_len > max) {
        stream->tail_at = (stream->tail_at + stream->tail_len - max) % max;
        stream->tail_len = max;
    }
}

static void keep_output(struct scan *scan, struct stream *stream,
                        const char *data, size_t len)
{
    size_t room = scan->head_max - stream->head_len;
    size_t n = len < room ? len : room;

    memcpy(stream->head + stream->head_len, data, n);
    stream->head_len += n;
    if (n < len)
        keep_tail(scan, stream, data + n, len - n);
}

static char *take_output(struct scan *scan, struct stream *stream, size_t *len)
{
    char *out =
        xcalloc(stream->head_len + stream->tail_len + sizeof(cut_text), 1);
    size_t n = stream->head_len, first = scan->tail_max - stream->tail_at;

    memcpy(out, stream->head, n);
    if (stream->cut) {
        memcpy(out + n, cut_text, sizeof(cut_text) - 1);
        n += sizeof(cut_text) - 1;
    }
    first = first < stream->tail_len ? first : stream->tail_len;
    memcpy(out + n, stream->tail + stream->tail_at, first);
    memcpy(out + n + first, stream->tail, stream->tail_len - first);
    *len = n + stream->tail_len;
    return out;
}

/* ---- lines ---- */

/* Take terminal sequences (colours, titles) out of a text, in place; returns
 * the new length. */
static size_t strip_escapes(char *text, size_t len)
{
    size_t to = 0, at = 0;

    while (at < len) {
        if (text[at] != '\x1b' || at + 1 == len) {
            text[to++] = text[at++];
            continue;
        }
        char kind = text[at + 1];
        at += 2;
        if (kind == '[') {
            while (at < len && text[at] >= 0x20 && text[at] < 0x40)
                at++;
            at += at < len;
        } else if (kind == ']') { /* up to BEL or ESC \ */
            while (at < len && text[at] != '\a' && text[at] != '\x1b')
                at++;
            at += at < len && text[at] == '\a' ? 1 : at + 1 < len ? 2 : 0;
        }
    }
    return to;
}

static struct tally *tally_of(struct stream *stream, enum line_kind kind)
{
    switch (kind) {
    case LINE_PLAIN:
        return &stream->plain;
    case LINE_ECHO:
        return &stream->echo;
    case LINE_RAISED:
    case LINE_MESSAGE:
        return &stream->exception;
    }
    return &stream->plain;
}

/* Text of one kind: whole lines, or a piece that begins with `old` bytes. */
static void count(struct stream *stream, enum line_kind kind, const char *data,
                  size_t len, size_t old)
{
    struct tally *tally = tally_of(stream, kind);

    if (kind == LINE_RAISED)
        tally_move(&stream->plain, &stream->exception);
    if (kind == LINE_RAISED || tally_of(stream, stream->last) != tally)
        tally_break(tally);
    /* the rest of a long first line does not raise again */
    stream->last = kind == LINE_RAISED ? LINE_MESSAGE : kind;
    tally_add(tally, data, len, old);
}

/* One line, or the next piece of one, in memory that may be written: `len`
 * bytes without newline and one more of room. `ends`: a newline follows. */
static void take_line(struct stream *stream, char *line, size_t *len, bool ends)
{
    size_t old = stream->old;
    size_t n = old + strip_escapes(line + old, *len - old);
    enum line_kind kind = stream->last;

    while (ends && n > old && line[n - 1] == '\r')
        n--;
    if (!stream->in_pieces)
        kind = traceback_line(&stream->traceback, line, n);
    *len = n;
    if (ends)
        line[n++] = '\n';
    count(stream, kind, line, n, old);
}

/* Where something may begin in data[at..len); len for nowhere. `next` holds for
 * each mark the place found last (SIZE_MAX: not looked for yet), so that a
 * block with many marks is not searched again from each of them. */
static size_t next_mark(const char *data, size_t at, size_t len, size_t *next)
{
    static const char *const bytes[] = { "\x1b", "\r" };
    size_t first = len;

    for (size_t k = 0; k < MARKS; k++) {
        const char *mark = k < TRACEBACK_MARKS ? traceback_marks[k]
                                               : bytes[k - TRACEBACK_MARKS];
        if (next[k] == SIZE_MAX || next[k] < at) {
            const char *hit = memmem(data + at, len - at, mark, strlen(mark));
            next[k] = hit ? (size_t)(hit - data) : len;
        }
        first = next[k] < first ? next[k] : first;
    }
    return first;
}

/* End of the lines from `at` on that are plain for sure; `at` for none. */
static size_t plain_end(const struct stream *stream, const char *data,
                        size_t at, size_t len, size_t *next)
{
    if (!traceback_idle(&stream->traceback))
        return at;
    size_t mark = next_mark(data, at, len, next);
    if (mark == len)
        return len;
    const char *before = memrchr(data + at, '\n', mark - at);
    return before ? (size_t)(before - data) + 1 : at;
}

static size_t line_end(const char *data, size_t at, size_t len)
{
    const char *newline = memchr(data + at, '\n', len - at);

    return newline ? (size_t)(newline - data) + 1 : len;
}

/* Whole lines, none longer than a piece. `data` is not ours to write. */
static void take_block(struct stream *stream, const char *data, size_t len)
{
    size_t next[MARKS], at = 0;

    memset(next, 0xff, sizeof(next));
    while (at < len) {
        size_t end = plain_end(stream, data, at, len, next);
        if (end > at) {
            count(stream, LINE_PLAIN, data + at, end - at, 0);
        } else {
            end = line_end(data, at, len);
            size_t n = end - at - 1;
            memcpy(stream->line, data + at, n);
            take_line(stream, stream->line, &n, true);
        }
        at = end;
    }
}

/* Move up to `len` bytes into the unfinished line; returns how many. */
static size_t take_part(struct scan *scan, struct stream *stream,
                        const char *data, size_t len)
{
    size_t room = LINE_PIECE - (stream->len - stream->old);
    size_t n = len < room ? len : room;
    const char *newline = memchr(data, '\n', n);

    n = newline ? (size_t)(newline - data) : n;
    memcpy(stream->line + stream->len, data, n);
    stream->len += n;
    if (newline) {
        take_line(stream, stream->line, &stream->len, true);
        stream->len = stream->old = 0;
        stream->in_pieces = false;
        return n + 1;
    }
    if (stream->len - stream->old == LINE_PIECE) {
        take_line(stream, stream->line, &stream->len, false);
        stream->old = stream->len < scan->overlap ? stream->len : scan->overlap;
        memmove(stream->line, stream->line + stream->len - stream->old,
                stream->old);
        stream->len = stream->old;
        stream->in_pieces = true;
    }
    return n;
}

void scan_feed(struct scan *scan, enum scan_stream which, const char *data,
               size_t len)
{
    struct stream *stream = &scan->streams[which];

    keep_output(scan, stream, data, len);
    while (len > 0) {
        size_t n = len < LINE_PIECE ? len : LINE_PIECE;
        bool at_start = stream->len == 0 && !stream->in_pieces;
        const char *newline = at_start ? memrchr(data, '\n', n) : NULL;
        if (newline) {
            n = (size_t)(newline - data) + 1;
            take_block(stream, data, n);
        } else {
            n = take_part(scan, stream, data, len);
        }
        data += n;
        len -= n;
    }
}

/* ---- the end ---- */

/* Without memory Python prints one word and no traceback. */
static bool out_of_memory(const char *err, size_t len)
{
    static const char word[] = "MemoryError";
    size_t n = sizeof(word) - 1;

    while (len > 0 && (err[len - 1] == '\n' || err[len - 1] == '\r'))
        len--;
    return len >= n && memcmp(err + len - n, word, n) == 0 &&
           (len == n || err[len - n - 1] == '\n');
}

static char *frames_text(const struct traceback *tb)
{
    struct buf out;
    size_t len;

    buf_init(&out, EXC_FRAMES_MAX_BYTES);
    for (size_t i = 0; i < tb->nfound; i++)
        buf_addf(&out, "%s%u", i ? "," : "", (unsigned)tb->found_frames[i]);
    return buf_take(&out, &len);
}

static void fill_exception(struct traceback *tb, struct observation *o)
{
    if (!tb->found) {
        if (out_of_memory(o->err, o->err_len)) {
            o->exc_type = xstrdup("MemoryError");
            o->exc_message = xstrdup("");
        }
        return;
    }
    const char *message = buf_str(&tb->message);
    size_t len =
        strlen(message); /* zero bytes end it: exc_message is a string */

    while (len > 0 && message[len - 1] == '\n')
        len--;
    o->exc_type = xstrdup(tb->type);
    o->exc_later = tb->later;
    o->exc_message = xmemdup(message, len);
    if (tb->nfound > 0) {
        o->exc_line = tb->found_frames[tb->nfound - 1];
        o->exc_frames = frames_text(tb);
    }
}

static void fill_match(struct scan *scan, size_t i, struct pattern_match *match)
{
    struct stream *out = &scan->streams[SCAN_OUT];
    struct stream *err = &scan->streams[SCAN_ERR];
    struct bytes seen = buf_bytes(&err->traceback.seen);
    struct hits *plain = &out->plain.of[i];

    match->plain = plain->count;
    match->echo = out->echo.of[i].count + err->echo.of[i].count;
    match->in_exception = err->exception.of[i].count > 0 ||
                          matcher_finds(scan->matcher, i, seen.data, seen.len);
    match->nlines = plain->nlines;
    memcpy(match->lines, plain->lines, sizeof(plain->lines));
    plain->nlines = 0; /* taken */
}

void scan_finish(struct scan *scan, struct observation *o)
{
    struct stream *out = &scan->streams[SCAN_OUT];
    struct stream *err = &scan->streams[SCAN_ERR];

    for (size_t i = 0; i < ARRAY_LEN(scan->streams); i++) {
        struct stream *stream = &scan->streams[i];
        if (stream->len > stream->old) /* the last line lacks its newline */
            take_line(stream, stream->line, &stream->len, false);
        stream->len = stream->old = 0;
    }
    o->nmatches = matcher_count(scan->matcher);
    o->matches = xcalloc(o->nmatches + 1, sizeof(*o->matches));
    for (size_t i = 0; i < o->nmatches; i++)
        o->matches[i].plain_err = err->plain.of[i].count;
    tally_move(&out->plain, &err->plain);

    o->out = take_output(scan, out, &o->out_len);
    o->err = take_output(scan, err, &o->err_len);
    o->out_cut = out->cut;
    o->err_cut = err->cut;
    fill_exception(&err->traceback, o);
    for (size_t i = 0; i < o->nmatches; i++)
        fill_match(scan, i, &o->matches[i]);
}
