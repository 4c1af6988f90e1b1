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

/* "dir/gemm.py" gives "dir/gemm.min.py". */
static char *default_output(const char *dir, const char *name)
{
    size_t len = strlen(name);
    const char *ending = "";
    char *file, *path;

    if (len > 3 && strcmp(name + len - 3, ".py") == 0) {
        len -= 3;
        ending = ".py";
    }
    file = xasprintf("%.*s.min%s", (int)len, name, ending);
    path = file_join(dir, file);
    free(file);
    return path;
}

static int place_output(struct input *input, const struct config *config,
                        struct err *err)
{
    if (!config->output) {
        input->output = default_output(input->dir, input->name);
        return 0;
    }
    char *dir = file_dir(config->output);
    char *real = realpath(dir, NULL);
    struct stat st;
    int error = 0;

    if (!real || stat(real, &st) || !S_ISDIR(st.st_mode)) {
        error = err_set(err, -ENOENT,
                        "-o %s: the folder %s does not exist; make it first",
                        config->output, dir);
    } else if (access(real, W_OK | X_OK)) {
        error =
            err_set(err, -EACCES, "-o %s: the folder %s may not be written to",
                    config->output, dir);
    } else {
        char *name = file_name(config->output);

        input->output = file_join(real, name);
        free(name);
        if (stat(input->output, &st) == 0 && S_ISDIR(st.st_mode))
            error = err_set(err, -EISDIR, "-o %s: is a folder; give a file",
                            config->output);
    }
    free(real);
    free(dir);
    return error;
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

int input_load(struct input *input, const struct config *config,
               struct err *err)
{
    char *original = NULL;
    int error;

    *input = (struct input){ .path = xstrdup(config->script) };
    error = file_read(input->path, SCRIPT_MAX_BYTES, &original,
                      &input->original_len, err);
    if (!error)
        error = check_text(input->path, bytes_of(original, input->original_len),
                           err);
    if (!error)
        error = locate(input, err);
    if (!error)
        error = place_output(input, config, err);
    if (!error) {
        struct err why;

        error =
            freeze_read(bytes_of(original, input->original_len), &input->text,
                        &input->len, &input->frozen, &input->nfrozen, &why);
        if (error)
            err_set(err, error, "%s: %.900s", input->path, why.text);
    }
    if (!error)
        input->tree = tree_parse(bytes_of(input->text, input->len));
    free(original);
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
    free(input->output);
    free(input->text);
    free(input->frozen);
    *input = (struct input){ 0 };
}
