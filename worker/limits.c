/* The step between uv_spawn's fork and the command: this program again, which
 * sets limits on itself and becomes the command by exec. What exec keeps is
 * used: limits, ignored signals, the death signal. */
#include "worker/limits.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "worker/protocol.h"

enum { EXIT_USAGE = 2, EXIT_NO_COMMAND = 127 };

void limits_argv(const char **argv, struct limits_text *text, const char *self,
                 uint64_t file_max, uint64_t cpu_s)
{
    snprintf(text->file_max, sizeof(text->file_max), "%" PRIu64, file_max);
    snprintf(text->cpu_s, sizeof(text->cpu_s), "%" PRIu64, cpu_s);
    argv[0] = self;
    argv[1] = "limits";
    argv[2] = text->file_max;
    argv[3] = text->cpu_s;
    argv[4] = "--";
}

static int parse(const char *word, rlim_t *value)
{
    char *end;

    errno = 0;
    unsigned long long n = strtoull(word, &end, 10);
    if (errno || end == word || *end || word[0] == '-')
        return -EINVAL;
    *value = n;
    return 0;
}

/* Lower a limit; one that is lower already stays. */
static void lower(int resource, rlim_t value)
{
    struct rlimit limit;

    if (getrlimit(resource, &limit))
        return;
    if (value > limit.rlim_max)
        value = limit.rlim_max;
    limit.rlim_cur = limit.rlim_max = value;
    setrlimit(resource, &limit);
}

/* Python takes SIGPIPE and SIGINT as it finds them: give it the defaults. */
static void default_signals(void)
{
    sigset_t none;

    for (int n = 1; n < NSIG; n++)
        if (n != SIGKILL && n != SIGSTOP)
            signal(n, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Whether process 1 is this same program: a worker may be the first process
 * of a container. */
static bool init_is_ours(void)
{
    char self[4096], init[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self));

    return n > 0 && readlink("/proc/1/exe", init, sizeof(init)) == n &&
           memcmp(self, init, (size_t)n) == 0;
}

int limits_main(int argc, char **argv)
{
    rlim_t file_max = 0, cpu_s = 0;
    pid_t parent = getppid();

    if (argc < LIMITS_ARGS + 1 || strcmp(argv[4], "--") != 0 ||
        parse(argv[2], &file_max) || parse(argv[3], &cpu_s)) {
        fprintf(stderr, "usage: autodd-c limits FILE_MAX CPU_S -- CMD ...\n");
        return EXIT_USAGE;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || (parent == 1 && !init_is_ours()))
        raise(SIGKILL); /* it died before we asked to be told */
    if (file_max)
        lower(RLIMIT_FSIZE, file_max);
    if (cpu_s)
        lower(RLIMIT_CPU, cpu_s);
    lower(RLIMIT_CORE, 0);
    default_signals();
    execvp(argv[LIMITS_ARGS], argv + LIMITS_ARGS);
    fprintf(stderr, "cannot run %s: %s\n", argv[LIMITS_ARGS], strerror(errno));
    return EXIT_NO_COMMAND;
}
