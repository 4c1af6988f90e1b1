/* A run is free, or out, or over; and it may be taken at any time of it.
 *
 *   FREE --early_look()--> OUT --answer--> OVER --early_take()--> TAKEN
 *     ^                     |                |
 *     `---another text------+----------------'
 *                           `--early_take()--> OUT, and taken by: the answer
 *                                              goes to who took it
 *
 * Patience doubles with each text that did not last: of a search that goes on
 * and on the runs made in vain are a handful. */
#include "minimizer/early.h"

#include <stdlib.h>
#include <string.h>

#include "config/mem.h"

/* Refusals in a row before runs are begun. A search ends with some 50; rows of
 * up to 15 are common before that (examples/tilelang_gemm.py). */
#define PATIENCE 24

enum early_state { EARLY_FREE, EARLY_OUT, EARLY_OVER, EARLY_TAKEN };

struct early_run {
    struct early *early;
    enum early_state state;
    struct observation observation; /* OVER */
    fleet_done_cb done;             /* OUT: NULL, or who has taken it */
    void *arg;
};

struct early {
    struct early_spec spec;
    void (*ended)(void *arg);
    void *arg;
    struct early_run runs[EARLY_MAX];
    unsigned patience;
    bool begun, stopped;
    char *text;
    size_t len;
    uint64_t timeout_ms;
};

struct early *early_new(const struct early_spec *spec, void (*ended)(void *arg),
                        void *arg)
{
    struct early *e = xcalloc(1, sizeof(*e));

    e->spec = *spec;
    if (e->spec.runs > EARLY_MAX)
        e->spec.runs = EARLY_MAX;
    e->ended = ended;
    e->arg = arg;
    e->patience = PATIENCE;
    for (unsigned i = 0; i < EARLY_MAX; i++)
        e->runs[i].early = e;
    return e;
}

static bool is_text(const struct early *e, struct bytes text)
{
    return text.len == e->len && memcmp(text.data, e->text, e->len) == 0;
}

/* The run is free for another text. */
static void clear(struct early_run *run)
{
    if (run->state == EARLY_OVER)
        observation_deinit(&run->observation);
    *run = (struct early_run){ .early = run->early };
}

void early_free(struct early *e)
{
    if (!e)
        return;
    for (unsigned i = 0; i < EARLY_MAX; i++)
        clear(&e->runs[i]);
    free(e->text);
    free(e);
}

static void early_on_run(void *arg, const struct observation *observation)
{
    struct early_run *run = arg;
    struct early *e = run->early;

    if (run->done) {
        run->state = EARLY_TAKEN;
        run->done(run->arg, observation);
        return;
    }
    if (observation->end == END_LOST) {
        clear(run);
        e->stopped = true; /* whatever it was, the check itself will see */
    } else {
        run->state = EARLY_OVER;
        observation_copy(&run->observation, observation);
    }
    e->ended(e->arg);
}

static void begin(struct early_run *run)
{
    struct early *e = run->early;
    struct run_request request = {
        .text = bytes_of(e->text, e->len),
        .how = RUN_FRESH,
        .timeout_ms = e->timeout_ms,
        .path = (char *)(uintptr_t)e->spec.path,
        .cwd = (char *)(uintptr_t)e->spec.cwd,
    };

    run->state = EARLY_OUT;
    fleet_run(e->spec.fleet, &request, early_on_run, run);
}

/* What has run of this text is of no use. */
static void forget(struct early *e)
{
    for (unsigned i = 0; i < EARLY_MAX; i++) {
        if (e->runs[i].state == EARLY_OUT)
            fleet_drop(e->spec.fleet, &e->runs[i]);
        clear(&e->runs[i]);
    }
    e->begun = false;
    e->patience *= 2;
}

void early_look(struct early *e, struct bytes text, unsigned refusals,
                uint64_t timeout_ms)
{
    if (e->begun && (refusals == 0 || !is_text(e, text)))
        forget(e);
    if (e->stopped || refusals == 0 || (!e->begun && refusals < e->patience))
        return;
    if (!e->begun) {
        free(e->text);
        e->text = xmemdup(text.data, text.len);
        e->len = text.len;
        e->begun = true;
    }
    e->timeout_ms = timeout_ms;
    for (unsigned i = 0; i < e->spec.runs; i++) {
        if (e->runs[i].state == EARLY_FREE)
            begin(&e->runs[i]);
    }
}

void early_stop(struct early *e)
{
    e->stopped = true;
}

bool early_take(struct early *e, struct bytes text, fleet_done_cb done,
                void *arg)
{
    if (!e->begun || !is_text(e, text))
        return false;
    for (unsigned i = 0; i < EARLY_MAX; i++) {
        struct early_run *run = &e->runs[i];

        if (run->state == EARLY_OUT && !run->done) {
            run->done = done;
            run->arg = arg;
            return true;
        }
        if (run->state == EARLY_OVER) {
            run->state = EARLY_TAKEN;
            done(arg, &run->observation);
            observation_deinit(&run->observation);
            return true;
        }
    }
    return false;
}
