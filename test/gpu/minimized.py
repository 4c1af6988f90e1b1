"""The parts `steps` and `side`: each example is minimized, by autodd-c and, for
`side`, by AutoDD with the same text, the same -j and the same time.

  steps  every step that autodd-c accepted is run again in a new interpreter,
         and must fail in the way it was accepted for; as many as the time
         allows, spread evenly over the examples and over their steps
  side   both results, side by side, each run again in a new interpreter

What was minimized is kept, so that a later call (--done) goes on from there: with
what was not tried and, if asked to (--to-end), with each search that was cut off,
where its state file lets it. Those that have never come to their end go first.
"""
import contextlib
import hashlib
import json
import re
import shutil
import sqlite3
import time
import traceback

from cases import LIMIT_S

OWN_END = 45    # seconds more for ours, which checks its result at the end
LEAST_S = 25    # a minimization is not begun with less
MOST_S = 240
HANG_S = 200    # the same for what hangs: each failing run takes the limit
PART = 70       # steps run again before the next word of it is kept
OVERHEAD = 20   # seconds of a job around its budget


class Jobs:
    """The minimizations that both parts look at."""

    def __init__(self, rig, cases):
        self.rig, self.cases = rig, cases
        self.found = rig.load("minimized") or {}

    def get(self, case, tool):
        """What came of a job; None: not done yet."""
        return self.found.get("%s.%s" % (case.name, tool))

    def ended(self, case, tool):
        """Whether a job needs no further call: what is asked of it once is
        done, or the search has come to its end and the result was checked."""
        found = self.get(case, tool)
        return bool(found) and (
            not self.rig.args.to_end or tool != "ours" or
            "missing" in found or
            found.get("minimal") is True and found["status"] == "verified")

    def put(self, case, tool, found):
        """Keep what came of a job."""
        self.found["%s.%s" % (case.name, tool)] = found
        self.rig.save("minimized", dict(self.found))
        self.rig.say("%s %s: %s", case.name, tool, {
            key: found[key] for key in
            ("seconds", "status", "runs", "bytes", "missing") if key in found})

    def prepare(self, tools, seconds):
        """Do what is not done yet, some jobs at a time, in about so many
        seconds."""
        todo = [(case, tool) for case in self.cases for tool in tools
                if not self.ended(case, tool)]
        if not todo:
            return
        at_once = self.rig.args.at_once
        rounds = -(-len(todo) // at_once)
        budget = self.rig.args.minimize or \
            max(LEAST_S, min(MOST_S, seconds / rounds - OVERHEAD))
        self.rig.say("%d minimizations, %d at a time, %.0f s each",
                     len(todo), at_once, budget)
        # First what an earlier call has begun and not ended, then hangs, which
        # take longest; else in the order in which they were named.
        todo.sort(key=lambda job: (not self.get(*job), not job[0].hangs))
        self.rig.map(lambda job: self.one(*job, budget), todo, at_once)

    def one(self, case, tool, budget):
        """One job, if there is time for it."""
        missing = case.missing()
        if tool == "autodd" and self.get(case, "ours"):
            budget = self.get(case, "ours").get("budget", budget)
        own = self.rig.args.budgets.get(case.name)
        if case.hangs or own:
            budget = min(own or max(budget, HANG_S),
                         self.rig.left() - OWN_END)
        if missing:
            self.put(case, tool, {"missing": missing})
        elif tool == "autodd" and not case.for_autodd():
            self.put(case, tool, {"missing": ["text that AutoDD could look for"]})
        elif budget < min(LEAST_S, self.rig.args.minimize or LEAST_S) or \
                self.rig.left() < budget + OVERHEAD:
            self.rig.say("%s %s: no time is left", case.name, tool)
        else:
            self.do(case, tool, budget)

    def do(self, case, tool, budget):
        """One job, in a folder of its own; one that goes wrong stops no
        other."""
        folder = self.rig.fixed / ("%s.%s" % (case.name, tool))
        folder.mkdir()
        work = self.ours if tool == "ours" else self.autodd
        try:
            found = work(case, folder, budget)
            self.put(case, tool, dict(
                found, budget=budget, at_once=self.rig.args.at_once,
                jobs=self.rig.args.jobs))
        except Exception:
            self.rig.say("%s %s: %s", case.name, tool,
                         traceback.format_exc())
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def ours(self, case, folder, budget, anew=False):
        """Minimize with autodd-c; `anew`: not from where an earlier search of
        the script stopped."""
        script, result = folder / case.file, folder / "result.py"
        report, state = folder / "report.json", folder / "state.db"
        script.write_bytes(case.text)
        earlier = self.get(case, "ours") or {}
        kept = self.rig.earlier("states/%s.db" % case.name)
        if kept and not anew:
            shutil.copyfile(kept, state)
        done = self.rig.run(
            [self.rig.autodd_c, script, *case.words(), "-j",
             self.rig.args.jobs, "--python", self.rig.python, "--max-time",
             "%d" % budget, "--children", self.rig.args.children, "--state",
             state, "-o", result, "--report", report], budget + OWN_END)
        took = earlier.get("took", []) + [round(done.seconds, 1)]
        found = {"seconds": took[-1], "took": took, "exit": done.code,
                 "stopped": done.stopped, "said": done.tail(),
                 "steps": accepted(state), "status": "no report"}
        keep(state, self.rig.out / "states" / (case.name + ".db"))
        if report.exists():
            said = json.loads(report.read_text())
            found.update(
                {key: said[key] for key in (
                    "status", "runs", "accepted", "no_verdict", "children",
                    "signature", "minimal", "verification", "without",
                    "command")},
                gpu=said["versions"]["gpu"],
                notes=[note["text"] for note in said["notes"]])
        return add_result(found, result)

    def autodd(self, case, folder, budget):
        """Minimize with AutoDD."""
        script, result = folder / case.file, folder / "result.py"
        script.write_bytes(case.text)
        done = self.rig.run(
            [self.rig.python, "-u", "-m", "tilelang.autodd", script,
             "--err-msg", case.message, "-o", result, "--backend", "runner",
             "-j", self.rig.args.jobs], budget, cwd=folder,
            env={"TRITON_CACHE_DIR": str(folder / "triton"),
                 "TILELANG_CACHE_DIR": str(folder / "tilelang"),
                 **case.environ})
        runs = re.findall(r"^Dispatched (\d+) tasks", done.log, re.M)
        return add_result({
            "seconds": round(done.seconds, 1), "exit": done.code,
            "stopped": done.stopped, "said": done.tail(),
            "runs": int(runs[-1]) if runs else None}, result)


def add_result(found, path):
    """The text that a tool came to."""
    if path.exists():
        text = path.read_bytes()
        found.update(result=text.decode("utf-8", "replace"), bytes=len(text),
                     lines=len(text.splitlines()))
    return found


def accepted(state):
    """The texts of the steps that a state file holds, the original first."""
    if not state.exists():
        return []
    with contextlib.closing(sqlite3.connect(str(state))) as base:
        return [row[0] if isinstance(row[0], str)
                else row[0].decode("utf-8", "replace") for row in
                base.execute("SELECT text FROM step ORDER BY job, seq")]


def keep(state, path):
    """Put a state file where a later call finds it; also one whose program was
    killed."""
    if not state.exists():
        return
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(str(state))) as base, \
            contextlib.closing(sqlite3.connect(str(path))) as copy:
        base.backup(copy)


def evenly(count):
    """The numbers below count, such that the first few are spread evenly;
    the last one, which is the result, first."""
    order, seen, width = [], set(), 1
    while len(order) < count:
        for at in range(width, 0, -1):
            number = max(0, count * at // width - 1)
            if number not in seen:
                seen.add(number)
                order.append(number)
        width *= 2
    return order


# ---- steps ----


def digest(text):
    """A short name of a step."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def steps(rig, cases, jobs, seconds):
    """Run the accepted steps again."""
    end = time.monotonic() + min(seconds, rig.left())
    rows = (rig.load("steps") or {"rows": {}})["rows"]
    queue = []
    for case in cases:
        found = jobs.get(case, "ours") or {}
        texts = list(dict.fromkeys(found.get("steps", [])))
        row = rows.setdefault(case.name, {"again": {}, "wrong": []})
        row.update(steps=len(texts), **{key: found.get(key) for key in (
            "status", "missing", "children", "runs", "bytes", "minimal",
            "seconds", "took")})
        # A search that went on has these steps and more.
        known = set(map(digest, texts))
        row["again"] = {key: fails for key, fails in row["again"].items()
                        if key in known}
        queue += [(place, case, texts[number], number) for place, number
                  in enumerate(evenly(len(texts)))
                  if digest(texts[number]) not in row["again"]]
    queue.sort(key=lambda job: job[0])
    rig.say("%d accepted steps to run again, %.0f s", len(queue),
            end - time.monotonic())

    def again(job):
        _, case, text, number = job
        judged = case.judge(text.encode(), end - (45 if case.hangs else 15))
        if judged is None:
            return
        row = rows[case.name]
        if judged["late"]:
            row["late"] = row.get("late", 0) + 1
            return
        row["again"][digest(text)] = judged["fails"]
        if not judged["fails"]:
            row["wrong"].append(dict(judged, step=number, text=text))
            rig.say("%s: step %d does not fail: exit %s: %s", case.name,
                    number, judged["code"], judged["tail"][-200:])

    # In parts, so that little is lost should this program be ended.
    for at in range(0, len(queue), PART):
        rig.map(again, queue[at:at + PART], rig.args.parallel)
        rig.save("steps", {"rows": rows}, steps_table(rows))
    rig.save("steps", {"rows": rows}, steps_table(rows))
    done = [row for row in rows.values() if row["again"]]
    return bool(done) and not any(row["wrong"] for row in done)


def steps_table(rows):
    """The page of the part."""
    lines = ["# Accepted steps, run again in new interpreters", "",
             "| script | end | bytes | seconds | runs: fresh, forked, warm, hot | "
             "hot refusals, sampled, overturned | void batches | accepted "
             "steps | run again | still fail | do not |", "|" + "---|" * 11]
    for name, row in rows.items():
        if row.get("missing"):
            lines.append("| %s | not run: no %s ||||||||||" % (
                name, ", ".join(row["missing"])))
            continue
        lines.append("| %s | %s%s | %s | %s | %s | %d | %d | %d | %d |" % (
            name, row.get("status") or "not minimized",
            "" if row.get("minimal") in (None, True) else ", cut off",
            row.get("bytes") or "",
            " + ".join("%.1f" % took for took in row.get("took") or []),
            by_kind(row.get("children")), row["steps"], len(row["again"]),
            sum(row["again"].values()), len(row["wrong"])))
    steps_all = sum(row["steps"] for row in rows.values())
    again = sum(len(row["again"]) for row in rows.values())
    hot = [row["children"] for row in rows.values() if row.get("children")]
    lines += ["", "%d of %d accepted steps were run again%s; **%d** do not "
              "fail." % (again, steps_all, "" if again == steps_all else
                         " (a sample spread evenly: time was up)",
                         sum(len(row["wrong"]) for row in rows.values())),
              "", "Without an end in %d s, and so not counted: %d." % (
                  LIMIT_S,
                  sum(row.get("late", 0) for row in rows.values())),
              "", "Of %d refusals by hot children %d were asked of clean ones "
              "as well, which overturned **%d**." % tuple(
                  sum(kinds[key] for kinds in hot)
                  for key in ("noes", "sampled", "overturned"))]
    return lines


def by_kind(kinds):
    """The cells that tell of the kinds of children."""
    if not kinds:
        return "| |"
    return "%d, %d, %d, %d | %d, %d, %d | %d of %d" % tuple(
        [kinds[key] for key in ("fresh", "forked", "warm", "hot", "noes",
                                "sampled", "overturned", "voided")] +
        [kinds["voided"] + kinds["batches"]])


# ---- side ----


def side(rig, cases, jobs, seconds):
    """Run both results again, and lay them side by side."""
    end = time.monotonic() + min(seconds, rig.left())
    rows = (rig.load("side") or {"rows": {}})["rows"]
    queue = [(case, tool) for case in cases for tool in ("ours", "autodd")
             if tool not in rows.setdefault(case.name, {})]

    def look(job):
        case, tool = job
        found = jobs.get(case, tool)
        if not found:
            return
        row = {key: found.get(key) for key in (
            "missing", "seconds", "stopped", "runs", "bytes", "lines",
            "status", "exit", "result", "said")}
        if found.get("result") is not None:
            text = found["result"].encode()
            judged = case.judge(text, end - 15)
            if judged is None:
                return
            row.update(again_s=judged.pop("seconds"), **judged)
            row["fault"] = row["fails"] and case.kept(text)
        rows[case.name][tool] = row

    rig.map(look, queue, rig.args.parallel)
    for case in cases:
        rows[case.name]["original"] = len(case.text)
    rig.save("side", {"rows": rows}, side_table(rows, rig.args))
    return all(row.get("fails", True) for pair in rows.values()
               for row in [pair.get("ours", {})])


def side_table(rows, args):
    """The page of the part."""
    lines = ["# The examples, autodd-c and AutoDD", "",
             "-j %d each, %d minimizations at a time on one machine." % (
                 args.jobs, args.at_once), "",
             "| script | bytes | tool | bytes left, lines | runs | seconds | "
             "run again | fault kept |", "|---|---|---|---|---|---|---|---|"]
    for name, pair in rows.items():
        for tool, title in (("ours", "autodd-c"), ("autodd", "AutoDD")):
            row = pair.get(tool)
            head = "| %s | %d | %s |" % (name, pair["original"], title)
            if not row:
                lines.append(head + " not run: no time |||||")
            elif row["missing"]:
                lines.append(head + " not run: no %s |||||" % ", ".join(
                    row["missing"]))
            elif row["bytes"] is None:
                lines.append(head + " no result (exit %s%s) | %s | %.1f |||" % (
                    row["exit"], ", cut off" if row["stopped"] else "",
                    row["runs"], row["seconds"]))
            else:
                lines.append("%s %d, %d | %s | %.1f%s | %s | %s |" % (
                    head, row["bytes"], row["lines"], row["runs"],
                    row["seconds"], ", cut off" if row["stopped"] else "",
                    again(row), {True: "yes", False: "no"}.get(
                        row.get("fault"), "")))
    lines.append("")
    for tool, title in (("ours", "autodd-c"), ("autodd", "AutoDD")):
        found = [pair[tool] for pair in rows.values() if "fails" in
                 pair.get(tool, {})]
        lines.append("%s: of %d results %d fail again, %d keep the fault." % (
            title, len(found), sum(row["fails"] for row in found),
            sum(bool(row["fault"]) for row in found)))
    return lines


def again(row):
    """How a result ended when it was run again."""
    if "fails" not in row:
        return "no time"
    if row["fails"]:
        return "fails"
    if row["code"] == 0:
        return "**exit code 0**"
    return "**another failure**, exit %s" % row["code"]
