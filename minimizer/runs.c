#include "minimizer/runs.h"

void run_kinds_count(struct run_kinds *kinds, const struct observation *o)
{
    if (o->hot)
        kinds->hot++;
    else if (o->warm)
        kinds->warm++;
    else if (o->forked)
        kinds->forked++;
    else
        kinds->fresh++;
}

void run_kinds_add(struct run_kinds *kinds, const struct run_kinds *more)
{
    kinds->fresh += more->fresh;
    kinds->forked += more->forked;
    kinds->warm += more->warm;
    kinds->hot += more->hot;
}
