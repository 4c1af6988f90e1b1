/* The category of a failure, from the strongest sign to the weakest: how the
 * process ended, a comparison's numbers, the words of the GPU runtime, the
 * type of the exception, a compiler's line in the output. */
#include <stdio.h>
#include <string.h>

#include "config/base.h"
#include "minimizer/comparison.h"
#include "minimizer/cuda_fault.h"
#include "minimizer/message.h"
#include "minimizer/signature.h"

#define TOLD_MAX 120

static const char *first_of(const char *text, const char *const *words,
                            size_t n)
{
    for (size_t i = 0; text && i < n; i++) {
        if (strstr(text, words[i]))
            return words[i];
    }
    return NULL;
}

static const char *crash_words(const char *text)
{
    static const char launch[] = "invalid configuration argument";
    const struct cuda_fault *fault = cuda_fault_find(text);

    return fault ? fault->text : first_of(text, (const char *[]){ launch }, 1);
}

/* Types of exceptions that only compilers and code generators raise. */
static const char *build_type(const char *type)
{
    static const char *const types[] = {
        "CompilationError",
        "CompileTimeAssertionFailure",
        "UnsupportedLanguageConstruct",
        "tvm.",
        "TVMError",
        "CompileException",
        "NVRTCError",
        "nvrtc",
        "LoweringError",
        "TypingError",
        "InductorError",
        "BackendCompilerFailed",
        "PassManager",
    };

    return first_of(type, types, ARRAY_LEN(types));
}

static const char *build_words(const char *text)
{
    static const char *const words[] = {
        "T.gemm",
        "Check failed:",
        "nvcc",
        "ptxas",
        "NVRTC",
        "Compilation",
        "failed to compile",
        "MLIR",
        "PassManager::run failed",
        "tilelang",
        "prim_func",
        "out_idx",
        "reduce output shape",
    };

    return first_of(text, words, ARRAY_LEN(words));
}

/* "x.cu(3): error:" of nvcc, "ptxas error", "x.cc:3:5: error:" of a host
 * compiler. */
static const char *compiler_words(const char *text)
{
    static const char *const words[] = { "): error: ",  "ptxas fatal",
                                         "ptxas error", "nvcc fatal",
                                         ": error: ",   "catastrophic error" };

    return first_of(text, words, ARRAY_LEN(words));
}

static enum failure_category by_comparison(const char *message, struct buf *why)
{
    struct comparison c = comparison_read(message);
    char count[64] = "";

    if (c.kind == COMPARISON_NONE)
        return FAILURE_NONE;
    if (c.total > 0)
        snprintf(count, sizeof(count), ", %llu of %llu elements",
                 (unsigned long long)c.differ, (unsigned long long)c.total);
    if (c.kind == COMPARISON_DRIFT) {
        buf_addf(why,
                 "D (numerical drift): a comparison is off by a little "
                 "(relative %.2g%s)",
                 c.relative, count);
        return FAILURE_DRIFT;
    }
    buf_addf(why, "C (wrong result): a comparison fails, %s%s",
             comparison_words(c.kind), count);
    return FAILURE_WRONG;
}

static enum failure_category by_exception(const struct observation *o,
                                          const char *message, struct buf *why)
{
    static const char *const compare[] = {
        "not close", "Not equal", "not equal to tolerance",
        "ismatch",   "NaN",       "nan"
    };
    const char *crash = crash_words(message);
    const char *words = NULL;
    enum failure_category category = by_comparison(message, why);

    if (category != FAILURE_NONE)
        return category;
    if (crash) {
        buf_addf(why, "B (crash): %s reports \"%s\"", o->exc_type, crash);
        return FAILURE_CRASH;
    }
    if (build_type(o->exc_type)) {
        buf_addf(why, "A (build): %.120s is raised while code is generated",
                 o->exc_type);
        return FAILURE_BUILD;
    }
    if (strstr(message, "tid=[") && strstr(message, "ctaid=[")) {
        buf_addf(why, "B (crash): %.120s in a simulated kernel thread",
                 o->exc_type);
        return FAILURE_CRASH;
    }
    if ((words = build_words(message)) || (words = compiler_words(o->err))) {
        buf_addf(why,
                 "A (build): %.120s, and the words \"%s\" are a compiler's",
                 o->exc_type, words);
        return FAILURE_BUILD;
    }
    if (strcmp(o->exc_type, "AssertionError") == 0 &&
        first_of(message, compare, ARRAY_LEN(compare))) {
        buf_addf(why, "C (wrong result): an assertion on values fails");
        return FAILURE_WRONG;
    }
    struct bytes line = message_headline(message);
    size_t len = line.len < TOLD_MAX ? line.len : TOLD_MAX;
    buf_addf(why, "B (an exception): %.120s%s%.*s", o->exc_type,
             len > 0 ? ": " : "", (int)len, line.data);
    return FAILURE_OTHER;
}

static enum failure_category by_exit(const struct observation *o,
                                     struct buf *why)
{
    const char *words = crash_words(o->err);

    if (!words)
        words = crash_words(o->out);
    if (words) {
        buf_addf(why, "B (crash): the output says \"%s\"", words);
        return FAILURE_CRASH;
    }
    if ((words = compiler_words(o->err)) || (words = compiler_words(o->out))) {
        buf_addf(why, "A (build): a compiler's \"%s\" in the output", words);
        return FAILURE_BUILD;
    }
    if (o->exit_code == 0) {
        buf_adds(why, "none: the script does not fail (exit 0)");
        return FAILURE_NONE;
    }
    buf_addf(why, "B (an exit): the script ends with exit code %d",
             o->exit_code);
    return FAILURE_OTHER;
}

enum failure_category diagnose(const struct observation *o, struct buf *why)
{
    switch (o->end) {
    case END_SIGNAL:
        buf_addf(why, "B (crash): the process died by %s",
                 config_signal_name(o->signal));
        return FAILURE_CRASH;
    case END_TIMEOUT:
        buf_adds(why, "hang: the script was stopped at the time limit");
        return FAILURE_HANG;
    case END_LIMIT:
        buf_addf(why, "B (crash): the script went over a limit: %.120s",
                 o->why ? o->why : "which is not known");
        return FAILURE_CRASH;
    case END_SYNTAX:
        buf_adds(why, "none: the script does not compile");
        return FAILURE_NONE;
    case END_LOST:
        buf_addf(why, "none: the script was not run: %.120s",
                 o->why ? o->why : "unknown reason");
        return FAILURE_NONE;
    case END_EXIT:
        break;
    }
    if (o->exc_type)
        return by_exception(o, o->exc_message ? o->exc_message : "", why);
    return by_exit(o, why);
}
