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

static const struct report_step steps[] = { { 0.5, 12, "statement", 40, false },
                                            { 1.5, 30, "merge", 3, true } };
static const struct report_reason reasons[] = { { 1, 1, "NameError: T" } };

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
    (void)state;

    assert_int_equal(json_get_int(r, "schema", 0), 1);
    assert_string_equal(json_get_str(r, "status", ""), "verified");
    assert_int_equal(json_get_int(r, "runs", 0), 300);
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
    assert_int_equal(json_get_int(step, "run", 0), 30);
    assert_int_equal(json_get_int(step, "bytes", 0), 3);
    assert_true(json_get_real(step, "t", 0) == 1.5);
    assert_string_equal(json_get_str(step, "kind", ""), "merge");
    assert_int_equal(json_get_int(r, "mutation_began", 0), 1);
    assert_int_equal(json_get_int(reason, "first", 0), 1);
    assert_string_equal(json_get_str(reason, "outcome", ""), "NameError: T");
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
        cmocka_unit_test(a_report_is_a_file_with_a_known_ending),
        cmocka_unit_test(lines_count_a_last_one_without_a_newline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
