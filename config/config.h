/* config.h - what the user asked for.
 *
 * Every option stands once, in the table of config/options.c: flag, YAML key,
 * type, range, default, help. From it come the command line, the YAML keys,
 * their checks and --help. A value is taken from the command line, else from
 * `autodd.yaml` beside the script (or --config), else from
 * $XDG_CONFIG_HOME/autodd-c/config.yaml, else the default.
 *
 * A struct config owns all its strings; config_deinit() frees them. */
#ifndef AUTODD_CONFIG_H
#define AUTODD_CONFIG_H

#define AUTODD_VERSION "0.1.0"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/err.h"

struct strings {
    char **at; /* NULL-terminated */
    size_t n;
};

/* What the parts of --pass-with begin with. */
#define PART_PYTHON "python:"
#define PART_ENV "env:"
#define PART_PATH "path:"

/* What follows `prefix` in a text that begins with it; NULL if it does not. */
const char *config_part(const char *text, const char *prefix);

enum config_backend { BACKEND_AUTO, BACKEND_RUNNER, BACKEND_SUBPROC };
enum config_children {
    CHILDREN_AUTO,  /* the best that the script allows and that pays */
    CHILDREN_PLAIN, /* forked for their one run */
    CHILDREN_WARM,  /* with a CUDA context made ahead */
    CHILDREN_HOT    /* one for many runs; they can only say no */
};
enum config_tightness {
    TIGHT_EXACT,    /* same type and message */
    TIGHT_TEMPLATE, /* numbers, addresses, paths masked (default) */
    TIGHT_TYPE,     /* same exception type */
    TIGHT_TEXT      /* the text occurs: AutoDD's rule */
};
enum config_sanitizer {
    SANITIZER_NONE,
    SANITIZER_MEMCHECK,
    SANITIZER_RACECHECK,
    SANITIZER_INITCHECK,
    SANITIZER_SYNCCHECK
};
enum config_fill { FILL_OFF, FILL_NAN };
enum config_blocking {
    BLOCKING_AUTO, /* where it makes an error of CUDA steadier */
    BLOCKING_ON,
    BLOCKING_OFF
};
enum config_mutate { MUTATE_TO_ALL, MUTATE_TO_INTS, MUTATE_TO_NONE };
enum config_expect {
    EXPECT_AS_ORIGINAL,
    EXPECT_EXIT,
    EXPECT_SIGNAL,
    EXPECT_TIMEOUT
};

enum config_action {
    ACTION_MINIMIZE,
    ACTION_DOCTOR,
    ACTION_WORKER, /* hidden: serve frames on stdin and stdout */
    ACTION_LIMITS, /* hidden: set limits, then exec the rest */
    ACTION_GPU,    /* hidden: ask the driver */
    ACTION_HELP,
    ACTION_VERSION
};

struct config {
    enum config_action action;
    char *script;
    struct strings script_args; /* what stood after -- */

    /* the failure */
    struct strings err_msgs;  /* --err-msg TEXT, repeatable: all must occur */
    struct strings err_regex; /* --err-regex PCRE2, repeatable */
    struct strings not_msgs;  /* --not-msg TEXT, repeatable */
    struct strings keep;      /* --keep NAME|none, repeatable */
    struct strings pass_with; /* --pass-with PART, repeatable: one other
                               * environment, in which candidates must pass */
    char *good;               /* --good FILE: the fixed script; NULL: none */
    enum config_tightness tightness; /* --signature */
    enum config_expect expect;       /* --expect exit:N|signal:NAME|timeout */
    enum config_sanitizer sanitizer; /* --sanitizer: its finding is it */
    int expect_value;                /* exit code or signal number */

    /* the run */
    enum config_backend backend;   /* --backend */
    enum config_children children; /* --children */
    char *python;                  /* --python PATH|NAME; default python3 */
    char *command;                 /* --command "python3 -m pytest {file}" */
    char *test;                    /* --test CMD */
    struct strings env;            /* --env K=V, repeatable */
    enum config_fill fill;         /* --fill: of memory as it happens to be */
    enum config_blocking blocking; /* --launch-blocking */
    char *gpus;                    /* --gpus all|none|LIST */
    struct strings xid;            /* --xid CODE=CLASS, repeatable */
    char *cwd;                     /* --cwd DIR; NULL: the run's own folder */
    double timeout_s;              /* --timeout; 0: automatic */
    double timeout_cap_s;          /* --timeout-cap: most the automatic gives */
    int repeat;                    /* --repeat N: runs of the final check */
    int64_t memory_max_mb;         /* --memory-max: RSS of one run, 0 none */
    int64_t file_max_mb;           /* --file-max: RLIMIT_FSIZE of one run */
    int64_t procs_max;             /* --procs-max: processes of one run */
    int64_t output_max_kb;         /* --output-max: kept of each stream */

    /* the search */
    int jobs;                  /* -j; default: cores, at most 8 */
    double max_time_s;         /* --max-time; 0: none */
    int64_t max_runs;          /* --max-runs; 0: none */
    enum config_mutate mutate; /* --mutate: how far */
    bool deterministic;        /* --deterministic: trials in order */
    bool rename;               /* --rename: short names at the end */
    int64_t seed; /* --seed: PYTHONHASHSEED of runs, 0 to 2^32 - 1 */

    /* files and talk */
    char *output;           /* -o; NULL: SCRIPT.min.py */
    struct strings reports; /* --report FILE.json, repeatable */
    char *config_file;      /* --config */
    char *state;            /* --state FILE; NULL: under XDG_STATE_HOME */
    bool no_cache;          /* --no-cache: neither read nor keep verdicts */
    bool force;  /* --force: overwrite -o, take over a bad state file */
    bool json;   /* --json: events on stdout */
    bool quiet;  /* -q */
    int verbose; /* -v, repeatable */
};

/* Read argv (borrowed) and the YAML files into *config. 0, or -EINVAL and
 * such with err saying where (flag, or file:line:column), what, and what to
 * do: the caller exits with 2. On error *config is already deinitialised. */
int config_load(struct config *config, int argc, char **argv, struct err *err);
void config_deinit(struct config *config);

/* The text of --help, of --version (static). */
void config_print_help(void);
void config_print_version(void);

/* Signal number of "SEGV", "SIGSEGV" or "11"; 0 if there is none. And back:
 * "SIGSEGV"; "SIG??" for an unknown number (static). */
int config_signal_number(const char *name);
const char *config_signal_name(int number);

#endif
