/* A text and its parse.
 *
 * The text is handed to tree-sitter in one piece. Which of two decoders reads
 * it is settled by its bytes: valid UTF-8, or else byte by byte with every
 * byte above 0x7f as a letter, so that a latin-1 name is one identifier. A
 * patched tree is parsed incrementally as long as both texts take the same
 * decoder. The flat array of nodes (node.h) is made when first asked for: the
 * many candidates whose errors alone are counted never pay for it. */
#include "grammar/tree.h"

#include <stdlib.h>
#include <string.h>
#include <tree_sitter/api.h>

#include "config/buf.h"
#include "config/mem.h"
#include "grammar/node.h"

const TSLanguage *tree_sitter_python(void);

/* More changes than this are not worth an incremental parse. */
#define INCREMENTAL_MAX 512

struct tree {
    unsigned refs; /* besides the first */
    char *text;
    size_t len;
    bool utf8;
    TSTree *ts;
    size_t errors;
    TSPoint first_error;
    struct nodes nodes; /* .at is NULL until asked for */
};

/* How many bytes the UTF-8 character at p takes; 0 when it is none. */
static size_t utf8_len(const unsigned char *p, size_t left)
{
    size_t len = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;

    if (len == 1)
        return 1;
    if (p[0] < 0xc2 || p[0] > 0xf4 || len > left)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
        (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
        return 0;
    return len;
}

static bool is_utf8(const char *text, size_t len)
{
    size_t step;

    for (size_t i = 0; i < len; i += step) {
        step = utf8_len((const unsigned char *)text + i, len - i);
        if (step == 0)
            return false;
    }
    return true;
}

static uint32_t decode_bytes(const uint8_t *string, uint32_t len,
                             int32_t *code_point)
{
    (void)len;
    *code_point = *string < 0x80 ? *string : 0xe9; /* a letter to Python */
    return 1;
}

static const char *read_text(void *payload, uint32_t at, TSPoint point,
                             uint32_t *len)
{
    const struct tree *tree = payload;

    (void)point;
    *len = at < tree->len ? (uint32_t)(tree->len - at) : 0;
    return *len > 0 ? tree->text + at : "";
}

static bool is_error(TSNode node)
{
    return ts_node_is_error(node) || ts_node_is_missing(node);
}

/* Count the errors; subtrees without one are not entered. */
static void count_errors(struct tree *tree)
{
    TSNode node = ts_tree_root_node(tree->ts);

    if (!ts_node_has_error(node))
        return;
    TSTreeCursor cursor = ts_tree_cursor_new(node);
    bool enter = true;
    for (;;) {
        node = ts_tree_cursor_current_node(&cursor);
        if (enter && is_error(node) && tree->errors++ == 0)
            tree->first_error = ts_node_start_point(node);
        if (enter && ts_node_has_error(node) &&
            ts_tree_cursor_goto_first_child(&cursor))
            continue;
        if (ts_tree_cursor_goto_next_sibling(&cursor))
            enter = true;
        else if (ts_tree_cursor_goto_parent(&cursor))
            enter = false;
        else
            break;
    }
    ts_tree_cursor_delete(&cursor);
}

/* Parse tree->text; `old` (edited to fit) or NULL. */
static void parse(struct tree *tree, const TSTree *old)
{
    TSParser *parser = ts_parser_new();
    TSInput input = { .payload = tree, .read = read_text };

    input.encoding = tree->utf8 ? TSInputEncodingUTF8 : TSInputEncodingCustom;
    input.decode = decode_bytes;
    if (!ts_parser_set_language(parser, tree_sitter_python()))
        abort(); /* the build linked a grammar that the core can't load */
    tree->ts = ts_parser_parse(parser, old, input);
    ts_parser_delete(parser);
    count_errors(tree);
}

struct tree *tree_parse(struct bytes text)
{
    struct tree *tree = xcalloc(1, sizeof(*tree));

    tree->text = xmemdup(text.data, text.len);
    tree->len = text.len;
    tree->utf8 = is_utf8(tree->text, tree->len);
    parse(tree, NULL);
    return tree;
}

/* Row and column of `at`, counted on from an earlier place. */
static TSPoint advance(TSPoint point, const char *text, uint32_t from,
                       uint32_t at)
{
    for (; from < at; from++) {
        point.column++;
        if (text[from] == '\n') {
            point.row++;
            point.column = 0;
        }
    }
    return point;
}

/* Tell the old parse what the patch does, in text order: all positions are
 * those of the text with the earlier changes made. */
static TSTree *edited_copy(const struct tree *base, const struct patch *patch)
{
    TSTree *old = ts_tree_copy(base->ts);
    TSPoint point = { 0, 0 };
    uint32_t done = 0;
    int64_t moved = 0;

    for (size_t i = 0; i < patch->n; i++) {
        const struct change *c = &patch->changes[i];
        TSInputEdit edit;

        point = advance(point, base->text, done, c->at.start);
        edit.start_byte = (uint32_t)(c->at.start + moved);
        edit.old_end_byte = (uint32_t)(c->at.end + moved);
        edit.new_end_byte = edit.start_byte + c->len;
        edit.start_point = point;
        edit.old_end_point = advance(point, base->text, c->at.start, c->at.end);
        point = advance(point, c->text, 0, c->len);
        edit.new_end_point = point;
        ts_tree_edit(old, &edit);
        done = c->at.end;
        moved += (int64_t)c->len - span_len(c->at);
    }
    return old;
}

struct tree *tree_patched(const struct tree *base, const struct patch *patch)
{
    struct tree *tree = xcalloc(1, sizeof(*tree));
    struct buf buf;

    buf_init(&buf, UINT32_MAX - 1);
    patch_apply(patch, tree_text(base), &buf);
    tree->text = buf.data ? buf_take(&buf, &tree->len) : xmemdup("", 0);
    tree->utf8 = is_utf8(tree->text, tree->len);
    if (tree->utf8 != base->utf8 || patch->n > INCREMENTAL_MAX) {
        parse(tree, NULL);
        return tree;
    }
    TSTree *old = edited_copy(base, patch);
    parse(tree, old);
    ts_tree_delete(old);
    return tree;
}

void tree_free(struct tree *tree)
{
    if (!tree || tree->refs-- > 0)
        return;
    ts_tree_delete(tree->ts);
    free((void *)tree->nodes.at);
    free(tree->text);
    free(tree);
}

struct tree *tree_share(struct tree *tree)
{
    tree->refs++;
    return tree;
}

struct bytes tree_text(const struct tree *tree)
{
    return bytes_of(tree->text, tree->len);
}

const TSTree *tree_ts(const struct tree *tree)
{
    return tree->ts;
}

size_t tree_errors(const struct tree *tree)
{
    return tree->errors;
}

void tree_first_error(const struct tree *tree, size_t *line, size_t *column)
{
    *line = tree->first_error.row + (size_t)1;
    *column = tree->first_error.column + (size_t)1;
}

uint32_t tree_bom_of(struct bytes text)
{
    return text.len >= 3 && memcmp(text.data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

void tree_statements(const struct tree *tree,
                     void (*out)(void *arg, uint32_t start, bool top),
                     void *arg)
{
    const struct nodes *ns = tree_nodes(tree);

    for (uint32_t i = 1; i < ns->n; i++) {
        bool top = node_parent(ns, i) == 0;

        if (top || (node_is(ns, node_parent(ns, i), NODE_BLOCK) &&
                    node_is_statement(ns, i)))
            out(arg, node_span(ns, i).start, top);
    }
}

uint32_t tree_bom(const struct tree *tree)
{
    return tree_bom_of(tree_text(tree));
}

/* The flat array. */

struct kind_name {
    const char *name;
    uint16_t kind;
    bool named;
};

#define NAMED_ROW(id, name) { name, NODE_##id, true },
#define TOKEN_ROW(id, name) { name, NODE_##id, false },
static const struct kind_name kind_names[] = { NODE_NAMED(NAMED_ROW)
                                                   NODE_TOKENS(TOKEN_ROW) };

#define FIELD_ROW(name) { #name, FIELD_##name },
static const struct {
    const char *name;
    uint8_t field;
} field_names[] = { NODE_FIELDS(FIELD_ROW) };

/* From the grammar's numbers to ours. */
struct kind_map {
    uint16_t *kinds; /* by TSSymbol */
    uint32_t nkinds;
    uint8_t *fields; /* by TSFieldId */
};

static uint16_t kind_of(const TSLanguage *language, TSSymbol symbol)
{
    TSSymbolType type = ts_language_symbol_type(language, symbol);
    const char *name = ts_language_symbol_name(language, symbol);

    for (size_t i = 0; name && i < ARRAY_LEN(kind_names); i++)
        if (kind_names[i].named == (type == TSSymbolTypeRegular) &&
            strcmp(kind_names[i].name, name) == 0)
            return kind_names[i].kind;
    return NODE_OTHER;
}

static void kind_map_init(struct kind_map *map)
{
    const TSLanguage *language = tree_sitter_python();

    map->nkinds = ts_language_symbol_count(language);
    map->kinds = xcalloc(map->nkinds, sizeof(*map->kinds));
    for (uint32_t i = 0; i < map->nkinds; i++)
        map->kinds[i] = kind_of(language, (TSSymbol)i);
    map->fields = xcalloc(ts_language_field_count(language) + (size_t)1, 1);
    for (size_t i = 0; i < ARRAY_LEN(field_names); i++) {
        const char *name = field_names[i].name;
        map->fields[ts_language_field_id_for_name(
            language, name, (uint32_t)strlen(name))] = field_names[i].field;
    }
    map->fields[0] = FIELD_NONE;
}

static void kind_map_deinit(struct kind_map *map)
{
    free(map->kinds);
    free(map->fields);
}

static struct node node_read(const struct kind_map *map,
                             const TSTreeCursor *cursor, uint32_t parent)
{
    TSNode ts = ts_tree_cursor_current_node(cursor);
    TSSymbol symbol = ts_node_symbol(ts);
    struct node node = { .parent = parent };

    node.at.start = ts_node_start_byte(ts);
    node.at.end = ts_node_end_byte(ts);
    node.kind = symbol < map->nkinds ? map->kinds[symbol] : NODE_OTHER;
    if (ts_node_is_error(ts))
        node.kind = NODE_ERROR;
    node.field = map->fields[ts_tree_cursor_current_field_id(cursor)];
    node.named = ts_node_is_named(ts);
    node.missing = ts_node_is_missing(ts);
    return node;
}

static void read_nodes(const struct tree *tree, struct nodes *nodes)
{
    TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree->ts));
    struct node *at = NULL;
    size_t n = 0, room = 0;
    uint32_t parent = NODE_NONE;
    struct kind_map map;

    kind_map_init(&map);
    for (;;) {
        xgrow(&at, &room, n + 1, sizeof(*at));
        at[n] = node_read(&map, &cursor, parent);
        at[n].past = (uint32_t)n + 1;
        n++;
        if (ts_tree_cursor_goto_first_child(&cursor)) {
            parent = (uint32_t)n - 1;
            continue;
        }
        while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
            if (!ts_tree_cursor_goto_parent(&cursor))
                goto out;
            at[parent].past = (uint32_t)n;
            parent = at[parent].parent;
        }
    }
out:
    kind_map_deinit(&map);
    ts_tree_cursor_delete(&cursor);
    at[0].at = (struct span){ 0, (uint32_t)tree->len };
    nodes->at = at;
    nodes->n = (uint32_t)n;
    nodes->text = tree_text(tree);
}

const struct nodes *tree_nodes(const struct tree *tree)
{
    struct tree *cache = (struct tree *)tree; /* what is seen never changes */

    if (!cache->nodes.at)
        read_nodes(tree, &cache->nodes);
    return &cache->nodes;
}

/* What the worker asks of a script before it runs. */

static void call_out(const struct nodes *ns, struct span at,
                     void (*out)(void *, const char *), void *arg,
                     struct span **seen, size_t *nseen, size_t *room)
{
    for (size_t i = 0; i < *nseen; i++)
        if (span_len((*seen)[i]) == span_len(at) &&
            memcmp(ns->text.data + (*seen)[i].start, ns->text.data + at.start,
                   span_len(at)) == 0)
            return;
    xgrow(seen, room, *nseen + 1, sizeof(**seen));
    (*seen)[(*nseen)++] = at;
    char *name = xmemdup(ns->text.data + at.start, span_len(at));
    out(arg, name);
    free(name);
}

void tree_imports(const struct tree *tree,
                  void (*out)(void *arg, const char *module), void *arg)
{
    const struct nodes *ns = tree_nodes(tree);
    struct span *seen = NULL;
    size_t nseen = 0, room = 0;

    for (uint32_t i = 0; i < ns->n; i++) {
        enum node_field field = FIELD_name;

        if (node_is(ns, i, NODE_IMPORT_FROM))
            field = FIELD_module_name;
        else if (!node_is(ns, i, NODE_IMPORT))
            continue;
        for (uint32_t c = node_named_child(ns, i); c != NODE_NONE;
             c = node_named_sibling(ns, c)) {
            uint32_t name = c;

            if (ns->at[c].field != field)
                continue;
            if (node_is(ns, c, NODE_ALIASED_IMPORT))
                name = node_field(ns, c, FIELD_name);
            if (node_is(ns, name, NODE_DOTTED_NAME))
                call_out(ns, node_span(ns, name), out, arg, &seen, &nseen,
                         &room);
        }
    }
    free(seen);
}

/* The text of a string without escapes, prefix or pieces; NULL else. Caller
 * frees. */
static char *plain_string(const struct nodes *ns, uint32_t i)
{
    uint32_t start = node_child_of(ns, i, NODE_STRING_START);
    uint32_t content = node_child_of(ns, i, NODE_STRING_CONTENT);

    if (!node_is(ns, i, NODE_STRING) || start == NODE_NONE ||
        node_child_of(ns, i, NODE_INTERPOLATION) != NODE_NONE)
        return NULL;
    if (ns->text.data[ns->at[start].at.start] != '"' &&
        ns->text.data[ns->at[start].at.start] != '\'')
        return NULL;
    if (content == NODE_NONE)
        return xstrdup("");
    if (node_child(ns, content) != NODE_NONE)
        return NULL; /* escapes */
    struct bytes text = node_text(ns, content);
    if (memchr(text.data, '\0', text.len) || memchr(text.data, '\\', text.len))
        return NULL;
    return xmemdup(text.data, text.len);
}

/* An import of os or sys alone, in any form. */
static bool imports_only_os(const struct nodes *ns, uint32_t statement)
{
    for (uint32_t c = node_named_child(ns, statement); c != NODE_NONE;
         c = node_named_sibling(ns, c)) {
        uint32_t name = c;

        if (node_is(ns, statement, NODE_IMPORT_FROM) &&
            ns->at[c].field != FIELD_module_name)
            continue;
        if (node_is(ns, c, NODE_ALIASED_IMPORT))
            name = node_field(ns, c, FIELD_name);
        if (name == NODE_NONE ||
            !(node_text_is(ns, name, "os") || node_text_is(ns, name, "sys")))
            return false;
    }
    return true;
}

static bool is_environ(const struct nodes *ns, uint32_t i)
{
    return i != NODE_NONE && (node_text_is(ns, i, "os.environ") ||
                              node_text_is(ns, i, "environ"));
}

/* os.environ[KEY] = VALUE or os.environ.setdefault(KEY, VALUE). */
static bool find_env(const struct nodes *ns, uint32_t statement, uint32_t *key,
                     uint32_t *value)
{
    uint32_t e = node_named_child(ns, statement);

    if (node_is(ns, e, NODE_ASSIGNMENT)) {
        uint32_t left = node_field(ns, e, FIELD_left);
        if (!node_is(ns, left, NODE_SUBSCRIPT) ||
            !is_environ(ns, node_field(ns, left, FIELD_value)))
            return false;
        *key = node_field(ns, left, FIELD_subscript);
        *value = node_field(ns, e, FIELD_right);
    } else if (node_is(ns, e, NODE_CALL)) {
        uint32_t function = node_field(ns, e, FIELD_function);
        uint32_t arguments = node_field(ns, e, FIELD_arguments);
        if (!node_is(ns, function, NODE_ATTRIBUTE) ||
            !is_environ(ns, node_field(ns, function, FIELD_object)) ||
            !node_text_is(ns, node_field(ns, function, FIELD_attribute),
                          "setdefault") ||
            !node_is(ns, arguments, NODE_ARGUMENT_LIST))
            return false;
        *key = node_named_child(ns, arguments);
        *value = *key != NODE_NONE ? node_named_sibling(ns, *key) : NODE_NONE;
    } else {
        return false;
    }
    return *key != NODE_NONE && *value != NODE_NONE;
}

void tree_early_env(const struct tree *tree,
                    void (*out)(void *arg, const char *name, const char *value),
                    void *arg)
{
    const struct nodes *ns = tree_nodes(tree);
    uint32_t key, value, last = 0;

    for (uint32_t s = node_child(ns, 0); s != NODE_NONE;
         s = node_sibling(ns, s)) {
        if ((node_is(ns, s, NODE_IMPORT) || node_is(ns, s, NODE_IMPORT_FROM)) &&
            !imports_only_os(ns, s))
            last = s;
    }
    for (uint32_t s = node_child(ns, 0); s != NODE_NONE && s < last;
         s = node_sibling(ns, s)) {
        if (!node_is(ns, s, NODE_EXPRESSION_STATEMENT) ||
            !find_env(ns, s, &key, &value))
            continue;
        char *name = plain_string(ns, key), *text = plain_string(ns, value);
        if (name && text)
            out(arg, name, text);
        free(name);
        free(text);
    }
}
