/* One page that needs nothing else: its style stands in it (page.css), its
 * plots are drawn here (plot.h), it has no script, and its policy forbids
 * whatever a text from outside might try. All such texts go through
 * escape_html(). */
#include <stdio.h>

#include "minimizer/report/escape.h"
#include "minimizer/report/figure.h"
#include "minimizer/report/interval.h"
#include "minimizer/report/page_css.h" /* made by the Makefile: page.css */
#include "minimizer/report/plot.h"
#include "minimizer/report/report.h"
#include "minimizer/report/sha256.h"

#define TEXT_MAX (1u << 20) /* of a script; more makes a slow page */
#define LINE_MAX_SHOWN 4000
#define OPEN_STEPS 15 /* so many are shown without a click */

typedef unsigned long long count;

static void add(struct buf *out, const char *html)
{
    buf_adds(out, html);
}

static void add_text(struct buf *out, const char *text)
{
    escape_html(out, bytes_of_text(text));
}

/* "<tag>text</tag>" of a text from outside. */
static void add_in(struct buf *out, const char *tag, const char *text)
{
    buf_addf(out, "<%s>", tag);
    add_text(out, text);
    buf_addf(out, "</%s>", tag);
}

/* A line of a script, its end left out. */
static void add_line(struct buf *out, struct bytes line)
{
    struct bytes shown = escape_head(line, LINE_MAX_SHOWN);

    escape_html(out, shown);
    if (shown.len < line.len)
        buf_addf(out, "<span class=\"faint\"> ... %s more</span>",
                 figure_of(line.len - shown.len, "byte", "bytes").text);
}

/* Take the next line off; false at the end. */
static bool next_line(struct bytes *text, struct bytes *line)
{
    const char *end;

    if (text->len == 0)
        return false;
    end = memchr(text->data, '\n', text->len);
    line->data = text->data;
    line->len = end ? (size_t)(end - text->data) : text->len;
    size_t whole = line->len + (end != NULL);
    text->data += whole;
    text->len -= whole;
    if (line->len > 0 && line->data[line->len - 1] == '\r')
        line->len--;
    return true;
}

static void add_left_out(struct buf *out, size_t bytes)
{
    if (bytes > 0)
        buf_addf(out, "<p class=\"faint\">%s more are in the file.</p>\n",
                 figure_of(bytes, "byte", "bytes").text);
}

/* ---- the head ---- */

static void add_head(const struct report *r, struct buf *out)
{
    add(out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n"
        "<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, "
        "initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
        "'none'; style-src 'unsafe-inline'\">\n<title>");
    add_text(out, report_name(r->original.path));
    buf_addf(out, ", %s: autodd-c</title>\n<style>\n",
             report_status_name(r->status));
    buf_add(out, page_css, sizeof(page_css));
    add(out, "</style>\n</head>\n<body>\n");
}

/* "9,622 to 157"; without a result what there was. */
static void add_change(struct buf *out, const char *what, uint64_t before,
                       uint64_t after, bool changed)
{
    buf_addf(out, "<div><dt>%s</dt><dd class=\"large\">", what);
    if (changed)
        buf_addf(out, "%s \xE2\x86\x92 ", figure_count(before).text);
    buf_addf(out, "%s</dd>", figure_count(changed ? after : before).text);
    if (changed && before > 0)
        buf_addf(out, "<dd class=\"faint\">%s left</dd>",
                 figure_share((double)after / (double)before).text);
    add(out, "</div>\n");
}

static void add_figure(struct buf *out, const char *what, const char *large,
                       const char *small)
{
    buf_addf(out,
             "<div><dt>%s</dt><dd class=\"large\">%s</dd>"
             "<dd class=\"faint\">%s</dd></div>\n",
             what, large, small);
}

static void add_figures(const struct report *r, struct buf *out)
{
    bool changed = r->result.path != NULL;
    char small[120];

    add(out, "<dl class=\"figures\">\n");
    add_change(out, "Bytes", r->original.text.len, r->result.text.len, changed);
    add_change(out, "Lines", report_lines(r->original.text),
               report_lines(r->result.text), changed);
    if (r->verify_runs > 0) {
        snprintf(small, sizeof(small), "%llu of %llu", (count)r->verify_matched,
                 (count)r->verify_runs);
        add_figure(out, "Failed again", small, "fresh runs of the result");
    }
    snprintf(small, sizeof(small), "%s accepted, %s from memory",
             figure_count(r->accepted).text, figure_count(r->cached).text);
    add_figure(out, "Runs", figure_count(r->runs).text, small);
    snprintf(small, sizeof(small), "%s of processor time in the tool",
             figure_seconds(r->tool_cpu_s).text);
    add_figure(out, "Time", figure_seconds(r->wall_s).text, small);
    add(out, "</dl>\n");
}

static void add_header(const struct report *r, struct buf *out)
{
    add(out, "<header>\n");
    buf_addf(out, "<p class=\"status %s\">%s</p>\n<h1>",
             report_status_name(r->status), report_status_words(r->status));
    add_text(out, report_name(r->original.path));
    add(out, "</h1>\n");
    if (r->result.path) {
        add(out, "<p>The result is in ");
        add_in(out, "code", r->result.path);
        add(out, r->minimal ? ". No single edit that is known makes it smaller "
                              "and keeps the failure.</p>\n"
                            : ".</p>\n");
    }
    if (!r->minimal && r->budget) {
        add(out, "<p>The search did not come to its end: it was stopped by ");
        add_in(out, "code", r->budget);
        add(out, ".</p>\n");
    }
    add_figures(r, out);
    add(out, "</header>\n<main>\n");
}

/* ---- the failure ---- */

static void add_rate(const struct report *r, struct buf *out)
{
    struct interval i =
        interval_of(r->rate_matched, r->rate_runs, REPORT_RATE_LEVEL);

    if (r->rate_runs == 0)
        return;
    buf_addf(out,
             "<dt>Rate of the original</dt><dd>%llu of %s; with 95 %% "
             "confidence ",
             (count)r->rate_matched,
             figure_of(r->rate_runs, "run", "runs").text);
    buf_addf(out, "%s to ", figure_share(i.low).text);
    buf_addf(out, "%s</dd>\n", figure_share(i.high).text);
}

/* What had to pass, as often as it did. */
static void add_controls(const struct report *r, struct buf *out)
{
    for (size_t i = 0; i < r->ncontrols; i++) {
        const struct report_control *c = &r->controls[i];

        add(out, "<dt>Had to pass</dt><dd>");
        add_in(out, "code", c->what);
        buf_addf(out, ": the original in %llu of %s", (count)c->original_passed,
                 figure_of(c->original_runs, "run", "runs").text);
        if (c->runs > 0)
            buf_addf(out, ", the result in %llu of %llu", (count)c->passed,
                     (count)c->runs);
        add(out, "</dd>\n");
    }
}

static void add_notes(const struct report *r, struct buf *out)
{
    if (r->nnotes == 0)
        return;
    add(out, "<h3>What was found</h3>\n<ul class=\"notes\">\n");
    for (size_t i = 0; i < r->nnotes; i++) {
        const struct report_note *note = &r->notes[i];

        add(out, "<li class=\"");
        add_text(out, note->kind);
        add(out, "\">");
        if (strcmp(note->kind, "info") != 0)
            buf_addf(out, "<strong>%s:</strong> ", note->kind);
        add_text(out, note->text);
        add(out, "</li>\n");
    }
    add(out, "</ul>\n");
}

static void add_failure(const struct report *r, struct buf *out)
{
    add(out, "<section>\n<h2>The failure</h2>\n<dl class=\"facts\">\n");
    if (r->signature) {
        add(out, "<dt>Every step had to show</dt><dd>");
        add_in(out, "code", r->signature);
        add(out, "</dd>\n");
    }
    for (size_t i = 0; i < r->nasked; i++) {
        add(out, "<dt>Asked for by <code>--");
        add_text(out, r->asked[i].option);
        add(out, "</code></dt><dd>");
        add_in(out, "code", r->asked[i].text);
        add(out, "</dd>\n");
    }
    if (r->signature && r->nasked == 0)
        add(out, "<dt>Asked for</dt><dd>nothing: the failure of the first run "
                 "is the one that was kept</dd>\n");
    add_controls(r, out);
    add_rate(r, out);
    add(out, "</dl>\n");
    add_notes(r, out);
    add(out, "</section>\n");
}

/* ---- the result ---- */

static void add_reason(struct buf *out, const struct report_reason *why)
{
    if (why->first == why->last)
        add(out, "<span>without it: ");
    else
        buf_addf(out, "<span>without lines %u to %u: ", (unsigned)why->first,
                 (unsigned)why->last);
    add_text(out, why->outcome);
    add(out, "</span>");
}

/* Reasons are in the order of their first lines. */
static void add_result(const struct report *r, struct buf *out)
{
    struct bytes text = escape_head(r->result.text, TEXT_MAX), line;
    size_t why = 0;

    if (!r->result.path)
        return;
    add(out, "<section>\n<h2>The result</h2>\n");
    if (r->nreasons > 0)
        add(out, "<p class=\"faint\">Beside a line: what happens when it is "
                 "left out, where that was tried.</p>\n");
    add(out, "<ol class=\"code\" role=\"list\">\n");
    for (uint32_t n = 1; next_line(&text, &line); n++) {
        add(out, "<li><code>");
        add_line(out, line);
        add(out, "</code><span class=\"why\">");
        for (; why < r->nreasons && r->reasons[why].first <= n; why++)
            add_reason(out, &r->reasons[why]);
        add(out, "</span></li>\n");
    }
    add(out, "</ol>\n");
    if (r->result.text.len > TEXT_MAX)
        add_left_out(out, r->result.text.len - TEXT_MAX);
    if (r->command) {
        add(out, "<h3>To run it</h3>\n");
        add_in(out, "pre", r->command);
    }
    add(out, "</section>\n");
}

static void add_stream(struct buf *out, const char *name, struct bytes text)
{
    if (text.len == 0)
        return;
    buf_addf(out, "<h3>The last lines of standard %s</h3>\n<pre>", name);
    escape_html(out, text);
    add(out, "</pre>\n");
}

static void add_output(const struct report *r, struct buf *out)
{
    if (!r->output.end)
        return;
    add(out, "<section>\n<h2>A failing run</h2>\n<p>It ends with ");
    add_in(out, "code", r->output.end);
    add(out, ".</p>\n");
    add_stream(out, "error", r->output.err);
    add_stream(out, "output", r->output.out);
    add(out, "</section>\n");
}

/* ---- the way there ---- */

static void add_plots(const struct report *r, struct buf *out)
{
    size_t began = report_mutation_began(r);

    if (r->nsteps == 0)
        return;
    add(out, "<section>\n<h2>How the size fell</h2>\n<div class=\"plots\">\n"
             "<figure>\n<figcaption>Over runs</figcaption>\n");
    plot_svg(r, PLOT_OVER_RUNS, out);
    add(out, "</figure>\n<figure>\n<figcaption>Over time</figcaption>\n");
    plot_svg(r, PLOT_OVER_TIME, out);
    add(out, "</figure>\n</div>\n");
    if (began < r->nsteps)
        buf_addf(out,
                 "<p>Up to step %zu the computation on the way to the failure "
                 "stays as it is; from step %zu on it is changed as well, and "
                 "a result of the same words could be another fault.</p>\n",
                 began, began + 1);
}

static void add_steps(const struct report *r, struct buf *out)
{
    uint64_t before = r->original.text.len;

    if (r->nsteps == 0)
        return;
    buf_addf(out,
             "<details%s>\n<summary>The %s, one by one</summary>\n"
             "<div class=\"wide\"><table>\n"
             "<caption>Accepted steps, in order</caption>\n<thead><tr>"
             "<th scope=\"col\">Step</th><th scope=\"col\">Edit</th>"
             "<th scope=\"col\">Bytes</th><th scope=\"col\">Change</th>"
             "<th scope=\"col\">Run</th><th scope=\"col\">Time</th></tr>"
             "</thead>\n<tbody>\n",
             r->nsteps <= OPEN_STEPS ? " open" : "",
             figure_of(r->nsteps, "step", "steps").text);
    for (size_t i = 0; i < r->nsteps; i++) {
        const struct report_step *s = &r->steps[i];
        bool grows = s->bytes > before;

        buf_addf(out, "<tr%s><td>%zu</td><td>",
                 s->mutated ? " class=\"mutated\"" : "", i + 1);
        add_text(out, s->kind);
        buf_addf(
            out, "</td><td>%s</td><td>%s%s</td>", figure_count(s->bytes).text,
            grows ? "+" : "\xE2\x88\x92",
            figure_count(grows ? s->bytes - before : before - s->bytes).text);
        buf_addf(out, "<td>%s</td><td>%s</td></tr>\n",
                 figure_count(s->run).text, figure_seconds(s->t).text);
        before = s->bytes;
    }
    add(out, "</tbody>\n</table></div>\n</details>\n</section>\n");
}

/* A script that is shown when it is asked for. */
static void add_script(struct buf *out, const char *what,
                       const struct report_file *file)
{
    struct bytes text = escape_head(file->text, TEXT_MAX), line;

    if (!file->path)
        return;
    buf_addf(out, "<section>\n<h2>%s</h2>\n<details>\n<summary>", what);
    add_in(out, "code", file->path);
    buf_addf(out, ", %s</summary>\n<pre>\n",
             figure_of(report_lines(file->text), "line", "lines").text);
    while (next_line(&text, &line)) {
        add_line(out, line);
        add(out, "\n");
    }
    add(out, "</pre>\n");
    if (file->text.len > TEXT_MAX)
        add_left_out(out, file->text.len - TEXT_MAX);
    add(out, "</details>\n</section>\n");
}

/* ---- the foot ---- */

static void add_fact(struct buf *out, const char *name, const char *text)
{
    if (!text)
        return;
    buf_addf(out, "<dt>%s</dt><dd>", name);
    add_text(out, text);
    add(out, "</dd>\n");
}

static void add_sum(struct buf *out, const char *name,
                    const struct report_file *file)
{
    char hex[65];

    if (!file->path)
        return;
    sha256_hex(file->text, hex);
    buf_addf(out, "<dt>SHA-256 of the %s</dt><dd><code>%s</code></dd>\n", name,
             hex);
}

static void add_versions(const struct report *r, struct buf *out)
{
    const struct report_versions *v = &r->versions;

    add(out, "<section>\n<h2>Versions</h2>\n<dl class=\"facts\">\n");
    add_fact(out, "Python", v->python_version);
    add_fact(out, "Interpreter", v->python);
    if (v->npackages > 0) {
        add(out, "<dt>Packages</dt><dd>");
        for (size_t i = 0; i < v->npackages; i++) {
            add(out, i > 0 ? ", " : "");
            add_text(out, v->packages[i]);
        }
        add(out, "</dd>\n");
    }
    add_fact(out, "Platform", v->platform);
    add_fact(out, "GPU", v->gpu);
    add_fact(out, "compute-sanitizer", v->sanitizer);
    add_sum(out, "original", &r->original);
    add_sum(out, "result", &r->result);
    add(out, "</dl>\n</section>\n</main>\n<footer><p>Made by "
             "autodd-c " AUTODD_VERSION ".</p></footer>\n</body>\n</html>\n");
}

int report_html(const struct report *report, struct buf *out)
{
    add_head(report, out);
    add_header(report, out);
    add_failure(report, out);
    add_result(report, out);
    add_plots(report, out);
    add_steps(report, out);
    add_output(report, out);
    add_script(out, "The good form of the result", &report->good);
    add_script(out, "The original", &report->original);
    add_versions(report, out);
    return buf_adds(out, "");
}
