#include "config/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "config/mem.h"

/* struct json is jansson's json_t under another name. */
static json_t *js(const struct json *value)
{
    return (json_t *)(uintptr_t)value;
}

static struct json *ours(json_t *value)
{
    return (struct json *)value;
}

struct json *json_parse(const char *data, size_t len, struct err *err)
{
    json_error_t e;
    json_t *value =
        json_loadb(data, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &e);

    if (!value)
        err_set(err, -EINVAL, "line %d, column %d: %s", e.line, e.column,
                e.text);
    return ours(value);
}

void json_free(struct json *value)
{
    json_decref(js(value));
}

struct json *json_new_object(void)
{
    return ours(json_object());
}

struct json *json_new_array(void)
{
    return ours(json_array());
}

void json_put(struct json *object, const char *key, struct json *taken)
{
    json_object_set_new(js(object), key, js(taken));
}

void json_put_str(struct json *object, const char *key, const char *s)
{
    json_t *value = s ? json_string(s) : NULL;

    if (s && !value) /* not UTF-8: show what can be shown */
        value = json_string("(not UTF-8)");
    if (value)
        json_object_set_new(js(object), key, value);
}

void json_put_int(struct json *object, const char *key, int64_t n)
{
    json_object_set_new(js(object), key, json_integer(n));
}

void json_put_real(struct json *object, const char *key, double x)
{
    json_object_set_new(js(object), key, json_real(x));
}

void json_put_bool(struct json *object, const char *key, bool b)
{
    json_object_set_new(js(object), key, json_boolean(b));
}

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void json_put_bytes(struct json *object, const char *key, struct bytes bytes)
{
    const unsigned char *p = (const unsigned char *)bytes.data;
    char *text = xcalloc(bytes.len / 3 + 1, 4);
    size_t n = 0;

    for (size_t i = 0; i < bytes.len; i += 3) {
        size_t left = bytes.len - i;
        unsigned v = (unsigned)p[i] << 16;

        v |= left > 1 ? (unsigned)p[i + 1] << 8 : 0;
        v |= left > 2 ? p[i + 2] : 0;
        text[n++] = base64_digits[v >> 18];
        text[n++] = base64_digits[v >> 12 & 63];
        text[n++] = left > 1 ? base64_digits[v >> 6 & 63] : '=';
        text[n++] = left > 2 ? base64_digits[v & 63] : '=';
    }
    json_object_set_new(js(object), key, json_stringn_nocheck(text, n));
    free(text);
}

void json_push(struct json *array, struct json *taken)
{
    json_array_append_new(js(array), js(taken));
}

void json_push_str(struct json *array, const char *s)
{
    json_t *value = json_string(s);

    json_array_append_new(js(array),
                          value ? value : json_string("(not UTF-8)"));
}

bool json_has(const struct json *object, const char *key)
{
    return json_object_get(js(object), key) != NULL;
}

struct json *json_get(const struct json *object, const char *key)
{
    return ours(json_object_get(js(object), key));
}

const char *json_get_str(const struct json *object, const char *key,
                         const char *otherwise)
{
    const char *s = json_string_value(json_object_get(js(object), key));

    return s ? s : otherwise;
}

int64_t json_get_int(const struct json *object, const char *key,
                     int64_t otherwise)
{
    json_t *value = json_object_get(js(object), key);

    return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

double json_get_real(const struct json *object, const char *key,
                     double otherwise)
{
    json_t *value = json_object_get(js(object), key);

    return json_is_number(value) ? json_number_value(value) : otherwise;
}

bool json_get_bool(const struct json *object, const char *key, bool otherwise)
{
    json_t *value = json_object_get(js(object), key);

    return json_is_boolean(value) ? json_is_true(value) : otherwise;
}

static int base64_value(char c)
{
    const char *at = c ? strchr(base64_digits, c) : NULL;

    return at ? (int)(at - base64_digits) : -1;
}

char *json_get_bytes(const struct json *object, const char *key, size_t *len)
{
    json_t *value = json_object_get(js(object), key);
    const char *s = json_string_value(value);
    size_t n = s ? json_string_length(value) : 0;

    if (!s || n % 4 != 0)
        return NULL;
    char *out = xcalloc(n / 4 * 3 + 1, 1);
    size_t used = 0;

    for (size_t i = 0; i < n; i += 4) {
        bool last = i + 4 == n;
        int pad = last ? (s[i + 3] == '=') + (s[i + 2] == '=') : 0;
        int d[4] = { 0 };

        for (int k = 0; k < 4 - pad; k++) {
            d[k] = base64_value(s[i + (size_t)k]);
            if (d[k] < 0) {
                free(out);
                return NULL;
            }
        }
        out[used++] = (char)(d[0] << 2 | d[1] >> 4);
        if (pad < 2)
            out[used++] = (char)((d[1] & 15) << 4 | d[2] >> 2);
        if (pad < 1)
            out[used++] = (char)((d[2] & 3) << 6 | d[3]);
    }
    *len = used;
    return out;
}

size_t json_len(const struct json *array)
{
    return json_array_size(js(array));
}

struct json *json_at(const struct json *array, size_t i)
{
    return ours(json_array_get(js(array), i));
}

const char *json_at_str(const struct json *array, size_t i)
{
    return json_string_value(json_array_get(js(array), i));
}

static int dump(const char *data, size_t len, void *arg)
{
    return buf_add(arg, data, len);
}

int json_write(const struct json *value, struct buf *out)
{
    int error = json_dump_callback(js(value), dump, out,
                                   JSON_COMPACT | JSON_ENCODE_ANY);

    return error ? -E2BIG : 0;
}

int json_write_pretty(const struct json *value, struct buf *out)
{
    int error = json_dump_callback(js(value), dump, out,
                                   JSON_INDENT(2) | JSON_ENCODE_ANY);

    return error || buf_addc(out, '\n') ? -E2BIG : 0;
}
