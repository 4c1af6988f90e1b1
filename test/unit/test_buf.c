/* The ceiling holds, and what was there before stays whole. */
#include "test/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/buf.h"

static void appends_grow_and_stay_terminated(void **state)
{
    (void)state;
    struct buf buf;

    buf_init(&buf, 1000);
    assert_string_equal(buf_str(&buf), "");
    assert_int_equal(buf_adds(&buf, "ab"), 0);
    assert_int_equal(buf_addc(&buf, 'c'), 0);
    assert_int_equal(buf_addf(&buf, "-%d-%s", 7, "x"), 0);
    assert_int_equal(buf_add(&buf, "\0z", 2), 0);
    assert_int_equal(buf.len, 9);
    assert_memory_equal(buf_bytes(&buf).data, "abc-7-x\0z", 10);
    assert_false(buf.full);
    buf_deinit(&buf);
}

static void the_ceiling_may_be_reached_and_not_passed(void **state)
{
    (void)state;
    struct buf buf;

    buf_init(&buf, 4);
    assert_int_equal(buf_adds(&buf, "abcd"), 0);
    assert_false(buf.full);
    assert_int_equal(buf_addc(&buf, 'e'), -E2BIG);
    assert_true(buf.full);
    assert_string_equal(buf_str(&buf), "abcd");
    buf_deinit(&buf);
}

static void a_full_buf_takes_nothing_more_even_if_it_would_fit(void **state)
{
    (void)state;
    struct buf buf;

    buf_init(&buf, 4);
    assert_int_equal(buf_addf(&buf, "%s", "too long"), -E2BIG);
    assert_int_equal(buf_addc(&buf, 'a'), -E2BIG);
    assert_int_equal(buf.len, 0);
    buf_clear(&buf);
    assert_int_equal(buf_addc(&buf, 'a'), 0);
    assert_string_equal(buf_str(&buf), "a");
    buf_deinit(&buf);
}

static void huge_lengths_do_not_wrap_around(void **state)
{
    (void)state;
    struct buf buf;

    buf_init(&buf, 100);
    assert_int_equal(buf_adds(&buf, "ab"), 0);
    assert_int_equal(buf_add(&buf, "x", SIZE_MAX), -E2BIG);
    assert_int_equal(buf.len, 2);
    buf_deinit(&buf);
}

static void dropping_keeps_the_rest(void **state)
{
    (void)state;
    struct buf buf;

    buf_init(&buf, 100);
    buf_drop(&buf, 0);
    buf_adds(&buf, "abcdef");
    buf_drop(&buf, 2);
    assert_string_equal(buf_str(&buf), "cdef");
    buf_drop(&buf, 4);
    assert_string_equal(buf_str(&buf), "");
    assert_int_equal(buf.len, 0);
    buf_deinit(&buf);
}

static void taken_bytes_are_the_callers_and_the_buf_is_empty(void **state)
{
    (void)state;
    struct buf buf;
    size_t len = 99;

    buf_init(&buf, 3);
    char *nothing = buf_take(&buf, &len);
    assert_string_equal(nothing, "");
    assert_int_equal(len, 0);
    buf_adds(&buf, "abc");
    char *text = buf_take(&buf, NULL);
    assert_string_equal(text, "abc");
    assert_int_equal(buf.len, 0);
    assert_int_equal(buf_adds(&buf, "xyz"), 0); /* ceiling as before */
    assert_int_equal(buf_addc(&buf, '!'), -E2BIG);
    free(nothing);
    free(text);
    buf_deinit(&buf);
}

static void empty_appends_are_fine(void **state)
{
    (void)state;
    struct buf buf;

    buf_init(&buf, 0);
    assert_int_equal(buf_add(&buf, NULL, 0), 0);
    assert_int_equal(buf_adds(&buf, ""), 0);
    assert_int_equal(buf.len, 0);
    buf_deinit(&buf);
    buf_deinit(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appends_grow_and_stay_terminated),
        cmocka_unit_test(the_ceiling_may_be_reached_and_not_passed),
        cmocka_unit_test(a_full_buf_takes_nothing_more_even_if_it_would_fit),
        cmocka_unit_test(huge_lengths_do_not_wrap_around),
        cmocka_unit_test(dropping_keeps_the_rest),
        cmocka_unit_test(taken_bytes_are_the_callers_and_the_buf_is_empty),
        cmocka_unit_test(empty_appends_are_fine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
