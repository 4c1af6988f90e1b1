/* The fleet against test/fakes/worker.py in its modes. */
#include "test/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/log.h"
#include "minimizer/fleet/fleet.h"

#define RUNS 4

struct outcome {
    struct fleet *fleet;
    int readies, notes, failures, answers, lost, closes;
    bool ok;
    char error[256];
    int runs; /* asked for once ready */
    bool cancel;
    bool drop;              /* a run that is out, and one that waits */
    int dropped_answers[2]; /* to them */
};

static void settle(struct outcome *o);

static void on_closed(void *arg)
{
    struct outcome *o = arg;

    o->closes++;
}

static void on_run(void *arg, const struct observation *observation)
{
    struct outcome *o = arg;

    o->answers++;
    o->lost += observation->end == END_LOST;
    settle(o);
}

static void on_dropped(void *arg, const struct observation *observation)
{
    (void)observation;
    ++*(int *)arg;
}

static void settle(struct outcome *o)
{
    if (o->answers == o->runs && (o->ok || o->failures))
        fleet_close(o->fleet, on_closed, o);
}

static void on_ready(void *arg, const struct ready *ready)
{
    struct outcome *o = arg;
    struct run_request request = { .text = { "x", 1 }, .timeout_ms = 1000 };

    o->readies++;
    o->ok = ready->ok;
    if (!ready->ok) {
        snprintf(o->error, sizeof(o->error), "%s", ready->error);
        fleet_close(o->fleet, on_closed, o);
        return;
    }
    if (o->drop)
        fleet_run(o->fleet, &request, on_dropped, &o->dropped_answers[0]);
    for (int i = 0; i < o->runs; i++)
        fleet_run(o->fleet, &request, on_run, o);
    if (o->drop) {
        fleet_run(o->fleet, &request, on_dropped, &o->dropped_answers[1]);
        fleet_drop(o->fleet, &o->dropped_answers[1]);
        fleet_drop(o->fleet, &o->dropped_answers[0]);
    }
    if (o->cancel)
        fleet_cancel(o->fleet);
    settle(o);
}

static void on_note(void *arg, const char *text)
{
    struct outcome *o = arg;
    (void)text;

    o->notes++;
}

static void on_failed(void *arg, const struct err *err)
{
    struct outcome *o = arg;

    o->failures++;
    snprintf(o->error, sizeof(o->error), "%.200s", err->text);
    if (!o->ok) { /* before any run was asked for */
        o->runs = o->answers;
        settle(o);
    }
}

static struct outcome play_with(const char *mode, int runs, bool cancel,
                                bool drop)
{
    static const struct fleet_events events = { on_ready, on_note, on_failed };
    char memory[] = "/tmp/fleet-test.XXXXXX";
    const char *argv[] = { "/usr/bin/env", "python3", "test/fakes/worker.py",
                           mode,           memory,    NULL };
    struct job_setup setup = {
        .slots = 2,
        .python = (char *)(uintptr_t) "python3",
        .script_name = (char *)(uintptr_t) "s.py",
        .script_dir = (char *)(uintptr_t) "/",
        .mark = (char *)(uintptr_t) "m",
    };
    struct outcome o = { .runs = runs, .cancel = cancel, .drop = drop };
    struct test_loop loop;

    close(mkstemp(memory));
    unlink(memory);
    test_loop_init(&loop);
    o.fleet = fleet_new(&loop.uv, argv, &setup, &events, &o);
    assert_int_equal(o.readies, 0);
    test_loop_finish(&loop);
    unlink(memory);
    assert_int_equal(o.closes, 1);
    return o;
}

static struct outcome play(const char *mode, int runs, bool cancel)
{
    return play_with(mode, runs, cancel, false);
}

static void every_run_is_answered(void **state)
{
    (void)state;
    struct outcome o = play("ok", RUNS, false);

    assert_int_equal(o.readies, 1);
    assert_int_equal(o.answers, RUNS);
    assert_int_equal(o.lost, 0);
}

static void runs_of_a_dead_worker_go_to_another(void **state)
{
    (void)state;
    struct outcome o = play("die-once", RUNS, false);

    assert_int_equal(o.readies, 1);
    assert_int_equal(o.answers, RUNS);
    assert_int_equal(o.lost, 0);
    assert_int_equal(o.failures, 0);
}

static void a_run_that_kills_workers_is_lost(void **state)
{
    (void)state;
    struct outcome o = play("die-always", RUNS, false);

    assert_int_equal(o.answers, RUNS);
    assert_int_equal(o.lost, RUNS);
}

static void garbage_ends_the_worker(void **state)
{
    (void)state;
    struct outcome o = play("garbage", 1, false);

    assert_int_equal(o.lost, 1);
}

static void another_version_is_refused_by_name(void **state)
{
    (void)state;
    struct outcome o = play("version", 0, false);

    assert_int_equal(o.failures, 1);
    assert_non_null(strstr(o.error, "version 99"));
}

static void refused_setup_is_told(void **state)
{
    (void)state;
    struct outcome o = play("refuse", 0, false);

    assert_int_equal(o.readies, 1);
    assert_string_equal(o.error, "no such interpreter");
}

static void worker_that_never_starts_is_given_up(void **state)
{
    (void)state;
    struct outcome o = play("mute", 0, false);

    assert_int_equal(o.failures, 1);
    assert_non_null(strstr(o.error, "status 5"));
}

static void cancelled_runs_are_answered_once(void **state)
{
    (void)state;
    struct outcome o = play("ok", RUNS, true);

    assert_int_equal(o.answers, RUNS);
    assert_int_equal(o.lost, RUNS);
}

static void dropped_runs_are_not_answered(void **state)
{
    (void)state;
    struct outcome o = play_with("ok", RUNS, false, true);

    assert_int_equal(o.answers, RUNS);
    assert_int_equal(o.lost, 0);
    assert_int_equal(o.dropped_answers[0], 0);
    assert_int_equal(o.dropped_answers[1], 0);
}

static void missing_program_is_told(void **state)
{
    static const struct fleet_events events = { on_ready, on_note, on_failed };
    const char *argv[] = { "/no/such/autodd-c", "worker", NULL };
    struct job_setup setup = { .slots = 1 };
    struct outcome o = { 0 };
    struct test_loop loop;
    (void)state;

    test_loop_init(&loop);
    o.fleet = fleet_new(&loop.uv, argv, &setup, &events, &o);
    test_loop_finish(&loop);
    assert_int_equal(o.failures, 1);
    assert_non_null(strstr(o.error, "/no/such/autodd-c"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_run_is_answered),
        cmocka_unit_test(runs_of_a_dead_worker_go_to_another),
        cmocka_unit_test(a_run_that_kills_workers_is_lost),
        cmocka_unit_test(garbage_ends_the_worker),
        cmocka_unit_test(another_version_is_refused_by_name),
        cmocka_unit_test(refused_setup_is_told),
        cmocka_unit_test(worker_that_never_starts_is_given_up),
        cmocka_unit_test(cancelled_runs_are_answered_once),
        cmocka_unit_test(dropped_runs_are_not_answered),
        cmocka_unit_test(missing_program_is_told),
    };
    signal(SIGPIPE, SIG_IGN); /* as the program does */
    if (getenv("FLEET_DEBUG"))
        log_set_level(LOG_DEBUG);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
