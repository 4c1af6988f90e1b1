/* How the result is run by hand, as the reports say it; and what they keep of
 * what was said. */
#include "test/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/buf.h"
#include "minimizer/notes.h"
#include "minimizer/rerun.h"

static void assert_command(const struct job_setup *setup, const char *cwd,
                           const char *wanted)
{
    struct buf out;

    buf_init(&out, 1 << 16);
    rerun_command(setup, 0, cwd, "/data/my dir/a.min.py", &out);
    assert_string_equal(buf_str(&out), wanted);
    buf_deinit(&out);
}

static void variables_interpreter_and_arguments_are_in_it(void **state)
{
    char *env[] = { (char[]){ "PYTHONHASHSEED=0" }, (char[]){ "X=a b" }, NULL };
    char *argv[] = { (char[]){ "--size" }, (char[]){ "it's" }, (char[]){ "" },
                     NULL };
    char python[] = "python3";
    struct job_setup setup = {
        .python = python,
        .env = { env, 2 },
        .argv = { argv, 3 },
    };
    (void)state;

    assert_command(&setup, NULL,
                   "PYTHONHASHSEED=0 X='a b' python3 a.min.py --size "
                   "'it'\\''s' ''");
    assert_command(&setup, "/data/my dir",
                   "cd '/data/my dir' && PYTHONHASHSEED=0 X='a b' python3 "
                   "'/data/my dir/a.min.py' --size 'it'\\''s' ''");
}

static void waiting_for_launches_is_a_variable(void **state)
{
    char python[] = "python3";
    struct job_setup setup = { .python = python };
    struct buf out;
    (void)state;

    buf_init(&out, 1 << 16);
    rerun_command(&setup, AID_BLOCKING | AID_FILL, NULL, "/x/a.py", &out);
    assert_string_equal(buf_str(&out), "CUDA_LAUNCH_BLOCKING=1 python3 a.py");
    buf_deinit(&out);
}

static void command_of_the_user_gets_the_file(void **state)
{
    char command[] = "python3 -m pytest -x {file} # {file}";
    char test[] = "./decide.sh";
    char python[] = "python3";
    struct job_setup setup = { .python = python, .command = command };
    (void)state;

    assert_command(&setup, NULL, "python3 -m pytest -x a.min.py # a.min.py");
    setup.command = NULL;
    setup.test = test;
    assert_command(&setup, NULL, "./decide.sh a.min.py");
}

/* What /bin/sh reads is the word itself. */
static void quoted_words_come_out_of_a_shell_as_they_were(void **state)
{
    static const char *const words[] = {
        "a", "a b", "$(rm x)", "it's",  "\"", "`x`", "a\nb",
        "~", "*",   "a=b",     "-n\\t", "#",  "!",
    };
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        struct buf out;
        char path[] = "/tmp/autodd-rerun-XXXXXX", got[64] = "";
        int fd = mkstemp(path);

        assert_true(fd >= 0);
        buf_init(&out, 1 << 10);
        buf_adds(&out, "printf %s ");
        rerun_quote(words[i], &out);
        assert_true(write(fd, buf_str(&out), out.len) == (ssize_t)out.len);
        close(fd);
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        pid_t pid = fork();
        if (pid == 0) {
            dup2(ends[1], 1);
            execl("/bin/sh", "sh", path, (char *)NULL);
            _exit(127);
        }
        close(ends[1]);
        ssize_t n = read(ends[0], got, sizeof(got) - 1);
        close(ends[0]);
        int status;
        waitpid(pid, &status, 0);
        unlink(path);
        buf_deinit(&out);
        assert_true(n >= 0);
        assert_string_equal(got, words[i]);
    }
}

static void what_was_said_is_kept_in_order_and_bounded(void **state)
{
    struct notes notes = { 0 };
    char *long_text = malloc(100000);
    (void)state;

    memset(long_text, 'x', 99999);
    long_text[99999] = '\0';
    notes_add(&notes, SAY_INFO, "first");
    notes_add(&notes, SAY_WARNING, long_text);
    for (int i = 0; i < 1000; i++)
        notes_add(&notes, SAY_NOTE, "more");
    notes_add(&notes, SAY_ERROR, "the end");
    free(long_text);
    assert_int_equal(notes.n, 65);
    assert_string_equal(notes.items[0].text, "first");
    assert_int_equal(strlen(notes.items[1].text), 16 << 10);
    assert_string_equal(notes.items[64].text, "the end");
    assert_string_equal(note_kind_name(notes.items[64].kind), "error");
    notes_deinit(&notes);
    assert_int_equal(notes.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_interpreter_and_arguments_are_in_it),
        cmocka_unit_test(waiting_for_launches_is_a_variable),
        cmocka_unit_test(command_of_the_user_gets_the_file),
        cmocka_unit_test(quoted_words_come_out_of_a_shell_as_they_were),
        cmocka_unit_test(what_was_said_is_kept_in_order_and_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
