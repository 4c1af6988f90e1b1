/* flow_parts.h - a flow seen from inside: for flow.c (makes it) and slice.c
 * (follows it), and nobody else. */
#ifndef AUTODD_FLOW_PARTS_H
#define AUTODD_FLOW_PARTS_H

#include "grammar/flow.h"
#include "grammar/node.h"
#include "grammar/scope.h"

enum giver_kind {
    GIVER_VALUE,
    GIVER_ELEMENT, /* x[i] = value */
    GIVER_ADDED,
    GIVER_WRITE
};

/* What may have given a name its value. */
struct giver {
    uint32_t node;  /* expression, or call */
    uint32_t place; /* subscript of an ELEMENT, else NODE_NONE */
    uint32_t next;  /* of the same symbol; NODE_NONE: last */
    uint32_t part;  /* of the series that a VALUE is, from 1; 0: all of it */
    enum giver_kind kind;
};

struct method {
    struct bytes name;
    uint32_t function;
};

struct flow {
    const struct nodes *ns;
    struct scopes *scopes;
    bool silent_writes;
    uint32_t *seen, *below;  /* stamps of symbols; below: behind a kernel */
    uint32_t *stamps, turns; /* of slices, by node */
    uint32_t *through;       /* of a symbol, of a function's node: the call by
                              * which a slice first came there */
    bool giving;             /* what is written is known: give it the calls */
    uint32_t nsymbols;
    uint32_t *symbol; /* of each identifier node */
    uint32_t *givers; /* first of each symbol */
    struct giver *items;
    uint32_t nitems;
    size_t room;
    uint32_t *definition; /* function or class of each symbol, or NODE_NONE */
    uint32_t *parameter;  /* function whose parameter a symbol is */
    uint32_t *place;      /* and which one */
    uint32_t *first_parameter, *next_parameter; /* by function, by symbol */
    bool *module, *written, *kernel;
    bool *star;       /* of each symbol: it is `*args` */
    uint32_t *behind; /* the first call that hands it on, `f(*args)` */
    bool *idle;       /* of each node: never run, so it gives nothing */
    uint8_t *marks;   /* of each node, see flow_mark(); or NULL */
    uint8_t mark;
    uint32_t *calls;     /* first call node of each function's symbol */
    uint32_t *next_call; /* of each call node: the next of the same symbol */
    uint32_t *method_calls, *next_method_call; /* by method, by call */
    struct method *methods; /* functions in classes, by name */
    size_t nmethods, methods_room;
};

/* The symbol of an identifier; SYMBOL_NONE for NODE_NONE too. */
uint32_t flow_symbol(const struct flow *f, uint32_t node);

/* Whether an expression is a number, or a name that stands for one. */
bool flow_is_number(const struct flow *f, uint32_t node);

/* Whether the script itself gives the name its value: no module, no builtin. */
bool flow_is_variable(const struct flow *f, uint32_t symbol);

/* The identifier at the bottom of `a.b[c](d)`: a; NODE_NONE without one. */
uint32_t flow_root(const struct nodes *ns, uint32_t i);

/* The definition that a call's name stands for: function, method or class. */
uint32_t flow_called(const struct flow *f, uint32_t call, bool *kernel);

/* The methods of that name, of whatever class: *n from the first on. */
const struct method *flow_methods(const struct flow *f, struct bytes name,
                                  size_t *n);

/* Whether a parameter is `*args`. */
bool flow_is_star(const struct flow *f, uint32_t parameter);

/* The argument of a call for a parameter, by place or by keyword. */
uint32_t flow_argument(const struct flow *f, uint32_t call, uint32_t parameter);

/* The name that a call may write through this argument: a name, an element or
 * attribute of one. What a call gives is a value of its own. */
uint32_t flow_written(const struct flow *f, uint32_t argument);

#endif
