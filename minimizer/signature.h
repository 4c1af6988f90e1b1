/* signature.h - what the failure is, and whether a run shows it. Pure.
 *
 * A signature is pinned by the first run that fails as asked, tightened by the
 * options, and then judges every observation. What it demands, all of it:
 *  - how the run ended (exit code zero or not zero, the very signal, timeout);
 *    --expect overrides;
 *  - each text and regex occurs, echoes of source not counted; where it stood
 *    in the final exception it must stand there again, where it stood in plain
 *    output the template of one of its lines must come again there;
 *  - when the original ended with an exception: the same type, and by default
 *    the same message template (numbers, addresses, paths masked); and when it
 *    came from a line of a kernel, from such a line again (judge.h);
 *  - none of --not-msg; no SyntaxError, IndentationError, MemoryError, CUDA out
 *    of memory unless the original was that. */
#ifndef AUTODD_SIGNATURE_H
#define AUTODD_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

#include "config/buf.h"
#include "config/config.h"
#include "minimizer/search/search.h"
#include "worker/protocol.h"

struct signature;

/* Does `first` show what the options ask for (any failure at all when they ask
 * for nothing)? `script` is the source it ran, borrowed for the call: words of
 * the message that come from there are not held against a candidate. NULL with
 * a sentence in err when not: which demand was not met, what came instead. The
 * options are borrowed for the signature's life; the patterns of the
 * observation are err_msgs, then err_regex, then not_msgs, in that order. */
struct signature *signature_pin(const struct config *config,
                                struct bytes script,
                                const struct observation *first,
                                struct err *err);
void signature_free(struct signature *signature);

/* The verdict on a run. `why`, if not NULL, gets a few words for a no or none:
 * "passes", "NameError: T", "exit 0", "worker lost". */
enum verdict signature_judge(const struct signature *signature,
                             const struct observation *observation,
                             struct buf *why);

/* Lines of the original that its traceback goes through, "12,80,45", innermost
 * last; NULL when it has none. Borrowed. */
const char *signature_frames(const struct signature *signature);

/* The mark of the kernel (grammar/kernel.h) whose body the failure came from: a
 * candidate must fail in the body of such a kernel, too. NULL: any place will
 * do. Borrowed. */
const char *signature_kernel(const struct signature *signature);

/* Whether a run passes where candidates must pass: exit 0 in time, without the
 * texts that were asked for, and not the failure itself. `why` as above, for
 * anything but VERDICT_YES: "shows the failure: ...", "NameError: T". */
enum verdict signature_passes(const struct signature *signature,
                              const struct observation *observation,
                              struct buf *why);

/* For people: "AssertionError: T.gemm K shape check failed: #, exit 1". */
void signature_describe(const struct signature *signature, struct buf *out);

/* Texts that stand for the failure in the state's key: same description, same
 * failure. */
void signature_key(const struct signature *signature, struct buf *out);

/* Whether the failure is a comparison or a text of the script's own, where
 * deleting may end at a bare print: see DESIGN 6.5. `script` is the source.
 * A warning sentence into `out` when so. */
bool signature_of_own_text(const struct signature *signature,
                           struct bytes script, struct buf *out);

/* Whether the message tells which share of the elements is right, which is then
 * kept. */
bool signature_shows_share(const struct signature *signature);

/* Where the script's own part in the failure is to be looked for: the line that
 * raised, the asked texts that it prints, or that it ends by its exit code
 * alone. Texts are borrowed from the options. */
struct guard_failure;
void signature_failure(const struct signature *signature, struct bytes script,
                       struct guard_failure *out);

/* Replace numbers, addresses and paths of a message by "#" (template.h has the
 * rules). */
void signature_mask(const char *text, struct buf *out);

/* ---- diagnosis: what kind of failure a run shows ---- */
enum failure_category {
    FAILURE_NONE,
    FAILURE_BUILD, /* A: build or code generation */
    FAILURE_CRASH, /* B: crash while running */
    FAILURE_WRONG, /* C: wrong result */
    FAILURE_DRIFT, /* D: numerical drift */
    FAILURE_HANG,
    FAILURE_OTHER /* an exception of none of these kinds: counted as B */
};

/* The category, and a sentence why into `why`: "B (crash): the process died by
 * SIGSEGV". */
enum failure_category diagnose(const struct observation *observation,
                               struct buf *why);

#endif
