/* How a worker finds the interpreter; how it asks for the version is tested
 * with the worker, by frames. */
#include "test/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "worker/interpreter.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(name_is_found_in_path),
        cmocka_unit_test(path_becomes_absolute_and_keeps_its_links),
        cmocka_unit_test(missing_one_is_named_with_the_remedy),
        cmocka_unit_test(folder_and_plain_file_are_no_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
