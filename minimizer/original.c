/* calibrate.h says which runs, this says when: as many as the fleet has room
 * for, more with each that ends. The trace comes last, because only a pinned
 * signature can tell whether the tracer has changed the failure:
 *
 *   runs of the calibration -> lost, refused
 *     -> pinned -> each control -> lost, refused
 *                               -> (kinds of children) -> (traced runs)
 *                                                              -> known
 *
 * A fresh run may be out still when the signature is pinned. If it then does
 * not show the failure, the failure comes and goes: its rate is measured beside
 * the search, which is told and tries its candidates more often from then on.
 * With --deterministic nothing is left out, for when it comes is chance.
 *
 * Where noting the values of expressions has changed it, one more run is traced
 * that notes its lines alone. What a traced run says of the original is a guess
 * at best: no trace, no guess. */
#include "minimizer/original.h"

#include <stdlib.h>
#include <string.h>

#include "config/buf.h"
#include "config/log.h"
#include "config/mem.h"
#include "grammar/idle.h"
#include "grammar/observed.h"
#include "minimizer/calibrate.h"
#include "minimizer/children.h"
#include "minimizer/control.h"
#include "minimizer/evidence.h"
#include "minimizer/explain.h"
#include "minimizer/screen.h"

#define COMPARING 2 /* runs that are to say the same of what is compared */

struct original {
    struct original_spec spec;
    struct original_events events;
    void *arg;
    struct calibration *calibration;
    struct calibration *asynchronous; /* the one before, see try_blocking() */
    struct calibrating *out;
    bool over;    /* nothing is started and told any more */
    bool told;    /* that all is known */
    bool settled; /* no run of the calibration is out or will be */
    bool pinned;
    bool context;       /* a forked run made one */
    unsigned comparing; /* runs that are out to tell the figures */
    bool unsteady;      /* they do not say the same */
    const struct signature *signature; /* the calibration's */
    struct guard guard;                /* once pinned */
    struct control controls[CONTROLS_MAX];
    unsigned ncontrols, checked;
    enum run_how tracing;
    char *ran, *observed; /* of the traced run */
    char *loads;          /* of the first forked run */
    struct screen screen;
    struct original_facts facts;
};

/* A run of the calibration under way. */
struct calibrating {
    struct calibrating *next;
    struct original *original;
    struct calibration_run run;
};

static void calibrated(struct original *o);
static void late(struct original *o);
static void tell_shown(struct original *o, const struct calibration_result *r);
static void original_on_run(void *arg, const struct observation *observation);

static struct bytes text_of(const struct original *o)
{
    return bytes_of(o->spec.input->text, o->spec.input->len);
}

/* Whether forked runs can show the failure. */
static bool forks_show(const struct original *o)
{
    return o->spec.can_fork && o->spec.config->sanitizer == SANITIZER_NONE;
}

/* ---- the runs of the calibration ---- */

/* What is started late does not wait for a free slot: the search takes them
 * all. */
static void pump(struct original *o)
{
    while (o->pinned || fleet_free_slots(o->spec.fleet) > 0) {
        struct calibrating *c = xcalloc(1, sizeof(*c));
        struct run_request request = { .text = text_of(o) };

        c->original = o;
        if (!calibration_next(o->calibration, &c->run)) {
            free(c);
            return;
        }
        c->next = o->out;
        o->out = c;
        request.how = c->run.how;
        request.timeout_ms = c->run.timeout_ms;
        request.loads = request.caches = true;
        request.learn = c->run.learn;
        request.cwd = c->run.user_cwd ? o->spec.user_cwd : NULL;
        fleet_run(o->spec.fleet, &request, original_on_run, c);
    }
}

/* Whether it may come to runs in which each launch waits, see try_blocking().
 */
static bool may_block(const struct original *o)
{
    const struct calibration_result *r = calibration_result(o->calibration);
    const struct observation *seen = r->shown ? r->shown : r->last;

    return o->spec.try_blocking && !o->asynchronous && !r->lost && seen &&
           evidence_fault(seen);
}

/* Whether to go on with what the calibration says so far. */
static bool is_enough(const struct original *o)
{
    return calibration_finished(o->calibration) ||
           (calibration_known(o->calibration) && !may_block(o) &&
            !o->asynchronous && !o->spec.config->deterministic);
}

static void take_out(struct calibrating *c)
{
    struct calibrating **at = &c->original->out;

    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
}

static void original_on_run(void *arg, const struct observation *observation)
{
    struct calibrating *c = arg;
    struct original *o = c->original;

    take_out(c);
    calibration_report(o->calibration, &c->run, observation);
    o->context |= observation->cuda;
    if (observation->loads && !o->loads)
        o->loads = xstrdup(observation->loads);
    free(c);
    if (o->over)
        return;
    if (!calibration_finished(o->calibration))
        pump(o);
    if (o->pinned)
        late(o);
    else if (is_enough(o))
        calibrated(o);
}

static void calibrate(struct original *o)
{
    const char *cwd = o->spec.user_cwd;

    o->calibration =
        calibration_new(o->spec.config, text_of(o), forks_show(o),
                        cwd && strcmp(cwd, o->spec.input->dir) != 0);
    pump(o);
}

struct original *original_new(const struct original_spec *spec,
                              const struct original_events *events, void *arg)
{
    struct original *o = xcalloc(1, sizeof(*o));

    o->spec = *spec;
    o->events = *events;
    o->arg = arg;
    calibrate(o);
    return o;
}

void original_free(struct original *o)
{
    if (!o)
        return;
    calibration_free(o->calibration);
    calibration_free(o->asynchronous);
    guard_deinit(&o->guard);
    free(o->ran);
    free(o->observed);
    free(o->loads);
    for (unsigned i = 0; i < o->ncontrols; i++)
        free((char *)(uintptr_t)o->controls[i].what); /* made by us */
    free(o);
}

void original_settle(struct original *o, bool at_once)
{
    struct calibrating *c;

    calibration_settle(o->calibration);
    while ((at_once || o->facts.rate < 1) && (c = o->out)) {
        take_out(c);
        fleet_drop(o->spec.fleet, c);
        calibration_forget(o->calibration, &c->run);
        free(c);
    }
    if (!o->settled && calibration_finished(o->calibration))
        tell_shown(o, calibration_result(o->calibration));
}

void original_stop(struct original *o)
{
    o->over = true;
}

const struct original_facts *original_facts(const struct original *o)
{
    return o->pinned ? &o->facts : NULL;
}

/* ---- what must stay ---- */

/* Where nothing is kept, the user should know what may become of it. */
static void tell_guard(struct original *o)
{
    struct buf text;

    buf_init(&text, 1 << 16);
    if (o->guard.words) {
        buf_addf(&text, "also keeping %s (--keep none lifts this)",
                 o->guard.words);
        o->events.say(o->arg, SAY_INFO, buf_str(&text));
    } else if (signature_of_own_text(o->signature, text_of(o), &text)) {
        o->events.say(o->arg, SAY_WARNING, buf_str(&text));
    }
    for (size_t i = 0; i < o->guard.nnames; i++) {
        buf_clear(&text);
        buf_addf(&text, "--keep %s: the script has no such call",
                 o->guard.names[i]);
        if (o->guard.counts[i] == 0)
            o->events.say(o->arg, SAY_WARNING, buf_str(&text));
    }
    buf_deinit(&text);
}

/* Whether the user wants any fault that shows the words. */
static bool keeps_nothing(const struct original *o)
{
    const struct strings *keep = &o->spec.config->keep;

    return keep->n > 0 && strcmp(keep->at[0], "none") == 0;
}

/* What must stay in every candidate. The words may be shown without the fault:
 * the test that decides is kept, unless the user does not want that. What the
 * traced run has not reached decides nothing. */
static void find_guard(struct original *o)
{
    const struct strings *keep = &o->spec.config->keep;
    bool none = keeps_nothing(o);
    struct guard_failure failure;
    struct observed seen = { 0 };
    struct span *idle = NULL;
    size_t nidle = 0;
    struct err err;

    signature_failure(o->signature, text_of(o), &failure);
    if ((o->ran &&
         idle_spans(o->spec.input->tree, o->ran, &idle, &nidle, &err)) ||
        (o->observed &&
         observed_read(&seen, o->observed, o->spec.input->len, &err)))
        log_info("trace: %s", err.text);
    failure.idle = idle;
    failure.nidle = nidle;
    failure.seen = &seen;
    guard_init(&o->guard, o->spec.input->tree, none ? NULL : &failure, keep->at,
               none ? 0 : keep->n);
    tell_guard(o);
    observed_deinit(&seen);
    free(idle);
}

/* ---- tracing ---- */

static void original_on_traced(void *arg,
                               const struct observation *observation);

/* Whether it helps to know what the test compares. Where another script must
 * pass no more is needed; nor where the message tells the share that is right;
 * and the search goes on from what a hot child says before anything has
 * figures. */
static bool wants_figures(const struct original *o)
{
    return o->facts.fork && o->facts.rate >= 1 && !o->facts.screen &&
           o->facts.children != CHILDREN_HOT && o->ncontrols == 0 &&
           o->guard.site != GUARD_NOTHING && !o->guard.chance &&
           !signature_shows_share(o->signature);
}

static void tell_known(struct original *o)
{
    if (o->unsteady)
        o->facts.figures = 0;
    o->told = true;
    o->events.known(o->arg);
}

static bool is_as_ever(const struct original *o,
                       const struct observation *observation)
{
    if (o->facts.screen)
        return !screen_refuses(o->facts.screen, observation, NULL);
    return signature_judge(o->signature, observation, NULL) == VERDICT_YES;
}

static void original_on_compared(void *arg,
                                 const struct observation *observation)
{
    struct original *o = arg;
    bool first = o->comparing-- == COMPARING;

    if (o->over)
        return;
    if (first)
        o->facts.figures = observation->figures;
    o->unsteady |=
        observation->figures != o->facts.figures || !is_as_ever(o, observation);
    if (o->comparing == 0)
        tell_known(o);
}

/* What the test compares, in numbers, if each run says the same. */
static void compare(struct original *o)
{
    struct run_request request = {
        .text = text_of(o),
        .how = RUN_FORK,
        .timeout_ms = o->facts.fork_timeout_ms,
        .cwd = o->facts.cwd,
    };
    struct buf sides;

    find_guard(o);
    buf_init(&sides, 4096);
    if (wants_figures(o))
        guard_compared(&o->guard, o->spec.input->tree, &sides);
    if (sides.len > 0) {
        request.compared = (char *)(uintptr_t)buf_str(&sides);
        o->comparing = COMPARING;
    }
    for (unsigned i = 0; request.compared && i < COMPARING; i++)
        fleet_run(o->spec.fleet, &request, original_on_compared, o);
    if (!request.compared)
        tell_known(o);
    buf_deinit(&sides);
}

static void trace(struct original *o, enum run_how how)
{
    struct run_request request = {
        .text = text_of(o),
        .how = how,
        .timeout_ms = 3 * o->facts.fork_long_ms,
        .bounds = keeps_nothing(o) ? 0 : REACH_ALL,
        .cwd = o->facts.cwd,
    };

    o->tracing = how;
    fleet_run(o->spec.fleet, &request, original_on_traced, o);
}

/* What its kernels don't do. */
static void take_reach(struct original *o, unsigned reach)
{
    o->facts.bounds = reach ? REACH_ALL & ~reach : 0;
    if (reach & REACH_OUTSIDE)
        o->events.say(o->arg, SAY_NOTE,
                      "a kernel reads or writes beyond the arrays that it is "
                      "given: what is there may differ from run to run");
}

static void original_on_traced(void *arg, const struct observation *observation)
{
    struct original *o = arg;

    if (o->over)
        return;
    if (observation->ran && is_as_ever(o, observation)) {
        o->facts.ran = o->ran = xstrdup(observation->ran);
        o->facts.observed = o->observed = xstrdup(observation->values);
        take_reach(o, observation->reach);
    } else if (o->tracing == RUN_OBSERVE) {
        log_info("trace: the script fails otherwise, or not, when values are "
                 "noted");
        trace(o, RUN_TRACE);
        return;
    } else {
        o->events.say(o->arg, SAY_NOTE,
                      "the script fails otherwise, or not, under a tracer: "
                      "code that never runs is not known beforehand");
    }
    compare(o);
}

/* All is known but for the trace. */
static void finish(struct original *o)
{
    if (o->facts.fork && o->facts.rate >= 1)
        trace(o, RUN_OBSERVE);
    else
        compare(o);
}

/* ---- what the runs have shown ---- */

static void lost(struct original *o, const struct calibration_result *r)
{
    char *why = xasprintf("the script could not be run: %s", r->lost);

    o->events.lost(o->arg, why);
    free(why);
}

static void refused(struct original *o, const struct calibration_result *r)
{
    struct buf text;
    enum exit_code code;

    buf_init(&text, 1 << 16);
    code = explain_not_reproduced(o->spec.config, o->spec.input, o->spec.python,
                                  r, &text);
    o->events.refused(o->arg, code, buf_str(&text));
    buf_deinit(&text);
}

/* What more runs may still change. */
static void rate(struct original *o, const struct calibration_result *r)
{
    struct original_facts *facts = &o->facts;

    /* Runs of a kind that is not used say nothing of the rate. */
    facts->runs = r->fresh + (facts->fork ? r->forked : 0);
    facts->matched = r->fresh_matched + (facts->fork ? r->forked_matched : 0);
    facts->rate = (double)facts->matched / (double)facts->runs;
    facts->fresh_ms = r->fresh_ms;
    facts->fresh_timeout_ms = r->fresh_timeout_ms;
    facts->fresh_long_ms = r->fresh_long_ms;
    facts->outlasts = r->ends_after_ms == 0;
}

static void pin(struct original *o, const struct calibration_result *r)
{
    o->signature = r->signature;
    o->pinned = true;
    o->facts = (struct original_facts){
        .signature = o->signature,
        .fork = r->fork,
        .aids = fleet_aids(o->spec.fleet),
        .fork_timeout_ms = r->fork_timeout_ms,
        .fork_long_ms = r->fork_long_ms,
        .hangs = r->hangs,
        .cwd = r->in_user_cwd ? o->spec.user_cwd : NULL,
        .guard = &o->guard,
        .loads = o->loads,
        .shown_ahead = r->shown_ahead,
        .nshown_ahead = r->nshown_ahead,
    };
    rate(o, r);
}

static void tell_kept(struct original *o, const struct calibration_result *r)
{
    struct buf text;

    buf_init(&text, 1 << 16);
    explain_kept(o->spec.config, r, &text);
    o->events.say(o->arg, SAY_INFO, buf_str(&text));
    buf_deinit(&text);
}

/* Once no run is out any more. */
static void tell_shown(struct original *o, const struct calibration_result *r)
{
    struct buf text;

    o->settled = true;
    buf_init(&text, 4096);
    explain_shown(r, &text);
    o->events.say(o->arg, SAY_INFO, buf_str(&text));
    buf_deinit(&text);
}

/* ---- plain runs beside the sanitizer ---- */

static void original_on_screen(void *arg, const struct screen *screen)
{
    struct original *o = arg;
    bool asked = o->spec.config->children > CHILDREN_PLAIN;

    if (o->over)
        return;
    if (screen) {
        o->screen = *screen;
        o->facts.screen = &o->screen;
        o->facts.fork = true;
        o->facts.fork_timeout_ms = screen->timeout_ms;
        o->facts.fork_long_ms = screen->timeout_ms;
        o->events.say(o->arg, SAY_NOTE,
                      screen->passes
                          ? "candidates are run plainly first: there they "
                            "must pass as the original does, or end by an "
                            "error of CUDA, a signal or a lack of memory"
                          : "candidates are run plainly first: there they "
                            "must make a CUDA context");
    }
    if (asked)
        o->events.say(o->arg, SAY_NOTE,
                      "--children: under --sanitizer each run has a process "
                      "of its own");
    o->facts.children = CHILDREN_PLAIN;
    finish(o);
}

static void check_screen(struct original *o)
{
    struct screen_spec spec = {
        .config = o->spec.config,
        .fleet = o->spec.fleet,
        .text = text_of(o),
        .cwd = o->facts.cwd,
    };

    screen_check(&spec, original_on_screen, o);
}

/* ---- which children ---- */

static void original_on_children(void *arg, enum config_children use, bool warm,
                                 const char *note)
{
    struct original *o = arg;

    o->facts.children = use;
    o->facts.warm = warm;
    if (o->over)
        return;
    if (note)
        o->events.say(o->arg, SAY_NOTE, note);
    finish(o);
}

static void check_children(struct original *o)
{
    struct children_spec spec = {
        .config = o->spec.config,
        .signature = o->signature,
        .fleet = o->spec.fleet,
        .text = text_of(o),
        .cwd = o->facts.cwd,
        .timeout_ms = o->facts.fork_long_ms,
        .fork = o->facts.fork,
        .steady = o->facts.rate >= 1,
        .context = o->context,
    };

    children_check(&spec, original_on_children, o);
}

/* ---- what must pass ---- */

static void check_next(struct original *o);

static void original_on_control(void *arg, const struct control_result *r)
{
    struct original *o = arg;

    if (o->over)
        return;
    if (r->lost) {
        char *why = xasprintf("%s the script could not be run: %s",
                              r->control.what, r->lost);

        o->events.lost(o->arg, why);
        free(why);
    } else if (r->refused) {
        o->events.refused(o->arg, EXIT_NOT_REPRODUCED, r->refused);
    } else {
        if (r->note)
            o->events.say(o->arg, SAY_NOTE, r->note);
        o->controls[o->checked++] = r->control;
        check_next(o);
    }
}

/* Check the next control; after the last one, go on. */
static void check_next(struct original *o)
{
    const struct control *control = &o->controls[o->checked];
    const struct input *input = o->spec.input;
    struct control_spec spec = {
        .config = o->spec.config,
        .signature = o->signature,
        .control = control,
        .text = control->good_form ? bytes_of(input->twin.good, input->twin.len)
                                   : text_of(o),
        .can_fork =
            forks_show(o) &&
            (control->good_form ? o->spec.can_fork : o->spec.other_can_fork),
        .cwd = o->facts.cwd,
    };

    if (o->checked < o->ncontrols)
        control_check(&spec, original_on_control, o);
    else if (o->spec.can_fork && !forks_show(o))
        check_screen(o);
    else
        check_children(o);
}

static void add_control(struct original *o, struct fleet *fleet, bool good_form,
                        char *taken)
{
    o->controls[o->ncontrols++] = (struct control){
        .what = taken,
        .fleet = fleet,
        .good_form = good_form,
    };
}

/* "with python:..., env:A=1". */
static char *name_other(const struct strings *parts)
{
    struct buf words;

    buf_init(&words, 1 << 20);
    buf_adds(&words, "with ");
    for (size_t i = 0; i < parts->n; i++)
        buf_addf(&words, "%s%s", i > 0 ? ", " : "", parts->at[i]);
    return buf_take(&words, NULL);
}

static void add_controls(struct original *o)
{
    const struct config *config = o->spec.config;

    if (o->spec.other)
        add_control(o, o->spec.other, false, name_other(&config->pass_with));
    if (o->spec.input->twin.good)
        add_control(o, o->spec.fleet, true,
                    xasprintf("in the fixed form (%s)", config->good));
    o->facts.controls = o->controls;
    o->facts.ncontrols = o->ncontrols;
}

/* ---- errors of CUDA ---- */

static void set_blocking(struct original *o, bool blocking)
{
    struct fleet *fleets[] = { o->spec.fleet, o->spec.other };
    bool may[] = { o->spec.try_blocking, o->spec.other_try_blocking };

    for (size_t i = 0; i < ARRAY_LEN(fleets); i++) {
        unsigned aids = may[i] ? fleet_aids(fleets[i]) : 0;

        if (may[i])
            fleet_set_aids(fleets[i], blocking
                                          ? aids | AID_BLOCKING
                                          : aids & ~(unsigned)AID_BLOCKING);
    }
}

/* What a kernel does wrong is told by some later call, not always the same one,
 * unless each launch waits. Where the runs differ in that, and nobody has said
 * how it shall be, they are made again with waiting. Whether that is going on
 * now. */
static bool try_blocking(struct original *o)
{
    if (!may_block(o) || calibration_steady(o->calibration))
        return false;
    o->asynchronous = o->calibration;
    set_blocking(o, true);
    calibrate(o);
    return true;
}

/* Waiting stays where it has made all runs the same. */
static void settle_blocking(struct original *o)
{
    struct calibration *blocking = o->calibration;
    struct calibration_result *r = calibration_result(blocking);

    if (!o->asynchronous)
        return;
    if (!r->lost && r->signature && calibration_steady(blocking)) {
        o->events.say(o->arg, SAY_NOTE,
                      "errors of CUDA come in different places, and in one "
                      "with CUDA_LAUNCH_BLOCKING=1, which all runs have from "
                      "now on (--launch-blocking off lifts this)");
        return;
    }
    set_blocking(o, false);
    o->calibration = o->asynchronous;
    o->asynchronous = blocking;
}

static void calibrated(struct original *o)
{
    struct calibration_result *r;

    if (try_blocking(o))
        return;
    settle_blocking(o);
    r = calibration_result(o->calibration);
    if (r->lost) {
        lost(o, r);
        return;
    }
    if (!r->signature || explain_wrong_interpreter(o->spec.config, r)) {
        refused(o, r);
        return;
    }
    pin(o, r);
    tell_kept(o, r);
    if (calibration_finished(o->calibration))
        tell_shown(o, r);
    add_controls(o);
    check_next(o);
}

/* A run is over that was still out when the signature was pinned. One that was
 * lost says nothing, and without it there is enough. */
static void late(struct original *o)
{
    const struct calibration_result *r = calibration_result(o->calibration);

    if (o->settled)
        return;
    if (!r->lost)
        rate(o, r);
    if (calibration_finished(o->calibration))
        tell_shown(o, r);
    if (o->told)
        o->events.late(o->arg);
}
