/* member.h - the members of a frame's JSON object, each with its type: bytes
 * that need not be UTF-8, numbers in a range, lists with a ceiling, words.
 *
 * Writing can't fail. Reading never stops: a reader remembers its first
 * complaint and goes on with harmless values, so its user reads all members and
 * looks at `bad` once, at the end. Pure: no I/O. */
#ifndef AUTODD_MEMBER_H
#define AUTODD_MEMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/config.h"
#include "config/err.h"

struct json;

/* ---- writing: everything is copied ---- */

/* Text or base64. A NULL text is left out. */
void member_put_bytes(struct json *to, const char *key, const char *data,
                      size_t len);
void member_put_text(struct json *to, const char *key, const char *s);
void member_put_list(struct json *to, const char *key, char *const *at,
                     size_t n);

/* Above 2^63-1 it is cut to that. */
void member_put_number(struct json *to, const char *key, uint64_t n);

/* ---- reading ---- */

struct member_reader {
    const struct json *from; /* the object whose members are read */
    const char *what;        /* "result", for the message */
    struct err *err;         /* gets the first complaint */
    bool bad;
};

/* Member `key` must be `wants`, and is not. */
void member_complain(struct member_reader *r, const char *key,
                     const char *wants);

/* Texts and bytes are the caller's; NULL when the member is not there (a
 * complaint in the case of `need`) or no text. Texts have no zero bytes. */
char *member_get_text(struct member_reader *r, const char *key);
char *member_need_text(struct member_reader *r, const char *key);
char *member_get_bytes(struct member_reader *r, const char *key, size_t *len);

/* `min`, above INT64_MIN, is also the harmless value. A size is from 0 on. */
int64_t member_get_number(struct member_reader *r, const char *key, int64_t min,
                          int64_t max);
uint64_t member_get_size(struct member_reader *r, const char *key);
bool member_get_bool(struct member_reader *r, const char *key);

/* Elements of the list `key`, at most `max`; what is missing or no list has
 * none. Then its `n` first elements as texts, each the caller's. */
size_t member_get_count(struct member_reader *r, const char *key, size_t max);
void member_get_texts(struct member_reader *r, const char *key, size_t n,
                      char **at);

/* A whole list of texts; the caller ends it with member_free_list(). */
struct strings member_get_list(struct member_reader *r, const char *key);
void member_free_list(struct strings *list);

/* The index of the member's text in `names`. */
unsigned member_get_choice(struct member_reader *r, const char *key,
                           const char *const *names, size_t n);

#endif
