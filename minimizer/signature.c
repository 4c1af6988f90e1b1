/* What a signature holds is told in signature_pin.c; here a run is held against
 * it. A judgement goes from cheap and certain to fine: no verdict, ending, what
 * it never is, texts, type, templates. */
#include "minimizer/signature.h"

#include <string.h>

#include "minimizer/evidence.h"
#include "minimizer/message.h"
#include "minimizer/signature_parts.h"
#include "minimizer/template.h"

bool signature_end_fits(const struct signature *s, const struct observation *o)
{
    if (s->config->tightness == TIGHT_TEXT &&
        s->config->expect == EXPECT_AS_ORIGINAL &&
        evidence_asked(s->config) > 0)
        return o->end != END_SYNTAX &&
               (o->end != END_LIMIT || s->end == END_LIMIT);
    if (o->end != s->end)
        return false;
    if (o->end == END_EXIT)
        return o->exit_code == s->exit_code;
    return o->end != END_SIGNAL || o->signal == s->signal;
}

static bool line_fits(const struct signature *s,
                      const struct signature_line *wanted, struct bytes line)
{
    struct buf text;

    if (wanted->asked < s->config->err_msgs.n &&
        !evidence_says(line, s->config->err_msgs.at[wanted->asked]))
        return false;
    buf_init(&text, SIGNATURE_TEXT_MAX);
    if (s->config->tightness == TIGHT_EXACT &&
        wanted->asked != SIGNATURE_HEADLINE)
        buf_add(&text, line.data, line.len);
    else
        template_line(
            line.data, line.len,
            wanted->asked == SIGNATURE_HEADLINE ? NULL : &s->config->err_msgs,
            NULL, false, &text);
    bool fits = s->config->tightness == TIGHT_EXACT &&
                        wanted->asked != SIGNATURE_HEADLINE
                    ? strcmp(wanted->text, buf_str(&text)) == 0
                    : template_match(wanted->text, buf_str(&text));
    buf_deinit(&text);
    return fits;
}

static bool shown(const struct signature *s, const struct observation *o,
                  const struct signature_line *wanted)
{
    if (wanted->asked == SIGNATURE_HEADLINE)
        return line_fits(s, wanted, message_headline(evidence_message(o)));
    if (wanted->plain) {
        const struct pattern_match *m = evidence_match(o, wanted->asked);
        for (size_t i = 0; i < m->nlines; i++) {
            if (line_fits(s, wanted,
                          bytes_of(m->lines[i], strlen(m->lines[i]))))
                return true;
        }
        return false;
    }
    struct message_lines lines = { evidence_message(o), false };
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
    const struct pattern_match *m = evidence_match(o, k);

    return s->on_err[k] ? m->plain_err > 0 : m->plain > m->plain_err;
}

static bool texts_fit(const struct signature *s, const struct observation *o)
{
    for (size_t k = 0; k < evidence_asked(s->config); k++) {
        bool exception = s->in_exception[k];
        if (s->config->tightness == TIGHT_TEXT
                ? !evidence_occurs(s->config, o, k)
            : exception ? !evidence_in_exception(s->config, o, k)
                        : !in_plain(s, o, k))
            return false;
    }
    return true;
}

static bool same_comparison(const struct signature *s,
                            const struct observation *o)
{
    struct comparison shown = comparison_read(evidence_message(o));

    return comparison_alike(&s->shown, &shown);
}

/* The message, once texts and type are right. */
static bool message_fits(const struct signature *s, const struct observation *o)
{
    switch (s->config->tightness) {
    case TIGHT_TEXT:
    case TIGHT_TYPE:
        return true;
    case TIGHT_EXACT:
        if (s->message && strcmp(s->message, evidence_message(o)) != 0)
            return false;
        break;
    case TIGHT_TEMPLATE:
        if (s->message && !same_comparison(s, o))
            return false;
        break;
    }
    return lines_fit(s, o);
}

/* The reasons, beside the texts, for which a run ended otherwise. */
static const char *ended_otherwise(const struct signature *s,
                                   const struct observation *o)
{
    if (s->waits && o->end == END_TIMEOUT && o->busy)
        return "timeout, but busy, where the original waits: ";
    if (s->config->tightness != TIGHT_TEXT && o->exc_later && !s->exc_later)
        return "another exception came later: ";
    return NULL;
}

/* The reasons for which a run is no verdict; NULL if it is one. */
static const char *void_reason(const struct signature *s,
                               const struct observation *o)
{
    unsigned fresh = evidence_traits(o) & ~s->traits;

    if (o->end == END_LOST)
        return o->why ? o->why : "the run was lost";
    if (fresh & TRAIT_POISON)
        return "CUDA does not start in a forked run";
    if (fresh & TRAIT_DISK)
        return "no space left on device";
    return NULL;
}

/* An asked text that a run shows; NULL: none. */
static const char *asked_text(const struct signature *s,
                              const struct observation *o)
{
    for (size_t k = 0; k < evidence_asked(s->config); k++) {
        if (evidence_occurs(s->config, o, k))
            return evidence_text(s->config, k);
    }
    return NULL;
}

enum verdict signature_passes(const struct signature *s,
                              const struct observation *o, struct buf *why)
{
    struct buf unused;
    const char *words = void_reason(s, o);

    buf_init(&unused, 4096);
    struct buf *out = why ? why : &unused;
    enum verdict verdict = VERDICT_NO;

    if (words) {
        evidence_tell(out, words, strlen(words));
        verdict = VERDICT_NONE;
    } else if (signature_judge(s, o, NULL) == VERDICT_YES) {
        buf_adds(out, "shows the failure: ");
        evidence_tell_end(o, out);
    } else if (o->end != END_EXIT || o->exit_code != 0) {
        evidence_tell_end(o, out);
    } else if ((words = asked_text(s, o))) {
        buf_adds(out, "exit 0, but shows ");
        evidence_tell(out, words, strlen(words));
    } else {
        verdict = VERDICT_YES;
    }
    buf_deinit(&unused);
    return verdict;
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
    const char *words = void_reason(s, o);

    buf_init(&unused, 4096);
    struct buf *out = why ? why : &unused;
    enum verdict verdict = VERDICT_NO;

    if (words && (o->end == END_LOST || !s->config->test)) {
        evidence_tell(out, words, strlen(words));
        verdict = VERDICT_NONE;
    } else if (s->config->test) {
        verdict = judge_test(o, out);
    } else if (!signature_end_fits(s, o)) {
        evidence_tell_end(o, out);
    } else if (evidence_traits(o) & ~s->traits) {
        evidence_tell_end(o, out);
    } else if ((words = ended_otherwise(s, o))) {
        buf_adds(out, words);
        evidence_tell_end(o, out);
    } else if ((words = evidence_forbidden(s->config, o))) {
        buf_adds(out, "shows what --not-msg names: ");
        evidence_tell(out, words, strlen(words));
    } else if (s->config->tightness != TIGHT_TEXT && !same_type(s, o)) {
        evidence_tell_end(o, out);
    } else if (!texts_fit(s, o)) {
        buf_adds(out, "without the text: ");
        evidence_tell_end(o, out);
    } else if (!message_fits(s, o)) {
        buf_adds(out, "another message: ");
        evidence_tell_end(o, out);
    } else {
        verdict = VERDICT_YES;
    }
    buf_deinit(&unused);
    return verdict;
}

bool signature_shows_share(const struct signature *s)
{
    return s->shown.kind == COMPARISON_SOME;
}
