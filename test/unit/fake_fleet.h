/* fake_fleet.h - a fleet without workers for tests of what stands on it: takes
 * the place of fleet.c. Runs wait until fake_fleet_turn() answers the oldest by
 * the test's oracle, so that every order of events can be played. */
#ifndef AUTODD_FAKE_FLEET_H
#define AUTODD_FAKE_FLEET_H

#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "minimizer/fleet/fleet.h"

#define FAKE_SLOTS_MAX 16
#define FAKE_RUNS_MAX 512

struct fake_run {
    char *text;
    enum run_how how;
    bool by_path;
    unsigned aids;
    uint64_t timeout_ms;
    uint32_t lane, generation;
    double end_s; /* where the fleet has a clock */
    fleet_done_cb done;
    void *arg;
};

struct fleet {
    unsigned slots;
    struct fake_run runs[FAKE_RUNS_MAX];
    unsigned n;
    uint64_t asked, fresh, dropped;
    /* Of the run that the oracle is asked about. */
    uint32_t lane, generation;
    unsigned run_aids;
    uint64_t timeout_ms;
    unsigned aids; /* of runs to come */
    /* What a run of this text shows. */
    struct observation (*oracle)(void *arg, const char *text, enum run_how how);
    /* When a run that is queued now will end; NULL: the clock counts runs. */
    double (*ends)(void *arg, const struct fake_run *run);
    void *arg;
    double now_s;
    bool cancelled;
    unsigned rests[2]; /* asked for, by enum rest */
};

void fleet_run_without(struct fleet *fleet, const struct run_request *request,
                       unsigned aids, fleet_done_cb done, void *arg)
{
    fleet->asked++;
    fleet->fresh += request->how == RUN_FRESH;
    if (fleet->n == FAKE_RUNS_MAX)
        abort();
    struct fake_run *run = &fleet->runs[fleet->n++];
    *run = (struct fake_run){
        .text = xmemdup(request->text.data, request->text.len),
        .how = request->how,
        .by_path = request->path != NULL,
        .aids = fleet->aids & ~aids,
        .timeout_ms = request->timeout_ms,
        .lane = request->lane,
        .generation = request->generation,
        .done = done,
        .arg = arg,
    };
    if (fleet->ends)
        run->end_s = fleet->ends(fleet->arg, run);
}

void fleet_run(struct fleet *fleet, const struct run_request *request,
               fleet_done_cb done, void *arg)
{
    fleet_run_without(fleet, request, 0, done, arg);
}

void fleet_set_aids(struct fleet *fleet, unsigned aids)
{
    fleet->aids = aids;
}

unsigned fleet_aids(const struct fleet *fleet)
{
    return fleet->aids;
}

unsigned fleet_free_slots(const struct fleet *fleet)
{
    return fleet->n < fleet->slots ? fleet->slots - fleet->n : 0;
}

void fleet_drop(struct fleet *fleet, const void *arg)
{
    unsigned i = 0;

    while (fleet->runs[i].arg != arg)
        i++;
    free(fleet->runs[i].text);
    fleet->n--;
    memmove(&fleet->runs[i], &fleet->runs[i + 1],
            (fleet->n - i) * sizeof(fleet->runs[0]));
    fleet->dropped++;
}

void fleet_cancel(struct fleet *fleet)
{
    fleet->cancelled = true;
}

void fleet_rest(struct fleet *fleet, enum rest what)
{
    fleet->rests[what]++;
}

uint64_t fleet_now_ms(const struct fleet *fleet)
{
    return fleet->ends ? (uint64_t)(fleet->now_s * 1000) : fleet->asked;
}

/* The index of the run that ends first. */
static inline unsigned fake_fleet_first(const struct fleet *fleet)
{
    unsigned first = 0;

    for (unsigned i = 1; i < fleet->n; i++)
        if (fleet->runs[i].end_s < fleet->runs[first].end_s)
            first = i;
    return first;
}

/* Answer the run at `index`; false when there is none. */
static inline bool fake_fleet_turn(struct fleet *fleet, unsigned index)
{
    if (index >= fleet->n)
        return false;
    struct fake_run run = fleet->runs[index];
    struct observation o = { .end = END_LOST };

    fleet->n--;
    memmove(&fleet->runs[index], &fleet->runs[index + 1],
            (fleet->n - index) * sizeof(run));
    fleet->lane = run.lane;
    fleet->generation = run.generation;
    fleet->run_aids = run.aids;
    fleet->timeout_ms = run.timeout_ms;
    if (fleet->ends)
        fleet->now_s = run.end_s;
    if (!fleet->cancelled)
        o = fleet->oracle(fleet->arg, run.text, run.how);
    run.done(run.arg, &o); /* may cancel */
    observation_deinit(&o);
    free(run.text);
    return true;
}

/* The fleet ends: nobody hears of the runs that still wait. */
static inline void fake_fleet_end(struct fleet *fleet)
{
    while (fleet->n > 0)
        free(fleet->runs[--fleet->n].text);
}

#endif
