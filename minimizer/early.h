/* early.h - runs of the final check, begun before the search is over.
 *
 * A search ends with a row of refusals, and the final check would only begin
 * after the last of them. When the best text has stood for some time, fresh
 * runs of it are begun beside the search. If nothing better is found, the final
 * check takes them over; if something is, they are dropped, and the next time
 * more patience is shown.
 *
 * Lives until its fleet is closed. The ended event comes from the loop. */
#ifndef AUTODD_EARLY_H
#define AUTODD_EARLY_H

#include <stdbool.h>
#include <stdint.h>

#include "config/base.h"
#include "minimizer/fleet/fleet.h"

#define EARLY_MAX 8 /* runs */

struct early;

/* Borrowed for its life. */
struct early_spec {
    struct fleet *fleet;
    const char *path; /* of the file that is run; NULL: the text */
    const char *cwd;  /* NULL: the run's own folder */
    unsigned runs;    /* that the final check will make */
};

struct early *early_new(const struct early_spec *spec, void (*ended)(void *arg),
                        void *arg);
void early_free(struct early *early); /* NULL is fine */

/* The best text (copied) stands in the file, and `refusals` candidates in a row
 * have been refused; 0: there will be another one. */
void early_look(struct early *early, struct bytes text, unsigned refusals,
                uint64_t timeout_ms);

/* No new ones are begun. */
void early_stop(struct early *early);

/* Take over one run of this text: `done` is called once with its observation,
 * from inside this call if the run is over. False: there is none left. */
bool early_take(struct early *early, struct bytes text, fleet_done_cb done,
                void *arg);

#endif
