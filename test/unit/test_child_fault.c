/* Fault injection: the nth wrapped call fails, whichever it is; n goes up until
 * a run meets no failure, so every place has failed once. */
#include "test/test.h"

#include "worker/child.h"

static int calls, fail_at;

static bool fails(void)
{
    return calls++ == fail_at;
}

int __real_uv_pipe(uv_file fds[2], int read_flags, int write_flags);
int __wrap_uv_pipe(uv_file fds[2], int read_flags, int write_flags);
int __wrap_uv_pipe(uv_file fds[2], int read_flags, int write_flags)
{
    return fails() ? UV_EMFILE : __real_uv_pipe(fds, read_flags, write_flags);
}

int __real_uv_spawn(uv_loop_t *loop, uv_process_t *process,
                    const uv_process_options_t *options);
int __wrap_uv_spawn(uv_loop_t *loop, uv_process_t *process,
                    const uv_process_options_t *options);
int __wrap_uv_spawn(uv_loop_t *loop, uv_process_t *process,
                    const uv_process_options_t *options)
{
    uv_process_options_t broken = *options;

    if (!fails())
        return __real_uv_spawn(loop, process, options);
    broken.file = "/no/such/file"; /* fail as libuv does: handle initialised */
    __real_uv_spawn(loop, process, &broken);
    return UV_EAGAIN;
}

struct tally {
    int dones, errors;
};

static void on_output(void *arg, enum scan_stream stream, const char *data,
                      size_t len)
{
    (void)arg;
    (void)stream;
    (void)data;
    (void)len;
}

static void on_done(void *arg, const struct child_result *result)
{
    struct tally *tally = arg;

    tally->dones++;
    tally->errors += result->error != NULL;
}

static void nth_call_fails(void **state)
{
    const char *argv[] = { "/bin/true", NULL };
    struct child_spec spec = { .argv = argv,
                               .timeout_ms = 5000,
                               .grace_ms = 100 };
    static const struct child_events events = { .output = on_output,
                                                .done = on_done };
    struct tally tally;
    int n = 0;
    (void)state;

    do {
        struct test_loop loop;

        test_loop_init(&loop);
        tally = (struct tally){ 0 };
        calls = 0;
        fail_at = n++;
        for (int i = 0; i < 3; i++)
            child_start(&loop.uv, &spec, &events, &tally);
        test_loop_finish(&loop);
        assert_int_equal(tally.dones, 3);
        assert_true(tally.errors <= 1);
    } while (tally.errors > 0);
    assert_int_equal(n, 3 * 3 + 1); /* three wrapped calls a child, one clean */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(nth_call_fails) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
