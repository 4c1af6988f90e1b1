/* What the search is told, and the log of it: that a verdict is expected, that
 * one is there, and the same again when a log is replayed.
 *
 *   report -> (in order: its turn) -> the search, the events, out of the list
 *                                       `-> trials that this has settled are
 *                                           dropped and their runs ended
 */
#include <stdlib.h>

#include "config/log.h"
#include "config/mem.h"
#include "grammar/observed.h"
#include "minimizer/trials_parts.h"

#define OTHER_MAX 65536 /* slots, or tries, that a log may tell of */

/* ---- told ---- */

static void log_trial(const struct trial *trial, enum verdict verdict,
                      bool early, bool accepted)
{
    log_debug("trial %llu: %s, saves %lld: verdict %d%s%s",
              (unsigned long long)trial->search.id, trial->search.kind,
              (long long)trial->search.saved, (int)verdict,
              early ? ", early" : "", accepted ? ", accepted" : "");
}

/* What a trial that looks has seen, or NULL. */
static void pass_on(struct trials *t, const struct trial *trial,
                    const char *values)
{
    struct observed observed;
    struct err err;

    if (!values)
        return;
    if (observed_read(&observed, values, trial->search.text.len, &err)) {
        log_info("trace: %s", err.text);
        return;
    }
    search_saw(t->spec.search, &observed);
    observed_deinit(&observed);
}

/* The row of a trial in the log of what the search was told. */
static struct store_report row_of(const struct trial *trial,
                                  enum verdict verdict)
{
    return (struct store_report){ .issued = trial->trials->calls,
                                  .trial = trial->search.id,
                                  .verdict = verdict,
                                  .hash = trial->search.hash };
}

/* Tell the search what will come of a trial that goes on. In order it must not
 * know, for that is a matter of time. */
void trial_expect(struct trial *trial, enum verdict verdict)
{
    struct trials *t = trial->trials;
    struct store_report row = row_of(trial, verdict);

    if (trial->expected == verdict || t->spec.in_order)
        return;
    trial->expected = verdict;
    row.expected = true;
    search_expect(t->spec.search, row.trial, verdict);
    t->asked = false;
    t->events.reported(t->arg, &row, false);
}

/* Report a trial. */
static void tell_one(struct trial *trial)
{
    struct trials *t = trial->trials;
    struct store_report row = row_of(trial, trial->verdict);
    bool accepted;

    row.early = trial->early;
    row.observed = trial->observed;
    row.figures = trial->figures;
    if (trial->why && !trial->search.looks)
        t->events.refused(t->arg, trial->search.hash, trial->why);
    if (trial->first_runs > 0 && trial->verdict != VERDICT_DROPPED)
        asks_answered(&t->asks, trial->order[0], trial->first_no,
                      trial->first_runs);
    pass_on(t, trial, trial->observed);
    search_shows(t->spec.search, row.trial, row.figures);
    accepted = search_report(t->spec.search, row.trial, trial->verdict);
    t->asked = false;
    log_trial(trial, trial->verdict, trial->early, accepted);
    trial->observed = NULL;
    trials_drop(t, trial);
    t->events.reported(t->arg, &row, accepted);
    free((char *)row.observed);
}

/* The first trial that can be of no use any more. A run in a lane is waited
 * for: to end it would be to end its child. */
static struct trial *next_unwanted(const struct trials *t)
{
    struct trial *first = NULL;

    for (struct trial *trial = t->list; trial; trial = trial->next)
        if ((!first || trial->search.id < first->search.id) && !trial->hot &&
            !search_wants(t->spec.search, trial->search.id))
            first = trial;
    return first;
}

/* What a trial waits for is not needed any more. */
void trial_give_up_run(struct trial *trial)
{
    struct trials *t = trial->trials;

    trial_leave_lane(trial);
    if (!trial->out)
        return;
    trial->out = false;
    t->out--;
    t->out_elsewhere -= trial_fleet_of(trial) != t->spec.fleet;
    fleet_drop(trial_fleet_of(trial), trial);
    t->counts.runs++;
    trial->runs++;
}

/* In order it counts as one run, however far it has come. */
void trial_end_early(struct trial *trial)
{
    struct trials *t = trial->trials;

    trial_give_up_run(trial);
    if (t->spec.in_order) {
        t->counts.runs += 1;
        t->counts.runs -= trial->runs;
        trial->runs = 1;
    }
    t->counts.dropped++;
    trial->verdict = VERDICT_DROPPED;
    trial->early = false;
    free(trial->why);
    free(trial->observed);
    trial->why = trial->observed = NULL;
    tell_one(trial);
}

/* Report a trial that is done, and those that are settled by it. */
void trial_tell(struct trial *trial)
{
    struct trials *t = trial->trials;

    tell_one(trial);
    while (!t->why && (trial = next_unwanted(t)))
        trial_end_early(trial);
}

/* The verdict of a trial, at once or when it is its turn; `why` it is a no, or
 * NULL. */
void trial_report(struct trial *trial, enum verdict verdict, bool early,
                  const char *why)
{
    trial->done = true;
    trial->verdict = verdict;
    trial->early = early;
    trial->why = why ? xstrdup(why) : NULL;
    if (!trial->trials->spec.in_order)
        trial_tell(trial);
}

/* ---- told again ---- */

/* What is no report. */
static bool replay_other(struct trials *t, const struct store_report *row)
{
    uint64_t n = row->hash.low;

    if (n == 0 || n > OTHER_MAX)
        return false;
    if (row->verdict == VERDICT_NO)
        trials_doubt(t, (unsigned)n);
    else
        search_set_width(t->spec.search, t->width = (unsigned)n);
    return true;
}

bool trials_replay(struct trials *t, const struct store_report *row,
                   bool *accepted)
{
    struct trial *trial = t->list;

    *accepted = false;
    while (t->calls < row->issued)
        trials_take(t);
    if (row->trial == 0)
        return t->calls == row->issued && replay_other(t, row);
    trial = t->list;
    while (trial && trial->search.id != row->trial)
        trial = trial->next;
    if (!trial || t->calls != row->issued ||
        !hash_equal(trial->search.hash, row->hash) ||
        (row->verdict == VERDICT_DROPPED &&
         search_wants(t->spec.search, row->trial)))
        return false;
    t->counts.replayed += !row->expected;
    if (row->expected) {
        trial->expected = (enum verdict)row->verdict;
        search_expect(t->spec.search, row->trial, trial->expected);
        return true;
    }
    pass_on(t, trial, row->observed);
    search_shows(t->spec.search, row->trial, row->figures);
    *accepted =
        search_report(t->spec.search, row->trial, (enum verdict)row->verdict);
    log_trial(trial, (enum verdict)row->verdict, row->early, *accepted);
    trials_drop(t, trial);
    return true;
}
