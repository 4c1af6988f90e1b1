/* rerun.h - how to run the result by hand. Pure. */
#ifndef AUTODD_RERUN_H
#define AUTODD_RERUN_H

#include "config/buf.h"
#include "worker/protocol.h"

/* Append a line for a POSIX shell that runs `path` (absolute) as the runs of
 * the job were: its variables (that of AID_BLOCKING, if it is in the set `aids`
 * of enum run_aid; AID_FILL cannot be had by hand), its interpreter or command,
 * the arguments. Runs had the folder `cwd`; NULL: a folder with the script, so
 * that its name alone is enough. */
void rerun_command(const struct job_setup *setup, unsigned aids,
                   const char *cwd, const char *path, struct buf *out);

/* Append a command of the user's with a path in place of each {file}. */
void rerun_fill(const char *command, const char *path, struct buf *out);

/* Append a word as a POSIX shell must read it. */
void rerun_quote(const char *word, struct buf *out);

#endif
