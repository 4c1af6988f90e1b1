/* Who tells whom:
 *
 *   fleet -> trials -> search        observations, verdicts
 *              |
 *              +-- every report ---> writer -> store
 *              +-- accepted -> steps -> writer -> store -> best file
 *
 *   store -> trials                  the replay, before the first trial
 *
 * An accepted report and its step are one transaction: the store never has one
 * without the other, so a replay finds as many steps as were accepted.
 *
 * A step that the final check denies is undone by a replay too, into a new
 * search: of the log up to the yes to its text (which may have become a step
 * later, when a pump had ended), and that is a no this time. What is behind is
 * cut off. */
#include "minimizer/reduction.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "config/log.h"
#include "config/mem.h"
#include "grammar/frames.h"
#include "grammar/guard.h"
#include "grammar/idle.h"
#include "grammar/observed.h"
#include "minimizer/search/search.h"
#include "minimizer/store/writer.h"
#include "minimizer/trials.h"

#define HOT_WIDTH 8 /* candidates given out for each that runs */

struct reduction {
    struct reduction_spec spec;
    struct reduction_events events;
    void *arg;
    int64_t job;
    struct store_trace trace;
    struct writer *writer; /* NULL once it is closing */
    struct search *search;
    struct trials *trials;
    struct steps *steps;
    struct reasons reasons;
    uint64_t reports; /* in the log */
    uint64_t denied;  /* the number of the yes that is a no; 0: none */
    const char *denied_why;
    bool misfit;       /* what is behind them does not follow from them */
    bool confirm;      /* one was denied: forked runs may be wrong */
    bool searched;     /* the trials have finished */
    unsigned refusals; /* since the last step */
    bool minimal;
    const char *stopped_by;
    /* By searches before this one; with these the numbers are whole. */
    struct reduction_view past;
};

static void reduction_on_reported(void *arg, const struct store_report *row,
                                  bool accepted);
static void reduction_on_refused(void *arg, struct hash128 text,
                                 const char *why);
static void reduction_on_finished(void *arg, const char *why);
static void reduction_on_failed(void *arg, const struct err *err);
static void reduction_on_kept(void *arg, size_t step);
static void reduction_on_settled(void *arg);

/* ---- made and freed ---- */

/* NULL: there is none. */
static const struct twin *twin_of(const struct reduction *r)
{
    const struct twin *twin = &r->spec.facts.input->twin;

    return twin->good ? twin : NULL;
}

static struct steps *make_steps(struct reduction *r)
{
    static const struct steps_events events = {
        .kept = reduction_on_kept,
        .failed = reduction_on_failed,
        .settled = reduction_on_settled,
    };
    const struct input *input = r->spec.facts.input;
    struct steps_spec spec = {
        .store = r->spec.store,
        .writer = r->writer,
        .job = r->job,
        .path = input->output,
        .mode = input->mode,
        .twin = twin_of(r),
        .good_path = input->good_output,
    };

    return steps_new(&spec, bytes_of(input->text, input->len), &events, r);
}

/* What a hot child refuses waits for a control run: to make that worth while,
 * more is given out than can run. */
static unsigned width_of(const struct state_facts *facts)
{
    unsigned jobs = (unsigned)facts->config->jobs;

    return facts->original->children == CHILDREN_HOT ? HOT_WIDTH * jobs : jobs;
}

/* What the trace says is a guess: without it the search takes longer. */
static struct search *make_search(const struct reduction *r)
{
    const struct store_trace *trace = &r->trace;
    const struct state_facts *facts = &r->spec.facts;
    const struct input *input = facts->input;
    static const enum mutate limits[] = {
        [MUTATE_TO_ALL] = MUTATE_ALL,
        [MUTATE_TO_INTS] = MUTATE_INTS,
        [MUTATE_TO_NONE] = MUTATE_NONE,
    };
    struct search_opts opts = {
        .width = width_of(facts),
        .mutate = limits[facts->config->mutate],
        .rename = facts->config->rename,
        .allowed = guard_keeps(facts->original->guard) ? guard_holds : NULL,
        .keep = facts->original->guard,
        .marks = input->twin.marks,
        .nmarks = input->twin.nplaces,
        .turns = facts->original->guard->site != GUARD_NOTHING,
        .looks = trace->observed && facts->original->fork,
        .figures = trace->figures,
    };
    struct span *frames, *idle = NULL;
    struct observed observed = { 0 };
    struct search *search;
    struct err err;

    if (trace->ran &&
        idle_spans(input->tree, trace->ran, &idle, &opts.nidle, &err))
        log_info("trace: %s", err.text);
    if (trace->observed &&
        observed_read(&observed, trace->observed, input->len, &err))
        log_info("trace: %s", err.text);
    opts.idle = idle;
    opts.observed = &observed;
    opts.nframes = frame_spans(
        input->tree, signature_frames(facts->original->signature), &frames);
    opts.frames = frames;
    search = search_new(bytes_of(input->text, input->len), input->frozen,
                        input->nfrozen, &opts);
    observed_deinit(&observed);
    free(idle);
    free(frames);
    return search;
}

/* For each candidate; of the good ones 5 % are lost to chance. */
static unsigned tries_of(const struct original_facts *original)
{
    if (original->rate >= 1)
        return 1;
    return (unsigned)fmin(30, ceil(log(0.05) / log1p(-original->rate)));
}

/* For the trials; 0: no budget. */
static uint64_t runs_left(const struct reduction *r)
{
    uint64_t max = (uint64_t)r->spec.facts.config->max_runs;

    return max > r->past.runs ? max - r->past.runs : max > 0 ? 1 : 0;
}

static struct trials *make_trials(struct reduction *r)
{
    static const struct trials_events events = {
        .reported = reduction_on_reported,
        .refused = reduction_on_refused,
        .finished = reduction_on_finished,
        .failed = reduction_on_failed,
    };
    const struct state_facts *facts = &r->spec.facts;
    const struct original_facts *original = facts->original;
    struct trials_spec spec = {
        .fleet = r->spec.fleet,
        .search = r->search,
        .signature = original->signature,
        .guard = original->guard,
        .fork = original->fork,
        .screen = original->screen,
        .bounds = original->bounds,
        .figures = r->trace.figures != 0,
        .fork_timeout_ms = original->fork_timeout_ms,
        .fresh_timeout_ms = original->fresh_timeout_ms,
        .fork_long_ms = original->fork_long_ms,
        .fresh_long_ms = original->fresh_long_ms,
        .config = facts->config,
        .hangs = original->hangs,
        .outlasts = original->outlasts,
        .cwd = original->cwd,
        .loads = original->loads,
        .shown_ahead = original->shown_ahead,
        .nshown_ahead = original->nshown_ahead,
        .confirm = r->confirm,
        .hot = original->children == CHILDREN_HOT && !r->confirm,
        .warm = original->warm,
        .lanes = (unsigned)facts->config->jobs,
        .tries = tries_of(original),
        .width = width_of(facts),
        .twin = twin_of(r),
        .max_runs = runs_left(r),
        .in_order = facts->config->deterministic,
        .controls = original->controls,
        .ncontrols = original->ncontrols,
    };

    return trials_new(&spec, &events, r);
}

static void make_parts(struct reduction *r)
{
    r->steps = make_steps(r);
    r->search = make_search(r);
    r->trials = make_trials(r);
}

int reduction_open(struct reduction **reduction,
                   const struct reduction_spec *spec,
                   const struct reduction_events *events, void *arg,
                   struct err *err)
{
    struct reduction *r = xcalloc(1, sizeof(*r));
    int error = state_begin(spec->store, &spec->facts, &r->job, &r->trace, err);

    r->spec = *spec;
    r->events = *events;
    r->arg = arg;
    if (error) {
        reduction_free(r);
        return error;
    }
    r->writer = writer_new(spec->loop, spec->store, r->job);
    make_parts(r);
    *reduction = r;
    return 0;
}

void reduction_free(struct reduction *r)
{
    if (!r)
        return;
    trials_free(r->trials);
    search_free(r->search);
    steps_free(r->steps);
    reasons_deinit(&r->reasons);
    free(r->trace.ran);
    free(r->trace.observed);
    free(r);
}

/* ---- steps ---- */

/* The chain grows by the search's present base. */
static void add_step(struct reduction *r, const char *kind)
{
    struct bytes text = search_text(r->search);
    struct step step = {
        .kind = kind,
        .run = r->past.runs + trials_counts(r->trials).runs,
        .at_ms = fleet_now_ms(r->spec.fleet) - r->spec.started_ms,
        .bytes = text.len,
        .mutated = search_mutated(r->search),
        .text = hash_bytes(text.data, text.len),
    };

    if (twin_of(r)) {
        step.marks = xcalloc(twin_of(r)->nplaces, sizeof(*step.marks));
        search_marks(r->search, 0, step.marks);
    }
    steps_add(r->steps, &step);
}

/* The log goes on from what has been replayed of it. */
static void cut_log(struct reduction *r)
{
    struct store_cut cut = { .reports = r->reports,
                             .steps = steps_count(r->steps) };
    struct store_batch batch = { .cut = &cut };

    r->misfit = false;
    writer_add(r->writer, &batch, NULL, NULL);
}

static void reduction_on_reported(void *arg, const struct store_report *row,
                                  bool accepted)
{
    struct reduction *r = arg;
    struct store_batch batch = { .reports = row, .nreports = 1 };

    if (r->misfit)
        cut_log(r);
    r->reports++;
    if (accepted) {
        add_step(r, search_last_kind(r->search));
        steps_keep(r->steps, search_text(r->search), row);
        r->refusals = 0;
    } else {
        writer_add(r->writer, &batch, NULL, NULL);
        if (row->trial == 0) /* nothing was tried */
            return;
        r->refusals += verdict_is_no((enum verdict)row->verdict) && !row->early;
    }
    r->events.tried(r->arg, r->refusals);
}

static void reduction_on_refused(void *arg, struct hash128 text,
                                 const char *why)
{
    struct reduction *r = arg;

    reasons_note(&r->reasons, text, why);
}

static void reduction_on_kept(void *arg, size_t step)
{
    struct reduction *r = arg;

    if (step > 0)
        r->events.accepted(r->arg, steps_at(r->steps, step)->kind);
}

static void reduction_on_failed(void *arg, const struct err *err)
{
    struct reduction *r = arg;

    r->events.failed(r->arg, err);
}

static void reduction_on_settled(void *arg)
{
    struct reduction *r = arg;

    if (r->searched)
        r->events.settled(r->arg);
}

/* ---- the replay and the trials ---- */

static bool reduction_on_replay(void *arg, const struct store_report *row)
{
    struct reduction *r = arg;
    struct store_report told = *row;
    bool last = r->reports + 1 == r->denied;
    bool accepted;

    if (last)
        told.verdict = VERDICT_NO;
    if (!trials_replay(r->trials, &told, &accepted)) {
        log_info("the store's log fits up to step %zu",
                 steps_count(r->steps) - 1);
        r->misfit = true;
        return false;
    }
    if (last) {
        cut_log(r);
        reduction_on_refused(r, told.hash, r->denied_why);
        reduction_on_reported(r, &told, accepted);
        return false;
    }
    r->reports++;
    if (accepted)
        add_step(r, search_last_kind(r->search));
    return true;
}

int reduction_start(struct reduction *r, struct err *err)
{
    int error;

    add_step(r, "original");
    error = store_replay(r->spec.store, r->job, reduction_on_replay, r, err);
    if (!error && steps_count(r->steps) > 1)
        error = steps_restore(r->steps, search_text(r->search), err);
    else if (!error)
        steps_keep(r->steps, search_text(r->search), NULL);
    if (!error)
        trials_pump(r->trials);
    return error;
}

/* What has been counted before a search and is not counted by it again. */
static void keep_past(struct reduction_view *past,
                      const struct reduction_view *before,
                      const struct reduction_view *now)
{
    *past = *before;
    past->pumped -= now->pumped;
    past->cached -= now->cached;
    past->rejected_early -= now->rejected_early;
    past->no_verdict -= now->no_verdict;
}

/* The yes to a text in the log. */
struct yes {
    struct hash128 text;
    uint64_t at;
    bool found;
};

/* Not of a run that looked at a text that was the base already. */
static bool find_yes(void *arg, const struct store_report *row)
{
    struct yes *yes = arg;

    yes->at++;
    yes->found = row->trial != 0 && row->verdict == VERDICT_YES &&
                 !row->expected && !row->observed &&
                 hash_equal(row->hash, yes->text);
    return !yes->found;
}

int reduction_deny(struct reduction *r, size_t step, const char *why,
                   struct err *err)
{
    struct reduction_view before = reduction_view(r), now;
    struct steps *old = r->steps;
    struct yes yes = { .text = steps_at(old, step)->text };
    int error = store_replay(r->spec.store, r->job, find_yes, &yes, err);

    if (!error && !yes.found)
        error = err_set(err, -ENOENT,
                        "no run in the state file led to step %zu", step);
    if (error)
        return error;

    trials_free(r->trials);
    search_free(r->search);
    r->confirm = true;
    r->denied = yes.at;
    r->denied_why = why;
    r->past = before; /* the trials are told how many runs are left */
    make_parts(r);
    r->reports = 0;
    r->refusals = 0;
    r->searched = r->minimal = false;
    add_step(r, "original");
    error = store_replay(r->spec.store, r->job, reduction_on_replay, r, err);
    r->denied = 0;
    r->denied_why = NULL;
    r->past = (struct reduction_view){ 0 };
    now = reduction_view(r);
    keep_past(&r->past, &before, &now);
    steps_date(r->steps, old);
    steps_free(old);
    if (!error && steps_writing(r->steps) == 0)
        error = steps_restore(r->steps, search_text(r->search), err);
    if (!error)
        trials_pump(r->trials);
    return error;
}

static void reduction_on_finished(void *arg, const char *why)
{
    struct reduction *r = arg;

    r->searched = true;
    r->stopped_by = why;
    r->minimal = !why && search_minimal(r->search);
    r->events.searched(r->arg);
    if (steps_writing(r->steps) == 0)
        r->events.settled(r->arg);
}

void reduction_retune(struct reduction *r)
{
    const struct original_facts *original = r->spec.facts.original;

    if (r->searched)
        return;
    trials_tune(r->trials, tries_of(original), original->fresh_timeout_ms,
                original->fresh_long_ms, original->outlasts);
    trials_pump(r->trials);
}

void reduction_stop(struct reduction *r, const char *why)
{
    if (!r->searched)
        trials_stop(r->trials, why);
}

void reduction_seal(struct reduction *r, const char *status)
{
    struct store_batch last = { .status = status };

    steps_seal(r->steps);
    writer_add(r->writer, &last, NULL, NULL);
}

void reduction_close(struct reduction *r, void (*closed)(void *arg), void *arg)
{
    struct writer *writer = r->writer;

    r->writer = NULL;
    writer_close(writer, closed, arg);
}

/* ---- seen from outside ---- */

struct reduction_view reduction_view(const struct reduction *r)
{
    struct trials_counts counts = trials_counts(r->trials);
    struct search_stats stats = search_stats(r->search);
    const struct reduction_view *past = &r->past;
    size_t steps = steps_count(r->steps);

    run_kinds_add(&counts.kinds, &past->kinds);
    return (struct reduction_view){
        .searched = r->searched,
        .minimal = r->minimal,
        .stopped_by = r->stopped_by,
        .runs = past->runs + counts.runs,
        .pumped = past->pumped + stats.pump_runs,
        .cached = past->cached + counts.replayed + stats.remembered,
        .rejected_early =
            past->rejected_early + counts.early + stats.rejected_early,
        .no_verdict = past->no_verdict + counts.no_verdict,
        .kinds = counts.kinds,
        .hot = r->confirm ? past->hot : counts.lanes,
        .accepted = steps > 0 ? steps - 1 : 0,
        .fresh_limit_ms = counts.fresh_limit_ms,
        .out = r->searched ? 0 : trials_out(r->trials),
    };
}

struct steps *reduction_steps(struct reduction *r)
{
    return r->steps;
}

struct reasons *reduction_reasons(struct reduction *r)
{
    return &r->reasons;
}
