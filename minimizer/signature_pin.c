/* What a signature holds, and where it comes from:
 *
 *   ending      of the first run, or --expect; of a hang, that it waits
 *   type        of the exception the first run ended with, NULL for none;
 *               demanded when it ended by an exit (a traceback before a
 *               signal or a hang is talk)
 *   places      per asked text: in the exception or in plain output. The
 *               exception wins where it stood in both
 *   lines       templates: of the lines with an asked text, by its number; of
 *               the message's headline when no asked text stands in it
 *   shown       of a comparison: drift stays drift, a few wrong stay a few
 *
 * With an asked text the words of the script around it in an exception become
 * gaps: the text says what to look for, and the library's words are there to
 * tell one failure from another; "tail: 48 lanes ..." may become "0: 1 lanes
 * ...". Where all of the line is the script's own, only the text is left of it.
 * In plain output, which anything may print, all words up to the end of the
 * asked text stay, and without an asked text all words do. */
#include "minimizer/signature.h"

#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "config/number.h"
#include "grammar/kernel.h"
#include "grammar/tree.h"
#include "minimizer/evidence.h"
#include "minimizer/message.h"
#include "minimizer/signature_parts.h"
#include "minimizer/template.h"

static void add_line(struct signature *s, size_t asked, bool plain,
                     struct buf *text)
{
    xgrow(&s->lines, &s->room, s->nlines + 1, sizeof(*s->lines));
    s->lines[s->nlines++] =
        (struct signature_line){ asked, plain, buf_take(text, NULL) };
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

    buf_init(&text, SIGNATURE_TEXT_MAX);
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

/* Lines of the message with text k. True when the headline is one. */
static bool pin_message_text(struct signature *s, const struct observation *o,
                             size_t k, const struct words *words)
{
    struct message_lines lines = { evidence_message(o), false };
    struct bytes line;
    bool head = false, first = true;

    if (k >= s->config->err_msgs.n)
        return false; /* a regex: where it matched is not known */
    while (message_next(&lines, &line)) {
        if (evidence_says(line, s->config->err_msgs.at[k])) {
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
    struct bytes line = message_headline(evidence_message(o));
    struct buf text;

    buf_init(&text, SIGNATURE_TEXT_MAX);
    template_line(line.data, line.len, NULL, words, true, &text);
    add_line(s, SIGNATURE_HEADLINE, false, &text);
}

static void pin_exception(struct signature *s, const struct observation *o,
                          const struct words *words)
{
    size_t n = evidence_asked(s->config);
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
    s->shown = comparison_read(evidence_message(o));
    s->message = xstrdup(evidence_message(o));
    if (!head)
        pin_headline(s, o, n > 0 ? words : NULL);
}

/* What stands before a text differs from line to line ("load waits", "store
 * waits"), so it does not belong to the failure: only the text is left. */
static void leave_what_varies(struct signature *s, size_t k, size_t first)
{
    bool varies = false;
    struct buf text;

    for (size_t i = first + 1; i < s->nlines; i++)
        varies = varies || strcmp(s->lines[first].text, s->lines[i].text) != 0;
    if (!varies || s->config->tightness == TIGHT_EXACT ||
        k >= TEMPLATE_ASKED_MAX || k >= s->config->err_msgs.n)
        return;
    while (s->nlines > first)
        free(s->lines[--s->nlines].text);
    buf_init(&text, 16);
    buf_addc(&text, TEMPLATE_GAP);
    buf_addc(&text, (char)(TEMPLATE_ASKED + (char)k));
    buf_addc(&text, TEMPLATE_GAP);
    add_line(s, k, true, &text);
}

static void pin_plain(struct signature *s, const struct observation *o,
                      const struct words *words)
{
    for (size_t k = 0; k < evidence_asked(s->config); k++) {
        const struct pattern_match *m = evidence_match(o, k);
        size_t first = s->nlines;
        if (s->in_exception[k])
            continue;
        for (size_t i = 0; i < m->nlines; i++)
            keep_asked(s, k, true, bytes_of(m->lines[i], strlen(m->lines[i])),
                       words);
        leave_what_varies(s, k, first);
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

/* Say why the first run is not what was asked for. -1 or 0. */
static int refuse(const struct config *config, const struct observation *o,
                  struct err *err)
{
    struct buf end;
    int error = 0;

    buf_init(&end, 1024);
    evidence_tell_end(o, &end);
    const char *bad = evidence_forbidden(config, o);
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
    } else if (evidence_asked(config) == 0 &&
               config->expect == EXPECT_AS_ORIGINAL && o->end == END_EXIT &&
               o->exit_code == 0 && !o->exc_type) {
        error = err_set(err, -1,
                        "the script does not fail: exit 0 and no "
                        "traceback");
    }
    for (size_t k = 0; !error && !config->test && k < evidence_asked(config);
         k++) {
        if (evidence_occurs(config, o, k))
            continue;
        bool echo = evidence_match(o, k)->echo > 0 ||
                    evidence_match(o, k)->in_exception;
        error = err_set(err, -1, "\"%.200s\" was not %s%s; the run ended: %s",
                        evidence_text(config, k),
                        k < config->err_msgs.n ? "printed" : "matched",
                        echo ? " but in source lines that a message quotes, "
                               "which do not count"
                             : "",
                        buf_str(&end));
    }
    buf_deinit(&end);
    return error;
}

/* What Python itself raises in a kernel, a name that is not there, can be had
 * anywhere in the same words, and is another fault there. */
static void pin_kernel(struct signature *s, struct bytes script)
{
    struct tree *tree;
    struct bytes mark;

    if (!s->message || s->exc_line == 0 ||
        (s->config->tightness != TIGHT_TEMPLATE &&
         s->config->tightness != TIGHT_EXACT))
        return;
    tree = tree_parse(script);
    mark = kernel_of_line(tree, s->exc_line);
    if (mark.len > 0)
        s->kernel = xmemdup(mark.data, mark.len);
    tree_free(tree);
}

/* The innermost line of the script in what faulthandler prints, first of all:
 *   File "/tmp/x/script.py", line 49 in kernel
 * 0 when there is none. */
static uint32_t fatal_line(const char *err, const char *script)
{
    static const char head[] = "(most recent call first):\n";
    const char *at = err ? strstr(err, head) : NULL;
    const char *slash = script ? strrchr(script, '/') : NULL;
    const char *name = slash ? slash + 1 : script;
    size_t n = name ? strlen(name) : 0;

    if (!at || n == 0)
        return 0;
    for (at += sizeof(head) - 1; strncmp(at, "  File \"", 8) == 0; at++) {
        static const char line[] = "\", line ";
        const char *end = strchr(at, '\n'), *path = strstr(at, line);
        unsigned long number;

        if (!end || !path || path > end)
            return 0;
        if (path - at > (long)n && memcmp(path - n, name, n) == 0 &&
            path[-(long)n - 1] == '/') {
            path += sizeof(line) - 1;
            return number_read(&path, &number) ? (uint32_t)number : 0;
        }
        at = end;
    }
    return 0;
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
    s->in_exception = xcalloc(evidence_asked(config) + 1, sizeof(bool));
    s->on_err = xcalloc(evidence_asked(config) + 1, sizeof(bool));
    for (size_t k = 0; k < evidence_asked(config); k++) {
        const struct pattern_match *m = evidence_match(first, k);

        s->in_exception[k] = evidence_in_exception(config, first, k);
        s->on_err[k] = m->plain > 0 && m->plain == m->plain_err;
    }
    pin_end(s, first);
    s->waits = first->end == END_TIMEOUT && !first->busy;
    s->exc_later = first->exc_later;
    s->traits = evidence_traits(first);
    s->type = xstrdup(first->exc_type);
    s->exc_line = first->exc_line;
    s->exc_frames = xstrdup(first->exc_frames);
    s->fatal_line = fatal_line(first->err, config->script);
    if (!config->test && first->exc_type)
        pin_exception(s, first, words);
    pin_kernel(s, script);
    if (!config->test)
        pin_plain(s, first, words);
    words_free(words);
    if (!config->test && !signature_end_fits(s, first)) {
        char wanted[64];
        struct buf end;
        buf_init(&end, 1024);
        evidence_tell_end(first, &end);
        err_set(err, -1, "the run ended: %s, where --expect wants %s",
                buf_str(&end), signature_end_words(s, wanted, sizeof(wanted)));
        buf_deinit(&end);
        signature_free(s);
        return NULL;
    }
    return s;
}

const char *signature_frames(const struct signature *s)
{
    return s->exc_frames;
}

const char *signature_kernel(const struct signature *s)
{
    return s->kernel;
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
    free(s->exc_frames);
    free(s->kernel);
    free(s->message);
    free(s);
}
