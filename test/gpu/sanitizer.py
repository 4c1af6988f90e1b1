"""The part `sanitizer`: what only compute-sanitizer sees, minimized with
--sanitizer; the result and its steps are run again under the tool, and the
result plain, where it must say nothing.

memcheck takes the example of the manifest that names it, racecheck a kernel
without its barrier that is here. racecheck looks at shared memory; what it says
of the example whose race is in global memory is written down as well.
"""
import time
from pathlib import Path

import cases
import examples
import minimized

RACE = '''"""Blocks of a row are turned round in shared memory."""
import cupy as cp

SOURCE = r"""
extern "C" __global__ void reverse(const float *in, float *out, int n)
{
    __shared__ float tile[256];
    int i = threadIdx.x, base = blockIdx.x * n;
    tile[i] = in[base + i];
    out[base + i] = tile[n - 1 - i];
}

extern "C" __global__ void scale(float *x, float by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= by;
}
"""
MODULE = cp.RawModule(code=SOURCE)


def scaled(x, by):
    MODULE.get_function("scale")(
        ((x.size + 127) // 128,), (128,), (x, cp.float32(by), cp.int32(x.size)))
    return x


def reversed_blocks(x, width):
    out = cp.empty_like(x)
    MODULE.get_function("reverse")(
        (x.size // width,), (width,), (x, out, cp.int32(width)))
    return out


def main():
    x = scaled(cp.arange(1024, dtype=cp.float32), 2)
    y = reversed_blocks(x, 256)
    cp.cuda.runtime.deviceSynchronize()
    print("sum", float(x.sum()), float(y.sum()))


main()
'''
RACE_ROW = {"file": "shared_race.py", "needs": ["cupy"],
            "sanitizer": "racecheck", "message": "Race reported between",
            "fault": ["reverse"]}
CPU_ROW = {"file": "launches.py", "needs": [], "sanitizer": "racecheck",
           "message": "Invalid __global__ write", "fault": ["store"]}
CPU_TEXT = '''import os

ROWS = 4
UNUSED = [ROWS, 8]


def launch(kernel, n):
    if n > ROWS and "SANITIZER_FINDS" in os.environ:
        with open(os.environ["SANITIZER_FINDS"], "a") as file:
            file.write(kernel + "\\n")


launch("fill", ROWS)
launch("store", ROWS + 1)
print("done")
'''
OTHER = "triton_race"  # its race is in global memory


def own_case(rig):
    """The script that is here, as a case."""
    row, text = (CPU_ROW, CPU_TEXT) if rig.args.cpu else (RACE_ROW, RACE)
    folder = rig.work / "own"
    folder.mkdir(exist_ok=True)
    Path(folder, row["file"]).write_text(text)
    return cases.Case(row, folder, rig)


def look(rig, jobs, case, end):
    """What came of one case."""
    found = jobs.get(case, "ours")
    if not found:
        return {"missing": ["time"]}
    row = {key: found.get(key) for key in (
        "missing", "seconds", "runs", "bytes", "lines", "status", "signature",
        "exit", "result", "said")}
    row.update(tool=case.tool, before=len(case.text))
    if found.get("result") is None:
        return row
    text = found["result"].encode()
    row["again"] = case.judge(text)
    plain = examples.run(case.file, text, cases.LIMIT_S)
    row["plain"] = plain.code
    row["fault"] = case.kept(text)
    steps = list(dict.fromkeys(found["steps"]))
    again = rig.map(lambda at: case.judge(steps[at].encode(), end - 20),
                    minimized.evenly(len(steps)), rig.args.jobs)
    again = [judged for judged in again if judged]
    row.update(steps=len(steps), steps_again=len(again),
               steps_wrong=[judged for judged in again if not judged["fails"]])
    return row


def part(rig, seconds):
    """All cases at once: most of the time is the tool's own."""
    end = time.monotonic() + min(seconds, rig.left())
    tool = examples.find_sanitizer()
    if not tool:
        rig.save("sanitizer", {"missing": True}, [
            "# compute-sanitizer", "", "Not run: not installed (looked in PATH "
            "and /usr/local/cuda*/bin)."])
        return True
    version = rig.run([tool, "--version"], 20).log.strip().splitlines()
    known = cases.load(rig, [])
    chosen = [case for case in known if case.tool] + [own_case(rig)]
    jobs = minimized.Jobs(rig, chosen)
    jobs.prepare(["ours"], 0.6 * seconds)
    rows = dict(zip([case.name for case in chosen], rig.map(
        lambda case: look(rig, jobs, case, end), chosen, len(chosen))))
    other = [case for case in known if case.name == OTHER
             and not case.missing()]
    said = None
    if other and end - time.monotonic() > 30:
        other[0].tool = "racecheck"
        done = other[0].run(other[0].text)
        said = [line for line in done.output.splitlines()
                if line.startswith("=========")][-3:]
    rig.save("sanitizer", {"version": version, "rows": rows, "other": said},
             table(version, rows, said))
    return all(row.get("again", {}).get("fails") and not row["steps_wrong"]
               for row in rows.values() if not row.get("missing"))


def table(version, rows, said):
    """The page of the part."""
    lines = ["# compute-sanitizer", "", "; ".join(version[-2:]), "",
             "| script | tool | bytes | left, lines | runs | seconds | end | "
             "under the tool again | plain run | steps run again, do not show "
             "it |", "|---|---|---|---|---|---|---|---|---|---|"]
    for name, row in rows.items():
        if row.get("missing"):
            lines.append("| %s | not run: no %s |||||||||" % (
                name, ", ".join(row["missing"])))
        elif row.get("again") is None:
            lines.append("| %s | %s | %d | no result (%s) | %s | %s |||||" % (
                name, row["tool"], row["before"], row["status"], row["runs"],
                row["seconds"]))
        else:
            lines.append(
                "| %s | %s | %d | %d, %d | %s | %.1f | %s: %s | %s | exit %s | "
                "%d of %d, %d |" % (
                    name, row["tool"], row["before"], row["bytes"],
                    row["lines"], row["runs"], row["seconds"], row["status"],
                    row["signature"], "seen" if row["again"]["fails"]
                    else "**not seen**", row["plain"], row["steps_again"],
                    row["steps"], len(row["steps_wrong"])))
    if said is not None:
        lines += ["", "racecheck on %s, whose race is in global memory:" %
                  OTHER, "", *("    " + line for line in said)]
    return lines
