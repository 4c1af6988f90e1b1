/* From changes to an edit.
 *
 * The checks happen in draft_end() on the sorted changes with neighbours that
 * touch melted into one, because only there both sides of what is left are
 * known: two deletions side by side leave one seam, and one space at most is
 * needed in it.
 *
 * Brackets: each kind of expression has a strength, as in the table of
 * operators in Python's reference, and each place asks for one. */
#include "grammar/gen/draft.h"

#include <stdlib.h>
#include <string.h>

#include "config/mem.h"

void draft_init(struct draft *d, struct gen *g, uint16_t kind)
{
    *d = (struct draft){ .g = g, .ns = tree_nodes(g->tree), .kind = kind };
}

static void forget(struct draft *d)
{
    for (size_t i = 0; i < d->nown; i++)
        free(d->own[i]);
    d->nown = 0;
    d->n = 0;
    d->spoilt = false;
    d->lead = (struct span){ 0, 0 };
    d->touches_import = false;
    d->carries = false;
}

void draft_deinit(struct draft *d)
{
    forget(d);
    free(d->own);
    free(d->items);
}

void draft_begin(struct draft *d, struct span cover)
{
    forget(d);
    d->cover = cover;
}

void draft_replace(struct draft *d, struct span at, const char *text,
                   size_t len)
{
    if (span_len(at) == 0 && len == 0)
        return;
    xgrow(&d->items, &d->room, d->n + 1, sizeof(*d->items));
    d->items[d->n++] = (struct change){ at, len ? text : NULL, (uint32_t)len };
}

void draft_replaces(struct draft *d, struct span at, const char *text)
{
    draft_replace(d, at, text, strlen(text));
}

void draft_replace_taken(struct draft *d, struct span at, char *text,
                         size_t len)
{
    xgrow(&d->own, &d->own_room, d->nown + 1, sizeof(*d->own));
    d->own[d->nown++] = text;
    draft_replace(d, at, text, len);
}

void draft_delete(struct draft *d, struct span at)
{
    draft_replace(d, at, NULL, 0);
}

void draft_spoil(struct draft *d)
{
    d->spoilt = true;
}

static int by_start(const void *a, const void *b)
{
    const struct change *x = a, *y = b;

    if (x->at.start != y->at.start)
        return x->at.start < y->at.start ? -1 : 1;
    return x->at.end < y->at.end ? -1 : x->at.end > y->at.end;
}

/* Deletions that overlap or touch become one; other overlaps spoil. */
static void melt(struct draft *d)
{
    size_t kept = 0;

    if (d->n)
        qsort(d->items, d->n, sizeof(*d->items), by_start);
    for (size_t i = 0; i < d->n; i++) {
        struct change *last = kept ? &d->items[kept - 1] : NULL;
        struct change *now = &d->items[i];

        if (last && now->at.start <= last->at.end && !last->len && !now->len) {
            if (now->at.end > last->at.end)
                last->at.end = now->at.end;
            continue;
        }
        if (last && now->at.start < last->at.end)
            d->spoilt = true;
        d->items[kept++] = *now;
    }
    d->n = kept;
}

/* Whether the text up to `end` ends in a number: `1.x` is none of it. */
static bool ends_in_number(struct bytes text, uint32_t end)
{
    uint32_t i = end;

    while (i > 0 && text_is_word((unsigned char)text.data[i - 1]))
        i--;
    return i < end && text.data[i] >= '0' && text.data[i] <= '9';
}

/* A copy of text between two strings; the text may hold zero bytes. */
static char *between(const char *before, struct bytes text, const char *after)
{
    size_t front = strlen(before), back = strlen(after);
    char *own = xcalloc(front + text.len + back + 1, 1);

    memcpy(own, before, front);
    if (text.len)
        memcpy(own + front, text.data, text.len);
    memcpy(own + front + text.len, after, back);
    return own;
}

/* Whether two bytes that come to stand side by side make one word of two. */
static bool grows_together(unsigned char left, unsigned char right)
{
    return text_is_word(left) &&
           (text_is_word(right) || right == '"' || right == '\'');
}

static void part_words(struct draft *d)
{
    struct bytes text = d->g->text;

    for (size_t i = 0; i < d->n; i++) {
        struct change *c = &d->items[i];
        bool joined = i + 1 < d->n && d->items[i + 1].at.start == c->at.end;
        bool follows = i > 0 && d->items[i - 1].at.end == c->at.start;
        unsigned char left = c->at.start > tree_bom(d->g->tree) && !follows
                                 ? (unsigned char)text.data[c->at.start - 1]
                                 : ' ';
        unsigned char right = c->at.end < text.len && !joined
                                  ? (unsigned char)text.data[c->at.end]
                                  : ' ';

        if (c->len == 0) {
            if (grows_together(left, right) ||
                (right == '.' && ends_in_number(text, c->at.start)))
                *c = (struct change){ c->at, " ", 1 };
            continue;
        }
        bool before = grows_together(left, (unsigned char)c->text[0]);
        bool after =
            grows_together((unsigned char)c->text[c->len - 1], right) ||
            (right == '.' && ends_in_number(bytes_of(c->text, c->len), c->len));

        if (before || after) {
            char *own = between(before ? " " : "", bytes_of(c->text, c->len),
                                after ? " " : "");

            xgrow(&d->own, &d->own_room, d->nown + 1, sizeof(*d->own));
            d->own[d->nown++] = own;
            c->text = own;
            c->len += (uint32_t)before + (uint32_t)after;
        }
    }
}

/* Whether the new text of the same length is smaller where it first differs:
 * it is read change by change, the old one straight on. */
static bool sorts_before(const struct draft *d)
{
    const char *text = d->g->text.data;
    uint32_t old = d->items[0].at.start;

    for (size_t i = 0; i < d->n; i++) {
        const struct change *c = &d->items[i];
        uint32_t next = i + 1 < d->n ? d->items[i + 1].at.start : c->at.end;
        uint32_t kept = next > c->at.end ? next - c->at.end : 0;
        int order = c->len ? memcmp(c->text, text + old, c->len) : 0;

        old += c->len;
        if (!order && kept && old != c->at.end)
            order = memcmp(text + c->at.end, text + old, kept);
        old += kept;
        if (order)
            return order < 0;
    }
    return false;
}

/* Shorter, or as long and smaller where it first differs; of pumps those that
 * are not, unless they more than double the text. */
static bool is_wanted(const struct draft *d)
{
    int64_t grown = 0;
    bool smaller;

    for (size_t i = 0; i < d->n; i++)
        grown += (int64_t)d->items[i].len - span_len(d->items[i].at);
    smaller = grown != 0 ? grown < 0 : sorts_before(d);
    return d->g->pumps ? !smaller && grown <= (int64_t)d->g->text.len : smaller;
}

uint32_t draft_end(struct draft *d)
{
    struct edit *edit;

    melt(d);
    for (size_t i = 0; i < d->n; i++)
        if (gen_frozen(d->g, d->items[i].at))
            d->spoilt = true;
    if (!d->spoilt && !d->raw)
        part_words(d);
    if (d->spoilt || d->n == 0 || !is_wanted(d))
        return EDIT_NONE;
    edit = edits_begin(d->g->out, d->kind, d->cover);
    edit->lead = d->lead;
    edit->touches_import = d->touches_import;
    edit->carries = d->carries;
    for (size_t i = 0; i < d->n; i++) {
        const struct change *c = &d->items[i];

        edits_change(d->g->out, c->at,
                     c->len ? edits_text(d->g->out, c->text, c->len) : NULL,
                     c->len);
    }
    return edits_end(d->g->out);
}

void draft_delete_edit(struct draft *d, struct span cover, struct span at)
{
    draft_begin(d, cover);
    draft_delete(d, at);
    draft_end(d);
}

void draft_replace_edit(struct draft *d, struct span cover, struct span at,
                        const char *text)
{
    draft_begin(d, cover);
    draft_replaces(d, at, text);
    draft_end(d);
}

size_t items_of(const struct nodes *ns, uint32_t node,
                bool (*mine)(const struct nodes *ns, uint32_t child),
                struct item **items)
{
    size_t n = 0, room = 0;
    uint32_t tail = 0;

    *items = NULL;
    for (uint32_t c = node_child(ns, node); c != NODE_NONE;
         c = node_sibling(ns, c)) {
        if (is_token(ns, c, ","))
            tail = node_span(ns, c).end;
        if (!ns->at[c].named || node_is_extra(ns, c))
            continue;
        tail = 0;
        xgrow(items, &room, n + 1, sizeof(**items));
        (*items)[n++] = (struct item){ .at = node_span(ns, c),
                                       .cover = node_span(ns, c),
                                       .stays = mine && !mine(ns, c) };
    }
    if (tail && n)
        (*items)[n - 1].at.end = tail;
    return n;
}

void draft_series(struct draft *d, uint32_t node,
                  bool (*mine)(const struct nodes *ns, uint32_t child),
                  const char *empty, bool whole_first)
{
    struct item *items;
    size_t n = items_of(d->ns, node, mine, &items);

    gen_list(d->g, d->kind, items, n, empty, whole_first && n > 1);
    free(items);
}

void draft_drop_items(struct draft *d, const struct item *items, size_t n)
{
    for (size_t i = 0, j; i < n; i = j) {
        struct span at = items[i].at;

        j = i + 1;
        if (items[i].stays)
            continue;
        while (j < n && !items[j].stays)
            j++;
        at.end = items[j - 1].at.end;
        if (j < n)
            at.end = items[j].at.start;
        else if (i > 0)
            at.start = items[i - 1].at.end;
        draft_delete(d, at);
    }
}

void draft_drop_tail(struct draft *d, uint32_t child)
{
    const struct nodes *ns = d->ns;
    struct span at = node_span(ns, child);
    uint32_t before = NODE_NONE;

    for (uint32_t c = node_named_child(ns, node_parent(ns, child));
         c != NODE_NONE && c != child; c = node_named_sibling(ns, c))
        before = c;
    if (before == NODE_NONE)
        return;
    at.start = node_span(ns, before).end;
    draft_delete_edit(d, node_span(ns, child), at);
}

void draft_drop_statement(struct draft *d, uint32_t statement)
{
    uint32_t unit = unit_of(d->g->units, statement);
    const struct unit *u;

    if (unit == UNIT_NONE) {
        draft_spoil(d);
        return;
    }
    u = &d->g->units->at[unit];
    if (u->next != UNIT_NONE || node_is(d->ns, u->body, NODE_MODULE))
        draft_delete(d, u->cut);
    else if (u->prev != UNIT_NONE)
        draft_delete(d, (struct span){ u->lead.start, u->cut.end });
    else
        draft_replaces(d, u->cut, "pass");
}

bool is_token(const struct nodes *ns, uint32_t node, const char *text)
{
    return node != NODE_NONE && !ns->at[node].named &&
           node_text_is(ns, node, text);
}

uint32_t last_named_child(const struct nodes *ns, uint32_t node)
{
    uint32_t last = NODE_NONE;

    for (uint32_t c = node_named_child(ns, node); c != NODE_NONE;
         c = node_named_sibling(ns, c))
        last = c;
    return last;
}

size_t count_named(const struct nodes *ns, uint32_t node)
{
    size_t n = 0;

    for (uint32_t c = node_named_child(ns, node); c != NODE_NONE;
         c = node_named_sibling(ns, c))
        n++;
    return n;
}

enum strength {
    LIST_STRENGTH, /* a, b without brackets; yield; starred */
    NAMED_STRENGTH,
    LAMBDA_STRENGTH,
    OR_STRENGTH,
    AND_STRENGTH,
    NOT_STRENGTH,
    COMPARISON_STRENGTH,
    BITOR_STRENGTH,
    XOR_STRENGTH,
    BITAND_STRENGTH,
    SHIFT_STRENGTH,
    SUM_STRENGTH,
    PRODUCT_STRENGTH,
    UNARY_STRENGTH,
    POWER_STRENGTH,
    AWAIT_STRENGTH,
    PRIMARY_STRENGTH
};

static enum strength operator_strength(const struct nodes *ns, uint32_t node)
{
    static const struct {
        const char *text;
        enum strength strength;
    } table[] = {
        { "or", OR_STRENGTH },    { "and", AND_STRENGTH },
        { "|", BITOR_STRENGTH },  { "^", XOR_STRENGTH },
        { "&", BITAND_STRENGTH }, { "<<", SHIFT_STRENGTH },
        { ">>", SHIFT_STRENGTH }, { "+", SUM_STRENGTH },
        { "-", SUM_STRENGTH },    { "**", POWER_STRENGTH },
    };
    uint32_t operator= node_field(ns, node, FIELD_operator);

    for (size_t i = 0; operator!= NODE_NONE && i<ARRAY_LEN(table); i++)
        if (node_text_is(ns, operator, table[i].text))
            return table[i].strength;
    return PRODUCT_STRENGTH;
}

static enum strength strength_of(const struct nodes *ns, uint32_t node)
{
    switch (node_kind(ns, node)) {
    case NODE_EXPRESSION_LIST:
    case NODE_PATTERN_LIST:
    case NODE_YIELD:
    case NODE_LIST_SPLAT:
    case NODE_DICTIONARY_SPLAT:
        return LIST_STRENGTH;
    case NODE_NAMED_EXPRESSION:
        return NAMED_STRENGTH;
    case NODE_LAMBDA:
    case NODE_CONDITIONAL:
        return LAMBDA_STRENGTH;
    case NODE_NOT_OPERATOR:
        return NOT_STRENGTH;
    case NODE_COMPARISON:
        return COMPARISON_STRENGTH;
    case NODE_BOOLEAN_OPERATOR:
    case NODE_BINARY_OPERATOR:
        return operator_strength(ns, node);
    case NODE_UNARY_OPERATOR:
        return UNARY_STRENGTH;
    case NODE_AWAIT:
        return AWAIT_STRENGTH;
    default:
        return PRIMARY_STRENGTH;
    }
}

/* What an operator asks of the operand in this place. */
static enum strength operand_place(const struct nodes *ns, uint32_t parent,
                                   unsigned field)
{
    enum strength own = operator_strength(ns, parent);

    if (own == POWER_STRENGTH)
        return field == FIELD_left ? AWAIT_STRENGTH : UNARY_STRENGTH;
    return field == FIELD_left ? own : own + 1;
}

static enum strength strength_asked(const struct nodes *ns, uint32_t place)
{
    uint32_t parent = node_parent(ns, place);
    unsigned field = ns->at[place].field;

    switch (node_kind(ns, parent)) {
    case NODE_ATTRIBUTE:
    case NODE_AWAIT:
        return PRIMARY_STRENGTH;
    case NODE_CALL:
        return field == FIELD_function ? PRIMARY_STRENGTH : NAMED_STRENGTH;
    case NODE_SUBSCRIPT:
        return field == FIELD_value ? PRIMARY_STRENGTH : LAMBDA_STRENGTH;
    case NODE_BINARY_OPERATOR:
    case NODE_BOOLEAN_OPERATOR:
        return operand_place(ns, parent, field);
    case NODE_UNARY_OPERATOR:
        return UNARY_STRENGTH;
    case NODE_NOT_OPERATOR:
        return NOT_STRENGTH;
    case NODE_COMPARISON:
    case NODE_LIST_SPLAT:
    case NODE_DICTIONARY_SPLAT:
        return BITOR_STRENGTH;
    case NODE_CONDITIONAL:
    case NODE_FOR_IN_CLAUSE:
    case NODE_IF_CLAUSE:
    case NODE_INTERPOLATION:
        return OR_STRENGTH;
    case NODE_ARGUMENT_LIST:
    case NODE_LIST:
    case NODE_TUPLE:
    case NODE_IF:
    case NODE_ELIF:
    case NODE_WHILE:
        return NAMED_STRENGTH;
    case NODE_PARENTHESIZED:
    case NODE_ASSIGNMENT:
    case NODE_AUGMENTED_ASSIGNMENT:
    case NODE_RETURN:
    case NODE_EXPRESSION_STATEMENT:
        return LIST_STRENGTH;
    default:
        return LAMBDA_STRENGTH;
    }
}

static bool opens(const struct nodes *ns, uint32_t i)
{
    return is_token(ns, i, "(") || is_token(ns, i, "[") || is_token(ns, i, "{");
}

static bool closes(const struct nodes *ns, uint32_t i)
{
    return is_token(ns, i, ")") || is_token(ns, i, "]") || is_token(ns, i, "}");
}

bool spans_lines(const struct nodes *ns, uint32_t node)
{
    struct span at = node_span(ns, node);
    uint32_t end = at.start, depth = 0;

    if (!memchr(ns->text.data + at.start, '\n', span_len(at)))
        return false;
    for (uint32_t i = node; i < ns->at[node].past;) {
        struct span leaf = node_span(ns, i);
        bool whole = node_is(ns, i, NODE_STRING);

        if (!whole && ns->at[i].past > i + 1) {
            i++;
            continue;
        }
        if (depth == 0 && leaf.start > end &&
            memchr(ns->text.data + end, '\n', leaf.start - end))
            return true;
        if (opens(ns, i))
            depth++;
        else if (closes(ns, i) && depth)
            depth--;
        end = leaf.end;
        i = whole ? ns->at[i].past : i + 1;
    }
    return false;
}

static bool in_brackets(const struct nodes *ns, uint32_t node)
{
    for (node = node_parent(ns, node);
         node != NODE_NONE && !node_is_statement(ns, node);
         node = node_parent(ns, node))
        switch (node_kind(ns, node)) {
        case NODE_ARGUMENT_LIST:
        case NODE_PARENTHESIZED:
        case NODE_LIST:
        case NODE_SET:
        case NODE_TUPLE:
        case NODE_DICTIONARY:
        case NODE_PARAMETERS:
        case NODE_LIST_COMPREHENSION:
        case NODE_SET_COMPREHENSION:
        case NODE_DICTIONARY_COMPREHENSION:
        case NODE_GENERATOR_EXPRESSION:
            return true;
        }
    return false;
}

/* Whether a set or dictionary would begin at the brace of an f-string, `{{`,
 * which is a character there. */
static bool doubles_brace(const struct nodes *ns, uint32_t place,
                          uint32_t expression)
{
    uint32_t start = node_span(ns, place).start, above;

    if (start == 0 || ns->text.data[start - 1] != '{' ||
        ns->text.data[node_span(ns, expression).start] != '{')
        return false;
    above = node_above(ns, place, NODE_INTERPOLATION);
    return above != NODE_NONE && node_span(ns, above).start == start - 1;
}

bool needs_brackets(const struct nodes *ns, uint32_t place, uint32_t expression)
{
    enum strength have = strength_of(ns, expression);
    enum strength asked = strength_asked(ns, place);

    if (have < asked || doubles_brace(ns, place, expression))
        return true;
    if (have == NAMED_STRENGTH && asked != NAMED_STRENGTH)
        return !node_is(ns, node_parent(ns, place), NODE_PARENTHESIZED);
    return spans_lines(ns, expression) && !in_brackets(ns, place);
}

void draft_narrow(struct draft *d, uint32_t place, uint32_t part)
{
    struct span all = node_span(d->ns, place), at = node_span(d->ns, part);
    bool brackets = needs_brackets(d->ns, place, part);

    draft_replaces(d, (struct span){ all.start, at.start },
                   brackets ? "(" : "");
    draft_replaces(d, (struct span){ at.end, all.end }, brackets ? ")" : "");
}

void draft_put(struct draft *d, uint32_t place, uint32_t expression)
{
    struct bytes text = node_text(d->ns, expression);
    bool brackets = needs_brackets(d->ns, place, expression);
    char *own = between(brackets ? "(" : "", text, brackets ? ")" : "");

    d->carries = true;
    draft_replace_taken(d, node_span(d->ns, place), own,
                        text.len + (brackets ? 2 : 0));
}

/* `5.real` is no attribute of 5, and `-1 ** 2` no power of -1. */
void draft_put_literal(struct draft *d, uint32_t place, const char *text)
{
    enum strength asked = strength_asked(d->ns, place);
    bool digits = text[strspn(text, "0123456789")] == '\0';
    bool brackets = text[0] == '-'
                        ? asked > UNARY_STRENGTH
                        : digits && node_is(d->ns, node_parent(d->ns, place),
                                            NODE_ATTRIBUTE);
    struct bytes bytes = bytes_of(text, strlen(text));

    draft_replace_taken(
        d, node_span(d->ns, place),
        between(brackets ? "(" : "", bytes, brackets ? ")" : ""),
        bytes.len + (brackets ? 2 : 0));
}

uint32_t expression_at(const struct nodes *ns, struct span at)
{
    uint32_t i = node_from(ns, at.start);

    for (; i < ns->n && node_span(ns, i).start == at.start; i++)
        if (node_span(ns, i).end == at.end && is_expression(ns, i))
            return i;
    return NODE_NONE;
}

bool is_literal(const struct nodes *ns, uint32_t node)
{
    struct bytes text;

    if (node == NODE_NONE)
        return false;
    switch (node_kind(ns, node)) {
    case NODE_INTEGER:
    case NODE_FLOAT:
    case NODE_TRUE_NAME:
    case NODE_FALSE_NAME:
    case NODE_NONE_NAME:
    case NODE_ELLIPSIS:
        return true;
    case NODE_UNARY_OPERATOR:
        node = node_field(ns, node, FIELD_argument);
        return node_is(ns, node, NODE_INTEGER) || node_is(ns, node, NODE_FLOAT);
    case NODE_STRING:
        text = node_text(ns, node);
        return node_child_of(ns, node, NODE_INTERPOLATION) == NODE_NONE &&
               !memchr(text.data, '\n', text.len) &&
               !memchr(text.data, '\r', text.len) &&
               !memchr(text.data, 0, text.len);
    default:
        return false;
    }
}

bool is_dotted(const struct nodes *ns, uint32_t node)
{
    while (node_is(ns, node, NODE_ATTRIBUTE))
        node = node_field(ns, node, FIELD_object);
    return node_is(ns, node, NODE_IDENTIFIER);
}

/* Displays in targets (`with a as (b, [c, d])`) seldom nest deeper. */
#define TARGETS_MAX 8

static bool is_with_target(const struct nodes *ns, uint32_t node)
{
    for (int i = 0; i < TARGETS_MAX; i++) {
        node = node_parent(ns, node);
        if (node_is(ns, node, NODE_AS_PATTERN_TARGET))
            return true;
        if (!node_is(ns, node, NODE_TUPLE) && !node_is(ns, node, NODE_LIST) &&
            !node_is(ns, node, NODE_LIST_SPLAT))
            return false;
    }
    return false;
}

/* Identifiers that only look like expressions. */
static bool is_bare_name(const struct nodes *ns, uint32_t node)
{
    unsigned field = ns->at[node].field;
    uint32_t parent = node_parent(ns, node);

    if (parent == NODE_NONE)
        return false;
    switch (node_kind(ns, parent)) {
    case NODE_FUNCTION:
    case NODE_CLASS:
    case NODE_DEFAULT_PARAMETER:
    case NODE_TYPED_DEFAULT_PARAMETER:
    case NODE_KEYWORD_ARGUMENT:
    case NODE_NAMED_EXPRESSION:
        return field == FIELD_name;
    case NODE_ATTRIBUTE:
        return field == FIELD_attribute;
    case NODE_PARAMETERS:
    case NODE_LAMBDA_PARAMETERS:
    case NODE_TYPED_PARAMETER:
    case NODE_LIST_SPLAT_PATTERN:
    case NODE_DICTIONARY_SPLAT_PATTERN:
    case NODE_DOTTED_NAME:
    case NODE_GLOBAL:
    case NODE_NONLOCAL:
    case NODE_ALIASED_IMPORT:
    case NODE_PATTERN_LIST:
    case NODE_AS_PATTERN_TARGET:
    case NODE_KEYWORD_PATTERN:
    case NODE_SPLAT_PATTERN:
    case NODE_CASE_PATTERN:
    case NODE_TUPLE_PATTERN:
    case NODE_LIST_PATTERN:
        return true;
    case NODE_ASSIGNMENT:
    case NODE_AUGMENTED_ASSIGNMENT:
    case NODE_FOR:
    case NODE_FOR_IN_CLAUSE:
        return field == FIELD_left;
    case NODE_TUPLE:
    case NODE_LIST:
    case NODE_LIST_SPLAT:
        return is_with_target(ns, node);
    default:
        return false;
    }
}

bool is_expression(const struct nodes *ns, uint32_t node)
{
    if (node_parent(ns, node) == NODE_NONE || is_bare_name(ns, node))
        return false;
    switch (node_kind(ns, node)) {
    case NODE_IDENTIFIER:
    case NODE_NAMED_EXPRESSION:
    case NODE_NOT_OPERATOR:
    case NODE_BOOLEAN_OPERATOR:
    case NODE_BINARY_OPERATOR:
    case NODE_UNARY_OPERATOR:
    case NODE_COMPARISON:
    case NODE_LAMBDA:
    case NODE_YIELD:
    case NODE_AWAIT:
    case NODE_ATTRIBUTE:
    case NODE_SUBSCRIPT:
    case NODE_CALL:
    case NODE_LIST:
    case NODE_SET:
    case NODE_TUPLE:
    case NODE_DICTIONARY:
    case NODE_LIST_COMPREHENSION:
    case NODE_DICTIONARY_COMPREHENSION:
    case NODE_SET_COMPREHENSION:
    case NODE_GENERATOR_EXPRESSION:
    case NODE_PARENTHESIZED:
    case NODE_CONDITIONAL:
    case NODE_CONCATENATED_STRING:
    case NODE_STRING:
    case NODE_INTEGER:
    case NODE_FLOAT:
    case NODE_TRUE_NAME:
    case NODE_FALSE_NAME:
    case NODE_NONE_NAME:
    case NODE_ELLIPSIS:
        return true;
    default:
        return false;
    }
}

bool is_targets(const struct nodes *ns, uint32_t node)
{
    if (node_is(ns, node, NODE_AS_PATTERN_TARGET))
        return false;
    return node_is(ns, node, NODE_PATTERN_LIST) ||
           node_is(ns, node, NODE_TUPLE_PATTERN) ||
           node_is(ns, node, NODE_LIST_PATTERN) ||
           node_is(ns, node, NODE_TUPLE) || node_is(ns, node, NODE_LIST);
}

bool has_star(const struct nodes *ns, uint32_t series)
{
    return node_child_of(ns, series, NODE_LIST_SPLAT) != NODE_NONE ||
           node_child_of(ns, series, NODE_LIST_SPLAT_PATTERN) != NODE_NONE;
}
