/* Compound statements replaced by one of their bodies.
 *
 * The header goes, from the start of the statement to the first statement of
 * the body; each further line of the body loses the indentation it had beyond
 * the statement's; what follows the body goes. All of that are deletions
 * around what stays, so other edits inside stay good. Lines that start in a
 * string keep their bytes.
 *
 *     if a:            a body on the header's line needs no second step;
 *         b            `for x in xs` may leave `x = next(iter(xs))` (of several
 *         c            names the only one that is read) or the turn that a
 *     else:            traced run ended in, `with a as b` may leave `b = a`,
 *                      and so may `if (b := a):`
 *         d       ->   b / c        or      d
 *
 * Where `x = next(iter(xs))` is no shorter than the loop, it is `x = xs[0]`,
 * and of an async one `x = await anext(xs)`; or the only statement of the body
 * has `next(iter(xs))` in the place of the one x in it. A break or continue
 * that would come out of its loop becomes `pass`. The body of a function is
 * offered, its decorators gone, when it neither returns nor uses its
 * parameters: it then runs where it stands. It is also offered together with
 * the only statement that calls it. A case may leave `x = subject` for a name
 * that it captures, or `x = subject[0]` (capture.h). */
#include <stdlib.h>
#include <string.h>

#include "config/buf.h"
#include "config/mem.h"
#include "grammar/gen/capture.h"
#include "grammar/gen/draft.h"
#include "grammar/gen/first.h"
#include "grammar/gen/names.h"
#include "grammar/generator.h"
#include "grammar/line.h"
#include "grammar/node.h"
#include "grammar/observed.h"
#include "grammar/scope.h"
#include "grammar/unit.h"

void gen_unwrap(struct gen *g);

/* Python itself takes no deeper indentation. */
#define DEPTH_MAX 100

/* The most bytes of a header written anew. */
#define HEADER_MAX 65536

struct unwrap {
    struct gen *g;
    const struct nodes *ns;
    uint16_t *depth; /* by node: how many blocks are around it */
    bool *jumps;     /* by node: a function with a return or the like */
    uint32_t *loop;  /* by node: of a break or continue, the loop it is of */
    uint32_t goes;   /* a statement that goes with the header, or NODE_NONE */
};

/* The first statement of a body, NODE_NONE when it is empty. */
static uint32_t first_statement(const struct nodes *ns, uint32_t body)
{
    uint32_t c = node_child(ns, body);

    while (c != NODE_NONE && !node_is_statement(ns, c))
        c = node_sibling(ns, c);
    return c;
}

/* End of the body with a semicolon behind its last statement. */
static uint32_t body_end(const struct unwrap *w, uint32_t body)
{
    uint32_t u = unit_of(w->g->units, first_statement(w->ns, body));
    const struct unit *units = w->g->units->at;

    while (units[u].next != UNIT_NONE)
        u = units[u].next;
    return units[u].at.end;
}

/* Indentation of a byte that starts its line; UINT32_MAX when it does not. */
static uint32_t indent_of(const struct unwrap *w, uint32_t at)
{
    const struct line *line = &w->g->lines->at[line_of(w->g->lines, at)];

    return line->text == at && !line->in_string ? at - line->start : UINT32_MAX;
}

/* Whether the statement's indentation begins that of the body. */
static bool indents(const struct unwrap *w, uint32_t statement, uint32_t first)
{
    uint32_t outer = indent_of(w, statement), inner = indent_of(w, first);

    return outer != UINT32_MAX && inner != UINT32_MAX && outer <= inner &&
           memcmp(w->g->text.data + statement - outer,
                  w->g->text.data + first - inner, outer) == 0;
}

/* Take one step from the lines of a body below its first one. */
static void dedent(struct unwrap *w, uint32_t statement, uint32_t body)
{
    uint32_t first = node_span(w->ns, first_statement(w->ns, body)).start;
    uint32_t outer = indent_of(w, statement), inner = indent_of(w, first);

    if (inner == UINT32_MAX)
        return;
    lines_dedent(w->g->lines, w->g->out,
                 (struct span){ first, body_end(w, body) }, outer, inner);
}

/* Whether the body can stand in the statement's place. */
static bool fits(const struct unwrap *w, uint32_t i, uint32_t body)
{
    uint32_t start = node_span(w->ns, i).start;
    uint32_t first;

    if (body == NODE_NONE || w->depth[i] > DEPTH_MAX)
        return false;
    first = first_statement(w->ns, body);
    if (first == NODE_NONE || indent_of(w, start) == UINT32_MAX)
        return false;
    return indent_of(w, node_span(w->ns, first).start) == UINT32_MAX ||
           indents(w, start, node_span(w->ns, first).start);
}

/* End the edit unless it touches frozen bytes or saves nothing. */
static void finish(struct unwrap *w)
{
    struct edits *out = w->g->out;
    const struct edit *edit = &out->items[out->n];
    int64_t saved = 0;

    for (size_t c = edit->first; c < out->nchanges; c++) {
        saved += (int64_t)span_len(out->changes[c].at) - out->changes[c].len;
        if (gen_frozen(w->g, out->changes[c].at))
            saved = INT64_MIN / 2;
    }
    if (saved > 0)
        edits_end(out);
    else
        edits_drop(out);
}

/* Jumps of loop i in the body have none there: `pass` for them. */
static void drop_jumps(struct unwrap *w, uint32_t i, uint32_t body)
{
    for (uint32_t c = body; c < w->ns->at[body].past; c++)
        if ((node_is(w->ns, c, NODE_BREAK) ||
             node_is(w->ns, c, NODE_CONTINUE)) &&
            w->loop[c] == i)
            edits_change(w->g->out, node_span(w->ns, c), "pass", 4);
}

/* The statement with its decorators. */
static uint32_t decorated(const struct unwrap *w, uint32_t i)
{
    uint32_t parent = node_parent(w->ns, i);

    return node_is(w->ns, parent, NODE_DECORATED) ? parent : i;
}

/* The lines of a statement; empty when it shares them. */
static struct span own_lines(const struct unwrap *w, uint32_t statement)
{
    const struct lines *lines = w->g->lines;
    struct span at = node_span(w->ns, statement);
    uint32_t first = line_of(lines, at.start), last = line_of(lines, at.end);

    if (lines->at[first].text != at.start || lines->at[first].in_string ||
        lines->at[last].end != at.end)
        return (struct span){ at.start, at.start };
    return (struct span){ lines->at[first].start, lines->at[last].next };
}

/* Replace statement i by the body; `header` (or NULL) stands before it. */
static void offer_body(struct unwrap *w, uint32_t i, uint32_t body,
                       const char *header)
{
    uint32_t loop = i;
    struct edit *edit;
    struct span at;

    i = decorated(w, i);
    at = node_span(w->ns, i);

    if (!fits(w, i, body))
        return;
    uint32_t first = node_span(w->ns, first_statement(w->ns, body)).start;
    uint32_t end = body_end(w, body);
    edit = edits_begin(w->g->out, EDIT_unwrap, at);
    edit->touches_import = w->g->units->at[unit_of(w->g->units, i)].has_import;
    edit->carries = header != NULL; /* which is made of what stands there */
    edits_change(w->g->out, (struct span){ at.start, first }, header,
                 header ? strlen(header) : 0);
    dedent(w, at.start, body);
    drop_jumps(w, loop, body);
    if (w->goes != NODE_NONE)
        edits_delete(w->g->out, own_lines(w, w->goes));
    if (end < at.end)
        edits_delete(w->g->out, (struct span){ end, at.end });
    finish(w);
}

/* The statement in the place of all, where the body does nothing; or false. */
static bool offer_alone(struct unwrap *w, uint32_t i, uint32_t body,
                        const struct buf *statement)
{
    uint32_t first = node_named_child(w->ns, body);
    struct span all = node_span(w->ns, i);
    struct draft d;

    if (!node_is(w->ns, first, NODE_PASS) ||
        node_named_sibling(w->ns, first) != NODE_NONE ||
        node_span(w->ns, body).end != all.end)
        return false;
    draft_init(&d, w->g, EDIT_unwrap);
    draft_begin(&d, all);
    draft_replace(&d, all, statement->data, statement->len);
    draft_end(&d);
    draft_deinit(&d);
    return true;
}

/* A text for the header's place: `lines` joined as the layout wants it. */
static void offer_bound(struct unwrap *w, uint32_t i, uint32_t body,
                        const struct buf *statement)
{
    struct buf header;

    if (!fits(w, i, body) || statement->len == 0 || statement->full ||
        offer_alone(w, i, body, statement))
        return;
    uint32_t start = node_span(w->ns, i).start;
    uint32_t first = node_span(w->ns, first_statement(w->ns, body)).start;
    buf_init(&header, HEADER_MAX);
    buf_add(&header, statement->data, statement->len);
    if (indent_of(w, first) == UINT32_MAX) {
        buf_adds(&header, "; ");
    } else {
        buf_adds(&header,
                 line_ending(w->g->lines, line_of(w->g->lines, start)));
        buf_add(&header, w->g->text.data + start - indent_of(w, start),
                indent_of(w, start));
    }
    if (!header.full)
        offer_body(w, i, body, edits_text(w->g->out, header.data, header.len));
    buf_deinit(&header);
}

static void add_node(const struct unwrap *w, struct buf *out, uint32_t node)
{
    struct bytes text = node_text(w->ns, node);

    buf_add(out, text.data, text.len);
}

/* Whether a name is used for more than to be bound. */
static bool is_used(const struct unwrap *w, uint32_t identifier)
{
    const struct scopes *scopes = w->g->scopes;

    return symbol_occurs(
        scopes, scopes_symbol_at(scopes, node_span(w->ns, identifier).start),
        OCC_USED);
}

/* How a name is reached in the element that `left` unpacks. */
static bool path_to(const struct unwrap *w, uint32_t left, uint32_t name,
                    struct first_path *path)
{
    const struct nodes *ns = w->ns;
    uint32_t back[FIRST_DEPTH];

    path->n = 0;
    for (uint32_t node = name; node != left; node = node_parent(ns, node)) {
        uint32_t first = node_named_child(ns, node_parent(ns, node));

        if (path->n == FIRST_DEPTH)
            return false;
        back[path->n] = 0;
        for (; first != node; first = node_named_sibling(ns, first))
            back[path->n]++;
        path->n++;
    }
    for (size_t i = 0; i < path->n; i++)
        path->at[i] = back[path->n - 1 - i];
    return true;
}

/* The only name of several that is read, and the way to it; else all. */
static uint32_t only_read(struct unwrap *w, uint32_t left,
                          struct first_path *path)
{
    const struct nodes *ns = w->ns;
    uint32_t name = NODE_NONE;

    path->n = 0;
    if (!is_targets(ns, left))
        return left;
    for (uint32_t i = left; i < ns->at[left].past; i++) {
        if (!ns->at[i].named || is_targets(ns, i))
            continue;
        if (!node_is(ns, i, NODE_IDENTIFIER))
            return left;
        if (!is_used(w, i))
            continue;
        if (name != NODE_NONE)
            return left;
        name = i;
    }
    if (name == NODE_NONE || !path_to(w, left, name, path)) {
        path->n = 0;
        return left;
    }
    return name;
}

/* Whether the failure comes by a statement of the loop. */
static bool holds_frame(const struct gen *g, struct span loop)
{
    for (size_t i = 0; i < g->nframes; i++)
        if (span_len(g->frames[i]) > 0 && g->frames[i].start >= loop.start &&
            g->frames[i].end <= loop.end)
            return true;
    return false;
}

/* `for x in xs` of which the third turn fails: `x = 5`, `x = list(xs)[2]`.
 * What passed before is not the failure, so this is tried early on. Where the
 * failure comes by no statement of the loop, `return` may have ended it. */
static void offer_last_turn(struct unwrap *w, uint32_t i)
{
    uint32_t body = node_field(w->ns, i, FIELD_body);
    uint32_t left = node_field(w->ns, i, FIELD_left);
    uint32_t right = node_field(w->ns, i, FIELD_right);
    struct bytes turn = { 0 };
    size_t before = w->g->out->n;
    bool bare;
    struct buf statement;

    if (w->g->turns && left != NODE_NONE && right != NODE_NONE &&
        w->g->observed)
        turn = observed_turn(w->g->observed, node_span(w->ns, left));
    if (turn.len == 0 || (turn.len == 3 && memcmp(turn.data, "[0]", 3) == 0))
        return; /* offer_for() has the first */
    bare = node_is(w->ns, right, NODE_EXPRESSION_LIST);
    buf_init(&statement, HEADER_MAX);
    add_node(w, &statement, left);
    buf_adds(&statement, " = ");
    if (turn.data[0] == '[') {
        buf_adds(&statement, bare ? "(" : "list(");
        add_node(w, &statement, right);
        buf_adds(&statement, ")");
    }
    buf_add(&statement, turn.data, turn.len);
    offer_bound(w, i, body, &statement);
    buf_deinit(&statement);
    if (w->g->out->n > before)
        w->g->out->items[before].sure = holds_frame(w->g, node_span(w->ns, i));
}

/* Shorter ways to the first element, for a loop that is no longer than the one
 * that always works: `x = xs[0]`; and `x = await anext(xs)`, which Python has
 * since 3.10 and does for what iterates itself, as generators do. */
static void offer_shortly(struct unwrap *w, uint32_t i, uint32_t body,
                          bool awaits)
{
    uint32_t left = node_field(w->ns, i, FIELD_left);
    uint32_t right = node_field(w->ns, i, FIELD_right);
    struct buf statement;

    if (left == NODE_NONE || right == NODE_NONE ||
        (!awaits && !is_dotted(w->ns, right)))
        return;
    buf_init(&statement, HEADER_MAX);
    add_node(w, &statement, left);
    buf_adds(&statement, awaits ? " = await anext(" : " = ");
    add_node(w, &statement, right);
    buf_adds(&statement, awaits ? ")" : "[0]");
    offer_bound(w, i, body, &statement);
    buf_deinit(&statement);
}

/* Whether a statement runs once and ends where its last line does. */
static bool is_simple(const struct nodes *ns, uint32_t statement)
{
    return node_is(ns, statement, NODE_EXPRESSION_STATEMENT) ||
           node_is(ns, statement, NODE_RETURN) ||
           node_is(ns, statement, NODE_RAISE) ||
           node_is(ns, statement, NODE_ASSERT);
}

/* Whether what stands at `node` comes to its value once, at the place of the
 * statement: not in a lambda or comprehension. */
static bool runs_once(const struct nodes *ns, uint32_t node, uint32_t statement)
{
    for (; node != statement; node = node_parent(ns, node))
        if (node_is(ns, node, NODE_LAMBDA) ||
            node_is(ns, node, NODE_LIST_COMPREHENSION) ||
            node_is(ns, node, NODE_SET_COMPREHENSION) ||
            node_is(ns, node, NODE_DICTIONARY_COMPREHENSION) ||
            node_is(ns, node, NODE_GENERATOR_EXPRESSION))
            return false;
    return true;
}

/* The only place in `statement` that reads the name, which nothing else has
 * but `left`; NODE_NONE: there is none, or it is not that simple. */
static uint32_t only_load(const struct unwrap *w, uint32_t left,
                          uint32_t statement)
{
    const struct occurrence *at;
    uint32_t symbol, node;
    size_t n;

    if (!node_is(w->ns, left, NODE_IDENTIFIER))
        return NODE_NONE;
    symbol = scopes_symbol_at(w->g->scopes, node_span(w->ns, left).start);
    if (symbol == SYMBOL_NONE)
        return NODE_NONE;
    at = symbol_occurrences(w->g->scopes, symbol, &n);
    if (n != 2 || at[1].role != OCC_LOAD ||
        !span_holds(node_span(w->ns, statement), at[1].at))
        return NODE_NONE;
    node = node_at(w->ns, at[1].at.start, NODE_IDENTIFIER);
    return node != NODE_NONE && runs_once(w->ns, node, statement) ? node
                                                                  : NODE_NONE;
}

/* `for x in g(): return x` to `return next(iter(g()))`, for a loop that is no
 * longer than the two statements that it would be else. */
static void offer_placed(struct unwrap *w, uint32_t i, uint32_t body)
{
    const struct nodes *ns = w->ns;
    uint32_t left = node_field(ns, i, FIELD_left);
    uint32_t right = node_field(ns, i, FIELD_right);
    uint32_t statement = first_statement(ns, body), load;
    struct span all = node_span(ns, i), own;
    const struct first_path whole = { .n = 0 };
    struct buf first;
    struct draft d;

    if (left == NODE_NONE || right == NODE_NONE || !is_simple(ns, statement) ||
        node_named_child(ns, body) != statement ||
        node_named_sibling(ns, statement) != NODE_NONE)
        return;
    load = only_load(w, left, statement);
    if (load == NODE_NONE)
        return;
    buf_init(&first, HEADER_MAX);
    first_add(&first, ns, right, &whole);
    if (!first.full &&
        names_fit_string(ns, bytes_of(first.data, first.len), load)) {
        own = node_span(ns, statement);
        draft_init(&d, w->g, EDIT_unwrap);
        draft_begin(&d, all);
        draft_delete(&d, (struct span){ all.start, own.start });
        draft_replace(&d, node_span(ns, load), first.data, first.len);
        draft_delete(&d, (struct span){ own.end, all.end });
        draft_end(&d);
        draft_deinit(&d);
    }
    buf_deinit(&first);
}

static void offer_for(struct unwrap *w, uint32_t i)
{
    uint32_t body = node_field(w->ns, i, FIELD_body);
    uint32_t left = node_field(w->ns, i, FIELD_left);
    uint32_t right = node_field(w->ns, i, FIELD_right);
    bool awaits = node_is(w->ns, node_child(w->ns, i), NODE_KW_ASYNC);
    size_t before = w->g->out->n;
    struct first_path path = { .n = 0 };
    struct buf statement;

    if (left != NODE_NONE && right != NODE_NONE) {
        buf_init(&statement, HEADER_MAX);
        add_node(w, &statement, awaits ? left : only_read(w, left, &path));
        buf_adds(&statement, " = ");
        if (!awaits) {
            first_add(&statement, w->ns, right, &path);
        } else { /* as anext(aiter()) of 3.10 */
            bool bare =
                is_dotted(w->ns, right) || node_is(w->ns, right, NODE_CALL);
            buf_adds(&statement, bare ? "await " : "await (");
            add_node(w, &statement, right);
            buf_adds(&statement, bare ? "" : ")");
            buf_adds(&statement, ".__aiter__().__anext__()");
        }
        offer_bound(w, i, body, &statement);
        buf_deinit(&statement);
    }
    if (w->g->out->n == before) {
        offer_shortly(w, i, body, awaits);
        if (!awaits && fits(w, i, body))
            offer_placed(w, i, body);
    }
    offer_body(w, i, body, NULL);
}

/* `b = a` for each `a as b`, joined by semicolons. */
static void offer_with(struct unwrap *w, uint32_t i)
{
    const struct nodes *ns = w->ns;
    uint32_t clause = node_child_of(ns, i, NODE_WITH_CLAUSE);
    uint32_t body = node_field(ns, i, FIELD_body);
    struct buf statement;

    buf_init(&statement, HEADER_MAX);
    for (uint32_t item = clause != NODE_NONE ? node_named_child(ns, clause)
                                             : NODE_NONE;
         item != NODE_NONE; item = node_named_sibling(ns, item)) {
        uint32_t as = node_field(ns, item, FIELD_value);
        uint32_t alias = NODE_NONE;

        if (node_is(ns, as, NODE_AS_PATTERN))
            alias = node_field(ns, as, FIELD_alias);
        if (alias == NODE_NONE)
            continue;
        if (statement.len > 0)
            buf_adds(&statement, "; ");
        add_node(w, &statement, alias);
        buf_adds(&statement, " = ");
        add_node(w, &statement, node_named_child(ns, as));
    }
    offer_bound(w, i, body, &statement);
    buf_deinit(&statement);
    offer_body(w, i, body, NULL);
}

/* `b = a` for each `b := a` of an expression that is computed once. */
static void add_named(const struct unwrap *w, struct buf *out, uint32_t node)
{
    const struct nodes *ns = w->ns;

    for (uint32_t i = node; i < ns->at[node].past;) {
        uint32_t name = NODE_NONE, value;
        bool lines;

        if (node_is(ns, i, NODE_NAMED_EXPRESSION))
            name = node_field(ns, i, FIELD_name);
        if (name == NODE_NONE) {
            bool apart = node_is(ns, i, NODE_LAMBDA) ||
                         node_child_of(ns, i, NODE_FOR_IN_CLAUSE) != NODE_NONE;

            i = apart ? ns->at[i].past : i + 1;
            continue;
        }
        value = node_field(ns, i, FIELD_value);
        if (out->len > 0)
            buf_adds(out, "; ");
        add_node(w, out, name);
        lines = memchr(node_text(ns, value).data, '\n',
                       span_len(node_span(ns, value))) != NULL;
        buf_adds(out, lines ? " = (" : " = ");
        add_node(w, out, value);
        buf_adds(out, lines ? ")" : "");
        i = ns->at[i].past;
    }
}

/* What the condition of statement i binds is bound before the body. */
static void offer_named(struct unwrap *w, uint32_t i, uint32_t body)
{
    uint32_t condition = node_field(w->ns, i, FIELD_condition);
    struct buf statement;

    if (condition == NODE_NONE || body == NODE_NONE)
        return;
    buf_init(&statement, HEADER_MAX);
    add_named(w, &statement, condition);
    offer_bound(w, i, body, &statement);
    buf_deinit(&statement);
}

/* The body that a clause holds. */
static uint32_t clause_body(const struct nodes *ns, uint32_t clause)
{
    return node_child_of(ns, clause, NODE_BLOCK);
}

/* The body, and the body of each clause. */
static void offer_each(struct unwrap *w, uint32_t i)
{
    const struct nodes *ns = w->ns;

    offer_body(w, i, clause_body(ns, i), NULL);
    for (uint32_t c = node_child(ns, i); c != NODE_NONE;
         c = node_sibling(ns, c))
        if (node_is_clause(ns, c))
            offer_body(w, i, clause_body(ns, c), NULL);
}

/* `if a: .. elif b: ..` -> `if b: ..` */
static void offer_elif(struct unwrap *w, uint32_t i)
{
    uint32_t clause = node_child_of(w->ns, i, NODE_ELIF);

    if (clause == NODE_NONE)
        return;
    edits_begin(w->g->out, EDIT_unwrap, node_span(w->ns, i));
    edits_delete(w->g->out,
                 (struct span){ node_span(w->ns, i).start,
                                node_span(w->ns, clause).start + 2 });
    finish(w);
}

static uint32_t child_field_of(const struct nodes *ns, uint32_t i,
                               enum node_kind kind)
{
    uint32_t clause = node_child_of(ns, i, kind);

    return clause != NODE_NONE ? clause_body(ns, clause) : NODE_NONE;
}

/* try, else and finally one after the other, the handlers gone. */
static void offer_try_all(struct unwrap *w, uint32_t i)
{
    const struct nodes *ns = w->ns;
    struct span at = node_span(ns, i);
    uint32_t bodies[3] = { clause_body(ns, i), child_field_of(ns, i, NODE_ELSE),
                           child_field_of(ns, i, NODE_FINALLY) };
    uint32_t end = at.start;

    if (bodies[1] == NODE_NONE && bodies[2] == NODE_NONE)
        return;
    for (size_t b = 0; b < ARRAY_LEN(bodies); b++)
        if (bodies[b] != NODE_NONE &&
            (!fits(w, i, bodies[b]) ||
             indent_of(w,
                       node_span(ns, first_statement(ns, bodies[b])).start) ==
                 UINT32_MAX))
            return; /* only when each stands on lines of its own */
    edits_begin(w->g->out, EDIT_unwrap, at);
    for (size_t b = 0; b < ARRAY_LEN(bodies); b++) {
        if (bodies[b] == NODE_NONE)
            continue;
        uint32_t first = first_statement(ns, bodies[b]);
        uint32_t from = end;
        if (b > 0) { /* keep the line end and the statement's indentation */
            const struct lines *lines = w->g->lines;
            uint32_t clause = node_span(ns, node_parent(ns, bodies[b])).start;
            uint32_t line = lines->at[line_of(lines, end)].end;
            uint32_t keep = lines->at[line_of(lines, clause)].start;
            edits_delete(w->g->out, (struct span){ end, line });
            if (lines->at[line_of(lines, end)].next < keep)
                edits_delete(
                    w->g->out,
                    (struct span){ lines->at[line_of(lines, end)].next, keep });
            from = clause;
        }
        edits_delete(w->g->out,
                     (struct span){ from, node_span(ns, first).start });
        dedent(w, at.start, bodies[b]);
        end = body_end(w, bodies[b]);
    }
    if (end < at.end)
        edits_delete(w->g->out, (struct span){ end, at.end });
    finish(w);
}

/* The names that a case captures are bound before its body. */
static void offer_captured(struct unwrap *w, uint32_t i, uint32_t c)
{
    struct buf statement;

    buf_init(&statement, HEADER_MAX);
    if (capture_add(&statement, w->g, i, c))
        offer_bound(w, i, clause_body(w->ns, c), &statement);
    buf_deinit(&statement);
}

static void offer_match(struct unwrap *w, uint32_t i)
{
    uint32_t block = node_field(w->ns, i, FIELD_body);
    uint32_t c = block != NODE_NONE ? node_child(w->ns, block) : NODE_NONE;

    for (; c != NODE_NONE; c = node_sibling(w->ns, c))
        if (node_is(w->ns, c, NODE_CASE)) {
            offer_captured(w, i, c);
            offer_body(w, i, clause_body(w->ns, c), NULL);
        }
}

/* Whether a parameter is used; *args and annotated ones, too. */
static bool is_param_used(const struct unwrap *w, uint32_t param)
{
    uint32_t i = param;

    while (i < w->ns->at[param].past && !node_is(w->ns, i, NODE_IDENTIFIER))
        i++;
    return i < w->ns->at[param].past && is_used(w, i);
}

/* The statement that does nothing but call function i, behind it in its
 * block, when nothing else uses it; or NODE_NONE. */
static uint32_t only_call(const struct unwrap *w, uint32_t i)
{
    const struct nodes *ns = w->ns;
    uint32_t name = node_field(ns, i, FIELD_name), use, call;
    uint32_t symbol = SYMBOL_NONE;
    const struct occurrence *at;
    size_t n = 0;

    if (name != NODE_NONE)
        symbol = scopes_symbol_at(w->g->scopes, node_span(ns, name).start);
    if (symbol == SYMBOL_NONE)
        return NODE_NONE;
    at = symbol_occurrences(w->g->scopes, symbol, &n);
    use = n == 2 ? node_at(ns, at[1].at.start, NODE_IDENTIFIER) : NODE_NONE;
    if (use == NODE_NONE || ns->at[use].field != FIELD_function)
        return NODE_NONE;
    call = node_parent(ns, use);
    if (!node_is(ns, call, NODE_CALL) ||
        !node_is(ns, node_parent(ns, call), NODE_EXPRESSION_STATEMENT) ||
        node_parent(ns, node_parent(ns, call)) !=
            node_parent(ns, decorated(w, i)))
        return NODE_NONE;
    return node_parent(ns, call);
}

/* `def f(a): b` and `f(1)` to `b`, for a body that can do without what is
 * passed, but not with it. */
static void offer_called(struct unwrap *w, uint32_t i)
{
    uint32_t call = decorated(w, i) == i ? only_call(w, i) : NODE_NONE;

    if (call == NODE_NONE || span_len(own_lines(w, call)) == 0)
        return;
    w->goes = call;
    offer_body(w, i, node_field(w->ns, i, FIELD_body), NULL);
    w->goes = NODE_NONE;
}

static void offer_function(struct unwrap *w, uint32_t i)
{
    const struct nodes *ns = w->ns;
    uint32_t params = node_field(ns, i, FIELD_parameters);

    if (w->jumps[i] || params == NODE_NONE)
        return;
    offer_called(w, i);
    for (uint32_t c = node_named_child(ns, params); c != NODE_NONE;
         c = node_named_sibling(ns, c))
        if (is_param_used(w, c))
            return;
    offer_body(w, i, node_field(ns, i, FIELD_body), NULL);
}

static void offer_node(struct unwrap *w, uint32_t i)
{
    switch (node_kind(w->ns, i)) {
    case NODE_IF:
        offer_named(w, i, clause_body(w->ns, i));
        offer_named(w, i, child_field_of(w->ns, i, NODE_ELSE));
        offer_each(w, i);
        offer_elif(w, i);
        break;
    case NODE_TRY:
        offer_try_all(w, i);
        offer_each(w, i);
        break;
    case NODE_FOR:
        offer_last_turn(w, i);
        offer_for(w, i);
        break;
    case NODE_WHILE:
        offer_named(w, i, clause_body(w->ns, i));
        offer_body(w, i, node_field(w->ns, i, FIELD_body), NULL);
        break;
    case NODE_WITH:
        offer_with(w, i);
        break;
    case NODE_MATCH:
        offer_match(w, i);
        break;
    case NODE_FUNCTION:
        offer_function(w, i);
        break;
    case NODE_CLASS:
        offer_body(w, i, node_field(w->ns, i, FIELD_body), NULL);
        break;
    default:
        break;
    }
}

/* The else clause of a loop, whose jumps belong to the loop around it. */
static void offer_loop_else(struct unwrap *w, uint32_t i)
{
    if (node_is(w->ns, i, NODE_FOR) || node_is(w->ns, i, NODE_WHILE))
        offer_body(w, i, child_field_of(w->ns, i, NODE_ELSE), NULL);
}

/* Note the loop that a break or continue belongs to. */
static void mark_jump(struct unwrap *w, uint32_t i)
{
    uint32_t up = i, from = i;

    do {
        from = up;
        up = node_parent(w->ns, up);
        if (up == NODE_NONE || node_is(w->ns, up, NODE_FUNCTION) ||
            node_is(w->ns, up, NODE_CLASS))
            return;
    } while (
        !((node_is(w->ns, up, NODE_FOR) || node_is(w->ns, up, NODE_WHILE)) &&
          !node_is(w->ns, from, NODE_ELSE)));
    w->loop[i] = up;
}

/* Mark the function that cannot do without its header; a nonlocal name needs
 * all functions around it. */
static void mark_return(struct unwrap *w, uint32_t i)
{
    uint32_t function = i;

    do {
        function = node_function(w->ns, function);
        if (function == NODE_NONE)
            return;
        w->jumps[function] = true;
    } while (node_is(w->ns, i, NODE_NONLOCAL));
}

static void mark(struct unwrap *w, uint32_t i)
{
    switch (node_kind(w->ns, i)) {
    case NODE_BREAK:
    case NODE_CONTINUE:
        mark_jump(w, i);
        break;
    case NODE_RETURN:
    case NODE_YIELD:
    case NODE_AWAIT:
    case NODE_NONLOCAL:
        mark_return(w, i);
        break;
    }
}

void gen_unwrap(struct gen *g)
{
    struct unwrap w = { .g = g, .ns = g->nodes, .goes = NODE_NONE };

    w.depth = xcalloc(g->nodes->n, sizeof(*w.depth));
    w.jumps = xcalloc(g->nodes->n, sizeof(*w.jumps));
    w.loop = xcalloc(g->nodes->n, sizeof(*w.loop));
    for (uint32_t i = 1; i < w.ns->n; i++) {
        uint32_t depth = w.depth[node_parent(w.ns, i)];

        depth += node_is(w.ns, i, NODE_BLOCK);
        w.depth[i] = (uint16_t)(depth < DEPTH_MAX + 2 ? depth : DEPTH_MAX + 2);
        mark(&w, i);
    }
    for (uint32_t i = 1; i < w.ns->n; i++) {
        if (!node_is_statement(w.ns, decorated(&w, i)))
            continue;
        offer_node(&w, i);
        offer_loop_else(&w, i);
    }
    free(w.depth);
    free(w.jumps);
    free(w.loop);
}
