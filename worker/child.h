/* child.h - run one command once, with a deadline, and report how it ended.
 *
 * The command is either spawned or a fork of the fork server; after its start
 * the two are the same. A child lives from child_start() until its done
 * callback returns. done is called exactly once, from the loop and never from
 * inside child_start(), after every handle of the child is closed; the child is
 * freed as soon as done returns. stdin is /dev/null; stdout and stderr are two
 * pipes that are read all the time, whatever comes. */
#ifndef AUTODD_CHILD_H
#define AUTODD_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "worker/scan.h"
#include "worker/zygote.h"

struct uv_loop_s; /* callers need not see uv.h */
struct child;
struct zygote;
struct strings;

/* What to run. Everything pointed to is borrowed until child_start() returns,
 * but the zygote, which must outlive its forks. */
struct child_spec {
    const char *const *argv; /* NULL-terminated; spawned */
    struct zygote *zygote;   /* or, with argv NULL, the server to fork */
    uint64_t id;             /* of the fork */
    const char *path;        /* of the script in the fork */
    const char *trace;       /* NULL, or the file to trace the fork to */
    const char *values;      /* the same for its values */
    bool loads;              /* tell what the imports of the fork load */
    const char *compared;    /* see struct run_request */
    unsigned bounds;         /* likewise */
    bool learn;              /* load ahead what it loads by itself */
    int warm;                /* as in struct fork_request, these two */
    const struct fork_lane *hot;
    const struct strings *env; /* whole (spawned), or over the zygote's */
    const char *cwd;
    uint64_t timeout_ms; /* from start to SIGTERM */
    uint64_t grace_ms;   /* from SIGTERM to SIGKILL, and from exit to EOF */
};

struct child_result {
    char *error;  /* NULL, or why it could not be run, or was lost */
    char *syntax; /* NULL, or why it does not compile: not run */
    char *syntax_type;
    char *loads; /* NULL, or what the fork's imports load */
    int exit_code;
    int signal;
    bool timed_out;
    bool canceled;    /* child_cancel() or child_kill() came first */
    bool output_held; /* something that got away held it open; given up */
    uint64_t wall_ms;
    uint64_t kill_ms;     /* from SIGKILL to its end; 0: was not killed so */
    uint64_t cpu_ms;      /* 0: not known */
    uint64_t peak_rss;    /* bytes; 0: not known */
    struct fork_end fork; /* zero if it was spawned */
};

/* All from the loop; `started` may come from inside child_start(). `started`,
 * `exited`, `overdue` and `stuck` may be NULL. */
struct child_events {
    /* It runs, as leader of a session and group of its own. */
    void (*started)(void *arg, pid_t pid, ino_t out, ino_t err);
    void (*output)(void *arg, enum scan_stream stream, const char *data,
                   size_t len);
    /* Its time is over; no signal was sent yet. */
    void (*overdue)(void *arg);
    /* It does not die of SIGKILL; `why` says so, borrowed. done may never
     * come. */
    void (*stuck)(void *arg, const char *why);
    /* It has ended and its group was killed; output may follow. `kept`: it is a
     * hot child, and lives. */
    void (*exited)(void *arg, bool kept);
    /* The result is borrowed until done returns. */
    void (*done)(void *arg, const struct child_result *result);
};

/* Start a child. Never fails: a command that can't be run is reported to done
 * with result->error set. */
struct child *child_start(struct uv_loop_s *loop, const struct child_spec *spec,
                          const struct child_events *events, void *arg);

/* Ask a child to end early: SIGTERM, grace, SIGKILL. done still follows.
 * Idempotent; without effect on a child that is already ending. */
void child_cancel(struct child *child);

/* The same with SIGKILL at once, also for a child that is being stopped. */
void child_kill(struct child *child);

#endif
