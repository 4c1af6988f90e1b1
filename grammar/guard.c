/* The original's failing statement is found by its line, or by the text that it
 * prints. In a candidate every statement of the same kind is looked at, since
 * which one is which is not followed through the edits: one is enough. */
#include "grammar/guard.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "config/base.h"
#include "config/mem.h"
#include "config/number.h"
#include "grammar/deciding.h"
#include "grammar/gen/number.h"
#include "grammar/kernel.h"
#include "grammar/node.h"

#define WORD_MIN 3 /* bytes of a string that stand for a text */
#define HOPS_MAX 8 /* names that stand for a number */

/* A drift is a small part of what is compared, so that to fewer digits another
 * one is the same. Single precision has seven, and the last ones vary with the
 * order of a sum. */
#define DRIFT_DIGITS 6

/* ---- the statement ---- */

static bool is_word(const struct nodes *ns, uint32_t i)
{
    return node_is(ns, i, NODE_STRING_CONTENT) &&
           node_text(ns, i).len >= WORD_MIN;
}

/* Whether a string in the text is part of what was printed, or the other way
 * round: `print(f"row {i}: mismatch")` says ": mismatch". */
static bool says(const struct nodes *ns, uint32_t i, const char *text)
{
    struct bytes word = node_text(ns, i);

    if (!is_word(ns, i))
        return false;
    return memmem(text, strlen(text), word.data, word.len) ||
           memmem(word.data, word.len, text, strlen(text));
}

static bool says_any(const struct guard *g, const struct nodes *ns, uint32_t i)
{
    for (size_t k = 0; k < g->ntexts; k++)
        if (says(ns, i, g->texts[k]))
            return true;
    return false;
}

/* What a raise names as its class, `raise E(...)` and `raise m.E`; empty when
 * that is no class by the looks of it (`raise e`, `raise`). */
static struct bytes raised_class(const struct nodes *ns, uint32_t raise)
{
    struct bytes name = kernel_last_name(ns, node_named_child(ns, raise));

    return name.len > 0 && isupper((unsigned char)name.data[0])
               ? name
               : bytes_of("", 0);
}

/* Whether a raise may be the one that is kept. Another class is another
 * failure, and so are other words; `raise` and `raise ValueError` have none.
 * What is computed elsewhere (`raise ValueError(text)`) may hold any. */
static bool may_raise(const struct guard *g, const struct nodes *ns, uint32_t i)
{
    struct bytes name = raised_class(ns, i);
    uint32_t what = node_named_child(ns, i);
    bool words = false;

    if (what == NODE_NONE)
        return false;
    if (g->ntexts > 0 && name.len > 0 &&
        node_first_argument(ns, what) == NODE_NONE)
        return false;
    if (g->raised && name.len > 0 &&
        !text_is_one_of(name, (const char *const *)&g->raised, 1))
        return false;
    for (uint32_t k = i; k < ns->at[i].past; k++) {
        if (says_any(g, ns, k))
            return true;
        words |= is_word(ns, k);
    }
    return !words || g->ntexts == 0;
}

/* Whether node `i` is, or begins, a statement of the guard's kind. */
static bool is_site(const struct guard *g, const struct nodes *ns, uint32_t i)
{
    switch (g->site) {
    case GUARD_NOTHING:
        return false;
    case GUARD_ASSERT:
        return node_is(ns, i, NODE_ASSERT);
    case GUARD_CALL:
        return deciding_call(ns, i);
    case GUARD_RAISE:
        return node_is(ns, i, NODE_RAISE) && may_raise(g, ns, i);
    case GUARD_PRINT:
        return says_any(g, ns, i);
    case GUARD_EXIT:
        return deciding_exit(ns, i);
    }
    return false;
}

/* The tests that decide over a statement. */
static void tests_of(const struct guard *g, const struct look *l, uint32_t i,
                     struct conditions *c)
{
    c->n = 0;
    if (g->site == GUARD_ASSERT)
        deciding_add(c, node_named_child(l->ns, i));
    else if (g->site == GUARD_CALL)
        deciding_add(c, i);
    else
        deciding_over(l, i, c);
}

static uint32_t line_of(struct bytes text, uint32_t at)
{
    uint32_t line = 1;

    for (uint32_t i = 0; i < at; i++)
        line += text.data[i] == '\n';
    return line;
}

/* A line from 1, with its end. */
static struct span line_at(struct bytes text, uint32_t line)
{
    uint32_t start = 0;

    for (; line > 1 && start < text.len; line--)
        start = text_line_next(text, start);
    return (struct span){ start, text_line_next(text, start) };
}

/* The smallest statement that stands in a line; NODE_NONE when none does. */
static uint32_t statement_in(const struct nodes *ns, uint32_t line)
{
    struct span in = line_at(ns->text, line);
    uint32_t best = NODE_NONE;

    for (uint32_t i = 0; i < ns->n && ns->at[i].at.start < in.end; i++)
        if (node_is_statement(ns, i) && ns->at[i].at.end > in.start &&
            (best == NODE_NONE || node_holds(ns, best, i)))
            best = i;
    return best;
}

/* Whether a statement calls the function that node `call` calls once more. */
static bool calls_again(const struct look *l, uint32_t statement, uint32_t call)
{
    for (uint32_t i = statement; i < l->ns->at[statement].past; i++)
        if (i != call && node_is(l->ns, i, NODE_CALL) &&
            flow_callee(l->flow, i) == flow_callee(l->flow, call))
            return true;
    return false;
}

/* The calls in a line that the traceback goes through. */
static void take_frame(struct look *l, uint32_t line)
{
    const struct nodes *ns = l->ns;
    struct span in = line_at(ns->text, line);
    uint32_t statement = statement_in(ns, line);

    if (statement == NODE_NONE)
        return;
    for (uint32_t i = statement; i < ns->at[statement].past; i++)
        if (node_is(ns, i, NODE_CALL) && l->ncalls < CALLS_MAX &&
            ns->at[i].at.start < in.end && ns->at[i].at.end > in.start &&
            flow_callee(l->flow, i) != NODE_NONE &&
            !calls_again(l, statement, i))
            l->calls[l->ncalls++] = i;
}

static void take_frames(struct look *l, const char *frames)
{
    unsigned long line;

    while (frames && number_read(&frames, &line)) {
        take_frame(l, (uint32_t)line);
        frames += *frames == ',';
    }
}

static void take_raise(struct guard *g, const struct nodes *ns, uint32_t raise)
{
    struct bytes name = raised_class(ns, raise);

    g->site = GUARD_RAISE;
    if (name.len > 0)
        g->raised = xmemdup(name.data, name.len);
    for (uint32_t i = raise;
         i < ns->at[raise].past && g->ntexts < GUARD_TEXTS_MAX; i++) {
        struct bytes word = node_text(ns, i);

        if (is_word(ns, i))
            g->texts[g->ntexts++] = xmemdup(word.data, word.len);
    }
}

/* The statement that raised, and of which kind it is. */
static uint32_t raised_in(struct guard *g, const struct nodes *ns,
                          const struct guard_failure *failure)
{
    uint32_t statement = statement_in(ns, failure->line);

    if (statement == NODE_NONE)
        return NODE_NONE;
    if (node_is(ns, statement, NODE_ASSERT)) {
        g->site = GUARD_ASSERT;
        return statement;
    }
    for (uint32_t i = statement; i < ns->at[statement].past; i++) {
        if (!deciding_call(ns, i))
            continue;
        g->site = GUARD_CALL;
        return i;
    }
    if (!node_is(ns, statement, NODE_RAISE) || !failure->own_words)
        return NODE_NONE;
    take_raise(g, ns, statement);
    return statement;
}

static void take_texts(struct guard *g, const struct guard_failure *failure)
{
    for (size_t i = 0; i < failure->ntexts && i < GUARD_TEXTS_MAX; i++)
        g->texts[g->ntexts++] = xstrdup(failure->texts[i]);
}

/* ---- what is kept ---- */

static bool shares_any(const struct sides *s, size_t i)
{
    for (size_t k = 0; k < s->n; k++)
        if (k != i && slice_shares(&s->slices[i], &s->slices[k]))
            return true;
    return false;
}

/* Whether a side before it is known to come from the same kernels: then it is
 * the reference, whose slice holds too much. */
static bool is_repeated(const struct guard *g, const struct slice *slice)
{
    for (size_t i = 0; i < g->nsides; i++) {
        size_t same = 0;

        for (size_t k = 0; k < slice->nkernels; k++)
            same += text_is_one_of(slice->kernels[k],
                                   (const char *const *)g->sides[i].kernels,
                                   g->sides[i].nkernels);
        if (same == slice->nkernels)
            return true;
    }
    return false;
}

/* What of a kernel's effect must stay. */
static struct effect kept_effect(const struct guard *g, const struct look *l,
                                 struct bytes kernel)
{
    struct effect effect = effect_of(l->flow, kernel);

    effect.place &= g->some;
    effect.condition &= g->some;
    return effect;
}

/* Beside kernels that make a result of something those that only clear it do
 * not count. */
static void drop_clearing(struct guard_side *side)
{
    size_t kept = 0;
    bool reads = false;

    for (size_t i = 0; i < side->nkernels; i++)
        reads |= side->effects[i].reads;
    for (size_t i = 0; i < side->nkernels; i++) {
        const struct effect *effect = &side->effects[i];
        bool known = effect->value || effect->place || effect->condition;

        if (reads && known && !effect->reads) {
            free(side->kernels[i]);
            continue;
        }
        side->effects[kept] = side->effects[i];
        side->kernels[kept++] = side->kernels[i];
    }
    side->nkernels = kept;
}

static void keep_side(struct guard *g, const struct look *l,
                      const struct sides *s, size_t i)
{
    const struct slice *slice = &s->slices[i];
    bool repeated = is_repeated(g, slice);
    struct guard_side *side = &g->sides[g->nsides++];

    side->shares = shares_any(s, i);
    side->computed = slice->computed;
    side->unset = slice->unset;
    side->nkernels = repeated ? 0 : slice->nkernels;
    side->kernels = xcalloc(slice->nkernels + 1, sizeof(*side->kernels));
    for (size_t k = 0; k < side->nkernels; k++) {
        side->effects[k] = kept_effect(g, l, slice->kernels[k]);
        side->kernels[k] =
            xmemdup(slice->kernels[k].data, slice->kernels[k].len);
    }
}

static void tell_kernels(struct buf *out, const struct look *l,
                         const struct guard_side *side,
                         const struct slice *slice)
{
    bool any = false;

    for (size_t k = 0; k < slice->nkernels; k++) {
        struct bytes name = slice->kernels[k];

        if (!text_is_one_of(name, (const char *const *)side->kernels,
                            side->nkernels))
            continue;
        buf_addf(out, "%s%.*s in line %u", any ? ", " : " (by ", (int)name.len,
                 name.data, line_of(l->ns->text, slice->lines[k]));
        any = true;
    }
    buf_adds(out, any ? ")" : "");
}

/* "the test in line 41 and what it compares: got (by softmax in line 29),
 * want".
 */
static char *tell(const struct guard *g, const struct look *l,
                  uint32_t condition, const struct sides *s)
{
    struct bytes text = l->ns->text;
    struct buf out;

    buf_init(&out, 4096);
    buf_addf(&out, "the test in line %u and what it compares:",
             line_of(text, l->ns->at[condition].at.start));
    for (size_t i = 0; i < s->n; i++) {
        struct bytes side = node_text(l->ns, s->nodes[i]);
        const char *eol = memchr(side.data, '\n', side.len);
        int len = (int)(eol ? eol - side.data : (long)side.len);

        buf_addf(&out, "%s %.*s%s", i > 0 ? "," : "", len > 60 ? 60 : len,
                 side.data, len > 60 || eol ? "..." : "");
        tell_kernels(&out, l, &g->sides[i], &s->slices[i]);
    }
    return buf_take(&out, NULL);
}

static bool any_kernel(const struct sides *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->slices[i].nkernels > 0)
            return true;
    return false;
}

/* The number that a literal is; false: it is complex. */
static bool literal_number(struct bytes text, double *out)
{
    char *digits, *end;
    uint64_t whole;
    size_t n = 0;
    bool known;

    if (number_parse(text, &whole)) { /* in any base */
        *out = (double)whole;
        return true;
    }
    digits = xmemdup(text.data, text.len);
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] != '_')
            digits[n++] = text.data[i];
    digits[n] = '\0';
    *out = strtod(digits, &end);
    known = *end == '\0';
    free(digits);
    return known;
}

/* The number that an expression is, or stands for; false: not known. */
static bool number_of(const struct look *l, uint32_t node, double *out)
{
    for (int hop = 0; hop < HOPS_MAX && node != NODE_NONE; hop++) {
        if (node_is(l->ns, node, NODE_INTEGER) ||
            node_is(l->ns, node, NODE_FLOAT))
            return literal_number(node_text(l->ns, node), out);
        if (!node_is(l->ns, node, NODE_IDENTIFIER))
            return false;
        node = flow_value(l->flow, node);
    }
    return false;
}

static bool is_word_or_list(const struct nodes *ns, uint32_t i)
{
    return node_is(ns, i, NODE_STRING) || node_is(ns, i, NODE_TRUE_NAME) ||
           node_is(ns, i, NODE_FALSE_NAME) || node_is(ns, i, NODE_NONE_NAME) ||
           node_is(ns, i, NODE_LIST) || node_is(ns, i, NODE_TUPLE);
}

static void keep_limits(struct guard *g, const struct look *l,
                        const struct sides *s)
{
    for (size_t i = 0; i < s->nlimits; i++) {
        double number = 0;
        bool known = number_of(l, s->limits[i], &number);

        if (!known && is_word_or_list(l->ns, s->limits[i]))
            continue; /* `== "ok"` */
        if (known)
            g->limits[g->nlimits++] = number;
        g->any_limit |= !known;
        g->limited |= !s->by_call && (!known || number != 0);
    }
}

/* Keep the nearest test over statement `i` that compares anything; one about a
 * kernel is preferred. */
static void keep_test(struct guard *g, const struct look *l, uint32_t i)
{
    struct conditions c;

    tests_of(g, l, i, &c);
    for (int kernels = 1; kernels >= 0 && !g->words; kernels--) {
        for (size_t k = 0; k < c.n && !g->words; k++) {
            struct sides s;

            deciding_sides(l, c.nodes[k], &s);
            if (s.n > 0 && (!kernels || any_kernel(&s))) {
                for (size_t m = 0; m < s.n; m++)
                    keep_side(g, l, &s, m);
                for (size_t m = 0; m < s.n; m++)
                    drop_clearing(&g->sides[m]);
                keep_limits(g, l, &s);
                g->words = tell(g, l, c.nodes[k], &s);
            }
            deciding_deinit(&s);
        }
    }
}

/* The first statement of the kind that has a test. */
static void keep_first(struct guard *g, const struct look *l)
{
    for (uint32_t i = 0; i < l->ns->n && !g->words; i++)
        if (is_site(g, l->ns, i))
            keep_test(g, l, i);
}

static void find_test(struct guard *g, const struct tree *tree,
                      const struct guard_failure *failure)
{
    struct look l = { .ns = tree_nodes(tree),
                      .flow = flow_new_without(tree, g->silent_writes,
                                               failure->idle, failure->nidle),
                      .seen = failure->seen };
    uint32_t statement =
        failure->line > 0 ? raised_in(g, l.ns, failure) : NODE_NONE;

    take_frames(&l, failure->frames);
    g->some = failure->some;
    g->drift = failure->drift;
    g->nothing = effect_of_nothing(l.flow);
    g->chance = effect_of_chance(l.flow);
    if (statement != NODE_NONE) {
        keep_test(g, &l, statement);
    } else if (failure->ntexts > 0) {
        take_texts(g, failure);
        g->site = GUARD_PRINT;
        keep_first(g, &l);
    } else if (failure->exits) {
        g->site = GUARD_EXIT;
        keep_first(g, &l);
    }
    flow_free(l.flow);
    if (!g->words)
        g->site = GUARD_NOTHING;
}

static void forget_test(struct guard *g)
{
    for (size_t i = 0; i < g->nsides; i++) {
        for (size_t k = 0; k < g->sides[i].nkernels; k++)
            free(g->sides[i].kernels[k]);
        free(g->sides[i].kernels);
    }
    for (size_t i = 0; i < g->ntexts; i++)
        free(g->texts[i]);
    free(g->words);
    free(g->raised);
    g->words = g->raised = NULL;
    g->nsides = g->ntexts = g->nlimits = 0;
    g->limited = g->any_limit = false;
    g->site = GUARD_NOTHING;
}

static bool keeps_kernel(const struct guard *g)
{
    for (size_t i = 0; i < g->nsides; i++)
        if (g->sides[i].nkernels > 0)
            return true;
    return false;
}

/* ---- a candidate's test ---- */

/* One of its kernels is enough: a slice may hold more than gave the value. */
static bool has_kernel(const struct look *l, const struct guard_side *side,
                       const struct slice *s)
{
    for (size_t i = 0; i < side->nkernels; i++) {
        struct bytes name =
            bytes_of(side->kernels[i], strlen(side->kernels[i]));

        for (size_t k = 0; k < s->nkernels; k++) {
            struct effect effect;

            if (!text_is_one_of(s->kernels[k],
                                (const char *const *)&side->kernels[i], 1))
                continue;
            effect = effect_of(l->flow, name);
            if (effect_has(&effect, &side->effects[i]))
                return true;
        }
    }
    return side->nkernels == 0;
}

/* Whether side k of a candidate can stand for the original's side i. */
static bool stands_for(const struct guard *g, const struct look *l, size_t i,
                       const struct sides *s, size_t k)
{
    const struct guard_side *side = &g->sides[i];
    const struct slice *slice = &s->slices[k];

    if ((slice->constant && !slice->computed) ||
        (slice->unset && !side->unset) || !has_kernel(l, side, slice))
        return false;
    if (!keeps_kernel(g) && side->shares)
        return shares_any(s, k);
    if (side->nkernels > 0 || !side->computed || slice->computed)
        return true;
    return slice->made && !shares_any(s, k);
}

/* Whether each of the original's sides has one of the candidate's to itself:
 * tried in turn, as there are four at most. */
static bool all_stand(const struct guard *g, const struct look *l,
                      const struct sides *s, size_t i, unsigned used)
{
    /* Depth is bounded by SIDES_MAX. */
    if (i == g->nsides)
        return true;
    for (size_t k = 0; k < s->n; k++)
        if (!(used & 1u << k) && stands_for(g, l, i, s, k) &&
            all_stand(g, l, s, i + 1, used | 1u << k))
            return true;
    return false;
}

/* Whether what a candidate's test allows was allowed before, or is a default.
 */
static bool within_limits(const struct guard *g, const struct look *l,
                          const struct sides *s)
{
    if (g->nlimits == 0 && !g->any_limit)
        return true;
    if (keeps_kernel(g) && g->limited && !s->by_call && s->nlimits == 0)
        return false;
    for (size_t i = 0; i < s->nlimits; i++) {
        double number = 0;
        bool same = !number_of(l, s->limits[i], &number) ||
                    (g->any_limit && number != 0);

        for (size_t k = 0; k < g->nlimits; k++)
            same |= !(number < g->limits[k]) && !(number > g->limits[k]);
        if (!same)
            return false;
    }
    return true;
}

static bool test_holds(const struct guard *g, const struct look *l, uint32_t i)
{
    struct conditions c;
    bool holds = false;

    tests_of(g, l, i, &c);
    for (size_t k = 0; k < c.n && !holds; k++) {
        struct sides s;

        deciding_sides(l, c.nodes[k], &s);
        holds = within_limits(g, l, &s) && all_stand(g, l, &s, 0, 0);
        deciding_deinit(&s);
    }
    return holds;
}

/* Whether the statement that node `i` is in, or is, reaches into a line. */
static bool stands_in(const struct nodes *ns, uint32_t i, struct span line)
{
    uint32_t statement = node_statement(ns, i);
    struct span at = ns->at[statement == NODE_NONE ? i : statement].at;

    return at.start < line.end && at.end > line.start;
}

/* In the whole text, or, given a line from 1, in that alone. */
static bool has_test(const struct guard *g, const struct tree *tree,
                     uint32_t line)
{
    struct look l = { .ns = tree_nodes(tree),
                      .flow = flow_new(tree, g->silent_writes) };
    bool holds = false, other = (!g->nothing && effect_of_nothing(l.flow)) ||
                                (!g->chance && effect_of_chance(l.flow));
    struct span at = line_at(l.ns->text, line);

    for (uint32_t i = 0; i < l.ns->n && !holds && !other; i++)
        if (is_site(g, l.ns, i) && (line == 0 || stands_in(l.ns, i, at)))
            holds = test_holds(g, &l, i);
    flow_free(l.flow);
    return holds;
}

/* ---- named calls, and all of it ---- */

/* Calls whose last name is `name`: f(...), m.f(...), f[grid](...). */
static size_t count_calls(const struct nodes *ns, const char *name)
{
    size_t n = 0;

    for (uint32_t i = 0; i < ns->n; i++)
        n += node_is(ns, i, NODE_CALL) &&
             text_is_one_of(kernel_last_name(ns, i), &name, 1);
    return n;
}

/* ---- a crash ---- */

static bool crashes_so(const struct guard *g, const struct tree *tree)
{
    struct flow *flow = flow_new(tree, false);
    static const struct effect any;
    struct span all = { 0, UINT32_MAX };
    bool so = (g->nothing || !effect_of_nothing(flow)) &&
              (memcmp(&g->access, &any, sizeof(any)) == 0 ||
               effect_of_access(flow, all, &g->access, NULL));

    flow_free(flow);
    return so;
}

/* What makes an access fail must not come to be another thing. */
static void keep_crash(struct guard *g, const struct tree *original,
                       const struct guard_failure *failure)
{
    static const struct effect any;
    struct flow *flow = flow_new(original, false);
    bool elements = effect_of_arrays(flow) && !effect_of_nothing(flow);

    if (failure->crash > 0)
        effect_of_access(flow, line_at(tree_text(original), failure->crash),
                         &any, &g->access);
    g->nothing = !elements;
    flow_free(flow);
    if (memcmp(&g->access, &any, sizeof(any)) != 0)
        g->words = xasprintf(
            "of what the address in line %u is made%s", failure->crash,
            elements ? ", and elements in every array that is made" : "");
    else if (elements)
        g->words = xstrdup("elements in every array that is made, as access "
                           "to an array without any would crash as well");
}

void guard_init(struct guard *guard, const struct tree *original,
                const struct guard_failure *failure, char *const *names,
                size_t nnames)
{
    *guard = (struct guard){ .names = names, .nnames = nnames };
    guard->counts = xcalloc(nnames + 1, sizeof(*guard->counts));
    for (size_t i = 0; i < nnames; i++)
        guard->counts[i] = count_calls(tree_nodes(original), names[i]);
    if (!failure)
        return;
    find_test(guard, original, failure);
    if (!keeps_kernel(guard)) { /* perhaps its writes are not recognized */
        forget_test(guard);
        guard->silent_writes = true;
        find_test(guard, original, failure);
    }
    if (guard->words && !has_test(guard, original, 0))
        forget_test(guard);
    guard->raises = guard->words && guard->site != GUARD_PRINT &&
                    guard->site != GUARD_EXIT &&
                    has_test(guard, original, failure->line);
    if (!guard->words && failure->dies)
        keep_crash(guard, original, failure);
}

void guard_deinit(struct guard *guard)
{
    forget_test(guard);
    free(guard->counts);
    *guard = (struct guard){ 0 };
}

bool guard_keeps(const struct guard *guard)
{
    for (size_t i = 0; i < guard->nnames; i++) {
        if (guard->counts[i] > 0)
            return true;
    }
    return guard->words != NULL;
}

bool guard_holds(const struct guard *guard, const struct tree *tree)
{
    for (size_t i = 0; i < guard->nnames; i++) {
        if (guard->counts[i] > 0 &&
            count_calls(tree_nodes(tree), guard->names[i]) < guard->counts[i])
            return false;
    }
    if (!guard->words)
        return true;
    return guard->site == GUARD_NOTHING ? crashes_so(guard, tree)
                                        : has_test(guard, tree, 0);
}

/* The sides of the first test that is what is kept; false: there is none. */
static bool kept_sides(const struct guard *g, const struct look *l,
                       struct sides *s)
{
    for (uint32_t i = 0; i < l->ns->n; i++) {
        struct conditions c = { .n = 0 };

        if (is_site(g, l->ns, i))
            tests_of(g, l, i, &c);
        for (size_t k = 0; k < c.n; k++) {
            deciding_sides(l, c.nodes[k], s);
            if (within_limits(g, l, s) && all_stand(g, l, s, 0, 0))
                return true;
            deciding_deinit(s);
        }
    }
    return false;
}

uint8_t *guard_sides(const struct guard *g, const struct tree *tree)
{
    struct look l = { .ns = tree_nodes(tree) };
    struct sides s;
    uint8_t *marks;

    if (g->site == GUARD_NOTHING)
        return NULL;
    l.flow = flow_new(tree, g->silent_writes);
    marks = xcalloc((size_t)l.ns->n + 1, sizeof(*marks));
    if (kept_sides(g, &l, &s)) {
        for (size_t i = 0; i < s.n; i++)
            flow_mark(l.flow, s.nodes[i], marks, (uint8_t)(1u << i));
        deciding_deinit(&s);
    }
    flow_free(l.flow);
    return marks;
}

/* Without the brackets around it. */
static struct span span_of_side(const struct nodes *ns, uint32_t node)
{
    while (node_is(ns, node, NODE_PARENTHESIZED))
        node = node_named_child(ns, node);
    return node_span(ns, node);
}

void guard_compared(const struct guard *g, const struct tree *tree,
                    struct buf *out)
{
    struct look l = { .ns = tree_nodes(tree) };
    struct sides s;

    if (g->site == GUARD_NOTHING)
        return;
    l.flow = flow_new(tree, g->silent_writes);
    if (kept_sides(g, &l, &s)) {
        for (size_t i = 0; i < s.n && s.n > 1; i++) {
            struct span at = span_of_side(l.ns, s.nodes[i]);

            if (i == 0 && g->drift)
                buf_addf(out, "%d ", DRIFT_DIGITS);
            buf_addf(out, "%s%u-%u", i > 0 ? " " : "", at.start, at.end);
        }
        deciding_deinit(&s);
    }
    flow_free(l.flow);
}

bool guard_failed(const struct guard *guard, struct bytes text, uint32_t line)
{
    struct tree *tree;
    bool failed;

    if (!guard->raises || line == 0)
        return true;
    tree = tree_parse(text);
    failed = has_test(guard, tree, line);
    tree_free(tree);
    return failed;
}

bool guard_site_at(const struct guard *guard, const struct nodes *ns,
                   uint32_t i)
{
    return is_site(guard, ns, i);
}

static void key_effect(const struct effect *effect, struct buf *out)
{
    buf_addf(out, " %d%d%d%d%d%d", effect->value, effect->place,
             effect->condition, effect->reduces, effect->reads, effect->casts);
}

static void key_side(const struct guard_side *side, struct buf *out)
{
    buf_addf(out, "\n%d %d %d", side->computed, side->unset, side->shares);
    for (size_t i = 0; i < side->nkernels; i++) {
        buf_addf(out, " %s", side->kernels[i]);
        key_effect(&side->effects[i], out);
    }
}

void guard_key(const struct guard *guard, struct buf *out)
{
    buf_addf(out, "\nsides %d %d %d %d %d %d %d %d %d %s %s", (int)guard->site,
             guard->some, guard->drift, guard->raises, guard->limited,
             guard->any_limit, guard->silent_writes, guard->nothing,
             guard->chance, guard->raised ? guard->raised : "",
             guard->words ? guard->words : "");
    key_effect(&guard->access, out);
    for (size_t i = 0; i < guard->nlimits; i++)
        buf_addf(out, " %.17g", guard->limits[i]);
    for (size_t i = 0; i < guard->ntexts; i++)
        buf_addf(out, "\n%s", guard->texts[i]);
    for (size_t i = 0; i < guard->nsides; i++)
        key_side(&guard->sides[i], out);
    for (size_t i = 0; i < guard->nnames; i++)
        buf_addf(out, " keep %s %zu", guard->names[i], guard->counts[i]);
}
