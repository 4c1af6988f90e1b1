/* With hot children the first ask, that it fails, begins in one of them. What
 * it says there is believed if lanes.h says so; else, and for a yes, a clean
 * run is asked (trials_run.c):
 *
 *   (control run in the lane) -> hot run -> no: held -> control run: report no
 *                                            `--- void --- clean run
 *                                   | yes, no answer ---- clean run
 *
 * A control run is made when a batch is full, or when nothing else is left to
 * do. Meanwhile the search goes on as if what the hot run said were true
 * (search_expect); where that proves wrong, it goes on from the text before. A
 * clean run takes ten times as long. So of all yeses of hot children on the way
 * the last one is asked about, one at a time: if it is true, those before it
 * led to a text that fails, and none of them becomes a step by itself. If not,
 * the middle one is next. */
#include <stdlib.h>

#include "config/mem.h"
#include "minimizer/evidence.h"
#include "minimizer/trials_parts.h"

#define WAY_MAX 256 /* yeses of hot children looked at */
#define WAY_ALONE 8 /* of them, before the only slot is used for a check */

/* ---- what the search goes on from ---- */

/* A yes of a hot child that the search goes on from, and that no clean run is
 * asked about yet. */
bool trial_is_open(const struct trial *trial)
{
    return trial->doubt == DOUBT_YES && trial->expected == VERDICT_YES &&
           trial->hits == 0 && !trial->out && !trial->done;
}

/* Whether there is one on the way: of another the search may make nothing. */
bool trials_is_way_open(const struct trials *t)
{
    uint64_t ids[WAY_MAX];
    size_t n = search_way(t->spec.search, ids, WAY_MAX);

    for (size_t i = 0; i < n; i++)
        if (trial_is_open(trials_find(t, ids[i])))
            return true;
    return false;
}

/* The yes that a clean run is to be asked about next, on a way of *n; NULL:
 * there is none, or something else comes of it first. */
struct trial *trials_next_check(const struct trials *t, size_t *n)
{
    uint64_t ids[WAY_MAX];
    struct trial *trial;

    *n = search_way(t->spec.search, ids, WAY_MAX);
    if (*n == 0)
        return NULL;
    trial = trials_find(t, ids[t->denied ? (*n - 1) / 2 : *n - 1]);
    return trial_is_open(trial) ? trial : NULL;
}

static bool is_checking(const struct trials *t)
{
    for (const struct trial *trial = t->list; trial; trial = trial->next)
        if (trial->out && trial->doubt == DOUBT_YES)
            return true;
    return false;
}

/* Ask a clean run about a yes of a hot child. `idle`: there is nothing else to
 * do for now. */
void trials_check_way(struct trials *t, bool idle)
{
    size_t way;
    struct trial *trial = trials_next_check(t, &way);

    if (trial && !t->why && !trials_is_spent(t) && trials_has_room(t) &&
        !is_checking(t) && (t->lanes.n >= 2 || way >= WAY_ALONE || idle))
        trial_start(trial);
}

static void berth_on_control(void *arg, const struct observation *observation);

/* ---- runs in lanes ---- */

static uint64_t fork_limit(const struct trials *t)
{
    return t->patience[ASK_FAILS][1].limit_ms;
}

/* A control run in a lane: the present best. */
static void control_lane(struct trials *t, unsigned i)
{
    struct run_request request = {
        .text = search_text(t->spec.search),
        .how = RUN_HOT,
        .timeout_ms = fork_limit(t),
        .cwd = (char *)(uintptr_t)t->spec.cwd,
        .lane = i,
        .generation = t->lanes.at[i].generation,
    };

    lanes_give(&t->lanes, i);
    t->out++;
    fleet_run(t->spec.fleet, &request, berth_on_control, &t->berths[i]);
}

/* Run the candidate in a lane, if there is one for it. */
bool trial_start_hot(struct trial *trial)
{
    struct trials *t = trial->trials;
    int lane = lanes_pick(&t->lanes);
    struct run_request request = {
        .text = trial->search.text,
        .how = RUN_HOT,
        .timeout_ms = fork_limit(t),
        .loads = trial->search.touches_import,
        .cwd = (char *)(uintptr_t)t->spec.cwd,
    };

    if (trial->clean || trial->search.looks ||
        trial_ask_of(trial) != ASK_FAILS || !t->spec.fork || lane < 0 ||
        !trials_leaves_check(t))
        return false;
    trial->lane = (unsigned)lane;
    if (lanes_wants_control(&t->lanes, trial->lane)) {
        trial->parked = true;
        t->berths[lane].waiting = trial;
        control_lane(t, trial->lane);
        return true;
    }
    request.lane = trial->lane;
    request.generation = t->lanes.at[lane].generation;
    trial->hot = trial->out = true;
    lanes_give(&t->lanes, trial->lane);
    t->out++;
    fleet_run(t->spec.fleet, &request, trial_on_done, trial);
    return true;
}

/* The search has nothing more for now: what is held gets its control runs. */
void trials_prove(struct trials *t)
{
    int lane;

    while (!t->why && trials_has_room(t) &&
           (lane = lanes_unproven(&t->lanes)) >= 0)
        control_lane(t, (unsigned)lane);
}

/* A trial waits for a control run no longer. */
void trial_leave_lane(struct trial *trial)
{
    struct trials *t = trial->trials;
    struct berth *berth;
    struct trial **link;

    if (!trial->parked)
        return;
    berth = &t->berths[trial->lane];
    if (berth->waiting == trial)
        berth->waiting = NULL;
    for (link = &berth->held; *link; link = &(*link)->next_held) {
        if (*link == trial) {
            *link = trial->next_held;
            lanes_forget(&t->lanes, trial->lane);
            break;
        }
    }
    trial->parked = false;
}

/* Lanes that are off get no more runs, but for what is still held: their
 * children have nothing to wait for. */
void trials_rest_lanes(struct trials *t)
{
    bool busy = lanes_unproven(&t->lanes) >= 0;

    for (unsigned i = 0; i < t->lanes.n; i++)
        busy = busy || t->lanes.at[i].out;
    if (t->lanes.n == 0 || !t->lanes.off || busy || t->rested)
        return;
    t->rested = true;
    fleet_rest(t->spec.fleet, REST_HOT);
}

/* ---- what hot runs say ---- */

static struct lane_run lane_run(const struct observation *o)
{
    return (struct lane_run){ .child = o->hot,
                              .kept = o->kept && !evidence_fault(o) };
}

/* As soon as there is room for it. */
static void leave_to_clean(struct trial *trial)
{
    trial->clean = true;
    trial->parked = false;
    free(trial->why);
    trial->why = NULL;
}

/* What a lane held is believed, or void. */
static void release(struct berth *berth, bool believed)
{
    struct trials *t = berth->trials;
    struct trial *trial;

    while ((trial = berth->held)) {
        berth->held = trial->next_held;
        trial->parked = false;
        if (!believed) {
            trial_expect(trial, VERDICT_NONE);
            leave_to_clean(trial);
        } else if (lanes_samples(&t->lanes)) {
            trial->doubt = DOUBT_NO;
            leave_to_clean(trial);
        } else {
            char *why = trial->why;

            trial->why = NULL;
            trial_take_no(trial, false, why);
            free(why);
        }
    }
}

static void berth_on_control(void *arg, const struct observation *observation)
{
    struct berth *berth = arg;
    struct trials *t = berth->trials;
    struct trial *waiting;
    struct lane_run run = lane_run(observation);
    bool good =
        signature_judge(t->spec.signature, observation, NULL) == VERDICT_YES;

    t->out--;
    if (observation->end != END_LOST)
        run_kinds_count(&t->counts.kinds, observation);
    release(berth, lanes_controlled(&t->lanes, (unsigned)(berth - t->berths),
                                    &run, good));
    waiting = berth->waiting; /* a report may have made it needless */
    berth->waiting = NULL;
    if (waiting) {
        waiting->parked = false;
        if (!t->why)
            trial_start(waiting);
    }
    trials_pump(t);
}

/* Take what a hot run says. False: it was none after all, or none is needed. */
bool trial_take_hot(struct trial *trial, const struct observation *o,
                    enum verdict verdict, const char *why)
{
    struct trials *t = trial->trials;
    struct berth *berth = &t->berths[trial->lane];
    struct lane_run run = lane_run(o);
    enum lane_say say;
    bool voided;

    trial->hot = false;
    if (o->end == END_SYNTAX) {
        lanes_passed(&t->lanes, trial->lane);
        return false;
    }
    say = lanes_ran(&t->lanes, trial->lane, &run, verdict != VERDICT_NONE,
                    verdict == VERDICT_YES, &voided);
    if (voided)
        release(berth, false);
    switch (say) {
    case LANE_HOLD:
        trial->parked = true;
        free(trial->why);
        trial->why = xstrdup(why);
        trial->next_held = berth->held;
        berth->held = trial;
        trial_expect(trial, VERDICT_NO);
        return true;
    case LANE_ASK:
        if (run.kept && verdict == VERDICT_YES) {
            trial->doubt = DOUBT_YES;
            trial_expect_yes(trial);
        }
        leave_to_clean(trial);
        return true;
    case LANE_TAKE:
        break;
    }
    trial->clean = true;
    return false;
}

/* A clean run answers what a hot one has said. */
void trial_check_doubt(struct trial *trial, enum verdict verdict)
{
    if (trial->doubt == DOUBT_NONE || verdict == VERDICT_NONE)
        return;
    lanes_checked(&trial->trials->lanes, trial->doubt == DOUBT_YES,
                  verdict == VERDICT_YES);
    if (trial->doubt == DOUBT_YES)
        trial->trials->denied = verdict == VERDICT_NO;
    trial->doubt = DOUBT_NONE;
}
