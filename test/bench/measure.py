"""Run a program for a limited time, and say what it and all below it took.

This process adopts what its descendants leave behind, so nothing is missing
from the CPU time, and nothing is left when it ends. First output line: JSON.

usage: measure.py SECONDS LOG PROGRAM ARGS...
"""
import ctypes
import json
import os
import resource
import select
import signal
import sys
import time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
GRACE = 3  # seconds between asking to end and ending


def descendants():
    """The processes below this one, children first."""
    below, found = {}, []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % name, encoding="latin-1") as stat:
                parent = stat.read().rpartition(")")[2].split()[1]
        except OSError:
            continue
        below.setdefault(int(parent), []).append(int(name))
    queue = [os.getpid()]
    while queue:
        children = below.get(queue.pop(), [])
        found += children
        queue += children
    return found


def signal_all(number):
    """Send a signal to everything below this process."""
    for pid in descendants():
        try:
            os.kill(pid, number)
        except OSError:
            pass


def wait(fd, seconds):
    """Wait for a process to end; tell whether it did."""
    return bool(select.select([fd], [], [], max(seconds, 0))[0])


def give_up(*_):
    """The comparison was ended: leave nothing behind."""
    while descendants():
        signal_all(signal.SIGKILL)
        os.wait()
    os._exit(1)


def main():
    """Start, wait, stop, reap, tell."""
    seconds, log, command = float(sys.argv[1]), sys.argv[2], sys.argv[3:]
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    signal.signal(signal.SIGTERM, give_up)
    start = time.monotonic()
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.setsid()
        out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out, 1)
        os.dup2(out, 2)
        os.execvp(command[0], command)
    handle = os.pidfd_open(pid)
    stopped = not wait(handle, seconds)
    wall = time.monotonic() - start
    if stopped:
        os.kill(pid, signal.SIGINT)
        wait(handle, GRACE)
    while descendants():
        signal_all(signal.SIGKILL)
        try:
            ended, status = os.wait()
        except ChildProcessError:
            break
        if ended == pid:
            code = os.waitstatus_to_exitcode(status)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(json.dumps({"wall": wall, "stopped": stopped, "exit": code,
                      "cpu": usage.ru_utime + usage.ru_stime}))


if __name__ == "__main__":
    main()
