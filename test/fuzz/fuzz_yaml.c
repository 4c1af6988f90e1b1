/* Any bytes as a YAML file. What is accepted is a tree as yaml.h promises: no
 * deeper than the ceiling, every node once, in the order of the file, keys
 * once a mapping; a second reading gives the same. What is refused says why
 * and leaves nothing. Scalars below known keys also go through the checks of
 * their option. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/options.h"
#include "config/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* assert() would be gone under NDEBUG. */
#define must(what)                                                             \
    do {                                                                       \
        if (!(what)) {                                                         \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);         \
            abort();                                                           \
        }                                                                      \
    } while (0)

static void check_place(const struct yaml_node *a, const struct yaml_node *b)
{
    must(a->line < b->line || (a->line == b->line && a->column <= b->column));
}

static void check_children(const struct yaml_node *node)
{
    const struct yaml_node *before = NULL;
    size_t n = 0;

    for (const struct yaml_node *c = node->first; c; c = c->next, n++) {
        must((c->key != NULL) == (node->kind == YAML_MAPPING));
        check_place(node, c);
        if (before)
            check_place(before, c);
        /* the first of a name is found, so it is this one or it is twice;
         * wide mappings are left to the unit test */
        if (c->key && node->n < 200)
            must(yaml_get(node, c->key) == c);
        before = c;
    }
    must(n == node->n);
}

/* How many nodes there are; depth first with a stack, as deep as allowed. */
static size_t check_tree(const struct yaml_node *root, size_t len)
{
    const struct yaml_node *stack[YAML_MAX_DEPTH + 1];
    size_t depth = 0, n = 0;
    const struct yaml_node *node = root;

    while (node || depth > 0) {
        if (!node) {
            node = stack[--depth]->next;
            continue;
        }
        n++;
        must(node->line >= 1 && node->line <= len + 1 && node->column >= 1);
        must((node->text != NULL) == (node->kind == YAML_SCALAR));
        must(node->kind != YAML_SCALAR || (!node->first && node->n == 0));
        check_children(node);
        if (node->kind == YAML_SCALAR) {
            node = node == root ? NULL : node->next;
            continue;
        }
        must(depth < YAML_MAX_DEPTH); /* so the ceiling held */
        stack[depth++] = node;
        node = node->first;
    }
    return n;
}

static void check_options(const struct yaml_node *root)
{
    struct config config;

    options_init(&config);
    for (const struct yaml_node *c = root->first; c; c = c->next) {
        const struct option *option =
            c->key ? option_by_name(c->key, strlen(c->key)) : NULL;
        struct err err = { "" };

        if (c->key && !option)
            option_nearest(c->key, strlen(c->key));
        if (!option || !c->text)
            continue;
        if (option_set(option, &config, c->text, "here", &err))
            must(strncmp(err.text, "here: ", 6) == 0);
        else
            must(err.text[0] == '\0');
    }
    must(config.jobs >= 1 && config.jobs <= 256 && config.python);
    options_deinit(&config);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct yaml yaml, again;
    struct err err = { "" };
    int error = yaml_parse(&yaml, "f", (const char *)data, len, &err);

    must(yaml_parse(&again, "f", (const char *)data, len, NULL) == error);
    if (error) {
        must(strncmp(err.text, "f:", 2) == 0);
        must(!yaml.nodes && !yaml.root && !yaml.file);
        return 0;
    }
    must(len <= YAML_MAX_BYTES && err.text[0] == '\0');
    must((yaml.root != NULL) == (again.root != NULL));
    if (yaml.root) {
        must(!yaml.root->next && !yaml.root->key);
        must(check_tree(yaml.root, len) == check_tree(again.root, len));
        check_options(yaml.root);
    }
    yaml_deinit(&yaml);
    yaml_deinit(&again);
    return 0;
}
