"""The part `aids`: what makes a failure show each time, or in one place, or a
search under compute-sanitizer shorter; each is tried with and without.

  --launch-blocking  on a script whose error of CUDA comes at another line each
                     time: auto, on, off
  --fill             on a script that reads memory which nobody has written to:
                     nan, off
  the plain screen   of --sanitizer, on a kernel without its barrier: as it is,
                     and with --backend subproc, which has no forked runs and so
                     no screen
  numba_cuda_oob     which ends in one of two errors of the driver

The originals are run a few times, with the aid and without: so it is seen what
it does. Results are run again in new interpreters, both ways as well.
"""
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import cases
import examples
import minimized
import rig as rigs
import sanitizer

AGAIN = 3        # runs of a result, with the aid and without
FIRST = 6        # runs of an original, with the aid and without
BLOCKING = {"CUDA_LAUNCH_BLOCKING": "1"}
# In place of --fill nan, which acts through PYTHONPATH.
FILLED = ("import torch\n"
          "torch.use_deterministic_algorithms(True, warn_only=True)\n")

LATER = '''"""Rows of a table are looked up, and the sums of them scaled and printed. One of
the identifiers is not in the table; the GPU is told late, and not always equally
late, since it is busy."""
import time

import torch

WIDTH = 64


def table(rows):
    weights = torch.arange(rows * WIDTH, device="cuda", dtype=torch.float32)
    return weights.reshape(rows, WIDTH) / rows


def busy():
    torch.cuda._sleep(time.time_ns() % 60_000_000)


def look_up(weights, identifiers):
    return weights[identifiers]


def scaled(rows):
    time.sleep(0.004)
    return rows * 0.5


def shifted(rows):
    time.sleep(0.004)
    return rows + 1


def clipped(rows):
    time.sleep(0.004)
    return rows.clamp(0, 10)


def main():
    weights = table(1000)
    identifiers = torch.tensor([5, 999, 5000, 17], device="cuda")
    for step in (scaled, shifted, clipped):
        step(weights)
    torch.cuda.synchronize()
    busy()
    rows = look_up(weights, identifiers)
    rows = scaled(rows)
    rows = shifted(rows)
    rows = clipped(rows)
    rows = scaled(rows)
    rows = shifted(rows)
    print("sum", float(rows.sum()))


main()
'''
LATER_ROW = {"file": "later_error.py", "needs": ["torch"],
             "message": "device-side assert triggered",
             "fault": [r"\[.*5000|\w\[\w"]}
LATER_CPU = '''"""A kernel goes wrong, which is told at one of the calls that follow: at each of
them in turn."""
import os

import fakecuda

TURNS = "@"
SPARE = [1, 2, 3]


def turn():
    number = 0
    while True:
        try:
            os.close(os.open("%s/%d" % (TURNS, number), os.O_CREAT | os.O_EXCL))
            return number
        except FileExistsError:
            number += 1


def look_up(fault):
    fakecuda.launch()
    fakecuda.launch(fault)


def scaled(rows):
    if turn() % 2:
        fakecuda.synchronize()
    return rows


def shifted(rows):
    fakecuda.synchronize()
    return rows


def main():
    look_up(710)
    print(len(shifted(scaled(SPARE))))


main()
'''
LATER_CPU_ROW = {"file": "later_error.py", "needs": [],
                 "message": "device-side assert triggered",
                 "fault": [r"launch\((fault|710)\)"]}
UNWRITTEN = '''"""Rows are added in pairs into a padded buffer. Nobody writes to the padding, which
is compared all the same; what lies there is what was there before."""
import time

import torch

DEVICE = "@"
WIDTH = 2048


def used_before(rows):
    """Another part of the program has had this memory."""
    scratch = torch.full((rows, WIDTH), float(time.time_ns() // 1000 % 2),
                         device=DEVICE)
    return float(scratch.sum())


def pairs(x):
    return x[0::2] + x[1::2]


def padded(values, rows):
    out = torch.empty((rows, WIDTH), device=DEVICE)
    out[:values.shape[0]].copy_(values)
    return out


def expected(values, rows):
    out = torch.zeros((rows, WIDTH), device=DEVICE)
    out[:values.shape[0]] = values
    return out


def main():
    x = torch.arange(12 * WIDTH, device=DEVICE, dtype=torch.float32)
    values = pairs(x.reshape(12, WIDTH))
    want = expected(values, 8)
    print("before", used_before(8))
    got = padded(values, 8)
    torch.testing.assert_close(got, want)
    print("equal")


main()
'''
UNWRITTEN_ROW = {"file": "unwritten.py", "needs": ["torch"],
                 "message": "Tensor-likes are not close",
                 "fault": [r"\bempty", r"assert_close\("]}
SIMULATED = {"NUMBA_ENABLE_CUDASIM": "1"}


class Way:
    """One search: a case, how the aid is asked for, and what stands for it when
    a text is run by hand."""

    def __init__(self, case, how, more=(), env=(), head="", must=True):
        self.script, self.how, self.must = case.name, how, must
        self.case, self.env, self.head = case, dict(env), head
        case.name = "%s.%s" % (case.name, "-".join(more).strip("-") or "as-is")
        case.more = list(more)

    def fails(self, text, aid, times, end):
        """How often a text fails, and at how many of its lines, in as many
        runs as there is time for."""
        env, head = (self.env, self.head) if aid else ({}, "")
        case = self.case
        done = case.rig.map(
            lambda _: case.run(head.encode() + text, env=env)
            if time.monotonic() < end - 10 else None, range(times),
            min(times, case.rig.args.parallel))
        done = list(filter(None, done))
        shown = [run for run in done if case.shows(run)]
        place = re.compile(r'%s", line (\d+)' % re.escape(case.file))
        lines = [place.findall(run.output)[-1:] for run in shown]
        return {"fails": len(shown), "of": len(done),
                "places": len({tuple(line) for line in lines})}


def write(rig, row, text):
    """A script that is here, as a case."""
    folder = rig.work / "aids"
    folder.mkdir(exist_ok=True)
    Path(folder, row["file"]).write_text(text)
    return cases.Case(row, folder, rig)


def fake_cuda(rig):
    """Variables with which the fake library and its driver are found; None: no
    C compiler."""
    fakes, driver = rigs.ROOT / "test/fakes", rig.work / "libcuda.so.1"
    compiler = shutil.which("cc")
    if not compiler:
        return None
    subprocess.run([compiler, "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1",
                    "-o", driver, fakes / "cuda.c"], check=True)
    return {"PYTHONPATH": str(fakes), "FAKE_CUDA": str(driver)}


def later(rig):
    """The script whose error comes later."""
    if not rig.args.cpu:
        return write(rig, LATER_ROW, LATER)
    environ = fake_cuda(rig)
    row = LATER_CPU_ROW if environ else dict(LATER_CPU_ROW, needs=["cc"])
    turns = rig.work / "turns"
    turns.mkdir(exist_ok=True)
    case = write(rig, row, LATER_CPU.replace("@", str(turns)))
    case.environ.update(environ or {})
    return case


def numba(rig):
    """The example of the two errors; in a simulator it has one of Python."""
    manifest = rigs.ROOT / "examples/gpu/faults.yaml"
    row = [row for row in examples.read_faults(manifest)
           if row["file"] == "numba_cuda_oob.py"][0]
    if not rig.args.cpu:
        return cases.Case(row, manifest.parent, rig)
    case = cases.Case(dict(row, message="is out of bounds for axis"),
                      manifest.parent, rig)
    case.environ.update(SIMULATED)
    return case


def ways(rig):
    """All searches of this part."""
    found = []
    for how in ("auto", "on", "off"):
        found.append(Way(later(rig), "--launch-blocking " + how,
                         ["--launch-blocking", how], BLOCKING,
                         must=how != "off"))
    for how in ("nan", "off"):
        case = write(rig, UNWRITTEN_ROW, UNWRITTEN.replace(
            "@", "cpu" if rig.args.cpu else "cuda"))
        found.append(Way(case, "--fill " + how, ["--fill", how], head=FILLED,
                         must=how == "nan"))
    if examples.find_sanitizer():
        for how, more in (("with the screen", []), (
                "without the screen", ["--backend", "subproc"])):
            found.append(Way(sanitizer.own_case(rig), how, more))
    found.append(Way(numba(rig), "as it is"))
    return found


def look(jobs, way, first, end):
    """What came of one search; the original is run as well if the way is the
    first of its script."""
    case = way.case
    found = jobs.get(case, "ours")
    row = {"script": way.script, "how": way.how, "before": len(case.text)}
    if not found:
        return dict(row, missing=["time"])
    row.update({key: found.get(key) for key in (
        "missing", "seconds", "runs", "bytes", "lines", "status", "minimal",
        "exit", "children", "without", "command", "notes", "result", "said")})
    if row["missing"]:
        return row
    both = (True, False) if way.env or way.head else (True,)
    if row["result"] is not None:
        text = row["result"].encode()
        row["fault"] = case.kept(text)
        row["again"] = [way.fails(text, aid, AGAIN, end) for aid in both]
    if first and not case.tool:
        row["first"] = [way.fails(case.text, aid, FIRST, end) for aid in both]
    return row


def part(rig, seconds):
    """All searches, some at a time; then their results again."""
    end = time.monotonic() + min(seconds, rig.left())
    if rig.args.cpu and not examples.find_sanitizer():
        os.environ["PATH"] += os.pathsep + str(rigs.ROOT / "test/fakes")
    named = rig.args.names.split(",")
    found = ways(rig)
    found = [way for way in found if way.script in named] or found
    jobs = minimized.Jobs(rig, [way.case for way in found])
    jobs.prepare(["ours"], 0.75 * seconds)
    scripts = [way.script for way in found]
    rows = rig.map(
        lambda at: look(jobs, found[at], scripts.index(scripts[at]) == at, end),
        range(len(found)), max(1, rig.args.parallel // FIRST))
    rig.save("aids", {"rows": rows}, table(rows))
    return all(row.get("status") == "verified" and
               0 < row["again"][0]["of"] == row["again"][0]["fails"]
               for way, row in zip(found, rows)
               if way.must and not row.get("missing"))


def counted(found):
    """How often something failed, and at how many places."""
    return ["%d of %d" % (one["fails"], one["of"]) + (
        "" if one["places"] < 2 else ", at %d lines" % one["places"])
        for one in found] + [""] * (2 - len(found))


def table(rows):
    """The page of the part."""
    lines = ["# What runs are helped by", "",
             "| script | how | bytes | left, lines | end | runs: fresh, forked, "
             "warm, hot | seconds | result again: with the aid | without | "
             "fault kept |", "|" + "---|" * 10]
    for row in rows:
        head = "| %s | %s | %d |" % (row["script"], row["how"], row["before"])
        if row["missing"]:
            lines.append("%s not run: no %s |||||||" % (
                head, ", ".join(row["missing"])))
            continue
        kinds = row["children"] or {}
        lines.append("%s %s | %s | %s: %s | %.1f | %s | %s | %s |" % (
            head, "no result" if row["bytes"] is None
            else "%d, %d" % (row["bytes"], row["lines"]),
            row["status"] + ("" if row["minimal"] in (None, True)
                             else ", cut off"),
            row["runs"], ", ".join(str(kinds.get(kind, 0)) for kind in (
                "fresh", "forked", "warm", "hot")), row["seconds"],
            *counted(row.get("again", [])),
            {True: "yes", False: "**no**"}.get(row.get("fault"), "")))
    lines += ["", "The originals, run again:", ""]
    for row in rows:
        if row.get("first"):
            lines.append("- %s fails with the aid in %s runs%s" % (
                row["script"], counted(row["first"])[0],
                "" if len(row["first"]) < 2 else ", without in " +
                counted(row["first"])[1]))
    for row in rows:
        for note in row.get("notes") or []:
            if any(word in note for word in ("BLOCKING", "plainly", "fill")):
                lines.append("- %s, %s: %s" % (row["script"], row["how"],
                                               note.splitlines()[0]))
    return lines
