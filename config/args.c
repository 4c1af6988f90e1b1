/* Left to right over argv, no look-ahead but a flag's value. A value is the
 * next argument whatever it looks like, as with getopt: messages may well
 * begin with a dash. */
#include "config/args.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/log.h"
#include "config/mem.h"

/* What a user gave, fit for a message. */
struct shown {
    char text[100];
};

static struct shown show(const char *text, size_t len)
{
    struct shown s;

    log_safe(s.text, sizeof(s.text), text, len);
    return s;
}

static void keep(struct args *args, const struct option *option,
                 const char *text)
{
    xgrow(&args->settings, &args->room, args->n + 1, sizeof(*args->settings));
    args->settings[args->n++] = (struct setting){ option, text };
    if (strcmp(option->name, "config") == 0)
        args->config_file = text;
}

static void act(struct args *args, const struct option *option)
{
    bool version = strcmp(option->name, "version") == 0;

    args->action = version ? ACTION_VERSION : ACTION_HELP;
}

static int needs_value(const struct option *option, struct err *err)
{
    return err_set(err, -EINVAL, "--%s: a value is missing; give --%s %s",
                   option->name, option->name, option->metavar);
}

static int unknown_flag(const char *arg, size_t len, struct err *err)
{
    const char *meant = len > 2 ? option_nearest(arg + 2, len - 2) : NULL;

    if (meant)
        return err_set(err, -EINVAL, "%s: unknown flag; did you mean --%s?",
                       show(arg, len).text, meant);
    return err_set(err, -EINVAL,
                   "%s: unknown flag; autodd-c --help lists all; arguments "
                   "of the script stand after --",
                   show(arg, len).text);
}

/* argv[*i] is "--name", "--name=value", or "--name" and a value after it. */
static int read_long(struct args *args, int argc, char **argv, int *i,
                     struct err *err)
{
    const char *arg = argv[*i];
    size_t len = strcspn(arg, "=");
    const char *value = arg[len] ? arg + len + 1 : NULL;
    const struct option *option = option_by_name(arg + 2, len - 2);

    if (!option)
        return unknown_flag(arg, len, err);
    if (option->type == OPTION_ACTION) {
        if (value)
            return err_set(err, -EINVAL, "--%s: takes no value; leave '=' out",
                           option->name);
        act(args, option);
        return 0;
    }
    if (option->metavar && !value) {
        if (*i + 1 >= argc)
            return needs_value(option, err);
        value = argv[++*i];
    }
    keep(args, option, value);
    return 0;
}

/* argv[*i] is "-x", "-xy", "-x8", "-x=8" (as Python's argparse takes it), or
 * "-x" and a value after it. */
static int read_short(struct args *args, int argc, char **argv, int *i,
                      struct err *err)
{
    const char *arg = argv[*i];

    for (const char *c = arg + 1; *c; c++) {
        const struct option *option = option_by_letter(*c);
        const char *value = NULL;

        if (!option)
            return unknown_flag(arg, strlen(arg), err);
        if (option->type == OPTION_ACTION) {
            act(args, option);
            return 0;
        }
        if (option->metavar) {
            value = c[1] == '=' ? c + 2 : c[1] ? c + 1 : NULL;
            if (!value && *i + 1 >= argc)
                return needs_value(option, err);
            if (!value)
                value = argv[++*i];
        }
        keep(args, option, value);
        if (value)
            return 0;
    }
    return 0;
}

static int read_positional(struct args *args, const char *arg, struct err *err)
{
    if (args->action == ACTION_DOCTOR)
        return err_set(err, -EINVAL,
                       "'%s': doctor takes no script; a script of the name "
                       "doctor is given as ./doctor",
                       show(arg, strlen(arg)).text);
    if (args->script)
        return err_set(err, -EINVAL,
                       "'%s': a second script beside '%s'; give one, and the "
                       "script's own arguments after --",
                       show(arg, strlen(arg)).text,
                       show(args->script, strlen(args->script)).text);
    if (*arg == '\0' || strcmp(arg, "-") == 0)
        return err_set(err, -EINVAL,
                       "'%s' is no script; give the path of a file", arg);
    if (strcmp(arg, "doctor") == 0)
        args->action = ACTION_DOCTOR;
    else
        args->script = arg;
    return 0;
}

/* The hidden commands read the rest of argv themselves. */
static bool is_hidden(struct args *args, int argc, char **argv)
{
    if (argc < 2)
        return false;
    if (strcmp(argv[1], "worker") == 0)
        args->action = ACTION_WORKER;
    else if (strcmp(argv[1], "limits") == 0)
        args->action = ACTION_LIMITS;
    else if (strcmp(argv[1], "gpu") == 0 && argc > 2 &&
             (strcmp(argv[2], "watch") == 0 || strcmp(argv[2], "list") == 0 ||
              strcmp(argv[2], "canary") == 0))
        args->action = ACTION_GPU;
    return args->action != ACTION_MINIMIZE;
}

static bool is_finished(const struct args *args)
{
    return args->action == ACTION_HELP || args->action == ACTION_VERSION;
}

static int check_script(const struct args *args, struct err *err)
{
    if (args->action == ACTION_DOCTOR && args->n_script_args)
        return err_set(err, -EINVAL, "doctor takes no arguments; leave -- out");
    if (args->action != ACTION_MINIMIZE || args->script)
        return 0;
    return err_set(err, -EINVAL,
                   "no script is given; say autodd-c SCRIPT [options]%s, or "
                   "see autodd-c --help",
                   args->n_script_args ? " [-- ARGS]" : "");
}

int args_parse(struct args *args, int argc, char **argv, struct err *err)
{
    int error = 0;

    *args = (struct args){ .action = ACTION_MINIMIZE };
    if (is_hidden(args, argc, argv))
        return 0;
    for (int i = 1; i < argc && !error && !is_finished(args); i++) {
        if (strcmp(argv[i], "--") == 0) {
            args->script_args = argv + i + 1;
            args->n_script_args = (size_t)(argc - i - 1);
            break;
        }
        if (strncmp(argv[i], "--", 2) == 0)
            error = read_long(args, argc, argv, &i, err);
        else if (argv[i][0] == '-' && argv[i][1])
            error = read_short(args, argc, argv, &i, err);
        else
            error = read_positional(args, argv[i], err);
    }
    return error ? error : check_script(args, err);
}

void args_deinit(struct args *args)
{
    free(args->settings);
    *args = (struct args){ 0 };
}
