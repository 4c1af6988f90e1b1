"""The part `kill`: kill -9 of autodd-c at random moments of one search, which
the same command then goes on with; each time, how long its processes and its
memory on the GPU last, and what is left in its folder for scratch.

The last kill takes the worker along. Then the search runs to its end, and the
folder for scratch must be empty.
"""
import contextlib
import json
import os
import random
import select
import signal
import subprocess
import time
import uuid

import cases
import rig as rigs

KILLS = 6       # the last one of them with the worker
FIRST_S, LAST_S = 2, 25   # between these seconds of a run
GONE_S = 15     # in which all must have gone
EXAMPLE = "triton_wrong_axis"


def wait_gone(mark, seconds):
    """Wait until no process has the mark. Returns the seconds, None if some
    are still there, and those."""
    start = time.monotonic()
    while True:
        pids = rigs.marked(mark)
        if not pids:
            return time.monotonic() - start, []
        for pid in pids:
            left = start + seconds - time.monotonic()
            if left <= 0:
                return None, [describe(pid) for pid in pids]
            with contextlib.suppress(OSError):
                handle = os.pidfd_open(pid)
                select.select([handle], [], [], left)
                os.close(handle)


def describe(pid):
    """State and command line of a process."""
    with contextlib.suppress(OSError):
        with open("/proc/%d/stat" % pid, encoding="latin-1") as file:
            state = file.read().rpartition(")")[2].split()[0]
        with open("/proc/%d/cmdline" % pid, "rb") as file:
            return state + " " + file.read().replace(b"\0", b" ").decode(
                "utf-8", "replace")[:200]
    return "gone"


def workers(mark):
    """The worker programs among the marked processes."""
    found = []
    for pid in rigs.marked(mark):
        with contextlib.suppress(OSError):
            with open("/proc/%d/cmdline" % pid, "rb") as file:
                if file.read().split(b"\0")[1:2] == [b"worker"]:
                    found.append(pid)
    return found


class Search:
    """One search that is started again and again."""

    def __init__(self, rig, case):
        self.rig = rig
        self.folder = rig.work / "kill"
        self.scratch = self.folder / "tmp"
        self.scratch.mkdir(parents=True)
        self.script = self.folder / case.file
        self.script.write_bytes(case.text)
        self.report = self.folder / "report.json"
        self.mark = uuid.uuid4().hex
        self.command = [
            str(word) for word in (
                rig.autodd_c, self.script, *case.words(), "-j", rig.args.jobs,
                "--python", rig.python, "--children", rig.args.children,
                "--state", self.folder / "state.db", "-o",
                self.folder / "result.py")]
        self.env = dict(os.environ, TMPDIR=str(self.scratch))
        self.env[rigs.MARK] = self.mark

    def left(self):
        """What lies in the folder for scratch."""
        return sorted(os.listdir(self.scratch))

    def killed(self, moment, with_worker):
        """Start, kill at that moment, and look."""
        before = rigs.gpu_memory()
        log = open(self.folder / "log", "ab")
        child = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            env=self.env, start_new_session=True)
        log.close()
        handle = os.pidfd_open(child.pid)
        ended = bool(select.select([handle], [], [], moment)[0])
        os.close(handle)
        row = {"moment": round(moment, 1), "with_worker": with_worker,
               "ended_before": ended, "used": rigs.gpu_memory(),
               "processes": len(rigs.marked(self.mark))}
        targets = workers(self.mark) if with_worker else []
        os.kill(child.pid, signal.SIGKILL)
        for pid in targets:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        child.wait(GONE_S)
        gone, row["stay"] = wait_gone(self.mark, GONE_S)
        free, row["memory"] = self.rig.wait_clean(before, GONE_S)
        row.update(gone_s=gone, free_s=free, before=before,
                   on_gpu=rigs.gpu_processes(), scratch=self.left())
        for pid in rigs.marked(self.mark):  # not into the next search
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return row

    def finish(self, seconds):
        """The same command to its end."""
        done = self.rig.run(
            self.command + ["--max-time", "%d" % seconds, "--report",
                            str(self.report)], seconds + 45, env=self.env)
        said = json.loads(self.report.read_text()) \
            if self.report.exists() else {}
        return {"exit": done.code, "status": said.get("status"),
                "runs": said.get("runs"),
                "bytes": (said.get("result") or {}).get("bytes"),
                "seconds": round(done.seconds, 1), "said": done.tail(),
                "scratch": self.left(), "stay": len(rigs.marked(self.mark))}


def part(rig, seconds):
    """Kill, look, go on; at last, finish."""
    case, = cases.load(rig, [(rig.args.names or EXAMPLE).split(",")[0]])
    rng = random.Random(rig.args.seed)
    end = time.monotonic() + seconds
    last = min(LAST_S, max(FIRST_S + 1, (seconds - 60) / KILLS * 1.5))
    search, rows, finish = Search(rig, case), [], None
    for turn in range(KILLS):
        if end - time.monotonic() < last + 20:
            break
        row = search.killed(rng.uniform(FIRST_S, last), turn == KILLS - 1)
        rows.append(row)
        rig.say("kill %d: %s", turn + 1, {key: row[key] for key in (
            "moment", "processes", "gone_s", "free_s", "scratch", "stay")})
    if end - time.monotonic() > 25:
        finish = search.finish(min(40, end - time.monotonic() - 15))
        rig.say("finished: %s", {key: finish[key] for key in (
            "exit", "status", "scratch", "stay")})
    rig.save("kill", {"rows": rows, "finish": finish, "case": case.name,
                      "seed": rig.args.seed}, table(case, rows, finish))
    really = [row for row in rows if not row["ended_before"]]
    return len(really) >= KILLS - 1 and all(
        row["gone_s"] is not None and row["free_s"] is not None
        for row in rows) and bool(finish) and not finish["scratch"] \
        and not finish["stay"]


def seconds_of(value):
    """Seconds, or that it took too long."""
    return "**more than %d**" % GONE_S if value is None else "%.1f" % value


def table(case, rows, finish):
    """The page of the part."""
    lines = ["# kill -9 of autodd-c", "", "One search of %s, killed at random "
             "moments, started again by the same command." % case.name, "",
             "| killed | after s | processes then | MiB on the GPUs before, "
             "then, later | no process after s | memory free after s | left in "
             "the scratch folder |", "|---|---|---|---|---|---|---|"]
    for row in rows:
        lines.append("| %s | %.1f%s | %d | %s, %s, %s | %s | %s | %s |" % (
            "autodd-c and its worker" if row["with_worker"] else "autodd-c",
            row["moment"], ", ended by itself" if row["ended_before"] else "",
            row["processes"], total(row["before"]), total(row["used"]),
            total(row["memory"]), seconds_of(row["gone_s"]),
            seconds_of(row["free_s"]), len(row["scratch"]) or "nothing"))
    lines.append("")
    if finish:
        lines.append(
            "Then to its end: exit code %s, %s, %s bytes; left in the scratch "
            "folder: %s; processes: %d." % (
                finish["exit"], finish["status"], finish["bytes"],
                ", ".join(finish["scratch"]) or "nothing", finish["stay"]))
    else:
        lines.append("Not run to its end: no time.")
    return lines


def total(memory):
    """MiB of all GPUs."""
    return sum(memory.values()) if memory else "?"
