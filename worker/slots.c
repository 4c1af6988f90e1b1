/* A queue before a row of slots.
 *
 *   slots_take() --> waiting --slots_pull()--> slot --slot_on_done()--> result
 *                      |  cancel, drop --> result "lost"
 *
 * Whatever may let a run start ends in slots_pull(): it goes through the queue
 * in order, as long as a slot is free, and passes over the runs that have to
 * wait for the fork server. Whether the job can fork at all is known when the
 * first server is ready or gone; new interpreters do not wait for that. */
#include "worker/slots.h"

#include <stdlib.h>

#include "config/mem.h"

#define QUEUE_MAX 4096 /* runs waiting for a slot */

struct slot {
    struct slots *slots;
    struct run *run; /* NULL: free */
    uint64_t id;
};

struct waiting {
    struct waiting *next;
    struct run_request request;
};

struct slots {
    const struct run_job *job;
    struct slot *at;
    int n, busy;
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
    s->at = xcalloc((size_t)n, sizeof(*s->at));
    for (int i = 0; i < n; i++)
        s->at[i].slots = s;
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
    free((char *)waiting->request.text.data); /* owned: it was decoded */
    free(waiting->request.path);
    free(waiting->request.cwd);
    free(waiting);
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

        lose(s, first->request.id, why);
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
    waiting->request = *request;
    *request = (struct run_request){ .id = request->id };
    while (*link)
        link = &(*link)->next;
    *link = waiting;
    s->nwaiting++;
    slots_pull(s);
}

void slots_cancel(struct slots *s, uint64_t id)
{
    struct waiting **link = &s->waiting;

    for (int i = 0; i < s->n; i++)
        if (s->at[i].run && s->at[i].id == id)
            run_cancel(s->at[i].run);
    while (*link && (*link)->request.id != id)
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
    for (int i = 0; i < s->n; i++)
        if (!s->at[i].run)
            return &s->at[i];
    return NULL;
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
        slot->id = first->request.id;
        slot->run = run_start(s->job, &first->request, (int)(slot - s->at),
                              first->request.how != RUN_FRESH && s->forks,
                              slot_on_done, slot);
        s->busy++;
        free(unlink_waiting(s, link));
    }
}

static void slot_on_done(void *arg, struct observation *observation)
{
    struct slot *slot = arg;
    struct slots *s = slot->slots;

    slot->run = NULL;
    s->busy--;
    if (s->open)
        s->events->result(s->arg, slot->id, observation);
    observation_deinit(observation);
    slots_pull(s);
    s->events->freed(s->arg);
}

/* ---- the end ---- */

void slots_end(struct slots *s)
{
    s->open = false;
    forget_waiting(s);
    for (int i = 0; i < s->n; i++)
        if (s->at[i].run)
            run_kill(s->at[i].run);
}

int slots_busy(const struct slots *s)
{
    return s->busy;
}

void slots_free(struct slots *s)
{
    if (!s)
        return;
    forget_waiting(s);
    free(s->at);
    free(s);
}
