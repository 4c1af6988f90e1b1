/* gpus.h - the GPUs of a job: which there are, which run gets which, how many
 * at a time, and which are fit for it.
 *
 * Lives from gpus_new() to gpus_free(), which may come once gpus_left() is 0.
 * Order of calls: gpus_new(); `known` once, from the loop; gpus_take() and
 * gpus_give() in pairs; gpus_stop(). Where NVML finds no GPU there is none to
 * deal out (gpus_count() is 0), and runs see what they would see anyway. */
#ifndef AUTODD_GPUS_H
#define AUTODD_GPUS_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/run.h"

struct gpus;

/* All from the loop; `voided`, `changed` and `none_left` also from inside
 * gpus_wedge() and gpus_slow(). Texts are borrowed. */
struct gpus_events {
    /* The GPUs have been found. `error`: what the user asked for is not
     * there. */
    void (*known)(void *arg, const char *error);
    /* Something the user should know. */
    void (*note)(void *arg, const char *text);
    /* So many runs at a time make sense. */
    void (*room)(void *arg, unsigned runs);
    /* What runs on this GPU now has no say, and shall be ended. */
    void (*voided)(void *arg, int gpu, const char *why);
    /* A run may be started that could not before. */
    void (*changed)(void *arg);
    /* No GPU is fit for runs any more. */
    void (*none_left)(void *arg, const char *why);
    /* gpus_left() has changed. */
    void (*left)(void *arg);
};

/* The job is borrowed; its setup says which GPUs and how many slots. */
struct gpus *gpus_new(const struct run_job *job,
                      const struct gpus_events *events, void *arg);
void gpus_free(struct gpus *gpus); /* NULL is fine */

/* How many there are, fit or not; what they are, for people (NULL: none). */
int gpus_count(const struct gpus *gpus);
const char *gpus_words(const struct gpus *gpus);

/* A GPU for one more run, the least busy one; -1: none has room now. Give it
 * back when the run is over. `place`: runs of the same one get the same GPU as
 * long as it has room, for they share a process; -1: none. `answered`: only one
 * whose canary is not asked, or under way. */
int gpus_take(struct gpus *gpus, int place, bool answered);
void gpus_give(struct gpus *gpus, int gpu);

/* What its runs get as CUDA_VISIBLE_DEVICES, and its uuid. */
const char *gpus_visible(const struct gpus *gpus, int gpu);
const char *gpus_uuid(const struct gpus *gpus, int gpu);

/* A run on it ran out of device memory while others were there too: fewer at
 * a time from now on. False: it was alone, the memory is its own affair. */
bool gpus_crowded(struct gpus *gpus, int gpu);

/* Children of so many runs may wait on it with a context from now on; none may
 * any more, and whether there may have been any. */
void gpus_may_wait(struct gpus *gpus, int gpu, unsigned children);
bool gpus_rest(struct gpus *gpus, int gpu);

/* A run on it took so long to die of SIGKILL; or does not. */
void gpus_slow(struct gpus *gpus, int gpu, uint64_t kill_ms);
void gpus_wedge(struct gpus *gpus, int gpu, const char *why);

/* End the helper and the canaries; `left` follows for each. */
void gpus_stop(struct gpus *gpus);
int gpus_left(const struct gpus *gpus);

/* A canary does not die, and will be on the loop for ever. */
bool gpus_stuck(const struct gpus *gpus);

#endif
