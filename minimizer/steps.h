/* steps.h - the accepted steps of a minimization and the best file.
 *
 * The chain begins with the original, step 0. A step is durable in the store
 * before its text stands in the best file, so that whatever is found there is
 * known as ours. They borrow store, writer and names for their life; they are
 * freed after the writer's closed callback, when nothing is under way any
 * more. Events come from the loop. */
#ifndef AUTODD_STEPS_H
#define AUTODD_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base.h"
#include "config/err.h"
#include "minimizer/store/store.h"
#include "minimizer/store/writer.h"

struct steps;
struct twin;

/* What is known of a step without its text, which is in the store. */
struct step {
    const char *kind;    /* of its edit; static */
    uint64_t run;        /* executed runs so far */
    uint64_t at_ms;      /* since the minimization began */
    size_t bytes;        /* of the text after it */
    bool mutated;        /* it, or a step before it, holds a mutating edit */
    struct span *marks;  /* of the twin's places in it, taken; NULL: no twin */
    struct hash128 text; /* its fingerprint */
};

struct steps_spec {
    struct store *store;
    struct writer *writer; /* of this job */
    int64_t job;
    const char *path;        /* of the best file */
    int mode;                /* its permission bits */
    const struct twin *twin; /* NULL: there is none */
    const char *good_path;   /* of the best file's good form, beside it */
};

struct steps_events {
    /* The step is durable and in the best file. */
    void (*kept)(void *arg, size_t step);
    /* The step is lost to the store (then the file stays as it was), or could
     * not be written to the file. */
    void (*failed)(void *arg, const struct err *err);
    /* No step is under way to the store any more. Last of the events. */
    void (*settled)(void *arg);
};

/* `original` (copied) is the best text until a step is written; it is step 0
 * only when added. All strings of the spec are borrowed. */
struct steps *steps_new(const struct steps_spec *spec, struct bytes original,
                        const struct steps_events *events, void *arg);
void steps_free(struct steps *steps);

/* The chain grows by a copy. The store has the text, or steps_keep() gives it.
 */
void steps_add(struct steps *steps, const struct step *step);

/* Steps that have been added anew are as old as they were in `from`. */
void steps_date(struct steps *steps, const struct steps *from);

/* Keep the newest step, with this text (copied) and the report that led to it
 * (NULL: none): store, then best file, then word of it. */
void steps_keep(struct steps *steps, struct bytes text,
                const struct store_report *report);

/* The newest step, which the store has, goes to the best file at once. Errors
 * of file_replace(). Blocks. */
int steps_restore(struct steps *steps, struct bytes text, struct err *err);

/* Put step i of the store into the best file and lend its text, and that of its
 * good form ("" without a twin), until the next call. -ENOENT when the store
 * lacks it, errors of store and file, with a sentence. Blocks. */
int steps_place(struct steps *steps, size_t i, struct bytes *text,
                struct bytes *good, struct err *err);

/* From here on the best file stays as it is: what is still under way to the
 * store gets there, but is not told as kept. */
void steps_seal(struct steps *steps);

/* In the chain, the original included. */
size_t steps_count(const struct steps *steps);
const struct step *steps_at(const struct steps *steps, size_t i);

/* Writes to the store whose steps are not in the file yet. */
unsigned steps_writing(const struct steps *steps);

/* What stands in the best file; borrowed until the loop runs on. */
struct bytes steps_text(const struct steps *steps);

/* The good form of that; empty without a twin. */
struct bytes steps_good(const struct steps *steps);

#endif
