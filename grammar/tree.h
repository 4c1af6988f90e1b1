/* tree.h - a Python text and its parse.
 *
 * A tree owns its copy of the text. It never changes: applying a patch gives a
 * new tree, parsed incrementally. Any bytes are accepted: what is not UTF-8 is
 * read byte by byte, each byte above 0x7f as a letter; a UTF-8 byte order
 * mark, CRLF, tabs and form feeds stay where they are. Positions are bytes. */
#ifndef AUTODD_TREE_H
#define AUTODD_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base.h"
#include "grammar/edit.h"

typedef struct TSTree TSTree;
struct tree;

/* Parse a copy of `text` (below 4 GiB). Never fails; see tree_errors(). */
struct tree *tree_parse(struct bytes text);

/* The tree of the text after `patch`; the base stays as it is. */
struct tree *tree_patched(const struct tree *base, const struct patch *patch);
void tree_free(struct tree *tree);

/* The same tree once more: it is freed with the last tree_free(). */
struct tree *tree_share(struct tree *tree);

/* Borrowed until tree_free(). The text is NUL-terminated. */
struct bytes tree_text(const struct tree *tree);
const TSTree *tree_ts(const struct tree *tree); /* for grammar/ alone */

/* How many ERROR and missing nodes there are; where the first one starts
 * (1-based line and byte column). */
size_t tree_errors(const struct tree *tree);
void tree_first_error(const struct tree *tree, size_t *line, size_t *column);

/* Where statements start, in text order; of the top level (`top`) the comments
 * too. */
void tree_statements(const struct tree *tree,
                     void (*out)(void *arg, uint32_t start, bool top),
                     void *arg);

/* Offset in bytes of the first byte after a byte order mark: 0 or 3. */
uint32_t tree_bom(const struct tree *tree);
uint32_t tree_bom_of(struct bytes text);

/* The modules that import statements name, top-level or nested, absolute ones
 * only, dotted names whole ("tilelang.language"; `from a import b` gives "a"),
 * each once, in order of first appearance. `out` is called with NUL-terminated
 * names, valid during the call. */
void tree_imports(const struct tree *tree,
                  void (*out)(void *arg, const char *module), void *arg);

/* The `os.environ["NAME"] = "literal"` and setdefault() statements at the top
 * level above the last import that is not of os or sys alone: modules read them
 * when they are imported. Called with NUL-terminated name and value. */
void tree_early_env(const struct tree *tree,
                    void (*out)(void *arg, const char *name, const char *value),
                    void *arg);

#endif
