/* folder.h - a fresh folder for each test, entered, and removed after it.
 * For cmocka_unit_test_setup_teardown(TEST, folder_enter, folder_leave). */
#ifndef AUTODD_TEST_FOLDER_H
#define AUTODD_TEST_FOLDER_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline int folder_enter(void **state)
{
    char name[] = "/tmp/autodd-test-XXXXXX";

    if (!mkdtemp(name) || chdir(name))
        return -1;
    *state = strdup(name);
    return 0;
}

static inline int folder_remove_one(const char *path, const struct stat *st,
                                    int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

static inline int folder_leave(void **state)
{
    int error = chdir("/");

    error |= nftw(*state, folder_remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(*state);
    return error;
}

/* Write a file in the folder; false when that fails. */
static inline int folder_put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    if (!file)
        return 0;
    int ok = fputs(text, file) >= 0;
    return fclose(file) == 0 && ok;
}

/* How many entries the folder has. */
static inline int folder_count(const char *path)
{
    DIR *dir = opendir(path);
    int n = -2; /* "." and ".." */

    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

#define folder_test(name)                                                      \
    cmocka_unit_test_setup_teardown(name, folder_enter, folder_leave)

#endif
