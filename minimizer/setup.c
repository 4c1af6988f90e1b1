#include "minimizer/setup.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "config/file.h"
#include "config/mem.h"
#include "grammar/tree.h"

#define GRACE_MS 2000 /* TERM to KILL, exit to the end of output */

static void push(struct strings *strings, char *taken)
{
    strings->at =
        xreallocarray(strings->at, strings->n + 2, sizeof(*strings->at));
    strings->at[strings->n++] = taken;
    strings->at[strings->n] = NULL;
}

static void copy(struct strings *to, const struct strings *from)
{
    for (size_t i = 0; i < from->n; i++)
        push(to, xstrdup(from->at[i]));
}

static void drop(struct strings *strings)
{
    for (size_t i = 0; i < strings->n; i++)
        free(strings->at[i]);
    free(strings->at);
    *strings = (struct strings){ 0 };
}

static void add_preload(void *arg, const char *module)
{
    push(arg, xstrdup(module));
}

static void add_env(void *arg, const char *name, const char *value)
{
    push(arg, xasprintf("%s=%s", name, value));
}

static void add_patterns(struct job_setup *setup, const struct strings *texts,
                         bool regex)
{
    setup->patterns =
        xreallocarray(setup->patterns, setup->npatterns + texts->n + 1,
                      sizeof(*setup->patterns));
    for (size_t i = 0; i < texts->n; i++)
        setup->patterns[setup->npatterns++] = (struct pattern){
            .text = xstrdup(texts->at[i]),
            .regex = regex,
        };
}

/* Our own files must not be seen by runs when they lie beside the script. */
static void hide(struct job_setup *setup, const struct input *input,
                 const char *path)
{
    char *dir, *real;

    if (!path)
        return;
    dir = file_dir(path);
    real = realpath(dir, NULL);
    if (real && strcmp(real, input->dir) == 0)
        push(&setup->hide, file_name(path));
    free(real);
    free(dir);
}

/* The order of sets of strings is a matter of chance unless someone fixes it.
 */
static void fix_hash_seed(struct job_setup *setup, const struct config *config)
{
    static const char name[] = "PYTHONHASHSEED=";
    bool set = getenv("PYTHONHASHSEED") != NULL;

    for (size_t i = 0; i < config->env.n && !set; i++)
        set = strncmp(config->env.at[i], name, sizeof(name) - 1) == 0;
    if (!set)
        push(&setup->env, xasprintf("%s%" PRId64, name, config->seed));
}

/* Names the job's processes and folders. */
static char *make_mark(void)
{
    uint64_t random = 0;

    if (getrandom(&random, sizeof(random), 0) != sizeof(random))
        random = (uint64_t)getpid() << 32 ^ (uint64_t)(uintptr_t)&random;
    return xasprintf("%d-%016" PRIx64, (int)getpid(), random);
}

const char *setup_value(const struct job_setup *setup, const char *name)
{
    const char *value = getenv(name);
    size_t n = strlen(name);

    for (size_t i = 0; i < setup->env.n; i++) {
        const char *set = setup->env.at[i];

        if (strncmp(set, name, n) == 0 && set[n] == '=')
            value = set + n + 1;
    }
    return value;
}

/* To see each tensor's bounds, torch must not cut them from a pool. */
static void use_sanitizer(struct job_setup *setup, const struct config *config)
{
    static const char *const tools[] = { NULL, "memcheck", "racecheck",
                                         "initcheck", "synccheck" };
    static const char name[] = "PYTORCH_NO_CUDA_MEMORY_CACHING";

    if (config->sanitizer == SANITIZER_NONE)
        return;
    setup->sanitizer = xstrdup(tools[config->sanitizer]);
    if (!setup_value(setup, name))
        push(&setup->env, xasprintf("%s=1", name));
}

void setup_build(struct job_setup *setup, const struct config *config,
                 const struct input *input)
{
    *setup = (struct job_setup){
        .slots = config->jobs,
        .python = xstrdup(config->python),
        .script_name = xstrdup(input->name),
        .script_dir = xstrdup(input->dir),
        .cwd = config->cwd ? realpath(config->cwd, NULL) : NULL,
        .command = xstrdup(config->command),
        .test = xstrdup(config->test),
        .backend = config->backend,
        .gpus = xstrdup(config->gpus),
        .about = config->reports.n > 0,
        .mark = make_mark(),
        .memory_max = (uint64_t)config->memory_max_mb << 20,
        .file_max = (uint64_t)config->file_max_mb << 20,
        .procs_max = (uint64_t)config->procs_max,
        .output_max = (uint64_t)config->output_max_kb << 10,
        .grace_ms = GRACE_MS,
    };
    copy(&setup->argv, &config->script_args);
    copy(&setup->env, &config->env);
    copy(&setup->xid, &config->xid);
    setup->fill = config->fill == FILL_NAN;
    use_sanitizer(setup, config);
    fix_hash_seed(setup, config);
    add_patterns(setup, &config->err_msgs, false);
    add_patterns(setup, &config->err_regex, true);
    add_patterns(setup, &config->not_msgs, false);
    tree_imports(input->tree, add_preload, &setup->preload);
    tree_early_env(input->tree, add_env, &setup->early_env);
    hide(setup, input, input->output);
    hide(setup, input, input->good_output);
    hide(setup, input, config->state);
    for (size_t i = 0; i < config->reports.n; i++)
        hide(setup, input, config->reports.at[i]);
}

/* Put folders in front of PYTHONPATH, the first of them first. */
static void add_paths(struct job_setup *setup, const struct strings *parts)
{
    static const char name[] = "PYTHONPATH";
    char *value = xstrdup(setup_value(setup, name));

    for (size_t i = parts->n; i > 0; i--) {
        const char *dir = config_part(parts->at[i - 1], PART_PATH);
        char *real = dir ? realpath(dir, NULL) : NULL;
        char *longer = real ? xasprintf("%s%s%s", real, value ? ":" : "",
                                        value ? value : "")
                            : NULL;

        free(real);
        if (!longer)
            continue;
        free(value);
        value = longer;
    }
    if (value)
        push(&setup->env, xasprintf("%s=%s", name, value));
    free(value);
}

void setup_build_other(struct job_setup *setup, const struct config *config,
                       const struct input *input)
{
    const struct strings *parts = &config->pass_with;

    setup_build(setup, config, input);
    for (size_t i = 0; i < parts->n; i++) {
        const char *python = config_part(parts->at[i], PART_PYTHON);
        const char *env = config_part(parts->at[i], PART_ENV);

        if (env)
            push(&setup->env, xstrdup(env));
        if (python) {
            free(setup->python);
            setup->python = xstrdup(python);
        }
    }
    add_paths(setup, parts);
}

void setup_deinit(struct job_setup *setup)
{
    free(setup->python);
    free(setup->script_name);
    free(setup->script_dir);
    free(setup->cwd);
    free(setup->command);
    free(setup->test);
    free(setup->sanitizer);
    free(setup->gpus);
    free(setup->mark);
    drop(&setup->xid);
    drop(&setup->argv);
    drop(&setup->env);
    drop(&setup->hide);
    drop(&setup->preload);
    drop(&setup->early_env);
    for (size_t i = 0; i < setup->npatterns; i++)
        free(setup->patterns[i].text);
    free(setup->patterns);
    *setup = (struct job_setup){ 0 };
}

static void key_strings(const struct strings *strings, struct buf *out)
{
    for (size_t i = 0; i < strings->n; i++)
        buf_addf(out, "\t%zu:%s", strlen(strings->at[i]), strings->at[i]);
    buf_adds(out, "\n");
}

void setup_key(const struct job_setup *setup, struct buf *out)
{
    key_strings(&setup->argv, out);
    key_strings(&setup->env, out);
    for (size_t i = 0; i < setup->npatterns; i++)
        buf_addf(out, "\t%d:%s", setup->patterns[i].regex,
                 setup->patterns[i].text);
    if (setup->sanitizer)
        buf_addf(out, "\tsanitizer:%s", setup->sanitizer);
    if (setup->fill)
        buf_adds(out, "\tfill");
    buf_addf(out, "\n%s\n%s\n%s\n%d %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
             setup->cwd ? setup->cwd : "", setup->command ? setup->command : "",
             setup->test ? setup->test : "", (int)setup->backend,
             setup->memory_max, setup->file_max, setup->procs_max);
}
