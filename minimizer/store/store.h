/* store.h - what must outlive the process: one SQLite file (WAL).
 *
 * A store lives from store_open() to store_close(). All calls block; the loop
 * reaches it through store/writer.h. One job (key) is written by one process
 * at a time: store_job() refuses a second with -EBUSY (a lock file beside the
 * state file that the kernel releases with the process).
 *
 * Resume is replay: the log of a job holds every report to the search in
 * order, with how many trials had been given out before it. The search is a
 * function of that, so feeding it the log brings it to where it stood. */
#ifndef AUTODD_STORE_H
#define AUTODD_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base.h"
#include "config/err.h"
#include "config/hash.h"

#define STORE_SCHEMA 1

struct store;

/* $XDG_STATE_HOME/autodd-c/state.db, by default below ~/.local/state; caller
 * frees. NULL when there is no home folder to be found. */
char *store_default_path(void);

/* Open or make the file at `path` (its folder is made). -EINVAL when the file
 * is corrupt or no state file, -EPROTO when a newer version wrote it: the
 * sentence names the file and says that --force moves it aside; with
 * `take_over` it is moved to PATH.old-N and a fresh one begun. -ENOSPC, -EACCES
 * and such else. */
int store_open(struct store **store, const char *path, bool take_over,
               struct err *err);
void store_close(struct store *store);

/* Find or make the job with this key. *id is its number; *fresh whether it is
 * new. `script` is the text minimized, kept for the record. -EBUSY when another
 * live process works on it. */
int store_job(struct store *store, struct hash128 key, const char *path,
              struct bytes script, int64_t *id, bool *fresh, struct err *err);

/* Forget all rows of a job (--no-cache, or a finished job run anew). */
int store_reset(struct store *store, int64_t job, struct err *err);

/* What the first runs have said of a job's script: the traced one (NULL:
 * nothing), and all in numbers (search_opts.figures; 0: nothing). */
struct store_trace {
    char *ran, *observed;
    uint32_t figures;
};

/* Keep a trace, if none is kept (store_reset() forgets it); *trace becomes what
 * is kept. The strings are the caller's before and after, also on errors: the
 * search is a function of them, and another run might say otherwise. */
int store_trace(struct store *store, int64_t job, struct store_trace *trace,
                struct err *err);

/* One report to the search, or what one is expected to be. `issued`: trials
 * given out before it. Trial 0 is none, but something else that the search was
 * told: a no, that the noes before are doubted, and candidates are tried
 * hash.low times from then on; a yes, that its width is hash.low from then on.
 */
struct store_report {
    uint64_t issued, trial;
    int verdict;   /* enum verdict */
    bool early;    /* did not compile: never run */
    bool expected; /* the trial was out still */
    struct hash128 hash;
    const char *observed; /* by a traced run of the base; NULL: it was none */
    uint32_t figures;     /* that its run showed: search_shows() */
};

/* An accepted step, in order. */
struct store_step {
    uint64_t run;   /* executed runs so far */
    uint64_t at_ms; /* since the job began, resumed times added up */
    const char *kind;
    struct bytes text;   /* the new base */
    bool has_good;       /* it has a good form (--good); false when read */
    struct hash128 good; /* the fingerprint of that */
};

/* Where a job's log and chain end from now on: what is behind is forgotten. */
struct store_cut {
    uint64_t reports, steps; /* so many stay; the original is a step */
};

/* A batch of rows, written in one transaction. Arrays borrowed. Durable when
 * it returns 0. */
struct store_batch {
    const struct store_report *reports;
    size_t nreports;
    const struct store_step *steps;
    size_t nsteps;
    const char *signature; /* NULL: unchanged; set when pinned */
    const char *status;    /* NULL: unchanged; "running", "verified", ... */
    uint64_t runs;         /* executed so far, 0: unchanged */
    const struct store_cut *cut; /* made before the rows; NULL: none */
};
int store_write(struct store *store, int64_t job,
                const struct store_batch *batch, struct err *err);

/* Call back with each logged report, in order; stop early when it returns
 * false. */
int store_replay(struct store *store, int64_t job,
                 bool (*each)(void *arg, const struct store_report *report),
                 void *arg, struct err *err);

/* Whether a text with this fingerprint is a job's script, an accepted step or
 * the good form of one: a file with it holds nothing of the user's own. False
 * on errors too. */
bool store_knows(struct store *store, struct hash128 text);

/* What is known of a job. Strings are the caller's. */
struct store_status {
    char *status;    /* NULL: never set */
    char *signature; /* NULL: not pinned yet */
    uint64_t runs;
    uint64_t steps;
    uint64_t elapsed_ms; /* at_ms of the last step */
};
int store_status(struct store *store, int64_t job, struct store_status *status,
                 struct err *err);

/* Accepted steps in order, text included; each is valid during the call. */
int store_steps(struct store *store, int64_t job,
                bool (*each)(void *arg, const struct store_step *step),
                void *arg, struct err *err);

#endif
