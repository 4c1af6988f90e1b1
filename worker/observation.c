/* What is done with an observation away from frames (protocol.h): its strings
 * and lines are all its own, so a copy is deep and the end frees each. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "worker/protocol.h"

void observation_deinit(struct observation *o)
{
    for (size_t i = 0; i < o->nmatches; i++)
        for (size_t k = 0; k < o->matches[i].nlines; k++)
            free(o->matches[i].lines[k]);
    free(o->matches);
    free(o->why);
    free(o->gpu);
    free(o->exc_type);
    free(o->exc_message);
    free(o->exc_frames);
    free(o->out);
    free(o->err);
    free(o->ran);
    free(o->values);
    free(o->loads);
    memset(o, 0, sizeof(*o));
}

void observation_copy(struct observation *to, const struct observation *from)
{
    *to = *from;
    to->why = xstrdup(from->why);
    to->gpu = xstrdup(from->gpu);
    to->exc_type = xstrdup(from->exc_type);
    to->exc_message = xstrdup(from->exc_message);
    to->exc_frames = xstrdup(from->exc_frames);
    to->ran = xstrdup(from->ran);
    to->values = xstrdup(from->values);
    to->loads = xstrdup(from->loads);
    to->out = from->out ? xmemdup(from->out, from->out_len) : NULL;
    to->err = from->err ? xmemdup(from->err, from->err_len) : NULL;
    to->matches = xcalloc(from->nmatches + 1, sizeof(*to->matches));
    for (size_t i = 0; i < from->nmatches; i++) {
        to->matches[i] = from->matches[i];
        for (size_t k = 0; k < from->matches[i].nlines; k++)
            to->matches[i].lines[k] = xstrdup(from->matches[i].lines[k]);
    }
}

const char *observation_ending(const struct observation *o, char *out,
                               size_t size)
{
    const char *why = o->why ? o->why : "no reason given";

    switch (o->end) {
    case END_EXIT:
        snprintf(out, size, "exit %d", o->exit_code);
        break;
    case END_SIGNAL:
        if (sigabbrev_np(o->signal))
            snprintf(out, size, "signal SIG%s", sigabbrev_np(o->signal));
        else
            snprintf(out, size, "signal %d", o->signal);
        break;
    case END_TIMEOUT:
        snprintf(out, size, "timeout");
        break;
    case END_LIMIT:
        snprintf(out, size, "limit: %s", why);
        break;
    case END_SYNTAX:
        snprintf(out, size, "does not compile");
        break;
    case END_LOST:
        snprintf(out, size, "lost: %s", why);
        break;
    }
    return out;
}
