/* generator.h - the vocabulary: one row of the table and one file in
 * grammar/gen/ for each family of edits.
 *
 * To add a family: write grammar/gen/NAME.c with `void gen_NAME(struct gen *)`
 * and add its row to VOCABULARY below; nothing else knows the list. Rules for
 * a generator:
 *  - walk with a cursor, never by recursion: input decides the depth;
 *  - offer edits with edits_begin() .. edits_end() of g->out; express them as
 *    the smallest spans that change (unwrap = delete around what stays), so
 *    that other edits can be committed inside;
 *  - never offer what touches a frozen span: gen_frozen();
 *  - an edit must make the text shorter, or equally long and smaller in byte
 *    order, else the search drops it; a draft (grammar/gen/draft.h) sees to
 *    that, and keeps what grows the text for generate_pumps();
 *  - n log n in the size of the text. */
#ifndef AUTODD_GENERATOR_H
#define AUTODD_GENERATOR_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base.h"
#include "grammar/edit.h"
#include "grammar/tree.h"

/* Preserving edits leave the computation on the way to the failure as it is:
 * first the coarse ones, about statements, then the fine ones within them,
 * which would be wasted on code that still goes. Mutating ones are offered
 * only when no preserving one is left: first those that drop arguments and
 * elements and shrink numbers and strings, which mostly go, so that expressions
 * are tried on the text as it will be. Before these all that is not about
 * numbers and strings in kernels: with the data as they were, a run shows what
 * of a kernel the failure hangs on (minimizer/search/hinge.h). Those for looks
 * come last of all. */
enum edit_tier {
    TIER_COARSE,
    TIER_FINE,
    TIER_KERNEL, /* the first that mutates; of no kind, see edit_tier_of() */
    TIER_SHRINK,
    TIER_MUTATE,
    TIER_LOOKS
};

/* name, tier, first guess of the share that succeeds (measured by test/bench;
 * learned anew in each run). The generator of row NAME is gen_NAME. */
/* clang-format off */
#define VOCABULARY(row)                                                        \
    row(dead, TIER_COARSE, 0.7)                                                \
    row(observed, TIER_COARSE, 0.8)                                            \
    row(trivia, TIER_COARSE, 0.9)                                              \
    row(definition, TIER_FINE, 0.5)                                            \
    row(statement, TIER_COARSE, 0.5)                                           \
    row(import, TIER_FINE, 0.5)                                                \
    row(unwrap, TIER_COARSE, 0.3)                                              \
    row(inline, TIER_COARSE, 0.3)                                              \
    row(dissolve, TIER_COARSE, 0.5)                                            \
    row(record, TIER_FINE, 0.5)                                                \
    row(base, TIER_FINE, 0.4)                                                  \
    row(unroll, TIER_FINE, 0.4)                                                \
    row(loop, TIER_FINE, 0.4)                                                  \
    row(context, TIER_FINE, 0.5)                                               \
    row(scatter, TIER_FINE, 0.5)                                               \
    row(through, TIER_COARSE, 0.4)                                             \
    row(yield, TIER_COARSE, 0.5)                                               \
    row(pair, TIER_FINE, 0.5)                                                  \
    row(split, TIER_FINE, 0.4)                                                 \
    row(gather, TIER_FINE, 0.5)                                                \
    row(bare, TIER_FINE, 0.2)                                                  \
    row(async, TIER_FINE, 0.4)                                                 \
    row(parameter, TIER_FINE, 0.4)                                             \
    row(decorator, TIER_FINE, 0.3)                                             \
    row(annotation, TIER_FINE, 0.5)                                            \
    row(optional, TIER_FINE, 0.3)                                              \
    row(source, TIER_FINE, 0.4)                                                \
    row(argument, TIER_SHRINK, 0.3)                                            \
    row(keyword, TIER_SHRINK, 0.3)                                             \
    row(element, TIER_SHRINK, 0.3)                                             \
    row(fold, TIER_MUTATE, 0.9)                                                \
    row(dummy, TIER_SHRINK, 0.5)                                               \
    row(bypass, TIER_MUTATE, 0.2)                                              \
    row(expression, TIER_MUTATE, 0.2)                                          \
    row(integer, TIER_SHRINK, 0.3)                                             \
    row(string, TIER_SHRINK, 0.3)                                              \
    row(rename, TIER_LOOKS, 0.9)
/* clang-format on */

#define VOCABULARY_ENUM(name, tier, prior) EDIT_##name,
enum edit_kind { VOCABULARY(VOCABULARY_ENUM) EDIT_KINDS };

struct edit_kind_info {
    const char *name;
    enum edit_tier tier;
    double prior;
};
const struct edit_kind_info *edit_kind_info(unsigned kind);

/* When an edit is offered: the tier of its kind, or TIER_KERNEL. */
enum edit_tier edit_tier_of(const struct edit *edit);

/* Sets of kinds: bit 1 << kind. */
typedef uint64_t edit_kinds;
#define EDIT_KIND_BIT(kind) (UINT64_C(1) << (kind))
static_assert(EDIT_KINDS <= 64, "a set of kinds is one word");

/* How far mutation may go. */
enum mutate {
    MUTATE_ALL,
    MUTATE_INTS, /* numbers alone */
    MUTATE_NONE
};

/* The kinds that come with that; `rename`: those for looks, too. */
edit_kinds vocabulary(enum mutate mutate, bool rename);

struct lines;
struct names;
struct nodes;
struct observed;
struct scopes;
struct units;

/* What a generator works on. */
struct gen {
    const struct tree *tree;
    const struct nodes *nodes; /* grammar/node.h */
    const struct units *units; /* statements: grammar/unit.h */
    const struct lines *lines; /* grammar/line.h */
    struct bytes text;
    const struct span *frozen; /* sorted */
    size_t nfrozen;
    const struct scopes *scopes;     /* names and their uses: grammar/scope.h */
    const struct names *names;       /* what they mean: grammar/gen/names.h */
    const struct observed *observed; /* grammar/observed.h, or NULL */
    const struct span *frames;       /* see struct gen_known */
    size_t nframes;
    const uint8_t *sides;
    bool turns;
    bool pumps; /* what grows the text is wanted, and nothing else */
    struct edits *out;
};

/* Whether `at` touches frozen bytes (an insertion: lies strictly inside). */
bool gen_frozen(const struct gen *g, struct span at);

/* What is known of how the text runs. Zeroed: nothing. */
struct gen_known {
    const struct observed *observed; /* values of expressions, or NULL */
    const struct span *frames; /* statements that the failure comes by, in any
                                * order; empty ones are gone */
    size_t nframes;
    bool turns; /* loops are to be bound to the turn that the run ended in:
                 * what passed in those before is not the failure. Else they
                 * are left to read what they read. */
    const uint8_t *sides; /* of guard_sides(), or NULL */
};

/* All edits of these kinds for `tree`, appended to the fresh `out`, nested
 * (edits_nest) and without those that touch `frozen` (sorted). `known` is
 * borrowed for the call. The order is the table's, then the text's: the same
 * text gives the same edits. */
void generate_known(const struct tree *tree, const struct span *frozen,
                    size_t nfrozen, edit_kinds kinds,
                    const struct gen_known *known, struct edits *out);

/* Those that make the text larger, by its own length at most, and may make
 * room for others that make it smaller than it was: a body in the place of its
 * few calls, loops written out. In the order above, not nested. */
void generate_pumps(const struct tree *tree, const struct span *frozen,
                    size_t nfrozen, struct edits *out);

/* The same where nothing is known of values. */
void generate_kinds(const struct tree *tree, const struct span *frozen,
                    size_t nfrozen, edit_kinds kinds, struct edits *out);

/* The same for all kinds but those for looks. */
void generate(const struct tree *tree, const struct span *frozen,
              size_t nfrozen, struct edits *out);

#endif
