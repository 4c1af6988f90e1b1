/* sweep.h - find and end what a run leaves behind.
 *
 * The worker is a child subreaper, so what outlives its parent becomes the
 * worker's child. A run leads its own session; its processes are found by
 *   1. its process group and session,
 *   2. descent from it (parents, while they live),
 *   3. AUTODD_RUN=<mark>-<id> in the environment (what it has exec'd),
 *   4. an inherited output pipe or a cwd in its folder,
 *   5. elimination: an orphan that no rule gives to a run belongs to one of the
 *      runs alive when it was first seen, and is ended once they all are over.
 * Orphans are reaped here (libuv waits only for its own). Reads /proc. */
#ifndef AUTODD_SWEEP_H
#define AUTODD_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct sweep;

/* Become subreaper. `mark`: value of AUTODD_JOB in every process of the job;
 * copied. */
struct sweep *sweep_new(const char *mark);
void sweep_free(struct sweep *sweep);

/* Processes that are ours (a zygote; a hot child, which outlives its run):
 * never touched. */
void sweep_spare(struct sweep *sweep, pid_t pid);
void sweep_unspare(struct sweep *sweep, pid_t pid);

/* A run has started / is over (its leader has ended or was killed). `dir` is
 * its folder, `out_inode`/`err_inode` those of its output pipes. sweep_end
 * kills what is left and returns how many processes the run is to wait for:
 * its own, and what may be; call it again until it returns 0 or patience ends.
 * What is left then does not end: sweep_forget() gives it up, and no run waits
 * for it any more. */
void sweep_begin(struct sweep *sweep, uint64_t run, pid_t leader,
                 const char *dir, ino_t out_inode, ino_t err_inode);
size_t sweep_end(struct sweep *sweep, uint64_t run);
void sweep_forget(struct sweep *sweep, uint64_t run);

/* What the processes of a run use now. */
struct sweep_usage {
    uint64_t rss; /* bytes, summed */
    uint64_t procs;
    bool running;   /* one of them runs, or would */
    uint64_t waits; /* proc_waits(), summed */
};
struct sweep_usage sweep_measure(struct sweep *sweep, uint64_t run);

/* Kill every process that carries AUTODD_JOB=mark in its environment, this one
 * and the spared excepted; twice, for what forks meanwhile. Returns how many.
 * For the end of a worker and for what a dead predecessor left. */
size_t sweep_job(struct sweep *sweep);

#endif
