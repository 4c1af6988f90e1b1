#include "minimizer/rerun.h"

#include <string.h>

static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                            "abcdefghijklmnopqrstuvwxyz0123456789_./:@%+,-";

void rerun_quote(const char *word, struct buf *out)
{
    if (*word && word[strspn(word, plain)] == '\0') {
        buf_adds(out, word);
        return;
    }
    buf_addc(out, '\'');
    for (const char *p = word; *p; p++) {
        if (*p == '\'')
            buf_adds(out, "'\\''");
        else
            buf_addc(out, *p);
    }
    buf_addc(out, '\'');
}

/* "NAME='value'": a quoted name would be no assignment. */
static void add_variable(const char *variable, struct buf *out)
{
    const char *value = strchr(variable, '=');

    if (!value)
        return;
    buf_add(out, variable, (size_t)(value + 1 - variable));
    if (value[1])
        rerun_quote(value + 1, out);
    buf_addc(out, ' ');
}

void rerun_fill(const char *command, const char *path, struct buf *out)
{
    const char *mark;

    while ((mark = strstr(command, "{file}"))) {
        buf_add(out, command, (size_t)(mark - command));
        rerun_quote(path, out);
        command = mark + strlen("{file}");
    }
    buf_adds(out, command);
}

void rerun_command(const struct job_setup *setup, unsigned aids,
                   const char *cwd, const char *path, struct buf *out)
{
    const char *slash = strrchr(path, '/');
    const char *file = !cwd && slash ? slash + 1 : path;

    if (cwd) {
        buf_adds(out, "cd ");
        rerun_quote(cwd, out);
        buf_adds(out, " && ");
    }
    for (size_t i = 0; i < setup->env.n; i++)
        add_variable(setup->env.at[i], out);
    if (aids & AID_BLOCKING)
        add_variable("CUDA_LAUNCH_BLOCKING=1", out);
    if (setup->test) {
        buf_addf(out, "%s ", setup->test);
        rerun_quote(file, out);
        return;
    }
    if (setup->command) { /* it gets no arguments */
        rerun_fill(setup->command, file, out);
        return;
    }
    if (setup->sanitizer)
        buf_addf(out, "compute-sanitizer --tool %s ", setup->sanitizer);
    rerun_quote(setup->python, out);
    buf_addc(out, ' ');
    rerun_quote(file, out);
    for (size_t i = 0; i < setup->argv.n; i++) {
        buf_addc(out, ' ');
        rerun_quote(setup->argv.at[i], out);
    }
}
