/* Where a message quotes the script, a text of the script stands in it whether
 * the failure is there or not; so what counts as occurring is decided here, and
 * both the first run and every other are looked at in the same way. Traits are
 * read from words that the interpreter, PyTorch and CUDA use. */
#include "minimizer/evidence.h"

#include <string.h>

#include "minimizer/cuda_fault.h"
#include "minimizer/message.h"

#define WHY_MAX 160 /* bytes of a message told */

size_t evidence_asked(const struct config *config)
{
    return config->err_msgs.n + config->err_regex.n;
}

const struct pattern_match *evidence_match(const struct observation *o,
                                           size_t i)
{
    static const struct pattern_match none;

    return i < o->nmatches ? &o->matches[i] : &none;
}

const char *evidence_message(const struct observation *o)
{
    return o->exc_message ? o->exc_message : "";
}

bool evidence_says(struct bytes line, const char *text)
{
    return memmem(line.data, line.len, text, strlen(text)) != NULL;
}

bool evidence_in_exception(const struct config *config,
                           const struct observation *o, size_t k)
{
    if (!evidence_match(o, k)->in_exception)
        return false;
    if (k >= config->err_msgs.n)
        return true;
    const char *text = config->err_msgs.at[k];
    return !strstr(evidence_message(o), text) || strchr(text, '\n') ||
           message_says(evidence_message(o), text);
}

bool evidence_occurs(const struct config *config, const struct observation *o,
                     size_t k)
{
    return evidence_match(o, k)->plain > 0 ||
           evidence_in_exception(config, o, k);
}

const char *evidence_text(const struct config *config, size_t k)
{
    return k < config->err_msgs.n
               ? config->err_msgs.at[k]
               : config->err_regex.at[k - config->err_msgs.n];
}

const char *evidence_forbidden(const struct config *config,
                               const struct observation *o)
{
    for (size_t i = 0; i < config->not_msgs.n; i++) {
        const struct pattern_match *m =
            evidence_match(o, evidence_asked(config) + i);
        if (m->plain > 0 || m->in_exception)
            return config->not_msgs.at[i];
    }
    return NULL;
}

static bool type_is(const char *type, const char *const *names, size_t n)
{
    const char *dot = type ? strrchr(type, '.') : NULL;
    const char *name = dot ? dot + 1 : type;

    for (size_t i = 0; name && i < n; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

static bool any_of(const char *text, const char *const *parts, size_t n)
{
    for (size_t i = 0; text && i < n; i++) {
        if (strstr(text, parts[i]))
            return true;
    }
    return false;
}

unsigned evidence_traits(const struct observation *o)
{
    static const char *const syntax[] = { "SyntaxError", "IndentationError",
                                          "TabError" };
    static const char *const memory[] = { "MemoryError", "OutOfMemoryError" };
    static const char *const memory_words[] = {
        "CUDA out of memory",        "out of memory. Tried to allocate",
        "CUDA error: out of memory", "cudaErrorMemoryAllocation",
        "CUDA_ERROR_OUT_OF_MEMORY",
    };
    static const char *const poison[] = {
        "Cannot re-initialize CUDA in forked subprocess",
        "CUDA driver initialization failed, you might not have a CUDA gpu",
        "CUDA error: initialization error",
        "Triton Error [CUDA]: initialization error",
        "cudaErrorInitializationError",
        "CUDA_ERROR_NOT_INITIALIZED",
    };
    unsigned traits = 0;
    const char *message = evidence_message(o);

    if (type_is(o->exc_type, syntax, ARRAY_LEN(syntax)))
        traits |= TRAIT_SYNTAX;
    if (type_is(o->exc_type, memory, ARRAY_LEN(memory)) ||
        any_of(message, memory_words, ARRAY_LEN(memory_words)))
        traits |= TRAIT_MEMORY;
    if (o->forked && (any_of(message, poison, ARRAY_LEN(poison)) ||
                      any_of(o->err, poison, ARRAY_LEN(poison))))
        traits |= TRAIT_POISON;
    if (o->exc_type && strstr(message, "No space left on device"))
        traits |= TRAIT_DISK;
    return traits;
}

bool evidence_fault(const struct observation *o)
{
    return cuda_fault_find(evidence_message(o)) || cuda_fault_find(o->out) ||
           cuda_fault_find(o->err);
}

/* ---- telling what came ---- */

void evidence_tell(struct buf *out, const char *text, size_t len)
{
    size_t n = len > WHY_MAX ? WHY_MAX : len;

    /* Do not cut a UTF-8 sequence. */
    while (n < len && n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80)
        n--;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        buf_addc(out, c < ' ' || c == 0x7F ? ' ' : (char)c);
    }
    if (n < len)
        buf_adds(out, "...");
}

void evidence_tell_end(const struct observation *o, struct buf *out)
{
    char end[64];

    if (o->end == END_LOST || o->end == END_LIMIT) {
        const char *why = o->why ? o->why : "unknown reason";
        buf_adds(out, o->end == END_LOST ? "not run: " : "limit: ");
        evidence_tell(out, why, strlen(why));
    } else if (o->end == END_SYNTAX) {
        struct bytes line = message_headline(evidence_message(o));
        buf_adds(out, "does not compile");
        if (line.len > 0) {
            buf_adds(out, ": ");
            evidence_tell(out, line.data, line.len);
        }
    } else if (o->exc_type && o->end == END_EXIT) {
        struct bytes line = message_headline(evidence_message(o));
        evidence_tell(out, o->exc_type, strlen(o->exc_type));
        if (line.len > 0) {
            buf_adds(out, ": ");
            evidence_tell(out, line.data, line.len);
        }
        if (o->exit_code != 1)
            buf_addf(out, ", exit %d", o->exit_code);
    } else if (o->end == END_EXIT && o->exit_code == 0) {
        buf_adds(out, "passes");
    } else {
        buf_adds(out, observation_ending(o, end, sizeof(end)));
    }
}
