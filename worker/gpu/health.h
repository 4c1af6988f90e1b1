/* health.h - what is thought of one GPU: a pure state machine. Time is passed
 * in, in milliseconds of any clock that goes forward.
 *
 *   HEALTHY --suspect Xid, slow kill--> SUSPECT --clean canary--> HEALTHY
 *      |      third Xid in an hour |       | failed
 *      +--bad Xid, driver's word--> QUARANTINED --backoff, 3 clean--> HEALTHY
 *
 * WEDGED (holds a process that cannot be killed) and LOST (fallen off the bus)
 * are for good. Never is a GPU reset.
 *
 * Without a canary there is nothing to ask: a suspicion is only counted, and a
 * quarantine ends with its backoff. */
#ifndef AUTODD_GPU_HEALTH_H
#define AUTODD_GPU_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"

enum gpu_state {
    GPU_HEALTHY,
    GPU_SUSPECT,
    GPU_QUARANTINED,
    GPU_WEDGED,
    GPU_LOST
};

enum xid_class {
    XID_APP,       /* the doing of the program that ran */
    XID_SUSPECT,   /* perhaps the GPU's */
    XID_QUARANTINE /* the GPU's */
};

#define HEALTH_STRIKES 3           /* suspicions within */
#define HEALTH_STRIKES_MS 3600000u /* this time: quarantine */
#define HEALTH_CLEAN 3             /* canaries that end a quarantine */
#define HEALTH_NEVER UINT64_MAX

struct health {
    enum gpu_state state;
    bool canary;     /* there is one to ask */
    bool checking;   /* it is running */
    uint64_t due_ms; /* when to run it, or when the quarantine ends */
    unsigned clean;  /* canaries in a row, in quarantine */
    unsigned quarantines;
    uint64_t strikes[HEALTH_STRIKES]; /* when, newest first */
    unsigned nstrikes;
    char why[160]; /* it is not healthy */
};

void health_init(struct health *h, bool canary);

/* What has happened. True: what ran on it at that time has no say. */
bool health_xid(struct health *h, enum xid_class class, uint64_t code,
                uint64_t now);
bool health_bad(struct health *h, const char *why, bool lost, uint64_t now);
bool health_wedge(struct health *h, const char *why);

/* A doubt that concerns no run but those to come, and that a busy machine may
 * raise as well: the canary is asked, and without one it says nothing. However
 * often: no suspicion is counted. */
void health_doubt(struct health *h, const char *why, uint64_t now);

/* The canary: ask for one now; whether one is to be started now (it then counts
 * as running); how it ended. */
void health_ask(struct health *h, uint64_t now);
bool health_check(struct health *h, uint64_t now);
bool health_checked(struct health *h, bool clean, const char *why,
                    uint64_t now);

/* Whether runs may be started on it. */
bool health_usable(const struct health *h);

/* Whether nobody has asked for a canary that has not answered yet. */
bool health_answered(const struct health *h);

/* Ends a quarantine whose time is over, where there is no canary. */
void health_tick(struct health *h, uint64_t now);

/* When health_check() or health_tick() may have something to do. */
uint64_t health_due(const struct health *h);

const char *health_name(enum gpu_state state);

/* The class of an Xid: from "CODE=CLASS" in `overrides`, else from the table.
 * A code that nobody knows is bad news. */
enum xid_class xid_class(uint64_t code, const struct strings *overrides);

#endif
