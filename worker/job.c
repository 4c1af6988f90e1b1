/* The mark of a job ties it together: its processes carry it in their
 * environment and its folders in their names, so that a worker can clear away
 * what a killed one of the same job has left before it makes anything itself.
 * This order, and the reverse of it at the end, is all there is to it. */
#include "worker/job.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "config/file.h"
#include "worker/arrival_py.h" /* made by the Makefile from arrival.py */
#include "worker/env.h"
#include "worker/fill_py.h" /* and from fill.py */
#include "worker/gpu/sanitizer.h"
#include "worker/interpreter.h"
#include "worker/scan.h"
#include "worker/scratch.h"
#include "worker/sweep.h"
#include "worker/zygote.h"

int job_init(struct job *job, struct uv_loop_s *loop,
             const struct job_setup *setup, const char *self, struct err *err)
{
    struct matcher *matcher =
        matcher_new(setup->patterns, setup->npatterns, err);

    if (!matcher)
        return -EINVAL;
    job->run.loop = loop;
    job->run.matcher = matcher;
    job->run.setup = setup;
    job->run.sweep = sweep_new(setup->mark);
    job->run.self = self;
    env_base(&job->run.base, setup);
    return 0;
}

bool job_runs_python(const struct job *job)
{
    return !job->run.setup->command && !job->run.setup->test;
}

/* Where interpreters that look for a sitecustomize find fill.py. */
static int install_fill(struct job *job, struct err *err)
{
    char *folder = file_join(job->root, "fill");
    char *file = file_join(folder, "sitecustomize.py");
    char *part = file_join(folder, "_autodd_c_arrival.py");
    int error = mkdir(folder, 0700) ? -errno : 0;

    if (error)
        err_set(err, error, "%s: %s", folder, err_name(error));
    else
        error = file_replace(part, arrival_py, sizeof(arrival_py), 0600, err);
    if (!error)
        error = file_replace(file, fill_py, sizeof(fill_py), 0600, err);
    free(part);
    free(file);
    job->run.fill = job->fill = folder;
    return error;
}

int job_prepare(struct job *job, struct err *err)
{
    const struct job_setup *setup = job->run.setup;
    int error;

    sweep_job(job->run.sweep); /* of a predecessor that was killed */
    scratch_clean(setup->mark, false);
    scratch_clean(NULL, false); /* of jobs that were killed with their worker */
    error = scratch_open(setup->mark, &job->root, err);
    if (!error)
        error = scratch_cache(job->root, 2 * setup->slots, 1,
                              &job->server_cache, err);
    if (!error)
        error = zygote_install(job->root, setup, err);
    if (!error && setup->fill)
        error = install_fill(job, err);
    if (!error && job_runs_python(job))
        error = interpreter_find(setup->python, env_get(&job->run.base, "PATH"),
                                 &job->python, err);
    if (!error && setup->sanitizer)
        error = sanitizer_find(&job->run.base, &job->sanitizer, err);
    job->run.root = job->root;
    job->run.python = job->python;
    job->run.sanitizer = job->sanitizer;
    return error;
}

void job_remove(struct job *job)
{
    if (job->run.sweep)
        sweep_job(job->run.sweep);
    if (job->root)
        scratch_close(job->root);
}

void job_deinit(struct job *job)
{
    sweep_free(job->run.sweep);
    matcher_free((struct matcher *)job->run.matcher); /* made by us */
    env_free(&job->run.base);
    free(job->python);
    free(job->sanitizer);
    free(job->root);
    free(job->server_cache);
    free(job->fill);
}
