/* The list of trials, and what is started when. Each turn of the pump, in this
 * order, while there is room:
 *
 *   what a replay, a void batch or the budget has left without a run
 *   one clean run for the yeses of hot children   trials_hot.c
 *   new trials of the search                      fill()
 *   with nothing else to do: control runs, and that clean run
 *
 * In order (spec.in_order) a verdict waits until those of all earlier trials
 * are reported, and the search is asked for trials after a report and at no
 * other time: what it is told, and when, then depends on no clock.
 *
 * Finished means that nothing is out and that nothing more will be started. */
#include "minimizer/trials.h"

#include <stdlib.h>

#include "config/mem.h"
#include "grammar/twin.h"
#include "minimizer/trials_parts.h"

/* ---- the list ---- */

static void init_patience(struct trials *t)
{
    const struct trials_spec *spec = &t->spec;

    patience_init(&t->patience[ASK_FAILS][0], spec->config,
                  spec->fresh_timeout_ms, spec->fresh_long_ms, spec->hangs);
    patience_init(&t->patience[ASK_FAILS][1], spec->config,
                  spec->fork_timeout_ms, spec->fork_long_ms, spec->hangs);
    for (unsigned i = 0; i < spec->ncontrols; i++) {
        const struct control *c = &spec->controls[i];

        patience_init(&t->patience[1 + i][0], spec->config, c->fresh_timeout_ms,
                      c->fresh_timeout_ms, false);
        patience_init(&t->patience[1 + i][1], spec->config, c->fork_timeout_ms,
                      c->fork_timeout_ms, false);
    }
    for (unsigned i = 0; i < ARRAY_LEN(t->measures); i++)
        t->measures[i] = (struct measure){ .trials = t, .forked = i == 1 };
}

struct trials *trials_new(const struct trials_spec *spec,
                          const struct trials_events *events, void *arg)
{
    struct trials *t = xcalloc(1, sizeof(*t));

    t->spec = *spec;
    t->events = *events;
    t->arg = arg;
    asks_init(&t->asks, 1 + spec->ncontrols);
    lanes_init(&t->lanes, spec->hot && spec->tries == 1 && !spec->in_order
                              ? spec->lanes
                              : 0);
    t->berths = xcalloc(t->lanes.n + 1, sizeof(*t->berths));
    for (unsigned i = 0; i < t->lanes.n; i++)
        t->berths[i].trials = t;
    trials_add_loaded(t, ASK_FAILS, spec->loads);
    for (unsigned i = 0; i < spec->nshown_ahead; i++)
        trials_add_ahead(t, spec->shown_ahead[i]);
    init_patience(t);
    return t;
}

static void trial_free(struct trial *trial)
{
    free(trial->loads);
    free(trial->ahead);
    free(trial->why);
    free(trial->observed);
    free(trial->marks);
    free(trial);
}

void trials_free(struct trials *t)
{
    if (!t)
        return;
    while (t->list) {
        struct trial *trial = t->list;

        t->list = trial->next;
        trial_free(trial);
    }
    for (size_t i = 0; i < t->loaded.n; i++)
        free(t->loaded.at[i]);
    free(t->loaded.at);
    free(t->berths);
    free(t);
}

/* The search's next trial, in our list. */
struct trial *trials_take(struct trials *t)
{
    struct search_trial search;
    struct trial *trial;

    t->calls++;
    if (!search_next(t->spec.search, &search))
        return NULL;
    trial = xcalloc(1, sizeof(*trial));
    trial->trials = t;
    trial->search = search;
    trial->expected = VERDICT_NONE;
    if (t->spec.twin) { /* now: later the search may have moved on */
        trial->marks = xcalloc(t->spec.twin->nplaces, sizeof(*trial->marks));
        search_marks(t->spec.search, search.id, trial->marks);
    }
    trial->next = t->list;
    t->list = trial;
    t->listed++;
    return trial;
}

void trials_drop(struct trials *t, struct trial *trial)
{
    struct trial **at = &t->list;

    while (*at != trial)
        at = &(*at)->next;
    *at = trial->next;
    t->listed--;
    t->runs_reported += trial->runs;
    trial_free(trial);
}

struct trial *trials_find(const struct trials *t, uint64_t id)
{
    struct trial *trial = t->list;

    while (trial && trial->search.id != id)
        trial = trial->next;
    return trial;
}

/* ---- the pump ---- */

static void settle(struct trials *t)
{
    if (t->finished || t->out > 0 || t->pumping)
        return;
    if (!t->why && !search_finished(t->spec.search))
        return;
    t->finished = true;
    if (t->lanes.n > 0 || t->spec.warm) /* what follows runs fresh */
        fleet_rest(t->spec.fleet, REST_ALL);
    t->events.finished(t->arg, t->why);
}

/* Fleets share the machine: what is out in one leaves no room in another. */
bool trials_has_room(const struct trials *t)
{
    return fleet_free_slots(t->spec.fleet) > t->out_elsewhere;
}

/* In order the search's width alone says how many are out: free slots come and
 * go. */
static bool wants_more(const struct trials *t)
{
    return t->spec.in_order ? !t->asked : trials_has_room(t);
}

/* In order: the earliest trial, if it has its verdict. */
static struct trial *next_done(const struct trials *t)
{
    struct trial *first = trials_earliest(t);

    return first && first->done ? first : NULL;
}

/* Whether nothing will come any more of a search over its budget. */
static bool is_over(const struct trials *t)
{
    size_t way;

    if (t->spec.in_order) /* where each trial has its turn */
        return t->listed == 0;
    return t->out == 0 && (trials_is_spent(t) || !trials_next_check(t, &way)) &&
           lanes_unproven(&t->lanes) < 0;
}

/* Start what the search has. */
static void fill(struct trials *t)
{
    while (!t->why && wants_more(t)) {
        struct trial *trial;

        if (trials_over_budget(t)) {
            if (is_over(t))
                t->why = "max-runs";
            break;
        }
        trial = trials_take(t);
        t->asked = !trial;
        if (!trial)
            break;
        trial_begin(trial);
    }
}

/* The first trial that a replay has left without a verdict, a hot child without
 * one that counts, or the budget without a run; NULL: none. */
static struct trial *next_left(const struct trials *t)
{
    struct trial *first = NULL;

    for (struct trial *trial = t->list; trial; trial = trial->next)
        if (!trial->out && !trial->done && !trial->parked && !trial->waits &&
            !trial_is_open(trial) && trial_may_run(trial) &&
            (!first || trial->search.id < first->search.id))
            first = trial;
    return first;
}

/* In order: it is the earliest trial's turn, and the budget has no run left for
 * it. Those behind it may have their verdict. */
static void give_up_first(struct trials *t)
{
    struct trial *first =
        t->spec.in_order && !t->why ? trials_earliest(t) : NULL;

    if (first && first->begun && !first->out && !first->done && !first->waits &&
        !trial_may_run(first))
        trial_report(first, VERDICT_NONE, false, NULL);
}

/* They go before new ones. */
static void begin_left(struct trials *t)
{
    struct trial *trial;

    while (
        !t->why &&
        (t->spec.in_order || (!trials_over_budget(t) && trials_has_room(t))) &&
        (trial = next_left(t)))
        trial_begin(trial);
    give_up_first(t);
}

/* What led to a text that fails is not asked about. */
static void take_implied(struct trials *t)
{
    struct trial *trial;

    while (!t->why && !t->spec.in_order &&
           (trial = trials_find(t, search_implied(t->spec.search))) &&
           !trial->hot) {
        t->counts.dropped += trial->out;
        trial_give_up_run(trial);
        trial_report(trial, VERDICT_YES, false, NULL);
    }
}

/* Before the first trial; after a replay, if there are more or fewer slots than
 * when the log was written. */
static void set_width(struct trials *t)
{
    struct store_report row = { .issued = t->calls,
                                .verdict = VERDICT_YES,
                                .hash = { .low = t->spec.width } };

    if (t->spec.width == t->width || t->why)
        return;
    t->width = t->spec.width;
    search_set_width(t->spec.search, t->width);
    t->asked = false;
    t->events.reported(t->arg, &row, false);
}

void trials_pump(struct trials *t)
{
    struct trial *done;

    if (t->pumping)
        return;
    t->pumping = true;
    set_width(t);
    take_implied(t);
    begin_left(t);
    trials_check_way(t, false);
    fill(t);
    trials_prove(t);
    trials_check_way(t, true);
    while ((done = next_done(t))) {
        trial_tell(done);
        fill(t);
        begin_left(t);
    }
    t->pumping = false;
    trials_rest_lanes(t);
    settle(t);
}

void trials_stop(struct trials *t, const char *why)
{
    if (t->why || t->finished)
        return;
    t->why = why;
    if (t->out > t->out_elsewhere)
        fleet_cancel(t->spec.fleet);
    for (unsigned i = 0; i < t->spec.ncontrols && t->out_elsewhere > 0; i++) {
        if (t->spec.controls[i].fleet != t->spec.fleet)
            fleet_cancel(t->spec.controls[i].fleet);
    }
    settle(t);
}

/* ---- what there is to know ---- */

struct trials_counts trials_counts(const struct trials *t)
{
    struct trials_counts counts = t->counts;

    counts.lanes = t->lanes.counts;
    counts.hot_off = t->lanes.off;
    counts.fresh_limit_ms = t->patience[ASK_FAILS][0].limit_ms;
    return counts;
}

unsigned trials_out(const struct trials *t)
{
    return t->out;
}
