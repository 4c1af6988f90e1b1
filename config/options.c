/* All options, once. A row says everything about an option; the code below
 * the table knows types, not options. A value arrives as text, from a flag or
 * from YAML alike, is checked against its row, and is stored in the field at
 * the row's offset: so both doors accept and refuse the same. */
#include "config/options.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/log.h"
#include "config/mem.h"

static bool holds_file(const char *text)
{
    return strstr(text, "{file}") != NULL;
}

static bool is_assignment(const char *text)
{
    if (!isalpha((unsigned char)*text) && *text != '_')
        return false;
    while (isalnum((unsigned char)*text) || *text == '_')
        text++;
    return *text == '=';
}

const char *config_part(const char *text, const char *prefix)
{
    size_t n = strlen(prefix);

    return strncmp(text, prefix, n) == 0 ? text + n : NULL;
}

static bool is_environment_part(const char *text)
{
    const char *python = config_part(text, PART_PYTHON);
    const char *path = config_part(text, PART_PATH);
    const char *env = config_part(text, PART_ENV);

    return (python && *python) || (path && *path) ||
           (env && is_assignment(env));
}

/* A list without empty entries. */
static bool is_gpus(const char *text)
{
    size_t n = strlen(text);

    return text[strspn(text, "0123456789abcdefghijklmnopqrstuvwxyz"
                             "ABCDEFGHIJKLMNOPQRSTUVWXYZ,-/")] == '\0' &&
           text[0] != ',' && text[n - 1] != ',' && !strstr(text, ",,");
}

static bool is_xid(const char *text)
{
    size_t digits = strspn(text, "0123456789");

    return digits > 0 && digits < 10 &&
           (strcmp(text + digits, "=app") == 0 ||
            strcmp(text + digits, "=suspect") == 0 ||
            strcmp(text + digits, "=quarantine") == 0);
}

/* The forms of a report: minimizer/report/report.h. */
static bool is_report(const char *text)
{
    static const char *const ends[] = { ".json", ".html", ".md" };
    size_t len = strlen(text);

    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        size_t n = strlen(ends[i]);

        if (len > n && strcmp(text + len - n, ends[i]) == 0)
            return true;
    }
    return false;
}

#define AT(field) .at = offsetof(struct config, field)
#define FAILURE .group = GROUP_FAILURE
#define RUN .group = GROUP_RUN
#define SEARCH .group = GROUP_SEARCH
#define FILES .group = GROUP_FILES

/* A row reads better than a field a line. */
/* clang-format off */
static const struct option table[] = {
    { .name = "err-msg", .type = OPTION_LIST, FAILURE, AT(err_msgs),
      .metavar = "TEXT", .shown = "the first run's failure",
      .help = "text of the failure; repeatable: all must occur" },
    { .name = "err-regex", .type = OPTION_LIST, FAILURE, AT(err_regex),
      .metavar = "REGEX",
      .help = "the same as a PCRE2 regular expression; repeatable" },
    { .name = "not-msg", .type = OPTION_LIST, FAILURE, AT(not_msgs),
      .metavar = "TEXT",
      .help = "text that makes it another failure; repeatable" },
    { .name = "signature", .type = OPTION_CHOICE, FAILURE, AT(tightness),
      .choices = "exact|template|type|text", .otherwise = "template",
      .metavar = "HOW",
      .help = "what must stay equal: the exact message, its template (without "
              "numbers, addresses and paths), the exception's type, or just "
              "that the text is printed somewhere" },
    { .name = "expect", .type = OPTION_EXPECT, FAILURE, AT(expect),
      .metavar = "END", .shown = "as the first run",
      .help = "how it must end: exit:N, signal:NAME or timeout" },
    { .name = "keep", .type = OPTION_LIST, FAILURE, AT(keep),
      .metavar = "NAME",
      .help = "never delete calls of NAME; none: delete whatever goes, also "
              "the test that decides; repeatable" },
    { .name = "pass-with", .type = OPTION_LIST, FAILURE, AT(pass_with),
      .path = PATH_PART, .metavar = "PART", .fits = is_environment_part,
      .wanted = "python:PROGRAM, env:NAME=VALUE or path:DIR",
      .help = "a candidate must fail here and pass there: with another "
              "interpreter (python:PROGRAM), a variable (env:NAME=VALUE), a "
              "folder in front of PYTHONPATH (path:DIR); repeatable, all "
              "parts make one environment" },
    { .name = "good", .type = OPTION_TEXT, FAILURE, AT(good),
      .path = PATH_FILE, .metavar = "FILE",
      .help = "the fixed script: where the two differ they stay, what goes "
              "in one goes in the other, and that must go on passing" },
    { .name = "sanitizer", .type = OPTION_CHOICE, FAILURE, AT(sanitizer),
      .choices = "none|memcheck|racecheck|initcheck|synccheck",
      .otherwise = "none", .metavar = "TOOL",
      .help = "the failure is the first error that this tool of "
              "compute-sanitizer finds: its kind and its kernel; slow" },
    { .name = "test", .type = OPTION_TEXT, FAILURE, AT(test),
      .metavar = "CMD",
      .help = "let a command decide: called with the candidate's path as last "
              "argument, in its folder; exit code 0 means the failure is "
              "there" },

    { .name = "backend", .type = OPTION_CHOICE, RUN, AT(backend),
      .choices = "auto|runner|subproc", .otherwise = "auto",
      .metavar = "HOW",
      .help = "runner: fork from an interpreter that has imported the "
              "libraries; subproc: a fresh interpreter each; auto: runner "
              "where it shows the same failure" },
    { .name = "children", .type = OPTION_CHOICE, RUN, AT(children),
      .choices = "auto|plain|warm|hot", .otherwise = "auto",
      .metavar = "KIND",
      .help = "what is forked: plain: a child for each run; warm: one that has "
              "its CUDA context already; hot: one for many runs, which can "
              "only refuse: a yes is always confirmed; auto: hot or "
              "warm where the script makes a context and it pays" },
    { .name = "python", .type = OPTION_TEXT, RUN, AT(python),
      .path = PATH_PROGRAM, .otherwise = "python3", .metavar = "PROGRAM",
      .help = "interpreter" },
    { .name = "command", .type = OPTION_TEXT, RUN, AT(command),
      .metavar = "CMD", .fits = holds_file,
      .wanted = "a command with {file} where the script's path belongs",
      .help = "run this instead of the interpreter; {file} stands for the "
              "script's path" },
    { .name = "env", .type = OPTION_LIST, RUN, AT(env), .metavar = "K=V",
      .fits = is_assignment, .wanted = "NAME=VALUE",
      .help = "set an environment variable; repeatable" },
    { .name = "fill", .type = OPTION_CHOICE, RUN, AT(fill),
      .choices = "off|nan", .otherwise = "off", .metavar = "WHAT",
      .help = "nan: fill what torch.empty, numpy.empty, cupy.empty and their "
              "like return: NaN, or the largest integer; so reads of what was "
              "never written fail each time" },
    { .name = "launch-blocking", .type = OPTION_CHOICE, RUN, AT(blocking),
      .choices = "auto|on|off", .otherwise = "auto", .metavar = "HOW",
      .help = "run with CUDA_LAUNCH_BLOCKING=1, so that an error of a kernel "
              "shows at its launch; auto: where errors of CUDA come in "
              "different places without" },
    { .name = "gpus", .type = OPTION_TEXT, RUN, AT(gpus),
      .otherwise = "all", .metavar = "WHICH", .fits = is_gpus,
      .wanted = "all, none, or numbers and UUIDs like 0,2 or GPU-8f3c21a0",
      .help = "GPUs that runs are dealt over, one each: all, numbers or UUIDs "
              "(0,2); none: left as they are and not watched" },
    { .name = "xid", .type = OPTION_LIST, RUN, AT(xid),
      .metavar = "CODE=CLASS", .fits = is_xid,
      .wanted = "an Xid and app, suspect or quarantine, like 94=app",
      .help = "what the driver's Xid CODE says: app, the program is at fault; "
              "suspect, the GPU may be; quarantine, it is; repeatable" },
    { .name = "cwd", .type = OPTION_TEXT, RUN, AT(cwd), .path = PATH_FILE,
      .metavar = "DIR", .shown = "one of the run's own",
      .help = "run in this folder" },
    { .name = "timeout", .type = OPTION_SECONDS, RUN, AT(timeout_s),
      .min = 0, .max = 86400, .otherwise = "0", .metavar = "TIME",
      .shown = "0, from the first runs",
      .help = "most time of a run, in seconds or like 90s, 10m, 2h" },
    { .name = "timeout-cap", .type = OPTION_SECONDS, RUN, AT(timeout_cap_s),
      .min = 1, .max = 86400, .otherwise = "300", .metavar = "TIME",
      .help = "most that the automatic timeout gives" },
    { .name = "memory-max", .type = OPTION_INT64, RUN, AT(memory_max_mb),
      .min = 0, .max = 1 << 24, .otherwise = "0", .metavar = "MIB",
      .help = "most resident memory of a run; 0: no limit" },
    { .name = "file-max", .type = OPTION_INT64, RUN, AT(file_max_mb),
      .min = 0, .max = 1 << 24, .otherwise = "1024", .metavar = "MIB",
      .help = "largest file of a run; 0: no limit" },
    { .name = "procs-max", .type = OPTION_INT64, RUN, AT(procs_max),
      .min = 0, .max = 1 << 20, .otherwise = "256", .metavar = "N",
      .help = "most processes of a run; 0: no limit" },
    { .name = "output-max", .type = OPTION_INT64, RUN, AT(output_max_kb),
      .min = 4, .max = 16384, .otherwise = "256", .metavar = "KIB",
      .help = "kept of each output stream, head and tail" },

    { .name = "jobs", .letter = 'j', .type = OPTION_INT, SEARCH, AT(jobs),
      .min = 1, .max = 256, .metavar = "N",
      .shown = "the cores, at most 8", .help = "runs at the same time" },
    { .name = "max-runs", .type = OPTION_INT64, SEARCH, AT(max_runs),
      .min = 0, .max = INT64_C(1000000000), .otherwise = "0",
      .metavar = "N",
      .help = "stop the search after N runs; 0: no limit" },
    { .name = "max-time", .type = OPTION_SECONDS, SEARCH, AT(max_time_s),
      .min = 0, .max = 31536000, .otherwise = "0", .metavar = "TIME",
      .help = "stop the search after so long; 0: no limit" },
    { .name = "repeat", .type = OPTION_INT, SEARCH, AT(repeat), .min = 1,
      .max = 1000, .otherwise = "3", .metavar = "N",
      .help = "runs of the final check" },
    { .name = "mutate", .type = OPTION_CHOICE, SEARCH, AT(mutate),
      .choices = "all|ints|none", .otherwise = "all", .metavar = "HOW",
      .help = "what may change of the computation itself, when nothing else "
              "goes any more: all of it, its numbers alone, or none" },
    { .name = "deterministic", .type = OPTION_BOOL, SEARCH, AT(deterministic),
      .help = "the same steps whatever the runs take; slower with -j" },
    { .name = "rename", .type = OPTION_BOOL, SEARCH, AT(rename),
      .help = "give names of one or two letters at the end" },
    { .name = "seed", .type = OPTION_INT64, SEARCH, AT(seed), .min = 0,
      .max = UINT32_MAX, .otherwise = "0", .metavar = "N",
      .help = "hash seed of the runs where PYTHONHASHSEED is not set" },

    { .name = "output", .letter = 'o', .type = OPTION_TEXT, FILES,
      AT(output), .path = PATH_FILE, .metavar = "FILE",
      .shown = "SCRIPT.min.py", .help = "where the result goes" },
    { .name = "report", .type = OPTION_LIST, FILES, AT(reports),
      .path = PATH_FILE, .metavar = "FILE", .fits = is_report,
      .wanted = "a file name that ends in .json, .html or .md",
      .help = "write a report, in the form of its ending: .json, .html, .md; "
              "repeatable" },
    { .name = "state", .type = OPTION_TEXT, FILES, AT(state),
      .path = PATH_FILE, .metavar = "FILE",
      .shown = "in $XDG_STATE_HOME/autodd-c",
      .help = "where steps and verdicts are remembered" },
    { .name = "config", .type = OPTION_TEXT, FILES, AT(config_file),
      .flag_only = true, .metavar = "FILE",
      .shown = "autodd.yaml beside SCRIPT", .help = "settings to read" },
    { .name = "no-cache", .type = OPTION_BOOL, FILES, AT(no_cache),
      .help = "neither read nor keep verdicts" },
    { .name = "force", .type = OPTION_BOOL, FILES, AT(force),
      .help = "replace an output file that is not ours; move a state file "
              "aside that cannot be read" },
    { .name = "json", .type = OPTION_BOOL, FILES, AT(json),
      .help = "events on standard output, one JSON object a line" },
    { .name = "quiet", .letter = 'q', .type = OPTION_BOOL, FILES, AT(quiet),
      .help = "no progress" },
    { .name = "verbose", .letter = 'v', .type = OPTION_COUNT, FILES,
      AT(verbose), .min = 0, .max = 3, .otherwise = "0", .shown = "",
      .help = "say more; repeatable" },
    { .name = "help", .letter = 'h', .type = OPTION_ACTION, FILES,
      .flag_only = true, .help = "this text" },
    { .name = "version", .type = OPTION_ACTION, FILES, .flag_only = true,
      .help = "name and version" },
};
/* clang-format on */

_Static_assert(ARRAY_LEN(table) <= OPTION_MAX, "raise OPTION_MAX");

const struct option *options_table(size_t *n)
{
    *n = ARRAY_LEN(table);
    return table;
}

size_t option_index(const struct option *option)
{
    return (size_t)(option - table);
}

const struct option *option_by_name(const char *name, size_t len)
{
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (strlen(table[i].name) == len &&
            memcmp(table[i].name, name, len) == 0)
            return &table[i];
    return NULL;
}

const struct option *option_by_letter(char letter)
{
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (letter && table[i].letter == letter)
            return &table[i];
    return NULL;
}

static void *field(const struct option *option, struct config *config)
{
    return (char *)config + option->at;
}

void strings_add(struct strings *list, const char *text)
{
    list->at = xreallocarray(list->at, list->n + 2, sizeof(*list->at));
    list->at[list->n++] = xstrdup(text);
    list->at[list->n] = NULL;
}

static void strings_clear(struct strings *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->at[i]);
    list->n = 0;
    if (!list->at)
        list->at = xcalloc(1, sizeof(*list->at));
    list->at[0] = NULL;
}

static void strings_free(struct strings *list)
{
    strings_clear(list);
    free(list->at);
    *list = (struct strings){ 0 };
}

/* Cores this process may use: in a container or under Slurm fewer than the
 * machine has. */
static int default_jobs(void)
{
    cpu_set_t set;
    long n = sched_getaffinity(0, sizeof(set), &set)
                 ? sysconf(_SC_NPROCESSORS_ONLN) /* more than the set holds */
                 : CPU_COUNT(&set);

    return n < 1 ? 1 : n > 8 ? 8 : (int)n;
}

void option_reset(const struct option *option, struct config *config)
{
    char **text = field(option, config);

    switch (option->type) {
    case OPTION_ACTION:
        return;
    case OPTION_BOOL:
        *(bool *)field(option, config) = false;
        return;
    case OPTION_EXPECT:
        config->expect = EXPECT_AS_ORIGINAL;
        config->expect_value = 0;
        return;
    case OPTION_TEXT:
        free(*text);
        *text = xstrdup(option->otherwise);
        return;
    case OPTION_LIST:
        strings_clear(field(option, config));
        return;
    case OPTION_COUNT:
    case OPTION_INT:
    case OPTION_INT64:
    case OPTION_SECONDS:
    case OPTION_CHOICE:
        if (option->otherwise)
            option_set(option, config, option->otherwise, "default", NULL);
        else
            config->jobs = default_jobs();
        return;
    }
}

void options_init(struct config *config)
{
    *config = (struct config){ 0 };
    strings_clear(&config->script_args);
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        option_reset(&table[i], config);
}

void options_deinit(struct config *config)
{
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        if (table[i].type == OPTION_TEXT)
            free(*(char **)field(&table[i], config));
        else if (table[i].type == OPTION_LIST)
            strings_free(field(&table[i], config));
    }
    strings_free(&config->script_args);
    free(config->script);
    *config = (struct config){ 0 };
}

/* A whole number in decimal digits, a minus allowed. */
static bool read_number(const char *text, int64_t min, int64_t max,
                        int64_t *out)
{
    char *end;

    if (!isdigit((unsigned char)text[*text == '-']))
        return false;
    errno = 0;
    long long n = strtoll(text, &end, 10);
    if (errno || *end || n < min || n > max)
        return false;
    *out = n;
    return true;
}

/* Digits with at most one point, then perhaps s, m or h: no exponent, no nan,
 * no hexadecimal, and the point whatever the locale says. */
static bool read_seconds(const char *text, const struct option *option,
                         double *out)
{
    double value = 0, place = 1;
    int digits = 0;

    for (; isdigit((unsigned char)*text); text++, digits++)
        value = value * 10 + (*text - '0');
    if (*text == '.')
        for (text++; isdigit((unsigned char)*text); text++, digits++)
            value += (*text - '0') * (place /= 10);
    double unit = *text == 'm' ? 60 : *text == 'h' ? 3600 : 1;

    if (*text == 's' || *text == 'm' || *text == 'h')
        text++;
    value *= unit;
    if (*text || digits == 0 || value < (double)option->min ||
        value > (double)option->max)
        return false;
    *out = value;
    return true;
}

static bool read_bool(const char *text, bool *out)
{
    bool yes = strcmp(text, "true") == 0 || strcmp(text, "yes") == 0;

    if (!yes && strcmp(text, "false") != 0 && strcmp(text, "no") != 0)
        return false;
    *out = yes;
    return true;
}

static bool read_choice(const char *text, const char *choices, int *out)
{
    size_t len = strlen(text);

    for (int i = 0;; i++) {
        size_t n = strcspn(choices, "|");

        if (n == len && memcmp(choices, text, n) == 0) {
            *out = i;
            return true;
        }
        if (!choices[n])
            return false;
        choices += n + 1;
    }
}

static bool read_expect(const char *text, struct config *config)
{
    int64_t code;
    int number;

    if (strcmp(text, "timeout") == 0) {
        config->expect = EXPECT_TIMEOUT;
        config->expect_value = 0;
        return true;
    }
    if (strncmp(text, "exit:", 5) == 0 &&
        read_number(text + 5, 0, 255, &code)) {
        config->expect = EXPECT_EXIT;
        config->expect_value = (int)code;
        return true;
    }
    if (strncmp(text, "signal:", 7) == 0 &&
        (number = config_signal_number(text + 7)) > 0) {
        config->expect = EXPECT_SIGNAL;
        config->expect_value = number;
        return true;
    }
    return false;
}

static bool text_fits(const struct option *option, const char *text)
{
    return *text && (!option->fits || option->fits(text));
}

/* Check and store; false leaves the field as it was. */
static bool store(const struct option *option, struct config *config,
                  const char *text)
{
    char **words = field(option, config);
    int64_t n;
    int choice;

    switch (option->type) {
    case OPTION_ACTION:
        return false;
    case OPTION_BOOL:
        return read_bool(text, field(option, config));
    case OPTION_COUNT:
    case OPTION_INT:
        if (!read_number(text, option->min, option->max, &n))
            return false;
        *(int *)field(option, config) = (int)n;
        return true;
    case OPTION_INT64:
        return read_number(text, option->min, option->max,
                           field(option, config));
    case OPTION_SECONDS:
        return read_seconds(text, option, field(option, config));
    case OPTION_TEXT:
        if (!text_fits(option, text))
            return false;
        free(*words);
        *words = xstrdup(text);
        return true;
    case OPTION_LIST:
        if (!text_fits(option, text))
            return false;
        strings_add(field(option, config), text);
        return true;
    case OPTION_CHOICE:
        if (!read_choice(text, option->choices, &choice))
            return false;
        memcpy(field(option, config), &choice, sizeof(choice));
        return true;
    case OPTION_EXPECT:
        return read_expect(text, config);
    }
    return false;
}

_Static_assert(sizeof(enum config_backend) == sizeof(int) &&
                   sizeof(enum config_children) == sizeof(int) &&
                   sizeof(enum config_tightness) == sizeof(int),
               "choices are stored as int");

/* What would have been right, for the end of a message. */
static void describe(const struct option *option, struct buf *out)
{
    long long min = option->min, max = option->max;

    switch (option->type) {
    case OPTION_ACTION:
        buf_adds(out, "no value");
        return;
    case OPTION_BOOL:
        buf_adds(out, "true, false, yes or no");
        return;
    case OPTION_COUNT:
    case OPTION_INT:
    case OPTION_INT64:
        buf_addf(out, "a whole number from %lld to %lld", min, max);
        return;
    case OPTION_SECONDS:
        buf_addf(out, "seconds from %lld to %lld, like 90, 1.5, 10m or 2h", min,
                 max);
        return;
    case OPTION_TEXT:
    case OPTION_LIST:
        buf_adds(out, option->wanted ? option->wanted : option->metavar);
        return;
    case OPTION_CHOICE:
        for (const char *c = option->choices; *c; c++) {
            if (*c != '|')
                buf_addc(out, *c);
            else
                buf_adds(out, strchr(c + 1, '|') ? ", " : " or ");
        }
        return;
    case OPTION_EXPECT:
        buf_adds(out, "exit:N (0 to 255), signal:NAME (like signal:SEGV) or "
                      "timeout");
        return;
    }
}

static int refuse(const struct option *option, const char *text,
                  const char *where, struct err *err)
{
    struct buf wanted;
    char shown[120];

    buf_init(&wanted, 256);
    describe(option, &wanted);
    if (*text)
        err_set(err, -EINVAL, "%s: '%s' does not fit; give %s", where,
                log_safe(shown, sizeof(shown), text, strlen(text)),
                buf_str(&wanted));
    else
        err_set(err, -EINVAL, "%s: is empty; give %s, or leave it out", where,
                buf_str(&wanted));
    buf_deinit(&wanted);
    return -EINVAL;
}

int option_set(const struct option *option, struct config *config,
               const char *text, const char *where, struct err *err)
{
    if (!text && option->type == OPTION_COUNT) {
        int *count = field(option, config);

        if (*count < option->max)
            ++*count;
        return 0;
    }
    if (!text)
        text = option->type == OPTION_BOOL ? "true" : "";
    return store(option, config, text) ? 0 : refuse(option, text, where, err);
}

bool option_in_effect(const struct option *option, const struct config *config)
{
    const void *at = (const char *)config + option->at;

    switch (option->type) {
    case OPTION_ACTION:
        return false;
    case OPTION_BOOL:
        return *(const bool *)at;
    case OPTION_COUNT:
    case OPTION_INT:
        return *(const int *)at != 0;
    case OPTION_INT64:
        return *(const int64_t *)at != 0;
    case OPTION_SECONDS:
        return *(const double *)at > 0;
    case OPTION_TEXT:
        return *(char *const *)at != NULL;
    case OPTION_LIST:
        return ((const struct strings *)at)->n > 0;
    case OPTION_CHOICE:
        return *(const int *)at != 0;
    case OPTION_EXPECT:
        return config->expect != EXPECT_AS_ORIGINAL;
    }
    return false;
}
