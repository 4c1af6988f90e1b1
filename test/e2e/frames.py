"""A worker that a test drives by frames, as the minimizer does."""
import contextlib
import json
import os
import select
import subprocess
import sys
import tempfile
import time
import uuid

AUTODD_C = os.path.abspath(os.environ.get("AUTODD_C", "build/cc/autodd-c"))
PYTHON = os.environ.get("AUTODD_TEST_PYTHON", sys.executable)
PATIENCE = 60  # seconds for anything that must happen
LEFT_MS = 5000  # for what must be gone after an end by force


class Worker:
    """A worker process and its frames."""

    def __init__(self, tmp_path, **setup):
        self.mark = "t" + uuid.uuid4().hex
        self.tmp = tmp_path / "tmp"
        self.tmp.mkdir(exist_ok=True)
        self.script_dir = tmp_path / "src"
        self.script_dir.mkdir(exist_ok=True)
        env = dict(os.environ, TMPDIR=str(self.tmp))
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [AUTODD_C, "worker"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self.log, env=env,
            start_new_session=True)
        self.data = b""
        self.ids = 0
        self.results = {}
        self.notes = []
        self.hello = self.receive()
        self.setup = dict(
            frame="setup", slots=2, python=PYTHON, script_name="s.py",
            script_dir=str(self.script_dir), argv=[], env=[], hide=[],
            backend="auto", patterns=[], preload=[], early_env=[],
            mark=self.mark, memory_max=0, file_max=0, procs_max=0,
            output_max=65536, grace_ms=500)
        self.setup.update(setup)

    def start(self):
        """Send the setup; return the answer."""
        self.send(self.setup)
        return self.wait_for("ready")

    def send(self, frame):
        """Send one frame."""
        self.process.stdin.write(json.dumps(frame).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self):
        """Return the next frame, None at the end."""
        deadline = time.monotonic() + PATIENCE
        while b"\n" not in self.data:
            left = deadline - time.monotonic()
            assert left > 0 and select.select(
                [self.process.stdout], [], [], left)[0], "no frame in time"
            more = os.read(self.process.stdout.fileno(), 1 << 16)
            if not more:
                return None
            self.data += more
        line, _, self.data = self.data.partition(b"\n")
        return json.loads(line)

    def wait_for(self, kind):
        """Return the next frame of a kind; keep results and notes."""
        while True:
            frame = self.receive()
            assert frame is not None, "the worker ended: " + self.said()
            if frame["frame"] == "note":
                self.notes.append(frame["text"])
            if frame["frame"] == kind:
                return frame
            if frame["frame"] == "result":
                self.results[frame["id"]] = frame

    def begin(self, text, how="fork", timeout_ms=30000, **more):
        """Send a run; return its number."""
        self.ids += 1
        self.send(dict(frame="run", id=self.ids, text=text, how=how,
                       timeout_ms=timeout_ms, **more))
        return self.ids

    def result(self, number):
        """Wait for the result of a run."""
        while number not in self.results:
            frame = self.wait_for("result")
            self.results[frame["id"]] = frame
        return self.results.pop(number)

    def run(self, text, how="fork", **more):
        """One run from start to result."""
        return self.result(self.begin(text, how, **more))

    def processes(self):
        """Return the pids of everything of this job but the worker."""
        found = []
        needle = ("AUTODD_JOB=" + self.mark).encode()
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                with open("/proc/%s/environ" % pid, "rb") as file:
                    if needle not in file.read().split(b"\0"):
                        continue
                with open("/proc/%s/stat" % pid, "rb") as file:
                    if file.read().rpartition(b")")[2].split()[0] != b"Z":
                        found.append(int(pid))
        return found

    def zygote(self):
        """Return the pid of the fork server."""
        for pid in self.processes():
            with contextlib.suppress(OSError):
                with open("/proc/%d/stat" % pid) as stat:
                    parent = int(stat.read().rpartition(")")[2].split()[1])
                with open("/proc/%d/cmdline" % pid, "rb") as file:
                    if b"zygote.py" in file.read() \
                            and parent == self.process.pid:
                        return pid
        return None

    def said(self):
        """Return the log."""
        self.log.seek(0)
        return self.log.read().decode(errors="replace")

    def finish(self):
        """Close stdin; return the exit code."""
        self.process.stdin.close()
        return self.process.wait(PATIENCE)

    def leftovers(self):
        """What is still there after a while: processes and files."""
        deadline = time.monotonic() + LEFT_MS / 1000
        while time.monotonic() < deadline and (
                self.processes() or os.listdir(self.tmp)):
            time.sleep(0.02)
        return self.processes(), os.listdir(self.tmp)


def essence(result):
    """What must not depend on how a run was started."""
    keys = ("end", "exit_code", "signal", "exc_type", "exc_message",
            "exc_line", "out", "err")
    run_free = {}
    for key in keys:
        value = result.get(key)
        if isinstance(value, str):
            value = value.replace("run-%d" % result["id"], "run-N")
        run_free[key] = value
    return run_free
