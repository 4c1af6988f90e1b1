/* report.h - what is kept of a minimization for programs: one JSON file.
 *
 * Members, all always there: schema (1), status, runs, cached, rejected_early,
 * no_verdict, accepted, wall_s, tool_cpu_s, original and result {path, bytes,
 * lines, sha256}, good (as result, or null: no --good), verification {runs,
 * matched}, controls [{what, runs, passed, original {runs, passed}}], rate
 * {matched, runs, low, high} (95 %, interval.h), signature, minimal (true, or
 * the budget that stopped the search, or null before a search), steps [{t, run,
 * kind, bytes}], mutation_began (the first of the steps, counted from 0, that
 * changed the computation, or null), reasons [{first, last, outcome}]. A file
 * without text is null. */
#ifndef AUTODD_REPORT_H
#define AUTODD_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base.h"
#include "config/buf.h"
#include "config/err.h"

#define REPORT_SCHEMA 1

enum report_status {
    REPORT_VERIFIED,
    REPORT_UNVERIFIED,
    REPORT_NOT_REPRODUCED,
    REPORT_ENVIRONMENT,
    REPORT_INTERRUPTED
};

struct report_file {
    const char *path; /* NULL: there is none */
    struct bytes text;
};

struct report_step {
    double t;     /* seconds since the start */
    uint64_t run; /* runs so far */
    const char *kind;
    uint64_t bytes; /* of the text after it */
    bool mutated;   /* it, or a step before it, changed the computation */
};

struct report_reason {
    uint32_t first, last; /* lines of the result, from 1, inclusive */
    const char *outcome;  /* without them: "NameError: T" */
};

/* What must pass while the script fails: another environment, the good form. */
struct report_control {
    const char *what;
    uint64_t original_runs, original_passed;
    uint64_t runs, passed; /* of the result, fresh */
};

/* All borrowed. */
struct report {
    enum report_status status;
    uint64_t runs; /* candidates really executed */
    uint64_t cached, rejected_early, no_verdict, accepted;
    double wall_s, tool_cpu_s;
    struct report_file original, result;
    struct report_file good;              /* the result's good form */
    uint64_t verify_runs, verify_matched; /* of the result, fresh */
    const struct report_control *controls;
    size_t ncontrols;
    uint64_t rate_runs, rate_matched; /* of the original */
    const char *signature;            /* NULL: none was pinned */
    bool minimal;
    const char *budget; /* !minimal: "max-runs", ...; NULL: no search */
    const struct report_step *steps;
    size_t nsteps;
    const struct report_reason *reasons;
    size_t nreasons;
};

/* "verified", "not-reproduced" (static). */
const char *report_status_name(enum report_status status);

/* Append the JSON text. 0 or -E2BIG. */
int report_json(const struct report *report, struct buf *out);

/* Write it to `path`, whole or not at all (file_replace()). -EINVAL when the
 * name does not end in .json; errors of files, with a sentence. Blocks. */
int report_write(const struct report *report, const char *path,
                 struct err *err);

/* Lines of a text: a last one without a newline counts too. */
uint64_t report_lines(struct bytes text);

#endif
