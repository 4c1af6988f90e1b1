"""Is a result 1-minimal? Asked without the search that made it.

Each text that one edit makes of a result (test/bench/minimal.c) is run in a
forked child of its own (oracle.py), and judged by how the original ended: the
message is printed, the exit code is the same, and so is the last line, numbers
aside. Printed for each result: the edits, the distinct texts that were run, and
those that still fail in that way, with what they change. A comparison that the
tool keeps on purpose (--keep) is no part of this: its deletion may be listed.

usage: minimal.py [options] [NAME ...]    minimize these examples of faults.yaml
                                          (all), then check the results
       minimal.py [options] --result FILE NAME    check this result of one
"""
import argparse
import difflib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import compare
import oracle

HERE = Path(__file__).resolve().parent
BUDGET = 900  # seconds for a minimization


def texts(program, path):
    """Yield (kind, text) for each single edit; return the counts at the end."""
    with subprocess.Popen([program, path], stdout=subprocess.PIPE) as made:
        for head in made.stdout:
            kind, *numbers = head.split()
            if kind == b"end":
                return
            yield kind.decode(), made.stdout.read(int(numbers[0]))
    raise SystemExit("%s ended early" % program)


def ask(door, path):
    """Whether the file still fails as the original does."""
    with socket.socket(socket.AF_UNIX) as question:
        question.connect(str(door))
        question.sendall(os.fsencode(path) + b"\n")
        return question.recv(1) == b"1"


def changes(before, after):
    """What a text changes, as lines of a diff."""
    lines = difflib.unified_diff(
        before.decode("utf-8", "replace").splitlines(),
        after.decode("utf-8", "replace").splitlines(), lineterm="", n=0)
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


def check(opt, row, result, folder):
    """Print what is to be said of one result; how many texts still fail."""
    ending = compare.fresh(opt.python, row["path"].read_bytes(), row["file"])
    config = folder / "oracle.json"
    door = folder / "s"
    (folder / "runs").mkdir()
    config.write_text(json.dumps({
        "socket": str(door), "script": str(row["path"]),
        "text": row["message"], "rule": "end", "timeout": 60,
        "last": oracle.last_line(ending.output), "exit": ending.code,
        "scratch": str(folder / "runs"), "best": str(folder / "best"),
        "counts": str(folder / "counts.json")}))
    server = subprocess.Popen(
        [opt.python, HERE / "oracle.py", config], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env=dict(os.environ, PYTHONHASHSEED="0", TMPDIR=str(folder)))
    before = result.read_bytes()
    tried, failing = 0, []
    try:
        if server.stdout.readline() != b"ready\n":
            raise SystemExit("the oracle does not start")
        if not ask(door, result):
            raise SystemExit("%s: does not fail itself" % result)
        for kind, text in texts(opt.minimal, result):
            candidate = folder / "candidate"
            candidate.write_bytes(text)
            tried += 1
            if ask(door, candidate):
                failing.append((kind, changes(before, text)))
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()
    print("%s: %d bytes, %d texts by one edit, %d still fail" % (
        row["file"], len(before), tried, len(failing)), flush=True)
    for kind, lines in failing:
        print("  %s" % kind)
        for line in lines:
            print("    %s" % line)
    return len(failing)


def minimize(opt, row, folder):
    """Run ours on an example; the path of the result."""
    script = folder / row["file"]
    shutil.copyfile(row["path"], script)
    subprocess.run(
        [opt.autodd_c, script, "--err-msg", row["message"], "-j", "2", "-q",
         "--no-cache", "--python", opt.python, "--max-time", str(BUDGET)],
        check=True, stdin=subprocess.DEVNULL)
    return folder / (script.stem + ".min.py")


def main():
    """Check the results that the arguments name."""
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--minimal", required=True)
    parser.add_argument("--autodd-c", default="autodd-c")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--result", type=Path)
    parser.add_argument("names", nargs="*")
    opt = parser.parse_args()
    rows = compare.load(compare.EXAMPLES / "faults.yaml")
    left = 0
    for name in opt.names or rows:
        with tempfile.TemporaryDirectory(prefix="minimal.") as place:
            folder = Path(place)
            result = opt.result or minimize(opt, rows[name], folder)
            left += check(opt, rows[name], result.resolve(), folder)
    sys.exit(left > 0)


if __name__ == "__main__":
    main()
