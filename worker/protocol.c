/* Frames as JSON. Each frame type is one row of `kinds`: its name, and the
 * three functions that write, read and free its part of struct frame; they
 * stand next to each other, in that order.
 *
 * Reading trusts nothing: a whole frame is read, with harmless values for what
 * is wrong, then the reader is asked once whether it was all right, and if not
 * whatever was read is freed. */
#include "worker/protocol.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "config/json.h"
#include "config/mem.h"
#include "worker/member.h"

#define PATTERNS_MAX 64     /* of a job */
#define SLOTS_MAX 4096      /* of a worker */
#define LINE_MAX_BYTES 1024 /* of pattern_match.lines */

/* ---- hello ---- */

static void hello_encode(const struct frame *frame, struct json *to)
{
    const struct hello *hello = &frame->u.hello;

    json_put_int(to, "version", hello->version);
    json_put_int(to, "pid", hello->pid);
    member_put_text(to, "host", hello->host);
}

static void hello_decode(struct member_reader *r, struct frame *frame)
{
    struct hello *hello = &frame->u.hello;

    hello->version = (int)member_get_number(r, "version", 0, INT_MAX);
    hello->pid = member_get_number(r, "pid", 0, INT64_MAX);
    hello->host = member_need_text(r, "host");
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
        member_put_text(pattern, "text", setup->patterns[i].text);
        json_put_bool(pattern, "regex", setup->patterns[i].regex);
        json_push(patterns, pattern);
    }
    json_put_int(to, "slots", setup->slots);
    member_put_text(to, "python", setup->python);
    member_put_text(to, "script_name", setup->script_name);
    member_put_text(to, "script_dir", setup->script_dir);
    member_put_list(to, "argv", setup->argv.at, setup->argv.n);
    member_put_list(to, "env", setup->env.at, setup->env.n);
    member_put_list(to, "hide", setup->hide.at, setup->hide.n);
    member_put_text(to, "cwd", setup->cwd);
    member_put_text(to, "command", setup->command);
    member_put_text(to, "test", setup->test);
    json_put_str(to, "backend", backend_names[setup->backend]);
    member_put_text(to, "sanitizer", setup->sanitizer);
    json_put_bool(to, "fill", setup->fill);
    member_put_text(to, "gpus", setup->gpus);
    member_put_list(to, "xid", setup->xid.at, setup->xid.n);
    json_put(to, "patterns", patterns);
    member_put_list(to, "preload", setup->preload.at, setup->preload.n);
    member_put_list(to, "early_env", setup->early_env.at, setup->early_env.n);
    json_put_bool(to, "about", setup->about);
    member_put_text(to, "mark", setup->mark);
    member_put_number(to, "memory_max", setup->memory_max);
    member_put_number(to, "file_max", setup->file_max);
    member_put_number(to, "procs_max", setup->procs_max);
    member_put_number(to, "output_max", setup->output_max);
    member_put_number(to, "grace_ms", setup->grace_ms);
}

static void decode_patterns(struct member_reader *r, struct job_setup *setup)
{
    const struct json *list = json_get(r->from, "patterns");
    size_t n = member_get_count(r, "patterns", PATTERNS_MAX);

    setup->patterns = xcalloc(n + 1, sizeof(*setup->patterns));
    setup->npatterns = n;
    for (size_t i = 0; i < n; i++) {
        struct member_reader element = *r;
        element.from = json_at(list, i);
        setup->patterns[i].text = member_need_text(&element, "text");
        setup->patterns[i].regex = member_get_bool(&element, "regex");
        r->bad = element.bad;
    }
}

/* A file name, so that a candidate can't be put outside its folder. */
static char *need_name(struct member_reader *r, const char *key)
{
    char *name = member_need_text(r, key);

    if (name && (name[0] == '\0' || strchr(name, '/') ||
                 strcmp(name, ".") == 0 || strcmp(name, "..") == 0))
        member_complain(r, key, "a file name without a folder");
    return name;
}

static void setup_decode(struct member_reader *r, struct frame *frame)
{
    struct job_setup *setup = &frame->u.setup;

    setup->slots = (int)member_get_number(r, "slots", 1, SLOTS_MAX);
    setup->python = member_need_text(r, "python");
    setup->script_name = need_name(r, "script_name");
    setup->script_dir = member_need_text(r, "script_dir");
    setup->argv = member_get_list(r, "argv");
    setup->env = member_get_list(r, "env");
    setup->hide = member_get_list(r, "hide");
    setup->cwd = member_get_text(r, "cwd");
    setup->command = member_get_text(r, "command");
    setup->test = member_get_text(r, "test");
    setup->backend = member_get_choice(r, "backend", backend_names,
                                       ARRAY_LEN(backend_names));
    setup->sanitizer = member_get_text(r, "sanitizer");
    setup->fill = json_has(r->from, "fill") && member_get_bool(r, "fill");
    setup->gpus = member_get_text(r, "gpus");
    setup->xid = member_get_list(r, "xid");
    decode_patterns(r, setup);
    setup->preload = member_get_list(r, "preload");
    setup->early_env = member_get_list(r, "early_env");
    setup->about = json_has(r->from, "about") && member_get_bool(r, "about");
    setup->mark = member_need_text(r, "mark");
    setup->memory_max = member_get_size(r, "memory_max");
    setup->file_max = member_get_size(r, "file_max");
    setup->procs_max = member_get_size(r, "procs_max");
    /* Kept in memory, twice a run, and sent in one frame. */
    setup->output_max =
        (uint64_t)member_get_number(r, "output_max", 0, FRAME_MAX_BYTES / 8);
    setup->grace_ms = member_get_size(r, "grace_ms");
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
    free(setup->sanitizer);
    free(setup->gpus);
    free(setup->mark);
    member_free_list(&setup->xid);
    member_free_list(&setup->argv);
    member_free_list(&setup->env);
    member_free_list(&setup->hide);
    member_free_list(&setup->preload);
    member_free_list(&setup->early_env);
}

/* ---- ready ---- */

static void ready_encode(const struct frame *frame, struct json *to)
{
    const struct ready *ready = &frame->u.ready;

    json_put_bool(to, "ok", ready->ok);
    member_put_text(to, "error", ready->error);
    json_put_bool(to, "usage", ready->usage);
    member_put_text(to, "python", ready->python);
    member_put_text(to, "python_version", ready->python_version);
    member_put_text(to, "platform", ready->platform);
    member_put_text(to, "gpu", ready->gpu);
    member_put_list(to, "packages", ready->packages.at, ready->packages.n);
    member_put_text(to, "sanitizer", ready->sanitizer);
    json_put_bool(to, "forks", ready->forks);
    member_put_text(to, "no_fork_reason", ready->no_fork_reason);
}

static void ready_decode(struct member_reader *r, struct frame *frame)
{
    struct ready *ready = &frame->u.ready;

    ready->ok = member_get_bool(r, "ok");
    ready->error =
        ready->ok ? member_get_text(r, "error") : member_need_text(r, "error");
    ready->usage = member_get_bool(r, "usage");
    ready->python = member_get_text(r, "python");
    ready->python_version = member_get_text(r, "python_version");
    ready->platform = member_get_text(r, "platform");
    ready->gpu = member_get_text(r, "gpu");
    ready->packages = member_get_list(r, "packages");
    ready->sanitizer = member_get_text(r, "sanitizer");
    ready->forks = member_get_bool(r, "forks");
    ready->no_fork_reason = member_get_text(r, "no_fork_reason");
}

static void ready_deinit(struct frame *frame)
{
    struct ready *ready = &frame->u.ready;

    free(ready->error);
    free(ready->python);
    free(ready->python_version);
    free(ready->platform);
    free(ready->gpu);
    member_free_list(&ready->packages);
    free(ready->sanitizer);
    free(ready->no_fork_reason);
}

/* ---- run ---- */

static const char *const how_names[] = {
    [RUN_FORK] = "fork",       [RUN_FRESH] = "fresh", [RUN_TRACE] = "trace",
    [RUN_OBSERVE] = "observe", [RUN_WARM] = "warm",   [RUN_HOT] = "hot",
};

static const char *const learn_names[] = {
    [LEARN_NOTHING] = "no",
    [LEARN_LAZY] = "lazy",
    [LEARN_UNDO] = "undo",
};

static void run_encode(const struct frame *frame, struct json *to)
{
    const struct run_request *run = &frame->u.run;

    member_put_number(to, "id", run->id);
    member_put_bytes(to, "text", run->text.data, run->text.len);
    json_put_str(to, "how", how_names[run->how]);
    member_put_number(to, "timeout_ms", run->timeout_ms);
    member_put_number(to, "aids", run->aids);
    json_put_bool(to, "loads", run->loads);
    json_put_str(to, "learn", learn_names[run->learn]);
    json_put_bool(to, "caches", run->caches);
    member_put_number(to, "bounds", run->bounds);
    member_put_text(to, "path", run->path);
    member_put_text(to, "cwd", run->cwd);
    member_put_text(to, "compared", run->compared);
    if (run->how == RUN_HOT) {
        member_put_number(to, "lane", run->lane);
        member_put_number(to, "generation", run->generation);
    }
}

static void run_decode(struct member_reader *r, struct frame *frame)
{
    struct run_request *run = &frame->u.run;

    run->id = member_get_size(r, "id");
    run->text.data = member_get_bytes(r, "text", &run->text.len);
    if (!run->text.data)
        member_complain(r, "text", "text or base64");
    run->how = member_get_choice(r, "how", how_names, ARRAY_LEN(how_names));
    run->timeout_ms = member_get_size(r, "timeout_ms");
    if (json_has(r->from, "aids"))
        run->aids = (unsigned)member_get_number(r, "aids", 0, AIDS_ALL);
    run->loads = json_has(r->from, "loads") && member_get_bool(r, "loads");
    if (json_has(r->from, "learn"))
        run->learn =
            member_get_choice(r, "learn", learn_names, ARRAY_LEN(learn_names));
    run->caches = json_has(r->from, "caches") && member_get_bool(r, "caches");
    if (json_has(r->from, "bounds"))
        run->bounds = (unsigned)member_get_number(r, "bounds", 0, REACH_ALL);
    run->path = member_get_text(r, "path");
    run->cwd = member_get_text(r, "cwd");
    run->compared = member_get_text(r, "compared");
    if (run->how == RUN_HOT) {
        run->lane = (uint32_t)member_get_number(r, "lane", 0, SLOTS_MAX - 1);
        run->generation =
            (uint32_t)member_get_number(r, "generation", 0, UINT32_MAX);
    }
}

void run_request_deinit(struct run_request *request)
{
    free((char *)(uintptr_t)request->text.data); /* owned here */
    free(request->path);
    free(request->cwd);
    free(request->compared);
    *request = (struct run_request){ 0 };
}

void run_request_copy(struct run_request *to, const struct run_request *from)
{
    *to = *from;
    to->text.data = xmemdup(from->text.data, from->text.len);
    to->path = xstrdup(from->path);
    to->cwd = xstrdup(from->cwd);
    to->compared = xstrdup(from->compared);
}

void run_request_take(struct run_request *to, struct run_request *from)
{
    *to = *from;
    *from = (struct run_request){ .id = to->id };
}

static void run_deinit(struct frame *frame)
{
    run_request_deinit(&frame->u.run);
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
        member_put_number(match, "plain", m->plain);
        member_put_number(match, "plain_err", m->plain_err);
        member_put_number(match, "echo", m->echo);
        member_put_list(match, "lines", m->lines, m->nlines);
        json_push(matches, match);
    }
    member_put_number(to, "id", frame->id);
    json_put_str(to, "end", end_names[o->end]);
    json_put_int(to, "exit_code", o->exit_code);
    json_put_int(to, "signal", o->signal);
    member_put_text(to, "why", o->why);
    json_put_bool(to, "forked", o->forked);
    member_put_text(to, "gpu", o->gpu);
    json_put_bool(to, "cuda", o->cuda);
    json_put_bool(to, "warm", o->warm);
    member_put_number(to, "hot", o->hot);
    member_put_number(to, "turn", o->turn);
    json_put_bool(to, "kept", o->kept);
    json_put_int(to, "learned", o->learned);
    json_put_int(to, "shown", o->shown);
    json_put_int(to, "figures", o->figures);
    json_put_int(to, "reach", o->reach);
    member_put_text(to, "exc_type", o->exc_type);
    member_put_text(to, "exc_message", o->exc_message);
    json_put_int(to, "exc_line", o->exc_line);
    member_put_text(to, "exc_frames", o->exc_frames);
    json_put_bool(to, "exc_later", o->exc_later);
    json_put(to, "matches", matches);
    member_put_number(to, "wall_ms", o->wall_ms);
    member_put_number(to, "cpu_ms", o->cpu_ms);
    json_put_bool(to, "busy", o->busy);
    member_put_number(to, "peak_rss", o->peak_rss);
    if (o->out)
        member_put_bytes(to, "out", o->out, o->out_len);
    if (o->err)
        member_put_bytes(to, "err", o->err, o->err_len);
    json_put_bool(to, "out_cut", o->out_cut);
    json_put_bool(to, "err_cut", o->err_cut);
    member_put_text(to, "ran", o->ran);
    member_put_text(to, "values", o->values);
    member_put_text(to, "loads", o->loads);
    json_put_bool(to, "compiled", o->compiled);
}

static void decode_match(struct member_reader *r, struct pattern_match *m)
{
    m->in_exception = member_get_bool(r, "in_exception");
    m->plain = member_get_size(r, "plain");
    m->plain_err = member_get_size(r, "plain_err");
    m->echo = member_get_size(r, "echo");
    m->nlines = member_get_count(r, "lines", MATCH_LINES_MAX);
    member_get_texts(r, "lines", m->nlines, m->lines);
    for (size_t i = 0; i < m->nlines; i++)
        if (strlen(m->lines[i]) > LINE_MAX_BYTES)
            member_complain(r, "lines", "lines of at most 1024 bytes");
}

/* Members that a result need not have. */
static bool get_flag(struct member_reader *r, const char *key)
{
    return json_has(r->from, key) && member_get_bool(r, key);
}

static uint64_t get_size(struct member_reader *r, const char *key)
{
    return json_has(r->from, key) ? member_get_size(r, key) : 0;
}

static void result_decode(struct member_reader *r, struct frame *frame)
{
    struct observation *o = &frame->u.result;
    const struct json *matches = json_get(r->from, "matches");

    frame->id = member_get_size(r, "id");
    o->end = member_get_choice(r, "end", end_names, ARRAY_LEN(end_names));
    o->exit_code = (int)member_get_number(r, "exit_code", INT_MIN, INT_MAX);
    o->signal = (int)member_get_number(r, "signal", 0, INT_MAX);
    o->why = member_get_text(r, "why");
    o->forked = member_get_bool(r, "forked");
    o->gpu = member_get_text(r, "gpu");
    o->cuda = get_flag(r, "cuda");
    o->warm = get_flag(r, "warm");
    o->kept = get_flag(r, "kept");
    o->hot = get_size(r, "hot");
    o->turn = get_size(r, "turn");
    if (json_has(r->from, "learned"))
        o->learned = (uint32_t)member_get_number(r, "learned", 0, UINT32_MAX);
    if (json_has(r->from, "shown"))
        o->shown = (uint32_t)member_get_number(r, "shown", 0, UINT32_MAX);
    if (json_has(r->from, "figures"))
        o->figures = (uint32_t)member_get_number(r, "figures", 0, UINT32_MAX);
    if (json_has(r->from, "reach"))
        o->reach = (unsigned)member_get_number(r, "reach", 0, REACH_ALL);
    o->exc_type = member_get_text(r, "exc_type");
    o->exc_message = member_get_text(r, "exc_message");
    o->exc_line = (uint32_t)member_get_number(r, "exc_line", 0, UINT32_MAX);
    o->exc_frames = member_get_text(r, "exc_frames");
    if (o->exc_frames && strlen(o->exc_frames) > EXC_FRAMES_MAX_BYTES)
        member_complain(r, "exc_frames", "text of at most 1024 bytes");
    o->exc_later = get_flag(r, "exc_later");
    o->wall_ms = member_get_size(r, "wall_ms");
    o->cpu_ms = member_get_size(r, "cpu_ms");
    o->busy = get_flag(r, "busy");
    o->peak_rss = member_get_size(r, "peak_rss");
    o->out = member_get_bytes(r, "out", &o->out_len);
    o->err = member_get_bytes(r, "err", &o->err_len);
    o->out_cut = member_get_bool(r, "out_cut");
    o->err_cut = member_get_bool(r, "err_cut");
    o->ran = member_get_text(r, "ran");
    if (o->ran && strlen(o->ran) > RAN_MAX_BYTES)
        member_complain(r, "ran", "text of at most 1 MiB");
    o->values = member_get_text(r, "values");
    if (o->values && strlen(o->values) > VALUES_MAX_BYTES)
        member_complain(r, "values", "text of at most 1 MiB");
    o->loads = member_get_text(r, "loads");
    o->compiled =
        json_has(r->from, "compiled") && member_get_bool(r, "compiled");
    if (o->loads && strlen(o->loads) > LOADS_MAX_BYTES)
        member_complain(r, "loads", "text of at most 64 bytes");

    o->nmatches = member_get_count(r, "matches", PATTERNS_MAX);
    o->matches = xcalloc(o->nmatches + 1, sizeof(*o->matches));
    for (size_t i = 0; i < o->nmatches; i++) {
        struct member_reader element = *r;
        element.from = json_at(matches, i);
        decode_match(&element, &o->matches[i]);
        r->bad = element.bad;
    }
}

static void result_deinit(struct frame *frame)
{
    observation_deinit(&frame->u.result);
}

/* ---- cancel, ping, pong, room, rest: an id and nothing else ---- */

static void id_encode(const struct frame *frame, struct json *to)
{
    member_put_number(to, "id", frame->id);
}

static void id_decode(struct member_reader *r, struct frame *frame)
{
    frame->id = member_get_size(r, "id");
}

static void id_deinit(struct frame *frame)
{
    (void)frame;
}

/* ---- note ---- */

static void note_encode(const struct frame *frame, struct json *to)
{
    member_put_text(to, "text", frame->u.note);
}

static void note_decode(struct member_reader *r, struct frame *frame)
{
    frame->u.note = member_need_text(r, "text");
}

static void note_deinit(struct frame *frame)
{
    free(frame->u.note);
}

/* ---- all of them ---- */

static const struct {
    const char *name;
    void (*encode)(const struct frame *frame, struct json *to);
    void (*decode)(struct member_reader *r, struct frame *frame);
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
    [FRAME_ROOM] = { "room", id_encode, id_decode, id_deinit },
    [FRAME_REST] = { "rest", id_encode, id_decode, id_deinit },
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
        struct member_reader r = { .from = object,
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
