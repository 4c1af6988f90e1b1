/* options.h - the one table of all options, and what is made from it: look-up
 * by flag and YAML key, checks, defaults, the text of --help. Seen by config.c
 * and the tests only; the rest of the program reads struct config.
 *
 * To add an option: a field in struct config and a row in options.c. */
#ifndef AUTODD_OPTIONS_H
#define AUTODD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/buf.h"
#include "config/config.h"
#include "config/err.h"

/* What a value is, and with it the type of the field in struct config. */
enum option_type {
    OPTION_ACTION,  /* --help: no field, no value */
    OPTION_BOOL,    /* bool; as a flag the value may be left out */
    OPTION_COUNT,   /* int; each flag without a value adds one */
    OPTION_INT,     /* int, min to max */
    OPTION_INT64,   /* int64_t, min to max */
    OPTION_SECONDS, /* double, min to max; 1.5, 90s, 10m, 2h */
    OPTION_TEXT,    /* char *, not empty */
    OPTION_LIST,    /* struct strings, each not empty */
    OPTION_CHOICE,  /* enum counting from 0 in the order of `choices` */
    OPTION_EXPECT   /* enum config_expect, and config->expect_value */
};

/* A relative path in a YAML file counts from that file's folder. */
enum option_path {
    PATH_NONE,
    PATH_FILE,
    PATH_PROGRAM, /* only with a slash: else it is looked for in PATH */
    PATH_PART     /* of --pass-with: as its kind wants */
};

enum option_group { GROUP_FAILURE, GROUP_RUN, GROUP_SEARCH, GROUP_FILES };

struct option {
    const char *name; /* flag without "--", and YAML key */
    char letter;      /* short flag, or 0 */
    enum option_type type;
    enum option_group group;
    enum option_path path;
    bool flag_only;        /* no YAML key */
    size_t at;             /* offset in struct config */
    int64_t min, max;      /* of numbers */
    const char *choices;   /* "one|two|three" */
    const char *otherwise; /* default, as a user would write it; or NULL */
    const char *shown;     /* default in words for --help, else `otherwise` */
    const char *metavar;   /* NULL: takes no value */
    const char *help;
    bool (*fits)(const char *text); /* further check of a text, or NULL */
    const char *wanted;             /* "give ..." when it does not fit */
};

#define OPTION_MAX 64 /* no more rows than this */

/* The table, and the place of a row in it. */
const struct option *options_table(size_t *n);
size_t option_index(const struct option *option);

/* A row by name (`len` bytes) or short flag; NULL if there is none. */
const struct option *option_by_name(const char *name, size_t len);
const struct option *option_by_letter(char letter);

/* The name that was probably meant (static), or NULL when none is near. */
const char *option_nearest(const char *name, size_t len);

/* Every field its default; lists are empty and never NULL. */
void options_init(struct config *config);
void options_deinit(struct config *config);

/* Append a copy of `text`. */
void strings_add(struct strings *list, const char *text);

/* Back to the default. */
void option_reset(const struct option *option, struct config *config);

/* Check `text` (copied) and store it: a list gets one more, anything else is
 * replaced. NULL is a flag without a value. `where` ("--jobs",
 * "FILE:3:7: jobs") begins the sentence in err. 0 or -EINVAL. */
int option_set(const struct option *option, struct config *config,
               const char *text, const char *where, struct err *err);

/* Whether the field holds more than "off" or "nothing". */
bool option_in_effect(const struct option *option, const struct config *config);

/* Append the text of --help: lines of at most 79 characters. */
void options_help(struct buf *out);

#endif
