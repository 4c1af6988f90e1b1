#include "minimizer/search/odds.h"

#include "minimizer/search/rate.h"

#define FIRST_TRIES 8u /* the weight of the first values */
#define CELL_FADE 40u
#define KIND_FADE 16u
#define LEAST (RATE_ONE / 50)

/* Percent, by size: from more than half of the text to a hundredth. */
static const uint8_t first[ODDS_CLASSES][ODDS_SIZES] = {
    [ODDS_NEW] = { 9, 19, 30, 45, 55, 55, 60, 60 },
    [ODDS_LOST] = { 10, 10, 10, 10, 10, 10, 10, 10 },
    [ODDS_REPEATED] = { 4, 4, 4, 4, 4, 4, 4, 4 },
    [ODDS_UNION] = { 5, 5, 40, 80, 80, 80, 80, 80 },
};

void odds_init(struct odds *odds)
{
    *odds = (struct odds){ 0 };
    for (unsigned c = 0; c < ODDS_CLASSES; c++)
        for (unsigned s = 0; s < ODDS_SIZES; s++)
            odds->cells[c][s] = (struct odds_cell){
                .yes = FIRST_TRIES * first[c][s] * RATE_ONE / 100,
                .tries = FIRST_TRIES * RATE_ONE,
            };
}

/* How often the text can be halved until what goes is left. */
static unsigned size_of(const struct odds_case *what)
{
    uint64_t saved = what->saved > 0 ? (uint64_t)what->saved + 1 : 1;
    unsigned halves = 0;

    while (halves + 1 < ODDS_SIZES && saved * 2 <= what->length) {
        saved *= 2;
        halves++;
    }
    return halves;
}

static uint32_t within(uint64_t odds)
{
    if (odds < LEAST)
        return LEAST;
    return odds < RATE_ONE - LEAST ? (uint32_t)odds : RATE_ONE - LEAST;
}

static uint32_t of_size(const struct odds *odds, const struct odds_case *what)
{
    const struct odds_cell *cell = &odds->cells[what->class][size_of(what)];

    return within((uint64_t)cell->yes * RATE_ONE / cell->tries);
}

uint32_t odds_of(const struct odds *odds, const struct odds_case *what)
{
    const struct odds_kind *kind = &odds->kinds[what->kind];
    uint64_t rate = of_size(odds, what), yes, no;

    if (what->class != ODDS_NEW)
        return (uint32_t)rate;
    /* Below 2^16 * 2^21 * 2^21. */
    yes = rate * (kind->yes + RATE_ONE) *
          (kind->tries - kind->expected + RATE_ONE);
    no = (RATE_ONE - rate) * (kind->expected + RATE_ONE) *
         (kind->tries - kind->yes + RATE_ONE);
    return within((yes >> 16) * RATE_ONE / ((yes >> 16) + (no >> 16) + 1));
}

void odds_note(struct odds *odds, const struct odds_case *what, bool yes)
{
    struct odds_cell *cell = &odds->cells[what->class][size_of(what)];
    struct odds_kind *kind = &odds->kinds[what->kind];
    uint32_t rate = of_size(odds, what), one = yes ? RATE_ONE : 0;

    cell->yes += one - cell->yes / CELL_FADE;
    cell->tries += RATE_ONE - cell->tries / CELL_FADE;
    if (what->class != ODDS_NEW)
        return;
    kind->yes += one - kind->yes / KIND_FADE;
    kind->expected += rate - kind->expected / KIND_FADE;
    kind->tries += RATE_ONE - kind->tries / KIND_FADE;
}
