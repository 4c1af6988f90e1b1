/* A signature in words: a line for people, the lines of the state's key, and
 * the warning when the script may say the words by itself. Templates are shown
 * as they are kept, with dots for gaps and the asked texts in full. */
#include "grammar/guard.h"
#include "minimizer/signature.h"

#include <signal.h>
#include <string.h>

#include "minimizer/cuda_fault.h"
#include "minimizer/evidence.h"
#include "minimizer/signature_parts.h"
#include "minimizer/template.h"

const char *signature_end_words(const struct signature *s, char *out,
                                size_t size)
{
    struct observation o = { .end = s->end,
                             .exit_code = s->exit_code,
                             .signal = s->signal };

    return observation_ending(&o, out, size);
}

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

static const struct signature_line *find_line(const struct signature *s,
                                              bool plain)
{
    for (size_t i = 0; i < s->nlines; i++) {
        if (s->lines[i].plain == plain && s->lines[i].text[0])
            return &s->lines[i];
    }
    return NULL;
}

/* Whether other exceptions came behind it, and that is looked at. */
static bool may_be_followed(const struct signature *s)
{
    return s->exc_later && s->config->tightness != TIGHT_TEXT;
}

static void describe_exception(const struct signature *s, struct buf *out)
{
    const struct signature_line *line = find_line(s, false);

    buf_adds(out, s->type);
    if (line && s->config->tightness != TIGHT_TYPE) {
        buf_adds(out, ": ");
        show_template(s, line->text, out);
    }
    if (s->shown.kind != COMPARISON_NONE &&
        s->config->tightness == TIGHT_TEMPLATE)
        buf_addf(out, " (%s)", comparison_words(s->shown.kind));
    if (s->kernel)
        buf_adds(out, ", in a kernel");
    if (may_be_followed(s))
        buf_adds(out, ", others may follow");
    buf_adds(out, ", ");
}

void signature_describe(const struct signature *s, struct buf *out)
{
    char end[64];

    if (s->config->test) {
        buf_addf(out, "exit 0 of the test \"%s\"", s->config->test);
        return;
    }
    if (s->config->tightness == TIGHT_TEXT && evidence_asked(s->config) > 0) {
        for (size_t k = 0; k < evidence_asked(s->config); k++)
            buf_addf(out, "%s\"%s\"", k ? " and " : "the text ",
                     evidence_text(s->config, k));
        if (s->config->expect == EXPECT_AS_ORIGINAL)
            return;
        buf_adds(out, ", ");
    } else {
        const struct signature_line *plain = find_line(s, true);
        if (s->type && (s->message || s->end == END_EXIT))
            describe_exception(s, out);
        if (plain) {
            buf_adds(out, "output \"");
            show_template(s, plain->text, out);
            buf_adds(out, "\", ");
        }
    }
    buf_adds(out, signature_end_words(s, end, sizeof(end)));
    if (s->waits)
        buf_adds(out, ", waiting");
}

/* What the user asked for and how the run ended, but no line of plain output:
 * which of several came first may differ from run to run. */
void signature_key(const struct signature *s, struct buf *out)
{
    const struct config *c = s->config;
    char end[64];

    buf_addf(out, "tightness %d\n", (int)c->tightness);
    for (size_t k = 0; k < evidence_asked(c); k++)
        buf_addf(out, "%s %zu %s\n", k < c->err_msgs.n ? "text" : "regex",
                 strlen(evidence_text(c, k)), evidence_text(c, k));
    for (size_t i = 0; i < c->not_msgs.n; i++)
        buf_addf(out, "not %zu %s\n", strlen(c->not_msgs.at[i]),
                 c->not_msgs.at[i]);
    if (c->test)
        buf_addf(out, "test %s\n", c->test);
    buf_addf(out, "expect %d %d\nend %s\ntype %s\n", (int)c->expect,
             c->expect_value, signature_end_words(s, end, sizeof(end)),
             s->type ? s->type : "-");
    for (size_t i = 0; i < s->nlines; i++) {
        if (s->lines[i].plain)
            continue;
        buf_adds(out, "line ");
        show_template(s, s->lines[i].text, out);
        buf_addc(out, '\n');
    }
    if (s->kernel)
        buf_addf(out, "kernel %s\n", s->kernel);
    if (s->waits)
        buf_adds(out, "waits\n");
    if (may_be_followed(s))
        buf_adds(out, "followed\n");
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

static bool stands_in(struct bytes script, const char *text)
{
    return memmem(script.data, script.len, text, strlen(text)) != NULL;
}

static bool dies_by_access(const struct signature *s)
{
    if (s->end == END_SIGNAL)
        return s->signal == SIGSEGV || s->signal == SIGBUS;
    const struct cuda_fault *fault = cuda_fault_find(s->message);
    return fault && fault->access;
}

void signature_failure(const struct signature *s, struct bytes script,
                       struct guard_failure *out)
{
    size_t n = s->config->err_msgs.n;

    *out = (struct guard_failure){ .own_words = n == 0 };
    if (s->config->test)
        return;
    for (size_t k = 0; k < n; k++) {
        const char *text = s->config->err_msgs.at[k];

        if (s->in_exception[k])
            out->own_words |= stands_in(script, text);
        else if (out->ntexts < GUARD_TEXTS_MAX)
            out->texts[out->ntexts++] = text;
    }
    if (s->message)
        out->line = s->exc_line;
    out->frames = s->message ? s->exc_frames : NULL;
    out->some = s->shown.kind == COMPARISON_SOME;
    out->drift = s->shown.kind == COMPARISON_DRIFT;
    out->dies = dies_by_access(s);
    out->crash = out->dies ? s->fatal_line : 0;
    out->exits = evidence_asked(s->config) == 0 && !s->type &&
                 s->end == END_EXIT && s->exit_code != 0;
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
    if (s->shown.kind != COMPARISON_NONE || evidence_says(at, "assert_close") ||
        evidence_says(at, "allclose")) {
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
