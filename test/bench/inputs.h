/* inputs.h - the program around a bench that oracle.h judges: it measures each
 * input at some numbers of workers, and prints a ratio for each in the mean. */
#ifndef AUTODD_BENCH_INPUTS_H
#define AUTODD_BENCH_INPUTS_H

#include "test/bench/oracle.h"

#define WIDTHS_MAX 8

struct bench {
    const char *mean;       /* what the ratios are */
    const unsigned *widths; /* numbers of workers */
    unsigned n;             /* of those, at most WIDTHS_MAX */
    /* Measure an input, print it, and add the logarithm of its ratio at
     * widths[i] to logs[i]. */
    void (*measure)(const struct oracle *oracle, const char *name,
                    double *logs);
};

/* The main() of such a bench: its arguments are pairs of a script and a
 * smaller one, where what the two have in common is needed; without any the
 * inputs are some of the cases of test/e2e, read from the repository, and some
 * that are generated. */
int bench_main(const struct bench *bench, int argc, char **argv);

#endif
