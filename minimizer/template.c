/* A line is read once, left to right, by a scanner of tokens: asked text,
 * path, quoted text, word, number, any other byte. Each token is copied,
 * replaced by "#" or becomes a gap.
 *
 *   words of the script   gap (only beside asked text, see signature_pin.c)
 *   'quoted' with other than a name in it   gap: a value, not a term
 *   tile_7                tile_#, but float16 stays: it says what, not which
 *   (100.0%)              stays apart from (12.5%): all is not some
 *   at index (3, 1)       at index (#): a place, whose length may change
 *   a stray access, as    the first of the two, whichever it is
 *   CUDA calls it
 *
 * Blanks beside a gap belong to it, so that "cannot prove X" fits "X". */
#include "minimizer/template.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "minimizer/cuda_fault.h"

#define QUOTED_MAX 200

/* ---- bytes ---- */

static bool is_letter(char c)
{
    return isalpha((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
    return isdigit((unsigned char)c);
}

static bool is_word(char c)
{
    return is_letter(c) || is_digit(c);
}

static bool is_hex(char c)
{
    return isxdigit((unsigned char)c);
}

/* ---- the words of a script ---- */

struct words {
    struct bytes *at;
    size_t n, room;
    char *copy; /* the script in UTF-8 when it was not, else NULL */
};

static int compare_words(const void *a, const void *b)
{
    const struct bytes *x = a, *y = b;
    size_t n = x->len < y->len ? x->len : y->len;
    int order = memcmp(x->data, y->data, n);

    return order ? order : (x->len > y->len) - (x->len < y->len);
}

static bool is_keyword(struct bytes word)
{
    static const char *const keywords[] = {
        "and",   "as",       "assert", "async",  "await", "break",
        "class", "continue", "def",    "del",    "elif",  "else",
        "for",   "except",   "from",   "global", "if",    "import",
        "in",    "finally",  "is",     "lambda", "not",   "nonlocal",
        "or",    "pass",     "raise",  "return", "try",   "while",
        "with",  "yield",
    };

    for (size_t i = 0; i < ARRAY_LEN(keywords); i++) {
        if (strlen(keywords[i]) == word.len &&
            memcmp(keywords[i], word.data, word.len) == 0)
            return true;
    }
    return false;
}

/* Add the words of a stretch of source; `code`: keywords do not count. */
static void add_words(struct words *words, const char *s, size_t len, bool code)
{
    for (size_t i = 0; i < len;) {
        size_t start = i;
        while (i < len && is_word(s[i]))
            i++;
        struct bytes word = bytes_of(s + start, i - start);
        if (word.len > 1 && is_letter(*word.data) &&
            !(code && is_keyword(word))) {
            xgrow(&words->at, &words->room, words->n + 1, sizeof(*words->at));
            words->at[words->n++] = word;
        }
        if (i == start)
            i++;
    }
}

/* The end of the string literal that begins at s[i], behind its quotes;
 * *quotes is how many quotes it begins with. */
static size_t string_end(const char *s, size_t len, size_t i, size_t *quotes)
{
    char q = s[i];

    *quotes = i + 2 < len && s[i + 1] == q && s[i + 2] == q ? 3 : 1;
    for (i += *quotes; i < len; i++) {
        if (s[i] == '\\')
            i++;
        else if (*quotes == 1 && (s[i] == q || s[i] == '\n'))
            return i + 1;
        else if (*quotes == 3 && i + 2 < len && s[i] == q && s[i + 1] == q &&
                 s[i + 2] == q)
            return i + 3;
    }
    return len;
}

/* A line may begin by a docstring only; other strings come behind code. */
static void read_source(struct words *words, const char *s, size_t len)
{
    bool line_start = true;

    for (size_t i = 0; i < len;) {
        if (s[i] == '#') {
            const char *end = memchr(s + i, '\n', len - i);
            i = end ? (size_t)(end - s) : len;
        } else if (s[i] == '"' || s[i] == '\'') {
            size_t quotes, end = string_end(s, len, i, &quotes);
            if (!(line_start && quotes == 3))
                add_words(words, s + i, end - i, false);
            i = end;
            line_start = false;
        } else if (is_word(s[i])) {
            size_t start = i;
            while (i < len && is_word(s[i]))
                i++;
            add_words(words, s + start, i - start, true);
            line_start = false;
        } else {
            if (s[i] == '\n')
                line_start = true;
            else if (!isspace((unsigned char)s[i]))
                line_start = false;
            i++;
        }
    }
}

/* Whether the bytes are UTF-8, as far as matters for telling latin-1. */
static bool is_utf8(struct bytes text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        size_t more = c < 0x80             ? 0
                      : (c & 0xE0) == 0xC0 ? 1
                      : (c & 0xF0) == 0xE0 ? 2
                      : (c & 0xF8) == 0xF0 ? 3
                                           : SIZE_MAX;
        if (more == SIZE_MAX || more >= text.len - i)
            return false;
        for (; more > 0; more--) {
            if (((unsigned char)text.data[++i] & 0xC0) != 0x80)
                return false;
        }
    }
    return true;
}

/* Latin-1, the commonest other encoding, as UTF-8: output comes as that. */
static char *from_latin1(struct bytes text, size_t *len)
{
    char *copy = xcalloc(2 * text.len + 1, 1);
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c >= 0x80)
            copy[n++] = (char)(0xC0 | c >> 6);
        copy[n++] = (char)(c < 0x80 ? c : (0x80 | (c & 0x3F)));
    }
    *len = n;
    return copy;
}

struct words *words_new(struct bytes script)
{
    struct words *words = xcalloc(1, sizeof(*words));

    if (!is_utf8(script)) {
        size_t len;
        words->copy = from_latin1(script, &len);
        script = bytes_of(words->copy, len);
    }
    read_source(words, script.data, script.len);
    if (words->n > 0)
        qsort(words->at, words->n, sizeof(*words->at), compare_words);
    return words;
}

void words_free(struct words *words)
{
    if (!words)
        return;
    free(words->at);
    free(words->copy);
    free(words);
}

static bool words_have(const struct words *words, const char *s, size_t len)
{
    struct bytes key = bytes_of(s, len);

    return words && words->n > 0 &&
           bsearch(&key, words->at, words->n, sizeof(key), compare_words);
}

/* ---- masking ---- */

struct scanner {
    const char *s;
    size_t len, i;
    const struct strings *asked;
    const struct words *words;
    bool gaps;
    struct buf *out;
};

static void emit_gap(struct scanner *sc)
{
    struct buf *out = sc->out;

    while (out->len > 0 && out->data[out->len - 1] == ' ')
        out->data[--out->len] = '\0';
    if (out->len == 0 || out->data[out->len - 1] != TEMPLATE_GAP)
        buf_addc(out, TEMPLATE_GAP);
    while (sc->i < sc->len && sc->s[sc->i] == ' ')
        sc->i++;
}

static bool starts(const struct scanner *sc, size_t at, const char *text)
{
    size_t n = strlen(text);

    return n <= sc->len - at && memcmp(sc->s + at, text, n) == 0;
}

/* Which asked text begins at byte `at`, the longest; its length, 0 for none. */
static size_t asked_at(const struct scanner *sc, size_t at, size_t *which)
{
    size_t best = 0;

    for (size_t k = 0; sc->asked && k < sc->asked->n; k++) {
        size_t n = strlen(sc->asked->at[k]);
        if (k < TEMPLATE_ASKED_MAX && n > best &&
            starts(sc, at, sc->asked->at[k])) {
            best = n;
            *which = k;
        }
    }
    return best;
}

static bool take_asked(struct scanner *sc)
{
    size_t which = 0, len = asked_at(sc, sc->i, &which);

    if (len == 0)
        return false;
    buf_addc(sc->out, (char)(TEMPLATE_ASKED + (char)which));
    sc->i += len;
    return true;
}

/* Whether what came before lets a path or a quoted text begin here. */
static bool at_border(const struct scanner *sc)
{
    return sc->i == 0 || strchr(" \t'\"([{<=,:;", sc->s[sc->i - 1]);
}

/* The end of a file name at `i`: "/a/b", "./a", "a/b.cc", "a.cu:5",
 * "a.cu(5):"; 0 if there is none. */
static size_t path_end(const struct scanner *sc)
{
    const char *s = sc->s;
    size_t i = sc->i, slash = 0, dot = 0;

    if (!at_border(sc))
        return 0;
    while (i < sc->len && (is_word(s[i]) || strchr("/.+-~@%", s[i]))) {
        if (s[i] == '\0')
            break;
        if (s[i] == '/') {
            slash++;
            dot = 0;
        } else if (s[i] == '.') {
            dot = i + 1;
        }
        i++;
    }
    size_t len = i - sc->i;
    if (slash > 0 && len > 1) {
        bool rooted = strchr("/.~", s[sc->i]) != NULL;
        if (rooted || (dot && dot < i && is_letter(s[dot])))
            return i;
    }
    if (!dot || dot >= i || !is_letter(s[dot]) || dot == sc->i + 1)
        return 0;
    if (i + 1 < sc->len && s[i] == ':' && is_digit(s[i + 1]))
        return i;
    size_t k = i;
    if (k < sc->len && s[k] == '(') {
        for (k++; k < sc->len && is_digit(s[k]);)
            k++;
        if (k > i + 1 && starts(sc, k, "):"))
            return i;
    }
    return 0;
}

static bool take_path(struct scanner *sc)
{
    size_t end = path_end(sc);

    if (!end)
        return false;
    buf_addc(sc->out, '#');
    sc->i = end;
    return true;
}

/* 'x + 1' or '463dg' is a value of the script's; 'int' a term that stays. An
 * asked text inside is left to the ordinary course. */
static bool take_quoted(struct scanner *sc)
{
    const char *s = sc->s;
    char q = s[sc->i];
    size_t start = sc->i + 1, i = start, which;
    bool name = true;

    if (!sc->gaps || (q != '\'' && q != '"') || !at_border(sc))
        return false;
    for (; i < sc->len && s[i] != q; i++) {
        if (i - start > QUOTED_MAX)
            return false;
        if (asked_at(sc, i, &which))
            return false;
        name = name && (is_word(s[i]) || s[i] == '.');
    }
    if (i >= sc->len || (name && i > start && is_letter(s[start])))
        return false;
    buf_addc(sc->out, q);
    sc->i = i; /* no blanks to swallow: the quote follows */
    emit_gap(sc);
    buf_addc(sc->out, q);
    sc->i = i + 1;
    return true;
}

static bool is_width(const char *s, size_t len)
{
    static const char *const types[] = { "float",   "bfloat", "int", "uint",
                                         "complex", "fp",     "bf" };

    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        size_t n = strlen(types[i]);
        if (len >= n && memcmp(s + len - n, types[i], n) == 0 &&
            (len == n || !is_word(s[len - n - 1])))
            return true;
    }
    return false;
}

/* A part of a name that is eight or more hexadecimal digits of both sorts is
 * the fingerprint of something. */
static size_t fingerprint(const char *s, size_t len)
{
    size_t n = 0;
    bool digit = false, letter = false;

    for (; n < len && is_hex(s[n]); n++) {
        digit = digit || is_digit(s[n]);
        letter = letter || !is_digit(s[n]);
    }
    return n >= 8 && digit && letter && (n == len || !is_word(s[n])) ? n : 0;
}

static void emit_word(struct scanner *sc, const char *s, size_t len)
{
    for (size_t i = 0; i < len;) {
        size_t n = i == 0 || !is_word(s[i - 1]) || s[i - 1] == '_'
                       ? fingerprint(s + i, len - i)
                       : 0;
        if (n > 0) {
            buf_addc(sc->out, '#');
            i += n;
        } else if (is_digit(s[i]) && !is_width(s, i)) {
            buf_addc(sc->out, '#');
            while (i < len && is_digit(s[i]))
                i++;
        } else if (is_digit(s[i])) {
            while (i < len && is_digit(s[i]))
                buf_addc(sc->out, s[i++]);
        } else {
            buf_addc(sc->out, s[i++]);
        }
    }
}

static bool take_word(struct scanner *sc)
{
    size_t start = sc->i, n = 1, which;

    if (!is_letter(sc->s[start]))
        return false;
    /* An asked text may begin inside a word. */
    while (start + n < sc->len && is_word(sc->s[start + n]) &&
           !asked_at(sc, start + n, &which))
        n++;
    sc->i = start + n;
    if (sc->gaps && words_have(sc->words, sc->s + start, n))
        emit_gap(sc);
    else
        emit_word(sc, sc->s + start, n);
    return true;
}

/* The end of the number at i: 0x7f, 12, 1.5e-05, 4.1.7, "1." too; 0: none. */
static size_t number_end(const struct scanner *sc)
{
    const char *s = sc->s;
    size_t i = sc->i, len = sc->len;
    bool border = i == 0 || strchr(" \t([{=,:;'\"", s[i - 1]);

    if ((s[i] == '-' || s[i] == '+') && border)
        i++;
    if (i < len && s[i] == '.' && i + 1 < len && is_digit(s[i + 1]))
        i++;
    if (i >= len || !is_digit(s[i]))
        return 0;
    if (s[i] == '0' && i + 2 < len && s[i + 1] == 'x' && is_hex(s[i + 2])) {
        for (i += 2; i < len && is_hex(s[i]);)
            i++;
        return i;
    }
    if (fingerprint(s + i, len - i))
        return i + fingerprint(s + i, len - i);
    while (i < len && is_digit(s[i])) {
        while (i < len && is_digit(s[i]))
            i++;
        if (i + 1 < len && s[i] == '.' && is_digit(s[i + 1]))
            i++;
    }
    if (i < len && s[i] == '.' &&
        (i + 1 == len || (!is_word(s[i + 1]) && s[i + 1] != '.')))
        i++;
    size_t e = i;
    if (e < len && (s[e] == 'e' || s[e] == 'E')) {
        e++;
        if (e < len && (s[e] == '-' || s[e] == '+'))
            e++;
        if (e < len && is_digit(s[e])) {
            while (e < len && is_digit(s[e]))
                e++;
            i = e;
        }
    }
    return i;
}

static bool take_number(struct scanner *sc)
{
    size_t end = number_end(sc);

    if (!end)
        return false;
    double value = strtod(sc->s + sc->i, NULL);
    bool percent = end < sc->len && sc->s[end] == '%';
    if (percent && value >= 100.0)
        buf_adds(sc->out, "100");
    else if (percent && value <= 0.0)
        buf_addc(sc->out, '0');
    else
        buf_addc(sc->out, '#');
    sc->i = end;
    return true;
}

static bool take_index(struct scanner *sc)
{
    static const char words[] = "at index (";
    size_t i = sc->i + strlen(words);

    if (!starts(sc, sc->i, words))
        return false;
    while (i < sc->len && (is_digit(sc->s[i]) || strchr(", ", sc->s[i])))
        i++;
    if (i >= sc->len || sc->s[i] != ')')
        return false;
    buf_adds(sc->out, "at index (#)");
    sc->i = i + 1;
    return true;
}

/* Which of its errors CUDA reports is chance. Asked text in it is kept. */
static bool take_stray(struct scanner *sc)
{
    const char *same;
    size_t which, n = cuda_fault_stray(sc->s + sc->i, sc->len - sc->i, &same);

    for (size_t i = 0; i < n; i++) {
        if (asked_at(sc, sc->i + i, &which))
            return false;
    }
    if (n > 0)
        buf_adds(sc->out, same);
    sc->i += n;
    return n > 0;
}

void template_line(const char *line, size_t len, const struct strings *asked,
                   const struct words *words, bool gaps, struct buf *out)
{
    if (len > TEMPLATE_LINE_MAX)
        len = TEMPLATE_LINE_MAX;
    /* A copy, NUL-terminated, so that strtod and such end in it. */
    char *copy = xmemdup(line, len);
    struct scanner sc = { copy, len, 0, asked, words, gaps, out };

    while (sc.i < len) {
        if (take_asked(&sc) || take_stray(&sc) || take_index(&sc) ||
            take_path(&sc) || take_quoted(&sc) || take_word(&sc) ||
            take_number(&sc))
            continue;
        char c = copy[sc.i++];
        buf_addc(out, c >= 0 && c < ' ' ? ' ' : c);
    }
    free(copy);
}

bool template_is_own(const char *line, size_t len, const struct words *words)
{
    for (size_t i = 0; i < len;) {
        size_t start = i;
        while (i < len && is_word(line[i]))
            i++;
        if (i - start > 1 && is_letter(line[start]) &&
            !words_have(words, line + start, i - start))
            return false;
        if (i == start)
            i++;
    }
    return true;
}

/* The usual match of a pattern with stars: on a mismatch the last gap takes
 * one byte more. */
bool template_match(const char *pattern, const char *line)
{
    const char *gap = NULL, *again = NULL;

    while (*line) {
        if (*pattern == TEMPLATE_GAP) {
            gap = pattern++;
            again = line;
        } else if (*pattern == *line) {
            pattern++;
            line++;
        } else if (gap) {
            pattern = gap + 1;
            line = ++again;
        } else {
            return false;
        }
    }
    while (*pattern == TEMPLATE_GAP)
        pattern++;
    return *pattern == '\0';
}
