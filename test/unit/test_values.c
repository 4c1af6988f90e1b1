/* The tracer's file of values as the minimizer gets it. */
#include "test/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/file.h"
#include "config/mem.h"
#include "worker/values.h"

static char folder[] = "/tmp/test-values.XXXXXX";
static char *path;

static char *values_of(const char *text, size_t n)
{
    struct err err;

    assert_int_equal(file_replace(path, text, n, 0600, &err), 0);
    return values_read(path);
}

static void lines_with_one_value_and_calls_that_came_back_are_kept(void **state)
{
    static const char text[] = "0-9 =128     \n"
                               "0-4          \n"
                               "5-9 !12345678\n"
                               "10-12 +x \n"
                               "12-14 +\n"
                               "14-16 =' '  \n"
                               "16-20 *f(1) \n";
    char *got = values_of(text, strlen(text));
    (void)state;

    assert_non_null(got);
    assert_string_equal(got, "0-9=128\n10-12+\n12-14+\n14-16=' '\n"
                             "16-20*f(1)\n");
    free(got);
    got = values_of("", 0);
    assert_string_equal(got, "");
    free(got);
}

static void a_damaged_file_is_no_values(void **state)
{
    static const char *const bad[] = {
        "0-9 =1",   "0-9\n",       "\n",          " =1\n",   "0-9 \n",
        "a-9 =1\n", "0-9 ?1   \n", "0-9 =1\n0-9", "0-9=1\n",
    };
    size_t n = (1u << 20) + 1;
    char *large = xcalloc(n, 1);
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        assert_null(values_of(bad[i], strlen(bad[i])));
    assert_null(values_of("0-9 =1\0002 \n", 11));
    memset(large, '\n', n);
    assert_null(values_of(large, n));
    free(large);
    assert_int_equal(unlink(path), 0);
    assert_null(values_read(path));
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_null(values_read(path)); /* and does not hang */
    assert_int_equal(unlink(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            lines_with_one_value_and_calls_that_came_back_are_kept),
        cmocka_unit_test(a_damaged_file_is_no_values),
    };

    if (!mkdtemp(folder))
        return 1;
    path = file_join(folder, "values");
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    rmdir(folder);
    free(path);
    return failed;
}
