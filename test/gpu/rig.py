"""What all parts of the runs on a GPU share: how long there is, where files go,
how a program is run for a limited time, and whether the GPU is left clean.

What the parts find goes into two files of the folder --out: all.json, for
programs, and all.md, their tables. Both are whole at any time. Nothing here
waits without an end: each program has a limit, after which it is killed with
all that it started.
"""
import concurrent.futures
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "test" / "bench"))

MARK = "AUTODD_GPU_RIG"  # in the environment of all that is started
CLEAN_MIB = 64   # memory that may differ before and after
CLEAN_S = 20     # seconds in which a GPU must be clean again
AROUND = 25      # seconds that measure.py may take around a program
CARRIED = """import os
import sys
sys.path += os.environ.get("AUTODD_GPU_SITE", "").split(os.pathsep)
"""
# numba-cuda 0.30 asks for a name that NumPy 2.5 has no more.
ROW_STACK = """import numpy
if not hasattr(numpy, "row_stack"):
    numpy.row_stack = numpy.vstack
"""


def smi(*query):
    """The rows of an answer of nvidia-smi; none without it."""
    try:
        done = subprocess.run(
            ["nvidia-smi", *query, "--format=csv,noheader,nounits"],
            capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [[word.strip() for word in line.split(",")]
            for line in done.stdout.splitlines() if "," in line]


def gpu_memory():
    """MiB in use, by the UUID of the GPU."""
    return {row[0]: int(row[1])
            for row in smi("--query-gpu=uuid,memory.used")
            if row[1].isdigit()}


def gpu_processes():
    """What computes on any GPU: [pid, MiB] each."""
    return smi("--query-compute-apps=pid,used_memory")


def marked(value):
    """The processes that have our mark in their environment, us left out."""
    found, want = [], ("%s=%s" % (MARK, value)).encode()
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/environ" % name, "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if want in words and int(name) != os.getpid():
            found.append(int(name))
    return found


class Done:
    """How a program of Rig.run() ended: `stopped` at the limit."""

    def __init__(self, code, seconds, stopped, log):
        self.code, self.seconds, self.stopped = code, seconds, stopped
        self.log = log

    def tail(self, size=2000):
        """The end of what it printed."""
        return self.log[-size:]


class Rig:
    """The machine, the options, and what is left of the time."""

    def __init__(self, args):
        self.args = args
        self.autodd_c = os.path.abspath(args.autodd_c)
        self.python = sys.executable
        self.out = Path(args.out).resolve()
        self.out.mkdir(parents=True, exist_ok=True)
        self.lock = threading.Lock()
        self.found = {}
        self.before = [Path(args.done).resolve()] if args.done else []
        self.before.append(self.out)
        for done in self.before:
            if (done / "all.json").exists():
                self.found.update(json.loads((done / "all.json").read_text()))
        # In a short path: a socket's has at most 107 bytes.
        self.work = Path(tempfile.mkdtemp(prefix="rig."))
        self.fixed = self.claim(Path(tempfile.gettempdir(), "autodd-gpu-rig"))
        self.began = time.monotonic()
        self.end = self.began + args.seconds
        self.mark = uuid.uuid4().hex
        self.memory = gpu_memory()
        tempfile.tempdir = str(self.work)
        # By itself JAX takes three quarters of a GPU for each process.
        os.environ.update({MARK: self.mark, "TMPDIR": str(self.work),
                           "XDG_STATE_HOME": str(self.work / "state"),
                           "XLA_PYTHON_CLIENT_PREALLOCATE": "false"})

    # ---- time ----

    def left(self):
        """Seconds until all must be over."""
        return self.end - time.monotonic()

    def say(self, text, *values):
        """A line of progress, with the time."""
        print("[%5.0f s] %s" % (time.monotonic() - self.began,
                                text % values if values else text),
              flush=True)

    # ---- packages ----

    def find_packages(self, site):
        """Put carried packages behind those of the machine, in all that is
        run. Where that does not work they go in front. Also fills the
        machine's file cache."""
        if not site:
            return
        site = os.pathsep.join(map(os.path.abspath, site.split(os.pathsep)))
        folder = self.work / "site"
        folder.mkdir()
        (folder / "sitecustomize.py").write_text(CARRIED)
        behind = {"PYTHONPATH": str(folder), "AUTODD_GPU_SITE": site}
        for environ in (behind, {"PYTHONPATH": site}):
            done = self.run([self.python, "-c", "import torch, triton, "
                             "tilelang, tilelang.language; print('works')"],
                            90, env=environ)
            self.say("packages %s: exit %s in %.1f s %s",
                     "behind" if environ is behind else "in front", done.code,
                     done.seconds, "" if done.code == 0 else done.tail(300))
            if done.code == 0:
                break
        os.environ.update(environ)
        at = len(sys.path) if environ is behind else 0
        sys.path[at:at] = site.split(os.pathsep)

    def environ_for(self, needs):
        """Variables for a script that imports these modules."""
        if "numba" not in needs:
            return {}
        folder = self.fixed / "numba"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "sitecustomize.py").write_text(CARRIED + ROW_STACK)
        others = os.environ.get("PYTHONPATH")
        return {"PYTHONPATH": os.pathsep.join(
            [str(folder)] + ([others] if others else []))}

    def imports(self, modules, environ):
        """Whether modules can be imported: "", or the last line of the
        complaint."""
        done = self.run([self.python, "-c", "import " + ", ".join(modules)],
                        60, env=environ)
        lines = done.log.strip().splitlines() or ["no end"]
        return "" if done.code == 0 else lines[-1][:200]

    # ---- programs ----

    def run(self, command, limit, env=None, cwd=None):
        """Run a program until its end or for `limit` seconds, and end all that
        it started."""
        limit = max(1, min(limit, self.left()))
        fd, log = tempfile.mkstemp(prefix="log.", dir=self.work)
        os.close(fd)
        child = subprocess.Popen(
            [sys.executable, ROOT / "test/bench/measure.py", str(limit), log,
             *map(str, command)], stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, cwd=cwd or self.work,
            env=dict(os.environ, **(env or {})))
        try:
            said = child.communicate(timeout=limit + AROUND)[0]
        except subprocess.TimeoutExpired:
            child.kill()
            said = ""
        text = Path(log).read_text("utf-8", "replace")
        os.unlink(log)
        if not said.strip():
            return Done(None, limit, True, text)
        found = json.loads(said)
        return Done(found["exit"], found["wall"], found["stopped"], text)

    def map(self, function, items, at_once):
        """The results of a function that runs in threads."""
        with concurrent.futures.ThreadPoolExecutor(max(1, at_once)) as pool:
            return list(pool.map(function, items))

    # ---- files ----

    def save(self, name, data, lines=()):
        """What a part found out, for programs and for people."""
        with self.lock:
            self.found[name] = {"data": data, "page": list(lines)}
            pages = ["\n".join(part["page"]) + "\n"
                     for part in self.found.values() if part["page"]]
            for ending, text in (("json", json.dumps(self.found, indent=1)),
                                 ("md", "\n\n".join(pages))):
                beside = self.out / ("new." + ending)
                beside.write_text(text + "\n")
                beside.replace(self.out / ("all." + ending))

    def load(self, name):
        """What an earlier call has found out; None if nothing."""
        part = self.found.get(name)
        return part and part["data"]

    def earlier(self, name):
        """A file that this call or an earlier one has left, the newest; None:
        there is none."""
        found = [folder / name for folder in self.before[::-1]
                 if (folder / name).exists()]
        return found[0] if found else None

    def claim(self, path):
        """An empty folder that has this path in each call, if no other call
        has it now: a state file is good for one path of its script."""
        self.fixed_lock = open(str(path) + ".lock", "w")
        try:
            fcntl.flock(self.fixed_lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            path = self.work / "fixed"
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir()
        return path

    def page(self, name):
        """The table of a part."""
        return "\n".join(self.found.get(name, {}).get("page", ["Nothing."]))

    # ---- the end ----

    def wait_clean(self, before, seconds=CLEAN_S):
        """Wait until the GPUs hold no more memory than before. Returns how
        long that took (None: they still do), and what they hold now."""
        start = time.monotonic()
        while True:
            now = gpu_memory()
            if all(now.get(gpu, 0) <= used + CLEAN_MIB
                   for gpu, used in before.items()):
                return time.monotonic() - start, now
            if time.monotonic() - start > seconds:
                return None, now
            time.sleep(0.2)  # NVML has no event for it

    def clean_up(self):
        """End what was left, with a word about it. True: nothing was."""
        left = marked(self.mark)
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        took, now = self.wait_clean(self.memory)
        for folder in (self.work, self.fixed):
            shutil.rmtree(folder, ignore_errors=True)
        self.fixed_lock.close()
        self.say("processes left: %s; GPU memory before %s, now %s",
                 len(left) or "none", self.memory or "not known", now or "")
        return not left and took is not None
