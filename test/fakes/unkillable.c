/* Preloaded: SIGKILL does not reach the process group whose number stands in
 * the file that UNKILLABLE names. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int kill(pid_t pid, int signum)
{
    int (*real)(pid_t, int) = (int (*)(pid_t, int))dlsym(RTLD_NEXT, "kill");
    const char *path = getenv("UNKILLABLE");
    FILE *f = path && signum == SIGKILL ? fopen(path, "r") : NULL;
    int group = 0;

    if (f) {
        if (fscanf(f, "%d", &group) != 1)
            group = 0;
        fclose(f);
    }
    return group > 0 && (pid == -group || pid == group) ? 0 : real(pid, signum);
}
