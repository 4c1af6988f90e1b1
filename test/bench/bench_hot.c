/* What hot children bring, in simulated time: the search of trials.c on a GPU
 * that makes one context at a time. A run takes 40 ms, and if it needs a
 * context 200 ms before that alone and 200 ms more when it is its turn; in a
 * hot child 30 ms, but for its first run. Each second no needs none. Printed
 * for each input, number of workers and kind of child: the runs, of them hot
 * ones and control runs, the contexts made, yeses of hot children, trials that
 * were ended early, the simulated time, the size of the result.
 *
 *   bench_hot                    the built-in inputs, from the repository
 *   bench_hot SCRIPT RESULT ...  others (inputs.h) */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "config/base.h"
#include "config/mem.h"
#include "minimizer/search/memory.h"
#include "minimizer/trials.h"
#include "test/bench/inputs.h"
#include "test/unit/fake_fleet.h"

#define HOT_WIDTH 8 /* as in reduction.c */

#define RUN_S 0.04
#define HOT_S 0.03
#define INIT_S 0.2
#define CONTEXT_S 0.2 /* of the GPU */
#define LIMIT_MS 60000

static const unsigned widths[] = { 1, 2, 4, 8 };

static const struct config config = { .tightness = TIGHT_TEMPLATE,
                                      .timeout_cap_s = LIMIT_MS / 1000.0 };

/* Behind the fleet: the time, and the GPU. */
struct machine {
    const struct oracle *oracle;
    struct memory *said;
    struct fleet fleet;
    uint32_t generations[LANES_MAX]; /* + 1: of the child that has a context */
    double free;                     /* the GPU, from then on */
    unsigned contexts;
    bool finished;
};

static bool says(struct machine *machine, struct bytes text)
{
    struct hash128 hash = hash_bytes(text.data, text.len);
    enum known known = memory_get(machine->said, hash);

    if (known == KNOWN_NOTHING) {
        known = oracle_says(machine->oracle, text) ? KNOWN_YES : KNOWN_NO;
        memory_set(machine->said, hash, known);
    }
    return known == KNOWN_YES;
}

static double context_made(struct machine *machine)
{
    double turn = machine->fleet.now_s + INIT_S;

    turn = turn > machine->free ? turn : machine->free;
    machine->free = turn + CONTEXT_S;
    machine->contexts++;
    return machine->free;
}

static bool needs_context(struct machine *machine, struct bytes text)
{
    return says(machine, text) || hash_bytes(text.data, text.len).low % 2;
}

static double ends(void *arg, const struct fake_run *run)
{
    struct machine *machine = arg;
    uint32_t *child = &machine->generations[run->lane];
    bool hot = run->how == RUN_HOT;
    double ready = machine->fleet.now_s;

    if (needs_context(machine, bytes_of(run->text, strlen(run->text)))) {
        if (!hot || *child != run->generation + 1)
            ready = context_made(machine);
        if (hot)
            *child = run->generation + 1;
    }
    return ready + (hot ? HOT_S : RUN_S);
}

static struct observation shown(void *arg, const char *text, enum run_how how)
{
    struct machine *machine = arg;
    struct observation o = { .end = END_EXIT };

    o.forked = true;
    o.loads = xstrdup("the same");
    if (says(machine, bytes_of(text, strlen(text)))) {
        o.exit_code = 1;
        o.exc_type = xstrdup("KeyError");
        o.exc_message = xstrdup("x");
    }
    if (how == RUN_HOT) {
        o.hot = 1 + machine->fleet.lane * 1000 + machine->fleet.generation;
        o.kept = true;
    }
    return o;
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
    struct machine *machine = arg;
    (void)why;

    machine->finished = true;
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
    struct machine machine = { .oracle = oracle, .said = said };
    struct search_opts opts = { .width = hot ? HOT_WIDTH * slots : slots };
    struct search *search =
        search_new(buf_bytes(&oracle->text), NULL, 0, &opts);
    struct trials_spec spec = {
        .fleet = &machine.fleet,
        .search = search,
        .signature = signature,
        .config = &config,
        .fork = true,
        .fork_timeout_ms = LIMIT_MS,
        .fresh_timeout_ms = LIMIT_MS,
        .tries = 1,
        .loads = "the same",
        .hot = hot,
        .lanes = slots,
    };
    struct trials *trials = trials_new(&spec, &events, &machine);
    struct trials_counts counts;

    machine.fleet = (struct fleet){
        .slots = slots, .oracle = shown, .ends = ends, .arg = &machine
    };
    trials_pump(trials);
    while (!machine.finished)
        fake_fleet_turn(&machine.fleet, fake_fleet_first(&machine.fleet));
    counts = trials_counts(trials);
    printf("%7u %-5s %6.0f %6.0f %8.0f %8u %7.0f %7.0f %8.1f %6zu\n", slots,
           hot ? "hot" : "plain", (double)counts.runs, (double)counts.kinds.hot,
           (double)counts.lanes.controls, machine.contexts,
           (double)counts.lanes.yes, (double)counts.dropped,
           machine.fleet.now_s, search_text(search).len);
    trials_free(trials);
    search_free(search);
    fake_fleet_end(&machine.fleet);
    return machine.fleet.now_s;
}

static void bench(const struct oracle *oracle, const char *name, double *logs)
{
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

int main(int argc, char **argv)
{
    static const struct bench hot = { "hot against plain", widths,
                                      ARRAY_LEN(widths), bench };

    return bench_main(&hot, argc, argv);
}
