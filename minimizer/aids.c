/* CUDA_LAUNCH_BLOCKING is read by the driver when it starts in a process, and
 * so can be set in a child of a fork server that has not touched it. */
#include "minimizer/aids.h"

#include <string.h>

static const char blocking[] = "CUDA_LAUNCH_BLOCKING";

/* The user has set it, in the environment or above the script's imports. */
static bool is_set(const struct job_setup *setup)
{
    size_t n = sizeof(blocking) - 1;

    for (size_t i = 0; i < setup->early_env.n; i++) {
        const char *set = setup->early_env.at[i];

        if (strncmp(set, blocking, n) == 0 && set[n] == '=')
            return true;
    }
    return setup_value(setup, blocking) != NULL;
}

unsigned aids_wanted(const struct config *config, const struct job_setup *setup)
{
    unsigned aids = setup->fill ? AID_FILL : 0;

    if (config->blocking == BLOCKING_ON && !is_set(setup))
        aids |= AID_BLOCKING;
    return aids;
}

bool aids_try_blocking(const struct config *config,
                       const struct job_setup *setup)
{
    return config->blocking == BLOCKING_AUTO && !is_set(setup);
}

const char *aid_words(enum run_aid aid)
{
    switch (aid) {
    case AID_FILL:
        return "--fill nan";
    case AID_BLOCKING:
        return "CUDA_LAUNCH_BLOCKING=1";
    }
    return "";
}
