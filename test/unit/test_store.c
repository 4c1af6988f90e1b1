#include "test/test.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/file.h"
#include "config/mem.h"
#include "minimizer/store/store.h"

/* ---- the nth step fails ---- */

static int fail_at;   /* 0: never */
static int fail_with; /* SQLite's code */
static int steps_made;

int __real_sqlite3_step(sqlite3_stmt *stmt);
int __wrap_sqlite3_step(sqlite3_stmt *stmt);

int __wrap_sqlite3_step(sqlite3_stmt *stmt)
{
    steps_made++;
    if (fail_at > 0 && steps_made == fail_at)
        return fail_with;
    return __real_sqlite3_step(stmt);
}

/* ---- a folder of its own for each test ---- */

struct place {
    char dir[64];
    char *path;
    struct err err;
    int fds;
};

static const struct hash128 key_a = { 1, 2 }, key_b = { 3, 4 };

static int make_place(void **state)
{
    struct place *place = xcalloc(1, sizeof(*place));

    snprintf(place->dir, sizeof(place->dir), "/tmp/autodd-store-XXXXXX");
    if (!mkdtemp(place->dir))
        return -1;
    place->path = xasprintf("%s/deep/state.db", place->dir);
    place->fds = open_fds();
    fail_at = steps_made = 0;
    *state = place;
    return 0;
}

static int count_files(const char *dir)
{
    int n = 0;
    DIR *d = opendir(dir);
    struct dirent *e;

    while (d && (e = readdir(d)))
        n += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return n;
}

static void remove_files(const char *dir)
{
    DIR *d = opendir(dir);
    struct dirent *e;

    while (d && (e = readdir(d))) {
        if (e->d_name[0] == '.')
            continue;
        char *path = file_join(dir, e->d_name);
        unlink(path);
        free(path);
    }
    if (d)
        closedir(d);
    rmdir(dir);
}

static int drop_place(void **state)
{
    struct place *place = *state;
    char *deep = file_join(place->dir, "deep");
    int leaked = open_fds() - place->fds;

    remove_files(deep);
    remove_files(place->dir);
    free(deep);
    free(place->path);
    free(place);
    return leaked;
}

static struct store *open_store(struct place *place)
{
    struct store *store = NULL;
    int error = store_open(&store, place->path, false, &place->err);

    if (error)
        fail_msg("%s", place->err.text);
    return store;
}

static int64_t take_job(struct place *place, struct store *store,
                        struct hash128 key, bool *fresh)
{
    int64_t id = 0;
    int error = store_job(store, key, "gemm.py", bytes_of("x = 1\n", 6), &id,
                          fresh, &place->err);

    if (error)
        fail_msg("%s", place->err.text);
    return id;
}

static struct store_report report_of(uint64_t trial)
{
    return (struct store_report){ .issued = trial + 2,
                                  .trial = trial,
                                  .verdict = (int)(trial % 3),
                                  .early = trial % 2 == 1,
                                  .expected = trial % 5 == 0,
                                  .hash = { UINT64_MAX - trial, trial },
                                  .observed = trial % 4 ? NULL : "1-2=3\n",
                                  .figures = (uint32_t)trial * 1431655765u };
}

static int write_one(struct place *place, struct store *store, int64_t job,
                     uint64_t trial)
{
    struct store_report report = report_of(trial);

    return store_write(store, job,
                       &(struct store_batch){ &report, 1, .runs = trial },
                       &place->err);
}

struct seen {
    uint64_t n, stop_after;
    bool wrong;
};

static bool see_report(void *arg, const struct store_report *report)
{
    struct seen *seen = arg;
    struct store_report wanted = report_of(++seen->n);

    if (report->issued != wanted.issued || report->trial != wanted.trial ||
        report->verdict != wanted.verdict || report->early != wanted.early ||
        report->expected != wanted.expected ||
        report->figures != wanted.figures ||
        !hash_equal(report->hash, wanted.hash) ||
        !report->observed != !wanted.observed ||
        (wanted.observed && strcmp(report->observed, wanted.observed) != 0))
        seen->wrong = true;
    return seen->n != seen->stop_after;
}

/* ---- tests ---- */

static void the_log_comes_back_in_order_after_reopening(void **state)
{
    struct place *place = *state;
    struct store *store = open_store(place);
    struct seen seen = { 0 };
    bool fresh;

    int64_t job = take_job(place, store, key_a, &fresh);
    assert_true(fresh);
    for (uint64_t i = 1; i <= 20; i++)
        assert_int_equal(write_one(place, store, job, i), 0);
    store_close(store);
    store = open_store(place);
    assert_int_equal(take_job(place, store, key_a, &fresh), job);
    assert_false(fresh);
    assert_int_equal(store_replay(store, job, see_report, &seen, &place->err),
                     0);
    assert_int_equal(seen.n, 20);
    assert_false(seen.wrong);
    seen = (struct seen){ .stop_after = 3 };
    assert_int_equal(store_replay(store, job, see_report, &seen, &place->err),
                     0);
    assert_int_equal(seen.n, 3);
    store_close(store);
}

/* A step whose text is t<n>. */
static int write_accepted(struct place *place, struct store *store, int64_t job,
                          uint64_t trial)
{
    struct store_report report = report_of(trial);
    char text[24];
    struct store_step step = { .kind = "dead" };

    snprintf(text, sizeof(text), "t%d", (int)trial);
    step.text = bytes_of(text, strlen(text));
    return store_write(
        store, job,
        &(struct store_batch){
            .reports = &report, .nreports = 1, .steps = &step, .nsteps = 1 },
        &place->err);
}

static bool see_look(void *arg, const struct store_report *report)
{
    *(int *)arg += report->observed != NULL;
    return true;
}

static bool count_step(void *arg, const struct store_step *step)
{
    (void)step;
    ++*(int *)arg;
    return true;
}

static void a_cut_ends_log_and_chain_and_what_follows_goes_on(void **state)
{
    struct place *place = *state;
    struct store *store = open_store(place);
    struct store_cut cut = { .reports = 5, .steps = 4 };
    struct store_report six = report_of(6), eight = report_of(8);
    struct seen seen = { 0 };
    int steps = 0, looks = 0;
    bool fresh;
    int64_t job = take_job(place, store, key_a, &fresh);
    int64_t other = take_job(place, store, key_b, &fresh);

    for (uint64_t i = 1; i <= 9; i++)
        assert_int_equal(write_accepted(place, store, job, i), 0);
    assert_int_equal(write_accepted(place, store, other, 1), 0);
    assert_int_equal(store_write(store, job,
                                 &(struct store_batch){ .reports = &six,
                                                        .nreports = 1,
                                                        .cut = &cut },
                                 &place->err),
                     0);
    assert_int_equal(write_one(place, store, job, 7), 0);
    assert_int_equal(store_replay(store, job, see_report, &seen, &place->err),
                     0);
    assert_int_equal(seen.n, 7);
    assert_false(seen.wrong);
    /* 8 was a look in the log that is gone: the next 8 is none. */
    eight.observed = NULL;
    assert_int_equal(
        store_write(store, job,
                    &(struct store_batch){ .reports = &eight, .nreports = 1 },
                    &place->err),
        0);
    assert_int_equal(store_replay(store, job, see_look, &looks, &place->err),
                     0);
    assert_int_equal(looks, 1); /* of trial 4 */
    assert_int_equal(store_steps(store, job, count_step, &steps, &place->err),
                     0);
    assert_int_equal(steps, 4);
    assert_int_equal(store_steps(store, other, count_step, &steps, &place->err),
                     0);
    assert_int_equal(steps, 5);
    assert_true(store_knows(store, hash_bytes("t4", 2)));
    assert_true(
        store_knows(store, hash_bytes("t9", 2))); /* in a file perhaps */
    store_close(store);
}

static bool see_step(void *arg, const struct store_step *step)
{
    struct seen *seen = arg;
    static const char *const kinds[] = { "statement", "merge" };
    static const struct bytes texts[] = { { "a\0b\n", 4 }, { "", 0 } };
    size_t i = seen->n++;

    seen->wrong =
        seen->wrong || step->run != 10 + i || step->at_ms != 100 * (i + 1) ||
        strcmp(step->kind, kinds[i]) != 0 || step->text.len != texts[i].len ||
        memcmp(step->text.data, texts[i].data, texts[i].len) != 0;
    return true;
}

static void steps_and_status_come_back_byte_for_byte(void **state)
{
    struct place *place = *state;
    struct store *store = open_store(place);
    struct store_step steps[] = {
        { .run = 10,
          .at_ms = 100,
          .kind = "statement",
          .text = { "a\0b\n", 4 } },
        { .run = 11, .at_ms = 200, .kind = "merge" },
    };
    struct store_batch batch = { .steps = steps,
                                 .nsteps = 2,
                                 .signature = "ValueError",
                                 .status = "running",
                                 .runs = 11 };
    struct store_status status;
    struct seen seen = { 0 };
    bool fresh;

    int64_t job = take_job(place, store, key_a, &fresh);
    assert_int_equal(store_status(store, job, &status, &place->err), 0);
    assert_null(status.status);
    assert_null(status.signature);
    assert_int_equal(store_write(store, job, &batch, &place->err), 0);
    batch = (struct store_batch){ .status = "verified" };
    assert_int_equal(store_write(store, job, &batch, &place->err), 0);
    assert_int_equal(store_steps(store, job, see_step, &seen, &place->err), 0);
    assert_int_equal(seen.n, 2);
    assert_false(seen.wrong);
    assert_int_equal(store_status(store, job, &status, &place->err), 0);
    assert_string_equal(status.status, "verified");
    assert_string_equal(status.signature, "ValueError");
    assert_int_equal(status.runs, 11);
    assert_int_equal(status.steps, 2);
    assert_int_equal(status.elapsed_ms, 200);
    free(status.status);
    free(status.signature);
    assert_int_equal(store_status(store, job + 1, &status, &place->err),
                     -ENOENT);
    store_close(store);
}

static void the_tools_own_texts_are_known(void **state)
{
    struct place *place = *state;
    struct store *store = open_store(place);
    struct store_step step = { .run = 1,
                               .at_ms = 1,
                               .kind = "statement",
                               .text = { "y = 2\n", 6 },
                               .has_good = true,
                               .good = hash_bytes("y = 4\n", 6) };
    bool fresh;

    int64_t job = take_job(place, store, key_a, &fresh);
    assert_false(store_knows(store, hash_bytes("y = 2\n", 6)));
    assert_int_equal(
        store_write(store, job,
                    &(struct store_batch){ .steps = &step, .nsteps = 1 },
                    &place->err),
        0);
    assert_true(store_knows(store, hash_bytes("y = 2\n", 6)));
    assert_true(store_knows(store, hash_bytes("x = 1\n", 6)));
    assert_true(store_knows(store, hash_bytes("y = 4\n", 6)));
    assert_false(store_knows(store, hash_bytes("z = 3\n", 6)));
    assert_int_equal(store_reset(store, job, &place->err), 0);
    assert_false(store_knows(store, hash_bytes("y = 4\n", 6)));
    store_close(store);
}

static void the_default_path_follows_the_environment(void **state)
{
    char *home = xstrdup(getenv("HOME")),
         *xdg = xstrdup(getenv("XDG_STATE_HOME"));
    char *a, *b, *c;
    (void)state;

    setenv("HOME", "/home/u", 1);
    setenv("XDG_STATE_HOME", "/var/s", 1);
    a = store_default_path();
    setenv("XDG_STATE_HOME", "relative", 1);
    b = store_default_path();
    unsetenv("HOME");
    c = store_default_path();
    unsetenv("XDG_STATE_HOME");
    if (home)
        setenv("HOME", home, 1);
    if (xdg)
        setenv("XDG_STATE_HOME", xdg, 1);
    free(home);
    free(xdg);
    assert_string_equal(a, "/var/s/autodd-c/state.db");
    assert_string_equal(b, "/home/u/.local/state/autodd-c/state.db");
    assert_null(c);
    free(a);
    free(b);
}

static void a_reset_forgets_one_job_and_no_other(void **state)
{
    struct place *place = *state;
    struct store *store = open_store(place);
    struct seen seen = { 0 };
    bool fresh;

    int64_t a = take_job(place, store, key_a, &fresh);
    int64_t b = take_job(place, store, key_b, &fresh);
    assert_int_not_equal(a, b);
    assert_int_equal(write_one(place, store, a, 1), 0);
    assert_int_equal(write_one(place, store, b, 1), 0);
    assert_int_equal(store_reset(store, a, &place->err), 0);
    store_replay(store, a, see_report, &seen, &place->err);
    assert_int_equal(seen.n, 0);
    store_replay(store, b, see_report, &seen, &place->err);
    assert_int_equal(seen.n, 1);
    store_close(store);
}

/* Kept as the rest is. */
static uint32_t figures_of(const char *ran)
{
    return strcmp(ran, "-") == 0 ? 0 : UINT32_MAX - (uint32_t)strlen(ran);
}

static void assert_trace(struct place *place, struct store *store, int64_t job,
                         const char *ran, const char *observed,
                         const char *kept_ran, const char *kept_observed)
{
    struct store_trace trace = { .ran = xstrdup(ran),
                                 .observed = xstrdup(observed),
                                 .figures = ran ? figures_of(ran) : 0 };

    assert_int_equal(store_trace(store, job, &trace, &place->err), 0);
    assert_string_equal(trace.ran ? trace.ran : "-", kept_ran);
    assert_int_equal(trace.figures, figures_of(kept_ran));
    assert_string_equal(trace.observed ? trace.observed : "-", kept_observed);
    free(trace.ran);
    free(trace.observed);
}

static void the_first_trace_of_a_job_is_kept(void **state)
{
    struct place *place = *state;
    struct store *store = open_store(place);
    bool fresh;

    int64_t a = take_job(place, store, key_a, &fresh);
    int64_t b = take_job(place, store, key_b, &fresh);
    assert_trace(place, store, a, "1-2", "0-9=1\n", "1-2", "0-9=1\n");
    assert_trace(place, store, b, NULL, NULL, "-", "-");
    store_close(store);
    store = open_store(place);
    assert_trace(place, store, a, NULL, "0-9=2\n", "1-2", "0-9=1\n");
    assert_trace(place, store, b, "7", "", "-", "-");
    assert_int_equal(store_reset(store, b, &place->err), 0);
    assert_trace(place, store, b, "7", "", "7", "");
    assert_trace(place, store, a, "7", "", "1-2", "0-9=1\n");
    store_close(store);
}

static void a_file_of_an_earlier_version_gets_the_tables_it_lacks(void **state)
{
    struct place *place = *state;
    struct store *store = open_store(place);
    sqlite3 *db;
    bool fresh;

    store_close(store);
    assert_int_equal(sqlite3_open(place->path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db,
                     "DROP TABLE trace; DROP TABLE look; DROP TABLE good; "
                     "DROP TABLE figures",
                     NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    store = open_store(place);
    int64_t a = take_job(place, store, key_a, &fresh);
    assert_trace(place, store, a, "1", "", "1", "");
    store_close(store);
}

static void nothing_but_the_file_is_left_after_closing(void **state)
{
    struct place *place = *state;
    struct store *store = open_store(place);
    struct stat st;
    bool fresh;

    take_job(place, store, key_a, &fresh);
    store_close(store);
    char *deep = file_join(place->dir, "deep");
    assert_int_equal(count_files(deep), 1);
    free(deep);
    assert_int_equal(stat(place->path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

/* Open it, expect `code` and the word, and the very bytes kept; then take it
 * over. */
static void assert_refused_and_moved(struct place *place, int code,
                                     const char *word)
{
    struct store *store = NULL;
    char *before, *after, *old = xasprintf("%s.old-1", place->path);
    size_t nbefore, nafter;

    assert_int_equal(file_read(place->path, 1 << 20, &before, &nbefore, NULL),
                     0);
    assert_int_equal(store_open(&store, place->path, false, &place->err), code);
    assert_non_null(strstr(place->err.text, word));
    assert_non_null(strstr(place->err.text, "--force"));
    assert_non_null(strstr(place->err.text, place->path));
    assert_int_equal(store_open(&store, place->path, true, &place->err), 0);
    store_close(store);
    assert_int_equal(file_read(old, 1 << 20, &after, &nafter, NULL), 0);
    assert_int_equal(nbefore, nafter);
    assert_memory_equal(before, after, nafter);
    store_close(open_store(place));
    free(before);
    free(after);
    free(old);
}

static void spoil(const char *path, long at, const void *data, size_t len)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, data, len, at), len);
    close(fd);
}

static void a_file_that_is_no_database_is_refused_and_moved_aside(void **state)
{
    struct place *place = *state;
    char text[4096];

    store_close(open_store(place));
    memset(text, 'x', sizeof(text));
    spoil(place->path, 0, text, sizeof(text));
    assert_refused_and_moved(place, -EINVAL, "not a database");
}

static void a_damaged_file_is_refused_and_moved_aside(void **state)
{
    struct place *place = *state;
    struct store *store = open_store(place);
    char noise[3000];
    bool fresh;

    int64_t job = take_job(place, store, key_a, &fresh);
    for (uint64_t i = 1; i <= 300; i++)
        assert_int_equal(write_one(place, store, job, i), 0);
    store_close(store);
    memset(noise, 0xA5, sizeof(noise));
    struct stat st;
    assert_int_equal(stat(place->path, &st), 0);
    spoil(place->path, st.st_size - 4096, noise, sizeof(noise));
    assert_refused_and_moved(place, -EINVAL, "damaged");
}

static void set_header(struct place *place, const char *sql)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(place->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void a_newer_file_is_refused_and_moved_aside(void **state)
{
    struct place *place = *state;

    store_close(open_store(place));
    set_header(place, "PRAGMA user_version=99");
    assert_refused_and_moved(place, -EPROTO, "newer");
}

static void a_database_of_another_program_is_refused(void **state)
{
    struct place *place = *state;

    store_close(open_store(place));
    set_header(place, "PRAGMA application_id=7");
    assert_refused_and_moved(place, -EINVAL, "another program");
}

static void a_good_file_is_not_moved_by_force(void **state)
{
    struct place *place = *state;
    struct store *store = open_store(place);
    bool fresh;

    take_job(place, store, key_a, &fresh);
    store_close(store);
    assert_int_equal(store_open(&store, place->path, true, &place->err), 0);
    take_job(place, store, key_a, &fresh);
    assert_false(fresh);
    store_close(store);
}

static void a_folder_in_the_place_of_the_file_is_an_error(void **state)
{
    struct place *place = *state;
    struct store *store = NULL;

    assert_int_equal(store_open(&store, place->dir, false, &place->err),
                     -EISDIR);
    assert_non_null(strstr(place->err.text, "--state"));
}

static void
a_job_is_busy_while_another_process_lives_and_free_when_it_died(void **state)
{
    struct place *place = *state;
    struct store *store = open_store(place);
    int ready[2], go[2], status;
    int64_t id;
    bool fresh;
    char c = 0;

    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(go), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct store *own = NULL;
        close(go[1]);
        if (store_open(&own, place->path, false, NULL) ||
            store_job(own, key_a, "a.py", bytes_of("", 0), &id, &fresh, NULL))
            _exit(1);
        if (write(ready[1], "r", 1) != 1 || read(go[0], &c, 1) < 0)
            _exit(1);
        _exit(0); /* without closing: as if killed */
    }
    close(go[0]);
    assert_int_equal(read(ready[0], &c, 1), 1);
    int busy = store_job(store, key_a, "a.py", bytes_of("", 0), &id, &fresh,
                         &place->err);
    int other =
        store_job(store, key_b, "b.py", bytes_of("", 0), &id, &fresh, NULL);
    close(go[1]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    close(ready[0]);
    close(ready[1]);
    assert_int_equal(busy, -EBUSY);
    assert_non_null(strstr(place->err.text, "another autodd-c"));
    assert_int_equal(other, 0);
    take_job(place, store, key_a, &fresh);
    assert_false(fresh);
    store_close(store);
}

static size_t locks_of(const struct place *place)
{
    char *folder = file_dir(place->path);
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    size_t n = 0;

    assert_non_null(dir);
    while ((entry = readdir(dir)))
        n += strstr(entry->d_name, ".lock-") != NULL;
    closedir(dir);
    free(folder);
    return n;
}

static void
locks_that_a_kill_left_are_cleared_and_held_ones_are_not(void **state)
{
    struct place *place = *state;
    struct store *store = open_store(place), *second;
    bool fresh;
    int64_t id;

    take_job(place, store, key_a, &fresh);
    pid_t pid = fork();
    if (pid == 0) {
        struct store *own = NULL;

        if (store_open(&own, place->path, false, NULL) ||
            store_job(own, key_b, "b.py", bytes_of("", 0), &id, &fresh, NULL))
            _exit(1);
        _exit(0); /* without closing: as if killed */
    }
    int status = 1;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(locks_of(place), 2);
    second = open_store(place);
    assert_int_equal(locks_of(place), 1);
    assert_int_equal(store_job(second, key_a, "a.py", bytes_of("", 0), &id,
                               &fresh, &place->err),
                     -EBUSY);
    store_close(second);
    store_close(store);
    assert_int_equal(locks_of(place), 0);
}

static void a_full_disk_loses_the_batch_whole_and_nothing_else(void **state)
{
    struct place *place = *state;
    struct store *store = open_store(place);
    struct seen seen = { 0 };
    bool fresh;

    int64_t job = take_job(place, store, key_a, &fresh);
    assert_int_equal(write_one(place, store, job, 1), 0);
    fail_with = SQLITE_FULL;
    int failed = 0, error;
    do {
        steps_made = 0;
        fail_at = ++failed;
        error = write_one(place, store, job, 2);
        if (error) {
            assert_int_equal(error, -ENOSPC);
            assert_non_null(strstr(place->err.text, "--state"));
        }
    } while (error);
    assert_true(failed > 3);
    fail_at = 0;
    store_replay(store, job, see_report, &seen, &place->err);
    assert_int_equal(seen.n, 2);
    assert_false(seen.wrong);
    store_close(store);
}

/* Each call of a life fails once, in turn; none crashes, leaks or reports
 * success. */
static int live(struct place *place)
{
    struct store *store = NULL;
    struct store_status status = { 0 };
    struct seen seen = { 0 };
    int64_t job;
    bool fresh;
    int error = store_open(&store, place->path, false, &place->err);

    if (error)
        return error;
    error = store_job(store, key_a, "a.py", bytes_of("", 0), &job, &fresh,
                      &place->err);
    if (!error)
        error = store_reset(store, job, &place->err);
    if (!error)
        error = write_one(place, store, job, 1);
    if (!error)
        error = store_replay(store, job, see_report, &seen, &place->err);
    if (!error)
        error = store_steps(store, job, see_step, &seen, &place->err);
    if (!error)
        error = store_status(store, job, &status, &place->err);
    free(status.status);
    free(status.signature);
    store_close(store);
    return error;
}

static void any_failing_call_is_an_error_with_a_sentence(void **state)
{
    struct place *place = *state;
    int n = 0, error;

    fail_with = SQLITE_IOERR;
    do {
        steps_made = 0;
        fail_at = ++n;
        place->err.text[0] = '\0';
        error = live(place);
        if (error) {
            assert_int_equal(error, -EIO);
            assert_non_null(strstr(place->err.text, "state file"));
        }
    } while (error);
    assert_true(n > 10);
    fail_at = 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_place, drop_place)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_log_comes_back_in_order_after_reopening),
        TEST(a_cut_ends_log_and_chain_and_what_follows_goes_on),
        TEST(steps_and_status_come_back_byte_for_byte),
        TEST(the_tools_own_texts_are_known),
        TEST(the_default_path_follows_the_environment),
        TEST(a_reset_forgets_one_job_and_no_other),
        TEST(the_first_trace_of_a_job_is_kept),
        TEST(a_file_of_an_earlier_version_gets_the_tables_it_lacks),
        TEST(nothing_but_the_file_is_left_after_closing),
        TEST(a_file_that_is_no_database_is_refused_and_moved_aside),
        TEST(a_damaged_file_is_refused_and_moved_aside),
        TEST(a_newer_file_is_refused_and_moved_aside),
        TEST(a_database_of_another_program_is_refused),
        TEST(a_good_file_is_not_moved_by_force),
        TEST(a_folder_in_the_place_of_the_file_is_an_error),
        TEST(a_job_is_busy_while_another_process_lives_and_free_when_it_died),
        TEST(locks_that_a_kill_left_are_cleared_and_held_ones_are_not),
        TEST(a_full_disk_loses_the_batch_whole_and_nothing_else),
        TEST(any_failing_call_is_an_error_with_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
