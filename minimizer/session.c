/* One minimization, in phases:
 *
 *   STARTING     worker up, interpreter found, fork server loaded
 *   CALIBRATING  the original runs; the signature is pinned; then one more run
 *                under a tracer, for the lines that are never reached
 *   SEARCHING    trials (first those the store remembers)
 *   VERIFYING    the final check from the final path
 *   CLOSING      worker, writer and store end, in that order; then done
 *
 * Any phase may go to CLOSING early; `code` says what done will be told. What
 * happens in a phase is elsewhere (original.h, reduction.h, verify.h);
 * here is what follows what, and who is told. */
#include "minimizer/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/file.h"
#include "config/log.h"
#include "config/mem.h"
#include "minimizer/aids.h"
#include "minimizer/calibrate.h"
#include "minimizer/early.h"
#include "minimizer/fleet/fleet.h"
#include "minimizer/input.h"
#include "minimizer/notes.h"
#include "minimizer/original.h"
#include "minimizer/outcome.h"
#include "minimizer/reduction.h"
#include "minimizer/report/report.h"
#include "minimizer/setup.h"
#include "minimizer/state.h"
#include "minimizer/steps.h"
#include "minimizer/store/store.h"
#include "minimizer/verify.h"

/* Where runs are made: the failure's environment, and that of --pass-with. */
struct side {
    struct session *session;
    struct job_setup setup;
    struct fleet *fleet; /* NULL: there is no such side */
    bool ready, closed, forks;
    struct ready said; /* what its first worker said of itself; owned */
};

enum { HERE, THERE, SIDES };

#define EARLY_SHARE 2 /* of the slots: most for runs of the final check */
#define DENIED_MAX 3  /* final checks after which the search goes on */

struct session {
    struct uv_loop_s *loop;
    const struct config *config;
    struct session_events events;
    void *arg;
    const char *argv[3];

    enum session_phase phase;
    enum exit_code code;
    bool decided; /* code is final */
    const char *status;
    unsigned interrupts;
    uint64_t started_ms, ended_ms; /* ended: 0 until all workers are gone */
    uint64_t searching_ms;         /* when the search began */

    struct input input;
    struct side sides[SIDES];
    struct notes notes;
    struct store *store;

    struct original *original;
    char *user_cwd;

    struct reduction *reduction; /* NULL: no search yet */
    struct early *early;         /* NULL: none */
    bool minimal;
    unsigned denied; /* final checks that sent the search back */
    struct verify_result verified;
    struct observation shown; /* a failing run of the result */
    bool have_shown;
};

static void session_on_ready(void *arg, const struct ready *ready);
static void session_on_note(void *arg, const char *text);
static void session_on_no_worker(void *arg, const struct err *err);
static void session_on_not_run(void *arg, const char *text);
static void session_on_refused(void *arg, enum exit_code code,
                               const char *text);
static void session_on_known(void *arg);
static void session_on_late(void *arg);
static void verify_begin(struct session *s);
static void session_close(struct session *s);

/* ---- small things ---- */

static uint64_t now_ms(const struct session *s)
{
    return s->ended_ms ? s->ended_ms : fleet_now_ms(s->sides[HERE].fleet);
}

static void say(void *arg, enum say_kind kind, const char *text)
{
    struct session *s = arg;

    notes_add(&s->notes, kind, text);
    s->events.say(s->arg, kind, text);
}

static void enter(struct session *s, enum session_phase phase)
{
    log_debug("session: phase %d to %d", (int)s->phase, (int)phase);
    s->phase = phase;
    s->events.phase(s->arg, phase);
}

/* The outcome; the first one counts. */
static void decide(struct session *s, enum exit_code code, const char *status)
{
    if (s->decided)
        return;
    s->decided = true;
    s->code = code;
    s->status = status;
}

/* The environment failed: say so, keep the best file, end. */
static void fail(struct session *s, const char *text)
{
    if (s->phase == SESSION_CLOSING)
        return;
    say(s, SAY_ERROR, text);
    decide(s, EXIT_ENVIRONMENT, "environment");
    if (s->reduction && !reduction_view(s->reduction).searched)
        reduction_stop(s->reduction, "environment");
    else
        session_close(s);
}

/* What is known of the original; NULL: not yet. */
static const struct original_facts *facts_of(const struct session *s)
{
    return s->original ? original_facts(s->original) : NULL;
}

/* ---- STARTING ---- */

/* All that can be refused before a process is started. */
static int prepare(struct session *s, enum exit_code *code)
{
    struct err err;
    int error = input_load(&s->input, s->config, &err);

    *code = EXIT_USAGE;
    if (!error) {
        error = state_open(&s->store, s->config, &err);
        if (error && error != -EINVAL && error != -EPROTO)
            *code = EXIT_ENVIRONMENT;
    }
    if (!error)
        error = state_check_output(s->store, s->config, &s->input, &err);
    if (error)
        say(s, SAY_ERROR, err.text);
    return error;
}

/* What reports and the key of the state need of it. */
static void keep_ready(struct ready *to, const struct ready *from)
{
    struct strings *packages = &to->packages;

    to->python = xstrdup(from->python);
    to->python_version = xstrdup(from->python_version);
    to->platform = xstrdup(from->platform);
    to->gpu = xstrdup(from->gpu);
    to->sanitizer = xstrdup(from->sanitizer);
    packages->at = xcalloc(from->packages.n + 1, sizeof(*packages->at));
    for (; packages->n < from->packages.n; packages->n++)
        packages->at[packages->n] = xstrdup(from->packages.at[packages->n]);
}

static void forget_ready(struct ready *ready)
{
    free(ready->python);
    free(ready->python_version);
    free(ready->platform);
    free(ready->gpu);
    free(ready->sanitizer);
    for (size_t i = 0; i < ready->packages.n; i++)
        free(ready->packages.at[i]);
    free(ready->packages.at);
}

static void session_free(struct session *s)
{
    store_close(s->store);
    reduction_free(s->reduction);
    early_free(s->early);
    original_free(s->original);
    for (int i = 0; i < SIDES; i++) {
        setup_deinit(&s->sides[i].setup);
        forget_ready(&s->sides[i].said);
    }
    input_deinit(&s->input);
    free(s->user_cwd);
    notes_deinit(&s->notes);
    if (s->have_shown)
        observation_deinit(&s->shown);
    free(s);
}

/* Start a side's worker; its setup is built. */
static void start_side(struct session *s, struct side *side)
{
    static const struct fleet_events events = {
        .ready = session_on_ready,
        .note = session_on_note,
        .failed = session_on_no_worker,
    };

    side->session = s;
    side->fleet = fleet_new(s->loop, s->argv, &side->setup, &events, side);
    fleet_set_aids(side->fleet, aids_wanted(s->config, &side->setup));
}

struct session *session_start(struct uv_loop_s *loop,
                              const struct config *config, const char *self,
                              const struct session_events *events, void *arg,
                              enum exit_code *code)
{
    struct session *s = xcalloc(1, sizeof(*s));

    s->loop = loop;
    s->config = config;
    s->events = *events;
    s->arg = arg;
    s->argv[0] = self;
    s->argv[1] = "worker";
    s->user_cwd = getcwd(NULL, 0);
    enter(s, SESSION_STARTING);

    if (prepare(s, code)) {
        session_free(s);
        return NULL;
    }
    setup_build(&s->sides[HERE].setup, config, &s->input);
    start_side(s, &s->sides[HERE]);
    if (config->pass_with.n > 0) {
        setup_build_other(&s->sides[THERE].setup, config, &s->input);
        start_side(s, &s->sides[THERE]);
    }
    s->started_ms = now_ms(s);
    return s;
}

/* What is said of a side: the user must know which. */
static void say_of(const struct side *side, enum say_kind kind,
                   const char *text)
{
    struct session *s = side->session;
    char *whole = NULL;

    if (side == &s->sides[THERE])
        whole = xasprintf("--pass-with: %s", text);
    say(s, kind, whole ? whole : text);
    free(whole);
}

static void session_on_note(void *arg, const char *text)
{
    say_of(arg, SAY_NOTE, text);
}

static void session_on_no_worker(void *arg, const struct err *err)
{
    struct side *side = arg;
    char *text = xasprintf(
        "%s%s", side == &side->session->sides[THERE] ? "--pass-with: " : "",
        err->text);

    fail(side->session, text);
    free(text);
}

/* A worker knows of one flag that names interpreters; there it is another. */
static char *words_of_failure(const struct side *side, const char *error)
{
    static const char flag[] = "--python";
    size_t n = strlen(error), cut = sizeof(flag) - 1;

    if (side == &side->session->sides[HERE])
        return xstrdup(error);
    if (n < cut || strcmp(error + n - cut, flag) != 0)
        return xasprintf("--pass-with: %s", error);
    return xasprintf("--pass-with: %.*s--pass-with " PART_PYTHON "PROGRAM",
                     (int)(n - cut), error);
}

static void side_failed(struct side *side, const struct ready *ready)
{
    char *text = words_of_failure(side, ready->error);

    if (ready->usage)
        decide(side->session, EXIT_USAGE, "usage");
    fail(side->session, text);
    free(text);
}

static void calibrate(struct session *s)
{
    static const struct original_events original_events = {
        .say = say,
        .lost = session_on_not_run,
        .refused = session_on_refused,
        .known = session_on_known,
        .late = session_on_late,
    };
    const struct side *here = &s->sides[HERE], *there = &s->sides[THERE];
    struct original_spec spec = {
        .fleet = here->fleet,
        .other = there->fleet,
        .config = s->config,
        .input = &s->input,
        .python = here->said.python,
        .user_cwd = s->user_cwd,
        .can_fork = here->forks,
        .other_can_fork = there->forks,
        .try_blocking = aids_try_blocking(s->config, &here->setup),
        .other_try_blocking =
            there->fleet && aids_try_blocking(s->config, &there->setup),
    };

    enter(s, SESSION_CALIBRATING);
    s->original = original_new(&spec, &original_events, s);
}

static void session_on_ready(void *arg, const struct ready *ready)
{
    struct side *side = arg;
    struct session *s = side->session;

    if (s->phase != SESSION_STARTING || side->ready)
        return;
    if (!ready->ok) {
        side_failed(side, ready);
        return;
    }
    side->ready = true;
    side->forks = ready->forks;
    keep_ready(&side->said, ready);
    if (!ready->forks && ready->no_fork_reason && ready->no_fork_reason[0])
        say_of(side, SAY_NOTE, ready->no_fork_reason);
    for (int i = 0; i < SIDES; i++) {
        if (s->sides[i].fleet && !s->sides[i].ready)
            return;
    }
    calibrate(s);
}

/* ---- CALIBRATING ---- */

static void session_on_not_run(void *arg, const char *text)
{
    fail(arg, text);
}

static void session_on_refused(void *arg, enum exit_code code, const char *text)
{
    struct session *s = arg;

    say(s, SAY_ERROR, text);
    decide(s, code,
           code == EXIT_NOT_REPRODUCED ? "not-reproduced" : "environment");
    session_close(s);
}

/* ---- SEARCHING ---- */

/* Long, lest a busy machine makes the result look as if it did not fail. What
 * hangs must hang longer than a candidate had to, if the original did. */
static uint64_t check_limit_ms(const struct session *s)
{
    const struct original_facts *facts = original_facts(s->original);
    uint64_t now = reduction_view(s->reduction).fresh_limit_ms;
    bool longer = facts->hangs ? facts->outlasts : s->config->timeout_s <= 0;

    if (now < facts->fresh_long_ms)
        now = facts->fresh_long_ms;
    return longer ? HANG_FACTOR * now : now;
}

static void session_on_accepted(void *arg, const char *kind)
{
    struct session *s = arg;

    s->events.accepted(s->arg, kind);
}

static void session_on_lost(void *arg, const struct err *err)
{
    fail(arg, err->text);
}

static void session_on_searched(void *arg)
{
    struct session *s = arg;

    s->minimal = reduction_view(s->reduction).minimal;
    if (s->code == EXIT_ENVIRONMENT || s->interrupts > 1)
        session_close(s);
}

static void tell_children(struct session *s)
{
    struct reduction_view view = reduction_view(s->reduction);
    struct buf text;

    if (view.kinds.warm + view.kinds.hot == 0)
        return;
    buf_init(&text, 4096);
    buf_addf(&text,
             "runs: %" PRIu64 " fresh, %" PRIu64 " forked, %" PRIu64 " warm",
             view.kinds.fresh, view.kinds.forked, view.kinds.warm);
    if (view.kinds.hot > 0)
        buf_addf(&text,
                 ", %" PRIu64 " hot; of %" PRIu64
                 " refusals by hot children %" PRIu64
                 " were sampled and %" PRIu64 " overturned, %" PRIu64
                 " of %" PRIu64 " batches were void, %" PRIu64 " of %" PRIu64
                 " failures there did not show in a clean child",
                 view.kinds.hot, view.hot.noes, view.hot.sampled,
                 view.hot.overturned, view.hot.voided,
                 view.hot.voided + view.hot.batches, view.hot.denied,
                 view.hot.checked);
    say(s, SAY_INFO, buf_str(&text));
    buf_deinit(&text);
}

static void session_on_settled(void *arg)
{
    struct session *s = arg;

    if (s->phase != SESSION_SEARCHING)
        return;
    tell_children(s);
    verify_begin(s);
}

/* ---- the final check, begun early ---- */

/* Where the result stands if it can be run there; elsewhere its siblings would
 * be missing, and it is laid like a candidate. */
static const char *final_path(const struct session *s, const char *path)
{
    char *dir = file_dir(s->input.output);
    bool beside = strcmp(dir, s->input.dir) == 0;

    free(dir);
    return beside ? path : NULL;
}

static void session_on_early(void *arg)
{
    struct session *s = arg;

    if (s->phase == SESSION_SEARCHING)
        reduction_retune(s->reduction); /* a slot is free */
}

/* With few slots it would only take them from the search; and without room for
 * all of its runs the last one would begin as late as ever. */
static void make_early(struct session *s)
{
    const struct original_facts *facts = original_facts(s->original);
    struct early_spec spec = {
        .fleet = s->sides[HERE].fleet,
        .path = final_path(s, s->input.output),
        .cwd = facts->cwd,
        .runs = (unsigned)s->config->repeat,
    };

    if (EARLY_SHARE * s->config->repeat <= s->config->jobs &&
        facts->ncontrols == 0 && facts->rate >= 1)
        s->early = early_new(&spec, session_on_early, s);
}

static void session_on_tried(void *arg, unsigned refusals)
{
    struct session *s = arg;

    if (s->early && steps_writing(reduction_steps(s->reduction)) == 0)
        early_look(s->early, session_text(s), refusals, check_limit_ms(s));
    else if (s->early)
        early_look(s->early, session_text(s), 0, 0);
}

static int open_reduction(struct session *s, struct err *err)
{
    static const struct reduction_events events = {
        .accepted = session_on_accepted,
        .tried = session_on_tried,
        .failed = session_on_lost,
        .searched = session_on_searched,
        .settled = session_on_settled,
    };
    const struct side *here = &s->sides[HERE], *there = &s->sides[THERE];
    struct reduction_spec spec = {
        .loop = s->loop,
        .fleet = here->fleet,
        .store = s->store,
        .facts = {
            .config = s->config,
            .input = &s->input,
            .setup = &here->setup,
            .other = there->said.python ? &there->setup : NULL,
            .original = original_facts(s->original),
            .python = here->said.python,
            .python_version = here->said.python_version,
            .sanitizer = here->said.sanitizer,
            .other_python = there->said.python,
            .other_version = there->said.python_version,
        },
        .started_ms = s->started_ms,
    };

    return reduction_open(&s->reduction, &spec, &events, s, err);
}

static void session_on_known(void *arg)
{
    struct session *s = arg;
    struct err err;

    if (open_reduction(s, &err)) {
        fail(s, err.text);
        return;
    }
    make_early(s);
    enter(s, SESSION_SEARCHING);
    s->searching_ms = now_ms(s);
    if (reduction_start(s->reduction, &err))
        fail(s, err.text);
}

/* The slots that it had are free; and if the failure comes and goes after all,
 * the trials must know. */
static void session_on_late(void *arg)
{
    struct session *s = arg;

    if (s->phase == SESSION_SEARCHING)
        reduction_retune(s->reduction);
    else if (original_facts(s->original)->rate < 1)
        s->minimal = false; /* each no of the search was that of one run */
}

/* ---- VERIFYING ---- */

static int place_step(void *arg, size_t step, struct bytes *text,
                      struct bytes *good, struct err *err)
{
    struct session *s = arg;

    return steps_place(reduction_steps(s->reduction), step, text, good, err);
}

/* What the user must know who runs the result by hand. */
static void tell_without(struct session *s, const struct verify_without *w)
{
    char *text = xasprintf("without %s the result fails in %u of %u fresh runs",
                           aid_words(w->aid), w->matched, w->runs);

    say(s, SAY_INFO, text);
    free(text);
}

/* The last step that holds stands in the file, and that is the end. */
static void tell_put_back(struct session *s, const struct verify_result *r)
{
    char *text =
        xasprintf("the final check failed%s (%s); the %s was put back",
                  r->step > 0 ? "" : " at every step", r->why,
                  r->step > 0 ? "last step that fails by itself" : "original");

    say(s, SAY_WARNING, text);
    free(text);
}

/* A search that came to its end by itself did so on a wrong yes. */
static bool may_go_on(const struct session *s)
{
    uint64_t runs = reduction_view(s->reduction).runs;
    uint64_t max = (uint64_t)s->config->max_runs;

    return !s->decided && s->denied < DENIED_MAX &&
           !reduction_view(s->reduction).stopped_by && (max == 0 || runs < max);
}

/* Go on from the step that holds. False: what led to the next one is not known,
 * and nothing has changed. */
static bool search_on(struct session *s, const struct verify_result *r)
{
    size_t steps = steps_count(reduction_steps(s->reduction));
    struct err err;
    char *text;
    int error;

    s->denied++;
    enter(s, SESSION_SEARCHING); /* which may be over at once */
    error = reduction_deny(s->reduction, r->step + 1, r->why, &err);
    if (error == -ENOENT) {
        enter(s, SESSION_VERIFYING);
        return false;
    }
    if (error) {
        fail(s, err.text);
        return true;
    }
    text = xasprintf(
        "the final check failed (%s); the search goes on from step %zu of %zu, "
        "the last that fails by itself, and new interpreters confirm each step",
        r->why, r->step, steps - 1);
    say(s, SAY_NOTE, text);
    free(text);
    return true;
}

static void session_on_verified(void *arg, const struct verify_result *result)
{
    struct session *s = arg;

    s->verified = *result;
    s->verified.shown = NULL; /* theirs */
    s->verified.why = NULL;
    if (s->phase != SESSION_VERIFYING)
        return;
    if (result->error) {
        fail(s, result->err.text);
        return;
    }
    if (result->walked_back && may_go_on(s) && search_on(s, result))
        return;
    if (result->shown) {
        observation_copy(&s->shown, result->shown);
        s->have_shown = true;
    }
    for (unsigned i = 0; i < result->nwithout; i++)
        tell_without(s, &result->without[i]);
    if (result->walked_back) {
        s->minimal = false;
        decide(s, EXIT_UNVERIFIED, "unverified");
        tell_put_back(s, result);
    }
    decide(s, EXIT_DONE, "verified");
    session_close(s);
}

static void verify_begin(struct session *s)
{
    const struct original_facts *facts = original_facts(s->original);
    uint64_t limit = (uint64_t)(s->config->max_time_s * 1000);
    bool late = limit > 0 && now_ms(s) - s->started_ms >= limit;
    unsigned runs = late ? 1 : (unsigned)s->config->repeat;
    struct verify_spec spec = {
        .fleet = s->sides[HERE].fleet,
        .signature = facts->signature,
        .guard = facts->guard,
        .controls = facts->controls,
        .ncontrols = facts->ncontrols,
        .steps = steps_count(reduction_steps(s->reduction)),
        .runs = runs,
        .needed = runs,
        .timeout_ms = check_limit_ms(s),
        .cwd = facts->cwd,
        .path = final_path(s, s->input.output),
        .good_path = final_path(s, s->input.good_output),
        .early = s->early,
        .place = place_step,
        .aids = late ? 0 : facts->aids,
    };

    original_settle(s->original, false);
    if (s->early)
        early_stop(s->early);
    if (facts->rate < 1) { /* the original is flaky: once in ten will do */
        spec.runs = runs > 10 ? runs : 10;
        spec.needed = 1;
    }
    enter(s, SESSION_VERIFYING);
    verify_start(&spec, session_on_verified, s);
}

/* ---- CLOSING ---- */

static void session_on_report_lost(void *arg, const struct err *err)
{
    say(arg, SAY_ERROR, err->text);
}

static void write_reports(struct session *s)
{
    struct session_view view = session_view(s);
    struct outcome outcome = {
        .code = s->code,
        .view = &view,
        .input = &s->input,
        .setup = &s->sides[HERE].setup,
        .ready = &s->sides[HERE].said,
        .notes = &s->notes,
        .shown = s->have_shown ? &s->shown : NULL,
        .original = facts_of(s),
        .steps = s->reduction ? reduction_steps(s->reduction) : NULL,
        .best = session_text(s),
        .good = s->reduction ? steps_good(reduction_steps(s->reduction))
                             : bytes_of("", 0),
        .reasons =
            s->code == EXIT_DONE ? reduction_reasons(s->reduction) : NULL,
    };

    if (outcome_write(&outcome, s->config, session_on_report_lost, s) > 0 &&
        s->code == EXIT_DONE)
        s->code = EXIT_ENVIRONMENT;
}

static void session_on_written(void *arg)
{
    struct session *s = arg;

    write_reports(s);
    s->events.done(s->arg, s->code);
    session_free(s);
}

static void session_on_fleet_closed(void *arg)
{
    struct side *side = arg;
    struct session *s = side->session;

    if (side == &s->sides[HERE])
        s->ended_ms = now_ms(s); /* the fleet is freed after this */
    side->closed = true;
    worker_clean(side->setup.mark);
    for (int i = 0; i < SIDES; i++) {
        if (s->sides[i].fleet && !s->sides[i].closed)
            return;
    }
    if (s->reduction)
        reduction_close(s->reduction, session_on_written, s);
    else
        session_on_written(s);
}

static void session_close(struct session *s)
{
    if (s->phase == SESSION_CLOSING)
        return;
    enter(s, SESSION_CLOSING);
    if (s->original)
        original_stop(s->original);
    if (s->reduction) {
        reduction_stop(s->reduction, "interrupt");
        reduction_seal(s->reduction, s->status);
    }
    for (int i = 0; i < SIDES; i++) {
        struct side *side = &s->sides[i];

        if (side->fleet)
            fleet_close(side->fleet, session_on_fleet_closed, side);
    }
}

/* ---- seen from outside ---- */

struct session_view session_view(const struct session *s)
{
    const struct original_facts *facts = facts_of(s);
    struct reduction_view search = { 0 };

    if (s->reduction)
        search = reduction_view(s->reduction);
    return (struct session_view){
        .phase = s->phase,
        .searched = s->reduction != NULL,
        .status = s->status,
        .script = s->input.path,
        .output = s->input.output,
        .good_output = s->input.good_output,
        .original_bytes = s->input.original_len,
        .original_lines = report_lines(bytes_of(s->input.text, s->input.len)),
        .bytes = session_text(s).len,
        .lines = report_lines(session_text(s)),
        .runs = search.runs,
        .pumped = search.pumped,
        .cached = search.cached,
        .rejected_early = search.rejected_early,
        .no_verdict = search.no_verdict,
        .kinds = search.kinds,
        .hot = search.hot,
        .accepted = search.accepted,
        .out = search.out,
        .elapsed_ms = now_ms(s) - s->started_ms,
        .verify_runs = s->verified.runs,
        .verify_matched = s->verified.matched,
        .controls = facts ? facts->controls : NULL,
        .ncontrols = facts ? facts->ncontrols : 0,
        .control_runs = s->verified.control_runs,
        .control_passed = s->verified.control_passed,
        .without = s->verified.without,
        .nwithout = s->verified.nwithout,
        .minimal = s->minimal,
        .stopped_by = search.stopped_by,
    };
}

struct bytes session_text(const struct session *s)
{
    return s->reduction ? steps_text(reduction_steps(s->reduction))
                        : bytes_of(s->input.text, s->input.len);
}

/* What the final check will take, as far as one can tell, of the user's time:
 * no more than half of what was left when the search began, for a search is
 * what was asked for. */
static uint64_t reserve_ms(const struct session *s, uint64_t limit)
{
    const struct original_facts *facts = original_facts(s->original);
    uint64_t jobs = (uint64_t)s->config->jobs;
    uint64_t runs = (uint64_t)s->config->repeat * (1 + facts->ncontrols);
    uint64_t ms = (runs + jobs - 1) / jobs * facts->fresh_ms;
    uint64_t before = s->searching_ms - s->started_ms;
    uint64_t left = limit > before ? limit - before : 0;

    return ms < left / 2 ? ms : left / 2;
}

static void stop_search(struct session *s, const char *why)
{
    original_settle(s->original, true);
    reduction_stop(s->reduction, why);
}

void session_tick(struct session *s)
{
    uint64_t limit = (uint64_t)(s->config->max_time_s * 1000);

    if (limit > 0 && s->phase == SESSION_SEARCHING &&
        now_ms(s) - s->started_ms + reserve_ms(s, limit) >= limit)
        stop_search(s, "max-time");
}

void session_interrupt(struct session *s, enum exit_code code)
{
    s->interrupts++;
    decide(s, code, "interrupted");
    if (s->phase < SESSION_SEARCHING || s->interrupts > 1)
        session_close(s);
    else if (s->phase == SESSION_SEARCHING)
        stop_search(s, "interrupt");
}
