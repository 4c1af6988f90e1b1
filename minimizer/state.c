/* A job's key is a fingerprint of everything that a verdict depends on. What it
 * leaves out would let verdicts of another question count for this one; what
 * it holds too much would forget them without need. */
#include "minimizer/state.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "config/buf.h"
#include "config/file.h"
#include "config/hash.h"
#include "config/mem.h"
#include "grammar/guard.h"
#include "minimizer/screen.h"
#include "minimizer/signature.h"

int state_open(struct store **store, const struct config *config,
               struct err *err)
{
    char *path = config->state ? xstrdup(config->state) : store_default_path();
    int error;

    if (!path)
        return err_set(err, -ENOENT,
                       "no home folder to keep the state in: set HOME or "
                       "XDG_STATE_HOME, or give a file with --state");
    error = store_open(store, path, config->force, err);
    free(path);
    return error;
}

/* Whether a file may be replaced: it is not there, empty, or of a result. */
static int check_target(struct store *store, const char *path, struct err *err)
{
    char *data;
    size_t len;
    bool ours;
    int error;

    if (access(path, F_OK))
        return 0;
    error = file_read(path, SCRIPT_MAX_BYTES, &data, &len, err);
    if (error)
        return error;
    ours = len == 0 || store_knows(store, hash_bytes(data, len));
    free(data);
    if (ours)
        return 0;
    return err_set(err, -EEXIST,
                   "%s: exists and is no earlier result of this tool; move it "
                   "away, choose another name with -o, or give --force",
                   path);
}

int state_check_output(struct store *store, const struct config *config,
                       const struct input *input, struct err *err)
{
    int error;

    if (config->force)
        return 0;
    error = check_target(store, input->output, err);
    if (!error && input->good_output)
        error = check_target(store, input->good_output, err);
    return error;
}

static struct hash128 key_of(const struct state_facts *f)
{
    const struct input *input = f->input;
    const struct original_facts *o = f->original;
    struct hash128 key = hash_bytes(input->text, input->len);
    struct buf text;

    buf_init(&text, 1 << 20);
    buf_adds(&text, AUTODD_VERSION "\n");
    buf_addf(&text, "%s/%s\n%s %s\n", input->dir, input->name, f->python,
             f->python_version);
    signature_key(o->signature, &text);
    setup_key(f->setup, &text);
    buf_addf(&text, "\n%d %d %s", (int)o->fork, o->children == CHILDREN_HOT,
             o->cwd ? o->cwd : "");
    buf_addf(&text, "\n%d %d %d", (int)f->config->mutate,
             (int)f->config->rename, (int)f->config->deterministic);
    if (o->rate < 1) /* a no of a single run is none then */
        buf_adds(&text, "\nsometimes");
    if (o->aids & AID_BLOCKING)
        buf_adds(&text, "\nblocking");
    if (f->config->timeout_s > 0)
        buf_addf(&text, "\ntimeout %g", f->config->timeout_s);
    if (f->sanitizer)
        buf_addf(&text, "\nsanitizer %s", f->sanitizer);
    if (o->screen)
        buf_addf(&text, "\nscreen %d %d", o->screen->passes,
                 o->screen->context);
    if (f->other_python)
        buf_addf(&text, "\n%s %s", f->other_python,
                 f->other_version ? f->other_version : "");
    for (size_t i = 0; i < f->config->pass_with.n; i++)
        buf_addf(&text, "\npass-with %s", f->config->pass_with.at[i]);
    if (f->other)
        setup_key(f->other, &text);
    if (input->twin.good)
        key = hash_more(key, input->twin.good, input->twin.len);
    for (unsigned i = 0; i < o->ncontrols; i++)
        buf_addf(&text, "\n%d", (int)o->controls[i].fork);
    guard_key(o->guard, &text);
    for (size_t i = 0; i < input->nfrozen; i++)
        buf_addf(&text, " %u-%u", input->frozen[i].start, input->frozen[i].end);
    key = hash_more(key, buf_str(&text), text.len);
    buf_deinit(&text);
    return key;
}

int state_begin(struct store *store, const struct state_facts *f, int64_t *job,
                struct store_trace *trace, struct err *err)
{
    struct bytes text = bytes_of(f->input->text, f->input->len);
    struct store_batch begin = { .status = "running" };
    struct buf signature;
    bool fresh;
    int error =
        store_job(store, key_of(f), f->input->path, text, job, &fresh, err);

    trace->ran = xstrdup(f->original->ran);
    trace->observed = xstrdup(f->original->observed);
    trace->figures = f->original->figures;
    if (!error && !fresh && f->config->no_cache)
        error = store_reset(store, *job, err);
    if (!error)
        error = store_trace(store, *job, trace, err);
    if (error)
        return error;
    buf_init(&signature, 1 << 16);
    signature_describe(f->original->signature, &signature);
    begin.signature = buf_str(&signature);
    error = store_write(store, *job, &begin, err);
    buf_deinit(&signature);
    return error;
}
