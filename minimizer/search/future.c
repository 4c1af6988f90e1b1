/* Each node waits for the verdict of one text. It is a leaf, whose trial may be
 * given out, or it is out and has, where somebody looked so far ahead, a child
 * for a no and one for a yes. The use of a node is the chance that its answer
 * will be asked for:
 *
 *     use(yes child) = use(node) * odds
 *     use(no child)  = use(node) * (1 - odds)
 *
 * and the next trial is that of greatest use. What it is to be tested on top of
 * comes out of that: of all that is out and likely to be a yes, beside what is
 * likely to be a no. */
#include "minimizer/search/future.h"

#include <assert.h>
#include <stdlib.h>

#include "config/base.h"
#include "config/mem.h"
#include "minimizer/search/rate.h"

/* Shares of RATE_ONE. */
#define USE_MIN (RATE_ONE / 16)

#define COPIES_BYTES (64u << 20) /* all copies of the search, about */

enum { NO, YES, GUESSES };

struct node {
    struct solo *solo;
    struct node *above;
    struct node *below[GUESSES];
    int guess; /* which child of `above` it is */
};

struct future {
    const struct future_facts *facts;
    struct node *root;
    unsigned nodes, nodes_max;
    unsigned width;
};

static struct node *node_new(struct future *future, struct solo *solo,
                             struct node *above, int guess)
{
    struct node *node = xcalloc(1, sizeof(*node));

    *node = (struct node){ .solo = solo, .above = above, .guess = guess };
    future->nodes++;
    return node;
}

/* The nodes are few (nodes_max), and so are the levels. */
static void node_free(struct future *future, struct node *node)
{
    if (!node)
        return;
    node_free(future, node->below[NO]);
    node_free(future, node->below[YES]);
    solo_free(node->solo);
    free(node);
    future->nodes--;
}

void future_set_width(struct future *future, unsigned width)
{
    future->width = width;
    future->nodes_max = 8 * width + 8;
}

struct future *future_new(struct solo *solo, const struct future_facts *facts,
                          unsigned width)
{
    struct future *future = xcalloc(1, sizeof(*future));

    future->facts = facts;
    future_set_width(future, width);
    future->root = node_new(future, solo, NULL, NO);
    future_settle(future);
    return future;
}

void future_free(struct future *future)
{
    if (!future)
        return;
    node_free(future, future->root);
    free(future);
}

const struct solo *future_now(const struct future *future)
{
    return future->root->solo;
}

const struct node *future_root(const struct future *future)
{
    return future->root;
}

const struct node *future_below(const struct node *node, bool yes)
{
    return node->below[yes ? YES : NO];
}

const struct solo *future_solo(const struct node *node)
{
    return node->solo;
}

/* Put the child in the node's place; the other one is cut off. */
static struct node *follow(struct future *future, struct node *node, int guess)
{
    struct node *child = node->below[guess];

    node->below[guess] = NULL;
    child->above = node->above;
    child->guess = node->guess;
    if (node->above)
        node->above->below[node->guess] = child;
    else
        future->root = child;
    node_free(future, node);
    return child;
}

static bool is_out(const struct future *future, const struct node *node)
{
    return future->facts->is_out(future->facts->arg, solo_ask(node->solo));
}

static void answer(struct node *node, enum verdict verdict, bool again)
{
    solo_answer(node->solo, verdict, again);
    solo_run(node->solo);
}

/* All that was guessed on a yes learns what it showed. */
static void tell_figures(struct node *node, struct hash128 text,
                         uint32_t figures)
{
    /* Depth is bounded by nodes_max. */
    solo_figures(node->solo, text, figures);
    for (int i = NO; i < GUESSES; i++)
        if (node->below[i])
            tell_figures(node->below[i], text, figures);
}

/* Tell the node's verdict; what stands in its place then. */
static struct node *tell(struct future *future, struct node *node,
                         enum verdict verdict, bool again)
{
    struct hash128 text = solo_ask(node->solo)->hash;
    uint32_t figures = memory_figures(future->facts->memory, text);

    if (verdict == VERDICT_YES && solo_differs(node->solo, figures))
        verdict = VERDICT_PASSED;
    if (verdict == VERDICT_PASSED && !solo_hangs(node->solo))
        verdict = VERDICT_NO;
    if (verdict == VERDICT_NO && node->below[NO])
        return follow(future, node, NO);
    if (verdict == VERDICT_YES && node->below[YES]) {
        node = follow(future, node, YES);
        tell_figures(node, text, figures);
        return node;
    }
    for (int i = NO; i < GUESSES; i++) {
        node_free(future, node->below[i]);
        node->below[i] = NULL;
    }
    solo_answer(node->solo, verdict, again);
    if (verdict == VERDICT_YES)
        solo_figures(node->solo, text, figures);
    solo_run(node->solo);
    return node;
}

/* Whether the node's verdict is known, and then which. */
static bool is_known(const struct future *future, const struct node *node,
                     enum verdict *verdict)
{
    const struct ask *ask = solo_ask(node->solo);

    if (ask->looks)
        return false;
    switch (memory_get(future->facts->memory, ask->hash)) {
    case KNOWN_NO:
        *verdict = VERDICT_NO;
        return true;
    case KNOWN_YES:
        *verdict = VERDICT_YES;
        return !node->above || !solo_guesses(node->solo);
    case KNOWN_PASSED:
        *verdict = VERDICT_PASSED;
        return true;
    case KNOWN_NONE:
        *verdict = VERDICT_NONE;
        return true;
    case KNOWN_NOTHING:
    case KNOWN_NONE_ONCE:
        break;
    }
    return false;
}

/* Follow what is known, at a node and below, from the top. */
static void settle(struct future *future, struct node *node)
{
    enum verdict verdict;

    while (!solo_finished(node->solo) && is_known(future, node, &verdict))
        node = tell(future, node, verdict, false);
    for (int i = NO; i < GUESSES; i++)
        if (node->below[i])
            settle(future, node->below[i]);
}

void future_settle(struct future *future)
{
    settle(future, future->root);
}

void future_doubt(struct future *future)
{
    struct node *root = future->root;

    for (int i = NO; i < GUESSES; i++) { /* they rest on such noes */
        node_free(future, root->below[i]);
        root->below[i] = NULL;
    }
    solo_doubt(root->solo);
    solo_run(root->solo);
    future_settle(future);
}

void future_looked(struct future *future, const struct observed *observed)
{
    struct node *root = future->root;

    assert(solo_ask(root->solo)->looks);
    if (observed)
        solo_saw(root->solo, observed);
    answer(root, VERDICT_YES, false); /* it has no children */
    future_settle(future);
}

static void again(struct future *future, struct node *node, struct hash128 text)
{
    for (int i = NO; i < GUESSES; i++)
        if (node->below[i])
            again(future, node->below[i], text);
    if (!solo_finished(node->solo) && !solo_ask(node->solo)->looks &&
        hash_equal(solo_ask(node->solo)->hash, text))
        tell(future, node, VERDICT_NONE, true);
}

void future_again(struct future *future, struct hash128 text)
{
    again(future, future->root, text);
    future_settle(future);
}

static bool wants(const struct node *node, struct hash128 text, bool looks)
{
    const struct ask *ask;

    if (!node || solo_finished(node->solo))
        return false;
    ask = solo_ask(node->solo);
    return (hash_equal(ask->hash, text) && ask->looks == looks) ||
           wants(node->below[NO], text, looks) ||
           wants(node->below[YES], text, looks);
}

bool future_wants(const struct future *future, struct hash128 text, bool looks)
{
    return wants(future->root, text, looks);
}

/* A place for the next trial: a node whose text is not out, or the child that
 * one would have. */
struct place {
    struct node *node;
    int guess; /* GUESSES: the node itself */
    uint64_t use;
};

static void offer(struct place *best, struct node *node, int guess,
                  uint64_t use)
{
    if (use > best->use)
        *best = (struct place){ node, guess, use };
}

/* Whether the answer will come without a trial: one is out, or the text has a
 * yes already, which is one here if a guess above turns out to be right. */
static bool is_away(const struct future *future, const struct node *node)
{
    const struct ask *ask = solo_ask(node->solo);

    return is_out(future, node) ||
           (!ask->looks &&
            memory_get(future->facts->memory, ask->hash) == KNOWN_YES);
}

static void look(const struct future *future, struct node *node, uint64_t use,
                 struct place *best)
{
    const struct ask *ask = solo_ask(node->solo);
    uint64_t uses[GUESSES];

    if (solo_finished(node->solo) || use <= best->use)
        return;
    /* What a traced run sees can't be guessed, and it is worth it only when its
     * text is sure to come. */
    if (ask->looks && (node->above || is_away(future, node)))
        return;
    if (!is_away(future, node)) {
        offer(best, node, GUESSES, use);
        return;
    }
    uses[YES] = use * future->facts->odds(future->facts->arg, ask) / RATE_ONE;
    uses[NO] = use - uses[YES];
    for (int i = NO; i < GUESSES; i++) {
        if (node->below[i])
            look(future, node->below[i], uses[i], best);
        else
            offer(best, node, i, uses[i]);
    }
}

/* How many copies of the search may be kept. */
static unsigned room(const struct future *future)
{
    size_t fit = COPIES_BYTES / (solo_size(future->root->solo) + 1);

    return fit < future->nodes_max ? (unsigned)fit + 2 : future->nodes_max;
}

static struct node *best_node(struct future *future)
{
    for (;;) {
        struct place best = { .use = USE_MIN - 1 };
        struct node *child;

        look(future, future->root, RATE_ONE, &best);
        if (!best.node)
            return NULL;
        if (best.guess == GUESSES)
            return best.node;
        if (future->nodes >= room(future))
            return is_out(future, future->root) ? NULL : future->root;
        child =
            node_new(future, solo_copy(best.node->solo), best.node, best.guess);
        best.node->below[best.guess] = child;
        answer(child, best.guess == YES ? VERDICT_YES : VERDICT_NO, false);
        settle(future, child);
    }
}

/* A text that was made by guesses may come up again where they were wrong: its
 * yes must be good by itself. */
static bool touches_import(const struct node *node)
{
    bool touches = solo_ask(node->solo)->touches_import;

    for (; !touches && node->above; node = node->above)
        touches =
            node->guess == YES && solo_ask(node->above->solo)->touches_import;
    return touches;
}

const struct solo *future_best(struct future *future, bool *import)
{
    struct node *best = best_node(future);

    if (!best)
        return NULL;
    *import = touches_import(best);
    return best->solo;
}
