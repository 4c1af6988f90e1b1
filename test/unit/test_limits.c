/* limits_main() through a child of this very program. */
#include "test/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "worker/limits.h"
#include "worker/protocol.h"

/* Run `sh -c script` under limits; its output goes to `out`. Returns the wait
 * status. */
static int run_limited(uint64_t file_max, uint64_t cpu_s, const char *command,
                       const char *script, char *out, size_t size)
{
    const char *argv[LIMITS_ARGS + 4] = { 0 };
    struct limits_text text;
    int fds[2], status;
    size_t len = 0;
    ssize_t n;

    limits_argv(argv, &text, "/proc/self/exe", file_max, cpu_s);
    argv[LIMITS_ARGS] = command;
    argv[LIMITS_ARGS + 1] = "-c";
    argv[LIMITS_ARGS + 2] = script;
    assert_int_equal(pipe(fds), 0);
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGPIPE, SIG_IGN);
        signal(SIGTERM, SIG_IGN);
        dup2(fds[1], 1);
        dup2(fds[1], 2);
        close(fds[0]);
        close(fds[1]);
        execv(argv[0], (char **)argv);
        _exit(99);
    }
    close(fds[1]);
    while ((n = read(fds[0], out + len, size - 1 - len)) > 0)
        len += (size_t)n;
    out[len] = '\0';
    close(fds[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void limits_are_set_and_cores_are_off(void **state)
{
    char out[256];
    (void)state;

    int status = run_limited(
        1 << 20, 7, "sh", "ulimit -f; ulimit -t; ulimit -c", out, sizeof(out));
    assert_int_equal(status, 0);
    assert_string_equal(out, "2048\n7\n0\n"); /* -f in blocks of 512 */
}

static void zero_leaves_a_limit_as_it_is(void **state)
{
    struct rlimit limit;
    char out[256];
    (void)state;

    getrlimit(RLIMIT_FSIZE, &limit);
    run_limited(0, 0, "sh", "ulimit -f", out, sizeof(out));
    if (limit.rlim_cur == RLIM_INFINITY)
        assert_string_equal(out, "unlimited\n");
    else
        assert_int_equal(strtoull(out, NULL, 10), limit.rlim_cur / 512);
}

static void a_file_past_the_limit_ends_the_command(void **state)
{
    char out[256], path[] = "/tmp/test_limits.XXXXXX", script[128];
    (void)state;

    close(mkstemp(path));
    snprintf(script, sizeof(script), "exec head -c 100000 /dev/zero > %s",
             path);
    int status = run_limited(1000, 0, "sh", script, out, sizeof(out));
    unlink(path);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGXFSZ);
}

static void ignored_signals_are_default_again(void **state)
{
    char out[256];
    (void)state;

    int status =
        run_limited(0, 0, "sh", "kill -TERM $$; echo alive", out, sizeof(out));
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGTERM);
    assert_string_equal(out, "");
}

static void a_missing_command_is_named_with_code_127(void **state)
{
    char out[256];
    (void)state;

    int status = run_limited(0, 0, "/no/such/python", "", out, sizeof(out));
    assert_int_equal(WEXITSTATUS(status), 127);
    assert_string_equal(
        out, "cannot run /no/such/python: No such file or directory\n");
}

static void wrong_numbers_are_a_usage_error(void **state)
{
    static const char *const bad[][6] = {
        { "a", "limits", "x", "1", "--", "true" },
        { "a", "limits", "1", "-1", "--", "true" },
        { "a", "limits", "1", "1", "true", "true" },
    };
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        assert_int_equal(limits_main(6, (char **)bad[i]), 2);
    assert_int_equal(limits_main(5, (char **)bad[0]), 2);
}

static void the_command_dies_with_its_parent(void **state)
{
    const char *argv[LIMITS_ARGS + 4] = { 0 };
    struct limits_text text;
    int fds[2];
    char byte;
    (void)state;

    limits_argv(argv, &text, "/proc/self/exe", 0, 0);
    argv[LIMITS_ARGS] = "sh";
    argv[LIMITS_ARGS + 1] = "-c";
    argv[LIMITS_ARGS + 2] = "echo; exec sleep 1000";
    assert_int_equal(pipe(fds), 0);
    pid_t parent = fork();
    if (parent == 0) {
        if (fork() == 0) {
            close(fds[0]);
            dup2(fds[1], 1);
            execv(argv[0], (char **)argv);
            _exit(99);
        }
        close(fds[0]);
        close(fds[1]);
        pause();
        _exit(0);
    }
    close(fds[1]);
    assert_int_equal(read(fds[0], &byte, 1), 1); /* it runs */
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    /* ends only when the last holder of the pipe is dead */
    assert_int_equal(read(fds[0], &byte, 1), 0);
    close(fds[0]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_set_and_cores_are_off),
        cmocka_unit_test(zero_leaves_a_limit_as_it_is),
        cmocka_unit_test(a_file_past_the_limit_ends_the_command),
        cmocka_unit_test(ignored_signals_are_default_again),
        cmocka_unit_test(a_missing_command_is_named_with_code_127),
        cmocka_unit_test(wrong_numbers_are_a_usage_error),
        cmocka_unit_test(the_command_dies_with_its_parent),
    };
    if (argc > 1 && strcmp(argv[1], "limits") == 0)
        return limits_main(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
