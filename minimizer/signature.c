/* What a signature holds, and where it comes from:
 *
 *   ending      of the first run, or --expect
 *   type        of the exception the first run ended with, NULL for none;
 *               demanded when it ended by an exit (a traceback before a
 *               signal or a hang is talk)
 *   places      per asked text: in the exception or in plain output. The
 *               exception wins where it stood in both
 *   lines       templates: of the lines with an asked text, by its number; of
 *               the message's headline when no asked text stands in it
 *   kind        of a comparison: drift stays drift, some wrong stays some
 *
 * With an asked text the words of the script around it in an exception become
 * gaps: the text says what to look for, and the library's words are there to
 * tell one failure from another; "tail: 48 lanes ..." may become "0: 1 lanes
 * ...". Where all of the line is the script's own, only the text is left of it.
 * In plain output, which anything may print, all words up to the end of the
 * asked text stay, and without an asked text all words do.
 *
 * A judgement goes from cheap and certain to fine: no verdict, ending, what it
 * never is, texts, type, templates. */
#include "minimizer/signature.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "minimizer/comparison.h"
#include "minimizer/message.h"
#include "minimizer/template.h"

#define HEADLINE SIZE_MAX
#define WHY_MAX 160                 /* bytes of a message told */
#define TEXT_MAX ((size_t)16 << 20) /* of a message compared whole */

/* What an observation may be that is no failure of the script's unless the
 * first run was that too. */
enum trait {
    TRAIT_SYNTAX = 1 << 0,
    TRAIT_MEMORY = 1 << 1,
    TRAIT_POISON = 1 << 2, /* CUDA in a child of a poisoned parent */
    TRAIT_DISK = 1 << 3
};

struct line {
    size_t asked; /* which text stands in it; HEADLINE: none */
    bool plain;
    char *text;
};

struct signature {
    const struct config *config;
    enum observed_end end;
    int exit_code, signal;
    unsigned traits;
    char *type;
    char *message;      /* whole, for --signature exact */
    bool *in_exception; /* one a text and regex */
    bool *on_err;       /* one a text and regex: in plain output, where */
    struct line *lines;
    size_t nlines, room;
    enum comparison_kind kind;
    uint32_t exc_line;
};

/* ---- looking at an observation ---- */

static size_t nasked(const struct config *config)
{
    return config->err_msgs.n + config->err_regex.n;
}

static const struct pattern_match *match_of(const struct observation *o,
                                            size_t i)
{
    static const struct pattern_match none;

    return i < o->nmatches ? &o->matches[i] : &none;
}

static const char *message_of(const struct observation *o)
{
    return o->exc_message ? o->exc_message : "";
}

/* Text k stands in the exception, and not only where that quotes source. */
static bool in_exception(const struct config *config,
                         const struct observation *o, size_t k)
{
    if (!match_of(o, k)->in_exception)
        return false;
    if (k >= config->err_msgs.n)
        return true;
    const char *text = config->err_msgs.at[k];
    return !strstr(message_of(o), text) || strchr(text, '\n') ||
           message_says(message_of(o), text);
}

static bool occurs(const struct config *config, const struct observation *o,
                   size_t k)
{
    return match_of(o, k)->plain > 0 || in_exception(config, o, k);
}

static const char *asked_text(const struct config *config, size_t k)
{
    return k < config->err_msgs.n
               ? config->err_msgs.at[k]
               : config->err_regex.at[k - config->err_msgs.n];
}

/* The --not-msg that occurs, or NULL. */
static const char *forbidden(const struct config *config,
                             const struct observation *o)
{
    for (size_t i = 0; i < config->not_msgs.n; i++) {
        const struct pattern_match *m = match_of(o, nasked(config) + i);
        if (m->plain > 0 || m->in_exception)
            return config->not_msgs.at[i];
    }
    return NULL;
}

static bool type_is(const char *type, const char *const *names, size_t n)
{
    const char *dot = type ? strrchr(type, '.') : NULL;
    const char *name = dot ? dot + 1 : type;

    for (size_t i = 0; name && i < n; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

static bool any_of(const char *text, const char *const *parts, size_t n)
{
    for (size_t i = 0; text && i < n; i++) {
        if (strstr(text, parts[i]))
            return true;
    }
    return false;
}

static unsigned traits_of(const struct observation *o)
{
    static const char *const syntax[] = { "SyntaxError", "IndentationError",
                                          "TabError" };
    static const char *const memory[] = { "MemoryError", "OutOfMemoryError" };
    static const char *const memory_words[] = {
        "CUDA out of memory",        "out of memory. Tried to allocate",
        "CUDA error: out of memory", "cudaErrorMemoryAllocation",
        "CUDA_ERROR_OUT_OF_MEMORY",
    };
    static const char *const poison[] = {
        "Cannot re-initialize CUDA in forked subprocess",
        "CUDA driver initialization failed, you might not have a CUDA gpu",
        "CUDA error: initialization error",
        "cudaErrorInitializationError",
    };
    unsigned traits = 0;
    const char *message = message_of(o);

    if (type_is(o->exc_type, syntax, ARRAY_LEN(syntax)))
        traits |= TRAIT_SYNTAX;
    if (type_is(o->exc_type, memory, ARRAY_LEN(memory)) ||
        any_of(message, memory_words, ARRAY_LEN(memory_words)))
        traits |= TRAIT_MEMORY;
    if (o->forked && (any_of(message, poison, ARRAY_LEN(poison)) ||
                      any_of(o->err, poison, ARRAY_LEN(poison))))
        traits |= TRAIT_POISON;
    if (o->exc_type && strstr(message, "No space left on device"))
        traits |= TRAIT_DISK;
    return traits;
}

/* ---- telling what came ---- */

/* One line, cut, control bytes gone. */
static void tell(struct buf *out, const char *text, size_t len)
{
    size_t n = len > WHY_MAX ? WHY_MAX : len;

    /* Do not cut a UTF-8 sequence. */
    while (n < len && n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80)
        n--;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        buf_addc(out, c < ' ' || c == 0x7F ? ' ' : (char)c);
    }
    if (n < len)
        buf_adds(out, "...");
}

/* How a run ended, in the words that say most. */
static void tell_end(const struct observation *o, struct buf *out)
{
    char end[64];

    if (o->end == END_LOST || o->end == END_LIMIT) {
        const char *why = o->why ? o->why : "unknown reason";
        buf_adds(out, o->end == END_LOST ? "not run: " : "limit: ");
        tell(out, why, strlen(why));
    } else if (o->end == END_SYNTAX) {
        struct bytes line = message_headline(message_of(o));
        buf_adds(out, "does not compile");
        if (line.len > 0) {
            buf_adds(out, ": ");
            tell(out, line.data, line.len);
        }
    } else if (o->exc_type && o->end == END_EXIT) {
        struct bytes line = message_headline(message_of(o));
        tell(out, o->exc_type, strlen(o->exc_type));
        if (line.len > 0) {
            buf_adds(out, ": ");
            tell(out, line.data, line.len);
        }
        if (o->exit_code != 1)
            buf_addf(out, ", exit %d", o->exit_code);
    } else if (o->end == END_EXIT && o->exit_code == 0) {
        buf_adds(out, "passes");
    } else {
        buf_adds(out, observation_ending(o, end, sizeof(end)));
    }
}

static const char *end_words(const struct signature *s, char *out, size_t size)
{
    struct observation o = { .end = s->end,
                             .exit_code = s->exit_code,
                             .signal = s->signal };

    return observation_ending(&o, out, size);
}

/* ---- pinning ---- */

static void add_line(struct signature *s, size_t asked, bool plain,
                     struct buf *text)
{
    xgrow(&s->lines, &s->room, s->nlines + 1, sizeof(*s->lines));
    s->lines[s->nlines++] = (struct line){ asked, plain, buf_take(text, NULL) };
}

/* Where text k ends in a line; the line's end when it is a regex. */
static size_t end_of_asked(const struct signature *s, size_t k,
                           struct bytes line)
{
    const char *text =
        k < s->config->err_msgs.n ? s->config->err_msgs.at[k] : NULL;
    const char *at =
        text ? memmem(line.data, line.len, text, strlen(text)) : NULL;

    return at ? (size_t)(at - line.data) + strlen(text) : line.len;
}

/* Keep the template of a line with text k. */
static void keep_asked(struct signature *s, size_t k, bool plain,
                       struct bytes line, const struct words *words)
{
    struct buf text;

    buf_init(&text, TEXT_MAX);
    if (s->config->tightness == TIGHT_EXACT) {
        buf_add(&text, line.data, line.len);
    } else if (plain) {
        size_t len = end_of_asked(s, k, line);

        template_line(line.data, len, &s->config->err_msgs, NULL, true, &text);
        if (len < line.len)
            buf_addc(&text, TEMPLATE_GAP);
    } else if (k < TEMPLATE_ASKED_MAX &&
               template_is_own(line.data, line.len, words)) {
        buf_addc(&text, TEMPLATE_GAP);
        buf_addc(&text, (char)(TEMPLATE_ASKED + (char)k));
        buf_addc(&text, TEMPLATE_GAP);
    } else {
        template_line(line.data, line.len, &s->config->err_msgs, words, true,
                      &text);
    }
    add_line(s, k, plain, &text);
}

static bool says(struct bytes line, const char *text)
{
    return memmem(line.data, line.len, text, strlen(text)) != NULL;
}

/* Lines of the message with text k. True when the headline is one. */
static bool pin_message_text(struct signature *s, const struct observation *o,
                             size_t k, const struct words *words)
{
    struct message_lines lines = { message_of(o), false };
    struct bytes line;
    bool head = false, first = true;

    if (k >= s->config->err_msgs.n)
        return false; /* a regex: where it matched is not known */
    while (message_next(&lines, &line)) {
        if (says(line, s->config->err_msgs.at[k])) {
            keep_asked(s, k, false, line, words);
            head = head || first;
        }
        first = false;
    }
    return head;
}

static void pin_headline(struct signature *s, const struct observation *o,
                         const struct words *words)
{
    struct bytes line = message_headline(message_of(o));
    struct buf text;

    buf_init(&text, TEXT_MAX);
    template_line(line.data, line.len, NULL, words, true, &text);
    add_line(s, HEADLINE, false, &text);
}

static void pin_exception(struct signature *s, const struct observation *o,
                          const struct words *words)
{
    size_t n = nasked(s->config);
    bool wanted = n == 0 && o->end == END_EXIT, head = false;

    for (size_t k = 0; k < n; k++) {
        if (!s->in_exception[k])
            continue;
        wanted = true;
        if (pin_message_text(s, o, k, words))
            head = true;
    }
    if (!wanted)
        return; /* the texts stand elsewhere: the type is enough */
    s->kind = comparison_read(message_of(o)).kind;
    s->message = xstrdup(message_of(o));
    if (!head)
        pin_headline(s, o, n > 0 ? words : NULL);
}

static void pin_plain(struct signature *s, const struct observation *o,
                      const struct words *words)
{
    for (size_t k = 0; k < nasked(s->config); k++) {
        const struct pattern_match *m = match_of(o, k);
        if (s->in_exception[k])
            continue;
        for (size_t i = 0; i < m->nlines; i++)
            keep_asked(s, k, true, bytes_of(m->lines[i], strlen(m->lines[i])),
                       words);
    }
}

static void pin_end(struct signature *s, const struct observation *o)
{
    s->end = o->end;
    s->exit_code = o->exit_code;
    s->signal = o->signal;
    switch (s->config->expect) {
    case EXPECT_AS_ORIGINAL:
        break;
    case EXPECT_EXIT:
        s->end = END_EXIT;
        s->exit_code = s->config->expect_value;
        break;
    case EXPECT_SIGNAL:
        s->end = END_SIGNAL;
        s->signal = s->config->expect_value;
        break;
    case EXPECT_TIMEOUT:
        s->end = END_TIMEOUT;
        break;
    }
}

static bool end_fits(const struct signature *s, const struct observation *o)
{
    if (s->config->tightness == TIGHT_TEXT &&
        s->config->expect == EXPECT_AS_ORIGINAL && nasked(s->config) > 0)
        return o->end != END_SYNTAX &&
               (o->end != END_LIMIT || s->end == END_LIMIT);
    if (o->end != s->end)
        return false;
    if (o->end == END_EXIT)
        return o->exit_code == s->exit_code;
    return o->end != END_SIGNAL || o->signal == s->signal;
}

/* Say why the first run is not what was asked for. -1 or 0. */
static int refuse(const struct config *config, const struct observation *o,
                  struct err *err)
{
    struct buf end;
    int error = 0;

    buf_init(&end, 1024);
    tell_end(o, &end);
    const char *bad = forbidden(config, o);
    if (o->end == END_LOST || o->end == END_SYNTAX) {
        error = err_set(err, -1, "the script was not run: %s", buf_str(&end));
    } else if (config->test) {
        if (o->end != END_EXIT || o->exit_code != 0)
            error = err_set(err, -1,
                            "the --test command does not accept the script "
                            "itself: %s, where exit 0 was wanted",
                            buf_str(&end));
    } else if (bad) {
        error = err_set(err, -1,
                        "the script itself shows \"%.200s\", which --not-msg "
                        "rules out (%s)",
                        bad, buf_str(&end));
    } else if (nasked(config) == 0 && config->expect == EXPECT_AS_ORIGINAL &&
               o->end == END_EXIT && o->exit_code == 0 && !o->exc_type) {
        error = err_set(err, -1,
                        "the script does not fail: exit 0 and no "
                        "traceback");
    }
    for (size_t k = 0; !error && !config->test && k < nasked(config); k++) {
        if (occurs(config, o, k))
            continue;
        bool echo = match_of(o, k)->echo > 0 || match_of(o, k)->in_exception;
        error = err_set(err, -1, "\"%.200s\" was not %s%s; the run ended: %s",
                        asked_text(config, k),
                        k < config->err_msgs.n ? "printed" : "matched",
                        echo ? " but in source lines that a message quotes, "
                               "which do not count"
                             : "",
                        buf_str(&end));
    }
    buf_deinit(&end);
    return error;
}

struct signature *signature_pin(const struct config *config,
                                struct bytes script,
                                const struct observation *first,
                                struct err *err)
{
    if (refuse(config, first, err))
        return NULL;
    struct signature *s = xcalloc(1, sizeof(*s));
    struct words *words = words_new(script);

    s->config = config;
    s->in_exception = xcalloc(nasked(config) + 1, sizeof(bool));
    s->on_err = xcalloc(nasked(config) + 1, sizeof(bool));
    for (size_t k = 0; k < nasked(config); k++) {
        const struct pattern_match *m = match_of(first, k);

        s->in_exception[k] = in_exception(config, first, k);
        s->on_err[k] = m->plain > 0 && m->plain == m->plain_err;
    }
    pin_end(s, first);
    s->traits = traits_of(first);
    s->type = xstrdup(first->exc_type);
    s->exc_line = first->exc_line;
    if (!config->test && first->exc_type)
        pin_exception(s, first, words);
    if (!config->test)
        pin_plain(s, first, words);
    words_free(words);
    if (!config->test && !end_fits(s, first)) {
        char wanted[64];
        struct buf end;
        buf_init(&end, 1024);
        tell_end(first, &end);
        err_set(err, -1, "the run ended: %s, where --expect wants %s",
                buf_str(&end), end_words(s, wanted, sizeof(wanted)));
        buf_deinit(&end);
        signature_free(s);
        return NULL;
    }
    return s;
}

void signature_free(struct signature *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->nlines; i++)
        free(s->lines[i].text);
    free(s->lines);
    free(s->in_exception);
    free(s->on_err);
    free(s->type);
    free(s->message);
    free(s);
}

/* ---- judging ---- */

static bool line_fits(const struct signature *s, const struct line *wanted,
                      struct bytes line)
{
    struct buf text;

    if (wanted->asked < s->config->err_msgs.n &&
        !says(line, s->config->err_msgs.at[wanted->asked]))
        return false;
    buf_init(&text, TEXT_MAX);
    if (s->config->tightness == TIGHT_EXACT && wanted->asked != HEADLINE)
        buf_add(&text, line.data, line.len);
    else
        template_line(line.data, line.len,
                      wanted->asked == HEADLINE ? NULL : &s->config->err_msgs,
                      NULL, false, &text);
    bool fits = s->config->tightness == TIGHT_EXACT && wanted->asked != HEADLINE
                    ? strcmp(wanted->text, buf_str(&text)) == 0
                    : template_match(wanted->text, buf_str(&text));
    buf_deinit(&text);
    return fits;
}

static bool shown(const struct signature *s, const struct observation *o,
                  const struct line *wanted)
{
    if (wanted->asked == HEADLINE)
        return line_fits(s, wanted, message_headline(message_of(o)));
    if (wanted->plain) {
        const struct pattern_match *m = match_of(o, wanted->asked);
        for (size_t i = 0; i < m->nlines; i++) {
            if (line_fits(s, wanted,
                          bytes_of(m->lines[i], strlen(m->lines[i]))))
                return true;
        }
        return false;
    }
    struct message_lines lines = { message_of(o), false };
    struct bytes line;
    while (message_next(&lines, &line)) {
        if (line_fits(s, wanted, line))
            return true;
    }
    return false;
}

/* Of the lines of each text one must come again, and the headline. */
static bool lines_fit(const struct signature *s, const struct observation *o)
{
    for (size_t i = 0; i < s->nlines;) {
        size_t asked = s->lines[i].asked;
        bool found = false;
        for (; i < s->nlines && s->lines[i].asked == asked; i++)
            found = found || shown(s, o, &s->lines[i]);
        if (!found)
            return false;
    }
    return true;
}

static bool same_type(const struct signature *s, const struct observation *o)
{
    bool pinned = s->message != NULL;

    /* Before a signal or a hang a traceback is talk, unless the text asked
     * for stood in it. */
    if (!pinned &&
        (s->end != END_EXIT || s->config->expect != EXPECT_AS_ORIGINAL))
        return true;
    if (!s->type || !o->exc_type)
        return !s->type && !o->exc_type;
    return strcmp(s->type, o->exc_type) == 0;
}

/* In plain output of the stream where it stood at first: a text that an
 * extension or a child wrote to descriptor 2 is not one that is printed. */
static bool in_plain(const struct signature *s, const struct observation *o,
                     size_t k)
{
    const struct pattern_match *m = match_of(o, k);

    return s->on_err[k] ? m->plain_err > 0 : m->plain > m->plain_err;
}

static bool texts_fit(const struct signature *s, const struct observation *o)
{
    for (size_t k = 0; k < nasked(s->config); k++) {
        bool exception = s->in_exception[k];
        if (s->config->tightness == TIGHT_TEXT ? !occurs(s->config, o, k)
            : exception                        ? !in_exception(s->config, o, k)
                                               : !in_plain(s, o, k))
            return false;
    }
    return true;
}

/* The message, once texts and type are right. */
static bool message_fits(const struct signature *s, const struct observation *o)
{
    switch (s->config->tightness) {
    case TIGHT_TEXT:
    case TIGHT_TYPE:
        return true;
    case TIGHT_EXACT:
        if (s->message && strcmp(s->message, message_of(o)) != 0)
            return false;
        break;
    case TIGHT_TEMPLATE:
        if (s->message && comparison_read(message_of(o)).kind != s->kind)
            return false;
        break;
    }
    return lines_fit(s, o);
}

/* The reasons for which a run is no verdict; NULL if it is one. */
static const char *void_reason(const struct signature *s,
                               const struct observation *o)
{
    unsigned fresh = traits_of(o) & ~s->traits;

    if (o->end == END_LOST)
        return o->why ? o->why : "the run was lost";
    if (fresh & TRAIT_POISON)
        return "CUDA does not start in a forked run";
    if (fresh & TRAIT_DISK)
        return "no space left on device";
    return NULL;
}

static enum verdict judge_test(const struct observation *o, struct buf *why)
{
    if (o->end == END_EXIT && o->exit_code == 0)
        return VERDICT_YES;
    if (why) {
        char end[64];
        buf_adds(why, "test: ");
        buf_adds(why, observation_ending(o, end, sizeof(end)));
    }
    return VERDICT_NO;
}

enum verdict signature_judge(const struct signature *s,
                             const struct observation *o, struct buf *why)
{
    struct buf unused;
    const char *words = NULL;

    buf_init(&unused, 4096);
    struct buf *out = why ? why : &unused;
    enum verdict verdict = VERDICT_NO;

    if (o->end == END_LOST || (!s->config->test && void_reason(s, o))) {
        words = void_reason(s, o);
        tell(out, words, strlen(words));
        verdict = VERDICT_NONE;
    } else if (s->config->test) {
        verdict = judge_test(o, out);
    } else if (!end_fits(s, o)) {
        tell_end(o, out);
    } else if (traits_of(o) & ~s->traits) {
        tell_end(o, out);
    } else if ((words = forbidden(s->config, o))) {
        buf_adds(out, "shows what --not-msg names: ");
        tell(out, words, strlen(words));
    } else if (s->config->tightness != TIGHT_TEXT && !same_type(s, o)) {
        tell_end(o, out);
    } else if (!texts_fit(s, o)) {
        buf_adds(out, "without the text: ");
        tell_end(o, out);
    } else if (!message_fits(s, o)) {
        buf_adds(out, "another message: ");
        tell_end(o, out);
    } else {
        verdict = VERDICT_YES;
    }
    buf_deinit(&unused);
    return verdict;
}

/* ---- for people and for the store ---- */

static void show_template(const struct signature *s, const char *text,
                          struct buf *out)
{
    for (; *text; text++) {
        size_t k = (size_t)(*text - TEMPLATE_ASKED);
        if (*text == TEMPLATE_GAP)
            buf_adds(out, "...");
        else if (*text >= TEMPLATE_ASKED && k < TEMPLATE_ASKED_MAX &&
                 k < s->config->err_msgs.n)
            buf_adds(out, s->config->err_msgs.at[k]);
        else
            buf_addc(out, *text);
    }
}

static const struct line *find_line(const struct signature *s, bool plain)
{
    for (size_t i = 0; i < s->nlines; i++) {
        if (s->lines[i].plain == plain && s->lines[i].text[0])
            return &s->lines[i];
    }
    return NULL;
}

static void describe_exception(const struct signature *s, struct buf *out)
{
    const struct line *line = find_line(s, false);

    buf_adds(out, s->type);
    if (line && s->config->tightness != TIGHT_TYPE) {
        buf_adds(out, ": ");
        show_template(s, line->text, out);
    }
    if (s->kind != COMPARISON_NONE && s->config->tightness == TIGHT_TEMPLATE)
        buf_addf(out, " (%s)", comparison_words(s->kind));
    buf_adds(out, ", ");
}

void signature_describe(const struct signature *s, struct buf *out)
{
    char end[64];

    if (s->config->test) {
        buf_addf(out, "exit 0 of the test \"%s\"", s->config->test);
        return;
    }
    if (s->config->tightness == TIGHT_TEXT && nasked(s->config) > 0) {
        for (size_t k = 0; k < nasked(s->config); k++)
            buf_addf(out, "%s\"%s\"", k ? " and " : "the text ",
                     asked_text(s->config, k));
        if (s->config->expect == EXPECT_AS_ORIGINAL)
            return;
        buf_adds(out, ", ");
    } else {
        const struct line *plain = find_line(s, true);
        if (s->type && (s->message || s->end == END_EXIT))
            describe_exception(s, out);
        if (plain) {
            buf_adds(out, "output \"");
            show_template(s, plain->text, out);
            buf_adds(out, "\", ");
        }
    }
    buf_adds(out, end_words(s, end, sizeof(end)));
}

/* What the user asked for and how the run ended, but no line of plain output:
 * which of several came first may differ from run to run. */
void signature_key(const struct signature *s, struct buf *out)
{
    const struct config *c = s->config;
    char end[64];

    buf_addf(out, "tightness %d\n", (int)c->tightness);
    for (size_t k = 0; k < nasked(c); k++)
        buf_addf(out, "%s %zu %s\n", k < c->err_msgs.n ? "text" : "regex",
                 strlen(asked_text(c, k)), asked_text(c, k));
    for (size_t i = 0; i < c->not_msgs.n; i++)
        buf_addf(out, "not %zu %s\n", strlen(c->not_msgs.at[i]),
                 c->not_msgs.at[i]);
    if (c->test)
        buf_addf(out, "test %s\n", c->test);
    buf_addf(out, "expect %d %d\nend %s\ntype %s\n", (int)c->expect,
             c->expect_value, end_words(s, end, sizeof(end)),
             s->type ? s->type : "-");
    for (size_t i = 0; i < s->nlines; i++) {
        if (s->lines[i].plain)
            continue;
        buf_adds(out, "line ");
        show_template(s, s->lines[i].text, out);
        buf_addc(out, '\n');
    }
}

/* Line n of a script, from 1; empty when there is none. */
static struct bytes script_line(struct bytes script, uint32_t n)
{
    size_t at = 0;

    for (uint32_t i = 1; i < n; i++) {
        const char *end = memchr(script.data + at, '\n', script.len - at);
        if (!end)
            return bytes_of("", 0);
        at = (size_t)(end - script.data) + 1;
    }
    const char *end = script.len > at
                          ? memchr(script.data + at, '\n', script.len - at)
                          : NULL;
    return bytes_of(script.data + at,
                    end ? (size_t)(end - script.data) - at : script.len - at);
}

static bool begins(struct bytes line, const char *word)
{
    size_t i = 0, n = strlen(word);

    while (i < line.len && (line.data[i] == ' ' || line.data[i] == '\t'))
        i++;
    return line.len - i > n && memcmp(line.data + i, word, n) == 0;
}

bool signature_of_own_text(const struct signature *s, struct bytes script,
                           struct buf *out)
{
    struct bytes at = s->message && s->exc_line
                          ? script_line(script, s->exc_line)
                          : bytes_of("", 0);

    if (s->config->test)
        return false;
    for (size_t k = 0; k < s->config->err_msgs.n; k++) {
        const char *text = s->config->err_msgs.at[k];
        if (!memmem(script.data, script.len, text, strlen(text)))
            continue;
        buf_addf(out,
                 "the text \"%.200s\" stands in the script itself: the result "
                 "may be no more than the line that prints or raises it",
                 text);
        return true;
    }
    if (s->kind != COMPARISON_NONE || says(at, "assert_close") ||
        says(at, "allclose")) {
        buf_adds(out, "the failure is a comparison that the script makes: "
                      "check that the result still compares what the kernel "
                      "computed");
        return true;
    }
    if (begins(at, "assert ") || begins(at, "assert(") ||
        begins(at, "raise ")) {
        buf_addf(out,
                 "the script itself raises this in line %u: the result may be "
                 "no more than that line",
                 (unsigned)s->exc_line);
        return true;
    }
    return false;
}

void signature_mask(const char *text, struct buf *out)
{
    size_t len;

    for (;; text += len + 1) {
        len = strcspn(text, "\n");
        template_line(text, len, NULL, NULL, false, out);
        if (!text[len])
            return;
        buf_addc(out, '\n');
    }
}
