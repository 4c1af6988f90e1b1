#include "test/test.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/mem.h"
#include "minimizer/store/writer.h"

/* Commits are counted, and may be held back or made to fail. They run on a
 * thread of the pool. */
static atomic_int commits, fail_commits;
static uv_sem_t gate;
static atomic_bool gated;

int __real_sqlite3_step(sqlite3_stmt *stmt);
int __wrap_sqlite3_step(sqlite3_stmt *stmt);

int __wrap_sqlite3_step(sqlite3_stmt *stmt)
{
    if (strcmp(sqlite3_sql(stmt), "COMMIT") == 0) {
        if (atomic_load(&gated))
            uv_sem_wait(&gate);
        commits++;
        if (fail_commits > 0) {
            fail_commits--;
            return SQLITE_FULL;
        }
    }
    return __real_sqlite3_step(stmt);
}

struct fixture {
    struct test_loop loop;
    char dir[64];
    char *path;
    struct store *store;
    int64_t job;
    struct writer *writer;
    int told, failed, last_error;
    char last_text[1024];
    bool closed, close_when_told;
    int add_when_told; /* so many rows more */
};

static void on_closed(void *arg)
{
    struct fixture *f = arg;

    f->closed = true;
}

static void add(struct fixture *f, uint64_t trial, writer_cb done);

static void on_done(void *arg, int error, const struct err *err)
{
    struct fixture *f = arg;

    f->told++;
    f->last_error = error;
    if (error) {
        f->failed++;
        snprintf(f->last_text, sizeof(f->last_text), "%s", err->text);
    }
    if (f->add_when_told > 0) {
        f->add_when_told--;
        add(f, (uint64_t)f->told + 1, on_done);
    }
    if (f->close_when_told && f->add_when_told == 0) {
        f->close_when_told = false;
        writer_close(f->writer, on_closed, f);
    }
}

static int make_fixture(void **state)
{
    struct fixture *f = xcalloc(1, sizeof(*f));
    bool fresh;

    atomic_store(&fail_commits, 0);
    atomic_store(&gated, false);
    test_loop_init(&f->loop);
    uv_sem_init(&gate, 0);
    snprintf(f->dir, sizeof(f->dir), "/tmp/autodd-writer-XXXXXX");
    if (!mkdtemp(f->dir))
        return -1;
    f->path = xasprintf("%s/state.db", f->dir);
    if (store_open(&f->store, f->path, false, NULL) ||
        store_job(f->store, (struct hash128){ 1, 1 }, "a.py", bytes_of("", 0),
                  &f->job, &fresh, NULL))
        return -1;
    f->writer = writer_new(&f->loop.uv, f->store, f->job);
    commits = 0;
    *state = f;
    return 0;
}

static int drop_fixture(void **state)
{
    struct fixture *f = *state;

    unlink(f->path);
    int left = rmdir(f->dir);
    uv_sem_destroy(&gate);
    free(f->path);
    free(f);
    return left;
}

static void add(struct fixture *f, uint64_t trial, writer_cb done)
{
    struct store_report report = { .issued = trial, .trial = trial };
    char text[] = "text";
    struct store_step step = {
        .run = trial, .at_ms = trial, .kind = "statement", .text = { text, 4 }
    };

    writer_add(f->writer,
               &(struct store_batch){ .reports = &report,
                                      .nreports = 1,
                                      .steps = &step,
                                      .nsteps = 1,
                                      .signature = "sig",
                                      .status = "running",
                                      .runs = trial },
               done, f);
    memset(text, 'X', 4); /* it was to be copied */
}

struct rows {
    uint64_t n;
    bool wrong;
};

static bool see(void *arg, const struct store_report *report)
{
    struct rows *rows = arg;

    if (report->trial != ++rows->n)
        rows->wrong = true;
    return true;
}

static bool see_step(void *arg, const struct store_step *step)
{
    struct rows *rows = arg;

    if (step->run != ++rows->n || step->text.len != 4 ||
        memcmp(step->text.data, "text", 4) != 0)
        rows->wrong = true;
    return true;
}

/* The loop runs dry with the writer closed; all rows up to n are there. */
static void finish(struct fixture *f, uint64_t n)
{
    struct rows rows = { 0 }, steps = { 0 };

    uv_run(&f->loop.uv, UV_RUN_DEFAULT);
    store_replay(f->store, f->job, see, &rows, NULL);
    store_steps(f->store, f->job, see_step, &steps, NULL);
    store_close(f->store);
    test_loop_finish(&f->loop);
    assert_true(f->closed);
    assert_int_equal(rows.n, n);
    assert_int_equal(steps.n, n);
    assert_false(rows.wrong || steps.wrong);
}

static void rows_that_come_during_a_write_share_the_next_commit(void **state)
{
    struct fixture *f = *state;

    atomic_store(&gated, true);
    add(f, 1, on_done);
    for (uint64_t i = 2; i <= 30; i++)
        add(f, i, on_done);
    atomic_store(&gated, true);
    uv_sem_post(&gate);
    uv_sem_post(&gate);
    writer_close(f->writer, on_closed, f);
    finish(f, 30);
    assert_int_equal(f->told, 30);
    assert_int_equal(f->failed, 0);
    assert_int_equal(commits, 2);
}

static void a_cut_takes_what_was_added_before_it_and_no_more(void **state)
{
    struct fixture *f = *state;
    struct store_cut cut = { .reports = 2, .steps = 2 };

    atomic_store(&gated, true);
    for (uint64_t i = 1; i <= 5; i++)
        add(f, i, on_done);
    writer_add(f->writer, &(struct store_batch){ .cut = &cut }, on_done, f);
    cut.reports = 0; /* it was to be copied */
    for (uint64_t i = 3; i <= 4; i++)
        add(f, i, on_done);
    for (int i = 0; i < 3; i++)
        uv_sem_post(&gate);
    writer_close(f->writer, on_closed, f);
    finish(f, 4);
    assert_int_equal(f->told, 8);
    assert_int_equal(commits, 3);
}

static void closing_writes_what_waits(void **state)
{
    struct fixture *f = *state;

    for (uint64_t i = 1; i <= 5; i++)
        add(f, i, NULL);
    writer_close(f->writer, on_closed, f);
    assert_false(f->closed);
    finish(f, 5);
}

static void an_idle_writer_closes_from_the_loop(void **state)
{
    struct fixture *f = *state;

    writer_close(f->writer, on_closed, f);
    assert_false(f->closed);
    finish(f, 0);
    assert_int_equal(commits, 0);
}

static void a_writer_may_be_closed_in_a_callback(void **state)
{
    struct fixture *f = *state;

    f->close_when_told = true;
    add(f, 1, on_done);
    add(f, 2, on_done);
    finish(f, 2);
    assert_int_equal(f->told, 2);
}

static void rows_may_be_added_in_a_callback(void **state)
{
    struct fixture *f = *state;

    f->add_when_told = 3;
    f->close_when_told = true;
    add(f, 1, on_done);
    finish(f, 4);
    assert_int_equal(f->told, 4);
    assert_int_equal(commits, 4);
}

static void a_lost_write_is_told_and_the_next_one_works(void **state)
{
    struct fixture *f = *state;

    atomic_store(&fail_commits, 1);
    add(f, 9, on_done);
    uv_run(&f->loop.uv, UV_RUN_DEFAULT);
    int error = f->last_error;
    add(f, 1, on_done);
    writer_close(f->writer, on_closed, f);
    finish(f, 1);
    assert_int_equal(error, -ENOSPC);
    assert_non_null(strstr(f->last_text, "state file"));
    assert_int_equal(f->told, 2);
    assert_int_equal(f->failed, 1);
}

static void a_loss_without_a_callback_is_told_by_the_next(void **state)
{
    struct fixture *f = *state;

    atomic_store(&fail_commits, 1);
    add(f, 9, NULL);
    uv_run(&f->loop.uv, UV_RUN_DEFAULT);
    add(f, 1, on_done);
    uv_run(&f->loop.uv, UV_RUN_DEFAULT);
    int first = f->last_error;
    add(f, 2, on_done);
    writer_close(f->writer, on_closed, f);
    finish(f, 2);
    assert_int_equal(first, -ENOSPC);
    assert_int_equal(f->last_error, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_fixture, drop_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(rows_that_come_during_a_write_share_the_next_commit),
        TEST(a_cut_takes_what_was_added_before_it_and_no_more),
        TEST(closing_writes_what_waits),
        TEST(an_idle_writer_closes_from_the_loop),
        TEST(a_writer_may_be_closed_in_a_callback),
        TEST(rows_may_be_added_in_a_callback),
        TEST(a_lost_write_is_told_and_the_next_one_works),
        TEST(a_loss_without_a_callback_is_told_by_the_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
