/* Sums of literals become what they come to.
 *
 *     A[0, 8 + 1]  ->  A[0, 9]        -(2 * 3) % 4  ->  2
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
    draft_deinit(&d);
    free(sums);
}
