/* A real store and a real file in a folder of their own. Commits may be held
 * back or made to fail, on the thread where they happen. */
#include "test/test.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/file.h"
#include "config/mem.h"
#include "grammar/twin.h"
#include "minimizer/steps.h"

static uv_sem_t gate;
static atomic_bool gated;
static atomic_int fail_commits;

int __real_sqlite3_step(sqlite3_stmt *stmt);
int __wrap_sqlite3_step(sqlite3_stmt *stmt);

int __wrap_sqlite3_step(sqlite3_stmt *stmt)
{
    if (strcmp(sqlite3_sql(stmt), "COMMIT") == 0) {
        if (atomic_load(&gated))
            uv_sem_wait(&gate);
        if (atomic_load(&fail_commits) > 0) {
            atomic_fetch_sub(&fail_commits, 1);
            return SQLITE_FULL;
        }
    }
    return __real_sqlite3_step(stmt);
}

struct fixture {
    struct test_loop loop;
    char dir[64];
    char *state, *best;
    char *good;       /* where good forms go */
    struct twin twin; /* of the steps; empty: none */
    struct store *store;
    int64_t job;
    struct writer *writer;
    struct steps *steps;
    bool closed;
    char events[256]; /* "kept 0 settled ", as they came */
    bool unknown;     /* a kept text was not in the store */
    bool seal_when_kept;
    struct err err; /* of the last failed */
};

static void note(struct fixture *f, const char *event)
{
    size_t len = strlen(f->events);

    snprintf(f->events + len, sizeof(f->events) - len, "%s ", event);
}

/* What stands in the best file, "" when there is none. The caller's. */
static char *in_file(const struct fixture *f)
{
    char *data;
    size_t len;

    return file_read(f->best, 1 << 16, &data, &len, NULL) ? xstrdup("") : data;
}

static void on_kept(void *arg, size_t step)
{
    struct fixture *f = arg;
    char event[32], *text = in_file(f);

    snprintf(event, sizeof(event), "kept %zu", step);
    note(f, event);
    if (!store_knows(f->store, hash_bytes(text, strlen(text))))
        f->unknown = true;
    free(text);
    if (f->seal_when_kept)
        steps_seal(f->steps);
}

static void on_failed(void *arg, const struct err *err)
{
    struct fixture *f = arg;

    f->err = *err;
    note(f, "failed");
}

static void on_settled(void *arg)
{
    note(arg, "settled");
}

static void on_closed(void *arg)
{
    struct fixture *f = arg;

    f->closed = true;
}

static void make_steps(struct fixture *f)
{
    static const struct steps_events events = { on_kept, on_failed,
                                                on_settled };
    struct steps_spec spec = { .store = f->store,
                               .writer = f->writer,
                               .job = f->job,
                               .path = f->best,
                               .mode = 0640,
                               .twin = f->twin.good ? &f->twin : NULL,
                               .good_path = f->good };
    char text[] = "original";

    f->steps = steps_new(&spec, bytes_of(text, 8), &events, f);
    memset(text, 'X', 8); /* it was to be copied */
}

static int make_fixture(void **state)
{
    struct fixture *f = xcalloc(1, sizeof(*f));
    bool fresh;

    atomic_store(&fail_commits, 0);
    atomic_store(&gated, false);
    test_loop_init(&f->loop);
    uv_sem_init(&gate, 0);
    snprintf(f->dir, sizeof(f->dir), "/tmp/autodd-steps-XXXXXX");
    if (!mkdtemp(f->dir))
        return -1;
    f->state = xasprintf("%s/state.db", f->dir);
    f->best = xasprintf("%s/best.py", f->dir);
    f->good = xasprintf("%s/best.good.py", f->dir);
    /* No step has the script's text: a text the store knows is a step's. */
    if (store_open(&f->store, f->state, false, NULL) ||
        store_job(f->store, (struct hash128){ 1, 1 }, "a.py",
                  bytes_of("script", 6), &f->job, &fresh, NULL))
        return -1;
    f->writer = writer_new(&f->loop.uv, f->store, f->job);
    make_steps(f);
    *state = f;
    return 0;
}

static int drop_fixture(void **state)
{
    struct fixture *f = *state;

    unlink(f->state);
    unlink(f->best);
    rmdir(f->best);
    unlink(f->good);
    int left = rmdir(f->dir);
    uv_sem_destroy(&gate);
    free(f->state);
    free(f->best);
    free(f->good);
    twin_deinit(&f->twin);
    free(f);
    return left;
}

static void add(struct fixture *f, const char *kind, const char *text)
{
    struct step step = {
        .kind = kind,
        .run = steps_count(f->steps),
        .at_ms = 7,
        .bytes = strlen(text),
    };

    if (f->twin.good) { /* its one place: behind '=' */
        uint32_t at = (uint32_t)(strchr(text, '=') + 1 - text);

        step.marks = xcalloc(1, sizeof(*step.marks));
        *step.marks = (struct span){ at, at + 1 };
    }
    steps_add(f->steps, &step);
}

static void keep(struct fixture *f, const char *text)
{
    char *copy = xstrdup(text);

    add(f, "statement", text);
    steps_keep(f->steps, bytes_of(copy, strlen(copy)), NULL);
    free(copy); /* it was to be copied */
}

/* All is written and freed; nothing is left on the loop. */
static void finish(struct fixture *f)
{
    if (!f->closed) {
        writer_close(f->writer, on_closed, f);
        uv_run(&f->loop.uv, UV_RUN_DEFAULT);
    }
    steps_free(f->steps);
    store_close(f->store);
    test_loop_finish(&f->loop);
    assert_true(f->closed);
}

static void assert_file(const struct fixture *f, const char *text)
{
    char *data = in_file(f);

    assert_string_equal(data, text);
    free(data);
}

static void assert_best(const struct fixture *f, const char *text)
{
    struct bytes best = steps_text(f->steps);

    assert_int_equal(best.len, strlen(text));
    assert_memory_equal(best.data, text, best.len);
}

static void the_original_is_the_best_text_before_any_step(void **state)
{
    struct fixture *f = *state;

    assert_best(f, "original");
    assert_int_equal(steps_count(f->steps), 0);
    assert_int_equal(access(f->best, F_OK), -1);
    finish(f);
}

static void steps_reach_the_file_in_order_and_are_told_one_by_one(void **state)
{
    struct fixture *f = *state;

    keep(f, "zero");
    keep(f, "one");
    keep(f, "two");
    assert_int_equal(steps_writing(f->steps), 3);
    uv_run(&f->loop.uv, UV_RUN_DEFAULT);
    assert_string_equal(f->events, "kept 0 kept 1 kept 2 settled ");
    assert_false(f->unknown);
    assert_int_equal(steps_writing(f->steps), 0);
    assert_best(f, "two");
    assert_file(f, "two");
    finish(f);
}

static void the_file_waits_until_the_step_is_durable(void **state)
{
    struct fixture *f = *state;

    atomic_store(&gated, true);
    keep(f, "zero");
    uv_run(&f->loop.uv, UV_RUN_NOWAIT);
    int there = access(f->best, F_OK);
    unsigned writing = steps_writing(f->steps);
    char before[sizeof(f->events)];
    memcpy(before, f->events, sizeof(before));
    uv_sem_post(&gate);
    uv_run(&f->loop.uv, UV_RUN_DEFAULT);
    atomic_store(&gated, false);
    assert_int_equal(there, -1);
    assert_int_equal(writing, 1);
    assert_string_equal(before, "");
    assert_string_equal(f->events, "kept 0 settled ");
    assert_false(f->unknown);
    assert_file(f, "zero");
    finish(f);
}

static void a_step_lost_to_the_store_is_told_and_not_in_the_file(void **state)
{
    struct fixture *f = *state;

    keep(f, "zero");
    uv_run(&f->loop.uv, UV_RUN_DEFAULT);
    atomic_store(&fail_commits, 1);
    keep(f, "one");
    uv_run(&f->loop.uv, UV_RUN_DEFAULT);
    assert_string_equal(f->events, "kept 0 settled failed settled ");
    assert_non_null(strstr(f->err.text, "state file"));
    assert_file(f, "zero");
    assert_best(f, "zero");
    finish(f);
}

static void a_file_that_cannot_be_written_is_told(void **state)
{
    struct fixture *f = *state;

    mkdir(f->best, 0700);
    keep(f, "zero");
    uv_run(&f->loop.uv, UV_RUN_DEFAULT);
    assert_string_equal(f->events, "failed settled ");
    assert_non_null(strstr(f->err.text, "best.py"));
    assert_best(f, "original");
    finish(f);
}

static void a_sealed_file_stays_while_the_store_gets_the_rest(void **state)
{
    struct fixture *f = *state;
    struct bytes text, good;

    f->seal_when_kept = true;
    keep(f, "zero");
    keep(f, "one");
    uv_run(&f->loop.uv, UV_RUN_DEFAULT);
    assert_string_equal(f->events, "kept 0 settled ");
    assert_file(f, "zero");
    assert_int_equal(steps_place(f->steps, 1, &text, &good, NULL), 0);
    assert_memory_equal(text.data, "one", 3);
    finish(f);
}

static bool see_report(void *arg, const struct store_report *report)
{
    *(uint64_t *)arg += report->trial;
    return true;
}

static void a_report_goes_to_the_store_with_its_step(void **state)
{
    struct fixture *f = *state;
    struct store_report report = { .issued = 3, .trial = 2 };
    struct store_status status;
    uint64_t trials = 0;

    add(f, "import", "zero");
    steps_keep(f->steps, bytes_of("zero", 4), &report);
    add(f, "import", "one");
    steps_keep(f->steps, bytes_of("one", 3), NULL);
    uv_run(&f->loop.uv, UV_RUN_DEFAULT);
    assert_int_equal(store_status(f->store, f->job, &status, NULL), 0);
    free(status.status);
    free(status.signature);
    store_replay(f->store, f->job, see_report, &trials, NULL);
    assert_int_equal(trials, 2);
    assert_int_equal(status.steps, 2);
    assert_int_equal(status.runs, 1);
    assert_int_equal(status.elapsed_ms, 7);
    finish(f);
}

static void the_chain_tells_what_is_known_of_a_step(void **state)
{
    struct fixture *f = *state;

    add(f, "original", "zero");
    for (int i = 0; i < 100; i++)
        add(f, "import", "one");
    assert_int_equal(steps_count(f->steps), 101);
    assert_string_equal(steps_at(f->steps, 0)->kind, "original");
    assert_string_equal(steps_at(f->steps, 100)->kind, "import");
    assert_int_equal(steps_at(f->steps, 100)->run, 100);
    assert_int_equal(steps_at(f->steps, 100)->bytes, 3);
    assert_int_equal(steps_at(f->steps, 100)->at_ms, 7);
    finish(f);
}

static void a_restored_step_is_in_the_file_at_once(void **state)
{
    struct fixture *f = *state;
    struct stat st;

    add(f, "original", "zero");
    add(f, "import", "one");
    assert_int_equal(steps_restore(f->steps, bytes_of("one", 3), NULL), 0);
    assert_file(f, "one");
    assert_best(f, "one");
    assert_int_equal(stat(f->best, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    keep(f, "two");
    uv_run(&f->loop.uv, UV_RUN_DEFAULT);
    assert_string_equal(f->events, "kept 2 settled ");
    assert_file(f, "two");
    finish(f);
}

static void any_step_can_be_put_in_place(void **state)
{
    struct fixture *f = *state;
    const char *texts[] = { "zero", "one", "two" };
    struct bytes text, good;

    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        keep(f, texts[i]);
    uv_run(&f->loop.uv, UV_RUN_DEFAULT);
    for (size_t i = ARRAY_LEN(texts); i-- > 0;) {
        assert_int_equal(steps_place(f->steps, i, &text, &good, NULL), 0);
        assert_int_equal(text.len, strlen(texts[i]));
        assert_memory_equal(text.data, texts[i], text.len);
        assert_file(f, texts[i]);
        assert_best(f, texts[i]);
    }
    finish(f);
}

static void
a_step_that_the_store_lacks_is_no_reason_to_touch_the_file(void **state)
{
    struct fixture *f = *state;
    struct bytes text, good;
    struct err err;

    keep(f, "zero");
    uv_run(&f->loop.uv, UV_RUN_DEFAULT);
    assert_int_equal(steps_place(f->steps, 1, &text, &good, &err), -ENOENT);
    assert_non_null(strstr(err.text, "step 1"));
    assert_file(f, "zero");
    finish(f);
}

static void a_place_that_cannot_be_written_is_an_error(void **state)
{
    struct fixture *f = *state;
    struct bytes text, good;
    struct err err;

    keep(f, "zero");
    uv_run(&f->loop.uv, UV_RUN_DEFAULT);
    unlink(f->best);
    mkdir(f->best, 0700);
    assert_int_equal(steps_place(f->steps, 0, &text, &good, &err), -EISDIR);
    assert_non_null(strstr(err.text, "best.py"));
    finish(f);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_fixture, drop_fixture)

static void each_step_in_place_has_its_good_form_beside(void **state)
{
    struct fixture *f = *state;
    const char *texts[] = { "a\nb =1\nc\n", "a\nb =1\n", "=1\n" };
    const char *goods[] = { "a\nb =2\nc\n", "a\nb =2\n", "=2\n" };
    struct bytes text, good;

    assert_int_equal(twin_init(&f->twin, bytes_of(texts[0], 9),
                               bytes_of(goods[0], 9), "good.py", NULL),
                     0);
    steps_free(f->steps);
    make_steps(f);
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        keep(f, texts[i]);
    uv_run(&f->loop.uv, UV_RUN_DEFAULT);
    for (size_t i = ARRAY_LEN(texts); i-- > 0;) {
        char *data;
        size_t len;

        assert_int_equal(steps_place(f->steps, i, &text, &good, NULL), 0);
        assert_file(f, texts[i]);
        assert_int_equal(good.len, strlen(goods[i]));
        assert_memory_equal(good.data, goods[i], good.len);
        assert_int_equal(file_read(f->good, 100, &data, &len, NULL), 0);
        assert_string_equal(data, goods[i]);
        free(data);
    }
    assert_int_equal(steps_good(f->steps).len, strlen(goods[0]));
    finish(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_original_is_the_best_text_before_any_step),
        TEST(steps_reach_the_file_in_order_and_are_told_one_by_one),
        TEST(the_file_waits_until_the_step_is_durable),
        TEST(a_step_lost_to_the_store_is_told_and_not_in_the_file),
        TEST(a_file_that_cannot_be_written_is_told),
        TEST(each_step_in_place_has_its_good_form_beside),
        TEST(a_sealed_file_stays_while_the_store_gets_the_rest),
        TEST(a_report_goes_to_the_store_with_its_step),
        TEST(the_chain_tells_what_is_known_of_a_step),
        TEST(a_restored_step_is_in_the_file_at_once),
        TEST(any_step_can_be_put_in_place),
        TEST(a_step_that_the_store_lacks_is_no_reason_to_touch_the_file),
        TEST(a_place_that_cannot_be_written_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
