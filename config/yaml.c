/* libyaml's events become nodes:
 *
 *     event --> open a collection --> push it on the stack
 *           --> scalar            --> value of the open collection, or key
 *           --> close             --> look for keys that stand twice, pop
 *
 * The stack is an array of YAML_MAX_DEPTH frames, so neither parsing nor
 * freeing recurses. In a mapping scalars come in turn as key and as value;
 * the frame keeps the key until its value is there. Invariant: every node is
 * in the list of all nodes from its birth, so an error may stop anywhere. */
#include "config/yaml.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "config/base.h"
#include "config/file.h"
#include "config/log.h"
#include "config/mem.h"

struct yaml_cell {
    struct yaml_node node;
    struct yaml_node *born_before; /* the list of all nodes */
};

struct frame {
    struct yaml_node *node;
    struct yaml_node *last; /* its last child */
    char *key;              /* read, its value not yet; owned */
    size_t key_line, key_column;
};

struct reader {
    struct yaml *yaml;
    struct frame stack[YAML_MAX_DEPTH];
    size_t depth;
    size_t documents;
    bool finished;
    struct err *err;
};

static int fail(struct reader *r, yaml_mark_t mark, const char *what)
{
    return err_set(r->err, -EINVAL, "%s:%zu:%zu: %s", r->yaml->file,
                   mark.line + 1, mark.column + 1, what);
}

/* What libyaml found wrong. Its reader knows only the byte, not the line. */
static int fail_syntax(struct reader *r, const yaml_parser_t *parser)
{
    const char *problem = parser->problem ? parser->problem : "no YAML";

    if (parser->error == YAML_READER_ERROR)
        return err_set(r->err, -EINVAL,
                       "%s: byte %zu: %s; save the file as plain UTF-8",
                       r->yaml->file, parser->problem_offset, problem);
    return err_set(r->err, -EINVAL,
                   "%s:%zu:%zu: no valid YAML: %s; a text that holds ':', "
                   "'#', brackets or quotes goes into quotes",
                   r->yaml->file, parser->problem_mark.line + 1,
                   parser->problem_mark.column + 1, problem);
}

static struct yaml_node *node_new(struct reader *r, enum yaml_kind kind,
                                  yaml_mark_t mark)
{
    struct yaml_cell *cell = xcalloc(1, sizeof(*cell));

    cell->node.kind = kind;
    cell->node.line = mark.line + 1;
    cell->node.column = mark.column + 1;
    cell->born_before = r->yaml->nodes;
    r->yaml->nodes = &cell->node;
    return &cell->node;
}

/* Hang a node below the open collection, or make it the root. */
static void attach(struct reader *r, struct yaml_node *node)
{
    if (r->depth == 0) {
        r->yaml->root = node;
        return;
    }
    struct frame *top = &r->stack[r->depth - 1];

    if (top->node->kind == YAML_MAPPING) {
        node->key = top->key;
        node->key_line = top->key_line;
        node->key_column = top->key_column;
        top->key = NULL;
    }
    if (top->last)
        top->last->next = node;
    else
        top->node->first = node;
    top->last = node;
    top->node->n++;
}

static bool key_comes_next(const struct reader *r)
{
    const struct frame *top = r->depth ? &r->stack[r->depth - 1] : NULL;

    return top && top->node->kind == YAML_MAPPING && !top->key;
}

static int on_scalar(struct reader *r, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    size_t len = event->data.scalar.length;

    if (memchr(text, '\0', len))
        return fail(r, event->start_mark,
                    "a text holds a zero byte; take it out");
    if (key_comes_next(r)) {
        struct frame *top = &r->stack[r->depth - 1];

        top->key = xmemdup(text, len);
        top->key_line = event->start_mark.line + 1;
        top->key_column = event->start_mark.column + 1;
        return 0;
    }
    struct yaml_node *node = node_new(r, YAML_SCALAR, event->start_mark);

    node->text = xmemdup(text, len);
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    attach(r, node);
    return 0;
}

static int on_open(struct reader *r, const yaml_event_t *event,
                   enum yaml_kind kind)
{
    if (key_comes_next(r))
        return fail(r, event->start_mark,
                    "a key is a mapping or a sequence; give a plain name");
    if (r->depth == YAML_MAX_DEPTH)
        return fail(r, event->start_mark,
                    "nested too deeply; at most 32 levels are read");
    struct yaml_node *node = node_new(r, kind, event->start_mark);

    attach(r, node);
    r->stack[r->depth++] = (struct frame){ .node = node };
    return 0;
}

static int compare_keys(const void *a, const void *b)
{
    const struct yaml_node *x = *(const struct yaml_node *const *)a;
    const struct yaml_node *y = *(const struct yaml_node *const *)b;
    int order = strcmp(x->key, y->key);

    if (order != 0)
        return order;
    if (x->key_line != y->key_line)
        return x->key_line < y->key_line ? -1 : 1;
    return (x->key_column > y->key_column) - (x->key_column < y->key_column);
}

/* Sorted, so that a file of very many keys costs no square of them. */
static int check_keys(struct reader *r, const struct yaml_node *mapping)
{
    const struct yaml_node **keys = xcalloc(mapping->n + 1, sizeof(*keys));
    const struct yaml_node *twice = NULL, *before = NULL;
    size_t n = 0;

    for (const struct yaml_node *c = mapping->first; c; c = c->next)
        keys[n++] = c;
    qsort(keys, n, sizeof(*keys), compare_keys);
    for (size_t i = 1; i < n && !twice; i++) {
        if (strcmp(keys[i - 1]->key, keys[i]->key) == 0) {
            before = keys[i - 1];
            twice = keys[i];
        }
    }
    free(keys);
    if (!twice)
        return 0;
    char shown[80];

    return err_set(
        r->err, -EINVAL,
        "%s:%zu:%zu: key '%s' stands already in line %zu; keep one of them",
        r->yaml->file, twice->key_line, twice->key_column,
        log_safe(shown, sizeof(shown), twice->key, strlen(twice->key)),
        before->key_line);
}

static int on_close(struct reader *r)
{
    const struct yaml_node *node = r->stack[--r->depth].node;

    assert(node); /* libyaml ends only what has started */
    return node->kind == YAML_MAPPING ? check_keys(r, node) : 0;
}

static int on_document(struct reader *r, const yaml_event_t *event)
{
    const yaml_tag_directive_t *tags =
        event->data.document_start.tag_directives.start;

    if (tags && tags != event->data.document_start.tag_directives.end)
        return fail(r, event->start_mark, "tags are not read; take them out");
    if (++r->documents > 1)
        return fail(r, event->start_mark,
                    "a second document begins; give only one");
    return 0;
}

/* Anchors and tags of what an event starts: refused. */
static int check_extras(struct reader *r, const yaml_event_t *event,
                        const yaml_char_t *anchor, const yaml_char_t *tag)
{
    if (anchor)
        return fail(r, event->start_mark,
                    "anchors (&) are not read; put the text in quotes or "
                    "write the value out");
    if (tag)
        return fail(r, event->start_mark,
                    "tags (!) are not read; put the text in quotes or take "
                    "the tag out");
    return 0;
}

static int on_event(struct reader *r, const yaml_event_t *event)
{
    int error;

    switch (event->type) {
    case YAML_SCALAR_EVENT:
        error = check_extras(r, event, event->data.scalar.anchor,
                             event->data.scalar.tag);
        return error ? error : on_scalar(r, event);
    case YAML_SEQUENCE_START_EVENT:
        error = check_extras(r, event, event->data.sequence_start.anchor,
                             event->data.sequence_start.tag);
        return error ? error : on_open(r, event, YAML_SEQUENCE);
    case YAML_MAPPING_START_EVENT:
        error = check_extras(r, event, event->data.mapping_start.anchor,
                             event->data.mapping_start.tag);
        return error ? error : on_open(r, event, YAML_MAPPING);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return on_close(r);
    case YAML_ALIAS_EVENT:
        return fail(r, event->start_mark,
                    "aliases (*) are not read; put the text in quotes or "
                    "write the value out");
    case YAML_DOCUMENT_START_EVENT:
        return on_document(r, event);
    case YAML_STREAM_END_EVENT:
        r->finished = true;
        return 0;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        return 0;
    }
    return 0;
}

static int read_events(struct reader *r, const char *data, size_t len)
{
    yaml_parser_t parser;
    int error = 0;

    if (!yaml_parser_initialize(&parser))
        return err_set(r->err, -ENOMEM, "%s: out of memory", r->yaml->file);
    yaml_parser_set_input_string(&parser, (const unsigned char *)data, len);
    while (!error && !r->finished) {
        yaml_event_t event;

        if (!yaml_parser_parse(&parser, &event)) {
            error = fail_syntax(r, &parser);
            break;
        }
        error = on_event(r, &event);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return error;
}

int yaml_parse(struct yaml *yaml, const char *file, const char *data,
               size_t len, struct err *err)
{
    struct reader r = { .yaml = yaml, .err = err };

    *yaml = (struct yaml){ .file = xstrdup(file) };
    int error = len > YAML_MAX_BYTES
                    ? err_set(err, -E2BIG, "%s: is larger than %zu bytes", file,
                              YAML_MAX_BYTES)
                    : read_events(&r, data, len);

    if (error) {
        while (r.depth > 0)
            free(r.stack[--r.depth].key);
        yaml_deinit(yaml);
    }
    return error;
}

int yaml_load(struct yaml *yaml, const char *path, struct err *err)
{
    char *data = NULL;
    size_t len = 0;
    int error = file_read(path, YAML_MAX_BYTES, &data, &len, err);

    if (error)
        return error;
    error = yaml_parse(yaml, path, data, len, err);
    free(data);
    return error;
}

void yaml_deinit(struct yaml *yaml)
{
    struct yaml_node *node = yaml->nodes;

    while (node) {
        struct yaml_cell *cell = container_of(node, struct yaml_cell, node);

        node = cell->born_before;
        free((char *)cell->node.key);
        free((char *)cell->node.text);
        free(cell);
    }
    free(yaml->file);
    *yaml = (struct yaml){ 0 };
}

const struct yaml_node *yaml_get(const struct yaml_node *node, const char *key)
{
    if (!node || node->kind != YAML_MAPPING)
        return NULL;
    for (const struct yaml_node *c = node->first; c; c = c->next)
        if (strcmp(c->key, key) == 0)
            return c;
    return NULL;
}
