#include "minimizer/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "config/buf.h"
#include "config/json.h"
#include "config/log.h"
#include "minimizer/control.h"

#define PLAIN_EVERY_MS 5000
#define SHOWN_LINES 40 /* a result up to here is printed whole */

static const char *const phase_names[] = {
    [SESSION_STARTING] = "starting",   [SESSION_CALIBRATING] = "calibrating",
    [SESSION_SEARCHING] = "searching", [SESSION_VERIFYING] = "verifying",
    [SESSION_CLOSING] = "closing",
};

static const char *const say_names[] = {
    [SAY_INFO] = "info",
    [SAY_NOTE] = "note",
    [SAY_WARNING] = "warning",
    [SAY_ERROR] = "error",
};

void progress_init(struct progress *p, const struct config *config)
{
    *p = (struct progress){
        .json = config->json,
        .quiet = config->quiet,
        .live = !config->quiet && !config->json && isatty(STDERR_FILENO) &&
                log_get_level() < LOG_DEBUG,
    };
}

/* ---- JSON ---- */

/* Print an event and free it. */
static void emit(struct json *event)
{
    struct buf line;

    buf_init(&line, 64u << 20);
    if (!json_write(event, &line) && !buf_addc(&line, '\n'))
        fwrite(line.data, 1, line.len, stdout);
    fflush(stdout);
    buf_deinit(&line);
    json_free(event);
}

static struct json *event_new(const char *name)
{
    struct json *event = json_new_object();

    json_put_str(event, "event", name);
    return event;
}

static void put_view(struct json *event, const struct session_view *view)
{
    json_put_int(event, "bytes", (int64_t)view->bytes);
    json_put_int(event, "lines", (int64_t)view->lines);
    json_put_int(event, "runs", (int64_t)view->runs);
    json_put_int(event, "cached", (int64_t)view->cached);
    json_put_int(event, "accepted", (int64_t)view->accepted);
    json_put_int(event, "elapsed_ms", (int64_t)view->elapsed_ms);
}

/* ---- lines ---- */

static void clear_live(struct progress *p)
{
    if (p->drawn)
        fputs("\r\033[K", stderr);
    p->drawn = false;
}

void progress_say(struct progress *p, enum say_kind kind, const char *text)
{
    if (p->json) {
        struct json *event = event_new(say_names[kind]);

        json_put_str(event, "text", text);
        emit(event);
        if (kind != SAY_ERROR)
            return;
    }
    if (p->quiet && kind < SAY_ERROR)
        return;
    clear_live(p);
    if (kind == SAY_INFO)
        fprintf(stderr, "%s\n", text);
    else
        fprintf(stderr, "autodd-c: %s: %s\n", say_names[kind], text);
    fflush(stderr);
}

void progress_phase(struct progress *p, enum session_phase phase)
{
    if (p->json) {
        struct json *event = event_new("phase");

        json_put_str(event, "phase", phase_names[phase]);
        emit(event);
    }
}

static double ratio(uint64_t n, uint64_t ms)
{
    return ms > 0 ? (double)n * 1000.0 / (double)ms : 0;
}

static void format_line(char *out, size_t size, const struct session_view *view)
{
    uint64_t s = view->elapsed_ms / 1000;

    snprintf(out, size,
             "%s  %zu bytes, %zu lines (of %zu, %zu)  %" PRIu64
             " runs, %" PRIu64 " accepted, %" PRIu64 " cached  %.1f/s  %" PRIu64
             ":%02" PRIu64 "  %s",
             phase_names[view->phase], view->bytes, view->lines,
             view->original_bytes, view->original_lines, view->runs,
             view->accepted, view->cached, ratio(view->runs, view->elapsed_ms),
             s / 60, s % 60, view->output);
}

void progress_accepted(struct progress *p, const char *kind,
                       const struct session_view *view)
{
    if (p->json) {
        struct json *event = event_new("accepted");

        json_put_str(event, "kind", kind);
        put_view(event, view);
        emit(event);
    }
    p->last_accepted = view->accepted;
}

static void draw_live(struct progress *p, const struct session_view *view)
{
    char line[1024];
    struct winsize window;
    size_t width = 80;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1)
        width = window.ws_col;
    format_line(line, sizeof(line), view);
    if (strlen(line) >= width && width < sizeof(line))
        line[width - 1] = '\0';
    fprintf(stderr, "\r\033[K%s", line);
    fflush(stderr);
    p->drawn = true;
}

void progress_tick(struct progress *p, const struct session_view *view)
{
    char line[1024];

    if (p->json || p->quiet)
        return;
    if (p->live) {
        draw_live(p, view);
        return;
    }
    if (view->elapsed_ms < p->last_ms + PLAIN_EVERY_MS)
        return;
    p->last_ms = view->elapsed_ms;
    format_line(line, sizeof(line), view);
    fprintf(stderr, "%s\n", line);
    fflush(stderr);
}

static void print_result(const struct session_view *view, struct bytes text)
{
    printf("%s: %zu bytes, %zu lines (from %zu bytes, %zu lines)\n",
           view->output, view->bytes, view->lines, view->original_bytes,
           view->original_lines);
    if (view->good_output)
        printf("%s: its good form\n", view->good_output);
    if (view->verify_runs > 0)
        printf("failed again in %u of %u fresh runs\n", view->verify_matched,
               view->verify_runs);
    else
        printf("not checked again\n");
    for (unsigned i = 0; i < view->ncontrols && view->verify_runs > 0; i++)
        printf("passed in %u of %u fresh runs %s\n", view->control_passed[i],
               view->control_runs[i], view->controls[i].what);
    printf("%" PRIu64 " runs, %" PRIu64 " accepted, %" PRIu64
           " answered from memory, %" PRIu64 ".%" PRIu64 " s%s%s\n",
           view->runs, view->accepted, view->cached, view->elapsed_ms / 1000,
           view->elapsed_ms % 1000 / 100,
           view->stopped_by ? ", stopped by " : "",
           view->stopped_by ? view->stopped_by : "");
    if (view->lines > SHOWN_LINES)
        return;
    putchar('\n');
    fwrite(text.data, 1, text.len, stdout);
    if (text.len > 0 && text.data[text.len - 1] != '\n')
        putchar('\n');
}

void progress_done(struct progress *p, enum exit_code code,
                   const struct session_view *view, struct bytes text)
{
    clear_live(p);
    if (p->json) {
        struct json *event = event_new("done");

        json_put_int(event, "exit", (int)code);
        json_put_str(event, "status", view->status);
        json_put_str(event, "output", view->output);
        json_put_int(event, "verify_runs", view->verify_runs);
        json_put_int(event, "verify_matched", view->verify_matched);
        json_put_bool(event, "minimal", view->minimal);
        put_view(event, view);
        emit(event);
        return;
    }
    if (p->quiet || !view->searched)
        return;
    print_result(view, text);
    fflush(stdout);
}
