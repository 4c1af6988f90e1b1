/* A report is the view at the end, the chain of steps and the signature in
 * words: nothing is known here that the session does not say, but for the
 * processor time. What has to be made for it lives in a struct collected, which
 * the report borrows from. */
#include "minimizer/outcome.h"

#include <stdlib.h>
#include <time.h>

#include "config/buf.h"
#include "config/mem.h"
#include "minimizer/aids.h"
#include "minimizer/report/escape.h"
#include "minimizer/report/report.h"
#include "minimizer/rerun.h"
#include "minimizer/signature.h"
#include "minimizer/verify.h"

#define ERR_LINES 30 /* shown of the output of a failing run */
#define OUT_LINES 15
#define SHOWN_MAX (6u << 10)

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

struct collected {
    struct report_step *steps;
    struct report_reason *reasons;
    struct report_control *controls;
    struct report_without *without;
    struct report_ask *asked;
    struct report_note *notes;
    struct buf signature, command;
    char end[64];
};

/* What nothing has to be made for. */
static struct report facts(const struct outcome *o)
{
    const struct session_view *view = o->view;
    const struct input *input = o->input;

    return (struct report){
        .status = status_of(o->code),
        .runs = view->runs,
        .pumped = view->pumped,
        .cached = view->cached,
        .rejected_early = view->rejected_early,
        .no_verdict = view->no_verdict,
        .kinds = view->kinds,
        .hot = view->hot,
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
        .versions = {
            .python = o->ready->python,
            .python_version = o->ready->python_version,
            .platform = o->ready->platform,
            .gpu = o->ready->gpu,
            .sanitizer = o->ready->sanitizer,
            .packages = o->ready->packages.at,
            .npackages = o->ready->packages.n,
        },
    };
}

/* The original is no step there. */
static struct report_step *report_steps(const struct steps *steps,
                                        struct report *report)
{
    size_t count = steps ? steps_count(steps) : 0;
    struct report_step *list = xcalloc(count + 1, sizeof(*list));
    size_t n = count > 0 ? count - 1 : 0;

    for (size_t i = 0; i < n; i++) {
        const struct step *step = steps_at(steps, i + 1);

        list[i] = (struct report_step){
            .t = (double)step->at_ms / 1000,
            .run = step->run,
            .kind = step->kind,
            .bytes = step->bytes,
            .mutated = step->mutated,
        };
    }
    report->steps = list;
    report->nsteps = n;
    return list;
}

static struct report_reason *report_reasons(const struct outcome *o,
                                            struct report *report)
{
    struct report_reason *list;
    struct reason *reasons = NULL;
    size_t n = 0;

    if (o->reasons)
        reasons = reasons_of(o->reasons, o->best, &n);
    list = xcalloc(n + 1, sizeof(*list));
    for (size_t i = 0; reasons && i < n; i++)
        list[i] = (struct report_reason){ .first = reasons[i].first,
                                          .last = reasons[i].last,
                                          .outcome = reasons[i].why };
    free(reasons);
    report->reasons = list;
    report->nreasons = n;
    return list;
}

static struct report_control *report_controls(const struct outcome *o,
                                              struct report *report)
{
    const struct session_view *view = o->view;
    struct report_control *list = xcalloc(CONTROLS_MAX, sizeof(*list));

    for (size_t i = 0; i < view->ncontrols; i++) {
        const struct control *control = &view->controls[i];

        list[i] = (struct report_control){
            .what = control->what,
            .original_runs = control->runs,
            .original_passed = control->passed,
            .runs = view->control_runs[i],
            .passed = view->control_passed[i],
        };
    }
    report->controls = list;
    report->ncontrols = view->ncontrols;
    return list;
}

static struct report_without *report_without(const struct outcome *o,
                                             struct report *report)
{
    const struct session_view *view = o->view;
    struct report_without *list = xcalloc(view->nwithout + 1, sizeof(*list));

    for (size_t i = 0; i < view->nwithout; i++)
        list[i] = (struct report_without){
            .aid = aid_words(view->without[i].aid),
            .runs = view->without[i].runs,
            .matched = view->without[i].matched,
        };
    report->without = list;
    report->nwithout = view->nwithout;
    return list;
}

static void add_ask(struct report_ask **list, size_t *n, size_t *room,
                    const char *option, const char *text)
{
    xgrow(list, room, *n + 1, sizeof(**list));
    (*list)[(*n)++] = (struct report_ask){ option, text };
}

/* What the user said of the failure. */
static struct report_ask *report_asked(const struct config *config,
                                       struct report *report)
{
    const struct {
        const char *option;
        const struct strings *texts;
    } lists[] = {
        { "err-msg", &config->err_msgs },
        { "err-regex", &config->err_regex },
        { "not-msg", &config->not_msgs },
        { "keep", &config->keep },
        { "pass-with", &config->pass_with },
    };
    struct report_ask *list = NULL;
    size_t n = 0, room = 0;

    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        for (size_t k = 0; k < lists[i].texts->n; k++)
            add_ask(&list, &n, &room, lists[i].option, lists[i].texts->at[k]);
    }
    if (config->test)
        add_ask(&list, &n, &room, "test", config->test);
    if (config->good)
        add_ask(&list, &n, &room, "good", config->good);
    report->asked = list;
    report->nasked = n;
    return list;
}

static struct report_note *report_notes(const struct notes *notes,
                                        struct report *report)
{
    struct report_note *list = xcalloc(notes->n + 1, sizeof(*list));

    for (size_t i = 0; i < notes->n; i++)
        list[i] = (struct report_note){ note_kind_name(notes->items[i].kind),
                                        notes->items[i].text };
    report->notes = list;
    report->nnotes = notes->n;
    return list;
}

static void collect_output(const struct observation *shown, char *end,
                           size_t size, struct report *report)
{
    if (!shown)
        return;
    report->output = (struct report_output){
        .end = observation_ending(shown, end, size),
        .gpu = shown->gpu,
        .out = escape_tail(bytes_of(shown->out, shown->out_len), OUT_LINES,
                           SHOWN_MAX),
        .err = escape_tail(bytes_of(shown->err, shown->err_len), ERR_LINES,
                           SHOWN_MAX),
    };
}

static void collect(struct collected *c, const struct outcome *o,
                    const struct config *config, struct report *report)
{
    *report = facts(o);
    c->steps = report_steps(o->steps, report);
    c->reasons = report_reasons(o, report);
    c->controls = report_controls(o, report);
    c->without = report_without(o, report);
    c->asked = report_asked(config, report);
    c->notes = report_notes(o->notes, report);
    buf_init(&c->signature, 1 << 16);
    buf_init(&c->command, 1 << 18);
    if (o->original) {
        signature_describe(o->original->signature, &c->signature);
        report->signature = buf_str(&c->signature);
    }
    if (report->result.path) {
        const char *cwd = o->original->cwd ? o->original->cwd : o->setup->cwd;

        rerun_command(o->setup, o->original->aids, cwd, report->result.path,
                      &c->command);
        report->command = buf_str(&c->command);
    }
    collect_output(o->shown, c->end, sizeof(c->end), report);
}

static void collected_deinit(struct collected *c)
{
    buf_deinit(&c->command);
    buf_deinit(&c->signature);
    free(c->notes);
    free(c->asked);
    free(c->controls);
    free(c->without);
    free(c->reasons);
    free(c->steps);
}

size_t outcome_write(const struct outcome *o, const struct config *config,
                     void (*failed)(void *arg, const struct err *err),
                     void *arg)
{
    struct collected collected;
    struct report report;
    struct err err;
    size_t nfailed = 0;

    if (config->reports.n == 0)
        return 0;
    collect(&collected, o, config, &report);
    for (size_t i = 0; i < config->reports.n; i++) {
        if (!report_write(&report, config->reports.at[i], &err))
            continue;
        nfailed++;
        failed(arg, &err);
    }
    collected_deinit(&collected);
    return nfailed;
}
