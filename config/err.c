#include "config/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, int code, const char *fmt, ...)
{
    struct err fresh; /* since err->text may be among the arguments */
    va_list args;

    if (!err)
        return code;
    va_start(args, fmt);
    vsnprintf(fresh.text, sizeof(fresh.text), fmt, args);
    va_end(args);
    *err = fresh;
    return code;
}

const char *err_name(int code)
{
    return strerror(code < 0 ? -code : code);
}
