/* Annotations that no value hangs on, and default values.
 *
 * Those of parameters, of returns and of assignments with a value are one list
 * for the whole file: mostly all of them can go, and front ends that read them
 * (`X: T.Tensor(...)`) keep theirs. `x: T` alone declares something and is a
 * statement's matter. Type parameters go one function at a time.
 *
 * A default can go when no parameter before it has one, else Python refuses
 * the definition; after a bare `*` any can. All of a function go together,
 * too. */
#include "grammar/gen/draft.h"

#include <stdlib.h>

#include "config/mem.h"

void gen_annotation(struct gen *g);

/* From the end of what is annotated to the end of the annotation. */
static struct span annotation_of(const struct nodes *ns, uint32_t type)
{
    struct span at = node_span(ns, type);
    uint32_t before = NODE_NONE;

    for (uint32_t c = node_child(ns, node_parent(ns, type)); c != type;
         c = node_sibling(ns, c))
        if (ns->at[c].named && !node_is_extra(ns, c))
            before = c;
    at.start = before == NODE_NONE ? at.end : node_span(ns, before).end;
    return at;
}

static bool is_loose(const struct nodes *ns, uint32_t type)
{
    uint32_t parent = node_parent(ns, type);

    switch (node_kind(ns, parent)) {
    case NODE_TYPED_PARAMETER:
    case NODE_TYPED_DEFAULT_PARAMETER:
        return ns->at[type].field == FIELD_type;
    case NODE_FUNCTION:
        return ns->at[type].field == FIELD_return_type;
    case NODE_ASSIGNMENT:
        return ns->at[type].field == FIELD_type &&
               node_field(ns, parent, FIELD_right) != NODE_NONE;
    default:
        return false;
    }
}

static void annotations(struct draft *d)
{
    edits_list_begin(d->g->out, "", true);
    for (uint32_t i = 0; i < d->ns->n; i++)
        if (node_is(d->ns, i, NODE_TYPE) && is_loose(d->ns, i))
            draft_delete_edit(d, node_span(d->ns, i), annotation_of(d->ns, i));
    edits_list_end(d->g->out);
    for (uint32_t i = 0; i < d->ns->n; i++)
        if (node_is(d->ns, i, NODE_TYPE_PARAMETER) &&
            (node_is(d->ns, node_parent(d->ns, i), NODE_FUNCTION) ||
             node_is(d->ns, node_parent(d->ns, i), NODE_CLASS)))
            draft_delete_edit(d, node_span(d->ns, i), node_span(d->ns, i));
}

/* ` = value` of a parameter; an empty span when it has none. */
static struct span default_of(const struct nodes *ns, uint32_t parameter)
{
    uint32_t value = node_field(ns, parameter, FIELD_value);
    uint32_t before = node_field(ns, parameter, FIELD_type);
    struct span at = { 0, 0 };

    if (!node_is(ns, parameter, NODE_DEFAULT_PARAMETER) &&
        !node_is(ns, parameter, NODE_TYPED_DEFAULT_PARAMETER))
        return at;
    if (before == NODE_NONE)
        before = node_field(ns, parameter, FIELD_name);
    if (value == NODE_NONE || before == NODE_NONE)
        return at;
    return (struct span){ node_span(ns, before).end, node_span(ns, value).end };
}

static void defaults(struct draft *d, uint32_t parameters)
{
    const struct nodes *ns = d->ns;
    struct span *all = NULL;
    size_t n = 0, room = 0;
    bool free_to_go = true, named_only = false;

    for (uint32_t c = node_named_child(ns, parameters); c != NODE_NONE;
         c = node_named_sibling(ns, c)) {
        struct span at = default_of(ns, c);

        if (node_is(ns, c, NODE_KEYWORD_SEPARATOR) ||
            node_is(ns, c, NODE_LIST_SPLAT_PATTERN))
            free_to_go = named_only = true;
        if (span_len(at) == 0)
            continue;
        if (free_to_go)
            draft_delete_edit(d, at, at);
        free_to_go = named_only;
        xgrow(&all, &room, n + 1, sizeof(*all));
        all[n++] = at;
    }
    if (n > 1) {
        draft_begin(d, node_span(ns, parameters));
        for (size_t i = 0; i < n; i++)
            draft_delete(d, all[i]);
        draft_end(d);
    }
    free(all);
}

void gen_annotation(struct gen *g)
{
    struct draft d;

    draft_init(&d, g, EDIT_annotation);
    annotations(&d);
    for (uint32_t i = 0; i < d.ns->n; i++)
        if (node_is(d.ns, i, NODE_PARAMETERS) ||
            node_is(d.ns, i, NODE_LAMBDA_PARAMETERS))
            defaults(&d, i);
    draft_deinit(&d);
}
