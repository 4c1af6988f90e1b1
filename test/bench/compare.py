"""Ours and the other reducers on the same inputs, side by side.

Each tool gets each input of examples/faults.yaml with the same budget of time
and the same number of runs at the same time (-j; Lithium makes one whatever is
said). Shrink Ray, C-Vise, Lithium and picire ask the fork server oracle.py
whether a candidate still fails, and their time begins when it has imported the
libraries; ours and AutoDD bring their own, and their imports are in their time.
All get one thread a run. Printed, as Markdown tables: runs of candidates,
seconds, CPU seconds of all processes, size of the result, and, from a run of
the result in a fresh interpreter, whether it still fails; whether the fault
that faults.yaml names is still in it; the sums of each tool; and what is asked
of ours beside AutoDD, input by input.

  fails   yes     the text is printed, and the exit code is the original's
          text    the text is printed, but it ends in another way
          no      not even that
  fault   yes     it fails, and what faults.yaml says of the fault holds for it

A `stopped` tool was cut off by the budget; of those that ask, the smallest text
that the oracle said yes to counts then.

With --deadline a call starts nothing that might end later, and what is missing
is made by the same command with --done FILE.json of the calls before, whose
rows stand in the tables too. Are the results of ours minimal? minimal.py
--done FILE.json.

usage: PYTHON compare.py [options]          see --help; test/bench/peers.sh
                                            installs the other tools
"""
import argparse
import collections
import concurrent.futures
import datetime
import fnmatch
import io
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tokenize
from pathlib import Path

try:
    import yaml
except ImportError:
    sys.exit("compare.py: %s has no PyYAML; pip install PyYAML" % sys.executable)

import oracle
import peers
from faults import has_fault

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples"
LAYOUT = (tokenize.COMMENT, tokenize.NL, tokenize.ENCODING,
          tokenize.ENDMARKER, tokenize.NEWLINE, tokenize.INDENT,
          tokenize.DEDENT)
FRESH_MAX = 120  # seconds for a run of a result
START_MAX = 300  # seconds for the imports of the oracle
OWN_END = 120  # seconds more for ours, which checks its result at the end
AROUND = 60  # seconds that imports and checks of a job mostly take
FEWER, SMALLER = 5, 3  # what is asked of ours beside AutoDD: runs, bytes

Ending = collections.namedtuple("Ending", "code output")


def load(path):
    """The rows of faults.yaml, by the file's name without .py."""
    rows = yaml.safe_load(path.read_text())
    for row in rows:
        row["path"] = path.parent / row["file"]
    return {row["path"].stem: row for row in rows}


def fresh(python, text, name):
    """Run a text under a script's name in an interpreter of its own."""
    with tempfile.TemporaryDirectory(prefix="fresh.") as folder:
        path = Path(folder, name)
        path.write_bytes(text)
        env = dict(os.environ, TMPDIR=folder, PYTHONHASHSEED="0",
                   OMP_NUM_THREADS="1")
        env.update((cache, folder) for cache in oracle.CACHES)
        run = subprocess.Popen(
            [python, path], cwd=folder, env=env, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True)
        try:
            output = run.communicate(timeout=FRESH_MAX)[0]
        except subprocess.TimeoutExpired:
            output = b""
        finally:
            try:
                os.killpg(run.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return Ending(run.wait(), output.decode("utf-8", "replace"))


def tokens(text):
    """How many tokens Python sees, comments and layout aside."""
    try:
        found = tokenize.tokenize(io.BytesIO(text).readline)
        return sum(token.type not in LAYOUT for token in found)
    except (tokenize.TokenError, SyntaxError):
        return None


class Broken(Exception):
    """Something that no figure can be made of; the text says what."""


class Job:
    """One tool on one input."""

    def __init__(self, opt, tool, name, row, original, folder):
        """Lay the input out in a folder of its own."""
        self.opt, self.tool, self.name, self.row = opt, tool, name, row
        self.original, self.folder = original, folder
        (folder / "tmp").mkdir(parents=True)
        self.script = folder / row["path"].name
        shutil.copyfile(row["path"], self.script)
        self.result = self.script
        self.socket = folder / "s"
        self.best = folder / "best"
        self.counts = {"runs": None, "cpu": 0.0}

    def program(self, name):
        """The path of a program that an option gives."""
        path = getattr(self.opt, name.replace("-", "_"))
        if not path or not shutil.which(path):
            raise Broken("%s is not there; say --%s PATH" % (path, name))
        return path

    def words(self, name):
        """The command of one of the other tools."""
        words = shlex.split(self.opt.tool.get(name, name))
        beside = self.opt.peers and Path(self.opt.peers, "bin", words[0])
        if name not in self.opt.tool and beside and beside.exists():
            words[0] = str(beside)
        if not shutil.which(words[0]):
            raise Broken("%s is not installed: run test/bench/peers.sh, or say "
                         "--tool %s=COMMAND" % (name, name))
        return words

    def test(self, candidate):
        """The interestingness test as a program; its path."""
        path = self.folder / "test.sh"
        quoted = candidate if candidate == "$1" else shlex.quote(candidate)
        path.write_text("#!/bin/sh\nexec %s %s \"%s\"\n" % (
            shlex.quote(str(self.opt.ask)), shlex.quote(str(self.socket)),
            quoted))
        path.chmod(0o755)
        return path

    def log(self):
        """What the tool printed."""
        return (self.folder / "log").read_text("utf-8", "replace")

    def start_oracle(self):
        """Start the fork server; return when it answers."""
        scratch = self.folder / "runs"
        scratch.mkdir()
        config = self.folder / "oracle.json"
        config.write_text(json.dumps({
            "socket": str(self.socket), "script": str(self.row["path"]),
            "text": self.row["message"], "rule": self.opt.rule,
            "last": [oracle.last_line(self.original.output)],
            "exit": self.original.code, "timeout": 60,
            "scratch": str(scratch), "best": str(self.best),
            "counts": str(self.folder / "counts.json")}))
        with open(self.folder / "oracle.log", "wb") as log:
            server = subprocess.Popen(
                [self.opt.python, HERE / "oracle.py", config], stderr=log,
                stdout=subprocess.PIPE, env=peers.environment(self),
                stdin=subprocess.DEVNULL)
        if server.stdout.readline() != b"ready\n":
            server.wait()
            raise Broken("the oracle does not start: " +
                         (self.folder / "oracle.log").read_text()[-500:])
        return server

    def end_oracle(self, server):
        """End the fork server and take its counts."""
        server.terminate()
        server.wait(START_MAX)
        server.stdout.close()
        self.counts = json.loads((self.folder / "counts.json").read_text())

    def run(self):
        """Run the tool. Returns what measure.py says of it."""
        command = [str(w) for w in peers.TOOLS[self.tool](self)]
        limit = self.opt.budget + (OWN_END if self.tool.startswith("ours") else 0)
        server = self.start_oracle() if self.tool in peers.ASKING else None
        try:
            done = subprocess.run(
                [sys.executable, HERE / "measure.py", str(limit),
                 self.folder / "log", *command],
                cwd=self.folder, env=peers.environment(self),
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
        finally:
            if server:
                self.end_oracle(server)
        return json.loads(done.stdout)

    def outcome(self, measured):
        """The text that the tool came to, or None."""
        if measured["stopped"] and self.tool in peers.ASKING:
            return self.best.read_bytes() if self.best.exists() else None
        return self.result.read_bytes() if self.result.exists() else None

    def figures(self):
        """Run the tool and judge its result: one row of the table."""
        measured = self.run()
        runs, cut = peers.count(self)
        row = {"input": self.name, "tool": self.tool, "runs": runs,
               "wall_s": round(measured["wall"], 1),
               "cpu_s": round(measured["cpu"] + self.counts["cpu"], 1),
               "stopped": measured["stopped"] or cut,
               "tool_exit": measured["exit"], "steps": peers.steps(self)}
        text = self.outcome(measured)
        if text is None:
            raise Broken("no result: " + self.log()[-300:])
        run = fresh(self.opt.python, text, self.script.name)
        printed = self.row["message"] in run.output
        fails = printed and run.code == self.original.code
        shown = text.decode("utf-8", "replace")
        row.update(bytes=len(text), lines=len(shown.splitlines()),
                   tokens=tokens(text), result=shown, exit=run.code,
                   fails="yes" if fails else "text" if printed else "no",
                   fault=fails and has_fault(self.row, shown)
                   and self.good_passes())
        return row

    def good_passes(self):
        """Whether the good form of the result, where there is one, still runs."""
        if self.tool != "ours-good":
            return True
        good = self.result.with_suffix(".good.py")
        return good.exists() and fresh(self.opt.python, good.read_bytes(),
                                       self.script.name).code == 0


def measure(opt, tool, name, row, original):
    """One row of the table, also where nothing came of it."""
    # In a short path: a socket's has at most 107 bytes.
    folder = Path(tempfile.mkdtemp(prefix="", dir=opt.scratch))
    try:
        job = Job(opt, tool, name, row, original, folder / tool)
        found = job.figures()
    except (Broken, OSError, subprocess.SubprocessError, ValueError) as exc:
        found = {"input": name, "tool": tool, "broken": str(exc)}
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(" ".join(cells(found)), file=sys.stderr, flush=True)
    return found


COLUMNS = ("input", "tool", "runs", "wall_s", "cpu_s", "bytes", "lines",
           "tokens", "fails", "fault", "")


def cells(row):
    """A row as the words of the table."""
    if "broken" in row:
        said = " ".join(row["broken"].split())[:200].replace("|", "/")
        return [row["input"], row["tool"]] + ["-"] * 8 + [said]
    end = "stopped" if row["stopped"] else ""
    words = [row[name] for name in COLUMNS[:-2]] + [
        "yes" if row["fault"] else "no", end]
    return ["-" if word is None else str(word) for word in words]


def table(head, rows):
    """A Markdown table."""
    return "\n".join("| %s |" % " | ".join(words)
                     for words in [head, ["---"] * len(head), *rows]) + "\n"


def share(part, whole):
    """"3 (18 %)"."""
    return "%d (%.0f %%)" % (part, 100 * part / whole)


def summary(rows):
    """Per tool: how many results fail, keep the fault; sums over the inputs."""
    lines = []
    for tool in dict.fromkeys(row["tool"] for row in rows):
        mine = [r for r in rows if r["tool"] == tool]
        good = [r for r in mine if "broken" not in r]
        words = [r for r in good if not r["fault"] and r["fails"] != "no"]
        lines.append([tool, str(len(mine)), str(len(mine) - len(good)),
                      share(sum(r["stopped"] for r in good), len(mine))] + [
            str(sum(r["fails"] == "yes" for r in good)),
            str(sum(r["fault"] for r in good)),
            str(len(words)),
            str(sum(r["runs"] or 0 for r in good)),
            "%.0f" % sum(r["wall_s"] for r in good),
            "%.0f" % sum(r["cpu_s"] for r in good),
            str(sum(r["bytes"] for r in good))])
    return table(["tool", "inputs", "no result", "cut off", "fail again",
                  "fault kept", "only words kept", "runs", "wall_s", "cpu_s",
                  "bytes"], lines)


def ratio(ours, other, key):
    """How many times less ours needs; None where that cannot be told."""
    if not other or "broken" in other or not other[key] or not ours[key]:
        return None
    return other[key] / ours[key]


def fewer(ours, other):
    """The ratio of runs, and whether it is enough: not told by a cut run."""
    times = ratio(ours, other, "runs")
    if times is None or ours["stopped"]:
        return ["-", "ours cut off" if times else "-"]
    if not other["stopped"]:
        return ["%.1f" % times, "yes" if times >= FEWER else "no"]
    return ["at least %.1f" % times, "yes" if times >= FEWER else "cut off"]


def overtaken(ours, other):
    """After how many runs ours was as small as the other at its end."""
    if not ratio(ours, other, "runs"):
        return "-"
    for runs, size in ours.get("steps", ()):
        if size <= other["bytes"]:
            return "%d of %d (%.0f times)" % (
                runs, other["runs"], other["runs"] / max(runs, 1))
    return "-"


def smaller(ours, other):
    """The ratio of sizes, and whether it is enough."""
    times = ratio(ours, other, "bytes")
    return ["%.1f" % times, "yes" if times >= SMALLER else "no"] if times \
        else ["-", "-"]


def smallest(rows):
    """The smallest result of the others that kept the fault, or None."""
    kept = [r for r in rows if "broken" not in r and r["fault"]
            and not r["tool"].startswith("ours")]
    return min(kept, key=lambda r: r["bytes"], default=None)


def demands(rows):
    """What is asked of ours, input by input; "" without any of ours.

    Beside AutoDD that asks the oracle, where it ran: the runs of the one that a
    user starts are of no use, since its result mostly fails no more.
    """
    lines = []
    for ours in rows:
        if ours["tool"] != "ours" or "broken" in ours:
            continue
        same = {r["tool"]: r for r in rows if r["input"] == ours["input"]}
        autodd = same.get("autodd-asking") or same.get("autodd")
        best = smallest(same.values())
        lines.append([ours["input"], "yes" if ours["fault"] else "no",
                      *fewer(ours, autodd), overtaken(ours, autodd),
                      *smaller(ours, autodd),
                      "%s %d" % (best["tool"], best["bytes"]) if best else "-",
                      "-" if not best else
                      "yes" if ours["bytes"] <= best["bytes"] else "no"])
    head = ["input", "fault kept", "AutoDD runs / ours", "%d or more" % FEWER,
            "ours as small after", "AutoDD bytes / ours",
            "%d or more" % SMALLER, "smallest other with the fault",
            "ours no larger"]
    return table(head, lines) if lines else ""


def ordered(rows):
    """Input by input as faults.yaml has them, each in the order of tools."""
    places = {name: i for i, name in enumerate(load(EXAMPLES / "faults.yaml"))}
    tools = list(peers.TOOLS)
    return sorted(rows, key=lambda r: (places.get(r["input"], 0), r["input"],
                                       tools.index(r["tool"])))


class Sheet:
    """All rows so far, on disk after each one: a call may be cut off."""

    def __init__(self, opt):
        """Begin with the rows of earlier calls."""
        self.opt = opt
        self.lock = threading.Lock()
        self.started = datetime.datetime.now().strftime("%Y-%m-%d %H:%M")
        self.rows = {}
        for path in opt.done:
            for row in json.loads(path.read_text())["rows"]:
                self.rows[row["input"], row["tool"]] = row

    def has(self, name, tool):
        """Whether an earlier call has made this row."""
        return (name, tool) in self.rows

    def add(self, row):
        """Take a row, and write all."""
        with self.lock:
            self.rows[row["input"], row["tool"]] = row
            self.write()

    def text(self):
        """The tables."""
        rows = ordered(self.rows.values())
        about = "%s, %d cores; `%s`" % (
            self.started, os.cpu_count(),
            shlex.join(["compare.py", *sys.argv[1:]]))
        tables = [table(COLUMNS, map(cells, rows)), summary(rows), demands(rows)]
        return "\n\n".join([about, *(t for t in tables if t)])

    def write(self):
        """Write FILE.md and FILE.json; whole, or as they were before."""
        if not self.opt.out:
            return
        data = json.dumps(
            {"date": self.started, "command": sys.argv, "cores": os.cpu_count(),
             "budget_s": self.opt.budget, "jobs": self.opt.jobs,
             "rule": self.opt.rule, "rows": ordered(self.rows.values())},
            indent=1)
        for ending, text in ((".json", data), (".md", self.text())):
            path = self.opt.out.with_suffix(ending)
            new = path.with_name(path.name + ".new")
            new.write_text(text)
            new.replace(path)


def options(argv):
    """Read the command line."""
    ap = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--inputs", nargs="+", default=["*"], metavar="GLOB",
                    help="names in faults.yaml, without .py")
    ap.add_argument("--tools", nargs="+", choices=peers.TOOLS, metavar="TOOL",
                    default=[t for t in peers.TOOLS if t not in peers.EXTRA],
                    help="of " + ", ".join(peers.TOOLS))
    ap.add_argument("--budget", type=float, default=200, metavar="SECONDS",
                    help="for one tool on one input (200)")
    ap.add_argument("-j", "--jobs", type=int, default=1,
                    help="runs that a tool makes at the same time (1)")
    ap.add_argument("--parallel", type=int, default=1, metavar="N",
                    help="tools at work at the same time (1)")
    ap.add_argument("--deadline", type=float, default=0, metavar="SECONDS",
                    help="start nothing that may end later than that")
    ap.add_argument("--done", type=Path, nargs="+", default=[], metavar="FILE",
                    help="JSON of earlier calls, whose rows are not made again")
    ap.add_argument("--rule", choices=("text", "end"), default="text",
                    help="what the oracle asks for (text; see oracle.py)")
    ap.add_argument("--out", type=Path, metavar="FILE",
                    help="write FILE.md and FILE.json")
    ap.add_argument("--faults", type=Path, default=EXAMPLES / "faults.yaml")
    ap.add_argument("--python", default=sys.executable,
                    help="interpreter of the scripts (this one)")
    ap.add_argument("--autodd-c", default=os.environ.get("AUTODD_C"),
                    metavar="PATH", help="ours ($AUTODD_C)")
    ap.add_argument("--ask", default=os.environ.get("BENCH_ASK"),
                    metavar="PATH", help="the program of ask.c ($BENCH_ASK)")
    ap.add_argument("--peers", default=os.environ.get("BENCH_PEERS"),
                    metavar="DIR", help="environment with the other tools, as "
                    "peers.sh makes it ($BENCH_PEERS); else from PATH")
    ap.add_argument("--tool", action="append", default=[], metavar="TOOL=CMD",
                    help="the command of one of the others")
    ap.add_argument("--scratch", default=None, metavar="DIR",
                    help="where to work; a short path")
    opt = ap.parse_args(argv)
    opt.tool = dict(word.split("=", 1) for word in opt.tool)
    for name in ("autodd_c", "ask", "python", "peers"):
        if getattr(opt, name) and os.sep in getattr(opt, name):
            setattr(opt, name, os.path.abspath(getattr(opt, name)))
    asking = [tool for tool in opt.tools if tool in peers.ASKING]
    if asking and not opt.ask:
        ap.error("%s need --ask" % ", ".join(asking))
    return opt


def wanted(opt, sheet):
    """The inputs asked for of which a row is missing."""
    rows = {name: row for name, row in load(opt.faults).items()
            if any(fnmatch.fnmatch(name, glob) for glob in opt.inputs)}
    if not rows:
        sys.exit("compare.py: no input is called " + " ".join(opt.inputs))
    return {name: row for name, row in rows.items()
            if not all(sheet.has(name, tool) for tool in opt.tools)}


def ending(opt, name, row):
    """How the original ends; None, with a note, when it does not fail here."""
    text = row["path"].read_bytes()
    if not has_fault(row, text.decode()):
        sys.exit("compare.py: the fault of %s is not in it" % name)
    original = fresh(opt.python, text, row["path"].name)
    if row["message"] in original.output and original.code != 0:
        return original
    print("compare.py: left out: %s does not fail with %r here but ends with "
          "%d:\n%s" % (name, row["message"], original.code,
                       original.output[-1000:]), file=sys.stderr)
    return None


def end_at_signals(scratch):
    """Ended early, take the folder away; what runs notices by itself."""
    def end(number, _):
        shutil.rmtree(scratch, ignore_errors=True)
        os._exit(128 + number)

    signal.signal(signal.SIGINT, end)
    signal.signal(signal.SIGTERM, end)


def main(argv=None):
    """Measure all that was asked for."""
    opt = options(argv)
    with tempfile.TemporaryDirectory(prefix="bench.", dir=opt.scratch) as scratch:
        opt.scratch = scratch
        end_at_signals(scratch)
        return compare(opt)


def may_begin(opt, began):
    """Whether a job would end before the deadline, as far as one can tell."""
    return not opt.deadline or \
        time.monotonic() - began + opt.budget + AROUND <= opt.deadline


def compare(opt):
    """Run the tools, several at a time, and print what came of it."""
    sheet, began, late = Sheet(opt), time.monotonic(), []

    def job(tool, name, *rest):
        if may_begin(opt, began):
            sheet.add(measure(opt, tool, name, *rest))
        else:
            late.append("%s %s" % (name, tool))

    inputs = wanted(opt, sheet)
    with concurrent.futures.ThreadPoolExecutor(opt.parallel) as pool:
        originals = pool.map(lambda each: ending(opt, *each), inputs.items())
        jobs = [pool.submit(job, tool, name, row, original)
                for (name, row), original in zip(inputs.items(), originals)
                for tool in opt.tools
                if original and not sheet.has(name, tool)]
    for made in jobs:
        made.result()
    sheet.write()
    print(sheet.text())
    if late:
        print("compare.py: no time was left for %d: %s" % (
            len(late), ", ".join(late)), file=sys.stderr)
    return 1 if any("broken" in row for row in sheet.rows.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
