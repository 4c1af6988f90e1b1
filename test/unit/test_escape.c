/* Text from outside in reports: nothing of it may become markup, and nothing
 * that cannot be shown may be hidden. */
#include "test/test.h"

#include <stdlib.h>
#include <string.h>

#include "config/buf.h"
#include "config/mem.h"
#include "minimizer/report/escape.h"

typedef size_t escape_fn(struct buf *out, struct bytes text);

#define BAD "\xEF\xBF\xBD"

static void assert_shown(escape_fn *escape, const char *text, size_t len,
                         const char *wanted, size_t replaced)
{
    struct buf out;

    buf_init(&out, 1 << 20);
    assert_int_equal(escape(&out, bytes_of(text, len)), replaced);
    assert_string_equal(buf_str(&out), wanted);
    assert_int_equal(out.len, strlen(wanted));
    buf_deinit(&out);
}

#define SHOWN(escape, text, wanted, replaced)                                  \
    assert_shown(escape, text, sizeof(text) - 1, wanted, replaced)

static void markup_becomes_text_in_html(void **state)
{
    (void)state;
    SHOWN(escape_html, "</script><img src=x onerror=\"a('b')\">&amp;",
          "&lt;/script&gt;&lt;img src=x onerror=&quot;a(&#39;b&#39;)&quot;&gt;"
          "&amp;amp;",
          0);
    SHOWN(escape_html, "--><!-- ]]>", "--&gt;&lt;!-- ]]&gt;", 0);
    SHOWN(escape_html, "", "", 0);
}

static void control_bytes_become_their_pictures(void **state)
{
    (void)state;
    SHOWN(escape_html, "a\0b\x1B[31m\x7F",
          "a\xE2\x90\x80"
          "b\xE2\x90\x9B[31m\xE2\x90\xA1",
          3);
    SHOWN(escape_html, "\t\n", "\t\n", 0);
    SHOWN(escape_html, "\xC2\x85\xC2\xA0", BAD "\xC2\xA0", 1);
}

static void line_ends_are_all_the_same(void **state)
{
    (void)state;
    SHOWN(escape_html, "a\r\nb\rc\n\r", "a\nb\nc\n\n", 0);
}

static void marks_that_turn_the_writing_are_named(void **state)
{
    (void)state;
    SHOWN(escape_html, "x\xE2\x80\xAEy\xE2\x81\xA6", "x[U+202E]y[U+2066]", 2);
    SHOWN(escape_html, "\xE2\x80\xA8\xE2\x80\xA9", "\xE2\x80\xA8\xE2\x80\xA9",
          0);
}

static void bytes_that_are_no_utf8_are_replaced(void **state)
{
    (void)state;
    SHOWN(escape_utf8,
          "gr\xF6\xDF"
          "e",
          "gr" BAD BAD "e", 2);
    SHOWN(escape_utf8, "\xC3\xB6\xED\xA0\x80", "\xC3\xB6" BAD BAD BAD, 3);
    SHOWN(escape_utf8, "\xF4\x90\x80\x80", BAD BAD BAD BAD, 4);
    SHOWN(escape_utf8, "\xC0\xAF", BAD BAD, 2);
    SHOWN(escape_utf8, "\xF0\x9F\x90\x9B", "\xF0\x9F\x90\x9B", 0);
    SHOWN(escape_utf8, "cut \xE2\x82", "cut " BAD BAD, 2);
    SHOWN(escape_html, "\xEF\xBF\xBF\xEF\xB7\x90", BAD BAD, 2);
}

static void code_span_ends_where_we_end_it(void **state)
{
    (void)state;
    SHOWN(escape_markdown_span, "a*b*<c>", "`a*b*<c>`", 0);
    SHOWN(escape_markdown_span, "a`b``c", "```a`b``c```", 0);
    SHOWN(escape_markdown_span, "`a`", "`` `a` ``", 0);
    SHOWN(escape_markdown_span, " a ", "`  a  `", 0);
    SHOWN(escape_markdown_span, "a\n\n# b\tc", "`a  # b c`", 0);
    SHOWN(escape_markdown_span, "", "", 0);
}

static void fence_is_longer_than_any_in_the_text(void **state)
{
    struct buf out;
    (void)state;

    buf_init(&out, 1 << 10);
    escape_markdown_block(&out, "python", bytes_of("x\n", 2));
    escape_markdown_block(&out, "", bytes_of("````\r\ny`````", 12));
    escape_markdown_block(&out, "text", bytes_of("", 0));
    assert_string_equal(buf_str(&out), "```python\nx\n```\n"
                                       "``````\n````\ny`````\n``````\n"
                                       "```text\n```\n");
    buf_deinit(&out);
}

static void head_cuts_no_character(void **state)
{
    struct bytes text = bytes_of("ab\xE2\x82\xAC", 5);
    (void)state;

    assert_int_equal(escape_head(text, 5).len, 5);
    assert_int_equal(escape_head(text, 4).len, 2);
    assert_int_equal(escape_head(text, 3).len, 2);
    assert_int_equal(escape_head(text, 2).len, 2);
    assert_int_equal(escape_head(text, 0).len, 0);
    /* No UTF-8: cut where asked. */
    assert_int_equal(
        escape_head(bytes_of("\x80\x80\x80\x80\x80\x80", 6), 5).len, 5);
}

static void assert_tail(const char *text, size_t lines, size_t max,
                        const char *wanted)
{
    struct bytes tail = escape_tail(bytes_of(text, strlen(text)), lines, max);

    assert_int_equal(tail.len, strlen(wanted));
    assert_memory_equal(tail.data, wanted, tail.len);
}

static void tail_is_of_whole_lines(void **state)
{
    (void)state;
    assert_tail("a\nb\nc\n", 2, 100, "b\nc\n");
    assert_tail("a\nb\nc", 2, 100, "b\nc");
    assert_tail("a\nb\nc\n", 9, 100, "a\nb\nc\n");
    assert_tail("aaaa\nb\nc\n", 9, 7, "b\nc\n");
    assert_tail("a\n\xE2\x82\xAC\xE2\x82\xAC", 9, 5, "\xE2\x82\xAC");
    assert_tail("", 9, 5, "");
    assert_tail("\n\n", 1, 5, "\n");
}

/* Whatever the bytes are, what comes out is UTF-8 without control characters
 * or markup. */
static void no_bytes_at_all_get_through(void **state)
{
    struct buf out, again;
    unsigned seed = 1;
    (void)state;

    buf_init(&out, 1 << 16);
    buf_init(&again, 1 << 16);
    for (int round = 0; round < 2000; round++) {
        char text[64];

        for (size_t i = 0; i < sizeof(text); i++) {
            seed = seed * 1103515245u + 12345u;
            text[i] = (char)(seed >> 16);
        }
        buf_clear(&out);
        buf_clear(&again);
        escape_html(&out, bytes_of(text, sizeof(text)));
        assert_null(strpbrk(buf_str(&out), "<>\"'\r\x1B\x7F"));
        assert_int_equal(strlen(buf_str(&out)), out.len);
        assert_int_equal(escape_utf8(&again, buf_bytes(&out)), 0);
    }
    buf_deinit(&again);
    buf_deinit(&out);
}

static void full_buffer_is_told_by_the_buffer(void **state)
{
    struct buf out;
    (void)state;

    buf_init(&out, 4);
    escape_html(&out, bytes_of("aaaaaaaa", 8));
    assert_true(out.full);
    buf_deinit(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markup_becomes_text_in_html),
        cmocka_unit_test(control_bytes_become_their_pictures),
        cmocka_unit_test(line_ends_are_all_the_same),
        cmocka_unit_test(marks_that_turn_the_writing_are_named),
        cmocka_unit_test(bytes_that_are_no_utf8_are_replaced),
        cmocka_unit_test(code_span_ends_where_we_end_it),
        cmocka_unit_test(fence_is_longer_than_any_in_the_text),
        cmocka_unit_test(head_cuts_no_character),
        cmocka_unit_test(tail_is_of_whole_lines),
        cmocka_unit_test(no_bytes_at_all_get_through),
        cmocka_unit_test(full_buffer_is_told_by_the_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
