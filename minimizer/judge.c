/* The signature first, as it is cheap and says no to most. */
#include "minimizer/judge.h"

enum verdict judge_run(const struct signature *signature,
                       const struct guard *guard, struct bytes text,
                       const struct observation *observation, struct buf *why)
{
    enum verdict verdict = signature_judge(signature, observation, why);

    if (verdict != VERDICT_YES || !guard ||
        guard_failed(guard, text, observation->exc_line))
        return verdict;
    if (why)
        buf_adds(why, "another statement fails than the one that is kept");
    return VERDICT_NO;
}
