/* Which lines repeat source, and which exception counts: the last one.
 *
 *   NONE --"Traceback (most recent call last):"--> FRAMES --Type: text-->
 * MESSAGE |                                              ^ | | +--another
 * header-------+
 *     +--File line, no header--> SYNTAX --SyntaxError: text--> MESSAGE
 *
 * In front of a line may stand a tag ("[rank0]: ") and, in exception groups,
 * a margin ("  | "); both are taken off first. An exception group is one
 * exception, that of its outer margin; lines among its parts belong to it but
 * not to its message.
 *
 * An exception with a text that is looked for is not given up for one without:
 * what another test of a suite, or another thread, has to say is plain output.
 * It is, for one that the exception led to, which says so above.
 *
 * The frames of a cause (`raise ... from`) count, before those of what was
 * raised from it: Triton wraps what fails in a kernel, and the kernel's lines
 * stand there alone.
 *
 * Python does not mark the end of a message, and messages have many lines,
 * blank ones too. So all that follows belongs to it until a line that begins
 * something else: another traceback, the sentence between chained ones,
 * "Exception ignored", a fatal error with its threads, a warning, a line of a
 * log (time or glog's letter first), C++'s "terminate called"; or a line whose
 * tag differs. What a script prints after it printed a traceback itself and
 * went on is thus taken for message: the same in every run of that script,
 * and a message cut short would be worse.
 *
 * Echo follows Python's own layout: below a File line, what is indented by four
 * or more, or blank. faulthandler's File lines ("line 3 in f", no comma) have
 * no source below. A warning is followed by one line of source. */
#include "worker/traceback.h"

#include <stdlib.h>
#include <string.h>

#include "config/base.h"
#include "config/mem.h"

const char *const traceback_marks[TRACEBACK_MARKS] = {
    "File \"",
    "Traceback (most recent call last):",
    "Warning: ",
    "Exception ignored ",
};

static const char cause[] =
    "The above exception was the direct cause of the following exception:";
static const char header[] = "Traceback (most recent call last):";
static const char group_header[] = "Exception Group Traceback "
                                   "(most recent call last):";

/* A line as it is looked at: what stands behind tag and margin. */
struct view {
    const char *text;
    size_t len;
    const char *tag; /* not NUL-terminated */
    size_t tag_len;
    size_t bar;    /* column of the margin's bar + 1; 0: no margin */
    char bar_char; /* '|' or '+' */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is(const struct view *v, const char *text)
{
    return v->len == strlen(text) && memcmp(v->text, text, v->len) == 0;
}

static bool starts(const struct view *v, const char *text)
{
    size_t n = strlen(text);

    return v->len >= n && memcmp(v->text, text, n) == 0;
}

static size_t indent_of(const struct view *v)
{
    size_t n = 0;

    while (n < v->len && (v->text[n] == ' ' || v->text[n] == '\t'))
        n++;
    return n;
}

static bool is_blank(const struct view *v)
{
    return indent_of(v) == v->len;
}

static size_t digits(const char *s, size_t len)
{
    size_t n = 0;

    while (n < len && is_digit(s[n]))
        n++;
    return n;
}

/* Length of "[rank0]:" or "[default12]:" at the start; 0 if there is none. */
static size_t tag_length(const char *line, size_t len)
{
    size_t n = 1;

    if (len < 5 || line[0] != '[')
        return 0;
    while (n < len && line[n] >= 'a' && line[n] <= 'z')
        n++;
    size_t number = digits(line + n, len - n);
    if (n == 1 || number == 0 || n + number + 2 > len || n + number > 24)
        return 0;
    n += number;
    if (line[n] != ']' || line[n + 1] != ':')
        return 0;
    n += 2;
    return n == len || line[n] == ' ' ? n : 0;
}

static void take_tag(struct view *v)
{
    v->tag = v->text;
    v->tag_len = tag_length(v->text, v->len);
    v->text += v->tag_len;
    v->len -= v->tag_len;
    if (v->tag_len && v->len) { /* the space behind it */
        v->text++;
        v->len--;
    }
}

/* Take "  | " or "  + " off, also "  +-+---- 1 ----". */
static void take_margin(struct view *v)
{
    size_t n = indent_of(v);

    if (n == v->len || (v->text[n] != '|' && v->text[n] != '+'))
        return;
    v->bar = n + 1;
    v->bar_char = v->text[n];
    n++;
    if (n < v->len && v->text[n] == ' ')
        n++;
    v->text += n;
    v->len -= n;
}

/* `  File "PATH", line N` with a comma or nothing behind: then source may
 * follow. *number is N if the path's last part is the script's name, else 0. */
static bool file_line(const struct view *v, const char *script,
                      uint32_t *number)
{
    static const char middle[] = "\", line ";
    size_t n = indent_of(v);
    const char *path = v->text + n + 6;
    size_t left;

    if (v->len < n + 6 || memcmp(v->text + n, "File \"", 6) != 0)
        return false;
    left = v->len - n - 6;
    const char *end = memmem(path, left, middle, sizeof(middle) - 1);
    if (!end)
        return false;
    const char *at = end + sizeof(middle) - 1;
    left -= (size_t)(at - path);
    size_t k = digits(at, left);
    if (k == 0 || k > 9 || (k < left && at[k] != ','))
        return false;

    const char *slash = memrchr(path, '/', (size_t)(end - path));
    const char *name = slash ? slash + 1 : path;
    *number = 0;
    if (strlen(script) == (size_t)(end - name) &&
        memcmp(name, script, (size_t)(end - name)) == 0)
        for (size_t i = 0; i < k; i++)
            *number = *number * 10 + (uint32_t)(at[i] - '0');
    return true;
}

/* Length of the dotted name an exception line begins with; 0 if it is none. */
static size_t type_length(const struct view *v)
{
    size_t n = 0;

    while (n < v->len && n < 512) {
        unsigned char c = (unsigned char)v->text[n];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      c == '_' || c >= 0x80;
        bool later = is_digit((char)c) || c == '.' || c == '<' || c == '>';
        if (!letter && !(later && n > 0))
            break;
        n++;
    }
    return n == v->len || v->text[n] == ':' ? n : 0;
}

static bool syntax_type(const struct view *v)
{
    return starts(v, "SyntaxError") || starts(v, "IndentationError") ||
           starts(v, "TabError");
}

/* `path:12: UserWarning: text` */
static bool is_warning(const struct view *v)
{
    static const char mark[] = "Warning: ";
    const char *at = v->text;
    size_t left = v->len;

    while ((at = memmem(at, left, mark, sizeof(mark) - 1)) != NULL) {
        const char *word = at;
        while (word > v->text && (word[-1] == '_' || is_digit(word[-1]) ||
                                  (word[-1] >= 'A' && word[-1] <= 'Z') ||
                                  (word[-1] >= 'a' && word[-1] <= 'z')))
            word--;
        size_t before = (size_t)(word - v->text);
        if (before >= 4 && memcmp(word - 2, ": ", 2) == 0) {
            size_t n = before - 2, k = n;
            while (k > 0 && is_digit(v->text[k - 1]))
                k--;
            if (k < n && k > 0 && v->text[k - 1] == ':')
                return true;
        }
        at += sizeof(mark) - 1;
        left = v->len - (size_t)(at - v->text);
    }
    return false;
}

/* "2026-11-29 22:39:56" or glog's "[W1129 22:39:56" in front. */
static bool is_log(const struct view *v)
{
    static const char *const shapes[] = { "####-##-## ##:##:##",
                                          "####-##-##T##:##:##",
                                          "L#### ##:##:##", "[L#### ##:##:##" };

    for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
        size_t n = strlen(shapes[i]), k = 0;
        for (; k < n && k < v->len; k++) {
            char want = shapes[i][k], c = v->text[k];
            if (want == '#'   ? !is_digit(c)
                : want == 'L' ? !strchr("IWEF", c) || c == '\0'
                              : c != want)
                break;
        }
        if (k == n)
            return true;
    }
    return false;
}

/* The sentence between an exception and one that it led to. */
static bool is_chain(const struct traceback *tb, const struct view *v)
{
    return tb->blank &&
           (is(v, "During handling of the above exception, another exception "
                  "occurred:") ||
            is(v, cause));
}

/* Whether this line begins something that is no part of a message. */
static bool ends_message(const struct traceback *tb, const struct view *v)
{
    static const char *const others[] = {
        "Exception ignored ", "Fatal Python error: ", "Current thread 0x",
        "Thread 0x",          "terminate called ",
    };

    if (is_chain(tb, v))
        return true;
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (starts(v, others[i]))
            return true;
    return is_warning(v) || is_log(v);
}

void traceback_init(struct traceback *tb, const char *script, bool raises)
{
    *tb = (struct traceback){ .script = script, .raises = raises };
    buf_init(&tb->message, TRACEBACK_MESSAGE_MAX);
    buf_init(&tb->seen, TRACEBACK_MESSAGE_MAX + 1024);
}

void traceback_deinit(struct traceback *tb)
{
    free(tb->type);
    buf_deinit(&tb->message);
    buf_deinit(&tb->seen);
}

bool traceback_idle(const struct traceback *tb)
{
    return tb->state == TRACEBACK_NONE && !tb->echo && !tb->warned &&
           !tb->ignored && tb->margin == 0;
}

static void enter(struct traceback *tb, enum traceback_state state)
{
    tb->state = state;
    tb->echo = false;
    if (state == TRACEBACK_NONE) {
        tb->margin = 0;
        tb->inside = false;
        tb->tag[0] = '\0';
    }
}

/* Append what fits; a message that is longer is cut. */
static void add_cut(struct buf *buf, const char *text, size_t len)
{
    size_t room = buf->max - buf->len;

    buf_add(buf, text, len < room ? len : room);
}

static void keep_message(struct traceback *tb, const struct view *v, bool echo)
{
    add_cut(&tb->message, "\n", 1);
    add_cut(&tb->message, v->text, v->len);
    if (echo)
        return;
    add_cut(&tb->seen, "\n", 1);
    add_cut(&tb->seen, v->text, v->len);
}

/* Whether the exception found has a text that is looked for, and what comes
 * now neither has one nor follows from it. */
static bool is_beside(const struct traceback *tb, const struct view *v)
{
    return tb->found && tb->asked && !tb->chained &&
           tb->asked(tb->arg, tb->seen.data, tb->seen.len) &&
           !tb->asked(tb->arg, v->text, v->len);
}

/* Those of the cause that there is room for, the innermost, and then its own.
 */
static void keep_frames(struct traceback *tb)
{
    size_t room = TRACEBACK_FRAMES_MAX - tb->nframes;
    size_t n = !tb->caused ? 0 : tb->nfound < room ? tb->nfound : room;

    memmove(tb->found_frames, tb->found_frames + (tb->nfound - n),
            n * sizeof(*tb->frames));
    memcpy(tb->found_frames + n, tb->frames, tb->nframes * sizeof(*tb->frames));
    tb->nfound = n + tb->nframes;
    tb->caused = false;
}

static enum line_kind raise_exception(struct traceback *tb,
                                      const struct view *v, size_t type_len)
{
    bool beside = tb->raises && !tb->ignored && is_beside(tb, v);

    tb->later = tb->later || beside;
    tb->chained = false;
    if (!tb->raises || tb->ignored || beside) {
        tb->ignored = false;
        enter(tb, tb->margin ? TRACEBACK_PASSED : TRACEBACK_NONE);
        return LINE_PLAIN;
    }
    size_t skip = type_len;
    if (skip < v->len) /* the colon, and the space behind it */
        skip += skip + 1 < v->len && v->text[skip + 1] == ' ' ? 2 : 1;
    free(tb->type);
    tb->type = xmemdup(v->text, type_len);
    buf_clear(&tb->message);
    buf_clear(&tb->seen);
    add_cut(&tb->message, v->text + skip, v->len - skip);
    add_cut(&tb->seen, v->text, v->len);
    tb->found = true;
    tb->later = false;
    keep_frames(tb);
    enter(tb, TRACEBACK_MESSAGE);
    return LINE_RAISED;
}

/* A traceback begins, whatever was before. */
static void begin(struct traceback *tb, const struct view *v,
                  enum traceback_state state)
{
    enter(tb, TRACEBACK_NONE);
    enter(tb, state);
    memcpy(tb->tag, v->tag, v->tag_len); /* tag_length() has a ceiling */
    tb->tag[v->tag_len] = '\0';
    tb->margin = v->bar;
    tb->nframes = 0;
}

/* One more frame of the script. Of very many the first half and the last of
 * the second are kept: the innermost is always there. */
static void add_frame(struct traceback *tb, uint32_t number)
{
    const size_t half = TRACEBACK_FRAMES_MAX / 2;

    if (tb->nframes == TRACEBACK_FRAMES_MAX) {
        memmove(tb->frames + half, tb->frames + half + 1,
                (half - 1) * sizeof(*tb->frames));
        tb->nframes--;
    }
    tb->frames[tb->nframes++] = number;
}

/* Is the line echo, by what came before and by itself? Keeps tb->echo. */
static bool echoes(struct traceback *tb, const struct view *v, bool file)
{
    if (file) {
        tb->echo = true;
        return false;
    }
    if (tb->echo && (is_blank(v) || indent_of(v) >= 4))
        return true;
    tb->echo = false;
    return false;
}

static enum line_kind outside(struct traceback *tb, const struct view *v,
                              bool file, uint32_t number)
{
    if (file) {
        begin(tb, v, TRACEBACK_SYNTAX);
        tb->echo = true;
        if (number)
            add_frame(tb, number);
    } else if (!is_blank(v)) {
        tb->ignored = starts(v, "Exception ignored ");
        tb->caused = is(v, cause);
    }
    return LINE_PLAIN;
}

static enum line_kind in_frames(struct traceback *tb, const struct view *v)
{
    if (is_blank(v) || v->text[0] == ' ' || v->text[0] == '\t')
        return LINE_PLAIN;
    size_t n = type_length(v);
    if (n > 0 && (tb->state == TRACEBACK_FRAMES || syntax_type(v)))
        return raise_exception(tb, v, n);
    enter(tb, TRACEBACK_NONE);
    return outside(tb, v, false, 0);
}

/* A line among the parts of a group. */
static enum line_kind in_group(struct traceback *tb, const struct view *v,
                               bool echo)
{
    bool rule = v->bar_char == '+';

    if (rule)
        tb->echo = false;
    if (echo && !rule)
        return LINE_ECHO;
    return tb->state == TRACEBACK_MESSAGE ? LINE_MESSAGE : LINE_PLAIN;
}

static enum line_kind in_message(struct traceback *tb, const struct view *v,
                                 bool echo)
{
    if (!echo && ends_message(tb, v)) {
        tb->chained = is_chain(tb, v);
        enter(tb, TRACEBACK_NONE);
        return outside(tb, v, false, 0);
    }
    keep_message(tb, v, echo);
    return echo ? LINE_ECHO : LINE_MESSAGE;
}

/* What the line is, by the state, when it begins no traceback. */
static enum line_kind classify(struct traceback *tb, const struct view *v)
{
    uint32_t number = 0;
    bool file = file_line(v, tb->script, &number);
    bool echo = echoes(tb, v, file);

    if (tb->inside)
        return in_group(tb, v, echo);
    if (file && number && tb->state != TRACEBACK_MESSAGE)
        add_frame(tb, number);
    switch (tb->state) {
    case TRACEBACK_NONE:
        return outside(tb, v, file, number);
    case TRACEBACK_FRAMES:
    case TRACEBACK_SYNTAX:
        if (echo)
            return LINE_ECHO;
        return file ? LINE_PLAIN : in_frames(tb, v);
    case TRACEBACK_MESSAGE:
        return in_message(tb, v, echo);
    case TRACEBACK_PASSED:
        return echo ? LINE_ECHO : LINE_PLAIN;
    }
    return LINE_PLAIN;
}

/* Take off the margin of the group we are in, and notice its parts and its
 * end: a line without margin. */
static void follow_group(struct traceback *tb, struct view *v)
{
    struct view bare = *v;

    take_margin(&bare);
    if (bare.bar == 0) {
        enter(tb, TRACEBACK_NONE);
        return;
    }
    *v = bare;
    if (bare.bar > tb->margin || bare.bar_char == '+')
        tb->inside = true;
}

static enum line_kind look(struct traceback *tb, struct view *v)
{
    struct view bare;

    take_tag(v);
    bare = *v;
    take_margin(&bare);
    if (is(v, header)) {
        begin(tb, v, TRACEBACK_FRAMES);
        return LINE_PLAIN;
    }
    if (bare.bar && is(&bare, group_header) &&
        (tb->margin == 0 || bare.bar <= tb->margin)) {
        begin(tb, &bare, TRACEBACK_FRAMES);
        return LINE_PLAIN;
    }
    if (tb->state != TRACEBACK_NONE &&
        (strlen(tb->tag) != v->tag_len ||
         memcmp(tb->tag, v->tag, v->tag_len) != 0))
        enter(tb, TRACEBACK_NONE); /* another process speaks */
    if (tb->margin)
        follow_group(tb, v);
    return classify(tb, v);
}

enum line_kind traceback_line(struct traceback *tb, const char *line,
                              size_t len)
{
    struct view v = { .text = line, .len = len };
    bool warned = tb->warned;

    tb->warned = false;
    if (warned && len >= 2 && line[0] == ' ' && line[1] == ' ') {
        tb->blank = false;
        return LINE_ECHO;
    }
    enum line_kind kind = look(tb, &v);
    if (kind == LINE_PLAIN)
        tb->warned = is_warning(&v);
    tb->blank = is_blank(&v);
    return kind;
}
