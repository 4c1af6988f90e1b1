/* A trial goes through its asks (asks.h), one run at a time:
 *
 *   search_next -> the first ask (forked where possible)
 *                    | no, syntax error ------------> report no
 *                    | none ---- again, a few times -> report none
 *                    | forked, without CUDA -------> the same ask, fresh
 *                    | yes, forked, other modules --> the same ask, fresh
 *                    | yes --------------------------> the next ask
 *                                   none left -------> report yes
 *
 * An edit that touches an import is confirmed by a fresh run, unless one has
 * said yes before to a text that loads the same modules: the original, for one.
 * So is a yes of a forked run that has imported others of the modules that its
 * fork server had loaded ahead (lazy.py): what they do to the process is there
 * in each fork, and not where the text has lost what imports them. And so is
 * every yes (spec.confirm) once a final check has shown that forked runs may be
 * wrong: of memory that nobody has written, say.
 *
 * With hot children the first ask, that it fails, begins in one of them. What
 * it says there is believed if lanes.h says so; else, and for a yes, a clean
 * run is asked as above:
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
 * the middle one is next.
 *
 * Under a sanitizer the first run of a trial is a plain, forked one, which may
 * say no (screen.h); the next is fresh, under the sanitizer.
 *
 * A run that takes too long says no once patience.h says so:
 *
 *   timeout --> (run of the best so far) --> no
 *      ^                |
 *      `--- again ------'
 *
 * That a failure is flaky may turn out late: by a run of the original, or by
 * one of the best so far that passes. Noes of single runs are doubted then, and
 * their texts come again (search_doubt).
 *
 * A flaky failure (tries > 1) is asked for `tries` times before a no, and must
 * show twice before a yes, lest its rate decay with each step. What must pass
 * is then asked `tries` times too: one pass would say nothing.
 *
 * When a report has settled what another trial was to find out, that one is
 * dropped and its run ended.
 *
 * In order (spec.in_order) a verdict waits until those of all earlier trials
 * are reported, and the search is asked for trials after a report and at no
 * other time: what it is told, and when, then depends on no clock. */
#include "minimizer/trials.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base.h"
#include "config/buf.h"
#include "config/log.h"
#include "config/mem.h"
#include "grammar/observed.h"
#include "grammar/twin.h"
#include "minimizer/asks.h"
#include "minimizer/calibrate.h"
#include "minimizer/evidence.h"
#include "minimizer/judge.h"
#include "minimizer/lanes.h"
#include "minimizer/patience.h"
#include "minimizer/screen.h"

#define TRACED_SLOWER 3
#define OTHER_MAX 65536 /* slots, or tries, that a log may tell of */
/* Of what comes and goes at a rate that nobody knows. */
#define TRIES_UNKNOWN 5
#define NONES_MAX 2        /* runs of one trial that may come to nothing */
#define TRIAL_RUNS_MAX 256 /* of one trial: three asks of 40 at most */
#define NONES_IN_A_ROW 12  /* then it is the machine */
#define WAY_MAX 256        /* yeses of hot children looked at */
#define WAY_ALONE 8  /* of them, before the only slot is used for a check */
#define SPOILT_MAX 3 /* forked runs without CUDA; then no more forks */

struct trial {
    struct trials *trials;
    struct trial *next;
    struct search_trial search;
    bool out;                     /* at a fleet */
    unsigned order[ASKS_MAX], at; /* its asks; the one that is going on */
    bool confirm;                 /* the fresh run after a forked yes */
    bool screening;               /* its run is a plain one, see screen.h */
    bool forked;                  /* its run is to be forked */
    struct attempt attempt;       /* of its run */
    bool waits;                   /* for a measurement */
    bool lasting;                 /* its run must last longer: it hangs */
    unsigned misses, hits;        /* of this ask */
    unsigned first_runs;          /* of its first ask; 0: not answered */
    bool first_no;
    bool passed; /* so said the run that says no */
    unsigned nones, runs;
    bool hot;    /* its run is one in lane `lane` */
    bool begun;  /* its asks are in order */
    bool parked; /* waits for a control run of its lane */
    bool clean;  /* no hot child is asked any more */
    enum { DOUBT_NONE, DOUBT_NO, DOUBT_YES } doubt; /* what a hot run said */
    enum verdict expected; /* what the search was told; VERDICT_NONE: nothing */
    unsigned lane;
    struct trial *next_held;
    bool done; /* has its verdict and waits for earlier trials to have theirs */
    bool early;
    enum verdict verdict;
    char *loads;        /* of the forked yes that a fresh run is to confirm */
    char *ahead;        /* likewise, see name_ahead() */
    char *why;          /* it is a no */
    char *observed;     /* it looks, and is a yes */
    struct span *marks; /* the twin's places in its text; NULL: no twin */
};

/* A run of the best so far, for the limit of fresh or of forked runs. */
struct measure {
    struct trials *trials;
    bool forked, out;
};

/* What the trials have in a lane. */
struct berth {
    struct trials *trials;
    struct trial *held;    /* noes since the last control run */
    struct trial *waiting; /* to be run after a control run; NULL: none */
};

struct trials {
    struct trials_spec spec;
    struct trials_events events;
    void *arg;
    struct trial *list; /* given out by the search, not reported yet */
    struct asks asks;
    struct lanes lanes;
    struct berth *berths;                          /* one a lane */
    struct patience patience[1 + CONTROLS_MAX][2]; /* by ask; fresh, forked */
    struct measure measures[2];
    uint64_t slowest_end[2]; /* of runs that ended by themselves */
    unsigned out;
    unsigned out_elsewhere; /* of these, in another fleet */
    uint64_t calls;         /* of search_next, for the log */
    unsigned width;         /* of the search, as the log has it; 0: not yet */
    unsigned nones_in_a_row;
    unsigned spoilt;        /* forked runs in which CUDA did not start */
    uint64_t runs_reported; /* those of trials that have been reported */
    unsigned listed;        /* trials in the list */
    bool asked;             /* the search has no more until a report */
    bool denied;            /* a clean run lately said no to a hot yes */
    bool rested;            /* no lane is wanted any more, and no child waits */
    struct strings loaded;  /* what texts load that a fresh run said yes to */
    struct trials_counts counts;
    const char *why; /* set: start nothing more */
    bool pumping, finished;
};

static void trial_on_done(void *arg, const struct observation *observation);
static void measure_on_done(void *arg, const struct observation *observation);

/* ---- what fresh runs have confirmed ---- */

static bool is_loaded(const struct trials *t, unsigned ask, const char *loads)
{
    char entry[LOADS_MAX_BYTES + 16];

    if (!loads)
        return false;
    snprintf(entry, sizeof(entry), "%u %s", ask, loads);
    for (size_t i = 0; i < t->loaded.n; i++) {
        if (strcmp(t->loaded.at[i], entry) == 0)
            return true;
    }
    return false;
}

/* A fresh run has said yes to `ask` of a text that loads this; NULL: of one of
 * which that is not known. */
static void add_loaded(struct trials *t, unsigned ask, const char *loads)
{
    if (!loads || is_loaded(t, ask, loads))
        return;
    t->loaded.at =
        xreallocarray(t->loaded.at, t->loaded.n + 1, sizeof(*t->loaded.at));
    t->loaded.at[t->loaded.n++] = xasprintf("%u %s", ask, loads);
}

/* A name for what a forked run has imported of what was loaded ahead. */
static char *name_ahead(uint32_t shown)
{
    return xasprintf("ahead %" PRIu32, shown);
}

static void add_ahead(struct trials *t, uint32_t shown)
{
    char *name = name_ahead(shown);

    add_loaded(t, ASK_FAILS, name);
    free(name);
}

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
    add_loaded(t, ASK_FAILS, spec->loads);
    for (unsigned i = 0; i < spec->nshown_ahead; i++)
        add_ahead(t, spec->shown_ahead[i]);
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

static void drop(struct trials *t, struct trial *trial)
{
    struct trial **at = &t->list;

    while (*at != trial)
        at = &(*at)->next;
    *at = trial->next;
    t->listed--;
    t->runs_reported += trial->runs;
    trial_free(trial);
}

/* ---- the asks of a trial ---- */

static unsigned ask_of(const struct trial *trial)
{
    return trial->order[trial->at];
}

/* What the present ask is about; NULL: that the candidate fails. */
static const struct control *control_of(const struct trial *trial)
{
    unsigned ask = ask_of(trial);

    return ask == ASK_FAILS ? NULL : &trial->trials->spec.controls[ask - 1];
}

static struct fleet *fleet_of(const struct trial *trial)
{
    const struct control *control = control_of(trial);

    return control ? control->fleet : trial->trials->spec.fleet;
}

/* Have the fleet run the candidate, or its good form. */
static void give(struct trial *trial, struct run_request *request,
                 bool good_form)
{
    const struct twin *twin = trial->trials->spec.twin;
    struct buf good;

    buf_init(&good, FRAME_MAX_BYTES);
    /* Where a replacement has run places together there is no good form: the
     * candidate stands for it, and does not pass. */
    if (good_form && !twin_form(twin, trial->search.text, trial->marks, &good))
        request->text = buf_bytes(&good);
    fleet_run(fleet_of(trial), request, trial_on_done, trial);
    buf_deinit(&good);
}

/* ---- what the search goes on from ---- */

/* A yes of a hot child that the search goes on from, and that no clean run is
 * asked about yet. */
static bool is_open(const struct trial *trial)
{
    return trial->doubt == DOUBT_YES && trial->expected == VERDICT_YES &&
           trial->hits == 0 && !trial->out && !trial->done;
}

static struct trial *find(const struct trials *t, uint64_t id)
{
    struct trial *trial = t->list;

    while (trial && trial->search.id != id)
        trial = trial->next;
    return trial;
}

/* Whether there is one on the way: of another the search may make nothing. */
static bool is_way_open(const struct trials *t)
{
    uint64_t ids[WAY_MAX];
    size_t n = search_way(t->spec.search, ids, WAY_MAX);

    for (size_t i = 0; i < n; i++)
        if (is_open(find(t, ids[i])))
            return true;
    return false;
}

/* ---- the budget of runs ---- */

/* The trial that search_next() gave first; NULL: there is none. */
static struct trial *earliest(const struct trials *t)
{
    struct trial *first = t->list;

    for (struct trial *trial = t->list; trial; trial = trial->next)
        if (trial->search.id < first->search.id)
            first = trial;
    return first;
}

/* In order a trial that is not reported counts as a run, whether it is over or
 * not and whatever came of it; the earliest as all that it has made. */
static bool is_spent(const struct trials *t)
{
    uint64_t max = t->spec.max_runs, runs = t->counts.runs + t->out;

    if (max == 0)
        return false;
    if (t->spec.in_order) {
        const struct trial *first = earliest(t);

        runs = t->runs_reported + t->listed;
        if (first && first->runs > 1)
            runs += first->runs - 1;
    }
    return runs >= max;
}

/* Whether a run of a trial may begin. In order the first has been counted when
 * the trial was taken; a further one waits for the trial's turn where the end
 * of the budget is near, since how many others make is a matter of time. */
static bool may_run(const struct trial *trial)
{
    const struct trials *t = trial->trials;
    uint64_t most = t->runs_reported + (t->listed + 1) * TRIAL_RUNS_MAX;

    if (!t->spec.in_order)
        return !is_spent(t);
    return t->spec.max_runs == 0 || trial->runs == 0 ||
           most < t->spec.max_runs || (trial == earliest(t) && !is_spent(t));
}

/* Whether one run must be left: of all yeses of hot children the last is to be
 * checked. */
static bool awaits_check(const struct trials *t)
{
    for (const struct trial *trial = t->list; trial; trial = trial->next)
        if (trial->hot || trial->parked)
            return true;
    return is_way_open(t);
}

/* Whether no new trial may be taken. */
static bool over_budget(const struct trials *t)
{
    uint64_t max = t->spec.max_runs;

    if (max == 0 || t->spec.in_order || is_spent(t))
        return max > 0 && is_spent(t);
    return t->counts.runs + t->out + 1 == max && awaits_check(t);
}

/* Whether a run is left to check what a hot child will say. */
static bool leaves_check(const struct trials *t)
{
    return t->spec.max_runs == 0 ||
           t->counts.runs + t->out + 2 <= t->spec.max_runs;
}

/* ---- hot children ---- */

static void berth_on_control(void *arg, const struct observation *observation);

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
static bool start_hot(struct trial *trial)
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

    if (trial->clean || trial->search.looks || ask_of(trial) != ASK_FAILS ||
        !t->spec.fork || lane < 0 || !leaves_check(t))
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

/* ---- clean runs ---- */

static struct patience *patience_of(struct trial *trial)
{
    return &trial->trials->patience[ask_of(trial)][trial->forked];
}

/* The limit of the run that begins now, which may be the first of its kind. */
static uint64_t limit_of(struct trial *trial, bool forked)
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

/* A run of the present ask, or for now none: next_left() finds the trial. */
static void start(struct trial *trial)
{
    struct trials *t = trial->trials;
    const struct control *c = control_of(trial);
    bool fork = (c ? c->fork : t->spec.fork) && !trial->confirm;
    struct run_request request = {
        .text = trial->search.text,
        .how = trial->search.looks  ? RUN_OBSERVE
               : !fork              ? RUN_FRESH
               : t->spec.warm && !c ? RUN_WARM
                                    : RUN_FORK,
        .loads = fork && trial->search.touches_import,
        .cwd = (char *)(uintptr_t)t->spec.cwd,
    };

    if (!may_run(trial) || start_hot(trial))
        return;
    trial->screening = t->spec.screen && fork && !c && !trial->search.looks;
    request.timeout_ms = limit_of(trial, fork);

    trial->out = true;
    t->out++;
    t->out_elsewhere += fleet_of(trial) != t->spec.fleet;
    give(trial, &request, c && c->good_form);
}

static void begin(struct trial *trial)
{
    if (!trial->begun)
        asks_order(&trial->trials->asks, trial->order);
    if (trial->search.looks) /* the base passed what must pass */
        trial->order[0] = ASK_FAILS;
    trial->begun = true;
    start(trial);
}

/* The present ask is answered; the first one of a trial will teach the order,
 * when the trial is reported: in order that is no matter of time. */
static void answered(struct trial *trial, bool no)
{
    if (trial->at > 0 || trial->search.looks)
        return;
    trial->first_runs = trial->misses + trial->hits;
    trial->first_no = no;
}

/* Lanes that are off get no more runs, but for what is still held: their
 * children have nothing to wait for. */
static void rest_lanes(struct trials *t)
{
    bool busy = lanes_unproven(&t->lanes) >= 0;

    for (unsigned i = 0; i < t->lanes.n; i++)
        busy = busy || t->lanes.at[i].out;
    if (t->lanes.n == 0 || !t->lanes.off || busy || t->rested)
        return;
    t->rested = true;
    fleet_rest(t->spec.fleet, REST_HOT);
}

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

/* The yes that a clean run is to be asked about next, on a way of *n; NULL:
 * there is none, or something else comes of it first. */
static struct trial *next_check(const struct trials *t, size_t *n)
{
    uint64_t ids[WAY_MAX];
    struct trial *trial;

    *n = search_way(t->spec.search, ids, WAY_MAX);
    if (*n == 0)
        return NULL;
    trial = find(t, ids[t->denied ? (*n - 1) / 2 : *n - 1]);
    return is_open(trial) ? trial : NULL;
}

/* Fleets share the machine: what is out in one leaves no room in another. */
static bool has_room(const struct trials *t)
{
    return fleet_free_slots(t->spec.fleet) > t->out_elsewhere;
}

/* In order the search's width alone says how many are out: free slots come and
 * go. */
static bool wants_more(const struct trials *t)
{
    return t->spec.in_order ? !t->asked : has_room(t);
}

/* In order: the earliest trial, if it has its verdict. */
static struct trial *next_done(const struct trials *t)
{
    struct trial *first = earliest(t);

    return first && first->done ? first : NULL;
}

/* Whether nothing will come any more of a search over its budget. */
static bool is_over(const struct trials *t)
{
    size_t way;

    if (t->spec.in_order) /* where each trial has its turn */
        return t->listed == 0;
    return t->out == 0 && (is_spent(t) || !next_check(t, &way)) &&
           lanes_unproven(&t->lanes) < 0;
}

/* Start what the search has. */
static void fill(struct trials *t)
{
    while (!t->why && wants_more(t)) {
        struct trial *trial;

        if (over_budget(t)) {
            if (is_over(t))
                t->why = "max-runs";
            break;
        }
        trial = take(t);
        t->asked = !trial;
        if (!trial)
            break;
        begin(trial);
    }
}

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
static void expect(struct trial *trial, enum verdict verdict)
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
    if (trial->why && !trial->search.looks)
        t->events.refused(t->arg, trial->search.hash, trial->why);
    if (trial->first_runs > 0 && trial->verdict != VERDICT_DROPPED)
        asks_answered(&t->asks, trial->order[0], trial->first_no,
                      trial->first_runs);
    pass_on(t, trial, trial->observed);
    accepted = search_report(t->spec.search, row.trial, trial->verdict);
    t->asked = false;
    log_trial(trial, trial->verdict, trial->early, accepted);
    trial->observed = NULL;
    drop(t, trial);
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

/* A trial waits for a control run no longer. */
static void leave_lane(struct trial *trial)
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

/* What a trial waits for is not needed any more. */
static void give_up_run(struct trial *trial)
{
    struct trials *t = trial->trials;

    leave_lane(trial);
    if (!trial->out)
        return;
    trial->out = false;
    t->out--;
    t->out_elsewhere -= fleet_of(trial) != t->spec.fleet;
    fleet_drop(fleet_of(trial), trial);
    t->counts.runs++;
    trial->runs++;
}

/* In order it counts as one run, however far it has come. */
static void end_early(struct trial *trial)
{
    struct trials *t = trial->trials;

    give_up_run(trial);
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
static void tell(struct trial *trial)
{
    struct trials *t = trial->trials;

    tell_one(trial);
    while (!t->why && (trial = next_unwanted(t)))
        end_early(trial);
}

/* The verdict of a trial, at once or when it is its turn; `why` it is a no, or
 * NULL. */
static void report(struct trial *trial, enum verdict verdict, bool early,
                   const char *why)
{
    trial->done = true;
    trial->verdict = verdict;
    trial->early = early;
    trial->why = why ? xstrdup(why) : NULL;
    if (!trial->trials->spec.in_order)
        tell(trial);
}

/* The search has nothing more for now: what is held gets its control runs. */
static void prove(struct trials *t)
{
    int lane;

    while (!t->why && has_room(t) && (lane = lanes_unproven(&t->lanes)) >= 0)
        control_lane(t, (unsigned)lane);
}

/* The first trial that a replay has left without a verdict, a hot child without
 * one that counts, or the budget without a run; NULL: none. */
static struct trial *next_left(const struct trials *t)
{
    struct trial *first = NULL;

    for (struct trial *trial = t->list; trial; trial = trial->next)
        if (!trial->out && !trial->done && !trial->parked && !trial->waits &&
            !is_open(trial) && may_run(trial) &&
            (!first || trial->search.id < first->search.id))
            first = trial;
    return first;
}

/* In order: it is the earliest trial's turn, and the budget has no run left for
 * it. Those behind it may have their verdict. */
static void give_up_first(struct trials *t)
{
    struct trial *first = t->spec.in_order && !t->why ? earliest(t) : NULL;

    if (first && first->begun && !first->out && !first->done && !first->waits &&
        !may_run(first))
        report(first, VERDICT_NONE, false, NULL);
}

/* They go before new ones. */
static void begin_left(struct trials *t)
{
    struct trial *trial;

    while (!t->why && (t->spec.in_order || (!over_budget(t) && has_room(t))) &&
           (trial = next_left(t)))
        begin(trial);
    give_up_first(t);
}

/* What led to a text that fails is not asked about. */
static void take_implied(struct trials *t)
{
    struct trial *trial;

    while (!t->why && !t->spec.in_order &&
           (trial = find(t, search_implied(t->spec.search))) && !trial->hot) {
        t->counts.dropped += trial->out;
        give_up_run(trial);
        report(trial, VERDICT_YES, false, NULL);
    }
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
static void check_way(struct trials *t, bool idle)
{
    size_t way;
    struct trial *trial = next_check(t, &way);

    if (trial && !t->why && !is_spent(t) && has_room(t) && !is_checking(t) &&
        (t->lanes.n >= 2 || way >= WAY_ALONE || idle))
        start(trial);
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
    check_way(t, false);
    fill(t);
    prove(t);
    check_way(t, true);
    while ((done = next_done(t))) {
        tell(done);
        fill(t);
        begin_left(t);
    }
    t->pumping = false;
    rest_lanes(t);
    settle(t);
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

/* A run that did take place is spoilt by how it was started: CUDA does not work
 * in a fork of this server. The next one has a new interpreter; when that says
 * the same, the words are the script's own. */
static void avoid_forks(struct trial *trial)
{
    struct trials *t = trial->trials;

    trial->confirm = true;
    if (++t->spoilt != SPOILT_MAX)
        return;
    t->spec.fork = false;
    log_warn("CUDA does not start in forked runs: new interpreters are used "
             "from now on");
}

static void take_none(struct trial *trial, const struct observation *o,
                      const char *why)
{
    struct trials *t = trial->trials;

    count_none(t, why);
    if (t->why)
        return;
    if (evidence_traits(o) & TRAIT_POISON)
        avoid_forks(trial);
    if (++trial->nones <= NONES_MAX)
        start(trial);
    else
        report(trial, VERDICT_NONE, false, NULL);
}

static void take_no(struct trial *trial, bool early, const char *why)
{
    struct trials *t = trial->trials;
    unsigned tries = control_of(trial) ? 1 : t->spec.tries;

    trial->misses++;
    if (!early && trial->misses < tries && !t->why) {
        start(trial);
        return;
    }
    answered(trial, true);
    report(trial, trial->passed ? VERDICT_PASSED : VERDICT_NO, early, why);
}

/* How many yeses an ask takes. */
static unsigned wanted(const struct trial *trial)
{
    unsigned tries = trial->trials->spec.tries;

    return control_of(trial) || tries == 1 ? tries : 2;
}

/* Whether a yes may be due to modules that the text would not load by itself,
 * or to anything else of a forked run, where that has been seen. */
static bool is_doubtful(struct trial *trial, const struct observation *o)
{
    const struct trials *t = trial->trials;
    unsigned ask = ask_of(trial);
    bool imports, ahead;

    if (!o->forked)
        return false;
    free(trial->loads);
    free(trial->ahead);
    trial->loads = xstrdup(o->loads);
    trial->ahead = o->learned > 0 ? name_ahead(o->shown) : NULL;
    imports = trial->search.touches_import && !is_loaded(t, ask, trial->loads);
    ahead = trial->ahead && !is_loaded(t, ask, trial->ahead);
    return imports || ahead || t->spec.confirm;
}

/* If this is its last ask. */
static void expect_yes(struct trial *trial)
{
    if (trial->at + 1 == trial->trials->asks.n)
        expect(trial, VERDICT_YES);
}

/* What seems to hang may end by itself after the limit: where the computation
 * is another one now (a loop of fewer rounds), or where a run has ended by
 * itself not long before the limit. There it must last longer. */
static bool must_outlast(const struct trial *trial, const struct observation *o)
{
    const struct trials *t = trial->trials;

    return t->spec.outlasts && t->spec.hangs && o->end == END_TIMEOUT &&
           !trial->lasting && !control_of(trial) && !trial->search.looks &&
           (trial->search.mutates ||
            HANG_FACTOR * t->slowest_end[trial->forked] >
                trial->attempt.limit_ms);
}

static void take_yes(struct trial *trial, const struct observation *o)
{
    struct trials *t = trial->trials;
    bool confirm = is_doubtful(trial, o);

    if (must_outlast(trial, o)) {
        trial->lasting = true;
        start(trial);
        return;
    }
    if (!o->forked && trial->confirm) {
        add_loaded(t, ask_of(trial), trial->loads);
        add_loaded(t, ask_of(trial), trial->ahead);
    }
    trial->hits++;
    if (trial->hits < wanted(trial)) {
        start(trial);
    } else if (confirm && !trial->confirm) {
        trial->confirm = true;
        expect_yes(trial);
        start(trial);
    } else if (trial->at + 1 < t->asks.n) {
        answered(trial, false);
        trial->at++;
        trial->attempt = (struct attempt){ 0 };
        trial->confirm = false;
        trial->misses = trial->hits = 0;
        start(trial);
    } else {
        answered(trial, false);
        report(trial, VERDICT_YES, false, NULL);
    }
}

static void take_look(struct trial *trial, const char *values)
{
    trial->observed = xstrdup(values);
    report(trial, VERDICT_YES, false, NULL);
}

/* What a run says of the present ask; `why` it says no, or nothing. */
static enum verdict judge(const struct trial *trial,
                          const struct observation *observation,
                          struct buf *why)
{
    const struct signature *signature = trial->trials->spec.signature;
    const struct control *control = control_of(trial);
    struct buf words;
    enum verdict verdict;

    if (!control && observation->forked && trial->trials->spec.screen)
        return screen_refuses(trial->trials->spec.screen, observation, why)
                   ? VERDICT_NO
                   : VERDICT_YES;
    if (!control)
        return judge_run(signature, trial->trials->spec.guard,
                         trial->search.text, observation, why);
    buf_init(&words, 4096);
    verdict = signature_passes(signature, observation, &words);
    buf_addf(why, "%s: %s", control->what, buf_str(&words));
    buf_deinit(&words);
    return verdict;
}

/* Whether a run that says no shows that the failure is gone. Of a flaky one a
 * run says little; under a sanitizer a plain one says nothing of it. */
static bool is_pass(const struct trial *trial, const struct observation *o)
{
    const struct trials_spec *spec = &trial->trials->spec;

    return !control_of(trial) && spec->tries == 1 && !spec->screen &&
           signature_passes(spec->signature, o, NULL) == VERDICT_YES;
}

static void count_run(struct trial *trial, const struct observation *o)
{
    struct trials *t = trial->trials;

    trial->out = false;
    t->out--;
    t->out_elsewhere -= fleet_of(trial) != t->spec.fleet;
    if (o->end == END_SYNTAX)
        t->counts.early++;
    if (o->end != END_SYNTAX && o->end != END_LOST) {
        t->counts.runs++;
        trial->runs++;
        run_kinds_count(&t->counts.kinds, o);
    }
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
            expect(trial, VERDICT_NONE);
            leave_to_clean(trial);
        } else if (lanes_samples(&t->lanes)) {
            trial->doubt = DOUBT_NO;
            leave_to_clean(trial);
        } else {
            char *why = trial->why;

            trial->why = NULL;
            take_no(trial, false, why);
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
            start(waiting);
    }
    trials_pump(t);
}

/* Take what a hot run says. False: it was none after all, or none is needed. */
static bool take_hot(struct trial *trial, const struct observation *o,
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
        expect(trial, VERDICT_NO);
        return true;
    case LANE_ASK:
        if (run.kept && verdict == VERDICT_YES) {
            trial->doubt = DOUBT_YES;
            expect_yes(trial);
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
static void check_doubt(struct trial *trial, enum verdict verdict)
{
    if (trial->doubt == DOUBT_NONE || verdict == VERDICT_NONE)
        return;
    lanes_checked(&trial->trials->lanes, trial->doubt == DOUBT_YES,
                  verdict == VERDICT_YES);
    if (trial->doubt == DOUBT_YES)
        trial->trials->denied = verdict == VERDICT_NO;
    trial->doubt = DOUBT_NONE;
}

/* For good, whatever the number of tries. */
static void refuse(struct trial *trial, bool early, const char *why)
{
    trial->misses = 1;
    answered(trial, true);
    report(trial, VERDICT_NO, early, why);
}

/* A plain run that says no says it for good; after any other the sanitizer is
 * asked. False: the run was no plain one, and has said what it is to say. */
static bool take_screening(struct trial *trial, const struct observation *o,
                           enum verdict verdict, const char *why)
{
    if (!trial->screening)
        return false;
    trial->screening = false;
    trial->confirm = true;
    if (!o->forked && o->end != END_TIMEOUT) /* its fork server was lost */
        return false;
    if (trial->trials->why)
        return true;
    if (verdict == VERDICT_NO && o->forked)
        refuse(trial, o->end == END_SYNTAX, why);
    else
        start(trial);
    return true;
}

/* ---- what takes too long ---- */

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
        start(trial);
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
                refuse(trial, false, "plainly: timeout");
            else
                take_no(trial, false, "timeout");
        }
        trial = t->list; /* a report may have taken others out of it */
    }
}

/* What chance has a hand in hot children can't tell, and one run says no to
 * nothing. */
static void doubt(struct trials *t, unsigned tries)
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
    doubt(t, tries);
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
static bool take_time(struct trial *trial, const struct observation *o,
                      enum verdict verdict)
{
    struct trials *t = trial->trials;
    uint64_t *slowest = &t->slowest_end[trial->forked];

    if (o->end == END_TIMEOUT)
        return verdict == VERDICT_NO && !t->why && !control_of(trial) &&
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

static void trial_on_done(void *arg, const struct observation *observation)
{
    struct trial *trial = arg;
    struct trials *t = trial->trials;
    bool early = observation->end == END_SYNTAX;
    enum verdict verdict = VERDICT_NO;
    struct buf why;

    buf_init(&why, 8192);
    count_run(trial, observation);
    if (!early)
        verdict = judge(trial, observation, &why);
    if (verdict != VERDICT_NONE)
        t->nones_in_a_row = 0;
    trial->passed =
        verdict == VERDICT_NO && !early && is_pass(trial, observation);
    if (trial->hot && take_hot(trial, observation, verdict, buf_str(&why))) {
        if (!t->why && !search_wants(t->spec.search, trial->search.id))
            end_early(trial);
        buf_deinit(&why);
        trials_pump(t);
        return;
    }
    check_doubt(trial, verdict);
    if (take_time(trial, observation, verdict)) {
        buf_deinit(&why);
        trials_pump(t);
        return;
    }
    if (take_screening(trial, observation, verdict,
                       early ? "does not compile" : buf_str(&why))) {
        buf_deinit(&why);
        trials_pump(t);
        return;
    }

    /* After a stop only a plain answer that is already here is used. */
    if (verdict == VERDICT_NONE && t->why)
        log_debug("trial %llu: given up", (unsigned long long)trial->search.id);
    else if (verdict == VERDICT_NONE)
        take_none(trial, observation, buf_str(&why));
    else if (verdict == VERDICT_NO)
        take_no(trial, early, early ? "does not compile" : buf_str(&why));
    else if (!t->why && trial->search.looks)
        take_look(trial, observation->values);
    else if (!t->why)
        take_yes(trial, observation);
    buf_deinit(&why);
    trials_pump(t);
}

/* What is no report. */
static bool replay_other(struct trials *t, const struct store_report *row)
{
    uint64_t n = row->hash.low;

    if (n == 0 || n > OTHER_MAX)
        return false;
    if (row->verdict == VERDICT_NO)
        doubt(t, (unsigned)n);
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
        take(t);
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
    *accepted =
        search_report(t->spec.search, row->trial, (enum verdict)row->verdict);
    log_trial(trial, (enum verdict)row->verdict, row->early, *accepted);
    drop(t, trial);
    return true;
}

void trials_tune(struct trials *t, unsigned tries, uint64_t fresh_timeout_ms,
                 uint64_t fresh_long_ms, bool outlasts)
{
    patience_widen(&t->patience[ASK_FAILS][0], fresh_timeout_ms, fresh_long_ms);
    t->spec.outlasts = outlasts;
    set_tries(t, tries);
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
