#!/usr/bin/env python3
"""
Does each script of examples/gpu/ fail as its faults.yaml says, and pass once it
is repaired? To be run on a machine with a GPU; no package is needed for this.

usage: examples.py [-j JOBS] [--limit SECONDS] [--times N] [--json FILE]
                   [--log FILE] [NAME ...]

Every run is a fresh interpreter in a folder of its own, with an end after the
limit. Scripts that fail only sometimes run --times times; scripts whose fault
only the sanitizer sees run plain (must pass), and under compute-sanitizer. A
table goes to standard output, the last lines of what misbehaved after it.
"""
import argparse
import concurrent.futures
import contextlib
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "gpu"
HANG = 40       # seconds after which a script that is to hang has shown it
KEPT = 15       # lines of output of a run that misbehaved
UNKILLABLE = 30  # seconds to wait for a process that was killed
QUOTED = re.compile(r"""'((?:[^']|'')*)'|"((?:[^"\\]|\\.)*)"|([^\s,'"\[\]]+)""")


def scalar(match):
    """A single-quoted, a double-quoted or a bare word of a flow sequence."""
    single, double, bare = match.groups()
    if single is not None:
        return single.replace("''", "'")
    return bare if double is None else json.loads('"%s"' % double)


def read_value(text):
    if text.startswith("["):
        if not text.endswith("]"):
            raise ValueError("a list must end on its line: " + text)
        return [scalar(match) for match in QUOTED.finditer(text[1:-1])]
    if text[:1] in "'\"":
        return scalar(QUOTED.fullmatch(text))
    return text


def read_faults(path):
    """The YAML that faults.yaml is written in: a list of flat mappings with one
    line for a key, so that a bare machine without PyYAML will do."""
    rows = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = re.fullmatch(r"(- |  )(\w+): (.+)", line)
        if not match or (match[1] == "  " and not rows):
            raise ValueError("%s:%d: not understood" % (path, number))
        if match[1] == "- ":
            rows.append({})
        rows[-1][match[2]] = read_value(match[3].strip())
    return rows


def find_sanitizer():
    for path in [shutil.which("compute-sanitizer")] + [
            str(p) for p in sorted(Path("/usr/local").glob("cuda*/bin/compute-sanitizer"))]:
        if path and os.access(path, os.X_OK):
            return path
    return None


class Run:
    """How one run ended: code is None after the limit."""

    def __init__(self, code, output, seconds):
        self.code, self.output, self.seconds = code, output, seconds

    def ending(self):
        return "limit" if self.code is None else "exit %d" % self.code


def run(script, text, limit, before=(), env=None):
    """A fresh interpreter, with caches, home and folder of its own."""
    with tempfile.TemporaryDirectory(prefix="gpu-example-") as folder:
        path = Path(folder) / script
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        environ = dict(os.environ, TRITON_CACHE_DIR=folder + "/triton",
                       TILELANG_CACHE_DIR=folder + "/tilelang",
                       PYTHONDONTWRITEBYTECODE="1", **(env or {}))
        start = time.monotonic()
        with open(folder + "/output", "wb+") as output:
            child = subprocess.Popen(
                [*before, sys.executable, str(path)], stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, cwd=folder, env=environ, start_new_session=True)
            try:
                code = child.wait(limit)
            except subprocess.TimeoutExpired:
                code = None
            finally:
                try:
                    os.killpg(child.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(UNKILLABLE)
            output.seek(0)
            text = output.read().decode("utf-8", "replace")
        return Run(code, text, time.monotonic() - start)


def fails_as_written(row, done):
    if row.get("expect") == "timeout":
        return done.code is None
    return done.code not in (0, None) and row["message"] in done.output


class Example:
    def __init__(self, row, args):
        self.row, self.args = row, args
        self.name = row["file"]
        self.text = (EXAMPLES / self.name).read_text()
        self.result = {"file": self.name, "category": row["category"]}
        self.tails = []

    def note(self, key, good, runs):
        self.result[key] = good
        self.result[key + "_seconds"] = [round(done.seconds, 1) for done in runs]
        self.result[key + "_endings"] = [done.ending() for done in runs]
        if not good:
            for done in runs[:2]:
                lines = done.output.splitlines()[-KEPT:]
                self.tails.append((key, done.ending(), "\n".join(lines)))

    def plain(self, limit):
        """As it is. A race must be seen to fail and to pass."""
        times = self.args.times if self.row.get("rate") == "sometimes" else 1
        runs = [run(self.name, self.text, limit) for _ in range(times)]
        if "sanitizer" in self.row:
            self.note("silent", runs[0].code == 0, runs)
            return
        failed = [fails_as_written(self.row, done) for done in runs]
        if "rate" in self.row:
            self.result["rate"] = "%d of %d" % (sum(failed), times)
            known = all(bad or done.code == 0 for bad, done in zip(failed, runs))
            self.note("fails", known and 0 < sum(failed) < times, runs)
        else:
            self.note("fails", failed[0], runs)

    def sanitized(self, key, text, want):
        tool = find_sanitizer()
        if tool is None:
            self.result[key] = None
            return
        done = run(self.name, text, self.args.limit,
                   [tool, "--tool", self.row["sanitizer"], "--error-exitcode", "86",
                    "--print-limit", "20", "--target-processes", "all"],
                   {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"})
        seen = self.row["message"] in done.output and done.code not in (0, None)
        clean = done.code == 0 and self.row["message"] not in done.output
        self.note(key, seen if want else clean, [done])

    def check(self):
        wrong, right = self.row["fix"]
        repaired = self.text.replace(wrong, right)
        missing = [name for name in self.row["needs"] if importlib.util.find_spec(name) is None]
        if missing:
            self.result["missing"] = missing
            return self
        hangs = self.row.get("expect") == "timeout"
        self.plain(min(HANG, self.args.limit) if hangs else self.args.limit)
        times = self.args.times if "rate" in self.row else 1
        runs = [run(self.name, repaired, self.args.limit) for _ in range(times)]
        self.note("fix", all(done.code == 0 for done in runs), runs)
        if "sanitizer" in self.row:
            self.sanitized("fails", self.text, True)
            self.sanitized("clean", repaired, False)
        return self

    @property
    def good(self):
        keys = ("silent", "fails", "fix", "clean")
        return "missing" in self.result or all(self.result.get(key, True) is not False for key in keys)


def say(value):
    return {None: "not here", True: "yes", False: "**no**"}[value]


def line(example):
    r = example.result
    if "missing" in r:
        return "| %s | %s | not here (%s) | | |" % (r["file"], r["category"], ", ".join(r["missing"]))
    fails = say(r["fails"])
    if "rate" in r:
        fails += ", %s" % r["rate"]
    if "silent" in r:
        fails += " in the sanitizer, silent without: %s" % say(r["silent"])
    fix = say(r["fix"])
    if "clean" in r:
        fix += ", clean in the sanitizer: %s" % say(r["clean"])
    seconds = "; ".join(
        "%s %s" % (key, " ".join("%.1f" % s for s in r[key + "_seconds"][:3]))
        for key in ("silent", "fails", "fix", "clean") if key + "_seconds" in r)
    return "| %s | %s | %s | %s | %s |" % (r["file"], r["category"], fails, fix, seconds)


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0].strip())
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these, as triton_spin")
    parser.add_argument("-j", "--jobs", type=int, default=4)
    parser.add_argument("--limit", type=float, default=120, help="seconds of one run")
    parser.add_argument("--times", type=int, default=10, help="runs of what fails sometimes")
    parser.add_argument("--json", metavar="FILE", help="write the results there")
    parser.add_argument("--log", metavar="FILE", help="write table and outputs there, too")
    return parser.parse_args()


def main():
    args = parse_args()
    rows = [row for row in read_faults(EXAMPLES / "faults.yaml")
            if not args.names or row["file"].replace(".py", "") in args.names]
    if not rows:
        sys.exit("no such example")
    started = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        examples = list(pool.map(lambda row: Example(row, args).check(), rows))
    report = ["| script | kind | fails as written | fix passes | seconds |", "|---|---|---|---|---|"]
    report += [line(example) for example in examples]
    report.append("")
    report.append("%d scripts, %d as written, %d not here, %.0f s with -j %d" % (
        len(examples), sum(e.good and "missing" not in e.result for e in examples),
        sum("missing" in e.result for e in examples), time.monotonic() - started, args.jobs))
    for example in examples:
        for key, ending, tail in example.tails:
            report.append("\n### %s, %s: %s\n\n```\n%s\n```" % (example.name, key, ending, tail))
    print("\n".join(report))
    if args.log:
        Path(args.log).write_text("\n".join(report) + "\n")
    results = [dict(e.result, good=e.good, tails=e.tails) for e in examples]
    if args.json:
        Path(args.json).write_text(json.dumps(results, indent=1) + "\n")
    return 0 if all(example.good for example in examples) else 1


if __name__ == "__main__":
    sys.exit(main())
