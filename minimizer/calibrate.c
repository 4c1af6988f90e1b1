/* The original runs in stages, each a number of fresh and forked runs that may
 * go on at the same time:
 *
 *   FIRST   2 fresh, 2 forked, and 4 more of these when they are quick
 *                                          all show it  -> done
 *   RATE    12 more, when some show it and some do not, or none and they are
 *           quick
 *   CWD     2 fresh, 2 forked where the user stands, when none showed it
 *
 * The signature is pinned on the first fresh run that fails as asked and all
 * other runs are judged by it.
 *
 * The first forked run has the fork server load ahead what it loads, and the
 * second waits for it to end. If the failure shows in that one and all fresh
 * ones and in none of two that come after, that is undone and these do not
 * count.
 *
 * The second fresh run is there to catch what forks of one process have in
 * common, and it takes as long as all the others. So once the first one and all
 * forked ones have shown the failure enough is known to go on, and it is waited
 * for elsewhere. */
#include "minimizer/calibrate.h"

#include <stdlib.h>
#include <string.h>

#include "config/base.h"
#include "config/buf.h"
#include "config/mem.h"
#include "minimizer/patience.h"

#define MESSAGE_MAX (1u << 20)
#define FAR_LONGER 3 /* times */
#define QUICK_MS 500 /* forked runs below this are worth four more */
#define RATE_RUNS 12
#define MORE_RUNS 4
#define FEW_SLOTS 2         /* that a fresh run would take half of, and more */
#define LOST_FORKS_MAX 4    /* forked runs that may be lost with their server */
#define HANG_LIMIT_MS 10000 /* candidates of a hang, when no limit is given */

enum stage { STAGE_FIRST, STAGE_RATE, STAGE_CWD, STAGE_DONE };

struct observed {
    struct calibration_run run;
    struct observation observation;
    bool matched;
};

struct calibration {
    const struct config *config;
    struct bytes script;
    bool can_fork, other_cwd;
    bool lasting; /* a run of a hang was given longer */
    enum stage stage;
    unsigned fresh_left, forked_left, out, issued;
    unsigned forked_out;  /* of those out */
    bool repeated;        /* the quick forked runs */
    enum run_learn learn; /* of the next forked run */
    bool undone;
    bool known;   /* enough to go on */
    bool settled; /* no more runs are given */
    unsigned lost_forks;
    struct observed **runs;
    size_t n, room;
    size_t stage_start; /* runs of earlier folders do not count any more */
    struct calibration_result result;
};

static void plan(struct calibration *c, enum stage stage, unsigned fresh,
                 unsigned forked)
{
    c->stage = stage;
    c->fresh_left = fresh;
    c->forked_left = c->can_fork ? forked : 0;
}

struct calibration *calibration_new(const struct config *config,
                                    struct bytes script, bool can_fork,
                                    bool other_cwd)
{
    struct calibration *c = xcalloc(1, sizeof(*c));

    c->config = config;
    c->script = script;
    c->can_fork = can_fork;
    c->other_cwd = other_cwd;
    plan(c, STAGE_FIRST, 2, 1); /* the other fork follows the first */
    c->learn = can_fork ? LEARN_LAZY : LEARN_NOTHING;
    return c;
}

void calibration_free(struct calibration *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->n; i++) {
        observation_deinit(&c->runs[i]->observation);
        free(c->runs[i]);
    }
    signature_free(c->result.signature);
    free(c->result.lost);
    free(c->runs);
    free(c);
}

static uint64_t to_ms(double seconds)
{
    return (uint64_t)(seconds * 1000);
}

uint64_t calibration_first_limit(const struct config *config)
{
    return to_ms(config->timeout_s > 0 ? config->timeout_s
                                       : config->timeout_cap_s);
}

uint64_t calibration_limit(const struct config *config, uint64_t slowest)
{
    if (config->timeout_s > 0)
        return to_ms(config->timeout_s);
    return patience_for(slowest, to_ms(config->timeout_cap_s));
}

/* The user says that it hangs, and how long to wait for that. */
static bool is_to_hang(const struct config *config)
{
    return config->expect == EXPECT_TIMEOUT && config->timeout_s > 0;
}

/* With few slots the last fresh run comes last. */
static bool fresh_is_next(const struct calibration *c)
{
    if (c->forked_left == 0)
        return true;
    return c->fresh_left > (c->config->jobs > FEW_SLOTS ? 0 : 1);
}

bool calibration_next(struct calibration *c, struct calibration_run *run)
{
    if (c->settled || c->fresh_left + c->forked_left == 0)
        return false;
    run->how = fresh_is_next(c) ? RUN_FRESH : RUN_FORK;
    run->learn = LEARN_NOTHING;
    if (run->how == RUN_FORK) {
        run->learn = c->learn;
        c->learn = LEARN_NOTHING;
    }
    run->user_cwd = c->stage == STAGE_CWD || c->result.in_user_cwd;
    run->timeout_ms = calibration_first_limit(c->config);
    if (run->how == RUN_FRESH && !c->lasting && is_to_hang(c->config)) {
        c->lasting = true;
        run->timeout_ms *= HANG_FACTOR;
    }
    if (run->how == RUN_FRESH)
        c->fresh_left--;
    else
        c->forked_left--;
    c->forked_out += run->how == RUN_FORK;
    run->number = c->issued++;
    c->out++;
    return true;
}

/* ---- what the runs of this folder say ---- */

static void pin_on(struct calibration *c, enum run_how how)
{
    struct calibration_result *r = &c->result;

    for (size_t i = c->stage_start; i < c->n && !r->signature; i++) {
        struct observed *o = c->runs[i];

        if (o->run.how != how)
            continue;
        r->signature =
            signature_pin(c->config, c->script, &o->observation, &r->err);
        r->shown = &o->observation;
    }
}

static void pin(struct calibration *c)
{
    struct calibration_result *r = &c->result;

    /* Fresh runs first: they are how the user meets the failure. */
    pin_on(c, RUN_FRESH);
    pin_on(c, RUN_FORK);
    for (size_t i = c->stage_start; i < c->n && !r->last; i++) {
        if (c->runs[i]->run.how == RUN_FRESH)
            r->last = &c->runs[i]->observation;
    }
    if (!r->signature)
        r->shown = NULL;
}

static void count(struct calibration *c)
{
    struct calibration_result *r = &c->result;

    r->fresh = r->fresh_matched = r->forked = r->forked_matched = 0;
    for (size_t i = c->stage_start; i < c->n; i++) {
        struct observed *o = c->runs[i];

        o->matched =
            r->signature &&
            signature_judge(r->signature, &o->observation, NULL) == VERDICT_YES;
        if (o->run.how == RUN_FRESH) {
            r->fresh++;
            r->fresh_matched += o->matched;
        } else {
            r->forked++;
            r->forked_matched += o->matched;
        }
    }
}

static uint64_t slowest(const struct calibration *c, enum run_how how)
{
    uint64_t ms = 0;

    for (size_t i = c->stage_start; i < c->n; i++) {
        if (c->runs[i]->run.how == how && c->runs[i]->observation.wall_ms > ms)
            ms = c->runs[i]->observation.wall_ms;
    }
    return ms;
}

/* The same without the first run, if that took far longer than all others: what
 * is read from disk once for all. But not if it compiled something, which a
 * candidate that is changed there will do too. */
static uint64_t usual(const struct calibration *c, enum run_how how)
{
    const struct observed *first = NULL;
    uint64_t ms = 0;

    for (size_t i = c->stage_start; i < c->n; i++) {
        const struct observed *o = c->runs[i];

        if (o->run.how == how && (!first || o->run.number < first->run.number))
            first = o;
    }
    for (size_t i = c->stage_start; i < c->n; i++) {
        const struct observed *o = c->runs[i];

        if (o->run.how == how && o != first && o->observation.wall_ms > ms)
            ms = o->observation.wall_ms;
    }
    if (ms == 0 || first->observation.compiled ||
        first->observation.wall_ms <= FAR_LONGER * ms)
        return slowest(c, how);
    return ms;
}

static uint64_t automatic_limit(const struct calibration *c,
                                uint64_t slowest_ms)
{
    uint64_t cap = to_ms(c->config->timeout_cap_s);

    if (c->result.hangs && c->config->timeout_s <= 0)
        return cap < HANG_LIMIT_MS ? cap : HANG_LIMIT_MS;
    return calibration_limit(c->config, slowest_ms);
}

/* Whether the failure shows in some forked runs and not in others of the same
 * kind: of those that had modules loaded ahead for them, or that had not. */
static bool is_chance(const struct calibration *c)
{
    bool seen[2][2] = { { false } };

    for (size_t i = c->stage_start; i < c->n; i++) {
        if (c->runs[i]->run.how == RUN_FORK)
            seen[c->runs[i]->observation.learned > 0][c->runs[i]->matched] =
                true;
    }
    return (seen[0][0] && seen[0][1]) || (seen[1][0] && seen[1][1]);
}

static void decide_fork(struct calibration *c)
{
    struct calibration_result *r = &c->result;

    r->fork = c->can_fork && r->forked > 0;
    if (!r->fork)
        return;
    /* A fork server that never shows what fresh runs show is of no use; a
     * failure that comes and goes is compared by its rate alone when both
     * sides showed it, or forks differ among themselves and show it mostly. */
    if (r->forked_matched == 0 ||
        (r->fresh_matched == r->fresh && r->forked_matched < r->forked &&
         !(is_chance(c) && 2 * r->forked_matched > r->forked))) {
        r->fork = false;
        err_set(&r->note, 0,
                "forked runs show the failure in %u of %u, fresh ones in %u "
                "of %u: fresh runs are used",
                r->forked_matched, r->forked, r->fresh_matched, r->fresh);
    }
}

static void add_shown(struct calibration_result *r, uint32_t shown)
{
    for (unsigned i = 0; i < r->nshown_ahead; i++) {
        if (r->shown_ahead[i] == shown)
            return;
    }
    if (r->nshown_ahead < SHOWN_MAX)
        r->shown_ahead[r->nshown_ahead++] = shown;
}

/* What follows from the runs so far. */
static void infer(struct calibration *c)
{
    struct calibration_result *r = &c->result;

    decide_fork(c);
    for (size_t i = c->stage_start; i < c->n; i++) {
        const struct observation *o = &c->runs[i]->observation;

        r->hangs = r->hangs || (o->end == END_TIMEOUT && c->runs[i]->matched);
        if (c->runs[i]->matched && o->learned > 0)
            add_shown(r, o->shown);
    }
    r->fresh_timeout_ms = automatic_limit(c, usual(c, RUN_FRESH));
    r->fresh_long_ms = automatic_limit(c, slowest(c, RUN_FRESH));
    r->fresh_ms = slowest(c, RUN_FRESH);
    if (r->fresh_ms > r->fresh_timeout_ms) /* a hang */
        r->fresh_ms = r->fresh_timeout_ms;
    r->fork_timeout_ms = automatic_limit(c, usual(c, RUN_FORK));
    r->fork_long_ms = automatic_limit(c, slowest(c, RUN_FORK));
    c->known = true;
}

static void conclude(struct calibration *c)
{
    struct calibration_result *r = &c->result;

    c->stage = STAGE_DONE;
    c->fresh_left = c->forked_left = 0;
    if (r->signature && r->fresh_matched == 0 &&
        2 * r->forked_matched > r->forked) {
        signature_free(r->signature);
        r->signature = NULL;
        r->shown = NULL;
        err_set(&r->err, 0,
                "it shows in %u of %u forked runs but in none of %u fresh "
                "ones: use --backend subproc",
                r->forked_matched, r->forked, r->fresh);
    }
    infer(c);
}

/* Whether the failure shows in all runs but in none for which modules were
 * loaded ahead, two at least. Then these are forgotten, and there will be
 * others. Where some of them show it, or others do not, it is chance. True:
 * more runs are to come. */
static bool undo(struct calibration *c)
{
    unsigned missed = 0;
    bool plain = false;
    size_t kept = 0;

    if (c->undone || c->stage == STAGE_RATE)
        return false;

    for (size_t i = c->stage_start; i < c->n; i++) {
        const struct observed *o = c->runs[i];

        if (&o->observation == c->result.shown && o->observation.learned > 0)
            return false;
        if (o->matched == (o->observation.learned > 0))
            return false;
        plain = plain || (o->run.how == RUN_FORK && o->matched);
        missed += !o->matched;
    }
    if (!plain || missed == 0)
        return false;
    if (missed == 1) { /* which may be chance */
        c->forked_left = 1;
        return true;
    }
    for (size_t i = 0; i < c->n; i++) {
        struct observed *o = c->runs[i];

        if (o->observation.learned == 0) {
            c->runs[kept++] = o;
        } else {
            observation_deinit(&o->observation);
            free(o);
        }
    }
    c->n = kept;
    c->undone = true;
    c->learn = LEARN_UNDO;
    c->forked_left = 2;
    count(c);
    return true;
}

/* Forked runs so quick that a few more cost nothing. */
static bool quick(const struct calibration *c)
{
    uint64_t sum = 0;
    unsigned n = 0;

    for (size_t i = c->stage_start; i < c->n; i++) {
        if (c->runs[i]->run.how == RUN_FORK) {
            sum += c->runs[i]->observation.wall_ms;
            n++;
        }
    }
    return n > 0 && sum / n < QUICK_MS;
}

/* Some runs of the first stage are over, not all. */
static void look(struct calibration *c)
{
    struct calibration_result *r = &c->result;

    if (c->stage != STAGE_FIRST || c->known || r->lost || c->forked_left > 0 ||
        c->forked_out > 0)
        return;
    pin_on(c, RUN_FRESH);
    if (!r->signature) {
        r->shown = NULL;
        return;
    }
    count(c);
    if (undo(c) || r->forked == 0 || r->fresh_matched < r->fresh ||
        r->forked_matched < r->forked)
        return;
    if (!c->repeated && quick(c)) {
        c->repeated = true;
        c->forked_left = MORE_RUNS;
    } else {
        infer(c);
    }
}

static void stage_over(struct calibration *c)
{
    struct calibration_result *r = &c->result;

    pin(c);
    count(c);
    if (r->signature && r->fresh_matched > 0 && undo(c))
        return;
    if (!r->signature) {
        if (c->stage == STAGE_FIRST && c->other_cwd && !c->config->cwd) {
            c->stage_start = c->n;
            r->last = NULL;
            plan(c, STAGE_CWD, 2, 2);
        } else if (c->stage != STAGE_RATE && quick(c)) {
            c->stage_start = 0;
            plan(c, STAGE_RATE, 0, RATE_RUNS); /* it may come only sometimes */
        } else {
            conclude(c);
        }
        return;
    }
    if (c->stage == STAGE_CWD)
        r->in_user_cwd = true;

    bool fresh_all = r->fresh_matched == r->fresh;
    bool forked_all = r->forked_matched == r->forked;

    if (c->stage == STAGE_RATE) {
        conclude(c);
    } else if (!fresh_all || is_chance(c)) {
        plan(c, STAGE_RATE, c->can_fork ? 2 : RATE_RUNS, RATE_RUNS);
    } else if (forked_all && !c->repeated && quick(c)) {
        c->repeated = true;
        c->forked_left = c->can_fork ? MORE_RUNS : 0;
    } else {
        conclude(c);
    }
    if (c->stage != STAGE_DONE && c->fresh_left + c->forked_left == 0)
        conclude(c);
}

/* A run that was given longer than others has hung if it outlasted their limit,
 * though it may have ended before its own. */
static void take_lasting(struct calibration *c, struct observed *o)
{
    struct observation *observation = &o->observation;
    uint64_t limit = calibration_first_limit(c->config);

    if (o->run.timeout_ms <= limit || observation->wall_ms <= limit ||
        (observation->end != END_EXIT && observation->end != END_SIGNAL))
        return;
    c->result.ends_after_ms = observation->wall_ms;
    observation->wall_ms = limit;
    observation->end = END_TIMEOUT;
}

void calibration_report(struct calibration *c,
                        const struct calibration_run *run,
                        const struct observation *observation)
{
    struct calibration_result *r = &c->result;

    c->out--;
    c->forked_out -= run->how == RUN_FORK;
    if (observation->end == END_LOST && run->how == RUN_FORK && !r->lost &&
        !c->settled && c->lost_forks++ < LOST_FORKS_MAX) {
        /* Its fork server has gone; another, or none, comes. */
        c->forked_left += run->learn == LEARN_LAZY ? 2 : 1;
        return;
    }
    if (observation->end == END_LOST) {
        if (!r->lost)
            r->lost = xstrdup(observation->why ? observation->why : "lost");
        c->fresh_left = c->forked_left = 0;
        if (c->out == 0)
            c->stage = STAGE_DONE;
        return;
    }
    struct observed *o = xcalloc(1, sizeof(*o));

    o->run = *run;
    if (!observation->forked && run->how == RUN_FORK)
        o->run.how = RUN_FRESH; /* there is no fork server any more */
    observation_copy(&o->observation, observation);
    take_lasting(c, o);
    xgrow(&c->runs, &c->room, c->n + 1, sizeof(*c->runs));
    c->runs[c->n++] = o;
    if (run->learn == LEARN_LAZY)
        c->forked_left++;
    if (c->settled)
        count(c);
    else if (c->out > 0 || c->fresh_left + c->forked_left > 0)
        look(c);
    else if (r->lost)
        c->stage = STAGE_DONE;
    else
        stage_over(c);
}

bool calibration_known(const struct calibration *c)
{
    return c->known;
}

bool calibration_finished(const struct calibration *c)
{
    return (c->stage == STAGE_DONE || c->settled) && c->out == 0;
}

void calibration_settle(struct calibration *c)
{
    c->settled = true;
}

void calibration_forget(struct calibration *c,
                        const struct calibration_run *run)
{
    c->out--;
    c->forked_out -= run->how == RUN_FORK;
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_message(const struct observation *a,
                         const struct observation *b)
{
    struct buf one, other;
    bool same;

    buf_init(&one, MESSAGE_MAX);
    buf_init(&other, MESSAGE_MAX);
    signature_mask(a->exc_message ? a->exc_message : "", &one);
    signature_mask(b->exc_message ? b->exc_message : "", &other);
    same = strcmp(buf_str(&one), buf_str(&other)) == 0;
    buf_deinit(&one);
    buf_deinit(&other);
    return same;
}

bool calibration_steady(const struct calibration *c)
{
    for (size_t i = c->stage_start + 1; i < c->n; i++) {
        const struct observation *a = &c->runs[c->stage_start]->observation;
        const struct observation *b = &c->runs[i]->observation;

        if (a->end != b->end || a->exit_code != b->exit_code ||
            a->signal != b->signal || a->exc_line != b->exc_line ||
            !same_text(a->exc_type, b->exc_type) ||
            !same_text(a->exc_frames, b->exc_frames) || !same_message(a, b))
            return false;
    }
    return true;
}

struct calibration_result *calibration_result(struct calibration *c)
{
    return &c->result;
}
