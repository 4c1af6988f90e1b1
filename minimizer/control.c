/* All runs go to the fleet at once; the last one to come back settles it:
 *
 *   one lost -> lost      a fresh one fails -> refused
 *   a forked one fails, no fresh one -> fresh runs from now on, with a note */
#include "minimizer/control.h"

#include <stdlib.h>

#include "config/buf.h"
#include "config/mem.h"
#include "minimizer/calibrate.h"
#include "minimizer/explain.h"

#define RUNS_EACH 2 /* fresh, and as many forked */

struct check {
    struct control_spec spec;
    void (*done)(void *arg, const struct control_result *result);
    void *arg;
    unsigned out;
    char *lost;
    struct observation failed; /* the first fresh run that did not pass */
    bool any_failed;
    unsigned fresh, fresh_passed, forked, forked_passed;
    uint64_t slowest_fresh, slowest_fork;
    struct buf text;
};

static void control_on_fresh(void *arg, const struct observation *observation);
static void control_on_fork(void *arg, const struct observation *observation);

static void start_runs(struct check *c, enum run_how how, fleet_done_cb done)
{
    struct run_request request = {
        .text = c->spec.text,
        .how = how,
        .timeout_ms = calibration_first_limit(c->spec.config),
        .cwd = c->spec.cwd,
    };

    for (unsigned i = 0; i < RUNS_EACH; i++) {
        c->out++;
        fleet_run(c->spec.control->fleet, &request, done, c);
    }
}

void control_check(const struct control_spec *spec,
                   void (*done)(void *arg, const struct control_result *result),
                   void *arg)
{
    struct check *c = xcalloc(1, sizeof(*c));

    c->spec = *spec;
    c->done = done;
    c->arg = arg;
    buf_init(&c->text, 1 << 16);
    start_runs(c, RUN_FRESH, control_on_fresh);
    if (spec->can_fork)
        start_runs(c, RUN_FORK, control_on_fork);
}

static void settle(struct check *c)
{
    struct control_result result = { .control = *c->spec.control,
                                     .lost = c->lost };
    struct control *control = &result.control;

    if (c->out > 0)
        return;
    control->fork = c->forked > 0 && c->forked_passed == c->forked;
    control->runs = c->fresh + (control->fork ? c->forked : 0);
    control->passed = c->fresh_passed + (control->fork ? c->forked : 0);
    control->fresh_timeout_ms =
        calibration_limit(c->spec.config, c->slowest_fresh);
    control->fork_timeout_ms =
        calibration_limit(c->spec.config, c->slowest_fork);
    if (!c->lost && c->any_failed) {
        explain_no_pass(control, c->spec.signature, &c->failed, &c->text);
        result.refused = buf_str(&c->text);
    } else if (!c->lost && c->forked > 0 && !control->fork) {
        buf_addf(&c->text,
                 "%s, forked runs pass in %u of %u, fresh ones in all: fresh "
                 "runs are used",
                 control->what, c->forked_passed, c->forked);
        result.note = buf_str(&c->text);
    }
    c->done(c->arg, &result);
    observation_deinit(&c->failed);
    buf_deinit(&c->text);
    free(c->lost);
    free(c);
}

/* Whether a run passed; a lost one is remembered. */
static bool look(struct check *c, const struct observation *o)
{
    struct buf why;
    enum verdict verdict;

    buf_init(&why, 4096);
    verdict = signature_passes(c->spec.signature, o, &why);
    c->out--;
    if (verdict == VERDICT_NONE && !c->lost)
        c->lost = xstrdup(buf_str(&why));
    buf_deinit(&why);
    return verdict == VERDICT_YES;
}

static void control_on_fresh(void *arg, const struct observation *o)
{
    struct check *c = arg;
    bool passed = look(c, o);

    c->fresh++;
    c->fresh_passed += passed;
    if (o->wall_ms > c->slowest_fresh)
        c->slowest_fresh = o->wall_ms;
    if (!passed && !c->any_failed) {
        c->any_failed = true;
        observation_copy(&c->failed, o);
    }
    settle(c);
}

static void control_on_fork(void *arg, const struct observation *o)
{
    struct check *c = arg;

    c->forked++;
    c->forked_passed += look(c, o);
    if (o->wall_ms > c->slowest_fork)
        c->slowest_fork = o->wall_ms;
    settle(c);
}
