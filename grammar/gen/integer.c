/* Numbers, alone and together.
 *
 * Alone: 0, 1, 2, half, a part of what 3, 5 or another small prime divides, one
 * digit less, one less. Together, since sizes must often fit each other: all
 * that have one value, all that have it or one more (arange(1, n + 1) is
 * arange(1, 7) by now, beside 6), all in one series (the sides of a tile keep
 * their ratio when each is halved, or divided by what divides all), and all of
 * the file.
 *
 * One less is offered below ten alone: from 100 down to what is needed, one
 * by one, each step would go and cost a run, and only the digits count. */
#include "grammar/gen/draft.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "grammar/gen/number.h"
#include "grammar/kernel.h"

void gen_integer(struct gen *g);

struct number {
    uint32_t node;
    uint64_t value;
};

struct numbers {
    struct number *at; /* in text order */
    size_t n, room;
};

static void number_text(char out[DIGITS_MAX], uint64_t value)
{
    snprintf(out, DIGITS_MAX, "%" PRIu64, value);
}

static void make(struct draft *d, const struct number *number, uint64_t value)
{
    char text[DIGITS_MAX];
    struct span at = node_span(d->ns, number->node);

    number_text(text, value);
    draft_replace_edit(d, at, at, text);
}

/* What is left without its smallest odd prime factor; n when that is large or
 * there is none. */
static uint64_t divided(uint64_t n)
{
    for (uint64_t p = 3; p < 100; p += 2)
        if (n % p == 0)
            return n / p;
    return n;
}

/* 99 for a number of three digits. */
static uint64_t one_digit_less(uint64_t n)
{
    uint64_t all = 1;

    while (all <= n / 10)
        all *= 10;
    return all - 1;
}

static void alone(struct draft *d, const struct number *number)
{
    uint64_t n = number->value, part = divided(n), less = one_digit_less(n);

    if (n > 0)
        make(d, number, 0);
    if (n > 1)
        make(d, number, 1);
    if (n > 2)
        make(d, number, 2);
    if (n / 2 > 2)
        make(d, number, n / 2);
    if (part > 2 && part < n)
        make(d, number, part);
    if (less > n / 2 && less > 2)
        make(d, number, less);
    if (n > 3 && n < 10 && n - 1 != n / 2)
        make(d, number, n - 1);
    make(d, number, n); /* without base or underscores */
}

/* Add a number's change to the edit begun. */
static void add(struct draft *d, const struct number *number, uint64_t value)
{
    char text[DIGITS_MAX];
    size_t len;

    number_text(text, value);
    len = strlen(text);
    draft_replace_taken(d, node_span(d->ns, number->node), xmemdup(text, len),
                        len);
}

static uint64_t made(uint64_t value, uint64_t to)
{
    (void)value;
    return to;
}

static uint64_t parted(uint64_t value, uint64_t by)
{
    return value / by;
}

static uint64_t lessened(uint64_t value, uint64_t by)
{
    return value - by;
}

/* One edit for those numbers that are above 2. */
static void together(struct draft *d, const struct number *numbers, size_t n,
                     uint64_t (*less)(uint64_t value, uint64_t by), uint64_t by)
{
    size_t changed = 0, first = 0, last = 0;

    if (n < 2)
        return;
    for (size_t i = 0; i < n; i++) {
        if (numbers[i].node < numbers[first].node)
            first = i;
        if (numbers[i].node > numbers[last].node)
            last = i;
    }
    draft_begin(d, (struct span){ node_span(d->ns, numbers[first].node).start,
                                  node_span(d->ns, numbers[last].node).end });
    for (size_t i = 0; i < n; i++) {
        if (numbers[i].value <= 2 ||
            gen_frozen(d->g, node_span(d->ns, numbers[i].node)))
            continue;
        add(d, &numbers[i], less(numbers[i].value, by));
        changed++;
    }
    if (changed > 1)
        draft_end(d);
}

static uint64_t divisor_of(uint64_t a, uint64_t b)
{
    while (b > 0) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* What divides all numbers above 2. */
static uint64_t common_divisor(const struct number *numbers, size_t n)
{
    uint64_t all = 0;

    for (size_t i = 0; i < n; i++)
        if (numbers[i].value > 2)
            all = divisor_of(all, numbers[i].value);
    return all;
}

static int by_value(const void *a, const void *b)
{
    const struct number *x = a, *y = b;

    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Numbers that are one value or the next one. */
static void next_values(struct draft *d, const struct number *sorted, size_t n)
{
    uint64_t value = sorted[0].value;

    together(d, sorted, n, lessened, value - 1);
    together(d, sorted, n, lessened, value - 2);
    if (value / 2 > 2)
        together(d, sorted, n, lessened, value - value / 2);
}

static void same_values(struct draft *d, const struct numbers *numbers)
{
    struct number *sorted = xcalloc(numbers->n + 1, sizeof(*sorted));

    if (numbers->n)
        memcpy(sorted, numbers->at, numbers->n * sizeof(*sorted));
    qsort(sorted, numbers->n, sizeof(*sorted), by_value);
    for (size_t i = 0, j, k; i < numbers->n; i = j) {
        for (j = i + 1; j < numbers->n && sorted[j].value == sorted[i].value;)
            j++;
        if (sorted[i].value <= 2)
            continue;
        for (k = j; k < numbers->n && sorted[k].value == sorted[i].value + 1;)
            k++;
        if (k > j)
            next_values(d, sorted + i, k - i);
        together(d, sorted + i, j - i, made, 1);
        together(d, sorted + i, j - i, made, 2);
        if (sorted[i].value / 2 > 2)
            together(d, sorted + i, j - i, parted, 2);
        if (divided(sorted[i].value) > 2)
            together(d, sorted + i, j - i, made, divided(sorted[i].value));
        if (one_digit_less(sorted[i].value) > sorted[i].value / 2)
            together(d, sorted + i, j - i, made,
                     one_digit_less(sorted[i].value));
    }
    free(sorted);
}

/* The series that a number stands in: of a keyword argument, its call's. */
static uint32_t series_of(const struct nodes *ns, uint32_t node)
{
    uint32_t parent = node_parent(ns, node);

    if (node_is(ns, parent, NODE_KEYWORD_ARGUMENT))
        parent = node_parent(ns, parent);
    switch (node_kind(ns, parent)) {
    case NODE_ARGUMENT_LIST:
    case NODE_TUPLE:
    case NODE_LIST:
    case NODE_EXPRESSION_LIST:
    case NODE_SUBSCRIPT:
        return parent;
    default:
        return NODE_NONE;
    }
}

struct member {
    uint32_t series;
    struct number number;
};

static int by_series(const void *a, const void *b)
{
    const struct member *x = a, *y = b;

    if (x->series != y->series)
        return x->series < y->series ? -1 : 1;
    return x->number.node < y->number.node ? -1
                                           : x->number.node > y->number.node;
}

static void same_series(struct draft *d, const struct numbers *numbers)
{
    struct member *members = xcalloc(numbers->n + 1, sizeof(*members));
    struct number *group = xcalloc(numbers->n + 1, sizeof(*group));
    size_t n = 0;

    for (size_t i = 0; i < numbers->n; i++) {
        uint32_t series = series_of(d->ns, numbers->at[i].node);

        if (series != NODE_NONE)
            members[n++] = (struct member){ series, numbers->at[i] };
    }
    qsort(members, n, sizeof(*members), by_series);
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i; j < n && members[j].series == members[i].series; j++)
            group[j - i] = members[j].number;
        together(d, group, j - i, parted, 2);
        if (common_divisor(group, j - i) > 2)
            together(d, group, j - i, parted, common_divisor(group, j - i));
    }
    free(group);
    free(members);
}

/* 0., 1., and the part before the point. */
static void real(struct draft *d, uint32_t node)
{
    struct bytes text = node_text(d->ns, node);
    struct span at = node_span(d->ns, node);
    const char *point = memchr(text.data, '.', text.len);

    draft_replace_edit(d, at, at, "0");
    draft_replace_edit(d, at, at, "1");
    draft_replace_edit(d, at, at, "0.");
    draft_replace_edit(d, at, at, "1.");
    if (point && point > text.data)
        draft_delete_edit(
            d, at,
            (struct span){ at.start + (uint32_t)(point - text.data) + 1,
                           at.end });
}

/* Whether a number is one of a shape's places, `dim=1` or `axis=(0, -2)`: such
 * a one says which, and not how many. None is smaller than another. */
static bool is_place(const struct nodes *ns, uint32_t node)
{
    static const char *const keys[] = { "axis", "axes", "dim", "dims" };
    uint32_t above = node_parent(ns, node);

    if (node_is(ns, above, NODE_UNARY_OPERATOR))
        above = node_parent(ns, above);
    if (node_is(ns, above, NODE_TUPLE) || node_is(ns, above, NODE_LIST))
        above = node_parent(ns, above);
    return node_is(ns, above, NODE_KEYWORD_ARGUMENT) &&
           text_is_one_of(node_text(ns, node_field(ns, above, FIELD_name)),
                          keys, ARRAY_LEN(keys));
}

void gen_integer(struct gen *g)
{
    struct numbers numbers = { 0 };
    struct draft d;

    draft_init(&d, g, EDIT_integer);
    for (uint32_t i = 0; i < d.ns->n; i++) {
        uint64_t value;

        if (node_is(d.ns, i, NODE_FLOAT))
            real(&d, i);
        if (!node_is(d.ns, i, NODE_INTEGER) ||
            !number_parse(node_text(d.ns, i), &value) || is_place(d.ns, i))
            continue;
        xgrow(&numbers.at, &numbers.room, numbers.n + 1, sizeof(*numbers.at));
        numbers.at[numbers.n++] = (struct number){ i, value };
    }
    together(&d, numbers.at, numbers.n, parted, 2);
    same_values(&d, &numbers);
    same_series(&d, &numbers);
    for (size_t i = 0; i < numbers.n; i++)
        alone(&d, &numbers.at[i]);
    free(numbers.at);
    draft_deinit(&d);
}
