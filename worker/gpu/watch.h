/* watch.h - the helper process (helper.h), seen from the worker.
 *
 * A watch lives from watch_start() until its gone callback returns. gone is
 * called exactly once, from the loop and never from inside watch_start(), after
 * every handle is closed. A helper that falls silent, its library hanging, is
 * killed and not waited for. */
#ifndef AUTODD_GPU_WATCH_H
#define AUTODD_GPU_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

struct uv_loop_s;
struct json;
struct watch;

struct watch_events {
    /* A frame of the helper; borrowed. */
    void (*frame)(void *arg, const char *type, const struct json *frame);
    /* Over; `why` as a sentence, borrowed; NULL after watch_stop(). `silent`:
     * it was there, and hangs. */
    void (*gone)(void *arg, const char *why, bool silent);
};

/* `self`: path of this program. `silent_ms`: without any frame, it hangs. */
struct watch *watch_start(struct uv_loop_s *loop, const char *self,
                          unsigned silent_ms, const struct watch_events *events,
                          void *arg);

/* End it; gone follows. */
void watch_stop(struct watch *watch);

pid_t watch_pid(const struct watch *watch); /* 0: not running */

#endif
