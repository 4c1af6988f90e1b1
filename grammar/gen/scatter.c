/* What is kept in a list or tuple gets a name of its own.
 *
 *     x = [f(), g()]               x0, x1 = f(), g()
 *     h(x[0], x[1].y)      ->      h(x0, x1.y)
 *
 *     x = [K()]                    x = K()
 *     x[0].f()             ->      x.f()
 *
 * When nothing but its elements is used, each by a number written there. The
 * object in it can be taken apart then, as one that was never in a list. */
#include "grammar/gen/draft.h"
#include "grammar/gen/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"

void gen_scatter(struct gen *g);

/* More names than that are no gain. */
#define ELEMENTS_MAX 8

struct scatter {
    struct draft d;
    const struct names *names;
    uint32_t left, right; /* of the assignment */
    uint32_t n;           /* elements */
};

/* The name of an element, in `to` of `room` bytes. False: too long. */
static bool name_of(const struct scatter *s, uint32_t element, char *to,
                    size_t room)
{
    struct bytes name = node_text(s->d.ns, s->left);
    int len;

    if (s->n == 1)
        len = snprintf(to, room, "%.*s", (int)name.len, name.data);
    else
        len = snprintf(to, room, "%.*s%u", (int)name.len, name.data,
                       (unsigned)element);
    return len > 0 && (size_t)len < room;
}

static bool count_elements(struct scatter *s)
{
    const struct nodes *ns = s->d.ns;

    s->n = 0;
    for (uint32_t c = node_named_child(ns, s->right); c != NODE_NONE;
         c = node_named_sibling(ns, c)) {
        if (s->n == ELEMENTS_MAX || !is_expression(ns, c) ||
            node_is(ns, c, NODE_LIST_SPLAT))
            return false;
        s->n++;
    }
    return s->n > 0;
}

/* Which element a use is of; n: of none that is known. */
static uint32_t element_of(const struct scatter *s, uint32_t use)
{
    const struct nodes *ns = s->d.ns;
    uint32_t subscript = node_parent(ns, use), index, number = 0;
    struct bytes text;
    bool back = false;

    if (!node_is(ns, subscript, NODE_SUBSCRIPT) ||
        ns->at[use].field != FIELD_value || !is_expression(ns, subscript) ||
        node_is(ns, node_statement(ns, use), NODE_DELETE))
        return s->n;
    index = node_field(ns, subscript, FIELD_subscript);
    if (index == NODE_NONE || node_named_sibling(ns, index) != NODE_NONE)
        return s->n;
    text = node_text(ns, index);
    if (text.len == 2 && text.data[0] == '-') {
        back = true;
        text = bytes_of(text.data + 1, 1);
    }
    if (text.len != 1 || text.data[0] < '0' || text.data[0] > '9')
        return s->n;
    number = (uint32_t)(text.data[0] - '0');
    if (back)
        return number > 0 && number <= s->n ? s->n - number : s->n;
    return number < s->n ? number : s->n;
}

/* The elements' names in the place of all uses. */
static bool put_names(struct scatter *s)
{
    const struct names *names = s->names;
    const struct nodes *ns = s->d.ns;
    uint32_t symbol = names_symbol(names, s->left);
    const struct occurrence *at;
    size_t n, loads;

    if (symbol == SYMBOL_NONE || names_writes(names, symbol, &loads) != 1 ||
        loads == 0)
        return false;
    at = symbol_occurrences(names->scopes, symbol, &n);
    for (size_t i = 0; i < n; i++) {
        uint32_t use = names_node(names, at[i].at), element;
        char name[128];

        if (use == s->left)
            continue;
        if (use == NODE_NONE)
            return false;
        element = element_of(s, use);
        if (element == s->n || !name_of(s, element, name, sizeof(name)))
            return false;
        draft_replace_taken(&s->d, node_span(ns, node_parent(ns, use)),
                            xstrdup(name), strlen(name));
    }
    return true;
}

/* x0, x1: names that nobody has. */
static bool put_targets(struct scatter *s)
{
    char all[ELEMENTS_MAX * 132] = "";
    size_t len = 0;

    for (uint32_t i = 0; s->n > 1 && i < s->n; i++) {
        char name[128];

        if (!name_of(s, i, name, sizeof(name)) ||
            !names_free_in(s->names, s->names->scope_of[s->left],
                           bytes_of(name, strlen(name))))
            return false;
        len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%s",
                                i ? ", " : "", name);
    }
    if (s->n > 1)
        draft_replace_taken(&s->d, node_span(s->d.ns, s->left), xstrdup(all),
                            len);
    return true;
}

/* What is around and behind the elements: the brackets, a last comma. Over
 * several lines they stay, as those of a tuple. */
static void open_display(struct scatter *s)
{
    const struct nodes *ns = s->d.ns;
    struct span all = node_span(ns, s->right), in;
    bool lines;

    in = (struct span){ node_span(ns, node_named_child(ns, s->right)).start,
                        node_span(ns, last_named_child(ns, s->right)).end };
    lines = memchr(ns->text.data + in.start, '\n', span_len(in)) != NULL;
    draft_replaces(&s->d, (struct span){ all.start, in.start },
                   lines ? "(" : "");
    draft_replaces(&s->d, (struct span){ in.end, all.end }, lines ? ")" : "");
}

static void scatter(struct scatter *s, uint32_t assignment)
{
    const struct nodes *ns = s->d.ns;

    s->left = node_field(ns, assignment, FIELD_left);
    s->right = node_field(ns, assignment, FIELD_right);
    if (!node_is(ns, s->left, NODE_IDENTIFIER) || s->right == NODE_NONE ||
        !node_is(ns, node_parent(ns, assignment), NODE_EXPRESSION_STATEMENT) ||
        node_field(ns, assignment, FIELD_type) != NODE_NONE ||
        (!node_is(ns, s->right, NODE_LIST) &&
         !node_is(ns, s->right, NODE_TUPLE)) ||
        !count_elements(s))
        return;
    draft_begin(&s->d, node_span(ns, assignment));
    if (!put_names(s) || !put_targets(s))
        return;
    open_display(s);
    draft_end(&s->d);
}

void gen_scatter(struct gen *g)
{
    const struct names *names = g->names;
    struct scatter s = { .names = names };

    draft_init(&s.d, g, EDIT_scatter);
    for (uint32_t i = 0; i < s.d.ns->n; i++)
        if (node_is(s.d.ns, i, NODE_ASSIGNMENT))
            scatter(&s, i);
    draft_deinit(&s.d);
}
