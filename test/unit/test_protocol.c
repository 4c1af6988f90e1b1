/* Frames through frame_encode() and frame_decode(). */
#include "test/test.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/mem.h"
#include "worker/protocol.h"

static unsigned random_state;

static unsigned chance(unsigned n)
{
    random_state = random_state * 1103515245u + 12345u;
    return (random_state >> 8) % n;
}

/* Text of all sorts: empty, ASCII with quotes, UTF-8, and what is no UTF-8. */
static char *some_text(void)
{
    static const char *const pieces[] = {
        "a",
        "\"",
        "\\",
        "\n",
        "K shape",
        "\xc3\xa9",
        "\xf0\x9f\x98\x80",
        "\xff",
        "\t",
        "\x1b",
        "\xed\xa0\x80",
        "\xc0\x80",
        "\xe2\x82",
        "{",
    };
    char text[256] = "";
    unsigned n = chance(8);

    for (unsigned i = 0; i < n; i++) {
        const char *piece = pieces[chance(ARRAY_LEN(pieces))];
        memcpy(text + strlen(text), piece, strlen(piece) + 1);
    }
    return xstrdup(text);
}

static char *maybe_text(void)
{
    return chance(3) ? some_text() : NULL;
}

static char *some_bytes(size_t *len)
{
    char data[64];

    *len = chance(sizeof(data));
    for (size_t i = 0; i < *len; i++)
        data[i] = (char)(chance(2) ? chance(256) : 'x');
    return xmemdup(data, *len);
}

static uint64_t some_number(void)
{
    return ((uint64_t)chance(1u << 23) << 40 | chance(1u << 20)) >> chance(63);
}

static struct strings some_list(void)
{
    struct strings list = { .n = chance(5) };

    list.at = xcalloc(list.n + 1, sizeof(*list.at));
    for (size_t i = 0; i < list.n; i++)
        list.at[i] = some_text();
    return list;
}

static struct job_setup some_setup(void)
{
    struct job_setup setup = {
        .slots = 1 + (int)chance(64),
        .python = some_text(),
        .script_name = xstrdup("k\xc3\xa9rnel.py"),
        .script_dir = some_text(),
        .argv = some_list(),
        .env = some_list(),
        .hide = some_list(),
        .cwd = maybe_text(),
        .command = maybe_text(),
        .test = maybe_text(),
        .backend = (enum config_backend)chance(3),
        .sanitizer = maybe_text(),
        .fill = chance(2),
        .gpus = maybe_text(),
        .xid = some_list(),
        .npatterns = chance(5),
        .preload = some_list(),
        .early_env = some_list(),
        .about = chance(2),
        .mark = some_text(),
        .memory_max = some_number(),
        .file_max = some_number(),
        .procs_max = some_number(),
        .output_max = chance(1 << 22),
        .grace_ms = some_number(),
    };

    setup.patterns = xcalloc(setup.npatterns + 1, sizeof(*setup.patterns));
    for (size_t i = 0; i < setup.npatterns; i++) {
        setup.patterns[i].text = some_text();
        setup.patterns[i].regex = chance(2);
    }
    return setup;
}

static struct observation some_observation(void)
{
    struct observation o = {
        .end = (enum observed_end)chance(6),
        .exit_code = (int)chance(512) - 256,
        .signal = (int)chance(65),
        .why = maybe_text(),
        .forked = chance(2),
        .gpu = maybe_text(),
        .exc_type = maybe_text(),
        .exc_message = maybe_text(),
        .exc_line = (uint32_t)some_number(),
        .exc_frames = maybe_text(),
        .exc_later = chance(2),
        .nmatches = chance(4),
        .wall_ms = some_number(),
        .cpu_ms = some_number(),
        .busy = chance(2),
        .peak_rss = some_number(),
        .out_cut = chance(2),
        .err_cut = chance(2),
        .learned = (uint32_t)rand(),
        .figures = (uint32_t)rand(),
        .reach = chance(REACH_ALL + 1),
        .shown = (uint32_t)rand(),
        .ran = maybe_text(),
        .values = maybe_text(),
        .compiled = chance(2),
        .loads = rand() % 2 ? xstrdup("0123456789abcdef") : NULL,
    };

    o.out = some_bytes(&o.out_len);
    if (chance(4))
        o.err = some_bytes(&o.err_len);
    o.matches = xcalloc(o.nmatches + 1, sizeof(*o.matches));
    for (size_t i = 0; i < o.nmatches; i++) {
        o.matches[i].in_exception = chance(2);
        o.matches[i].plain = some_number();
        o.matches[i].plain_err = some_number();
        o.matches[i].echo = some_number();
        o.matches[i].nlines = chance(MATCH_LINES_MAX + 1);
        for (size_t k = 0; k < o.matches[i].nlines; k++)
            o.matches[i].lines[k] = some_text();
    }
    return o;
}

static struct frame some_frame(enum frame_type type)
{
    struct frame frame = { .type = type };

    switch (type) {
    case FRAME_HELLO:
        frame.u.hello = (struct hello){ PROTOCOL_VERSION,
                                        (int64_t)some_number(), some_text() };
        break;
    case FRAME_SETUP:
        frame.u.setup = some_setup();
        break;
    case FRAME_READY:
        frame.u.ready =
            (struct ready){ chance(2),    some_text(),  chance(2),
                            maybe_text(), maybe_text(), maybe_text(),
                            maybe_text(), some_list(),  maybe_text(),
                            chance(2),    maybe_text() };
        break;
    case FRAME_RUN:
        frame.u.run.id = some_number();
        frame.u.run.text.data = some_bytes(&frame.u.run.text.len);
        frame.u.run.how = (enum run_how)chance(3);
        frame.u.run.learn = (enum run_learn)chance(3);
        frame.u.run.timeout_ms = some_number();
        frame.u.run.aids = chance(AIDS_ALL + 1);
        frame.u.run.caches = chance(2);
        frame.u.run.bounds = chance(REACH_ALL + 1);
        frame.u.run.path = maybe_text();
        frame.u.run.compared = maybe_text();
        frame.u.run.cwd = maybe_text();
        break;
    case FRAME_RESULT:
        frame.id = some_number();
        frame.u.result = some_observation();
        break;
    case FRAME_CANCEL:
    case FRAME_PING:
    case FRAME_PONG:
    case FRAME_ROOM:
    case FRAME_REST:
        frame.id = some_number();
        break;
    case FRAME_NOTE:
        frame.u.note = some_text();
        break;
    }
    return frame;
}

static void assert_text(const char *a, const char *b)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a)
        assert_string_equal(a, b);
}

static void assert_list(const struct strings *a, const struct strings *b)
{
    assert_int_equal(a->n, b->n);
    assert_null(b->at[b->n]);
    for (size_t i = 0; i < a->n; i++)
        assert_string_equal(a->at[i], b->at[i]);
}

static void assert_setup(const struct job_setup *a, const struct job_setup *b)
{
    assert_int_equal(a->slots, b->slots);
    assert_text(a->python, b->python);
    assert_text(a->script_name, b->script_name);
    assert_text(a->script_dir, b->script_dir);
    assert_list(&a->argv, &b->argv);
    assert_list(&a->env, &b->env);
    assert_list(&a->hide, &b->hide);
    assert_text(a->cwd, b->cwd);
    assert_text(a->command, b->command);
    assert_text(a->test, b->test);
    assert_int_equal(a->backend, b->backend);
    assert_text(a->sanitizer, b->sanitizer);
    assert_int_equal(a->fill, b->fill);
    assert_text(a->gpus, b->gpus);
    assert_list(&a->xid, &b->xid);
    assert_int_equal(a->npatterns, b->npatterns);
    for (size_t i = 0; i < a->npatterns; i++) {
        assert_text(a->patterns[i].text, b->patterns[i].text);
        assert_int_equal(a->patterns[i].regex, b->patterns[i].regex);
    }
    assert_list(&a->preload, &b->preload);
    assert_list(&a->early_env, &b->early_env);
    assert_int_equal(a->about, b->about);
    assert_text(a->mark, b->mark);
    assert_int_equal(a->memory_max, b->memory_max);
    assert_int_equal(a->file_max, b->file_max);
    assert_int_equal(a->procs_max, b->procs_max);
    assert_int_equal(a->output_max, b->output_max);
    assert_int_equal(a->grace_ms, b->grace_ms);
}

static void assert_observation(const struct observation *a,
                               const struct observation *b)
{
    assert_int_equal(a->end, b->end);
    assert_int_equal(a->exit_code, b->exit_code);
    assert_int_equal(a->signal, b->signal);
    assert_text(a->why, b->why);
    assert_int_equal(a->forked, b->forked);
    assert_text(a->gpu, b->gpu);
    assert_text(a->exc_type, b->exc_type);
    assert_text(a->exc_message, b->exc_message);
    assert_int_equal(a->exc_line, b->exc_line);
    assert_text(a->exc_frames, b->exc_frames);
    assert_int_equal(a->exc_later, b->exc_later);
    assert_int_equal(a->wall_ms, b->wall_ms);
    assert_int_equal(a->cpu_ms, b->cpu_ms);
    assert_int_equal(a->busy, b->busy);
    assert_int_equal(a->peak_rss, b->peak_rss);
    assert_int_equal(a->out_cut, b->out_cut);
    assert_int_equal(a->err_cut, b->err_cut);
    assert_int_equal(a->learned, b->learned);
    assert_int_equal(a->figures, b->figures);
    assert_int_equal(a->reach, b->reach);
    assert_int_equal(a->shown, b->shown);
    assert_text(a->ran, b->ran);
    assert_text(a->values, b->values);
    assert_text(a->loads, b->loads);
    assert_int_equal(a->compiled, b->compiled);
    assert_int_equal(a->out_len, b->out_len);
    assert_memory_equal(a->out, b->out, a->out_len + 1);
    assert_int_equal(a->err == NULL, b->err == NULL);
    assert_int_equal(a->err_len, b->err_len);
    if (a->err)
        assert_memory_equal(a->err, b->err, a->err_len + 1);
    assert_int_equal(a->nmatches, b->nmatches);
    for (size_t i = 0; i < a->nmatches; i++) {
        const struct pattern_match *m = &a->matches[i], *n = &b->matches[i];
        assert_int_equal(m->in_exception, n->in_exception);
        assert_int_equal(m->plain, n->plain);
        assert_int_equal(m->plain_err, n->plain_err);
        assert_int_equal(m->echo, n->echo);
        assert_int_equal(m->nlines, n->nlines);
        for (size_t k = 0; k < m->nlines; k++)
            assert_string_equal(m->lines[k], n->lines[k]);
    }
}

static void assert_frame(const struct frame *a, const struct frame *b)
{
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->id, b->id);
    switch (a->type) {
    case FRAME_HELLO:
        assert_int_equal(a->u.hello.version, b->u.hello.version);
        assert_int_equal(a->u.hello.pid, b->u.hello.pid);
        assert_text(a->u.hello.host, b->u.hello.host);
        break;
    case FRAME_SETUP:
        assert_setup(&a->u.setup, &b->u.setup);
        break;
    case FRAME_READY:
        assert_int_equal(a->u.ready.ok, b->u.ready.ok);
        assert_text(a->u.ready.error, b->u.ready.error);
        assert_int_equal(a->u.ready.usage, b->u.ready.usage);
        assert_text(a->u.ready.python, b->u.ready.python);
        assert_text(a->u.ready.python_version, b->u.ready.python_version);
        assert_text(a->u.ready.platform, b->u.ready.platform);
        assert_text(a->u.ready.gpu, b->u.ready.gpu);
        assert_list(&a->u.ready.packages, &b->u.ready.packages);
        assert_text(a->u.ready.sanitizer, b->u.ready.sanitizer);
        assert_int_equal(a->u.ready.forks, b->u.ready.forks);
        assert_text(a->u.ready.no_fork_reason, b->u.ready.no_fork_reason);
        break;
    case FRAME_RUN:
        assert_int_equal(a->u.run.id, b->u.run.id);
        assert_int_equal(a->u.run.text.len, b->u.run.text.len);
        assert_memory_equal(a->u.run.text.data, b->u.run.text.data,
                            a->u.run.text.len + 1);
        assert_int_equal(a->u.run.how, b->u.run.how);
        assert_int_equal(a->u.run.timeout_ms, b->u.run.timeout_ms);
        assert_int_equal(a->u.run.aids, b->u.run.aids);
        assert_int_equal(a->u.run.loads, b->u.run.loads);
        assert_int_equal(a->u.run.learn, b->u.run.learn);
        assert_int_equal(a->u.run.caches, b->u.run.caches);
        assert_int_equal(a->u.run.bounds, b->u.run.bounds);
        assert_text(a->u.run.path, b->u.run.path);
        assert_text(a->u.run.cwd, b->u.run.cwd);
        assert_text(a->u.run.compared, b->u.run.compared);
        break;
    case FRAME_RESULT:
        assert_observation(&a->u.result, &b->u.result);
        break;
    case FRAME_CANCEL:
    case FRAME_PING:
    case FRAME_PONG:
    case FRAME_ROOM:
    case FRAME_REST:
        break;
    case FRAME_NOTE:
        assert_text(a->u.note, b->u.note);
        break;
    }
}

static void every_frame_comes_back_as_it_was(void **state)
{
    (void)state;
    for (int round = 0; round < 3000; round++) {
        struct frame frame =
            some_frame((enum frame_type)(round % (FRAME_REST + 1)));
        struct frame back;
        struct err err = { "" };
        struct buf line;

        buf_init(&line, FRAME_MAX_BYTES);
        assert_int_equal(frame_encode(&frame, &line), 0);
        assert_ptr_equal(memchr(line.data, '\n', line.len),
                         line.data + line.len - 1);
        size_t newline = chance(2);
        assert_int_equal(
            frame_decode(line.data, line.len - newline, &back, &err), 0);
        assert_frame(&frame, &back);
        frame_deinit(&back);
        frame_deinit(&frame);
        buf_deinit(&line);
    }
}

static void a_copy_of_an_observation_shares_nothing(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        struct observation a = some_observation(), b;

        observation_copy(&b, &a);
        assert_observation(&a, &b);
        observation_deinit(&a); /* what is shared would be freed twice */
        observation_deinit(&b);
    }
}

static int decode(const char *line, struct err *err)
{
    struct frame frame;
    int error = frame_decode(line, strlen(line), &frame, err);

    if (!error)
        frame_deinit(&frame);
    return error;
}

static void a_copy_of_a_request_shares_nothing(void **state)
{
    (void)state;

    for (int i = 0; i < 50; i++) {
        struct frame frame = { .type = FRAME_RUN };
        struct frame copy = { .type = FRAME_RUN }, taken = copy;

        frame.u.run.text.data = some_bytes(&frame.u.run.text.len);
        frame.u.run.id = some_number();
        frame.u.run.path = maybe_text();
        frame.u.run.cwd = maybe_text();
        frame.u.run.compared = maybe_text();
        run_request_copy(&copy.u.run, &frame.u.run);
        assert_frame(&frame, &copy);
        run_request_take(&taken.u.run, &frame.u.run);
        assert_frame(&taken, &copy);
        assert_null(frame.u.run.text.data);
        assert_int_equal(frame.u.run.id, copy.u.run.id);
        frame_deinit(&frame);
        frame_deinit(&taken);
        assert_int_equal(copy.u.run.text.data[copy.u.run.text.len], 0);
        frame_deinit(&copy);
    }
}

static void what_is_no_frame_is_refused_with_a_sentence(void **state)
{
    static const struct {
        const char *line, *says;
    } bad[] = {
        { "", "" },
        { "[]", "without its type" },
        { "7", "without its type" },
        { "{\"frame\":3}", "without its type" },
        { "{\"frame\":\"dance\"}", "unknown type \"dance\"" },
        { "{\"frame\":\"ping\",\"id\":1", "" },
        { "{\"frame\":\"ping\",\"id\":1}{}", "" },
        { "{\"frame\":\"ping\"}", "\"id\" must be a number" },
        { "{\"frame\":\"ping\",\"id\":-1}", "\"id\" must be a number" },
        { "{\"frame\":\"ping\",\"id\":1.5}", "\"id\" must be a number" },
        { "{\"frame\":\"ping\",\"id\":99999999999999999999}", "" },
        { "{\"frame\":\"note\"}", "\"text\" must be text" },
        { "{\"frame\":\"note\",\"text\":[]}", "\"text\" must be text" },
        { "{\"frame\":\"note\",\"text\":{\"base64\":\"A\"}}", "must be text" },
        { "{\"frame\":\"note\",\"text\":{\"base64\":\"AAAA\"}}",
          "must be text" }, /* zero bytes in a string */
        { "{\"frame\":\"hello\",\"version\":1,\"pid\":2}", "\"host\"" },
        { "{\"frame\":\"run\",\"id\":1,\"text\":\"x\",\"how\":\"tepid\","
          "\"timeout_ms\":1}",
          "\"how\" must be one of" },
        { "{\"frame\":\"ready\",\"ok\":1,\"forks\":true}",
          "\"ok\" must be true" },
        { "{\"frame\":\"ready\",\"ok\":false,\"error\":\"x\",\"usage\":1,"
          "\"forks\":true}",
          "\"usage\" must be true" },
    };
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct err err = { "" };
        assert_int_equal(decode(bad[i].line, &err), -EINVAL);
        assert_true(err.text[0] != '\0');
        assert_non_null(strstr(err.text, bad[i].says));
    }
}

/* A setup with `slots`, `name`, and `n` patterns and arguments. */
static char *setup_line(int slots, const char *name, size_t patterns,
                        size_t args)
{
    struct buf line;

    buf_init(&line, 1 << 22);
    buf_addf(&line,
             "{\"frame\":\"setup\",\"slots\":%d,\"python\":\"python3\","
             "\"script_name\":\"%s\",\"script_dir\":\"/d\",\"mark\":\"m\","
             "\"backend\":\"auto\",\"memory_max\":0,\"file_max\":0,"
             "\"procs_max\":0,\"output_max\":1,\"grace_ms\":1,\"patterns\":[",
             slots, name);
    for (size_t i = 0; i < patterns; i++)
        buf_addf(&line, "%s{\"text\":\"x\",\"regex\":false}", i ? "," : "");
    buf_adds(&line, "],\"argv\":[");
    for (size_t i = 0; i < args; i++)
        buf_addf(&line, "%s\"a\"", i ? "," : "");
    buf_adds(&line, "]}");
    return buf_take(&line, NULL);
}

static void ceilings_hold(void **state)
{
    static const struct {
        int slots;
        const char *name;
        size_t patterns, args;
        int error;
    } cases[] = {
        { 1, "a.py", 64, 10000, 0 },        { 0, "a.py", 0, 0, -EINVAL },
        { 1 << 20, "a.py", 0, 0, -EINVAL }, { 1, "a.py", 65, 0, -EINVAL },
        { 1, "a.py", 0, 10001, -EINVAL },   { 1, "../a.py", 0, 0, -EINVAL },
        { 1, "..", 0, 0, -EINVAL },         { 1, "", 0, 0, -EINVAL },
    };
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err;
        char *line = setup_line(cases[i].slots, cases[i].name,
                                cases[i].patterns, cases[i].args);
        assert_int_equal(decode(line, &err), cases[i].error);
        free(line);
    }
}

static void lines_and_values_have_a_ceiling(void **state)
{
    static const int errors[] = { 0, -EINVAL }; /* 1 MiB, and a byte more */
    (void)state;

    for (size_t i = 0; i < 2 * ARRAY_LEN(errors); i++) {
        size_t n = (1u << 20) + i / 2;
        char *text = xcalloc(n + 1, 1);
        struct frame frame = { .type = FRAME_RESULT };
        struct frame back;
        struct buf line;
        struct err err;

        memset(text, '1', n);
        *(i % 2 ? &frame.u.result.ran : &frame.u.result.values) = text;
        buf_init(&line, FRAME_MAX_BYTES);
        assert_int_equal(frame_encode(&frame, &line), 0);
        int error = frame_decode(line.data, line.len, &back, &err);
        assert_int_equal(error, errors[i / 2]);
        if (error)
            assert_non_null(strstr(err.text, i % 2 ? "\"ran\"" : "\"values\""));
        else
            frame_deinit(&back);
        frame_deinit(&frame);
        buf_deinit(&line);
    }
}

static void unknown_members_are_ignored(void **state)
{
    struct frame frame;
    const char *line = "{\"future\":{\"a\":[1]},\"frame\":\"pong\",\"id\":7}\n";
    (void)state;

    assert_int_equal(frame_decode(line, strlen(line), &frame, NULL), 0);
    assert_int_equal(frame.type, FRAME_PONG);
    assert_int_equal(frame.id, 7);
    frame_deinit(&frame);
}

static void a_frame_that_does_not_fit_leaves_the_buffer_alone(void **state)
{
    struct frame frame = { .type = FRAME_PING, .id = 1 };
    struct buf out;
    (void)state;

    buf_init(&out, 30);
    assert_int_equal(frame_encode(&frame, &out), 0);
    size_t len = out.len;
    assert_int_equal(frame_encode(&frame, &out), -E2BIG);
    assert_int_equal(out.len, len);
    buf_deinit(&out);
}

static void endings_read_well(void **state)
{
    static const struct {
        struct observation o;
        const char *text;
    } cases[] = {
        { { .end = END_EXIT, .exit_code = 3 }, "exit 3" },
        { { .end = END_SIGNAL, .signal = SIGSEGV }, "signal SIGSEGV" },
        { { .end = END_SIGNAL, .signal = 63 }, "signal 63" },
        { { .end = END_TIMEOUT }, "timeout" },
        { { .end = END_SYNTAX }, "does not compile" },
        { { .end = END_LOST }, "lost: no reason given" },
    };
    char text[64];
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        assert_string_equal(observation_ending(&cases[i].o, text, sizeof(text)),
                            cases[i].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_frame_comes_back_as_it_was),
        cmocka_unit_test(a_copy_of_a_request_shares_nothing),
        cmocka_unit_test(a_copy_of_an_observation_shares_nothing),
        cmocka_unit_test(what_is_no_frame_is_refused_with_a_sentence),
        cmocka_unit_test(ceilings_hold),
        cmocka_unit_test(lines_and_values_have_a_ceiling),
        cmocka_unit_test(unknown_members_are_ignored),
        cmocka_unit_test(a_frame_that_does_not_fit_leaves_the_buffer_alone),
        cmocka_unit_test(endings_read_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
