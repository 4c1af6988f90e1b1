/* The tracer's file as ranges. */
#include "test/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/file.h"
#include "config/mem.h"
#include "worker/protocol.h"
#include "worker/ran.h"

static char folder[] = "/tmp/test-ran.XXXXXX";
static char *path;

static char *ran_of(const char *bytes, size_t n)
{
    struct err err;

    assert_int_equal(file_replace(path, bytes, n, 0600, &err), 0);
    return ran_read(path);
}

static void lines_become_ranges(void **state)
{
    static const struct {
        const char *bytes; /* '1': ran; byte 0 is line 0 */
        const char *ranges;
    } cases[] = {
        { "", "" },
        { "0", "" },
        { "000", "" },
        { "01", "1" },
        { "00", "" },
        { "0111", "1-3" },
        { "0010110", "2,4-5" },
        { "00000000011", "9-10" },
        { "0101010", "1,3,5" },
    };
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        size_t n = strlen(cases[i].bytes);
        char *bytes = xmemdup(cases[i].bytes, n);
        for (size_t k = 0; k < n; k++)
            bytes[k] = bytes[k] == '1' ? (char)(1 + 254 * (k & 1)) : 0;
        char *ranges = ran_of(bytes, n);
        assert_non_null(ranges);
        assert_string_equal(ranges, cases[i].ranges);
        free(ranges);
        free(bytes);
    }
}

static void what_is_no_whole_small_file_is_no_trace(void **state)
{
    size_t n = (4u << 20) + 1;
    char *many = xcalloc(n, 1);
    (void)state;

    many[7] = 1;
    char *fits = ran_of(many, n - 1);
    assert_string_equal(fits, "7");
    free(fits);
    assert_null(ran_of(many, n));
    many[0] = 1; /* the tracer was lost */
    assert_null(ran_of(many, 10));
    assert_int_equal(unlink(path), 0);
    assert_null(ran_read(path));
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_null(ran_read(path)); /* and does not hang */
    assert_int_equal(unlink(path), 0);
    free(many);
}

static void ranges_that_are_too_long_are_no_trace(void **state)
{
    size_t n = 1u << 20;
    char *bytes = xcalloc(n, 1);
    (void)state;

    for (size_t i = 1; i < n; i += 2)
        bytes[i] = 1;
    assert_null(ran_of(bytes, n));
    char *fewer = ran_of(bytes, n / 8);
    assert_non_null(fewer);
    assert_true(strlen(fewer) <= RAN_MAX_BYTES);
    free(fewer);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_become_ranges),
        cmocka_unit_test(what_is_no_whole_small_file_is_no_trace),
        cmocka_unit_test(ranges_that_are_too_long_are_no_trace),
    };

    if (!mkdtemp(folder))
        return 1;
    path = file_join(folder, "ran");
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    rmdir(folder);
    free(path);
    return failed;
}
