#include "config/log.h"

#include <stdarg.h>
#include <stdio.h>

static enum log_level max_level = LOG_WARN;

void log_set_level(enum log_level level)
{
    max_level = level;
}

enum log_level log_get_level(void)
{
    return max_level;
}

void log_write(enum log_level level, const char *fmt, ...)
{
    static const char *const names[] = { "error", "warning", "info", "debug" };
    char line[2048];
    va_list args;

    if (level > max_level)
        return;
    va_start(args, fmt);
    vsnprintf(line, sizeof(line), fmt, args);
    va_end(args);
    /* One call, so that lines of several processes do not mix. */
    fprintf(stderr, "autodd-c: %s: %s\n", names[level], line);
}

char *log_safe(char *out, size_t size, const char *text, size_t len)
{
    size_t n = 0;

    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        int control = c < 0x20 || c == 0x7f;

        if (n + 8 > size) { /* room for one escape and the dots */
            n += (size_t)snprintf(out + n, size - n, "...");
            return out;
        }
        if (control)
            n += (size_t)snprintf(out + n, size - n, "\\x%02x", c);
        else
            out[n++] = (char)c;
    }
    out[n] = '\0';
    return out;
}
