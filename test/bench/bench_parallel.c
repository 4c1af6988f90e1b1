/* What more workers bring, in simulated time: runs take half a second to one
 * and a half, by chance, and are judged by test/bench/oracle.h; what can be of
 * no use any more is ended. Printed for each input and number of workers: the
 * runs and how many more they are than one worker's, of them how many were
 * ended early; commits, rounds, the simulated time and its ratio to that of one
 * worker; of the workers' time the percentages spent on runs whose verdict the
 * search has asked for, on runs to their end that it has not, on runs ended
 * early, and idle; the size of the result.
 *
 *   bench_parallel                    the built-in inputs, from the repository
 *   bench_parallel SCRIPT RESULT ...  others (inputs.h) */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "config/base.h"
#include "config/mem.h"
#include "minimizer/search/memory.h"
#include "minimizer/search/search.h"
#include "test/bench/inputs.h"

#define WIDTH_MAX 16
#define TIMES 3 /* each simulation, with other times of the runs */

static const unsigned widths[] = { 1, 2, 4, 8, 16 };

struct running {
    uint64_t id;
    struct hash128 hash;
    double start, end;
    enum verdict verdict;
};

/* Of a run that has ended. */
struct lasted {
    struct hash128 hash;
    double time;
};

/* Sums of simulations. */
struct outcome {
    double seconds, used, unused, dropped; /* the last three: of workers */
    double runs, drops, accepted, rounds, bytes;
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
    o->drops += (double)stats.dropped;
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

/* Runs that are out, and the time that those that are over have taken. */
struct simulation {
    struct search *search;
    struct running running[WIDTH_MAX];
    size_t n;
    double now;
    struct lasted *lasted;
    size_t nlasted, room;
    struct outcome *o;
};

static void start(struct simulation *s, const struct search_trial *trial,
                  double lasts, bool yes)
{
    s->running[s->n++] = (struct running){
        .id = trial->id,
        .hash = trial->hash,
        .start = s->now,
        .end = s->now + lasts,
        .verdict = yes ? VERDICT_YES : VERDICT_NO,
    };
}

static void finish(struct simulation *s, size_t i)
{
    struct running r = s->running[i];

    s->running[i] = s->running[--s->n];
    s->now = r.end;
    xgrow(&s->lasted, &s->room, s->nlasted + 1, sizeof(*s->lasted));
    s->lasted[s->nlasted++] = (struct lasted){ r.hash, r.end - r.start };
    search_report(s->search, r.id, r.verdict);
}

static void drop_unwanted(struct simulation *s)
{
    for (size_t i = s->n; i > 0; i--) {
        struct running r = s->running[i - 1];

        if (search_wants(s->search, r.id))
            continue;
        s->o->dropped += s->now - r.start;
        search_report(s->search, r.id, VERDICT_DROPPED);
        s->running[i - 1] = s->running[--s->n];
    }
}

static void simulate(const struct oracle *oracle, struct memory *said,
                     struct memory *asked, unsigned width, uint64_t seed,
                     struct outcome *o)
{
    struct search_opts opts = { .width = width };
    struct simulation s = {
        .search = search_new(buf_bytes(&oracle->text), NULL, 0, &opts),
        .o = o,
    };
    struct search_trial trial;

    for (;;) {
        while (s.n < width && search_next(s.search, &trial)) {
            double lasts = 0.5 + chance(&seed) % 1000 / 1000.0;

            start(&s, &trial, lasts, says(oracle, said, &trial));
            if (width == 1)
                memory_set(asked, trial.hash, KNOWN_YES);
        }
        if (s.n == 0)
            break;
        finish(&s, first_to_end(s.running, s.n));
        drop_unwanted(&s);
    }
    for (size_t i = 0; i < s.nlasted; i++) {
        if (memory_get(asked, s.lasted[i].hash) == KNOWN_YES)
            o->used += s.lasted[i].time;
        else
            o->unused += s.lasted[i].time;
    }
    o->seconds += s.now;
    add_stats(o, s.search);
    search_free(s.search);
    free(s.lasted);
}

static void print(const struct outcome *o, const struct outcome *alone,
                  unsigned width)
{
    double all = o->seconds * width / 100;

    printf("%7u %6.0f %5.0f%% %7.0f %7.0f %6.1f %8.1f %8.2f"
           " %4.0f %6.0f %7.0f %4.0f %5.0f\n",
           width, o->runs / TIMES, 100 * (o->runs / alone->runs - 1),
           o->drops / TIMES, o->accepted / TIMES, o->rounds / TIMES,
           o->seconds / TIMES, alone->seconds / o->seconds, o->used / all,
           o->unused / all, o->dropped / all,
           100 - (o->used + o->unused + o->dropped) / all, o->bytes / TIMES);
}

static void bench(const struct oracle *oracle, const char *name, double *logs)
{
    struct outcome alone = { 0 };
    struct memory said = { 0 };  /* verdicts of texts */
    struct memory asked = { 0 }; /* texts that one worker runs */

    printf("%s, %zu bytes\n", name, oracle->text.len);
    printf("workers   runs   more dropped commits rounds  seconds speed-up"
           " used unused dropped idle bytes\n");
    for (size_t w = 0; w < ARRAY_LEN(widths); w++) {
        struct outcome o = { 0 };

        for (uint64_t seed = 1; seed <= TIMES; seed++)
            simulate(oracle, &said, &asked, widths[w], seed, &o);
        if (w == 0)
            alone = o;
        logs[w] += log(alone.seconds / o.seconds);
        print(&o, &alone, widths[w]);
    }
    memory_deinit(&said);
    memory_deinit(&asked);
}

int main(int argc, char **argv)
{
    static const struct bench parallel = { "speed-up", widths,
                                           ARRAY_LEN(widths), bench };

    return bench_main(&parallel, argc, argv);
}
