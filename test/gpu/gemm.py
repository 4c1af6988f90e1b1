"""The part `gemm`: examples/tilelang_gemm.py, whose tensors are on the GPU where
there is one, with every kind of children and with AutoDD, one after another on
an otherwise idle machine, in turns as long as the time allows; each result is
run again in new interpreters.
"""
import shutil
import statistics
import time

import cases
import minimized
import rig as rigs

ROW = {"file": "tilelang_gemm.py", "needs": ["torch", "tilelang"],
       "message": "T.gemm K shape check failed", "fault": []}
MOST_S = 120    # of one minimization
AGAIN = 3       # runs of a result


def once(rig, jobs, case, way):
    """One minimization and the runs of its result."""
    folder = rig.work / "gemm"
    folder.mkdir()
    before = rigs.gpu_memory()
    if way == "AutoDD":
        row = jobs.autodd(case, folder, MOST_S)
    else:
        rig.args.children = way
        row = jobs.ours(case, folder, MOST_S)
    row.pop("steps", None)
    free, _ = rig.wait_clean(before)
    row.update(way=way, free_s=free)
    if "result" in row:
        text = row["result"].encode()
        ends = rig.map(lambda _: case.judge(text), range(AGAIN), AGAIN)
        row.update(again=sum(end["fails"] for end in ends),
                   codes=sorted({end["code"] for end in ends}, key=str))
    shutil.rmtree(folder, ignore_errors=True)
    rig.say("gemm %s: %s", way, {key: row.get(key) for key in (
        "seconds", "runs", "bytes", "lines", "again", "codes", "free_s")})
    return row


def part(rig, seconds):
    """All ways in turn, and again while there is time."""
    end = time.monotonic() + min(seconds, rig.left())
    rows = (rig.load("gemm") or {"rows": []})["rows"]
    case = cases.Case(ROW, rigs.ROOT / "examples", rig)
    jobs = minimized.Jobs(rig, [case])
    missing = case.missing()
    if missing:
        rig.save("gemm", {"rows": [], "missing": missing},
                 ["# The GEMM", "", "Not run: no %s." % ", ".join(missing)])
        return False
    children, ways = rig.args.children, rig.args.ways.split(",")
    longest = {}
    while True:
        way = ways[len(rows) % len(ways)]
        need = longest.get(way, max(longest.values(), default=60)) + 12
        if end - time.monotonic() < need:
            break
        began = time.monotonic()
        rows.append(once(rig, jobs, case, way))
        longest[way] = time.monotonic() - began
        rig.save("gemm", {"rows": rows}, table(rig, case, rows))
    rig.args.children = children
    ours = [row for row in rows if row["way"] != "AutoDD"]
    return bool(ours) and all(row.get("again") == AGAIN and row["bytes"] <= 260
                              for row in ours)


def table(rig, case, rows):
    """The page of the part."""
    lines = ["# examples/tilelang_gemm.py, %d bytes, -j %d" % (
        len(case.text), rig.args.jobs), "",
        "In this order, one after another.", "",
        "| | seconds | runs | bytes, lines | run again: fails | exit codes | "
        "hot refusals, sampled, overturned | void batches | memory free after "
        "s |", "|---|---|---|---|---|---|---|---|---|"]
    for row in rows:
        k = row.get("children")
        lines.append("| %s | %.1f%s | %s | %s, %s | %s of %d | %s | %s | %s | "
                     "%s |" % (
                         row["way"] if row["way"] == "AutoDD"
                         else "autodd-c, --children " + row["way"],
                         row["seconds"], ", cut off" if row["stopped"] else "",
                         row["runs"] if "runs" in row else "?",
                         row.get("bytes"), row.get("lines"),
                         row.get("again"), AGAIN,
                         " ".join(map(str, row.get("codes", []))),
                         "%d, %d, %d" % (k["noes"], k["sampled"],
                                         k["overturned"]) if k else "",
                         "%d of %d" % (k["voided"], k["voided"] + k["batches"])
                         if k else "",
                         "more" if row["free_s"] is None
                         else "%.1f" % row["free_s"]))
    lines += ["", "Medians:"]
    for way in dict.fromkeys(row["way"] for row in rows):
        took = [row["seconds"] for row in rows if row["way"] == way]
        lines.append("%s %.1f s (of %d)" % (
            way, statistics.median(took), len(took)))
    return lines
