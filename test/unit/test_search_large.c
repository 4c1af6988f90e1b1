/* Texts that are deep, wide or long: the search ends, in a thread with a small
 * stack, and asks for no more runs than n log n of what is in the text. All is
 * useless in them but one call, at the end or in the middle of the depth. */
#include "test/test.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "config/buf.h"
#include "minimizer/search/search.h"

#define STACK_BYTES (256u << 10) /* a sanitizer's own part is added */

struct shape {
    const char *name;
    void (*make)(struct buf *text);
    unsigned parts; /* that may go one by one */
    bool too_deep;  /* for Python, and for the parser: it only has to end */
};

static void repeat(struct buf *text, unsigned n, const char *what)
{
    for (unsigned i = 0; i < n; i++)
        buf_adds(text, what);
}

static void nested(struct buf *text, unsigned n, const char *indent,
                   const char *head)
{
    for (unsigned i = 0; i < n; i++) {
        repeat(text, i, indent);
        buf_addf(text, head, i);
    }
    repeat(text, n, indent);
    buf_adds(text, "needle()\n");
}

/* CPython takes 99 levels. */
static void ifs(struct buf *text)
{
    nested(text, 99, "  ", "if a%u:\n");
}

static void functions_in_functions(struct buf *text)
{
    nested(text, 99, "  ", "def f%u():\n");
}

static void too_many_ifs(struct buf *text)
{
    nested(text, 500, " ", "if a%u:\n");
}

static void too_many_functions(struct buf *text)
{
    nested(text, 500, "\t", "def f%u():\n");
}

static void around(struct buf *text, unsigned n, const char *open,
                   const char *close)
{
    buf_adds(text, "x = ");
    repeat(text, n, open);
    buf_adds(text, "needle()");
    repeat(text, n, close);
    buf_adds(text, "\n");
}

static void brackets(struct buf *text)
{
    around(text, 500, "(", ")");
}

static void lists_in_lists(struct buf *text)
{
    around(text, 500, "[", "]");
}

static void calls_in_calls(struct buf *text)
{
    around(text, 500, "f(1, ", ")");
}

static void numbered(struct buf *text, unsigned n, const char *open,
                     const char *each, const char *close)
{
    buf_adds(text, open);
    for (unsigned i = 0; i < n; i++)
        buf_addf(text, each, i);
    buf_adds(text, close);
}

static void long_list(struct buf *text)
{
    numbered(text, 10000, "x = [", "a%u, ", "needle()]\n");
}

static void long_dictionary(struct buf *text)
{
    numbered(text, 10000, "x = {", "'a%u': 1, ", "'b': needle()}\n");
}

static void many_arguments(struct buf *text)
{
    numbered(text, 10000, "f(", "a%u, ", "needle())\n");
}

static void many_keywords(struct buf *text)
{
    numbered(text, 10000, "f(", "a%u=1, ", "b=needle())\n");
}

static void long_sum(struct buf *text)
{
    numbered(text, 10000, "x = (", "a%u + ", "needle())\n");
}

static void many_functions(struct buf *text)
{
    numbered(text, 3000, "", "def f%u(a, b=2):\n    return a + b\n",
             "needle()\n");
}

static void long_line(struct buf *text)
{
    numbered(text, 60000, "", "b%u = a(1); ", "needle()\n");
}

static void comments(struct buf *text)
{
    repeat(text, 100000, "# nothing\n");
    buf_adds(text, "needle()\n");
}

static void long_string(struct buf *text)
{
    buf_adds(text, "x = \"\"\"\n");
    repeat(text, 1 << 17, "abcdef\n\n");
    buf_adds(text, "\"\"\"\nneedle()\n");
}

static void string_on_a_line(struct buf *text)
{
    buf_adds(text, "x = '");
    repeat(text, 1 << 17, "abcdefgh");
    buf_adds(text, "'\nneedle(x)\n");
}

static const struct shape shapes[] = {
    { "ifs", ifs, 99, false },
    { "functions in functions", functions_in_functions, 99, false },
    { "too many ifs", too_many_ifs, 500, true },
    { "too many functions", too_many_functions, 500, true },
    { "brackets", brackets, 500, false },
    { "lists in lists", lists_in_lists, 500, false },
    { "calls in calls", calls_in_calls, 1000, false },
    { "a long list", long_list, 10000, false },
    { "a long dictionary", long_dictionary, 10000, false },
    { "many arguments", many_arguments, 10000, false },
    { "many keywords", many_keywords, 10000, false },
    { "a long sum", long_sum, 10000, false },
    { "many functions", many_functions, 3000, false },
    { "a long line", long_line, 60000, false },
    { "comments", comments, 100000, false },
    { "a long string", long_string, 1 << 18, false },
    { "a string on a line", string_on_a_line, 1 << 18, false },
};

struct course {
    const struct shape *shape;
    uint64_t trials, most;
    size_t bytes;
    bool kept;
};

static uint64_t n_log_n(uint64_t n)
{
    uint64_t log = 1;

    while (n >> log > 0)
        log++;
    return n * log;
}

static void *minimize(void *arg)
{
    struct course *c = arg;
    struct search_opts opts = { .width = 1 };
    struct search_trial trial;
    struct search *search;
    struct buf text;

    buf_init(&text, 16u << 20);
    c->shape->make(&text);
    search = search_new(buf_bytes(&text), NULL, 0, &opts);
    while (c->trials <= c->most && search_next(search, &trial)) {
        bool yes = memmem(trial.text.data, trial.text.len, "needle()", 8);

        c->trials++;
        search_report(search, trial.id, yes ? VERDICT_YES : VERDICT_NO);
    }
    c->bytes = search_text(search).len;
    c->kept = memmem(search_text(search).data, c->bytes, "needle()", 8);
    search_free(search);
    buf_deinit(&text);
    return NULL;
}

static void run_in_small_stack(struct course *course)
{
    pthread_attr_t attr;
    pthread_t thread;

    assert_int_equal(pthread_attr_init(&attr), 0);
    assert_int_equal(pthread_attr_setstacksize(&attr, STACK_BYTES), 0);
    assert_int_equal(pthread_create(&thread, &attr, minimize, course), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attr);
}

static void deep_wide_and_long_texts_are_minimized(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
        struct course c = { .shape = &shapes[i],
                            .most = n_log_n(shapes[i].parts) };

        run_in_small_stack(&c);
        print_message("%s: %u trials, %zu bytes left\n", c.shape->name,
                      (unsigned)c.trials, c.bytes);
        assert_true(c.kept);
        assert_true(c.trials <= c.most);
        if (!shapes[i].too_deep)
            assert_true(c.bytes <= 16);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deep_wide_and_long_texts_are_minimized),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
