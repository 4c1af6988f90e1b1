/* A queue before a row of slots.
 *
 *   slots_take() --> waiting --slots_pull()--> slot --slot_on_done()--> result
 *                      |  cancel, drop --> result "lost"
 *
 * Whatever may let a run start ends in slots_pull(): it goes through the queue
 * in order, as long as a slot and a GPU are free, and passes over the runs that
 * have to wait for the fork server. A run whose GPU turned out to be bad goes
 * back to the head of the queue. Whether the job can fork at all is known when
 * the first server is ready or gone; new interpreters do not wait for that. */
#include "worker/slots.h"

#include <stdlib.h>
#include <string.h>

#include "config/base.h"
#include "config/mem.h"
#include "worker/gpu/gpus.h"
#include "worker/zygote.h"

#define QUEUE_MAX 4096 /* runs waiting for a slot */

#define NEW_IDS (UINT64_C(1) << 62) /* none that is asked for is so high */
#define TRIES_MAX 3 /* of a run whose GPU was taken from under it */

struct slot {
    struct slots *slots;
    struct run *run; /* NULL: free */
    uint64_t id;
    int gpu;                 /* -1: none in particular */
    struct waiting *request; /* what runs, to be run again; with GPUs */
    char *voided;            /* why it has no say; NULL: it has */
    bool stuck;              /* it was given up and told */
};

struct waiting {
    struct waiting *next;
    struct run_request request;
    uint64_t id; /* by which it was asked for; the request's own may be new */
    unsigned tries; /* that came to nothing */
};

struct slots {
    const struct run_job *job;
    struct slot *at; /* twice as many as run, for those that never end */
    int n, busy, stuck;
    uint64_t given_up;
    struct gpus *gpus; /* NULL: runs see what there is */
    bool open, forks_known, forks;
    struct waiting *waiting; /* in order of asking */
    size_t nwaiting;

    const struct slots_events *events;
    void *arg;
};

static void slot_on_done(void *arg, struct observation *observation);

struct slots *slots_new(const struct run_job *job, int n,
                        const struct slots_events *events, void *arg)
{
    struct slots *s = xcalloc(1, sizeof(*s));

    s->job = job;
    s->n = n;
    s->at = xcalloc(2 * (size_t)n, sizeof(*s->at));
    for (int i = 0; i < 2 * n; i++)
        s->at[i] = (struct slot){ .slots = s, .gpu = -1 };
    s->events = events;
    s->arg = arg;
    return s;
}

/* ---- the queue ---- */

static void lose(struct slots *s, uint64_t id, const char *why)
{
    struct observation observation = { .end = END_LOST, .why = xstrdup(why) };

    s->events->result(s->arg, id, &observation);
    observation_deinit(&observation);
}

/* Take *link out of the queue. */
static struct waiting *unlink_waiting(struct slots *s, struct waiting **link)
{
    struct waiting *waiting = *link;

    *link = waiting->next;
    s->nwaiting--;
    return waiting;
}

static void free_waiting(struct waiting *waiting)
{
    run_request_deinit(&waiting->request);
    free(waiting);
}

static struct waiting *copy_waiting(const struct waiting *from)
{
    struct waiting *to = xcalloc(1, sizeof(*to));

    to->id = from->id;
    to->tries = from->tries;
    run_request_copy(&to->request, &from->request);
    return to;
}

static void forget_request(struct slot *slot)
{
    if (slot->request)
        free_waiting(slot->request);
    slot->request = NULL;
}

static void forget_waiting(struct slots *s)
{
    while (s->waiting)
        free_waiting(unlink_waiting(s, &s->waiting));
}

void slots_drop(struct slots *s, const char *why)
{
    while (s->waiting) {
        struct waiting *first = unlink_waiting(s, &s->waiting);

        lose(s, first->id, why);
        free_waiting(first);
    }
}

void slots_take(struct slots *s, struct run_request *request)
{
    struct waiting **link = &s->waiting, *waiting;

    if (s->nwaiting >= QUEUE_MAX) {
        lose(s, request->id, "too many runs are waiting");
        return;
    }
    waiting = xcalloc(1, sizeof(*waiting));
    waiting->id = request->id;
    run_request_take(&waiting->request, request);
    while (*link)
        link = &(*link)->next;
    *link = waiting;
    s->nwaiting++;
    slots_pull(s);
}

void slots_cancel(struct slots *s, uint64_t id)
{
    struct waiting **link = &s->waiting;

    for (int i = 0; i < 2 * s->n; i++) {
        if (!s->at[i].run || s->at[i].id != id)
            continue;
        forget_request(&s->at[i]); /* it is not to be run again */
        run_cancel(s->at[i].run);
    }
    while (*link && (*link)->id != id)
        link = &(*link)->next;
    if (*link) {
        free_waiting(unlink_waiting(s, link));
        lose(s, id, "canceled");
    }
}

/* ---- the slots ---- */

void slots_open(struct slots *s)
{
    s->open = true;
}

void slots_set_forks(struct slots *s, bool forks)
{
    s->forks = forks;
    s->forks_known = true;
}

/* Whether a run could start now, were a slot free. */
static bool may_start(const struct slots *s, const struct run_request *request)
{
    if (request->how == RUN_FRESH)
        return true;
    return s->forks_known && (!s->forks || s->job->zygote);
}

static struct slot *free_slot(struct slots *s)
{
    if (s->busy - s->stuck >= s->n)
        return NULL;
    for (int i = 0; i < 2 * s->n; i++)
        if (!s->at[i].run)
            return &s->at[i];
    return NULL;
}

static void start(struct slot *slot, struct waiting *waiting)
{
    struct slots *s = slot->slots;
    enum run_how how = waiting->request.how; /* it is handed over below */
    bool forked = how != RUN_FRESH && s->forks;

    slot->id = waiting->id;
    if (slot->gpu >= 0)
        slot->request = copy_waiting(waiting);
    slot->run = run_start(s->job, &waiting->request, (int)(slot - s->at),
                          forked, slot_on_done, slot);
    if (slot->gpu >= 0)
        run_set_gpu(slot->run, gpus_visible(s->gpus, slot->gpu),
                    gpus_uuid(s->gpus, slot->gpu));
    if (slot->gpu >= 0 && forked && (how == RUN_WARM || how == RUN_HOT))
        gpus_may_wait(s->gpus, slot->gpu, (unsigned)s->n);
    s->busy++;
}

/* A hot child keeps its GPU. */
static int place_of(const struct run_request *request)
{
    return request->how == RUN_HOT ? (int)request->lane : -1;
}

/* The final check is made where no canary is asked: there is no other run after
 * it that could find out what the canary says. */
static bool is_final(const struct run_request *request)
{
    return request->path != NULL;
}

void slots_pull(struct slots *s)
{
    struct waiting **link = &s->waiting;

    while (s->open && *link) {
        struct waiting *first = *link;
        struct slot *slot = free_slot(s);

        if (!slot)
            break;
        if (!may_start(s, &first->request)) {
            link = &first->next;
            continue;
        }
        slot->gpu = s->gpus ? gpus_take(s->gpus, place_of(&first->request),
                                        is_final(&first->request))
                            : -1;
        if (s->gpus && slot->gpu < 0) {
            if (!is_final(&first->request))
                break;
            link = &first->next;
            continue;
        }
        start(slot, first);
        free(unlink_waiting(s, link));
    }
}

/* End the children that wait with a context. False: there were none. */
static bool rest(struct slots *s, int gpu)
{
    if (!gpus_rest(s->gpus, gpu))
        return false;
    if (s->job->zygote)
        zygote_rest(s->job->zygote, gpus_visible(s->gpus, gpu), true);
    return true;
}

void slots_rest(struct slots *s, bool all)
{
    if (s->job->zygote)
        zygote_rest(s->job->zygote, NULL, all);
}

/* The run did not fit into the memory of its GPU beside others: then it is none
 * of its own doing. Children that wait are counted with them once. */
static bool was_crowded(const struct slot *slot,
                        const struct observation *observation)
{
    static const char text[] = "out of memory";
    const char *message = observation->exc_message;
    const char *type = observation->exc_type;
    bool crowded, rested;

    if (slot->gpu < 0 || (!(message && strstr(message, text)) &&
                          !(type && strstr(type, "OutOfMemory"))))
        return false;
    crowded = gpus_crowded(slot->slots->gpus, slot->gpu);
    rested = rest(slot->slots, slot->gpu);
    return crowded || (rested && slot->request && slot->request->tries == 0);
}

/* Back to the head of the queue; false: tried too often. */
static bool try_again(struct slot *slot)
{
    struct slots *s = slot->slots;
    struct waiting *again = slot->request;

    if (!again || ++again->tries >= TRIES_MAX)
        return false;
    slot->request = NULL;
    again->next = s->waiting;
    s->waiting = again;
    s->nwaiting++;
    return true;
}

/* What is said of a run that is over. */
static void tell(struct slot *slot, const struct observation *observation)
{
    struct slots *s = slot->slots;
    const char *why = slot->voided;

    if (!s->open || slot->stuck)
        return;
    if (!why && was_crowded(slot, observation))
        why = "out of memory, with other runs on the same GPU";
    if (!why)
        s->events->result(s->arg, slot->id, observation);
    else if (!try_again(slot))
        lose(s, slot->id, why);
}

static void slot_clear(struct slot *slot)
{
    struct slots *s = slot->slots;

    if (slot->gpu >= 0)
        gpus_give(s->gpus, slot->gpu);
    s->stuck -= slot->stuck;
    forget_request(slot);
    free(slot->voided);
    *slot = (struct slot){ .slots = s, .gpu = -1 };
}

static void slot_on_done(void *arg, struct observation *observation)
{
    struct slot *slot = arg;
    struct slots *s = slot->slots;

    slot->run = NULL;
    s->busy--;
    tell(slot, observation);
    observation_deinit(observation);
    slot_clear(slot);
    slots_pull(s);
    s->events->freed(s->arg);
}

/* ---- GPUs ---- */

void slots_set_gpus(struct slots *s, struct gpus *gpus)
{
    s->gpus = gpus;
}

int slots_gpu(const struct slots *s, int slot)
{
    return s->at[slot].gpu;
}

void slots_void(struct slots *s, int gpu, const char *why)
{
    rest(s, gpu);
    for (int i = 0; i < 2 * s->n; i++) {
        struct slot *slot = &s->at[i];

        if (!slot->run || slot->gpu != gpu || slot->voided)
            continue;
        slot->voided = xstrdup(why);
        run_kill(slot->run);
    }
}

void slots_give_up(struct slots *s, int at, const char *why)
{
    struct slot *slot = &s->at[at];

    if (!slot->run || slot->stuck)
        return;
    if (!slot->voided)
        slot->voided = xstrdup(why);
    /* The old one keeps its folder and its name among processes. */
    if (slot->request)
        slot->request->request.id = NEW_IDS + ++s->given_up;
    if (s->open && !try_again(slot))
        lose(s, slot->id, slot->voided);
    slot->stuck = true;
    s->stuck++;
    slots_pull(s);
    s->events->freed(s->arg);
}

int slots_stuck(const struct slots *s)
{
    return s->stuck;
}

/* ---- the end ---- */

void slots_end(struct slots *s)
{
    s->open = false;
    forget_waiting(s);
    for (int i = 0; i < 2 * s->n; i++)
        if (s->at[i].run)
            run_kill(s->at[i].run);
}

int slots_busy(const struct slots *s)
{
    return s->busy - s->stuck;
}

void slots_free(struct slots *s)
{
    if (!s)
        return;
    forget_waiting(s);
    for (int i = 0; i < 2 * s->n; i++) {
        forget_request(&s->at[i]);
        free(s->at[i].voided);
    }
    free(s->at);
    free(s);
}
