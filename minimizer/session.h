/* session.h - one minimization, from the script to the verified result: joins
 * input, fleet, original, reduction, verify and outcome.
 *
 * A session lives from session_start() until its done event returns. done is
 * called exactly once, from the loop and never from inside session_start(),
 * after every process of the session has ended. */
#ifndef AUTODD_SESSION_H
#define AUTODD_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base.h"
#include "config/config.h"
#include "minimizer/lanes.h"
#include "minimizer/runs.h"

struct uv_loop_s;
struct session;
struct control;

/* What a script would want to tell apart: DESIGN section 12. */
enum exit_code {
    EXIT_DONE = 0,           /* minimized and verified */
    EXIT_NOT_REPRODUCED = 1, /* the original does not show the failure */
    EXIT_USAGE = 2,          /* arguments, config, unreadable input */
    EXIT_ENVIRONMENT = 3,    /* worker, interpreter, disk */
    EXIT_UNVERIFIED = 4,     /* the final check failed */
    EXIT_INTERRUPTED = 130,  /* SIGINT; best so far written */
    EXIT_TERMINATED = 143    /* SIGTERM; best so far written */
};

enum session_phase {
    SESSION_STARTING,
    SESSION_CALIBRATING,
    SESSION_SEARCHING,
    SESSION_VERIFYING,
    SESSION_CLOSING
};

/* Where it stands: for progress and the end. Strings are borrowed until the
 * session ends. */
struct session_view {
    enum session_phase phase;
    bool searched;      /* there is a best file */
    const char *status; /* "verified", "unverified", ... ; NULL: under way */
    const char *script, *output;
    const char *good_output; /* the good form of the best, or NULL */
    size_t original_bytes, original_lines;
    size_t bytes, lines; /* of the best so far */
    uint64_t runs;       /* candidates really executed */
    uint64_t pumped;     /* trials of a text that had been grown */
    uint64_t cached;     /* answered by memory or store */
    uint64_t rejected_early, no_verdict, accepted;
    struct run_kinds kinds;  /* of the runs, and of control runs */
    struct lanes_counts hot; /* what hot children said, and clean ones to it */
    unsigned out;            /* runs under way */
    uint64_t elapsed_ms;
    unsigned verify_runs, verify_matched;
    const struct control *controls; /* what must pass, and how often it did */
    unsigned ncontrols;
    const unsigned *control_runs, *control_passed; /* one a control; borrowed
                                                    * until the loop runs on */
    const struct verify_without *without;          /* borrowed likewise */
    unsigned nwithout;
    bool minimal;
    const char *stopped_by; /* "max-runs", "max-time", "interrupt"; NULL */
};

enum say_kind { SAY_INFO, SAY_NOTE, SAY_WARNING, SAY_ERROR };

struct session_events {
    /* A sentence for the user; may hold several lines. */
    void (*say)(void *arg, enum say_kind kind, const char *text);
    void (*phase)(void *arg, enum session_phase phase);
    /* A step is durable and in the best file; `kind` of its edit. */
    void (*accepted)(void *arg, const char *kind);
    void (*done)(void *arg, enum exit_code code);
};

/* `self`: how to start this program again (argv[0] of a worker). config and
 * self are borrowed for the session's life. NULL, with *code set and the reason
 * said, when the input, the output or the state file cannot be worked with:
 * then no process was started and done does not follow. */
struct session *session_start(struct uv_loop_s *loop,
                              const struct config *config, const char *self,
                              const struct session_events *events, void *arg,
                              enum exit_code *code);

struct session_view session_view(const struct session *session);

/* The best text so far; borrowed until the loop runs on. */
struct bytes session_text(const struct session *session);

/* Time passes: call a few times a second. Looks at --max-time. */
void session_tick(struct session *session);

/* First call: end the search, verify the best so far. Second: stop at once.
 * `code` is what done will be told. */
void session_interrupt(struct session *session, enum exit_code code);

#endif
