#include "minimizer/report/report.h"

#include <errno.h>
#include <string.h>

#include "config/file.h"

#define REPORT_MAX ((size_t)256 << 20)

const char *report_status_name(enum report_status status)
{
    switch (status) {
    case REPORT_VERIFIED:
        return "verified";
    case REPORT_UNVERIFIED:
        return "unverified";
    case REPORT_NOT_REPRODUCED:
        return "not-reproduced";
    case REPORT_ENVIRONMENT:
        return "environment";
    case REPORT_INTERRUPTED:
        return "interrupted";
    }
    return "";
}

const char *report_status_words(enum report_status status)
{
    switch (status) {
    case REPORT_VERIFIED:
        return "Minimized, and it fails again";
    case REPORT_UNVERIFIED:
        return "The final check failed; the last step that holds was put back";
    case REPORT_NOT_REPRODUCED:
        return "The script does not show the failure";
    case REPORT_ENVIRONMENT:
        return "The machine failed";
    case REPORT_INTERRUPTED:
        return "Interrupted";
    }
    return "";
}

size_t report_mutation_began(const struct report *report)
{
    size_t i = 0;

    while (i < report->nsteps && !report->steps[i].mutated)
        i++;
    return i;
}

uint64_t report_lines(struct bytes text)
{
    uint64_t n = 0;

    for (size_t i = 0; i < text.len; i++)
        n += text.data[i] == '\n';
    return n + (text.len > 0 && text.data[text.len - 1] != '\n');
}

const char *report_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

struct form {
    const char *end;
    int (*append)(const struct report *report, struct buf *out);
};

static const struct form *form_of(const char *path)
{
    static const struct form forms[] = {
        { ".json", report_json },
        { ".html", report_html },
        { ".md", report_markdown },
    };
    size_t len = strlen(path);

    for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
        size_t n = strlen(forms[i].end);

        if (len > n && strcmp(path + len - n, forms[i].end) == 0)
            return &forms[i];
    }
    return NULL;
}

int report_write(const struct report *report, const char *path, struct err *err)
{
    const struct form *form = form_of(path);
    struct buf text;

    if (!form)
        return err_set(err, -EINVAL,
                       "%s: give a report a name that ends in .json, .html "
                       "or .md",
                       path);
    buf_init(&text, REPORT_MAX);
    int error = form->append(report, &text);
    if (error)
        err_set(err, error, "%s: the report is larger than %zu MiB", path,
                REPORT_MAX >> 20);
    else
        error = file_replace(path, buf_str(&text), text.len, 0644, err);
    buf_deinit(&text);
    return error;
}
