#include "minimizer/report/report.h"

#include <errno.h>
#include <string.h>

#include "config/file.h"
#include "config/json.h"
#include "minimizer/report/interval.h"
#include "minimizer/report/sha256.h"

#define REPORT_MAX ((size_t)256 << 20)
#define RATE_LEVEL 0.95

const char *report_status_name(enum report_status status)
{
    switch (status) {
    case REPORT_VERIFIED:
        return "verified";
    case REPORT_UNVERIFIED:
        return "unverified";
    case REPORT_NOT_REPRODUCED:
        return "not-reproduced";
    case REPORT_ENVIRONMENT:
        return "environment";
    case REPORT_INTERRUPTED:
        return "interrupted";
    }
    return "";
}

uint64_t report_lines(struct bytes text)
{
    uint64_t n = 0;

    for (size_t i = 0; i < text.len; i++)
        n += text.data[i] == '\n';
    return n + (text.len > 0 && text.data[text.len - 1] != '\n');
}

/* The length of the UTF-8 sequence at s, 0 if it is none. The bounds of the
 * second byte keep out overlong forms and surrogates. */
static size_t sequence(const unsigned char *s)
{
    unsigned char c = s[0];

    if (c < 0x80)
        return 1;
    size_t n = c >= 0xC2 && c < 0xE0   ? 2
               : c >= 0xE0 && c < 0xF0 ? 3
               : c >= 0xF0 && c < 0xF5 ? 4
                                       : 0;
    unsigned char low = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80;
    unsigned char high = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
    if (n > 0 && (s[1] < low || s[1] > high))
        return 0;
    for (size_t i = 2; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    }
    return n;
}

/* Paths and messages may hold any bytes; JSON may not. */
static void put_text(struct json *object, const char *key, const char *text)
{
    struct buf clean;

    if (!text) {
        json_put(object, key, json_parse("null", 4, NULL));
        return;
    }
    buf_init(&clean, REPORT_MAX);
    while (*text) {
        size_t n = sequence((const unsigned char *)text);
        if (n > 0)
            buf_add(&clean, text, n);
        else
            buf_adds(&clean, "\xEF\xBF\xBD"); /* the replacement character */
        text += n > 0 ? n : 1;
    }
    json_put_str(object, key, buf_str(&clean));
    buf_deinit(&clean);
}

static void put_count(struct json *object, const char *key, uint64_t n)
{
    json_put_int(object, key, n > INT64_MAX ? INT64_MAX : (int64_t)n);
}

static void put_file(struct json *object, const char *key,
                     const struct report_file *file)
{
    char hex[65];

    if (!file->path) {
        put_text(object, key, NULL);
        return;
    }
    struct json *value = json_new_object();
    sha256_hex(file->text, hex);
    put_text(value, "path", file->path);
    put_count(value, "bytes", file->text.len);
    put_count(value, "lines", report_lines(file->text));
    json_put_str(value, "sha256", hex);
    json_put(object, key, value);
}

static void put_controls(struct json *object, const struct report *report)
{
    struct json *controls = json_new_array();

    for (size_t i = 0; i < report->ncontrols; i++) {
        const struct report_control *c = &report->controls[i];
        struct json *control = json_new_object();
        struct json *original = json_new_object();

        put_text(control, "what", c->what);
        put_count(control, "runs", c->runs);
        put_count(control, "passed", c->passed);
        put_count(original, "runs", c->original_runs);
        put_count(original, "passed", c->original_passed);
        json_put(control, "original", original);
        json_push(controls, control);
    }
    json_put(object, "controls", controls);
}

static void put_rates(struct json *object, const struct report *report)
{
    struct json *verification = json_new_object();
    struct json *rate = json_new_object();
    struct interval i =
        interval_of(report->rate_matched, report->rate_runs, RATE_LEVEL);

    put_count(verification, "runs", report->verify_runs);
    put_count(verification, "matched", report->verify_matched);
    json_put(object, "verification", verification);
    put_count(rate, "matched", report->rate_matched);
    put_count(rate, "runs", report->rate_runs);
    json_put_real(rate, "low", i.low);
    json_put_real(rate, "high", i.high);
    json_put(object, "rate", rate);
}

static void put_mutation(struct json *object, const struct report *report)
{
    size_t i = 0;

    while (i < report->nsteps && !report->steps[i].mutated)
        i++;
    if (i < report->nsteps)
        put_count(object, "mutation_began", i);
    else
        put_text(object, "mutation_began", NULL);
}

static void put_steps(struct json *object, const struct report *report)
{
    struct json *steps = json_new_array();
    struct json *reasons = json_new_array();

    for (size_t i = 0; i < report->nsteps; i++) {
        const struct report_step *s = &report->steps[i];
        struct json *step = json_new_object();
        json_put_real(step, "t", s->t);
        put_count(step, "run", s->run);
        put_text(step, "kind", s->kind);
        put_count(step, "bytes", s->bytes);
        json_push(steps, step);
    }
    for (size_t i = 0; i < report->nreasons; i++) {
        const struct report_reason *r = &report->reasons[i];
        struct json *reason = json_new_object();
        put_count(reason, "first", r->first);
        put_count(reason, "last", r->last);
        put_text(reason, "outcome", r->outcome);
        json_push(reasons, reason);
    }
    json_put(object, "steps", steps);
    put_mutation(object, report);
    json_put(object, "reasons", reasons);
}

int report_json(const struct report *report, struct buf *out)
{
    struct json *object = json_new_object();

    json_put_int(object, "schema", REPORT_SCHEMA);
    json_put_str(object, "status", report_status_name(report->status));
    put_count(object, "runs", report->runs);
    put_count(object, "cached", report->cached);
    put_count(object, "rejected_early", report->rejected_early);
    put_count(object, "no_verdict", report->no_verdict);
    put_count(object, "accepted", report->accepted);
    json_put_real(object, "wall_s", report->wall_s);
    json_put_real(object, "tool_cpu_s", report->tool_cpu_s);
    put_file(object, "original", &report->original);
    put_file(object, "result", &report->result);
    put_file(object, "good", &report->good);
    put_controls(object, report);
    put_rates(object, report);
    put_text(object, "signature", report->signature);
    if (report->minimal)
        json_put_bool(object, "minimal", true);
    else
        put_text(object, "minimal", report->budget);
    put_steps(object, report);
    int error = json_write_pretty(object, out);
    json_free(object);
    return error;
}

static bool ends_in_json(const char *path)
{
    size_t len = strlen(path);

    return len > 5 && strcmp(path + len - 5, ".json") == 0;
}

int report_write(const struct report *report, const char *path, struct err *err)
{
    struct buf text;

    if (!ends_in_json(path))
        return err_set(err, -EINVAL,
                       "%s: a report is written as JSON; give a name that "
                       "ends in .json",
                       path);
    buf_init(&text, REPORT_MAX);
    int error = report_json(report, &text);
    if (!error)
        error = buf_addc(&text, '\n');
    if (error)
        err_set(err, error, "%s: the report is larger than %zu MiB", path,
                REPORT_MAX >> 20);
    else
        error = file_replace(path, buf_str(&text), text.len, 0644, err);
    buf_deinit(&text);
    return error;
}
