/* The process that calls NVML, for a call may hang for good and take its
 * process with it. It has one thread and no loop: it waits for an event as long
 * as a beat may take, looks at each GPU, says what it saw.
 *
 *   open -> say the GPUs -> (wait for an event | look around) ... end of stdin
 *
 * A beat that does not come tells the worker all there is to know of a call
 * that hangs. */
#include "worker/gpu/helper.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "config/buf.h"
#include "config/err.h"
#include "config/json.h"
#include "worker/gpu/canary.h"
#include "worker/gpu/mps.h"
#include "worker/gpu/nvml.h"
#include "worker/protocol.h"

#define DEVICES_MAX 64u /* GPUs, and MIG instances of one */
#define PROCESSES_MAX 256u

struct device {
    nvmlDevice_t handle;
    char uuid[NVML_UUID_ROOM], name[NVML_NAME_ROOM];
    char parent[NVML_UUID_ROOM]; /* "": a whole GPU */
    unsigned index;              /* of the GPU */
    bool told;                   /* that it is bad */
};

/* Whole GPUs, for events and the driver's word; and what runs can be given. */
struct view {
    struct nvml nvml;
    struct device gpus[DEVICES_MAX], given[DEVICES_MAX];
    unsigned ngpus, ngiven;
    nvmlEventSet_t events;
    bool listens;
};

/* ---- looking ---- */

static bool describe(struct view *v, nvmlDevice_t handle, struct device *d)
{
    d->handle = handle;
    if (v->nvml.uuid(handle, d->uuid, sizeof(d->uuid)) != NVML_SUCCESS)
        return false;
    if (!v->nvml.name ||
        v->nvml.name(handle, d->name, sizeof(d->name)) != NVML_SUCCESS)
        snprintf(d->name, sizeof(d->name), "GPU");
    return true;
}

static bool in_mig_mode(const struct view *v, nvmlDevice_t handle)
{
    unsigned now = 0, pending = 0;

    return v->nvml.mig_mode && v->nvml.mig_max && v->nvml.mig_by_index &&
           v->nvml.mig_mode(handle, &now, &pending) == NVML_SUCCESS && now == 1;
}

static void add_instances(struct view *v, const struct device *gpu)
{
    unsigned max = 0;

    if (v->nvml.mig_max(gpu->handle, &max) != NVML_SUCCESS)
        return;
    for (unsigned i = 0; i < max && v->ngiven < DEVICES_MAX; i++) {
        struct device *d = &v->given[v->ngiven];
        nvmlDevice_t handle;

        if (v->nvml.mig_by_index(gpu->handle, i, &handle) != NVML_SUCCESS ||
            !describe(v, handle, d))
            continue;
        d->index = gpu->index;
        memcpy(d->parent, gpu->uuid, sizeof(d->parent));
        v->ngiven++;
    }
}

/* A GPU that does not answer is left out: CUDA would not show it either. */
static void find_devices(struct view *v)
{
    unsigned n = 0;

    if (v->nvml.count(&n) != NVML_SUCCESS)
        return;
    for (unsigned i = 0; i < n && v->ngpus < DEVICES_MAX; i++) {
        struct device *d = &v->gpus[v->ngpus];
        nvmlDevice_t handle;

        if (v->nvml.by_index(i, &handle) != NVML_SUCCESS ||
            !describe(v, handle, d))
            continue;
        d->index = i;
        v->ngpus++;
        if (in_mig_mode(v, handle))
            add_instances(v, d);
        else if (v->ngiven < DEVICES_MAX)
            v->given[v->ngiven++] = *d;
    }
}

static struct nvml_memory memory_of(const struct view *v,
                                    const struct device *d)
{
    struct nvml_memory memory = { 0 };

    if (!v->nvml.memory || v->nvml.memory(d->handle, &memory) != NVML_SUCCESS)
        memory = (struct nvml_memory){ 0 };
    return memory;
}

static unsigned mode_of(const struct view *v, const struct device *d)
{
    unsigned mode = NVML_MODE_DEFAULT;

    if (v->nvml.compute_mode)
        v->nvml.compute_mode(d->handle, &mode);
    return mode;
}

static int open_view(struct view *v, struct err *err)
{
    int error = nvml_open(&v->nvml, err);

    if (!error)
        find_devices(v);
    return error;
}

/* ---- saying ---- */

static bool say(struct json *taken)
{
    struct buf line;
    bool ok;

    buf_init(&line, HELPER_LINE_MAX);
    ok = json_write(taken, &line) == 0 && buf_addc(&line, '\n') == 0 &&
         fwrite(line.data, 1, line.len, stdout) == line.len &&
         fflush(stdout) == 0;
    buf_deinit(&line);
    json_free(taken);
    return ok;
}

static struct json *frame(const char *type)
{
    struct json *object = json_new_object();

    json_put_str(object, "frame", type);
    return object;
}

static void put_size(struct json *object, const char *key, uint64_t n)
{
    json_put_int(object, key, n > INT64_MAX ? INT64_MAX : (int64_t)n);
}

static bool say_gpus(const struct view *v)
{
    struct json *whole = frame("gpus"), *list = json_new_array();
    char driver[96] = "";

    if (v->nvml.driver_version &&
        v->nvml.driver_version(driver, sizeof(driver)) == NVML_SUCCESS)
        json_put_str(whole, "driver", driver);
    for (unsigned i = 0; i < v->ngiven; i++) {
        const struct device *d = &v->given[i];
        struct nvml_memory memory = memory_of(v, d);
        struct json *gpu = json_new_object();

        json_put_str(gpu, "uuid", d->uuid);
        json_put_str(gpu, "name", d->name);
        if (d->parent[0])
            json_put_str(gpu, "parent", d->parent);
        json_put_int(gpu, "index", d->index);
        put_size(gpu, "total", memory.total);
        put_size(gpu, "free", memory.free);
        put_size(gpu, "used", memory.used);
        json_put_int(gpu, "mode", mode_of(v, d));
        json_push(list, gpu);
    }
    json_put(whole, "gpus", list);
    return say(whole);
}

static void put_processes(const struct view *v, const struct device *d,
                          struct json *to)
{
    struct nvml_process found[PROCESSES_MAX];
    unsigned n = PROCESSES_MAX;
    struct json *list;

    if (!v->nvml.processes ||
        v->nvml.processes(d->handle, &n, found) != NVML_SUCCESS)
        return;
    list = json_new_array();
    for (unsigned i = 0; i < n && i < PROCESSES_MAX; i++) {
        struct json *pair = json_new_object();

        if (found[i].used == NVML_NO_VALUE)
            found[i].used = 0;
        json_put_int(pair, "pid", found[i].pid);
        put_size(pair, "used", found[i].used);
        json_push(list, pair);
    }
    json_put(to, "procs", list);
}

static bool say_beat(const struct view *v)
{
    struct json *whole = frame("beat"), *list = json_new_array();

    for (unsigned i = 0; i < v->ngiven; i++) {
        const struct device *d = &v->given[i];
        struct nvml_memory memory = memory_of(v, d);
        struct json *gpu = json_new_object();

        json_put_str(gpu, "uuid", d->uuid);
        put_size(gpu, "used", memory.used);
        put_size(gpu, "free", memory.free);
        put_processes(v, d, gpu);
        json_push(list, gpu);
    }
    json_put(whole, "gpus", list);
    return say(whole);
}

static bool say_bad(struct device *d, const char *why, bool lost)
{
    struct json *object;

    if (d->told)
        return true;
    d->told = true;
    object = frame("bad");
    json_put_str(object, "uuid", d->uuid);
    json_put_str(object, "why", why);
    json_put_bool(object, "lost", lost);
    return say(object);
}

static bool say_xid(const struct device *d, uint64_t code)
{
    struct json *object = frame("xid");

    json_put_str(object, "uuid", d->uuid);
    put_size(object, "code", code);
    return say(object);
}

/* ---- watching ---- */

static void listen_for_events(struct view *v)
{
    const uint64_t wanted = NVML_EVENT_XID | NVML_EVENT_DOUBLE_BIT_ECC |
                            NVML_EVENT_UNAVAILABLE | NVML_EVENT_RECOVERY;

    if (!v->nvml.event_set || !v->nvml.event_register || !v->nvml.event_wait ||
        v->nvml.event_set(&v->events) != NVML_SUCCESS)
        return;
    for (unsigned i = 0; i < v->ngpus; i++) {
        uint64_t types = wanted;

        if (v->nvml.event_types &&
            v->nvml.event_types(v->gpus[i].handle, &types) != NVML_SUCCESS)
            types = 0;
        types &= wanted;
        if (types && v->nvml.event_register(v->gpus[i].handle, types,
                                            v->events) == NVML_SUCCESS)
            v->listens = true;
    }
}

static const char *action_words(uint32_t action)
{
    static const char *const words[] = {
        "the driver asks for a reset of the GPU",
        "the driver asks for a reboot of the machine",
        "the driver asks to drain the GPU's peers",
        "the driver asks to drain and reset the GPU",
    };

    return action >= 1 && action <= 4 ? words[action - 1]
                                      : "the driver asks for a recovery";
}

/* The driver's own opinion of a GPU. */
static bool look_at(struct view *v, struct device *d)
{
    struct nvml_field field = { .id = NVML_FIELD_RECOVERY_ACTION };
    struct nvml_memory memory;
    int result = NVML_SUCCESS;

    if (v->nvml.memory)
        result = v->nvml.memory(d->handle, &memory);
    if (result == NVML_GPU_IS_LOST)
        return say_bad(d, nvml_words(&v->nvml, result), true);
    if (result == NVML_RESET_REQUIRED)
        return say_bad(d, nvml_words(&v->nvml, result), false);
    if (v->nvml.fields &&
        v->nvml.fields(d->handle, 1, &field) == NVML_SUCCESS &&
        field.result == NVML_SUCCESS && field.value.ui != 0)
        return say_bad(d, action_words(field.value.ui), false);
    d->told = false; /* it is well again */
    return true;
}

static struct device *device_of(struct view *v, nvmlDevice_t handle)
{
    for (unsigned i = 0; i < v->ngpus; i++)
        if (v->gpus[i].handle == handle)
            return &v->gpus[i];
    return NULL;
}

static bool say_event(struct view *v, const struct nvml_event *event)
{
    struct device *d = device_of(v, event->device);

    if (!d)
        return true;
    if (event->type & NVML_EVENT_XID)
        return say_xid(d, event->data);
    if (event->type & NVML_EVENT_DOUBLE_BIT_ECC)
        return say_bad(d, "memory errors that cannot be corrected", false);
    if (event->type & NVML_EVENT_UNAVAILABLE)
        return say_bad(d, "the driver says that the GPU is unavailable", true);
    return look_at(v, d);
}

/* Wait for one event, or a beat. */
static bool wait_event(struct view *v)
{
    struct nvml_event event = { 0 };
    struct pollfd in = { .fd = 0, .events = POLLIN };
    int result;

    if (!v->listens) {
        poll(&in, 1, HELPER_BEAT_MS);
        return true;
    }
    result = v->nvml.event_wait(v->events, &event, HELPER_BEAT_MS);
    if (result == NVML_SUCCESS)
        return say_event(v, &event);
    if (result != NVML_TIMEOUT) /* it may come back at once, for ever */
        poll(&in, 1, HELPER_BEAT_MS);
    return true;
}

static bool input_ended(void)
{
    struct pollfd in = { .fd = 0, .events = POLLIN };
    char drop[64];

    return poll(&in, 1, 0) > 0 && read(0, drop, sizeof(drop)) <= 0;
}

/* `autodd-c gpu watch`. The exit code. */
static int helper_watch(void)
{
    static struct view v;
    struct err err;
    bool ok;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (open_view(&v, &err)) {
        struct json *none = frame("none");

        json_put_str(none, "why", err.text);
        return say(none) ? 0 : 1;
    }
    ok = say_gpus(&v);
    listen_for_events(&v);
    while (ok && !input_ended()) {
        for (unsigned i = 0; i < v.ngpus && ok; i++)
            ok = look_at(&v, &v.gpus[i]);
        ok = ok && say_beat(&v) && wait_event(&v);
    }
    nvml_close(&v.nvml);
    return 0;
}

/* ---- for people ---- */

static const char *mode_words(unsigned mode)
{
    switch (mode) {
    case NVML_MODE_PROHIBITED:
        return "compute mode prohibited: no run can use it";
    case NVML_MODE_EXCLUSIVE_PROCESS:
    case NVML_MODE_EXCLUSIVE_THREAD:
        return "compute mode exclusive: one run at a time";
    default:
        return "compute mode default";
    }
}

/* `autodd-c gpu list`, for people: a line a finding, "NAME TAB TEXT". The exit
 * code. */
static int helper_list(void)
{
    static struct view v;
    char text[96] = "unknown", *mps;
    struct err err;

    if (open_view(&v, &err)) {
        printf("NVML\t%s\n", err.text);
        return 0;
    }
    if (v.nvml.driver_version)
        v.nvml.driver_version(text, sizeof(text));
    printf("NVML\tfound, driver %s\n", text);
    mps = mps_found(getenv("CUDA_MPS_PIPE_DIRECTORY"));
    printf("MPS\t%s\n", mps ? mps : "not in use");
    free(mps);
    if (!v.ngiven)
        printf("GPU\tnone\n");
    for (unsigned i = 0; i < v.ngiven; i++) {
        const struct device *d = &v.given[i];
        struct nvml_memory memory = memory_of(&v, d);

        printf("%s\t%s, %s, %" PRIu64 " of %" PRIu64 " MiB free, %s%s%s\n",
               d->uuid, d->name, d->parent[0] ? "MIG instance" : "MIG off",
               memory.free >> 20, memory.total >> 20,
               mode_words(mode_of(&v, d)), d->parent[0] ? ", of " : "",
               d->parent);
    }
    nvml_close(&v.nvml);
    return 0;
}

int gpu_main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[2], "watch") == 0)
        return helper_watch();
    if (argc == 3 && strcmp(argv[2], "list") == 0)
        return helper_list();
    if ((argc == 3 || argc == 4) && strcmp(argv[2], "canary") == 0)
        return canary_main(argc - 3, argv + 3);
    fprintf(stderr, "usage: autodd-c gpu watch|list|canary [UUID]\n");
    return 2;
}
