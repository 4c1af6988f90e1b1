/*
 * ask SOCKET FILE: ask the oracle of the comparison whether FILE still fails.
 *
 * Ends with 0 if it does and 1 if not. This is the interestingness test that
 * the other reducers are given. They start it for each candidate, so it is a
 * C program: a shell or an interpreter would cost more than some of the runs.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { ASK_YES = 0, ASK_NO = 1, ASK_BROKEN = 2 };

static int broken(const char *what)
{
    perror(what);
    return ASK_BROKEN;
}

int main(int argc, char **argv)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    if (argc != 3 || strlen(argv[1]) >= sizeof to.sun_path) {
        fputs("usage: ask SOCKET FILE\n", stderr);
        return ASK_BROKEN;
    }
    memcpy(to.sun_path, argv[1], strlen(argv[1]) + 1);
    char path[PATH_MAX];
    if (!realpath(argv[2], path))
        return broken(argv[2]);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) < 0)
        return broken(argv[1]);
    FILE *server = fdopen(fd, "r+");
    if (!server || fprintf(server, "%s\n", path) < 0 || fflush(server) < 0)
        return broken(argv[1]);
    int answer = fgetc(server);
    if (answer != '0' && answer != '1')
        return broken("the oracle does not answer");
    return answer == '1' ? ASK_YES : ASK_NO;
}
