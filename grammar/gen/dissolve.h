/* dissolve.h - the parts of gen_dissolve(). */
#ifndef AUTODD_DISSOLVE_H
#define AUTODD_DISSOLVE_H

#include <stdbool.h>
#include <stdint.h>

#include "grammar/gen/draft.h"
#include "grammar/gen/names.h"

/* Whether an expression is written to, alone or as one of several targets. */
bool node_is_target(const struct nodes *ns, uint32_t node);

/* Whether a statement is `super().__init__(...)`, also with arguments to
 * super(). */
bool is_super_init(const struct nodes *ns, uint32_t statement);

/* The first parameter of a method, NODE_NONE when it has no plain one. */
uint32_t method_self(const struct nodes *ns, uint32_t function);

/* Offer the class as a function. */
void dissolve_closure(struct draft *d, const struct names *names,
                      uint32_t class);

/* Offer its methods that need no object as functions. */
void dissolve_statics(struct draft *d, const struct names *names,
                      uint32_t class);

#endif
