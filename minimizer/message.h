/* message.h - the lines of an exception's message that say something. Pure.
 *
 * Left out are blank lines and those that quote source: Triton's dump below
 * "at 4:8:" up to its caret, TVM's "  --> file:6:1" and what stands behind a
 * "6 |" margin. */
#ifndef AUTODD_MESSAGE_H
#define AUTODD_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "config/base.h"

struct message_lines {
    const char *rest; /* set to the message before the first call */
    bool in_dump;
};

/* The next such line; false at the end. */
bool message_next(struct message_lines *lines, struct bytes *line);

/* The first one: empty when there is none. */
struct bytes message_headline(const char *message);

/* Whether a text on one line stands in a line that counts. */
bool message_says(const char *message, const char *text);

#endif
