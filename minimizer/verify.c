/* The chain from step 0 (fails) to the newest (to be seen): `low` is the newest
 * step known to fail, `high` the oldest known not to. The newest is checked
 * first; then the middle of what is left, until low and high touch. */
#include "minimizer/verify.h"

#include <errno.h>
#include <stdlib.h>

#include "config/mem.h"

#define LOST_MAX 6 /* runs that came to nothing, over the whole check */

struct verify {
    struct verify_spec spec;
    void (*done)(void *arg, const struct verify_result *result);
    void *arg;
    size_t low, high;
    unsigned low_matched, low_runs;
    unsigned out, asked, lost;
    struct bytes text;
    struct verify_result result;
};

static void verify_on_run(void *arg, const struct observation *observation);

static void finish(struct verify *v)
{
    v->done(v->arg, &v->result);
    free(v);
}

static void start_run(struct verify *v)
{
    struct run_request request = {
        .text = v->text,
        .how = RUN_FRESH,
        .timeout_ms = v->spec.timeout_ms,
        .path = (char *)(uintptr_t)v->spec.path,
        .cwd = (char *)(uintptr_t)v->spec.cwd,
    };

    v->out++;
    v->asked++;
    fleet_run(v->spec.fleet, &request, verify_on_run, v);
}

/* Put a step in place and start its runs; not for runs == 0. */
static int start_step(struct verify *v, size_t step)
{
    struct verify_result *r = &v->result;

    r->error = v->spec.place(v->arg, step, &v->text, &r->err);
    if (r->error)
        return r->error;
    r->step = step;
    r->runs = r->matched = 0;
    v->asked = 0;
    while (v->asked < v->spec.runs)
        start_run(v);
    return 0;
}

/* low is the answer: put it in place again if another step is. */
static void conclude(struct verify *v)
{
    struct verify_result *r = &v->result;

    if (r->step != v->low) {
        r->error = v->spec.place(v->arg, v->low, &v->text, &r->err);
        r->step = v->low;
        r->runs = v->low_runs;
        r->matched = v->low_matched;
    }
    finish(v);
}

static void step_over(struct verify *v)
{
    struct verify_result *r = &v->result;

    if (r->matched >= v->spec.needed) {
        v->low = r->step;
        v->low_runs = r->runs;
        v->low_matched = r->matched;
    } else {
        v->high = r->step;
        r->walked_back = true;
    }
    if (v->low + 1 >= v->high)
        conclude(v);
    else if (start_step(v, v->low + (v->high - v->low) / 2))
        finish(v);
}

static void verify_on_run(void *arg, const struct observation *observation)
{
    struct verify *v = arg;
    struct verify_result *r = &v->result;
    enum verdict verdict =
        signature_judge(v->spec.signature, observation, NULL);

    v->out--;
    if (verdict == VERDICT_NONE) {
        if (++v->lost > LOST_MAX && !r->error)
            r->error = err_set(&r->err, -EIO,
                               "the final check could not be carried out: %s",
                               observation->why ? observation->why : "");
        else if (!r->error)
            start_run(v);
    } else {
        r->runs++;
        r->matched += verdict == VERDICT_YES;
    }
    if (v->out > 0)
        return;
    if (r->error)
        finish(v);
    else
        step_over(v);
}

struct verify *verify_start(const struct verify_spec *spec,
                            void (*done)(void *arg,
                                         const struct verify_result *result),
                            void *arg)
{
    struct verify *v = xcalloc(1, sizeof(*v));

    v->spec = *spec;
    v->done = done;
    v->arg = arg;
    v->high = spec->steps; /* one beyond the newest */
    if (start_step(v, spec->steps - 1)) {
        /* done never comes from inside verify_start: answer by a run. */
        v->text = bytes_of("", 0);
        v->spec.path = NULL;
        start_run(v);
    }
    return v;
}
