/* A text is read character by character; next() says what stands there and
 * show() how it is shown. What a format has to escape on top of that, it does
 * on the characters that are shown as they are. */
#include "minimizer/report/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define REPLACEMENT "\xEF\xBF\xBD"
#define NO_CHARACTER UINT32_MAX

struct character {
    uint32_t code; /* NO_CHARACTER: bytes that are no UTF-8 */
    size_t len;    /* in bytes, at least 1 */
};

/* How many bytes follow the first one; -1: it begins none. */
static int bytes_after(unsigned char first)
{
    if (first < 0x80)
        return 0;
    if (first >= 0xC2 && first < 0xE0)
        return 1;
    if (first >= 0xE0 && first < 0xF0)
        return 2;
    return first >= 0xF0 && first < 0xF5 ? 3 : -1;
}

/* Of a text that is not empty. The bounds of the second byte keep out overlong
 * forms, surrogates and what lies beyond U+10FFFF. */
static struct character next(struct bytes text)
{
    const struct character bad = { NO_CHARACTER, 1 };
    const unsigned char *s = (const unsigned char *)text.data;
    unsigned char low = s[0] == 0xE0 ? 0xA0 : s[0] == 0xF0 ? 0x90 : 0x80;
    unsigned char high = s[0] == 0xED ? 0x9F : s[0] == 0xF4 ? 0x8F : 0xBF;
    int more = bytes_after(s[0]);

    if (more < 0 || text.len <= (size_t)more)
        return bad;
    uint32_t code = more == 0 ? s[0] : s[0] & (0x3Fu >> more);
    for (int i = 1; i <= more; i++) {
        if (s[i] < low || s[i] > high)
            return bad;
        low = 0x80;
        high = 0xBF;
        code = code << 6 | (s[i] & 0x3Fu);
    }
    return (struct character){ code, (size_t)more + 1 };
}

static struct bytes after(struct bytes text, size_t n)
{
    return bytes_of(text.data + n, text.len - n);
}

/* Marks that turn the direction of what follows: UAX 9, and what CVE-2021-42574
 * is about. */
static bool turns(uint32_t code)
{
    return (code >= 0x202A && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0x200E ||
           code == 0x200F || code == 0x061C;
}

static bool is_noncharacter(uint32_t code)
{
    return (code & 0xFFFE) == 0xFFFE || (code >= 0xFDD0 && code <= 0xFDEF);
}

/* Append what is shown in place of a character; false: it is shown itself. */
static bool replace(struct buf *out, uint32_t code)
{
    if (code == '\t' || code == '\n')
        return false;
    if (code < 0x20 || code == 0x7F) {
        unsigned char picture = code == 0x7F ? 0x21 : (unsigned char)code;
        buf_adds(out, "\xE2\x90");
        buf_addc(out, (char)(0x80 | picture));
        return true;
    }
    if (code == NO_CHARACTER || (code >= 0x80 && code < 0xA0) ||
        is_noncharacter(code)) {
        buf_adds(out, REPLACEMENT);
        return true;
    }
    if (turns(code)) {
        buf_addf(out, "[U+%04X]", (unsigned)code);
        return true;
    }
    return false;
}

/* "\r\n" is one line end, and so is "\r" alone. */
static struct character next_shown(struct bytes text)
{
    struct character c = next(text);

    if (c.code == '\r') {
        c.code = '\n';
        c.len += text.len > 1 && text.data[1] == '\n';
    }
    return c;
}

size_t escape_utf8(struct buf *out, struct bytes text)
{
    size_t replaced = 0;

    for (; text.len > 0;) {
        struct character c = next(text);

        if (c.code == NO_CHARACTER) {
            buf_adds(out, REPLACEMENT);
            replaced++;
        } else {
            buf_add(out, text.data, c.len);
        }
        text = after(text, c.len);
    }
    return replaced;
}

static const char *html_entity(uint32_t code)
{
    switch (code) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

size_t escape_html(struct buf *out, struct bytes text)
{
    size_t replaced = 0;

    while (text.len > 0) {
        struct character c = next_shown(text);
        const char *entity = html_entity(c.code);

        if (entity)
            buf_adds(out, entity);
        else if (replace(out, c.code))
            replaced++;
        else if (c.code == '\n')
            buf_addc(out, '\n');
        else
            buf_add(out, text.data, c.len);
        text = after(text, c.len);
    }
    return replaced;
}

/* As text, and as one line where `line`. */
static size_t show(struct buf *out, struct bytes text, bool line)
{
    size_t replaced = 0;

    while (text.len > 0) {
        struct character c = next_shown(text);

        if (replace(out, c.code))
            replaced++;
        else if (c.code == '\n' || (line && c.code == '\t'))
            buf_addc(out, line ? ' ' : '\n');
        else
            buf_add(out, text.data, c.len);
        text = after(text, c.len);
    }
    return replaced;
}

static size_t longest_run(struct bytes text, char of)
{
    size_t longest = 0, run = 0;

    for (size_t i = 0; i < text.len; i++) {
        run = text.data[i] == of ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static void add_times(struct buf *out, char c, size_t n)
{
    while (n-- > 0 && buf_addc(out, c) == 0)
        ;
}

static bool is_plain(char c)
{
    return c != '`' && c != ' ' && c != '\t' && c != '\n' && c != '\r';
}

size_t escape_markdown_span(struct buf *out, struct bytes text)
{
    size_t fence = longest_run(text, '`') + 1;

    if (text.len == 0)
        return 0;
    /* One space on each side is taken off again; it keeps backticks of the text
     * from joining the fence, and its own spaces from being taken. */
    bool padded = !is_plain(text.data[0]) || !is_plain(text.data[text.len - 1]);
    add_times(out, '`', fence);
    buf_adds(out, padded ? " " : "");
    size_t replaced = show(out, text, true);
    buf_adds(out, padded ? " " : "");
    add_times(out, '`', fence);
    return replaced;
}

size_t escape_markdown_block(struct buf *out, const char *info,
                             struct bytes text)
{
    size_t run = longest_run(text, '`');
    size_t fence = run < 3 ? 3 : run + 1;

    add_times(out, '`', fence);
    buf_addf(out, "%s\n", info);
    size_t replaced = show(out, text, false);
    char last = text.len > 0 ? text.data[text.len - 1] : '\n';
    if (last != '\n' && last != '\r')
        buf_addc(out, '\n');
    add_times(out, '`', fence);
    buf_addc(out, '\n');
    return replaced;
}

static bool goes_on(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

struct bytes escape_head(struct bytes text, size_t max)
{
    size_t end = max;

    if (text.len <= max)
        return text;
    while (end > 0 && max - end < 4 && goes_on(text.data[end]))
        end--;
    return bytes_of(text.data, goes_on(text.data[end]) ? max : end);
}

struct bytes escape_tail(struct bytes text, size_t lines, size_t max)
{
    size_t start = text.len, least = text.len > max ? text.len - max : 0;
    size_t whole = text.len; /* where a line begins that is all there */

    while (start > least && lines > 0) {
        start--;
        if (start == 0 || text.data[start - 1] == '\n') {
            whole = start;
            lines--;
        }
    }
    if (lines > 0 && start > 0 && whole == text.len) {
        whole = start;
        while (whole < text.len && whole - start < 4 &&
               goes_on(text.data[whole]))
            whole++;
    }
    return after(text, whole);
}
