/* What real interpreters print (3.9 to 3.13; only folders changed), and how it
 * is read: whole, and cut into pieces. */
#include "test/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "worker/scan.h"

static const char chained[] =
    "Traceback (most recent call last):\n"
    "  File \"/home/u/chain.py\", line 4, in <module>\n"
    "    f()\n"
    "    ~^^\n"
    "  File \"/home/u/chain.py\", line 2, in f\n"
    "    return {}[\"k\"]\n"
    "           ~~^^^^^\n"
    "KeyError: 'k'\n"
    "\n"
    "The above exception was the direct cause of the following exception:\n"
    "\n"
    "Traceback (most recent call last):\n"
    "  File \"/home/u/chain.py\", line 7, in <module>\n"
    "    raise ValueError(\"first boom\") from e\n"
    "ValueError: first boom\n"
    "\n"
    "During handling of the above exception, another exception occurred:\n"
    "\n"
    "Traceback (most recent call last):\n"
    "  File \"/home/u/chain.py\", line 9, in <module>\n"
    "    raise RuntimeError(\"last boom\\n    indented detail\\n\\nmore "
    "text\")\n"
    "RuntimeError: last boom\n"
    "    indented detail\n"
    "\n"
    "more text\n";

static const char group[] =
    "  + Exception Group Traceback (most recent call last):\n"
    "  |   File \"/home/u/group.py\", line 3, in <module>\n"
    "  |     f()\n"
    "  |     ~^^\n"
    "  |   File \"/home/u/group.py\", line 2, in f\n"
    "  |     raise ExceptionGroup(\"eg\", [ValueError(\"inner one\"), "
    "ExceptionGroup(\"nested\", [TypeError(\"inner two\")])])\n"
    "  | ExceptionGroup: eg (2 sub-exceptions)\n"
    "  +-+---------------- 1 ----------------\n"
    "    | ValueError: inner one\n"
    "    +---------------- 2 ----------------\n"
    "    | ExceptionGroup: nested (1 sub-exception)\n"
    "    +-+---------------- 1 ----------------\n"
    "      | TypeError: inner two\n"
    "      +------------------------------------\n";

static const char syntax[] = "  File \"/home/u/syntax.py\", line 1\n"
                             "    def f(:\n"
                             "          ^\n"
                             "SyntaxError: invalid syntax\n";

static const char imported_syntax[] =
    "Traceback (most recent call last):\n"
    "  File \"/home/u/imp.py\", line 2, in <module>\n"
    "    import syntax\n"
    "  File \"/home/u/syntax.py\", line 1\n"
    "    def f(:\n"
    "          ^\n"
    "SyntaxError: invalid syntax\n";

static const char recursion[] =
    "Traceback (most recent call last):\n"
    "  File \"/home/u/rec.py\", line 3, in <module>\n"
    "    f(0)\n"
    "  File \"/home/u/rec.py\", line 2, in f\n"
    "    return f(n + 1)\n"
    "           ^^^^^^^^\n"
    "  File \"/home/u/rec.py\", line 2, in f\n"
    "    return f(n + 1)\n"
    "           ^^^^^^^^\n"
    "  File \"/home/u/rec.py\", line 2, in f\n"
    "    return f(n + 1)\n"
    "           ^^^^^^^^\n"
    "  [Previous line repeated 996 more times]\n"
    "RecursionError: maximum recursion depth exceeded\n";

static const char interrupt[] =
    "Traceback (most recent call last):\n"
    "  File \"/home/u/ki.py\", line 1, in <module>\n"
    "    raise KeyboardInterrupt\n"
    "KeyboardInterrupt\n";

static const char assertion[] =
    "Traceback (most recent call last):\n"
    "  File \"/home/u/asrt.py\", line 2, in <module>\n"
    "    assert (x\n"
    "AssertionError\n";

static const char dotted[] =
    "Traceback (most recent call last):\n"
    "  File \"/home/u/dotted.py\", line 2, in <module>\n"
    "    struct.unpack(\"<6I\", b\"\")\n"
    "struct.error: unpack requires a buffer of 24 bytes\n";

static const char notes[] = "Traceback (most recent call last):\n"
                            "  File \"/home/u/notes.py\", line 3, in <module>\n"
                            "    raise e\n"
                            "ValueError: noted\n"
                            "a note\n"
                            "of two lines\n";

static const char carets[] =
    "Traceback (most recent call last):\n"
    "  File \"/home/u/carets.py\", line 4, in <module>\n"
    "    g({\"x\": 1}, {\"y\": 2})\n"
    "  File \"/home/u/carets.py\", line 3, in g\n"
    "    + b[\"y\"] / 0)\n"
    "      ~~~~~~~^~~\n"
    "ZeroDivisionError: division by zero\n";

static const char went_on[] =
    "Traceback (most recent call last):\n"
    "  File \"/home/u/went.py\", line 3, in <module>\n"
    "    raise ValueError(\"handled\")\n"
    "ValueError: handled\n"
    "later line\n";

static const char ignored_after[] =
    "Traceback (most recent call last):\n"
    "  File \"/home/u/ign.py\", line 5, in <module>\n"
    "    raise TypeError(\"real\") \n"
    "    ^^^^^^^^^^^^^^^^^^^^^^^\n"
    "TypeError: real\n"
    "Exception ignored in: <function A.__del__ at 0x7f3702321bc0>\n"
    "Traceback (most recent call last):\n"
    "  File \"/home/u/ign.py\", line 3, in __del__\n"
    "ValueError: in del\n";

static const char ignored_only[] =
    "Exception ignored in: <function A.__del__ at 0x7f0056e3b2e0>\n"
    "Traceback (most recent call last):\n"
    "  File \"/home/u/ign2.py\", line 3, in __del__\n"
    "    raise ValueError(\"in del\")\n"
    "ValueError: in del\n"
    "plain after\n";

static const char fault[] =
    "Fatal Python error: Segmentation fault\n"
    "\n"
    "Current thread 0x00007f144103eb80 (most recent call first):\n"
    "  File \"/home/u/fault.py\", line 4 in f\n"
    "  File \"/home/u/fault.py\", line 5 in <module>\n";

static const char warning[] =
    "/home/u/warn.py:3: UserWarning: careful\n"
    "  warnings.warn(\"careful\")\n"
    "Traceback (most recent call last):\n"
    "  File \"/home/u/warn.py\", line 5, in <module>\n"
    "    raise \"stage buffer check failed\"\n"
    "TypeError: exceptions must derive from BaseException\n";

static const char local[] = "Traceback (most recent call last):\n"
                            "  File \"/home/u/local.py\", line 4, in <module>\n"
                            "    f()\n"
                            "  File \"/home/u/local.py\", line 3, in f\n"
                            "    raise E(\"x\")\n"
                            "__main__.f.<locals>.E: x\n";

static const char elided[] =
    "Traceback (most recent call last):\n"
    "  File \"/home/u/elide.py\", line 2, in <module>\n"
    "    f(\n"
    "    ~^\n"
    "        1,\n"
    "        ^^\n"
    "    ...<4 lines>...\n"
    "        6,\n"
    "        ^^\n"
    "    )\n"
    "    ^\n"
    "  File \"/home/u/elide.py\", line 1, in <lambda>\n"
    "    f = lambda *a: 1 / 0\n"
    "                   ~~^~~\n"
    "ZeroDivisionError: division by zero\n";

static const char coloured[] =
    "Traceback (most recent call last):\n"
    "  File \x1b"
    "[35m\"/home/u/chain.py\"\x1b"
    "[0m, line \x1b"
    "[35m4\x1b"
    "[0m, in \x1b"
    "[35m<module>\x1b"
    "[0m\n"
    "    \x1b"
    "[31mf\x1b"
    "[0m\x1b"
    "[1;31m()\x1b"
    "[0m\n"
    "    \x1b"
    "[31m~\x1b"
    "[0m\x1b"
    "[1;31m^^\x1b"
    "[0m\n"
    "  File \x1b"
    "[35m\"/home/u/chain.py\"\x1b"
    "[0m, line \x1b"
    "[35m2\x1b"
    "[0m, in \x1b"
    "[35mf\x1b"
    "[0m\n"
    "    return \x1b"
    "[31m{}\x1b"
    "[0m\x1b"
    "[1;31m[\"k\"]\x1b"
    "[0m\n"
    "           \x1b"
    "[31m~~\x1b"
    "[0m\x1b"
    "[1;31m^^^^^\x1b"
    "[0m\n"
    "\x1b"
    "[1;35mKeyError\x1b"
    "[0m: \x1b"
    "[35m'k'\x1b"
    "[0m\n"
    "\n"
    "The above exception was the direct cause of the following exception:\n"
    "\n"
    "Traceback (most recent call last):\n"
    "  File \x1b"
    "[35m\"/home/u/chain.py\"\x1b"
    "[0m, line \x1b"
    "[35m7\x1b"
    "[0m, in \x1b"
    "[35m<module>\x1b"
    "[0m\n"
    "    raise ValueError(\"first boom\") from e\n"
    "\x1b"
    "[1;35mValueError\x1b"
    "[0m: \x1b"
    "[35mfirst boom\x1b"
    "[0m\n"
    "\n"
    "During handling of the above exception, another exception occurred:\n"
    "\n"
    "Traceback (most recent call last):\n"
    "  File \x1b"
    "[35m\"/home/u/chain.py\"\x1b"
    "[0m, line \x1b"
    "[35m9\x1b"
    "[0m, in \x1b"
    "[35m<module>\x1b"
    "[0m\n"
    "    raise RuntimeError(\"last boom\\n    indented detail\\n\\nmore "
    "text\")\n"
    "\x1b"
    "[1;35mRuntimeError\x1b"
    "[0m: \x1b"
    "[35mlast boom\n"
    "    indented detail\n"
    "\n"
    "more text\x1b"
    "[0m\n";

/* Made up after real ones: torchrun, TVM before 0.20, multiprocessing, C++. */
static const char ranked[] =
    "[rank0]: Traceback (most recent call last):\n"
    "[rank0]:   File \"/home/u/k.py\", line 7, in <module>\n"
    "[rank0]:     raise ValueError(\"K shape\")\n"
    "[rank0]: ValueError: K shape\n"
    "[rank0]: second line\n"
    "[rank0]:[W1129 22:00:00.1 ProcessGroupNCCL.cpp:1250] Warning: K shape\n"
    "later\n";
static const char tvm[] =
    "Traceback (most recent call last):\n"
    "  File \"/home/u/k.py\", line 3, in <module>\n"
    "    build(\"K shape\")\n"
    "tvm.error.InternalError: Traceback (most recent call last):\n"
    "  2: tvm::tl::Gemm::Lower()\n"
    "        at /src/op/gemm.cc:42\n"
    "  File \"/src/op/gemm.cc\", line 42\n"
    "InternalError: Check failed: (a == b) is false: K shape\n"
    "\n"
    "\n";
static const char aborted[] =
    "Traceback (most recent call last):\n"
    "  File \"k.py\", line 3, in <module>\n"
    "RuntimeError: CUDA error: an illegal memory access\n"
    "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
    "\n"
    "terminate called after throwing an instance of 'c10::Error'\n"
    "  what():  CUDA error: an illegal memory access\n";
static const char crlf[] = "Traceback (most recent call last):\r\n"
                           "  File \"k.py\", line 3, in <module>\r\n"
                           "    K shape\r\n"
                           "ValueError: K shape\r\n";
static const char unfinished[] = "Traceback (most recent call last):\n"
                                 "  File \"k.py\", line 3, in <module>\n"
                                 "    K shape\n";
static const char dump_then_text[] =
    "Fatal Python error: Aborted\n\n"
    "Current thread 0x00007f144103eb80 (most recent call first):\n"
    "  File \"k.py\", line 4 in <module>\n"
    "    K shape\n"
    "SyntaxError: no exception\n";
static const char suite[] = /* unittest, two tests that fail */
    "F.E\n"
    "=====\n"
    "ERROR: test_windows (__main__.RingTest.test_windows)\n"
    "-----\n"
    "Traceback (most recent call last):\n"
    "  File \"/t/k.py\", line 62, in test_windows\n"
    "    zip(a, b, strict=True)\n"
    "KeyError: 'b'\n"
    "\n"
    "During handling of the above exception, another exception occurred:\n"
    "\n"
    "Traceback (most recent call last):\n"
    "  File \"/t/k.py\", line 64, in test_windows\n"
    "ValueError: zip() argument 2 is shorter\n"
    "\n"
    "=====\n"
    "FAIL: Ring (__main__)\n"
    "-----\n"
    "Traceback (most recent call last):\n"
    "  File \"/usr/lib/doctest.py\", line 2221, in runTest\n"
    "    raise self.failureException\n"
    "AssertionError: Failed doctest test\n"
    "\n"
    "During handling of the above exception, another exception occurred:\n"
    "\n"
    "Traceback (most recent call last):\n"
    "  File \"/usr/lib/doctest.py\", line 2230, in runTest\n"
    "OSError: of the second\n";
static const char no_memory[] = "something\nMemoryError\n";
static const char no_newline[] = "Traceback (most recent call last):\n"
                                 "  File \"k.py\", line 3, in <module>\n"
                                 "    K shape\n"
                                 "ValueError: K shape";

/* Scan err (and out) in pieces of at most `piece` bytes; 0: at once. */
static struct observation scan(const struct matcher *matcher,
                               const char *script, const char *out,
                               const char *err, size_t piece)
{
    struct scan *scan = scan_new(matcher, script, 1 << 16);
    struct observation o = { 0 };
    const char *texts[] = { out, err };

    for (int s = 0; s < 2; s++) {
        size_t len = strlen(texts[s]), at = 0;
        while (at < len) {
            size_t n = piece && piece < len - at ? piece : len - at;
            scan_feed(scan, (enum scan_stream)s, texts[s] + at, n);
            at += n;
        }
    }
    scan_finish(scan, &o);
    scan_free(scan);
    return o;
}

static struct matcher *match_one(const char *text, bool regex)
{
    struct pattern pattern = { (char *)(uintptr_t)text, regex };
    struct err err;
    struct matcher *matcher = matcher_new(&pattern, 1, &err);

    assert_non_null(matcher);
    return matcher;
}

static const struct {
    const char *err, *script, *type, *message;
    uint32_t line;
    const char *pattern;
    bool in_exception;
    uint64_t plain, echo;
} cases[] = {
    { chained, "chain.py", "RuntimeError",
      "last boom\n    indented detail\n\nmore text", 9, "boom", true, 1, 2 },
    { coloured, "chain.py", "RuntimeError",
      "last boom\n    indented detail\n\nmore text", 9, "boom", true, 1, 2 },
    { group, "group.py", "ExceptionGroup", "eg (2 sub-exceptions)", 2,
      "inner two", true, 0, 1 },
    { group, "group.py", "ExceptionGroup", "eg (2 sub-exceptions)", 2,
      "[ValueError", false, 0, 1 },
    { syntax, "syntax.py", "SyntaxError", "invalid syntax", 1, "def f(:", false,
      0, 1 },
    { imported_syntax, "imp.py", "SyntaxError", "invalid syntax", 2,
      "def f(:", false, 0, 1 },
    { recursion, "rec.py", "RecursionError", "maximum recursion depth exceeded",
      2, "return f(n + 1)", false, 0, 3 },
    { interrupt, "ki.py", "KeyboardInterrupt", "", 1, "KeyboardInterrupt", true,
      0, 1 },
    { assertion, "asrt.py", "AssertionError", "", 2, "assert (x", false, 0, 1 },
    { dotted, "dotted.py", "struct.error",
      "unpack requires a buffer of 24 bytes", 2, "24 bytes", true, 0, 0 },
    { local, "local.py", "__main__.f.<locals>.E", "x", 3, "E(\"x\")", false, 0,
      1 },
    { notes, "notes.py", "ValueError", "noted\na note\nof two lines", 3,
      "note\nof two", true, 0, 0 },
    { carets, "carets.py", "ZeroDivisionError", "division by zero", 3, "~^~",
      false, 0, 1 },
    { elided, "elide.py", "ZeroDivisionError", "division by zero", 1,
      "...<4 lines>...", false, 0, 1 },
    { went_on, "went.py", "ValueError", "handled\nlater line", 3, "later line",
      true, 0, 0 },
    { ignored_after, "ign.py", "TypeError", "real", 5, "in del", false, 1, 0 },
    { ignored_only, "ign2.py", NULL, NULL, 0, "in del", false, 1, 1 },
    { ignored_only, "ign2.py", NULL, NULL, 0, "plain after", false, 1, 0 },
    { fault, "fault.py", NULL, NULL, 0, "Segmentation fault", false, 1, 0 },
    { fault, "fault.py", NULL, NULL, 0, "line 5 in <module>", false, 1, 0 },
    { warning, "warn.py", "TypeError",
      "exceptions must derive from BaseException", 5,
      "stage buffer check failed", false, 0, 1 },
    { warning, "warn.py", "TypeError",
      "exceptions must derive from BaseException", 5, "careful", false, 1, 1 },
    { ranked, "k.py", "ValueError", "K shape\nsecond line", 7, "K shape", true,
      1, 1 },
    { tvm, "k.py", "tvm.error.InternalError",
      "Traceback (most recent call last):\n  2: tvm::tl::Gemm::Lower()\n"
      "        at /src/op/gemm.cc:42\n  File \"/src/op/gemm.cc\", line 42\n"
      "InternalError: Check failed: (a == b) is false: K shape",
      3, "K shape", true, 0, 1 },
    { aborted, "k.py", "RuntimeError",
      "CUDA error: an illegal memory access\nCompile with "
      "`TORCH_USE_CUDA_DSA` to enable device-side assertions.",
      3, "illegal memory", true, 1, 0 },
    { crlf, "k.py", "ValueError", "K shape", 3, "K shape", true, 0, 1 },
    { unfinished, "k.py", NULL, NULL, 0, "K shape", false, 0, 1 },
    { dump_then_text, "k.py", NULL, NULL, 0, "K shape", false, 1, 0 },
    { suite, "k.py", "ValueError",
      "zip() argument 2 is shorter\n\n=====\nFAIL: Ring (__main__)\n-----", 64,
      "zip() argument", true, 0, 0 },
    { suite, "k.py", "OSError", "of the second", 0, "second", true, 0, 0 },
    { suite, "k.py", "OSError", "of the second", 0, "'b'", false, 1, 0 },
    { suite, "k.py", "OSError", "of the second", 0, "Failed doctest", false, 1,
      0 },
    { suite, "k.py", "OSError", "of the second", 0, "test_windows", false, 4,
      0 },
    { no_memory, "k.py", "MemoryError", "", 0, "something", false, 1, 0 },
    { no_newline, "other.py", "ValueError", "K shape", 0, "K shape", true, 0,
      1 },
};

static void assert_text(const char *a, const char *b)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a)
        assert_string_equal(a, b);
}

/* Whether the last frame is the one in this line; 0: whether there is none. */
static bool ends_with_line(const char *frames, uint32_t line)
{
    const char *last = frames ? strrchr(frames, ',') : NULL;

    if (!frames)
        return line == 0;
    return strtoul(last ? last + 1 : frames, NULL, 10) == line;
}

static void frames_of_a_cause_come_before_those_it_was_raised_by(void **state)
{
    struct matcher *matcher = match_one("boom", false);
    const char *second = strstr(chained, "\nDuring");
    char *first = xmemdup(chained, (size_t)(second - chained));
    struct observation o = scan(matcher, "chain.py", "", first, 0);
    struct buf err;

    (void)state;
    assert_string_equal(o.exc_frames, "4,2,7");
    assert_int_equal(o.exc_line, 7);
    observation_deinit(&o);

    /* What came before by chance is no cause. */
    o = scan(matcher, "chain.py", "", chained, 0);
    assert_string_equal(o.exc_frames, "9");
    observation_deinit(&o);

    buf_init(&err, 1 << 20);
    for (unsigned i = 1; i <= 60; i++)
        buf_addf(&err, "%s  File \"/t/chain.py\", line %u, in f\n",
                 i == 1 ? "Traceback (most recent call last):\n" : "", i);
    buf_adds(&err, "KeyError: 1\n\nThe above exception was the direct cause of "
                   "the following exception:\n\n");
    for (unsigned i = 61; i <= 70; i++)
        buf_addf(&err, "%s  File \"/t/chain.py\", line %u, in f\n",
                 i == 61 ? "Traceback (most recent call last):\n" : "", i);
    buf_adds(&err, "ValueError: boom\n");
    o = scan(matcher, "chain.py", "", buf_str(&err), 0);
    assert_true(strncmp(o.exc_frames, "7,8,", 4) == 0);
    assert_int_equal(o.exc_line, 70);
    observation_deinit(&o);
    buf_deinit(&err);
    free(first);
    matcher_free(matcher);
}

static void of_many_frames_the_outer_and_the_inner_are_kept(void **state)
{
    struct matcher *matcher = match_one("deep", false);
    struct buf err, expected;
    struct observation o;

    (void)state;
    buf_init(&err, 1 << 20);
    buf_init(&expected, 4096);
    buf_adds(&err, "Traceback (most recent call last):\n");
    for (unsigned i = 1; i <= 100; i++) {
        buf_addf(&err, "  File \"/t/s.py\", line %u, in f\n    f()\n", i);
        if (i <= 32 || i > 68)
            buf_addf(&expected, "%s%u", i > 1 ? "," : "", i);
    }
    buf_adds(&err, "ValueError: deep\n");
    o = scan(matcher, "s.py", "", buf_str(&err), 0);
    assert_string_equal(o.exc_frames, buf_str(&expected));
    observation_deinit(&o);
    matcher_free(matcher);
    buf_deinit(&err);
    buf_deinit(&expected);
}

static void tracebacks_are_read_as_python_means_them(void **state)
{
    static const size_t pieces[] = { 0, 1, 7, 64 };
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(cases) * ARRAY_LEN(pieces); i++) {
        size_t c = i / ARRAY_LEN(pieces);
        struct matcher *matcher = match_one(cases[c].pattern, false);
        struct observation o = scan(matcher, cases[c].script, "", cases[c].err,
                                    pieces[i % ARRAY_LEN(pieces)]);
        if (o.matches[0].plain != cases[c].plain)
            print_message("case %zu: %s\n", c, cases[c].pattern);
        assert_text(o.exc_type, cases[c].type);
        assert_text(o.exc_message, cases[c].message);
        assert_int_equal(o.exc_line, cases[c].line);
        assert_true(ends_with_line(o.exc_frames, cases[c].line));
        assert_int_equal(o.matches[0].in_exception, cases[c].in_exception);
        assert_int_equal(o.matches[0].plain, cases[c].plain);
        assert_int_equal(o.matches[0].plain_err, cases[c].plain);
        assert_int_equal(o.matches[0].echo, cases[c].echo);
        assert_string_equal(o.err, cases[c].err);
        observation_deinit(&o);
        matcher_free(matcher);
    }
}

static void stdout_has_echoes_but_no_exception(void **state)
{
    struct matcher *matcher = match_one("K shape", false);
    struct observation o = scan(matcher, "k.py", no_newline, "", 0);
    (void)state;

    assert_null(o.exc_type);
    assert_false(o.matches[0].in_exception);
    assert_int_equal(o.matches[0].plain, 1);
    assert_int_equal(o.matches[0].plain_err, 0);
    assert_int_equal(o.matches[0].echo, 1);
    assert_string_equal(o.matches[0].lines[0], "ValueError: K shape");
    observation_deinit(&o);
    matcher_free(matcher);
}

static void plain_output_is_counted_for_each_stream(void **state)
{
    struct pattern patterns[] = { { (char *)(uintptr_t) "bad", false },
                                  { (char *)(uintptr_t) "^mma", true },
                                  { (char *)(uintptr_t) "none", false } };
    static const uint64_t plain[] = { 5, 2, 0 }, on_err[] = { 3, 1, 0 };
    struct matcher *matcher = matcher_new(patterns, 3, NULL);
    (void)state;

    for (size_t piece = 0; piece < 9; piece++) {
        struct observation o =
            scan(matcher, "k.py", "load: bad\nmma: bad\n",
                 "host: bad, bad\nmma: not so\nstill bad", piece);
        assert_int_equal(o.nmatches, 3);
        for (size_t i = 0; i < o.nmatches; i++) {
            assert_int_equal(o.matches[i].plain, plain[i]);
            assert_int_equal(o.matches[i].plain_err, on_err[i]);
        }
        assert_int_equal(o.matches[0].nlines, 4);
        observation_deinit(&o);
    }
    matcher_free(matcher);
}

static void lines_are_kept_whole_and_once(void **state)
{
    struct matcher *matcher = match_one("bad", false);
    struct buf out;
    (void)state;

    buf_init(&out, 1 << 20);
    for (int i = 0; i < 40; i++)
        buf_addf(&out, "tile %d is bad, bad\n", i / 2);
    buf_addf(&out, "%02000d bad %02000d\n", 0, 0);
    struct observation o = scan(matcher, "k.py", buf_str(&out), "", 100);
    assert_int_equal(o.matches[0].plain, 81);
    assert_int_equal(o.matches[0].nlines, MATCH_LINES_MAX);
    assert_string_equal(o.matches[0].lines[0], "tile 0 is bad, bad");
    assert_string_equal(o.matches[0].lines[1], "tile 1 is bad, bad");
    observation_deinit(&o);
    o = scan(matcher, "k.py", buf_str(&out) + 40 * 10 + 400, "", 0);
    for (size_t i = 0; i < o.matches[0].nlines; i++) {
        assert_true(strlen(o.matches[0].lines[i]) <= 1024);
        assert_non_null(strstr(o.matches[0].lines[i], "bad"));
    }
    observation_deinit(&o);
    buf_deinit(&out);
    matcher_free(matcher);
}

static void the_middle_is_dropped_but_searched(void **state)
{
    struct matcher *matcher = match_one("needle", false);
    struct scan *scan = scan_new(matcher, "k.py", 1000);
    struct observation o = { 0 };
    (void)state;

    scan_feed(scan, SCAN_OUT, "first\n", 6);
    for (int i = 0; i < 50000; i++)
        scan_feed(scan, SCAN_OUT, "hay\n", 4);
    scan_feed(scan, SCAN_OUT, "needle\n", 7);
    for (int i = 0; i < 50000; i++)
        scan_feed(scan, SCAN_OUT, "hay\n", 4);
    scan_feed(scan, SCAN_OUT, "last\n", 5);
    scan_finish(scan, &o);
    assert_true(o.out_cut);
    assert_int_equal(o.out_len, 1000 + 5);
    assert_memory_equal(o.out, "first\nhay\n", 10);
    assert_string_equal(o.out + o.out_len - 9, "hay\nlast\n");
    assert_non_null(strstr(o.out, "\n...\n"));
    assert_int_equal(o.matches[0].plain, 1);
    assert_false(o.err_cut);
    observation_deinit(&o);
    scan_free(scan);
    matcher_free(matcher);
}

static void a_line_longer_than_a_piece_is_searched_all_through(void **state)
{
    static const char *const patterns[] = { "needle", "~needle", "~^x" };
    size_t len = 300000;
    char *line = xcalloc(len + 2, 1);
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
        bool regex = patterns[i][0] == '~';
        struct matcher *matcher = match_one(patterns[i] + regex, regex);
        for (size_t at = 65528; at < 65545; at++) { /* across the border */
            memset(line, 'x', len);
            memcpy(line + at, "needle", 6);
            line[len] = '\n';
            struct observation whole = scan(matcher, "k.py", line, "", 0);
            struct observation cut = scan(matcher, "k.py", line, "", 1000);
            assert_int_equal(whole.matches[0].plain, cut.matches[0].plain);
            if (i < 2)
                assert_int_equal(whole.matches[0].plain, 1);
            assert_true(strlen(whole.matches[0].lines[0]) <= 1024);
            assert_string_equal(whole.matches[0].lines[0],
                                cut.matches[0].lines[0]);
            observation_deinit(&whole);
            observation_deinit(&cut);
        }
        matcher_free(matcher);
    }
    free(line);
}

static void a_text_may_span_lines_but_not_an_echo(void **state)
{
    struct matcher *matcher = match_one("a\nb\n", false);
    struct observation o;
    (void)state;

    o = scan(matcher, "k.py", "a\nb\na\nb\nxa\nb\na\r\nb\r\na\n", "", 3);
    assert_int_equal(o.matches[0].plain, 4);
    observation_deinit(&o);
    o = scan(matcher, "k.py", "k.py:3: UserWarning: a\n  source\nb\n", "", 0);
    assert_int_equal(o.matches[0].plain, 0);
    observation_deinit(&o);
    matcher_free(matcher);
    matcher = match_one("1\n2\n3\n4\n", false);
    o = scan(matcher, "k.py", "1\n2\n3\n3\n1\n2\n3\n4\n2\n3\n4\n", "", 1);
    assert_int_equal(o.matches[0].plain, 1);
    observation_deinit(&o);
    matcher_free(matcher);
}

static void a_regex_that_explodes_is_not_found(void **state)
{
    struct matcher *matcher = match_one("^(a+)+$", true);
    char line[4096];
    (void)state;

    memset(line, 'a', sizeof(line));
    line[sizeof(line) - 2] = 'b';
    line[sizeof(line) - 1] = '\0';
    struct observation o = scan(matcher, "k.py", line, "", 0);
    assert_int_equal(o.matches[0].plain, 0);
    observation_deinit(&o);
    matcher_free(matcher);
}

static void a_bad_regex_is_refused_with_its_place(void **state)
{
    struct pattern patterns[] = { { (char *)(uintptr_t) "ok", true },
                                  { (char *)(uintptr_t) "a(b", true } };
    struct err err;
    (void)state;

    assert_null(matcher_new(patterns, 2, &err));
    assert_non_null(strstr(err.text, "a(b"));
    assert_non_null(strstr(err.text, "offset 3"));
}

static unsigned random_state = 1;

static unsigned chance(unsigned n)
{
    random_state = random_state * 1103515245u + 12345u;
    return (random_state >> 8) % n;
}

static void add_random_text(struct buf *buf)
{
    static const char *const pieces[] = {
        "Traceback (most recent call last):\n",
        "  File \"/home/u/k.py\", line 12, in f\n",
        "  File \"k.py\", line 3\n",
        "    raise ValueError(\"K shape\")\n",
        "      ^^^^^\n",
        "ValueError: K shape\n",
        "SyntaxError: K shape\n",
        "\n",
        "During handling of the above exception, another exception occurred:\n",
        "  + Exception Group Traceback (most recent call last):\n",
        "  |   File \"k.py\", line 4, in <module>\n",
        "  |     K shape\n",
        "  | ExceptionGroup: K shape\n",
        "  +-+---------------- 1 ----------------\n",
        "    | ValueError: K shape\n",
        "    +------------------------------------\n",
        "k.py:3: UserWarning: K shape\n",
        "  warn(\"K shape\")\n",
        "Exception ignored in: <K shape>\n",
        "[rank0]: ",
        "K shape\n",
        "K sha",
        "pe\n",
        "\x1b[1mK shape\x1b[0m\n",
        "K\nshape\r\n",
        "\x1b",
        "\r",
    };
    unsigned n = chance(30);

    for (unsigned i = 0; i < n; i++)
        buf_adds(buf, pieces[chance(ARRAY_LEN(pieces))]);
    if (chance(20) == 0)
        for (unsigned i = 0; i < 9000; i++)
            buf_adds(buf, "K shape \x1b[0m");
}

static void results_do_not_depend_on_how_bytes_are_cut(void **state)
{
    struct pattern patterns[] = { { (char *)(uintptr_t) "K shape", false },
                                  { (char *)(uintptr_t) "K\nshape", false },
                                  { (char *)(uintptr_t) "^.* sha", true },
                                  { (char *)(uintptr_t) "shape\n", false } };
    struct matcher *matcher = matcher_new(patterns, 4, NULL);
    (void)state;

    for (int round = 0; round < 2000; round++) {
        struct frame a = { .type = FRAME_RESULT }, b = a;
        struct scan *whole = scan_new(matcher, "k.py", 500);
        struct scan *cut = scan_new(matcher, "k.py", 500);
        struct buf texts[2], line_a, line_b;
        size_t at[2] = { 0, 0 };

        buf_init(&line_a, 1 << 20);
        buf_init(&line_b, 1 << 20);
        for (int s = 0; s < 2; s++) {
            buf_init(&texts[s], 1 << 20);
            add_random_text(&texts[s]);
            scan_feed(whole, (enum scan_stream)s, buf_str(&texts[s]),
                      texts[s].len);
        }
        while (at[0] < texts[0].len || at[1] < texts[1].len) {
            int s = (int)chance(2);
            size_t left = texts[s].len - at[s];
            size_t n = chance(chance(10) ? 40 : 80000);
            n = n < left ? n : left;
            scan_feed(cut, (enum scan_stream)s, buf_str(&texts[s]) + at[s], n);
            at[s] += n;
        }
        scan_finish(whole, &a.u.result);
        scan_finish(cut, &b.u.result);
        frame_encode(&a, &line_a);
        frame_encode(&b, &line_b);
        assert_string_equal(buf_str(&line_a), buf_str(&line_b));
        frame_deinit(&a);
        frame_deinit(&b);
        scan_free(whole);
        scan_free(cut);
        buf_deinit(&texts[0]);
        buf_deinit(&texts[1]);
        buf_deinit(&line_a);
        buf_deinit(&line_b);
    }
    matcher_free(matcher);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tracebacks_are_read_as_python_means_them),
        cmocka_unit_test(frames_of_a_cause_come_before_those_it_was_raised_by),
        cmocka_unit_test(of_many_frames_the_outer_and_the_inner_are_kept),
        cmocka_unit_test(stdout_has_echoes_but_no_exception),
        cmocka_unit_test(plain_output_is_counted_for_each_stream),
        cmocka_unit_test(lines_are_kept_whole_and_once),
        cmocka_unit_test(the_middle_is_dropped_but_searched),
        cmocka_unit_test(a_line_longer_than_a_piece_is_searched_all_through),
        cmocka_unit_test(a_text_may_span_lines_but_not_an_echo),
        cmocka_unit_test(a_regex_that_explodes_is_not_found),
        cmocka_unit_test(a_bad_regex_is_refused_with_its_place),
        cmocka_unit_test(results_do_not_depend_on_how_bytes_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
