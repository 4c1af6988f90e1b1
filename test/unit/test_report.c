#include "test/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/file.h"
#include "config/json.h"
#include "config/mem.h"
#include "minimizer/report/report.h"
#include "minimizer/report/sha256.h"

static const struct report_step steps[] = {
    { 0.5, 12, "statement", 4, false },
    { 1.5, 30, "integer", 3, true },
};
static const struct report_reason reasons[] = { { 1, 1, "NameError: T" } };
static const struct report_ask asked[] = { { "err-msg", "K shape" } };
static const struct report_note notes[] = { { "info", "keeping: x" },
                                            { "warning", "look here" } };
static char package[] = "torch 2.11.0";
static char *const packages[] = { package };
static const struct report_without without[] = { { "--fill nan", 3, 1 } };

static const struct report_control controls[] = {
    { .what = "with env:A=1",
      .original_runs = 4,
      .original_passed = 4,
      .runs = 3,
      .passed = 2 },
};

static struct report full_report(void)
{
    return (struct report){
        .status = REPORT_VERIFIED,
        .runs = 300,
        .pumped = 12,
        .cached = 20,
        .rejected_early = 7,
        .no_verdict = 1,
        .accepted = 2,
        .wall_s = 62.5,
        .tool_cpu_s = 1.25,
        .original = { "gemm.py", { "a\nb\nc\n", 6 } },
        .result = { "gemm.min.py", { "abc", 3 } },
        .good = { "gemm.min.good.py", { "abcd", 4 } },
        .verify_runs = 3,
        .verify_matched = 3,
        .rate_runs = 4,
        .rate_matched = 4,
        .signature = "ValueError: #, exit 1",
        .minimal = true,
        .steps = steps,
        .nsteps = 2,
        .reasons = reasons,
        .nreasons = 1,
        .controls = controls,
        .ncontrols = 1,
        .asked = asked,
        .nasked = 1,
        .notes = notes,
        .nnotes = 2,
        .command = "python3 gemm.min.py",
        .output = { "exit 1", { "out\n", 4 }, { "err\n", 4 } },
        .versions = { "/bin/python3", "3.11.7", "Linux", "H200", "2025.3.1.0",
                      packages, 1 },
        .without = without,
        .nwithout = 1,
    };
}

static struct json *parsed(const struct report *report)
{
    struct buf out;
    struct err err = { "" };

    buf_init(&out, 1 << 20);
    assert_int_equal(report_json(report, &out), 0);
    struct json *value = json_parse(buf_str(&out), out.len, &err);
    if (!value)
        fail_msg("%s", err.text);
    buf_deinit(&out);
    return value;
}

static void all_members_are_there_with_their_values(void **state)
{
    struct report report = full_report();
    struct json *r = parsed(&report);
    struct json *original = json_get(r, "original");
    struct json *result = json_get(r, "result");
    struct json *rate = json_get(r, "rate");
    struct json *step = json_at(json_get(r, "steps"), 1);
    struct json *reason = json_at(json_get(r, "reasons"), 0);
    struct json *control = json_at(json_get(r, "controls"), 0);
    struct json *without_it = json_at(json_get(r, "without"), 0);
    (void)state;

    assert_int_equal(json_get_int(r, "schema", 0), 1);
    assert_string_equal(json_get_str(r, "status", ""), "verified");
    assert_int_equal(json_get_int(r, "runs", 0), 300);
    assert_int_equal(json_get_int(r, "pumped", 0), 12);
    assert_int_equal(json_get_int(r, "cached", 0), 20);
    assert_int_equal(json_get_int(r, "rejected_early", 0), 7);
    assert_int_equal(json_get_int(r, "no_verdict", 0), 1);
    assert_int_equal(json_get_int(r, "accepted", 0), 2);
    assert_true(json_get_real(r, "wall_s", 0) == 62.5);
    assert_true(json_get_real(r, "tool_cpu_s", 0) == 1.25);
    assert_string_equal(json_get_str(original, "path", ""), "gemm.py");
    assert_int_equal(json_get_int(original, "bytes", 0), 6);
    assert_int_equal(json_get_int(original, "lines", 0), 3);
    assert_int_equal(json_get_int(result, "lines", 0), 1);
    assert_string_equal(
        json_get_str(result, "sha256", ""),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_int_equal(json_get_int(json_get(r, "verification"), "runs", 0), 3);
    assert_int_equal(json_get_int(json_get(r, "verification"), "matched", 0),
                     3);
    assert_int_equal(json_get_int(json_get(r, "good"), "bytes", 0), 4);
    assert_string_equal(json_get_str(control, "what", ""), "with env:A=1");
    assert_int_equal(json_get_int(control, "runs", 0), 3);
    assert_int_equal(json_get_int(control, "passed", 0), 2);
    assert_int_equal(json_get_int(json_get(control, "original"), "passed", 0),
                     4);
    assert_int_equal(json_get_int(rate, "matched", 0), 4);
    assert_true(json_get_real(rate, "low", 0) > 0.397);
    assert_true(json_get_real(rate, "high", 0) == 1.0);
    assert_string_equal(json_get_str(r, "signature", ""),
                        "ValueError: #, exit 1");
    assert_true(json_get_bool(r, "minimal", false));
    assert_int_equal(json_len(json_get(r, "steps")), 2);
    assert_int_equal(json_get_int(r, "mutation_began", -1), 1);
    assert_int_equal(json_get_int(step, "run", 0), 30);
    assert_int_equal(json_get_int(step, "bytes", 0), 3);
    assert_true(json_get_real(step, "t", 0) == 1.5);
    assert_string_equal(json_get_str(step, "kind", ""), "integer");
    assert_int_equal(json_get_int(reason, "first", 0), 1);
    assert_string_equal(json_get_str(reason, "outcome", ""), "NameError: T");
    assert_string_equal(
        json_get_str(json_at(json_get(r, "asked"), 0), "text", ""), "K shape");
    assert_string_equal(
        json_get_str(json_at(json_get(r, "notes"), 1), "kind", ""), "warning");
    assert_string_equal(json_get_str(r, "command", ""), "python3 gemm.min.py");
    assert_string_equal(json_get_str(json_get(r, "output"), "err", ""),
                        "err\n");
    struct json *versions = json_get(r, "versions");
    assert_string_equal(json_get_str(versions, "gpu", ""), "H200");
    assert_string_equal(json_get_str(versions, "sanitizer", ""), "2025.3.1.0");
    assert_string_equal(json_get_str(without_it, "aid", ""), "--fill nan");
    assert_int_equal(json_get_int(without_it, "runs", 0), 3);
    assert_int_equal(json_get_int(without_it, "matched", 0), 1);
    assert_string_equal(json_at_str(json_get(versions, "packages"), 0),
                        "torch 2.11.0");
    json_free(r);
}

static void a_search_that_was_stopped_names_its_budget(void **state)
{
    struct report report = full_report();
    (void)state;

    report.minimal = false;
    report.budget = "max-runs";
    struct json *r = parsed(&report);
    assert_string_equal(json_get_str(r, "minimal", ""), "max-runs");
    json_free(r);
}

static void what_never_came_to_be_is_null(void **state)
{
    struct report report = { .status = REPORT_NOT_REPRODUCED };
    struct json *r = parsed(&report);
    (void)state;

    assert_string_equal(json_get_str(r, "status", ""), "not-reproduced");
    assert_true(json_has(r, "result"));
    assert_true(json_has(r, "signature"));
    assert_true(json_has(r, "minimal"));
    assert_null(json_get_str(r, "signature", NULL));
    assert_int_equal(json_len(json_get(r, "steps")), 0);
    assert_true(json_has(r, "output"));
    assert_true(json_has(r, "command"));
    json_free(r);
}

static void bytes_that_are_no_utf8_are_replaced(void **state)
{
    struct report report = full_report();
    (void)state;

    report.original.path = "gr\xF6\xDF"
                           "e-\xC3\xB6-\xED\xA0\x80-\xE2\x82";
    struct json *r = parsed(&report);
    assert_string_equal(json_get_str(json_get(r, "original"), "path", ""),
                        "gr\xEF\xBF\xBD\xEF\xBF\xBD"
                        "e-\xC3\xB6-"
                        "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD-"
                        "\xEF\xBF\xBD\xEF\xBF\xBD");
    json_free(r);
}

/* ---- pages ---- */

typedef int writer(const struct report *report, struct buf *out);

/* The text; to be freed. */
static char *written(writer *write, const struct report *report)
{
    struct buf out;

    buf_init(&out, 8 << 20);
    assert_int_equal(write(report, &out), 0);
    return buf_take(&out, NULL);
}

static size_t occurrences(const char *text, const char *of)
{
    size_t n = 0;

    for (; (text = strstr(text, of)); text += strlen(of))
        n++;
    return n;
}

struct tag {
    char name[16];
    bool closes, alone;
};

/* The tag that begins at `p`. */
static struct tag tag_at(const char *p)
{
    static const char *const alone[] = { "meta", "line", "polyline" };
    struct tag tag = { .closes = p[1] == '/', .alone = p[1] == '!' };

    sscanf(p + 1 + tag.closes, "%15[a-z0-9]", tag.name);
    for (size_t i = 0; i < ARRAY_LEN(alone); i++)
        tag.alone |= strcmp(tag.name, alone[i]) == 0;
    return tag;
}

/* Every element that is opened is closed, in order. */
static void assert_balanced(const char *page)
{
    struct tag open[32];
    size_t depth = 0;

    for (const char *p = strchr(page, '<'); p; p = strchr(p + 1, '<')) {
        struct tag tag = tag_at(p);

        if (tag.alone)
            continue;
        if (tag.closes) {
            assert_true(depth > 0);
            assert_string_equal(open[--depth].name, tag.name);
        } else {
            assert_true(depth < ARRAY_LEN(open));
            open[depth++] = tag;
        }
    }
    assert_int_equal(depth, 0);
}

static void assert_holds(const char *text, const char *const *parts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!strstr(text, parts[i]))
            fail_msg("no '%s' in:\n%s", parts[i], text);
    }
}

static void page_has_all_that_is_known(void **state)
{
    static const char *const wanted[] = {
        "<title>gemm.py, verified: autodd-c</title>",
        "6 \xE2\x86\x92 3",
        "3 of 3",
        "1 min 03 s",
        "1.25 s",
        "<code>ValueError: #, exit 1</code>",
        "--err-msg",
        "<code>K shape</code>",
        "4 of 4 runs; with 95 % confidence 39.8 % to 100 %",
        "keeping: x",
        "<code>with env:A=1</code>: the original in 4 of 4 runs",
        "the result in 2 of 3</dd>",
        "<strong>warning:</strong> look here",
        "<li><code>abc</code><span class=\"why\"><span>",
        "<span>without it: NameError: T</span></span></li>",
        "<pre>python3 gemm.min.py</pre>",
        "<pre>err\n</pre>",
        "<pre>out\n</pre>",
        "mutation from here",
        "from step 2 on",
        "step 2, integer: 3 bytes after 30 runs, 1.50 s",
        "<th scope=\"col\">Bytes</th>",
        "torch 2.11.0",
        "3.11.7",
        "H200",
        "2025.3.1.0",
        "ba7816bf8f01cfea",
        "a\nb\nc\n</pre>",
        "The good form of the result",
        "abcd\n</pre>",
    };
    struct report report = full_report();
    char *page = written(report_html, &report);
    (void)state;

    assert_holds(page, wanted, ARRAY_LEN(wanted));
    assert_balanced(page);
    free(page);
}

static void plots_have_a_circle_for_each_step(void **state)
{
    struct report report = full_report();
    char *page = written(report_html, &report);
    (void)state;

    assert_int_equal(occurrences(page, "<svg "), 2);
    assert_int_equal(occurrences(page, "<circle "), 4);
    assert_int_equal(occurrences(page, "class=\"step mutated\""), 2);
    free(page);
    report.nsteps = 0;
    page = written(report_html, &report);
    assert_int_equal(occurrences(page, "<svg "), 0);
    assert_balanced(page);
    free(page);
}

static void page_needs_nothing_from_elsewhere(void **state)
{
    static const char *const never[] = { "http:",   "https:",  "src=",
                                         "href=",   "<script", "<link",
                                         "@import", "url(",    "onload" };
    struct report report = full_report();
    char *page = written(report_html, &report);
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(never); i++) {
        if (strstr(page, never[i]))
            fail_msg("'%s' in the page", never[i]);
    }
    assert_non_null(strstr(page, "default-src 'none'"));
    free(page);
}

static void reason_of_some_lines_stands_at_the_first(void **state)
{
    static const struct report_reason some[] = { { 1, 3, "passes" },
                                                 { 2, 2, "KeyError: <b>" } };
    struct report report = full_report();
    (void)state;

    report.result.text = bytes_of("a:\n  b\n  c\n", 11);
    report.reasons = some;
    report.nreasons = 2;
    char *page = written(report_html, &report);
    assert_non_null(strstr(page, "<code>a:</code><span class=\"why\"><span>"
                                 "without lines 1 to 3: passes</span>"));
    assert_non_null(strstr(page, "<code>  b</code><span class=\"why\"><span>"
                                 "without it: KeyError: &lt;b&gt;</span>"));
    free(page);
}

static const char hostile[] = "</code></pre></script><img src=x onerror=a()>\n"
                              "```\n# heading\n<b>\x1B\xFF `x` @someone";

/* Every text of a report that comes from outside. */
static struct report hostile_report(void)
{
    static const struct report_step step[] = { { 0.5, 12, hostile, 4, false } };
    static const struct report_reason reason[] = { { 1, 1, hostile } };
    static const struct report_ask ask[] = { { "err-msg", hostile } };
    static const struct report_note note[] = { { "error", hostile } };
    static char *hostiles[] = { (char *)(uintptr_t)hostile };
    struct bytes text = { hostile, sizeof(hostile) }; /* its NUL too */

    return (struct report){
        .status = REPORT_VERIFIED,
        .original = { hostile, text },
        .result = { hostile, text },
        .signature = hostile,
        .budget = hostile,
        .asked = ask,
        .nasked = 1,
        .steps = step,
        .nsteps = 1,
        .reasons = reason,
        .nreasons = 1,
        .notes = note,
        .nnotes = 1,
        .command = hostile,
        .output = { hostile, text, text },
        .versions = { hostile, hostile, hostile, hostile, hostile, hostiles,
                      1 },
    };
}

static void no_text_from_outside_becomes_markup(void **state)
{
    struct report report = hostile_report();
    char *page = written(report_html, &report);
    (void)state;

    assert_balanced(page);
    assert_null(strstr(page, "<img"));
    assert_null(strstr(page, "<b>"));
    assert_null(strstr(page, "</script"));
    assert_null(strchr(page, '\x1B'));
    assert_non_null(strstr(page, "&lt;img src=x"));
    free(page);
    json_free(parsed(&report));
}

/* Outside of the code spans and blocks there is nothing of it. */
static void no_text_from_outside_becomes_markdown(void **state)
{
    struct report report = hostile_report();
    char *text = written(report_markdown, &report), *rest = text, *line;
    size_t fence = 0;
    (void)state;

    while ((line = strsep(&rest, "\n"))) {
        size_t run = strspn(line, "`");

        if (fence > 0)
            fence = run >= fence && line[run] == '\0' ? 0 : fence;
        else if (run >= 3)
            fence = run;
        else if (strchr(line, '<') || line[0] == '#')
            assert_true(line[0] == '#' ? !strstr(line, "heading")
                                       : strstr(line, "``") != NULL);
    }
    assert_int_equal(fence, 0);
    free(text);
}

static void long_lines_and_texts_are_cut_and_it_is_said(void **state)
{
    struct report report = full_report();
    size_t len = 3 << 20;
    char *text = xcalloc(len, 1), *page;
    (void)state;

    memset(text, 'x', len);
    report.result.text = report.original.text = bytes_of(text, len);
    page = written(report_html, &report);
    assert_true(strlen(page) < 40000);
    assert_non_null(strstr(page, "1,044,576 bytes more"));
    assert_non_null(strstr(page, "2,097,152 bytes more are in the file"));
    free(page);
    page = written(report_markdown, &report);
    assert_true(strlen(page) < 65536);
    assert_non_null(strstr(page, "only its beginning: 3,108,864 bytes more"));
    free(page);
    free(text);
}

static void markdown_has_what_an_issue_needs(void **state)
{
    static const char *const wanted[] = {
        "# Minimized, and it fails again\n\nThe script below fails by itself "
        "in 3 of 3 runs of a fresh interpreter.",
        "`gemm.py`: 3 bytes and 1 line of 6 and 3, in 300 runs and 1 min 03 s",
        "```python\nabc\n```\n",
        "```sh\npython3 gemm.min.py\n```\n",
        "Its good form, which passes:\n\n```python\nabcd\n```\n",
        "It ends with `exit 1`.",
        "```text\nerr\n```\n",
        "```text\nlook here\n```\n",
        "- asked for by `--err-msg`: `K shape`\n",
        "- had to pass: `with env:A=1`, the result in 2 of 3 runs\n",
        "4 of 4 runs of the original; its rate is 39.8 % to 100 %",
        "- Python `3.11.7`\n- package `torch 2.11.0`\n- platform `Linux`\n"
        "- GPU `H200`\n",
    };
    struct report report = full_report();
    char *text = written(report_markdown, &report);
    (void)state;

    assert_holds(text, wanted, ARRAY_LEN(wanted));
    assert_null(strstr(text, "keeping")); /* no more than is needed */
    free(text);
}

static void ends_without_a_result_have_pages_too(void **state)
{
    static const enum report_status ends[] = { REPORT_UNVERIFIED,
                                               REPORT_NOT_REPRODUCED,
                                               REPORT_ENVIRONMENT,
                                               REPORT_INTERRUPTED };
    static const struct report_note why[] = { { "error", "no such thing" } };
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        struct report report = { .status = ends[i],
                                 .original = { "a.py", { "x\n", 2 } },
                                 .notes = why,
                                 .nnotes = 1 };
        char *page = written(report_html, &report);
        char *text = written(report_markdown, &report);

        assert_balanced(page);
        assert_non_null(strstr(page, report_status_words(ends[i])));
        assert_non_null(strstr(page, "no such thing"));
        assert_null(strstr(page, "The result"));
        assert_non_null(strstr(text, report_status_words(ends[i])));
        assert_non_null(strstr(text, "```text\nno such thing\n```\n"));
        assert_null(strstr(text, "```python"));
        free(text);
        free(page);
    }
}

/* Trackers refuse what is too long, and half a command runs something else. */
static void markdown_has_a_ceiling_for_command_and_notes(void **state)
{
    enum { LONG = 5000, MANY = 12 };
    struct report report = full_report();
    struct report_note many[MANY];
    char *command = xcalloc(LONG, 1), *note = xcalloc(LONG, 1), *text;
    (void)state;

    memset(command, 'c', LONG - 1);
    memset(note, 'n', LONG - 1);
    for (size_t i = 0; i < MANY; i++)
        many[i] = (struct report_note){ "warning", note };
    report.command = command;
    report.notes = many;
    report.nnotes = MANY;
    text = written(report_markdown, &report);
    assert_true(strlen(text) < 20000);
    assert_null(strstr(text, "ccc"));
    assert_non_null(strstr(text, "The command to run it has 4,999 bytes"));
    assert_non_null(strstr(text, "10 notes more, in the JSON report"));
    free(text);
    free(note);
    free(command);
}

static void a_report_is_a_file_with_a_known_ending(void **state)
{
    struct report report = full_report();
    char dir[] = "/tmp/autodd-report-XXXXXX";
    struct err err = { "" };
    char *text = NULL;
    size_t len;
    (void)state;

    assert_non_null(mkdtemp(dir));
    char *good = file_join(dir, "r.json"), *bad = file_join(dir, "r.txt");
    char *lost = file_join(dir, "none/r.json");
    int ok = report_write(&report, good, &err);
    int ending = report_write(&report, bad, &err);
    bool told = strstr(err.text, ".json") != NULL;
    int folder = report_write(&report, lost, &err);
    file_read(good, 1 << 20, &text, &len, NULL);
    unlink(good);
    int left = rmdir(dir); /* nothing else was made */
    struct json *r = text ? json_parse(text, len, NULL) : NULL;
    bool parses = r != NULL;
    json_free(r);
    free(text);
    free(good);
    free(bad);
    free(lost);
    assert_int_equal(ok, 0);
    assert_int_equal(ending, -EINVAL);
    assert_true(told);
    assert_int_equal(folder, -ENOENT);
    assert_int_equal(left, 0);
    assert_true(parses);
}

static void lines_count_a_last_one_without_a_newline(void **state)
{
    (void)state;
    assert_int_equal(report_lines(bytes_of("", 0)), 0);
    assert_int_equal(report_lines(bytes_of("a", 1)), 1);
    assert_int_equal(report_lines(bytes_of("a\n", 2)), 1);
    assert_int_equal(report_lines(bytes_of("a\n\nb", 4)), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_members_are_there_with_their_values),
        cmocka_unit_test(a_search_that_was_stopped_names_its_budget),
        cmocka_unit_test(what_never_came_to_be_is_null),
        cmocka_unit_test(bytes_that_are_no_utf8_are_replaced),
        cmocka_unit_test(page_has_all_that_is_known),
        cmocka_unit_test(plots_have_a_circle_for_each_step),
        cmocka_unit_test(page_needs_nothing_from_elsewhere),
        cmocka_unit_test(reason_of_some_lines_stands_at_the_first),
        cmocka_unit_test(no_text_from_outside_becomes_markup),
        cmocka_unit_test(no_text_from_outside_becomes_markdown),
        cmocka_unit_test(long_lines_and_texts_are_cut_and_it_is_said),
        cmocka_unit_test(markdown_has_what_an_issue_needs),
        cmocka_unit_test(ends_without_a_result_have_pages_too),
        cmocka_unit_test(markdown_has_a_ceiling_for_command_and_notes),
        cmocka_unit_test(a_report_is_a_file_with_a_known_ending),
        cmocka_unit_test(lines_count_a_last_one_without_a_newline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
