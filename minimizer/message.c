#include "minimizer/message.h"

#include <ctype.h>
#include <string.h>

static size_t skip_digits(struct bytes line, size_t i)
{
    while (i < line.len && isdigit((unsigned char)line.data[i]))
        i++;
    return i;
}

static size_t skip_blanks(struct bytes line, size_t i)
{
    while (i < line.len && isspace((unsigned char)line.data[i]))
        i++;
    return i;
}

/* "at 4:8:", Triton's head of a dump. */
static bool is_dump_head(struct bytes line)
{
    if (line.len < 6 || memcmp(line.data, "at ", 3) != 0)
        return false;
    size_t i = skip_digits(line, 3);
    if (i == 3 || i >= line.len || line.data[i] != ':')
        return false;
    size_t k = skip_digits(line, i + 1);
    return k > i + 1 && k + 1 == line.len && line.data[k] == ':';
}

static bool is_caret(struct bytes line)
{
    size_t i = skip_blanks(line, 0);

    if (i >= line.len)
        return false;
    while (i < line.len && (line.data[i] == '^' || line.data[i] == '~'))
        i++;
    return skip_blanks(line, i) == line.len;
}

static bool is_margin(struct bytes line)
{
    size_t i = skip_blanks(line, 0);

    if (i > 0 && line.len - i > 4 && memcmp(line.data + i, "--> ", 4) == 0)
        return true;
    i = skip_blanks(line, skip_digits(line, i));
    return i > 0 && i < line.len && line.data[i] == '|';
}

bool message_next(struct message_lines *lines, struct bytes *line)
{
    while (*lines->rest) {
        *line = bytes_of(lines->rest, strcspn(lines->rest, "\n"));
        lines->rest += line->len;
        if (*lines->rest)
            lines->rest++;
        if (is_dump_head(*line)) {
            lines->in_dump = true;
        } else if (lines->in_dump) {
            lines->in_dump = !is_caret(*line);
        } else if (skip_blanks(*line, 0) < line->len && !is_margin(*line) &&
                   !is_caret(*line)) {
            return true;
        }
    }
    return false;
}

struct bytes message_headline(const char *message)
{
    struct message_lines lines = { message, false };
    struct bytes line;

    return message_next(&lines, &line) ? line : bytes_of("", 0);
}

bool message_says(const char *message, const char *text)
{
    struct message_lines lines = { message, false };
    struct bytes line;

    while (message_next(&lines, &line)) {
        if (memmem(line.data, line.len, text, strlen(text)))
            return true;
    }
    return false;
}
