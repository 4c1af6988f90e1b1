/* How a worker finds the interpreter, and one that answers in part; how it is
 * asked otherwise is tested with the worker, by frames. */
#include "test/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "config/file.h"
#include "config/mem.h"
#include "worker/interpreter.h"
#include "worker/protocol.h"

static const char
    *self; /* the program, which sets limits for the interpreter */

static void name_is_found_in_path(void **state)
{
    char *found = NULL;
    struct err err;
    (void)state;

    assert_int_equal(
        interpreter_find("sh", "/no/such/folder::/bin", &found, &err), 0);
    assert_string_equal(found, "/bin/sh");
    free(found);
}

static void path_becomes_absolute_and_keeps_its_links(void **state)
{
    char *found = NULL;
    struct err err;
    (void)state;

    assert_int_equal(chdir("/proc/self"), 0);
    assert_int_equal(interpreter_find("./exe", "/bin", &found, &err), 0);
    assert_int_equal(found[0], '/');
    assert_string_equal(found + strlen(found) - 4, "/exe");
    free(found);
}

static void missing_one_is_named_with_the_remedy(void **state)
{
    static const char *const names[] = { "python9", "/no/python9", "./python9",
                                         "" };
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        char *found = NULL;
        struct err err;

        assert_int_equal(
            interpreter_find(names[i], "/bin:/usr/bin", &found, &err), -ENOENT);
        assert_null(found);
        assert_non_null(strstr(err.text, names[i]));
        assert_non_null(strstr(err.text, "--python"));
    }
}

static void folder_and_plain_file_are_no_programs(void **state)
{
    char *found = NULL;
    struct err err;
    (void)state;

    assert_int_equal(interpreter_find("/bin", "", &found, &err), -ENOENT);
    assert_int_equal(interpreter_find("passwd", "/etc", &found, &err), -ENOENT);
    assert_null(found);
}

struct answer {
    unsigned n;
    struct interpreter said;
    char *error;
};

static void on_probed(void *arg, const struct interpreter *taken,
                      const char *error)
{
    struct answer *answer = arg;

    answer->n++;
    if (taken)
        answer->said = *taken;
    answer->error = xstrdup(error);
}

/* What a program has said that never ends by itself. */
static struct answer probed(const char *script)
{
    char dir[] = "/tmp/autodd-probe-XXXXXX";
    struct strings none = { 0 };
    struct answer answer = { 0 };
    uv_loop_t loop;

    assert_non_null(mkdtemp(dir));
    char *program = file_join(dir, "python");

    assert_int_equal(file_replace(program, script, strlen(script), 0700, NULL),
                     0);
    assert_int_equal(uv_loop_init(&loop), 0);
    struct probe_spec spec = {
        .self = self,
        .python = program,
        .folder = dir,
        .env = &none,
        .grace_ms = 100,
        .about = true,
        .modules = &none,
        .timeout_ms = 1000,
    };

    probe_start(&loop, &spec, on_probed, &answer);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    unlink(program);
    rmdir(dir);
    free(program);
    assert_int_equal(answer.n, 1);
    return answer;
}

/* The list of packages may take for ever on a slow disk. */
static void version_is_enough_when_the_rest_never_ends(void **state)
{
    struct answer answer = probed("#!/bin/sh\n"
                                  "echo 3.11.2\n"
                                  "printf 'package\\ttorch 2.0\\n'\n"
                                  "while :; do sleep 60; done\n");
    (void)state;

    assert_null(answer.error);
    assert_string_equal(answer.said.version, "3.11.2");
    assert_int_equal(answer.said.packages.n, 1);
    interpreter_deinit(&answer.said);
}

static void no_version_in_time_is_an_error(void **state)
{
    struct answer answer = probed("#!/bin/sh\nwhile :; do sleep 60; done\n");
    (void)state;

    assert_null(answer.said.version);
    assert_non_null(strstr(answer.error, "no answer"));
    free(answer.error);
}

int main(int argc, char **argv)
{
    char path[4096];
    size_t size = sizeof(path);

    if (argc > 1 && strcmp(argv[1], "limits") == 0)
        return limits_main(argc, argv);
    uv_exepath(path, &size);
    self = path;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(name_is_found_in_path),
        cmocka_unit_test(path_becomes_absolute_and_keeps_its_links),
        cmocka_unit_test(missing_one_is_named_with_the_remedy),
        cmocka_unit_test(folder_and_plain_file_are_no_programs),
        cmocka_unit_test(version_is_enough_when_the_rest_never_ends),
        cmocka_unit_test(no_version_in_time_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
