#include "test/test.h"

#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "grammar/guard.h"
#include "minimizer/comparison.h"
#include "minimizer/judge.h"
#include "minimizer/signature.h"
#include "test/unit/signature_cases.h"

/* ---- options and observations, small ---- */

struct setup {
    struct config config;
    char *texts[4], *nots[4];
};

static struct config *ask(struct setup *s, const char *text)
{
    *s = (struct setup){ .config = { .tightness = TIGHT_TEMPLATE } };
    s->texts[0] = (char *)text;
    s->config.err_msgs = (struct strings){ s->texts, text ? 1 : 0 };
    s->config.not_msgs = (struct strings){ s->nots, 0 };
    return &s->config;
}

/* Runs of the cases become observations by the rules of the worker. */
static void observe(const struct case_run *run, struct observation *o,
                    struct pattern_match *match)
{
    *match = (struct pattern_match){ .in_exception = run->in_exception };
    for (size_t i = 0; i < ARRAY_LEN(run->lines) && run->lines[i]; i++)
        match->lines[match->nlines++] = (char *)run->lines[i];
    match->plain = match->nlines;
    match->plain_err = run->on_err ? match->plain : 0;
    *o = (struct observation){ .end = run->end,
                               .exc_type = (char *)run->type,
                               .exc_message = (char *)run->message,
                               .matches = match,
                               .nmatches = 1 };
    o->exit_code = run->end == END_EXIT ? run->code : 0;
    o->signal = run->end == END_SIGNAL ? run->code : 0;
}

static struct observation raised(const char *type, const char *message,
                                 struct pattern_match *match)
{
    *match = (struct pattern_match){ .in_exception = true };
    return (struct observation){ .end = END_EXIT,
                                 .exit_code = 1,
                                 .exc_type = (char *)type,
                                 .exc_message = (char *)message,
                                 .matches = match,
                                 .nmatches = 1 };
}

static struct observation printed(const char *line, int code,
                                  struct pattern_match *match)
{
    *match = (struct pattern_match){ .plain = 1, .nlines = 1 };
    match->lines[0] = (char *)line;
    return (struct observation){
        .end = END_EXIT, .exit_code = code, .matches = match, .nmatches = 1
    };
}

static struct observation complained(const char *line, int code,
                                     struct pattern_match *match)
{
    struct observation o = printed(line, code, match);

    match->plain_err = match->plain;
    return o;
}

/* What a signature pinned on `first` says of `other`. */
static enum verdict judge(const struct config *config, const char *script,
                          const struct observation *first,
                          const struct observation *other)
{
    struct err err;
    struct signature *s =
        signature_pin(config, bytes_of(script, strlen(script)), first, &err);

    assert_non_null(s);
    enum verdict verdict = signature_judge(s, other, NULL);
    signature_free(s);
    return verdict;
}

static enum verdict judge_messages(const char *text, const char *type,
                                   const char *first, const char *other)
{
    struct setup setup;
    struct pattern_match a, b;
    struct observation x = raised(type, first, &a), y = raised(type, other, &b);

    return judge(ask(&setup, text), "", &x, &y);
}

/* ---- the cases ---- */

static void each_ideal_is_a_yes_and_each_trap_a_no(void **state)
{
    struct signature *s = NULL;
    struct setup setup;
    struct pattern_match match;
    struct observation o;
    struct err err = { "" };
    int wrong = 0;
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(case_runs); i++) {
        const struct case_run *run = &case_runs[i];
        struct buf why;
        observe(run, &o, &match);
        if (run->role == ORIGINAL) {
            signature_free(s);
            s = signature_pin(ask(&setup, run->err_msg),
                              bytes_of(run->script, strlen(run->script)), &o,
                              &err);
            if (!s)
                fail_msg("%s: %s", run->name, err.text);
        }
        buf_init(&why, 4096);
        bool no = run->role == TRAP || run->role == OTHER_LINE;
        if (signature_judge(s, &o, &why) != (no ? VERDICT_NO : VERDICT_YES)) {
            print_error("%s: %s: %s\n", run->name,
                        no ? "not a no" : "not a yes", buf_str(&why));
            wrong++;
        }
        buf_deinit(&why);
    }
    signature_free(s);
    assert_int_equal(wrong, 0);
}

/* ---- masking ---- */

static void assert_mask(const char *text, const char *masked)
{
    struct buf out;

    buf_init(&out, 4096);
    signature_mask(text, &out);
    assert_string_equal(buf_str(&out), masked);
    buf_deinit(&out);
}

static void numbers_are_masked_and_their_count_is_kept(void **state)
{
    (void)state;
    assert_mask("K_A = 32, K_B = -128", "K_A = #, K_B = #");
    assert_mask("1.5e-05 and 0x7ffc12 and 1. and .5", "# and # and # and #");
    assert_mask("(1, 2)", "(#, #)");
    assert_mask("(4,)", "(#,)");
    assert_mask("nan or inf", "nan or inf");
    assert_mask("tile_7 of float16", "tile_# of float16");
    assert_mask("kernel_3fa8b2c9d1 is gone", "kernel_# is gone");
}

static void paths_are_masked(void **state)
{
    (void)state;
    assert_mask("/tmp/x/gemm.py:12: bad", "#:#: bad");
    assert_mask("in src/op/parallel.cc line 3", "in # line #");
    assert_mask("reduce.unit(5): error", "#(#): error");
    assert_mask("8 / 1000", "# / #");
    assert_mask("either and/or both", "either and/or both");
    assert_mask("torch.zeros(4) failed", "torch.zeros(#) failed");
}

static void all_and_none_per_cent_stay_apart_from_some(void **state)
{
    (void)state;
    assert_mask("24 / 48 (50.0%)", "# / # (#%)");
    assert_mask("8 / 8 (100.0%)", "# / # (100%)");
    assert_mask("0 / 8 (0.0%)", "# / # (0%)");
}

static void a_place_may_have_any_number_of_indices(void **state)
{
    (void)state;
    assert_mask("0.5 at index (3, 1) (up to 1e-05 allowed)",
                "# at index (#) (up to # allowed)");
}

/* ---- messages ---- */

static void a_stray_access_may_be_reported_as_either_of_two_errors(void **state)
{
    static const char numba[] =
        "[<CUresult.CUDA_ERROR_ILLEGAL_ADDRESS: 700>] Call to cuMemcpyDtoH "
        "results in CUDA_ERROR_ILLEGAL_ADDRESS";
    static const char other[] =
        "[<CUresult.CUDA_ERROR_INVALID_ADDRESS_SPACE: 717>] Call to "
        "cuMemcpyDtoH results in CUDA_ERROR_INVALID_ADDRESS_SPACE";
    static const char torch[] =
        "CUDA error: an illegal memory access was encountered\nSearch for "
        "`cudaErrorIllegalAddress' for more information.";
    static const char space[] =
        "CUDA error: operation not supported on global/shared address space\n"
        "Search for `cudaErrorInvalidAddressSpace' for more information.";
    static const char aligned[] = "CUDA error: misaligned address\nSearch for "
                                  "`cudaErrorMisalignedAddress' for more "
                                  "information.";
    (void)state;

    assert_int_equal(judge_messages(NULL, "E", numba, other), VERDICT_YES);
    assert_int_equal(judge_messages(NULL, "E", other, numba), VERDICT_YES);
    assert_int_equal(
        judge_messages("results in CUDA_ERROR_", "E", numba, other),
        VERDICT_YES);
    assert_int_equal(judge_messages(NULL, "E", torch, space), VERDICT_YES);
    assert_int_equal(judge_messages("CUDA error", "E", space, torch),
                     VERDICT_YES);
    /* What was asked for must come, and another fault is another. */
    assert_int_equal(judge_messages("illegal memory access", "E", torch, space),
                     VERDICT_NO);
    assert_int_equal(judge_messages(NULL, "E", torch, aligned), VERDICT_NO);
}

static void another_shape_in_the_message_is_another_failure(void **state)
{
    const char *text = "Invalid reduce output shape";
    (void)state;

    assert_int_equal(
        judge_messages(text, "ValueError",
                       "Invalid reduce output shape, buffer is (64, 128)",
                       "Invalid reduce output shape, buffer is (1, 1)"),
        VERDICT_YES);
    assert_int_equal(
        judge_messages(text, "ValueError",
                       "Invalid reduce output shape, buffer is (64, 128)",
                       "Invalid reduce output shape, buffer is (8,)"),
        VERDICT_NO);
}

static void a_dump_of_source_in_a_message_does_not_count(void **state)
{
    const char *first = "at 4:8:\ndef k(x):\n    w = tl.dot(v, v)\n"
                        "        ^\ninput and other must have equal ranks >= 2";
    const char *shorter = "at 2:4:\ndef k(x):\n    tl.dot(x, x)\n"
                          "    ^\ninput and other must have equal ranks >= 2";
    const char *echo = "at 2:4:\ndef k(x):\n    \"equal ranks\"\n    ^\n"
                       "unsupported expression";
    (void)state;

    assert_int_equal(judge_messages(NULL, "CompilationError", first, shorter),
                     VERDICT_YES);
    assert_int_equal(
        judge_messages("equal ranks", "CompilationError", first, shorter),
        VERDICT_YES);
    assert_int_equal(
        judge_messages("equal ranks", "CompilationError", first, echo),
        VERDICT_NO);
    assert_int_equal(
        judge_messages(NULL, "tvm.error.InternalError",
                       "Check failed: x is false: Cl: (j, i) and (i, j)\n"
                       "  --> /a/t.py:6:1\n    |\n 6 |   Cl = f()\n    | ^",
                       "Check failed: x is false: Cl: (j, i) and (i, j)\n"
                       "  --> /a/t.py:2:1\n    |\n 2 |  g()\n    | ^"),
        VERDICT_YES);
}

static void a_value_in_quotes_may_change_and_a_name_may_not(void **state)
{
    (void)state;
    assert_int_equal(judge_messages("invalid literal", "ValueError",
                                    "invalid literal for int(): '463dg'",
                                    "invalid literal for int(): ''"),
                     VERDICT_YES);
    assert_int_equal(judge_messages("is not defined", "NameError",
                                    "name 'tile' is not defined",
                                    "name 'T' is not defined"),
                     VERDICT_NO);
}

static void the_words_of_the_script_may_go_those_of_a_library_not(void **state)
{
    struct setup setup;
    struct pattern_match a, b;
    struct observation first =
        raised("LookupError", "cannot prove scale == 1", &a);
    struct observation other = raised("LookupError", "scale == 1", &b);
    (void)state;

    assert_int_equal(judge(ask(&setup, "scale == 1"),
                           "raise LookupError('cannot prove ' + text)", &first,
                           &other),
                     VERDICT_YES);
    assert_int_equal(
        judge(&setup.config, "# cannot prove\nimport prover", &first, &other),
        VERDICT_NO);
}

static void exact_wants_the_very_message_and_type_only_the_type(void **state)
{
    struct setup setup;
    struct pattern_match a, b, c;
    struct observation first = raised("ValueError", "axis 3 of 2", &a);
    struct observation other = raised("ValueError", "axis 4 of 2", &b);
    struct observation words = raised("ValueError", "axis of it", &c);
    struct config *config = ask(&setup, "axis");
    (void)state;

    config->tightness = TIGHT_EXACT;
    assert_int_equal(judge(config, "", &first, &first), VERDICT_YES);
    assert_int_equal(judge(config, "", &first, &other), VERDICT_NO);
    config->tightness = TIGHT_TYPE;
    assert_int_equal(judge(config, "", &first, &words), VERDICT_YES);
    words.exc_type = (char *)"KeyError";
    assert_int_equal(judge(config, "", &first, &words), VERDICT_NO);
}

static void text_takes_any_ending_but_no_echo(void **state)
{
    struct setup setup;
    struct pattern_match a, b, c = { .echo = 1 };
    struct observation first = raised("ValueError", "shape check", &a);
    struct observation other = printed("shape check", 0, &b);
    struct observation echo = { .end = END_EXIT,
                                .exit_code = 1,
                                .exc_type = (char *)"NameError",
                                .exc_message = (char *)"name 'x'",
                                .matches = &c,
                                .nmatches = 1 };
    struct config *config = ask(&setup, "shape check");
    (void)state;

    config->tightness = TIGHT_TEXT;
    assert_int_equal(judge(config, "", &first, &other), VERDICT_YES);
    assert_int_equal(judge(config, "", &first, &echo), VERDICT_NO);
    config->expect = EXPECT_EXIT;
    config->expect_value = 1;
    assert_int_equal(judge(config, "", &first, &other), VERDICT_NO);
}

static void a_comparison_keeps_its_kind(void **state)
{
    const char *half = "Tensor-likes are not close!\n\n"
                       "Mismatched elements: 24 / 48 (50.0%)\n"
                       "Greatest absolute difference: 1.7 at index (5, 1) (up "
                       "to 1e-05 allowed)\nGreatest relative difference: 1.7 "
                       "at index (0, 1) (up to 1.3e-06 allowed)";
    const char *drift = "Tensor-likes are not close!\n\n"
                        "Mismatched elements: 24 / 48 (50.0%)\n"
                        "Greatest absolute difference: 0.001 at index (5,) (up "
                        "to 1e-05 allowed)\nGreatest relative difference: "
                        "0.001 at index (0,) (up to 1.3e-06 allowed)";
    const char *nan = "Tensor-likes are not close!\n\n"
                      "Mismatched elements: 1 / 2 (50.0%)\n"
                      "Greatest absolute difference: nan at index (0,) (up to "
                      "1e-05 allowed)\nGreatest relative difference: nan at "
                      "index (0,) (up to 1.3e-06 allowed)";
    (void)state;

    assert_int_equal(comparison_read(half).kind, COMPARISON_SOME);
    assert_int_equal(comparison_read(drift).kind, COMPARISON_DRIFT);
    assert_int_equal(comparison_read(nan).kind, COMPARISON_NAN);
    assert_int_equal(judge_messages("not close", "AssertionError", half, drift),
                     VERDICT_NO);
    assert_int_equal(judge_messages("not close", "AssertionError", drift, half),
                     VERDICT_NO);
    assert_int_equal(judge_messages(NULL, "AssertionError", half, nan),
                     VERDICT_NO);
}

#define DIFFER(count, relative)                                                \
    "Tensor-likes are not close!\n\nMismatched elements: " count               \
    "\nGreatest absolute difference: 1.7 at index (5, 1) (up to 1e-05 "        \
    "allowed)\nGreatest relative difference: " relative                        \
    " at index (0, 1) (up to 1.3e-06 allowed)"

static void a_few_wrong_elements_stay_a_few(void **state)
{
    const char *first = DIFFER("104 / 1000 (10.4%)", "1.7");
    const char *alike[] = { DIFFER("2 / 10 (20.0%)", "3.0"),
                            DIFFER("1 / 19 (5.3%)", "0.1") };
    const char *not_alike[] = { DIFFER("3 / 10 (30.0%)", "1.7"),
                                DIFFER("1 / 20 (5.0%)", "1.7"),
                                DIFFER("2 / 10 (20.0%)", "inf") };
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(alike); i++)
        assert_int_equal(
            judge_messages("not close", "AssertionError", first, alike[i]),
            VERDICT_YES);
    for (size_t i = 0; i < ARRAY_LEN(not_alike); i++)
        assert_int_equal(
            judge_messages("not close", "AssertionError", first, not_alike[i]),
            VERDICT_NO);
    /* Of those that are right, too, a like share stays. */
    assert_int_equal(judge_messages("not close", "AssertionError",
                                    DIFFER("9 / 10 (90.0%)", "inf"),
                                    DIFFER("7 / 10 (70.0%)", "1.7")),
                     VERDICT_NO);
    assert_int_equal(judge_messages("not close", "AssertionError",
                                    DIFFER("9 / 10 (90.0%)", "inf"),
                                    DIFFER("17 / 20 (85.0%)", "1.7")),
                     VERDICT_YES);
}

static void the_lists_of_numpy_need_not_come_again(void **state)
{
    const char *first = "\nNot equal to tolerance rtol=1e-07, atol=0\n\n"
                        "Mismatched elements: 1 / 3 (33.3%)\n"
                        "Max absolute difference: 1.\nMax relative "
                        "difference: 0.3\n x: array([1., 2., 3.])\n"
                        " y: array([1., 2., 4.])";
    const char *other = "\nNot equal to tolerance rtol=1e-07, atol=0\n\n"
                        "Mismatched elements: 1 / 2 (50%)\n"
                        "Max absolute difference: 2.\nMax relative "
                        "difference: 0.4\n x: array([1, 2])\n y: array([4])";
    (void)state;

    assert_int_equal(judge_messages(NULL, "AssertionError", first, other),
                     VERDICT_YES);
}

/* ---- plain output ---- */

static enum verdict judge_lines(const char *text, const char *script,
                                const char *first, const char *other)
{
    struct setup setup;
    struct pattern_match a, b;
    struct observation x = printed(first, 3, &a), y = printed(other, 3, &b);

    return judge(ask(&setup, text), script, &x, &y);
}

static void the_line_of_a_text_must_come_again_on_its_stream(void **state)
{
    const char *line = "runtime: check failed: lane 4";
    struct setup setup;
    struct pattern_match a, b, c;
    struct observation out = printed(line, 3, &a);
    struct observation err = complained(line, 3, &b);
    struct observation both = printed(line, 3, &c);
    struct config *config = ask(&setup, "check failed");
    (void)state;

    c.plain = 2;
    c.plain_err = 1;
    for (int type = 0; type < 2; type++) {
        config->tightness = type ? TIGHT_TYPE : TIGHT_TEMPLATE;
        assert_int_equal(judge(config, "", &out, &out), VERDICT_YES);
        assert_int_equal(judge(config, "", &err, &err), VERDICT_YES);
        assert_int_equal(judge(config, "", &out, &err), VERDICT_NO);
        assert_int_equal(judge(config, "", &err, &out), VERDICT_NO);
        assert_int_equal(judge(config, "", &out, &both), VERDICT_YES);
        assert_int_equal(judge(config, "", &err, &both), VERDICT_YES);
        assert_int_equal(judge(config, "", &both, &out), VERDICT_YES);
        assert_int_equal(judge(config, "", &both, &err), VERDICT_NO);
    }
    config->tightness = TIGHT_TEXT;
    assert_int_equal(judge(config, "", &err, &out), VERDICT_YES);
}

static void each_text_keeps_a_stream_of_its_own(void **state)
{
    struct setup setup;
    struct pattern_match a[2] = {
        { .plain = 1, .nlines = 1, .lines = { (char *)"bad tile" } },
        { .plain = 1,
          .plain_err = 1,
          .nlines = 1,
          .lines = { (char *)"lost lane" } }
    };
    struct pattern_match b[2] = { a[0], a[1] };
    struct observation first = {
        .end = END_EXIT, .exit_code = 3, .matches = a, .nmatches = 2
    };
    struct observation other = first;
    (void)state;

    other.matches = b;
    ask(&setup, "bad");
    setup.texts[1] = (char *)"lost";
    setup.config.err_msgs.n = 2;
    assert_int_equal(judge(&setup.config, "", &first, &other), VERDICT_YES);
    b[1].plain_err = 0;
    assert_int_equal(judge(&setup.config, "", &first, &other), VERDICT_NO);
    b[1].plain_err = b[0].plain_err = 1;
    assert_int_equal(judge(&setup.config, "", &first, &other), VERDICT_NO);
}

static void
words_before_a_printed_text_stay_though_the_script_has_them(void **state)
{
    const char *text = "check failed", *first = "runtime: check failed in gemm";
    const char *script = "print('runtime: ' + text + ' in ' + name)";
    (void)state;

    assert_int_equal(judge_lines(text, script, first, first), VERDICT_YES);
    assert_int_equal(
        judge_lines(text, script, first, "host: check failed in gemm"),
        VERDICT_NO);
    assert_int_equal(judge_lines(text, script, first, "check failed in gemm"),
                     VERDICT_NO);
    assert_int_equal(judge_lines(text, script, first, "runtime: check failed"),
                     VERDICT_YES);
    assert_int_equal(judge_lines(text, first, first, text), VERDICT_NO);
}

static void the_numbers_of_a_printed_line_may_change(void **state)
{
    const char *first = "[gpu 0] 36 of 64 tiles differ, worst 1.5e-05 at 0x7f";
    const char *other = "[gpu 3] 1 of 2 tiles differ, worst -0.5 at 0x10";
    struct setup setup;
    struct pattern_match a, b;
    struct observation x = printed(first, 3, &a), y = printed(other, 3, &b);
    (void)state;

    assert_int_equal(judge_lines("tiles differ", "", first, other),
                     VERDICT_YES);
    ask(&setup, "tiles differ");
    setup.config.tightness = TIGHT_EXACT;
    assert_int_equal(judge(&setup.config, "", &x, &y), VERDICT_NO);
}

static void of_several_lines_with_the_text_one_is_enough(void **state)
{
    struct setup setup;
    struct pattern_match a, b;
    struct observation first = printed("load waits for tile 0", 3, &a);
    struct observation other = printed("mma waits for tile 2", 3, &b);
    struct config *config = ask(&setup, "waits for");
    (void)state;

    assert_int_equal(judge(config, "", &first, &other), VERDICT_NO);
    a.lines[a.nlines++] = (char *)"mma waits for tile 0";
    a.plain = 2;
    assert_int_equal(judge(config, "", &first, &other), VERDICT_YES);
}

/* ---- endings ---- */

static void without_a_text_the_first_failure_is_kept(void **state)
{
    struct setup setup;
    struct pattern_match none = { 0 };
    struct observation signal = { .end = END_SIGNAL, .signal = 11 };
    struct observation abort = { .end = END_SIGNAL, .signal = 6 };
    struct observation hang = { .end = END_TIMEOUT };
    struct observation error = raised("KeyError", "'a'", &none);
    struct observation other = raised("NameError", "name 'T'", &none);
    (void)state;

    ask(&setup, NULL);
    assert_int_equal(judge(&setup.config, "", &signal, &signal), VERDICT_YES);
    assert_int_equal(judge(&setup.config, "", &signal, &abort), VERDICT_NO);
    assert_int_equal(judge(&setup.config, "", &hang, &hang), VERDICT_YES);
    assert_int_equal(judge(&setup.config, "", &hang, &signal), VERDICT_NO);
    assert_int_equal(judge(&setup.config, "", &error, &error), VERDICT_YES);
    assert_int_equal(judge(&setup.config, "", &error, &other), VERDICT_NO);
}

static void a_hang_that_waits_is_not_one_that_is_busy(void **state)
{
    struct setup setup;
    struct observation waits = { .end = END_TIMEOUT };
    struct observation busy = { .end = END_TIMEOUT, .busy = true };
    (void)state;

    ask(&setup, NULL);
    assert_int_equal(judge(&setup.config, "", &waits, &waits), VERDICT_YES);
    assert_int_equal(judge(&setup.config, "", &waits, &busy), VERDICT_NO);
    assert_int_equal(judge(&setup.config, "", &busy, &waits), VERDICT_YES);
    assert_int_equal(judge(&setup.config, "", &busy, &busy), VERDICT_YES);
}

static void an_exception_may_come_later_where_one_did(void **state)
{
    struct setup setup;
    struct pattern_match a, b;
    struct observation last = raised("ValueError", "boom", &a);
    struct observation among = raised("ValueError", "boom", &b);
    (void)state;

    among.exc_later = true;
    ask(&setup, "boom");
    assert_int_equal(judge(&setup.config, "", &last, &among), VERDICT_NO);
    assert_int_equal(judge(&setup.config, "", &among, &last), VERDICT_YES);
    assert_int_equal(judge(&setup.config, "", &among, &among), VERDICT_YES);
    setup.config.tightness = TIGHT_TEXT;
    assert_int_equal(judge(&setup.config, "", &last, &among), VERDICT_YES);
}

static void expect_overrides_the_ending_of_the_first_run(void **state)
{
    struct setup setup;
    struct pattern_match a;
    struct observation three = printed("tiles differ", 3, &a);
    struct observation hang = { .end = END_TIMEOUT,
                                .matches = &a,
                                .nmatches = 1 };
    struct err err;
    (void)state;

    ask(&setup, "tiles differ");
    setup.config.expect = EXPECT_TIMEOUT;
    assert_int_equal(judge(&setup.config, "", &hang, &hang), VERDICT_YES);
    assert_int_equal(judge(&setup.config, "", &hang, &three), VERDICT_NO);
    assert_null(signature_pin(&setup.config, bytes_of("", 0), &three, &err));
    assert_non_null(strstr(err.text, "exit 3"));
    assert_non_null(strstr(err.text, "timeout"));
}

static void text_in_output_wants_the_same_exception_behind_it(void **state)
{
    struct setup setup;
    struct pattern_match a;
    struct observation child = printed("a.cu(5): error: lane", 1, &a);
    struct observation late = child;
    (void)state;

    child.exc_type = (char *)"subprocess.CalledProcessError";
    child.exc_message = (char *)"Command 'x' returned 2";
    late.exc_type = (char *)"NameError";
    late.exc_message = (char *)"name 'sys' is not defined";
    assert_int_equal(judge(ask(&setup, "error: lane"), "", &child, &child),
                     VERDICT_YES);
    assert_int_equal(judge(&setup.config, "", &child, &late), VERDICT_NO);
}

static void syntax_and_memory_errors_are_never_the_failure(void **state)
{
    struct setup setup;
    struct pattern_match a, b;
    struct observation first = raised("RuntimeError", "CUDA error: boom", &a);
    struct observation memory =
        raised("RuntimeError", "CUDA error: out of memory", &b);
    (void)state;

    ask(&setup, "CUDA error");
    setup.config.tightness = TIGHT_TYPE;
    assert_int_equal(judge(&setup.config, "", &first, &memory), VERDICT_NO);
    assert_int_equal(judge(&setup.config, "", &memory, &memory), VERDICT_YES);
    setup.config.tightness = TIGHT_TEXT;
    memory.exc_type = (char *)"SyntaxError";
    memory.exc_message = (char *)"CUDA error";
    assert_int_equal(judge(&setup.config, "", &first, &memory), VERDICT_NO);
}

static void not_msg_turns_a_yes_into_a_no(void **state)
{
    struct setup setup;
    struct pattern_match m[2] = { { .in_exception = true }, { 0 } };
    struct observation o = { .end = END_EXIT,
                             .exit_code = 1,
                             .exc_type = (char *)"ValueError",
                             .exc_message = (char *)"shape",
                             .matches = m,
                             .nmatches = 2 };
    struct err err;
    (void)state;

    ask(&setup, "shape");
    setup.nots[0] = (char *)"no CUDA device";
    setup.config.not_msgs.n = 1;
    struct signature *s =
        signature_pin(&setup.config, bytes_of("", 0), &o, &err);
    assert_int_equal(signature_judge(s, &o, NULL), VERDICT_YES);
    m[1].plain = 1;
    assert_int_equal(signature_judge(s, &o, NULL), VERDICT_NO);
    signature_free(s);
    assert_null(signature_pin(&setup.config, bytes_of("", 0), &o, &err));
    assert_non_null(strstr(err.text, "no CUDA device"));
}

static void what_the_surroundings_did_is_no_verdict(void **state)
{
    struct setup setup;
    struct pattern_match a, b;
    struct observation first = raised("ValueError", "shape", &a);
    struct observation lost = { .end = END_LOST, .why = (char *)"no worker" };
    struct observation disk =
        raised("OSError", "[Errno 28] No space left on device", &b);
    struct observation poison = raised(
        "RuntimeError", "Cannot re-initialize CUDA in forked subprocess.", &b);
    (void)state;

    b.in_exception = false;
    ask(&setup, "shape");
    assert_int_equal(judge(&setup.config, "", &first, &lost), VERDICT_NONE);
    assert_int_equal(judge(&setup.config, "", &first, &disk), VERDICT_NONE);
    assert_int_equal(judge(&setup.config, "", &first, &poison), VERDICT_NO);
    poison.forked = true;
    assert_int_equal(judge(&setup.config, "", &first, &poison), VERDICT_NONE);
    lost.end = END_LIMIT;
    assert_int_equal(judge(&setup.config, "", &first, &lost), VERDICT_NO);
}

static void a_test_command_alone_decides(void **state)
{
    struct setup setup;
    struct observation yes = { .end = END_EXIT };
    struct observation no = { .end = END_EXIT, .exit_code = 1 };
    struct observation slow = { .end = END_TIMEOUT };
    struct err err;
    (void)state;

    ask(&setup, NULL);
    setup.config.test = (char *)"./check";
    assert_int_equal(judge(&setup.config, "", &yes, &yes), VERDICT_YES);
    assert_int_equal(judge(&setup.config, "", &yes, &no), VERDICT_NO);
    assert_int_equal(judge(&setup.config, "", &yes, &slow), VERDICT_NO);
    assert_null(signature_pin(&setup.config, bytes_of("", 0), &no, &err));
}

/* ---- words ---- */

static void
a_first_run_that_is_no_failure_is_refused_with_the_reason(void **state)
{
    struct setup setup;
    struct pattern_match a = { .echo = 1 };
    struct observation pass = { .end = END_EXIT };
    struct observation echo = { .end = END_EXIT,
                                .exit_code = 1,
                                .exc_type = (char *)"NameError",
                                .exc_message = (char *)"name 'T'",
                                .matches = &a,
                                .nmatches = 1 };
    struct err err;
    (void)state;

    assert_null(signature_pin(ask(&setup, NULL), bytes_of("", 0), &pass, &err));
    assert_non_null(strstr(err.text, "does not fail"));
    assert_null(
        signature_pin(ask(&setup, "boom"), bytes_of("", 0), &echo, &err));
    assert_non_null(strstr(err.text, "quotes"));
    assert_non_null(strstr(err.text, "NameError: name 'T'"));
}

static void the_reason_of_a_no_is_what_came_instead(void **state)
{
    struct setup setup;
    struct pattern_match a, none = { 0 };
    struct observation first = raised("ValueError", "shape 1", &a);
    struct observation name = raised("NameError", "name 'T'\nmore", &none);
    struct observation pass = { .end = END_EXIT };
    struct err err;
    struct buf why;
    (void)state;

    none.in_exception = false;
    struct signature *s =
        signature_pin(ask(&setup, "shape"), bytes_of("", 0), &first, &err);
    buf_init(&why, 4096);
    signature_judge(s, &name, &why);
    assert_string_equal(buf_str(&why), "NameError: name 'T'");
    buf_clear(&why);
    signature_judge(s, &pass, &why);
    assert_string_equal(buf_str(&why), "passes");
    buf_clear(&why);
    signature_describe(s, &why);
    assert_string_equal(buf_str(&why), "ValueError: shape #, exit 1");
    buf_deinit(&why);
    signature_free(s);
}

static void a_wrong_value_does_not_become_no_value(void **state)
{
    const char *wrong = DIFFER("48 / 48 (100.0%)", "0.2");
    const char *nothing = DIFFER("48 / 48 (100.0%)", "1.0");
    (void)state;

    assert_int_equal(
        judge_messages("not close", "AssertionError", wrong, nothing),
        VERDICT_NO);
    assert_int_equal(
        judge_messages("not close", "AssertionError", nothing, nothing),
        VERDICT_YES);
    assert_int_equal(
        judge_messages("not close", "AssertionError", nothing, wrong),
        VERDICT_YES);
}

static void own_texts_and_comparisons_get_a_warning(void **state)
{
    const char *script = "x = 1\nraise ValueError('stage check failed')\n";
    struct setup setup;
    struct pattern_match a;
    struct observation own = raised("ValueError", "stage check failed", &a);
    struct observation far = raised("TypeError", "bad operand", &a);
    struct err err;
    struct buf out;
    (void)state;

    buf_init(&out, 4096);
    struct bytes source = bytes_of(script, strlen(script));
    struct signature *s =
        signature_pin(ask(&setup, "stage check"), source, &own, &err);
    assert_true(signature_of_own_text(s, source, &out));
    assert_non_null(strstr(buf_str(&out), "stage check"));
    signature_free(s);
    own.exc_line = 2;
    s = signature_pin(ask(&setup, NULL), source, &own, &err);
    assert_true(signature_of_own_text(s, source, &out));
    signature_free(s);
    far.exc_line = 1;
    s = signature_pin(ask(&setup, NULL), source, &far, &err);
    assert_false(signature_of_own_text(s, source, &out));
    signature_free(s);
    buf_deinit(&out);
}

static void the_key_tells_failures_apart(void **state)
{
    struct setup setup;
    struct pattern_match a, b;
    struct observation one = raised("ValueError", "shape 1", &a);
    struct observation two = raised("ValueError", "shape 2", &b);
    struct err err;
    struct buf x, y;
    (void)state;

    buf_init(&x, 4096);
    buf_init(&y, 4096);
    ask(&setup, "shape");
    struct signature *s =
        signature_pin(&setup.config, bytes_of("", 0), &one, &err);
    struct signature *t =
        signature_pin(&setup.config, bytes_of("", 0), &two, &err);
    signature_key(s, &x);
    signature_key(t, &y);
    assert_string_equal(buf_str(&x), buf_str(&y));
    signature_free(t);
    two.exit_code = 3;
    t = signature_pin(&setup.config, bytes_of("", 0), &two, &err);
    buf_clear(&y);
    signature_key(t, &y);
    assert_string_not_equal(buf_str(&x), buf_str(&y));
    signature_free(s);
    signature_free(t);
    buf_deinit(&x);
    buf_deinit(&y);
}

/* What is said of the failure that a run shows; its key goes into `key`. */
static void told(const struct config *config, const struct observation *first,
                 struct buf *said, struct buf *key)
{
    struct signature *s = signature_pin(config, bytes_of("", 0), first, NULL);

    buf_clear(said);
    buf_clear(key);
    signature_describe(s, said);
    signature_key(s, key);
    signature_free(s);
}

static void waiting_and_what_may_follow_are_told(void **state)
{
    struct setup setup;
    struct pattern_match a;
    struct observation waits = { .end = END_TIMEOUT };
    struct observation busy = { .end = END_TIMEOUT, .busy = true };
    struct observation last = raised("ValueError", "boom", &a);
    struct observation among = last;
    struct buf said, x, y;
    (void)state;

    buf_init(&said, 4096);
    buf_init(&x, 4096);
    buf_init(&y, 4096);
    ask(&setup, NULL);
    told(&setup.config, &busy, &said, &x);
    assert_null(strstr(buf_str(&said), ", waiting"));
    told(&setup.config, &waits, &said, &y);
    assert_non_null(strstr(buf_str(&said), ", waiting"));
    assert_string_not_equal(buf_str(&x), buf_str(&y));

    among.exc_later = true;
    ask(&setup, "boom");
    told(&setup.config, &last, &said, &x);
    assert_string_equal(buf_str(&said), "ValueError: boom, exit 1");
    told(&setup.config, &among, &said, &y);
    assert_string_equal(buf_str(&said),
                        "ValueError: boom, others may follow, exit 1");
    assert_string_not_equal(buf_str(&x), buf_str(&y));
    setup.config.tightness = TIGHT_TEXT;
    told(&setup.config, &last, &said, &x);
    told(&setup.config, &among, &said, &y);
    assert_string_equal(buf_str(&x), buf_str(&y));
    buf_deinit(&said);
    buf_deinit(&x);
    buf_deinit(&y);
}

/* ---- diagnosis ---- */

static void assert_category(const struct observation *o,
                            enum failure_category wanted, const char *word)
{
    struct buf why;

    buf_init(&why, 4096);
    assert_int_equal(diagnose(o, &why), wanted);
    assert_non_null(strstr(buf_str(&why), word));
    buf_deinit(&why);
}

static void the_category_follows_from_ending_type_and_words(void **state)
{
    struct pattern_match m;
    struct observation pass = { .end = END_EXIT };
    struct observation hang = { .end = END_TIMEOUT };
    struct observation segv = { .end = END_SIGNAL, .signal = 11 };
    struct observation nvcc = { .end = END_EXIT,
                                .exit_code = 1,
                                .err = (char *)"a.cu(3): error: identifier "
                                               "\"x\" is undefined\n" };
    struct observation o;
    (void)state;

    assert_category(&pass, FAILURE_NONE, "does not fail");
    assert_category(&hang, FAILURE_HANG, "time limit");
    assert_category(&segv, FAILURE_CRASH, "SIGSEGV");
    assert_category(&nvcc, FAILURE_BUILD, "compiler");
    o = raised("triton.compiler.errors.CompilationError", "at 1:2:", &m);
    assert_category(&o, FAILURE_BUILD, "CompilationError");
    o = raised("RuntimeError",
               "CUDA error: an illegal memory access was encountered", &m);
    assert_category(&o, FAILURE_CRASH, "illegal memory access");
    o = raised("CudaAPIError",
               "Call to cuMemcpyDtoH results in CUDA_ERROR_INVALID_PC", &m);
    assert_category(&o, FAILURE_CRASH, "invalid program counter");
    o = raised("IndexError", "tid=[1, 0, 0] ctaid=[0, 0, 0]: index 3", &m);
    assert_category(&o, FAILURE_CRASH, "IndexError");
    o = raised("AssertionError",
               "x\nMismatched elements: 8 / 10 (80%)\nGreatest absolute "
               "difference: 3.0 at index (1,)\nGreatest relative difference: "
               "2.0 at index (1,)",
               &m);
    assert_category(&o, FAILURE_WRONG, "8 of 10");
    o = raised("AssertionError",
               "x\nMismatched elements: 1 / 10 (10%)\nGreatest absolute "
               "difference: 0.001 at index (1,)\nGreatest relative "
               "difference: 0.002 at index (1,)",
               &m);
    assert_category(&o, FAILURE_DRIFT, "little");
    o = raised("KeyError", "'a'", &m);
    assert_category(&o, FAILURE_OTHER, "KeyError");
}

static void to_pass_is_to_end_well_without_the_texts(void **state)
{
    struct setup setup;
    struct config *config = ask(&setup, "mismatch");
    struct pattern_match a, b;
    struct observation first = printed("mismatch: 3", 0, &a);
    struct observation lost = { .end = END_LOST };
    struct observation late = { .end = END_TIMEOUT };
    struct observation shows = printed("a mismatch", 0, &b);
    struct observation well = { .end = END_EXIT };
    struct observation ill = { .end = END_EXIT, .exit_code = 2 };
    struct signature *s;
    struct buf why;
    (void)state;

    config->expect = EXPECT_EXIT;
    s = signature_pin(config, bytes_of("", 0), &first, NULL);
    assert_non_null(s);
    buf_init(&why, 1000);
    assert_int_equal(signature_passes(s, &well, &why), VERDICT_YES);
    assert_string_equal(buf_str(&why), "");
    assert_int_equal(signature_passes(s, &lost, NULL), VERDICT_NONE);
    assert_int_equal(signature_passes(s, &late, NULL), VERDICT_NO);
    assert_int_equal(signature_passes(s, &ill, NULL), VERDICT_NO);
    assert_int_equal(signature_passes(s, &shows, &why), VERDICT_NO);
    assert_string_equal(buf_str(&why), "exit 0, but shows mismatch");
    assert_int_equal(signature_passes(s, &first, NULL), VERDICT_NO);
    buf_deinit(&why);
    signature_free(s);
}

static void the_scripts_own_part_in_a_failure_is_told(void **state)
{
    static const char script[] = "x = 1\nraise ValueError('mismatch: ' + y)\n";
    struct setup setup;
    struct config *config = ask(&setup, "mismatch");
    struct bytes text = bytes_of(script, strlen(script));
    struct pattern_match match;
    struct observation o = raised("ValueError", "mismatch: 3", &match);
    struct observation gone = { .end = END_EXIT, .exit_code = 1 };
    struct guard_failure failure;
    struct signature *s;
    (void)state;

    o.exc_line = 2;
    s = signature_pin(config, text, &o, NULL);
    signature_failure(s, text, &failure);
    assert_int_equal(failure.line, 2);
    assert_true(failure.own_words);
    assert_int_equal(failure.ntexts, 0);
    signature_failure(s, bytes_of("", 0), &failure);
    assert_false(failure.own_words);
    signature_free(s);

    o = printed("a mismatch", 1, &match);
    s = signature_pin(config, text, &o, NULL);
    signature_failure(s, text, &failure);
    assert_int_equal(failure.line, 0);
    assert_int_equal(failure.ntexts, 1);
    assert_string_equal(failure.texts[0], "mismatch");
    assert_false(failure.exits);
    signature_free(s);

    config = ask(&setup, NULL);
    s = signature_pin(config, text, &gone, NULL);
    signature_failure(s, text, &failure);
    assert_true(failure.exits);
    signature_free(s);
}

static void the_line_of_a_fatal_error_is_that_of_the_script(void **state)
{
#define FATAL "Fatal Python error: Segmentation fault\n\n"
#define THREAD "Current thread 0x7f (most recent call first):\n"
    static const struct {
        const char *err;
        uint32_t line;
    } cases[] = {
        { FATAL THREAD "  File \"/lib/core.py\", line 44 in wrapper\n"
                       "  File \"/tmp/run-1/s.py\", line 49 in kernel\n"
                       "  File \"/tmp/run-1/s.py\", line 72 in <module>\n",
          49 },
        { FATAL THREAD "  File \"/lib/ours.py\", line 44 in wrapper\n"
                       "\n"
                       "  File \"/tmp/run-1/s.py\", line 49 in kernel\n",
          0 },
        { FATAL THREAD "  File \"/lib/co", 0 },
        { FATAL, 0 },
        { NULL, 0 },
    };
    struct setup setup;
    struct config *config = ask(&setup, NULL);
    (void)state;

    config->script = (char *)(uintptr_t) "folder/s.py";
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct observation o = { .end = END_SIGNAL,
                                 .signal = SIGSEGV,
                                 .err = (char *)(uintptr_t)cases[i].err };
        struct signature *s = signature_pin(config, bytes_of("", 0), &o, NULL);
        struct guard_failure failure;

        signature_failure(s, bytes_of("", 0), &failure);
        assert_true(failure.dies);
        assert_int_equal(failure.crash, cases[i].line);
        signature_free(s);
    }
}

static void a_yes_fails_where_the_kept_test_is(void **state)
{
    static const char script[] = "def other():\n"
                                 "    raise ValueError('mis' + 'match')\n"
                                 "a = random.random()\n"
                                 "if a != a + random.random():\n"
                                 "    raise ValueError('mismatch')\n";
    struct bytes text = bytes_of(script, strlen(script));
    struct tree *tree = tree_parse(text);
    struct setup setup;
    struct config *config = ask(&setup, "mismatch");
    struct pattern_match match;
    struct observation o = raised("ValueError", "mismatch", &match);
    struct guard_failure failure;
    struct signature *s;
    struct guard guard;
    struct buf why;
    (void)state;

    buf_init(&why, 4096);
    o.exc_line = 5;
    s = signature_pin(config, text, &o, NULL);
    signature_failure(s, text, &failure);
    guard_init(&guard, tree, &failure, NULL, 0);
    assert_int_equal(judge_run(s, &guard, text, &o, &why), VERDICT_YES);
    o.reach = REACH_SEEN;
    assert_int_equal(judge_run(s, &guard, text, &o, &why), VERDICT_YES);
    o.reach = REACH_SEEN | REACH_OUTSIDE;
    assert_int_equal(judge_run(s, &guard, text, &o, NULL), VERDICT_NO);
    o.reach = REACH_SEEN | REACH_IDLE;
    assert_int_equal(judge_run(s, &guard, text, &o, NULL), VERDICT_NO);
    o.reach = 0;
    o.exc_line = 2;
    assert_int_equal(judge_run(s, NULL, text, &o, &why), VERDICT_YES);
    assert_int_equal(why.len, 0);
    assert_int_equal(judge_run(s, &guard, text, &o, &why), VERDICT_NO);
    assert_non_null(strstr(buf_str(&why), "another statement"));
    buf_deinit(&why);
    guard_deinit(&guard);
    signature_free(s);
    tree_free(tree);
}

static void what_fails_in_a_kernel_fails_in_one_again(void **state)
{
    static const char script[] = "@T.prim_func\n"
                                 "def main():\n"
                                 "    with T.Kernel():\n"
                                 "        sin\n"
                                 "@tilelang.jit\n"
                                 "def other():\n"
                                 "    sin\n"
                                 "sin\n"
                                 "@T.macro\n"
                                 "def part():\n"
                                 "    sin\n";
    struct bytes text = bytes_of(script, strlen(script));
    struct setup setup;
    struct config *config = ask(&setup, "sin");
    struct pattern_match match;
    struct observation o = raised("NameError", "name 'sin'", &match);
    struct signature *s;
    struct buf why;
    (void)state;

    buf_init(&why, 4096);
    o.exc_line = 4;
    s = signature_pin(config, text, &o, NULL);
    assert_string_equal(signature_kernel(s), "prim_func");
    assert_int_equal(judge_run(s, NULL, text, &o, &why), VERDICT_YES);
    o.exc_line = 7;
    assert_int_equal(judge_run(s, NULL, text, &o, NULL), VERDICT_NO);
    o.exc_line = 8;
    assert_int_equal(judge_run(s, NULL, text, &o, &why), VERDICT_NO);
    assert_string_equal(buf_str(&why), "fails outside of a kernel");
    o.exc_line = 0; /* not known */
    assert_int_equal(judge_run(s, NULL, text, &o, &why), VERDICT_YES);
    signature_free(s);

    o.exc_line = 8;
    s = signature_pin(config, text, &o, NULL);
    assert_null(signature_kernel(s));
    o.exc_line = 4;
    assert_int_equal(judge_run(s, NULL, text, &o, &why), VERDICT_YES);
    signature_free(s);

    o.exc_line = 11; /* in a macro: also where that has gone to */
    s = signature_pin(config, text, &o, NULL);
    assert_string_equal(signature_kernel(s), "macro");
    assert_int_equal(judge_run(s, NULL, text, &o, &why), VERDICT_YES);
    o.exc_line = 4;
    assert_int_equal(judge_run(s, NULL, text, &o, &why), VERDICT_YES);
    o.exc_line = 8;
    assert_int_equal(judge_run(s, NULL, text, &o, &why), VERDICT_NO);
    signature_free(s);

    o.exc_line = 4;
    config->tightness = TIGHT_TYPE;
    s = signature_pin(config, text, &o, NULL);
    assert_null(signature_kernel(s));
    signature_free(s);
    buf_deinit(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scripts_own_part_in_a_failure_is_told),
        cmocka_unit_test(to_pass_is_to_end_well_without_the_texts),
        cmocka_unit_test(each_ideal_is_a_yes_and_each_trap_a_no),
        cmocka_unit_test(numbers_are_masked_and_their_count_is_kept),
        cmocka_unit_test(paths_are_masked),
        cmocka_unit_test(all_and_none_per_cent_stay_apart_from_some),
        cmocka_unit_test(a_place_may_have_any_number_of_indices),
        cmocka_unit_test(
            a_stray_access_may_be_reported_as_either_of_two_errors),
        cmocka_unit_test(another_shape_in_the_message_is_another_failure),
        cmocka_unit_test(a_dump_of_source_in_a_message_does_not_count),
        cmocka_unit_test(a_value_in_quotes_may_change_and_a_name_may_not),
        cmocka_unit_test(the_words_of_the_script_may_go_those_of_a_library_not),
        cmocka_unit_test(exact_wants_the_very_message_and_type_only_the_type),
        cmocka_unit_test(text_takes_any_ending_but_no_echo),
        cmocka_unit_test(a_comparison_keeps_its_kind),
        cmocka_unit_test(a_wrong_value_does_not_become_no_value),
        cmocka_unit_test(a_few_wrong_elements_stay_a_few),
        cmocka_unit_test(the_lists_of_numpy_need_not_come_again),
        cmocka_unit_test(the_line_of_a_text_must_come_again_on_its_stream),
        cmocka_unit_test(each_text_keeps_a_stream_of_its_own),
        cmocka_unit_test(
            words_before_a_printed_text_stay_though_the_script_has_them),
        cmocka_unit_test(the_numbers_of_a_printed_line_may_change),
        cmocka_unit_test(of_several_lines_with_the_text_one_is_enough),
        cmocka_unit_test(without_a_text_the_first_failure_is_kept),
        cmocka_unit_test(expect_overrides_the_ending_of_the_first_run),
        cmocka_unit_test(text_in_output_wants_the_same_exception_behind_it),
        cmocka_unit_test(syntax_and_memory_errors_are_never_the_failure),
        cmocka_unit_test(not_msg_turns_a_yes_into_a_no),
        cmocka_unit_test(what_the_surroundings_did_is_no_verdict),
        cmocka_unit_test(a_test_command_alone_decides),
        cmocka_unit_test(
            a_first_run_that_is_no_failure_is_refused_with_the_reason),
        cmocka_unit_test(the_reason_of_a_no_is_what_came_instead),
        cmocka_unit_test(own_texts_and_comparisons_get_a_warning),
        cmocka_unit_test(the_key_tells_failures_apart),
        cmocka_unit_test(the_category_follows_from_ending_type_and_words),
        cmocka_unit_test(the_line_of_a_fatal_error_is_that_of_the_script),
        cmocka_unit_test(a_yes_fails_where_the_kept_test_is),
        cmocka_unit_test(what_fails_in_a_kernel_fails_in_one_again),
        cmocka_unit_test(waiting_and_what_may_follow_are_told),
        cmocka_unit_test(a_hang_that_waits_is_not_one_that_is_busy),
        cmocka_unit_test(an_exception_may_come_later_where_one_did),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
