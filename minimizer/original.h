/* original.h - what is to be known of the original before the search: gives
 * the runs of the calibration to the fleet, pins the signature, says what was
 * found, and has one more run traced.
 *
 * Lives from original_new() to original_free(), which must wait until the fleet
 * is closed. Events come from the loop; none after original_stop(). */
#ifndef AUTODD_ORIGINAL_H
#define AUTODD_ORIGINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base.h"
#include "config/config.h"
#include "grammar/guard.h"
#include "minimizer/control.h"
#include "minimizer/fleet/fleet.h"
#include "minimizer/input.h"
#include "minimizer/session.h"
#include "minimizer/signature.h"

struct original;
struct screen;

/* All borrowed for the original's life. */
struct original_spec {
    struct fleet *fleet;
    struct fleet *other; /* of --pass-with, or NULL */
    const struct config *config;
    const struct input *input;
    const char *python;
    char *user_cwd; /* the folder the user called from; NULL: unknown */
    bool can_fork;  /* the worker has a fork server */
    bool other_can_fork;
    bool try_blocking; /* AID_BLOCKING may be given to the fleet */
    bool other_try_blocking;
};

/* Owned by the original. */
struct original_facts {
    const struct signature *signature;
    unsigned runs, matched;      /* of the calibration */
    double rate;                 /* matched of runs, above 0 */
    bool fork;                   /* runs may be forked */
    const struct screen *screen; /* forked runs are plain ones, before those
                                  * under the sanitizer; NULL: as any other */
    unsigned aids;               /* of the fleet: set of enum run_aid */
    uint64_t fresh_ms;           /* its slowest fresh run */
    uint64_t fork_timeout_ms, fresh_timeout_ms; /* for candidates */
    uint64_t fork_long_ms, fresh_long_ms;       /* see patience.h */
    bool hangs;                                 /* the failure is a timeout */
    bool outlasts; /* and the original was not seen to end after it */
    char *cwd;     /* of the runs; NULL: their own folder */
    const struct control *controls; /* what must pass */
    unsigned ncontrols;
    const struct guard *guard;     /* what every candidate must keep */
    enum config_children children; /* which may run candidates; not AUTO */
    bool warm;                     /* clean runs may be by warm children */
    const char *loads;           /* as in struct observation; NULL: not known */
    const uint32_t *shown_ahead; /* of the calibration's result */
    unsigned nshown_ahead;
    /* What the test compares, see search_opts; 0: nothing that is known. */
    uint32_t figures;
    unsigned bounds;      /* what its kernels never do, and those of candidates
                           * must not: set of enum run_reach; 0: not known */
    const char *ran;      /* of the traced run, as in struct observation */
    const char *observed; /* its `values`; NULL, both: not known */
};

struct original_events {
    /* A sentence for the user on what was found. */
    void (*say)(void *arg, enum say_kind kind, const char *text);
    /* One of these: the runs could not be carried out; the failure is
     * not shown, or not one to minimize (the text says why); all is known. */
    void (*lost)(void *arg, const char *text);
    void (*refused)(void *arg, enum exit_code code, const char *text);
    void (*known)(void *arg);
    /* After `known`: a run of the original is over that was still out then, and
     * runs, matched, rate, outlasts and what is about fresh runs of the facts
     * may have changed. */
    void (*late)(void *arg);
};

/* Starts the first runs. */
struct original *original_new(const struct original_spec *spec,
                              const struct original_events *events, void *arg);
void original_free(struct original *original);

/* The search is over, and with it what is measured beside it: no more runs are
 * started. Those that are out are dropped if the failure has turned out to come
 * and go, which is what they would say, or if `at_once`. */
void original_settle(struct original *original, bool at_once);

/* Start nothing more and tell nothing more. Idempotent. */
void original_stop(struct original *original);

/* NULL before the signature is pinned; without a trace before `known`. */
const struct original_facts *original_facts(const struct original *original);

#endif
