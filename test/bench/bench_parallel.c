/* What more workers bring, in simulated time: runs take half a second to one
 * and a half, by chance, and are judged by test/bench/oracle.h. Printed for
 * each input and number of workers: the runs and how many more they are than
 * one worker's, commits, rounds, the simulated time, its ratio to that of one
 * worker, how busy the workers were, and the size of the result.
 *
 *   bench_parallel                    the built-in inputs, from the repository
 *   bench_parallel SCRIPT RESULT ...  others; what the result has in common
 * with its script is needed */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "config/base.h"
#include "minimizer/search/memory.h"
#include "minimizer/search/search.h"
#include "test/bench/oracle.h"

#define WIDTH_MAX 16
#define TIMES 3 /* each simulation, with other times of the runs */
#define CASES "test/e2e/cases/"

static const unsigned widths[] = { 1, 2, 4, 8, 16 };

struct running {
    uint64_t id;
    double end;
    enum verdict verdict;
};

/* Sums of simulations. */
struct outcome {
    double seconds, busy;
    double runs, accepted, rounds, bytes;
};

static size_t first_to_end(const struct running *running, size_t n)
{
    size_t first = 0;

    for (size_t i = 1; i < n; i++)
        if (running[i].end < running[first].end)
            first = i;
    return first;
}

static void add_stats(struct outcome *o, const struct search *search)
{
    struct search_stats stats = search_stats(search);

    o->runs += (double)stats.trials;
    o->accepted += (double)stats.accepted;
    o->rounds += (double)stats.rounds;
    o->bytes += (double)search_text(search).len;
}

/* The oracle's word, which is remembered from one simulation to the next. */
static bool says(const struct oracle *oracle, struct memory *said,
                 const struct search_trial *trial)
{
    enum known known = memory_get(said, trial->hash);

    if (known == KNOWN_NOTHING) {
        known = oracle_says(oracle, trial->text) ? KNOWN_YES : KNOWN_NO;
        memory_set(said, trial->hash, known);
    }
    return known == KNOWN_YES;
}

static void simulate(const struct oracle *oracle, struct memory *said,
                     unsigned width, uint64_t seed, struct outcome *o)
{
    struct search_opts opts = { .width = width };
    struct search *search =
        search_new(buf_bytes(&oracle->text), NULL, 0, &opts);
    struct running running[WIDTH_MAX];
    struct search_trial trial;
    double now = 0;
    size_t n = 0;

    for (;;) {
        while (n < width && search_next(search, &trial)) {
            double lasts = 0.5 + chance(&seed) % 1000 / 1000.0;
            bool yes = says(oracle, said, &trial);

            o->busy += lasts;
            running[n++] = (struct running){ trial.id, now + lasts,
                                             yes ? VERDICT_YES : VERDICT_NO };
        }
        if (n == 0)
            break;
        size_t first = first_to_end(running, n);
        now = running[first].end;
        search_report(search, running[first].id, running[first].verdict);
        running[first] = running[--n];
        for (size_t i = n; i > 0 && getenv("KILL"); i--)
            if (!search_wants(search, running[i - 1].id)) {
                search_report(search, running[i - 1].id, VERDICT_DROPPED);
                running[i - 1] = running[--n];
            }
    }
    o->seconds += now;
    add_stats(o, search);
    search_free(search);
}

static void bench(const struct oracle *oracle, const char *name, double *logs)
{
    struct outcome alone = { 0 };
    struct memory said = { 0 };

    printf("%s, %zu bytes\n", name, oracle->text.len);
    printf("workers   runs   more  accepted  rounds  seconds  speed-up  busy"
           "  bytes\n");
    for (size_t w = 0; w < ARRAY_LEN(widths); w++) {
        struct outcome o = { 0 };

        for (uint64_t seed = 1; seed <= TIMES; seed++)
            simulate(oracle, &said, widths[w], seed, &o);
        if (w == 0)
            alone = o;
        logs[w] += log(alone.seconds / o.seconds);
        printf(
            "%7u  %5.0f  %4.0f%%  %8.0f  %6.1f  %7.1f  %8.2f  %4.2f  %5.0f\n",
            widths[w], o.runs / TIMES, 100 * (o.runs / alone.runs - 1),
            o.accepted / TIMES, o.rounds / TIMES, o.seconds / TIMES,
            alone.seconds / o.seconds, o.busy / o.seconds / widths[w],
            o.bytes / TIMES);
    }
    memory_deinit(&said);
}

static bool bench_file(const char *script, const char *result, double *logs)
{
    struct oracle oracle;

    if (!oracle_load(&oracle, script, result))
        return false;
    bench(&oracle, script, logs);
    oracle_deinit(&oracle);
    return true;
}

static bool bench_built_in(double *logs, unsigned *n)
{
    static const char *const files[] = { "tl-softmax-rows", "tl-mlp-factory",
                                         "tl-out-index",    "syntax-310",
                                         "triton-autotune", "triton-slip" };

    for (size_t i = 0; i < ARRAY_LEN(files); i++, (*n)++) {
        char script[128], result[128];

        snprintf(script, sizeof(script), CASES "%s.py", files[i]);
        snprintf(result, sizeof(result), CASES "%s.ideal.py", files[i]);
        if (!bench_file(script, result, logs))
            return false;
    }
    for (unsigned seed = 1; seed <= 4; seed++, (*n)++) {
        struct oracle oracle;

        oracle_make(&oracle, 300, 5, seed);
        bench(&oracle, "generated, 5 statements of 300 needed", logs);
        oracle_deinit(&oracle);
    }
    return true;
}

int main(int argc, char **argv)
{
    double logs[ARRAY_LEN(widths)] = { 0 };
    unsigned n = 0;

    for (int i = 1; i + 1 < argc; i += 2, n++)
        if (!bench_file(argv[i], argv[i + 1], logs))
            return 1;
    if (argc < 3 && !bench_built_in(logs, &n))
        return 1;
    printf("speed-up in the mean:");
    for (size_t w = 0; w < ARRAY_LEN(widths); w++)
        printf("  %.2f at %u", exp(logs[w] / n), widths[w]);
    printf("\n");
    return 0;
}
