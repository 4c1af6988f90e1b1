"""Is a result 1-minimal? Asked without the search that made it.

Each text that one edit makes of a result (test/bench/minimal.c) is run in a
forked child of its own (oracle.py), and judged by how the original ended: the
message is printed, the exit code is the same, and the last line, numbers aside,
is the original's or the result's (of a message of several lines the last may
differ). Printed for each result: the distinct texts that were run; those that
still fail in that way and hold the fault that faults.yaml names, with what they
change: the result is 1-minimal when there is none; and those that fail in that
way without the fault, which the tool refuses on purpose (a comparison that is
kept, a kernel that has become constant). Of a result that has lost the fault
nothing is told where texts fail without it: they are shown, to be judged.

usage: minimal.py [options] [NAME ...]    minimize these examples of faults.yaml
                                          (all), then check the results
       minimal.py [options] --result FILE NAME    check this result of one
       minimal.py [options] --done FILE.json      check the results of ours that
                                          compare.py has written down
"""
import argparse
import concurrent.futures
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
    raise compare.Broken("%s ended early" % program)


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


def judge(opt, row, result, folder):
    """Run each text. Returns how many, and (kind, changes, fault) of those that
    still fail."""
    ending, own = (compare.fresh(opt.python, path.read_bytes(), row["file"])
                   for path in (row["path"], result))
    config = folder / "oracle.json"
    door = folder / "s"
    (folder / "runs").mkdir()
    config.write_text(json.dumps({
        "socket": str(door), "script": str(row["path"]),
        "text": row["message"], "rule": "end", "timeout": 60,
        "last": [oracle.last_line(end.output) for end in (ending, own)],
        "exit": ending.code,
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
            raise compare.Broken("the oracle does not start")
        if not ask(door, result):
            raise compare.Broken("does not fail itself")
        for kind, text in texts(opt.minimal, result):
            candidate = folder / "candidate"
            candidate.write_bytes(text)
            tried += 1
            if ask(door, candidate):
                shown = text.decode("utf-8", "replace")
                failing.append((kind, changes(before, text),
                                compare.has_fault(row, shown)))
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()
    return tried, failing


def check(opt, row, result):
    """Judge a result; its row of the table, and how many texts are smaller."""
    with tempfile.TemporaryDirectory(prefix="", dir=opt.scratch) as place:
        folder = Path(place)
        path = folder / "result.py"
        path.write_bytes(result)
        try:
            tried, failing = judge(opt, row, path, folder)
        except compare.Broken as exc:
            return [row["file"], str(len(result)), "-", "-", "-", "no: %s" % exc]
    smaller = [each for each in failing if each[2]]
    kept = compare.has_fault(row, result.decode("utf-8", "replace"))
    for kind, lines, _ in smaller if kept else failing:
        print("\n".join(["%s: %s" % (row["file"], kind), *lines]),
              file=sys.stderr, flush=True)
    return [row["file"], str(len(result)), str(tried), str(len(smaller)),
            str(len(failing) - len(smaller)),
            "no" if smaller else "yes" if kept or not failing else "not told"]


def minimize(opt, row, folder):
    """Run ours on an example; the result."""
    script = folder / row["file"]
    shutil.copyfile(row["path"], script)
    subprocess.run(
        [opt.autodd_c, script, "--err-msg", row["message"], "-j", "2", "-q",
         "--no-cache", "--python", opt.python, "--max-time", str(BUDGET)],
        check=True, stdin=subprocess.DEVNULL)
    return (folder / (script.stem + ".min.py")).read_bytes()


def results(opt, rows):
    """The results to check: (row, a function that gives the text)."""
    if opt.done:
        found = json.loads(opt.done.read_text())["rows"]
        return [(rows[r["input"]], lambda r=r: r["result"].encode())
                for r in found if r["tool"] == "ours" and "result" in r
                and r["input"] in (opt.names or rows)]
    if opt.result:
        return [(rows[opt.names[0]], opt.result.read_bytes)]

    def made(name):
        with tempfile.TemporaryDirectory(prefix="minimal.") as place:
            return minimize(opt, rows[name], Path(place))
    return [(rows[name], lambda name=name: made(name))
            for name in opt.names or rows]


def main():
    """Check the results that the arguments name."""
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--minimal", required=True)
    parser.add_argument("--autodd-c", default="autodd-c")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--result", type=Path)
    parser.add_argument("--done", type=Path)
    parser.add_argument("--parallel", type=int, default=1,
                        help="results checked at the same time")
    parser.add_argument("--scratch", help="where to work; a short path")
    parser.add_argument("--out", type=Path, help="write the table there, too")
    parser.add_argument("names", nargs="*")
    opt = parser.parse_args()
    chosen = results(opt, compare.load(compare.EXAMPLES / "faults.yaml"))
    with concurrent.futures.ThreadPoolExecutor(opt.parallel) as pool:
        lines = list(pool.map(lambda each: check(opt, each[0], each[1]()),
                              chosen))
    text = compare.table(["result", "bytes", "texts by one edit",
                          "fail, with the fault", "fail without it",
                          "1-minimal"], lines)
    print(text)
    if opt.out:
        opt.out.write_text(text)
    sys.exit(any(line[-1] != "yes" for line in lines))


if __name__ == "__main__":
    main()
