/* The first samples come early, so that a short search has some too: the 8th
 * no, and then one in 64. */
#include "minimizer/lanes.h"

#include <assert.h>
#include <string.h>

#define BAD_MAX 4 /* void batches, less one for each good one since */
#define SAMPLE_FIRST 8
#define SAMPLE_EVERY 64
#define OVERTURNED_MAX 3 /* and a tenth of the samples */
#define DENIED_MAX 4     /* and a third of what was checked */

void lanes_init(struct lanes *l, unsigned n)
{
    memset(l, 0, sizeof(*l));
    l->n = n < LANES_MAX ? n : LANES_MAX;
}

bool lanes_wants_control(const struct lanes *l, unsigned i)
{
    return !l->at[i].open || l->at[i].held >= LANE_HELD_MAX;
}

int lanes_pick(const struct lanes *l)
{
    int found = -1;

    for (unsigned i = 0; i < l->n && !l->off; i++) {
        if (l->at[i].out)
            continue;
        if (!lanes_wants_control(l, i))
            return (int)i;
        if (found < 0)
            found = (int)i;
    }
    return found;
}

int lanes_unproven(const struct lanes *l)
{
    for (unsigned i = 0; i < l->n; i++)
        if (!l->at[i].out && l->at[i].held > 0)
            return (int)i;
    return -1;
}

void lanes_give(struct lanes *l, unsigned i)
{
    assert(!l->at[i].out);
    l->at[i].out = true;
}

/* The child is of no use any more. True if that makes noes void. */
static bool drop_child(struct lanes *l, unsigned i)
{
    struct lane *lane = &l->at[i];
    bool held = lane->held > 0;

    *lane = (struct lane){ .generation = lane->generation + 1 };
    if (!held)
        return false;
    l->counts.voided++;
    if (++l->bad >= BAD_MAX)
        l->off = true;
    return true;
}

enum lane_say lanes_ran(struct lanes *l, unsigned i, const struct lane_run *run,
                        bool answered, bool yes, bool *voided)
{
    struct lane *lane = &l->at[i];

    assert(lane->out && lane->open);
    lane->out = false;
    lane->runs++;
    *voided = false;
    if (!run->kept || run->child != lane->child || !answered) {
        *voided = drop_child(l, i);
        return run->child ? LANE_ASK : LANE_TAKE;
    }
    if (yes) {
        l->counts.yes++;
        return LANE_ASK;
    }
    lane->held++;
    return LANE_HOLD;
}

void lanes_passed(struct lanes *l, unsigned i)
{
    l->at[i].out = false;
}

void lanes_forget(struct lanes *l, unsigned i)
{
    l->at[i].held -= l->at[i].held > 0;
}

bool lanes_controlled(struct lanes *l, unsigned i, const struct lane_run *run,
                      bool good)
{
    struct lane *lane = &l->at[i];
    bool same = lane->child == run->child;

    assert(lane->out);
    l->counts.controls++;
    good = good && run->child && run->kept && (same || lane->held == 0);
    if (!good) {
        if (lane->held == 0 && ++l->bad >= BAD_MAX)
            l->off = true;
        drop_child(l, i);
        return false;
    }
    lane->out = false;
    lane->open = true;
    lane->child = run->child;
    if (lane->held > 0) {
        l->counts.batches++;
        l->counts.noes += lane->held;
        l->bad -= l->bad > 0;
    }
    lane->held = 0;
    if (!same)
        lane->runs = 0;
    if (lane->runs >= LANE_RUNS_MAX)
        drop_child(l, i);
    return true;
}

bool lanes_samples(struct lanes *l)
{
    bool sample = l->counts.noes / SAMPLE_EVERY + 1 > l->counts.sampled &&
                  l->counts.noes >= SAMPLE_FIRST;

    l->counts.sampled += sample;
    return sample;
}

void lanes_checked(struct lanes *l, bool hot_yes, bool clean_yes)
{
    struct lanes_counts *c = &l->counts;

    if (hot_yes) {
        c->checked++;
        c->denied += !clean_yes;
        if (c->denied >= DENIED_MAX && 3 * c->denied >= c->checked)
            l->off = true;
        return;
    }
    c->overturned += clean_yes;
    if (c->overturned >= OVERTURNED_MAX && 10 * c->overturned >= c->sampled)
        l->off = true;
}
