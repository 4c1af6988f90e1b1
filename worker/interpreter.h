/* interpreter.h - the interpreter of a job: found by name or path, then asked
 * for its version, and on request on what machine and with which packages it
 * works. */
#ifndef AUTODD_INTERPRETER_H
#define AUTODD_INTERPRETER_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "config/err.h"

struct uv_loop_s;
struct probe;

/* The absolute path of interpreter `name`: looked for in `path` (as PATH is
 * written) if it has no slash. Symbolic links are not followed: a virtual
 * environment is known by them. *found is the caller's. -ENOENT with a sentence
 * naming the interpreter and the remedy. Blocks. */
int interpreter_find(const char *name, const char *path, char **found,
                     struct err *err);

/* Borrowed; `python` until done, the rest until probe_start() returns. */
struct probe_spec {
    const char *self;   /* path of this program, for its limits launcher */
    const char *python; /* as found */
    const char *folder; /* its cwd */
    const struct strings *env;
    uint64_t grace_ms;             /* TERM to KILL, exit to EOF */
    uint64_t timeout_ms;           /* until it must have ended; 0: a minute */
    bool about;                    /* more than the version is wanted */
    const struct strings *modules; /* about: those whose packages are told */
};

/* What an interpreter says of itself. All NULL and none but the version where
 * it was not asked, or cannot tell. */
struct interpreter {
    char *version;           /* "3.11.7" */
    char *platform, *gpu;    /* for people */
    struct strings packages; /* "torch 2.11.0" */
};

/* A zeroed one is fine. */
void interpreter_deinit(struct interpreter *interpreter);

/* What it said, the callback's from now on; or NULL, and `error` (borrowed)
 * says what happened and the remedy. */
typedef void (*probe_done_cb)(void *arg, const struct interpreter *taken,
                              const char *error);

/* Start the interpreter and have it say its version. A probe lives until its
 * done callback returns. done is called exactly once, from the loop and never
 * from inside probe_start(), after the interpreter has ended. One that must be
 * ended after it said its version works; what else it said so far is told. */
struct probe *probe_start(struct uv_loop_s *loop, const struct probe_spec *spec,
                          probe_done_cb done, void *arg);

/* End it at once; done follows. */
void probe_kill(struct probe *probe);

#endif
