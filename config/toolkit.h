/* toolkit.h - where programs of the CUDA toolkit are looked for. Pure. */
#ifndef AUTODD_TOOLKIT_H
#define AUTODD_TOOLKIT_H

/* The folders, written as in PATH: those of `path`, then those of the toolkits
 * whose folders are `home` and `other` (CUDA_HOME and CUDA_PATH); each may be
 * NULL. The caller frees it. */
char *toolkit_path(const char *path, const char *home, const char *other);

#endif
