/* `async def` to `def` for a function that awaits nothing, with all its uses:
 * `await f()` and `asyncio.run(f())` become `f()`, and `async for` over what
 * it yields becomes `for`. Its callers follow when nothing is left that they
 * wait for, so the event loop goes from the inside out. */
#include "grammar/gen/draft.h"
#include "grammar/gen/names.h"

#include <stdlib.h>

#include "config/mem.h"

void gen_async(struct gen *g);

static bool is_async(const struct nodes *ns, uint32_t node)
{
    return node_is(ns, node_child(ns, node), NODE_KW_ASYNC);
}

/* By node: whether it is a function that cannot do without `async`. */
static bool *find_waiting(const struct nodes *ns)
{
    bool *waits = xcalloc(ns->n, sizeof(*waits));
    uint32_t *function = xcalloc(ns->n, sizeof(*function));

    for (uint32_t i = 1; i < ns->n; i++) {
        uint32_t parent = node_parent(ns, i);

        function[i] =
            node_is(ns, parent, NODE_FUNCTION) ? parent : function[parent];
        if (node_is(ns, i, NODE_AWAIT) || (node_is(ns, i, NODE_KW_ASYNC) &&
                                           !node_is(ns, parent, NODE_FUNCTION)))
            waits[function[i]] = true;
    }
    free(function);
    return waits;
}

/* The call of a runner whose only argument is this call. */
static uint32_t runner_of(const struct nodes *ns, uint32_t call)
{
    uint32_t arguments = node_parent(ns, call), runner, name;

    if (!node_is(ns, arguments, NODE_ARGUMENT_LIST) ||
        node_named_child(ns, arguments) != call ||
        node_named_sibling(ns, call) != NODE_NONE)
        return NODE_NONE;
    runner = node_parent(ns, arguments);
    if (!node_is(ns, runner, NODE_CALL))
        return NODE_NONE;
    name = node_field(ns, runner, FIELD_function);
    if (node_is(ns, name, NODE_ATTRIBUTE))
        name = node_field(ns, name, FIELD_attribute);
    return name != NODE_NONE && (node_text_is(ns, name, "run") ||
                                 node_text_is(ns, name, "run_until_complete"))
               ? runner
               : NODE_NONE;
}

/* From a keyword to what stands behind it. */
static void drop_keyword(struct draft *d, uint32_t keyword)
{
    uint32_t next = node_sibling(d->ns, keyword);

    if (next == NODE_NONE)
        draft_spoil(d);
    else
        draft_delete(d, (struct span){ node_span(d->ns, keyword).start,
                                       node_span(d->ns, next).start });
}

static void free_call(struct draft *d, uint32_t call)
{
    const struct nodes *ns = d->ns;
    uint32_t parent = node_parent(ns, call), runner = runner_of(ns, call);

    if (node_is(ns, parent, NODE_AWAIT))
        drop_keyword(d, node_child(ns, parent));
    else if ((node_is(ns, parent, NODE_FOR) ||
              node_is(ns, parent, NODE_FOR_IN_CLAUSE)) &&
             ns->at[call].field == FIELD_right && is_async(ns, parent))
        drop_keyword(d, node_child(ns, parent));
    else if (runner != NODE_NONE)
        draft_narrow(d, runner, call);
}

static void free_function(struct draft *d, const struct names *names,
                          uint32_t function)
{
    struct callee callee;

    callee_init(&callee, names, function);
    draft_begin(d, node_span(d->ns, function));
    drop_keyword(d, node_child(d->ns, function));
    for (size_t i = 0; i < callee.nsites; i++)
        if (callee.sites[i].direct)
            free_call(d, callee.sites[i].call);
    draft_end(d);
    callee_deinit(&callee);
}

void gen_async(struct gen *g)
{
    const struct names *names = g->names;
    bool *waits = find_waiting(g->nodes);
    struct draft d;

    draft_init(&d, g, EDIT_async);
    for (uint32_t i = 0; i < d.ns->n; i++)
        if (node_is(d.ns, i, NODE_FUNCTION) && is_async(d.ns, i) && !waits[i])
            free_function(&d, names, i);
    free(waits);
    draft_deinit(&d);
}
