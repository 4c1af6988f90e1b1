/* tail.h - the last few thousand bytes of what a program has printed, for the
 * line that says why it failed. Lives in its owner's struct; all zero is an
 * empty one. */
#ifndef AUTODD_TAIL_H
#define AUTODD_TAIL_H

#include <stdbool.h>
#include <stddef.h>

#define TAIL_MAX 4096

struct tail {
    char text[TAIL_MAX];
    size_t len;
};

/* `n` is at most TAIL_MAX; what comes first falls out. */
void tail_add(struct tail *tail, const char *data, size_t n);

/* The last line that is not empty, made fit for a message (log_safe()) and cut
 * to `size`. False, and nothing in out, when there is none. */
bool tail_last_line(const struct tail *tail, char *out, size_t size);

#endif
