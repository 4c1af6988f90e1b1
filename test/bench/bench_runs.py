"""How many runs a second the worker does, and where the time of a run goes.

A worker is driven by frames, with J runs asked for at any time, for J = 1, 2, 4,
8: a script that only raises, and the TileLang example where the interpreter has
TileLang; forked, and in fresh interpreters. In milliseconds a run, of the wall
clock: from request to result; of these the script's process from its first
instruction to its end; the rest is the tool's: folders, compiling, the fork,
what is left behind. Of the processors: the run, the fork server, the worker.

usage: AUTODD_C=build/cc/autodd-c PYTHON bench_runs.py [SCRIPT...]
"""
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "tilelang_gemm.py"
JOBS = (1, 2, 4, 8)
FORKED_S, FRESH_S = 4, 10  # of measuring, each
TICK = os.sysconf("SC_CLK_TCK")


def cpu_ms(pid):
    """Processor time of a process so far, its children left out."""
    with open("/proc/%d/stat" % pid, encoding="latin-1") as stat:
        words = stat.read().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) * 1000 / TICK


def child_of(pid):
    """The only process below one; None without."""
    with open("/proc/%d/task/%d/children" % (pid, pid)) as children:
        pids = children.read().split()
    return int(pids[0]) if pids else None


def imports(text):
    """The modules at the head of a script."""
    return [line.split()[1] for line in text.splitlines()
            if line.startswith(("import ", "from "))]


class Worker:
    """A worker that runs one script, again and again."""

    def __init__(self, folder, script, slots):
        self.text = script.read_text()
        self.process = subprocess.Popen(
            [os.environ["AUTODD_C"], "worker"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, start_new_session=True)
        self.data, self.asked = b"", 0
        self.wait("hello")
        self.send(
            frame="setup", slots=slots, python=sys.executable,
            script_name=script.name, script_dir=str(folder), argv=[], env=[],
            hide=[], backend="auto", patterns=[], preload=imports(self.text),
            early_env=[], mark="b" + uuid.uuid4().hex, memory_max=0, file_max=0,
            procs_max=0, output_max=65536, grace_ms=2000)
        ready = self.wait("ready")
        if not ready["ok"] or not ready["forks"]:
            sys.exit("the worker is not fit: %s" % ready)

    def send(self, **frame):
        self.process.stdin.write(json.dumps(frame).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self):
        while b"\n" not in self.data:
            if not select.select([self.process.stdout], [], [], 120)[0]:
                sys.exit("the worker is silent")
            self.data += os.read(self.process.stdout.fileno(), 1 << 16)
        line, _, self.data = self.data.partition(b"\n")
        return json.loads(line)

    def wait(self, kind):
        while True:
            frame = self.receive()
            if frame["frame"] == kind:
                return frame

    def ask(self, how):
        self.asked += 1
        self.send(frame="run", id=self.asked, text=self.text, how=how,
                  timeout_ms=120000)
        return self.asked

    def measure(self, how, jobs, seconds):
        """Runs a second, and milliseconds a run."""
        server = child_of(self.process.pid)
        before = cpu_ms(server), cpu_ms(self.process.pid)
        start = time.monotonic()
        since = {self.ask(how): start for _ in range(jobs)}
        ended, whole, script, run = 0, 0, 0, 0
        while since:
            frame = self.wait("result")
            now = time.monotonic()
            ended += 1
            whole += now - since.pop(frame["id"])
            script += frame["wall_ms"]
            run += frame["cpu_ms"]
            if now - start < seconds:
                since[self.ask(how)] = now
        taken = time.monotonic() - start
        return (ended / taken, 1000 * whole / ended, script / ended, run / ended,
                (cpu_ms(server) - before[0]) / ended,
                (cpu_ms(self.process.pid) - before[1]) / ended)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def main():
    folder = Path(tempfile.mkdtemp(prefix="autodd-bench."))
    scripts = [Path(name) for name in sys.argv[1:]]
    try:
        if not scripts:
            (folder / "raises.py").write_text("raise ValueError('boom')\n")
            scripts = [folder / "raises.py"]
            if subprocess.run([sys.executable, "-c", "import tilelang"],
                              capture_output=True).returncode == 0:
                scripts.append(EXAMPLE)
        for script in scripts:
            print("%s, %d processors" % (script.name, os.cpu_count()))
            print("        -j  runs/s   ms/run  script  | CPU ms: run  fork server  worker")
            alone = folder / script.stem
            alone.mkdir()
            for jobs in JOBS:
                worker = Worker(alone, script, jobs)
                for how, seconds in (("fork", FORKED_S), ("fresh", FRESH_S)):
                    print("%6s  %2d %7.1f %8.1f %7.1f  | %11.1f %12.2f %7.2f" % (
                        (how, jobs) + worker.measure(how, jobs, seconds)), flush=True)
                worker.close()
    finally:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
