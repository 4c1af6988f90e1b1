"""The part `gemm`: examples/tilelang_gemm.py, whose tensors are on the GPU where
there is one, with every kind of children and with AutoDD, one after another on
an otherwise idle machine, in turns as long as the time allows; each result is
run again in new interpreters.

AutoDD's runs see its own command line, and a script with arguments becomes the
bare parser, whose complaint quotes the text that is looked for: its search is
over early, with a result that does not fail. So the same script comes once more,
with its settings as constants.
"""
import re
import shutil
import statistics
import time

import cases
import minimized
import rig as rigs

ROW = {"file": "tilelang_gemm.py", "needs": ["torch", "tilelang"],
       "message": "T.gemm K shape check failed", "fault": []}
SETTLED = """def parse_args(argv=None):
    return types.SimpleNamespace(m=256, n=256, k=512, dtype="float16",
                                 activation="gelu", tune=False, bench=False)
"""
MOST_S = 120    # of one minimization
AGAIN = 3       # runs of a result


def scripts(rig):
    """The script as it is, and the same with constants for its arguments."""
    folder = rigs.ROOT / "examples"
    text = (folder / ROW["file"]).read_text()
    text, imports = re.subn(r"^import argparse$", "import types", text,
                            flags=re.M)
    text, parsers = re.subn(r"^def parse_args\(.*\n(?:    .*\n)+", SETTLED, text,
                            flags=re.M)
    if (imports, parsers) != (1, 1):
        raise SystemExit("%s parses its arguments in another way" %
                         ROW["file"])
    row = dict(ROW, file="gemm_of_constants.py")
    (rig.work / row["file"]).write_text(text)
    return [cases.Case(ROW, folder, rig), cases.Case(row, rig.work, rig)]


def once(rig, jobs, case, way):
    """One minimization and the runs of its result."""
    folder = rig.work / "gemm"
    folder.mkdir()
    before = rigs.gpu_memory()
    if way == "AutoDD":
        row = jobs.autodd(case, folder, MOST_S)
    else:
        rig.args.children = way
        row = jobs.ours(case, folder, MOST_S, anew=True)
    row.pop("steps", None)
    free, _ = rig.wait_clean(before)
    row.update(way=way, script=case.name, before=len(case.text), free_s=free)
    if "result" in row:
        text = row["result"].encode()
        ends = rig.map(lambda _: case.judge(text), range(AGAIN), AGAIN)
        row.update(again=sum(end["fails"] for end in ends),
                   codes=sorted({end["code"] for end in ends}, key=str))
    shutil.rmtree(folder, ignore_errors=True)
    rig.say("%s %s: %s", case.name, way, {key: row.get(key) for key in (
        "seconds", "runs", "bytes", "lines", "again", "codes", "free_s")})
    return row


def part(rig, seconds):
    """All ways with each script in turn, and again while there is time."""
    end = time.monotonic() + min(seconds, rig.left())
    rows = (rig.load("gemm") or {"rows": []})["rows"]
    found = scripts(rig)
    jobs = minimized.Jobs(rig, found)
    missing = found[0].missing()
    if missing:
        rig.save("gemm", {"rows": [], "missing": missing},
                 ["# The GEMM", "", "Not run: no %s." % ", ".join(missing)])
        return False
    children = rig.args.children
    turns = [(case, way) for case in found
             for way in rig.args.ways.split(",")]
    longest = {}
    while True:
        case, way = turn = turns[len(rows) % len(turns)]
        need = longest.get(turn, max(longest.values(), default=60)) + 12
        if end - time.monotonic() < need:
            break
        began = time.monotonic()
        rows.append(once(rig, jobs, case, way))
        longest[turn] = time.monotonic() - began
        rig.save("gemm", {"rows": rows}, table(rig, rows))
    rig.args.children = children
    ours = [row for row in rows if row["way"] != "AutoDD"]
    return bool(ours) and all(row.get("again") == AGAIN and row["bytes"] <= 260
                              for row in ours)


def table(rig, rows):
    """The page of the part."""
    lines = ["# The GEMM of the demo, -j %d" % rig.args.jobs, "",
        "In this order, one after another.", "",
        "| script | bytes | | seconds | runs | bytes, lines | run again: "
        "fails | exit codes | hot refusals, sampled, overturned | void batches "
        "| memory free after s |", "|---|---|---|---|---|---|---|---|---|---|---|"]
    for row in rows:
        k = row.get("children")
        lines.append("| %s | %d | %s | %.1f%s | %s | %s, %s | %s of %d | %s | "
                     "%s | %s | %s |" % (
                         row["script"], row["before"],
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
    for turn in dict.fromkeys((row["script"], row["way"]) for row in rows):
        took = [row["seconds"] for row in rows
                if (row["script"], row["way"]) == turn]
        lines.append("- %s, %s: %.1f s (of %d)" % (
            *turn, statistics.median(took), len(took)))
    return lines
