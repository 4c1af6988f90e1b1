/* tree.h - delete a folder and all in it, whatever is in it.
 *
 * Takes any depth with two open descriptors. Symbolic links are unlinked, never
 * followed; folders without permissions are given some; what is mounted
 * inside is left as it is. What can't be deleted stays. Blocks. */
#ifndef AUTODD_WORKER_TREE_H
#define AUTODD_WORKER_TREE_H

/* 0 when nothing is left at `path` (also when nothing was), else -errno. */
int tree_remove(const char *path);

#endif
