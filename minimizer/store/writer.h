/* writer.h - the store's single writer, on libuv's thread pool.
 *
 * Rows that are handed over while a write is under way wait and go together in
 * the next transaction (group commit). A writer lives from writer_new() until
 * the closed callback of writer_close(); it borrows store and loop. */
#ifndef AUTODD_WRITER_H
#define AUTODD_WRITER_H

#include "minimizer/store/store.h"

struct uv_loop_s;
struct writer;

/* Called on the loop when rows are durable (error 0) or lost (-errno, text in
 * err). */
typedef void (*writer_cb)(void *arg, int error, const struct err *err);

struct writer *writer_new(struct uv_loop_s *loop, struct store *store,
                          int64_t job);

/* Queue a copy of the batch. `done` may be NULL: then an error is told with the
 * next callback that is not. Order is kept: what a batch cuts off is what was
 * added before it. */
void writer_add(struct writer *writer, const struct store_batch *batch,
                writer_cb done, void *arg);

/* Write what waits, then free the writer and call `closed`. */
void writer_close(struct writer *writer, void (*closed)(void *arg), void *arg);

#endif
