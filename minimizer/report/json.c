/* Every member is put, in the order in which report.h names them. */
#include "config/json.h"

#include <string.h>

#include "minimizer/report/escape.h"
#include "minimizer/report/interval.h"
#include "minimizer/report/report.h"
#include "minimizer/report/sha256.h"

static void put_null(struct json *object, const char *key)
{
    json_put(object, key, json_parse("null", 4, NULL));
}

/* Paths, messages and output may hold any bytes; JSON may not. A zero byte
 * would end the text here. */
static void put_bytes(struct json *object, const char *key, struct bytes text)
{
    struct buf clean;

    buf_init(&clean, 3 * text.len + 1);
    escape_utf8(&clean, text);
    for (size_t i = 0; i < clean.len; i++)
        clean.data[i] = clean.data[i] ? clean.data[i] : ' ';
    json_put_str(object, key, buf_str(&clean));
    buf_deinit(&clean);
}

static void put_text(struct json *object, const char *key, const char *text)
{
    if (text)
        put_bytes(object, key, bytes_of_text(text));
    else
        put_null(object, key);
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
        put_null(object, key);
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
        interval_of(report->rate_matched, report->rate_runs, REPORT_RATE_LEVEL);

    put_count(verification, "runs", report->verify_runs);
    put_count(verification, "matched", report->verify_matched);
    json_put(object, "verification", verification);
    put_count(rate, "matched", report->rate_matched);
    put_count(rate, "runs", report->rate_runs);
    json_put_real(rate, "low", i.low);
    json_put_real(rate, "high", i.high);
    json_put(object, "rate", rate);
}

static void put_without(struct json *object, const struct report *report)
{
    struct json *list = json_new_array();

    for (size_t i = 0; i < report->nwithout; i++) {
        const struct report_without *w = &report->without[i];
        struct json *without = json_new_object();

        put_text(without, "aid", w->aid);
        put_count(without, "runs", w->runs);
        put_count(without, "matched", w->matched);
        json_push(list, without);
    }
    json_put(object, "without", list);
}

static void put_asked(struct json *object, const struct report *report)
{
    struct json *asked = json_new_array();

    for (size_t i = 0; i < report->nasked; i++) {
        struct json *ask = json_new_object();
        put_text(ask, "option", report->asked[i].option);
        put_text(ask, "text", report->asked[i].text);
        json_push(asked, ask);
    }
    json_put(object, "asked", asked);
}

static void put_steps(struct json *object, const struct report *report)
{
    size_t began = report_mutation_began(report);
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
    if (began < report->nsteps)
        put_count(object, "mutation_began", began);
    else
        put_null(object, "mutation_began");
    json_put(object, "reasons", reasons);
}

static void put_notes(struct json *object, const struct report *report)
{
    struct json *notes = json_new_array();

    for (size_t i = 0; i < report->nnotes; i++) {
        struct json *note = json_new_object();
        put_text(note, "kind", report->notes[i].kind);
        put_text(note, "text", report->notes[i].text);
        json_push(notes, note);
    }
    json_put(object, "notes", notes);
}

static void put_output(struct json *object, const struct report_output *output)
{
    if (!output->end) {
        put_null(object, "output");
        return;
    }
    struct json *value = json_new_object();
    put_text(value, "end", output->end);
    put_text(value, "gpu", output->gpu);
    put_bytes(value, "out", output->out);
    put_bytes(value, "err", output->err);
    json_put(object, "output", value);
}

static void put_versions(struct json *object, const struct report_versions *v)
{
    struct json *value = json_new_object();
    struct json *packages = json_new_array();
    struct buf clean;

    json_put_str(value, "autodd_c", AUTODD_VERSION);
    put_text(value, "python", v->python);
    put_text(value, "python_version", v->python_version);
    put_text(value, "platform", v->platform);
    put_text(value, "gpu", v->gpu);
    put_text(value, "sanitizer", v->sanitizer);
    buf_init(&clean, 1 << 16);
    for (size_t i = 0; i < v->npackages; i++) {
        buf_clear(&clean);
        escape_utf8(&clean, bytes_of_text(v->packages[i]));
        json_push_str(packages, buf_str(&clean));
    }
    buf_deinit(&clean);
    json_put(value, "packages", packages);
    json_put(object, "versions", value);
}

static void put_children(struct json *object, const struct report *report)
{
    const struct run_kinds *kinds = &report->kinds;
    const struct lanes_counts *hot = &report->hot;
    struct json *value = json_new_object();

    put_count(value, "fresh", kinds->fresh);
    put_count(value, "forked", kinds->forked);
    put_count(value, "warm", kinds->warm);
    put_count(value, "hot", kinds->hot);
    put_count(value, "controls", hot->controls);
    put_count(value, "batches", hot->batches);
    put_count(value, "voided", hot->voided);
    put_count(value, "noes", hot->noes);
    put_count(value, "sampled", hot->sampled);
    put_count(value, "overturned", hot->overturned);
    put_count(value, "yes", hot->yes);
    put_count(value, "checked", hot->checked);
    put_count(value, "denied", hot->denied);
    json_put(object, "children", value);
}

int report_json(const struct report *report, struct buf *out)
{
    struct json *object = json_new_object();

    json_put_int(object, "schema", REPORT_SCHEMA);
    json_put_str(object, "status", report_status_name(report->status));
    put_count(object, "runs", report->runs);
    put_count(object, "pumped", report->pumped);
    put_count(object, "cached", report->cached);
    put_count(object, "rejected_early", report->rejected_early);
    put_count(object, "no_verdict", report->no_verdict);
    put_count(object, "accepted", report->accepted);
    put_children(object, report);
    json_put_real(object, "wall_s", report->wall_s);
    json_put_real(object, "tool_cpu_s", report->tool_cpu_s);
    put_file(object, "original", &report->original);
    put_file(object, "result", &report->result);
    put_file(object, "good", &report->good);
    put_controls(object, report);
    put_without(object, report);
    put_rates(object, report);
    put_text(object, "signature", report->signature);
    put_asked(object, report);
    if (report->minimal)
        json_put_bool(object, "minimal", true);
    else
        put_text(object, "minimal", report->budget);
    put_steps(object, report);
    put_notes(object, report);
    put_text(object, "command", report->command);
    put_output(object, &report->output);
    put_versions(object, &report->versions);
    int error = json_write_pretty(object, out);
    json_free(object);
    return error ? error : buf_addc(out, '\n');
}
