"""The scripts of a faults.yaml, as the runs on a GPU use them: how each is given
to a reducer, and whether a smaller one still fails in the way it should.
"""
import importlib.util
import os
import time
from pathlib import Path

import examples
from faults import has_fault

HANG_S = 15     # --timeout for what must hang
LONG_S = 40     # after which one run, on a busy machine, has shown that it does
LIMIT_S = 90    # seconds of a run of anything else
TIMES = 12      # runs until what fails sometimes must have failed
PROVEN = {"torch", "triton", "tilelang", "numpy"}  # looked at before, if any
SANITIZED = {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}


class Case:
    """One script and its fault."""

    def __init__(self, row, folder, rig):
        self.row, self.file, self.rig = row, row["file"], rig
        self.environ = rig.environ_for(row.get("needs", []))
        self.path = Path(folder, self.file)
        self.name = self.path.stem
        self.text = self.path.read_bytes()
        self.hangs = row.get("expect") == "timeout"
        self.sometimes = "rate" in row
        self.tool = row.get("sanitizer")
        self.message = row.get("message")
        self.more = []  # further words for autodd-c

    def missing(self):
        """The modules that this machine lacks, or that do not work here."""
        needs = self.row.get("needs", [])
        lacks = [name for name in needs
                 if importlib.util.find_spec(name) is None]
        if lacks or not set(needs) - PROVEN:
            return lacks
        needs = ["numba.cuda" if name == "numba" else name for name in needs]
        complaint = self.rig.imports(needs, self.environ)
        return ["%s that works (%s)" % (" and ".join(needs), complaint)] \
            if complaint else []

    def words(self):
        """What says to autodd-c which failure is meant."""
        if self.hangs:
            words = ["--expect", "timeout", "--timeout", HANG_S]
        elif self.tool:
            words = ["--sanitizer", self.tool]
        else:
            words = ["--err-msg", self.message]
        for name, value in self.environ.items():
            words += ["--env", "%s=%s" % (name, value)]
        return words + self.more

    def for_autodd(self):
        """Whether AutoDD, which looks for a text, can be asked at all."""
        return not self.hangs and not self.tool

    def run(self, text, limit=LIMIT_S, env=()):
        """One run of a text in a new interpreter."""
        before, env = [], {**self.environ, **dict(env)}
        if self.tool:
            before = [examples.find_sanitizer(), "--tool", self.tool,
                      "--error-exitcode", "86", "--print-limit", "20",
                      "--target-processes", "all"]
            env.update(SANITIZED)
        limit = LONG_S if self.hangs else limit
        return examples.run(self.file, text, limit, before, env)

    def shows(self, done):
        """Whether a run failed as it should: not where a traceback quotes the
        source, which is indented."""
        if self.hangs:
            return done.code is None
        return done.code not in (0, None) and any(
            self.message in line for line in done.output.splitlines()
            if not line.startswith(" "))

    def judge(self, text, until=float("inf")):
        """Run a text until it fails as it should, which is once, if it does
        not fail only sometimes. None: no answer before `until`. `late`: the
        last run was ended at its limit."""
        for turn in range(1, (TIMES if self.sometimes else 1) + 1):
            if time.monotonic() > until:
                return None
            done = self.run(text)
            if self.shows(done):
                break
        return {"fails": self.shows(done), "code": done.code, "turn": turn,
                "late": done.code is None and not self.hangs,
                "seconds": round(done.seconds, 1),
                "tail": done.output[-400:]}

    def kept(self, text):
        """Whether the fault is still in a text."""
        return has_fault(self.row, text.decode("utf-8", "replace"))


def load(rig, names):
    """The cases of the manifest in the order of the names; all, if none are
    given."""
    manifest = Path(os.path.abspath(rig.args.manifest))
    cases = [Case(row, manifest.parent, rig)
             for row in examples.read_faults(manifest)]
    known = {case.name: case for case in cases}
    unknown = set(names) - set(known)
    if unknown:
        raise SystemExit("no such example: " + ", ".join(sorted(unknown)))
    return [known[name] for name in dict.fromkeys(names)] or cases
