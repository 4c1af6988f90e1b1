/* The signature first, as it is cheap and says no to most. */
#include "minimizer/judge.h"

#include <string.h>

#include "grammar/kernel.h"
#include "grammar/tree.h"

/* Whether it came from a kernel of the kind that is wanted; a line that is not
 * known may be in one. A macro is part of the kernel that calls it, so what it
 * does may stand there, too. */
static bool in_kernel(const char *kernel, struct bytes text, uint32_t line)
{
    struct tree *tree;
    struct bytes mark;
    bool is;

    if (!kernel || line == 0)
        return true;
    tree = tree_parse(text);
    mark = kernel_of_line(tree, line);
    is = text_is_one_of(mark, (const char *const[]){ kernel }, 1) ||
         (mark.len > 0 && strcmp(kernel, "macro") == 0);
    tree_free(tree);
    return is;
}

static enum verdict refuse(struct buf *why, const char *words)
{
    if (why)
        buf_adds(why, words);
    return VERDICT_NO;
}

enum verdict judge_run(const struct signature *signature,
                       const struct guard *guard, struct bytes text,
                       const struct observation *observation, struct buf *why)
{
    enum verdict verdict;

    if (observation->reach & REACH_OUTSIDE)
        return refuse(why, "a kernel reaches beyond its arrays");
    if (observation->reach & REACH_IDLE)
        return refuse(why, "a launch changes nothing");
    verdict = signature_judge(signature, observation, why);
    if (verdict != VERDICT_YES)
        return verdict;
    if (!in_kernel(signature_kernel(signature), text, observation->exc_line))
        return refuse(why, "fails outside of a kernel");
    if (guard && !guard_failed(guard, text, observation->exc_line))
        return refuse(why, "another statement fails than the one that is kept");
    return VERDICT_YES;
}
