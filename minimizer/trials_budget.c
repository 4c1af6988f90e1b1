/* How many runs may still be made (spec.max_runs).
 *
 *   at any time   runs that are over, and those that are out
 *   in order      each trial that was taken counts as one run from the first,
 *                 and the earliest as all that it has made: the rest is a
 *                 matter of time
 *
 * With hot children one run is left to the end: the last of their yeses is to
 * be checked by a clean one. */
#include "minimizer/trials_parts.h"

#define TRIAL_RUNS_MAX 256 /* of one trial: three asks of 40 at most */

/* The trial that search_next() gave first; NULL: there is none. */
struct trial *trials_earliest(const struct trials *t)
{
    struct trial *first = t->list;

    for (struct trial *trial = t->list; trial; trial = trial->next)
        if (trial->search.id < first->search.id)
            first = trial;
    return first;
}

/* In order a trial that is not reported counts as a run, whether it is over or
 * not and whatever came of it; the earliest as all that it has made. */
bool trials_is_spent(const struct trials *t)
{
    uint64_t max = t->spec.max_runs, runs = t->counts.runs + t->out;

    if (max == 0)
        return false;
    if (t->spec.in_order) {
        const struct trial *first = trials_earliest(t);

        runs = t->runs_reported + t->listed;
        if (first && first->runs > 1)
            runs += first->runs - 1;
    }
    return runs >= max;
}

/* Whether a run of a trial may begin. In order the first has been counted when
 * the trial was taken; a further one waits for the trial's turn where the end
 * of the budget is near, since how many others make is a matter of time. */
bool trial_may_run(const struct trial *trial)
{
    const struct trials *t = trial->trials;
    uint64_t most = t->runs_reported + (t->listed + 1) * TRIAL_RUNS_MAX;

    if (!t->spec.in_order)
        return !trials_is_spent(t);
    return t->spec.max_runs == 0 || trial->runs == 0 ||
           most < t->spec.max_runs ||
           (trial == trials_earliest(t) && !trials_is_spent(t));
}

/* Whether one run must be left: of all yeses of hot children the last is to be
 * checked. */
static bool awaits_check(const struct trials *t)
{
    for (const struct trial *trial = t->list; trial; trial = trial->next)
        if (trial->hot || trial->parked)
            return true;
    return trials_is_way_open(t);
}

/* Whether no new trial may be taken. */
bool trials_over_budget(const struct trials *t)
{
    uint64_t max = t->spec.max_runs;

    if (max == 0 || t->spec.in_order || trials_is_spent(t))
        return max > 0 && trials_is_spent(t);
    return t->counts.runs + t->out + 1 == max && awaits_check(t);
}

/* Whether a run is left to check what a hot child will say. */
bool trials_leaves_check(const struct trials *t)
{
    return t->spec.max_runs == 0 ||
           t->counts.runs + t->out + 2 <= t->spec.max_runs;
}
