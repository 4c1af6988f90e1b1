/* A packet that comes is told by the member it has: {"started": 7, ...} is of
 * the row `started` of `kinds`, and its value is the number of the fork, or a
 * text. Missing members are taken for harmless ones: what is right is for the
 * zygote's owner to judge. Strings of bytes go out as base64. */
#include "worker/packet.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/socket.h>

#include "config/base.h"
#include "config/err.h"
#include "config/json.h"
#include "config/log.h"

#define LINES_MAX (1u << 16) /* of what could not be imported */

/* ---- to the zygote ---- */

static void put_words(struct json *object, const char *key,
                      const struct strings *words)
{
    struct buf buf;

    buf_init(&buf, FRAME_MAX_BYTES);
    for (size_t i = 0; i < words->n; i++)
        buf_add(&buf, words->at[i], strlen(words->at[i]) + 1);
    json_put_bytes(object, key, buf_bytes(&buf));
    buf_deinit(&buf);
}

static void put_text(struct json *object, const char *key, const char *text)
{
    json_put_bytes(object, key, bytes_of(text, strlen(text)));
}

int packet_settings(const struct job_setup *setup, struct buf *out)
{
    struct json *config = json_new_object();
    struct json *preload = json_new_array();
    int error;

    put_text(config, "script_dir", setup->script_dir);
    put_words(config, "argv", &setup->argv);
    put_words(config, "early_env", &setup->early_env);
    for (size_t i = 0; i < setup->preload.n; i++)
        json_push_str(preload, setup->preload.at[i]);
    json_put(config, "preload", preload);
    error = json_write(config, out);
    json_free(config);
    return error;
}

char *packet_request(const struct fork_request *request, size_t *len)
{
    struct json *message = json_new_object();
    struct buf buf;

    buf_init(&buf, PACKET_MAX);
    json_put_int(message, "run", (int64_t)request->id);
    put_text(message, "path", request->path);
    put_text(message, "cwd", request->cwd);
    put_words(message, "env", request->env);
    if (request->trace)
        put_text(message, "trace", request->trace);
    if (request->values)
        put_text(message, "values", request->values);
    if (request->loads)
        json_put_bool(message, "loads", true);
    if (request->compared)
        json_put_str(message, "compared", request->compared);
    if (request->bounds)
        json_put_int(message, "bounds", request->bounds);
    if (request->learn)
        json_put_bool(message, "learn", true);
    if (request->warm)
        json_put_int(message, "warm", request->warm);
    if (request->hot) {
        json_put_int(message, "lane", request->hot->lane);
        json_put_int(message, "generation", request->hot->generation);
    }
    if (json_write(message, &buf) != 0) {
        buf_clear(&buf);
        buf_addf(&buf, "{\"run\": %" PRIu64 "}", request->id);
    }
    json_free(message);
    return buf_take(&buf, len);
}

char *packet_rest(const char *visible, bool all, size_t *len)
{
    struct json *message = json_new_object();
    struct buf buf;

    buf_init(&buf, PACKET_MAX);
    json_put_bool(message, "rest", all);
    if (visible)
        put_text(message, "visible", visible);
    if (json_write(message, &buf) != 0)
        buf_clear(&buf); /* no name of a GPU is so long */
    json_free(message);
    return buf_take(&buf, len);
}

int packet_send(int socket, const char *data, size_t len, const int fds[2])
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(2 * sizeof(*fds))];
    } control = { 0 };
    struct iovec iov = { .iov_base = (char *)(uintptr_t)data, .iov_len = len };
    struct msghdr message = {
        .msg_iov = &iov,
        .msg_iovlen = 1,
        .msg_control = control.room,
        .msg_controllen = sizeof(control.room),
    };
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(2 * sizeof(*fds));
    memcpy(CMSG_DATA(header), fds, 2 * sizeof(*fds));
    return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno
                                                                      : 0;
}

/* ---- from the zygote ---- */

static void read_ready(struct packet *p)
{
    const struct json *skipped = json_get(p->message, "skipped");

    for (size_t i = 0; i < json_len(skipped); i++) {
        const struct json *one = json_at(skipped, i);
        const char *name = json_at_str(one, 0), *why = json_at_str(one, 1);

        if (name && why)
            buf_addf(&p->lines, "%s%s: %s", p->lines.len ? "\n" : "", name,
                     why);
    }
    p->text = p->lines.len ? buf_str(&p->lines) : NULL;
}

static void read_failed(struct packet *p)
{
    p->text = json_get_str(p->message, "failed", "");
}

static void read_started(struct packet *p)
{
    p->pid = json_get_int(p->message, "pid", 0);
    p->text = json_get_str(p->message, "loads", NULL);
}

static void read_ended(struct packet *p)
{
    const struct json *from = p->message;

    p->end = (struct fork_end){
        .exit_code = (int)json_get_int(from, "exit", 0),
        .signal = (int)json_get_int(from, "signal", 0),
        .cpu_ms = (uint64_t)json_get_int(from, "cpu_ms", 0),
        .peak_rss = (uint64_t)json_get_int(from, "maxrss", 0),
        .cuda = json_get_bool(from, "cuda", false),
        .warm = json_get_bool(from, "warm", false),
        .kept = json_get_bool(from, "kept", false),
        .hot = (uint64_t)json_get_int(from, "hot", 0),
        .turn = (uint64_t)json_get_int(from, "turn", 0),
        .learned = (uint32_t)json_get_int(from, "learned", 0),
        .shown = (uint32_t)json_get_int(from, "shown", 0),
        .figures = (uint32_t)json_get_int(from, "figures", 0),
        .reach = (unsigned)json_get_int(from, "reach", 0) & REACH_ALL,
    };
    if (json_get_str(from, "why", NULL))
        log_debug("zygote: hot child %lld is given up: %s",
                  (long long)p->end.hot, json_get_str(from, "why", ""));
}

static void read_syntax(struct packet *p)
{
    p->exc_type = json_get_str(p->message, "type", "SyntaxError");
    p->text = json_get_str(p->message, "message", "");
}

static void read_lost(struct packet *p)
{
    p->text = json_get_str(p->message, "why", "the fork failed");
}

static void read_restart(struct packet *p)
{
    (void)p;
}

static const struct {
    const char *key;
    void (*read)(struct packet *p);
} kinds[] = {
    [PACKET_READY] = { "ready", read_ready },
    [PACKET_FAILED] = { "failed", read_failed },
    [PACKET_STARTED] = { "started", read_started },
    [PACKET_ENDED] = { "ended", read_ended },
    [PACKET_SYNTAX] = { "syntax", read_syntax },
    [PACKET_LOST] = { "lost", read_lost },
    [PACKET_RESTART] = { "restart", read_restart },
};

int packet_read(const char *data, size_t len, struct packet *packet)
{
    struct err err;
    size_t type = 0;

    *packet = (struct packet){ .message = json_parse(data, len, &err) };
    if (!packet->message)
        return -EINVAL;
    buf_init(&packet->lines, LINES_MAX);
    while (type < ARRAY_LEN(kinds) &&
           !json_has(packet->message, kinds[type].key))
        type++;
    packet->type = PACKET_UNKNOWN;
    if (type < ARRAY_LEN(kinds)) {
        packet->type = (enum packet_type)type;
        packet->id = json_get_int(packet->message, kinds[type].key, -1);
        kinds[type].read(packet);
    }
    return 0;
}

void packet_deinit(struct packet *packet)
{
    buf_deinit(&packet->lines);
    json_free(packet->message);
}
