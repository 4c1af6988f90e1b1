/* What the search itself costs on long scripts: CPU time for a trial, a commit
 * and a round, the oracle's left out, and the most memory. Each script runs in
 * a child of its own, so that its memory is its own too.
 *
 * The scripts are generated: some of four lengths (test/bench/oracle.h), where
 * a scan of the text for the statements that are needed and the names they use
 * is the oracle, each without a test to keep (`1000`) and with one
 * (`1000-kept`), and some of odd shapes (test/bench/shapes.h). */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "config/base.h"
#include "config/buf.h"
#include "config/mem.h"
#include "grammar/guard.h"
#include "grammar/tree.h"
#include "minimizer/search/search.h"
#include "test/bench/oracle.h"
#include "test/bench/shapes.h"

#define WIDTH_MAX 64

struct judge {
    unsigned names; /* 0: of a shape */
    bool *needed, *present;
};

static void judge_init(struct judge *judge, unsigned names, unsigned needed)
{
    uint64_t seed = 7;

    *judge = (struct judge){ names, xcalloc(names, sizeof(bool)),
                             xcalloc(names, sizeof(bool)) };
    for (unsigned i = 0; i < needed; i++)
        judge->needed[chance(&seed) % names] = true;
}

/* The number of the name v123 at `at`, or -1. */
static long name_at(const struct judge *judge, struct bytes text, size_t at)
{
    unsigned long n = 0;
    size_t i = at + 1;

    if (text.data[at] != 'v' ||
        (at > 0 && text.data[at - 1] != ' ' && text.data[at - 1] != '\n'))
        return -1;
    for (; i < text.len && text.data[i] >= '0' && text.data[i] <= '9'; i++)
        n = n * 10 + (unsigned long)(text.data[i] - '0');
    return i > at + 1 && n < judge->names ? (long)n : -1;
}

/* A definition stands first in its line; a name is used after it is defined. */
static bool judge_says(struct judge *judge, struct bytes text)
{
    bool first = true;

    if (judge->names == 0)
        return shape_says(text);
    memset(judge->present, 0, judge->names * sizeof(bool));
    for (size_t i = 0; i < text.len; i++) {
        long name = name_at(judge, text, i);

        if (name >= 0 && first)
            judge->present[name] = true;
        else if (name >= 0 && !judge->present[name])
            return false;
        if (text.data[i] == '\n')
            first = true;
        else if (text.data[i] != ' ')
            first = false;
    }
    for (unsigned i = 0; i < judge->names; i++)
        if (judge->needed[i] && !judge->present[i])
            return false;
    return true;
}

static double cpu_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* What calls of one sort took. */
struct cost {
    double sum, worst;
    uint64_t n;
};

static void cost_add(struct cost *cost, double ms)
{
    cost->sum += ms;
    cost->worst = ms > cost->worst ? ms : cost->worst;
    cost->n++;
}

static double cost_mean(const struct cost *cost)
{
    return cost->n > 0 ? cost->sum / (double)cost->n : 0;
}

struct costs {
    struct cost next, round, commit, no; /* search_next(), and search_report()
                                          * with a new round, with a commit,
                                          * without either */
};

/* What is out, the earliest first. */
struct out {
    uint64_t id;
    bool yes;
};

static void report(struct search *search, const struct out *out,
                   struct costs *costs)
{
    uint64_t rounds = search_stats(search).rounds;
    double at = cpu_ms();
    bool accepted =
        search_report(search, out->id, out->yes ? VERDICT_YES : VERDICT_NO);

    at = cpu_ms() - at;
    if (search_stats(search).rounds > rounds)
        cost_add(&costs->round, at);
    else
        cost_add(accepted ? &costs->commit : &costs->no, at);
}

static void drive(struct search *search, struct judge *judge, uint64_t most,
                  unsigned width, struct costs *costs)
{
    struct out out[WIDTH_MAX];
    struct search_trial trial;
    unsigned n = 0;

    for (uint64_t given = 0; given < most || n > 0;) {
        double at = cpu_ms();
        bool more = n < width && given < most && search_next(search, &trial);

        if (more) {
            cost_add(&costs->next, cpu_ms() - at);
            out[n++] = (struct out){ trial.id, judge_says(judge, trial.text) };
            given++;
        } else if (n == 0) {
            return;
        } else {
            report(search, &out[0], costs);
            memmove(out, out + 1, --n * sizeof(*out));
        }
        for (unsigned i = n; i > 0; i--) {
            if (search_wants(search, out[i - 1].id))
                continue;
            search_report(search, out[i - 1].id, VERDICT_DROPPED);
            memmove(out + i - 1, out + i, (--n - (i - 1)) * sizeof(*out));
        }
    }
}

/* A comparison as the last statement, of two of the needed names, which are
 * lists; what they are made of must stay. */
static void guard_last(struct guard *guard, struct buf *text,
                       const struct judge *judge)
{
    struct guard_failure failure = { .line = 1 };
    long first = -1, last = -1;
    struct tree *tree;

    for (unsigned i = 0; i < judge->names; i++) {
        if (!judge->needed[i])
            continue;
        first = first < 0 ? (long)i : first;
        last = (long)i;
    }
    for (size_t i = 0; i < text->len; i++)
        failure.line += buf_str(text)[i] == '\n';
    buf_addf(text, "assert m.f(v%ld) == m.g(v%ld)\n", first, last);
    tree = tree_parse(buf_bytes(text));
    guard_init(guard, tree, &failure, NULL, 0);
    tree_free(tree);
}

static void print_costs(const char *name, size_t bytes,
                        const struct costs *costs, struct search *search)
{
    struct search_stats stats = search_stats(search);
    double all =
        costs->next.sum + costs->round.sum + costs->commit.sum + costs->no.sum;
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    printf("%-10s %8zu %6llu %5.2f %7.3f %7.1f %7.3f %7.1f %6llu %7.1f %7.1f "
           "%5ld %8zu\n",
           name, bytes, (unsigned long long)stats.trials,
           all / (double)(stats.trials ? stats.trials : 1),
           cost_mean(&costs->next), costs->next.worst,
           cost_mean(&costs->commit), costs->commit.worst,
           (unsigned long long)stats.rounds, cost_mean(&costs->round),
           costs->round.worst, usage.ru_maxrss / 1024, search_text(search).len);
}

static void bench(const char *name, struct bytes text, struct judge *judge,
                  const struct guard *guard, uint64_t most, unsigned width)
{
    struct search_opts opts = { .width = width, .keep = guard };
    struct costs costs = { 0 };
    struct search *search;
    double begin;

    if (guard && guard_keeps(guard))
        opts.allowed = guard_holds;
    begin = cpu_ms();
    search = search_new(text, NULL, 0, &opts);
    cost_add(&costs.round, cpu_ms() - begin);
    drive(search, judge, most, width, &costs);
    print_costs(name, text.len, &costs, search);
    search_free(search);
}

static void bench_length(const char *name, unsigned lines, bool guarded,
                         uint64_t most, unsigned width)
{
    struct guard guard = { 0 };
    struct oracle script;
    struct judge judge;

    oracle_make(&script, lines, 0, 7);
    judge_init(&judge, lines, lines / 100);
    if (guarded)
        guard_last(&guard, &script.text, &judge);
    bench(name, buf_bytes(&script.text), &judge, guarded ? &guard : NULL, most,
          width);
    if (guarded)
        guard_deinit(&guard);
    oracle_deinit(&script);
    free(judge.needed);
    free(judge.present);
}

static void bench_shape(const struct shape *shape, uint64_t most,
                        unsigned width)
{
    struct judge judge = { 0 };
    struct buf text;

    buf_init(&text, 64u << 20);
    shape->make(&text);
    bench(shape->name, buf_bytes(&text), &judge, NULL, most, width);
    buf_deinit(&text);
}

struct row {
    char name[16];
    unsigned lines;
    bool guarded;
    const struct shape *shape; /* or NULL */
};

static const unsigned lengths[] = { 1000, 5000, 20000, 50000 };

#define ROWS_OF_LENGTHS (2 * (unsigned)ARRAY_LEN(lengths))

static struct row row_of(unsigned i)
{
    struct row row = { .guarded = i % 2 == 1 };

    if (i < ROWS_OF_LENGTHS) {
        row.lines = lengths[i / 2];
        snprintf(row.name, sizeof(row.name), "%u%s", row.lines,
                 row.guarded ? "-kept" : "");
    } else {
        row.shape = &shapes[i - ROWS_OF_LENGTHS];
        snprintf(row.name, sizeof(row.name), "%s", row.shape->name);
    }
    return row;
}

/* In a child; whether it ended well. */
static bool run_row(const struct row *row, uint64_t most, unsigned width)
{
    int status;
    pid_t pid;

    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        if (row->shape)
            bench_shape(row->shape, most, width);
        else
            bench_length(row->name, row->lines, row->guarded, most, width);
        exit(0);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static bool is_asked(const struct row *row, char *const *names, int n)
{
    for (int k = 0; k < n; k++)
        if (strcmp(names[k], row->name) == 0)
            return true;
    return n <= 0;
}

/* bench_search [TRIALS [WIDTH [ROW...]]]: at most so many trials for each row
 * (4000, 500 for a shape), so many of them out at once (1). */
int main(int argc, char **argv)
{
    uint64_t most = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    unsigned width = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1;

    if (width < 1 || width > WIDTH_MAX)
        return 1;
    printf("CPU time of the search in ms, memory in MiB\n");
    printf("row           bytes trials   all    next   worst  commit   worst "
           "rounds    each   worst   RSS    bytes\n");
    for (unsigned i = 0; i < ROWS_OF_LENGTHS + shapes_n; i++) {
        struct row row = row_of(i);
        uint64_t usual = row.shape ? 500 : 4000;

        if (is_asked(&row, argv + 3, argc - 3) &&
            !run_row(&row, most ? most : usual, width))
            return 1;
    }
    return 0;
}
