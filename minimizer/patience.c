/* A timeout goes down this ladder:
 *
 *   the limit has been raised since ---------------> again
 *   nothing good has ended since it began ---------> measure, then from the top
 *   there is a longer limit, and it has not been
 *   in vain three times yet -----------------------> again, with that
 *   else ------------------------------------------> no
 */
#include "minimizer/patience.h"

#include "config/log.h"

#define MEASURE_FACTOR 4
#define VAIN_MAX 3

void patience_init(struct patience *p, const struct config *config,
                   uint64_t limit_ms, uint64_t long_ms, bool fixed)
{
    *p = (struct patience){
        .limit_ms = limit_ms,
        .long_ms = long_ms > limit_ms ? long_ms : limit_ms,
        .cap_ms = (uint64_t)(config->timeout_cap_s * 1000),
        .fixed = fixed || config->timeout_s > 0,
    };
}

uint64_t patience_for(uint64_t slowest_ms, uint64_t cap_ms)
{
    uint64_t limit = slowest_ms < 1000 ? slowest_ms + 2000 : 3 * slowest_ms;

    return limit < cap_ms ? limit : cap_ms;
}

uint64_t patience_begin(const struct patience *p, struct attempt *attempt)
{
    attempt->limit_ms = attempt->another ? p->long_ms : p->limit_ms;
    attempt->measured = p->measured;
    return attempt->limit_ms;
}

uint64_t patience_measure(const struct patience *p)
{
    uint64_t ms = MEASURE_FACTOR * p->long_ms;

    return ms < p->cap_ms ? ms : p->cap_ms;
}

static void raise_to(struct patience *p, uint64_t limit_ms)
{
    if (p->fixed || limit_ms <= p->limit_ms)
        return;
    log_info("runs take longer than at first: their limit goes from %llu to "
             "%llu ms",
             (unsigned long long)p->limit_ms, (unsigned long long)limit_ms);
    p->limit_ms = limit_ms;
    if (p->long_ms < limit_ms)
        p->long_ms = limit_ms;
}

void patience_widen(struct patience *p, uint64_t limit_ms, uint64_t long_ms)
{
    raise_to(p, limit_ms);
    if (!p->fixed && p->long_ms < long_ms)
        p->long_ms = long_ms;
}

void patience_saw(struct patience *p, uint64_t wall_ms)
{
    p->measured++;
    raise_to(p, patience_for(wall_ms, p->cap_ms));
}

void patience_in_time(struct patience *p, const struct attempt *attempt)
{
    if (!attempt->another)
        return;
    p->vain = 0;
    raise_to(p, attempt->limit_ms);
}

enum patience_say patience_over(struct patience *p, struct attempt *attempt)
{
    if (p->fixed)
        return PATIENCE_NO;
    if (attempt->limit_ms < p->limit_ms) {
        attempt->another = false;
        return PATIENCE_AGAIN;
    }
    if (attempt->measured == p->measured && attempt->limit_ms < p->cap_ms)
        return PATIENCE_MEASURE;
    if (attempt->another) {
        p->vain++;
        return PATIENCE_NO;
    }
    if (p->long_ms <= attempt->limit_ms || p->vain >= VAIN_MAX)
        return PATIENCE_NO;
    attempt->another = true;
    return PATIENCE_AGAIN;
}
