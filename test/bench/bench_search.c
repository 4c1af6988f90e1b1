/* How well the search does, in numbers: runs and speed-up with more workers,
 * in simulated time, and its own CPU time a trial on long files.
 *
 * Scripts are generated; a run fails with a NameError, so to say, when a
 * statement uses a name that is not defined before it, and shows the failure
 * when a few given statements are there. The time of a run is random, one
 * second in the mean. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config/base.h"
#include "config/buf.h"
#include "config/mem.h"
#include "minimizer/search/search.h"

#define WIDTH_MAX 16
#define SCRIPTS 10

static uint32_t chance(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

struct script {
    struct buf text;
    unsigned names;
    bool *needed;
    bool *present; /* room for the oracle */
};

static void add_line(struct script *s, unsigned depth, uint64_t *seed)
{
    unsigned n = s->names++;

    for (unsigned i = 0; i < depth; i++)
        buf_adds(&s->text, "    ");
    buf_addf(&s->text, "v%u = call(%u", n, chance(seed) % 512);
    for (unsigned i = chance(seed) % 3; i > 0 && n > 0; i--)
        buf_addf(&s->text, ", v%u", n - 1 - chance(seed) % (n < 30 ? n : 30));
    buf_adds(&s->text, ")\n");
}

static void script_init(struct script *s, unsigned lines, unsigned needed,
                        uint64_t seed)
{
    unsigned depth = 0;

    *s = (struct script){ .needed = xcalloc(lines, sizeof(bool)),
                          .present = xcalloc(lines, sizeof(bool)) };
    buf_init(&s->text, 1 << 24);
    for (unsigned i = 0; i < lines; i++) {
        if (chance(&seed) % 8 == 0 && depth < 4) {
            for (unsigned d = 0; d < depth; d++)
                buf_adds(&s->text, "    ");
            buf_addf(&s->text, chance(&seed) % 2 ? "if c%u:\n" : "def f%u():\n",
                     i);
            depth++;
        }
        add_line(s, depth, &seed);
        while (depth > 0 && chance(&seed) % 10 == 0)
            depth--;
    }
    for (unsigned i = 0; i < needed; i++)
        s->needed[chance(&seed) % lines] = true;
}

static void script_deinit(struct script *s)
{
    free(s->needed);
    free(s->present);
    buf_deinit(&s->text);
}

/* The number of the name v123 at `at`, or -1; a definition stands first in
 * its line. */
static long name_at(const struct script *s, struct bytes text, size_t at)
{
    unsigned long n = 0;
    size_t i = at + 1;

    if (text.data[at] != 'v' ||
        (at > 0 && text.data[at - 1] != ' ' && text.data[at - 1] != '\n'))
        return -1;
    for (; i < text.len && text.data[i] >= '0' && text.data[i] <= '9'; i++)
        n = n * 10 + (unsigned long)(text.data[i] - '0');
    return i > at + 1 && n < s->names ? (long)n : -1;
}

static bool fails_as_wanted(struct script *s, struct bytes text)
{
    bool first = true;

    memset(s->present, 0, s->names * sizeof(bool));
    for (size_t i = 0; i < text.len; i++) {
        long name = name_at(s, text, i);

        if (name >= 0 && first)
            s->present[name] = true;
        else if (name >= 0 && !s->present[name])
            return false;
        if (text.data[i] == '\n')
            first = true;
        else if (text.data[i] != ' ')
            first = false;
    }
    for (unsigned i = 0; i < s->names; i++)
        if (s->needed[i] && !s->present[i])
            return false;
    return true;
}

struct running {
    uint64_t id;
    double end;
    enum verdict verdict;
};

struct outcome {
    double seconds; /* simulated */
    struct search_stats stats;
    size_t bytes;
};

static struct outcome simulate(struct script *s, unsigned width, uint64_t seed)
{
    struct search_opts opts = { .width = width };
    struct search *search = search_new(buf_bytes(&s->text), NULL, 0, &opts);
    struct running running[WIDTH_MAX];
    struct search_trial trial;
    struct outcome o;
    double now = 0;
    size_t n = 0;

    for (;;) {
        size_t first = 0;

        while (n < width && search_next(search, &trial)) {
            double lasts = 0.5 + chance(&seed) % 1000 / 1000.0;
            running[n++] =
                (struct running){ trial.id, now + lasts,
                                  fails_as_wanted(s, trial.text) ? VERDICT_YES
                                                                 : VERDICT_NO };
        }
        if (n == 0)
            break;
        for (size_t i = 1; i < n; i++)
            if (running[i].end < running[first].end)
                first = i;
        now = running[first].end;
        search_report(search, running[first].id, running[first].verdict);
        running[first] = running[--n];
    }
    o = (struct outcome){ now, search_stats(search), search_text(search).len };
    search_free(search);
    return o;
}

static void bench_widths(void)
{
    const unsigned widths[] = { 1, 2, 4, 8, 16 };
    double alone = 0;

    printf("%d scripts of 300 lines, 5 statements needed\n", SCRIPTS);
    printf("workers   runs  accepted  rounds  seconds  speed-up  bytes left\n");
    for (size_t w = 0; w < ARRAY_LEN(widths); w++) {
        struct search_stats sum = { 0 };
        double seconds = 0;
        size_t bytes = 0;

        for (unsigned i = 0; i < SCRIPTS; i++) {
            struct script s;
            struct outcome o;
            script_init(&s, 300, 5, i + 1);
            o = simulate(&s, widths[w], i);
            seconds += o.seconds;
            sum.trials += o.stats.trials;
            sum.accepted += o.stats.accepted;
            sum.rounds += o.stats.rounds;
            bytes += o.bytes;
            script_deinit(&s);
        }
        if (w == 0)
            alone = seconds;
        printf("%7u  %5.0f  %8.0f  %6.1f  %7.0f  %8.2f  %10.0f\n", widths[w],
               (double)sum.trials / SCRIPTS, (double)sum.accepted / SCRIPTS,
               (double)sum.rounds / SCRIPTS, seconds / SCRIPTS, alone / seconds,
               (double)bytes / SCRIPTS);
    }
}

static double cpu_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* The search's own time, the oracle's left out, over the first trials. */
static void bench_cpu(unsigned lines, unsigned most)
{
    struct search_opts opts = { .width = 1 };
    struct search_trial trial;
    struct search *search;
    struct script s;
    double start, begin, spent = 0, worst = 0;
    unsigned n = 0;

    script_init(&s, lines, lines / 20, 7);
    start = cpu_ms();
    search = search_new(buf_bytes(&s.text), NULL, 0, &opts);
    begin = cpu_ms() - start;
    while (n < most) {
        double at = cpu_ms(), middle, after;
        bool yes;

        if (!search_next(search, &trial))
            break;
        middle = cpu_ms();
        yes = fails_as_wanted(&s, trial.text);
        after = cpu_ms();
        search_report(search, trial.id, yes ? VERDICT_YES : VERDICT_NO);
        at = middle - at + cpu_ms() - after;
        spent += at;
        worst = at > worst ? at : worst;
        n++;
    }
    printf("%6u  %8zu  %6u  %8.1f  %12.3f  %8.1f  %10zu\n", lines, s.text.len,
           n, begin, n > 0 ? spent / n : 0, worst, search_text(search).len);
    search_free(search);
    script_deinit(&s);
}

int main(void)
{
    const unsigned lines[] = { 1000, 5000, 20000 };

    bench_widths();
    printf("\nCPU time of the search, in ms\n");
    printf(" lines     bytes  trials  to begin  for a trial     worst"
           "  bytes left\n");
    for (size_t i = 0; i < ARRAY_LEN(lines); i++)
        bench_cpu(lines[i], 2000);
    return 0;
}
