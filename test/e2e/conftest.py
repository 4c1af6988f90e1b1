"""What every end-to-end test stands on: the real binary, run in a world of its
own.

A `tool` has its own home, state folder, TMPDIR and a variable with a unique
value in its environment. All processes that it starts inherit the variable, so
that a test can prove, after any ending, that none of them is left; the TMPDIR
must be empty by then. The check runs at the end of every test that used a tool.

AUTODD_C names the binary. Library tests run their scripts with the interpreter
that runs pytest, all others with the plain one below it.
"""
import dataclasses
import glob
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from frames import Worker

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PATIENCE = 5  # seconds in which nothing may be left

LIBRARIES = {
    "torch": "torch",
    "tilelang": "tilelang",
    "triton-interpret": "torch, triton",
    "numba-sim": "numba, numpy",
}


def binary():
    path = os.environ.get("AUTODD_C")
    if not path or not os.access(path, os.X_OK):
        pytest.exit("AUTODD_C must name the autodd-c to test (make e2e sets it)", 2)
    return os.path.abspath(path)


def plain_python():
    """The interpreter below a virtual environment: it starts fastest."""
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


def version_of(python):
    try:
        text = subprocess.run(
            [python, "-c", "import sys; print(*sys.version_info[:2])"],
            capture_output=True, text=True, timeout=60).stdout
        return tuple(int(part) for part in text.split())
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return ()


def newer_python(wanted):
    """An interpreter of at least that version, or None."""
    found = [plain_python()]
    for minor in range(14, wanted[1] - 1, -1):
        path = shutil.which("python3.%d" % minor)
        if path:
            found.append(path)
    pyenv = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
    found += sorted(glob.glob(pyenv + "/versions/3.*/bin/python3"))
    for path in found:
        if version_of(path) >= wanted:
            return path
    return None


_imports = {}


def python_for(needs, version=None):
    """The interpreter for a case; skips the test where there is none."""
    if needs == "stdlib":
        if version is None:
            return plain_python()
        python = newer_python(version)
        if python is None:
            pytest.skip("no Python %d.%d or later here" % version)
        return python
    modules = LIBRARIES[needs]
    if modules not in _imports:
        _imports[modules] = subprocess.run(
            [sys.executable, "-c", "import " + modules], capture_output=True,
            timeout=300, cwd="/").returncode == 0
    if not _imports[modules]:
        pytest.skip("%s cannot import %s" % (sys.executable, modules))
    return sys.executable


def carrying(mark):
    """Processes that have the mark in their environment, zombies excepted."""
    pids = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open("/proc/%s/environ" % entry, "rb") as f:
                if mark.encode() in f.read():
                    pids.append(int(entry))
        except OSError:
            pass
    return pids


def wait_ended(pids, deadline):
    """Wait until the processes are gone or the deadline is reached."""
    poll, fds = select.poll(), []
    for pid in pids:
        try:
            fd = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        fds.append(fd)
        poll.register(fd, select.POLLIN)
    waiting = len(fds)
    while waiting:
        left = deadline - time.monotonic()
        if left <= 0:
            break
        for fd, _ in poll.poll(left * 1000):
            poll.unregister(fd)
            waiting -= 1
    for fd in fds:
        os.close(fd)


def until(condition, seconds, what):
    """Wait for a condition of the outside world; fail at the deadline."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, "waited %d s for %s" % (seconds, what)
        select.select([], [], [], 0.01)


def describe(pid):
    try:
        with open("/proc/%d/cmdline" % pid, "rb") as f:
            words = f.read().replace(b"\0", b" ").decode("utf-8", "replace")
        return "%d %s" % (pid, words[:200])
    except OSError:
        return "%d (gone)" % pid


@dataclasses.dataclass
class Done:
    """How one call of the program ended."""

    code: int
    out: str
    err: str

    @property
    def text(self):
        return self.out + self.err

    def __repr__(self):
        return "exit %d\n--- stdout\n%s\n--- stderr\n%s" % (
            self.code, self.out[-4000:], self.err[-6000:])


class Tool:
    def __init__(self, root):
        self.root = root
        self.work = root / "work"
        self.tmp = root / "tmp"
        self.home = root / "home"
        self.state = root / "state"
        self.sanitizer = root / "sanitizer"
        for folder in (self.work, self.tmp, self.home, self.state, self.sanitizer):
            folder.mkdir()
        self.mark = "AUTODD_E2E=" + uuid.uuid4().hex
        self.started = []

    def environ(self, extra=None):
        env = dict(os.environ)
        for name in ("PYTHONHASHSEED", "PYTHONPATH", "XDG_CONFIG_HOME", "PYTEST_CURRENT_TEST"):
            env.pop(name, None)
        name, value = self.mark.split("=")
        log = "log_path=%s/log:" % self.sanitizer
        env.update({
            name: value,
            "HOME": str(self.home),
            "XDG_STATE_HOME": str(self.state),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "TMPDIR": str(self.tmp),
            "ASAN_OPTIONS": log + env.get("ASAN_OPTIONS", ""),
            "UBSAN_OPTIONS": log + env.get("UBSAN_OPTIONS", ""),
        })
        env.update({key: str(value) for key, value in (extra or {}).items()})
        return env

    def write(self, name, text, encoding="utf-8"):
        """A file in the folder of scripts; its path."""
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
        return path

    def start(self, *args, env=None, cwd=None, **popen):
        popen.setdefault("stdin", subprocess.DEVNULL)
        popen.setdefault("stdout", subprocess.PIPE)
        popen.setdefault("stderr", subprocess.PIPE)
        process = subprocess.Popen(
            [binary()] + [str(a) for a in args], env=self.environ(env),
            cwd=cwd or self.work, **popen)
        self.started.append(process)
        return process

    def finish(self, process, timeout=120):
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            pytest.fail("no end after %d s\n%r" % (timeout, Done(
                -9, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))))
        return Done(process.returncode, (out or b"").decode("utf-8", "replace"),
                    (err or b"").decode("utf-8", "replace"))

    def run(self, *args, timeout=120, **more):
        return self.finish(self.start(*args, **more), timeout)

    def minimize(self, script, *args, python=None, jobs=2, after=(), timeout=300, **more):
        """Run it on a script; how it ended, the result's path, the report."""
        out = script.with_name("result.py")
        report = self.root / "report.json"
        done = self.run(
            script, *args, "-j", jobs, "-o", out, "--python", python or plain_python(),
            "--report", report, *(["--", *after] if after else []), timeout=timeout, **more)
        return done, out, self.report(report)

    @staticmethod
    def report(path):
        """What a report says; None where there is none, or no whole one."""
        try:
            return json.loads(path.read_text())
        except (OSError, ValueError):
            return None

    def left(self):
        """What is still there of this tool, after the patience at most."""
        deadline = time.monotonic() + PATIENCE
        while True:
            pids = carrying(self.mark)
            if not pids or time.monotonic() >= deadline:
                break
            wait_ended(pids, deadline)
        if pids:
            return ["process " + describe(pid) for pid in pids]
        return ["file " + str(path) for path in sorted(self.tmp.rglob("*"))]

    def children(self, pid):
        try:
            with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
                return [int(word) for word in f.read().split()]
        except OSError:
            return []

    def worker(self, process):
        """The pid of the worker of a running tool, or None."""
        for pid in self.children(process.pid):
            if " worker" in describe(pid):
                return pid
        return None

    def zygote(self, process):
        """The pid of the fork server: a child of the worker that is no run."""
        for pid in self.children(self.worker(process) or 0):
            try:
                with open("/proc/%d/environ" % pid, "rb") as f:
                    names = [item.split(b"=")[0] for item in f.read().split(b"\0")]
            except OSError:
                continue
            if b"AUTODD_JOB" in names and b"AUTODD_RUN" not in names:
                return pid
        return None

    def close(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.communicate()
        left = self.left()
        for pid in carrying(self.mark):
            os.kill(pid, signal.SIGKILL)
        assert not left, "left behind: " + "; ".join(left)
        logs = [path.read_text() for path in self.sanitizer.iterdir()]
        assert not logs, "sanitizer: " + "\n".join(logs)


@pytest.fixture
def tool(tmp_path):
    tool = Tool(tmp_path)
    yield tool
    tool.close()


@pytest.fixture
def make(tmp_path):
    """Workers that are ended, and leave nothing, whatever the test did."""
    made = []

    def maker(**setup):
        worker = Worker(tmp_path, **setup)
        made.append(worker)
        return worker

    yield maker
    for worker in made:
        if worker.process.poll() is None:
            assert worker.finish() == 0, worker.said()
            assert worker.leftovers() == ([], []), worker.said()
        for pid in worker.processes():
            os.kill(pid, signal.SIGKILL)
        worker.process.stdout.close()
        worker.log.close()


def fresh(script, python=None, args=(), timeout=120, env=None):
    """Run a script by itself; its exit code and its output.

    In a session of its own: a result may well signal its process group."""
    done = subprocess.run(
        [python or plain_python(), str(script), *args], stdin=subprocess.DEVNULL,
        capture_output=True, timeout=timeout, cwd=os.path.dirname(script),
        start_new_session=True,
        env={**os.environ, **(env or {})})
    text = done.stdout + done.stderr
    return done.returncode, text.decode("utf-8", "replace")


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def names_place(text, file):
    """FILE:LINE:COLUMN in a message, as (line, column), or None."""
    match = re.search(re.escape(file) + r":(\d+):(\d+)", text)
    return (int(match[1]), int(match[2])) if match else None
