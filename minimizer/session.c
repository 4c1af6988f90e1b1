/* One minimization, in phases:
 *
 *   STARTING     worker up, interpreter found, fork server loaded
 *   CALIBRATING  the original runs; the signature is pinned; then one more run
 *                under a tracer, for the lines that are never reached
 *   SEARCHING    trials (first those the store remembers)
 *   VERIFYING    the final check from the final path
 *   CLOSING      worker, writer and store end, in that order; then done
 *
 * Any phase may go to CLOSING early; `code` says what done will be told. An
 * accepted step is written to the store first and to the best file when it is
 * durable there, so that whatever stands in the best file is known as ours. */
#include "minimizer/session.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "config/buf.h"
#include "config/file.h"
#include "config/hash.h"
#include "config/log.h"
#include "config/mem.h"
#include "grammar/guard.h"
#include "grammar/idle.h"
#include "minimizer/calibrate.h"
#include "minimizer/explain.h"
#include "minimizer/fleet/fleet.h"
#include "minimizer/input.h"
#include "minimizer/report/report.h"
#include "minimizer/search/search.h"
#include "minimizer/setup.h"
#include "minimizer/signature.h"
#include "minimizer/store/store.h"
#include "minimizer/store/writer.h"
#include "minimizer/trials.h"
#include "minimizer/verify.h"

/* One accepted step; its text is in the store. */
struct step {
    const char *kind;
    uint64_t run, at_ms;
    size_t bytes;
};

struct session {
    struct uv_loop_s *loop;
    const struct config *config;
    struct session_events events;
    void *arg;
    const char *argv[3];

    enum session_phase phase;
    enum exit_code code;
    bool decided; /* code is final */
    const char *status, *stopped_by;
    unsigned interrupts;
    uint64_t started_ms, ended_ms; /* ended: 0 until all workers are gone */

    struct input input;
    struct job_setup setup;
    char *python, *python_version;
    struct fleet *fleet;
    struct store *store;
    struct writer *writer;
    int64_t job;

    struct calibration *calibration;
    unsigned calibrating; /* runs out */
    bool in_user_cwd;
    char *user_cwd;
    unsigned fresh, fresh_matched, forked, forked_matched;

    struct signature *signature;
    bool fork;
    uint64_t fresh_timeout_ms, fork_timeout_ms;
    double rate;
    struct span *idle; /* never reached, by the trace */
    size_t nidle;
    struct guard guard; /* what every candidate must keep */

    struct search *search;
    struct trials *trials;
    struct trials_counts counts; /* of the search, kept for the report */
    struct search_stats stats;
    bool minimal;

    struct step *steps; /* [0]: the original */
    size_t nsteps, steps_room;
    size_t written;   /* newest step in the best file */
    unsigned writing; /* store writes whose steps are not in the file yet */
    bool searched;    /* the trials have finished */

    struct verify *verify;
    char *placed; /* the text verify has in place */
    struct verify_result verified;

    char *best; /* the text in the best file */
    size_t best_len;
};

static void session_on_ready(void *arg, const struct ready *ready);
static void session_on_note(void *arg, const char *text);
static void session_on_no_worker(void *arg, const struct err *err);
static void session_on_no_runs(void *arg, const struct err *err);
static void calibrate_pump(struct session *s);
static void trace_begin(struct session *s);
static void search_begin(struct session *s);
static void session_on_reported(void *arg, const struct store_report *row,
                                bool accepted);
static void session_on_searched(void *arg, const char *why);
static void verify_begin(struct session *s);
static void session_close(struct session *s);

/* ---- small things ---- */

static uint64_t now_ms(const struct session *s)
{
    return s->ended_ms ? s->ended_ms : fleet_now_ms(s->fleet);
}

static void say(struct session *s, enum say_kind kind, const char *text)
{
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
    if (s->trials && !s->searched)
        trials_stop(s->trials, "environment");
    else
        session_close(s);
}

static void set_best(struct session *s, struct bytes text)
{
    free(s->best);
    s->best = xmemdup(text.data, text.len);
    s->best_len = text.len;
}

static int write_best(struct session *s, struct bytes text, struct err *err)
{
    int error =
        file_replace(s->input.output, text.data, text.len, s->input.mode, err);

    if (!error)
        set_best(s, text);
    return error;
}

/* ---- STARTING ---- */

static int open_store(struct session *s, struct err *err)
{
    const struct config *config = s->config;
    char *path = config->state ? xstrdup(config->state) : store_default_path();
    int error;

    if (!path)
        return err_set(err, -ENOENT,
                       "no home folder to keep the state in: set HOME or "
                       "XDG_STATE_HOME, or give a file with --state");
    error = store_open(&s->store, path, config->force, err);
    free(path);
    return error;
}

/* The output may be replaced when it is no one else's work. */
static int check_output(struct session *s, struct err *err)
{
    char *data;
    size_t len;
    bool ours;

    if (access(s->input.output, F_OK) || s->config->force)
        return 0;
    int error = file_read(s->input.output, SCRIPT_MAX_BYTES, &data, &len, err);
    if (error)
        return error;
    ours = len == 0 || store_knows(s->store, hash_bytes(data, len));
    free(data);
    if (ours)
        return 0;
    return err_set(err, -EEXIST,
                   "%s: exists and is no earlier result of this tool; move it "
                   "away, choose another name with -o, or give --force",
                   s->input.output);
}

/* All that can be refused before a process is started. */
static int prepare(struct session *s, enum exit_code *code)
{
    struct err err;
    int error = input_load(&s->input, s->config, &err);

    *code = EXIT_USAGE;
    if (!error) {
        error = open_store(s, &err);
        if (error && error != -EINVAL && error != -EPROTO)
            *code = EXIT_ENVIRONMENT;
    }
    if (!error)
        error = check_output(s, &err);
    if (error)
        say(s, SAY_ERROR, err.text);
    return error;
}

static void session_free(struct session *s)
{
    store_close(s->store);
    trials_free(s->trials);
    search_free(s->search);
    signature_free(s->signature);
    calibration_free(s->calibration);
    setup_deinit(&s->setup);
    input_deinit(&s->input);
    free(s->steps);
    free(s->idle);
    guard_deinit(&s->guard);
    free(s->user_cwd);
    free(s->python);
    free(s->python_version);
    free(s->placed);
    free(s->best);
    free(s);
}

struct session *session_start(struct uv_loop_s *loop,
                              const struct config *config, const char *self,
                              const struct session_events *events, void *arg,
                              enum exit_code *code)
{
    static const struct fleet_events fleet_events = {
        .ready = session_on_ready,
        .note = session_on_note,
        .failed = session_on_no_worker,
    };
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
    set_best(s, bytes_of(s->input.text, s->input.len));
    setup_build(&s->setup, config, &s->input);
    s->fleet = fleet_new(loop, s->argv, &s->setup, &fleet_events, s);
    s->started_ms = fleet_now_ms(s->fleet);
    return s;
}

static void session_on_note(void *arg, const char *text)
{
    say(arg, SAY_NOTE, text);
}

static void session_on_no_worker(void *arg, const struct err *err)
{
    struct session *s = arg;
    char *text = xasprintf("no worker can be kept running: %s", err->text);

    fail(s, text);
    free(text);
}

static void session_on_no_runs(void *arg, const struct err *err)
{
    fail(arg, err->text);
}

static void session_on_ready(void *arg, const struct ready *ready)
{
    struct session *s = arg;

    if (s->phase != SESSION_STARTING)
        return;
    if (!ready->ok) {
        if (ready->usage)
            decide(s, EXIT_USAGE, "usage");
        fail(s, ready->error);
        return;
    }
    s->python = xstrdup(ready->python);
    s->python_version = xstrdup(ready->python_version);
    if (!ready->forks && ready->no_fork_reason && ready->no_fork_reason[0])
        say(s, SAY_NOTE, ready->no_fork_reason);
    struct bytes script = bytes_of(s->input.text, s->input.len);
    bool other = s->user_cwd && strcmp(s->user_cwd, s->input.dir) != 0;
    s->calibration = calibration_new(s->config, script, ready->forks, other);
    enter(s, SESSION_CALIBRATING);
    calibrate_pump(s);
}

/* ---- CALIBRATING ---- */

struct calibrating {
    struct session *session;
    struct calibration_run run;
};

static void calibrate_over(struct session *s);

static void session_on_calibrated(void *arg,
                                  const struct observation *observation)
{
    struct calibrating *c = arg;
    struct session *s = c->session;

    s->calibrating--;
    calibration_report(s->calibration, &c->run, observation);
    free(c);
    if (s->phase != SESSION_CALIBRATING)
        return;
    if (calibration_finished(s->calibration))
        calibrate_over(s);
    else
        calibrate_pump(s);
}

static void calibrate_pump(struct session *s)
{
    while (fleet_free_slots(s->fleet) > 0) {
        struct calibrating *c = xcalloc(1, sizeof(*c));
        struct run_request request = {
            .text = bytes_of(s->input.text, s->input.len),
        };

        c->session = s;
        if (!calibration_next(s->calibration, &c->run)) {
            free(c);
            return;
        }
        request.how = c->run.how;
        request.timeout_ms = c->run.timeout_ms;
        request.cwd = c->run.user_cwd ? s->user_cwd : NULL;
        s->calibrating++;
        fleet_run(s->fleet, &request, session_on_calibrated, c);
    }
}

static void not_reproduced(struct session *s,
                           const struct calibration_result *result)
{
    struct buf text;
    enum exit_code code;

    buf_init(&text, 1 << 16);
    code =
        explain_not_reproduced(s->config, &s->input, s->python, result, &text);
    say(s, SAY_ERROR, buf_str(&text));
    buf_deinit(&text);
    decide(s, code,
           code == EXIT_NOT_REPRODUCED ? "not-reproduced" : "environment");
    session_close(s);
}

/* What must stay in every candidate. The words may be shown without the fault:
 * the kernel is kept in a comparison where there is one, unless the user does
 * not want that. */
static void find_guard(struct session *s)
{
    const struct strings *keep = &s->config->keep;
    bool none = keep->n > 0 && strcmp(keep->at[0], "none") == 0;
    struct buf text;
    bool own;

    buf_init(&text, 1 << 16);
    own = signature_of_own_text(s->signature,
                                bytes_of(s->input.text, s->input.len), &text);
    guard_init(&s->guard, s->input.tree, own && !none, keep->at,
               none ? 0 : keep->n);
    if (s->guard.comparison)
        buf_adds(&text, "; a kernel's result is kept in the test that decides "
                        "(--keep none lifts this)");
    if (own)
        say(s, SAY_WARNING, buf_str(&text));
    for (size_t i = 0; i < s->guard.nnames; i++) {
        buf_clear(&text);
        buf_addf(&text, "--keep %s: the script has no such call",
                 s->guard.names[i]);
        if (s->guard.counts[i] == 0)
            say(s, SAY_WARNING, buf_str(&text));
    }
    buf_deinit(&text);
}

static void calibrate_over(struct session *s)
{
    struct calibration_result *r = calibration_result(s->calibration);
    struct buf text;

    if (r->lost) {
        char *why = xasprintf("the script could not be run: %s", r->lost);

        fail(s, why);
        free(why);
        return;
    }
    buf_init(&text, 1 << 16);
    if (!r->signature || explain_wrong_interpreter(s->config, r)) {
        buf_deinit(&text);
        not_reproduced(s, r);
        return;
    }
    s->signature = r->signature;
    r->signature = NULL;
    s->in_user_cwd = r->in_user_cwd;
    s->fork = r->fork;
    s->fresh = r->fresh;
    s->fresh_matched = r->fresh_matched;
    s->forked = r->forked;
    s->forked_matched = r->forked_matched;
    s->fresh_timeout_ms = r->fresh_timeout_ms;
    s->fork_timeout_ms = r->fork_timeout_ms;
    s->rate = (double)(r->fresh_matched + r->forked_matched) /
              (double)(r->fresh + r->forked);

    explain_calibration(s->config, s->signature, r, &text);
    say(s, SAY_INFO, buf_str(&text));
    buf_clear(&text);
    buf_deinit(&text);
    find_guard(s);
    trace_begin(s);
}

/* ---- tracing ---- */

/* What the traced run says of the original is a guess at best: no trace, no
 * guess. */
static void session_on_traced(void *arg, const struct observation *observation)
{
    struct session *s = arg;
    struct err err;

    if (s->phase != SESSION_CALIBRATING)
        return;
    if (observation->ran &&
        signature_judge(s->signature, observation, NULL) == VERDICT_YES) {
        if (idle_spans(s->input.tree, observation->ran, &s->idle, &s->nidle,
                       &err))
            log_info("trace: %s", err.text);
    } else {
        say(s, SAY_NOTE,
            "the script fails otherwise, or not, under a tracer: code that "
            "never runs is not known beforehand");
    }
    search_begin(s);
}

static void trace_begin(struct session *s)
{
    struct run_request request = {
        .text = bytes_of(s->input.text, s->input.len),
        .how = RUN_TRACE,
        .timeout_ms = 3 * s->fork_timeout_ms,
        .cwd = s->in_user_cwd ? s->user_cwd : NULL,
    };

    if (s->fork && s->rate >= 1)
        fleet_run(s->fleet, &request, session_on_traced, s);
    else
        search_begin(s);
}

/* ---- SEARCHING ---- */

/* What makes verdicts comparable: the text, the question, the tools. */
static struct hash128 job_key(const struct session *s)
{
    struct hash128 key = hash_bytes(s->input.text, s->input.len);
    struct buf text;

    buf_init(&text, 1 << 20);
    buf_adds(&text, AUTODD_VERSION "\n");
    buf_addf(&text, "%s/%s\n%s %s\n", s->input.dir, s->input.name, s->python,
             s->python_version);
    signature_key(s->signature, &text);
    setup_key(&s->setup, &text);
    buf_addf(&text, "\n%d %d %d %s", (int)s->fork, s->config->jobs,
             (int)s->guard.comparison, s->in_user_cwd ? s->user_cwd : "");
    for (size_t i = 0; i < s->guard.nnames; i++)
        buf_addf(&text, " keep %s", s->guard.names[i]);
    for (size_t i = 0; i < s->input.nfrozen; i++)
        buf_addf(&text, " %u-%u", s->input.frozen[i].start,
                 s->input.frozen[i].end);
    key = hash_more(key, buf_str(&text), text.len);
    buf_deinit(&text);
    return key;
}

static void add_step(struct session *s, const char *kind, size_t bytes)
{
    xgrow(&s->steps, &s->steps_room, s->nsteps + 1, sizeof(*s->steps));
    s->steps[s->nsteps++] = (struct step){
        .kind = kind,
        .run = s->trials ? trials_counts(s->trials).runs : 0,
        .at_ms = now_ms(s) - s->started_ms,
        .bytes = bytes,
    };
}

/* A step that the store has been asked to keep. */
struct keeping {
    struct session *session;
    size_t step;
    char *text;
    size_t len;
};

static void session_on_kept(void *arg, int error, const struct err *err)
{
    struct keeping *k = arg;
    struct session *s = k->session;
    struct err why;

    s->writing--;
    if (error) {
        fail(s, err->text);
    } else if (k->step >= s->written && s->phase != SESSION_CLOSING) {
        s->written = k->step;
        if (write_best(s, bytes_of(k->text, k->len), &why))
            fail(s, why.text);
        else if (k->step > 0)
            s->events.accepted(s->arg, s->steps[k->step].kind);
    }
    free(k->text);
    free(k);
    if (s->searched && s->writing == 0 && s->phase == SESSION_SEARCHING)
        verify_begin(s);
}

/* Keep the newest step: store, then best file, then word of it. */
static void keep_step(struct session *s, struct bytes text,
                      const struct store_report *row)
{
    struct step *step = &s->steps[s->nsteps - 1];
    struct keeping *k = xcalloc(1, sizeof(*k));
    struct store_step kept = {
        .run = step->run,
        .at_ms = step->at_ms,
        .kind = step->kind,
        .text = text,
    };
    struct store_batch batch = {
        .reports = row,
        .nreports = row ? 1 : 0,
        .steps = &kept,
        .nsteps = 1,
        .runs = step->run,
    };

    k->session = s;
    k->step = s->nsteps - 1;
    k->text = xmemdup(text.data, text.len);
    k->len = text.len;
    s->writing++;
    writer_add(s->writer, &batch, session_on_kept, k);
}

static void session_on_reported(void *arg, const struct store_report *row,
                                bool accepted)
{
    struct session *s = arg;
    struct store_batch batch = { .reports = row, .nreports = 1 };

    if (!accepted) {
        writer_add(s->writer, &batch, NULL, NULL);
        return;
    }
    add_step(s, search_last_kind(s->search), search_text(s->search).len);
    keep_step(s, search_text(s->search), row);
}

static bool session_on_replay(void *arg, const struct store_report *row)
{
    struct session *s = arg;
    bool accepted;

    if (!trials_replay(s->trials, row, &accepted)) {
        log_info("the store's log fits up to step %zu", s->nsteps - 1);
        return false;
    }
    if (accepted)
        add_step(s, search_last_kind(s->search), search_text(s->search).len);
    return true;
}

static int open_job(struct session *s, struct err *err)
{
    struct bytes text = bytes_of(s->input.text, s->input.len);
    struct store_batch begin = { .status = "running" };
    struct buf signature;
    bool fresh;
    int error = store_job(s->store, job_key(s), s->input.path, text, &s->job,
                          &fresh, err);

    if (!error && !fresh && s->config->no_cache)
        error = store_reset(s->store, s->job, err);
    if (error)
        return error;
    buf_init(&signature, 1 << 16);
    signature_describe(s->signature, &signature);
    begin.signature = buf_str(&signature);
    error = store_write(s->store, s->job, &begin, err);
    buf_deinit(&signature);
    return error;
}

/* Replay what the store has; then the best so far goes to the best file. */
static int resume(struct session *s, struct err *err)
{
    int error;

    add_step(s, "original", s->input.len);
    error = store_replay(s->store, s->job, session_on_replay, s, err);
    if (error)
        return error;
    if (s->nsteps == 1) {
        keep_step(s, search_text(s->search), NULL);
        return 0;
    }
    s->written = s->nsteps - 1;
    return write_best(s, search_text(s->search), err);
}

static void search_begin(struct session *s)
{
    static const struct trials_events events = {
        .reported = session_on_reported,
        .finished = session_on_searched,
        .failed = session_on_no_runs,
    };
    struct search_opts opts = {
        .width = (unsigned)s->config->jobs,
        .allowed = guard_keeps(&s->guard) ? guard_holds : NULL,
        .keep = &s->guard,
        .idle = s->idle,
        .nidle = s->nidle,
    };
    struct trials_spec spec = {
        .fleet = s->fleet,
        .signature = s->signature,
        .fork = s->fork,
        .fork_timeout_ms = s->fork_timeout_ms,
        .fresh_timeout_ms = s->fresh_timeout_ms,
        .cwd = s->in_user_cwd ? s->user_cwd : NULL,
        .tries = 1,
        .max_runs = (uint64_t)s->config->max_runs,
    };
    struct err err;

    if (s->rate < 1) /* 5 % of the good candidates are lost to chance */
        spec.tries = (unsigned)fmin(30, ceil(log(0.05) / log1p(-s->rate)));
    if (open_job(s, &err)) {
        fail(s, err.text);
        return;
    }
    s->writer = writer_new(s->loop, s->store, s->job);
    s->search = search_new(bytes_of(s->input.text, s->input.len),
                           s->input.frozen, s->input.nfrozen, &opts);
    spec.search = s->search;
    s->trials = trials_new(&spec, &events, s);
    enter(s, SESSION_SEARCHING);
    if (resume(s, &err)) {
        fail(s, err.text);
        return;
    }
    trials_pump(s->trials);
}

static void session_on_searched(void *arg, const char *why)
{
    struct session *s = arg;

    s->searched = true;
    s->stopped_by = why;
    s->counts = trials_counts(s->trials);
    s->stats = search_stats(s->search);
    s->minimal = !why && search_minimal(s->search);
    if (s->code == EXIT_ENVIRONMENT || s->interrupts > 1)
        session_close(s);
    else if (s->writing == 0)
        verify_begin(s);
}

/* ---- VERIFYING ---- */

struct finding {
    size_t step, at;
    struct bytes text;
};

static bool find_step(void *arg, const struct store_step *step)
{
    struct finding *f = arg;

    if (f->at++ != f->step)
        return true;
    f->text =
        bytes_of(xmemdup(step->text.data, step->text.len), step->text.len);
    return false;
}

static int place_step(void *arg, size_t step, struct bytes *text,
                      struct err *err)
{
    struct session *s = arg;
    struct finding f = { .step = step };
    int error = store_steps(s->store, s->job, find_step, &f, err);

    if (!error && !f.text.data)
        error =
            err_set(err, -ENOENT, "step %zu is not in the state file", step);
    if (error)
        return error;
    free(s->placed);
    s->placed = (char *)(uintptr_t)f.text.data;
    *text = f.text;
    return write_best(s, f.text, err);
}

static void session_on_verified(void *arg, const struct verify_result *result)
{
    struct session *s = arg;

    s->verify = NULL;
    s->verified = *result;
    if (s->phase != SESSION_VERIFYING)
        return;
    if (result->error) {
        fail(s, result->err.text);
        return;
    }
    if (result->walked_back)
        say(s, SAY_WARNING,
            result->step > 0
                ? "the final check failed; the last step that fails by itself "
                  "was put back"
                : "the final check failed at every step; the original was put "
                  "back");
    if (result->walked_back) {
        s->minimal = false;
        decide(s, EXIT_UNVERIFIED, "unverified");
    }
    decide(s, EXIT_DONE, "verified");
    session_close(s);
}

static void verify_begin(struct session *s)
{
    char *dir = file_dir(s->input.output);
    bool beside = strcmp(dir, s->input.dir) == 0;
    unsigned runs = (unsigned)s->config->repeat;
    struct verify_spec spec = {
        .fleet = s->fleet,
        .signature = s->signature,
        .steps = s->nsteps,
        .runs = runs,
        .needed = runs,
        .timeout_ms = s->fresh_timeout_ms,
        .cwd = s->in_user_cwd ? s->user_cwd : NULL,
        /* Elsewhere its siblings would be missing: laid like a candidate. */
        .path = beside ? s->input.output : NULL,
        .place = place_step,
    };

    free(dir);
    if (s->rate < 1) { /* as often as a tenth of the original's rate, or once */
        spec.runs = runs > 10 ? runs : 10;
        spec.needed = 1;
    }
    enter(s, SESSION_VERIFYING);
    s->verify = verify_start(&spec, session_on_verified, s);
}

/* ---- CLOSING ---- */

static void session_on_fleet_closed(void *arg);
static void session_on_writer_closed(void *arg);

static void session_close(struct session *s)
{
    struct store_batch last = { .status = s->status };

    if (s->phase == SESSION_CLOSING)
        return;
    enter(s, SESSION_CLOSING);
    if (s->trials && !s->searched)
        trials_stop(s->trials, "interrupt");
    if (s->writer)
        writer_add(s->writer, &last, NULL, NULL);
    fleet_close(s->fleet, session_on_fleet_closed, s);
}

static void session_on_fleet_closed(void *arg)
{
    struct session *s = arg;

    s->ended_ms = now_ms(s); /* the fleet is freed after this */
    if (s->writer)
        writer_close(s->writer, session_on_writer_closed, s);
    else
        session_on_writer_closed(s);
}

static void write_reports(struct session *s);

static void session_on_writer_closed(void *arg)
{
    struct session *s = arg;

    write_reports(s);
    s->events.done(s->arg, s->code);
    session_free(s);
}

/* ---- the report ---- */

static enum report_status report_status(const struct session *s)
{
    switch (s->code) {
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

static void fill_report(const struct session *s, struct report *report,
                        struct report_step *steps)
{
    struct session_view view = session_view(s);

    for (size_t i = 1; i < s->nsteps; i++)
        steps[i - 1] = (struct report_step){
            .t = (double)s->steps[i].at_ms / 1000,
            .run = s->steps[i].run,
            .kind = s->steps[i].kind,
            .bytes = s->steps[i].bytes,
        };
    *report = (struct report){
        .status = report_status(s),
        .runs = view.runs,
        .cached = view.cached,
        .rejected_early = view.rejected_early,
        .no_verdict = view.no_verdict,
        .accepted = view.accepted,
        .wall_s = (double)view.elapsed_ms / 1000,
        .tool_cpu_s = own_cpu_s(),
        .original = { s->input.path, bytes_of(s->input.text, s->input.len) },
        .result = { s->search ? s->input.output : NULL, session_text(s) },
        .verify_runs = s->verified.runs,
        .verify_matched = s->verified.matched,
        .rate_runs = s->fresh + s->forked,
        .rate_matched = s->fresh_matched + s->forked_matched,
        .minimal = s->minimal,
        .budget = s->stopped_by ? s->stopped_by
                  : s->search   ? "no-verdict"
                                : NULL,
        .steps = steps,
        .nsteps = s->nsteps > 0 ? s->nsteps - 1 : 0,
    };
}

static void write_reports(struct session *s)
{
    struct report_step *steps = xcalloc(s->nsteps + 1, sizeof(*steps));
    struct report report;
    struct buf signature;
    struct err err;

    buf_init(&signature, 1 << 16);
    fill_report(s, &report, steps);
    if (s->signature) {
        signature_describe(s->signature, &signature);
        report.signature = buf_str(&signature);
    }
    for (size_t i = 0; i < s->config->reports.n; i++) {
        if (!report_write(&report, s->config->reports.at[i], &err))
            continue;
        say(s, SAY_ERROR, err.text);
        if (s->code == EXIT_DONE)
            s->code = EXIT_ENVIRONMENT;
    }
    buf_deinit(&signature);
    free(steps);
}

/* ---- seen from outside ---- */

struct session_view session_view(const struct session *s)
{
    struct session_view view = {
        .phase = s->phase,
        .searched = s->search != NULL,
        .status = s->status,
        .script = s->input.path,
        .output = s->input.output,
        .original_bytes = s->input.original_len,
        .original_lines = text_lines(bytes_of(s->input.text, s->input.len)),
        .bytes = s->best_len,
        .lines = text_lines(session_text(s)),
        .accepted = s->nsteps > 0 ? s->nsteps - 1 : 0,
        .elapsed_ms = now_ms(s) - s->started_ms,
        .verify_runs = s->verified.runs,
        .verify_matched = s->verified.matched,
        .minimal = s->minimal,
        .stopped_by = s->stopped_by,
    };
    struct trials_counts counts = s->counts;
    struct search_stats stats = s->stats;

    if (s->trials && !s->searched) {
        counts = trials_counts(s->trials);
        stats = search_stats(s->search);
        view.out = trials_out(s->trials);
    }
    view.runs = counts.runs;
    view.cached = counts.replayed + stats.remembered;
    view.rejected_early = counts.early + stats.rejected_early;
    view.no_verdict = counts.no_verdict;
    return view;
}

struct bytes session_text(const struct session *s)
{
    return bytes_of(s->best, s->best_len);
}

void session_tick(struct session *s)
{
    uint64_t limit = (uint64_t)(s->config->max_time_s * 1000);

    if (limit > 0 && s->phase == SESSION_SEARCHING && !s->searched &&
        now_ms(s) - s->started_ms >= limit)
        trials_stop(s->trials, "max-time");
}

void session_interrupt(struct session *s, enum exit_code code)
{
    s->interrupts++;
    decide(s, code, "interrupted");
    switch (s->phase) {
    case SESSION_STARTING:
    case SESSION_CALIBRATING:
        session_close(s);
        break;
    case SESSION_SEARCHING:
        if (s->interrupts > 1)
            session_close(s);
        else if (!s->searched)
            trials_stop(s->trials, "interrupt");
        break;
    case SESSION_VERIFYING:
        if (s->interrupts > 1)
            session_close(s);
        break;
    case SESSION_CLOSING:
        break;
    }
}
