/* The classes are those of NVIDIA's Xid catalog
 * (docs.nvidia.com/deploy/xid-errors): what it puts down to the application is
 * the bug that is being minimized, what a restart of the application mends is a
 * suspicion, and the rest is the GPU. */
#include "worker/gpu/health.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base.h"
#include "config/log.h"

static const uint32_t app_xids[] = { 13, 31, 43, 45, 68 };
static const uint32_t suspect_xids[] = { 8, 11, 32, 63, 94, 109 };

/* Minutes of quarantine: the first, the second, and all later ones. */
static const uint64_t backoff_min[] = { 5, 15, 60 };

const char *health_name(enum gpu_state state)
{
    static const char *const names[] = { "healthy", "suspect", "quarantined",
                                         "wedged", "lost" };

    return names[state];
}

static bool listed(const uint32_t *list, size_t n, uint64_t code)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == code)
            return true;
    return false;
}

enum xid_class xid_class(uint64_t code, const struct strings *overrides)
{
    for (size_t i = overrides ? overrides->n : 0; i > 0; i--) {
        char *end;
        unsigned long long n = strtoull(overrides->at[i - 1], &end, 10);

        if (n != code || *end != '=')
            continue;
        if (strcmp(end + 1, "app") == 0)
            return XID_APP;
        return strcmp(end + 1, "suspect") == 0 ? XID_SUSPECT : XID_QUARANTINE;
    }
    if (listed(app_xids, ARRAY_LEN(app_xids), code))
        return XID_APP;
    if (listed(suspect_xids, ARRAY_LEN(suspect_xids), code))
        return XID_SUSPECT;
    return XID_QUARANTINE;
}

/* ---- states ---- */

static bool is_final(const struct health *h)
{
    return h->state == GPU_WEDGED || h->state == GPU_LOST;
}

static void enter(struct health *h, enum gpu_state next, const char *why)
{
    log_debug("gpu: %s to %s: %s", health_name(h->state), health_name(next),
              why);
    h->state = next;
    snprintf(h->why, sizeof(h->why), "%s", why);
}

void health_init(struct health *h, bool canary)
{
    *h = (struct health){ .canary = canary, .due_ms = HEALTH_NEVER };
}

static void quarantine(struct health *h, const char *why, uint64_t now)
{
    size_t last = ARRAY_LEN(backoff_min) - 1;
    size_t i = h->quarantines < last ? h->quarantines : last;

    enter(h, GPU_QUARANTINED, why);
    h->quarantines++;
    h->clean = 0;
    h->nstrikes = 0;
    h->due_ms = now + backoff_min[i] * 60000;
}

/* One more suspicion; true if it is one too many. */
static bool strike(struct health *h, uint64_t now)
{
    memmove(h->strikes + 1, h->strikes,
            (HEALTH_STRIKES - 1) * sizeof(*h->strikes));
    h->strikes[0] = now;
    if (h->nstrikes < HEALTH_STRIKES)
        h->nstrikes++;
    return h->nstrikes == HEALTH_STRIKES &&
           now - h->strikes[HEALTH_STRIKES - 1] < HEALTH_STRIKES_MS;
}

void health_doubt(struct health *h, const char *why, uint64_t now)
{
    if (is_final(h) || h->state == GPU_QUARANTINED || !h->canary)
        return;
    enter(h, GPU_SUSPECT, why);
    h->due_ms = now;
}

static void suspect(struct health *h, const char *why, uint64_t now)
{
    if (is_final(h) || h->state == GPU_QUARANTINED)
        return;
    if (strike(h, now))
        quarantine(h, why, now);
    else
        health_doubt(h, why, now);
}

bool health_xid(struct health *h, enum xid_class class, uint64_t code,
                uint64_t now)
{
    char why[64];

    snprintf(why, sizeof(why), "Xid %" PRIu64, code);
    if (class == XID_APP)
        return false;
    if (class == XID_SUSPECT)
        suspect(h, why, now);
    else if (!is_final(h) && h->state != GPU_QUARANTINED)
        quarantine(h, why, now);
    return true;
}

bool health_bad(struct health *h, const char *why, bool lost, uint64_t now)
{
    if (is_final(h))
        return true;
    if (lost) {
        enter(h, GPU_LOST, why);
        h->due_ms = HEALTH_NEVER;
    } else if (h->state != GPU_QUARANTINED) {
        quarantine(h, why, now);
    }
    return true;
}

bool health_wedge(struct health *h, const char *why)
{
    if (!is_final(h)) {
        enter(h, GPU_WEDGED, why);
        h->due_ms = HEALTH_NEVER;
    }
    return true;
}

/* ---- the canary ---- */

void health_ask(struct health *h, uint64_t now)
{
    if (h->canary && h->state == GPU_HEALTHY)
        h->due_ms = now;
}

bool health_check(struct health *h, uint64_t now)
{
    if (!h->canary || h->checking || now < h->due_ms || is_final(h))
        return false;
    h->checking = true;
    h->due_ms = HEALTH_NEVER;
    return true;
}

/* True: what ran on it meanwhile has no say. */
bool health_checked(struct health *h, bool clean, const char *why, uint64_t now)
{
    h->checking = false;
    /* One that was begun before the quarantine proves nothing. */
    if (is_final(h) ||
        (h->state == GPU_QUARANTINED && h->due_ms != HEALTH_NEVER))
        return false;
    if (!clean) {
        quarantine(h, why, now);
        return true;
    }
    if (h->state == GPU_QUARANTINED) {
        if (++h->clean < HEALTH_CLEAN) {
            h->due_ms = now;
            return false;
        }
    }
    if (h->state != GPU_HEALTHY && h->due_ms == HEALTH_NEVER)
        enter(h, GPU_HEALTHY, "");
    return false;
}

void health_tick(struct health *h, uint64_t now)
{
    if (h->canary || h->state != GPU_QUARANTINED || now < h->due_ms)
        return;
    h->due_ms = HEALTH_NEVER;
    enter(h, GPU_HEALTHY, "");
}

bool health_usable(const struct health *h)
{
    return h->state == GPU_HEALTHY;
}

bool health_answered(const struct health *h)
{
    return !h->checking && (!h->canary || h->due_ms == HEALTH_NEVER);
}

uint64_t health_due(const struct health *h)
{
    return h->checking ? HEALTH_NEVER : h->due_ms;
}
