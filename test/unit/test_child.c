/* One test for each way a child can end. No times are measured: the result
 * says which deadline ended a wait. */
#include "test/test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "worker/child.h"

struct outcome {
    int starts, exits, dones;
    struct child_result result;
    char *error; /* copied: the result is gone after done */
    char text[2][64];
    size_t len[2];
};

static void on_started(void *arg, pid_t pid, ino_t out, ino_t err)
{
    struct outcome *o = arg;

    o->starts += pid > 0 && out > 0 && err > 0 && out != err;
}

static void on_output(void *arg, enum scan_stream stream, const char *data,
                      size_t len)
{
    struct outcome *o = arg;
    size_t room = sizeof(o->text[0]) - 1;

    for (size_t i = 0; i < len && o->len[stream] + i < room; i++)
        o->text[stream][o->len[stream] + i] = data[i];
    o->len[stream] += len;
}

static void on_exited(void *arg, bool kept)
{
    struct outcome *o = arg;

    o->exits += !kept;
}

static void on_done(void *arg, const struct child_result *result)
{
    struct outcome *o = arg;

    o->dones++;
    o->result = *result;
    o->error = xstrdup(result->error);
}

static const struct child_events events = { .started = on_started,
                                            .output = on_output,
                                            .exited = on_exited,
                                            .done = on_done };

enum way { WAY_ALONE, WAY_CANCEL, WAY_KILL };

static struct outcome run(struct child_spec spec, enum way way)
{
    struct test_loop loop;
    struct outcome o = { 0 };
    struct child *child;

    test_loop_init(&loop);
    child = child_start(&loop.uv, &spec, &events, &o);
    assert_int_equal(o.dones, 0);
    if (way == WAY_CANCEL)
        child_cancel(child);
    if (way == WAY_KILL)
        child_kill(child);
    test_loop_finish(&loop);
    assert_int_equal(o.dones, 1);
    assert_int_equal(o.starts, o.exits);
    return o;
}

/* `script` under sh, with time enough for everything but the test's point. */
static struct outcome sh(const char *script, uint64_t timeout, uint64_t grace)
{
    const char *argv[] = { "/bin/sh", "-c", script, NULL };

    return run((struct child_spec){ .argv = argv,
                                    .timeout_ms = timeout,
                                    .grace_ms = grace },
               WAY_ALONE);
}

static void reports_exit_code(void **state)
{
    (void)state;
    struct outcome o = sh("exit 3", 5000, 200);

    assert_null(o.error);
    assert_int_equal(o.starts, 1);
    assert_int_equal(o.result.exit_code, 3);
    assert_int_equal(o.result.signal, 0);
}

static void reports_crash(void **state)
{
    (void)state;
    struct outcome o = sh("kill -SEGV $$", 5000, 200);

    assert_int_equal(o.result.signal, SIGSEGV);
}

static void reports_missing_command(void **state)
{
    (void)state;
    const char *argv[] = { "/no/such/file", NULL };
    struct outcome o = run((struct child_spec){ .argv = argv }, WAY_ALONE);

    assert_non_null(strstr(o.error, "/no/such/file"));
    assert_int_equal(o.starts, 0);
    free(o.error);
}

static void tells_its_two_outputs_apart(void **state)
{
    (void)state;
    struct outcome o = sh("echo a; echo b >&2; echo c", 5000, 200);

    assert_string_equal(o.text[SCAN_OUT], "a\nc\n");
    assert_string_equal(o.text[SCAN_ERR], "b\n");
}

static void output_can_be_reopened(void **state)
{
    (void)state;
    struct outcome o =
        sh("echo a >/dev/stdout; echo b >/dev/stderr", 5000, 200);

    assert_string_equal(o.text[SCAN_OUT], "a\n");
    assert_string_equal(o.text[SCAN_ERR], "b\n");
}

static void input_is_empty(void **state)
{
    (void)state;
    struct outcome o = sh("cat; readlink /proc/self/fd/0", 5000, 200);

    assert_string_equal(o.text[SCAN_OUT], "/dev/null\n");
}

static void environment_is_the_given_one(void **state)
{
    (void)state;
    char entry[] = "A=b", *list[] = { entry, NULL };
    struct strings env = { .at = list, .n = 1 };
    const char *argv[] = { "/usr/bin/env", NULL };
    struct outcome o = run(
        (struct child_spec){
            .argv = argv, .env = &env, .timeout_ms = 5000, .grace_ms = 200 },
        WAY_ALONE);

    assert_string_equal(o.text[SCAN_OUT], "A=b\n");
}

static void flood_is_read_to_its_end(void **state)
{
    (void)state;
    struct outcome o =
        sh("yes | head -c 1000000 >&2 & yes | head -c 2000000; wait; exit 4",
           20000, 2000);

    assert_int_equal(o.len[SCAN_OUT], 2000000);
    assert_int_equal(o.len[SCAN_ERR], 1000000);
    assert_int_equal(o.result.exit_code, 4);
}

static void deadline_sends_term(void **state)
{
    (void)state;
    struct outcome o = sh("sleep 60", 100, 2000);

    assert_true(o.result.timed_out);
    assert_int_equal(o.result.signal, SIGTERM);
    assert_false(o.result.output_held);
}

static void ignored_term_becomes_kill(void **state)
{
    (void)state;
    struct outcome o = sh("trap '' TERM; while :; do sleep 1; done", 500, 200);

    assert_true(o.result.timed_out);
    assert_int_equal(o.result.signal, SIGKILL);
    assert_false(o.result.output_held);
}

static void left_behind_child_is_swept(void **state)
{
    (void)state;
    struct outcome o = sh("sleep 60 & exit 0", 5000, 3000);

    assert_int_equal(o.result.exit_code, 0);
    assert_false(o.result.output_held);
}

static void escaped_child_cannot_hold_the_child(void **state)
{
    (void)state;
    /* $(…) ends once the escaped child has swapped its own output for fd 3. */
    struct outcome o = sh(
        "exec 3>&1; x=$(setsid sh -c 'exec sleep 5 >&3' &); exit 0", 5000, 300);

    assert_int_equal(o.result.exit_code, 0);
    assert_true(o.result.output_held);
}

static void eof_may_come_before_exit(void **state)
{
    (void)state;
    struct outcome o = sh("exec >&- 2>&-; sleep 0.2; exit 7", 5000, 200);

    assert_int_equal(o.result.exit_code, 7);
}

static void cancel_at_once(void **state)
{
    (void)state;
    const char *argv[] = { "/bin/sleep", "60", NULL };
    struct outcome o = run((struct child_spec){ .argv = argv,
                                                .timeout_ms = 5000,
                                                .grace_ms = 500 },
                           WAY_CANCEL);

    assert_true(o.result.canceled);
    assert_false(o.result.timed_out);
    assert_int_equal(o.result.signal, SIGTERM);
}

static void kill_does_not_ask(void **state)
{
    (void)state;
    const char *argv[] = { "/bin/sleep", "60", NULL };
    struct outcome o = run((struct child_spec){ .argv = argv,
                                                .timeout_ms = 5000,
                                                .grace_ms = 500 },
                           WAY_KILL);

    assert_true(o.result.canceled);
    assert_int_equal(o.result.signal, SIGKILL);
}

static void cancel_of_failed_start(void **state)
{
    (void)state;
    const char *argv[] = { "/no/such/file", NULL };
    struct outcome o = run((struct child_spec){ .argv = argv }, WAY_CANCEL);

    assert_non_null(o.error);
    assert_false(o.result.canceled);
    free(o.error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_exit_code),
        cmocka_unit_test(reports_crash),
        cmocka_unit_test(reports_missing_command),
        cmocka_unit_test(tells_its_two_outputs_apart),
        cmocka_unit_test(output_can_be_reopened),
        cmocka_unit_test(input_is_empty),
        cmocka_unit_test(environment_is_the_given_one),
        cmocka_unit_test(flood_is_read_to_its_end),
        cmocka_unit_test(deadline_sends_term),
        cmocka_unit_test(ignored_term_becomes_kill),
        cmocka_unit_test(left_behind_child_is_swept),
        cmocka_unit_test(escaped_child_cannot_hold_the_child),
        cmocka_unit_test(eof_may_come_before_exit),
        cmocka_unit_test(cancel_at_once),
        cmocka_unit_test(kill_does_not_ask),
        cmocka_unit_test(cancel_of_failed_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
