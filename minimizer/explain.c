#include "minimizer/explain.h"

#include <stdlib.h>
#include <string.h>

#include "config/log.h"
#include "minimizer/rerun.h"

#define LAST_LINES 8
#define NEAREST_MIN 4 /* shortest word of the text that counts as near */

static bool missing_module(const struct observation *o)
{
    return o && o->exc_type && strcmp(o->exc_type, "ModuleNotFoundError") == 0;
}

static bool asked(const struct config *config)
{
    return config->err_msgs.n > 0 || config->err_regex.n > 0 ||
           config->expect != EXPECT_AS_ORIGINAL || config->test;
}

bool explain_wrong_interpreter(const struct config *config,
                               const struct calibration_result *result)
{
    return !asked(config) && missing_module(result->shown);
}

/* Append one foreign line, indented and made harmless. */
static void add_line(struct buf *out, const char *line, size_t len)
{
    char safe[512];

    buf_addf(out, "\n    | %s", log_safe(safe, sizeof(safe), line, len));
}

/* The last lines of a stream that are not blank. */
static void add_last_lines(struct buf *out, const char *name, const char *text,
                           size_t len)
{
    const char *end = text + len, *start = end;
    int lines = 0;

    while (len > 0 && start > text && lines < LAST_LINES) {
        start--;
        lines += start > text && start[-1] == '\n';
    }
    if (start == end)
        return;
    buf_addf(out, "\n  last lines of %s:", name);
    while (start < end) {
        const char *eol = memchr(start, '\n', (size_t)(end - start));
        size_t n = eol ? (size_t)(eol - start) : (size_t)(end - start);

        if (n > 0 && start[n - 1] == '\r')
            n--;
        if (n > 0)
            add_line(out, start, n);
        start += n + (eol ? (size_t)(eol - start) - n + 1 : 0);
        if (!eol)
            break;
    }
}

/* How many of the words of `wanted` stand in the line. */
static int words_in(const char *wanted, const char *line, size_t len)
{
    int found = 0;

    while (*wanted) {
        size_t n = strcspn(wanted, " \t");

        if (n >= NEAREST_MIN && memmem(line, len, wanted, n))
            found++;
        wanted += n;
        wanted += strspn(wanted, " \t");
    }
    return found;
}

struct nearest {
    const char *line;
    size_t len;
    int words;
};

static void look_near(struct nearest *best, const char *wanted,
                      const char *text, size_t len)
{
    while (len > 0) {
        const char *eol = memchr(text, '\n', len);
        size_t n = eol ? (size_t)(eol - text) : len;
        int words = words_in(wanted, text, n);

        if (words > best->words)
            *best = (struct nearest){ text, n, words };
        text += n + (eol ? 1 : 0);
        len -= n + (eol ? 1 : 0);
    }
}

static void add_wanted(struct buf *out, const struct config *config,
                       const struct observation *o)
{
    for (size_t i = 0; i < config->err_msgs.n; i++) {
        const char *wanted = config->err_msgs.at[i];
        struct nearest best = { 0 };

        buf_addf(out, "\n  looked for: %s", wanted);
        if (i < o->nmatches && o->matches[i].echo > 0 &&
            o->matches[i].plain == 0 && !o->matches[i].in_exception) {
            buf_adds(out, "\n  it occurs only where a traceback or warning "
                          "quotes the source, which is no output");
            continue;
        }
        look_near(&best, wanted, o->err, o->err_len);
        look_near(&best, wanted, o->out, o->out_len);
        if (best.words > 0) {
            buf_adds(out, "\n  nearest line:");
            add_line(out, best.line, best.len);
        }
    }
    for (size_t i = 0; i < config->err_regex.n; i++)
        buf_addf(out, "\n  looked for the pattern: %s",
                 config->err_regex.at[i]);
}

enum exit_code explain_not_reproduced(const struct config *config,
                                      const struct input *input,
                                      const char *python,
                                      const struct calibration_result *result,
                                      struct buf *out)
{
    const struct observation *o = result->last;
    bool syntax = o && (o->end == END_SYNTAX ||
                        (o->exc_type && o->exc_line > 0 &&
                         (!strcmp(o->exc_type, "SyntaxError") ||
                          !strcmp(o->exc_type, "IndentationError") ||
                          !strcmp(o->exc_type, "TabError"))));
    char ending[64];

    if (syntax && o->exc_line > 0) {
        buf_addf(out, "%s:%u: %s: %s; the script does not compile with %s",
                 input->path, o->exc_line,
                 o->exc_type ? o->exc_type : "SyntaxError",
                 o->exc_message ? o->exc_message : "", python);
        return EXIT_USAGE;
    }
    if (o && missing_module(o)) {
        buf_addf(out,
                 "%s: %s has no such module (ModuleNotFoundError: %s); give "
                 "the right interpreter with --python",
                 input->path, python, o->exc_message);
        return EXIT_ENVIRONMENT;
    }
    buf_addf(out, "%s does not show the failure", input->path);
    if (!o)
        return EXIT_NOT_REPRODUCED;
    buf_adds(out, "\n  ran: ");
    if (config->command)
        rerun_fill(config->command, input->name, out);
    else
        buf_addf(out, "%s %s", python, input->name);
    buf_addf(out, ", %u times fresh and %u times forked", result->fresh,
             result->forked);
    buf_addf(out, "\n  it ended with: %s%s%s",
             observation_ending(o, ending, sizeof(ending)),
             o->exc_type ? ", " : "", o->exc_type ? o->exc_type : "");
    if (result->err.text[0])
        buf_addf(out, "\n  but: %s", result->err.text);
    add_wanted(out, config, o);
    add_last_lines(out, "standard error", o->err, o->err_len);
    add_last_lines(out, "standard output", o->out, o->out_len);
    buf_adds(out, "\n  if it fails only sometimes, run this again, or raise "
                  "its rate first (repeat the kernel in a loop); if it needs "
                  "arguments, give them after --");
    return EXIT_NOT_REPRODUCED;
}

void explain_no_pass(const struct control *control,
                     const struct signature *signature,
                     const struct observation *o, struct buf *out)
{
    buf_addf(out, "the script does not pass %s: passed in %u of %u runs",
             control->what, control->passed, control->runs);
    buf_adds(out, "\n  it ended with: ");
    signature_passes(signature, o, out);
    add_last_lines(out, "standard error", o->err, o->err_len);
    add_last_lines(out, "standard output", o->out, o->out_len);
    buf_adds(out, "\n  to pass is to end with exit code 0, in time and without "
                  "the text of the failure");
}

void explain_kept(const struct config *config,
                  const struct calibration_result *result, struct buf *out)
{
    if (!asked(config)) {
        buf_adds(out, "category ");
        diagnose(result->shown, out);
        buf_adds(out, "\n");
    }
    buf_adds(out, "keeping: ");
    signature_describe(result->signature, out);
}

void explain_shown(const struct calibration_result *result, struct buf *out)
{
    buf_addf(out, "shown in %u of %u fresh", result->fresh_matched,
             result->fresh);
    if (result->forked > 0)
        buf_addf(out, " and %u of %u forked", result->forked_matched,
                 result->forked);
    buf_adds(out, " runs of the original");
    if (result->in_user_cwd)
        buf_adds(out, ", only in the current folder, which all runs get");
    if (result->ends_after_ms > 0)
        buf_addf(
            out,
            "\nit is slow rather than hanging: a run of the original ended "
            "after %.1f s; results that end after the timeout will do",
            (double)result->ends_after_ms / 1000);
    if (result->note.text[0])
        buf_addf(out, "\n%s", result->note.text);
}
