/* One table for all who ask: what ends a process for good (evidence.c), what
 * kind of failure it is (diagnose.c), what a message says (template.c). */
#include "minimizer/cuda_fault.h"

#include <string.h>

#include "config/base.h"

#define PREFIX (sizeof("CUDA_ERROR_") - 1) /* may be asked text, and taken */

/* What most say first: a text may name several. */
static const struct cuda_fault faults[] = {
    { 700, "illegal memory access", "CUDA_ERROR_ILLEGAL_ADDRESS",
      "cudaErrorIllegalAddress", true,
      "an illegal memory access was encountered" },
    { 716, "misaligned address", "CUDA_ERROR_MISALIGNED_ADDRESS",
      "cudaErrorMisalignedAddress", true, NULL },
    { 717, "global/shared address space", "CUDA_ERROR_INVALID_ADDRESS_SPACE",
      "cudaErrorInvalidAddressSpace", true,
      "operation not supported on global/shared address space" },
    { 719, "unspecified launch failure", "CUDA_ERROR_LAUNCH_FAILED",
      "cudaErrorLaunchFailure", false, NULL },
    { 710, "device-side assert", "CUDA_ERROR_ASSERT", "cudaErrorAssert", false,
      NULL },
    { 715, "illegal instruction", "CUDA_ERROR_ILLEGAL_INSTRUCTION",
      "cudaErrorIllegalInstruction", false, NULL },
    { 718, "invalid program counter", "CUDA_ERROR_INVALID_PC",
      "cudaErrorInvalidPc", false, NULL },
    { 714, "hardware stack error", "CUDA_ERROR_HARDWARE_STACK_ERROR",
      "cudaErrorHardwareStackError", false, NULL },
    { 702, "launch timed out", "CUDA_ERROR_LAUNCH_TIMEOUT",
      "cudaErrorLaunchTimeout", false, NULL },
    { 214, "uncorrectable ECC error", "CUDA_ERROR_ECC_UNCORRECTABLE",
      "cudaErrorECCUncorrectable", false, NULL },
    { 226, "CUDA_ERROR_CONTAINED", "CUDA_ERROR_CONTAINED", "cudaErrorContained",
      false, NULL },
};

const struct cuda_fault *cuda_fault_find(const char *text)
{
    for (size_t i = 0; text && i < ARRAY_LEN(faults); i++) {
        const struct cuda_fault *f = &faults[i];

        if (strstr(text, f->text) || strstr(text, f->name) ||
            strstr(text, f->runtime))
            return f;
    }
    return NULL;
}

static size_t starts(const char *s, size_t len, const char *word)
{
    size_t n = strlen(word);

    return len >= n && memcmp(s, word, n) == 0 ? n : 0;
}

size_t cuda_fault_stray(const char *s, size_t len, const char **same)
{
    const struct cuda_fault *all = NULL;

    for (size_t i = 0; i < ARRAY_LEN(faults); i++) {
        const struct cuda_fault *f = &faults[i];
        size_t n;

        if (!f->stray)
            continue;
        if (!all)
            all = f;
        if ((n = starts(s, len, f->stray)) > 0)
            *same = all->stray;
        else if ((n = starts(s, len, f->name)) > 0)
            *same = all->name;
        else if ((n = starts(s, len, f->name + PREFIX)) > 0)
            *same = all->name + PREFIX;
        else if ((n = starts(s, len, f->runtime)) > 0)
            *same = all->runtime;
        if (n > 0)
            return n;
    }
    return 0;
}
