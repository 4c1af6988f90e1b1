/* Judges a candidate as the benches in simulated time do (oracle.h), and takes
 * the time of a run for it without using a processor: from MS to twice as many
 * milliseconds, always the same for a text. For --test, where the time that a
 * search takes is to tell of the search, and not of how busy the machine is.
 *
 * usage: judge SCRIPT RESULT MS CANDIDATE     RESULT: what it has in common
 *                                             with SCRIPT is needed
 * Ends with 0 where the candidate fails as SCRIPT does, and with 1 else. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "config/file.h"
#include "config/hash.h"
#include "test/bench/oracle.h"

#define FILE_BYTES_MAX (16u << 20)
#define MS_MAX 400

int main(int argc, char **argv)
{
    struct oracle oracle;
    struct timespec pause = { 0 };
    unsigned long ms;
    struct err err;
    char *data;
    size_t len;
    bool yes;

    ms = argc == 5 ? strtoul(argv[3], NULL, 10) : 0;
    if (ms < 1 || ms > MS_MAX) {
        fprintf(stderr,
                "usage: judge SCRIPT RESULT MS CANDIDATE, MS from 1 "
                "to %d\n",
                MS_MAX);
        return 2;
    }
    if (!oracle_load(&oracle, argv[1], argv[2]))
        return 2;
    if (file_read(argv[4], FILE_BYTES_MAX, &data, &len, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 2;
    }
    yes = oracle_says(&oracle, bytes_of(data, len));
    pause.tv_nsec = (long)(ms + hash_bytes(data, len).low % ms) * 1000000;
    nanosleep(&pause, NULL);
    free(data);
    oracle_deinit(&oracle);
    return yes ? 0 : 1;
}
