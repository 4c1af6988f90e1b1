/* Who belongs to which run.
 *
 * While a run's leader lives, its processes hang below it. When it has ended,
 * the kernel gives what it leaves to the nearest subreaper above, which is this
 * worker. So all strays are found below our own children, without a look at the
 * rest of the machine; and when we have no child but the spared ones and
 * the leaders of runs, nothing is left: one small read.
 *
 *   worker -+- zygote (spared) -+- leader of run 7 --- its processes
 *           +- leader of run 8 --- its processes
 *           +- orphan --- its processes       whose? rules 1 to 5 of the header
 *
 * An orphan that a rule gives to a run takes its descendants along. One that
 * no rule gives to a run has as suspects the runs that were alive when it was
 * first seen; a run that started later can't have made it. Its descendants have
 * the same suspects, also when it ends and they become orphans themselves. When
 * all suspects are over it is killed; a live run may lose an orphan of its own
 * that way only if it made it before its sweep_begin().
 *
 * What SIGKILL does not end at once (state D) is for its own run to wait for;
 * where that is over or unknown, for each that sees it. A run that is forgotten
 * before has given up on it, and then it is nobody's any more: no later run
 * waits for it or counts it.
 *
 * What is killed may have forked meanwhile; the children then are ours, so the
 * search is repeated until it finds nobody new. */
#include "worker/sweep.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/mem.h"
#include "worker/proc.h"

#define ROUNDS_MAX 50     /* of one sweep, against what forks all the time */
#define FAMILY_MAX 100000 /* processes looked at in one search */
/* Orphans beyond which kin is not remembered, and of what does not end. */
#define KIN_MAX 4096

/* A process for sure: numbers are used again. */
struct named {
    pid_t pid;
    uint64_t start;
};

struct run {
    uint64_t id;
    pid_t leader;
    uint64_t start; /* of the leader */
    char *dir;
    ino_t out_inode, err_inode;
    bool over;
    struct named *left; /* what its last sweep_end() counted */
    size_t nleft, left_room;
};

/* An orphan that no rule gives to a run, or a descendant of one. */
struct orphan {
    pid_t pid;
    uint64_t start;
    uint64_t *suspects; /* ids of runs */
    size_t n;
    bool seen; /* in this search */
};

struct sweep {
    char *mark;
    pid_t *spared;
    size_t nspared, spared_room;
    struct run *runs;
    size_t nruns, runs_room;
    struct orphan *orphans;
    size_t norphans, orphans_room;
    struct named *given_up; /* what did not end for any run */
    size_t ngiven_up, given_up_room;
};

/* A process found by a search, and whose it is. */
struct member {
    struct proc proc;
    enum { OF_NOBODY, OF_RUN, OF_SUSPECTS } of;
    uint64_t run;
    pid_t orphan; /* whose suspects are its: itself or above, OF_SUSPECTS */
};

struct family {
    struct member *at;
    size_t n, room;
};

struct sweep *sweep_new(const char *mark)
{
    struct sweep *sweep = xcalloc(1, sizeof(*sweep));

    sweep->mark = xstrdup(mark);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    return sweep;
}

static void run_deinit(struct run *run)
{
    free(run->dir);
    free(run->left);
}

void sweep_free(struct sweep *sweep)
{
    if (!sweep)
        return;
    for (size_t i = 0; i < sweep->nruns; i++)
        run_deinit(&sweep->runs[i]);
    for (size_t i = 0; i < sweep->norphans; i++)
        free(sweep->orphans[i].suspects);
    free(sweep->runs);
    free(sweep->orphans);
    free(sweep->given_up);
    free(sweep->spared);
    free(sweep->mark);
    free(sweep);
}

void sweep_spare(struct sweep *sweep, pid_t pid)
{
    xgrow(&sweep->spared, &sweep->spared_room, sweep->nspared + 1,
          sizeof(*sweep->spared));
    sweep->spared[sweep->nspared++] = pid;
}

void sweep_unspare(struct sweep *sweep, pid_t pid)
{
    for (size_t i = 0; i < sweep->nspared; i++) {
        if (sweep->spared[i] == pid) {
            sweep->spared[i] = sweep->spared[--sweep->nspared];
            return;
        }
    }
}

static bool is_spared(const struct sweep *sweep, pid_t pid)
{
    for (size_t i = 0; i < sweep->nspared; i++)
        if (sweep->spared[i] == pid)
            return true;
    return pid == getpid();
}

static struct run *find_run(const struct sweep *sweep, uint64_t id)
{
    for (size_t i = 0; i < sweep->nruns; i++)
        if (sweep->runs[i].id == id)
            return &sweep->runs[i];
    return NULL;
}

static bool is_alive(const struct sweep *sweep, uint64_t id)
{
    const struct run *run = find_run(sweep, id);

    return run && !run->over;
}

static bool is_leader(const struct sweep *sweep, pid_t pid)
{
    for (size_t i = 0; i < sweep->nruns; i++)
        if (sweep->runs[i].leader == pid)
            return true;
    return false;
}

void sweep_begin(struct sweep *sweep, uint64_t id, pid_t leader,
                 const char *dir, ino_t out_inode, ino_t err_inode)
{
    struct run run = { .id = id,
                       .leader = leader,
                       .start = proc_start_time(leader),
                       .dir = xstrdup(dir),
                       .out_inode = out_inode,
                       .err_inode = err_inode };

    xgrow(&sweep->runs, &sweep->runs_room, sweep->nruns + 1,
          sizeof(*sweep->runs));
    sweep->runs[sweep->nruns++] = run;
}

static void add_named(struct named **at, size_t *n, size_t *room,
                      struct named process)
{
    xgrow(at, room, *n + 1, sizeof(**at));
    (*at)[(*n)++] = process;
}

/* What its last look has counted and is there still. */
static void give_up(struct sweep *sweep, const struct run *run)
{
    for (size_t i = 0; i < run->nleft && sweep->ngiven_up < KIN_MAX; i++) {
        if (proc_start_time(run->left[i].pid) == run->left[i].start)
            add_named(&sweep->given_up, &sweep->ngiven_up,
                      &sweep->given_up_room, run->left[i]);
    }
}

void sweep_forget(struct sweep *sweep, uint64_t id)
{
    struct run *run = find_run(sweep, id);

    if (!run)
        return;
    give_up(sweep, run);
    run_deinit(run);
    *run = sweep->runs[--sweep->nruns];
}

/* ---- whose is it ---- */

/* Rule 1: group and session. The number can't be in use again while one of the
 * group lives. */
static bool by_group(const struct sweep *sweep, struct member *m)
{
    for (size_t i = 0; i < sweep->nruns; i++) {
        pid_t leader = sweep->runs[i].leader;
        if (m->proc.group == leader || m->proc.session == leader) {
            m->run = sweep->runs[i].id;
            return true;
        }
    }
    return false;
}

/* Rule 3: AUTODD_RUN=<mark>-<id>. */
static bool by_environment(const struct sweep *sweep, struct member *m)
{
    size_t n = strlen(sweep->mark);
    char value[512], *end;

    if (!proc_get_env(m->proc.pid, "AUTODD_RUN", value, sizeof(value)) ||
        strncmp(value, sweep->mark, n) != 0 || value[n] != '-')
        return false;
    m->run = strtoull(value + n + 1, &end, 10);
    return *end == '\0';
}

/* Rule 4: a pipe or a folder of the run. */
static bool by_belongings(const struct sweep *sweep, struct member *m)
{
    for (size_t i = 0; i < sweep->nruns; i++) {
        const struct run *run = &sweep->runs[i];
        if (proc_is_in(m->proc.pid, run->dir) ||
            proc_has_pipe(m->proc.pid, run->out_inode, run->err_inode)) {
            m->run = run->id;
            return true;
        }
    }
    return false;
}

static struct orphan *find_orphan(const struct sweep *sweep, pid_t pid)
{
    for (size_t i = 0; i < sweep->norphans; i++)
        if (sweep->orphans[i].pid == pid)
            return &sweep->orphans[i];
    return NULL;
}

/* Rule 5: the suspects of the orphan above, else the runs alive now; if it is
 * new. */
static void by_elimination(struct sweep *sweep, struct member *m,
                           const struct member *above)
{
    const struct orphan *from =
        above ? find_orphan(sweep, above->orphan) : NULL;
    struct orphan *known = find_orphan(sweep, m->proc.pid);

    if (known && known->start == m->proc.start) {
        known->seen = true;
        return;
    }
    struct orphan orphan = { .pid = m->proc.pid,
                             .start = m->proc.start,
                             .seen = true };
    size_t n = from ? from->n : sweep->nruns;

    orphan.suspects = xcalloc(n + 1, sizeof(*orphan.suspects));
    for (; orphan.n < n; orphan.n++)
        orphan.suspects[orphan.n] =
            from ? from->suspects[orphan.n] : sweep->runs[orphan.n].id;
    if (known) { /* the number is in use again */
        free(known->suspects);
        *known = orphan;
        return;
    }
    xgrow(&sweep->orphans, &sweep->orphans_room, sweep->norphans + 1,
          sizeof(*sweep->orphans));
    sweep->orphans[sweep->norphans++] = orphan;
}

static void find_owner(struct sweep *sweep, struct member *m,
                       const struct member *above)
{
    if (by_group(sweep, m) || by_environment(sweep, m)) {
        m->of = OF_RUN;
    } else if (above &&
               (above->of != OF_SUSPECTS || sweep->norphans >= KIN_MAX)) {
        m->of = above->of;
        m->run = above->run;
        m->orphan = above->orphan;
    } else if (!above && by_belongings(sweep, m)) {
        m->of = OF_RUN;
    } else {
        m->of = OF_SUSPECTS;
        m->orphan = m->proc.pid;
        by_elimination(sweep, m, above);
    }
}

/* All suspects of an orphan but `run` (if any) are over. */
static bool nobody_else(const struct sweep *sweep, pid_t pid, uint64_t run,
                        bool *suspected)
{
    const struct orphan *orphan = find_orphan(sweep, pid);

    *suspected = false;
    for (size_t k = 0; orphan && k < orphan->n; k++) {
        if (orphan->suspects[k] == run)
            *suspected = true;
        else if (is_alive(sweep, orphan->suspects[k]))
            return false;
    }
    return orphan != NULL;
}

/* ---- the search ---- */

static void add_member(struct family *family, struct member m)
{
    xgrow(&family->at, &family->room, family->n + 1, sizeof(*family->at));
    family->at[family->n++] = m;
}

static bool is_dead(const struct proc *seen)
{
    struct proc now;

    return !proc_read(seen->pid, &now) || now.start != seen->start ||
           proc_is_dead(&now);
}

/* Add what hangs below the member at `from` on, breadth first. Returns how many
 * were dead, or died when their children were looked at. */
static size_t add_descendants(struct sweep *sweep, struct family *family,
                              size_t from)
{
    size_t dead = 0;

    for (size_t i = from; i < family->n && family->n < FAMILY_MAX; i++) {
        struct member above = family->at[i];
        pid_t *pids;
        size_t n = proc_children(above.proc.pid, &pids);
        for (size_t k = 0; k < n; k++) {
            struct member m = { .of = OF_NOBODY };
            if (is_spared(sweep, pids[k]))
                continue;
            if (!proc_read(pids[k], &m.proc) || proc_is_dead(&m.proc)) {
                dead++;
                continue;
            }
            find_owner(sweep, &m, &above);
            add_member(family, m);
        }
        dead += is_dead(&above.proc);
        free(pids);
    }
    return dead;
}

static size_t add_leader(struct sweep *sweep, struct family *family,
                         const struct run *run)
{
    struct member m = { .of = OF_RUN, .run = run->id };
    size_t from = family->n;

    if (!proc_read(run->leader, &m.proc) || m.proc.start != run->start ||
        proc_is_dead(&m.proc))
        return 0;
    add_member(family, m);
    return add_descendants(sweep, family, from);
}

/* Our children that are neither spared nor leaders; dead ones are reaped.
 * Returns how many were dead, there or below. */
static size_t add_orphans(struct sweep *sweep, struct family *family)
{
    pid_t *pids;
    size_t n = proc_children(getpid(), &pids), from = family->n, dead = 0;

    for (size_t i = 0; i < n; i++) {
        struct member m = { .of = OF_NOBODY };
        if (is_spared(sweep, pids[i]) || is_leader(sweep, pids[i]))
            continue;
        if (!proc_read(pids[i], &m.proc)) {
            dead++;
            continue;
        }
        if (m.proc.parent != getpid())
            continue;
        if (proc_is_dead(&m.proc)) {
            waitpid(pids[i], NULL, WNOHANG);
            dead++;
            continue;
        }
        find_owner(sweep, &m, NULL);
        add_member(family, m);
    }
    free(pids);
    return dead + add_descendants(sweep, family, from);
}

/* Forget orphans that were not found any more. */
static void drop_unseen(struct sweep *sweep)
{
    size_t kept = 0;

    for (size_t i = 0; i < sweep->norphans; i++) {
        if (sweep->orphans[i].seen)
            sweep->orphans[kept++] = sweep->orphans[i];
        else
            free(sweep->orphans[i].suspects);
    }
    sweep->norphans = kept;
}

/* All processes that may be of this run; the family is the caller's. The
 * children of one that dies meanwhile are under neither, but under us before it
 * is seen dead: so where one was, it is looked again, until no more have died
 * than before. */
static struct family search(struct sweep *sweep, const struct run *run)
{
    struct family family = { 0 };
    size_t dead = 0, before;

    for (size_t i = 0; i < sweep->norphans; i++)
        sweep->orphans[i].seen = false;
    for (int round = 0; round < ROUNDS_MAX; round++) {
        before = dead;
        family.n = 0;
        dead = run ? add_leader(sweep, &family, run) : 0;
        dead += add_orphans(sweep, &family);
        if (dead == 0 || dead == before)
            break;
    }
    drop_unseen(sweep);
    return family;
}

/* ---- the end of a run ---- */

/* Whether a member's run, or all its possible runs, are over. */
static bool is_left(const struct sweep *sweep, const struct member *m)
{
    bool suspected;

    switch (m->of) {
    case OF_NOBODY:
        return false;
    case OF_RUN:
        return !is_alive(sweep, m->run);
    case OF_SUSPECTS:
        return nobody_else(sweep, m->orphan, UINT64_MAX, &suspected);
    }
    return false;
}

static bool was_killed(const struct family *killed, const struct proc *proc)
{
    for (size_t i = 0; i < killed->n; i++)
        if (killed->at[i].proc.pid == proc->pid &&
            killed->at[i].proc.start == proc->start)
            return true;
    return false;
}

/* SIGKILL to the process, and first to its group in one go: a process that
 * forks and ends, again and again, is never where one has just seen it, but
 * does not leave its group by forking. */
static void kill_member(const struct sweep *sweep, const struct member *m)
{
    pid_t group = m->proc.group;
    bool others = group <= 1 || group == getpgrp();

    for (size_t i = 0; i < sweep->nspared; i++)
        others |= getpgid(sweep->spared[i]) == group;
    for (size_t i = 0; i < sweep->nruns; i++)
        others |= !sweep->runs[i].over && sweep->runs[i].leader == group;
    if (!others)
        kill(-group, SIGKILL);
    proc_kill(m->proc.pid, m->proc.start);
}

/* Those that have ended after all are forgotten. */
static void drop_ended(struct sweep *sweep)
{
    size_t kept = 0;

    for (size_t i = 0; i < sweep->ngiven_up; i++) {
        const struct named *p = &sweep->given_up[i];

        if (proc_start_time(p->pid) == p->start)
            sweep->given_up[kept++] = *p;
    }
    sweep->ngiven_up = kept;
}

/* Whether the end of run `id` is to wait for what it has killed. */
static bool waits_for(const struct sweep *sweep, const struct member *m,
                      uint64_t id)
{
    for (size_t i = 0; i < sweep->ngiven_up; i++) {
        const struct named *p = &sweep->given_up[i];

        if (p->pid == m->proc.pid && p->start == m->proc.start)
            return false;
    }
    return m->of != OF_RUN || m->run == id || !find_run(sweep, m->run);
}

static size_t count_left(struct sweep *sweep, struct run *run, uint64_t id,
                         const struct family *killed)
{
    size_t n = 0;

    if (run)
        run->nleft = 0;
    for (size_t i = 0; i < killed->n; i++) {
        const struct proc *p = &killed->at[i].proc;

        if (!waits_for(sweep, &killed->at[i], id))
            continue;
        n++;
        if (run)
            add_named(&run->left, &run->nleft, &run->left_room,
                      (struct named){ p->pid, p->start });
    }
    return n;
}

size_t sweep_end(struct sweep *sweep, uint64_t id)
{
    struct run *run = find_run(sweep, id);
    struct family killed = { 0 };
    bool more = true;
    size_t n;

    if (run)
        run->over = true;
    for (int round = 0; more && round < ROUNDS_MAX; round++) {
        struct family family = search(sweep, run);
        more = false;
        for (size_t i = 0; i < family.n; i++) {
            const struct member *m = &family.at[i];
            if (is_spared(sweep, m->proc.pid) || !is_left(sweep, m) ||
                was_killed(&killed, &m->proc))
                continue;
            kill_member(sweep, m);
            add_member(&killed, *m);
            more = true;
        }
        free(family.at);
    }
    n = count_left(sweep, run, id, &killed);
    drop_ended(sweep);
    free(killed.at);
    return n;
}

struct sweep_usage sweep_measure(struct sweep *sweep, uint64_t id)
{
    struct run *run = find_run(sweep, id);
    struct sweep_usage usage = { 0 };

    if (!run)
        return usage;
    struct family family = search(sweep, run);
    for (size_t i = 0; i < family.n; i++) {
        const struct member *m = &family.at[i];
        bool suspected = false;
        bool its = m->of == OF_RUN && m->run == id;
        if (m->of == OF_SUSPECTS)
            its = nobody_else(sweep, m->orphan, id, &suspected) && suspected;
        usage.procs += its;
        usage.rss += its ? m->proc.rss : 0;
        if (its && !usage.running)
            usage.running = proc_is_running(&m->proc);
        usage.waits += its ? proc_waits(m->proc.pid) : 0;
    }
    free(family.at);
    return usage;
}

size_t sweep_job(struct sweep *sweep)
{
    char *line = xasprintf("AUTODD_JOB=%s", sweep->mark);
    size_t killed = 0;

    for (int round = 0; round < 2; round++) {
        pid_t *pids;
        size_t n = proc_list(&pids);
        for (size_t i = 0; i < n; i++) {
            struct proc proc;
            if (is_spared(sweep, pids[i]) || !proc_read(pids[i], &proc) ||
                proc_is_dead(&proc) || !proc_has_env(pids[i], line))
                continue;
            killed += proc_kill(proc.pid, proc.start) == 0;
        }
        free(pids);
    }
    free(line);
    return killed;
}
