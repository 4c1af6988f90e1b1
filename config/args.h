/* args.h - the command line cut into settings, not yet checked: which files
 * are read first depends on SCRIPT and --config, so values are looked at
 * later, in their turn. Used by config.c.
 *
 * A struct args lives from args_parse() to args_deinit() and borrows its
 * strings from argv. */
#ifndef AUTODD_ARGS_H
#define AUTODD_ARGS_H

#include <stddef.h>

#include "config/config.h"
#include "config/err.h"
#include "config/options.h"

struct setting {
    const struct option *option;
    const char *text; /* NULL: a flag without a value */
};

struct args {
    enum config_action action;
    const char *script;
    char **script_args; /* what stands after --, and how many */
    size_t n_script_args;
    struct setting *settings; /* in the order of the command line */
    size_t n, room;
    const char *config_file; /* of the last --config, or NULL */
};

/* Accepted: flags before and after SCRIPT, --flag=value, --flag value, -j8,
 * -j 8, -j=8, -vv. A first argument `worker` or `limits` ends the reading;
 * so does --help or --version where it stands. 0, or -EINVAL with err set;
 * args_deinit() is due in both cases. */
int args_parse(struct args *args, int argc, char **argv, struct err *err);
void args_deinit(struct args *args);

#endif
