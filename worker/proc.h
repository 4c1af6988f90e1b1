/* proc.h - what /proc says about processes.
 *
 * A process may be gone at any time: then the answers are 0, false, nothing.
 * A process is named for sure only by pid and start time together, as pids are
 * used again. Lists are the caller's, to be freed. */
#ifndef AUTODD_PROC_H
#define AUTODD_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct proc {
    pid_t pid, parent, group, session;
    char state;     /* 'R', 'S', 'D', 'Z', ... */
    uint64_t start; /* clock ticks after boot */
    uint64_t rss;   /* bytes */
};

/* False when there is no such process. */
bool proc_read(pid_t pid, struct proc *proc);

/* 0 when there is no such process. */
uint64_t proc_start_time(pid_t pid);

/* One of its threads runs, or would if there were a processor for it. */
bool proc_is_running(const struct proc *proc);

/* How often its first thread has given up its processor to wait for something,
 * be it for no time at all; 0 when that cannot be read. Of a loop that does
 * nothing else this stands still, however loaded the machine is. */
uint64_t proc_waits(pid_t pid);

/* Ended, though perhaps not yet waited for. */
bool proc_is_dead(const struct proc *proc);

/* All processes; the children of one (of all its threads). */
size_t proc_list(pid_t **pids);
size_t proc_children(pid_t pid, pid_t **pids);

/* The environment that the process was exec'd with has the line "K=V". What
 * a process has set since, or a fork of it, does not show there. */
bool proc_has_env(pid_t pid, const char *line);

/* Value of a variable there; false when it is missing or does not fit. */
bool proc_get_env(pid_t pid, const char *name, char *value, size_t size);

/* It has one of two pipes open; its current folder is `dir` or below. */
bool proc_has_pipe(pid_t pid, ino_t one, ino_t two);
bool proc_is_in(pid_t pid, const char *dir);

/* SIGKILL to exactly this process. 0, or -errno. */
int proc_kill(pid_t pid, uint64_t start);

#endif
