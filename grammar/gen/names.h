/* names.h - what a name means in another place, and who calls whom.
 *
 * Moving code asks two things that the symbols alone do not tell: which symbol
 * a name would have over there, and whether a new binding there would take a
 * name from someone. A scope is the node of a function, class, lambda or
 * comprehension, or 0 for the module. */
#ifndef AUTODD_NAMES_H
#define AUTODD_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grammar/generator.h"
#include "grammar/node.h"
#include "grammar/scope.h"

struct names {
    const struct nodes *ns;
    const struct scopes *scopes;
    uint32_t *scope_of; /* by node: the scope it stands in */
    uint32_t *home;     /* by symbol: the scope that binds it, or NODE_NONE */
    size_t nhomes;
    struct name *all; /* sorted by text, then home */
    size_t n;
    bool *imported;        /* by symbol: an import binds it */
    struct bytes *methods; /* names of functions in class bodies, sorted */
    size_t nmethods;
};

/* Order by bytes, a beginning before what it begins: < 0, 0, > 0. */
int names_order(struct bytes a, struct bytes b);
bool names_same(struct bytes a, struct bytes b);

/* The call of an expression; NODE_NONE when it is not called. */
uint32_t names_call_of(const struct nodes *ns, uint32_t expression);

/* By symbol: whether an import binds it. Caller frees. */
bool *find_imported(const struct gen *g);

/* Caller frees with names_free(). n log n. */
struct names *names_new(const struct gen *g);
void names_free(struct names *names);

/* The symbol that a load of `text` in `scope` finds; SYMBOL_NONE: a builtin. */
uint32_t names_lookup(const struct names *names, uint32_t scope,
                      struct bytes text);

/* Whether this very scope binds `text`. */
bool names_bound_in(const struct names *names, uint32_t scope,
                    struct bytes text);

/* The scope that binds a symbol; NODE_NONE for a builtin. */
uint32_t names_home(const struct names *names, uint32_t symbol);

/* Whether binding `text` in `scope` changes what no name in there means. */
bool names_free_in(const struct names *names, uint32_t scope,
                   struct bytes text);

/* Whether all names in the expression mean in `scope` what they mean where
 * they are. */
bool names_mean_same(const struct names *names, uint32_t expression,
                     uint32_t scope);

/* The symbol of an identifier's node, and the node of an occurrence. */
uint32_t names_symbol(const struct names *names, uint32_t identifier);
uint32_t names_node(const struct names *names, struct span identifier);

/* Work is done for each parameter at each call; past this many, none is, so
 * that it stays linear. */
#define PARAMS_MAX 64

/* A parameter of a function. */
enum param_kind {
    PARAM_PLAIN, /* by position or by name */
    PARAM_POSITIONAL,
    PARAM_NAMED,
    PARAM_STAR, /* *args */
    PARAM_STARS /* **kwargs; this and PARAM_STAR take many arguments */
};

struct param {
    uint32_t node, name, value; /* value: the default, or NODE_NONE */
    enum param_kind kind;
    uint32_t index; /* among the positional ones */
};

/* Caller frees *params. */
size_t params_of(const struct nodes *ns, uint32_t function,
                 struct param **params);

struct call_site {
    uint32_t call, arguments; /* arguments: an argument_list */
    bool direct;  /* `f(x)` or `o.f(x)`; else `f[grid](x)`, `f.go(x)` */
    bool partial; /* `partial(f, x)`: there may be more when it is called */
};

struct callee {
    uint32_t function;       /* or the class, when it has no __init__ */
    uint32_t statement;      /* with its decorators */
    bool method;             /* in a class's body */
    bool bound;              /* its first parameter comes from the object */
    bool escapes;            /* used other than by a call */
    uint32_t applied;        /* the class whose `forward` it is and whose
                              * `backward` gives a gradient for each argument of
                              * K.apply(); NODE_NONE: it is none */
    struct call_site *sites; /* in text order */
    size_t nsites;
    size_t room;
};

/* How many methods of the file have this name: 0, 1, or 2 for more. */
size_t names_methods(const struct names *names, struct bytes text);

/* Whether `text` may be put into the place of an expression as it is: inside
 * of an f-string, quotes and backslashes may not. */
bool names_fit_string(const struct nodes *ns, struct bytes text,
                      uint32_t place);

/* How often a symbol is bound, augmented, declared or deleted; *loads: how
 * often it is read. */
size_t names_writes(const struct names *names, uint32_t symbol, size_t *loads);

bool has_decorator(const struct nodes *ns, uint32_t statement,
                   const char *text);

/* The function of a class's body that has this name, decorated or not, or
 * NODE_NONE. */
uint32_t class_method(const struct nodes *ns, uint32_t class, const char *text);

/* Who calls this function (or makes objects of this class). The calls of a
 * method are found by its name, and none when two classes have it. */
void callee_init(struct callee *callee, const struct names *names,
                 uint32_t function);
void callee_deinit(struct callee *callee);

/* Whether a call is one of partial(), functools.partial(). */
bool names_is_partial(const struct nodes *ns, uint32_t call);

/* Add what partial() has of its arguments to the sites. It still escapes. */
void callee_add_partials(struct callee *callee, const struct names *names);

/* The argument node (a keyword_argument, or an expression) that a call passes
 * for a parameter; NODE_NONE: none. *unknown when a splat may pass it. */
uint32_t site_argument(const struct nodes *ns, const struct call_site *site,
                       enum param_kind kind, uint32_t index, struct bytes name,
                       bool *unknown);

/* Arguments of a call that `*names` takes, which stand in a row. */
struct taken {
    uint32_t list, first, last; /* first: NODE_NONE for none */
    size_t n;
};

/* Those of an argument_list that a `*names` behind `index` positional
 * parameters takes. False where it is not known which they are. */
bool find_taken(const struct nodes *ns, uint32_t list, uint32_t index,
                struct taken *taken);

/* The name that an option of argparse is read by, in `name` of `room` bytes,
 * from the arguments of its add_argument(); false when there is none. */
bool option_name(const struct nodes *ns, uint32_t arguments, char *name,
                 size_t room, size_t *len);

/* The expression of an argument node. */
uint32_t argument_value(const struct nodes *ns, uint32_t argument);

#endif
