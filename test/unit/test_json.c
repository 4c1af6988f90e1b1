/* What goes in comes out, and nothing from outside harms a reader. */
#include "test/test.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/buf.h"
#include "config/json.h"

static struct json *good(const char *text)
{
    struct err err = { "" };
    struct json *value = json_parse(text, strlen(text), &err);

    if (!value)
        fail_msg("%s: %s", text, err.text);
    return value;
}

/* The value on one line, in fresh memory; the value is freed. */
static char *written(struct json *value)
{
    struct buf buf;

    buf_init(&buf, 1 << 20);
    assert_int_equal(json_write(value, &buf), 0);
    json_free(value);
    return buf_take(&buf, NULL);
}

static void values_are_written_on_one_line_in_order(void **state)
{
    (void)state;
    struct json *o = json_new_object();
    struct json *a = json_new_array();

    json_put_str(o, "z", "line\nbreak \"q\" \xc3\xa9");
    json_put_int(o, "n", INT64_MIN);
    json_put_real(o, "x", 0.5);
    json_put_bool(o, "b", true);
    json_put_str(o, "nothing", NULL);
    json_push_str(a, "s");
    json_push(a, json_new_object());
    json_put(o, "a", a);
    char *text = written(o);

    assert_string_equal(text, "{\"z\":\"line\\nbreak \\\"q\\\" \xc3\xa9\","
                              "\"n\":-9223372036854775808,\"x\":0.5,\"b\":true,"
                              "\"a\":[\"s\",{}]}");
    free(text);
}

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    struct json *o = good("{\"s\":\"t\",\"n\":9007199254740993,\"x\":1.5,"
                          "\"b\":false,\"a\":[\"p\",2],\"o\":{\"k\":\"v\"}}");

    assert_string_equal(json_get_str(o, "s", NULL), "t");
    assert_true(json_get_int(o, "n", 0) == INT64_C(9007199254740993));
    assert_true(json_get_real(o, "x", 0) == 1.5);
    assert_true(json_get_real(o, "n", 0) > 9e15); /* a number is a number */
    assert_false(json_get_bool(o, "b", true));
    assert_int_equal(json_len(json_get(o, "a")), 2);
    assert_string_equal(json_at_str(json_get(o, "a"), 0), "p");
    assert_null(json_at_str(json_get(o, "a"), 1));
    assert_null(json_at(json_get(o, "a"), 2));
    assert_string_equal(json_get_str(json_get(o, "o"), "k", NULL), "v");
    assert_true(json_has(o, "s"));
    assert_false(json_has(o, "t"));
    json_free(o);
}

static void getters_give_the_default_for_anything_else(void **state)
{
    (void)state;
    struct json *o = good("{\"s\":\"t\",\"n\":1.5,\"z\":null,\"a\":[]}");
    const struct json *others[] = { NULL, o, json_get(o, "s"), json_get(o, "z"),
                                    json_get(o, "a") };
    size_t len;

    for (size_t i = 0; i < ARRAY_LEN(others); i++) {
        assert_string_equal(json_get_str(others[i], "n", "d"), "d");
        assert_int_equal(json_get_int(others[i], "n", 7), 7);
        assert_true(json_get_real(others[i], "s", 7) == 7);
        assert_true(json_get_bool(others[i], "s", true));
        assert_null(json_get_bytes(others[i], "n", &len));
        assert_false(json_has(others[i], "none"));
        assert_null(json_get(others[i], "none"));
        assert_int_equal(json_len(others[i]), 0);
        assert_null(json_at(others[i], 0));
        assert_null(json_at_str(others[i], 0));
    }
    json_free(o);
    json_free(NULL);
}

static void garbage_is_refused_with_its_place(void **state)
{
    (void)state;
    const char *texts[] = {
        "",
        "{",
        "{\"a\":1,\"a\":2}",
        "{} x",
        "[1,]",
        "{'a':1}",
        "nul",
        "\"\\ud800\"",
        "\"\\u0000\"",
        "[1e999]",
        "\"\xff\"",
        "[99999999999999999999]",
        "\"line\nbreak\"",
        "NaN",
        "01",
    };

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct err err = { "" };

        if (json_parse(texts[i], strlen(texts[i]), &err))
            fail_msg("accepted: %s", texts[i]);
        assert_non_null(strstr(err.text, "line "));
    }
    assert_null(json_parse("{}\0{}", 5, NULL));
}

static void depth_has_a_ceiling(void **state)
{
    (void)state;
    enum { DEEP = 500000 };
    char *text = malloc(DEEP);
    struct err err;

    memset(text, '[', DEEP);
    assert_null(json_parse(text, DEEP, &err));
    assert_non_null(strstr(err.text, "depth"));
    free(text);
}

static void any_bytes_survive_base64(void **state)
{
    (void)state;
    char bytes[256];

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)(255 - i);
    for (size_t n = 0; n <= sizeof(bytes); n++) {
        struct json *o = json_new_object();
        size_t len = 999;

        json_put_bytes(o, "b", bytes_of(bytes, n));
        char *back = json_get_bytes(o, "b", &len);
        assert_non_null(back);
        assert_int_equal(len, n);
        assert_memory_equal(back, bytes, n);
        assert_int_equal(back[n], '\0');
        free(back);
        json_free(o);
    }
}

static void base64_is_that_of_the_standard(void **state)
{
    (void)state;
    /* RFC 4648, section 10 */
    const char *pairs[][2] = {
        { "", "" },
        { "f", "Zg==" },
        { "fo", "Zm8=" },
        { "foo", "Zm9v" },
        { "foob", "Zm9vYg==" },
        { "fooba", "Zm9vYmE=" },
        { "\xff\xef", "/+8=" },
    };

    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        struct json *o = json_new_object();

        json_put_bytes(o, "b", bytes_of(pairs[i][0], strlen(pairs[i][0])));
        assert_string_equal(json_get_str(o, "b", NULL), pairs[i][1]);
        json_free(o);
    }
}

static void broken_base64_is_no_bytes(void **state)
{
    (void)state;
    const char *texts[] = { "A",    "AA",          "AAA",  "AAAAA",    "====",
                            "A===", "AA=A",        "=AAA", "AA==AAAA", "AA A",
                            "AA-_", "AAA\xc3\xa9", "A=A=" };

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct json *o = json_new_object();
        size_t len;

        json_put_str(o, "b", texts[i]);
        char *bytes = json_get_bytes(o, "b", &len);
        if (bytes)
            fail_msg("accepted: %s", texts[i]);
        json_free(o);
    }
}

static void text_that_is_no_utf8_becomes_a_mark(void **state)
{
    (void)state;
    struct json *o = json_new_object();
    struct json *a = json_new_array();

    json_put_str(o, "s", "a\xff");
    json_push_str(a, "\xc3");
    json_put(o, "a", a);
    char *text = written(o);
    assert_string_equal(text,
                        "{\"s\":\"(not UTF-8)\",\"a\":[\"(not UTF-8)\"]}");
    free(text);
}

static void a_number_that_json_cannot_hold_is_left_out(void **state)
{
    (void)state;
    struct json *o = json_new_object();

    json_put_real(o, "nan", NAN);
    json_put_real(o, "inf", INFINITY);
    char *text = written(o);
    assert_string_equal(text, "{}");
    free(text);
}

static void writing_stops_at_the_ceiling(void **state)
{
    (void)state;
    struct json *o = good("{\"key\":\"0123456789\"}");
    struct buf buf;

    buf_init(&buf, 10);
    assert_int_equal(json_write(o, &buf), -E2BIG);
    assert_int_equal(json_write_pretty(o, &buf), -E2BIG);
    buf_deinit(&buf);
    buf_init(&buf, 100);
    assert_int_equal(json_write_pretty(o, &buf), 0);
    assert_string_equal(buf_str(&buf), "{\n  \"key\": \"0123456789\"\n}\n");
    buf_deinit(&buf);
    json_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_written_on_one_line_in_order),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(getters_give_the_default_for_anything_else),
        cmocka_unit_test(garbage_is_refused_with_its_place),
        cmocka_unit_test(depth_has_a_ceiling),
        cmocka_unit_test(any_bytes_survive_base64),
        cmocka_unit_test(base64_is_that_of_the_standard),
        cmocka_unit_test(broken_base64_is_no_bytes),
        cmocka_unit_test(text_that_is_no_utf8_becomes_a_mark),
        cmocka_unit_test(a_number_that_json_cannot_hold_is_left_out),
        cmocka_unit_test(writing_stops_at_the_ceiling),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
