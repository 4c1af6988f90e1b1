/* Files that are no files, writes that fail half-way, folders in the way. */
#include "test/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/file.h"
#include "test/folder.h"

/* As on a file system that has no files without a name, or cannot name one. */
static bool only_named, never_named;

int __real_linkat(int from, const char *path, int to, const char *name,
                  int flags);
int __wrap_linkat(int from, const char *path, int to, const char *name,
                  int flags);

int __wrap_linkat(int from, const char *path, int to, const char *name,
                  int flags)
{
    if (never_named) {
        errno = ENOENT;
        return -1;
    }
    return __real_linkat(from, path, to, name, flags);
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

int __wrap_open(const char *path, int flags, ...)
{
    mode_t mode = 0;

    if (only_named && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    if (flags & (O_CREAT | O_TMPFILE)) {
        va_list args;

        va_start(args, flags);
        mode = va_arg(args, mode_t);
        va_end(args);
    }
    return __real_open(path, flags, mode);
}

static void assert_holds(const char *path, const char *text)
{
    char *data = NULL;
    size_t len = 0;
    struct err err;

    if (file_read(path, 1000, &data, &len, &err))
        fail_msg("%s", err.text);
    assert_int_equal(len, strlen(text));
    assert_string_equal(data, text);
    free(data);
}

static int read_code(const char *path, size_t max, struct err *err)
{
    char *data = NULL;
    size_t len = 0;
    int error = file_read(path, max, &data, &len, err);

    free(data); /* still NULL after an error */
    if (error)
        assert_non_null(strstr(err->text, path));
    return error;
}

static void a_file_is_read_whole_up_to_the_ceiling(void **state)
{
    (void)state;
    struct err err;

    assert_true(folder_put("f", "12345"));
    assert_holds("f", "12345");
    assert_int_equal(read_code("f", 5, &err), 0);
    assert_int_equal(read_code("f", 4, &err), -E2BIG);
    assert_non_null(strstr(err.text, "larger than 4 bytes"));
    assert_true(folder_put("empty", ""));
    assert_holds("empty", "");
    assert_int_equal(read_code("empty", 0, &err), 0);
}

static void a_large_file_is_read_whole(void **state)
{
    (void)state;
    size_t n = 300000, len = 0;
    char *text = malloc(n + 1), *data = NULL;

    for (size_t i = 0; i < n; i++)
        text[i] = (char)('a' + i % 23);
    text[n] = '\0';
    assert_true(folder_put("f", text));
    assert_int_equal(file_read("f", n, &data, &len, NULL), 0);
    assert_int_equal(len, n);
    assert_string_equal(data, text);
    free(text);
    free(data);
}

static void what_is_no_regular_file_is_refused_at_once(void **state)
{
    (void)state;
    struct err err;

    assert_int_equal(mkfifo("fifo", 0600), 0); /* nobody writes to it */
    assert_int_equal(read_code("fifo", 10, &err), -EINVAL);
    assert_int_equal(read_code(".", 10, &err), -EISDIR);
    assert_non_null(strstr(err.text, "give a file"));
    assert_int_equal(read_code("/dev/zero", 10, &err), -EINVAL);
    assert_int_equal(read_code("none", 10, &err), -ENOENT);
    assert_int_equal(read_code("fifo/x", 10, &err), -ENOTDIR);
}

static void reading_leaves_no_descriptor_open(void **state)
{
    (void)state;
    struct err err;
    int before = open_fds();

    assert_true(folder_put("f", "12345"));
    read_code("f", 10, &err);
    read_code("f", 1, &err);
    read_code(".", 10, &err);
    file_replace("f", "x", 1, 0600, NULL);
    file_replace("no/f", "x", 1, 0600, NULL);
    file_replace(".", "x", 1, 0600, NULL);
    assert_int_equal(open_fds(), before);
}

static void replacing_makes_or_changes_the_whole_file(void **state)
{
    (void)state;
    struct stat st;
    mode_t before = umask(077);

    assert_int_equal(file_replace("f", "one", 3, 0644, NULL), 0);
    assert_holds("f", "one");
    assert_int_equal(file_replace("f", "", 0, 0755, NULL), 0);
    umask(before);
    assert_holds("f", "");
    assert_int_equal(stat("f", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0755);
    assert_int_equal(folder_count("."), 1);
}

static void replacing_does_not_need_files_without_a_name(void **state)
{
    (void)state;
    struct err err;

    assert_true(folder_put("f", "old"));
    only_named = true;
    int error = file_replace("f", "new", 3, 0644, NULL);
    int none = file_replace("no/f", "x", 1, 0644, &err);
    only_named = false;
    never_named = true;
    error |= file_replace("f", "new", 3, 0644, NULL);
    never_named = false;
    assert_int_equal(error, 0);
    assert_int_equal(none, -ENOENT);
    assert_holds("f", "new");
    assert_int_equal(folder_count("."), 1);
}

static void replacing_takes_nobodys_name(void **state)
{
    (void)state;
    char name[32];

    assert_true(folder_put("f", "old"));
    snprintf(name, sizeof(name), "f.%06x", (unsigned)getpid() & 0xFFFFFF);
    assert_true(folder_put(name, "a user's"));
    assert_int_equal(file_replace("f", "new", 3, 0644, NULL), 0);
    assert_holds("f", "new");
    assert_holds(name, "a user's");
    assert_int_equal(folder_count("."), 2);
}

static void a_reader_keeps_the_old_bytes(void **state)
{
    (void)state;
    char text[4] = "";

    assert_true(folder_put("f", "old"));
    int fd = open("f", O_RDONLY);
    assert_int_equal(file_replace("f", "new", 3, 0644, NULL), 0);
    assert_int_equal(read(fd, text, 3), 3);
    close(fd);
    assert_string_equal(text, "old");
    assert_holds("f", "new");
}

/* A limit on file size stands for the full disk: the write is cut short, as
 * on /dev/full. */
static void a_write_that_fails_leaves_the_old_file_and_no_other(void **state)
{
    (void)state;
    struct rlimit before, small;
    struct err err;
    char text[5000];

    memset(text, 'x', sizeof(text));
    assert_true(folder_put("f", "old"));
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 4096;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int error = file_replace("f", text, sizeof(text), 0644, &err);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    assert_int_equal(error, -EFBIG);
    assert_non_null(strstr(err.text, "f: cannot be written"));
    assert_holds("f", "old");
    assert_int_equal(folder_count("."), 1);
}

static void a_missing_folder_is_an_error_with_the_path(void **state)
{
    (void)state;
    struct err err;

    assert_int_equal(file_replace("no/f", "x", 1, 0644, &err), -ENOENT);
    assert_non_null(strstr(err.text, "no/f"));
    assert_int_equal(folder_count("."), 0);
}

static void devices_and_folders_are_never_replaced(void **state)
{
    (void)state;
    struct stat st;
    struct err err;

    assert_int_equal(mkdir("d", 0700), 0);
    assert_int_equal(mkfifo("fifo", 0600), 0);
    assert_int_equal(symlink("fifo", "link"), 0);
    assert_int_equal(file_replace("d", "x", 1, 0644, &err), -EISDIR);
    assert_int_equal(file_replace("fifo", "x", 1, 0644, &err), -EINVAL);
    assert_int_equal(file_replace("link", "x", 1, 0644, &err), -EINVAL);
    assert_non_null(strstr(err.text, "no regular file"));
    assert_int_equal(lstat("fifo", &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
    assert_int_equal(folder_count("."), 3);
}

static void a_symbolic_link_stays_and_its_target_is_replaced(void **state)
{
    (void)state;
    struct stat st;

    assert_int_equal(mkdir("d", 0700), 0);
    assert_true(folder_put("d/f", "old"));
    assert_int_equal(symlink("d/f", "link"), 0);
    assert_int_equal(file_replace("link", "new", 3, 0644, NULL), 0);
    assert_int_equal(lstat("link", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_holds("d/f", "new");
    assert_int_equal(folder_count("d"), 1);
}

static void folders_are_made_with_all_above_them(void **state)
{
    (void)state;
    char path[300];

    assert_int_equal(file_mkdirs("a/b//c/", NULL), 0);
    assert_int_equal(file_mkdirs("a/b/c", NULL), 0); /* there already */
    assert_int_equal(folder_count("a/b/c"), 0);
    snprintf(path, sizeof(path), "%s/x/y", (const char *)*state);
    assert_int_equal(file_mkdirs(path, NULL), 0);
    assert_int_equal(folder_count("x"), 1);
    assert_int_equal(file_mkdirs("/", NULL), 0);
}

static void a_file_in_the_way_of_a_folder_is_an_error(void **state)
{
    (void)state;
    struct err err;

    assert_true(folder_put("f", ""));
    assert_int_equal(file_mkdirs("f/a", &err), -ENOTDIR);
    assert_int_equal(file_mkdirs("f", &err), -ENOTDIR);
    assert_non_null(strstr(err.text, "f: folder cannot be made"));
    assert_int_equal(file_mkdirs("", &err), -ENOENT);
}

static void assert_text(char *taken, const char *expected)
{
    assert_string_equal(taken, expected);
    free(taken);
}

static void paths_are_joined_and_split(void **state)
{
    (void)state;
    assert_text(file_join("a", "b"), "a/b");
    assert_text(file_join("a", "/b"), "/b");
    assert_text(file_dir("a/b.py"), "a");
    assert_text(file_dir("/b.py"), "/");
    assert_text(file_dir("b.py"), ".");
    assert_text(file_dir("a/b/c"), "a/b");
    assert_text(file_name("a/b.py"), "b.py");
    assert_text(file_name("b.py"), "b.py");
    assert_text(file_name("/b"), "b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        folder_test(a_file_is_read_whole_up_to_the_ceiling),
        folder_test(a_large_file_is_read_whole),
        folder_test(what_is_no_regular_file_is_refused_at_once),
        folder_test(reading_leaves_no_descriptor_open),
        folder_test(replacing_makes_or_changes_the_whole_file),
        folder_test(replacing_does_not_need_files_without_a_name),
        folder_test(replacing_takes_nobodys_name),
        folder_test(a_reader_keeps_the_old_bytes),
        folder_test(a_write_that_fails_leaves_the_old_file_and_no_other),
        folder_test(a_missing_folder_is_an_error_with_the_path),
        folder_test(devices_and_folders_are_never_replaced),
        folder_test(a_symbolic_link_stays_and_its_target_is_replaced),
        folder_test(folders_are_made_with_all_above_them),
        folder_test(a_file_in_the_way_of_a_folder_is_an_error),
        cmocka_unit_test(paths_are_joined_and_split),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
