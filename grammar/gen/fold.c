/* Sums of literals become what they come to, and what adds 0 goes.
 *
 *     A[0, 8 + 1]  ->  A[0, 9]        -(2 * 3) % 4  ->  2
 *     p + 0 * 4    ->  p              1 * x         ->  x
 *     s = 0                           s = f(x)
 *     s += f(x)    ->
 *
 * Constants that were put in the place of names leave such sums, above all in
 * kernels, whose expressions no traced run has seen. Each of the largest ones
 * is an edit, and all of the file are one list. They come after the numbers
 * were made small: until then `2 * n` and `n` fit each other because both are
 * written with n.
 *
 * Whole numbers only, and as Python counts: // and % round down. What does not
 * fit 64 bits, a division by zero and a negative shift are left alone. */
#include "grammar/gen/draft.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "config/mem.h"
#include "grammar/gen/names.h"
#include "grammar/gen/number.h"

void gen_fold(struct gen *g);

struct sum {
    bool known;
    bool works; /* an operator stands in it: there is something to do */
    int64_t value;
};

static bool power(int64_t a, int64_t b, int64_t *out)
{
    *out = 1;
    if (b < 0 || b > 62)
        return false;
    while (b-- > 0)
        if (__builtin_mul_overflow(*out, a, out))
            return false;
    return true;
}

static bool floored(int64_t a, int64_t b, int64_t *quotient, int64_t *rest)
{
    if (b == 0 || (a == INT64_MIN && b == -1))
        return false;
    *quotient = a / b;
    *rest = a % b;
    if (*rest != 0 && (*rest < 0) != (b < 0)) {
        *quotient -= 1;
        *rest += b;
    }
    return true;
}

static bool binary(const struct nodes *ns, uint32_t node, int64_t a, int64_t b,
                   int64_t *out)
{
    struct bytes text = node_text(ns, node);
    char first = text.len > 0 ? text.data[0] : '\0';
    bool twice = text.len == 2;
    int64_t other;

    switch (first) {
    case '+':
        return !__builtin_add_overflow(a, b, out);
    case '-':
        return !__builtin_sub_overflow(a, b, out);
    case '*':
        return twice ? power(a, b, out) : !__builtin_mul_overflow(a, b, out);
    case '/': /* one alone makes a float */
        return twice && floored(a, b, out, &other);
    case '%':
        return floored(a, b, &other, out);
    case '<':
        return b >= 0 && power(2, b, &other) &&
               !__builtin_mul_overflow(a, other, out);
    case '>':
        return b >= 0 && power(2, b, &other) && floored(a, other, out, &other);
    case '&':
        *out = a & b;
        return true;
    case '|':
        *out = a | b;
        return true;
    case '^':
        *out = a ^ b;
        return true;
    }
    return false;
}

static struct sum sum_of(const struct nodes *ns, const struct sum *sums,
                         uint32_t i)
{
    struct sum sum = { .works = true }, no = { .known = false };
    uint32_t a, b, operator= node_field(ns, i, FIELD_operator);
    uint64_t value;

    switch (node_kind(ns, i)) {
    case NODE_INTEGER:
        sum.works = false;
        if (!number_parse(node_text(ns, i), &value) || value > INT64_MAX)
            return no;
        sum.value = (int64_t)value;
        break;
    case NODE_PARENTHESIZED:
        a = node_named_child(ns, i);
        if (a == NODE_NONE || !sums[a].known ||
            node_named_sibling(ns, a) != NODE_NONE)
            return no;
        sum = sums[a];
        break;
    case NODE_UNARY_OPERATOR:
        a = node_field(ns, i, FIELD_argument);
        if (a == NODE_NONE || operator== NODE_NONE || !sums[a].known)
            return no;
        sum.works = sums[a].works || !node_text_is(ns, operator, "-");
        sum.value = node_text_is(ns, operator, "~") ? ~sums[a].value
                    : sum.works && node_text_is(ns, operator, "+")
                        ? sums[a].value
                        : -sums[a].value;
        break;
    case NODE_BINARY_OPERATOR:
        a = node_field(ns, i, FIELD_left);
        b = node_field(ns, i, FIELD_right);
        if (a == NODE_NONE ||
            b == NODE_NONE ||
            operator== NODE_NONE || !sums[a].known || !sums[b].known || !binary(
                ns, operator, sums[a].value, sums[b].value, &sum.value))
            return no;
        break;
    default:
        return no;
    }
    sum.known = sum.value != INT64_MIN; /* it has no positive */
    return sum;
}

static bool is_sum(const struct sum *sums, uint32_t node, int64_t value)
{
    return node != NODE_NONE && sums[node].known && sums[node].value == value;
}

/* Whether the operator, with this number on its right or left, changes
 * nothing. */
static bool is_neutral(const struct nodes *ns, uint32_t operator,
                       const struct sum * sums, uint32_t number, bool right)
{
    if (is_sum(sums, number, 0))
        return node_text_is(ns, operator, "+") ||
               (right && node_text_is(ns, operator, "-"));
    return is_sum(sums, number, 1) &&
           (node_text_is(ns, operator, "*") ||
            (right && (node_text_is(ns, operator, "//") ||
                       node_text_is(ns, operator, "**"))));
}

/* x + 0, 1 * x, and 0 * x for a name. */
static void neutral(struct draft *d, const struct sum *sums, uint32_t i)
{
    const struct nodes *ns = d->ns;
    uint32_t operator= node_field(ns, i, FIELD_operator);
    uint32_t a = node_field(ns, i, FIELD_left), part = NODE_NONE;
    uint32_t b = node_field(ns, i, FIELD_right);

    if (a == NODE_NONE || b == NODE_NONE || operator== NODE_NONE)
        return;
    if (is_neutral(ns, operator, sums, b, true) ||
        (node_text_is(ns, operator, "*") && is_sum(sums, a, 0) &&
         is_dotted(ns, b)))
        part = a;
    else if (is_neutral(ns, operator, sums, a, false) ||
             (node_text_is(ns, operator, "*") && is_sum(sums, b, 0) &&
              is_dotted(ns, a)))
        part = b;
    if (part == NODE_NONE)
        return;
    draft_begin(d, node_span(ns, i));
    draft_narrow(d, i, part);
    draft_end(d);
}

/* The assignment, `x += 1` or such, that is what comes next to a name in the
 * text behind a statement, and stands in the same block; NODE_NONE: none. */
static uint32_t next_added(const struct names *names, uint32_t statement,
                           uint32_t symbol)
{
    const struct nodes *ns = names->ns;
    uint32_t end = node_span(ns, statement).end, added, next;
    const struct occurrence *at;
    size_t n, i;

    at = symbol_occurrences(names->scopes, symbol, &n);
    BISECT(i, 0, n, at[i].at.start < end);
    if (i == n || at[i].role != OCC_AUGMENT)
        return NODE_NONE;
    added = node_parent(ns, names_node(names, at[i].at));
    next = node_parent(ns, added);
    if (!node_is(ns, added, NODE_AUGMENTED_ASSIGNMENT) ||
        !node_is(ns, next, NODE_EXPRESSION_STATEMENT) ||
        node_parent(ns, next) != node_parent(ns, statement) ||
        (i + 1 < n && span_holds(node_span(ns, added), at[i + 1].at)))
        return NODE_NONE;
    return added;
}

/* s = 0 and, as the next that is done with s, s += v. */
static void first_of_sum(struct draft *d, const struct sum *sums,
                         uint32_t assignment)
{
    const struct nodes *ns = d->ns;
    uint32_t left = node_field(ns, assignment, FIELD_left);
    uint32_t right = node_field(ns, assignment, FIELD_right);
    uint32_t statement = node_parent(ns, assignment), symbol, added, operator;

    if (!node_is(ns, left, NODE_IDENTIFIER) ||
        node_field(ns, assignment, FIELD_type) != NODE_NONE ||
        !node_is(ns, statement, NODE_EXPRESSION_STATEMENT) ||
        (!is_sum(sums, right, 0) && !is_sum(sums, right, 1)))
        return;
    symbol = names_symbol(d->g->names, left);
    added = symbol == SYMBOL_NONE ? NODE_NONE
                                  : next_added(d->g->names, statement, symbol);
    if (added == NODE_NONE)
        return;
    operator= node_field(ns, added, FIELD_operator);
    if (operator== NODE_NONE || !node_text_is(
            ns, operator, is_sum(sums, right, 0) ? "+=" : "*="))
        return;
    draft_begin(d, node_span(ns, statement));
    draft_drop_statement(d, statement);
    draft_replace(d, node_span(ns, operator), "=", 1);
    draft_end(d);
}

void gen_fold(struct gen *g)
{
    struct draft d;
    const struct nodes *ns = g->nodes;
    struct sum *sums = xcalloc((size_t)ns->n + 1, sizeof(*sums));
    char text[DIGITS_MAX];

    for (uint32_t i = ns->n; i-- > 0;) /* a node's children stand behind it */
        sums[i] = sum_of(ns, sums, i);
    draft_init(&d, g, EDIT_fold);
    edits_list_begin(g->out, "", true);
    for (uint32_t i = 0; i < ns->n; i++) {
        uint32_t parent = node_parent(ns, i);

        if (!sums[i].known || !sums[i].works || !is_expression(ns, i) ||
            (parent != NODE_NONE && sums[parent].known))
            continue;
        snprintf(text, sizeof(text), "%" PRId64, sums[i].value);
        draft_begin(&d, node_span(ns, i));
        draft_put_literal(&d, i, text);
        draft_end(&d);
    }
    edits_list_end(g->out);
    for (uint32_t i = 0; i < ns->n; i++) {
        if (node_is(ns, i, NODE_BINARY_OPERATOR) && !sums[i].known)
            neutral(&d, sums, i);
        else if (node_is(ns, i, NODE_ASSIGNMENT))
            first_of_sum(&d, sums, i);
    }
    draft_deinit(&d);
    free(sums);
}
