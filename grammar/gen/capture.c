/* From each captured name up to the clause: every pattern around it is one step
 * from the subject to the name, found from the inside out and so put in
 * front of what is there. */
#include "grammar/gen/capture.h"

#include <string.h>

#include "grammar/gen/draft.h"
#include "grammar/scope.h"

/* Patterns deeper than that, and more names, are left alone. */
#define STEPS_MAX 16
#define NAMES_MAX 16

/* One step: an attribute, a key, or a place in a sequence. */
struct step {
    enum { STEP_ATTRIBUTE, STEP_KEY, STEP_PLACE, STEP_REST } kind;
    struct bytes text;
    uint32_t place;
};

struct path {
    uint32_t subject; /* the expression that the steps start from */
    struct step steps[STEPS_MAX];
    size_t n;
};

static bool add_step(struct path *path, struct step step)
{
    if (path->n == STEPS_MAX)
        return false;
    path->steps[path->n++] = step;
    return true;
}

/* How many siblings of its kind are before a part; false: a star is among
 * them. */
static bool place_of(const struct nodes *ns, uint32_t series, uint32_t part,
                     uint32_t *place)
{
    *place = 0;
    for (uint32_t c = node_named_child(ns, series); c != part;
         c = node_named_sibling(ns, c)) {
        if (node_is(ns, node_named_child(ns, c), NODE_SPLAT_PATTERN))
            return false;
        ++*place;
    }
    return true;
}

/* `(a)` is a, with `(a,)` it is a sequence. */
static bool is_sequence(const struct nodes *ns, uint32_t pattern)
{
    if (node_is(ns, pattern, NODE_LIST_PATTERN))
        return true;
    for (uint32_t c = node_child(ns, pattern); c != NODE_NONE;
         c = node_sibling(ns, c))
        if (is_token(ns, c, ","))
            return true;
    return false;
}

static bool step_into_sequence(const struct nodes *ns, struct path *path,
                               uint32_t series, uint32_t part)
{
    struct step step = { .kind = STEP_PLACE };

    if (!place_of(ns, series, part, &step.place))
        return false;
    if (node_is(ns, node_named_child(ns, part), NODE_SPLAT_PATTERN)) {
        if (node_named_sibling(ns, part) != NODE_NONE)
            return false;
        step.kind = STEP_REST;
    }
    return add_step(path, step);
}

/* Types that match themselves: str(x) captures all of the string. */
static bool matches_itself(const struct nodes *ns, uint32_t name)
{
    static const char *const types[] = { "bool",  "bytearray", "bytes", "dict",
                                         "float", "frozenset", "int",   "list",
                                         "set",   "str",       "tuple" };

    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (node_text_is(ns, name, types[i]))
            return true;
    return false;
}

/* The body of the class of this name; NODE_NONE: not in the script, or inside
 * of something that is named before it. */
static uint32_t class_body(const struct gen *g, uint32_t name)
{
    const struct nodes *ns = g->nodes;
    uint32_t symbol = scopes_symbol_at(g->scopes, node_span(ns, name).start);
    const struct occurrence *at;
    uint32_t node;
    size_t n;

    if (symbol == SYMBOL_NONE || count_named(ns, name) > 1)
        return NODE_NONE;
    at = symbol_occurrences(g->scopes, symbol, &n);
    node = node_parent(ns, node_at(ns, at[0].at.start, NODE_IDENTIFIER));
    return node_is(ns, node, NODE_CLASS) ? node_field(ns, node, FIELD_body)
                                         : NODE_NONE;
}

/* Field number `place` of a class that lists its fields as `x: T`. */
static uint32_t class_field(const struct nodes *ns, uint32_t body,
                            uint32_t place)
{
    for (uint32_t c = node_named_child(ns, body); c != NODE_NONE;
         c = node_named_sibling(ns, c)) {
        uint32_t field = node_named_child(ns, c);

        if (!node_is(ns, c, NODE_EXPRESSION_STATEMENT) ||
            !node_is(ns, field, NODE_ASSIGNMENT) ||
            node_field(ns, field, FIELD_type) == NODE_NONE)
            continue;
        if (place-- == 0)
            return node_field(ns, field, FIELD_left);
    }
    return NODE_NONE;
}

/* A positional part of a class's pattern; keywords have their step already. */
static bool step_into_class(const struct gen *g, struct path *path,
                            uint32_t pattern, uint32_t part)
{
    const struct nodes *ns = g->nodes;
    uint32_t name = node_named_child(ns, pattern), place = 0, field, body;
    struct step step = { .kind = STEP_ATTRIBUTE };

    if (node_is(ns, node_named_child(ns, part), NODE_KEYWORD_PATTERN))
        return true;
    for (uint32_t c = node_named_sibling(ns, name); c != part;
         c = node_named_sibling(ns, c))
        place++;
    if (place == 0 && matches_itself(ns, name))
        return true;
    body = class_body(g, name);
    field = body != NODE_NONE ? class_field(ns, body, place) : NODE_NONE;
    if (field == NODE_NONE)
        return false;
    step.text = node_text(ns, field);
    return add_step(path, step);
}

static bool step_into_dictionary(const struct nodes *ns, struct path *path,
                                 uint32_t pattern, uint32_t part)
{
    struct step step = { .kind = STEP_KEY };
    uint32_t key = NODE_NONE;

    if (node_is(ns, part, NODE_SPLAT_PATTERN))
        return false;
    for (uint32_t c = node_named_child(ns, pattern); c != part;
         c = node_named_sibling(ns, c))
        key = c;
    if (key == NODE_NONE)
        return false;
    step.text = node_text(ns, key);
    return add_step(path, step);
}

/* One pattern upward. */
static bool step_into(const struct gen *g, struct path *path, uint32_t pattern,
                      uint32_t part)
{
    const struct nodes *ns = g->nodes;
    struct step step = { .kind = STEP_ATTRIBUTE };

    switch (node_kind(ns, pattern)) {
    case NODE_TUPLE_PATTERN:
    case NODE_LIST_PATTERN:
        return !is_sequence(ns, pattern) ||
               step_into_sequence(ns, path, pattern, part);
    case NODE_CLASS_PATTERN:
        return step_into_class(g, path, pattern, part);
    case NODE_DICT_PATTERN:
        return step_into_dictionary(ns, path, pattern, part);
    case NODE_KEYWORD_PATTERN:
        step.text = node_text(ns, node_named_child(ns, pattern));
        return add_step(path, step);
    default:
        return true;
    }
}

static size_t count_children(const struct nodes *ns, uint32_t node,
                             enum node_kind kind)
{
    size_t n = 0;

    for (uint32_t c = node_named_child(ns, node); c != NODE_NONE;
         c = node_named_sibling(ns, c))
        n += node_is(ns, c, kind);
    return n;
}

/* From the outermost pattern to its subject: the only one, a part of it, or
 * that of several which stands as far to the right. */
static bool find_subject(const struct nodes *ns, struct path *path,
                         uint32_t match, uint32_t clause, uint32_t pattern)
{
    uint32_t subject = node_field(ns, match, FIELD_subject), place;
    uint32_t next;

    if (subject == NODE_NONE)
        return false;
    path->subject = subject;
    next = node_named_sibling(ns, subject);
    if (ns->at[next].field != FIELD_subject) /* `case a, b` is a sequence */
        return count_children(ns, clause, NODE_CASE_PATTERN) == 1 ||
               step_into_sequence(ns, path, clause, pattern);
    if (!place_of(ns, clause, pattern, &place) ||
        count_children(ns, clause, NODE_CASE_PATTERN) == 1)
        return false;
    for (; place > 0 && next != NODE_NONE; place--) {
        path->subject = next;
        next = node_named_sibling(ns, next);
    }
    return ns->at[path->subject].field == FIELD_subject;
}

static bool find_path(const struct gen *g, struct path *path, uint32_t match,
                      uint32_t clause, uint32_t name)
{
    const struct nodes *ns = g->nodes;
    uint32_t part = name;

    path->n = 0;
    while (node_parent(ns, part) != clause) {
        if (!step_into(g, path, node_parent(ns, part), part))
            return false;
        part = node_parent(ns, part);
    }
    return find_subject(ns, path, match, clause, part);
}

/* Whether an identifier in a pattern is a name that is captured. */
static bool is_captured(const struct nodes *ns, uint32_t name)
{
    uint32_t parent = node_parent(ns, name);

    if (!node_is(ns, name, NODE_IDENTIFIER) || node_text_is(ns, name, "_"))
        return false;
    if (node_is(ns, parent, NODE_SPLAT_PATTERN))
        return true;
    if (node_is(ns, parent, NODE_AS_PATTERN))
        return last_named_child(ns, parent) == name;
    if (!node_is(ns, parent, NODE_DOTTED_NAME) ||
        node_named_child(ns, parent) != name ||
        node_named_sibling(ns, name) != NODE_NONE)
        return false;
    name = parent;
    parent = node_parent(ns, name);
    return node_is(ns, parent, NODE_CASE_PATTERN) ||
           (node_is(ns, parent, NODE_KEYWORD_PATTERN) &&
            node_named_child(ns, parent) != name);
}

/* The captured names that something uses, each once; NAMES_MAX + 1: too many.
 */
static size_t find_names(const struct gen *g, uint32_t clause, uint32_t *found)
{
    const struct nodes *ns = g->nodes;
    size_t n = 0;

    for (uint32_t p = node_named_child(ns, clause);
         node_is(ns, p, NODE_CASE_PATTERN); p = node_named_sibling(ns, p))
        for (uint32_t i = p; i < ns->at[p].past; i++) {
            uint32_t symbol = SYMBOL_NONE;
            bool known = false;

            if (is_captured(ns, i))
                symbol = scopes_symbol_at(g->scopes, node_span(ns, i).start);
            if (!symbol_occurs(g->scopes, symbol, OCC_USED))
                continue;
            for (size_t k = 0; k < n; k++)
                known = known ||
                        scopes_symbol_at(
                            g->scopes, node_span(ns, found[k]).start) == symbol;
            if (known)
                continue;
            if (n == NAMES_MAX)
                return NAMES_MAX + 1;
            found[n++] = i;
        }
    return n;
}

static void add_path(struct buf *out, const struct nodes *ns,
                     const struct path *path)
{
    struct bytes text = node_text(ns, path->subject);
    bool bare = path->n == 0 || is_dotted(ns, path->subject) ||
                node_is(ns, path->subject, NODE_CALL) ||
                node_is(ns, path->subject, NODE_SUBSCRIPT) ||
                node_is(ns, path->subject, NODE_PARENTHESIZED) ||
                node_is(ns, path->subject, NODE_LIST) ||
                node_is(ns, path->subject, NODE_TUPLE) ||
                node_is(ns, path->subject, NODE_DICTIONARY);

    buf_adds(out, bare ? "" : "(");
    buf_add(out, text.data, text.len);
    buf_adds(out, bare ? "" : ")");
    for (size_t i = path->n; i-- > 0;) {
        const struct step *step = &path->steps[i];
        int len = (int)step->text.len;

        switch (step->kind) {
        case STEP_ATTRIBUTE:
            buf_addf(out, ".%.*s", len, step->text.data);
            break;
        case STEP_KEY:
            buf_addf(out, "[%.*s]", len, step->text.data);
            break;
        case STEP_PLACE:
            buf_addf(out, "[%u]", step->place);
            break;
        case STEP_REST:
            buf_addf(out, "[%u:]", step->place);
            break;
        }
    }
}

bool capture_add(struct buf *out, const struct gen *g, uint32_t match,
                 uint32_t clause)
{
    const struct nodes *ns = g->nodes;
    uint32_t found[NAMES_MAX];
    size_t n = find_names(g, clause, found);
    struct path path;

    if (n == 0 || n > NAMES_MAX)
        return false;
    for (size_t i = 0; i < n; i++) {
        struct bytes name = node_text(ns, found[i]);

        if (!find_path(g, &path, match, clause, found[i]) ||
            (n > 1 && !is_dotted(ns, path.subject)))
            return false;
        buf_adds(out, i > 0 ? "; " : "");
        buf_add(out, name.data, name.len);
        buf_adds(out, " = ");
        add_path(out, ns, &path);
    }
    return true;
}
