#include "minimizer/input.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/file.h"
#include "config/mem.h"
#include "grammar/freeze.h"

static int check_text(const char *path, struct bytes text, struct err *err)
{
    const char *zero = memchr(text.data, '\0', text.len);

    if (text.len == 0 || strspn(text.data, " \t\r\n\f") == text.len)
        return err_set(err, -EINVAL, "%s: is empty; give a script that fails",
                       path);
    if (zero)
        return err_set(err, -EINVAL,
                       "%s: is no Python source: zero byte at offset %zu", path,
                       (size_t)(zero - text.data));
    return 0;
}

/* "gemm.py" with "min" gives "gemm.min.py". */
static char *with_word(const char *name, const char *word)
{
    size_t len = strlen(name);
    const char *ending = "";

    if (len > 3 && strcmp(name + len - 3, ".py") == 0) {
        len -= 3;
        ending = ".py";
    }
    return xasprintf("%.*s.%s%s", (int)len, name, word, ending);
}

static char *default_output(const char *dir, const char *name)
{
    char *file = with_word(name, "min"), *path = file_join(dir, file);

    free(file);
    return path;
}

/* The folder of -o has been checked with the other options (config.c). */
static int place_output(struct input *input, const struct config *config,
                        struct err *err)
{
    char *dir, *real, *name;

    if (!config->output) {
        input->output = default_output(input->dir, input->name);
        return 0;
    }
    dir = file_dir(config->output);
    real = realpath(dir, NULL);
    free(dir);
    if (!real)
        return err_set(err, -errno, "--output: '%s': its folder is gone: %s",
                       config->output, err_name(errno));
    name = file_name(config->output);
    input->output = file_join(real, name);
    free(name);
    free(real);
    return 0;
}

/* The folder and name under which the script itself is known, links in the
 * folder resolved, a link that is the script kept (Python does the same for
 * __file__). */
static int locate(struct input *input, struct err *err)
{
    char *dir = file_dir(input->path);
    struct stat st;

    input->dir = realpath(dir, NULL);
    input->name = file_name(input->path);
    free(dir);
    if (!input->dir)
        return err_set(err, -errno, "%s: its folder cannot be found: %s",
                       input->path, err_name(errno));
    input->mode = stat(input->path, &st) ? 0644 : (int)(st.st_mode & 0777);
    return 0;
}

/* Read a script with its freeze marks: its text without those that are code,
 * and what they froze. The outputs are the caller's. */
static int read_script(const char *path, size_t *original_len, char **text,
                       size_t *len, struct span **frozen, size_t *nfrozen,
                       struct err *err)
{
    char *original = NULL;
    struct err why;
    int error = file_read(path, SCRIPT_MAX_BYTES, &original, original_len, err);

    if (!error)
        error = check_text(path, bytes_of(original, *original_len), err);
    if (!error) {
        error = freeze_read(bytes_of(original, *original_len), text, len,
                            frozen, nfrozen, &why);
        if (error)
            err_set(err, error, "%s: %.900s", path, why.text);
    }
    free(original);
    return error;
}

/* Freeze these spans as well, and bring all in order. */
static void add_frozen(struct input *input, const struct span *spans, size_t n)
{
    size_t last = 0;

    input->frozen = xreallocarray(input->frozen, input->nfrozen + n + 1,
                                  sizeof(*input->frozen));
    if (n > 0)
        memcpy(input->frozen + input->nfrozen, spans, n * sizeof(*spans));
    n += input->nfrozen;
    qsort(input->frozen, n, sizeof(*input->frozen), span_by_start);
    for (size_t i = 1; i < n; i++) {
        struct span *before = &input->frozen[last], at = input->frozen[i];

        if (at.start < before->end)
            before->end = at.end > before->end ? at.end : before->end;
        else
            input->frozen[++last] = at;
    }
    input->nfrozen = n > 0 ? last + 1 : 0;
}

static int load_good(struct input *input, const struct config *config,
                     struct err *err)
{
    char *text = NULL;
    size_t original_len, len = 0, nfrozen = 0;
    struct span *frozen = NULL;
    int error = read_script(config->good, &original_len, &text, &len, &frozen,
                            &nfrozen, err);

    if (!error)
        error = twin_init(&input->twin, bytes_of(input->text, input->len),
                          bytes_of(text, len), config->good, err);
    if (!error) {
        add_frozen(input, input->twin.frozen, input->twin.nfrozen);
        input->good_output = with_word(input->output, "good");
        if (file_same(input->good_output, config->good))
            error = err_set(err, -EINVAL,
                            "the good form of the result would be written over "
                            "%s; give another -o",
                            config->good);
    }
    free(frozen);
    free(text);
    return error;
}

int input_load(struct input *input, const struct config *config,
               struct err *err)
{
    int error;

    *input = (struct input){ .path = xstrdup(config->script) };
    error = read_script(input->path, &input->original_len, &input->text,
                        &input->len, &input->frozen, &input->nfrozen, err);
    if (!error)
        error = locate(input, err);
    if (!error)
        error = place_output(input, config, err);
    if (!error && config->good)
        error = load_good(input, config, err);
    if (!error)
        input->tree = tree_parse(bytes_of(input->text, input->len));
    if (error)
        input_deinit(input);
    return error;
}

void input_deinit(struct input *input)
{
    tree_free(input->tree);
    free(input->path);
    free(input->dir);
    free(input->name);
    twin_deinit(&input->twin);
    free(input->good_output);
    free(input->output);
    free(input->text);
    free(input->frozen);
    *input = (struct input){ 0 };
}
