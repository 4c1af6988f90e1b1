/* odds.h - how likely is a candidate to be a yes?
 *
 * Said before its run, so that the search can go on in the likelier way while
 * it runs. Three things tell most of it: whether the same was refused before or
 * would leave a name undefined; how large a part of the text goes; and how the
 * kind of edit has done of late, against what its sizes let expect. The first
 * two are a table of rates whose first values come from runs of many scripts,
 * and which learns as the search goes on; the third is a factor to that rate's
 * odds. In whole numbers, as rate.h. */
#ifndef AUTODD_ODDS_H
#define AUTODD_ODDS_H

#include <stdbool.h>
#include <stdint.h>

#include "grammar/generator.h"

#define ODDS_SIZES 8

enum odds_class {
    ODDS_NEW,
    ODDS_LOST,     /* leaves a name without its definition */
    ODDS_REPEATED, /* was refused before where it stands */
    ODDS_UNION,
    ODDS_CLASSES
};

struct odds_cell {
    uint32_t yes, tries; /* faded, times RATE_ONE */
};

struct odds_kind {
    uint32_t yes, expected, tries; /* so too */
};

struct odds {
    struct odds_cell cells[ODDS_CLASSES][ODDS_SIZES];
    struct odds_kind kinds[EDIT_KINDS];
};

/* What is asked about. */
struct odds_case {
    enum odds_class class;
    unsigned kind;   /* of ODDS_NEW */
    int64_t saved;   /* bytes that go */
    uint64_t length; /* of the text */
};

void odds_init(struct odds *odds);

/* Of RATE_ONE, and never certain. */
uint32_t odds_of(const struct odds *odds, const struct odds_case *what);

void odds_note(struct odds *odds, const struct odds_case *what, bool yes);

#endif
