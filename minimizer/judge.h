/* judge.h - whether a run of a candidate shows the failure that is reduced: as
 * the signature has it, in a kernel if it was so, and in the test that is
 * kept. */
#ifndef AUTODD_JUDGE_H
#define AUTODD_JUDGE_H

#include "config/base.h"
#include "config/buf.h"
#include "grammar/guard.h"
#include "minimizer/signature.h"
#include "worker/protocol.h"

/* The verdict on a run of `text`. `guard` NULL: any statement may fail. `why`,
 * if not NULL, gets a few words for a no or none, as of signature_judge(). */
enum verdict judge_run(const struct signature *signature,
                       const struct guard *guard, struct bytes text,
                       const struct observation *observation, struct buf *why);

#endif
