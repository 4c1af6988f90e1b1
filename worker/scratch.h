/* scratch.h - the private folders of runs.
 *
 * A scratch (one per worker) is a folder under TMPDIR, mode 0700, that holds
 *   run-N/          what the run sees as the script's folder: the candidate
 *                   under the script's name, and what lies beside the script:
 *                   regular files up to 256 KiB copied (at most 8 MiB and 500
 *                   of them), the rest and all folders as symbolic links;
 *                   __pycache__, .git and the hidden names left out
 *   tmp-N/          its TMPDIR
 *   ran-N           which of its lines ran, if it is traced (ran.h)
 *   values-N        what its expressions came to (values.h)
 *   home-cache-S/   the compile caches of slot S
 * All calls block and touch only their own paths: for the thread pool. */
#ifndef AUTODD_SCRATCH_H
#define AUTODD_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base.h"
#include "config/config.h"
#include "config/err.h"

/* Make the folder: "TMPDIR/autodd-c.MARK.XXXXXX". *path is the caller's. Errors
 * name the folder and the remedy (no space, read-only, TMPDIR missing). */
int scratch_open(const char *mark, char **path, struct err *err);

/* Delete it and all in it. */
void scratch_close(const char *path);

/* Delete the scratch folders of `mark` that dead workers left; `all`: its
 * workers are known to be dead, so look no further. Without a mark: those of
 * all marks, where one is sure that its worker is dead, as after a kill -9. */
void scratch_clean(const char *mark, bool all);

struct scratch_run {
    char *dir;  /* absolute; scratch_drop() frees the four */
    char *file; /* dir/script_name */
    char *tmp;
    char *ran, *values; /* not made here */
};

/* Lay run `id`. -ENOSPC, -EACCES, ... : the run is lost, not a verdict. */
int scratch_lay(const char *root, uint64_t id, const char *script_dir,
                const char *script_name, const struct strings *hide,
                struct bytes text, struct scratch_run *run, struct err *err);

/* Delete a run's folders whatever the run made of them (modes, depth,
 * mounts are not followed, links are unlinked), and free the strings. */
void scratch_drop(struct scratch_run *run);

/* Delete a tree; symbolic links are never followed. */
void scratch_remove_tree(const char *path);

/* How many files are in a tree, links not followed; 10,000 at most. */
unsigned scratch_files(const char *path);

/* Make and return the cache folder of a slot ("fresh" empties it first). */
int scratch_cache(const char *root, int slot, int fresh, char **path,
                  struct err *err);

#endif
