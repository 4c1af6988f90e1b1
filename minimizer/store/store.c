/* Tables: job, report (the log of a job), step (its accepted texts), each row
 * under (job, seq); and trace, look and good (fingerprints of the good forms of
 * steps, and of steps that were cut off), which the first files do not have.
 * The header of the file carries who wrote it: application_id is ours,
 * user_version the schema. A file is looked at before it is touched:
 *
 *   no file, or an empty one      begin it
 *   another application_id, no SQLite file, damaged     -EINVAL
 *   a higher user_version         -EPROTO
 *   else                          use it
 *
 * The lock of a job is an flock() on PATH.lock-KEY, which the kernel drops
 * with the process. The file is removed while the lock is held, by its owner
 * or, after a kill, by whoever opens the state file next; so after taking a
 * lock one looks whether the name still leads to the locked file.
 *
 * Everything is one transaction a call. WAL with synchronous=FULL: a commit is
 * on the disk when it returns. */
#include "minimizer/store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/file.h"
#include "config/mem.h"

#define APPLICATION_ID 0x61444443 /* "aDDC" */
#define BUSY_MS 10000             /* another job's commit is soon over */
#define OLD_MAX 10000             /* names tried to move a file aside */

/* In the column `early` of a report. */
enum { FLAG_EARLY = 1, FLAG_EXPECTED = 2 };

/* Above them in the column of a verdict stand the figures. */
#define VERDICT_BITS 4

struct lock {
    int fd;
    char *path;
};

struct store {
    sqlite3 *db;
    char *path;
    struct lock *locks;
    size_t nlocks, room;
};

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS job("
    " id INTEGER PRIMARY KEY,"
    " key_high INTEGER NOT NULL, key_low INTEGER NOT NULL,"
    " path TEXT NOT NULL, script BLOB NOT NULL,"
    " hash_high INTEGER NOT NULL, hash_low INTEGER NOT NULL," /* of it */
    " status TEXT, signature TEXT, runs INTEGER NOT NULL DEFAULT 0,"
    " UNIQUE(key_high, key_low));"
    "CREATE TABLE IF NOT EXISTS report("
    " job INTEGER NOT NULL, seq INTEGER NOT NULL,"
    " issued INTEGER NOT NULL, trial INTEGER NOT NULL,"
    " verdict INTEGER NOT NULL, early INTEGER NOT NULL,"
    " hash_high INTEGER NOT NULL, hash_low INTEGER NOT NULL,"
    " PRIMARY KEY(job, seq)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS step("
    " job INTEGER NOT NULL, seq INTEGER NOT NULL,"
    " run INTEGER NOT NULL, at_ms INTEGER NOT NULL,"
    " kind TEXT NOT NULL, text BLOB NOT NULL,"
    " hash_high INTEGER NOT NULL, hash_low INTEGER NOT NULL,"
    " PRIMARY KEY(job, seq));"
    "CREATE TABLE IF NOT EXISTS trace("
    " job INTEGER PRIMARY KEY, ran TEXT, observed TEXT);"
    "CREATE TABLE IF NOT EXISTS figures("
    " job INTEGER PRIMARY KEY, value INTEGER NOT NULL);"
    "CREATE TABLE IF NOT EXISTS good("
    " hash_high INTEGER NOT NULL, hash_low INTEGER NOT NULL,"
    " job INTEGER NOT NULL,"
    " PRIMARY KEY(hash_high, hash_low, job)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS look("
    " job INTEGER NOT NULL, trial INTEGER NOT NULL, observed TEXT NOT NULL,"
    " PRIMARY KEY(job, trial)) WITHOUT ROWID;"
    "CREATE INDEX IF NOT EXISTS step_hash ON step(hash_high, hash_low);";

/* ---- SQLite's codes in our words ---- */

static int code_of(int rc)
{
    switch (rc & 0xFF) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
        return 0;
    case SQLITE_FULL:
        return -ENOSPC;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return -EINVAL;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return -EBUSY;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_CANTOPEN:
        return -EACCES;
    case SQLITE_NOMEM:
        return -ENOMEM;
    default:
        return -EIO;
    }
}

static int tell(const struct store *store, int rc, const char *what,
                struct err *err)
{
    int code = code_of(rc);
    const char *remedy =
        code == -ENOSPC   ? "; make room, or name another file with --state"
        : code == -EACCES ? "; name a file you may write with --state"
        : code == -EINVAL ? "; --force moves it aside and begins a new one"
        : code == -EBUSY  ? "; another process holds it, try again"
                          : "";

    return err_set(err, code, "%s: state file: %s: %s%s", store->path, what,
                   store->db ? sqlite3_errmsg(store->db) : sqlite3_errstr(rc),
                   remedy);
}

/* ---- statements ---- */

static int prepare(const struct store *store, const char *sql,
                   sqlite3_stmt **stmt)
{
    return sqlite3_prepare_v2(store->db, sql, -1, stmt, NULL);
}

/* Run one statement to its end; its rows do not matter. Not sqlite3_exec(), so
 * that all steps go one way. */
static int run(const struct store *store, const char *sql)
{
    while (*sql) {
        sqlite3_stmt *stmt = NULL;
        int rc = sqlite3_prepare_v2(store->db, sql, -1, &stmt, &sql);
        if (rc != SQLITE_OK)
            return rc;
        do
            rc = stmt ? sqlite3_step(stmt) : SQLITE_DONE;
        while (rc == SQLITE_ROW);
        sqlite3_finalize(stmt);
        if (rc != SQLITE_DONE)
            return rc;
    }
    return SQLITE_OK;
}

/* The number that a query gives. */
static int number(const struct store *store, const char *sql, int64_t *n)
{
    sqlite3_stmt *stmt = NULL;
    int rc = prepare(store, sql, &stmt);

    if (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        *n = sqlite3_column_int64(stmt, 0);
        rc = SQLITE_OK;
    } else if (rc == SQLITE_DONE) {
        rc = SQLITE_CORRUPT;
    }
    sqlite3_finalize(stmt);
    return rc;
}

static void bind_blob(sqlite3_stmt *stmt, int i, struct bytes bytes)
{
    /* A NULL pointer would bind NULL. */
    sqlite3_bind_blob64(stmt, i, bytes.len > 0 ? bytes.data : "", bytes.len,
                        SQLITE_STATIC);
}

/* Values i and i + 1. */
static void bind_hash(sqlite3_stmt *stmt, int i, struct hash128 hash)
{
    sqlite3_bind_int64(stmt, i, (int64_t)hash.high);
    sqlite3_bind_int64(stmt, i + 1, (int64_t)hash.low);
}

/* Run a statement whose values are bound, once or again and again. */
static int step_done(sqlite3_stmt *stmt)
{
    int rc = sqlite3_step(stmt);

    sqlite3_reset(stmt);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* ---- opening ---- */

static int check_damage(const struct store *store, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = prepare(store, "PRAGMA quick_check(1)", &stmt);
    int error = 0;

    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW) {
        const char *said = (const char *)sqlite3_column_text(stmt, 0);
        if (!said || strcmp(said, "ok") != 0)
            error = err_set(err, -EINVAL,
                            "%s: state file is damaged (%.200s); --force moves "
                            "it aside and begins a new one",
                            store->path, said ? said : "");
    } else {
        error = tell(store, rc, "cannot be checked", err);
    }
    sqlite3_finalize(stmt);
    return error;
}

/* Look at the header. *fresh: nothing is in it yet. */
static int check_header(const struct store *store, bool *fresh, struct err *err)
{
    int64_t app = 0, version = 0, tables = 0;
    int rc = number(store, "PRAGMA application_id", &app);

    if (rc == SQLITE_OK)
        rc = number(store, "PRAGMA user_version", &version);
    if (rc == SQLITE_OK)
        rc = number(store, "SELECT count(*) FROM sqlite_master", &tables);
    if (rc != SQLITE_OK)
        return tell(store, rc, "cannot be read", err);
    *fresh = app == 0 && version == 0 && tables == 0;
    if (*fresh)
        return 0;
    if (app != APPLICATION_ID)
        return err_set(err, -EINVAL,
                       "%s: is a database of another program; name another "
                       "file with --state, or --force moves it aside",
                       store->path);
    if (version > STORE_SCHEMA)
        return err_set(err, -EPROTO,
                       "%s: state file was written by a newer autodd-c "
                       "(schema %lld, this one knows %d); --force moves it "
                       "aside and begins a new one",
                       store->path, (long long)version, STORE_SCHEMA);
    return check_damage(store, err);
}

static int begin_file(const struct store *store, struct err *err)
{
    char header[128];

    snprintf(header, sizeof(header),
             "PRAGMA application_id=%d; PRAGMA user_version=%d;",
             APPLICATION_ID, STORE_SCHEMA);
    /* Two may begin it at once: the second finds all done. */
    int rc = run(store, "BEGIN IMMEDIATE");
    if (rc == SQLITE_OK)
        rc = run(store, schema);
    if (rc == SQLITE_OK)
        rc = run(store, header);
    if (rc == SQLITE_OK)
        rc = run(store, "COMMIT");
    if (rc == SQLITE_OK)
        return 0;
    int error = tell(store, rc, "cannot be begun", err);
    run(store, "ROLLBACK");
    return error;
}

/* Make the file with a mode that keeps scripts private; refuse what is no
 * regular file, before SQLite says less about it. */
static int make_file(const char *path, struct err *err)
{
    struct stat st;
    char *dir = file_dir(path);
    int error = file_mkdirs(dir, err);

    free(dir);
    if (error)
        return error;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
    if (fd < 0) {
        error = -errno;
        return err_set(err, error,
                       "%s: state file cannot be opened: %s; name another "
                       "with --state",
                       path, err_name(error));
    }
    if (fstat(fd, &st) || !S_ISREG(st.st_mode))
        error =
            err_set(err, -EINVAL,
                    "%s: is no regular file; name another with --state", path);
    close(fd);
    return error;
}

static int open_file(struct store *store, struct err *err)
{
    bool fresh = false;
    int64_t tables = 0;
    int error = make_file(store->path, err);

    if (error)
        return error;
    int rc =
        sqlite3_open_v2(store->path, &store->db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX, NULL);
    if (rc != SQLITE_OK)
        return tell(store, rc, "cannot be opened", err);
    sqlite3_busy_timeout(store->db, BUSY_MS);
    error = check_header(store, &fresh, err);
    if (error)
        return error;
    rc = run(store, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;");
    if (rc != SQLITE_OK)
        return tell(store, rc, "cannot be set up", err);
    rc =
        number(store, "SELECT count(*) FROM sqlite_master WHERE name='figures'",
               &tables);
    if (rc != SQLITE_OK)
        return tell(store, rc, "cannot be read", err);
    return fresh || tables == 0 ? begin_file(store, err) : 0;
}

static void close_db(struct store *store)
{
    sqlite3_close(store->db); /* of NULL: nothing */
    store->db = NULL;
}

/* Rename the file and its journals to the first PATH.old-N that is free. */
static int move_aside(const char *path, struct err *err)
{
    static const char *const journals[] = { "-wal", "-shm", "-journal" };

    for (int n = 1; n < OLD_MAX; n++) {
        struct stat st;
        char *old = xasprintf("%s.old-%d", path, n);
        if (lstat(old, &st) == 0) {
            free(old);
            continue;
        }
        int error = rename(path, old) ? -errno : 0;
        for (size_t i = 0; !error && i < ARRAY_LEN(journals); i++) {
            char *from = xasprintf("%s%s", path, journals[i]);
            char *to = xasprintf("%s%s", old, journals[i]);
            rename(from, to); /* mostly there is none */
            free(from);
            free(to);
        }
        free(old);
        if (error)
            return err_set(err, error, "%s: cannot be moved aside: %s", path,
                           err_name(error));
        return 0;
    }
    return err_set(err, -EEXIST, "%s: too many files %s.old-N; remove some",
                   path, path);
}

char *store_default_path(void)
{
    const char *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");

    /* The specification of these folders ignores relative paths. */
    if (state && *state == '/')
        return xasprintf("%s/autodd-c/state.db", state);
    if (home && *home == '/')
        return xasprintf("%s/.local/state/autodd-c/state.db", home);
    return NULL;
}

/* ---- lock files ---- */

/* Whether the name still leads to the open file. */
static bool is_current(int fd, const char *path)
{
    struct stat a, b;

    return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* The descriptor, or a negative errno. */
static int take_lock(const char *path)
{
    for (;;) {
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0)
            return -errno;
        if (flock(fd, LOCK_EX | LOCK_NB)) {
            int error = errno == EWOULDBLOCK ? -EBUSY : -errno;
            close(fd);
            return error;
        }
        if (is_current(fd, path))
            return fd;
        close(fd); /* its owner has just removed it: again */
    }
}

/* A process that was killed leaves the files of its locks, which nobody holds.
 * Nothing depends on this: errors are passed over. */
static void remove_stale_locks(const char *path)
{
    char *folder = file_dir(path), *name = file_name(path);
    char *prefix = xasprintf("%s.lock-", name);
    DIR *dir = opendir(folder);
    const struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
            continue;
        char *file = file_join(folder, entry->d_name);
        int fd = take_lock(file);

        if (fd >= 0) {
            unlink(file); /* while it is held */
            close(fd);
        }
        free(file);
    }
    if (dir)
        closedir(dir);
    free(prefix);
    free(name);
    free(folder);
}

int store_open(struct store **out, const char *path, bool take_over,
               struct err *err)
{
    struct store *store = xcalloc(1, sizeof(*store));

    store->path = xstrdup(path);
    int error = open_file(store, err);
    if (take_over && (error == -EINVAL || error == -EPROTO)) {
        close_db(store);
        error = move_aside(path, err);
        if (!error)
            error = open_file(store, err);
    }
    if (error) {
        store_close(store);
        return error;
    }
    remove_stale_locks(path);
    *out = store;
    return 0;
}

void store_close(struct store *store)
{
    if (!store)
        return;
    close_db(store);
    for (size_t i = 0; i < store->nlocks; i++) {
        unlink(store->locks[i].path); /* while it is held */
        close(store->locks[i].fd);
        free(store->locks[i].path);
    }
    free(store->locks);
    free(store->path);
    free(store);
}

/* ---- the lock of a job ---- */

static int lock_job(struct store *store, struct hash128 key, const char *script,
                    struct err *err)
{
    char hex[33];

    hash_hex(key, hex);
    char *path = xasprintf("%s.lock-%s", store->path, hex);
    int fd = take_lock(path);
    if (fd < 0) {
        if (fd == -EBUSY)
            err_set(err, fd,
                    "%s: another autodd-c is at work on it with the same "
                    "options; wait for it, or name another --state",
                    script);
        else
            err_set(err, fd, "%s: cannot be locked: %s", path, err_name(fd));
        free(path);
        return fd;
    }
    xgrow(&store->locks, &store->room, store->nlocks + 1,
          sizeof(*store->locks));
    store->locks[store->nlocks++] = (struct lock){ fd, path };
    return 0;
}

/* ---- jobs ---- */

static int find_job(struct store *store, struct hash128 key, int64_t *id)
{
    sqlite3_stmt *stmt = NULL;
    int rc = prepare(
        store, "SELECT id FROM job WHERE key_high=?1 AND key_low=?2", &stmt);

    *id = 0;
    if (rc == SQLITE_OK) {
        bind_hash(stmt, 1, key);
        rc = sqlite3_step(stmt);
        if (rc == SQLITE_ROW)
            *id = sqlite3_column_int64(stmt, 0);
    }
    sqlite3_finalize(stmt);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int insert_job(struct store *store, struct hash128 key, const char *path,
                      struct bytes script, int64_t *id)
{
    sqlite3_stmt *stmt = NULL;
    int rc = prepare(store,
                     "INSERT INTO job(key_high, key_low, path, script,"
                     " hash_high, hash_low) VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
                     &stmt);

    if (rc == SQLITE_OK) {
        bind_hash(stmt, 1, key);
        sqlite3_bind_text(stmt, 3, path, -1, SQLITE_STATIC);
        bind_blob(stmt, 4, script);
        bind_hash(stmt, 5, hash_bytes(script.data, script.len));
        rc = step_done(stmt);
        *id = sqlite3_last_insert_rowid(store->db);
    }
    sqlite3_finalize(stmt);
    return rc;
}

int store_job(struct store *store, struct hash128 key, const char *path,
              struct bytes script, int64_t *id, bool *fresh, struct err *err)
{
    int error = lock_job(store, key, path, err);

    if (error)
        return error;
    /* Only the holder of the lock inserts this key. */
    int rc = find_job(store, key, id);
    *fresh = rc == SQLITE_OK && *id == 0;
    if (*fresh)
        rc = insert_job(store, key, path, script, id);
    return rc == SQLITE_OK ? 0 : tell(store, rc, "cannot note the job", err);
}

/* End the transaction: commit if all went well, else back. */
static int end_transaction(struct store *store, int rc, const char *what,
                           struct err *err)
{
    if (rc == SQLITE_OK)
        rc = run(store, "COMMIT");
    if (rc == SQLITE_OK)
        return 0;
    int error = tell(store, rc, what, err);
    /* A full disk may have rolled it back already. */
    if (!sqlite3_get_autocommit(store->db))
        run(store, "ROLLBACK");
    return error;
}

/* A statement with the job's number and one more. */
static int run_with(struct store *store, const char *sql, int64_t job,
                    int64_t more)
{
    sqlite3_stmt *stmt = NULL;
    int rc = prepare(store, sql, &stmt);

    if (rc == SQLITE_OK) {
        sqlite3_bind_int64(stmt, 1, job);
        if (sqlite3_bind_parameter_count(stmt) > 1)
            sqlite3_bind_int64(stmt, 2, more);
        rc = step_done(stmt);
    }
    sqlite3_finalize(stmt);
    return rc;
}

/* With the job's number as its only value. */
static int run_for(struct store *store, const char *sql, int64_t job)
{
    return run_with(store, sql, job, 0);
}

int store_reset(struct store *store, int64_t job, struct err *err)
{
    int rc = run(store, "BEGIN IMMEDIATE");

    if (rc == SQLITE_OK)
        rc = run_for(store, "DELETE FROM report WHERE job=?1", job);
    if (rc == SQLITE_OK)
        rc = run_for(store, "DELETE FROM step WHERE job=?1", job);
    if (rc == SQLITE_OK)
        rc = run_for(store, "DELETE FROM trace WHERE job=?1", job);
    if (rc == SQLITE_OK)
        rc = run_for(store, "DELETE FROM figures WHERE job=?1", job);
    if (rc == SQLITE_OK)
        rc = run_for(store, "DELETE FROM good WHERE job=?1", job);
    if (rc == SQLITE_OK)
        rc = run_for(store, "DELETE FROM look WHERE job=?1", job);
    if (rc == SQLITE_OK)
        rc = run_for(store,
                     "UPDATE job SET status=NULL, signature=NULL, runs=0"
                     " WHERE id=?1",
                     job);
    return end_transaction(store, rc, "cannot forget the job", err);
}

/* ---- the trace ---- */

static void bind_text(sqlite3_stmt *stmt, int i, const char *text)
{
    sqlite3_bind_text(stmt, i, text, -1, SQLITE_STATIC); /* NULL binds NULL */
}

static char *column_copy(sqlite3_stmt *stmt, int i)
{
    return xstrdup((const char *)sqlite3_column_text(stmt, i));
}

/* Keep a job's figures if none are kept; *figures become those that are. */
static int keep_figures(struct store *store, int64_t job, uint32_t *figures)
{
    sqlite3_stmt *stmt = NULL;
    int rc = run_with(store, "INSERT OR IGNORE INTO figures VALUES(?1, ?2)",
                      job, *figures);

    if (rc == SQLITE_OK)
        rc = prepare(store, "SELECT value FROM figures WHERE job=?1", &stmt);
    if (rc == SQLITE_OK) {
        sqlite3_bind_int64(stmt, 1, job);
        rc = sqlite3_step(stmt);
    }
    if (rc == SQLITE_ROW) {
        *figures = (uint32_t)sqlite3_column_int64(stmt, 0);
        rc = SQLITE_OK;
    } else if (rc == SQLITE_DONE) {
        rc = SQLITE_CORRUPT;
    }
    sqlite3_finalize(stmt);
    return rc;
}

int store_trace(struct store *store, int64_t job, struct store_trace *trace,
                struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc =
        prepare(store, "INSERT OR IGNORE INTO trace VALUES(?1, ?2, ?3)", &stmt);

    if (rc == SQLITE_OK) {
        sqlite3_bind_int64(stmt, 1, job);
        bind_text(stmt, 2, trace->ran);
        bind_text(stmt, 3, trace->observed);
        rc = step_done(stmt);
    }
    sqlite3_finalize(stmt);
    stmt = NULL;
    if (rc == SQLITE_OK)
        rc = prepare(store, "SELECT ran, observed FROM trace WHERE job=?1",
                     &stmt);
    if (rc == SQLITE_OK) {
        sqlite3_bind_int64(stmt, 1, job);
        rc = sqlite3_step(stmt);
    }
    if (rc == SQLITE_ROW) {
        free(trace->ran);
        free(trace->observed);
        trace->ran = column_copy(stmt, 0);
        trace->observed = column_copy(stmt, 1);
        rc = SQLITE_OK;
    } else if (rc == SQLITE_DONE) {
        rc = SQLITE_CORRUPT;
    }
    sqlite3_finalize(stmt);
    if (rc == SQLITE_OK)
        rc = keep_figures(store, job, &trace->figures);
    return rc == SQLITE_OK ? 0 : tell(store, rc, "cannot keep a trace", err);
}

/* ---- writing ---- */

static int write_reports(struct store *store, int64_t job,
                         const struct store_batch *batch)
{
    sqlite3_stmt *stmt = NULL;
    int rc = prepare(store,
                     "INSERT INTO report SELECT ?1, coalesce(max(seq), 0) + 1,"
                     " ?2, ?3, ?4, ?5, ?6, ?7 FROM report WHERE job=?1",
                     &stmt);

    for (size_t i = 0; rc == SQLITE_OK && i < batch->nreports; i++) {
        const struct store_report *r = &batch->reports[i];
        sqlite3_bind_int64(stmt, 1, job);
        sqlite3_bind_int64(stmt, 2, (int64_t)r->issued);
        sqlite3_bind_int64(stmt, 3, (int64_t)r->trial);
        sqlite3_bind_int64(stmt, 4,
                           r->verdict | (int64_t)r->figures << VERDICT_BITS);
        sqlite3_bind_int(stmt, 5,
                         (r->early ? FLAG_EARLY : 0) |
                             (r->expected ? FLAG_EXPECTED : 0));
        bind_hash(stmt, 6, r->hash);
        rc = step_done(stmt);
    }
    sqlite3_finalize(stmt);
    return rc;
}

static int write_looks(struct store *store, int64_t job,
                       const struct store_batch *batch)
{
    sqlite3_stmt *stmt = NULL;
    int rc =
        prepare(store, "INSERT OR REPLACE INTO look VALUES(?1, ?2, ?3)", &stmt);

    for (size_t i = 0; rc == SQLITE_OK && i < batch->nreports; i++) {
        const struct store_report *r = &batch->reports[i];
        if (!r->observed)
            continue;
        sqlite3_bind_int64(stmt, 1, job);
        sqlite3_bind_int64(stmt, 2, (int64_t)r->trial);
        bind_text(stmt, 3, r->observed);
        rc = step_done(stmt);
    }
    sqlite3_finalize(stmt);
    return rc;
}

static int write_steps(struct store *store, int64_t job,
                       const struct store_batch *batch)
{
    sqlite3_stmt *stmt = NULL;
    int rc = prepare(store,
                     "INSERT INTO step SELECT ?1, coalesce(max(seq), 0) + 1,"
                     " ?2, ?3, ?4, ?5, ?6, ?7 FROM step WHERE job=?1",
                     &stmt);

    for (size_t i = 0; rc == SQLITE_OK && i < batch->nsteps; i++) {
        const struct store_step *s = &batch->steps[i];
        sqlite3_bind_int64(stmt, 1, job);
        sqlite3_bind_int64(stmt, 2, (int64_t)s->run);
        sqlite3_bind_int64(stmt, 3, (int64_t)s->at_ms);
        sqlite3_bind_text(stmt, 4, s->kind, -1, SQLITE_STATIC);
        bind_blob(stmt, 5, s->text);
        bind_hash(stmt, 6, hash_bytes(s->text.data, s->text.len));
        rc = step_done(stmt);
    }
    sqlite3_finalize(stmt);
    return rc;
}

static int write_goods(struct store *store, int64_t job,
                       const struct store_batch *batch)
{
    sqlite3_stmt *stmt = NULL;
    int rc =
        prepare(store, "INSERT OR IGNORE INTO good VALUES(?1, ?2, ?3)", &stmt);

    for (size_t i = 0; rc == SQLITE_OK && i < batch->nsteps; i++) {
        if (!batch->steps[i].has_good)
            continue;
        bind_hash(stmt, 1, batch->steps[i].good);
        sqlite3_bind_int64(stmt, 3, job);
        rc = step_done(stmt);
    }
    sqlite3_finalize(stmt);
    return rc;
}

static int write_job(struct store *store, int64_t job,
                     const struct store_batch *batch)
{
    sqlite3_stmt *stmt = NULL;

    if (!batch->signature && !batch->status && batch->runs == 0)
        return SQLITE_OK;
    int rc = prepare(store,
                     "UPDATE job SET signature=coalesce(?2, signature),"
                     " status=coalesce(?3, status),"
                     " runs=CASE ?4 WHEN 0 THEN runs ELSE ?4 END WHERE id=?1",
                     &stmt);
    if (rc == SQLITE_OK) {
        sqlite3_bind_int64(stmt, 1, job);
        sqlite3_bind_text(stmt, 2, batch->signature, -1, SQLITE_STATIC);
        sqlite3_bind_text(stmt, 3, batch->status, -1, SQLITE_STATIC);
        sqlite3_bind_int64(stmt, 4, (int64_t)batch->runs);
        rc = step_done(stmt);
    }
    sqlite3_finalize(stmt);
    return rc;
}

/* Rows are numbered from 1 without a gap. The texts of the steps that go may
 * stand in a file of the user's: they stay known as ours. */
static int write_cut(struct store *store, int64_t job,
                     const struct store_cut *cut)
{
    int rc;

    if (!cut)
        return SQLITE_OK;
    rc = run_with(store, "DELETE FROM report WHERE job=?1 AND seq>?2", job,
                  (int64_t)cut->reports);
    if (rc == SQLITE_OK)
        rc = run_with(store,
                      "INSERT OR IGNORE INTO good SELECT hash_high, hash_low,"
                      " job FROM step WHERE job=?1 AND seq>?2",
                      job, (int64_t)cut->steps);
    if (rc == SQLITE_OK)
        rc = run_with(store, "DELETE FROM step WHERE job=?1 AND seq>?2", job,
                      (int64_t)cut->steps);
    if (rc == SQLITE_OK)
        rc = run_for(store,
                     "DELETE FROM look WHERE job=?1 AND trial NOT IN"
                     " (SELECT trial FROM report WHERE job=?1)",
                     job);
    return rc;
}

int store_write(struct store *store, int64_t job,
                const struct store_batch *batch, struct err *err)
{
    int rc = run(store, "BEGIN IMMEDIATE");

    if (rc == SQLITE_OK)
        rc = write_cut(store, job, batch->cut);
    if (rc == SQLITE_OK)
        rc = write_reports(store, job, batch);
    if (rc == SQLITE_OK)
        rc = write_looks(store, job, batch);
    if (rc == SQLITE_OK)
        rc = write_steps(store, job, batch);
    if (rc == SQLITE_OK)
        rc = write_goods(store, job, batch);
    if (rc == SQLITE_OK)
        rc = write_job(store, job, batch);
    return end_transaction(store, rc, "cannot be written", err);
}

/* ---- reading ---- */

int store_replay(struct store *store, int64_t job,
                 bool (*each)(void *arg, const struct store_report *report),
                 void *arg, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = prepare(store,
                     "SELECT issued, trial, verdict, early, hash_high,"
                     " hash_low, observed FROM report LEFT JOIN look"
                     " USING(job, trial) WHERE job=?1 ORDER BY seq",
                     &stmt);

    if (rc == SQLITE_OK)
        rc = sqlite3_bind_int64(stmt, 1, job);
    while (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        struct store_report report = {
            .issued = (uint64_t)sqlite3_column_int64(stmt, 0),
            .trial = (uint64_t)sqlite3_column_int64(stmt, 1),
            .verdict = (int)(sqlite3_column_int64(stmt, 2) &
                             ((1 << VERDICT_BITS) - 1)),
            .figures =
                (uint32_t)(sqlite3_column_int64(stmt, 2) >> VERDICT_BITS),
            .early = (sqlite3_column_int(stmt, 3) & FLAG_EARLY) != 0,
            .expected = (sqlite3_column_int(stmt, 3) & FLAG_EXPECTED) != 0,
            .hash = { (uint64_t)sqlite3_column_int64(stmt, 4),
                      (uint64_t)sqlite3_column_int64(stmt, 5) },
            .observed = (const char *)sqlite3_column_text(stmt, 6),
        };
        rc = each(arg, &report) ? SQLITE_OK : SQLITE_DONE;
    }
    sqlite3_finalize(stmt);
    return rc == SQLITE_DONE ? 0 : tell(store, rc, "cannot be read", err);
}

int store_steps(struct store *store, int64_t job,
                bool (*each)(void *arg, const struct store_step *step),
                void *arg, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = prepare(store,
                     "SELECT run, at_ms, kind, text FROM step WHERE job=?1"
                     " ORDER BY seq",
                     &stmt);

    if (rc == SQLITE_OK)
        rc = sqlite3_bind_int64(stmt, 1, job);
    while (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        const char *kind = (const char *)sqlite3_column_text(stmt, 2);
        const char *text = sqlite3_column_blob(stmt, 3);
        struct store_step step = {
            .run = (uint64_t)sqlite3_column_int64(stmt, 0),
            .at_ms = (uint64_t)sqlite3_column_int64(stmt, 1),
            .kind = kind ? kind : "",
            .text = bytes_of(text ? text : "",
                             (size_t)sqlite3_column_bytes(stmt, 3)),
        };
        rc = each(arg, &step) ? SQLITE_OK : SQLITE_DONE;
    }
    sqlite3_finalize(stmt);
    return rc == SQLITE_DONE ? 0 : tell(store, rc, "cannot be read", err);
}

bool store_knows(struct store *store, struct hash128 text)
{
    sqlite3_stmt *stmt = NULL;
    bool known = false;
    int rc = prepare(store,
                     "SELECT 1 FROM step WHERE hash_high=?1 AND hash_low=?2"
                     " UNION ALL"
                     " SELECT 1 FROM job WHERE hash_high=?1 AND hash_low=?2"
                     " UNION ALL"
                     " SELECT 1 FROM good WHERE hash_high=?1 AND hash_low=?2"
                     " LIMIT 1",
                     &stmt);

    if (rc == SQLITE_OK) {
        bind_hash(stmt, 1, text);
        known = sqlite3_step(stmt) == SQLITE_ROW;
    }
    sqlite3_finalize(stmt);
    return known;
}

int store_status(struct store *store, int64_t job, struct store_status *status,
                 struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = prepare(
        store,
        "SELECT status, signature, runs,"
        " (SELECT count(*) FROM step WHERE job=?1),"
        " coalesce((SELECT at_ms FROM step WHERE job=?1"
        "           ORDER BY seq DESC LIMIT 1), 0) FROM job WHERE id=?1",
        &stmt);

    *status = (struct store_status){ 0 };
    if (rc == SQLITE_OK) {
        sqlite3_bind_int64(stmt, 1, job);
        rc = sqlite3_step(stmt);
    }
    if (rc == SQLITE_ROW) {
        status->status = xstrdup((const char *)sqlite3_column_text(stmt, 0));
        status->signature = xstrdup((const char *)sqlite3_column_text(stmt, 1));
        status->runs = (uint64_t)sqlite3_column_int64(stmt, 2);
        status->steps = (uint64_t)sqlite3_column_int64(stmt, 3);
        status->elapsed_ms = (uint64_t)sqlite3_column_int64(stmt, 4);
    }
    sqlite3_finalize(stmt);
    if (rc == SQLITE_DONE)
        return err_set(err, -ENOENT, "%s: no job %lld in this state file",
                       store->path, (long long)job);
    return rc == SQLITE_ROW ? 0 : tell(store, rc, "cannot be read", err);
}
