/* One write is under way at most. What is added meanwhile waits in a list, and
 * goes whole into the next transaction:
 *
 *   add -> waiting -> (work starts) flying -> (commit) callbacks, in order
 *
 * A cut comes first in its transaction, so it waits for one of its own: what
 * was added before it flies alone.
 * The thread touches only the merged batch and its own result; lists and
 * callbacks belong to the loop. Closing needs no path of its own: when nothing
 * waits any more after a write, an empty one perhaps, the writer goes. */
#include "minimizer/store/writer.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "config/log.h"
#include "config/mem.h"

/* A copy of what was added. */
struct entry {
    struct entry *next;
    struct store_batch batch;
    writer_cb done;
    void *arg;
};

struct list {
    struct entry *first, **end;
};

struct writer {
    uv_work_t work;
    uv_loop_t *loop;
    struct store *store;
    int64_t job;
    struct list waiting, flying;
    bool working; /* from uv_queue_work() to the end of its callbacks */

    /* Of the write under way: */
    struct store_batch merged;
    int error;
    struct err err;

    /* A loss that no callback has been told yet. */
    int untold;
    struct err untold_err;

    bool closing;
    void (*closed)(void *arg);
    void *closed_arg;
};

static void writer_on_work(uv_work_t *work);
static void writer_on_written(uv_work_t *work, int status);

static void list_init(struct list *list)
{
    list->first = NULL;
    list->end = &list->first;
}

/* ---- entries ---- */

static struct entry *entry_new(const struct store_batch *batch)
{
    struct entry *entry = xcalloc(1, sizeof(*entry));
    struct store_report *reports = NULL;
    struct store_step *steps = NULL;

    if (batch->nreports > 0) {
        reports = xcalloc(batch->nreports, sizeof(*reports));
        memcpy(reports, batch->reports, batch->nreports * sizeof(*reports));
        for (size_t i = 0; i < batch->nreports; i++)
            reports[i].observed = xstrdup(reports[i].observed);
    }
    if (batch->nsteps > 0)
        steps = xcalloc(batch->nsteps, sizeof(*steps));
    for (size_t i = 0; i < batch->nsteps; i++) {
        const struct store_step *from = &batch->steps[i];
        steps[i] = *from;
        steps[i].kind = xstrdup(from->kind);
        steps[i].text =
            bytes_of(xmemdup(from->text.data, from->text.len), from->text.len);
    }
    entry->batch = *batch;
    if (batch->cut) {
        struct store_cut *cut = xcalloc(1, sizeof(*cut));
        *cut = *batch->cut;
        entry->batch.cut = cut;
    }
    entry->batch.reports = reports;
    entry->batch.steps = steps;
    entry->batch.signature = xstrdup(batch->signature);
    entry->batch.status = xstrdup(batch->status);
    return entry;
}

static void entry_free(struct entry *entry)
{
    for (size_t i = 0; i < entry->batch.nsteps; i++) {
        free((char *)entry->batch.steps[i].kind);
        free((char *)entry->batch.steps[i].text.data);
    }
    for (size_t i = 0; i < entry->batch.nreports; i++)
        free((char *)entry->batch.reports[i].observed);
    free((struct store_cut *)entry->batch.cut);
    free((struct store_report *)entry->batch.reports);
    free((struct store_step *)entry->batch.steps);
    free((char *)entry->batch.signature);
    free((char *)entry->batch.status);
    free(entry);
}

/* All that flies as one batch, borrowing texts from the entries. */
static void merge(struct writer *w)
{
    struct store_report *reports;
    struct store_step *steps;
    size_t nreports = 0, nsteps = 0;

    for (struct entry *e = w->flying.first; e; e = e->next) {
        nreports += e->batch.nreports;
        nsteps += e->batch.nsteps;
    }
    reports = xcalloc(nreports + 1, sizeof(*reports));
    steps = xcalloc(nsteps + 1, sizeof(*steps));
    w->merged = (struct store_batch){ .reports = reports, .steps = steps };
    for (struct entry *e = w->flying.first; e; e = e->next) {
        const struct store_batch *b = &e->batch;
        for (size_t i = 0; i < b->nreports; i++)
            reports[w->merged.nreports++] = b->reports[i];
        for (size_t i = 0; i < b->nsteps; i++)
            steps[w->merged.nsteps++] = b->steps[i];
        if (b->cut)
            w->merged.cut = b->cut;
        if (b->signature)
            w->merged.signature = b->signature;
        if (b->status)
            w->merged.status = b->status;
        if (b->runs)
            w->merged.runs = b->runs;
    }
}

/* ---- the writer ---- */

struct writer *writer_new(struct uv_loop_s *loop, struct store *store,
                          int64_t job)
{
    struct writer *w = xcalloc(1, sizeof(*w));

    w->loop = loop;
    w->store = store;
    w->job = job;
    list_init(&w->waiting);
    list_init(&w->flying);
    return w;
}

/* All that waits, or up to a cut. */
static void take_off(struct writer *w)
{
    struct entry **end = &w->waiting.first;

    while (*end && (end == &w->waiting.first || !(*end)->batch.cut))
        end = &(*end)->next;
    w->flying.first = w->waiting.first;
    w->waiting.first = *end;
    if (*end == NULL)
        list_init(&w->waiting);
    *end = NULL;
}

static void start(struct writer *w)
{
    w->working = true;
    take_off(w);
    merge(w);
    w->error = 0;
    /* Fails only without a callback. */
    uv_queue_work(w->loop, &w->work, writer_on_work, writer_on_written);
}

void writer_add(struct writer *w, const struct store_batch *batch,
                writer_cb done, void *arg)
{
    struct entry *entry = entry_new(batch);

    entry->done = done;
    entry->arg = arg;
    *w->waiting.end = entry;
    w->waiting.end = &entry->next;
    if (!w->working)
        start(w);
}

void writer_close(struct writer *w, void (*closed)(void *arg), void *arg)
{
    w->closing = true;
    w->closed = closed;
    w->closed_arg = arg;
    if (!w->working)
        start(w); /* nothing to write: `closed` comes from the loop */
}

/* On a thread of the pool. */
static void writer_on_work(uv_work_t *work)
{
    struct writer *w = container_of(work, struct writer, work);
    const struct store_batch *b = &w->merged;

    if (b->cut || b->nreports || b->nsteps || b->signature || b->status ||
        b->runs)
        w->error = store_write(w->store, w->job, b, &w->err);
}

static void tell(struct writer *w, struct entry *entry)
{
    if (!entry->done)
        return;
    int error = w->untold;
    struct err err = w->untold_err;
    w->untold = 0; /* the callback may add */
    entry->done(entry->arg, error, &err);
}

static void writer_on_written(uv_work_t *work, int status)
{
    struct writer *w = container_of(work, struct writer, work);
    struct entry *entry = w->flying.first;
    int error = status < 0 ? status : w->error;
    struct err err = w->err;

    free((struct store_report *)w->merged.reports);
    free((struct store_step *)w->merged.steps);
    w->merged = (struct store_batch){ 0 };
    w->flying.first = NULL;
    while (entry) {
        struct entry *next = entry->next;
        if (error) {
            w->untold = error;
            w->untold_err = err;
        }
        tell(w, entry);
        entry_free(entry);
        entry = next;
    }
    w->working = false;
    if (w->waiting.first) {
        start(w);
    } else if (w->closing) {
        void (*closed)(void *) = w->closed;
        void *arg = w->closed_arg;
        if (w->untold)
            log_error("job %lld: rows are lost: %s", (long long)w->job,
                      w->untold_err.text);
        free(w);
        if (closed)
            closed(arg);
    }
}
