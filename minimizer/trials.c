/* A trial on its way:
 *
 *   search_next -> SCREEN (forked where possible)
 *                    | no, syntax error ------------> report no
 *                    | none ---- again, a few times -> report none
 *                    | yes, an import changed, forked -> CONFIRM (fresh)
 *                    | yes --------------------------> report yes
 *
 * A flaky failure (tries > 1) is asked for `tries` times before a no, and must
 * show twice before a yes, lest its rate decay with each step. */
#include "minimizer/trials.h"

#include <errno.h>
#include <stdlib.h>

#include "config/base.h"
#include "config/buf.h"
#include "config/log.h"
#include "config/mem.h"

#define NONES_MAX 2       /* runs of one trial that may come to nothing */
#define NONES_IN_A_ROW 12 /* then it is the machine */

struct trial {
    struct trials *trials;
    struct trial *next;
    struct search_trial search;
    bool out;     /* at the fleet */
    bool confirm; /* the fresh run after a forked yes */
    unsigned misses, hits, nones;
};

struct trials {
    struct trials_spec spec;
    struct trials_events events;
    void *arg;
    struct trial *list; /* given out by the search, not reported yet */
    unsigned out;
    uint64_t calls; /* of search_next, for the log */
    unsigned nones_in_a_row;
    struct trials_counts counts;
    const char *why; /* set: start nothing more */
    bool pumping, finished;
};

static void trial_on_done(void *arg, const struct observation *observation);

struct trials *trials_new(const struct trials_spec *spec,
                          const struct trials_events *events, void *arg)
{
    struct trials *t = xcalloc(1, sizeof(*t));

    t->spec = *spec;
    t->events = *events;
    t->arg = arg;
    return t;
}

void trials_free(struct trials *t)
{
    if (!t)
        return;
    while (t->list) {
        struct trial *trial = t->list;

        t->list = trial->next;
        free(trial);
    }
    free(t);
}

/* The search's next trial, in our list. */
static struct trial *take(struct trials *t)
{
    struct search_trial search;
    struct trial *trial;

    t->calls++;
    if (!search_next(t->spec.search, &search))
        return NULL;
    trial = xcalloc(1, sizeof(*trial));
    trial->trials = t;
    trial->search = search;
    trial->next = t->list;
    t->list = trial;
    return trial;
}

static void drop(struct trials *t, struct trial *trial)
{
    struct trial **at = &t->list;

    while (*at != trial)
        at = &(*at)->next;
    *at = trial->next;
    free(trial);
}

static void start(struct trial *trial)
{
    struct trials *t = trial->trials;
    bool fork = t->spec.fork && !trial->confirm;
    struct run_request request = {
        .text = trial->search.text,
        .how = fork ? RUN_FORK : RUN_FRESH,
        .timeout_ms = fork ? t->spec.fork_timeout_ms : t->spec.fresh_timeout_ms,
        .cwd = (char *)(uintptr_t)t->spec.cwd,
    };

    trial->out = true;
    t->out++;
    fleet_run(t->spec.fleet, &request, trial_on_done, trial);
}

static void settle(struct trials *t)
{
    if (t->finished || t->out > 0 || t->pumping)
        return;
    if (!t->why && !search_finished(t->spec.search))
        return;
    t->finished = true;
    t->events.finished(t->arg, t->why);
}

static bool over_budget(const struct trials *t)
{
    return t->spec.max_runs > 0 && t->counts.runs + t->out >= t->spec.max_runs;
}

void trials_pump(struct trials *t)
{
    if (t->pumping)
        return;
    t->pumping = true;
    /* What a replay left without a verdict goes first. */
    for (struct trial *trial = t->list; trial && !t->why; trial = trial->next) {
        if (!trial->out && !over_budget(t))
            start(trial);
    }
    while (!t->why && fleet_free_slots(t->spec.fleet) > 0) {
        struct trial *trial;

        if (over_budget(t)) {
            if (t->out == 0)
                t->why = "max-runs";
            break;
        }
        trial = take(t);
        if (!trial)
            break;
        start(trial);
    }
    t->pumping = false;
    settle(t);
}

static void log_trial(const struct trial *trial, enum verdict verdict,
                      bool early, bool accepted)
{
    log_debug("trial %llu: %s, saves %lld: verdict %d%s%s",
              (unsigned long long)trial->search.id, trial->search.kind,
              (long long)trial->search.saved, (int)verdict,
              early ? ", early" : "", accepted ? ", accepted" : "");
}

static bool report(struct trials *t, struct trial *trial, enum verdict verdict,
                   bool early)
{
    struct store_report row = {
        .issued = t->calls,
        .trial = trial->search.id,
        .verdict = verdict,
        .early = early,
        .hash = trial->search.hash,
    };
    bool accepted = search_report(t->spec.search, trial->search.id, verdict);

    log_trial(trial, verdict, early, accepted);
    drop(t, trial);
    t->events.reported(t->arg, &row, accepted);
    return accepted;
}

/* Twelve runs in a row that came to nothing: the machine is broken, and going
 * on would only call everything needed. */
static void count_none(struct trials *t, const char *why)
{
    struct err err;

    t->counts.no_verdict++;
    if (++t->nones_in_a_row < NONES_IN_A_ROW || t->why)
        return;
    err_set(&err, -EIO,
            "%u runs in a row could not be carried out; the last one: %s",
            t->nones_in_a_row, why);
    t->events.failed(t->arg, &err);
    trials_stop(t, "environment");
}

static void take_none(struct trial *trial, const char *why)
{
    struct trials *t = trial->trials;

    count_none(t, why);
    if (t->why)
        return;
    if (++trial->nones <= NONES_MAX)
        start(trial);
    else
        report(t, trial, VERDICT_NONE, false);
}

static void take_no(struct trial *trial, bool early, const char *why)
{
    struct trials *t = trial->trials;

    if (!early && ++trial->misses < t->spec.tries && !t->why) {
        start(trial);
        return;
    }
    t->events.refused(t->arg, trial->search.hash, why);
    report(t, trial, VERDICT_NO, early);
}

static void take_yes(struct trial *trial, bool forked)
{
    struct trials *t = trial->trials;

    if (t->spec.tries > 1 && ++trial->hits < 2 && !t->why) {
        start(trial);
    } else if (forked && trial->search.touches_import && !t->why) {
        trial->confirm = true;
        start(trial);
    } else {
        report(t, trial, VERDICT_YES, false);
    }
}

static void trial_on_done(void *arg, const struct observation *observation)
{
    struct trial *trial = arg;
    struct trials *t = trial->trials;
    bool early = observation->end == END_SYNTAX;
    enum verdict verdict = VERDICT_NO;
    struct buf why;

    buf_init(&why, 4096);
    trial->out = false;
    t->out--;
    if (early)
        t->counts.early++;
    else if (observation->end != END_LOST)
        t->counts.runs++;
    if (!early)
        verdict = signature_judge(t->spec.signature, observation, &why);
    if (verdict != VERDICT_NONE)
        t->nones_in_a_row = 0;

    /* After a stop only a plain answer that is already here is used. */
    if (verdict == VERDICT_NONE && t->why)
        log_debug("trial %llu: given up", (unsigned long long)trial->search.id);
    else if (verdict == VERDICT_NONE)
        take_none(trial, buf_str(&why));
    else if (verdict == VERDICT_NO)
        take_no(trial, early, early ? "does not compile" : buf_str(&why));
    else if (!t->why)
        take_yes(trial, observation->forked);
    buf_deinit(&why);
    trials_pump(t);
}

bool trials_replay(struct trials *t, const struct store_report *row,
                   bool *accepted)
{
    struct trial *trial = t->list;

    *accepted = false;
    while (t->calls < row->issued)
        take(t);
    trial = t->list;
    while (trial && trial->search.id != row->trial)
        trial = trial->next;
    if (!trial || t->calls != row->issued ||
        !hash_equal(trial->search.hash, row->hash))
        return false;
    *accepted =
        search_report(t->spec.search, row->trial, (enum verdict)row->verdict);
    t->counts.replayed++;
    log_trial(trial, (enum verdict)row->verdict, row->early, *accepted);
    drop(t, trial);
    return true;
}

void trials_stop(struct trials *t, const char *why)
{
    if (t->why || t->finished)
        return;
    t->why = why;
    if (t->out > 0)
        fleet_cancel(t->spec.fleet);
    settle(t);
}

struct trials_counts trials_counts(const struct trials *t)
{
    return t->counts;
}

unsigned trials_out(const struct trials *t)
{
    return t->out;
}
