/* In which order a candidate is asked, by what the asks have rejected. */
#include "test/test.h"

#include "minimizer/asks.h"

/* Play `trials` trials in which ask i rejects every `every[i]`-th time that it
 * is asked, after `cost[i]` runs; how often each was at the front. */
static void play(struct asks *asks, unsigned trials, const unsigned *every,
                 const unsigned *cost, unsigned *firsts)
{
    unsigned asked[ASKS_MAX] = { 0 };

    for (unsigned i = 0; i < trials; i++) {
        unsigned order[ASKS_MAX];
        unsigned seen = 0;

        asks_order(asks, order);
        for (unsigned k = 0; k < asks->n; k++)
            seen |= 1u << order[k];
        assert_int_equal(seen, (1u << asks->n) - 1); /* each once */
        unsigned ask = order[0];
        bool no = every[ask] > 0 && ++asked[ask] % every[ask] == 0;

        firsts[ask]++;
        asks_answered(asks, ask, no, cost[ask]);
    }
}

static void one_ask_is_always_first(void **state)
{
    struct asks asks;
    unsigned every[] = { 2 }, cost[] = { 1 }, firsts[1] = { 0 };
    (void)state;

    asks_init(&asks, 1);
    play(&asks, 100, every, cost, firsts);
    assert_int_equal(firsts[0], 100);
}

static void the_ask_that_rejects_more_goes_first(void **state)
{
    (void)state;
    for (unsigned better = 0; better < 3; better++) {
        struct asks asks;
        unsigned every[3] = { 10, 10, 10 }, cost[] = { 1, 1, 1 };
        unsigned firsts[3] = { 0 };

        every[better] = 2;
        asks_init(&asks, 3);
        play(&asks, 1000, every, cost, firsts);
        assert_true(firsts[better] > 800);
    }
}

static void an_ask_of_many_runs_must_reject_more_to_go_first(void **state)
{
    struct asks asks;
    unsigned every[] = { 2, 4 }, cost[] = { 10, 1 }, firsts[2] = { 0 };
    (void)state;

    asks_init(&asks, 2);
    play(&asks, 1000, every, cost, firsts);
    assert_true(firsts[1] > 800);
}

static void the_others_are_looked_at_now_and_then(void **state)
{
    struct asks asks;
    unsigned every[] = { 2, 0 }, cost[] = { 1, 1 }, firsts[2] = { 0 };
    (void)state;

    asks_init(&asks, 2);
    play(&asks, 200, every, cost, firsts);
    assert_true(firsts[1] >= 10);
    every[1] = 1; /* the times have changed */
    every[0] = 0;
    firsts[0] = firsts[1] = 0;
    play(&asks, 2000, every, cost, firsts);
    assert_true(firsts[1] > 1000);
}

static void same_answers_give_the_same_order(void **state)
{
    struct asks a, b;
    unsigned every[] = { 3, 2, 5 }, cost[] = { 1, 2, 1 };
    unsigned x[3] = { 0 }, y[3] = { 0 };
    (void)state;

    asks_init(&a, 3);
    asks_init(&b, 3);
    play(&a, 500, every, cost, x);
    play(&b, 500, every, cost, y);
    assert_memory_equal(x, y, sizeof(x));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_ask_is_always_first),
        cmocka_unit_test(the_ask_that_rejects_more_goes_first),
        cmocka_unit_test(an_ask_of_many_runs_must_reject_more_to_go_first),
        cmocka_unit_test(the_others_are_looked_at_now_and_then),
        cmocka_unit_test(same_answers_give_the_same_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
