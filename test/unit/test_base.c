/* The small modules: mem, err, log, hash. */
#include "test/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/base.h"
#include "config/err.h"
#include "config/hash.h"
#include "config/log.h"
#include "config/mem.h"

static void copies_are_terminated_and_null_stays_null(void **state)
{
    (void)state;
    char *bytes = xmemdup("a\0b", 3), *text = xstrdup("abc");
    char *nothing = xmemdup(NULL, 0), *made = xasprintf("%s-%d", "a", 7);

    assert_memory_equal(bytes, "a\0b", 4);
    assert_string_equal(text, "abc");
    assert_string_equal(nothing, "");
    assert_string_equal(made, "a-7");
    assert_null(xstrdup(NULL));
    free(bytes);
    free(text);
    free(nothing);
    free(made);
}

static void growing_keeps_what_was_there(void **state)
{
    (void)state;
    int *numbers = NULL;
    size_t room = 0;

    for (int i = 0; i < 1000; i++) {
        xgrow(&numbers, &room, (size_t)i + 1, sizeof(*numbers));
        assert_true(room > (size_t)i);
        numbers[i] = i;
    }
    for (int i = 0; i < 1000; i++)
        assert_int_equal(numbers[i], i);
    size_t before = room;

    xgrow(&numbers, &room, 1, sizeof(*numbers));
    assert_int_equal(room, before);
    free(numbers);
}

static void an_error_returns_its_code_and_fits_its_room(void **state)
{
    (void)state;
    struct err err;
    char text[3000];

    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_int_equal(err_set(&err, -EINVAL, "%s:%d: no", "f", 3), -EINVAL);
    assert_string_equal(err.text, "f:3: no");
    assert_int_equal(err_set(&err, -E2BIG, "%s", text), -E2BIG);
    assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
    assert_int_equal(err_set(NULL, -EIO, "nobody listens"), -EIO);
    assert_string_equal(err_name(-ENOENT), err_name(ENOENT));
}

static void an_error_may_be_put_behind_a_place(void **state)
{
    (void)state;
    struct err err;

    err_set(&err, -EINVAL, "the inner reason");
    err_set(&err, -EINVAL, "outer: %s", err.text);
    assert_string_equal(err.text, "outer: the inner reason");
}

/* What log calls wrote to stderr while `write_lines` ran. */
static void logged(void (*write_lines)(void), char *out, size_t size)
{
    FILE *file = tmpfile();
    int saved = dup(STDERR_FILENO);

    dup2(fileno(file), STDERR_FILENO);
    write_lines();
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    out[fread(out, 1, size - 1, file)] = '\0';
    fclose(file);
}

static void one_line_each(void)
{
    log_error("run %d: lost", 1);
    log_warn("look");
    log_info("started");
    log_debug("detail");
}

static void lines_above_the_level_are_dropped(void **state)
{
    (void)state;
    char text[500];
    enum log_level before = log_get_level();

    assert_int_equal(before, LOG_WARN);
    logged(one_line_each, text, sizeof(text));
    assert_string_equal(text, "autodd-c: error: run 1: lost\n"
                              "autodd-c: warning: look\n");
    log_set_level(LOG_DEBUG);
    logged(one_line_each, text, sizeof(text));
    log_set_level(before);
    assert_non_null(strstr(text, "autodd-c: info: started\n"));
    assert_non_null(strstr(text, "autodd-c: debug: detail\n"));
}

static void foreign_text_is_escaped_and_cut(void **state)
{
    (void)state;
    char out[24];

    assert_string_equal(log_safe(out, sizeof(out), "a\n\x1b[1m\x7f", 7),
                        "a\\x0a\\x1b[1m\\x7f");
    assert_string_equal(log_safe(out, sizeof(out), "a\0b", 3), "a\\x00b");
    assert_string_equal(log_safe(out, sizeof(out), "", 0), "");
    for (size_t size = 1; size <= sizeof(out); size++) {
        memset(out, '!', sizeof(out));
        log_safe(out, size, "\n\n\n\n\n\n\n\n\n\n", 10);
        assert_true(strnlen(out, size) < size);
        for (size_t i = size; i < sizeof(out); i++)
            assert_int_equal(out[i], '!');
    }
    log_safe(out, sizeof(out), "0123456789012345678901234567890", 31);
    assert_string_equal(out + strlen(out) - 3, "...");
}

static void fingerprints_are_those_of_xxh3(void **state)
{
    (void)state;
    char hex[33];

    hash_hex(hash_bytes("", 0), hex); /* as xxhsum -H2 prints it */
    assert_string_equal(hex, "99aa06d3014798d86001c324468d497f");
    assert_true(hash_equal(hash_bytes("abc", 3), hash_bytes("abc", 3)));
    assert_false(hash_equal(hash_bytes("abc", 3), hash_bytes("abd", 3)));
}

static void all_bits_of_the_first_part_reach_the_second(void **state)
{
    (void)state;
    struct hash128 h = hash_bytes("abc", 3);
    struct hash128 one = hash_more(h, "x", 1);

    assert_true(hash_equal(one, hash_more(h, "x", 1)));
    assert_false(hash_equal(one, hash_more(h, "y", 1)));
    assert_false(hash_equal(hash_more(h, "", 0), h));
    for (int bit = 0; bit < 64; bit++) {
        struct hash128 high = h, low = h, both = h;

        high.high ^= UINT64_C(1) << bit;
        low.low ^= UINT64_C(1) << bit;
        both.high += UINT64_C(1) << bit; /* with what a 64-bit mix of the */
        both.low -= UINT64_C(31) << bit; /* halves would not tell apart */
        assert_false(hash_equal(one, hash_more(high, "x", 1)));
        assert_false(hash_equal(one, hash_more(low, "x", 1)));
        assert_false(hash_equal(one, hash_more(both, "x", 1)));
    }
}

/* Against a walk, for every place where the rows may turn. */
static void a_binary_search_finds_where_it_turns(void **state)
{
    (void)state;
    for (size_t from = 0; from <= 3; from++) {
        for (size_t to = 0; to <= 9; to++) {
            for (size_t turn = 0; turn <= 10; turn++) {
                size_t found, walked = from;

                while (walked < to && walked < turn)
                    walked++;
                BISECT(found, from, to, found < turn);
                assert_int_equal(found, walked);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_binary_search_finds_where_it_turns),
        cmocka_unit_test(copies_are_terminated_and_null_stays_null),
        cmocka_unit_test(growing_keeps_what_was_there),
        cmocka_unit_test(an_error_returns_its_code_and_fits_its_room),
        cmocka_unit_test(an_error_may_be_put_behind_a_place),
        cmocka_unit_test(lines_above_the_level_are_dropped),
        cmocka_unit_test(foreign_text_is_escaped_and_cut),
        cmocka_unit_test(fingerprints_are_those_of_xxh3),
        cmocka_unit_test(all_bits_of_the_first_part_reach_the_second),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
