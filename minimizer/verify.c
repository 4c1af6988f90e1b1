/* The chain from step 0 (fails) to the newest (to be seen): `low` is the newest
 * step known to fail, `high` the oldest known not to. The newest is checked
 * first; then the middle of what is left, until low and high touch. Then the
 * runs without an aid, one aid after the other. */
#include "minimizer/verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/buf.h"
#include "config/mem.h"
#include "minimizer/early.h"
#include "minimizer/judge.h"

#define WHY_MAX 8192
#define LOST_MAX 6 /* runs that came to nothing, over the whole check */

/* What is counted of a step. */
struct tally {
    unsigned runs, matched;
    unsigned control_runs[CONTROLS_MAX], control_passed[CONTROLS_MAX];
};

struct verify {
    struct verify_spec spec;
    void (*done)(void *arg, const struct verify_result *result);
    void *arg;
    size_t low, high;
    struct tally low_tally, tally;
    unsigned out, lost;
    struct bytes text, good;
    struct observation shown, low_shown; /* of the step in place, of low */
    bool have_shown, have_low_shown;
    char *why; /* the newest step does not do; NULL: not seen yet */
    struct verify_result result;
};

/* A run under way. */
struct verifying {
    struct verify *verify;
    const struct control *control; /* NULL: it must fail */
};

/* An aid that is done without. */
static struct verify_without *without_now(struct verify *v)
{
    return v->result.nwithout > 0 ? &v->result.without[v->result.nwithout - 1]
                                  : NULL;
}

static void verify_on_run(void *arg, const struct observation *observation);

static void finish(struct verify *v)
{
    if (v->have_low_shown && v->result.step == v->low)
        v->result.shown = &v->low_shown;
    v->result.why = v->why ? v->why : "";
    v->done(v->arg, &v->result);
    if (v->have_shown)
        observation_deinit(&v->shown);
    if (v->have_low_shown)
        observation_deinit(&v->low_shown);
    free(v->why);
    free(v);
}

/* What was shown of the step in place is what is shown of low. */
static void keep_shown(struct verify *v)
{
    if (v->have_low_shown)
        observation_deinit(&v->low_shown);
    v->low_shown = v->shown;
    v->have_low_shown = v->have_shown;
    v->have_shown = false;
}

static void forget_shown(struct verify *v)
{
    if (v->have_shown)
        observation_deinit(&v->shown);
    v->have_shown = false;
}

/* `early`: where to take it from, if it has begun there; or NULL. */
static void start_run(struct verify *v, const struct control *c,
                      struct early *early)
{
    struct verifying *run = xcalloc(1, sizeof(*run));
    bool good = c && c->good_form;
    const char *path = good ? v->spec.good_path : v->spec.path;
    struct run_request request = {
        .text = good ? v->good : v->text,
        .how = RUN_FRESH,
        .timeout_ms = c ? c->fresh_timeout_ms : v->spec.timeout_ms,
        .path = (char *)(uintptr_t)path,
        .cwd = (char *)(uintptr_t)v->spec.cwd,
    };

    *run = (struct verifying){ v, c };
    v->out++;
    if (early && !c && early_take(early, v->text, verify_on_run, run))
        return;
    fleet_run_without(c ? c->fleet : v->spec.fleet, &request,
                      without_now(v) ? without_now(v)->aid : 0, verify_on_run,
                      run);
}

/* Put a step in place and start its runs; not for runs == 0. */
static int start_step(struct verify *v, size_t step)
{
    struct verify_result *r = &v->result;
    struct early *early = step + 1 == v->spec.steps ? v->spec.early : NULL;

    r->error = v->spec.place(v->arg, step, &v->text, &v->good, &r->err);
    if (r->error)
        return r->error;
    r->step = step;
    v->tally = (struct tally){ 0 };
    for (unsigned i = 0; i < v->spec.runs; i++) {
        start_run(v, NULL, early);
        for (unsigned c = 0; c < v->spec.ncontrols; c++)
            start_run(v, &v->spec.controls[c], NULL);
    }
    return 0;
}

/* Run what is in place without the next aid; after the last one it is over. */
static void next_without(struct verify *v)
{
    struct verify_result *r = &v->result;
    unsigned left = v->spec.aids;

    for (unsigned i = 0; i < r->nwithout; i++)
        left &= ~(unsigned)r->without[i].aid;
    if (left == 0 || r->error || r->nwithout == AIDS_MAX) {
        finish(v);
        return;
    }
    r->without[r->nwithout++].aid = (enum run_aid)(left & -left);
    for (unsigned i = 0; i < v->spec.runs; i++)
        start_run(v, NULL, NULL);
}

/* low is the answer: put it in place again if another step is. */
static void conclude(struct verify *v)
{
    struct verify_result *r = &v->result;
    const struct tally *t = &v->low_tally;

    if (r->step != v->low) {
        r->error = v->spec.place(v->arg, v->low, &v->text, &v->good, &r->err);
        r->step = v->low;
    }
    r->runs = t->runs;
    r->matched = t->matched;
    memcpy(r->control_runs, t->control_runs, sizeof(r->control_runs));
    memcpy(r->control_passed, t->control_passed, sizeof(r->control_passed));
    next_without(v);
}

static bool holds(const struct verify *v)
{
    for (unsigned c = 0; c < v->spec.ncontrols; c++) {
        if (v->tally.control_passed[c] < v->tally.control_runs[c])
            return false;
    }
    return v->tally.matched >= v->spec.needed;
}

static void step_over(struct verify *v)
{
    struct verify_result *r = &v->result;

    if (holds(v)) {
        v->low = r->step;
        v->low_tally = v->tally;
        keep_shown(v);
    } else {
        forget_shown(v);
        v->high = r->step;
        r->walked_back = true;
    }
    if (v->low + 1 >= v->high)
        conclude(v);
    else if (start_step(v, v->low + (v->high - v->low) / 2))
        finish(v);
}

static void count(struct verify *v, const struct control *control, bool yes)
{
    struct tally *t = &v->tally;
    struct verify_without *without = without_now(v);

    if (without) {
        without->runs++;
        without->matched += yes;
    } else if (control) {
        t->control_runs[control - v->spec.controls]++;
        t->control_passed[control - v->spec.controls] += yes;
    } else {
        t->runs++;
        t->matched += yes;
    }
}

/* Once no run is out. */
static void go_on(struct verify *v)
{
    if (v->out > 0)
        return;
    if (v->result.error)
        finish(v);
    else if (without_now(v))
        next_without(v);
    else
        step_over(v);
}

static enum verdict judge(struct verify *v, const struct control *control,
                          const struct observation *observation)
{
    enum verdict verdict;
    struct buf why;

    buf_init(&why, WHY_MAX);
    if (control)
        buf_addf(&why, "%s: ", control->what);
    verdict = control ? signature_passes(v->spec.signature, observation, &why)
                      : judge_run(v->spec.signature, v->spec.guard, v->text,
                                  observation, &why);
    if (verdict_is_no(verdict) && !v->why && !without_now(v))
        v->why = xstrdup(buf_str(&why));
    buf_deinit(&why);
    return verdict;
}

static void verify_on_run(void *arg, const struct observation *observation)
{
    struct verifying run = *(struct verifying *)arg;
    struct verify *v = run.verify;
    struct verify_result *r = &v->result;
    enum verdict verdict = judge(v, run.control, observation);

    free(arg);
    v->out--;
    if (verdict == VERDICT_NONE && without_now(v)) {
        go_on(v); /* nothing hangs on it */
        return;
    }
    if (verdict == VERDICT_NONE) {
        if (++v->lost > LOST_MAX && !r->error)
            r->error = err_set(&r->err, -EIO,
                               "the final check could not be carried out: %s",
                               observation->why ? observation->why : "");
        else if (!r->error)
            start_run(v, run.control, NULL);
    } else {
        count(v, run.control, verdict == VERDICT_YES);
        if (verdict == VERDICT_YES && !run.control && !v->have_shown &&
            !without_now(v)) {
            observation_copy(&v->shown, observation);
            v->have_shown = true;
        }
    }
    go_on(v);
}

void verify_start(const struct verify_spec *spec,
                  void (*done)(void *arg, const struct verify_result *result),
                  void *arg)
{
    struct verify *v = xcalloc(1, sizeof(*v));

    v->spec = *spec;
    v->done = done;
    v->arg = arg;
    v->high = spec->steps; /* one beyond the newest */
    v->out++;              /* until all have been started */
    if (start_step(v, spec->steps - 1)) {
        /* An error does not come from inside verify_start: answer by a run. */
        v->text = bytes_of("", 0);
        v->spec.path = NULL;
        start_run(v, NULL, NULL);
    }
    v->out--;
    go_on(v);
}
