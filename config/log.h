/* log.h - one line per event on stderr, four levels, nothing else.
 *
 * error: we lost something; warn: the user should look; info: start and end
 * of a thing; debug: every change of state. Object and number come first:
 * "run 17: ...". Text from outside goes through log_safe(). */
#ifndef AUTODD_LOG_H
#define AUTODD_LOG_H

#include <stddef.h>

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

/* Lines above this level are dropped; LOG_WARN at the start. The level is the
 * program's only global. */
void log_set_level(enum log_level level);
enum log_level log_get_level(void);

void log_write(enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#define log_error(...) log_write(LOG_ERROR, __VA_ARGS__)
#define log_warn(...) log_write(LOG_WARN, __VA_ARGS__)
#define log_info(...) log_write(LOG_INFO, __VA_ARGS__)
#define log_debug(...) log_write(LOG_DEBUG, __VA_ARGS__)

/* Copy `len` bytes of foreign text into `out` of `size` bytes: control bytes
 * become \xNN, the rest is cut with "..." where it does not fit. Returns
 * `out`. */
char *log_safe(char *out, size_t size, const char *text, size_t len);

#endif
