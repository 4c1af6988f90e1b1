/* The built-in inputs: short and long ones of several libraries, whose result
 * is known, and long ones by chance, of which little is needed. */
#include "test/bench/inputs.h"

#include <math.h>
#include <stdio.h>

#define CASES "test/e2e/cases/"

struct sums {
    const struct bench *bench;
    double logs[WIDTHS_MAX];
    unsigned n;
};

static void measure(struct sums *sums, const struct oracle *oracle,
                    const char *name)
{
    sums->bench->measure(oracle, name, sums->logs);
    sums->n++;
}

static bool measure_file(struct sums *sums, const char *script,
                         const char *result)
{
    struct oracle oracle;

    if (!oracle_load(&oracle, script, result))
        return false;
    measure(sums, &oracle, script);
    oracle_deinit(&oracle);
    return true;
}

static bool measure_built_in(struct sums *sums)
{
    static const char *const files[] = { "tl-softmax-rows", "tl-mlp-factory",
                                         "tl-out-index",    "syntax-310",
                                         "triton-autotune", "triton-slip" };

    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        char script[128], result[128];

        snprintf(script, sizeof(script), CASES "%s.py", files[i]);
        snprintf(result, sizeof(result), CASES "%s.ideal.py", files[i]);
        if (!measure_file(sums, script, result))
            return false;
    }
    for (unsigned seed = 1; seed <= 4; seed++) {
        struct oracle oracle;

        oracle_make(&oracle, 300, 5, seed);
        measure(sums, &oracle, "generated, 5 statements of 300 needed");
        oracle_deinit(&oracle);
    }
    return true;
}

int bench_main(const struct bench *bench, int argc, char **argv)
{
    struct sums sums = { .bench = bench };

    for (int i = 1; i + 1 < argc; i += 2)
        if (!measure_file(&sums, argv[i], argv[i + 1]))
            return 1;
    if (argc < 3 && !measure_built_in(&sums))
        return 1;
    printf("%s, in the mean:", bench->mean);
    for (unsigned w = 0; w < bench->n; w++)
        printf("  %.2f at %u", exp(sums.logs[w] / sums.n), bench->widths[w]);
    printf("\n");
    return 0;
}
