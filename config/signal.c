/* Linux's signals by name. Python, shells and users write them with and
 * without SIG, in both cases, or as numbers. */
#include <ctype.h>
#include <signal.h>
#include <string.h>
#include <strings.h>

#include "config/base.h"
#include "config/config.h"

static const struct {
    const char *name;
    int number;
} table[] = {
    /* of two names for one number the first is the one shown */
    { "SIGHUP", SIGHUP },       { "SIGINT", SIGINT },
    { "SIGQUIT", SIGQUIT },     { "SIGILL", SIGILL },
    { "SIGTRAP", SIGTRAP },     { "SIGABRT", SIGABRT },
    { "SIGIOT", SIGIOT },       { "SIGBUS", SIGBUS },
    { "SIGFPE", SIGFPE },       { "SIGKILL", SIGKILL },
    { "SIGUSR1", SIGUSR1 },     { "SIGSEGV", SIGSEGV },
    { "SIGUSR2", SIGUSR2 },     { "SIGPIPE", SIGPIPE },
    { "SIGALRM", SIGALRM },     { "SIGTERM", SIGTERM },
    { "SIGSTKFLT", SIGSTKFLT }, { "SIGCHLD", SIGCHLD },
    { "SIGCONT", SIGCONT },     { "SIGSTOP", SIGSTOP },
    { "SIGTSTP", SIGTSTP },     { "SIGTTIN", SIGTTIN },
    { "SIGTTOU", SIGTTOU },     { "SIGURG", SIGURG },
    { "SIGXCPU", SIGXCPU },     { "SIGXFSZ", SIGXFSZ },
    { "SIGVTALRM", SIGVTALRM }, { "SIGPROF", SIGPROF },
    { "SIGWINCH", SIGWINCH },   { "SIGIO", SIGIO },
    { "SIGPOLL", SIGPOLL },     { "SIGPWR", SIGPWR },
    { "SIGSYS", SIGSYS },
};

#define LAST_SIGNAL 64 /* real-time ones have numbers only */

int config_signal_number(const char *name)
{
    int number = 0;

    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (strcasecmp(name, table[i].name) == 0 ||
            strcasecmp(name, table[i].name + 3) == 0)
            return table[i].number;
    if (!*name || strlen(name) > 2)
        return 0;
    for (; isdigit((unsigned char)*name); name++)
        number = number * 10 + (*name - '0');
    return *name || number > LAST_SIGNAL ? 0 : number;
}

const char *config_signal_name(int number)
{
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (table[i].number == number)
            return table[i].name;
    return "SIG??";
}
