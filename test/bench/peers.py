"""How each reducer is started, and where it leaves its result.

A tool is a function from a Job to the command to run in the job's folder. It
may set job.result, where the smaller script will be; as a rule that is the
script itself, changed in place. Tools in ASKING decide through the oracle, and
so the runs are counted there. The others bring a fork server of their own.
"""
import json
import os
import re
import shlex
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXTRA = ("ours-good", "ours-asking")  # only where they are named
ASKING = ("ours-asking", "autodd-asking", "shrinkray", "cvise", "lithium",
          "picire")


def own(job, *extra):
    job.result = job.folder / "result.py"
    return [job.program("autodd-c"), job.script, "--python", job.opt.python,
            "-j", job.opt.jobs, "--max-time", job.opt.budget, "-q",
            "--state", job.folder / "state.db", "-o", job.result,
            "--report", job.folder / "report.json", *extra]


def ours(job):
    return own(job, "--err-msg", job.row["message"])


def ours_good(job):
    """Ours, which is also given the script without the fault."""
    text = job.script.read_text()
    if job.row["fix"][0] not in text:
        raise ValueError("what faults.yaml would mend is not in it")
    good = job.folder / ("good_" + job.script.name)
    good.write_text(text.replace(*job.row["fix"]))
    return [*ours(job), "--good", good]


def ours_asking(job):
    """Ours, with the same oracle as the others in place of its own."""
    return own(job, "--test", shlex.join([str(job.opt.ask), str(job.socket)]))


def autodd(job, backend="runner"):
    """As a user starts it: candidates run in a process that stays."""
    job.result = job.folder / "result.py"
    return [job.opt.python, "-u", "-m", "tilelang.autodd", job.script,
            "--err-msg", job.row["message"], "-o", job.result,
            "--backend", backend, "-j", job.opt.jobs]


def autodd_asking(job):
    """AutoDD, with the same oracle as the others in place of its own.

    Its other backend starts the program python3 for each candidate, and looks
    for the text in what that prints: this one asks, and prints the text.
    """
    folder = job.folder / "bin"
    folder.mkdir()
    shim = folder / "python3"
    words = [str(job.opt.ask), str(job.socket), job.row["message"]]
    shim.write_text("#!/bin/sh\n%s %s \"$1\" || exit 0\nprintf '%%s\\n' %s >&2\n"
                    "exit 1\n" % tuple(map(shlex.quote, words)))
    shim.chmod(0o755)
    path = "PATH=%s%s%s" % (folder, os.pathsep, os.environ["PATH"])
    return ["env", path, *autodd(job, "subproc")]


def shrinkray(job):
    # Without its language model, which would have to be fetched, and without
    # reformatting the result.
    return [*job.words("shrinkray"), "--ui", "basic", "--no-llm",
            "--no-history", "--formatter", "none", "--input-type", "arg",
            "--parallelism", job.opt.jobs, job.test("$1"), job.script]


def cvise(job):
    # It copies the file to a folder of the test's own, and gives no argument.
    return [*job.words("cvise"), "--not-c", "--tidy", "--n", job.opt.jobs,
            job.test(job.script.name), job.script.name]


def lithium(job):
    return [*job.words("lithium"), HERE / "lithium_ask.py", job.script]


def picire(job):
    job.result = job.folder / "out" / job.script.name
    return [*job.words("picire"), "--input", job.script, "--atom", "both",
            "--test", job.test("$1"), "--out", job.folder / "out",
            "--parallel", "--jobs", job.opt.jobs]


TOOLS = {"ours": ours, "ours-good": ours_good, "ours-asking": ours_asking,
         "autodd": autodd, "autodd-asking": autodd_asking,
         "shrinkray": shrinkray, "cvise": cvise, "lithium": lithium,
         "picire": picire}


def own_report(job):
    """What ours says of its run; None where it was killed."""
    path = job.folder / "report.json"
    return json.loads(path.read_text()) if path.exists() else None


def steps(job):
    """Of ours: (runs, bytes) after each step; else none."""
    report = own_report(job) or {"steps": ()}
    return [(step["run"], step["bytes"]) for step in report["steps"]]


def count_own(job):
    """Runs that our report tells, and whether the search came to its end."""
    report = own_report(job)
    if report is None:
        return None, True
    return report["runs"], report["minimal"] is not True


def count_autodd(job):
    """AutoDD says how many candidates it has handed out so far."""
    said = re.findall(r"^Dispatched (\d+) tasks", job.log(), re.M)
    return (int(said[-1]) if said else None), False


def count(job):
    """The runs of a job, and whether the tool says that it was cut short."""
    if job.tool in ASKING:
        return job.counts["runs"], False
    return count_autodd(job) if job.tool == "autodd" else count_own(job)


def environment(job):
    """The variables that a tool is started with."""
    env = dict(os.environ, BENCH_SOCKET=str(job.socket),
               TMPDIR=str(job.folder / "tmp"), PYTHONHASHSEED="0",
               OMP_NUM_THREADS="1",
               XDG_STATE_HOME=str(job.folder / "tmp"))
    return {**env, "TRITON_CACHE_DIR": env["TMPDIR"],
            "TILELANG_CACHE_DIR": env["TMPDIR"]}
