/* This test is the worker: runs are forked here, and what they leave becomes
 * this process's children. A stray says that it is there by a byte, or its
 * pid, on a pipe; that it is gone shows as the end of that pipe, or as
 * ESRCH. */
#include "test/test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "worker/proc.h"
#include "worker/sweep.h"

#define DEADLINE_S 60 /* of a test, by SIGALRM */

/* Start a leader: a session of its own that runs `body` with the write end of
 * a pipe. *fd is the read end. */
static pid_t start(void (*body)(int fd), int *fd)
{
    int fds[2];

    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0) {
        setsid();
        close(fds[0]);
        body(fds[1]);
        _exit(0);
    }
    close(fds[1]);
    *fd = fds[0];
    return pid;
}

static void say_pid(int fd)
{
    pid_t pid = getpid();

    if (write(fd, &pid, sizeof(pid)) != sizeof(pid))
        _exit(9);
}

static pid_t hear_pid(int fd)
{
    pid_t pid = 0;

    assert_int_equal(read(fd, &pid, sizeof(pid)), sizeof(pid));
    return pid;
}

static void hang(void)
{
    alarm(DEADLINE_S); /* for one whose test was cut short */
    for (;;)
        pause();
}

/* As the worker does: until nothing is left. Returns how many were seen. */
static size_t end_run(struct sweep *sweep, uint64_t run)
{
    size_t n = 0, now;

    while ((now = sweep_end(sweep, run)) > 0) {
        n += now;
        sched_yield();
    }
    return n;
}

static ino_t inode(int fd)
{
    struct stat st;

    fstat(fd, &st);
    return st.st_ino;
}

static bool is_gone(pid_t pid)
{
    return kill(pid, 0) == -1 && errno == ESRCH;
}

static void in_the_group(int fd)
{
    if (fork() == 0) {
        say_pid(fd);
        hang();
    }
}

static void in_a_new_session(int fd)
{
    char *const env[] = { (char *)(uintptr_t) "AUTODD_RUN=m-1", NULL };

    if (fork() == 0) {
        setsid();
        dup2(fd, 1);
        execle("/bin/sh", "sh", "-c",
               "cd /; echo 123; sleep 100; :", (char *)NULL, env);
    }
}

/* Of the output pipe alone one can tell whose this is. */
static void by_its_pipe(int fd)
{
    if (fork() == 0) {
        setsid();
        if (chdir("/"))
            _exit(9);
        say_pid(fd);
        hang();
    }
}

/* A daemon by the book: no parent, no session, no output, no folder of the
 * run, no exec. */
static void as_a_daemon(int fd)
{
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            if (chdir("/"))
                _exit(9);
            say_pid(fd);
            for (int i = 0; i < 64; i++)
                close(i);
            hang();
        }
        _exit(0);
    }
}

/* A daemon whose parent stays until it is killed. */
static void daemon_of_a_daemon(int fd)
{
    if (fork() == 0) {
        setsid();
        if (chdir("/"))
            _exit(9);
        say_pid(fd);
        if (fork() == 0)
            say_pid(fd);
        for (int i = 0; i < 64; i++)
            close(i);
        hang();
    }
}

/* Forks and ends, again and again; not for ever, lest a test that is cut short
 * leaves the machine without process numbers. */
static void hopping(int fd)
{
    if (fork() == 0) {
        setsid();
        say_pid(fd);
        for (int i = 0; i < 5000; i++) {
            usleep(100);
            if (fork() > 0)
                _exit(0);
        }
    }
}

static void one_zombie(int fd)
{
    if (fork() == 0) {
        say_pid(fd);
        _exit(0);
    }
    hang();
}

static void four_processes(int fd)
{
    for (int i = 0; i < 3; i++) {
        if (fork() == 0) {
            if (i == 1)
                setsid();
            say_pid(fd);
            hang();
        }
    }
    hang();
}

static void just_hangs(int fd)
{
    say_pid(fd);
    hang();
}

static void wait_for(pid_t leader)
{
    assert_int_equal(waitpid(leader, NULL, 0), leader);
}

static void end_of(int fd)
{
    char bytes[256];
    ssize_t n;

    while ((n = read(fd, bytes, sizeof(bytes))) > 0)
        ;
    assert_int_equal(n, 0);
    close(fd);
}

/* Run `body` as run 1, sweep, and see that its pipe has ended. */
static size_t sweep_after(void (*body)(int fd))
{
    struct sweep *sweep = sweep_new("m");
    int fd;
    pid_t leader = start(body, &fd);

    sweep_begin(sweep, 1, leader, "/no/folder", 0, 0);
    hear_pid(fd);
    wait_for(leader);
    size_t n = end_run(sweep, 1);
    end_of(fd);
    sweep_forget(sweep, 1);
    sweep_free(sweep);
    return n;
}

static void what_stays_in_the_group_is_ended(void **state)
{
    (void)state;
    assert_true(sweep_after(in_the_group) >= 1);
}

static void a_child_that_left_by_setsid_is_ended(void **state)
{
    (void)state;
    assert_true(sweep_after(in_a_new_session) >= 1);
}

static void a_child_that_forks_all_the_time_is_ended(void **state)
{
    (void)state;
    sweep_after(hopping);
}

static void a_daemon_without_any_trace_is_ended(void **state)
{
    struct sweep *sweep = sweep_new("m");
    int fd;
    pid_t leader = start(as_a_daemon, &fd);
    (void)state;

    sweep_begin(sweep, 1, leader, "/no/folder", 0, 0);
    pid_t daemon = hear_pid(fd);
    wait_for(leader);
    end_run(sweep, 1);
    assert_true(is_gone(daemon));
    close(fd);
    sweep_free(sweep);
}

static void an_orphan_of_unknown_origin_waits_for_its_last_suspect(void **state)
{
    struct sweep *sweep = sweep_new("m");
    int fd, other_fd, third_fd;
    pid_t leader = start(as_a_daemon, &fd);
    pid_t other = start(just_hangs, &other_fd);
    (void)state;

    sweep_begin(sweep, 1, leader, "/no/folder", 0, 0);
    sweep_begin(sweep, 2, other, "/no/folder", 0, 0);
    pid_t daemon = hear_pid(fd);
    hear_pid(other_fd);
    wait_for(leader);
    assert_int_equal(end_run(sweep, 1), 0);
    sweep_forget(sweep, 1);
    assert_false(is_gone(daemon)); /* it may be the other's */

    pid_t third = start(just_hangs, &third_fd); /* too late to be suspected */
    sweep_begin(sweep, 3, third, "/no/folder", 0, 0);
    hear_pid(third_fd);
    kill(other, SIGKILL);
    wait_for(other);
    end_run(sweep, 2);
    assert_true(is_gone(daemon));

    assert_int_equal(waitpid(third, NULL, WNOHANG), 0); /* untouched */
    kill(third, SIGKILL);
    wait_for(third);
    end_of(third_fd);
    close(fd);
    close(other_fd);
    sweep_free(sweep);
}

static void a_stray_that_loses_its_parent_keeps_its_suspects(void **state)
{
    struct sweep *sweep = sweep_new("m");
    int fd, other_fd;
    pid_t leader = start(daemon_of_a_daemon, &fd);
    (void)state;

    sweep_begin(sweep, 1, leader, "/no/folder", 0, 0);
    pid_t parent = hear_pid(fd), child = hear_pid(fd);
    wait_for(leader);
    assert_int_equal(sweep_measure(sweep, 1).procs, 2);

    pid_t other = start(just_hangs, &other_fd);
    sweep_begin(sweep, 2, other, "/no/folder", 0, 0);
    hear_pid(other_fd);
    kill(parent, SIGKILL);
    wait_for(parent);
    end_run(sweep, 1);
    assert_true(is_gone(child)); /* though run 2 is alive */

    kill(other, SIGKILL);
    wait_for(other);
    close(fd);
    close(other_fd);
    sweep_free(sweep);
}

/* With another run alive: is what `body` left given to its own run? */
static void assert_told_apart(void (*body)(int fd), bool pipe)
{
    struct sweep *sweep = sweep_new("m");
    int fd, other_fd;
    pid_t other = start(just_hangs, &other_fd);
    pid_t leader = start(body, &fd);

    sweep_begin(sweep, 2, other, "/no/folder", 0, 0);
    sweep_begin(sweep, 1, leader, "/no/folder", pipe ? inode(fd) : 0, 0);
    hear_pid(other_fd);
    hear_pid(fd);
    wait_for(leader);
    assert_true(end_run(sweep, 1) >= 1);
    end_of(fd);
    assert_int_equal(waitpid(other, NULL, WNOHANG), 0);
    kill(other, SIGKILL);
    wait_for(other);
    close(other_fd);
    sweep_free(sweep);
}

static void an_output_pipe_tells_whose_a_stray_is(void **state)
{
    (void)state;
    assert_told_apart(by_its_pipe, true);
}

static void the_environment_tells_whose_a_stray_is(void **state)
{
    (void)state;
    assert_told_apart(in_a_new_session, false);
}

static pid_t immortal; /* SIGKILL does not reach it; 0: nobody */

int __real_kill(pid_t pid, int signum);
int __wrap_kill(pid_t pid, int signum);
int __wrap_kill(pid_t pid, int signum)
{
    bool spared = immortal > 0 && signum == SIGKILL &&
                  (pid == immortal || -pid == getpgid(immortal));

    return spared ? 0 : __real_kill(pid, signum);
}

int __real_proc_kill(pid_t pid, uint64_t start_time);
int __wrap_proc_kill(pid_t pid, uint64_t start_time);
int __wrap_proc_kill(pid_t pid, uint64_t start_time)
{
    return pid == immortal ? 0 : __real_proc_kill(pid, start_time);
}

/* A run that leaves nothing: what its end sees. */
static size_t sweep_beside(struct sweep *sweep, uint64_t run)
{
    int fd;
    pid_t leader = start(just_hangs, &fd);
    size_t n;

    sweep_begin(sweep, run, leader, "/no/folder", 0, 0);
    hear_pid(fd);
    kill(leader, SIGKILL);
    wait_for(leader);
    n = sweep_end(sweep, run);
    close(fd);
    return n;
}

/* While its own run waits for it, and for ever after. */
static void what_does_not_die_is_counted_for_one_run_only(void **state)
{
    void (*const bodies[])(int) = { in_the_group, by_its_pipe, as_a_daemon };

    (void)state;
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        struct sweep *sweep = sweep_new("m");
        int fd;
        pid_t leader = start(bodies[i], &fd);

        sweep_begin(sweep, 1, leader, "/no/folder", inode(fd), 0);
        immortal = hear_pid(fd);
        wait_for(leader);
        while (sweep_end(sweep, 1) > 1) /* its parent may be there yet */
            sched_yield();
        assert_int_equal(sweep_end(sweep, 1), 1); /* it stays */
        if (bodies[i] != as_a_daemon)             /* else it might be of both */
            assert_int_equal(sweep_beside(sweep, 2), 0);
        sweep_forget(sweep, 1);
        assert_int_equal(sweep_beside(sweep, 3), 0);
        assert_int_equal(sweep_end(sweep, 2), 0);

        pid_t pid = immortal;
        immortal = 0;
        assert_int_equal(sweep_end(sweep, 3), 0);
        while (!is_gone(pid)) { /* ended all the same */
            sweep_end(sweep, 3);
            sched_yield();
        }
        close(fd);
        sweep_free(sweep);
    }
}

static void spared_ones_and_leaders_are_neither_ended_nor_reaped(void **state)
{
    struct sweep *sweep = sweep_new("m");
    int fds[3];
    pid_t zygote = start(just_hangs, &fds[0]);
    pid_t ended = start(just_hangs, &fds[1]);
    pid_t live = start(just_hangs, &fds[2]);
    siginfo_t info;
    (void)state;

    sweep_spare(sweep, zygote);
    sweep_begin(sweep, 1, ended, "/no/folder", 0, 0);
    sweep_begin(sweep, 2, live, "/no/folder", 0, 0);
    for (size_t i = 0; i < 3; i++)
        hear_pid(fds[i]);
    kill(ended, SIGTERM);
    waitid(P_PID, (id_t)ended, &info, WEXITED | WNOWAIT);
    assert_int_equal(end_run(sweep, 1), 0);
    wait_for(ended); /* its status is still there for its owner */
    assert_int_equal(waitpid(zygote, NULL, WNOHANG), 0);
    assert_int_equal(waitpid(live, NULL, WNOHANG), 0);

    sweep_unspare(sweep, zygote);
    kill(zygote, SIGKILL);
    kill(live, SIGKILL);
    wait_for(zygote);
    wait_for(live);
    for (size_t i = 0; i < 3; i++)
        close(fds[i]);
    sweep_free(sweep);
}

static void dead_orphans_are_reaped(void **state)
{
    struct sweep *sweep = sweep_new("m");
    int fd;
    pid_t leader = start(one_zombie, &fd);
    (void)state;

    sweep_begin(sweep, 1, leader, "/no/folder", 0, 0);
    pid_t zombie = hear_pid(fd);
    kill(leader, SIGKILL);
    wait_for(leader);
    end_run(sweep, 1);
    assert_true(is_gone(zombie));
    close(fd);
    sweep_free(sweep);
}

static void a_run_is_measured_with_all_it_has_made(void **state)
{
    struct sweep *sweep = sweep_new("m");
    int fd;
    pid_t leader = start(four_processes, &fd);
    (void)state;

    sweep_begin(sweep, 1, leader, "/no/folder", 0, 0);
    for (int i = 0; i < 3; i++)
        hear_pid(fd);
    struct sweep_usage usage = sweep_measure(sweep, 1);
    assert_int_equal(usage.procs, 4);
    assert_true(usage.rss > 4 * 4096);
    assert_int_equal(sweep_measure(sweep, 2).procs, 0);
    kill(leader, SIGKILL);
    wait_for(leader);
    assert_int_equal(sweep_measure(sweep, 1).procs, 3);
    end_run(sweep, 1);
    end_of(fd);
    sweep_free(sweep);
}

/* A thread beside the one that waits. */
static void *work(void *arg)
{
    volatile const bool *on = arg;

    while (*on)
        ;
    return NULL;
}

static void works_beside_waiting(int fd)
{
    bool on = true;
    pthread_t thread;

    if (pthread_create(&thread, NULL, work, &on) == 0)
        say_pid(fd);
    hang();
}

static void a_run_at_work_is_told_from_one_that_waits(void **state)
{
    struct sweep *sweep = sweep_new("m");
    pid_t leaders[2];
    int fds[2];
    (void)state;

    leaders[0] = start(works_beside_waiting, &fds[0]);
    leaders[1] = start(four_processes, &fds[1]);
    sweep_begin(sweep, 1, leaders[0], "/no/folder", 0, 0);
    sweep_begin(sweep, 2, leaders[1], "/no/folder", 0, 0);
    hear_pid(fds[0]);
    for (int i = 0; i < 3; i++)
        hear_pid(fds[1]);
    assert_true(sweep_measure(sweep, 1).running);
    while (sweep_measure(sweep, 2).running) /* until the last hangs */
        ;
    for (int i = 0; i < 2; i++) {
        kill(leaders[i], SIGKILL);
        wait_for(leaders[i]);
        end_run(sweep, (uint64_t)i + 1);
        end_of(fds[i]);
    }
    sweep_free(sweep);
}

static void a_job_is_found_by_its_mark(void **state)
{
    char *const marked[] = { (char *)(uintptr_t) "A=B",
                             (char *)(uintptr_t) "AUTODD_JOB=m7", NULL };
    char *const other[] = { (char *)(uintptr_t) "AUTODD_JOB=m77", NULL };
    char *const *const envs[] = { marked, marked, other };
    struct sweep *sweep = sweep_new("m7");
    pid_t pids[3];
    int status;
    (void)state;

    for (size_t i = 0; i < 3; i++) {
        int fds[2];
        char byte;
        assert_int_equal(pipe(fds), 0);
        pids[i] = fork();
        if (pids[i] == 0) {
            dup2(fds[1], 1);
            execle("/bin/sh", "sh", "-c", "echo; exec sleep 100", (char *)NULL,
                   envs[i]);
        }
        close(fds[1]);
        assert_int_equal(read(fds[0], &byte, 1), 1);
        close(fds[0]);
    }
    sweep_spare(sweep, pids[1]);
    assert_true(sweep_job(sweep) >= 1);
    assert_int_equal(waitpid(pids[0], &status, 0), pids[0]);
    assert_int_equal(WTERMSIG(status), SIGKILL);
    for (size_t i = 1; i < 3; i++) {
        assert_int_equal(waitpid(pids[i], NULL, WNOHANG), 0);
        kill(pids[i], SIGKILL);
        wait_for(pids[i]);
    }
    sweep_free(sweep);
}

static void a_process_number_alone_kills_nobody(void **state)
{
    int fd;
    pid_t pid = start(just_hangs, &fd);
    uint64_t began = proc_start_time(pid);
    (void)state;

    hear_pid(fd);
    assert_int_equal(proc_kill(pid, began + 1), -ESRCH);
    assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
    assert_int_equal(proc_kill(pid, began), 0);
    wait_for(pid);
    close(fd);
}

static int set_deadline(void **state)
{
    (void)state;
    alarm(DEADLINE_S);
    return 0;
}

/* What a failed test leaves would hold stdout open, and get into the next test.
 * Its orphans are children of this process too, since the first sweep_new(). */
static int end_all(void **state)
{
    pid_t dead;
    (void)state;

    immortal = 0;
    while ((dead = waitpid(-1, NULL, WNOHANG)) >= 0) {
        pid_t *pids = NULL;
        size_t n = proc_children(getpid(), &pids);

        for (size_t i = 0; i < n; i++)
            kill(pids[i], SIGKILL);
        free(pids);
        if (dead == 0)
            sched_yield();
    }
    alarm(0);
    return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_deadline, end_all)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_stays_in_the_group_is_ended),
        TEST(a_child_that_left_by_setsid_is_ended),
        TEST(a_child_that_forks_all_the_time_is_ended),
        TEST(a_daemon_without_any_trace_is_ended),
        TEST(an_orphan_of_unknown_origin_waits_for_its_last_suspect),
        TEST(a_stray_that_loses_its_parent_keeps_its_suspects),
        TEST(an_output_pipe_tells_whose_a_stray_is),
        TEST(the_environment_tells_whose_a_stray_is),
        TEST(what_does_not_die_is_counted_for_one_run_only),
        TEST(spared_ones_and_leaders_are_neither_ended_nor_reaped),
        TEST(dead_orphans_are_reaped),
        TEST(a_run_is_measured_with_all_it_has_made),
        TEST(a_run_at_work_is_told_from_one_that_waits),
        TEST(a_job_is_found_by_its_mark),
        TEST(a_process_number_alone_kills_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
