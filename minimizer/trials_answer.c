/* A trial goes through its asks (asks.h), one run at a time:
 *
 *   search_next -> the first ask (forked where possible)
 *                    | no, syntax error ------------> report no
 *                    | none ---- again, a few times -> report none
 *                    | forked, without CUDA -------> the same ask, fresh
 *                    | yes, forked, other modules --> the same ask, fresh
 *                    | yes --------------------------> the next ask
 *                                   none left -------> report yes
 *
 * An edit that touches an import is confirmed by a fresh run, unless one has
 * said yes before to a text that loads the same modules: the original, for one.
 * So is a yes of a forked run that has imported others of the modules that its
 * fork server had loaded ahead (lazy.py): what they do to the process is there
 * in each fork, and not where the text has lost what imports them.
 *
 * A flaky failure (tries > 1) is asked for `tries` times before a no, and must
 * show twice before a yes, lest its rate decay with each step. What must pass
 * is then asked `tries` times too: one pass would say nothing. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/log.h"
#include "config/mem.h"
#include "minimizer/calibrate.h"
#include "minimizer/evidence.h"
#include "minimizer/judge.h"
#include "minimizer/screen.h"
#include "minimizer/trials_parts.h"

#define NONES_MAX 2       /* runs of one trial that may come to nothing */
#define NONES_IN_A_ROW 12 /* then it is the machine */
#define SPOILT_MAX 3      /* forked runs without CUDA; then no more forks */

/* ---- what fresh runs have confirmed ---- */

static bool is_loaded(const struct trials *t, unsigned ask, const char *loads)
{
    char entry[LOADS_MAX_BYTES + 16];

    if (!loads)
        return false;
    snprintf(entry, sizeof(entry), "%u %s", ask, loads);
    for (size_t i = 0; i < t->loaded.n; i++) {
        if (strcmp(t->loaded.at[i], entry) == 0)
            return true;
    }
    return false;
}

/* A fresh run has said yes to `ask` of a text that loads this; NULL: of one of
 * which that is not known. */
void trials_add_loaded(struct trials *t, unsigned ask, const char *loads)
{
    if (!loads || is_loaded(t, ask, loads))
        return;
    t->loaded.at =
        xreallocarray(t->loaded.at, t->loaded.n + 1, sizeof(*t->loaded.at));
    t->loaded.at[t->loaded.n++] = xasprintf("%u %s", ask, loads);
}

/* A name for what a forked run has imported of what was loaded ahead. */
static char *name_ahead(uint32_t shown)
{
    return xasprintf("ahead %" PRIu32, shown);
}

void trials_add_ahead(struct trials *t, uint32_t shown)
{
    char *name = name_ahead(shown);

    trials_add_loaded(t, ASK_FAILS, name);
    free(name);
}

/* ---- what an answer leads to ---- */

/* The present ask is answered; the first one of a trial will teach the order,
 * when the trial is reported: in order that is no matter of time. */
static void answered(struct trial *trial, bool no)
{
    if (trial->at > 0 || trial->search.looks)
        return;
    trial->first_runs = trial->misses + trial->hits;
    trial->first_no = no;
}

/* Twelve runs in a row that came to nothing: the machine is broken, and going
 * on would only call everything needed. */
static void count_none(struct trials *t, const char *why)
{
    struct err err;

    t->counts.no_verdict++;
    if (++t->nones_in_a_row < NONES_IN_A_ROW || t->why)
        return;
    err_set(&err, -EIO,
            "%u runs in a row could not be carried out; the last one: %s",
            t->nones_in_a_row, why);
    t->events.failed(t->arg, &err);
    trials_stop(t, "environment");
}

/* A run that did take place is spoilt by how it was started: CUDA does not work
 * in a fork of this server. The next one has a new interpreter; when that says
 * the same, the words are the script's own. */
static void avoid_forks(struct trial *trial)
{
    struct trials *t = trial->trials;

    trial->confirm = true;
    if (++t->spoilt != SPOILT_MAX)
        return;
    t->spec.fork = false;
    log_warn("CUDA does not start in forked runs: new interpreters are used "
             "from now on");
}

static void take_none(struct trial *trial, const struct observation *o,
                      const char *why)
{
    struct trials *t = trial->trials;

    count_none(t, why);
    if (t->why)
        return;
    if (evidence_traits(o) & TRAIT_POISON)
        avoid_forks(trial);
    if (++trial->nones <= NONES_MAX)
        trial_start(trial);
    else
        trial_report(trial, VERDICT_NONE, false, NULL);
}

void trial_take_no(struct trial *trial, bool early, const char *why)
{
    struct trials *t = trial->trials;
    unsigned tries = trial_control_of(trial) ? 1 : t->spec.tries;

    trial->misses++;
    if (!early && trial->misses < tries && !t->why) {
        trial_start(trial);
        return;
    }
    answered(trial, true);
    trial_report(trial, trial->passed ? VERDICT_PASSED : VERDICT_NO, early,
                 why);
}

/* How many yeses an ask takes. */
static unsigned wanted(const struct trial *trial)
{
    unsigned tries = trial->trials->spec.tries;

    return trial_control_of(trial) || tries == 1 ? tries : 2;
}

/* Whether a yes may be due to modules that the text would not load by itself,
 * or to anything else of a forked run, where that has been seen. */
static bool is_doubtful(struct trial *trial, const struct observation *o)
{
    const struct trials *t = trial->trials;
    unsigned ask = trial_ask_of(trial);
    bool imports, ahead;

    if (!o->forked)
        return false;
    free(trial->loads);
    free(trial->ahead);
    trial->loads = xstrdup(o->loads);
    trial->ahead = o->learned > 0 ? name_ahead(o->shown) : NULL;
    imports = trial->search.touches_import && !is_loaded(t, ask, trial->loads);
    ahead = trial->ahead && !is_loaded(t, ask, trial->ahead);
    return imports || ahead || t->spec.confirm;
}

/* If this is its last ask. */
void trial_expect_yes(struct trial *trial)
{
    if (trial->at + 1 == trial->trials->asks.n)
        trial_expect(trial, VERDICT_YES);
}

/* What seems to hang may end by itself after the limit: where the computation
 * is another one now (a loop of fewer rounds), or where a run has ended by
 * itself not long before the limit. There it must last longer. */
static bool must_outlast(const struct trial *trial, const struct observation *o)
{
    const struct trials *t = trial->trials;

    return t->spec.outlasts && t->spec.hangs && o->end == END_TIMEOUT &&
           !trial->lasting && !trial_control_of(trial) &&
           !trial->search.looks &&
           (trial->search.mutates ||
            HANG_FACTOR * t->slowest_end[trial->forked] >
                trial->attempt.limit_ms);
}

static void take_yes(struct trial *trial, const struct observation *o)
{
    struct trials *t = trial->trials;
    bool confirm = is_doubtful(trial, o);

    if (must_outlast(trial, o)) {
        trial->lasting = true;
        trial_start(trial);
        return;
    }
    if (!o->forked && trial->confirm) {
        trials_add_loaded(t, trial_ask_of(trial), trial->loads);
        trials_add_loaded(t, trial_ask_of(trial), trial->ahead);
    }
    if (o->figures > 0)
        trial->figures = o->figures;
    trial->hits++;
    if (trial->hits < wanted(trial)) {
        trial_start(trial);
    } else if (confirm && !trial->confirm) {
        trial->confirm = true;
        trial_expect_yes(trial);
        trial_start(trial);
    } else if (trial->at + 1 < t->asks.n) {
        answered(trial, false);
        trial->at++;
        trial->attempt = (struct attempt){ 0 };
        trial->confirm = false;
        trial->misses = trial->hits = 0;
        trial_start(trial);
    } else {
        answered(trial, false);
        trial_report(trial, VERDICT_YES, false, NULL);
    }
}

static void take_look(struct trial *trial, const char *values)
{
    trial->observed = xstrdup(values);
    trial_report(trial, VERDICT_YES, false, NULL);
}

/* ---- plain runs under a sanitizer ---- */

/* For good, whatever the number of tries. */
void trial_refuse(struct trial *trial, bool early, const char *why)
{
    trial->misses = 1;
    answered(trial, true);
    trial_report(trial, VERDICT_NO, early, why);
}

/* A plain run that says no says it for good; after any other the sanitizer is
 * asked. False: the run was no plain one, and has said what it is to say. */
static bool take_screening(struct trial *trial, const struct observation *o,
                           enum verdict verdict, const char *why)
{
    if (!trial->screening)
        return false;
    trial->screening = false;
    trial->confirm = true;
    if (!o->forked && o->end != END_TIMEOUT) /* its fork server was lost */
        return false;
    if (trial->trials->why)
        return true;
    if (verdict == VERDICT_NO && o->forked)
        trial_refuse(trial, o->end == END_SYNTAX, why);
    else
        trial_start(trial);
    return true;
}

/* ---- a run is over ---- */

/* What a run says of the present ask; `why` it says no, or nothing. */
static enum verdict judge(const struct trial *trial,
                          const struct observation *observation,
                          struct buf *why)
{
    const struct signature *signature = trial->trials->spec.signature;
    const struct control *control = trial_control_of(trial);
    struct buf words;
    enum verdict verdict;

    if (!control && observation->forked && trial->trials->spec.screen)
        return screen_refuses(trial->trials->spec.screen, observation, why)
                   ? VERDICT_NO
                   : VERDICT_YES;
    if (!control)
        return judge_run(signature, trial->trials->spec.guard,
                         trial->search.text, observation, why);
    buf_init(&words, 4096);
    verdict = signature_passes(signature, observation, &words);
    buf_addf(why, "%s: %s", control->what, buf_str(&words));
    buf_deinit(&words);
    return verdict;
}

/* Whether a run that says no shows that the failure is gone. Of a flaky one a
 * run says little; under a sanitizer a plain one says nothing of it. */
static bool is_pass(const struct trial *trial, const struct observation *o)
{
    const struct trials_spec *spec = &trial->trials->spec;

    return !trial_control_of(trial) && spec->tries == 1 && !spec->screen &&
           signature_passes(spec->signature, o, NULL) == VERDICT_YES;
}

static void count_run(struct trial *trial, const struct observation *o)
{
    struct trials *t = trial->trials;

    trial->out = false;
    t->out--;
    t->out_elsewhere -= trial_fleet_of(trial) != t->spec.fleet;
    if (o->end == END_SYNTAX)
        t->counts.early++;
    if (o->end != END_SYNTAX && o->end != END_LOST) {
        t->counts.runs++;
        trial->runs++;
        run_kinds_count(&t->counts.kinds, o);
    }
}

void trial_on_done(void *arg, const struct observation *observation)
{
    struct trial *trial = arg;
    struct trials *t = trial->trials;
    bool early = observation->end == END_SYNTAX;
    enum verdict verdict = VERDICT_NO;
    struct buf why;

    buf_init(&why, 8192);
    count_run(trial, observation);
    if (!early)
        verdict = judge(trial, observation, &why);
    if (why.len > 0)
        log_debug("trial %llu: %s", (unsigned long long)trial->search.id,
                  buf_str(&why));
    if (verdict != VERDICT_NONE)
        t->nones_in_a_row = 0;
    trial->passed =
        verdict == VERDICT_NO && !early && is_pass(trial, observation);
    if (trial->hot &&
        trial_take_hot(trial, observation, verdict, buf_str(&why))) {
        if (!t->why && !search_wants(t->spec.search, trial->search.id))
            trial_end_early(trial);
        buf_deinit(&why);
        trials_pump(t);
        return;
    }
    trial_check_doubt(trial, verdict);
    if (trial_take_time(trial, observation, verdict)) {
        buf_deinit(&why);
        trials_pump(t);
        return;
    }
    if (take_screening(trial, observation, verdict,
                       early ? "does not compile" : buf_str(&why))) {
        buf_deinit(&why);
        trials_pump(t);
        return;
    }

    /* After a stop only a plain answer that is already here is used. */
    if (verdict == VERDICT_NONE && t->why)
        log_debug("trial %llu: given up", (unsigned long long)trial->search.id);
    else if (verdict == VERDICT_NONE)
        take_none(trial, observation, buf_str(&why));
    else if (verdict == VERDICT_NO)
        trial_take_no(trial, early, early ? "does not compile" : buf_str(&why));
    else if (!t->why && trial->search.looks)
        take_look(trial, observation->values);
    else if (!t->why)
        take_yes(trial, observation);
    buf_deinit(&why);
    trials_pump(t);
}
