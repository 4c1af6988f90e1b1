/* --help, from the table of options: one line a flag, its text wrapped in the
 * right column, the default at its end. */
#include <stdio.h>
#include <string.h>

#include "config/options.h"

#define WIDTH 79  /* a terminal of 80 columns wraps at 80 in some cases */
#define INDENT 26 /* of the text beside the flags */

static const char usage[] =
    "Usage: autodd-c SCRIPT [options] [-- ARGS]\n"
    "       autodd-c doctor\n"
    "\n"
    "Finds a far smaller script that fails in the same way as SCRIPT.\n"
    "What stands after -- is handed to the script. doctor says what was found\n"
    "on this machine and what that enables.\n";

static const char *const titles[] = {
    [GROUP_FAILURE] = "The failure",
    [GROUP_RUN] = "A run",
    [GROUP_SEARCH] = "The search",
    [GROUP_FILES] = "Files and messages",
};

static const char ending[] =
    "\n"
    "The options are also keys of autodd.yaml beside the script and of\n"
    "$XDG_CONFIG_HOME/autodd-c/config.yaml, for example\n"
    "  err-msg: \"K shape check failed\"\n"
    "  jobs: 8\n"
    "A flag wins over autodd.yaml, and that over config.yaml.\n"
    "\n"
    "Exit codes: 0 done and verified, 1 the failure does not show, 2 usage or\n"
    "settings, 3 the machine failed, 4 done but not verified, 130 and 143\n"
    "interrupted (the best so far is written).\n"
    "\n"
    "Examples:\n"
    "  autodd-c script.py -j 8\n"
    "  autodd-c script.py --err-msg \"K shape check failed\" -o small.py\n"
    "  autodd-c train.py --expect signal:SEGV --timeout 60 -- --size 128\n";

/* The words of `text`, from column `at` on, wrapped to the right column. */
static void add_words(struct buf *out, size_t at, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, " ");

        if (at > INDENT && at + 1 + n > WIDTH) {
            buf_addf(out, "\n%*s", INDENT, "");
            at = INDENT;
        } else if (at > INDENT) {
            buf_addc(out, ' ');
            at++;
        }
        buf_add(out, text, n);
        at += n;
        text += n;
        text += strspn(text, " ");
    }
    buf_addc(out, '\n');
}

static void add_option(struct buf *out, const struct option *o)
{
    const char *value = o->shown ? o->shown : o->otherwise;
    size_t start = out->len;
    struct buf text;

    if (o->letter)
        buf_addf(out, "  -%c, --%s", o->letter, o->name);
    else
        buf_addf(out, "      --%s", o->name);
    if (o->metavar)
        buf_addf(out, " %s", o->metavar);

    size_t used = out->len - start;

    if (used + 2 > INDENT) {
        buf_addc(out, '\n');
        used = 0;
    }
    buf_addf(out, "%*s", (int)(INDENT - used), "");
    buf_init(&text, 1024);
    buf_adds(&text, o->help);
    if (o->choices)
        buf_addf(&text, ": %s", o->choices);
    if (value && *value)
        buf_addf(&text, " (default: %s)", value);
    add_words(out, INDENT, buf_str(&text));
    buf_deinit(&text);
}

void options_help(struct buf *out)
{
    size_t n;
    const struct option *table = options_table(&n);

    buf_adds(out, usage);
    for (size_t g = 0; g < ARRAY_LEN(titles); g++) {
        buf_addf(out, "\n%s:\n", titles[g]);
        for (size_t i = 0; i < n; i++)
            if (table[i].group == g)
                add_option(out, &table[i]);
    }
    buf_adds(out, ending);
}

void config_print_help(void)
{
    struct buf out;

    buf_init(&out, 64 << 10);
    options_help(&out);
    fwrite(buf_str(&out), 1, out.len, stdout);
    buf_deinit(&out);
}

void config_print_version(void)
{
    puts("autodd-c " AUTODD_VERSION);
}
