/* A run that takes too long says no once patience.h says so:
 *
 *   timeout --> (run of the best so far) --> no
 *      ^                |
 *      `--- again ------'
 *
 * That a failure is flaky may turn out late: by a run of the original, or by
 * one of the best so far that passes. Noes of single runs are doubted then, and
 * their texts come again (search_doubt). */
#include "config/log.h"
#include "minimizer/calibrate.h"
#include "minimizer/trials_parts.h"

#define TRACED_SLOWER 3
/* Of what comes and goes at a rate that nobody knows. */
#define TRIES_UNKNOWN 5

/* ---- limits ---- */

static struct patience *patience_of(struct trial *trial)
{
    return &trial->trials->patience[trial_ask_of(trial)][trial->forked];
}

/* The limit of the run that begins now, which may be the first of its kind. */
uint64_t trial_limit_of(struct trial *trial, bool forked)
{
    uint64_t ms;

    if (trial->forked != forked)
        trial->attempt = (struct attempt){ 0 };
    trial->forked = forked;
    ms = patience_begin(patience_of(trial), &trial->attempt);
    return trial->search.looks ? TRACED_SLOWER * ms
           : trial->lasting    ? HANG_FACTOR * ms
                               : ms;
}

static void measure_on_done(void *arg, const struct observation *observation);

static void measure(struct trials *t, bool forked)
{
    struct measure *m = &t->measures[forked];
    struct run_request request = {
        .text = search_text(t->spec.search),
        .how = !forked        ? RUN_FRESH
               : t->spec.warm ? RUN_WARM
                              : RUN_FORK,
        .timeout_ms = patience_measure(&t->patience[ASK_FAILS][forked]),
        .cwd = (char *)(uintptr_t)t->spec.cwd,
    };

    if (m->out)
        return;
    m->out = true;
    t->out++;
    fleet_run(t->spec.fleet, &request, measure_on_done, m);
}

/* What becomes of a trial whose run took too long. True: no verdict yet. */
static bool is_given_time(struct trial *trial)
{
    switch (patience_over(patience_of(trial), &trial->attempt)) {
    case PATIENCE_NO:
        break;
    case PATIENCE_MEASURE:
        trial->waits = true;
        measure(trial->trials, trial->forked);
        return true;
    case PATIENCE_AGAIN:
        trial_start(trial);
        return true;
    }
    return false;
}

/* Something has been measured: those that wait for it go on. */
static void go_on(struct trials *t, bool forked)
{
    struct trial *trial = t->list;

    while (trial && !t->why) {
        if (!trial->waits || trial->forked != forked) {
            trial = trial->next;
            continue;
        }
        trial->waits = false;
        if (!is_given_time(trial)) {
            if (trial->screening)
                trial_refuse(trial, false, "plainly: timeout");
            else
                trial_take_no(trial, false, "timeout");
        }
        trial = t->list; /* a report may have taken others out of it */
    }
}

/* ---- how often to try ---- */

/* What chance has a hand in hot children can't tell, and one run says no to
 * nothing. */
void trials_doubt(struct trials *t, unsigned tries)
{
    t->spec.tries = tries;
    t->lanes.off = true;
    t->asked = false;
    search_doubt(t->spec.search);
    log_info("each candidate is tried up to %u times from now on", tries);
}

/* How often to try from now on. What once came and went does so for ever: tries
 * may change, but one alone is none any more. */
static void set_tries(struct trials *t, unsigned tries)
{
    struct store_report row = { .issued = t->calls,
                                .verdict = VERDICT_NO,
                                .early = true,
                                .hash = { .low = tries } };

    if (tries == 1)
        return;
    if (t->spec.tries > 1) {
        t->spec.tries = tries;
        return;
    }
    trials_doubt(t, tries);
    t->events.reported(t->arg, &row, false);
}

/* The best so far does not fail any more: it comes and goes, if nobody has said
 * so yet. In order it would depend on the clock when that is seen; a run
 * without the sanitizer says nothing of it. */
static void doubt_best(struct trials *t, const struct observation *o)
{
    if (!t->spec.in_order && o->end != END_TIMEOUT && !t->spec.hangs &&
        t->spec.tries == 1 && !t->spec.screen &&
        signature_judge(t->spec.signature, o, NULL) == VERDICT_NO)
        set_tries(t, TRIES_UNKNOWN);
}

void trials_tune(struct trials *t, unsigned tries, uint64_t fresh_timeout_ms,
                 uint64_t fresh_long_ms, bool outlasts)
{
    patience_widen(&t->patience[ASK_FAILS][0], fresh_timeout_ms, fresh_long_ms);
    t->spec.outlasts = outlasts;
    set_tries(t, tries);
}

/* ---- what runs took ---- */

static void measure_on_done(void *arg, const struct observation *o)
{
    struct measure *m = arg;
    struct trials *t = m->trials;
    bool lost = o->end == END_LOST;

    m->out = false;
    t->out--;
    if (!lost) {
        run_kinds_count(&t->counts.kinds, o);
        t->counts.measured++;
        doubt_best(t, o);
    }
    /* One that could not be carried out counts as quick: nobody waits for ever.
     */
    patience_saw(&t->patience[ASK_FAILS][m->forked], lost ? 0 : o->wall_ms);
    go_on(t, m->forked);
    trials_pump(t);
}

/* Look at the time that a clean run took. True: no verdict yet. */
bool trial_take_time(struct trial *trial, const struct observation *o,
                     enum verdict verdict)
{
    struct trials *t = trial->trials;
    uint64_t *slowest = &t->slowest_end[trial->forked];

    if (o->end == END_TIMEOUT)
        return verdict == VERDICT_NO && !t->why && !trial_control_of(trial) &&
               !trial->search.looks && is_given_time(trial);
    if (o->end == END_LOST || o->end == END_SYNTAX || trial->search.looks)
        return false;
    patience_in_time(patience_of(trial), &trial->attempt);
    if (verdict == VERDICT_YES)
        patience_saw(patience_of(trial), o->wall_ms);
    if (o->wall_ms > *slowest)
        *slowest = o->wall_ms;
    return false;
}
