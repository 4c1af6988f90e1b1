/* Names fall into groups (union-find over the symbols of scope.h): all names of
 * one statement, or of one header of a compound statement, are one group, and
 * so are a function and what it returns. Then: is there a test with a name in
 * the group of a kernel? */
#include "grammar/guard.h"

#include <stdlib.h>

#include "config/base.h"
#include "config/mem.h"
#include "grammar/kernel.h"
#include "grammar/node.h"
#include "grammar/scope.h"

struct groups {
    const struct nodes *ns;
    struct scopes *scopes;
    uint32_t *symbol; /* of each identifier node, SYMBOL_NONE else */
    uint32_t *above;  /* of each symbol, union-find */
    bool *tied;       /* of each symbol: may tie (no module, no builtin) */
    bool *kernel;     /* of each symbol: a kernel's name */
    uint32_t n;       /* symbols */
};

static const char *const deciding[] = {
    "assert_close",
    "assert_allclose",
    "allclose",
    "assert_array_equal",
    "assert_array_almost_equal",
    "assert_almost_equal",
    "assert_equal",
    "array_equal",
    "equal",
    "isclose",
    "assertEqual",
    "assertTrue",
    "assertAlmostEqual",
};

static const char *const makers[] = {
    "RawKernel",   "RawModule",   "ElementwiseKernel", "ReductionKernel",
    "load_inline", "pallas_call", "compile",           "SourceModule",
};

#define IS_ONE_OF(text, list) text_is_one_of(text, list, ARRAY_LEN(list))

static uint32_t find(const struct groups *g, uint32_t symbol)
{
    while (g->above[symbol] != symbol) {
        g->above[symbol] = g->above[g->above[symbol]];
        symbol = g->above[symbol];
    }
    return symbol;
}

static void tie(struct groups *g, uint32_t a, uint32_t b)
{
    if (a == SYMBOL_NONE || b == SYMBOL_NONE || !g->tied[a] || !g->tied[b])
        return;
    g->above[find(g, a)] = find(g, b);
}

static void find_symbols(struct groups *g)
{
    const struct nodes *ns = g->ns;

    g->symbol = xcalloc(ns->n, sizeof(*g->symbol));
    for (uint32_t i = 0; i < ns->n; i++) {
        g->symbol[i] = SYMBOL_NONE;
        if (node_is(ns, i, NODE_IDENTIFIER))
            g->symbol[i] = scopes_symbol_at(g->scopes, ns->at[i].at.start);
        if (g->symbol[i] != SYMBOL_NONE && g->symbol[i] >= g->n)
            g->n = g->symbol[i] + 1;
    }
    g->above = xcalloc(g->n + 1, sizeof(*g->above));
    g->tied = xcalloc(g->n + 1, sizeof(*g->tied));
    g->kernel = xcalloc(g->n + 1, sizeof(*g->kernel));
    for (uint32_t s = 0; s < g->n; s++) {
        g->above[s] = s;
        g->tied[s] = symbol_bound(g->scopes, s);
    }
}

/* The name of a function or class definition. */
static uint32_t name_of(const struct groups *g, uint32_t definition)
{
    uint32_t name = definition == NODE_NONE
                        ? NODE_NONE
                        : node_field(g->ns, definition, FIELD_name);

    return name == NODE_NONE ? SYMBOL_NONE : g->symbol[name];
}

static void find_kernels(struct groups *g)
{
    for (uint32_t i = 0; i < g->ns->n; i++) {
        uint32_t symbol = SYMBOL_NONE;

        if (node_is(g->ns, i, NODE_DECORATED) && kernel_is(g->ns, i))
            symbol = name_of(g, node_field(g->ns, i, FIELD_definition));
        if (symbol != SYMBOL_NONE)
            g->kernel[symbol] = true;
    }
}

static bool is_import(const struct nodes *ns, uint32_t statement)
{
    return node_is(ns, statement, NODE_IMPORT) ||
           node_is(ns, statement, NODE_IMPORT_FROM) ||
           node_is(ns, statement, NODE_FUTURE_IMPORT);
}

static void leave_out_modules(struct groups *g)
{
    for (uint32_t i = 0; i < g->ns->n; i++) {
        if (g->symbol[i] != SYMBOL_NONE &&
            is_import(g->ns, node_statement(g->ns, i)))
            g->tied[g->symbol[i]] = false;
    }
}

/* What a function returns is tied to its name, a method's also to the class. */
static void tie_return(struct groups *g, uint32_t statement, uint32_t symbol)
{
    uint32_t function = node_function(g->ns, statement);

    if (function == NODE_NONE)
        return;
    tie(g, symbol, name_of(g, function));
    uint32_t class = node_scope(g->ns, function);
    if (node_is(g->ns, class, NODE_CLASS))
        tie(g, symbol, name_of(g, class));
}

/* Whether a kernel's name is put to use where it stands: called (`k(x)`,
 * `k[grid](x)`, `k.run(x)`), handed on, or returned. `k[grid]` alone launches
 * nothing. */
static bool is_used(const struct nodes *ns, uint32_t i)
{
    uint32_t up;

    for (;; i = up) {
        unsigned field = ns->at[i].field;

        up = node_parent(ns, i);
        if (up == NODE_NONE)
            return false;
        switch (node_kind(ns, up)) {
        case NODE_SUBSCRIPT:
            if (field != FIELD_value)
                return false;
            break;
        case NODE_ATTRIBUTE:
            if (field != FIELD_object)
                return false;
            break;
        case NODE_CALL:
        case NODE_ARGUMENT_LIST:
        case NODE_KEYWORD_ARGUMENT:
        case NODE_RETURN:
            return true;
        default:
            return false;
        }
    }
}

static void tie_statements(struct groups *g)
{
    const struct nodes *ns = g->ns;
    uint32_t *first = xcalloc(ns->n, sizeof(*first)); /* name in a statement */

    for (uint32_t i = 0; i < ns->n; i++)
        first[i] = SYMBOL_NONE;
    for (uint32_t i = 0; i < ns->n; i++) {
        uint32_t symbol = g->symbol[i], statement;

        if (symbol == SYMBOL_NONE || !g->tied[symbol] ||
            (g->kernel[symbol] && !is_used(ns, i)))
            continue;
        statement = node_statement(ns, i);
        if (statement == NODE_NONE)
            continue;
        if (first[statement] == SYMBOL_NONE)
            first[statement] = symbol;
        tie(g, symbol, first[statement]);
        if (node_is(ns, statement, NODE_RETURN))
            tie_return(g, statement, symbol);
    }
    free(first);
}

/* Mark the groups of kernels. */
static void mark_kernels(const struct groups *g, bool *kernel)
{
    const struct nodes *ns = g->ns;

    for (uint32_t s = 0; s < g->n; s++) {
        if (g->kernel[s])
            kernel[find(g, s)] = true;
    }
    for (uint32_t i = 0; i < ns->n; i++) {
        if (!node_is(ns, i, NODE_CALL) ||
            !IS_ONE_OF(kernel_last_name(ns, i), makers))
            continue;
        uint32_t statement = node_statement(ns, i);
        for (uint32_t k = statement; k < ns->at[statement].past; k++) {
            if (g->symbol[k] != SYMBOL_NONE && g->tied[g->symbol[k]])
                kernel[find(g, g->symbol[k])] = true;
        }
    }
}

static bool tests_kernel(const struct groups *g, const bool *kernel)
{
    const struct nodes *ns = g->ns;

    for (uint32_t i = 0; i < ns->n; i++) {
        bool test = node_is(ns, i, NODE_ASSERT) ||
                    (node_is(ns, i, NODE_CALL) &&
                     IS_ONE_OF(kernel_last_name(ns, i), deciding));

        for (uint32_t k = i; test && k < ns->at[i].past; k++) {
            uint32_t symbol = g->symbol[k];

            if (symbol != SYMBOL_NONE && g->tied[symbol] &&
                kernel[find(g, symbol)])
                return true;
        }
    }
    return false;
}

static bool is_tied(const struct tree *tree)
{
    struct groups g = { .ns = tree_nodes(tree), .scopes = scopes_new(tree) };
    bool *kernel;
    bool holds;

    find_symbols(&g);
    leave_out_modules(&g);
    find_kernels(&g);
    tie_statements(&g);
    kernel = xcalloc(g.n + 1, sizeof(*kernel));
    mark_kernels(&g, kernel);
    holds = tests_kernel(&g, kernel);
    free(kernel);
    free(g.symbol);
    free(g.above);
    free(g.tied);
    free(g.kernel);
    scopes_free(g.scopes);
    return holds;
}

/* Calls whose last name is `name`: f(...), m.f(...), f[grid](...). */
static size_t count_calls(const struct nodes *ns, const char *name)
{
    size_t n = 0;

    for (uint32_t i = 0; i < ns->n; i++)
        n += node_is(ns, i, NODE_CALL) &&
             text_is_one_of(kernel_last_name(ns, i), &name, 1);
    return n;
}

void guard_init(struct guard *guard, const struct tree *original,
                bool comparison, char *const *names, size_t nnames)
{
    *guard = (struct guard){ .comparison = comparison && is_tied(original),
                             .names = names,
                             .nnames = nnames };
    guard->counts = xcalloc(nnames + 1, sizeof(*guard->counts));
    for (size_t i = 0; i < nnames; i++)
        guard->counts[i] = count_calls(tree_nodes(original), names[i]);
}

void guard_deinit(struct guard *guard)
{
    free(guard->counts);
    *guard = (struct guard){ 0 };
}

bool guard_keeps(const struct guard *guard)
{
    for (size_t i = 0; i < guard->nnames; i++) {
        if (guard->counts[i] > 0)
            return true;
    }
    return guard->comparison;
}

bool guard_holds(const struct guard *guard, const struct tree *tree)
{
    for (size_t i = 0; i < guard->nnames; i++) {
        if (guard->counts[i] > 0 &&
            count_calls(tree_nodes(tree), guard->names[i]) < guard->counts[i])
            return false;
    }
    return !guard->comparison || is_tied(tree);
}
