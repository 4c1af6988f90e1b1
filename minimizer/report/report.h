/* report.h - what is kept of a minimization, for people and programs: one
 * struct, filled once, and three writers.
 *
 * FILE.json, for programs. Members, all always there: schema (1), status, runs,
 * pumped (trials of a text that was grown first), cached, rejected_early,
 * no_verdict, accepted, children {fresh, forked, warm, hot, controls, batches,
 * voided, noes, sampled, overturned, yes, checked, denied} (of run_kinds and
 * lanes_counts), wall_s, tool_cpu_s, original and result
 * {path, bytes, lines, sha256}, good (as result, or null: no
 * --good), controls [{what, runs, passed, original {runs, passed}}],
 * verification {runs, matched}, without [{aid, runs, matched}] (what the result
 * does without --fill or CUDA_LAUNCH_BLOCKING=1, where runs had it), rate
 * {matched, runs, low, high} (95 %, interval.h), signature, asked [{option,
 * text}], minimal (true, or the budget that stopped the search, or null before
 * a search), steps [{t, run, kind, bytes}], mutation_began (the first of the
 * steps, counted from 0, that changed the computation, or null), reasons
 * [{first, last, outcome}], notes [{kind, text}], command, output {end, gpu,
 * out, err} of a failing run of the result, versions {autodd_c, python,
 * python_version, platform, gpu, sanitizer, packages [text]}. What is not
 * known, a file without text and output included, is null.
 *
 * FILE.html, for people: one page that needs nothing else. FILE.md, to paste
 * into an issue tracker. */
#ifndef AUTODD_REPORT_H
#define AUTODD_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "config/base.h"
#include "config/buf.h"
#include "config/config.h"
#include "config/err.h"
#include "minimizer/lanes.h"
#include "minimizer/runs.h"

#define REPORT_SCHEMA 1
#define REPORT_RATE_LEVEL 0.95

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

/* The result, fresh, without something that the runs of the search had. */
struct report_without {
    const char *aid; /* "--fill nan" */
    uint64_t runs, matched;
};

/* What the user asked for: "err-msg", "K shape check failed". */
struct report_ask {
    const char *option, *text;
};

/* What the program said: "warning", "the final check failed; ...". */
struct report_note {
    const char *kind, *text;
};

/* A run of the result that showed the failure. */
struct report_output {
    const char *end;       /* "exit 1"; NULL: there is none */
    struct bytes out, err; /* the last lines */
    const char *gpu;       /* uuid of the one that it had, or NULL */
};

/* NULL, and no packages: unknown. */
struct report_versions {
    const char *python; /* path of the interpreter */
    const char *python_version, *platform, *gpu;
    const char *sanitizer; /* of compute-sanitizer; NULL also: not used */
    char *const *packages; /* "torch 2.11.0" */
    size_t npackages;
};

/* All borrowed. */
struct report {
    enum report_status status;
    uint64_t runs;   /* candidates really executed */
    uint64_t pumped; /* trials of a text that had been grown */
    uint64_t cached, rejected_early, no_verdict, accepted;
    struct run_kinds kinds;  /* of the search, control runs included */
    struct lanes_counts hot; /* what hot children said */
    double wall_s, tool_cpu_s;
    struct report_file original, result;
    struct report_file good;              /* the result's good form */
    uint64_t verify_runs, verify_matched; /* of the result, fresh */
    const struct report_control *controls;
    size_t ncontrols;
    const struct report_without *without;
    size_t nwithout;
    uint64_t rate_runs, rate_matched; /* of the original */
    const char *signature;            /* NULL: none was pinned */
    const struct report_ask *asked;
    size_t nasked;
    bool minimal;
    const char *budget; /* !minimal: "max-runs", ...; NULL: no search */
    const struct report_step *steps;
    size_t nsteps;
    const struct report_reason *reasons;
    size_t nreasons;
    const struct report_note *notes;
    size_t nnotes;
    const char *command; /* for a shell: runs the result; NULL: no result */
    struct report_output output;
    struct report_versions versions;
};

/* "verified", "not-reproduced" (static). */
const char *report_status_name(enum report_status status);

/* For people: "Minimized, and it fails again" (static). */
const char *report_status_words(enum report_status status);

/* Append the text. 0 or -E2BIG. */
int report_json(const struct report *report, struct buf *out);
int report_html(const struct report *report, struct buf *out);
int report_markdown(const struct report *report, struct buf *out);

/* Write it to `path`, whole or not at all (file_replace()), in the form that
 * the end of the name says. -EINVAL when that is none of .json, .html and .md;
 * errors of files, with a sentence. Blocks. */
int report_write(const struct report *report, const char *path,
                 struct err *err);

/* The first step that changed the computation on the way to the failure; as
 * many as there are: none did. */
size_t report_mutation_began(const struct report *report);

/* Lines of a text: a last one without a newline counts too. */
uint64_t report_lines(struct bytes text);

/* The last part of a path; borrowed from it. */
const char *report_name(const char *path);

/* The bytes of a string; of NULL, none. */
static inline struct bytes bytes_of_text(const char *text)
{
    return bytes_of(text ? text : "", text ? strlen(text) : 0);
}

#endif
