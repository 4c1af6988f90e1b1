/* fleet.h - the workers of one job, seen from the search: a number of slots
 * that take runs and give observations.
 *
 * A fleet lives from fleet_new() until the closed callback of fleet_close().
 * A worker that dies or falls silent is started again, and the runs it held go
 * back to the queue; a run that lost its worker three times is answered by an
 * observation with END_LOST. Every run that is not dropped is answered exactly
 * once, from the loop
 * and never from inside fleet_run(). */
#ifndef AUTODD_FLEET_H
#define AUTODD_FLEET_H

#include <stdbool.h>
#include <stdint.h>

#include "config/err.h"
#include "worker/protocol.h"

struct uv_loop_s;
struct fleet;

struct fleet_events {
    /* The first worker has answered the setup: ready->ok or not. */
    void (*ready)(void *arg, const struct ready *ready);
    /* Text from a worker for the user. */
    void (*note)(void *arg, const char *text);
    /* No worker can be kept running; outstanding runs are answered with
     * END_LOST. */
    void (*failed)(void *arg, const struct err *err);
};

/* Called once a run, with an observation that is borrowed. */
typedef void (*fleet_done_cb)(void *arg, const struct observation *observation);

/* `argv` starts one worker (a launcher may stand before it); argv and setup
 * are borrowed for the fleet's life. */
struct fleet *fleet_new(struct uv_loop_s *loop, const char *const *argv,
                        const struct job_setup *setup,
                        const struct fleet_events *events, void *arg);

/* What runs that are queued from now on are helped by, a set of enum run_aid;
 * at first nothing. */
void fleet_set_aids(struct fleet *fleet, unsigned aids);
unsigned fleet_aids(const struct fleet *fleet);

/* Queue a run; its id is given by the fleet, and so are its aids. Its text is
 * copied. */
void fleet_run(struct fleet *fleet, const struct run_request *request,
               fleet_done_cb done, void *arg);

/* The same without some of the aids. */
void fleet_run_without(struct fleet *fleet, const struct run_request *request,
                       unsigned aids, fleet_done_cb done, void *arg);

/* Slots that could start a run now: free ones less the runs that wait. */
unsigned fleet_free_slots(const struct fleet *fleet);

/* End the run that was queued with this `arg`, and never answer it. There is
 * such a run, and one only. */
void fleet_drop(struct fleet *fleet, const void *arg);

/* Runs have used warm or hot children, and for now need no more of them: those
 * that wait are ended. A run that asks for one has a new one made. */
void fleet_rest(struct fleet *fleet, enum rest what);

/* End all runs early; each is still answered (END_LOST, "cancelled"). */
void fleet_cancel(struct fleet *fleet);

/* Stop the workers in good order, answer what is out (END_LOST), then call
 * `closed` and free the fleet. */
void fleet_close(struct fleet *fleet, void (*closed)(void *arg), void *arg);

/* Milliseconds since some start, by the loop's clock. */
uint64_t fleet_now_ms(const struct fleet *fleet);

#endif
