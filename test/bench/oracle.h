/* oracle.h - judges of candidates for the benches, in place of real runs.
 *
 * What a Python run would say, as far as that can be told from the text: it
 * must be well-formed, each name that is read must be bound somewhere and, at
 * the top level, before it is read (else a NameError comes first), and a few
 * words that the failure needs must be left. */
#ifndef AUTODD_BENCH_ORACLE_H
#define AUTODD_BENCH_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base.h"
#include "config/buf.h"

struct oracle {
    struct buf text; /* of the original */
    char **words;    /* needed */
    size_t nwords;
    char **builtins; /* names that nothing binds in the original */
    size_t nbuiltins;
};

/* A number from 0 to 2^31 - 1. */
uint32_t chance(uint64_t *seed);

/* The file, and the words that it and the file `ideal` have in common; false,
 * with a message, when they can't be read. */
bool oracle_load(struct oracle *oracle, const char *path, const char *ideal);

/* A script of that many statements, made by chance, in blocks and functions,
 * each statement with a name of its own and uses of earlier ones; `needed` of
 * them are. */
void oracle_make(struct oracle *oracle, unsigned lines, unsigned needed,
                 uint64_t seed);
void oracle_deinit(struct oracle *oracle);

bool oracle_says(const struct oracle *oracle, struct bytes text);

#endif
