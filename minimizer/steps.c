/* The way of a step, and what is known of it on the way:
 *
 *   added      its numbers are in the chain
 *   keeping    a copy of its text waits for the store (`writing` counts)
 *   durable    the store has it
 *   kept       it stands in the best file
 *
 * A step that the replay brings is durable when it is added. The writer keeps
 * the order, so a step is never followed in the file by an older one; only the
 * final check goes back, by steps_place(), when nothing is under way. */
#include "minimizer/steps.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "config/buf.h"
#include "config/file.h"
#include "config/mem.h"
#include "grammar/twin.h"

#define GOOD_MAX ((size_t)64 << 20) /* bytes of a good form */

struct steps {
    struct steps_spec spec;
    struct steps_events events;
    void *arg;

    struct step *chain;
    size_t n, room;
    size_t written; /* newest step in the best file */
    unsigned writing;
    bool sealed;

    char *placed; /* the text steps_place() has lent */

    char *best; /* the text in the best file */
    size_t best_len;
    struct buf good; /* its good form */
};

static void set_best(struct steps *s, struct bytes text)
{
    free(s->best);
    s->best = xmemdup(text.data, text.len);
    s->best_len = text.len;
}

/* The good form of step i, beside the best file. */
static int write_good(struct steps *s, size_t i, struct bytes text,
                      struct err *err)
{
    if (!s->spec.twin)
        return 0;
    buf_clear(&s->good);
    if (twin_form(s->spec.twin, text, s->chain[i].marks, &s->good))
        return err_set(err, -E2BIG, "the good form of step %zu is too long", i);
    return file_replace(s->spec.good_path, s->good.data, s->good.len,
                        s->spec.mode, err);
}

/* Step i is the best. */
static int write_best(struct steps *s, size_t i, struct bytes text,
                      struct err *err)
{
    int error =
        file_replace(s->spec.path, text.data, text.len, s->spec.mode, err);

    if (!error)
        error = write_good(s, i, text, err);
    if (!error)
        set_best(s, text);
    return error;
}

struct steps *steps_new(const struct steps_spec *spec, struct bytes original,
                        const struct steps_events *events, void *arg)
{
    struct steps *s = xcalloc(1, sizeof(*s));

    s->spec = *spec;
    s->events = *events;
    s->arg = arg;
    buf_init(&s->good, GOOD_MAX);
    set_best(s, original);
    return s;
}

void steps_free(struct steps *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n; i++)
        free(s->chain[i].marks);
    buf_deinit(&s->good);
    free(s->chain);
    free(s->placed);
    free(s->best);
    free(s);
}

void steps_add(struct steps *s, const struct step *step)
{
    xgrow(&s->chain, &s->room, s->n + 1, sizeof(*s->chain));
    s->chain[s->n++] = *step;
}

void steps_date(struct steps *s, const struct steps *from)
{
    for (size_t i = 0; i < s->n && i < from->n; i++) {
        s->chain[i].run = from->chain[i].run;
        s->chain[i].at_ms = from->chain[i].at_ms;
    }
}

/* ---- to the store, then to the file ---- */

/* A step that the store has been asked to keep. */
struct keeping {
    struct steps *steps;
    size_t step;
    char *text;
    size_t len;
};

static void steps_on_durable(void *arg, int error, const struct err *err)
{
    struct keeping *k = arg;
    struct steps *s = k->steps;
    struct err why;

    s->writing--;
    if (error) {
        s->events.failed(s->arg, err);
    } else if (k->step >= s->written && !s->sealed) {
        s->written = k->step;
        if (write_best(s, k->step, bytes_of(k->text, k->len), &why))
            s->events.failed(s->arg, &why);
        else
            s->events.kept(s->arg, k->step);
    }
    free(k->text);
    free(k);
    if (s->writing == 0)
        s->events.settled(s->arg);
}

/* The store shall know the good form of the newest step when it meets it in a
 * file. */
static void add_good(const struct steps *s, struct store_step *kept)
{
    struct buf good;

    if (!s->spec.twin)
        return;
    buf_init(&good, GOOD_MAX);
    if (!twin_form(s->spec.twin, kept->text, s->chain[s->n - 1].marks, &good)) {
        kept->has_good = true;
        kept->good = hash_bytes(good.data, good.len);
    }
    buf_deinit(&good);
}

void steps_keep(struct steps *s, struct bytes text,
                const struct store_report *report)
{
    const struct step *step = &s->chain[s->n - 1];
    struct keeping *k = xcalloc(1, sizeof(*k));
    struct store_step kept = {
        .run = step->run,
        .at_ms = step->at_ms,
        .kind = step->kind,
        .text = text,
    };
    struct store_batch batch = {
        .reports = report,
        .nreports = report ? 1 : 0,
        .steps = &kept,
        .nsteps = 1,
        .runs = step->run,
    };

    add_good(s, &kept);
    k->steps = s;
    k->step = s->n - 1;
    k->text = xmemdup(text.data, text.len);
    k->len = text.len;
    s->writing++;
    writer_add(s->spec.writer, &batch, steps_on_durable, k);
}

int steps_restore(struct steps *s, struct bytes text, struct err *err)
{
    s->written = s->n - 1;
    return write_best(s, s->n - 1, text, err);
}

/* ---- from the store ---- */

struct finding {
    size_t step, at;
    char *text;
    size_t len;
};

static bool find_step(void *arg, const struct store_step *step)
{
    struct finding *f = arg;

    if (f->at++ != f->step)
        return true;
    f->text = xmemdup(step->text.data, step->text.len);
    f->len = step->text.len;
    return false;
}

int steps_place(struct steps *s, size_t i, struct bytes *text,
                struct bytes *good, struct err *err)
{
    struct finding f = { .step = i };
    int error = store_steps(s->spec.store, s->spec.job, find_step, &f, err);

    if (!error && !f.text)
        error = err_set(err, -ENOENT, "step %zu is not in the state file", i);
    if (error) {
        free(f.text);
        return error;
    }
    free(s->placed);
    s->placed = f.text;
    *text = bytes_of(f.text, f.len);
    error = write_best(s, i, *text, err);
    *good = steps_good(s);
    return error;
}

void steps_seal(struct steps *s)
{
    s->sealed = true;
}

/* ---- seen from outside ---- */

size_t steps_count(const struct steps *s)
{
    return s->n;
}

const struct step *steps_at(const struct steps *s, size_t i)
{
    return &s->chain[i];
}

unsigned steps_writing(const struct steps *s)
{
    return s->writing;
}

struct bytes steps_good(const struct steps *s)
{
    return buf_bytes(&s->good);
}

struct bytes steps_text(const struct steps *s)
{
    return bytes_of(s->best, s->best_len);
}
