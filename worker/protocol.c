/* Frames as JSON. Each frame type is one row of `kinds`: its name, and the
 * three functions that write, read and free its part of struct frame; they
 * stand next to each other, in that order.
 *
 * Text that is valid UTF-8 without zero bytes is a JSON string. Any other is
 * {"base64": "..."}, so that what a run prints survives byte for byte. A
 * NULL string is left out. Numbers are JSON integers, so above 2^63-1 they are
 * cut to that.
 *
 * Reading trusts nothing. A reader remembers its first complaint and goes on
 * with harmless values; the caller looks once, at the end, and then frees
 * whatever was read. */
#include "worker/protocol.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/json.h"
#include "config/mem.h"

#define PATTERNS_MAX 64     /* of a job */
#define LIST_MAX 10000      /* elements of any list */
#define SLOTS_MAX 4096      /* of a worker */
#define LINE_MAX_BYTES 1024 /* of pattern_match.lines */

/* ---- writing ---- */

/* Length of the UTF-8 sequence at `p`, 0 if there is no valid one. */
static size_t utf8_length(const unsigned char *p, size_t left)
{
    static const struct {
        unsigned char mask, lead, low, high; /* range of the second byte */
        size_t len;
    } forms[] = {
        { 0xff, 0xe0, 0xa0, 0xbf, 3 }, /* no overlong */
        { 0xff, 0xed, 0x80, 0x9f, 3 }, /* no surrogates */
        { 0xff, 0xf0, 0x90, 0xbf, 4 }, /* no overlong */
        { 0xff, 0xf4, 0x80, 0x8f, 4 }, /* nothing above 10FFFF */
        { 0xf0, 0xe0, 0x80, 0xbf, 3 }, { 0xfc, 0xf0, 0x80, 0xbf, 4 },
        { 0xe0, 0xc0, 0x80, 0xbf, 2 },
    };

    if (p[0] < 0x80)
        return p[0] != 0;
    if (p[0] < 0xc2)
        return 0;
    for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
        if ((p[0] & forms[i].mask) != forms[i].lead)
            continue;
        if (left < forms[i].len || p[1] < forms[i].low || p[1] > forms[i].high)
            return 0;
        for (size_t k = 2; k < forms[i].len; k++)
            if ((p[k] & 0xc0) != 0x80)
                return 0;
        return forms[i].len;
    }
    return 0;
}

static bool is_text(const char *data, size_t len)
{
    size_t at = 0;

    while (at < len) {
        size_t n = utf8_length((const unsigned char *)data + at, len - at);
        if (n == 0)
            return false;
        at += n;
    }
    return true;
}

static struct json *wrapped(const char *data, size_t len)
{
    struct json *value = json_new_object();

    json_put_bytes(value, "base64", bytes_of(data, len));
    return value;
}

static void put_bytes(struct json *to, const char *key, const char *data,
                      size_t len)
{
    if (!is_text(data, len)) {
        json_put(to, key, wrapped(data, len));
        return;
    }
    char *text = xmemdup(len ? data : "", len); /* `data` may lack the NUL */
    json_put_str(to, key, text);
    free(text);
}

static void put_text(struct json *to, const char *key, const char *s)
{
    if (!s)
        return;
    if (is_text(s, strlen(s)))
        json_put_str(to, key, s);
    else
        json_put(to, key, wrapped(s, strlen(s)));
}

static void push_text(struct json *to, const char *s)
{
    if (is_text(s, strlen(s)))
        json_push_str(to, s);
    else
        json_push(to, wrapped(s, strlen(s)));
}

static void put_list(struct json *to, const char *key, char *const *at,
                     size_t n)
{
    struct json *list = json_new_array();

    for (size_t i = 0; i < n; i++)
        push_text(list, at[i]);
    json_put(to, key, list);
}

static void put_number(struct json *to, const char *key, uint64_t n)
{
    json_put_int(to, key, n > INT64_MAX ? INT64_MAX : (int64_t)n);
}

/* ---- reading ---- */

struct reader {
    const struct json *from; /* the object whose members are read */
    const char *what;        /* "result", for the message */
    struct err *err;
    bool bad;
};

static void complain(struct reader *r, const char *key, const char *wants)
{
    if (!r->bad)
        err_set(r->err, -EINVAL, "frame \"%s\": \"%s\" must be %s", r->what,
                key, wants);
    r->bad = true;
}

/* The text that is either `s` or the bytes wrapped in `value`; NULL for
 * anything else. */
static char *unwrap(const char *s, const struct json *value, size_t *len)
{
    if (!s)
        return json_get_bytes(value, "base64", len);
    *len = strlen(s);
    return xmemdup(s, *len);
}

/* As unwrap, for text without zero bytes inside. */
static char *unwrap_string(const char *s, const struct json *value)
{
    size_t len;
    char *text = unwrap(s, value, &len);

    if (text && strlen(text) == len)
        return text;
    free(text);
    return NULL;
}

/* NULL when the member is not there. */
static char *get_text(struct reader *r, const char *key)
{
    char *text;

    if (!json_has(r->from, key))
        return NULL;
    text =
        unwrap_string(json_get_str(r->from, key, NULL), json_get(r->from, key));
    if (!text)
        complain(r, key, "text");
    return text;
}

static char *need_text(struct reader *r, const char *key)
{
    char *text = get_text(r, key);

    if (!text)
        complain(r, key, "text");
    return text;
}

static char *get_bytes(struct reader *r, const char *key, size_t *len)
{
    char *data = NULL;

    *len = 0;
    if (!json_has(r->from, key))
        return NULL;
    data =
        unwrap(json_get_str(r->from, key, NULL), json_get(r->from, key), len);
    if (!data)
        complain(r, key, "text or base64");
    return data;
}

static int64_t get_number(struct reader *r, const char *key, int64_t min,
                          int64_t max)
{
    /* min is never INT64_MIN, so what is missing or no integer is too small */
    int64_t n = json_get_int(r->from, key, min - 1);
    char wants[80];

    if (n >= min && n <= max)
        return n;
    snprintf(wants, sizeof(wants), "a number from %" PRId64 " to %" PRId64, min,
             max);
    complain(r, key, wants);
    return min;
}

static uint64_t get_size(struct reader *r, const char *key)
{
    return (uint64_t)get_number(r, key, 0, INT64_MAX);
}

static bool get_bool(struct reader *r, const char *key)
{
    bool value = json_get_bool(r->from, key, false);

    if (value != json_get_bool(r->from, key, true))
        complain(r, key, "true or false");
    return value;
}

/* Elements of the list `key`, at most `max`; what is missing or no list has
 * none. */
static size_t get_count(struct reader *r, const char *key, size_t max)
{
    size_t n = json_len(json_get(r->from, key));
    char wants[80];

    if (n <= max)
        return n;
    snprintf(wants, sizeof(wants), "a list of at most %zu", max);
    complain(r, key, wants);
    return 0;
}

static void get_texts(struct reader *r, const char *key, size_t n, char **at)
{
    const struct json *list = json_get(r->from, key);

    for (size_t i = 0; i < n; i++) {
        at[i] = unwrap_string(json_at_str(list, i), json_at(list, i));
        if (!at[i]) {
            complain(r, key, "a list of texts");
            at[i] = xstrdup("");
        }
    }
}

static struct strings get_list(struct reader *r, const char *key)
{
    struct strings list = { .n = get_count(r, key, LIST_MAX) };

    list.at = xcalloc(list.n + 1, sizeof(*list.at));
    get_texts(r, key, list.n, list.at);
    return list;
}

/* The index of the member's text in `names`. */
static unsigned get_choice(struct reader *r, const char *key,
                           const char *const *names, size_t n)
{
    const char *name = json_get_str(r->from, key, "");

    for (size_t i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0)
            return (unsigned)i;
    complain(r, key, "one of the known words");
    return 0;
}

static void free_list(struct strings *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->at[i]);
    free(list->at);
}

/* ---- hello ---- */

static void hello_encode(const struct frame *frame, struct json *to)
{
    const struct hello *hello = &frame->u.hello;

    json_put_int(to, "version", hello->version);
    json_put_int(to, "pid", hello->pid);
    put_text(to, "host", hello->host);
}

static void hello_decode(struct reader *r, struct frame *frame)
{
    struct hello *hello = &frame->u.hello;

    hello->version = (int)get_number(r, "version", 0, INT_MAX);
    hello->pid = get_number(r, "pid", 0, INT64_MAX);
    hello->host = need_text(r, "host");
}

static void hello_deinit(struct frame *frame)
{
    free(frame->u.hello.host);
}

/* ---- setup ---- */

static const char *const backend_names[] = {
    [BACKEND_AUTO] = "auto",
    [BACKEND_RUNNER] = "runner",
    [BACKEND_SUBPROC] = "subproc",
};

static void setup_encode(const struct frame *frame, struct json *to)
{
    const struct job_setup *setup = &frame->u.setup;
    struct json *patterns = json_new_array();

    for (size_t i = 0; i < setup->npatterns; i++) {
        struct json *pattern = json_new_object();
        put_text(pattern, "text", setup->patterns[i].text);
        json_put_bool(pattern, "regex", setup->patterns[i].regex);
        json_push(patterns, pattern);
    }
    json_put_int(to, "slots", setup->slots);
    put_text(to, "python", setup->python);
    put_text(to, "script_name", setup->script_name);
    put_text(to, "script_dir", setup->script_dir);
    put_list(to, "argv", setup->argv.at, setup->argv.n);
    put_list(to, "env", setup->env.at, setup->env.n);
    put_list(to, "hide", setup->hide.at, setup->hide.n);
    put_text(to, "cwd", setup->cwd);
    put_text(to, "command", setup->command);
    put_text(to, "test", setup->test);
    json_put_str(to, "backend", backend_names[setup->backend]);
    json_put(to, "patterns", patterns);
    put_list(to, "preload", setup->preload.at, setup->preload.n);
    put_list(to, "early_env", setup->early_env.at, setup->early_env.n);
    put_text(to, "mark", setup->mark);
    put_number(to, "memory_max", setup->memory_max);
    put_number(to, "file_max", setup->file_max);
    put_number(to, "procs_max", setup->procs_max);
    put_number(to, "output_max", setup->output_max);
    put_number(to, "grace_ms", setup->grace_ms);
}

static void decode_patterns(struct reader *r, struct job_setup *setup)
{
    const struct json *list = json_get(r->from, "patterns");
    size_t n = get_count(r, "patterns", PATTERNS_MAX);

    setup->patterns = xcalloc(n + 1, sizeof(*setup->patterns));
    setup->npatterns = n;
    for (size_t i = 0; i < n; i++) {
        struct reader element = *r;
        element.from = json_at(list, i);
        setup->patterns[i].text = need_text(&element, "text");
        setup->patterns[i].regex = get_bool(&element, "regex");
        r->bad = element.bad;
    }
}

/* A file name, so that a candidate can't be put outside its folder. */
static char *need_name(struct reader *r, const char *key)
{
    char *name = need_text(r, key);

    if (name && (name[0] == '\0' || strchr(name, '/') ||
                 strcmp(name, ".") == 0 || strcmp(name, "..") == 0))
        complain(r, key, "a file name without a folder");
    return name;
}

static void setup_decode(struct reader *r, struct frame *frame)
{
    struct job_setup *setup = &frame->u.setup;

    setup->slots = (int)get_number(r, "slots", 1, SLOTS_MAX);
    setup->python = need_text(r, "python");
    setup->script_name = need_name(r, "script_name");
    setup->script_dir = need_text(r, "script_dir");
    setup->argv = get_list(r, "argv");
    setup->env = get_list(r, "env");
    setup->hide = get_list(r, "hide");
    setup->cwd = get_text(r, "cwd");
    setup->command = get_text(r, "command");
    setup->test = get_text(r, "test");
    setup->backend =
        get_choice(r, "backend", backend_names, ARRAY_LEN(backend_names));
    decode_patterns(r, setup);
    setup->preload = get_list(r, "preload");
    setup->early_env = get_list(r, "early_env");
    setup->mark = need_text(r, "mark");
    setup->memory_max = get_size(r, "memory_max");
    setup->file_max = get_size(r, "file_max");
    setup->procs_max = get_size(r, "procs_max");
    /* Kept in memory, twice a run, and sent in one frame. */
    setup->output_max =
        (uint64_t)get_number(r, "output_max", 0, FRAME_MAX_BYTES / 8);
    setup->grace_ms = get_size(r, "grace_ms");
}

static void setup_deinit(struct frame *frame)
{
    struct job_setup *setup = &frame->u.setup;

    for (size_t i = 0; i < setup->npatterns; i++)
        free(setup->patterns[i].text);
    free(setup->patterns);
    free(setup->python);
    free(setup->script_name);
    free(setup->script_dir);
    free(setup->cwd);
    free(setup->command);
    free(setup->test);
    free(setup->mark);
    free_list(&setup->argv);
    free_list(&setup->env);
    free_list(&setup->hide);
    free_list(&setup->preload);
    free_list(&setup->early_env);
}

/* ---- ready ---- */

static void ready_encode(const struct frame *frame, struct json *to)
{
    const struct ready *ready = &frame->u.ready;

    json_put_bool(to, "ok", ready->ok);
    put_text(to, "error", ready->error);
    json_put_bool(to, "usage", ready->usage);
    put_text(to, "python", ready->python);
    put_text(to, "python_version", ready->python_version);
    json_put_bool(to, "forks", ready->forks);
    put_text(to, "no_fork_reason", ready->no_fork_reason);
}

static void ready_decode(struct reader *r, struct frame *frame)
{
    struct ready *ready = &frame->u.ready;

    ready->ok = get_bool(r, "ok");
    ready->error = ready->ok ? get_text(r, "error") : need_text(r, "error");
    ready->usage = get_bool(r, "usage");
    ready->python = get_text(r, "python");
    ready->python_version = get_text(r, "python_version");
    ready->forks = get_bool(r, "forks");
    ready->no_fork_reason = get_text(r, "no_fork_reason");
}

static void ready_deinit(struct frame *frame)
{
    struct ready *ready = &frame->u.ready;

    free(ready->error);
    free(ready->python);
    free(ready->python_version);
    free(ready->no_fork_reason);
}

/* ---- run ---- */

static const char *const how_names[] = {
    [RUN_FORK] = "fork",
    [RUN_FRESH] = "fresh",
    [RUN_TRACE] = "trace",
};

static void run_encode(const struct frame *frame, struct json *to)
{
    const struct run_request *run = &frame->u.run;

    put_number(to, "id", run->id);
    put_bytes(to, "text", run->text.data, run->text.len);
    json_put_str(to, "how", how_names[run->how]);
    put_number(to, "timeout_ms", run->timeout_ms);
    put_text(to, "path", run->path);
    put_text(to, "cwd", run->cwd);
}

static void run_decode(struct reader *r, struct frame *frame)
{
    struct run_request *run = &frame->u.run;

    run->id = get_size(r, "id");
    run->text.data = get_bytes(r, "text", &run->text.len);
    if (!run->text.data)
        complain(r, "text", "text or base64");
    run->how = get_choice(r, "how", how_names, ARRAY_LEN(how_names));
    run->timeout_ms = get_size(r, "timeout_ms");
    run->path = get_text(r, "path");
    run->cwd = get_text(r, "cwd");
}

static void run_deinit(struct frame *frame)
{
    free((char *)(uintptr_t)frame->u.run.text.data); /* owned here */
    free(frame->u.run.path);
    free(frame->u.run.cwd);
}

/* ---- result ---- */

static const char *const end_names[] = {
    [END_EXIT] = "exit",   [END_SIGNAL] = "signal", [END_TIMEOUT] = "timeout",
    [END_LIMIT] = "limit", [END_SYNTAX] = "syntax", [END_LOST] = "lost",
};

static void result_encode(const struct frame *frame, struct json *to)
{
    const struct observation *o = &frame->u.result;
    struct json *matches = json_new_array();

    for (size_t i = 0; i < o->nmatches; i++) {
        const struct pattern_match *m = &o->matches[i];
        struct json *match = json_new_object();
        json_put_bool(match, "in_exception", m->in_exception);
        put_number(match, "plain", m->plain);
        put_number(match, "plain_err", m->plain_err);
        put_number(match, "echo", m->echo);
        put_list(match, "lines", m->lines, m->nlines);
        json_push(matches, match);
    }
    put_number(to, "id", frame->id);
    json_put_str(to, "end", end_names[o->end]);
    json_put_int(to, "exit_code", o->exit_code);
    json_put_int(to, "signal", o->signal);
    put_text(to, "why", o->why);
    json_put_bool(to, "forked", o->forked);
    put_text(to, "exc_type", o->exc_type);
    put_text(to, "exc_message", o->exc_message);
    json_put_int(to, "exc_line", o->exc_line);
    json_put(to, "matches", matches);
    put_number(to, "wall_ms", o->wall_ms);
    put_number(to, "cpu_ms", o->cpu_ms);
    put_number(to, "peak_rss", o->peak_rss);
    if (o->out)
        put_bytes(to, "out", o->out, o->out_len);
    if (o->err)
        put_bytes(to, "err", o->err, o->err_len);
    json_put_bool(to, "out_cut", o->out_cut);
    json_put_bool(to, "err_cut", o->err_cut);
    put_text(to, "ran", o->ran);
}

static void decode_match(struct reader *r, struct pattern_match *m)
{
    m->in_exception = get_bool(r, "in_exception");
    m->plain = get_size(r, "plain");
    m->plain_err = get_size(r, "plain_err");
    m->echo = get_size(r, "echo");
    m->nlines = get_count(r, "lines", MATCH_LINES_MAX);
    get_texts(r, "lines", m->nlines, m->lines);
    for (size_t i = 0; i < m->nlines; i++)
        if (strlen(m->lines[i]) > LINE_MAX_BYTES)
            complain(r, "lines", "lines of at most 1024 bytes");
}

static void result_decode(struct reader *r, struct frame *frame)
{
    struct observation *o = &frame->u.result;
    const struct json *matches = json_get(r->from, "matches");

    frame->id = get_size(r, "id");
    o->end = get_choice(r, "end", end_names, ARRAY_LEN(end_names));
    o->exit_code = (int)get_number(r, "exit_code", INT_MIN, INT_MAX);
    o->signal = (int)get_number(r, "signal", 0, INT_MAX);
    o->why = get_text(r, "why");
    o->forked = get_bool(r, "forked");
    o->exc_type = get_text(r, "exc_type");
    o->exc_message = get_text(r, "exc_message");
    o->exc_line = (uint32_t)get_number(r, "exc_line", 0, UINT32_MAX);
    o->wall_ms = get_size(r, "wall_ms");
    o->cpu_ms = get_size(r, "cpu_ms");
    o->peak_rss = get_size(r, "peak_rss");
    o->out = get_bytes(r, "out", &o->out_len);
    o->err = get_bytes(r, "err", &o->err_len);
    o->out_cut = get_bool(r, "out_cut");
    o->err_cut = get_bool(r, "err_cut");
    o->ran = get_text(r, "ran");
    if (o->ran && strlen(o->ran) > RAN_MAX_BYTES)
        complain(r, "ran", "text of at most 1 MiB");

    o->nmatches = get_count(r, "matches", PATTERNS_MAX);
    o->matches = xcalloc(o->nmatches + 1, sizeof(*o->matches));
    for (size_t i = 0; i < o->nmatches; i++) {
        struct reader element = *r;
        element.from = json_at(matches, i);
        decode_match(&element, &o->matches[i]);
        r->bad = element.bad;
    }
}

static void result_deinit(struct frame *frame)
{
    observation_deinit(&frame->u.result);
}

/* ---- cancel, ping, pong: an id and nothing else ---- */

static void id_encode(const struct frame *frame, struct json *to)
{
    put_number(to, "id", frame->id);
}

static void id_decode(struct reader *r, struct frame *frame)
{
    frame->id = get_size(r, "id");
}

static void id_deinit(struct frame *frame)
{
    (void)frame;
}

/* ---- note ---- */

static void note_encode(const struct frame *frame, struct json *to)
{
    put_text(to, "text", frame->u.note);
}

static void note_decode(struct reader *r, struct frame *frame)
{
    frame->u.note = need_text(r, "text");
}

static void note_deinit(struct frame *frame)
{
    free(frame->u.note);
}

/* ---- all of them ---- */

static const struct {
    const char *name;
    void (*encode)(const struct frame *frame, struct json *to);
    void (*decode)(struct reader *r, struct frame *frame);
    void (*deinit)(struct frame *frame);
} kinds[] = {
    [FRAME_HELLO] = { "hello", hello_encode, hello_decode, hello_deinit },
    [FRAME_SETUP] = { "setup", setup_encode, setup_decode, setup_deinit },
    [FRAME_READY] = { "ready", ready_encode, ready_decode, ready_deinit },
    [FRAME_RUN] = { "run", run_encode, run_decode, run_deinit },
    [FRAME_RESULT] = { "result", result_encode, result_decode, result_deinit },
    [FRAME_CANCEL] = { "cancel", id_encode, id_decode, id_deinit },
    [FRAME_PING] = { "ping", id_encode, id_decode, id_deinit },
    [FRAME_PONG] = { "pong", id_encode, id_decode, id_deinit },
    [FRAME_NOTE] = { "note", note_encode, note_decode, note_deinit },
};

int frame_encode(const struct frame *frame, struct buf *out)
{
    struct json *object = json_new_object();
    struct buf line; /* so that `out` gets all of it or nothing */

    buf_init(&line, FRAME_MAX_BYTES);
    json_put_str(object, "frame", kinds[frame->type].name);
    kinds[frame->type].encode(frame, object);
    int error = json_write(object, &line);
    if (!error)
        error = buf_addc(&line, '\n');
    if (!error)
        error = buf_add(out, line.data, line.len);
    buf_deinit(&line);
    json_free(object);
    return error;
}

static int find_kind(const char *name, enum frame_type *type)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            *type = (enum frame_type)i;
            return 0;
        }
    }
    return -ENOENT;
}

int frame_decode(const char *line, size_t len, struct frame *frame,
                 struct err *err)
{
    struct json *object;
    const char *name;
    int error = 0;

    memset(frame, 0, sizeof(*frame));
    if (len > FRAME_MAX_BYTES)
        return err_set(err, -EINVAL, "a frame of %zu bytes; at most %u fit",
                       len, FRAME_MAX_BYTES);
    object = json_parse(line, len, err);
    if (!object)
        return -EINVAL;
    name = json_get_str(object, "frame", NULL);
    if (!name) {
        error = err_set(err, -EINVAL, "a frame without its type in \"frame\"");
    } else if (find_kind(name, &frame->type)) {
        error =
            err_set(err, -EINVAL, "a frame of unknown type \"%.40s\"", name);
    } else {
        struct reader r = { .from = object,
                            .what = kinds[frame->type].name,
                            .err = err };
        kinds[frame->type].decode(&r, frame);
        if (r.bad) {
            frame_deinit(frame);
            error = -EINVAL;
        }
    }
    json_free(object);
    return error;
}

void frame_deinit(struct frame *frame)
{
    kinds[frame->type].deinit(frame);
    memset(frame, 0, sizeof(*frame));
}

/* ---- observations by themselves ---- */

void observation_deinit(struct observation *o)
{
    for (size_t i = 0; i < o->nmatches; i++)
        for (size_t k = 0; k < o->matches[i].nlines; k++)
            free(o->matches[i].lines[k]);
    free(o->matches);
    free(o->why);
    free(o->exc_type);
    free(o->exc_message);
    free(o->out);
    free(o->err);
    free(o->ran);
    memset(o, 0, sizeof(*o));
}

void observation_copy(struct observation *to, const struct observation *from)
{
    *to = *from;
    to->why = xstrdup(from->why);
    to->exc_type = xstrdup(from->exc_type);
    to->exc_message = xstrdup(from->exc_message);
    to->ran = xstrdup(from->ran);
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
