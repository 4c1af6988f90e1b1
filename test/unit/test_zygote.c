/* The fork server with a real python3. This program is its own launcher: called
 * as `test_zygote limits ...` it sets limits and execs. */
#include "test/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/file.h"
#include "config/mem.h"
#include "worker/env.h"
#include "worker/scratch.h"
#include "worker/zygote.h"

static char *self;

/* One zygote, one fork of `script` when it is ready, and what was heard. */
struct scene {
    struct test_loop loop;
    struct zygote *zygote;
    struct strings env, extra;
    char folder[64], path[128];
    int out[2], err[2];
    bool kill_at_start; /* the zygote, when the fork has started */
    bool ask_loads;

    int readies, gones, starteds, endeds, syntaxes, losts;
    int exit_code, signal;
    char *skipped, *why, *lost, *message, *loads;
    bool unfit;
};

static void on_started(void *arg, pid_t pid, const char *loads)
{
    struct scene *s = arg;

    s->starteds += pid > 1;
    s->loads = xstrdup(loads);
    if (s->kill_at_start)
        kill(zygote_pid(s->zygote), SIGKILL);
}

static void on_ended(void *arg, const struct fork_end *end)
{
    struct scene *s = arg;

    s->endeds += end->peak_rss > 0 && end->cpu_ms < 60000;
    s->exit_code = end->exit_code;
    s->signal = end->signal;
    zygote_retire(s->zygote);
}

static void on_syntax(void *arg, const char *type, const char *message)
{
    struct scene *s = arg;

    s->syntaxes++;
    s->message = xasprintf("%s: %s", type, message);
    zygote_retire(s->zygote);
}

static void on_lost(void *arg, const char *why)
{
    struct scene *s = arg;

    s->losts++;
    s->lost = xstrdup(why);
    if (s->gones == 0 && zygote_pid(s->zygote))
        zygote_retire(s->zygote);
}

static const struct fork_events forks = { .started = on_started,
                                          .ended = on_ended,
                                          .syntax = on_syntax,
                                          .lost = on_lost };

static void on_ready(void *arg, const char *skipped)
{
    struct scene *s = arg;
    struct fork_request request = {
        .id = 1,
        .path = s->path,
        .cwd = s->folder,
        .env = &s->extra,
        .loads = s->ask_loads,
    };

    s->readies++;
    s->skipped = xstrdup(skipped);
    request.out = dup(s->out[1]);
    request.err = dup(s->err[1]);
    zygote_fork(s->zygote, &request, &forks, s);
}

static void on_worn(void *arg)
{
    (void)arg;
}

static void on_gone(void *arg, const char *why, bool unfit)
{
    struct scene *s = arg;

    s->gones++;
    s->why = xstrdup(why);
    s->unfit = unfit;
}

static const struct zygote_events events = { .ready = on_ready,
                                             .worn = on_worn,
                                             .gone = on_gone };

/* A zygote for `script`, started but not yet turned. */
static void open_scene(struct scene *s, const char *script, char *preload,
                       const char *python, uint64_t start_ms)
{
    char *names[] = { preload, NULL };
    struct job_setup setup = {
        .preload = { .at = names, .n = preload ? 1 : 0 },
        .script_dir = s->folder,
        .mark = s->folder,
    };
    struct zygote_spec spec = { .self = self,
                                .python = python,
                                .env = &s->env,
                                .folder = s->folder,
                                .start_ms = start_ms,
                                .reply_ms = 10000 };
    struct err err;

    snprintf(s->folder, sizeof(s->folder), "/tmp/test-zygote.XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    snprintf(s->path, sizeof(s->path), "%s/s.py", s->folder);
    assert_int_equal(file_replace(s->path, script, strlen(script), 0600, &err),
                     0);
    assert_int_equal(zygote_install(s->folder, &setup, &err), 0);
    env_base(&s->env, &setup);
    env_set(&s->extra, "GIVEN", "yes");
    test_loop_init(&s->loop);
    assert_int_equal(pipe(s->out), 0);
    assert_int_equal(pipe(s->err), 0);
    s->loop.fds += 4;
    s->zygote = zygote_start(&s->loop.uv, &spec, &events, s);
    assert_int_equal(s->readies + s->gones, 0);
}

static void play(struct scene *s, const char *script, char *preload)
{
    open_scene(s, script, preload, "python3", 30000);
    test_loop_finish(&s->loop);
    assert_int_equal(s->gones, 1);
    assert_int_equal(s->readies, 1);
    assert_int_equal(s->endeds + s->syntaxes + s->losts, 1);
}

/* What the fork wrote; the ends are closed. */
static char *heard(struct scene *s)
{
    char text[256];
    ssize_t n;

    close(s->out[1]);
    close(s->err[1]);
    n = read(s->out[0], text, sizeof(text));
    close(s->out[0]);
    close(s->err[0]);
    return xmemdup(text, n > 0 ? (size_t)n : 0);
}

static void leave(struct scene *s)
{
    scratch_remove_tree(s->folder);
    env_free(&s->env);
    env_free(&s->extra);
    free(s->skipped);
    free(s->why);
    free(s->lost);
    free(s->message);
    free(s->loads);
}

static void fork_runs_the_script(void **state)
{
    struct scene s = { 0 };
    (void)state;

    play(&s,
         "import os, sys\nprint(os.environ['GIVEN'], __name__)\nsys.exit(3)\n",
         NULL);
    char *text = heard(&s);

    assert_int_equal(s.starteds, 1);
    assert_int_equal(s.endeds, 1);
    assert_int_equal(s.exit_code, 3);
    assert_string_equal(text, "yes __main__\n");
    free(text);
    leave(&s);
}

static void fork_tells_what_it_loads_when_asked(void **state)
{
    (void)state;
    for (int asked = 0; asked < 2; asked++) {
        struct scene s = { .ask_loads = asked };
        char module[] = "csv";

        play(&s, "import os\nprint(os.sep)\n", module);
        free(heard(&s));
        assert_int_equal(s.loads ? strlen(s.loads) : 0, asked ? 16 : 0);
        leave(&s);
    }
}

static void fork_that_crashes_reports_its_signal(void **state)
{
    struct scene s = { 0 };
    (void)state;

    play(&s, "import os\nos.abort()\n", NULL);
    free(heard(&s));
    assert_int_equal(s.signal, SIGABRT);
    leave(&s);
}

static void what_does_not_compile_never_starts(void **state)
{
    struct scene s = { 0 };
    (void)state;

    play(&s, "x = 1 1\n", NULL);
    free(heard(&s));
    assert_int_equal(s.syntaxes, 1);
    assert_int_equal(s.starteds, 0);
    assert_int_equal(strncmp(s.message, "SyntaxError: ", 13), 0);
    leave(&s);
}

static void missing_module_is_skipped(void **state)
{
    struct scene s = { 0 };
    char name[] = "no_such_module";
    (void)state;

    play(&s, "", name);
    free(heard(&s));
    assert_int_equal(s.endeds, 1);
    assert_non_null(strstr(s.skipped, "no_such_module"));
    leave(&s);
}

static void request_too_long_is_lost_alone(void **state)
{
    struct scene s = { 0 };
    char *value = xcalloc(300000, 1);
    (void)state;

    memset(value, 'x', 299999);
    env_set(&s.extra, "LONG", value);
    play(&s, "", NULL);
    free(heard(&s));
    assert_int_equal(s.losts, 1);
    assert_non_null(strstr(s.lost, "too long"));
    free(value);
    leave(&s);
}

static void killed_server_loses_its_forks(void **state)
{
    struct scene s = { .kill_at_start = true };
    (void)state;

    play(&s, "import time\ntime.sleep(60)\n", NULL);
    free(heard(&s));
    assert_int_equal(s.losts, 1);
    assert_non_null(strstr(s.lost, "SIGKILL"));
    leave(&s);
}

static void missing_interpreter_is_told(void **state)
{
    struct scene s = { 0 };
    (void)state;

    open_scene(&s, "", NULL, "/no/such/python", 30000);
    test_loop_finish(&s.loop);
    free(heard(&s));
    assert_int_equal(s.readies, 0);
    assert_non_null(strstr(s.why, "/no/such/python"));
    leave(&s);
}

static void stop_while_it_starts(void **state)
{
    struct scene s = { 0 };
    (void)state;

    open_scene(&s, "", NULL, "python3", 30000);
    zygote_stop(s.zygote);
    test_loop_finish(&s.loop);
    free(heard(&s));
    assert_int_equal(s.gones, 1);
    assert_int_equal(s.readies, 0);
    leave(&s);
}

static void imports_have_a_deadline(void **state)
{
    struct scene s = { 0 };
    (void)state;

    open_scene(&s, "", NULL, "python3", 1);
    test_loop_finish(&s.loop);
    free(heard(&s));
    assert_int_equal(s.readies, 0);
    assert_non_null(strstr(s.why, "too long"));
    leave(&s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fork_runs_the_script),
        cmocka_unit_test(fork_tells_what_it_loads_when_asked),
        cmocka_unit_test(fork_that_crashes_reports_its_signal),
        cmocka_unit_test(what_does_not_compile_never_starts),
        cmocka_unit_test(missing_module_is_skipped),
        cmocka_unit_test(request_too_long_is_lost_alone),
        cmocka_unit_test(killed_server_loses_its_forks),
        cmocka_unit_test(missing_interpreter_is_told),
        cmocka_unit_test(stop_while_it_starts),
        cmocka_unit_test(imports_have_a_deadline),
    };
    char path[4096];
    size_t size = sizeof(path);

    if (argc > 1 && strcmp(argv[1], "limits") == 0)
        return limits_main(argc, argv);
    uv_exepath(path, &size);
    self = path;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
