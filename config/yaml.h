/* yaml.h - YAML as a tree of nodes that know where they stand.
 *
 * A small part of YAML, on purpose: one document of mappings, sequences and
 * scalars, every scalar a text. Refused, each with file, line and column:
 * anchors, aliases, tags, a second document, keys that are no scalar, a key
 * twice in one mapping, zero bytes in a scalar, and all beyond the ceilings
 * below. The library behind it (libyaml) shows nowhere else.
 *
 * A struct yaml lives from yaml_parse() to yaml_deinit() and owns every node
 * and text in it; nodes are only read. */
#ifndef AUTODD_YAML_H
#define AUTODD_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "config/err.h"

#define YAML_MAX_BYTES ((size_t)1 << 20)
#define YAML_MAX_DEPTH 32 /* of mappings and sequences in one another */

enum yaml_kind { YAML_SCALAR, YAML_SEQUENCE, YAML_MAPPING };

struct yaml_node {
    enum yaml_kind kind;
    size_t line, column; /* of the value, from 1 */

    const char *key; /* in a mapping: this value's key, else NULL */
    size_t key_line, key_column;

    const char *text; /* of a scalar, else NULL */
    bool plain;       /* the scalar stood without quotes */

    size_t n;                      /* children of a mapping or sequence */
    const struct yaml_node *first; /* child, in the order of the file */
    const struct yaml_node *next;  /* sibling */
};

struct yaml {
    char *file;                   /* the name for messages */
    const struct yaml_node *root; /* NULL: nothing but blanks and comments */
    struct yaml_node *nodes;      /* private: all nodes, to free them */
};

/* Parse bytes; `file` is only the name for messages (copied). 0, or -EINVAL
 * or -E2BIG with err saying where, what and what to do; then there is nothing
 * to free. */
int yaml_parse(struct yaml *yaml, const char *file, const char *data,
               size_t len, struct err *err);

/* The same from a file. Also the errors of file_read(): -ENOENT when there is
 * none. */
int yaml_load(struct yaml *yaml, const char *path, struct err *err);

/* Not yaml_free(): libyaml exports a function of that name. */
void yaml_deinit(struct yaml *yaml);

/* The value of a key; NULL when `node` is no mapping or has no such key. */
const struct yaml_node *yaml_get(const struct yaml_node *node, const char *key);

#endif
