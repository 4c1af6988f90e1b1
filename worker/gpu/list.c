/* An integer in CUDA_VISIBLE_DEVICES stays the integer that a run gets, since
 * whoever set it (Slurm, say) counts in a way of its own; which GPU of NVML's
 * it is can be told where the order is NVML's, or all are alike. CUDA stops at
 * the first entry that names nothing, and so do we. */
#include "worker/gpu/list.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/json.h"
#include "config/mem.h"
#include "worker/gpu/nvml.h"

#define FOUND_MAX 200 /* bytes of a message that lists what was found */
#define ENTRIES_MAX 256

static void entry_copy(struct gpu_entry *to, const struct gpu_entry *from)
{
    *to = *from;
    to->uuid = xstrdup(from->uuid);
    to->name = xstrdup(from->name);
    to->parent = xstrdup(from->parent);
    to->visible = xstrdup(from->visible);
}

static struct gpu_entry *add(struct gpu_list *list)
{
    list->at = xreallocarray(list->at, list->n + 1, sizeof(*list->at));
    list->at[list->n] = (struct gpu_entry){ 0 };
    return &list->at[list->n++];
}

static uint64_t get_size(const struct json *from, const char *key)
{
    int64_t n = json_get_int(from, key, 0);

    return n > 0 ? (uint64_t)n : 0;
}

void gpu_list_read(struct gpu_list *list, const struct json *frame)
{
    const struct json *gpus = json_get(frame, "gpus");
    size_t n = json_len(gpus);

    *list = (struct gpu_list){ 0 };
    list->driver = xstrdup(json_get_str(frame, "driver", NULL));
    for (size_t i = 0; i < n && i < ENTRIES_MAX; i++) {
        const struct json *gpu = json_at(gpus, i);
        const char *uuid = json_get_str(gpu, "uuid", "");
        struct gpu_entry *entry;

        if (!*uuid)
            continue;
        entry = add(list);
        entry->uuid = xstrdup(uuid);
        entry->name = xstrdup(json_get_str(gpu, "name", "GPU"));
        entry->parent = xstrdup(json_get_str(gpu, "parent", NULL));
        entry->known = true;
        entry->index = (unsigned)get_size(gpu, "index");
        entry->mode = (unsigned)get_size(gpu, "mode");
        entry->total = get_size(gpu, "total");
        entry->free = get_size(gpu, "free");
        entry->used = get_size(gpu, "used");
    }
}

void gpu_list_deinit(struct gpu_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free(list->at[i].uuid);
        free(list->at[i].name);
        free(list->at[i].parent);
        free(list->at[i].visible);
    }
    free(list->at);
    free(list->driver);
    *list = (struct gpu_list){ 0 };
}

const char *gpu_short(const char *uuid, char *out, size_t size)
{
    size_t n = strlen(uuid);

    /* "GPU-" and "MIG-" and the first group. */
    if (n > 12 && uuid[3] == '-' && uuid[12] == '-')
        n = 12;
    snprintf(out, size, "%.*s", (int)n, uuid);
    return out;
}

/* ---- what CUDA shows ---- */

static bool is_number(const char *text, size_t len, size_t *number)
{
    *number = 0;
    if (len == 0 || len > 4)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (!isdigit((unsigned char)text[i]))
            return false;
        *number = *number * 10 + (size_t)(text[i] - '0');
    }
    return true;
}

/* The one entry whose uuid begins so; NULL: none, or more than one. */
static const struct gpu_entry *by_uuid(const struct gpu_list *list,
                                       const char *text, size_t len)
{
    const struct gpu_entry *found = NULL;

    for (size_t i = 0; i < list->n; i++) {
        if (strncasecmp(list->at[i].uuid, text, len) != 0)
            continue;
        if (found)
            return NULL;
        found = &list->at[i];
    }
    return found;
}

static const struct gpu_entry *by_index(const struct gpu_list *list, size_t n)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->at[i].index == n)
            return &list->at[i];
    return NULL;
}

static bool all_alike(const struct gpu_list *list)
{
    for (size_t i = 1; i < list->n; i++)
        if (strcmp(list->at[i].name, list->at[0].name) != 0)
            return false;
    return true;
}

/* One entry of CUDA_VISIBLE_DEVICES. False: it names nothing. */
static bool show(const struct gpu_list *found, const char *text, size_t len,
                 bool ordered, struct gpu_list *out)
{
    const struct gpu_entry *entry;
    struct gpu_entry *mine;
    size_t number;

    if (!is_number(text, len, &number)) {
        entry = len > 4 ? by_uuid(found, text, len) : NULL;
        if (entry)
            entry_copy(add(out), entry);
        return entry != NULL;
    }
    entry = by_index(found, number);
    if (!entry)
        return false;
    mine = add(out);
    if (ordered) {
        entry_copy(mine, entry);
    } else { /* it is one of them, but which? */
        mine->uuid = xmemdup(text, len);
        mine->name = xstrdup("GPU");
    }
    mine->visible = xmemdup(text, len);
    return true;
}

static void show_all(const struct gpu_list *found, const char *visible,
                     bool by_bus, struct gpu_list *out)
{
    bool ordered = by_bus || all_alike(found);

    *out = (struct gpu_list){ .driver = xstrdup(found->driver) };
    for (size_t i = 0; !visible && i < found->n; i++)
        entry_copy(add(out), &found->at[i]);
    while (visible && *visible && out->n < ENTRIES_MAX) {
        size_t len = strcspn(visible, ",");

        if (!show(found, visible, len, ordered, out))
            break;
        visible += len + (visible[len] == ',');
    }
}

/* ---- what is asked for ---- */

static int refuse(const struct gpu_list *shown, const char *spec, size_t len,
                  const char *visible, struct err *err)
{
    char text[FOUND_MAX + 1], name[64];
    size_t at = 0;

    text[0] = '\0';
    for (size_t i = 0; i < shown->n && at < sizeof(text); i++)
        at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%zu (%s, %s)",
                               i ? ", " : "", i,
                               gpu_short(shown->at[i].uuid, name, sizeof(name)),
                               shown->at[i].name);
    return err_set(err, -EINVAL, "--gpus %.*s: no such GPU%s; found: %s",
                   (int)(len < 50 ? len : 50), spec,
                   visible ? " in CUDA_VISIBLE_DEVICES" : "",
                   shown->n ? text : "none");
}

static bool chosen_already(const struct gpu_list *out,
                           const struct gpu_entry *entry)
{
    for (size_t i = 0; i < out->n; i++)
        if (strcmp(out->at[i].uuid, entry->uuid) == 0)
            return true;
    return false;
}

static void choose(const struct gpu_entry *entry, struct gpu_list *out)
{
    if (!chosen_already(out, entry))
        entry_copy(add(out), entry);
}

static int choose_listed(const struct gpu_list *shown, const char *spec,
                         const char *visible, struct gpu_list *out,
                         struct err *err)
{
    while (*spec) {
        size_t len = strcspn(spec, ","), number;
        const struct gpu_entry *entry = NULL;

        if (!is_number(spec, len, &number))
            entry = by_uuid(shown, spec, len);
        else if (number < shown->n)
            entry = &shown->at[number];
        if (!entry || entry->mode == NVML_MODE_PROHIBITED)
            return refuse(shown, spec, len, visible, err);
        choose(entry, out);
        spec += len + (spec[len] == ',');
    }
    return 0;
}

int gpu_list_choose(const struct gpu_list *found, const char *spec,
                    const char *visible, bool by_bus, struct gpu_list *out,
                    struct err *err)
{
    struct gpu_list shown;
    int error = 0;

    show_all(found, visible, by_bus, &shown);
    *out = (struct gpu_list){ .driver = xstrdup(found->driver) };
    if (strcmp(spec, "all") != 0) {
        error = choose_listed(&shown, spec, visible, out, err);
    } else {
        for (size_t i = 0; i < shown.n; i++)
            if (shown.at[i].mode != NVML_MODE_PROHIBITED)
                choose(&shown.at[i], out);
    }
    gpu_list_deinit(&shown);
    if (error)
        gpu_list_deinit(out);
    return error;
}
