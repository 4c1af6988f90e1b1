/* Names and where they are used.
 *
 * One pass over the nodes in text order: a parent, visited before its
 * children, writes into two arrays what they are to know, the scope they
 * stand in and what an identifier there does. Identifiers become uses (scope,
 * name, role), binding ones enter the table of bindings. When all bindings are
 * known a second pass over the uses finds the symbol of each, climbing the
 * scopes. Symbols and names keep their uses in one array, grouped.
 *
 * Tables are open hash tables from a 64-bit key to a 32-bit value. */
#include "grammar/scope.h"

#include <stdlib.h>
#include <string.h>

#include "config/hash.h"
#include "config/mem.h"
#include "grammar/node.h"

#define NONE UINT32_MAX

enum scope_kind {
    SCOPE_MODULE,
    SCOPE_FUNCTION, /* also lambda, and the scope of type parameters */
    SCOPE_CLASS,
    SCOPE_COMPREHENSION,
};

struct scope {
    enum scope_kind kind;
    uint32_t parent;
};

/* What an identifier does where it stands, told by its parent. */
enum duty {
    DUTY_LOAD,
    DUTY_BIND, /* a target: handed down through tuples and lists */
    DUTY_AUGMENT,
    DUTY_DELETE,
    DUTY_GLOBAL,
    DUTY_NONLOCAL,
    DUTY_WALRUS,
    DUTY_PATTERN, /* of match: a bare dotted name binds */
    DUTY_TYPE_PARAMETER,
    DUTY_ATTRIBUTE,
    DUTY_KEYWORD,
    DUTY_NOTHING, /* part of a module's name */
};

/* One identifier that is a name, before its symbol is known. */
struct use {
    struct span at;
    uint32_t name, scope;
    uint8_t duty;
};

struct table {
    struct slot {
        uint64_t key;
        uint32_t value;
        bool taken;
    } * slots;
    size_t n, room;
};

struct symbol {
    uint32_t name, first, n;
    unsigned roles; /* OCC_BIT() of each */
    bool bound;
};

/* Spans by name: attributes and keywords. */
struct mentions {
    struct span *spans; /* grouped by name, in text order */
    uint32_t *first;    /* by name, one more than there are names */
    struct use *raw;
    size_t n, room;
};

struct scopes {
    struct bytes text;
    struct span *names; /* one place where each name stands */
    size_t nnames, names_room;
    struct table name_ids;
    struct symbol *symbols;
    size_t nsymbols, symbols_room;
    struct occurrence *all;     /* in text order */
    struct occurrence *grouped; /* by symbol, in text order */
    size_t nall;
    struct mentions attributes, keywords;
    bool opaque;
};

/* What only building needs. */
struct build {
    struct scopes *out;
    const struct nodes *ns;
    uint32_t *scope_of; /* by node */
    uint8_t *duty_of;
    struct scope *scopes;
    size_t nscopes, scopes_room;
    struct use *uses;
    size_t nuses, uses_room;
    struct table declared; /* (scope, name) -> DUTY_GLOBAL or _NONLOCAL */
    struct table symbols;  /* (scope, name) -> symbol */
};

/* Tables. */

static uint64_t mix(uint64_t key)
{
    key ^= key >> 33;
    key *= 0xff51afd7ed558ccdULL;
    key ^= key >> 33;
    return key;
}

static struct slot *table_slot(const struct table *table, uint64_t key)
{
    size_t i = (size_t)mix(key) & (table->room - 1);

    while (table->slots[i].taken && table->slots[i].key != key)
        i = (i + 1) & (table->room - 1);
    return &table->slots[i];
}

static void table_grow(struct table *table)
{
    struct table old = *table;

    table->room = old.room > 0 ? old.room * 2 : 64;
    table->slots = xcalloc(table->room, sizeof(*table->slots));
    for (size_t i = 0; i < old.room; i++)
        if (old.slots[i].taken)
            *table_slot(table, old.slots[i].key) = old.slots[i];
    free(old.slots);
}

static uint32_t table_get(const struct table *table, uint64_t key)
{
    if (table->room == 0)
        return NONE;
    const struct slot *slot = table_slot(table, key);
    return slot->taken ? slot->value : NONE;
}

static void table_put(struct table *table, uint64_t key, uint32_t value)
{
    if (2 * table->n >= table->room)
        table_grow(table);
    struct slot *slot = table_slot(table, key);
    table->n += !slot->taken;
    *slot = (struct slot){ key, value, true };
}

static uint64_t pair_key(uint32_t scope, uint32_t name)
{
    return (uint64_t)scope << 32 | name;
}

/* Names are found by a hash of their bytes; different names of one hash take
 * the next keys. */
static uint32_t name_find(const struct scopes *s, struct bytes name,
                          uint64_t *key)
{
    *key = hash_bytes(name.data, name.len).low;
    for (;; (*key)++) {
        uint32_t id = table_get(&s->name_ids, *key);
        if (id == NONE)
            return NONE;
        if (span_len(s->names[id]) == name.len &&
            memcmp(s->text.data + s->names[id].start, name.data, name.len) == 0)
            return id;
    }
}

static uint32_t name_id(struct scopes *s, struct span at)
{
    uint64_t key;
    uint32_t id =
        name_find(s, bytes_of(s->text.data + at.start, span_len(at)), &key);

    if (id != NONE)
        return id;
    xgrow(&s->names, &s->names_room, s->nnames + 1, sizeof(*s->names));
    s->names[s->nnames] = at;
    table_put(&s->name_ids, key, (uint32_t)s->nnames);
    return (uint32_t)s->nnames++;
}

/* Pass one: scopes and duties. */

static uint32_t scope_add(struct build *b, enum scope_kind kind,
                          uint32_t parent)
{
    xgrow(&b->scopes, &b->scopes_room, b->nscopes + 1, sizeof(*b->scopes));
    b->scopes[b->nscopes] = (struct scope){ kind, parent };
    return (uint32_t)b->nscopes++;
}

static void set_duty(struct build *b, uint32_t i, enum duty duty)
{
    if (i != NODE_NONE)
        b->duty_of[i] = (uint8_t)duty;
}

static void set_field_duty(struct build *b, uint32_t i, enum node_field field,
                           enum duty duty)
{
    set_duty(b, node_field(b->ns, i, field), duty);
}

static void set_scope(struct build *b, uint32_t i, uint32_t scope)
{
    if (i != NODE_NONE)
        b->scope_of[i] = scope;
}

/* All children of i get the scope and the duty that i has. */
static void hand_down(struct build *b, uint32_t i)
{
    for (uint32_t c = node_child(b->ns, i); c != NODE_NONE;
         c = node_sibling(b->ns, c)) {
        b->scope_of[c] = b->scope_of[i];
        b->duty_of[c] = DUTY_LOAD;
    }
}

static void children_duty(struct build *b, uint32_t i, enum duty duty)
{
    for (uint32_t c = node_named_child(b->ns, i); c != NODE_NONE;
         c = node_named_sibling(b->ns, c))
        set_duty(b, c, duty);
}

/* A function, lambda or class: who of its children lives outside? */
static void see_definition(struct build *b, uint32_t i, enum scope_kind kind)
{
    const struct nodes *ns = b->ns;
    uint32_t outer = b->scope_of[i];
    uint32_t types = node_field(ns, i, FIELD_type_parameters);

    set_field_duty(b, i, FIELD_name, DUTY_BIND);
    if (types != NODE_NONE) {
        uint32_t name = node_field(ns, i, FIELD_name);
        uint32_t scope = scope_add(b, SCOPE_FUNCTION, outer);
        for (uint32_t c = node_child(ns, i); c != NODE_NONE;
             c = node_sibling(ns, c))
            if (c != name)
                set_scope(b, c, scope);
        children_duty(b, i, DUTY_LOAD);
        set_duty(b, name, DUTY_BIND);
        set_duty(b, types, DUTY_TYPE_PARAMETER);
        outer = scope;
    }
    uint32_t inner = scope_add(b, kind, outer);
    set_scope(b, node_field(ns, i, FIELD_parameters), inner);
    set_scope(b, node_field(ns, i, FIELD_body), inner);
}

/* Comprehension: its own scope, but for the first iterable. */
static void see_comprehension(struct build *b, uint32_t i)
{
    uint32_t outer = b->scope_of[i];
    uint32_t inner = scope_add(b, SCOPE_COMPREHENSION, outer);

    for (uint32_t c = node_child(b->ns, i); c != NODE_NONE;
         c = node_sibling(b->ns, c))
        set_scope(b, c, inner);
}

static bool is_comprehension(const struct nodes *ns, uint32_t i)
{
    return node_is(ns, i, NODE_LIST_COMPREHENSION) ||
           node_is(ns, i, NODE_DICTIONARY_COMPREHENSION) ||
           node_is(ns, i, NODE_SET_COMPREHENSION) ||
           node_is(ns, i, NODE_GENERATOR_EXPRESSION);
}

static void see_for_in(struct build *b, uint32_t i)
{
    uint32_t parent = node_parent(b->ns, i);

    set_field_duty(b, i, FIELD_left, DUTY_BIND);
    if (is_comprehension(b->ns, parent) &&
        node_child_of(b->ns, parent, NODE_FOR_IN_CLAUSE) == i)
        set_scope(b, node_field(b->ns, i, FIELD_right),
                  b->scopes[b->scope_of[i]].parent);
}

static void see_import(struct build *b, uint32_t i)
{
    for (uint32_t c = node_named_child(b->ns, i); c != NODE_NONE;
         c = node_named_sibling(b->ns, c)) {
        bool module = b->ns->at[c].field == FIELD_module_name;
        set_duty(b, c, module ? DUTY_NOTHING : DUTY_BIND);
        b->out->opaque |= node_is(b->ns, c, NODE_WILDCARD_IMPORT);
    }
}

/* a.b.c: who of the names is a name? */
static void see_dotted_name(struct build *b, uint32_t i)
{
    uint32_t first = node_named_child(b->ns, i);
    enum duty duty = (enum duty)b->duty_of[i];
    enum duty rest = duty == DUTY_LOAD ? DUTY_ATTRIBUTE : DUTY_NOTHING;

    if (first == NODE_NONE)
        return;
    if (duty == DUTY_PATTERN) {
        bool dotted = node_named_sibling(b->ns, first) != NODE_NONE;
        duty = dotted ? DUTY_LOAD : DUTY_BIND;
        rest = DUTY_ATTRIBUTE;
    }
    children_duty(b, i, rest);
    set_duty(b, first, duty);
}

/* What stands in defaults and annotations belongs to the outer scope. */
static void see_parameter(struct build *b, uint32_t i)
{
    const struct nodes *ns = b->ns;
    uint32_t outer = b->scopes[b->scope_of[i]].parent;
    uint32_t name = node_named_child(ns, i);

    if (b->duty_of[i] != DUTY_BIND)
        return;
    for (uint32_t c = node_child(ns, i); c != NODE_NONE;
         c = node_sibling(ns, c))
        if (c != name)
            set_scope(b, c, outer);
    set_duty(b, name, DUTY_BIND);
}

/* Nodes that only group targets, patterns and type parameters. */
static void see_group(struct build *b, uint32_t i)
{
    enum duty duty = (enum duty)b->duty_of[i];

    if (duty == DUTY_BIND || duty == DUTY_DELETE || duty == DUTY_PATTERN ||
        duty == DUTY_TYPE_PARAMETER)
        children_duty(b, i, duty);
}

static void see_type(struct build *b, uint32_t i)
{
    if (b->duty_of[i] != DUTY_TYPE_PARAMETER)
        return;
    set_duty(b, node_named_child(b->ns, i), DUTY_TYPE_PARAMETER);
    if (node_is(b->ns, i, NODE_GENERIC_TYPE))
        children_duty(b, i, DUTY_TYPE_PARAMETER);
}

/* `type Name[K] = ...`: the parameters live in the alias alone. */
static void see_type_alias(struct build *b, uint32_t i)
{
    uint32_t left = node_field(b->ns, i, FIELD_left);
    uint32_t generic = left == NODE_NONE ? left : node_named_child(b->ns, left);

    if (!node_is(b->ns, generic, NODE_GENERIC_TYPE)) {
        set_duty(b, left, DUTY_TYPE_PARAMETER);
        return;
    }
    set_scope(b, node_field(b->ns, i, FIELD_right),
              scope_add(b, SCOPE_FUNCTION, b->scope_of[i]));
    set_duty(b, left, DUTY_TYPE_PARAMETER);
}

/* The name of a generic alias binds outside, its parameters inside. */
static void see_generic_type(struct build *b, uint32_t i)
{
    uint32_t type = node_parent(b->ns, i);
    uint32_t alias = node_parent(b->ns, type);

    see_type(b, i);
    if (b->duty_of[i] != DUTY_TYPE_PARAMETER ||
        !node_is(b->ns, alias, NODE_TYPE_ALIAS))
        return;
    uint32_t right = node_field(b->ns, alias, FIELD_right);
    uint32_t parameters = node_child_of(b->ns, i, NODE_TYPE_PARAMETER);
    if (right != NODE_NONE && parameters != NODE_NONE)
        set_scope(b, parameters, b->scope_of[right]);
}

static void see_match_name(struct build *b, uint32_t i)
{
    if (b->duty_of[i] != DUTY_PATTERN)
        return;
    children_duty(b, i, DUTY_PATTERN);
    uint32_t first = node_named_child(b->ns, i);
    if (node_is(b->ns, i, NODE_KEYWORD_PATTERN))
        set_duty(b, first, DUTY_ATTRIBUTE);
    else /* the class of a class pattern */
        set_duty(b, first, DUTY_LOAD);
}

static void use_add(struct build *b, uint32_t i, enum duty duty)
{
    struct use use = { .at = node_span(b->ns, i),
                       .name = name_id(b->out, node_span(b->ns, i)),
                       .scope = b->scope_of[i],
                       .duty = (uint8_t)duty };

    if (duty == DUTY_WALRUS) {
        while (b->scopes[use.scope].kind == SCOPE_COMPREHENSION)
            use.scope = b->scopes[use.scope].parent;
        use.duty = DUTY_BIND;
    }
    if (duty == DUTY_GLOBAL || duty == DUTY_NONLOCAL)
        table_put(&b->declared, pair_key(use.scope, use.name), use.duty);
    xgrow(&b->uses, &b->uses_room, b->nuses + 1, sizeof(*b->uses));
    b->uses[b->nuses++] = use;
}

static void mention_add(struct build *b, struct mentions *m, uint32_t i)
{
    xgrow(&m->raw, &m->room, m->n + 1, sizeof(*m->raw));
    m->raw[m->n++] =
        (struct use){ .at = node_span(b->ns, i),
                      .name = name_id(b->out, node_span(b->ns, i)) };
}

static void see_identifier(struct build *b, uint32_t i)
{
    enum duty duty = (enum duty)b->duty_of[i];

    if (b->ns->at[i].missing || span_len(node_span(b->ns, i)) == 0)
        return;
    if (duty == DUTY_ATTRIBUTE)
        mention_add(b, &b->out->attributes, i);
    else if (duty == DUTY_KEYWORD)
        mention_add(b, &b->out->keywords, i);
    else if (duty == DUTY_PATTERN || duty == DUTY_TYPE_PARAMETER)
        use_add(b, i, DUTY_BIND);
    else if (duty != DUTY_NOTHING)
        use_add(b, i, duty);
}

/* Patterns of match, annotations, and what only groups targets. */
static void see_pattern_or_type(struct build *b, uint32_t i)
{
    switch (node_kind(b->ns, i)) {
    case NODE_CASE:
        for (uint32_t c = node_named_child(b->ns, i);
             node_is(b->ns, c, NODE_CASE_PATTERN);
             c = node_named_sibling(b->ns, c))
            set_duty(b, c, DUTY_PATTERN);
        break;
    case NODE_AS_PATTERN:
        see_group(b, i);
        set_field_duty(b, i, FIELD_alias, DUTY_BIND);
        break;
    case NODE_CLASS_PATTERN:
    case NODE_KEYWORD_PATTERN:
        see_match_name(b, i);
        break;
    case NODE_TYPE_ALIAS:
        see_type_alias(b, i);
        break;
    case NODE_GENERIC_TYPE:
        see_generic_type(b, i);
        break;
    case NODE_TYPE:
    case NODE_SPLAT_TYPE:
    case NODE_CONSTRAINED_TYPE:
        see_type(b, i);
        break;
    case NODE_PATTERN_LIST:
    case NODE_TUPLE_PATTERN:
    case NODE_LIST_PATTERN:
    case NODE_LIST_SPLAT_PATTERN:
    case NODE_DICTIONARY_SPLAT_PATTERN:
    case NODE_TUPLE:
    case NODE_LIST:
    case NODE_LIST_SPLAT:
    case NODE_PARENTHESIZED:
    case NODE_EXPRESSION_LIST:
    case NODE_AS_PATTERN_TARGET:
    case NODE_CASE_PATTERN:
    case NODE_UNION_PATTERN:
    case NODE_DICT_PATTERN:
    case NODE_SPLAT_PATTERN:
    case NODE_TYPE_PARAMETER:
        see_group(b, i);
        break;
    default:
        break;
    }
}

/* Names that are parts of something, parameters. */
static void see_name(struct build *b, uint32_t i)
{
    switch (node_kind(b->ns, i)) {
    case NODE_DOTTED_NAME:
        see_dotted_name(b, i);
        break;
    case NODE_ATTRIBUTE:
        set_field_duty(b, i, FIELD_attribute, DUTY_ATTRIBUTE);
        break;
    case NODE_MEMBER_TYPE:
        children_duty(b, i, DUTY_ATTRIBUTE);
        set_duty(b, node_named_child(b->ns, i), DUTY_LOAD);
        break;
    case NODE_KEYWORD_ARGUMENT:
        set_field_duty(b, i, FIELD_name, DUTY_KEYWORD);
        break;
    case NODE_PARAMETERS:
    case NODE_LAMBDA_PARAMETERS:
        children_duty(b, i, DUTY_BIND); /* in the inner scope */
        break;
    case NODE_DEFAULT_PARAMETER:
    case NODE_TYPED_PARAMETER:
    case NODE_TYPED_DEFAULT_PARAMETER:
        see_parameter(b, i);
        break;
    default:
        see_pattern_or_type(b, i);
        break;
    }
}

/* Statements and expressions that bind. */
static void see_binding(struct build *b, uint32_t i)
{
    switch (node_kind(b->ns, i)) {
    case NODE_FOR:
    case NODE_ASSIGNMENT:
        set_field_duty(b, i, FIELD_left, DUTY_BIND);
        break;
    case NODE_AUGMENTED_ASSIGNMENT:
        set_field_duty(b, i, FIELD_left, DUTY_AUGMENT);
        break;
    case NODE_NAMED_EXPRESSION:
        set_field_duty(b, i, FIELD_name, DUTY_WALRUS);
        break;
    case NODE_DELETE:
        children_duty(b, i, DUTY_DELETE);
        break;
    case NODE_GLOBAL:
        children_duty(b, i, DUTY_GLOBAL);
        break;
    case NODE_NONLOCAL:
        children_duty(b, i, DUTY_NONLOCAL);
        break;
    case NODE_IMPORT:
    case NODE_IMPORT_FROM:
    case NODE_FUTURE_IMPORT:
        see_import(b, i);
        break;
    case NODE_ALIASED_IMPORT:
        children_duty(b, i, DUTY_NOTHING);
        set_field_duty(b, i, FIELD_alias, DUTY_BIND);
        break;
    case NODE_RELATIVE_IMPORT:
        children_duty(b, i, DUTY_NOTHING);
        break;
    default:
        see_name(b, i);
        break;
    }
}

/* What makes a scope, and the identifiers themselves. */
static void see_node(struct build *b, uint32_t i)
{
    switch (node_kind(b->ns, i)) {
    case NODE_IDENTIFIER:
        see_identifier(b, i);
        break;
    case NODE_FUNCTION:
    case NODE_LAMBDA:
        see_definition(b, i, SCOPE_FUNCTION);
        break;
    case NODE_CLASS:
        see_definition(b, i, SCOPE_CLASS);
        break;
    case NODE_LIST_COMPREHENSION:
    case NODE_DICTIONARY_COMPREHENSION:
    case NODE_SET_COMPREHENSION:
    case NODE_GENERATOR_EXPRESSION:
        see_comprehension(b, i);
        break;
    case NODE_FOR_IN_CLAUSE:
        see_for_in(b, i);
        break;
    default:
        see_binding(b, i);
        break;
    }
}

/* Pass two: symbols. */

static uint32_t symbol_of(struct build *b, uint32_t scope, uint32_t name,
                          bool bound)
{
    struct scopes *s = b->out;
    uint64_t key = pair_key(scope, name);
    uint32_t id = table_get(&b->symbols, key);

    if (id != NONE)
        return id;
    xgrow(&s->symbols, &s->symbols_room, s->nsymbols + 1, sizeof(*s->symbols));
    s->symbols[s->nsymbols] = (struct symbol){ .name = name, .bound = bound };
    table_put(&b->symbols, key, (uint32_t)s->nsymbols);
    return (uint32_t)s->nsymbols++;
}

static bool duty_binds(unsigned duty)
{
    return duty == DUTY_BIND || duty == DUTY_AUGMENT || duty == DUTY_DELETE;
}

/* Bindings first, so that a use above its binding finds it. */
static void bind_all(struct build *b)
{
    for (size_t i = 0; i < b->nuses; i++) {
        const struct use *use = &b->uses[i];
        uint32_t declared =
            table_get(&b->declared, pair_key(use->scope, use->name));

        if (declared == DUTY_GLOBAL)
            symbol_of(b, 0, use->name, true);
        else if (duty_binds(use->duty) && declared == NONE)
            symbol_of(b, use->scope, use->name, true);
    }
}

static uint32_t resolve(struct build *b, const struct use *use)
{
    uint32_t scope = use->scope;
    uint32_t declared = table_get(&b->declared, pair_key(scope, use->name));

    if (declared == DUTY_GLOBAL)
        return symbol_of(b, 0, use->name, true);
    for (uint32_t up = scope; up != NONE; up = b->scopes[up].parent) {
        if (up != scope && b->scopes[up].kind == SCOPE_CLASS)
            continue;
        if (table_get(&b->declared, pair_key(up, use->name)) == DUTY_GLOBAL)
            return symbol_of(b, 0, use->name, true);
        uint32_t id = table_get(&b->symbols, pair_key(up, use->name));
        if (id != NONE)
            return id;
    }
    return symbol_of(b, NONE, use->name, false);
}

static enum occurrence_role role_of(unsigned duty)
{
    switch (duty) {
    case DUTY_BIND:
        return OCC_BIND;
    case DUTY_AUGMENT:
        return OCC_AUGMENT;
    case DUTY_DELETE:
        return OCC_DELETE;
    case DUTY_GLOBAL:
    case DUTY_NONLOCAL:
        return OCC_DECLARE;
    default:
        return OCC_LOAD;
    }
}

static void resolve_all(struct build *b)
{
    struct scopes *s = b->out;

    s->nall = b->nuses;
    s->all = xcalloc(s->nall + 1, sizeof(*s->all));
    s->grouped = xcalloc(s->nall + 1, sizeof(*s->grouped));
    for (size_t i = 0; i < s->nall; i++) {
        uint32_t id = resolve(b, &b->uses[i]);
        s->all[i] =
            (struct occurrence){ b->uses[i].at, id, role_of(b->uses[i].duty) };
        s->symbols[id].n++;
    }
    uint32_t first = 0;
    for (size_t i = 0; i < s->nsymbols; i++) {
        s->symbols[i].first = first;
        first += s->symbols[i].n;
        s->symbols[i].n = 0;
    }
    for (size_t i = 0; i < s->nall; i++) {
        struct symbol *symbol = &s->symbols[s->all[i].symbol];
        s->grouped[symbol->first + symbol->n++] = s->all[i];
        symbol->roles |= OCC_BIT(s->all[i].role);
    }
}

static void mentions_group(struct mentions *m, size_t nnames)
{
    m->first = xcalloc(nnames + 2, sizeof(*m->first));
    m->spans = xcalloc(m->n + 1, sizeof(*m->spans));
    for (size_t i = 0; i < m->n; i++)
        m->first[m->raw[i].name + 2]++;
    for (size_t i = 2; i < nnames + 2; i++)
        m->first[i] += m->first[i - 1];
    for (size_t i = 0; i < m->n; i++)
        m->spans[m->first[m->raw[i].name + 1]++] = m->raw[i].at;
}

/* A builtin that sees or makes names behind our back. */
static void find_opaque(struct scopes *s)
{
    static const char *const builtins[] = { "exec", "eval", "globals", "locals",
                                            "vars" };

    for (size_t i = 0; i < ARRAY_LEN(builtins); i++) {
        uint64_t key;
        uint32_t id =
            name_find(s, bytes_of(builtins[i], strlen(builtins[i])), &key);
        for (size_t j = 0; id != NONE && j < s->nsymbols; j++)
            s->opaque |= s->symbols[j].name == id && !s->symbols[j].bound;
    }
}

struct scopes *scopes_new(const struct tree *tree)
{
    struct scopes *s = xcalloc(1, sizeof(*s));
    struct build b = { .out = s, .ns = tree_nodes(tree) };

    s->text = tree_text(tree);
    b.scope_of = xcalloc(b.ns->n, sizeof(*b.scope_of));
    b.duty_of = xcalloc(b.ns->n, sizeof(*b.duty_of));
    scope_add(&b, SCOPE_MODULE, NONE);
    for (uint32_t i = 0; i < b.ns->n; i++) {
        hand_down(&b, i);
        see_node(&b, i);
    }
    bind_all(&b);
    resolve_all(&b);
    mentions_group(&s->attributes, s->nnames);
    mentions_group(&s->keywords, s->nnames);
    find_opaque(s);
    free(b.scope_of);
    free(b.duty_of);
    free(b.scopes);
    free(b.uses);
    free(b.declared.slots);
    free(b.symbols.slots);
    return s;
}

static void mentions_free(struct mentions *m)
{
    free(m->spans);
    free(m->first);
    free(m->raw);
}

void scopes_free(struct scopes *scopes)
{
    if (!scopes)
        return;
    mentions_free(&scopes->attributes);
    mentions_free(&scopes->keywords);
    free(scopes->names);
    free(scopes->name_ids.slots);
    free(scopes->symbols);
    free(scopes->all);
    free(scopes->grouped);
    free(scopes);
}

uint32_t scopes_symbol_at(const struct scopes *scopes, uint32_t start)
{
    size_t low;

    BISECT(low, 0, scopes->nall, scopes->all[low].at.start < start);
    if (low < scopes->nall && scopes->all[low].at.start == start)
        return scopes->all[low].symbol;
    return SYMBOL_NONE;
}

uint32_t scopes_symbols(const struct scopes *scopes)
{
    return (uint32_t)scopes->nsymbols;
}

const struct occurrence *symbol_occurrences(const struct scopes *scopes,
                                            uint32_t symbol, size_t *n)
{
    *n = scopes->symbols[symbol].n;
    return scopes->grouped + scopes->symbols[symbol].first;
}

struct bytes symbol_name(const struct scopes *scopes, uint32_t symbol)
{
    struct span at = scopes->names[scopes->symbols[symbol].name];

    return bytes_of(scopes->text.data + at.start, span_len(at));
}

bool symbol_bound(const struct scopes *scopes, uint32_t symbol)
{
    return scopes->symbols[symbol].bound;
}

bool symbol_occurs(const struct scopes *scopes, uint32_t symbol, unsigned roles)
{
    return symbol != SYMBOL_NONE && (scopes->symbols[symbol].roles & roles);
}

bool scopes_opaque(const struct scopes *scopes)
{
    return scopes->opaque;
}

static const struct span *mentions_of(const struct scopes *scopes,
                                      const struct mentions *m,
                                      struct bytes name, size_t *n)
{
    uint64_t key;
    uint32_t id = name_find(scopes, name, &key);

    *n = 0;
    if (id == NONE)
        return m->spans;
    *n = m->first[id + 1] - m->first[id];
    return m->spans + m->first[id];
}

const struct span *scopes_attributes(const struct scopes *scopes,
                                     struct bytes name, size_t *n)
{
    return mentions_of(scopes, &scopes->attributes, name, n);
}

const struct span *scopes_keywords(const struct scopes *scopes,
                                   struct bytes name, size_t *n)
{
    return mentions_of(scopes, &scopes->keywords, name, n);
}
