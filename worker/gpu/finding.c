/* Lines of the log begin with "========= ". One that goes on without a blank
 * begins an error or some talk; the indented ones after it say where:
 *
 *   ========= Invalid __global__ write of size 4 bytes
 *   =========     at store(float *)+0x70 in k.py:12        or
 *   =========     at 0x70 in k.py:12:store(float *)        as of old
 *   =========     by thread (0,0,0) in block (0,0,0)
 *   ========= Error: Race reported between Write access at f(int *)+0x90
 *
 * An error without a kernel is one of a call to the API, which follows from
 * another or is no fault of a kernel. */
#include "worker/gpu/finding.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "config/buf.h"
#include "config/file.h"
#include "config/mem.h"

#define LOG_MAX (16u << 20)
#define WORDS_MAX 1024
#define MARK "========= "

void finding_argv(const char **argv, const char *program, const char *tool,
                  const char *log_file)
{
    const char *const words[FINDING_ARGS] = {
        program,  "--tool",
        tool,     "--log-file",
        log_file, "--error-exitcode",
        "86",     "--print-limit",
        "20",     "--target-processes",
        "all",    "--require-cuda-init=no",
    };

    memcpy(argv, words, sizeof(words));
}

/* The line at *at without its mark; false at the end. Lines without one (of the
 * program, should it write there) are passed over. */
static bool next_line(const char **at, const char *end, struct buf *line)
{
    while (*at < end) {
        const char *start = *at;
        size_t len = strcspn(start, "\n"), mark = strlen(MARK);

        *at = start + len + (start + len < end);
        if (len <= mark || strncmp(start, MARK, mark) != 0)
            continue;
        buf_clear(line);
        buf_add(line, start + mark,
                len - mark < WORDS_MAX ? len - mark : WORDS_MAX);
        return true;
    }
    return false;
}

/* Text that begins a line, but no error. */
static bool is_talk(const char *line)
{
    static const char *const talk[] = {
        "COMPUTE-SANITIZER", "ERROR SUMMARY",  "RACECHECK SUMMARY",
        "LEAK SUMMARY",      "Program hit",    "Target application",
        "Warning",           "Error: process", "Error: No attachable",
    };

    for (size_t i = 0; i < sizeof(talk) / sizeof(talk[0]); i++)
        if (strncmp(line, talk[i], strlen(talk[i])) == 0)
            return true;
    return false;
}

/* The kernel in what follows "at " or "in "; false: there is none. */
static bool add_kernel(const char *text, struct buf *out)
{
    size_t len;

    if (strncmp(text, "0x", 2) == 0) { /* "0x70 in k.py:12:store(float *)" */
        text = strstr(text, " in ");
        if (!text)
            return false;
        text += 4;
        len = strcspn(text, "(");
        for (size_t i = len; i > 0; i--) {
            if (text[i - 1] != ':' || (i > 1 && text[i - 2] == ':'))
                continue;
            if (i < len && text[i] == ':')
                continue;
            text += i;
            break;
        }
    } else if (!strstr(text, "+0x")) {
        return false;
    }
    len = strcspn(text, "(");
    for (size_t i = 0; i < len; i++)
        if (strncmp(text + i, "+0x", 3) == 0)
            len = i;
    while (len > 0 && isspace((unsigned char)text[len - 1]))
        len--;
    buf_add(out, text, len);
    return len > 0;
}

/* Where the kind ends: before sizes and places. */
static size_t kind_len(const char *text)
{
    static const char *const ends[] = { " of size", " at 0x", " at ",
                                        " in block", " 0x" };
    size_t len = strlen(text);

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        const char *end = strstr(text, ends[i]);

        /* "detected at __shared__" says what, not where. */
        if (end && strncmp(end, " at __", 6) == 0)
            continue;
        if (end && (size_t)(end - text) < len)
            len = (size_t)(end - text);
    }
    while (len > 0 && (text[len - 1] == '.' || text[len - 1] == ' '))
        len--;
    return len;
}

/* A line that may say where: "    at PLACE", "    Write Thread ... at PLACE".
 */
static bool add_place(const char *line, struct buf *out)
{
    const char *at = strncmp(line, "at ", 3) == 0 ? line : strstr(line, " at ");

    for (; at; at = strstr(at + 1, " at "))
        if (add_kernel(at + (*at == ' ' ? 4 : 3), out))
            return true;
    return false;
}

enum finding finding_read(const char *log, size_t len, char **words)
{
    const char *at = log, *end = log + len;
    struct buf line, kind, kernel;
    bool whole = false, found = false;

    buf_init(&line, WORDS_MAX);
    buf_init(&kind, WORDS_MAX);
    buf_init(&kernel, WORDS_MAX);
    *words = NULL;
    while (!found && next_line(&at, end, &line)) {
        const char *text = buf_str(&line);

        whole = whole || strncmp(text, "COMPUTE-SANITIZER", 17) == 0;
        if (*text != ' ') {
            buf_clear(&kind);
            if (is_talk(text))
                continue;
            if (strncmp(text, "Error: ", 7) == 0)
                text += 7;
            buf_add(&kind, text, kind_len(text));
        }
        text += strspn(text, " ");
        found = kind.len > 0 && add_place(text, &kernel);
    }
    if (found)
        *words = xasprintf("%s in %s", buf_str(&kind), buf_str(&kernel));
    else if (!whole)
        *words = xstrdup("compute-sanitizer wrote no log");
    else if (strstr(log, "No attachable process"))
        *words = xstrdup("compute-sanitizer could not attach");
    buf_deinit(&line);
    buf_deinit(&kind);
    buf_deinit(&kernel);
    return found ? FINDING_ERROR : *words ? FINDING_NO_LOG : FINDING_NONE;
}

enum finding finding_read_file(const char *path, char **words)
{
    enum finding finding;
    char *log = NULL;
    size_t len = 0;

    if (file_read(path, LOG_MAX, &log, &len, NULL)) {
        *words = xstrdup("compute-sanitizer wrote no log that can be read");
        return FINDING_NO_LOG;
    }
    finding = finding_read(log, len, words);
    free(log);
    return finding;
}
