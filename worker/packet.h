/* packet.h - what the worker and zygote.py say to each other: the program's
 * settings, and one JSON object a packet on their socket. */
#ifndef AUTODD_PACKET_H
#define AUTODD_PACKET_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "config/buf.h"
#include "worker/zygote.h"

#define PACKET_MAX (1u << 17) /* bytes; as in zygote.py */

struct json;

/* ---- to the zygote ---- */

/* Append the content of zygote.json. 0 or -E2BIG. */
int packet_settings(const struct job_setup *setup, struct buf *out);

/* The packet that asks for a fork; the caller frees it. One too long becomes
 * its number alone, and comes back as lost. */
char *packet_request(const struct fork_request *request, size_t *len);

/* The packet for zygote_rest(). */
char *packet_rest(const char *visible, bool all, size_t *len);

/* Send a packet with two descriptors, which stay open here. 0, or a negative
 * errno: -EAGAIN when there is no room now. Does not block. */
int packet_send(int socket, const char *data, size_t len, const int fds[2]);

/* ---- from the zygote ---- */

enum packet_type {
    PACKET_READY,   /* text: what it goes without, one line each, or NULL */
    PACKET_FAILED,  /* text: why it can't serve */
    PACKET_STARTED, /* id, pid; text: what it loads, or NULL */
    PACKET_ENDED,   /* id, end */
    PACKET_SYNTAX,  /* id, exc_type, text */
    PACKET_LOST,    /* id, text: why */
    PACKET_RESTART, /* it has grown */
    PACKET_UNKNOWN
};

/* Members that its type does not name are zero. */
struct packet {
    enum packet_type type;
    int64_t id; /* of the fork; -1 for a bad one */
    int64_t pid;
    struct fork_end end;
    const char *exc_type, *text;

    struct json *message; /* these two hold the texts */
    struct buf lines;
};

/* Read one packet; end it with packet_deinit(). -EINVAL for what is no JSON
 * object, and nothing to deinit then. */
int packet_read(const char *data, size_t len, struct packet *packet);
void packet_deinit(struct packet *packet);

#endif
