/* python_files.h - real Python files for property tests: those of the standard
 * library under /usr/lib/python3*, where there are any. */
#ifndef AUTODD_PYTHON_FILES_H
#define AUTODD_PYTHON_FILES_H

#include <glob.h>
#include <stddef.h>

#include "config/file.h"

/* Call `each` with up to `max` files of at most `bytes` bytes, spread over all
 * that there are; returns how many. */
static inline size_t python_files(size_t max, size_t bytes,
                                  void (*each)(void *arg, const char *path,
                                               struct bytes text),
                                  void *arg)
{
    glob_t found = { 0 };
    size_t n = 0;

    glob("/usr/lib/python3*/*.py", 0, NULL, &found);
    glob("/usr/lib/python3*/*/*.py", GLOB_APPEND, NULL, &found);
    size_t step = found.gl_pathc / max + 1;
    for (size_t i = 0; i < found.gl_pathc; i += step) {
        char *data;
        size_t len;

        if (file_read(found.gl_pathv[i], bytes, &data, &len, NULL))
            continue;
        each(arg, found.gl_pathv[i], bytes_of(data, len));
        free(data);
        n++;
    }
    globfree(&found);
    return n;
}

#endif
