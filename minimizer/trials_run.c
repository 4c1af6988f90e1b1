/* From an ask of a trial to a run: which text (the candidate, or its good
 * form), in which fleet, and in what kind of process.
 *
 *   looks ------------------------------> traced
 *   it may not fork, or is confirmed ---> fresh
 *   the first ask, a lane is free ------> hot (trials_hot.c)
 *   else -------------------------------> warm or forked
 *
 * Under a sanitizer the first run of a trial is a plain, forked one, which may
 * say no (screen.h); the next is fresh, under the sanitizer. */
#include <stdlib.h>

#include "grammar/guard.h"
#include "grammar/tree.h"
#include "grammar/twin.h"
#include "minimizer/screen.h"
#include "minimizer/trials_parts.h"

unsigned trial_ask_of(const struct trial *trial)
{
    return trial->order[trial->at];
}

/* What the present ask is about; NULL: that the candidate fails. */
const struct control *trial_control_of(const struct trial *trial)
{
    unsigned ask = trial_ask_of(trial);

    return ask == ASK_FAILS ? NULL : &trial->trials->spec.controls[ask - 1];
}

struct fleet *trial_fleet_of(const struct trial *trial)
{
    const struct control *control = trial_control_of(trial);

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
    fleet_run(trial_fleet_of(trial), request, trial_on_done, trial);
    buf_deinit(&good);
}

/* What the run is to tell of what the test compares; caller frees, NULL:
 * nothing. */
static char *compared_by(const struct trial *trial)
{
    struct tree *tree = tree_parse(trial->search.text);
    struct buf out;

    buf_init(&out, 4096);
    guard_compared(trial->trials->spec.guard, tree, &out);
    tree_free(tree);
    return out.len > 0 ? buf_take(&out, NULL) : (buf_deinit(&out), NULL);
}

/* A run of the present ask, or for now none: next_left() of
 * trials.c finds the trial. */
void trial_start(struct trial *trial)
{
    struct trials *t = trial->trials;
    const struct control *c = trial_control_of(trial);
    bool fork = (c ? c->fork : t->spec.fork) && !trial->confirm;
    struct run_request request = {
        .text = trial->search.text,
        .how = trial->search.looks  ? RUN_OBSERVE
               : !fork              ? RUN_FRESH
               : t->spec.warm && !c ? RUN_WARM
                                    : RUN_FORK,
        .loads = fork && trial->search.touches_import,
        .bounds = fork && !c && !t->spec.screen ? t->spec.bounds : 0,
        .cwd = (char *)(uintptr_t)t->spec.cwd,
    };

    if (!trial_may_run(trial) || trial_start_hot(trial))
        return;
    trial->screening = t->spec.screen && fork && !c && !trial->search.looks;
    request.timeout_ms = trial_limit_of(trial, fork);

    trial->out = true;
    t->out++;
    t->out_elsewhere += trial_fleet_of(trial) != t->spec.fleet;
    if (fork && !c && !trial->search.looks && t->spec.figures)
        request.compared = compared_by(trial);
    give(trial, &request, c && c->good_form);
    free(request.compared);
}

void trial_begin(struct trial *trial)
{
    if (!trial->begun)
        asks_order(&trial->trials->asks, trial->order);
    if (trial->search.looks) /* the base passed what must pass */
        trial->order[0] = ASK_FAILS;
    trial->begun = true;
    trial_start(trial);
}
