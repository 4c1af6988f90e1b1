/* input.h - the script as the user gave it, and where the result goes.
 *
 * An input owns all it holds from input_load() to input_deinit(). */
#ifndef AUTODD_INPUT_H
#define AUTODD_INPUT_H

#include <stddef.h>

#include "config/base.h"
#include "config/config.h"
#include "config/err.h"
#include "grammar/tree.h"
#include "grammar/twin.h"

#define SCRIPT_MAX_BYTES (16u << 20)

struct input {
    char *path;   /* as given */
    char *dir;    /* absolute, links resolved */
    char *name;   /* last component */
    char *output; /* absolute; where the best file is written */
    char *text;   /* without the marks of freeze.h; NUL-terminated */
    size_t len;
    size_t original_len; /* bytes of the file itself */
    struct span *frozen; /* by marks, and where the good script differs */
    size_t nfrozen;
    struct twin twin;  /* --good; empty without */
    char *good_output; /* absolute: the good form of the best; or NULL */
    struct tree *tree; /* of text */
    int mode;          /* permission bits of the script, for the result */
};

/* Read and check. -ENOENT, -EISDIR, -EACCES, -E2BIG, -EINVAL (empty, binary,
 * bad freeze marks, output folder, a good script that is no version of this
 * one) with a sentence: all are the user's to mend (exit 2). */
int input_load(struct input *input, const struct config *config,
               struct err *err);
void input_deinit(struct input *input);

#endif
