/* json.h - JSON values, read with limits and written on one line. The library
 * behind it (jansson) shows nowhere else.
 *
 * A value from json_parse(), json_new_object() or json_new_array() is the
 * caller's until it is handed to json_put() or json_push(), which take it;
 * freeing the outermost value frees all inside. Values reached by json_get()
 * and json_at() are borrowed from theirs. Getters accept NULL and values of
 * another type, and then give the default: a frame from outside never
 * crashes its reader. */
#ifndef AUTODD_JSON_H
#define AUTODD_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/base.h"
#include "config/buf.h"
#include "config/err.h"

struct json;

/* Parse one value. NULL with err filled (line, column, what) when the bytes
 * are not JSON, nest deeper than the library's limit (2048), repeat a key or
 * go on after the value. */
struct json *json_parse(const char *data, size_t len, struct err *err);
void json_free(struct json *value);

struct json *json_new_object(void);
struct json *json_new_array(void);

/* Members of an object. Text must be UTF-8: what is not goes through
 * json_put_bytes (base64). A NULL text puts nothing. */
void json_put(struct json *object, const char *key, struct json *taken);
void json_put_str(struct json *object, const char *key, const char *s);
void json_put_int(struct json *object, const char *key, int64_t n);
void json_put_real(struct json *object, const char *key, double x);
void json_put_bool(struct json *object, const char *key, bool b);
void json_put_bytes(struct json *object, const char *key, struct bytes bytes);
void json_push(struct json *array, struct json *taken);
void json_push_str(struct json *array, const char *s);

bool json_has(const struct json *object, const char *key);
struct json *json_get(const struct json *object, const char *key);
const char *json_get_str(const struct json *object, const char *key,
                         const char *otherwise);
int64_t json_get_int(const struct json *object, const char *key,
                     int64_t otherwise);
double json_get_real(const struct json *object, const char *key,
                     double otherwise);
bool json_get_bool(const struct json *object, const char *key, bool otherwise);

/* Base64 back to bytes, NUL-terminated, caller frees; NULL when the member is
 * missing or no base64. */
char *json_get_bytes(const struct json *object, const char *key, size_t *len);

/* Elements of an array (0 for anything else); the text of a string element. */
size_t json_len(const struct json *array);
struct json *json_at(const struct json *array, size_t i);
const char *json_at_str(const struct json *array, size_t i);

/* Append the value on one line, keys in the order they were put. 0/-E2BIG. */
int json_write(const struct json *value, struct buf *out);

/* The same, indented, for files that people open. */
int json_write_pretty(const struct json *value, struct buf *out);

#endif
