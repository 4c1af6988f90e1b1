/* err.h - one sentence for the person who must act: where, what, what to do.
 *
 * Functions that can meet such a case return 0 or a negative errno and fill
 * the caller's struct err. */
#ifndef AUTODD_ERR_H
#define AUTODD_ERR_H

struct err {
    char text[1024];
};

/* Write the sentence (cut if too long) and return `code`, so that one can say
 * `return err_set(err, -EINVAL, ...)`. `err` may be NULL, and err->text may be
 * an argument: "%s: %s" puts a place before it. */
int err_set(struct err *err, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The system's own words for a negative errno. */
const char *err_name(int code);

#endif
