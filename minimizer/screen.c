/* Runs of the original at once; the last one to come back settles it. What they
 * do not all do, candidates need not do. */
#include "minimizer/screen.h"

#include <stdlib.h>

#include "config/mem.h"
#include "minimizer/calibrate.h"
#include "minimizer/evidence.h"

#define RUNS 3

struct check {
    struct screen_spec spec;
    void (*done)(void *arg, const struct screen *screen);
    void *arg;
    unsigned out;
    bool unfit; /* a run was not a plain one, or came to nothing */
    uint64_t slowest_ms;
    struct screen screen;
};

/* Memory that was written to by mistake, or a machine that is out of it. */
static bool may_be_chance(const struct observation *o)
{
    return o->end == END_SIGNAL || o->end == END_LIMIT || o->end == END_LOST ||
           evidence_fault(o) || evidence_traits(o) & ~(unsigned)TRAIT_SYNTAX;
}

static bool passes(const struct observation *o)
{
    return o->end == END_EXIT && o->exit_code == 0;
}

bool screen_refuses(const struct screen *screen, const struct observation *o,
                    struct buf *why)
{
    if (may_be_chance(o))
        return false;
    if (!passes(o) && screen->passes) {
        if (why) {
            buf_adds(why, "plainly: ");
            evidence_tell_end(o, why);
        }
        return true;
    }
    if (o->end != END_EXIT || !screen->context || o->cuda)
        return false;
    if (why)
        buf_adds(why, "launches no kernel");
    return true;
}

static void screen_on_run(void *arg, const struct observation *o)
{
    struct check *c = arg;
    struct screen *screen = &c->screen;
    bool fit;

    c->unfit |= !o->forked || o->end == END_LOST;
    screen->passes &= passes(o);
    screen->context &= o->end == END_EXIT && o->cuda;
    if (o->wall_ms > c->slowest_ms)
        c->slowest_ms = o->wall_ms;
    if (--c->out > 0)
        return;
    fit = !c->unfit && (screen->passes || screen->context);
    screen->timeout_ms = calibration_limit(c->spec.config, c->slowest_ms);
    c->done(c->arg, fit ? screen : NULL);
    free(c);
}

void screen_check(const struct screen_spec *spec,
                  void (*done)(void *arg, const struct screen *screen),
                  void *arg)
{
    struct check *c = xcalloc(1, sizeof(*c));
    struct run_request request = {
        .text = spec->text,
        .how = RUN_FORK,
        .timeout_ms = calibration_first_limit(spec->config),
        .cwd = spec->cwd,
    };

    *c = (struct check){ .spec = *spec,
                         .done = done,
                         .arg = arg,
                         .out = RUNS,
                         .screen = { .passes = true, .context = true } };
    for (unsigned i = 0; i < RUNS; i++)
        fleet_run(spec->fleet, &request, screen_on_run, c);
}
