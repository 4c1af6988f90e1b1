/* Folders of runs, and deleting what runs make of them. write() is wrapped
 * (see the Makefile) to have a full disk on demand. */
#include "test/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/file.h"
#include "config/mem.h"
#include "worker/scratch.h"
#include "worker/tree.h"

static int writes_left = -1; /* -1: no limit */

ssize_t __real_write(int fd, const void *data, size_t len);
ssize_t __wrap_write(int fd, const void *data, size_t len);
ssize_t __wrap_write(int fd, const void *data, size_t len)
{
    if (writes_left == 0) {
        errno = ENOSPC;
        return -1;
    }
    writes_left -= writes_left > 0;
    return __real_write(fd, data, len);
}

static char *base; /* a folder of this test's own; TMPDIR while it runs */

static int set_up(void **state)
{
    (void)state;
    base = xstrdup("/tmp/test_scratch.XXXXXX");
    assert_non_null(mkdtemp(base));
    setenv("TMPDIR", base, 1);
    return 0;
}

static int tear_down(void **state)
{
    char *left = base;
    (void)state;

    base = NULL;
    int error = tree_remove(left);
    free(left);
    return error;
}

static char *path_in(const char *dir, const char *name)
{
    return file_join(dir, name);
}

static void put(const char *dir, const char *name, const char *text)
{
    char *path = path_in(dir, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    free(path);
}

static char *make_dir(const char *dir, const char *name)
{
    char *path = path_in(dir, name);

    assert_int_equal(mkdir(path, 0755), 0);
    return path;
}

static mode_t kind(const char *dir, const char *name)
{
    char *path = path_in(dir, name);
    struct stat st;
    mode_t mode = lstat(path, &st) ? 0 : st.st_mode & S_IFMT;

    free(path);
    return mode;
}

static size_t entries(const char *path)
{
    DIR *dir = opendir(path);
    size_t n = 0;

    if (!dir)
        return 0;
    while (readdir(dir))
        n++;
    closedir(dir);
    return n - 2;
}

static void assert_file(const char *dir, const char *name, const char *text)
{
    char *path = path_in(dir, name), *data;
    size_t len;

    assert_int_equal(file_read(path, 1 << 20, &data, &len, NULL), 0);
    assert_string_equal(data, text);
    free(data);
    free(path);
}

static void a_run_sees_what_lies_beside_the_script(void **state)
{
    char *source = make_dir(base, "source");
    char *names[] = { (char *)(uintptr_t) "result.py", NULL };
    struct strings hide = { names, 1 };
    struct scratch_run run;
    struct err err;
    char *root;
    (void)state;

    put(source, "k.py", "original");
    put(source, "sibling.py", "x = 1");
    put(source, "result.py", "ours");
    free(make_dir(source, "package"));
    free(make_dir(source, "__pycache__"));
    free(make_dir(source, ".git"));
    char *big = xcalloc(300 << 10, 1);
    memset(big, 'b', (300 << 10) - 1);
    put(source, "weights.bin", big);
    free(big);

    assert_int_equal(scratch_open("m/ark", &root, &err), 0);
    assert_int_equal(scratch_lay(root, 7, source, "k.py", &hide,
                                 bytes_of("cand", 4), &run, &err),
                     0);
    assert_file(run.dir, "k.py", "cand");
    assert_file(run.dir, "sibling.py", "x = 1");
    assert_int_equal(kind(run.dir, "sibling.py"), S_IFREG);
    assert_int_equal(kind(run.dir, "package"), S_IFLNK);
    assert_int_equal(kind(run.dir, "weights.bin"), S_IFLNK);
    assert_int_equal(entries(run.dir), 4);
    assert_int_equal(entries(run.tmp), 0);

    put(run.dir, "sibling.py", "overwritten");
    assert_file(source, "sibling.py", "x = 1");
    assert_file(source, "k.py", "original");
    scratch_drop(&run);
    assert_null(run.dir);
    assert_int_equal(entries(root), 1); /* its owner */
    assert_int_equal(kind(source, "package"), S_IFDIR);
    scratch_close(root);
    assert_int_equal(kind(root, "."), 0);
    free(root);
    free(source);
}

static void copies_end_where_there_is_too_much(void **state)
{
    char *source = make_dir(base, "source"), name[32], *root;
    struct scratch_run run;
    struct err err;
    size_t copied = 0;
    (void)state;

    for (int i = 0; i < 600; i++) {
        snprintf(name, sizeof(name), "data-%d", i);
        put(source, name, "1");
    }
    assert_int_equal(scratch_open("m", &root, &err), 0);
    assert_int_equal(
        scratch_lay(root, 1, source, "k.py", NULL, bytes_of("", 0), &run, &err),
        0);
    for (int i = 0; i < 600; i++) {
        snprintf(name, sizeof(name), "data-%d", i);
        copied += kind(run.dir, name) == S_IFREG;
    }
    assert_int_equal(copied, 500);
    assert_int_equal(entries(run.dir), 601);
    scratch_drop(&run);
    scratch_close(root);
    free(root);
    free(source);
}

static void a_full_disk_is_an_error_that_leaves_nothing(void **state)
{
    char *source = make_dir(base, "source"), *root;
    struct scratch_run run;
    struct err err;
    int n = 0, error;
    (void)state;

    put(source, "sibling.py", "x = 1");
    assert_int_equal(scratch_open("m", &root, &err), 0);
    do { /* the nth write fails, until there is none left to fail */
        writes_left = n++;
        error = scratch_lay(root, 1, source, "k.py", NULL, bytes_of("c", 1),
                            &run, &err);
        writes_left = -1;
        if (error) {
            assert_int_equal(error, -ENOSPC);
            assert_null(run.dir);
            assert_non_null(strstr(err.text, root));
            assert_non_null(strstr(err.text, "No space left"));
            assert_non_null(strstr(err.text, "set TMPDIR"));
            assert_int_equal(entries(root), 1);
        }
    } while (error);
    assert_int_equal(n, 3); /* the script, its sibling, and one without fault */
    scratch_drop(&run);
    scratch_close(root);
    free(root);

    writes_left = 0;
    assert_int_equal(scratch_open("m", &root, &err), -ENOSPC);
    writes_left = -1;
    assert_null(root);
    assert_int_equal(entries(base), 1);
    free(source);
}

static void a_tmpdir_that_is_missing_is_named(void **state)
{
    struct err err;
    char *root;
    (void)state;

    setenv("TMPDIR", "/no/such/folder", 1);
    assert_int_equal(scratch_open("m", &root, &err), -ENOENT);
    assert_non_null(strstr(err.text, "/no/such/folder"));
    assert_non_null(strstr(err.text, "set TMPDIR"));
}

/* A folder with `depth` folders in each other. */
static void dig(const char *dir, int depth)
{
    int at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    for (int i = 0; i < depth; i++) {
        assert_int_equal(mkdirat(at, "d", 0755), 0);
        int below = openat(at, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(at);
        at = below;
        close(openat(at, "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0400));
    }
    close(at);
}

static void very_deep_trees_go(void **state)
{
    char *tree = make_dir(base, "tree");
    (void)state;

    dig(tree, 5000);
    scratch_remove_tree(tree);
    assert_int_equal(kind(base, "tree"), 0);
    free(tree);
}

static void folders_without_permissions_go(void **state)
{
    char *tree = make_dir(base, "tree");
    char *a = make_dir(tree, "a"), *b = make_dir(a, "b");
    char *c = make_dir(b, "c");
    int status;
    (void)state;

    put(c, "file", "x");
    chmod(c, 0);
    chmod(b, 0);
    chmod(a, 0);
    pid_t pid = fork(); /* for root permissions mean nothing: be another */
    if (pid == 0) {
        if (getuid() == 0) {
            const char *all[] = { base, tree };
            chmod(a, 0700);
            chmod(b, 0700);
            int bad = chown(c, 65534, 65534) + chown(b, 65534, 65534) +
                      chown(a, 65534, 65534);
            for (size_t i = 0; i < ARRAY_LEN(all); i++)
                bad += chown(all[i], 65534, 65534);
            chmod(b, 0);
            chmod(a, 0);
            if (bad || setuid(65534))
                _exit(2);
        }
        _exit(tree_remove(tree) != 0);
    }
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(kind(base, "tree"), 0);
    free(a);
    free(b);
    free(c);
    free(tree);
}

static void links_are_unlinked_and_not_followed(void **state)
{
    char *tree = make_dir(base, "tree"), *inner = make_dir(tree, "inner");
    char *precious = make_dir(base, "precious");
    char *link = path_in(inner, "link"), *loop = path_in(inner, "loop");
    (void)state;

    put(precious, "file", "keep");
    assert_int_equal(symlink(precious, link), 0);
    assert_int_equal(symlink(".", loop), 0);
    char *outer = path_in(base, "outer");
    assert_int_equal(symlink(precious, outer), 0);
    assert_int_equal(tree_remove(tree), 0);
    assert_int_equal(tree_remove(outer), 0);
    assert_file(precious, "file", "keep");
    assert_int_equal(kind(base, "outer"), 0);
    free(outer);
    free(link);
    free(loop);
    free(inner);
    free(precious);
    free(tree);
}

static void odd_files_go(void **state)
{
    char *tree = make_dir(base, "tree"), *inner = make_dir(tree, "inner");
    char *fifo = path_in(inner, "fifo");
    struct sockaddr_un name = { .sun_family = AF_UNIX };
    (void)state;

    assert_int_equal(mkfifo(fifo, 0), 0);
    snprintf(name.sun_path, sizeof(name.sun_path), "%s/sock", inner);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof(name)), 0);
    close(fd);
    put(inner, ".gone-0", "a name that the removal itself uses");
    put(inner, "\xff\n", "x");
    free(make_dir(tree, ".gone-0"));
    for (int i = 0; i < 20; i++) {
        char text[16];
        snprintf(text, sizeof(text), "d%d", i);
        char *dir = make_dir(inner, text);
        put(dir, "f", "x");
        free(dir);
    }
    assert_int_equal(tree_remove(tree), 0);
    assert_int_equal(tree_remove(tree), 0); /* nothing there is fine */
    free(fifo);
    free(inner);
    free(tree);
}

static void caches_stay_until_a_fresh_one_is_asked_for(void **state)
{
    char *root, *cache, *again;
    struct err err;
    (void)state;

    assert_int_equal(scratch_open("m", &root, &err), 0);
    assert_int_equal(scratch_cache(root, 3, 0, &cache, &err), 0);
    put(cache, "kernel.so", "x");
    assert_int_equal(scratch_cache(root, 3, 0, &again, &err), 0);
    assert_string_equal(cache, again);
    assert_int_equal(entries(cache), 1);
    assert_int_equal(scratch_files(cache), 1);
    assert_int_equal(scratch_files(root), 2); /* and its owner */
    assert_int_equal(scratch_files("/nowhere"), 0);
    free(again);
    assert_int_equal(scratch_cache(root, 3, 1, &again, &err), 0);
    assert_int_equal(entries(cache), 0);
    scratch_close(root);
    free(again);
    free(cache);
    free(root);
}

/* The scratch of a worker that is no more, into `dead`. */
static void leave_scratch(char *dead, size_t size)
{
    char *root;
    struct err err;
    int fds[2];

    assert_int_equal(pipe(fds), 0);
    pid_t pid = fork();
    if (pid == 0) {
        if (scratch_open("m", &root, &err) == 0)
            dprintf(fds[1], "%s", root);
        _exit(0);
    }
    close(fds[1]);
    memset(dead, 0, size);
    assert_true(read(fds[0], dead, size - 1) > 0);
    close(fds[0]);
    waitpid(pid, NULL, 0);
    assert_int_equal(kind(dead, "."), S_IFDIR);
}

static void only_the_scratches_of_dead_workers_are_cleaned(void **state)
{
    char *mine;
    struct err err;
    char dead[512];
    (void)state;

    assert_int_equal(scratch_open("m", &mine, &err), 0);
    leave_scratch(dead, sizeof(dead));
    scratch_clean("other", false);
    assert_int_equal(kind(dead, "."), S_IFDIR);
    scratch_clean("m", false);
    assert_int_equal(kind(dead, "."), 0);
    assert_int_equal(kind(mine, "."), S_IFDIR);
    scratch_close(mine);
    free(mine);
}

/* A container that shares the folder may have a process of that number. */
static void change_owner(const char *scratch, const char *text)
{
    char *path = path_in(scratch, "owner");
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    free(path);
}

static void without_a_mark_all_dead_workers_scratches_are_cleaned(void **state)
{
    char *mine, *old = path_in(base, "autodd-c.old.backup");
    struct err err;
    char dead[512], host[256] = "", text[512];
    struct timespec past[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
    (void)state;

    assert_int_equal(scratch_open("n", &mine, &err), 0);
    assert_int_equal(mkdir(old, 0700), 0);
    assert_int_equal(utimensat(AT_FDCWD, old, past, 0), 0);
    leave_scratch(dead, sizeof(dead));
    scratch_clean(NULL, false);
    assert_int_equal(kind(dead, "."), 0);
    assert_int_equal(kind(mine, "."), S_IFDIR);
    assert_int_equal(kind(old, "."), S_IFDIR);

    leave_scratch(dead, sizeof(dead));
    gethostname(host, sizeof(host) - 1);
    snprintf(text, sizeof(text), "%s 1 1 1\n", host);
    change_owner(dead, text);
    scratch_clean(NULL, false);
    assert_int_equal(kind(dead, "."), S_IFDIR);
    change_owner(dead, "elsewhere 1 1 1\n");
    scratch_clean(NULL, false);
    assert_int_equal(kind(dead, "."), S_IFDIR);
    scratch_close(mine);
    free(mine);
    free(old);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_run_sees_what_lies_beside_the_script),
        TEST(copies_end_where_there_is_too_much),
        TEST(a_full_disk_is_an_error_that_leaves_nothing),
        TEST(a_tmpdir_that_is_missing_is_named),
        TEST(very_deep_trees_go),
        TEST(folders_without_permissions_go),
        TEST(links_are_unlinked_and_not_followed),
        TEST(odd_files_go),
        TEST(caches_stay_until_a_fresh_one_is_asked_for),
        TEST(only_the_scratches_of_dead_workers_are_cleaned),
        TEST(without_a_mark_all_dead_workers_scratches_are_cleaned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
