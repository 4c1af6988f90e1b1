/* progress.h - what the user sees of a session: one live line on a terminal,
 * plain lines elsewhere, JSON events (one object a line, on stdout) on request.
 * Messages go to stderr. */
#ifndef AUTODD_PROGRESS_H
#define AUTODD_PROGRESS_H

#include <stdbool.h>

#include "config/config.h"
#include "minimizer/session.h"

struct progress {
    bool json, quiet, live;
    bool drawn;       /* a live line stands there */
    uint64_t last_ms; /* of the last plain line */
    uint64_t last_accepted;
};

/* Decides from the options and from whether stderr is a terminal. */
void progress_init(struct progress *progress, const struct config *config);

void progress_say(struct progress *progress, enum say_kind kind,
                  const char *text);
void progress_phase(struct progress *progress, enum session_phase phase);
void progress_accepted(struct progress *progress, const char *kind,
                       const struct session_view *view);

/* A few times a second: redraw the live line, or now and then a plain one. */
void progress_tick(struct progress *progress, const struct session_view *view);

/* The end: the result with its text (when it is short), how often it failed
 * again, runs, time; or nothing when the session said why there is none. */
void progress_done(struct progress *progress, enum exit_code code,
                   const struct session_view *view, struct bytes text);

#endif
