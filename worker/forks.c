/* asked --sent--> silent --started--> running --ended--> off the list
 *    `-------------- syntax, lost, the server's end ------'
 *
 * A request waits with its two descriptors until the socket has room; they are
 * closed here once sent. A word of a fork that is not listed, or not the next
 * one due, is of no effect. */
#include "worker/forks.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "config/err.h"
#include "config/log.h"
#include "config/mem.h"

struct child_fork {
    struct child_fork *next;
    uint64_t id;
    const struct fork_events *events;
    void *arg;
    bool started;
    uint64_t asked_ms; /* loop time */
    int fds[2];        /* closed once sent */
    char *packet;      /* NULL once sent */
    size_t packet_len;
};

void forks_add(struct forks *forks, const struct fork_request *request,
               const struct fork_events *events, void *arg, uint64_t now_ms)
{
    struct child_fork *f = xcalloc(1, sizeof(*f));
    struct child_fork **link = &forks->first;

    f->id = request->id;
    f->events = events;
    f->arg = arg;
    f->fds[0] = request->out;
    f->fds[1] = request->err;
    f->packet = packet_request(request, &f->packet_len);
    f->asked_ms = now_ms;
    while (*link)
        link = &(*link)->next;
    *link = f;
}

static void drop_packet(struct child_fork *f)
{
    if (!f->packet)
        return;
    close(f->fds[0]);
    close(f->fds[1]);
    free(f->packet);
    f->packet = NULL;
}

bool forks_send(struct forks *forks, int socket)
{
    for (struct child_fork *f = forks->first; f; f = f->next) {
        if (!f->packet)
            continue;

        int error = packet_send(socket, f->packet, f->packet_len, f->fds);

        if (error == -EAGAIN)
            return true;
        drop_packet(f);
        if (error) /* its end of the socket tells the rest */
            log_debug("zygote: a request is lost: %s", err_name(error));
    }
    return false;
}

bool forks_silent(const struct forks *forks, uint64_t *asked_ms)
{
    for (const struct child_fork *f = forks->first; f; f = f->next) {
        if (!f->started) {
            *asked_ms = f->asked_ms;
            return true;
        }
    }
    return false;
}

static struct child_fork **fork_find(struct forks *forks, int64_t id)
{
    struct child_fork **link = &forks->first;

    while (*link && (int64_t)(*link)->id != id)
        link = &(*link)->next;
    return link;
}

/* Take a fork out of the list for its last event. */
static struct child_fork fork_take(struct child_fork **link)
{
    struct child_fork *f = *link, copy = *f;

    drop_packet(f);
    *link = f->next;
    free(f);
    return copy;
}

static void hear_started(struct child_fork *f, const struct packet *p)
{
    if (f->started || p->pid <= 1 || p->pid > INT32_MAX)
        return;
    f->started = true;
    f->events->started(f->arg, (pid_t)p->pid, p->text);
}

static void hear_last(const struct child_fork *f, const struct packet *p)
{
    if (p->type == PACKET_SYNTAX)
        f->events->syntax(f->arg, p->exc_type, p->text);
    else if (p->type == PACKET_LOST)
        f->events->lost(f->arg, p->text);
    else if (!f->started)
        f->events->lost(f->arg, "the fork ended before it could run");
    else
        f->events->ended(f->arg, &p->end);
}

void forks_hear(struct forks *forks, const struct packet *packet)
{
    struct child_fork **link = fork_find(forks, packet->id);

    if (!*link)
        return;
    if (packet->type == PACKET_STARTED) {
        hear_started(*link, packet);
        return;
    }

    struct child_fork f = fork_take(link);

    hear_last(&f, packet);
}

void forks_lose(struct forks *forks, const char *why)
{
    while (forks->first) {
        struct child_fork f = fork_take(&forks->first);

        f.events->lost(f.arg, why);
    }
}
