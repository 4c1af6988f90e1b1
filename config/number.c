#include "config/number.h"

#include <errno.h>
#include <stdlib.h>

bool number_read(const char **p, unsigned long *out)
{
    char *end;

    if (**p < '0' || **p > '9')
        return false;
    errno = 0;
    *out = strtoul(*p, &end, 10);
    *p = end;
    return !errno;
}
