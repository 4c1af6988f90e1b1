/* Headings and sentences are ours; what comes from outside stands in code
 * spans and fenced blocks (escape.h), where nothing of it is markup. Issue
 * trackers take 65,536 characters, so long texts are cut, and it is said. */
#include <stdio.h>

#include "minimizer/report/escape.h"
#include "minimizer/report/figure.h"
#include "minimizer/report/interval.h"
#include "minimizer/report/report.h"

#define RESULT_MAX (36u << 10)
#define GOOD_MAX (8u << 10)
#define NOTE_MAX (4u << 10)
#define NOTES_MAX (8u << 10) /* of all together */
#define COMMAND_MAX (4u << 10)
#define SPAN_MAX 1000

static void add_span(struct buf *out, const char *text)
{
    escape_markdown_span(out, escape_head(bytes_of_text(text), SPAN_MAX));
}

static const char *fails(const struct report *r)
{
    return r->verify_matched == r->verify_runs ? "fails" : "failed";
}

static void add_headline(const struct report *r, struct buf *out)
{
    buf_addf(out, "# %s\n\n", report_status_words(r->status));
    if (!r->result.path) {
        buf_adds(out, "autodd-c " AUTODD_VERSION " was to minimize ");
        add_span(out, report_name(r->original.path));
        buf_addf(out, " (%s).\n\n",
                 figure_of(r->original.text.len, "byte", "bytes").text);
        return;
    }
    if (r->verify_runs > 0)
        buf_addf(out,
                 "The script below %s by itself in %llu of %llu runs of a "
                 "fresh interpreter. ",
                 fails(r), (unsigned long long)r->verify_matched,
                 (unsigned long long)r->verify_runs);
    buf_adds(out, "autodd-c " AUTODD_VERSION " made it from ");
    add_span(out, report_name(r->original.path));
    buf_addf(out, ": %s and %s of ",
             figure_of(r->result.text.len, "byte", "bytes").text,
             figure_of(report_lines(r->result.text), "line", "lines").text);
    buf_addf(out, "%s and %s, ", figure_count(r->original.text.len).text,
             figure_count(report_lines(r->original.text)).text);
    buf_addf(out, "in %s and %s.\n\n", figure_of(r->runs, "run", "runs").text,
             figure_seconds(r->wall_s).text);
}

/* Half a command runs something else: a longer one is not shown. */
static void add_command(struct bytes command, struct buf *out)
{
    if (command.len > COMMAND_MAX) {
        buf_addf(out, "The command to run it has %s: see the JSON report.\n\n",
                 figure_of(command.len, "byte", "bytes").text);
        return;
    }
    buf_adds(out, "To run it:\n\n");
    escape_markdown_block(out, "sh", command);
    buf_addc(out, '\n');
}

static void add_result(const struct report *r, struct buf *out)
{
    struct bytes shown = escape_head(r->result.text, RESULT_MAX);

    if (!r->result.path)
        return;
    buf_adds(out, "## The script\n\n");
    size_t replaced = escape_markdown_block(out, "python", shown);
    buf_addc(out, '\n');
    if (shown.len < r->result.text.len)
        buf_addf(
            out,
            "This is only its beginning: %s more are in the "
            "file.\n\n",
            figure_of(r->result.text.len - shown.len, "byte", "bytes").text);
    if (replaced > 0)
        buf_addf(out,
                 "%s in it cannot be shown and are marked; take the file "
                 "itself.\n\n",
                 figure_of(replaced, "character", "characters").text);
    if (r->good.path) {
        buf_adds(out, "Its good form, which passes:\n\n");
        escape_markdown_block(out, "python",
                              escape_head(r->good.text, GOOD_MAX));
        buf_addc(out, '\n');
    }
    if (!r->command)
        return;
    add_command(bytes_of_text(r->command), out);
}

static void add_stream(struct buf *out, const char *name, struct bytes text)
{
    if (text.len == 0)
        return;
    buf_addf(out, "The last lines of standard %s:\n\n", name);
    escape_markdown_block(out, "text", text);
    buf_addc(out, '\n');
}

static void add_output(const struct report *r, struct buf *out)
{
    if (!r->output.end)
        return;
    buf_adds(out, "## A failing run\n\nIt ends with ");
    add_span(out, r->output.end);
    buf_adds(out, ".\n\n");
    add_stream(out, "error", r->output.err);
    add_stream(out, "output", r->output.out);
}

static void add_failure(const struct report *r, struct buf *out)
{
    if (!r->signature && r->nasked == 0)
        return;
    buf_adds(out, "## The failure\n\n");
    if (r->signature) {
        buf_adds(out, "- what every step had to show: ");
        add_span(out, r->signature);
        buf_addc(out, '\n');
    }
    for (size_t i = 0; i < r->nasked; i++) {
        buf_addf(out, "- asked for by `--%s`: ", r->asked[i].option);
        add_span(out, r->asked[i].text);
        buf_addc(out, '\n');
    }
    for (size_t i = 0; i < r->ncontrols; i++) {
        const struct report_control *c = &r->controls[i];

        buf_adds(out, "- had to pass: ");
        add_span(out, c->what);
        if (c->runs > 0)
            buf_addf(out, ", the result in %llu of %s",
                     (unsigned long long)c->passed,
                     figure_of(c->runs, "run", "runs").text);
        buf_addc(out, '\n');
    }
    if (r->rate_runs > 0) {
        struct interval i =
            interval_of(r->rate_matched, r->rate_runs, REPORT_RATE_LEVEL);

        buf_addf(out, "- shown by %llu of %s of the original; its rate is ",
                 (unsigned long long)r->rate_matched,
                 figure_of(r->rate_runs, "run", "runs").text);
        buf_addf(out, "%s to ", figure_share(i.low).text);
        buf_addf(out, "%s (95 %% confidence)\n", figure_share(i.high).text);
    }
    buf_addc(out, '\n');
}

static void add_version(struct buf *out, const char *name, const char *text)
{
    if (!text)
        return;
    buf_addf(out, "- %s ", name);
    add_span(out, text);
    buf_addc(out, '\n');
}

static void add_versions(const struct report *r, struct buf *out)
{
    const struct report_versions *v = &r->versions;

    buf_adds(out, "## Versions\n\n");
    add_version(out, "Python", v->python_version);
    for (size_t i = 0; i < v->npackages; i++)
        add_version(out, "package", v->packages[i]);
    add_version(out, "platform", v->platform);
    add_version(out, "GPU", v->gpu);
    add_version(out, "compute-sanitizer", v->sanitizer);
    buf_adds(out, "- autodd-c `" AUTODD_VERSION "`\n");
}

/* Where there is no result, they say why; else warnings alone matter. */
static void add_notes(const struct report *r, struct buf *out)
{
    size_t shown = 0, left = 0;

    for (size_t i = 0; i < r->nnotes; i++) {
        const struct report_note *note = &r->notes[i];
        struct bytes text = escape_head(bytes_of_text(note->text), NOTE_MAX);
        bool grave = strcmp(note->kind, "error") == 0 ||
                     strcmp(note->kind, "warning") == 0;

        if (!grave)
            continue;
        if (shown + text.len > NOTES_MAX) {
            left++;
            continue;
        }
        shown += text.len;
        escape_markdown_block(out, "text", text);
        buf_addc(out, '\n');
    }
    if (left > 0)
        buf_addf(out, "%s more, in the JSON report.\n\n",
                 figure_of(left, "note", "notes").text);
}

int report_markdown(const struct report *report, struct buf *out)
{
    add_headline(report, out);
    add_notes(report, out);
    add_result(report, out);
    add_output(report, out);
    add_failure(report, out);
    add_versions(report, out);
    return buf_adds(out, "");
}
