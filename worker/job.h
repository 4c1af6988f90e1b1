/* job.h - what the runs of a job share: its patterns, environment, folders and
 * interpreter; made from its setup, and removed again.
 *
 * Lives in its owner's struct; all zero is one not begun, which may be removed
 * and deinited too. Order of calls: job_init(), job_prepare(); at the end, when
 * no run and no server is left, job_remove() and job_deinit(). */
#ifndef AUTODD_JOB_H
#define AUTODD_JOB_H

#include "config/err.h"
#include "worker/protocol.h"
#include "worker/run.h"

struct uv_loop_s;

struct job {
    struct run_job run; /* what slots and servers get */
    /* Owned; `run` points to them. */
    char *python, *sanitizer, *root, *server_cache, *fill;
};

/* The setup and `self`, the path of this program, are borrowed. -EINVAL when a
 * pattern is wrong: the user's words, with a sentence in err. */
int job_init(struct job *job, struct uv_loop_s *loop,
             const struct job_setup *setup, const char *self, struct err *err);

/* End what a dead predecessor left; make the folders, the fork server's program
 * and settings; find the interpreter. 0, or a negative errno with a sentence in
 * err. Blocks. */
int job_prepare(struct job *job, struct err *err);

/* Whether runs are a plain `python FILE`. */
bool job_runs_python(const struct job *job);

/* Kill every process of the job, delete its folders. Blocks. */
void job_remove(struct job *job);
void job_deinit(struct job *job);

#endif
