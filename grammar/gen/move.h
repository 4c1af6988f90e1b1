/* move.h - a body that moves from its function to the place of a call.
 *
 * First the parameters that can't be substituted (`p = argument`), then the
 * statements with the indentation of the place. A name that the body reads
 * must mean the same there, and a name that it binds must be nobody's there:
 * else it gets underscores, `x_`, where move_rename() is asked. Nothing else
 * is renamed but by the hook `rewrite`.
 *
 *   move_init(&m, d, names, function)
 *     move_read_body() .. move_bind() .. move_takes_all() ..
 *     draft_begin(), move_add_...(), move_take(), draft_end()
 *   move_deinit(&m)
 */
#ifndef AUTODD_MOVE_H
#define AUTODD_MOVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/buf.h"
#include "grammar/gen/draft.h"
#include "grammar/gen/names.h"

/* A parameter and what a call passes for it. */
struct passed {
    uint32_t symbol, name; /* the parameter's, and its identifier */
    uint32_t value;        /* the expression at the call, or NODE_NONE */
    uint32_t last;         /* of `*names`: the last one that it takes, behind
                            * `value`; NODE_NONE else */
    bool put;              /* in the place of its uses; else assigned first */
};

/* A variable of the function that is called something else from now on. */
struct renamed {
    uint32_t symbol;
    char *text;
};

struct move {
    struct draft *d;
    const struct names *names;
    const struct nodes *ns;
    struct callee callee;
    uint32_t source;            /* what goes: the function, or more */
    uint32_t body, first, last; /* block; statements without the docstring */
    uint32_t result;            /* what the last one returns, or NODE_NONE */
    bool returns;               /* the last statement is a return */
    struct passed *passed;
    size_t n;
    size_t more; /* arguments that are for a parameter that has others */
    const struct call_site *site;
    struct renamed *renamed;
    size_t nrenamed, renamed_room;
    struct buf out;

    /* NULL, or asked for each node of the text that moves: the text that
     * stands for it there; without data: its own. */
    struct bytes (*rewrite)(const struct move *m, uint32_t node);
};

/* To copy statements that are in no function. */
void move_open(struct move *m, struct draft *d, const struct names *names);

/* `function`: or the class, when it has no __init__. */
void move_init(struct move *m, struct draft *d, const struct names *names,
               uint32_t function);
void move_deinit(struct move *m);

/* Find the statements; false when one of them may not move. Of a generator:
 * the one statement that is a plain `yield` may, if it runs once at most. */
bool move_read_body(struct move *m);
bool move_read_generator(struct move *m, uint32_t *yield);

/* Bind the parameters to what m->site passes, for a body that goes where the
 * node `place` is. `object`: what the first parameter of a method stands for;
 * NODE_NONE: nothing, `rewrite` takes its uses. m->site may be NULL: nothing
 * but the object is passed. */
bool move_bind(struct move *m, const struct param *params, size_t n,
               uint32_t place, uint32_t object);

/* All arguments are bound: none is left over. */
bool move_takes_all(const struct move *m);

/* Names that the nodes [from, to) read from outside of m->source mean the same
 * in `scope`. */
bool move_reads_same(const struct move *m, uint32_t from, uint32_t to,
                     uint32_t scope);

/* Names that the body binds are free where `statement` is, or are the name
 * that this statement assigns and nobody else does. */
bool move_binds_free(const struct move *m, uint32_t statement);

/* The same after other names for those that are not; false when one can't be
 * found. */
bool move_rename(struct move *m, uint32_t statement);

/* What is passed for a parameter's symbol, or NULL. */
const struct passed *passed_of(const struct move *m, uint32_t symbol);

/* The statement that a call stands in, or whose header it does, when it runs
 * just once there and lines can be put before; or NODE_NONE. */
uint32_t statement_of_call(const struct nodes *ns, uint32_t call);

/* The blanks before a statement; whether nothing else is before it on its
 * line. */
struct span statement_indent(const struct nodes *ns, uint32_t statement);
bool starts_line(const struct nodes *ns, uint32_t statement);

/* How lines of a text end (static). */
const char *newline_of(struct bytes text);

/* Appending to m->out. */
void move_add_span(struct move *m, struct span at);

/* Start a line, unless it is the first. */
void move_add_line(struct move *m, struct span indent);

/* What stands from `at.start` to `at.end`, of which [node, past) are the nodes,
 * with values put for parameters and `indent` for the blanks `own` of its
 * lines. */
void move_add_nodes(struct move *m, struct span at, uint32_t node,
                    uint32_t past, struct span own, struct span indent);

/* `p = argument` for each parameter that is not put. */
void move_add_assignments(struct move *m, struct span indent);

/* The body without what it returns. */
void move_add_statements(struct move *m, struct span indent);

/* The text, `pass` when there is none, for draft_replace_taken(); NULL when it
 * is too long. */
char *move_take(struct move *m, size_t *len);

#endif
