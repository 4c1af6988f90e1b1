/* One side of a test does not become another computation, data of both may. */
#include "test/test.h"

#include <stdlib.h>
#include <string.h>

#include "config/buf.h"
#include "grammar/guard.h"
#include "grammar/tree.h"
#include "minimizer/search/search.h"

static const char script[] = "import torch, triton\n"
                             "@triton.jit\n"
                             "def k(x, o):\n"
                             "    tl.store(o, tl.exp(tl.load(x)))\n"
                             "def g(x):\n"
                             "    return torch.sin(x)\n"
                             "x = torch.ones(64)\n"
                             "o = torch.zeros(7)\n"
                             "k[(1,)](x, o)\n"
                             "torch.testing.assert_close(o, g(x))\n";

static bool has(struct bytes text, const char *what)
{
    return memmem(text.data, text.len, what, strlen(what)) != NULL;
}

/* What the test would say: each operation counts, and the data. */
static uint32_t figures_of(struct bytes text)
{
    return 1u + (has(text, "exp(") ? 2u : 0u) + (has(text, "sin(") ? 4u : 0u) +
           (has(text, "load(") ? 8u : 0u) + (has(text, "64") ? 16u : 0u);
}

/* It fails whatever is computed, as long as there is a kernel. */
static enum verdict verdict_of(struct bytes text)
{
    return has(text, "store(o") && has(text, "k[(") && has(text, "torch.ones(")
               ? VERDICT_YES
               : VERDICT_NO;
}

/* All trials that can be out, answered from the last. Caller frees. */
static char *reduce(unsigned width, bool figures)
{
    struct tree *tree = tree_parse(bytes_of(script, strlen(script)));
    struct guard_failure failure = { .line = 10 };
    struct search_trial out[8];
    struct search_opts opts = { .width = width };
    struct search *search;
    struct guard guard;
    struct buf text;
    unsigned n = 0;

    guard_init(&guard, tree, &failure, NULL, 0);
    assert_non_null(guard.words);
    opts.allowed = guard_holds;
    opts.keep = &guard;
    opts.figures = figures ? figures_of(tree_text(tree)) : 0;
    search = search_new(tree_text(tree), NULL, 0, &opts);
    while (!search_finished(search)) {
        while (n < width && search_next(search, &out[n]))
            n++;
        n--;
        search_shows(search, out[n].id, figures_of(out[n].text));
        search_report(search, out[n].id, verdict_of(out[n].text));
    }
    buf_init(&text, 4096);
    buf_add(&text, search_text(search).data, search_text(search).len);
    search_free(search);
    guard_deinit(&guard);
    tree_free(tree);
    return buf_take(&text, NULL);
}

static void each_side_stays_what_it_was_and_the_data_get_small(void **state)
{
    char *text = reduce(1, true);
    (void)state;

    assert_non_null(strstr(text, "exp("));
    assert_non_null(strstr(text, "sin("));
    assert_non_null(strstr(text, "load("));
    assert_null(strstr(text, "64"));
    free(text);
}

static void a_search_of_any_width_ends_there(void **state)
{
    char *first = reduce(1, true), *other;
    (void)state;

    for (unsigned width = 2; width <= 8; width++) {
        other = reduce(width, true);
        assert_string_equal(other, first);
        free(other);
    }
    free(first);
}

static void without_figures_nothing_holds_a_side(void **state)
{
    char *text = reduce(1, false);
    (void)state;

    assert_null(strstr(text, "load("));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_side_stays_what_it_was_and_the_data_get_small),
        cmocka_unit_test(a_search_of_any_width_ends_there),
        cmocka_unit_test(without_figures_nothing_holds_a_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
