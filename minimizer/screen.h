/* screen.h - with --sanitizer: a plain, forked run of a candidate before the
 * one under the sanitizer, which takes ten to a hundred times as long. What it
 * can say is no: that the failure is there the sanitizer alone can tell.
 *
 * Where the original, run plainly, ends with exit code 0, that is part of the
 * question: a candidate that ends otherwise is refused, but for what an access
 * gone wrong may lead to when memory lies otherwise (an error of CUDA, a
 * signal, a lack of memory). And where the original makes a CUDA context, one
 * that ends without has launched no kernel. */
#ifndef AUTODD_SCREEN_H
#define AUTODD_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

#include "config/buf.h"
#include "config/config.h"
#include "minimizer/fleet/fleet.h"

struct screen {
    bool passes;         /* plain runs of the original end with exit code 0 */
    bool context;        /* they make a CUDA context */
    uint64_t timeout_ms; /* of a candidate's */
};

/* Whether a plain run shows that it is not worth a run under the sanitizer;
 * then the words why go to `why`, if not NULL. Pure. */
bool screen_refuses(const struct screen *screen,
                    const struct observation *observation, struct buf *why);

/* All borrowed until done. */
struct screen_spec {
    const struct config *config;
    struct fleet *fleet;
    struct bytes text; /* the original */
    char *cwd;         /* NULL: the run's own folder */
};

/* Run the original plainly, a few times. `done` comes once, from the loop; the
 * screen is borrowed, and NULL where plain runs can refuse nothing. */
void screen_check(const struct screen_spec *spec,
                  void (*done)(void *arg, const struct screen *screen),
                  void *arg);

#endif
