/* The program: reads the options, owns the loop, the signals and the clock of
 * the progress line, and is the only file that ends the process.
 *
 *   config_load -> session_start -> uv_run -> done -> handles closed -> exit
 *
 * The first SIGINT or SIGTERM asks the session to finish with the best so far,
 * the second to stop at once; both take the same way out. */
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include <uv.h>

#include "config/config.h"
#include "config/log.h"
#include "minimizer/doctor.h"
#include "minimizer/progress.h"
#include "minimizer/session.h"
#include "worker/protocol.h"

#define TICK_MS 200

struct program {
    uv_loop_t loop;
    uv_signal_t interrupt, terminate;
    uv_timer_t tick;
    struct session *session;
    struct progress progress;
    enum exit_code code;
};

static void on_say(void *arg, enum say_kind kind, const char *text)
{
    struct program *program = arg;

    progress_say(&program->progress, kind, text);
}

static void on_phase(void *arg, enum session_phase phase)
{
    struct program *program = arg;

    progress_phase(&program->progress, phase);
}

static void on_accepted(void *arg, const char *kind)
{
    struct program *program = arg;
    struct session_view view = session_view(program->session);

    progress_accepted(&program->progress, kind, &view);
}

static void on_done(void *arg, enum exit_code code)
{
    struct program *program = arg;
    struct session_view view = session_view(program->session);

    progress_done(&program->progress, code, &view,
                  session_text(program->session));
    program->code = code;
    program->session = NULL;
    uv_close((uv_handle_t *)&program->interrupt, NULL);
    uv_close((uv_handle_t *)&program->terminate, NULL);
    uv_close((uv_handle_t *)&program->tick, NULL);
}

static void on_signal(uv_signal_t *handle, int signum)
{
    struct program *program = handle->data;
    enum exit_code code =
        signum == SIGTERM ? EXIT_TERMINATED : EXIT_INTERRUPTED;

    if (program->session)
        session_interrupt(program->session, code);
}

static void on_tick(uv_timer_t *timer)
{
    struct program *program = timer->data;

    if (!program->session)
        return;
    session_tick(program->session);
    struct session_view view = session_view(program->session);
    progress_tick(&program->progress, &view);
}

static int minimize(const struct config *config)
{
    static const struct session_events events = {
        .say = on_say,
        .phase = on_phase,
        .accepted = on_accepted,
        .done = on_done,
    };
    struct program program = { .code = EXIT_ENVIRONMENT };
    char self[4096];
    size_t len = sizeof(self);
    int error = uv_exepath(self, &len);

    if (error) {
        log_error("own path not found: %s", uv_strerror(error));
        return EXIT_ENVIRONMENT;
    }
    uv_loop_init(&program.loop);
    progress_init(&program.progress, config);
    program.session = session_start(&program.loop, config, self, &events,
                                    &program, &program.code);
    if (program.session) {
        uv_signal_init(&program.loop, &program.interrupt);
        uv_signal_init(&program.loop, &program.terminate);
        uv_timer_init(&program.loop, &program.tick);
        program.interrupt.data = program.terminate.data = &program;
        program.tick.data = &program;
        uv_signal_start(&program.interrupt, on_signal, SIGINT);
        uv_signal_start(&program.terminate, on_signal, SIGTERM);
        uv_timer_start(&program.tick, on_tick, TICK_MS, TICK_MS);
    }
    uv_run(&program.loop, UV_RUN_DEFAULT);
    error = uv_loop_close(&program.loop);
    assert(!error);
    return program.code;
}

int main(int argc, char **argv)
{
    static const enum log_level levels[] = { LOG_WARN, LOG_INFO, LOG_DEBUG };
    struct config config;
    struct err err;
    int code = EXIT_DONE;

    signal(SIGPIPE, SIG_IGN);
    if (config_load(&config, argc, argv, &err)) {
        fprintf(stderr, "autodd-c: error: %s\n", err.text);
        return EXIT_USAGE;
    }
    log_set_level(levels[config.verbose > 2 ? 2 : config.verbose]);
    switch (config.action) {
    case ACTION_HELP:
        config_print_help();
        break;
    case ACTION_VERSION:
        config_print_version();
        break;
    case ACTION_DOCTOR:
        code = doctor_run(&config);
        break;
    case ACTION_WORKER:
        code = worker_main();
        break;
    case ACTION_LIMITS:
        code = limits_main(argc, argv);
        break;
    case ACTION_GPU:
        code = gpu_main(argc, argv);
        break;
    case ACTION_MINIMIZE:
        code = minimize(&config);
        break;
    }
    config_deinit(&config);
    if (fflush(stdout) && code == EXIT_DONE)
        code = EXIT_ENVIRONMENT;
    return code;
}
