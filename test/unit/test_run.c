/* Trials from text to observation, with /bin/sh in the interpreter's place: how
 * the end of a run is judged and what is left of it. This program is its own
 * launcher: called as `test_run limits ...` it sets limits and execs. */
#include "test/test.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "worker/env.h"
#include "worker/run.h"
#include "worker/scan.h"
#include "worker/scratch.h"
#include "worker/sweep.h"

static char *self;
static char mark[] = "test-run", script_name[] = "s.sh", root_dir[] = "/";

struct scene {
    struct test_loop loop;
    struct job_setup setup;
    struct run_job job;
    struct matcher *matcher;
    char *root;
    int dones;
    struct observation seen;
};

static void on_done(void *arg, struct observation *observation)
{
    struct scene *s = arg;

    s->dones++;
    s->seen = *observation;
}

static void open_scene(struct scene *s)
{
    struct err err;

    s->setup.slots = 1;
    s->setup.mark = mark;
    s->setup.script_name = script_name;
    if (!s->setup.script_dir)
        s->setup.script_dir = root_dir;
    s->setup.output_max = 4096;
    s->setup.grace_ms = 300;
    assert_int_equal(scratch_open(mark, &s->root, &err), 0);
    s->matcher = matcher_new(NULL, 0, &err);
    assert_non_null(s->matcher);
    s->job.sweep = sweep_new(mark);
    s->job.setup = &s->setup;
    s->job.matcher = s->matcher;
    s->job.self = self;
    s->job.python = "/bin/sh";
    s->job.root = s->root;
    env_base(&s->job.base, &s->setup);
    test_loop_init(&s->loop);
    s->job.loop = &s->loop.uv;
}

static struct run *start(struct scene *s, const char *text, bool forked,
                         uint64_t timeout_ms)
{
    struct run_request request = { .id = 1,
                                   .how = RUN_FORK,
                                   .timeout_ms = timeout_ms };

    request.text = bytes_of(xstrdup(text), strlen(text));
    return run_start(&s->job, &request, 0, forked, on_done, s);
}

static int folders_of_runs(const char *root)
{
    DIR *dir = opendir(root);
    struct dirent *entry;
    int n = 0;

    while ((entry = readdir(dir)))
        n += strncmp(entry->d_name, "run-", 4) == 0 ||
             strncmp(entry->d_name, "tmp-", 4) == 0;
    closedir(dir);
    return n;
}

/* To the end of the loop; nothing of the run may be left. */
static void finish(struct scene *s)
{
    test_loop_finish(&s->loop);
    assert_int_equal(s->dones, 1);
    assert_int_equal(folders_of_runs(s->root), 0);
    assert_int_equal(sweep_job(s->job.sweep), 0);
}

static void leave(struct scene *s)
{
    observation_deinit(&s->seen);
    scratch_close(s->root);
    sweep_free(s->job.sweep);
    matcher_free(s->matcher);
    env_free(&s->job.base);
    free(s->root);
}

static void sees_its_exit_and_output(void **state)
{
    struct scene s = { 0 };
    (void)state;

    open_scene(&s);
    start(&s, "basename $0; echo err >&2; exit 3", false, 5000);
    assert_int_equal(s.dones, 0);
    finish(&s);
    assert_int_equal(s.seen.end, END_EXIT);
    assert_int_equal(s.seen.exit_code, 3);
    assert_string_equal(s.seen.out, "s.sh\n");
    assert_string_equal(s.seen.err, "err\n");
    assert_false(s.seen.forked);
    leave(&s);
}

static void runs_in_its_own_folder(void **state)
{
    struct scene s = { 0 };
    (void)state;

    open_scene(&s);
    start(&s, "touch here; [ -f s.sh ] && [ -d \"$TMPDIR\" ] && exit 5", false,
          5000);
    finish(&s);
    assert_int_equal(s.seen.exit_code, 5);
    leave(&s);
}

static void signal_is_an_end(void **state)
{
    struct scene s = { 0 };
    (void)state;

    open_scene(&s);
    start(&s, "kill -SEGV $$", false, 5000);
    finish(&s);
    assert_int_equal(s.seen.end, END_SIGNAL);
    assert_int_equal(s.seen.signal, SIGSEGV);
    leave(&s);
}

static void hang_is_a_timeout(void **state)
{
    struct scene s = { 0 };
    (void)state;

    open_scene(&s);
    start(&s, "echo up; trap '' TERM; while :; do sleep 1; done", false, 500);
    finish(&s);
    assert_int_equal(s.seen.end, END_TIMEOUT);
    assert_string_equal(s.seen.out, "up\n");
    assert_false(s.seen.busy);
    leave(&s);
}

static void a_timeout_at_work_is_told_from_one_that_waits(void **state)
{
    struct scene s = { 0 };
    (void)state;

    open_scene(&s);
    start(&s, "while :; do :; done", false, 2000);
    finish(&s);
    assert_int_equal(s.seen.end, END_TIMEOUT);
    assert_true(s.seen.busy);
    leave(&s);
}

static void strays_are_gone_when_it_is_done(void **state)
{
    struct scene s = { 0 };
    (void)state;

    open_scene(&s);
    start(&s, "setsid sleep 60 & setsid setsid sleep 61 >&- 2>&- & exit 0",
          false, 5000);
    finish(&s);
    assert_int_equal(s.seen.end, END_EXIT);
    leave(&s);
}

static void too_many_processes_are_a_limit(void **state)
{
    struct scene s = { .setup.procs_max = 3 };
    (void)state;

    open_scene(&s);
    start(&s, "for i in 1 2 3 4 5 6; do sleep 60 & done; wait", false, 30000);
    finish(&s);
    assert_int_equal(s.seen.end, END_LIMIT);
    assert_non_null(strstr(s.seen.why, "processes"));
    leave(&s);
}

static void missing_source_folder_is_no_verdict(void **state)
{
    struct scene s = { 0 };
    char nowhere[] = "/no/such/folder";
    (void)state;

    s.setup.script_dir = nowhere;
    open_scene(&s);
    scratch_close(s.root);
    start(&s, "exit 0", false, 5000);
    test_loop_finish(&s.loop);
    assert_int_equal(s.dones, 1);
    assert_int_equal(s.seen.end, END_LOST);
    assert_non_null(s.seen.why);
    leave(&s);
}

static void missing_fork_server_is_no_verdict(void **state)
{
    struct scene s = { 0 };
    (void)state;

    open_scene(&s);
    start(&s, "exit 0", true, 5000);
    finish(&s);
    assert_int_equal(s.seen.end, END_LOST);
    leave(&s);
}

static void cancel_before_it_starts(void **state)
{
    struct scene s = { 0 };
    (void)state;

    open_scene(&s);
    run_cancel(start(&s, "exit 0", false, 5000));
    finish(&s);
    assert_int_equal(s.seen.end, END_LOST);
    assert_string_equal(s.seen.why, "canceled");
    leave(&s);
}

static void command_gets_the_quoted_file(void **state)
{
    struct scene s = { 0 };
    char command[] = "cat {file} && exit 4";
    (void)state;

    s.setup.command = command;
    open_scene(&s);
    start(&s, "text", false, 5000);
    finish(&s);
    assert_int_equal(s.seen.exit_code, 4);
    assert_string_equal(s.seen.out, "text");
    leave(&s);
}

static void test_gets_the_file_as_last_argument(void **state)
{
    struct scene s = { 0 };
    char test[] = "grep -q needle";
    (void)state;

    s.setup.test = test;
    open_scene(&s);
    start(&s, "a needle", false, 5000);
    finish(&s);
    assert_int_equal(s.seen.end, END_EXIT);
    assert_int_equal(s.seen.exit_code, 0);
    leave(&s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sees_its_exit_and_output),
        cmocka_unit_test(runs_in_its_own_folder),
        cmocka_unit_test(signal_is_an_end),
        cmocka_unit_test(hang_is_a_timeout),
        cmocka_unit_test(a_timeout_at_work_is_told_from_one_that_waits),
        cmocka_unit_test(strays_are_gone_when_it_is_done),
        cmocka_unit_test(too_many_processes_are_a_limit),
        cmocka_unit_test(missing_source_folder_is_no_verdict),
        cmocka_unit_test(missing_fork_server_is_no_verdict),
        cmocka_unit_test(cancel_before_it_starts),
        cmocka_unit_test(command_gets_the_quoted_file),
        cmocka_unit_test(test_gets_the_file_as_last_argument),
    };
    char path[4096];
    size_t size = sizeof(path);

    if (argc > 1 && strcmp(argv[1], "limits") == 0)
        return limits_main(argc, argv);
    uv_exepath(path, &size);
    self = path;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
