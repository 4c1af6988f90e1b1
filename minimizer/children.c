/* Run by run, each when the one before is over:
 *
 *   warm --> hot --> hot --> warm --> warm, until one had a warm child
 *
 * The first warm run finds no warm child, since nobody has asked for one
 * before; it has one made for the next. What was never seen in a warm child is
 * left to plain ones. Without hot children there may be warm ones yet. */
#include "minimizer/children.h"

#include <stdlib.h>

#include "config/buf.h"
#include "config/mem.h"

#define WARM_RUNS 3
#define HOT_RUNS 2
#define HOT_FASTER 3 /* times, to be chosen without being asked for */

struct children {
    struct children_spec spec;
    enum config_children wanted;
    unsigned warm, hot; /* runs made; WARM_RUNS: no more are needed */
    enum run_how how;   /* the one that is out; RUN_FORK: there was none */
    uint64_t child;     /* the hot one */
    uint64_t forked_ms; /* of a run that made its context itself; 0: none */
    bool seen_warm;     /* the failure has shown in a warm child */
    char *note;         /* why there are no hot ones, or NULL */
    children_done_cb done;
    void *arg;
};

static void next(struct children *c);

/* What is worth trying. */
static enum config_children wanted(const struct children_spec *spec)
{
    enum config_children asked = spec->config->children;

    if (!spec->fork || asked == CHILDREN_PLAIN)
        return CHILDREN_PLAIN;
    if (asked == CHILDREN_AUTO)
        asked = spec->context ? CHILDREN_HOT : CHILDREN_PLAIN;
    /* The order of answers would depend on what shares a child; and a no that
     * chance has a hand in cannot be told from one that the child has. */
    if (asked == CHILDREN_HOT && (spec->config->deterministic || !spec->steady))
        asked = CHILDREN_WARM;
    if (asked == CHILDREN_WARM && !spec->context)
        asked = CHILDREN_PLAIN;
    return asked;
}

/* What was made for a kind that is not used is not waited for. */
static void finish(struct children *c, enum config_children use)
{
    if (use != CHILDREN_HOT && c->how != RUN_FORK)
        fleet_rest(c->spec.fleet, use == CHILDREN_WARM ? REST_HOT : REST_ALL);
    c->done(c->arg, use, c->seen_warm && use != CHILDREN_PLAIN, c->note);
    free(c->note);
    free(c);
}

/* Keep in mind why a kind of child is not used. */
static void refuse(struct children *c, const char *what,
                   const struct observation *o)
{
    struct buf note;

    buf_init(&note, 8192);
    if (c->note)
        buf_addf(&note, "%s; ", c->note);
    buf_addf(&note, "%s: ", what);
    if (signature_judge(c->spec.signature, o, &note) == VERDICT_YES)
        buf_adds(&note, "the failure, and leaves behind what cannot be put "
                        "back");
    free(c->note);
    c->note = xstrdup(buf_str(&note));
    buf_deinit(&note);
}

static void take_warm(struct children *c, const struct observation *o)
{
    c->warm = o->warm ? WARM_RUNS : c->warm + 1;
    if (!o->warm && !c->forked_ms)
        c->forked_ms = o->wall_ms;
    if (signature_judge(c->spec.signature, o, NULL) == VERDICT_YES) {
        c->seen_warm = c->seen_warm || o->warm;
        next(c);
        return;
    }
    refuse(c,
           "no child makes its CUDA context ahead, since the original shows "
           "there",
           o);
    finish(c, CHILDREN_PLAIN);
}

static void take_hot(struct children *c, const struct observation *o)
{
    bool free_choice = c->spec.config->children == CHILDREN_AUTO;
    bool fit = o->hot && o->kept && (!c->child || c->child == o->hot) &&
               signature_judge(c->spec.signature, o, NULL) == VERDICT_YES;

    c->hot++;
    c->child = o->hot;
    if (!fit && !free_choice)
        refuse(c,
               "no child runs more than one candidate, since the original "
               "shows there",
               o);
    if (free_choice && c->hot == HOT_RUNS)
        fit = fit && HOT_FASTER * o->wall_ms <= c->forked_ms;
    if (!fit)
        c->wanted = c->spec.context ? CHILDREN_WARM : CHILDREN_PLAIN;
    next(c);
}

static void children_on_run(void *arg, const struct observation *o)
{
    struct children *c = arg;

    if (c->how == RUN_WARM)
        take_warm(c, o);
    else
        take_hot(c, o);
}

static void next(struct children *c)
{
    struct run_request request = {
        .text = c->spec.text,
        .timeout_ms = c->spec.timeout_ms,
        .cwd = c->spec.cwd,
    };

    if (c->warm > 0 && c->wanted == CHILDREN_HOT && c->hot < HOT_RUNS)
        request.how = RUN_HOT;
    else if (c->warm < WARM_RUNS)
        request.how = RUN_WARM;
    else {
        /* None got ready in time: it is not known what would show there. */
        if (c->wanted == CHILDREN_WARM && !c->seen_warm)
            c->wanted = CHILDREN_PLAIN;
        finish(c, c->wanted);
        return;
    }
    c->how = request.how;
    fleet_run(c->spec.fleet, &request, children_on_run, c);
}

void children_check(const struct children_spec *spec, children_done_cb done,
                    void *arg)
{
    struct children *c = xcalloc(1, sizeof(*c));

    c->spec = *spec;
    c->done = done;
    c->arg = arg;
    c->wanted = wanted(spec);
    if (!spec->context)
        c->warm = WARM_RUNS; /* hot by the user's wish, and nothing to make */
    if (c->wanted == CHILDREN_PLAIN)
        finish(c, CHILDREN_PLAIN);
    else
        next(c);
}
