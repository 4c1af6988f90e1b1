/* A report is the view at the end, the chain of steps and the signature in
 * words: nothing is known here that the session does not say, but for the
 * processor time. */
#include "minimizer/outcome.h"

#include <stdlib.h>
#include <time.h>

#include "config/buf.h"
#include "config/mem.h"
#include "minimizer/report/report.h"
#include "minimizer/signature.h"

static enum report_status status_of(enum exit_code code)
{
    switch (code) {
    case EXIT_DONE:
        return REPORT_VERIFIED;
    case EXIT_NOT_REPRODUCED:
        return REPORT_NOT_REPRODUCED;
    case EXIT_UNVERIFIED:
        return REPORT_UNVERIFIED;
    case EXIT_INTERRUPTED:
    case EXIT_TERMINATED:
        return REPORT_INTERRUPTED;
    case EXIT_USAGE:
    case EXIT_ENVIRONMENT:
        break;
    }
    return REPORT_ENVIRONMENT;
}

/* Processor time of this process so far, in seconds. */
static double own_cpu_s(void)
{
    struct timespec now;

    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now))
        return 0;
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* What ended the search; NULL when there was none. */
static const char *budget_of(const struct session_view *view)
{
    if (view->stopped_by)
        return view->stopped_by;
    return view->searched ? "no-verdict" : NULL;
}

/* All but steps and signature. */
static struct report facts(const struct outcome *o)
{
    const struct session_view *view = o->view;
    const struct input *input = o->input;

    return (struct report){
        .status = status_of(o->code),
        .runs = view->runs,
        .cached = view->cached,
        .rejected_early = view->rejected_early,
        .no_verdict = view->no_verdict,
        .accepted = view->accepted,
        .wall_s = (double)view->elapsed_ms / 1000,
        .tool_cpu_s = own_cpu_s(),
        .original = { input->path, bytes_of(input->text, input->len) },
        .result = { view->searched ? input->output : NULL, o->best },
        .good = { view->searched ? input->good_output : NULL, o->good },
        .verify_runs = view->verify_runs,
        .verify_matched = view->verify_matched,
        .rate_runs = o->original ? o->original->runs : 0,
        .rate_matched = o->original ? o->original->matched : 0,
        .minimal = view->minimal,
        .budget = budget_of(view),
    };
}

/* The original is no step there. */
static struct report_step *report_steps(const struct steps *steps, size_t *n)
{
    size_t count = steps ? steps_count(steps) : 0;
    struct report_step *list = xcalloc(count + 1, sizeof(*list));

    *n = count > 0 ? count - 1 : 0;
    for (size_t i = 0; i < *n; i++) {
        const struct step *step = steps_at(steps, i + 1);

        list[i] = (struct report_step){
            .t = (double)step->at_ms / 1000,
            .run = step->run,
            .kind = step->kind,
            .bytes = step->bytes,
            .mutated = step->mutated,
        };
    }
    return list;
}

static struct report_reason *report_reasons(const struct outcome *o, size_t *n)
{
    struct report_reason *list;
    struct reason *reasons = NULL;

    *n = 0;
    if (o->reasons)
        reasons = reasons_of(o->reasons, o->best, n);
    list = xcalloc(*n + 1, sizeof(*list));
    for (size_t i = 0; reasons && i < *n; i++)
        list[i] = (struct report_reason){ .first = reasons[i].first,
                                          .last = reasons[i].last,
                                          .outcome = reasons[i].why };
    free(reasons);
    return list;
}

static struct report_control *report_controls(const struct outcome *o,
                                              size_t *n)
{
    const struct session_view *view = o->view;
    struct report_control *list = xcalloc(CONTROLS_MAX, sizeof(*list));

    *n = view->ncontrols;
    for (size_t i = 0; i < *n; i++) {
        const struct control *control = &view->controls[i];

        list[i] = (struct report_control){
            .what = control->what,
            .original_runs = control->runs,
            .original_passed = control->passed,
            .runs = view->control_runs[i],
            .passed = view->control_passed[i],
        };
    }
    return list;
}

size_t outcome_write(const struct outcome *o, const struct config *config,
                     void (*failed)(void *arg, const struct err *err),
                     void *arg)
{
    struct report report = facts(o);
    struct report_step *steps = report_steps(o->steps, &report.nsteps);
    struct report_reason *reasons = report_reasons(o, &report.nreasons);
    struct report_control *controls = report_controls(o, &report.ncontrols);
    struct buf signature;
    struct err err;
    size_t nfailed = 0;

    buf_init(&signature, 1 << 16);
    report.steps = steps;
    report.reasons = reasons;
    report.controls = controls;
    if (o->original) {
        signature_describe(o->original->signature, &signature);
        report.signature = buf_str(&signature);
    }
    for (size_t i = 0; i < config->reports.n; i++) {
        if (!report_write(&report, config->reports.at[i], &err))
            continue;
        nfailed++;
        failed(arg, &err);
    }
    buf_deinit(&signature);
    free(controls);
    free(reasons);
    free(steps);
    return nfailed;
}
