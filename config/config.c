/* From three places to one struct, lowest first, each overriding the one
 * before:
 *
 *     defaults < $XDG_CONFIG_HOME/autodd-c/config.yaml
 *              < autodd.yaml beside the script, or --config < flags
 *
 * The command line is only cut into settings at first, since the script's
 * folder and --config decide which files are read; its values are checked
 * when their turn comes. `layer` remembers who set what: a list starts anew
 * in each layer, and of two options that contradict each other the one from
 * the higher layer stays. Contradictions within one layer are errors. */
#include "config/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/args.h"
#include "config/file.h"
#include "config/log.h"
#include "config/mem.h"
#include "config/options.h"
#include "config/yaml.h"

enum layer { LAYER_DEFAULT, LAYER_USER, LAYER_FILE, LAYER_FLAGS };

struct loader {
    struct config *config;
    struct err *err;
    unsigned char layer[OPTION_MAX];
};

/* What a user gave, fit for a message. */
struct shown {
    char text[160];
};

static struct shown show(const char *text)
{
    struct shown s;

    log_safe(s.text, sizeof(s.text), text, strlen(text));
    return s;
}

static int assign(struct loader *l, enum layer layer,
                  const struct option *option, const char *text,
                  const char *where)
{
    unsigned char *set_by = &l->layer[option_index(option)];

    if (*set_by != layer)
        option_reset(option, l->config);
    *set_by = (unsigned char)layer;
    return option_set(option, l->config, text, where, l->err);
}

/* ---- the command line ---- */

static int apply_flags(struct loader *l, const struct args *args)
{
    int error = 0;

    for (size_t i = 0; i < args->n && !error; i++) {
        const struct setting *s = &args->settings[i];
        char where[48];

        snprintf(where, sizeof(where), "--%s", s->option->name);
        error = assign(l, LAYER_FLAGS, s->option, s->text, where);
    }
    return error;
}

static void take_words(struct config *config, const struct args *args)
{
    struct strings *words = &config->script_args;

    config->action = args->action;
    config->script = xstrdup(args->script);
    for (size_t i = 0; i < args->n_script_args; i++)
        strings_add(words, args->script_args[i]);
}

/* ---- the YAML files ---- */

static int unknown_key(struct loader *l, const struct yaml *yaml,
                       const struct yaml_node *node)
{
    const char *meant = option_nearest(node->key, strlen(node->key));

    if (meant && option_by_name(meant, strlen(meant))->flag_only)
        meant = NULL;
    if (meant)
        return err_set(l->err, -EINVAL,
                       "%s:%zu:%zu: unknown key '%s'; did you mean '%s'?",
                       yaml->file, node->key_line, node->key_column,
                       show(node->key).text, meant);
    return err_set(l->err, -EINVAL,
                   "%s:%zu:%zu: unknown key '%s'; keys are the flags of "
                   "autodd-c --help without --",
                   yaml->file, node->key_line, node->key_column,
                   show(node->key).text);
}

/* How many bytes of a text stand before its path, if it is one. */
static size_t before_path(enum option_path kind, const char *text)
{
    if (kind != PATH_PART)
        return 0;
    if (config_part(text, PART_PYTHON))
        return strlen(PART_PYTHON);
    if (config_part(text, PART_PATH))
        return strlen(PART_PATH);
    return strlen(text);
}

/* A relative path counts from the file it stands in. */
static char *resolved(const struct option *option, const char *file,
                      const char *text)
{
    size_t n = before_path(option->path, text);
    bool program =
        option->path == PATH_PROGRAM || config_part(text, PART_PYTHON) != NULL;
    bool counts = option->path != PATH_NONE && text[n] &&
                  (!program || strchr(text + n, '/'));
    char *dir = file_dir(file), *path, *whole;

    if (!counts || strcmp(dir, ".") == 0)
        path = xstrdup(text + n);
    else
        path = file_join(dir, text + n);
    whole = xasprintf("%.*s%s", (int)n, text, path);
    free(path);
    free(dir);
    return whole;
}

static int apply_scalar(struct loader *l, enum layer layer,
                        const struct yaml *yaml, const struct option *option,
                        const struct yaml_node *node)
{
    char *where = xasprintf("%s:%zu:%zu: %s", yaml->file, node->line,
                            node->column, option->name);
    char *text = resolved(option, yaml->file, node->text ? node->text : "");
    int error;

    if (node->kind != YAML_SCALAR)
        error = err_set(l->err, -EINVAL, "%s: give one value, no %s", where,
                        node->kind == YAML_MAPPING ? "mapping" : "list");
    else if (node->plain && strcmp(text, "~") == 0)
        error =
            err_set(l->err, -EINVAL,
                    "%s: has no value; give one, or leave the key out", where);
    else
        error = assign(l, layer, option, text, where);
    free(text);
    free(where);
    return error;
}

static int apply_node(struct loader *l, enum layer layer,
                      const struct yaml *yaml, const struct yaml_node *node)
{
    const struct option *option = option_by_name(node->key, strlen(node->key));

    if (!option)
        return unknown_key(l, yaml, node);
    if (option->flag_only)
        return err_set(l->err, -EINVAL,
                       "%s:%zu:%zu: '%s' is no key; it is a flag only, take "
                       "it out",
                       yaml->file, node->key_line, node->key_column,
                       option->name);
    if (option->type != OPTION_LIST || node->kind != YAML_SEQUENCE)
        return apply_scalar(l, layer, yaml, option, node);

    int error = 0;

    /* Also an empty list replaces that of the layer below. */
    option_reset(option, l->config);
    l->layer[option_index(option)] = (unsigned char)layer;
    for (const struct yaml_node *c = node->first; c && !error; c = c->next)
        error = apply_scalar(l, layer, yaml, option, c);
    return error;
}

static int apply_yaml(struct loader *l, enum layer layer,
                      const struct yaml *yaml)
{
    const struct yaml_node *root = yaml->root;
    int error = 0;

    if (!root)
        return 0;
    if (root->kind != YAML_MAPPING)
        return err_set(l->err, -EINVAL,
                       "%s:%zu:%zu: no settings; write lines like \"jobs: 8\"",
                       yaml->file, root->line, root->column);
    for (const struct yaml_node *c = root->first; c && !error; c = c->next)
        error = apply_node(l, layer, yaml, c);
    return error;
}

/* A file that is not there is fine unless it was asked for; a file that is
 * there and cannot be read never is. */
static int apply_file(struct loader *l, enum layer layer, const char *path,
                      bool asked_for)
{
    struct yaml yaml;
    int error = yaml_load(&yaml, path, l->err);

    if (!asked_for && (error == -ENOENT || error == -ENOTDIR))
        return 0;
    if (error)
        return error;
    error = apply_yaml(l, layer, &yaml);
    yaml_deinit(&yaml);
    return error;
}

/* $XDG_CONFIG_HOME must be absolute to count (XDG base directories, 0.8).
 * Without it and without HOME there is no such file. */
static char *user_file(void)
{
    const char *base = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");

    if (base && base[0] == '/')
        return file_join(base, "autodd-c/config.yaml");
    if (home && home[0] == '/')
        return file_join(home, ".config/autodd-c/config.yaml");
    return NULL;
}

static int apply_user_file(struct loader *l)
{
    char *path = user_file();
    struct stat st;
    int error = 0;

    /* HOME of another user (after su or sudo), which may not be searched, is
     * as good as none. */
    if (path && !(stat(path, &st) && errno == EACCES))
        error = apply_file(l, LAYER_USER, path, false);
    free(path);
    return error;
}

static int apply_near_file(struct loader *l, const char *asked_for)
{
    if (asked_for)
        return apply_file(l, LAYER_FILE, asked_for, true);
    if (!l->config->script)
        return 0;
    char *dir = file_dir(l->config->script);
    char *path = strcmp(dir, ".") == 0 ? xstrdup("autodd.yaml")
                                       : file_join(dir, "autodd.yaml");
    int error = apply_file(l, LAYER_FILE, path, false);

    free(path);
    free(dir);
    return error;
}

/* ---- what does not go together ---- */

static const struct conflict {
    const char *a, *b;
    const char *why;
} conflicts[] = {
    { "test", "err-msg", "the test alone decides" },
    { "test", "err-regex", "the test alone decides" },
    { "test", "not-msg", "the test alone decides" },
    { "test", "expect", "the test alone decides" },
    { "test", "command", "the test is what is run" },
    { "test", "pass-with", "the test alone decides" },
    { "test", "good", "the test alone decides" },
    { "sanitizer", "err-msg", "what the sanitizer finds decides" },
    { "sanitizer", "err-regex", "what the sanitizer finds decides" },
    { "sanitizer", "expect", "what the sanitizer finds decides" },
    { "sanitizer", "test", "each decides alone" },
    { "sanitizer", "command", "the sanitizer runs an interpreter" },
    { "quiet", "verbose", "one says less, the other more" },
};

static const struct option *row(const char *name)
{
    return option_by_name(name, strlen(name));
}

static int check_pair(struct loader *l, const struct conflict *c)
{
    const struct option *a = row(c->a), *b = row(c->b);
    int from_a = l->layer[option_index(a)], from_b = l->layer[option_index(b)];

    if (!option_in_effect(a, l->config) || !option_in_effect(b, l->config))
        return 0;
    if (from_a == from_b)
        return err_set(l->err, -EINVAL,
                       "--%s and --%s contradict each other: %s; leave one "
                       "of them out",
                       a->name, b->name, c->why);
    option_reset(from_a < from_b ? a : b, l->config);
    return 0;
}

/* --backend runner forks the script from an interpreter of ours; a command
 * or a test is a program of its own. */
static int check_backend(struct loader *l)
{
    const struct config *config = l->config;
    const char *other = config->test        ? "test"
                        : config->command   ? "command"
                        : config->sanitizer ? "sanitizer"
                                            : NULL;
    const struct option *backend = row("backend");

    if (!other || config->backend != BACKEND_RUNNER)
        return 0;
    if (l->layer[option_index(backend)] < l->layer[option_index(row(other))]) {
        option_reset(backend, l->config);
        return 0;
    }
    return err_set(l->err, -EINVAL,
                   "--backend runner cannot run a --%s; leave --backend out, "
                   "or say subproc",
                   other);
}

static int check_keep(struct loader *l)
{
    const struct strings *keep = &l->config->keep;

    for (size_t i = 0; i < keep->n; i++)
        if (strcmp(keep->at[i], "none") == 0 && keep->n > 1)
            return err_set(l->err, -EINVAL,
                           "--keep none and --keep with a name contradict "
                           "each other; leave one of them out");
    return 0;
}

static bool is_folder(const char *path)
{
    struct stat st;

    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int check_parts(struct loader *l)
{
    const struct strings *parts = &l->config->pass_with;
    unsigned programs = 0;

    for (size_t i = 0; i < parts->n; i++) {
        const char *dir = config_part(parts->at[i], PART_PATH);

        if (dir && !is_folder(dir))
            return err_set(l->err, -EINVAL,
                           "--pass-with path:%s is no folder; give one that "
                           "exists",
                           show(dir).text);
        programs += config_part(parts->at[i], PART_PYTHON) != NULL;
    }
    if (programs > 1)
        return err_set(l->err, -EINVAL,
                       "--pass-with names %u interpreters; all parts make one "
                       "environment, so give one",
                       programs);
    if (programs > 0 && l->config->command)
        return err_set(l->err, -EINVAL,
                       "--pass-with python: cannot replace the interpreter of "
                       "a --command; use env: or path:");
    return 0;
}

/* A file we are to write: its folder must be there, and it must not be the
 * script. Better said now than after an hour of search. */
static int check_target(struct loader *l, const char *flag, const char *path)
{
    const char *script = l->config->script;
    char *dir = file_dir(path);
    int error = 0;

    if (!is_folder(dir))
        error = err_set(l->err, -EINVAL,
                        "--%s: folder '%s' does not exist; make it first, or "
                        "choose another",
                        flag, show(dir).text);
    else if (access(dir, W_OK | X_OK))
        error = err_set(l->err, -EINVAL,
                        "--%s: folder '%s' may not be written to; choose "
                        "another",
                        flag, show(dir).text);
    else if (is_folder(path))
        error = err_set(l->err, -EINVAL, "--%s: '%s' is a folder; give a file",
                        flag, show(path).text);
    else if (script && file_same(path, script))
        error = err_set(l->err, -EINVAL,
                        "--%s: '%s' is the script itself; choose another file",
                        flag, show(path).text);
    free(dir);
    return error;
}

static int check_paths(struct loader *l)
{
    const struct config *config = l->config;
    int error = 0;

    if (config->cwd && !is_folder(config->cwd))
        return err_set(l->err, -EINVAL,
                       "--cwd: '%s' is no folder; give one that exists",
                       show(config->cwd).text);
    if (config->output)
        error = check_target(l, "output", config->output);
    if (!error && config->output && config->good &&
        file_same(config->output, config->good))
        error = err_set(l->err, -EINVAL,
                        "--output: '%s' is also --good; choose another file",
                        show(config->output).text);
    for (size_t i = 0; i < config->reports.n && !error; i++) {
        error = check_target(l, "report", config->reports.at[i]);
        if (!error && config->output &&
            file_same(config->reports.at[i], config->output))
            error = err_set(l->err, -EINVAL,
                            "--report: '%s' is also --output; choose another "
                            "file",
                            show(config->output).text);
    }
    return error;
}

static int check_whole(struct loader *l)
{
    int error = 0;

    for (size_t i = 0; i < ARRAY_LEN(conflicts) && !error; i++)
        error = check_pair(l, &conflicts[i]);
    if (!error)
        error = check_backend(l);
    if (!error)
        error = check_keep(l);
    if (!error)
        error = check_parts(l);
    return error ? error : check_paths(l);
}

static int apply_all(struct loader *l, const struct args *args)
{
    int error = apply_user_file(l);

    if (!error)
        error = apply_near_file(l, args->config_file);
    if (!error)
        error = apply_flags(l, args);
    return error ? error : check_whole(l);
}

int config_load(struct config *config, int argc, char **argv, struct err *err)
{
    struct loader l = { .config = config, .err = err };
    struct args args;
    int error = args_parse(&args, argc, argv, err);

    options_init(config);
    if (!error) {
        take_words(config, &args);
        /* The others must work whatever the files say. */
        if (args.action == ACTION_MINIMIZE || args.action == ACTION_DOCTOR)
            error = apply_all(&l, &args);
    }
    args_deinit(&args);
    if (error)
        config_deinit(config);
    return error;
}

void config_deinit(struct config *config)
{
    options_deinit(config);
}
