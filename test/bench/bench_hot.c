/* What hot children bring, in simulated time: the search of trials.c on a GPU
 * that makes one context at a time. A run takes 40 ms, and if it needs a
 * context 200 ms before that alone and 200 ms more when it is its turn; in a
 * hot child 30 ms, but for its first run. Each second no needs none. Printed
 * for each input, number of workers and kind of child: the runs, of them hot
 * ones and control runs, the contexts made, yeses of hot children, trials that
 * were ended early, the simulated time, the size of the result.
 *
 *   bench_hot                    the built-in inputs, from the repository
 *   bench_hot SCRIPT RESULT ...  others, as bench_parallel */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base.h"
#include "config/mem.h"
#include "minimizer/search/memory.h"
#include "minimizer/trials.h"
#include "test/bench/oracle.h"

#define CASES "test/e2e/cases/"
#define RUNS_MAX 512
#define HOT_WIDTH 8 /* as in reduction.c */

#define RUN_S 0.04
#define HOT_S 0.03
#define INIT_S 0.2
#define CONTEXT_S 0.2 /* of the GPU */

static const unsigned widths[] = { 1, 2, 4, 8 };

struct run {
    enum run_how how;
    bool yes;
    uint32_t lane, generation;
    double end;
    fleet_done_cb done;
    void *arg;
};

/* Takes the place of fleet.c. */
struct fleet {
    const struct oracle *oracle;
    struct memory *said;
    unsigned slots;
    struct run runs[RUNS_MAX];
    unsigned n;
    uint32_t generations[LANES_MAX]; /* + 1: of the child that has a context */
    double now, free;                /* free: the GPU, from then on */
    unsigned contexts;
    bool finished;
};

static bool says(struct fleet *fleet, struct bytes text, struct hash128 hash)
{
    enum known known = memory_get(fleet->said, hash);

    if (known == KNOWN_NOTHING) {
        known = oracle_says(fleet->oracle, text) ? KNOWN_YES : KNOWN_NO;
        memory_set(fleet->said, hash, known);
    }
    return known == KNOWN_YES;
}

static double context_made(struct fleet *fleet)
{
    double turn = fleet->now + INIT_S;

    turn = turn > fleet->free ? turn : fleet->free;
    fleet->free = turn + CONTEXT_S;
    fleet->contexts++;
    return fleet->free;
}

void fleet_run(struct fleet *fleet, const struct run_request *request,
               fleet_done_cb done, void *arg)
{
    struct hash128 hash = hash_bytes(request->text.data, request->text.len);
    struct run run = { request->how,
                       says(fleet, request->text, hash),
                       request->lane,
                       request->generation,
                       0,
                       done,
                       arg };
    uint32_t *child = &fleet->generations[run.lane];
    double ready = fleet->now;

    if (run.yes || hash.low % 2) {
        if (run.how != RUN_HOT || *child != run.generation + 1)
            ready = context_made(fleet);
        if (run.how == RUN_HOT)
            *child = run.generation + 1;
    }
    run.end = ready + (run.how == RUN_HOT ? HOT_S : RUN_S);
    if (fleet->n == RUNS_MAX)
        abort();
    fleet->runs[fleet->n++] = run;
}

unsigned fleet_free_slots(const struct fleet *fleet)
{
    return fleet->n < fleet->slots ? fleet->slots - fleet->n : 0;
}

void fleet_drop(struct fleet *fleet, const void *arg)
{
    unsigned i = 0;

    while (fleet->runs[i].arg != arg)
        i++;
    fleet->runs[i] = fleet->runs[--fleet->n];
}

void fleet_cancel(struct fleet *fleet)
{
    fleet->n = 0;
}

void fleet_rest(struct fleet *fleet, enum rest what)
{
    (void)fleet;
    (void)what;
}

uint64_t fleet_now_ms(const struct fleet *fleet)
{
    return (uint64_t)(fleet->now * 1000);
}

static void end_first(struct fleet *fleet)
{
    struct observation o = { .end = END_EXIT };
    struct run run;
    unsigned first = 0;

    for (unsigned i = 1; i < fleet->n; i++)
        if (fleet->runs[i].end < fleet->runs[first].end)
            first = i;
    run = fleet->runs[first];
    fleet->runs[first] = fleet->runs[--fleet->n];
    fleet->now = run.end;
    o.forked = true;
    o.loads = xstrdup("the same");
    if (run.yes) {
        o.exit_code = 1;
        o.exc_type = xstrdup("KeyError");
        o.exc_message = xstrdup("x");
    }
    if (run.how == RUN_HOT) {
        o.hot = 1 + run.lane * 1000 + run.generation;
        o.kept = true;
    }
    run.done(run.arg, &o);
    observation_deinit(&o);
}

static void on_reported(void *arg, const struct store_report *row,
                        bool accepted)
{
    (void)arg;
    (void)row;
    (void)accepted;
}

static void on_refused(void *arg, struct hash128 text, const char *why)
{
    (void)arg;
    (void)text;
    (void)why;
}

static void on_finished(void *arg, const char *why)
{
    struct fleet *fleet = arg;
    (void)why;

    fleet->finished = true;
}

static void on_failed(void *arg, const struct err *err)
{
    (void)arg;
    fprintf(stderr, "%s\n", err->text);
    abort();
}

static double simulate(const struct oracle *oracle, struct memory *said,
                       const struct signature *signature, unsigned slots,
                       bool hot)
{
    static const struct trials_events events = { on_reported, on_refused,
                                                 on_finished, on_failed };
    struct fleet fleet = { .oracle = oracle, .said = said, .slots = slots };
    struct search_opts opts = { .width = hot ? HOT_WIDTH * slots : slots };
    struct search *search =
        search_new(buf_bytes(&oracle->text), NULL, 0, &opts);
    struct trials_spec spec = {
        .fleet = &fleet,
        .search = search,
        .signature = signature,
        .fork = true,
        .tries = 1,
        .loads = "the same",
        .hot = hot,
        .lanes = slots,
    };
    struct trials *trials = trials_new(&spec, &events, &fleet);
    struct trials_counts counts;

    trials_pump(trials);
    while (!fleet.finished)
        end_first(&fleet);
    counts = trials_counts(trials);
    printf("%7u %-5s %6.0f %6.0f %8.0f %8u %7.0f %7.0f %8.1f %6zu\n", slots,
           hot ? "hot" : "plain", (double)counts.runs, (double)counts.kinds.hot,
           (double)counts.lanes.controls, fleet.contexts,
           (double)counts.lanes.yes, (double)counts.dropped, fleet.now,
           search_text(search).len);
    trials_free(trials);
    search_free(search);
    return fleet.now;
}

static void bench(const struct oracle *oracle, const char *name, double *logs)
{
    static struct config config = { .tightness = TIGHT_TEMPLATE };
    struct observation first = {
        .end = END_EXIT,
        .exit_code = 1,
        .exc_type = xstrdup("KeyError"),
        .exc_message = xstrdup("x"),
    };
    struct signature *signature =
        signature_pin(&config, buf_bytes(&oracle->text), &first, NULL);
    struct memory said = { 0 };

    printf("%s, %zu bytes\n", name, oracle->text.len);
    printf("workers kind    runs    hot controls contexts hot yes dropped"
           "  seconds  bytes\n");
    for (size_t w = 0; w < ARRAY_LEN(widths); w++) {
        double plain = simulate(oracle, &said, signature, widths[w], false);

        logs[w] +=
            log(plain / simulate(oracle, &said, signature, widths[w], true));
    }
    memory_deinit(&said);
    signature_free(signature);
    observation_deinit(&first);
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
                                         "tl-out-index", "triton-autotune" };

    for (size_t i = 0; i < ARRAY_LEN(files); i++, (*n)++) {
        char script[128], result[128];

        snprintf(script, sizeof(script), CASES "%s.py", files[i]);
        snprintf(result, sizeof(result), CASES "%s.ideal.py", files[i]);
        if (!bench_file(script, result, logs))
            return false;
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
    printf("hot against plain, in the mean:");
    for (size_t w = 0; w < ARRAY_LEN(widths); w++)
        printf("  %.2f at %u", exp(logs[w] / n), widths[w]);
    printf("\n");
    return 0;
}
