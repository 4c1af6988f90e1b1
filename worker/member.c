/* Typed members of JSON objects.
 *
 * Text that is valid UTF-8 without zero bytes is a JSON string. Any other is
 * {"base64": "..."}, so that what a run prints survives byte for byte. A
 * NULL string is left out. Numbers are JSON integers, so above 2^63-1 they are
 * cut to that.
 *
 * Reading trusts nothing. A reader remembers its first complaint and goes on
 * with harmless values; the caller looks once, at the end. */
#include "worker/member.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base.h"
#include "config/json.h"
#include "config/mem.h"

#define LIST_MAX 10000 /* elements of any list */

/* ---- writing ---- */

/* Length of the UTF-8 sequence at `p`, 0 if there is no valid one. */
static size_t utf8_length(const unsigned char *p, size_t left)
{
    static const struct {
        unsigned char mask, lead, low, high; /* range of the second byte */
        size_t len;
    } forms[] = {
        { 0xff, 0xe0, 0xa0, 0xbf, 3 }, /* no overlong */
        { 0xff, 0xed, 0x80, 0x9f, 3 }, /* no surrogates */
        { 0xff, 0xf0, 0x90, 0xbf, 4 }, /* no overlong */
        { 0xff, 0xf4, 0x80, 0x8f, 4 }, /* nothing above 10FFFF */
        { 0xf0, 0xe0, 0x80, 0xbf, 3 }, { 0xfc, 0xf0, 0x80, 0xbf, 4 },
        { 0xe0, 0xc0, 0x80, 0xbf, 2 },
    };

    if (p[0] < 0x80)
        return p[0] != 0;
    if (p[0] < 0xc2)
        return 0;
    for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
        if ((p[0] & forms[i].mask) != forms[i].lead)
            continue;
        if (left < forms[i].len || p[1] < forms[i].low || p[1] > forms[i].high)
            return 0;
        for (size_t k = 2; k < forms[i].len; k++)
            if ((p[k] & 0xc0) != 0x80)
                return 0;
        return forms[i].len;
    }
    return 0;
}

static bool is_text(const char *data, size_t len)
{
    size_t at = 0;

    while (at < len) {
        size_t n = utf8_length((const unsigned char *)data + at, len - at);
        if (n == 0)
            return false;
        at += n;
    }
    return true;
}

static struct json *wrapped(const char *data, size_t len)
{
    struct json *value = json_new_object();

    json_put_bytes(value, "base64", bytes_of(data, len));
    return value;
}

void member_put_bytes(struct json *to, const char *key, const char *data,
                      size_t len)
{
    if (!is_text(data, len)) {
        json_put(to, key, wrapped(data, len));
        return;
    }
    char *text = xmemdup(len ? data : "", len); /* `data` may lack the NUL */
    json_put_str(to, key, text);
    free(text);
}

void member_put_text(struct json *to, const char *key, const char *s)
{
    if (!s)
        return;
    if (is_text(s, strlen(s)))
        json_put_str(to, key, s);
    else
        json_put(to, key, wrapped(s, strlen(s)));
}

static void push_text(struct json *to, const char *s)
{
    if (is_text(s, strlen(s)))
        json_push_str(to, s);
    else
        json_push(to, wrapped(s, strlen(s)));
}

void member_put_list(struct json *to, const char *key, char *const *at,
                     size_t n)
{
    struct json *list = json_new_array();

    for (size_t i = 0; i < n; i++)
        push_text(list, at[i]);
    json_put(to, key, list);
}

void member_put_number(struct json *to, const char *key, uint64_t n)
{
    json_put_int(to, key, n > INT64_MAX ? INT64_MAX : (int64_t)n);
}

/* ---- reading ---- */

void member_complain(struct member_reader *r, const char *key,
                     const char *wants)
{
    if (!r->bad)
        err_set(r->err, -EINVAL, "frame \"%s\": \"%s\" must be %s", r->what,
                key, wants);
    r->bad = true;
}

/* The text that is either `s` or the bytes wrapped in `value`; NULL for
 * anything else. */
static char *unwrap(const char *s, const struct json *value, size_t *len)
{
    if (!s)
        return json_get_bytes(value, "base64", len);
    *len = strlen(s);
    return xmemdup(s, *len);
}

/* As unwrap, for text without zero bytes inside. */
static char *unwrap_string(const char *s, const struct json *value)
{
    size_t len;
    char *text = unwrap(s, value, &len);

    if (text && strlen(text) == len)
        return text;
    free(text);
    return NULL;
}

/* NULL when the member is not there. */
char *member_get_text(struct member_reader *r, const char *key)
{
    char *text;

    if (!json_has(r->from, key))
        return NULL;
    text =
        unwrap_string(json_get_str(r->from, key, NULL), json_get(r->from, key));
    if (!text)
        member_complain(r, key, "text");
    return text;
}

char *member_need_text(struct member_reader *r, const char *key)
{
    char *text = member_get_text(r, key);

    if (!text)
        member_complain(r, key, "text");
    return text;
}

char *member_get_bytes(struct member_reader *r, const char *key, size_t *len)
{
    char *data = NULL;

    *len = 0;
    if (!json_has(r->from, key))
        return NULL;
    data =
        unwrap(json_get_str(r->from, key, NULL), json_get(r->from, key), len);
    if (!data)
        member_complain(r, key, "text or base64");
    return data;
}

int64_t member_get_number(struct member_reader *r, const char *key, int64_t min,
                          int64_t max)
{
    /* min is never INT64_MIN, so what is missing or no integer is too small */
    int64_t n = json_get_int(r->from, key, min - 1);
    char wants[80];

    if (n >= min && n <= max)
        return n;
    snprintf(wants, sizeof(wants), "a number from %" PRId64 " to %" PRId64, min,
             max);
    member_complain(r, key, wants);
    return min;
}

uint64_t member_get_size(struct member_reader *r, const char *key)
{
    return (uint64_t)member_get_number(r, key, 0, INT64_MAX);
}

bool member_get_bool(struct member_reader *r, const char *key)
{
    bool value = json_get_bool(r->from, key, false);

    if (value != json_get_bool(r->from, key, true))
        member_complain(r, key, "true or false");
    return value;
}

/* Elements of the list `key`, at most `max`; what is missing or no list has
 * none. */
size_t member_get_count(struct member_reader *r, const char *key, size_t max)
{
    size_t n = json_len(json_get(r->from, key));
    char wants[80];

    if (n <= max)
        return n;
    snprintf(wants, sizeof(wants), "a list of at most %zu", max);
    member_complain(r, key, wants);
    return 0;
}

void member_get_texts(struct member_reader *r, const char *key, size_t n,
                      char **at)
{
    const struct json *list = json_get(r->from, key);

    for (size_t i = 0; i < n; i++) {
        at[i] = unwrap_string(json_at_str(list, i), json_at(list, i));
        if (!at[i]) {
            member_complain(r, key, "a list of texts");
            at[i] = xstrdup("");
        }
    }
}

struct strings member_get_list(struct member_reader *r, const char *key)
{
    struct strings list = { .n = member_get_count(r, key, LIST_MAX) };

    list.at = xcalloc(list.n + 1, sizeof(*list.at));
    member_get_texts(r, key, list.n, list.at);
    return list;
}

/* The index of the member's text in `names`. */
unsigned member_get_choice(struct member_reader *r, const char *key,
                           const char *const *names, size_t n)
{
    const char *name = json_get_str(r->from, key, "");

    for (size_t i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0)
            return (unsigned)i;
    member_complain(r, key, "one of the known words");
    return 0;
}

void member_free_list(struct strings *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->at[i]);
    free(list->at);
}
