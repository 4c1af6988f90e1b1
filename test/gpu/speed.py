"""The part `speed`: runs a second of four scripts, by kind of child and by how
many run at a time, and the same of AutoDD's runner, which reuses a process.

Each run must end as its script does in a new interpreter. The scripts that
compile come first.
"""
import importlib.util
import json
import time
from pathlib import Path

import children

JOBS = (1, 2, 4, 8)
KINDS = ("fork", "warm", "hot", "fresh")
EACH_S = 2
AUTODD = 0.4  # of the time, for its runner
TEXT = "K shape check failed"
RATE = Path(__file__).resolve().parent / "autodd_rate.py"


def scripts(rig):
    """Those that can run here: name, text."""
    found = [(name, text) for name, text, gpu in reversed(children.SPEED)
             if not (gpu and rig.args.cpu)]
    return [(name, text) for name, text in found if all(
        importlib.util.find_spec(module) for module in
        ("torch", "triton", "tilelang") if "import " + module in text)]


def outcome(worker, text):
    """How a script ends in a new interpreter."""
    run = worker.begin(text, "fresh", 0)
    while True:
        frame = worker.receive()
        if frame["frame"] == "result" and frame["id"] == run:
            return children.essence(frame)


def ours(rig, rows, wrong, end):
    """The kinds of children, of scripts and numbers that are not done."""
    folder = rig.work / "speed"
    folder.mkdir()
    modules = ["torch"] + [m for m in ("triton", "tilelang")
                           if not rig.args.cpu and importlib.util.find_spec(m)]
    worker = children.Worker(rig, folder, max(JOBS), modules)
    wants = {}
    # New interpreters take longest, so they come last; but what compiles is
    # wholly done before what does not.
    todo = [(name, text, kind, jobs) for compiles in (True, False)
            for kinds in (KINDS[:-1], KINDS[-1:])
            for name, text in scripts(rig) if ("compile" in name) == compiles
            for kind in kinds for jobs in JOBS
            if "%s|%s|%d" % (name, kind, jobs) not in rows]
    for name, text, kind, jobs in todo:
        if time.monotonic() > end - EACH_S:
            break
        if name not in wants:
            wants[name] = outcome(worker, text)
        got = children.flow(worker, text, kind, jobs, EACH_S, wants[name],
                            wrong)
        rows["%s|%s|%d" % (name, kind, jobs)] = got
        rig.say("%s, %s, -j %d: %.1f/s", name, kind, jobs, got["per_s"])
    worker.finish()


def autodd(rig, rows, end):
    """AutoDD's runner."""
    for name, text in scripts(rig):
        key = "%s|AutoDD's runner|" % name
        left = end - time.monotonic()
        if left < 15 or key + "1" in rows or \
                not importlib.util.find_spec("tilelang"):
            continue
        path = rig.work / "rate.py"
        path.write_text(text)
        done = rig.run([rig.python, RATE, path, TEXT, EACH_S, *JOBS], left)
        for line in done.log.splitlines():
            if line.startswith('{"jobs"'):
                got = json.loads(line)
                rows[key + str(got["jobs"])] = got
        rig.say("%s, AutoDD's runner: exit %s, %s", name, done.code,
                [round(rows[key + str(j)]["per_s"], 1) for j in JOBS
                 if key + str(j) in rows])


def part(rig, seconds):
    """Ours first, AutoDD's runner in the rest of the time."""
    end = time.monotonic() + min(seconds, rig.left())
    found = rig.load("speed") or {"rows": {}, "wrong": []}
    rows, wrong = found["rows"], found["wrong"]
    try:
        ours(rig, rows, wrong, end - seconds * AUTODD)
        autodd(rig, rows, end)
    finally:
        rig.save("speed", {"rows": rows, "wrong": wrong}, table(rows, wrong))
    return bool(rows) and not wrong


def table(rows, wrong):
    """The page of the part."""
    lines = ["# Runs a second", "", "| script | child | %s |" % " | ".join(
        "-j %d" % jobs for jobs in JOBS), "|---|---|" + "---|" * len(JOBS)]
    for name in [script[0] for script in children.SPEED]:
        for kind in [*KINDS, "AutoDD's runner"]:
            cells = [rows.get("%s|%s|%d" % (name, kind, jobs))
                     for jobs in JOBS]
            if any(cells):
                lines.append("| %s | %s | %s |" % (
                    name, {"fork": "forked"}.get(kind, kind), " | ".join(
                        "%.1f" % cell["per_s"] if cell else ""
                        for cell in cells)))
    lines += ["", "Runs that did not end as the script does by itself: %d; "
              "of AutoDD's runner: %d." % (len(wrong), sum(
                  row.get("wrong", 0) for row in rows.values()))]
    return lines
